//! Who waits for a device, and how.

use super::{
    MESSAGE, POOLS, ROOM, RX, TX, buffers, connected, dot_product, entity, polling, scheduler,
    stage, with_event,
};
use crate::control::Client;
use gxe_tests::cuda::{Report, SCHEDULERS, is_on_gpu, modes, run, with_stand_in};
use gxe_tests::eventually;

/// Calls with which the CPU waits for a device.
fn waits(report: &Report) -> u64 {
    ["cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize"]
        .map(|call| report.get(&format!("call {call}")))
        .iter()
        .sum()
}

#[test]
fn no_thread_waits_for_the_device_where_a_term_does() {
    for pool in POOLS {
        let app = dot_product(pool, "term", 20) + &scheduler(SCHEDULERS[0].1);
        let (ended, report) = run(with_stand_in(&app, "lazy"));
        assert_eq!(ended.clean().count("20 pairs were equal"), 1);
        assert_eq!(waits(&report), 0);
    }
}

/// With `latency: low` terms ask instead of having the driver call back, which it does less often
/// then, no thread blocks for them, and nothing is left.
#[test]
fn terms_may_poll_the_device() {
    let apps = [
        dot_product(POOLS[0], "term", 20),
        with_event(&dot_product(POOLS[0], "term", 20)),
        buffers(10),
    ];
    let kind = scheduler(SCHEDULERS[1].1);
    for app in apps {
        let (_, called) = run(with_stand_in(&(app.clone() + &kind), "lazy"));
        for mode in modes() {
            let (ended, report) = run(with_stand_in(&(polling(&app) + &kind), mode));
            let ended = ended.clean();
            let results = ["20 pairs were equal", "buffer of 4096 bytes, sum 8836"];
            let found: usize = results.iter().map(|text| ended.count(text)).sum();
            assert!([1, 10].contains(&found), "{mode}\n{}", ended.stdout);
            report.nothing_is_left();
            if !is_on_gpu() {
                // Codelets may.
                assert_eq!(waits(&report), waits(&called), "{mode}");
                let callbacks = |report: &Report| report.get("call cuLaunchHostFunc");
                // Others still free memory.
                let fewer = callbacks(&called) - callbacks(&report);
                assert!(mode != "lazy" || fewer >= 10, "{fewer}");
            }
        }
    }
}

#[test]
fn a_consumer_waits_for_the_event_of_its_message() {
    for mode in modes() {
        let app = with_event(&dot_product(POOLS[0], "sync", 20));
        let (ended, report) = run(with_stand_in(&(app + &scheduler(SCHEDULERS[2].1)), mode));
        assert_eq!(ended.clean().count("20 pairs were equal"), 1, "{mode}");
        report.nothing_is_left();
    }
}

/// An entity does not tick while eight of its ticks have work that the device has not done, or as many as
/// the user says; and no other entity waits for that.
#[test]
fn entities_run_few_ticks_ahead_of_the_device() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not say how much work waited");
        return;
    }
    let ordinary = [
        "type: nvidia::gxf::HelloWorld",
        "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 200}",
    ];
    let count = "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 40}";
    let graph = pictures(count) + &entity("ordinary", &ordinary);
    let manifest =
        "extensions:\n- libgxf_cuda.so\n- libgxf_npp.so\n- libgxf_sample.so\n- libgxe_actors.so\n";
    let longest = |scheduled: &str, mode: &str, option: &str| {
        let app = format!("{graph}{}", scheduler(scheduled));
        let gxe = with_stand_in(&app, mode).file("manifest.yaml", manifest).args(option);
        let (ended, report) = run(gxe.env("CUDA_STAND_IN_SLOW", "2"));
        _ = ended.clean();
        report.nothing_is_left();
        assert_eq!(report.get("kernels"), 40);
        report.get("longest")
    };
    let actors = ("actors", "type: gxe::ActorScheduler, parameters: {clock: clock, threads: 2}");
    for (name, scheduled) in SCHEDULERS.into_iter().chain([actors]) {
        for mode in ["lazy", "random:1"] {
            let found = longest(scheduled, mode, "");
            assert!((2..=8).contains(&found), "{name}, {mode}: {found}");
        }
        for most in [1, 3] {
            let found = longest(scheduled, "random:7", &format!("--max-in-flight {most}"));
            assert!(found <= most, "{name}: {found}");
        }
        let found = longest(scheduled, "random:1", "--max-in-flight 0");
        assert!(found > 8, "{name}: {found}");
    }
}

/// A source that makes pictures on the device when a term lets it, and a sink that drops them.
fn pictures(term: &str) -> String {
    let source = [
        &format!("name: out, {TX}"),
        "name: pool, type: nvidia::gxf::UnboundedAllocator",
        "type: nvidia::gxf::NppiSet, parameters: {rows: 8, columns: 8, channels: 1, value: [1], \
         pool: pool, out: out}",
        term,
    ];
    let sink = [
        &format!("name: in, {RX}, parameters: {{capacity: 40}}"),
        "type: nvidia::gxf::PingRx, parameters: {signal: in}",
        &format!("{MESSAGE}in}}"),
    ];
    [entity("set", &source), entity("sink", &sink), connected("set/out", "sink/in")].concat()
}

/// The thread of a tick waits for the device if the driver refuses to say when it has done the work.
#[test]
fn who_cannot_be_called_back_waits_for_the_device() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver refuses nothing on demand");
        return;
    }
    let count = "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}";
    let app = pictures(count) + &scheduler(SCHEDULERS[0].1);
    let gxe = with_stand_in(&app, "lazy").file("manifest.yaml", OF_PICTURES);
    let gxe = gxe.args("--max-in-flight 1").env("CUDA_STAND_IN_FAIL", "cuLaunchHostFunc:1=2");
    let (ended, report) = run(gxe);
    assert_eq!(ended.status, Some(0), "{}", ended.stderr);
    assert_eq!((report.failed(), report.get("kernels")), (Some("cuLaunchHostFunc"), 5));
    assert_eq!(report.get("longest"), 1, "the second tick waited for the first one's work");
    report.nothing_is_left();
}

/// The same every 10 ms, and an entity that does nothing as often.
fn periodic(clock: &str, limit: &str) -> String {
    let period = "type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 10ms}";
    let scheduler = format!(
        "type: nvidia::gxf::GreedyScheduler, parameters: {{clock: clock, max_duration_ms: {limit}}}"
    );
    [
        pictures(period),
        entity("ordinary", &["type: nvidia::gxf::HelloWorld", period]),
        entity("scheduler", &[&format!("name: clock, type: nvidia::gxf::{clock}"), &scheduler]),
    ]
    .concat()
}

const OF_PICTURES: &str = "extensions:\n- libgxf_cuda.so\n- libgxf_npp.so\n- libgxf_sample.so\n";

/// Where time does not pass by itself, how often an entity ticks does not depend on the device's speed.
#[test]
fn a_slow_device_takes_no_time_of_a_clock_that_is_moved() {
    for mode in ["lazy", "random:1"] {
        let app = periodic("ManualClock", "395");
        let gxe = with_stand_in(&app, mode).file("manifest.yaml", OF_PICTURES);
        let (ended, report) = run(gxe.env("CUDA_STAND_IN_SLOW", "2"));
        _ = ended.clean();
        report.nothing_is_left();
        if !is_on_gpu() {
            assert_eq!(report.get("kernels"), 40, "{mode}");
            assert!(report.get("longest") <= 8, "{mode}");
        }
    }
}

/// An entity that waits for a device says so, to who asks meanwhile, in the statistics and in the trace.
#[test]
fn an_entity_that_is_ahead_of_the_device_says_that_it_waits() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU is too fast");
        return;
    }
    let gxe = with_stand_in(&periodic("RealtimeClock", "1500"), "random:1")
        .file("manifest.yaml", OF_PICTURES)
        .env("CUDA_STAND_IN_SLOW", "100")
        .args("--control control.sock --statistics=run.json --trace run.trace");
    let folder = gxe.folder();
    let running = gxe.spawn();
    eventually("it says what it waits for", || {
        let Some(mut client) = Client::of(&folder) else { return false };
        let status = client.ask("status").to_string();
        status.contains("for a CUDA device to do the work of its earlier ticks")
    });
    let (ended, [text, trace]) = running.end_with(|| {
        ["run.json", "run.trace"]
            .map(|it| std::fs::read_to_string(folder.join(it)).unwrap_or_default())
    });
    _ = ended.clean();
    assert!(trace.contains("waits for CUDA devices"));
    let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let entities = statistics["entities"].as_array().expect("a list");
    let waited = |name: &str| {
        let entity = entities.iter().find(|entity| entity["name"] == name).expect(name);
        entity["waited_ns"]["CUDA devices"].as_u64()
    };
    assert!(waited("set").is_some_and(|waited| waited > 100_000_000), "{text}");
    assert_eq!(waited("ordinary"), None);
}

/// A question takes a driver some microseconds: where the device keeps up, a tick asks less than one.
#[test]
fn the_driver_is_seldom_asked_whether_work_is_done() {
    const TICKS: u64 = 400;
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not count calls");
        return;
    }
    let source = [
        &format!("name: out, {TX}"),
        &format!("name: pool, {}", POOLS[0]),
        "type: nvidia::gxf::NppiSet, parameters: {rows: 16, columns: 8, channels: 3, value: [1, 2, 3], pool: pool, \
         out: out}",
        &format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {TICKS}}}"),
        &format!("{ROOM}out}}"),
    ];
    let multiply = "type: nvidia::gxf::NppiMulC, parameters: {in: in, factor: [2, 2, 2], pool: pool, out: out}";
    let sink = [
        &format!("name: in, {RX}"),
        "type: nvidia::gxf::PingRx, parameters: {signal: in}",
        &format!("{MESSAGE}in}}"),
    ];
    let mut app = entity("set", &source);
    for (name, before) in [("one", "set"), ("two", "one"), ("three", "two")] {
        app += &stage(name, multiply, POOLS[0]);
        app += &connected(&format!("{before}/out"), &format!("{name}/in"));
    }
    app += &entity("sink", &sink);
    app += &connected("three/out", "sink/in");
    app += &scheduler(SCHEDULERS[0].1);
    let (ended, report) = run(with_stand_in(&app, "eager").file("manifest.yaml", OF_PICTURES));
    _ = ended.clean();
    let asked = report.get("call cuEventQuery") + report.get("call cuStreamQuery");
    assert!(report.get("kernels") >= 4 * TICKS && asked < 2 * TICKS, "{report:?}");
}
