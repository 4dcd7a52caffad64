//! `gxe plan`, and what a user reads about plans that were edited. Each file of `tests/plan` says
//! how it is used, and has the complete output and the exit status beside it.

use gxe_tests::Gxe;
use std::path::Path;

#[test]
fn every_plan_is_explained_as_written_down() {
    gxe_tests::cases::run_all("plan", "gxe");
}

/// A plan that is written, given back and checked stays what it is; its page has all of it.
#[test]
fn a_plan_goes_out_and_comes_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plan");
    let output = tempfile::tempdir().expect("a folder");
    let file = |name: &str| output.path().join(name).display().to_string();
    let gxe = |line: &str| {
        let line = format!("plan --app graph/app.yaml --manifest manifest.yaml {line}");
        Gxe::in_folder(&folder).args(&line).run().with_status(0)
    };
    _ = gxe(&format!("--threads 3 -o {}", file("plan.json")));
    let again = gxe(&format!("--check {}", file("plan.json")));
    let written = std::fs::read_to_string(file("plan.json")).expect("a plan");
    assert_eq!(again.stdout, written);
    _ = gxe(&format!("--check {} -o {}", file("plan.json"), file("plan.html")));
    let page = std::fs::read_to_string(file("plan.html")).expect("a page");
    for wanted in ["<svg", "stream 2", "camera/image", "screen/image (5)", "2 of unknown size"] {
        assert!(page.contains(wanted), "{wanted} in {page}");
    }
}

/// What a codelet declares, and what a former run measured, say how large payloads are.
#[test]
fn sizes_come_from_declared_ports_and_from_statistics() {
    let codelet = |name: &str, ports: &[&str], codelet: &str| {
        let ports: String = ports
            .iter()
            .map(|port| {
                let kind = if *port == "in" { "Receiver" } else { "Transmitter" };
                format!("- {{name: {port}, type: nvidia::gxf::DoubleBuffer{kind}}}\n")
            })
            .collect();
        format!("name: {name}\ncomponents:\n{ports}- {{type: \"{codelet}}}\n---\n")
    };
    let connection = |from: &str, to: &str| {
        let ends = format!("{{source: {from}, target: {to}}}");
        format!("components:\n- {{type: nvidia::gxf::Connection, parameters: {ends}}}\n---\n")
    };
    let app = [
        "default_conditions: true\n---\n".to_owned(),
        codelet(
            "source",
            &["out"],
            "gxe::math::Signal\", parameters: {output: out, columns: [x = i], rows: 2, messages: 6}",
        ),
        codelet("counted", &["in", "out"], "gxe::test::Counted\", parameters: {input: in, output: out}"),
        codelet("sink", &["in"], "gxe::actors::Sink\", parameters: {inputs: [in]}"),
        connection("source/out", "counted/in"),
        connection("counted/out", "sink/in"),
        "components:\n- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}\n\
         - {name: clock, type: nvidia::gxf::RealtimeClock}\n"
            .to_owned(),
    ]
    .concat();
    let manifest = "extensions: [libgxe_math.so, libgxe_actors.so, libgxf_outside.so]\n";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("app.yaml"), app).expect("a file");
    std::fs::write(folder.path().join("manifest.yaml"), manifest).expect("a file");
    let gxe = |line: &str| {
        let line = format!("{line} --manifest manifest.yaml");
        Gxe::in_folder(folder.path()).args(&line).run()
    };
    let sizes = |line: &str| {
        let plan = gxe(line).with_status(0).stdout;
        let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
        let registers = plan["registers"].as_array().expect("registers").iter();
        registers.map(|register| register["payload_bytes"].as_u64()).collect::<Vec<_>>()
    };
    // A `Count` is plain data of 8 bytes; nothing tells how large a tensor is.
    assert_eq!(sizes("plan app.yaml"), [None, Some(8)]);
    _ = gxe("app.yaml --statistics=run.json").with_status(0);
    // Two numbers of 8 bytes, and the names of the columns, which all messages share.
    assert_eq!(sizes("plan app.yaml --statistics run.json"), [Some(24), Some(8)]);
    gxe("plan app.yaml --statistics gone.json")
        .with_status(3)
        .complains("cannot read the statistics 'gone.json'");
}

/// A message may hold several blocks of a pool.
#[test]
fn a_payload_of_several_blocks_counts_in_full_if_statistics_tell_it() {
    let app = "\
name: gen
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {block_size: 1000, num_blocks: 4}}
- {type: nvidia::gxf::test::TensorGenerator, parameters: {output: out, allocator: pool, shape: [9, 100], number_of_tensors: 2}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::test::Probe, parameters: {receivers: [in]}}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: gen/out, target: sink/in}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::ManualClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write("app.yaml", app);
    write("manifest.yaml", "extensions: [libgxf_test.so, libgxf_lifecycle_probe.so]\n");
    let gxe = |line: &str| {
        Gxe::in_folder(folder.path()).args(&format!("{line} --manifest manifest.yaml")).run()
    };
    let bytes = |plan: &str| {
        let plan: serde_json::Value = serde_json::from_str(plan).expect("JSON");
        let payload = &plan["registers"][0]["payload_bytes"];
        [payload, &plan["memory"]["bytes"]].map(|bytes| bytes.as_u64().expect("a number"))
    };
    _ = gxe("app.yaml --statistics=run.json").with_status(0);
    assert_eq!(bytes(&gxe("plan app.yaml").with_status(0).stdout), [1000, 2000]);
    // Two tensors of 900 bytes.
    let plan = gxe("plan app.yaml --statistics run.json").with_status(0).stdout;
    assert_eq!(bytes(&plan), [2000, 4000]);
    write("plan.json", &plan.replace("\"limit\": null", "\"limit\": 2500"));
    gxe("plan app.yaml --check plan.json")
        .with_status(3)
        .complains("the registers need 4000 bytes, but the limit is 2500");
}

/// A pinned entity without a pool of threads in its group runs on the scheduler's threads.
#[test]
fn a_stream_of_its_own_needs_a_thread_pool() {
    let entity = |name: &str| {
        format!(
            "---\nname: {name}\ncomponents:\n\
             - {{type: nvidia::gxf::CPUThread, parameters: {{pin_entity: true}}}}\n\
             - {{type: gxe::test::Probe}}\n"
        )
    };
    let app = entity("one") + &entity("other");
    let pool = "---\nname: pool\ncomponents: [{type: nvidia::gxf::ThreadPool}]\n\
                ---\nEntityGroups: [{name: group, target: [pool, other]}]\n";
    let streams = |app: &str| {
        let gxe = Gxe::alone().file("app.yaml", app);
        let gxe = gxe.file("manifest.yaml", "extensions: [libgxf_lifecycle_probe.so]\n");
        let plan = gxe.args("plan app.yaml --manifest manifest.yaml").run().with_status(0).stdout;
        let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
        let tasks = plan["tasks"].as_array().expect("tasks").iter();
        tasks.map(|task| task["stream"].as_u64().expect("a number")).collect::<Vec<_>>()
    };
    assert_eq!(streams(&app), [0, 0]);
    assert_eq!(streams(&(app + pool)), [0, 1]);
}

#[test]
fn a_plan_that_is_given_takes_no_options_of_planning() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plan");
    for option in ["--ranks", "--threads", "--register-num"] {
        let line = format!("plan --app graph/app.yaml --check edited.yaml {option} 3");
        let complaint = format!("cannot be used with '{option} <COUNT>'");
        Gxe::in_folder(&folder).args(&line).run().with_status(2).complains(&complaint);
    }
}

/// Each instance takes memory, so a number that no memory has room for is refused at once.
#[test]
fn registers_have_no_more_instances_than_memory_has_room_for() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plan");
    let line = "plan --app graph/app.yaml --register-num 1000001";
    let ended = Gxe::in_folder(&folder).args(line).run().with_status(2);
    ended.complains("1000001 is not in 1..=1000000");
    let app = "name: a\ncomponents:\n- {name: a, type: gxe::test::Probe}\n\
               ---\nname: scheduler\ncomponents:\n- {name: clock, type: nvidia::gxf::RealtimeClock}\n\
               - {type: gxe::ActorScheduler, parameters: {clock: clock, register_num: 1000001}}\n";
    let ended = Gxe::app(app).file("manifest.yaml", "extensions: [libgxf_lifecycle_probe.so]\n");
    let ended = ended.run();
    assert!(ended.status.is_some_and(|status| status > 0), "{}", ended.stdout);
    ended.complains("1000001");
    ended.complains("1000000");
}

#[test]
fn memory_that_is_given_holds_what_the_codelet_fills() {
    let app = "\
name: fill
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {block_size: 1024, num_blocks: 1, storage_type: 2}}
- {type: gxe::test::Fill, parameters: {output: out, pool: pool}}
---
name: check
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}
- {type: gxe::test::Check, parameters: {input: in}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: fill/out, target: check/in}}
";
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("app.yaml"), app).expect("a file");
    std::fs::write(folder.path().join("manifest.yaml"), "extensions: [libgxf_actor.so]\n")
        .expect("a file");
    let gxe = |more: &str| {
        let line = format!("plan app.yaml --manifest manifest.yaml {more}");
        Gxe::in_folder(folder.path()).args(&line).run()
    };
    _ = gxe("-o plan.json").with_status(0);
    let path = folder.path().join("plan.json");
    let plan = std::fs::read_to_string(&path).expect("a plan");
    assert!(plan.contains("\"payload_bytes\": 1024") && plan.contains("\"given\": true"), "{plan}");
    let check = |bytes: &str| {
        let plan = plan.replace("\"payload_bytes\": 1024", &format!("\"payload_bytes\": {bytes}"));
        std::fs::write(&path, plan).expect("a plan");
        gxe("--check plan.json")
    };
    check("10").with_status(3).complains(
        "register `fill/out` gives `fill` 10 bytes for a payload, and its blocks have 1024",
    );
    _ = check("2048").with_status(0);
}

/// Whoever opens a pipe waits for its other end, and nothing would stop a scheduler that does.
#[test]
fn a_scheduler_reads_its_plan_from_a_file_only() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("plan");
    let output = tempfile::tempdir().expect("a folder");
    let pipe = output.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    for (scheduler, parameter) in
        [("gxe::ActorScheduler", "plan"), ("gxe::StaticScheduler", "schedule")]
    {
        let scheduler = format!(
            "name: scheduler\ncomponents:\n- {{name: clock, type: nvidia::gxf::ManualClock}}\n- \
             {{type: {scheduler}, parameters: {{clock: clock, {parameter}: {}}}}}\n",
            pipe.display()
        );
        let file = output.path().join("scheduler.yaml");
        std::fs::write(&file, scheduler).expect("a file");
        let line = format!("--app graph/app.yaml,{} --manifest manifest.yaml", file.display());
        let ended = Gxe::in_folder(&folder).args(&line).run().with_status(5);
        ended.complains("pipe` is a pipe, expected a file");
        ended.complains("scheduler.yaml:4:");
    }
}

/// Whoever gives the plan of another large app gets an answer, although no name fits, and so does one
/// with a long chain of registers in place of each other or of control registers: these took minutes.
#[test]
fn large_plans_are_checked() {
    let check = |app: &str, plan: &str| {
        let line = "plan app.yaml --manifest manifest.yaml --check plan.json";
        let manifest = "extensions: [libgxf_std.so, libgxf_sample.so]";
        let gxe = Gxe::alone().file("app.yaml", app).file("manifest.yaml", manifest);
        let ended = gxe.file("plan.json", plan).args(line).run().with_status(3);
        ended.stderr
    };
    let app = |name: &str, count: u32| -> String {
        let entity = |number| {
            format!(
                "name: {name}{number:05}
components:
- {{name: signal, type: nvidia::gxf::DoubleBufferTransmitter}}
- {{type: nvidia::gxf::PingTx, parameters: {{signal: signal}}}}
---
"
            )
        };
        (0..count).map(entity).collect()
    };
    let list = |count: u32, one: &dyn Fn(u32) -> String| -> String {
        (0..count).map(one).collect::<Vec<_>>().join(",")
    };
    let plan = |tasks: &str, registers: &str| {
        format!(
            "{{\"plan\": \"1.0.0\", \"streams\": [{{\"id\": 0}}], \"tasks\": [{tasks}], \
             \"registers\": [{registers}]}}"
        )
    };
    let tasks =
        |count| list(count, &|number| format!("{{\"name\": \"other{number:05}\", \"stream\": 0}}"));
    let said = check(&app("entity", 1200), &plan(&tasks(1200), ""));
    assert!(said.contains("cannot use the plan 'plan.json': 2400 errors"), "{said}");
    let chain = list(20_000, &|number| {
        let before = if number == 0 { "null".to_owned() } else { format!("\"r{}\"", number - 1) };
        format!(
            "{{\"name\": \"r{number}\", \"producer\": \"other00000\", \"consumers\": \
             [\"other00000/in\"], \"instances\": 1, \"payload_bytes\": 1, \"in_place\": {before}}}"
        )
    });
    let said = check(&app("entity", 1), &plan(&tasks(1), &chain));
    assert!(said.contains("cannot use the plan 'plan.json': 20002 errors"), "{said}");
    let row = list(9_999, &|number| {
        format!(
            "{{\"name\": \"r{number}\", \"producer\": \"other{number:05}\", \"consumers\": \
             [\"other{:05}\"], \"instances\": 1, \"kind\": \"control\"}}",
            number + 1
        )
    });
    let said = check(&app("entity", 1), &plan(&tasks(10_000), &row));
    assert!(said.contains("cannot use the plan 'plan.json': 10001 errors"), "{said}");
}

/// Entities that fill, change and check messages, one after the other. The first one also leads to
/// `other`, and its pool has this kind of memory.
fn with_two_readers(change: &str, storage_type: u32) -> String {
    let receiver = "- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n\
        - {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}}\n";
    let transmitter = "- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
        - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: out}}\n";
    let check = "- {type: gxe::test::Check, parameters: {input: in}}\n";
    let pool = format!(
        "- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{block_size: 64, \
         num_blocks: 4, storage_type: {storage_type}}}}}\n"
    );
    let fill = "- {type: gxe::test::Fill, parameters: {output: out, pool: pool}}\n";
    let connection = |source: &str, target: &str| {
        format!(
            "- {{type: nvidia::gxf::Connection, parameters: {{source: {source}, target: {target}}}}}\n"
        )
    };
    [
        &format!("name: fill\ncomponents:\n{transmitter}{pool}{fill}"),
        &format!(
            "---\nname: change\ncomponents:\n{receiver}{transmitter}- {{type: {change}, parameters: \
             {{input: in, output: out}}}}\n"
        ),
        &format!("---\nname: check\ncomponents:\n{receiver}{check}"),
        &format!("---\nname: other\ncomponents:\n{receiver}{check}"),
        "---\ncomponents:\n",
        &connection("fill/out", "change/in"),
        &connection("fill/out", "other/in"),
        &connection("change/out", "check/in"),
    ]
    .concat()
}

const OF_ACTORS: &str = "extensions: [libgxf_actor.so, libgxe_actors.so]\n";

/// A codelet that changes its messages in place changes what others read, which nothing else shows
/// before the run.
#[test]
fn a_codelet_in_place_is_found_if_others_read_its_messages() {
    let said = |app: &str, command: &str| {
        let gxe = Gxe::alone().file("app.yaml", app).file("manifest.yaml", OF_ACTORS);
        let line = format!("{command} app.yaml --manifest manifest.yaml");
        let ended = gxe.args(&line).run();
        ended.stdout + &ended.stderr
    };
    let shared = with_two_readers("gxe::test::Change", 2);
    let text = "warning[shared-in-place]: `Change` changes the messages of `fill/out` in place, which \
                `other/in` gets, too";
    for command in ["check", "plan"] {
        let all = said(&shared, command);
        assert!(all.contains(text), "{all}");
        assert!(all.contains("send `change/in` copies of the messages"), "{all}");
    }
    let plan = said(&shared, "plan");
    assert!(plan.contains("\"in_place\": null") && !plan.contains("\"in_place\": \""), "{plan}");
    let alone =
        "- {type: nvidia::gxf::Connection, parameters: {source: fill/out, target: other/in}}\n";
    for app in [shared.replace(alone, ""), with_two_readers("gxe::actors::CopyOverNetwork", 2)] {
        for command in ["check", "plan"] {
            let all = said(&app, command);
            assert!(!all.contains("shared-in-place"), "{all}");
        }
    }
    // A broadcast shares its messages, too, unless its transmitters take turns.
    let receiver =
        |name: &str| format!("- {{name: {name}, type: nvidia::gxf::DoubleBufferReceiver}}\n");
    let transmitter =
        |name: &str| format!("- {{name: {name}, type: nvidia::gxf::DoubleBufferTransmitter}}\n");
    let forwarded = |mode: &str| {
        shared.replace("fill/out, target: change/in", "pass/a, target: change/in").replace(
            "fill/out, target: other/in",
            "fill/out, target: pass/in}}\n\
             - {type: nvidia::gxf::Connection, parameters: {source: pass/b, target: all/in}}\n\
             - {type: nvidia::gxf::Connection, parameters: {source: all/out, target: other/in",
        ) + &[
            "---\nname: pass\ncomponents:\n",
            &[receiver("in"), transmitter("a"), transmitter("b")].concat(),
            "- {type: nvidia::gxf::Broadcast, parameters: {source: in, mode: ",
            mode,
            "}}\n---\nname: all\ncomponents:\n",
            &[receiver("in"), transmitter("out")].concat(),
            "- {type: nvidia::gxf::Gather, parameters: {sink: out}}\n",
        ]
        .concat()
    };
    let all = said(&forwarded("Broadcast"), "check");
    assert!(all.contains(&text.replace("fill/out", "pass/a")), "{all}");
    let all = said(&forwarded("RoundRobin"), "check");
    assert!(all.contains("warning") && !all.contains("shared-in-place"), "{all}");
}

/// What a plan says of memory that it gives decides what shares a block.
#[test]
fn memory_that_is_given_is_that_of_the_pool() {
    let app = with_two_readers("gxe::actors::CopyOverNetwork", 1)
        + "---\nname: gpu\ncomponents:\n\
           - {name: second, type: nvidia::gxf::GPUDevice, parameters: {dev_id: 1}}\n\
           ---\nEntityGroups:\n- {name: second, target: [gpu]}\n";
    let on_second = app.replace("[gpu]", "[gpu, fill]");
    let scheduler = "---\nname: scheduler\ncomponents:\n\
                     - {name: clock, type: nvidia::gxf::RealtimeClock}\n\
                     - {name: actors, type: gxe::ActorScheduler, parameters: {clock: clock}}\n";
    let gxe = |app: &str, plan: &str, line: &str| {
        let gxe = Gxe::alone().file("app.yaml", app).file("manifest.yaml", OF_ACTORS);
        gxe.file("plan.json", plan).args(&format!("{line} --manifest manifest.yaml")).run()
    };
    let check = |app: &str, plan: &str| gxe(app, plan, "plan app.yaml --check plan.json");
    for (app, memory, others) in [
        (&app, "device", ["host", "pinned", "device:1"]),
        (&on_second, "device:1", ["host", "managed", "device:2"]),
    ] {
        let plan = gxe(app, "", "plan app.yaml").with_status(0).stdout;
        let own = format!("\"memory\": \"{memory}\"");
        assert!(plan.contains(&own), "{plan}");
        assert_eq!(check(app, &plan).with_status(0).stdout, plan);
        // A plan from before names no device.
        let before = plan.replace(&own, "\"memory\": \"device\"");
        assert_eq!(check(app, &before).with_status(0).stdout, plan);
        for other in others {
            let text = format!(
                "error[memory]: the payloads of register `fill/out` are in {other} memory, but `fill` \
                 fills {memory} memory"
            );
            let ended = check(app, &plan.replace(&own, &format!("\"memory\": \"{other}\"")));
            let ended = ended.with_status(3);
            ended.complains(&text);
            ended.complains("--> plan.json:");
        }
    }
    let app = with_two_readers("gxe::actors::CopyOverNetwork", 2) + scheduler;
    let plan = gxe(&app, "", "plan app.yaml").with_status(0).stdout;
    // The first register is that of `fill`.
    let wrong = plan.replacen("\"memory\": \"host\"", "\"memory\": \"device\"", 1);
    let ended = gxe(&app, &wrong, "app.yaml --param scheduler/actors/plan=plan.json");
    let ended = ended.with_status(5);
    ended.complains(
        "the payloads of register `fill/out` are in device memory, but `fill` fills host memory",
    );
    ended.complains("plan.json:");
}

/// A plan is that of the run, unless the command line says more.
#[test]
fn a_plan_follows_the_parameters_of_the_scheduler() {
    let scheduler = "---\nname: scheduler\ncomponents:\n\
                     - {name: clock, type: nvidia::gxf::RealtimeClock}\n\
                     - {type: gxe::ActorScheduler, parameters: {clock: clock, threads: 2, \
                     register_num: 5}}\n";
    let app = with_two_readers("gxe::actors::CopyOverNetwork", 1) + scheduler;
    let plan = |options: &str| {
        let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", OF_ACTORS);
        let line = format!("plan app.yaml --manifest manifest.yaml {options}");
        let plan = gxe.args(&line).run().with_status(0).stdout;
        let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
        let streams = plan["streams"].as_array().expect("a list").len();
        (streams, plan["registers"][0]["instances"].as_u64())
    };
    assert_eq!(plan(""), (2, Some(5)));
    assert_eq!(plan("--threads 1 --register-num 3"), (1, Some(3)));
}
