//! Two hosts, which are two network namespaces that each test makes and removes. `make test-network`
//! runs these tests; where namespaces are not allowed, they say so and pass.

use crate::{collectives, ranks};
use gxe_tests::{Ended, Gxe, Running};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const MANIFEST: &str = "gxf/test/distributed/test_graph_worker_manifest.yaml";

/// Two hosts with a cable.
struct Hosts {
    names: [String; 2],
    addresses: [&'static str; 2],
    folder: tempfile::TempDir,
}

const IPV4: [&str; 2] = ["10.99.0.1", "10.99.0.2"];
const IPV6: [&str; 2] = ["fd00:99::1", "fd00:99::2"];

fn ip(line: &str) -> bool {
    let mut command = Command::new("ip");
    let quiet = command.args(line.split_whitespace()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}

impl Hosts {
    /// `None`, with a line, where that is not allowed.
    fn new(test: &str) -> Option<Self> {
        Self::with_addresses(test, IPV4, "/24")
    }

    /// The same with these addresses, and the length of their network's prefix.
    fn with_addresses(test: &str, addresses: [&'static str; 2], prefix: &str) -> Option<Self> {
        let pid = std::process::id();
        let names = ["a", "b"].map(|side| format!("gxe-{test}-{pid}-{side}"));
        let hosts = Self { names, addresses, folder: tempfile::tempdir().expect("a folder") };
        let [a, b] = &hosts.names;
        let made = ip(&format!("netns add {a}"))
            && ip(&format!("netns add {b}"))
            && ip(&format!("-n {a} link add cable type veth peer name cable netns {b}"));
        if !made {
            eprintln!("skipped: this user cannot make network namespaces (`ip netns add`)");
            return None;
        }
        for (name, address) in hosts.names.iter().zip(addresses) {
            // Other hosts are never asked whether they have an address of IPv6, too: `nodad`.
            let mode = if address.contains(':') { " nodad" } else { "" };
            if !ip(&format!("-n {name} addr add {address}{prefix} dev cable{mode}")) {
                eprintln!("skipped: this machine gives namespaces no address such as {address}");
                return None;
            }
            assert!(ip(&format!("-n {name} link set cable up")));
            assert!(ip(&format!("-n {name} link set lo up")));
        }
        for file in
            ["gxf/ucx/tests/test_ping_ucx_tx.yaml", "gxf/ucx/tests/test_ping_ucx_rx.yaml", MANIFEST]
        {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/distributed");
            hosts.write(file, &std::fs::read_to_string(root.join(file)).expect("the example"));
        }
        hosts.write("token", "open sesame");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(hosts.path("token"), mode).expect("permissions");
        Some(hosts)
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

    /// `gxe` with an app on one of the hosts.
    fn on(&self, host: usize, app: &str) -> Gxe {
        let root = self.folder.path().to_string_lossy().into_owned();
        Gxe::in_folder(self.folder.path())
            .args(&format!("--app {app} --manifest {MANIFEST} --app-root {root}"))
            .started_by(&format!("ip netns exec {}", self.names[host]))
    }

    fn with_token(&self, gxe: Gxe) -> Gxe {
        gxe.env("GXE_TOKEN_FILE", &self.path("token").to_string_lossy())
    }

    fn driver(&self) -> Gxe {
        let text = "\
name: driver
components:
- {name: server, type: nvidia::gxf::HttpServer, parameters: {port: 50000, remote_access: true}}
- {name: client, type: nvidia::gxf::HttpIPCClient}
- name: driver
  type: nvidia::gxf::GraphDriver
  parameters:
    server: server
    client: client
    heartbeat_timeout_ms: 1000
    connections: [{source: up.tx.signal, target: down.rx.signal}]
";
        self.write("driver.yaml", text);
        self.on(0, "driver.yaml")
    }

    fn worker(&self, host: usize, segment: &str, app: &str) -> Gxe {
        let text = format!(
            "\
name: worker
components:
- {{name: server, type: nvidia::gxf::HttpServer, parameters: {{port: 50001, remote_access: true}}}}
- {{name: client, type: nvidia::gxf::HttpIPCClient, parameters: {{server_ip_address: '{}', port: 50000}}}}
- name: worker
  type: nvidia::gxf::GraphWorker
  parameters:
    server: server
    client: client
    driver-reconnection-times: 1
    heartbeat_period_ms: 100
    graph-specs: {{{segment}: {{app-path: {app}, manifest-path: {MANIFEST}}}}}
",
            self.addresses[0]
        );
        self.write(&format!("{segment}.yaml"), &text);
        self.on(host, &format!("{segment}.yaml"))
    }

    fn up(&self) -> Gxe {
        self.worker(0, "up", "gxf/ucx/tests/test_ping_ucx_tx.yaml")
    }

    fn down(&self) -> Gxe {
        self.worker(1, "down", "gxf/ucx/tests/test_ping_ucx_rx.yaml")
    }

    /// Pulls the cable, or puts it in again.
    fn cable(&self, state: &str) {
        assert!(ip(&format!("-n {} link set cable {state}", self.names[0])));
    }

    /// Sends `count` messages, 5 ms apart.
    fn slowly(&self, count: u32) {
        self.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| {
            text.replace(
                "{count: 10}}",
                &format!("{{count: {count}}}}}\n- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 5ms}}}}"),
            )
        });
    }
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for name in &self.names {
            ip(&format!("netns del {name}"));
        }
    }
}

fn received(ended: &Ended) -> Vec<u64> {
    let log = ended.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    values.map(|value| value.parse().expect("a number")).collect()
}

fn driver(hosts: &Hosts) -> Running {
    let mut driver = hosts.with_token(hosts.driver()).spawn();
    driver.wait_for("The driver is ready");
    driver
}

#[test]
#[ignore = "make test-network"]
fn a_graph_on_two_hosts() {
    let Some(hosts) = Hosts::new("run") else { return };
    ten_messages_arrive(&hosts, "10.99.0.2:13338");
}

/// Runs the graph over both hosts; its receiver listens at this address.
fn ten_messages_arrive(hosts: &Hosts, address: &str) {
    let driver = driver(hosts);
    let down = hosts.with_token(hosts.down()).spawn();
    let up = hosts.with_token(hosts.up()).run().with_status(0);
    let down = down.end().with_status(0);
    let driver = driver.end().with_status(0);
    assert_eq!(received(&down), (0..10).collect::<Vec<_>>());
    let text = format!("`up/tx/signal` is connected to `down/rx/signal` at {address} (TCP)");
    assert_eq!(up.count(&text), 1);
    for ended in [&up, &down, &driver] {
        assert!(!ended.stdout.contains(" ERROR "), "{}", ended.stdout);
    }
}

#[test]
#[ignore = "make test-network"]
fn a_graph_on_two_hosts_that_know_only_ipv6() {
    let Some(hosts) = Hosts::with_addresses("ipv6", IPV6, "/64") else { return };
    ten_messages_arrive(&hosts, "[fd00:99::2]:13338");
    // The same from the command line.
    hosts.write(
        "ping.yaml",
        &std::fs::read_to_string(
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/distributed/ping.yaml"),
        )
        .expect("the example"),
    );
    let start = |host: usize, part: &str| {
        let line = format!("run ping.yaml {part} --address [fd00:99::1]:57777");
        let gxe = Gxe::in_folder(hosts.folder.path()).args(&line);
        hosts.with_token(gxe.started_by(&format!("ip netns exec {}", hosts.names[host]))).spawn()
    };
    let up = start(0, "--driver --worker --fragments upstream");
    let down =
        start(1, "--worker --fragments downstream --worker-address [fd00:99::2]:57778").end();
    assert_eq!(received(&down.with_status(0)), (0..10).collect::<Vec<_>>());
    let _ = up.end().with_status(0);
    let absent = start(1, "--worker --worker-address [fd00:99::1]:57778").end().with_status(4);
    absent.complains("cannot listen at `fd00:99::1`, which '--worker-address' names");
}

/// As in Kubernetes, where the name of the driver's pod is not known at first.
#[test]
#[ignore = "make test-network"]
fn a_worker_that_starts_before_its_network_is_reached() {
    let Some(hosts) = Hosts::new("late") else { return };
    let address = |what: &str| {
        assert!(ip(&format!("-n {} addr {what} 10.99.0.2/24 dev cable", hosts.names[1])));
    };
    let mut driver = driver(&hosts);
    address("del");
    let down = hosts.with_token(hosts.down());
    hosts.edit("down.yaml", |text| text.replace("times: 1", "times: 8"));
    let mut down = down.spawn();
    down.wait_for("was not reached (10.99.0.1:50000: Network is unreachable");
    address("add");
    driver.wait_for("Worker 10.99.0.2:50001 registered");
    let _ = hosts.with_token(hosts.up()).run().with_status(0);
    assert_eq!(received(&down.end().with_status(0)), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
}

#[test]
#[ignore = "make test-network"]
fn a_worker_is_reached_at_the_address_that_it_was_given() {
    let Some(hosts) = Hosts::new("own") else { return };
    for (name, address) in hosts.names.iter().zip(["10.98.0.1", "10.98.0.2"]) {
        assert!(ip(&format!("-n {name} addr add {address}/24 dev cable")));
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/distributed");
    let ping = std::fs::read_to_string(root.join("ping.yaml")).expect("the example");
    hosts.write("ping.yaml", &ping);
    let start = |host: usize, part: &str| {
        let line = format!("run ping.yaml {part} --address 10.99.0.1:57777");
        let gxe = Gxe::in_folder(hosts.folder.path()).args(&line);
        hosts.with_token(gxe.started_by(&format!("ip netns exec {}", hosts.names[host]))).spawn()
    };
    let up = start(0, "--driver --worker --fragments upstream");
    let down = start(1, "--worker --fragments downstream --worker-address 10.98.0.2:57778").end();
    assert_eq!(received(&down.with_status(0)), (0..10).collect::<Vec<_>>());
    let up = up.end().with_status(0);
    assert_eq!(up.count("Worker 10.98.0.2:57778 registered"), 1, "{}", up.stdout);
    assert_eq!(up.count("at 10.98.0.2:13338 (TCP)"), 1, "{}", up.stdout);
}

#[test]
#[ignore = "make test-network"]
fn without_a_token_other_hosts_do_not_get_in() {
    let Some(hosts) = Hosts::new("token") else { return };
    let mut driver = hosts.driver().spawn();
    driver.wait_for("The driver is ready");
    let down = hosts.down().run().with_status(5);
    down.complains("the driver at 10.99.0.1:50000 was not reached in 2 attempts");
    driver.signal("INT");
    let driver = driver.end().with_status(130);
    assert_eq!(driver.count("HTTP servers accept connections of this host only"), 1);
}

#[test]
#[ignore = "make test-network"]
fn a_cable_that_is_pulled_for_a_while_loses_and_doubles_nothing() {
    let Some(hosts) = Hosts::new("heal") else { return };
    hosts.slowly(1500);
    let no_driver = |host: usize, app: &str| hosts.with_token(hosts.on(host, app));
    hosts.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| {
        text.replace("port: 13338", "port: 13338, receiver_address: 10.99.0.2").replace(
            "{serializer: entities}",
            "{serializer: entities, heartbeat_period_ms: 200, heartbeat_timeout_ms: 1000}",
        )
    });
    let mut down = no_driver(1, "gxf/ucx/tests/test_ping_ucx_rx.yaml").spawn();
    let mut up = no_driver(0, "gxf/ucx/tests/test_ping_ucx_tx.yaml").spawn();
    down.wait_for("rx_value = 50");
    // Shorter than the time-out: nothing is noticed.
    hosts.cable("down");
    std::thread::sleep(Duration::from_millis(500));
    hosts.cable("up");
    down.wait_for("rx_value = 200");
    // Longer: the link is opened again.
    hosts.cable("down");
    up.wait_for(
        "has lost its connection to `rx/signal` at 10.99.0.2:13338: no sign of life for 1.",
    );
    std::thread::sleep(Duration::from_millis(1500));
    hosts.cable("up");
    let _ = up.end().with_status(0);
    let down = down.end().with_status(0);
    assert_eq!(received(&down), (0..1500).collect::<Vec<_>>());
}

#[test]
#[ignore = "make test-network"]
fn a_host_that_is_cut_off_is_named() {
    let Some(hosts) = Hosts::new("dead") else { return };
    hosts.slowly(100_000);
    let driver = driver(&hosts);
    let mut down = hosts.with_token(hosts.down()).spawn();
    let up = hosts.with_token(hosts.up()).spawn();
    down.wait_for("rx_value = 50");
    hosts.cable("down");
    let driver = driver.end().with_status(5);
    driver.complains(
        "worker 10.99.0.2:50001 is lost with its segments down: its last sign of life was 1.",
    );
    let up = up.end().with_status(5);
    up.complains("the driver at 10.99.0.1:50000 ended this worker: worker 10.99.0.2:50001 is lost");
    // Nobody can tell the one that was cut off.
    down.wait_for("gives no sign of life");
    down.signal("INT");
    let _ = down.end().with_status(130);
}

/// Starts a plan of two ranks, one on each host; the driver is on the first.
fn two_ranks(hosts: &Hosts, messages: u32) -> (Running, [Running; 2]) {
    let source =
        |number| Some(format!("columns: [x = i + {number}], rows: 1, messages: {messages}"));
    let app = collectives::app("AllReduce", 2, |_| String::new(), source);
    collectives::prepared(hosts.folder.path(), &app);
    ranks::split(hosts.folder.path(), "--ranks 2");
    let start = |host: usize, part: &str| {
        let line = format!("run parts/ranks.yaml {part} --address {}:57777", hosts.addresses[0]);
        let namespace = format!("ip netns exec {}", hosts.names[host]);
        let gxe = ranks::gxe(hosts.folder.path(), &line).started_by(&namespace);
        hosts.with_token(gxe).spawn()
    };
    let mut driver = start(0, "--driver");
    driver.wait_for("The driver is ready");
    let worker = |host: usize| {
        let address = hosts.addresses[host];
        let part = format!("--worker --fragments rank{host} --worker-address {address}:57778");
        start(host, &part)
    };
    (driver, [worker(0), worker(1)])
}

#[test]
#[ignore = "make test-network"]
fn ranks_of_a_plan_on_two_hosts_begin_and_end_together() {
    let Some(hosts) = Hosts::new("ranks") else { return };
    let (driver, workers) = two_ranks(&hosts, 50);
    let driver = driver.end().with_status(0);
    assert_eq!(driver.count("All segments are active"), 1);
    for worker in workers {
        let worker = worker.end().with_status(0);
        assert_eq!(worker.count("(TCP)"), 1, "{}", worker.stdout);
    }
    let sums: String = (0..50).map(|i| format!("{{\"x\":{}}}\n", 2 * i + 1)).collect();
    for number in 0..2 {
        assert_eq!(ranks::printed_by(hosts.folder.path(), &format!("all{number}")), sums);
    }
}

#[test]
#[ignore = "make test-network"]
fn a_rank_on_a_host_that_is_cut_off_ends_the_job_with_its_name() {
    let Some(hosts) = Hosts::new("lost") else { return };
    let (driver, [mut first, mut second]) = two_ranks(&hosts, 100_000_000);
    first.wait_for("Scheduling 3 entities");
    second.wait_for("Scheduling 3 entities");
    std::thread::sleep(Duration::from_millis(500));
    hosts.cable("down");
    driver.end().with_status(5).complains("10.99.0.2:57778 is lost with its segments rank1: ");
    first.end().with_status(5).complains("10.99.0.2:57778 is lost with its segments rank1: ");
    // Nobody can tell the one that was cut off.
    second.signal("INT");
    let _ = second.end().with_status(130);
}
