//! Services over HTTP: `libgxf_http.so`. Drivers and workers that talk over it are in `remote.rs`.

use gxe_tests::links::free_port;
use gxe_tests::{Gxe, Running};
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, TcpListener, TcpStream};

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_sample.so
- libgxf_http.so
";

/// Starts a graph with a server, which has the service `stat`.
fn serving(parameters: &str, with: impl FnOnce(Gxe) -> Gxe) -> (Running, u16) {
    let port = free_port();
    let app = format!(
        "\
name: hello
components:
- {{type: nvidia::gxf::HelloWorld}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 10ms}}}}
---
name: other
components:
- {{name: server, type: nvidia::gxf::HttpServer, parameters: {{port: {port}, {parameters}}}}}
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::JobStatistics, parameters: {{clock: clock, server: server}}}}
- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}
"
    );
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
    let mut running = with(gxe.args("run app.yaml --manifest manifest.yaml")).spawn();
    running.wait_for("Hello");
    (running, port)
}

fn connected(ip: IpAddr, port: u16) -> TcpStream {
    let stream = TcpStream::connect((ip, port)).expect("the server");
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).expect("a time-out");
    stream
}

/// The status of an answer.
fn status(mut stream: TcpStream, path: &str, headers: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).expect("it takes bytes");
    let mut answer = String::new();
    _ = stream.read_to_string(&mut answer);
    answer.split(' ').nth(1).unwrap_or_default().to_owned()
}

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn ended(mut running: Running) {
    running.signal("INT");
    let _ = running.end().with_status(130);
}

/// A component without a name is called by its type.
#[test]
fn a_server_whose_port_is_taken_is_named() {
    let taken = TcpListener::bind((HERE, 0)).expect("a port");
    let address = taken.local_addr().expect("an address");
    let app = format!(
        "\
name: web
components:
- {{type: nvidia::gxf::HttpServer, parameters: {{port: {}}}}}
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}
",
        address.port()
    );
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
    let ended = gxe.args("run app.yaml --manifest manifest.yaml").run().with_status(4);
    ended.complains(&format!(
        "the server `web/nvidia::gxf::HttpServer` cannot listen at {address}: Address already in use"
    ));
}

#[test]
fn slow_clients_keep_nobody_out() {
    let (running, port) = serving("", |gxe| gxe);
    let head = "POST /stat/entity HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx";
    let slow = |_| {
        let mut stream = connected(HERE, port);
        stream.write_all(head.as_bytes()).expect("it takes bytes");
        stream
    };
    let slow: Vec<TcpStream> = (0..80).map(slow).collect();
    assert_eq!(status(connected(HERE, port), "/stat/entity", "Host: localhost\r\n"), "200");
    drop(slow);
    ended(running);
}

/// As `nc -N` does.
#[test]
fn a_client_may_end_its_side_before_the_answer() {
    let (running, port) = serving("", |gxe| gxe);
    for _ in 0..20 {
        let mut stream = connected(HERE, port);
        let request = b"GET /stat/entity HTTP/1.1\r\nHost: localhost\r\n\r\n";
        stream.write_all(request).expect("it takes bytes");
        stream.shutdown(std::net::Shutdown::Write).expect("an open stream");
        let mut answer = String::new();
        _ = stream.read_to_string(&mut answer);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    }
    ended(running);
}

#[test]
fn web_pages_are_not_answered() {
    let (running, port) = serving("", |gxe| gxe);
    let table = [
        ("Host: localhost\r\n", "200"),
        ("Host: 127.0.0.1:8000\r\n", "200"),
        ("Host: 0.0.0.0:8000\r\nSec-Fetch-Site: none\r\n", "200"),
        ("Host: evil.example\r\n", "403"),
        ("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n", "403"),
        ("Host: localhost\r\nSec-Fetch-Site: same-site\r\n", "403"),
        ("Host: localhost\r\nOrigin: http://evil.example\r\n", "403"),
    ];
    for (headers, expected) in table {
        assert_eq!(status(connected(HERE, port), "/stat/entity", headers), expected, "{headers}");
    }
    ended(running);
}

#[test]
fn a_token_lets_in_by_any_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("token");
    std::fs::write(&file, "sesame").expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&file, mode).expect("permissions");
    let token_file = file.to_string_lossy().into_owned();
    let (running, port) = serving("", |gxe| gxe.env("GXE_TOKEN_FILE", &token_file));
    for (scheme, expected) in [("Bearer", "200"), ("bearer", "200"), ("Basic", "401")] {
        let headers = format!("Host: host.example\r\nAuthorization: {scheme} sesame\r\n");
        assert_eq!(status(connected(HERE, port), "/stat/entity", &headers), expected, "{scheme}");
    }
    ended(running);
}

#[test]
fn other_hosts_come_by_any_name_and_by_either_protocol() {
    let (running, port) = serving("remote_access: true, insecure: true", |gxe| gxe);
    let ask = |ip| status(connected(ip, port), "/stat/entity", "Host: host.example\r\n");
    assert_eq!(ask(HERE), "200");
    let has_ipv6 = TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
    if has_ipv6 {
        assert_eq!(ask(Ipv6Addr::LOCALHOST.into()), "200");
    }
    ended(running);

    // Without a token, this host only.
    let (running, port) = serving("remote_access: true", |gxe| gxe);
    assert_eq!(status(connected(HERE, port), "/ping", "Host: localhost\r\n"), "200");
    assert!(TcpStream::connect((Ipv6Addr::LOCALHOST, port)).is_err());
    ended(running);
}

#[test]
fn paths_are_percent_encoded() {
    let (running, port) = serving("", |gxe| gxe);
    let table = [
        ("/st%61t/entity", "200"),
        ("/stat/%65ntity", "200"),
        ("/stat%2Fentity", "400"),
        ("/stat/%zz", "400"),
        ("/stat/%ff", "400"),
    ];
    for (path, expected) in table {
        let found = status(connected(HERE, port), path, "Host: localhost\r\n");
        assert_eq!(found, expected, "{path}");
    }
    ended(running);
}

#[test]
fn an_app_may_have_a_client_that_only_programs_call() {
    let app = "\
name: client
components:
- {type: nvidia::gxf::CppRestHttpClient, parameters: {server_ip_port: 'localhost:80', use_https: true}}
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";
    let gxe = Gxe::alone().file("app.yaml", app).file("manifest.yaml", MANIFEST);
    let _ = gxe.args("run app.yaml --manifest manifest.yaml").run().clean();
    let inspect = "inspect --manifest manifest.yaml --format json nvidia::gxf::CppRestHttpClient";
    let found = Gxe::alone().file("manifest.yaml", MANIFEST).args(inspect).run().clean();
    let found: serde_json::Value = serde_json::from_str(&found.stdout).expect("JSON");
    assert_eq!(found["types"][0]["bases"][0], "nvidia::gxf::HttpClient");
}
