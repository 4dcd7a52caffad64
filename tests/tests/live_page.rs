//! `--serve`: the page of a graph that runs, who may see it, and what it can do. The tests in a
//! browser are skipped if none is installed.

use gxe_tests::browser::Browser;
use gxe_tests::{Gxe, Running, eventually};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;

const MANIFEST: &str = "extensions: [libgxf_std.so, libgxe_math.so, libgxf_lifecycle_probe.so]\n";

/// Chains of four entities: pictures of noise, their mean, and two that wait.
fn app(entities: usize) -> String {
    let mut app = String::new();
    for chain in 0..entities.div_ceil(4) {
        let name = |entity: &str| format!("line{chain}.{entity}");
        let receiver =
            "- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 4}}
- {name: ready, type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}";
        let transmitter = "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: room, type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}";
        let period = 20 + chain % 7 * 5;
        _ = write!(
            app,
            "name: {source}
components:
{transmitter}
- {{name: signal, type: gxe::math::Signal, parameters: {{output: out, columns: ['wave = sin(t * 100)'], rows: 100, messages: 0}}}}
- {{name: period, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: {period}ms}}}}
---
name: {average}
components:
{receiver}
{transmitter}
- {{name: average, type: gxe::math::MovingAverage, parameters: {{input: in, output: out, columns: [wave], window: 3}}}}
---
name: {keep}
components:
{receiver}
{transmitter}
- {{name: keep, type: gxe::math::Filter, parameters: {{input: in, output: out, keep: 'wave > 2'}}}}
---
name: {sink}
components:
{receiver}
- {{name: rx, type: gxe::test::Probe, parameters: {{receivers: [in]}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: {source}/out, target: {average}/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: {average}/out, target: {keep}/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: {keep}/out, target: {sink}/in}}}}
---
",
            source = name("source"),
            average = name("average"),
            keep = name("keep"),
            sink = name("sink"),
        );
    }
    app + "components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::EventBasedScheduler, parameters: {clock: clock}}
"
}

/// A run with a page.
struct Served {
    running: Running,
    /// `127.0.0.1:PORT`
    address: String,
    token: String,
}

impl Served {
    fn start(entities: usize) -> Self {
        Self::run(entities, "app.yaml --manifest manifest.yaml --serve 127.0.0.1:0")
    }

    fn run(entities: usize, line: &str) -> Self {
        let gxe = Gxe::alone().file("app.yaml", &app(entities)).file("manifest.yaml", MANIFEST);
        let mut running = gxe.args(line).spawn();
        running.wait_for("Running...");
        running.wait_for_error("live page at ");
        let errors = running.errors();
        let (_, url) = errors.split_once("live page at http://").unwrap();
        let (address, token) = url.trim_end().trim_end_matches('/').split_once('/').unwrap();
        let (address, token) = (address.to_owned(), token.to_owned());
        assert_eq!(token.len(), 32, "{token}");
        Self { running, address, token }
    }

    fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.token)
    }

    /// The status line and the rest of an answer.
    fn request(&self, method: &str, path: &str, headers: &str, body: &str) -> (String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = if headers.contains("Host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\n{host}{headers}Content-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (status, rest) = answer.split_once("\r\n").unwrap();
        (status.trim_start_matches("HTTP/1.1 ").to_owned(), rest.to_owned())
    }

    fn ask(&self, request: &Value) -> Value {
        let kind = "Content-Type: application/json\r\n";
        let path = format!("/{}/ask", self.token);
        let (status, rest) = self.request("POST", &path, kind, &request.to_string());
        assert_eq!(status, "200 OK", "{rest}");
        serde_json::from_str(rest.split_once("\r\n\r\n").unwrap().1).unwrap()
    }

    /// A connection to the events, past the head of the answer.
    fn events(&self) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (token, host) = (&self.token, &self.address);
        write!(stream, "GET /{token}/events HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        BufReader::new(stream)
    }
}

/// The data of the next event of a kind.
fn event(events: &mut BufReader<TcpStream>, kind: &str) -> Value {
    let mut line = String::new();
    loop {
        line.clear();
        assert_ne!(events.read_line(&mut line).unwrap(), 0, "no event `{kind}`");
        if line.trim_end() == format!("event: {kind}") {
            line.clear();
            events.read_line(&mut line).unwrap();
            return serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap();
        }
    }
}

#[test]
fn only_the_page_is_answered() {
    let mut served = Served::start(4);
    let own = format!("/{}/", served.token);
    let port = served.address.rsplit_once(':').unwrap().1.to_owned();
    for (method, path, headers, status) in [
        ("GET", own.clone(), String::new(), "200 OK"),
        ("GET", own.clone(), format!("Host: localhost:{port}\r\n"), "200 OK"),
        ("GET", own.clone(), "Sec-Fetch-Site: none\r\n".to_owned(), "200 OK"),
        ("GET", "/".to_owned(), String::new(), "401 Unauthorized"),
        ("GET", format!("/{}/", "0".repeat(32)), String::new(), "401 Unauthorized"),
        ("GET", format!("/{}/events", &served.token[1..]), String::new(), "401 Unauthorized"),
        ("POST", "/ask".to_owned(), String::new(), "401 Unauthorized"),
        ("GET", own.clone(), "Host: evil.example\r\n".to_owned(), "403 Forbidden"),
        ("GET", own.clone(), format!("Host: 127.0.0.1.evil.example:{port}\r\n"), "403 Forbidden"),
        ("GET", own.clone(), "Origin: http://evil.example\r\n".to_owned(), "403 Forbidden"),
        ("GET", own.clone(), "Origin: http://127.0.0.1:1\r\n".to_owned(), "403 Forbidden"),
        ("GET", own.clone(), "Origin: null\r\n".to_owned(), "403 Forbidden"),
        ("GET", own.clone(), "Sec-Fetch-Site: cross-site\r\n".to_owned(), "403 Forbidden"),
        ("GET", own.clone(), "Sec-Fetch-Site: same-site\r\n".to_owned(), "403 Forbidden"),
        ("GET", format!("{own}other"), String::new(), "404 Not Found"),
        ("GET", format!("{own}ask"), String::new(), "405 Method Not Allowed"),
        ("DELETE", own.clone(), String::new(), "405 Method Not Allowed"),
        (
            "POST",
            format!("{own}ask"),
            "Content-Type: text/plain\r\n".to_owned(),
            "415 Unsupported Media Type",
        ),
    ] {
        let (answered, rest) = served.request(method, &path, &headers, "");
        assert_eq!(answered, status, "{method} {path} {headers}\n{rest}");
        assert_eq!(rest.contains("line0.source"), status == "200 OK", "{rest}");
    }
    let kind = "Content-Type: application/json\r\n";
    let long = "x".repeat(100_000);
    let (answered, _) = served.request("POST", &format!("{own}ask"), kind, &long);
    assert_eq!(answered, "413 Payload Too Large");
    let (_, page) = served.request("GET", &own, "", "");
    for header in [
        "Cache-Control: no-store",
        "Referrer-Policy: no-referrer",
        "X-Frame-Options: DENY",
        "connect-src 'self'; frame-ancestors 'none'",
    ] {
        assert!(page.contains(header), "{header}");
    }
    served.running.signal("INT");
    _ = served.running.end().with_status(130);
}

#[test]
fn serve_is_a_command_too() {
    let mut free = Served::run(4, "serve app.yaml --manifest manifest.yaml");
    let (status, _) = free.request("GET", &format!("/{}/", free.token), "", "");
    assert_eq!(status, "200 OK");
    let port = free.address.rsplit_once(':').unwrap().1.to_owned();
    free.running.signal("INT");
    _ = free.running.end().with_status(130);
    let line = format!("serve --serve 127.0.0.1:{port} app.yaml --manifest manifest.yaml");
    let mut chosen = Served::run(4, &line);
    assert_eq!(chosen.address, format!("127.0.0.1:{port}"));
    chosen.running.signal("INT");
    _ = chosen.running.end().with_status(130);
}

#[test]
fn only_this_machine_is_served() {
    let run = |address: &str| {
        let app = Gxe::alone().file("app.yaml", &app(4)).file("manifest.yaml", MANIFEST);
        app.args("app.yaml --manifest manifest.yaml --serve").arg(address).run().with_status(2)
    };
    run("0.0.0.0:0").complains("'--serve 0.0.0.0:0' could be read from other machines");
    run("8080").complains("'--serve 8080' is no address with a port");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    run(&taken.local_addr().unwrap().to_string()).complains("cannot serve the page at 127.0.0.1:");
}

#[test]
fn the_page_sees_and_steers_the_run() {
    let served = Served::start(4);
    let mut events = served.events();
    let is_there =
        |lines: Value| lines.as_array().unwrap().iter().any(|line| line["message"] == "Running...");
    while !is_there(event(&mut events, "log")) {}
    let status = event(&mut events, "status");
    assert_eq!((&status["graph"], &status["status"]["state"]), (&json!(1), &json!("running")));
    // How long ticks take is measured while somebody looks.
    loop {
        let status = event(&mut events, "status");
        let source = &status["status"]["entities"][0];
        assert_eq!(source["name"], "line0.source");
        if source["tick_ns"]["max"].as_u64().is_some_and(|time| time > 0) {
            assert!(source["tick_ns"]["median"].as_u64() <= source["tick_ns"]["max"].as_u64());
            break;
        }
    }
    for queue in ["line0.average/in", "line0.average/out"] {
        let answer = served.ask(&json!({"command": "look", "queue": queue}));
        let payloads = answer["message"]["payloads"].as_array().unwrap();
        let wave = payloads.iter().find(|payload| payload["name"] == "wave").unwrap();
        assert_eq!(wave["type"], "nvidia::gxf::Tensor");
        assert_eq!(wave["text"], "float64 tensor of 100 in system memory");
        assert_eq!(wave["numbers"]["read"], 100);
        assert!(wave["numbers"]["maximum"].as_f64().unwrap() > 0.9, "{wave}");
    }
    for (queue, error) in [
        ("line0.sink/in", "no message came to 'line0.sink/in' in time"),
        ("line0.sink/rx", "is no queue"),
        ("line0.sink/im", "has no component `im`"),
        ("nobody", "`nobody` is not of the form entity/component"),
    ] {
        let answer = served.ask(&json!({"command": "look", "queue": queue}));
        assert!(answer["error"].as_str().unwrap().contains(error), "{answer}");
    }
    let set = |value: &str| {
        let parameter = "line0.average/average/window";
        served.ask(&json!({"command": "set", "parameter": parameter, "value": value}))
    };
    assert_eq!(set("5"), json!({"ok": true}));
    assert!(set("none")["error"].as_str().unwrap().contains("cannot be set"));
    assert_eq!(served.ask(&json!({"command": "pause"}))["ok"], true);
    while event(&mut events, "status")["status"]["state"] != "paused" {}
    eventually("an entity is ready", || {
        served.ask(&json!({"command": "step"}))["entity"].is_string()
    });
    assert_eq!(served.ask(&json!({"command": "resume"}))["ok"], true);
    let path = format!("/{}/trace", served.token);
    assert_eq!(served.request("GET", &path, "", "").0, "404 Not Found");
    let file = json!({"command": "trace", "file": "/tmp/never"});
    assert_eq!(served.ask(&file)["ok"], false);
    assert_eq!(served.ask(&json!({"command": "trace_start"}))["ok"], true);
    while event(&mut events, "status")["status"]["state"] != "running" {}
    let (status, trace) = served.request("GET", &path, "", "");
    assert_eq!(status, "200 OK");
    assert!(trace.contains("traceEvents") && trace.contains("attachment"), "{trace}");
    assert_eq!(served.request("GET", &path, "", "").0, "404 Not Found");
    assert_eq!(served.ask(&json!({"command": "stop"})), json!({"ok": true}));
    event(&mut events, "end");
    served.running.end().with_status(0).complains("the live page: stopping the graph");
}

#[test]
fn readers_that_never_read_disturb_nobody() {
    let mut served = Served::start(200);
    let mut silent: Vec<_> = (0..20).map(|_| served.events()).collect();
    let mut events = served.events();
    for _ in 0..3 {
        event(&mut events, "status");
    }
    // What a slow reader gets then is new, not everything that it has missed.
    let ticks = |status: &Value| status["status"]["entities"][0]["ticks"].as_u64().unwrap();
    let seen = ticks(&event(&mut events, "status"));
    let late = &mut silent[0];
    eventually("a slow reader gets what is new", || ticks(&event(late, "status")) >= seen);
    served.running.signal("INT");
    _ = served.running.end().with_status(130);
}

/// With a folder in `GXE_SCREENSHOTS`, pictures of the pages are left there.
fn keep_picture(browser: &Browser, name: &str) {
    if let Some(folder) = std::env::var_os("GXE_SCREENSHOTS") {
        browser.screenshot(&Path::new(&folder).join(format!("{name}.png")));
    }
}

/// The number of nodes that show a rate.
const RATES: &str = "return [...document.querySelectorAll('.live-rate')].filter(\
                     (text) => text.textContent.includes('Hz')).length";

#[test]
fn the_page_lives_in_a_browser() {
    for (entities, is_dark) in [(4, false), (60, true), (500, false), (500, true)] {
        let Some(browser) = Browser::start(is_dark) else { return };
        let served = Served::start(entities);
        browser.open_url(&served.url());
        eventually("every entity shows its rate", || browser.run(RATES) == json!(entities));
        let theme = if is_dark { "dark" } else { "light" };
        keep_picture(&browser, &format!("{entities}-{theme}"));
        assert_eq!(browser.find("#stage").text(), "running");
        // The waiting reason, on the card and in the panel.
        let now = "return document.querySelectorAll('.live-now')[3].textContent";
        eventually("the sink says why it waits", || {
            browser.run(now).as_str().unwrap().starts_with("waits for messages in `in`")
        });
        let open =
            "const node = nodeOf.get('line0.average'); chooseNode(node); center(shown.nodes[node])";
        _ = browser.run(open);
        eventually("the panel shows the rate", || {
            browser.find("#panel").text().contains("time of a tick")
        });
        _ = browser.run("panel.querySelector('tr[data-queue=\"in\"] button').click()");
        eventually("the panel shows a message", || {
            browser.find("#panel").text().contains("float64 tensor of 100 in system memory")
        });
        eventually("the panel has the settings", || {
            browser.find("#panel").text().contains("average/window")
        });
        browser.find("#show-log").click();
        eventually("there is a log", || browser.find("#log").text().contains("Running..."));
        keep_picture(&browser, &format!("{entities}-{theme}-panel"));
        browser.find("#pause").click();
        eventually("the run pauses", || browser.find("#stage").text() == "paused");
        browser.find("#step").click();
        eventually("an entity ticks", || browser.find("#said").text().ends_with("ticked"));
        let input = "document.querySelector('input[aria-label=\"line0.average/average/window\"]')";
        _ = browser.run(&format!("{input}.value = 'none'; {input}.nextSibling.click()"));
        eventually("a mistake is told", || browser.find("#said").text().contains("cannot be set"));
        // Requests that the end cuts off are no mistakes of the page.
        assert_eq!(browser.complaints(), [""; 0]);
        browser.find("#stop").click();
        // The second one if the browser took no part in the end in time.
        let ends = ["the run is over", "no connection to the run"];
        eventually("the end is told", || ends.contains(&&*browser.find("#stage").text()));
        _ = served.running.end().with_status(0);
    }
}
