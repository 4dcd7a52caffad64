//! The special actors of OneFlow's runtime (`libgxe_actors.so`). What each sequence must be comes from
//! the rules of that runtime: an accumulator publishes after the k-th input, a repeater n times the
//! same, and so on. Every app runs under the greedy scheduler and as actors on one and two threads.

use gxe_tests::flow::Flow;
use gxe_tests::{Gxe, Line, lines_of};
use std::path::Path;

const MANIFEST: &str = "extensions:\n- libgxe_io.so\n- libgxe_math.so\n- libgxe_actors.so\n";

/// Rows `x` from 0, two in a message, in so many messages.
fn rows(messages: usize) -> Flow {
    let parameters = format!("columns: ['x = i'], rows: 2, messages: {messages}");
    Flow::default().then("source", "gxe::math::Signal", &parameters)
}

fn prepared(app: &str) -> Gxe {
    with_files(Gxe::alone(), app)
}

fn prepared_in(folder: &Path, app: &str) -> Gxe {
    with_files(Gxe::in_folder(folder), app)
}

fn with_files(gxe: Gxe, app: &str) -> Gxe {
    gxe.file("app.yaml", app)
        .file("manifest.yaml", MANIFEST)
        .args("--app app.yaml --manifest manifest.yaml")
}

/// The app with the scheduler of actors.
#[track_caller]
fn as_actors(app: &str, threads: u32) -> String {
    let greedy = "nvidia::gxf::GreedyScheduler\n  parameters:\n";
    assert!(app.contains(greedy), "{app}");
    let actors = format!("gxe::ActorScheduler\n  parameters:\n    threads: {threads}\n");
    app.replace(greedy, &actors)
}

/// What an app prints under each scheduler.
#[track_caller]
fn each_prints(app: &str) -> [Vec<String>; 3] {
    [None, Some(1), Some(2)].map(|actors| {
        let app = actors.map_or_else(|| app.to_owned(), |threads| as_actors(app, threads));
        let ended = prepared(&app).run().clean();
        let lines = lines_of(&ended.stdout).filter_map(|line| match line {
            Line::Other(text) => Some(text.to_owned()),
            Line::Log { .. } => None,
        });
        lines.collect()
    })
}

/// What an app prints, which must be the same under each scheduler.
#[track_caller]
fn prints(app: &str) -> Vec<String> {
    let [greedy, one_thread, two_threads] = each_prints(app);
    assert_eq!(greedy, one_thread);
    assert_eq!(greedy, two_threads);
    greedy
}

/// The JSON lines that a chain ends with.
#[track_caller]
fn json(flow: Flow) -> Vec<String> {
    prints(&flow.then("sink", "gxe::io::JsonLinesSink", "address: '-'").app())
}

#[test]
fn a_repeater_sends_each_message_n_times() {
    let flow = rows(2).then("repeat", "gxe::actors::Repeat", "count: 3");
    let (first, second) = ([r#"{"x":0}"#, r#"{"x":1}"#], [r#"{"x":2}"#, r#"{"x":3}"#]);
    assert_eq!(json(flow), [first, first, first, second, second, second].concat());
}

#[test]
fn an_accumulator_publishes_the_sum_after_the_k_th_input() {
    // 0 + 2 + 4 and 1 + 3 + 5; the next three; the seventh message is in no sum.
    let flow = rows(7).then("sum", "gxe::actors::Accumulate", "count: 3");
    assert_eq!(json(flow), [r#"{"x":6}"#, r#"{"x":9}"#, r#"{"x":24}"#, r#"{"x":27}"#]);
}

#[test]
fn packing_and_unpacking_are_opposites() {
    // Parts of one row each; then three parts in one.
    let flow = rows(3)
        .then("unpack", "gxe::actors::Unpack", "count: 2")
        .then("pack", "gxe::actors::Pack", "count: 3")
        .then(
            "size",
            "gxe::math::Window",
            "length: 3, aggregates: ['all = sum(x)', 'n = count(x)']",
        );
    assert_eq!(json(flow), [r#"{"all":3,"n":3}"#, r#"{"all":12,"n":3}"#]);
}

/// Two sources and what brings them together.
fn two(name: &str, codelet: &str) -> Flow {
    let source = |flow: Flow, name: &str, from: u32| {
        let parameters = format!("columns: ['x = i + {from}'], rows: 1, messages: 2");
        flow.source(name, "gxe::math::Signal", &parameters)
    };
    source(source(Flow::default(), "a", 0), "b", 10).join(
        name,
        codelet,
        "inputs: [first, second]",
        &[("a", "first"), ("b", "second")],
    )
}

#[test]
fn an_input_wise_actor_publishes_when_every_input_was_handled_once() {
    assert_eq!(json(two("sum", "gxe::actors::InputWise")), [r#"{"x":10}"#, r#"{"x":12}"#]);
}

#[test]
fn esac_says_where_a_message_came_from_and_case_sends_it_there() {
    // Back to two branches; each has what its source sent, in order.
    let esac = two("esac", "gxe::actors::Esac");
    let app = esac.app();
    let (entities, rest) = app.split_once("---\ncomponents:\n").expect("the connections");
    let queue = |name: &str| format!("- {{name: {name}, type: nvidia::gxf::DoubleBuffer");
    let sink = |name: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n{}Receiver}}\n- {{type: gxe::io::JsonLinesSink, \
             parameters: {{input: in, address: {name}.jsonl}}}}\n",
            queue("in")
        )
    };
    let app = format!(
        "{entities}---\nname: case\ncomponents:\n{}Receiver}}\n{}Transmitter}}\n{}Transmitter}}\n\
         - {{type: gxe::actors::Case, parameters: {{input: in, outputs: [left, right]}}}}\n{}{}\
         ---\ncomponents:\n\
         - {{type: nvidia::gxf::Connection, parameters: {{source: esac/out, target: case/in}}}}\n\
         - {{type: nvidia::gxf::Connection, parameters: {{source: case/left, target: zero/in}}}}\n\
         - {{type: nvidia::gxf::Connection, parameters: {{source: case/right, target: one/in}}}}\n\
         {rest}",
        queue("in"),
        queue("left"),
        queue("right"),
        sink("zero"),
        sink("one"),
    );
    for actors in [false, true] {
        let app = if actors { as_actors(&app, 2) } else { app.clone() };
        let folder = tempfile::tempdir().expect("a folder");
        let _ = prepared_in(folder.path(), &app).run().clean();
        let read = |name| std::fs::read_to_string(folder.path().join(name)).expect("the lines");
        assert_eq!(read("zero.jsonl"), "{\"x\":0,\"index\":0}\n{\"x\":1,\"index\":0}\n");
        assert_eq!(read("one.jsonl"), "{\"x\":10,\"index\":1}\n{\"x\":11,\"index\":1}\n");
    }
}

#[test]
fn ticks_are_counted_and_joined() {
    // Six ticks make two; each starts one message of the repeated ids.
    let app = "default_conditions: true
---
name: ticks
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::SourceTick, parameters: {output: out, count: 6}}
---
name: third
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::AccumulateTick, parameters: {input: in, output: out, count: 3}}
---
name: ids
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::WaitAndSendIds, parameters: {output: out, ids: [7, 8, 9]}}
---
name: both
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: id, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::Tick, parameters: {inputs: [in, id], output: out}}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::actors::Sink, parameters: {inputs: [in]}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: ticks/out, target: third/in}}
- {type: nvidia::gxf::Connection, parameters: {source: third/out, target: both/in}}
- {type: nvidia::gxf::Connection, parameters: {source: ids/out, target: both/id}}
- {type: nvidia::gxf::Connection, parameters: {source: both/out, target: sink/in}}
";
    for scheduler in ["nvidia::gxf::GreedyScheduler", "gxe::ActorScheduler"] {
        let app = format!("{app}{}", gxe_tests::SCHEDULER)
            .replace("nvidia::gxf::GreedyScheduler", scheduler);
        let folder = tempfile::tempdir().expect("a folder");
        let _ = prepared_in(folder.path(), &app).args("--statistics=statistics.json").run().clean();
        let text = std::fs::read_to_string(folder.path().join("statistics.json")).expect("it");
        let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let ticks = |name: &str| {
            let entities = statistics["entities"].as_array().expect("entities");
            let entity = entities.iter().find(|entity| entity["name"] == name).expect("an entity");
            entity["ticks"].as_u64().expect("a number")
        };
        let counts = ["ticks", "third", "both", "sink"].map(ticks);
        assert_eq!(counts, [6, 6, 2, 2], "{scheduler}");
    }
}

/// Two users of a lock: each asks twice, and what it does with the lock gives it back.
#[test]
fn a_lock_lets_one_user_go_on_at_a_time() {
    let user = |name: &str, from: u32| {
        format!(
            "---
name: {name}
components:
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: gxe::actors::WaitAndSendIds, parameters: {{output: out, ids: [{from}, {}]}}}}
---
name: {name}_work
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: done, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::Broadcast, parameters: {{source: in}}}}
",
            from + 1
        )
    };
    let connections: String = [
        ("a/out", "lock/ask_a"),
        ("b/out", "lock/ask_b"),
        ("lock/for_a", "a_work/in"),
        ("lock/for_b", "b_work/in"),
        ("a_work/done", "lock/done_a"),
        ("b_work/done", "lock/done_b"),
        ("a_work/out", "both/a"),
        ("b_work/out", "both/b"),
        ("both/out", "sink/in"),
    ]
    .iter()
    .map(|(source, target)| {
        format!(
            "- {{type: nvidia::gxf::Connection, parameters: {{source: {source}, target: {target}}}}}\n"
        )
    })
    .collect();
    let queues = |kind: &str, names: &[&str]| -> String {
        let queue = |name| format!("- {{name: {name}, type: nvidia::gxf::DoubleBuffer{kind}}}\n");
        names.iter().map(queue).collect()
    };
    let app = format!(
        "default_conditions: true\n{}{}---\nname: lock\ncomponents:\n{}{}\
         - {{type: gxe::actors::ReentrantLock, parameters: {{requests: [ask_a, ask_b], \
         grants: [for_a, for_b], releases: [done_a, done_b]}}}}\n\
         ---\nname: both\ncomponents:\n{}{}\
         - {{type: gxe::actors::Esac, parameters: {{inputs: [a, b], output: out}}}}\n\
         ---\nname: sink\ncomponents:\n{}\
         - {{type: gxe::io::JsonLinesSink, parameters: {{input: in, address: '-'}}}}\n\
         ---\ncomponents:\n{connections}{}",
        user("a", 1),
        user("b", 11),
        queues("Receiver", &["ask_a", "ask_b", "done_a", "done_b"]),
        queues("Transmitter", &["for_a", "for_b"]),
        queues("Receiver", &["a", "b"]),
        queues("Transmitter", &["out"]),
        queues("Receiver", &["in"]),
        gxe_tests::SCHEDULER
    );
    // Who asks first is a matter of time; what one user does is in order.
    for printed in each_prints(&app) {
        let of = |index: u32| -> Vec<&String> {
            let end = format!("\"index\":{index}}}");
            printed.iter().filter(|line| line.ends_with(&end)).collect()
        };
        assert_eq!(of(0), [r#"{"id":1,"index":0}"#, r#"{"id":2,"index":0}"#]);
        assert_eq!(of(1), [r#"{"id":11,"index":1}"#, r#"{"id":12,"index":1}"#]);
        assert_eq!(printed.len(), 4);
    }
}

#[test]
fn what_does_not_fit_is_named() {
    let complaint = |flow: Flow| {
        let ended = prepared(&flow.then("sink", "gxe::io::JsonLinesSink", "address: '-'").app());
        let ended = ended.run();
        assert_ne!(ended.status, Some(0));
        format!("{}{}", ended.stdout, ended.stderr)
    };
    let odd = complaint(rows(1).then("unpack", "gxe::actors::Unpack", "count: 3"));
    assert!(odd.contains("tensor `x` of 2 cannot be divided into 3 equal parts"), "{odd}");
    let wide = "columns: ['x = i'], rows: 3, messages: 1";
    let flow = rows(1).source("other", "gxe::math::Signal", wide).join(
        "sum",
        "gxe::actors::InputWise",
        "inputs: [first, second]",
        &[("source", "first"), ("other", "second")],
    );
    let shapes = complaint(flow);
    assert!(shapes.contains("`x` is an float64 tensor of 3"), "{shapes}");
    let none = complaint(rows(1).then("sum", "gxe::actors::Accumulate", "count: 0"));
    assert!(none.contains("count"), "{none}");
}
