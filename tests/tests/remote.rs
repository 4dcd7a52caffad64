//! Drivers and workers: graphs in several processes.

use crate::remote_cuts::{Cut, FORWARDS, Part};
use gxe_tests::links::free_port;
use gxe_tests::trace::Trace;
use gxe_tests::{Ended, Gxe, Running};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

pub(crate) const MANIFEST: &str = "gxf/test/distributed/test_graph_worker_manifest.yaml";

/// The root of the example, with GXF's paths below it.
pub(crate) fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/distributed");
    root.canonicalize().expect("the example")
}

/// What another process wrote.
fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
}

/// A copy of the example with ports of its own, so that tests may run side by side.
pub(crate) struct Example {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) driver: u16,
}

impl Example {
    pub(crate) fn new() -> Self {
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

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    pub(crate) fn write(&self, file: &str, text: &str) {
        let path = self.path(file);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }

    pub(crate) fn edit(&self, file: &str, edit: impl FnOnce(String) -> String) {
        let text = std::fs::read_to_string(self.path(file)).expect("a file");
        self.write(file, &edit(text));
    }

    /// `gxe` with an app of the example.
    pub(crate) fn gxe(&self, app: &str) -> Gxe {
        let root = self.folder.path().to_string_lossy().into_owned();
        Gxe::in_folder(self.folder.path())
            .env("XDG_RUNTIME_DIR", &root)
            .args(&format!("--app {app} --manifest {MANIFEST} --app-root {root}"))
    }

    /// `gxe` in the folder of the example.
    pub(crate) fn plain(&self) -> Gxe {
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

    pub(crate) fn upstream(&self) -> Gxe {
        self.half("ucx_upstream", "gxf/ucx/tests/test_ping_ucx_tx.yaml")
    }

    pub(crate) fn downstream(&self) -> Gxe {
        self.half("ucx_downstream", "gxf/ucx/tests/test_ping_ucx_rx.yaml")
    }

    /// A file with this token.
    fn token(&self, text: &str) -> String {
        self.write(text, text);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(self.path(text), mode).expect("permissions");
        self.path(text).to_string_lossy().into_owned()
    }

    /// Makes the sender slow and endless.
    pub(crate) fn endless(&self) {
        self.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| {
            text.replace(
                "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 10}}",
                "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}",
            )
        });
    }

    /// Makes the ends of links notice soon that the other one is lost.
    pub(crate) fn impatient_links(&self) {
        for file in ["gxf/ucx/tests/test_ping_ucx_tx.yaml", "gxf/ucx/tests/test_ping_ucx_rx.yaml"] {
            self.edit(file, |text| {
                let beats = "heartbeat_period_ms: 50, heartbeat_timeout_ms: 400";
                let impatient = format!("{{serializer: entities, {beats}}}");
                text.replace("{serializer: entities}", &impatient)
            });
        }
    }

    /// Makes the driver notice soon that a worker is lost.
    pub(crate) fn impatient(&self, more: &str) {
        self.edit("driver.yaml", |text| {
            let line = format!("    heartbeat_timeout_ms: 500\n{more}    connections:");
            text.replace("    connections:", &line)
        });
    }
}

pub(crate) fn received(ended: &Ended) -> Vec<u64> {
    let log = ended.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    values.map(|value| value.parse().expect("a number")).collect()
}

pub(crate) fn driver(example: &Example) -> Running {
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
        assert_ne!(entity["state"], "not started");
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
        ("127.0.0.1", "1", &format!("{SEGMENT}, {SEGMENT}")),
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
    let (right, wrong) = (example.token("right"), example.token("wrong"));
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

#[test]
fn a_worker_is_known_by_the_address_that_it_was_given() {
    let example = Example::new();
    let token = example.token("right");
    let mut driver = example.gxe("driver.yaml").env("GXE_TOKEN_FILE", &token).spawn();
    driver.wait_for("The driver is ready");
    example.edit("worker.yaml", |text| {
        text.replace("    server: this", "    own_address: localhost\n    server: this")
    });
    let worker = example.gxe("worker.yaml").env("GXE_TOKEN_FILE", &token).run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let driver = driver.end().with_status(0);
    let log = driver.log();
    assert!(log.iter().any(|text| text.starts_with("Worker localhost:")), "{log:?}");
    example.edit("worker.yaml", |text| text.replace("address: localhost", "address: localhost:1"));
    let wrong = example.gxe("worker.yaml").run().with_status(4);
    wrong.complains("`own_address` is `localhost:1`, and must be an address or a name, without a");
}

/// Without a token, a receiver listens at a loopback address: its own, or that of its version of IP.
#[test]
fn transmitters_find_receivers_at_other_addresses_of_this_host() {
    let has_ipv6 = std::net::TcpListener::bind("[::1]:0").is_ok();
    let ipv6 = ["::1", "::"].into_iter().filter(|_| has_ipv6);
    for address in ["127.0.0.5", "localhost"].into_iter().chain(ipv6) {
        let example = Example::new();
        example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
            text.replace("{buffer: buffer,", &format!("{{buffer: buffer, address: '{address}',"))
        });
        for file in ["gxf/ucx/tests/test_ping_ucx_tx.yaml", "gxf/ucx/tests/test_ping_ucx_rx.yaml"] {
            let serializer = "{serializer: entities";
            example.edit(file, |text| {
                text.replace(serializer, &format!("{serializer}, carrier: tcp"))
            });
        }
        let driver = driver(&example);
        let upstream = example.upstream().spawn();
        let downstream = example.downstream().run().with_status(0);
        assert_eq!(received(&downstream), (0..10).collect::<Vec<_>>(), "{address}");
        let _ = upstream.end().with_status(0);
        let _ = driver.end().with_status(0);
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

/// A queue with room for one message never has the three that its reader waits for.
#[test]
fn a_deadlock_over_segments_ends_as_one_in_a_graph() {
    for is_one_process in [false, true] {
        let example = Example::new();
        example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
            text.replace("UcxReceiver, parameters: {", "UcxReceiver, parameters: {capacity: 1, ")
                .replace(
                    "parameters: {receiver: signal}",
                    "parameters: {receiver: signal, min_size: 3}",
                )
        });
        let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
        example.write("ping.yaml", &text);
        let line = match is_one_process {
            true => format!("run ping.yaml --driver --worker --address 127.0.0.1:{}", free_port()),
            false => "launch ping.yaml".to_owned(),
        };
        let ended = example.plain().args(&line).run().with_status(0);
        let text = "A deadlock: all segments wait, and nobody takes what came over links from \
                    upstream to downstream";
        assert_eq!(ended.count(text), 1, "{}", ended.stdout);
        assert_eq!(received(&ended), [0; 0]);
        // A program may have messages for an entity of such a graph.
        example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
            text.replace(
                "parameters: {clock: clock}",
                "parameters: {clock: clock, stop_on_deadlock: false}",
            )
        });
        let mut running = example.plain().args(&line).spawn();
        running.wait_for("is connected to `downstream/rx/signal`");
        std::thread::sleep(Duration::from_secs(1));
        running.signal("INT");
        let ended = running.end().with_status(130);
        assert_eq!(ended.count("A deadlock: "), 0, "{}", ended.stdout);
    }
}

/// Nobody else runs its epochs.
#[test]
fn a_segment_may_have_an_epoch_scheduler() {
    let example = Example::new();
    for file in ["gxf/ucx/tests/test_ping_ucx_tx.yaml", "gxf/ucx/tests/test_ping_ucx_rx.yaml"] {
        example.edit(file, |text| text.replace("GreedyScheduler", "EpochScheduler"));
    }
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let line = format!("run ping.yaml --driver --worker --address 127.0.0.1:{}", free_port());
    let ended = example.plain().args(&line).run().with_status(0);
    assert_eq!(received(&ended), (0..10).collect::<Vec<_>>());
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
