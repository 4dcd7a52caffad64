//! Changes of a run's schedule: complete swaps and roll-overs, over the control socket.

use gxe_tests::{Ended, Gxe, Running, eventually};
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;

/// A compute graph on one hyperepoch whose runnables follow each other in this order, each on the
/// other CPU.
fn chain(identifier: u16, period: &str, names: &[&str]) -> String {
    let mut text = format!(
        "Version: 2.0.0\ng{identifier}:\n  Identifier: {identifier}\n  \
         Resources: {{CPU: [CPU0, CPU1]}}\n  Hyperepochs:\n  - h: {{Epochs: [e: {{Period: {period}}}]}}\n  \
         Clients:\n  - c:\n      Epochs:\n      - h.e:\n          Runnables:\n"
    );
    for (place, name) in names.iter().enumerate() {
        let before = place
            .checked_sub(1)
            .map_or(String::new(), |before| format!(", Dependencies: [c.{}]", names[before]));
        text +=
            &format!("          - {name}: {{WCET: 10us, Resources: [CPU{}]{before}}}\n", place % 2);
    }
    text
}

/// Two hyperepochs of different periods, each with two runnables in this order.
fn halves(identifier: u16, owners: [&str; 2], first: [&str; 2], second: [&str; 2]) -> String {
    let mut text = format!(
        "Version: 2.0.0\nhalves:\n  Identifier: {identifier}\n  Resources: {{CPU: [CPU0, CPU1]}}\n  \
         Hyperepochs:\n  - h1: {{Resources: [{}], Epochs: [e: {{Period: 2ms}}]}}\n  \
         - h2: {{Resources: [{}], Epochs: [e: {{Period: 7ms}}]}}\n  Clients:\n  - c:\n      Epochs:\n",
        owners[0], owners[1]
    );
    for (hyperepoch, [one, other]) in [("h1", first), ("h2", second)] {
        text += &format!(
            "      - {hyperepoch}.e:\n          Runnables:\n          \
             - {one}: {{WCET: 10us, Resources: [CPU]}}\n          \
             - {other}: {{WCET: 10us, Resources: [CPU], Dependencies: [c.{one}]}}\n"
        );
    }
    text
}

/// Probes with these names, run by the first of these compute graphs.
fn start(entities: &[&str], graphs: &[(&str, String)]) -> (Running, std::path::PathBuf) {
    let mut app: String = entities
        .iter()
        .map(|name| {
            format!("---\nname: {name}\ncomponents:\n- {{name: {name}, type: gxe::test::Probe}}\n")
        })
        .collect();
    app += &format!(
        "---\nname: scheduler\ncomponents:\n- {{name: clock, type: 'nvidia::gxf::RealtimeClock'}}\n\
         - {{type: 'gxe::StaticScheduler', parameters: {{clock: clock, schedule: {}.stm, log: run.log}}}}\n",
        graphs[0].0
    );
    let gxe = Gxe::app(&app).args("--control control.sock");
    let folder = gxe.folder();
    for (name, graph) in graphs {
        std::fs::write(folder.join(format!("{name}.yaml")), graph).unwrap();
        let line = format!("stm compile -i {name}.yaml -o {name}.stm -j 1");
        _ = Gxe::in_folder(&folder).args(&line).run().with_status(0);
    }
    let mut running = gxe.spawn();
    running.wait_for(&format!("probe {} tick", entities[0]));
    (running, folder)
}

fn swap(folder: &Path, line: &str) -> Ended {
    Gxe::in_folder(folder).args(&format!("stm swap control.sock {line}")).run()
}

/// Sends a request that is granted.
fn ask(folder: &Path, request: &str) {
    let mut stream = UnixStream::connect(folder.join("control.sock")).unwrap();
    writeln!(stream, "{request}").unwrap();
    let mut answer = String::new();
    BufReader::new(stream).read_line(&mut answer).unwrap();
    assert!(answer.contains(r#""ok":true"#), "{answer}");
}

/// The status of the run.
fn status(folder: &Path) -> Value {
    let line = "top control.sock --json --count 1";
    let status = Gxe::in_folder(folder).args(line).run().with_status(0);
    serde_json::from_str::<Value>(&status.stdout).expect("JSON")["status"].take()
}

/// Waits until all threads execute a schedule, and each entity has ticked by it.
fn wait_until_all_execute(folder: &Path, identifier: u64) {
    let ticks = |status: &Value| {
        let entities = status["entities"].as_array().expect("entities").iter();
        let names = entities.filter(|entity| entity["name"] != "scheduler");
        names.map(|entity| entity["ticks"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    let mut before = Vec::new();
    eventually("the other schedule runs", || {
        let status = status(folder);
        let threads = status["threads"].as_array().expect("threads");
        before = ticks(&status);
        !threads.is_empty()
            && threads.iter().all(|thread| thread["values"]["schedule"] == identifier)
    });
    // The first of the ticks may have begun by the other schedule.
    eventually("every entity ticks by it", || {
        ticks(&status(folder)).iter().zip(&before).all(|(now, before)| *now >= before + 2)
    });
}

/// The entities that ticked, in order.
fn order(ended: &Ended, among: &[&str]) -> Vec<String> {
    let ticked = ended.probes().into_iter().filter_map(|line| line.strip_suffix(" tick"));
    ticked.filter(|name| among.contains(name)).map(str::to_owned).collect()
}

/// Whether frames of each of these orders follow each other, with nothing between them.
#[track_caller]
fn assert_phases(ticked: &[String], phases: &[&[&str]]) {
    let mut frames = ticked.chunks(phases[0].len()).peekable();
    for phase in phases {
        let mut count = 0;
        while frames.next_if(|frame| frame == phase).is_some() {
            count += 1;
        }
        assert!(count > 0, "no frame of {phase:?}: {ticked:?}");
    }
    assert_eq!(frames.next(), None, "frames of other orders: {ticked:?}");
}

#[test]
fn a_complete_swap_changes_the_order_behind_a_frame() {
    let (up, down) = (["e0", "e1", "e2", "e3"], ["e3", "e2", "e1", "e0"]);
    let graphs = [("up", chain(1, "2ms", &up)), ("down", chain(2, "3ms", &down))];
    let (mut running, folder) = start(&up, &graphs);
    _ = swap(&folder, "down.stm").with_status(0);
    wait_until_all_execute(&folder, 2);
    _ = swap(&folder, "up.stm --stop 2").with_status(0);
    wait_until_all_execute(&folder, 1);
    running.signal("INT");
    let kept = tempfile::tempdir().expect("a folder");
    let (ended, log) = running.end_with(|| {
        for name in ["run.log", "up.stm", "down.stm", "up.yaml"] {
            _ = std::fs::copy(folder.join(name), kept.path().join(name)).expect("a file");
        }
        std::fs::read_to_string(folder.join("run.log"))
    });
    let (ended, log) = (ended.with_status(130), log.expect("a log"));
    let folder = kept.path();
    assert_phases(&order(&ended, &up), &[&up, &down, &up]);
    assert_eq!(
        ended.count("the schedule 2 of `g2` runs now, in place of the schedule 1 of `g1`"),
        1
    );
    // The log tells the two schedules apart, of which the first ran twice.
    let analyze =
        |more: &str| Gxe::in_folder(folder).args(&format!("stm analyze run.log {more}")).run();
    let found: Value =
        serde_json::from_str(&analyze("--format json").with_status(0).stdout).unwrap();
    for (place, (graph, name)) in [("g1", "up"), ("g2", "down")].into_iter().enumerate() {
        let part = &found["schedules"][place];
        assert_eq!(part["graph"], graph);
        assert!(part["runnables"][0]["ran"].as_u64() > Some(0), "{found}");
        let one = analyze(&format!("-s {name}.stm --format json")).with_status(0);
        let one: Value = serde_json::from_str(&one.stdout).unwrap();
        assert_eq!(one["schedules"].as_array().map(Vec::len), Some(1));
        assert_eq!(one["schedules"][0]["epochs"], part["epochs"]);
        let line = format!("stm gantt {name}.stm --log run.log");
        let page = Gxe::in_folder(folder).args(&line).run().with_status(0).stdout;
        assert!(page.contains("\"measured\":["), "{page}");
    }
    let table = analyze("").with_status(0).stdout;
    assert!(table.starts_with("the schedule 1 of `g1`\n"), "{table}");
    assert!(table.contains("\n\nthe schedule 2 of `g2`\n"), "{table}");
    let changed = std::fs::read_to_string(folder.join("up.yaml")).unwrap().replace("10us", "9us");
    std::fs::write(folder.join("up.yaml"), changed).unwrap();
    let line = "stm compile -i up.yaml -o changed.stm -j 1";
    _ = Gxe::in_folder(folder).args(line).run().with_status(0);
    analyze("-s changed.stm").with_status(3).complains(
        "the log has nothing of the schedule 1 of `g1`: the one that ran had another content",
    );
    // It has the executions of all of them.
    assert_eq!(log.matches("execution c.e0 h.e").count(), ended.ticks("e0").len(), "{log}");
    assert_eq!(
        log.matches("execution c.e3 h.e CPU0").count(),
        log.matches("execution c.e0 h.e CPU1").count()
    );
}

#[test]
fn a_roll_over_changes_each_hyperepoch_by_itself() {
    let owners = ["CPU0", "CPU1"];
    let one = halves(1, owners, ["a", "b"], ["x", "y"]);
    // The hyperepochs of the successor stand the other way round.
    let mut other = halves(2, ["CPU1", "CPU0"], ["y", "x"], ["b", "a"]);
    other = other.replace("halves:", "reversed:");
    let (mut running, folder) = start(&["a", "b", "x", "y"], &[("one", one), ("other", other)]);
    for round in 0..4 {
        let (next, identifier) = if round % 2 == 0 { ("other.stm", 2) } else { ("one.stm", 1) };
        _ = swap(&folder, &format!("{next} --roll-over")).with_status(0);
        wait_until_all_execute(&folder, identifier);
    }
    running.signal("INT");
    let (ended, log) = running.end_with(|| std::fs::read_to_string(folder.join("run.log")));
    let (ended, log) = (ended.with_status(130), log.expect("a log"));
    // The log has every frame, also of hyperepochs that ran beside another one of their name.
    let counted = ended.log().into_iter().filter_map(|line| {
        let (_, rest) = line.strip_prefix("epoch `")?.split_once("frames: ")?;
        rest.split_once(',')?.0.parse::<usize>().ok()
    });
    let logged = log.lines().filter(|line| line.starts_with("frame "));
    assert_eq!(logged.count(), counted.sum::<usize>(), "{}", ended.stdout);
    let (ab, ba, xy, yx) = (["a", "b"], ["b", "a"], ["x", "y"], ["y", "x"]);
    assert_phases(&order(&ended, &ab), &[&ab, &ba, &ab, &ba, &ab]);
    assert_phases(&order(&ended, &xy), &[&xy, &yx, &xy, &yx, &xy]);
}

#[test]
fn a_swap_that_cannot_be_is_refused_and_the_run_goes_on() {
    let names = ["e0", "e1"];
    let graphs = [
        ("one", chain(1, "2ms", &names)),
        ("same", chain(1, "3ms", &names)),
        ("less", chain(2, "2ms", &["e0"])),
        ("more", chain(3, "2ms", &["e0", "e1", "e9"])),
        ("halves", halves(4, ["CPU0", "CPU1"], ["e0", "e1"], ["e2", "e3"])),
        ("other", chain(5, "2ms", &names).replace("CPU1", "CPU7")),
        ("next", chain(6, "2ms", &names)),
    ];
    let (mut running, folder) = start(&names, &graphs);
    std::fs::write(
        folder.join("not.stm"),
        "Schedule: 1.0.0\nGraph: g\nIdentifier: 9\nHyperepochs: []\n",
    )
    .unwrap();
    let refusals = [
        ("gone.stm", "gone.stm` (STM's error 8)", 8),
        ("not.stm", "the schedule `", 8),
        (
            "same.stm",
            "the schedule 1 cannot be started: the schedule 1 of `g1` runs already; give the new one an `Identifier` of its own (STM's error 22)",
            22,
        ),
        (
            "next.stm --stop 7",
            "the schedule 7 cannot be stopped: it does not run, but the schedule 1 of `g1` (STM's error 22)",
            22,
        ),
        (
            "less.stm",
            "the schedule of `g2` does not fit this graph: no runnable of the schedule is the entity `e1`, which would never tick (STM's error 2)",
            2,
        ),
        (
            "more.stm",
            "the schedule of `g3` does not fit this graph: no entity with a codelet is called `e9`, which the runnable `c.e9` needs",
            2,
        ),
        (
            "halves.stm --roll-over",
            "a roll-over needs as many hyperepochs as run, 1, and the schedule 4 of `halves` has 2 (STM's error 2)",
            2,
        ),
        (
            "other.stm --roll-over",
            "a roll-over needs hyperepochs with the same resources: one of the new schedule owns [CPU0, CPU7], and those that run own [CPU0, CPU1] (STM's error 2)",
            2,
        ),
    ];
    for (line, text, code) in refusals {
        let refused = swap(&folder, line).with_status(5);
        refused.complains("the schedule is not changed: ");
        refused.complains(text);
        refused.complains(&format!("(STM's error {code})"));
    }
    // Other CPUs are no obstacle for a complete swap.
    _ = swap(&folder, "other.stm").with_status(0);
    wait_until_all_execute(&folder, 5);
    // During a pause a change waits, and another one is refused.
    ask(&folder, r#"{"command": "pause"}"#);
    _ = swap(&folder, "next.stm").with_status(0);
    let refused = swap(&folder, "one.stm").with_status(5);
    refused.complains(
        "another change of schedules, or the end of the run, is in progress (STM's error 22)",
    );
    ask(&folder, r#"{"command": "resume"}"#);
    wait_until_all_execute(&folder, 6);
    running.signal("INT");
    let ended = running.end().with_status(130);
    assert_phases(&order(&ended, &names), &[&names]);
}

#[test]
fn other_schedulers_have_no_schedule_to_change() {
    let app = "name: e\ncomponents:\n- {name: e, type: gxe::test::Probe}\n\
               - {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 5ms}}\n";
    let gxe = Gxe::scheduled(app).args("--control control.sock");
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("probe e tick");
    let refused = swap(&folder, "a.stm").with_status(5);
    refused.complains("the graph's scheduler follows no static schedule (STM's error 3)");
    running.signal("INT");
    _ = running.end().with_status(130);
}
