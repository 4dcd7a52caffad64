//! The end of segments that wait for each other.
//!
//! The end of a graph travels along its links, from sources to sinks. In a circle there is no
//! source: each segment waits for the end of another. In a deadlock, one waits for room, and another
//! one for a message that it does not get therefore. As in one process, such a graph is over when no
//! entity can execute any more, and nothing is on its way.
//!
//! The driver asks all segments, one after the other. Each answers whether it rests, so that only
//! what comes over a link can wake it, and what the ends of its links have counted. If all rest and
//! every link has the same counts at both ends, it is over, although the answers are of different
//! moments: the first segment that executed anything after its answer would have been woken by
//! something that another one had sent after its own answer, or that was on its way, and then the
//! counts would differ.

use crate::configuration::Connection;
use gxf_runtime::{Context, LinkEnd};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What a worker answers for a segment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentRest {
    /// Its name.
    pub segment_name: String,
    /// Its ends of open links; missing if it does not rest.
    pub links: Option<Vec<Counted>>,
}

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counted {
    /// Identifies the link.
    pub run: u64,
    /// Whether it is the transmitter.
    pub sends: bool,
    /// Messages that were sent, or arrived.
    pub messages: u64,
    /// Grows with the room that the receiver made known, or the transmitter knows of.
    pub room: u64,
}

impl SegmentRest {
    pub fn new(segment_name: &str, links: Option<Vec<LinkEnd>>) -> Self {
        let counted = |end: LinkEnd| Counted {
            run: end.counts.run,
            sends: end.sends,
            messages: end.counts.messages,
            room: end.counts.room,
        };
        let links = links.map(|links| links.into_iter().map(counted).collect());
        Self { segment_name: segment_name.to_owned(), links }
    }
}

/// The ways between segments that lead to each other in circles: from one to another.
pub fn circles(connections: &[Connection]) -> BTreeSet<[&str; 2]> {
    let mut edges: BTreeSet<[&str; 2]> = connections.iter().map(Connection::segments).collect();
    loop {
        let sources: BTreeSet<&str> = edges.iter().map(|[source, _]| *source).collect();
        let targets: BTreeSet<&str> = edges.iter().map(|[_, target]| *target).collect();
        let before = edges.len();
        // The first and the last segments of what is left are in no circle.
        edges.retain(|[source, target]| targets.contains(source) && sources.contains(target));
        if edges.len() == before {
            return edges;
        }
    }
}

/// What to say about segments in circles that end without ever having sent a message. Nothing if links
/// between them have ended before: segments do not answer what those carried.
pub fn never_sent(segments: &[SegmentRest], connections: &[Connection]) -> Option<String> {
    let circles = circles(connections);
    if circles.is_empty() {
        return None;
    }
    let in_circles = connections.iter().filter(|one| circles.contains(&one.segments())).count();
    let links = segments.iter().flat_map(|segment| segment.links.iter().flatten());
    let open = links.clone().filter(|link| link.sends).count();
    if open < in_circles || links.clone().any(|link| link.messages > 0) {
        return None;
    }
    let waits = circles.iter().map(|[source, target]| format!("{target} for {source}"));
    let waits: Vec<_> = waits.collect();
    Some(format!(
        "No message was sent over the links between segments in a circle, which wait for each other's: {}",
        waits.join(", ")
    ))
}

/// What to say about segments that end in a deadlock: between which of them links have no room. Those
/// that end regularly have taken all that came.
pub fn deadlock(segments: &[SegmentRest]) -> Option<String> {
    let ends = |sends: bool| {
        let links = segments.iter().flat_map(move |segment| {
            let links = segment.links.iter().flatten().filter(move |link| link.sends == sends);
            links.map(|link| (link, segment.segment_name.as_str()))
        });
        links.filter(|(link, _)| link.messages > 0 && link.messages >= link.room)
    };
    let receivers: BTreeMap<u64, &str> = ends(false).map(|(link, name)| (link.run, name)).collect();
    let full = ends(true).filter_map(|(link, source)| Some([source, receivers.get(&link.run)?]));
    let full: BTreeSet<[&str; 2]> = full.collect();
    let pairs: Vec<_> =
        full.iter().map(|[source, target]| format!("{source} to {target}")).collect();
    (!pairs.is_empty()).then(|| {
        let pairs = pairs.join(", ");
        format!("A deadlock: all segments wait, and nobody takes what came over links from {pairs}")
    })
}

/// Whether nothing will ever happen again in segments that gave these answers.
pub fn is_over(segments: &[SegmentRest]) -> bool {
    // By link: its transmitter and its receiver.
    let mut ends: BTreeMap<u64, [Option<(u64, u64)>; 2]> = BTreeMap::new();
    for segment in segments {
        let Some(links) = &segment.links else { return false };
        for link in links {
            let end = &mut ends.entry(link.run).or_default()[usize::from(link.sends)];
            if end.replace((link.messages, link.room)).is_some() {
                return false;
            }
        }
    }
    ends.values().all(|[receiver, transmitter]| receiver.is_some() && receiver == transmitter)
}

/// Ends the links of graphs that this process runs, all at once, if nothing will ever happen in them
/// again. Returns whether it did.
///
/// # Errors
/// Those of a link.
pub fn end_if_over(graphs: &[Context]) -> gxf_runtime::Result<bool> {
    let segments: Vec<_> = graphs.iter().map(|graph| SegmentRest::new("", graph.rest())).collect();
    let is_over = is_over(&segments);
    if is_over {
        graphs.iter().try_for_each(Context::end_links)?;
    }
    Ok(is_over)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(text: &str) -> Vec<Connection> {
        let pairs = text.split_whitespace().map(|pair| pair.split_once('-').expect("a pair"));
        let end = |segment: &str| format!("{segment}.entity.queue");
        pairs
            .map(|(source, target)| Connection { source: end(source), target: end(target) })
            .collect()
    }

    #[test]
    fn circles_are_found() {
        for none in ["", "a-b b-c", "a-b a-c b-d c-d", "a-b a-b"] {
            assert!(circles(&connections(none)).is_empty(), "{none}");
        }
        for (all, circle) in [
            ("a-a", "a-a"),
            ("a-b b-a", "a-b b-a"),
            ("s-a a-b b-c c-a c-t", "a-b b-c c-a"),
            ("a-b c-d d-c", "c-d d-c"),
        ] {
            let (all, circle) = (connections(all), connections(circle));
            let expected: BTreeSet<_> = circle.iter().map(Connection::segments).collect();
            assert_eq!(circles(&all), expected);
        }
    }

    #[test]
    fn links_without_room_are_a_deadlock() {
        let said = |messages, room| {
            let mut there = rests(&[(1, true, messages, room), (2, false, 3, 4)]);
            there.segment_name = "up".to_owned();
            deadlock(&[there, rests(&[(1, false, messages, room), (2, true, 3, 4)])])
        };
        let text =
            "A deadlock: all segments wait, and nobody takes what came over links from up to a";
        assert_eq!(said(2, 2).as_deref(), Some(text));
        assert_eq!(said(2, 3), None);
        assert_eq!(said(0, 0), None, "it was never open");
    }

    fn rests(links: &[(u64, bool, u64, u64)]) -> SegmentRest {
        let counted = |&(run, sends, messages, room)| Counted { run, sends, messages, room };
        let links = Some(links.iter().map(counted).collect());
        SegmentRest { segment_name: "a".to_owned(), links }
    }

    #[test]
    fn segments_that_never_sent_are_named() {
        let silent = |links: &[(u64, bool, u64, u64)]| {
            let other: Vec<_> = links.iter().map(|&(run, sends, ..)| (run, !sends, 0, 4)).collect();
            never_sent(&[rests(links), rests(&other)], &connections("a-b b-a b-c"))
        };
        let said = silent(&[(1, true, 0, 7), (2, false, 0, 4)]).expect("something to say");
        assert!(said.ends_with(": b for a, a for b"), "{said}");
        assert_eq!(silent(&[(1, true, 1, 7), (2, false, 0, 4)]), None);
        assert_eq!(silent(&[(1, true, 0, 7)]), None, "one has ended, and may have carried some");
        assert_eq!(silent(&[]), None);
    }

    #[test]
    fn it_is_over_when_all_rest_and_nothing_is_on_its_way() {
        let there = rests(&[(1, true, 5, 7), (2, false, 3, 4)]);
        let other = |first, room| rests(&[(1, false, first, room), (2, true, 3, 4)]);
        assert!(is_over(&[there.clone(), other(5, 7)]));
        assert!(!is_over(&[there.clone(), other(4, 7)]), "a message is on its way");
        assert!(!is_over(&[there.clone(), other(5, 8)]), "news of room is on its way");
        assert!(!is_over(std::slice::from_ref(&there)), "links to others bring what nobody knows");
        let busy = SegmentRest { segment_name: "b".to_owned(), links: None };
        assert!(!is_over(&[there.clone(), other(5, 7), busy]));
        assert!(!is_over(&[there.clone(), there.clone(), other(5, 7)]), "somebody answered twice");
        assert!(is_over(&[rests(&[])]));
    }
}
