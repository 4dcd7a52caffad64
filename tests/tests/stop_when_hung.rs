//! Ctrl-C at every stage of a graph: the run ends, or says what has not returned and for how long.

use gxe_tests::{Gxe, Running};
use std::path::Path;
use std::process::Command;

/// Stops a run that hangs: it says what keeps it, and a second signal ends the process.
#[track_caller]
fn is_told(mut running: Running, culprit: &str) {
    running.signal("INT");
    running.wait_for_error("gxe: still not stopped after 1 s\n");
    running.wait_for_error(&format!("{culprit} for "));
    running.signal("INT");
    let ended = running.end().with_status(130);
    let line = ended.stderr.lines().find(|line| line.contains(culprit)).expect("it was said");
    let lasted = line.rsplit_once("for ").and_then(|(_, time)| time.strip_suffix(" s"));
    let lasted: f64 = lasted.and_then(|time| time.parse().ok()).expect("a time in seconds");
    // A call that only just began may be about to return, so it is not reported. How long the graph
    // took to get there after the signal is unknown.
    assert!(lasted >= 0.2, "{line}");
}

/// Whoever signals a group of processes, as `timeout` and systemd do, often signals one of them twice. The
/// run ends in order, and its trace is whole.
#[test]
fn two_signals_at_once_are_one_request() {
    let text = app("GreedyScheduler", "tick").replace(", parameters: {hang_in: tick}", "");
    let gxe = Gxe::app(&text).args("--trace trace.json");
    let trace = gxe.folder().join("trace.json");
    let mut running = gxe.spawn();
    running.wait_for("probe stuck tick");
    running.signal("TERM");
    running.signal("TERM");
    let (ended, text) = running.end_with(|| std::fs::read_to_string(&trace).expect("a trace"));
    let _ = ended.with_status(143);
    serde_json::from_str::<serde_json::Value>(&text).expect("it is whole");
}

const SCHEDULERS: [&str; 3] = ["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"];

/// An entity that ticks for ever, and one that hangs.
fn app(scheduler: &str, stage: &str) -> String {
    format!(
        "\
name: other
components:
- {{name: probe, type: gxe::test::Probe}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 2ms}}}}
---
name: blocked
components:
- {{name: stuck, type: gxe::test::Probe, parameters: {{hang_in: {stage}}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 2ms}}}}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::{scheduler}, parameters: {{clock: clock}}}}
"
    )
}

#[test]
fn a_component_that_does_not_return_is_named() {
    for stage in ["initialize", "start", "tick"] {
        for scheduler in SCHEDULERS {
            let mut running = Gxe::app(&app(scheduler, stage)).spawn();
            running.wait_for(&format!("probe stuck {stage}"));
            is_told(
                running,
                &format!("component 'stuck' of entity 'blocked' has not returned from {stage}"),
            );
        }
    }
}

#[test]
fn a_component_that_hangs_while_the_graph_is_taken_down_is_named() {
    for stage in ["stop", "deinitialize"] {
        for scheduler in SCHEDULERS {
            let mut running = Gxe::app(&app(scheduler, stage)).spawn();
            running.wait_for("probe stuck tick");
            is_told(
                running,
                &format!("component 'stuck' of entity 'blocked' has not returned from {stage}"),
            );
        }
    }
}

#[test]
fn a_constructor_that_does_not_return_is_named() {
    let app = "name: e\ncomponents:\n- {name: x, type: gxe::test::Unborn}\n";
    let mut running = Gxe::app(app).spawn();
    running.wait_for("probe unborn create");
    is_told(running, "component 'gxe::test::Unborn' of entity 'e' has not returned from create");
}

#[test]
fn a_load_that_waits_for_a_pipe_ends_at_once() {
    let gxe = Gxe::alone().args("--app app.yaml");
    let pipe = gxe.folder().join("app.yaml");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let mut running = gxe.spawn();
    running.wait_for("Loading app: 'app.yaml'");
    running.signal("INT");
    let ended = running.end();
    assert!(
        ended.stderr.contains("gxe: stopped by SIGINT before the graph ran"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_library_that_does_not_return_while_it_is_opened_is_named() {
    let gxe = Gxe::alone()
        .file("hang.c", "#include <unistd.h>\n__attribute__((constructor)) static void hang(void) { for (;;) pause(); }\n")
        .file("manifest.yaml", "extensions:\n- libhang.so\n")
        .args("--app app.yaml --manifest manifest.yaml");
    compile(&gxe.folder(), "hang.c", "libhang.so");
    let mut running = gxe.env("GXF_LOG_LEVEL", "debug").spawn();
    running.wait_for("Loading manifest: 'manifest.yaml'");
    is_told(running, "libhang.so' is still being loaded");
}

fn compile(folder: &Path, source: &str, library: &str) {
    let mut compiler = Command::new("cc");
    compiler.current_dir(folder).args(["-shared", "-fPIC", source, "-o", library]);
    assert!(compiler.status().expect("a C compiler").success());
}

#[test]
fn an_activation_of_many_components_ends_after_the_one_it_is_at() {
    const PARTS: usize = 1000;
    let mut app = String::from("name: parts\ncomponents:\n");
    for number in 0..PARTS {
        app += &format!(
            "- {{name: p{number}, type: gxe::test::Part, parameters: {{initialize_takes: 20}}}}\n"
        );
    }
    let mut running = Gxe::app(&app).spawn();
    running.wait_for("probe p0 initialize");
    running.signal("INT");
    let ended = running.end().with_status(130);
    ended.complains("gxe: stopped by SIGINT before the graph ran\n");
    let count = |stage| ended.probes().iter().filter(|call| call.ends_with(stage)).count();
    let (begun, ended) = (count(" initialize"), count(" deinitialize"));
    assert!((1..PARTS).contains(&begun), "{begun} of {PARTS} were initialised");
    assert_eq!(begun, ended, "all of them are deactivated");
}

/// A graph ends with the first signal, whatever it is doing.
#[test]
fn a_signal_at_any_moment_ends_a_graph_that_does_not_hang() {
    for delay in [0, 2, 5, 10, 20, 50, 100] {
        for scheduler in SCHEDULERS {
            let mut running = Gxe::app(&app(scheduler, "never")).spawn();
            // It may be loading, initialising, starting or running.
            std::thread::sleep(std::time::Duration::from_millis(delay));
            // Not INT, which a program started in the background initially ignores.
            running.signal("TERM");
            let ended = running.end();
            // Before the program handles signals, the system ends it.
            assert!(matches!(ended.status, Some(143) | None), "{delay} ms: {ended:?}");
            let calls = ended.probe("stuck");
            let count = |stage| calls.iter().filter(|call| **call == stage).count();
            assert_eq!(count("initialize"), count("deinitialize"), "{delay} ms: {ended:?}");
            assert_eq!(count("start"), count("stop"), "{delay} ms: {ended:?}");
        }
    }
}
