//! Terms whose own parameters keep their entity from ever ticking.

use super::graph::{Graph, at, has_codelet};
use super::liveness::Liveness;
use crate::graph::{Diagnostic, ParameterValue};

/// A value of a parameter with which a term never says READY unless somebody else changes that.
struct Switch {
    type_name: &'static str,
    key: &'static str,
    off: ParameterValue,
    /// Whether a component with a handle to the term can switch it on.
    may_be_switched: bool,
    why: &'static str,
    help: &'static str,
}

const SWITCHES: &[Switch] = &[
    Switch {
        type_name: "nvidia::gxf::CountSchedulingTerm",
        key: "count",
        off: ParameterValue::Int64(0),
        may_be_switched: false,
        why: "its CountSchedulingTerm counts to 0",
        help: "set `count` to the number of ticks; a negative number never ends the entity",
    },
    Switch {
        type_name: "nvidia::gxf::BooleanSchedulingTerm",
        key: "enable_tick",
        off: ParameterValue::Bool(false),
        may_be_switched: true,
        why: "its BooleanSchedulingTerm is off, and no component has a handle to switch it on",
        help: "set `enable_tick` to true, or give a codelet a handle to the term",
    },
    Switch {
        type_name: "nvidia::gxf::BTSchedulingTerm",
        key: "is_root",
        off: ParameterValue::Bool(false),
        may_be_switched: true,
        why: "its BTSchedulingTerm waits for a parent, and no component has a handle to it",
        help: "name the term among the `children` of a parent, or set `is_root` to true",
    },
];

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for entity in graph.entities.iter().filter(|entity| has_codelet(entity)) {
        for term in entity.components().iter() {
            let name = &term.type_info().name;
            let Some(switch) = SWITCHES.iter().find(|switch| switch.type_name == name) else {
                continue;
            };
            // The entity's own codelet cannot switch its term on: it never ticks.
            let mut others =
                graph.links(term.cid()).iter().filter(|user| user.eid() != entity.eid());
            let is_switched = switch.may_be_switched && others.next().is_some();
            if is_switched || term.parameter(switch.key).as_ref() != Some(&switch.off) {
                continue;
            }
            let message = format!("entity `{}` never ticks: {}", entity.name(), switch.why);
            let place = graph.parameter_place(term, switch.key);
            findings.push(at(Diagnostic::warning(message), place).help(switch.help));
        }
    }
}
