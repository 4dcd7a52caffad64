//! The standard components and behaviour trees, end to end: small graphs through the real binary,
//! with real extensions. Counters in the graphs decide; `StepCount` fails at the end otherwise.
//!
//! - this file: documents of apps, and how they are run;
//! - `terms.rs`, `memory.rs`, `codelets.rs`, `behavior_trees.rs`: the components.

mod behavior_trees;
mod codelets;
mod memory;
mod terms;

use std::path::Path;
use std::process::{Command, Stdio};

const MANIFEST: &str = "extensions: [libgxf_sample.so, libgxf_test.so, libgxf_behavior_tree.so]";

/// One entity: its name and its components, one a line: `name Type key: value, key: value`.
fn entity(name: &str, components: &str) -> String {
    let mut text = format!("name: {name}\ncomponents:\n");
    for line in components.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.splitn(3, ' ');
        let (name, kind) = (words.next().unwrap(), words.next().unwrap());
        let kind = match kind.strip_prefix("gxe::") {
            Some(_) => kind.to_owned(),
            None => format!("nvidia::gxf::{kind}"),
        };
        let parameters = words.next().unwrap_or("");
        text += &format!("- {{name: {name}, type: '{kind}', parameters: {{{parameters}}}}}\n");
    }
    text + "---\n"
}

/// A greedy scheduler whose clock jumps, so that runs are exact.
fn manual() -> String {
    entity("scheduler", "clock ManualClock\n greedy GreedyScheduler clock: clock")
}

/// Sends a number of messages, one every 10 ms, stamped with the time.
fn sender(name: &str, count: u32) -> String {
    entity(
        name,
        &format!(
            "out DoubleBufferTransmitter capacity: 10
             tx PingTx signal: out, clock: scheduler/clock
             count CountSchedulingTerm count: {count}
             period PeriodicSchedulingTerm recess_period: 10ms"
        ),
    )
}

fn connections(pairs: &[(&str, &str)]) -> String {
    let lines = pairs.iter().enumerate().map(|(number, (source, target))| {
        format!("c{number} Connection source: {source}, target: {target}\n")
    });
    entity("connections", &lines.collect::<String>())
}

/// Takes whatever arrives and fails unless it was a number of messages.
fn counter(name: &str, expected: u32) -> String {
    entity(
        name,
        &format!(
            "in DoubleBufferReceiver capacity: 10
             rx test::PingPollRx signal: in, expected_counter: {expected}
             mail MessageAvailableSchedulingTerm receiver: in"
        ),
    )
}

/// How a run ended: exit status, and all it wrote.
fn run(app: &str) -> (Option<i32>, String) {
    run_at("info", app)
}

/// Like [`run`], with this log level.
fn run_at(level: &str, app: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.yaml"), app).unwrap();
    std::fs::write(folder.path().join("manifest.yaml"), MANIFEST).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_gxe"));
    let output = Command::new(binary)
        .args(["--app", "app.yaml", "--manifest", "manifest.yaml"])
        .env("GXE_EXTENSION_PATH", binary.parent().unwrap())
        .env("GXF_LOG_LEVEL", level)
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("gxe starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), text.concat())
}

#[track_caller]
fn succeeds(app: &[String]) -> String {
    let app = app.concat();
    let (status, log) = run(&app);
    assert_eq!(status, Some(0), "{app}\n{log}");
    log
}

#[track_caller]
fn fails_with(app: &[String], text: &str) {
    let (status, log) = run(&app.concat());
    assert_ne!(status, Some(0), "{log}");
    assert!(log.contains(text), "`{text}` is missing in\n{log}");
}
