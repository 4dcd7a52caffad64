//! `--otlp`: spans and metrics at an OpenTelemetry collector. The one in Python needs
//! opentelemetry-proto: `make test-otlp`.

use gxe_tests::Gxe;
use gxe_tests::trace::Trace;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value};
use opentelemetry_proto::tonic::metrics::v1::{metric::Data, number_data_point};
use opentelemetry_proto::tonic::trace::v1::{Span, status::StatusCode};
use prost::Message;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const APP: &str = "\
name: tx
components:
- {name: signal, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: signal}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 10}}
---
name: rx
components:
- {name: signal, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::PingRx, parameters: {signal: signal}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: signal}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: tx/signal, target: rx/signal}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";

/// What came in: paths and bodies.
type Requests = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

/// Reads requests of a connection; answers each with a status.
fn serve(stream: TcpStream, status: &str, requests: &Requests) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            if header.trim().is_empty() {
                break;
            }
            let (name, value) = header.split_once(':')?;
            if name.eq_ignore_ascii_case("content-length") {
                length = value.trim().parse().ok()?;
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        requests.lock().expect("no panic").push((path, body));
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").ok()?;
    }
}

/// A collector that answers every request like this. Returns its address.
fn collector(status: &'static str) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let requests = Requests::default();
    let seen = requests.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let seen = seen.clone();
            std::thread::spawn(move || serve(stream, status, &seen));
        }
    });
    (url, requests)
}

fn text(one: &KeyValue) -> Option<(&str, &str)> {
    match one.value.as_ref()?.value.as_ref()? {
        Value::StringValue(text) => Some((&one.key, text)),
        _ => None,
    }
}

fn texts(attributes: &[KeyValue]) -> BTreeMap<&str, &str> {
    attributes.iter().filter_map(text).collect()
}

fn bodies(requests: &Requests, wanted: &str) -> Vec<Vec<u8>> {
    let requests = requests.lock().expect("no panic");
    let bodies = requests.iter().filter(|(path, _)| path == wanted);
    bodies.map(|(_, body)| body.clone()).collect()
}

fn spans(requests: &Requests) -> Vec<Span> {
    let mut spans = Vec::new();
    for body in bodies(requests, "/v1/traces") {
        let request = ExportTraceServiceRequest::decode(&body[..]).expect("a request");
        for of_resource in request.resource_spans {
            let resource = of_resource.resource.expect("a resource");
            assert_eq!(texts(&resource.attributes)["service.name"], "camera");
            assert_eq!(texts(&resource.attributes)["deployment"], "lab");
            spans.extend(of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans));
        }
    }
    spans
}

#[test]
fn a_collector_gets_ticks_and_metrics() {
    let (url, requests) = collector("200 OK");
    let gxe = Gxe::app(APP).args(&format!("--otlp={url}"));
    let gxe = gxe.env("OTEL_SERVICE_NAME", "camera");
    let gxe = gxe.env("OTEL_RESOURCE_ATTRIBUTES", "deployment=lab,service.name=other");
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let ended = gxe.env("TRACEPARENT", parent).run().clean();
    assert_eq!(ended.count("delivered"), 0, "{}", ended.stdout);
    let spans = spans(&requests);
    let run = spans.iter().find(|span| span.name == "gxe run").expect("the span of the run");
    assert_eq!(run.parent_span_id, [0xb7, 0xad, 0x6b, 0x71, 0x69, 0x20, 0x33, 0x31]);
    assert_eq!(run.status.as_ref().expect("a status").code(), StatusCode::Ok);
    assert_eq!(texts(&run.attributes)["gxe.scheduler"], "nvidia::gxf::GreedyScheduler");
    assert_eq!(texts(&run.attributes)["gxe.trace_hash"].len(), 64);
    for entity in ["tx", "rx"] {
        let ticks: Vec<&Span> = spans.iter().filter(|span| span.name == entity).collect();
        assert_eq!(ticks.len(), 10);
        for tick in ticks {
            assert_eq!((&tick.trace_id, &tick.parent_span_id), (&run.trace_id, &run.span_id));
            assert_eq!(texts(&tick.attributes)["gxe.entity"], entity);
            assert!(tick.start_time_unix_nano <= tick.end_time_unix_nano);
            assert!(run.start_time_unix_nano <= tick.end_time_unix_nano);
            assert!(tick.start_time_unix_nano <= run.end_time_unix_nano);
        }
    }
    let mut ids: Vec<&[u8]> = spans.iter().map(|span| &span.span_id[..]).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 21, "each span has an id of its own");

    let body = bodies(&requests, "/v1/metrics").pop().expect("metrics");
    let request = ExportMetricsServiceRequest::decode(&body[..]).expect("a request");
    let scopes = request.resource_metrics.iter().flat_map(|resource| &resource.scope_metrics);
    let all: Vec<_> = scopes.flat_map(|scope| &scope.metrics).collect();
    let find = |name: &str| all.iter().find(|metric| metric.name == name).expect(name);
    let Some(Data::Sum(ticks)) = &find("gxe.entity.ticks").data else { panic!("a counter") };
    assert!(ticks.is_monotonic);
    assert_eq!(ticks.data_points.len(), 2);
    for point in &ticks.data_points {
        assert_eq!(point.value, Some(number_data_point::Value::AsInt(10)), "{point:?}");
    }
    let Some(Data::Sum(sent)) = &find("gxe.connection.messages").data else { panic!("a counter") };
    let labels = texts(&sent.data_points[0].attributes);
    assert_eq!((labels["gxe.source"], labels["gxe.target"]), ("tx/signal", "rx/signal"));
    assert!(matches!(find("gxe.entity.tick.p99").data, Some(Data::Gauge(_))));
    assert_eq!(find("gxe.entity.tick.p99").unit, "s");
}

#[test]
fn a_long_run_is_sent_while_it_runs() {
    let (url, requests) = collector("200 OK");
    let app = APP.replace(
        "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 10}}",
        "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}",
    );
    let gxe = Gxe::app(&app).args("--otlp").env("OTEL_EXPORTER_OTLP_ENDPOINT", &url);
    let mut running = gxe.env("OTEL_BSP_SCHEDULE_DELAY", "100").spawn();
    gxe_tests::eventually("ticks came in twice", || bodies(&requests, "/v1/traces").len() > 1);
    running.signal("INT");
    let _ = running.end().with_status(130);
    gxe_tests::eventually("the run came in", || {
        let last = bodies(&requests, "/v1/traces").pop().unwrap_or_default();
        last.windows(7).any(|text| text == b"gxe run")
    });
}

/// A trace that is written, too, is whole.
#[test]
fn a_trace_file_has_everything() {
    let (url, requests) = collector("200 OK");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trace.json");
    let gxe = Gxe::app(APP).args(&format!("--otlp={url} --trace {}", path.display()));
    let gxe = gxe.env("OTEL_RESOURCE_ATTRIBUTES", "deployment=lab,service.name=camera");
    let _ = gxe.run().clean();
    assert_eq!(spans(&requests).len(), 21);
    let trace = Trace::read(&std::fs::read_to_string(path).expect("a trace"));
    assert_eq!(trace.slices("tx", "tick").len(), 10);
}

#[test]
fn a_run_needs_no_collector() {
    let (refuses, _) = collector("503 Service Unavailable");
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent = format!("http://{}", silent.local_addr().expect("an address"));
    let nobody = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        format!("http://{}", listener.local_addr().expect("an address"))
    };
    for (url, problem) in [
        (refuses, "503"),
        (silent, "timeout: global"),
        (nobody, "Connection refused (os error 111)"),
    ] {
        let ended = Gxe::app(APP).args(&format!("--otlp={url}")).run().with_status(0);
        let warning = format!("21 spans were not delivered to {url}: ");
        assert_eq!(ended.count(&warning), 1, "{warning}: {}", ended.stdout);
        assert_eq!(ended.count("not delivered"), 1, "once: {}", ended.stdout);
        assert!(ended.stdout.contains(problem), "{problem}: {}", ended.stdout);
        assert_eq!(ended.count("Message Received: rx_value = 9"), 1);
    }
}

#[test]
fn periods_that_are_no_numbers_are_named() {
    let (url, requests) = collector("200 OK");
    let gxe = Gxe::app(APP).args(&format!("--otlp={url}"));
    let gxe = gxe.env("OTEL_METRIC_EXPORT_INTERVAL", "abc").env("OTEL_BSP_SCHEDULE_DELAY", "-1");
    let ended = gxe.run().with_status(0);
    for given in ["OTEL_METRIC_EXPORT_INTERVAL=abc", "OTEL_BSP_SCHEDULE_DELAY=-1"] {
        let warning = format!("`{given}` is ignored: it is no number of milliseconds");
        assert_eq!(ended.count(&warning), 1, "{}", ended.stdout);
    }
    assert!(!bodies(&requests, "/v1/traces").is_empty());
}

#[test]
fn addresses_are_checked() {
    for (url, shown) in
        [("localhost:4318", "localhost:4318"), ("http://", "http://"), ("ftp://x", "ftp://x")]
    {
        let ended = Gxe::app(APP).args(&format!("--otlp={url}")).run().with_status(2);
        ended.complains(&format!("error: '--otlp={shown}' is no address of a collector"));
        ended.complains("write it as:  --otlp=http://localhost:4318");
    }
}

#[test]
fn python_understands_what_is_sent() {
    let Some(python) = std::env::var_os("GXE_OTLP_PYTHON") else {
        eprintln!("skipped: make test-otlp runs it with a collector in Python");
        return;
    };
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/otlp/collector.py");
    let mut collector = std::process::Command::new(python)
        .arg(script)
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a collector");
    let mut lines = BufReader::new(collector.stdout.take().expect("piped")).lines();
    let port = lines.next().expect("a line").expect("a port");
    let _ = Gxe::app(APP).args(&format!("--otlp=http://127.0.0.1:{port}")).run().clean();
    let seen: Vec<String> = lines.map_while(Result::ok).take_while(|line| line != "end").collect();
    collector.kill().expect("it can be ended");
    collector.wait().expect("it ends");
    let count = |line: &str| seen.iter().filter(|one| *one == line).count();
    assert_eq!(count("gxe: span tx"), 10, "{seen:?}");
    assert_eq!(count("gxe: span rx"), 10, "{seen:?}");
    assert_eq!(count("gxe: span gxe run"), 1, "{seen:?}");
    assert_eq!(count("gxe: metric gxe.entity.ticks [10, 10]"), 1, "{seen:?}");
}
