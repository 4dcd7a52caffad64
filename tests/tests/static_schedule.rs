//! `gxe::StaticScheduler`: graphs that are compiled to a schedule and run by it.
//!
//! What every engine must do is in `engines.rs` and `differential.rs`.

use gxe_tests::differential::engine::{self, Scheduler, run_yaml};
use gxe_tests::differential::{Call, End, Run};
use gxe_tests::{Gxe, MANIFEST, eventually};
use gxf_runtime::ScheduleSwap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A compute graph, compiled; the path of its schedule in a folder that lives as long as the value.
struct Compiled {
    _folder: tempfile::TempDir,
    schedule: PathBuf,
}

impl Compiled {
    #[track_caller]
    fn new(graph: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let [file, schedule] = ["g.yaml", "g.stm"].map(|name| folder.path().join(name));
        std::fs::write(&file, graph).expect("room for a graph");
        let line = format!("stm compile -i {} -o {} -j 1", file.display(), schedule.display());
        _ = Gxe::in_folder(folder.path()).args(&line).run().with_status(0);
        Self { _folder: folder, schedule }
    }

    /// The static scheduler with this schedule.
    fn scheduler(&self, clock: &str, parameters: &str) -> Scheduler {
        let schedule = self.schedule.display();
        Scheduler {
            name: String::new(),
            yaml: format!(
                "---\nname: scheduler\ncomponents:\n\
                 - {{name: clock, type: 'nvidia::gxf::{clock}'}}\n\
                 - {{type: 'gxe::StaticScheduler', parameters: {{clock: clock, \
                 schedule: '{schedule}'{parameters}}}}}\n"
            ),
            schedule: None,
        }
    }

    fn run(&self, graph: &str, clock: &str, parameters: &str) -> Run {
        run_yaml(&(graph.to_owned() + &self.scheduler(clock, parameters).yaml))
    }
}

/// A graph with the given epochs, on two CPUs, with one client `c`.
fn compute_graph(period: &str, epochs: &str, runnables: &[(&str, &[&str])]) -> String {
    let mut text = format!(
        "Version: 2.0.0\ntests:\n  Resources: {{CPU: [CPU0, CPU1], GPU: [GPU0]}}\n  Hyperepochs:\n  \
         - h: {{{period}Epochs: [{epochs}]}}\n  Clients:\n  - c:\n      Resources: \
         {{CUDA_STREAM: [s: GPU0]}}\n      Epochs:\n"
    );
    for (epoch, runnables) in runnables {
        text += &format!("      - h.{epoch}:\n          Runnables:\n");
        for runnable in *runnables {
            text += &format!("          - {runnable}\n");
        }
    }
    text
}

/// An actor that is always ready.
fn actor(number: usize, terms: &str, parameters: &str) -> String {
    format!(
        "---\nname: e{number}\ncomponents:\n{terms}\
         - {{name: actor, type: 'gxe::test::Actor', parameters: {{{parameters}}}}}\n"
    )
}

fn count(count: u32) -> String {
    format!("- {{type: 'nvidia::gxf::CountSchedulingTerm', parameters: {{count: {count}}}}}\n")
}

/// The ticks in order: entity and milliseconds.
fn ticks(run: &Run) -> Vec<(usize, i64)> {
    let ticks = run.events.iter().filter_map(|event| match &event.call {
        Call::Tick { now, .. } => Some((event.entity, now / 1_000_000)),
        _ => None,
    });
    ticks.collect()
}

fn times(run: &Run, entity: usize) -> Vec<i64> {
    ticks(run).into_iter().filter(|(other, _)| *other == entity).map(|(_, time)| time).collect()
}

#[test]
fn workers_that_wait_for_each_other_in_every_frame_finish_in_the_planned_order() {
    // A chain that changes the CPU with every step.
    let graph = compute_graph(
        "",
        "e: {Frames: 3}",
        &[(
            "e",
            &[
                "e0: {WCET: 1ms, Resources: [CPU0]}",
                "e1: {WCET: 1ms, Resources: [CPU1], Dependencies: [c.e0]}",
                "e2: {WCET: 1ms, Resources: [CPU0], Dependencies: [c.e1]}",
                "e3: {WCET: 1ms, Resources: [CPU1], Dependencies: [c.e2]}",
            ],
        )],
    );
    let compiled = Compiled::new(&graph);
    let app: String = (0..4).map(|number| actor(number, &count(300), "")).collect();
    for clock in ["RealtimeClock", "ManualClock"] {
        let run = compiled.run(&app, clock, "");
        assert_eq!(run.end, End::Finished);
        let order: Vec<usize> = ticks(&run).into_iter().map(|(entity, _)| entity).collect();
        assert_eq!(order, (0..1200).map(|tick| tick % 4).collect::<Vec<_>>(), "{clock}");
    }
}

#[test]
fn frames_start_at_their_times_and_start_times_delay_executions() {
    let graph = compute_graph(
        "Period: 40ms, ",
        "fast: {Period: 10ms, Frames: 4}, slow: {}",
        &[
            (
                "fast",
                &[
                    "e0: {WCET: 1ms, Resources: [CPU]}",
                    "e1: {WCET: 1ms, StartTime: 5ms, Resources: [CPU], Dependencies: [c.e0]}",
                ],
            ),
            ("slow", &["e2: {WCET: 2ms, Resources: [CPU]}"]),
        ],
    );
    let app: String = (0..3).map(|number| actor(number, "", "")).collect();
    let run = Compiled::new(&graph).run(&app, "ManualClock", ", max_duration_ms: 100");
    assert_eq!(run.end, End::Finished);
    assert_eq!(times(&run, 0), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    // The last frame has begun, and ends.
    assert_eq!(times(&run, 1), [5, 15, 25, 35, 45, 55, 65, 75, 85, 95, 105]);
    assert_eq!(times(&run, 2), [0, 40, 80]);
}

#[test]
fn a_run_of_no_duration_has_no_frame() {
    let graph = compute_graph("", "e: {}", &[("e", &["e0: {WCET: 1ms, Resources: [CPU0]}"])]);
    let compiled = Compiled::new(&graph);
    for (clock, duration) in [("RealtimeClock", 0), ("ManualClock", 0), ("ManualClock", -1)] {
        let run = compiled.run(&actor(0, "", ""), clock, &format!(", max_duration_ms: {duration}"));
        assert_eq!((ticks(&run), run.end), (vec![], End::Finished), "{clock}");
    }
}

#[test]
fn frames_that_come_too_late_are_skipped_or_caught_up() {
    let graph = compute_graph(
        "Period: 40ms, ",
        "e: {Period: 10ms, Frames: 4}",
        &[("e", &["e0: {WCET: 1ms, Resources: [CPU0]}"])],
    );
    let compiled = Compiled::new(&graph);
    // Each tick takes 25 ms, and the last of a cycle reaches into the next one.
    let app = actor(0, &count(5), "clock: scheduler/clock, sleep: 25000000");
    let skipped = compiled.run(&app, "ManualClock", "");
    assert_eq!(times(&skipped, 0), [0, 30, 80, 110, 160]);
    let caught_up = compiled.run(&app, "ManualClock", ", on_overrun: catch_up");
    assert_eq!(times(&caught_up, 0), [0, 10, 20, 30, 40]);
}

/// The log, and the line of an epoch with which a run ends, count the same, each frame once.
#[test]
fn late_and_skipped_frames_are_counted_once_and_logged() {
    let epochs = [("", "e: {Period: 10ms}"), ("Period: 30ms, ", "e: {Period: 10ms, Frames: 3}")];
    for (period, epoch) in epochs {
        let graph = compute_graph(period, epoch, &[("e", &["e0: {WCET: 1ms, Resources: [CPU0]}"])]);
        let compiled = Compiled::new(&graph);
        // The first tick takes three frames and a half.
        let app = format!(
            "name: e0\ncomponents:\n{}- {{name: e0, type: gxe::test::Probe, parameters: {{clock: \
             scheduler/clock, first_sleep: 35000000}}}}\n",
            count(4)
        );
        let scheduler = compiled.scheduler("ManualClock", ", log: run.log").yaml;
        let gxe = Gxe::app(&(app + &scheduler)).env("GXF_LOG_LEVEL", "info");
        let folder = gxe.folder();
        let (ended, analyzed) = gxe.spawn().end_with(|| {
            let line = "stm analyze run.log --format json";
            Gxe::in_folder(&folder).args(line).run().with_status(0).stdout
        });
        let ended = ended.with_status(0);
        let found: serde_json::Value = serde_json::from_str(&analyzed).expect("JSON");
        let [frames, late, skipped] = ["frames", "late", "skipped"]
            .map(|key| found["schedules"][0]["epochs"][0][key].as_u64().expect(key));
        let line = format!("epoch `h.e`: frames: {frames}, late: {late}, skipped: {skipped}");
        assert_eq!(ended.count(&line), 1, "{line}: {}", ended.stdout);
        assert!(late == 1 && skipped >= 3, "{line}");
    }
}

/// A run of a probe every 10 ms: the log of the run, and what was reported.
fn logged_run(probe: &str, parameters: &str) -> (gxe_tests::Ended, String) {
    let graph =
        compute_graph("", "e: {Period: 10ms}", &[("e", &["e0: {WCET: 1ms, Resources: [CPU0]}"])]);
    let compiled = Compiled::new(&graph);
    let app = format!(
        "name: e0\ncomponents:\n- {{name: p, type: gxe::test::Probe, parameters: {{{probe}}}}}\n"
    );
    let scheduler = compiled.scheduler("ManualClock", &format!("{parameters}, log: run.log")).yaml;
    let gxe = Gxe::app(&(app + &scheduler)).env("GXF_LOG_LEVEL", "info");
    let log = gxe.folder().join("run.log");
    gxe.spawn().end_with(|| std::fs::read_to_string(log).expect("a log"))
}

/// The end of a run cancels the next frame, which has not begun.
#[test]
fn frames_that_never_ran_are_not_counted() {
    for (duration, frames) in [(25, 3), (0, 0), (9, 1)] {
        let (ended, log) = logged_run("", &format!(", max_duration_ms: {duration}"));
        let ended = ended.with_status(0);
        let ticks = ended.count("probe p tick");
        let logged = |kind| log.lines().filter(|line| line.starts_with(kind)).count();
        let counted = ended.count(&format!("epoch `h.e`: frames: {ticks}, late: 0"));
        // Without a duration, nothing begins that could be reported.
        let reported = usize::from(duration > 0);
        assert_eq!((logged("frame "), counted), (ticks, reported), "{duration}: {}", ended.stdout);
        assert!(ticks <= frames, "{ticks} in {duration} ms");
    }
}

#[test]
fn a_failure_in_stop_fails_a_run_by_a_schedule() {
    let (ended, _) = logged_run("fail_in: stop", ", max_duration_ms: 25");
    ended.with_status(5).complains("stop failed with GXF_OUT_OF_MEMORY");
}

#[test]
fn a_clock_that_jumps_skips_whole_cycles() {
    let graph = compute_graph(
        "",
        "e: {Period: 10ms}",
        &[("e", &["e0: {WCET: 1ms, Resources: [CPU0]}", "e1: {WCET: 1ms, Resources: [CPU1]}"])],
    );
    let app = actor(0, &count(4), "clock: scheduler/clock, sleep: 3600000000000")
        + &actor(1, &count(4), "");
    let run = Compiled::new(&graph).run(&app, "ManualClock", "");
    let hour = 3_600_000;
    assert_eq!(times(&run, 0), [0, hour, 2 * hour, 3 * hour]);
    assert_eq!(times(&run, 1), [0, hour, 2 * hour, 3 * hour]);
}

/// The latest frame is more than 292 years, the longest time there is, away.
#[test]
fn a_frame_beyond_all_times_does_not_come() {
    let folder = tempfile::tempdir().expect("a folder");
    let schedule = folder.path().join("g.stm");
    let execution = "{Runnable: c.e0, Epoch: e, Release: 0ns, Start: 0ns, End: 1ms, Frame:";
    let text = format!(
        "Schedule: 1.0.0\nGraph: g\nIdentifier: 1\nHyperepochs:\n- h:\n    Resources: [CPU0]\n    \
         Epochs:\n    - e: {{Period: 86400s, Frames: 200000}}\n    Cycles:\n    - Lanes:\n      - CPU0:\n        \
         - {execution} 0}}\n        - {execution} 199999}}\n"
    );
    std::fs::write(&schedule, text).expect("a schedule");
    let compiled = Compiled { _folder: folder, schedule };
    let run = compiled.run(&actor(0, "", ""), "ManualClock", ", max_duration_ms: 10");
    assert_eq!((run.end, run.ticks(0).len()), (End::Finished, 1));
}

/// Whoever executes it in the next frame knows that it is over.
#[test]
fn an_entity_that_ends_on_one_cpu_does_not_start_anew_on_another_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let schedule = folder.path().join("g.stm");
    let execution = |runnable, frame| {
        format!(
            "        - {{Runnable: c.{runnable}, Epoch: e, Release: 0ns, Start: 0ns, End: 1ms, Frame: {frame}}}\n"
        )
    };
    let text = format!(
        "Schedule: 1.0.0\nGraph: g\nIdentifier: 1\nHyperepochs:\n- h:\n    Resources: [CPU0, CPU1]\n    \
         Epochs:\n    - e: {{Frames: 2}}\n    Cycles:\n    - Lanes:\n      - CPU0:\n{}{}      - CPU1:\n{}{}",
        execution("e0", 0),
        execution("e1", 1),
        execution("e1", 0),
        execution("e0", 1)
    );
    std::fs::write(&schedule, text).expect("a schedule");
    let compiled = Compiled { _folder: folder, schedule };
    let app = actor(0, &count(3), "") + &actor(1, &count(20), "");
    for clock in ["RealtimeClock", "ManualClock"] {
        let run = compiled.run(&app, clock, "");
        let starts = |entity| {
            let own = run.events.iter().filter(|event| event.entity == entity);
            own.filter(|event| matches!(event.call, Call::Start { .. })).count()
        };
        assert_eq!([run.ticks(0).len(), run.ticks(1).len()], [3, 20], "{clock}");
        assert_eq!(([starts(0), starts(1)], run.end), ([1, 1], End::Finished), "{clock}");
    }
}

#[test]
fn alias_groups_take_turns_from_frame_to_frame() {
    let graph = compute_graph(
        "Period: 30ms, ",
        "e: {Period: 10ms, Frames: 3, AliasGroups: [turns: {Steps: [c.e0, c.e1]}]}",
        &[(
            "e",
            &[
                "e0: {WCET: 1ms, Resources: [CPU0]}",
                "e1: {WCET: 1ms, Resources: [CPU0]}",
                "e2: {WCET: 1ms, Resources: [CPU1], Dependencies: [c.e0, c.e1]}",
            ],
        )],
    );
    let app: String = (0..3).map(|number| actor(number, "", "")).collect();
    let run = Compiled::new(&graph).run(&app, "ManualClock", ", max_duration_ms: 95");
    assert_eq!(times(&run, 0), [0, 20, 40, 60, 80]);
    assert_eq!(times(&run, 1), [10, 30, 50, 70, 90]);
    assert_eq!(times(&run, 2).len(), 10);
}

/// The schedule has a cycle for each of them, and the one that is not ready has the first.
#[test]
fn an_entity_that_waits_for_the_next_one_of_its_alias_group_is_no_deadlock() {
    let message = "- {name: rx, type: 'nvidia::gxf::DoubleBufferReceiver'}\n\
                   - {type: 'nvidia::gxf::MessageAvailableSchedulingTerm', parameters: {receiver: rx}}\n";
    let sends = count(3) + "- {name: tx, type: 'nvidia::gxf::DoubleBufferTransmitter'}\n";
    let app = actor(0, message, "receivers: [rx]")
        + &actor(1, &sends, "transmitters: [tx], first_numbers: [0]")
        + "---\nname: connections\ncomponents:\n- {type: 'nvidia::gxf::Connection', parameters: \
           {source: e1/tx, target: e0/rx}}\n";
    let other = "h2: {Resources: [CPU1], Period: 10ms, Epochs: [f: {}]}";
    for (period, hyperepochs) in [("Period: 10ms, ", ""), ("", ""), ("Period: 10ms, ", other)] {
        let turns = "AliasGroups: [turns: {Steps: [c.e0, c.e1]}]";
        let mut graph = compute_graph(
            "Resources: [CPU0], ",
            &format!("e: {{{period}{turns}}}"),
            &[("e", &["e0: {WCET: 1ms, Resources: [CPU0]}", "e1: {WCET: 1ms, Resources: [CPU0]}"])],
        );
        if !hyperepochs.is_empty() {
            graph = graph.replace("  Clients:", &format!("  - {hyperepochs}\n  Clients:"));
        }
        let compiled =
            Compiled::new(&graph.replace("      Resources: {CUDA_STREAM: [s: GPU0]}\n", ""));
        for clock in ["RealtimeClock", "ManualClock"] {
            let run = compiled.run(&app, clock, "");
            let counts = [0, 1].map(|entity| times(&run, entity).len());
            assert_eq!(
                (counts, &run.end),
                ([3, 3], &End::Deadlock),
                "{clock}, {period}{hyperepochs}"
            );
        }
    }
}

#[test]
fn hyperepochs_are_independent() {
    let graph = "Version: 2.0.0\ntests:\n  Resources: {CPU: [CPU0, CPU1]}\n  Hyperepochs:\n  \
                 - late: {Resources: [CPU0], Epochs: [e: {Period: 10ms}]}\n  \
                 - punctual: {Resources: [CPU1], Epochs: [e: {Period: 10ms}]}\n  Clients:\n  - c:\n      \
                 Epochs:\n      - late.e: {Runnables: [e0: {WCET: 1ms, Resources: [CPU]}]}\n      \
                 - punctual.e: {Runnables: [e1: {WCET: 1ms, Resources: [CPU]}]}\n";
    let compiled = Compiled::new(graph);
    let app = actor(0, &count(1), "fail_at: 2") + &actor(1, &count(30), "");
    let run = compiled.run(&app, "ManualClock", "");
    assert_eq!((times(&run, 0), times(&run, 1).len()), (vec![0], 30));
    assert_eq!(run.end, End::Finished);
}

/// One that has no period sleeps when nothing of it is ready, until another one has executed something.
#[test]
fn a_hyperepoch_that_sleeps_wakes_for_the_messages_of_another_one() {
    let graph = "Version: 2.0.0\ntests:\n  Resources: {CPU: [CPU0, CPU1]}\n  Hyperepochs:\n  \
                 - sends: {Resources: [CPU0], Epochs: [e: {}]}\n  \
                 - takes: {Resources: [CPU1], Epochs: [e: {}]}\n  Clients:\n  - c:\n      \
                 Epochs:\n      - sends.e: {Runnables: [e0: {WCET: 1ms, Resources: [CPU]}]}\n      \
                 - takes.e: {Runnables: [e1: {WCET: 1ms, Resources: [CPU]}]}\n";
    let period = "- {type: 'nvidia::gxf::PeriodicSchedulingTerm', parameters: {recess_period: 20ms}}\n\
         - {name: tx, type: 'nvidia::gxf::DoubleBufferTransmitter'}\n";
    let message = "- {name: rx, type: 'nvidia::gxf::DoubleBufferReceiver', parameters: {capacity: 5}}\n\
                   - {type: 'nvidia::gxf::MessageAvailableSchedulingTerm', parameters: {receiver: rx}}\n";
    let app = actor(0, &(period.to_owned() + &count(5)), "transmitters: [tx], first_numbers: [0]")
        + &actor(1, message, "receivers: [rx]")
        + "---\nname: connections\ncomponents:\n- {type: 'nvidia::gxf::Connection', parameters: \
           {source: e0/tx, target: e1/rx}}\n";
    let compiled = Compiled::new(graph);
    for clock in ["RealtimeClock", "ManualClock"] {
        let run = compiled.run(&app, clock, "");
        let counts = [0, 1].map(|entity| times(&run, entity).len());
        assert_eq!((counts, &run.end), ([5, 5], &End::Deadlock), "{clock}");
    }
}

#[test]
fn an_entity_that_is_not_ready_in_its_place_is_passed_over() {
    let graph = compute_graph(
        "",
        "e: {Period: 10ms}",
        &[(
            "e",
            &[
                "e0: {WCET: 1ms, Resources: [CPU0]}",
                "e1: {WCET: 1ms, Resources: [CPU1], Dependencies: [c.e0]}",
            ],
        )],
    );
    let third =
        "- {type: 'nvidia::gxf::PeriodicSchedulingTerm', parameters: {recess_period: 30ms}}\n";
    let app = actor(0, third, "") + &actor(1, "", "");
    let run = Compiled::new(&graph).run(&app, "ManualClock", ", max_duration_ms: 95");
    assert_eq!(times(&run, 0), [0, 30, 60, 90]);
    assert_eq!(times(&run, 1).len(), 10);
}

/// The entity is asked before the event that makes it ready, and the cycle goes on behind that.
#[test]
fn an_event_within_a_quiet_cycle_is_no_deadlock() {
    let graph = compute_graph(
        "",
        "e: {Period: 40ms}",
        &[(
            "e",
            &[
                "e0: {WCET: 1ms, Resources: [CPU0]}",
                "e1: {WCET: 1ms, StartTime: 30ms, Resources: [CPU0], Dependencies: [c.e0]}",
            ],
        )],
    );
    let promise = "- {type: 'gxe::test::Promise', parameters: {takes: 5}}\n".to_owned();
    let message = "- {name: rx, type: 'nvidia::gxf::DoubleBufferReceiver'}\n\
                   - {type: 'nvidia::gxf::MessageAvailableSchedulingTerm', parameters: {receiver: rx}}\n";
    let app = actor(0, &(promise + &count(1)), "") + &actor(1, message, "");
    let run = Compiled::new(&graph).run(&app, "RealtimeClock", "");
    // The message for the second one never comes.
    assert_eq!((times(&run, 0).len(), run.end), (1, End::Deadlock));
}

#[test]
fn a_run_repeats_its_order_and_times_whatever_executions_take() {
    let graph = compute_graph(
        "Period: 40ms, ",
        "fast: {Period: 10ms, Frames: 4}, slow: {Period: 20ms, Frames: 2}",
        &[
            (
                "fast",
                &[
                    "e0: {WCET: 2ms, Resources: [CPU]}",
                    "e1: {WCET: 1ms, Resources: [CPU], Dependencies: [c.e0]}",
                    "e2: {WCET: 1ms, Resources: [CPU], Dependencies: [c.e0]}",
                    "e3: {WCET: 1ms, Resources: [CPU], Dependencies: [c.e1, c.e2]}",
                ],
            ),
            (
                "slow",
                &[
                    "e4: {WCET: 5ms, Resources: [CPU]}",
                    "e5: {WCET: 1ms, Resources: [CPU], Dependencies: [c.e4]}",
                ],
            ),
        ],
    );
    let compiled = Compiled::new(&graph);
    // Ten cycles.
    let frames = |number: usize| if number < 4 { 40 } else { 20 };
    let app = |sleeps: [u32; 6]| -> String {
        let one = |(number, sleep): (usize, u32)| {
            let more = match sleep {
                0 => String::new(),
                sleep => format!("clock: scheduler/clock, sleep: {sleep}"),
            };
            actor(number, &count(frames(number)), &more)
        };
        sleeps.into_iter().enumerate().map(one).collect()
    };
    let dependencies = [(0, 1), (0, 2), (1, 3), (2, 3), (4, 5)];
    let mut first = None;
    let slow = [0, 900_000, 30_000, 0, 4_000_000, 0];
    let late = [3_000_000, 0, 0, 2_000_000, 0, 9_000_000];
    for (clock, sleeps) in [
        ("ManualClock", [0; 6]),
        ("RealtimeClock", [0; 6]),
        ("RealtimeClock", slow),
        ("RealtimeClock", late),
    ] {
        let run = compiled.run(&app(sleeps), clock, ", on_overrun: catch_up");
        assert_eq!(run.end, End::Finished);
        let order = ticks(&run);
        for (before, after) in dependencies {
            let mut ahead = 0;
            for (entity, _) in &order {
                ahead += i32::from(*entity == before) - i32::from(*entity == after);
                assert!(ahead >= 0, "e{after} ticks before e{before}: {order:?}");
            }
        }
        let mut times: Vec<Vec<i64>> = vec![Vec::new(); 6];
        for event in &run.events {
            if let Call::Tick { now, .. } = event.call {
                times[event.entity].push(now);
            }
        }
        let numbers: Vec<usize> = times.iter().map(Vec::len).collect();
        assert_eq!(numbers, [40, 40, 40, 40, 20, 20], "{clock} {sleeps:?}");
        // Real time begins at a time of its own.
        let start = times[0][0];
        times.iter_mut().flatten().for_each(|time| *time -= start);
        assert_eq!(first.get_or_insert_with(|| times.clone()), &times, "{clock} {sleeps:?}");
    }
}

/// A submitter whose job a thread does, and an entity that needs it.
fn submitting(jobs: &str, job: &str) -> (String, String) {
    let graph = compute_graph(
        "",
        "e: {Period: 2ms}",
        &[(
            "e",
            &[
                "a: {WCET: 100us, Resources: [CPU0, CUDA_STREAM], Submits: c.job}",
                "job: {WCET: 500us, Resources: [GPU0]}",
                "b: {WCET: 100us, Resources: [CPU0]}",
                "after: {WCET: 100us, Resources: [CPU1], Dependencies: [c.job]}",
            ],
        )],
    );
    // `after` is ready only when the job is done.
    let app = format!(
        "name: a\ncomponents:\n- {{name: job, type: gxe::test::Job, parameters: {{{job}}}}}\n\
         - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 30}}}}\n\
         - {{type: gxe::test::JobGiver, parameters: {{job: job, {jobs}}}}}\n\
         ---\nname: b\ncomponents:\n- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 30}}}}\n\
         - {{name: b, type: gxe::test::Probe}}\n\
         ---\nname: after\ncomponents:\n\
         - {{type: gxe::test::CompletionTerm, parameters: {{completion: a/job}}}}\n\
         - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 30}}}}\n\
         - {{name: after, type: gxe::test::Probe}}\n"
    );
    (graph, app)
}

fn run_submitting(jobs: &str, job: &str, parameters: &str) -> Gxe {
    let (graph, app) = submitting(jobs, job);
    submitting_app(&graph, &app, parameters)
}

fn submitting_app(graph: &str, app: &str, parameters: &str) -> Gxe {
    let compiled = Compiled::new(graph);
    let scheduler = compiled.scheduler("RealtimeClock", parameters).yaml;
    let schedule = std::fs::read_to_string(&compiled.schedule).expect("it was just written");
    let path = compiled.schedule.display().to_string();
    Gxe::app(&(app.to_owned() + &scheduler.replace(&path, "g.stm")))
        .file("g.stm", &schedule)
        .file("manifest.yaml", &format!("{MANIFEST}- libgxf_outside.so\n"))
}

#[test]
fn a_worker_goes_on_while_submitted_work_is_done_and_dependants_wait_for_it() {
    let ended = run_submitting("jobs: 30", "", "").run().clean();
    assert_eq!(ended.count("outside: tick "), 30, "{}", ended.stdout);
    // The one that depends on the job was always ready in its place.
    assert_eq!(ended.count("CPU1: "), 0, "{}", ended.stdout);
    assert_eq!(ended.probe("after").iter().filter(|call| call.starts_with("tick")).count(), 30);
}

/// The submitter may hear last that its work is done. The frame ends then, and not when the engine
/// looks after work that takes long, twice a second.
#[test]
fn work_that_is_done_while_it_is_submitted_ends_the_frame() {
    let begun = Instant::now();
    let ended = run_submitting("jobs: 30", "notify_takes: 5", "").run().clean();
    assert_eq!(ended.count("outside: tick "), 30, "{}", ended.stdout);
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

/// Also if the run goes on for a while, because an entity still ticks.
#[test]
fn work_that_fails_is_told_once() {
    let (graph, app) = submitting("jobs: 30", "fail_at: 1");
    let slow = "{name: b, type: gxe::test::Probe, parameters: {clock: scheduler/clock, first_sleep: 300000000}}";
    let app = app.replace("{name: b, type: gxe::test::Probe}", slow);
    let ended = submitting_app(&graph, &app, "").run().with_status(5);
    ended.complains("the submitted work `c.job` failed with GXF_OUT_OF_MEMORY");
    assert_eq!(ended.count("also: "), 0, "{}", ended.stdout);
    assert!(!ended.stderr.contains("also: "), "{}", ended.stderr);
}

#[test]
fn work_that_fails_or_never_ends_ends_the_run() {
    let ended = run_submitting("jobs: 30", "fail_at: 3", "").run().with_status(5);
    ended.complains("the submitted work `c.job` failed with GXF_OUT_OF_MEMORY");
    ended.complains("the job found no memory");
    let ended = run_submitting("jobs: 30", "idle: true", ", fence_timeout_ms: 20").run();
    ended.complains(
        "the submitted work `c.job` is not done after 20 ms, the `fence_timeout_ms` of the scheduler",
    );
    assert_eq!(ended.status, Some(5));
    // A stop does not wait for it for ever either.
    let mut running = run_submitting("jobs: 30", "idle: true", ", fence_timeout_ms: 300").spawn();
    running.wait_for("outside: tick 1");
    running.signal("INT");
    _ = running.end();
}

/// The new schedule is made of the entities that are there when it is asked for; one more must not
/// be missing.
#[test]
fn an_entity_that_joins_during_a_change_ticks_by_the_new_schedule() {
    let schedules = [1, 2].map(|identifier| {
        let runnables =
            ["e0", "guest"].map(|name| format!("{name}: {{WCET: 1us, Resources: [CPU0]}}"));
        let [one, other] = &runnables;
        let graph = compute_graph("", "e: {Period: 1ms}", &[("e", &[one, other])]);
        let named = format!("tests:\n  Identifier: {identifier}\n");
        Compiled::new(&graph.replacen("tests:\n", &named, 1))
    });
    let _alone = engine::alone();
    let context = engine::actor_context();
    let scheduler = schedules[0].scheduler("RealtimeClock", ", absent_entities: true");
    context.load_app_text("graph", &(actor(0, "", "") + &scheduler.yaml), &[]).unwrap();
    context.activate().unwrap();
    context.run_async().unwrap();
    let ticks = |name: &str| {
        let entities = context.status().entities.into_iter();
        entities.filter(|entity| entity.name == name).map(|entity| entity.ticks).sum::<u64>()
    };
    eventually("the run goes on", || ticks("e0") > 0);
    for round in 1..=60 {
        let swap = ScheduleSwap {
            schedule: schedules[round % 2].schedule.clone(),
            stop: None,
            roll_over: round % 4 < 2,
        };
        let guest = actor(9, "", "").replace("e9", "guest");
        context.load_app_text("guest", &guest, &[]).unwrap();
        let eid = context.find_entity("guest").unwrap();
        std::thread::scope(|scope| {
            let changing = scope.spawn(|| context.swap_schedule(&swap));
            std::thread::sleep(Duration::from_micros(20 * round as u64));
            context.activate_entity(eid).unwrap();
            changing.join().unwrap().unwrap();
        });
        let follows = ("schedule", round as u64 % 2 + 1);
        eventually("the other schedule runs", || {
            let rows = context.status().threads;
            !rows.is_empty() && rows.iter().all(|row| row.values.contains(&follows))
        });
        let before = ticks("guest");
        eventually("the guest ticks by it", || ticks("guest") > before + 1);
        context.destroy_entity(eid).unwrap();
    }
    context.interrupt().unwrap();
    context.wait().unwrap();
    context.deactivate().unwrap();
}

#[test]
fn an_interrupt_lets_the_frame_end() {
    let graph = compute_graph(
        "",
        "e: {Period: 50ms}",
        &[(
            "e",
            &[
                "e0: {WCET: 1ms, Resources: [CPU0]}",
                "e1: {WCET: 1ms, StartTime: 20ms, Resources: [CPU1], Dependencies: [c.e0]}",
            ],
        )],
    );
    let compiled = Compiled::new(&graph);
    let scheduler = compiled.scheduler("RealtimeClock", "");
    let app = ["e0", "e1"]
        .map(|name| {
            format!("---\nname: {name}\ncomponents:\n- {{name: {name}, type: gxe::test::Probe}}\n")
        })
        .concat();
    let mut running = Gxe::app(&(app + &scheduler.yaml)).spawn();
    running.wait_for("probe e0 tick");
    running.wait_for("probe e0 tick");
    running.signal("INT");
    let ended = running.end().with_status(130);
    let ticks = |name: &str| ended.probe(name).iter().filter(|call| **call == "tick").count();
    assert_eq!(ticks("e0"), ticks("e1"), "{}", ended.stdout);
}

#[test]
fn statistics_trace_and_top_see_the_workers() {
    let graph = compute_graph(
        "",
        "e: {Period: 1ms}",
        &[(
            "e",
            &[
                "e0: {WCET: 10us, Resources: [CPU0]}",
                "e1: {WCET: 10us, Resources: [CPU1], Dependencies: [c.e0]}",
            ],
        )],
    );
    let compiled = Compiled::new(&graph);
    let scheduler = compiled.scheduler("ManualClock", "");
    let entity = |name: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n- {{type: nvidia::gxf::CountSchedulingTerm, \
             parameters: {{count: 20}}}}\n- {{name: {name}, type: gxe::test::Probe}}\n"
        )
    };
    let app = entity("e0") + &entity("e1") + &scheduler.yaml;
    let gxe = Gxe::app(&app).args("--statistics=s.json --trace t.json");
    let folder = gxe.folder();
    let (ended, (statistics, trace)) = gxe.spawn().end_with(|| {
        let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("it was written");
        (read("s.json"), read("t.json"))
    });
    let ended = ended.clean();
    assert!(ended.stdout.contains("epoch `h.e`: "), "{}", ended.stdout);
    assert!(statistics.contains("gxe::StaticScheduler"), "{statistics}");
    assert_eq!(statistics.matches("\"ticks\": 20").count(), 4, "{statistics}");
    for thread in ["static-CPU0", "static-CPU1"] {
        assert!(trace.contains(thread), "no {thread} in the trace");
    }
}

#[test]
fn a_log_says_what_ran_was_passed_over_missing_late_and_skipped() {
    let graph = compute_graph(
        "Period: 40ms, ",
        "e: {Period: 10ms, Frames: 4}",
        &[(
            "e",
            &[
                "e0: {WCET: 1ms, Resources: [CPU0]}",
                "e1: {WCET: 1ms, Resources: [CPU1], Dependencies: [c.e0]}",
                "e2: {WCET: 1ms, Resources: [CPU1], Dependencies: [c.e1]}",
            ],
        )],
    );
    let compiled = Compiled::new(&graph);
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("run.log");
    // Frames take 25 ms; the second entity ticks in every other one, the third one is absent.
    let third =
        "- {type: 'nvidia::gxf::PeriodicSchedulingTerm', parameters: {recess_period: 35ms}}\n";
    let app = actor(0, &count(6), "clock: scheduler/clock, sleep: 25000000") + &actor(1, third, "");
    let more = format!(
        ", max_duration_ms: 200, absent_entities: true, log: '{}', log_limit: 1000",
        log.display()
    );
    let run = compiled.run(&app, "ManualClock", &more);
    assert_eq!(run.end, End::Finished);
    let analyze = |more: &str| {
        let schedule = compiled.schedule.display();
        let line = format!("stm analyze {} -s {schedule} {more}", log.display());
        Gxe::in_folder(folder.path()).args(&line).run().with_status(0).stdout
    };
    let text = analyze("--format json");
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let part = &found["schedules"][0];
    let row = |table: &str, place: usize, key: &str| part[table][place][key].clone();
    assert_eq!(row("runnables", 0, "runnable"), "c.e0");
    assert_eq!((row("runnables", 0, "ran"), row("runnables", 0, "overruns")), (6.into(), 6.into()));
    assert_eq!(row("runnables", 0, "median_ns"), 25_000_000);
    assert_eq!(row("runnables", 0, "planned_ns"), 1_000_000);
    let ran = times(&run, 1).len() as u64;
    assert_eq!(row("runnables", 1, "ran"), ran);
    assert!(row("runnables", 1, "passed_over").as_u64() > Some(0), "{text}");
    assert_eq!(row("runnables", 2, "ran"), 0);
    assert!(row("runnables", 2, "missing").as_u64() > Some(5), "{text}");
    assert_eq!(row("epochs", 0, "epoch"), "h.e");
    assert!(row("epochs", 0, "late").as_u64() >= Some(6), "{text}");
    assert!(row("epochs", 0, "skipped").as_u64() >= Some(6), "{text}");
    assert_eq!(row("resources", 0, "resource"), "CPU0");
    let table = analyze("");
    assert!(table.contains("c.e0") && table.contains("25ms"), "{table}");
    assert!(analyze("--format csv").contains(",runnables,c.e0,overruns,6\n"));
    assert!(analyze("--format html").contains("<td>c.e0</td><td>6</td>"));
    let line = format!("stm gantt {} --log {}", compiled.schedule.display(), log.display());
    let page = Gxe::in_folder(folder.path()).args(&line).run().with_status(0).stdout;
    // From the start of its frame to 25 ms behind it, in the first frame of the cycle.
    assert!(page.contains("\"measured\":[0,25000000,"), "{page}");
    // A short log drops the oldest.
    let more = more.replace("log_limit: 1000", "log_limit: 2");
    _ = compiled.run(&app, "ManualClock", &more);
    assert!(analyze("").contains("oldest entries"));
    // The schedule of another graph is not compared with it.
    let text = std::fs::read_to_string(&log).expect("a log");
    let ran = text.lines().find(|line| line.starts_with("schedule ")).expect("a schedule");
    let identifier = ran.split(' ').nth(1).expect("its id");
    let other = text.replacen(ran, "schedule 7 other 0", 1);
    std::fs::write(folder.path().join("other.log"), other).expect("room");
    let schedule = compiled.schedule.display();
    for line in [
        format!("stm analyze other.log -s {schedule}"),
        format!("stm gantt {schedule} --log other.log"),
    ] {
        let ended = Gxe::in_folder(folder.path()).args(&line).run().with_status(3);
        ended.complains(&format!(
            "the log has nothing of the schedule {identifier} of `tests`: what ran was the schedule \
             7 of `other`"
        ));
    }
    // What is no log, or is cut off, is none of nothing.
    let head: String = text.split_inclusive('\n').take(2).collect();
    for (text, expected) in [
        ("gxe-stm-log 2\nx\n", "run.log:2: not a line of a log"),
        (&head, "run.log:2: the log ends here, before it is complete"),
    ] {
        std::fs::write(&log, text).expect("room");
        let ended = Gxe::in_folder(folder.path()).args("stm analyze run.log").run().with_status(3);
        ended.complains(expected);
    }
}
