//! Executions of an entity: it starts, ticks when its terms allow, does what its controller says of
//! that, and stops (section 2.2 of GXF's behaviour).

use super::{CHANGED, Runner, Status};
use crate::entity::condition::is_ready;
use crate::entity::failure::Failure;
use crate::entity::port::Wake;
use crate::entity::remote::RemotePort;
use crate::entity::work::Work;
use crate::standard::deadline::OnMiss;
use gxf_app::error::Result;
use gxf_plugin::call_note;
use gxf_plugin_abi::verdict;
use gxf_plugin_abi::{Condition, ConditionType, ResultCode};
use gxf_sync::stages::Advanced;
use std::hint::cold_path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Result of [`Runner::tick_light`].
pub struct Light {
    /// Number of ticks.
    pub ticks: u32,
    /// Whether the entity waits now. Otherwise it must be asked again.
    pub waits: bool,
}

/// Result of [`Runner::execute_and_look`].
pub struct Executed {
    /// Whether the entity started or ticked.
    pub ran: bool,
    /// Whether it ticked. Others may execute it, too, so the caller cannot see that from the number of
    /// its ticks before and after.
    pub ticked: bool,
    /// The current condition of its terms.
    pub condition: Condition,
}

/// Result of [`Runner::execute_if_ready`].
#[derive(Default)]
pub struct Visited {
    /// Whether the entity started, ticked or ended.
    pub ran: bool,
    /// Whether it ticked.
    pub ticked: bool,
}

/// Result of [`Runner::tick_stage`].
enum Staged {
    /// It ticked.
    Ticked(std::result::Result<(), Failure>),
    /// Its terms do not let it.
    Waits,
    /// It must be executed in full: nothing happened.
    InFull,
}

impl Runner {
    /// Executes the entity once at time `now`.
    ///
    /// READY: it started or ticked. WAIT…: it could not. NEVER: it was stopped and never runs
    /// again. An error ends the graph.
    #[inline(never)]
    pub fn execute(&self, now: i64, waker: &mut impl Wake) -> Result<Condition> {
        let Some(mut work) = self.work.try_own() else {
            return self.execute_after_waiting(now, waker);
        };
        if work.stage.is_none() || !self.may_tick_as_stage(&work) {
            return self.execute_owned(&mut work, now, waker);
        }
        let outer = call_note::replace_execution(std::ptr::from_ref(self).cast());
        let executed = self.tick_stage::<true>(&mut work, now, waker);
        call_note::replace_execution(outer);
        match executed {
            Staged::Ticked(Ok(())) => {
                self.set_status(Status::Idle);
                Ok(Condition { condition_type: ConditionType::READY, target: now })
            }
            Staged::Ticked(Err(failure)) => Err(self.failed(failure)),
            Staged::Waits | Staged::InFull => self.execute_owned(&mut work, now, waker),
        }
    }

    /// Whether [`Self::tick_stage`] may be called: there is nothing else to look for.
    #[inline(always)]
    fn may_tick_as_stage(&self, work: &Work) -> bool {
        work.plain && work.started && self.attention.load(Ordering::Relaxed) == 0
    }

    /// Ticks a stage if its terms let it. `NOTED` says whether they remember since when they do.
    #[inline(always)]
    fn tick_stage<const NOTED: bool>(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> Staged {
        let (Some(stage), [codelet]) = (&work.stage, &mut work.parts.codelets[..]) else {
            return Staged::InFull;
        };
        let before = match stage.begin::<NOTED>(now) {
            Advanced::To(before) => before,
            Advanced::NotAllowed => return Staged::Waits,
            Advanced::Undecided => return Staged::InFull,
        };
        self.set_status(Status::Ticking);
        self.inside.store(0, Ordering::Relaxed);
        let first = match stage.tick(codelet, now) {
            Ok(first) => first,
            Err(failure) => {
                // The first error is reported.
                let _ = self.stop_locked(work);
                return Staged::Ticked(Err(failure));
            }
        };
        self.count_tick();
        stage.ticked(before, now, waker);
        Staged::Ticked(match stage.send(first, &mut work.parts, now, waker) {
            Ok(()) => Ok(()),
            Err(unsent) => work.not_sent(unsent),
        })
    }

    #[inline(never)]
    fn execute_after_waiting(&self, now: i64, waker: &mut impl Wake) -> Result<Condition> {
        self.execute_owned(&mut self.work.own(), now, waker)
    }

    #[inline(never)]
    fn execute_owned(&self, work: &mut Work, now: i64, waker: &mut impl Wake) -> Result<Condition> {
        // Not `marked`, whose closure would be a function of its own.
        let outer = call_note::replace_execution(std::ptr::from_ref(self).cast());
        let executed = self.execute_monitored(work, now, waker);
        call_note::replace_execution(outer);
        match executed {
            Ok(condition) => Ok(by_fields(condition)),
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// Executes the entity once and, if it ran, checks its terms again, so that the caller need not
    /// come back for that. Threads may disagree slightly on the time; the entity's own never goes
    /// back.
    #[inline]
    pub fn execute_and_look(&self, now: i64, waker: &mut impl Wake) -> Result<Executed> {
        match self.work.try_own() {
            Some(mut work) => self.execute_and_look_owned(&mut work, now, waker),
            None => self.execute_and_look_after_waiting(now, waker),
        }
    }

    #[inline(never)]
    fn execute_and_look_after_waiting(&self, now: i64, waker: &mut impl Wake) -> Result<Executed> {
        self.execute_and_look_owned(&mut self.work.own(), now, waker)
    }

    #[inline(always)]
    fn execute_and_look_owned(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> Result<Executed> {
        let now = now.max(work.latest);
        work.latest = now;
        let before = self.ticks();
        let executed = self.marked(|| {
            let staged = match self.may_tick_as_stage(work) {
                true => self.tick_stage::<true>(work, now, waker),
                false => Staged::InFull,
            };
            if let Staged::Ticked(ticked) = staged {
                ticked?;
                self.set_status(Status::Idle);
            } else {
                let condition = self.execute_monitored(work, now, waker)?;
                let ran = condition.condition_type == ConditionType::READY;
                if !ran || work.controller.is_some() {
                    return Ok((ran, condition));
                }
            }
            if self.attention.load(Ordering::Relaxed) & CHANGED != 0 {
                // A tick may have changed what its terms wait for.
                self.take_settings();
                work.refresh_terms();
            }
            Ok((true, self.look(work, now, false, waker)?))
        });
        match executed {
            Ok((ran, condition)) => {
                let ticked = self.ticks() != before;
                Ok(Executed { ran, ticked, condition: by_fields(condition) })
            }
            Err(failure) => Err(self.failed(failure)),
        }
    }

    /// Ticks an entity whose terms only count messages, room and ticks, as long as they let it, but
    /// not for too long. `None` if it must be executed in full: then nothing happened.
    ///
    /// # Errors
    /// The entity failed, which must end the run.
    #[inline]
    pub fn tick_light(&self, now: i64, waker: &mut impl Wake) -> Result<Option<Light>> {
        let Some(mut work) = self.work.try_own() else { return Ok(None) };
        let light = work.is_light() && work.started;
        if !light || self.attention.load(Ordering::Relaxed) != 0 {
            return Ok(None);
        }
        let outer = call_note::replace_execution(std::ptr::from_ref(self).cast());
        let ticked = self.tick_light_owned(&mut work, now, waker);
        call_note::replace_execution(outer);
        match ticked {
            Ok(light) => Ok(light),
            Err(failure) => Err(self.failed(failure)),
        }
    }

    #[inline(always)]
    fn tick_light_owned(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Option<Light>, Failure> {
        let (mut ticks, mut waits) = (0, false);
        while ticks < work.streak {
            match self.tick_stage::<false>(work, now, waker) {
                Staged::Ticked(ticked) => ticked?,
                Staged::InFull if work.is_allowed() => self.tick_allowed(work, now, waker)?,
                Staged::InFull => {
                    waits = !work.has_ended();
                    break;
                }
                Staged::Waits => {
                    waits = true;
                    break;
                }
            }
            ticks += 1;
            if !work.plain || self.attention.load(Ordering::Relaxed) != 0 {
                break;
            }
        }
        if ticks > 0 {
            work.latest = work.latest.max(now);
            self.set_status(Status::Idle);
        }
        Ok((ticks > 0 || waits).then_some(Light { ticks, waits }))
    }

    /// Ticks an entity whose terms only count and let it.
    #[inline(never)]
    fn tick_allowed(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<(), Failure> {
        self.set_status(Status::Ticking);
        if let Err(failure) = work.tick::<true>(self.entity.eid(), &self.inside, now) {
            // The first error is reported.
            let _ = self.stop_locked(work);
            return Err(failure);
        }
        self.count_tick();
        work.finish::<true>(now, waker)
    }

    /// Executes the entity once if it is ready. For a thread other than the engine's: an entity that
    /// ended stays ended.
    ///
    /// # Errors
    /// The entity failed, which must end the run.
    pub fn execute_if_ready(&self, now: i64, waker: &mut impl Wake) -> Result<Visited> {
        let mut work = self.work.visit();
        if self.has_ended.load(Ordering::Relaxed) {
            return Ok(Visited::default());
        }
        let now = now.max(work.latest);
        let before = self.ticks();
        let ran = self.marked(|| {
            if work.started {
                let condition = work.condition(now, false, waker)?;
                if !is_ready(condition, now) {
                    return Ok(false);
                }
            }
            let condition = self.execute_monitored(&mut work, now, waker)?;
            // A controller ends its entity in a tick, of which the engine knows nothing.
            let has_ended = self.has_ended.load(Ordering::Relaxed);
            if has_ended {
                self.ask(CHANGED);
            }
            Ok(has_ended || condition.condition_type == ConditionType::READY)
        });
        let ran = ran.map_err(|failure| self.failed(failure))?;
        Ok(Visited { ran, ticked: self.ticks() != before })
    }

    #[inline(always)]
    fn execute_monitored(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        if self.attention.load(Ordering::Relaxed) != 0
            && let Some(condition_type) = self.attend(work, now, waker)
        {
            return Ok(Condition { condition_type, target: now });
        }
        if work.plain {
            return self.execute_locked::<true>(work, now, waker);
        }
        cold_path();
        self.execute_full(work, now, waker)
    }

    /// The same for an entity that is not plain.
    #[inline(never)]
    fn execute_full(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        let result = self.execute_locked::<false>(work, now, waker);
        work.end_promises(waker);
        let code = result.as_ref().map_or_else(|failure| failure.0.code, |_| ResultCode::SUCCESS);
        for monitor in work.monitors.iter() {
            let eid = self.entity.eid();
            monitor
                .call_unless_left("on_execute", |monitor| monitor.on_execute(eid, now, code))
                .map_err(|error| Failure::of(monitor.component(), "monitor", error))?;
        }
        result
    }

    /// What the terms say, and what that means at time `now`: an entity that will never run again
    /// is stopped, one that is ready may tick at once.
    #[inline(always)]
    fn look(
        &self,
        work: &mut Work,
        now: i64,
        ticks: bool,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        let mut condition = work.condition(now, ticks, waker)?;
        match condition.condition_type {
            ConditionType::READY => {}
            ConditionType::WAIT_TIME if condition.target <= now => {
                condition.condition_type = ConditionType::READY;
            }
            ConditionType::NEVER => {
                self.stop_locked(work)?;
                self.halted.store(self.node.is_some(), Ordering::Relaxed);
                self.has_ended.store(self.node.is_none(), Ordering::Relaxed);
                if self.node.is_none() {
                    work.remote.iter().for_each(RemotePort::finish);
                }
                return Ok(self.never(now));
            }
            _ => {}
        }
        Ok(condition)
    }

    /// Separate, to keep an execution that needs no look small.
    #[inline(never)]
    fn look_before_tick(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        self.look(work, now, true, waker)
    }

    /// `PLAIN` says whether the entity is.
    #[inline(always)]
    fn execute_locked<const PLAIN: bool>(
        &self,
        work: &mut Work,
        now: i64,
        waker: &mut impl Wake,
    ) -> std::result::Result<Condition, Failure> {
        if !work.started {
            cold_path();
            if self.halted.load(Ordering::Relaxed) {
                let condition = work.condition(now, false, waker)?;
                match condition.condition_type {
                    ConditionType::READY => {}
                    ConditionType::NEVER => return Ok(self.never(now)),
                    _ => return Ok(condition),
                }
                self.halted.store(false, Ordering::Relaxed);
            }
            self.start(work, now)?;
            return Ok(Condition { condition_type: ConditionType::READY, target: now });
        }
        if !(PLAIN && work.is_plainly_ready(now)) {
            let condition = self.look_before_tick(work, now, waker)?;
            if condition.condition_type != ConditionType::READY {
                return Ok(condition);
            }
        }
        self.set_status(Status::Ticking);
        let mut ticked = work.tick::<PLAIN>(self.entity.eid(), &self.inside, now);
        if !PLAIN && !work.deadlines.is_empty() && ticked.is_ok() {
            ticked = self.check_deadlines(work);
        }
        if !PLAIN && let Some(controller) = &work.controller {
            let code =
                ticked.as_ref().map_or_else(|failure| failure.0.code, |()| ResultCode::SUCCESS);
            let eid = self.entity.eid();
            let verdict = controller.call("control", |controller| controller.control(eid, code));
            if ticked.is_ok() {
                self.count_tick();
            }
            if let Some(condition) = self.obey(work, verdict, now)? {
                if ticked.is_ok() {
                    work.finish::<PLAIN>(now, waker)?;
                }
                return Ok(condition);
            }
            return Err(ticked.err().unwrap_or_else(|| {
                let text = "the controller of the entity reports a failure".to_owned();
                let codelet = work.codelets[0].component();
                Failure::new(codelet, "tick", ResultCode::FAILURE, Some(text))
            }));
        }
        if let Err(failure) = ticked {
            // The first error is reported.
            let _ = self.stop_locked(work);
            return Err(failure);
        }
        self.count_tick();
        work.finish::<PLAIN>(now, waker)?;
        self.set_status(Status::Idle);
        Ok(Condition { condition_type: ConditionType::READY, target: now })
    }

    /// Only the executing thread counts; the lock orders executions.
    #[inline(always)]
    fn count_tick(&self) {
        self.ticks.store(self.ticks.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Reports the deadlines that the tick has missed.
    #[cold]
    fn check_deadlines(&self, work: &Work) -> std::result::Result<(), Failure> {
        let Some(now) = self.observation.now() else { return Ok(()) };
        let mut kept = Ok(());
        for deadline in &work.deadlines {
            let Some(missed) = deadline.end(now) else { continue };
            self.observation.missed_deadline(&self.entity, &missed);
            let [took, limit] =
                [missed.took, missed.limit].map(|time| Duration::from_nanos(time.unsigned_abs()));
            match missed.on_miss {
                OnMiss::stop => {
                    let text = format!("the tick took {took:?}, and {limit:?} are allowed");
                    let component = deadline.component();
                    kept =
                        Err(Failure::new(component, "deadline", ResultCode::FAILURE, Some(text)));
                }
                OnMiss::warn if missed.count.is_power_of_two() => {
                    let entity = self.entity.described();
                    let times = missed.count;
                    tracing::warn!(
                        "{entity} missed its deadline (number {times}): the tick took {took:?}, and \
                         {limit:?} are allowed"
                    );
                }
                OnMiss::warn => {}
            }
        }
        kept
    }

    /// Applies a controller's verdict; `None` for a failure that ends the graph.
    fn obey(
        &self,
        work: &mut Work,
        verdict: gxf::ControllerStatus,
        now: i64,
    ) -> std::result::Result<Option<Condition>, Failure> {
        let ready = Condition { condition_type: ConditionType::READY, target: now };
        self.set_status(Status::Started);
        let condition = match (verdict.execution, verdict.behavior) {
            (verdict::EXECUTION_SUCCESS, verdict::BEHAVIOR_RUNNING)
            | (verdict::EXECUTION_FAILURE_REPEAT, _) => Some(ready),
            (verdict::EXECUTION_SUCCESS, _) => Some(self.ended(now)?),
            (verdict::EXECUTION_FAILURE_DEACTIVATE, _) => {
                self.stop_locked(work)?;
                self.halted.store(self.node.is_some(), Ordering::Relaxed);
                Some(self.ended(now)?)
            }
            _ => {
                let _ = self.stop_locked(work);
                None
            }
        };
        // Last, so that woken entities find this one in its new state.
        self.note_verdict(verdict.behavior);
        Ok(condition)
    }

    /// Starts all codelets in order. If one fails, stops those before it.
    fn start(&self, work: &mut Work, now: i64) -> std::result::Result<(), Failure> {
        self.set_status(Status::StartPending);
        for index in 0..work.codelets.len() {
            self.inside.store(index as u32, Ordering::Relaxed);
            let code = work.codelets[index].start(now);
            if !code.is_success() {
                let failure = Failure::of_codelet(&work.codelets[index], "start", code);
                for codelet in work.codelets[..index].iter_mut().rev() {
                    codelet.stop();
                }
                return Err(failure);
            }
        }
        work.started = true;
        self.set_status(Status::Started);
        Ok(())
    }

    /// Stops all codelets, even if one fails; returns the first failure.
    fn stop_locked(&self, work: &mut Work) -> std::result::Result<(), Failure> {
        if !std::mem::take(&mut work.started) {
            return Ok(());
        }
        self.set_status(Status::StopPending);
        let mut first = None;
        for (index, codelet) in work.parts.codelets.iter_mut().enumerate() {
            self.inside.store(index as u32, Ordering::Relaxed);
            let code = codelet.stop();
            if !code.is_success() {
                let failure = Failure::of_codelet(codelet, "stop", code);
                first.get_or_insert(failure);
            }
        }
        self.set_status(Status::Stopped);
        first.map_or(Ok(()), Err)
    }

    /// Stops the entity if it is started, at the end of the run: a step that is asked for just then does
    /// not start it anew.
    pub fn stop(&self) -> Result<()> {
        let mut work = self.work.visit();
        self.has_ended.store(true, Ordering::Relaxed);
        let stopped = self.marked(|| self.stop_locked(&mut work));
        self.take_settings();
        stopped.map_err(|failure| self.failed(failure))
    }
}

/// The same condition, copied field by field. Copied as a whole, its 4-byte type is read back with
/// its padding, as 8 bytes, just after 4 of them were written; a processor waits for such a read until
/// the write has left its store buffer, which took an eighth of a hop.
#[inline(always)]
fn by_fields(Condition { condition_type, target }: Condition) -> Condition {
    Condition { condition_type, target }
}
