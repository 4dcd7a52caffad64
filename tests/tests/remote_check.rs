//! `gxe check` and `gxe graph` of GXF's files: the segments of a `GraphWorker`, the connections of a
//! `GraphDriver`.

use crate::remote::{Example, MANIFEST, root};
use gxe_tests::{Ended, Gxe};

const TX: &str = "gxf/ucx/tests/test_ping_ucx_tx.yaml";
const RX: &str = "gxf/ucx/tests/test_ping_ucx_rx.yaml";

fn gxe(example: &Example, line: &str) -> Ended {
    Gxe::in_folder(example.folder.path()).args(&format!("{line} --manifest {MANIFEST}")).run()
}

/// What `gxe check` finds, with its exit status.
#[track_caller]
fn finds(example: &Example, files: &str, status: i32, texts: &[&str]) {
    let said = gxe(example, &format!("check {files}")).with_status(status).stdout;
    for text in texts {
        assert!(said.contains(text), "`{text}` is not in\n{said}");
    }
    let found = said.matches("\nerror").count() + said.matches("\nwarning").count() + 1;
    assert_eq!(found, texts.iter().filter(|text| text.contains(": ")).count(), "{said}");
}

#[track_caller]
fn finds_nothing(example: &Example, files: &str) {
    assert_eq!(gxe(example, &format!("check {files}")).with_status(0).stdout, "nothing found\n");
}

#[test]
fn the_example_is_right() {
    let example = Example::new();
    for files in ["worker.yaml", "driver.yaml", "driver.yaml worker.yaml"] {
        finds_nothing(&example, files);
    }
}

#[test]
fn files_of_segments_are_found() {
    let example = Example::new();
    example.edit("worker.yaml", |text| text.replace("test_ping_ucx_tx.yaml", "nope.yaml"));
    let missing = "error[GXF_FILE_NOT_FOUND]: segment `ucx_upstream`: there is no file `gxf/ucx/tests/nope.yaml`";
    finds(&example, "worker.yaml", 3, &[missing, "--> worker.yaml:11:19"]);
    gxe(&example, "graph worker.yaml").with_status(3).complains(missing);
    // A mistake in a segment has its own place.
    example.edit("worker.yaml", |text| text.replace("nope.yaml", "test_ping_ucx_tx.yaml"));
    example.edit(TX, |text| text.replace("PingTx", "PingTxx"));
    let unknown =
        "error[GXF_FACTORY_UNKNOWN_CLASS_NAME]: unknown component type `nvidia::gxf::PingTxx`";
    finds(&example, "worker.yaml", 3, &[unknown, "--> gxf/ucx/tests/test_ping_ucx_tx.yaml:"]);
}

#[test]
fn connections_are_followed_through_all_segments() {
    let example = Example::new();
    let driver = std::fs::read_to_string(example.path("driver.yaml")).expect("a driver");
    let connect = |target: &str| {
        example.write("driver.yaml", &driver.replace("ucx_downstream.rx.signal", target));
    };
    let unconnected = "warning: no connection leads to receiver `ucx_downstream.rx.signal`";
    connect("ucx_downstream.rx.signl");
    let texts = [
        "error[GXF_ENTITY_COMPONENT_NOT_FOUND]: `connections`: no segment has the UcxReceiver \
         `ucx_downstream.rx.signl`",
        "--> driver.yaml:16:15",
        "did you mean `ucx_downstream.rx.signal`?",
        unconnected,
    ];
    finds(&example, "driver.yaml worker.yaml", 4, &texts);
    let drawn = gxe(&example, "graph driver.yaml worker.yaml").with_status(0);
    drawn.complains("to `ucx_downstream.rx.signl` leads nowhere");
    drawn.complains("--> driver.yaml:16:15");
    // Another worker may have a segment that none here has, so this is no error.
    connect("ucx_downstraem.rx.signal");
    let texts = [
        "warning: `connections`: no worker here has a segment `ucx_downstraem`",
        "--> driver.yaml:16:15",
        "did you mean `ucx_downstream`?",
        unconnected,
    ];
    finds(&example, "driver.yaml worker.yaml", 0, &texts);
    finds_nothing(&example, "driver.yaml");
    // A driver that lists its segments names all of them.
    let segments = "segments: [ucx_upstream, ucx_downstream]\n    connections:";
    example.edit("driver.yaml", |text| text.replace("connections:", segments));
    let text = "warning: `connections`: the driver's `segments` do not name `ucx_downstraem`";
    finds(&example, "driver.yaml", 0, &[text, "--> driver.yaml:17:15"]);
    connect(
        "ucx_downstream.rx.signal\n    - source: ucx_upstream.tx.other\n      target: ucx_downstream.rx.signal",
    );
    let text = "error[GXF_PARAMETER_PARSER_ERROR]: `connections`: both `ucx_upstream.tx.signal` and \
                `ucx_upstream.tx.other` lead to `ucx_downstream.rx.signal`";
    finds(&example, "driver.yaml", 4, &[text, "--> driver.yaml:18:15"]);
    example.write("driver.yaml", &driver);
    example.edit("worker.yaml", |text| text.replace(TX, RX));
    let text = "warning: receivers `ucx_upstream.rx.signal` and `ucx_downstream.rx.signal` both listen \
                at port ";
    finds(&example, "worker.yaml", 0, &[text, "--> gxf/ucx/tests/test_ping_ucx_rx.yaml:7:24"]);
}

#[test]
fn mistakes_in_graph_specs_have_their_place() {
    let example = Example::new();
    let worker = std::fs::read_to_string(example.path("worker.yaml")).expect("a worker");
    example.write("worker.yaml", &worker.replacen("app-path", "app-pth", 1));
    let text = "error[GXF_PARAMETER_PARSER_ERROR]: `graph-specs`, segment `ucx_upstream`: unknown key \
                `app-pth`";
    finds(&example, "worker.yaml", 4, &[text, "--> worker.yaml:11:9", "did you mean `app-path`?"]);
    // A driver would refuse the worker.
    let (before, _) = worker.split_once("    graph-specs:").expect("segments");
    let (_, after) = worker.split_once("- name: this_worker_server").expect("a server");
    for specs in ["    graph-specs: {}\n", ""] {
        example.write("worker.yaml", &format!("{before}{specs}- name: this_worker_server{after}"));
        let text = "entity `worker_entity`, component `graph_worker`: `graph-specs` names no \
                    segment, so nothing would run";
        let found = format!("error[impossible-parameters]: {text}");
        finds(&example, "worker.yaml", 4, &[&found, "--> worker.yaml:"]);
        example.gxe("worker.yaml").run().with_status(4).complains(text);
    }
    // The worker would run one of the two.
    example.write("worker.yaml", &worker.replace("ucx_downstream:", "ucx_upstream:"));
    let twice = "error[GXF_PARAMETER_PARSER_ERROR]: `graph-specs` has two segments `ucx_upstream`";
    finds(&example, "worker.yaml", 4, &[twice, "--> worker.yaml:14:7", "--> worker.yaml:10:7"]);
    let ended = example.gxe("worker.yaml").run().with_status(3);
    ended.complains(twice);
    ended.complains("the graph is not run: 1 error");
    // In a file with segments only.
    let text = "graph-specs:\n  a: {app-path: x.yaml}\n  a: {app-path: y.yaml}\n";
    example.write("twice.yaml", text);
    let text = "error[GXF_PARAMETER_PARSER_ERROR]: duplicate key `a`";
    finds(&example, "twice.yaml", 3, &[text, "--> twice.yaml:3:3", "--> twice.yaml:2:3"]);
}

#[test]
fn manual_clocks_do_not_wait_for_other_segments() {
    let example = Example::new();
    for file in [TX, RX] {
        example.edit(file, |text| text.replace("RealtimeClock", "ManualClock"));
    }
    let text = "warning[manual-clock]: this graph has links to others";
    let files =
        ["--> gxf/ucx/tests/test_ping_ucx_tx.yaml:", "--> gxf/ucx/tests/test_ping_ucx_rx.yaml:"];
    finds(
        &example,
        "worker.yaml",
        0,
        &[text, text, files[0], files[1], "nvidia::gxf::RealtimeClock"],
    );
}

/// A run with `--strict` refuses what `gxe check` finds in segments, too.
#[test]
fn findings_of_segments_are_errors_when_strict() {
    let example = Example::new();
    let ping = std::fs::read_to_string(root().join("ping.yaml")).expect("the example");
    example.write("ping.yaml", &ping);
    let run = |line: &str| {
        let address = format!("127.0.0.1:{}", example.driver);
        example.plain().args(&format!("run {line} --strict --address {address}")).run()
    };
    let _ = run("ping.yaml --driver --worker").with_status(0);
    let edited = |text: String| text.replace("{count: 10}", "{count: 10, nonsense: 3}");
    example.edit(TX, edited);
    let found = "warning: `nvidia::gxf::CountSchedulingTerm` has no parameter `nonsense`";
    for part in ["--driver --worker", "--driver", "--worker", "--worker --fragments upstream"] {
        let ended = run(&format!("ping.yaml {part}")).with_status(3);
        ended.complains(found);
        ended.complains("test_ping_ucx_tx.yaml:");
        ended.complains("error: the graph is not run: 1 warning, with --strict");
    }
    example.plain().args("launch ping.yaml -- --strict").run().with_status(3).complains(found);
    let ended = example.gxe("worker.yaml").args("--strict").run().with_status(3);
    ended.complains(found);
    // Those of the other segment are its worker's.
    let line = "run ping.yaml --worker --fragments downstream --strict --address";
    let gxe = example.plain().args(line).arg(&format!("127.0.0.1:{}", example.driver));
    let mut other = gxe.spawn();
    other.wait_for("Running...");
    other.signal("INT");
    let _ = other.end().with_status(130);
    // Without it, they are only logged.
    let line = format!("run ping.yaml --driver --worker --address 127.0.0.1:{}", example.driver);
    let _ = example.plain().args(&line).run().with_status(0);
}

/// A worker may connect to segments that other workers have.
#[test]
fn segments_of_other_workers_are_no_findings_of_a_run() {
    let example = Example::new();
    let driver = example.gxe("driver.yaml").args("--strict").spawn();
    let ended = example.gxe("worker.yaml").args("--strict").run();
    let _ = ended.with_status(0);
    let _ = driver.end().with_status(0);
}

#[test]
fn segments_are_drawn_with_host_and_port() {
    let example = Example::new();
    let drawn = gxe(&example, "graph driver.yaml worker.yaml --format mermaid").clean().stdout;
    for text in [
        "subgraph g0[\"ucx_upstream<br/>worker 127.0.0.1:",
        "subgraph g1[\"ucx_downstream<br/>worker 127.0.0.1:",
        "<br/>rx.signal 127.0.0.1:",
    ] {
        assert!(drawn.contains(text), "`{text}` is not in\n{drawn}");
    }
    assert_eq!(drawn.matches(" -->|\"signal\"| ").count(), 1, "{drawn}");
    // Without the driver nobody knows where links lead.
    let drawn = gxe(&example, "graph worker.yaml").clean().stdout;
    assert!(drawn.contains("label=\"ucx_upstream\\nworker 127.0.0.1:"), "{drawn}");
    assert_eq!(drawn.matches(" -> ").count(), 0, "{drawn}");
    // Others reach it where it says, and its links if they may come in.
    example.edit("worker.yaml", |text| {
        text.replace("    graph-specs:", "    own_address: there.example\n    graph-specs:")
    });
    example.edit(RX, |text| {
        text.replace("UcxContext, parameters: {", "UcxContext, parameters: {insecure: true, ")
    });
    let drawn = gxe(&example, "graph worker.yaml --format svg").clean().stdout;
    for text in [">worker there.example:", ", rx.signal there.example:"] {
        assert!(drawn.contains(text), "`{text}` is not in\n{drawn}");
    }
}
