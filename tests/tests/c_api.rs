//! GXF's C API inside `gxe`: functions that an extension calls from its tick.

use gxe_tests::{Ended, Gxe, SCHEDULER};
use std::path::Path;
use std::process::Command;

/// A folder with a graph whose codelet of type `test::Caller` ticks some times; see
/// `c_api/caller.c`.
fn folder(ticks: i32, option: &str) -> tempfile::TempDir {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder");
    let app = format!(
        "name: caller
components:
- {{name: caller, type: test::Caller}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
{SCHEDULER}"
    );
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text);
    write("app.yaml", &app).expect("writable");
    write("manifest.yaml", "extensions: [libcaller.so]\n").expect("writable");
    write("more.yaml", "extensions: [libgxf_sample.so]\n").expect("writable");
    let library = folder.path().join("libcaller.so");
    let compiled = Command::new("cc")
        .args([option, "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"])
        .args(["-fvisibility=hidden", "-I"])
        .arg(sources.join("../plugin-abi/include"))
        .arg(sources.join("c_api/caller.c"))
        .arg("-o")
        .arg(&library)
        .output()
        .expect("a C compiler");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    folder
}

const RUN: &str = "--app app.yaml --manifest manifest.yaml";

fn caller() -> (Ended, String) {
    let folder = folder(9, "-DREAD");
    let ended = Gxe::in_folder(folder.path()).args(RUN).run();
    let redirected = std::fs::read_to_string(folder.path().join("redirected.txt"));
    (ended, redirected.expect("the file the codelet opened"))
}

#[test]
fn an_extension_changes_the_log_of_gxe() {
    let (ended, redirected) = caller();
    for said in [
        "GxfSetSeverity: GXF_SUCCESS",
        "after: debug: GXF_SUCCESS",
        "GxfGetSeverity: GXF_SUCCESS",
        "is debug: GXF_SUCCESS",
        "wrong: GXF_INVALID_ENUM",
        "back: GXF_SUCCESS",
    ] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
    for silent in ["before: debug", "quiet: warning", "redirected"] {
        assert!(!ended.stdout.contains(silent), "{silent}: {}", ended.stdout);
    }
    assert!(ended.stderr.contains("quiet: error"), "{}", ended.stderr);
    assert!(!ended.stderr.contains("redirected"), "{}", ended.stderr);
    let lines: Vec<_> = redirected.lines().collect();
    assert_eq!(lines.len(), 3, "{redirected}");
    assert!(lines[0].ends_with("GxfRedirectLog: GXF_SUCCESS"), "{redirected}");
    assert!(lines[1].contains(" ERROR "), "{redirected}");
    assert!(lines[1].ends_with("redirected: error: GXF_SUCCESS"), "{redirected}");
    assert!(lines[2].ends_with("still redirected: GXF_SUCCESS"), "{redirected}");
}

#[test]
fn a_codelet_loads_extensions_and_cannot_wait_for_itself() {
    let (ended, _) = caller();
    assert_eq!(ended.status, Some(0), "{}{}", ended.stdout, ended.stderr);
    for said in [
        "unknown: GXF_FACTORY_UNKNOWN_CLASS_NAME",
        "GxfLoadExtensionManifest: GXF_SUCCESS",
        "known: GXF_SUCCESS",
        "GxfGraphWait: GXF_INVALID_EXECUTION_SEQUENCE",
        "GxfGraphRun: GXF_INVALID_EXECUTION_SEQUENCE",
        "GxfGraphDeactivate: GXF_INVALID_EXECUTION_SEQUENCE",
        // It belongs to gxe.
        "GxfContextDestroy: GXF_CONTEXT_INVALID",
        "GxfGraphInterrupt: GXF_SUCCESS",
    ] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
}

#[test]
fn a_log_that_nobody_reads_does_not_delay_a_stop() {
    let folder = folder(-1, "-DUNREAD");
    let mut running = Gxe::in_folder(folder.path()).args(RUN).spawn();
    running.wait_for_error("the log is redirected");
    running.signal("TERM");
    _ = running.end().with_status(143);
}
