//! Random graphs. Both kinds shrink to small ones.
//!
//! [`any_graph`] makes whatever the greedy scheduler must run alike every time, however senseless:
//! queues that overflow, terms that never hold, failures, sleeps. [`confluent_graph`] makes graphs
//! whose outcome does not depend on the order in which entities run, for the schedulers that
//! promise no order.

use super::graph::{
    Actor, Connection, EVENT_WAITING, Entity, Graph, Guests, MILLISECOND, Period, Policy,
    Publishing, Queue, Term,
};
use super::reference;
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

/// Rounds within which the model of a graph comes to an end.
pub const ROUNDS: usize = 400;

/// How entities are connected; the names are for `apps/ping_topologies`.
#[derive(Clone, Copy, Debug)]
enum Shape {
    Alone,
    Chain,
    FanOut,
    FanIn,
    Diamond,
    Pairs,
    Cycle,
}

fn shape() -> impl Strategy<Value = Shape> {
    use Shape::{Alone, Chain, Cycle, Diamond, FanIn, FanOut, Pairs};
    // Chains most of all: many other graphs contain them.
    prop::sample::select(vec![Chain, Chain, FanOut, FanIn, Diamond, Pairs, Cycle, Alone])
}

impl Shape {
    /// Connected entities. The first entity of a cycle is outside and starts it.
    fn edges(self, count: usize) -> Vec<(usize, usize)> {
        let last = count - 1;
        let all = 0..count;
        match self {
            Self::Alone => Vec::new(),
            Self::Chain => all.skip(1).map(|number| (number - 1, number)).collect(),
            Self::FanOut => all.skip(1).map(|number| (0, number)).collect(),
            Self::FanIn => all.take(last).map(|number| (number, last)).collect(),
            Self::Diamond => {
                let middle = all.skip(1).take(count.saturating_sub(2));
                middle.flat_map(|number| [(0, number), (number, last)]).collect()
            }
            Self::Pairs => (0..count / 2).map(|pair| (2 * pair, 2 * pair + 1)).collect(),
            Self::Cycle => {
                let around = all.skip(1).map(|number| (number - 1, number));
                around.chain((count > 1).then_some((last, 1))).collect()
            }
        }
    }
}

/// Adds a receiver or takes the first one there is.
fn end_of(queues: &mut Vec<Queue>, queue: Queue, share: bool) -> usize {
    if share && !queues.is_empty() {
        return 0;
    }
    queues.push(queue);
    queues.len() - 1
}

fn any_queue() -> impl Strategy<Value = Queue> {
    let policy = prop::sample::select(vec![Policy::Fault, Policy::Pop, Policy::Reject]);
    (1_u64..7, policy).prop_map(|(capacity, policy)| Queue { capacity, policy })
}

/// What an entity is made of, before it is known how it is connected.
#[derive(Clone, Debug)]
struct Raw {
    queues: [Queue; 3],
    count: Option<i64>,
    messages: Messages,
    /// By receiver.
    message_available: Vec<(u64, Option<u64>)>,
    /// By transmitter, cyclically.
    downstream_receptive: Vec<Option<u64>>,
    boolean: Option<bool>,
    periodic: Option<(i64, Period)>,
    target_time: bool,
    actor: Actor,
    reversed_terms: bool,
    rare: Rare,
}

/// What few entities have.
#[derive(Clone, Debug)]
struct Rare {
    /// Which of the terms a combiner owns, cyclically.
    either: Vec<bool>,
    /// Of an Asynchronous term: the tick that sets its state, and the state.
    asynchronous: Option<Option<(u64, i32)>>,
    memory: Option<RawMemory>,
    polled: Option<i64>,
    second: Option<Actor>,
    is_pinned: bool,
}

#[derive(Clone, Copy, Debug)]
struct RawMemory {
    blocks: u64,
    /// How many a tick leaves in use, unless messages carry them away.
    hold: u64,
    carry: bool,
    /// How many a term wants.
    wanted: Option<u64>,
}

/// The terms that look at receivers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Messages {
    /// One for each receiver.
    Each,
    SumOfAll(u64),
    PerReceiver,
    /// One for each receiver, with this batch and milliseconds of delay.
    Expiring(i64, i64),
    /// With milliseconds, and a sum.
    FrequencyThrottler(i64, u64),
    /// None.
    Unasked,
}

fn period() -> impl Strategy<Value = (i64, Period)> {
    let policies =
        vec![Period::CatchUpMissedTicks, Period::MinTimeBetweenTicks, Period::NoCatchUpMissedTicks];
    (1_i64..8, prop::sample::select(policies))
        .prop_map(|(period, policy)| (period * MILLISECOND, policy))
}

fn any_actor() -> impl Strategy<Value = Actor> {
    let publishing = prop_oneof![
        9 => Just(Publishing::Number(1)),
        3 => (0_u64..4).prop_map(Publishing::Number),
        3 => Just(Publishing::Relay),
        1 => Just(Publishing::Forward),
    ];
    (
        prop_oneof![15 => 1_u64..4, 1 => Just(0)],
        publishing,
        prop_oneof![8 => Just(0), 1 => 1_u64..3],
        weighted(0.04, (0_u64..6, prop::sample::select(vec![1, 10, 42, 51]))),
        prop_oneof![5 => Just(0), 1 => 1_i64..20],
        0_i64..9,
        weighted(0.5, 1_u64..5),
    )
        .prop_map(
            |(take, publishing, publish_at_start, failure, sleep, distance, switch_off_at)| Actor {
                take,
                publishing,
                publish_at_start,
                failure,
                sleep: sleep * MILLISECOND,
                distance: distance * MILLISECOND,
                switch_off_at,
                ..Actor::default()
            },
        )
}

fn rare() -> impl Strategy<Value = Rare> {
    let either = prop_oneof![
        7 => Just(vec![false]),
        2 => vec(any::<bool>(), 1..5),
    ];
    let memory = (1_u64..5, 0_u64..5, any::<bool>(), weighted(0.8, 1_u64..4)).prop_map(
        |(blocks, hold, carry, wanted)| {
            let wanted = wanted.map(|least| least.min(blocks));
            RawMemory { blocks, hold, carry, wanted }
        },
    );
    (
        either,
        weighted(0.15, weighted(0.7, (1_u64..5, 0..5))),
        weighted(0.15, memory),
        weighted(0.1, 0_i64..9),
        weighted(0.2, any_actor()),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(either, asynchronous, memory, polled, second, is_pinned)| Rare {
            either,
            asynchronous,
            memory,
            polled,
            second,
            is_pinned,
        })
}

fn any_entity() -> impl Strategy<Value = Raw> {
    let messages = prop_oneof![
        6 => Just(Messages::Each),
        2 => (0_u64..3).prop_map(Messages::SumOfAll),
        2 => Just(Messages::PerReceiver),
        1 => (1_i64..4, 0_i64..9).prop_map(|(batch, delay)| Messages::Expiring(batch, delay)),
        1 => (1_i64..9, 0_u64..4).prop_map(|(ms, sum)| Messages::FrequencyThrottler(ms, sum)),
        1 => Just(Messages::Unasked),
    ];
    (
        prop::array::uniform3(any_queue()),
        weighted(0.5, prop_oneof![18 => 1_i64..9, 1 => Just(0), 1 => Just(-1)]),
        messages,
        vec((prop_oneof![6 => Just(1), 2 => 0_u64..4], weighted(0.1, 0_u64..3)), 1..4),
        vec(weighted(0.6, prop_oneof![3 => Just(1), 1 => 1_u64..4]), 1..4),
        weighted(0.15, prop::bool::weighted(0.95)),
        weighted(0.2, period()),
        prop::bool::weighted(0.1),
        any_actor(),
        any::<bool>(),
        rare(),
    )
        .prop_map(
            |(
                queues,
                count,
                messages,
                message_available,
                downstream_receptive,
                boolean,
                periodic,
                target_time,
                actor,
                reversed_terms,
                rare,
            )| Raw {
                queues,
                count,
                messages,
                message_available,
                downstream_receptive,
                boolean,
                periodic,
                target_time,
                actor,
                reversed_terms,
                rare,
            },
        )
}

impl Raw {
    /// The entity's terms, now that its queues are known.
    fn terms(&self, receivers: usize, transmitters: usize) -> Vec<Term> {
        let mut terms: Vec<Term> = self.count.map(Term::Count).into_iter().collect();
        let available = self.message_available.iter().cycle().take(receivers);
        match self.messages {
            Messages::Each => terms.extend(available.enumerate().map(
                |(receiver, &(min_size, front_stage_max_size))| Term::MessageAvailable {
                    receiver,
                    min_size,
                    front_stage_max_size,
                },
            )),
            // Without receivers there would never be a message.
            Messages::SumOfAll(min_sum) if receivers > 0 => terms.push(Term::SumOfAll { min_sum }),
            Messages::PerReceiver => {
                terms.push(Term::PerReceiver {
                    min_sizes: available.map(|(min, _)| *min).collect(),
                });
            }
            Messages::Expiring(max_batch_size, delay) => {
                terms.extend((0..receivers).map(|receiver| Term::Expiring {
                    receiver,
                    max_batch_size,
                    max_delay: delay * MILLISECOND,
                }));
            }
            Messages::FrequencyThrottler(period, min_sum) if receivers > 0 => {
                let period = period * MILLISECOND;
                terms.push(Term::FrequencyThrottler { period, min_sum });
            }
            Messages::SumOfAll(_) | Messages::FrequencyThrottler(..) | Messages::Unasked => {}
        }
        let receptive = self.downstream_receptive.iter().cycle().take(transmitters);
        terms.extend(receptive.enumerate().filter_map(|(transmitter, min_size)| {
            Some(Term::DownstreamReceptive { transmitter, min_size: (*min_size)? })
        }));
        terms.extend(self.boolean.map(|enable_tick| Term::Boolean { enable_tick }));
        terms.extend(self.periodic.map(|(period, policy)| Term::Periodic { period, policy }));
        terms.extend(self.target_time.then_some(Term::TargetTime));
        terms.extend(self.rare.asynchronous.map(|_| Term::Asynchronous));
        let wanted = self.rare.memory.and_then(|memory| memory.wanted);
        terms.extend(wanted.map(|min_blocks| Term::MemoryAvailable { min_blocks }));
        terms
            .extend(self.rare.polled.map(|delay| Term::PolledDelay { delay: delay * MILLISECOND }));
        if self.reversed_terms {
            terms.reverse();
        }
        terms
    }

    /// Makes the entity what it is, now that its queues are known.
    fn fill(&self, entity: &mut Entity) {
        let terms = self.terms(entity.receivers.len(), entity.transmitters.len());
        let owned = self.rare.either.iter().cycle();
        for (term, is_owned) in terms.into_iter().zip(owned) {
            if *is_owned { entity.either.push(term) } else { entity.terms.push(term) }
        }
        entity.actor = Actor {
            event: self.rare.asynchronous.flatten(),
            hold: self.rare.memory.map_or(0, |memory| memory.hold),
            carry: self.rare.memory.is_some_and(|memory| memory.carry),
            ..self.actor
        };
        entity.second = self.rare.second;
        entity.blocks = self.rare.memory.map_or(0, |memory| memory.blocks);
        entity.is_pinned = self.rare.is_pinned;
    }
}

/// Any graph, with the maximum duration of its run in milliseconds.
pub fn any_graph() -> impl Strategy<Value = (Graph, Option<i64>)> {
    let edge = (any::<prop::sample::Index>(), any::<prop::sample::Index>());
    let shares = vec((prop::bool::weighted(0.4), prop::bool::weighted(0.4)), 1..5);
    (vec(any_entity(), 1..8), shape(), vec(edge, 0..3), shares, weighted(0.2, 0_i64..40)).prop_map(
        |(raw, shape, more, shares, max_duration)| {
            let count = raw.len();
            let mut edges = shape.edges(count);
            edges.extend(more.iter().map(|(from, to)| (from.index(count), to.index(count))));
            let mut graph = Graph::default();
            graph.entities.resize_with(count, Entity::default);
            for (number, ((from, to), (share_source, share_target))) in
                edges.into_iter().zip(shares.iter().cycle()).enumerate()
            {
                let queue = |entity: usize| raw[entity].queues[number % 3];
                let transmitters = &mut graph.entities[from].transmitters;
                let source = (from, end_of(transmitters, queue(from), *share_source));
                let receivers = &mut graph.entities[to].receivers;
                let target = (to, end_of(receivers, queue(to), *share_target));
                let by_topic = number % 4 == 3;
                graph.connections.push(Connection { source, target, by_topic });
            }
            // Of two connections of the same queues, which count twice, a topic would make one.
            let ends: Vec<_> =
                graph.connections.iter().map(|known| (known.source, known.target)).collect();
            for connection in &mut graph.connections {
                let same = |end: &&_| **end == (connection.source, connection.target);
                connection.by_topic &= ends.iter().filter(same).count() == 1;
            }
            for (entity, raw) in graph.entities.iter_mut().zip(&raw) {
                raw.fill(entity);
            }
            let expires = |term: &Term| matches!(term, Term::Expiring { .. });
            if graph.entities.iter().flat_map(Entity::all_terms).any(expires) {
                // See the head of `mod.rs`.
                for entity in &mut graph.entities {
                    entity.actor.sleep = 0;
                    entity.second = entity.second.map(|second| Actor { sleep: 0, ..second });
                }
            }
            make_finite(&mut graph, max_duration);
            (graph, max_duration)
        },
    )
}

/// Limits the ticks of every entity unless the run comes to an end by itself, and soon.
fn make_finite(graph: &mut Graph, max_duration: Option<i64>) {
    const TICKS: i64 = 5;
    const WAIT: i32 = 1;
    let longest = max_duration.map(|longest| longest * MILLISECOND);
    if reference::run(graph, longest, ROUNDS).is_some() {
        return;
    }
    // Nobody ends the wait for an event.
    for event in graph.entities.iter_mut().filter_map(|entity| entity.actor.event.as_mut()) {
        if event.1 == EVENT_WAITING {
            event.1 = WAIT;
        }
    }
    if reference::run(graph, longest, ROUNDS).is_some() {
        return;
    }
    for entity in &mut graph.entities {
        let has_limit = |term: &Term| matches!(term, Term::Count(count) if *count >= 0);
        if !entity.terms.iter().any(has_limit) {
            entity.terms.push(Term::Count(TICKS));
        }
    }
}

/// What an entity of a confluent graph is made of, before it is known how it is connected.
#[derive(Clone, Debug)]
struct RawConfluent {
    /// Messages taken from each receiver in a tick.
    take: u64,
    publishing: Publishing,
    publish_at_start: u64,
    /// Ticks; an entity without receivers always has a limit.
    count: Option<i64>,
    per_receiver: bool,
    /// Room in the receivers beyond what a sender asks for; `None`: room for everything, and the
    /// senders do not ask.
    spare_room: Option<u64>,
    switch_off_at: Option<u64>,
    /// Microseconds.
    period: Option<i64>,
    /// The tick after which an Asynchronous term ends the entity.
    never_after: Option<u64>,
    /// Blocks of memory, each kept for ever by a tick, so that there are no more ticks than blocks.
    blocks: Option<u64>,
    /// Each message has a block of memory; so many more blocks than one tick needs.
    spare_blocks: Option<u64>,
    /// Each tick waits for an event that another thread makes.
    awaits: bool,
    /// New messages a second actor publishes in a tick.
    second: Option<u64>,
    is_pinned: bool,
    /// Its messages leave by topics.
    by_topic: bool,
}

fn confluent_entity() -> impl Strategy<Value = RawConfluent> {
    let publishing = prop_oneof![
        3 => (1_u64..4).prop_map(Publishing::Number),
        3 => Just(Publishing::Relay),
        2 => Just(Publishing::Forward),
    ];
    (
        prop_oneof![3 => Just(1), 1 => Just(2)],
        publishing,
        prop_oneof![4 => Just(0), 1 => 1_u64..3],
        weighted(0.4, prop_oneof![8 => 1_i64..7, 1 => Just(0)]),
        any::<bool>(),
        weighted(0.7, 0_u64..4),
        weighted(0.1, 1_u64..5),
        weighted(0.15, 1_i64..100),
        (weighted(0.1, 1_u64..5), weighted(0.1, 1_u64..7), weighted(0.2, 0_u64..3)),
        (weighted(0.2, 0_u64..4), prop::bool::weighted(0.15)),
        (prop::bool::weighted(0.15), prop::bool::weighted(0.2)),
    )
        .prop_map(
            |(
                take,
                publishing,
                publish_at_start,
                count,
                per_receiver,
                spare_room,
                switch_off_at,
                period,
                (never_after, blocks, second),
                (spare_blocks, awaits),
                (is_pinned, by_topic),
            )| RawConfluent {
                take,
                publishing,
                publish_at_start,
                count,
                per_receiver,
                spare_room,
                switch_off_at,
                period,
                never_after,
                blocks,
                spare_blocks,
                awaits,
                second,
                is_pinned,
                by_topic,
            },
        )
}

/// A graph with the same outcome in whatever order its entities run: a Kahn network.
///
/// Each receiver has one sender, and an entity ticks when each of its receivers holds what the tick
/// takes. Senders ask for room, or there is enough. So an entity that may tick may still tick
/// whatever others do before, and what a tick does depends on its number and its messages alone.
/// There are two exceptions: a receiver in a cycle also gets the one message that starts the cycle,
/// from an entity that sends no other, and the only receiver of a sink may have several senders, of
/// whose messages only those of one sender are in order. At most one entity fails; then it does so
/// in every run, but what others did until then depends on the order. A sender may wait for memory
/// that went away with its messages: it alone takes from its pool, so that what is free stays free.
/// It may have guests, who take messages from queues with room for all.
pub fn confluent_graph() -> impl Strategy<Value = Graph> {
    let failure = weighted(0.2, (any::<prop::sample::Index>(), 0_u64..4));
    let merge = any::<bool>();
    let guests = weighted(0.3, (1_u64..6, weighted(0.7, any::<prop::sample::Index>())));
    (vec(confluent_entity(), 1..9), shape(), failure, merge, guests).prop_map(
        |(raw, shape, failure, merge, guests)| {
            let mut graph = Graph::default();
            graph.entities.resize_with(raw.len(), Entity::default);
            let edges = shape.edges(raw.len());
            let in_cycle = matches!(shape, Shape::Cycle) && !edges.is_empty();
            for (from, to) in edges {
                let many = Queue { capacity: 10_000, policy: Policy::Fault };
                let merged = in_cycle && to == 1 || merge && matches!(shape, Shape::FanIn);
                let receivers = &mut graph.entities[to].receivers;
                let target = (to, end_of(receivers, many, merged));
                // Every second connection of an entity leaves from the same transmitter.
                let transmitters = &mut graph.entities[from].transmitters;
                let source = (from, end_of(transmitters, many, to % 2 == 0));
                let by_topic = raw[from].by_topic;
                graph.connections.push(Connection { source, target, by_topic });
            }
            for (number, raw) in raw.iter().enumerate() {
                fill_confluent(&mut graph, number, raw, in_cycle);
            }
            for (entity, raw) in graph.entities.iter_mut().zip(&raw) {
                if let Some(spare) = raw.spare_blocks.filter(|_| entity.blocks == 0) {
                    carry_memory(entity, spare);
                }
            }
            for (number, raw) in raw.iter().enumerate() {
                if let Some(spare) = raw.spare_room.filter(|_| !in_cycle) {
                    hold_back(&mut graph, number, spare);
                }
            }
            if let Some((entity, tick)) = failure {
                let entity = entity.index(graph.entities.len());
                graph.entities[entity].actor.failure = Some((tick, 10));
            }
            make_finite(&mut graph, None);
            graph.guests = guests.map(|(count, source)| Guests {
                count,
                source: source
                    .filter(|_| !graph.connections.is_empty())
                    .map(|source| graph.connections[source.index(graph.connections.len())].source),
            });
            graph
        },
    )
}

fn fill_confluent(graph: &mut Graph, number: usize, raw: &RawConfluent, in_cycle: bool) {
    const CYCLE_TICKS: i64 = 6;
    const SOURCE_TICKS: i64 = 4;
    const EVENT_NEVER: i32 = 4;
    let senders = |target| {
        let connections = graph.connections.iter();
        connections.filter(|connection| connection.target == (number, target)).count()
    };
    // What such a sink takes must not depend on how many messages it takes.
    let is_merged = !in_cycle && senders(0) > 1;
    let entity = &mut graph.entities[number];
    let receivers = entity.receivers.len();
    let take = if in_cycle || is_merged { 1 } else { raw.take };
    entity.terms = if raw.per_receiver {
        vec![Term::PerReceiver { min_sizes: vec![take; receivers] }]
    } else {
        let available = |receiver| Term::MessageAvailable {
            receiver,
            min_size: take,
            front_stage_max_size: None,
        };
        (0..receivers).map(available).collect()
    };
    let starts_cycle = in_cycle && number == 0;
    let count = match raw.count {
        _ if is_merged => None,
        _ if starts_cycle => Some(1),
        _ if in_cycle => Some(raw.count.unwrap_or(CYCLE_TICKS)),
        None if receivers == 0 => Some(SOURCE_TICKS),
        count => count,
    };
    entity.terms.extend(count.map(Term::Count));
    let switch_off_at = raw.switch_off_at.filter(|_| !is_merged);
    entity.terms.extend(switch_off_at.map(|_| Term::Boolean { enable_tick: true }));
    entity.terms.extend(raw.period.map(|period| Term::Periodic {
        period: period * 1000,
        policy: Period::CatchUpMissedTicks,
    }));
    let never_after = raw.never_after.filter(|_| !is_merged);
    let awaits = raw.awaits && never_after.is_none();
    entity.terms.extend((awaits || never_after.is_some()).then_some(Term::Asynchronous));
    entity.blocks = raw.blocks.filter(|_| !is_merged).unwrap_or(0);
    if entity.blocks > 0 {
        entity.terms.push(Term::MemoryAvailable { min_blocks: 1 });
    }
    let publishing = raw.second.filter(|_| !in_cycle).unwrap_or(0);
    entity.second = raw.second.map(|_| Actor {
        take: 0,
        publishing: Publishing::Number(publishing),
        ..Actor::default()
    });
    entity.is_pinned = raw.is_pinned;
    entity.actor = Actor {
        take,
        event: never_after.map(|tick| (tick, EVENT_NEVER)),
        awaits,
        hold: entity.blocks,
        publishing: match raw.publishing {
            Publishing::Number(count) if !in_cycle => Publishing::Number(count),
            publishing if !in_cycle && receivers > 0 => publishing,
            // A source has nothing to pass on, and a cycle keeps its one message.
            _ => Publishing::Number(1),
        },
        publish_at_start: if in_cycle { 0 } else { raw.publish_at_start },
        switch_off_at,
        ..Actor::default()
    };
}

/// Gives an entity's new messages a block of memory each, and makes the entity wait for as much as it
/// needs in a tick.
fn carry_memory(entity: &mut Entity, spare: u64) {
    let transmitters = entity.transmitters.len() as u64;
    let in_a_tick = match entity.actor.publishing {
        Publishing::Number(count) => count,
        Publishing::Relay => entity.actor.take * entity.receivers.len() as u64,
        Publishing::Forward => 0,
    };
    let wanted = in_a_tick * transmitters;
    entity.blocks = wanted + entity.actor.publish_at_start * transmitters + spare;
    if entity.blocks > 0 {
        entity.actor.carry = true;
        entity.terms.push(Term::MemoryAvailable { min_blocks: wanted.max(1) });
    }
}

/// Gives the receivers of an entity's messages little room and makes the entity wait for it.
fn hold_back(graph: &mut Graph, number: usize, spare: u64) {
    let Entity { receivers, transmitters, actor, .. } = &graph.entities[number];
    let of_a_tick = |actor: &Actor| match actor.publishing {
        Publishing::Number(count) => count,
        Publishing::Relay | Publishing::Forward => actor.take * receivers.len() as u64,
    };
    let in_a_tick: u64 = graph.entities[number].actors().map(of_a_tick).sum();
    let (wanted, transmitters) = (in_a_tick + actor.publish_at_start, transmitters.len());
    let from_here = graph.connections.iter().filter(|connection| connection.source.0 == number);
    let targets: Vec<_> = from_here.map(|connection| connection.target).collect();
    let has_one_sender = |target| {
        graph.connections.iter().filter(|connection| connection.target == target).count() == 1
    };
    if !targets.iter().all(|target| has_one_sender(*target)) {
        return;
    }
    for (entity, receiver) in targets {
        graph.entities[entity].receivers[receiver].capacity = wanted.max(1) + spare;
    }
    for transmitter in 0..transmitters {
        let term = Term::DownstreamReceptive { transmitter, min_size: wanted };
        graph.entities[number].terms.push(term);
    }
}
