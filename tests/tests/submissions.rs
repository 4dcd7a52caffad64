//! Acts of `gxe::ActorScheduler` that end with the work that they submit.

use gxe_tests::Gxe;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A chain of entities; those with a queue submit work to it.
struct Chain {
    messages: u32,
    /// Parameters of the queue of each entity, if it has one.
    queues: Vec<Option<&'static str>>,
    scheduler: String,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

impl Chain {
    fn new(queues: &[Option<&'static str>], threads: u32, instances: u32) -> Self {
        let scheduler = format!("threads: {threads}, register_num: {instances}");
        Self { messages: 6, queues: queues.to_vec(), scheduler }
    }

    fn yaml(&self) -> String {
        let mut yaml = String::new();
        for (place, queue) in self.queues.iter().enumerate() {
            let name = NAMES[place];
            _ = writeln!(yaml, "name: {name}\ncomponents:");
            let mut parameters = String::new();
            if place == 0 {
                let count = self.messages;
                let term = "nvidia::gxf::CountSchedulingTerm, parameters";
                _ = writeln!(yaml, "- {{type: {term}: {{count: {count}}}}}");
            } else {
                let term = "nvidia::gxf::MessageAvailableSchedulingTerm, parameters";
                _ = writeln!(yaml, "- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}");
                _ = writeln!(yaml, "- {{type: {term}: {{receiver: in}}}}");
                parameters += "input: in, ";
            }
            if place + 1 < self.queues.len() {
                let term = "nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters";
                _ = writeln!(yaml, "- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}");
                _ = writeln!(yaml, "- {{type: {term}: {{transmitter: out}}}}");
                parameters += "output: out, ";
            }
            if let Some(queue) = queue {
                let queue = format!("gxe::test::WorkQueue, parameters: {{{queue}}}");
                _ = writeln!(yaml, "- {{name: queue, type: {queue}}}");
                parameters += "queue: queue";
            }
            _ = writeln!(
                yaml,
                "- {{type: gxe::test::Submitter, parameters: {{{parameters}}}}}\n---"
            );
        }
        for pair in NAMES[..self.queues.len()].windows(2) {
            let ends = format!("source: {}/out, target: {}/in", pair[0], pair[1]);
            let connection = format!("nvidia::gxf::Connection, parameters: {{{ends}}}");
            _ = writeln!(yaml, "components:\n- {{type: {connection}}}\n---");
        }
        let actors =
            format!("gxe::ActorScheduler, parameters: {{clock: clock, {}}}", self.scheduler);
        _ = writeln!(
            yaml,
            "name: scheduler\ncomponents:\n- {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
             - {{name: actors, type: {actors}}}"
        );
        yaml
    }

    fn gxe(&self) -> Gxe {
        let manifest = format!("{}- libgxf_outside.so\n", gxe_tests::MANIFEST);
        Gxe::app(&self.yaml()).file("manifest.yaml", &manifest)
    }
}

/// What the components of the extension logged.
fn said<'t>(log: &[&'t str]) -> Vec<&'t str> {
    log.iter().filter_map(|text| text.strip_prefix("outside: ")).collect()
}

fn number(line: &str) -> u64 {
    line.rsplit(' ').find_map(|word| word.parse().ok()).expect("a number")
}

/// Three acts are under way before the first is over, and their messages come after their work, in
/// order; on one thread, and on two.
#[test]
fn messages_are_sent_when_the_work_is_done() {
    for threads in [1, 2] {
        let chain = Chain::new(&[Some("together: 3"), None], threads, 3);
        let ended = chain.gxe().run().clean();
        let log = ended.log();
        let lines = said(&log);
        let place = |line: &str| {
            let found = lines.iter().position(|one| *one == line);
            found.unwrap_or_else(|| panic!("{line}: {lines:?}"))
        };
        assert!(place("a submits work 3") < place("work 1 is done"), "{lines:?}");
        for number in 1..=6 {
            let (done, taken) = (format!("work {number} is done"), format!("b takes {number}"));
            assert!(place(&done) < place(&taken), "{lines:?}");
        }
        let taken: Vec<u64> = lines
            .iter()
            .filter(|line| line.starts_with("b takes"))
            .map(|line| number(line))
            .collect();
        assert_eq!(taken, [1, 2, 3, 4, 5, 6]);
    }
}

/// What a run said until it came no further.
fn stuck(chain: &Chain, last: &str) -> Vec<String> {
    let mut running = chain.gxe().spawn();
    running.wait_for(last);
    std::thread::sleep(Duration::from_millis(200));
    running.signal("INT");
    let ended = running.end().with_status(130);
    said(&ended.log()).into_iter().map(str::to_owned).collect()
}

/// With two instances no third act begins, however long the work takes.
#[test]
fn credits_bound_the_acts_under_way() {
    for threads in [1, 2] {
        let chain = Chain::new(&[Some("together: 3"), None], threads, 2);
        let lines = stuck(&chain, "a submits work 2");
        assert_eq!(lines, ["a submits work 1", "a submits work 2"]);
    }
}

/// What a consumer submitted keeps the instances of its inputs.
#[test]
fn inputs_are_acknowledged_when_the_work_is_done() {
    for threads in [1, 2] {
        let chain = Chain::new(&[None, Some("together: 3")], threads, 2);
        let lines = stuck(&chain, "b submits work 2");
        let wanted = ["b takes 1", "b submits work 1", "b takes 2", "b submits work 2"];
        assert_eq!(lines, wanted);

        let chain = Chain::new(&[None, Some("together: 2")], threads, 2);
        let ended = chain.gxe().run().clean();
        assert_eq!(ended.log().iter().filter(|line| line.contains("b takes")).count(), 6);
    }
}

/// What a control register orders waits for the work, too; without a message, as well.
#[test]
fn control_registers_wait_for_the_work() {
    for streams in [1, 2] {
        let chain = Chain::new(&[Some("together: 3"), None], streams, 3);
        // Its ticks are told, and it is always ready.
        let follower = "name: z\ncomponents:\n- {name: job, type: gxe::test::Job}\n\
                        - {type: gxe::test::JobGiver, parameters: {job: job, jobs: 0}}\n---\n";
        let app = follower.to_owned() + &chain.yaml();
        let manifest = format!("{}- libgxf_outside.so\n", gxe_tests::MANIFEST);
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("a file");
        };
        write("app.yaml", &app);
        write("manifest.yaml", &manifest);
        let gxe = |line: &str| Gxe::in_folder(folder.path()).args(line).run();
        let line =
            format!("plan app.yaml --manifest manifest.yaml --threads {streams} --register-num 3");
        let planned = gxe(&line).with_status(0).stdout;
        let mut plan: serde_json::Value = serde_json::from_str(&planned).expect("JSON");
        let order = serde_json::json!({"name": "order", "producer": "a", "consumers": ["z"],
            "instances": 3, "kind": "control"});
        plan["registers"].as_array_mut().expect("registers").push(order);
        let jobs = plan["tasks"].as_array_mut().expect("tasks").iter_mut();
        jobs.for_each(|task| task["job"] = 0.into());
        write("plan.json", &plan.to_string());
        let line =
            "--app app.yaml --manifest manifest.yaml --param scheduler/actors/plan=plan.json";
        let ended = gxe(line).clean();
        let log = ended.log();
        let lines = said(&log);
        let place = |line: &str| {
            let found = lines.iter().position(|one| *one == line);
            found.unwrap_or_else(|| panic!("{line}: {lines:?}"))
        };
        assert!(place("a submits work 3") < place("work 1 is done"), "{lines:?}");
        for number in 1..=6 {
            let (done, tick) = (format!("work {number} is done"), format!("tick {number}"));
            assert!(place(&done) < place(&tick), "{lines:?}");
        }
        assert!(!lines.contains(&"tick 7"), "{lines:?}");
    }
}

/// Every message of a longer chain arrives, in order, whatever is under way.
#[test]
fn nothing_is_lost_in_a_chain() {
    let queue = Some("together: 1");
    for (threads, instances) in [(1, 1), (1, 4), (2, 2), (4, 3)] {
        for queues in
            [[queue, queue, queue, queue], [None, queue, queue, None], [queue, None, None, queue]]
        {
            let mut chain = Chain::new(&queues, threads, instances);
            chain.messages = 200;
            let ended = chain.gxe().run().clean();
            let log = ended.log();
            let taken = said(&log).into_iter().filter(|line| line.starts_with("d takes"));
            let taken: Vec<u64> = taken.map(number).collect();
            assert_eq!(taken, (1..=200).collect::<Vec<u64>>(), "{threads} threads");
        }
    }
}

#[test]
fn work_that_failed_ends_the_run() {
    for threads in [1, 2] {
        let chain = Chain::new(&[Some("fail_at: 3"), None], threads, 2);
        let ended = chain.gxe().run().with_status(5);
        ended.complains("the work that entity `a` submitted failed with GXF_OUT_OF_MEMORY");
        ended.complains("the work found no memory");
    }
}

/// An interrupt does not wait longer than a second for work that is never done, and finds all
/// instances.
#[test]
fn an_interrupt_leaves_work_behind() {
    for threads in [1, 2] {
        let chain = Chain::new(&[Some("together: 100"), Some("together: 100")], threads, 2);
        let mut running = chain.gxe().spawn();
        running.wait_for("a submits work 2");
        let begun = Instant::now();
        running.signal("INT");
        let ended = running.end().with_status(130);
        assert!(begun.elapsed() < Duration::from_secs(30));
        assert_eq!(ended.count("did not come home"), 0);
    }
}

/// An entity whose term waits for the work overlaps nothing, so its plan says nothing about it; and
/// a person may take the line out of a plan, or point it somewhere wrong.
#[test]
fn the_plan_says_what_an_act_ends_with() {
    let chain = Chain::new(&[Some("together: 3"), None], 1, 3);
    let plan = |gxe: Gxe| gxe.arg("plan").args("app.yaml --manifest manifest.yaml").run();
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    file("app.yaml", &chain.yaml());
    file("manifest.yaml", &format!("{}- libgxf_outside.so\n", gxe_tests::MANIFEST));
    let gxe = || Gxe::in_folder(folder.path());
    let planned = plan(gxe()).with_status(0).stdout;
    assert_eq!(planned.matches("\"completion\": \"queue\"").count(), 1, "{planned}");

    // Without it, the first message comes before the work is done.
    let without: Vec<&str> = planned.lines().filter(|line| !line.contains("completion")).collect();
    file("plain.json", &without.join("\n").replace("\"job\": 0,\n    }", "\"job\": 0\n    }"));
    let run = |plan: &str| {
        let parameter = format!("--param scheduler/actors/plan={plan}");
        gxe().args("--app app.yaml --manifest manifest.yaml").args(&parameter).run()
    };
    let ended = run("plain.json").with_status(0);
    let log = ended.log();
    let lines = said(&log);
    let place = |line: &str| lines.iter().position(|one| *one == line);
    let first = place("b takes 1").expect("a message");
    assert!(place("work 1 is done").is_none_or(|done| first < done), "{lines:?}");

    file("wrong.json", &planned.replace("\"completion\": \"queue\"", "\"completion\": \"quee\""));
    run("wrong.json").with_status(5).complains(
        "\
error[completion]: entity `a` has no component `quee` that says when submitted work is done
  --> wrong.json:16:21
   |
16 |       \"completion\": \"quee\"
   |                     ^^^^^^
   |
   = help: did you mean `queue`?",
    );
    let queue = planned.replace("\"flow\": \"credits\"", "\"flow\": \"queue\"");
    file("queue.json", &queue);
    run("queue.json")
        .with_status(5)
        .complains("error[completion]: no credits count the acts of task `a` that are under way");
}
