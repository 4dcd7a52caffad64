//! Queues without a connection or topic, and links without a network context.

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
        let reason = reason(graph, &queue, "transmitter");
        let finding = if waits && has_codelet(&entity) {
            let message = format!(
                "{reason}, and a term waits for room in its receivers, so entity `{name}` never ticks"
            );
            Diagnostic::error(ResultCode::FAILURE, message)
        } else {
            let message = match graph.is_unopened_link(&queue) {
                true => format!("{reason}, so nothing that is published through it is sent"),
                false => format!("{reason}, so everything published through it is lost"),
            };
            Diagnostic::warning(message)
        };
        let finding = at(finding, graph.place(&queue));
        findings.push(if graph.is_unopened_link(&queue) {
            with_network(graph, finding, &queue)
        } else {
            let target = candidate(graph, &queue, tids::RECEIVER, findings.len());
            with_connection(finding, &path, &target)
        });
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
        let reason = reason(graph, &queue, "receiver");
        let mut finding = match waiting.as_slice() {
            [] => Diagnostic::warning(format!("{reason}, so no message ever arrives there")),
            [first, ..] => {
                let message = format!(
                    "{reason}, so entity `{first}`, which waits for its messages, never ticks"
                );
                Diagnostic::error(ResultCode::FAILURE, message)
            }
        };
        finding = at(finding, graph.place(&queue));
        finding = if graph.is_unopened_link(&queue) {
            with_network(graph, finding, &queue)
        } else {
            let source = candidate(graph, &queue, tids::TRANSMITTER, findings.len());
            with_connection(finding, &source, &path)
        };
        let mut followers: Vec<String> = waiting.into_iter().skip(1).collect();
        followers.extend(liveness.followers(graph, roots));
        if !followers.is_empty() {
            finding = finding.help(format!("these never tick as a result: {}", quoted(followers)));
        }
        findings.push(finding);
    }
}

/// Why no message passes a queue.
fn reason(graph: &Graph<'_>, queue: &Arc<Component>, kind: &str) -> String {
    let path = graph.path(queue);
    if graph.is_unopened_link(queue) {
        return format!("the graph has no network context that opens the link of {kind} `{path}`");
    }
    format!("nothing is connected to {kind} `{path}`")
}

/// Says which network context is missing, with the entity serializer of the graph if it has one.
fn with_network(graph: &Graph<'_>, finding: Diagnostic, link: &Component) -> Diagnostic {
    let Some(network) = graph.inner.network_type(link) else {
        return finding.help("add a network context, the component that opens links");
    };
    let components = graph.entities.iter().flat_map(|entity| entity.components().to_vec());
    let mut serializers = components.filter(|known| known.is_a(tids::ENTITY_SERIALIZER));
    let parameters = match (network.parameter("serializer"), serializers.next()) {
        (Some(_), Some(known)) => {
            format!(", parameters: {{serializer: {}}}", graph.path(&known))
        }
        (Some(_), None) => ", parameters: {serializer: ENTITY/SERIALIZER}".to_owned(),
        _ => String::new(),
    };
    finding.help(format!(
        "add the component that opens links: - {{type: {}{parameters}}}",
        network.name
    ))
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
