//! Queues without a connection or topic.

use super::graph::{Graph, at, has_codelet, is_combiner, quoted};
use super::liveness::Liveness;
use super::term::BACK_PRESSURE;
use gxf_app::suggest::nearest;
use gxf_app::{Diagnostic, Diagnostics};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Tid, Uid, tids};
use std::sync::Arc;

pub(super) fn transmitters(
    graph: &Graph<'_>,
    _liveness: &Liveness,
    findings: &mut Vec<Diagnostic>,
) {
    for (entity, queue) in queues(graph, tids::TRANSMITTER) {
        let is_connected = !graph.receivers(queue.cid()).is_empty();
        if is_connected || !graph.is_local(&queue) || graph.is_used_from_outside(queue.cid()) {
            continue;
        }
        let name = entity.name();
        let waits = graph.own_links(&queue).any(|user| {
            user.type_info().name == BACK_PRESSURE
                && !graph.own_links(user).any(|user| is_combiner(user))
        });
        let path = graph.path(&queue);
        let finding = if waits && has_codelet(&entity) {
            let message = format!(
                "nothing is connected to transmitter `{path}`, and a term waits for room in its \
                 receivers, so entity `{name}` never ticks"
            );
            Diagnostic::error(ResultCode::FAILURE, message)
        } else {
            let message = format!(
                "nothing is connected to transmitter `{path}`, so everything published through it \
                 is lost"
            );
            Diagnostic::warning(message)
        };
        let target = candidate(graph, &queue, tids::RECEIVER, findings.len());
        findings.push(with_connection(at(finding, graph.place(&queue)), &path, &target));
    }
}

pub(super) fn receivers(graph: &Graph<'_>, liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for (_, queue) in queues(graph, tids::RECEIVER) {
        let is_connected = !graph.sources(queue.cid()).is_empty();
        if is_connected || !graph.is_local(&queue) || graph.is_used_from_outside(queue.cid()) {
            continue;
        }
        let path = graph.path(&queue);
        let roots = liveness.waiting_for(queue.cid());
        let names = |ids: &[Uid]| -> Vec<String> {
            ids.iter().filter_map(|eid| Some(graph.entity(*eid)?.name().to_owned())).collect()
        };
        let waiting = names(roots);
        let mut finding = match waiting.as_slice() {
            [] => Diagnostic::warning(format!(
                "nothing is connected to receiver `{path}`, so no message ever arrives there"
            )),
            [first, ..] => {
                let message = format!(
                    "nothing is connected to receiver `{path}`, so entity `{first}`, which waits \
                     for its messages, never ticks"
                );
                Diagnostic::error(ResultCode::FAILURE, message)
            }
        };
        finding = at(finding, graph.place(&queue));
        let source = candidate(graph, &queue, tids::TRANSMITTER, findings.len());
        finding = with_connection(finding, &source, &path);
        let mut followers: Vec<String> = waiting.into_iter().skip(1).collect();
        followers.extend(liveness.followers(graph, roots));
        if !followers.is_empty() {
            finding = finding.help(format!("these never tick as a result: {}", quoted(followers)));
        }
        findings.push(finding);
    }
}

/// All queues of a kind, with their entities.
fn queues(graph: &Graph<'_>, tid: Tid) -> Vec<(Arc<Entity>, Arc<Component>)> {
    let mut queues = Vec::new();
    for entity in &graph.entities {
        for component in entity.components().iter().filter(|component| component.is_a(tid)) {
            queues.push((entity.clone(), component.clone()));
        }
    }
    queues
}

/// An unconnected queue of another entity that may be the intended one, or else a placeholder.
/// Searching takes time, so only findings that are shown get one.
fn candidate(graph: &Graph<'_>, queue: &Component, wanted: Tid, findings: usize) -> String {
    let words = if wanted == tids::RECEIVER { "ENTITY/RECEIVER" } else { "ENTITY/TRANSMITTER" };
    if findings >= Diagnostics::SHOWN {
        return words.to_owned();
    }
    let unconnected: Vec<String> = queues(graph, wanted)
        .iter()
        .filter(|(entity, other)| {
            let cid = other.cid();
            let is_connected = !graph.receivers(cid).is_empty() || !graph.sources(cid).is_empty();
            entity.eid() != queue.eid() && !is_connected
        })
        .map(|(_, other)| graph.path(other))
        .collect();
    let own = graph.path(queue);
    match unconnected.as_slice() {
        [one] => one.clone(),
        several => nearest(&own, several.iter().map(String::as_str)).unwrap_or(words).to_owned(),
    }
}

fn with_connection(finding: Diagnostic, source: &str, target: &str) -> Diagnostic {
    finding.help(format!(
        "connect it: - {{type: nvidia::gxf::Connection, parameters: {{source: {source}, target: \
         {target}}}}}"
    ))
}
