//! What `gxe check` calls certain is certain: an entity of a random graph that it says never ticks
//! does not tick when the graph runs.

use gxe_tests::build;
use gxe_tests::differential::engine::{self, Scheduler};
use gxe_tests::differential::generate::any_graph;
use gxe_tests::differential::graph::Graph;
use gxf_runtime::Context;
use gxf_runtime::graph::Severity;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::BTreeSet;

/// The entities that the check says never tick, as positions in the graph.
fn said_dead(graph: &Graph, scheduler: &Scheduler) -> BTreeSet<usize> {
    let context = Context::new();
    context.load_extension(&build::library("gxf_actor")).expect("the actors load");
    let yaml = graph.to_yaml() + &scheduler.yaml;
    context.load_app_text("graph", &yaml, &[]).expect("the graph loads");
    let findings = context.check();
    let mut dead = BTreeSet::new();
    for finding in findings.iter().filter(|finding| finding.severity == Severity::Error) {
        let certain =
            finding.message.contains("never ticks") || finding.message.contains("none ever");
        assert!(certain, "{}", finding.message);
        let followers = finding.help.iter().filter(|help| help.starts_with("never tick because"));
        for text in followers.chain([&finding.message]) {
            // Names are in backquotes; queues are called `e0/rx0`.
            let names = text.split('`').skip(1).step_by(2);
            let numbers = names.filter_map(|name| name.strip_prefix('e')?.parse::<usize>().ok());
            dead.extend(numbers);
        }
    }
    dead
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_entity_that_never_ticks_does_not_tick((graph, max_duration) in any_graph()) {
        let scheduler = Scheduler::greedy(max_duration);
        let dead = said_dead(&graph, &scheduler);
        let run = engine::run(&graph, &scheduler);
        for entity in dead {
            let ticks = run.ticks(entity).len();
            prop_assert!(ticks == 0, "e{entity} ticked {ticks} times in\n{}", graph.to_yaml());
        }
    }
}

/// A check that never finds anything would pass the test above.
#[test]
fn some_random_graphs_have_such_entities() {
    let mut runner = TestRunner::deterministic();
    let found = (0..200).filter(|_| {
        let (graph, longest) = any_graph().new_tree(&mut runner).expect("a graph").current();
        !said_dead(&graph, &Scheduler::greedy(longest)).is_empty()
    });
    let found = found.count();
    assert!(found > 10, "only {found} of 200");
}
