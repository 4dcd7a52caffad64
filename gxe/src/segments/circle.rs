//! Segments that wait for each other's messages, while none of them sends the first one.

use gxf_plugin_abi::ResultCode;
use gxf_remote::Connection;
use gxf_runtime::check::Starved;
use gxf_runtime::graph::{Diagnostic, Span};
use gxf_runtime::{Context, Uid};
use std::collections::{BTreeMap, BTreeSet};

/// Most segments of a circle to show besides the first.
const NOTED: usize = 9;

/// A connection whose ends exist: the numbers of their segments, and their components.
struct Link<'a> {
    connection: &'a Connection,
    source: (usize, Uid),
    target: (usize, Uid),
}

/// The circles, each once.
pub fn circles(segments: &[(&str, &Context)], connections: &[Connection]) -> Vec<Diagnostic> {
    let links = connections.iter().filter_map(|connection| {
        let source = end(segments, &connection.source)?;
        Some(Link { connection, source, target: end(segments, &connection.target)? })
    });
    let links: Vec<Link<'_>> = links.collect();
    let silent = silent(segments, &links);
    let mut findings = Vec::new();
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    for start in silent.keys() {
        let mut path: Vec<usize> = Vec::new();
        let mut next = Some(*start);
        while let Some(link) = next.filter(|link| seen.insert(*link)) {
            path.push(link);
            next = awaited(&links, &silent, link);
        }
        let begin = next.and_then(|next| path.iter().position(|link| *link == next));
        if let Some(begin) = begin {
            findings.push(finding(segments, &links, &silent, &path[begin..]));
        }
    }
    findings
}

/// The component at an end of a connection, `segment.entity.component`.
fn end(segments: &[(&str, &Context)], name: &str) -> Option<(usize, Uid)> {
    let mut parts = name.splitn(3, '.');
    let (segment, entity, component) = (parts.next()?, parts.next()?, parts.next()?);
    let number = segments.iter().position(|(known, _)| *known == segment)?;
    let cid = segments[number].1.find_component(entity, component).ok()?;
    Some((number, cid))
}

/// The links over which no message ever comes, each with what its segment waits for: at first all, then
/// without those that somebody sends over although the others stay empty.
fn silent(segments: &[(&str, &Context)], links: &[Link<'_>]) -> BTreeMap<usize, Starved> {
    let mut silent: BTreeSet<usize> = (0..links.len()).collect();
    loop {
        let mut starved = BTreeMap::new();
        for (number, (_, context)) in segments.iter().enumerate() {
            let targets = silent.iter().map(|link| links[*link].target);
            let empty = targets.filter(|(segment, _)| *segment == number).map(|(_, cid)| cid);
            for found in context.starved(&empty.collect::<Vec<_>>()) {
                let of = |link: &&usize| links[**link].source == (number, found.transmitter);
                let ends: Vec<usize> = silent.iter().filter(of).copied().collect();
                starved.extend(ends.into_iter().map(|link| (link, found.clone())));
            }
        }
        if starved.len() == silent.len() {
            return starved;
        }
        silent = starved.into_keys().collect();
    }
}

/// The link that has to bring a message first.
fn awaited(links: &[Link<'_>], silent: &BTreeMap<usize, Starved>, link: usize) -> Option<usize> {
    let target = (links[link].source.0, silent.get(&link)?.receiver);
    silent.keys().copied().find(|other| links[*other].target == target)
}

fn finding(
    segments: &[(&str, &Context)],
    links: &[Link<'_>],
    silent: &BTreeMap<usize, Starved>,
    ring: &[usize],
) -> Diagnostic {
    let name = |link: usize| segments[links[link].source.0].0;
    let place = |link: usize| -> Option<Span> { silent.get(&link)?.place.clone() };
    let label = |link: usize| {
        let awaited = awaited(links, silent, link).map(|other| links[other].connection);
        let source = awaited.map_or("", |connection| connection.source.as_str());
        format!("`{}` waits here for a message of `{source}`", name(link))
    };
    let names: BTreeSet<&str> = ring.iter().map(|link| name(*link)).collect();
    let message = if names.len() == 1 {
        format!("segment `{}` waits for its own message, so it never sends one", name(ring[0]))
    } else {
        let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        let names = names.join(", ");
        format!("segments {names} wait for each other's messages, so none ever sends one")
    };
    let mut finding = Diagnostic::error(ResultCode::FAILURE, message).found_by("deadlock-cycle");
    if let Some(place) = place(ring[0]) {
        finding = finding.at(place).label(label(ring[0]));
    }
    for link in ring.iter().skip(1).take(NOTED) {
        if let Some(place) = place(*link) {
            finding = finding.note(place, label(*link));
        }
    }
    // Messages go the other way than waiting.
    let way = ring[..1].iter().chain(ring[1..].iter().rev());
    let way = way.map(|link| {
        let Connection { source, target } = links[*link].connection;
        format!("`{source}` to `{target}`")
    });
    let way: Vec<_> = way.collect();
    finding.help(format!("the circle: {}", way.join(", "))).help(
        "let one of these segments send a first message from an entity that ticks once \
         (CountSchedulingTerm with count 1)",
    )
}
