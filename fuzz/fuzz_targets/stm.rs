//! Any text as a compute graph, a schedule for it, and the log of a run by it: what keeps every rule,
//! or errors. Lines of `===` part the three.
#![no_main]

use gxf_runtime::graph::{Diagnostics, Source};
use gxf_stm::log::Log;
use gxf_stm::plan::Plan;
use gxf_stm::schedule::{Document, read_document};
use gxf_stm::{GraphFiles, check, read_graph};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let mut parts = text.split("\n===\n");
    let mut part = |name: &str| Source::new(name, parts.next().unwrap_or_default());
    let (graph, schedule, log) = (part("graph.yaml"), part("graph.stm"), part("run.log"));
    let alone =
        GraphFiles { graph: graph.clone(), fragments: Vec::new(), wcets: Vec::new() };
    let files =
        GraphFiles { fragments: vec![graph.clone()], wcets: vec![graph.clone()], ..alone.clone() };
    for files in [files, alone] {
        let graph = match read_graph(&files, &mut Diagnostics::new()) {
            Ok(graph) => graph,
            Err(problems) => {
                assert!(problems.has_errors());
                assert!(!problems.render(false).is_empty());
                continue;
            }
        };
        match read_document(&schedule) {
            Ok(Document::Schedule(schedule)) => {
                _ = check::check(&graph, &schedule);
                _ = Plan::new(&schedule);
            }
            Ok(Document::Refutation(refutation)) => {
                _ = check::check_refutation(&graph, &refutation);
            }
            Err(problems) => assert!(!problems.render(false).is_empty()),
        }
    }
    if let Ok(log) = Log::read(&log.text) {
        assert_eq!(Log::read(&log.to_string()).map(|log| log.to_string()), Ok(log.to_string()));
    }
});
