//! What two threads do with a graph at once, and what is left of a run that could not begin or of an
//! entity outside of runs.

use gxe_tests::build::library;
use gxe_tests::differential::engine::{actor_context, alone};
use gxe_tests::eventually;
use gxe_tests::random::Random;
use gxe_tests::round_robin::ROUND_ROBIN;
use gxf_runtime::engine::{End, Engine, EngineType, Environment, Start};
use gxf_runtime::{Context, Result, ResultCode};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Fails when it is deinitialised: no entity ticks so often.
const COUNTER: &str =
    "- {type: nvidia::gxf::test::StepCount, parameters: {expected_count: 1000000}}\n";

const LONG_TICK: &str = "\
name: e0
components:
- {type: gxe::test::Actor, parameters: {clock: scheduler/clock, sleep: 300000000}}
";

fn scheduler(name: &str) -> String {
    format!(
        "---\nname: scheduler\ncomponents:\n\
         - {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
         - {{type: {name}, parameters: {{clock: clock}}}}\n"
    )
}

/// A context with the components of the test extensions.
fn context() -> Context {
    let context = actor_context();
    context.load_extension(&library("gxf_test")).unwrap();
    context
}

/// An activated graph with an entity that never ticks, on an engine of this test.
fn graph_on(start: Start) -> Context {
    let context = Context::new();
    context.load_extension(&library("gxf_actor")).unwrap();
    context.add_engine(EngineType { start, ..ROUND_ROBIN }).unwrap();
    let text = "name: e0\ncomponents:\n- {type: gxe::test::Actor}\n".to_owned();
    context.load_app_text("graph", &(text + &scheduler("gxe::test::RoundRobin")), &[]).unwrap();
    context.activate().unwrap();
    context
}

/// Ends by itself while it is being interrupted, in its first run; counts rounds in the second.
struct Late(Environment);

static LATE_RUNS: AtomicU32 = AtomicU32::new(0);
static INTERRUPTING: AtomicBool = AtomicBool::new(false);
static ROUNDS: AtomicU32 = AtomicU32::new(0);

impl Engine for Late {
    fn environment(&self) -> &Environment {
        &self.0
    }

    fn thread_name(&self) -> String {
        "late".to_owned()
    }

    fn run(&self) -> Result<End> {
        if LATE_RUNS.fetch_add(1, Ordering::Relaxed) == 0 {
            eventually("the interrupt comes", || INTERRUPTING.load(Ordering::Relaxed));
            return Ok(End::Finished);
        }
        for _ in 0..200 {
            if self.0.event_queue.collect(|_| ()) {
                return Ok(End::Interrupted);
            }
            ROUNDS.fetch_add(1, Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(End::Finished)
    }

    fn interrupt(&self) {
        INTERRUPTING.store(true, Ordering::Relaxed);
        let begin = Instant::now();
        while LATE_RUNS.load(Ordering::Relaxed) < 2 && begin.elapsed() < Duration::from_millis(300)
        {
            std::thread::sleep(Duration::from_millis(1));
        }
        self.0.event_queue.stop();
    }
}

#[test]
fn an_interrupt_of_a_run_that_ends_by_itself_does_not_end_the_next_one() {
    let context = graph_on(|_, environment| Ok(Arc::new(Late(environment))));
    context.run_async().unwrap();
    std::thread::scope(|scope| {
        let interrupt = scope.spawn(|| context.interrupt());
        context.wait().unwrap();
        context.run().unwrap();
        interrupt.join().unwrap().unwrap();
    });
    assert_eq!(ROUNDS.load(Ordering::Relaxed), 200);
}

/// It forgets an earlier `stop` when it starts.
#[test]
fn an_interrupt_while_a_scheduler_of_an_extension_starts_is_not_lost() {
    let context = context();
    context.load_extension(&library("gxf_graph_changer")).unwrap();
    let text = "\
name: e0
components:
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 60s}}
- {type: gxe::test::Actor, parameters: {clock: scheduler/clock}}
";
    let text = text.to_owned() + &scheduler("gxe::test::RoundRobinScheduler");
    context.load_app_text("graph", &text, &[]).unwrap();
    context.activate().unwrap();
    for _ in 0..200 {
        let (begins, ends) = (context.clone(), context.clone());
        let interrupt = std::thread::spawn(move || while ends.interrupt().is_err() {});
        let run = std::thread::spawn(move || begins.run());
        eventually("the run ends", || run.is_finished());
        run.join().unwrap().unwrap();
        interrupt.join().unwrap();
    }
    context.deactivate().unwrap();
}

/// A step and the thread of the actor each count their own acts only: every act takes one instance of a
/// control register.
#[test]
fn steps_lose_no_instance_of_a_control_register() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let plan = folder.path().join("plan.json");
    let registers = r#"
{"name": "e0/tx", "producer": "e0", "consumers": ["e1/rx"], "instances": 2, "kind": "data",
 "flow": "credits", "payload_bytes": 16384, "memory": "host", "given": true, "in_place": null},
{"name": "order", "producer": "e0", "consumers": ["e1"], "instances": 2, "kind": "control"}"#;
    let text = format!(
        r#"{{"plan": "1.0.0", "graph": "g", "streams": [{{"id": 0, "rank": 0, "device": "cpu"}}],
        "tasks": [{{"name": "e0", "stream": 0, "job": 0}}, {{"name": "e1", "stream": 0, "job": 0}}],
        "variables": [], "registers": [{registers}]}}"#
    );
    std::fs::write(&plan, text).unwrap();
    let graph = format!(
        "\
name: e0
components:
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 400}}}}
- {{name: tx, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: tx}}}}
- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: 2, block_size: 16384, num_blocks: 9}}}}
- {{type: gxe::test::Fill, parameters: {{output: tx, pool: pool}}}}
---
name: e1
components:
- {{name: rx, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: rx}}}}
- {{type: gxe::test::Check, parameters: {{input: rx, changes: 0}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: e0/tx, target: rx}}}}
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: gxe::ActorScheduler, parameters: {{clock: clock, register_num: 2, plan: {}}}}}
",
        plan.display()
    );
    let mut random = Random(20_261_128);
    for round in 0..60 {
        let context = actor_context();
        context.load_app_text("graph", &graph, &[]).unwrap();
        context.activate().unwrap();
        context.run_async().unwrap();
        for _ in 0..100 {
            context.pause().unwrap();
            // Refused once the run has ended.
            for _ in 0..=random.below(5) {
                _ = context.step();
            }
            context.resume().unwrap();
            // A run that is paused all the time does not find its end.
            std::thread::sleep(Duration::from_micros(random.below(200)));
        }
        context.wait().unwrap();
        let report = context.run_report();
        let ticks: Vec<u64> = report.entities.iter().map(|entity| entity.ticks).collect();
        assert_eq!(ticks, [400, 400], "round {round}");
        context.deactivate().unwrap();
    }
}

/// Notes that it runs.
struct Noted(Environment);

static RAN: AtomicBool = AtomicBool::new(false);

impl Engine for Noted {
    fn environment(&self) -> &Environment {
        &self.0
    }

    fn thread_name(&self) -> String {
        "noted".to_owned()
    }

    fn run(&self) -> Result<End> {
        RAN.store(true, Ordering::Relaxed);
        Ok(End::Finished)
    }
}

/// From now on there is no room for the stack of another thread.
fn take_room_for_threads() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:")).unwrap();
    let kilobytes: u64 = size.trim().strip_suffix(" kB").unwrap().parse().unwrap();
    let current = Some((kilobytes + 1024) << 10);
    setrlimit(Resource::As, Rlimit { current, ..getrlimit(Resource::As) }).unwrap();
    // The system keeps some stacks of threads that have ended.
    while std::thread::Builder::new().spawn(std::thread::park).is_ok() {}
}

#[test]
fn a_run_whose_thread_cannot_be_started_does_not_run_on_another_one() {
    const CHILD: &str = "GXE_TEST_WITHOUT_THREADS";
    if std::env::var_os(CHILD).is_none() {
        let name =
            "lifecycle_races::a_run_whose_thread_cannot_be_started_does_not_run_on_another_one";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let ended = child.args(["--exact", name]).env(CHILD, "1").output().unwrap();
        let said = String::from_utf8_lossy(&ended.stdout);
        assert!(ended.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let context = graph_on(|_, environment| Ok(Arc::new(Noted(environment))));
    let limit = getrlimit(Resource::As);
    take_room_for_threads();
    let error = context.run_async().unwrap_err();
    setrlimit(Resource::As, limit).unwrap();
    assert!(error.to_string().contains("the scheduler's thread cannot be started"), "{error:?}");
    assert!(!RAN.load(Ordering::Relaxed));
    // The graph can be activated and run again.
    context.activate().unwrap();
    context.run().unwrap();
    assert!(RAN.load(Ordering::Relaxed));
}

#[test]
fn an_entity_that_leaves_and_is_destroyed_at_once_is_deinitialised_once() {
    let _alone = alone();
    let context = context();
    let text = LONG_TICK.to_owned() + COUNTER + &scheduler("nvidia::gxf::GreedyScheduler");
    let text = text.replace("{clock: clock}", "{clock: clock, stop_on_deadlock: false}");
    context.load_app_text("graph", &text, &[]).unwrap();
    context.activate().unwrap();
    context.run_async().unwrap();
    eventually("the entity ticks", || context.status().entities[0].state == "ticking");
    let eid = context.find_entity("e0").unwrap();
    let results = std::thread::scope(|scope| {
        let left = scope.spawn(|| context.deactivate_entity(eid));
        std::thread::sleep(Duration::from_millis(50));
        let destroyed = context.destroy_entity(eid);
        [left.join().unwrap(), destroyed]
    });
    let codes = results.map(|result| result.err().map(|error| error.code()));
    let counted = codes.iter().filter(|code| **code == Some(ResultCode::FAILURE)).count();
    assert_eq!(counted, 1, "{codes:?}");
    if codes[1] == Some(ResultCode::INVALID_LIFECYCLE_STAGE) {
        context.destroy_entity(eid).unwrap();
    }
    assert!(context.find_entity("e0").is_err());
    context.interrupt().unwrap();
    context.wait().unwrap();
    context.deactivate().unwrap();
}

#[test]
fn the_end_deinitialises_an_entity_that_was_activated_alone() {
    let context = context();
    let text = format!("name: alone\ncomponents:\n{COUNTER}");
    context.load_app_text("graph", &text, &[]).unwrap();
    context.activate_entity(context.find_entity("alone").unwrap()).unwrap();
    assert_eq!(context.end().unwrap_err().code(), ResultCode::FAILURE);
    context.end().unwrap();
}
