//! Finds certain and probable mistakes in a loaded graph without running it.
//!
//! A map:
//!
//! - `graph.rs`: the loaded graph in the form that the rules use: components, handles, routes;
//! - `term.rs`: a table of what scheduling terms wait for;
//! - `liveness.rs`: which entities can ever tick, and why the others cannot;
//! - `starved.rs`: what keeps a graph from sending over links, for an analysis of several graphs;
//! - `consequence.rs`: consequences of a term that never becomes ready;
//! - one file for each rule. To add a rule, add its file and an entry in [`RULES`].
//!
//! A rule must be right: it stays silent about what it cannot know, such as an extension's
//! component that forwards messages by itself.

mod capacity_below_minimum;
mod clocks;
mod consequence;
mod deadlock_cycle;
mod device_tensor;
mod double_connection;
mod foreign_term;
mod gather_overflow;
mod graph;
mod impossible_parameters;
mod liveness;
mod mandatory_parameter;
mod memory_below_minimum;
mod never_ticks;
mod no_back_pressure;
mod no_receiver_term;
mod pool_below_takers;
mod schedulers;
mod shared_in_place;
mod starved;
#[cfg(feature = "stm")]
mod static_schedule;
mod term;
mod unconnected;
mod unfit_pool;
mod unused_entity;
mod wrong_payload;

use crate::Context;
use crate::inner::Inner;
use graph::Graph;
use gxf_app::{Diagnostic, Diagnostics};
pub(crate) use impossible_parameters::impossible;
use liveness::Liveness;
pub use starved::Starved;
pub(crate) use starved::starved;

const SHARED_IN_PLACE: &str = "shared-in-place";

/// One kind of finding.
#[derive(Debug)]
pub struct Rule {
    /// Name, as in `error[deadlock-cycle]`.
    pub name: &'static str,
    /// What it finds, and why that matters.
    pub summary: &'static str,
    check: fn(&Graph<'_>, &Liveness, &mut Vec<Diagnostic>),
}

/// All kinds of findings.
pub static RULES: &[Rule] = &[
    Rule {
        name: "mandatory-parameter",
        summary: "A mandatory parameter has no value, so the graph cannot be activated.",
        check: mandatory_parameter::check,
    },
    Rule {
        name: "impossible-parameters",
        summary: "A component refuses its parameters, so the graph cannot be activated.",
        check: impossible_parameters::check,
    },
    Rule {
        name: "no-scheduler",
        summary: "The graph has codelets but no scheduler, so nothing ever ticks.",
        check: schedulers::none,
    },
    Rule {
        name: "several-schedulers",
        summary: "The graph has several schedulers, each of which would run all entities.",
        check: schedulers::several,
    },
    #[cfg(feature = "stm")]
    Rule {
        name: "static-schedule",
        summary: "A static schedule cannot be read or executed, or does not fit the entities, so the \
                  graph cannot be activated.",
        check: static_schedule::check,
    },
    Rule {
        name: "deadlock-cycle",
        summary: "Entities wait for each other's messages, and nothing sends the first one.",
        check: deadlock_cycle::check,
    },
    Rule {
        name: "wrong-payload",
        summary: "A transmitter's messages have no payload that the codelet behind a receiver \
                  takes, so the graph cannot be activated.",
        check: wrong_payload::check,
    },
    Rule {
        name: "unconnected-transmitter",
        summary: "A transmitter is not connected, or no network context opens its link, so published \
                  messages are lost.",
        check: unconnected::transmitters,
    },
    Rule {
        name: "unconnected-receiver",
        summary: "A receiver is not connected, or no network context opens its link, so an entity that \
                  waits for its messages never ticks.",
        check: unconnected::receivers,
    },
    Rule {
        name: "capacity-below-minimum",
        summary: "A term waits for more messages, or more room, than a queue can ever have.",
        check: capacity_below_minimum::check,
    },
    Rule {
        name: "memory-below-minimum",
        summary: "A term waits for more memory than its pool has.",
        check: memory_below_minimum::check,
    },
    Rule {
        name: "pool-below-takers",
        summary: "A pool on a CUDA device has fewer streams or blocks than codelets take from it.",
        check: pool_below_takers::check,
    },
    Rule {
        name: "unfit-pool",
        summary: "A pool has another kind of memory, or smaller blocks, than a codelet takes from it.",
        check: unfit_pool::check,
    },
    Rule {
        name: "device-tensor-to-cpu",
        summary: "Tensors on a device lead to a codelet that reads them with the CPU.",
        check: device_tensor::check,
    },
    Rule {
        name: "tensor-on-other-device",
        summary: "Tensors on a device lead to a codelet that works on another one.",
        check: device_tensor::check_devices,
    },
    Rule {
        name: "double-connection",
        summary: "Two connections lead the same way: the second is ignored.",
        check: double_connection::check,
    },
    Rule {
        name: "foreign-term",
        summary: "A term watches a queue of another entity instead of its own entity's.",
        check: foreign_term::check,
    },
    Rule {
        name: "no-receiver-term",
        summary: "No term waits for the messages of a receiver, so the codelet ticks while it is \
                  empty.",
        check: no_receiver_term::check,
    },
    Rule {
        name: "no-back-pressure",
        summary: "Nothing slows a sender down when a bounded receiver is full, so messages are \
                  lost.",
        check: no_back_pressure::check,
    },
    Rule {
        name: "gather-overflow",
        summary: "A Gather sends more messages in a tick than a connected queue can hold.",
        check: gather_overflow::check,
    },
    Rule {
        name: SHARED_IN_PLACE,
        summary: "A codelet changes messages in place that others read, too.",
        check: shared_in_place::check,
    },
    Rule {
        name: "never-ticks",
        summary: "A term keeps its entity from ever ticking.",
        check: never_ticks::check,
    },
    Rule {
        name: "no-clock",
        summary: "Terms wait for times, but the scheduler has no clock that they could share.",
        check: clocks::missing,
    },
    Rule {
        name: "other-clock",
        summary: "A term follows a different clock than the scheduler, so it may wait for ever.",
        check: clocks::different,
    },
    Rule {
        name: "manual-clock",
        summary: "A graph with links to others has a manual clock, which does not wait for them.",
        check: clocks::manual,
    },
    Rule {
        name: "unused-entity",
        summary: "An entity does nothing, and nothing uses it.",
        check: unused_entity::check,
    },
];

/// The findings of the rule `shared-in-place` alone, for whoever plans a graph.
#[must_use]
pub fn shared_in_place(context: &Context) -> Diagnostics {
    let findings = shared_in_place::shared(&Graph::new(context.inner())).into_iter();
    let mut all = Diagnostics::new();
    all.extend(findings.map(|finding| finding.found_by(SHARED_IN_PLACE)));
    all
}

/// The errors of the rule `wrong-payload`.
pub(crate) fn wrong_payloads(inner: &Inner) -> Vec<Diagnostic> {
    let findings = wrong_payload::wrong_payloads(&Graph::new(inner)).into_iter();
    findings.map(|finding| finding.found_by("wrong-payload")).collect()
}

/// Applies all rules; the findings are in the order of their places.
pub(crate) fn check(inner: &Inner) -> Diagnostics {
    let graph = Graph::new(inner);
    let liveness = Liveness::new(&graph);
    let mut all = Diagnostics::new();
    for rule in RULES {
        let mut found = Vec::new();
        (rule.check)(&graph, &liveness, &mut found);
        all.extend(found.into_iter().map(|finding| finding.found_by(rule.name)));
    }
    all.sort_by_place();
    all
}
