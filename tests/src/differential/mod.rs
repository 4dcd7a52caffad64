//! Graphs of actors that run twice: in the engine and in a naive model of it.
//!
//! A map:
//!
//! - [`graph`]: a graph as data, and as YAML;
//! - [`generate`]: random graphs, for proptest;
//! - [`mod@reference`]: what should happen, computed in the simplest way;
//! - [`engine`]: what does happen, under a scheduler;
//! - here: what both report.
//!
//! # What random graphs leave out
//!
//! - Actions of entities that join and leave. When a scheduler notices them depends on the moment,
//!   so there is no single right order; `tests/joining.rs` covers them. Graphs whose order does not
//!   matter have guests, and all other entities must act as they would without them.
//! - Events of other threads whose moment matters, for the same reason. In graphs whose order does
//!   not matter an entity waits for events that come eventually; in the others it sets its own
//!   states.
//! - Several entities that allocate from one pool: a term that says there is enough does not
//!   reserve it for the entity. Dropping a message frees the memory in it.
//! - Sleep in a tick together with an ExpiringMessageAvailable term, which reads the clock: in GXF
//!   it may say READY in the round of the sleep, here in the next one.
//! - In graphs whose order does not matter: terms that depend on the time or are polled, and the OR
//!   combiner, because their result depends on how fast others are.
#![expect(missing_docs, reason = "the fields of the graphs are named as in YAML")]

pub mod engine;
pub mod generate;
pub mod graph;
pub mod reference;

/// What happened in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Calls of the actors in order, up to the end of the run.
    pub events: Vec<Event>,
    /// Why the run ended.
    pub end: End,
}

/// A call of an actor.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Position of the entity.
    pub entity: usize,
    /// Position of the actor there.
    pub actor: usize,
    pub call: Call,
}

/// The call; times in nanoseconds of the clock.
#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    Start {
        now: i64,
    },
    Tick {
        now: i64,
        /// By receiver.
        taken: Vec<Vec<Taken>>,
    },
    Stop,
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// What it carries.
    pub number: u64,
    /// Its acquisition time.
    pub acquired: i64,
    /// Its publication time.
    pub published: i64,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum End {
    /// Every entity said NEVER, or the maximum duration passed.
    Finished,
    /// Entities wait, and nothing can wake them.
    Deadlock,
    /// An entity failed with this code.
    Failed(i32),
    /// The run did not end by itself.
    Hung,
}

/// One line per call; of the lines that agree, only the last one.
#[must_use]
pub fn difference(run: &Run, expected: &Run) -> Option<String> {
    if run == expected {
        return None;
    }
    let agree = run.events.iter().zip(&expected.events).take_while(|(one, other)| one == other);
    let from = agree.count().saturating_sub(1);
    let lines = |run: &Run| {
        let events = run.events.iter().skip(from).take(4);
        let lines: Vec<_> = events.map(|event| format!("  {event:?}\n")).collect();
        format!("{} … {:?}\n", lines.concat(), run.end)
    };
    Some(format!("after {from} calls:\n{}expected:\n{}", lines(run), lines(expected)))
}

impl Run {
    /// The messages that an entity's first actor took in each tick, by receiver.
    #[must_use]
    pub fn ticks(&self, entity: usize) -> Vec<&[Vec<Taken>]> {
        self.ticks_of(entity, 0)
    }

    /// The same for any actor.
    #[must_use]
    pub fn ticks_of(&self, entity: usize, actor: usize) -> Vec<&[Vec<Taken>]> {
        let is_its = |event: &&Event| (event.entity, event.actor) == (entity, actor);
        let own = self.events.iter().filter(is_its);
        own.filter_map(|event| match &event.call {
            Call::Tick { taken, .. } => Some(taken.as_slice()),
            _ => None,
        })
        .collect()
    }

    /// Leaves out the stops at the end: GXF does not define the order in which a failure or the
    /// maximum duration stops the entities. After a deadlock the scheduler does not stop them, so
    /// there every stop counts.
    #[must_use]
    pub fn without_last_stops(mut self) -> Self {
        if self.end != End::Deadlock {
            while self.events.last().is_some_and(|event| event.call == Call::Stop) {
                self.events.pop();
            }
        }
        self
    }
}
