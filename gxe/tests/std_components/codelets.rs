//! Codelets and queues between entities.

use crate::{connections, counter, entity, manual, sender, succeeds};

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
