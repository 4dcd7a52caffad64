//! Reads a recording. The words may come from a file, so nothing in them is trusted.

use super::event::{Decoded, Event, WORDS};
use super::recording::{Label, MAGIC, Names, Place, RING_HEAD, VERSION, head};
use rustc_hash::FxHashMap;

/// A recording that was read.
pub(super) struct Contents {
    /// Start time in nanoseconds.
    pub begin: u64,
    /// End time; 0 if it was not recorded.
    pub end: u64,
    /// From when times count, on the monotonic clock, and by how much the clock of the day is ahead
    /// of that one.
    pub origin: u64,
    pub realtime: u64,
    /// Where it was recorded.
    pub place: Place,
    /// By index of the entity.
    pub names: FxHashMap<u32, Names>,
    /// By index of the label.
    pub labels: FxHashMap<u32, Label>,
    /// Name and events of each thread.
    pub threads: Vec<(String, Vec<Decoded>)>,
    /// Number of events that were written and are missing here.
    pub lost: u64,
}

/// Parses words, or says what is wrong with them.
pub(super) fn read(words: &[u64]) -> Result<Contents, &'static str> {
    const SHORT: &str = "it is too short";
    if words.len() < head::LENGTH || words[head::MAGIC] != MAGIC {
        return Err("it is not a trace that gxe recorded");
    }
    if words[head::VERSION] != VERSION {
        return Err("it was recorded by another version of gxe");
    }
    let number = |place: usize| usize::try_from(words[place]).map_err(|_| SHORT);
    let names_end = head::LENGTH.checked_add(number(head::NAME_WORDS)?).ok_or(SHORT)?;
    let name_words = words.get(head::LENGTH..names_end).ok_or(SHORT)?;
    let events = number(head::EVENTS)?;
    let length = events.checked_mul(WORDS).and_then(|words| words.checked_add(RING_HEAD));
    let length = length.filter(|_| events > 0).ok_or(SHORT)?;
    let (names, labels, place) = names(name_words, number(head::NAME_BYTES)?);
    let mut contents = Contents {
        begin: words[head::BEGIN],
        end: words[head::END],
        origin: words[head::ORIGIN],
        realtime: words[head::REALTIME],
        place,
        names,
        labels,
        threads: Vec::new(),
        lost: words[head::LOST_EVENTS],
    };
    for index in 0..number(head::RINGS)? {
        let first = index.checked_mul(length).and_then(|first| first.checked_add(names_end));
        let first = first.ok_or(SHORT)?;
        let ring = first.checked_add(length).and_then(|end| words.get(first..end)).ok_or(SHORT)?;
        let written = ring[0];
        if written == 0 {
            continue;
        }
        let oldest = written.saturating_sub(events as u64);
        let decoded: Vec<Decoded> = (oldest..written)
            .filter_map(|index| {
                let slot = usize::try_from(index % events as u64).ok()?;
                let place = RING_HEAD + slot * WORDS;
                let event = Event(ring[place..place + WORDS].try_into().ok()?);
                event.decode()
            })
            .collect();
        contents.lost += written - decoded.len() as u64;
        contents.threads.push((text(&ring[1..RING_HEAD]), decoded));
    }
    Ok(contents)
}

fn bytes(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn text(words: &[u64]) -> String {
    let bytes = bytes(words);
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Names and labels. Skips unreadable lines: their entities appear as numbers.
fn names(words: &[u64], used: usize) -> (FxHashMap<u32, Names>, FxHashMap<u32, Label>, Place) {
    let bytes = bytes(&words[..words.len().min(used.div_ceil(8))]);
    let (mut names, mut labels) = (FxHashMap::default(), FxHashMap::default());
    let mut place = Place::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(known) = serde_json::from_slice::<Names>(line) {
            names.insert(known.entity, known);
        } else if let Ok(known) = serde_json::from_slice::<Label>(line) {
            labels.insert(known.label, known);
        } else if let Ok(known) = serde_json::from_slice(line) {
            place = known;
        }
    }
    (names, labels, place)
}
