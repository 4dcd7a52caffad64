//! Drivers and workers: graphs in several processes.

use gxe_tests::{Ended, Gxe, Running};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};

const MANIFEST: &str = "gxf/test/distributed/test_graph_worker_manifest.yaml";

/// The root of the example, with GXF's paths below it.
fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/distributed");
    root.canonicalize().expect("the example")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
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
    driver.wait_for("Running...");
    driver
}

#[test]
fn the_seeds_files_run_unchanged_on_one_host() {
    let example = Example::new();
    let driver = driver(&example);
    let worker = example.gxe("worker.yaml").run().with_status(0);
    let driver = driver.end().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    assert_eq!(worker.count("`tx/signal` is connected to `rx/signal` in this process"), 1);
    assert_eq!(worker.count("HTTP servers accept connections of this host only"), 1);
    // A regular end logs no error.
    for ended in [&worker, &driver] {
        assert!(!ended.stdout.contains(" ERROR "), "{}", ended.stdout);
    }
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
    assert_eq!(second.count("`tx/signal` is connected to `rx/signal` at"), 1, "{}", second.stdout);
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
    upstream.wait_for("is connected to `rx/signal`");
    downstream.wait_for("rx_value = 3");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
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
    // The end travels from the source to the sink, and the driver hears of it.
    let _ = upstream.end().with_status(130);
    downstream.wait_for("Segment ucx_downstream has ended");
    second.signal("INT");
    let _ = second.end();
    let _ = downstream.end();
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
    let two = example.upstream().run().with_status(5);
    two.complains("segment ucx_upstream was registered by worker 127.0.0.1:");
    driver.end().with_status(5).complains("segment ucx_upstream was registered by worker");
    let _ = one.end().with_status(5);
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
        ask(&format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n\r\n{body}"))
    };
    let status = |line: &str| line.split(' ').nth(1).unwrap_or_default().to_owned();
    assert_eq!(status(&ask("GET /ping HTTP/1.1\r\nHost: x\r\n\r\n")), "200");
    assert_eq!(status(&post("/GraphDriver/RegisterGraphWorker", "{")), "500");
    assert_eq!(status(&post("/GraphDriver/RegisterGraphWorker", "[1]")), "500");
    assert_eq!(status(&post("/GraphDriver/Dance", "{}")), "500");
    assert_eq!(status(&post("/GraphDriver/RegisterGraphWorker", "")), "400");
    assert_eq!(status(&post("/Nobody/Home", "x")), "400");
    assert_eq!(status(&post("/GraphDriver", "x")), "400");
    assert_eq!(status(&ask("PUT /GraphDriver/x HTTP/1.1\r\nHost: x\r\n\r\n")), "405");
    let page = "POST /GraphDriver/x HTTP/1.1\r\nHost: x\r\nOrigin: http://evil\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(status(&ask(page)), "403");
    let huge = "POST /GraphDriver/x HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n";
    assert_eq!(status(&ask(huge)), "413");
    // A worker whose address leads nowhere.
    let worker =
        r#"{"server_ip_address": "127.0.0.1", "server_port": "x", "segment_info_list": []}"#;
    assert_eq!(status(&post("/GraphDriver/RegisterGraphWorker", worker)), "200");
    let worker = example.gxe("worker.yaml").spawn();
    let ended = driver.end().with_status(5);
    ended.complains("has registered with an impossible port");
    let _ = worker.end().with_status(5);
}

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
    driver.wait_for("Running...");
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
        ("run ping.yaml worker.yaml --driver", 2, "--driver and --worker take one file"),
        ("run worker.yaml --driver", 3, "the file has no `graph-specs`"),
        ("launch missing.yaml", 3, "missing.yaml"),
    ] {
        gxe().args(line).run().with_status(status).complains(text);
    }
}
