//! A graph that is saved and loaded again is the same graph: it saves to the same text, and a run of
//! it says the same.

use gxe_tests::{Gxe, MANIFEST, build};
use gxf_runtime::Context;
use std::path::{Path, PathBuf};

/// What the apps' subgraphs are relative to.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const APPS: [&str; 11] = [
    "batch/batch",
    "hello_world/hello_world",
    "manual_clock/manual_clock",
    "ping/ping",
    "ping_topologies/fan_out_fan_in",
    "ping_topologies/many_to_many",
    "ping_topologies/many_to_one",
    "ping_topologies/multiple_one_to_one",
    "ping_topologies/one_to_many",
    "ping_topologies/one_to_one",
    "subgraphs/subgraphs",
];

/// A context with the extensions of the tests and an app.
fn loaded(app: &Path) -> Context {
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("manifest.yaml");
    std::fs::write(&manifest, MANIFEST).unwrap();
    let context = Context::new();
    context.add_extension_path(build::gxe().parent().unwrap());
    context.load_manifest(&manifest, None).unwrap();
    context.set_root_path(ROOT);
    context.load_app(app, &[]).unwrap();
    context
}

#[test]
fn saved_apps_are_the_same_apps() {
    for app in APPS {
        let original: PathBuf = Path::new(ROOT).join("apps").join(app).with_extension("yaml");
        let saved = loaded(&original).to_yaml().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("saved.yaml");
        std::fs::write(&copy, &saved).unwrap();
        assert_eq!(loaded(&copy).to_yaml().unwrap(), saved, "{app}");

        let run = |app: &Path| {
            let gxe = Gxe::alone().file("manifest.yaml", MANIFEST);
            let app = app.to_str().unwrap();
            let gxe = gxe.args("--manifest manifest.yaml --strict --graph_directory").arg(ROOT);
            gxe.arg("--app").arg(app).run().clean()
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
