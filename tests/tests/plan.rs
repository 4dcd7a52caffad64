//! `gxe plan`, and what a user reads about plans that were edited. Each file of `tests/plan` says
//! how it is used, and has the complete output and the exit status beside it.

use gxe_tests::Gxe;
use std::path::Path;

#[test]
fn every_plan_is_explained_as_written_down() {
    gxe_tests::cases::run_all("plan", "gxe");
}

/// A plan that is written, given back and checked stays what it is; its page has all of it.
#[test]
fn a_plan_goes_out_and_comes_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plan");
    let output = tempfile::tempdir().expect("a folder");
    let file = |name: &str| output.path().join(name).display().to_string();
    let gxe = |line: &str| {
        let line = format!("plan --app graph/app.yaml --manifest manifest.yaml {line}");
        Gxe::in_folder(&folder).args(&line).run().with_status(0)
    };
    _ = gxe(&format!("--threads 3 -o {}", file("plan.json")));
    let again = gxe(&format!("--check {}", file("plan.json")));
    let written = std::fs::read_to_string(file("plan.json")).expect("a plan");
    assert_eq!(again.stdout, written);
    _ = gxe(&format!("--check {} -o {}", file("plan.json"), file("plan.html")));
    let page = std::fs::read_to_string(file("plan.html")).expect("a page");
    for wanted in ["<svg", "stream 2", "camera/image", "screen/image (5)", "2 of unknown size"] {
        assert!(page.contains(wanted), "{wanted} in {page}");
    }
}
