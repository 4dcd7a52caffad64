//! The end of actors, after the last act of the run.
//!
//! An actor without inputs ends first: it tells the consumers of its registers that nothing more
//! comes. A consumer then gives back what it still holds of the register, and ends when all its
//! inputs have. An actor whose own instances are still out is a *zombie*: it takes them back, and
//! ends with the last one. So the end goes from sources to sinks, the credits go the other way, and
//! a register that closes a circle is not waited for. The threads stop last, when no actor is left.
//!
//! The messages that receivers hold stay there, for the report of the run; only their instances go
//! home.

use super::post::{Message, Post};
use super::{Actors, Edge};
use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long an actor waits for an instance that is out, while nothing moves.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where an actor is in its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    /// Some of its inputs may still bring something.
    Open,
    /// It ended, but some of its instances are out.
    Zombie,
    /// Nothing is out.
    Ended,
}

/// The actors of one thread.
struct Ends<'a> {
    actors: &'a Actors,
    me: u32,
    /// By index of the entity; those of other threads stay as they are.
    lives: Vec<Life>,
    /// Inputs that have not ended.
    open: Vec<usize>,
    /// Edges within the thread whose producers ended.
    local: VecDeque<usize>,
}

/// Ends the actors of a thread; returns when those of all threads have ended.
pub(super) fn end(actors: &Actors, me: usize) {
    if !actors.leave_loop() {
        return;
    }
    let me = me as u32;
    let count = actors.tasks.iter().map(|actor| *actor as usize + 1).max().unwrap_or_default();
    let mut ends = Ends {
        actors,
        me,
        lives: vec![Life::Open; count],
        open: vec![0; count],
        local: VecDeque::new(),
    };
    for edge in actors.edges.iter().filter(|edge| !edge.closes_circle) {
        ends.open[edge.consumer as usize] += 1;
    }
    let own = actors.tasks.iter().copied().filter(|actor| actors.post.home(*actor) == me);
    for actor in own {
        if ends.open[actor as usize] == 0 {
            ends.end_actor(actor);
        }
    }
    let mut moved_at = Instant::now();
    while !actors.all_ended() {
        if ends.step() {
            moved_at = Instant::now();
        } else if moved_at.elapsed() > PATIENCE {
            // The run then fails, because instances are missing.
            actors.breaks();
        } else {
            std::thread::yield_now();
        }
    }
}

impl Ends<'_> {
    fn post(&self) -> &Post {
        &self.actors.post
    }

    /// Takes what has come; whether there was anything.
    fn step(&mut self) -> bool {
        let mut taken: Vec<Message> = Vec::new();
        self.post().take(self.me, |message| taken.push(message));
        let any = !taken.is_empty() || !self.local.is_empty();
        while let Some(edge) = self.local.pop_front() {
            self.input_ended(edge);
        }
        for message in taken {
            match message {
                Message::End { edge } => self.input_ended(edge as usize),
                Message::Credits { register, instances } => {
                    let register = &self.post().registers()[register as usize];
                    register.come_home(instances);
                    let producer = register.producer;
                    if self.lives[producer as usize] == Life::Zombie {
                        self.bury(producer);
                    }
                }
                Message::Ready { register, payload } => {
                    self.post().registers()[register as usize].arrive(payload);
                }
                Message::Wake { .. } => {}
            }
        }
        any
    }

    /// The producer of an edge never acts again.
    fn input_ended(&mut self, edge: usize) {
        let Edge { producer, consumer, register, closes_circle, .. } = self.actors.edges[edge];
        if let Some(register) = register {
            let instances = self.post().registers()[register as usize].take_done(true);
            if instances > 0 {
                let home = self.post().home(producer);
                self.post().send(self.me, home, Message::Credits { register, instances });
            }
        }
        if closes_circle {
            return;
        }
        self.open[consumer as usize] -= 1;
        if self.open[consumer as usize] == 0 {
            self.end_actor(consumer);
        }
    }

    /// All inputs of an actor have ended.
    fn end_actor(&mut self, actor: u32) {
        let edges = &self.actors.edges;
        for (number, edge) in edges.iter().enumerate().filter(|(_, edge)| edge.producer == actor) {
            let home = self.post().home(edge.consumer);
            if home == self.me {
                self.local.push_back(number);
            } else {
                self.post().send(self.me, home, Message::End { edge: number as u32 });
            }
        }
        self.lives[actor as usize] = Life::Zombie;
        self.bury(actor);
    }

    /// A zombie ends when all its instances are at home.
    fn bury(&mut self, actor: u32) {
        let mut registers = self.post().registers().iter();
        if registers.any(|register| register.producer == actor && register.out() > 0) {
            return;
        }
        self.lives[actor as usize] = Life::Ended;
        self.actors.running.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Marks the edges that close a circle of others: those from which a walk from the sources comes
/// back to an actor that it has not left yet.
pub(super) fn mark_circles(edges: &mut [Edge]) {
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
