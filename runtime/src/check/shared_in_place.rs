//! Codelets that change messages in place which others read, too.

use super::graph::{Graph, at, note, quoted, short_name, targets};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{TYPE_IN_PLACE, Uid, tids};
use std::sync::Arc;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    findings.extend(shared(graph));
}

/// All codelets of this kind.
pub(super) fn shared(graph: &Graph<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for entity in &graph.entities {
        for codelet in entity.components().iter() {
            let Some(input) = changed(graph, codelet) else { continue };
            for source in graph.sources(input.cid()) {
                findings.extend(finding(graph, codelet, input, *source));
            }
        }
    }
    findings
}

/// The receiver whose messages a codelet says that it changes: the only one that it uses.
fn changed<'a>(graph: &'a Graph<'_>, codelet: &Component) -> Option<&'a Arc<Component>> {
    let info = codelet.type_info();
    if !codelet.is_a(tids::CODELET) || info.flags & TYPE_IN_PLACE == 0 {
        return None;
    }
    let values = info.parameters.iter().filter_map(|spec| codelet.parameter(&spec.key));
    let used = values.flat_map(|value| targets(&value));
    let used = used.filter_map(|cid| graph.component(cid));
    let mut receivers = used.filter(|one| one.is_a(tids::RECEIVER));
    let receiver = receivers.next()?;
    receivers.all(|other| other.cid() == receiver.cid()).then_some(receiver)
}

fn finding(
    graph: &Graph<'_>,
    codelet: &Component,
    input: &Component,
    source: Uid,
) -> Option<Diagnostic> {
    let others = graph.receivers(source).iter().filter(|cid| **cid != input.cid());
    let others: Vec<_> = others.filter_map(|cid| graph.component(*cid)).collect();
    let first = others.first()?;
    let (source, path) = (graph.path(graph.component(source)?), graph.path(input));
    let text = format!(
        "`{}` changes the messages of `{source}` in place, which {} gets, too",
        short_name(&codelet.type_info().name),
        quoted(others.iter().map(|other| graph.path(other))),
    );
    let finding = at(Diagnostic::warning(text), graph.place(codelet));
    let finding = note(finding, graph.place(first), "reads what is changed");
    Some(finding.help(format!(
        "send `{path}` copies of the messages, or take a codelet without the flag `in_place`, \
         which leaves them as they are"
    )))
}
