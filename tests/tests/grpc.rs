//! Services over gRPC: `libgxf_grpc.so`. The peers in Python need grpcio: `make test-grpc`.

use gxe_tests::links::free_port;
use gxe_tests::{Ended, Gxe, Running};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

const MANIFEST: &str = "gxf/test/distributed/test_graph_worker_manifest.yaml";

/// A copy of `apps/distributed` whose control goes over gRPC.
struct Example {
    folder: tempfile::TempDir,
    driver: u16,
    worker: u16,
}

impl Example {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let example = Self { folder, driver: free_port(), worker: free_port() };
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/distributed");
        let link = free_port().to_string();
        for file in [
            "driver.yaml",
            "worker.yaml",
            "gxf/ucx/tests/test_ping_ucx_tx.yaml",
            "gxf/ucx/tests/test_ping_ucx_rx.yaml",
            MANIFEST,
        ] {
            let text = std::fs::read_to_string(root.join(file)).expect("a file of the example");
            let text = text
                .replace("50000", &example.driver.to_string())
                .replace("50001", &example.worker.to_string())
                .replace("13338", &link)
                .replace(
                    "HttpServer\n  parameters:",
                    "GrpcServer\n  parameters:\n    enable_health_check: true",
                )
                .replace("HttpIPCClient", "GrpcClient")
                .replace("libgxf_http.so", "libgxf_grpc.so");
            let path = example.folder.path().join(file);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
        example
    }

    fn gxe(&self, app: &str) -> Gxe {
        let root = self.folder.path().to_string_lossy().into_owned();
        Gxe::in_folder(self.folder.path())
            .env("XDG_RUNTIME_DIR", &root)
            .args(&format!("--app {app} --manifest {MANIFEST} --app-root {root}"))
    }

    fn driver(&self) -> Running {
        let mut driver = self.gxe("driver.yaml").spawn();
        driver.wait_for("The driver is ready");
        driver
    }

    fn token(&self, name: &str) -> String {
        let path = self.folder.path().join(name);
        std::fs::write(&path, name).expect("a file");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&path, mode).expect("permissions");
        path.to_string_lossy().into_owned()
    }
}

fn received(ended: &Ended) -> Vec<u64> {
    let log = ended.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    values.map(|value| value.parse().expect("a number")).collect()
}

#[test]
fn a_driver_and_a_worker_talk_over_grpc() {
    let example = Example::new();
    let driver = example.driver();
    let worker = example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
}

#[test]
fn a_wrong_token_is_refused() {
    let example = Example::new();
    let (right, wrong) = (example.token("right"), example.token("wrong"));
    let mut driver = example.gxe("driver.yaml").env("GXE_TOKEN_FILE", &right).spawn();
    driver.wait_for("The driver is ready");
    let file = example.folder.path().join("worker.yaml");
    let text = std::fs::read_to_string(&file).expect("the worker");
    let line = "    server: this_worker_server";
    let text = text.replace(line, &format!("    driver-reconnection-times: 1\n{line}"));
    std::fs::write(&file, text).expect("the worker");
    let ended = example.gxe("worker.yaml").env("GXE_TOKEN_FILE", &wrong).run().with_status(5);
    ended.complains("the token is wrong (Unauthenticated)");
    let worker = example.gxe("worker.yaml").env("GXE_TOKEN_FILE", &right).run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
}

#[test]
fn strangers_change_nothing() {
    let example = Example::new();
    let driver = example.driver();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let attacks: [Vec<u8>; 4] = [
        b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(),
        vec![0xff; 4096],
        // Settings, and a frame of headers that are none.
        [&preface[..], &[0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 4, 1, 5, 0, 0, 0, 1, 255, 255, 255, 255]]
            .concat(),
        // A frame of 16 MiB that does not come.
        [&preface[..], &[255, 255, 255, 0, 0, 0, 0, 0, 1]].concat(),
    ];
    for bytes in attacks {
        let mut stream = TcpStream::connect(("127.0.0.1", example.driver)).expect("the driver");
        _ = stream.write_all(&bytes);
        _ = stream.shutdown(std::net::Shutdown::Write);
        _ = stream.read_to_end(&mut Vec::new());
    }
    let worker = example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
}

/// The head of a request whose message does not come: preface, settings, headers.
fn slow_request(path: &str) -> Vec<u8> {
    let text = |bytes: &[u8]| [&[u8::try_from(bytes.len()).unwrap()], bytes].concat();
    let headers = [
        // POST and http, from the table of HPACK.
        vec![0x83, 0x86],
        [vec![4], text(path.as_bytes())].concat(),
        [vec![1], text(b"localhost")].concat(),
        [vec![0x0f, 0x10], text(b"application/grpc")].concat(),
        [vec![0], text(b"te"), text(b"trailers")].concat(),
    ]
    .concat();
    let size = u8::try_from(headers.len()).unwrap();
    [
        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
        &[0, 0, 0, 4, 0, 0, 0, 0, 0],
        &[0, 0, size, 1, 4, 0, 0, 0, 1],
        &headers,
    ]
    .concat()
}

#[test]
fn slow_clients_keep_nobody_out() {
    let example = Example::new();
    let driver = example.driver();
    let slow = |_| {
        let mut stream = TcpStream::connect(("127.0.0.1", example.driver)).expect("the driver");
        stream.write_all(&slow_request("/gxf.ServiceHub/SendRequest")).expect("it takes bytes");
        stream
    };
    let slow: Vec<TcpStream> = (0..80).map(slow).collect();
    let worker = example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    drop(slow);
    let _ = driver.end().with_status(0);
}

/// Those that accept the server's settings may be silent for longer.
#[test]
fn a_handshake_has_an_end() {
    use std::time::{Duration, Instant};
    let example = Example::new();
    let driver = example.driver();
    let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    let accepted = [0, 0, 0, 4, 1, 0, 0, 0, 0];
    let connect = |bytes: &[u8]| {
        let mut stream = TcpStream::connect(("127.0.0.1", example.driver)).expect("the driver");
        stream.write_all(bytes).expect("it takes bytes");
        stream
    };
    let began = Instant::now();
    let settled = [&preface[..], &settings].concat();
    let mute = [&[][..], preface, &settled].map(connect);
    let greeted = connect(&[&settled[..], &accepted].concat());
    for mut stream in mute {
        _ = stream.read_to_end(&mut Vec::new());
    }
    let passed = began.elapsed();
    assert!(passed >= Duration::from_secs(5), "{passed:?}");
    // The next limit is that of a question whether the client is alive.
    assert!(passed < Duration::from_secs(15), "{passed:?}");
    greeted.set_nonblocking(true).expect("a socket");
    let mut bytes = Vec::new();
    let left = (&greeted).read_to_end(&mut bytes).expect_err("it is open");
    assert_eq!(left.kind(), std::io::ErrorKind::WouldBlock);
    let worker = example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
}

/// Whether a server answers a request at once.
fn is_answered(mut stream: TcpStream) -> bool {
    stream.set_read_timeout(Some(std::time::Duration::from_secs(5))).expect("a socket");
    let mut head = [0; 9];
    while stream.read_exact(&mut head).is_ok() {
        if head[3] == 1 {
            return true;
        }
        let size = usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]);
        stream.read_exact(&mut vec![0; size]).expect("a frame");
    }
    false
}

/// The health service needs no token, so anybody may ask it.
#[test]
fn strangers_announce_no_large_messages() {
    let example = Example::new();
    let driver = example.driver();
    for (path, size, answers) in [
        ("/grpc.health.v1.Health/Check", 1_u32 << 20, true),
        ("/grpc.health.v1.Health/Watch", 1 << 20, true),
        ("/grpc.health.v1.Health/Check", 1 << 10, false),
    ] {
        let mut stream = TcpStream::connect(("127.0.0.1", example.driver)).expect("the driver");
        // A frame with the size of the message, of which nothing comes.
        let begin = [&[0, 0, 5, 0, 0, 0, 0, 0, 1, 0][..], &size.to_be_bytes()].concat();
        let request = [slow_request(path), begin].concat();
        stream.write_all(&request).expect("it takes bytes");
        assert_eq!(is_answered(stream), answers, "{path} {size}");
    }
    let worker = example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
}

/// Runs a Python program that knows grpcio. `None` where there is none.
fn python(script: &str, ports: [u16; 2]) -> Option<String> {
    let Some(python) = std::env::var_os("GXE_GRPC_PYTHON") else {
        eprintln!("skipped: GXE_GRPC_PYTHON names no Python with grpcio (see `make test-grpc`)");
        return None;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grpc").join(script);
    let ports = ports.map(|port| port.to_string());
    let output = Command::new(python).arg(script).args(ports).output().expect("Python");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn clients_of_others_are_answered() {
    let example = Example::new();
    let mut driver = example.driver();
    let answers = python("client.py", [example.driver, 0]);
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    let Some(answers) = answers else { return };
    assert_eq!(
        answers,
        "\
ping: pong
unknown service: NOT_FOUND there is no service `Nobody`
no parameter: INVALID_ARGUMENT a query has one parameter, the resource, and an action two
bad action: INVALID_ARGUMENT
unknown method: UNIMPLEMENTED
health: SERVING
health of GraphDriver: SERVING
health of Nobody: NOT_FOUND
watch: SERVING
watch of Nobody: SERVICE_UNKNOWN
large: OUT_OF_RANGE
"
    );
}

#[test]
fn servers_of_others_are_asked() {
    let example = Example::new();
    let running = example.gxe("worker.yaml").spawn();
    let answers = python("driver.py", [example.driver, example.worker]);
    let Some(answers) = answers else {
        drop(running);
        return;
    };
    assert_eq!(answers, "GraphDriver RegisterGraphWorker ['ucx_upstream', 'ucx_downstream']\n");
    let _ = running.end().with_status(0);
}
