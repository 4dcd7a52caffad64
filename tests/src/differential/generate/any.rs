//! Graphs that need not make sense.

use super::{end_of, make_finite, shape};
use crate::differential::graph::{
    Actor, Connection, Entity, Graph, MILLISECOND, Period, Policy, Publishing, Queue, Term,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

fn any_queue() -> impl Strategy<Value = Queue> {
    let policy = prop::sample::select(vec![Policy::Fault, Policy::Pop, Policy::Reject]);
    (1_u64..7, policy).prop_map(|(capacity, policy)| Queue { capacity, policy })
}

/// The parts of an entity, before its connections are known.
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
    /// The entity whose terms it sets, if not its own.
    other: Option<prop::sample::Index>,
    periodic: Option<(i64, Period)>,
    target_time: bool,
    actor: Actor,
    reversed_terms: bool,
    rare: Rare,
}

/// Features that few entities have.
#[derive(Clone, Debug)]
struct Rare {
    /// Which of the terms a combiner owns, cyclically.
    either: Vec<bool>,
    /// For an Asynchronous term: the tick that sets its state, and the state.
    asynchronous: Option<Option<(u64, i32)>>,
    memory: Option<RawMemory>,
    polled: Option<i64>,
    second: Option<Actor>,
    is_pinned: bool,
}

#[derive(Clone, Copy, Debug)]
struct RawMemory {
    blocks: u64,
    /// Blocks that a tick leaves in use, unless messages carry them.
    hold: u64,
    carry: bool,
    /// Blocks that a term wants.
    wanted: Option<u64>,
}

/// The terms that watch receivers.
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
        (weighted(0.5, 1_u64..5), weighted(0.2, 1_u64..5)),
        prop::bool::weighted(0.7),
    )
        .prop_map(
            |(take, publishing, publish_at_start, failure, sleep, distance, switch, stamps)| {
                Actor {
                    take,
                    publishing,
                    publish_at_start,
                    stamps,
                    failure,
                    sleep: sleep * MILLISECOND,
                    distance: distance * MILLISECOND,
                    switch_off_at: switch.0,
                    switch_on_at: switch.1,
                    ..Actor::default()
                }
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
        (weighted(0.15, prop::bool::weighted(0.95)), weighted(0.25, any::<prop::sample::Index>())),
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
                (boolean, other),
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
                other,
                periodic,
                target_time,
                actor,
                reversed_terms,
                rare,
            },
        )
}

impl Raw {
    /// The entity's terms, once its queues are known.
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
            // Without receivers no message would ever arrive.
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

    /// Adds the entity's parts, once its queues are known.
    fn fill(&self, entity: &mut Entity, count: usize) {
        let terms = self.terms(entity.receivers.len(), entity.transmitters.len());
        let owned = self.rare.either.iter().cycle();
        for (term, is_owned) in terms.into_iter().zip(owned) {
            if *is_owned { entity.either.push(term) } else { entity.terms.push(term) }
        }
        entity.actor = Actor {
            other: self.other.map(|other| other.index(count)),
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

/// Any graph, and the maximum duration of its run in milliseconds.
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
            for (entity, raw) in graph.entities.iter_mut().zip(&raw) {
                raw.fill(entity, count);
            }
            let expires = |term: &Term| matches!(term, Term::Expiring { .. });
            if graph.entities.iter().flat_map(Entity::all_terms).any(expires) {
                // See the module documentation in `mod.rs`.
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
