//! The standard components and behaviour trees, end to end: small graphs through the real binary,
//! with real extensions. Counters in the graphs decide; `StepCount` fails at the end otherwise.

use std::path::Path;
use std::process::{Command, Stdio};

const MANIFEST: &str = "extensions: [libgxf_sample.so, libgxf_test.so, libgxf_behavior_tree.so]";

/// One entity: its name and its components, one a line: `name Type key: value, key: value`.
fn entity(name: &str, components: &str) -> String {
    let mut text = format!("name: {name}\ncomponents:\n");
    for line in components.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut words = line.splitn(3, ' ');
        let (name, kind) = (words.next().unwrap(), words.next().unwrap());
        let kind = match kind.strip_prefix("gxe::") {
            Some(_) => kind.to_owned(),
            None => format!("nvidia::gxf::{kind}"),
        };
        let parameters = words.next().unwrap_or("");
        text += &format!("- {{name: {name}, type: '{kind}', parameters: {{{parameters}}}}}\n");
    }
    text + "---\n"
}

/// A greedy scheduler whose clock jumps, so that runs are exact.
fn manual() -> String {
    entity("scheduler", "clock ManualClock\n greedy GreedyScheduler clock: clock")
}

/// Sends a number of messages, one every 10 ms, stamped with the time.
fn sender(name: &str, count: u32) -> String {
    entity(
        name,
        &format!(
            "out DoubleBufferTransmitter capacity: 10
             tx PingTx signal: out, clock: scheduler/clock
             count CountSchedulingTerm count: {count}
             period PeriodicSchedulingTerm recess_period: 10ms"
        ),
    )
}

fn connections(pairs: &[(&str, &str)]) -> String {
    let lines = pairs.iter().enumerate().map(|(number, (source, target))| {
        format!("c{number} Connection source: {source}, target: {target}\n")
    });
    entity("connections", &lines.collect::<String>())
}

/// Takes whatever arrives and fails unless it was a number of messages.
fn counter(name: &str, expected: u32) -> String {
    entity(
        name,
        &format!(
            "in DoubleBufferReceiver capacity: 10
             rx test::PingPollRx signal: in, expected_counter: {expected}
             mail MessageAvailableSchedulingTerm receiver: in"
        ),
    )
}

/// How a run ended: exit status, and all it wrote.
fn run(app: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("app.yaml"), app).unwrap();
    std::fs::write(folder.path().join("manifest.yaml"), MANIFEST).unwrap();
    let binary = Path::new(env!("CARGO_BIN_EXE_gxe"));
    let output = Command::new(binary)
        .args(["--app", "app.yaml", "--manifest", "manifest.yaml"])
        .env("GXE_EXTENSION_PATH", binary.parent().unwrap())
        .env_remove("GXF_LOG_LEVEL")
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .expect("gxe starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (output.status.code(), text.concat())
}

#[track_caller]
fn succeeds(app: &[String]) -> String {
    let app = app.concat();
    let (status, log) = run(&app);
    assert_eq!(status, Some(0), "{app}\n{log}");
    log
}

#[track_caller]
fn fails_with(app: &[String], text: &str) {
    let (status, log) = run(&app.concat());
    assert_ne!(status, Some(0), "{log}");
    assert!(log.contains(text), "`{text}` is missing in\n{log}");
}

#[test]
fn a_batch_is_full_or_its_oldest_message_expires() {
    succeeds(&[
        sender("sender", 3),
        entity(
            "batch",
            "in DoubleBufferReceiver capacity: 10
             rx PingBatchRx signal: in, batch_size: 2, assert_full_batch: false
             steps test::StepCount expected_count: 2
             term ExpiringMessageAvailableSchedulingTerm max_batch_size: 2, \
                max_delay_ns: 25000000, receiver: in, clock: scheduler/clock",
        ),
        connections(&[("sender/out", "batch/in")]),
        manual(),
    ]);
}

#[test]
fn a_period_without_messages_ends_in_a_tick() {
    let term = "in DoubleBufferReceiver
                steps test::StepCount expected_count: 9
                term TERM execution_frequency: 100Hz, receivers: [in], \
                    sampling_mode: SumOfAll, min_sum: 1";
    succeeds(&[
        entity("gxf", &term.replace("TERM", "MessageAvailableFrequencyThrottler")),
        entity("holoscan", &term.replace("TERM", "MultiMessageAvailableTimeoutSchedulingTerm"))
            .replace("gxf::MultiMessageAvailableT", "holoscan::MultiMessageAvailableT"),
        entity(
            "scheduler",
            "clock ManualClock\n greedy GreedyScheduler clock: clock, max_duration_ms: 95",
        ),
    ]);
}

#[test]
fn one_of_several_terms_is_enough() {
    succeeds(&[
        sender("sender", 3),
        entity(
            "either",
            "one DoubleBufferReceiver
             two DoubleBufferReceiver
             rx MultiPingRx receivers: [one, two]
             steps test::StepCount expected_count: 3
             mail_one MessageAvailableSchedulingTerm receiver: one
             mail_two MessageAvailableSchedulingTerm receiver: two
             or OrSchedulingTermCombiner terms: [mail_one, mail_two]",
        ),
        connections(&[("sender/out", "either/two")]),
        manual(),
    ]);
}

/// More ticks than blocks: each needs one that came back, on another thread.
fn memory_user(pool: &str, size: u32, count: u32) -> String {
    entity(
        "user",
        &format!(
            "pool {pool}
             user gxe::test::MemoryUser allocator: pool, size: {size}, use_ms: 3
             steps test::StepCount expected_count: {count}
             free MemoryAvailableSchedulingTerm allocator: pool, min_blocks: 1
             count CountSchedulingTerm count: {count}"
        ),
    )
}

fn patient() -> String {
    entity(
        "scheduler",
        "clock RealtimeClock\n greedy GreedyScheduler clock: clock, stop_on_deadlock_timeout: 5000",
    )
}

#[test]
fn memory_that_comes_back_wakes_who_waits_for_it() {
    let log = succeeds(&[
        memory_user("BlockMemoryPool block_size: 100, num_blocks: 2", 100, 7),
        patient(),
    ]);
    assert_eq!(log.matches("storage type 0 (host)").count(), 1, "{log}");
    succeeds(&[memory_user("UnboundedAllocator", 5000, 7), patient()]);
}

#[test]
fn memory_errors_name_the_component_and_the_way_out() {
    let pool = "BlockMemoryPool storage_type: 1, block_size: 100, num_blocks: 2";
    fails_with(&[memory_user(pool, 1, 1), manual()], "component `pool`: `storage_type`: memory of");
    fails_with(&[memory_user(pool, 1, 1), manual()], "needs CUDA");
    let pool = "BlockMemoryPool block_size: 100, num_blocks: 2";
    fails_with(&[memory_user(pool, 101, 1), manual()], "101 bytes do not fit a block of 100");
}

#[test]
fn a_synthetic_clock_is_moved_by_a_codelet() {
    let list = "timestamps: [5, 7, 1000]";
    succeeds(&[
        entity("clock", "clock SyntheticClock initial_timestamp: 3"),
        entity(
            "setter",
            &format!(
                "on BooleanSchedulingTerm
                 set test::ClockSetter synthetic_clock: clock/clock, boolean_scheduling_term: on, \
                    {list}
                 steps test::StepCount expected_count: 4"
            ),
        ),
        entity(
            "checker",
            &format!(
                "on BooleanSchedulingTerm
                 check test::ClockChecker synthetic_clock: clock/clock, \
                    boolean_scheduling_term: on, {list}"
            ),
        ),
        manual(),
    ]);
}

#[test]
fn the_latest_value_can_be_read_again_and_again() {
    succeeds(&[
        entity(
            "fast",
            "out AsyncBufferTransmitter
             tx PingTxAsync signal: out, sleep_time_us: 1
             count CountSchedulingTerm count: 20",
        ),
        entity(
            "slow",
            "in AsyncBufferReceiver
             rx PingRxAsync signal: in, sleep_time_us: 1, verification_range_max: 20
             steps test::StepCount expected_count: 40
             mail MessageAvailableSchedulingTerm receiver: in
             count CountSchedulingTerm count: 40",
        ),
        connections(&[("fast/out", "slow/in")]),
        manual(),
    ]);
}

/// sender → Broadcast → two ways → Gather → Forward → counter
fn spread_and_gathered(mode: &str, expected: u32) -> Vec<String> {
    vec![
        sender("sender", 4),
        entity(
            "spread",
            &format!(
                "in DoubleBufferReceiver
                 one DoubleBufferTransmitter
                 two DoubleBufferTransmitter
                 spread Broadcast source: in, mode: {mode}
                 mail MessageAvailableSchedulingTerm receiver: in"
            ),
        ),
        entity(
            "gather",
            "one DoubleBufferReceiver
             two DoubleBufferReceiver
             out DoubleBufferTransmitter capacity: 2
             gather Gather sink: out
             mail MultiMessageAvailableSchedulingTerm receivers: [one, two]",
        ),
        entity(
            "forward",
            "in DoubleBufferReceiver capacity: 4
             out DoubleBufferTransmitter
             forward Forward in: in, out: out
             mail MessageAvailableSchedulingTerm receiver: in",
        ),
        counter("counter", expected),
        connections(&[
            ("sender/out", "spread/in"),
            ("spread/one", "gather/one"),
            ("spread/two", "gather/two"),
            ("gather/out", "forward/in"),
            ("forward/out", "counter/in"),
        ]),
        manual(),
    ]
}

#[test]
fn messages_are_spread_gathered_and_forwarded() {
    succeeds(&spread_and_gathered("Broadcast", 8));
    succeeds(&spread_and_gathered("RoundRobin", 4));
}

#[test]
fn a_topic_joins_what_has_its_name() {
    succeeds(&[
        sender("sender", 3),
        counter("one", 3),
        counter("two", 3),
        counter("other", 0),
        entity(
            "topics",
            "sends Topic topic_name: pings, transmitters: [sender/out]
             gets Topic topic_name: pings, receivers: [one/in, two/in]
             other Topic topic_name: pongs, receivers: [other/in]",
        ),
        manual(),
    ]);
}

#[test]
fn messages_get_back_the_pace_they_were_acquired_at() {
    // Four messages, acquired 10 ms apart, come all at once.
    succeeds(&[
        sender("sender", 4),
        entity(
            "dam",
            "in DoubleBufferReceiver capacity: 10
             out DoubleBufferTransmitter capacity: 10
             gather Gather sink: out
             mail MessageAvailableSchedulingTerm receiver: in, min_size: 4",
        ),
        entity(
            "throttler",
            "in DoubleBufferReceiver capacity: 10
             out DoubleBufferTransmitter
             throttle TimedThrottler transmitter: out, receiver: in, \
                execution_clock: scheduler/clock, throttling_clock: scheduler/clock, \
                scheduling_term: time
             time TargetTimeSchedulingTerm clock: scheduler/clock
             mail MessageAvailableSchedulingTerm receiver: in
             steps test::StepCount expected_count: 4",
        ),
        entity(
            "check",
            "in DoubleBufferReceiver
             check test::TestTimestampRx signal: in, delay: 10000000
             mail MessageAvailableSchedulingTerm receiver: in
             steps test::StepCount expected_count: 3",
        ),
        connections(&[
            ("sender/out", "dam/in"),
            ("dam/out", "throttler/in"),
            ("throttler/out", "check/in"),
        ]),
        manual(),
    ]);
}

#[test]
fn messages_of_the_same_time_pass_together() {
    succeeds(&[
        sender("left", 3),
        sender("right", 3),
        entity(
            "together",
            "left_in DoubleBufferReceiver
             right_in DoubleBufferReceiver
             left DoubleBufferTransmitter
             right DoubleBufferTransmitter
             sync Synchronization inputs: [left_in, right_in], outputs: [left, right]
             mail_left MessageAvailableSchedulingTerm receiver: left_in
             mail_right MessageAvailableSchedulingTerm receiver: right_in",
        ),
        counter("count_left", 3),
        counter("count_right", 3),
        connections(&[
            ("left/out", "together/left_in"),
            ("right/out", "together/right_in"),
            ("together/left", "count_left/in"),
            ("together/right", "count_right/in"),
        ]),
        manual(),
    ]);
}

#[test]
fn a_vault_takes_messages_and_lets_the_oldest_go() {
    succeeds(&[
        sender("sender", 4),
        entity(
            "vault",
            "in DoubleBufferReceiver
             vault Vault source: in, max_waiting_count: 2, drop_waiting: true
             mail MessageAvailableSchedulingTerm receiver: in
             steps test::StepCount expected_count: 4
             pool ThreadPool
             gpu GPUDevice dev_id: 1
             thread CPUThread pin_entity: true
             metric Metric aggregation_policy: mean, lower_threshold: 1.0",
        ),
        connections(&[("sender/out", "vault/in")]),
        manual(),
    ]);
}

/// A node of a behaviour tree; its counter stands before the codelet, so it counts failures, too.
fn node(name: &str, ticks: u32, repeats: u32, codelet: &str) -> String {
    entity(
        name,
        &format!(
            "term BTSchedulingTerm is_root: {}
             control EntityCountFailureRepeatController max_repeat_count: {repeats}
             steps test::StepCount expected_count: {ticks}, expected_start_count: 1
             node {codelet}, s_term: term",
            name == "root"
        ),
    )
}

fn constant(name: &str, ticks: u32, status: u32) -> String {
    node(name, ticks, 0, &format!("ConstantBehavior constant_status: {status}"))
}

#[test]
fn a_sequence_goes_on_after_success() {
    // The root ticks once to begin and once after each child; it does not poll.
    succeeds(&[
        node("root", 4, 0, "SequenceBehavior children: [a/term, pause/term, c/term]"),
        constant("a", 1, 0),
        node("pause", 2, 0, "TimerBehavior clock: scheduler/clock, delay: 60.0, switch_status: 0"),
        constant("c", 1, 0),
        manual(),
    ]);
    succeeds(&[
        node("root", 2, 0, "SequenceBehavior children: [a/term, b/term]"),
        constant("a", 1, 1),
        constant("b", 0, 0),
        manual(),
    ]);
}

#[test]
fn a_selector_goes_on_after_failure() {
    succeeds(&[
        node("root", 3, 0, "SelectorBehavior children: [a/term, b/term, c/term]"),
        constant("a", 1, 1),
        constant("b", 1, 0),
        constant("c", 0, 0),
        manual(),
    ]);
}

#[test]
fn a_switch_runs_one_child() {
    let switch = "SwitchBehavior children: [a/term, b/term], desired_behavior: 1";
    succeeds(&[node("root", 2, 0, switch), constant("a", 0, 0), constant("b", 1, 0), manual()]);
    fails_with(
        &[
            node("root", 0, 0, "SwitchBehavior children: [a/term], desired_behavior: 1"),
            constant("a", 0, 0),
            manual(),
        ],
        "`desired_behavior` is 1, and there is 1 child",
    );
}

#[test]
fn failures_repeat_a_number_of_times() {
    succeeds(&[node("root", 3, 2, "ConstantBehavior constant_status: 1"), manual()]);
}

#[test]
fn parallel_children_run_together_and_end_together() {
    succeeds(&[
        node(
            "root",
            3,
            0,
            "ParallelBehavior children: [a/term, b/term, long/term], success_threshold: 2, \
                failure_threshold: -1",
        )
        .replace("expected_count: 3", "expected_count: 2"),
        constant("a", 1, 0),
        constant("b", 1, 0),
        node("long", 1, 0, "TimerBehavior clock: scheduler/clock, delay: 60.0, switch_status: 0"),
        manual(),
    ]);
}

#[test]
fn a_child_can_be_repeated_after_success_and_after_deactivation() {
    let scheduler = entity(
        "scheduler",
        "clock ManualClock\n greedy GreedyScheduler clock: clock, max_duration_ms: 3500",
    );
    let timer = |status| {
        format!("TimerBehavior clock: scheduler/clock, delay: 1.0, switch_status: {status}")
    };
    let repeat =
        |again| format!("RepeatBehavior children: [child/term], repeat_after_failure: {again}");
    succeeds(&[
        node("root", 4, 0, &repeat(true)),
        node("child", 7, 0, &timer(0)),
        scheduler.clone(),
    ]);
    succeeds(&[
        node("root", 4, 0, &repeat(true)),
        node("child", 7, 0, &timer(1))
            .replace("expected_start_count: 1", "expected_start_count: 4"),
        scheduler,
    ]);
    succeeds(&[node("root", 2, 0, &repeat(false)), node("child", 2, 0, &timer(1)), manual()]);
}

#[test]
fn a_child_without_a_controller_is_named_as_the_problem() {
    fails_with(
        &[
            node("root", 0, 0, "SequenceBehavior children: [leaf/term]"),
            entity("leaf", "term BTSchedulingTerm is_root: false\n steps test::StepCount"),
            manual(),
        ],
        "the entity of a child has no controller",
    );
}
