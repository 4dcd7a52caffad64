//! The 27 shapes of graphs in which GXF's own tests use its CUDA, RMM, NPP and stream extensions, under
//! every scheduler and in every order of the device's work: each with the result that it has on the host.
//!
//! `make test` runs each shape twice, under different schedulers and in different modes; together they
//! cover all pairs. `GXE_THOROUGH=1` runs all.

use crate::cuda::{
    MESSAGE, RMM, ROOM, RX, TX, buffers, connected, dot_product, entity, on_part, scheduler, stage,
    stream_sync, there_and_back, with_event,
};
use gxe_tests::cuda::{Report, SCHEDULERS, is_on_gpu, run, with_stand_in};
use gxe_tests::{Ended, Gxe, is_thorough};

const MANIFEST: &str = "\
extensions:
- gxf/std/libgxf_std.so
- libgxf_test.so
- libgxf_cuda.so
- libgxf_rmm.so
- libgxf_npp.so
- libgxf_stream.so
- libgxf_test_cuda.so
- libgxf_test_stream.so
";

const MODES: [&str; 3] = ["eager", "lazy", "random:11"];

const TICKS: u32 = 6;

const BLOCKS: &str = "type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, \
                      block_size: 4096, num_blocks: 16}";
const UNBOUNDED: &str = "type: nvidia::gxf::UnboundedAllocator";
const ORDERED: &str = "type: nvidia::gxf::StreamOrderedAllocator, parameters: \
                       {device_memory_initial_size: 32KB, device_memory_max_size: 64MB}";

/// What a run says at its end, and how often.
const PAIRS: (&str, usize) = ("6 pairs were equal", 1);
const SUMS: (&str, usize) = ("buffer of 4096 bytes, sum 8836", TICKS as usize);

struct Shape {
    name: &'static str,
    app: String,
    says: (&'static str, usize),
}

/// The products on the device and on the host; other components replace some.
fn product(name: &'static str, pool: &str, wait: &str, replace: &[(&str, &str)]) -> Shape {
    let app = replace.iter().fold(dot_product(pool, wait, TICKS), |app, (from, to)| {
        assert!(app.contains(from), "{name}: {from}");
        app.replace(from, to)
    });
    Shape { name, app, says: PAIRS }
}

/// Pictures of one colour that are multiplied on the device, and pictures of the product's colour.
fn pictures(name: &'static str, pools: [&str; 2], value: &[u32], factors: &[u32]) -> Shape {
    let set = |name: &str, value: &[u32], pool: &str| {
        entity(
            name,
            &[
                &format!("name: out, {TX}"),
                &format!("name: pool, {pool}"),
                &format!(
                    "type: nvidia::gxf::NppiSet, parameters: {{rows: 4, columns: 8, channels: {}, \
                     value: {value:?}, pool: pool, out: out}}",
                    value.len()
                ),
                &format!("{ROOM}out}}"),
                &format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {TICKS}}}"),
            ],
        )
    };
    let to_host = "type: nvidia::gxf::TensorCopier, parameters: {receiver: in, transmitter: out, \
                   allocator: pool, mode: 1}";
    let mut app = set("first", value, pools[0]);
    let mut colour = value.to_vec();
    let mut last = "first".to_owned();
    for (index, factor) in factors.iter().enumerate() {
        colour.iter_mut().for_each(|value| *value *= factor);
        let name = format!("times{index}");
        let multiply = format!(
            "type: nvidia::gxf::NppiMulC, parameters: {{in: in, factor: {:?}, pool: pool, out: out}}",
            vec![*factor; value.len()]
        );
        app += &stage(&name, &multiply, pools[1]);
        app += &connected(&format!("{last}/out"), &format!("{name}/in"));
        last = name;
    }
    app += &[
        set("second", &colour, pools[1]),
        stage("first_to_host", to_host, UNBOUNDED),
        stage("second_to_host", to_host, UNBOUNDED),
        entity(
            "verify",
            &[
                &format!("name: rx0, {RX}"),
                &format!("name: rx1, {RX}"),
                "type: nvidia::gxf::test::cuda::VerifyEqual, parameters: {rx0: rx0, rx1: rx1}",
                &format!("{MESSAGE}rx0}}"),
                &format!("{MESSAGE}rx1}}"),
            ],
        ),
        connected(&format!("{last}/out"), "first_to_host/in"),
        connected("second/out", "second_to_host/in"),
        connected("first_to_host/out", "verify/rx0"),
        connected("second_to_host/out", "verify/rx1"),
    ]
    .concat();
    Shape { name, app, says: PAIRS }
}

fn shapes() -> Vec<Shape> {
    let host_pool = "type: nvidia::gxf::UnboundedAllocator";
    let pairs = |name, app| Shape { name, app, says: PAIRS };
    let sums = |name, app| Shape { name, app, says: SUMS };
    let convolve = buffers(TICKS);
    vec![
        // CUDA
        product("block pools, synchronised", BLOCKS, "sync", &[]),
        product("block pools, awaited", BLOCKS, "term", &[]),
        product("unbounded allocators, synchronised", UNBOUNDED, "sync", &[]),
        product("unbounded allocators, awaited", UNBOUNDED, "term", &[]),
        product("stream-ordered memory, synchronised", ORDERED, "sync", &[]),
        product("stream-ordered memory, awaited", ORDERED, "term", &[]),
        product(
            "memory of two allocators",
            ORDERED,
            "sync",
            &[(
                &format!("name: pool, {ORDERED}}}\n- {{name: host_pool"),
                &format!("name: pool, {BLOCKS}}}\n- {{name: host_pool"),
            )],
        ),
        pairs("an event before the product", with_event(&dot_product(BLOCKS, "sync", TICKS))),
        pairs("an event, stream-ordered memory", with_event(&dot_product(ORDERED, "term", TICKS))),
        product(
            "a stream of high priority",
            BLOCKS,
            "term",
            &[("{max_size: 2}", "{max_size: 1, reserved_size: 1, stream_priority: -1}")],
        ),
        product(
            "a stream that waits for the default one",
            UNBOUNDED,
            "sync",
            &[("{max_size: 2}", "{stream_flags: 0}")],
        ),
        product(
            "a device of the group",
            ORDERED,
            "term",
            &[(
                "name: generator\ncomponents:\n",
                "name: generator\ncomponents:\n- {type: nvidia::gxf::GPUDevice, parameters: \
                 {dev_id: 0}}\n",
            )],
        ),
        pairs("a part of the device", {
            // Its scheduler is another one each time.
            let app = on_part("sms_per_partition: [2]", ", index: 0", TICKS);
            app.replace(&scheduler(SCHEDULERS[0].1), "")
        }),
        pairs("to the device and to pinned memory", there_and_back(1, TICKS)),
        pairs("to the device and to the system", there_and_back(2, TICKS)),
        sums("buffers", convolve.clone()),
        sums(
            "buffers without a limit",
            convolve.replace(
                "parameters: {device_memory_initial_size: 32B, device_memory_max_size: 64MB}",
                "parameters: {device_memory_initial_size: 32B, device_memory_max_size: 64GB, \
                 release_threshold: 64KB}",
            ),
        ),
        // RMM
        product("RMM, synchronised", RMM, "sync", &[]),
        product("RMM, awaited", RMM, "term", &[]),
        product(
            "RMM for host memory, too",
            RMM,
            "sync",
            &[(&format!("name: pool, {host_pool}"), &format!("name: pool, {RMM}"))],
        ),
        // NPP
        pictures("pictures", [BLOCKS, BLOCKS], &[7], &[]),
        pictures("pictures times a colour", [BLOCKS, ORDERED], &[10, 20, 30], &[2]),
        pictures("pictures times colours", [ORDERED, UNBOUNDED], &[1, 2, 3, 4], &[3, 5]),
        // Stream
        pairs("a stream sync, block pools", stream_sync("sync", BLOCKS, TICKS)),
        pairs("a stream sync, block pools, awaited", stream_sync("term", BLOCKS, TICKS)),
        pairs("a stream sync, unbounded", stream_sync("sync", UNBOUNDED, TICKS)),
        pairs("a stream sync, stream-ordered", stream_sync("term", ORDERED, TICKS)),
    ]
}

/// The schedulers; the static one needs a schedule.
const NAMES: [&str; 5] = ["greedy", "multithread", "event", "actor", "static"];

/// A run of a shape.
fn runs(shape: &Shape, kind: &str, mode: &str) -> (Ended, Report) {
    let of = |scheduler: &str| {
        let known = SCHEDULERS.iter().find(|(name, _)| *name == scheduler);
        known.map_or("type: gxe::ActorScheduler, parameters: {clock: clock, threads: 2}", |it| it.1)
    };
    let planned = kind == "static";
    let app = shape.app.clone() + &scheduler(of(if planned { "greedy" } else { kind }));
    let gxe = with_stand_in(&app, mode).file("manifest.yaml", MANIFEST);
    if !planned {
        return run(gxe);
    }
    let gxe = gxe.file("run.json", r#"{"entities": []}"#);
    let folder = gxe.folder();
    let made = Gxe::in_folder(&folder)
        .args("schedule --app app.yaml --manifest manifest.yaml --statistics run.json -o plan --cpus 2")
        .run();
    assert_eq!(made.status, Some(0), "{}\n{}", shape.name, made.stderr);
    let text = std::fs::read_to_string(folder.join("plan/app.yaml")).expect("an app");
    assert!(text.contains("gxe::StaticScheduler"), "{text}");
    std::fs::copy(folder.join("plan/schedule.stm"), folder.join("schedule.stm")).expect("a file");
    run(gxe.file("app.yaml", &text))
}

#[test]
fn every_shape_of_gxf_gives_the_results_of_the_host() {
    let shapes = shapes();
    assert_eq!(shapes.len(), 27);
    for (index, shape) in shapes.iter().enumerate() {
        for (place, kind) in NAMES.into_iter().enumerate() {
            for (order, mode) in MODES.into_iter().enumerate() {
                let is_chosen = [0, 7]
                    .map(|step| index + step)
                    .into_iter()
                    .any(|number| number % NAMES.len() == place && number % MODES.len() == order);
                if !is_chosen && !is_thorough() {
                    continue;
                }
                let (ended, report) = runs(shape, kind, mode);
                let (text, count) = shape.says;
                let name = shape.name;
                assert_eq!(ended.status, Some(0), "{name}, {kind}, {mode}\n{}", ended.stderr);
                assert_eq!(ended.count(text), count, "{name}, {kind}, {mode}\n{}", ended.stdout);
                report.nothing_is_left();
                assert!(
                    is_on_gpu()
                        || report.get("call cuMemHostAlloc") > 0
                        || report.get("kernels") > 0
                );
            }
        }
    }
}
