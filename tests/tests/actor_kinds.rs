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

/// The number of rows and their sum, which come when the stream has ended.
fn window(flow: Flow) -> Flow {
    let aggregates = "length: 1000, aggregates: ['n = count(x)', 's = sum(x)']";
    flow.then("window", "gxe::math::Window", aggregates)
}

/// Sums of four messages each, 12 and 16, 44 and 48, and so on; the last group is not complete, so
/// that a message comes behind them which only says that the stream ends.
fn sums(messages: usize) -> Flow {
    rows(messages).then("sums", "gxe::actors::Accumulate", "count: 4")
}

#[test]
fn the_mere_end_of_a_stream_is_no_message() {
    let all = |flow: Flow| json(window(flow));
    let behind = |kind: &str, parameters: &str| {
        all(sums(11).then("kind", &format!("gxe::actors::{kind}"), parameters))
    };
    assert_eq!(behind("Accumulate", "count: 2"), [r#"{"n":2,"s":120}"#]);
    assert_eq!(behind("Pack", "count: 2"), [r#"{"n":4,"s":120}"#]);
    assert_eq!(behind("Repeat", "count: 3"), [r#"{"n":12,"s":360}"#]);
    assert_eq!(behind("Unpack", "count: 2"), [r#"{"n":4,"s":120}"#]);
    let esac = sums(11).join("esac", "gxe::actors::Esac", "inputs: [one]", &[("sums", "one")]);
    assert_eq!(all(esac), [r#"{"n":4,"s":120}"#]);
    // What is behind an incomplete group ends incomplete, too.
    let twice = sums(7).then("twice", "gxe::actors::Accumulate", "count: 2");
    assert!(json(twice).is_empty());
    let packed = sums(7).then("packed", "gxe::actors::Pack", "count: 2");
    assert!(json(packed).is_empty());
}

/// Two streams come to the first receiver. Their ends do not count as that of the second one.
#[test]
fn esac_ends_with_the_streams_of_all_its_receivers() {
    let flow = Flow::default()
        .source("short", "gxe::math::Signal", "columns: ['x = i'], rows: 1, messages: 2")
        .source("other", "gxe::math::Signal", "columns: ['x = i'], rows: 1, messages: 2")
        .source("long", "gxe::math::Signal", "columns: ['x = i'], rows: 1, messages: 90")
        .join(
            "esac",
            "gxe::actors::Esac",
            "inputs: [first, second]",
            &[("short", "first"), ("other", "first"), ("long", "second")],
        );
    assert_eq!(json(window(flow)), [r#"{"n":94,"s":4007}"#]);
}

#[test]
fn an_input_that_only_ends_completes_no_sum_of_inputs() {
    // Two sums of one source; three messages of the other, of which the third is in no sum.
    let flow = sums(11)
        .source("other", "gxe::math::Signal", "columns: ['x = 100'], rows: 2, messages: 3")
        .join(
            "both",
            "gxe::actors::InputWise",
            "inputs: [first, second]",
            &[("sums", "first"), ("other", "second")],
        );
    assert_eq!(json(window(flow)), [r#"{"n":4,"s":520}"#]);
}

#[test]
fn members_of_a_collective_end_together() {
    let member = |flow: Flow, number: u32, messages: usize| {
        let (source, sums, name) =
            (format!("source{number}"), format!("sums{number}"), format!("member{number}"));
        let columns = format!("columns: ['x = i'], rows: 2, messages: {messages}");
        let member = format!("collective: all, member: {number}, members: 2");
        flow.source(&source, "gxe::math::Signal", &columns)
            .then(&sums, "gxe::actors::Accumulate", "count: 4")
            .then(&name, "gxe::actors::AllReduce", &member)
            .then(&format!("sink{number}"), "gxe::io::JsonLinesSink", "address: '-'")
    };
    let both = |messages: [usize; 2]| {
        member(member(Flow::default(), 0, messages[0]), 1, messages[1]).app()
    };
    for mut printed in each_prints(&both([7, 7])) {
        printed.sort();
        assert_eq!(printed, [r#"{"x":24}"#, r#"{"x":24}"#, r#"{"x":32}"#, r#"{"x":32}"#]);
    }
    prepared(&both([8, 7])).run().with_status(5).complains(
        "call 1 of collective `all`: the stream of member 1 ended, and member 0 sent a message",
    );
}

#[test]
fn sinks_write_integers_as_they_are() {
    let ids = "ids: [9007199254740993, -9223372036854775807]";
    let ids = || Flow::default().then("ids", "gxe::actors::WaitAndSendIds", ids);
    assert_eq!(json(ids()), [r#"{"id":9007199254740993}"#, r#"{"id":-9223372036854775807}"#]);
    let csv = ids().then("sink", "gxe::io::CsvSink", "address: '-'");
    assert_eq!(prints(&csv.app()), ["id", "9007199254740993", "-9223372036854775807"]);
    // A tensor of eight Fibonacci numbers at each tick, of `uint64_t`.
    let app = "name: numbers
components:
- {name: integers, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::UnboundedAllocator}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 12}}
- {type: nvidia::gxf::test::Generator, parameters: {integers: integers, fibonacci: out, pool: pool}}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: gxe::io::JsonLinesSink, parameters: {input: in, address: '-'}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: numbers/out, target: sink/in}}
";
    let manifest = format!("{MANIFEST}- libgxf_test.so\n");
    let gxe = Gxe::alone().file("app.yaml", &format!("{app}{}", gxe_tests::SCHEDULER));
    let gxe = gxe.file("manifest.yaml", &manifest).args("--app app.yaml --manifest manifest.yaml");
    let printed = gxe.run().with_status(0).stdout;
    assert!(printed.contains("{\"tensor\":12200160415121876738}"), "{printed}");
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

/// An app whose last entity `esac` leads to a `Case`, and that to these codelets: back to branches.
fn back(flow: &Flow, ends: &[(&str, &str)]) -> String {
    let app = flow.app();
    let (entities, rest) = app.split_once("---\ncomponents:\n").expect("the connections");
    let queue = |name: &str, kind: &str| {
        format!("- {{name: {name}, type: nvidia::gxf::DoubleBuffer{kind}}}\n")
    };
    let connection = |source: &str, target: &str| {
        let ends = format!("{{source: {source}, target: {target}}}");
        format!("- {{type: nvidia::gxf::Connection, parameters: {ends}}}\n")
    };
    let outputs: Vec<String> = ends.iter().map(|(name, _)| format!("to_{name}")).collect();
    let mut case = format!("---\nname: case\ncomponents:\n{}", queue("in", "Receiver"));
    let mut branches = String::new();
    let mut connections = connection("esac/out", "case/in");
    for ((name, codelet), output) in ends.iter().zip(&outputs) {
        case += &queue(output, "Transmitter");
        let input = queue("in", "Receiver");
        branches += &format!("---\nname: {name}\ncomponents:\n{input}{codelet}\n");
        connections += &connection(&format!("case/{output}"), &format!("{name}/in"));
    }
    let parameters = format!("{{input: in, outputs: [{}]}}", outputs.join(", "));
    case += &format!("- {{type: gxe::actors::Case, parameters: {parameters}}}\n");
    format!("{entities}{case}{branches}---\ncomponents:\n{connections}{rest}")
}

#[test]
fn case_ends_all_its_branches() {
    let window = |name: &str| {
        format!(
            "- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: gxe::math::Window, parameters: {{input: in, output: out, length: 1000, aggregates: ['s = sum(x)']}}}}
---
name: {name}_sink
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: gxe::io::JsonLinesSink, parameters: {{input: in, address: {name}.jsonl}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: {name}/out, target: {name}_sink/in}}}}"
        )
    };
    let ends = [("zero", window("zero")), ("one", window("one"))];
    let ends = ends.each_ref().map(|(name, window)| (*name, window.as_str()));
    let app = back(&two("esac", "gxe::actors::Esac"), &ends);
    for app in [app.clone(), as_actors(&app, 2)] {
        let folder = tempfile::tempdir().expect("a folder");
        let _ = prepared_in(folder.path(), &app).run().clean();
        let read = |name| std::fs::read_to_string(folder.path().join(name)).expect("the lines");
        assert_eq!(read("zero.jsonl"), "{\"s\":1}\n");
        assert_eq!(read("one.jsonl"), "{\"s\":21}\n");
    }
}

#[test]
fn esac_says_where_a_message_came_from_and_case_sends_it_there() {
    let sink = |name: &str| {
        format!(
            "- {{type: gxe::io::JsonLinesSink, parameters: {{input: in, address: {name}.jsonl}}}}"
        )
    };
    let app =
        back(&two("esac", "gxe::actors::Esac"), &[("zero", &sink("zero")), ("one", &sink("one"))]);
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
        let counts = ticks(&app, ["ticks", "third", "both", "sink"]);
        assert_eq!(counts, [6, 6, 2, 2], "{scheduler}");
    }
}

/// How often these entities tick.
fn ticks<const N: usize>(app: &str, names: [&str; N]) -> [u64; N] {
    let folder = tempfile::tempdir().expect("a folder");
    let _ = prepared_in(folder.path(), app).args("--statistics=statistics.json").run().clean();
    let text = std::fs::read_to_string(folder.path().join("statistics.json")).expect("it");
    let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    names.map(|name| {
        let entities = statistics["entities"].as_array().expect("entities");
        let entity = entities.iter().find(|entity| entity["name"] == name).expect("an entity");
        entity["ticks"].as_u64().expect("a number")
    })
}

#[test]
fn the_mere_end_of_a_stream_is_not_counted() {
    // One sum and the end; both count nothing together.
    let counted = sums(7).then("count", "gxe::actors::AccumulateTick", "count: 2");
    let tick = sums(7).join("count", "gxe::actors::Tick", "inputs: [one]", &[("sums", "one")]);
    for (flow, expected) in [(counted, [2, 0]), (tick, [2, 1])] {
        let flow = flow.join("end", "gxe::actors::Sink", "inputs: [in]", &[("count", "in")]);
        // A codelet with one receiver `in` is given it as `input`, which a `Sink` does not have.
        let app = flow.app().replace("input: in, inputs", "inputs");
        for app in [app.clone(), as_actors(&app, 2)] {
            assert_eq!(ticks(&app, ["count", "end"]), expected);
        }
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

/// Each user asks without waiting for an answer, and all queues hold one message: a lock that grants
/// again before the user can give back would wait for the user, and the user for the lock.
#[test]
fn a_lock_never_grants_what_cannot_be_given_back() {
    let queue = |name: &str, kind: &str| {
        format!("- {{name: {name}, type: nvidia::gxf::DoubleBuffer{kind}}}\n")
    };
    let mut app = format!(
        "default_conditions: true\n---\nname: lock\ncomponents:\n{}{}- {{type: \
         gxe::actors::ReentrantLock, parameters: {{requests: [q0, q1], grants: [g0, g1], \
         releases: [r0, r1]}}}}\n",
        ["q0", "q1", "r0", "r1"].map(|name| queue(name, "Receiver")).concat(),
        ["g0", "g1"].map(|name| queue(name, "Transmitter")).concat(),
    );
    let mut connections = "---\ncomponents:\n".to_owned();
    for user in 0..2 {
        let signal = format!(
            "- {{type: gxe::math::Signal, parameters: {{output: out, columns: ['x = i + {user}00'], \
             rows: 1, messages: 4}}}}\n"
        );
        let forward =
            "- {type: gxe::actors::CopyOverNetwork, parameters: {input: in, output: out}}\n";
        let sink = "- {type: gxe::io::JsonLinesSink, parameters: {input: in, address: '-'}}\n";
        let (input, output) = (queue("in", "Receiver"), queue("out", "Transmitter"));
        app += &format!(
            "---\nname: source{user}\ncomponents:\n{output}{signal}\
             ---\nname: user{user}\ncomponents:\n{input}{output}{forward}\
             ---\nname: sink{user}\ncomponents:\n{input}{sink}"
        );
        for (source, target) in [
            (format!("source{user}/out"), format!("lock/q{user}")),
            (format!("lock/g{user}"), format!("user{user}/in")),
            (format!("user{user}/out"), format!("lock/r{user}")),
            (format!("user{user}/out"), format!("sink{user}/in")),
        ] {
            let ends = format!("{{source: {source}, target: {target}}}");
            connections += &format!("- {{type: nvidia::gxf::Connection, parameters: {ends}}}\n");
        }
    }
    let app = as_actors(&format!("{app}{connections}{}", gxe_tests::SCHEDULER), 4)
        .replace("threads: 4", "threads: 4\n    register_num: 1");
    for _ in 0..12 {
        let ended = prepared(&app).run().clean();
        assert_eq!(ended.stdout.matches("{\"x\":").count(), 8, "{}", ended.stdout);
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
    assert!(shapes.contains("`x`: expected float64 tensor of"), "{shapes}");
    let none = complaint(rows(1).then("sum", "gxe::actors::Accumulate", "count: 0"));
    assert!(none.contains("count"), "{none}");
}

/// A large number is shown as it is.
#[test]
fn a_number_that_selects_no_output_is_named() {
    let app = "\
default_conditions: true
---
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::WaitAndSendIds, parameters: {output: out, ids: [9223372036854775807]}}
---
name: case
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::Case, parameters: {input: in, outputs: [out], index: id}}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::actors::Sink, parameters: {inputs: [in]}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: case/in}}
- {type: nvidia::gxf::Connection, parameters: {source: case/out, target: sink/in}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::ManualClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";
    let ended = prepared(app).run().with_status(5);
    ended.complains("`id` is 9223372036854775807, and there are 1 outputs");
}

/// Lists in which nothing is, or a port twice, are refused before anything runs.
#[test]
fn a_list_of_ports_has_some_and_each_of_them_once() {
    let lock = |requests: &str, grants: &str, releases: &str| {
        format!("requests: [{requests}], grants: [{grants}], releases: [{releases}]")
    };
    let inputs = |list: &str| format!("inputs: [{list}]");
    let output = |list: &str| format!("inputs: [{list}], output: x");
    let (no_input, twice) = (
        "`inputs` has at least one receiver",
        "`inputs` has the same receiver twice, as elements 0 and 2",
    );
    for (kind, parameters, refused) in [
        ("Tick", output(""), no_input),
        ("Tick", output("a, b, a"), twice),
        ("InputWise", output(""), no_input),
        ("InputWise", output("a, b, a"), twice),
        ("Esac", output(""), no_input),
        ("Esac", output("a, b, a"), twice),
        ("Sink", inputs(""), no_input),
        ("Sink", inputs("a, b, a"), twice),
        ("Case", "input: a, outputs: []".to_owned(), "`outputs` has at least one transmitter"),
        ("ReentrantLock", lock("", "", ""), "`requests` has at least one receiver"),
        (
            "ReentrantLock",
            lock("a, a", "x, y", "c, d"),
            "`requests` has the same receiver twice, as elements 0 and 1",
        ),
        (
            "ReentrantLock",
            lock("a, b", "y, y", "c, d"),
            "`grants` has the same transmitter twice, as elements 0 and 1",
        ),
        (
            "ReentrantLock",
            lock("a, b", "x, y", "c, a"),
            "`releases` has a receiver of `requests`: element 1 is element 0 there",
        ),
    ] {
        let ports = ["a", "b", "c", "d"].map(|port| (port, "Receiver"));
        let ports = ports.iter().chain(&[("x", "Transmitter"), ("y", "Transmitter")]);
        let ports = ports.map(|(name, side)| {
            format!("- {{name: {name}, type: nvidia::gxf::DoubleBuffer{side}}}\n")
        });
        let app = format!(
            "name: k\ncomponents:\n{}- {{type: gxe::actors::{kind}, parameters: {{{parameters}}}}}\n{}",
            ports.collect::<String>(),
            gxe_tests::SCHEDULER
        );
        let files = || Gxe::alone().file("app.yaml", &app).file("manifest.yaml", MANIFEST);
        let checked = files().args("check --app app.yaml --manifest manifest.yaml").run();
        let wanted = format!("component `gxe::actors::{kind}`: {refused}\n --> app.yaml:9:");
        assert!(checked.stdout.contains(&wanted), "{wanted}: {checked:?}");
        let ended = files().args("--app app.yaml --manifest manifest.yaml").run();
        ended.with_status(4).complains(refused);
    }
}

/// Several numbers may select the same output, which learns of the end once.
#[test]
fn numbers_that_select_the_same_output_end_it_once() {
    let app = "\
default_conditions: true
---
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::math::Signal, parameters: {output: out, columns: [x = i], rows: 1, messages: 4}}
---
name: pack
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::Pack, parameters: {input: in, output: out, count: 5}}
---
name: case
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: one, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: other, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::Case, parameters: {input: in, outputs: [one, other, one]}}
---
name: sink
components:
- {name: a, type: nvidia::gxf::DoubleBufferReceiver}
- {name: b, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::actors::Sink, parameters: {inputs: [a, b]}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: pack/in}}
- {type: nvidia::gxf::Connection, parameters: {source: pack/out, target: case/in}}
- {type: nvidia::gxf::Connection, parameters: {source: case/one, target: sink/a}}
- {type: nvidia::gxf::Connection, parameters: {source: case/other, target: sink/b}}
";
    assert!(prints(&format!("{app}{}", gxe_tests::SCHEDULER)).is_empty());
}
