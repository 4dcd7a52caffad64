//! Links in a process that has no descriptors left, and on a host whose wall clock jumps.

use gxe_tests::links::{GREEDY, MANIFEST, common_entities, free_port, ping_receiver, ping_sender};
use gxe_tests::{Ended, Gxe};
use std::net::TcpStream;
use std::process::Command;

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

/// Strangers take all descriptors of the receiver. It accepts nobody meanwhile, and its transmitter
/// when they are gone.
#[test]
fn a_receiver_without_descriptors_waits_for_some() {
    // The receiver admits more strangers than that.
    const DESCRIPTORS: usize = 40;
    let port = free_port();
    let rx = gxe(&receiver(port), "carrier: tcp");
    let mut rx = rx.started_by(&format!("prlimit --nofile={DESCRIPTORS}")).spawn();
    rx.wait_for("listens at");
    let connect = || TcpStream::connect(("127.0.0.1", port)).expect("the kernel accepts it");
    let strangers: Vec<TcpStream> = (0..DESCRIPTORS).map(|_| connect()).collect();
    rx.wait_for("receiver `rx/signal` cannot accept a connection: ");
    let tx = gxe(&sender(port, 20), "carrier: tcp").spawn();
    drop(strangers);
    let _ = tx.end().with_status(0);
    let rx = rx.end().with_status(0);
    assert_eq!(received(&rx), (0..20).collect::<Vec<_>>());
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
    let library = folder.path().join("libsteps.so");
    std::fs::write(folder.path().join("steps.c"), STEPS).expect("a file");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut compiler = Command::new(compiler);
    compiler.current_dir(folder.path()).args(["-shared", "-fPIC", "steps.c", "-o"]).arg(&library);
    assert!(compiler.status().expect("a C compiler").success());
    let library = library.to_string_lossy().into_owned();
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
