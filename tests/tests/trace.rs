//! Traces: `gxe --trace`, the flight recorder, and recording that starts and ends during a run.

use gxe_tests::build;
use gxe_tests::graphs::EVERY_SECOND;
use gxe_tests::trace::Trace;
use gxe_tests::{Gxe, PATIENCE};
use gxf_runtime::{Context, TraceOptions};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

fn read(path: &Path) -> Trace {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Trace::read(&text)
}

#[test]
fn a_trace_holds_every_tick_wait_and_message() {
    let gxe = Gxe::scheduled(EVERY_SECOND).args("--trace run.json");
    let file = gxe.folder().join("run.json");
    let (ended, trace) = gxe.spawn().end_with(|| read(&file));
    let ended = ended.clean();
    assert_eq!(ended.count("Trace written to 'run.json'; open it at ui.perfetto.dev"), 1);
    assert_eq!(trace.slices("tx", "tick").len(), 5);
    assert_eq!(trace.slices("rx", "tick").len(), 5);
    assert_eq!(trace.slices("tx", "waits for second").len(), 4);
    assert_eq!(trace.slices("tx", "ended by five").len(), 1);
    assert_eq!(trace.slices("rx", "waits for mail").len(), 5, "the last until the end");
    for codelet in ["first", "second"] {
        assert_eq!(trace.slices("rx", codelet).len(), 5);
    }
    assert_eq!(trace.slices("tx", "send").len(), 0, "a single codelet is the tick");
    assert_eq!((trace.arrows("tx", "rx"), trace.arrows.len()), (10, 10));
    let depths = &trace.queues["rx/in"];
    // Rises with each message, and falls with the tick that takes them.
    assert_eq!(depths[..], [[1, 2, 0]; 5].concat(), "{depths:?}");
    let thread = &trace.threads["gxe-greedy"];
    let names: Vec<_> = thread.iter().map(|slice| slice.name.as_str()).collect();
    assert_eq!(names, ["tx", "rx"].repeat(5));
    assert_eq!(trace.lost, 0);
}

/// A source, `width` parallel stages, and a sink, with two workers.
fn diamond(width: usize, messages: u32) -> String {
    let receiver = |capacity: usize| {
        format!(
            "- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: \
             {capacity}}}}}\n- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: \
             {{receiver: in}}}}\n"
        )
    };
    let transmitter = "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
                       - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: \
                       {transmitter: out, min_size: 1}}\n";
    let connect = |from: &str, to: &str| {
        format!(
            "---\ncomponents:\n- {{type: nvidia::gxf::Connection, parameters: {{source: {from}/out, \
             target: {to}/in}}}}\n"
        )
    };
    let probe = |parameters: &str| {
        format!("- {{name: p, type: gxe::test::Probe, parameters: {{{parameters}}}}}\n")
    };
    let mut app = format!("name: source\ncomponents:\n{transmitter}")
        + &format!(
            "- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {messages}}}}}\n"
        )
        + &probe("transmitters: [out], publish: 1");
    for number in 0..width {
        let name = format!("stage{number}");
        app += &format!("---\nname: {name}\ncomponents:\n{}{transmitter}", receiver(2));
        app += &probe("receivers: [in], take: 1, transmitters: [out], publish: 1");
        app += &connect("source", &name);
        app += &connect(&name, "sink");
    }
    app += &format!("---\nname: sink\ncomponents:\n{}", receiver(4 * width));
    app += &probe("receivers: [in]");
    app + "---\ncomponents:\n- {name: clock, type: nvidia::gxf::RealtimeClock}\n- type: \
           nvidia::gxf::EventBasedScheduler\n  parameters: {clock: clock, worker_thread_number: 2}\n"
}

#[test]
fn arrows_are_complete_when_messages_cross_threads() {
    let gxe = Gxe::app(&diamond(3, 200)).args("--severity 1 --trace run.json");
    let file = gxe.folder().join("run.json");
    let (ended, trace) = gxe.spawn().end_with(|| read(&file));
    let _ = ended.clean();
    for stage in ["stage0", "stage1", "stage2"] {
        assert_eq!(trace.slices(stage, "tick").len(), 200);
        assert_eq!(trace.arrows("source", stage), 200);
        assert_eq!(trace.arrows(stage, "sink"), 200);
    }
    assert_eq!(trace.arrows.len(), 1200);
    let on_threads: usize = trace.threads.values().map(Vec::len).sum();
    let ticks: usize = ["source", "stage0", "stage1", "stage2", "sink"]
        .iter()
        .map(|entity| trace.slices(entity, "tick").len())
        .sum();
    assert_eq!(on_threads, ticks, "every tick is also on the track of its thread");
}

#[test]
fn perfetto_reads_the_same_numbers() {
    let gxe = Gxe::scheduled(EVERY_SECOND).args("--trace run.json");
    let file = gxe.folder().join("run.json");
    let (ended, answers) = gxe.spawn().end_with(|| {
        gxe_tests::perfetto::ask(
            &file,
            &[
                "select name, count(*) from slice group by name order by name",
                "select source_thread.name, target_thread.name, count(*) from flow
                 join slice as source on source.id = flow.slice_out
                 join slice as target on target.id = flow.slice_in
                 join thread_track as source_track on source_track.id = source.track_id
                 join thread_track as target_track on target_track.id = target.track_id
                 join thread as source_thread on source_thread.utid = source_track.utid
                 join thread as target_thread on target_thread.utid = target_track.utid
                 group by 1, 2",
                "select track.name, count(*), max(value) from counter
                 join counter_track as track on track.id = counter.track_id group by 1",
                "select name, value from stats where severity = 'error' and value > 0",
            ],
        )
    });
    let _ = ended.clean();
    let Some(answers) = answers else { return };
    let rows = |rows: &[&[&str]]| -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|&cell| cell.to_owned()).collect()).collect()
    };
    assert_eq!(
        answers,
        [
            rows(&[
                &["ended by five", "1"],
                &["first", "5"],
                &["rx", "5"],
                &["second", "5"],
                &["tick", "10"],
                &["tx", "5"],
                &["waits for mail", "5"],
                &["waits for second", "4"],
            ]),
            rows(&[&["tx", "rx", "10"]]),
            rows(&[&["rx/in messages", "15", "2"]]),
            rows(&[]),
        ]
    );
}

#[test]
fn the_flight_recorder_writes_when_a_run_fails() {
    let app = EVERY_SECOND
        .replace("{receivers: [in]}", "{receivers: [in], fail_in: tick, trouble_at_tick: 3}");
    let gxe = Gxe::scheduled(&app).args("--flight-recorder last.json");
    let folder = gxe.folder();
    let (ended, trace) = gxe.spawn().end_with(|| {
        assert!(!folder.join("last.json.recording").exists());
        read(&folder.join("last.json"))
    });
    let _ = ended.with_status(5);
    let ticks = trace.slices("rx", "tick");
    let failed: Vec<_> = ticks.iter().map(|tick| tick.note["failed"] == true).collect();
    assert_eq!(failed, [false, false, true]);
}

#[test]
fn the_flight_recorder_writes_when_entities_are_stuck() {
    // The receiver wants more messages than arrive.
    let app = EVERY_SECOND.replace("{receiver: in}", "{receiver: in, min_size: 3}");
    let app = app.replace("capacity: 4", "capacity: 2");
    let app = app.replace(
        "- {name: five,",
        "- {name: room, type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: \
         {transmitter: out, min_size: 2}}\n- {name: five,",
    );
    let gxe = Gxe::scheduled(&app).args("--flight-recorder last.json");
    let folder = gxe.folder();
    let (ended, trace) = gxe.spawn().end_with(|| read(&folder.join("last.json")));
    assert_eq!(ended.with_status(0).count("is stuck"), 2);
    assert_eq!(trace.slices("tx", "waits for room").len(), 1);
    assert_eq!(trace.slices("rx", "waits for mail").len(), 1);
}

#[test]
fn the_flight_recorder_leaves_nothing_after_a_good_run() {
    let gxe = Gxe::scheduled(EVERY_SECOND).args("--flight-recorder last.json");
    let folder = gxe.folder();
    let (ended, left) = gxe
        .spawn()
        .end_with(|| ["last.json", "last.json.recording"].map(|name| folder.join(name).exists()));
    let _ = ended.clean();
    assert_eq!(left, [false, false]);
}

#[test]
fn a_recording_survives_its_process() {
    let app = EVERY_SECOND.replace(
        "{name: second, type: gxe::test::Probe}",
        "\
{name: second, type: gxe::test::Probe, parameters: {hang_in: tick}}",
    );
    let gxe = Gxe::scheduled(&app).args("--flight-recorder last.json");
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("probe second tick");
    running.signal("KILL");
    let (ended, trace) = running.end_with(|| {
        let ended = Gxe::in_folder(&folder)
            .args("trace convert last.json.recording last.json")
            .run()
            .clean();
        assert_eq!(ended.stdout, "");
        read(&folder.join("last.json"))
    });
    assert_eq!(ended.status, None, "killed");
    assert_eq!(trace.slices("tx", "tick").len(), 1);
    let ticks = trace.slices("rx", "tick");
    assert_eq!(ticks.len(), 1);
    assert_eq!(ticks[0].note["unfinished"], true, "the tick that never ended is seen");
    assert_eq!(trace.slices("rx", "first").len(), 1, "the codelet before it is done");
}

/// An extension whose codelet writes to an invalid address in the middle of a run.
#[test]
fn the_flight_recorder_survives_a_fatal_signal() {
    let gxe = Gxe::alone().args("new extension faulty --lang c");
    let folder = gxe.folder();
    let (made, ()) = gxe.spawn().end_with(|| {
        let source = folder.join("faulty/src/number_sink.c");
        let text = std::fs::read_to_string(&source).unwrap();
        let at = text.find("  /* We own the message we received").expect("the tick of the sink");
        let crash = "  if (self->count == 3) *(volatile int*)16 = 1;\n";
        std::fs::write(&source, format!("{}{crash}{}", &text[..at], &text[at..])).unwrap();
        let mut make = Command::new("make");
        make.args(["-s", "-C", "faulty", "all"]).current_dir(&folder).env("GXE", build::gxe());
        assert!(make.status().unwrap().success());
        let ended = Gxe::in_folder(&folder)
            .args("--app faulty/apps/numbers.yaml --manifest faulty/manifest.yaml")
            .args("--extension-path faulty/build --flight-recorder last.json")
            .run();
        assert_eq!(ended.status, None, "ended by a signal: {}", ended.stderr);
        let converted = Gxe::in_folder(&folder);
        let _ = converted.args("trace convert last.json.recording last.json").run().clean();
        let recording = read(&folder.join("last.json"));
        let ticks = recording.slices("sink", "tick");
        let unfinished = ticks.iter().filter(|tick| tick.note["unfinished"] == true).count();
        assert_eq!((ticks.len(), unfinished), (3, 1), "the third tick never ended");
    });
    assert_eq!(made.status, Some(0), "{}", made.stderr);
}

#[test]
fn what_is_no_recording_is_refused() {
    let words: Vec<u8> = b"GXETRACE".iter().copied().chain([1, 0, 0, 0, 0, 0, 0, 0]).collect();
    let mut hostile = words.clone();
    hostile.extend([0xff; 14 * 8]);
    for (name, bytes) in
        [("empty", &b""[..]), ("text", b"hello"), ("cut", &words), ("huge", &hostile)]
    {
        let gxe = Gxe::alone().args("trace convert recording out.json");
        std::fs::write(gxe.folder().join("recording"), bytes).unwrap();
        let ended = gxe.run().with_status(3);
        ended.complains("`recording` cannot be read as a trace");
        assert_eq!(ended.stdout, "", "{name}");
    }
}

/// Ticks every millisecond until it is interrupted.
const ENDLESS: &str = "\
name: a
components:
- {name: p, type: gxe::test::Probe}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1ms}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";

fn drawn(trace: &gxf_runtime::Trace) -> Trace {
    let mut text = Vec::new();
    trace.write_json(&mut text).unwrap();
    Trace::read(std::str::from_utf8(&text).unwrap())
}

#[test]
fn recording_begins_and_ends_while_the_graph_runs() {
    let context = Context::new();
    context.load_extension(&build::library("gxf_lifecycle_probe")).unwrap();
    context.load_app_text("endless", ENDLESS, &[]).unwrap();
    context.activate().unwrap();
    context.run_async().unwrap();
    assert!(context.trace_stop().is_none(), "nothing is recorded yet");
    for _ in 0..2 {
        context.trace_start(&TraceOptions { events_per_thread: 64, file: None }).unwrap();
        assert!(context.trace_start(&TraceOptions::default()).is_err(), "one at a time");
        let begin = Instant::now();
        let lost = loop {
            assert!(begin.elapsed() < PATIENCE, "the graph is recorded while it runs");
            // Reading does not disturb the writers.
            let trace = context.trace().expect("recording goes on");
            let drawn = drawn(&trace);
            // Events that are overwritten while they are read are left out, possibly all of them.
            if trace.lost_events() > 100 && drawn.slices("a", "tick").len() > 5 {
                break trace.lost_events();
            }
        };
        let trace = context.trace_stop().expect("a trace");
        assert!(trace.lost_events() >= lost);
        let ticks = drawn(&trace).slices("a", "tick").len();
        assert!((5..64).contains(&ticks), "the ring holds the latest events: {ticks}");
    }
    context.interrupt().unwrap();
    context.wait().unwrap();
    context.deactivate().unwrap();
}

/// A run that fails before it begins leaves files that can be opened, but no recording.
#[test]
fn a_graph_that_is_not_activated_leaves_whole_files() {
    let app = EVERY_SECOND.replace("{count: 5}", "{}");
    let gxe = Gxe::scheduled(&app).args("--trace run.json --statistics=statistics.json");
    let folder = gxe.folder();
    let (ended, trace) = gxe.spawn().end_with(|| {
        let statistics = std::fs::read(folder.join("statistics.json")).unwrap();
        let _: serde_json::Value = serde_json::from_slice(&statistics).unwrap();
        read(&folder.join("run.json"))
    });
    _ = ended.with_status(4);
    assert!(trace.entities.is_empty());
    let gxe = Gxe::scheduled(&app).args("--flight-recorder last.json");
    let folder = gxe.folder();
    let (ended, left) = gxe.spawn().end_with(|| folder.join("last.json.recording").exists());
    _ = ended.with_status(4);
    assert!(!left);
}

/// The room for names is limited. The log, and converting the recording, each report once that some
/// are missing.
#[test]
fn names_without_room_are_told() {
    const ENTITIES: usize = 1200;
    let long = "n".repeat(240);
    let mut app = String::new();
    for entity in 0..ENTITIES {
        write!(app, "name: e{entity}\ncomponents:\n- {{type: gxe::test::Probe}}\n").unwrap();
        for term in 0..16 {
            let term = format!("{{name: {long}{term}, type: nvidia::gxf::CountSchedulingTerm");
            writeln!(app, "- {term}, parameters: {{count: 1}}}}").unwrap();
        }
        app += "---\n";
    }
    app += "components: [{name: stuck, type: gxe::test::Probe, parameters: {hang_in: tick}}]\n";
    let gxe = Gxe::scheduled(&app).args("--flight-recorder last.json");
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("probe stuck tick");
    running.signal("KILL");
    let (ended, (converted, trace)) = running.end_with(|| {
        let convert = Gxe::in_folder(&folder).args("trace convert last.json.recording last.json");
        (convert.run().with_status(0), read(&folder.join("last.json")))
    });
    let told = "the trace has no room for more names (it holds 4 MiB of them): it shows entity `e";
    assert_eq!(ended.count(told), 1);
    assert_eq!(
        converted.stderr,
        "gxe: the recording had no room for more names: entities without one go by numbers\n"
    );
    let is_named = |entity: &usize| !trace.slices(&format!("e{entity}"), "tick").is_empty();
    let named = (0..ENTITIES).filter(is_named).count();
    assert!((1..ENTITIES).contains(&named), "{named}");
}
