//! Senders that nothing slows down when a bounded receiver is full.

use super::graph::{Graph, at, has_codelet, note, number};
use super::liveness::Liveness;
use super::term::{BACK_PRESSURE, COUNT, capacity};
use gxf_app::Diagnostic;
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::tids;
use std::sync::Arc;

/// The policy under which a full receiver is an error.
const FAULT: u64 = 2;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity)) {
        for transmitter in entity.components().iter().filter(|known| known.is_a(tids::TRANSMITTER))
        {
            if is_held_back(graph, transmitter) {
                continue;
            }
            let receivers = graph.receivers(transmitter.cid()).iter();
            let mut receivers = receivers.filter_map(|cid| graph.component(*cid));
            let Some(receiver) = receivers.find(|receiver| {
                loses(receiver) && !has_room_for_all(graph, entity, transmitter, receiver)
            }) else {
                continue;
            };
            findings.push(finding(graph, transmitter, receiver));
        }
    }
}

/// Whether the transmitter's entity waits for room in the receivers.
fn is_held_back(graph: &Graph<'_>, transmitter: &Component) -> bool {
    graph.own_links(transmitter).any(|user| user.type_info().name == BACK_PRESSURE)
}

/// Whether an entity ticks so few times that the receiver can hold all its messages, while all
/// other senders wait for room. This is true for the single message that starts a cycle.
fn has_room_for_all(
    graph: &Graph<'_>,
    entity: &Entity,
    transmitter: &Component,
    receiver: &Component,
) -> bool {
    let components = entity.components();
    let counts = components.iter().filter(|known| known.type_info().name == COUNT);
    let ticks = counts.filter_map(|term| number(&term.parameter("count")?)).min();
    let fits = ticks.zip(capacity(receiver)).is_some_and(|(ticks, held)| ticks <= held);
    let sources = graph.sources(receiver.cid()).iter().filter_map(|cid| graph.component(*cid));
    let mut others = sources.filter(|source| source.cid() != transmitter.cid());
    fits && others.all(|source| is_held_back(graph, source))
}

/// Whether a receiver may be full without a policy for that case.
fn loses(receiver: &Arc<Component>) -> bool {
    let policy = receiver.parameter("policy").as_ref().and_then(number);
    capacity(receiver).is_some() && policy == Some(FAULT)
}

fn finding(graph: &Graph<'_>, transmitter: &Component, receiver: &Component) -> Diagnostic {
    let (from, to) = (graph.path(transmitter), graph.path(receiver));
    let held = capacity(receiver).unwrap_or_default();
    let messages = if held == 1 { "1 message" } else { &format!("{held} messages") };
    let finding = Diagnostic::warning(format!(
        "nothing slows `{from}` down when `{to}` is full, so messages may be lost: it holds \
         {messages}"
    ));
    let finding = at(finding, graph.place(transmitter));
    let finding = note(finding, graph.parameter_place(receiver, "capacity"), "the receiver");
    finding
        .help(format!(
            "add to the entity: - {{type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, \
             parameters: {{transmitter: {}}}}}",
            transmitter.label()
        ))
        .help(format!("or choose what to lose: policy 0 of `{to}` drops the oldest, 1 the newest"))
}
