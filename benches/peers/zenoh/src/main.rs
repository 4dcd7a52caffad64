//! Messages a second between two processes through zenoh, as its own examples of throughput send them.
//! Arguments: the address, the size and the number of messages.

use std::process::Command;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use zenoh::bytes::ZBytes;
use zenoh::qos::CongestionControl;
use zenoh::{Config, Session, Wait};

const KEY: &str = "bench/throughput";

/// A session that knows nobody but the other process.
fn open(key: &str, address: &str) -> Session {
    let mut config = Config::default();
    let mut set = |key: &str, value: &str| config.insert_json5(key, value).expect("a setting");
    set("scouting/multicast/enabled", "false");
    set("listen/endpoints", "[]");
    set(key, &format!("[\"tcp/{address}\"]"));
    zenoh::open(config).wait().expect("a session")
}

fn send(address: &str, size: usize, count: u64) {
    let session = open("connect/endpoints", address);
    let publisher = session.declare_publisher(KEY).congestion_control(CongestionControl::Block);
    let publisher = publisher.wait().expect("a publisher");
    while !publisher.matching_status().wait().expect("a status").matching() {
        std::thread::sleep(Duration::from_millis(1));
    }
    let data = ZBytes::from(vec![0; size]);
    for _ in 0..count {
        publisher.put(data.clone()).wait().expect("it is sent");
    }
    session.close().wait().expect("it closes");
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [program, address, size, number, sends @ ..] = &arguments[..] else {
        panic!("arguments: ADDRESS SIZE COUNT")
    };
    let count = number.parse().expect("a number");
    if !sends.is_empty() {
        return send(address, size.parse().expect("a size"), count);
    }
    let session = open("listen/endpoints", address);
    let (done, finished) = mpsc::channel();
    let (mut received, mut began) = (0, None);
    let subscriber = session.declare_subscriber(KEY).callback_mut(move |_| {
        // The first one only starts the watch.
        let began = *began.get_or_insert_with(Instant::now);
        received += 1;
        if received == count {
            _ = done.send((count - 1) as f64 / began.elapsed().as_secs_f64());
        }
    });
    let _subscriber = subscriber.wait().expect("a subscriber");
    let mut sender = Command::new(program);
    let mut sender = sender.args([address, size, number, "send"]).spawn().expect("the sender");
    let rate = finished.recv_timeout(Duration::from_secs(60)).expect("all messages");
    assert!(sender.wait().expect("its status").success(), "the sender failed");
    println!("RESULT {rate:.0}");
}
