//! A graph that is saved and loaded again is the same graph: it saves to the same text, and a run of
//! it says the same.

use gxe_tests::differential::difference;
use gxe_tests::differential::engine::{self, Scheduler};
use gxe_tests::differential::generate::any_graph;
use gxe_tests::{Gxe, build, manifest_of_all};
use gxf_runtime::graph::GraphDescription;
use gxf_runtime::{Context, Result};
use proptest::prelude::*;
use std::path::{Path, PathBuf};

/// What the apps' subgraphs are relative to.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Apps that say the same on every run.
const APPS: [&str; 14] = [
    "access_log/access_log",
    "batch/batch",
    "behavior_tree/behavior_tree",
    "hello_world/hello_world",
    "manual_clock/manual_clock",
    "my_recorder/my_recorder_gxf",
    "ping/ping",
    "ping_topologies/fan_out_fan_in",
    "ping_topologies/many_to_many",
    "ping_topologies/many_to_one",
    "ping_topologies/multiple_one_to_one",
    "ping_topologies/one_to_many",
    "ping_topologies/one_to_one",
    "subgraphs/subgraphs",
];

/// A context with all extensions and an app, if that can be loaded.
fn load(app: &Path) -> Result<Context> {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("manifest.yaml");
    std::fs::write(&manifest, manifest_of_all()).unwrap();
    let context = Context::new();
    context.add_extension_path(build::gxe().parent().unwrap());
    context.load_manifest(&manifest, None).unwrap();
    context.set_root_path(ROOT);
    context.load_app(app, &[]).map(|()| context)
}

/// The graph without what a file does not say or says in more than one way: places, made-up names,
/// handles as text (where they lead stands beside it), and whether a value is the default.
fn essence(context: &Context) -> GraphDescription {
    let mut graph = context.describe();
    for entity in &mut graph.entities {
        if entity.is_unnamed || entity.name.starts_with("entity_") {
            (entity.is_unnamed, entity.name) = (true, String::new());
        }
        for component in &mut entity.components {
            component.place = None;
            if component.name.starts_with("component_") {
                component.name.clear();
            }
            for parameter in &mut component.parameters {
                if !parameter.targets.is_empty() {
                    parameter.value = None;
                }
            }
        }
    }
    graph
}

/// All YAML files in a folder and those below.
fn files_of(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_of(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn every_graph_is_the_same_when_loaded_again() {
    let mut files = Vec::new();
    for folder in ["apps", "tests"] {
        files_of(&Path::new(ROOT).join(folder), &mut files);
    }
    files.sort();
    let (mut same, mut described) = (0, 0);
    for file in &files {
        let name = file.display();
        // Many a test's file is wrong on purpose; and there are manifests.
        let Ok(original) = load(file) else { continue };
        let saved = original.to_yaml().unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("saved.yaml");
        std::fs::write(&copy, &saved).unwrap();
        let copy = load(&copy).unwrap_or_else(|error| panic!("{name}: {error:?}\n{saved}"));
        assert_eq!(copy.to_yaml().unwrap(), saved, "{name}");
        same += 1;
        // Subgraphs are written out, so there are fewer entities then.
        let expected = essence(&original);
        if !saved.is_empty() && expected.entities.iter().all(|one| one.interfaces.is_empty()) {
            assert_eq!(essence(&copy), expected, "{name}\n{saved}");
            described += 1;
        }
    }
    assert!(same > 40 && described > 30, "{same} and {described} of {} files", files.len());
}

#[test]
fn saved_apps_run_alike() {
    for app in APPS {
        let original: PathBuf = Path::new(ROOT).join("apps").join(app).with_extension("yaml");
        let saved = load(&original).unwrap().to_yaml().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("saved.yaml");
        std::fs::write(&copy, &saved).unwrap();
        let manifest = folder.path().join("manifest.yaml");
        std::fs::write(&manifest, manifest_of_all()).unwrap();

        let run = |app: &Path| {
            // Paths in parameters are relative to the project.
            let gxe = Gxe::in_folder(Path::new(ROOT)).args("--strict --manifest");
            gxe.arg(manifest.to_str().unwrap())
                .args("--app")
                .arg(app.to_str().unwrap())
                .run()
                .clean()
        };
        let (first, second) = (run(&original), run(&copy));
        let said = |ended: &gxe_tests::Ended| -> Vec<String> {
            let lines = ended.log().into_iter().filter(|line| !line.contains(".yaml"));
            lines.map(str::to_owned).collect()
        };
        assert!(!said(&first).is_empty(), "{app}");
        assert_eq!(said(&first), said(&second), "{app}:\n{saved}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_graphs_run_alike((graph, max_duration) in any_graph()) {
        let text = graph.to_yaml() + &Scheduler::greedy(max_duration).yaml;
        let context = Context::new();
        context.load_extension(&build::library("gxf_actor")).expect("the actors load");
        context.load_app_text("graph", &text, &[]).expect("the graph loads");
        let saved = context.to_yaml().expect("every handle of a file has a name");
        drop(context);
        let difference = difference(&engine::run_yaml(&saved), &engine::run_yaml(&text));
        prop_assert!(difference.is_none(), "{}\n{saved}", difference.unwrap_or_default());
    }
}
