//! Random graphs. Both kinds shrink to small ones.
//!
//! [`any_graph`] makes whatever the greedy scheduler must run identically every time, however
//! senseless: queues that overflow, terms that never hold, failures, sleeps. [`confluent_graph`]
//! makes graphs whose outcome does not depend on the order in which entities run, for schedulers
//! that promise no order. This file has what both need: shapes, and an end to every run.

mod any;
mod confluent;

use super::graph::{EVENT_WAITING, Graph, MILLISECOND, Queue, Term};
use super::reference;
pub use any::any_graph;
pub use confluent::confluent_graph;
use proptest::prelude::*;

/// Most rounds that the model of a graph may take.
pub const ROUNDS: usize = 400;

/// How entities are connected; the names are those of `apps/ping_topologies`.
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
    // Mostly chains, because many other graphs contain them.
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

/// Adds a receiver, or returns the first one.
fn end_of(queues: &mut Vec<Queue>, queue: Queue, share: bool) -> usize {
    if share && !queues.is_empty() {
        return 0;
    }
    queues.push(queue);
    queues.len() - 1
}

/// Limits the ticks of every entity, unless the run soon ends by itself.
fn make_finite(graph: &mut Graph, max_duration: Option<i64>) {
    const TICKS: i64 = 5;
    const WAIT: i32 = 1;
    let longest = max_duration.map(|longest| longest * MILLISECOND);
    if reference::run(graph, longest, ROUNDS).is_some() {
        return;
    }
    // Nothing ends the wait for an event.
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
