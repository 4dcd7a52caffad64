//! `gxe schedule`: from an app and the statistics of a run to a schedule, and a run by it.

use gxe_tests::{Gxe, MANIFEST};
use std::path::Path;

/// What a program printed, without its log.
fn printed(stdout: &str) -> Vec<&str> {
    stdout.lines().filter(|line| !line.contains(".rs@")).collect()
}

/// A greedy run, a plan made of it, and a static run do the same.
#[test]
fn an_app_does_the_same_by_the_schedule_that_was_made_of_its_measurements() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().expect("a folder");
    let plan = folder.path().join("plan");
    let statistics = folder.path().join("run.json");
    let manifest = "--manifest manifests/access_log.yaml";
    let run = |app: &str, more: &str| {
        let line = format!("run {app} {manifest} {more}");
        Gxe::in_folder(&root).args(&line).env("GXF_LOG_LEVEL", "info").run().with_status(0)
    };
    let app = "apps/access_log/access_log.yaml";
    let greedy = run(app, &format!("--statistics={}", statistics.display()));
    let line = format!(
        "schedule {app} {manifest} --statistics {} -o {} --cpus 2",
        statistics.display(),
        plan.display()
    );
    let planned = Gxe::in_folder(&root).args(&line).run().with_status(0);
    assert!(planned.stdout.contains("4 runnables in 1 epoch on 2 CPUs"), "{}", planned.stdout);
    let planned_app = plan.join("app.yaml").display().to_string();
    let by_plan = run(&planned_app, "");
    assert!(by_plan.stdout.contains("epoch `hyper.frame`"), "{}", by_plan.stdout);
    let rows = |stdout: &str| -> Vec<String> {
        printed(stdout)
            .into_iter()
            .filter(|line| line.starts_with("2026-11-02"))
            .map(str::to_owned)
            .collect()
    };
    let expected = rows(&greedy.stdout);
    assert!(expected.len() > 5, "{}", greedy.stdout);
    assert_eq!(rows(&by_plan.stdout), expected);
    // The schedule keeps the constraints of its graph, and the new app is one like any other.
    let [graph, schedule] = ["graph.yaml", "schedule.stm"].map(|name| plan.join(name));
    let line = format!("stm check -i {} {}", graph.display(), schedule.display());
    _ = Gxe::in_folder(&root).args(&line).run().with_status(0);
    let line = format!("check {planned_app} {manifest}");
    _ = Gxe::in_folder(&root).args(&line).run().with_status(0);
}

fn entity(name: &str, period: Option<&str>, more: &str) -> String {
    let period = period.map_or(String::new(), |period| {
        format!(
            "- {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: {period}}}}}\n"
        )
    });
    format!(
        "---\nname: '{name}'\ncomponents:\n{period}{more}\
         - {{name: tx, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
         - {{name: rx, type: nvidia::gxf::DoubleBufferReceiver}}\n\
         - {{name: '{name}', type: gxe::test::Probe}}\n"
    )
}

fn connection(source: &str, target: &str) -> String {
    format!(
        "---\ncomponents:\n- {{type: nvidia::gxf::Connection, \
         parameters: {{source: '{source}/tx', target: '{target}/rx'}}}}\n"
    )
}

const STATISTICS: &str = r#"{"entities": [
    {"name": "fast", "ticks": 10, "execution_ns": {"median": 10, "p99": 200000, "max": 400000}},
    {"name": "behind fast", "ticks": 10, "execution_ns": {"p99": 100000}},
    {"name": "slow", "ticks": 2, "execution_ns": {"p99": 1000000}},
    {"name": "alone", "ticks": 0}
]}"#;

fn schedule(app: &str, more: &str) -> Gxe {
    Gxe::alone()
        .file("app.yaml", app)
        .file("manifest.yaml", MANIFEST)
        .file("run.json", STATISTICS)
        .args(&format!(
            "schedule app.yaml --manifest manifest.yaml --statistics run.json -o plan --cpus 2 {more}"
        ))
}

#[test]
fn periods_become_epochs_and_what_cannot_be_static_is_named_with_its_place() {
    let app = entity("fast", Some("10ms"), "")
        + &entity("behind fast", None, "")
        + &entity("slow", Some("25Hz"), "")
        + &entity("alone", None, "- {type: nvidia::gxf::AsynchronousSchedulingTerm}\n")
        + &connection("fast", "behind fast")
        + &connection("behind fast", "fast")
        + &connection("fast", "slow")
        + "---\nname: scheduler\ncomponents:\n- {name: clock, type: nvidia::gxf::ManualClock}\n\
           - type: nvidia::gxf::EventBasedScheduler\n  parameters: {clock: clock, max_duration_ms: 95}\n";
    let gxe = schedule(&app, "--percentile 99 --margin 50");
    let folder = gxe.folder();
    let (ended, (graph, app)) = gxe.spawn().end_with(|| {
        let read = |name: &str| std::fs::read_to_string(folder.join("plan").join(name));
        (read("graph.yaml").expect("a graph"), read("app.yaml").expect("an app"))
    });
    let ended = ended.with_status(0);
    for expected in [
        "the entity `alone` did not tick in the run that was measured; 1us is assumed",
        "the entity `alone` waits for an event, which may come at any time; its executions are \
         passed over until then\n  --> app.yaml:",
        "the connection `behind fast/tx` → `fast/rx` closes a circle: its messages are taken in the \
         next frame\n  --> app.yaml:",
        "the connection `fast/tx` → `slow/rx` leads from a period of 10ms to one of 40ms: nothing \
         fixes which executions come first\n  --> app.yaml:",
        "the entity `alone` has no period, and no connection to one that has; it runs once in each \
         frame of 10ms\n  --> app.yaml:",
    ] {
        assert!(ended.stderr.contains(expected), "no `{expected}` in:\n{}", ended.stderr);
    }
    for expected in [
        "Period: 40ms\n",
        "- every_10ms: {Period: 10ms, Frames: 4}",
        "- every_40ms: {Period: 40ms, Frames: 1}",
        "- fast: {WCET: 300us, Resources: [CPU]}",
        "- behind_fast: {WCET: 150us, Resources: [CPU], Dependencies: [app.fast]}",
        "- slow: {WCET: 1.5ms, Resources: [CPU]}",
        "- alone: {WCET: 1us, Resources: [CPU]}",
    ] {
        assert!(graph.contains(expected), "no `{expected}` in:\n{graph}");
    }
    assert!(app.contains("entities: [[app.behind_fast, \"behind fast\"]]"), "{app}");
    assert!(app.contains("max_duration_ms: 95"), "{app}");
    assert!(!app.contains("EventBasedScheduler"), "{app}");
}

/// One ready term is enough for a combiner.
#[test]
fn the_fastest_term_of_a_combiner_counts() {
    let any = |terms: &str| {
        format!(
            "- {{name: period, type: nvidia::gxf::PeriodicSchedulingTerm, \
             parameters: {{recess_period: 1s}}}}\n\
             - {{type: nvidia::gxf::OrSchedulingTermCombiner, parameters: {{terms: [{terms}]}}}}\n"
        )
    };
    let quick = "- {name: quick, type: nvidia::gxf::PeriodicSchedulingTerm, \
                 parameters: {recess_period: 20ms}}\n";
    let message = "- {name: message, type: nvidia::gxf::MessageAvailableSchedulingTerm, \
                   parameters: {receiver: rx}}\n";
    let app = entity("fast", Some("10ms"), "")
        + &entity("either", None, &(any("period, quick") + quick))
        + &entity("woken", None, &(any("message, period") + message))
        + &connection("fast", "woken");
    let gxe = schedule(&app, "");
    let folder = gxe.folder();
    let (ended, graph) = gxe
        .spawn()
        .end_with(|| std::fs::read_to_string(folder.join("plan/graph.yaml")).expect("a graph"));
    let ended = ended.with_status(0);
    let text = "the entity `woken` runs when any of several terms is ready, which depends on the run; \
                it is asked once in each frame\n  --> app.yaml:";
    ended.complains(text);
    assert!(!ended.stderr.contains("`either` runs"), "{}", ended.stderr);
    for expected in ["Period: 20ms\n", "{Period: 10ms, Frames: 2}", "{Period: 20ms, Frames: 1}"] {
        assert!(graph.contains(expected), "no `{expected}` in:\n{graph}");
    }
}

/// Relative paths in apps belong to `--app-root`.
#[test]
fn a_planned_app_finds_its_schedule_with_and_without_a_root() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    let scheduler = "---\nname: scheduler\ncomponents:\n\
                     - {name: clock, type: nvidia::gxf::ManualClock}\n\
                     - type: nvidia::gxf::GreedyScheduler\n  \
                       parameters: {clock: clock, max_duration_ms: 15}\n";
    write("app.yaml", &(entity("fast", Some("10ms"), "") + scheduler));
    write("manifest.yaml", MANIFEST);
    write("run.json", STATISTICS);
    let root = format!("--manifest manifest.yaml --app-root {}", folder.path().display());
    let run = |line: &str| _ = Gxe::in_folder(folder.path()).args(line).run().with_status(0);
    run(&format!("schedule app.yaml {root} --statistics run.json -o plan --cpus 1"));
    run(&format!("run plan/app.yaml {root}"));
    run("run plan/app.yaml --manifest manifest.yaml");
}

#[test]
fn terms_that_wait_for_a_device_are_named_with_their_places() {
    let term = "- {type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: rx}}\n";
    let app = entity("fast", Some("10ms"), "") + &entity("slow", None, term);
    let ended = schedule(&(app + &connection("fast", "slow")), "")
        .file("manifest.yaml", &(MANIFEST.to_owned() + "- libgxf_cuda.so\n"))
        .run()
        .with_status(0);
    ended.complains(
        "the entity `slow` waits for work of a device, which may end at any time; its executions \
         are passed over until then\n  --> app.yaml:11:",
    );
}

/// The number in the name of an entity that was given none depends on what comes before it.
#[test]
fn entities_without_a_name_get_one_in_the_planned_app() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    let unnamed = entity("unnamed", None, "").replacen("name: 'unnamed'\n", "", 1);
    let scheduler = "---\nname: scheduler\ncomponents:\n\
                     - {name: clock, type: nvidia::gxf::ManualClock}\n\
                     - type: nvidia::gxf::GreedyScheduler\n  \
                       parameters: {clock: clock, max_duration_ms: 15}\n";
    let part = "---\nname: part\ncomponents:\n\
                - {type: nvidia::gxf::Subgraph, parameters: {location: part.yaml}}\n";
    write("part.yaml", &entity("inner", Some("10ms"), ""));
    write("app.yaml", &(part.to_owned() + &unnamed + scheduler));
    write("manifest.yaml", MANIFEST);
    write("run.json", STATISTICS);
    let run = |line: &str| Gxe::in_folder(folder.path()).args(line).run().with_status(0);
    _ = run("schedule app.yaml --manifest manifest.yaml --statistics run.json -o plan --cpus 1");
    _ = run("run plan/app.yaml --manifest manifest.yaml");
    let app = std::fs::read_to_string(folder.path().join("plan/app.yaml")).expect("an app");
    assert!(app.contains("name: entity_") && !app.contains("\"__entity_"), "{app}");
}

#[test]
fn periods_are_as_long_as_those_of_a_graph() {
    let app = entity("fast", Some("3600s"), "") + &entity("slow", Some("86400s"), "");
    let ended = schedule(&app, "").run().with_status(0);
    assert!(ended.stdout.contains("2 runnables in 2 epochs on 2 CPUs"), "{}", ended.stdout);
}

#[test]
fn an_app_that_cannot_be_planned_is_told_why() {
    let two = entity("fast", Some("1ms"), "") + &entity("slow", Some("999999937ns"), "");
    let ended = schedule(&two, "").run().with_status(4);
    ended.complains(
        "the periods 1ms of `fast`, 999.999937ms of `slow` have no common multiple up to 86400s and \
         10000 frames, so no schedule repeats\n  --> app.yaml:4:",
    );
    ended.complains("note: another period\n  --> app.yaml:11:");
    let rare = entity("fast", Some("86401s"), "");
    schedule(&rare, "")
        .run()
        .with_status(4)
        .complains("the period 86401s of `fast` is longer than 86400s, the most");
    let full = entity("fast", Some("100us"), "");
    let ended = schedule(&full, "").run().with_status(4);
    ended.complains("the app has no schedule");
    ended.complains("\n --> app.yaml:4:");
    assert!(!ended.stderr.contains("graph.yaml"), "{}", ended.stderr);
    let none = "name: a\ncomponents:\n- {type: nvidia::gxf::UnboundedAllocator}\n";
    schedule(none, "").run().with_status(4).complains("no entity has a codelet");
    Gxe::alone()
        .args("schedule --statistics run.json -o plan")
        .run()
        .with_status(2)
        .complains("no app file given, so there is nothing to plan");
    let broken = schedule(&full, "").file("run.json", "{").run().with_status(3);
    broken.complains("these are no statistics of a run");
}

#[test]
fn rates_have_a_common_period_however_they_are_rounded() {
    let app = entity("fast", Some("60Hz"), "") + &entity("slow", Some("30Hz"), "");
    let ended = schedule(&app, "").run().with_status(0);
    assert!(ended.stdout.contains("2 runnables in 2 epochs on 2 CPUs"), "{}", ended.stdout);
    assert!(ended.stdout.contains(" of 33.333334ms, optimal"), "{}", ended.stdout);
}

#[test]
fn an_app_with_two_schedulers_is_not_planned() {
    let second = "---\nname: other\ncomponents:\n- {name: other_clock, type: nvidia::gxf::ManualClock}\n\
                  - {type: nvidia::gxf::GreedyScheduler, parameters: {clock: other_clock}}\n";
    let first = second.replace("other", "first");
    let app = entity("fast", Some("10ms"), "") + &first + second;
    let ended = schedule(&app, "").run().with_status(4);
    ended.complains("the graph has two schedulers, and one runs\n  --> app.yaml:");
    ended.complains("note: the other one\n  --> app.yaml:");
}
