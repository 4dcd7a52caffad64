//! The end of actors.
//!
//! An actor that never acts again *ends*: it tells the consumers of its registers that nothing more
//! comes, and gives back what it still holds of inputs that have ended, too. An actor whose own
//! instances are still out is a *zombie*: it takes them back, and is gone with the last one. So the
//! end goes from sources to sinks, and the credits go the other way. A job is over when all its
//! actors are gone.
//!
//! During the run, an actor ends when its terms say NEVER, or when all its inputs have ended and one
//! of its terms waits for messages from them; not before it has sent what it holds, unless all its
//! consumers have ended, and `stop_on_deadlock` does not end the run. So a job may be over while others
//! go on, and when all are over, the run is, with or without `stop_on_deadlock`. The end goes over links to other
//! processes like over registers. After the last act of the run, every actor ends whose inputs have; a
//! register that closes a circle is not waited for. The threads stop last, when no actor is left. A
//! component that is a `gxe::EndOfInputs` hears when all inputs of its actor have ended, and lets the
//! actor end itself.
//!
//! The messages that receivers hold stay there, for the report of the run; only their instances go
//! home.

use super::Actors;
use super::edges::Edges;
use super::post::{Message, Post};
use crate::entity::runner::Runner;
use crate::schedule::engine::End;
use gxf_app::error::Error;
use gxf_plugin_abi::ConditionType;
use rustc_hash::FxHashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long an actor waits for an instance that is out, while nothing moves.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long the end of a run waits for work that actors submitted.
const WORK_PATIENCE: Duration = Duration::from_secs(1);

/// A connected part of the graph, which ends alone.
pub(super) struct Job {
    /// Its number in the plan.
    pub number: u32,
    /// Number of its actors.
    pub actors: usize,
    /// Number of those that are not gone.
    pub running: AtomicUsize,
}

/// Where an actor is in its end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    /// It may act.
    Open,
    /// It never acts again, but some of its instances are out.
    Zombie,
    /// Nothing is out.
    Gone,
}

/// The lives of the actors of one thread.
pub(super) struct Ends<'a> {
    actors: &'a Actors,
    me: u32,
    /// By index of the entity; those of other threads stay as they are.
    lives: Vec<Life>,
    /// Actors whose components have heard of the end of their inputs.
    told: FxHashSet<u32>,
}

impl<'a> Ends<'a> {
    pub fn new(actors: &'a Actors, me: usize) -> Self {
        let count = actors.tasks.iter().map(|actor| *actor as usize + 1).max();
        Self {
            actors,
            me: me as u32,
            lives: vec![Life::Open; count.unwrap_or_default()],
            told: FxHashSet::default(),
        }
    }

    fn post(&self) -> &'a Post {
        &self.actors.post
    }

    fn edges(&self) -> &'a Edges {
        &self.actors.post.edges
    }

    /// Whether an actor of the plan may still act.
    fn is_open(&self, actor: u32) -> bool {
        self.lives.get(actor as usize) == Some(&Life::Open)
    }

    /// An actor waits: it ends if nothing that it waits for can come. `wake` gets the consumers on
    /// this thread that must know.
    #[cold]
    pub fn waits(&mut self, runner: &Runner, wake: impl FnMut(u32)) {
        let actor = runner.number;
        if !self.is_open(actor) {
            self.settle(actor);
        } else if self.never_acts_again(runner) {
            runner.finish_links(false);
            runner.give_up_held();
            self.end(actor, wake);
        } else {
            self.tell(actor, wake);
        }
    }

    /// Lets the components of an actor whose inputs have ended hear of it; `wake` gets it then.
    pub fn tell(&mut self, actor: u32, mut wake: impl FnMut(u32)) {
        let actors = self.actors;
        let Some(listeners) = actors.hear_ends.get(&actor) else { return };
        // An actor without inputs waits for something else.
        let has_ended = self.edges().all_ended(actor) && !self.edges().to(actor).is_empty();
        if !has_ended || !self.told.insert(actor) {
            return;
        }
        for listener in listeners {
            if let Err(error) = listener.call("inputs_ended", gxf::EndOfInputs::inputs_ended) {
                actors.finish(Err(Error::from(error).of_component(listener.component().cid())));
            }
        }
        wake(actor);
    }

    /// Whether an actor that waits will wait for ever.
    fn never_acts_again(&self, runner: &Runner) -> bool {
        let misses_messages =
            || self.edges().all_ended(runner.number) && self.misses_messages(runner);
        if !runner.with_parts(|parts| parts.holds()) {
            return misses_messages();
        }
        // With `stop_on_deadlock`, the end of the run tells who waits for room.
        !self.actors.settings.stop_on_deadlock
            && self.consumers_have_ended(runner.number)
            && (misses_messages() || runner.with_parts(|parts| parts.has_ended()))
    }

    /// Whether an actor has consumers, and the terms of all of them said NEVER.
    fn consumers_have_ended(&self, actor: u32) -> bool {
        let has_ended = |edge: &u32| {
            let consumer = self.actors.runners.get(self.edges().get(*edge).consumer);
            consumer.is_some_and(|consumer| {
                consumer.condition.load(Ordering::Relaxed) == ConditionType::NEVER.0
            })
        };
        let edges = self.edges().from(actor);
        !edges.is_empty() && edges.iter().all(has_ended)
    }

    /// Whether an actor waits for messages that only actors of the plan, or ended links, bring.
    fn misses_messages(&self, runner: &Runner) -> bool {
        if self.actors.controls.missing(runner.number).is_some() {
            return true;
        }
        let fed = |receiver| self.actors.fed.contains(&receiver);
        runner.misses_messages(self.actors.pace.now(), fed)
    }

    /// An actor never acts again. `wake` gets the consumers on this thread that must know.
    #[cold]
    pub fn end(&mut self, actor: u32, mut wake: impl FnMut(u32)) {
        if !self.is_open(actor) {
            return self.settle(actor);
        }
        self.lives[actor as usize] = Life::Zombie;
        self.edges().note_end_of_actor();
        self.actors.controls.close(actor, |producer| self.post().post_event(producer));
        if !self.actors.settings.stop_on_deadlock {
            // Producers may hold messages for it.
            for edge in self.edges().to(actor) {
                self.post().post_event(self.edges().get(*edge).producer);
            }
        }
        for edge in self.edges().from(actor) {
            let home = self.post().home(self.edges().get(*edge).consumer);
            if home == self.me {
                wake(self.edges().end(*edge));
            } else {
                self.post().send(self.me, home, Message::End { edge: *edge });
            }
        }
        let handler = if self.is_out(actor) { "&Actor::HandlerZombie" } else { "nullptr" };
        tracing::debug!("actor {actor} switch to {handler}");
        self.settle(actor);
    }

    /// Whether an actor waits for instances of its own.
    fn is_out(&self, actor: u32) -> bool {
        let registers = self.post().registers();
        let own = self.edges().from(actor).iter();
        let mut own = own.filter_map(|edge| self.edges().get(*edge).register);
        own.any(|register| registers[register as usize].out() > 0)
    }

    /// Gives back what an actor that ended holds of inputs that have, too; a zombie is gone when all its instances are at
    /// home.
    #[cold]
    pub fn settle(&mut self, actor: u32) {
        let Some(life) = self.lives.get(actor as usize).copied() else { return };
        if life == Life::Open {
            return;
        }
        let registers = self.post().registers();
        // A producer that may act still keeps to the room that there is.
        let ended = self.edges().to(actor).iter().filter(|edge| self.edges().has_ended(**edge));
        for edge in ended.map(|edge| self.edges().get(*edge)) {
            let Some(register) = edge.register else { continue };
            let instances = registers[register as usize].take_done(true);
            if instances > 0 {
                let home = self.post().home(edge.producer);
                self.post().send(self.me, home, Message::Credits { register, instances });
            }
        }
        if life == Life::Gone || self.is_out(actor) {
            return;
        }
        self.lives[actor as usize] = Life::Gone;
        tracing::debug!("thread {} deconstruct actor {actor}", self.me);
        self.actors.is_gone(actor);
    }

    /// Ends the actors of the thread after the last act of the run; returns when those of all
    /// threads are gone.
    pub fn end_all(&mut self) {
        if !self.actors.leave_loop() {
            return;
        }
        let actors = self.actors;
        let own = actors.tasks.iter().copied().filter(|actor| actors.post.home(*actor) == self.me);
        let mut told: Vec<u32> = own.collect();
        self.end_submissions(&told);
        let mut moved_at = Instant::now();
        while !actors.all_ended() {
            let any = actors.post.receive(self.me, |actor| told.push(actor));
            if any || !told.is_empty() {
                moved_at = Instant::now();
            } else if moved_at.elapsed() > PATIENCE {
                // The run then fails, because instances are missing.
                actors.breaks();
            } else {
                std::thread::yield_now();
            }
            while let Some(actor) = told.pop() {
                if !self.is_open(actor) {
                    self.settle(actor);
                } else if self.edges().all_ended_but_circles(actor) {
                    self.end(actor, |consumer| told.push(consumer));
                }
            }
        }
    }
}

impl Ends<'_> {
    /// Gives the work that actors submitted the time to be done, and sends nothing more.
    fn end_submissions(&self, own: &[u32]) {
        let submissions = || own.iter().filter_map(|actor| self.actors.submission(*actor));
        let until = Instant::now() + WORK_PATIENCE;
        while submissions().any(|submission| submission.is_busy()) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        for submission in submissions() {
            submission.abandon();
        }
    }
}

impl Actors {
    /// Counts an actor down in its job.
    fn is_gone(&self, actor: u32) {
        let job = &self.jobs[self.job_of[actor as usize] as usize];
        if job.running.fetch_sub(1, Ordering::AcqRel) == 1 {
            tracing::debug!("job {} is over", job.number);
        }
        let jobs_are_over = self.running.fetch_sub(1, Ordering::AcqRel) == 1;
        // Entities that joined belong to no job. With `stop_on_deadlock`, the end of the run tells
        // who waits for what.
        if jobs_are_over
            && !self.settings.stop_on_deadlock
            && self.runners.in_run() <= self.tasks.len()
        {
            self.finish(Ok(End::Finished));
        }
    }
}
