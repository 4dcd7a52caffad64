//! Receivers that no term waits for: the codelet ticks with or without a message.

use super::graph::{Graph, at, has_codelet, is_term, quoted, short_name, targets};
use super::liveness::{Liveness, conditions};
use super::term::{BACK_PRESSURE, COUNT, Demand};
use gxf_app::Diagnostic;
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use std::sync::Arc;

/// Terms that do not depend on whether there is work.
const NOT_PACING: &[&str] = &[COUNT, BACK_PRESSURE];

/// Terms that watch only receivers, and perhaps a time.
const MESSAGES: &[&str] = &[
    "nvidia::gxf::MessageAvailableSchedulingTerm",
    "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
    "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
    "nvidia::gxf::MessageAvailableFrequencyThrottler",
    "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
];

/// The term that waits for times only.
const PERIODIC: &str = "nvidia::gxf::PeriodicSchedulingTerm";

/// Codelets whose tick fails if a receiver is empty, with the parameter that names it. Others may
/// well look for messages at times.
const FAILING: &[(&str, &str)] = &[
    ("nvidia::gxf::Broadcast", "source"),
    ("nvidia::gxf::Forward", "in"),
    ("nvidia::gxf::PingRx", "signal"),
    ("nvidia::gxf::TensorCopier", "receiver"),
];

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity)) {
        let components = entity.components();
        let unwatched: Vec<&Arc<Component>> = components
            .iter()
            .filter(|known| known.type_info().name == "nvidia::gxf::DoubleBufferReceiver")
            .filter(|known| !graph.sources(known.cid()).is_empty())
            .filter(|known| !graph.own_links(known).any(|user| is_term(user)))
            .collect();
        let found = unwatched.first().zip(problem(graph, entity, &unwatched));
        let Some((first, message)) = found else {
            findings.extend(failing_tick(graph, entity));
            continue;
        };
        let finding = at(Diagnostic::warning(message), graph.place(first));
        findings.push(finding.label("no term watches it").help(help(&unwatched)));
    }
}

/// A codelet that fails without a message, in an entity that ticks at times whether there is one or
/// not.
fn failing_tick(graph: &Graph<'_>, entity: &Entity) -> Option<Diagnostic> {
    let conditions = conditions(graph, entity);
    let mut terms = conditions.iter().flat_map(|condition| &condition.terms);
    let name = |term: &Component| term.type_info().name.clone();
    // Others may be met only while there are messages.
    let is_known = terms.clone().all(|(term, demand)| {
        demand.is_some() || name(term) == PERIODIC || NOT_PACING.contains(&&*name(term))
    });
    if !is_known || !terms.any(|(term, _)| name(term) == PERIODIC) {
        return None;
    }
    let components = entity.components();
    let receivers = components.iter().flat_map(|codelet| {
        let known = FAILING.iter().find(|(known, _)| *known == codelet.type_info().name);
        let value = known.and_then(|(_, key)| codelet.parameter(key));
        value.iter().flat_map(targets).map(|cid| (codelet, cid)).collect::<Vec<_>>()
    });
    receivers.filter_map(|(codelet, cid)| Some((codelet, graph.component(cid)?))).find_map(
        |(codelet, queue)| {
            let cid = queue.cid();
            let makes_wait = |(_, demand): &(_, Option<Demand>)| {
                demand.as_ref().is_some_and(|demand| demand.counts(cid))
            };
            let waits = conditions.iter().any(|condition| condition.terms.iter().all(makes_wait));
            let is_plain = queue.type_info().name == "nvidia::gxf::DoubleBufferReceiver"
                && queue.eid() == entity.eid()
                && !graph.sources(cid).is_empty()
                && !graph.is_used_from_outside(cid);
            (is_plain && !waits).then(|| {
                let message = format!(
                    "entity `{}` ticks at times, whether `{}` has a message or not, and its {} fails \
                     if it has none",
                    entity.name(),
                    queue.label(),
                    short_name(&codelet.type_info().name)
                );
                let finding = at(Diagnostic::warning(message), graph.place(queue));
                let finding = finding.label("no term makes the entity wait for it");
                match graph.own_links(queue).any(|user| is_term(user)) {
                    true => finding.help("take the term that watches it out of its combiner"),
                    false => finding.help(help(&[queue])),
                }
            })
        },
    )
}

/// The consequence of not watching these receivers. None if the entity ticks for other reasons than
/// messages, such as polling at times, or for messages of other entities, which another rule
/// reports.
fn problem(graph: &Graph<'_>, entity: &Entity, unwatched: &[&Arc<Component>]) -> Option<String> {
    let name = entity.name();
    let names = quoted(unwatched.iter().map(|queue| queue.label().to_owned()));
    let is = if unwatched.len() == 1 { "is" } else { "are" };
    let components = entity.components();
    let is_pacing = |term: &&Arc<Component>| !NOT_PACING.contains(&&*term.type_info().name);
    let terms = components.iter().filter(|component| is_term(component));
    let pacing: Vec<&Arc<Component>> = terms.filter(is_pacing).collect();
    if pacing.is_empty() {
        return Some(format!(
            "nothing makes entity `{name}` wait for a message, so it ticks all the time, even while \
             {names} {is} empty"
        ));
    }
    pacing.iter().all(|term| waits_for_own_messages(graph, term)).then(|| {
        format!(
            "entity `{name}` waits for messages, but not for those in {names}: it ticks even while \
             {names} {is} empty, and not when messages arrive there"
        )
    })
}

fn waits_for_own_messages(graph: &Graph<'_>, term: &Component) -> bool {
    let receivers = ["receiver", "receivers"].iter().filter_map(|key| term.parameter(key));
    let is_own = |cid| graph.component(cid).is_some_and(|queue| queue.eid() == term.eid());
    MESSAGES.contains(&&*term.type_info().name)
        && receivers.flat_map(|value| targets(&value)).all(is_own)
}

fn help(unwatched: &[&Arc<Component>]) -> String {
    let labels: Vec<&str> = unwatched.iter().map(|queue| queue.label()).collect();
    match labels.as_slice() {
        [one] => format!(
            "add to the entity: - {{type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: \
             {{receiver: {one}}}}}"
        ),
        several => format!(
            "add to the entity: - {{type: nvidia::gxf::MultiMessageAvailableSchedulingTerm, \
             parameters: {{receivers: [{}]}}}}",
            several.join(", ")
        ),
    }
}
