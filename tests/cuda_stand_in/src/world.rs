//! All state, behind one lock.

use crate::clock::Clock;
use crate::graph::{self, Node};
use crate::memory::{Allocation, Kind};
use crate::queue::{Event, Queue};
use crate::settings::{Mode, Settings};
use crate::twin::Twin;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

/// A pool of memory.
pub struct Pool {
    pub device: i32,
    pub threshold: u64,
}

/// A kernel.
#[derive(Clone, Copy)]
pub struct Function {
    pub twin: Twin,
    /// Most bytes that the threads of a block may share, beside what the kernel declares.
    pub shared: u32,
}

pub struct World {
    pub settings: Settings,
    pub is_initialised: bool,
    pub queues: BTreeMap<usize, Queue>,
    pub events: HashMap<usize, Event>,
    /// By address.
    pub allocations: BTreeMap<usize, Allocation>,
    pub pools: HashMap<usize, Pool>,
    pub modules: HashMap<usize, Vec<(String, usize)>>,
    pub functions: HashMap<usize, Function>,
    /// Multiprocessors of descriptions of parts of a device, and of the parts themselves.
    pub descriptions: HashMap<usize, u32>,
    pub green_contexts: HashMap<usize, u32>,
    /// Graphs, and executable ones.
    pub graphs: HashMap<usize, Vec<Node>>,
    pub executables: HashMap<usize, Vec<Node>>,
    /// What the CPU knows to be done.
    pub host: Clock,
    /// Calls by function.
    pub calls: BTreeMap<&'static str, u64>,
    pub call_count: u64,
    /// Kernels launched, and by the multiprocessors that they ran on.
    pub kernels: u64,
    pub kernels_by_size: BTreeMap<u32, u64>,
    /// The function whose call failed on demand.
    pub failed: Option<&'static str>,
    /// The error that broke the device.
    pub broken: Option<u32>,
    pub peak: u64,
    /// Most kernels and fills that waited in a queue.
    pub longest: usize,
    next_handle: usize,
    /// Handles of objects that are gone, the latest last.
    free_handles: Vec<usize>,
    next_number: u64,
    /// `CUDA_DEVICE_MAX_CONNECTIONS` when the driver was initialised.
    pub connections: u64,
    random: u64,
    pub has_worker: bool,
}

/// The handles of the legacy default stream, and of the calling thread's, of which there is one here.
const DEFAULT_STREAMS: std::ops::RangeInclusive<usize> = 1..=2;

/// Of a device; not a multiple of a group.
pub const MULTIPROCESSORS: u32 = 132;

static WORLD: Mutex<Option<World>> = Mutex::new(None);
/// Something was enqueued or done.
pub static CHANGED: Condvar = Condvar::new();

thread_local! {
    /// Whether this thread is in a host function.
    pub static IN_HOST_FUNCTION: Cell<bool> = const { Cell::new(false) };
    /// Which captures forbid this thread something.
    pub static INTERACTION: Cell<graph::Mode> = const { Cell::new(graph::Mode::Global) };
    /// The contexts of this thread, the current one last.
    pub static CONTEXTS: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// Ends the program: it did what it must not.
pub fn fail(text: &str) -> ! {
    eprintln!("cuda stand-in: {text}");
    std::process::abort()
}

/// The locked state.
pub type Locked = MutexGuard<'static, Option<World>>;

/// Locks the state.
pub fn lock() -> Locked {
    let mut world = WORLD.lock();
    if world.is_none() {
        let settings = Settings::read();
        let random = if let Mode::Random(seed) = settings.mode { seed } else { 1 };
        let host = Clock::default();
        let default = |stream: usize| (stream, Queue::new(&host, stream as u64, 0));
        *world = Some(World {
            settings,
            is_initialised: false,
            queues: DEFAULT_STREAMS.map(default).collect(),
            events: HashMap::new(),
            allocations: BTreeMap::new(),
            pools: HashMap::new(),
            modules: HashMap::new(),
            functions: HashMap::new(),
            descriptions: HashMap::new(),
            green_contexts: HashMap::new(),
            graphs: HashMap::new(),
            executables: HashMap::new(),
            host,
            calls: BTreeMap::new(),
            call_count: 0,
            kernels: 0,
            kernels_by_size: BTreeMap::new(),
            failed: None,
            broken: None,
            peak: 0,
            longest: 0,
            next_handle: 0x5000_0000,
            free_handles: Vec::new(),
            next_number: *DEFAULT_STREAMS.end() as u64,
            connections: 0,
            random: random.wrapping_mul(2).wrapping_add(1),
            has_worker: false,
        });
    }
    world
}

/// The state under its lock.
pub fn world(locked: &mut Locked) -> &mut World {
    locked.as_mut().expect("`lock` made it")
}

/// Begins a call: counts it, and finds the answer if it is to fail.
pub fn begin(function: &'static str) -> Result<Locked, u32> {
    if IN_HOST_FUNCTION.get() {
        fail(&format!("a host function calls {function}"));
    }
    let mut locked = lock();
    let world = world(&mut locked);
    world.call_count += 1;
    let count = world.calls.entry(function).or_default();
    *count += 1;
    if let Some(failure) = &world.settings.failure {
        let number = if failure.function == "any" { world.call_count } else { *count };
        let is_it = failure.function == "any" || failure.function == function;
        if is_it && number == failure.call {
            world.failed = Some(function);
            return Err(failure.code);
        }
    }
    // The driver has names at any time.
    if function == "cuGetErrorName" {
        return Ok(locked);
    }
    if let Some(code) = world.broken {
        return Err(code);
    }
    if !world.is_initialised && function != "cuInit" && function != "cuDriverGetVersion" {
        return Err(3);
    }
    world.check_captures(function)?;
    Ok(locked)
}

impl World {
    /// A handle for a new object: that of the object that went last, as drivers do.
    pub fn handle(&mut self) -> usize {
        self.free_handles.pop().unwrap_or_else(|| {
            self.next_handle += 16;
            self.next_handle
        })
    }

    /// Notes that an object is gone; the next one gets its handle.
    pub fn end_handle(&mut self, handle: usize) {
        self.free_handles.push(handle);
    }

    /// A number that nothing else has, now or later.
    pub fn number(&mut self) -> u64 {
        self.next_number += 1;
        self.next_number
    }

    /// Removes a stream, if it is still the one with this number.
    pub fn end_queue(&mut self, stream: usize, number: u64) {
        if self.queues.get(&stream).is_some_and(|queue| queue.number == number) {
            self.queues.remove(&stream);
            self.end_handle(stream);
        }
    }

    /// Removes an event.
    pub fn end_event(&mut self, event: usize) {
        if self.events.remove(&event).is_some() {
            self.end_handle(event);
        }
    }

    /// A number below `end`.
    pub fn random(&mut self, end: usize) -> usize {
        // xorshift
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % end.max(1) as u64) as usize
    }

    fn report(&self) -> String {
        let mut text = String::new();
        for (function, count) in &self.calls {
            _ = writeln!(text, "call {function} {count}");
        }
        let of = |is_it: fn(&Kind) -> bool| {
            self.allocations.values().filter(|it| !it.is_freed && is_it(&it.kind)).count()
        };
        if let Some(function) = self.failed {
            _ = writeln!(text, "failed {function} 1");
        }
        for (what, count) in [
            ("streams", self.queues.len() - DEFAULT_STREAMS.count()),
            ("events", self.events.len()),
            ("device", of(|kind| *kind != Kind::Host)),
            ("pinned", of(|kind| *kind == Kind::Host)),
            ("pools", self.pools.len()),
            ("green contexts", self.green_contexts.len()),
            ("graphs", self.graphs.len()),
            ("executable graphs", self.executables.len()),
        ] {
            _ = writeln!(text, "left {what} {count}");
        }
        _ = writeln!(text, "kernels {}", self.kernels);
        for (size, count) in &self.kernels_by_size {
            _ = writeln!(text, "kernels on {size} {count}");
        }
        _ = writeln!(text, "calls {}", self.call_count);
        _ = writeln!(text, "connections {}", self.connections);
        _ = writeln!(text, "peak {}", self.peak);
        _ = writeln!(text, "longest {}", self.longest);
        text
    }
}

extern "C" fn at_exit() {
    // A thread may hold the lock for ever while the process ends.
    let Some(locked) = WORLD.try_lock_for(std::time::Duration::from_secs(1)) else { return };
    if let Some(world) = locked.as_ref()
        && let Some(path) = &world.settings.report
    {
        _ = std::fs::write(path, world.report());
    }
}

#[used]
// SAFETY: the function has the signature of a destructor of a library.
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = at_exit;
