//! Entities that wait for each other's messages, while nothing sends the first one.

use super::graph::{Graph, at, note, quoted};
use super::liveness::{Cause, Liveness};
use gxf_app::Diagnostic;
use gxf_plugin_abi::ResultCode;

/// Most entities of a cycle to show besides the first.
const NOTED: usize = 9;

pub(super) fn check(graph: &Graph<'_>, liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    for ring in liveness.rings() {
        let name =
            |eid| graph.entity(eid).map(|entity| entity.name().to_owned()).unwrap_or_default();
        let causes: Vec<(String, &Cause)> = ring
            .iter()
            .filter_map(|entity| Some((name(*entity), liveness.cause(*entity)?)))
            .collect();
        let Some(((first, cause), others)) = causes.split_first() else { continue };
        let message = match others {
            [] => format!("entity `{first}` waits for its own message, so it never ticks"),
            _ => {
                let names = causes.iter().map(|(name, _)| name.clone());
                let names = quoted(names);
                format!("entities {names} wait for each other's messages, so none ever ticks")
            }
        };
        let sender = |cause: &Cause| cause.sender.map(name).unwrap_or_default();
        let place = |cause: &Cause| graph.place(&cause.term);
        let finding = Diagnostic::error(ResultCode::FAILURE, message);
        let mut finding = at(finding, place(cause))
            .label(format!("`{first}` waits here for a message of `{}`", sender(cause)));
        for (name, cause) in others.iter().take(NOTED) {
            let text = format!("`{name}` waits here for a message of `{}`", sender(cause));
            finding = note(finding, place(cause), &text);
        }
        let target = graph.component(cause.receiver).map(|receiver| graph.path(receiver));
        finding = finding.help(format!(
            "send a first message from an entity that ticks once (CountSchedulingTerm \
             with count 1), connected to `{}`",
            target.unwrap_or_default()
        ));
        let followers = liveness.followers(graph, ring);
        if !followers.is_empty() {
            finding = finding.help(format!("these never tick as a result: {}", quoted(followers)));
        }
        findings.push(finding);
    }
}
