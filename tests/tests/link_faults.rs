//! Links in a process that has no descriptors left, on a host whose wall clock jumps, and where names
//! are looked up slowly.

use gxe_tests::links::{GREEDY, MANIFEST, common_entities, free_port, ping_receiver, ping_sender};
use gxe_tests::{Ended, Gxe};
use std::net::TcpStream;
use std::path::Path;
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

/// Does not know the name `slow.example`, after a while.
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
  return ((lookup)dlsym(RTLD_NEXT, "getaddrinfo"))(name, service, hints, found);
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
