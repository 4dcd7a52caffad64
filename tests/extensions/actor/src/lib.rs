//! A codelet that follows its parameters and logs what it sees, so that a run can be compared with
//! another run or with a model. It counts its messages, so that none leaks.
//!
//! Every line begins with `actor` and the name of the entity: `actor e1 tick 500
//! 17@0/0,18@0/0|3@0/0|` is a tick at time 500 that took the messages 17 and 18 from the first
//! receiver and 3 from the second, all of them published at time 0. An actor with the name `second`
//! writes `actor e1/second`.
#![forbid(unsafe_code)]

mod doorman;
mod polled;
mod register;

use doorman::{Bystander, Crowd, Doorman, Guest};
use gxf::prelude::*;
use gxf::{MemoryBuffer, StorageType};
use polled::{PolledDelay, Promise};
use register::{Change, Check, Fill, Grow};
use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, Ordering};
use std::thread::JoinHandle;

/// Number of [`Token`]s in the process.
static TOKENS: AtomicI64 = AtomicI64::new(0);

/// The payload of every actor's message, which is counted.
struct Token {
    /// Freed with the token, wherever that happens.
    _memory: Option<MemoryBuffer>,
}

impl Token {
    fn new(memory: Option<MemoryBuffer>) -> Self {
        TOKENS.fetch_add(1, Ordering::Relaxed);
        Self { _memory: memory }
    }
}

impl Default for Token {
    fn default() -> Self {
        Self::new(None)
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        TOKENS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Selects an engine that the test program brings.
#[derive(Component, Default)]
struct RoundRobin {
    /// The clock that tells the time.
    clock: Parameter<Handle<Clock>>,
    /// Ends the run after this time of the clock.
    #[parameter(unit = "ms")]
    max_duration_ms: Parameter<Option<i64>>,
}

/// Fails to initialise while a message of an actor is alive. In a graph of its own, it checks
/// whether earlier graphs released everything.
#[derive(Component, Default)]
#[component(lifecycle)]
struct NothingLeft {}

impl Lifecycle for NothingLeft {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        match TOKENS.load(Ordering::Relaxed) {
            0 => Ok(()),
            left => Err(Error::failure(format!("{left} messages of actors are still alive"))),
        }
    }
}

/// Name of an actor that is not the first of its entity.
const SECOND: &str = "second";

/// What a tick publishes on each transmitter.
#[derive(ParameterEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Publishing {
    /// `publish` new messages.
    Number,
    /// One new message for each message taken.
    Relay,
    /// The messages taken, unchanged.
    Forward,
}

/// Takes messages from its receivers in order, then publishes on its transmitters.
///
/// The messages of a transmitter are numbered from `first_number`, so a number identifies its
/// origin.
#[derive(Component, Default)]
struct Actor {
    /// Receivers to take messages from.
    #[parameter(default = Vec::new())]
    receivers: Parameter<Vec<Handle<Receiver>>>,
    /// Most messages taken from one receiver in a tick.
    #[parameter(default = 1)]
    take: Parameter<u64>,
    /// Transmitters to publish on.
    #[parameter(default = Vec::new())]
    transmitters: Parameter<Vec<Handle<Transmitter>>>,
    /// Numbers of the transmitters' first messages, one for each.
    #[parameter(default = Vec::new())]
    first_numbers: Parameter<Vec<u64>>,
    /// What a tick publishes.
    #[parameter(default = Publishing::Number)]
    publishing: Parameter<Publishing>,
    /// New messages for each transmitter in a tick, with `publishing: Number`.
    #[parameter(default = 1)]
    publish: Parameter<u64>,
    /// Messages for each transmitter at the start.
    #[parameter(default = 0)]
    publish_at_start: Parameter<u64>,
    /// Whether it gives what it publishes an acquisition time; otherwise publication does.
    #[parameter(default = true)]
    stamps: Parameter<bool>,
    /// How long the start takes.
    #[parameter(unit = "ms", default = 0)]
    start_takes: Parameter<u64>,
    /// How long the stop takes.
    #[parameter(unit = "ms", default = 0)]
    stop_takes: Parameter<u64>,
    /// Number of the tick that fails, after it published; 0 is the start.
    fail_at: Parameter<Option<u64>>,
    /// Result code of the failure.
    #[parameter(default = 1)]
    fail_code: Parameter<i32>,
    /// Clock to sleep on.
    clock: Parameter<Option<Handle<Clock>>>,
    /// How long each tick sleeps.
    #[parameter(unit = "ns", default = 0)]
    sleep: Parameter<i64>,
    /// Term to set to the time of the next tick.
    target_time: Parameter<Option<Handle<TargetTimeSchedulingTerm>>>,
    /// Time between two ticks, for `target_time`.
    #[parameter(unit = "ns", default = 0)]
    distance: Parameter<i64>,
    /// Term to switch off or on.
    switch: Parameter<Option<Handle<BooleanSchedulingTerm>>>,
    /// Number of the tick that switches it off.
    switch_off_at: Parameter<Option<u64>>,
    /// Number of the tick that switches it on.
    switch_on_at: Parameter<Option<u64>>,
    /// Term whose state to set, once.
    event: Parameter<Option<Handle<AsynchronousSchedulingTerm>>>,
    /// Number of the tick that sets it.
    #[parameter(default = 1)]
    event_at: Parameter<u64>,
    /// GXF's number of the state.
    #[parameter(default = 0)]
    event_state: Parameter<i32>,
    /// Term of an event that each tick waits for and another thread sends.
    awaits: Parameter<Option<Handle<AsynchronousSchedulingTerm>>>,
    /// Allocator for each tick's memory, which is taken first.
    pool: Parameter<Option<Handle<Allocator>>>,
    /// Pieces of memory to keep; older ones are freed.
    #[parameter(default = 0)]
    hold: Parameter<u64>,
    /// Whether each new message has a piece of memory instead, freed with the message.
    #[parameter(default = false)]
    carry: Parameter<bool>,
    entity: String,
    ticks: u64,
    published: Vec<u64>,
    held: VecDeque<MemoryBuffer>,
    /// The thread that sends the latest event.
    event_maker: Option<JoinHandle<Result<()>>>,
}

/// Bytes of a piece of memory.
const PIECE: u64 = 64;

impl Actor {
    /// Fails if `fail_at` says so.
    fn fail_if_asked(&self) -> Result<()> {
        if *self.fail_at.get() == Some(self.ticks) {
            let text = format!("{} fails at tick {}, as `fail_at` says", self.entity, self.ticks);
            return Err(Error::new(ResultCode(*self.fail_code.get()), text));
        }
        Ok(())
    }

    /// Takes messages, and describes them.
    fn take(&self) -> Result<(Vec<Message>, String)> {
        let mut taken = Vec::new();
        let mut text = String::new();
        for receiver in self.receivers.iter() {
            for place in 0..*self.take {
                let Some(message) = receiver.try_receive()? else { break };
                let separator = if place > 0 { "," } else { "" };
                let number = message.get::<u64>("number")?;
                let Timestamp { acqtime, pubtime } = message.get::<Timestamp>("timestamp")?;
                // Writing to a string does not fail.
                let _ = write!(text, "{separator}{number}@{acqtime}/{pubtime}");
                taken.push(message);
            }
            text.push('|');
        }
        Ok((taken, text))
    }

    fn piece(&self) -> Result<Option<MemoryBuffer>> {
        let pool = self.pool.get().as_ref();
        pool.map(|pool| MemoryBuffer::allocate(pool, PIECE, StorageType::SYSTEM)).transpose()
    }

    fn use_memory(&mut self) -> Result<()> {
        if !*self.carry
            && let Some(piece) = self.piece()?
        {
            self.held.push_back(piece);
            if self.held.len() as u64 > *self.hold {
                self.held.pop_front();
            }
        }
        Ok(())
    }

    fn publish_new(&mut self, context: &TickContext, count: u64) -> Result<()> {
        for (index, transmitter) in self.transmitters.iter().enumerate() {
            for _ in 0..count {
                let mut message = context.new_message()?;
                message.add("number", self.first_numbers[index] + self.published[index])?;
                self.published[index] += 1;
                let memory = if *self.carry { self.piece()? } else { None };
                message.add("token", Token::new(memory))?;
                self.send(transmitter, message, context.now())?;
            }
        }
        Ok(())
    }

    fn send(&self, transmitter: &Transmitter, message: Message, now: i64) -> Result<()> {
        match *self.stamps {
            true => transmitter.publish(message, now),
            false => transmitter.publish_as_is(message),
        }
    }
}

impl Actor {
    /// Waits for the previous event, so that there is at most one thread, and requests the next.
    fn await_event(&mut self) -> Result<()> {
        let Some(term) = &*self.awaits else { return Ok(()) };
        let term = term.clone();
        self.event_is_made()?;
        term.set_event_state(AsynchronousEventState::EVENT_WAITING)?;
        self.event_maker = Some(std::thread::spawn(move || {
            term.set_event_state(AsynchronousEventState::EVENT_DONE)
        }));
        Ok(())
    }

    fn event_is_made(&mut self) -> Result<()> {
        let made = self.event_maker.take().map_or(Ok(Ok(())), JoinHandle::join);
        made.unwrap_or_else(|_| Err(Error::failure("the thread of an event panicked")))
    }
}

impl Codelet for Actor {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.entity = context.entity_name();
        if context.name() == SECOND {
            self.entity += "/second";
        }
        self.ticks = 0;
        self.published = vec![0; self.transmitters.len()];
        gxf::info!("actor {} start {}", self.entity, context.now());
        std::thread::sleep(std::time::Duration::from_millis(*self.start_takes));
        self.publish_new(context, *self.publish_at_start)?;
        self.fail_if_asked()
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        self.ticks += 1;
        let (taken, text) = self.take()?;
        gxf::info!("actor {} tick {} {text}", self.entity, context.now());
        self.use_memory()?;
        match *self.publishing {
            Publishing::Number => self.publish_new(context, *self.publish)?,
            Publishing::Relay => self.publish_new(context, taken.len() as u64)?,
            Publishing::Forward => {
                for transmitter in self.transmitters.iter() {
                    for message in &taken {
                        self.send(transmitter, message.clone(), context.now())?;
                    }
                }
            }
        }
        if let Some(clock) = &*self.clock {
            clock.sleep_for(*self.sleep)?;
        }
        if let Some(term) = &*self.target_time {
            term.set_next_target_time(context.now().saturating_add(*self.distance))?;
        }
        if let Some(term) = &*self.switch {
            for (at, enabled) in [(*self.switch_off_at, false), (*self.switch_on_at, true)] {
                if at == Some(self.ticks) {
                    term.set_tick_enabled(enabled)?;
                }
            }
        }
        if let Some(term) = &*self.event
            && self.ticks == *self.event_at
        {
            term.set_event_state(AsynchronousEventState(*self.event_state))?;
        }
        self.await_event()?;
        self.fail_if_asked()
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.held.clear();
        std::thread::sleep(std::time::Duration::from_millis(*self.stop_takes));
        gxf::info!("actor {} stop", self.entity);
        self.event_is_made()
    }
}

gxf_ext_factory! {
    id: 0x2c8d7e31a5f04b96, 0xb07f4c19d26e83a5;
    name: "ActorExtension";
    version: "1.0.0";
    description: "A codelet that does what its parameters say and logs what it saw";
    license: "Apache-2.0";
    components: [
        Actor: Codelet {
            id: 0x5ae19c07d84f4b23, 0x9d3f0e62b17c85f4;
            name: "gxe::test::Actor";
        },
        PolledDelay: SchedulingTerm {
            id: 0x97c3d5be1640f82a, 0xad5870e3964b1fc2;
            name: "gxe::test::PolledDelay";
        },
        Promise: SchedulingTerm {
            id: 0x5d0c2f8e9b164a37, 0x8e41d7a2c60f93b5;
            name: "gxe::test::Promise";
            announces: true;
        },
        Crowd: Codelet {
            id: 0xc7a94e1d3f5b4826, 0xb3902c6e8d17f4a1;
            name: "gxe::test::Crowd";
        },
        Bystander: Codelet {
            id: 0x1f6b83d5e2794c0a, 0x9c5e07b4a8d21f63;
            name: "gxe::test::Bystander";
        },
        Doorman: Codelet {
            id: 0x46d1f7ac98e35b02, 0x9ac70e5d3b61f428;
            name: "gxe::test::Doorman";
        },
        Guest: Codelet {
            id: 0x70be19d4f2c8635a, 0xb2584ef10d97a3c6;
            name: "gxe::test::Guest";
        },
        Fill: Codelet {
            id: 0x9668d1fd52ad68ba, 0x0d15f067c18a4424;
            name: "gxe::test::Fill";
            publishes_into: true;
        },
        Grow: Codelet {
            id: 0xcb26e93fedae15a1, 0xaac11462a5b0eb43;
            name: "gxe::test::Grow";
            publishes_into: true;
        },
        Change: Codelet {
            id: 0xe5661684614677c9, 0xa9c416d301567795;
            name: "gxe::test::Change";
            in_place: true;
        },
        Check: Codelet {
            id: 0x676fa1a0c530e096, 0xe1e3b21e472c6ed9;
            name: "gxe::test::Check";
        },
        RoundRobin: Component {
            id: 0x5b0d7f2e94c84e16, 0x8fa2c7e0d5193b64;
            name: "gxe::test::RoundRobin";
        },
        NothingLeft: Component {
            id: 0x81f6d02b3c7e4a95, 0xa6e2147fb90d583c;
            name: "gxe::test::NothingLeft";
        },
    ];
    payloads: [
        Token {
            id: 0xe40b9a6d25f74c18, 0x8b3d71c0a92f5e64;
            name: "gxe::test::Token";
        },
    ];
}
