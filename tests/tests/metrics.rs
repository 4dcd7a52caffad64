//! `--metrics`: the page that Prometheus reads, and who may read it.

use gxe_tests::links::{BUFFER, GREEDY, common_entities, free_port, ping_receiver, ping_sender};
use gxe_tests::{Gxe, Running, eventually};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpStream;

const APP: &str = "\
name: \"a \\\"quoted\\\" name\"
components:
- {name: p, type: gxe::test::Probe, parameters: {transmitters: [out]}}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: period, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}
---
name: b
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 3}}
- {type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::DoubleBufferReceiver}
- {name: rx, type: gxe::test::Probe, parameters: {receivers: [in]}}
- {name: ready, type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {name: pool, type: nvidia::gxf::UnboundedAllocator}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: 'a \"quoted\" name/out', target: b/in}}
---
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";

/// Starts the graph; the system chooses the port.
fn serving() -> (Running, String) {
    let gxe = Gxe::app(APP).args("--metrics localhost:0 --log-file-path log");
    let log = gxe.folder().join("log");
    let running = gxe.spawn();
    let mut text = String::new();
    eventually("the second entity ticks", || {
        text = std::fs::read_to_string(&log).unwrap_or_default();
        text.contains("probe rx tick")
    });
    let address = text
        .split_once("Metrics at http://")
        .and_then(|(_, rest)| Some(rest.split_once("/metrics")?.0.to_owned()));
    (running, address.expect("the address is logged before the graph runs"))
}

/// The server's answer before it closes the connection; empty if the request deserves none.
fn ask(address: &str, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut answer = String::new();
    // Both may fail if the connection is reset.
    _ = stream.write_all(request);
    _ = stream.read_to_string(&mut answer);
    answer
}

/// The same for a request that deserves an answer. The server waits two seconds, which may pass on
/// a busy machine before the request is sent.
fn answer(address: &str, request: &[u8]) -> String {
    let mut answer = String::new();
    eventually("the server answers", || {
        answer = ask(address, request);
        !answer.is_empty()
    });
    answer
}

/// Samples of one metric: labels and value.
type Samples = Vec<(BTreeMap<String, String>, f64)>;

/// Samples by metric. Fails for anything that is not the exposition format.
fn parse(page: &str) -> BTreeMap<String, Samples> {
    let mut samples: BTreeMap<String, Vec<_>> = BTreeMap::new();
    let (mut kinds, mut seen) = (BTreeMap::new(), BTreeSet::new());
    for line in page.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            if comment == "EOF" {
                continue;
            }
            let words: Vec<&str> = comment.splitn(3, ' ').collect();
            let [what, name, text] = words[..] else { panic!("{line}") };
            match what {
                "HELP" => assert!(!text.is_empty(), "{line}"),
                "TYPE" => {
                    assert!(["counter", "gauge"].contains(&text), "{line}");
                    assert!(kinds.insert(name, text).is_none(), "twice: {line}");
                }
                _ => panic!("{line}"),
            }
            continue;
        }
        let (labelled, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert!(seen.insert(labelled), "twice: {line}");
        let (name, mut rest) = labelled.split_once('{').unwrap_or_else(|| panic!("{line}"));
        let (family, kind) = match name.strip_suffix("_total") {
            Some(family) => (family, "counter"),
            None => (name, "gauge"),
        };
        assert_eq!(kinds.get(family), Some(&kind), "{line}");
        let mut labels = BTreeMap::new();
        while rest != "}" {
            let (label, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("{line}"));
            let label = label.trim_start_matches(',');
            assert!(label.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{line}");
            let (mut text, mut characters) = (String::new(), after.char_indices());
            let end = loop {
                match characters.next().unwrap_or_else(|| panic!("{line}")) {
                    (at, '"') => break at,
                    (_, '\\') => match characters.next() {
                        Some((_, 'n')) => text.push('\n'),
                        Some((_, escaped @ ('"' | '\\'))) => text.push(escaped),
                        _ => panic!("{line}"),
                    },
                    (_, other) => text.push(other),
                }
            };
            assert!(labels.insert(label.to_owned(), text).is_none(), "{line}");
            rest = &after[end + 1..];
        }
        samples.entry(name.to_owned()).or_default().push((labels, value.parse().expect(line)));
    }
    samples
}

#[test]
fn prometheus_reads_the_page() {
    let (mut running, address) = serving();
    let answer = answer(&address, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let (head, page) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("Content-Type: application/openmetrics-text; version=1.0.0"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}", page.len())), "{head}");
    assert!(page.ends_with("# EOF\n"), "{page}");
    let samples = parse(page);
    let value = |metric: &str, wanted: &[(&str, &str)]| {
        let fits = |labels: &BTreeMap<String, String>| {
            wanted.iter().all(|(label, text)| labels.get(*label).is_some_and(|found| found == text))
        };
        let found = samples[metric].iter().find(|(labels, _)| fits(labels));
        found.unwrap_or_else(|| panic!("no {metric} {wanted:?} in\n{page}")).1
    };
    let source = ("entity", "a \"quoted\" name");
    assert!(value("gxe_entity_ticks_total", &[source]) >= 1.0);
    assert!(value("gxe_entity_execution_seconds_total", &[source]) > 0.0);
    assert!(value("gxe_entity_tick_seconds", &[source, ("quantile", "0.99")]) > 0.0);
    assert_eq!(value("gxe_entity_failed_ticks_total", &[source]), 0.0);
    assert_eq!(value("gxe_graph_state", &[("state", "running")]), 1.0);
    let receiver = [("entity", "b"), ("queue", "in"), ("direction", "receiver")];
    assert_eq!(value("gxe_queue_capacity", &receiver), 3.0);
    assert!(value("gxe_queue_messages", &receiver) <= 6.0);
    // Two queues without a name: the page has both, and no two samples with the same labels.
    assert_eq!(value("gxe_queue_capacity", &[("entity", "b"), ("number", "2")]), 1.0);
    let connection = [("source", "a \"quoted\" name/out"), ("target", "b/in")];
    assert!(value("gxe_connection_messages_total", &connection) >= 1.0);
    assert_eq!(value("gxe_allocator_used_bytes", &[("entity", "b"), ("allocator", "pool")]), 0.0);
    assert!(samples.contains_key("gxe_entity_waited_seconds_total"));
    running.signal("INT");
    let _ = running.end().with_status(130);
}

/// The marks around the name of a link's other end go, those in it stay.
#[test]
fn peers_of_links_keep_their_names() {
    let port = free_port();
    let period = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}";
    let app = format!(
        "name: 't`x'\ncomponents:\n{BUFFER}\
         - {{name: out, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {port}}}}}\n\
         - {{type: nvidia::gxf::PingTx, parameters: {{signal: out}}}}\n{period}\n---\n\
         name: rx\ncomponents:\n{BUFFER}\
         - {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {port}}}}}\n\
         - {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}\n\
         - {{type: nvidia::gxf::PingRx, parameters: {{signal: in}}}}\n{}",
        common_entities("", GREEDY)
    );
    let manifest = "extensions:\n- libgxf_sample.so\n- libgxf_ucx.so\n";
    let gxe = Gxe::app(&app).file("manifest.yaml", manifest).args("--metrics localhost:0");
    let mut running = gxe.spawn();
    let line = running.line_with("Metrics at http://");
    let (_, address) = line.split_once("http://").expect("an address");
    let address = address.split_once("/metrics").expect("a page").0;
    let mut peers = BTreeSet::new();
    eventually("both ends are known", || {
        let answer = answer(address, b"GET /metrics HTTP/1.1\r\n\r\n");
        let links = answer.lines().filter(|line| line.starts_with("gxe_link_messages"));
        let peer = |line: &str| Some(line.split_once("peer=\"")?.1.split_once('"')?.0.to_owned());
        peers = links.filter_map(peer).collect();
        peers.len() == 2 && peers.iter().all(|peer| peer.ends_with(" in this process"))
    });
    let expected = ["rx/in in this process", "t`x/out in this process"].map(str::to_owned);
    assert_eq!(peers, expected.into());
    running.signal("INT");
    let _ = running.end().with_status(130);
}

/// Else each connection would begin a new series.
#[test]
fn the_port_of_a_sender_is_no_label() {
    let parameters = format!("port: {}", free_port());
    let common = common_entities("carrier: tcp", GREEDY);
    let manifest = "extensions:\n- libgxf_sample.so\n- libgxf_ucx.so\n";
    let graph =
        |text: &str| Gxe::app(&format!("{text}---\n{common}")).file("manifest.yaml", manifest);
    let receiver = graph(&ping_receiver(&parameters)).args("--metrics localhost:0");
    let mut receiver = receiver.spawn();
    let line = receiver.line_with("Metrics at http://");
    let (_, address) = line.split_once("http://").expect("an address");
    let address = address.split_once("/metrics").expect("a page").0;
    let mut sender = graph(&ping_sender(&parameters, 1_000_000)).spawn();
    let label = "gxe_link_messages_total{entity=\"rx\",queue=\"signal\",\
                 peer=\"tx/signal at 127.0.0.1\"}";
    eventually("the sender is known", || {
        answer(address, b"GET /metrics HTTP/1.1\r\n\r\n").contains(label)
    });
    sender.signal("INT");
    let _ = sender.end().with_status(130);
    // It ends with its sender.
    let _ = receiver.end().with_status(0);
}

/// As `nc -N` does.
#[test]
fn a_client_may_end_its_side_before_the_answer() {
    let (mut running, address) = serving();
    eventually("the server answers", || {
        let mut stream = TcpStream::connect(&address).unwrap();
        let mut answer = String::new();
        _ = stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n");
        _ = stream.shutdown(std::net::Shutdown::Write);
        _ = stream.read_to_string(&mut answer);
        answer.starts_with("HTTP/1.0 200 OK\r\n") && answer.ends_with("# EOF\n")
    });
    running.signal("INT");
    let _ = running.end().with_status(130);
}

#[test]
fn other_requests_are_refused_and_disturb_nobody() {
    let (mut running, address) = serving();
    for (request, status) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], "HTTP/1.1 404 "),
        (b"GET /metrics/../../etc/passwd HTTP/1.0\r\n\r\n", "HTTP/1.0 404 "),
        (b"POST /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 405 "),
        (b"GET /metrics?x=1 HTTP/1.1\r\n\r\n", "HTTP/1.1 200 "),
        (b"HEAD /metrics HTTP/1.1\r\n\r\n", "HTTP/1.1 200 "),
    ] {
        let answer = answer(&address, request);
        assert!(answer.starts_with(status), "{}: {answer}", String::from_utf8_lossy(request));
    }
    // No request; the connection may be reset before the answer is read.
    let answered = ask(&address, &[b'x'; 1_000_000]);
    assert!(answered.is_empty() || answered.starts_with("HTTP/1.1 4"), "{answered}");
    // Silent connections block no others.
    let silent: Vec<_> = (0..12).map(|_| TcpStream::connect(&address).unwrap()).collect();
    assert!(answer(&address, b"GET /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 200 "));
    drop(silent);
    running.signal("INT");
    let _ = running.end().with_status(130);
}

#[test]
fn slow_clients_keep_nobody_out() {
    let (mut running, address) = serving();
    let head = b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx";
    let slow = |_| {
        let mut stream = TcpStream::connect(&address).unwrap();
        stream.write_all(head).unwrap();
        stream
    };
    let slow: Vec<TcpStream> = (0..40).map(slow).collect();
    // Well before the server gives up on them.
    let begun = std::time::Instant::now();
    let page = answer(&address, b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(begun.elapsed() < std::time::Duration::from_secs(8), "{:?}", begun.elapsed());
    drop(slow);
    running.signal("INT");
    let _ = running.end().with_status(130);
}

/// A page in a browser can lead a name of its own to this machine.
#[test]
fn other_names_of_this_machine_are_not_served() {
    let (mut running, address) = serving();
    for (host, status) in [
        (&*address, "200"),
        ("127.0.0.1", "200"),
        ("LocalHost:9", "200"),
        ("evil.example", "403"),
        ("127.0.0.1.evil.example:9100", "403"),
        ("192.168.1.1", "403"),
    ] {
        let request = format!("GET /metrics HTTP/1.1\r\nhost: {host}\r\n\r\n");
        let answer = answer(&address, request.as_bytes());
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{host}: {answer}");
        assert!(status == "200" || !answer.contains("gxe_"), "{answer}");
    }
    running.signal("INT");
    let _ = running.end().with_status(130);
}

#[test]
fn only_this_machine_is_served() {
    let run = |address: &str| Gxe::app(APP).args("--metrics").arg(address).run().with_status(2);
    for address in ["0.0.0.0:9100", "192.168.1.1:9100", "[::]:9100"] {
        run(address).complains("could be read from other machines");
    }
    for address in ["9100", "localhost", "nobody.example:1"] {
        run(address).complains("is no address with a port");
    }
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    run(&taken.local_addr().unwrap().to_string()).complains("cannot serve metrics at 127.0.0.1:");
}
