//! The services of GXF's runtime at the servers of a graph: `config`, `dump`, `stat`.

use gxe_tests::links::free_port;
use gxe_tests::{Gxe, MANIFEST, Running};
use std::io::{Read, Write};
use std::net::TcpStream;

/// A graph whose entity `a` ticks until it is stopped, with a server.
fn served() -> (Running, u16) {
    let port = free_port();
    let text = format!(
        "\
name: a/b
components:
- {{name: rx, type: gxe::test::Probe}}
- {{name: per, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 10ms}}}}
---
name: other
components:
- {{name: server, type: nvidia::gxf::HttpServer, parameters: {{port: {port}}}}}
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}
- {{type: nvidia::gxf::JobStatistics, parameters: {{clock: clock, server: server}}}}
"
    );
    let gxe = Gxe::app(&text).file("manifest.yaml", &format!("{MANIFEST}- libgxf_http.so\n"));
    let mut running = gxe.spawn();
    running.wait_for("probe rx tick");
    (running, port)
}

/// The status and the body of an answer.
fn ask(port: u16, method: &str, path: &str, body: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server");
    let length = body.len();
    let request = format!(
        "{method} /{path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("it takes bytes");
    let mut answer = String::new();
    _ = stream.read_to_string(&mut answer);
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    (status.expect("a status"), body.to_owned())
}

#[test]
fn a_server_shows_its_graph_and_sets_parameters() {
    let (mut running, port) = served();
    let (status, all) = ask(port, "GET", "dump/*", "");
    assert_eq!(status, 200, "{all}");
    let part = "- type: nvidia::gxf::PeriodicSchedulingTerm\n  name: per\n  uid: ";
    let (_, rest) = all.split_once(part).expect("the term");
    let term = rest.lines().next().expect("an id");
    assert!(rest.contains("\n  parameters:\n    recess_period: \"10ms\"\n"), "{all}");
    // One entity, by its id or by that of a component.
    let (_, entity) = all.split_once("uid: ").expect("an id");
    let entity = entity.lines().next().expect("an id");
    let one = ask(port, "GET", &format!("dump/{term}"), "");
    assert_eq!(one, ask(port, "GET", &format!("dump/{entity}"), ""));
    assert!(one.1.contains("name: per") && !one.1.contains("server"), "{}", one.1);
    let (status, text) = ask(port, "GET", "dump/xyz", "");
    let missing = "there is no entity or component `xyz`; `*` is the whole graph";
    assert!(status == 400 && text.contains(missing), "{status} {text}");

    let set = |resource: &str, value: &str| ask(port, "POST", &format!("config/{resource}"), value);
    assert_eq!(set("a/b/per/recess_period", "1ms"), (200, String::new()));
    assert!(ask(port, "GET", &format!("dump/{term}"), "").1.contains("recess_period: \"1ms\""));
    assert_eq!(set(&format!("{term}/recess_period"), "2ms").0, 200);
    assert!(ask(port, "GET", &format!("dump/{term}"), "").1.contains("recess_period: \"2ms\""));
    for (resource, value, expected) in [
        ("a/b/per/colour", "1", "the component has no parameter `colour`"),
        ("a/b/per/recess_period", "[", "`[` has no closing `]`"),
        ("nobody/per/recess_period", "1ms", "there is no entity `nobody`"),
        ("recess_period", "1ms", "is neither `cid/key` nor `entity/component/key`"),
    ] {
        let (status, text) = set(resource, value);
        assert!(status == 400 && text.contains(expected), "{resource}: {status} {text}");
    }

    // The service exists, and answers the other kind of requests.
    assert_eq!(ask(port, "POST", "dump/*", "x"), (405, "`dump` answers queries only".to_owned()));
    assert_eq!(ask(port, "GET", "config/a", ""), (405, "`config` answers actions only".to_owned()));
    let (status, text) = ask(port, "GET", "nobody/x", "");
    assert_eq!((status, text.as_str()), (404, "there is no service `nobody`"));
    let (status, text) = ask(port, "POST", &format!("config/{}", "x".repeat(9000)), "1");
    assert!(status == 400 && text.len() < 3000, "{status} {text}");
    assert_eq!(ask(port, "GET", "stat/weather", "").0, 400);

    // Statistics of one entity are not those of another one whose name begins with its name.
    let (status, codelets) = ask(port, "GET", &format!("stat/codelet/{entity}"), "");
    assert!(status == 200 && codelets.contains("a/b/rx"), "{status} {codelets}");
    running.signal("INT");
    let _ = running.end().with_status(130);
}
