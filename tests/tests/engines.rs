//! What every engine must do, run on all of them: the built-in ones, and the smallest one
//! (`src/round_robin.rs`), which this program adds.

use gxe_tests::build::library;
use gxe_tests::differential::engine::{self, Scheduler, actor_context};
use gxe_tests::differential::{Call, End, Run};
use gxe_tests::{Gxe, PATIENCE};
use gxf_runtime::{Context, Epoch, GraphStage, ResultCode};
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Every engine on this clock.
fn engines(clock: &str, parameters: &str) -> Vec<Scheduler> {
    let mut engines = vec![
        Scheduler::new("GreedyScheduler", clock, parameters),
        Scheduler::new("RoundRobin", clock, parameters),
    ];
    for kind in ["MultiThreadScheduler", "EventBasedScheduler"] {
        engines.extend([1, 2, 8].map(|workers| {
            Scheduler::new(kind, clock, &format!("{parameters}, worker_thread_number: {workers}"))
        }));
    }
    engines.extend([1, 2, 8].map(|threads| {
        Scheduler::new("ActorScheduler", clock, &format!("{parameters}, threads: {threads}"))
    }));
    engines.extend([1, 2].map(|workers| Scheduler::planned(workers, clock, parameters)));
    engines.push(Scheduler::planned_apart(2, clock, parameters));
    // The program ends its time.
    if parameters.is_empty() {
        engines.push(Scheduler::new("EpochScheduler", clock, ""));
    }
    engines
}

/// An entity that publishes in each tick, if it has somewhere to, and takes what came.
fn entity(number: usize, receives: bool, sends: bool, terms: &str, more: &str) -> String {
    let receiver = "- {name: rx, type: 'nvidia::gxf::DoubleBufferReceiver', \
                    parameters: {capacity: 4}}\n\
                    - {type: 'nvidia::gxf::MessageAvailableSchedulingTerm', \
                    parameters: {receiver: rx}}\n";
    let transmitter = "- {name: tx, type: 'nvidia::gxf::DoubleBufferTransmitter'}\n\
                       - {type: 'nvidia::gxf::DownstreamReceptiveSchedulingTerm', \
                       parameters: {transmitter: tx}}\n";
    format!(
        "---\nname: e{number}\ncomponents:\n{}{}{terms}\
         - {{name: actor, type: 'gxe::test::Actor', parameters: {{receivers: [{}], \
         transmitters: [{}], first_numbers: [{}], take: 1, publishing: Number, \
         publish: {}, publish_at_start: 0{more}}}}}\n",
        if receives { receiver } else { "" },
        if sends { transmitter } else { "" },
        if receives { "rx" } else { "" },
        if sends { "tx" } else { "" },
        if sends { "100" } else { "" },
        u32::from(sends),
    )
}

fn count(count: u32) -> String {
    format!("- {{type: 'nvidia::gxf::CountSchedulingTerm', parameters: {{count: {count}}}}}\n")
}

fn periodic(period: &str) -> String {
    format!(
        "- {{type: 'nvidia::gxf::PeriodicSchedulingTerm', parameters: {{recess_period: {period}}}}}\n"
    )
}

fn connection(source: &str, target: &str) -> String {
    format!(
        "---\nname: c_{}\ncomponents:\n- {{type: 'nvidia::gxf::Connection', \
         parameters: {{source: {source}, target: {target}}}}}\n",
        source.replace('/', "_"),
    )
}

/// A source, and two entities behind it.
fn chain(source: &str) -> String {
    entity(0, false, true, source, "")
        + &entity(1, true, true, "", "")
        + &entity(2, true, false, "", "")
        + &connection("e0/tx", "e1/rx")
        + &connection("e1/tx", "e2/rx")
}

fn numbers(run: &Run, entity: usize) -> Vec<u64> {
    run.ticks(entity).into_iter().flatten().flatten().map(|message| message.number).collect()
}

/// A graph that runs, and its end.
struct Running {
    context: Context,
    name: String,
    _alone: MutexGuard<'static, ()>,
}

impl Running {
    fn start(graph: &str, scheduler: &Scheduler) -> Self {
        let alone = engine::alone();
        let context = actor_context();
        context.load_extension(&library("gxf_behavior_tree")).unwrap();
        let text = graph.to_owned() + &scheduler.yaml;
        context.load_app_text("graph", &text, &[]).unwrap_or_else(|error| panic!("{error:?}"));
        context.activate().unwrap_or_else(|error| panic!("{error:?}"));
        context.run_async().unwrap_or_else(|error| panic!("{error:?}"));
        if context.has_epochs() {
            let driver = context.clone();
            std::thread::spawn(move || {
                while !matches!(
                    driver.run_epoch(Duration::from_micros(200)),
                    Ok(Epoch::Interrupted) | Err(_)
                ) {
                    std::thread::yield_now();
                }
            });
        }
        Self { context, name: scheduler.name.clone(), _alone: alone }
    }

    fn ticks(&self) -> Vec<u64> {
        self.context.run_report().entities.iter().map(|entity| entity.ticks).collect()
    }

    #[track_caller]
    fn eventually(&self, what: &str, is: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        while !is(self) {
            assert!(begin.elapsed() < PATIENCE, "{}: never: {what}; {:?}", self.name, self.ticks());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[track_caller]
    fn end(self) {
        self.context.interrupt().unwrap_or_else(|error| panic!("{}: {error:?}", self.name));
        self.context.wait().unwrap_or_else(|error| panic!("{}: {error:?}", self.name));
        self.context.deactivate().unwrap_or_else(|error| panic!("{}: {error:?}", self.name));
    }
}

#[test]
fn messages_arrive_in_order_and_a_run_ends_when_nothing_is_left() {
    for clock in ["ManualClock", "RealtimeClock"] {
        for engine in engines(clock, "") {
            let run = engine::run_yaml(&(chain(&count(50)) + &engine.yaml));
            // Those behind the source wait for a message that does not come.
            assert_eq!(run.end, End::Deadlock, "{}", engine.name);
            assert_eq!(numbers(&run, 1), (100..150).collect::<Vec<_>>(), "{}", engine.name);
            assert_eq!(numbers(&run, 2), (100..150).collect::<Vec<_>>(), "{}", engine.name);
            let run = engine::run_yaml(&(entity(0, false, false, &count(7), "") + &engine.yaml));
            assert_eq!((run.end, run.ticks(0).len()), (End::Finished, 7), "{}", engine.name);
        }
    }
}

#[test]
fn a_manual_clock_goes_from_one_time_to_the_next() {
    // The program that drives epochs in this test lets no time pass between them.
    for engine in engines("ManualClock", "").into_iter().filter(|engine| !engine.is_epochs()) {
        let terms = periodic("3600s") + &count(5);
        let run = engine::run_yaml(&(entity(0, false, false, &terms, "") + &engine.yaml));
        let times = run.events.iter().filter_map(|event| match &event.call {
            Call::Tick { now, .. } => Some(now / 3_600_000_000_000),
            _ => None,
        });
        assert_eq!(times.collect::<Vec<_>>(), [0, 1, 2, 3, 4], "{}", engine.name);
        assert_eq!(run.end, End::Finished, "{}", engine.name);
    }
}

#[test]
fn the_maximum_duration_ends_a_run() {
    for engine in engines("ManualClock", ", max_duration_ms: 95") {
        let graph = entity(0, false, false, &periodic("10ms"), "");
        let run = engine::run_yaml(&(graph + &engine.yaml));
        assert_eq!((run.end, run.ticks(0).len()), (End::Finished, 10), "{}", engine.name);
    }
}

#[test]
fn the_first_failure_ends_a_run() {
    for engine in engines("RealtimeClock", "") {
        let graph = entity(0, false, false, "", ", fail_at: 3, fail_code: 47")
            + &entity(1, false, false, &periodic("1ms"), "");
        let run = engine::run_yaml(&(graph + &engine.yaml));
        assert_eq!((run.end, run.ticks(0).len()), (End::Failed(47), 3), "{}", engine.name);
    }
}

#[test]
fn an_event_of_another_thread_wakes_an_entity() {
    // Each tick waits for an event that a thread of the entity sends.
    for engine in engines("RealtimeClock", "") {
        let term = "- {name: event, type: 'nvidia::gxf::AsynchronousSchedulingTerm'}\n";
        let graph = entity(0, false, false, &(term.to_owned() + &count(40)), ", awaits: event");
        let run = engine::run_yaml(&(graph + &engine.yaml));
        assert_eq!((run.end, run.ticks(0).len()), (End::Finished, 40), "{}", engine.name);
    }
}

#[test]
fn an_interrupt_ends_a_run_that_is_busy_and_one_that_sleeps() {
    for graph in [chain(""), chain(&periodic("3600s"))] {
        for engine in engines("RealtimeClock", "") {
            let running = Running::start(&graph, &engine);
            running.eventually("the source ticks", |running| running.ticks()[0] > 0);
            running.end();
        }
    }
}

#[test]
fn a_pause_holds_everything_and_a_step_executes_one_entity() {
    for engine in engines("RealtimeClock", "") {
        let running = Running::start(&chain(&periodic("1ms")), &engine);
        let context = &running.context;
        running.eventually("messages arrive", |running| running.ticks()[2] > 2);
        assert_eq!(
            context.step().unwrap_err().code(),
            ResultCode::INVALID_EXECUTION_SEQUENCE,
            "a step needs a pause",
        );
        context.pause().unwrap();
        assert_eq!(context.status().state, GraphStage::Paused);
        running.eventually("everything stands still", |running| {
            let before = running.ticks();
            std::thread::sleep(Duration::from_millis(30));
            running.ticks() == before
        });
        // Each step is one tick of one entity; all three have their turn.
        let mut stepped = std::collections::BTreeSet::new();
        let begin = Instant::now();
        while stepped.len() < 3 {
            assert!(begin.elapsed() < PATIENCE, "{}: only {stepped:?}", engine.name);
            let before: u64 = running.ticks().iter().sum();
            let step = context.step().unwrap();
            let after: u64 = running.ticks().iter().sum();
            assert_eq!(after - before, u64::from(step.is_some()), "{}", engine.name);
            stepped.extend(step);
        }
        let before = running.ticks();
        context.resume().unwrap();
        running.eventually("all go on", |running| {
            running.ticks().iter().zip(&before).all(|(now, before)| now > before)
        });
        running.end();
    }
}

/// The others wait for messages that never come.
#[test]
fn a_run_that_was_paused_ends_in_its_deadlock() {
    for engine in engines("RealtimeClock", "") {
        let terms = periodic("1ms") + &count(60);
        let running = Running::start(&chain(&terms), &engine);
        running.eventually("messages arrive", |running| running.ticks()[2] > 2);
        running.context.pause().unwrap();
        running.context.resume().unwrap();
        if running.context.has_epochs() {
            running.end();
            continue;
        }
        let (over, is_over) = std::sync::mpsc::channel();
        let context = running.context.clone();
        std::thread::spawn(move || over.send(context.wait()));
        let ended = is_over.recv_timeout(PATIENCE);
        ended.unwrap_or_else(|error| panic!("{}: {error}", engine.name)).unwrap();
        assert_eq!(running.ticks(), [60, 60, 60], "{}", engine.name);
        running.context.deactivate().unwrap();
    }
}

/// A step takes what is on its way to other threads, which still have to hear of it.
#[test]
fn a_run_of_pauses_and_steps_loses_no_message() {
    for engine in engines("RealtimeClock", "") {
        let running = Running::start(&chain(&count(20_000)), &engine);
        if running.context.has_epochs() {
            running.end();
            continue;
        }
        let (over, is_over) = std::sync::mpsc::channel();
        let context = running.context.clone();
        std::thread::spawn(move || over.send(context.wait()));
        let begin = Instant::now();
        let ended = loop {
            if let Ok(ended) = is_over.try_recv() {
                break ended;
            }
            assert!(begin.elapsed() < PATIENCE, "{}: {:?}", engine.name, running.ticks());
            // All are refused once the run is over.
            if running.context.pause().is_ok() {
                let steps = [0; 3].map(|_| running.context.step());
                let _ = running.context.resume();
                // Its threads find the deadlock at the end while nothing pauses them.
                if steps.iter().all(|step| matches!(step, Ok(None))) {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        };
        ended.unwrap_or_else(|error| panic!("{}: {error}", engine.name));
        assert_eq!(running.ticks(), [20_000; 3], "{}", engine.name);
        running.context.deactivate().unwrap();
    }
}

/// The last one stops first, while the first one takes its time.
#[test]
fn a_step_starts_nothing_that_the_end_of_the_run_has_stopped() {
    for engine in engines("RealtimeClock", ", max_duration_ms: 300") {
        let graph = entity(0, false, false, &periodic("1ms"), ", stop_takes: 300")
            + &entity(1, false, false, &periodic("1ms"), "");
        let running = Running::start(&graph, &engine);
        let state = |running: &Running| running.context.status().entities[1].state.clone();
        running.eventually("the run ends", |running| state(running) == "stopped");
        if running.context.pause().is_ok() {
            while running.context.step().is_ok_and(|stepped| stepped.is_some()) {}
        }
        running.context.wait().unwrap();
        assert_eq!(state(&running), "stopped", "{}", engine.name);
        running.context.deactivate().unwrap();
    }
}

/// The second entity is ready twenty times as often as the first, whose acts it waits for.
#[test]
fn a_step_keeps_to_the_control_registers_of_a_plan() {
    let plan = r#"{"plan": "1.0.0", "streams": [{"id": 0}, {"id": 1}],
        "tasks": [{"name": "e0", "stream": 0}, {"name": "e1", "stream": 1}],
        "registers": [{"name": "order", "producer": "e0", "consumers": ["e1"], "instances": 1,
            "kind": "control"}]}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plan.json");
    std::fs::write(&file, plan).expect("a plan");
    let parameters = format!(", plan: {}", file.display());
    let engine = Scheduler::new("ActorScheduler", "RealtimeClock", &parameters);
    let graph = entity(0, false, false, &periodic("20ms"), "")
        + &entity(1, false, false, &periodic("1ms"), "");
    let running = Running::start(&graph, &engine);
    let context = &running.context;
    running.eventually("both act", |running| running.ticks()[1] > 2);
    context.pause().unwrap();
    running.eventually("everything stands still", |running| {
        let before = running.ticks();
        std::thread::sleep(Duration::from_millis(30));
        running.ticks() == before
    });
    let before = running.ticks();
    running.eventually("steps", |running| {
        context.step().unwrap();
        let ticks = running.ticks();
        assert!((0..=1).contains(&(ticks[0] - ticks[1])), "{ticks:?}");
        ticks[1] > before[1] + 3
    });
    let before = running.ticks();
    context.resume().unwrap();
    running.eventually("both go on", |running| running.ticks()[1] > before[1] + 3);
    running.end();
}

#[test]
fn a_pause_holds_what_is_still_starting() {
    for engine in engines("RealtimeClock", "") {
        let graph = entity(0, false, false, &periodic("1ms"), ", start_takes: 200");
        let running = Running::start(&graph, &engine);
        let state = |running: &Running| running.context.status().entities[0].state.clone();
        running.eventually("the start begins", |running| state(running) != "not started");
        running.context.pause().unwrap();
        running.eventually("the start is over", |running| state(running) != "start pending");
        running.eventually("everything stands still", |running| {
            let before = running.ticks();
            std::thread::sleep(Duration::from_millis(30));
            running.ticks() == before
        });
        let before = running.ticks();
        running.context.resume().unwrap();
        running.eventually("it goes on", |running| running.ticks()[0] > before[0]);
        running.end();
    }
}

#[test]
fn a_step_leaves_entities_that_ended_alone_and_ends_a_run_that_it_fails_in() {
    for engine in engines("RealtimeClock", "") {
        let graph = entity(0, false, false, &count(2), "")
            + &entity(1, false, false, &periodic("3600s"), "")
            + &entity(2, false, false, &periodic("1ms"), ", fail_at: 300, fail_code: 47");
        let running = Running::start(&graph, &engine);
        running.eventually("the first entity ends", |running| running.ticks()[..2] == [2, 1]);
        running.eventually("it is stopped", |running| {
            running.context.status().entities[0].state == "stopped"
        });
        running.context.pause().unwrap();
        let failed = (0..).find_map(|_| {
            std::thread::sleep(Duration::from_micros(200));
            running.context.step().err()
        });
        assert_eq!(failed.unwrap().code(), ResultCode(47), "{}", engine.name);
        assert_eq!(running.ticks()[..2], [2, 1], "{}", engine.name);
        let ended = running.context.wait().unwrap_err();
        assert_eq!(ended.code(), ResultCode(47), "{}", engine.name);
        running.context.deactivate().unwrap();
    }
}

#[test]
fn an_entity_that_its_controller_ends_in_a_step_has_ended_for_the_engine_too() {
    let controller = "- {type: 'nvidia::gxf::EntityCountFailureRepeatController', \
                      parameters: {max_repeat_count: 5}}\n";
    for engine in engines("RealtimeClock", "") {
        let graph = entity(0, false, false, controller, ", start_takes: 200")
            + &entity(1, false, false, &periodic("1ms"), "");
        let running = Running::start(&graph, &engine);
        let context = &running.context;
        let state = |running: &Running| running.context.status().entities[0].state.clone();
        running.eventually("the start begins", |running| state(running) == "start pending");
        context.pause().unwrap();
        running.eventually("the start is over", |running| state(running) == "started");
        running.eventually("everything stands still", |running| {
            let before = running.ticks();
            std::thread::sleep(Duration::from_millis(30));
            running.ticks() == before
        });
        let begin = Instant::now();
        while running.ticks()[0] == 0 {
            assert!(begin.elapsed() < PATIENCE, "{}: no step", engine.name);
            let before: u64 = running.ticks().iter().sum();
            let step = context.step().unwrap();
            let after: u64 = running.ticks().iter().sum();
            assert!(after - before <= u64::from(step.is_some()), "{}: {step:?}", engine.name);
        }
        let before = running.ticks();
        context.resume().unwrap();
        running.eventually("the other goes on", |it| it.ticks()[1] > before[1] + 20);
        assert_eq!(running.ticks()[0], 1, "{}", engine.name);
        running.end();
    }
}

#[test]
fn a_term_that_announces_nothing_is_asked_often_before_a_deadlock() {
    let term = "- {type: 'gxe::test::PolledDelay', parameters: {delay: 1000000}}\n";
    let graph = entity(0, false, false, &(term.to_owned() + &count(20)), "");
    let times = ", stop_on_deadlock_timeout: 2000, max_duration_ms: 6000";
    let engine = Scheduler::new("GreedyScheduler", "RealtimeClock", times);
    let run = engine::run_yaml(&(graph + &engine.yaml));
    assert_eq!((run.end, run.ticks(0).len()), (End::Finished, 20));
}

#[test]
fn a_strictly_pinned_entity_ticks_while_another_tick_takes_long() {
    let entity = |name: &str, period: &str, count: u32, more: &str, parameters: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n\
             - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}\n\
             - {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: {period}}}}}\n\
             {more}- {{name: {name}, type: gxe::test::Probe, parameters: {{{parameters}}}}}\n"
        )
    };
    let pinned = "- {type: nvidia::gxf::CPUThread, parameters: {pin_entity: true}}\n";
    // The ticks of the pinned entity are long enough for the other worker to take over the watch, and the
    // tick of the slow one begins while the pinned one waits for its time.
    let pinned = pinned.to_owned()
        + "- {name: tx, type: nvidia::gxf::DoubleBufferTransmitter}\n\
           - {type: nvidia::gxf::test::MockCodelet, parameters: {transmitter: tx, mode: SRC, \
           duration_lower_ms: 3, duration_upper_ms: 3, clock: scheduler/clock}}\n";
    let entities = entity("slow", "49ms", 3, "", "await_at_tick: 3, awaited_ticks: 10")
        + &entity("fast", "10ms", 50, &pinned, "");
    for scheduler in ["EventBasedScheduler", "MultiThreadScheduler"] {
        let strict = match scheduler {
            "MultiThreadScheduler" => ", strict_job_thread_pinning: true",
            _ => "",
        };
        let ended = Gxe::app(&format!(
            "{entities}---\nname: pools\ncomponents:\n\
             - {{name: pool, type: nvidia::gxf::ThreadPool, parameters: {{initial_size: 1}}}}\n\
             ---\nname: scheduler\ncomponents:\n\
             - {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
             - {{type: nvidia::gxf::{scheduler}, parameters: {{clock: clock{strict}}}}}\n\
             ---\nEntityGroups:\n- {{name: group, target: [fast, pools]}}\n"
        ));
        let ended = ended.run().clean();
        assert_eq!(ended.probe("fast").len(), 54, "{scheduler}");
    }
}

#[test]
fn entities_join_and_leave_a_run() {
    for engine in engines("RealtimeClock", "") {
        let running = Running::start(&chain(&periodic("1ms")), &engine);
        let context = &running.context;
        for round in 0..5 {
            let guest = entity(9, false, false, &periodic("1ms"), "").replace("e9", "guest");
            context.load_app_text("guest", &guest, &[]).unwrap();
            let eid = context.find_entity("guest").unwrap();
            context.activate_entity(eid).unwrap();
            running.eventually("the guest ticks", |running| running.ticks()[3] > 0);
            context.destroy_entity(eid).unwrap();
            assert_eq!(running.ticks().len(), 3, "{}, round {round}", engine.name);
        }
        let before = running.ticks();
        running.eventually("the others go on", |running| running.ticks()[2] > before[2]);
        running.end();
    }
}

#[test]
fn a_graph_runs_again() {
    for engine in engines("ManualClock", "").into_iter().filter(|engine| !engine.is_epochs()) {
        let _alone = engine::alone();
        let context = actor_context();
        let text = chain(&count(5)) + &engine.yaml;
        context.load_app_text("graph", &text, &[]).unwrap();
        for _ in 0..3 {
            context.activate().unwrap();
            context.run().unwrap();
            let ticks = context.run_report().entities.into_iter().map(|entity| entity.ticks);
            assert_eq!(ticks.collect::<Vec<_>>(), [5, 5, 5], "{}", engine.name);
            context.deactivate().unwrap();
        }
    }
}

#[test]
fn every_thread_of_an_engine_has_a_row_in_the_status() {
    for engine in engines("RealtimeClock", "") {
        let running = Running::start(&chain(&periodic("1ms")), &engine);
        let rows = running.context.status().threads;
        assert_eq!(rows.len(), engine.threads(), "{}: {rows:?}", engine.name);
        assert!(rows.iter().all(|row| !row.name.is_empty() && !row.values.is_empty()));
        let context = running.context.clone();
        running.end();
        assert!(context.status().threads.is_empty(), "{}", engine.name);
    }
}

#[test]
fn deactivation_ends_a_run_from_another_thread() {
    for engine in engines("RealtimeClock", "") {
        let running = Running::start(&chain(""), &engine);
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let _ = running.context.wait();
                is_over.store(true, Ordering::Relaxed);
            });
            running.eventually("the source ticks", |running| running.ticks()[0] > 0);
            running.context.deactivate().unwrap();
        });
        assert!(is_over.load(Ordering::Relaxed));
    }
}

/// A graph of two groups with thread pools, and an entity of neither; each names the thread of its
/// ticks.
fn pools(parameters: &str, pool: &str) -> Gxe {
    let entity = |name: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n\
             - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 20}}}}\n\
             - {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 1ms}}}}\n\
             - {{name: {name}, type: gxe::test::Probe, parameters: {{log_thread: true}}}}\n"
        )
    };
    let entities = ["free", "video_1", "video_2", "video_3", "audio_1"].map(entity).concat();
    Gxe::app(&format!(
        "{entities}---\nname: pools\ncomponents:\n\
         - {{name: video, type: nvidia::gxf::ThreadPool, parameters: {{initial_size: 2{pool}}}}}\n\
         ---\nname: more\ncomponents:\n- {{name: audio, type: nvidia::gxf::ThreadPool}}\n\
         ---\nname: scheduler\ncomponents:\n\
         - {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
         - {{type: nvidia::gxf::{parameters}}}\n\
         ---\nEntityGroups:\n\
         - {{name: video_group, target: [pools, video_1, video_2, video_3]}}\n\
         - {{name: audio_group, target: [more, audio_1]}}\n"
    ))
}

#[test]
fn entities_of_a_group_run_on_the_threads_of_its_pool() {
    for kind in ["MultiThreadScheduler", "EventBasedScheduler"] {
        for (auto, workers) in [(false, 1), (false, 2), (true, 2)] {
            let parameters = format!(
                "{kind}, parameters: {{clock: clock, thread_pool_allocation_auto: {auto}, \
                 worker_thread_number: {workers}}}"
            );
            let ended = pools(&parameters, "").run().clean();
            for (entity, pool) in [
                ("free", "gxe-worker"),
                ("video_1", "video"),
                ("video_2", "video"),
                ("video_3", "video"),
                ("audio_1", "audio"),
            ] {
                let calls = ended.probe(entity);
                let threads = calls.iter().filter_map(|call| call.strip_prefix("tick on "));
                let threads: Vec<_> = threads.collect();
                assert_eq!(threads.len(), 20, "{parameters}: {calls:?}");
                let pool = if auto { "gxe-worker" } else { pool };
                let of_pool = |thread: &&str| {
                    let number = thread.strip_prefix(&format!("{pool}-"));
                    number.is_some_and(|number| number.parse::<u32>().is_ok())
                };
                assert!(threads.iter().all(of_pool), "{parameters}: {entity} on {threads:?}");
            }
        }
    }
}

/// The system may refuse it; then each thread says so.
#[test]
fn threads_of_a_pool_have_its_priority() {
    let scheduler =
        "MultiThreadScheduler, parameters: {clock: clock, thread_pool_allocation_auto: false}";
    let mut running = pools(scheduler, ", priority: 7")
        .args("--param video_1/nvidia::gxf::CountSchedulingTerm/count=-1")
        .spawn();
    running.wait_for("probe video_1 tick");
    // Priority and policy.
    let of = |pool: &str, stat: &str| {
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(") ")?;
        let fields: Vec<_> = rest.split(' ').collect();
        name.starts_with(pool).then(|| [fields[37].to_owned(), fields[38].to_owned()])
    };
    let path = format!("/proc/{}/task", running.pid());
    let begin = Instant::now();
    // A thread that begins has the name and the priority of the one that starts it.
    let (stats, video) = loop {
        let tasks = std::fs::read_dir(&path).expect("the threads");
        let stats: Vec<_> = tasks
            .filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("stat")).ok())
            .collect();
        let video: Vec<_> = stats.iter().filter_map(|stat| of("video-", stat)).collect();
        let has_all = video.len() == 2 && video.iter().all(|it| it[1] == "2");
        if has_all || begin.elapsed() > Duration::from_secs(2) {
            break (stats, video);
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    running.signal("INT");
    let ended = running.end();
    assert_eq!(video.len(), 2, "{stats:?}");
    let refused = ended.count("cannot be scheduled by RoundRobin(7)");
    // 2 is SCHED_RR.
    assert!(refused >= 2 || video.iter().all(|it| it == &["7", "2"]), "{video:?} {refused}");
    assert!(stats.iter().filter_map(|stat| of("gxe-worker", stat)).all(|it| it == ["0", "0"]));
}

#[test]
fn a_priority_that_is_none_is_refused_where_pools_are_used() {
    let scheduler = |auto: bool| {
        format!(
            "MultiThreadScheduler, parameters: {{clock: clock, thread_pool_allocation_auto: {auto}}}"
        )
    };
    let ended = pools(&scheduler(false), ", priority: 100").run();
    ended.complains("`priority` must be from 0 to 99, not 100");
    assert_eq!(ended.status, Some(5), "{}", ended.stderr);
    _ = pools(&scheduler(true), ", priority: 100").run().clean();
}
