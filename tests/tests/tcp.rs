//! Messages over TCP to GXF's own peers: `libgxf_network.so`.

use gxe_tests::links::free_port;
use gxe_tests::{Ended, Gxe, Running};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_serialization.so
- libgxf_sample.so
- libgxf_test.so
- libgxf_network.so
";

/// `std::hash<std::string>` of `signal`, by GCC's library.
const SIGNAL: u64 = 15_283_615_121_063_448_299;

fn gxe(app: &str) -> Gxe {
    Gxe::alone()
        .file("app.yaml", app)
        .file("manifest.yaml", MANIFEST)
        .args("run app.yaml --manifest manifest.yaml")
}

/// An entity with a TCP codelet, and the scheduler.
fn app(kind: &str, port: u16, queue: &str, more: &str, rest: &str) -> String {
    format!(
        "\
name: network
components:
{queue}\
- {{name: allocator, type: nvidia::gxf::UnboundedAllocator}}
- {{name: components, type: nvidia::gxf::StdComponentSerializer, parameters: {{allocator: allocator}}}}
- {{name: entities, type: nvidia::gxf::StdEntitySerializer, parameters: {{component_serializers: [components]}}}}
- {{name: event, type: nvidia::gxf::AsynchronousSchedulingTerm}}
- name: tcp
  type: nvidia::gxf::{kind}
  parameters: {{entity_serializer: entities, address: 127.0.0.1, port: {port}, async_scheduling_term: event, {more}}}
---
{rest}\
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock}}}}
"
    )
}

/// Sends numbers to the codelet's receiver `signal`.
fn sending(kind: &str, port: u16, more: &str) -> String {
    let queue = "- {name: signal, type: nvidia::gxf::DoubleBufferReceiver}\n";
    let rest = "\
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 100}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
- {type: nvidia::gxf::Connection, parameters: {source: out, target: network/signal}}
";
    app(kind, port, queue, &format!("receivers: [signal], {more}"), rest)
}

/// Logs the numbers that come for the transmitter `signal`.
fn receiving(kind: &str, port: u16, more: &str) -> String {
    let queue = "\
- {name: signal, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: signal}}
";
    let rest = "\
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::PingRx, parameters: {signal: in}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: nvidia::gxf::Connection, parameters: {source: network/signal, target: in}}
";
    app(kind, port, queue, &format!("transmitters: [signal], {more}"), rest)
}

fn listening(app: &str, port: u16) -> Running {
    let running = gxe(app).spawn();
    // Connections are refused until it listens; one that comes and goes is mended.
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::yield_now();
    }
    running
}

fn received(ended: &Ended) -> Vec<u64> {
    let log = ended.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    values.map(|value| value.parse().expect("a number")).collect()
}

#[test]
fn messages_arrive_in_order_whoever_listens() {
    let patient = "maximum_attempts: 200, timeout_period: 50ms";
    for (sender, receiver) in [("TcpClient", "TcpServer"), ("TcpServer", "TcpClient")] {
        let port = free_port();
        let rx = gxe(&receiving(receiver, port, patient)).spawn();
        let tx = gxe(&sending(sender, port, patient)).spawn();
        // The end flows from the source: this one waits for nothing that could still come once
        // everything is sent, and the other one finds nobody any more; a peer that left between two
        // messages is no error.
        let _ = tx.end().clean();
        let rx = rx.end().clean();
        assert_eq!(received(&rx), (0..100).collect::<Vec<_>>(), "{receiver}");
    }
}

/// What a peer of GXF sends and expects, byte by byte.
#[test]
fn the_bytes_are_those_of_gxf() {
    let port = free_port();
    let peer = TcpListener::bind(("127.0.0.1", port)).expect("the port");
    let mut tx = gxe(&sending("TcpClient", port, "")).spawn();
    let (mut stream, _) = peer.accept().expect("a client");
    let mut number = || {
        let mut bytes = [0; 8];
        stream.read_exact(&mut bytes).expect("a number");
        u64::from_le_bytes(bytes)
    };
    // The frame's size, which nobody uses, the number of entities, the queue.
    assert_eq!([number(), number(), number()], [0, 1, SIGNAL]);
    let mut entity = [0; 40];
    stream.read_exact(&mut entity).expect("an entity");
    assert_eq!(u64::from_le_bytes(entity[12..20].try_into().unwrap()), 0, "the first");
    let count = u64::from_le_bytes(entity[24..32].try_into().unwrap());
    let mut sent = [&[0; 8][..], &1_u64.to_le_bytes(), &SIGNAL.to_le_bytes(), &entity].concat();
    let sizes = [("", 4), ("timestamp", 16)];
    for _ in 0..count {
        let mut component = [0; 32];
        stream.read_exact(&mut component).expect("a component");
        let length = u64::from_le_bytes(component[24..].try_into().unwrap());
        let mut name = vec![0; usize::try_from(length).unwrap()];
        stream.read_exact(&mut name).expect("its name");
        let is_timestamp = name == b"timestamp";
        let mut payload = vec![0; sizes[usize::from(is_timestamp)].1];
        stream.read_exact(&mut payload).expect("its payload");
        sent.extend([&component[..], &name, &payload].concat());
    }
    tx.signal("KILL");
    let _ = tx.end();

    // The same bytes, in pieces, to a server.
    let port = free_port();
    let mut rx = listening(&receiving("TcpServer", port, "maximum_attempts: 100"), port);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server");
    stream.set_nodelay(true).unwrap();
    for piece in sent.chunks(7) {
        stream.write_all(piece).expect("it takes bytes");
    }
    rx.wait_for("rx_value = 0");
    // An entity for a queue that it does not have, and then one that it has.
    let unknown = [&sent[..16], &[1; 8], &sent[24..], &sent].concat();
    stream.write_all(&unknown).expect("it takes bytes");
    rx.wait_for("a message came for a queue that is not here");
    rx.wait_for("rx_value = 0");
    rx.signal("INT");
    let _ = rx.end().with_status(130);

    // Messages in pieces keep a connection, too.
    let port = free_port();
    let limit = "maximum_attempts: 100, max_msg_delay_ms: 500";
    let mut rx = listening(&receiving("TcpServer", port, limit), port);
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server");
    stream.set_nodelay(true).unwrap();
    for _ in 0..8 {
        for piece in sent.chunks(sent.len() - 1) {
            stream.write_all(piece).expect("it takes bytes");
            std::thread::sleep(Duration::from_millis(50));
        }
        rx.wait_for("rx_value = 0");
    }
    rx.signal("INT");
    let _ = rx.end().with_status(130);
}

#[test]
fn strangers_cost_nothing() {
    let port = free_port();
    let mut rx = listening(&receiving("TcpServer", port, "maximum_attempts: 300"), port);
    // An entity with one tensor of 2^60 bytes.
    let mut tensor = vec![0_u8; 40 + 32 + 116];
    tensor[24] = 1;
    tensor[48..56].copy_from_slice(&0x3775_01d6_9abf_447c_u64.to_le_bytes());
    tensor[56..64].copy_from_slice(&0xa617_0114_d4f3_3ab8_u64.to_le_bytes());
    tensor[72 + 4..72 + 8].copy_from_slice(&2_i32.to_le_bytes());
    tensor[72 + 8..72 + 16].copy_from_slice(&1_u64.to_le_bytes());
    tensor[72 + 16..72 + 20].copy_from_slice(&2_u32.to_le_bytes());
    for (at, size) in [(20, 1_i32 << 30), (24, 1 << 30)] {
        tensor[72 + at..72 + at + 4].copy_from_slice(&size.to_le_bytes());
    }
    let mut unknown = vec![0_u8; 40 + 32 + 8];
    unknown[24] = 1;
    let frame = |count: u64| [0, count, SIGNAL].map(u64::to_le_bytes).concat();
    let named = [&tensor[..64], &1025_u64.to_le_bytes()].concat();
    let half = "it ended in the middle of a message";
    let no_header = "it sent no header of GXF: a frame has at most 65536 messages, and not";
    // Those of the first kind are refused at once, and the others once they end.
    let attacks: [(bool, Vec<u8>, &str); 9] = [
        (true, vec![0xff; 5000], no_header),
        (true, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n".to_vec(), no_header),
        (true, [frame(u64::MAX), vec![0; 60]].concat(), no_header),
        (true, [frame(1), vec![0xff; 4096]].concat(), "it states 18446744073709551615 components"),
        (true, [frame(1), named].concat(), "the name of component 0 would have 1025 bytes"),
        (
            true,
            [frame(1), tensor].concat(),
            "the data of component 0 would have 1152921504606846976",
        ),
        (true, [frame(1), unknown].concat(), "no component serializer reads the type"),
        (false, [frame(1), vec![0; 30]].concat(), half),
        (false, vec![7; 5], half),
    ];
    for (at_once, bytes, text) in attacks {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server");
        let address = stream.local_addr().expect("an address");
        stream.write_all(&bytes).expect("it takes bytes");
        if !at_once {
            stream.shutdown(std::net::Shutdown::Write).expect("half closed");
        }
        _ = stream.read_to_end(&mut Vec::new());
        let line = rx.line_with(&format!("connection to {address}: "));
        assert!(line.contains(text), "{line}");
    }
    rx.signal("INT");
    let _ = rx.end().with_status(130);
}

/// A frame with one number for the queue.
fn number(value: i32) -> Vec<u8> {
    let mut entity = [0; 40];
    entity[24] = 1;
    let int32 = [0, 0xb557_ec7f_49a5_08f7, 0xa35e_086e_9d1e_a767, 0].map(u64::to_le_bytes);
    let header = [0, 1, SIGNAL].map(u64::to_le_bytes);
    [&header.concat()[..], &entity, &int32.concat(), &value.to_le_bytes()].concat()
}

/// Whether the server closes a connection within a few seconds.
fn is_closed(stream: &mut TcpStream, seconds: u64) -> bool {
    stream.set_read_timeout(Some(Duration::from_secs(seconds))).expect("a time limit");
    match stream.read(&mut [0]) {
        Ok(read) => read == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

#[test]
fn who_says_nothing_gives_way() {
    let port = free_port();
    let mut rx = listening(&receiving("TcpServer", port, "maximum_attempts: 300"), port);
    let connect = || TcpStream::connect(("127.0.0.1", port)).expect("the server");
    let mut first = connect();
    // Nobody waits but one who has left.
    drop(connect());
    assert!(!is_closed(&mut first, 7));
    let silent: Vec<TcpStream> = (0..20).map(|_| connect()).collect();
    let text = "others wait, and it has not sent a message";
    assert!(is_closed(&mut first, 60));
    rx.wait_for(&format!("connection to {}: {text}", first.local_addr().expect("an address")));
    // It takes its turn before those who have nothing to say.
    let _ = gxe(&sending("TcpClient", port, "")).run().clean();
    rx.wait_for("rx_value = 99");
    drop(silent);

    // Its first message may come slowly.
    let mut slow = connect();
    slow.set_nodelay(true).expect("a socket");
    for byte in number(7).chunks(16) {
        slow.write_all(byte).expect("it takes bytes");
        std::thread::sleep(Duration::from_millis(1000));
    }
    rx.wait_for("rx_value = 7");
    rx.signal("INT");
    let _ = rx.end().with_status(130);
}

#[test]
fn a_client_may_be_silent_but_not_in_the_middle_of_a_message() {
    let port = free_port();
    let mut rx = listening(&receiving("TcpServer", port, "maximum_attempts: 300"), port);
    let connect = || TcpStream::connect(("127.0.0.1", port)).expect("the server");
    let mut first = connect();
    first.write_all(&number(1)).expect("it takes bytes");
    rx.wait_for("rx_value = 1");
    let mut second = connect();
    second.write_all(&number(3)).expect("it takes bytes");
    assert!(!is_closed(&mut first, 7));
    first.write_all(&number(2)).expect("it takes bytes");
    rx.wait_for("rx_value = 2");
    first.write_all(&number(2)[..50]).expect("it takes bytes");
    assert!(is_closed(&mut first, 60));
    rx.wait_for("it has stopped in the middle of a message");
    rx.wait_for("rx_value = 3");
    // Also if nobody waits.
    second.write_all(&[0; 3]).expect("it takes bytes");
    assert!(is_closed(&mut second, 60));
    rx.signal("INT");
    let _ = rx.end().with_status(130);
}

/// GXF's protocol has no place for a token.
#[test]
fn a_token_does_not_let_others_in() {
    let port = free_port();
    let few = "maximum_attempts: 2, timeout_period: 10ms";
    let app = receiving("TcpServer", port, few).replace("127.0.0.1", "0.0.0.0");
    let rx = gxe(&app);
    let token = rx.folder().join("token");
    std::fs::write(&token, "secret").expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&token, mode).expect("permissions");
    let rx = rx.env("GXE_TOKEN_FILE", &token.to_string_lossy()).run().with_status(5);
    rx.complains(&format!("no client of `network/tcp` came to 127.0.0.1:{port} in 2 attempts"));
    let text = "TCP servers accept connections of this host only, because their protocol knows no \
                token and no certificate; set GXE_INSECURE=1 to let everybody in";
    assert_eq!(rx.count(text), 1, "{}", rx.stdout);
    let rx = gxe(&app).env("GXE_INSECURE", "1").run().with_status(5);
    rx.complains(&format!("no client of `network/tcp` came to 0.0.0.0:{port} in 2 attempts"));
}

/// Sends the same bytes without pause until the other end is gone.
fn flood(port: u16, bytes: &[u8]) -> std::thread::JoinHandle<()> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server");
    let bytes = bytes.repeat((1 << 20) / bytes.len());
    std::thread::spawn(move || while stream.write_all(&bytes).is_ok() {})
}

#[test]
fn a_peer_that_never_pauses_does_not_keep_it_from_ending() {
    let empty_frame = [0; 16];
    // An entity without components, for a queue that is not here.
    let unknown = [&[0; 8][..], &1_u64.to_le_bytes(), &[1; 8], &[0; 40]].concat();
    for bytes in [&empty_frame[..], &unknown] {
        let port = free_port();
        let limit = "maximum_attempts: 300, max_duration_ms: 500";
        let mut rx = listening(&receiving("TcpServer", port, "maximum_attempts: 300"), port);
        let flooding = flood(port, bytes);
        std::thread::sleep(Duration::from_millis(100));
        rx.signal("INT");
        let _ = rx.end().with_status(130);
        flooding.join().expect("the flood ends");

        let port = free_port();
        let rx = listening(&receiving("TcpServer", port, limit), port);
        let flooding = flood(port, bytes);
        let _ = rx.end().with_status(0);
        flooding.join().expect("the flood ends");
    }
}

#[test]
fn a_pause_of_any_length_has_an_end() {
    let port = free_port();
    let long = "maximum_attempts: 1000, timeout_ms: 18446744073709551615";
    let mut rx = listening(&receiving("TcpServer", port, long), port);
    rx.signal("INT");
    let rx = rx.end().with_status(130);
    assert!(!rx.stderr.contains("panicked"), "{}", rx.stderr);
}

#[test]
fn nobody_is_there_or_the_port_is_taken() {
    let port = free_port();
    let few = "maximum_attempts: 2, timeout_period: 10ms";
    let tx = gxe(&sending("TcpClient", port, few)).run().with_status(5);
    let text = format!("`network/tcp` reached no server at 127.0.0.1:{port} in 2 attempts");
    tx.complains(&text);
    let rx = gxe(&receiving("TcpServer", port, few)).run().with_status(5);
    rx.complains(&format!("no client of `network/tcp` came to 127.0.0.1:{port} in 2 attempts"));
    let _taken = TcpListener::bind(("127.0.0.1", port)).expect("the port");
    let rx = gxe(&receiving("TcpServer", port, "")).run().with_status(5);
    rx.complains(&format!("cannot listen at 127.0.0.1:{port}: another program uses the port"));
    let never = gxe(&sending("TcpClient", port, "timeout_period: 3 weeks")).run();
    never.complains("`timeout_period`");
}

#[test]
fn both_codelets_have_the_base_that_handles_may_name() {
    let inspect = "inspect --manifest manifest.yaml --format json nvidia::gxf::Tcp";
    let types = |name: &str| {
        let gxe = Gxe::alone().file("manifest.yaml", MANIFEST).args(&format!("{inspect}{name}"));
        let all: serde_json::Value = serde_json::from_str(&gxe.run().clean().stdout).expect("JSON");
        all["types"][0].clone()
    };
    assert_eq!(types("Codelet")["kind"], "abstract");
    for name in ["Client", "Server"] {
        let bases =
            ["TcpCodelet", "Codelet", "Component"].map(|base| format!("nvidia::gxf::{base}"));
        assert_eq!(types(name)["bases"], serde_json::json!(bases), "{name}");
    }
    let parameters = |name| {
        let all = types(name)["parameters"].as_array().expect("parameters").clone();
        all.iter().map(|one| one["key"].as_str().expect("a key").to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(parameters("Codelet").len(), 12);
    assert_eq!(parameters("Codelet"), parameters("Client"));
    let app = app("TcpCodelet", 1, "", "", "");
    gxe(&app).run().with_status(3).complains("TcpCodelet");
}

#[test]
fn a_clock_follows_another() {
    let app = "\
name: primary
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::ClockSyncPrimary, parameters: {tx_timestamp: out, clock: scheduler/clock}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1000000}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
- {type: nvidia::gxf::Connection, parameters: {source: out, target: secondary/in}}
---
name: secondary
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: clock, type: nvidia::gxf::SyntheticClock, parameters: {initial_timestamp: 500000}}
- {type: nvidia::gxf::ClockSyncSecondary, parameters: {rx_timestamp: in, synthetic_clock: clock}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {name: on, type: nvidia::gxf::BooleanSchedulingTerm}
- type: nvidia::gxf::test::ClockChecker
  parameters: {synthetic_clock: clock, boolean_scheduling_term: on, timestamps: [500000, 1000000, 2000000]}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::ManualClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";
    let _ = gxe(app).run().clean();
    let wrong = app.replace("2000000]", "3000000]");
    gxe(&wrong).run().complains("the clock shows 2000000 ns instead of 3000000 ns");
}
