//! CUDA: memory, streams, fences and terms, on a driver that needs no GPU (`tests/cuda_stand_in`) or, in
//! `make test-gpu`, on the machine's own. The graphs have the shapes of GXF's own tests of its CUDA
//! extension.

use gxe_tests::Gxe;
use gxe_tests::build::{library, program};
use gxe_tests::cuda::{MODES, Report, SCHEDULERS, is_on_gpu, run, with_driver, with_stand_in};
use gxe_tests::trace::Trace;
use serde_json::Value;
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
fn polling(app: &str) -> String {
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
        let folder = tempfile_folder();
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
        ("sms_per_partition: [2]", ", index: 0", 2),
        ("sms_per_partition: [1], min_sm_size: 1", ", index: 0", 2),
        ("sms_per_partition: [2]", "", 2),
        ("sms_per_partition: [2], default_context_index: 0", "", 2),
        ("num_partitions: 2", ", index: 1, nvtx_identifier: part", 2),
        ("num_partitions: 1", "", 4),
        ("", "", 4),
    ] {
        for mode in MODES {
            let (ended, report) = run(with_stand_in(&on_part(pool, part, 3), mode));
            let ended = ended.clean();
            assert_eq!(ended.count("3 pairs were equal"), 1, "{pool} {part}\n{}", ended.stdout);
            assert_eq!(report.get(&format!("kernels on {size}")), 6, "{pool} {part} {report:?}");
            report.nothing_is_left();
        }
    }
    for (pool, part, status, text) in [
        (
            "sms_per_partition: [3, 2]",
            "",
            4,
            "`sms_per_partition`: partitions of [3, 2] multiprocessors, at least 2 each, do not fit the \
             4 of device 0: 0 are left for the one of 2",
        ),
        (
            "sms_per_partition: [2]",
            ", index: 2",
            4,
            "`index`: there is no partition 2; there are 2",
        ),
        (
            "num_partitions: 3",
            "",
            4,
            "`num_partitions` is 3, with at least 2 multiprocessors each (`min_sm_size`), and device 0 has \
             4",
        ),
        (
            "num_partitions: 2, min_sm_size: 3",
            "",
            4,
            "`num_partitions` is 2, with at least 3 multiprocessors each (`min_sm_size`), and device 0 has \
             4",
        ),
        (
            "num_partitions: 3, min_sm_count: 1",
            "",
            4,
            "and device 0 has 4, which the driver divides into [2, 2]",
        ),
        ("num_partitions: 4294967295", "", 4, "`num_partitions` is 4294967295, with at least 2"),
        ("min_sm_size: 5", "", 4, "with at least 5 multiprocessors each (`min_sm_size`)"),
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
            "num_partitions: 2, sms_per_partition: [2]",
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
    let app = on_part("sms_per_partition: [2]", ", index: 7", 3);
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
    let app = on_part("sms_per_partition: [2], dev_id: 1", "", 3);
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
        let gxe = with_stand_in(&on_part("sms_per_partition: [2]", "", 3), "lazy");
        let (ended, report) = run(gxe.env("CUDA_STAND_IN_FAIL", &format!("{function}:1=2")));
        assert_ne!(ended.status, Some(0), "{function}");
        ended.complains(&format!("{function} answers CUDA_ERROR_OUT_OF_MEMORY (2)"));
        report.nothing_is_left();
    }
}

/// Calls with which the CPU waits for a device.
fn waits(report: &Report) -> u64 {
    ["cuStreamSynchronize", "cuEventSynchronize", "cuCtxSynchronize"]
        .map(|call| report.get(&format!("call {call}")))
        .iter()
        .sum()
}

#[test]
fn no_thread_waits_for_the_device_where_a_term_does() {
    for pool in POOLS {
        let app = dot_product(pool, "term", 20) + &scheduler(SCHEDULERS[0].1);
        let (ended, report) = run(with_stand_in(&app, "lazy"));
        assert_eq!(ended.clean().count("20 pairs were equal"), 1);
        assert_eq!(waits(&report), 0);
    }
}

/// With `latency: low` terms ask instead of having the driver call back, which it does less often
/// then, no thread blocks for them, and nothing is left.
#[test]
fn terms_may_poll_the_device() {
    let apps = [
        dot_product(POOLS[0], "term", 20),
        with_event(&dot_product(POOLS[0], "term", 20)),
        buffers(10),
    ];
    let kind = scheduler(SCHEDULERS[1].1);
    for app in apps {
        let (_, called) = run(with_stand_in(&(app.clone() + &kind), "lazy"));
        for mode in MODES {
            let (ended, report) = run(with_stand_in(&(polling(&app) + &kind), mode));
            let ended = ended.clean();
            let results = ["20 pairs were equal", "buffer of 4096 bytes, sum 8836"];
            let found: usize = results.iter().map(|text| ended.count(text)).sum();
            assert!([1, 10].contains(&found), "{mode}\n{}", ended.stdout);
            report.nothing_is_left();
            if !is_on_gpu() {
                // Codelets may.
                assert_eq!(waits(&report), waits(&called), "{mode}");
                let callbacks = |report: &Report| report.get("call cuLaunchHostFunc");
                // Others still free memory.
                let fewer = callbacks(&called) - callbacks(&report);
                assert!(mode != "lazy" || fewer >= 10, "{fewer}");
            }
        }
    }
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

#[test]
fn a_consumer_waits_for_the_event_of_its_message() {
    for mode in MODES {
        let app = with_event(&dot_product(POOLS[0], "sync", 20));
        let (ended, report) = run(with_stand_in(&(app + &scheduler(SCHEDULERS[2].1)), mode));
        assert_eq!(ended.clean().count("20 pairs were equal"), 1, "{mode}");
        report.nothing_is_left();
    }
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
        for mode in MODES {
            let (ended, report) = run(with_stand_in(&(buffers(10) + &scheduler(kind)), mode));
            // 32 × 32 ones; each pixel adds up its neighbours: (3 · 32 − 2)².
            let sums = "buffer of 4096 bytes, sum 8836";
            let ended = ended.clean();
            assert_eq!(ended.count(sums), 10, "{mode}\n{}", ended.stdout);
            report.nothing_is_left();
        }
    }
}

/// Tensors that a copier takes to the device and another one back, multiplied on the host.
pub(crate) fn there_and_back(back: u32, ticks: u32) -> String {
    let copier = |name: &str, mode: u32, pool: &str| {
        let codelet = format!(
            "type: nvidia::gxf::TensorCopier, \
             parameters: {{receiver: in, transmitter: out, allocator: pool, mode: {mode}}}"
        );
        stage(name, &codelet, pool)
    };
    let app = dot_product(POOLS[1], "sync", ticks);
    // The device path becomes: host tensors, device, host, product on the host.
    let app = app
        .replace("target: dot/in", "target: there/in")
        .replace("source: generator/cuda", "source: generator/host")
        .replace(
            "source: generator/host, target: host_dot/in",
            "source: fan/two, target: host_dot/in",
        )
        .replace("source: generator/host, target: there/in", "source: fan/one, target: there/in")
        .replace("source: dot/out, target: to_host/in", "source: dot/out, target: sync/in")
        .replace("source: to_host/out, target: sync/in", "source: back/out, target: dot/in")
        .replace("test::cuda::CublasDotProduct", "test::cuda::HostDotProduct");
    let (before, rest) = app.split_once("---\nname: to_host\n").expect("the entity");
    let (_, after) = rest.split_once("---\n").expect("the next entity");
    let fan = entity(
        "fan",
        &[
            &format!("name: in, {RX}"),
            &format!("name: one, {TX}"),
            &format!("name: two, {TX}"),
            "type: nvidia::gxf::Broadcast, parameters: {source: in}",
            &format!("{MESSAGE}in}}"),
            &format!("{ROOM}one}}"),
            &format!("{ROOM}two}}"),
        ],
    );
    let drain = entity(
        "drain",
        &[
            &format!("name: in, {RX}"),
            "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in}",
            &format!("{MESSAGE}in}}"),
        ],
    );
    [
        format!("{before}---\n{after}"),
        fan,
        drain,
        copier("there", 0, POOLS[1]),
        copier("back", back, "type: nvidia::gxf::UnboundedAllocator"),
        connected("generator/host", "fan/in"),
        connected("generator/cuda", "drain/in"),
        connected("there/out", "back/in"),
    ]
    .concat()
}

#[test]
fn tensors_are_copied_to_the_device_and_back() {
    for mode in MODES {
        for back in [1, 2] {
            let app = there_and_back(back, 10) + &scheduler(SCHEDULERS[1].1);
            let (ended, report) = run(with_stand_in(&app, mode));
            let ended = ended.clean();
            assert_eq!(ended.count("10 pairs were equal"), 1, "{mode} {back}\n{}", ended.stdout);
            report.nothing_is_left();
        }
    }
}

/// A copier from host memory to host memory waits for the device, which may still write to it.
#[test]
fn a_copy_on_the_host_waits_for_the_device() {
    let copier = stage(
        "again",
        "type: nvidia::gxf::TensorCopier, parameters: {receiver: in, transmitter: out, allocator: pool, \
         mode: 2}",
        "type: nvidia::gxf::UnboundedAllocator",
    );
    let direct = connected("to_host/out", "verify/rx0");
    let detour = connected("to_host/out", "again/in") + &connected("again/out", "verify/rx0");
    let term = "- {type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: rx0}}\n";
    for mode in MODES {
        let app = dot_product(POOLS[1], "term", 10);
        assert!(app.contains(&direct) && app.contains(term), "{app}");
        let app = app.replace(&direct, &(copier.clone() + &detour)).replace(term, "");
        let (ended, report) = run(with_stand_in(&(app + &scheduler(SCHEDULERS[1].1)), mode));
        let ended = ended.clean();
        assert_eq!(ended.count("10 pairs were equal"), 1, "{mode}\n{}", ended.stdout);
        report.nothing_is_left();
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
        for mode in MODES {
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

/// Whatever call of the driver fails, the run ends with an error that names it, or does not need it.
#[test]
fn a_failing_call_ends_the_run_with_its_name() {
    if is_on_gpu() {
        eprintln!("skipped: a GPU's driver does not fail on demand");
        return;
    }
    let app = dot_product(POOLS[2], "term", 2) + &scheduler(SCHEDULERS[0].1);
    let (ended, report) = run(with_stand_in(&app, "lazy"));
    let calls = ended.with_status(0).count("2 pairs were equal") as u64 * report.get("calls");
    assert!(calls > 100, "{report:?}");
    let (mut failed, mut tried) = (0, 0);
    // Steps that have no factor in common with the number of modes.
    for call in (1..=calls).step_by(if gxe_tests::is_thorough() { 1 } else { 7 }) {
        tried += 1;
        let code = if call % 2 == 0 { "2" } else { "719" };
        let gxe = with_stand_in(&app, MODES[call as usize % MODES.len()])
            .env("CUDA_STAND_IN_FAIL", &format!("any:{call}={code}"));
        let (ended, _) = run(gxe);
        assert_eq!(ended.signal, None, "call {call}\n{}\n{}", ended.stdout, ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "call {call}\n{}", ended.stderr);
        if ended.status != Some(0) {
            failed += 1;
            assert!(ended.stderr.contains("answers"), "call {call}\n{}", ended.stderr);
        }
    }
    // The others free something, or restore a context.
    assert!(failed > tried / 5, "{failed} of {tried}");
}

/// After a kernel broke the device, no call succeeds and no host function is called.
#[test]
fn a_broken_device_ends_the_run() {
    if is_on_gpu() {
        eprintln!("skipped: the tests do not break a GPU");
        return;
    }
    for mode in MODES {
        for (_, kind) in SCHEDULERS {
            let app = dot_product(POOLS[0], "term", 20) + &scheduler(kind);
            for app in [polling(&app), app] {
                let gxe = with_stand_in(&app, mode).env("CUDA_STAND_IN_STICKY", "7");
                let (ended, _) = run(gxe);
                assert_ne!(ended.status, Some(0), "{mode}\n{}", ended.stdout);
                assert_eq!(ended.signal, None, "{mode}\n{}", ended.stderr);
                ended.complains("CUDA_ERROR_ILLEGAL_ADDRESS (700)");
                ended.complains("; with --cuda-sync, gxe names whose work failed");
                // At most one text of each library that has memory.
                assert!(ended.count("is lost") <= 2, "{mode}\n{}", ended.stdout);
            }
        }
    }
}

/// Statistics count the work, a trace has a track for each stream, and neither leaves an event.
#[test]
fn the_work_of_streams_is_seen() {
    const TICKS: u64 = 12;
    for (_, kind) in SCHEDULERS {
        for mode in MODES {
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

/// With `--cuda-sync` an error appears in the tick that caused it, not where somebody notices it.
#[test]
fn with_cuda_sync_an_error_names_the_codelet_that_caused_it() {
    if is_on_gpu() {
        eprintln!("skipped: the tests do not break a GPU");
        return;
    }
    let app = dot_product(POOLS[0], "term", 20) + &scheduler(SCHEDULERS[0].1);
    for mode in MODES {
        let gxe = with_stand_in(&app, mode).env("CUDA_STAND_IN_STICKY", "7").args("--cuda-sync");
        let (ended, report) = run(gxe);
        assert_ne!(ended.status, Some(0), "{mode}\n{}", ended.stdout);
        ended.complains("because: entity `dot`, ");
        ended.complains(" answers CUDA_ERROR_ILLEGAL_ADDRESS (700): a kernel");
        assert!(!ended.stderr.contains("with --cuda-sync"), "{}", ended.stderr);
        assert!(report.get("call cuStreamSynchronize") > 6, "{mode}");
        let (ended, report) = run(with_stand_in(&app, mode).args("--cuda-sync"));
        assert_eq!(ended.clean().count("20 pairs were equal"), 1, "{mode}");
        report.nothing_is_left();
    }
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

#[test]
fn what_is_missing_is_named() {
    if is_on_gpu() {
        eprintln!("skipped: this GPU is there");
        return;
    }
    let app = dot_product(POOLS[0], "term", 2) + &scheduler(SCHEDULERS[0].1);
    let fails = |variable: &str, value: &str, text: &str| {
        let (ended, _) = run(with_stand_in(&app, "eager").env(variable, value));
        assert_ne!(ended.status, Some(0), "{variable}");
        ended.complains(text);
    };
    fails("LD_LIBRARY_PATH", "", "there is no CUDA driver (libcuda.so.1: ");
    fails("CUDA_STAND_IN_INIT", "3", "cuInit answers 3: the driver is not initialised");
    fails("CUDA_STAND_IN_INIT", "803", "are of different versions; restart the machine");
    fails("CUDA_STAND_IN_DEVICES", "0", "CUDA has no device to offer (cuDeviceGetCount answers 0)");
    fails(
        "CUDA_STAND_IN_MEMORY",
        "10000",
        "not enough memory for 16 blocks of 4096 bytes: cuMemAlloc",
    );
    let other = app.replace("parameters: {max_size: 2}", "parameters: {dev_id: 5}");
    let gxe = with_stand_in(&other, "eager").env("CUDA_STAND_IN_DEVICES", "2");
    let text = "there is no CUDA device 5; there is 0 (Stand-in 0), 1 (Stand-in 1)";
    run(gxe).0.complains(text);
    let one =
        app.replace("parameters: {max_size: 2}", "parameters: {max_size: 1, reserved_size: 2}");
    run(with_stand_in(&one, "eager"))
        .0
        .complains("`reserved_size` (2) is larger than `max_size` (1)");
    let small = app.replace(POOLS[0], "type: nvidia::gxf::StreamOrderedAllocator, parameters: \
                                       {device_memory_initial_size: 1KB, device_memory_max_size: 4KB}");
    let (ended, _) = run(with_stand_in(&small, "eager"));
    ended.complains("the StreamOrderedAllocator `pool` of entity `");
    ended.complains("bytes do not fit the pool: ");
    ended.complains("bytes are in use; enlarge `device_memory_max_size`");
}

#[test]
fn an_old_driver_is_refused_by_the_function_it_lacks() {
    let app = dot_product(POOLS[0], "term", 2) + &scheduler(SCHEDULERS[0].1);
    let gxe = with_stand_in(&app, "eager");
    let folder = gxe.folder();
    std::fs::write(folder.join("old.c"), "int cuInit(unsigned flags) { return (int)flags; }")
        .unwrap();
    let built = std::process::Command::new("cc")
        .current_dir(&folder)
        .args(["-shared", "-fPIC", "-o", "libcuda.so.1", "old.c"])
        .status();
    assert!(built.expect("a C compiler").success());
    let gxe = gxe.env("LD_LIBRARY_PATH", folder.to_str().expect("UTF-8"));
    run(gxe).0.complains("it lacks `cuCtxGetCurrent`; CUDA 11.4 or newer is needed");
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
         device 0: Stand-in 0, compute capability 9.0, 4 multiprocessors, 1024 MiB\n\
         device 1: Stand-in 1, compute capability 9.0, 4 multiprocessors, 1024 MiB\n\
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

/// A signal ends a run whose device has seconds of work queued, on memory of every allocator, and nothing
/// is left.
#[test]
fn a_signal_ends_a_run_with_queued_work() {
    const TICKS: u32 = 100_000;
    let product = |pool| (dot_product(pool, "term", TICKS), "Scheduling 5 entities", "");
    let graphs = crate::cuda_graphs::multiples("Nothing", POOLS[0], TICKS);
    let mut runs = POOLS.map(product).to_vec();
    runs.push((graphs, "Scheduling 6 entities", "--cuda-graphs"));
    for (index, (app, begin, option)) in runs.into_iter().enumerate() {
        let mode = ["lazy", "random:3"][index % 2];
        let app = app + &scheduler(SCHEDULERS[1].1);
        let gxe = with_stand_in(&app, mode).env("CUDA_STAND_IN_SLOW", "50").args(option);
        let report = gxe.folder().join("report");
        let mut running = gxe.spawn();
        running.wait_for(begin);
        std::thread::sleep(std::time::Duration::from_millis(300));
        running.signal("INT");
        let (ended, report) =
            running.end_with(|| std::fs::read_to_string(report).unwrap_or_default());
        assert_eq!(ended.signal, None, "{}\n{}", ended.stdout, ended.stderr);
        assert_eq!(ended.count("Context destroyed."), 1, "{}", ended.stdout);
        Report::parse(&report).nothing_is_left();
    }
}

/// A graph whose allocators are too small, whichever it is, ends with an error that says what to enlarge.
#[test]
fn a_full_allocator_ends_the_run_and_leaves_nothing() {
    let host = "type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 0, block_size: 4096, \
                num_blocks: 64}";
    let few = POOLS[0].replace("num_blocks: 16", "num_blocks: 1");
    let small = "device_memory_initial_size: 4KB, device_memory_max_size: 4KB";
    let ordered = format!("type: nvidia::gxf::StreamOrderedAllocator, parameters: {{{small}}}");
    let rmm = format!("type: nvidia::gxf::RMMAllocator, parameters: {{{small}}}");
    let pinned = "type: nvidia::gxf::RMMAllocator, parameters: {host_memory_initial_size: 32B, \
                  host_memory_max_size: 4KB}";
    let full = "4096 bytes do not fit the pool: 4096 of 4096 bytes are in use";
    let product = |pool: &str| dot_product(pool, "term", 5);
    let graphs = |pool: &str| crate::cuda_graphs::multiples("Nothing", pool, 5);
    for (name, app, memory, text) in [
        (
            "blocks",
            product(&few),
            1 << 30,
            "the only block of 4096 bytes is in use; enlarge `num_blocks`",
        ),
        ("ordered", product(&ordered), 1 << 30, full),
        ("RMM", product(&rmm), 1 << 30, full),
        (
            "RMM on the host",
            product(POOLS[1]).replace(host, pinned),
            1 << 30,
            "4096 bytes do not fit the pool: 4096 of 4096 bytes of host memory are in use",
        ),
        (
            "no limit",
            product(POOLS[1]),
            6000,
            "(4096 bytes were requested, and 1904 of 6000 bytes of",
        ),
        ("graphs", graphs(&ordered), 1 << 30, full),
    ] {
        for mode in MODES {
            if is_on_gpu() && memory < 1 << 30 {
                continue;
            }
            let option = if name == "graphs" { "--cuda-graphs" } else { "" };
            let gxe = with_stand_in(&(app.clone() + &scheduler(SCHEDULERS[0].1)), mode);
            let gxe = gxe.env("CUDA_STAND_IN_MEMORY", &memory.to_string()).args(option);
            let (ended, report) = run(gxe);
            assert_eq!(ended.signal, None, "{name} {mode}\n{}", ended.stderr);
            assert_eq!(ended.status, Some(5), "{name} {mode}\n{}", ended.stdout);
            ended.complains(text);
            report.nothing_is_left();
        }
    }
}

/// A program against the stand-in's own functions.
pub(crate) fn mistake(body: &str) -> std::process::Output {
    let folder = tempfile_folder();
    let path = folder.path();
    std::fs::copy(gxe_tests::build::library("cuda_stand_in"), path.join("libcuda.so.1")).unwrap();
    let source = format!(
        "#include <stddef.h>\n#include <stdlib.h>\ntypedef unsigned long long P; typedef void *H;\n\
         int cuInit(unsigned); int cuDevicePrimaryCtxRetain(H *, int); int cuCtxPushCurrent_v2(H);\n\
         int cuMemAlloc_v2(P *, size_t); int cuMemFree_v2(P); int cuMemHostAlloc(H *, size_t, unsigned);\n\
         int cuStreamCreateWithPriority(H *, unsigned, int); int cuStreamSynchronize(H);\n\
         int cuMemsetD8Async(P, unsigned char, size_t, H); int cuMemcpyDtoHAsync_v2(H, P, size_t, H);\n\
         int cuMemcpyHtoDAsync_v2(P, H, size_t, H); int cuEventCreate(H *, unsigned);\n\
         int cuEventRecord(H, H); int cuStreamWaitEvent(H, H, unsigned); int cuLaunchHostFunc(H, H, H);\n\
         int cuStreamBeginCapture_v2(H, int); int cuStreamEndCapture(H, H *); int cuEventQuery(H);\n\
         int cuGraphInstantiateWithFlags(H *, H, unsigned long long); int cuGraphLaunch(H, H);\n\
         int cuGraphExecUpdate(H, H, H *, unsigned *); int cuGraphExecDestroy(H);\n\
         static void call(void *x) {{ (void)x; cuInit(0); }}\n\
         int main(void) {{ H c, a, b, e; P m; unsigned char *h; cuInit(0);\n\
         cuDevicePrimaryCtxRetain(&c, 0); cuCtxPushCurrent_v2(c); cuMemAlloc_v2(&m, 4096);\n\
         cuMemHostAlloc((H *)&h, 4096, 0); cuStreamCreateWithPriority(&a, 1, 0);\n\
         cuStreamCreateWithPriority(&b, 1, 0); cuEventCreate(&e, 0); (void)call;\n{body}\nreturn 0; }}\n"
    );
    std::fs::write(path.join("mistake.c"), source).unwrap();
    let built = std::process::Command::new("cc")
        .current_dir(path)
        .args(["-Wno-pedantic", "-o", "mistake", "mistake.c", "-L.", "-l:libcuda.so.1"])
        .arg("-Wl,-rpath,$ORIGIN")
        .status();
    assert!(built.expect("a C compiler").success());
    let program = path.join("mistake");
    std::process::Command::new(program).env("CUDA_STAND_IN_MODE", "lazy").output().unwrap()
}

fn tempfile_folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// What the stand-in notices, and what it does not complain about.
#[test]
fn the_stand_in_notices_mistakes() {
    let set = "cuMemsetD8Async(m, 1, 4096, a);";
    for (body, text) in [
        ("cuMemsetD8Async(m, 1, 4096, a); cuMemsetD8Async(m, 2, 4096, b);", "race: a fill"),
        ("cuMemsetD8Async(m, 1, 4096, a); cuMemcpyDtoHAsync_v2(h, m, 4096, b);", "race: a copy"),
        ("cuMemFree_v2(m); cuMemsetD8Async(m, 1, 4096, a);", "no memory, or was freed"),
        ("cuMemFree_v2(m); cuMemFree_v2(m);", "was freed before"),
        ("cuMemsetD8Async(m, 1, 5000, a); cuStreamSynchronize(a);", "reaches beyond the end"),
        ("cuMemcpyHtoDAsync_v2(m, h, 4096, a); h[0]++; cuStreamSynchronize(a);", "changed before"),
        ("cuLaunchHostFunc(a, call, 0); cuStreamSynchronize(a);", "a host function calls cuInit"),
    ] {
        let output = mistake(body);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(text), "{body}: {said}");
    }
    // The CPU cannot touch device memory.
    assert!(!mistake("return *(volatile char *)m;").status.success());
    let ordered =
        "cuEventRecord(e, a); cuStreamWaitEvent(b, e, 0); cuMemsetD8Async(m, 2, 4096, b);";
    let waited = "cuStreamSynchronize(a); cuMemsetD8Async(m, 2, 4096, b);";
    for rest in [ordered, waited] {
        let output = mistake(&format!("{set}{rest}"));
        assert!(output.status.success(), "{rest}: {}", String::from_utf8_lossy(&output.stderr));
    }
    // Nothing is done before somebody waits.
    let late = "cuMemcpyDtoHAsync_v2(h, m, 4096, a); if (h[5] == 1) return 1; \
                cuStreamSynchronize(a); if (h[5] != 1) return 2;";
    assert!(mistake(&format!("{set}{late}")).status.success());
}

/// A device's work that a static schedule submits: what its pool of streams enqueues is the work.
#[test]
fn work_on_streams_is_submitted_work_of_a_static_schedule() {
    const GRAPH: &str = "\
Version: 2.0.0
tests:
  Resources: {CPU: [CPU0, CPU1], GPU: [GPU0]}
  Hyperepochs:
  - h: {Epochs: [e: {Period: 4ms}]}
  Clients:
  - c:
      Resources: {CUDA_STREAM: [s: GPU0]}
      Epochs:
      - h.e:
          Runnables:
          - generator: {WCET: 100us, Resources: [CPU0, CUDA_STREAM], Submits: c.work}
          - work: {WCET: 500us, Resources: [GPU0]}
          - after: {WCET: 100us, Resources: [CPU1], Dependencies: [c.work]}
";
    // The term answers READY only if the work on the message's stream is done.
    let app = [
        entity(
            "generator",
            &[
                &format!("name: cuda, {TX}"),
                &format!("name: host, {TX}"),
                "name: pool, type: nvidia::gxf::UnboundedAllocator",
                "name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {max_size: 2}",
                "type: nvidia::gxf::test::cuda::StreamTensorGenerator, parameters: {cuda_tx: cuda, \
                 host_tx: host, cuda_tensor_pool: pool, host_tensor_pool: pool, stream_pool: streams}",
                "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 20}",
            ],
        ),
        entity(
            "after",
            &[
                &format!("name: in, {RX}"),
                &format!("name: out, {TX}"),
                "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in, tx: out}",
                "type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: in}",
                "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 20}",
            ],
        ),
        connected("generator/cuda", "after/in"),
        entity(
            "scheduler",
            &[
                "name: clock, type: nvidia::gxf::RealtimeClock",
                "type: gxe::StaticScheduler, parameters: {clock: clock, schedule: g.stm}",
            ],
        ),
    ]
    .concat();
    let with_schedule = |app: &str, mode: &str| {
        let gxe = with_stand_in(app, mode).file("g.yaml", GRAPH);
        let folder = gxe.folder();
        _ = Gxe::in_folder(&folder)
            .args("stm compile -i g.yaml -o g.stm -j 1")
            .run()
            .with_status(0);
        gxe
    };
    for mode in MODES {
        let (ended, report) = run(with_schedule(&app, mode));
        report.nothing_is_left();
        // Each frame's work was done when `after` was asked.
        assert_eq!(ended.with_status(0).count("CPU1: "), 0, "{mode}");
    }
    // What the driver refuses meanwhile ends the run, without waiting for work that may never be done.
    if !is_on_gpu() {
        for failure in ["cuEventRecord:2=2", "cuStreamQuery:2=719"] {
            let gxe = with_schedule(&app, "lazy").env("CUDA_STAND_IN_FAIL", failure);
            let (ended, _) = run(gxe);
            assert_ne!(ended.status, Some(0), "{failure}");
            let function = failure.split(':').next().expect("a name");
            ended.complains(&format!("{function} answers"));
            assert!(!ended.stderr.contains("is not done after"), "{}", ended.stderr);
        }
    }
    // It is the pool that says so.
    let (streams, pool) = ("name: streams, type: nvidia::gxf::CudaStreamPool", "elsewhere");
    let moved = app.replace(&format!("- {{{streams}, parameters: {{max_size: 2}}}}\n"), "");
    let moved = moved.replace("stream_pool: streams", &format!("stream_pool: {pool}/streams"));
    let moved = entity(pool, &[streams]) + &moved;
    let (ended, _) = run(with_schedule(&moved, "eager"));
    ended.with_status(5).complains("has no component that says when it is done, a gxe::Completion");
}

/// A device's work that actors submit: messages are sent when the streams of the entity's pool are
/// done, and several acts are under way.
#[test]
fn work_on_streams_ends_acts_of_actors() {
    for threads in [1, 2] {
        let scheduler = format!(
            "type: gxe::ActorScheduler, parameters: {{clock: clock, threads: {threads}, register_num: 3}}"
        );
        let app = [
            entity(
                "generator",
                &[
                    &format!("name: cuda, {TX}"),
                    &format!("name: host, {TX}"),
                    "type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: cuda}",
                    "name: pool, type: nvidia::gxf::UnboundedAllocator",
                    "name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {max_size: 2}",
                    "type: nvidia::gxf::test::cuda::StreamTensorGenerator, parameters: {cuda_tx: cuda, \
                     host_tx: host, cuda_tensor_pool: pool, host_tensor_pool: pool, stream_pool: streams}",
                    "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 20}",
                ],
            ),
            entity(
                "after",
                &[
                    &format!("name: in, {RX}"),
                    &format!("name: out, {TX}"),
                    "type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in}",
                    "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in, tx: out}",
                ],
            ),
            connected("generator/cuda", "after/in"),
            entity("scheduler", &["name: clock, type: nvidia::gxf::RealtimeClock", &scheduler]),
        ]
        .concat();
        for mode in MODES {
            let (ended, report) = run(with_stand_in(&app, mode).args("--statistics"));
            report.nothing_is_left();
            let ended = ended.clean();
            let mut rows = ended.stdout.lines().filter(|line| line.starts_with("after "));
            let ticks = rows.next().and_then(|row| row.split_whitespace().nth(1));
            assert_eq!(ticks, Some("20"), "{mode}: {}", ended.stdout);
        }
        let planned = with_stand_in(&app, "eager");
        let folder = planned.folder();
        let plan = "plan --app app.yaml --manifest manifest.yaml";
        let plan = Gxe::in_folder(&folder).args(plan).run().with_status(0).stdout;
        assert!(plan.contains("\"completion\": \"streams\""), "{plan}");
        assert!(plan.contains("\"device\": \"cuda\""), "{plan}");
    }
}
