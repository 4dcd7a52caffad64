//! Actors that start, are interrupted and fail at every stage, again and again: nothing is left.
//!
//! `ACTOR_STORMS` sets the number of runs.

use std::time::{Duration, Instant};

use gxe_tests::build;
use gxf_runtime::{Context, message_pool};
/// A row of three probes on so many threads; one of them fails in a stage.
fn graph(threads: u32, failing: Option<(usize, &str)>, endless: bool) -> String {
    let names = ["source", "middle", "sink"];
    let mut yaml = String::new();
    for (place, name) in names.iter().enumerate() {
        yaml += &format!("---\nname: {name}\ncomponents:\n");
        let mut parameters = vec!["take: 1".to_owned()];
        if place > 0 {
            yaml += "- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n\
                     - {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}\n";
            parameters.push("receivers: [in]".to_owned());
        } else if !endless {
            yaml += "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 7}}\n";
        }
        if place < 2 {
            yaml += "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
                     - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}\n";
            parameters.push("transmitters: [out]".to_owned());
        }
        if let Some((_, stage)) = failing.filter(|(at, _)| *at == place) {
            parameters.push(format!("fail_in: {stage}"));
        }
        yaml +=
            &format!("- {{type: gxe::test::Probe, parameters: {{{}}}}}\n", parameters.join(", "));
    }
    yaml + "---\ncomponents:\n\
            - {type: nvidia::gxf::Connection, parameters: {source: source/out, target: middle/in}}\n\
            - {type: nvidia::gxf::Connection, parameters: {source: middle/out, target: sink/in}}\n\
            ---\nname: scheduler\ncomponents:\n\
            - {name: clock, type: nvidia::gxf::RealtimeClock}\n"
        + &format!(
            "- {{type: 'gxe::ActorScheduler', parameters: {{clock: clock, threads: {threads}}}}}\n"
        )
}

const STAGES: [&str; 5] = ["initialize", "start", "tick", "stop", "deinitialize"];

/// Runs number `number` of the storm.
fn one(number: usize) {
    let context = Context::new();
    context.load_extension(&build::library("gxf_lifecycle_probe")).expect("the extension");
    let threads = 1 + number as u32 % 4;
    let failing =
        number.is_multiple_of(3).then(|| (number / 3 % 3, STAGES[number / 9 % STAGES.len()]));
    let endless = number % 3 == 1;
    context.load_app_text("graph", &graph(threads, failing, endless), &[]).expect("a graph");
    let entities = context.entities().len();
    // A graph may be run again.
    for _ in 0..1 + number % 2 {
        let ran = context.activate().and_then(|()| context.run_async()).and_then(|()| {
            if endless {
                // At any moment, also before the first act.
                for _ in 0..(number * 7919) % 3000 {
                    std::hint::spin_loop();
                }
                context.interrupt()?;
            }
            context.wait()
        });
        let deactivated = context.deactivate();
        let failed = ran.is_err() || deactivated.is_err();
        // What fails after the end of the run may only be logged.
        let may_fail = failing.is_some_and(|(_, stage)| ["stop", "deinitialize"].contains(&stage));
        assert!(failed == failing.is_some() || may_fail, "run {number}: {ran:?}");
    }
    assert_eq!(context.entities().len(), entities);
    let pool = message_pool();
    assert_eq!(pool.capacity - pool.free, 0, "messages that are alive after run {number}");
}

/// A line of the process's status.
fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").expect("a status");
    let line = text.lines().find_map(|line| line.strip_prefix(key)).expect("a line");
    let number = line.trim_start_matches(':').split_whitespace().next().expect("a number");
    number.parse().expect("a number")
}

/// Whether the process has no more than that many threads: soon, since the kernel counts a thread
/// that was joined until it has gone altogether.
fn threads_come_down_to(count: u64) -> bool {
    let deadline = Instant::now() + Duration::from_secs(10);
    while status("Threads") > count {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    true
}

#[test]
fn start_interrupt_and_failure_leave_nothing() {
    let count = std::env::var("ACTOR_STORMS").ok();
    let count = count.map_or(400, |text| text.parse().expect("a number of runs"));
    let threads = status("Threads");
    (0..count / 4).for_each(one);
    let memory = status("VmRSS");
    (count / 4..count).for_each(one);
    assert!(threads_come_down_to(threads), "{} threads instead of {threads}", status("Threads"));
    let grown = status("VmRSS").saturating_sub(memory);
    assert!(grown < 4096, "{grown} KiB more than after a quarter of the runs");
}
