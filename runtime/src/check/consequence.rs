//! Consequences of a term that never becomes ready.

use super::graph::{Graph, at, is_combiner};
use gxf_app::{Diagnostic, Span};
use gxf_plugin::component::Component;
use gxf_plugin_abi::ResultCode;

#[derive(Clone, Copy)]
pub(super) enum Consequence {
    /// Certain, so this is an error.
    NeverTicks,
    /// The term is in a combiner with others, which may let the entity tick.
    NeverMet,
    /// After some time, the term needs less.
    TimeOut,
}

impl Consequence {
    /// The consequence for a term without a time-out.
    pub fn of(graph: &Graph<'_>, term: &Component) -> Self {
        let is_combined = graph.own_links(term).any(|user| is_combiner(user));
        if is_combined { Self::NeverMet } else { Self::NeverTicks }
    }

    /// A finding with the problem and its consequence.
    pub fn finding(self, problem: &str, place: Option<Span>) -> Diagnostic {
        let finding = match self {
            Self::NeverTicks => Diagnostic::error(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("{problem}, so the entity never ticks"),
            ),
            Self::NeverMet => Diagnostic::warning(format!(
                "{problem}, so only the other terms of its combiner ever let it tick"
            )),
            Self::TimeOut => Diagnostic::warning(format!(
                "{problem}, so it always waits until the term's time is over"
            )),
        };
        at(finding, place)
    }
}
