//! `--param` and subgraphs.

use gxe_tests::{Ended, Gxe};

const CLOCK: &str = "\
---
name: s
components:
- {name: clock, type: nvidia::gxf::ManualClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";

/// An app whose subgraph ticks twice, or once with the file `once.yaml`.
fn run(subgraph: &str, overrides: &str) -> Ended {
    let ticks = |count: u32| {
        format!(
            "name: w\ncomponents:\n- {{name: p, type: gxe::test::Probe}}\n- {{name: cnt, type: \
             nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}\n---\ninterfaces:\n\
             - {{name: cnt, target: w/cnt}}\n"
        )
    };
    let app = format!("name: g\ncomponents:\n{subgraph}{CLOCK}");
    let gxe = Gxe::app(&app).file("twice.yaml", &ticks(2)).file("once.yaml", &ticks(1));
    gxe.args(overrides).run()
}

/// An app that is started from another folder than its author meant says from where its files are found.
#[test]
fn a_subgraph_of_another_folder_is_found_for_the_user() {
    let folder = tempfile::tempdir().expect("a folder");
    let inner = folder.path().join("apps/inner");
    std::fs::create_dir_all(&inner).expect("a folder");
    std::fs::write(inner.join("part.yaml"), "name: part\ncomponents: []\n").expect("writable");
    let app = "name: g\ncomponents:\n- {type: nvidia::gxf::Subgraph, parameters: {location: \
               apps/inner/part.yaml}}\n";
    std::fs::write(inner.join("app.yaml"), app).expect("writable");
    let ended = Gxe::in_folder(&inner).args("app.yaml").run().with_status(3);
    let root = folder.path().canonicalize().expect("a folder");
    let text = format!(
        "from `{}` there is such a file: start there, or name this folder with `--app-root`",
        root.display()
    );
    assert!(ended.stderr.contains(&text), "{}", ended.stderr);
    let advised = format!("apps/inner/app.yaml --app-root {}", root.display());
    let _ = Gxe::in_folder(&inner).args(&advised).run().with_status(0);
}

#[test]
fn the_location_of_a_subgraph_can_be_overridden() {
    let with = "- {name: sg, type: nvidia::gxf::Subgraph, parameters: {location: twice.yaml}}\n";
    let without = "- {name: sg, type: nvidia::gxf::Subgraph}\n";
    let once = "--param g/sg/location=once.yaml";
    for (subgraph, overrides, ticks) in [(with, "", 2), (with, once, 1), (without, once, 1)] {
        let ended = run(subgraph, overrides).with_status(0);
        assert_eq!(ended.ticks("p").len(), ticks, "{subgraph} {overrides}: {}", ended.stdout);
    }
    let ended = run(with, "--param g/sg/location=nowhere.yaml").with_status(3);
    ended.complains("there is no file `nowhere.yaml`");
    let ended = run(with, "--param g/sg/prerequisites={x:no/such}").with_status(3);
    ended.complains("no/such");
}

#[test]
fn an_override_wins_over_values_that_other_files_set_through_an_interface() {
    let graph = "- {name: sg, type: nvidia::gxf::Subgraph, parameters: {location: twice.yaml}}\n\
                 - {name: cnt, parameters: {count: 3}}\n";
    for (overrides, ticks) in
        [("", 3), ("--param g.w/cnt/count=1", 1), ("--param g/cnt/count=4", 4)]
    {
        let ended = run(graph, overrides).with_status(0);
        assert_eq!(ended.ticks("p").len(), ticks, "{overrides}: {}", ended.stdout);
    }
}
