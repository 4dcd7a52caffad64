//! What `--trace`, `--statistics`, `gxe inspect cuda` and `gxe check` say of devices.

use crate::cuda::{MESSAGE, POOLS, ROOM, RX, TX, connected, dot_product, entity, scheduler};
use gxe_tests::Gxe;
use gxe_tests::cuda::{Report, SCHEDULERS, is_on_gpu, modes, run, with_driver, with_stand_in};
use gxe_tests::trace::Trace;
use serde_json::Value;

/// Statistics count the work, a trace has a track for each stream, and neither leaves an event.
#[test]
fn the_work_of_streams_is_seen() {
    const TICKS: u64 = 12;
    for (_, kind) in SCHEDULERS {
        for mode in modes() {
            let app = dot_product(POOLS[0], "term", TICKS as u32) + &scheduler(kind);
            let gxe = with_stand_in(&app, mode).args("--statistics=run.json --trace run.trace");
            let [statistics, trace] = ["run.json", "run.trace"].map(|name| gxe.folder().join(name));
            let report = gxe.folder().join("report");
            let text = |path| std::fs::read_to_string(path).unwrap_or_default();
            let (ended, [statistics, trace, report]) =
                gxe.spawn().end_with(|| [statistics, trace, report].map(text));
            let ended = ended.clean();
            let rows =
                |word: &str| ended.stdout.lines().filter(|line| line.starts_with(word)).count();
            assert_eq!((rows("CUDA "), rows("device 0, stream 1 ")), (1, 1), "{}", ended.stdout);
            let statistics: Value = serde_json::from_str(&statistics).expect("JSON");
            let streams = statistics["cuda_streams"].as_array().expect("a list");
            let sum = |key: &str| -> u64 {
                streams.iter().map(|stream| stream[key].as_u64().expect(key)).sum()
            };
            // Two copies there, kernels, and a copy back.
            assert_eq!(sum("works"), 4 * TICKS, "{mode} {streams:?}");
            assert_eq!(sum("to_host_bytes"), 4 * TICKS, "{mode}");
            assert_eq!(sum("to_device_bytes"), 2 * 4096 * TICKS, "{mode}");
            assert!(sum("busy_ns") > 0, "{streams:?}");
            let trace = Trace::read(&trace);
            let tracks = &trace.groups["CUDA"];
            assert_eq!(tracks.len(), streams.len(), "{mode}");
            for (track, slices) in tracks {
                assert!(track.starts_with("device 0, stream "), "{track}");
                for pair in slices.windows(2) {
                    // A bar of a trace is never shorter than a nanosecond.
                    let is_empty = pair.iter().any(|slice| slice.end - slice.begin <= 1);
                    assert!(is_empty || pair[0].end <= pair[1].begin, "{mode} {track} {pair:?}");
                }
            }
            for (name, works) in [("generator", 2), ("dot", 1), ("to_host", 1)] {
                let of_entity = tracks.values().flatten().filter(|slice| slice.name == name);
                assert_eq!(of_entity.count() as u64, works * TICKS, "{mode} {name}");
            }
            if !is_on_gpu() {
                let left = |line: &&str| line.starts_with("left") && !line.ends_with(" 0");
                let left: Vec<_> = report.lines().filter(left).collect();
                assert!(left.is_empty() && !report.is_empty(), "{mode} {left:?}");
            }
        }
    }
}

/// Without statistics and without a trace no event has times, and no stream exists to compare clocks.
#[test]
fn work_that_nobody_watches_is_not_measured() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver counts no calls");
        return;
    }
    let app = dot_product(POOLS[0], "term", 5) + &scheduler(SCHEDULERS[0].1);
    let (ended, plain) = run(with_stand_in(&app, "lazy"));
    _ = ended.clean();
    let (ended, watched) = run(with_stand_in(&app, "lazy").args("--statistics"));
    _ = ended.clean();
    assert_eq!(plain.get("call cuEventElapsedTime"), 0);
    assert_eq!(watched.get("call cuEventElapsedTime"), 2 * 4 * 5);
    let synchronised = |report: &Report| report.get("call cuStreamSynchronize");
    assert_eq!(synchronised(&plain), 0);
}

/// `gxe check` needs neither a GPU nor a driver.
#[test]
fn check_finds_small_pools_and_device_tensors_that_the_cpu_reads() {
    let check = |app: &str| {
        let manifest = "extensions: [libgxf_test.so, libgxf_cuda.so, libgxf_rmm.so, libgxf_npp.so, \
                        libgxf_test_cuda.so, libgxe_view.so]\n";
        let gxe = Gxe::alone().file("app.yaml", app).file("manifest.yaml", manifest);
        let ended = gxe.args("check --app app.yaml --manifest manifest.yaml").run();
        ended.with_status(0).stdout
    };
    for pool in POOLS {
        let app = dot_product(pool, "term", 2) + &scheduler(SCHEDULERS[0].1);
        assert_eq!(check(&app), "nothing found\n", "{pool}");
    }
    let set = |name: &str, pool: &str| {
        entity(
            name,
            &[
                &format!("name: out, {TX}"),
                &format!(
                    "type: nvidia::gxf::NppiSet, parameters: {{rows: 4, columns: 4, channels: 3, \
                     value: [1, 2, 3], pool: {pool}, out: out}}"
                ),
                &format!("{ROOM}out}}"),
                "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}",
            ],
        )
    };
    let pictures = |copier: bool| {
        let [rx, tx] = [format!("name: in, {RX}"), format!("name: out, {TX}")];
        let [message, room] = [format!("{MESSAGE}in}}"), format!("{ROOM}out}}")];
        let between = [
            rx.as_str(),
            &tx,
            "name: pool, type: nvidia::gxf::UnboundedAllocator",
            if copier {
                "type: nvidia::gxf::TensorCopier, parameters: {receiver: in, transmitter: out, \
                 allocator: pool, mode: 1}"
            } else {
                "type: nvidia::gxf::Forward, parameters: {in: in, out: out}"
            },
            &message,
            &room,
        ];
        let sink = [
            rx.as_str(),
            "type: gxe::view::ImageSink, parameters: {input: in, path: '#.png'}",
            &message,
        ];
        [
            entity(
                "pools",
                &["name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: \
                               {storage_type: 1, block_size: 192, num_blocks: BLOCKS}"],
            ),
            set("one", "pools/pool"),
            set("two", "pools/pool"),
            entity("between", &between),
            entity("files", &sink),
            connected("one/out", "between/in"),
            connected("two/out", "between/in"),
            connected("between/out", "files/in"),
            scheduler(SCHEDULERS[0].1),
        ]
        .concat()
    };
    assert_eq!(check(&pictures(true).replace("BLOCKS", "2")), "nothing found\n");
    let found = check(&pictures(true).replace("BLOCKS", "1"));
    assert!(
        found.contains(
            "warning[pool-below-takers]: 2 codelets take blocks from `pools/pool`, which has 1 block: \
             the last ones find none while the others keep theirs"
        ) && found.contains("help: set `num_blocks` of `pools/pool` to at least 2"),
        "{found}"
    );
    let found = check(&pictures(false).replace("BLOCKS", "2"));
    assert!(
        found.contains(
            "warning[device-tensor-to-cpu]: `ImageSink` reads with the CPU what `one/NppiSet` sends to \
             `files/in`, and that lies on a device"
        ) && found.contains("help: put a nvidia::gxf::TensorCopier with `mode: 1` (host) between"),
        "{found}"
    );
    for reader in [
        "PrintTensor, parameters: {tensors: in}",
        "cuda::VerifyEqual, parameters: {rx0: in, rx1: in}",
    ] {
        let app = pictures(false).replace("BLOCKS", "2").replace(
            "gxe::view::ImageSink, parameters: {input: in, path: '#.png'}",
            &format!("nvidia::gxf::test::{reader}"),
        );
        let text = "reads with the CPU what `one/NppiSet` sends to `files/in`";
        assert!(check(&app).contains(text), "{reader}");
    }
    let forward = "type: nvidia::gxf::Forward, parameters: {in: in, out: out}";
    let sync = "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in, tx: out}";
    let behind_sync = pictures(false).replace("BLOCKS", "2").replace(forward, sync);
    assert!(check(&behind_sync).contains("warning[device-tensor-to-cpu]"));
    let multiply = "type: nvidia::gxf::NppiMulC, parameters: {in: in, out: out, factor: [1, 2, 3], \
                    pool: pools/pool}";
    let group = |number: usize, entities: &str| {
        let device = format!("type: nvidia::gxf::GPUDevice, parameters: {{dev_id: {number}}}");
        let group =
            format!("EntityGroups:\n- {{name: g{number}, target: [d{number}, {entities}]}}\n---\n");
        entity(&format!("d{number}"), &[&device]) + &group
    };
    let devices = pictures(false).replace("BLOCKS", "3").replace(forward, multiply)
        + &group(0, "pools, one, two")
        + &group(1, "between");
    let found = check(&devices);
    assert!(
        found.contains(
            "warning[tensor-on-other-device]: `NppiMulC` works on CUDA device 1, and what `one/NppiSet` \
             sends to `between/in` lies on device 0"
        ) && found.contains("a nvidia::gxf::TensorCopier with `mode: 0` and an allocator of device 1"),
        "{found}"
    );
    let streams = dot_product(POOLS[0], "term", 2) + &scheduler(SCHEDULERS[0].1);
    let second = streams.replace(
        "StreamTensorGenerator, parameters",
        "StreamTensorGenerator, \
                                  name: first, parameters",
    );
    let other = "- {type: nvidia::gxf::test::cuda::StreamTensorGenerator, parameters: {cuda_tx: cuda, \
                 host_tx: host, cuda_tensor_pool: pool, host_tensor_pool: host_pool, stream_pool: \
                 streams}}\n---\nname: dot\n";
    let second =
        second.replace("---\nname: dot\n", other).replace("{max_size: 2}", "{max_size: 1}");
    let found = check(&second);
    assert!(
        found.contains(
            "warning[pool-below-takers]: 2 codelets take streams from `generator/streams`, which has 1 \
             stream"
        ),
        "{found}"
    );
}

/// Neither a GPU nor a driver is needed to see that a pool cannot serve a codelet.
#[test]
fn check_finds_pools_that_cannot_serve_their_takers() {
    let manifest = "extensions: [libgxf_cuda.so, libgxf_rmm.so, libgxf_npp.so, libgxf_test.so]\n";
    let check = |pool: &str, taker: &str| {
        let parts = [
            format!("name: in, {RX}"),
            format!("name: out, {TX}"),
            format!("name: pool, type: nvidia::gxf::{pool}"),
            format!("type: nvidia::gxf::{taker}"),
        ];
        let app =
            entity("one", &parts.each_ref().map(String::as_str)) + &scheduler(SCHEDULERS[0].1);
        let gxe = Gxe::alone().file("app.yaml", &app).file("manifest.yaml", manifest);
        gxe.args("check --app app.yaml --manifest manifest.yaml").run().stdout
    };
    let blocks = |storage: i32, size: u64| {
        format!(
            "BlockMemoryPool, parameters: {{storage_type: {storage}, block_size: {size}, num_blocks: 2}}"
        )
    };
    let ordered = "StreamOrderedAllocator".to_owned();
    let set = "NppiSet, parameters: {rows: 5, columns: 7, channels: 3, value: [1, 2, 3], pool: pool, \
               out: out}";
    let copier = |mode: i32| {
        format!(
            "TensorCopier, parameters: {{receiver: in, transmitter: out, allocator: pool, mode: {mode}}}"
        )
    };
    for (pool, taker, text, help) in [
        (
            blocks(2, 4096),
            set.to_owned(),
            "`NppiSet` takes device memory from `one/pool`, which has system memory only",
            "set `storage_type` of `one/pool` to 1 (device)",
        ),
        (
            blocks(1, 16),
            set.to_owned(),
            "`NppiSet` takes 420 bytes at a time from `one/pool`, whose blocks have 16",
            "set `block_size` of `one/pool` to at least 420",
        ),
        (
            blocks(1, 4096),
            copier(1),
            "`TensorCopier` takes host memory from `one/pool`, which has device memory only",
            "set `storage_type` of `one/pool` to 0 (host)",
        ),
        (
            ordered.clone(),
            copier(2),
            "`TensorCopier` takes system memory from `one/pool`, which has device memory only",
            "name an allocator with system memory in `allocator`",
        ),
    ] {
        let found = check(&pool, &taker);
        assert!(found.contains(&format!("warning[unfit-pool]: {text}: its tick fails")), "{found}");
        assert!(found.contains(&format!("help: {help}")), "{found}");
    }
    for (pool, taker) in [
        (blocks(1, 420), set.to_owned()),
        (ordered, copier(0)),
        ("UnboundedAllocator".to_owned(), copier(2)),
        ("RMMAllocator".to_owned(), copier(1)),
    ] {
        assert!(!check(&pool, &taker).contains("unfit-pool"), "{pool} {taker}");
    }
}

/// An app that asks for nothing of CUDA opens no driver.
#[test]
fn the_driver_stays_closed_where_nothing_asks_for_it() {
    let app = entity(
        "ping",
        &[
            &format!("name: out, {TX}"),
            "type: nvidia::gxf::test::StepCount, parameters: {expected_count: 3}",
            "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}",
        ],
    ) + &scheduler(SCHEDULERS[0].1);
    let (ended, report) = run(with_stand_in(&app, "eager"));
    _ = ended.clean();
    assert_eq!(report.get("calls"), 0);
}

#[test]
fn the_driver_and_its_devices_are_described() {
    if is_on_gpu() {
        eprintln!("skipped: this GPU has another name");
        return;
    }
    let inspect = |format: &str| {
        let gxe = Gxe::alone().args("inspect cuda --format").args(format);
        let folder = gxe.folder();
        run(with_driver(gxe, &folder, "eager").env("CUDA_STAND_IN_DEVICES", "2")).0.clean().stdout
    };
    assert_eq!(
        inspect("table"),
        "CUDA: a driver for 12.5\n\
         device 0: Stand-in 0, compute capability 9.0, 132 multiprocessors, 1024 MiB\n\
         device 1: Stand-in 1, compute capability 9.0, 132 multiprocessors, 1024 MiB\n\
         cuStreamGetId: yes\n\
         cuDeviceGetDevResource: yes\n\
         cuDevResourceGenerateDesc: yes\n\
         cuDevSmResourceSplitByCount: yes\n\
         cuGreenCtxCreate: yes\n\
         cuGreenCtxDestroy: yes\n\
         cuGreenCtxStreamCreate: yes\ncuStreamGetCtx_v2: yes\n"
    );
    assert!(inspect("json").contains("\"cuStreamGetId\": true"));
    let ended = Gxe::alone().args("inspect cuda").env("LD_LIBRARY_PATH", "").run();
    assert!(ended.stdout.starts_with("CUDA: there is no CUDA driver (libcuda.so.1: "));
}
