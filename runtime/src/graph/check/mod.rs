//! What is probably or certainly wrong with a loaded graph, found without running it.
//!
//! A map:
//!
//! - `graph.rs`: the loaded graph as the rules see it: components, handles, routes;
//! - `term.rs`: what scheduling terms wait for, as a table;
//! - `liveness.rs`: which entities can ever tick, and what keeps the others from it;
//! - `consequence.rs`: what comes of a term that waits in vain;
//! - one file a rule. To add one: its file and an entry of [`RULES`].
//!
//! A rule must be right: it says nothing about what it cannot see, such as a component of an
//! extension that passes messages on by itself.

mod capacity_below_minimum;
mod clocks;
mod consequence;
mod deadlock_cycle;
mod deaf_term;
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
mod schedulers;
mod term;
mod unconnected;
mod unused_entity;

use super::{Diagnostic, Diagnostics};
use crate::context::Inner;
use graph::Graph;
pub(crate) use impossible_parameters::impossible;
use liveness::Liveness;

/// One kind of finding.
#[derive(Debug)]
pub struct Rule {
    /// Name, as in `error[deadlock-cycle]`.
    pub name: &'static str,
    /// What it finds and why that matters.
    pub summary: &'static str,
    check: fn(&Graph<'_>, &Liveness, &mut Vec<Diagnostic>),
}

/// All kinds of findings.
pub static RULES: &[Rule] = &[
    Rule {
        name: "mandatory-parameter",
        summary: "A mandatory parameter has no value: the graph cannot be activated.",
        check: mandatory_parameter::check,
    },
    Rule {
        name: "impossible-parameters",
        summary: "A component cannot work with its parameters: the graph cannot be activated.",
        check: impossible_parameters::check,
    },
    Rule {
        name: "no-scheduler",
        summary: "The graph has codelets and no scheduler: nothing ever ticks.",
        check: schedulers::none,
    },
    Rule {
        name: "several-schedulers",
        summary: "The graph has several schedulers: each would run all entities.",
        check: schedulers::several,
    },
    Rule {
        name: "deadlock-cycle",
        summary: "Entities wait for each other's messages and nobody sends the first one.",
        check: deadlock_cycle::check,
    },
    Rule {
        name: "unconnected-transmitter",
        summary: "A transmitter leads nowhere: what is published through it is lost.",
        check: unconnected::transmitters,
    },
    Rule {
        name: "unconnected-receiver",
        summary: "Nothing leads to a receiver: an entity that waits for its messages never ticks.",
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
        name: "double-connection",
        summary: "Two connections lead the same way: every message arrives twice.",
        check: double_connection::check,
    },
    Rule {
        name: "deaf-term",
        summary: "A combiner does not tell a term about ticks, and the term has to know of them.",
        check: deaf_term::check,
    },
    Rule {
        name: "foreign-term",
        summary: "A term looks at a queue of another entity and not at one of its own.",
        check: foreign_term::check,
    },
    Rule {
        name: "no-receiver-term",
        summary: "No term waits for the messages of a receiver: the codelet ticks while it is empty.",
        check: no_receiver_term::check,
    },
    Rule {
        name: "no-back-pressure",
        summary: "Nothing holds a sender back when a bounded receiver is full: messages are lost.",
        check: no_back_pressure::check,
    },
    Rule {
        name: "gather-overflow",
        summary: "A Gather sends more in a tick than a queue behind it holds.",
        check: gather_overflow::check,
    },
    Rule {
        name: "never-ticks",
        summary: "A term keeps its entity from ever ticking.",
        check: never_ticks::check,
    },
    Rule {
        name: "no-clock",
        summary: "Terms ask for times, and a scheduler has no clock that they could share.",
        check: clocks::missing,
    },
    Rule {
        name: "other-clock",
        summary: "A term follows another clock than the scheduler: it may wait for ever.",
        check: clocks::different,
    },
    Rule {
        name: "unused-entity",
        summary: "An entity neither does anything nor is used by another one.",
        check: unused_entity::check,
    },
];

/// The place of a rule in [`RULES`]; small, so that errors stay cheap to hand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleNumber(u8);

impl RuleNumber {
    /// The rule.
    #[must_use]
    pub fn rule(self) -> &'static Rule {
        &RULES[usize::from(self.0)]
    }
}

/// Goes through all rules; the findings are in the order of their places.
pub(crate) fn check(inner: &Inner) -> Diagnostics {
    let graph = Graph::new(inner);
    let liveness = Liveness::new(&graph);
    let mut all = Diagnostics::new();
    for (number, rule) in (0u8..).zip(RULES) {
        let mut found = Vec::new();
        (rule.check)(&graph, &liveness, &mut found);
        all.extend(found.into_iter().map(|finding| finding.found_by(RuleNumber(number))));
    }
    all.sort_by_place();
    all
}
