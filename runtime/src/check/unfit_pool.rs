//! Pools with another kind of memory, or smaller blocks, than a codelet takes from them.

use super::graph::{Graph, at, note, number, short_name, single_target};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;
use gxf_plugin_abi::StorageType;

const BLOCK_POOL: &str = "nvidia::gxf::BlockMemoryPool";

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for codelet in entity.components().iter() {
            findings.extend(finding(graph, codelet));
        }
    }
}

/// What a codelet takes from a pool at a time.
struct Taken {
    /// The parameter that names the pool.
    key: &'static str,
    storage: StorageType,
    /// `None` if that depends on its messages.
    bytes: Option<u64>,
}

fn taken(codelet: &Component) -> Option<Taken> {
    let value_of = |key| number(&codelet.parameter(key)?);
    match &*codelet.type_info().name {
        "nvidia::gxf::NppiSet" => {
            let mut sides = ["rows", "columns", "channels"].map(value_of).into_iter();
            // Pixels are float32.
            let bytes = sides.try_fold(4_u64, |bytes, side| bytes.checked_mul(side?));
            Some(Taken { key: "pool", storage: StorageType::DEVICE, bytes })
        }
        "nvidia::gxf::NppiMulC" => {
            Some(Taken { key: "pool", storage: StorageType::DEVICE, bytes: None })
        }
        "nvidia::gxf::TensorCopier" => {
            let kinds = [StorageType::DEVICE, StorageType::HOST, StorageType::SYSTEM];
            let storage = *kinds.get(usize::try_from(value_of("mode")?).ok()?)?;
            Some(Taken { key: "allocator", storage, bytes: None })
        }
        _ => None,
    }
}

/// The kinds of memory of a pool; `None` for allocators that may have any.
fn kinds(pool: &Component) -> Option<Vec<StorageType>> {
    match &*pool.type_info().name {
        BLOCK_POOL => {
            let storage = number(&pool.parameter("storage_type")?)?;
            Some(vec![StorageType(i32::try_from(storage).ok()?)])
        }
        "nvidia::gxf::StreamOrderedAllocator" => Some(vec![StorageType::DEVICE]),
        "nvidia::gxf::RMMAllocator" => Some(vec![StorageType::HOST, StorageType::DEVICE]),
        _ => None,
    }
}

fn name(storage: StorageType) -> &'static str {
    match storage {
        StorageType::HOST => "host",
        StorageType::DEVICE => "device",
        StorageType::SYSTEM => "system",
        StorageType::CUDA_MANAGED => "managed",
        _ => "another kind of",
    }
}

fn finding(graph: &Graph<'_>, codelet: &Component) -> Option<Diagnostic> {
    let taken = taken(codelet)?;
    let pool = graph.component(single_target(&codelet.parameter(taken.key)?)?)?;
    let kinds = kinds(pool)?;
    let path = graph.path(pool);
    let who = short_name(&codelet.type_info().name);
    let is_block_pool = pool.type_info().name == BLOCK_POOL;
    let (key, message, help) = if !kinds.contains(&taken.storage) {
        let wanted = name(taken.storage);
        let names: Vec<_> = kinds.into_iter().map(name).collect();
        let message = format!(
            "`{who}` takes {wanted} memory from `{path}`, which has {} memory only: its tick fails",
            names.join(" and ")
        );
        let help = match is_block_pool {
            true => format!("set `storage_type` of `{path}` to {} ({wanted})", taken.storage.0),
            false => format!("name an allocator with {wanted} memory in `{}`", taken.key),
        };
        ("storage_type", message, help)
    } else if is_block_pool {
        let block_size = number(&pool.parameter("block_size")?)?;
        let bytes = taken.bytes.filter(|bytes| *bytes > block_size)?;
        let message = format!(
            "`{who}` takes {bytes} bytes at a time from `{path}`, whose blocks have {block_size}: \
             its tick fails"
        );
        ("block_size", message, format!("set `block_size` of `{path}` to at least {bytes}"))
    } else {
        return None;
    };
    let finding = at(Diagnostic::warning(message), graph.parameter_place(codelet, taken.key));
    Some(note(finding, graph.parameter_place(pool, key), "the pool").help(help))
}
