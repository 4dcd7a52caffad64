//! A link whose connection breaks again and again, at any byte: nothing is lost, doubled or out of
//! order, and nothing grows.
//!
//! `LINK_CUTS` sets how often it breaks, about.

use gxe_tests::certificates::Authority;
use gxe_tests::links::{GREEDY, MANIFEST, common_entities, ping_receiver, ping_sender};
use gxe_tests::storm::Round;
use gxe_tests::{Gxe, Running};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

fn sender(port: u16, count: u64) -> String {
    ping_sender(&format!("port: {port}"), count) + &common_entities("carrier: tcp", GREEDY)
}

fn receiver(port: u16) -> String {
    let receiver = ping_receiver(&format!("port: {port}, capacity: 32"));
    receiver + &common_entities("carrier: tcp", GREEDY)
}

fn start(app: &str, certificates: Option<&Path>) -> Running {
    let gxe = Gxe::alone().file("app.yaml", app).file("manifest.yaml", MANIFEST);
    let gxe = gxe.args("run app.yaml --manifest manifest.yaml --severity debug");
    let gxe = match certificates {
        Some(folder) => gxe.env("GXE_TLS_DIRECTORY", &folder.to_string_lossy()),
        None => gxe,
    };
    gxe.patience(Duration::from_secs(3600)).spawn()
}

/// Copies until an end closes or so many bytes have passed, and then closes both.
fn copy(mut from: TcpStream, mut to: TcpStream, mut left: u64) {
    let mut bytes = [0; 4096];
    while left > 0 {
        let most = usize::try_from(left).map_or(bytes.len(), |left| left.min(bytes.len()));
        let Ok(count @ 1..) = from.read(&mut bytes[..most]) else { break };
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
        left -= count as u64;
    }
    _ = from.shutdown(Shutdown::Both);
    _ = to.shutdown(Shutdown::Both);
}

/// Stands between two ends and breaks each of the first connections after some bytes, at most so many in
/// each direction. Returns its port and how many it broke.
fn cutter(to: u16, cuts: u64, most: [u64; 2]) -> (u16, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let done = Arc::new(AtomicU64::new(0));
    let counted = done.clone();
    std::thread::spawn(move || {
        let mut random = Round::new(7);
        for from in listener.incoming() {
            let Ok(from) = from else { return };
            // The receiver may have ended.
            let Ok(to) = TcpStream::connect(("127.0.0.1", to)) else { continue };
            let mut limit = |most: u64| match counted.load(Ordering::Relaxed) < cuts {
                true => random.below(most),
                false => u64::MAX,
            };
            let [forth, back] = most.map(&mut limit);
            let clone = |stream: &TcpStream| stream.try_clone().expect("a handle");
            let reverse = (clone(&to), clone(&from));
            let back = std::thread::spawn(move || copy(reverse.0, reverse.1, back));
            copy(from, to, forth);
            back.join().expect("no panic");
            counted.fetch_add(1, Ordering::Relaxed);
        }
    });
    (port, done)
}

/// Memory in KiB and number of descriptors of a process.
fn size(pid: u32) -> (u64, usize) {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("a status");
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    // One that has ended has none.
    let memory = memory.map_or("0", |text| text.trim().trim_end_matches(" kB"));
    let memory = memory.parse().expect("a number");
    let descriptors = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("a folder").count();
    (memory, descriptors)
}

#[test]
fn connections_that_break_at_any_byte_lose_nothing() {
    let cuts = std::env::var("LINK_CUTS").map_or(600, |text| text.parse().expect("a number"));
    // The greetings take some hundred bytes, a message 175.
    storm(cuts, [4000, 1500], None);
}

/// A handshake that breaks is no refusal.
#[test]
fn encrypted_connections_that_break_at_any_byte_lose_nothing() {
    let authority = Authority::new();
    let folder = authority.certify("host", &["localhost", "127.0.0.1"]);
    // A handshake takes about a thousand bytes, and what is written at once arrives as a whole.
    storm(100, [40_000, 15_000], Some(&folder));
}

fn storm(cuts: u64, most: [u64; 2], certificates: Option<&Path>) {
    // So many that there are some left when the last connection has been broken.
    let count = cuts * most[0] / 250;
    let rx_port = {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        listener.local_addr().expect("an address").port()
    };
    let mut rx = start(&receiver(rx_port), certificates);
    rx.wait_for("listens at");
    let (port, broken) = cutter(rx_port, cuts, most);
    let tx = start(&sender(port, count), certificates);
    let pids = [rx.pid(), tx.pid()];
    let wait_for = |number: u64| {
        while broken.load(Ordering::Relaxed) < number {
            let (memory, _) = size(pids[1]);
            assert!(memory > 0, "the sender ended before its connection broke {number} times");
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    wait_for(cuts / 4);
    let early = pids.map(size);
    wait_for(cuts * 9 / 10);
    for ((memory, descriptors), (late_memory, late_descriptors)) in early.iter().zip(pids.map(size))
    {
        assert!(late_memory < memory + 2048, "{memory} KiB, then {late_memory} KiB");
        // Some connections are about to be made or closed at either time.
        assert!(late_descriptors < descriptors + 8, "{descriptors}, then {late_descriptors}");
    }
    let tx = tx.end().with_status(0);
    let rx = rx.end().with_status(0);
    let log = rx.log();
    let values = log.iter().filter_map(|text| text.strip_prefix("Message Received: rx_value = "));
    let values: Vec<u64> = values.map(|value| value.parse().expect("a number")).collect();
    assert!(values.iter().copied().eq(0..count), "{values:?}");
    assert!(tx.count("has lost its connection") as u64 > cuts / 4, "{}", tx.stdout);
    for ended in [&rx, &tx] {
        assert!(!ended.stdout.contains(" ERROR "), "{}", ended.stdout);
    }
}
