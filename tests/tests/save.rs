//! A graph that is saved and loaded again is the same graph: it saves to the same text, and its run
//! logs the same.

use gxe_tests::differential::difference;
use gxe_tests::differential::engine::{self, Scheduler};
use gxe_tests::differential::generate::any_graph;
use gxe_tests::{Gxe, build, manifest_of_all};
use gxf_runtime::graph::describe::{ComponentDescription, ComponentPosition, EntityDescription};
use gxf_runtime::{Context, Result};
use proptest::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Folder that the apps' subgraphs are relative to.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Apps that log the same in every run.
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

/// A context with all extensions and an app from several files, if it can be loaded.
fn load(app: &[PathBuf]) -> Result<Context> {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("manifest.yaml");
    std::fs::write(&manifest, manifest_of_all()).unwrap();
    let context = Context::new();
    context.add_extension_path(build::gxe().parent().unwrap());
    context.load_manifest(&manifest, None).unwrap();
    context.set_root_path(ROOT);
    context.load_apps(app, &[]).map(|()| context)
}

/// Saves the graph, and loads the file into a new context.
fn saved_and_loaded(original: &Context, name: &str) -> (String, Context) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("saved.yaml");
    original.save(&file).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let saved = std::fs::read_to_string(&file).unwrap();
    let copy = load(&[file]).unwrap_or_else(|error| panic!("{name}: {error:?}\n{saved}"));
    (saved, copy)
}

/// Every entity, component, parameter and connection of a graph, one per line. Leaves out what a
/// file does not say or can say in several ways: places, chosen names, and entities that only refer
/// to others (those of subgraphs), which are not written.
fn essence(context: &Context) -> Vec<String> {
    let graph = context.describe();
    let leads_to_others = |entity: &EntityDescription| {
        let is_subgraph = |one: &ComponentDescription| one.type_name == "nvidia::gxf::Subgraph";
        entity.components.iter().all(is_subgraph)
            && (!entity.components.is_empty() || !entity.interfaces.is_empty())
    };
    let mut numbers = HashMap::new();
    for (position, entity) in graph.entities.iter().enumerate() {
        if !leads_to_others(entity) {
            numbers.insert(position, numbers.len());
        }
    }
    let place = |at: &ComponentPosition| format!("{}/{}", numbers[&at.entity], at.component);
    let made_up = |name: &str, kind: &str| {
        let number = name.strip_prefix(kind);
        number.is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut lines = Vec::new();
    for entity in graph.entities.iter().filter(|entity| !leads_to_others(entity)) {
        let unnamed = entity.is_unnamed || made_up(&entity.name, "entity_");
        lines.push(format!("entity {:?}", if unnamed { "" } else { &entity.name }));
        for component in &entity.components {
            let unnamed = made_up(&component.name, "component_");
            let name = if unnamed { "" } else { &component.name };
            lines.push(format!("  {} {name:?} of {}", component.type_name, component.extension));
            for parameter in &component.parameters {
                let value = if parameter.targets.is_empty() {
                    format!("{:?}", parameter.value)
                } else {
                    parameter.targets.iter().map(place).collect::<Vec<_>>().join(", ")
                };
                lines.push(format!("    {}: {value}, {}", parameter.key, parameter.is_default));
            }
        }
    }
    let connections = graph.connections.iter();
    lines
        .extend(connections.map(|one| format!("{} -> {}", place(&one.source), place(&one.target))));
    for topic in &graph.topics {
        let places = |all: &[ComponentPosition]| all.iter().map(place).collect::<Vec<_>>();
        let (from, to) = (places(&topic.transmitters), places(&topic.receivers));
        lines.push(format!("topic {:?}: {from:?} -> {to:?}", topic.name));
    }
    lines
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
    let mut same = 0;
    for file in &files {
        let name = file.display().to_string();
        // Many test files are wrong on purpose, and some are manifests.
        let Ok(original) = load(std::slice::from_ref(file)) else { continue };
        let (saved, copy) = saved_and_loaded(&original, &name);
        assert_eq!(copy.to_yaml().unwrap(), saved, "{name}");
        assert_eq!(essence(&copy), essence(&original), "{name}\n{saved}");
        same += 1;
    }
    assert!(same > 40, "{same} of {} files", files.len());
}

/// A graph with everything that a file can say: nested subgraphs with prerequisites and exports, a
/// second file that changes values, default conditions, groups, and values and names that are
/// easily misread.
#[test]
fn a_difficult_graph_is_the_same_when_loaded_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("save");
    let original = load(&["app.yaml", "parameters.yaml"].map(|file| folder.join(file))).unwrap();
    let (saved, copy) = saved_and_loaded(&original, "save/app.yaml");
    assert_eq!(copy.to_yaml().unwrap(), saved);
    assert_eq!(essence(&copy), essence(&original), "{saved}");
    let original = original.describe();
    let entity = |name: &str| original.entities.iter().find(|entity| entity.name == name);
    let value = |name: &str, component: &str, key: &str| {
        let mut components = entity(name).unwrap().components.iter();
        let component = components.find(|one| one.name == component).unwrap();
        component.parameters.iter().find(|one| one.key == key).unwrap().value.clone().unwrap()
    };
    // Checks the test itself: the difficulties are there.
    assert!(entity("outer.inner.Wörker ✓").is_some_and(|entity| entity.components.len() == 6));
    assert_eq!(value("values", "many", "double"), "-inf");
    assert_eq!(value("values", "many", "int32"), "7");
    assert!(saved.contains("EntityGroups"), "{saved}");
    let groups = |context: &Context| {
        let of = |name: &str| context.group_of(context.find_entity(name).unwrap()).unwrap().1;
        (of("values"), of("outer.inner.Wörker ✓"), of("pool"))
    };
    let expected =
        ("Gruppe: eins".to_owned(), "default_entity_group".to_owned(), "Gruppe: eins".to_owned());
    assert_eq!(groups(&copy), expected);
}

#[test]
fn saved_apps_run_alike() {
    for app in APPS {
        let original: PathBuf = Path::new(ROOT).join("apps").join(app).with_extension("yaml");
        let saved = load(std::slice::from_ref(&original)).unwrap().to_yaml().unwrap();
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
