//! The edges of the plan, from producers to consumers, and which of them have ended.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A transmitter and a receiver behind it.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub producer: u32,
    pub consumer: u32,
    /// Its register, if it has credits and leads to another thread.
    pub register: Option<u32>,
    /// Whether the end of the run does not wait for it.
    pub closes_circle: bool,
}

impl Edge {
    /// An edge between two actors, without a register between threads.
    pub fn new([producer, consumer]: [u32; 2]) -> Self {
        Self { producer, consumer, register: None, closes_circle: false }
    }
}

/// All edges of a plan.
pub(super) struct Edges {
    edges: Vec<Edge>,
    /// By actor: the edges that it fills, and those that it reads.
    outgoing: Vec<Vec<u32>>,
    incoming: Vec<Vec<u32>>,
    /// By edge: whether its consumer knows that nothing more comes.
    ended: Vec<AtomicBool>,
    /// By actor: the edges that it reads and that have not ended.
    open: Vec<AtomicU32>,
    /// Whether any actor has ended.
    any_ended: AtomicBool,
}

impl Edges {
    /// The edges between this many actors, all of them open.
    pub fn new(mut edges: Vec<Edge>, actors: usize) -> Self {
        mark_circles(&mut edges);
        let mut outgoing = vec![Vec::new(); actors];
        let mut incoming = vec![Vec::new(); actors];
        for (edge, number) in edges.iter().zip(0..) {
            outgoing[edge.producer as usize].push(number);
            incoming[edge.consumer as usize].push(number);
        }
        Self {
            ended: edges.iter().map(|_| AtomicBool::new(false)).collect(),
            open: incoming.iter().map(|edges| AtomicU32::new(edges.len() as u32)).collect(),
            edges,
            outgoing,
            incoming,
            any_ended: AtomicBool::new(false),
        }
    }

    /// All edges, by number.
    pub fn all(&self) -> &[Edge] {
        &self.edges
    }

    /// An edge by its number.
    pub fn get(&self, edge: u32) -> Edge {
        self.edges[edge as usize]
    }

    /// Numbers of the edges that an actor fills.
    pub fn from(&self, actor: u32) -> &[u32] {
        self.outgoing.get(actor as usize).map_or(&[], Vec::as_slice)
    }

    /// Numbers of the edges that an actor reads.
    pub fn to(&self, actor: u32) -> &[u32] {
        self.incoming.get(actor as usize).map_or(&[], Vec::as_slice)
    }

    /// Notes that nothing more comes by an edge, on the consumer's thread, after all that came by
    /// it. Returns the consumer.
    pub fn end(&self, edge: u32) -> u32 {
        let consumer = self.edges[edge as usize].consumer;
        if !self.ended[edge as usize].swap(true, Ordering::AcqRel) {
            self.open[consumer as usize].fetch_sub(1, Ordering::AcqRel);
        }
        consumer
    }

    /// Whether nothing more comes by an edge.
    pub fn has_ended(&self, edge: u32) -> bool {
        self.ended[edge as usize].load(Ordering::Acquire)
    }

    /// Notes that an actor ends, before its edges do.
    pub fn note_end_of_actor(&self) {
        self.any_ended.store(true, Ordering::Release);
    }

    /// Whether any actor has ended. One load, for threads that ask after every act.
    #[inline]
    pub fn any_ended(&self) -> bool {
        self.any_ended.load(Ordering::Relaxed)
    }

    /// Whether all edges that an actor reads have ended.
    pub fn all_ended(&self, actor: u32) -> bool {
        self.open[actor as usize].load(Ordering::Acquire) == 0
    }

    /// Whether nothing more comes to an actor once no actor acts any more, but by edges that close
    /// a circle.
    pub fn all_ended_but_circles(&self, actor: u32) -> bool {
        let mut edges = self.to(actor).iter();
        edges.all(|edge| self.get(*edge).closes_circle || self.has_ended(*edge))
    }
}

/// Marks the edges that close a circle of others: those from which a walk from the sources comes
/// back to an actor that it has not left yet.
fn mark_circles(edges: &mut [Edge]) {
    let count = edges.iter().map(|edge| edge.producer.max(edge.consumer) as usize + 1).max();
    let count = count.unwrap_or_default();
    let mut outgoing: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut incoming = vec![0_usize; count];
    for (number, edge) in edges.iter().enumerate() {
        outgoing[edge.producer as usize].push(number);
        incoming[edge.consumer as usize] += 1;
    }
    let mut seen = vec![false; count];
    let mut on_path = vec![false; count];
    let sources = (0..count).filter(|actor| incoming[*actor] == 0);
    // Circles without a source come last.
    let starts: Vec<usize> = sources.chain(0..count).collect();
    for start in starts {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        on_path[start] = true;
        let mut path = vec![(start, 0)];
        while let Some((actor, next)) = path.last_mut() {
            let Some(edge) = outgoing[*actor].get(*next).copied() else {
                on_path[*actor] = false;
                path.pop();
                continue;
            };
            *next += 1;
            let consumer = edges[edge].consumer as usize;
            edges[edge].closes_circle = on_path[consumer];
            if !std::mem::replace(&mut seen[consumer], true) {
                on_path[consumer] = true;
                path.push((consumer, 0));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(pairs: &[(u32, u32)]) -> Vec<usize> {
        let edge = |(producer, consumer): &(u32, u32)| Edge {
            producer: *producer,
            consumer: *consumer,
            register: None,
            closes_circle: false,
        };
        let mut edges: Vec<Edge> = pairs.iter().map(edge).collect();
        mark_circles(&mut edges);
        let marked = edges.iter().enumerate().filter(|(_, edge)| edge.closes_circle);
        marked.map(|(number, _)| number).collect()
    }

    #[test]
    fn an_edge_of_each_circle_is_marked_and_no_other() {
        assert!(circles(&[(0, 1), (1, 2), (0, 2)]).is_empty());
        assert_eq!(circles(&[(0, 1), (1, 2), (2, 1)]), [2]);
        assert_eq!(circles(&[(1, 0), (0, 1)]), [0]);
        assert_eq!(circles(&[(0, 0)]), [0]);
        assert!(circles(&[]).is_empty());
    }
}
