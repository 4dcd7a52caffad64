//! Random graphs do in the engine what a naive model of GXF predicts.
//!
//! Under the greedy scheduler everything is compared: every call of every codelet with its time,
//! its messages and their times, the order of all calls, and the end of the run.
//!
//! The other schedulers promise no order, so they get graphs whose outcome does not depend on it
//! (see [`confluent_graph`]), without queues that lose messages, and on a real clock. The test
//! compares the ticks of every entity, the messages of every tick (from one sender in order, from
//! several as a set), and the end of the run. If an entity fails, it must fail at the same tick
//! with the same code, and all others must have done a prefix of what they do without the failure.
//!
//! `DIFFERENTIAL_GRAPHS` sets the number of graphs for each test.

use gxe_tests::differential::engine::{self, Scheduler};
use gxe_tests::differential::generate::{ROUNDS, any_graph, confluent_graph};
use gxe_tests::differential::graph::{Entity, Graph, MILLISECOND, origin};
use gxe_tests::differential::{End, Run, Taken, difference, reference};
use proptest::prelude::*;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{FileFailurePersistence, TestRunner};

/// The requested number of graphs, or else as many as fit into a test run.
fn graphs(usually: u32) -> ProptestConfig {
    let wanted = std::env::var("DIFFERENTIAL_GRAPHS").ok();
    let cases = wanted.map_or(usually, |text| text.parse().expect("a number of graphs"));
    ProptestConfig {
        cases,
        // A graph that hangs takes its time, and so would every smaller one.
        max_shrink_time: 60_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(
            "tests/differential.proptest-regressions",
        ))),
        ..ProptestConfig::default()
    }
}

/// The schedulers that run entities in any order. Greedy is among them because it must do the same
/// on a clock that runs by itself.
fn schedulers() -> Vec<Scheduler> {
    let workers = |kind: &'static str| {
        [1, 2, 8].map(|number| {
            Scheduler::new(kind, "RealtimeClock", &format!(", worker_thread_number: {number}"))
        })
    };
    let mut schedulers = vec![
        Scheduler::new("GreedyScheduler", "RealtimeClock", ""),
        Scheduler::new("EpochScheduler", "RealtimeClock", ""),
    ];
    schedulers.extend(workers("MultiThreadScheduler"));
    schedulers.extend(workers("EventBasedScheduler"));
    // All entities that are not pinned run on the graph's thread pool.
    let pools = ", thread_pool_allocation_auto: false";
    schedulers.push(Scheduler::new("MultiThreadScheduler", "RealtimeClock", pools));
    schedulers.push(Scheduler::new("EventBasedScheduler", "RealtimeClock", pools));
    schedulers.push(Scheduler::new("RoundRobin", "RealtimeClock", ""));
    // With more instances, a sender in front of an entity that ended gets further.
    schedulers.extend([1, 2, 8].map(|threads| {
        let parameters = format!(", threads: {threads}, register_num: 1");
        Scheduler::new("ActorScheduler", "RealtimeClock", &parameters)
    }));
    schedulers.extend([1, 2].map(|workers| Scheduler::planned(workers, "RealtimeClock", "")));
    schedulers.push(Scheduler::planned_apart(3, "RealtimeClock", ""));
    schedulers
}

/// What an entity took in each tick, in order.
type Ticks = Vec<Vec<Vec<u64>>>;

/// Whether an entity has one receiver, which gets messages from several senders.
fn is_merged(graph: &Graph, entity: usize) -> bool {
    let Entity { receivers, transmitters, .. } = &graph.entities[entity];
    let connections = graph.connections.iter();
    let senders = connections.filter(|connection| connection.target == (entity, 0)).count();
    receivers.len() == 1 && transmitters.is_empty() && senders > 1
}

fn ticks(run: &Run, entity: usize, actor: usize) -> Ticks {
    let numbers = |taken: &Vec<Taken>| taken.iter().map(|message| message.number).collect();
    run.ticks_of(entity, actor)
        .into_iter()
        .map(|taken| taken.iter().map(numbers).collect())
        .collect()
}

/// Differences that exist although the order of entities must not matter.
fn outcome_difference(graph: &Graph, run: &Run) -> Option<String> {
    let reference = |graph| reference::run(graph, None, 10 * ROUNDS).expect("graphs are finite");
    let expected = reference(graph);
    if run.end != expected.end {
        return Some(format!("ended with {:?}, not {:?}", run.end, expected.end));
    }
    let failed = matches!(expected.end, End::Failed(_));
    let mut unharmed = graph.clone();
    for entity in unharmed.entities.iter_mut().filter(|_| failed) {
        entity.actor.failure = None;
    }
    let complete = reference(&unharmed);
    let entities = graph.entities.iter().enumerate();
    let mut actors = entities
        .flat_map(|(number, entity)| (0..entity.actors().count()).map(move |one| (number, one)));
    actors.find_map(|(entity, actor)| {
        let (is, wanted) = (ticks(run, entity, actor), ticks(&complete, entity, actor));
        let as_long = match graph.entities[entity].actor.failure.filter(|_| failed) {
            // The first actor fails, so the second is not called any more.
            Some((tick, _)) => is.len() as u64 == tick.saturating_sub(actor as u64),
            None => failed || is.len() == wanted.len(),
        };
        let is_right = as_long && is_beginning(graph, entity, &is, &wanted);
        (!is_right).then(|| format!("actor {actor} of e{entity} took {is:?}, not {wanted:?}"))
    })
}

/// Whether an entity did a prefix of what it does in a complete run.
fn is_beginning(graph: &Graph, entity: usize, is: &Ticks, whole: &Ticks) -> bool {
    if !is_merged(graph, entity) {
        return whole.starts_with(is);
    }
    // One message per tick, in the order of its sender.
    let numbers = |ticks: &Ticks| ticks.iter().flatten().flatten().copied().collect::<Vec<u64>>();
    let (is, whole) = (numbers(is), numbers(whole));
    let from = |numbers: &[u64], sender: u64| -> Vec<u64> {
        numbers.iter().copied().filter(|number| origin(*number) == sender).collect()
    };
    let senders = is.iter().map(|number| origin(*number));
    senders.into_iter().all(|sender| from(&whole, sender).starts_with(&from(&is, sender)))
}

proptest! {
    #![proptest_config(graphs(600))]

    #[test]
    fn greedy_does_what_the_model_says((graph, max_duration) in any_graph()) {
        let longest = max_duration.map(|longest| longest * MILLISECOND);
        let expected = reference::run(&graph, longest, 10 * ROUNDS).expect("graphs are finite");
        let run = engine::run(&graph, &Scheduler::greedy(max_duration));
        let difference = difference(&run.without_last_stops(), &expected.without_last_stops());
        prop_assert!(difference.is_none(), "{}", difference.unwrap_or_default());
    }
}

proptest! {
    #![proptest_config(graphs(60))]

    #[test]
    fn the_order_of_entities_does_not_matter(graph in confluent_graph()) {
        for scheduler in schedulers() {
            let run = engine::run(&graph, &scheduler);
            let difference = outcome_difference(&graph, &run);
            prop_assert!(difference.is_none(), "{}: {}", scheduler.name, difference.unwrap_or_default());
        }
    }
}

/// Graphs that never do anything would pass every test.
#[test]
fn random_graphs_are_worth_running() {
    const GRAPHS: usize = 400;
    let mut runner = TestRunner::deterministic();
    let mut sample = |kind: &str, count: usize, next: &mut dyn FnMut(&mut TestRunner) -> Run| {
        let runs: Vec<Run> = (0..count).map(|_| next(&mut runner)).collect();
        let moving = runs.iter().filter(|run| messages_taken(run) > 2).count();
        assert!(moving * 3 > count, "only {moving} of {count} {kind} move messages");
        let ended = |wanted: fn(&End) -> bool| runs.iter().filter(|run| wanted(&run.end)).count();
        let ends = [
            ended(|end| *end == End::Finished),
            ended(|end| *end == End::Deadlock),
            ended(|end| matches!(end, End::Failed(_))),
        ];
        assert!(ends.iter().all(|ended| ended * 20 > count), "{ends:?} of {count} {kind}");
    };
    sample("any graphs", GRAPHS, &mut |runner| {
        let (graph, longest) = any_graph().new_tree(runner).expect("a graph").current();
        let longest = longest.map(|longest| longest * MILLISECOND);
        reference::run(&graph, longest, 10 * ROUNDS).expect("graphs are finite")
    });
    sample("confluent graphs", GRAPHS, &mut |runner| {
        let graph = confluent_graph().new_tree(runner).expect("a graph").current();
        reference::run(&graph, None, 10 * ROUNDS).expect("graphs are finite")
    });
}

fn messages_taken(run: &Run) -> usize {
    let entities = run.events.iter().map(|event| event.entity).max().map_or(0, |last| last + 1);
    (0..entities).flat_map(|entity| run.ticks(entity)).flatten().map(Vec::len).sum()
}
