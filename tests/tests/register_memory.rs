//! The memory of registers: what a plan says, the run needs, and no more.

use gxe_tests::Gxe;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const MANIFEST: &str = "extensions:\n- libgxf_actor.so\n";

/// `tests/cpp/registers.cpp`.
pub static IN_CPP: LazyLock<PathBuf> = LazyLock::new(|| {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("cpp/registers.cpp");
    let options = ["-std=c++17", "-Werror", "-fPIC", "-shared"];
    crate::cpp::compiled("g++", &source, "registers.so", &options)
});

/// A row of codelets, each with its inputs' and outputs' terms; those that fill have pools of so
/// many bytes.
fn row(codelets: &[&str], bytes: u64, count: u64, threads: u32, register_num: u32) -> String {
    let mut app = String::new();
    for (place, codelet) in codelets.iter().enumerate() {
        _ = write!(app, "---\nname: e{place}\ncomponents:\n");
        let mut parameters = Vec::new();
        if place > 0 {
            app += "- {name: rx, type: nvidia::gxf::DoubleBufferReceiver}\n\
                    - {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: rx}}\n";
            parameters.push("input: rx".to_owned());
        } else {
            _ = writeln!(
                app,
                "- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}}}"
            );
        }
        if place + 1 < codelets.len() {
            app += "- {name: tx, type: nvidia::gxf::DoubleBufferTransmitter}\n\
                    - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: tx}}\n";
            parameters.push("output: tx".to_owned());
        }
        if codelet.ends_with("Fill") {
            // Another scheduler would need them; the plan does not.
            _ = writeln!(
                app,
                "- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: 2, \
                 block_size: {bytes}, num_blocks: 9}}}}"
            );
            parameters.push("pool: pool".to_owned());
        }
        if *codelet == "Check" {
            let changes = codelets.iter().filter(|codelet| codelet.ends_with("Change")).count();
            parameters.push(format!("changes: {changes}"));
        }
        _ = writeln!(
            app,
            "- {{type: 'gxe::test::{codelet}', parameters: {{{}}}}}",
            parameters.join(", ")
        );
    }
    app += "---\ncomponents:\n";
    for place in 1..codelets.len() {
        let before = place - 1;
        _ = writeln!(
            app,
            "- {{type: nvidia::gxf::Connection, parameters: {{source: e{before}/tx, target: e{place}/rx}}}}"
        );
    }
    _ = write!(
        app,
        "---\nname: scheduler\ncomponents:\n\
         - {{name: clock, type: nvidia::gxf::RealtimeClock}}\n\
         - {{name: actors, type: gxe::ActorScheduler, parameters: {{clock: clock, threads: {threads}, \
         register_num: {register_num}}}}}\n"
    );
    app
}

fn gxe(app: &str, line: &str) -> Gxe {
    let mut manifest = MANIFEST.to_owned();
    if app.contains("gxe::test::cpp::") {
        _ = writeln!(manifest, "- {}", IN_CPP.display());
    }
    Gxe::alone().file("app.yaml", app).file("manifest.yaml", &manifest).args(line)
}

/// The plan of an app as JSON.
fn plan(app: &str, more: &str) -> serde_json::Value {
    let line = format!("plan app.yaml --manifest manifest.yaml {more}");
    let ended = gxe(app, &line).run().with_status(0);
    serde_json::from_str(&ended.stdout).expect("a plan")
}

/// The kilobytes that a run ever used, and the messages that came.
fn run(app: &str, plan: &serde_json::Value) -> (u64, u64) {
    let ended = gxe(
        app,
        "app.yaml --manifest manifest.yaml --severity info --param scheduler/actors/plan=plan.json",
    )
    .file("plan.json", &plan.to_string())
    .run()
    .with_status(0);
    let log = ended.log();
    let line = log.iter().find_map(|line| line.split_once(" tensors, peak "));
    let (count, peak) = line.unwrap_or_else(|| panic!("{}", ended.stdout));
    (peak.parse().expect("kilobytes"), count.parse().expect("a number"))
}

/// Runs the same with small and with large payloads: what more it takes is what the plan says.
#[track_caller]
fn takes_what_the_plan_says(
    app: impl Fn(u64) -> String,
    edit: impl Fn(&mut serde_json::Value),
) -> u64 {
    const SMALL: u64 = 4096;
    const LARGE: u64 = 48 << 20;
    let measured = [SMALL, LARGE].map(|bytes| {
        let app = app(bytes);
        let mut plan = plan(&app, "--register-num 1");
        edit(&mut plan);
        let checked = gxe(&app, "plan app.yaml --manifest manifest.yaml --check plan.json")
            .file("plan.json", &plan.to_string())
            .run()
            .with_status(0);
        let checked: serde_json::Value = serde_json::from_str(&checked.stdout).expect("a plan");
        let (peak, count) = run(&app, &plan);
        assert_eq!(count, 6);
        (checked["memory"]["bytes"].as_u64().expect("a sum"), peak * 1024)
    });
    let [(small, before), (large, after)] = measured;
    let (planned, taken) = (large - small, after - before);
    assert!(taken.abs_diff(planned) <= planned / 100, "planned {planned}, taken {taken}");
    large / LARGE
}

#[test]
fn a_run_needs_what_the_plan_says() {
    // Two instances of the first register; its memory is also that of the second one.
    let in_place = |bytes| row(&["Fill", "Change", "Check"], bytes, 6, 1, 1);
    let payloads = takes_what_the_plan_says(in_place, |plan| {
        assert_eq!(plan["registers"][1]["in_place"], "e0/tx");
        plan["registers"][0]["instances"] = 2.into();
    });
    assert_eq!(payloads, 2);
    // The same in C++.
    let in_cpp = |bytes| row(&["cpp::Fill", "cpp::Change", "Check"], bytes, 6, 1, 1);
    let payloads = takes_what_the_plan_says(in_cpp, |plan| {
        assert_eq!(plan["registers"][0]["given"], true);
        assert_eq!(plan["registers"][1]["in_place"], "e0/tx");
        plan["registers"][0]["instances"] = 2.into();
    });
    assert_eq!(payloads, 2);
    // Only one message is in the row, so that the first register and the third share memory.
    let in_turns = |bytes| row(&["Fill", "Fill", "Fill", "Check"], bytes, 6, 1, 1);
    let payloads = takes_what_the_plan_says(in_turns, |plan| {
        let order = serde_json::json!({"name": "order", "producer": "e0", "consumers": ["e3"],
            "instances": 1, "kind": "control"});
        plan["registers"].as_array_mut().expect("registers").push(order);
    });
    assert_eq!(payloads, 2);
}

#[test]
fn payloads_are_never_overwritten_while_they_are_read() {
    for (threads, register_num) in [(1, 1), (1, 3), (2, 1), (3, 2), (4, 4)] {
        let codelets = ["cpp::Fill", "Change", "cpp::Change", "Check"];
        let app = row(&codelets, 1000, 500, threads, register_num);
        let options = format!("--threads {threads} --register-num {register_num}");
        assert_eq!(run(&app, &plan(&app, &options)).1, 500, "{threads} threads");
        let app = row(&["Fill", "Fill", "Fill", "Check"], 1000, 200, threads, register_num);
        assert_eq!(run(&app, &plan(&app, &options)).1, 200, "{threads} threads");
    }
}

#[test]
fn only_codelets_that_say_so_get_the_memory_of_a_plan() {
    let app = row(&["Fill", "Check"], 64, 1, 1, 1);
    let mut edited = plan(&app, "");
    assert_eq!(edited["registers"][0]["given"], true);
    let app = row(&["Fill", "Change", "Check"], 64, 1, 1, 1);
    edited = plan(&app, "");
    edited["registers"][1]["given"] = true.into();
    gxe(&app, "plan app.yaml --manifest manifest.yaml --check plan.json")
        .file("plan.json", &edited.to_string())
        .run()
        .with_status(3)
        .complains("`e1` does not fill memory that a plan gives it");
    // Who takes memory from the plan for each payload changes no other one's.
    let app = row(&["Fill", "Fill", "Check"], 64, 1, 1, 1);
    edited = plan(&app, "");
    edited["registers"][1]["in_place"] = "e0/tx".into();
    let refused = gxe(&app, "plan app.yaml --manifest manifest.yaml --check plan.json")
        .file("plan.json", &serde_json::to_string_pretty(&edited).expect("JSON"))
        .run()
        .with_status(3);
    refused.complains(
        "error[in-place]: `e1` fills memory of its own, so register `e1/tx` is in place of no other",
    );
    refused.complains("\"in_place\": \"e0/tx\"");
    refused.complains(
        "= help: a codelet that changes the payloads that it receives has the flag `in_place`",
    );
}

/// Messages that a reader has not taken when it ends keep the payloads, but the producer waits for
/// the reader as under every scheduler.
#[test]
fn payloads_of_a_reader_that_ended_hold_nobody_up() {
    let app = row(&["Fill", "Check"], 64, 6, 1, 1);
    let reader = "- {type: 'gxe::test::Check'";
    let ends = "- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 2}}";
    let app = app.replace(reader, &format!("{ends}\n{reader}"));
    let ended = gxe(&app, "app.yaml --manifest manifest.yaml --severity warning").run().clean();
    assert_eq!(ended.stdout, "");
}

/// Who observes a run holds no message that a codelet of another thread changes.
#[test]
fn payloads_are_changed_in_place_although_the_run_is_observed() {
    let app = row(&["Fill", "Change", "Check"], 256, 4000, 3, 2);
    for observed in ["--statistics=s.json", "--trace=t.json"] {
        let line = format!("app.yaml --manifest manifest.yaml --severity warning {observed}");
        let _ = gxe(&app, &line).run().clean();
    }
}

/// It is in an entity of its own, while its last reader comes after one that changes it in place.
#[test]
fn who_fills_a_variable_hears_that_its_last_reader_is_done() {
    let app = row(&["Fill", "Change", "Check"], 64, 3, 1, 2);
    let pool = "- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 2, \
                block_size: 64, num_blocks: 9}}\n";
    assert!(app.contains(pool), "{app}");
    let app = app.replace(pool, "").replace("Fill'", "Grow'").replace("pool: pool", "pool: v/w");
    let variable =
        "---\nname: v\ncomponents:\n- {name: w, type: gxe::Variable, parameters: {size: 1}}\n";
    let app = app.replacen("---\n", &format!("{variable}---\n"), 1);
    let check = "'gxe::test::Check', parameters: {input: rx, changes: 1}";
    assert!(app.contains(check), "{app}");
    let sink = "gxe::io::JsonLinesSink, parameters: {input: rx, address: '-'}";
    let app = app.replace(check, sink);
    let ended = gxe(&app, "app.yaml --manifest manifest.yaml --severity error")
        .file("manifest.yaml", &format!("{MANIFEST}- libgxe_io.so\n"))
        .run()
        .with_status(0);
    assert_eq!(ended.stdout.lines().count(), 3, "{}", ended.stdout);
}
