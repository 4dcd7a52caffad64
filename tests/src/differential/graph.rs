//! A graph of actors as data and as YAML.

use std::fmt::Write;

/// Nanoseconds in a millisecond, the unit of the schedulers' parameters.
pub const MILLISECOND: i64 = 1_000_000;

/// A graph without its scheduler. Entities are identified by position.
#[derive(Clone, Default, PartialEq)]
pub struct Graph {
    /// In the order of loading.
    pub entities: Vec<Entity>,
    /// In the order of loading.
    pub connections: Vec<Connection>,
    /// Entities that join and leave during the run, which must not affect the others.
    pub guests: Option<Guests>,
}

/// Guests, one after the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guests {
    pub count: u64,
    /// Entity and position of a transmitter whose messages they also get.
    pub source: Option<(usize, usize)>,
}

/// A failing test prints a file to try.
impl std::fmt::Debug for Graph {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "\n{}", self.to_yaml())
    }
}

/// An entity with one actor or two.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Entity {
    pub receivers: Vec<Queue>,
    pub transmitters: Vec<Queue>,
    pub terms: Vec<Term>,
    /// Terms of an OR combiner; none means no combiner.
    pub either: Vec<Term>,
    pub actor: Actor,
    /// At the same queues, after the first actor.
    pub second: Option<Actor>,
    /// Blocks in the first actor's memory pool; 0 for no pool.
    pub blocks: u64,
    /// Whether it runs on a thread of its own, if the scheduler has threads.
    pub is_pinned: bool,
}

/// A queue with two stages of this capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Queue {
    pub capacity: u64,
    pub policy: Policy,
}

/// What happens to a message that does not fit, with GXF's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Policy {
    Pop = 0,
    Reject = 1,
    Fault = 2,
}

/// A transmitter's entity and position, then a receiver's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Connection {
    pub source: (usize, usize),
    pub target: (usize, usize),
    /// Whether a topic makes it, and not a connection.
    pub by_topic: bool,
}

/// A scheduling term. Receivers and transmitters belong to the same entity and are given by
/// position.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Count(i64),
    MessageAvailable {
        receiver: usize,
        min_size: u64,
        front_stage_max_size: Option<u64>,
    },
    SumOfAll {
        min_sum: u64,
    },
    PerReceiver {
        min_sizes: Vec<u64>,
    },
    DownstreamReceptive {
        transmitter: usize,
        min_size: u64,
    },
    Boolean {
        enable_tick: bool,
    },
    Periodic {
        period: i64,
        policy: Period,
    },
    TargetTime,
    /// From the extension `actor`.
    PolledDelay {
        delay: i64,
    },
    Expiring {
        receiver: usize,
        max_batch_size: i64,
        max_delay: i64,
    },
    FrequencyThrottler {
        period: i64,
        min_sum: u64,
    },
    Asynchronous,
    MemoryAvailable {
        min_blocks: u64,
    },
}

/// GXF's policies of `PeriodicSchedulingTerm`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Period {
    CatchUpMissedTicks,
    MinTimeBetweenTicks,
    NoCatchUpMissedTicks,
}

/// What a tick does; see the extension `actor`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Actor {
    pub take: u64,
    pub publishing: Publishing,
    pub publish_at_start: u64,
    /// Gives what it publishes an acquisition time; otherwise publication does.
    pub stamps: bool,
    /// Number of the failing tick, 0 for the start, and the result code.
    pub failure: Option<(u64, i32)>,
    /// Nanoseconds.
    pub sleep: i64,
    /// Nanoseconds from a tick to the target time it sets, for entities with such a term.
    pub distance: i64,
    /// The entity whose terms it sets, if not its own.
    pub other: Option<usize>,
    /// The tick that switches the first Boolean term off.
    pub switch_off_at: Option<u64>,
    /// The tick that switches it on.
    pub switch_on_at: Option<u64>,
    /// The tick that sets the state of the first Asynchronous term, and GXF's number of it.
    pub event: Option<(u64, i32)>,
    /// Whether each tick waits for an event of another thread, on the entity's first Asynchronous
    /// term.
    pub awaits: bool,
    /// Blocks to keep from one tick to the next.
    pub hold: u64,
    /// Whether each new message carries a block instead.
    pub carry: bool,
}

/// GXF's number of the state in which a term waits for an event.
pub const EVENT_WAITING: i32 = 2;

/// What a tick publishes on each transmitter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Publishing {
    Number(u64),
    Relay,
    Forward,
}

impl Default for Actor {
    fn default() -> Self {
        Self {
            take: 1,
            publishing: Publishing::Number(1),
            publish_at_start: 0,
            stamps: true,
            failure: None,
            sleep: 0,
            distance: 0,
            other: None,
            switch_off_at: None,
            switch_on_at: None,
            event: None,
            awaits: false,
            hold: 0,
            carry: false,
        }
    }
}

/// Number of the first message that an actor publishes on a transmitter: a number identifies its
/// transmitter.
#[must_use]
pub fn first_number(entity: usize, actor: usize, transmitter: usize) -> u64 {
    (entity as u64 * 100 + transmitter as u64 + 1) * 1_000_000 + actor as u64 * 500_000
}

/// The entity whose first actor created a message; `None` for a second actor.
#[must_use]
pub fn first_publisher(number: u64) -> Option<usize> {
    let entity = usize::try_from((origin(number) - 1) / 100).expect("a small number");
    (number % 1_000_000 < 500_000).then_some(entity)
}

/// The transmitter that published a message, as a number.
#[must_use]
pub fn origin(number: u64) -> u64 {
    number / 1_000_000
}

impl Graph {
    /// The graph as YAML, without its clock `scheduler/clock`.
    #[must_use]
    pub fn to_yaml(&self) -> String {
        let mut yaml = String::new();
        for (number, entity) in self.entities.iter().enumerate() {
            let _ = writeln!(yaml, "---\nname: e{number}\ncomponents:");
            self.write(number, entity, &mut yaml);
        }
        yaml.push_str("---\nname: connections\ncomponents:\n");
        for (number, connection) in self.connections.iter().enumerate() {
            let Connection { source, target, by_topic } = connection;
            let source = format!("e{}/tx{}", source.0, source.1);
            let target = format!("e{}/rx{}", target.0, target.1);
            let (kind, parameters) = if *by_topic {
                let ends = format!("transmitters: [{source}], receivers: [{target}]");
                ("nvidia::gxf::Topic", format!("topic_name: t{number}, {ends}"))
            } else {
                ("nvidia::gxf::Connection", format!("source: {source}, target: {target}"))
            };
            component(&mut yaml, "", kind, &parameters);
        }
        if self.connections.is_empty() {
            component(&mut yaml, "", "nvidia::gxf::UnboundedAllocator", "");
        }
        if let Some(Guests { count, source }) = self.guests {
            yaml.push_str("---\nname: doorman\ncomponents:\n");
            let ticks = count + 1;
            let source = source.map(|(entity, tx)| format!(", source: e{entity}/tx{tx}"));
            let parameters = format!("ticks: {ticks}{}", source.unwrap_or_default());
            component(&mut yaml, "", "gxe::test::Doorman", &parameters);
            let count = format!("count: {ticks}");
            component(&mut yaml, "", "nvidia::gxf::CountSchedulingTerm", &count);
        }
        // The thread pool of all entities, if the scheduler uses it, and for pinned ones.
        yaml.push_str("---\nname: threads\ncomponents:\n");
        component(&mut yaml, "", "nvidia::gxf::ThreadPool", "initial_size: 2");
        yaml
    }
}

impl Graph {
    fn write(&self, number: usize, entity: &Entity, yaml: &mut String) {
        entity.write_parts(yaml);
        for (index, actor) in entity.actors().enumerate() {
            let name = ["actor", "second"][index];
            let set_terms = self.set_terms(number, actor);
            let parameters = entity.actor_parameters(number, index, actor, &set_terms);
            component(yaml, name, "gxe::test::Actor", &parameters);
        }
    }

    /// The entity whose terms an entity's first actor sets.
    #[must_use]
    pub fn set_by(&self, entity: usize) -> usize {
        self.entities[entity].actor.other.unwrap_or(entity)
    }

    /// The parameters of a first actor with the terms it sets.
    fn set_terms(&self, number: usize, actor: &Actor) -> String {
        let owner = self.set_by(number);
        let entity = &self.entities[owner];
        let mut parameters = String::new();
        if let Some(index) = entity.target_time() {
            let distance = actor.distance;
            let _ = write!(parameters, ", target_time: e{owner}/term{index}, distance: {distance}");
        }
        if let Some(index) = entity.switch() {
            let _ = write!(parameters, ", switch: e{owner}/term{index}");
            for (key, tick) in
                [("switch_off_at", actor.switch_off_at), ("switch_on_at", actor.switch_on_at)]
            {
                if let Some(tick) = tick {
                    let _ = write!(parameters, ", {key}: {tick}");
                }
            }
        }
        if let Some((index, (tick, state))) = entity.asynchronous().zip(actor.event) {
            let event = format!("event: e{owner}/term{index}");
            let _ = write!(parameters, ", {event}, event_at: {tick}, event_state: {state}");
        }
        parameters
    }
}

fn component(yaml: &mut String, name: &str, kind: &str, parameters: &str) {
    let name = if name.is_empty() { String::new() } else { format!("name: {name}, ") };
    let _ = writeln!(yaml, "- {{{name}type: '{kind}', parameters: {{{parameters}}}}}");
}

fn queue(yaml: &mut String, name: &str, kind: &str, queue: Queue) {
    let parameters = format!("capacity: {}, policy: {}", queue.capacity, queue.policy as u64);
    component(yaml, name, kind, &parameters);
}

fn names(kind: &str, count: usize) -> String {
    let names: Vec<_> = (0..count).map(|index| format!("{kind}{index}")).collect();
    names.join(", ")
}

impl Entity {
    fn write_parts(&self, yaml: &mut String) {
        for (index, receiver) in self.receivers.iter().enumerate() {
            queue(yaml, &format!("rx{index}"), "nvidia::gxf::DoubleBufferReceiver", *receiver);
        }
        for (index, transmitter) in self.transmitters.iter().enumerate() {
            let kind = "nvidia::gxf::DoubleBufferTransmitter";
            queue(yaml, &format!("tx{index}"), kind, *transmitter);
        }
        for (index, term) in self.all_terms().enumerate() {
            let (kind, parameters) = term.describe(self.receivers.len());
            component(yaml, &format!("term{index}"), kind, &parameters);
        }
        if !self.either.is_empty() {
            let owned = self.terms.len()..self.terms.len() + self.either.len();
            let owned: Vec<_> = owned.map(|index| format!("term{index}")).collect();
            let parameters = format!("terms: [{}]", owned.join(", "));
            component(yaml, "", "nvidia::gxf::OrSchedulingTermCombiner", &parameters);
        }
        if self.blocks > 0 {
            let parameters =
                format!("storage_type: 2, block_size: 64, num_blocks: {}", self.blocks);
            component(yaml, "pool", "nvidia::gxf::BlockMemoryPool", &parameters);
        }
        if self.is_pinned {
            component(yaml, "", "nvidia::gxf::CPUThread", "pin_entity: true");
        }
    }

    /// The terms of the entity itself, then those of the combiner.
    pub fn all_terms(&self) -> impl Iterator<Item = &Term> {
        self.terms.iter().chain(&self.either)
    }

    /// The actors in their order.
    pub fn actors(&self) -> impl Iterator<Item = &Actor> {
        std::iter::once(&self.actor).chain(&self.second)
    }

    fn actor_parameters(
        &self,
        number: usize,
        place: usize,
        actor: &Actor,
        set_terms: &str,
    ) -> String {
        let first_numbers: Vec<_> = (0..self.transmitters.len())
            .map(|index| first_number(number, place, index).to_string())
            .collect();
        let (publishing, publish) = match actor.publishing {
            Publishing::Number(count) => ("Number", count),
            Publishing::Relay => ("Relay", 0),
            Publishing::Forward => ("Forward", 0),
        };
        let mut parameters = format!(
            "receivers: [{}], transmitters: [{}], first_numbers: [{}], take: {}, \
             publishing: {publishing}, publish: {publish}, publish_at_start: {}",
            names("rx", self.receivers.len()),
            names("tx", self.transmitters.len()),
            first_numbers.join(", "),
            actor.take,
            actor.publish_at_start,
        );
        if let Some((tick, code)) = actor.failure {
            let _ = write!(parameters, ", fail_at: {tick}, fail_code: {code}");
        }
        if !actor.stamps {
            parameters.push_str(", stamps: false");
        }
        if actor.sleep > 0 {
            let _ = write!(parameters, ", clock: scheduler/clock, sleep: {}", actor.sleep);
        }
        if place > 0 {
            return parameters;
        }
        parameters.push_str(set_terms);
        if let Some(index) = self.asynchronous().filter(|_| actor.awaits) {
            let _ = write!(parameters, ", awaits: term{index}");
        }
        if self.blocks > 0 {
            let (hold, carry) = (actor.hold, actor.carry);
            let _ = write!(parameters, ", pool: pool, hold: {hold}, carry: {carry}");
        }
        parameters
    }

    fn position(&self, is: impl Fn(&Term) -> bool) -> Option<usize> {
        self.all_terms().position(is)
    }

    /// Position of the first term that waits for a time that others set.
    #[must_use]
    pub fn target_time(&self) -> Option<usize> {
        self.position(|term| *term == Term::TargetTime)
    }

    /// Position of the first Boolean term.
    #[must_use]
    pub fn switch(&self) -> Option<usize> {
        self.position(|term| matches!(term, Term::Boolean { .. }))
    }

    /// Position of the first Asynchronous term.
    #[must_use]
    pub fn asynchronous(&self) -> Option<usize> {
        self.position(|term| *term == Term::Asynchronous)
    }
}

impl Term {
    fn describe(&self, receivers: usize) -> (&'static str, String) {
        let all = || format!("receivers: [{}]", names("rx", receivers));
        match self {
            Self::Count(count) => ("nvidia::gxf::CountSchedulingTerm", format!("count: {count}")),
            Self::MessageAvailable { receiver, min_size, front_stage_max_size } => {
                let most = front_stage_max_size
                    .map(|most| format!(", front_stage_max_size: {most}"))
                    .unwrap_or_default();
                let parameters = format!("receiver: rx{receiver}, min_size: {min_size}{most}");
                ("nvidia::gxf::MessageAvailableSchedulingTerm", parameters)
            }
            Self::SumOfAll { min_sum } => (
                "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
                format!("{}, sampling_mode: SumOfAll, min_sum: {min_sum}", all()),
            ),
            Self::PerReceiver { min_sizes } => (
                "nvidia::gxf::MultiMessageAvailableSchedulingTerm",
                format!("{}, sampling_mode: PerReceiver, min_sizes: {min_sizes:?}", all()),
            ),
            Self::DownstreamReceptive { transmitter, min_size } => (
                "nvidia::gxf::DownstreamReceptiveSchedulingTerm",
                format!("transmitter: tx{transmitter}, min_size: {min_size}"),
            ),
            Self::Boolean { enable_tick } => {
                ("nvidia::gxf::BooleanSchedulingTerm", format!("enable_tick: {enable_tick}"))
            }
            Self::Periodic { period, policy } => (
                "nvidia::gxf::PeriodicSchedulingTerm",
                format!("recess_period: '{period}', policy: {policy:?}"),
            ),
            Self::TargetTime => {
                ("nvidia::gxf::TargetTimeSchedulingTerm", "clock: scheduler/clock".to_owned())
            }
            Self::PolledDelay { delay } => ("gxe::test::PolledDelay", format!("delay: {delay}")),
            Self::Expiring { receiver, max_batch_size, max_delay } => (
                "nvidia::gxf::ExpiringMessageAvailableSchedulingTerm",
                format!(
                    "receiver: rx{receiver}, max_batch_size: {max_batch_size}, \
                     max_delay_ns: {max_delay}, clock: scheduler/clock"
                ),
            ),
            Self::FrequencyThrottler { period, min_sum } => (
                "nvidia::gxf::MessageAvailableFrequencyThrottler",
                format!(
                    "{}, execution_frequency: '{period}', sampling_mode: SumOfAll, \
                     min_sum: {min_sum}",
                    all()
                ),
            ),
            Self::Asynchronous => ("nvidia::gxf::AsynchronousSchedulingTerm", String::new()),
            Self::MemoryAvailable { min_blocks } => (
                "nvidia::gxf::MemoryAvailableSchedulingTerm",
                format!("allocator: pool, min_blocks: {min_blocks}"),
            ),
        }
    }
}
