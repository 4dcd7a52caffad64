//! CUDA graphs (`--cuda-graphs`): the same results as without, fewer launches, and reasons where there is
//! no graph.

use crate::cuda::{
    MESSAGE, POOLS, ROOM, RX, TX, connected, dot_product, entity, on_part, scheduler, stage,
};
use crate::cuda_stand_in::mistake;
use gxe_tests::cuda::{MODES, Report, SCHEDULERS, is_on_gpu, modes, run, with_stand_in};
use gxe_tests::{Ended, Gxe};
use serde_json::Value;

/// [`dot_product`] of the first tensor doubled and the second one halved, each in one piece of work of
/// the entity `multiples`, which does something between the two.
pub(crate) fn multiples(between: &str, pool: &str, ticks: u32) -> String {
    chain(&[("multiples", between)], pool, ticks)
}

/// The same with several such entities in a row. With `dot`, whose messages go to a codelet that is not
/// capturable, they are a chain.
pub(crate) fn chain(entities: &[(&str, &str)], pool: &str, ticks: u32) -> String {
    let app = dot_product(pool, "term", ticks);
    let direct = connected("generator/cuda", "dot/in");
    assert!(app.contains(&direct));
    let mut detour = String::new();
    let mut last = "generator/cuda".to_owned();
    for (name, between) in entities {
        detour += &multiples_of(name, between, pool);
        detour += &connected(&last, &format!("{name}/in"));
        last = format!("{name}/out");
    }
    app.replace(&direct, &(detour + &connected(&last, "dot/in")))
}

fn multiples_of(name: &str, between: &str, pool: &str) -> String {
    entity(
        name,
        &[
            &format!("name: in, {RX}"),
            &format!("name: out, {TX}"),
            &format!("name: pool, {pool}"),
            &format!(
                "type: gxe::test::cuda::Multiples, parameters: {{rx: in, tx: out, tensor_pool: pool, \
                 factors: [2, 0.5], between: {between}}}"
            ),
            &format!("{MESSAGE}in}}"),
            &format!("{ROOM}out}}"),
        ],
    )
}

/// Runs an app with graphs: its end, the stand-in's counts, and a statistic of each entity.
fn with_graphs(gxe: Gxe) -> (Ended, Report, Vec<Value>) {
    let (ended, report, graphs, ()) = with_graphs_and(gxe, || ());
    (ended, report, graphs)
}

/// The same, and what a function reads in the run's folder.
fn with_graphs_and<T>(gxe: Gxe, read_more: impl FnOnce() -> T) -> (Ended, Report, Vec<Value>, T) {
    let path = gxe.folder().join("run.json");
    let text = gxe.args("--cuda-graphs --statistics=run.json");
    let folder = text.folder();
    let (ended, (report, statistics, more)) = text.spawn().end_with(|| {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        (read(folder.join("report")), read(path), read_more())
    });
    let statistics: Value = serde_json::from_str(&statistics).unwrap_or_default();
    let graphs = statistics["cuda_graphs"].as_array().cloned().unwrap_or_default();
    (ended, Report::parse(&report), graphs, more)
}

fn number(of: &Value, key: &str) -> u64 {
    of[key].as_u64().unwrap_or_else(|| panic!("{key} of {of}"))
}

fn sum(graphs: &[Value], key: &str) -> u64 {
    graphs.iter().map(|one| number(one, key)).sum()
}

/// The pieces of work of two entities, of two kernels each, become one launch, once they repeat.
#[test]
fn work_that_repeats_is_one_launch() {
    const TICKS: u64 = 40;
    for (_, kind) in SCHEDULERS {
        for mode in modes() {
            let app = multiples("Nothing", POOLS[0], TICKS as u32) + &scheduler(kind);
            let (ended, report, graphs) = with_graphs(with_stand_in(&app, mode));
            let ended = ended.clean();
            assert_eq!(ended.count("40 pairs were equal"), 1, "{mode}\n{}", ended.stdout);
            report.nothing_is_left();
            assert_eq!(graphs.len(), 2, "{graphs:?}");
            for one in &graphs {
                let [launches, joined, ordinary] =
                    ["launches", "joined", "ordinary"].map(|key| number(one, key));
                assert_eq!(launches + joined + ordinary, TICKS, "{mode} {one}");
            }
            // A launch has the work of those that joined it.
            let in_graphs = sum(&graphs, "launches") + sum(&graphs, "joined");
            assert_eq!(sum(&graphs, "operations"), 2 * in_graphs, "{mode} {graphs:?}");
            assert!(ended.stdout.contains("CUDA graphs of"), "{}", ended.stdout);
            if is_on_gpu() {
                continue;
            }
            let [launches, captured] = ["launches", "captured"].map(|key| sum(&graphs, key));
            assert_eq!(report.get("call cuGraphLaunch"), launches, "{mode}");
            assert_eq!(report.get("call cuStreamBeginCapture_v2"), captured, "{mode}");
            // Those of the captures do nothing by themselves.
            let each = 2 * sum(&graphs, "ordinary");
            let of_captures = report.get("call cuLaunchKernel") - each;
            assert!((2 * captured..=4 * captured).contains(&of_captures), "{mode} {of_captures}");
            assert_eq!(report.get("kernels"), 4 * TICKS, "{mode}");
        }
    }
}

/// Four entities in a row make one launch a message, with the results that they have without.
#[test]
fn a_chain_of_codelets_is_one_launch() {
    const TICKS: u64 = 60;
    let names = ["first", "second", "third"];
    let entities = names.map(|name| (name, "Nothing"));
    for mode in modes() {
        for (index, (_, kind)) in SCHEDULERS.into_iter().enumerate() {
            let app = chain(&entities, POOLS[0], TICKS as u32) + &scheduler(kind);
            let (ended, report, graphs) = with_graphs(with_stand_in(&app, mode));
            let ended = ended.clean();
            assert_eq!(ended.count("60 pairs were equal"), 1, "{mode}\n{}", ended.stdout);
            report.nothing_is_left();
            let (launches, joined) = (sum(&graphs, "launches"), sum(&graphs, "joined"));
            if !is_on_gpu() {
                assert_eq!(report.get("kernels"), 8 * TICKS, "{mode}");
                assert_eq!(report.get("call cuGraphLaunch"), launches, "{mode}");
            }
            let last = graphs.iter().find(|one| one["entity"] == "dot").expect("a row");
            let reason = last["end_reason"].as_str().unwrap_or_default();
            assert!(reason.contains("`to_host`, whose codelet is not capturable"), "{graphs:?}");
            // On one thread nothing comes between the codelets, once each knows the stream.
            if index == 0 {
                assert_eq!(joined, 3 * launches, "{mode} {graphs:?}");
                assert_eq!(number(last, "launches"), launches, "{mode} {graphs:?}");
                assert!(launches > TICKS / 2, "{mode} {graphs:?}");
                for name in names {
                    let row = graphs.iter().find(|one| one["entity"] == name).expect("a row");
                    assert!(number(row, "ended") <= 4, "{mode} {graphs:?}");
                }
            }
        }
    }
}

/// Codelets of two libraries are one chain, whose launches have the work of both.
#[test]
fn a_chain_crosses_libraries() {
    const TICKS: u64 = 60;
    const MULTIPLY: &str = "type: nvidia::gxf::NppiMulC, parameters: {in: in, factor: [1, 3, 5, 7], \
                            pool: pool, out: out}";
    let app = [
        source(POOLS[0], TICKS as u32),
        multiples_of("first", "Nothing", POOLS[0]),
        stage("product", MULTIPLY, POOLS[0]),
        connected("generator/cuda", "first/in"),
        connected("first/out", "product/in"),
        to_file("product/out", "numbers.raw"),
    ]
    .concat();
    let manifest = "extensions:\n- libgxf_cuda.so\n- libgxf_test_cuda.so\n- libgxf_npp.so\n\
                    - libgxe_io.so\n";
    // The first tensor of the source, doubled, and multiplied by channel.
    let expected: Vec<u8> = (1..=TICKS)
        .flat_map(|tick| {
            (0..1024).map(move |index| ((index + tick) % 7 * 2 * (2 * (index % 4) + 1)) as f32)
        })
        .flat_map(f32::to_ne_bytes)
        .collect();
    for mode in modes() {
        for (index, (_, kind)) in SCHEDULERS.into_iter().enumerate() {
            let gxe = with_stand_in(&(app.clone() + &scheduler(kind)), mode);
            let path = gxe.folder().join("numbers.raw");
            let gxe = gxe.file("manifest.yaml", manifest);
            let (ended, report, graphs, numbers) = with_graphs_and(gxe, || std::fs::read(&path));
            let ended = ended.clean();
            let numbers = numbers.unwrap_or_default();
            assert!(numbers == expected, "{mode} {} bytes\n{}", numbers.len(), ended.stdout);
            report.nothing_is_left();
            let row = |name: &str| {
                graphs.iter().find(|one| one["entity"] == name).unwrap_or_else(|| {
                    panic!("no row of `{name}`: {graphs:?}\n{}", ended.stdout);
                })
            };
            // On one thread nothing comes between the codelets.
            if index == 0 {
                let [joined, launches] =
                    [number(row("first"), "joined"), number(row("product"), "launches")];
                assert_eq!(joined, launches, "{mode} {graphs:?}");
                assert!(launches > TICKS / 2, "{mode} {graphs:?}");
                // Two of one library, and one of the other.
                assert_eq!(sum(&graphs, "operations"), 3 * sum(&graphs, "launches"), "{graphs:?}");
            }
        }
    }
}

/// Where a codelet of a chain cannot wait, the chain is two, and the run says why.
#[test]
fn a_chain_ends_where_work_cannot_wait() {
    for (index, (between, reason)) in [
        ("Wait", "the CPU waits for its stream between two operations"),
        ("Fence", "its stream is marked between two operations"),
        ("Handle", "its stream is handed to other code between two operations"),
        ("Shape", "its operations, or the memory that they use, are others at nearly every"),
        ("HostCopy", "it copies host memory"),
        ("Nested", "another piece of work on its stream is within it"),
    ]
    .into_iter()
    .enumerate()
    {
        let ticks = if between == "Shape" { 90 } else { 20 };
        let pool = if between == "Shape" { POOLS[1] } else { POOLS[0] };
        for mode in modes() {
            let kind = SCHEDULERS[index % SCHEDULERS.len()].1;
            let app = chain(&[("first", "Nothing"), ("multiples", between)], pool, ticks);
            let (ended, report, graphs) =
                with_graphs(with_stand_in(&(app + &scheduler(kind)), mode));
            let ended = ended.clean();
            let equal = format!("{ticks} pairs were equal");
            assert_eq!(ended.count(&equal), 1, "{between} {mode}\n{}", ended.stdout);
            report.nothing_is_left();
            if is_on_gpu() && between == "Shape" {
                // The driver's addresses may repeat.
                continue;
            }
            let line = format!("entity `multiples`: no CUDA graphs of its work, because {reason}");
            assert_eq!(ended.count(&line), 1, "{between} {mode}\n{}", ended.stdout);
            if between != "Shape" && kind == SCHEDULERS[0].1 {
                let first = graphs.iter().find(|one| one["entity"] == "first").expect("a row");
                assert_eq!(
                    (number(first, "ended"), number(first, "joined")),
                    (20, 0),
                    "{graphs:?}"
                );
            }
        }
    }
}

/// Who asks whether work is done is not told so of work that is held back: it is launched first.
#[test]
fn asking_for_work_launches_it() {
    for mode in modes() {
        for (_, kind) in SCHEDULERS {
            let app = chain(&[("first", "Nothing"), ("multiples", "Ask")], POOLS[0], 20);
            let (ended, report, graphs) =
                with_graphs(with_stand_in(&(app + &scheduler(kind)), mode));
            let ended = ended.clean();
            assert_eq!(ended.count("20 pairs were equal"), 1, "{mode}\n{}", ended.stdout);
            report.nothing_is_left();
            let first = graphs.iter().find(|one| one["entity"] == "first").expect("a row");
            // Workers may let the first entity tick again before the second one asks.
            if kind == SCHEDULERS[0].1 {
                assert_eq!(number(first, "joined"), 0, "{graphs:?}");
            }
        }
    }
}

/// Copies tensors to the host and writes them to a file of the run's folder.
fn to_file(source: &str, file: &str) -> String {
    const TO_HOST: &str = "type: nvidia::gxf::TensorCopier, parameters: {receiver: in, transmitter: \
                           out, allocator: pool, mode: 1}";
    [
        stage("to_host", TO_HOST, POOLS[1]),
        entity(
            "sink",
            &[
                &format!("name: in, {RX}"),
                &format!("type: gxe::io::RawSink, parameters: {{input: in, address: {file}}}"),
                &format!("{MESSAGE}in}}"),
            ],
        ),
        connected(source, "to_host/in"),
        connected("to_host/out", "sink/in"),
    ]
    .concat()
}

/// The source of [`dot_product`] alone.
fn source(pool: &str, ticks: u32) -> String {
    let app = dot_product(pool, "term", ticks);
    let source = app.split("---\n").find(|document| document.starts_with("name: generator\n"));
    // Nobody gets the tensors of the host.
    let room = format!("- {{{ROOM}host}}}}\n");
    format!("---\n{}", source.expect("the source").replace(&room, ""))
}

/// The source, which waits for the memory of its pool, and its tensors through an
/// entity that multiplies them, on to `next`.
fn source_and_first(next: &str) -> String {
    let blocks = "type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 4096, \
                  num_blocks: 2}";
    let memory = "- {type: nvidia::gxf::MemoryAvailableSchedulingTerm, parameters: {allocator: pool, \
                  min_blocks: 2}}\n";
    source(blocks, 3)
        + memory
        + &multiples_of("first", "Nothing", POOLS[0])
        + &connected("generator/cuda", "first/in")
        + &connected("first/out", next)
}

/// A codelet that only sends messages on launches the work before them if others than capturable
/// codelets get them.
#[test]
fn messages_that_are_sent_on_bear_no_work_that_waits() {
    for mode in modes() {
        for (_, kind) in SCHEDULERS {
            let sync = entity(
                "sync",
                &[
                    &format!("name: in, {RX}"),
                    "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in}",
                    &format!("{MESSAGE}in}}"),
                ],
            );
            let app = source_and_first("on/in")
                + &multiples_of("on", "Forward", POOLS[0])
                + &connected("on/out", "sync/in")
                + &sync
                + &scheduler(kind);
            let (ended, report, graphs) = with_graphs(with_stand_in(&app, mode));
            let ended = ended.clean();
            report.nothing_is_left();
            let [first] = &graphs[..] else { panic!("{graphs:?}\n{}", ended.stdout) };
            assert_eq!(number(first, "ended"), 3, "{mode} {first}");
            if kind == SCHEDULERS[0].1 {
                let reason = "a message that says when it is done is sent on";
                assert_eq!(first["end_reason"], reason, "{mode}");
            }
        }
    }
}

/// A read that is held back is not forgotten when a codelet that is not capturable reads the same memory.
#[test]
fn a_read_that_is_held_back_keeps_its_memory_from_later_readers() {
    const TICKS: u32 = 40;
    let copy = stage(
        "copy",
        "type: nvidia::gxf::test::cuda::MemCpy2Host, parameters: {rx: in, tx: out, tensor_pool: pool}",
        "type: nvidia::gxf::UnboundedAllocator",
    );
    let sync = entity(
        "sync",
        &[
            &format!("name: in, {RX}"),
            "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in}",
            &format!("{MESSAGE}in}}"),
        ],
    );
    for pool in POOLS {
        for mode in modes() {
            for (_, kind) in SCHEDULERS {
                let app = chain(&[("first", "Nothing")], pool, TICKS)
                    + &copy
                    + &sync
                    + &connected("generator/cuda", "copy/in")
                    + &connected("copy/out", "sync/in")
                    + &scheduler(kind);
                let (ended, report, _) = with_graphs(with_stand_in(&app, mode));
                let ended = ended.clean();
                assert_eq!(
                    ended.count("40 pairs were equal"),
                    1,
                    "{pool} {mode}\n{}",
                    ended.stdout
                );
                report.nothing_is_left();
            }
        }
    }
}

/// Work that waits for a codelet which does not tick is done all the same, so memory comes back.
#[test]
fn work_that_nobody_asks_for_is_launched() {
    for mode in modes() {
        for (_, kind) in SCHEDULERS {
            let never = entity(
                "never",
                &[
                    &format!("name: in, {RX}, parameters: {{capacity: 100}}"),
                    &format!("name: other, {RX}"),
                    &format!("name: out, {TX}"),
                    "name: pool, type: nvidia::gxf::UnboundedAllocator",
                    "type: gxe::test::cuda::Multiples, parameters: {rx: in, tx: out, tensor_pool: \
                     pool, factors: [1, 1], between: Nothing}",
                    &format!("{MESSAGE}in}}"),
                    &format!("{MESSAGE}other}}"),
                ],
            );
            let app = source_and_first("never/in") + &never + &scheduler(kind);
            let (ended, report, graphs) = with_graphs(with_stand_in(&app, mode));
            // The source has ticked as often as it may, which needs its memory back twice.
            assert_eq!(ended.status, Some(0), "{mode}\n{}\n{}", ended.stdout, ended.stderr);
            report.nothing_is_left();
            let [first] = &graphs[..] else { panic!("{graphs:?}") };
            assert_eq!(number(first, "ended"), 3, "{mode} {first}");
            let reason = "the next codelet of its messages does not tick";
            assert_eq!(first["end_reason"], reason, "{mode}");
        }
    }
}

/// All steps of a format converter are one piece of work, so they become one launch; NPP's components
/// have one operation each, and say that.
#[test]
fn the_steps_of_a_converter_are_one_launch() {
    const TICKS: u32 = 40;
    let blocks = "type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 768, \
                  num_blocks: 4}";
    // To bytes, smaller, in another order.
    let convert = "type: nvidia::holoscan::formatconverter::FormatConverter, parameters: {in: in, \
                   out: out, pool: pool, out_dtype: uint8, scale_max: 255, out_channel_order: \
                   [2, 1, 0], resize_width: 4, resize_height: 4}";
    let app = [
        entity(
            "set",
            &[
                &format!("name: out, {TX}"),
                &format!("name: pool, {blocks}"),
                "type: nvidia::gxf::NppiSet, parameters: {rows: 8, columns: 8, channels: 3, value: \
                 [10, 20, 30], pool: pool, out: out}",
                &format!("{ROOM}out}}"),
                &format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {TICKS}}}"),
            ],
        ),
        stage("bytes", convert, blocks),
        connected("set/out", "bytes/in"),
        to_file("bytes/out", "bytes.raw"),
    ]
    .concat();
    let manifest = "extensions:\n- libgxf_cuda.so\n- libgxf_npp.so\n- libgxf_format_converter.so\n\
                    - libgxe_io.so\n";
    for (index, mode) in MODES.into_iter().enumerate() {
        let app = app.clone() + &scheduler(SCHEDULERS[index % SCHEDULERS.len()].1);
        let gxe = with_stand_in(&app, mode).file("manifest.yaml", manifest);
        let path = gxe.folder().join("bytes.raw");
        let (ended, report, graphs, bytes) = with_graphs_and(gxe, || std::fs::read(&path));
        let (ended, bytes) = (ended.clean(), bytes.unwrap_or_default());
        let expected = [30, 20, 10].repeat(16 * TICKS as usize);
        assert!(bytes == expected, "{mode} {:?}", &bytes[..bytes.len().min(48)]);
        report.nothing_is_left();
        let row = graphs.iter().find(|one| one["entity"] == "bytes").expect("a row");
        let (launches, ordinary) = (number(row, "launches"), number(row, "ordinary"));
        assert_eq!(launches + ordinary, u64::from(TICKS), "{mode} {graphs:?}");
        // Rows, columns, conversion, order.
        assert_eq!(number(row, "operations"), 4 * launches, "{mode} {graphs:?}");
        if mode == "eager" && !is_on_gpu() {
            assert!(launches > u64::from(TICKS) / 2, "{graphs:?}");
        }
        let line = "entity `set`: no CUDA graphs of its work, because it has one operation";
        assert_eq!(ended.count(line), 1, "{}", ended.stdout);
        assert_eq!(ended.count("entity `bytes`: no CUDA graphs"), 0, "{}", ended.stdout);
    }
}

/// Without the option, nothing is captured.
#[test]
fn without_the_option_there_are_no_graphs() {
    let app = multiples("Nothing", POOLS[0], 10) + &scheduler(SCHEDULERS[0].1);
    let (ended, report) = run(with_stand_in(&app, "lazy").args("--statistics"));
    let ended = ended.clean();
    assert!(!ended.stdout.contains("CUDA graphs"), "{}", ended.stdout);
    assert_eq!(report.get("call cuGraphLaunch"), 0);
}

/// Where there is no graph, the run says why, once, and does the same.
#[test]
fn a_run_says_once_why_there_is_no_graph() {
    let reasons = [
        ("Fence", "its stream is marked between two operations"),
        ("Wait", "the CPU waits for its stream between two operations"),
        ("Handle", "its stream is handed to other code between two operations"),
        ("HostCopy", "it copies host memory"),
        ("Nested", "another piece of work on its stream is within it"),
        ("Foreign", "its stream belongs to another library"),
        (
            "Shape",
            "its operations, or the memory that they use, are others at nearly every execution",
        ),
    ];
    for (index, (between, reason)) in reasons.into_iter().enumerate() {
        // The longest of them takes more executions than graphs are remembered.
        let ticks = if between == "Shape" { 90 } else { 12 };
        let pool = if between == "Shape" { POOLS[1] } else { POOLS[0] };
        let mode = MODES[index % MODES.len()];
        let kind = SCHEDULERS[index % SCHEDULERS.len()].1;
        let app = multiples(between, pool, ticks) + &scheduler(kind);
        let (ended, report, graphs) = with_graphs(with_stand_in(&app, mode));
        let ended = ended.clean();
        let equal = format!("{ticks} pairs were equal");
        assert_eq!(ended.count(&equal), 1, "{between} {mode}\n{}", ended.stdout);
        report.nothing_is_left();
        let line = format!("entity `multiples`: no CUDA graphs of its work, because {reason}");
        if between == "Foreign" {
            // Each adopted stream is a new one, of which no work is known.
            assert!(graphs.iter().all(|one| one["entity"] != "multiples" || one["captured"] == 0));
            continue;
        }
        if is_on_gpu() && between == "Shape" {
            // The driver's addresses may repeat.
            continue;
        }
        assert_eq!(ended.count(&line), 1, "{between} {mode}\n{}", ended.stdout);
        let of_entity = graphs.iter().find(|one| one["entity"] == "multiples").expect("a row");
        assert!(
            of_entity["reason"].as_str().is_some_and(|it| it.starts_with(reason)),
            "{graphs:?}"
        );
        assert_eq!(number(of_entity, "captured"), 0, "{graphs:?}");
        assert!(ended.stdout.contains(&format!("ordinary, because {reason}")), "{}", ended.stdout);
    }
}

/// Old graphs make room for those of new work, which take their place in the driver.
#[test]
fn graphs_are_bounded_and_used_again() {
    let app = multiples("Phases", POOLS[0], 240) + &scheduler(SCHEDULERS[0].1);
    for mode in modes() {
        let (ended, report, graphs) = with_graphs(with_stand_in(&app, mode));
        let ended = ended.clean();
        assert_eq!(ended.count("240 pairs were equal"), 1, "{mode}\n{}", ended.stdout);
        report.nothing_is_left();
        if mode == "eager" && !is_on_gpu() {
            let captured = sum(&graphs, "captured");
            let updated = report.get("call cuGraphExecUpdate");
            assert!(captured > 16 && updated > 0, "{captured} {updated} {graphs:?}");
            let made = report.get("call cuGraphInstantiateWithFlags");
            assert_eq!(captured, updated + made, "{graphs:?}");
        }
    }
}

/// Work on a part of the device stays there, which a graph would not know.
#[test]
fn work_on_a_green_context_becomes_no_graph() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not say where kernels ran");
        return;
    }
    let app = on_part("sms_per_partition: [8]", ", index: 0", 12).replace(POOLS[2], POOLS[0]);
    let (ended, report, graphs) = with_graphs(with_stand_in(&app, "lazy"));
    let ended = ended.clean();
    assert_eq!(ended.count("12 pairs were equal"), 1, "{}", ended.stdout);
    assert_eq!(report.get("kernels on 8"), 24, "{report:?}");
    assert!(
        graphs[0]["reason"].as_str().is_some_and(|it| it.starts_with("its stream works on a part")),
        "{graphs:?}"
    );
    report.nothing_is_left();
}

/// What the driver refuses a graph, the work does without it.
#[test]
fn a_call_that_fails_costs_the_graph_only() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not fail on demand");
        return;
    }
    let app = multiples("Nothing", POOLS[0], 12) + &scheduler(SCHEDULERS[0].1);
    for (index, function) in [
        "cuStreamGetPriority",
        "cuStreamBeginCapture_v2",
        "cuStreamEndCapture",
        "cuGraphInstantiateWithFlags",
        "cuGraphLaunch",
        "cuGraphDestroy",
        "cuGraphExecDestroy",
    ]
    .into_iter()
    .enumerate()
    {
        let gxe = with_stand_in(&app, MODES[index % MODES.len()]);
        let failing = gxe.env("CUDA_STAND_IN_FAIL", &format!("{function}:1=2"));
        let (ended, report, _) = with_graphs(failing);
        let ended = ended.clean();
        assert_eq!(ended.count("12 pairs were equal"), 1, "{function}\n{}", ended.stdout);
        if function.contains("Destroy") {
            continue;
        }
        let name = function.trim_end_matches("_v2");
        let reason = format!("no CUDA graphs of its work, because {name} answers");
        // The chain has two entities.
        assert_eq!(ended.count(&reason), 2, "{function}\n{}", ended.stdout);
        report.nothing_is_left();
    }
}

/// An error between two operations, and a device that breaks within a graph, end the run with a name.
#[test]
fn errors_within_graphs_end_the_run() {
    for mode in modes() {
        let app = multiples("Failure", POOLS[0], 12) + &scheduler(SCHEDULERS[0].1);
        let (ended, report, _) = with_graphs(with_stand_in(&app, mode));
        ended.with_status(5).complains("because: as asked");
        report.nothing_is_left();
        if is_on_gpu() {
            continue;
        }
        for kernel in 20..24 {
            let app = multiples("Nothing", POOLS[0], 40) + &scheduler(SCHEDULERS[0].1);
            let gxe = with_stand_in(&app, mode).env("CUDA_STAND_IN_STICKY", &kernel.to_string());
            let (ended, _, _) = with_graphs(gxe);
            assert_eq!((ended.status, ended.signal), (Some(5), None), "{mode}\n{}", ended.stderr);
            ended.complains("CUDA_ERROR_ILLEGAL_ADDRESS (700)");
        }
    }
}

/// A signal ends a run of graphs, and nothing of them is left.
#[test]
fn a_signal_ends_a_run_of_graphs() {
    for mode in modes() {
        let app = multiples("Nothing", POOLS[0], 1_000_000) + &scheduler(SCHEDULERS[1].1);
        let gxe = with_stand_in(&app, mode).args("--cuda-graphs");
        let path = gxe.folder().join("report");
        let mut running = gxe.spawn();
        running.wait_for("Scheduling 6 entities");
        std::thread::sleep(std::time::Duration::from_millis(100));
        running.signal("INT");
        let (ended, report) =
            running.end_with(|| std::fs::read_to_string(path).unwrap_or_default());
        assert_eq!(ended.signal, None, "{}\n{}", ended.stdout, ended.stderr);
        assert_eq!(ended.count("Context destroyed."), 1, "{}", ended.stdout);
        Report::parse(&report).nothing_is_left();
    }
}

/// What captures forbid, and what graphs are, in the stand-in.
#[test]
fn the_stand_in_knows_the_rules_of_captures() {
    if is_on_gpu() {
        return;
    }
    let begin =
        "H g, x; unsigned r; cuStreamBeginCapture_v2(a, 1); cuMemsetD8Async(m, 1, 4096, a); ";
    let end = "cuStreamEndCapture(a, &g); cuGraphInstantiateWithFlags(&x, g, 0); ";
    let race = "cuGraphLaunch(x, a); cuMemsetD8Async(m, 2, 4096, b);";
    let output = mistake(&format!("{begin}{end}{race}"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("race: a fill"), "{said}");
    let freed = "cuMemFree_v2(m); cuGraphLaunch(x, a);";
    let said = mistake(&format!("{begin}{end}{freed}")).stderr;
    assert!(String::from_utf8_lossy(&said).contains("no memory, or was freed"));
    // Each is one expression that must be 0, after the capture has begun.
    for rule in [
        // Nothing happens before a launch, and all of it then.
        format!(
            "{end} cuGraphLaunch(x, a); cuMemcpyDtoHAsync_v2(h, m, 4096, a); \
                 cuStreamSynchronize(a); return h[5] != 1;"
        ),
        // Waits for the stream, events and calls that may wait end the capture.
        "return cuStreamSynchronize(a) != 900 || cuStreamEndCapture(a, &g) != 901;".to_owned(),
        "return cuEventRecord(e, a) != 900 || cuStreamEndCapture(a, &g) != 901;".to_owned(),
        "return cuMemAlloc_v2(&m, 64) != 900 || cuStreamEndCapture(a, &g) != 901;".to_owned(),
        // Other streams are not captured.
        "return cuStreamSynchronize(b) != 0 || cuStreamEndCapture(a, &g) != 0;".to_owned(),
        // A graph of another form does not fit.
        format!(
            "{end} cuStreamBeginCapture_v2(a, 1); cuStreamEndCapture(a, &g); \
                 return cuGraphExecUpdate(x, g, &e, &r) != 910 || r != 2;"
        ),
        format!(
            "{end} cuStreamBeginCapture_v2(a, 1); cuMemsetD8Async(m, 7, 4096, a); \
                 cuStreamEndCapture(a, &g); if (cuGraphExecUpdate(x, g, &e, &r)) return 1; \
                 cuGraphLaunch(x, a); cuMemcpyDtoHAsync_v2(h, m, 4096, a); cuStreamSynchronize(a); \
                 return h[5] != 7;"
        ),
    ] {
        let output = mistake(&format!("{begin} (void)x; (void)g; (void)r; {rule}"));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{rule}: {said} {:?}", output.status);
    }
}
