//! Terms that wait for more memory than their pool has.

use super::consequence::Consequence;
use super::graph::{Graph, note, number, single_target};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        let components = entity.components();
        let terms = components
            .iter()
            .filter(|known| known.type_info().name == "nvidia::gxf::MemoryAvailableSchedulingTerm");
        findings.extend(terms.filter_map(|term| finding(graph, entity.name(), term)));
    }
}

fn finding(graph: &Graph<'_>, entity: &str, term: &Component) -> Option<Diagnostic> {
    let pool = graph.component(single_target(&term.parameter("allocator")?)?)?;
    if pool.type_info().name != "nvidia::gxf::BlockMemoryPool" {
        return None;
    }
    let value_of = |component: &Component, key| number(&component.parameter(key)?);
    let (has, block_size) = (value_of(pool, "num_blocks")?, value_of(pool, "block_size")?);
    let in_blocks = |bytes: u64| bytes.div_ceil(block_size.max(1));
    let blocks = value_of(term, "min_blocks").map(|blocks| (blocks, "min_blocks"));
    let bytes = value_of(term, "min_bytes").map(|bytes| (in_blocks(bytes), "min_bytes"));
    // With neither, activation complains.
    let (wanted, key) = blocks.max(bytes)?;
    if wanted <= has {
        return None;
    }
    let path = graph.path(pool);
    let problem = format!(
        "entity `{entity}` waits until {wanted} blocks of `{path}` are free, but it has {has}"
    );
    let place = graph.parameter_place(term, key);
    let finding = Consequence::of(graph, term).finding(&problem, place);
    let finding = note(finding, graph.parameter_place(pool, "num_blocks"), "the pool");
    Some(
        finding
            .help(format!("set `num_blocks` of `{path}` to at least {wanted}, or lower `{key}`")),
    )
}
