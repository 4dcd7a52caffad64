//! The components of GXF's CUDA, RMM, NPP and stream extensions: ids, parameters and defaults, and what is
//! said of values that cannot be.

use crate::cuda::{entity, scheduler};
use gxe_tests::cuda::{MODES, SCHEDULERS, is_on_gpu, modes, run, with_driver};
use gxe_tests::{Ended, Gxe};
use serde_json::{Value, json};

const MANIFEST: &str =
    "extensions:\n- libgxf_cuda.so\n- libgxf_rmm.so\n- libgxf_npp.so\n- libgxf_stream.so\n";

/// Id of a component, and defaults of its parameters: `null` for optional ones.
fn components() -> Vec<(&'static str, &'static str, Value)> {
    let initial = if cfg!(target_arch = "aarch64") { "8MB" } else { "16MB" };
    vec![
        ("CudaStream", "5683d692788411eb9338c3be62d576be", json!({})),
        (
            "CudaStreamPool",
            "6733bf8bba5e4faeb596af2d1269d0e7",
            json!({"dev_id": null, "stream_flags": 1, "stream_priority": 0, "reserved_size": 1,
                   "max_size": 0, "cuda_green_context": null, "nvtx_identifier": null}),
        ),
        (
            "StreamOrderedAllocator",
            "63d1d16813d711ef931a0be4a6378384",
            json!({"release_threshold": "4MB", "device_memory_initial_size": initial,
                   "device_memory_max_size": null, "device_max_memory_pool_size": null}),
        ),
        (
            "CudaStreamSync",
            "0d1d81426648485d97d5277eed00129c",
            json!({"rx": "mandatory", "tx": null}),
        ),
        (
            "CudaStreamSchedulingTerm",
            "7397a4aaa4e94b6c850664d7c18c17ae",
            json!({"receiver": "mandatory", "latency": "normal"}),
        ),
        (
            "CudaEventSchedulingTerm",
            "c2122c2d07454260b110514c3f4e82f9",
            json!({"receiver": "mandatory", "event_name": "", "latency": "normal"}),
        ),
        (
            "CudaBufferAvailableSchedulingTerm",
            "edab61b65f7611efba73cfbc18c46142",
            json!({"receiver": "mandatory", "latency": "normal"}),
        ),
        (
            "RMMAllocator",
            "5a8ac4c21f8311ef8859d710d3299dfa",
            json!({"device_memory_initial_size": initial, "device_memory_max_size": null,
                   "host_memory_initial_size": initial, "host_memory_max_size": null,
                   "device_max_memory_pool_size": null, "host_max_memory_pool_size": null}),
        ),
        (
            "NppiSet",
            "b5ab03a9f3d54525bc0cd48b60bac2a5",
            json!({"rows": "mandatory", "columns": "mandatory", "channels": "mandatory",
                   "pool": "mandatory", "value": "mandatory", "out": "mandatory"}),
        ),
        (
            "NppiMulC",
            "b2e2181547c44aee99bf9f3ef6665931",
            json!({"in": "mandatory", "factor": "mandatory", "pool": "mandatory", "out": "mandatory"}),
        ),
        (
            "StreamSync",
            "0011bee75d5343eeaafa61485a436bc4",
            json!({"signaler": 0, "waiter": 0, "signaler_gpu_id": 0, "waiter_gpu_id": 0}),
        ),
        ("GPUDevice", "2036939fa32a43ee83f8826576d8f170", json!({"dev_id": 0})),
        (
            "CudaGreenContextPool",
            "8e0f1b6a4c9d4f27a35b7de2c1f04986",
            json!({"dev_id": null, "flags": 0, "green_context_flags": 0, "num_partitions": 0,
                   "sms_per_partition": null, "default_context_index": -1, "default_context": -1,
                   "min_sm_size": 2, "min_sm_count": 2}),
        ),
        (
            "CudaGreenContext",
            "2c7a9d5e61b84b3f9f40e8a7d3b5c612",
            json!({"cuda_green_context_pool": "mandatory", "index": -1, "nvtx_identifier": null}),
        ),
    ]
}

#[test]
fn components_have_gxfs_ids_parameters_and_defaults() {
    for (name, id, parameters) in components() {
        let inspect = format!("inspect nvidia::gxf::{name} --manifest manifest.yaml --format json");
        let ended = Gxe::alone().file("manifest.yaml", MANIFEST).args(&inspect).run();
        let found: Value = serde_json::from_str(&ended.with_status(0).stdout).expect("JSON");
        let found = &found["types"][0];
        assert_eq!(
            (&found["name"], &found["id"]),
            (&json!(format!("nvidia::gxf::{name}")), &json!(id))
        );
        let own = found["parameters"].as_array().expect("a list").iter().map(|parameter| {
            let key = parameter["key"].as_str().expect("a key").to_owned();
            let is_mandatory = parameter["default"].is_null() && parameter["optional"] == false;
            (key, if is_mandatory { json!("mandatory") } else { parameter["default"].clone() })
        });
        assert_eq!(Value::Object(own.collect()), parameters, "{name}");
    }
}

/// An app with one component, and one with each of its parameters.
fn app(component: &str, parameters: &str) -> String {
    let component =
        format!("name: it\n  type: nvidia::gxf::{component}\n  parameters: {{{parameters}}}");
    format!("name: one\ncomponents:\n- {component}\n{}", scheduler(SCHEDULERS[0].1))
}

fn gxe(app: &str, command: &str) -> Gxe {
    Gxe::alone()
        .file("app.yaml", app)
        .file("manifest.yaml", MANIFEST)
        .args(&format!("{command} --app app.yaml --manifest manifest.yaml"))
}

/// A run on a device, and what it says beside notes of its progress.
fn on_device(app: &str, mode: &str) -> Ended {
    let gxe = gxe(app, "");
    let folder = gxe.folder();
    let (ended, report) = run(with_driver(gxe, &folder, mode));
    report.nothing_is_left();
    ended
}

/// Parameters with values other than their defaults, in GXF's spellings and in those of its
/// applications.
const GIVEN: [(&str, &str); 13] = [
    (
        "CudaStreamPool",
        "dev_id: 0, stream_flags: 1, stream_priority: 0, reserved_size: 1, max_size: 5",
    ),
    (
        "CudaStreamPool",
        "stream_flags: 0, stream_priority: -1, reserved_size: 0, nvtx_identifier: it",
    ),
    (
        "StreamOrderedAllocator",
        "release_threshold: 4MB, device_memory_initial_size: 16MB, device_memory_max_size: 32MB",
    ),
    (
        "StreamOrderedAllocator",
        "device_memory_initial_size: 32B, device_max_memory_pool_size: 64MB",
    ),
    ("StreamOrderedAllocator", "device_memory_initial_size: 4096, device_memory_max_size: 64GB"),
    ("StreamOrderedAllocator", "release_threshold: 0B"),
    (
        "RMMAllocator",
        "device_memory_initial_size: 16MB, device_memory_max_size: 32MB, host_memory_initial_size: \
         16MB, host_memory_max_size: 32MB",
    ),
    (
        "RMMAllocator",
        "device_memory_initial_size: 32B, device_max_memory_pool_size: 64MB, \
         host_memory_initial_size: 32B, host_max_memory_pool_size: 64MB",
    ),
    ("StreamSync", "signaler: 1, waiter: 2, signaler_gpu_id: 0, waiter_gpu_id: 0"),
    (
        "CudaGreenContextPool",
        "dev_id: 0, flags: 0, num_partitions: 1, sms_per_partition: [2], default_context_index: 0, \
         min_sm_size: 2",
    ),
    (
        "CudaGreenContextPool",
        "green_context_flags: 0, num_partitions: 2, default_context: 1, min_sm_count: 2",
    ),
    ("BlockMemoryPool", "storage_type: 1, block_size: 256, num_blocks: 3"),
    ("BlockMemoryPool", "storage_type: 3, block_size: 256, num_blocks: 3"),
];

#[test]
fn every_parameter_is_known_by_its_names() {
    for (index, (component, parameters)) in GIVEN.into_iter().enumerate() {
        let app = app(component, parameters);
        let checked = gxe(&app, "check").run();
        assert_eq!(checked.status, Some(0), "{component}\n{}", checked.stdout);
        assert!(!checked.stdout.contains("has no parameter"), "{component}\n{}", checked.stdout);
        if !is_on_gpu() || !component.contains("Green") {
            _ = on_device(&app, MODES[index % MODES.len()]).clean();
        }
        if is_on_gpu() {
            continue;
        }
        // Each of them needs a device, and nothing takes its place.
        let without = gxe(&app, "").env("LD_LIBRARY_PATH", "").run();
        assert_eq!(without.status, Some(4), "{component}\n{}", without.stdout);
        without.complains("there is no CUDA driver (libcuda.so.1: ");
        without
            .complains(&format!("entity `one`, component `it` of type nvidia::gxf::{component}"));
    }
}

/// What `gxe check` says without a device: the text, and the part of the line that it points at.
const IMPOSSIBLE: [(&str, &str, &str, &str); 23] = [
    ("CudaStreamPool", "dev_id: -1", "allowed: 0 or more", "-1"),
    ("CudaStreamPool", "dev_id: zero", "expected a 32-bit integer", "zero"),
    ("CudaStreamPool", "stream_flags: 2", "allowed: 1 or less", "2"),
    ("CudaStreamPool", "stream_flags: -1", "uint32 holds 0 to 4294967295", "-1"),
    ("CudaStreamPool", "reserved_size: 70000", "allowed: 65536 or less", "70000"),
    (
        "CudaStreamPool",
        "max_size: 2, reserved_size: 3",
        "`reserved_size` (3) is larger than `max_size` (2)",
        "3",
    ),
    ("CudaStreamPool", "max_sise: 2", "did you mean `max_size`?", "max_sise"),
    (
        "CudaStreamPool",
        "cuda_green_context: there",
        "entity `one` has no component `there`",
        "there",
    ),
    (
        "StreamOrderedAllocator",
        "release_threshold: 4MX",
        "`4MX` is not a size: its unit is unknown",
        "4MX",
    ),
    (
        "StreamOrderedAllocator",
        "release_threshold: -1B",
        "`-1B` is not a size: it must not be negative",
        "-1B",
    ),
    (
        "CudaGreenContextPool",
        "flags: 1, green_context_flags: 1",
        "`green_context_flags` and `flags` mean the same; set one of them",
        "1",
    ),
    (
        "StreamOrderedAllocator",
        "device_memory_initial_size: -1B",
        "`-1B` is not a size: it has to be greater than zero",
        "-1B",
    ),
    (
        "StreamOrderedAllocator",
        "device_memory_max_size: 1MB, device_memory_initial_size: 2MB",
        "`device_memory_initial_size` is 2097152 bytes, and the pool may have at most 1048576",
        "2MB",
    ),
    (
        "StreamOrderedAllocator",
        "device_memory_max_size: 64MB, device_max_memory_pool_size: 65MB",
        "`device_max_memory_pool_size` and `device_memory_max_size` mean the same; set one of them",
        "65MB",
    ),
    (
        "RMMAllocator",
        "host_memory_max_size: 1MB, host_memory_initial_size: 2MB",
        "`host_memory_initial_size` is 2097152 bytes, and the pool may have at most 1048576",
        "2MB",
    ),
    (
        "RMMAllocator",
        "host_memory_max_size: 64MB, host_max_memory_pool_size: 65MB",
        "`host_max_memory_pool_size` and `host_memory_max_size` mean the same; set one of them",
        "65MB",
    ),
    ("RMMAllocator", "host_memory_initial_size: lots", "it does not begin with a number", "lots"),
    ("GPUDevice", "dev_id: -2", "allowed: 0 or more", "-2"),
    ("StreamSync", "waiter_gpu_id: -1", "allowed: 0 or more", "-1"),
    ("CudaGreenContextPool", "min_sm_size: 0", "allowed: 1 or more", "0"),
    (
        "CudaGreenContextPool",
        "sms_per_partition: [0]",
        "`sms_per_partition`: a partition has at least one multiprocessor",
        "[0]",
    ),
    ("CudaGreenContextPool", "default_context_index: -2", "allowed: -1 or more", "-2"),
    (
        "BlockMemoryPool",
        "block_size: 1, num_blocks: 1, storage_type: 5",
        "5 is not a storage type",
        "5",
    ),
];

#[test]
fn impossible_values_have_a_place_and_a_text() {
    for (component, parameters, text, value) in IMPOSSIBLE {
        let app = app(component, parameters);
        let ended = gxe(&app, "check").env("LD_LIBRARY_PATH", "").run();
        let said = &ended.stdout;
        assert!(said.contains(text), "{component} {{{parameters}}}\n{said}");
        // The line of the parameters, and below it what is meant.
        let line = app.lines().position(|line| line.contains(parameters)).expect("the line");
        let column = app.lines().nth(line).expect("the line").rfind(value).expect("the value");
        let place = format!("--> app.yaml:{}:{}\n", line + 1, column + 1);
        assert!(said.contains(&place), "{component} {{{parameters}}}: {place}\n{said}");
    }
    if is_on_gpu() {
        return;
    }
    // What only the device knows.
    for (component, parameters, text) in [
        ("CudaStreamPool", "dev_id: 3", "there is no CUDA device 3; there is 0 (Stand-in 0)"),
        (
            "StreamSync",
            "waiter_gpu_id: 4",
            "`waiter_gpu_id`: there is no CUDA device 4; there is 0",
        ),
        (
            "StreamOrderedAllocator",
            "device_memory_initial_size: 1TB",
            "(1099511627776 bytes were requested, and 1073741824 of 1073741824 bytes of device 0 are free)",
        ),
        (
            "RMMAllocator",
            "host_memory_initial_size: 1TB",
            "cuMemHostAlloc answers CUDA_ERROR_OUT_OF_MEMORY (2): the host cannot pin 1099511627776 bytes; \
             use smaller pools",
        ),
        (
            "CudaGreenContextPool",
            "default_context_index: 4",
            "`default_context_index`: there is no partition 4; there are 1",
        ),
    ] {
        let ended = on_device(&app(component, parameters), "eager").with_status(4);
        ended.complains(text);
        ended.complains(&format!("entity `one`, component `it` of type nvidia::gxf::{component}"));
    }
}

/// Sides whose product is no number of bytes are an error of the codelet.
#[test]
fn a_picture_of_a_size_that_no_memory_has_is_refused() {
    let side = i32::MAX;
    let app = entity(
        "set",
        &[
            "name: pool, type: nvidia::gxf::StreamOrderedAllocator",
            "name: out, type: nvidia::gxf::DoubleBufferTransmitter",
            &format!(
                "type: nvidia::gxf::NppiSet, parameters: {{rows: {side}, columns: {side}, channels: 4, \
                 value: [1, 2, 3, 4], pool: pool, out: out}}"
            ),
            "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}",
        ],
    ) + &scheduler(SCHEDULERS[0].1);
    let ended = on_device(&app, "eager").with_status(5);
    ended.complains("GXF_ARGUMENT_OUT_OF_RANGE");
    let sides = format!("a picture of {side} x {side} x 4 numbers of 4 bytes is too large");
    ended.complains(&sides);
}

/// Work on one device and memory on another are an error that names both, and no crash on the device.
#[test]
fn memory_of_another_device_is_named() {
    if is_on_gpu() {
        eprintln!("skipped: needs two devices");
        return;
    }
    let pool = "name: pool, type: nvidia::gxf::StreamOrderedAllocator";
    let tx = "name: out, type: nvidia::gxf::DoubleBufferTransmitter";
    let set = "type: nvidia::gxf::NppiSet, parameters: {rows: 4, columns: 8, channels: 1, value: [1], pool: \
               pool, out: out}";
    let count = "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 3}";
    let rx = "name: in, type: nvidia::gxf::DoubleBufferReceiver";
    let multiply =
        "type: nvidia::gxf::NppiMulC, parameters: {in: in, factor: [2], pool: pool, out: out}";
    let copy = "type: nvidia::gxf::TensorCopier, parameters: {receiver: in, transmitter: out, allocator: \
                pool, mode: 0}";
    let sync = "type: nvidia::gxf::CudaStreamSync, parameters: {rx: in}";
    let connected = |source: &str, target: &str| {
        let path = format!("source: {source}/out, target: {target}/in");
        format!("- {{type: nvidia::gxf::Connection, parameters: {{{path}}}}}\n")
    };
    let gpu = "type: nvidia::gxf::GPUDevice, parameters: {dev_id: 1}";
    let app = |copies: bool| {
        let last = if copies { "copy" } else { "set" };
        let links = [
            if copies { connected("set", "copy") } else { String::new() },
            connected(last, "multiply"),
            connected("multiply", "sync"),
        ];
        [
            "default_conditions: true\n".to_owned(),
            entity("gpu", &[gpu]),
            entity("set", &[tx, pool, set, count]),
            if copies { entity("copy", &[rx, tx, pool, copy]) } else { String::new() },
            entity("multiply", &[rx, tx, pool, multiply]),
            entity("sync", &[rx, sync]),
            format!("---\ncomponents:\n{}", links.concat()),
            "---\nEntityGroups:\n- {name: second, target: [gpu, set]}\n".to_owned(),
            scheduler(SCHEDULERS[0].1),
        ]
        .concat()
    };
    let on_two = |copies: bool, mode: &str| {
        let gxe = gxe(&app(copies), "").env("CUDA_STAND_IN_DEVICES", "2");
        let folder = gxe.folder();
        let (ended, report) = run(with_driver(gxe, &folder, mode));
        report.nothing_is_left();
        ended
    };
    // With the name of a stream, too, and memory that comes home behind another device's work.
    let named = [
        tx,
        pool,
        "name: host, type: nvidia::gxf::UnboundedAllocator",
        "name: streams, type: nvidia::gxf::CudaStreamPool",
        "type: nvidia::gxf::test::cuda::StreamTensorGenerator, parameters: {cuda_tx: out, cuda_tensor_pool: \
         pool, host_tensor_pool: host, stream_pool: streams}",
        count,
    ];
    let four = "type: nvidia::gxf::NppiMulC, parameters: {in: in, factor: [2, 2, 2, 2], pool: pool, out: out}";
    for kind in [
        "StreamOrderedAllocator",
        "UnboundedAllocator",
        "BlockMemoryPool, parameters: {storage_type: 1, block_size: 4096, num_blocks: 16}",
    ] {
        let with = |text: String| text.replace("StreamOrderedAllocator", kind);
        for mode in modes() {
            let app =
                app(true).replace(&entity("set", &[tx, pool, set, count]), &entity("set", &named));
            let app = with(app.replace(multiply, four));
            assert!(app.contains("StreamTensorGenerator") && app.contains(four), "{app}");
            let manifest = format!("{MANIFEST}- libgxf_test_cuda.so\n");
            let gxe = gxe(&app, "").file("manifest.yaml", &manifest);
            let gxe = gxe.env("CUDA_STAND_IN_DEVICES", "2");
            let folder = gxe.folder();
            let (ended, report) = run(with_driver(gxe, &folder, mode));
            _ = ended.clean();
            report.nothing_is_left();
        }
    }
    for mode in modes() {
        let ended = on_two(false, mode).with_status(5);
        ended.complains("entity `multiply`, component of type nvidia::gxf::NppiMulC");
        ended.complains(
            "work on CUDA device 0 cannot use memory of device 1; let a TensorCopier with `mode: 0` and an \
             allocator of device 0 copy the data",
        );
        _ = on_two(true, mode).clean();
    }
}
