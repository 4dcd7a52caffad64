//! Tensors that lie on a device, and lead to codelets that read them with the CPU, or that work on
//! another device.

use super::graph::{Graph, at, note, number, short_name, single_target, targets};
use super::liveness::Liveness;
use super::wrong_payload::FORWARDERS;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{StorageType, Uid, tids};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Codelets that read with the CPU, by the beginnings of their types.
const READERS: &[&str] = &[
    "gxe::io::",
    "gxe::math::",
    "gxe::view::ImageSink",
    "gxe::view::Plot",
    "nvidia::gxf::test::PrintTensor",
    "nvidia::gxf::test::TensorComparator",
    "nvidia::gxf::test::cuda::HostDotProduct",
    "nvidia::gxf::test::cuda::VerifyEqual",
];

/// Codelets that read on their own device.
const WORKERS: &[&str] =
    &["nvidia::gxf::NppiMulC", "nvidia::holoscan::formatconverter::FormatConverter"];

/// A codelet that gets tensors on a device.
struct Path<'a> {
    reader: &'a Component,
    /// The parameter that names its receiver.
    key: &'a str,
    receiver: Arc<Component>,
    sender: Sender,
}

/// Who sends them, and its allocator.
struct Sender {
    codelet: Arc<Component>,
    allocator: Option<Arc<Component>>,
}

/// Finds readers with the CPU.
pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for_each_path(graph, reads_with_cpu, |path| findings.push(read_with_cpu(graph, &path)));
}

/// Finds readers on another device.
pub(super) fn check_devices(
    graph: &Graph<'_>,
    _liveness: &Liveness,
    findings: &mut Vec<Diagnostic>,
) {
    let works = |codelet: &Component| WORKERS.contains(&&*codelet.type_info().name);
    for_each_path(graph, works, |path| {
        let Some(allocator) = &path.sender.allocator else { return };
        let device_of = |one: &Component| graph.inner.device_of(one.eid()).unwrap_or(0);
        let [own, other] = [path.reader, allocator].map(device_of);
        if own != other {
            findings.push(read_elsewhere(graph, &path, own, other));
        }
    });
}

fn for_each_path(
    graph: &Graph<'_>,
    is_reader: impl Fn(&Component) -> bool,
    mut found: impl FnMut(Path<'_>),
) {
    for entity in &graph.entities {
        for reader in entity.components().iter().filter(|codelet| is_reader(codelet)) {
            for spec in &reader.type_info().parameters {
                let Some(value) = reader.parameter(&spec.key) else { continue };
                for queue in targets(&value) {
                    let is_receiver = |queue: &&Arc<Component>| queue.is_a(tids::RECEIVER);
                    let Some(queue) = graph.component(queue).filter(is_receiver) else { continue };
                    if let Some(sender) = sender(graph, queue, &mut FxHashSet::default()) {
                        let (key, receiver) = (&*spec.key, queue.clone());
                        found(Path { reader, key, receiver, sender });
                    }
                }
            }
        }
    }
}

fn reads_with_cpu(codelet: &Component) -> bool {
    let name = &*codelet.type_info().name;
    codelet.is_a(tids::CODELET)
        && !FORWARDERS.contains(&name)
        && READERS.iter().any(|prefix| name.starts_with(prefix))
}

/// A codelet whose tensors on a device reach a receiver, perhaps through others that pass messages
/// on.
fn sender(graph: &Graph<'_>, receiver: &Component, seen: &mut FxHashSet<Uid>) -> Option<Sender> {
    if !seen.insert(receiver.cid()) {
        return None;
    }
    for source in graph.sources(receiver.cid()) {
        let Some(owner) = graph.owner(*source) else { continue };
        let components = owner.components();
        let codelets = || components.iter().filter(|component| component.is_a(tids::CODELET));
        if let Some(codelet) = codelets().find(|codelet| sends_to(graph, codelet, *source)) {
            let of = |key| single_target(&codelet.parameter(key)?);
            let allocator = ["pool", "allocator"].into_iter().find_map(of);
            let allocator = allocator.and_then(|cid| graph.component(cid)).cloned();
            return Some(Sender { codelet: codelet.clone(), allocator });
        }
        if codelets().all(|codelet| FORWARDERS.contains(&&*codelet.type_info().name)) {
            let receivers = components.iter().filter(|component| component.is_a(tids::RECEIVER));
            let found = receivers.filter_map(|receiver| sender(graph, receiver, seen)).next();
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// Whether a codelet publishes only tensors on a device to this transmitter.
fn sends_to(graph: &Graph<'_>, codelet: &Component, transmitter: Uid) -> bool {
    let target_of = |key| single_target(&codelet.parameter(key)?);
    let key = match &*codelet.type_info().name {
        "nvidia::gxf::TensorCopier" => {
            let mode = codelet.parameter("mode").and_then(|mode| number(&mode));
            (mode == Some(0)).then_some("transmitter")
        }
        "nvidia::gxf::NppiSet" | "nvidia::gxf::NppiMulC" => Some("out"),
        "nvidia::holoscan::formatconverter::FormatConverter" => {
            let pool = target_of("pool").and_then(|pool| graph.component(pool));
            pool.is_some_and(|pool| has_only_device_memory(pool)).then_some("out")
        }
        _ => None,
    };
    key.and_then(target_of) == Some(transmitter)
}

fn has_only_device_memory(pool: &Component) -> bool {
    match &*pool.type_info().name {
        "nvidia::gxf::StreamOrderedAllocator" => true,
        "nvidia::gxf::BlockMemoryPool" => {
            let storage = pool.parameter("storage_type").and_then(|storage| number(&storage));
            storage == u64::try_from(StorageType::DEVICE.0).ok()
        }
        _ => false,
    }
}

fn read_with_cpu(graph: &Graph<'_>, path: &Path<'_>) -> Diagnostic {
    let message = format!(
        "`{}` reads with the CPU what `{}` sends to `{}`, and that lies on a device",
        short_name(&path.reader.type_info().name),
        graph.path(&path.sender.codelet),
        graph.path(&path.receiver),
    );
    finding(graph, path, message).help(
        "put a nvidia::gxf::TensorCopier with `mode: 1` (host) between them, or `mode: 2` (system)",
    )
}

fn read_elsewhere(graph: &Graph<'_>, path: &Path<'_>, own: i32, other: i32) -> Diagnostic {
    let message = format!(
        "`{}` works on CUDA device {own}, and what `{}` sends to `{}` lies on device {other}",
        short_name(&path.reader.type_info().name),
        graph.path(&path.sender.codelet),
        graph.path(&path.receiver),
    );
    finding(graph, path, message).help(format!(
        "put a nvidia::gxf::TensorCopier with `mode: 0` and an allocator of device {own} between \
         them, or both entities into a group with the same GPUDevice"
    ))
}

fn finding(graph: &Graph<'_>, path: &Path<'_>, message: String) -> Diagnostic {
    let place = graph.parameter_place(path.reader, path.key);
    let finding = at(Diagnostic::warning(message), place);
    note(finding, graph.place(&path.sender.codelet), "sends tensors on a device")
}
