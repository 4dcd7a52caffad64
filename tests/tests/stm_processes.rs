//! `gxe stm master` and its clients, which are processes in C and apps of gxe.

use gxe_tests::build::library;
use gxe_tests::cuda::{modes, run, with_stand_in};
use gxe_tests::{Gxe, MANIFEST, Running, eventually};
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::LazyLock;

/// The programs of `tests/src/stm`, compiled.
static PROGRAMS: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let sources = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src/stm"));
    let runtime = library("gxf_stm_runtime");
    for (compiler, standard, source) in
        [("cc", "-std=gnu11", "client.c"), ("c++", "-std=c++17", "manager.cpp")]
    {
        let name = source.split_once('.').expect("an extension").0;
        let compiled = Command::new(compiler)
            .args([standard, "-Wall", "-Wextra", "-Werror", "-pthread", "-I"])
            .arg(sources.join("../../../plugin-abi/include"))
            .arg(sources.join(source))
            .arg(&runtime)
            .arg(format!("-Wl,-rpath,{}", runtime.parent().expect("a folder").display()))
            .arg("-o")
            .arg(folder.path().join(name))
            .output()
            .expect("a compiler");
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    }
    folder
});

/// No other library exports STM's functions: `libgxf_core.so` has a test of its own.
#[test]
fn the_library_exports_what_its_header_declares() {
    let header = concat!(env!("CARGO_MANIFEST_DIR"), "/../plugin-abi/include/gxf/stm/stm.h");
    let header = std::fs::read_to_string(header).expect("a header");
    let functions = header.lines().filter_map(|line| {
        let is_function = line.starts_with("stmErrorCode_t ") || line.starts_with("const char* ");
        let (before, _) = line.split_once('(').filter(|_| is_function)?;
        before.split_whitespace().last().map(str::to_owned)
    });
    let declared: BTreeSet<String> = functions.collect();
    assert_eq!(declared.len(), 22);
    let listed = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(library("gxf_stm_runtime"))
        .output()
        .expect("nm of binutils");
    let listed = String::from_utf8(listed.stdout).expect("names");
    let exported = listed.lines().filter_map(|line| line.split_whitespace().last());
    assert_eq!(exported.map(str::to_owned).collect::<BTreeSet<_>>(), declared);
}

/// A chain through two clients, which changes the CPU with each step.
fn chain(identifier: u16, period: &str, order: [&str; 4]) -> String {
    let mut clients = [("cam", String::new()), ("det", String::new())];
    for (place, name) in order.iter().enumerate() {
        let (client, _) = name.split_once('.').expect("a client");
        let before = place.checked_sub(1);
        let after =
            before.map_or(String::new(), |before| format!(", Dependencies: [{}]", order[before]));
        let own = clients.iter_mut().find(|(known, _)| *known == client).expect("known");
        own.1 += &format!(
            "          - {}: {{WCET: 10us, Resources: [CPU{}]{after}}}\n",
            &name[client.len() + 1..],
            place % 2
        );
    }
    let mut text = format!(
        "Version: 2.0.0\ng{identifier}:\n  Identifier: {identifier}\n  Resources: {{CPU: [CPU0, CPU1]}}\n  \
         Hyperepochs:\n  - h: {{Epochs: [e: {{Period: {period}}}]}}\n  Clients:\n"
    );
    for (client, runnables) in clients {
        text += &format!(
            "  - {client}:\n      Epochs:\n      - h.e:\n          Runnables:\n{runnables}"
        );
    }
    text
}

const ORDER: [&str; 4] = ["cam.a", "det.b", "cam.c", "det.d"];

/// A folder with schedules, a master, and what its clients print.
struct Scene {
    folder: tempfile::TempDir,
}

impl Scene {
    fn new(graphs: &[(&str, String)]) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, graph) in graphs {
            std::fs::write(folder.path().join(format!("{name}.yaml")), graph).unwrap();
            let line = format!("stm compile -i {name}.yaml -o {name}.stm -j 1");
            _ = Gxe::in_folder(folder.path()).args(&line).run().with_status(0);
        }
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn master(&self, line: &str) -> Running {
        let line = format!("stm master --socket m.sock {line}");
        Gxe::in_folder(self.folder.path()).args(&line).spawn()
    }

    /// A program that writes to a file behind the others.
    fn program(&self, name: &str, line: &str, variables: &[(&str, &str)]) -> Child {
        let out = || -> File {
            OpenOptions::new().create(true).append(true).open(self.path("out.txt")).unwrap()
        };
        Command::new(PROGRAMS.path().join(name))
            .args(line.split(' '))
            .env("GXE_STM_MASTER", self.path("m.sock"))
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(out())
            .stderr(out())
            .spawn()
            .expect("it was compiled")
    }

    fn camera(&self, variables: &[(&str, &str)]) -> Child {
        self.program("client", "cam a cam.c", variables)
    }

    fn detector(&self, variables: &[(&str, &str)]) -> Child {
        self.program("client", "det b det.d", variables)
    }

    fn lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("out.txt")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn wait_for(&self, line: &str) {
        eventually(line, || self.lines().iter().any(|known| known.contains(line)));
    }

    /// The executions, each with its frame.
    fn executions(&self) -> Vec<(String, u64)> {
        let split = |line: &String| {
            let (name, frame) = line.split_once(' ')?;
            name.contains('.').then_some((name.to_owned(), frame.parse().ok()?))
        };
        self.lines().iter().filter_map(split).collect()
    }
}

/// The schedule manager `boss`.
struct Manager {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Manager {
    fn start(scene: &Scene) -> Self {
        let mut child = Command::new(PROGRAMS.path().join("manager"))
            .arg("boss")
            .env("GXE_STM_MASTER", scene.path("m.sock"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap()).lines();
        assert_eq!(output.next().unwrap().unwrap(), "init 0 ");
        Self { child, input, output }
    }

    #[track_caller]
    fn ask(&mut self, line: &str, answer: &str) {
        writeln!(self.input, "{line}").unwrap();
        assert_eq!(self.output.next().unwrap().unwrap(), answer);
    }

    fn end(self) {
        drop(self.input);
        assert_eq!(end(self.child), Some(0));
    }
}

fn end(mut child: Child) -> Option<i32> {
    child.wait().expect("it was started").code()
}

/// Whether executions follow each other in this order in every frame, with frames that rise.
#[track_caller]
fn assert_order(executions: &[(String, u64)], order: &[&str]) {
    let mut last = None;
    for frame in executions.chunks(order.len()) {
        let names: Vec<&str> = frame.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, order[..names.len()], "{executions:?}");
        assert!(frame.iter().all(|(_, number)| *number == frame[0].1), "{executions:?}");
        assert!(last.is_none_or(|last| last < frame[0].1), "{executions:?}");
        last = Some(frame[0].1);
    }
}

#[test]
fn clients_execute_a_schedule_in_its_order() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    // Clients may come before the master.
    let clients = [scene.camera(&[]), scene.detector(&[])];
    let mut master = scene.master("-s g.stm");
    scene.wait_for("det.d 20");
    master.signal("INT");
    let ended = master.end().with_status(130);
    assert_eq!(clients.map(end), [Some(0); 2], "{:?}", scene.lines());
    let executions = scene.executions();
    assert_order(&executions, &ORDER);
    // The frame that had begun has ended.
    assert_eq!(executions.len() % 4, 0, "{executions:?}");
    assert_eq!(scene.lines().iter().filter(|line| *line == "left").count(), 2);
    ended.complains("the schedule 1 of `g1` runs");
    ended.complains("epoch `h.e` of the schedule 1: ");
    assert!(!scene.path("m.sock").exists());
}

#[test]
fn a_client_that_is_killed_is_named_and_the_others_end() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let master = scene.master("-s g.stm");
    let camera = scene.camera(&[]);
    let mut detector = scene.detector(&[("SLEEP_AT", "det.b:5:60000")]);
    scene.wait_for("cam.a 5");
    detector.kill().unwrap();
    let text = format!("the client `det` died, process {}, with `det.b` unfinished", detector.id());
    _ = detector.wait();
    let ended = master.end().with_status(5);
    ended.complains(&format!("because: {text} (STM's error 18)"));
    assert_eq!(end(camera), Some(2));
    assert!(scene.lines().contains(&format!("enter: error 18: {text}")), "{:?}", scene.lines());
}

/// A child has the socket of its parent.
#[test]
fn a_client_whose_child_lives_on_is_dead() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let master = scene.master("-s g.stm -t -1");
    let camera = scene.camera(&[]);
    let detector = scene.detector(&[("FORK_AT", "det.b:5:60")]);
    let text = format!("the client `det` died, process {}, with `det.b` unfinished", detector.id());
    assert_eq!(end(detector), Some(3));
    master.end().with_status(5).complains(&text);
    assert_eq!(end(camera), Some(2));
}

#[test]
fn a_client_that_executes_neither_registers_nor_ends() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let mut master = scene.master("-s g.stm");
    let clients = [scene.camera(&[("ASK_AT", "cam.a:3")]), scene.detector(&[])];
    scene.wait_for("det.d 5");
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(clients.map(end), [Some(0); 2], "{:?}", scene.lines());
    for text in [
        "register inside: error 2: `cam.a` is registered already",
        "exit inside: error 6: the client still executes: call stmExitScheduler, and stmClientExit \
         after stmEnterScheduler has returned",
    ] {
        assert!(scene.lines().contains(&text.to_owned()), "{text}: {:?}", scene.lines());
    }
}

#[test]
fn the_others_go_on_without_a_client_that_is_killed_or_leaves() {
    for kills in [true, false] {
        let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
        let mut master = scene.master("-s g.stm --on-exit continue");
        let camera = scene.camera(&[]);
        let variable = if kills { ("SLEEP_AT", "det.b:5:60000") } else { ("EXIT_AT", "det.b:5") };
        let mut detector = scene.detector(&[variable]);
        scene.wait_for("cam.a 5");
        if kills {
            detector.kill().unwrap();
        }
        _ = detector.wait();
        scene.wait_for("cam.c 30");
        master.signal("TERM");
        let ended = master.end().with_status(143);
        assert_eq!(end(camera), Some(0));
        ended.complains("; its executions are passed over");
        let executions = scene.executions();
        let (first, rest) = executions.split_at(20);
        assert_order(first, &ORDER);
        let rest: Vec<_> =
            rest.iter().filter(|(name, _)| name.starts_with("cam")).cloned().collect();
        assert_order(&rest, &["cam.a", "cam.c"]);
    }
}

/// The log outlives the clients, of which one is killed.
#[test]
fn a_master_logs_what_its_clients_execute() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let mut master = scene.master("-s g.stm --on-exit continue -l run.log");
    let camera = scene.camera(&[]);
    let mut detector = scene.detector(&[("SLEEP_AT", "det.b:5:60000")]);
    scene.wait_for("cam.a 5");
    detector.kill().unwrap();
    _ = detector.wait();
    scene.wait_for("cam.c 30");
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(end(camera), Some(0));
    let analyze = |more: &str| {
        let line = format!("stm analyze run.log -s g.stm {more}");
        Gxe::in_folder(scene.folder.path()).args(&line).run().with_status(0).stdout
    };
    let text = analyze("--format json");
    let found: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let executions = scene.executions();
    let row = |name: &str| {
        let rows = found["schedules"][0]["runnables"].as_array().expect("rows");
        let row = rows.iter().find(|row| row["runnable"] == name).expect(name);
        ["ran", "missing"].map(|key| row[key].as_u64().expect(key))
    };
    for (name, missed) in [("cam.a", false), ("det.b", true), ("cam.c", false), ("det.d", true)] {
        let ran = executions.iter().filter(|(known, _)| known == name).count() as u64;
        let [logged, missing] = row(name);
        assert_eq!((logged, missing > 0), (ran, missed), "{name}: {text}");
    }
    let epoch = &found["schedules"][0]["epochs"][0];
    assert_eq!(
        (&epoch["epoch"], epoch["late"].as_u64() > Some(0)),
        (&"h.e".into(), true),
        "{text}"
    );
    // The last frame of all had begun when the run was to end, and ended.
    let frames = executions.iter().filter(|(name, _)| name == "cam.a").count();
    assert_eq!(epoch["frames"].as_u64(), Some(frames as u64), "{text}");
    let resources: Vec<_> = found["schedules"][0]["resources"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| &row["resource"])
        .collect();
    assert_eq!(resources, ["CPU0", "CPU1"]);
    assert!(
        analyze("").contains("cam.a") && analyze("--format csv").contains("\n1,runnables,det.b,")
    );
    assert!(analyze("--format html").contains("<td>det.d</td>"));
    let page = Gxe::in_folder(scene.folder.path()).args("stm gantt g.stm --log run.log").run();
    assert!(page.with_status(0).stdout.contains("\"measured\":["));

    // A short log drops the oldest; one that cannot be written is refused before anything runs.
    let mut master = scene.master("-s g.stm -l run.log --log-limit 3");
    let clients = [scene.camera(&[]), scene.detector(&[])];
    let begun = || scene.executions().iter().filter(|(_, frame)| *frame == 10).count();
    eventually("ten more frames", || begun() == 6);
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(clients.map(end), [Some(0); 2]);
    assert!(analyze("").contains("oldest entries"));
    let master = scene.master("-s g.stm -l no/run.log");
    master.end().with_status(2).complains("cannot write the log 'no/run.log'");
}

#[test]
fn clients_notice_a_master_that_is_killed() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let mut master = scene.master("-s g.stm");
    let clients = [scene.camera(&[]), scene.detector(&[])];
    scene.wait_for("det.d 5");
    master.signal("KILL");
    _ = master.end();
    assert_eq!(clients.map(end), [Some(2); 2]);
    let told =
        scene.lines().iter().filter(|line| *line == "enter: error 18: the master is gone").count();
    assert_eq!(told, 2, "{:?}", scene.lines());
    // A socket that was left behind is replaced.
    let mut master = scene.master("-s g.stm");
    let clients = [scene.camera(&[]), scene.detector(&[])];
    let begun = || scene.executions().iter().filter(|(_, frame)| *frame == 0).count();
    eventually("the second run begins", || begun() == 8);
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(clients.map(end), [Some(0); 2]);
}

#[test]
fn an_overrunning_runnable_skips_frames_or_ends_the_master() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let slow = [("SLEEP_AT", "det.b:5:100")];
    let mut master = scene.master("-s g.stm -l run.log");
    let clients = [scene.camera(&[]), scene.detector(&slow)];
    scene.wait_for("det.d 50");
    master.signal("INT");
    let ended = master.end().with_status(130);
    assert_eq!(clients.map(end), [Some(0); 2]);
    let executions = scene.executions();
    assert_order(&executions, &ORDER);
    let frames: Vec<u64> = executions.iter().step_by(4).map(|(_, frame)| *frame).collect();
    // Cycles that are skipped have no frame, so numbers go on; the master counts them.
    assert_eq!(frames, (0..frames.len() as u64).collect::<Vec<_>>());
    assert!(!ended.stderr.contains(", skipped: 0"), "{}", ended.stderr);
    let line = "stm analyze run.log --format json";
    let found = Gxe::in_folder(scene.folder.path()).args(line).run().with_status(0).stdout;
    let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
    let row = &found["schedules"][0]["epochs"][0];
    let [frames, late, skipped] = ["frames", "late", "skipped"].map(|key| &row[key]);
    ended.complains(&format!("frames: {frames}, late: {late}, skipped: {skipped}"));

    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let master = scene.master("-s g.stm -t 400000");
    let slow = [("SLEEP_AT", "det.b:5:2000")];
    let clients = [scene.camera(&[]), scene.detector(&slow)];
    let ended = master.end().with_status(5);
    ended.complains(
        "because: `det.b` has not ended 400 ms after the start of frame 5 of `h.e` (STM's error 4)",
    );
    assert_eq!(clients.map(end), [Some(2); 2]);
}

/// A client that is stopped between two frames cannot say that it has left, and the other one waits
/// for it.
#[test]
fn a_client_that_does_not_leave_ends_the_master_in_time() {
    let scene = Scene::new(&[("g", chain(1, "2s", ORDER))]);
    let mut master = scene.master("-s g.stm -t 300000");
    let camera = scene.camera(&[]);
    let mut detector = scene.detector(&[]);
    scene.wait_for("det.d 0");
    let stop = Command::new("kill").args(["-STOP", &detector.id().to_string()]).status();
    assert!(stop.expect("it runs").success());
    master.signal("INT");
    let ended = master.end().with_status(5);
    ended.complains(
        "because: of the clients, `cam`, `det` have not left the hyperepoch `h` 300 ms after its end \
         (STM's error 4)",
    );
    assert_eq!(end(camera), Some(2));
    detector.kill().unwrap();
    _ = detector.wait();
}

#[test]
fn a_manager_starts_stops_and_rolls_over() {
    let back = ["det.d", "cam.c", "det.b", "cam.a"];
    let other = chain(3, "3ms", ORDER).replace("CPU1", "CPU7");
    let scene =
        Scene::new(&[("a", chain(1, "3ms", ORDER)), ("b", chain(2, "3ms", back)), ("c", other)]);
    let mut master = scene.master("-s a.stm b.stm c.stm -N boss");
    let wrong = scene.program("manager", "nobody", &[]);
    assert_eq!(end(wrong), Some(1));
    scene.wait_for("init 5 this master has no manager `nobody`: the manager is called `boss`");
    let mut manager = Manager::start(&scene);
    let mut ask = |line: &str, answer: &str| manager.ask(line, answer);
    ask("start 1", "start 6 the client `cam` has not entered the scheduler yet");
    let clients = [scene.camera(&[]), scene.detector(&[])];
    master.wait_for_error("the client `cam` is ready");
    master.wait_for_error("the client `det` is ready");
    ask("start 9", "start 23 there is no schedule 9, but 1, 2, 3");
    ask("stop 1", "stop 22 the schedule 1 cannot be stopped: none runs");
    ask("start 1", "start 0 ");
    scene.wait_for("det.d 5");
    ask("start 2", "start 22 the schedule 2 cannot be started: the schedule 1 runs");
    ask("roll 2 3", "roll 22 the schedule 3 cannot be stopped: the schedule 1 runs");
    ask(
        "roll 3 1",
        "roll 2 a roll-over needs hyperepochs with the same resources: one that runs owns [CPU0, CPU1], and none of the schedule 3 does",
    );
    ask("roll 2 1", "roll 0 ");
    // The callbacks came before the first frame of the new schedule.
    let lines = scene.lines();
    let new =
        lines.windows(2).position(|two| two[0].starts_with("det.d") && two[1].starts_with("det.d"));
    for client in ["cam", "det"] {
        let text = format!("{client} is ready for 2 behind 1");
        let ready = lines.iter().position(|line| *line == text).expect(&text);
        assert!(new.is_none_or(|new| ready < new), "{lines:?}");
        assert_eq!(lines.iter().filter(|line| **line == text).count(), 1, "{lines:?}");
    }
    let rolled = scene.executions().len();
    eventually("the other schedule runs", || scene.executions().len() > rolled + 20);
    ask("stop 2", "stop 0 ");
    let stopped = scene.executions();
    ask("start 3", "start 0 ");
    eventually("the third schedule runs", || scene.executions().len() > stopped.len() + 20);
    ask("stop 3", "stop 0 ");
    let rest = scene.executions().split_off(stopped.len());
    // Clients that come after the only frame was left out still let each other go.
    for _ in 0..100 {
        ask("start 3", "start 0 ");
        ask("stop 3", "stop 0 ");
    }
    manager.end();
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(clients.map(end), [Some(0); 2]);
    // Both orders, with one change between them, and every frame whole.
    let names: Vec<&str> = stopped.iter().map(|(name, _)| name.as_str()).collect();
    let (mut frames, mut forth, mut done) = (names.chunks(4).peekable(), 0, 0);
    while frames.next_if(|frame| *frame == ORDER).is_some() {
        forth += 1;
    }
    while frames.next_if(|frame| *frame == back).is_some() {
        done += 1;
    }
    assert!(forth > 0 && done > 0 && frames.next().is_none(), "{names:?}");
    assert_order(&rest, &ORDER);
}

/// One hyperepoch is busy, on this CPU, and the other one, on the other, executes nothing.
fn half_idle(identifier: u16, cpus: [u32; 2]) -> String {
    let [busy, idle] = cpus;
    format!(
        "Version: 2.0.0\nhalf:\n  Identifier: {identifier}\n  Resources: {{CPU: [CPU0, CPU1]}}\n  \
         Hyperepochs:\n  - busy: {{Resources: [CPU{busy}], Epochs: [e: {{Period: 3ms}}]}}\n  \
         - idle: {{Resources: [CPU{idle}], Epochs: [f: {{Period: 3ms}}]}}\n  Clients:\n  - cam:\n      \
         Epochs:\n      - busy.e: {{Runnables: [a: {{WCET: 10us, Resources: [CPU{busy}]}}]}}\n"
    )
}

#[test]
fn hyperepochs_that_execute_nothing_roll_over() {
    let halves = [("a", [0, 1]), ("b", [0, 1]), ("c", [1, 0])];
    let graphs = (1..).zip(halves).map(|(number, (name, cpus))| (name, half_idle(number, cpus)));
    let scene = Scene::new(&graphs.collect::<Vec<_>>());
    let mut master = scene.master("-s a.stm b.stm c.stm -N boss");
    let camera = scene.program("client", "cam a", &[]);
    master.wait_for_error("the client `cam` is ready");
    let mut manager = Manager::start(&scene);
    manager.ask("start 1", "start 0 ");
    // To the same halves, from the busy one to the empty one and back, and to another end.
    for [next, last] in [[2, 1], [3, 2], [1, 3], [3, 1]] {
        manager.ask(&format!("roll {next} {last}"), "roll 0 ");
        let executed = scene.executions().len();
        eventually("the schedule runs", || scene.executions().len() > executed + 5);
    }
    manager.ask("stop 3", "stop 0 ");
    manager.end();
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(end(camera), Some(0));
}

/// The schedule goes on, and can be stopped.
#[test]
fn a_roll_over_does_not_wait_for_ever_for_a_client() {
    let scene = Scene::new(&[("a", chain(1, "3ms", ORDER)), ("b", chain(2, "3ms", ORDER))]);
    let mut master = scene.master("-s a.stm b.stm -N boss -t 1000000");
    let camera = scene.camera(&[]);
    let mut detector = scene.detector(&[("ROLL_OVER_TIME", "1000")]);
    master.wait_for_error("the client `cam` is ready");
    master.wait_for_error("the client `det` is ready");
    let mut manager = Manager::start(&scene);
    manager.ask("start 1", "start 0 ");
    let refused = "roll 4 of the clients, `det` is not ready for the schedule 2 after 1000 ms";
    for _ in 0..2 {
        manager.ask("roll 2 1", refused);
    }
    let executed = scene.executions().len();
    eventually("the schedule goes on", || scene.executions().len() > executed + 20);
    manager.ask("stop 1", "stop 0 ");
    manager.end();
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(end(camera), Some(0));
    detector.kill().unwrap();
    _ = detector.wait();
}

#[test]
fn a_roll_over_that_the_end_of_the_master_forestalls_is_no_success() {
    let scene = Scene::new(&[("a", chain(1, "3ms", ORDER)), ("b", chain(2, "3ms", ORDER))]);
    let mut master = scene.master("-s a.stm b.stm -N boss -t -1");
    let camera = scene.camera(&[]);
    let mut detector = scene.detector(&[("ROLL_OVER_TIME", "1000")]);
    master.wait_for_error("the client `cam` is ready");
    master.wait_for_error("the client `det` is ready");
    let mut manager = Manager::start(&scene);
    manager.ask("start 1", "start 0 ");
    writeln!(manager.input, "roll 2 1").unwrap();
    scene.wait_for("cam is ready for 2 behind 1");
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(manager.output.next().unwrap().unwrap(), "roll 18 the master has ended");
    manager.end();
    assert_eq!(end(camera), Some(0));
    detector.kill().unwrap();
    _ = detector.wait();
}

/// A client that submits work, and one that waits for it.
fn submitting() -> Scene {
    let graph = "Version: 2.0.0\ng:\n  Identifier: 1\n  Resources: {CPU: [CPU0, CPU1], GPU: [GPU0]}\n  \
                 Hyperepochs:\n  - h: {Epochs: [e: {Period: 3ms}]}\n  Clients:\n  - cam:\n      \
                 Resources: {CUDA_STREAM: [s: GPU0]}\n      Epochs:\n      - h.e:\n          Runnables:\n          \
                 - a: {WCET: 10us, Resources: [CPU0, CUDA_STREAM], Submits: cam.work}\n          \
                 - work: {WCET: 1ms, Resources: [GPU0]}\n  - det:\n      Epochs:\n      - h.e:\n          \
                 Runnables:\n          - b: {WCET: 10us, Resources: [CPU1], Dependencies: [cam.work]}\n";
    Scene::new(&[("g", graph.to_owned())])
}

#[test]
fn dependants_wait_for_submitted_work() {
    let scene = submitting();
    let mut master = scene.master("-s g.stm");
    let clients =
        [scene.program("client", "cam a", &[("WORK", "a")]), scene.program("client", "det b", &[])];
    scene.wait_for("det.b 20");
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(clients.map(end), [Some(0); 2], "{:?}", scene.lines());
    let order: Vec<String> = scene.lines().into_iter().filter(|line| line != "left").collect();
    for frame in order.chunks(3) {
        let words: Vec<&str> = frame.iter().filter_map(|line| line.split(' ').next()).collect();
        assert_eq!(words, ["cam.a", "a", "det.b"], "{order:?}");
    }
}

#[test]
fn a_client_that_exits_waits_for_what_it_submitted() {
    let scene = submitting();
    let mut master = scene.master("-s g.stm --on-exit continue");
    let variables = [("WORK", "a"), ("WORK_TIME", "100000"), ("EXIT_AT", "cam.a:2")];
    let clients =
        [scene.program("client", "cam a", &variables), scene.program("client", "det b", &[])];
    scene.wait_for("det.b 5");
    master.signal("INT");
    _ = master.end().with_status(130);
    assert_eq!(clients.map(end), [Some(0); 2], "{:?}", scene.lines());
    let lines = scene.lines();
    let executes = |name: &str| lines.iter().filter(|line| line.starts_with(name)).count();
    assert_eq!((executes("cam.a "), executes("a done")), (3, 3), "{lines:?}");
    let third = lines.iter().position(|line| line.starts_with("cam.a 2")).expect("it ran");
    assert!(lines[third + 1] == "a done", "{lines:?}");
}

/// A runnable that submits work and one that does not are registered by functions of their own.
#[test]
fn a_runnable_is_registered_as_what_it_is() {
    let scene = submitting();
    let mut master = scene.master("-s g.stm");
    for (line, variables, text) in [
        (
            "cam a",
            &[][..],
            "register: error 5: `cam.a` submits work: register it with stmRegisterSubmitter",
        ),
        (
            "det b",
            &[("WORK", "b")],
            "register: error 5: `det.b` submits nothing: register it with stmRegisterCpuRunnable",
        ),
    ] {
        assert_eq!(end(scene.program("client", line, variables)), Some(1));
        assert!(scene.lines().contains(&text.to_owned()), "{text}: {:?}", scene.lines());
    }
    master.signal("INT");
    _ = master.end();
}

/// The app of a client whose entity submits jobs that a thread of an extension does.
fn submitting_app(scene: &Scene, job: &str, entities: &str) -> Gxe {
    let app = format!(
        "name: a\ncomponents:\n- {{name: job, type: gxe::test::Job, parameters: {{{job}}}}}\n\
         - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 20}}}}\n\
         - {{type: gxe::test::JobGiver, parameters: {{job: job}}}}\n\
         ---\nname: scheduler\ncomponents:\n- {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
         - {{type: gxe::StaticClient, parameters: {{clock: clock, client: cam, master: '{}'{entities}}}}}\n",
        scene.path("m.sock").display()
    );
    Gxe::app(&app).file("manifest.yaml", &format!("{MANIFEST}- libgxf_outside.so\n"))
}

#[test]
fn entities_of_a_client_submit_work_for_which_other_processes_wait() {
    let scene = submitting();
    let master = scene.master("-s g.stm");
    let detector = scene.program("client", "det b", &[]);
    let ended = submitting_app(&scene, "", "").run().with_status(0);
    assert_eq!(ended.count("outside: tick "), 20, "{}", ended.stdout);
    master.end().with_status(0).complains("the client `cam` left, process ");
    assert_eq!(end(detector), Some(0), "{:?}", scene.lines());
    let ran = |name: &str| scene.executions().iter().filter(|(known, _)| known == name).count();
    assert!(ran("det.b") >= 20, "{:?}", scene.lines());

    // Work that is never done: nothing that depends on it begins, and a stop waits for the master only.
    for stops in [false, true] {
        let scene = submitting();
        let master = scene.master("-s g.stm -t 500000");
        let detector = scene.program("client", "det b", &[]);
        let mut camera = submitting_app(&scene, "idle: true", "").spawn();
        camera.wait_for("outside: tick 1");
        if stops {
            camera.signal("INT");
        }
        let text = "`cam.work` has not ended 500 ms after the start of frame 0 of `h.e`";
        master.end().with_status(5).complains(text);
        let ended = camera.end();
        if !stops {
            ended.with_status(5).complains(text);
        }
        assert_eq!(end(detector), Some(2));
        assert_eq!(scene.executions(), []);
    }

    let scene = submitting();
    let master = scene.master("-s g.stm");
    let detector = scene.program("client", "det b", &[]);
    let ended = submitting_app(&scene, "fail_at: 3", "").run().with_status(5);
    ended.complains("the submitted work `cam.work` failed with GXF_OUT_OF_MEMORY");
    ended.complains("the job found no memory");
    _ = master.end();
    _ = end(detector);
}

/// The app of a client whose entity enqueues work on the streams of its pool.
fn device_app(scene: &Scene) -> String {
    const TX: &str = "type: nvidia::gxf::DoubleBufferTransmitter";
    format!(
        "name: a\ncomponents:\n- {{name: cuda, {TX}}}\n- {{name: host, {TX}}}\n\
         - {{name: pool, type: nvidia::gxf::UnboundedAllocator}}\n\
         - {{name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {{max_size: 2}}}}\n\
         - type: nvidia::gxf::test::cuda::StreamTensorGenerator\n  \
         parameters: {{cuda_tx: cuda, host_tx: host, cuda_tensor_pool: pool, host_tensor_pool: pool, \
         stream_pool: streams}}\n\
         - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: 20}}}}\n\
         ---\nname: scheduler\ncomponents:\n- {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
         - {{type: gxe::StaticClient, parameters: {{clock: clock, client: cam, master: '{}'}}}}\n",
        scene.path("m.sock").display()
    )
}

#[test]
fn other_processes_wait_for_what_a_client_enqueues_on_its_device() {
    for mode in modes() {
        let scene = submitting();
        let master = scene.master("-s g.stm");
        let detector = scene.program("client", "det b", &[]);
        let (ended, report) = run(with_stand_in(&device_app(&scene), mode));
        _ = ended.with_status(0);
        report.nothing_is_left();
        _ = master.end().with_status(0);
        assert_eq!(end(detector), Some(0), "{mode}: {:?}", scene.lines());
        let ran = scene.executions().iter().filter(|(name, _)| name == "det.b").count();
        assert!(ran >= 20, "{mode}: {:?}", scene.lines());
    }
}

#[test]
fn work_without_a_completion_is_refused() {
    let scene = submitting();
    let mut master = scene.master("-s g.stm");
    for (name, text) in [
        (
            "aa/job",
            "the client `cam` does not fit this graph: no entity with a codelet is called `aa`, \
             which the submitted work `cam.work` needs",
        ),
        ("a/jobs", "the submitted work `cam.work`: entity `a` has no completion `jobs`"),
    ] {
        let entities = format!(", entities: [[cam.work, {name}]]");
        submitting_app(&scene, "", &entities).run().with_status(5).complains(text);
    }
    master.signal("INT");
    _ = master.end();
}

#[test]
fn an_app_of_gxe_is_a_client() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let mut app: String = [("a", 3), ("c", 10)]
        .map(|(name, count)| {
            format!(
                "---\nname: {name}\ncomponents:\n- {{name: {name}, type: gxe::test::Probe}}\n\
                 - {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}\n"
            )
        })
        .concat();
    app += &format!(
        "---\nname: scheduler\ncomponents:\n- {{name: clock, type: 'nvidia::gxf::RealtimeClock'}}\n\
         - {{type: 'gxe::StaticClient', parameters: {{clock: clock, client: cam, master: '{}'}}}}\n",
        scene.path("m.sock").display()
    );
    let first_socket = scene.path("m.sock").display().to_string();
    let camera = Gxe::app(&app).spawn();
    let master = scene.master("-s g.stm");
    let detector = scene.detector(&[]);
    let ended = camera.end().with_status(0);
    for (name, ticks) in [("a", 3), ("c", 10)] {
        let count = |call: &str| ended.probe(name).iter().filter(|known| **known == call).count();
        // Once it has ended, it stays so.
        assert_eq!(["start", "tick", "stop"].map(count), [1, ticks, 1], "{}", ended.stdout);
    }
    // A client that leaves ends the others regularly.
    let master = master.end().with_status(0);
    master.complains("the client `cam` left, process ");
    master.complains("; the others end");
    assert_eq!(end(detector), Some(0), "{:?}", scene.lines());

    // An app that fails is no regular end for the others.
    for fails in ["fail_in: tick", "panic_in: tick"] {
        let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
        let master = scene.master("-s g.stm");
        let detector = scene.detector(&[]);
        let socket = scene.path("m.sock").display().to_string();
        let app = app.replace(&first_socket, &socket).replacen(
            "{name: c, type: gxe::test::Probe}",
            &format!("{{name: c, type: gxe::test::Probe, parameters: {{{fails}}}}}"),
            1,
        );
        let ended = Gxe::app(&app).run().with_status(5);
        let master = master.end().with_status(5);
        master.complains("the client `cam` failed, process ");
        master.complains(": entity `c`");
        assert!(!master.stderr.contains("passed over"), "{}", master.stderr);
        assert_eq!(end(detector), Some(2), "{}", ended.stderr);
        let told = |line: &String| line.starts_with("enter: error 7: the client `cam` failed, ");
        assert!(scene.lines().iter().any(told), "{:?}", scene.lines());
    }

    // An app that does not fit.
    let mut master = scene.master("-s g.stm");
    let ended = Gxe::app(&app.replace("name: c\n", "name: cc\n")).run().with_status(5);
    ended.complains("the client `cam` does not fit this graph: no entity with a codelet is called `c`, which the runnable `cam.c` needs");
    ended.complains("no runnable of the client is the entity `cc`, which would never tick");
    let pairs = "client: cam, entities: [[cam.a, a], [cam.a, c], [cam.x, c]], ";
    let ended = Gxe::app(&app.replace("client: cam, ", pairs)).run().with_status(5);
    ended.complains("`entities`: `cam.a` has two pairs");
    ended.complains("`entities`: the client has no runnable `cam.x`");
    master.signal("INT");
    _ = master.end();
}

#[test]
fn wrong_clients_are_refused() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    let mut master = scene.master("-s g.stm");
    for (line, text) in [
        ("camm a", "init: error 5: no schedule has a client `camm`; did you mean `cam`?"),
        (
            "cam a cc",
            "register: error 5: no schedule has a runnable `cam.cc`; did you mean `cam.c`?",
        ),
        ("cam a a", "register: error 2: `cam.a` is registered already"),
        ("cam a", "enter: error 5: the runnable `cam.c` is not registered"),
    ] {
        let client = scene.program("client", line, &[]);
        let process = client.id();
        assert_ne!(end(client), Some(0));
        assert!(scene.lines().contains(&text.to_owned()), "{text}: {:?}", scene.lines());
        if line.starts_with("cam ") {
            // Until then there is a client of this name.
            master.wait_for_error(&format!("the client `cam` died, process {process}"));
        }
    }
    let camera = scene.camera(&[]);
    master.wait_for_error("the client `cam` is ready, process ");
    assert_eq!(end(scene.camera(&[])), Some(1));
    scene.wait_for(&format!(
        "init: error 6: the client `cam` is here already, as process {}",
        camera.id()
    ));
    master.signal("INT");
    _ = master.end();
    _ = end(camera);
    let twice = Gxe::in_folder(scene.folder.path()).args("stm master -s g.stm g.stm").run();
    twice.with_status(3).complains("two schedules have the identifier 1 (STM's error 23)");
    for time in ["0", "-5", "abc"] {
        let line = format!("stm master -s g.stm -t {time}");
        let refused = Gxe::in_folder(scene.folder.path()).args(&line).run().with_status(2);
        refused.complains("expected a number of microseconds from 1, or -1");
    }
}

#[test]
fn two_threads_of_a_process_do_not_become_two_clients() {
    let scene = Scene::new(&[("g", chain(1, "3ms", ORDER))]);
    // The first one waits for a master that is not there yet.
    let camera = scene.camera(&[("ALSO", "det")]);
    scene.wait_for("also: error 6: another thread of this process is calling stmClientInit");
    let mut master = scene.master("-s g.stm");
    master.wait_for_error("the client `cam` is ready, process ");
    master.signal("INT");
    _ = master.end();
    _ = end(camera);
}
