//! Links in a process that has no descriptors left, on a host whose wall clock jumps, and where names
//! are looked up slowly; receivers that end without a connection, and that send heartbeats and read
//! nothing.

use gxe_tests::links::{
    GREEDY, MANIFEST, common_entities, free_port, large_tensors, ping_receiver, ping_sender,
};
use gxe_tests::{Ended, Gxe, eventually};
use gxf_link_format::{FRAME_SIZE, Frame, Greeting, Kind, PROTOCOL, Welcome};
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn gxe(entity: &str, context: &str) -> Gxe {
    let app = format!("{entity}{}", common_entities(context, GREEDY));
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
    gxe.args("run app.yaml --manifest manifest.yaml --severity debug")
}

fn sender(port: u16, count: u64) -> String {
    ping_sender(&format!("port: {port}"), count)
        + "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}\n"
}

fn receiver(port: u16) -> String {
    ping_receiver(&format!("port: {port}"))
}

fn received(ended: &Ended) -> Vec<u64> {
    let log = ended.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    values.map(|value| value.parse().expect("a number")).collect()
}

/// Strangers take all descriptors of the receiver, and more. They make room for its transmitter.
#[test]
fn strangers_that_take_all_descriptors_keep_nobody_out() {
    // The receiver admits more strangers than that.
    const DESCRIPTORS: usize = 40;
    let port = free_port();
    let rx = gxe(&receiver(port), "carrier: tcp");
    let mut rx = rx.started_by(&format!("prlimit --nofile={DESCRIPTORS}")).spawn();
    rx.wait_for("listens at");
    let connect = || TcpStream::connect(("127.0.0.1", port)).expect("the kernel accepts it");
    let strangers: Vec<TcpStream> = (0..DESCRIPTORS).map(|_| connect()).collect();
    rx.wait_for("others connect, and it says nothing");
    let _ = gxe(&sender(port, 20), "carrier: tcp").run().with_status(0);
    let rx = rx.end().with_status(0);
    assert_eq!(received(&rx), (0..20).collect::<Vec<_>>());
    drop(strangers);
}

/// Stands between two ends. While it is shut, there is no connection.
struct Gate {
    port: u16,
    is_shut: Arc<AtomicBool>,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Gate {
    fn new(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let gate = Self { port, is_shut: Arc::default(), streams: Arc::default() };
        let (is_shut, streams) = (gate.is_shut.clone(), gate.streams.clone());
        std::thread::spawn(move || {
            for from in listener.incoming() {
                let Ok(from) = from else { return };
                let mut streams = streams.lock().expect("no panic");
                if is_shut.load(Ordering::Relaxed) {
                    continue;
                }
                let Ok(to) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                let clone = |stream: &TcpStream| stream.try_clone().expect("a handle");
                streams.extend([clone(&from), clone(&to)]);
                for (mut from, mut to) in [(clone(&from), clone(&to)), (to, from)] {
                    std::thread::spawn(move || {
                        _ = std::io::copy(&mut from, &mut to);
                        _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        gate
    }

    fn shut(&self) {
        let mut streams = self.streams.lock().expect("no panic");
        self.is_shut.store(true, Ordering::Relaxed);
        streams.drain(..).for_each(|stream| _ = stream.shutdown(Shutdown::Both));
    }

    fn open(&self) {
        self.is_shut.store(false, Ordering::Relaxed);
    }
}

/// It waits for its transmitter no longer, which hears of the end when it comes back.
#[test]
fn a_receiver_that_ends_without_a_connection() {
    const TAKEN: u64 = 4;
    let port = free_port();
    let slow = "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 50ms}}\n";
    let rx = format!(
        "\
{}{slow}- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {TAKEN}}}}}
---
name: goes_on
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::PingTx, parameters: {{signal: out}}}}
- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 10ms}}}}
",
        ping_receiver(&format!("port: {port}, capacity: 10")),
    );
    let mut rx = gxe(&rx, "carrier: tcp, reconnect_timeout_ms: 1000").spawn();
    rx.wait_for("listens at");
    let gate = Gate::new(port);
    let mut tx = gxe(&sender(gate.port, 1_000_000), "carrier: tcp").spawn();
    // By then it has more than it takes.
    rx.wait_for("rx_value = 0");
    tx.wait_for("int_value = 8");
    gate.shut();
    tx.wait_for("has lost its connection to `rx/signal`");
    rx.wait_for(&format!("rx_value = {}", TAKEN - 1));
    std::thread::sleep(Duration::from_millis(1200));
    gate.open();
    let _ = tx.end().with_status(0);
    rx.signal("INT");
    let rx = rx.end().with_status(130);
    assert_eq!(received(&rx), (0..TAKEN).collect::<Vec<_>>());
}

/// Reads a frame and what follows it, but for so many bytes.
fn read_frame(stream: &mut TcpStream, but: u64) -> std::io::Result<Frame> {
    let mut bytes = [0; FRAME_SIZE];
    stream.read_exact(&mut bytes)?;
    let frame = Frame::from_bytes(&bytes).expect("a frame");
    let rest = u64::from(frame.head) + frame.body_size();
    let count = std::io::copy(&mut stream.take(rest.saturating_sub(but)), &mut std::io::sink())?;
    assert_eq!(count, rest.saturating_sub(but));
    Ok(frame)
}

/// Bytes that a process of this host has not read of a connection.
fn unread(local: u16, remote: u16) -> u64 {
    let all = std::fs::read_to_string("/proc/net/tcp").expect("the connections");
    let ends = [local, remote].map(|port| format!("0100007F:{port:04X}"));
    let line = all.lines().find(|line| {
        let words: Vec<_> = line.split_whitespace().collect();
        words[1] == ends[0] && words[2] == ends[1]
    });
    let queues = line.and_then(|line| line.split_whitespace().nth(4)).expect("the connection");
    let (_, unread) = queues.split_once(':').expect("two queues");
    u64::from_str_radix(unread, 16).expect("a number")
}

/// It gets one answer, when it reads again.
#[test]
fn a_receiver_that_sends_heartbeats_and_reads_nothing() {
    const LEFT: u64 = 8 << 20;
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let context = "carrier: tcp, heartbeat_timeout_ms: 60000";
    let (tx, _) = large_tensors(port, Path::new("unused"), &common_entities(context, GREEDY));
    let manifest = format!("{MANIFEST}- libgxe_math.so\n");
    let tx = Gxe::alone().file("app.yaml", &tx).file("manifest.yaml", &manifest);
    let mut tx = tx.args("run app.yaml --manifest manifest.yaml").spawn();
    let (mut stream, peer) = listener.accept().expect("a connection");
    assert_eq!(read_frame(&mut stream, 0).expect("a frame").kind, Kind::Hello);
    let name = "rx/signal".to_owned();
    let welcome = Welcome { protocol: PROTOCOL, version: "1".to_owned(), name, has: 0, granted: 1 };
    let welcome = welcome.to_bytes();
    let head = u32::try_from(welcome.len()).expect("few bytes");
    let frame = Frame { head, ..Frame::small(Kind::Welcome, 0, 0) };
    stream.write_all(&[&frame.to_bytes()[..], &welcome].concat()).expect("it takes bytes");
    while !read_frame(&mut stream, LEFT).expect("a frame").kind.is_message() {}
    for number in 0..10_000 {
        let heartbeat = Frame::small(Kind::Heartbeat, number, 0).to_bytes();
        stream.write_all(&heartbeat).expect("it takes bytes");
    }
    eventually("all heartbeats are read", || unread(peer.port(), port) == 0);
    let count = std::io::copy(&mut (&mut stream).take(LEFT), &mut std::io::sink());
    assert_eq!(count.expect("the rest of the message"), LEFT);
    stream.set_read_timeout(Some(Duration::from_millis(500))).expect("a time-out");
    let mut answers = 0;
    loop {
        match read_frame(&mut stream, 0) {
            Ok(frame) => answers += u64::from(frame.kind == Kind::Echo),
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    // Few have a place between two messages.
    assert!((1..5_000).contains(&answers), "{answers} answers");
    tx.signal("KILL");
    drop(tx.end());
}

/// Stands between two ends: what comes for `to` goes on in small pieces, and after so many bytes not at
/// all.
fn slow_link(to: u16, limit: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let (mut tx, _) = listener.accept().expect("a connection");
        let mut rx = TcpStream::connect(("127.0.0.1", to)).expect("a connection");
        let clone = |stream: &TcpStream| stream.try_clone().expect("a handle");
        let (mut from, mut back) = (clone(&rx), clone(&tx));
        std::thread::spawn(move || {
            _ = std::io::copy(&mut from, &mut back);
            _ = back.shutdown(Shutdown::Both);
        });
        let mut piece = [0; 32 << 10];
        let mut moved = 0;
        while moved < limit
            && let Ok(count @ 1..) = tx.read(&mut piece)
            && rx.write_all(&piece[..count]).is_ok()
        {
            moved += count;
            std::thread::sleep(Duration::from_millis(80));
        }
        if moved >= limit {
            // Neither end sees an end of the other one.
            std::thread::park();
        }
        _ = rx.shutdown(Shutdown::Both);
    });
    port
}

/// Sends a tensor of 1 MiB over a link that ends after so many bytes.
fn slow_tensor(limit: usize) -> (Ended, Ended, Vec<u8>) {
    let context =
        "carrier: tcp, heartbeat_period_ms: 50, heartbeat_timeout_ms: 400, reconnect: false";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("out.bin");
    let port = free_port();
    let (_, rx) = large_tensors(port, &file, &common_entities(context, GREEDY));
    let manifest = format!("{MANIFEST}- libgxe_io.so\n- libgxe_math.so\n");
    let gxe = |app: &str| {
        let gxe = Gxe::alone().file("app.yaml", app).file("manifest.yaml", &manifest);
        gxe.args("run app.yaml --manifest manifest.yaml --severity debug")
    };
    let mut rx = gxe(&rx).spawn();
    rx.wait_for("listens at");
    let port = slow_link(port, limit);
    let (tx, _) = large_tensors(port, &file, &common_entities(context, GREEDY));
    let small = tx.replace("rows: 1048576, messages: 3", "rows: 131072, messages: 1");
    assert_ne!(small, tx);
    let tx = gxe(&small).spawn();
    let rx = rx.end();
    (tx.end(), rx, std::fs::read(file).unwrap_or_default())
}

/// The receiver waits for more of it than comes within its time-out, and hears of every byte.
#[test]
fn a_large_tensor_that_comes_slowly_is_a_sign_of_life() {
    let (tx, rx, written) = slow_tensor(usize::MAX);
    let (_, _) = (tx.with_status(0), rx.with_status(0));
    let expected: Vec<u8> =
        (0..131_072).flat_map(|number| f64::from(number).to_le_bytes()).collect();
    assert!(written == expected, "{} bytes", written.len());
}

/// Looking for bytes that do not come is none.
#[test]
fn a_large_tensor_that_stops_on_its_way_is_none() {
    let (_, rx, _) = slow_tensor(300_000);
    rx.with_status(5).complains("no sign of life for 0.");
}

/// A library of C for `LD_PRELOAD`.
fn library(folder: &Path, source: &str) -> String {
    let library = folder.join("libpreloaded.so");
    std::fs::write(folder.join("preloaded.c"), source).expect("a file");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut compiler = Command::new(compiler);
    compiler.current_dir(folder).args(["-shared", "-fPIC", "preloaded.c", "-o"]).arg(&library);
    assert!(compiler.status().expect("a C compiler").success());
    library.to_string_lossy().into_owned()
}

/// Says another day with every second look at the wall clock, and at the end how often.
const STEPS: &str = r#"
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_uint looks;

int clock_gettime(clockid_t clock, struct timespec *time) {
  long result = syscall(SYS_clock_gettime, clock, time);
  if (result == 0 && clock == CLOCK_REALTIME && atomic_fetch_add(&looks, 1) % 2)
    time->tv_sec -= 24 * 60 * 60;
  return (int)result;
}

__attribute__((destructor)) static void report(void) {
  fprintf(stderr, "the wall clock jumped %u times\n", atomic_load(&looks));
}
"#;

/// Heartbeats, time-outs and periods go by a clock that does not jump.
#[test]
fn a_wall_clock_that_jumps_breaks_no_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = library(folder.path(), STEPS);
    let context = "carrier: tcp, heartbeat_period_ms: 20";
    let port = free_port();
    let mut rx = gxe(&receiver(port), context).env("LD_PRELOAD", &library).spawn();
    rx.wait_for("listens at");
    let tx = gxe(&sender(port, 100), context).env("LD_PRELOAD", &library);
    let tx = tx.run().with_status(0);
    let rx = rx.end().with_status(0);
    assert_eq!(received(&rx), (0..100).collect::<Vec<_>>());
    for ended in [&tx, &rx] {
        let looks = ended.stderr.split("the wall clock jumped ").nth(1);
        let looks = looks.and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        assert!(looks.is_some_and(|looks| looks > 1), "{}", ended.stderr);
        assert_eq!(ended.count("lost its connection"), 0, "{}", ended.stdout);
    }
}

/// Does not know the name `slow.example`, after a while, and knows two addresses of `two.example`, as
/// many hosts have for `localhost`.
const NAMES: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <string.h>
#include <unistd.h>

typedef int (*lookup)(const char *, const char *, const struct addrinfo *, struct addrinfo **);

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **found) {
  if (name && strcmp(name, "slow.example") == 0) {
    usleep(700 * 1000);
    return EAI_AGAIN;
  }
  lookup original = (lookup)dlsym(RTLD_NEXT, "getaddrinfo");
  if (name && strcmp(name, "two.example") == 0) {
    int failed = original("::1", service, hints, found);
    struct addrinfo *last = failed ? NULL : *found;
    while (last && last->ai_next) last = last->ai_next;
    return original("127.0.0.1", service, hints, last ? &last->ai_next : found);
  }
  return original(name, service, hints, found);
}
"#;

/// The other links of the process go on, and their peers hear of them.
#[test]
fn a_name_that_is_looked_up_slowly_breaks_no_other_link() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = library(folder.path(), NAMES);
    let context = "carrier: tcp, heartbeat_period_ms: 50, heartbeat_timeout_ms: 400";
    let (port, elsewhere) = (free_port(), free_port());
    let mut rx = gxe(&receiver(port), context).spawn();
    rx.wait_for("listens at");
    let nowhere = ping_sender(&format!("port: {elsewhere}, receiver_address: slow.example"), 1);
    let nowhere = nowhere.replace("name: tx\n", "name: nowhere\n");
    let both = format!("{}---\n{nowhere}", sender(port, 300));
    let mut tx = gxe(&both, context).env("LD_PRELOAD", &library).spawn();
    let rx = rx.end().with_status(0);
    assert_eq!(received(&rx), (0..300).collect::<Vec<_>>());
    assert_eq!(rx.count("lost its connection"), 0, "{}", rx.stdout);
    tx.wait_for("`nowhere/signal` waits for a receiver at slow.example");
    tx.signal("INT");
    let _ = tx.end().with_status(130);
}

/// The receiver listens at one of them.
#[test]
fn all_addresses_of_a_name_are_tried() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = library(folder.path(), NAMES);
    let port = free_port();
    let mut rx = gxe(&receiver(port), "carrier: tcp").spawn();
    rx.wait_for("listens at");
    let two = format!("port: {port}, receiver_address: two.example, maximum_connection_retries: 5");
    let tx = gxe(&ping_sender(&two, 3), "carrier: tcp").env("LD_PRELOAD", &library);
    let _ = tx.run().with_status(0);
    assert_eq!(received(&rx.end().with_status(0)), [0, 1, 2]);
}

/// A graph that fails, although none of its ticks does: a receiver must not take what came so far for
/// all that there is.
#[test]
fn a_failure_apart_from_a_tick_ends_no_other_link_regularly() {
    let ports = [free_port(), free_port()];
    let [first, second] = ports.map(|port| sender(port, 100_000));
    let both = first + "---\n" + &second.replacen("name: tx", "name: other", 1);
    let [mut stays, mut goes] = ports.map(|port| {
        let rx = gxe(&receiver(port), "carrier: tcp, reconnect_timeout_ms: 500");
        let mut rx = rx.spawn();
        rx.wait_for("listens at");
        rx
    });
    let tx = gxe(&both, "carrier: tcp, reconnect: false").spawn();
    stays.wait_for("Message Received");
    goes.wait_for("Message Received");
    goes.signal("KILL");
    tx.end().with_status(5).complains("`other/signal` has lost its connection");
    stays.end().with_status(5).complains("did not come back to receiver `rx/signal`");
    drop(goes);
}
