//! Connections between the same transmitter and receiver.

use super::graph::{Graph, at, note, single_target};
use super::liveness::Liveness;
use gxf_app::Diagnostic;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for [first, again] in graph.repeated() {
        let (Some(first), Some(again)) = (graph.component(*first), graph.component(*again)) else {
            continue;
        };
        let path = |key| {
            let end = again.parameter(key).as_ref().and_then(single_target);
            let queue = end.and_then(|cid| graph.component(cid));
            queue.map(|queue| graph.path(queue)).unwrap_or_default()
        };
        let finding = Diagnostic::warning(format!(
            "`{}` is connected to `{}` already, so this connection is ignored",
            path("source"),
            path("target")
        ));
        let finding = at(finding, graph.place(again)).label("the same again");
        let finding = note(finding, graph.place(first), "the first one is here");
        findings.push(finding.help("remove one of the connections"));
    }
}
