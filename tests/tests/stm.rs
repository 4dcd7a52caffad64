//! `gxe stm`: what a user reads about graphs and schedules. Each file of `tests/stm` says how it is
//! used, and has the complete output and the exit status beside it.

use gxe_tests::Gxe;
use gxe_tests::browser::Browser;
use serde_json::json;
use std::path::Path;

#[test]
fn every_graph_is_explained_as_written_down() {
    gxe_tests::cases::run_all("stm", "gxe");
}

/// The names in brackets behind `error` and `warning`.
fn rules_in(text: &str) -> impl Iterator<Item = &str> {
    let starts = ["error[", "warning["];
    let found = text.lines().filter_map(move |line| {
        starts.iter().find_map(|start| line.strip_prefix(start)?.split(']').next())
    });
    // The findings of `gxe check` are no rules of graphs.
    found.filter(|rule| !rule.starts_with("GXF_") && *rule != "static-schedule")
}

/// Each rule that the crate can report has a file that breaks it.
#[test]
fn every_rule_has_a_file_that_breaks_it() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = String::new();
    for entry in std::fs::read_dir(here.join("stm")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|kind| kind == "expected") {
            texts.push_str(&std::fs::read_to_string(path).expect("readable"));
        }
    }
    let broken: std::collections::BTreeSet<&str> = rules_in(&texts).collect();
    let known: std::collections::BTreeSet<&str> =
        gxf_stm::RULES.iter().map(|(name, _)| *name).collect();
    assert_eq!(broken, known);
}

/// Numbers that a schedule only claims make nobody work without an end.
#[test]
fn a_schedule_with_too_many_frames_is_refused() {
    let text = "Schedule: 1.0.0\nGraph: g\nIdentifier: 1\nHyperepochs:\n- h:\n    Period: 10ms\n    \
                Epochs:\n    - e: {Period: 10ms, Frames: 4294967295}\n    Cycles: []\n";
    for line in ["stm gantt g.stm", "stm master -s g.stm --socket m.sock"] {
        let ended = Gxe::alone().file("g.stm", text).args(line).run();
        assert!(ended.status.is_some_and(|status| status > 0), "{}", ended.stdout);
        ended.complains("`h` has more than 200000 frames");
    }
}

/// Its proof holds for one reading only.
#[test]
fn a_schedule_that_gives_a_key_twice_is_refused() {
    let graph = "Version: 2.0.0\ng:\n  Resources: {CPU: [CPU0], MUTEX: [M]}\n  Hyperepochs:\n  - h: \
                 {Epochs: [e: {Period: 10ms}]}\n  Clients:\n  - c: {Epochs: [h.e: {Runnables: [a: {WCET: \
                 1ms, Resources: [CPU, M]}]}]}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name| folder.path().join(name);
    std::fs::write(file("g.yaml"), graph).expect("room");
    let gxe = |line: &str| Gxe::in_folder(folder.path()).args(line).run();
    _ = gxe("stm compile -i g.yaml -o g.stm -j 1").with_status(0);
    let schedule = std::fs::read_to_string(file("g.stm")).expect("a schedule");
    for (once, twice) in [
        ("Frame: 0", "Frame: 7, Frame: 0"),
        ("Holds: [M]", "Holds: [X], Holds: [M]"),
        ("Graph: g", "Graph: x\nGraph: g"),
        ("{Period: 10ms, Frames: 1}", "{Period: 1ms, Period: 10ms, Frames: 1}"),
    ] {
        assert_eq!(schedule.matches(once).count(), 1, "{once} in {schedule}");
        let key = once.trim_start_matches('{').split(':').next().expect("a key");
        std::fs::write(file("s.stm"), schedule.replace(once, twice)).expect("room");
        let ended = gxe("stm check -i g.yaml s.stm").with_status(3);
        ended.complains(&format!("error[duplicate]: duplicate key `{key}`"));
    }
}

/// The seed forbids ids nothing but periods.
#[test]
fn names_with_blanks_go_through_schedule_and_log() {
    let graph = "Version: 2.0.0\na graph:\n  Resources: {CPU: [CPU0], MEMORY BUS: [Bus 0, 'Bus, #1: 50 %']}\n  \
                 Hyperepochs:\n  - one h: {Epochs: [an e: {Period: 10ms}]}\n  Clients:\n  - c: {Epochs: \
                 [one h.an e: {Runnables: [to do: {WCET: 1ms, Resources: [CPU, Bus 0, 'Bus, #1: 50 %']}, \
                 to_do: {WCET: 1ms, Resources: [CPU, MEMORY BUS], Dependencies: [c.to do]}]}]}\n";
    let app = "name: to do\ncomponents:\n- {name: a, type: gxe::test::Probe}\n\
               ---\nname: to_do\ncomponents:\n- {name: b, type: gxe::test::Probe}\n\
               ---\nname: scheduler\ncomponents:\n\
               - {name: clock, type: nvidia::gxf::ManualClock}\n\
               - {type: gxe::StaticScheduler, parameters: {clock: clock, schedule: s.stm, log: run.log, \
               max_duration_ms: 35}}\n";
    let gxe = Gxe::app(app).file("g.yaml", graph);
    let folder = gxe.folder();
    let run = |line: &str| Gxe::in_folder(&folder).args(line).run().with_status(0).stdout;
    _ = run("stm compile -i g.yaml -o s.stm -j 1");
    _ = run("stm check -i g.yaml s.stm");
    let analyze = || run("stm analyze run.log -s s.stm --format json");
    let (ended, analyzed) = gxe.spawn().end_with(analyze);
    _ = ended.with_status(0);
    let found: serde_json::Value = serde_json::from_str(&analyzed).expect("JSON");
    let schedule = &found["schedules"][0];
    assert_eq!(schedule["epochs"][0]["epoch"], "one h.an e", "{analyzed}");
    for name in ["c.to do", "c.to_do"] {
        assert!(analyzed.contains(&format!("\"{name}\"")), "{name}: {analyzed}");
    }
}

fn catches_interrupts(process: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    caught.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).is_ok_and(|mask| mask & 2 != 0))
}

/// A search without an end gives the best schedule so far when it is interrupted.
#[test]
fn an_interrupted_search_keeps_its_best_schedule() {
    let mut graph = "Version: 2.0.0\ng:\n  Resources: {CPU: [CPU0, CPU1, CPU2], BUS: [BUS0]}\n  \
                     Hyperepochs:\n  - h: {Epochs: [e: {}]}\n  Clients:\n  - c:\n      Epochs:\n      \
                     - h.e:\n          Runnables:\n"
        .to_owned();
    for number in 0..120 {
        let length = 1009 + number * 7919 % 997;
        let bus = if number % 3 == 0 { ", BUS" } else { "" };
        let before = match number {
            0..5 => String::new(),
            _ => format!(", Dependencies: [c.r{}]", number - 1 - number * 31 % 5),
        };
        graph += &format!(
            "          - r{number}: {{WCET: {length}us, Resources: [CPU{bus}]{before}}}\n"
        );
    }
    let gxe =
        Gxe::alone().file("g.yaml", &graph).args("stm compile -i g.yaml -o g.stm -t 600 -j 1");
    let folder = gxe.folder();
    let mut running = gxe.spawn();
    gxe_tests::eventually("it watches for signals", || catches_interrupts(running.pid()));
    running.signal("INT");
    let (ended, schedule) = running.end_with(|| std::fs::read_to_string(folder.join("g.stm")));
    assert!(ended.with_status(130).stdout.contains("g.stm: schedule of `"));
    assert!(schedule.expect("a schedule").starts_with("# A static schedule"));
}

/// The page of a schedule: bars and arrows, details, search, zoom and the critical path.
#[test]
fn the_gantt_page_works_in_a_browser() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [schedule, page] = ["s.stm", "s.html"].map(|name| folder.path().join(name));
    let graphs = Path::new(env!("CARGO_MANIFEST_DIR")).join("stm");
    let line = format!("stm compile -i seed_complete.yaml -j 1 -o {}", schedule.display());
    _ = Gxe::in_folder(&graphs).args(&line).run().with_status(0);
    let line = format!("stm gantt {} -o {}", schedule.display(), page.display());
    _ = Gxe::in_folder(&graphs).args(&line).run().with_status(0);
    browser.open(&page);
    let count = |selector: &str| {
        browser.run(&format!("return document.querySelectorAll('{selector}').length"))
    };
    // Eleven executions, of which three hold a stream and one a bus and a mutex.
    assert_eq!(count(".bar:not(.held)"), json!(11));
    assert_eq!(count(".bar.held"), json!(5));
    assert_eq!((count(".arrow"), count(".scroll")), (json!(3), json!(2)));
    assert_eq!(browser.find("h2").text(), "Perception 87.665 ms, optimal");
    // The last frame's submitter and work are critical, and the only runnable of the other one.
    assert_eq!(count("svg.critical .bar.is-critical:not(.held)"), json!(3));
    browser.find("#critical").click();
    assert_eq!(count("svg.critical"), json!(0));
    let width = "return document.querySelector('svg').clientWidth";
    let before = browser.run(width).as_f64().expect("a width");
    browser.find("#larger").click();
    assert!(browser.run(width).as_f64().expect("a width") > before * 1.3);
    browser.find("#fit").click();
    assert_eq!(browser.run(width).as_f64(), Some(before));
    browser.find("#search").write("preprocessimage");
    assert_eq!(browser.find("#found").text(), "3 found");
    browser.find(".bar.chosen").click();
    let text = browser.find("#panel").text();
    for expected in ["Client0.PreProcessImage@0", "Perception.Camera", "CPU1, Client0.CUDA_STREAM0"]
    {
        assert!(text.contains(expected), "no `{expected}` in:\n{text}");
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Measured times lie over planned ones: two executions of one runnable, and none of the others.
#[test]
fn measured_times_lie_over_planned_ones_in_a_browser() {
    let Some(browser) = Browser::start(false) else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let [schedule, log, page] = ["s.stm", "s.log", "s.html"].map(|name| folder.path().join(name));
    let graphs = Path::new(env!("CARGO_MANIFEST_DIR")).join("stm");
    let line = format!("stm compile -i seed_complete.yaml -j 1 -o {}", schedule.display());
    _ = Gxe::in_folder(&graphs).args(&line).run().with_status(0);
    let execution = |frame: u64, start: i64, end: i64| {
        format!(
            "execution Client0.PreProcessImage Perception.Camera CPU1 {frame} 1000 {start} {end} ran\n"
        )
    };
    // Both are the first frame of a cycle of three.
    let source = gxf_runtime::graph::read_source(&schedule).expect("it was just written");
    let read = gxf_stm::schedule::read_schedule(&source).expect("a schedule");
    let text = format!("gxe-stm-log 2\ndropped 0\nschedule 1 Drive {:x}\n", read.fingerprint())
        + &execution(0, 1_001_000, 4_001_000)
        + &execution(3, 1_001_000, 4_001_000)
        + "end\n";
    std::fs::write(&log, text).expect("room");
    let line =
        format!("stm gantt {} --log {} -o {}", schedule.display(), log.display(), page.display());
    _ = Gxe::in_folder(&graphs).args(&line).run().with_status(0);
    browser.open(&page);
    let count = "return document.querySelectorAll('rect.measured').length";
    assert_eq!(browser.run(count), json!(1));
    // Where the bar of 20 ms is drawn from 1 ms on, the measured one begins with it and ends before.
    let widths = "const measured = document.querySelector('rect.measured');
                  const planned = measured.parentNode.querySelector('rect');
                  const [a, b] = [measured, planned].map((one) => one.getBoundingClientRect());
                  return [Math.abs(a.left - b.left) < 2, a.width / b.width];";
    let found = browser.run(widths);
    assert_eq!(found[0], json!(true), "{found}");
    assert!((found[1].as_f64().expect("a ratio") - 0.15).abs() < 0.02, "{found}");
    _ = browser.run("document.querySelector('rect.measured').parentNode.dispatchEvent(new MouseEvent('click', {bubbles: true}))");
    let text = browser.find("#panel").text();
    assert!(text.contains("1 ms to 4 ms, median of 2"), "{text}");
    assert_eq!(browser.complaints(), [""; 0]);
}
