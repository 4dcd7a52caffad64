//! From the files of a graph to a [`Graph`], with every mistake at once.

use crate::graph::Graph;
use crate::read::{top, wcets};
use crate::rules;
use gxf_app::{Diagnostics, Source};
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
