//! Senders that nothing holds back when a bounded receiver is full.

use super::graph::{Graph, at, has_codelet, note, number};
use super::liveness::Liveness;
use super::term::{BACK_PRESSURE, capacity};
use crate::graph::Diagnostic;
use crate::plugin::component::Component;
use gxf_plugin_abi::tids;
use std::sync::Arc;

/// The policy of a receiver that treats a message it has no room for as an error.
const FAULT: u64 = 2;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity)) {
        for transmitter in entity.components().iter().filter(|known| known.is_a(tids::TRANSMITTER))
        {
            let links = graph.links(transmitter.cid());
            if links.iter().any(|user| user.type_info().name == BACK_PRESSURE) {
                continue;
            }
            let receivers = graph.receivers(transmitter.cid()).iter();
            let lossy = receivers.filter_map(|cid| graph.component(*cid));
            let Some(receiver) = lossy.into_iter().find(|known| loses(known)) else { continue };
            findings.push(finding(graph, transmitter, receiver));
        }
    }
}

/// Whether a receiver may be full and nobody decided what happens then.
fn loses(receiver: &Arc<Component>) -> bool {
    let policy = receiver.parameter("policy").as_ref().and_then(number);
    capacity(receiver).is_some() && policy == Some(FAULT)
}

fn finding(graph: &Graph<'_>, transmitter: &Component, receiver: &Component) -> Diagnostic {
    let (from, to) = (graph.path(transmitter), graph.path(receiver));
    let held = capacity(receiver).unwrap_or_default();
    let messages = if held == 1 { "1 message" } else { &format!("{held} messages") };
    let finding = Diagnostic::warning(format!(
        "nothing holds `{from}` back when `{to}` is full, so messages may be lost: it holds \
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
        .help(format!("or say what may be lost: policy 0 of `{to}` drops the oldest, 1 the newest"))
}
