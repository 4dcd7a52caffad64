//! What `evil/evil.c` does, and what has to come of it.

use super::{misbehaviour, run};
use crate::{Ended, Gxe};
use std::path::Path;
use std::process::Command;

/// The functions in which the library can do something, with the clock of the app it takes.
pub const PLACES: &[&str] = &[
    "constructor",
    "factory",
    "create",
    "set_parameter",
    "check_parameters",
    "watched",
    "initialize",
    "start",
    "update_state",
    "check",
    "sync",
    "tick",
    "on_execute",
    "push",
    "stop",
    "deinitialize",
    "clear_parameters",
    "destroy",
    "destructor",
];

/// What it can do there and return from.
pub const FAILURES: &[&str] = &["fail", "fail_strangely", "fail_rudely", "fail_at_length"];

/// What it can do there to the process.
pub const DEEDS: &[&str] = &[
    "crash",
    "abort",
    "divide",
    "exit",
    "exit7",
    "overflow",
    "throw",
    "thread",
    "close_all",
    "close_output",
    "load_itself",
];

/// What it can state that is wrong.
pub const LIES: &[&str] = &[
    "magic",
    "size",
    "size_large",
    "major",
    "minor",
    "id",
    "name",
    "name_rude",
    "version",
    "no_factory",
    "layout",
    "type_count",
    "no_types",
    "null_type",
    "same_type",
    "type_size",
    "type_size_large",
    "type_id",
    "own_base",
    "no_base",
    "type_name",
    "type_name_empty",
    "type_name_rude",
    "instance_size",
    "instance_size_large",
    "alignment",
    "alignment_zero",
    "alignment_large",
    "no_create",
    "parameter_count",
    "no_parameters",
    "interface_count",
    "no_interfaces",
    "interface_null",
    "interface_twice",
    "table_size",
    "table_size_large",
    "no_tick",
    "no_check",
    "no_timestamp",
    "key",
    "key_empty",
    "key_rude",
    "key_twice",
    "parameter_size",
    "parameter_size_large",
    "element_type",
    "rank",
    "rank_large",
    "shape",
    "default_type",
    "default_rank",
    "default_data",
    "default_text",
    "default_text_null",
    "default_not_a_choice",
    "choice_count",
    "no_choices",
    "null_choice",
    "limits",
    "condition",
    "target",
    "watched",
    "message",
    "count",
    "capacity",
    "no_capacity",
    "memory",
    "block_size",
    "past",
    "future",
    "jumps",
];

/// An app that has a component of each of its types.
const APP: &str = "\
name: source
components:
- {name: out, type: 'nvidia::gxf::DoubleBufferTransmitter', parameters: {capacity: 1}}
- {name: ping, type: 'nvidia::gxf::PingTx', parameters: {signal: out}}
- {name: count, type: 'nvidia::gxf::CountSchedulingTerm', parameters: {count: 5}}
---
name: evil
components:
- {name: receiver, type: 'evil::Receiver'}
- {name: codelet, type: 'evil::Codelet', parameters: {number: 2, choice: b}}
- {name: term, type: 'evil::Term'}
- {name: memory, type: 'evil::Allocator'}
---
name: connection
components:
- {type: 'nvidia::gxf::Connection', parameters: {source: source/out, target: evil/receiver}}
---
name: scheduler
components:
- {name: clock, type: CLOCK}
- {type: 'nvidia::gxf::GreedyScheduler', parameters: {clock: clock, max_duration_ms: 500}}
";

/// A folder with the library, its app and its manifest.
///
/// # Panics
/// Without a C compiler.
#[must_use]
pub fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut command = Command::new(compiler);
    command.args(["-std=gnu11", "-shared", "-fPIC", "-fexceptions", "-o"]);
    command.arg(folder.path().join("libevil.so")).arg(source.join("evil/evil.c"));
    command.arg("-I").arg(source.join("../plugin-abi/include"));
    assert!(command.status().expect("a C compiler").success(), "evil.c compiles");
    let manifest = format!("{}- libevil.so\n", crate::MANIFEST);
    for (name, text) in [
        ("manifest.yaml", manifest),
        ("app.yaml", APP.replace("CLOCK", "'nvidia::gxf::RealtimeClock'")),
        ("clock.yaml", APP.replace("CLOCK", "'evil::Clock'")),
    ] {
        std::fs::write(folder.path().join(name), text).expect("writable");
    }
    folder
}

/// Runs the app with one evil, as `EVIL` of `evil.c` describes it.
#[must_use]
pub fn with(folder: &Path, evil: &str) -> Ended {
    let app = match evil {
        "lie past" | "lie future" | "lie jumps" | "lie no_timestamp" => "clock.yaml",
        evil if evil.starts_with("timestamp") => "clock.yaml",
        _ => "app.yaml",
    };
    let line = format!("--app {app} --manifest manifest.yaml");
    run(folder, &line, &[("EVIL", evil)])
}

/// What is wrong with the way one evil ended; none if all is right.
#[must_use]
pub fn wrong(evil: &str, ended: &Ended) -> Option<String> {
    let complaint = |what: &str| {
        let Ended { status, signal, stderr, .. } = ended;
        Some(format!("{evil}: {what}: status {status:?}, signal {signal:?}\n{stderr:.2000}\n"))
    };
    if let Some(what) = misbehaviour(ended) {
        return complaint(what);
    }
    let (place, deed) = evil.split_once(' ').unwrap_or((evil, ""));
    // A thread of the library's own is known by its name alone, and a library that is unloaded by
    // the system has no name any more.
    let is_named = ended.stderr.contains("libevil.so") || ended.stderr.contains("evil::");
    let is_named = is_named || (deed == "thread" && ended.stderr.contains("on the thread"));
    let is_named = is_named || place == "destructor" || deed.starts_with("close_");
    // The runtime of Rust says so, and catches it where the library is not known any more.
    let is_named = is_named || ended.stderr.contains("foreign exceptions");
    let failed = ended.status != Some(0);
    match deed {
        _ if failed && !is_named => complaint("nobody is named"),
        "crash" | "abort" | "divide" | "overflow" | "throw" | "thread"
            if ended.signal.is_none() =>
        {
            complaint("it should have been killed by a signal")
        }
        "exit" | "exit7" if !failed && place != "destructor" => {
            complaint("its exit passes for success")
        }
        _ if ended.signal.is_some() && (place == "lie" || FAILURES.contains(&deed)) => {
            complaint("it should have been refused")
        }
        _ => None,
    }
}

/// A library that hangs in a function: a first signal has no effect on it, the note names it, and a
/// second signal ends the program.
///
/// # Panics
/// When that is not so.
pub fn hangs(folder: &Path, place: &str) {
    let gxe = Gxe::in_folder(folder).args("--app app.yaml --manifest manifest.yaml");
    let mut running = gxe.env("EVIL", &format!("{place} hang")).spawn();
    running.wait_for_error("hanging now");
    running.signal("INT");
    running.wait_for_error("evil");
    running.signal("INT");
    let ended = running.end();
    assert_eq!(ended.status, Some(130), "{place}: {}", ended.stderr);
}
