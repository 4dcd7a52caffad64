//! The receiving end of a link: what `UcxReceiver` shares with the network.

use crate::owner::{Owner, state_of};
use crate::socket::Writer;
use gxf::{Error, LinkCounts, LinkState, LinkStatistics, Message, Result, ResultCode};
use gxf_link_format::{Frame, Kind};
use gxf_link_state::{LinkPhase, Phase};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// News of a little room wait so long for more, if there are messages to take.
const NEWS_PERIOD: Duration = Duration::from_micros(200);

/// The largest number of a message that can be; no transmitter gets so far.
const LARGEST_NUMBER: u64 = 1 << 62;

/// The receiving end of a link.
pub struct Inlet {
    pub owner: Owner,
    pub capacity: usize,
    policy: u64,
    /// The only transmitter that may attach, if there is one.
    transmitter: Option<String>,
    queue: Mutex<Queue>,
    /// Messages in the main stage and in the back stage.
    main: AtomicUsize,
    back: AtomicUsize,
    phase: LinkPhase,
    bytes: AtomicU64,
    round_trip: AtomicU64,
    reconnects: AtomicU64,
    /// Whether something will be acknowledged later.
    owes: AtomicBool,
    /// Messages of this run of which the entity has been notified.
    noted: AtomicU64,
    network: Weak<dyn InletNetwork>,
}

#[derive(Default)]
struct Queue {
    main: VecDeque<Message>,
    back: VecDeque<Message>,
    /// The run of the transmitter that sends.
    run: u64,
    /// Messages of this run that arrived, and how many the transmitter knows it may send.
    received: u64,
    granted: u64,
    /// When it last heard that, and how many had arrived then.
    told_at: Option<Instant>,
    acknowledged: u64,
    /// How often a transmitter of this process was told that there is room.
    told: u64,
    /// Messages of all runs.
    messages: u64,
    dropped: u64,
    source: Source,
    /// Nobody takes messages any more.
    is_gone: bool,
    /// The other end, for people.
    peer: String,
}

impl Queue {
    /// Whether the transmitter of this process with this run sends.
    fn is_used_by(&self, run: u64) -> bool {
        self.run == run && matches!(self.source, Source::Local(_))
    }
}

/// Where messages come from.
#[derive(Default)]
enum Source {
    #[default]
    Nowhere,
    /// A transmitter of this process.
    Local(Weak<dyn LocalSource>),
    /// A connection.
    Remote(Arc<Writer>),
}

/// The network of a context, for inlets with transmitters of this process.
pub trait InletNetwork: Send + Sync {
    /// An inlet has no transmitter any more, which did not end regularly.
    fn transmitter_gone(&self, inlet: Arc<Inlet>);
}

/// What an inlet says to a transmitter of this process.
pub trait LocalSource: Send + Sync {
    /// The inlet took a message.
    fn peer_has_room(&self);

    /// The inlet takes no more.
    fn peer_ended(&self);

    /// The inlet is gone without that; another one may follow.
    fn peer_gone(&self, inlet: &Inlet);
}

/// What happened to a message for an inlet of this process.
pub enum Passed {
    /// The inlet has it.
    Taken,
    /// There is no room.
    Full(Message),
    /// The inlet takes no more.
    Ended(Message),
}

impl Inlet {
    pub fn new(
        owner: Owner,
        capacity: usize,
        policy: u64,
        transmitter: Option<String>,
        network: Weak<dyn InletNetwork>,
    ) -> Self {
        Self {
            owner,
            capacity,
            policy,
            transmitter,
            queue: Mutex::default(),
            main: AtomicUsize::new(0),
            back: AtomicUsize::new(0),
            phase: LinkPhase::default(),
            bytes: AtomicU64::new(0),
            round_trip: AtomicU64::new(0),
            reconnects: AtomicU64::new(0),
            owes: AtomicBool::new(false),
            noted: AtomicU64::new(0),
            network,
        }
    }

    // --- for the receiver ---

    pub fn state(&self) -> LinkState {
        state_of(self.phase.get())
    }

    pub fn main_count(&self) -> usize {
        self.main.load(Ordering::Acquire)
    }

    pub fn back_count(&self) -> usize {
        self.back.load(Ordering::Acquire)
    }

    /// Moves what arrived to the main stage.
    pub fn sync(&self) {
        let mut queue = self.queue.lock();
        let Queue { main, back, .. } = &mut *queue;
        main.append(back);
        self.count(&queue);
        self.tell_of_room(&mut queue, |queue, granted| {
            self.is_needed(queue, granted)
                && queue.told_at.is_none_or(|told| told.elapsed() >= NEWS_PERIOD)
        });
    }

    /// Takes the oldest message of the main stage, and tells the transmitter that there is room.
    pub fn pop(&self) -> Option<Message> {
        let mut queue = self.queue.lock();
        let message = queue.main.pop_front()?;
        self.count(&queue);
        self.grant(queue, false);
        Some(message)
    }

    pub fn peek(&self, index: usize, back: bool) -> Option<Message> {
        let queue = self.queue.lock();
        let stage = if back { &queue.back } else { &queue.main };
        stage.get(index).cloned()
    }

    /// Adds a message to the back stage, for components of the same graph.
    pub fn push(&self, message: Message) -> Result<()> {
        let mut queue = self.queue.lock();
        if queue.main.len() + queue.back.len() >= self.capacity {
            let text = format!("the queue `{}` is full", self.owner.name);
            return Err(Error::new(ResultCode::EXCEEDING_PREALLOCATED_SIZE, text));
        }
        queue.back.push_back(message);
        self.count(&queue);
        Ok(())
    }

    /// The entity takes no more.
    pub fn finish(&self) {
        if self.phase.close() {
            let mut queue = self.queue.lock();
            // What has arrived is not lost.
            self.tell_of_room(&mut queue, |queue, _| queue.received > queue.acknowledged);
            match &queue.source {
                Source::Nowhere => {}
                Source::Remote(writer) => writer.send(&Frame::small(Kind::Ended, 0, 0)),
                Source::Local(outlet) => {
                    let outlet = outlet.upgrade();
                    drop(queue);
                    if let Some(outlet) = outlet {
                        outlet.peer_ended();
                    }
                }
            }
        }
    }

    /// Forgets everything.
    pub fn clear(&self) {
        let mut queue = self.queue.lock();
        let cleared = std::mem::replace(&mut *queue, Queue { is_gone: true, ..Queue::default() });
        self.count(&queue);
        drop(queue);
        drop(cleared);
    }

    pub fn statistics(&self) -> LinkStatistics {
        let queue = self.queue.lock();
        let queued = queue.main.len() + queue.back.len();
        LinkStatistics {
            messages: queue.messages,
            bytes: self.bytes.load(Ordering::Relaxed),
            queued: queued as u64,
            credits: match queue.source {
                // It asks for room each time.
                Source::Local(_) => self.capacity.saturating_sub(queued) as u64,
                _ => queue.granted.saturating_sub(queue.received),
            },
            round_trip: self.round_trip.load(Ordering::Relaxed),
            reconnects: self.reconnects.load(Ordering::Relaxed),
            dropped: queue.dropped,
        }
    }

    /// What has arrived, and what room the transmitter knows of: all that there is from now on.
    pub fn counts(&self) -> LinkCounts {
        let mut queue = self.queue.lock();
        let is_local = matches!(queue.source, Source::Local(_));
        self.tell_of_room(&mut queue, |queue, granted| granted > queue.granted);
        LinkCounts {
            run: queue.run,
            messages: self.noted.load(Ordering::Acquire),
            room: if is_local { queue.told } else { queue.granted },
        }
    }

    /// The other end, for people.
    pub fn peer(&self) -> String {
        let queue = self.queue.lock();
        match queue.peer.as_str() {
            "" => "a transmitter of another process".to_owned(),
            peer => peer.to_owned(),
        }
    }

    // --- for the other end ---

    /// Whether the inlet is for a transmitter of this name, `segment/entity/component`.
    ///
    /// # Errors
    /// It is for another one.
    pub fn expects(&self, name: &str) -> std::result::Result<(), String> {
        let Some(expected) = &self.transmitter else { return Ok(()) };
        let [expected, name] = [expected, name].map(|name| name.replace('.', "/"));
        if expected == name {
            return Ok(());
        }
        Err(format!("receiver `{}` is for the transmitter `{expected}`", self.owner.name))
    }

    /// A transmitter of this process uses the inlet from now on. `Err` if another one does.
    pub fn attach_local(
        &self,
        source: Weak<dyn LocalSource>,
        name: &str,
        run: u64,
    ) -> std::result::Result<(), String> {
        let mut queue = self.queue.lock();
        self.may_attach(&queue)?;
        queue.source = Source::Local(source);
        self.greeted(queue, run, 0, format!("`{name}` in this process"));
        Ok(())
    }

    /// A transmitter of another process has connected. Returns the number of messages of its run
    /// that the inlet has, and how many there may be. `Err` if another transmitter is connected.
    pub fn attach(
        &self,
        writer: &Arc<Writer>,
        run: u64,
        next: u64,
        peer: String,
    ) -> std::result::Result<(u64, u64), String> {
        if next > LARGEST_NUMBER {
            return Err(format!("its next message has number {next}"));
        }
        let mut queue = self.queue.lock();
        // The same run may connect again before the old connection is known to be broken.
        if queue.run != run {
            self.may_attach(&queue)?;
        } else if let Source::Remote(old) = &queue.source {
            old.close();
        }
        queue.source = Source::Remote(writer.clone());
        Ok(self.greeted(queue, run, next, peer))
    }

    fn may_attach(&self, queue: &Queue) -> std::result::Result<(), String> {
        let is_used = match &queue.source {
            Source::Nowhere => false,
            Source::Local(outlet) => outlet.strong_count() > 0,
            Source::Remote(_) => true,
        };
        if self.state() == LinkState::ENDED {
            return Err(format!("receiver `{}` has ended", self.owner.name));
        }
        if queue.is_gone {
            return Err(format!("receiver `{}` is gone", self.owner.name));
        }
        if is_used {
            let (name, peer) = (&self.owner.name, &queue.peer);
            return Err(format!("receiver `{name}` has a transmitter already: {peer}"));
        }
        Ok(())
    }

    fn greeted(
        &self,
        mut queue: parking_lot::MutexGuard<'_, Queue>,
        run: u64,
        next: u64,
        peer: String,
    ) -> (u64, u64) {
        if queue.run != run {
            // Of a new run, everything before `next` went to a receiver that is gone.
            queue.run = run;
            queue.received = next;
            // What the run before was granted is nothing to this one.
            queue.granted = next;
            self.noted.store(next, Ordering::Release);
        }
        queue.peer = peer;
        queue.granted = self.may_come(&queue);
        let counts = (queue.received, queue.granted);
        queue.acknowledged = queue.received;
        drop(queue);
        match self.phase.connect() {
            Phase::Init => self.owner.notify(),
            _ => _ = self.reconnects.fetch_add(1, Ordering::Relaxed),
        }
        counts
    }

    /// The connection is gone; another one may follow. Returns whether this one was in use.
    pub fn detach(&self, writer: &Arc<Writer>) -> bool {
        let mut queue = self.queue.lock();
        let is_this = matches!(&queue.source, Source::Remote(used) if Arc::ptr_eq(used, writer));
        if is_this {
            queue.source = Source::Nowhere;
            self.phase.reset();
        }
        is_this
    }

    /// The transmitter of this process with this run is gone, and has not ended regularly.
    pub fn detach_local(self: &Arc<Self>, run: u64) {
        let mut queue = self.queue.lock();
        if queue.is_used_by(run) {
            queue.source = Source::Nowhere;
            self.phase.reset();
            drop(queue);
            if let Some(network) = self.network.upgrade() {
                network.transmitter_gone(self.clone());
            }
        }
    }

    /// Whether the transmitter of this process with this run uses the inlet.
    pub fn is_used_by(&self, run: u64) -> bool {
        self.queue.lock().is_used_by(run)
    }

    /// The receiver goes. A transmitter of this process hears of it, as one of another process does
    /// whose connection is closed.
    pub fn leave(&self) {
        let mut queue = self.queue.lock();
        queue.is_gone = true;
        let source = std::mem::take(&mut queue.source);
        drop(queue);
        if let Source::Local(outlet) = source
            && let Some(outlet) = outlet.upgrade()
        {
            outlet.peer_gone(self);
        }
    }

    /// Whether there was a transmitter, and is none now.
    pub fn is_deserted(&self) -> bool {
        self.phase.get() == Phase::Reset
    }

    /// Room for a message of a transmitter of this process.
    pub fn room(&self) -> usize {
        let queue = self.queue.lock();
        self.capacity.saturating_sub(queue.main.len() + queue.back.len())
    }

    /// Passes a message of a transmitter of this process, which `sender` has. It is announced later.
    pub fn pass(&self, message: Message, sender: &Owner) -> Passed {
        if self.state() == LinkState::ENDED {
            return Passed::Ended(message);
        }
        let mut queue = self.queue.lock();
        let is_full = self.policy == 2 && queue.main.len() + queue.back.len() >= self.capacity;
        if is_full || queue.is_gone {
            return Passed::Full(message);
        }
        for (end, has_arrived) in [(sender, false), (&self.owner, true)] {
            let (run, sequence) = (queue.run, queue.received);
            gxf::trace::link_passed(&end.context, &end.queue, run, sequence, has_arrived);
        }
        queue.received += 1;
        self.add(&mut queue, message);
        Passed::Taken
    }

    /// A message has arrived, which is announced later. `Err` if it must not come now.
    pub fn arrived(
        &self,
        sequence: u64,
        message: Message,
        bytes: u64,
    ) -> std::result::Result<(), String> {
        let mut queue = self.queue.lock();
        if sequence < queue.received {
            // It came before the connection broke, and now again.
            return Ok(());
        }
        if sequence > queue.received || sequence >= queue.granted {
            let (received, granted) = (queue.received, queue.granted);
            return Err(format!(
                "message {sequence} came where {received} was expected, and {granted} are allowed"
            ));
        }
        queue.received += 1;
        let Owner { context, queue: name, .. } = &self.owner;
        gxf::trace::link_passed(context, name, queue.run, sequence, true);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        if self.state() == LinkState::ENDED {
            queue.dropped += 1;
            return Ok(());
        }
        self.add(&mut queue, message);
        if self.policy != 2 {
            // There is room even if nobody takes anything.
            self.tell_of_room(&mut queue, |queue, granted| self.is_much(queue, granted));
        }
        Ok(())
    }

    /// Has the entity look at what arrived.
    pub fn announce(&self) {
        let received = self.queue.lock().received;
        self.owner.notify();
        // Of two threads that announce at once, the later one may have found fewer messages.
        self.noted.fetch_max(received, Ordering::Release);
    }

    fn add(&self, queue: &mut Queue, message: Message) {
        queue.messages += 1;
        if queue.main.len() + queue.back.len() >= self.capacity {
            queue.dropped += 1;
            if self.policy == 1 {
                return;
            }
            let oldest = queue.main.pop_front().or_else(|| queue.back.pop_front());
            drop(oldest);
        }
        queue.back.push_back(message);
        self.count(queue);
    }

    /// Tells the transmitter what arrived and what may come. `always`: even if it is not in need.
    pub fn acknowledge(&self) {
        self.grant(self.queue.lock(), true);
    }

    /// Something will be acknowledged later. Returns whether nothing would so far.
    pub fn owes(&self) -> bool {
        !self.owes.swap(true, Ordering::AcqRel)
    }

    /// The same if the transmitter does not know of all that arrived.
    pub fn acknowledge_rest(&self) {
        self.owes.store(false, Ordering::Release);
        let mut queue = self.queue.lock();
        self.tell_of_room(&mut queue, |queue, granted| {
            queue.received > queue.acknowledged || self.is_needed(queue, granted)
        });
    }

    fn grant(&self, mut queue: parking_lot::MutexGuard<'_, Queue>, always: bool) {
        match &queue.source {
            Source::Nowhere => {}
            Source::Local(outlet) => {
                let outlet = outlet.upgrade();
                queue.told += 1;
                drop(queue);
                if let Some(outlet) = outlet {
                    outlet.peer_has_room();
                }
            }
            Source::Remote(_) => self.tell_of_room(&mut queue, |queue, granted| {
                let is_empty = queue.main.is_empty() && queue.back.is_empty();
                // Without room, the transmitter sends nothing that would let this end tell it later.
                let has_no_room = queue.granted <= queue.received;
                always
                    || self.is_much(queue, granted)
                    || ((is_empty || has_no_room) && self.is_needed(queue, granted))
            }),
        }
    }

    /// Whether so much room is new to the transmitter that it should hear of it at once.
    fn is_much(&self, queue: &Queue, granted: u64) -> bool {
        (granted - queue.granted) * 2 >= self.capacity as u64
    }

    /// Whether room is new to the transmitter, which has not much of it left.
    fn is_needed(&self, queue: &Queue, granted: u64) -> bool {
        let left = queue.granted.saturating_sub(queue.received);
        granted > queue.granted && left * 2 <= self.capacity as u64
    }

    /// Tells a transmitter of another process how many messages may have come in all, if `is_due`
    /// says so of that number.
    fn tell_of_room(&self, queue: &mut Queue, is_due: impl FnOnce(&Queue, u64) -> bool) {
        let granted = self.may_come(queue);
        if let Source::Remote(writer) = &queue.source
            && is_due(queue, granted)
        {
            writer.send(&Frame::small(Kind::Credit, queue.received, granted));
            queue.granted = granted;
            queue.told_at = Some(Instant::now());
            queue.acknowledged = queue.received;
        }
    }

    /// How many messages of the run may have come in all.
    fn may_come(&self, queue: &Queue) -> u64 {
        let held = queue.main.len() + queue.back.len();
        // A queue that drops has room for others, however many it holds.
        let room =
            if self.policy == 2 { self.capacity.saturating_sub(held) } else { self.capacity };
        queue.received.saturating_add(room as u64).max(queue.granted)
    }

    /// The transmitter sends no more; `sent` messages of its run should be here. `Err` if they are
    /// not.
    pub fn ended_by_peer(&self, sent: Option<u64>) -> std::result::Result<(), String> {
        let received = self.queue.lock().received;
        if let Some(sent) = sent.filter(|sent| *sent != received) {
            return Err(format!("the peer sent {sent} messages, and {received} arrived"));
        }
        _ = self.phase.close();
        self.owner.notify();
        Ok(())
    }

    /// The other end answered after so many nanoseconds, and its clock is ahead by `offset`.
    pub fn answered(&self, round_trip: u64, offset: i64) {
        self.round_trip.store(round_trip, Ordering::Relaxed);
        let Owner { context, queue: name, .. } = &self.owner;
        let run = self.queue.lock().run;
        gxf::trace::link_clock(context, name, run, offset, round_trip / 2);
    }

    fn count(&self, queue: &Queue) {
        // First the stage that a sync fills, so that no reader finds fewer messages than there are.
        self.main.store(queue.main.len(), Ordering::Release);
        self.back.store(queue.back.len(), Ordering::Release);
    }
}
