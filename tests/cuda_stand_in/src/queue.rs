//! Streams, events and the execution of work.

use crate::clock::Clock;
use crate::graph::Capture;
use crate::memory::{self, GONE, Kind};
use crate::settings::Mode;
use crate::twin::Twin;
use crate::world::{CHANGED, IN_HOST_FUNCTION, Locked, World, fail, lock, world};
use parking_lot::MutexGuard;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::time::{Duration, Instant};

/// A piece of enqueued work.
pub enum Piece {
    Copy {
        to: usize,
        from: usize,
        size: usize,
        /// Content of pageable memory at the time of the call.
        snapshot: Option<Vec<u8>>,
        /// Hash of pinned memory at the time of the call.
        hash: Option<u64>,
    },
    Fill {
        to: usize,
        byte: u8,
        size: usize,
    },
    Kernel {
        twin: Twin,
        args: Vec<u64>,
        used: Vec<usize>,
    },
    Record {
        event: usize,
        version: u64,
    },
    Wait {
        event: usize,
        version: u64,
    },
    Host {
        function: unsafe extern "C" fn(*mut c_void),
        user: usize,
        clock: Clock,
    },
    Free {
        start: usize,
    },
}

/// A stream.
pub struct Queue {
    /// No other stream ever has it.
    pub number: u64,
    pieces: VecDeque<Piece>,
    /// What comes before the next piece.
    pub clock: Clock,
    /// Whether a piece is being executed without the lock.
    is_busy: bool,
    /// Ended by the program; it disappears when its work is done.
    pub is_ended: bool,
    /// The part of the device that its work runs on.
    pub green_context: Option<usize>,
    pub priority: i32,
    /// `None` for default streams, which are those of whatever device is current.
    pub device: Option<i32>,
    /// If its work is being captured.
    pub capture: Option<Capture>,
}

/// An event.
#[derive(Default)]
pub struct Event {
    /// The device that it was made for.
    pub device: i32,
    /// Number of the last recording among those of all events; at first that of the event itself.
    pub version: u64,
    /// Number of the last recording that was reached.
    pub reached: u64,
    /// What comes before the last recording.
    pub clock: Clock,
    /// When the last recording was reached; `None` if it was not, or the event has no times.
    pub time: Option<Instant>,
    pub has_time: bool,
    pub is_ended: bool,
    /// How often the last recording was asked for in vain.
    pub queries: u64,
}

/// The result of trying to execute the next piece of a stream.
#[derive(PartialEq, Eq)]
enum Step {
    Done,
    Empty,
    Busy,
    /// The stream waits for an event that another one has not reached.
    Waits(usize, u64),
}

impl Queue {
    pub fn new(host: &Clock, number: u64, priority: i32) -> Self {
        Self {
            number,
            pieces: VecDeque::new(),
            clock: host.clone(),
            is_busy: false,
            is_ended: false,
            green_context: None,
            priority,
            device: None,
            capture: None,
        }
    }

    fn is_idle(&self) -> bool {
        self.pieces.is_empty() && !self.is_busy
    }
}

impl World {
    pub fn is_idle(&self, stream: usize) -> bool {
        self.queues.get(&stream).is_none_or(Queue::is_idle)
    }

    /// Notes that work on a stream uses memory; ends the program for memory that is freed, and for
    /// work that nothing orders.
    pub fn touch(
        &mut self,
        (stream, time): (usize, u64),
        address: usize,
        size: usize,
        is_write: bool,
        what: &'static str,
    ) {
        let queue = &self.queues[&stream];
        let (number, clock) = (queue.number as usize, queue.clock.clone());
        let Some(start) = self.allocation_of(address) else {
            fail(&format!("{what} uses {address:#x}, which is no memory, or was freed"));
        };
        let allocation = self.allocations.get_mut(&start).expect("found above");
        if allocation.is_freed {
            fail(&format!("{what} uses {address:#x}, which was freed"));
        }
        let range = address..address + size.max(1);
        if let Err(text) = allocation.history.access(range, (number, time), &clock, is_write, what)
        {
            fail(&text);
        }
    }

    /// Ends the program if a kernel on a stream uses memory of another device.
    pub fn reach(&self, stream: usize, address: usize, what: &'static str) {
        let allocation = self.allocation_of(address).and_then(|start| self.allocations.get(&start));
        let (Some(own), Some(allocation)) = (self.queues[&stream].device, allocation) else {
            return;
        };
        if let Kind::Device(other) = allocation.kind
            && own != other
        {
            fail(&format!("{what} on device {own} uses {address:#x}, memory of device {other}"));
        }
    }

    /// Begins a piece of work of a stream: it comes after all that the CPU knows to be done.
    pub fn next(&mut self, stream: usize) -> (usize, u64) {
        let host = self.host.clone();
        let queue = self.queues.get_mut(&stream).expect("callers look the stream up");
        queue.clock.join(&host);
        (stream, queue.clock.advance(queue.number as usize))
    }

    /// Adds a piece of work.
    fn add(&mut self, stream: usize, piece: Piece) {
        for address in used(&piece) {
            if let Some(start) = self.allocation_of(address)
                && let Some(allocation) = self.allocations.get_mut(&start)
            {
                allocation.pending += 1;
            }
        }
        let queue = self.queues.get_mut(&stream).expect("callers look the stream up");
        queue.pieces.push_back(piece);
        let takes_time = |it: &&Piece| matches!(it, Piece::Kernel { .. } | Piece::Fill { .. });
        self.longest = self.longest.max(queue.pieces.iter().filter(takes_time).count());
        CHANGED.notify_all();
    }

    /// The CPU learns that a stream has done all its work.
    pub fn learn_stream(&mut self, stream: usize) {
        if let Some(queue) = self.queues.get(&stream) {
            let clock = queue.clock.clone();
            self.host.join(&clock);
        }
    }

    /// The CPU learns that an event was reached.
    pub fn learn_event(&mut self, event: usize) {
        if let Some(event) = self.events.get(&event) {
            let clock = event.clock.clone();
            self.host.join(&clock);
        }
    }

    /// A stream that will reach this recording of an event.
    fn recorder(&self, event: usize, version: u64) -> Option<usize> {
        let records = |piece: &Piece| {
            matches!(piece, Piece::Record { event: own, version: recorded }
            if *own == event && *recorded >= version)
        };
        self.queues.iter().find(|(_, queue)| queue.pieces.iter().any(records)).map(|(id, _)| *id)
    }
}

/// Addresses in a piece of work.
fn used(piece: &Piece) -> Vec<usize> {
    match piece {
        Piece::Copy { to, from, .. } => vec![*to, *from],
        Piece::Fill { to, .. } => vec![*to],
        Piece::Kernel { used, .. } => used.clone(),
        _ => Vec::new(),
    }
}

/// Enqueues a piece of work, and does what the mode says.
pub fn enqueue(locked: &mut Locked, stream: usize, piece: Piece) {
    let is_host = matches!(piece, Piece::Host { .. });
    let world = world(locked);
    world.add(stream, piece);
    match world.settings.mode {
        Mode::Eager => while advance(locked, stream) {},
        Mode::Lazy if !is_host => {}
        Mode::Lazy | Mode::Random(_) => {
            if !world.has_worker {
                world.has_worker = true;
                std::thread::spawn(worker);
            }
        }
    }
}

/// Executes the next piece of a stream, or of the stream that it waits for. False if there is
/// nothing to do.
fn advance(locked: &mut Locked, stream: usize) -> bool {
    let mut stream = stream;
    // Streams wait for each other without circles, because events are recorded before.
    for _ in 0..1000 {
        match step(locked, stream) {
            Step::Done => return true,
            Step::Empty => return false,
            Step::Busy => {
                CHANGED.wait_for(locked, Duration::from_millis(50));
                return true;
            }
            Step::Waits(event, version) => match world(locked).recorder(event, version) {
                Some(other) => stream = other,
                // It is being recorded right now, without the lock.
                None => {
                    CHANGED.wait_for(locked, Duration::from_millis(50));
                    return true;
                }
            },
        }
    }
    fail("streams wait for each other in a circle")
}

fn step(locked: &mut Locked, stream: usize) -> Step {
    let world = world(locked);
    if world.broken.is_some() {
        return Step::Empty;
    }
    let Some(queue) = world.queues.get_mut(&stream) else { return Step::Empty };
    if queue.is_busy {
        return Step::Busy;
    }
    if let Some(Piece::Wait { event, version }) = queue.pieces.front()
        && world.events.get(event).is_some_and(|known| known.reached < *version)
    {
        return Step::Waits(*event, *version);
    }
    let Some(piece) = queue.pieces.pop_front() else { return Step::Empty };
    let used = used(&piece);
    execute(locked, stream, piece);
    let world = crate::world::world(locked);
    for address in used {
        if let Some(start) = world.allocation_of(address)
            && let Some(allocation) = world.allocations.get_mut(&start)
        {
            allocation.pending = allocation.pending.saturating_sub(1);
        }
    }
    let over = world.queues.get(&stream).filter(|queue| queue.is_ended && queue.is_idle());
    if let Some(number) = over.map(|queue| queue.number) {
        world.end_queue(stream, number);
    }
    CHANGED.notify_all();
    Step::Done
}

fn execute(locked: &mut Locked, stream: usize, piece: Piece) {
    let slow = world(locked).settings.slow;
    if slow > 0 && matches!(piece, Piece::Kernel { .. } | Piece::Fill { .. }) {
        without_lock(locked, stream, || std::thread::sleep(Duration::from_millis(slow)));
    }
    let world = world(locked);
    match piece {
        Piece::Copy { to, from, size, snapshot, hash } => {
            let target = world.inside(to, size, "a copy");
            if let Some(snapshot) = snapshot {
                memory::copy(target, snapshot.as_ptr().expose_provenance(), size);
            } else {
                let source = world.inside(from, size, "a copy");
                if hash.is_some_and(|hash| hash != memory::hash(source, size)) {
                    fail("the host memory of a copy changed before the copy was done");
                }
                memory::copy(target, source, size);
            }
        }
        Piece::Fill { to, byte, size } => {
            memory::fill(world.inside(to, size, "a fill"), byte, size)
        }
        Piece::Kernel { twin, mut args, .. } => {
            for word in args.iter_mut().take(twin.writes + twin.reads) {
                *word = world.inside(*word as usize, 1, twin.name) as u64;
            }
            twin.run(&args);
        }
        Piece::Record { event, version } => {
            // An earlier recording than the last one that was reached may be one of another event.
            if let Some(known) = world.events.get_mut(&event).filter(|it| it.reached < version) {
                known.reached = version;
                known.time = known.has_time.then(Instant::now);
                if known.is_ended && known.reached == known.version {
                    world.end_event(event);
                }
            }
        }
        Piece::Wait { .. } => {}
        Piece::Host { function, user, clock } => {
            world.host.join(&clock);
            without_lock(locked, stream, || {
                IN_HOST_FUNCTION.set(true);
                // SAFETY: the program enqueued it with this argument.
                unsafe { function(std::ptr::with_exposed_provenance_mut(user)) };
                IN_HOST_FUNCTION.set(false);
            });
        }
        Piece::Free { start } => world.end(start),
    }
}

/// Does something that takes its time, while the stream is busy.
fn without_lock(locked: &mut Locked, stream: usize, action: impl FnOnce()) {
    let set = |locked: &mut Locked, is_busy| {
        if let Some(queue) = world(locked).queues.get_mut(&stream) {
            queue.is_busy = is_busy;
        }
    };
    set(locked, true);
    MutexGuard::unlocked(locked, action);
    set(locked, false);
}

/// Blocks until a condition holds, doing the work of a stream.
pub fn finish(locked: &mut Locked, stream: usize, is_so: impl Fn(&World) -> bool) {
    while !is_so(world(locked)) {
        if world(locked).broken.is_some() {
            return;
        }
        if !advance(locked, stream) && !is_so(world(locked)) {
            CHANGED.wait_for(locked, Duration::from_millis(50));
        }
    }
}

/// Notes that an event was asked for which is not reached. Who asks again and again awaits it, so in
/// the mode `lazy`, too, its work goes on.
pub fn ask_again(locked: &mut Locked, event: usize) {
    /// A term that is asked for its condition may ask as often without waiting.
    const FEW: u64 = 3;
    let world = world(locked);
    let Some(known) = world.events.get_mut(&event) else { return };
    known.queries += 1;
    let (version, is_awaited) = (known.version, known.queries > FEW);
    if is_awaited
        && world.settings.mode == Mode::Lazy
        && let Some(stream) = world.recorder(event, version)
    {
        advance(locked, stream);
    }
}

/// Blocks until an event is reached.
pub fn finish_event(locked: &mut Locked, event: usize) {
    let Some(version) = world(locked).events.get(&event).map(|event| event.version) else { return };
    let is_reached =
        |world: &World| world.events.get(&event).is_none_or(|event| event.reached >= version);
    while !is_reached(world(locked)) && world(locked).broken.is_none() {
        match world(locked).recorder(event, version) {
            Some(stream) => {
                advance(locked, stream);
            }
            None => _ = CHANGED.wait_for(locked, Duration::from_millis(50)),
        }
    }
}

/// The thread of the modes `lazy` and `random`.
fn worker() {
    let mut locked = lock();
    loop {
        let world = world(&mut locked);
        let with_work = |queue: &Queue| !queue.pieces.is_empty() && !queue.is_busy;
        let chosen = if world.settings.mode == Mode::Lazy {
            // Host functions are the only work that nobody asks for.
            let is_due = |queue: &Queue| {
                with_work(queue) && queue.pieces.iter().any(|it| matches!(it, Piece::Host { .. }))
            };
            world.queues.iter().find(|(_, queue)| is_due(queue)).map(|(id, _)| *id)
        } else {
            let ready: Vec<_> = world
                .queues
                .iter()
                .filter(|(_, queue)| with_work(queue))
                .map(|(id, _)| *id)
                .collect();
            (!ready.is_empty()).then(|| ready[world.random(ready.len())])
        };
        match chosen {
            Some(stream) if world.broken.is_none() => {
                if world.settings.mode == Mode::Lazy {
                    advance(&mut locked, stream);
                } else {
                    if let Step::Waits(..) = step(&mut locked, stream) {
                        CHANGED.wait_for(&mut locked, Duration::from_micros(20));
                    }
                    // Others get the lock.
                    MutexGuard::bump(&mut locked);
                }
            }
            _ => _ = CHANGED.wait_for(&mut locked, Duration::from_millis(100)),
        }
    }
}

/// What the memory of a copy to the host holds until the copy is done.
pub fn poison(world: &World, address: usize, size: usize) {
    if let Some(start) = world.allocation_of(address)
        && world.allocations[&start].pending == 0
    {
        memory::fill(world.inside(address, size, "a copy"), GONE, size);
    }
}
