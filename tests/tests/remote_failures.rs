//! Segments that fail beside others, and a driver that does not answer.

use crate::remote::{Example, driver, received, root};
use gxe_tests::links::{GREEDY, common_entities, free_port, ping_receiver, ping_sender};
use gxe_tests::{PATIENCE, build};
use gxf_runtime::Context;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_sample.so
- libgxf_test.so
- libgxf_ucx.so
- libgxf_http.so
";

/// Fails after some ticks.
fn fails_after(ticks: u64) -> String {
    format!("- {{type: nvidia::gxf::test::MockFailure, parameters: {{num_max_ticks: {ticks}}}}}\n")
}

/// A worker with a segment that ticks 20 times and one that fails after some ticks of three.
struct GoodAndBad {
    example: Example,
}

impl GoodAndBad {
    fn new(policy: &str) -> Self {
        let example = Example::new();
        let worker = free_port();
        let server = |port| format!("nvidia::gxf::HttpServer, parameters: {{port: {port}}}");
        let client =
            format!("nvidia::gxf::HttpIPCClient, parameters: {{port: {}}}", example.driver);
        example.write("m.yaml", MANIFEST);
        let files =
            |name: &str| format!("{name}: {{app-path: {name}.yaml, manifest-path: m.yaml}}");
        example.write(
            "worker.yaml",
            &format!(
                "\
name: worker
components:
- {{name: s, type: {}}}
- {{name: c, type: {client}}}
- type: nvidia::gxf::GraphWorker
  parameters: {{server: s, client: c, graph-specs: {{{}, {}}}}}
",
                server(worker),
                files("good"),
                files("bad"),
            ),
        );
        example.write(
            "driver.yaml",
            &format!(
                "\
name: driver
components:
- {{name: s, type: {}}}
- {{name: c, type: nvidia::gxf::HttpIPCClient}}
- type: nvidia::gxf::GraphDriver
  parameters: {{server: s, client: c, segments: [good, bad], on_worker_lost: {policy}}}
",
                server(example.driver)
            ),
        );
        let both = Self { example };
        both.segment(
            "good",
            20,
            "\
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: out}}
",
        );
        both
    }

    fn segment(&self, name: &str, count: u64, components: &str) {
        self.example.write(
            &format!("{name}.yaml"),
            &format!(
                "\
name: {name}
components:
{components}\
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 20ms}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}
"
            ),
        );
    }
}

const LAST_TICK: &str = "Message Sent: int_value = 19";

#[test]
fn segments_beside_one_that_fails_go_on_without_it() {
    let both = GoodAndBad::new("ignore");
    both.segment("bad", 3, &fails_after(0));
    let driver = driver(&both.example);
    let worker = both.example.gxe("worker.yaml").run().with_status(5);
    worker.complains("segment bad failed: ");
    assert_eq!(worker.count(LAST_TICK), 1, "{}", worker.stdout);
    let driver = driver.end().with_status(0);
    assert_eq!(driver.count("going on without it"), 1, "{}", driver.stdout);
}

/// The same for one that does not even become active. Actors wait until the entities of all segments
/// have started, but not for those of this one.
#[test]
fn segments_beside_one_that_cannot_be_activated_go_on_without_it() {
    for scheduler in ["nvidia::gxf::GreedyScheduler", "gxe::ActorScheduler"] {
        let both = GoodAndBad::new("ignore");
        both.segment("bad", 3, "- {type: nvidia::gxf::PingTx}\n");
        both.example
            .edit("good.yaml", |text| text.replace("nvidia::gxf::GreedyScheduler", scheduler));
        let driver = driver(&both.example);
        let worker = both.example.gxe("worker.yaml").run().with_status(5);
        worker.complains("segment bad failed: ");
        assert_eq!(worker.count(LAST_TICK), 1, "{}", worker.stdout);
        let _ = driver.end().with_status(0);
    }
}

/// No worker could register it, so the driver would wait for ever.
#[test]
fn a_driver_waits_for_segments_with_names_only() {
    let both = GoodAndBad::new("stop");
    let named = std::fs::read_to_string(both.example.path("driver.yaml")).expect("a driver");
    for name in ["", "a.b"] {
        let list = format!("segments: [good, '{name}']");
        both.example.write("driver.yaml", &named.replace("segments: [good, bad]", &list));
        let text =
            format!("`segments`: `{name}` is no name of a segment: one without dots is needed");
        let check = both.example.plain().args("check driver.yaml --manifest m.yaml");
        let found = check.run().with_status(4);
        assert!(found.stdout.contains(&text), "{}", found.stdout);
        both.example.gxe("driver.yaml").run().with_status(4).complains(&text);
    }
}

/// The worker ends when its other segments have, so that it can be started again.
#[test]
fn a_segment_that_fails_is_waited_for() {
    let both = GoodAndBad::new("wait");
    both.segment("bad", 3, &fails_after(0));
    let mut driver = driver(&both.example);
    let worker = both.example.gxe("worker.yaml").run().with_status(5);
    worker.complains("segment bad failed: ");
    assert_eq!(worker.count(LAST_TICK), 1, "{}", worker.stdout);
    driver.wait_for("waiting for it to come back");
    both.segment("bad", 3, &fails_after(3));
    let worker = both.example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(worker.count(LAST_TICK), 1, "{}", worker.stdout);
    let driver = driver.end().with_status(0);
    assert_eq!(driver.count("waiting for it to come back"), 1, "{}", driver.stdout);
}

/// Both segments in one worker; a driver that goes on without one that fails.
fn both_in_one() -> Example {
    let example = Example::new();
    example.endless();
    example.edit("driver.yaml", |text| {
        text.replace("    connections:", "    on_worker_lost: ignore\n    connections:")
    });
    example.edit(crate::remote::MANIFEST, |text| format!("{text}- libgxf_test.so\n"));
    example
}

/// In one process, too, a transmitter notices that its receiver has failed, and looks for another.
#[test]
fn a_receiver_of_the_same_process_that_fails_is_noticed() {
    let example = both_in_one();
    example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
        text.replacen("---\nname: links", &format!("{}---\nname: links", fails_after(5)), 1)
    });
    example.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| {
        text.replace("{buffer: buffer,", "{buffer: buffer, maximum_connection_retries: 1,")
    });
    example.impatient_links();
    let driver = driver(&example);
    let worker = example.gxe("worker.yaml").run().with_status(5);
    assert_eq!(received(&worker), (0..=5).collect::<Vec<_>>());
    let lost = "`ucx_upstream/tx/signal` has lost its connection to `ucx_downstream/rx/signal` in \
                this process: it is gone";
    assert_eq!(worker.count(lost), 1, "{}", worker.stdout);
    worker.complains("Segment ucx_upstream failed: ");
    worker.complains("`ucx_upstream/tx/signal` found no receiver at ");
    let _ = driver.end().with_status(0);
}

/// The same for a receiver whose transmitter has failed.
#[test]
fn a_transmitter_of_the_same_process_that_fails_is_noticed() {
    let example = both_in_one();
    example.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| {
        text.replacen("---\nname: links", &format!("{}---\nname: links", fails_after(5)), 1)
    });
    example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
        text.replace("{serializer: entities}", "{serializer: entities, reconnect_timeout_ms: 300}")
    });
    let driver = driver(&example);
    let worker = example.gxe("worker.yaml").run().with_status(5);
    worker.complains("segment ucx_downstream failed: ");
    worker.complains(
        "`ucx_upstream/tx/signal` in this process did not come back to receiver \
         `ucx_downstream/rx/signal` in 0.3 s",
    );
    let _ = driver.end().with_status(0);
}

/// Two graphs of a program: the one that receives fails and is run again.
#[test]
fn a_receiver_of_the_same_process_that_runs_again_is_found() {
    let graph = |entity: String| {
        let context = Context::new();
        for library in ["gxf_sample", "gxf_test", "gxf_ucx"] {
            context.load_extension(&build::library(library)).expect("the extension");
        }
        let app = entity + &common_entities("", GREEDY);
        context.load_app_text("app", &app, &[]).expect("a graph");
        context
    };
    let port = format!("port: {}", free_port());
    let tx = graph(ping_sender(&port, 1_000_000));
    let rx = graph(ping_receiver(&port) + &fails_after(5));
    let (sender, ended) = channel();
    let run = |graph: &Context| {
        let (graph, sender) = (graph.clone(), sender.clone());
        std::thread::spawn(move || {
            let done = graph.activate().and_then(|()| graph.run());
            _ = sender.send(done.map_err(|error| error.to_string()));
        });
    };
    run(&tx);
    for _ in 0..3 {
        run(&rx);
        let done = ended.recv_timeout(PATIENCE).expect("messages arrive");
        let error = done.expect_err("a failure");
        assert!(error.contains("MockFailure"), "{error}");
    }
    tx.interrupt().expect("a graph that runs");
    ended.recv_timeout(PATIENCE).expect("the end").expect("a regular end");
}

#[test]
fn a_worker_ends_although_its_driver_does_not_answer() {
    let example = Example::new();
    example.endless();
    let mut driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    driver.signal("STOP");
    // Until it has called the driver.
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    // Long before a request fails because it takes too long.
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    for mut running in [driver, downstream] {
        running.signal("KILL");
        drop(running.end());
    }
}

/// Without connections and segments a driver starts those of the first worker, so it waits for one.
/// Another program may have the port of the driver.
#[test]
fn pages_and_long_answers_of_strangers_do_not_fill_the_log() {
    let long = "x".repeat(1 << 20);
    for (body, said) in [
        ("<!DOCTYPE html>\n<h1>no</h1>", "answers: 501 Not Implemented; it is no server of gxe)"),
        (&long, "xxx … (501 Not Implemented)"),
    ] {
        let example = Example::new();
        let stranger = TcpListener::bind(("127.0.0.1", example.driver)).expect("a free port");
        let answer =
            format!("HTTP/1.1 501 Not Implemented\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        std::thread::spawn(move || {
            for mut stream in stranger.incoming().flatten() {
                // The request is not read to its end, and the client may be gone.
                _ = stream.read(&mut [0; 4096]);
                _ = stream.write_all(answer.as_bytes());
                _ = stream.read(&mut [0; 4096]);
            }
        });
        let mut worker = example.downstream().spawn();
        let line = worker.line_with("refuses this worker");
        assert!(line.contains(said) && line.len() < 4000, "{line:.4000}");
        worker.signal("TERM");
        let _ = worker.end().with_status(143);
    }
}

/// A driver knows workers by the addresses of their servers.
#[test]
fn workers_that_share_a_server_do_not_start() {
    let example = Example::new();
    example.edit("worker.yaml", |text| {
        let (_, first) = text.split_once("name: worker_entity").expect("a worker");
        let (specs, _) = first.split_once("- name: this_worker_server").expect("a server");
        let second = specs.replace(" this_worker_server", " worker_entity/this_worker_server");
        let second = second.replace(" client_to", " worker_entity/client_to");
        format!("{text}---\nname: second{second}")
    });
    let ended = example.gxe("worker.yaml").run().with_status(5);
    ended.complains("2 GraphWorkers have the server `this_worker_server`; each needs its own");
}

/// By a name that only others know, for example.
#[test]
fn a_driver_that_does_not_reach_the_worker_of_its_process_ends_it() {
    let example = Example::new();
    let text = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &text);
    let line = format!(
        "run ping.yaml --driver --worker --address 127.0.0.1:{} --worker-address nowhere.invalid:{}",
        example.driver,
        free_port()
    );
    let ended = example.plain().env("GXE_INSECURE", "1").args(&line).run().with_status(5);
    ended.complains("SetComponentParams of worker nowhere.invalid:");
}

#[test]
fn a_driver_without_connections_says_what_it_waits_for() {
    let example = Example::new();
    example.edit("driver.yaml", |text| {
        let (head, _) = text.split_once("    connections:").expect("connections");
        format!("{head}    segment_timeout_ms: 6000\n")
    });
    let ended = example.gxe("driver.yaml").run().with_status(5);
    let text = "The driver waits for a worker, whose segments it then starts at once";
    assert!(ended.log().iter().any(|line| line.starts_with(text)), "{}", ended.stdout);
    ended.complains("no worker has registered, and none came for 6 s");
}

/// Who goes on without a segment that cannot be loaded does so, too, if others send to it.
#[test]
fn the_transmitter_of_a_receiver_that_was_never_loaded_decides_itself() {
    let example = Example::new();
    example.edit("driver.yaml", |text| {
        text.replace("    connections:", "    on_worker_lost: ignore\n    connections:")
    });
    example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
        text.replace("nvidia::gxf::PingRx", "nvidia::gxf::PingNobody")
    });
    example.edit("gxf/ucx/tests/test_ping_ucx_tx.yaml", |text| {
        text.replace("{buffer: buffer,", "{buffer: buffer, maximum_connection_retries: 1,")
    });
    let driver = driver(&example);
    let upstream = example.upstream().spawn();
    let downstream = example.downstream().run();
    downstream.complains("PingNobody");
    let upstream = upstream.end().with_status(5);
    upstream.complains("`ucx_upstream/tx/signal` found no receiver at ");
    let driver = driver.end().with_status(0);
    assert_eq!(driver.count("going on without it"), 1, "{}", driver.stdout);
}
