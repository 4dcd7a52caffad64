//! Graphs without a scheduler, or with several.

use super::graph::{Graph, at, has_codelet, note};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ResultCode, tids};
use std::sync::Arc;

/// The schedulers of a graph.
pub(super) fn all(graph: &Graph<'_>) -> Vec<Arc<Component>> {
    let components = graph.entities.iter().flat_map(|entity| entity.components().to_vec());
    components.filter(|component| component.is_a(tids::SCHEDULER)).collect()
}

pub(super) fn none(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    let mut components = graph.entities.iter().flat_map(|entity| entity.components().to_vec());
    if components.any(|component| component.is_a(tids::SYSTEM)) {
        return;
    }
    let Some(first) = graph.entities.iter().find(|entity| has_codelet(entity)) else { return };
    let codelets = graph.entities.iter().filter(|entity| has_codelet(entity)).count();
    let message = match codelets {
        1 => "the graph has no scheduler, so its one entity with a codelet never ticks".to_owned(),
        _ => format!(
            "the graph has no scheduler, so none of its {codelets} entities with codelets ever \
             ticks"
        ),
    };
    let codelet = first.components().iter().find(|known| known.is_a(tids::CODELET)).cloned();
    let place = codelet.and_then(|codelet| graph.place(&codelet));
    // As in GXF such a graph is activated and ends well, so this is no error.
    let finding = Diagnostic::warning(message);
    findings.push(at(finding, place).label("the first codelet").help(
        "add an entity: {name: scheduler, components: [{name: clock, type: \
         nvidia::gxf::RealtimeClock}, {type: nvidia::gxf::GreedyScheduler, parameters: {clock: \
         clock}}]}",
    ));
}

pub(super) fn several(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    let schedulers = all(graph);
    let Some((first, others)) = schedulers.split_first() else { return };
    for other in others {
        let finding = Diagnostic::error(
            ResultCode::ARGUMENT_INVALID,
            "the graph has several schedulers, and each of them would run all entities",
        );
        let finding = at(finding, graph.place(other)).label("remove one of them");
        let finding = note(finding, graph.place(first), "the first one is here");
        findings.push(finding.help("keep one scheduler; it runs the entities of all files"));
    }
}
