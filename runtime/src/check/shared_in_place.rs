//! Codelets that change messages in place which others read, too.

use super::graph::{Graph, at, note, quoted, short_name, single_target, targets};
use super::liveness::Liveness;
use gxf_app::{Diagnostic, ParameterValue};
use gxf_plugin::component::Component;
use gxf_plugin_abi::{TYPE_IN_PLACE, Uid, tids};
use rustc_hash::FxHashSet;
use std::sync::Arc;

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    findings.extend(shared(graph));
}

/// All codelets of this kind.
pub(super) fn shared(graph: &Graph<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    for entity in &graph.entities {
        for codelet in entity.components().iter() {
            let Some(input) = changed(graph, codelet) else { continue };
            for source in graph.sources(input.cid()) {
                findings.extend(finding(graph, codelet, input, *source));
            }
        }
    }
    findings
}

/// The receiver whose messages a codelet says that it changes: the only one that it uses.
fn changed<'a>(graph: &'a Graph<'_>, codelet: &Component) -> Option<&'a Arc<Component>> {
    let info = codelet.type_info();
    if !codelet.is_a(tids::CODELET) || info.flags & TYPE_IN_PLACE == 0 {
        return None;
    }
    let values = info.parameters.iter().filter_map(|spec| codelet.parameter(&spec.key));
    let used = values.flat_map(|value| targets(&value));
    let used = used.filter_map(|cid| graph.component(cid));
    let mut receivers = used.filter(|one| one.is_a(tids::RECEIVER));
    let receiver = receivers.next()?;
    receivers.all(|other| other.cid() == receiver.cid()).then_some(receiver)
}

/// What passes its messages on as they are.
struct Forwarder {
    inputs: Vec<Uid>,
    outputs: Vec<Uid>,
    /// Whether each output gets every message.
    to_all: bool,
}

impl Forwarder {
    /// The `Broadcast` or `Gather` of a port's entity.
    fn of(graph: &Graph<'_>, port: Uid) -> Option<Self> {
        let entity = graph.owner(port)?;
        let target = |codelet: &Component, key: &str| {
            codelet.parameter(key).as_ref().and_then(single_target).into_iter().collect()
        };
        let all = |base| {
            let ports = entity.components();
            ports.iter().filter(|port| port.is_a(base)).map(|port| port.cid()).collect()
        };
        entity.components().iter().find_map(|codelet| match codelet.type_info().name.as_str() {
            "nvidia::gxf::Broadcast" => Some(Self {
                inputs: target(codelet, "source"),
                outputs: all(tids::TRANSMITTER),
                to_all: !matches!(
                    codelet.parameter("mode"),
                    Some(ParameterValue::Custom(mode) | ParameterValue::String(mode))
                        if mode.trim() == "RoundRobin"
                ),
            }),
            "nvidia::gxf::Gather" => Some(Self {
                inputs: all(tids::RECEIVER),
                outputs: target(codelet, "sink"),
                to_all: true,
            }),
            _ => None,
        })
    }
}

/// Who else gets the messages that `input` receives from `source`, straight or from a [`Forwarder`].
fn other_readers(graph: &Graph<'_>, source: Uid, input: Uid) -> Vec<Uid> {
    let mut up = vec![(source, input)];
    let mut down = Vec::new();
    let mut seen = FxHashSet::from_iter([source, input]);
    while let Some((source, input)) = up.pop() {
        down.extend(graph.receivers(source).iter().filter(|other| **other != input));
        let forwarder = Forwarder::of(graph, source);
        let Some(from) = forwarder.filter(|from| from.outputs.contains(&source)) else { continue };
        if from.to_all {
            let others = from.outputs.iter().filter(|output| **output != source);
            down.extend(others.flat_map(|output| graph.receivers(*output)));
        }
        for input in from.inputs {
            let sources = graph.sources(input).iter().filter(|source| seen.insert(**source));
            up.extend(sources.map(|source| (*source, input)));
        }
    }
    let mut readers = Vec::new();
    while let Some(receiver) = down.pop() {
        if !seen.insert(receiver) {
            continue;
        }
        match Forwarder::of(graph, receiver).filter(|to| to.inputs.contains(&receiver)) {
            Some(to) => down.extend(to.outputs.iter().flat_map(|output| graph.receivers(*output))),
            None => readers.push(receiver),
        }
    }
    readers
}

fn finding(
    graph: &Graph<'_>,
    codelet: &Component,
    input: &Component,
    source: Uid,
) -> Option<Diagnostic> {
    let others = other_readers(graph, source, input.cid());
    let mut others: Vec<_> = others.iter().filter_map(|cid| graph.component(*cid)).collect();
    others.sort_by_key(|other| other.cid());
    let first = others.first()?;
    let (source, path) = (graph.path(graph.component(source)?), graph.path(input));
    let text = format!(
        "`{}` changes the messages of `{source}` in place, which {} gets, too",
        short_name(&codelet.type_info().name),
        quoted(others.iter().map(|other| graph.path(other))),
    );
    let finding = at(Diagnostic::warning(text), graph.place(codelet));
    let finding = note(finding, graph.place(first), "reads what is changed");
    Some(finding.help(format!(
        "send `{path}` copies of the messages, or take a codelet without the flag `in_place`, \
         which leaves them as they are"
    )))
}
