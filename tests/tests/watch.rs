//! `--watch`: the effect of editing the graph's files while the graph runs.

use gxe_tests::build;
use gxe_tests::{Gxe, MANIFEST, Running};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two entities that tick for ever; `rx` logs what `a` sends.
const APP: &str = "\
name: a
components:
- {name: p, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: period, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}
---
name: b
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 3}}
- {name: rx, type: gxe::test::Probe, parameters: {receivers: [in]}}
- {name: ready, type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: a/out, target: b/in}}
---
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";

fn watched(parameters: &str) -> (Running, PathBuf) {
    let gxe = Gxe::alone()
        .file("app.yaml", APP)
        .file("parameters.yaml", parameters)
        .file("manifest.yaml", MANIFEST)
        .args("run --watch --app app.yaml,parameters.yaml --manifest manifest.yaml");
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("probe rx tick");
    (running, folder)
}

#[test]
fn a_graph_starts_again_and_survives_a_broken_edit() {
    let (mut running, folder) = watched("");
    let app = folder.join("app.yaml");
    std::fs::write(&app, APP.replace("GreedyScheduler", "NoScheduler")).unwrap();
    running.wait_for_error("gxe: change rejected; the old graph keeps running\n");
    // Loaded beside the graph that runs, which goes on.
    running.wait_for("probe rx tick");
    std::fs::write(&app, "").unwrap();
    running.wait_for("there is no entity in the app files");
    running.wait_for_error("gxe: change rejected; the old graph keeps running\n");
    running.wait_for("probe rx tick");
    std::fs::write(&app, APP.replace("name: rx", "name: other")).unwrap();
    running.wait_for("probe rx deinitialize");
    running.wait_for("probe other tick");
    running.signal("INT");
    let ended = running.end().with_status(130);
    ended.complains("app.yaml' changed\n");
    ended.complains("unknown component type `nvidia::gxf::NoScheduler`");
    assert_eq!(ended.probe("rx").iter().filter(|call| **call == "initialize").count(), 1);
    assert!(ended.probe("other").ends_with(&["stop", "deinitialize"]));
}

#[test]
fn a_dynamic_parameter_is_set_in_the_graph_that_runs() {
    let (mut running, folder) = watched("");
    std::fs::write(
        folder.join("parameters.yaml"),
        "name: b\ncomponents:\n- {name: rx, parameters: {log_time: true}}\n",
    )
    .unwrap();
    running.wait_for_error("gxe: 'b/rx/log_time' set in the running graph\n");
    running.wait_for(" at ");
    std::fs::write(folder.join("app.yaml"), format!("# a comment\n{APP}")).unwrap();
    running.wait_for_error("gxe: nothing in the graph changed\n");
    running.signal("INT");
    let ended = running.end().with_status(130);
    assert_eq!(ended.probe("rx").iter().filter(|call| **call == "initialize").count(), 1);
}

#[test]
fn another_parameter_takes_a_new_graph() {
    let (mut running, folder) = watched("");
    std::fs::write(
        folder.join("parameters.yaml"),
        "name: b\ncomponents:\n- {name: rx, parameters: {take: 1}}\n",
    )
    .unwrap();
    running.wait_for("probe rx deinitialize");
    running.wait_for("probe rx tick");
    running.signal("INT");
    let ended = running.end().with_status(130);
    ended.complains("gxe: restarting the graph\n");
    assert_eq!(ended.probe("rx").iter().filter(|call| **call == "initialize").count(), 2);
}

#[test]
fn a_stop_between_two_graphs_says_what_it_ends() {
    let app = APP.replace(
        "recess_period: 2ms}}\n",
        "recess_period: 2ms}}\n- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}\n",
    );
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
    let mut running = gxe.args("run --watch --app app.yaml --manifest manifest.yaml").spawn();
    running.wait_for_error("gxe: the graph ended; waiting for its files to change\n");
    running.signal("INT");
    let ended = running.end().with_status(130);
    ended.complains("gxe: SIGINT: ending; no graph runs; press Ctrl-C again to end at once\n");
}

/// Sets a dynamic parameter over the control socket.
fn set(folder: &Path, parameter: &str, value: &str) {
    let mut stream = UnixStream::connect(folder.join("control.sock")).unwrap();
    let request = serde_json::json!({"command": "set", "parameter": parameter, "value": value});
    writeln!(stream, "{request}").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    assert_eq!(answer, "{\"ok\":true}\n");
}

#[test]
fn what_was_set_stays_set_in_the_next_graph_unless_an_edit_says_otherwise() {
    let gxe = Gxe::alone()
        .file("app.yaml", APP)
        .file("manifest.yaml", MANIFEST)
        .args("run --watch app.yaml --manifest manifest.yaml --control control.sock");
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("probe rx tick");
    set(&folder, "b/rx/log_time", "true");
    set(&folder, "a/period/recess_period", "3ms");
    // Another parameter is not dynamic, so there is a new graph.
    let edited = APP.replace("{receivers: [in]}", "{receivers: [in], take: 1}");
    std::fs::write(folder.join("app.yaml"), &edited).unwrap();
    running.wait_for_error("gxe: 'a/period/recess_period' stays 3ms, as it was set\n");
    running.wait_for_error("gxe: 'b/rx/log_time' stays true, as it was set\n");
    running.wait_for("probe rx deinitialize");
    running.wait_for(" at ");
    // The file decides about what is edited, now and in graphs to come.
    let edited = edited.replace("2ms", "4ms");
    std::fs::write(folder.join("app.yaml"), &edited).unwrap();
    running.wait_for_error("gxe: 'a/period/recess_period' set in the running graph\n");
    std::fs::write(folder.join("app.yaml"), edited.replace("take: 1", "take: 2")).unwrap();
    running.wait_for("probe rx deinitialize");
    running.wait_for(" at ");
    running.signal("INT");
    let ended = running.end().with_status(130);
    assert_eq!(ended.stderr.matches("'b/rx/log_time' stays").count(), 2);
    assert_eq!(ended.stderr.matches("recess_period' stays").count(), 1);
    assert_eq!(ended.probe("rx").iter().filter(|call| **call == "initialize").count(), 3);
}

#[test]
fn a_graph_that_does_not_load_at_first_starts_when_it_does() {
    let gxe = Gxe::alone()
        .file("app.yaml", "name: [\n")
        .file("manifest.yaml", MANIFEST)
        .args("run --watch --app app.yaml --manifest manifest.yaml");
    let app = gxe.folder().join("app.yaml");
    let mut running = gxe.spawn();
    running.wait_for_error("gxe: waiting for the graph's files to change\n");
    std::fs::write(app, APP).unwrap();
    running.wait_for("probe rx tick");
    running.signal("INT");
    let _ = running.end().with_status(130);
}

/// Compiles the extension of `gxe new extension --lang c`, which logs a text at its end.
fn compile(folder: &Path, library: &str, text: &str) {
    let sink = folder.join("numbers/src/number_sink.c");
    let source = std::fs::read_to_string(&sink).unwrap();
    let begin = source.find("received %").expect("what the sink says");
    let begin = source[..begin].rfind('"').unwrap() + 1;
    let end = begin + source[begin..].find("received %").unwrap();
    std::fs::write(&sink, format!("{}{text}{}", &source[..begin], &source[end..])).unwrap();
    let made = Command::new("make")
        .current_dir(folder.join("numbers"))
        .args(["-s", "-B", "all", &format!("FOLDER={library}")])
        .env("GXE", build::gxe())
        .status();
    assert!(made.expect("make").success());
}

/// The file of the library is overwritten in place, as `cp` and many linkers do, while the graph
/// executes its code.
#[test]
fn a_library_that_is_built_again_is_taken_anew() {
    let gxe = Gxe::alone().file("end.txt", "");
    let folder = gxe.folder();
    let made = Gxe::in_folder(&folder).args("new extension numbers --lang c").run();
    assert_eq!(made.status, Some(0), "{}", made.stderr);
    compile(&folder, "one", "first code ");
    compile(&folder, "two", "second code ");
    let app = folder.join("numbers/apps/numbers.yaml");
    let endless = std::fs::read_to_string(&app).unwrap().replace("count: 10", "count: -1").replacen(
        "---\n",
        "- type: nvidia::gxf::PeriodicSchedulingTerm\n  parameters: {recess_period: 2ms}\n---\n",
        1,
    );
    std::fs::write(&app, endless).unwrap();
    let (library, second) =
        ["one", "two"].map(|build| folder.join(format!("numbers/{build}/libnumbers.so"))).into();
    let mut running = gxe
        .args("run --watch --app numbers/apps/numbers.yaml --manifest numbers/manifest.yaml")
        .args("--extension-path numbers/one")
        .spawn();
    running.wait_for("Running...");
    std::fs::write(&library, std::fs::read(&second).unwrap()).unwrap();
    running.wait_for("first code received");
    running.wait_for("Running...");
    // Half a library is rejected, and the graph continues.
    std::fs::write(&library, &std::fs::read(&second).unwrap()[..9000]).unwrap();
    running.wait_for_error("libnumbers.so` is not an extension library: the file is cut off");
    running.wait_for_error("gxe: change rejected; the old graph keeps running\n");
    running.signal("INT");
    let ended = running.end().with_status(130);
    assert_eq!((ended.count("first code"), ended.count("second code")), (1, 1));
}
