//! Converts a recording to the JSON format of ui.perfetto.dev and chrome://tracing.
//!
//! It has three processes: the threads with what they execute; the entities with their ticks and
//! what they wait for in between; the queues with their depths. Each group of spans that extensions
//! recorded is another process. Arrows lead from the tick that sent a message to the tick that took
//! it, and from end to end of a link.
//!
//! A segment of the graph has these processes once more. `otherData` says whose clock the times are
//! from, and what links know of other clocks, for `gxe trace merge`.

use super::contents::Contents;
use super::event::{Decoded, What};
use super::recording::Label;
use crate::observe::devices::{self, DEVICES};
use gxf_app::escape;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Part of a trace: a graph, which is a segment unless the name is empty.
pub(super) struct Part<'a> {
    pub segment: &'a str,
    pub contents: Contents,
}

/// Numbers of the processes of the first part.
const THREADS: u32 = 1;
const ENTITIES: u32 = 2;
const QUEUES: u32 = 3;
/// The first group of spans; the others follow.
const GROUPS: u32 = 4;

/// Category of what an extension recorded, and of a message that went over a link.
const SPAN: &str = "span";
const LINK: &str = "link";

/// Answer of a term when the entity never ticks again.
const NEVER: &str = "Never";

/// GXF's names of a term's answers, by number.
const STATES: [&str; 5] = [NEVER, "Ready", "Wait", "WaitTime", "WaitEvent"];

/// An item to draw. Items at the same time are ordered by `rank`: enclosing ones come first.
struct Drawn {
    time: u64,
    rank: u8,
    shape: Shape,
}

enum Shape {
    Slice { process: u32, track: u64, name: String, category: &'static str, end: u64, note: Value },
    Arrow { from: bool, process: u32, track: u64, id: u64 },
    Counter { queue: i64, depth: u64 },
}

impl Shape {
    /// Of spans that begin at the same time, the outer one comes first.
    fn span_end(&self) -> u64 {
        match self {
            Self::Slice { category: SPAN, end, .. } => *end,
            _ => 0,
        }
    }
}

/// A tick or a wait in progress.
#[derive(Default)]
struct Track {
    waits: Option<(u64, usize, u64)>,
    ticks: Option<(u64, usize)>,
    /// Start of the latest tick.
    begin: u64,
}

/// A message at an end of a link.
struct Passed {
    link: u64,
    sequence: u64,
    has_arrived: bool,
    process: u32,
    track: u64,
    time: u64,
}

/// Process and track of each group of spans.
struct Groups<'a>(BTreeMap<&'a str, (u32, BTreeMap<&'a str, u64>)>);

impl<'a> Groups<'a> {
    fn of(contents: &'a Contents) -> Self {
        let mut groups: BTreeMap<&str, (u32, BTreeMap<&str, u64>)> = BTreeMap::new();
        for label in contents.labels.values() {
            groups.entry(&label.group).or_default().1.insert(&label.track, 0);
        }
        for ((process, tracks), number) in groups.values_mut().zip(GROUPS..) {
            *process = number;
            tracks.values_mut().zip(0..).for_each(|(track, number)| *track = number);
        }
        Self(groups)
    }

    fn place(&self, label: &Label) -> Option<(u32, u64)> {
        let (process, tracks) = self.0.get(label.group.as_str())?;
        Some((*process, *tracks.get(label.track.as_str())?))
    }
}

struct Drawing<'a> {
    segment: &'a str,
    contents: &'a Contents,
    /// Added to the numbers of processes.
    first_process: u32,
    groups: Groups<'a>,
    drawn: Vec<Drawn>,
    tracks: FxHashMap<u32, Track>,
    /// Messages on their way, by message and queue: sender and time.
    sent: FxHashMap<(u64, i64), (u64, u32)>,
    arrows: u64,
    passed: Vec<Passed>,
    links: BTreeSet<u64>,
    /// What is known of other clocks, as JSON.
    clocks: Vec<Value>,
}

/// Writes the JSON.
pub(super) fn write(parts: &[Part<'_>], out: &mut impl Write) -> io::Result<()> {
    let mut drawings: Vec<Drawing<'_>> = Vec::with_capacity(parts.len());
    let (mut first_process, mut arrows) = (0, 0);
    for Part { segment, contents } in parts {
        let mut drawing = Drawing {
            segment,
            contents,
            first_process,
            groups: Groups::of(contents),
            drawn: Vec::new(),
            tracks: FxHashMap::default(),
            sent: FxHashMap::default(),
            arrows,
            passed: Vec::new(),
            links: BTreeSet::new(),
            clocks: Vec::new(),
        };
        drawing.draw();
        arrows = drawing.arrows;
        first_process += GROUPS + u32::try_from(drawing.groups.0.len()).unwrap_or(u32::MAX);
        drawings.push(drawing);
    }
    let links: BTreeSet<u64> =
        drawings.iter().flat_map(|drawing| &drawing.links).copied().collect();
    let links: Vec<String> = links.into_iter().map(link_name).collect();
    connect(&mut drawings, arrows);
    for drawing in &mut drawings {
        let order = |drawn: &Drawn| (drawn.time, drawn.rank, Reverse(drawn.shape.span_end()));
        drawing.drawn.sort_by_key(order);
    }
    // Of a part that recorded nothing, too.
    let begin =
        parts.iter().map(|part| part.contents.origin.saturating_add(part.contents.begin)).min();
    let begin = begin.unwrap_or_default();
    let lost: u64 = parts.iter().map(|part| part.contents.lost).sum();
    let clocks: Vec<&Value> = drawings.iter().flat_map(|drawing| &drawing.clocks).collect();
    let head = parts.first().map(|Part { contents: Contents { place, realtime, .. }, .. }| {
        json!({
            "recorded by": "gxe",
            "events lost": lost,
            "host": place.host,
            "pid": place.pid,
            "clock": {"name": place.clock, "begin_ns": begin, "realtime_ahead_ns": realtime},
            "links": links,
            "other_clocks": clocks,
        })
    });
    let head = escape::json(head.unwrap_or_default());
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{head},\"traceEvents\":[")?;
    let mut separator = "\n";
    for line in drawings.iter().flat_map(Drawing::names) {
        write!(out, "{separator}{}", escape::json(&line))?;
        separator = ",\n";
    }
    for drawing in &drawings {
        let queues = drawing.queues();
        for drawn in &drawing.drawn {
            out.write_all(separator.as_bytes())?;
            separator = ",\n";
            let shift = Shift {
                origin: drawing.contents.origin,
                begin,
                first_process: drawing.first_process,
            };
            drawn.write(shift, &queues, out)?;
        }
    }
    out.write_all(b"\n]}\n")
}

/// Draws arrows between the ends of links that are both in this trace.
fn connect(drawings: &mut [Drawing<'_>], mut arrows: u64) {
    let mut sent: FxHashMap<(u64, u64), (usize, Passed)> = FxHashMap::default();
    let mut arrived = Vec::new();
    for (index, drawing) in drawings.iter_mut().enumerate() {
        for passed in std::mem::take(&mut drawing.passed) {
            if passed.has_arrived {
                arrived.push((index, passed));
            } else {
                sent.insert((passed.link, passed.sequence), (index, passed));
            }
        }
    }
    for (to, end) in arrived {
        let Some((from, begin)) = sent.get(&(end.link, end.sequence)) else { continue };
        arrows += 1;
        drawings[*from].arrow((begin.process, begin.track), begin.time, arrows, true);
        drawings[to].arrow((end.process, end.track), end.time, arrows, false);
    }
}

impl Drawing<'_> {
    fn draw(&mut self) {
        let contents = self.contents;
        let mut events: Vec<(usize, &Decoded)> = contents
            .threads
            .iter()
            .enumerate()
            .flat_map(|(thread, (_, events))| events.iter().map(move |event| (thread, event)))
            .collect();
        // Stable, so that one thread's events at the same time stay in order.
        events.sort_by_key(|(_, event)| event.time);
        let mut last = contents.begin.max(contents.end);
        for (thread, event) in &events {
            let end = match event.what {
                What::Tick { end, .. } | What::Codelet { end, .. } | What::Span { end } => end,
                _ => event.time,
            };
            last = last.max(end);
            self.event(*thread, event);
        }
        for (entity, track) in std::mem::take(&mut self.tracks) {
            // Still true when the recording ended.
            if let Some((begin, term, state)) = track.waits {
                self.wait(entity, begin, last, term, state);
            }
            if let Some((begin, thread)) = track.ticks {
                self.tick(entity, thread, begin, last, json!({"unfinished": true}));
            }
        }
    }

    fn event(&mut self, thread: usize, event: &Decoded) {
        let Decoded { time, entity, what } = *event;
        match what {
            What::TickBegan => {
                self.end_wait(entity, time);
                self.track(entity).ticks = Some((time, thread));
            }
            What::Tick { end, succeeded } => {
                self.end_wait(entity, time);
                let track = self.track(entity);
                track.ticks = None;
                track.begin = time;
                let note = if succeeded { Value::Null } else { json!({"failed": true}) };
                self.tick(entity, thread, time, end, note);
            }
            What::Codelet { index, end } => {
                let codelets = self.contents.names.get(&entity).map(|names| &names.codelets[..]);
                // A single codelet is the tick.
                if let Some(codelets @ [_, _, ..]) = codelets {
                    let name = codelets.get(index).cloned().unwrap_or_default();
                    self.slice(ENTITIES, u64::from(entity), (time, end, 1), name, "codelet");
                }
            }
            What::Waits { term, state } => {
                self.end_wait(entity, time);
                self.track(entity).waits = Some((time, term, state));
            }
            What::Sent { message, depth, queue } => {
                // Inside the tick, which ends at this time.
                let time_within = time.saturating_sub(1).max(self.track(entity).begin);
                self.sent.insert((message, queue), (time_within, entity));
                self.counter(time, queue, depth);
            }
            What::Received { message, queue } => {
                if let Some((sent, sender)) = self.sent.remove(&(message, queue)) {
                    self.arrows += 1;
                    let id = self.arrows;
                    self.arrow((ENTITIES, u64::from(sender)), sent, id, true);
                    self.arrow((ENTITIES, u64::from(entity)), time, id, false);
                }
            }
            What::Depth { depth, queue } => self.counter(time, queue, depth),
            What::Span { end } => {
                if let Some(label) = self.contents.labels.get(&entity)
                    && let Some((process, track)) = self.groups.place(label)
                {
                    self.slice(process, track, (time, end, 0), label.name.clone(), SPAN);
                }
            }
            What::Passed { has_arrived, link, sequence } => {
                if let Some(label) = self.contents.labels.get(&entity)
                    && let Some((process, track)) = self.groups.place(label)
                {
                    let passed = Passed { link, sequence, has_arrived, process, track, time };
                    self.passed(passed, &label.name);
                }
            }
            What::Clock { link, offset, error } => {
                self.links.insert(link);
                self.clocks.push(json!({
                    "link": link_name(link),
                    "time_ns": self.contents.origin.saturating_add(time),
                    "offset_ns": offset,
                    "error_ns": error,
                }));
            }
        }
    }

    fn track(&mut self, entity: u32) -> &mut Track {
        self.tracks.entry(entity).or_default()
    }

    fn end_wait(&mut self, entity: u32, end: u64) {
        if let Some((begin, term, state)) = self.track(entity).waits.take() {
            self.wait(entity, begin, end, term, state);
        }
    }

    fn wait(&mut self, entity: u32, begin: u64, end: u64, term: usize, state: u64) {
        let names = self.contents.names.get(&entity);
        let term = match term {
            DEVICES => Some(devices::NAME.to_owned()),
            term => names.and_then(|names| names.terms.get(term).cloned()),
        };
        let state = usize::try_from(state).ok().and_then(|state| STATES.get(state));
        let what = if state == Some(&NEVER) { "ended by" } else { "waits for" };
        let name = format!("{what} {}", term.as_deref().unwrap_or("a term"));
        let note = json!({"state": state});
        let shape = Shape::Slice {
            process: ENTITIES,
            track: u64::from(entity),
            name,
            category: "wait",
            end,
            note,
        };
        self.drawn.push(Drawn { time: begin, rank: 0, shape });
    }

    /// Draws a tick on the tracks of the entity and the thread.
    fn tick(&mut self, entity: u32, thread: usize, begin: u64, end: u64, note: Value) {
        let slices = [
            (ENTITIES, u64::from(entity), "tick".to_owned()),
            (THREADS, thread as u64, self.name(entity)),
        ];
        for (process, track, name) in slices {
            let note = note.clone();
            let shape = Shape::Slice { process, track, name, category: "tick", end, note };
            self.drawn.push(Drawn { time: begin, rank: 0, shape });
        }
    }

    fn slice(
        &mut self,
        process: u32,
        track: u64,
        (begin, end, rank): (u64, u64, u8),
        name: String,
        category: &'static str,
    ) {
        let shape = Shape::Slice { process, track, name, category, end, note: Value::Null };
        self.drawn.push(Drawn { time: begin, rank, shape });
    }

    fn passed(&mut self, passed: Passed, name: &str) {
        let Passed { link, sequence, has_arrived, process, track, time } = passed;
        let direction = if has_arrived { "arrived" } else { "sent" };
        self.links.insert(link);
        let note = json!({"link": link_name(link), "sequence": sequence, "direction": direction});
        let (name, category) = (name.to_owned(), LINK);
        let shape = Shape::Slice { process, track, name, category, end: time, note };
        self.drawn.push(Drawn { time, rank: 0, shape });
        self.passed.push(passed);
    }

    fn arrow(&mut self, (process, track): (u32, u64), time: u64, id: u64, from: bool) {
        let shape = Shape::Arrow { from, process, track, id };
        self.drawn.push(Drawn { time, rank: 2, shape });
    }

    fn counter(&mut self, time: u64, queue: i64, depth: u64) {
        self.drawn.push(Drawn { time, rank: 3, shape: Shape::Counter { queue, depth } });
    }

    fn name(&self, entity: u32) -> String {
        let names = self.contents.names.get(&entity);
        names.map_or_else(|| format!("entity {entity}"), |names| names.name.clone())
    }

    fn names(&self) -> Vec<Value> {
        let name = |kind: &str, process: u32, track: u64, name: &str| {
            let name = match (kind, self.segment) {
                ("process_name", segment) if !segment.is_empty() => format!("{segment}: {name}"),
                _ => name.to_owned(),
            };
            let process = self.first_process + process;
            json!({"ph": "M", "name": kind, "pid": process, "tid": track, "args": {"name": name}})
        };
        let mut lines = vec![
            name("process_name", THREADS, 0, "threads"),
            name("process_name", ENTITIES, 0, "entities"),
            name("process_name", QUEUES, 0, "queues"),
        ];
        for (index, (thread, _)) in self.contents.threads.iter().enumerate() {
            lines.push(name("thread_name", THREADS, index as u64, thread));
        }
        for (group, (process, tracks)) in &self.groups.0 {
            lines.push(name("process_name", *process, 0, group));
            for (track, number) in tracks {
                lines.push(name("thread_name", *process, *number, track));
            }
        }
        let events = self.contents.threads.iter().flat_map(|(_, events)| events);
        let events = events.filter(|event| !matches!(event.what, What::Span { .. }));
        // There may have been no room for some names.
        let mut entities: BTreeSet<u32> = events.map(|event| event.entity).collect();
        entities.extend(self.contents.names.keys());
        for entity in entities {
            lines.push(name("thread_name", ENTITIES, u64::from(entity), &self.name(entity)));
        }
        lines
    }

    /// Names of queues, as JSON.
    fn queues(&self) -> FxHashMap<i64, String> {
        let entities = self.contents.names.values();
        let queues = entities.flat_map(|names| {
            let place =
                |name: &str| escape::json(json!(format!("{}/{name}", names.name))).to_string();
            names.queues.iter().map(move |(queue, name)| (*queue, place(name)))
        });
        queues.collect()
    }
}

/// A number of 64 bits, which not every reader of JSON reads exactly, as text.
fn link_name(link: u64) -> String {
    format!("{link:016x}")
}

/// Nanoseconds as microseconds, the unit of the format.
struct Microseconds(u64);

impl std::fmt::Display for Microseconds {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{:03}", self.0 / 1000, self.0 % 1000)
    }
}

/// From a part to the whole.
#[derive(Clone, Copy)]
struct Shift {
    /// From when the part counts times, and when the whole begins.
    origin: u64,
    begin: u64,
    first_process: u32,
}

impl Drawn {
    fn write(
        &self,
        Shift { origin, begin, first_process }: Shift,
        queues: &FxHashMap<i64, String>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        let time = Microseconds((origin.saturating_add(self.time)).saturating_sub(begin));
        match &self.shape {
            Shape::Slice { process, track, name, category, end, note } => {
                // An item without duration would be invisible.
                let duration = Microseconds(end.saturating_sub(self.time).max(1));
                let name = escape::json(Value::from(name.as_str()));
                let process = first_process + process;
                write!(
                    out,
                    "{{\"ph\":\"X\",\"name\":{name},\"cat\":\"{category}\",\"pid\":{process},\
                     \"tid\":{track},\"ts\":{time},\"dur\":{duration}"
                )?;
                if !note.is_null() {
                    write!(out, ",\"args\":{note}")?;
                }
                out.write_all(b"}")
            }
            Shape::Arrow { from, process, track, id } => {
                let process = first_process + process;
                let phase = if *from { "\"s\"" } else { "\"f\",\"bp\":\"e\"" };
                write!(
                    out,
                    "{{\"ph\":{phase},\"name\":\"message\",\"cat\":\"message\",\"id\":{id},\
                     \"pid\":{process},\"tid\":{track},\"ts\":{time}}}"
                )
            }
            Shape::Counter { queue, depth } => {
                let unknown = format!("\"queue {queue}\"");
                let name = queues.get(queue).unwrap_or(&unknown);
                let process = first_process + QUEUES;
                write!(
                    out,
                    "{{\"ph\":\"C\",\"name\":{name},\"pid\":{process},\"ts\":{time},\
                     \"args\":{{\"messages\":{depth}}}}}"
                )
            }
        }
    }
}
