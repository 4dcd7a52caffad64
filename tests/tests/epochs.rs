//! The `EpochScheduler`, driven by `gxe` and by a program through `Context::run_epoch`.

use gxe_tests::differential::engine;
use gxe_tests::{Gxe, build};
use gxf_runtime::{Context, Epoch, ResultCode};
use std::time::Duration;

/// A scheduler with a clock of this type, after other documents.
fn epochs(clock: &str) -> String {
    format!(
        "---\nname: scheduler\ncomponents:\n- {{name: clock, type: nvidia::gxf::{clock}}}\n\
         - {{type: nvidia::gxf::EpochScheduler, parameters: {{clock: clock}}}}\n"
    )
}

#[test]
fn epochs_on_a_manual_clock_go_from_one_time_to_the_next() {
    for budget in [0, 1, 1000] {
        let app = "\
name: a
components:
- {name: p, type: gxe::test::Probe, parameters: {log_time: true}}
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 3600s}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 4}}
";
        let app = app.to_owned() + &epochs("ManualClock");
        let ended = Gxe::app(&app).args(&format!("--epoch-budget {budget}")).run().clean();
        let hour = |call: &str| {
            let time = call.strip_prefix("tick at ")?;
            Some(time.parse::<i64>().expect("a time") / 3_600_000_000_000)
        };
        let hours: Vec<_> = ended.probe("p").into_iter().filter_map(hour).collect();
        assert_eq!(hours, [0, 1, 2, 3], "with a budget of {budget} ms");
    }
}

#[test]
fn epochs_that_end_in_a_deadlock_say_who_waits_for_what() {
    // Each waits for the other's first message.
    let entity = |name: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n\
             - {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n\
             - {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
             - {{name: term, type: nvidia::gxf::MessageAvailableSchedulingTerm, \
                parameters: {{receiver: in}}}}\n\
             - {{name: {name}, type: gxe::test::Probe, \
                parameters: {{receivers: [in], transmitters: [out]}}}}\n"
        )
    };
    let app = entity("a")
        + &entity("b")
        + "---\ncomponents:\n\
           - {type: nvidia::gxf::Connection, parameters: {source: a/out, target: b/in}}\n\
           - {type: nvidia::gxf::Connection, parameters: {source: b/out, target: a/in}}\n"
        + &epochs("ManualClock");
    let ended = Gxe::app(&app).run().clean();
    assert_eq!(ended.count("Scheduler stopped: Some entities are waiting for execution"), 1);
    for (name, other) in [("a", "b"), ("b", "a")] {
        let text = format!(
            "entity `{name}` is stuck: it waits for messages in `{name}/in`, which holds 0 of 1 and \
             which `{other}/out` fills (term `term`)"
        );
        assert!(ended.log().contains(&text.as_str()), "{}", ended.stdout);
    }
}

#[test]
fn epochs_that_end_otherwise_report_no_deadlock() {
    let done = "name: a\ncomponents:\n- {name: p, type: gxe::test::Probe}\n\
                - {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}\n";
    let ended = Gxe::app(&(done.to_owned() + &epochs("ManualClock"))).run().clean();
    assert_eq!(ended.count("Some entities are waiting"), 0);

    let endless = "name: a\ncomponents:\n- {name: p, type: gxe::test::Probe}\n\
                   - {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1ms}}\n";
    let mut running = Gxe::app(&(endless.to_owned() + &epochs("RealtimeClock"))).spawn();
    running.wait_for("probe p tick");
    running.signal("INT");
    let ended = running.end().with_status(130);
    assert_eq!(ended.count("Some entities are waiting"), 0);
}

/// A graph of one entity that is always ready, activated and running.
fn running_graph() -> Context {
    let graph = "name: a\ncomponents:\n- {name: actor, type: gxe::test::Actor}\n".to_owned();
    let context = Context::new();
    context.load_extension(&build::library("gxf_actor")).unwrap();
    context.load_app_text("graph", &(graph + &epochs("RealtimeClock")), &[]).unwrap();
    context.activate().unwrap();
    context.run_async().unwrap();
    context
}

fn ticks(context: &Context) -> u64 {
    context.run_report().entities[0].ticks
}

#[test]
fn an_epoch_does_not_wait_for_the_end_of_a_pause() {
    let _alone = engine::alone();
    let context = running_graph();
    // The first starts the entity.
    for ticks_before in [0, 0, 1] {
        assert_eq!(ticks(&context), ticks_before);
        assert_eq!(context.run_epoch(Duration::ZERO).unwrap(), Epoch::BudgetUsed);
    }
    context.pause().unwrap();
    for budget in [Duration::ZERO, Duration::from_secs(3600)] {
        assert_eq!(context.run_epoch(budget).unwrap(), Epoch::Paused);
    }
    assert_eq!(ticks(&context), 2);
    // Resting lasts as long as the pause.
    let resting = context.clone();
    let (sender, rested) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        resting.rest_until(None).unwrap();
        sender.send(()).unwrap();
    });
    assert!(rested.recv_timeout(Duration::from_millis(30)).is_err());
    context.resume().unwrap();
    rested.recv().unwrap();
    thread.join().unwrap();
    assert_eq!(context.run_epoch(Duration::ZERO).unwrap(), Epoch::BudgetUsed);
    assert_eq!(ticks(&context), 3);
    // A paused run can be stopped.
    context.pause().unwrap();
    context.interrupt().unwrap();
    assert_eq!(context.run_epoch(Duration::ZERO).unwrap(), Epoch::Interrupted);
    context.wait().unwrap();
    let after = context.run_epoch(Duration::ZERO).unwrap_err();
    assert_eq!(after.code(), ResultCode::INVALID_EXECUTION_SEQUENCE);
    context.deactivate().unwrap();
}

#[test]
fn a_pause_ends_an_epoch_that_is_under_way() {
    let _alone = engine::alone();
    let context = running_graph();
    let running = context.clone();
    let thread = std::thread::spawn(move || running.run_epoch(Duration::from_secs(3600)));
    while ticks(&context) < 10 {
        std::thread::yield_now();
    }
    context.pause().unwrap();
    assert_eq!(thread.join().unwrap().unwrap(), Epoch::Paused);
    context.deactivate().unwrap();
}
