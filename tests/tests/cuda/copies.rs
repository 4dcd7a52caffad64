//! Tensors that are copied between host and device.

use super::{MESSAGE, POOLS, ROOM, RX, TX, connected, dot_product, entity, scheduler, stage};
use gxe_tests::cuda::{SCHEDULERS, modes, run, with_stand_in};

/// A stage that copies to the device (0), to the host (1), or from host to host (2).
fn copier(name: &str, mode: u32, pool: &str) -> String {
    let codelet = format!(
        "type: nvidia::gxf::TensorCopier, \
         parameters: {{receiver: in, transmitter: out, allocator: pool, mode: {mode}}}"
    );
    stage(name, &codelet, pool)
}

/// Tensors that a copier takes to the device and another one back, multiplied on the host.
pub(crate) fn there_and_back(back: u32, ticks: u32) -> String {
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

/// The product of ten pairs is the same on the host and on the device, in every order of the device's
/// work.
fn ten_pairs_are_equal(app: &str) {
    let app = app.to_owned() + &scheduler(SCHEDULERS[1].1);
    for mode in modes() {
        let (ended, report) = run(with_stand_in(&app, mode));
        let ended = ended.clean();
        assert_eq!(ended.count("10 pairs were equal"), 1, "{mode}\n{}", ended.stdout);
        report.nothing_is_left();
    }
}

#[test]
fn tensors_are_copied_to_the_device_and_back() {
    for back in [1, 2] {
        ten_pairs_are_equal(&there_and_back(back, 10));
    }
}

/// A copier from host memory to host memory waits for the device, which may still write to it.
#[test]
fn a_copy_on_the_host_waits_for_the_device() {
    let copier = copier("again", 2, "type: nvidia::gxf::UnboundedAllocator");
    let direct = connected("to_host/out", "verify/rx0");
    let detour = connected("to_host/out", "again/in") + &connected("again/out", "verify/rx0");
    let term = "- {type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: rx0}}\n";
    let app = dot_product(POOLS[1], "term", 10);
    assert!(app.contains(&direct) && app.contains(term), "{app}");
    ten_pairs_are_equal(&app.replace(&direct, &(copier + &detour)).replace(term, ""));
}

/// The same for a message that names no stream: its fence alone says when its data is valid.
#[test]
fn a_copy_on_the_host_waits_for_the_fence_of_its_message() {
    let host_pool = "type: nvidia::gxf::UnboundedAllocator";
    let direct = connected("host_dot/out", "verify/rx1");
    let detour = [
        copier("there", 0, POOLS[1]),
        stage(
            "back",
            "type: nvidia::gxf::test::cuda::MemCpy2Host, \
             parameters: {rx: in, tx: out, tensor_pool: pool}",
            host_pool,
        ),
        copier("again", 2, host_pool),
        connected("host_dot/out", "there/in"),
        connected("there/out", "back/in"),
        connected("back/out", "again/in"),
        connected("again/out", "verify/rx1"),
    ]
    .concat();
    let app = dot_product(POOLS[1], "sync", 10);
    assert!(app.contains(&direct), "{app}");
    ten_pairs_are_equal(&app.replace(&direct, &detour));
}
