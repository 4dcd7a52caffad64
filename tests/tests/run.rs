//! How users start and stop runs: files, flags, parameters, signals, exit statuses.

use gxe_tests::graphs::{connect, receiver, sender};
use gxe_tests::{Gxe, MANIFEST, SCHEDULER};
use std::os::unix::ffi::OsStrExt;
use std::time::Duration;

/// A probe that ticks `count` times.
fn counted(name: &str, count: i64) -> String {
    format!(
        "---\nname: {name}\ncomponents:\n- {{name: {name}, type: gxe::test::Probe}}\n\
         - {{name: count, type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}\n"
    )
}

/// A probe that ticks for ever in real time.
const ENDLESS: &str = "\
name: a
components:
- {name: p, type: gxe::test::Probe}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1ms}}
---
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";

/// `gxe … | head`: the codelet that prints, the statistics and the log all end in the same way.
#[test]
fn a_reader_that_goes_away_ends_the_run_quietly() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for options in ["--severity none", "--severity none --statistics", "--severity debug"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = std::process::Command::new(gxe_tests::build::gxe());
        command.current_dir(&root).args(["--app", "apps/access_log/access_log.yaml"]);
        command.args(["--manifest", "manifests/access_log.yaml"]).args(options.split(' '));
        let ended = command.stdout(writer).output().unwrap();
        let complaint = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), &*complaint), (Some(141), ""), "{options}");
    }
}

#[test]
fn each_kind_of_failure_has_its_exit_status() {
    let tick_fails = "--param a/a/fail_in=tick";
    let no_run = "--param a/a/fail_in=initialize";
    for (arguments, status) in [
        ("", 0),
        ("--nonsense", 2),
        ("--severity loud", 2),
        ("--param a=1", 2),
        ("--app nowhere.yaml", 3),
        ("--manifest nowhere.yaml", 3),
        ("--param a/count/count=x", 3),
        (no_run, 4),
        (tick_fails, 5),
    ] {
        let ended = Gxe::scheduled(&counted("a", 1)).args(arguments).run();
        assert_eq!(ended.status, Some(status), "{arguments}\n{}", ended.stderr);
        assert_eq!(ended.stderr.is_empty(), status == 0, "{arguments}: {}", ended.stderr);
    }
}

#[test]
fn signals_stop_the_graph_take_it_down_and_tell_what_ran() {
    for (signal, status) in [("INT", 130), ("TERM", 143)] {
        let mut gxe = Gxe::app(ENDLESS).spawn();
        gxe.wait_for("probe p tick");
        gxe.signal(signal);
        let ended = gxe.end().with_status(status);
        let probe = ended.probe("p");
        assert_eq!(probe[probe.len() - 2..], ["stop", "deinitialize"], "{signal}");
        let notes = ended.notes();
        let [first, last] = notes[..] else { panic!("{notes:?}") };
        assert!(first.starts_with(&format!("gxe: SIG{signal}: stopping the graph; ")), "{first}");
        assert!(last.starts_with(&format!("gxe: stopped by SIG{signal}: ")), "{last}");
        assert!(last.contains(" in 1 entity, "), "{last}");
        assert!(ended.stdout.contains(": What ran:\n  entity  "), "{}", ended.stdout);
        let row = ended.stdout.lines().find(|line| line.starts_with("  a "));
        assert!(row.is_some_and(|row| row.contains("idle")), "{}", ended.stdout);
        assert!(ended.stdout.ends_with(": Context destroyed.\n"), "{}", ended.stdout);
    }
}

/// Two entities, of which the second waits for more messages than come, under a scheduler.
fn ping(probe: &str, scheduler: &str) -> String {
    format!(
        "\
name: source
components:
- {{name: tx, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::PingTx, parameters: {{signal: tx}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: tx}}}}
---
name: sink
components:
- {{name: rx, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: p, type: gxe::test::Probe, parameters: {{receivers: [rx]{probe}}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: rx}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/tx, target: sink/rx}}}}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: {scheduler}, parameters: {{clock: clock}}}}
"
    )
}

/// Its terms do not end the sink: it is stopped with the run.
#[test]
fn a_failure_in_stop_at_the_end_fails_the_run() {
    for scheduler in [
        "nvidia::gxf::GreedyScheduler",
        "nvidia::gxf::MultiThreadScheduler",
        "nvidia::gxf::EventBasedScheduler",
        "gxe::ActorScheduler",
    ] {
        let ended = Gxe::app(&ping(", fail_in: stop", scheduler)).run().with_status(5);
        ended.complains("entity `sink`, component `p` of type gxe::test::Probe");
        ended.complains("stop failed with GXF_OUT_OF_MEMORY");
    }
}

#[test]
fn entities_that_ran_are_stopped_and_not_unstarted() {
    for scheduler in ["nvidia::gxf::MultiThreadScheduler", "gxe::ActorScheduler"] {
        let gxe = Gxe::app(&ping("", scheduler)).args("--statistics=run.json");
        let file = gxe.folder().join("run.json");
        let (ended, text) =
            gxe.spawn().end_with(|| std::fs::read_to_string(file).expect("statistics"));
        _ = ended.with_status(0);
        let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let entities = statistics["entities"].as_array().expect("entities");
        let states: Vec<_> = entities.iter().map(|one| one["state"].as_str()).collect();
        assert_eq!(states, [Some("stopped"); 2], "{scheduler}");
    }
}

#[test]
fn an_idle_graph_is_stopped_too() {
    // Only the signal wakes these schedulers: one waits for nothing, one for a day.
    for term in [
        "{type: nvidia::gxf::test::WaitSchedulingTerm}",
        "{type: nvidia::gxf::test::PeriodicSchedulingTermWithDelay, \
         parameters: {recess_period: 86400s}}",
    ] {
        let app = format!(
            "\
name: a
components:
- {{name: p, type: gxe::test::Probe}}
- {term}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock, stop_on_deadlock: false}}}}
"
        );
        let mut gxe = Gxe::app(&app).spawn();
        gxe.wait_for("probe p start");
        gxe.signal("INT");
        let ended = gxe.end().with_status(130);
        assert_eq!(ended.probe("p"), ["initialize", "start", "stop", "deinitialize"]);
    }
}

#[test]
fn a_clock_that_almost_stands_still_can_be_stopped() {
    for scheduler in ["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"] {
        let app = format!(
            "\
name: a
components:
- {{name: p, type: gxe::test::Probe}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 1ms}}}}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock, parameters: {{initial_time_scale: 1e-15}}}}
- {{type: nvidia::gxf::{scheduler}, parameters: {{clock: clock}}}}
"
        );
        let mut gxe = Gxe::app(&app).spawn();
        gxe.wait_for("probe p tick");
        gxe.signal("TERM");
        let ended = gxe.end().with_status(143);
        assert_eq!(ended.count("probe p tick"), 1, "{scheduler}: {}", ended.stdout);
    }
}

#[test]
fn a_clock_begins_within_its_limits() {
    for time in ["1e10", ".inf", ".nan", "-1e300"] {
        let clock = "{name: clock, type: nvidia::gxf::RealtimeClock, parameters: \
                     {initial_time_offset: TIME}}";
        let clock = clock.replace("TIME", time);
        let app = format!(
            "components:\n- {clock}\n- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}\n"
        );
        for command in ["run", "check"] {
            let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
            let ended = gxe.args(&format!("{command} app.yaml")).run().with_status(4);
            let text = "`initial_time_offset` must be from -4611686018 s to 4611686018 s, not ";
            assert!((ended.stdout + &ended.stderr).contains(text), "{command} {time}");
        }
    }
}

#[test]
fn a_second_signal_ends_at_once() {
    for (second, status) in [("INT", 130), ("TERM", 143)] {
        let mut gxe = Gxe::app(ENDLESS).args("--param a/p/hang_in=stop").spawn();
        gxe.wait_for("probe p tick");
        gxe.signal("INT");
        gxe.wait_for("probe p stop");
        // Before that, it would be the same request.
        std::thread::sleep(Duration::from_millis(200));
        gxe.signal(second);
        let ended = gxe.end().with_status(status);
        assert!(!ended.probe("p").contains(&"deinitialize"), "{}", ended.stdout);
    }
}

#[test]
fn a_codelet_that_interrupts_the_graph_is_no_failure() {
    let ended = Gxe::app(&format!(
        "{ENDLESS}---\nname: tx\ncomponents:\n\
         - {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
         - {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 1ms}}}}\n\
         - type: nvidia::gxf::PingTx\n  \
           parameters: {{signal: out, trigger_interrupt_after_ms: 5}}\n"
    ))
    .run()
    .clean();
    let probe = ended.probe("p");
    assert_eq!(probe[probe.len() - 2..], ["stop", "deinitialize"]);
}

#[test]
fn app_files_add_up_and_later_values_replace_earlier_ones() {
    let parameters = "name: a\ncomponents:\n- name: count\n  parameters: {count: 3}\n";
    let run = |arguments: &str| {
        let gxe = Gxe::alone()
            .file("a.yaml", &counted("a", 1))
            .file("b.yaml", &counted("b", 1))
            .file("scheduler.yaml", SCHEDULER)
            .file("parameters.yaml", parameters)
            .file("manifest.yaml", MANIFEST);
        let ended = gxe.args("--manifest manifest.yaml").args(arguments).run().clean();
        (ended.ticks("a").len(), ended.ticks("b").len())
    };
    assert_eq!(run("--app a.yaml,b.yaml,scheduler.yaml"), (1, 1));
    assert_eq!(run("--app a.yaml,scheduler.yaml --app parameters.yaml"), (3, 0));
    let both = "--app a.yaml,b.yaml,scheduler.yaml,parameters.yaml";
    assert_eq!(run(both), (3, 1));
    // The command line wins, whichever file the component is in.
    assert_eq!(run(&format!("{both} --param a/count/count=5 --param b/count/count=2")), (5, 2));
}

#[test]
fn a_handle_left_open_is_filled_by_a_later_file() {
    let gxe = Gxe::scheduled(
        "\
name: a
components:
- {name: p, type: gxe::test::Probe, parameters: {transmitters: [out], clock: <Unspecified>}}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: ready, type: nvidia::gxf::DownstreamReceptiveSchedulingTerm,
   parameters: {transmitter: <Unspecified>}}
",
    );
    let later = "name: a\ncomponents:\n- {name: ready, parameters: {transmitter: out}}\n";
    let ended = gxe.file("later.yaml", later).args("--app later.yaml").run().clean();
    // The transmitter has no receivers, so the term says NEVER once it knows.
    assert_eq!(ended.probe("p"), ["initialize", "start", "stop", "deinitialize"]);
}

#[test]
fn an_override_names_a_component_by_name_or_type() {
    let run = |overrides: &str| {
        let ended = Gxe::scheduled(&counted("a", 1)).args(overrides).run().clean();
        ended.ticks("a").len()
    };
    assert_eq!(run("--param=a/count/count=2"), 2);
    assert_eq!(run("--param a/nvidia::gxf::CountSchedulingTerm/count=4"), 4);
}

#[test]
fn gxfs_spellings_of_the_flags_work() {
    let run = |arguments: &str| {
        let gxe = Gxe::alone()
            .file("graphs/a.yaml", &format!("{}{SCHEDULER}", counted("a", 2)))
            .file("manifest.yaml", MANIFEST);
        gxe.args(arguments).run().clean()
    };
    assert_eq!(run("-app graphs/a.yaml -manifest manifest.yaml").ticks("a").len(), 2);
    assert_eq!(run("-app=graphs/a.yaml -manifest=manifest.yaml").ticks("a").len(), 2);
    let ended = run("-app a.yaml -graph_directory graphs/ -manifest manifest.yaml -run=false");
    assert_eq!(ended.probe("a"), ["initialize", "deinitialize"]);
    let ended = run("--app=a.yaml --graph-directory=graphs --manifest=manifest.yaml --severity=1");
    assert_eq!(ended.stdout, "");
}

#[test]
fn severity_decides_what_is_logged() {
    let app = "\
components:
- type: nvidia::gxf::test::TestLogger
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
";
    let seen = |flag: &str, variable: &str| {
        let gxe = Gxe::scheduled(app).args(flag).env("GXF_LOG_LEVEL", variable);
        let ended = gxe.run().with_status(0);
        let all = format!("{}{}", ended.stdout, ended.stderr);
        ["verbose", "debug", "info", "warning", "error"]
            .into_iter()
            .filter(|level| all.contains(&format!("test message at severity {level}")))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(seen("--severity 5", ""), "verbose debug info warning error");
    assert_eq!(seen("--severity debug", ""), "debug info warning error");
    assert_eq!(seen("", ""), "info warning error");
    assert_eq!(seen("", "WARNING"), "warning error");
    assert_eq!(seen("-severity 1", "verbose"), "error");
    assert_eq!(seen("--severity=0", ""), "");
}

#[test]
fn the_log_goes_to_a_file_if_it_is_to() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gxe.log");
    let gxe = Gxe::scheduled(&counted("a", 1)).args("--log_file_path").arg(file.to_str().unwrap());
    assert_eq!(gxe.run().clean().stdout, "");
    let log = std::fs::read_to_string(file).unwrap();
    assert!(log.contains("probe a tick"), "{log}");
}

#[test]
fn subgraphs_nest_with_what_is_handed_in_and_what_they_export() {
    let pipeline = "\
---
name: pipeline
components:
- name: graph
  type: nvidia::gxf::Subgraph
  parameters:
    location: pipeline.yaml
    prerequisites: {clock: scheduler/clock}
- name: probe
  parameters: {log_time: true}
";
    let pairs = connect(&[("tx/out", "pipeline/input"), ("pipeline/output", "rx/in")]);
    let app = [&sender("tx", 2), pipeline, &receiver("rx", 1), &pairs].concat();
    let gxe = Gxe::scheduled(&app)
        .file(
            "pipeline.yaml",
            "\
prerequisites: [clock]
interfaces:
- {name: input, target: first/input}
- {name: output, target: second/output}
- {name: probe, target: second/probe}
---
name: first
components:
- name: graph
  type: nvidia::gxf::Subgraph
  parameters: {location: stage.yaml, prerequisites: {clock: prerequisites/clock}}
---
name: second
components:
- name: graph
  type: nvidia::gxf::Subgraph
  parameters: {location: stage.yaml, prerequisites: {clock: prerequisites/clock}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: first/output, target: second/input}}
",
        )
        .file(
            "stage.yaml",
            "\
prerequisites: [clock]
interfaces:
- {name: input, target: worker/in}
- {name: output, target: worker/out}
- {name: probe, target: worker/stage}
---
name: worker
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- name: stage
  type: gxe::test::Probe
  parameters:
    receivers: [in]
    transmitters: [out]
    clock: prerequisites/clock
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: worker/in}}
",
        );
    let ended = gxe.args("--param pipeline.first.worker/stage/first_sleep=5").run().clean();
    assert_eq!(ended.ticks("rx").len(), 2);
    let stages: Vec<_> =
        ended.probe("stage").into_iter().filter(|call| call.starts_with("tick")).collect();
    // Only the second logs its time, as the outer file says; the first slept on the clock it got
    // from outside, as the command line says.
    assert_eq!(stages, ["tick 0", "tick 0 at 0", "tick 1", "tick 1 at 5"]);
}

#[test]
fn every_type_of_parameter_arrives_as_written() {
    let ended = Gxe::scheduled(
        "\
name: holder
components:
- {name: pool, type: nvidia::gxf::test::MockAllocator}
- type: nvidia::gxf::test::TestGxfParameterSetFromYamlNode
  parameters:
    bool: yes
    int8: -128
    int16: 0x7fff
    int32: -2147483648
    int64: 9223372036854775807
    uint8: 255
    uint16: 65535
    uint32: 4294967295
    uint64: 18446744073709551615
    float: 1.5
    double: -2.5e-3
    string: 'some: text'
    handle: pool
    vector_bool: [true, false]
    vector_int8: [-1, 2]
    vector_int16: [3]
    vector_int32: []
    vector_int64: [4, -5]
    vector_uint8: [6]
    vector_uint16: [7]
    vector_uint32: [8]
    vector_uint64: [9]
    vector_float: [0.5]
    vector_double: [.inf, 1]
    vector_handle: [pool, holder/pool]
    vector_string: [a, 'b c']
    vector_2d_bool: [[true], [false]]
    vector_2d_int8: [[1, 2], [3]]
    vector_2d_int16: [[4]]
    vector_2d_int32: [[5], []]
    vector_2d_int64: [[6]]
    vector_2d_uint8: [[7]]
    vector_2d_uint16: [[8]]
    vector_2d_uint32: [[9]]
    vector_2d_uint64: [[10]]
    vector_2d_float: [[1.25]]
    vector_2d_double: [[2.5, 3.5]]
    vector_2d_string: [[x], [y, z]]
    complex64: 1+2j
    complex128: -0.5-1.5j
",
    )
    .args("--severity debug")
    .run()
    .clean();
    let values: Vec<_> = ended
        .log()
        .into_iter()
        .filter(|text| !text.contains("handle"))
        .filter_map(|text| text.split_once(" = "))
        .collect();
    let value = |name: &str| {
        let found = values.iter().find(|(key, _)| *key == name);
        found.unwrap_or_else(|| panic!("{name} is not in {values:?}")).1
    };
    for (name, expected) in [
        ("bool", "true"),
        ("int8", "-128"),
        ("int16", "32767"),
        ("int32", "-2147483648"),
        ("int64", "9223372036854775807"),
        ("uint8", "255"),
        ("uint16", "65535"),
        ("uint32", "4294967295"),
        ("uint64", "18446744073709551615"),
        ("float", "1.5"),
        ("double", "-0.0025"),
        ("string", "\"some: text\""),
        ("vector_bool", "[true, false]"),
        ("vector_int8", "[-1, 2]"),
        ("vector_int16", "[3]"),
        ("vector_int32", "[]"),
        ("vector_int64", "[4, -5]"),
        ("vector_uint8", "[6]"),
        ("vector_uint16", "[7]"),
        ("vector_uint32", "[8]"),
        ("vector_uint64", "[9]"),
        ("vector_float", "[0.5]"),
        ("vector_double", "[inf, 1.0]"),
        ("vector_string", "[\"a\", \"b c\"]"),
        ("vector_2d_bool", "[[true], [false]]"),
        ("vector_2d_int8", "[[1, 2], [3]]"),
        ("vector_2d_int16", "[[4]]"),
        ("vector_2d_int32", "[[5], []]"),
        ("vector_2d_int64", "[[6]]"),
        ("vector_2d_uint8", "[[7]]"),
        ("vector_2d_uint16", "[[8]]"),
        ("vector_2d_uint32", "[[9]]"),
        ("vector_2d_uint64", "[[10]]"),
        ("vector_2d_float", "[[1.25]]"),
        ("vector_2d_double", "[[2.5, 3.5]]"),
        ("vector_2d_string", "[[\"x\"], [\"y\", \"z\"]]"),
    ] {
        assert_eq!(value(name), expected, "{name}");
    }
    for (name, parts) in [("complex64", ["1.0", "2.0"]), ("complex128", ["-0.5", "-1.5"])] {
        assert!(parts.iter().all(|part| value(name).contains(part)), "{name}: {}", value(name));
    }
}

/// An app that says hello twice.
fn hello() -> String {
    let hello = "name: a\ncomponents:\n- {type: nvidia::gxf::HelloWorld}\n\
                 - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}\n";
    format!("{hello}{SCHEDULER}")
}

#[test]
fn an_app_runs_by_its_name_alone() {
    let manifest = "extensions: [libgxf_sample.so]\n";
    let greets = |gxe: Gxe, words: &str| {
        let ended = gxe.args(words).run().clean();
        assert_eq!(ended.count("Hello world"), 2, "{words}: {}", ended.stdout);
    };
    for name in ["manifest.yaml", "greet_manifest.yaml", "greet.manifest.yaml"] {
        greets(Gxe::alone().file("greet.yaml", &hello()).file(name, manifest), "greet.yaml");
    }
    let whole = format!("{manifest}---\n{}", hello());
    greets(Gxe::alone().file("whole.yaml", &whole), "whole.yaml");
    greets(Gxe::alone().file("whole.yaml", &whole), "run whole.yaml");
    let name = std::ffi::OsStr::from_bytes(b"p\xff.yaml");
    let odd = tempfile::tempdir().expect("a folder");
    std::fs::write(odd.path().join(name), hello()).expect("writable");
    std::fs::write(odd.path().join("manifest.yaml"), manifest).expect("writable");
    let mut command = std::process::Command::new(gxe_tests::build::gxe());
    command.arg(name).current_dir(odd.path());
    let output = command.output().expect("gxe runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The installed manifest of the app's name.
    greets(Gxe::alone().file("hello_world.yaml", &hello()), "hello_world.yaml");
    greets(Gxe::alone().file("other.yaml", &hello()), "--app other.yaml --manifest hello_world");
    let checked = Gxe::alone().file("whole.yaml", &whole).args("check whole.yaml").run().clean();
    assert_eq!(checked.stdout, "nothing found\n");
}

#[test]
fn files_of_parameters_are_below_the_app_root() {
    let app = std::fs::read_to_string(
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/access_log/access_log.yaml"),
    );
    let app = app.expect("the app");
    let (_, path) = app.split_once("path: ").expect("a file as a parameter");
    let path = path.lines().next().expect("a path");
    let log = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    let log = std::fs::read_to_string(log).expect("the log");
    let gxe = Gxe::alone()
        .file("below/app.yaml", &app.replace(path, "logs/access.log"))
        .file("below/manifest.yaml", "extensions: [libgxf_access_log.so]\n")
        .file("below/logs/access.log", &log);
    let ended = gxe.args("app.yaml --app-root below").run().clean();
    assert!(ended.stdout.contains("window (UTC)"), "{}", ended.stdout);
}

#[test]
fn files_without_a_flag_are_lists_too() {
    let hello = hello();
    let (entity, _) = hello.split_at(hello.len() - SCHEDULER.len());
    let gxe = Gxe::alone().file("entity.yaml", entity).file("scheduler.yaml", SCHEDULER);
    let gxe = gxe.file("manifest.yaml", "extensions: [libgxf_sample.so]\n");
    let ended = gxe.args("entity.yaml,scheduler.yaml").run().clean();
    assert_eq!(ended.count("Hello world"), 2, "{}", ended.stdout);
}

#[test]
fn each_line_of_a_json_log_is_an_object() {
    let gxe = Gxe::app(&hello()).args("--log-format json --severity debug");
    let ended = gxe.run().with_status(0);
    let lines: Vec<serde_json::Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect();
    let hello = lines.iter().find(|line| line["message"] == "Hello world").expect("the line");
    assert_eq!(hello["level"], "info");
    assert!(hello["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{hello}");
    assert!(hello["file"].as_str().is_some_and(|file| file.ends_with(".rs")), "{hello}");
    assert!(lines.iter().any(|line| line["level"] == "debug"));
}
