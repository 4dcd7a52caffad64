//! Several senders that wait for room in the same receiver, and messages that a receiver has no
//! room for: nothing is lost and nothing fails, whatever the scheduler and however often it is
//! tried.

use gxe_tests::Gxe;
use gxe_tests::differential::engine::{self, Scheduler};
use gxe_tests::differential::graph::{
    Actor, Connection, Entity, Graph, Period, Policy, Publishing, Queue, Term, origin,
};
use gxe_tests::differential::{End, Run};

/// Each scheduler, and how often a graph runs under it: with several workers many times, since what
/// is tested are races. `BACK_PRESSURE_ROUNDS` says how often.
fn schedulers() -> Vec<(Scheduler, usize)> {
    let rounds = std::env::var("BACK_PRESSURE_ROUNDS").ok();
    let rounds = rounds.map_or(2, |text| text.parse().expect("a number"));
    let mut schedulers = vec![
        (Scheduler::greedy(None), 1),
        (Scheduler::new("EpochScheduler", "RealtimeClock", ""), 1),
    ];
    for kind in ["MultiThreadScheduler", "EventBasedScheduler"] {
        schedulers.extend([(1, 1), (2, rounds), (8, rounds)].map(|(workers, rounds)| {
            let parameters = format!(", worker_thread_number: {workers}");
            (Scheduler::new(kind, "RealtimeClock", &parameters), rounds)
        }));
    }
    schedulers
}

fn everywhere(graph: &Graph, check: impl Fn(&Run)) {
    for (scheduler, rounds) in schedulers() {
        for round in 0..rounds {
            let run = engine::run(graph, &scheduler);
            let text = format!("{}, round {round}, ended with {:?}", scheduler.name, run.end);
            let checked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| check(&run)));
            assert!(checked.is_ok(), "{text}");
        }
    }
}

fn queue(capacity: u64, policy: Policy) -> Queue {
    Queue { capacity, policy }
}

/// A sender with its numbers of ticks and of messages per tick.
fn sender(ticks: i64, messages: u64) -> Entity {
    Entity {
        transmitters: vec![queue(messages.max(1), Policy::Fault)],
        terms: vec![Term::Count(ticks), Term::DownstreamReceptive { transmitter: 0, min_size: 1 }],
        actor: Actor { publishing: Publishing::Number(messages), ..Actor::default() },
        ..Entity::default()
    }
}

/// An entity that takes one message a tick, and passes it on if it has a transmitter.
fn taker(receiver: Queue, transmitters: usize) -> Entity {
    let mut terms =
        vec![Term::MessageAvailable { receiver: 0, min_size: 1, front_stage_max_size: None }];
    terms.extend(
        (0..transmitters).map(|transmitter| Term::DownstreamReceptive { transmitter, min_size: 1 }),
    );
    Entity {
        receivers: vec![receiver],
        transmitters: vec![queue(1, Policy::Fault); transmitters],
        terms,
        actor: Actor { publishing: Publishing::Forward, ..Actor::default() },
        ..Entity::default()
    }
}

fn connect(source: (usize, usize), target: (usize, usize)) -> Connection {
    Connection { source, target, by_topic: false }
}

/// Senders, each with a number of ticks, and the receiver they share.
fn fan_in(senders: usize, ticks: i64, messages: u64, receiver: Queue) -> Graph {
    let mut entities = vec![sender(ticks, messages); senders];
    entities.push(taker(receiver, 0));
    let connections = (0..senders).map(|number| connect((number, 0), (senders, 0))).collect();
    Graph { entities, connections, guests: None }
}

/// What an entity took, in order.
fn taken(run: &Run, entity: usize) -> Vec<u64> {
    let ticks = run.ticks(entity);
    ticks.into_iter().flatten().flatten().map(|message| message.number).collect()
}

/// An entity took all messages of these senders, those of each in their order.
fn took_everything(run: &Run, entity: usize, senders: usize, messages: u64) {
    let taken = taken(run, entity);
    assert_eq!(taken.len() as u64, senders as u64 * messages, "{taken:?}");
    for sender in 0..senders {
        let first = gxe_tests::differential::graph::first_number(sender, 0, 0);
        let own = taken.iter().copied().filter(|number| origin(*number) == origin(first));
        assert_eq!(own.collect::<Vec<_>>(), (first..first + messages).collect::<Vec<_>>());
    }
}

#[test]
fn eight_senders_fill_one_receiver_and_nothing_is_lost() {
    for capacity in [1, 2, 8, 32] {
        for policy in [Policy::Fault, Policy::Reject, Policy::Pop] {
            everywhere(&fan_in(8, 25, 1, queue(capacity, policy)), |run| {
                assert_eq!(run.end, End::Deadlock);
                took_everything(run, 8, 8, 25);
                assert!((0..8).all(|sender| run.ticks(sender).len() == 25));
                assert_eq!(run.ticks(8).len(), 200);
            });
        }
    }
}

/// Pinned entities look for messages and room themselves before their workers sleep, so that others need
/// not wake them: here they never sleep, sleep between all messages, or do so now and then, and the
/// first one holds messages, or does not.
#[test]
fn pinned_entities_that_wait_for_each_other_miss_nothing() {
    let pinned = |entity: Entity| Entity { is_pinned: true, ..entity };
    let cases = [
        (2_000, 1, [0, 0]),
        (700, 3, [0, 0]),
        (40, 1, [600_000, 0]),
        (15, 3, [0, 600_000]),
        (40, 1, [250_000; 2]),
    ];
    for (ticks, messages, sleeps) in cases {
        for capacity in [1, 2, 32] {
            let mut entities = vec![
                pinned(sender(ticks, messages)),
                pinned(taker(queue(capacity, Policy::Fault), 1)),
                pinned(taker(queue(capacity, Policy::Fault), 0)),
            ];
            entities[0].actor.sleep = sleeps[0];
            entities[2].actor.sleep = sleeps[1];
            let connections = vec![connect((0, 0), (1, 0)), connect((1, 0), (2, 0))];
            everywhere(&Graph { entities, connections, guests: None }, |run| {
                assert_eq!(run.end, End::Deadlock);
                let all = ticks as u64 * messages;
                took_everything(run, 2, 1, all);
                assert_eq!(
                    [0, 1, 2].map(|it| run.ticks(it).len() as u64),
                    [ticks as u64, all, all]
                );
            });
        }
    }
}

#[test]
fn what_a_tick_publishes_beyond_the_room_stays_in_the_transmitter() {
    // The last messages are held when their senders have done all their ticks.
    for (senders, capacity) in [(1, 1), (1, 2), (8, 1), (8, 2), (8, 8)] {
        everywhere(&fan_in(senders, 20, 3, queue(capacity, Policy::Fault)), |run| {
            assert_eq!(run.end, End::Deadlock);
            took_everything(run, senders, senders, 60);
            assert!((0..senders).all(|sender| run.ticks(sender).len() == 20));
        });
    }
}

#[test]
fn what_was_held_goes_in_the_execution_that_holds_again() {
    // The receiver makes room for what is held and for another tick, which publishes too much again.
    for senders in [1, 2] {
        let mut graph = fan_in(senders, 10, 4, queue(3, Policy::Fault));
        graph.entities[senders].actor.take = 3;
        everywhere(&graph, |run| {
            assert_eq!(run.end, End::Deadlock);
            took_everything(run, senders, senders, 40);
        });
    }
}

#[test]
fn a_held_message_keeps_the_time_at_which_it_was_published() {
    // With two receivers, each message has several holders.
    for receivers in [1, 2] {
        let mut graph = fan_in(1, 3, 3, queue(1, Policy::Fault));
        graph.entities[0].actor.stamps = false;
        let period = Term::Periodic { period: 10_000_000, policy: Period::CatchUpMissedTicks };
        graph.entities[1].terms.push(period);
        for number in 2..=receivers {
            graph.entities.push(taker(queue(1, Policy::Fault), 0));
            graph.connections.push(connect((0, 0), (number, 0)));
        }
        let run = engine::run(&graph, &Scheduler::greedy(None));
        for taker in 1..=receivers {
            let times: Vec<_> = run.ticks(taker).into_iter().flatten().flatten().collect();
            let times: Vec<_> =
                times.iter().map(|message| (message.acquired, message.published)).collect();
            assert_eq!(times.len(), 9);
            for tick in times.chunks(3) {
                assert!(tick.iter().all(|time| time == &tick[0]), "{times:?}");
            }
            assert!(times[0].1 < times[3].1 && times[3].1 < times[6].1, "{times:?}");
        }
    }
}

#[test]
fn a_tree_of_fan_ins_loses_nothing() {
    for capacity in [1, 2, 8] {
        // Eight senders, four entities that each merge two of them, two, and one.
        let mut graph = Graph::default();
        graph.entities.extend((0..8).map(|_| sender(20, 2)));
        let (mut before, mut first) = (8, 0);
        while before > 1 {
            let merging = graph.entities.len();
            for number in 0..before / 2 {
                let transmitters = usize::from(before > 2);
                graph.entities.push(taker(queue(capacity, Policy::Fault), transmitters));
                let both = [first + 2 * number, first + 2 * number + 1];
                let target = (merging + number, 0);
                graph.connections.extend(both.map(|source| connect((source, 0), target)));
            }
            (before, first) = (before / 2, merging);
        }
        everywhere(&graph, |run| {
            assert_eq!(run.end, End::Deadlock);
            took_everything(run, 14, 8, 40);
        });
    }
}

#[test]
fn a_fan_out_sends_each_receiver_everything_once() {
    // Two senders, each to the same four receivers, one of which they share in pairs.
    for capacity in [1, 2, 8] {
        let mut graph = Graph::default();
        graph.entities.extend((0..2).map(|_| sender(20, 2)));
        for number in 0..4 {
            graph.entities.push(taker(queue(capacity, Policy::Fault), 0));
            graph.connections.extend((0..2).map(|from| connect((from, 0), (2 + number, 0))));
        }
        everywhere(&graph, |run| {
            assert_eq!(run.end, End::Deadlock);
            (2..6).for_each(|receiver| took_everything(run, receiver, 2, 40));
        });
    }
}

#[test]
fn a_receiver_with_room_does_not_wait_for_one_without() {
    // The second receiver's entity never ticks, so the sender's second tick has to wait for it; the
    // first receiver gets what the first tick published all the same.
    let mut graph = Graph::default();
    graph.entities.push(sender(5, 2));
    graph.entities.push(taker(queue(4, Policy::Fault), 0));
    graph.entities.push(taker(queue(1, Policy::Fault), 0));
    graph.entities[2].terms.push(Term::Boolean { enable_tick: false });
    graph.connections.extend([1, 2].map(|to| connect((0, 0), (to, 0))));
    everywhere(&graph, |run| {
        assert_eq!(run.end, End::Deadlock);
        assert_eq!(run.ticks(0).len(), 1);
        took_everything(run, 1, 1, 2);
        assert!(run.ticks(2).is_empty());
    });
}

#[test]
fn memory_is_promised_to_one_entity_at_a_time() {
    // Each of four entities takes a block in its tick and has given it back when that is over.
    for blocks in [1, 2] {
        let mut yaml = String::new();
        for entity in 0..4 {
            let pool = match entity {
                0 => format!(
                    "- {{name: pool, type: 'nvidia::gxf::BlockMemoryPool', \
                     parameters: {{storage_type: 2, block_size: 64, num_blocks: {blocks}}}}}\n"
                ),
                _ => String::new(),
            };
            yaml += &format!(
                "---\nname: e{entity}\ncomponents:\n{pool}\
                 - {{type: 'nvidia::gxf::CountSchedulingTerm', parameters: {{count: 40}}}}\n\
                 - {{type: 'nvidia::gxf::MemoryAvailableSchedulingTerm', \
                 parameters: {{allocator: e0/pool, min_blocks: 1}}}}\n\
                 - {{name: actor, type: 'gxe::test::Actor', parameters: {{receivers: [], \
                 transmitters: [], first_numbers: [], take: 0, publishing: Number, publish: 0, \
                 publish_at_start: 0, pool: e0/pool, hold: 0, carry: false, \
                 clock: scheduler/clock, sleep: 20000}}}}\n"
            );
        }
        for (scheduler, rounds) in schedulers() {
            for round in 0..rounds {
                let run = engine::run_yaml(&(yaml.clone() + &scheduler.yaml));
                assert_eq!(run.end, End::Finished, "{}, round {round}", scheduler.name);
                assert!((0..4).all(|entity| run.ticks(entity).len() == 40), "{}", scheduler.name);
            }
        }
    }
}

#[test]
fn a_run_that_ends_with_a_held_message_says_so() {
    // A term alone, and one of a combiner that is ready all the same.
    for combiner in [
        "",
        "- {name: other, type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 9}}\n\
         - {type: nvidia::gxf::OrSchedulingTermCombiner, parameters: {terms: [room, other]}}\n",
    ] {
        let graph = "\
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {capacity: 3}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
- {name: room, type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
COMBINER\
- {name: one, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- {name: two, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- {name: three, type: gxe::test::Probe, parameters: {transmitters: [out]}}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in, min_size: 2}}
- {name: rx, type: gxe::test::Probe, parameters: {receivers: [in]}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: sink/in}}
";
        let ended = Gxe::scheduled(&graph.replace("COMBINER", combiner)).run().clean();
        let text = "entity `source`: transmitter `out` still holds 2 messages, because `sink/in` \
                    had no room";
        assert_eq!(ended.count(text), 1, "{}", ended.stdout);
        let stuck = "entity `source` is stuck: it waits for room";
        assert_eq!(ended.count(stuck), 1, "{}", ended.stdout);
        assert_eq!(ended.count("is lost"), 0, "{}", ended.stdout);
    }
}
