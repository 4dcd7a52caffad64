//! Recordings as MCAP: `libgxe_mcap.so`.

use gxe_tests::flow::STOCK;
use gxe_tests::graphs::connect;
use gxe_tests::recording::{Component, Files, TENSOR, TIMESTAMP, picture, rgb_frame};
use gxe_tests::{Gxe, SCHEDULER};
use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Type ids of numbers.
const FLOAT64: (u64, u64) = (0xd57cee59686fe26d, 0x95be659c126b02ea);
const FLOAT32: (u64, u64) = (0xa81bf295421f49ef, 0xf24af59e9ea0d5d6);

/// A source of rows, one of integers and one of pictures; every 10 ms a message of each.
fn sources(messages: u32) -> String {
    let every = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10ms}}";
    format!(
        "default_conditions: true
---
name: rows
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- type: gxe::math::Signal
  parameters: {{output: out, rows: 3, messages: {messages}, columns: [n = i, 'half = i / 2 if i > 1']}}
{every}
---
name: integers
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- type: nvidia::gxf::PingTx
  parameters: {{signal: out, clock: scheduler/clock}}
{every}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {messages}}}}}
"
    )
}

/// A recorder of these topics.
fn recorder(path: &str, topics: &[&str]) -> String {
    let queues: String = topics
        .iter()
        .map(|topic| format!("- {{name: {topic}, type: nvidia::gxf::DoubleBufferReceiver}}\n"))
        .collect();
    let topics = topics.join(", ");
    format!(
        "---\nname: recorder\ncomponents:\n{queues}- type: gxe::mcap::McapRecorder\n  \
         parameters: {{receivers: [{topics}], path: {path}}}\n"
    )
}

/// A replay into another recording.
fn copy(from: &str, to: &str) -> String {
    format!(
        "default_conditions: true
---
name: replayer
components:
- {{name: rows, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: integers, type: nvidia::gxf::DoubleBufferTransmitter}}
- type: gxe::mcap::McapReplayer
  parameters: {{transmitters: [rows, integers], path: {from}}}
{}{}",
        recorder(to, &["rows", "integers"]),
        connect(&[("replayer/rows", "recorder/rows"), ("replayer/integers", "recorder/integers")])
    )
}

fn record(messages: u32, path: &str) -> String {
    let links = [("rows/out", "recorder/rows"), ("integers/out", "recorder/integers")];
    let recorder = recorder(path, &["rows", "integers"]);
    format!("{}{recorder}{}", sources(messages), connect(&links))
}

fn gxe(folder: &Path, app: &str, scheduler: &str) -> Gxe {
    std::fs::write(folder.join("app.yaml"), format!("{app}{scheduler}")).unwrap();
    std::fs::write(folder.join("manifest.yaml"), format!("{STOCK}- libgxf_sample.so\n")).unwrap();
    Gxe::in_folder(folder).args("--app app.yaml --manifest manifest.yaml")
}

#[test]
fn recording_a_replay_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let _ = gxe(folder, &record(20, "first.mcap"), SCHEDULER).run().clean();
    let _ = gxe(folder, &copy("first.mcap", "second.mcap"), SCHEDULER).run().clean();
    let first = std::fs::read(folder.join("first.mcap")).unwrap();
    assert!(first.len() > 5000);
    assert!(first == std::fs::read(folder.join("second.mcap")).unwrap());
    // The times are kept without the clock that made them.
    let fast =
        copy("first.mcap", "third.mcap").replace("path: first", "realtime: false, path: first");
    let _ = gxe(folder, &fast, SCHEDULER).run().clean();
    assert!(first == std::fs::read(folder.join("third.mcap")).unwrap());
    // And the values: what is replayed is what was sent.
    let print = format!(
        "default_conditions: true
---
name: replayer
components:
- {{name: rows, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: gxe::mcap::McapReplayer, parameters: {{transmitters: [rows], path: first.mcap}}}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: gxe::io::CsvSink, parameters: {{input: in, address: rows.csv}}}}
{}",
        connect(&[("replayer/rows", "sink/in")])
    );
    let ended = gxe(folder, &print, SCHEDULER).run().clean();
    assert_eq!(ended.count("the topic `integers` has no transmitter and was left out"), 1);
    let rows = std::fs::read_to_string(folder.join("rows.csv")).unwrap();
    assert!(rows.starts_with("n,half\n0,\n1,\n2,1\n3,1.5\n"), "{rows}");
    assert_eq!(rows.lines().count(), 61);
}

/// `work` ticks 19 times; the statistics of the graph go to a file and to a recording.
fn measured(source: &str, job: &str) -> String {
    format!(
        "default_conditions: true
---
name: work
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::PingTx, parameters: {{signal: out, clock: scheduler/clock}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 10ms}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 19}}}}
---
name: reader
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::PingRx, parameters: {{signal: in}}}}
---
name: monitor
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: source, type: gxe::io::StatisticsSource, parameters: {{output: out, {source}}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 95ms}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: gxe::io::CsvSink, parameters: {{input: in, address: statistics.csv}}}}
{}---
name: monitored
components:
- {{type: nvidia::gxf::Broadcast, parameters: {{source: in}}}}
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: one, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: other, type: nvidia::gxf::DoubleBufferTransmitter}}
{}{job}",
        recorder("statistics.mcap", &["statistics"]),
        connect(&[
            ("work/out", "reader/in"),
            ("monitor/out", "monitored/in"),
            ("monitored/one", "sink/in"),
            ("monitored/other", "recorder/statistics"),
        ])
    )
}

#[test]
fn a_graph_records_its_own_statistics() {
    const JOB: &str = "---
name: report
components:
- type: nvidia::gxf::JobStatistics
  parameters: {clock: scheduler/clock, server: monitor/source}
";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let clock = SCHEDULER.replace("RealtimeClock", "ManualClock");
    let run = |source: &str, job: &str| gxe(folder, &measured(source, job), &clock).run();
    let rows = || std::fs::read_to_string(folder.join("statistics.csv")).unwrap();
    // A row for each entity.
    let _ = run("entities: [work, monitor]", JOB).clean();
    let text = rows();
    let values = |line: &str| line.split(',').take(3).collect::<Vec<_>>().join(",");
    let lines: Vec<String> = text.lines().map(values).collect();
    let [head, .., work, _] = &*lines else { panic!("{text}") };
    assert_eq!((lines.len(), &**head), (7, "name,status,count"), "{text}");
    assert!(work.starts_with("work,") && work.ends_with(",19"), "{text}");
    // A topic for each number.
    let _ = run("entities: [work], form: numbers", JOB).clean();
    let (status, text) = command(folder, "info statistics.mcap");
    assert_eq!(status, Some(0), "{text}");
    for value in ["count", "execution_time_median_ms", "load_percentage"] {
        let topic = format!("3 × gxe.Number `/statistics/work/{value}`\n");
        assert!(text.contains(&topic), "{topic}: {text}");
    }
    let head = rows().lines().next().unwrap().to_owned();
    assert!(head.starts_with("work/count,"), "{head}");
    // Nobody measures.
    run("form: rows", "").with_status(5).complains(
        "no component measures the graph; add a `nvidia::gxf::JobStatistics` whose parameter \
         `server` names this component",
    );
}

/// A source that sends on two transmitters in each tick, two ways that its rows take, and a
/// recorder of what it sends. `source` is its codelets and terms.
fn two_ways(source: &str, recording: &str, kept: &str) -> String {
    format!(
        "default_conditions: true
---
name: sensor
components:
- {{name: rows, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: integers, type: nvidia::gxf::DoubleBufferTransmitter}}
{source}
---
name: average
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- type: gxe::math::MovingAverage
  parameters: {{input: in, output: out, columns: [n], window: 4}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: gxe::io::CsvSink, parameters: {{input: in, address: {kept}}}}}
{}{}",
        recorder(recording, &["rows", "integers"]),
        connect(&[
            ("sensor/rows", "average/in"),
            ("average/out", "sink/in"),
            ("sensor/rows", "recorder/rows"),
            ("sensor/integers", "recorder/integers")
        ])
    )
}

/// Runs an app and returns its trace hash.
fn trace_hash(folder: &Path, app: &str, scheduler: &str) -> String {
    let _ = gxe(folder, app, scheduler).args("--statistics=run.json").run().clean();
    let text = std::fs::read_to_string(folder.join("run.json")).unwrap();
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    document["trace_hash"]["sha256"].as_str().unwrap().to_owned()
}

/// A schedule of the four entities, every 10 ms, on two processors.
const SCHEDULE: &str = "\
Version: 2.0.0
tests:
  Resources: {CPU: [CPU0, CPU1]}
  Hyperepochs:
  - h: {Period: 10ms, Epochs: [e: {Frames: 1}]}
  Clients:
  - c:
      Epochs:
      - h.e:
          Runnables:
          - sensor: {WCET: 1ms, Resources: [CPU0]}
          - average: {WCET: 1ms, Resources: [CPU1], Dependencies: [c.sensor]}
          - recorder: {WCET: 1ms, Resources: [CPU0], Dependencies: [c.sensor]}
          - sink: {WCET: 1ms, Resources: [CPU1], Dependencies: [c.average]}
";

#[test]
fn a_run_is_repeated_from_its_recording_tick_by_tick() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("graph.yaml"), SCHEDULE).unwrap();
    let line = "stm compile -i graph.yaml -o graph.stm -j 1";
    let _ = Gxe::in_folder(folder).args(line).run().with_status(0);
    let source = "- type: gxe::math::Signal
  parameters: {output: rows, rows: 3, messages: 12, columns: [n = i * i]}
- {type: nvidia::gxf::PingTx, parameters: {signal: integers, clock: scheduler/clock}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10ms}}";
    let replayer = "- type: gxe::mcap::McapReplayer
  parameters: {transmitters: [rows, integers], path: first.mcap, repeat: true}";
    for scheduler in [
        "nvidia::gxf::GreedyScheduler, parameters: {clock: clock}",
        "nvidia::gxf::EpochScheduler, parameters: {clock: clock}",
        "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 1}",
        "nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 1}",
        "gxe::StaticScheduler, parameters: {clock: clock, schedule: graph.stm}",
    ] {
        let yaml = format!(
            "---\nname: scheduler\ncomponents:\n\
             - {{name: clock, type: nvidia::gxf::ManualClock}}\n- {{type: {scheduler}}}\n"
        );
        let source = match scheduler.starts_with("gxe::Static") {
            // The schedule has the period.
            true => source.rsplit_once('\n').unwrap().0,
            false => source,
        };
        let first = trace_hash(folder, &two_ways(source, "first.mcap", "first.csv"), &yaml);
        let again = trace_hash(folder, &two_ways(replayer, "second.mcap", "second.csv"), &yaml);
        assert_eq!(first, again, "{scheduler}");
        let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
        assert_eq!(read("first.csv").iter().filter(|byte| **byte == b'\n').count(), 37);
        assert_eq!(read("first.csv"), read("second.csv"), "{scheduler}");
        assert!(read("first.mcap") == read("second.mcap"), "{scheduler}");
        // Without `repeat`, each tick replays one message.
        let plain = replayer.replace(", repeat: true", "");
        let other = trace_hash(folder, &two_ways(&plain, "third.mcap", "third.csv"), &yaml);
        assert_ne!(first, other, "{scheduler}");
    }
}

#[test]
fn a_killed_recorder_loses_no_message() {
    const REAL: &str = "---\nname: scheduler\ncomponents:\n\
                        - {name: clock, type: nvidia::gxf::RealtimeClock}\n\
                        - {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n";
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let rounds = std::env::var("GXE_KILLS").map_or(10, |rounds| rounds.parse().unwrap());
    for round in 0..rounds {
        let app = record(1_000_000, "killed.mcap").replace("10ms", "100us");
        // What the sender logs before it is sent is an upper bound; what a second entity logs of
        // the same messages is none, so the recorder's own order decides: all but the last.
        _ = std::fs::remove_file(folder.join("killed.mcap"));
        let mut running = gxe(folder, &app, REAL).spawn();
        running.wait_for("Message Sent: int_value = 20");
        std::thread::sleep(Duration::from_micros(round % 10 * 700 + round * 37));
        running.signal("KILL");
        let ended = running.end();
        let sent = ended.log().iter().filter(|text| text.contains("Message Sent")).count();
        let _ = gxe(folder, &copy("killed.mcap", "copy.mcap"), SCHEDULER).run().with_status(0);
        let copied = std::fs::read(folder.join("copy.mcap")).unwrap();
        let killed = std::fs::read(folder.join("killed.mcap")).unwrap();
        // Every whole message of the killed recorder is in the copy, byte for byte.
        let same = killed.iter().zip(&copied).take_while(|(a, b)| a == b).count();
        assert!(killed.len() - same < 64, "round {round}: {same} of {}", killed.len());
        let marker = b"{\"value\":";
        let recorded = killed.windows(marker.len()).filter(|piece| piece == marker).count();
        // The queues between hold two messages, and one is on its way.
        assert!(recorded + 3 >= sent, "round {round}: {recorded} of {sent}");
    }
}

#[test]
fn no_recording_is_read_and_written_or_written_twice() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let _ = gxe(folder, &record(20, "a.mcap"), SCHEDULER).run().clean();
    let whole = std::fs::read(folder.join("a.mcap")).unwrap();
    std::fs::hard_link(folder.join("a.mcap"), folder.join("link.mcap")).unwrap();
    let app = copy("a.mcap", "link.mcap");
    // Whichever starts first.
    let mut parts: Vec<_> = app.split("---\n").collect();
    parts[1..].reverse();
    for app in [app.clone(), parts.join("---\n") + "\n"] {
        let ended = gxe(folder, &app, SCHEDULER).run().with_status(5);
        ended.complains("the recording `link.mcap` cannot be written: it is in use: another");
        assert!(std::fs::read(folder.join("a.mcap")).unwrap() == whole);
    }
    let twice = format!(
        "{}{}{}{}",
        sources(3),
        recorder("a.mcap", &["rows"]),
        recorder("a.mcap", &["integers"]).replace("name: recorder", "name: other"),
        connect(&[("rows/out", "recorder/rows"), ("integers/out", "other/integers")])
    );
    gxe(folder, &twice, SCHEDULER).run().with_status(5).complains("it is in use: another program");
    // The times of a pipe's two ends are not waited for.
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status().unwrap();
    assert!(made.success());
    let _ = gxe(folder, &record(2, "b.mcap"), SCHEDULER).run().clean();
    for app in [copy("pipe", "c.mcap"), copy("b.mcap", "pipe")] {
        let ended = gxe(folder, &app, SCHEDULER).run().with_status(5);
        ended.complains("it is a pipe, not a file");
    }
}

#[test]
fn a_pause_of_days_is_left_out_of_a_replay() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    const DAYS: u64 = 10 * 24 * 3600 * 1_000_000_000;
    let mut pair = Files::default();
    for time in [0, 10_000_000, DAYS, DAYS + 10_000_000, DAYS + 20_000_000] {
        pair.add(time, &[picture(6, 4, 1)]);
    }
    pair.write(folder, "rows");
    assert_eq!(command(folder, "convert rows gap.mcap").0, Some(0));
    let real = SCHEDULER.replace("ManualClock", "RealtimeClock");
    for from in ["gap.mcap", "gap.mcap, repeat: true"] {
        let ended = gxe(folder, &copy(from, "copy.mcap"), &real).run().with_status(0);
        assert_eq!(ended.count("such pauses, of more than a day, are left out"), 1);
        let (_, text) = command(folder, "verify copy.mcap");
        assert_eq!(text, "copy.mcap: 5 messages, all intact\n");
    }
}

#[test]
fn infinite_numbers_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let values = [f64::INFINITY, f64::NEG_INFINITY, -1.5, f64::NAN];
    let mut pair = Files::default();
    for (time, value) in (0..).zip(values) {
        let of = |name: &str, bytes: Vec<u8>, tid: (u64, u64)| Component::Raw {
            name: name.to_owned(),
            tid,
            bytes,
        };
        let single = value as f32;
        pair.add(
            time,
            &[
                of("double", value.to_le_bytes().to_vec(), FLOAT64),
                of("single", single.to_le_bytes().to_vec(), FLOAT32),
            ],
        );
    }
    pair.write(folder, "rows");
    let done = |line: &str| assert_eq!(command(folder, line).0, Some(0), "{line}");
    done("convert rows a.mcap");
    let _ = gxe(folder, &copy("a.mcap", "b.mcap"), SCHEDULER).run().with_status(0);
    done("convert b.mcap back");
    assert_eq!(Files::read(folder, "back"), pair);
}

/// What a folder has.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn what_fails_leaves_no_file_and_the_old_one() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut pair = Files::default();
    for time in 0..3 {
        pair.add(time, &[picture(6, 4, 1)]);
    }
    pair.write(folder, "good");
    // The size of the last frame.
    let size = pair.index.len() - 16;
    pair.index[size] ^= 1;
    pair.write(folder, "bad");
    let before = names(folder);
    let (status, text) = command(folder, "convert bad new.mcap");
    assert!(status == Some(3) && text.contains("cannot convert frame 2"), "{text}");
    assert_eq!(names(folder), before);
    let old = folder.join("old.mcap");
    std::fs::write(&old, "old").unwrap();
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::os::unix::fs::symlink("old.mcap", folder.join("link.mcap")).unwrap();
    let before = names(folder);
    assert_eq!(command(folder, "convert bad link.mcap --force").0, Some(3));
    assert_eq!(names(folder), before);
    assert_eq!(std::fs::read_to_string(&old).unwrap(), "old");
    assert_eq!(command(folder, "convert good link.mcap --force").0, Some(0));
    assert_eq!(names(folder), before);
    assert_eq!(std::fs::metadata(&old).unwrap().permissions().mode() & 0o777, 0o600);
    let intact = "old.mcap: 3 messages, all intact\n".to_owned();
    assert_eq!(command(folder, "verify old.mcap"), (Some(0), intact));
    assert!(folder.join("link.mcap").is_symlink());
    // Traces that are joined, of which the second one is cut off.
    let head = r#"{"displayTimeUnit":"ns","otherData":{"recorded by":"gxe","clock":
{"name":"c","begin_ns":0,"realtime_ahead_ns":0}},"traceEvents":["#;
    let head = head.replace('\n', "") + "\n";
    std::fs::write(folder.join("cut.json"), head).unwrap();
    let ended = Gxe::in_folder(folder).args("trace merge old.mcap cut.json cut.json").run();
    ended.with_status(3).complains("the trace is cut off");
    assert_eq!(command(folder, "verify old.mcap").0, Some(0));
}

#[test]
fn elements_are_exported_where_the_strides_say() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let tensor = |strides: [u64; 2]| {
        let mut bytes = Vec::new();
        bytes.extend(2_i32.to_le_bytes());
        bytes.extend(2_i32.to_le_bytes());
        bytes.extend(1_u64.to_le_bytes());
        bytes.extend(2_u32.to_le_bytes());
        bytes.extend([2_i32, 3, 1, 1, 1, 1, 1, 1].map(i32::to_le_bytes).as_flattened());
        let [rows, columns] = strides;
        bytes.extend([rows, columns, 0, 0, 0, 0, 0, 0].map(u64::to_le_bytes).as_flattened());
        bytes.extend([1, 4, 2, 5, 3, 6]);
        Component::Raw { name: String::new(), tid: TENSOR, bytes }
    };
    let raw = |strides: [u64; 2]| {
        let mut pair = Files::default();
        pair.add(0, &[tensor(strides)]);
        pair.write(folder, "columns");
        let mut command = Command::new(gxe_tests::build::gxe());
        command.args(["recording", "export", "columns", "--raw"]).current_dir(folder);
        command.output().unwrap()
    };
    assert_eq!(raw([1, 2]).stdout, [1, 2, 3, 4, 5, 6]);
    assert_eq!(raw([3, 1]).stdout, [1, 4, 2, 5, 3, 6]);
    for strides in [[1, 3], [u64::MAX, u64::MAX]] {
        let ended = raw(strides);
        assert_eq!(ended.status.code(), Some(3));
        let text = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(text.contains("the strides lead beyond the tensor"), "{text}");
    }
}

#[test]
fn what_cannot_be_recorded_or_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::write(folder.join("log"), "line\n").unwrap();
    let foreign = format!(
        "default_conditions: true
---
name: lines
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: more, type: nvidia::gxf::BooleanSchedulingTerm}}
- type: access_log::LineReader
  parameters: {{path: log, output: out, boolean_scheduling_term: more}}
{}{}",
        recorder("a.mcap", &["lines"]),
        connect(&[("lines/out", "recorder/lines")])
    );
    let gxe_with = |app: &str| {
        let gxe = gxe(folder, app, SCHEDULER);
        let manifest = format!("{STOCK}- libgxf_access_log.so\n");
        std::fs::write(folder.join("manifest.yaml"), manifest).unwrap();
        gxe
    };
    gxe_with(&foreign).run().with_status(5).complains(
        "the payload `totals` (access_log::Totals) is neither a number nor a tensor; set \
         `entity_serializer` to record it",
    );
    let replay = copy("missing.mcap", "b.mcap");
    gxe_with(&replay).run().with_status(5).complains("`missing.mcap` cannot be opened: ");
    std::fs::write(folder.join("missing.mcap"), b"no recording at all").unwrap();
    gxe_with(&replay).run().with_status(5).complains("`missing.mcap` cannot be read: Bad magic");
    // Damage at every tenth byte never hangs or panics.
    let _ = gxe(folder, &record(2, "missing.mcap"), SCHEDULER).run().clean();
    let whole = std::fs::read(folder.join("missing.mcap")).unwrap();
    for place in (8..whole.len()).step_by(whole.len() / 12) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xff;
        std::fs::write(folder.join("missing.mcap"), damaged).unwrap();
        let ended = gxe_with(&replay).run();
        assert!(matches!(ended.status, Some(0 | 5)), "{place}: {ended:?}");
        assert!(!ended.stderr.contains("panic"), "{place}: {ended:?}");
    }
}

/// `gxe recording` in a folder: its status, and what it printed on both streams.
fn command(folder: &Path, line: &str) -> (Option<i32>, String) {
    let ended = Gxe::in_folder(folder).args("recording").args(line).run();
    (ended.status, ended.stdout + &ended.stderr)
}

#[test]
fn recordings_are_described_verified_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let _ = gxe(folder, &record(4, "a.mcap"), SCHEDULER).run().clean();
    let expected = "\
a.mcap
  messages    8
  size        2.80 KiB
  duration    0.030 s, 233.33 messages a second
  carries     4 × gxe.Number `/integers/Integer`
              1 × gxe.EndOfStream `/rows/end_of_stream`
              4 × gxe.Tensor `/rows/half`
              4 × gxe.Tensor `/rows/n`
  integrity   intact
";
    assert_eq!(command(folder, "info a.mcap"), (Some(0), expected.to_owned()));
    let (_, text) = command(folder, "info a.mcap --format json");
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["duration_ns"], 30_000_000);
    assert_eq!(
        document["channels"][0],
        serde_json::json!({"topic": "/integers/Integer", "encoding": "json", "schema": "gxe.Number",
            "count": 4})
    );
    let intact =
        |file: &str, count: u32| (Some(0), format!("{file}: {count} messages, all intact\n"));
    assert_eq!(command(folder, "verify a.mcap"), intact("a.mcap", 8));
    let cut = command(folder, "cut a.mcap b.mcap --start 2 --count 3");
    assert_eq!(cut, (Some(0), "3 messages in b.mcap\n".to_owned()));
    assert_eq!(command(folder, "verify b.mcap"), intact("b.mcap", 3));
    let (status, text) = command(folder, "cut a.mcap b.mcap");
    assert!(status == Some(2) && text.contains("there is a file 'b.mcap' already"), "{text}");
    std::fs::hard_link(folder.join("a.mcap"), folder.join("same.mcap")).unwrap();
    std::os::unix::fs::symlink("a.mcap", folder.join("link.mcap")).unwrap();
    for itself in ["a.mcap", "same.mcap", "link.mcap"] {
        let (status, text) = command(folder, &format!("cut a.mcap {itself} --force --count 2"));
        let expected = format!("error: '{itself}' is to be read, and written, too\n");
        assert!(status == Some(2) && text.starts_with(&expected), "{text}");
    }
    assert_eq!(command(folder, "verify a.mcap"), intact("a.mcap", 8));
    let (status, text) = command(folder, "cut a.mcap new.mcap --start 9");
    assert!(status == Some(2) && text.contains("there is no message 9"), "{text}");
    // What a killed recorder leaves behind.
    let whole = std::fs::read(folder.join("a.mcap")).unwrap();
    std::fs::write(folder.join("killed.mcap"), &whole[..1500]).unwrap();
    let expected = "\
the file ends within a record: whoever wrote it did not finish; all messages before are whole
error: not intact; `gxe recording cut killed.mcap OUTPUT` keeps its 7 messages
  because: the recording 'killed.mcap' is damaged
";
    assert_eq!(command(folder, "verify killed.mcap"), (Some(3), expected.to_owned()));
    let cut = command(folder, "cut killed.mcap saved.mcap");
    assert_eq!(cut, (Some(0), "7 messages in saved.mcap\n".to_owned()));
    assert_eq!(command(folder, "verify saved.mcap"), intact("saved.mcap", 7));
    // One changed byte of a message.
    let mut damaged = whole;
    let place = damaged.windows(9).position(|piece| piece == b"{\"value\":").unwrap();
    damaged[place] = b'[';
    std::fs::write(folder.join("damaged.mcap"), damaged).unwrap();
    let (status, text) = command(folder, "verify damaged.mcap");
    assert!(status == Some(3) && text.contains("Data section CRC failed"), "{text}");
}

#[test]
fn recordings_of_gxf_become_mcap_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut pair = Files::default();
    for number in 0..3 {
        let (name, bytes) = ("timestamp".to_owned(), vec![7; 16]);
        let timestamp = Component::Raw { name, tid: TIMESTAMP, bytes };
        pair.add(40_000_000 * u64::from(number), &[picture(6, 4, number), timestamp]);
    }
    pair.write(folder, "walk");
    let converted = command(folder, "convert walk walk.mcap");
    assert_eq!(converted, (Some(0), "3 messages in walk.mcap\n".to_owned()));
    let (_, text) = command(folder, "info walk.mcap");
    assert!(text.contains("carries     3 × foxglove.RawImage `/walk`"), "{text}");
    let converted = command(folder, "convert walk.mcap back");
    assert_eq!(converted, (Some(0), "3 frames in back\n".to_owned()));
    let (_, text) = command(folder, "verify back");
    assert_eq!(text, "back: 3 frames, all intact\n");
    let raw = |name: &str| {
        let mut command = Command::new(gxe_tests::build::gxe());
        command.args(["recording", "export", name, "--raw"]).current_dir(folder);
        command.output().unwrap().stdout
    };
    assert_eq!(raw("walk").len(), 3 * 6 * 4 * 3);
    assert_eq!(raw("walk"), raw("back"));
    // Tensors and numbers of a graph.
    let _ = gxe(folder, &record(4, "a.mcap"), SCHEDULER).run().clean();
    let (status, text) = command(folder, "convert a.mcap rows");
    assert!(
        status == Some(2)
            && text.contains("the recording has several topics")
            && text.contains("choose with --topic: `integers`, `rows`"),
        "{text}"
    );
    let end = "gxe: 1 payload of the type gxe.EndOfStream left out: GXF's recordings have no such payload\n";
    for (topic, carries, note) in [
        ("rows", "4 × Tensor float64 [3] in system memory `n`", end),
        ("integers", "4 × int32 `Integer`", ""),
    ] {
        let (status, text) = command(folder, &format!("convert a.mcap {topic} --topic {topic}"));
        assert_eq!((status, text), (Some(0), format!("4 frames in {topic}\n{note}")));
        let (_, text) = command(folder, &format!("info {topic}"));
        assert!(text.contains(carries) && text.contains("integrity   intact"), "{text}");
    }
    // And back: the values are the same.
    let _ = command(folder, "convert integers again.mcap");
    let values = |file: &str| {
        let text = std::fs::read(folder.join(file)).unwrap();
        let text = String::from_utf8_lossy(&text).into_owned();
        // The schema has the same key, before an object.
        let values = text.split("{\"value\":").skip(1).map(|rest| rest[..1].to_owned());
        values.filter(|value| value != "{").collect::<Vec<_>>()
    };
    assert_eq!(values("again.mcap"), ["0", "1", "2", "3"]);
    assert_eq!(values("a.mcap"), values("again.mcap"));
}

/// What Foxglove shows: pictures, pictures of a file format, frames of video and texts.
fn for_foxglove(folder: &Path) {
    let mut pair = Files::default();
    for number in 0..2 {
        pair.add(40_000_000 * number, &[rgb_frame(4, 2, 16)]);
    }
    pair.write(folder, "video");
    std::fs::write(folder.join("log"), "first line\nsecond line\n").unwrap();
    let png = b"\x89PNG\r\n\x1a\nand what else is in a picture";
    std::fs::write(folder.join("picture.png"), png).unwrap();
    let out =
        |name: &str| format!("- {{name: {name}, type: nvidia::gxf::DoubleBufferTransmitter}}");
    let app = format!(
        "default_conditions: true
---
name: video
components:
{}
- {{name: allocator, type: nvidia::gxf::UnboundedAllocator}}
- name: component_serializer
  type: gxe::MultimediaComponentSerializer
  parameters: {{allocator: allocator}}
- name: serializer
  type: nvidia::gxf::StdEntitySerializer
  parameters: {{component_serializers: [component_serializer]}}
- {{name: more, type: nvidia::gxf::BooleanSchedulingTerm}}
- type: nvidia::gxf::EntityReplayer
  parameters: {{transmitter: out, entity_serializer: serializer, boolean_scheduling_term: more, directory: '.', basename: video}}
---
name: log
components:
{}
- {{type: gxe::io::LineSource, parameters: {{output: out, address: log}}}}
---
name: file
components:
{}
- {{type: gxe::io::RawSource, parameters: {{output: out, address: picture.png}}}}
---
name: image
components:
{}
- {{type: gxe::view::ImageSource, parameters: {{output: out, paths: [real.png]}}}}
{}{}",
        out("out"),
        out("out"),
        out("out"),
        out("out"),
        recorder("all.mcap", &["video", "log", "file", "image"]),
        connect(&[
            ("video/out", "recorder/video"),
            ("log/out", "recorder/log"),
            ("file/out", "recorder/file"),
            ("image/out", "recorder/image")
        ])
    );
    let raw = [7; 3 * 2 * 5];
    let mut import = Command::new(gxe_tests::build::gxe());
    import.args("recording import --width 5 --height 2 --basename real".split(' '));
    import.current_dir(folder).stdin(std::process::Stdio::piped());
    let mut import = import.stdout(std::process::Stdio::null()).spawn().unwrap();
    import.stdin.take().unwrap().write_all(&raw).unwrap();
    assert!(import.wait().unwrap().success());
    let (status, text) = command(folder, "export real");
    assert_eq!(status, Some(0), "{text}");
    std::fs::rename(folder.join("real_000000.png"), folder.join("real.png")).unwrap();
    let gxe = gxe(folder, &app, SCHEDULER);
    let manifest = format!("{STOCK}- libgxf_serialization.so\n- libgxf_multimedia.so\n");
    std::fs::write(folder.join("manifest.yaml"), manifest).unwrap();
    let _ = gxe.run().clean();
}

#[test]
fn what_foxglove_shows_comes_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for_foxglove(folder);
    let (_, text) = command(folder, "info all.mcap");
    for carried in [
        "1 × foxglove.CompressedImage `/file/bytes`",
        "1 × foxglove.Log `/log/text`",
        "1 × foxglove.RawImage `/image/image`",
        "2 × foxglove.RawImage `/video/video`",
    ] {
        assert!(text.contains(carried), "{text}");
    }
    let topics = ["video", "log", "file", "image"];
    let queues: String = topics
        .iter()
        .map(|topic| format!("- {{name: {topic}, type: nvidia::gxf::DoubleBufferTransmitter}}\n"))
        .collect();
    let pairs = topics.map(|topic| (format!("replayer/{topic}"), format!("recorder/{topic}")));
    let pairs: Vec<_> = pairs.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    let app = format!(
        "default_conditions: true
---
name: replayer
components:
{queues}- type: gxe::mcap::McapReplayer
  parameters: {{transmitters: [video, log, file, image], path: all.mcap}}
{}{}",
        recorder("again.mcap", &topics),
        connect(&pairs)
    );
    let gxe = gxe(folder, &app, SCHEDULER);
    let manifest = format!("{STOCK}- libgxf_multimedia.so\n");
    std::fs::write(folder.join("manifest.yaml"), manifest).unwrap();
    let _ = gxe.run().clean();
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    assert!(read("all.mcap") == read("again.mcap"));
    let (status, text) = command(folder, "convert all.mcap gxf --topic video");
    assert!(status == Some(3) && text.contains("frames of video, which only a graph"), "{text}");
    let (status, text) = command(folder, "convert all.mcap lines --topic log");
    assert!(status == Some(0) && text.starts_with("1 frame in lines\ngxe: 1 payload"), "{text}");
}

/// A Python with the packages that read recordings; `None`, with a line, if there is none.
fn python() -> Option<std::ffi::OsString> {
    let python = std::env::var_os("GXE_MCAP_PYTHON").unwrap_or_else(|| "python3".into());
    let packages = "import mcap.reader, mcap_protobuf.decoder, foxglove_schemas_protobuf";
    let there = Command::new(&python).args(["-c", packages]).output();
    if there.is_ok_and(|output| output.status.success()) {
        return Some(python);
    }
    assert!(std::env::var_os("GXE_MCAP_PYTHON").is_none(), "GXE_MCAP_PYTHON lacks packages");
    eprintln!("skipped: python3 has no package `mcap` (see `make test-recordings`)");
    None
}

/// The schemas in the file are those of Foxglove's own package, which reads the messages.
#[test]
fn foxglove_knows_the_schemas() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for_foxglove(folder);
    let code = "
from mcap.reader import make_reader
from google.protobuf.descriptor_pb2 import FileDescriptorSet
import importlib
def fields(message):
    kinds = [(f.name, f.number, f.type, f.type_name) for f in message.field]
    values = [[(v.name, v.number) for v in e.value] for e in message.enum_type]
    return sorted(kinds), values
with open('all.mcap', 'rb') as file:
    for schema, channel, message in make_reader(file).iter_messages():
        package, name = schema.name.split('.')
        if package != 'foxglove':
            continue
        known = getattr(importlib.import_module('foxglove_schemas_protobuf.%s_pb2' % name), name)
        in_file = FileDescriptorSet.FromString(schema.data).file[-1]
        from google.protobuf.descriptor_pb2 import DescriptorProto
        expected = DescriptorProto()
        known.DESCRIPTOR.CopyToProto(expected)
        assert fields(in_file.message_type[0]) == fields(expected), name
        read = known.FromString(message.data)
        print(channel.topic, name, *[
            value for field, value in read.ListFields() if field.name not in ('timestamp', 'data')
        ], len(getattr(read, 'data', b'')))
";
    let output = Command::new(python).args(["-c", code]).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "/file/bytes CompressedImage png 37",
            "/image/image RawImage 5 2 rgb8 15 30",
            "/log/text Log 2 first line",
            "/video/video RawImage 4 2 rgb8 16 32",
            "/video/video RawImage 4 2 rgb8 16 32",
            "second line 0",
        ],
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The package `mcap` of PyPI reads the file, and Protocol Buffers its schemas.
#[test]
fn other_tools_read_the_file() {
    let Some(python) = python() else { return };
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let _ = gxe(folder, &record(3, "a.mcap"), SCHEDULER).run().clean();
    let code = "
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
import json, struct
with open('a.mcap', 'rb') as file:
    for schema, channel, message in make_reader(file).iter_messages():
        if channel.message_encoding == 'json':
            text = json.loads(message.data)
        else:
            decoded = DecoderFactory().decoder_for('protobuf', schema)(message.data)
            text = (decoded.element_type, list(decoded.shape), list(struct.unpack('<3d', decoded.data)))
        print(channel.topic, schema.name, message.log_time, message.sequence, text)
";
    let output = Command::new(python).args(["-c", code]).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.starts_with(
            "/rows/n gxe.Tensor 0 0 ('float64', [3], [0.0, 1.0, 2.0])\n\
             /rows/half gxe.Tensor 0 0 ('float64', [3], [nan, nan, 1.0])\n\
             /integers/Integer gxe.Number 0 0 {'value': 0}\n\
             /rows/n gxe.Tensor 10000000 1 "
        ),
        "{text}\n{error}"
    );
}
