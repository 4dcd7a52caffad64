//! Transmitters whose messages have none of the payloads that a receiver's codelet takes.

use super::graph::{Graph, at, is_connection, is_term, note, targets};
use super::liveness::Liveness;
use gxf_app::{Diagnostic, ParameterValue, Span};
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Uid, tids};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Codelets that pass on what they receive.
pub(super) const FORWARDERS: &[&str] = &[
    "gxe::math::Rate",
    "nvidia::gxf::Broadcast",
    "nvidia::gxf::CudaStreamSync",
    "nvidia::gxf::Forward",
    "nvidia::gxf::Gather",
    "nvidia::gxf::Synchronization",
    "nvidia::gxf::TimedThrottler",
];

pub(super) fn check(graph: &Graph<'_>, _liveness: &Liveness, findings: &mut Vec<Diagnostic>) {
    findings.extend(wrong_payloads(graph));
}

/// All pairs of a transmitter and a receiver that have no payload in common.
pub(super) fn wrong_payloads(graph: &Graph<'_>) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let components = graph.entities.iter().flat_map(|entity| entity.components().to_vec());
    for receiver in components.filter(|component| component.is_a(tids::RECEIVER)) {
        for taken in declarations(graph, &receiver) {
            for source in graph.sources(receiver.cid()) {
                let Some(source) = graph.component(*source) else { continue };
                let Some(sent) = sent_by(graph, source, &mut FxHashSet::default()) else {
                    continue;
                };
                if sent.types.is_disjoint(&taken.types) {
                    findings.push(finding(graph, source, &sent, &receiver, &taken));
                }
            }
        }
    }
    findings
}

/// What goes through a port, as somebody declares it.
struct Declared {
    /// Full names of payload types.
    types: BTreeSet<String>,
    /// Who declares it.
    by: Arc<Component>,
    /// The place in a file.
    place: Option<Span>,
}

/// What the codelets with a handle to a queue, and the queue itself, declare. Left out are
/// declarations with a type that is not known by name here.
fn declarations(graph: &Graph<'_>, queue: &Arc<Component>) -> Vec<Declared> {
    let mut found = Vec::new();
    let own = types_of(graph, queue, None);
    if let Some(types) = own {
        found.push(Declared { types, by: queue.clone(), place: graph.place(queue) });
    }
    let mut users: Vec<&Arc<Component>> = graph.links(queue.cid()).iter().collect();
    users.dedup_by_key(|user| user.cid());
    for user in users {
        for (index, spec) in user.type_info().parameters.iter().enumerate() {
            let value = user.parameter(&spec.key);
            if !value.as_ref().is_some_and(|value| refers_to(value, queue.cid())) {
                continue;
            }
            if let Some(types) = types_of(graph, user, Some(index)) {
                let place = graph.parameter_place(user, &spec.key);
                found.push(Declared { types, by: user.clone(), place });
            }
        }
    }
    found
}

fn refers_to(value: &ParameterValue, cid: Uid) -> bool {
    targets(value).contains(&cid)
}

/// The names of the types of a port; `None` if it declares none, or one that has no name here.
fn types_of(
    graph: &Graph<'_>,
    component: &Component,
    parameter: Option<usize>,
) -> Option<BTreeSet<String>> {
    let registry = graph.inner.graph.registry.read();
    let ports = component.type_info().ports.iter().filter(|port| port.parameter == parameter);
    let names = ports.map(|port| match registry.by_id(port.tid) {
        Some(known) => Some(known.name.clone()),
        None => registry.by_name(&port.name).map(|known| known.name.clone()),
    });
    let names: BTreeSet<String> = names.collect::<Option<_>>()?;
    (!names.is_empty()).then_some(names)
}

/// What a transmitter sends; `None` if a sender does not say so.
fn sent_by(
    graph: &Graph<'_>,
    transmitter: &Arc<Component>,
    seen: &mut FxHashSet<Uid>,
) -> Option<Declared> {
    if !seen.insert(transmitter.cid()) {
        return None;
    }
    let declared = declarations(graph, transmitter);
    let publishers = || {
        let users = graph.links(transmitter.cid()).iter();
        users.filter(|user| !is_connection(user) && (user.is_a(tids::CODELET) || !is_term(user)))
    };
    // A publisher without a declaration may send anything.
    let all_declare = publishers().all(|user| declared.iter().any(|d| d.by.cid() == user.cid()));
    if !declared.is_empty() && all_declare {
        let mut declared = declared.into_iter();
        let first = declared.next()?;
        return Some(declared.fold(first, |mut all, next| {
            all.types.extend(next.types);
            all
        }));
    }
    passed_on(graph, transmitter, seen)
}

/// What an entity that only passes messages on sends.
fn passed_on(
    graph: &Graph<'_>,
    transmitter: &Arc<Component>,
    seen: &mut FxHashSet<Uid>,
) -> Option<Declared> {
    let entity = graph.owner(transmitter.cid())?;
    let components = entity.components();
    let mut codelets = components.iter().filter(|component| component.is_a(tids::CODELET));
    let forwards =
        |codelet: &Arc<Component>| FORWARDERS.contains(&codelet.type_info().name.as_str());
    if !codelets.clone().any(forwards) || !codelets.all(forwards) {
        return None;
    }
    let mut all: Option<Declared> = None;
    for receiver in components.iter().filter(|component| component.is_a(tids::RECEIVER)) {
        if graph.is_used_from_outside(receiver.cid()) || !graph.is_local(receiver) {
            return None;
        }
        for source in graph.sources(receiver.cid()) {
            let sent = sent_by(graph, graph.component(*source)?, seen)?;
            match &mut all {
                Some(all) => all.types.extend(sent.types),
                None => all = Some(sent),
            }
        }
    }
    all
}

fn finding(
    graph: &Graph<'_>,
    transmitter: &Component,
    sent: &Declared,
    receiver: &Component,
    taken: &Declared,
) -> Diagnostic {
    let list = |types: &BTreeSet<String>| {
        let names: Vec<_> = types.iter().map(|name| format!("`{name}`")).collect();
        names.join(", ")
    };
    let by = |declared: &Declared| format!("`{}`", declared.by.type_info().name);
    let finding = Diagnostic::error(
        ResultCode::PARAMETER_INVALID_TYPE,
        format!(
            "`{}` sends {}, and `{}` takes {}",
            graph.path(transmitter),
            list(&sent.types),
            graph.path(receiver),
            list(&taken.types)
        ),
    );
    let finding = at(finding, taken.place.clone()).label(format!("{} reads it here", by(taken)));
    let finding = note(finding, sent.place.clone(), &format!("{} sends it here", by(sent)));
    finding.help("connect a transmitter of such messages, or put a component between that converts")
}
