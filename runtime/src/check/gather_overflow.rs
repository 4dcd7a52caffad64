//! A `Gather` that sends more messages in a tick than the connected queues can hold.

use super::graph::{Graph, at, is_combiner, is_standard, note, number, quoted, single_target};
use super::liveness::Liveness;
use super::term::{BACK_PRESSURE, Demand, capacity};
use gxf_app::Diagnostic;
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::tids;
use std::sync::Arc;

const GATHER: &str = "nvidia::gxf::Gather";
/// The policy under which a full queue is an error. With the others, the user has chosen what to
/// lose.
const FAULT: u64 = 2;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        let components = entity.components();
        for gather in components.iter().filter(|known| known.type_info().name == GATHER) {
            let sink = gather.parameter("sink").as_ref().and_then(single_target);
            let Some(sink) = sink.and_then(|sink| graph.component(sink)) else { continue };
            findings.extend(finding(graph, entity, gather, sink));
        }
    }
}

fn finding(
    graph: &Graph<'_>,
    entity: &Entity,
    gather: &Component,
    sink: &Arc<Component>,
) -> Option<Diagnostic> {
    // How an extension's queue handles a message without room is unknown.
    if !is_standard(sink) {
        return None;
    }
    let limit = gather.parameter("tick_source_limit").as_ref().and_then(number).unwrap_or(0);
    let limit = if limit == 0 { u64::MAX } else { limit };
    let components = entity.components();
    let receivers = components.iter().filter(|known| known.is_a(tids::RECEIVER));
    let sources: Vec<&Arc<Component>> =
        receivers.filter(|receiver| !graph.sources(receiver.cid()).is_empty()).collect();
    let held: Option<Vec<u64>> = sources.iter().map(|receiver| capacity(receiver)).collect();
    let most: u64 = held?.into_iter().map(|held| held.min(limit)).sum();
    let (queue, room) = narrowest(graph, sink, most)?;
    let is_sink = queue.cid() == sink.cid();
    let least = least(graph, entity, &sources, limit);
    let (names, path) = (sources.iter().map(|known| graph.path(known)), graph.path(queue));
    let count = if least > room { least } else { most };
    let may = if least > room { "publishes at least" } else { "may publish" };
    let outcome = if is_sink {
        "then the tick fails and ends the graph"
    } else {
        "what does not fit is lost"
    };
    let text = format!(
        "`{path}` holds {room} at most, and a tick of entity `{}` {may} {count} messages, from {}: \
         {outcome}",
        entity.name(),
        quoted(names),
    );
    let finding = if least > room && is_sink {
        Diagnostic::error(gxf_plugin_abi::ResultCode::EXCEEDING_PREALLOCATED_SIZE, text)
    } else {
        Diagnostic::warning(text)
    };
    let finding = at(finding, graph.parameter_place(queue, "capacity"));
    let finding = note(finding, graph.place(gather), "the Gather");
    let what = if is_sink {
        format!("`capacity` of `{path}`")
    } else {
        format!("`capacity` of `{path}`, and `min_size` of the term that waits for room there,")
    };
    let finding = finding.help(format!("set {what} to at least {most}"));
    Some(if sources.len() as u64 <= room && limit > 1 && least <= sources.len() as u64 {
        finding.help("or `tick_source_limit` of the Gather to 1")
    } else {
        finding
    })
}

/// The first queue connected to a Gather that holds fewer messages than the Gather may send, and
/// how many it holds.
fn narrowest<'a>(
    graph: &'a Graph<'_>,
    sink: &'a Arc<Component>,
    most: u64,
) -> Option<(&'a Arc<Component>, u64)> {
    let too_small = |queue: &'a Arc<Component>| {
        let policy = queue.parameter("policy").as_ref().and_then(number);
        let held = capacity(queue).filter(|held| *held < most && policy == Some(FAULT))?;
        is_standard(queue).then_some((queue, held))
    };
    // If nothing waits for room, another rule reports it.
    let waits = graph.own_links(sink).any(|user| user.type_info().name == BACK_PRESSURE);
    let receivers = graph.receivers(sink.cid()).iter().filter(|_| waits);
    let mut receivers = receivers.filter_map(|cid| graph.component(*cid));
    too_small(sink).or_else(|| receivers.find_map(too_small))
}

/// The number of messages that every tick of an entity finds according to its terms, taking at most
/// a limit from each receiver.
fn least(graph: &Graph<'_>, entity: &Entity, sources: &[&Arc<Component>], limit: u64) -> u64 {
    let components = entity.components();
    let terms = components.iter().filter(|known| known.is_a(tids::SCHEDULING_TERM));
    let free = terms.filter(|term| !graph.own_links(term).any(|user| is_combiner(user)));
    let demands: Vec<Demand> = free.filter_map(|term| Demand::of(graph, term)).collect();
    let wanted = |receiver: &Component| {
        let each = demands.iter().flat_map(|demand| match demand {
            Demand::Each(list) => list.as_slice(),
            Demand::Sum(..) => &[],
        });
        let own = each.filter(|(cid, _)| *cid == receiver.cid());
        own.map(|(_, wanted)| (*wanted).min(limit)).max().unwrap_or(0)
    };
    let each: u64 = sources.iter().map(|receiver| wanted(receiver)).sum();
    let together = demands.iter().filter_map(|demand| match demand {
        Demand::Sum(_, wanted) if limit == u64::MAX => Some(*wanted),
        _ => None,
    });
    together.fold(each, u64::max)
}
