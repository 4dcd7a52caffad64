//! Work outside the graph: completions and tokens that wake entities, failures of other threads,
//! spans in the trace, clients of other processes.

use gxe_tests::trace::Trace;
use gxe_tests::{Gxe, build};
use gxf_runtime::{Context, ResultCode};

const SCHEDULERS: [&str; 7] = [
    "nvidia::gxf::GreedyScheduler, parameters: {clock: clock}",
    "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock}",
    "nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    "nvidia::gxf::EventBasedScheduler, parameters: {clock: clock}",
    "nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 2}",
    "nvidia::gxf::EpochScheduler, parameters: {clock: clock}",
    "gxe::test::RoundRobinScheduler, parameters: {clock: clock}",
];

fn app(graph: &str, scheduler: &str) -> String {
    format!(
        "{graph}---\nname: scheduler\ncomponents:\n\
         - {{name: clock, type: nvidia::gxf::RealtimeClock}}\n- {{type: {scheduler}}}\n"
    )
}

fn gxe(graph: &str, scheduler: &str) -> Gxe {
    let manifest =
        format!("{}- libgxf_graph_changer.so\n- libgxf_outside.so\n", gxe_tests::MANIFEST);
    Gxe::app(&app(graph, scheduler)).file("manifest.yaml", &manifest)
}

/// What the components of the extension logged.
fn said(log: &[&str]) -> Vec<String> {
    log.iter().filter_map(|text| text.strip_prefix("outside: ")).map(str::to_owned).collect()
}

/// An entity that waits for jobs. The thread of a job finishes it only when the entity waits.
fn waiting(count: u32, parameters: &str, job: &str) -> String {
    format!(
        "\
name: a
components:
- {{name: job, type: gxe::test::Job, parameters: {{{job}}}}}
- {{name: term, type: gxe::test::CompletionTerm, parameters: {{completion: job}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}
- {{type: gxe::test::JobGiver, parameters: {{job: job, {parameters}}}}}
"
    )
}

#[test]
fn a_completion_wakes_its_entity() {
    for scheduler in SCHEDULERS {
        let ended = gxe(&waiting(50, "jobs: 49", ""), scheduler).run().clean();
        let mut expected: Vec<_> = (1..=50).map(|number| format!("tick {number}")).collect();
        expected.push("0 tokens unused".to_owned());
        assert_eq!(said(&ended.log()), expected, "{scheduler}");
        assert_eq!(ended.count("is stuck"), 0, "{scheduler}: {}", ended.stdout);
    }
}

#[test]
fn a_token_that_nobody_uses_is_dropped() {
    for scheduler in SCHEDULERS {
        let mut running = gxe(&waiting(2, "", "idle: true"), scheduler).spawn();
        running.wait_for("outside: a token waits");
        running.signal("INT");
        let ended = running.end().with_status(130);
        assert_eq!(
            said(&ended.log()),
            ["tick 1", "a token waits", "1 tokens unused"],
            "{scheduler}"
        );
    }
}

#[test]
fn a_completion_that_failed_ends_the_graph() {
    for scheduler in SCHEDULERS {
        let ended = gxe(&waiting(50, "", "fail_at: 3"), scheduler).run().with_status(5);
        ended.complains(
            "entity `a`, component `term` of type gxe::test::CompletionTerm (extension \
             OutsideExtension): check of the scheduling term failed with GXF_OUT_OF_MEMORY",
        );
        ended.complains("the job found no memory");
    }
}

#[test]
fn all_references_to_a_token_wake_once() {
    let graph = "\
name: a
components:
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}}
- {type: gxe::test::TokenUser}
---
components:
- {type: gxe::test::Listener}
";
    for scheduler in SCHEDULERS {
        let ended = gxe(graph, scheduler).run().clean();
        assert_eq!(said(&ended.log()), ["event 1"], "{scheduler}");
    }
}

#[test]
fn a_token_may_outlive_its_graph_and_its_context() {
    let graph = |codelet: &str| {
        let graph = format!(
            "name: a\ncomponents:\n\
             - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 1}}}}\n\
             - {{type: gxe::test::{codelet}}}\n"
        );
        app(&graph, SCHEDULERS[0])
    };
    let load = |codelet: &str| {
        let context = Context::new();
        context.load_extension(&build::library("gxf_outside")).unwrap();
        context.load_app_text("graph", &graph(codelet), &[]).unwrap();
        context
    };
    let run = |context: &Context| {
        context.activate().unwrap();
        context.run().unwrap();
        context.deactivate().unwrap();
    };
    let keeper = load("TokenKeeper");
    let user = load("LateUser");
    run(&keeper);
    // The entity is there, but not active.
    run(&user);
    drop(keeper);
    run(&user);
    drop(user);
}

/// The end of a graph whose component failed outside its calls.
fn failure(name: &str) -> String {
    format!(
        "error: the graph failed\n  because: entity `a`, component `failing` of type \
         gxe::test::{name} (extension OutsideExtension): asynchronous work failed with \
         GXF_OUT_OF_MEMORY\n    because: the camera is gone\nnote: the component that failed\n"
    )
}

/// Without an end of its own.
const ENDLESS: &str = "---\nname: b\ncomponents:\n- {name: p, type: gxe::test::Probe}\n\
                       - {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: \
                       {recess_period: 1ms}}\n";

#[test]
fn a_failure_of_a_thread_ends_the_graph() {
    let graph = "name: a\ncomponents:\n- {name: failing, type: gxe::test::FailingThread}\n";
    for scheduler in SCHEDULERS {
        let ended = gxe(&format!("{graph}{ENDLESS}"), scheduler).run().with_status(5);
        ended.complains(&failure("FailingThread"));
        assert_eq!(ended.count("also: "), 0, "{scheduler}: {}", ended.stdout);
        assert_eq!(ended.probe("p").last(), Some(&"deinitialize"), "{scheduler}");
    }
}

#[test]
fn the_first_failure_of_several_ends_the_graph() {
    let graph = "name: a\ncomponents:\n\
                 - {name: failing, type: gxe::test::FailingThread, parameters: {in_tick: true}}\n";
    for scheduler in SCHEDULERS {
        let ended = gxe(&format!("{graph}{ENDLESS}"), scheduler).run().with_status(5);
        ended.complains(&failure("FailingThread"));
        ended.complains("asynchronous work failed with GXF_FAILURE: and again");
    }
}

#[test]
fn a_failure_before_the_run_ends_it_and_a_later_one_is_refused() {
    // No codelet is needed, and no scheduler executes the entity.
    let graph = "name: a\ncomponents:\n- {name: failing, type: gxe::test::FailingPart}\n";
    for scheduler in SCHEDULERS {
        let ended = gxe(&format!("{graph}{ENDLESS}"), scheduler).run().with_status(5);
        ended.complains(&failure("FailingPart"));
        let late = "late failure: Err(\"GXF_INVALID_EXECUTION_SEQUENCE\")";
        assert_eq!(said(&ended.log()), [late], "{scheduler}");
    }
    // A graph that never runs reports it when it ends.
    let context = Context::new();
    context.load_extension(&build::library("gxf_outside")).unwrap();
    context.load_app_text("graph", &app(graph, SCHEDULERS[0]), &[]).unwrap();
    context.activate().unwrap();
    assert_eq!(context.deactivate().unwrap_err().code(), ResultCode::OUT_OF_MEMORY);
    // The next activation starts anew, and so does its failure.
    context.activate().unwrap();
    assert_eq!(context.run().unwrap_err().code(), ResultCode::OUT_OF_MEMORY);
}

const SPANNING: &str = "name: a\ncomponents:\n\
                        - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}\n\
                        - {type: gxe::test::Spanning}\n";

#[test]
fn spans_of_extensions_stand_in_the_trace_in_groups_of_their_own() {
    for scheduler in SCHEDULERS {
        let gxe = gxe(SPANNING, scheduler).args("--trace run.json");
        let file = gxe.folder().join("run.json");
        let (ended, text) = gxe.spawn().end_with(|| std::fs::read_to_string(&file).unwrap());
        assert_eq!(said(&ended.clean().log()), ["tracing true"]);
        let trace = Trace::read(&text);
        assert_eq!(trace.lost, 0);
        let groups: Vec<_> = trace.groups.keys().map(String::as_str).collect();
        assert_eq!(groups, ["outside", "outside, too"], "{scheduler}");
        let device = &trace.groups["outside"]["device"];
        let names: Vec<_> = device.iter().map(|slice| slice.name.as_str()).collect();
        assert_eq!(names, ["copy", "wait"].repeat(3), "{scheduler}");
        for pair in device.chunks(2) {
            assert!(pair[0].begin <= pair[1].begin && pair[1].end <= pair[0].end, "{pair:?}");
        }
        let ticks = trace.slices("a", "tick");
        assert_eq!(ticks.len(), 3, "{scheduler}");
        for (tick, pair) in ticks.iter().zip(device.chunks(2)) {
            assert!(
                tick.begin <= pair[0].begin && pair[0].end <= tick.end,
                "{scheduler}: {tick:?} {pair:?}"
            );
        }
        let sent = &trace.groups["outside"]["link"];
        assert!(sent.len() == 3 && sent.iter().all(|slice| slice.end - slice.begin == 1000));
        assert_eq!(trace.groups["outside, too"]["link"].len(), 3);
    }
}

#[test]
fn spans_cost_nothing_without_a_trace() {
    let ended = gxe(SPANNING, SCHEDULERS[0]).run().clean();
    assert_eq!(said(&ended.log()), ["tracing false"]);
}

#[test]
fn a_client_is_asked_in_rust() {
    let graph = |client: &str| {
        format!(
            "name: a\ncomponents:\n- {{name: client, type: gxe::test::{client}}}\n\
             - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 1}}}}\n\
             - {{type: gxe::test::ClientUser, parameters: {{client: client}}}}\n"
        )
    };
    let ended = gxe(&graph("EchoClient"), SCHEDULERS[0]).run().clean();
    assert_eq!(
        said(&ended.log()),
        [
            "changed Ok(())",
            "changed Err(\"GXF_ARGUMENT_OUT_OF_RANGE\")",
            "Ok(\"10.0.0.7:8000 query s/r\")",
            "Ok(\"action s/r p\")",
            "Ok(\"pong of s\")",
        ]
    );
    let ended = gxe(&graph("SilentClient"), SCHEDULERS[0]).run().clean();
    let missing = "Err(\"GXF_NOT_IMPLEMENTED\")";
    let changed = format!("changed {missing}");
    assert_eq!(said(&ended.log()), [&changed, &changed, "Ok(\"\")", "Ok(\"\")", missing]);
}

/// The first scheduler runs when the second one refuses to.
#[test]
fn a_run_that_cannot_start_ends_what_has_begun() {
    let graph = "\
name: endless
components:
- {name: probe, type: gxe::test::Probe}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}
---
components:
- {type: gxe::StaticScheduler, parameters: {clock: scheduler/clock, schedule: nowhere.json}}
";
    let ended = gxe(graph, SCHEDULERS[6]).run().with_status(5);
    ended.complains("there is no file `nowhere.json`");
}
