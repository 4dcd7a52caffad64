//! One thread: its local queue, and its actors, which act one after the other.

use super::Actors;
use super::end::Ends;
use super::post::{Message, Post};
use crate::entity::port::Wake;
use crate::entity::runner::{Executed, Light, Runner};
use crate::schedule::engine::End;
use crate::schedule::runners::Runners;
use gxf_app::error::Error;
use gxf_plugin_abi::{Condition, ConditionType};
use gxf_sync::habit::{Habit, LOOK};
use gxf_sync::run_state::Found;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Most nanoseconds between two checks of the time, the event queue and the lanes.
const LOOK_PERIOD: u64 = 4_000;
/// Most acts between them.
const LOOK_ACTS: u32 = 128;
/// Highest credible growth of the cost of an act from one check to the next.
const CREDIBLE_GROWTH: u64 = 8;
/// Number of looks at the lanes before a thread sleeps.
const SPINS: u32 = 2_000;

pub(super) struct Thread<'a> {
    actors: &'a Actors,
    me: usize,
    /// All entities by index, those of other threads, too; grows when an unknown index comes.
    runners: Vec<Arc<Runner>>,
    local: Local<'a>,
    ends: Ends<'a>,
    /// Time of the clock at the last check.
    now: i64,
    looked_at: Instant,
    /// Acts until the next check.
    until_look: u32,
    /// Acts since the last check.
    acts: u32,
    /// Recent cost of an act, in nanoseconds.
    cost: u64,
    /// Whether something was ready since this thread last slept.
    ran: bool,
    /// Whether it looks for messages of other threads before it sleeps.
    habit: Habit,
    /// Number of entities that had joined when the thread last updated its runners.
    joined: u64,
}

/// Where messages to actors go.
struct Local<'a> {
    post: &'a Post,
    me: u32,
    /// The actors of this thread that have messages, in the order in which the first one came.
    queue: VecDeque<u32>,
    /// By index: whether the queue has the actor.
    queued: Vec<bool>,
    /// Whether messages within the thread go this way.
    is_used: bool,
    table: &'a Runners,
    /// Number of indices that had been reused when the thread last updated its runners.
    replaced: u64,
    /// Actors of other threads that joined, and for whose wakes the lanes had no room.
    backlog: Vec<u32>,
}

impl Local<'_> {
    /// A message to an actor of this thread.
    #[inline]
    fn push(&mut self, actor: u32) {
        let Some(queued) = self.queued.get_mut(actor as usize) else {
            return self.push_stranger(actor);
        };
        if !std::mem::replace(queued, true) {
            self.queue.push_back(actor);
        }
    }

    /// The same for one that joined and that the thread does not know yet.
    #[cold]
    fn push_stranger(&mut self, actor: u32) {
        self.queued.resize(actor as usize + 1, false);
        self.push(actor);
    }

    /// A message to an actor of another thread. Lanes have room for one to each actor of the plan.
    fn wake_elsewhere(&mut self, actor: u32, home: u32) {
        if self.post.is_planned(actor) && self.replaced == 0 {
            self.post.send(self.me, home, Message::Wake { actor });
        } else if !self.post.wake_stranger(self.me, home, actor) {
            self.backlog.push(actor);
        }
    }

    /// Sends what the lanes had no room for.
    #[cold]
    fn send_backlog(&mut self) {
        let (post, me) = (self.post, self.me);
        self.backlog.retain(|actor| !post.wake_stranger(me, post.home(*actor), *actor));
    }

    #[inline]
    fn pop(&mut self) -> Option<u32> {
        let actor = self.queue.pop_front()?;
        self.queued[actor as usize] = false;
        Some(actor)
    }
}

struct Waker<'w, 'a> {
    runners: &'w [Arc<Runner>],
    local: &'w mut Local<'a>,
}

impl Wake for Waker<'_, '_> {
    #[inline(always)]
    fn wake(&mut self, actor: u32) {
        // The queue has only actors of this thread, and mostly the one that is woken.
        if self.local.queued.get(actor as usize) != Some(&true) {
            self.wake_anew(actor);
        }
    }
}

impl Waker<'_, '_> {
    #[inline(never)]
    fn wake_anew(&mut self, actor: u32) {
        let home = self.local.post.home(actor);
        if home == self.local.me && self.local.is_used {
            self.local.push(actor);
        } else {
            self.send(actor, home);
        }
    }

    /// Wakes an actor through the channel of its thread, unless a message to it is there already.
    #[inline(never)]
    fn send(&mut self, actor: u32, home: u32) {
        match self.runners.get(actor as usize).map(|runner| runner.run_state.wake()) {
            Some(Found::AtRest) => self.local.wake_elsewhere(actor, home),
            Some(Found::Busy | Found::Staying) => {}
            // Another may have joined in its place.
            Some(Found::Left) if self.local.table.replaced() == self.local.replaced => {}
            // One that joined, which its thread may not know yet, either.
            Some(Found::Left) | None => self.local.post.post_event(actor),
        }
    }
}

impl<'a> Thread<'a> {
    pub fn new(actors: &'a Actors, me: usize) -> Self {
        let local = Local {
            post: &actors.post,
            me: me as u32,
            queue: VecDeque::new(),
            queued: Vec::new(),
            is_used: actors.settings.local_message_queue,
            table: &actors.runners,
            replaced: actors.runners.replaced(),
            backlog: Vec::new(),
        };
        let mut thread = Self {
            actors,
            me,
            runners: Vec::new(),
            local,
            ends: Ends::new(actors, me),
            now: actors.pace.now(),
            looked_at: Instant::now(),
            until_look: 1,
            acts: 0,
            cost: LOOK_PERIOD,
            ran: false,
            habit: Habit::default(),
            joined: 0,
        };
        thread.learn();
        thread
    }

    /// Adds entities that joined.
    #[cold]
    fn learn(&mut self) {
        self.joined = self.actors.runners.joined();
        self.runners.extend(self.actors.runners.from(self.runners.len()));
        let count = self.runners.len().max(self.local.queued.len());
        self.local.queued.resize(count, false);
        // Each actor is in it at most once, so it grows only when entities join.
        self.local.queue.reserve(count - self.local.queue.len());
    }

    /// Adds entities that joined in place of others.
    #[cold]
    fn learn_again(&mut self) {
        self.local.replaced = self.actors.runners.replaced();
        self.runners.clear();
        self.learn();
    }

    /// Constructs the actors of the thread, waits for those of the others, and acts until the run is
    /// over.
    pub fn run(&mut self) {
        self.refresh_time();
        if self.now > self.actors.end_of_time {
            // Those that are ready would act before the first look at the time.
            self.actors.finish(Ok(End::Timeout));
        }
        let own: Vec<u32> = self
            .runners
            .iter()
            .map(|runner| runner.number)
            .filter(|number| self.is_own(*number))
            .collect();
        for actor in own {
            self.sit_out_pause();
            if !self.actors.stopping.load(Ordering::Relaxed) {
                // A step during the pause may have constructed it.
                if !self.runners[actor as usize].status().is_started() {
                    self.act(actor);
                }
                self.tell_constructed(actor);
            }
            self.actors.constructed();
        }
        self.actors.wait_until_constructed();
        if let Some(barrier) = &self.actors.barrier {
            self.actors.wait_for_others(barrier, self.me == 0);
            self.refresh_time();
        }
        self.sit_out_pause();
        while !self.actors.stopping.load(Ordering::Relaxed) {
            let Some(actor) = self.local.pop() else {
                if !self.search() {
                    break;
                }
                continue;
            };
            self.act(actor);
            self.until_look = self.until_look.saturating_sub(1);
            if self.until_look == 0 {
                self.look();
            }
        }
    }

    /// Waits for the end of a pause that begins before the first look.
    fn sit_out_pause(&mut self) {
        if self.actors.event_queue.is_paused() {
            self.look();
        }
    }

    /// Ends the actors of the thread, after the last act of the run.
    pub fn end(&mut self) {
        self.ends.end_all();
    }

    /// Says in the log what an actor is.
    fn tell_constructed(&self, actor: u32) {
        let Some(runner) = self.runners.get(actor as usize) else { return };
        let codelets: Vec<&str> =
            runner.codelets().iter().map(|codelet| &*codelet.type_info.name).collect();
        let light = self.actors.settings.light_actors && runner.is_light();
        let (kind, handler) = if light {
            ("LightActor", "LightActor::HandlerNormal")
        } else {
            ("Actor", "NaiveActor::HandlerNormal")
        };
        tracing::debug!("actor {actor} switch to &{handler}");
        tracing::debug!("Thread {} construct {kind} {} {actor}", self.me, codelets.join(", "));
    }

    fn is_own(&self, actor: u32) -> bool {
        self.local.post.home(actor) as usize == self.me
    }

    /// An actor handles its messages: it acts once if it is ready.
    #[inline]
    fn act(&mut self, actor: u32) {
        self.acts += 1;
        if self.actors.runners.replaced() != self.local.replaced {
            self.learn_again();
        } else if actor as usize >= self.runners.len() {
            self.learn();
        }
        let Some(runner) = self.runners.get(actor as usize) else { return };
        // From here on, a waker sends another message: also to an actor that never acts again, whose
        // submitted work ends later.
        runner.run_state.take_wakes();
        if runner.condition.load(Ordering::Relaxed) == ConditionType::NEVER.0 {
            return self.settle(actor);
        }
        if self.actors.is_special(actor) {
            return self.act_specially(actor);
        }
        let mut waker = Waker { runners: &self.runners, local: &mut self.local };
        if self.actors.settings.light_actors {
            match runner.tick_light(self.now, &mut waker) {
                Ok(Some(light)) => return self.acted_light(actor, light),
                Ok(None) => {}
                Err(error) => return self.fail(error),
            }
        }
        self.act_once(actor);
    }

    /// An actor that never acts again handles a message.
    #[cold]
    fn settle(&mut self, actor: u32) {
        if let Some(submission) = self.actors.submission(actor) {
            match submission.release(&self.actors.waiting_for_events) {
                Ok(_) if submission.ends_now() => self.is_gone(actor),
                Ok(_) => {}
                Err(error) => self.fail(error),
            }
        }
        self.ends.settle(actor);
    }

    /// An actor with control registers, or with registers whose memory is given, acts if these let
    /// it; one that submits work ends its acts with that. The start of its codelets is no act.
    #[cold]
    fn act_specially(&mut self, actor: u32) {
        let submission = self.actors.submission(actor);
        let under_way = &self.actors.waiting_for_events;
        if let Some(Err(error)) = submission.map(|submission| submission.release(under_way)) {
            return self.fail(error);
        }
        self.act_in_order(actor);
        if let Some(Err(error)) = submission.map(|submission| submission.seal(under_way)) {
            self.fail(error);
        }
    }

    fn act_in_order(&mut self, actor: u32) {
        let runner = &self.runners[actor as usize];
        let starts = !runner.status().is_started();
        if !starts && !self.actors.takes(actor) {
            if runner.condition.load(Ordering::Relaxed) != ConditionType::WAIT.0 {
                self.changes(actor, ConditionType::WAIT);
            }
            return self.waits(actor);
        }
        let Some(Executed { ticked, condition, .. }) = self.execute(actor) else { return };
        if !starts {
            // Before the actor ends, since its consumers may then wait no longer.
            let mut waker = Waker { runners: &self.runners, local: &mut self.local };
            self.actors.took(actor, ticked, |other| waker.wake(other));
        }
        self.put_away(actor, condition);
    }

    /// Starts an actor, or ticks it if its terms let it.
    #[inline]
    fn act_once(&mut self, actor: u32) {
        if let Some(executed) = self.execute(actor) {
            self.put_away(actor, executed.condition);
        }
    }

    /// The same without what comes of it. `None` if it failed.
    #[inline]
    fn execute(&mut self, actor: u32) -> Option<Executed> {
        let runner = &self.runners[actor as usize];
        let mut waker = Waker { runners: &self.runners, local: &mut self.local };
        match runner.execute_and_look(self.now, &mut waker) {
            Ok(executed) => {
                if executed.ran {
                    self.ran = true;
                    let acts = &self.actors.threads[self.me].acts;
                    acts.store(acts.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                }
                Some(executed)
            }
            Err(error) => {
                self.fail(error);
                None
            }
        }
    }

    /// An actor whose terms only count has acted as often as they let it.
    #[inline]
    fn acted_light(&mut self, actor: u32, light: Light) {
        if light.ticks > 0 {
            self.ran = true;
            self.acts += light.ticks - 1;
            self.until_look = self.until_look.saturating_sub(light.ticks - 1);
            let acts = &self.actors.threads[self.me].acts;
            acts.store(acts.load(Ordering::Relaxed) + u64::from(light.ticks), Ordering::Relaxed);
        }
        if !light.waits {
            return self.local.push(actor);
        }
        let runner = &self.runners[actor as usize];
        if runner.condition.load(Ordering::Relaxed) != ConditionType::WAIT.0 {
            self.changes(actor, ConditionType::WAIT);
            self.runners[actor as usize].target.clear();
        }
        self.waits(actor);
    }

    /// An actor waits for a message.
    #[inline]
    fn waits(&mut self, actor: u32) {
        if self.local.post.edges.any_ended() || self.actors.has_links {
            let submission = self.actors.submission(actor);
            if submission.is_some_and(|submission| submission.is_under_way()) {
                // It ends when its acts are over.
                return;
            }
            let local = &mut self.local;
            self.ends.waits(&self.runners[actor as usize], |consumer| local.push(consumer));
        }
    }

    #[cold]
    fn fail(&mut self, error: Error) {
        self.actors.finish(Err(error));
    }

    /// Decides what happens to an actor after it acted, or could not.
    #[inline]
    fn put_away(&mut self, actor: u32, condition: Condition) {
        let runner = &self.runners[actor as usize];
        let after = condition.condition_type;
        if ConditionType(runner.condition.load(Ordering::Relaxed)) != after {
            self.changes(actor, after);
        }
        let runner = &self.runners[actor as usize];
        match after {
            ConditionType::READY => self.local.push(actor),
            ConditionType::WAIT_TIME => self.actors.timers.arm(runner, condition.target),
            ConditionType::WAIT => {
                runner.target.clear();
                self.waits(actor);
            }
            ConditionType::WAIT_EVENT => {
                runner.target.clear();
                self.ends.tell(actor, |actor| self.local.push(actor));
            }
            _ => runner.target.clear(),
        }
    }

    /// An actor has another condition than before.
    #[inline(never)]
    fn changes(&mut self, actor: u32, after: ConditionType) {
        let runner = &self.runners[actor as usize];
        let before = ConditionType(runner.condition.swap(after.0, Ordering::Relaxed));
        if before == ConditionType::WAIT_EVENT {
            self.actors.waiting_for_events.fetch_sub(1, Ordering::AcqRel);
        }
        if after == ConditionType::WAIT_EVENT {
            self.actors.waiting_for_events.fetch_add(1, Ordering::AcqRel);
        }
        if after == ConditionType::NEVER {
            self.never_acts_again(actor);
        }
    }

    /// An actor ends, now or with the work that it submitted.
    fn never_acts_again(&mut self, actor: u32) {
        if let Some(submission) = self.actors.submission(actor) {
            if let Err(error) = submission.seal(&self.actors.waiting_for_events) {
                return self.fail(error);
            }
            if submission.ends_later() {
                return;
            }
        }
        self.is_gone(actor);
    }

    /// An actor never acts again, and all its acts are over.
    fn is_gone(&mut self, actor: u32) {
        let local = &mut self.local;
        self.ends.end(actor, |consumer| local.push(consumer));
        self.actors.gone(&self.runners[actor as usize]);
    }

    /// Checks the time, the timers, the event queue and the lanes.
    fn look(&mut self) {
        let passed = u64::try_from(self.looked_at.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let acts = u64::from(std::mem::take(&mut self.acts).max(1));
        let lately = (passed / acts).min(self.cost.saturating_mul(CREDIBLE_GROWTH));
        self.cost = (self.cost + lately).div_ceil(2);
        let fitting = LOOK_PERIOD / self.cost.max(1);
        self.until_look = u32::try_from(fitting).unwrap_or(u32::MAX).clamp(1, LOOK_ACTS);
        self.refresh_time();
        self.take_due();
    }

    fn refresh_time(&mut self) {
        self.looked_at = Instant::now();
        self.now = self.actors.pace.now();
    }

    /// Takes the messages of other threads; whether there were any.
    #[inline]
    fn receive(&mut self) -> bool {
        let local = &mut self.local;
        local.post.receive(local.me, |actor| local.push(actor))
    }

    /// Wakes what timers and events name, and checks whether the run is over.
    fn take_due(&mut self) {
        let actors = self.actors;
        self.receive();
        if !self.local.backlog.is_empty() {
            self.local.send_backlog();
        }
        if actors.runners.replaced() != self.local.replaced {
            self.learn_again();
        } else if actors.runners.joined() != self.joined {
            self.learn();
        }
        let mut waker = Waker { runners: &self.runners, local: &mut self.local };
        actors.timers.expire(self.now, |actor| waker.wake(actor));
        if actors.polling.is_due(&actors.runners, self.now) {
            for runner in actors.runners.polled() {
                waker.wake(runner.number);
            }
        }
        if actors.event_queue.has_events()
            && actors.event_queue.collect_beside_sleeper(|actor| waker.wake(actor))
        {
            actors.finish(Ok(End::Interrupted));
        }
        if self.now > actors.end_of_time {
            actors.finish(Ok(End::Timeout));
        }
    }

    /// The local queue is empty: looks at the lanes for a while, then sleeps. False if the run is
    /// over.
    fn search(&mut self) -> bool {
        if self.receive() {
            return true;
        }
        if !self.local.backlog.is_empty() {
            // Who sleeps sends nothing.
            std::thread::yield_now();
            self.begin_look();
            return true;
        }
        let looks = self.actors.threads.len() > 1 && self.habit.looks();
        if looks && self.looks_for_mail() {
            return true;
        }
        let began = Instant::now();
        if !self.actors.idle(self.me, self.now, std::mem::take(&mut self.ran)) {
            return false;
        }
        if !looks {
            self.habit.note_sleep(began.elapsed(), self.local.post.has_mail(self.local.me));
        }
        self.begin_look();
        true
    }

    /// Looks at the lanes for a while, without a look at the time. Each takes no longer than an act.
    #[inline]
    fn looks_for_mail(&mut self) -> bool {
        for spins in 0..SPINS {
            std::hint::spin_loop();
            if self.local.post.has_mail(self.local.me) {
                self.habit.note_look(Duration::ZERO, true);
                self.until_look = self.until_look.saturating_sub(spins).max(1);
                return true;
            }
            if self.actors.event_queue.has_events() {
                return false;
            }
        }
        self.habit.note_look(LOOK, false);
        false
    }

    /// Looks around after a sleep.
    fn begin_look(&mut self) {
        self.acts = 0;
        self.until_look = 1;
        self.refresh_time();
        self.take_due();
    }
}
