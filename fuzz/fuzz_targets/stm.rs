//! Any text as a compute graph and as a schedule: a graph that keeps every rule, or errors.
#![no_main]

use gxf_runtime::graph::{Diagnostics, Source};
use gxf_stm::{GraphFiles, read_graph};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let source = Source::new("fuzz.yaml", text);
    let files =
        GraphFiles { graph: source.clone(), fragments: vec![source.clone()], wcets: vec![source.clone()] };
    let alone = GraphFiles { fragments: Vec::new(), wcets: Vec::new(), ..files.clone() };
    for files in [files, alone] {
        if let Err(problems) = read_graph(&files, &mut Diagnostics::new()) {
            assert!(problems.has_errors());
            assert!(!problems.render(false).is_empty());
        }
    }
    if let Err(problems) = gxf_stm::schedule::read_schedule(&source) {
        assert!(!problems.render(false).is_empty());
    }
});
