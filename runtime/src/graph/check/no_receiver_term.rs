//! Receivers whose messages no term waits for: the codelet ticks whether there is one or not.

use super::graph::{Graph, at, has_codelet, is_term, quoted};
use super::liveness::Liveness;
use super::term::BACK_PRESSURE;
use crate::entity::store::Entity;
use crate::graph::Diagnostic;
use crate::plugin::component::Component;
use gxf_plugin_abi::tids;
use std::sync::Arc;

/// Terms that say nothing about when there is something to do.
const NOT_PACING: &[&str] = &["nvidia::gxf::CountSchedulingTerm", BACK_PRESSURE];

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity) && !is_paced(entity)) {
        let components = entity.components();
        let bounded: Vec<&Arc<Component>> = components
            .iter()
            .filter(|known| known.is_a(tids::RECEIVER) && !graph.sources(known.cid()).is_empty())
            .filter(|known| known.type_info().name == "nvidia::gxf::DoubleBufferReceiver")
            .collect();
        let Some(first) = bounded.first() else { continue };
        let names = quoted(bounded.iter().map(|queue| queue.label().to_owned()));
        let message = format!(
            "nothing lets entity `{}` wait for a message, so it ticks all the time, also while \
             {names} {} empty",
            entity.name(),
            if bounded.len() == 1 { "is" } else { "are" }
        );
        let help = match bounded.as_slice() {
            [one] => format!(
                "add to the entity: - {{type: nvidia::gxf::MessageAvailableSchedulingTerm, \
                 parameters: {{receiver: {}}}}}",
                one.label()
            ),
            several => format!(
                "add to the entity: - {{type: nvidia::gxf::MultiMessageAvailableSchedulingTerm, \
                 parameters: {{receivers: [{}]}}}}",
                several.iter().map(|one| one.label()).collect::<Vec<_>>().join(", ")
            ),
        };
        let finding = at(Diagnostic::warning(message), graph.place(first));
        findings.push(finding.label("no term looks at it").help(help));
    }
}

/// Whether some term says when there is something to do.
fn is_paced(entity: &Entity) -> bool {
    let components = entity.components();
    let mut terms = components.iter().filter(|component| is_term(component));
    terms.any(|term| !NOT_PACING.contains(&term.type_info().name.as_str()))
}
