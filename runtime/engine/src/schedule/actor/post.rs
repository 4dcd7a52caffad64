//! The messages between threads, and the lanes on which they travel: one channel for each thread,
//! made of one lane from each of the others, so that each of them sends in order and waits for
//! nobody. A lane has room for all that can be on it, as the plan says.

use super::edges::Edges;
use crate::entity::register::{Courier, Register};
use gxf::Message as Payload;
use gxf_plugin::message::pool::fetch_ahead;
use gxf_sync::bell::Bell;
use gxf_sync::event_queue::EventQueue;
use gxf_sync::lane::Lane;
use std::sync::{Arc, OnceLock};

/// Room of a lane for wakes of entities that joined: none is added while so much is on the lane.
const STRANGERS: usize = 64;

/// A message to an actor on another thread.
pub(super) enum Message {
    /// A register is ready for its consumer.
    Ready { register: u32, payload: Payload },
    /// Instances of a register are free for its producer.
    Credits { register: u32, instances: u32 },
    /// The producer of an edge never acts again.
    End { edge: u32 },
    /// Something that an actor waits for has changed: a queue without credits, a time, an event.
    Wake { actor: u32 },
}

/// All lanes and bells.
pub(super) struct Post {
    /// From each thread to each other one, by sender and receiver.
    lanes: Vec<Lane<Message>>,
    /// By thread.
    pub bells: Vec<Bell>,
    /// By index: the thread of an entity; those that joined later are elsewhere.
    homes: Vec<u32>,
    /// Number of threads that take entities that join.
    shared: u32,
    /// What leads from one actor to another.
    pub edges: Edges,
    event_queue: Arc<EventQueue>,
    registers: OnceLock<Vec<Arc<Register>>>,
}

impl Post {
    /// The post of threads. `homes` has the thread of each entity by index; entities that join live
    /// on the first `shared` threads. `crossing` has the two threads of each register between
    /// threads, with its instances.
    pub fn new(
        threads: u32,
        shared: u32,
        homes: Vec<u32>,
        crossing: &[([u32; 2], usize)],
        edges: Edges,
        event_queue: Arc<EventQueue>,
    ) -> Self {
        let count = threads as usize;
        // A thread wakes each actor of another at most once before that takes the message.
        let mut rooms = vec![homes.len() + STRANGERS; count * count];
        for ([producer, consumer], instances) in crossing {
            let (producer, consumer) = (*producer as usize, *consumer as usize);
            rooms[producer * count + consumer] += instances;
            // At worst each instance comes back alone.
            rooms[consumer * count + producer] += instances;
        }
        for edge in edges.all() {
            let [from, to] = [edge.producer, edge.consumer].map(|actor| homes[actor as usize]);
            // Its end.
            rooms[from as usize * count + to as usize] += 1;
        }
        Self {
            edges,
            lanes: rooms.into_iter().map(Lane::new).collect(),
            bells: (0..count).map(|_| Bell::new()).collect(),
            homes,
            shared: shared.max(1),
            event_queue,
            registers: OnceLock::new(),
        }
    }

    /// Sets the registers between threads.
    pub fn set_registers(&self, registers: Vec<Arc<Register>>) {
        let _ = self.registers.set(registers);
    }

    /// The registers between threads, by number.
    pub fn registers(&self) -> &[Arc<Register>] {
        self.registers.get().map_or(&[], Vec::as_slice)
    }

    /// The thread of an entity.
    #[inline]
    pub fn home(&self, actor: u32) -> u32 {
        match self.homes.get(actor as usize) {
            Some(home) => *home,
            None => actor % self.shared,
        }
    }

    /// Whether the plan knows an actor, or one in whose place it joined.
    #[inline]
    pub fn is_planned(&self, actor: u32) -> bool {
        (actor as usize) < self.homes.len()
    }

    /// Wakes an actor that joined, for which the lane has no room of its own, unless much is on it.
    /// Whether it did.
    pub fn wake_stranger(&self, from: u32, to: u32, actor: u32) -> bool {
        let has_room = self.lane(from, to).len() < STRANGERS;
        if has_room {
            self.send(from, to, Message::Wake { actor });
        }
        has_room
    }

    /// Leaves an actor that its thread does not know yet to whoever looks next.
    #[cold]
    pub fn post_event(&self, actor: u32) {
        self.event_queue.post(actor);
    }

    fn lane(&self, from: u32, to: u32) -> &Lane<Message> {
        &self.lanes[from as usize * self.bells.len() + to as usize]
    }

    /// Sends a message from one thread to another.
    pub fn send(&self, from: u32, to: u32, message: Message) {
        if let Err(message) = self.lane(from, to).send(message) {
            self.take_other_way(message);
        }
        if self.bells[to as usize].ring() {
            self.event_queue.poke();
        }
    }

    /// The lane is full, against all counts: the message is not lost, but may come too early.
    #[cold]
    fn take_other_way(&self, message: Message) {
        self.apply(message, Register::arrive, |actor| self.event_queue.post(actor));
    }

    /// Takes the messages to a thread; `wake` gets the actors that they may let act. Returns
    /// whether there were any.
    #[inline]
    pub fn receive(&self, to: u32, wake: impl FnMut(u32)) -> bool {
        self.receive_by(to, Register::arrive, wake)
    }

    /// The same; `arrive` calls [`Register::arrive`] while the consumer does not act. During a pause,
    /// the thread may still be in its tick.
    #[inline]
    pub fn receive_by(
        &self,
        to: u32,
        arrive: impl Fn(&Register, Payload),
        mut wake: impl FnMut(u32),
    ) -> bool {
        let mut any = false;
        for from in 0..self.bells.len() as u32 {
            let lane = self.lane(from, to);
            if !lane.is_empty() {
                any |= lane.drain(|message| self.apply(message, &arrive, &mut wake));
            }
        }
        any
    }

    /// Does something while nobody receives what comes to a thread.
    pub fn before_arrivals<R>(&self, to: u32, action: impl FnOnce() -> R) -> R {
        let lanes = (0..self.bells.len() as u32).map(|from| self.lane(from, to).hold());
        let _held: Vec<_> = lanes.collect();
        action()
    }

    /// Whether there is no message to a thread.
    pub fn has_mail(&self, to: u32) -> bool {
        (0..self.bells.len() as u32).any(|from| !self.lane(from, to).is_empty())
    }

    /// Whether there is no message to any thread.
    pub fn is_quiet(&self) -> bool {
        self.lanes.iter().all(Lane::is_empty)
    }

    /// Does what a message says.
    #[inline]
    fn apply(
        &self,
        message: Message,
        arrive: impl Fn(&Register, Payload),
        mut wake: impl FnMut(u32),
    ) {
        match message {
            Message::Ready { register, payload } => {
                fetch_ahead(payload.as_raw());
                let register = &self.registers()[register as usize];
                arrive(register, payload);
                register.wakes[0].iter().copied().for_each(wake);
            }
            Message::Credits { register, instances } => {
                let register = &self.registers()[register as usize];
                register.come_home(instances);
                register.wakes[1].iter().copied().for_each(wake);
            }
            Message::Wake { actor } => wake(actor),
            Message::End { edge } => wake(self.edges.end(edge)),
        }
    }
}

/// The way between the two threads of a register.
impl Courier for Post {
    fn deliver(&self, register: &Register, message: Payload) {
        let (from, to) = (self.home(register.producer), self.home(register.consumer));
        self.send(from, to, Message::Ready { register: register.number, payload: message });
    }

    fn give_back(&self, register: &Register, instances: u32) {
        let (from, to) = (self.home(register.consumer), self.home(register.producer));
        self.send(from, to, Message::Credits { register: register.number, instances });
    }
}
