//! Certificates: links, HTTP and gRPC over TLS, and what is refused.

use gxe_tests::certificates::Authority;
use gxe_tests::links::{
    GREEDY, assert_large_tensors, common_entities, free_port, large_tensors, ping_receiver,
    ping_sender,
};
use gxe_tests::{Ended, Gxe, Running};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_sample.so
- libgxf_ucx.so
- libgxf_http.so
- libgxe_io.so
- libgxe_math.so
";

const HOST: [&str; 2] = ["localhost", "127.0.0.1"];

/// The entities that link and schedule.
fn tail() -> String {
    common_entities("carrier: tcp", GREEDY)
}

/// Sends ten numbers to a host.
fn sender(host: &str, port: u16) -> String {
    let transmitter =
        format!("receiver_address: {host}, port: {port}, maximum_connection_retries: 1");
    ping_sender(&transmitter, 10) + &tail()
}

/// Receives them.
fn receiver(port: u16) -> String {
    ping_receiver(&format!("port: {port}")) + &tail()
}

/// `gxe` with the certificates of a folder.
fn gxe(app: &str, folder: Option<&Path>) -> Gxe {
    let gxe = Gxe::alone().file("app.yaml", app).file("manifest.yaml", MANIFEST);
    let gxe = gxe.args("run app.yaml --manifest manifest.yaml");
    match folder {
        Some(folder) => gxe.env("GXE_TLS_DIRECTORY", &folder.to_string_lossy()),
        None => gxe,
    }
}

fn listening(app: &str, folder: Option<&Path>) -> Running {
    let mut running = gxe(app, folder).args("--severity debug").spawn();
    running.wait_for("listens at");
    running
}

fn received(ended: &Ended) -> Vec<u64> {
    let log = ended.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    values.map(|value| value.parse().expect("a number")).collect()
}

/// Stands between two ends, and writes down what goes from the first to the second.
fn wire_tap(to: u16) -> (u16, Arc<Mutex<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let written = heard.clone();
    std::thread::spawn(move || {
        let (from, _) = listener.accept().expect("a connection");
        let to = TcpStream::connect(("127.0.0.1", to)).expect("the receiver");
        let copy = |mut from: TcpStream, mut to: TcpStream, heard: Option<Arc<Mutex<Vec<u8>>>>| {
            let mut bytes = vec![0; 1 << 16];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                if let Some(heard) = &heard {
                    heard.lock().expect("the log").extend(&bytes[..count]);
                }
                if to.write_all(&bytes[..count]).is_err() {
                    break;
                }
            }
            _ = to.shutdown(Shutdown::Write);
        };
        let clone = |stream: &TcpStream| stream.try_clone().expect("a handle");
        let back = (clone(&to), clone(&from));
        std::thread::spawn(move || copy(back.0, back.1, None));
        copy(from, to, Some(written));
    });
    (port, heard)
}

#[test]
fn links_are_encrypted() {
    let authority = Authority::new();
    let (one, other) = (authority.certify("one", &HOST), authority.certify("other", &HOST));
    for (folders, word) in [((Some(&*one), Some(&*other)), "(TLS)"), ((None, None), "(TCP)")] {
        let port = free_port();
        let rx = listening(&receiver(port), folders.0);
        let (tap, heard) = wire_tap(port);
        let tx = gxe(&sender("127.0.0.1", tap), folders.1).run().clean();
        assert_eq!(tx.count(word), 1, "{}", tx.stdout);
        assert_eq!(received(&rx.end().with_status(0)), (0..10).collect::<Vec<_>>());
        let heard = heard.lock().expect("the log");
        let has = |needle: &[u8]| heard.windows(needle.len()).any(|bytes| bytes == needle);
        assert_eq!(has(b"tx/signal"), word == "(TCP)", "{word}: the greeting");
        assert!(heard.len() > 1000, "{word}: {} bytes", heard.len());
    }
}

#[test]
fn large_tensors_arrive_as_they_were() {
    let authority = Authority::new();
    let folder = authority.certify("host", &HOST);
    let file = folder.join("out.bin");
    let (tx, rx) = large_tensors(free_port(), &file, &tail());
    let rx = listening(&rx, Some(&folder));
    let tx = gxe(&tx, Some(&folder)).env("GXE_TLS_SERVER_NAME", "localhost").run().clean();
    assert_eq!(tx.count("(TLS)"), 1, "{}", tx.stdout);
    let _ = rx.end().with_status(0);
    assert_large_tensors(&file);
}

#[test]
fn those_without_the_right_certificate_stay_outside() {
    let authority = Authority::new();
    let host = authority.certify("host", &HOST);
    let elsewhere = authority.certify("elsewhere", &["example.org"]);
    let no_identity = authority.certificate_only("no_identity");
    let other_authority = Authority::new();
    let stranger = other_authority.certify("stranger", &HOST);
    let port = free_port();
    let mut rx = listening(&receiver(port), Some(&host));
    let table: [(Option<&Path>, &[&str]); 3] = [
        (None, &["the peer uses TLS, and this end has no certificates"]),
        (
            Some(&stranger),
            &[
                "`tx/signal` and the receiver at localhost",
                "do not agree: TLS: invalid peer certificate",
            ],
        ),
        (Some(&no_identity), &["`tx/signal`", "localhost"]),
    ];
    for (folder, texts) in table {
        let ended = gxe(&sender("localhost", port), folder).run().with_status(5);
        texts.iter().for_each(|text| ended.complains(text));
    }
    for problem in ["received fatal alert: ", "peer sent no certificates"] {
        let line = rx.line_with("receiver `rx/signal` refuses 127.0.0.1:");
        assert!(line.contains(problem), "{line}");
    }
    // One connection proves nothing about the next.
    let _ = gxe(&sender("localhost", port), Some(&host)).run().clean();
    rx.wait_for("rx_value = 9");
    assert_eq!(received(&rx.end().with_status(0)), (0..10).collect::<Vec<_>>());
    // A host with the certificate of another one.
    let port = free_port();
    let rx = listening(&receiver(port), Some(&elsewhere));
    let ended = gxe(&sender("localhost", port), Some(&host)).run().with_status(5);
    ended.complains("do not agree: TLS: invalid peer certificate");
    let named = gxe(&sender("localhost", port), Some(&host));
    let _ = named.env("GXE_TLS_SERVER_NAME", "example.org").run().clean();
    assert_eq!(received(&rx.end().with_status(0)), (0..10).collect::<Vec<_>>());
    // A host without TLS.
    let port = free_port();
    let rx = listening(&receiver(port), None);
    let ended = gxe(&sender("localhost", port), Some(&host)).run().with_status(5);
    ended.complains("the peer has closed it during the handshake of TLS; does it use TLS?");
    drop(rx);
}

/// What openssl makes without extensions.
const VERSION_1: &str = "\
-----BEGIN CERTIFICATE-----
MIIBEjCBuQIUBQG0TONkdCR515yWJq3eC+AUEDUwCgYIKoZIzj0EAwIwDDEKMAgG
A1UEAwwBYTAeFw0yNjExMjYxOTM4MDRaFw0yNjEyMDUxOTM4MDRaMAwxCjAIBgNV
BAMMAWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAS1WSHXB6i446xRe6VtvZdu
5EyHcNe2/1cTSkuWTj0fz+B3kefOadIuht8REdGCCBwG7Bnl4q9xRAvfJIK2QQbn
MAoGCCqGSM49BAMCA0gAMEUCIGwyNqZOuyINy1eYYSFTgWbhpSPnyM7Yb5L3t6ZV
fb2+AiEA1ENCgN71I3jJD4c7msYjiK0XNcY4jnbxeVB/NCm9bmw=
-----END CERTIFICATE-----
";

#[test]
fn folders_that_do_not_fit() {
    let authority = Authority::new();
    let app = receiver(free_port());
    let says = |folder: &Path, text: &str| {
        gxe(&app, Some(folder)).run().with_status(4).complains(text);
    };
    let folder = authority.certificate_only("authority");
    says(&folder, "has no tls.crt and tls.key, which servers need");
    let folder = authority.certify("open", &HOST);
    std::fs::set_permissions(folder.join("tls.key"), PermissionsExt::from_mode(0o644))
        .expect("permissions");
    says(&folder, "tls.key' can be read by others (mode 644); run: chmod 600");
    let folder = authority.certify("half", &HOST);
    std::fs::remove_file(folder.join("tls.key")).expect("a file");
    says(&folder, "tls.key' does not exist");
    let folder = authority.certify("garbage", &HOST);
    std::fs::write(folder.join("ca.crt"), "-----BEGIN").expect("a file");
    says(&folder, "ca.crt'");
    std::fs::write(folder.join("ca.crt"), vec![b'x'; 2 << 20]).expect("a file");
    says(&folder, "cannot be read: 2097152 bytes, and 1048576 are the most");
    std::fs::remove_file(folder.join("ca.crt")).expect("a file");
    let made = Command::new("mkfifo").arg(folder.join("ca.crt")).status();
    assert!(made.expect("coreutils").success());
    says(&folder, "ca.crt' cannot be read: it is no file");
    let (folder, other) = (authority.certify("mixed", &HOST), authority.certify("one", &HOST));
    std::fs::copy(other.join("tls.key"), folder.join("tls.key")).expect("a file");
    says(&folder, "has a tls.crt and a tls.key that do not fit together");
    let folder = authority.certify("locked", &HOST);
    let locked = "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n";
    std::fs::write(folder.join("tls.key"), locked).expect("a file");
    says(&folder, "tls.key' needs a passphrase, which nobody can be asked for; remove it");
    let folder = authority.certify("old", &HOST);
    std::fs::write(folder.join("tls.crt"), VERSION_1).expect("a file");
    says(&folder, "tls.crt' cannot be used: ");
    says(&folder, "; it is of version 1 of X.509, and needs an extension: subjectAltName");
    let folder = tempfile::tempdir().expect("a folder");
    says(folder.path(), "has neither ca.crt nor tls.crt and tls.key");
    says(&folder.path().join("missing"), "missing' is no directory");
}

/// A graph that needs no link.
const LONE: &str = "\
name: tx
components:
- {name: signal, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: signal}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";

/// A driver or worker with the server and client of a library.
fn part(library: &str, own: u16, driver: u16, parameters: &str, client: &str) -> Gxe {
    let (server, kind) = match library {
        "libgxf_grpc.so" => ("GrpcServer", "GrpcClient"),
        _ => ("HttpServer", "HttpIPCClient"),
    };
    let app = format!(
        "\
name: part
components:
- {{name: server, type: nvidia::gxf::{server}, parameters: {{port: {own}}}}}
- {{name: client, type: nvidia::gxf::{kind}, parameters: {{server_ip_address: localhost, port: {driver}{client}}}}}
- {{{parameters}}}
"
    );
    Gxe::alone()
        .file("part.yaml", &app)
        .file("app.yaml", LONE)
        .file("manifest.yaml", MANIFEST)
        .file("own.yaml", &format!("extensions: [gxf/std/libgxf_std.so, {library}]\n"))
        .args("run part.yaml --manifest own.yaml --app-root .")
}

#[test]
fn drivers_and_workers_prove_who_they_are() {
    let authority = Authority::new();
    let host = authority.certify("host", &HOST).to_string_lossy().into_owned();
    let stranger = Authority::new();
    let stranger_folder = stranger.certify("stranger", &HOST).to_string_lossy().into_owned();
    // Trusts the host, which does not trust it.
    let guest = stranger.certify("guest", &HOST);
    std::fs::copy(Path::new(&host).join("ca.crt"), guest.join("ca.crt")).expect("a file");
    let guest = guest.to_string_lossy().into_owned();
    let driver_parameters = "type: nvidia::gxf::GraphDriver, parameters: {server: server, \
                             client: client, segments: [one], connections: []}";
    let worker_parameters = "type: nvidia::gxf::GraphWorker, parameters: {server: server, \
                             client: client, driver-reconnection-times: 1, graph-specs: {one: \
                             {app-path: app.yaml, manifest-path: manifest.yaml}}}";
    let folder = tempfile::tempdir().expect("a folder");
    for library in ["libgxf_http.so", "libgxf_grpc.so"] {
        let (port, own) = (free_port(), free_port());
        let driver = part(library, port, port, driver_parameters, "");
        let socket = folder.path().join(library);
        let mut driver = driver
            .env("GXE_TLS_DIRECTORY", &host)
            .args(&format!("--control={}", socket.display()))
            .spawn();
        driver.wait_for("The driver is ready");
        // As the probe of Kubernetes does.
        let probe = format!("top {} --json --count=1", socket.display());
        let _ = Gxe::alone().args(&probe).run().with_status(0);
        let worker = || part(library, own, port, worker_parameters, "");
        let refused = worker().env("GXE_TLS_DIRECTORY", &stranger_folder).run().with_status(5);
        refused.complains("TLS: invalid peer certificate");
        let warns = |ended: &Ended, remedy: &str| {
            let log = ended.log();
            let warnings =
                log.iter().filter(|text| text.contains("a client cannot call localhost:"));
            let warnings: Vec<_> = warnings.collect();
            // However often it tries.
            assert!(warnings.len() == 1 && warnings[0].ends_with(remedy), "{}", ended.stdout);
        };
        warns(&refused, "; give both ends the ca.crt of the authority that certified them");
        let refused = worker().env("GXE_TLS_DIRECTORY", &guest).run().with_status(5);
        // HTTP/2 may find the connection closed before it reads why.
        let says_why = library == "libgxf_http.so";
        if says_why {
            refused.complains(": received fatal alert: ");
            warns(
                &refused,
                "; it does not accept the certificate of this end, and its log says why",
            );
        }
        driver.wait_for(": TLS: invalid peer certificate: ");
        let refused = worker().run().with_status(5);
        if says_why {
            refused.complains("the peer uses TLS, and this end has no certificates");
        }
        let worker = worker().env("GXE_TLS_DIRECTORY", &host).run().with_status(0);
        assert_eq!(worker.count("Message Sent"), 1, "{library}: {}", worker.stdout);
        let _ = driver.end().with_status(0);
        let _ = Gxe::alone().args(&probe).run().with_status(3);
        let port = free_port();
        let mut driver = part(library, port, port, driver_parameters, "").spawn();
        driver.wait_for("The driver is ready");
        let worker = part(library, own, port, worker_parameters, "");
        let refused = worker.env("GXE_TLS_DIRECTORY", &host).run().with_status(5);
        refused.complains("the peer does not answer the handshake; does it use TLS?");
        driver.signal("INT");
        let _ = driver.end().with_status(130);
    }
    let port = free_port();
    let insists = part("libgxf_http.so", port, port, worker_parameters, ", use_https: true");
    insists.run().with_status(4).complains(
        "`use_https` needs certificates: set `tls_directory`, or the environment variable \
         GXE_TLS_DIRECTORY",
    );
}

#[test]
fn flags_name_token_and_certificates() {
    let authority = Authority::new();
    let host = authority.certify("host", &HOST);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../apps/distributed");
    let root = root.canonicalize().expect("the example");
    let run = |port: u16, more: &str| {
        let port = port.to_string();
        Gxe::alone()
            .args(&format!("run {}/ping.yaml --address 127.0.0.1:{port} {more}", root.display()))
    };
    let folder = format!("--tls-directory {}", host.display());
    let ended = run(free_port(), &format!("--driver --worker {folder}")).run().with_status(0);
    assert_eq!(received(&ended), (0..10).collect::<Vec<_>>());
    let port = free_port();
    let mut driver = run(port, &format!("--driver {folder}")).spawn();
    driver.wait_for("The driver is ready");
    let worker = run(port, &format!("--worker --tls-directory={}", host.display()));
    assert_eq!(received(&worker.run().with_status(0)), (0..10).collect::<Vec<_>>());
    let _ = driver.end().with_status(0);
    let refused = Gxe::alone().args("run app.yaml --tls-directory /tmp").run().with_status(2);
    refused.complains("'--tls-directory' needs --driver or --worker");
    let refused = run(port, "--worker --token-file /nowhere").run().with_status(4);
    refused.complains("token file '/nowhere' cannot be read: No such file or directory");
    for token in ["s\u{e9}cret", "two\nlines"] {
        let file = host.join("token");
        std::fs::write(&file, token).expect("a file");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o600)).expect("permissions");
        let refused = run(port, &format!("--worker --token-file {}", file.display()));
        refused.run().with_status(4).complains(&format!(
            "token file '{}' may have printable ASCII characters only, on one line",
            file.display()
        ));
    }
}
