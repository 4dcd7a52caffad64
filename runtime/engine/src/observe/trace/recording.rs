//! A recording: one ring of events per thread and a list of names, in one region of memory.
//!
//! # Layout, in words of 8 bytes, little-endian
//!
//! The head: magic, version, number of rings, events per ring, words for names, bytes of names so
//! far, events lost for lack of a ring, names lost for lack of room, start time and, in a copy, end
//! time; then the moment from which times count, on the monotonic clock, and by how much the clock of
//! the day is ahead of that.
//! Then the names: lines of JSON, see [`Names`], [`Label`] and [`Place`]. Then the rings: the number of events written so
//! far, seven words with the name of the thread, the events.
//!
//! A ring has one writer. Readers copy it, then check how far the writer is, and leave out what it
//! may have overwritten in the meantime.

use super::event::{Event, WORDS};
use super::region::Region;
use crate::observe::time::{Origin, clock_name, nanoseconds_since, realtime_ahead};
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Weak};

pub(super) const MAGIC: u64 = u64::from_le_bytes(*b"GXETRACE");
pub(super) const VERSION: u64 = 1;
/// Positions of the words of the head.
pub(super) mod head {
    pub const MAGIC: usize = 0;
    pub const VERSION: usize = 1;
    pub const RINGS: usize = 2;
    pub const EVENTS: usize = 3;
    pub const NAME_WORDS: usize = 4;
    pub const NAME_BYTES: usize = 5;
    pub const LOST_EVENTS: usize = 6;
    pub const LOST_NAMES: usize = 7;
    pub const BEGIN: usize = 8;
    pub const END: usize = 9;
    pub const ORIGIN: usize = 10;
    pub const REALTIME: usize = 11;
    pub const LENGTH: usize = 16;
}
/// Words of a ring before its events.
pub(super) const RING_HEAD: usize = 8;
/// Number of threads that can record; events of others are counted as lost.
const RINGS: usize = 64;
/// Words for names: room for some ten thousand entities.
const NAME_WORDS: usize = 1 << 19;

/// Names of an entity and its parts.
#[derive(Serialize, Deserialize, PartialEq, Eq)]
pub struct Names {
    /// The entity's index.
    pub entity: u32,
    /// Name of the entity.
    pub name: String,
    /// Labels of its terms and combiners.
    pub terms: Vec<String>,
    /// Labels of its codelets.
    pub codelets: Vec<String>,
    /// Its receivers, by id.
    pub queues: Vec<(i64, String)>,
}

/// What an extension did, in words.
pub struct Span<'a> {
    /// The feature that it belongs to.
    pub group: &'a str,
    /// Its position in the group.
    pub track: &'a str,
    /// What was done.
    pub name: &'a str,
}

/// Group of what links do, and the name of what goes over them.
const LINKS: &str = "links";
const LINK_MESSAGE: &str = "message";

/// The texts of a [`Span`], by the index that its events have.
#[derive(Serialize, Deserialize)]
pub(super) struct Label {
    pub label: u32,
    pub group: String,
    pub track: String,
    pub name: String,
}

/// Where a recording was made.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Place {
    pub host: String,
    pub pid: u32,
    /// See [`clock_name`].
    pub clock: String,
}

impl Place {
    fn here() -> Self {
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        Self { host: host.trim().to_owned(), pid: std::process::id(), clock: clock_name() }
    }
}

/// The labels of a recording. Events refer to them by index.
#[derive(Default)]
struct Labels {
    known: FxHashMap<String, u32>,
    is_full: bool,
}

/// Destination of events while a trace is on.
pub struct Recording {
    region: Region,
    events: usize,
    /// Times count from here.
    origin: Origin,
    /// By ring: its owner. A thread that ended leaves its ring to one with the same name.
    owners: Mutex<Vec<(String, Weak<()>)>>,
    /// The lines of names by entity.
    names: Mutex<FxHashMap<u32, String>>,
    labels: Mutex<Labels>,
    /// Entities with this index or a higher one have no names, for lack of room.
    nameless: AtomicU32,
}

/// A thread's right to a ring.
struct Lease {
    recording: Weak<Recording>,
    /// The first word of the ring; `None` if there was none left.
    ring: Option<usize>,
    /// Lives as long as the thread.
    _alive: Arc<()>,
}

thread_local! {
    static LEASE: RefCell<Option<Lease>> = const { RefCell::new(None) };
}

impl Recording {
    /// `events` per thread, rounded up to a power of two. Times count from `origin`.
    pub fn new(events: usize, file: Option<&Path>, origin: Origin) -> Result<Arc<Self>> {
        let events = events.clamp(16, 1 << 24).next_power_of_two();
        let words = head::LENGTH + NAME_WORDS + RINGS * (RING_HEAD + events * WORDS);
        let region = match file {
            Some(path) => Region::in_file(path, words),
            None => Region::in_memory(words),
        };
        let region = region.map_err(|error| {
            let text = match file {
                Some(path) => format!("cannot create the trace file `{}`", path.display()),
                None => "not enough memory for a trace".to_owned(),
            };
            Error::new(ResultCode::FAILURE, text).caused_by(error)
        })?;
        let recording = Self {
            region,
            events,
            origin,
            owners: Mutex::default(),
            names: Mutex::default(),
            labels: Mutex::default(),
            nameless: AtomicU32::new(u32::MAX),
        };
        for (place, value) in [
            (head::VERSION, VERSION),
            (head::RINGS, RINGS as u64),
            (head::EVENTS, events as u64),
            (head::NAME_WORDS, NAME_WORDS as u64),
            (head::BEGIN, nanoseconds_since(origin)),
            (head::ORIGIN, origin.monotonic()),
            (head::REALTIME, realtime_ahead()),
            (head::MAGIC, MAGIC),
        ] {
            recording.word(place).store(value, Ordering::Release);
        }
        recording.store_line(&line(&Place::here()), NAME_WORDS);
        Ok(Arc::new(recording))
    }

    fn word(&self, place: usize) -> &AtomicU64 {
        &self.region.words()[place]
    }

    /// Adds an event to the ring of the calling thread.
    #[inline]
    pub fn write(self: &Arc<Self>, event: Event) {
        // A thread that ends has already released its ring.
        let _ = LEASE.try_with(|lease| {
            let mut lease = lease.borrow_mut();
            let known = lease
                .as_ref()
                .filter(|lease| std::ptr::eq(lease.recording.as_ptr(), Arc::as_ptr(self)));
            let ring = match known {
                Some(lease) => lease.ring,
                None => lease.insert(self.lease()).ring,
            };
            match ring {
                Some(ring) => self.write_to(ring, event),
                None => self.lose_event(),
            }
        });
    }

    fn lose_event(&self) {
        self.word(head::LOST_EVENTS).fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a span to the ring of the calling thread. It is lost if there is no room for its texts.
    pub fn write_span(self: &Arc<Self>, span: &Span<'_>, begin: u64, end: u64) {
        match self.label(span) {
            Some(label) => self.write(Event::span(begin, label, end)),
            None => self.lose_event(),
        }
    }

    /// Adds an event of a link to the ring of the calling thread, as [`Self::write_span`].
    pub fn write_link(self: &Arc<Self>, track: &str, event: impl FnOnce(u32) -> Event) {
        match self.label(&Span { group: LINKS, track, name: LINK_MESSAGE }) {
            Some(label) => self.write(event(label)),
            None => self.lose_event(),
        }
    }

    /// The index of a span's texts.
    fn label(&self, span: &Span<'_>) -> Option<u32> {
        /// Longest text; a longer one is cut.
        const LONGEST: usize = 256;
        let [group, track, name] =
            [span.group, span.track, span.name].map(|text| truncated(text, LONGEST));
        let key = format!("{group}\0{track}\0{name}");
        let mut labels = self.labels.lock();
        if let Some(label) = labels.known.get(&key) {
            return Some(*label);
        }
        if labels.is_full {
            return None;
        }
        let label = u32::try_from(labels.known.len()).ok()?;
        let [group, track, name] = [group, track, name].map(str::to_owned);
        let line = line(&Label { label, group, track, name });
        // Names of entities have the rest: an entity without a name costs more than a span.
        let names = self.names.lock();
        let is_stored = self.store_line(&line, NAME_WORDS / 2);
        drop(names);
        if !is_stored {
            labels.is_full = true;
            return None;
        }
        labels.known.insert(key, label);
        Some(label)
    }

    /// Adds a line to the names, if they then have at most `limit` words. The caller holds the lock
    /// of the names.
    fn store_line(&self, line: &str, limit: usize) -> bool {
        let used = self.word(head::NAME_BYTES).load(Ordering::Relaxed);
        let first = usize::try_from(used).unwrap_or(usize::MAX) / 8;
        if first + line.len() / 8 > limit {
            return false;
        }
        self.store_bytes(head::LENGTH + first, line.as_bytes());
        self.word(head::NAME_BYTES).store(used + line.len() as u64, Ordering::Release);
        true
    }

    #[inline]
    fn write_to(&self, ring: usize, event: Event) {
        let words = &self.region.words()[ring..ring + RING_HEAD + self.events * WORDS];
        let count = words[0].load(Ordering::Relaxed);
        // The size is a power of two, and the bits cut off do not matter.
        let place = RING_HEAD + (count as usize & (self.events - 1)) * WORDS;
        // A reader that sees one of these words also sees that they are being written.
        fence(Ordering::Release);
        for (word, value) in words[place..place + WORDS].iter().zip(event.0) {
            word.store(value, Ordering::Relaxed);
        }
        words[0].store(count + 1, Ordering::Release);
    }

    #[cold]
    fn lease(self: &Arc<Self>) -> Lease {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("unnamed thread");
        let alive = Arc::new(());
        let mut owners = self.owners.lock();
        let free = |(known, owner): &(String, Weak<()>)| known == name && owner.strong_count() == 0;
        let index = owners.iter().position(free).unwrap_or(owners.len());
        if index >= RINGS {
            return Lease { recording: Arc::downgrade(self), ring: None, _alive: alive };
        }
        let owner = (name.to_owned(), Arc::downgrade(&alive));
        match owners.get_mut(index) {
            Some(known) => *known = owner,
            None => owners.push(owner),
        }
        let ring = head::LENGTH + NAME_WORDS + index * (RING_HEAD + self.events * WORDS);
        self.store_bytes(ring + 1, truncated(name, (RING_HEAD - 1) * 8).as_bytes());
        Lease { recording: Arc::downgrade(self), ring: Some(ring), _alive: alive }
    }

    fn store_bytes(&self, first: usize, bytes: &[u8]) {
        for (index, chunk) in bytes.chunks(8).enumerate() {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(first + index).store(u64::from_le_bytes(word), Ordering::Relaxed);
        }
    }

    /// Adds the names of an entity, unless they are present.
    pub fn introduce(&self, names: &Names) {
        let line = line(names);
        let mut known = self.names.lock();
        if known.get(&names.entity).is_some_and(|before| *before == line) {
            return;
        }
        let is_named = names.entity < self.nameless();
        let is_stored = is_named && self.store_line(&line, NAME_WORDS);
        let is_first = is_named && !is_stored && self.nameless() == u32::MAX;
        if is_first {
            let named = known.keys().max().map_or(0, |highest| highest + 1);
            self.nameless.store(named, Ordering::Relaxed);
        }
        if !is_stored {
            self.word(head::LOST_NAMES).fetch_add(1, Ordering::Relaxed);
            // Logging may take long.
            drop(known);
            if is_first {
                tracing::warn!(
                    "the trace has no room for more names (it holds {} MiB of them): it shows \
                     entity `{}` and later ones by number",
                    (NAME_WORDS * size_of::<u64>()) >> 20,
                    names.name,
                );
            }
            return;
        }
        known.insert(names.entity, line);
    }

    /// The lowest index that may be reused, because it never got a name: otherwise earlier events
    /// would appear under another entity's name.
    pub fn nameless(&self) -> u32 {
        self.nameless.load(Ordering::Relaxed)
    }

    /// A copy of everything at this moment, as [`super::contents`] reads it.
    pub fn copy(&self) -> Vec<u64> {
        let words = self.region.words();
        let names_end = head::LENGTH + NAME_WORDS;
        let mut copy = vec![0; names_end];
        let rings = self.owners.lock().len();
        let length = RING_HEAD + self.events * WORDS;
        for ring in words[names_end..].chunks(length).take(rings) {
            let count = ring[0].load(Ordering::Acquire);
            let used = usize::try_from(count).unwrap_or(usize::MAX).min(self.events);
            let begin = copy.len();
            copy.extend(
                ring[..RING_HEAD + used * WORDS].iter().map(|word| word.load(Ordering::Relaxed)),
            );
            copy.resize(begin + length, 0);
            fence(Ordering::Acquire);
            let written = ring[0].load(Ordering::Relaxed);
            copy[begin] = count;
            // The writer may be at the event after those.
            let first_safe = (written + 1).saturating_sub(self.events as u64);
            for index in count.saturating_sub(self.events as u64)..first_safe.min(count) {
                let slot = usize::try_from(index % self.events as u64).unwrap_or(0);
                let place = begin + RING_HEAD + slot * WORDS;
                copy[place..place + WORDS].fill(0);
            }
        }
        // Names last: those of an entity were written before its first event.
        let names = self.word(head::NAME_BYTES).load(Ordering::Acquire).div_ceil(8);
        let used = usize::try_from(names).unwrap_or(NAME_WORDS).min(NAME_WORDS) + head::LENGTH;
        for (word, value) in copy.iter_mut().zip(&words[..used]) {
            *word = value.load(Ordering::Relaxed);
        }
        copy[head::RINGS] = rings as u64;
        copy[head::END] = nanoseconds_since(self.origin);
        copy
    }
}

/// A line of the names. It fills whole words, so that the next line does not change one of these.
fn line(names: &impl Serialize) -> String {
    let mut line = serde_json::to_string(names).expect("keys are texts");
    line.push('\n');
    while !line.len().is_multiple_of(8) {
        line.push(' ');
    }
    line
}

/// The longest prefix of a text with at most this many bytes.
fn truncated(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn numbers_without_names_never_get_one() {
        let recording = Recording::new(16, None, Origin::now()).unwrap();
        let names = |entity: u32, length: usize| Names {
            entity,
            name: "n".repeat(length),
            terms: Vec::new(),
            codelets: Vec::new(),
            queues: Vec::new(),
        };
        let mut entity = 0;
        while recording.nameless() == u32::MAX {
            recording.introduce(&names(entity, 100_000));
            entity += 1;
        }
        // The last one did not fit.
        assert_eq!(recording.nameless(), entity - 1);
        let used = recording.word(head::NAME_BYTES).load(Ordering::Relaxed);
        recording.introduce(&names(entity, 1));
        assert_eq!(recording.word(head::NAME_BYTES).load(Ordering::Relaxed), used);
        // An entity with a name may get another one while there is room.
        recording.introduce(&names(0, 1));
        assert!(recording.word(head::NAME_BYTES).load(Ordering::Relaxed) > used);
        assert_eq!(recording.word(head::LOST_NAMES).load(Ordering::Relaxed), 2);
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes too long")]
    fn texts_of_spans_leave_room_for_names() {
        let recording = Recording::new(16, None, Origin::now()).unwrap();
        let lost = || recording.word(head::LOST_EVENTS).load(Ordering::Relaxed);
        let text = "t".repeat(1000);
        let write = |name: &str| {
            recording.write_span(&Span { group: &text, track: &text, name }, 1, 2);
        };
        write("first");
        let mut number = 0;
        while lost() == 0 {
            write(&format!("{number} {text}"));
            number += 1;
        }
        // Those that have their texts go on.
        write("first");
        assert_eq!(lost(), 1);
        let used = recording.word(head::NAME_BYTES).load(Ordering::Relaxed);
        assert!(used <= (NAME_WORDS as u64) * 4, "{used} bytes");
        assert_eq!(recording.nameless(), u32::MAX);
    }
}
