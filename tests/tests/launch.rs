//! `gxe launch`, and what drivers and workers say about mistakes in the files of a graph.

use gxe_tests::links::{common_entities, free_port, ping_receiver, ping_sender};
use gxe_tests::{Ended, Gxe};

const GREEDY: &str = gxe_tests::links::GREEDY;

/// Two segments in a folder of their own, `up` and `down`.
struct Ping {
    folder: tempfile::TempDir,
}

impl Ping {
    fn new() -> Self {
        let ping = Self { folder: tempfile::tempdir().expect("a folder") };
        let port = format!("port: {}", free_port());
        let up = ping_sender(&port, 3);
        let down = ping_receiver(&port);
        ping.write("up.yaml", &format!("{up}---\n{}", common_entities("", GREEDY)));
        ping.write("down.yaml", &format!("{down}---\n{}", common_entities("", GREEDY)));
        let manifest =
            "extensions: [libgxf_std.so, libgxf_sample.so, libgxf_ucx.so, libgxf_http.so]\n";
        ping.write("m.yaml", manifest);
        ping.segments("{source: up.tx.signal, target: down.rx.signal}");
        ping
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.folder.path().join(file), text).expect("a file");
    }

    /// Writes `p.yaml`, with these connections.
    fn segments(&self, connections: &str) {
        self.write(
            "p.yaml",
            &format!(
                "\
graph-specs:
  up: {{app-path: up.yaml, manifest-path: m.yaml}}
  down: {{app-path: down.yaml, manifest-path: m.yaml}}
connections: [{connections}]
"
            ),
        );
    }

    fn gxe(&self, line: &str) -> Gxe {
        let folder = self.folder.path().to_string_lossy().into_owned();
        Gxe::in_folder(self.folder.path()).env("XDG_RUNTIME_DIR", &folder).args(line)
    }

    fn run(&self, line: &str) -> Ended {
        self.gxe(line).run()
    }
}

/// They have its output, so that this ends when the last of them does.
#[test]
fn processes_end_when_the_launcher_is_killed() {
    let ping = Ping::new();
    let up = std::fs::read_to_string(ping.folder.path().join("up.yaml")).expect("a file");
    ping.write("up.yaml", &up.replace("count: 3", "count: 1000000"));
    let mut launch = ping.gxe("launch p.yaml").spawn();
    launch.wait_for("rx_value = 3");
    launch.signal("KILL");
    drop(launch.end());
}

/// Ray waits for all actors, so the program that it is given has to end those that are left over.
#[test]
fn a_process_that_fails_on_a_node_of_ray_ends_the_others() {
    if std::process::Command::new("/usr/bin/python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3");
        return;
    }
    let ping = Ping::new();
    let programs = ping.folder.path().join("programs");
    std::fs::create_dir(&programs).expect("a folder");
    let ray = include_str!("launch/ray.py");
    ping.write("programs/ray.py", ray);
    let gxe = gxe_tests::build::gxe();
    let start = |text: &str| {
        ping.write("programs/gxe", &format!("#!/bin/sh\n{text}\nexec {} \"$@\"\n", gxe.display()));
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        std::fs::set_permissions(programs.join("gxe"), mode).expect("permissions");
        ping.gxe("launch p.yaml --with ray")
            .env("PATH", &format!("{}:/usr/bin:/bin", programs.display()))
            .env("PYTHONPATH", &programs.to_string_lossy())
            .run()
    };
    let ended = start("").with_status(0);
    assert!(ended.stdout.contains("rx_value = 2"), "{}", ended.stdout);
    // Before the driver hears of it.
    let ended = start("case \"$*\" in *--fragments=down*) exit 3 ;; esac").with_status(5);
    ended.complains("'python3' failed (exit status: 3)");
}

#[test]
fn a_segment_that_cannot_be_loaded_ends_all_processes() {
    let ping = Ping::new();
    ping.write("down.yaml", "name: a\ncomponents:\n- {type: nobody::Knows}\n");
    let ended = ping.run("launch p.yaml").with_status(5);
    ended.complains("segment down failed: cannot load `./down.yaml`");
    ended.complains("segment down of worker 127.0.0.1:");
    std::fs::remove_file(ping.folder.path().join("up.yaml")).expect("the file");
    ping.run("launch p.yaml").with_status(5).complains("segment up failed: ");
}

#[test]
fn a_source_that_is_no_transmitter_ends_all_processes() {
    let ping = Ping::new();
    for source in ["up.tx.signa", "up.tx.ping"] {
        ping.segments(&format!("{{source: {source}, target: down.rx.signal}}"));
        let ended = ping.run("launch p.yaml").with_status(5);
        let text = format!("segment up failed: no segment has the transmitter `{source}`");
        ended.complains(&text);
    }
    ping.segments("{source: up.tx.signa, target: down.rx.signal}");
    let ended = ping.run("launch p.yaml").with_status(5);
    ended.complains("`up.tx.signa`; did you mean `up.tx.signal`?");
    let found = ping.run("check p.yaml").with_status(4).stdout;
    assert!(found.contains("--> p.yaml:4:24"), "{found}");
}

#[test]
fn a_transmitter_has_one_receiver() {
    let ping = Ping::new();
    let one = "{source: up.tx.signal, target: down.rx.signal}";
    ping.segments(&format!("{one}, {{source: up.tx.signal, target: down.rx.other}}"));
    for command in ["check", "launch"] {
        let ended = ping.run(&format!("{command} p.yaml")).with_status(3);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("`up.tx.signal` leads to both `down.rx.signal` and"), "{said}");
        assert!(said.contains("--> p.yaml:4:"), "{said}");
    }
}

/// Sends a signal to the process that `gxe launch` started with these words.
fn signal(launch: u32, words: &str, signal: &str) {
    let children = std::fs::read_to_string(format!("/proc/{launch}/task/{launch}/children"));
    let children = children.expect("the processes");
    let is_meant = |child: &&str| {
        let line = std::fs::read_to_string(format!("/proc/{child}/cmdline"));
        line.is_ok_and(|line| line.contains(words))
    };
    let child = children.split_whitespace().find(is_meant).expect("the process");
    let sent = std::process::Command::new("kill").args([&format!("-{signal}"), child]).status();
    assert!(sent.expect("kill").success());
}

#[test]
fn a_process_that_dies_ends_the_others() {
    let ping = Ping::new();
    let up = std::fs::read_to_string(ping.folder.path().join("up.yaml")).expect("a file");
    let endless = "PeriodicSchedulingTerm, parameters: {recess_period: 5ms}";
    ping.write("up.yaml", &up.replace("CountSchedulingTerm, parameters: {count: 3}", endless));
    let mut launched = ping.gxe("launch p.yaml").spawn();
    launched.wait_for("Message Received");
    signal(launched.pid(), "--driver", "KILL");
    let ended = launched.end().with_status(5);
    ended.complains("the driver has failed (signal: 9 (SIGKILL)); ending the others");
}

/// The other processes end by themselves, or because the driver says so.
#[test]
fn a_worker_that_stands_still_does_not_outlive_the_others() {
    let ping = Ping::new();
    let up = std::fs::read_to_string(ping.folder.path().join("up.yaml")).expect("a file");
    let endless = "PeriodicSchedulingTerm, parameters: {recess_period: 5ms}";
    ping.write("up.yaml", &up.replace("CountSchedulingTerm, parameters: {count: 3}", endless));
    let mut launched = ping.gxe("launch p.yaml").spawn();
    launched.wait_for("Message Received");
    signal(launched.pid(), "fragments=down", "STOP");
    signal(launched.pid(), "fragments=up", "KILL");
    let ended = launched.end().with_status(5);
    let text = "the worker of segment `up` has failed (signal: 9 (SIGKILL)); ending the others";
    ended.complains(text);
    assert!(!ended.stderr.contains("it was stopped"), "{}", ended.stderr);
}

#[test]
fn each_process_writes_its_own_files() {
    let ping = Ping::new();
    let ended = ping.run("launch p.yaml -- --trace=t.json --log-file-path log").with_status(0);
    drop(ended);
    for name in ["driver", "up", "down"] {
        for file in [format!("t.{name}.json"), format!("log.{name}")] {
            assert!(ping.folder.path().join(&file).exists(), "{file}");
        }
    }
    let line = "trace merge all.json t.driver.json t.up.json t.down.json";
    let _ = ping.run(line).with_status(0);
}

#[test]
fn options_that_processes_cannot_share_are_refused() {
    let ping = Ping::new();
    for (options, text) in [
        ("-- --metrics 127.0.0.1:9100", "let each take a free port:  --metrics=127.0.0.1:0"),
        ("-- --serve=127.0.0.1:9100", "'--serve 127.0.0.1:9100' names one port"),
        ("-- --driver", "'--driver' differs between the processes"),
        ("--print -- --fragments=up", "'--fragments' differs between the processes"),
        ("-- --severity foo", "foo"),
        ("-- --nobody-knows", "unexpected argument '--nobody-knows'"),
        ("--with slurm --image x", "'--image' is for Kubernetes only"),
        ("--name x", "'--name' is for Slurm, Kubernetes and Ray only"),
    ] {
        let ended = ping.run(&format!("launch p.yaml {options}")).with_status(2);
        ended.complains(text);
        assert!(!ended.stderr.contains("starting:"), "{}", ended.stderr);
    }
    for (line, text) in [
        ("run p.yaml --driver --fragments up", "'--fragments' needs --worker"),
        ("run p.yaml --driver --worker-address 127.0.0.1:1", "'--worker-address' needs --worker"),
        ("run p.yaml --worker --fragments up,up", "'--fragments' names `up` twice"),
    ] {
        ping.run(line).with_status(2).complains(text);
    }
}

#[test]
fn the_status_is_that_of_the_process_that_failed() {
    let ping = Ping::new();
    let _ = ping.gxe("launch p.yaml").env("GXE_TOKEN_FILE", "missing").run().with_status(4);
    // Several processes may write between each other's words.
    let line = format!("run p.yaml --driver --address 127.0.0.1:{}", free_port());
    let ended = ping.gxe(&line).env("GXE_TOKEN_FILE", "missing").run().with_status(4);
    ended.complains("GXE_TOKEN_FILE: token file 'missing' cannot be read: No such file");
    assert!(!ended.stderr.contains("\"parameters\""), "{}", ended.stderr);
    let gxe = ping.gxe(&line).env("GXE_INSECURE", "yes");
    gxe.run().with_status(4).complains("GXE_INSECURE is \"yes\", and must be 1 or unset");
}

#[test]
fn ends_of_links_are_named_with_their_segments() {
    let ping = Ping::new();
    let ended = ping.run("launch p.yaml").with_status(0);
    assert_eq!(ended.count("`up/tx/signal` is connected to `down/rx/signal` at "), 1);
}

#[test]
fn carriers_that_do_not_fit_are_named() {
    let ping = Ping::new();
    let up = std::fs::read_to_string(ping.folder.path().join("up.yaml")).expect("a file");
    let up = up.replace("{serializer: entities", "{serializer: entities, carrier: unix");
    ping.write("up.yaml", &up.replace("port: ", "maximum_connection_retries: 1, port: "));
    let down = std::fs::read_to_string(ping.folder.path().join("down.yaml")).expect("a file");
    let down = down.replace("{serializer: entities", "{serializer: entities, carrier: tcp");
    ping.write("down.yaml", &down);
    let ended = ping.run("launch p.yaml").with_status(5);
    ended.complains("no receiver with `carrier` unix or auto listens for this port");
}

#[test]
fn a_worker_that_beats_too_slowly_is_refused() {
    let ping = Ping::new();
    let (driver, worker) = (free_port(), free_port());
    let ends = |port, address| {
        format!(
            "- {{name: server, type: nvidia::gxf::HttpServer, parameters: {{port: {port}}}}}
- {{name: client, type: nvidia::gxf::HttpIPCClient{address}}}
"
        )
    };
    let own = ends(driver, String::new());
    let connections = "{source: up.tx.signal, target: down.rx.signal}";
    ping.write(
        "driver.yaml",
        &format!(
            "name: driver
components:
{own}- type: nvidia::gxf::GraphDriver
  parameters: {{server: server, client: client, connections: [{connections}]}}
"
        ),
    );
    let towards = format!(", parameters: {{server_ip_address: localhost, port: {driver}}}");
    let own = ends(worker, towards);
    ping.write(
        "worker.yaml",
        &format!(
            "name: worker
components:
{own}- type: nvidia::gxf::GraphWorker
  parameters:
    server: server
    client: client
    heartbeat_period_ms: 20000
    graph-specs:
      up: {{app-path: up.yaml, manifest-path: m.yaml}}
"
        ),
    );
    let mut driver = ping.gxe("driver.yaml --manifest m.yaml").spawn();
    driver.wait_for("The driver is ready");
    let ended = ping.run("worker.yaml --manifest m.yaml --app-root .").with_status(5);
    ended.complains("its `heartbeat_period_ms` is 20000, and must be less than the driver's `heartbeat_timeout_ms`, which is 5000");
    // An action may have another name, but not that of another one.
    for (name, problem) in [("''", "``"), ("a/b", "`a/b`"), ("StopWorker", "`StopWorker`")] {
        let text = std::fs::read_to_string(ping.folder.path().join("worker.yaml")).expect("a file");
        let text =
            text.replace("    server:", &format!("    run-segments-uri: {name}\n    server:"));
        ping.write("wrong.yaml", &text);
        let ended = ping.run("wrong.yaml --manifest m.yaml --app-root .").with_status(4);
        ended.complains(&format!("`run-segments-uri` is {problem}, and must be a name"));
    }
    driver.signal("INT");
    let _ = driver.end().with_status(130);
}
