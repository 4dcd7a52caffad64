//! The actor scheduler beyond what every engine does (`engines.rs`, `differential.rs`): its plans,
//! its credits, its threads.
//!
//! `ACTOR_PLANS` sets the number of random plans.

use gxe_tests::differential::engine::{self, Scheduler, actor_context};
use gxe_tests::differential::{Call, End, Event};
use gxe_tests::trace::Trace;
use gxe_tests::{Ended, Gxe};
use proptest::prelude::*;
use std::fmt::Write;

/// A graph of actors in layers: each sends to some of those behind it, and waits for room.
#[derive(Clone, Debug)]
struct Layers {
    /// Messages of the source.
    count: u64,
    /// Connections, as pairs of entities.
    edges: Vec<(usize, usize)>,
    capacities: Vec<u64>,
    /// Thread of each entity, and instances of each register.
    streams: Vec<u32>,
    instances: Vec<u32>,
    switches: (bool, bool),
}

const MOST: usize = 7;

fn layers() -> impl Strategy<Value = Layers> {
    let parents = (1..MOST).map(|entity| 0..entity).collect::<Vec<_>>();
    (
        1..40_u64,
        2..=MOST,
        parents,
        prop::collection::vec(1..4_u64, MOST),
        prop::collection::vec(0..4_u32, MOST),
        prop::collection::vec(1..5_u32, MOST),
        any::<(bool, bool)>(),
    )
        .prop_map(|(count, entities, parents, capacities, streams, instances, switches)| {
            Layers {
                count,
                edges: (1..entities).map(|entity| (parents[entity - 1], entity)).collect(),
                capacities,
                streams: streams[..entities].to_vec(),
                instances,
                switches,
            }
        })
}

impl Layers {
    fn yaml(&self) -> String {
        let mut yaml = String::new();
        for entity in 0..self.streams.len() {
            let sends = self.edges.iter().any(|(from, _)| *from == entity);
            let (receives, mut ports) = (entity > 0, String::new());
            if receives {
                let capacity = self.capacities[entity];
                _ = write!(
                    ports,
                    "- {{name: rx, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: \
                     {capacity}}}}}\n- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, \
                     parameters: {{receiver: rx}}}}\n"
                );
            } else {
                let count = self.count;
                _ = writeln!(
                    ports,
                    "- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}"
                );
            }
            if sends {
                ports += "- {name: tx, type: nvidia::gxf::DoubleBufferTransmitter}\n\
                          - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, \
                          parameters: {transmitter: tx}}\n";
            }
            _ = write!(
                yaml,
                "---\nname: e{entity}\ncomponents:\n{ports}- {{name: actor, type: \
                 gxe::test::Actor, parameters: {{receivers: [{}], transmitters: [{}], \
                 first_numbers: [{}], take: 1, publishing: Number, publish: {}, publish_at_start: \
                 0}}}}\n",
                if receives { "rx" } else { "" },
                if sends { "tx" } else { "" },
                if sends { "100" } else { "" },
                u32::from(sends),
            );
        }
        for (number, (from, to)) in self.edges.iter().enumerate() {
            _ = write!(
                yaml,
                "---\nname: c{number}\ncomponents:\n- {{type: nvidia::gxf::Connection, parameters: \
                 {{source: e{from}/tx, target: e{to}/rx}}}}\n"
            );
        }
        yaml
    }

    /// A plan with its own streams and instances.
    fn plan(&self) -> String {
        let context = actor_context();
        context.load_app_text("graph", &self.yaml(), &[]).expect("it loads");
        let options =
            gxf_plan::Options { graph: String::new(), ranks: 1, threads: 4, register_num: 1 };
        let mut plan = context.plan(&options);
        for (task, stream) in plan.tasks.iter_mut().zip(&self.streams) {
            task.stream = *stream;
        }
        for (register, instances) in plan.registers.iter_mut().zip(&self.instances) {
            register.instances = *instances;
            register.consumers.iter_mut().for_each(|consumer| consumer.room = None);
        }
        plan.to_json()
    }
}

fn plans() -> ProptestConfig {
    let wanted = std::env::var("ACTOR_PLANS").ok();
    let cases = wanted.map_or(150, |text| text.parse().expect("a number of plans"));
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(plans())]

    /// Every message reaches every actor below, and a run whose credits do not come home fails.
    #[test]
    fn every_credit_comes_home(layers in layers()) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        std::fs::write(&file, layers.plan()).expect("a plan");
        let (light, local) = layers.switches;
        let parameters = format!(
            ", plan: {}, light_actors: {light}, local_message_queue: {local}",
            file.display()
        );
        let scheduler = Scheduler::new("ActorScheduler", "RealtimeClock", &parameters);
        let run = engine::run_yaml(&(layers.yaml() + &scheduler.yaml));
        prop_assert_eq!(run.end, End::Deadlock);
        for entity in 0..layers.streams.len() {
            prop_assert_eq!(run.ticks(entity).len() as u64, layers.count, "e{}", entity);
        }
    }
}

/// Three probes in a row, which name their threads.
const ROW: &str = "\
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}
- {name: source, type: gxe::test::Probe, parameters: {transmitters: [out], log_thread: true}}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {name: sink, type: gxe::test::Probe, parameters: {receivers: [in], log_thread: true}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: sink/in}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {name: actors, type: gxe::ActorScheduler, parameters: {clock: clock, threads: 2}}
";

/// What is sent between threads has a place that is there from the start.
#[test]
fn a_queue_for_any_number_of_messages_has_a_limited_number_of_credits() {
    let receiver = "{name: in, type: nvidia::gxf::DoubleBufferReceiver";
    let unlimited = format!("{receiver}, parameters: {{capacity: 4000000000}}");
    let ended = Gxe::app(&ROW.replace(receiver, &unlimited)).run().clean();
    assert_eq!(ended.ticks("source").len(), 5);
}

#[test]
fn an_actor_stays_on_the_thread_of_its_stream() {
    let ended = Gxe::app(ROW).run().clean();
    for (entity, number) in [("source", 0), ("sink", 1)] {
        let calls = ended.probe(entity);
        let threads = calls.iter().filter_map(|call| call.split_once(" on ").map(|(_, on)| on));
        let own = format!("CPU Actor : ({number})");
        let threads: Vec<_> = threads.collect();
        assert!(!threads.is_empty(), "{entity}: {calls:?}");
        assert!(threads.iter().all(|thread| *thread == own), "{entity}: {calls:?}");
    }
}

/// A row whose entities have what these lines add.
fn row_with_devices(source: &str, sink: &str) -> String {
    ROW.replace("name: source\ncomponents:\n", &format!("name: source\ncomponents:\n{source}"))
        .replace("name: sink\ncomponents:\n", &format!("name: sink\ncomponents:\n{sink}"))
}

fn with_devices(app: &str) -> Gxe {
    let manifest = format!("{}- libgxf_outside.so\n", gxe_tests::MANIFEST);
    Gxe::alone().file("app.yaml", app).file("manifest.yaml", &manifest)
}

fn run_with_devices(app: &str) -> Ended {
    with_devices(app).args("--app app.yaml --manifest manifest.yaml").run()
}

/// The streams of a row's plan, and the streams of its tasks.
fn planned_threads(app: &str) -> (Vec<String>, Vec<u64>) {
    let line = "plan --app app.yaml --manifest manifest.yaml --threads 2";
    let plan = with_devices(app).args(line).run().with_status(0).stdout;
    let plan: serde_json::Value = serde_json::from_str(&plan).expect("a plan");
    let all = |key: &str| plan[key].as_array().expect("a list").clone();
    let device = |stream: &serde_json::Value| stream["device"].as_str().expect("a text").to_owned();
    let stream = |task: &serde_json::Value| task["stream"].as_u64().expect("a number");
    (all("streams").iter().map(device).collect(), all("tasks").iter().map(stream).collect())
}

#[test]
fn who_submits_to_a_queue_of_a_device_has_a_thread_of_its_kind() {
    let queue = "- {name: queue, type: gxe::test::Device, parameters: {kind: npu}}\n";
    let app = row_with_devices(queue, "");
    let threads = planned_threads(&app);
    assert_eq!(threads, (["cpu", "cpu", "npu"].map(str::to_owned).to_vec(), vec![2, 0]));
    let ended = run_with_devices(&app).clean();
    for (entity, thread) in [("source", "NPU Actor : (2)"), ("sink", "CPU Actor : (0)")] {
        let calls = ended.probe(entity);
        assert!(calls.iter().any(|call| call.contains(" on ")), "{entity}: {calls:?}");
        let mut ticks = calls.iter().filter(|call| call.contains(" on "));
        assert!(ticks.all(|call| call.ends_with(thread)), "{entity}: {calls:?}");
    }
    let begun = ended.log().iter().filter(|line| line.starts_with("device ")).count();
    assert_eq!(begun, 1, "{:?}", ended.log());
    assert!(ended.log().contains(&"device npu begins on NPU Actor : (2)"), "{:?}", ended.log());
}

#[test]
fn each_queue_of_a_device_has_a_thread() {
    let queue = "- {name: queue, type: gxe::test::Device, parameters: {kind: npu}}\n";
    let (kinds, tasks) = planned_threads(&row_with_devices(queue, queue));
    assert_eq!(
        (kinds, tasks),
        (["cpu", "cpu", "npu", "npu"].map(str::to_owned).to_vec(), vec![2, 3])
    );
    // A codelet that only enqueues work follows the messages to the queue of its sender.
    let followed = row_with_devices(
        queue,
        "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
         - {type: gxe::test::PoseFilter, parameters: {input: in, output: out}}\n",
    );
    let (kinds, tasks) = planned_threads(&followed);
    assert_eq!((kinds, tasks), (["cpu", "cpu", "npu"].map(str::to_owned).to_vec(), vec![2, 2]));
}

#[test]
fn a_queue_may_be_written_in_cpp() {
    let app = row_with_devices("", "- {name: own, type: gxe::test::cpp::Dsp}\n");
    let library = crate::register_memory::IN_CPP.display();
    let manifest = format!("{}- {library}\n", gxe_tests::MANIFEST);
    let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", &manifest);
    let ended = gxe.args("--app app.yaml --manifest manifest.yaml").run().clean();
    assert!(ended.log().contains(&"a thread for own"), "{:?}", ended.log());
    let mut ticks = ended.probe("sink").into_iter().filter(|call| call.contains(" on "));
    assert!(ticks.all(|call| call.ends_with(" on DSP Actor : (2)")), "{:?}", ended.log());
}

#[test]
fn a_queue_that_refuses_a_thread_ends_the_run() {
    let queue =
        "- {name: queue, type: gxe::test::Device, parameters: {kind: npu, refuses: true}}\n";
    let ended = run_with_devices(&row_with_devices(queue, "")).with_status(5);
    ended.complains("cannot prepare `NPU Actor : (2)`");
    ended.complains("the device is full");
}

#[test]
fn the_status_shows_the_instances_of_the_plan() {
    let graph = "---\nname: e0\ncomponents:\n\
         - {name: tx, type: nvidia::gxf::DoubleBufferTransmitter}\n\
         - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: tx}}\n\
         - {name: actor, type: gxe::test::Actor, parameters: {receivers: [], transmitters: [tx], \
         first_numbers: [1], take: 1, publishing: Number, publish: 1, publish_at_start: 0}}\n\
         ---\nname: e1\ncomponents:\n\
         - {name: rx, type: nvidia::gxf::DoubleBufferReceiver}\n\
         - {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: rx, min_size: 9}}\n\
         - {name: actor, type: gxe::test::Actor, parameters: {receivers: [rx], transmitters: [], \
         first_numbers: [], take: 1, publishing: Number, publish: 0, publish_at_start: 0}}\n\
         ---\nname: c\ncomponents:\n\
         - {type: nvidia::gxf::Connection, parameters: {source: e0/tx, target: e1/rx}}\n";
    let _alone = engine::alone();
    let scheduler = Scheduler::new(
        "ActorScheduler",
        "RealtimeClock",
        ", register_num: 3, stop_on_deadlock: false",
    );
    let context = actor_context();
    context.load_app_text("graph", &(graph.to_owned() + &scheduler.yaml), &[]).unwrap();
    let options = gxf_plan::Options { graph: String::new(), ranks: 1, threads: 1, register_num: 3 };
    let instances = context.plan(&options).registers[0].instances;
    context.activate().unwrap();
    context.run_async().unwrap();
    let fill = || {
        let queue = context.status().entities[1].queues[0].clone();
        (queue.messages, queue.capacity)
    };
    gxe_tests::eventually("all credits are out", || fill() == (3, u64::from(instances)));
    assert_eq!(context.run_report().entities[0].ticks, 3, "no credit, no act");
    context.interrupt().unwrap();
    context.wait().unwrap();
    assert_eq!(fill(), (3, 1), "after the run the queue is that of the graph");
    context.deactivate().unwrap();
}

/// An entity with a source and one with a sink. The source ticks as often as its term lets it.
fn pair(names: [&str; 2], term: &str) -> String {
    let [source, sink] = names;
    format!(
        "---\nname: {source}\ncomponents:\n\
         - {{name: tx, type: nvidia::gxf::DoubleBufferTransmitter}}\n\
         - {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: tx}}}}\n\
         - {term}\n\
         - {{name: actor, type: gxe::test::Actor, parameters: {{receivers: [], transmitters: [tx], \
         first_numbers: [1], take: 1, publishing: Number, publish: 1, publish_at_start: 0}}}}\n\
         ---\nname: {sink}\ncomponents:\n\
         - {{name: rx, type: nvidia::gxf::DoubleBufferReceiver}}\n\
         - {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: rx}}}}\n\
         - {{name: actor, type: gxe::test::Actor, parameters: {{receivers: [rx], transmitters: [], \
         first_numbers: [], take: 1, publishing: Number, publish: 0, publish_at_start: 0}}}}\n\
         ---\ncomponents:\n\
         - {{type: nvidia::gxf::Connection, parameters: {{source: {source}/tx, target: {sink}/rx}}}}\n"
    )
}

/// Light actors, too, which have often ticked several times when they wait.
#[test]
fn actors_that_wait_are_idle() {
    let term = "{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1ms}}";
    let graph = pair(["e0", "e1"], term);
    let _alone = engine::alone();
    let scheduler = Scheduler::new("ActorScheduler", "RealtimeClock", ", threads: 1");
    let context = actor_context();
    context.load_app_text("graph", &(graph + &scheduler.yaml), &[]).unwrap();
    context.activate().unwrap();
    context.run_async().unwrap();
    gxe_tests::eventually("they tick", || context.run_report().entities[1].ticks > 2);
    context.pause().unwrap();
    gxe_tests::eventually("all are idle", || {
        let states = context.status().entities.into_iter().map(|one| (one.state, one.inside));
        states.eq([0; 2].map(|_| ("idle".to_owned(), None)))
    });
    context.interrupt().unwrap();
    context.wait().unwrap();
    let states: Vec<String> =
        context.run_report().entities.into_iter().map(|one| one.state).collect();
    assert_eq!(states, ["stopped"; 2]);
    context.deactivate().unwrap();
}

#[test]
fn a_job_ends_while_another_goes_on() {
    let counted = "{type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}";
    let endless = "{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 1ms}}";
    let graph = pair(["e0", "e1"], counted) + &pair(["e2", "e3"], endless);
    let _alone = engine::alone();
    for threads in 1..=4 {
        let parameters = format!(", threads: {threads}");
        let scheduler = Scheduler::new("ActorScheduler", "RealtimeClock", &parameters);
        let context = actor_context();
        context.load_app_text("graph", &(graph.clone() + &scheduler.yaml), &[]).unwrap();
        context.activate().unwrap();
        context.run_async().unwrap();
        let running = |job: &str| {
            let status = context.status();
            let row = status.jobs.iter().find(|row| row.name == job);
            row.map(|row| row.values.clone())
        };
        gxe_tests::eventually("the first job is over", || {
            running("job 0") == Some(vec![("actors", 2), ("running", 0)])
        });
        let before = context.run_report().entities[3].ticks;
        gxe_tests::eventually("the second goes on", || {
            context.run_report().entities[3].ticks > before
        });
        assert_eq!(running("job 1"), Some(vec![("actors", 2), ("running", 2)]));
        context.interrupt().unwrap();
        context.wait().unwrap();
        assert!(context.status().jobs.is_empty());
        assert_eq!(context.run_report().entities[1].ticks, 5);
        context.deactivate().unwrap();
    }
}

#[test]
fn a_run_is_over_with_its_last_job_whatever_a_deadlock_does() {
    let counted = |count| {
        format!("{{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}")
    };
    let graph = pair(["e0", "e1"], &counted(5)) + &pair(["e2", "e3"], &counted(9));
    let _alone = engine::alone();
    for threads in 1..=4 {
        let parameters = format!(", threads: {threads}, stop_on_deadlock: false");
        let scheduler = Scheduler::new("ActorScheduler", "RealtimeClock", &parameters);
        let context = actor_context();
        context.load_app_text("graph", &(graph.clone() + &scheduler.yaml), &[]).unwrap();
        context.activate().unwrap();
        context.run().unwrap();
        let report = context.run_report();
        let ticks: Vec<u64> = report.entities.iter().map(|entity| entity.ticks).collect();
        assert_eq!(ticks, [5, 5, 9, 9], "{threads} threads");
        context.deactivate().unwrap();
    }
}

/// Entities in a row, of which each but the first takes a message a tick. `ticks` limits those of each;
/// `published` are the messages of a tick.
fn row_of(entities: &[(&str, u32, u32)]) -> String {
    let mut graph = String::new();
    for (place, (name, ticks, published)) in entities.iter().enumerate() {
        let (receives, sends) = (place > 0, place + 1 < entities.len());
        _ = write!(
            graph,
            "---\nname: {name}\ncomponents:\n\
             - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}\n\
             - {{name: actor, type: gxe::test::Actor, parameters: {{receivers: [{}], transmitters: [{}], \
             first_numbers: [{}], take: 1, publishing: Number, publish: {published}, \
             publish_at_start: 0}}}}\n",
            if receives { "rx" } else { "" },
            if sends { "tx" } else { "" },
            if sends { "1" } else { "" },
        );
        if receives {
            graph += "- {name: rx, type: nvidia::gxf::DoubleBufferReceiver}\n\
                 - {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: rx}}\n";
        }
        if sends {
            graph += "- {name: tx, type: nvidia::gxf::DoubleBufferTransmitter, parameters: {capacity: 9}}\n\
                 - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: tx}}\n";
        }
    }
    graph += "---\ncomponents:\n";
    for pair in entities.windows(2) {
        let (from, to) = (pair[0].0, pair[1].0);
        _ = writeln!(
            graph,
            "- {{type: nvidia::gxf::Connection, parameters: {{source: {from}/tx, target: {to}/rx}}}}"
        );
    }
    graph
}

#[test]
fn an_actor_sends_what_it_holds_before_it_ends() {
    let _alone = engine::alone();
    let cases: [(&[_], &[u64]); 4] = [
        // The inputs of `b` end while it holds four of its messages.
        (&[("a", 1, 1), ("b", 9, 5), ("c", 9, 0)], &[1, 1, 5]),
        (&[("a", 1, 5), ("b", 9, 2), ("c", 99, 1), ("d", 99, 0)], &[1, 5, 10, 10]),
        // Nobody takes what they hold.
        (&[("a", 1, 1), ("b", 9, 5), ("c", 1, 0)], &[1, 1, 1]),
        (&[("a", 1, 5), ("b", 1, 0)], &[1, 1]),
    ];
    for (entities, expected) in cases {
        for (threads, register_num) in [(1, 1), (2, 1), (4, 1), (1, 2), (3, 2)] {
            let parameters = format!(
                ", threads: {threads}, register_num: {register_num}, stop_on_deadlock: false"
            );
            let scheduler = Scheduler::new("ActorScheduler", "RealtimeClock", &parameters);
            let context = actor_context();
            context.load_app_text("graph", &(row_of(entities) + &scheduler.yaml), &[]).unwrap();
            context.activate().unwrap();
            context.run().unwrap();
            let report = context.run_report();
            let ticks: Vec<u64> = report.entities.iter().map(|entity| entity.ticks).collect();
            assert_eq!(ticks, expected, "{entities:?} {parameters}");
            context.deactivate().unwrap();
        }
    }
}

/// Whatever kind of term waits for the messages.
#[test]
fn actors_end_with_their_inputs() {
    let counted = "{type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}";
    let one = "MessageAvailableSchedulingTerm, parameters: {receiver: rx}";
    let others = [
        "MultiMessageAvailableSchedulingTerm, parameters: {receivers: [rx], min_size: 1}",
        "MultiMessageAvailableSchedulingTerm, parameters: {receivers: [rx], \
         sampling_mode: PerReceiver, min_sizes: [1]}",
    ];
    let graph = pair(["e0", "e1"], counted);
    let _alone = engine::alone();
    for term in [one].iter().chain(&others) {
        for threads in 1..=2 {
            let parameters = format!(", threads: {threads}, stop_on_deadlock: false");
            let scheduler = Scheduler::new("ActorScheduler", "RealtimeClock", &parameters);
            let context = actor_context();
            let graph = graph.replace(one, term) + &scheduler.yaml;
            context.load_app_text("graph", &graph, &[]).unwrap();
            context.activate().unwrap();
            context.run().unwrap();
            let report = context.run_report();
            assert_eq!(report.entities[1].ticks, 5, "{term}, {threads} threads");
            context.deactivate().unwrap();
        }
    }
}

#[test]
fn a_codelet_that_is_its_own_term_ends_with_its_inputs() {
    const APP: &str = "\
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::math::Signal, parameters: {output: out, columns: ['x = i'], rows: 1, messages: 4}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: repeat
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::Repeat, parameters: {input: in, output: out, count: 3}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: print
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::io::JsonLinesSink, parameters: {input: in, address: '-'}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: repeat/in}}
- {type: nvidia::gxf::Connection, parameters: {source: repeat/out, target: print/in}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {name: s, type: gxe::ActorScheduler, parameters: {clock: clock, stop_on_deadlock: false}}
";
    let gxe = |line: &str| {
        Gxe::alone()
            .file("app.yaml", APP)
            .file("m.yaml", "extensions: [libgxe_io.so, libgxe_math.so, libgxe_actors.so]\n")
            .args(line)
    };
    let checked = gxe("check --app app.yaml --manifest m.yaml").run().with_status(0);
    assert_eq!(checked.stdout + &checked.stderr, "nothing found\n");
    for threads in 1..=3 {
        let threads = format!("--param scheduler/s/threads={threads}");
        let line = format!("--app app.yaml --manifest m.yaml --severity error {threads}");
        let ended = gxe(&line).run().with_status(0);
        let rows = ended.stdout.lines().filter(|line| line.starts_with("{\"x\""));
        assert_eq!(rows.count(), 12, "{}", ended.stdout);
    }
}

/// As a schedule of a static scheduler.
#[test]
fn a_plan_lies_beside_its_app() {
    let app = pair(["a", "b"], "{type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}");
    let app = app.trim_start_matches("---\n").to_owned()
        + "---\ncomponents:\n- {name: clock, type: nvidia::gxf::RealtimeClock}\n\
           - {type: gxe::ActorScheduler, parameters: {clock: clock, plan: plan.json}}\n";
    let gxe = |line: &str| {
        Gxe::alone()
            .file("sub/app.yaml", &app)
            .file("m.yaml", "extensions: [libgxf_actor.so]\n")
            .args(line)
    };
    let missing = gxe("--app sub/app.yaml --manifest m.yaml").run();
    missing.complains("there is no file `sub/plan.json`");
    missing.complains("--> sub/app.yaml:");
    let plan = gxe("plan --app sub/app.yaml --manifest m.yaml").run().with_status(0).stdout;
    let ended = gxe("--app sub/app.yaml --manifest m.yaml").file("sub/plan.json", &plan).run();
    let _ = ended.with_status(0);
}

#[test]
fn each_connected_part_is_a_job() {
    let context = actor_context();
    let term = "{type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 5}}";
    let graph = pair(["a", "b"], term) + &pair(["c", "d"], term);
    let joined = "---\ncomponents:\n\
         - {type: nvidia::gxf::Connection, parameters: {source: c/tx, target: f/rx}}\n";
    let graph = graph + &pair(["e", "f"], term) + joined;
    context.load_app_text("graph", &graph, &[]).unwrap();
    let options = gxf_plan::Options { graph: String::new(), ranks: 1, threads: 1, register_num: 2 };
    let jobs: Vec<u32> = context.plan(&options).tasks.iter().map(|task| task.job).collect();
    assert_eq!(jobs, [0, 0, 1, 1, 1, 1]);
}

#[test]
fn the_log_tells_the_life_of_actors() {
    let ended = Gxe::app(ROW).args("--severity debug").run();
    let text = ended.stderr.clone() + &ended.stdout;
    let place =
        |words: &str| text.find(words).unwrap_or_else(|| panic!("no `{words}` in:\n{text}"));
    // Whether messages are still with the consumer when a producer ends is a matter of time.
    let zombie = "actor 0 switch to &Actor::HandlerZombie";
    let end = if text.contains(zombie) { zombie } else { "actor 0 switch to nullptr" };
    let life = [
        "construct LightActor gxe::test::Probe 0",
        "Actors on this machine constructed",
        "Actors on every machine constructed",
        end,
        "deconstruct actor 0",
    ];
    assert!(life.map(place).is_sorted(), "{text}");
    for words in [
        "Thread 1 construct LightActor gxe::test::Probe 1",
        "actor 1 switch to &LightActor::HandlerNormal",
        "actor 1 switch to nullptr",
        "thread 1 deconstruct actor 1",
        "job 0 is over",
        "actor thread 0 finish",
        "actor thread 1 finish",
    ] {
        place(words);
    }
}

/// OneFlow's variables of the environment have the last word.
#[test]
fn oneflow_s_environment_variables_choose_the_kind_of_actor() {
    for (value, kind, handler) in [
        ("0", "construct Actor gxe", "actor 0 switch to &NaiveActor::HandlerNormal"),
        ("1", "construct LightActor gxe", "actor 0 switch to &LightActor::HandlerNormal"),
    ] {
        let ended = Gxe::app(ROW)
            .args("--severity debug")
            .env("ONEFLOW_ACTOR_ENABLE_LIGHT_ACTOR", value)
            .env("ONEFLOW_THREAD_ENABLE_LOCAL_MESSAGE_QUEUE", value)
            .run()
            .with_status(0);
        let text = ended.stderr + &ended.stdout;
        assert!(text.contains(kind) && text.contains(handler), "{text}");
        assert!(text.contains("Actors on every machine constructed"), "{text}");
    }
}

/// The trace of a run of three actors, each on a thread of its own or all on one.
fn traced(threads: u32, instances: u32, messages: u32) -> Trace {
    let receiver = "- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n\
         - {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}\n";
    let transmitter = "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
         - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}\n";
    let connection = |from: &str, to: &str| {
        format!(
            "- {{type: nvidia::gxf::Connection, parameters: {{source: {from}/out, target: {to}/in}}}}\n"
        )
    };
    let probe = |parameters: &str| {
        format!("- {{type: gxe::test::Probe, parameters: {{take: 1{parameters}}}}}\n")
    };
    let app = format!(
        "name: source\ncomponents:\n\
         - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {messages}}}}}\n\
         {transmitter}{}---\nname: stage\ncomponents:\n{receiver}{transmitter}{}---\nname: sink\n\
         components:\n{receiver}{}---\ncomponents:\n{}{}---\nname: scheduler\ncomponents:\n\
         - {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
         - {{type: 'gxe::ActorScheduler', parameters: {{clock: clock, threads: {threads}, \
         register_num: {instances}}}}}\n",
        probe(", transmitters: [out]"),
        probe(", receivers: [in], transmitters: [out]"),
        probe(", receivers: [in]"),
        connection("source", "stage"),
        connection("stage", "sink"),
    );
    let gxe = Gxe::app(&app).args("--severity 1 --trace run.json");
    let file = gxe.folder().join("run.json");
    let (ended, text) = gxe.spawn().end_with(|| std::fs::read_to_string(&file).expect("a trace"));
    let _ = ended.clean();
    Trace::read(&text)
}

/// An actor acts when a message has come from its producer, and when its consumer's has come back,
/// and for no other reason.
#[test]
fn every_act_has_a_message_as_its_cause() {
    const MESSAGES: u32 = 200;
    for (threads, instances) in [(1, 1), (1, 2), (2, 1), (2, 3), (3, 2)] {
        let trace = traced(threads, instances, MESSAGES);
        let ticks = |entity| trace.slices(entity, "tick");
        for (producer, consumer) in [("source", "stage"), ("stage", "sink")] {
            let (sent, taken) = (ticks(producer), ticks(consumer));
            let what =
                format!("{producer} and {consumer}, {threads} threads, {instances} instances");
            assert_eq!((sent.len(), taken.len()), (MESSAGES as usize, MESSAGES as usize), "{what}");
            for (number, tick) in taken.iter().enumerate() {
                assert!(sent[number].end <= tick.begin, "act {number} of {what} without a message");
            }
            for (number, tick) in sent.iter().enumerate().skip(instances as usize) {
                let freed = &taken[number - instances as usize];
                assert!(freed.end <= tick.begin, "act {number} of {what} without a credit");
            }
            // One for the message, and one for the credit, which is a wake of the producer.
            assert!(trace.arrows(producer, consumer) >= MESSAGES as usize, "{what}");
        }
    }
}

#[test]
fn the_statistics_have_the_jobs_and_the_instances_of_the_plan() {
    let gxe = Gxe::app(ROW).args("--statistics=run.json");
    let file = gxe.folder().join("run.json");
    let (ended, text) =
        gxe.spawn().end_with(|| std::fs::read_to_string(&file).expect("statistics"));
    let _ = ended.clean();
    let statistics: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let expected = serde_json::json!([{"name": "job 0", "actors": 2, "running": 0}]);
    assert_eq!(statistics["jobs"], expected);
    let queues = statistics["queues"].as_array().expect("queues");
    let of_receiver = queues.iter().find(|queue| queue["component"] == "in").expect("a receiver");
    assert_eq!(of_receiver["capacity"], 2, "{of_receiver}");
}

#[test]
fn a_control_register_makes_actors_take_turns() {
    for streams in [vec![0, 0, 0, 0], vec![0, 1, 0, 1], vec![3, 2, 1, 0]] {
        let row = Layers {
            count: 20,
            edges: vec![(0, 1), (1, 2), (2, 3)],
            capacities: vec![3; MOST],
            streams: streams.clone(),
            instances: vec![3; MOST],
            switches: (true, true),
        };
        let order = "\"registers\": [{\"name\": \"order\", \"producer\": \"e0\", \"consumers\": \
             [\"e3\"], \"instances\": 1, \"kind\": \"control\"},";
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("plan.json");
        let plan = row.plan().replacen("\"registers\": [", order, 1);
        std::fs::write(&file, plan).expect("a plan");
        let parameters = format!(", plan: {}", file.display());
        let scheduler = Scheduler::new("ActorScheduler", "RealtimeClock", &parameters);
        let run = engine::run_yaml(&(row.yaml() + &scheduler.yaml));
        assert_eq!(run.end, End::Deadlock);
        let is_tick = |event: &&Event| matches!(event.call, Call::Tick { .. });
        let ticks: Vec<usize> =
            run.events.iter().filter(is_tick).map(|event| event.entity).collect();
        let expected: Vec<usize> = (0..20).flat_map(|_| 0..4).collect();
        assert_eq!(ticks, expected, "{streams:?}");
    }
}

/// A plan can order acts so that nobody acts any more: both sides of the control register are named.
#[test]
fn a_producer_that_waits_for_a_control_register_is_named() {
    let order = r#"{"name": "order", "producer": "s", "consumers": ["d"], "instances": 1, "kind": "control"}"#;
    for threads in [1, 2] {
        let other = threads - 1;
        let plan = format!(
            r#"{{"plan": "1.0.0", "graph": "g", "streams": [{{"id": 0}}, {{"id": 1}}],
            "tasks": [{{"name": "s", "stream": 0}}, {{"name": "d", "stream": {other}}}],
            "registers": [{{"name": "s/out", "producer": "s", "consumers": ["d/in"], "instances": 5}},
            {order}]}}"#
        );
        let app = "\
name: s
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::PingTx, parameters: {signal: out}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 10}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: d
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 5}}
- {type: nvidia::gxf::PingRx, parameters: {signal: in}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in, min_size: 3}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: s/out, target: d/in}}
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: gxe::ActorScheduler, parameters: {clock: clock, plan: plan.json}}
";
        let ended = Gxe::app(app).file("plan.json", &plan).run().with_status(0);
        let said = "entity `s` is stuck: it waits for control register `order`";
        assert!(ended.stdout.contains(said), "{threads}: {}", ended.stdout);
    }
}

/// Messages between threads arrive in order while the channel has no room for all the wakes of
/// entities that joined, whose thread acts for long.
#[test]
fn a_crowd_that_joined_does_not_push_messages_aside() {
    let plan = r#"{"plan": "1.0.0", "graph": "g", "streams": [{"id": 0}, {"id": 1}],
        "tasks": [{"name": "e0", "stream": 1}, {"name": "e1", "stream": 0},
            {"name": "e2", "stream": 0}, {"name": "crowd", "stream": 0}],
        "registers": [{"name": "e0/tx", "producer": "e0", "consumers": ["e1/rx"], "instances": 59}]}"#;
    let graph = "\
name: e0
components:
- {name: tx, type: 'nvidia::gxf::DoubleBufferTransmitter'}
- {type: 'nvidia::gxf::DownstreamReceptiveSchedulingTerm', parameters: {transmitter: tx}}
- {type: 'nvidia::gxf::PeriodicSchedulingTerm', parameters: {recess_period: 1ms}}
- {type: 'gxe::test::Actor', parameters: {transmitters: [tx], first_numbers: [0]}}
---
name: e1
components:
- {name: rx, type: 'nvidia::gxf::DoubleBufferReceiver', parameters: {capacity: 59}}
- {type: 'nvidia::gxf::MessageAvailableSchedulingTerm', parameters: {receiver: rx}}
- {type: 'gxe::test::Actor', parameters: {receivers: [rx]}}
---
name: e2
components:
- {type: 'nvidia::gxf::PeriodicSchedulingTerm', parameters: {recess_period: 250ms}}
- {type: 'gxe::test::Actor', parameters: {clock: scheduler/clock, sleep: 200000000}}
---
name: crowd
components:
- {type: 'nvidia::gxf::CountSchedulingTerm', parameters: {count: 1}}
- {type: 'gxe::test::Crowd', parameters: {count: 160, period: 50ms}}
---
components:
- {type: 'nvidia::gxf::Connection', parameters: {source: e0/tx, target: e1/rx}}
";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("plan.json");
    std::fs::write(&file, plan).expect("a plan");
    let parameters = format!(", max_duration_ms: 2500, plan: {}", file.display());
    let scheduler = Scheduler::new("ActorScheduler", "RealtimeClock", &parameters);
    let run = engine::run_yaml(&(graph.to_owned() + &scheduler.yaml));
    assert_eq!(run.end, End::Finished);
    let taken = run.ticks(1).into_iter().flatten().flatten().map(|message| message.number);
    let taken: Vec<u64> = taken.collect();
    // About one a millisecond, but few where other programs take the processors.
    assert!(!taken.is_empty());
    assert_eq!(taken, (0..taken.len() as u64).collect::<Vec<_>>());
}

/// A clock that goes by itself has passed the end before an entity could act, under every scheduler.
#[test]
fn a_run_of_no_duration_has_no_act() {
    let actors = "gxe::ActorScheduler, parameters: {clock: clock, threads: 2}";
    assert!(ROW.contains(actors));
    for scheduler in [
        "nvidia::gxf::GreedyScheduler, parameters: {",
        "nvidia::gxf::MultiThreadScheduler, parameters: {worker_thread_number: 2, ",
        "nvidia::gxf::EventBasedScheduler, parameters: {worker_thread_number: 2, ",
        "gxe::ActorScheduler, parameters: {threads: 1, ",
        "gxe::ActorScheduler, parameters: {threads: 2, ",
        "gxe::ActorScheduler, parameters: {light_actors: false, ",
    ] {
        let app = ROW.replace(actors, &format!("{scheduler}clock: clock, max_duration_ms: 0}}"));
        let gxe = Gxe::app(&app).args("--statistics=run.json");
        let file = gxe.folder().join("run.json");
        let (ended, text) =
            gxe.spawn().end_with(|| std::fs::read_to_string(&file).expect("statistics"));
        _ = ended.with_status(0);
        let run: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let entities = run["entities"].as_array().expect("entities");
        let ticks: Vec<_> = entities.iter().map(|entity| entity["ticks"].as_u64()).collect();
        assert_eq!(ticks, [Some(0), Some(0)], "{scheduler}");
    }
}
