//! From YAML text to a [`Graph`](crate::graph::Graph), with every mistake at once.
//!
//! - `text.rs`: files to trees, past slips of YAML such as an element without its dash;
//! - `raw.rs`: what a file says, before names are resolved;
//! - `nodes.rs`: elements, keys and scalars of any level; `values.rs`: names, times, numbers;
//! - `top.rs`: the levels of a file; `clients.rs`: clients and runnables; `wcets.rs`: the second
//!   file.

mod clients;
pub(crate) mod nodes;
mod raw;
mod text;
mod top;
mod values;
pub(crate) mod wcets;

pub(crate) use raw::{
    Field, RawAliasGroup, RawClient, RawEpoch, RawGraph, RawHyperepoch, RawResource, RawRunnable,
};
pub(crate) use text::documents;

use crate::graph::Graph;
use crate::rules;
use gxf_app::{Diagnostic, Diagnostics, Severity, Source};
use std::sync::Arc;

/// The files that make up one graph.
#[derive(Clone, Debug)]
pub struct GraphFiles {
    /// The file with the graph's resources and hyperepochs.
    pub graph: Arc<Source>,
    /// Files with one client or several each.
    pub fragments: Vec<Arc<Source>>,
    /// Files with worst-case execution times, which replace those of the graph.
    pub wcets: Vec<Arc<Source>>,
}

/// Reads a graph and checks every rule. Warnings are added to `findings`.
///
/// # Errors
/// Everything that is wrong, in the order of the files, together with the warnings.
pub fn read_graph(files: &GraphFiles, findings: &mut Diagnostics) -> Result<Graph, Diagnostics> {
    let mut found = Diagnostics::new();
    let mut raw = top::read(&files.graph, &mut found);
    for fragment in &files.fragments {
        top::read_fragment(fragment, &mut raw, &mut found);
    }
    let mut times = wcets::Wcets::default();
    for file in &files.wcets {
        times.read(file, &mut found);
    }
    let graph = rules::resolve(&raw, &times, &mut found);
    found.sort_by_place();
    match graph {
        Some(graph) if !found.has_errors() => {
            findings.extend(found);
            Ok(graph)
        }
        _ => Err(found),
    }
}

/// An error of a rule.
pub(crate) fn error(rule: &'static str, message: impl Into<String>) -> Diagnostic {
    let code = gxf_plugin_abi::ResultCode::INVALID_DATA_FORMAT;
    Diagnostic::error(code, message).found_by(rule)
}

/// A warning of a rule.
pub(crate) fn warning(rule: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..error(rule, message) }
}
