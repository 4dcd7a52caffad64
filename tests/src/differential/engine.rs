//! Runs a graph of actors on the engine, in this process, and reads what they log.

use super::graph::Graph;
use super::{Call, End, Event, Run, Taken};
use crate::PATIENCE;
use crate::round_robin::ROUND_ROBIN;
use gxf_runtime::{Context, Epoch, Error, RunReport};
use std::fmt::Write;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::time::Duration;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context as LayerContext, SubscriberExt};

/// Start of the line with which schedulers report a deadlock.
const DEADLOCK: &str = "Scheduler stopped: Some entities are waiting for execution";

/// The log of actors and schedulers of all contexts in the process; one run at a time.
static LINES: Mutex<Vec<String>> = Mutex::new(Vec::new());
static ONE_RUN: Mutex<()> = Mutex::new(());
static SUBSCRIBER: Once = Once::new();

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A test that failed with the lock held left nothing half-done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While this exists, no other graph runs in this process that logs such lines: one of actors, or one
/// that ends while entities wait.
pub fn alone() -> MutexGuard<'static, ()> {
    locked(&ONE_RUN)
}

/// Keeps the relevant lines.
struct Capture;

impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for Capture {
    fn on_event(&self, event: &tracing::Event<'_>, _context: LayerContext<'_, S>) {
        #[derive(Default)]
        struct Message(String);
        impl tracing::field::Visit for Message {
            fn record_debug(&mut self, field: &tracing::field::Field, value: &dyn std::fmt::Debug) {
                if field.name() == "message" {
                    let _ = write!(self.0, "{value:?}");
                }
            }
        }
        let mut message = Message::default();
        event.record(&mut message);
        if message.0.starts_with("actor ") || message.0.starts_with(DEADLOCK) {
            // Otherwise a run of another test would take the line for one of its own.
            let is_alone = matches!(ONE_RUN.try_lock(), Err(TryLockError::WouldBlock));
            assert!(is_alone, "the graph that logs `{}` needs `engine::alone`", message.0);
            locked(&LINES).push(message.0);
        }
    }
}

/// A scheduler, as documents of YAML with a clock named `scheduler/clock`.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// For messages of tests.
    pub name: String,
    pub yaml: String,
    /// Keeps the file of its schedule, if it has one of its own.
    pub schedule: Option<Arc<tempfile::TempPath>>,
}

impl Scheduler {
    /// A scheduler of this type, on a clock of this type, both without their namespace.
    #[must_use]
    pub fn new(kind: &str, clock: &str, parameters: &str) -> Self {
        let space = match kind {
            "RoundRobin" => "gxe::test",
            "ActorScheduler" => "gxe",
            _ => "nvidia::gxf",
        };
        let yaml = format!(
            "---\nname: scheduler\ncomponents:\n- {{name: clock, type: 'nvidia::gxf::{clock}'}}\n\
             - {{type: '{space}::{kind}', parameters: {{clock: clock{parameters}}}}}\n"
        );
        Self { name: format!("{kind}{parameters}"), yaml, schedule: None }
    }

    /// The static scheduler with this many workers. Its plan has one free-running frame with every
    /// entity that tests have, in order; those that a graph does not have are absent. The worker of
    /// an entity waits for the entity before it.
    #[must_use]
    pub fn planned(workers: usize, clock: &str, parameters: &str) -> Self {
        let names = planned_entities();
        let mut text = hyperepoch(0);
        for worker in 0..workers {
            // Not called CPU, because tests that run at once would share the first core.
            let _ = writeln!(text, "      - WORKER{worker}:");
            for (number, name) in names.iter().enumerate().skip(worker).step_by(workers) {
                let after = number.checked_sub(1).filter(|_| workers > 1);
                let after = after
                    .map_or(String::new(), |before| format!(", After: [c.{}@0]", names[before]));
                text += &execution(name, 0, number, &after);
            }
        }
        let name = format!("StaticScheduler of {workers}{parameters}");
        Self::with_hyperepochs(name, &text, clock, parameters)
    }

    /// The static scheduler with this many hyperepochs, each with a worker and some of the entities.
    #[must_use]
    pub fn planned_apart(hyperepochs: usize, clock: &str, parameters: &str) -> Self {
        let mut text = String::new();
        for place in 0..hyperepochs {
            text += &hyperepoch(place);
            let _ = writeln!(text, "      - WORKER{place}:");
            let names = planned_entities();
            let own = names.iter().skip(place).step_by(hyperepochs).enumerate();
            own.for_each(|(number, name)| text += &execution(name, place, number, ""));
        }
        let name = format!("StaticScheduler of {hyperepochs} hyperepochs{parameters}");
        Self::with_hyperepochs(name, &text, clock, parameters)
    }

    fn with_hyperepochs(name: String, text: &str, clock: &str, parameters: &str) -> Self {
        let text = format!("Schedule: 1.0.0\nGraph: tests\nIdentifier: 1\nHyperepochs:\n{text}");
        let mut file = tempfile::NamedTempFile::new().expect("a file");
        std::io::Write::write_all(&mut file, text.as_bytes()).expect("a file to write");
        let file = file.into_temp_path();
        let schedule = file.display().to_string();
        let yaml = format!(
            "---\nname: scheduler\ncomponents:\n- {{name: clock, type: 'nvidia::gxf::{clock}'}}\n\
             - {{type: 'gxe::StaticScheduler', parameters: {{clock: clock, schedule: '{schedule}', \
             absent_entities: true{parameters}}}}}\n"
        );
        Self { name, yaml, schedule: Some(Arc::new(file)) }
    }

    /// Number of threads of the engine.
    #[must_use]
    pub fn threads(&self) -> usize {
        let count = ["worker_thread_number: ", ", threads: ", "StaticScheduler of "];
        let mut counts = count.iter().filter_map(|before| self.name.split(before).nth(1));
        counts.find_map(|count| count[..1].parse().ok()).unwrap_or(1)
    }

    /// Whether the program drives it.
    #[must_use]
    pub fn is_epochs(&self) -> bool {
        self.name.starts_with("EpochScheduler")
    }

    /// The greedy scheduler on a manual clock, which runs identically every time.
    #[must_use]
    pub fn greedy(max_duration_ms: Option<i64>) -> Self {
        let longest = max_duration_ms.map(|longest| format!(", max_duration_ms: {longest}"));
        Self::new("GreedyScheduler", "ManualClock", &longest.unwrap_or_default())
    }
}

/// The names of all entities that tests have.
fn planned_entities() -> Vec<String> {
    (0..10)
        .map(|number| format!("e{number}"))
        .chain(["doorman", "guest"].map(str::to_owned))
        .collect()
}

/// The begin of a hyperepoch of a schedule: one free-running frame, whose lanes follow.
fn hyperepoch(place: usize) -> String {
    format!(
        "- h{place}:\n    Resources: []\n    Epochs:\n    - e{place}: {{Frames: 1}}\n    Cycles:\n    \
         - Makespan: 1ms\n      Lanes:\n"
    )
}

/// The line of an entity in a lane.
fn execution(name: &str, epoch: usize, number: usize, after: &str) -> String {
    format!(
        "        - {{Runnable: c.{name}, Epoch: e{epoch}, Frame: 0, Release: 0ns, Start: {number}us, \
         End: {}us{after}}}\n",
        number + 1
    )
}

/// Runs a graph.
///
/// # Panics
/// If the graph cannot be loaded or activated, an actor is not stopped, or a run hangs and cannot
/// be interrupted.
#[must_use]
pub fn run(graph: &Graph, scheduler: &Scheduler) -> Run {
    run_yaml(&(graph.to_yaml() + &scheduler.yaml))
}

/// Like [`run`], for a graph of actors in YAML, with its scheduler. Entities are called `e0`, `e1`,
/// ….
#[must_use]
pub fn run_yaml(yaml: &str) -> Run {
    let _one = alone();
    SUBSCRIBER.call_once(|| {
        let subscriber = tracing_subscriber::registry().with(LevelFilter::INFO).with(Capture);
        tracing::subscriber::set_global_default(subscriber).expect("nobody else listens");
    });
    locked(&LINES).clear();
    let context = actor_context();
    context.load_app_text("graph", yaml, &[]).unwrap_or_else(|error| panic!("{error:?}\n{yaml}"));
    context.activate().unwrap_or_else(|error| panic!("{error:?}\n{yaml}"));
    let (result, end) = run_to_the_end(&context, yaml);
    let report = context.run_report();
    let mut run = read(&std::mem::take(&mut *locked(&LINES)));
    context.deactivate().unwrap_or_else(|error| panic!("{error:?}\n{yaml}"));
    let after = read(&std::mem::take(&mut *locked(&LINES)));
    every_start_has_its_stop(run.events.iter().chain(&after.events), &result, yaml);
    if result.is_ok() {
        ticks_are_counted(&run, &report, yaml);
    }
    run.end = match result {
        Err(error) => End::Failed(error.code().0),
        Ok(()) => end.unwrap_or(run.end),
    };
    run
}

/// A context that knows the actors and the engine of `gxe::test::RoundRobin`.
///
/// # Panics
/// If the library of the actors cannot be loaded.
#[must_use]
pub fn actor_context() -> Context {
    let context = Context::new();
    context.load_extension(&crate::build::library("gxf_actor")).expect("the actors load");
    context.add_engine(ROUND_ROBIN).expect("the type has no engine yet");
    context
}

/// How a run ended: the result of `wait`, and whether it hung.
type Waited = (Result<(), Error>, Option<End>);

/// Runs an activated graph.
fn run_to_the_end(context: &Context, yaml: &str) -> Waited {
    if let Err(error) = context.run_async() {
        return (Err(error), None);
    }
    let (sender, receiver) = channel();
    let waiting = context.clone();
    let waiter = std::thread::spawn(move || {
        if waiting.has_epochs() {
            run_epochs(&waiting);
        }
        let result = waiting.wait();
        // Drops its own reference first, so that the graph ends where the test wants it to.
        drop(waiting);
        let _ = sender.send(result);
    });
    let waited =
        receiver.recv_timeout(PATIENCE).map(|result| (result, None)).unwrap_or_else(|_| {
            let _ = context.interrupt();
            let Ok(result) = receiver.recv_timeout(PATIENCE) else {
                eprintln!("this graph hangs and cannot be interrupted:\n{yaml}");
                std::process::abort();
            };
            (result, Some(End::Hung))
        });
    waiter.join().expect("waiting does not panic");
    waited
}

/// Acts like a program with other work: runs epochs with and without a budget, and rests while
/// nothing is ready.
fn run_epochs(context: &Context) {
    const BREAK: Duration = Duration::from_micros(20);
    for budget in [Duration::ZERO, Duration::from_micros(100)].into_iter().cycle() {
        match context.run_epoch(budget) {
            Ok(Epoch::BudgetUsed) => {}
            Ok(Epoch::Idle { next: None, awaits_event: false } | Epoch::Finished) => break,
            Ok(Epoch::Idle { .. } | Epoch::Paused) => std::thread::sleep(BREAK),
            // `wait` returns the error, if any.
            Ok(Epoch::Interrupted) | Err(_) => break,
        }
    }
    // A graph with epochs ends when asked; one that failed has already ended.
    let _ = context.interrupt();
}

fn read(lines: &[String]) -> Run {
    let is_deadlock = |line: &String| line.starts_with(DEADLOCK);
    let end = if lines.iter().any(is_deadlock) { End::Deadlock } else { End::Finished };
    let events = lines
        .iter()
        .filter(|line| !is_deadlock(line))
        .map(|line| event(line).unwrap_or_else(|| panic!("actors do not write `{line}`")));
    Run { events: events.collect(), end }
}

/// Reads a line of an actor.
fn event(line: &str) -> Option<Event> {
    let mut words = line.strip_prefix("actor ")?.split(' ');
    let name = words.next()?.strip_prefix('e')?;
    let (entity, actor) = match name.split_once('/') {
        Some((entity, _)) => (entity, 1),
        None => (name, 0),
    };
    let entity = entity.parse().ok()?;
    let call = words.next()?;
    let mut now = || words.next()?.parse().ok();
    let call = match call {
        "start" => Call::Start { now: now()? },
        "tick" => {
            let now = now()?;
            let taken = words.next()?.split_terminator('|').map(messages).collect::<Option<_>>()?;
            Call::Tick { now, taken }
        }
        "stop" => Call::Stop,
        _ => return None,
    };
    Some(Event { entity, actor, call })
}

fn messages(text: &str) -> Option<Vec<Taken>> {
    let messages = text.split(',').filter(|message| !message.is_empty()).map(|message| {
        let (number, times) = message.split_once('@')?;
        let (acquired, published) = times.split_once('/')?;
        Some(Taken {
            number: number.parse().ok()?,
            acquired: acquired.parse().ok()?,
            published: published.parse().ok()?,
        })
    });
    messages.collect()
}

/// Every codelet that started is stopped once, in all cases; one that failed to start is not.
fn every_start_has_its_stop<'a>(
    events: impl Iterator<Item = &'a Event>,
    result: &Result<(), Error>,
    yaml: &str,
) {
    let mut running = std::collections::BTreeSet::new();
    for Event { entity, actor, call } in events {
        let who = (*entity, *actor);
        match call {
            Call::Start { .. } => assert!(running.insert(who), "{who:?} starts twice\n{yaml}"),
            Call::Tick { .. } => {
                assert!(running.contains(&who), "{who:?} ticks while it is stopped\n{yaml}");
            }
            Call::Stop => assert!(running.remove(&who), "{who:?} stops twice\n{yaml}"),
        }
    }
    let text = result.as_ref().err().map(|error| format!("{error:?}")).unwrap_or_default();
    if text.contains("start failed") {
        let name = |actor: usize| ["actor", "second"][actor];
        running.retain(|(entity, actor)| {
            let named = format!("entity `e{entity}`, component `{}`", name(*actor));
            !text.contains(&named)
        });
    }
    assert!(running.is_empty(), "{running:?} are not stopped\n{yaml}");
}

fn ticks_are_counted(run: &Run, report: &RunReport, yaml: &str) {
    for entity in &report.entities {
        let Some(number) = entity.name.strip_prefix('e').and_then(|name| name.parse().ok()) else {
            continue;
        };
        let ticks = run.ticks(number).len() as u64;
        assert_eq!(entity.ticks, ticks, "ticks of e{number} in the report\n{yaml}");
    }
}
