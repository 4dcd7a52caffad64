//! The ticks of a graph whose work devices may not have done.
//!
//! For each entity and stream these are the latest, with the fences behind their work. What happens to an
//! entity that is too far ahead is said in `host/device_ticks.rs`.

use gxf_device::Fence;
use gxf_device::chain::is_held_back;
use gxf_engine::entity::runner::Runner;
use gxf_engine::schedule::active_runners::ActiveRunners;
use gxf_plugin_abi::Uid;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Most ticks of an entity with work of one stream that is not done, unless the program says otherwise.
const MAX_IN_FLIGHT: usize = 8;

/// Most streams of an entity to remember.
const MAX_STREAMS: usize = 64;

/// The ticks of a graph whose work devices may not have done.
pub(crate) struct DeviceTicks {
    /// Most of an entity and stream; 0 for any number.
    max_in_flight: AtomicUsize,
    /// Whether the engine leaves the bound to the host.
    is_limited: AtomicBool,
    /// Whether threads wait instead of entities.
    blocks: AtomicBool,
    /// By entity. The thread that executes an entity takes its part out to work on it.
    by_entity: Mutex<FxHashMap<Uid, Vec<InFlight>>>,
}

/// The ticks of an entity with work of a stream.
struct InFlight {
    stream: usize,
    /// Numbers of the latest ones, and the ends of their work.
    ticks: VecDeque<(u64, Fence)>,
}

impl Default for DeviceTicks {
    fn default() -> Self {
        Self {
            max_in_flight: AtomicUsize::new(MAX_IN_FLIGHT),
            is_limited: AtomicBool::new(false),
            blocks: AtomicBool::new(false),
            by_entity: Mutex::default(),
        }
    }
}

impl DeviceTicks {
    /// Sets the most ticks of an entity and stream; 0 for any number.
    pub fn set_max(&self, ticks: usize) {
        self.max_in_flight.store(ticks, Ordering::Relaxed);
    }

    /// A run begins. `is_limited`: its engine leaves it to the host how far entities run ahead. `blocks`:
    /// its time does not pass by itself, and must not be moved on while an entity waits for a device.
    pub fn begin_run(&self, is_limited: bool, blocks: bool) {
        self.is_limited.store(is_limited, Ordering::Relaxed);
        self.blocks.store(blocks, Ordering::Relaxed);
    }

    /// The run is over.
    pub fn end_run(&self) {
        // Dropped without the lock: fences belong to extensions.
        let all = std::mem::take(&mut *self.by_entity.lock());
        drop(all);
    }

    /// Most ticks of an entity and stream; 0 for any number.
    pub fn max(&self) -> usize {
        self.max_in_flight.load(Ordering::Relaxed)
    }

    /// Whether the thread of a tick waits for the device, so that the tick takes no time of the clock.
    pub fn blocks(&self) -> bool {
        self.blocks.load(Ordering::Relaxed)
    }

    /// Whether the run has a bound.
    pub fn is_limited(&self) -> bool {
        self.is_limited.load(Ordering::Relaxed)
    }

    /// The fence that the entity must wait for before its next tick, now that this one has enqueued work.
    pub fn note(
        &self,
        active: &ActiveRunners,
        entity: &Runner,
        most: usize,
        end: End<'_>,
    ) -> Option<Fence> {
        let eid = entity.entity.eid();
        let (known, gone) = {
            let mut all = self.by_entity.lock();
            let known = all.remove(&eid);
            let is_due = known.is_none() && all.len() >= 64 && all.len().is_power_of_two();
            let has_left = |eid: &Uid| active.get(*eid).is_none();
            let gone = is_due.then(|| all.extract_if(|eid, _| has_left(eid)).collect::<Vec<_>>());
            (known, gone)
        };
        drop(gone);
        let mut known = known.unwrap_or_default();
        let found = awaited(&mut known, entity.ticks(), most, end);
        self.by_entity.lock().insert(eid, known);
        found
    }
}

/// The end of work, and its stream.
pub(crate) struct End<'a> {
    /// Address of the driver's stream, or another number that tells streams apart.
    pub stream: usize,
    pub fence: &'a Fence,
}

/// Notes that a tick has enqueued work. Returns the end of the oldest tick that counts, if the device has
/// not reached it.
fn awaited(known: &mut Vec<InFlight>, tick: u64, most: usize, end: End<'_>) -> Option<Fence> {
    let place = known.iter().position(|one| one.stream == end.stream).unwrap_or_else(|| {
        if known.len() == MAX_STREAMS {
            known.remove(0);
        }
        known.push(InFlight { stream: end.stream, ticks: VecDeque::new() });
        known.len() - 1
    });
    let ticks = &mut known[place].ticks;
    let is_new = match ticks.back_mut() {
        Some((latest, former)) if *latest == tick => {
            *former = end.fence.clone();
            false
        }
        _ => {
            ticks.push_back((tick, end.fence.clone()));
            true
        }
    };
    while ticks.len() > most {
        ticks.pop_front();
    }
    if ticks.len() < most || !(is_new || most == 1) {
        return None;
    }
    // Nobody waits for a device that failed: who uses it next says so.
    let is_pending = |fence: &Fence| matches!(fence.is_done(), Ok(false));
    // A look takes the driver some microseconds. Where the device keeps up, one in the middle is enough for
    // all ticks before: their work is on one stream.
    let middle = most / 2;
    let (_, fence) = &ticks[middle];
    // To ask about work that is held back would launch it.
    if middle > 0 && !is_held_back(fence) && !is_pending(fence) {
        ticks.drain(..=middle);
        return None;
    }
    let (_, oldest) = ticks.front()?;
    is_pending(oldest).then(|| oldest.clone())
}
