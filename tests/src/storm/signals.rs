//! Ctrl-C and SIGTERM at every moment of a start and of a run: none is lost, and each is the end.

use super::process::Process;
use super::{Round, Storm};
use rustix::process::Signal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// See the head of this file.
pub const STORM: Storm = Storm { name: "signals", rounds: 24, round };

const SCHEDULERS: [&str; 3] = ["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"];

/// How long a start takes here, in microseconds.
fn start() -> Result<u64, String> {
    static START: OnceLock<Result<u64, String>> = OnceLock::new();
    let measure = || {
        let begin = Instant::now();
        let mut running = Process::new(SCHEDULERS[0], None, "")?.start(None, None)?;
        running.wait_for("Message Received: rx_value = 3")?;
        running.signal(Signal::KILL)?;
        Ok(u64::try_from(begin.elapsed().as_micros()).unwrap_or(u64::MAX))
    };
    START.get_or_init(measure).clone()
}

/// Whether this process, and so what it starts, ignores a signal.
fn is_ignored(signal: Signal) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal.as_raw() - 1) & 1 == 1
}

fn round(round: &mut Round) -> Result<(), String> {
    let before = round.spread(start()? * 5 / 4);
    let (signal, status) = round.any(&[(Signal::INT, 130), (Signal::TERM, 143)]);
    // A job in the background of a script inherits an ignored Ctrl-C, up to gxe's own handler.
    let (signal, status) = if is_ignored(signal) { (Signal::TERM, 143) } else { (signal, status) };
    let second = (round.below(4) == 0).then(|| round.below(20_000));
    let mut running = Process::new(round.any(&SCHEDULERS), None, "")?.start(None, None)?;
    running.wait(Duration::from_micros(before))?;
    running.signal(signal)?;
    if let Some(pause) = second {
        running.wait(Duration::from_micros(pause))?;
        running.signal(signal)?;
    }
    let ended = running.end()?;
    // Before anything of gxe runs, the signal itself is the end.
    if ended.status.is_none() && ended.signal == Some(signal.as_raw()) && ended.stdout.is_empty() {
        return Ok(());
    }
    ended.check(&[status])
}
