//! Queries and commands to a run: the control socket, `gxe top`.

use gxe_tests::links::free_port;
use gxe_tests::{Gxe, Running, build, eventually, manifest_of_all};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Two entities that tick for ever; `b` prints what `a` sends.
fn endless(scheduler: &str) -> String {
    format!(
        "\
name: a
components:
- {{name: p, type: gxe::test::Probe, parameters: {{transmitters: [out]}}}}
- {{name: out, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{name: period, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 2ms}}}}
---
name: b
components:
- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {{capacity: 3}}}}
- {{name: rx, type: gxe::test::Probe, parameters: {{receivers: [in]}}}}
- {{name: ready, type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: in}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: a/out, target: b/in}}}}
---
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{type: nvidia::gxf::{scheduler}, parameters: {{clock: clock}}}}
"
    )
}

/// Starts the graph with a control socket, and waits until `b` ticks.
fn controlled(scheduler: &str) -> (Running, PathBuf) {
    controlled_app(&endless(scheduler))
}

fn controlled_app(app: &str) -> (Running, PathBuf) {
    let gxe = Gxe::app(app).args("--control control.sock");
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("probe rx tick");
    (running, folder)
}

/// A connection to the socket of a run.
pub(crate) struct Client(BufReader<UnixStream>);

impl Client {
    /// `None` while the run has no socket.
    pub(crate) fn of(folder: &Path) -> Option<Self> {
        Some(Self(BufReader::new(UnixStream::connect(folder.join("control.sock")).ok()?)))
    }

    fn connect(folder: &Path) -> Self {
        Self::of(folder).unwrap()
    }

    fn line(&mut self, line: &str) -> Value {
        self.0.get_mut().write_all(format!("{line}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        self.0.read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    pub(crate) fn ask(&mut self, command: &str) -> Value {
        self.line(&json!({"command": command}).to_string())
    }

    fn ticks(&mut self) -> Vec<u64> {
        let answer = self.ask("status");
        let entities = answer["status"]["entities"].as_array().unwrap();
        entities.iter().map(|entity| entity["ticks"].as_u64().unwrap()).collect()
    }
}

/// The first actor is on its way when the pause begins, and the others wait for its end. Steps construct
/// them before any of them acts.
#[test]
fn a_step_constructs_all_actors_before_one_acts() {
    let probe = |name: &str, more: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n\
             - {{type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {{recess_period: 2ms}}}}\n\
             - {{name: {name}, type: gxe::test::Probe, parameters: {{{more}}}}}\n"
        )
    };
    let app = probe("a", "start_after: go")
        + &probe("b", "")
        + &probe("c", "")
        + "---\ncomponents:\n\
           - {name: clock, type: nvidia::gxf::RealtimeClock}\n\
           - {type: gxe::ActorScheduler, parameters: {clock: clock}}\n";
    let gxe = Gxe::app(&app).args("--control control.sock");
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    running.wait_for("probe a waits for ");
    let mut client = Client::connect(&folder);
    assert_eq!(client.ask("pause"), json!({"ok": true}));
    std::fs::write(folder.join("go"), "").unwrap();
    running.wait_for("probe a start");
    assert_eq!(client.ask("step"), json!({"ok": true, "entity": "b"}));
    std::thread::sleep(std::time::Duration::from_millis(100));
    let status = client.ask("status");
    let entities = status["status"]["entities"].as_array().unwrap();
    let states: Vec<&Value> = entities.iter().map(|entity| &entity["state"]).collect();
    assert_eq!(states, ["started", "started", "not started"], "{status}");
    for entity in ["c", "a", "b"] {
        assert_eq!(client.ask("step"), json!({"ok": true, "entity": entity}));
    }
    assert_eq!(client.ticks(), [1, 1, 0]);
    assert_eq!(client.ask("resume"), json!({"ok": true}));
    eventually("all entities tick", || client.ticks().iter().all(|ticks| *ticks > 2));
    assert_eq!(client.ask("stop"), json!({"ok": true}));
    drop(running.end());
}

#[test]
fn a_pause_holds_all_entities_until_it_is_over() {
    for scheduler in ["GreedyScheduler", "MultiThreadScheduler", "EventBasedScheduler"] {
        let (running, folder) = controlled(scheduler);
        let mut client = Client::connect(&folder);
        assert_eq!(client.ask("pause"), json!({"ok": true}));
        // What runs when the pause begins finishes; then the ticks, usually every two milliseconds,
        // stop.
        let mut before = client.ticks();
        eventually("a graph that is paused stands still", || {
            std::thread::sleep(std::time::Duration::from_millis(100));
            std::mem::replace(&mut before, client.ticks()) == before
        });
        assert_eq!(client.ask("status")["status"]["state"], "paused");
        let mut entity = Value::Null;
        eventually("the time of an entity comes", || {
            entity = client.ask("step");
            !entity["entity"].is_null()
        });
        assert!(entity == json!({"ok": true, "entity": "a"}), "{entity}");
        assert_eq!(client.ticks()[0], before[0] + 1, "{scheduler}");
        before = client.ticks();
        assert_eq!(client.ask("resume"), json!({"ok": true}));
        eventually("both entities go on", || {
            client.ticks().iter().zip(&before).all(|(now, before)| now > before)
        });
        // A paused run can be stopped.
        client.ask("pause");
        assert_eq!(client.ask("stop"), json!({"ok": true}));
        let (ended, is_left) = running.end_with(|| folder.join("control.sock").exists());
        assert!(!is_left, "the socket goes with the run");
        let ended = ended.with_status(0);
        ended.complains("gxe: stopped by the control socket: ");
        assert!(ended.probe("rx").ends_with(&["stop", "deinitialize"]), "{scheduler}");
    }
}

#[test]
fn the_status_says_what_waits_for_what() {
    let (running, folder) = controlled("GreedyScheduler");
    let mode = std::fs::metadata(folder.join("control.sock")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut client = Client::connect(&folder);
    client.ask("pause");
    let mut entities = [Value::Null, Value::Null];
    eventually("what runs when the pause begins is finished, and the time of `a` comes", || {
        let status = client.ask("status");
        entities = [0, 1].map(|index| status["status"]["entities"][index].clone());
        entities[0]["waits"].is_null() && entities.iter().all(|entity| entity["state"] == "idle")
    });
    let [a, b] = entities;
    assert_eq!(a["name"], "a");
    assert_eq!(
        b["waits"],
        "for messages in `b/in`, which holds 0 of 3 and which `a/out` fills (term `ready`)"
    );
    assert_eq!(
        b["queues"],
        json!([{"name": "in", "receives": true, "messages": 0, "capacity": 3}])
    );
    for (line, error) in [
        ("nonsense", "not a request: expected ident at line 1 column 2"),
        ("{", "not a request: a request is one line, and its JSON is not complete"),
        (
            "{\"command\": \"pause\", \"x\": 1}",
            "not a request: unknown field `x`; \"pause\" has none",
        ),
        (
            "null",
            "not a request: expected an object with a `command`, such as {\"command\": \"status\"}",
        ),
        (
            "{\"command\": \"set\", \"parameter\": \"a/p\", \"value\": 1}",
            "'a/p' is not of the form entity/component/key",
        ),
        (
            "{\"command\": \"set\", \"parameter\": \"a/p/nope\", \"value\": 1}",
            "component `p` (gxe::test::Probe) has no parameter `nope`",
        ),
        (
            "{\"command\": \"set\", \"parameter\": \"c/p/take\", \"value\": 1}",
            "there is no entity `c`",
        ),
        (
            "{\"command\": \"set\", \"parameter\": \"b/rx/take\", \"value\": 1}",
            "parameter 'take' is not dynamic: its component reads it before the run only; set it in \
             the app file, or with --param b/rx/take=VALUE",
        ),
        (
            "{\"command\": \"set\", \"parameter\": \"b/rx/log_time\", \"value\": \"soon\"}",
            "'b/rx/log_time' cannot be set: ",
        ),
        (
            "{\"command\": \"set\", \"parameter\": \"b/rx/log_time\", \"value\": [1, {}]}",
            "'b/rx/log_time' cannot be set: ",
        ),
        ("{\"command\": \"statistics\"}", "run with --statistics for that"),
        (
            "{\"command\": \"trace\", \"file\": \"x\"}",
            "no trace is being recorded: ask for trace_start first",
        ),
    ] {
        let answer = client.line(line);
        assert_eq!(answer["ok"], false, "{line}");
        let found = answer["error"].as_str().unwrap();
        assert!(found.starts_with(error), "{line}: {found}");
    }
    client.ask("stop");
    running.end().with_status(0).complains("stopped by the control socket");
}

#[test]
fn a_parameter_is_set_and_a_trace_is_written() {
    let (mut running, folder) = controlled("GreedyScheduler");
    let mut client = Client::connect(&folder);
    assert_eq!(
        client.ask("parameters")["parameters"],
        json!([
            {"parameter": "a/p/log_time", "value": "false", "unit": null},
            {"parameter": "a/period/recess_period", "value": "2ms", "unit": null},
            {"parameter": "a/period/policy", "value": "CatchUpMissedTicks", "unit": null},
            {"parameter": "b/rx/log_time", "value": "false", "unit": null},
            {"parameter": "b/ready/min_size", "value": "1", "unit": null},
            {"parameter": "b/ready/front_stage_max_size", "value": null, "unit": null},
        ])
    );
    let set = json!({"command": "set", "parameter": "b/rx/log_time", "value": true});
    assert_eq!(client.line(&set.to_string()), json!({"ok": true}));
    running.wait_for(" at ");
    assert_eq!(client.ask("trace_start"), json!({"ok": true}));
    let ticks = client.ticks()[0];
    eventually("`a` goes on", || client.ticks()[0] >= ticks + 5);
    let file = folder.join("trace.json");
    let written = client.line(&json!({"command": "trace", "file": file}).to_string());
    assert_eq!(written["ok"], true, "{written}");
    let trace: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(!trace["traceEvents"].as_array().unwrap().is_empty());
    client.ask("stop");
    running.end().with_status(0).complains("stopped by the control socket");
}

/// The trace goes to a pipe without a reader: only the client that asked for it waits.
#[test]
fn a_trace_that_cannot_be_written_keeps_nobody_waiting() {
    let (running, folder) = controlled("GreedyScheduler");
    let mut client = Client::connect(&folder);
    assert_eq!(client.ask("trace_start"), json!({"ok": true}));
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let mut stuck = UnixStream::connect(folder.join("control.sock")).unwrap();
    let request = json!({"command": "trace", "file": pipe});
    stuck.write_all(format!("{request}\n").as_bytes()).unwrap();
    // Everything else is answered, and the run ends.
    assert_eq!(client.ask("pause"), json!({"ok": true}));
    assert_eq!(client.ask("stop"), json!({"ok": true}));
    running.end().with_status(0).complains("stopped by the control socket");
}

#[test]
fn a_request_without_an_end_is_refused() {
    let (running, folder) = controlled("GreedyScheduler");
    let mut endless = UnixStream::connect(folder.join("control.sock")).unwrap();
    // Fails once the other end is closed.
    _ = endless.write_all(&vec![b' '; 1 << 20]);
    let mut answer = String::new();
    BufReader::new(endless).read_line(&mut answer).unwrap();
    assert!(answer.contains("longer than 65536 bytes"), "{answer}");
    Client::connect(&folder).ask("stop");
    running.end().with_status(0).complains("stopped by the control socket");
}

#[test]
fn a_stop_is_answered_before_the_process_ends() {
    for _ in 0..20 {
        let (running, folder) = controlled("GreedyScheduler");
        assert_eq!(Client::connect(&folder).ask("stop"), json!({"ok": true}));
        _ = running.end().with_status(0);
    }
}

/// `endless`, with a count that a request may set.
fn counted(scheduler: &str) -> String {
    let count = "- {name: count, type: nvidia::gxf::CountSchedulingTerm, parameters: {count: -1}}";
    endless(scheduler).replace("2ms}}\n", &format!("2ms}}}}\n{count}\n"))
}

#[test]
fn a_request_that_ends_the_graph_is_answered_before_the_process_ends() {
    let set = json!({"command": "set", "parameter": "a/count/count", "value": "1"}).to_string();
    for _ in 0..20 {
        let (running, folder) = controlled_app(&counted("GreedyScheduler"));
        assert_eq!(Client::connect(&folder).line(&set), json!({"ok": true}));
        _ = running.end().with_status(0);
    }
}

#[test]
fn a_socket_in_use_is_left_alone_and_a_stale_one_replaced() {
    let gxe = |folder: &Path| {
        let app = "name: a\ncomponents:\n- {type: nvidia::gxf::RealtimeClock}\n";
        std::fs::write(folder.join("app.yaml"), app).unwrap();
        Gxe::in_folder(folder).args("--app app.yaml --run=false --control control.sock").run()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("control.sock");
    let listener = UnixListener::bind(&path).unwrap();
    gxe(folder.path()).with_status(2).complains("'control.sock' is in use by another run");
    drop(listener);
    assert!(path.exists());
    _ = gxe(folder.path()).clean();
    assert!(!path.exists());
    std::fs::write(&path, "text").unwrap();
    gxe(folder.path()).with_status(2).complains("already exists, and is not a socket");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
}

#[test]
fn top_shows_writes_a_trace_and_stops_the_graph() {
    /// Runs a program in a pseudo-terminal of 120 columns, types keys, and prints its output.
    const TERMINAL: &str = r"
import os, pty, sys, select, struct, fcntl, termios, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 120, 0, 0))
# Each key waits for what the view shows before it; the view writes only what changed.
steps = [(b'which', b't'), (b'recording;', b't'), (b'gxe-trace-1.json', b'c'),
         (b'a/p/log_time=false', b'\t\t\t'), (b'rx/l', b'\x7f' * 5 + b'true\r'),
         (b'b/rx/log_time', b's')]
seen, output, end = b'', b'', time.monotonic() + 100
while time.monotonic() < end:
    if not select.select([fd], [], [], 1)[0]:
        continue
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    output, seen = output + data, seen + data
    if steps and steps[0][0] in seen:
        os.write(fd, steps.pop(0)[1])
        seen = b''
sys.stdout.buffer.write(output)
if time.monotonic() >= end:
    os.kill(pid, 9)
sys.exit(0 if os.waitpid(pid, 0)[1] == 0 and not steps else 1)
";
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3, which makes the pseudo-terminal");
        return;
    }
    let (running, folder) = controlled("GreedyScheduler");
    let mut terminal = Command::new("python3");
    terminal.current_dir(&folder).args(["-c", TERMINAL]).arg(build::gxe());
    let shown = terminal.args(["top", "control.sock", "--interval", "50"]).output().unwrap();
    let text = String::from_utf8_lossy(&shown.stdout);
    let complaint = String::from_utf8_lossy(&shown.stderr);
    let latest: String =
        text.chars().rev().take(2000).collect::<Vec<_>>().into_iter().rev().collect();
    assert!(shown.status.success(), "{latest}\n{complaint}");
    assert!(text.contains("the graph ended"), "{text}");
    assert!(folder.join("gxe-trace-1.json").exists());
    running.end().with_status(0).complains("stopped by the control socket");
}

/// Filter, order and help.
#[test]
fn top_filters_orders_and_explains_its_keys() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3, which makes the pseudo-terminal");
        return;
    }
    let (running, folder) = controlled("GreedyScheduler");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tools/top/screens.py");
    let mut terminal = Command::new("python3");
    terminal.current_dir(&folder).arg(script).arg(build::gxe());
    let shown = terminal.arg("control.sock").output().unwrap();
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.status.success(), "{text}\n{}", String::from_utf8_lossy(&shown.stderr));
    let screens: Vec<&str> = text.split("====\n").collect();
    let entities = |screen: &str| {
        let rows = screen.lines().filter_map(|line| line.split_whitespace().next());
        rows.filter(|word| ["a", "b"].contains(word)).collect::<String>()
    };
    assert_eq!(entities(screens[0]).len(), 2, "{text}");
    // The filter ignores case.
    assert_eq!([entities(screens[2]), entities(screens[3])], ["b", "b"], "{text}");
    assert_eq!(entities(screens[5]).len(), 2, "{text}");
    // The explanation takes the place of the table.
    assert_eq!(entities(screens[7]), "", "{text}");
    Client::connect(&folder).ask("stop");
    running.end().with_status(0).complains("stopped by the control socket");
}

/// In a terminal of 40 columns, ended by a signal: the terminal is restored.
#[test]
fn top_gives_the_terminal_back_when_it_is_killed() {
    const TERMINAL: &str = r"
import os, pty, sys, select, struct, fcntl, termios, time, signal
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', 12, 40, 0, 0))
def modes():
    attributes = termios.tcgetattr(slave)
    # The input's speed: no number means that of the output, which rustix writes down.
    attributes[2] &= ~0o2003600000
    return attributes
before = modes()
pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for descriptor in (0, 1, 2):
        os.dup2(slave, descriptor)
    os.execv(sys.argv[1], sys.argv[1:])
output, end, killed = b'', time.monotonic() + 100, False
while time.monotonic() < end and b'\x1b[?1049l' not in output:
    if select.select([master], [], [], 1)[0]:
        output += os.read(master, 65536)
    # The view writes only what changed, so words that stand beside each other may come apart.
    if not killed and b'messages' in output:
        os.kill(pid, signal.SIGTERM)
        killed = True
sys.stdout.buffer.write(output)
if time.monotonic() >= end:
    os.kill(pid, 9)
status = os.waitpid(pid, 0)[1]
assert os.waitstatus_to_exitcode(status) == 143, status
assert modes() == before
";
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3, which makes the pseudo-terminal");
        return;
    }
    let (running, folder) = controlled("GreedyScheduler");
    let mut terminal = Command::new("python3");
    terminal.current_dir(&folder).args(["-c", TERMINAL]).arg(build::gxe());
    let shown = terminal.args(["top", "control.sock", "--interval", "50"]).output().unwrap();
    let text = String::from_utf8_lossy(&shown.stdout);
    assert!(shown.status.success(), "{text}\n{}", String::from_utf8_lossy(&shown.stderr));
    assert!(text.contains("ticks/s") && !text.contains("queues"), "{text}");
    Client::connect(&folder).ask("stop");
    running.end().with_status(0).complains("stopped by the control socket");
}

/// The run is stopped, so it answers nothing: keys and signals count all the same.
#[test]
fn top_is_left_while_the_run_does_not_answer() {
    const TERMINAL: &str = r"
import os, pty, sys, select, struct, fcntl, termios, time, signal
run, how = int(sys.argv[1]), sys.argv[2]
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[3], sys.argv[3:])
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 120, 0, 0))
# The view writes only what changed, so words that stand beside each other may come apart.
steps = [(b'which', lambda: os.kill(run, signal.SIGSTOP)),
         (b'answered', lambda: os.write(fd, b'q') if how == 'q' else os.kill(pid, 15))]
seen, output, end = b'', b'', time.monotonic() + 100
while time.monotonic() < end:
    if not select.select([fd], [], [], 1)[0]:
        continue
    try:
        data = os.read(fd, 65536)
    except OSError:
        break
    if not data:
        break
    output, seen = output + data, seen + data
    if steps and steps[0][0] in seen:
        steps.pop(0)[1]()
        seen = b''
os.kill(run, signal.SIGCONT)
sys.stdout.buffer.write(output)
if time.monotonic() >= end:
    os.kill(pid, 9)
ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert ended == (0 if how == 'q' else 143), ended
assert not steps and b'\x1b[?1049l' in output
";
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("skipped: there is no python3, which makes the pseudo-terminal");
        return;
    }
    for how in ["q", "TERM"] {
        let (running, folder) = controlled("GreedyScheduler");
        let pid = Client::connect(&folder).ask("status")["pid"].to_string();
        let mut terminal = Command::new("python3");
        terminal.current_dir(&folder).args(["-c", TERMINAL, &pid, how]).arg(build::gxe());
        let shown = terminal.args(["top", "control.sock", "--interval", "50"]).output().unwrap();
        let text = String::from_utf8_lossy(&shown.stdout);
        let complaint = String::from_utf8_lossy(&shown.stderr);
        assert!(shown.status.success(), "{how}: {text}\n{complaint}");
        Client::connect(&folder).ask("stop");
        running.end().with_status(0).complains("stopped by the control socket");
    }
}

#[test]
fn top_prints_lines_for_scripts() {
    let (running, folder) = controlled("GreedyScheduler");
    let top = Gxe::in_folder(&folder).args("top --json control.sock --interval 10 --count 3");
    let ended = top.run().clean();
    assert_eq!(ended.stdout.lines().count(), 3);
    for line in ended.stdout.lines() {
        let status: Value = serde_json::from_str(line).unwrap();
        assert_eq!(status["status"]["entities"][1]["name"], "b");
    }
    let top = Gxe::in_folder(&folder).args("top control.sock").run().with_status(2);
    top.complains("`gxe top` needs a terminal");
    Client::connect(&folder).ask("stop");
    running.end().with_status(0).complains("stopped by the control socket");
}

#[test]
fn terms_take_new_values_at_once_and_refuse_wrong_ones() {
    let app = counted("EventBasedScheduler").replace("2ms", "3600s");
    let (mut running, folder) = controlled_app(&app);
    let mut client = Client::connect(&folder);
    let mut set = |parameter: &str, value: &str| {
        let request = json!({"command": "set", "parameter": parameter, "value": value});
        let answer = client.line(&request.to_string());
        answer["error"].as_str().map(str::to_owned)
    };
    let error = set("a/period/recess_period", "banana").expect("an error");
    assert!(error.contains("`recess_period`: "), "{error}");
    // The next tick was an hour away.
    assert_eq!(set("a/period/recess_period", "1ms"), None);
    running.wait_for("probe rx tick");
    assert_eq!(set("b/ready/min_size", "2"), None);
    running.wait_for("probe rx tick");
    // Ticks so far count, so this ends the graph.
    assert_eq!(set("a/count/count", "1"), None);
    let _ = running.end().with_status(0);
}

/// A driver that is a worker, too: its entities are in its segments.
#[test]
fn the_entities_of_segments_are_there_by_their_names() {
    let graph = "\
name: a
components:
- {name: rx, type: gxe::test::Probe}
- {name: per, type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 2ms}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";
    let segment = "{app-path: segment.yaml, manifest-path: manifest.yaml}";
    let app = format!("graph-specs:\n  up: {segment}\n  down: {segment}\n");
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("segment.yaml", graph);
    write("manifest.yaml", &manifest_of_all());
    write("app.yaml", &app);
    let line = format!(
        "run app.yaml --driver --worker --address 127.0.0.1:{} --control control.sock",
        free_port()
    );
    let mut running = Gxe::in_folder(folder.path()).args(&line).spawn();
    running.wait_for("probe rx tick");
    let mut client = Client::connect(folder.path());
    let value = |client: &mut Client, name: &str| {
        let answer = client.ask("parameters");
        let mut parameters = answer["parameters"].as_array().unwrap().iter();
        parameters.find(|one| one["parameter"] == name).map(|one| one["value"].clone())
    };
    eventually("both segments run", || {
        let mut is_there = |name: &str| value(&mut client, name).is_some();
        is_there("up/a/per/recess_period") && is_there("down/a/per/recess_period")
    });
    let mut set = |parameter: &str| {
        let request = json!({"command": "set", "parameter": parameter, "value": "3ms"});
        client.line(&request.to_string())
    };
    assert_eq!(set("up/a/per/recess_period"), json!({"ok": true}));
    assert!(set("up/b/per/recess_period").to_string().contains("there is no entity `b`"));
    assert!(set("recess_period").to_string().contains("not of the form entity/component/key"));
    assert_eq!(value(&mut client, "up/a/per/recess_period"), Some(json!("3ms")));
    assert_eq!(value(&mut client, "down/a/per/recess_period"), Some(json!("2ms")));
    // A pause is one of all segments, and steps take turns.
    assert_eq!(client.ask("pause"), json!({"ok": true}));
    assert_eq!(client.ask("status")["status"]["state"], "paused");
    let mut stepped = std::collections::BTreeSet::new();
    eventually("an entity of each segment steps", || {
        stepped.extend(client.ask("step")["entity"].as_str().map(str::to_owned));
        stepped.len() == 2
    });
    assert_eq!(stepped.into_iter().collect::<Vec<_>>(), ["down/a", "up/a"]);
    assert_eq!(client.ask("resume"), json!({"ok": true}));
    assert_eq!(client.ask("status")["status"]["state"], "running");
    client.ask("stop");
    let _ = running.end();
}
