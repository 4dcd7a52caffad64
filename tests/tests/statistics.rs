//! Statistics of a run: `gxe --statistics` and `JobStatistics`.

use gxe_tests::Gxe;
use gxe_tests::graphs::{EVERY_SECOND, connect, sender};
use serde_json::{Value, json};
use std::path::Path;

fn read(path: &Path) -> Value {
    let text =
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("statistics are JSON")
}

fn entity<'a>(statistics: &'a Value, name: &str) -> &'a Value {
    let entities = statistics["entities"].as_array().unwrap();
    entities.iter().find(|entity| entity["name"] == name).expect(name)
}

fn tick_counts(statistics: &Value, names: &[&str]) -> Vec<u64> {
    names.iter().map(|name| entity(statistics, name)["ticks"].as_u64().unwrap()).collect()
}

#[test]
fn on_a_manual_clock_counts_and_waits_are_exact() {
    let gxe = Gxe::scheduled(EVERY_SECOND).args("--statistics=run.json");
    let file = gxe.folder().join("run.json");
    let running = gxe.spawn();
    let (ended, statistics) = running.end_with(|| read(&file));
    let ended = ended.clean();
    assert_eq!(statistics["scheduler"], "nvidia::gxf::GreedyScheduler");
    assert_eq!(tick_counts(&statistics, &["tx", "rx"]), [5, 5]);
    let second = 1_000_000_000u64;
    assert_eq!(
        entity(&statistics, "tx")["waited_ns"],
        json!({"five": 0, "second": 4 * second}),
        "four periods between five ticks"
    );
    assert_eq!(entity(&statistics, "rx")["waited_ns"], json!({"mail": 4 * second}));
    assert_eq!(
        statistics["queues"],
        json!([
            {"entity": "tx", "component": "out", "capacity": 10, "median_fill": 2,
             "max_fill": 2, "messages": 10, "dropped": 0, "max_payload_bytes": 4},
            {"entity": "rx", "component": "in", "capacity": 4, "median_fill": 2,
             "max_fill": 2, "messages": 10, "dropped": 0},
        ])
    );
    assert_eq!(
        statistics["connections"],
        json!([{"source": "tx/out", "target": "rx/in", "messages": 10, "dropped": 0}])
    );
    // Whatever the times are, the parts must add up.
    for name in ["tx", "rx"] {
        let times = &entity(&statistics, name)["execution_ns"];
        let time = |key: &str| times[key].as_f64().unwrap();
        assert!(time("median") > 0.0 && time("median") <= time("p90"), "{times}");
        assert!(time("p90") <= time("p95") && time("p95") <= time("p99"), "{times}");
        assert!(time("p99") <= time("max") && time("max") <= time("total"), "{times}");
        assert!((time("mean") - time("total") / 5.0).abs() < 1.0, "{times}");
    }
    let codelets = entity(&statistics, "rx")["codelets"].as_array().unwrap();
    let of_codelets: u64 =
        codelets.iter().map(|codelet| codelet["execution_ns"]["total"].as_u64().unwrap()).sum();
    assert_eq!(codelets.len(), 2);
    assert_eq!(json!(of_codelets), entity(&statistics, "rx")["execution_ns"]["total"]);
    // The table on standard output, surrounded by other lines.
    assert!(ended.stdout.contains(" under GreedyScheduler\n"), "{}", ended.stdout);
    let table = ended.stdout.lines().filter(|line| !line.starts_with("20"));
    let table: Vec<&str> = table.collect();
    assert!(table.iter().all(|line| line.chars().count() <= 80), "{table:#?}");
    assert!(table.contains(&"  waited 4.00 s for second"), "{table:#?}");
    assert!(table.iter().any(|line| line.starts_with("  first ")), "{table:#?}");
}

#[test]
fn lost_messages_are_counted_whatever_the_policy() {
    for policy in 0..3 {
        let app = EVERY_SECOND
            .replace("publish: 2", "publish: 6")
            .replace("capacity: 4", &format!("capacity: 4, policy: {policy}"));
        let gxe = Gxe::scheduled(&app).args("--statistics=run.json");
        let file = gxe.folder().join("run.json");
        let (ended, statistics) = gxe.spawn().end_with(|| read(&file));
        let _ = ended.with_status(0);
        assert_eq!(
            statistics["connections"],
            json!([{"source": "tx/out", "target": "rx/in", "messages": 30, "dropped": 10}]),
            "policy {policy}"
        );
        let receiver = &statistics["queues"][1];
        assert_eq!((&receiver["messages"], &receiver["dropped"]), (&json!(20), &json!(10)));
        assert_eq!(receiver["max_fill"], 4);
    }
}

/// They are those of the end of the run, although the graph is deactivated after that.
#[test]
fn a_graph_that_failed_has_the_states_of_its_entities() {
    let app = EVERY_SECOND.replace("publish: 2", "publish: 11");
    let gxe = Gxe::scheduled(&app).args("--statistics=run.json");
    let file = gxe.folder().join("run.json");
    let (ended, statistics) = gxe.spawn().end_with(|| read(&file));
    let _ = ended.with_status(5);
    let states = ["tx", "rx"].map(|name| entity(&statistics, name)["state"].clone());
    assert_eq!(states, ["stopped", "stopped"], "{statistics}");
}

/// A chain with back-pressure under a scheduler with workers and a real-time clock.
fn chain(scheduler: &str, messages: u32) -> String {
    let mut app = String::new();
    for stage in 0..4 {
        let (input, output) = (stage > 0, stage < 3);
        app += &format!("---\nname: stage{stage}\ncomponents:\n");
        let mut ports = Vec::new();
        if input {
            app += "- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 2}}\n\
                    - {name: mail, type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: \
                    {receiver: in}}\n";
            ports.push("receivers: [in], take: 1");
        } else {
            app += &format!(
                "- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {messages}}}}}\n"
            );
        }
        if output {
            app += "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
                    - {name: room, type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: \
                    {transmitter: out, min_size: 1}}\n";
            ports.push("transmitters: [out], publish: 1");
        }
        let ports = ports.join(", ");
        app += &format!("- {{name: p, type: gxe::test::Probe, parameters: {{{ports}}}}}\n");
        if input {
            app += &format!(
                "---\ncomponents:\n- {{type: nvidia::gxf::Connection, parameters: {{source: \
                 stage{}/out, target: stage{stage}/in}}}}\n",
                stage - 1
            );
        }
    }
    app + &format!(
        "---\ncomponents:\n- {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
         - {{type: {scheduler}, parameters: {{clock: clock, worker_thread_number: 2}}}}\n"
    )
}

#[test]
fn with_workers_no_tick_and_no_message_is_missed() {
    for scheduler in ["nvidia::gxf::MultiThreadScheduler", "nvidia::gxf::EventBasedScheduler"] {
        let gxe = Gxe::app(&chain(scheduler, 300)).args("--severity 1 --statistics=run.json");
        let file = gxe.folder().join("run.json");
        let (ended, statistics) = gxe.spawn().end_with(|| read(&file));
        let _ = ended.clean();
        assert_eq!(statistics["scheduler"], scheduler);
        let stages = ["stage0", "stage1", "stage2", "stage3"];
        assert_eq!(tick_counts(&statistics, &stages), [300; 4]);
        for connection in statistics["connections"].as_array().unwrap() {
            assert_eq!(
                (&connection["messages"], &connection["dropped"]),
                (&json!(300), &json!(0)),
                "{connection}"
            );
        }
        assert_eq!(statistics["connections"].as_array().unwrap().len(), 3);
        for queue in statistics["queues"].as_array().unwrap() {
            assert_eq!(queue["messages"], 300, "{queue}");
            assert!(queue["max_fill"].as_u64() <= queue["capacity"].as_u64(), "{queue}");
        }
    }
}

/// The trace hash of a run: the last line of the table, and the same in the file.
fn trace_hash(app: &str) -> String {
    let gxe = Gxe::app(app).args("--severity 1 --statistics=run.json");
    let file = gxe.folder().join("run.json");
    let (ended, statistics) = gxe.spawn().end_with(|| read(&file));
    let ended = ended.clean();
    let hash = statistics["trace_hash"]["sha256"].as_str().unwrap();
    assert_eq!(statistics["version"], 1);
    assert!(ended.stdout.contains(&format!("\ntrace hash {hash}\n")), "{}", ended.stdout);
    hash.to_owned()
}

#[test]
fn on_a_manual_clock_the_trace_hash_repeats_and_a_parameter_changes_it() {
    for scheduler in ["Greedy", "Epoch", "MultiThread", "EventBased"] {
        let scheduled = |app: &str| {
            format!(
                "{app}---\ncomponents:\n- {{name: clock, type: nvidia::gxf::ManualClock}}\n\
                 - {{type: nvidia::gxf::{scheduler}Scheduler, parameters: {{clock: clock}}}}\n"
            )
        };
        let app = scheduled(EVERY_SECOND);
        let hash = trace_hash(&app);
        assert_eq!(hash.len(), 64);
        for _ in 0..3 {
            assert_eq!(trace_hash(&app), hash, "{scheduler}");
        }
        for (before, after) in
            [("recess_period: 1s", "recess_period: 2s"), ("count: 5", "count: 4"), ("tx", "ty")]
        {
            let changed = scheduled(&EVERY_SECOND.replace(before, after));
            assert_ne!(trace_hash(&changed), hash, "{scheduler}: {after}");
        }
    }
}

#[test]
fn the_order_in_which_workers_run_independent_entities_does_not_change_the_trace_hash() {
    // A receiver that is asked between the two messages of a tick would tick once for each.
    let one_message = EVERY_SECOND.replace(", publish: 2", "");
    let pairs = |workers: u32| {
        let mut app = String::new();
        for pair in 0..8 {
            for name in ["tx", "rx"] {
                let own = one_message
                    .split("---\n")
                    .find(|entity| entity.starts_with(&format!("name: {name}\n")));
                let named = format!("name: {name}{pair}");
                app += &own.unwrap().replace(&format!("name: {name}"), &named);
                app += "---\n";
            }
            app += &format!(
                "components:\n- {{type: nvidia::gxf::Connection, \
                 parameters: {{source: tx{pair}/out, target: rx{pair}/in}}}}\n---\n"
            );
        }
        app + &format!(
            "components:\n- {{name: clock, type: nvidia::gxf::ManualClock}}\n\
             - {{type: nvidia::gxf::EventBasedScheduler, \
             parameters: {{clock: clock, worker_thread_number: {workers}}}}}\n"
        )
    };
    let alone = trace_hash(&pairs(1));
    for workers in [1, 2, 8] {
        assert_eq!(trace_hash(&pairs(workers)), alone, "{workers} workers");
    }
}

#[test]
fn a_run_that_fails_is_reported_too() {
    let app = EVERY_SECOND
        .replace("{receivers: [in]}", "{receivers: [in], fail_in: tick, trouble_at_tick: 3}");
    let gxe = Gxe::scheduled(&app).args("--statistics=run.json");
    let file = gxe.folder().join("run.json");
    let (ended, statistics) = gxe.spawn().end_with(|| read(&file));
    let ended = ended.with_status(5);
    assert_eq!(tick_counts(&statistics, &["tx", "rx"]), [3, 2]);
    assert_eq!(entity(&statistics, "rx")["failed_ticks"], 1);
    assert!(ended.stdout.contains("\nentity  "), "{}", ended.stdout);
}

#[test]
fn a_run_that_is_interrupted_is_reported_too() {
    let app = EVERY_SECOND.replace("recess_period: 1s", "recess_period: 1ms");
    let app = app.replace("count: 5", "count: -1")
        + "---\nname: scheduler\ncomponents:\n- {name: clock, type: nvidia::gxf::RealtimeClock}\n\
           - {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n";
    let mut running = Gxe::app(&app).args("--statistics").spawn();
    running.wait_for("probe second tick");
    running.signal("INT");
    let ended = running.end().with_status(130);
    assert!(ended.stdout.contains("\nqueue  "), "{}", ended.stdout);
    assert!(ended.stdout.contains("\nrx/in "), "{}", ended.stdout);
}

#[test]
fn without_the_flag_nothing_is_printed() {
    let ended = Gxe::scheduled(EVERY_SECOND).run().clean();
    assert!(!ended.stdout.contains("entity  "), "{}", ended.stdout);
}

#[test]
fn a_file_that_cannot_be_written_is_found_before_the_run() {
    for flag in ["--statistics=", "--trace=", "--flight-recorder="] {
        let ended = Gxe::scheduled(EVERY_SECOND)
            .args(&format!("{flag}no/such/folder"))
            .run()
            .with_status(2);
        ended.complains("no/such/folder");
        assert_eq!(ended.probes(), [""; 0], "nothing ran");
    }
}

#[test]
fn a_report_of_job_statistics_without_a_folder_is_found_before_the_run() {
    let app = EVERY_SECOND.to_owned()
        + "---\nname: statistics\ncomponents:\n- type: nvidia::gxf::JobStatistics\n  parameters: \
           {clock: scheduler/clock, json_file_path: no/folder/jobs.json}\n";
    let ended = Gxe::scheduled(&app).run().with_status(4);
    ended.complains("`json_file_path`: there is no folder `no/folder`");
    ended.complains("{clock: scheduler/clock, json_file_path: no/folder/jobs.json}");
    assert_eq!(ended.probes(), [""; 0], "nothing ran");
}

#[test]
fn job_statistics_reports_in_gxfs_form() {
    let app = EVERY_SECOND.to_owned()
        + "---\nname: statistics\ncomponents:\n- type: nvidia::gxf::JobStatistics\n  parameters: \
           {clock: scheduler/clock, codelet_statistics: true, json_file_path: jobs.json, \
           event_history_count: 3}\n";
    let gxe = Gxe::scheduled(&app);
    let file = gxe.folder().join("jobs.json");
    let (ended, report) = gxe.spawn().end_with(|| read(&file));
    let ended = ended.clean();
    assert_eq!(ended.count("Job statistics:"), 1);
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(keys(&report), ["entities", "codelets", "events", "terms"]);
    let tx = &report["entities"][0];
    assert_eq!(
        keys(tx),
        [
            "name",
            "count",
            "execution_time_median_ms",
            "execution_time_90_ms",
            "execution_time_max_ms",
            "load_percentage",
            "execution_time_ms",
            "variation_median_ns",
            "variation_90_ns",
            "variation_max_ns",
        ]
    );
    assert_eq!((&tx["name"], &tx["count"]), (&json!("tx"), &json!(5)));
    assert_eq!(tx["variation_max_ns"], 0, "a manual clock is never late");
    let codelets = report["codelets"].as_array().unwrap();
    let names: Vec<_> = codelets.iter().map(|codelet| codelet["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["tx/send", "rx/first", "rx/second"]);
    assert!(codelets.iter().all(|codelet| codelet["count"] == 5), "{codelets:?}");
    let second = 1_000_000_000u64;
    assert_eq!(
        report["events"][0]["events"],
        json!([
            {"timestamp": 3 * second, "state": "WaitTime"},
            {"timestamp": 4 * second, "state": "Ready"},
            {"timestamp": 4 * second, "state": "Never"},
        ]),
        "the last three"
    );
    let terms = report["terms"].as_array().unwrap();
    let term = terms.iter().find(|term| term["entity"] == "tx" && term["name"] == "second");
    let states = &term.expect("the term of tx")["states"];
    assert_eq!(states["WaitTime"], json!({"count": 5, "time_ms": 4000.0}));
}

#[test]
fn allocators_tell_how_much_was_in_use() {
    let app = "\
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::BlockMemoryPool,
   parameters: {storage_type: 2, block_size: 3000, num_blocks: 4}}
- {name: unused, type: nvidia::gxf::UnboundedAllocator}
- type: nvidia::gxf::test::TensorGenerator
  parameters: {output: out, allocator: pool, shape: [10, 10], storage_type: 2,
    number_of_tensors: 2}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::test::Probe, parameters: {receivers: [in]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: sink/in}}
";
    let gxe = Gxe::scheduled(app).args("--statistics=run.json");
    let file = gxe.folder().join("run.json");
    let (ended, statistics) = gxe.spawn().end_with(|| read(&file));
    let _ = ended.clean();
    assert_eq!(
        statistics["allocators"],
        json!([
            {"entity": "source", "component": "pool", "used_bytes": 0, "peak_bytes": 6000,
                "allocations": 10},
            {"entity": "source", "component": "unused", "used_bytes": 0, "peak_bytes": 0,
                "allocations": 0},
        ])
    );
}

/// The first message to `late` is 100 ms old when the second arrives, which it needs; `kept` takes
/// each at once.
fn late_and_kept(late: &str) -> String {
    let entity = |name: &str, wanted: u32, deadline: &str| {
        format!(
            "---
name: {name}
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 2}}}}
- {{name: {name}, type: gxe::test::Probe, parameters: {{receivers: [in]}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm,
   parameters: {{receiver: in, min_size: {wanted}}}}}
- {{name: deadline, type: gxe::Deadline, parameters: {{{deadline}}}}}
"
        )
    };
    let source = sender("source", 8).replacen("---\n", "", 1)
        + "- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 100ms}}\n";
    source
        + &entity("late", 2, late)
        + &entity("kept", 1, "limit: 1")
        + &connect(&[("source/out", "late/in"), ("source/out", "kept/in")])
}

#[test]
fn deadlines_count_from_the_publication_of_the_first_message() {
    let gxe = Gxe::scheduled(&late_and_kept("limit: 99ms"))
        .args("--statistics=run.json --trace=run.trace");
    let folder = gxe.folder();
    let (ended, (statistics, trace)) =
        gxe.spawn().end_with(|| (read(&folder.join("run.json")), read(&folder.join("run.trace"))));
    let ended = ended.clean();
    assert_eq!(
        statistics["deadlines"],
        json!([
            {"entity": "late", "component": "deadline", "limit_ns": 99_000_000, "missed": 4,
                "longest_ns": 100_000_000},
            {"entity": "kept", "component": "deadline", "limit_ns": 1, "missed": 0,
                "longest_ns": 0},
        ])
    );
    let log = ended.log();
    let said: Vec<_> = log.iter().filter(|line| line.contains("deadline (")).collect();
    let line = |number: u32| {
        format!(
            "entity `late` missed its deadline (number {number}): the tick took 100ms, and 99ms are \
             allowed"
        )
    };
    assert_eq!(said, [&line(1), &line(2), &line(4)], "not each");
    let events = trace["traceEvents"].as_array().unwrap();
    assert_eq!(events.iter().filter(|event| event["name"] == "missed").count(), 4);
}

#[test]
fn a_missed_deadline_can_end_the_run() {
    let ended = Gxe::scheduled(&late_and_kept("limit: 99ms, on_miss: stop")).run().with_status(5);
    ended.complains("the tick took 100ms, and 99ms are allowed");
    assert_eq!(ended.ticks("late").len(), 1, "{}", ended.stdout);
}

#[test]
fn a_deadline_needs_a_time() {
    let ended = Gxe::scheduled(&late_and_kept("limit: soon")).run().with_status(4);
    ended.complains("`limit`: `soon` is not a period");
}

#[test]
fn graph_pages_tell_missed_deadlines() {
    let gxe = Gxe::scheduled(&late_and_kept("limit: 99ms")).args("--statistics=run.json");
    let folder = gxe.folder();
    let (ended, page) = gxe.spawn().end_with(|| {
        Gxe::in_folder(&folder)
            .args(
                "graph --app app.yaml --manifest manifest.yaml --statistics run.json --format svg",
            )
            .run()
            .clean()
    });
    let _ = ended.clean();
    assert!(page.stdout.contains("missed 4 deadlines"), "{}", page.stdout);
}
