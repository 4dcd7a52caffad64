//! Codelets in Python as far as they need no Python; `python/tests` has the rest.

use gxe_tests::Gxe;

const APP: &str = "\
name: ticker
components:
- name: codelet
  type: nvidia::gxf::PyCodeletV0
  parameters:
    codelet_file: ticker.py
    codelet_name: ticker
    codelet_params: {step: 3}
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {count: 1}
---
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- type: nvidia::gxf::GreedyScheduler
  parameters: {clock: clock}
";

fn with_app(line: &str) -> Gxe {
    let manifest = "extensions: [libgxf_python_codelet.so]\n";
    Gxe::alone().file("app.yaml", APP).file("manifest.yaml", manifest).args(line)
}

#[test]
fn without_python_the_error_says_where_it_was_looked_for() {
    let run = with_app("--app app.yaml --manifest manifest.yaml");
    let ended = run.env("GXE_PYTHON", "/nowhere/python3").run();
    ended.complains(
        "codelets in Python need Python, and `/nowhere/python3` (from GXE_PYTHON) cannot be",
    );
    let run = with_app("--app app.yaml --manifest manifest.yaml");
    let ended = run.env("GXE_PYTHON", "/bin/true").run();
    ended.complains("`/bin/true` (from GXE_PYTHON) does not say where its library is");
}

#[test]
fn checking_an_app_needs_no_python() {
    let run = with_app("check --app app.yaml --manifest manifest.yaml");
    let _ = run.env("GXE_PYTHON", "/nowhere/python3").run().clean();
}

#[test]
fn a_codelet_in_python_is_no_library() {
    let folder = tempfile::tempdir().expect("a folder");
    let new = |line: &str| Gxe::in_folder(folder.path()).args("new").args(line).run();
    new("extension demo --lang python")
        .complains("codelets in Python need no library of their own");
    let said = new("codelet demo --lang python").clean().stdout;
    assert!(said.contains("wrote demo.py\n"), "{said}");
    let run = Gxe::in_folder(folder.path());
    let _ = run.args("check --app demo.yaml --manifest demo_manifest.yaml").run().clean();
}
