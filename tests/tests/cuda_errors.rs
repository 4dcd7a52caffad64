//! Devices, drivers and memory that fail or are missing: the run ends and says what it was.

use crate::cuda::{POOLS, dot_product, polling, scheduler};
use gxe_tests::cuda::{MODES, Report, SCHEDULERS, is_on_gpu, modes, run, with_stand_in};

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
    for mode in modes() {
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

/// With `--cuda-sync` an error appears in the tick that caused it, not where somebody notices it.
#[test]
fn with_cuda_sync_an_error_names_the_codelet_that_caused_it() {
    if is_on_gpu() {
        eprintln!("skipped: the tests do not break a GPU");
        return;
    }
    let app = dot_product(POOLS[0], "term", 20) + &scheduler(SCHEDULERS[0].1);
    for mode in modes() {
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
        for mode in modes() {
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
