//! Plans of several ranks: one plan, and a process for each rank.

use crate::control::Client;
use gxe_tests::{Ended, Gxe, Running};
use std::fmt::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;
use tempfile::TempDir;

const MANIFEST: &str = "\
extensions:
- libgxf_lifecycle_probe.so
- libgxe_io.so
- libgxe_math.so
- libgxe_actors.so
";

/// So many ports in a row that nobody uses, below those that the system gives to others.
fn ports(count: u16) -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let seed = u16::try_from(std::process::id() % 1000).unwrap_or_default() * 17;
    loop {
        let first = 12_000 + (seed + NEXT.fetch_add(count, Ordering::Relaxed)) % 18_000;
        if (first..first + count).all(|port| TcpListener::bind(("127.0.0.1", port)).is_ok()) {
            return first;
        }
    }
}

/// An entity with codelet `name`, receivers and transmitters that wait for each other.
pub fn entity(name: &str, codelet: &str, inputs: &[&str], outputs: &[&str]) -> String {
    let mut text = format!("---\nname: {name}\ncomponents:\n");
    for input in inputs {
        _ = write!(
            text,
            "- {{name: {input}, type: nvidia::gxf::DoubleBufferReceiver}}\n\
             - {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: {input}}}}}\n"
        );
    }
    for output in outputs {
        _ = write!(
            text,
            "- {{name: {output}, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
             - {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: {output}}}}}\n"
        );
    }
    _ = writeln!(text, "- {codelet}");
    text
}

pub fn connections(pairs: &[(&str, &str)]) -> String {
    let mut text = "---\nname: wires\ncomponents:\n".to_owned();
    for (source, target) in pairs {
        _ = writeln!(
            text,
            "- {{type: nvidia::gxf::Connection, parameters: {{source: {source}, target: {target}}}}}"
        );
    }
    text
}

const SCHEDULER: &str = "\
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {name: actors, type: gxe::ActorScheduler, parameters: {clock: clock}}
";

/// Numbers, which one actor repeats and another sums up, and both ways to one printer each. In three
/// parts of two entities, the last printer is where the first one is not.
fn app() -> String {
    let signal = "{type: 'gxe::math::Signal', parameters: {output: out, columns: [x = i], rows: 2, messages: 30}}";
    let sum = "{type: 'gxe::actors::Accumulate', parameters: {input: in, output: out, count: 3}}";
    let pass = "{type: 'gxe::actors::CopyOverNetwork', parameters: {input: in, output: out}}";
    let print = |file: &str| {
        format!("{{type: 'gxe::io::JsonLinesSink', parameters: {{input: in, address: {file}}}}}")
    };
    entity("source", signal, &[], &["out"])
        + &entity("first", &print("first.jsonl"), &["in"], &[])
        + &entity("sum", sum, &["in"], &["out"])
        + &entity("second", &print("second.jsonl"), &["in"], &[])
        + &entity("pass", pass, &["in"], &["out"])
        + &entity("third", &print("third.jsonl"), &["in"], &[])
        + &connections(&[
            ("source/out", "sum/in"),
            ("source/out", "pass/in"),
            ("sum/out", "first/in"),
            ("pass/out", "second/in"),
            ("source/out", "third/in"),
        ])
        + SCHEDULER
}

fn prepared(folder: &Path, app: &str) {
    std::fs::write(folder.join("app.yaml"), app).expect("an app");
    std::fs::write(folder.join("manifest.yaml"), MANIFEST).expect("a manifest");
}

pub fn gxe(folder: &Path, line: &str) -> Gxe {
    Gxe::in_folder(folder).env("XDG_RUNTIME_DIR", &folder.display().to_string()).args(line)
}

pub fn split(folder: &Path, more: &str) {
    let port = ports(8);
    let line = format!("plan app.yaml --manifest manifest.yaml --split parts --port {port} {more}");
    let ended = gxe(folder, &line).run().with_status(0);
    assert!(ended.stdout.contains("links between ranks: "), "{}", ended.stdout);
}

/// The lines that a printer wrote, which are removed.
pub fn printed_by(folder: &Path, name: &str) -> String {
    let path = folder.join(format!("{name}.jsonl"));
    let text = std::fs::read_to_string(&path).expect("what a printer wrote");
    std::fs::remove_file(path).expect("its file");
    text
}

/// The lines of all printers.
fn printed(folder: &Path) -> [String; 3] {
    ["first", "second", "third"].map(|name| printed_by(folder, name))
}

#[test]
fn several_processes_do_what_one_does() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    prepared(folder, &app());
    let run = "app.yaml --manifest manifest.yaml --severity error";
    _ = gxe(folder, run).run().with_status(0);
    let alone = printed(folder);
    assert_eq!(alone.each_ref().map(|text| text.lines().count()), [20, 60, 60]);
    for (ranks, threads) in [(2, 1), (3, 2)] {
        split(folder, &format!("--ranks {ranks} --threads {threads}"));
        let ended = gxe(folder, "launch parts/ranks.yaml").run().with_status(0);
        assert_eq!(printed(folder), alone, "{ranks} ranks");
        assert!(ended.stdout.contains("All segments are active"), "{}", ended.stdout);
    }
}

/// It has another name than those that a split adds.
#[test]
fn an_entity_without_a_name_is_in_one_rank() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let signal = "{type: 'gxe::math::Signal', parameters: {output: out, columns: [x = i], rows: 2, messages: 30}}";
    let print = "{type: 'gxe::io::JsonLinesSink', parameters: {input: in, address: first.jsonl}}\n\
                 - {type: nvidia::gxf::Connection, parameters: {source: source/out, target: in}}";
    let unnamed = entity("unnamed", print, &["in"], &[]).replacen("name: unnamed\n", "", 1);
    let other =
        "---\nname: network_links\ncomponents:\n- {type: nvidia::gxf::UnboundedAllocator}\n";
    let source = entity("source", signal, &[], &["out"]);
    prepared(folder, &(source + &unnamed + other + SCHEDULER));
    split(folder, "--ranks 2");
    _ = gxe(folder, "launch parts/ranks.yaml").run().with_status(0);
    assert_eq!(printed_by(folder, "first").lines().count(), 60);
}

/// Starts the driver and a process for each rank.
pub fn started(folder: &Path, ranks: u32) -> (Running, Vec<Running>) {
    let address = format!("127.0.0.1:{}", ports(1));
    let start =
        |part: &str| gxe(folder, &format!("run parts/ranks.yaml {part} --address {address}"));
    let mut driver = start("--driver").spawn();
    driver.wait_for("The driver is ready");
    let worker = |rank| start(&format!("--worker --fragments rank{rank}")).spawn();
    (driver, (0..ranks).map(worker).collect())
}

/// A source without an end, a stage, and a sink, each of which logs its calls.
fn probes(more: [&str; 3]) -> String {
    let probe = |name: &str, ports: &str, more: &str| {
        format!(
            "{{name: {name}, type: 'gxe::test::Probe', parameters: {{take: 1, {ports}{more}}}}}"
        )
    };
    let period =
        "{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}\n- ";
    let source = period.to_owned() + &probe("source", "transmitters: [out]", more[0]);
    let stage = probe("stage", "receivers: [in], transmitters: [out]", more[1]);
    entity("source", &source, &[], &["out"])
        + &entity("stage", &stage, &["in"], &["out"])
        + &entity("sink", &probe("sink", "receivers: [in]", more[2]), &["in"], &[])
        + &connections(&[("source/out", "stage/in"), ("stage/out", "sink/in")])
        + SCHEDULER
}

#[test]
fn a_lost_rank_ends_the_job_with_its_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    prepared(folder, &probes([""; 3]));
    split(folder, "--ranks 3");
    let (driver, mut ranks) = started(folder, 3);
    ranks[2].wait_for("probe sink tick 20");
    ranks[1].signal("KILL");
    driver.end().with_status(5).complains("is lost with its segments rank1: ");
    drop(ranks.remove(1).end());
    for rank in ranks {
        rank.end().with_status(5).complains("is lost with its segments rank1: ");
    }
}

#[test]
fn no_rank_begins_before_all_can() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    prepared(folder, &probes(["", "", ", fail_in: initialize"]));
    split(folder, "--ranks 2 --threads 1");
    let (driver, ranks) = started(folder, 2);
    driver.end().with_status(5).complains("segment rank1 of worker 127.0.0.1:");
    let ranks: Vec<Ended> = ranks.into_iter().map(|rank| rank.end().with_status(5)).collect();
    assert_eq!(ranks[0].ticks("source").len(), 0, "{}", ranks[0].stdout);
}

/// Threads and jobs of a rank are seen as those of one process.
#[test]
fn the_status_and_the_statistics_of_a_rank_have_its_threads_and_jobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    prepared(folder, &probes([""; 3]));
    split(folder, "--ranks 2 --threads 2");
    let address = format!("127.0.0.1:{}", ports(1));
    let start = |part: &str| {
        let line = format!("run parts/ranks.yaml {part} --address {address}");
        gxe(folder, &line).spawn()
    };
    let mut driver = start("--driver");
    let first = start("--worker --fragments rank0 --control first.sock --statistics=first.json");
    let mut second = start("--worker --fragments rank1");
    second.wait_for("probe sink tick 5");
    let top = gxe(folder, "top first.sock --json --count 1").run().with_status(0);
    let answer: serde_json::Value = serde_json::from_str(&top.stdout).expect("an answer");
    let status = &answer["status"];
    let names: Vec<&str> = status["threads"]
        .as_array()
        .expect("threads")
        .iter()
        .map(|thread| thread["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["rank0/CPU Actor : (0)", "rank0/CPU Actor : (1)"]);
    // The source, the stage, and the copy to the other rank.
    let job = serde_json::json!({"name": "rank0/job 0", "values": {"actors": 3, "running": 3}});
    assert_eq!(status["jobs"], serde_json::json!([job]));
    driver.signal("INT");
    _ = driver.end();
    _ = (first.end(), second.end());
    let text = std::fs::read_to_string(folder.join("first.json")).expect("statistics");
    let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let job = serde_json::json!({"name": "job 0", "actors": 3, "running": 0});
    assert_eq!(statistics["segments"]["rank0"]["jobs"], serde_json::json!([job]));
}

/// Two ranks, of which the second one does not start before the file `go` is there.
fn late_rank(threads: u32, more: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let go = folder.path().join("go");
    let waits = format!(", start_after: {}{more}", go.display());
    prepared(folder.path(), &probes(["", "", &waits]));
    split(folder.path(), &format!("--ranks 2 --threads {threads}"));
    (folder, go)
}

/// As in the seed: a barrier, and then the sources start.
#[test]
fn no_rank_acts_before_all_have_started() {
    let (folder, go) = late_rank(1, ", fail_in: start");
    let folder = folder.path();
    let (driver, mut ranks) = started(folder, 2);
    ranks[1].wait_for("probe sink waits for ");
    ranks[0].wait_for("probe stage start");
    // It would tick every 5 ms.
    std::thread::sleep(Duration::from_millis(300));
    std::fs::write(&go, "").expect("a file");
    driver.end().with_status(5).complains("segment rank1 of worker 127.0.0.1:");
    let ranks: Vec<Ended> = ranks.into_iter().map(|rank| rank.end().with_status(5)).collect();
    assert_eq!(ranks[0].ticks("source").len(), 0, "{}", ranks[0].stdout);
}

#[test]
fn a_rank_that_waits_for_others_can_be_paused() {
    let (folder, go) = late_rank(1, "");
    let folder = folder.path();
    let address = format!("127.0.0.1:{}", ports(1));
    let start = |part: &str| {
        let line = format!("run parts/ranks.yaml {part} --address {address} --severity debug");
        gxe(folder, &line).spawn()
    };
    let mut driver = start("--driver");
    let mut first = start("--worker --fragments rank0 --control control.sock");
    let mut second = start("--worker --fragments rank1");
    second.wait_for("probe sink waits for ");
    first.wait_for("Actors on this machine constructed");
    let mut client = Client::of(folder).expect("a socket");
    let mut ask = |command: &str| {
        let answer = client.ask(command);
        assert_eq!(answer["ok"], true, "{answer}");
        answer
    };
    ask("pause");
    // No actor acts before those of all ranks are constructed.
    assert_eq!(ask("step")["entity"], serde_json::Value::Null);
    std::fs::write(&go, "").expect("a file");
    first.wait_for("Actors on every machine constructed");
    std::thread::sleep(Duration::from_millis(100));
    for place in 0..3 {
        let status = ask("status");
        assert_eq!(status["status"]["entities"][place]["ticks"], 0, "{status}");
    }
    assert_eq!(ask("step")["entity"], "rank0/source");
    ask("resume");
    second.wait_for("probe sink tick 5");
    driver.signal("INT");
    _ = (driver.end(), first.end(), second.end());
}

#[test]
fn a_rank_that_waits_for_others_can_be_stopped() {
    let (folder, go) = late_rank(2, "");
    let folder = folder.path();
    let (driver, mut ranks) = started(folder, 2);
    ranks[1].wait_for("probe sink waits for ");
    ranks[0].wait_for("probe stage start");
    ranks[0].signal("TERM");
    driver.end().with_status(5).complains("is lost with its segments rank0: it was stopped");
    let first = ranks.remove(0).end().with_status(143);
    assert_eq!(first.ticks("source").len(), 0, "{}", first.stdout);
    std::fs::write(&go, "").expect("a file");
    let second = ranks.remove(0).end().with_status(5);
    assert_eq!(second.ticks("sink").len(), 0, "{}", second.stdout);
}

/// The driver is killed while a rank waits for another one; the next driver lets them act.
#[test]
fn a_new_driver_ends_the_wait_of_the_ranks() {
    let (folder, go) = late_rank(1, "");
    let folder = folder.path();
    let address = format!("127.0.0.1:{}", ports(1));
    let start = |part: &str| {
        gxe(folder, &format!("run parts/ranks.yaml {part} --address {address} --severity debug"))
    };
    let driver = || {
        let mut driver = start("--driver").spawn();
        driver.wait_for("The driver is ready");
        driver
    };
    let mut old = driver();
    let mut ranks: Vec<Running> =
        (0..2).map(|rank| start(&format!("--worker --fragments rank{rank}")).spawn()).collect();
    ranks[1].wait_for("probe sink waits for ");
    ranks[0].wait_for("Actors on this machine constructed");
    old.signal("KILL");
    drop(old.end());
    std::fs::write(&go, "").expect("a file");
    ranks[1].wait_for("Actors on this machine constructed");
    ranks[0].wait_for("the worker waits for a driver");
    let mut new = driver();
    ranks[1].wait_for("probe sink tick 5");
    new.signal("INT");
    let _ = new.end().with_status(130);
    for rank in ranks {
        let rank = rank.end().with_status(5);
        let order = ["Actors on this machine constructed", "Actors on every machine constructed"];
        let places = order.map(|text| rank.stdout.find(text).expect(text));
        let tick = rank.stdout.find(" tick").expect("a tick");
        assert!(places[0] < places[1] && places[1] < tick, "{}", rank.stdout);
    }
}

/// Every rank has numbers; the sum of all comes to every rank. The sum is where the ranks' numbers
/// meet, and the way back leads to all: a circle of ranks, but none of actors.
#[test]
fn a_sum_over_all_ranks_comes_to_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut app = String::new();
    let mut pairs = Vec::new();
    for rank in 0..3 {
        let signal = format!(
            "{{type: 'gxe::math::Signal', parameters: {{output: out, columns: [x = i + {}], rows: 1, messages: 5}}}}",
            rank * 100
        );
        app += &entity(&format!("own{rank}"), &signal, &[], &["out"]);
        let print = format!(
            "{{type: 'gxe::io::JsonLinesSink', parameters: {{input: in, address: sum{rank}.jsonl}}}}"
        );
        app += &entity(&format!("all{rank}"), &print, &["in"], &[]);
        pairs.push((format!("own{rank}/out"), format!("sum/in{rank}")));
        pairs.push(("sum/out".to_owned(), format!("all{rank}/in")));
    }
    let sum =
        "{type: 'gxe::actors::InputWise', parameters: {inputs: [in0, in1, in2], output: out}}";
    app += &entity("sum", sum, &["in0", "in1", "in2"], &["out"]);
    let pairs: Vec<_> = pairs.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    prepared(folder, &(app + &connections(&pairs) + SCHEDULER));
    split(folder, "--ranks 3");
    _ = gxe(folder, "launch parts/ranks.yaml").run().with_status(0);
    for rank in 0..3 {
        let text = std::fs::read_to_string(folder.join(format!("sum{rank}.jsonl"))).expect("sums");
        let sums: Vec<&str> = text.lines().collect();
        let expected: Vec<String> = (0..5).map(|i| format!("{{\"x\":{}}}", 300 + 3 * i)).collect();
        assert_eq!(sums, expected, "rank {rank}");
    }
}

/// A receiver that keeps only the newest message takes nothing from one that keeps all.
#[test]
fn each_receiver_on_another_rank_loses_messages_by_itself() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let signal = "{type: 'gxe::math::Signal', parameters: {output: out, columns: [x = i], rows: 1, messages: 500}}";
    let print = |file: &str| {
        format!("{{type: 'gxe::io::JsonLinesSink', parameters: {{input: in, address: {file}}}}}")
    };
    let sink = |name: &str, queue: &str| {
        let receiver = "type: nvidia::gxf::DoubleBufferReceiver";
        let sink = entity(name, &print(&format!("{name}.jsonl")), &["in"], &[]);
        sink.replace(receiver, &format!("{receiver}, parameters: {{{queue}}}"))
    };
    let source = "---\nname: source\ncomponents:\n\
                  - {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n- "
        .to_owned()
        + signal
        + "\n";
    let app = source
        + &sink("newest", "capacity: 1, policy: 0")
        + &sink("all", "capacity: 1000").replace("{receiver: in}", "{receiver: in, min_size: 2}")
        + &connections(&[("source/out", "newest/in"), ("source/out", "all/in")])
        + SCHEDULER;
    prepared(folder, &app);
    let plan = "plan app.yaml --manifest manifest.yaml";
    _ = gxe(folder, &format!("{plan} --ranks 2 -o plan.json")).run().with_status(0);
    let text = std::fs::read_to_string(folder.join("plan.json")).expect("a plan");
    let mut edited: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    edited["tasks"][1]["stream"] = 1.into();
    std::fs::write(folder.join("plan.json"), edited.to_string()).expect("a plan");
    split(folder, "--check plan.json");
    _ = gxe(folder, "launch parts/ranks.yaml").run().with_status(0);
    // Two wait when it takes one, so the last stays.
    assert_eq!(printed_by(folder, "all").lines().count(), 499);
    let newest = printed_by(folder, "newest");
    assert_eq!(newest.lines().last(), Some("{\"x\":499}"));
}

/// A topic of an entity without codelets is in both apps, with the queues of each.
#[test]
fn a_topic_leads_to_another_rank() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let signal = "{type: 'gxe::math::Signal', parameters: {output: out, columns: [x = i], rows: 1, messages: 5}}";
    let print = |file: &str| {
        format!("{{type: 'gxe::io::JsonLinesSink', parameters: {{input: in, address: {file}}}}}")
    };
    let topic = "---\ncomponents:\n- {type: nvidia::gxf::Topic, parameters: {topic_name: numbers, \
                 transmitters: [source/out], receivers: [first/in, second/in]}}\n";
    let app = entity("source", signal, &[], &["out"])
        + &entity("first", &print("first.jsonl"), &["in"], &[])
        + &entity("second", &print("second.jsonl"), &["in"], &[])
        + topic
        + SCHEDULER;
    prepared(folder, &app);
    split(folder, "--ranks 2");
    _ = gxe(folder, "launch parts/ranks.yaml").run().with_status(0);
    for name in ["first", "second"] {
        assert_eq!(printed_by(folder, name).lines().count(), 5, "{name}");
    }
}

/// A task with the completion that an edited plan names, a list of files, and a report of its own.
#[test]
fn a_rank_has_what_its_tasks_have() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let two_queues = "{name: one, type: gxe::test::WorkQueue}\n\
                      - {name: two, type: gxe::test::WorkQueue}\n\
                      - {type: gxe::test::Submitter, parameters: {output: out, queue: two}}";
    let pictures =
        "{type: 'gxe::view::ImageSource', parameters: {output: out, paths: [a.png, sub/b.png]}}";
    let end = "{type: gxe::test::Submitter, parameters: {input: in}}";
    let app = entity("work", two_queues, &[], &["out"])
        + &entity("pictures", pictures, &[], &["out"])
        + &entity("first", end, &["in"], &[])
        + &entity("second", end, &["in"], &[])
        + &connections(&[("work/out", "first/in"), ("pictures/out", "second/in")])
        + SCHEDULER
        + "- {type: nvidia::gxf::JobStatistics, parameters: {clock: clock, json_file_path: report.json}}\n";
    prepared(folder, &app);
    let manifest = format!("{MANIFEST}- libgxf_outside.so\n- libgxe_view.so\n");
    std::fs::write(folder.join("manifest.yaml"), manifest).expect("a manifest");
    let plan = "plan app.yaml --manifest manifest.yaml --ranks 2 -o plan.json";
    _ = gxe(folder, plan).run().with_status(0);
    let read = |path: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(folder.join(path)).expect("a plan");
        serde_json::from_str(&text).expect("JSON")
    };
    let mut edited = read("plan.json");
    assert_eq!(edited["tasks"][0]["completion"], serde_json::Value::Null, "which of two?");
    edited["tasks"][0]["completion"] = "two".into();
    std::fs::write(folder.join("plan.json"), edited.to_string()).expect("a plan");
    split(folder, "--check plan.json");
    assert_eq!(read("parts/rank0.json")["tasks"][0]["completion"], "two");
    for (rank, files) in
        [(0, &["a.png", "sub/b.png", "report.rank0.json"][..]), (1, &["report.rank1.json"])]
    {
        let app = folder.join(format!("parts/rank{rank}.yaml"));
        let app = std::fs::read_to_string(app).expect("an app");
        for file in files {
            let path = folder.join(file).display().to_string();
            assert!(app.contains(&path), "{path} is not in {app}");
        }
    }
}

#[test]
fn what_cannot_be_split_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let app = probes([""; 3]);
    let complains = |app: &str, line: &str, status: i32, text: &str| {
        prepared(folder, app);
        let line = format!("{line} app.yaml --manifest manifest.yaml");
        gxe(folder, &line).run().with_status(status).complains(text);
    };
    let greedy = app.replace("gxe::ActorScheduler", "nvidia::gxf::GreedyScheduler");
    let text = "the graph has no gxe::ActorScheduler, which alone follows a plan";
    complains(&greedy, "plan --ranks 2 --split parts", 4, text);
    // A handle does not lead to another process.
    let shared = app.replace(
        "receivers: [in], transmitters: [out]",
        "receivers: [in], transmitters: [out], clock: source/clock",
    );
    let shared = shared.replacen(
        "components:\n",
        "components:\n- {name: clock, type: nvidia::gxf::ManualClock}\n",
        1,
    );
    let text = "the entities of rank 1 cannot run without others";
    complains(&shared, "plan --ranks 3 --split parts", 4, text);
    prepared(folder, &app);
    _ = gxe(folder, "plan app.yaml --manifest manifest.yaml --ranks 2 -o plan.json").run();
    let text = "the plan has 2 ranks, and a run of the app is one process";
    complains(&app, "run --param scheduler/actors/plan=plan.json", 5, text);
}

/// Codelets in a row that grow or fill what they publish, change it, and check it.
fn row(codelets: &[&str]) -> String {
    let mut app = String::new();
    let mut wires = Vec::new();
    for (place, codelet) in codelets.iter().enumerate() {
        let (name, last) = (format!("e{place}"), place + 1 == codelets.len());
        let inputs = if place == 0 { &[][..] } else { &["in"] };
        let outputs = if last { &[][..] } else { &["out"] };
        app += &entity(&name, codelet, inputs, outputs);
        if !last {
            wires.push((format!("{name}/out"), format!("e{}/in", place + 1)));
        }
    }
    let wires: Vec<(&str, &str)> = wires.iter().map(|(from, to)| (&**from, &**to)).collect();
    app + &connections(&wires) + SCHEDULER
}

const GROW: &str = "{type: gxe::test::Grow, parameters: {output: out, pool: model/sum}}\n\
                    - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}";
const CHANGE: &str = "{type: gxe::test::Change, parameters: {input: in, output: out}}";
const CHECK: &str = "{type: gxe::test::Check, parameters: {input: in, changes: 1}}";
const VARIABLE: &str = "---\nname: model\ncomponents:\n\
                        - {name: sum, type: gxe::Variable, parameters: {size: 8}}\n";

fn with_actors(folder: &Path, app: &str) {
    prepared(folder, app);
    let manifest = format!("{MANIFEST}- libgxf_actor.so\n");
    std::fs::write(folder.join("manifest.yaml"), manifest).expect("a manifest");
}

/// Each rank would have a value of its own.
#[test]
fn a_variable_is_not_divided() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let refused = |app: &str, ranks: u32, users: &str| {
        with_actors(folder, app);
        let line = format!("plan app.yaml --manifest manifest.yaml --ranks {ranks} --split parts");
        let ended = gxe(folder, &line).run().with_status(4);
        ended.complains(&format!(
            "variable `model/sum` is one memory, and entities of several ranks use it: {users}"
        ));
        ended.complains("give their tasks streams of one rank");
    };
    // One that names it, and one that changes what comes in place.
    let in_place = VARIABLE.to_owned() + &row(&[GROW, CHANGE, CHECK]);
    refused(&in_place, 3, "`e0` (rank 0), `e1` (rank 1)");
    let two = [
        VARIABLE,
        &entity("e0", GROW, &[], &["out"]),
        &entity("e1", CHECK, &["in"], &[]),
        &entity("e2", GROW, &[], &["out"]),
        &entity("e3", CHECK, &["in"], &[]),
        &connections(&[("e0/out", "e1/in"), ("e2/out", "e3/in")]),
        SCHEDULER,
    ];
    refused(&two.concat(), 2, "`e0` (rank 0), `e2` (rank 1)");
    // Its own entity has a codelet, so that it is on one rank.
    let own = GROW.replace("model/sum", "sum");
    let own = format!("{{name: sum, type: gxe::Variable, parameters: {{size: 8}}}}\n- {own}");
    let held = row(&[&own, CHANGE, CHECK]);
    let held = held.replace("name: e0\n", "name: model\n").replace("e0/out", "model/out");
    refused(&held, 3, "`e1` (rank 1), `model` (rank 0)");
    // All users are on one rank, and another reads what they write.
    with_actors(folder, &in_place.replace("changes: 1", "changes: 0"));
    split(folder, "--ranks 2");
}

/// What is changed on another rank is the message that came, so it needs no memory beside it.
#[test]
fn a_register_in_place_of_one_on_another_rank_is_in_place_of_its_copy() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let fill = "{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {block_size: 4096, \
                num_blocks: 4, storage_type: 2}}\n\
                - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 20}}\n\
                - {type: gxe::test::Fill, parameters: {output: out, pool: pool}}";
    with_actors(folder, &row(&[fill, CHANGE, CHECK]));
    let line = "plan app.yaml --manifest manifest.yaml --ranks 2 -o plan.json";
    _ = gxe(folder, line).run().with_status(0);
    let edit = |limit: u64| {
        let text = std::fs::read_to_string(folder.join("plan.json")).expect("a plan");
        let mut plan: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(plan["registers"][1]["in_place"], "e0/out");
        for (task, stream) in [0, 1, 1].into_iter().enumerate() {
            plan["tasks"][task]["stream"] = stream.into();
        }
        plan["memory"] = serde_json::json!({"limit": limit});
        std::fs::write(folder.join("plan.json"), plan.to_string()).expect("a plan");
    };
    // Two instances.
    edit(8192);
    split(folder, "--check plan.json");
    let part = std::fs::read_to_string(folder.join("parts/rank1.json")).expect("a part");
    let part: serde_json::Value = serde_json::from_str(&part).expect("JSON");
    let registers = part["registers"].as_array().expect("registers");
    let own = registers.iter().find(|register| register["name"] == "e1/out").expect("a register");
    assert_eq!(own["in_place"], "network_copy_0/out");
    assert_eq!(part["memory"]["bytes"], 8192);
    _ = gxe(folder, "launch parts/ranks.yaml").run().with_status(0);
}

/// There is one for each receiver, and the limit of the plan is that of each rank.
#[test]
fn the_copies_of_a_queue_count_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let probe =
        |ports: &str| format!("{{type: gxe::test::Probe, parameters: {{{ports}: [port]}}}}");
    let source = entity("source", &probe("transmitters"), &[], &["port"]);
    let room = "- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: \
                port}}\n";
    let count = "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}\n";
    let readers = ["first", "second"].map(|name| entity(name, &probe("receivers"), &["port"], &[]));
    // The larger queue counts.
    let second = readers[1].replace("Receiver}\n", "Receiver, parameters: {capacity: 5}}\n");
    let app = source.replace(room, count)
        + &readers[0]
        + &second
        + &connections(&[("source/port", "first/port"), ("source/port", "second/port")])
        + SCHEDULER;
    prepared(folder, &app);
    let line = "plan app.yaml --manifest manifest.yaml --ranks 2 -o plan.json";
    _ = gxe(folder, line).run().with_status(0);
    let read = |path: &str| -> serde_json::Value {
        let text = std::fs::read_to_string(folder.join(path)).expect("a plan");
        serde_json::from_str(&text).expect("JSON")
    };
    let mut edited = read("plan.json");
    assert_eq!(edited["registers"][0]["flow"], "queue");
    edited["registers"][0]["payload_bytes"] = 100.into();
    for (task, stream) in [0, 1, 1].into_iter().enumerate() {
        edited["tasks"][task]["stream"] = stream.into();
    }
    edited["memory"] = serde_json::json!({"limit": 500});
    std::fs::write(folder.join("plan.json"), edited.to_string()).expect("a plan");
    split(folder, "--check plan.json");
    let memory = &read("parts/rank1.json")["memory"];
    assert_eq!(memory["bytes"], 500);
    assert_eq!(memory["unknown"], serde_json::json!(["network_copy_0/out"]));
    _ = gxe(folder, "launch parts/ranks.yaml").run().with_status(0);
}

/// A run would refuse the part: no component of that rank has threads of the kind.
#[test]
fn parts_are_checked_as_plans_are() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let probe =
        |ports: &str| format!("{{type: gxe::test::Probe, parameters: {{{ports}: [port]}}}}");
    let queue = "{name: queue, type: gxe::test::Device, parameters: {kind: npu}}\n- ";
    let app = entity("work", &(queue.to_owned() + &probe("transmitters")), &[], &["port"])
        + &entity("first", &probe("receivers"), &["port"], &[])
        + &entity("second", &probe("receivers"), &["port"], &[])
        + &connections(&[("work/port", "first/port"), ("work/port", "second/port")])
        + SCHEDULER;
    prepared(folder, &app);
    let manifest = format!("{MANIFEST}- libgxf_outside.so\n");
    std::fs::write(folder.join("manifest.yaml"), manifest).expect("a manifest");
    let plan = "plan app.yaml --manifest manifest.yaml";
    _ = gxe(folder, &format!("{plan} --ranks 2 -o plan.json")).run().with_status(0);
    let text = std::fs::read_to_string(folder.join("plan.json")).expect("a plan");
    let mut edited: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(edited["streams"][2]["device"], "npu");
    assert_eq!(edited["streams"][1]["rank"], 1);
    edited["streams"][1]["device"] = "npu".into();
    std::fs::write(folder.join("plan.json"), edited.to_string()).expect("a plan");
    let line = format!("{plan} --check plan.json --split parts");
    let ended = gxe(folder, &line).run().with_status(4);
    ended.complains("the plan cannot be split: the part of rank 1 is wrong: 1 error");
    ended.complains("there are no threads for a device of kind `npu`");
}
