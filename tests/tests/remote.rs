//! Drivers and workers: graphs in several processes.

use gxe_tests::links::{BUFFER, free_port};
use gxe_tests::random::Random;
use gxe_tests::trace::Trace;
use gxe_tests::{Ended, Gxe, Running};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MANIFEST: &str = "gxf/test/distributed/test_graph_worker_manifest.yaml";

/// The root of the example, with GXF's paths below it.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/distributed");
    root.canonicalize().expect("the example")
}

/// What another process wrote.
fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// A copy of the example with ports of its own, so that tests may run side by side.
struct Example {
    folder: tempfile::TempDir,
    driver: u16,
}

impl Example {
    fn new() -> Self {
        let example = Self { folder: tempfile::tempdir().expect("a folder"), driver: free_port() };
        let (worker, link) = (free_port(), free_port());
        for file in [
            "driver.yaml",
            "worker.yaml",
            "gxf/ucx/tests/test_ping_ucx_tx.yaml",
            "gxf/ucx/tests/test_ping_ucx_rx.yaml",
            MANIFEST,
        ] {
            let text = std::fs::read_to_string(root().join(file)).expect("a file of the example");
            let text = text.replace("50000", &example.driver.to_string());
            let text = text.replace("50001", &worker.to_string());
            example.write(file, &text.replace("13338", &link.to_string()));
        }
        example
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    fn edit(&self, file: &str, edit: impl FnOnce(String) -> String) {
        let text = std::fs::read_to_string(self.path(file)).expect("a file");
        self.write(file, &edit(text));
    }

    /// `gxe` with an app of the example.
    fn gxe(&self, app: &str) -> Gxe {
        let root = self.folder.path().to_string_lossy().into_owned();
        Gxe::in_folder(self.folder.path())
            .env("XDG_RUNTIME_DIR", &root)
            .args(&format!("--app {app} --manifest {MANIFEST} --app-root {root}"))
    }

    /// `gxe` in the folder of the example.
    fn plain(&self) -> Gxe {
        let root = self.folder.path().to_string_lossy().into_owned();
        Gxe::in_folder(self.folder.path()).env("XDG_RUNTIME_DIR", &root)
    }

    /// A worker with one of the two segments.
    fn half(&self, segment: &str, app: &str) -> Gxe {
        let file = format!("{segment}.yaml");
        let text = format!(
            "\
name: worker_entity
components:
- name: graph_worker
  type: nvidia::gxf::GraphWorker
  parameters:
    server: server
    client: client
    driver-reconnection-times: 8
    heartbeat_period_ms: 50
    graph-specs: {{{segment}: {{app-path: {app}, manifest-path: {MANIFEST}}}}}
- {{name: server, type: nvidia::gxf::HttpServer, parameters: {{port: {}}}}}
- name: client
  type: nvidia::gxf::HttpIPCClient
  parameters: {{server_ip_address: localhost, port: {}}}
",
            free_port(),
            self.driver
        );
        self.write(&file, &text);
        self.gxe(&file)
    }

    fn upstream(&self) -> Gxe {
        self.half("ucx_upstream", "gxf/ucx/tests/test_ping_ucx_tx.yaml")
    }

    fn downstream(&self) -> Gxe {
        self.half("ucx_downstream", "gxf/ucx/tests/test_ping_ucx_rx.yaml")
    }

    /// Makes the sender slow and endless.
    fn endless(&self) {
        self.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| {
            text.replace(
                "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 10}}",
                "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}",
            )
        });
    }

    /// Makes the ends of links notice soon that the other one is lost.
    fn impatient_links(&self) {
        for file in ["gxf/ucx/tests/test_ping_ucx_tx.yaml", "gxf/ucx/tests/test_ping_ucx_rx.yaml"] {
            self.edit(file, |text| {
                let beats = "heartbeat_period_ms: 50, heartbeat_timeout_ms: 400";
                let impatient = format!("{{serializer: entities, {beats}}}");
                text.replace("{serializer: entities}", &impatient)
            });
        }
    }

    /// Makes the driver notice soon that a worker is lost.
    fn impatient(&self, more: &str) {
        self.edit("driver.yaml", |text| {
            let line = format!("    heartbeat_timeout_ms: 500\n{more}    connections:");
            text.replace("    connections:", &line)
        });
    }
}

fn received(ended: &Ended) -> Vec<u64> {
    let log = ended.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    values.map(|value| value.parse().expect("a number")).collect()
}

fn driver(example: &Example) -> Running {
    let mut driver = example.gxe("driver.yaml").spawn();
    driver.wait_for("The driver is ready");
    driver
}

#[test]
fn the_seeds_files_run_unchanged_on_one_host() {
    let example = Example::new();
    let driver = driver(&example);
    let worker = example.gxe("worker.yaml").run().with_status(0);
    let driver = driver.end().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    assert_eq!(
        worker.count(
            "`ucx_upstream/tx/signal` is connected to `ucx_downstream/rx/signal` in this process"
        ),
        1
    );
    assert_eq!(worker.count("HTTP servers accept connections of this host only"), 1);
    // A regular end logs no error.
    for ended in [&worker, &driver] {
        assert!(!ended.stdout.contains(" ERROR "), "{}", ended.stdout);
    }
}

/// What is measured of a worker includes its segments, which are gone by then.
#[test]
fn segments_are_seen() {
    let example = Example::new();
    let driver = driver(&example);
    let worker = example.gxe("worker.yaml").args("--trace t.json --statistics=s.json");
    let worker = worker.run().with_status(0);
    let _ = driver.end().with_status(0);
    assert!(worker.stdout.contains("\nSegment ucx_upstream: Ran "), "{}", worker.stdout);
    let segments = &json(&example.path("s.json"))["segments"];
    for (segment, entity) in [("ucx_upstream", "tx"), ("ucx_downstream", "rx")] {
        let entities = segments[segment]["entities"].as_array().expect("a list");
        let entity = entities.iter().find(|known| known["name"] == entity).expect("the entity");
        assert_eq!(entity["ticks"], 10);
    }
    let trace = Trace::read(&std::fs::read_to_string(example.path("t.json")).expect("a trace"));
    assert_eq!(trace.links.len(), 10);
    assert!(trace.links.iter().all(|arrow| arrow.from.1 <= arrow.to.1), "{:?}", trace.links);
    assert!(
        trace.links.iter().all(|arrow| arrow.from.0 == "tx/signal" && arrow.to.0 == "rx/signal")
    );
    for group in ["ucx_upstream: entities", "ucx_downstream: threads", "ucx_downstream: links"] {
        assert!(trace.groups.contains_key(group), "{:?}", trace.groups.keys());
    }
}

/// Whether processes can have clocks of their own here, as on another host.
fn has_time_namespaces() -> bool {
    let made = std::process::Command::new("unshare").args(["--time", "true"]).output();
    let made = made.is_ok_and(|made| made.status.success());
    if !made {
        eprintln!(
            "the clocks are the same: this user cannot make time namespaces (`unshare --time`)"
        );
    }
    made
}

#[test]
fn traces_of_processes_with_different_clocks_become_one() {
    let example = Example::new();
    let driver = example.gxe("driver.yaml").args("--trace driver.json").spawn();
    let mut first = example.downstream().args("--trace rx.json");
    let skewed = has_time_namespaces();
    if skewed {
        first = first.started_by("unshare --time --monotonic 5000");
    }
    let first = first.spawn();
    let second = example.upstream().args("--trace tx.json").run().with_status(0);
    let _ = first.end().with_status(0);
    let _ = driver.end().with_status(0);
    let merge = "trace merge all.json tx.json rx.json driver.json";
    let merged = Gxe::in_folder(example.folder.path()).args(merge).run().with_status(0);
    let note = "gxe: the clock of 'rx.json' is known to ";
    assert_eq!(merged.stderr.starts_with(note), skewed, "{}", merged.stderr);
    // The driver runs where the first worker does.
    assert_eq!(merged.stderr.lines().count(), usize::from(skewed), "{}", merged.stderr);
    let text = std::fs::read_to_string(example.path("all.json")).expect("a trace");
    let trace = Trace::read(&text);
    assert_eq!(trace.links.len(), 10, "{}", second.stdout);
    // No message arrives before it was sent, as far as the clocks are known.
    let known = merged.stderr.strip_prefix(note).and_then(|rest| rest.split(' ').next());
    let error = known.map_or(0, |text| 1000 * text.parse::<u64>().expect("microseconds"));
    for arrow in &trace.links {
        assert!(arrow.from.1 <= arrow.to.1 + error, "{arrow:?}, {}", merged.stderr);
    }
    let span = |group: &str| {
        let tracks = &trace.groups.iter().find(|(name, _)| name.ends_with(group)).expect(group).1;
        let times = tracks.values().flatten().flat_map(|slice| [slice.begin, slice.end]);
        (times.clone().min().unwrap_or(0), times.max().unwrap_or(0))
    };
    let (tx, rx) = (span("ucx_upstream: entities"), span("ucx_downstream: entities"));
    let together = tx.1.max(rx.1) - tx.0.min(rx.0);
    assert!(together < 60_000_000_000, "{tx:?} {rx:?}");
    let hosts = trace.groups.keys().filter_map(|name| name.split(' ').next());
    assert_eq!(hosts.collect::<BTreeSet<_>>(), BTreeSet::from(["rx", "tx"]));
}

#[test]
fn what_cannot_be_joined() {
    let example = Example::new();
    let merge = |line: &str| Gxe::in_folder(example.folder.path()).args(line).run();
    let head = |name: &str, begin: i64| {
        format!(
            "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"recorded by\":\"gxe\",\"host\":\"h\",\
             \"clock\":{{\"name\":\"{name}\",\"begin_ns\":{begin},\"realtime_ahead_ns\":0}}}},\
             \"traceEvents\":[\n"
        )
    };
    let event = r#"{"ph":"X","name":"n","pid":1,"tid":0,"ts":1.0,"dur":1.0}"#;
    example.write("a.json", &format!("{}{event}\n]}}\n", head("a", 0)));
    example.write("b.json", &format!("{}{event}\n]}}\n", head("b", 1000)));
    example.write("cut.json", &format!("{}{event},\n", head("a", 0)));
    example.write("strange.json", &format!("{}{event} 7\n]}}\n", head("a", 0)));
    example.write("other.json", "{\"traceEvents\":[\n]}\n");
    let cases = [
        ("out.json a.json", "error: 2 values required"),
        ("out.json a.json none.json", "error: cannot read 'none.json'"),
        ("a.json a.json b.json", "error: 'a.json' is to be read, and written, too"),
        (
            "out.json a.json other.json",
            "error: 'other.json' is no trace that gxe wrote: line 1 does not say which clock the \
             times are from",
        ),
        (
            "out.json a.json cut.json",
            "error: 'cut.json' is no trace that gxe wrote: line 3 is missing: the trace is cut off",
        ),
        (
            "out.json a.json strange.json",
            "error: 'strange.json' is no trace that gxe wrote: line 2 is no event",
        ),
    ];
    for (line, error) in cases {
        let ended = merge(&format!("trace merge {line}"));
        assert!(ended.status != Some(0) && ended.stderr.contains(error), "{}", ended.stderr);
    }
    let merged = merge("trace merge out.json a.json b.json").with_status(0);
    assert_eq!(
        merged.stderr,
        "gxe: no link leads from 'b.json' to 'a.json': the hosts' clocks of the day tell how they \
         fit together\n"
    );
    let events = json(&example.path("out.json"));
    let times = events["traceEvents"].as_array().expect("events").iter().map(|one| &one["ts"]);
    assert_eq!(times.collect::<Vec<_>>(), [1.0, 2.0]);
}

#[test]
fn two_workers_in_either_order() {
    let example = Example::new();
    // A worker that is first tries again.
    let mut first = example.downstream().spawn();
    first.wait_for("was not reached");
    let driver = driver(&example);
    let second = example.upstream().run().with_status(0);
    let first = first.end().with_status(0);
    let _ = driver.end().with_status(0);
    assert_eq!(received(&first), (0..10).collect::<Vec<_>>());
    assert_eq!(
        second.count("`ucx_upstream/tx/signal` is connected to `ucx_downstream/rx/signal` at"),
        1,
        "{}",
        second.stdout
    );
}

#[test]
fn a_driver_that_never_comes() {
    let example = Example::new();
    example.edit("worker.yaml", |text| {
        text.replace("    server: this", "    driver-reconnection-times: 1\n    server: this")
    });
    let ended = example.gxe("worker.yaml").run().with_status(5);
    let port = example.driver;
    ended.complains(&format!("the driver at localhost:{port} was not reached in 2 attempts"));
    ended.complains("Connection refused");
}

#[test]
fn a_worker_that_is_killed_stops_the_others() {
    let example = Example::new();
    example.endless();
    example.impatient("");
    let driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("KILL");
    let driver = driver.end().with_status(5);
    driver.complains("is lost with its segments ucx_upstream: its last sign of life was 0.");
    let downstream = downstream.end().with_status(5);
    downstream.complains("ended this worker: worker 127.0.0.1:");
    downstream.complains("is lost with its segments ucx_upstream");
    drop(upstream.end());
}

#[test]
fn a_worker_that_is_stopped_says_so() {
    let example = Example::new();
    example.endless();
    let driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("TERM");
    // Long before it would be missed.
    let driver = driver.end().with_status(5);
    driver.complains("is lost with its segments ucx_upstream: it was stopped");
    let downstream = downstream.end().with_status(5);
    downstream.complains("is lost with its segments ucx_upstream: it was stopped");
    let upstream = upstream.end().with_status(143);
    let notes = upstream.notes();
    let last = notes.last().expect("a note");
    assert!(last.starts_with("gxe: stopped by SIGTERM: ") && !last.contains(": 0 ticks"), "{last}");
}

#[test]
fn a_worker_that_is_frozen_is_lost() {
    let example = Example::new();
    example.endless();
    example.impatient("");
    let driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("STOP");
    let driver = driver.end().with_status(5);
    driver.complains("is lost with its segments ucx_upstream: its last sign of life was 0.");
    downstream.end().with_status(5).complains("ended this worker: worker 127.0.0.1:");
    upstream.signal("CONT");
    upstream.wait_for("gives no sign of life");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
}

/// However many are frozen, the others end soon: the driver waits for no answer of a worker that is
/// lost. Here it asks all of them again and again, because they are in a circle.
#[test]
fn workers_that_are_frozen_do_not_keep_the_others_waiting() {
    let mut cut = Cut { segments: 3, ..Cut::default() };
    for segment in 0..3 {
        let (name, components) = (format!("e{segment}"), FORWARDS.to_owned());
        cut.entities.push(Part { name, segment, components });
    }
    for (source, target) in [(0, 1), (1, 2), (2, 0)] {
        cut.connect((source, "out"), (target, "in"), 1);
    }
    // One that never rests.
    cut.entities.push(Part { name: "busy".to_owned(), segment: 2, components: TICKS.to_owned() });
    let example = Example::new();
    cut.write(&example, true);
    let run = |part: &str| {
        let address = example.driver;
        example.plain().args(&format!("run cut.yaml {part} --address 127.0.0.1:{address}")).spawn()
    };
    let mut driver = run("--driver");
    driver.wait_for("The driver is ready");
    let mut workers = [0, 1, 2].map(|segment| run(&format!("--worker --fragments s{segment}")));
    driver.wait_for("All segments are active");
    workers.iter_mut().for_each(|worker| worker.wait_for("Scheduling"));
    // No longer while the driver starts them.
    std::thread::sleep(Duration::from_millis(500));
    let begin = Instant::now();
    let [mut first, mut second, third] = workers;
    first.signal("STOP");
    second.signal("STOP");
    driver.end().with_status(5).complains(": its last sign of life was 5.");
    third.end().with_status(5).complains("ended this worker: worker 127.0.0.1:");
    // Long before a call that nobody answers would fail.
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    for mut frozen in [first, second] {
        frozen.signal("KILL");
        drop(frozen.end());
    }
}

#[test]
fn a_second_driver_finds_the_port_taken() {
    let example = Example::new();
    let first = driver(&example);
    let second = example.gxe("driver.yaml").run().with_status(4);
    second.complains(&format!(
        "cannot listen at 127.0.0.1:{}: Address already in use",
        example.driver
    ));
    // The first one does not notice.
    let worker = example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = first.end().with_status(0);
}

#[test]
fn a_worker_that_comes_back_is_waited_for() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    let mut driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("KILL");
    driver.wait_for("waiting for it to come back");
    drop(upstream.end());
    // On the same port.
    let mut upstream = example.gxe("ucx_upstream.yaml").spawn();
    upstream.wait_for("is connected to `ucx_downstream/rx/signal`");
    downstream.wait_for("rx_value = 3");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    let _ = downstream.end();
}

/// It listens at another port: with the default, each start takes one that is free. It takes the
/// place of the one before it, also before the driver has noticed that it is lost.
#[test]
fn a_worker_that_comes_back_at_another_port_is_waited_for() {
    for is_missed in [true, false] {
        let example = Example::new();
        example.endless();
        let timeout = if is_missed { 500 } else { 60_000 };
        example.edit("driver.yaml", |text| {
            let line = format!("    heartbeat_timeout_ms: {timeout}\n    on_worker_lost: wait\n");
            text.replace("    connections:", &format!("{line}    connections:"))
        });
        let mut driver = driver(&example);
        let mut upstream = example.upstream().spawn();
        let mut first = example.downstream().spawn();
        first.wait_for("rx_value = 20");
        first.signal("KILL");
        drop(first.end());
        if is_missed {
            driver.wait_for("waiting for it to come back");
        }
        let mut second = example.downstream().spawn();
        driver.wait_for("takes the place of worker 127.0.0.1:");
        second.wait_for("rx_value = ");
        upstream.signal("INT");
        let _ = upstream.end().with_status(130);
        second.wait_for("Segment ucx_downstream has ended");
        driver.signal("INT");
        let _ = driver.end().with_status(130);
        let _ = second.end();
    }
}

/// A frozen worker was replaced, and goes on: it is sent home, and nobody else notices.
#[test]
fn a_worker_that_was_replaced_is_sent_home() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    example.impatient_links();
    let mut driver = driver(&example);
    let mut first = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    first.signal("STOP");
    driver.wait_for("waiting for it to come back");
    let mut second = example.upstream().spawn();
    driver.wait_for("takes the place of worker 127.0.0.1:");
    second.wait_for("is connected to `ucx_downstream/rx/signal`");
    downstream.wait_for("rx_value = 0");
    first.signal("CONT");
    first.end().with_status(5).complains("another worker has taken its place");
    downstream.wait_for("rx_value = ");
    second.signal("INT");
    let _ = second.end().with_status(130);
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    let _ = downstream.end();
}

#[test]
fn a_new_driver_takes_running_workers_over() {
    let example = Example::new();
    example.endless();
    let mut first = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    first.signal("KILL");
    drop(first.end());
    // Data goes on without a driver.
    downstream.wait_for("gives no sign of life");
    downstream.wait_for("Message Received");
    let mut second = driver(&example);
    second.wait_for("registered with segments");
    second.wait_for("registered with segments");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    second.end().with_status(5).complains("with its segments ucx_upstream: it was stopped");
    drop(downstream.end());
}

/// A worker is restarted while there is no driver, and the next driver hears of it first.
#[test]
fn a_new_driver_starts_a_new_worker_beside_one_that_runs() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    let mut first = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    first.signal("KILL");
    upstream.signal("KILL");
    downstream.signal("STOP");
    drop((first.end(), upstream.end()));
    let mut second = driver(&example);
    let mut upstream = example.gxe("ucx_upstream.yaml").spawn();
    second.wait_for("registered with segments ucx_upstream");
    downstream.signal("CONT");
    upstream.wait_for("is connected to `ucx_downstream/rx/signal`");
    downstream.wait_for("rx_value = 0");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    downstream.wait_for("Segment ucx_downstream has ended");
    second.signal("INT");
    let _ = second.end();
    let _ = downstream.end();
}

/// Memory in KiB and number of descriptors of a process.
fn size(running: &Running) -> (u64, usize) {
    let folder = PathBuf::from(format!("/proc/{}", running.pid()));
    let status = std::fs::read_to_string(folder.join("status")).expect("a status");
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    let memory = memory.trim().trim_end_matches(" kB").parse().expect("a number");
    (memory, std::fs::read_dir(folder.join("fd")).expect("a folder").count())
}

/// Driver and workers are killed and restarted, and links broken, at random for `SOAK_SECONDS`: what
/// arrives stays in order, nothing is lost or doubled but what a killed process had, and no process
/// grows.
#[test]
#[ignore = "make soak-network"]
fn random_kills_lose_only_what_the_killed_had() {
    let seconds = std::env::var("SOAK_SECONDS").map_or(20, |text| text.parse().expect("a number"));
    let until = Instant::now() + Duration::from_secs(seconds);
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    example.impatient_links();
    let patient = |gxe: Gxe| gxe.patience(Duration::from_secs(seconds + 120));
    let start_driver = || {
        let mut driver = patient(example.gxe("driver.yaml")).spawn();
        driver.wait_for("The driver is ready");
        driver
    };
    let again = |file: &str| patient(example.gxe(file)).spawn();
    let mut driver = start_driver();
    let (mut up, mut down) =
        (patient(example.upstream()).spawn(), patient(example.downstream()).spawn());
    down.wait_for("rx_value = 20");
    let mut sizes = [&driver, &up, &down].map(size);
    let mut random = Random(20_261_124);
    // What each run of the receiver got, and how often the sender was restarted.
    let (mut runs, mut restarts) = (Vec::new(), 0);
    while Instant::now() < until {
        let what = random.below(5);
        match what {
            0 | 1 => {
                driver.signal("KILL");
                drop(driver.end());
                if what == 1 {
                    up.signal("KILL");
                    drop(up.end());
                    up = again("ucx_upstream.yaml");
                    restarts += 1;
                }
                driver = start_driver();
                driver.wait_for("registered with segments");
                driver.wait_for("registered with segments");
                if what == 1 {
                    down.wait_for("rx_value = 0");
                    sizes[1] = size(&up);
                }
                sizes[0] = size(&driver);
            }
            2 => {
                up.signal("KILL");
                drop(up.end());
                up = again("ucx_upstream.yaml");
                restarts += 1;
                down.wait_for("rx_value = 0");
                sizes[1] = size(&up);
            }
            3 => {
                down.signal("KILL");
                runs.push(received(&down.end()));
                down = again("ucx_downstream.yaml");
                down.wait_for("Message Received");
                sizes[2] = size(&down);
            }
            // As long as a connection is trusted without a sign of life, and longer.
            _ => {
                up.signal("STOP");
                down.wait_for("has lost its connection to `ucx_upstream/tx/signal`");
                up.signal("CONT");
                down.wait_for("Message Received");
            }
        }
        std::thread::sleep(Duration::from_millis(random.below(300)));
        for (running, (memory, descriptors)) in [&driver, &up, &down].into_iter().zip(sizes) {
            let (late_memory, late_descriptors) = size(running);
            assert!(late_memory < memory + 8192, "{memory} KiB, then {late_memory} KiB");
            assert!(late_descriptors < descriptors + 16, "{descriptors}, then {late_descriptors}");
        }
    }
    up.signal("INT");
    let _ = up.end().with_status(130);
    down.wait_for("Segment ucx_downstream has ended");
    driver.signal("INT");
    drop(driver.end());
    runs.push(received(&down.end()));
    // The receiver's capacity: what it had taken and not printed, or printed and not acknowledged.
    const HELD: u64 = 10;
    let (mut resets, mut next) = (0, None::<u64>);
    for run in &runs {
        for (index, value) in run.iter().copied().enumerate() {
            match next {
                _ if value == 0 => resets += 1,
                Some(next) if index == 0 => {
                    assert!(value.abs_diff(next) <= HELD, "{value} for {next}")
                }
                Some(next) => assert_eq!(value, next, "{run:?}"),
                None => {}
            }
            next = Some(value + 1);
        }
    }
    assert!(resets <= restarts + 1, "{resets} times from the beginning, with {restarts} restarts");
}

#[test]
fn a_segment_that_fails_ends_all() {
    let example = Example::new();
    example.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| {
        text.replace("port: 13", "maximum_connection_retries: 1, port: 13").replace(
            "- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: signal}}",
            "",
        )
    });
    example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
        text.replace("{buffer: buffer,", "{buffer: buffer, capacity: 1,")
            .replace("receiver: signal}}", "receiver: signal}}\n- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 100ms}}")
    });
    let driver = driver(&example);
    let downstream = example.downstream().spawn();
    let upstream = example.upstream().run().with_status(5);
    upstream.complains("segment ucx_upstream failed: ");
    let driver = driver.end().with_status(5);
    driver.complains("segment ucx_upstream of worker 127.0.0.1:");
    driver.complains("is full (capacity 1, policy 2 \"fault\")");
    let _ = downstream.end().with_status(5);
}

#[test]
fn a_segment_that_two_workers_have() {
    let example = Example::new();
    let mut driver = driver(&example);
    let mut one = example.upstream().spawn();
    driver.wait_for("registered with segments ucx_upstream");
    one.wait_for("Registered with the driver");
    // The second one is sent home, and the run goes on.
    let two = example.upstream().run().with_status(5);
    two.complains("ended this worker: worker 127.0.0.1:");
    two.complains(" has segment ucx_upstream");
    driver.wait_for("is refused: worker 127.0.0.1:");
    let down = example.downstream().run().with_status(0);
    assert_eq!(received(&down), (0..10).collect::<Vec<_>>());
    let _ = one.end().with_status(0);
    let _ = driver.end().with_status(0);
}

#[test]
fn connections_that_lead_nowhere() {
    let example = Example::new();
    example.edit("driver.yaml", |text| text.replace("rx.signal", "rx.signa"));
    let driver = driver(&example);
    let worker = example.gxe("worker.yaml").run().with_status(5);
    let text = "no segment has the receiver `ucx_downstream.rx.signa`; did you mean `ucx_downstream.rx.signal`?";
    worker.complains(text);
    driver.end().with_status(5).complains(text);
}

#[test]
fn requests_of_strangers_change_nothing() {
    let example = Example::new();
    let driver = driver(&example);
    let ask = |request: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", example.driver)).expect("the driver");
        stream.write_all(request.as_bytes()).expect("it takes bytes");
        let mut answer = String::new();
        _ = stream.read_to_string(&mut answer);
        answer.lines().next().unwrap_or_default().to_owned()
    };
    let post = |path: &str, body: &str| {
        let length = body.len();
        ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    };
    let status = |line: &str| line.split(' ').nth(1).unwrap_or_default().to_owned();
    assert_eq!(status(&ask("GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n")), "200");
    assert_eq!(status(&post("/GraphDriver/RegisterGraphWorker", "{")), "400");
    assert_eq!(status(&post("/GraphDriver/RegisterGraphWorker", "[1]")), "400");
    assert_eq!(status(&post("/GraphDriver/Dance", "{}")), "400");
    assert_eq!(status(&post("/GraphDriver/RegisterGraphWorker", "")), "400");
    assert_eq!(status(&post("/Nobody/Home", "x")), "404");
    assert_eq!(status(&post("/GraphDriver", "x")), "400");
    assert_eq!(status(&ask("PUT /GraphDriver/x HTTP/1.1\r\nHost: localhost\r\n\r\n")), "405");
    let page = "POST /GraphDriver/x HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(status(&ask(page)), "403");
    let huge =
        "POST /GraphDriver/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999\r\n\r\n";
    assert_eq!(status(&ask(huge)), "413");
    // Workers that cannot be.
    for (ip, port, segments) in [
        ("127.0.0.1", "x", SEGMENT),
        ("127.0.0.1", "99999", SEGMENT),
        ("", "1", SEGMENT),
        ("127.0.0.1", "1", ""),
    ] {
        let worker = format!(
            r#"{{"server_ip_address": "{ip}", "server_port": "{port}", "segment_info_list": [{segments}]}}"#
        );
        assert_eq!(status(&post("/GraphDriver/RegisterGraphWorker", &worker)), "400", "{worker}");
    }
    let worker = example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
}

const SEGMENT: &str = r#"{"segment_name": "s", "ip_port_address_map": {}}"#;

#[test]
fn a_wrong_token_is_refused() {
    let example = Example::new();
    let token = |name: &str| {
        example.write(name, name);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(example.path(name), mode).expect("permissions");
        example.path(name).to_string_lossy().into_owned()
    };
    let (right, wrong) = (token("right"), token("wrong"));
    let mut driver = example.gxe("driver.yaml").env("GXE_TOKEN_FILE", &right).spawn();
    driver.wait_for("The driver is ready");
    example.edit("worker.yaml", |text| {
        text.replace("    server: this", "    driver-reconnection-times: 1\n    server: this")
    });
    let ended = example.gxe("worker.yaml").env("GXE_TOKEN_FILE", &wrong).run().with_status(5);
    ended.complains("the token is wrong (401 Unauthorized)");
    let worker = example.gxe("worker.yaml").env("GXE_TOKEN_FILE", &right).run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
}

/// As a service manager or a script ends it, without a terminal.
#[test]
fn a_signal_to_one_command_reaches_all() {
    // In a terminal, Ctrl-C reaches all processes anyway.
    let has_terminal = std::fs::File::open("/dev/tty").is_ok();
    let signals = [("TERM", 143), ("HUP", 143), ("INT", 130)];
    for (signal, status) in signals.into_iter().filter(|(name, _)| *name != "INT" || !has_terminal)
    {
        let example = Example::new();
        let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
        example.write("ping.yaml", &text);
        let endless =
            "{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10ms}}";
        let counted = "{type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 10}}";
        example.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| text.replace(counted, endless));
        let mut launched = example.plain().args("launch ping.yaml").spawn();
        let pid = launched.pid();
        let children = || {
            let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
            let children = children.unwrap_or_default();
            children.split_whitespace().map(str::to_owned).collect::<Vec<_>>()
        };
        gxe_tests::eventually("all processes run", || children().len() == 3);
        launched.wait_for("Scheduling");
        let children = children();
        launched.signal(signal);
        let ended = launched.end();
        assert_eq!(ended.status, Some(status), "{signal}: {}", ended.stderr);
        for child in children {
            let is_there = Path::new(&format!("/proc/{child}")).exists();
            assert!(!is_there, "{signal}: process {child} goes on");
        }
    }
}

#[test]
fn one_command_starts_all() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let gxe = || {
        let folder = example.folder.path().to_string_lossy().into_owned();
        Gxe::in_folder(example.folder.path()).env("XDG_RUNTIME_DIR", &folder)
    };
    let ended = gxe().args("launch ping.yaml").run().with_status(0);
    assert_eq!(received(&ended), (0..10).collect::<Vec<_>>());
    ended.complains("gxe: starting: gxe run ping.yaml --driver --address=127.0.0.1:");
    ended.complains("gxe: starting: gxe run ping.yaml --worker --fragments=downstream --address=");
    // What is printed is for a shell.
    let line = "launch ping.yaml --print --";
    let printed = gxe().args(line).arg("--param=a/b/c=$x y").run().clean().stdout;
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 3, "{printed}");
    assert!(lines[0].starts_with("gxe run ping.yaml --driver --address=127.0.0.1:"), "{printed}");
    assert!(lines[2].ends_with(" '--param=a/b/c=$x y'"), "{printed}");
    // Without segments nothing would ever happen.
    example.write("empty.yaml", "connections: []\ngraph-specs: {}\n");
    for line in ["run empty.yaml --driver --worker", "check empty.yaml", "launch empty.yaml"] {
        let ended = gxe().args(line).run().with_status(3);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("`graph-specs` names no segment"), "{said}");
        assert!(said.contains("--> empty.yaml:2:14"), "{said}");
    }
    // A process may be driver and worker.
    let ended = gxe()
        .args("run ping.yaml --driver --worker --address")
        .arg(&format!("localhost:{}", free_port()));
    assert_eq!(received(&ended.run().with_status(0)), (0..10).collect::<Vec<_>>());
    for (line, status, text) in [
        (
            "run ping.yaml --worker --fragments upstrem",
            3,
            "has no segment `upstrem`; it has upstream, downstream",
        ),
        ("run ping.yaml --fragments upstream", 2, "'--fragments' needs --driver or --worker"),
        ("run ping.yaml --driver --address nowhere", 2, "'--address nowhere' is no address"),
        (
            "run ping.yaml --driver --address [::1]:57777",
            4,
            "cannot listen at `::1`, which '--address' names",
        ),
        (
            "run ping.yaml --worker --address fd00::1:57777",
            2,
            "'--address fd00::1:57777' is no address",
        ),
        (
            "run ping.yaml --worker --address [fd00:99]:57777",
            2,
            "write a host and a port:  --address 127.0.0.1:57777  or  --address [2001:db8::1]:57777",
        ),
        (
            "run ping.yaml --driver --address 192.0.2.1:57777",
            4,
            "cannot listen at `192.0.2.1`, which '--address' names: this host has no such address",
        ),
        (
            "run ping.yaml --driver --address 127.0.0.2:57777",
            4,
            "cannot listen at `127.0.0.2`, which '--address' names",
        ),
        (
            "run ping.yaml --worker --worker-address 192.0.2.1:57778",
            4,
            "cannot listen at `192.0.2.1`, which '--worker-address' names",
        ),
        ("run ping.yaml worker.yaml --driver", 2, "--driver and --worker take one file"),
        ("run worker.yaml --driver", 3, "has no `graph-specs`, which names the app"),
        ("ping.yaml", 2, "`gxe launch ping.yaml` runs them all on this machine"),
        ("launch missing.yaml", 3, "missing.yaml"),
    ] {
        gxe().args(line).run().with_status(status).complains(text);
    }
}

#[test]
fn graph_draws_all_segments() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let gxe = |line: &str| Gxe::in_folder(example.folder.path()).args(line).run();
    let drawn = gxe("graph ping.yaml").with_status(0).stdout;
    for text in ["label=\"upstream\"", "label=\"downstream\"", "tooltip=\"upstream.tx\""] {
        assert!(drawn.contains(text), "{text}: {drawn}");
    }
    assert_eq!(drawn.matches(" -> ").count(), 1, "{drawn}");
    let page = gxe("graph ping.yaml --output ping.html");
    assert!(page.with_status(0).stderr.is_empty());
    example.edit("ping.yaml", |text| text.replace("downstream.rx.signal", "downstream.rx.signa"));
    let drawn = gxe("graph ping.yaml").with_status(0);
    drawn.complains(
        "the connection from `upstream.tx.signal` to `downstream.rx.signa` leads nowhere",
    );
    example.edit("ping.yaml", |text| text.replace("test_ping_ucx_rx.yaml", "missing.yaml"));
    gxe("graph ping.yaml").with_status(3).complains("segment downstream");
}

/// Commands of Slurm that start the tasks of a job on this machine.
const SLURM: [(&str, &str); 3] = [
    ("sbatch", "SLURM_JOB_ID=7$$ SLURM_JOB_NODELIST=here exec sh -s\n"),
    ("scontrol", "[ \"$*\" = \"show hostnames here\" ] && echo localhost\n"),
    (
        "srun",
        "[ \"$*\" = \"--kill-on-bad-exit=1 --label sh -s\" ] || exit 2
script=$(cat)
SLURM_PROCID=0 sh -c \"$script\" & first=$!
SLURM_PROCID=1 sh -c \"$script\" & second=$!
wait $first && wait $second\n",
    ),
];

#[test]
fn launch_submits_what_it_prints() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let programs = example.path("programs");
    let executable = |name: &str, text: &str| {
        example.write(&format!("programs/{name}"), &format!("#!/bin/sh\n{text}"));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(programs.join(name), mode).expect("permissions");
    };
    SLURM.iter().for_each(|(name, text)| executable(name, text));
    std::os::unix::fs::symlink(gxe_tests::build::gxe(), programs.join("gxe")).expect("a link");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let folder = example.folder.path().to_string_lossy().into_owned();
    let gxe = |line: &str| {
        Gxe::in_folder(example.folder.path())
            .env("XDG_RUNTIME_DIR", &folder)
            .env("PATH", &path)
            .args(line)
    };
    let submitted = gxe("launch ping.yaml --with slurm").run().with_status(0);
    assert_eq!(received(&submitted), (0..10).collect::<Vec<_>>());
    submitted.complains("gxe: submitting with: sbatch");
    let printed = gxe("launch ping.yaml --with slurm --name Two_Hosts --print -- --severity=error");
    let printed = printed.run().with_status(0).stdout;
    assert!(submitted.stderr.contains("exec gxe run ping.yaml --driver --worker"), "{printed}");
    assert!(printed.contains("#SBATCH --job-name=two-hosts\n#SBATCH --ntasks=2\n"), "{printed}");
    assert!(
        printed.contains(
            "1) exec gxe run ping.yaml --worker --fragments=downstream --severity=error \
             --address=\"$driver\" ;;"
        ),
        "{printed}"
    );
    // A job without its tasks fails.
    executable("srun", "echo no nodes >&2; exit 3\n");
    let failed = gxe("launch ping.yaml --with slurm").run().with_status(5);
    failed.complains("'sbatch' failed (exit status: 3)");
    gxe("launch ping.yaml --with kubernetes")
        .run()
        .with_status(2)
        .complains("name it:  --image=REGISTRY/IMAGE:TAG");
    let printed = gxe("launch ping.yaml --with kubernetes --image gxe:1 --print").run();
    let printed = printed.with_status(0).stdout;
    let line = "1) exec gxe run ping.yaml --worker --fragments=downstream --control=/tmp/gxe.sock ";
    assert!(printed.contains(line), "{printed}");
    assert!(printed.contains("--address=\"ping-0.ping:57777\" ;;"), "{printed}");
    let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&printed).expect("YAML");
    assert_eq!(documents[1]["spec"]["completions"], 2);
    let container = &documents[1]["spec"]["template"]["spec"]["containers"][0];
    let probe = serde_json::json!(["gxe", "top", "/tmp/gxe.sock", "--json", "--count=1"]);
    assert_eq!(container["livenessProbe"]["exec"]["command"], probe);
    // Names that YAML takes for something else are texts, and Kubernetes leaves arguments alone.
    let line = "launch ping.yaml --with kubernetes --image gxe:1 --name true --print --";
    let printed = gxe(line).arg("--param=a/b/c=$(X)$$word").run().with_status(0).stdout;
    let documents: Vec<serde_json::Value> = serde_saphyr::from_multiple(&printed).expect("YAML");
    let template = &documents[1]["spec"]["template"];
    for name in [
        &documents[0]["metadata"]["name"],
        &documents[0]["spec"]["selector"]["job-name"],
        &documents[1]["metadata"]["name"],
        &template["metadata"]["labels"]["job-name"],
        &template["spec"]["subdomain"],
    ] {
        assert_eq!(name, "true", "{printed}");
    }
    let script = template["spec"]["containers"][0]["args"][0].as_str().expect("a script");
    assert!(script.starts_with("case \"$$JOB_COMPLETION_INDEX\" in\n"), "{script}");
    assert!(script.contains("'--param=a/b/c=$$(X)$$$$word'"), "{script}");
    gxe("launch ping.yaml --with ray").run().with_status(5).complains("'python3'");
    let printed = gxe("launch ping.yaml --with ray --print").run().with_status(0).stdout;
    assert!(printed.contains("\"--worker\",\"--fragments=downstream\"]"), "{printed}");
}

#[test]
fn check_follows_connections_through_all_segments() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let check = || {
        let ended = Gxe::in_folder(example.folder.path()).args("check ping.yaml").run();
        (ended.status, ended.stdout)
    };
    assert_eq!(check(), (Some(0), "nothing found\n".to_owned()));
    example.write("ping.yaml", &text.replace("downstream.rx.signal", "downstream.rx.signl"));
    let (status, said) = check();
    assert_eq!(status, Some(4), "{said}");
    for text in [
        "`connections`: no segment has the UcxReceiver `downstream.rx.signl`",
        "did you mean `downstream.rx.signal`?",
        "no connection leads to receiver `downstream.rx.signal`",
    ] {
        assert!(said.contains(text), "{said}");
    }
    example.write("ping.yaml", &text.replace("test_ping_ucx_tx", "test_ping_ucx_rx"));
    let (_, said) = check();
    let text = "receivers `upstream.rx.signal` and `downstream.rx.signal` both listen at port ";
    assert!(said.contains(text), "{said}");
}

/// Segments in a circle, none of which sends the first message. With one that does, nothing is wrong.
#[test]
fn check_finds_segments_that_wait_for_each_other() {
    let mut cut = Cut { segments: 3, ..Cut::default() };
    for segment in 0..3 {
        let (name, components) = (format!("e{segment}"), FORWARDS.to_owned());
        cut.entities.push(Part { name, segment, components });
    }
    for (source, target) in [(0, 1), (1, 2), (2, 0)] {
        cut.connect((source, "out"), (target, "in"), 1);
    }
    let example = Example::new();
    cut.write(&example, true);
    let check = || {
        let ended = Gxe::in_folder(example.folder.path()).args("check cut.yaml").run();
        (ended.status, ended.stdout)
    };
    let (status, said) = check();
    assert_eq!(status, Some(4), "{said}");
    for text in [
        "error[deadlock-cycle]: segments `s0`, `s1`, `s2` wait for each other's messages, so none ever \
         sends one",
        " --> ./s0.yaml:",
        " `s0` waits here for a message of `s2.e2.out`",
        " `s1` waits here for a message of `s0.e0.out`",
        " `s2` waits here for a message of `s1.e1.out`",
        "the circle: `s0.e0.out` to `s1.e1.in`, `s1.e1.out` to `s2.e2.in`, `s2.e2.out` to `s0.e0.in`",
    ] {
        assert!(said.contains(text), "{text}\n{said}");
    }
    assert_eq!(said.matches("deadlock-cycle").count(), 1, "{said}");
    // An entity that ticks without messages.
    let text = std::fs::read_to_string(example.folder.path().join("s1.yaml")).expect("a segment");
    let term = "nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}";
    let count = "nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}";
    assert!(text.contains(term), "{text}");
    example.write("s1.yaml", &text.replace(term, count));
    let (_, said) = check();
    assert!(!said.contains("deadlock-cycle"), "{said}");
}

/// A random graph, each entity of which is in one of some segments.
#[derive(Default)]
struct Cut {
    segments: u64,
    entities: Vec<Part>,
    connections: Vec<Edge>,
    /// What arrives in the end, in any order.
    expected: Vec<u64>,
}

struct Part {
    name: String,
    segment: u64,
    /// Its components but queues.
    components: String,
}

/// A connection, with the numbers of two entities and the names of their queues.
struct Edge {
    source: (usize, &'static str),
    target: (usize, &'static str),
    capacity: u64,
    port: u16,
}

fn sends(count: u64) -> String {
    format!(
        "- {{type: nvidia::gxf::PingTx, parameters: {{signal: out}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
"
    )
}

const FORWARDS: &str = "- {type: nvidia::gxf::Forward, parameters: {in: in, out: out}}\n";
const PRINTS: &str = "- {type: nvidia::gxf::PingRx, parameters: {signal: in}}\n";
const TICKS: &str = "\
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: out}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 20ms}}
";
const GATHERS: &str = "\
- {type: nvidia::gxf::Gather, parameters: {sink: out, tick_source_limit: 1}}
- {type: nvidia::gxf::MultiMessageAvailableSchedulingTerm, parameters: {receivers: [in, again]}}
";
const SENDS_EVERY_OTHER_BACK: &str =
    "- {type: nvidia::gxf::Broadcast, parameters: {source: in, mode: RoundRobin}}\n";

impl Cut {
    fn new(random: &mut Random) -> Self {
        let mut cut = Self { segments: 2 + random.below(3), ..Self::default() };
        for _ in 0..1 + random.below(3) {
            cut.add_chain(random);
        }
        for _ in 0..random.below(3) {
            cut.add_ring(random);
        }
        cut
    }

    fn add(&mut self, random: &mut Random, components: &str) -> usize {
        let (name, segment) = (format!("e{}", self.entities.len()), random.below(self.segments));
        self.entities.push(Part { name, segment, components: components.to_owned() });
        self.entities.len() - 1
    }

    fn connect(
        &mut self,
        source: (usize, &'static str),
        target: (usize, &'static str),
        capacity: u64,
    ) {
        // An entity that gathers has a term of its own.
        if !self.entities[target.0].components.contains("again") {
            let receiver = target.1;
            self.entities[target.0].components += &format!(
                "- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: {receiver}}}}}\n"
            );
        }
        self.entities[source.0].components += &format!(
            "- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: {}}}}}\n",
            source.1
        );
        self.connections.push(Edge { source, target, capacity, port: free_port() });
    }

    fn add_chain(&mut self, random: &mut Random) {
        let count = 1 + random.below(40);
        let mut last = self.add(random, &sends(count));
        for _ in 0..random.below(4) {
            let next = self.add(random, FORWARDS);
            self.connect((last, "out"), (next, "in"), 2);
            last = next;
        }
        let printer = self.add(random, PRINTS);
        self.connect((last, "out"), (printer, "in"), 2);
        self.expected.extend(0..count);
    }

    /// Messages come to a ring, go around once or twice, and leave it. Nothing in it ever ends.
    fn add_ring(&mut self, random: &mut Random) {
        let count = random.below(4);
        let source = self.add(random, &sends(count));
        let first = self.add(random, GATHERS);
        self.connect((source, "out"), (first, "in"), 4);
        let mut last = first;
        for _ in 0..random.below(3) {
            let next = self.add(random, FORWARDS);
            self.connect((last, "out"), (next, "in"), 4);
            last = next;
        }
        let split = self.add(random, SENDS_EVERY_OTHER_BACK);
        self.connect((last, "out"), (split, "in"), 4);
        self.connect((split, "back"), (first, "again"), 4);
        let printer = self.add(random, PRINTS);
        self.connect((split, "out"), (printer, "in"), 4);
        self.expected.extend(0..count);
    }

    /// Writes the files; returns the words after `gxe` that run them, in one process or in several.
    fn write(&self, example: &Example, is_one_process: bool) -> String {
        let (mut specs, mut connections) = (String::new(), String::new());
        for segment in 0..self.segments {
            let (app, leaving) = self.segment(segment);
            example.write(&format!("s{segment}.yaml"), &app);
            specs += &format!(
                "  s{segment}: {{app-path: s{segment}.yaml, manifest-path: {MANIFEST}}}\n"
            );
            connections.extend(leaving);
        }
        let connections =
            if connections.is_empty() { "[]".to_owned() } else { format!("\n{connections}") };
        example.write("cut.yaml", &format!("graph-specs:\n{specs}connections: {connections}"));
        match is_one_process {
            true => format!("run cut.yaml --driver --worker --address 127.0.0.1:{}", free_port()),
            false => "launch cut.yaml".to_owned(),
        }
    }

    /// The app of a segment, and the connections that leave it.
    fn segment(&self, segment: u64) -> (String, Vec<String>) {
        let (mut app, mut leaving) = (String::new(), Vec::new());
        for (number, entity) in self.entities.iter().enumerate() {
            if entity.segment != segment {
                continue;
            }
            let name = &entity.name;
            app += &format!("---\nname: {name}\ncomponents:\n{BUFFER}");
            for edge in &self.connections {
                let Edge { source: (source, out), target: (target, into), capacity, port } = edge;
                let (source, target) = (&self.entities[*source], &self.entities[*target]);
                let is_link = source.segment != target.segment;
                if edge.target.0 == number {
                    app += &if is_link {
                        format!(
                            "- {{name: {into}, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, capacity: {capacity}, port: {port}}}}}\n"
                        )
                    } else {
                        format!("- {{name: {into}, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: {capacity}}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: {}/{out}, target: {into}}}}}\n", source.name)
                    };
                }
                if edge.source.0 == number {
                    let kind = if is_link { "UcxTransmitter" } else { "DoubleBufferTransmitter" };
                    let buffer = if is_link { "buffer: buffer, " } else { "" };
                    app += &format!(
                        "- {{name: {out}, type: nvidia::gxf::{kind}, parameters: {{{buffer}capacity: {capacity}}}}}\n"
                    );
                    if is_link {
                        let (from, to) = (source.segment, target.segment);
                        let target = &target.name;
                        leaving.push(format!(
                            "- {{source: s{from}.{name}.{out}, target: s{to}.{target}.{into}}}\n"
                        ));
                    }
                }
            }
            app += &entity.components;
        }
        let example = std::fs::read_to_string(root().join("gxf/ucx/tests/test_ping_ucx_rx.yaml"));
        let example = example.expect("the example");
        let tail = example.find("---\nname: links").expect("its network");
        (format!("{app}{}", &example[tail..]), leaving)
    }
}

/// Whatever is cut where, also into segments that lead to each other in a circle, what arrives is
/// what the whole graph sends, and the run ends. `CUT_GRAPHS` sets the number of graphs.
#[test]
fn graphs_that_are_cut_do_what_they_did() {
    let cases = std::env::var("CUT_GRAPHS").map_or(12, |text| text.parse().expect("a number"));
    let mut random = Random(20_261_122);
    for case in 0..cases {
        let cut = Cut::new(&mut random);
        let example = Example::new();
        let line = cut.write(&example, case % 3 != 0);
        let ended = example.plain().args(&line).run().with_status(0);
        let mut found = received(&ended);
        let mut expected = cut.expected;
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected, "case {case}:\n{}", ended.stdout);
    }
}

/// Two segments, each waiting for the other, in processes of their own or in one.
#[test]
fn segments_in_a_circle_end_when_all_rest() {
    for is_one_process in [false, true] {
        let mut cut = Cut { segments: 2, ..Cut::default() };
        for segment in 0..2 {
            let (name, components) = (format!("e{segment}"), FORWARDS.to_owned());
            cut.entities.push(Part { name, segment, components });
        }
        cut.connect((0, "out"), (1, "in"), 1);
        cut.connect((1, "out"), (0, "in"), 1);
        let example = Example::new();
        let line = cut.write(&example, is_one_process);
        let ended = example.plain().args(&line).run().with_status(0);
        let text = "All segments rest, and nothing is under way: their links end";
        assert_eq!(ended.count(text), 1, "{}", ended.stdout);
        let text = "which wait for each other's: s1 for s0, s0 for s1";
        assert_eq!(ended.count(text), 1, "{}", ended.stdout);
        for segment in ["s0", "s1"] {
            assert_eq!(ended.count(&format!("Segment {segment} has ended")), 1, "{}", ended.stdout);
        }
        assert!(!ended.stdout.contains(" ERROR "), "{}", ended.stdout);
    }
}

/// A driver that is a worker, too, does not wait for segments that this process cannot load.
#[test]
fn a_segment_that_cannot_be_loaded_ends_the_driver_beside_it() {
    let example = Example::new();
    example.write("segment.yaml", "name: a\ncomponents:\n- {type: nobody::Knows}\n");
    let segment = format!("{{app-path: segment.yaml, manifest-path: {MANIFEST}}}");
    example.write("app.yaml", &format!("graph-specs:\n  up: {segment}\n"));
    let line = format!("run app.yaml --driver --worker --address 127.0.0.1:{}", free_port());
    let ended = example.plain().args(&line).run().with_status(5);
    ended.complains("segment up failed: cannot load `./segment.yaml`");
    ended.complains("unknown component type `nobody::Knows`");
}

#[test]
fn job_statistics_are_served() {
    let example = Example::new();
    let port = free_port();
    example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
        format!(
            "{text}---
name: statistics
components:
- {{name: server, type: nvidia::gxf::HttpServer, parameters: {{port: {port}}}}}
- {{type: nvidia::gxf::JobStatistics, parameters: {{clock: scheduler/clock, server: server}}}}
"
        )
    });
    let mut rx = example.gxe("gxf/ucx/tests/test_ping_ucx_rx.yaml").spawn();
    rx.wait_for("Scheduling");
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server");
        let request = format!("GET /stat/{path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it takes bytes");
        let mut answer = String::new();
        _ = stream.read_to_string(&mut answer);
        answer
    };
    let all = ask("entity");
    assert!(
        all.contains(r#""name":"rx","uid":"#) && all.contains("execution_time_total_ms"),
        "{all}"
    );
    assert!(ask("term").contains("MessageAvailableSchedulingTerm"), "{}", ask("term"));
    assert!(ask("report").contains(r#"{"entities":["#));
    assert!(ask("entity/1234567").contains("there is no entity with the id `1234567`"));
    assert!(ask("weather").contains("the statistics have no `weather`"));
    let _ = example
        .gxe("gxf/ucx/tests/test_ping_ucx_tx.yaml")
        .args("--statistics")
        .run()
        .with_status(0);
    let rx = rx.end().with_status(0);
    assert!(rx.stdout.contains("\n  10 messages, "), "{}", rx.stdout);
}
