//! Workers and drivers that are killed, stopped, frozen, or come back.

use crate::remote::{Example, driver, received};
use crate::remote_cuts::{Cut, FORWARDS, Part, TICKS};
use gxe_tests::links::free_port;
use gxe_tests::random::Random;
use gxe_tests::{Gxe, Running};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

#[test]
fn a_worker_that_is_killed_stops_the_others() {
    let example = Example::new();
    example.endless();
    example.impatient("");
    let driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("KILL");
    let driver = driver.end().with_status(5);
    driver.complains("is lost with its segments ucx_upstream: its last sign of life was 0.");
    let downstream = downstream.end().with_status(5);
    downstream.complains("ended this worker: worker 127.0.0.1:");
    downstream.complains("is lost with its segments ucx_upstream");
    drop(upstream.end());
}

/// A source would send again what the process before it has sent.
#[test]
fn a_worker_that_is_started_again_at_once_is_lost() {
    let example = Example::new();
    example.endless();
    let driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("KILL");
    drop(upstream.end());
    let again = example.gxe("ucx_upstream.yaml").spawn();
    let driver = driver.end().with_status(5);
    driver.complains("is lost with its segments ucx_upstream: it was started again");
    downstream.end().with_status(5).complains("it was started again");
    again.end().with_status(5).complains("it was started again");
}

#[test]
fn a_worker_that_is_stopped_says_so() {
    let example = Example::new();
    example.endless();
    let driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("TERM");
    // Long before it would be missed.
    let driver = driver.end().with_status(5);
    driver.complains("is lost with its segments ucx_upstream: it was stopped");
    let downstream = downstream.end().with_status(5);
    downstream.complains("is lost with its segments ucx_upstream: it was stopped");
    let upstream = upstream.end().with_status(143);
    let notes = upstream.notes();
    let last = notes.last().expect("a note");
    assert!(last.starts_with("gxe: stopped by SIGTERM: ") && !last.contains(": 0 ticks"), "{last}");
}

#[test]
fn a_worker_that_is_frozen_is_lost() {
    let example = Example::new();
    example.endless();
    example.impatient("");
    let driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("STOP");
    let driver = driver.end().with_status(5);
    driver.complains("is lost with its segments ucx_upstream: its last sign of life was 0.");
    downstream.end().with_status(5).complains("ended this worker: worker 127.0.0.1:");
    upstream.signal("CONT");
    upstream.wait_for("gives no sign of life");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
}

/// However many are frozen, the others end soon: the driver waits for no answer of a worker that is
/// lost. Here it asks all of them again and again, because they are in a circle.
#[test]
fn workers_that_are_frozen_do_not_keep_the_others_waiting() {
    let mut cut = Cut { segments: 3, ..Cut::default() };
    for segment in 0..3 {
        let (name, components) = (format!("e{segment}"), FORWARDS.to_owned());
        cut.entities.push(Part { name, segment, components });
    }
    for (source, target) in [(0, 1), (1, 2), (2, 0)] {
        cut.connect((source, "out"), (target, "in"), 1);
    }
    // One that never rests.
    cut.entities.push(Part { name: "busy".to_owned(), segment: 2, components: TICKS.to_owned() });
    let example = Example::new();
    cut.write(&example, true);
    let run = |part: &str| {
        let address = example.driver;
        example.plain().args(&format!("run cut.yaml {part} --address 127.0.0.1:{address}")).spawn()
    };
    let mut driver = run("--driver");
    driver.wait_for("The driver is ready");
    let mut workers = [0, 1, 2].map(|segment| run(&format!("--worker --fragments s{segment}")));
    driver.wait_for("All segments are active");
    workers.iter_mut().for_each(|worker| worker.wait_for("Scheduling"));
    // No longer while the driver starts them.
    std::thread::sleep(Duration::from_millis(500));
    let begin = Instant::now();
    let [mut first, mut second, third] = workers;
    first.signal("STOP");
    second.signal("STOP");
    driver.end().with_status(5).complains(": its last sign of life was 5.");
    third.end().with_status(5).complains("ended this worker: worker 127.0.0.1:");
    // Long before a call that nobody answers would fail.
    assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    for mut frozen in [first, second] {
        frozen.signal("KILL");
        drop(frozen.end());
    }
}

#[test]
fn a_second_driver_finds_the_port_taken() {
    let example = Example::new();
    let first = driver(&example);
    let second = example.gxe("driver.yaml").run().with_status(4);
    second.complains(&format!(
        "cannot listen at 127.0.0.1:{}: Address already in use",
        example.driver
    ));
    // The first one does not notice.
    let worker = example.gxe("worker.yaml").run().with_status(0);
    assert_eq!(received(&worker), (0..10).collect::<Vec<_>>());
    let _ = first.end().with_status(0);
}

#[test]
fn a_worker_that_comes_back_is_waited_for() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    let mut driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("KILL");
    driver.wait_for("waiting for it to come back");
    drop(upstream.end());
    // On the same port.
    let mut upstream = example.gxe("ucx_upstream.yaml").spawn();
    upstream.wait_for("is connected to `ucx_downstream/rx/signal`");
    downstream.wait_for("rx_value = 3");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    let _ = downstream.end();
}

/// Its links break, so that the other ends wait for it, too.
#[test]
fn a_worker_that_is_stopped_by_a_signal_is_waited_for() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    let mut driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    downstream.signal("TERM");
    let _ = downstream.end().with_status(143);
    driver.wait_for("it was stopped; waiting for it to come back");
    upstream.wait_for("has lost its connection to");
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = ");
    upstream.signal("TERM");
    let _ = upstream.end().with_status(143);
    driver.wait_for("it was stopped; waiting for it to come back");
    let mut upstream = example.upstream().spawn();
    upstream.wait_for("is connected to `ucx_downstream/rx/signal`");
    downstream.wait_for("rx_value = 3");
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    for worker in [upstream, downstream] {
        drop(worker.end());
    }
}

/// A receiver takes messages of the transmitter that the driver's connections name, and of no other one.
#[test]
fn a_link_is_open_for_its_own_transmitter_only() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    let mut driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    upstream.signal("KILL");
    drop(upstream.end());
    driver.wait_for("waiting for it to come back");
    // The same file as that of the segment, but no segment.
    let stranger = example.gxe("gxf/ucx/tests/test_ping_ucx_tx.yaml").run();
    stranger.with_status(5).complains(
        "refuses `tx/signal`: receiver `ucx_downstream/rx/signal` is for the transmitter \
         `ucx_upstream/tx/signal`",
    );
    downstream.wait_for("refuses `tx/signal` at");
    let mut upstream = example.upstream().spawn();
    upstream.wait_for("is connected to `ucx_downstream/rx/signal`");
    downstream.wait_for("rx_value = 3");
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    for worker in [upstream, downstream] {
        drop(worker.end());
    }
}

/// It listens at another port: with the default, each start takes one that is free. It takes the
/// place of the one before it, also before the driver has noticed that it is lost.
#[test]
fn a_worker_that_comes_back_at_another_port_is_waited_for() {
    for is_missed in [true, false] {
        let example = Example::new();
        example.endless();
        let timeout = if is_missed { 500 } else { 60_000 };
        example.edit("driver.yaml", |text| {
            let line = format!("    heartbeat_timeout_ms: {timeout}\n    on_worker_lost: wait\n");
            text.replace("    connections:", &format!("{line}    connections:"))
        });
        let mut driver = driver(&example);
        let mut upstream = example.upstream().spawn();
        let mut first = example.downstream().spawn();
        first.wait_for("rx_value = 20");
        first.signal("KILL");
        drop(first.end());
        if is_missed {
            driver.wait_for("waiting for it to come back");
        }
        let mut second = example.downstream().spawn();
        driver.wait_for("takes the place of worker 127.0.0.1:");
        second.wait_for("rx_value = ");
        upstream.signal("INT");
        let _ = upstream.end().with_status(130);
        driver.signal("INT");
        let _ = driver.end().with_status(130);
        let _ = second.end();
    }
}

/// A frozen worker was replaced, and goes on: it is sent home, and nobody else notices.
#[test]
fn a_worker_that_was_replaced_is_sent_home() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    example.impatient_links();
    let mut driver = driver(&example);
    let mut first = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    first.signal("STOP");
    driver.wait_for("waiting for it to come back");
    let mut second = example.upstream().spawn();
    driver.wait_for("takes the place of worker 127.0.0.1:");
    second.wait_for("is connected to `ucx_downstream/rx/signal`");
    downstream.wait_for("rx_value = 0");
    first.signal("CONT");
    first.end().with_status(5).complains("another worker has taken its place");
    downstream.wait_for("rx_value = ");
    second.signal("INT");
    let _ = second.end().with_status(130);
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    let _ = downstream.end();
}

#[test]
fn a_new_driver_takes_running_workers_over() {
    let example = Example::new();
    example.endless();
    let mut first = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    first.signal("KILL");
    drop(first.end());
    // Data goes on without a driver.
    downstream.wait_for("gives no sign of life");
    downstream.wait_for("Message Received");
    let mut second = driver(&example);
    second.wait_for("registered with segments");
    second.wait_for("registered with segments");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    second.end().with_status(5).complains("with its segments ucx_upstream: it was stopped");
    drop(downstream.end());
}

/// Another program has the driver's port for a moment.
#[test]
fn a_new_driver_takes_workers_over_that_were_refused() {
    let example = Example::new();
    example.endless();
    let mut first = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    first.signal("KILL");
    drop(first.end());
    let is_over = Arc::new(AtomicBool::new(false));
    let listener = TcpListener::bind(("127.0.0.1", example.driver)).expect("the port");
    let other = std::thread::spawn({
        let is_over = is_over.clone();
        move || answer_all(&listener, "503 Service Unavailable", &is_over)
    });
    upstream.wait_for("refuses a sign of life (");
    downstream.wait_for("refuses a sign of life (");
    is_over.store(true, Ordering::Relaxed);
    other.join().expect("the other program");
    let mut second = driver(&example);
    second.wait_for("registered with segments");
    second.wait_for("registered with segments");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    second.end().with_status(5).complains("with its segments ucx_upstream: it was stopped");
    drop(downstream.end());
}

/// Another program, which answers every request the same.
fn answer_all(other: &TcpListener, status: &str, is_over: &AtomicBool) {
    other.set_nonblocking(true).expect("a socket");
    while !is_over.load(Ordering::Relaxed) {
        let Ok((mut stream, _)) = other.accept() else {
            std::thread::sleep(Duration::from_millis(10));
            continue;
        };
        stream.set_nonblocking(false).expect("a socket");
        stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a socket");
        // The worker may be gone already.
        _ = stream.read(&mut [0; 4096]);
        _ = write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 4\r\n\r\nbusy");
        // What is not read would break the connection before the answer arrives.
        _ = stream.read_to_end(&mut Vec::new());
    }
}

/// The workers could give it no sign of life meanwhile.
#[test]
fn a_driver_that_was_stopped_for_a_while_loses_no_worker() {
    let example = Example::new();
    example.endless();
    example.impatient("");
    let mut driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    driver.signal("STOP");
    std::thread::sleep(Duration::from_millis(1500));
    driver.signal("CONT");
    std::thread::sleep(Duration::from_millis(300));
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    driver.end().with_status(5).complains("with its segments ucx_upstream: it was stopped");
    drop(downstream.end());
}

/// Has a lease on a file, so that who opens it waits for the end of this process.
const LEASE: &str = "\
import fcntl, signal, sys
signal.signal(signal.SIGIO, signal.SIG_IGN)
file = open('gate', 'w')
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_WRLCK)
print('closed', flush=True)
sys.stdin.read()
";

/// Keeps the downstream segment from being active, until it is opened. `None`, with a line, where
/// that cannot be done.
fn gate(example: &Example) -> Option<Child> {
    let mut python = Command::new("python3");
    python.args(["-c", LEASE]).current_dir(example.folder.path());
    let python = python.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let closed = python.ok().and_then(|mut python| {
        let mut said = [0; 6];
        let output = python.stdout.as_mut().expect("its output");
        output.read_exact(&mut said).is_ok().then_some(python)
    });
    if closed.is_none() {
        eprintln!("skipped: there is no python3, or no lease on a file");
    }
    example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
        format!(
            "\
{text}---
name: gate
components:
- {{name: allocator, type: nvidia::gxf::UnboundedAllocator}}
- type: nvidia::gxf::File
  parameters: {{allocator: allocator, file_path: gate, file_mode: r}}
"
        )
    });
    closed
}

fn open_gate(mut gate: Child) {
    drop(gate.stdin.take());
    assert!(gate.wait().expect("its end").success());
}

#[test]
fn a_new_driver_goes_on_while_segments_become_active() {
    let example = Example::new();
    let Some(gate) = gate(&example) else { return };
    let mut first = driver(&example);
    let upstream = example.upstream().spawn();
    let mut downstream = example.downstream().args("--severity debug").spawn();
    downstream.wait_for("segment ucx_downstream: Activate");
    first.signal("KILL");
    drop(first.end());
    let mut second = driver(&example);
    second.wait_for("registered with segments");
    second.wait_for("registered with segments");
    open_gate(gate);
    let _ = second.end().with_status(0);
    let _ = upstream.end().with_status(0);
    let downstream = downstream.end().with_status(0);
    assert_eq!(received(&downstream), (0..10).collect::<Vec<_>>());
}

#[test]
fn a_worker_that_comes_back_while_segments_become_active_runs_once() {
    let example = Example::new();
    let Some(gate) = gate(&example) else { return };
    example.impatient("    on_worker_lost: wait\n");
    let mut driver = driver(&example);
    let upstream = example.upstream().spawn();
    let mut first = example.downstream().args("--severity debug").spawn();
    first.wait_for("segment ucx_downstream: Activate");
    first.signal("KILL");
    driver.wait_for("waiting for it to come back");
    drop(first.end());
    let mut second = example.gxe("ucx_downstream.yaml").args("--severity debug").spawn();
    second.wait_for("segment ucx_downstream: Activate");
    open_gate(gate);
    let _ = driver.end().with_status(0);
    let _ = upstream.end().with_status(0);
    let second = second.end().with_status(0);
    assert_eq!(received(&second), (0..10).collect::<Vec<_>>());
    assert_eq!(second.count("segment ucx_downstream: Run"), 1, "{}", second.stdout);
}

/// The test is its driver.
#[test]
fn a_worker_that_ends_before_its_segments_run_does_not_run_them() {
    let example = Example::new();
    let Some(gate) = gate(&example) else { return };
    let listener = TcpListener::bind(("127.0.0.1", example.driver)).expect("the port");
    let is_over = Arc::new(AtomicBool::new(false));
    let registered = std::thread::spawn({
        let is_over = is_over.clone();
        move || answer_all(&listener, "200 OK", &is_over)
    });
    let mut worker = example.downstream().args("--severity debug").spawn();
    worker.wait_for("Registered with the driver");
    let text = std::fs::read_to_string(example.path("ucx_downstream.yaml")).expect("a file");
    let (_, rest) = text.split_once("HttpServer, parameters: {port: ").expect("its port");
    let port: u16 = rest.split_once('}').expect("a brace").0.parse().expect("a number");
    let order = |action: &str, body: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the worker");
        let length = body.len();
        let head = format!("POST /GraphWorker/{action} HTTP/1.1\r\nHost: localhost");
        write!(stream, "{head}\r\nContent-Length: {length}\r\n\r\n{body}").expect("it takes bytes");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200"), "{action}: {answer}");
    };
    order("ActivateSegments", "-");
    worker.wait_for("segment ucx_downstream: Activate");
    order("RunSegments", "-");
    order("StopWorker", "failed: enough");
    open_gate(gate);
    let worker = worker.end().with_status(5);
    worker.complains("ended this worker: enough");
    assert_eq!(worker.count("segment ucx_downstream: Run"), 0, "{}", worker.stdout);
    is_over.store(true, Ordering::Relaxed);
    registered.join().expect("the driver");
}

/// Its receiver listens at another port, of which the transmitter hears.
#[test]
fn a_receiver_that_comes_back_elsewhere_is_found() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    let mut driver = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut first = example.downstream().spawn();
    first.wait_for("rx_value = 20");
    first.signal("KILL");
    driver.wait_for("waiting for it to come back");
    drop(first.end());
    example.edit("gxf/ucx/tests/test_ping_ucx_rx.yaml", |text| {
        let (before, rest) = text.split_once("port: ").expect("its port");
        let (_, rest) = rest.split_once('}').expect("more");
        format!("{before}port: {}}}{rest}", free_port())
    });
    let mut second = example.gxe("ucx_downstream.yaml").spawn();
    second.wait_for("rx_value = ");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    let _ = second.end();
}

/// A worker is restarted while there is no driver, and the next driver hears of it first.
#[test]
fn a_new_driver_starts_a_new_worker_beside_one_that_runs() {
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    let mut first = driver(&example);
    let mut upstream = example.upstream().spawn();
    let mut downstream = example.downstream().spawn();
    downstream.wait_for("rx_value = 20");
    first.signal("KILL");
    upstream.signal("KILL");
    downstream.signal("STOP");
    drop((first.end(), upstream.end()));
    let mut second = driver(&example);
    let mut upstream = example.gxe("ucx_upstream.yaml").spawn();
    second.wait_for("registered with segments ucx_upstream");
    downstream.signal("CONT");
    upstream.wait_for("is connected to `ucx_downstream/rx/signal`");
    downstream.wait_for("rx_value = 0");
    upstream.signal("INT");
    let _ = upstream.end().with_status(130);
    second.signal("INT");
    let _ = second.end();
    let _ = downstream.end();
}

/// One that has ended meanwhile, and says so to the new driver.
#[test]
fn a_new_driver_starts_a_new_worker_beside_one_that_is_done() {
    let example = Example::new();
    let mut driver = driver(&example);
    let mut downstream = example.downstream().spawn();
    driver.wait_for("registered with segments ucx_downstream");
    let (port, is_over) = (free_port(), Arc::new(AtomicBool::new(false)));
    let listener = TcpListener::bind(("127.0.0.1", port)).expect("the port");
    let done = std::thread::spawn({
        let is_over = is_over.clone();
        move || answer_all(&listener, "200 OK", &is_over)
    });
    let body = format!(
        r#"{{"server_ip_address": "127.0.0.1", "server_port": "{port}", "run": 7,
        "is_running": true, "is_complete": true,
        "segment_info_list": [{{"segment_name": "ucx_upstream", "ip_port_address_map": {{}}}}]}}"#
    );
    let mut stream = TcpStream::connect(("127.0.0.1", example.driver)).expect("the driver");
    write!(
        stream,
        "POST /GraphDriver/Heartbeat HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("it takes bytes");
    stream.read_to_end(&mut Vec::new()).expect("an answer");
    downstream.wait_for("Scheduling");
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    let _ = downstream.end().with_status(5);
    is_over.store(true, Ordering::Relaxed);
    done.join().expect("the other program");
}

/// Memory in KiB and number of descriptors of a process.
fn size(running: &Running) -> (u64, usize) {
    let folder = PathBuf::from(format!("/proc/{}", running.pid()));
    let status = std::fs::read_to_string(folder.join("status")).expect("a status");
    let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
    let memory = memory.trim().trim_end_matches(" kB").parse().expect("a number");
    (memory, std::fs::read_dir(folder.join("fd")).expect("a folder").count())
}

/// Driver and workers are killed and restarted, and links broken, at random for `SOAK_SECONDS`: what
/// arrives stays in order, nothing is lost or doubled but what a killed process had, and no process
/// grows.
#[test]
#[ignore = "make soak-network"]
fn random_kills_lose_only_what_the_killed_had() {
    let seconds = std::env::var("SOAK_SECONDS").map_or(20, |text| text.parse().expect("a number"));
    let until = Instant::now() + Duration::from_secs(seconds);
    let example = Example::new();
    example.endless();
    example.impatient("    on_worker_lost: wait\n");
    example.impatient_links();
    let patient = |gxe: Gxe| gxe.patience(Duration::from_secs(seconds + 120));
    let start_driver = || {
        let mut driver = patient(example.gxe("driver.yaml")).spawn();
        driver.wait_for("The driver is ready");
        driver
    };
    let again = |file: &str| patient(example.gxe(file)).spawn();
    let mut driver = start_driver();
    let (mut up, mut down) =
        (patient(example.upstream()).spawn(), patient(example.downstream()).spawn());
    down.wait_for("rx_value = 20");
    let mut sizes = [&driver, &up, &down].map(size);
    let mut random = Random(20_261_124);
    // What each run of the receiver got, and how often the sender was restarted.
    let (mut runs, mut restarts) = (Vec::new(), 0);
    while Instant::now() < until {
        let what = random.below(5);
        match what {
            0 | 1 => {
                driver.signal("KILL");
                drop(driver.end());
                if what == 1 {
                    up.signal("KILL");
                    drop(up.end());
                    up = again("ucx_upstream.yaml");
                    restarts += 1;
                }
                driver = start_driver();
                driver.wait_for("registered with segments");
                driver.wait_for("registered with segments");
                if what == 1 {
                    down.wait_for("rx_value = 0");
                    sizes[1] = size(&up);
                }
                sizes[0] = size(&driver);
            }
            2 => {
                up.signal("KILL");
                drop(up.end());
                up = again("ucx_upstream.yaml");
                restarts += 1;
                down.wait_for("rx_value = 0");
                sizes[1] = size(&up);
            }
            3 => {
                down.signal("KILL");
                runs.push(received(&down.end()));
                down = again("ucx_downstream.yaml");
                down.wait_for("Message Received");
                sizes[2] = size(&down);
            }
            // As long as a connection is trusted without a sign of life, and longer.
            _ => {
                up.signal("STOP");
                down.wait_for("has lost its connection to `ucx_upstream/tx/signal`");
                up.signal("CONT");
                down.wait_for("Message Received");
            }
        }
        std::thread::sleep(Duration::from_millis(random.below(300)));
        for (running, (memory, descriptors)) in [&driver, &up, &down].into_iter().zip(sizes) {
            let (late_memory, late_descriptors) = size(running);
            assert!(late_memory < memory + 8192, "{memory} KiB, then {late_memory} KiB");
            assert!(late_descriptors < descriptors + 16, "{descriptors}, then {late_descriptors}");
        }
    }
    driver.signal("INT");
    let _ = driver.end().with_status(130);
    let _ = up.end().with_status(5);
    runs.push(received(&down.end().with_status(5)));
    // The receiver's capacity: what it had taken and not printed, or printed and not acknowledged.
    const HELD: u64 = 10;
    let (mut resets, mut next) = (0, None::<u64>);
    for run in &runs {
        for (index, value) in run.iter().copied().enumerate() {
            match next {
                _ if value == 0 => resets += 1,
                Some(next) if index == 0 => {
                    assert!(value.abs_diff(next) <= HELD, "{value} for {next}")
                }
                Some(next) => assert_eq!(value, next, "{run:?}"),
                None => {}
            }
            next = Some(value + 1);
        }
    }
    assert!(resets <= restarts + 1, "{resets} times from the beginning, with {restarts} restarts");
}
