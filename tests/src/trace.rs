//! A trace, for tests.

use serde_json::Value;
use std::collections::BTreeMap;

/// A slice of a track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Its text.
    pub name: String,
    /// In nanoseconds.
    pub begin: u64,
    /// In nanoseconds.
    pub end: u64,
    /// Notes about it.
    pub note: Value,
}

/// An arrow from one track to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrow {
    /// Name of the track where it starts, and when.
    pub from: (String, u64),
    /// Name of the track where it ends, and when.
    pub to: (String, u64),
}

/// A trace.
#[derive(Debug, Default)]
pub struct Trace {
    /// Slices of the threads, by the thread's name.
    pub threads: BTreeMap<String, Vec<Slice>>,
    /// Slices of the entities, by the entity's name.
    pub entities: BTreeMap<String, Vec<Slice>>,
    /// Slices of extensions, by group and track.
    pub groups: BTreeMap<String, BTreeMap<String, Vec<Slice>>>,
    /// Arrows from tick to tick.
    pub arrows: Vec<Arrow>,
    /// Arrows from one end of a link to the other. Those between hosts are as exact as is known of
    /// their clocks.
    pub links: Vec<Arrow>,
    /// By name of the queue: its depths in their order.
    pub queues: BTreeMap<String, Vec<u64>>,
    /// Events that were dropped.
    pub lost: u64,
}

/// Converts microseconds, the unit of the format, to nanoseconds.
fn nanoseconds(value: &Value) -> u64 {
    (value.as_f64().expect("a time") * 1000.0).round() as u64
}

impl Trace {
    /// Reads the JSON of a trace.
    ///
    /// # Panics
    /// If it is not a trace.
    /// When it is not one.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let json: Value = serde_json::from_str(text).expect("a trace is JSON");
        let mut trace = Self {
            lost: json["otherData"]["events lost"].as_u64().unwrap_or(0),
            ..Self::default()
        };
        let mut names = BTreeMap::new();
        let mut processes = BTreeMap::new();
        let mut begins = BTreeMap::new();
        for event in json["traceEvents"].as_array().expect("a list of events") {
            let track = (event["pid"].as_u64().unwrap(), event["tid"].as_u64());
            let name = || event["name"].as_str().unwrap().to_owned();
            let time = || nanoseconds(&event["ts"]);
            match event["ph"].as_str().expect("a phase") {
                "M" if event["name"] == "thread_name" => {
                    names.insert(track, event["args"]["name"].as_str().unwrap().to_owned());
                }
                "M" if event["name"] == "process_name" => {
                    processes.insert(track.0, event["args"]["name"].as_str().unwrap().to_owned());
                }
                "M" => {}
                "X" => {
                    let process: &String = &processes[&track.0];
                    let tracks = match process.as_str() {
                        "threads" => &mut trace.threads,
                        "entities" => &mut trace.entities,
                        _ => trace.groups.entry(process.clone()).or_default(),
                    };
                    tracks.entry(names[&track].clone()).or_default().push(Slice {
                        name: name(),
                        begin: time(),
                        end: time() + nanoseconds(&event["dur"]),
                        note: event["args"].clone(),
                    });
                }
                "s" => {
                    let id = event["id"].as_u64().unwrap();
                    let before = begins.insert(id, (names[&track].clone(), time()));
                    assert_eq!(before, None, "an arrow's id is its own");
                }
                "f" => {
                    assert_eq!(event["bp"], "e", "an arrow ends at the slice it ends in");
                    let from = begins.remove(&event["id"].as_u64().unwrap()).expect("a begin");
                    let arrow = Arrow { from, to: (names[&track].clone(), time()) };
                    match processes[&track.0].ends_with("entities") {
                        true => trace.arrows.push(arrow),
                        false => trace.links.push(arrow),
                    }
                }
                "C" => {
                    let depth = event["args"]["messages"].as_u64().unwrap();
                    trace.queues.entry(name()).or_default().push(depth);
                }
                other => panic!("unknown phase {other}"),
            }
        }
        assert!(begins.is_empty(), "arrows that lead nowhere: {begins:?}");
        trace.check();
        trace
    }

    /// Checks properties of every trace.
    fn check(&self) {
        for (name, slices) in self.threads.iter().chain(&self.entities) {
            let mut open: Vec<&Slice> = Vec::new();
            for slice in slices {
                assert!(slice.begin < slice.end, "{name}: {slice:?}");
                open.retain(|outer| outer.end > slice.begin);
                assert!(
                    open.iter().all(|outer| outer.begin <= slice.begin && slice.end <= outer.end),
                    "{name}: {slice:?} overlaps {open:?}"
                );
                open.push(slice);
            }
        }
        for Arrow { from, to } in &self.arrows {
            assert!(from.1 < to.1, "{from:?} to {to:?}");
            for (track, time) in [from, to] {
                if !self.entities.contains_key(track) {
                    // Of a segment.
                    continue;
                }
                let within = self.slices(track, "tick").into_iter();
                let within = within.filter(|tick| tick.begin <= *time && *time < tick.end);
                assert_eq!(within.count(), 1, "an end of an arrow is in a tick of {track}");
            }
        }
    }

    /// The slices of an entity with this text.
    #[must_use]
    pub fn slices(&self, entity: &str, name: &str) -> Vec<&Slice> {
        let slices = self.entities.get(entity).into_iter().flatten();
        slices.filter(|slice| slice.name == name).collect()
    }

    /// How many arrows lead from one entity to another.
    #[must_use]
    pub fn arrows(&self, from: &str, to: &str) -> usize {
        let arrows = self.arrows.iter();
        arrows.filter(|arrow| arrow.from.0 == from && arrow.to.0 == to).count()
    }
}
