//! Tensors that lie on a device, and lead to codelets that read them with the CPU.

use super::graph::{Graph, at, note, number, short_name, single_target, targets};
use super::liveness::Liveness;
use super::wrong_payload::FORWARDERS;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{StorageType, Uid, tids};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Codelets that read with the CPU, by the beginnings of their types.
const READERS: &[&str] = &["gxe::io::", "gxe::math::", "gxe::view::ImageSink", "gxe::view::Plot"];

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for reader in entity.components().iter().filter(|codelet| reads_with_cpu(codelet)) {
            for spec in &reader.type_info().parameters {
                let Some(value) = reader.parameter(&spec.key) else { continue };
                for queue in targets(&value) {
                    let is_receiver = |queue: &&Arc<Component>| queue.is_a(tids::RECEIVER);
                    let Some(queue) = graph.component(queue).filter(is_receiver) else { continue };
                    if let Some(sender) = sender(graph, queue, &mut FxHashSet::default()) {
                        findings.push(finding(graph, reader, &spec.key, queue, &sender));
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
fn sender(
    graph: &Graph<'_>,
    receiver: &Component,
    seen: &mut FxHashSet<Uid>,
) -> Option<Arc<Component>> {
    if !seen.insert(receiver.cid()) {
        return None;
    }
    for source in graph.sources(receiver.cid()) {
        let Some(owner) = graph.owner(*source) else { continue };
        let components = owner.components();
        let codelets = || components.iter().filter(|component| component.is_a(tids::CODELET));
        if let Some(sender) = codelets().find(|codelet| sends_to(graph, codelet, *source)) {
            return Some(sender.clone());
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

fn finding(
    graph: &Graph<'_>,
    reader: &Component,
    key: &str,
    receiver: &Component,
    sender: &Component,
) -> Diagnostic {
    let message = format!(
        "`{}` reads with the CPU what `{}` sends to `{}`, and that lies on a device",
        short_name(&reader.type_info().name),
        graph.path(sender),
        graph.path(receiver),
    );
    let finding = at(Diagnostic::warning(message), graph.parameter_place(reader, key));
    note(finding, graph.place(sender), "sends tensors on a device").help(
        "put a nvidia::gxf::TensorCopier with `mode: 1` (host) between them, or `mode: 2` (system)",
    )
}
