//! What comes of a term that waits for something in vain.

use super::graph::{Graph, at, is_combiner};
use crate::graph::{Diagnostic, Span};
use crate::plugin::component::Component;
use gxf_plugin_abi::ResultCode;

#[derive(Clone, Copy)]
pub(super) enum Consequence {
    /// Certain: an error.
    NeverTicks,
    /// The term stands in a combiner with others, which may be met.
    NeverMet,
    /// The term has a time after which less is enough.
    TimeOut,
}

impl Consequence {
    /// What comes of a term without a time.
    pub fn of(graph: &Graph<'_>, term: &Component) -> Self {
        let is_combined = graph.own_links(term).any(|user| is_combiner(user));
        if is_combined { Self::NeverMet } else { Self::NeverTicks }
    }

    /// Tells the problem and what comes of it.
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
