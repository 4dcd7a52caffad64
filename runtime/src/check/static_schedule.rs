//! Schedules of static schedulers.

use super::graph::{Graph, at};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_engine::schedule::timetable;
use gxf_engine::standard::BuiltIn;
use gxf_engine::standard::scheduler::StaticScheduler;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for component in entity.components().iter() {
            // Other rules report missing values.
            if component.type_info().tid != StaticScheduler::TID
                || !component.complete_parameters().is_ok_and(|missing| missing.is_empty())
            {
                continue;
            }
            let Err(error) = timetable::check(component, &graph.entities) else { continue };
            match error.diagnostics() {
                Some(found) => findings.extend(found.iter().cloned()),
                None => {
                    let finding = Diagnostic::error(error.code(), error.to_string());
                    let place = graph.parameter_place(component, "schedule");
                    findings.push(at(finding, place));
                }
            }
        }
    }
}
