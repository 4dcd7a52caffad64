//! Terms that wait for times, and the clocks of schedulers.

use super::graph::{Graph, at, has_codelet, is_link, note, single_target};
use super::liveness::Liveness;
use super::schedulers;
use gxf_app::Diagnostic;
use gxf_plugin::component::Component;
use gxf_plugin_abi::tids;
use std::sync::Arc;

/// Terms that make their entity wait for a time of the scheduler's clock.
const TIMED: &[&str] = &[
    "nvidia::gxf::PeriodicSchedulingTerm",
    "nvidia::gxf::TargetTimeSchedulingTerm",
    "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
    "nvidia::gxf::MessageAvailableFrequencyThrottler",
    "nvidia::holoscan::MultiMessageAvailableTimeoutSchedulingTerm",
];

/// The clock whose time jumps to what is waited for next.
const MANUAL_CLOCK: &str = "nvidia::gxf::ManualClock";

/// The term that uses a clock of its own.
const OWN_CLOCK: &str = "nvidia::gxf::TargetTimeSchedulingTerm";

fn timed(graph: &Graph<'_>) -> Vec<Arc<Component>> {
    let entities = graph.entities.iter().filter(|entity| has_codelet(entity));
    let components = entities.flat_map(|entity| entity.components().to_vec());
    components.filter(|known| TIMED.contains(&known.type_info().name.as_str())).collect()
}

fn clock_of(component: &Component) -> Option<gxf_plugin_abi::Uid> {
    component.parameter("clock").as_ref().and_then(single_target)
}

pub(super) fn missing(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    let timed = timed(graph);
    let Some(first) = timed.first() else { return };
    for scheduler in schedulers::all(graph) {
        let takes_clock = scheduler.type_info().parameter("clock").is_some();
        let has_own = scheduler.parameter("realtime").is_some();
        if !takes_clock || has_own || clock_of(&scheduler).is_some() {
            continue;
        }
        let finding = Diagnostic::warning(
            "terms of this graph wait for times, but its scheduler has no `clock`: it uses a \
             clock of its own, which no component can share; GXF refuses such a graph",
        );
        let finding = at(finding, graph.place(&scheduler)).label("no `clock`");
        let finding = note(finding, graph.place(first), "this term waits for a time");
        let components = graph.entities.iter().flat_map(|entity| entity.components().to_vec());
        let mut clocks = components.filter(|known| known.is_a(tids::CLOCK));
        findings.push(match clocks.next() {
            Some(clock) => {
                finding.help(format!("add to its parameters: clock: {}", graph.path(&clock)))
            }
            None => finding.help(
                "add a component {name: clock, type: nvidia::gxf::RealtimeClock} next to it, and \
                 to its parameters: clock: clock",
            ),
        });
    }
}

pub(super) fn different(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    let schedulers = schedulers::all(graph);
    let [scheduler] = schedulers.as_slice() else { return };
    let Some(clock) = clock_of(scheduler) else { return };
    for term in timed(graph).iter().filter(|term| term.type_info().name == OWN_CLOCK) {
        let Some(other) = clock_of(term).filter(|other| *other != clock) else { continue };
        let path = |cid| graph.component(cid).map(|found| graph.path(found)).unwrap_or_default();
        let (ours, theirs) = (path(clock), path(other));
        let finding = Diagnostic::warning(format!(
            "this term uses clock `{theirs}`, but the scheduler uses clock `{ours}`: the entity \
             ticks at the wrong times"
        ));
        let finding = at(finding, graph.parameter_place(term, "clock"));
        let finding =
            note(finding, graph.parameter_place(scheduler, "clock"), "the scheduler's clock");
        findings.push(finding.help(format!("set `clock` of the term to {ours}")));
    }
}

pub(super) fn manual(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    let mut components = graph.entities.iter().flat_map(|entity| entity.components().to_vec());
    let Some(link) = components.find(is_link) else { return };
    for scheduler in schedulers::all(graph) {
        let clock = clock_of(&scheduler).and_then(|cid| graph.component(cid));
        let Some(clock) = clock.filter(|clock| clock.type_info().name == MANUAL_CLOCK) else {
            continue;
        };
        let finding = Diagnostic::warning(format!(
            "this graph has links to others, and its scheduler uses the manual clock `{}`, which \
             does not wait for them: its time jumps on while messages are on their way",
            graph.path(clock)
        ));
        let finding = at(finding, graph.place(clock)).label("this clock");
        let finding = note(finding, graph.place(&link), "a link");
        let finding = note(
            finding,
            graph.parameter_place(&scheduler, "clock"),
            "the scheduler names it here",
        );
        findings.push(
            finding.help("use a clock of type nvidia::gxf::RealtimeClock in graphs with links"),
        );
    }
}
