//! Receivers that no term waits for: the codelet ticks with or without a message.

use super::graph::{Graph, at, has_codelet, is_term, quoted, targets};
use super::liveness::Liveness;
use super::term::{BACK_PRESSURE, COUNT};
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

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity)) {
        let components = entity.components();
        let unwatched: Vec<&Arc<Component>> = components
            .iter()
            .filter(|known| known.type_info().name == "nvidia::gxf::DoubleBufferReceiver")
            .filter(|known| !graph.sources(known.cid()).is_empty())
            .filter(|known| !graph.own_links(known).any(|user| is_term(user)))
            .collect();
        let Some(first) = unwatched.first() else { continue };
        let Some(message) = problem(graph, entity, &unwatched) else { continue };
        let finding = at(Diagnostic::warning(message), graph.place(first));
        findings.push(finding.label("no term watches it").help(help(&unwatched)));
    }
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
