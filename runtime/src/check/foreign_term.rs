//! Terms that watch a queue of another entity.

use super::graph::{Graph, at, note, quoted, targets};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::tids;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        let components = entity.components();
        for term in components.iter().filter(|known| known.is_a(tids::SCHEDULING_TERM)) {
            for spec in &term.type_info().parameters {
                let Some(value) = term.parameter(&spec.key) else { continue };
                for target in targets(&value) {
                    let Some(queue) = graph.component(target) else { continue };
                    if queue.eid() != entity.eid() && queue.is_a(tids::QUEUE) {
                        findings.push(finding(graph, entity, term, &spec.key, queue));
                    }
                }
            }
        }
    }
}

fn finding(
    graph: &Graph<'_>,
    entity: &Entity,
    term: &Component,
    key: &str,
    queue: &Component,
) -> Diagnostic {
    let (path, name) = (graph.path(queue), entity.name());
    let is_receiver = queue.is_a(tids::RECEIVER);
    let (what, kind) = if is_receiver {
        ("and only that entity's codelets receive from it", tids::RECEIVER)
    } else {
        ("and only that entity's codelets publish to it", tids::TRANSMITTER)
    };
    let message = format!(
        "a term of entity `{name}` watches `{path}` of another entity, {what}: `{name}` ticks when \
         the other entity may"
    );
    let finding = Diagnostic::warning(message);
    let finding = at(finding, graph.parameter_place(term, key)).label("of another entity");
    let finding = note(finding, graph.place(queue), "the queue is here");
    let components = entity.components();
    let own = components.iter().filter(|known| known.is_a(kind));
    let own: Vec<_> = own.map(|queue| queue.label().to_owned()).collect();
    match own.as_slice() {
        [] => finding.help("move the queue to this entity, or the term to the other one"),
        own => finding.help(format!("own queues of `{name}`: {}", quoted(own.iter().cloned()))),
    }
}
