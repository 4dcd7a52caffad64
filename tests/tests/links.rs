//! Links between graphs in two processes: `libgxf_ucx.so`.

use gxe_tests::links::{
    BUFFER, GREEDY, assert_large_tensors, common_entities, free_port, large_tensors,
};
use gxe_tests::recording::{Component, Files, picture};
use gxe_tests::{Ended, Gxe, Running, eventually};
use gxf::Payload;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_sample.so
- libgxf_test.so
- libgxf_ucx.so
";

const SCHEDULERS: [&str; 4] = [
    GREEDY,
    "MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    "EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    "GreedyScheduler, parameters: {clock: clock, stop_on_deadlock: false, max_duration_ms: 600000}",
];

/// Sends numbers.
fn sender(port: u16, count: i64, queue: &str, entity: &str) -> String {
    format!(
        "\
name: tx
components:
{BUFFER}\
- {{name: signal, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {port}, {queue}}}}}
- {{type: nvidia::gxf::PingTx, parameters: {{signal: signal}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
{entity}"
    )
}

const BACK_PRESSURE: &str =
    "- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: signal}}\n";

/// Receives them.
fn receiver(port: u16, queue: &str, entity: &str) -> String {
    format!(
        "\
name: rx
components:
{BUFFER}\
- {{name: signal, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {port}, {queue}}}}}
- {{type: nvidia::gxf::PingRx, parameters: {{signal: signal}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: signal}}}}
{entity}"
    )
}

fn gxe(app: &str) -> Gxe {
    let folder = std::env::temp_dir().to_string_lossy().into_owned();
    Gxe::alone()
        .file("app.yaml", app)
        .file("manifest.yaml", MANIFEST)
        .env("XDG_RUNTIME_DIR", &folder)
        .args("run app.yaml --manifest manifest.yaml")
}

/// What a receiver got.
fn received(ended: &Ended) -> Vec<u64> {
    let log = ended.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    values.map(|value| value.parse().expect("a number")).collect()
}

fn listening(app: &str) -> Running {
    let mut running = gxe(app).args("--severity debug").spawn();
    running.wait_for("listens at");
    running
}

#[test]
fn messages_arrive_in_order_and_both_ends_end_by_themselves() {
    for carrier in ["tcp", "unix", "auto"] {
        for scheduler in SCHEDULERS.iter().take(if carrier == "tcp" { 4 } else { 1 }) {
            let port = free_port();
            let context = format!("carrier: {carrier}");
            let tail = common_entities(&context, scheduler);
            let rx = listening(&format!("{}{tail}", receiver(port, "", "")));
            let app = format!("{}{tail}", sender(port, 100, "", BACK_PRESSURE));
            let tx = gxe(&app).run().clean();
            if scheduler.contains("false") {
                // Nothing but the program ends such a receiver.
                let mut rx = rx;
                rx.wait_for("rx_value = 99");
                rx.signal("INT");
                let _ = rx.end().with_status(130);
                continue;
            }
            let rx = rx.end().with_status(0);
            assert_eq!(received(&rx), (0..100).collect::<Vec<_>>(), "{carrier} {scheduler}");
            assert_eq!(rx.count("is stuck"), 0, "{}", rx.stdout);
            let by = if carrier == "tcp" { "(TCP)" } else { "(a Unix socket)" };
            assert_eq!(tx.count(by), 1, "{}", tx.stdout);
        }
    }
}

/// Two receivers of one host may have the same port at different addresses, in two processes or in one.
#[test]
fn a_receiver_is_found_by_its_address() {
    let at = |port: u16, place: u8| receiver(port, &format!("address: 127.0.0.{place}"), "");
    let to = |port: u16, place: u8, count: i64| {
        sender(port, count, &format!("receiver_address: 127.0.0.{place}"), BACK_PRESSURE)
    };
    let port = free_port();
    let tail = common_entities("carrier: unix", SCHEDULERS[0]);
    let first = listening(&format!("{}{tail}", at(port, 1)));
    let second = listening(&format!("{}{tail}", at(port, 2)));
    let _ = gxe(&format!("{}{tail}", to(port, 2, 5))).run().clean();
    let _ = gxe(&format!("{}{tail}", to(port, 1, 3))).run().clean();
    assert_eq!(received(&second.end().with_status(0)), (0..5).collect::<Vec<_>>());
    assert_eq!(received(&first.end().with_status(0)), (0..3).collect::<Vec<_>>());
    let all = [
        at(port, 1).replace("name: rx\n", "name: rx1\n"),
        at(port, 2).replace("name: rx\n", "name: rx2\n"),
        to(port, 2, 5).replace("name: tx\n", "name: tx2\n"),
        to(port, 1, 3).replace("name: tx\n", "name: tx1\n"),
    ];
    let ended = gxe(&format!("{}{tail}", all.join("---\n"))).run().clean();
    for place in [1, 2] {
        let text = format!("`tx{place}/signal` is connected to `rx{place}/signal` in this process");
        assert_eq!(ended.count(&text), 1, "{}", ended.stdout);
    }
}

/// A transmitter may name the host in another way than its receiver.
#[test]
fn a_receiver_of_this_host_is_found_by_other_names() {
    for (listens, names) in [
        ("127.0.0.1", "localhost"),
        ("127.0.0.1", "0.0.0.0"),
        ("127.0.0.1", "''"),
        ("''", "''"),
        ("127.0.0.1", "'::1'"),
        ("0.0.0.0", "127.0.0.3"),
        ("'::'", "localhost"),
    ] {
        let port = free_port();
        let tail = common_entities("carrier: unix", SCHEDULERS[0]);
        let rx =
            listening(&format!("{}{tail}", receiver(port, &format!("address: {listens}"), "")));
        let tx = sender(port, 3, &format!("receiver_address: {names}"), BACK_PRESSURE);
        let _ = gxe(&format!("{tx}{tail}")).run().clean();
        assert_eq!(received(&rx.end().with_status(0)), [0, 1, 2], "{listens} {names}");
    }
}

/// Any address of this host means one of the receiver's version of IP.
#[test]
fn a_transmitter_connects_from_any_address() {
    if TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    for (listens, local) in [
        ("127.0.0.1", "local_address: '::'".to_owned()),
        ("127.0.0.1", format!("local_address: '::', local_port: {}", free_port())),
        ("'::1'", format!("local_port: {}", free_port())),
        ("'::1'", format!("local_address: '', local_port: {}", free_port())),
    ] {
        let port = free_port();
        let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
        let rx = receiver(port, &format!("address: {listens}"), "");
        let rx = listening(&format!("{rx}{tail}"));
        let tx = format!("receiver_address: {listens}, {local}");
        let tx = sender(port, 3, &tx, BACK_PRESSURE);
        let _ = gxe(&format!("{tx}{tail}")).run().clean();
        assert_eq!(received(&rx.end().with_status(0)), [0, 1, 2], "{listens} {local}");
    }
}

/// The loopback address of IPv6 is no other name of that of IPv4.
#[test]
fn a_receiver_that_is_for_this_host_says_where_it_listens() {
    if TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    let port = free_port();
    let app = receiver(port, "address: '::'", "") + &common_entities("carrier: tcp", SCHEDULERS[0]);
    let mut rx = gxe(&app).args("--severity debug").spawn();
    rx.wait_for("links accept connections of this host only");
    rx.wait_for(
        "links that ask for `::` accept those to ::1 alone; ask for 0.0.0.0 to have 127.0.0.1",
    );
    rx.wait_for(&format!("listens at [::1]:{port}"));
    rx.signal("INT");
    let _ = rx.end().with_status(130);
}

/// Certificates do not open it: UCX knows none.
#[test]
fn ucx_without_a_token_is_for_this_host() {
    if !has_ucx() {
        return;
    }
    let authority = gxe_tests::certificates::Authority::new();
    let folder = authority.certify("host", &["localhost", "127.0.0.1"]);
    let port = free_port();
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    let rx = gxe(&format!("{}{tail}", receiver(port, "", "")));
    let rx = rx.env("GXE_TLS_DIRECTORY", &folder.to_string_lossy());
    let mut rx = rx.args("--severity debug").spawn();
    rx.wait_for(&format!("listens at 127.0.0.1:{port}"));
    rx.signal("INT");
    let text = "links over UCX, which knows no certificates, accept connections of this host only";
    assert_eq!(rx.end().with_status(130).count(text), 1);
}

/// So many receivers and senders, each of `count` messages, with what follows all entities.
fn several_links(links: usize, count: u64, tail: &str) -> [String; 2] {
    let (mut rx, mut tx) = (String::new(), String::new());
    for number in 0..links {
        let port = free_port();
        let ends = [receiver(port, "", ""), sender(port, count.cast_signed(), "", BACK_PRESSURE)];
        for (app, end) in [&mut rx, &mut tx].into_iter().zip(ends) {
            let (name, rest) = end.split_once('\n').expect("a name first");
            *app += &format!("{name}_{number}\n{rest}---\n");
        }
    }
    let tail = tail.trim_start_matches("---\n");
    [rx, tx].map(|app| format!("{app}{tail}"))
}

/// None of them is taken for a stranger that keeps others out.
#[test]
fn many_links_connect_at_once() {
    const LINKS: usize = 300;
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let [rx, tx] = several_links(LINKS, 1, &tail);
    let rx = listening(&rx);
    let _ = gxe(&tx).run().clean();
    let rx = rx.end().with_status(0);
    assert_eq!(received(&rx).len(), LINKS);
    assert_eq!(rx.count("others connect, and it says nothing"), 0, "{}", rx.stdout);
}

/// A sender that says nothing is quick enough to write several messages at once.
#[test]
fn bursts_arrive_whole_and_in_order() {
    const COUNT: u64 = 5000;
    for (scheduler, carrier) in [(SCHEDULERS[0], "tcp"), (SCHEDULERS[2], "unix")] {
        let port = free_port();
        let tail = common_entities(&format!("carrier: {carrier}"), scheduler);
        let rx = listening(&format!("{}{tail}", receiver(port, "capacity: 64", "")));
        let app = format!("{}{tail}", sender(port, COUNT.cast_signed(), "", BACK_PRESSURE));
        let _ = gxe(&app).args("--severity warning").run().clean();
        let rx = rx.end().with_status(0);
        assert!(received(&rx).iter().copied().eq(0..COUNT), "{carrier}: {}", rx.stdout);
    }
}

/// Whichever thread waits for the links.
#[test]
fn actors_of_several_threads_carry_messages_over_their_links() {
    const COUNT: u64 = 500;
    for threads in 1..=3 {
        let scheduler = format!("ActorScheduler, parameters: {{clock: clock, threads: {threads}}}");
        let tail = common_entities("carrier: tcp", &scheduler);
        let tail = tail.replace("nvidia::gxf::Actor", "gxe::Actor");
        let [rx, tx] = several_links(3, COUNT, &tail);
        let rx = listening(&rx);
        let _ = gxe(&tx).args("--severity warning").run().clean();
        let mut received = received(&rx.end().with_status(0));
        received.sort_unstable();
        let expected = (0..COUNT).flat_map(|number| [number; 3]);
        assert!(received.iter().copied().eq(expected), "{threads}: {received:?}");
    }
}

#[test]
fn the_sender_may_be_first_and_waits() {
    let port = free_port();
    let tail = common_entities("", SCHEDULERS[0]);
    // Without back pressure: nothing is lost before the link is open.
    let mut tx = gxe(&format!("{}{tail}", sender(port, 8, "", ""))).spawn();
    tx.wait_for("waits for a receiver at 0.0.0.0:");
    let rx = gxe(&format!("{}{tail}", receiver(port, "", ""))).run().with_status(0);
    let _ = tx.end().clean();
    assert_eq!(received(&rx), (0..8).collect::<Vec<_>>());
}

#[test]
fn a_slow_reader_slows_the_writer_down_and_policies_count() {
    let port = free_port();
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let slow = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}\n";
    let rx = listening(&format!("{}{tail}", receiver(port, "capacity: 2", slow)));
    let tx = gxe(&format!("{}{tail}", sender(port, 50, "", BACK_PRESSURE))).run().clean();
    let rx = rx.end().with_status(0);
    assert_eq!(received(&rx), (0..50).collect::<Vec<_>>());
    assert_eq!(tx.count("Message Sent"), 50);
    // Without back pressure and with policy 2 the sender fails, and says why.
    let port = free_port();
    let rx = listening(&format!("{}{tail}", receiver(port, "capacity: 2", slow)));
    let app =
        format!("{}{}", sender(port, 50, "", ""), common_entities("carrier: tcp", SCHEDULERS[0]));
    let tx = gxe(&app).run().with_status(5);
    tx.complains(
        "the queue `tx/signal` is full (capacity 1, policy 2 \"fault\"), because `rx/signal` at",
    );
    drop(rx);
    // A receiver that is gone has not "no room".
    let port = free_port();
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let slow = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 20ms}}\n";
    let mut tx = gxe(&format!("{}{tail}", sender(port, 1000, "", slow))).spawn();
    tx.wait_for("Message Sent: int_value = 3");
    rx.signal("KILL");
    let tx = tx.end().with_status(5);
    tx.complains("because the connection to `rx/signal` at ");
    tx.complains(" is lost, and has not come back; enlarge `capacity`");
    drop(rx.end());
    // With policy 1 it drops the newest.
    let port = free_port();
    let rx = listening(&format!("{}{tail}", receiver(port, "capacity: 2", slow)));
    let app =
        format!("{}{}", sender(port, 50, "policy: 1", ""), common_entities("", SCHEDULERS[0]));
    let tx = gxe(&app).args("--statistics").run().clean();
    let received = received(&rx.end().with_status(0));
    assert!(received.len() < 50 && received.is_sorted(), "{received:?}");
    let lost = format!("0 reconnects, {} lost", 50 - received.len());
    assert!(tx.stdout.contains(&lost), "{lost}: {}", tx.stdout);
    // The same among the messages of one tick.
    let port = free_port();
    let rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let two =
        format!("- {{type: nvidia::gxf::PingTx, parameters: {{signal: signal}}}}\n{BACK_PRESSURE}");
    let app = format!("{}{tail}", sender(port, 10, "policy: 1", &two));
    let tx = gxe(&app).args("--statistics").run().clean();
    assert_eq!(self::received(&rx.end().with_status(0)), (0..10).collect::<Vec<_>>());
    assert!(tx.stdout.contains("0 reconnects, 10 lost"), "{}", tx.stdout);
}

/// What is sent while the graph ends counts, too.
#[test]
fn statistics_are_those_of_links_that_have_ended() {
    let port = free_port();
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let slow = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 50ms}}\n";
    let rx = listening(&format!("{}{tail}", receiver(port, "capacity: 1", slow)));
    let app = format!("{}{tail}", sender(port, 10, "capacity: 20", ""));
    let tx = gxe(&app).args("--statistics=s.json");
    let file = tx.folder().join("s.json");
    let (ended, text) = tx.spawn().end_with(|| std::fs::read_to_string(&file).expect("a file"));
    let _ = (ended.clean(), rx.end().with_status(0));
    let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let link = &statistics["links"][0];
    assert_eq!((&link["messages"], &link["queued"]), (&10.into(), &0.into()), "{text}");
    let entity = &statistics["entities"][0];
    assert_eq!((&entity["state"], &entity["ticks"]), (&"stopped".into(), &10.into()), "{text}");
}

#[test]
fn tensors_arrive_as_they_were() {
    let [tx, rx] = tensors("");
    let rx = listening(&rx);
    let _ = gxe(&tx).run().clean();
    let rx = rx.end().with_status(0);
    assert!(
        rx.stdout.contains("16, 17, 18, 19, 20, 21, 22, 23") || rx.count("23") > 0,
        "{}",
        rx.stdout
    );
}

/// Sending it again would not make it smaller.
#[test]
fn a_message_that_is_too_large_ends_the_receivers_graph() {
    let [tx, rx] = tensors(", maximum_message_size: 8");
    let rx = listening(&rx);
    let tx = gxe(&tx).spawn();
    let ended = rx.end().with_status(5);
    ended.complains("from `tx/integers` at ");
    ended.complains("to receiver `rx/in`: message 0: it has ");
    ended.complains(" bytes, and `maximum_message_size` is 8");
    // It may have ended, too, or still look for its receiver.
    drop(tx);
}

/// What a serializer writes itself is part of the head of a message.
#[test]
fn a_message_may_have_a_large_head() {
    let port = free_port();
    let app = |entity: &str, most: &str| {
        let tail = common_entities(most, GREEDY).replace("UcxComponentS", "StdComponentS");
        format!("name: one\ncomponents:\n{BUFFER}{entity}{tail}")
    };
    let tx = app(
        &format!(
            "\
- {{name: out, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {port}}}}}
- {{type: nvidia::gxf::test::TensorGenerator, parameters: {{output: out, allocator: allocator, shape: [20000000]}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 2}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
"
        ),
        "",
    );
    let entity = format!(
        "\
- {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {port}}}}}
- {{type: nvidia::gxf::test::Pop, parameters: {{message: in}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
"
    );
    let gxe = |app: &str| {
        let manifest = format!("{MANIFEST}- libgxf_serialization.so\n");
        gxe(app).file("manifest.yaml", &manifest)
    };
    let rx = gxe(&app(&entity, "carrier: tcp")).args("--statistics=s.json").spawn();
    let ended = gxe(&tx).run().with_status(0);
    assert!(!ended.stdout.contains("has lost its connection"), "{}", ended.stdout);
    let rx = rx.end().with_status(0);
    assert!(!rx.stdout.contains("cannot be read"), "{}", rx.stdout);
    let rx = gxe(&app(&entity, "carrier: tcp, maximum_message_size: 1000000")).spawn();
    let tx = gxe(&tx).spawn();
    rx.end().with_status(5).complains(" bytes, and `maximum_message_size` is 1000000");
    drop(tx);
}

/// An app that sends tensors, and one that prints them; its context has these parameters.
fn tensors(parameters: &str) -> [String; 2] {
    let port = free_port();
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let tx = format!(
        "\
name: tx
components:
{BUFFER}\
- {{name: integers, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {port}, capacity: 4}}}}
- {{name: fibonacci, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::test::Generator, parameters: {{integers: integers, fibonacci: fibonacci, pool: allocator}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 3}}}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: integers}}}}
---
name: local
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- {{type: nvidia::gxf::test::Pop, parameters: {{message: in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: tx/fibonacci, target: in}}}}
{tail}"
    );
    let rx = format!(
        "\
name: rx
components:
{BUFFER}\
- {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {port}}}}}
- {{type: nvidia::gxf::test::PrintTensor, parameters: {{tensors: in}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
{}",
        common_entities(&format!("carrier: tcp{parameters}"), SCHEDULERS[0])
    );
    [tx, rx]
}

/// A payload of a recording.
fn raw(name: &str, tid: gxf::Tid, bytes: Vec<u8>) -> Component {
    Component::Raw { name: name.to_owned(), tid: (tid.hash1, tid.hash2), bytes }
}

/// A recording whose messages have payloads of every small type, and of others.
fn recorded_payloads(folder: &Path) -> Files {
    let raw = |name: &str, tid, size: u8| raw(name, tid, (1..=size).collect());
    let small = vec![
        raw("timestamp", gxf::Timestamp::TID, 16),
        raw("", i8::TID, 1),
        raw("u8", u8::TID, 1),
        raw("i16", i16::TID, 2),
        raw("u16", u16::TID, 2),
        raw("u16", u16::TID, 2),
        raw("i32", i32::TID, 4),
    ];
    let rest = vec![
        raw("u32", u32::TID, 4),
        raw("Größe", i64::TID, 8),
        raw(&"n".repeat(250), u64::TID, 8),
        raw("f32", f32::TID, 4),
        raw("f64", f64::TID, 8),
        raw("bool", bool::TID, 1),
        raw("Complex64", gxf::Complex64::TID, 8),
        raw("Complex128", gxf::Complex128::TID, 16),
    ];
    let all = [&small[..], &rest[..]].concat();
    let with_tensor = [&small[..3], &[picture(2, 3, 5)], &rest[..2]].concat();
    let mut files = Files::default();
    for (time, message) in (1..).zip([small, rest, Vec::new(), all, with_tensor]) {
        files.add(time, &message);
    }
    files.write(folder, "sent");
    files
}

/// Sends the recording `sent` of a folder over a link whose ends have these entities; returns what has
/// arrived.
fn replayed(folder: &Path, ends: [&str; 2]) -> Files {
    let replayer = "\
- {name: more, type: nvidia::gxf::BooleanSchedulingTerm}
- type: nvidia::gxf::EntityReplayer
  parameters: {transmitter: out, entity_serializer: file, boolean_scheduling_term: more,
    directory: '.', basename: sent}
";
    carried(folder, replayer, ends)
}

/// Sends what these components publish through `out`; returns what has arrived.
fn carried(folder: &Path, source: &str, [tx, rx]: [&str; 2]) -> Files {
    const RECORDING: &str = "\
- {name: of_file, type: nvidia::gxf::StdComponentSerializer, parameters: {allocator: allocator}}
- {name: file, type: nvidia::gxf::StdEntitySerializer, parameters: {component_serializers: [of_file]}}
";
    let port = free_port();
    let rx = format!(
        "\
name: rx
components:
{BUFFER}{RECORDING}\
- {{name: in, type: nvidia::gxf::UcxReceiver, parameters: {{buffer: buffer, port: {port}, capacity: 9}}}}
- type: nvidia::gxf::EntityRecorder
  parameters: {{receiver: in, entity_serializer: file, directory: '.', basename: received}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
{rx}"
    );
    let tx = format!(
        "\
name: tx
components:
{BUFFER}{RECORDING}\
- {{name: out, type: nvidia::gxf::UcxTransmitter, parameters: {{buffer: buffer, port: {port}, capacity: 3}}}}
{source}\
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out, min_size: 3}}}}
{tx}"
    );
    let manifest = MANIFEST.to_owned() + "- libgxf_serialization.so\n- libgxf_lifecycle_probe.so\n";
    std::fs::write(folder.join("manifest.yaml"), manifest).expect("a file");
    let gxe = |name: &str, app: &str| {
        std::fs::write(folder.join(name), app).expect("a file");
        let line = format!("run {name} --manifest manifest.yaml --severity debug");
        Gxe::in_folder(folder).args(&line)
    };
    let mut rx = gxe("rx.yaml", &rx).spawn();
    rx.wait_for("listens at");
    let _ = gxe("tx.yaml", &tx).run().with_status(0);
    let _ = rx.end().with_status(0);
    Files::read(folder, "received")
}

/// Messages of small payloads are written in a shorter way if all component serializers are those of the
/// library, and read so whatever the other end has.
#[test]
fn payloads_arrive_as_they_were_whichever_way_they_are_serialized() {
    const OTHER: &str = "- {name: other, type: nvidia::gxf::StdComponentSerializer, parameters: \
                         {allocator: allocator}}\n";
    let short = common_entities("carrier: tcp", GREEDY);
    let long = short.replace("[components]", "[components, other]");
    let long = long.replace("- {name: entities", &format!("{OTHER}- {{name: entities"));
    for ends in [[&short, &short], [&short, &long], [&long, &short], [&long, &long]] {
        let folder = tempfile::tempdir().expect("a folder");
        let files = recorded_payloads(folder.path());
        let received = replayed(folder.path(), ends.map(String::as_str));
        assert!(received.entities == files.entities, "{} and {}", ends[0], ends[1]);
    }
}

/// A message like the one before is written by its pattern. Here one has the payloads of the one before,
/// with other values, and the next one has a payload of another name.
#[test]
fn messages_of_several_kinds_take_turns_on_a_link() {
    const SOURCES: &str = "\
- {type: gxe::test::Probe, parameters: {transmitters: [out], publish: 2, ahead: 7}}
- {type: nvidia::gxf::PingTx, parameters: {signal: out}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1000}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
";
    let mut files = Files::default();
    for tick in 0..3_i32 {
        let now = 5 + 1000 * i64::from(tick);
        let mut add = |name: &str, number: i32, acquired: i64| {
            let stamp = [now.to_le_bytes(), acquired.to_le_bytes()].concat();
            let number = raw(name, i32::TID, number.to_le_bytes().to_vec());
            files.add(0, &[number, raw("timestamp", gxf::Timestamp::TID, stamp)]);
        };
        add("number", 2 * tick, now + 7);
        add("number", 2 * tick + 1, now + 7);
        add("Integer", tick, 0);
    }
    let rx = common_entities("carrier: tcp", GREEDY);
    let manual = "ManualClock, parameters: {initial_timestamp: 5}";
    let tx = rx.replace("RealtimeClock", manual);
    let folder = tempfile::tempdir().expect("a folder");
    let received = carried(folder.path(), SOURCES, [&tx, &rx]);
    assert!(received.entities == files.entities, "{:?}", received.entities);
}

/// What is large, UCX sends and fills where it is, and copies the rest.
#[test]
fn messages_of_large_and_small_tensors_arrive_as_they_were() {
    let sizes = [21_845, 1, 21_846, 400_000, 7, 9, 21_844, 2_000_000, 21_847];
    let mut files = Files::default();
    for (time, count) in (1..).zip([9, 1, 4, 2, 7]) {
        let of = |(size, seed): (&i32, u8)| picture(1, *size, seed.wrapping_mul(31));
        let message: Vec<_> = sizes[..count].iter().rev().zip(time as u8..).map(of).collect();
        files.add(time, &message);
    }
    let carriers = ["tcp", "unix", "ucx"];
    for carrier in carriers.into_iter().filter(|carrier| *carrier != "ucx" || has_ucx()) {
        let folder = tempfile::tempdir().expect("a folder");
        files.write(folder.path(), "sent");
        let common = common_entities(&format!("carrier: {carrier}"), GREEDY);
        let received = replayed(folder.path(), [&common, &common]);
        assert!(received.entities == files.entities, "{carrier}");
    }
}

#[test]
fn nobody_listens_or_the_port_is_taken() {
    let port = free_port();
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let app = format!("{}{tail}", sender(port, 1, "maximum_connection_retries: 1", ""));
    let ended = gxe(&app).run().with_status(5);
    ended.complains(&format!("`tx/signal` found no receiver at 0.0.0.0:{port} in 1 s"));
    ended.complains("Connection refused");
    // Without retries there is one attempt.
    let once = format!("{}{tail}", sender(port, 3, "maximum_connection_retries: 0", BACK_PRESSURE));
    gxe(&once).run().with_status(5).complains("in 0 s (latest attempt: Connection refused");
    let rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let _ = gxe(&once).run().clean();
    assert_eq!(received(&rx.end().with_status(0)), [0, 1, 2]);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let ended = gxe(&format!("{}{tail}", receiver(port, "", ""))).run().with_status(4);
    ended.complains(&format!(
        "receiver `rx/signal` cannot listen at 127.0.0.1:{port}: another program or segment uses \
         the port"
    ));
}

#[test]
fn a_peer_that_is_killed_is_noticed_and_may_come_back() {
    let port = free_port();
    let tail = common_entities("carrier: tcp, reconnect_timeout_ms: 300", SCHEDULERS[0]);
    let endless =
        "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}\n";
    let app = format!("{}{tail}", sender(port, -1, "", &format!("{endless}{BACK_PRESSURE}")));
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let mut tx = gxe(&app).spawn();
    rx.wait_for("rx_value = 20");
    tx.signal("KILL");
    let ended = rx.end().with_status(5);
    ended.complains("`tx/signal` at 127.0.0.1:");
    ended.complains("did not come back to receiver `rx/signal` in 0.3 s");
    drop(tx.end());
    // A receiver that is killed: its transmitter waits, and goes on with the next one.
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let app = format!("{}{tail}", sender(port, -1, "", &format!("{endless}{BACK_PRESSURE}")));
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let mut tx = gxe(&app).spawn();
    rx.wait_for("rx_value = 20");
    rx.signal("KILL");
    drop(rx.end());
    tx.wait_for("has lost its connection to `rx/signal` at");
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    rx.wait_for("Message Received");
    tx.signal("INT");
    let _ = tx.end().with_status(130);
    // A sender that is stopped ends its receiver, too.
    let _ = rx.end().with_status(0);
}

/// A transmitter at its end gives a receiver that is gone a moment to come back: several at once.
#[test]
fn links_whose_peers_are_gone_are_waited_for_together() {
    let ports = [free_port(), free_port(), free_port()];
    let tail = common_entities(
        "carrier: tcp, heartbeat_period_ms: 50, heartbeat_timeout_ms: 1000",
        SCHEDULERS[0],
    );
    let all = |half: &dyn Fn(u16) -> String, name: &str| {
        let entities = ports.iter().enumerate().map(|(number, port)| {
            half(*port).replace(&format!("name: {name}\n"), &format!("name: {name}{number}\n"))
        });
        format!("{}{tail}", entities.collect::<Vec<_>>().join("---\n"))
    };
    let endless =
        "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}\n";
    let entity = format!("{endless}{BACK_PRESSURE}");
    let mut rx = listening(&all(&|port| receiver(port, "", ""), "rx"));
    let app = all(&|port| sender(port, -1, "", &entity), "tx");
    let mut tx = gxe(&app).spawn();
    for _ in &ports {
        tx.wait_for("/signal` is connected to");
    }
    rx.wait_for("rx_value = 20");
    rx.signal("KILL");
    drop(rx.end());
    for _ in &ports {
        tx.wait_for("has lost its connection to");
    }
    tx.signal("INT");
    let tx = tx.end().with_status(130);
    assert_eq!(tx.count("it waits 1 s"), 1, "{}", tx.stdout);
    assert_eq!(tx.count("/signal` is not connected to `rx"), 1, "{}", tx.stdout);
}

/// What went to a receiver may have arrived, although it does not say so.
#[test]
fn a_transmitter_that_ends_without_its_receiver_says_what_is_known_of_its_messages() {
    let port = free_port();
    let tail = common_entities(
        "carrier: tcp, heartbeat_period_ms: 50, heartbeat_timeout_ms: 500",
        SCHEDULERS[0],
    );
    let mut rx = listening(&format!("{}{tail}", receiver(port, "capacity: 2", "")));
    let slow =
        "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 300ms}}\n";
    let mut tx = gxe(&format!("{}{tail}", sender(port, 6, "capacity: 9", slow))).spawn();
    rx.wait_for("rx_value = 0");
    rx.signal("STOP");
    tx.wait_for("has lost its connection to");
    let ended = tx.end().with_status(0);
    let texts = ended.log();
    let text = texts.iter().find(|text| text.contains("were not sent")).expect("a warning");
    let known = text.split(' ').filter_map(|word| word.parse::<u64>().ok());
    let [unsent, unknown] = known.collect::<Vec<_>>()[..] else { panic!("{text}") };
    assert_eq!(unsent + unknown, 5, "{text}");
    assert!(unknown > 0, "{text}");
    assert!(
        text.starts_with(&format!("{unsent} messages of `tx/signal` were not sent to")),
        "{text}"
    );
    let rest = format!(", and it is not known whether {unknown} earlier ones have arrived");
    assert!(text.ends_with(&rest), "{text}");
    rx.signal("KILL");
    drop(rx.end());
}

/// It must not take the credits of the one before for its own.
#[test]
fn a_sender_that_comes_back_sends_no_more_than_there_is_room() {
    let port = free_port();
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let slow = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}\n";
    let mut rx = listening(&format!("{}{tail}", receiver(port, "capacity: 3", slow)));
    let mut tx = gxe(&format!("{}{tail}", sender(port, -1, "", BACK_PRESSURE))).spawn();
    rx.wait_for("rx_value = 40");
    tx.signal("KILL");
    drop(tx.end());
    let _ = gxe(&format!("{}{tail}", sender(port, 30, "", BACK_PRESSURE))).run().clean();
    let received = received(&rx.end().with_status(0));
    let second = received.iter().rposition(|value| *value == 0).expect("it begins again");
    assert_eq!(received[second..], (0..30).collect::<Vec<_>>());
}

/// One message at a time is taken, so the room grows in steps, of which the receiver tells the sender
/// with the next heartbeat at the latest.
#[test]
fn a_sender_that_waits_for_room_for_several_hears_of_it() {
    let tail = common_entities("carrier: tcp, heartbeat_period_ms: 50", SCHEDULERS[0]);
    let several = BACK_PRESSURE.replace("signal}", "signal, min_size: 3}");
    let slow = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}\n";
    let port = free_port();
    let rx = listening(&format!("{}{tail}", receiver(port, "capacity: 3", slow)));
    let _ = gxe(&format!("{}{tail}", sender(port, 12, "", &several))).run().clean();
    assert_eq!(received(&rx.end().with_status(0)), (0..12).collect::<Vec<_>>());
}

#[test]
fn a_frozen_peer_is_noticed() {
    let port = free_port();
    let context =
        "carrier: tcp, heartbeat_period_ms: 50, heartbeat_timeout_ms: 400, reconnect: false";
    let tail = common_entities(context, SCHEDULERS[0]);
    let endless =
        "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}\n";
    let app = format!("{}{tail}", sender(port, -1, "", &format!("{endless}{BACK_PRESSURE}")));
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let mut tx = gxe(&app).spawn();
    rx.wait_for("rx_value = 5");
    tx.signal("STOP");
    let ended = rx.end().with_status(5);
    ended.complains("receiver `rx/signal` has lost its connection to `tx/signal` at 127.0.0.1:");
    ended.complains("no sign of life for 0.");
    tx.signal("CONT");
    let _ = tx.end().with_status(5);
}

#[test]
fn strangers_and_wrong_tokens_are_refused() {
    let port = free_port();
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let folder = tempfile::tempdir().expect("a folder");
    let token = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&path, mode).expect("permissions");
        path.to_string_lossy().into_owned()
    };
    let (right, wrong) = (token("right", "sesame"), token("wrong", "barley"));
    let rx = gxe(&format!("{}{tail}", receiver(port, "", "")));
    let mut rx = rx.env("GXE_TOKEN_FILE", &right).args("--severity debug").spawn();
    rx.wait_for(&format!("listens at 0.0.0.0:{port}"));
    // Garbage, half a greeting, and a message before the greeting.
    let pieces: [&[u8]; 3] =
        [b"GET / HTTP/1.1\r\nHost: x\r\nAccept: everything\r\n\r\n", b"GXEL", b""];
    for piece in pieces {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
        stream.write_all(piece).expect("it takes bytes");
        stream.set_read_timeout(Some(Duration::from_millis(200))).expect("a time-out");
        let mut answer = Vec::new();
        _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty(), "{answer:?}");
    }
    rx.wait_for("the peer does not speak gxe's link protocol");
    let app = format!("{}{tail}", sender(port, 3, "", BACK_PRESSURE));
    let ended = gxe(&app).env("GXE_TOKEN_FILE", &wrong).run().with_status(5);
    ended.complains(&format!(
        "the receiver at 0.0.0.0:{port} refuses `tx/signal`: the token is wrong"
    ));
    // Who connects and says nothing keeps nobody out.
    let connect = |_| TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    let idle: Vec<TcpStream> = (0..100).map(connect).collect();
    let _ = gxe(&app).env("GXE_TOKEN_FILE", &right).run().clean();
    assert_eq!(received(&rx.end().with_status(0)), [0, 1, 2]);
    drop(idle);
    // A token that others can read is none.
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(&right, mode).expect("permissions");
    let ended = gxe(&app).env("GXE_TOKEN_FILE", &right).run().with_status(4);
    ended.complains("can be read by others (mode 644); run: chmod 600");
}

/// However seldom the signs of life are.
#[test]
fn who_does_not_greet_in_time_is_refused() {
    let port = free_port();
    let beats = "carrier: tcp, heartbeat_period_ms: 60000, heartbeat_timeout_ms: 120000";
    let tail = common_entities(beats, SCHEDULERS[0]);
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let mut silent = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    std::thread::sleep(Duration::from_secs(1));
    let mut second = TcpStream::connect(("127.0.0.1", port)).expect("a connection");
    for stream in [&mut silent, &mut second] {
        stream.set_read_timeout(Some(Duration::from_secs(30))).expect("a time-out");
        assert_eq!(stream.read(&mut [0]).expect("its end"), 0);
    }
    rx.wait_for("has closed a connection: no sign of life for 5.");
    rx.signal("INT");
    let _ = rx.end().with_status(130);
}

#[test]
fn mistakes_in_parameters_are_found_before_anything_runs() {
    let tail = common_entities("carrier: pigeon", SCHEDULERS[0]);
    let ended = gxe(&format!("{}{tail}", receiver(1, "", ""))).run().with_status(4);
    ended.complains("`carrier` is `pigeon`, and must be auto, tcp, unix or ucx");
    let tail = common_entities("", SCHEDULERS[0]);
    let ended = gxe(&format!("{}{tail}", sender(7, 1, "local_port: 70000", ""))).run();
    ended.with_status(4).complains("`local_port` is 70000, and ports are 1 to 65535");
}

/// Those of two files, for example.
#[test]
fn a_graph_has_one_network() {
    let port = free_port();
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let (links, _) = tail.split_once("---\nname: scheduler").expect("two entities");
    let second = links.replace("name: links", "name: more_links");
    for (name, app) in [("rx", receiver(port, "", "")), ("tx", sender(port, 1, "", ""))] {
        let ended = gxe(&format!("{app}{tail}{second}")).run().with_status(4);
        ended.complains("entity `more_links`, component `network`");
        ended.complains(&format!(
            "another UcxContext of the graph has opened `{name}/signal`; leave one of them"
        ));
    }
}

#[test]
fn a_receiver_has_one_transmitter() {
    let port = free_port();
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let endless =
        "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}\n";
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let first = format!("{}{tail}", sender(port, -1, "", &format!("{endless}{BACK_PRESSURE}")));
    let mut first = gxe(&first).spawn();
    rx.wait_for("rx_value = 3");
    let second = sender(port, 1, "maximum_connection_retries: 1", "");
    let ended = gxe(&format!("{second}{tail}")).run().with_status(5);
    ended.complains("receiver `rx/signal` has a transmitter already: `tx/signal` at 127.0.0.1:");
    first.signal("INT");
    let _ = first.end();
    let _ = rx.end();
}

#[test]
fn the_sockets_are_gone_afterwards() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_string_lossy().into_owned();
    let port = free_port();
    let tail = common_entities("carrier: unix", SCHEDULERS[0]);
    let rx = gxe(&format!("{}{tail}", receiver(port, "", ""))).env("XDG_RUNTIME_DIR", &path);
    let mut rx = rx.args("--severity debug").spawn();
    rx.wait_for("listens at");
    let sockets = || std::fs::read_dir(folder.path().join("gxe-links")).expect("a folder").count();
    assert_eq!(sockets(), 1);
    let tx = gxe(&format!("{}{tail}", sender(port, 3, "", "")));
    let _ = tx.env("XDG_RUNTIME_DIR", &path).run().clean();
    let _ = rx.end().with_status(0);
    eventually("the socket is gone", || sockets() == 0);
}

/// Whether this machine has UCX; says so if not.
fn has_ucx() -> bool {
    let known = std::process::Command::new("ldconfig").arg("-p").output();
    let known = known.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    let has = known.is_ok_and(|known| known.contains("libucp.so.0"));
    if !has {
        eprintln!("skipped: this machine has no UCX (Debian: libucx0)");
    }
    has
}

#[test]
fn a_machine_without_ucx_says_what_is_missing() {
    if has_ucx() {
        return;
    }
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    let ended = gxe(&format!("{}{tail}", receiver(free_port(), "", ""))).run().with_status(4);
    ended.complains("`carrier: ucx` cannot be used: UCX cannot be opened, install it");
}

#[test]
fn ucx_carries_messages_in_order() {
    if !has_ucx() {
        return;
    }
    for scheduler in &SCHEDULERS[..3] {
        let port = free_port();
        let tail = common_entities("carrier: ucx", scheduler);
        let rx = listening(&format!("{}{tail}", receiver(port, "", "")));
        let tx = gxe(&format!("{}{tail}", sender(port, 200, "", BACK_PRESSURE))).run().clean();
        let rx = rx.end().with_status(0);
        assert_eq!(received(&rx), (0..200).collect::<Vec<_>>(), "{scheduler}");
        assert_eq!(tx.count("(UCX)"), 1, "{}", tx.stdout);
    }
    // The sender is first, and the port is taken.
    let port = free_port();
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    let mut tx = gxe(&format!("{}{tail}", sender(port, 8, "", BACK_PRESSURE))).spawn();
    tx.wait_for("waits for a receiver at 0.0.0.0:");
    let rx = gxe(&format!("{}{tail}", receiver(port, "", ""))).run().with_status(0);
    let _ = tx.end().clean();
    assert_eq!(received(&rx), (0..8).collect::<Vec<_>>());
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let ended = gxe(&format!("{}{tail}", receiver(port, "", ""))).run().with_status(4);
    let text = format!("receiver `rx/signal` cannot listen at 127.0.0.1:{port}: UCX: ");
    ended.complains(&(text + "another program uses the port"));
}

/// An end of UCX says nothing to one of another carrier.
#[test]
fn who_finds_an_end_of_ucx_by_another_carrier_hears_of_it() {
    if !has_ucx() {
        return;
    }
    let port = free_port();
    let app = receiver(port, "", "");
    let mut rx = listening(&format!("{app}{}", common_entities("carrier: ucx", SCHEDULERS[0])));
    let app = sender(port, 1, "maximum_connection_retries: 1", "");
    let ended = gxe(&format!("{app}{}", common_entities("carrier: tcp", SCHEDULERS[0]))).run();
    ended.with_status(5).complains("; does it listen with `carrier: ucx`?)");
    rx.signal("INT");
    let _ = rx.end().with_status(130);
}

/// UCX says the same where nobody listens.
#[test]
fn an_end_of_ucx_hears_that_another_carrier_listens() {
    if !has_ucx() {
        return;
    }
    let port = free_port();
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    let app = sender(port, 1, "maximum_connection_retries: 1", "") + &tail;
    let hint = "; something listens there, but perhaps without `carrier: ucx`)";
    let ended = gxe(&app).run().with_status(5);
    assert!(!ended.stderr.contains(hint), "{}", ended.stderr);
    let tail = common_entities("carrier: tcp", SCHEDULERS[0]);
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    gxe(&app).run().with_status(5).complains(hint);
    rx.signal("INT");
    let _ = rx.end().with_status(130);
}

/// UCX 1.13 would write beyond the end of an address of IPv4.
#[test]
fn ucx_uses_addresses_of_ipv6_only_where_it_can() {
    if !has_ucx() || TcpListener::bind("[::1]:0").is_err() {
        return;
    }
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    let loopback = "UCX does not use ::1; use 127.0.0.1";
    let other = "UCX uses addresses of IPv6 with UCX_TCP_AF_PRIO=inet6,inet only, set at both ends";
    for (address, text) in [("::1", loopback), ("fd00::2", other)] {
        let port = free_port();
        let rx = receiver(port, &format!("address: '{address}'"), "");
        let rx = gxe(&format!("{rx}{tail}")).env("GXE_INSECURE", "1").run().with_status(4);
        rx.complains(&format!("cannot listen at [{address}]:{port}: {text}"));
        let tx = format!("receiver_address: '{address}', maximum_connection_retries: 0");
        let tx = gxe(&format!("{}{tail}", sender(port, 1, &tx, ""))).run().with_status(5);
        tx.complains(text);
    }
}

/// What the frozen end never takes must not keep this one from ending.
#[test]
fn ucx_ends_beside_a_frozen_peer() {
    if !has_ucx() {
        return;
    }
    let port = free_port();
    let context =
        "carrier: ucx, heartbeat_period_ms: 50, heartbeat_timeout_ms: 400, reconnect: false";
    let tail = common_entities(context, SCHEDULERS[0]);
    let endless =
        "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}\n";
    let app = format!("{}{tail}", sender(port, -1, "", &format!("{endless}{BACK_PRESSURE}")));
    for freezes_sender in [true, false] {
        let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
        let tx = gxe(&app).spawn();
        rx.wait_for("rx_value = 5");
        let (mut frozen, other) = if freezes_sender { (tx, rx) } else { (rx, tx) };
        frozen.signal("STOP");
        other.end().with_status(5).complains("no sign of life for 0.");
        frozen.signal("CONT");
        let _ = frozen.end().with_status(5);
    }
}

/// The end of the connection must not overtake the reason, or the transmitter tries again.
#[test]
fn ucx_tells_a_transmitter_once_why_it_is_refused() {
    if !has_ucx() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let token = folder.path().join("token");
    std::fs::write(&token, "a secret of this host\n").expect("a file");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
    std::fs::set_permissions(&token, mode).expect("permissions");
    let port = free_port();
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    let rx = gxe(&format!("{}{tail}", receiver(port, "", "")));
    let rx = rx.env("GXE_TOKEN_FILE", &token.to_string_lossy()).args("--severity debug");
    let mut rx = rx.spawn();
    rx.wait_for("listens at");
    for _ in 0..8 {
        let ended = gxe(&format!("{}{tail}", sender(port, 1, "", ""))).run().with_status(5);
        ended.complains("refuses `tx/signal`: the token is wrong");
    }
    rx.signal("INT");
    let rx = rx.end().with_status(130);
    // The log of the receiver hears of it ever more seldom: strangers may try without end.
    assert_eq!(rx.count("refuses `tx/signal` at 127.0.0.1:"), 4, "{}", rx.stdout);
    assert_eq!(rx.count("the token is wrong; so far 8 of them"), 1, "{}", rx.stdout);
}

/// UCX listens at every device that it may use, also for a transmitter.
#[test]
fn ucx_without_a_token_stays_on_this_host() {
    if !has_ucx() {
        return;
    }
    let port = free_port();
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    for app in [receiver(port, "", ""), sender(port, 1, "", "")] {
        let mut waiting = gxe(&format!("{app}{tail}")).args("--severity debug").spawn();
        waiting.wait_for("Scheduling");
        let all = listening_addresses(waiting.pid());
        assert!(!all.is_empty(), "UCX listens");
        assert!(all.iter().all(|address| address == "0100007F"), "{all:?}");
        waiting.signal("INT");
        let _ = waiting.end().with_status(130);
    }
    let elsewhere = sender(port, 1, "receiver_address: 198.51.100.7", "");
    gxe(&format!("{elsewhere}{tail}"))
        .run()
        .with_status(5)
        .complains("`tx/signal` does not connect to the receiver at 198.51.100.7:");
}

/// The addresses of IPv4 at which a process listens, in hexadecimal digits.
fn listening_addresses(pid: u32) -> Vec<String> {
    let files = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("its files");
    let targets = files.filter_map(|file| std::fs::read_link(file.ok()?.path()).ok());
    let sockets: Vec<String> = targets.map(|path| path.display().to_string()).collect();
    let table = std::fs::read_to_string(format!("/proc/{pid}/net/tcp")).expect("the sockets");
    let lines = table.lines().skip(1).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let is_its =
        |words: &Vec<&str>| words[3] == "0A" && sockets.contains(&format!("socket:[{}]", words[9]));
    lines.filter(is_its).map(|words| words[1][..8].to_owned()).collect()
}

/// Else a receiver that was killed could not be started again.
#[test]
fn ucx_listens_at_a_port_with_connections_that_are_over() {
    if !has_ucx() {
        return;
    }
    let before = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = before.local_addr().expect("an address");
    let mut client = TcpStream::connect(address).expect("a connection");
    // Who closes first has to remember the connection for a minute.
    drop(before.accept().expect("a client"));
    client.read_to_end(&mut Vec::new()).expect("its end");
    drop((client, before));
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    let rx = listening(&format!("{}{tail}", receiver(address.port(), "", "")));
    let tx = gxe(&format!("{}{tail}", sender(address.port(), 8, "", BACK_PRESSURE)));
    let _ = tx.run().clean();
    assert_eq!(received(&rx.end().with_status(0)), (0..8).collect::<Vec<_>>());
}

#[test]
fn ucx_carries_large_tensors() {
    if !has_ucx() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.bin");
    let (tx, rx) = large_tensors(free_port(), &file, &common_entities("carrier: ucx", GREEDY));
    let manifest = format!("{MANIFEST}- libgxe_io.so\n- libgxe_math.so\n");
    let mut rx = gxe(&rx).file("manifest.yaml", &manifest).args("--severity debug").spawn();
    rx.wait_for("listens at");
    let _ = gxe(&tx).file("manifest.yaml", &manifest).run().clean();
    let _ = rx.end().with_status(0);
    assert_large_tensors(&file);
}

/// UCX has the memory of a message that it fills, and cannot be told to stop.
#[test]
fn ucx_ends_within_a_large_tensor() {
    if !has_ucx() {
        return;
    }
    let port = free_port();
    let context =
        "carrier: ucx, heartbeat_period_ms: 50, heartbeat_timeout_ms: 400, reconnect: false";
    let (tx, rx) = large_tensors(port, Path::new("/dev/null"), &common_entities(context, GREEDY));
    let endless = tx.replace("messages: 3", "messages: 100000");
    assert_ne!(endless, tx);
    let manifest = format!("{MANIFEST}- libgxe_io.so\n- libgxe_math.so\n");
    let gxe = |app: &str| gxe(app).file("manifest.yaml", &manifest).args("--severity debug");
    for (signal, to_sender, status) in [
        ("KILL", true, 5),
        ("KILL", false, 5),
        ("INT", false, 0),
        ("INT", true, 0),
        ("STOP", true, 5),
    ] {
        let mut rx = gxe(&rx).spawn();
        rx.wait_for("listens at");
        let mut tx = gxe(&endless).spawn();
        tx.wait_for("is connected to");
        std::thread::sleep(Duration::from_millis(200));
        let (mut first, other) = if to_sender { (tx, rx) } else { (rx, tx) };
        first.signal(signal);
        let _ = other.end().with_status(status);
        if signal == "STOP" {
            first.signal("CONT");
        }
        drop(first.end());
    }
}

#[test]
fn ucx_notices_a_peer_that_is_killed() {
    if !has_ucx() {
        return;
    }
    let port = free_port();
    let tail = common_entities("carrier: ucx", SCHEDULERS[0]);
    let slow = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}\n";
    let entity = format!("{BACK_PRESSURE}{slow}");
    let mut rx = listening(&format!("{}{tail}", receiver(port, "", "")));
    let mut first = gxe(&format!("{}{tail}", sender(port, 100_000, "", &entity))).spawn();
    rx.wait_for("rx_value = 20");
    first.signal("KILL");
    drop(first.end());
    rx.wait_for("receiver `rx/signal` has lost its connection to `tx/signal`");
    let _ = gxe(&format!("{}{tail}", sender(port, 5, "", BACK_PRESSURE))).run().clean();
    let _ = rx.end().with_status(0);
}
