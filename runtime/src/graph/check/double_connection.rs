//! Connections that lead from the same transmitter to the same receiver.

use super::graph::{Graph, at, note, single_target};
use super::liveness::Liveness;
use crate::builtin;
use crate::graph::Diagnostic;
use rustc_hash::FxHashMap;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    let mut known = FxHashMap::default();
    for component in graph.entities.iter().flat_map(|entity| entity.components().to_vec()) {
        if component.type_info().tid != builtin::CONNECTION {
            continue;
        }
        let end = |key| component.parameter(key).as_ref().and_then(single_target);
        let (Some(source), Some(target)) = (end("source"), end("target")) else { continue };
        let Some(first) = known.insert((source, target), component.clone()) else { continue };
        let path = |cid| graph.component(cid).map(|queue| graph.path(queue)).unwrap_or_default();
        let finding = Diagnostic::warning(format!(
            "`{}` is connected to `{}` twice, so every message arrives twice",
            path(source),
            path(target)
        ));
        let finding = at(finding, graph.place(&component)).label("the same again");
        let finding = note(finding, graph.place(&first), "the first one is here");
        findings.push(finding.help("remove one of the connections"));
    }
}
