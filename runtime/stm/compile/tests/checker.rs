//! The checker sees every change that breaks a constraint.

use gxf_app::{Diagnostics, Source};
use gxf_stm::{Graph, GraphFiles, read_graph};
use gxf_stm_compile::{Options, compile};

const GRAPH: &str = "\
Version: 2.0.0
demo:
  Resources: {CPU: [CPU0, CPU1], GPU: [GPU0, GPU1], LOCK: [LOCK0, LOCK1]}
  Hyperepochs:
  - h: {Period: 40us, Epochs: [fast: {Period: 20us, Frames: 2}, slow: {}]}
  Clients:
  - c:
      Resources: {CUDA_STREAM: [s0: GPU0, s1: GPU1]}
      Epochs:
      - h.fast:
          Runnables:
          - a: {WCET: 2us, Resources: [CPU0]}
          - b: {WCET: 3us, Resources: [CPU0, CUDA_STREAM], Dependencies: [c.a], Submits: c.work}
          - work: {WCET: 4us, Resources: [GPU], Deadline: 12us}
          - d: {WCET: 5us, StartTime: 1us, Resources: [CPU1, LOCK0], Dependencies: [c.a]}
      - h.slow:
          Runnables:
          - e: {WCET: 1us, Resources: [CPU1, LOCK0]}
          - f: {WCET: 2us, Resources: [CPU0]}
          - g: {WCET: 2us, Resources: [CPU0], Dependencies: [c.f]}
";

fn graph(text: &str) -> Graph {
    let graph = Source::new("graph.yaml", text);
    let files = GraphFiles { graph, fragments: Vec::new(), wcets: Vec::new() };
    let read = read_graph(&files, &mut Diagnostics::new());
    read.unwrap_or_else(|findings| panic!("{}", findings.render(false)))
}

/// What the checker, or the reader of schedules, says, one line for each finding.
fn check(graph: &Graph, text: &str) -> Vec<String> {
    let source = Source::new("s", text);
    let checked = gxf_stm::schedule::read_schedule(&source)
        .and_then(|schedule| gxf_stm::check::check(graph, &schedule).map(|(_, remarks)| remarks));
    let findings = checked.unwrap_or_else(|findings| findings);
    findings
        .iter()
        .map(|one| format!("{}: {}", one.rule.unwrap_or_default(), one.message))
        .collect()
}

/// A schedule that stays the same when the compiler gets better.
const SCHEDULE: &str = r#"Schedule: 1.0.0
Graph: demo
Identifier: 39883
OneActiveRunnable: false
Hyperepochs:
- h:
    Period: 40us
    Resources: [CPU0, CPU1, GPU0, GPU1, LOCK0, LOCK1]
    Epochs:
    - fast: {Period: 20us, Frames: 2}
    - slow: {Frames: 1}
    Cycles:
    - Makespan: 29us
      LowerBound: 29us
      KeepsDeadlines: true
      Proof: [X]
      Lanes:
      - CPU0:
        - {Runnable: c.a, Epoch: fast, Frame: 0, Release: 0ns, Start: 0ns, End: 2us}
        - {Runnable: c.b, Epoch: fast, Frame: 0, Release: 0ns, Start: 2us, End: 5us, Holds: [c.s0], Submits: "c.work@0"}
        - {Runnable: c.f, Epoch: slow, Frame: 0, Release: 0ns, Start: 5us, End: 7us}
        - {Runnable: c.g, Epoch: slow, Frame: 0, Release: 0ns, Start: 7us, End: 9us, Fused: true}
        - {Runnable: c.a, Epoch: fast, Frame: 1, Release: 20us, Start: 20us, End: 22us}
        - {Runnable: c.b, Epoch: fast, Frame: 1, Release: 20us, Start: 22us, End: 25us, Holds: [c.s0], Submits: "c.work@1"}
      - CPU1:
        - {Runnable: c.e, Epoch: slow, Frame: 0, Release: 0ns, Start: 0ns, End: 1us, Holds: [LOCK0]}
        - {Runnable: c.d, Epoch: fast, Frame: 0, Release: 1us, Start: 2us, End: 7us, Holds: [LOCK0], After: ["c.a@0"]}
        - {Runnable: c.d, Epoch: fast, Frame: 1, Release: 21us, Start: 22us, End: 27us, Holds: [LOCK0], After: ["c.a@1"]}
      - GPU0:
        - {Runnable: c.work, Epoch: fast, Frame: 0, Release: 0ns, Start: 5us, End: 9us, After: ["c.b@0"]}
        - {Runnable: c.work, Epoch: fast, Frame: 1, Release: 20us, Start: 25us, End: 29us, After: ["c.b@1"]}
"#;

#[test]
fn a_right_schedule_passes() {
    let graph = graph(GRAPH);
    assert_eq!(check(&graph, SCHEDULE), [""; 0]);
    let compiled = compile(&graph, &Options::default()).expect("a schedule");
    assert_eq!(check(&graph, &compiled.schedule.to_string()), [""; 0]);
    assert_eq!(compiled.schedule.hyperepochs[0].cycles[0].makespan, 29_000);
}

#[test]
fn every_change_is_found() {
    let graph = graph(GRAPH);
    let mut wrong = Vec::new();
    for (from, to, expected) in [
        (
            "Graph: demo",
            "Graph: other",
            "other-graph: this is a schedule of the graph `other` with identifier 39883, not of `demo` with 39883",
        ),
        (
            "- h:",
            "- g:",
            "other-graph: the schedule plans the hyperepochs `g`, and the graph has `h`",
        ),
        (
            "Period: 40us",
            "Period: 50us",
            "other-graph: the period of `h` is another one in the graph",
        ),
        ("Frames: 1}", "Frames: 2}", "other-graph: the graph gives `h` other epochs"),
        (
            "    Resources: [CPU0, CPU1, GPU0, GPU1, LOCK0, LOCK1]\n",
            "",
            "required: `h` does not say which `Resources` it owns",
        ),
        (
            "Resources: [CPU0, ",
            "Resources: [CPU0, CPU0, ",
            "other-graph: the schedule gives `h` the resources `CPU0`, `CPU0`, `CPU1`, `GPU0`, \
             `GPU1`, `LOCK0`, `LOCK1`, and the graph `CPU0`, `CPU1`, `GPU0`, `GPU1`, `LOCK0`, `LOCK1`",
        ),
        (
            "KeepsDeadlines: true",
            "KeepsDeadlines: false",
            "deadline: every execution ends by its deadline, and `KeepsDeadlines` is false",
        ),
        (
            "GPU0, GPU1, LOCK0, LOCK1]",
            "GPU0]",
            "other-graph: the schedule gives `h` the resources `CPU0`, `CPU1`, `GPU0`, and the graph \
             `CPU0`, `CPU1`, `GPU0`, `GPU1`, `LOCK0`, `LOCK1`",
        ),
        (
            "Schedule: 1.0.0",
            "Schedule: 9",
            "version: version `9` of the format of schedules is not known",
        ),
        (
            "Makespan: 29us",
            "Makespan: 28us",
            "makespan: the last execution ends at 29us, and the makespan is said to be 28us",
        ),
        (
            "LowerBound: 29us",
            "LowerBound: 30us",
            "bound: no schedule is said to be shorter than 30us, and this one takes 29us",
        ),
        (
            "Proof: [X]",
            "Proof: [X X]",
            "bound: the proof that nothing is shorter than 29us is wrong: it goes on behind its end",
        ),
        ("Proof: [X]", "Proof: [Y]", "form: a proof consists of `X`, `O1:2` and `T1:2`"),
        (
            "Proof: [X]",
            "Proof: ['O0:1 X']",
            "bound: the proof that nothing is shorter than 29us is wrong: cases are missing at its end",
        ),
        (
            "Runnable: c.e,",
            "Runnable: c.x,",
            "executions: `c.x@0` is not executed in this cycle of the graph",
        ),
        ("Runnable: c.g,", "Runnable: c.f,", "executions: `c.f@0` is executed twice"),
        (
            "Epoch: slow, Frame: 0, Release: 0ns, Start: 0ns",
            "Epoch: fast, Frame: 0, Release: 0ns, Start: 0ns",
            "executions: `c.e@0` belongs to the epoch `slow`",
        ),
        (
            "Submits: \"c.work@0\"",
            "Submits: \"c.work@1\"",
            "executions: `c.b@0` submits `c.work@0`",
        ),
        ("- CPU1:", "- CPU7:", "resources: the graph has no engine `CPU7`"),
        ("- CPU1:", "- CPU0:", "resources: `CPU0` has a second lane"),
        (
            "Holds: [c.s0]",
            "Holds: [c.s1]",
            "resources: `c.b@0` holds the stream `c.s1`, which does not lead to `GPU0`, where its work runs",
        ),
        ("Holds: [c.s0], ", "", "resources: `c.b@0` asks for `CUDA_STREAM` and does not get it"),
        (
            "End: 1us, Holds: [LOCK0]",
            "End: 1us, Holds: [LOCK0, LOCK1]",
            "resources: `c.e@0` does not ask for `LOCK1`",
        ),
        (
            "End: 1us, Holds: [LOCK0]",
            "End: 1us, Holds: [LOCK9]",
            "resources: the graph has no resource `LOCK9`",
        ),
        (
            "- GPU0:",
            "- GPU1:",
            "resources: `c.b@0` holds the stream `c.s0`, which does not lead to `GPU1`, where its work runs",
        ),
        (
            "Start: 0ns, End: 1us",
            "Start: 0ns, End: 2us",
            "times: `c.e@0` is not planned for its WCET of 1us",
        ),
        (
            "Start: 20us, End: 22us",
            "Start: 19us, End: 21us",
            "times: `c.a@1` starts at 19us, before its release at 20us",
        ),
        ("Release: 21us", "Release: 20us", "times: the clock releases `c.d@1` at 21us"),
        (
            "Start: 5us, End: 9us",
            "Start: 17us, End: 21us",
            "times: `c.work@0` ends at 21us, after the end of its frame at 20us",
        ),
        (
            "Start: 5us, End: 9us",
            "Start: 9us, End: 13us",
            "deadline: `c.work@0` ends at 13us, after its deadline at 12us",
        ),
        (
            "Start: 5us, End: 9us",
            "Start: 4us, End: 8us",
            "times: `c.work@0` starts at 4us, before `c.b@0`, which it depends on, ends at 5us",
        ),
        (
            "Start: 5us, End: 7us",
            "Start: 4us, End: 6us",
            "times: `c.b@0` and `c.f@0` overlap on `CPU0`",
        ),
        (
            "Start: 0ns, End: 1us",
            "Start: 3us, End: 4us",
            "times: `c.d@0` and `c.e@0` overlap on `CPU1`",
        ),
        (
            "OneActiveRunnable: false",
            "OneActiveRunnable: true",
            "times: `c.a@0` and `c.e@0` are active at once",
        ),
        (
            ", After: [\"c.a@1\"]",
            "",
            "order: nothing makes `c.d@1` wait for `c.a@1`: it depends on it",
        ),
        (
            "After: [\"c.a@1\"]",
            "After: [\"c.a@0\"]",
            "order: nothing makes `c.d@1` wait for `c.a@1`: it depends on it",
        ),
        (
            "After: [\"c.a@1\"]",
            "After: [\"c.z@1\"]",
            "order: `c.d@1` waits for `c.z@1`, which is not executed",
        ),
        (
            "Start: 2us, End: 5us,",
            "Start: 2us, End: 5us, After: [\"c.work@0\"],",
            "order: the order never lets `c.b@0` start: what it waits for waits for it",
        ),
        (
            "Start: 0ns, End: 1us,",
            "Start: 0ns, End: 1us, After: [\"c.a@0\"],",
            "times: `c.e@0` starts at 0ns, before `c.a@0`, which it waits for, ends at 2us",
        ),
        (
            "Start: 7us, End: 9us, Fused: true",
            "Start: 7us, End: 9us, Fused: true, After: [\"c.d@0\"]",
            "fusion: `c.f@0` starts before `c.d@0`, whose block it has to wait for, ends",
        ),
        (
            "Start: 7us, End: 9us",
            "Start: 8us, End: 10us",
            "fusion: `c.g@0` cannot be joined to `c.f@0`: there is a gap between them",
        ),
        (
            "Start: 0ns, End: 2us",
            "Start: 0ns, End: 2us, Fused: true",
            "fusion: `c.a@0` is joined to nothing",
        ),
        (
            "Start: 20us, End: 22us",
            "Start: 20us, End: 22us, Fused: maybe",
            "form: expected `Fused` as true or false, found `maybe`",
        ),
        (
            "Start: 0ns, End: 1us",
            "Start: 0ns",
            "required: an execution has `Runnable`, `Epoch`, `Frame`, `Start` and `End`",
        ),
        (
            "Start: 5us, End: 7us}",
            "Start: 5us, End: 7us, Fused: true}",
            "fusion: `c.f@0` cannot be joined to `c.b@0`: they belong to different frames",
        ),
    ] {
        assert!(SCHEDULE.contains(from), "{from}");
        let found = check(&graph, &SCHEDULE.replacen(from, to, 1));
        if !found.iter().any(|line| line == expected) {
            wrong.push(format!("{to}\n  {expected}\n{found:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Nobody can hold work back that is submitted: whatever it follows ends before its submitter starts,
/// unless both go through one stream.
#[test]
fn work_that_has_to_be_held_back_is_found() {
    let text = "\
Version: 2.0.0
demo:
  Resources: {CPU: [CPU0, CPU1], GPU: [GPU0], LOCK: [LOCK0]}
  Hyperepochs: [h: {Epochs: [e: {Period: 40us}]}]
  Clients:
  - c:
      Resources: {CUDA_STREAM: [s0: GPU0, s1: GPU0]}
      Epochs:
      - h.e:
          Runnables:
          - a: {WCET: 3us, Resources: [CPU1, LOCK]}
          - b: {WCET: 1us, Resources: [CPU0, CUDA_STREAM], Submits: c.one}
          - one: {WCET: 4us, Resources: [GPU, LOCK], Dependencies: [c.a]}
          - d: {WCET: 1us, Resources: [CPU0, CUDA_STREAM], Dependencies: [c.b], Submits: c.two}
          - two: {WCET: 2us, Resources: [GPU]}
";
    let demo = graph(text);
    let schedule = |b: u64, d: u64, one: u64, two: u64, stream: &str, after: [&str; 3]| {
        let time = |start: u64, length: u64| format!("Start: {start}us, End: {}us", start + length);
        let [b_after, d_after, two_after] = after.map(|names| format!(", After: [{names}]"));
        format!(
            "Schedule: 1.0.0\nGraph: demo\nIdentifier: 39883\nHyperepochs:\n- h:\n    Period: 40us\n    \
             Resources: [CPU0, CPU1, GPU0, LOCK0]\n    Epochs:\n    - e: {{Period: 40us, Frames: 1}}\n    \
             Cycles:\n    - Makespan: {end}us\n      KeepsDeadlines: true\n      \
             Lanes:\n      - CPU0:\n        - {{Runnable: c.b, Epoch: e, Frame: 0, Release: 0ns, {}, Holds: \
             [c.s0], Submits: \"c.one@0\"{b_after}}}\n        - {{Runnable: c.d, Epoch: e, Frame: 0, Release: \
             0ns, {}, Holds: [{stream}], Submits: \"c.two@0\"{d_after}}}\n      - CPU1:\n        - \
             {{Runnable: c.a, Epoch: e, Frame: 0, Release: 0ns, {}, Holds: [LOCK0]}}\n      - GPU0:\n        \
             - {{Runnable: c.one, Epoch: e, Frame: 0, Release: 0ns, {}, Holds: [LOCK0]}}\n        - \
             {{Runnable: c.two, Epoch: e, Frame: 0, Release: 0ns, {}{two_after}}}\n",
            time(b, 1),
            time(d, 1),
            time(0, 3),
            time(one, 4),
            time(two, 2),
            end = two + 2,
        )
    };
    let a = "\"c.a@0\"";
    let one = "\"c.one@0\"";
    for (text, expected) in [
        // In one stream, the second submitter needs not wait.
        (schedule(3, 4, 4, 8, "c.s0", [a, "", ""]), &[][..]),
        (schedule(3, 8, 4, 9, "c.s1", [a, one, ""]), &[]),
        // What work names, its submitter waits for.
        (schedule(3, 8, 4, 9, "c.s1", [a, "", one]), &[]),
        (
            schedule(0, 8, 3, 9, "c.s1", ["", one, ""]),
            &[
                "times: `c.b@0` starts at 0ns, before `c.a@0`, which its work depends on, ends at 3us",
                "order: nothing makes `c.b@0` wait for `c.a@0`: its work depends on it",
            ],
        ),
        (
            schedule(3, 4, 4, 8, "c.s1", [a, "", ""]),
            &[
                "times: `c.d@0` starts at 4us and submits `c.two@0`, before `c.one@0` ends at 8us: \
                 `c.two@0` has to follow it, because both hold `GPU0`",
                "order: nothing makes `c.d@0` wait for `c.one@0`: its work, `c.two@0`, has to follow \
                 (both hold `GPU0`)",
            ],
        ),
        (
            schedule(3, 4, 4, 8, "c.s0", [a, "", one]),
            &["times: `c.d@0` starts at 4us and submits `c.two@0`, before `c.one@0` ends at 8us: \
               `c.two@0` has to follow it"],
        ),
    ] {
        assert_eq!(check(&demo, &text), expected, "{text}");
    }
    let best = compile(&demo, &Options::default()).expect("a schedule");
    assert_eq!(best.schedule.hyperepochs[0].cycles[0].makespan, 10_000);
    // A stream of its own for each: the second one waits for the first one's work.
    let text = text.replacen("CUDA_STREAM], Submits", "s0], Submits", 1);
    let apart = graph(&text.replacen("CUDA_STREAM], Dep", "s1], Dep", 1));
    let best = compile(&apart, &Options::default()).expect("a schedule");
    assert_eq!(best.schedule.hyperepochs[0].cycles[0].makespan, 11_000);
}

/// What is joined to nothing begins a block of its own, which others may join.
#[test]
fn a_block_that_begins_with_a_joined_execution_is_refused() {
    let graph = graph(GRAPH);
    let text = SCHEDULE.replacen("Start: 0ns, End: 2us}", "Start: 0ns, End: 2us, Fused: true}", 1);
    let joined = "Start: 2us, End: 5us, Fused: true,";
    let found = check(&graph, &text.replacen("Start: 2us, End: 5us,", joined, 1));
    assert_eq!(
        found,
        [
            "fusion: `c.a@0` is joined to nothing",
            "fusion: `c.b@0` cannot be joined to `c.a@0`: one of them holds more than a CPU",
        ]
    );
}

/// With missed deadlines that are said to be missed, there are remarks only.
/// A submitter starts no earlier than its work may, and is told why, once.
#[test]
fn a_start_time_of_work_is_one_of_its_submitter() {
    let graph = graph(&GRAPH.replace("- work: {WCET: 4us,", "- work: {WCET: 4us, StartTime: 3us,"));
    let schedule = gxf_stm::schedule::read_schedule(&Source::new("s", SCHEDULE)).expect("a form");
    let findings = gxf_stm::check::check(&graph, &schedule).expect_err("it starts too early");
    let of_submitter: Vec<_> =
        findings.iter().filter(|one| one.message.contains("`c.b@0`")).collect();
    let [only] = of_submitter[..] else { panic!("{}", findings.render(false)) };
    assert_eq!(only.message, "the clock releases `c.b@0` at 3us");
    let help = "its work, `c.work`, has a `StartTime`, and nobody can hold submitted work back";
    assert_eq!(only.help[..], [help]);
}

#[test]
fn deadlines_are_wishes() {
    let graph = graph(GRAPH);
    let text = SCHEDULE.replace("KeepsDeadlines: true", "KeepsDeadlines: false");
    let text = text.replace("Start: 5us, End: 9us", "Start: 9us, End: 13us");
    assert_eq!(
        check(&graph, &text),
        ["deadline: `c.work@0` ends at 13us, after its deadline at 12us"]
    );
}

/// A text with one to three edits: a number is replaced, or a line is left out, doubled or moved.
fn damaged(text: &str, below: &mut impl FnMut(usize) -> usize) -> String {
    const NUMBERS: [&str; 8] =
        ["0", "1", "7", "39", "-1", "4294967296", "18446744073709551615", "99999999999999999999"];
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..=below(3) {
        let line = below(lines.len());
        match below(4) {
            0 => drop(lines.remove(line)),
            1 => lines.insert(line, lines[line].clone()),
            2 => {
                let moved = lines.remove(line);
                lines.insert(below(lines.len() + 1), moved);
            }
            _ => {
                let digits: Vec<usize> = lines[line]
                    .match_indices(|one: char| one.is_ascii_digit())
                    .map(|(at, _)| at)
                    .collect();
                if let Some(at) = digits.get(below(digits.len().max(1))) {
                    lines[line].replace_range(*at..=*at, NUMBERS[below(NUMBERS.len())]);
                }
            }
        }
    }
    lines.join("\n")
}

/// Reader and checker answer to whatever is written, and a schedule that passes can be run.
#[test]
fn damaged_files_are_answered() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % limit
    };
    let whole = graph(GRAPH);
    let (mut passed, mut refused) = (0, 0);
    for round in 0..2000 {
        let text = if round % 2 == 0 { GRAPH.to_owned() } else { damaged(GRAPH, &mut below) };
        let files = GraphFiles {
            graph: Source::new("graph.yaml", &text),
            fragments: Vec::new(),
            wcets: Vec::new(),
        };
        let read = read_graph(&files, &mut Diagnostics::new());
        if let Err(findings) = &read {
            assert!(findings.has_errors() && !findings.render(false).is_empty(), "{text}");
        }
        let graph = read.as_ref().unwrap_or(&whole);
        let text = damaged(SCHEDULE, &mut below);
        let Ok(schedule) = gxf_stm::schedule::read_schedule(&Source::new("s", &text)) else {
            refused += 1;
            continue;
        };
        match gxf_stm::check::check(graph, &schedule) {
            Ok(_) => {
                passed += 1;
                assert!(gxf_stm::plan::Plan::new(&schedule).is_ok(), "{text}");
            }
            Err(findings) => {
                refused += 1;
                assert!(!findings.render(false).is_empty(), "{text}");
            }
        }
    }
    assert!(passed > 10 && refused > 1000, "{passed} passed, {refused} did not");
}
