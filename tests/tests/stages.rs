//! Entities that are a stage of a pipeline run by a path of their own, on which a message need not pass
//! the queue of its transmitter. The codelet cannot tell: with an observer they run by the common path, and what
//! a codelet sees of its transmitter, what arrives, and how the run ends are the same.

use gxe_tests::{Ended, Gxe};
use proptest::prelude::*;

/// Ticks of a stage. At first, until its thread owns its locks, it runs by the common path.
const TICKS: usize = 300;

/// A source of numbers, the codelet of the script, and a sink.
fn app(script: &str, sender: &str, receiver: &str, terms: &str) -> Gxe {
    Gxe::scheduled(&format!(
        "\
name: source
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: out}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {TICKS}}}}}
- {{name: source, type: gxe::test::Probe, parameters: {{transmitters: [out]}}}}
---
name: stage
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {{{sender}}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
{terms}
- name: stage
  type: gxe::test::PortScript
  parameters: {{receiver: in, transmitter: out, script: [{script}]}}
---
name: sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{{receiver}}}}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
- {{name: sink, type: gxe::test::Probe, parameters: {{receivers: [in], take: 1, log_stamps: true}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: source/out, target: stage/in}}}}
- {{type: nvidia::gxf::Connection, parameters: {{source: stage/out, target: sink/in}}}}
"
    ))
}

/// What can be seen of a run, without the names of its files.
fn seen(ended: &Ended) -> Vec<String> {
    let status = format!("{:?}", ended.status);
    let lines = ended.probes().into_iter().chain(ended.notes()).map(str::to_owned);
    lines.chain([status]).collect()
}

const TERM: &str =
    "- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}";

#[test]
fn a_transmitter_shows_what_was_published_in_the_same_tick() {
    let script = "forward counts publish counts, counts sync counts, publish sync counts peek pop, \
                  elsewhere publish counts, share push publish";
    let ended = app(script, "capacity: 3", "capacity: 9", TERM).run().clean();
    let expected = [
        "forward=done counts=0+1 publish=done counts=0+2",
        "counts=0+0 sync=done counts=0+0",
        "publish=done sync=done counts=1+0 peek=N pop=N",
        "elsewhere=done publish=done counts=0+2",
        "share=done push=done publish=done",
    ];
    let mut next = 0;
    let mut arrive = Vec::new();
    for (tick, number) in ended.ticks("stage").iter().zip(0..) {
        let line = number % expected.len();
        assert_eq!(*tick, expected[line].replace('N', &next.to_string()), "tick {number}");
        let (forwarded, published) = [(1, 1), (0, 0), (0, 0), (0, 2), (0, 3)][line];
        arrive.extend((0..forwarded).map(|_| number).chain(next..next + published));
        next += published + usize::from(line == 2);
    }
    let arrived = ended.ticks("sink").join(" ");
    let arrived: Vec<_> = arrived.split(' ').map(|message| message.replace("@0/0", "")).collect();
    assert_eq!(arrived, arrive.iter().map(ToString::to_string).collect::<Vec<_>>());
}

#[test]
fn what_a_tick_that_fails_has_published_goes_nowhere() {
    let script = format!("{}publish fail", "forward, ".repeat(TICKS - 1));
    let ended = app(&script, "", "", TERM).run().with_status(5);
    assert_eq!(ended.ticks("stage").last().map(String::as_str), Some("publish=done"));
    let numbers: Vec<_> = ended.ticks("sink").iter().map(|tick| tick.replace("@0/0", "")).collect();
    let forwarded: Vec<_> = (0..TICKS - 1).map(|number| number.to_string()).collect();
    assert_eq!(numbers, forwarded);
}

fn words() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "forward", "forward", "forward", "publish", "publish", "push", "share", "peek", "pop",
        "counts", "counts", "sync",
    ]);
    let line = prop::collection::vec(word, 0..5).prop_map(|words| words.join(" "));
    let fails = prop::bool::weighted(0.05);
    let line = (line, fails)
        .prop_map(|(line, fails)| format!("'{line}{}'", if fails { " fail" } else { "" }));
    prop::collection::vec(line, 1..5).prop_map(|lines| lines.join(", "))
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if gxe_tests::is_thorough() { 2_000 } else { 16 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn an_observed_stage_and_one_that_is_not_do_the_same(
        script in words(),
        sender in (1..4, 0..3),
        receiver in (1..4, 0..3),
        waits in any::<bool>(),
        count in prop::option::weighted(0.3, -1..400),
    ) {
        let queue = |(capacity, policy)| format!("capacity: {capacity}, policy: {policy}");
        let (sender, receiver) = (queue(sender), queue(receiver));
        let mut terms = if waits { TERM } else { "" }.to_owned();
        if let Some(count) = count {
            terms += &format!(
                "\n- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}"
            );
        }
        let app = || app(&script, &sender, &receiver, &terms);
        let stage = app().run();
        let observed = app().args("--statistics=run.json").run();
        let (stage, observed) = (seen(&stage), seen(&observed));
        let same = stage.iter().zip(&observed).take_while(|(one, other)| one == other).count();
        prop_assert_eq!(stage.get(same), observed.get(same), "line {}", same);
    }
}
