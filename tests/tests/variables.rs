//! Variables: memory that exists before the run, and that registers of a plan are bound to.

use crate::register_memory::IN_CPP;
use gxe_tests::differential::engine;
use gxe_tests::{Gxe, build};
use gxf::MemoryBuffer;
use gxf_runtime::Context;
use serde_json::{Value, json};

/// A codelet that changes what is in its memory, and one that checks what comes.
fn app(codelet: &str, pool: &str, ticks: u32, changes: u32, threads: u32) -> String {
    format!(
        "\
name: model
components:
- {{name: weights, type: gxe::Variable, parameters: {{size: 1000}}}}
---
name: step
components:
- {{name: tx, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {{transmitter: tx}}}}
- {{type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}
- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: 2, block_size: 1000, num_blocks: 4}}}}
- {{type: 'gxe::test::{codelet}', parameters: {{output: tx, pool: {pool}}}}}
---
name: reader
components:
- {{name: rx, type: nvidia::gxf::DoubleBufferReceiver}}
- {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {{receiver: rx}}}}
- {{name: check, type: gxe::test::Check, parameters: {{input: rx, changes: {changes}}}}}
---
components:
- {{type: nvidia::gxf::Connection, parameters: {{source: step/tx, target: reader/rx}}}}
---
name: scheduler
components:
- {{name: clock, type: nvidia::gxf::RealtimeClock}}
- {{name: actors, type: gxe::ActorScheduler, parameters: {{clock: clock, threads: {threads}}}}}
"
    )
}

fn gxe(app: &str, line: &str) -> Gxe {
    let manifest = format!("extensions:\n- libgxf_actor.so\n- {}\n", IN_CPP.display());
    Gxe::alone().file("app.yaml", app).file("manifest.yaml", &manifest).args(line)
}

fn plan(app: &str) -> Value {
    let ended = gxe(app, "plan app.yaml --manifest manifest.yaml").run().with_status(0);
    serde_json::from_str(&ended.stdout).expect("a plan")
}

/// What a run with this plan said of its end.
fn run(app: &str, plan: &Value) -> String {
    let line =
        "app.yaml --manifest manifest.yaml --severity info --param scheduler/actors/plan=plan.json";
    let ended = gxe(app, line).file("plan.json", &plan.to_string()).run().with_status(0);
    let mut log = ended.log().into_iter();
    log.find(|line| line.contains(" tensors, peak ")).expect("what the reader says").to_owned()
}

#[test]
fn a_register_is_the_memory_of_a_variable() {
    for codelet in ["Grow", "cpp::Grow"] {
        for threads in [1, 2] {
            let app = app(codelet, "model/weights", 50, 0, threads);
            let plan = plan(&app);
            let weights = json!({"name": "model/weights", "bytes": 1000, "memory": "host"});
            assert_eq!(plan["variables"], json!([weights]));
            assert_eq!(plan["registers"][0]["variable"], "model/weights");
            // Counted once, and apart.
            assert_eq!(plan["memory"]["variables"], 1000);
            assert_eq!(plan["memory"]["bytes"], 0);
            // Each act finds what the one before left, and nobody writes what is read.
            let said = run(&app, &plan);
            assert!(said.contains("50 tensors"), "{codelet}, {threads} threads: {said}");
        }
    }
}

/// A codelet with a pool knows nothing of variables: the plan binds its register.
#[test]
fn a_plan_binds_a_register() {
    for codelet in ["Grow", "cpp::Grow"] {
        let app = app(codelet, "pool", 50, 0, 2);
        let mut plan = plan(&app);
        assert_eq!(plan["memory"]["bytes"], 2000);
        plan["registers"][0]["variable"] = "model/weights".into();
        let said = run(&app, &plan);
        assert!(said.contains("50 tensors"), "{codelet}: {said}");
        let checked = gxe(&app, "plan app.yaml --manifest manifest.yaml --check plan.json")
            .file("plan.json", &plan.to_string())
            .run()
            .with_status(0);
        let checked: Value = serde_json::from_str(&checked.stdout).expect("a plan");
        assert_eq!(checked["memory"]["bytes"], 0);
        assert_eq!(checked["memory"]["variables"], 1000);
    }
}

#[test]
fn a_variable_keeps_its_value_from_run_to_run_and_may_be_memory_of_the_program() {
    let _alone = engine::alone();
    let context = Context::new();
    context.load_extension(&build::library("gxf_actor")).expect("the extension");
    let app = app("Grow", "model/weights", 10, 0, 2);
    context.load_app_text("app", &app, &[]).expect("a graph");
    let check = context.find_component("reader", "check").expect("the codelet");
    let run = |changes: &str| {
        context.set_parameter_yaml(check, "changes", changes, "").expect("a number");
        context.activate().expect("an active graph");
        context.run().expect("a run");
        context.deactivate().expect("the end");
    };
    run("0");
    run("10");
    // Others give up what they have of it at the end of a run, so the program may change it.
    let weights = context.find_component("model", "weights").expect("the variable");
    let small = MemoryBuffer::from_vec(vec![1_u8; 10]);
    let refused = context.give_memory(weights, small).expect_err("too little memory");
    assert!(
        refused.to_string().contains("the memory has 10 bytes, and the variable 1000"),
        "{refused}"
    );
    let refused = context.give_memory(check, MemoryBuffer::from_vec(vec![1_u8; 10]));
    let refused = refused.expect_err("no variable").to_string();
    assert!(refused.contains("the component is no gxe::Variable"), "{refused}");
    let memory = MemoryBuffer::from_vec(vec![100_u8; 1000]);
    context.give_memory(weights, memory).expect("a variable with the program's memory");
    run("100");
    run("110");
}

/// A program in C++ has the memory, through a handle and by functions of C.
#[test]
fn programs_in_c_and_cpp_bind_and_read_variables() {
    let libraries = build::gxe().parent().expect("target/PROFILE").to_owned();
    let libraries = libraries.to_str().expect("UTF-8");
    let source = crate::cpp::sources().join("variable.cpp");
    let options = ["-std=c++17", "-Werror", "-L", libraries, "-lgxf_core"];
    let program = crate::cpp::compiled("g++", &source, "variable", &options);
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path
    };
    let library = build::library("gxf_actor");
    let manifest = file("manifest.yaml", &format!("extensions: [{}]\n", library.display()));
    for codelet in ["Grow", "cpp::Grow"] {
        let manifest = match codelet {
            "Grow" => manifest.clone(),
            _ => file(
                "both.yaml",
                &format!("extensions: [{}, {}]\n", library.display(), IN_CPP.display()),
            ),
        };
        let app = file("app.yaml", &app(codelet, "model/weights", 10, 0, 2));
        let output = std::process::Command::new(&program)
            .args([&manifest, &app])
            .arg("10")
            .env("LD_LIBRARY_PATH", libraries)
            .output()
            .expect("the program starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{codelet}: {said}");
    }
}

#[test]
fn one_user_at_a_time_has_a_variable() {
    let mut app = app("Grow", "model/weights", 3, 0, 1);
    let other = app.replace("name: step", "name: other").replace("step/tx", "other/tx");
    let at = |text: &str, name: &str| text.find(name).expect("a place");
    let other = &other[at(&other, "name: other")..at(&other, "name: reader")];
    app.insert_str(at(&app, "name: reader"), other);
    app = app.replace(
        "---\nname: scheduler",
        "- {type: nvidia::gxf::Connection, parameters: {source: other/tx, target: reader/second}}\n---\nname: scheduler",
    );
    app = app.replace(
        "name: reader\ncomponents:\n",
        "name: reader\ncomponents:\n- {name: second, type: nvidia::gxf::DoubleBufferReceiver}\n",
    );
    // The plan binds one of them; the other has to wait for the variable itself.
    assert_eq!(plan(&app)["registers"][1].get("variable"), None);
    gxe(&app, "app.yaml --manifest manifest.yaml").run().with_status(5).complains(
        "another user has the variable; let a MemoryAvailableSchedulingTerm wait for it",
    );
}

#[test]
fn what_is_wrong_with_a_variable_is_told() {
    let app = app("Grow", "model/weights", 3, 0, 1);
    for (given, text) in [
        ("size: 0", "`size`: `0` is out of range"),
        ("size: 1000, storage_type: 1", "a variable is memory of the CPU: 0 (host) or 2 (system)"),
    ] {
        let app = app.replace("size: 1000}", &format!("{given}}}"));
        let ended = gxe(&app, "app.yaml --manifest manifest.yaml").run();
        assert!(ended.stdout.contains(text) || ended.stderr.contains(text), "{}", ended.stderr);
        assert_ne!(ended.status, Some(0));
    }
}
