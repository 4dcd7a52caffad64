//! Terms that wait for more messages than their receivers hold, or for more room.

use super::graph::{Graph, at, note, number, single_target};
use super::liveness::Liveness;
use super::term::{BACK_PRESSURE, Demand, capacity};
use crate::graph::{Diagnostic, Span};
use crate::plugin::component::Component;
use gxf_plugin_abi::ResultCode;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for term in entity.components().iter() {
            if term.type_info().name == BACK_PRESSURE {
                room(graph, entity.name(), term, findings);
            } else if let Some(demand) = Demand::of(graph, term) {
                messages(graph, entity.name(), term, &demand, findings);
            }
        }
    }
}

fn messages(
    graph: &Graph<'_>,
    entity: &str,
    term: &Component,
    demand: &Demand,
    findings: &mut Vec<Diagnostic>,
) {
    let capacity_of = |receiver| capacity(graph.component(receiver)?);
    match demand {
        Demand::Each(list) => {
            for (receiver, wanted) in list {
                let Some(held) = capacity_of(*receiver).filter(|held| held < wanted) else {
                    continue;
                };
                let Some(queue) = graph.component(*receiver) else { continue };
                let path = graph.path(queue);
                let message = format!(
                    "entity `{entity}` waits until receiver `{path}` holds {wanted} messages, but \
                     it holds {held} at most, so the entity never ticks"
                );
                let key = minimum_key(term);
                let finding = finding(message, graph.parameter_place(term, key), *wanted);
                let finding = note_capacity(graph, finding, queue);
                findings.push(finding.help(format!(
                    "set `capacity` of `{path}` to at least {wanted}, or `{key}` to {held} or less"
                )));
            }
        }
        Demand::Sum(receivers, wanted) => {
            let held: Option<u64> = receivers.iter().map(|receiver| capacity_of(*receiver)).sum();
            let Some(held) = held.filter(|held| held < wanted) else { return };
            let message = format!(
                "entity `{entity}` waits until its receivers hold {wanted} messages together, but \
                 they hold {held} at most, so the entity never ticks"
            );
            let key = minimum_key(term);
            let finding = finding(message, graph.parameter_place(term, key), *wanted);
            findings.push(finding.help(format!(
                "set `capacity` of the receivers to at least {wanted} together, or `{key}` to \
                 {held} or less"
            )));
        }
    }
}

fn room(graph: &Graph<'_>, entity: &str, term: &Component, findings: &mut Vec<Diagnostic>) {
    let Some(transmitter) = term.parameter("transmitter").as_ref().and_then(single_target) else {
        return;
    };
    let wanted = term.parameter("min_size").as_ref().and_then(number).unwrap_or(1);
    for receiver in graph.receivers(transmitter) {
        let Some(queue) = graph.component(*receiver) else { continue };
        let Some(held) = capacity(queue).filter(|held| *held < wanted) else { continue };
        let path = graph.path(queue);
        let message = format!(
            "entity `{entity}` waits until receiver `{path}` has room for {wanted} messages, but \
             it holds {held} at most, so the entity never ticks"
        );
        let finding = finding(message, graph.parameter_place(term, "min_size"), wanted);
        let finding = note_capacity(graph, finding, queue);
        findings.push(finding.help(format!(
            "set `capacity` of `{path}` to at least {wanted}, or `min_size` to {held} or less"
        )));
    }
}

fn finding(message: String, place: Option<Span>, wanted: u64) -> Diagnostic {
    let finding = Diagnostic::error(ResultCode::ARGUMENT_OUT_OF_RANGE, message);
    at(finding, place).label(format!("asks for {wanted}"))
}

fn note_capacity(graph: &Graph<'_>, finding: Diagnostic, queue: &Component) -> Diagnostic {
    note(finding, graph.parameter_place(queue, "capacity"), "the capacity of the receiver")
}

/// The parameter that says how many messages a term waits for.
fn minimum_key(term: &Component) -> &'static str {
    let keys = ["min_sizes", "min_sum", "min_size"];
    keys.into_iter().find(|key| term.parameter(key).is_some()).unwrap_or("min_size")
}
