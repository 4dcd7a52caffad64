//! A long run for `make soak`: thousands of random graphs on every scheduler, left alone or ended
//! in every possible way at every moment. Argument: seconds.
//!
//! Fails if a run hangs, a message leaks, or the memory of the process grows.
#![forbid(unsafe_code)]

use gxe_tests::differential::engine::Scheduler;
use gxe_tests::differential::generate::{any_graph, confluent_graph};
use gxe_tests::differential::graph::{Graph, Term};
use gxf_runtime::{Context, Epoch, message_pool};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

/// A run that makes no progress for this long hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs between two checks for leaks.
const ROUND: u64 = 100;

/// The schedulers, on a clock that runs by itself.
fn schedulers() -> Vec<Scheduler> {
    let mut schedulers = Vec::new();
    for (kind, workers) in [
        ("GreedyScheduler", &[0][..]),
        ("EpochScheduler", &[0]),
        ("MultiThreadScheduler", &[1, 2, 8]),
        ("EventBasedScheduler", &[1, 2, 8]),
    ] {
        for number in workers {
            let workers = format!(", worker_thread_number: {number}");
            let parameters = if *number > 0 { workers.as_str() } else { "" };
            schedulers.push(Scheduler::new(kind, "RealtimeClock", parameters));
        }
    }
    schedulers.extend([1, 2, 8].map(|threads| {
        Scheduler::new("ActorScheduler", "RealtimeClock", &format!(", threads: {threads}"))
    }));
    schedulers.extend([1, 2].map(|workers| Scheduler::planned(workers, "RealtimeClock", "")));
    schedulers.push(Scheduler::planned_apart(3, "RealtimeClock", ""));
    schedulers
}

/// How to end a run.
#[derive(Clone, Copy, Debug)]
enum Ending {
    /// Waits, then runs the same graph again.
    Twice,
    /// Interrupts it once.
    Interrupt,
    /// Interrupts it from three threads at once, repeatedly.
    Storm,
    /// Deactivates it while it runs.
    Deactivate,
    /// Drops the last handle of the context while it runs.
    Drop,
}

const ENDINGS: [Ending; 5] =
    [Ending::Twice, Ending::Interrupt, Ending::Storm, Ending::Deactivate, Ending::Drop];

/// The current run, for the watchdog.
struct Now {
    since: Instant,
    what: String,
}

fn main() -> ExitCode {
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(60);
    match soak(Duration::from_secs(seconds)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn soak(length: Duration) -> Result<(), String> {
    let begin = Instant::now();
    let mut runner = TestRunner::default();
    let now = watchdog();
    let mut runs = 0_u64;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut warm = None;
    let schedulers = schedulers();
    while begin.elapsed() < length {
        for scheduler in &schedulers {
            let ending = any(&prop_select(&ENDINGS), &mut runner);
            let graph = graph_for(ending, &mut runner);
            let pause = Duration::from_micros(any(&(0..3000_u64), &mut runner));
            let yaml = graph.to_yaml() + &scheduler.yaml;
            note(&now, format!("{ending:?} after {pause:?} under {}:\n{yaml}", scheduler.name));
            run(&yaml, ending, pause)
                .map_err(|problem| format!("{problem}\n{ending:?}\n{yaml}"))?;
            *counts.entry(scheduler.name.clone()).or_default() += 1;
            runs += 1;
        }
        if runs % ROUND < schedulers.len() as u64 {
            nothing_is_left()?;
            let memory = resident_memory()?;
            println!("{:4} s {runs:7} runs {memory:6} KiB", begin.elapsed().as_secs());
            if warm.is_none() && begin.elapsed() > length / 5 {
                warm = Some(memory);
            }
        }
    }
    nothing_is_left()?;
    for (name, count) in counts {
        println!("{count:7} runs under {name}");
    }
    let (before, after) = (warm.unwrap_or(0), resident_memory()?);
    println!("{runs} runs, {before} KiB when warm, {after} KiB at the end");
    // The allocator keeps some memory for each thread that existed at the same time as others.
    // ThreadSanitizer's memory grows with every thread.
    let is_ours = !cfg!(thread_sanitizer);
    if is_ours && before > 0 && after > before + before / 8 + 4096 {
        return Err(format!("the memory grew from {before} to {after} KiB"));
    }
    Ok(())
}

fn prop_select<T: Clone + std::fmt::Debug + 'static>(values: &[T]) -> impl Strategy<Value = T> {
    proptest::sample::select(values.to_vec())
}

fn any<S: Strategy>(strategy: &S, runner: &mut TestRunner) -> S::Value {
    strategy.new_tree(runner).expect("the strategies reject nothing").current()
}

/// A graph that ends by itself if the ending waits for that; otherwise any, mostly endless.
fn graph_for(ending: Ending, runner: &mut TestRunner) -> Graph {
    if matches!(ending, Ending::Twice) {
        return any(&confluent_graph(), runner);
    }
    let (mut graph, _) = any(&any_graph(), runner);
    if any(&proptest::bool::weighted(0.7), runner) {
        for entity in &mut graph.entities {
            entity.terms.retain(|term| !matches!(term, Term::Count(_)));
            entity.actor.failure = None;
            entity.actor.switch_off_at = None;
        }
    }
    graph
}

fn run(yaml: &str, ending: Ending, pause: Duration) -> Result<(), String> {
    let context = activated(yaml)?;
    context.run_async().map_err(|error| format!("{error:?}"))?;
    let epochs = context.has_epochs().then(|| epochs(&context));
    match ending {
        Ending::Twice => {
            let ended = wait(&context, epochs);
            // After an error the graph is deactivated.
            if ended.is_ok() && context.run_async().is_ok() {
                let epochs = context.has_epochs().then(|| self::epochs(&context));
                let _ = wait(&context, epochs);
            }
        }
        Ending::Interrupt => {
            sleep(pause);
            // It may have ended or failed.
            let _ = context.interrupt();
            let _ = wait(&context, epochs);
        }
        Ending::Storm => {
            let storm = (0..3).map(|_| {
                let context = context.clone();
                std::thread::spawn(move || {
                    for _ in 0..20 {
                        let _ = context.interrupt();
                        std::thread::yield_now();
                    }
                })
            });
            let storm: Vec<_> = storm.collect();
            // The first interrupt may belong to a run that is already over.
            for thread in storm {
                thread.join().map_err(|_| "an interrupt panicked")?;
            }
            let _ = context.interrupt();
            let _ = wait(&context, epochs);
        }
        Ending::Deactivate => {
            sleep(pause);
            let _ = context.deactivate();
            join(epochs)?;
        }
        Ending::Drop => {
            sleep(pause);
            if epochs.is_some() {
                let _ = context.interrupt();
                join(epochs)?;
            }
            drop(context);
            return Ok(());
        }
    }
    context.deactivate().map_err(|error| format!("{error:?}"))
}

fn activated(yaml: &str) -> Result<Context, String> {
    let context = Context::new();
    let loaded = context
        .load_extension(Path::new("libgxf_actor.so"))
        .and_then(|()| context.load_app_text("soak", yaml, &[]))
        .and_then(|()| context.activate());
    loaded.map(|()| context).map_err(|error| format!("{error:?}"))
}

/// Runs epochs on a thread of their own until the run is over. Stops a graph that has nothing left
/// to do.
fn epochs(context: &Context) -> JoinHandle<()> {
    let context = context.clone();
    std::thread::spawn(move || {
        loop {
            match context.run_epoch(Duration::from_micros(50)) {
                Ok(Epoch::BudgetUsed) => {}
                Ok(Epoch::Idle { next: None, awaits_event: false } | Epoch::Finished) => {
                    let _ = context.interrupt();
                    return;
                }
                Ok(Epoch::Idle { .. } | Epoch::Paused) => sleep(Duration::from_micros(20)),
                Ok(Epoch::Interrupted) | Err(_) => return,
            }
        }
    })
}

fn wait(context: &Context, epochs: Option<JoinHandle<()>>) -> Result<(), String> {
    let ended = context.wait().map_err(|error| format!("{error:?}"));
    join(epochs)?;
    ended
}

fn join(epochs: Option<JoinHandle<()>>) -> Result<(), String> {
    epochs.map_or(Ok(()), |epochs| epochs.join().map_err(|_| "an epoch panicked".to_owned()))
}

/// Fails if a message of an earlier graph is alive.
fn nothing_is_left() -> Result<(), String> {
    let pool = message_pool();
    if pool.free != pool.capacity {
        return Err(format!("{} messages are still alive", pool.capacity - pool.free));
    }
    let context = activated("components:\n- {type: gxe::test::NothingLeft}\n")?;
    context.deactivate().map_err(|error| format!("{error:?}"))
}

/// Memory of the process in KiB, without the pool of messages: the pool keeps room for the highest
/// number of messages alive at once, which depends on chance.
fn resident_memory() -> Result<u64, String> {
    let status = std::fs::read_to_string("/proc/self/status").map_err(|error| error.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    let number: u64 = number.ok_or("/proc/self/status has no VmRSS")?;
    Ok(number.saturating_sub(message_pool().bytes as u64 / 1024))
}

fn watchdog() -> Arc<Mutex<Now>> {
    let now = Arc::new(Mutex::new(Now { since: Instant::now(), what: String::new() }));
    let watched = now.clone();
    std::thread::spawn(move || {
        loop {
            sleep(Duration::from_secs(1));
            let now = watched.lock().unwrap_or_else(PoisonError::into_inner);
            if now.since.elapsed() > PATIENCE {
                eprintln!("error: this run hangs: {}", now.what);
                std::process::abort();
            }
        }
    });
    now
}

fn note(now: &Mutex<Now>, what: String) {
    *now.lock().unwrap_or_else(PoisonError::into_inner) = Now { since: Instant::now(), what };
}
