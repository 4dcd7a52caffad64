//! Terms that wait for more messages than their receivers can hold, or for more room.

use super::consequence::Consequence;
use super::graph::{Graph, note, number, single_target};
use super::liveness::Liveness;
use super::term::{BACK_PRESSURE, Demand, capacity};
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for term in entity.components().iter() {
            let consequence = Consequence::of(graph, term);
            if term.type_info().name == BACK_PRESSURE {
                room(graph, entity.name(), term, consequence, findings);
                continue;
            }
            for (demand, consequence) in [
                (Demand::of(graph, term), consequence),
                (Demand::in_time(graph, term), Consequence::TimeOut),
            ] {
                let Some(demand) = demand else { continue };
                messages(graph, entity.name(), term, &demand, consequence, findings);
            }
        }
    }
}

fn messages(
    graph: &Graph<'_>,
    entity: &str,
    term: &Component,
    demand: &Demand,
    consequence: Consequence,
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
                let problem = format!(
                    "entity `{entity}` waits until receiver `{path}` holds {wanted} messages, but \
                     it holds at most {held}"
                );
                let key = minimum_key(term);
                let place = graph.parameter_place(term, key);
                let finding =
                    consequence.finding(&problem, place).label(format!("asks for {wanted}"));
                let finding = note_capacity(graph, finding, queue);
                let less = match key {
                    "min_sizes" => format!("its number in `{key}`"),
                    _ => format!("`{key}`"),
                };
                findings.push(finding.help(format!(
                    "set `capacity` of `{path}` to at least {wanted}, or {less} to {held} or less"
                )));
            }
        }
        Demand::Sum(receivers, wanted) => {
            let held: Option<u64> = receivers.iter().map(|receiver| capacity_of(*receiver)).sum();
            let Some(held) = held.filter(|held| held < wanted) else { return };
            let problem = format!(
                "entity `{entity}` waits until its receivers hold {wanted} messages together, but \
                 they hold at most {held}"
            );
            let key = minimum_key(term);
            let place = graph.parameter_place(term, key);
            let finding = consequence.finding(&problem, place).label(format!("asks for {wanted}"));
            findings.push(finding.help(format!(
                "set `capacity` of the receivers to at least {wanted} together, or `{key}` to \
                 {held} or less"
            )));
        }
    }
}

fn room(
    graph: &Graph<'_>,
    entity: &str,
    term: &Component,
    consequence: Consequence,
    findings: &mut Vec<Diagnostic>,
) {
    let Some(transmitter) = term.parameter("transmitter").as_ref().and_then(single_target) else {
        return;
    };
    let wanted = term.parameter("min_size").as_ref().and_then(number).unwrap_or(1);
    for receiver in graph.receivers(transmitter) {
        let Some(queue) = graph.component(*receiver) else { continue };
        let Some(held) = capacity(queue).filter(|held| *held < wanted) else { continue };
        let path = graph.path(queue);
        let problem = format!(
            "entity `{entity}` waits until receiver `{path}` has room for {wanted} messages, but \
             it holds at most {held}"
        );
        let place = graph.parameter_place(term, "min_size");
        let finding = consequence.finding(&problem, place).label(format!("asks for {wanted}"));
        let finding = note_capacity(graph, finding, queue);
        findings.push(finding.help(format!(
            "set `capacity` of `{path}` to at least {wanted}, or `min_size` to {held} or less"
        )));
    }
}

fn note_capacity(graph: &Graph<'_>, finding: Diagnostic, queue: &Component) -> Diagnostic {
    note(finding, graph.parameter_place(queue, "capacity"), "the capacity of the receiver")
}

/// The parameter with the number of messages that a term waits for.
fn minimum_key(term: &Component) -> &'static str {
    let keys = ["min_sizes", "min_sum", "min_size", "max_batch_size"];
    keys.into_iter().find(|key| term.parameter(key).is_some()).unwrap_or("min_size")
}
