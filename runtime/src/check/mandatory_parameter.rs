//! Mandatory parameters without a value.

use super::graph::{Graph, at};
use super::liveness::Liveness;
use gxf_app::Diagnostic;
use gxf_plugin_abi::{PARAMETER_OPTIONAL, ResultCode};

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in &graph.entities {
        for component in entity.components().iter() {
            for (index, spec) in component.type_info().parameters.iter().enumerate() {
                let excused = spec.default.is_some() || spec.flags & PARAMETER_OPTIONAL != 0;
                if excused || component.has_value(index) {
                    continue;
                }
                let message = format!(
                    "{}, component `{}`: mandatory parameter `{}` has no value",
                    entity.described(),
                    component.label(),
                    spec.key
                );
                let finding = Diagnostic::error(ResultCode::PARAMETER_MANDATORY_NOT_SET, message);
                let mut finding = at(finding, graph.place(component));
                if !spec.description.is_empty() {
                    finding = finding.help(format!("`{}`: {}", spec.key, spec.description));
                }
                findings.push(finding);
            }
        }
    }
}
