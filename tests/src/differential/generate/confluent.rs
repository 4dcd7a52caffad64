//! Graphs whose outcome does not depend on the order in which entities run.

use super::{Shape, end_of, make_finite, shape};
use crate::differential::graph::{
    Actor, Connection, Entity, Graph, Guests, Period, Policy, Publishing, Queue, Term,
};
use proptest::collection::vec;
use proptest::option::weighted;
use proptest::prelude::*;

/// Room for everything.
const UNLIMITED: u64 = 10_000;

/// What an entity of a confluent graph is made of, before it is known how it is connected.
#[derive(Clone, Debug)]
struct RawConfluent {
    /// Messages to take from each receiver in a tick.
    take: u64,
    publishing: Publishing,
    publish_at_start: u64,
    /// Ticks; an entity without receivers always has a limit.
    count: Option<i64>,
    per_receiver: bool,
    /// Room in the receivers beyond what a tick sends; `None`: room for everything, and the senders
    /// do not ask.
    spare_room: Option<u64>,
    /// The receivers have less room than a tick sends, and the sender asks for less.
    sends_more: bool,
    switch_off_at: Option<u64>,
    /// Microseconds.
    period: Option<i64>,
    /// The tick after which an Asynchronous term ends the entity.
    never_after: Option<u64>,
    /// Blocks of memory. Each tick keeps one for ever, so there are no more ticks than blocks.
    blocks: Option<u64>,
    /// Each message has a block of memory; number of blocks beyond those for one tick.
    spare_blocks: Option<u64>,
    /// Whether each tick waits for an event from another thread.
    awaits: bool,
    /// New messages of a second actor in a tick.
    second: Option<u64>,
    is_pinned: bool,
    /// Whether its messages leave through topics.
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
        (prop::bool::weighted(0.15), prop::bool::weighted(0.2), prop::bool::weighted(0.25)),
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
                (is_pinned, by_topic, sends_more),
            )| RawConfluent {
                take,
                publishing,
                publish_at_start,
                count,
                per_receiver,
                spare_room,
                sends_more,
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
/// takes. Senders ask for room and keep what does not fit, or there is enough. So an entity that
/// may tick may still tick whatever others do before, and what a tick does depends on its number
/// and its messages alone. There are two exceptions: a receiver in a cycle also gets the one
/// message that starts the cycle, from an entity that sends no other, and the only receiver of a
/// sink may have several senders, of whose messages only those of one sender are in order. At most
/// one entity fails; then it does so in every run, but what others did until then depends on the
/// order. A sender may wait for memory that went away with its messages: it alone takes from its
/// pool, so that what is free stays free. It may have guests, who take messages from queues with
/// room for all.
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
                let many = Queue { capacity: UNLIMITED, policy: Policy::Fault };
                let merged = in_cycle && to == 1 || merge && matches!(shape, Shape::FanIn);
                let receivers = &mut graph.entities[to].receivers;
                let target = (to, end_of(receivers, many, merged));
                // Every second connection of an entity uses the same transmitter.
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
            let asks: Vec<bool> = raw.iter().map(|raw| raw.spare_room.is_some()).collect();
            for (number, raw) in raw.iter().enumerate() {
                if let Some(spare) = raw.spare_room.filter(|_| !in_cycle) {
                    hold_back(&mut graph, number, spare, raw.sends_more, &asks);
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
            // A source has nothing to forward, and a cycle keeps its one message.
            _ => Publishing::Number(1),
        },
        publish_at_start: if in_cycle { 0 } else { raw.publish_at_start },
        switch_off_at,
        ..Actor::default()
    };
}

/// Gives each new message of an entity a block of memory, and makes the entity wait for the blocks
/// of a tick.
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

/// Gives the receivers of an entity's messages little room and makes the entity wait for it. A
/// receiver with several senders has room for what any of them asks for, if all of them ask.
fn hold_back(graph: &mut Graph, number: usize, spare: u64, sends_more: bool, asks: &[bool]) {
    let Entity { receivers, transmitters, actor, .. } = &graph.entities[number];
    let of_a_tick = |actor: &Actor| match actor.publishing {
        Publishing::Number(count) => count,
        Publishing::Relay | Publishing::Forward => actor.take * receivers.len() as u64,
    };
    let in_a_tick: u64 = graph.entities[number].actors().map(of_a_tick).sum();
    let (all, transmitters) = (in_a_tick + actor.publish_at_start, transmitters.len());
    let wanted = if sends_more { all.min(1) } else { all };
    let from_here = graph.connections.iter().filter(|connection| connection.source.0 == number);
    let targets: Vec<_> = from_here.map(|connection| connection.target).collect();
    for (entity, receiver) in targets {
        let connections = graph.connections.iter();
        let mut senders = connections.filter(|known| known.target == (entity, receiver));
        if !senders.all(|connection| asks[connection.source.0]) {
            continue;
        }
        let queue = &mut graph.entities[entity].receivers[receiver];
        let room = wanted.max(1) + spare;
        let unlimited = queue.capacity == UNLIMITED;
        queue.capacity = if unlimited { room } else { queue.capacity.max(room) };
    }
    for transmitter in 0..transmitters {
        let term = Term::DownstreamReceptive { transmitter, min_size: wanted };
        graph.entities[number].terms.push(term);
    }
}
