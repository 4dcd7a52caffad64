//! Terms that need to know about ticks but are in a combiner, which does not report them.

use super::graph::{Graph, at, has_codelet, is_combiner, note, targets};
use super::liveness::Liveness;
use super::term::COUNT;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;

/// The term, the consequence, and the remedy.
const DEAF: &[(&str, &str, &str)] = &[
    (COUNT, "it never counts", "take it out of `terms`: it then ends the entity by itself"),
    (
        "nvidia::gxf::PeriodicSchedulingTerm",
        "its first period never ends, so the entity ticks all the time",
        "for messages, or a tick at the latest after a period: one \
         nvidia::gxf::MessageAvailableFrequencyThrottler with both",
    ),
    (
        "nvidia::gxf::MessageAvailableFrequencyThrottler",
        "once its first period is over, the entity ticks all the time",
        "take it out of `terms`: it waits for one of several by itself",
    ),
    (
        "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
        "once its first period is over, the entity ticks all the time",
        "take it out of `terms`: it waits for one of several by itself",
    ),
];

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity)) {
        let components = entity.components();
        for combiner in components.iter().filter(|known| is_combiner(known)) {
            let terms = combiner.parameter("terms").map(|list| targets(&list)).unwrap_or_default();
            for term in terms.iter().filter_map(|cid| graph.component(*cid)) {
                findings.extend(finding(graph, combiner, term));
            }
        }
    }
}

fn finding(graph: &Graph<'_>, combiner: &Component, term: &Component) -> Option<Diagnostic> {
    let name = term.type_info().name.as_str();
    let (_, consequence, help) = DEAF.iter().find(|(known, ..)| *known == name)?;
    let finding = Diagnostic::warning(format!(
        "term `{}` stands in a combiner, which does not tell it that the entity ticked (as in \
         GXF): {consequence}",
        graph.path(term)
    ));
    let finding = at(finding, graph.place(term));
    let finding = note(finding, graph.parameter_place(combiner, "terms"), "the combiner");
    Some(finding.help(*help))
}
