//! Fragments of YAML from the documentation of GXF and Holoscan run exactly as printed there.
//!
//! `tests/seeds` has them, completed with what a fragment leaves out, each with its complete log.
//! `UPDATE_EXPECT=1` writes the logs; read them before you commit them.

use expect_test::expect_file;
use gxe_tests::{Gxe, Line, MANIFEST, lines_of};
use std::fmt::Write;
use std::path::Path;

#[test]
fn fragments_of_the_documentation_run_as_written() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds");
    let files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let mut apps: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|kind| kind == "yaml")).collect();
    apps.sort();
    assert!(!apps.is_empty());
    for path in apps {
        let app = std::fs::read_to_string(&path).unwrap();
        let manifest = format!("{MANIFEST}- libgxf_behavior_tree.so\n");
        let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", &manifest);
        let ended = gxe.args("--app app.yaml --manifest manifest.yaml").run().clean();
        expect_file![path.with_extension("log")].assert_eq(&shown(&ended.stdout));
    }
}

/// A log without times and locations.
fn shown(output: &str) -> String {
    let mut text = String::new();
    for line in lines_of(output) {
        // Writing to a `String` does not fail.
        _ = match line {
            Line::Log { level, text: message } => writeln!(text, "[{level}] {message}"),
            Line::Other(other) => writeln!(text, "{other}"),
        };
    }
    text
}

/// The seed gives it to a SequenceBehavior; the others are of the same kind.
#[test]
fn every_behavior_may_name_its_controller() {
    let nodes = [
        ("ConstantBehavior", "constant_status: 0"),
        ("ParallelBehavior", "children: [], success_threshold: -1, failure_threshold: -1"),
        ("RepeatBehavior", "children: [], repeat_after_failure: false"),
        ("SelectorBehavior", "children: []"),
        ("SequenceBehavior", "children: []"),
        ("SwitchBehavior", "children: [e0/term], desired_behavior: 0"),
        ("TimerBehavior", "clock: scheduler/clock, switch_status: 0, delay: 0.0"),
    ];
    let entities = nodes.iter().enumerate().map(|(number, (node, parameters))| {
        format!(
            "\
---
name: e{number}
components:
- name: control
  type: nvidia::gxf::EntityCountFailureRepeatController
  parameters: {{max_repeat_count: 0}}
- {{name: term, type: nvidia::gxf::BTSchedulingTerm, parameters: {{is_root: true}}}}
- type: nvidia::gxf::{node}
  parameters: {{{parameters}, s_term: term, controller: control}}
"
        )
    });
    let manifest = format!("{MANIFEST}- libgxf_behavior_tree.so\n");
    let gxe = Gxe::scheduled(&entities.collect::<String>()).file("manifest.yaml", &manifest);
    let _ = gxe.args("--strict").run().clean();
}
