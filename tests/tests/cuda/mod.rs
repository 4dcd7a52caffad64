//! CUDA: memory, streams, fences and terms, on a driver that needs no GPU (`tests/cuda_stand_in`) or, in
//! `make test-gpu`, on the machine's own. The graphs have the shapes of GXF's own tests of its CUDA
//! extension.

mod copies;
mod submissions;
mod waits;

pub(crate) use copies::there_and_back;
use gxe_tests::build::{library, program};
use gxe_tests::cuda::{MODES, Report, SCHEDULERS, is_on_gpu, modes, run, with_stand_in};
use std::process::Command;

/// An entity.
pub(crate) fn entity(name: &str, components: &[&str]) -> String {
    let components: String = components.iter().map(|it| format!("- {{{it}}}\n")).collect();
    format!("---\nname: {name}\ncomponents:\n{components}")
}

/// A connection between two entities' components.
pub(crate) fn connected(source: &str, target: &str) -> String {
    let name = format!("{source}_{target}").replace('/', "_");
    entity(
        &format!("connection_{name}"),
        &[&format!(
            "type: nvidia::gxf::Connection, parameters: {{source: {source}, target: {target}}}"
        )],
    )
}

pub(crate) fn scheduler(scheduler: &str) -> String {
    entity("scheduler", &["name: clock, type: nvidia::gxf::RealtimeClock", scheduler])
}

pub(crate) const TX: &str = "type: nvidia::gxf::DoubleBufferTransmitter";
pub(crate) const RX: &str = "type: nvidia::gxf::DoubleBufferReceiver";
pub(crate) const ROOM: &str =
    "type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {min_size: 1, transmitter: ";
pub(crate) const MESSAGE: &str =
    "type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {min_size: 1, receiver: ";

/// An entity with a receiver, a transmitter and a pool, whose codelet waits for a message and for room.
pub(crate) fn stage(name: &str, codelet: &str, pool: &str) -> String {
    entity(
        name,
        &[
            &format!("name: in, {RX}"),
            &format!("name: out, {TX}"),
            &format!("name: pool, {pool}"),
            codelet,
            &format!("{MESSAGE}in}}"),
            &format!("{ROOM}out}}"),
        ],
    )
}

/// How device memory is allocated.
pub(crate) const POOLS: [&str; 4] = [
    "type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, block_size: 4096, num_blocks: 16}",
    "type: nvidia::gxf::UnboundedAllocator",
    "type: nvidia::gxf::StreamOrderedAllocator, parameters: {device_memory_initial_size: 32KB, \
     device_max_memory_pool_size: 64MB}",
    RMM,
];

/// Ordered memory of the device and of the host.
pub(crate) const RMM: &str = "type: nvidia::gxf::RMMAllocator, parameters: \
                              {device_memory_initial_size: 32KB, device_memory_max_size: 64MB, \
                              host_memory_initial_size: 32KB, host_memory_max_size: 64MB}";

/// Tensors to the device, multiplied there, back to the host, and compared with the product of the
/// host. `wait` is how the comparison waits for the stream.
pub(crate) fn dot_product(pool: &str, wait: &str, ticks: u32) -> String {
    let generator = entity(
        "generator",
        &[
            &format!("name: cuda, {TX}"),
            &format!("name: host, {TX}"),
            &format!("name: pool, {pool}"),
            "name: host_pool, type: nvidia::gxf::BlockMemoryPool, \
             parameters: {storage_type: 0, block_size: 4096, num_blocks: 64}",
            "name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {max_size: 2}",
            "type: nvidia::gxf::test::cuda::StreamTensorGenerator, parameters: {cuda_tx: cuda, \
             host_tx: host, cuda_tensor_pool: pool, host_tensor_pool: host_pool, stream_pool: streams}",
            &format!("{ROOM}cuda}}"),
            &format!("{ROOM}host}}"),
            &format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}"),
        ],
    );
    let of_test = |name: &str, codelet: &str, pool: &str| {
        let codelet = format!(
            "type: nvidia::gxf::test::cuda::{codelet}, \
             parameters: {{rx: in, tx: out, tensor_pool: pool}}"
        );
        stage(name, &codelet, pool)
    };
    let host_pool = "type: nvidia::gxf::UnboundedAllocator";
    let (sync, term, source) = match wait {
        "sync" => (
            entity(
                "sync",
                &[
                    &format!("name: in, {RX}"),
                    &format!("name: out, {TX}"),
                    "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in, tx: out}",
                    &format!("{MESSAGE}in}}"),
                    &format!("{ROOM}out}}"),
                ],
            ) + &connected("to_host/out", "sync/in"),
            String::new(),
            "sync/out",
        ),
        _ => (
            String::new(),
            "type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: rx0}".to_owned(),
            "to_host/out",
        ),
    };
    let mut verify = vec![
        format!("name: rx0, {RX}"),
        format!("name: rx1, {RX}"),
        "type: nvidia::gxf::test::cuda::VerifyEqual, parameters: {rx0: rx0, rx1: rx1}".to_owned(),
        format!("{MESSAGE}rx0}}"),
        format!("{MESSAGE}rx1}}"),
        format!("type: nvidia::gxf::test::StepCount, parameters: {{expected_count: {ticks}}}"),
    ];
    verify.extend(Some(term).filter(|term| !term.is_empty()));
    let verify: Vec<&str> = verify.iter().map(String::as_str).collect();
    [
        generator,
        of_test("dot", "CublasDotProduct", pool),
        of_test("to_host", "MemCpy2Host", host_pool),
        of_test("host_dot", "HostDotProduct", host_pool),
        sync,
        entity("verify", &verify),
        connected("generator/cuda", "dot/in"),
        connected("generator/host", "host_dot/in"),
        connected("dot/out", "to_host/in"),
        connected(source, "verify/rx0"),
        connected("host_dot/out", "verify/rx1"),
    ]
    .concat()
}

/// The app, whose terms poll the device.
pub(crate) fn polling(app: &str) -> String {
    let is_term = |line: &str| {
        line.contains("nvidia::gxf::Cuda") && line.contains("SchedulingTerm, parameters: {")
    };
    assert!(app.lines().any(is_term), "{app}");
    let polling = |line: &str| match is_term(line) {
        true => line.replace("parameters: {", "parameters: {latency: low, ") + "\n",
        false => line.to_owned() + "\n",
    };
    app.lines().map(polling).collect()
}

#[test]
fn tensors_are_multiplied_on_the_device_under_every_scheduler() {
    for (_, kind) in SCHEDULERS {
        for (index, mode) in MODES.into_iter().enumerate() {
            for wait in ["sync", "term", "polling term"] {
                let pool = POOLS[index % POOLS.len()];
                let app = match wait {
                    "polling term" => polling(&dot_product(pool, "term", 20)),
                    _ => dot_product(pool, wait, 20),
                };
                let app = app + &scheduler(kind);
                let (ended, report) = run(with_stand_in(&app, mode));
                let ended = ended.clean();
                assert_eq!(
                    ended.count("20 pairs were equal"),
                    1,
                    "{mode} {wait}\n{}",
                    ended.stdout
                );
                report.nothing_is_left();
                if !is_on_gpu() {
                    assert_eq!(report.get("kernels"), 40);
                    // The context stays current on a thread, so nobody goes back from it.
                    assert_eq!(report.get("call cuCtxPopCurrent_v2"), 0);
                }
            }
        }
    }
}

/// Activation after activation in one process, with memory of every allocator, and with CUDA graphs:
/// nothing of the device is left, and neither descriptors nor memory grow.
#[test]
fn many_activations_leave_nothing() {
    let count = if gxe_tests::is_thorough() { 1000 } else { 200 };
    let every = dot_product(RMM, "term", 2);
    let documents = every.split("---\n").map(|document| match document {
        _ if document.starts_with("name: dot\n") => document.replace(RMM, POOLS[2]),
        _ if document.starts_with("name: to_host\n") => document.replace(POOLS[1], RMM),
        _ => document.to_owned(),
    });
    let every = documents.collect::<Vec<_>>().join("---\n");
    for pool in [RMM, POOLS[1], POOLS[2], "nvidia::gxf::BlockMemoryPool"] {
        assert!(every.contains(pool), "{pool}");
    }
    let graphs = crate::cuda_graphs::multiples("Nothing", POOLS[0], 10);
    for (app, option) in [(every, ""), (graphs, "graphs")] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let in_folder = |name: &str| folder.path().join(name);
        std::fs::write(in_folder("app.yaml"), app + &scheduler(SCHEDULERS[1].1)).expect("a file");
        let libraries = ["gxf_test", "gxf_cuda", "gxf_rmm", "gxf_test_cuda"].map(library);
        let lines: Vec<_> =
            libraries.iter().map(|path| format!("- {}\n", path.display())).collect();
        let manifest = format!("extensions:\n{}", lines.concat());
        std::fs::write(in_folder("manifest.yaml"), manifest).expect("a file");
        let mut command = Command::new(program("activations"));
        command.current_dir(folder.path()).args(["manifest.yaml", "app.yaml", &count.to_string()]);
        command.args(Some(option).filter(|option| !option.is_empty()));
        if !is_on_gpu() {
            std::fs::copy(library("cuda_stand_in"), in_folder("libcuda.so.1")).expect("a copy");
            command.env("LD_LIBRARY_PATH", folder.path()).env("CUDA_STAND_IN_MODE", "random:5");
            command.env("CUDA_STAND_IN_REPORT", in_folder("report"));
        }
        let ended = command.output().expect("it starts");
        let said = String::from_utf8_lossy(&ended.stdout);
        // A codelet that did not tick as often as it should, or found another product, fails the run.
        assert!(ended.status.success(), "{said}\n{}", String::from_utf8_lossy(&ended.stderr));
        let results = said.lines().filter_map(|line| line.strip_prefix("RESULT "));
        let numbers: Vec<Vec<i64>> = results
            .map(|line| line.split(' ').map(|word| word.parse().unwrap()).collect())
            .collect();
        let [early, late] = &numbers[..] else { panic!("{said}") };
        assert!(late[0] <= early[0], "descriptors: {numbers:?}");
        assert!(early[1] > 0, "memory in KiB: {numbers:?}");
        // A thousand activations that leave a page each would be as much.
        assert!(late[1] < early[1] + 4096, "memory in KiB: {numbers:?}");
        if !is_on_gpu() {
            let report = std::fs::read_to_string(in_folder("report")).expect("a report");
            let report = Report::parse(&report);
            assert!(report.get("calls") > 0, "{report:?}");
            report.nothing_is_left();
            assert_eq!(report.get("call cuGraphLaunch") > 0, option == "graphs", "{report:?}");
        }
    }
}

/// The streams of the products come from a partition of the device.
pub(crate) fn on_part(pool: &str, part: &str, ticks: u32) -> String {
    let streams = "name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {max_size: 2}";
    let app = dot_product(POOLS[2], "term", ticks) + &scheduler(SCHEDULERS[0].1);
    let green = format!(
        "name: parts, type: nvidia::gxf::CudaGreenContextPool, parameters: {{{pool}}}}}\n- {{name: \
         part, type: nvidia::gxf::CudaGreenContext, parameters: {{cuda_green_context_pool: \
         parts{part}}}}}\n- {{{}, cuda_green_context: part}}",
        streams.trim_end_matches('}')
    );
    assert!(app.contains(streams));
    app.replace(streams, &green)
}

#[test]
fn work_on_a_green_context_runs_on_its_multiprocessors() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not say where kernels ran");
        return;
    }
    for (pool, part, size) in [
        ("sms_per_partition: [8]", ", index: 0", 8),
        ("sms_per_partition: [1], min_sm_size: 1", ", index: 0", 8),
        ("sms_per_partition: [8]", "", 124),
        ("sms_per_partition: [8], default_context_index: 0", "", 8),
        ("sms_per_partition: [24, 24]", ", index: 1", 24),
        ("sms_per_partition: [24, 16]", ", index: 1", 16),
        ("sms_per_partition: [24, 16]", ", index: 2", 92),
        ("num_partitions: 2", ", index: 1, nvtx_identifier: part", 64),
        // 33 each would be 40.
        ("num_partitions: 4", "", 32),
        ("num_partitions: 1", "", 132),
        ("", "", 132),
    ] {
        for mode in modes() {
            let (ended, report) = run(with_stand_in(&on_part(pool, part, 3), mode));
            let ended = ended.clean();
            assert_eq!(ended.count("3 pairs were equal"), 1, "{pool} {part}\n{}", ended.stdout);
            assert_eq!(report.get(&format!("kernels on {size}")), 6, "{pool} {part} {report:?}");
            // What is left is divided again only where sizes differ.
            let splits = report.get("call cuDevSmResourceSplitByCount");
            assert!(
                pool.contains("[24, 16]") == (splits == 2) || pool.contains("num"),
                "{report:?}"
            );
            report.nothing_is_left();
        }
    }
    for (pool, part, status, text) in [
        (
            "sms_per_partition: [97, 30]",
            "",
            4,
            "`sms_per_partition`: partitions of [97, 30] multiprocessors, at least 2 each, do not fit the \
             132 of device 0: 28 are left for the one of 30",
        ),
        (
            "sms_per_partition: [41, 41, 41]",
            "",
            4,
            "do not fit the 132 of device 0: 36 are left for the one of 41",
        ),
        (
            "sms_per_partition: [8]",
            ", index: 2",
            4,
            "`index`: there is no partition 2; there are 2",
        ),
        (
            "num_partitions: 67",
            "",
            4,
            "`num_partitions` is 67, with at least 2 multiprocessors each (`min_sm_size`), and device 0 has \
             132",
        ),
        (
            "num_partitions: 2, min_sm_size: 67",
            "",
            4,
            "`num_partitions` is 2, with at least 67 multiprocessors each (`min_sm_size`), and device 0 has \
             132",
        ),
        (
            "num_partitions: 17, min_sm_count: 1",
            "",
            4,
            "and device 0 has 132, which the driver does not divide into so many",
        ),
        ("num_partitions: 4294967295", "", 4, "`num_partitions` is 4294967295, with at least 2"),
        ("min_sm_size: 133", "", 4, "with at least 133 multiprocessors each (`min_sm_size`)"),
        (
            "default_context_index: 0, default_context: 0",
            "",
            4,
            "`default_context` and `default_context_index` mean the same; set one of them",
        ),
        (
            "min_sm_size: 1, min_sm_count: 1",
            "",
            4,
            "`min_sm_count` and `min_sm_size` mean the same; set one of them",
        ),
        (
            "num_partitions: 2, sms_per_partition: [8]",
            "",
            4,
            "`num_partitions` is 2, and `sms_per_partition` has 1 sizes",
        ),
        ("flags: 8", "", 4, "no flags of green contexts are known"),
    ] {
        let (ended, _) = run(with_stand_in(&on_part(pool, part, 3), "eager"));
        ended.with_status(status).complains(text);
    }
    // The text of a long list is bounded.
    let sizes = format!("sms_per_partition: {:?}", [1; 1000]);
    let (ended, _) = run(with_stand_in(&on_part(&sizes, "", 3), "eager"));
    ended.with_status(4).complains("1, 1] and 984 more multiprocessors");
    // The pool of partitions may come after what uses it: the error names the component that is wrong.
    let app = on_part("sms_per_partition: [8]", ", index: 7", 3);
    let (start, rest) = app.split_once("- {name: parts,").expect("the pool");
    let (pool, rest) = rest.split_once('\n').expect("its end");
    let (between, rest) = rest.split_once("- {type: nvidia::gxf::Count").expect("a term");
    let late =
        format!("{start}{between}- {{name: parts,{pool}\n- {{type: nvidia::gxf::Count{rest}");
    let (ended, _) = run(with_stand_in(&late, "eager"));
    ended.with_status(5).complains(
        "the CudaStreamPool `streams` of entity `generator`: the CudaGreenContext `part` of entity \
         `generator`: `index`: there is no partition 7; there are 2",
    );
    let app = on_part("sms_per_partition: [8], dev_id: 1", "", 3);
    let gxe = with_stand_in(&app, "eager").env("CUDA_STAND_IN_DEVICES", "2");
    let (ended, _) = run(gxe);
    let ended = ended.with_status(4);
    ended.complains("component `streams` of type nvidia::gxf::CudaStreamPool");
    ended.complains(
        "`cuda_green_context`: the streams are for device 0, and the partition is of device 1",
    );
    // Each call may fail.
    for function in [
        "cuDeviceGetDevResource",
        "cuDevSmResourceSplitByCount",
        "cuDevResourceGenerateDesc",
        "cuGreenCtxCreate",
        "cuGreenCtxStreamCreate",
    ] {
        let gxe = with_stand_in(&on_part("sms_per_partition: [8]", "", 3), "lazy");
        let (ended, report) = run(gxe.env("CUDA_STAND_IN_FAIL", &format!("{function}:1=2")));
        assert_ne!(ended.status, Some(0), "{function}");
        ended.complains(&format!("{function} answers CUDA_ERROR_OUT_OF_MEMORY (2)"));
        report.nothing_is_left();
    }
    // A driver need not divide what is left.
    let gxe = with_stand_in(&on_part("sms_per_partition: [24, 16]", "", 3), "lazy");
    let (ended, report) = run(gxe.env("CUDA_STAND_IN_FAIL", "cuDevSmResourceSplitByCount:2=914"));
    ended.with_status(4).complains(
        "cuDevSmResourceSplitByCount answers CUDA_ERROR_INVALID_RESOURCE_TYPE (914): it does not divide what \
         is left after a partition; give all partitions the same size",
    );
    report.nothing_is_left();
}

/// [`dot_product`] with a term that waits for the event of a message before the product.
pub(crate) fn with_event(app: &str) -> String {
    let waiting = "- {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n\
         - {type: nvidia::gxf::CudaEventSchedulingTerm, parameters: {receiver: in, event_name: event}}";
    let app = app.replacen(
        "name: dot\ncomponents:\n- {name: in, type: nvidia::gxf::DoubleBufferReceiver}",
        &format!("name: dot\ncomponents:\n{waiting}"),
        1,
    );
    assert!(app.contains("CudaEventSchedulingTerm"));
    app
}

/// Buffers of ones, convolved with ones, and added up on the host.
pub(crate) fn buffers(ticks: u32) -> String {
    let allocator = "name: pool, type: nvidia::gxf::StreamOrderedAllocator, \
                     parameters: {device_memory_initial_size: 32B, device_memory_max_size: 64MB}";
    [
        entity(
            "generator",
            &[
                &format!("name: out, {TX}"),
                allocator,
                "name: streams, type: nvidia::gxf::CudaStreamPool",
                "type: nvidia::gxf::test::cuda::CudaAsyncBufferGenerator, \
                 parameters: {signal: out, allocator: pool, stream_pool: streams, size: 4096}",
                &format!("{ROOM}out}}"),
                &format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}"),
            ],
        ),
        entity(
            "convolve",
            &[
                &format!("name: in, {RX}"),
                &format!("name: out, {TX}"),
                allocator,
                "type: nvidia::gxf::test::cuda::Convolve2D, parameters: {input: in, output: out, \
                 allocator: pool, kernel: [[1, 1, 1], [1, 1, 1], [1, 1, 1]]}",
                "type: nvidia::gxf::CudaBufferAvailableSchedulingTerm, parameters: {receiver: in}",
                &format!("{ROOM}out}}"),
            ],
        ),
        entity(
            "rx",
            &[
                &format!("name: in, {RX}"),
                "type: nvidia::gxf::test::cuda::CudaBufferRx, parameters: {signal: in}",
                "type: nvidia::gxf::CudaBufferAvailableSchedulingTerm, parameters: {receiver: in}",
            ],
        ),
        connected("generator/out", "convolve/in"),
        connected("convolve/out", "rx/in"),
    ]
    .concat()
}

#[test]
fn buffers_are_awaited_and_convolved() {
    for (_, kind) in SCHEDULERS {
        for mode in modes() {
            let (ended, report) = run(with_stand_in(&(buffers(10) + &scheduler(kind)), mode));
            // 32 × 32 ones; each pixel adds up its neighbours: (3 · 32 − 2)².
            let sums = "buffer of 4096 bytes, sum 8836";
            let ended = ended.clean();
            assert_eq!(ended.count(sums), 10, "{mode}\n{}", ended.stdout);
            report.nothing_is_left();
        }
    }
}

/// An RMMAllocator with room for one buffer lets its entity wait until the buffer is back.
#[test]
fn an_entity_waits_for_memory_of_an_rmm_allocator() {
    let ordered = "type: nvidia::gxf::StreamOrderedAllocator, parameters: \
                   {device_memory_initial_size: 32B, device_memory_max_size: 64MB}";
    let one = "type: nvidia::gxf::RMMAllocator, parameters: {device_memory_initial_size: 4KB, \
               device_memory_max_size: 4096B, host_memory_initial_size: 32B}}\n\
               - {type: nvidia::gxf::MemoryAvailableSchedulingTerm, parameters: {allocator: pool, \
               min_bytes: 4096}";
    // There is room for messages when there is none for buffers.
    let queue = format!("name: convolve\ncomponents:\n- {{name: in, {RX}");
    let app = buffers(5);
    assert!(app.contains(ordered) && app.contains(&queue), "{app}");
    let app = app.replace(&queue, &format!("{queue}, parameters: {{capacity: 2}}"));
    let app = app.replacen(ordered, one, 1) + &scheduler(SCHEDULERS[1].1);
    for mode in modes() {
        let (ended, report) = run(with_stand_in(&app, mode).env("CUDA_STAND_IN_SLOW", "20"));
        let ended = ended.clean();
        assert_eq!(ended.count("buffer of 4096 bytes, sum 8836"), 5, "{mode}\n{}", ended.stdout);
        report.nothing_is_left();
    }
}

/// Frames that are larger than what an UnboundedAllocator keeps of other memory take no memory from the
/// driver and give none back once as many as are in use at a time are there.
#[test]
fn large_frames_are_kept_on_the_device() {
    let app = [
        entity(
            "set",
            &[
                &format!("name: out, {TX}"),
                "name: pool, type: nvidia::gxf::UnboundedAllocator",
                "type: nvidia::gxf::NppiSet, parameters: {rows: 4200, columns: 4200, channels: 1, value: \
                 [1], pool: pool, out: out}",
                &format!("{ROOM}out}}"),
                "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 6}",
            ],
        ),
        entity(
            "sync",
            &[
                &format!("name: in, {RX}"),
                "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in}",
                &format!("{MESSAGE}in}}"),
            ],
        ),
        connected("set/out", "sync/in"),
        scheduler(SCHEDULERS[0].1),
    ]
    .concat();
    let manifest = "extensions:\n- libgxf_cuda.so\n- libgxf_npp.so\n";
    let (ended, report) = run(with_stand_in(&app, "lazy").file("manifest.yaml", manifest));
    _ = ended.clean();
    report.nothing_is_left();
    if !is_on_gpu() {
        assert_eq!(report.get("kernels"), 6);
        assert!(report.get("call cuMemFree_v2") <= 2, "{report:?}");
    }
}

/// The driver gets the number of queues that the user wants, or all.
#[test]
fn the_driver_is_asked_for_all_queues() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not say what it was asked for");
        return;
    }
    let app = dot_product(POOLS[0], "term", 1) + &scheduler(SCHEDULERS[0].1);
    let (ended, report) = run(with_stand_in(&app, "eager"));
    _ = ended.clean();
    assert_eq!(report.get("connections"), 32);
    let gxe = with_stand_in(&app, "eager").env("CUDA_DEVICE_MAX_CONNECTIONS", "4");
    assert_eq!(run(gxe).1.get("connections"), 4);
}

/// Memory that goes from stream to stream without a message, and the only block of a pool.
#[test]
fn memory_goes_from_stream_to_stream() {
    for pool in POOLS {
        for mode in modes() {
            let pool = pool.replace("num_blocks: 16", "num_blocks: 1");
            let app = entity(
                "streams",
                &[
                    &format!("name: pool, {pool}"),
                    "type: gxe::test::cuda::TwoStreams, parameters: {tensor_pool: pool}",
                    "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 20}",
                    "type: nvidia::gxf::test::StepCount, parameters: {expected_count: 20}",
                ],
            );
            let (ended, report) = run(with_stand_in(&(app + &scheduler(SCHEDULERS[0].1)), mode));
            assert_eq!(ended.status, Some(0), "{pool} {mode}\n{}", ended.stderr);
            report.nothing_is_left();
        }
    }
}

/// The graph of GXF's stream extension: a StreamSync orders the work of two streams.
pub(crate) fn stream_sync(wait: &str, pool: &str, ticks: u32) -> String {
    let mut app = dot_product(pool, wait, ticks);
    for codelet in [
        "StreamTensorGenerator",
        "CublasDotProduct",
        "HostDotProduct",
        "MemCpy2Host",
        "VerifyEqual",
    ] {
        let before = format!("gxf::test::cuda::{codelet},");
        let after = format!("gxf::stream::test::{codelet}New,");
        assert!(app.contains(&before), "{before}");
        app = app.replace(&before, &after);
    }
    app.replace("parameters: {cuda_tx", "parameters: {stream_sync: order, cuda_tx").replace(
        "- {name: streams, ",
        "- {name: order, type: nvidia::gxf::StreamSync}\n- {name: streams, ",
    )
}

#[test]
fn a_stream_sync_orders_two_streams() {
    let manifest = "extensions:\n- libgxf_test.so\n- libgxf_cuda.so\n- libgxf_stream.so\n\
                    - libgxf_test_stream.so\n";
    let with_sync = |wait: &str, pool: &str| stream_sync(wait, pool, 10);
    for (index, (_, kind)) in SCHEDULERS.into_iter().enumerate() {
        for mode in modes() {
            for wait in ["sync", "term"] {
                let app = with_sync(wait, POOLS[index]) + &scheduler(kind);
                let (ended, report) =
                    run(with_stand_in(&app, mode).file("manifest.yaml", manifest));
                let ended = ended.clean();
                assert_eq!(
                    ended.count("10 pairs were equal"),
                    1,
                    "{mode} {wait}\n{}",
                    ended.stdout
                );
                report.nothing_is_left();
            }
        }
    }
    let other = with_sync("term", POOLS[0]).replace(
        "type: nvidia::gxf::StreamSync}",
        "type: nvidia::gxf::StreamSync, parameters: {waiter_gpu_id: 7}}",
    ) + &scheduler(SCHEDULERS[0].1);
    run(with_stand_in(&other, "eager").file("manifest.yaml", manifest))
        .0
        .complains("`waiter_gpu_id`: there is no CUDA device 7; there is 0");
}

#[test]
fn entities_of_a_group_use_its_device() {
    let group = "---\nEntityGroups:\n- name: second\n  target: [gpu, generator, dot]\n";
    let gpu = entity("gpu", &["type: nvidia::gxf::GPUDevice, parameters: {dev_id: 1}"]);
    let app = gpu + &dot_product(POOLS[0], "term", 5) + group + &scheduler(SCHEDULERS[0].1);
    if is_on_gpu() {
        eprintln!("skipped: needs two devices");
        return;
    }
    let (ended, report) = run(with_stand_in(&app, "lazy").env("CUDA_STAND_IN_DEVICES", "2"));
    assert_eq!(ended.clean().count("5 pairs were equal"), 1);
    report.nothing_is_left();
    // Without a second device, the run says so.
    let (ended, _) = run(with_stand_in(&app, "lazy"));
    ended.complains("there is no CUDA device 1; there is 0 (Stand-in 0)");
}
