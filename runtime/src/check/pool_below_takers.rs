//! Pools on a device that have less than one stream or block for each codelet that takes from them.

use super::graph::{Graph, at, note, number};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{StorageType, tids};
use std::sync::Arc;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for pool in entity.components().iter() {
            findings.extend(finding(graph, pool));
        }
    }
}

/// What a pool has: the parameter that limits it, the limit, and a word for its pieces.
fn limit(pool: &Component) -> Option<(&'static str, u64, &'static str)> {
    let value_of = |key| number(&pool.parameter(key)?);
    match &*pool.type_info().name {
        // 0 is no limit.
        "nvidia::gxf::CudaStreamPool" => {
            let most = value_of("max_size").filter(|most| *most > 0)?;
            Some(("max_size", most, "stream"))
        }
        "nvidia::gxf::BlockMemoryPool" => {
            let storage = i32::try_from(value_of("storage_type")?).ok()?;
            let is_device = [StorageType::DEVICE, StorageType::CUDA_MANAGED]
                .iter()
                .any(|device| device.0 == storage);
            is_device.then_some(("num_blocks", value_of("num_blocks")?, "block"))
        }
        _ => None,
    }
}

fn finding(graph: &Graph<'_>, pool: &Arc<Component>) -> Option<Diagnostic> {
    let (key, has, piece) = limit(pool)?;
    let mut takers: Vec<&Arc<Component>> =
        graph.links(pool.cid()).iter().filter(|user| user.is_a(tids::CODELET)).collect();
    takers.dedup_by_key(|taker| taker.cid());
    let wanted = takers.len() as u64;
    if wanted <= has {
        return None;
    }
    let path = graph.path(pool);
    let s = if has == 1 { "" } else { "s" };
    let message = format!(
        "{wanted} codelets take {piece}s from `{path}`, which has {has} {piece}{s}: the last ones \
         find none while the others keep theirs"
    );
    let finding = at(Diagnostic::warning(message), graph.parameter_place(pool, key));
    let missing = takers.iter().rev().take(usize::try_from(wanted - has).unwrap_or(usize::MAX));
    let named = missing
        .take(3)
        .fold(finding, |finding, taker| note(finding, graph.place(taker), "takes from it"));
    Some(named.help(format!("set `{key}` of `{path}` to at least {wanted}")))
}
