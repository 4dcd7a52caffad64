//! Changes from one schedule to another while the run goes on.
//!
//! Workers stay and change their programs: each has a seat (`gxf_sync::seat`) and takes what is put
//! there next. A *complete swap* stops every hyperepoch behind the frames that have begun, and then
//! starts the new schedule. In a *roll-over*, each hyperepoch gives its resources to the one that
//! follows it behind its cycle, by itself.
//!
//! The stage's lock decides between a change and the end of the run: behind the end, nothing is
//! given to a worker any more.

use super::program::{Job, Part, Program, read};
use super::{MOST_WORKERS, Shared, worker_name};
use crate::schedule::engine::ScheduleSwap;
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_plugin::component::Component;
use gxf_plugin_abi::ResultCode;
use gxf_stm::status::Status;
use gxf_sync::seat::Seat;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::Scope;

/// Who executes what at the moment.
#[derive(Default)]
pub struct Stage {
    /// The run is ending; nothing is given to workers.
    pub is_ending: bool,
    /// The workers, by index.
    pub workers: Vec<Place>,
    /// The hyperepochs that run. Empty places are between two schedules.
    pub running: Vec<Option<Part>>,
    /// The program that runs; during a change, the next one follows.
    pub programs: Vec<Arc<Program>>,
    change: Option<Change>,
}

/// A worker and its engine.
#[derive(Clone)]
pub struct Place {
    /// Its engine.
    pub engine: String,
    /// Where it takes what it executes.
    pub seat: Arc<Seat<Job>>,
}

/// A change that was asked for and is not complete.
struct Change {
    program: Arc<Program>,
    /// By place of the hyperepochs that run, and then further ones: the place of the one that
    /// follows in its program. `None` for a complete swap.
    followers: Option<Vec<Option<usize>>>,
    /// Hyperepochs were told.
    has_begun: bool,
}

impl Stage {
    /// Before the first program runs.
    pub fn of(program: Program) -> Self {
        Self { programs: vec![Arc::new(program)], ..Self::default() }
    }

    /// Gives a hyperepoch to its workers, at a place.
    fn give(&mut self, place: usize, part: Part) {
        for (lane, one) in part.hyperepoch().lanes.iter().enumerate() {
            let worker = self.workers.iter().find(|worker| worker.engine == one.engine);
            if let Some(worker) = worker.filter(|_| one.has_worker) {
                worker.seat.give(Job { part: part.clone(), lane });
            }
        }
        self.running[place] = Some(part);
    }
}

fn refused(status: Status, text: String) -> Error {
    let code = match status {
        Status::NotSupported => ResultCode::QUERY_NOT_APPLICABLE,
        Status::InvalidState | Status::BadStateTransition => ResultCode::INVALID_EXECUTION_SEQUENCE,
        _ => ResultCode::ARGUMENT_INVALID,
    };
    Error::new(code, text).caused_by(status)
}

impl Shared {
    /// Accepts a change to another schedule, which begins soon.
    ///
    /// # Errors
    /// See `Engine::swap_schedule`.
    pub fn swap(&self, swap: &ScheduleSwap, scheduler: &Component) -> Result<()> {
        let plan = read(&swap.schedule).map_err(|error| error.caused_by(Status::BadValue))?;
        let running = {
            let stage = self.stage.lock();
            stage.programs.first().cloned().filter(|_| !stage.is_ending)
        };
        let Some(running) = running else {
            return Err(refused(Status::InvalidState, "the run is not going on".to_owned()));
        };
        let bad_transition = |text: String| refused(Status::BadStateTransition, text);
        if let Some(stop) = swap.stop.filter(|stop| *stop != running.identifier) {
            return Err(bad_transition(format!(
                "the schedule {stop} cannot be stopped: it does not run, but {}",
                running.described()
            )));
        }
        if plan.identifier == running.identifier {
            return Err(bad_transition(format!(
                "the schedule {} cannot be started: {} runs already; give the new one an \
                 `Identifier` of its own",
                plan.identifier,
                running.described()
            )));
        }
        let partition = |resources: &[String]| {
            let names: Vec<String> = resources.iter().map(|name| one_line(name)).collect();
            format!("[{}]", names.join(", "))
        };
        let mut followers = None;
        if swap.roll_over {
            let owned = plan.hyperepochs.iter().map(|hyperepoch| &hyperepoch.resources);
            if owned.len() != running.partition.len() {
                return Err(refused(
                    Status::BadParameter,
                    format!(
                        "a roll-over needs as many hyperepochs as run, {}, and the schedule {} of \
                         `{}` has {}",
                        running.partition.len(),
                        plan.identifier,
                        one_line(&plan.graph),
                        owned.len()
                    ),
                ));
            }
            let other = owned
                .clone()
                .find(|owned| !running.partition.iter().any(|(resources, _)| resources == *owned));
            if let Some(other) = other {
                let known: Vec<String> =
                    running.partition.iter().map(|(resources, _)| partition(resources)).collect();
                return Err(refused(
                    Status::BadParameter,
                    format!(
                        "a roll-over needs hyperepochs with the same resources: one of the new \
                         schedule owns {}, and those that run own {}",
                        partition(other),
                        known.join(" and ")
                    ),
                ));
            }
        }
        let entities = self.runners.all();
        let log = self.log.as_ref();
        let program = Program::new(plan, &self.settings, &entities, scheduler, log, false);
        let program = program.map_err(|error| error.caused_by(Status::BadParameter))?;
        program.bind(&entities, &self.halt)?;
        let program = Arc::new(program);
        let mut stage = self.stage.lock();
        let is_running = stage.programs.first().is_some_and(|one| Arc::ptr_eq(one, &running));
        if stage.is_ending || stage.change.is_some() || !is_running {
            return Err(bad_transition(
                "another change of schedules, or the end of the run, is in progress".to_owned(),
            ));
        }
        let new = |engine: &&str| !stage.workers.iter().any(|worker| worker.engine == *engine);
        let workers = stage.workers.len() + program.engines().filter(new).count();
        if workers > MOST_WORKERS {
            return Err(too_many(workers));
        }
        if swap.roll_over {
            let mut places = vec![None; stage.running.len()];
            for (resources, next) in &program.partition {
                let before = running.partition.iter().find(|(owned, _)| owned == resources);
                let place = before.and_then(|(_, place)| *place).and_then(|place| {
                    stage
                        .running
                        .iter()
                        .position(|part| part.as_ref().is_some_and(|part| part.place == place))
                });
                match place {
                    Some(place) => places[place] = *next,
                    None => places.extend(next.map(Some)),
                }
            }
            followers = Some(places);
        }
        for gone in stage.programs.iter().flat_map(|program| program.all_gone()) {
            program.gone(&gone);
        }
        stage.programs.push(program.clone());
        stage.change = Some(Change { program, followers, has_begun: false });
        drop(stage);
        self.event_queue.poke();
        Ok(())
    }

    /// Begins a change that was asked for. The caller is the engine's thread.
    pub(super) fn begin_change<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let (program, rolls_over) = {
            let mut stage = self.stage.lock();
            let Some(change) = stage.change.as_mut().filter(|change| !change.has_begun) else {
                return;
            };
            change.has_begun = true;
            (change.program.clone(), change.followers.is_some())
        };
        if !self.add_workers(&program, scope) {
            return;
        }
        // An entity may have joined while the program was made, which was none of the stage's then.
        if !self.heed(self.bind(&self.runners.all()).map(|()| None)) {
            return;
        }
        let running = self.running();
        self.quiet.begin_change();
        if rolls_over {
            self.start_beside();
        }
        for part in &running {
            let hyperepoch = part.hyperepoch();
            let event = if rolls_over { hyperepoch.roll_over() } else { hyperepoch.stop() };
            self.heed(Ok(event));
        }
        self.time.ring();
    }

    /// Starts the hyperepochs that follow none, because theirs executed nothing.
    fn start_beside(&self) {
        let mut stage = self.stage.lock();
        if stage.is_ending {
            return;
        }
        let places = stage.running.len();
        let Some(change) = &mut stage.change else { return };
        let Some(followers) = &mut change.followers else { return };
        let program = change.program.clone();
        let beside: Vec<usize> = followers.drain(places..).flatten().collect();
        let parts = beside.into_iter().map(|place| Part { program: program.clone(), place });
        let parts: Vec<Part> = parts.collect();
        let mut given = Vec::new();
        for part in parts {
            let free = stage.running.iter().position(Option::is_none);
            let place = free.unwrap_or(stage.running.len());
            if place == stage.running.len() {
                stage.running.push(None);
            }
            part.hyperepoch().index.store(place, Ordering::Relaxed);
            stage.running[place] = Some(part.clone());
            given.push((place, part));
        }
        self.quiet.reset(stage.running.iter().map(Option::is_some));
        for (place, part) in given {
            self.give(&mut stage, place, part, None);
        }
    }

    /// Starts the first program. False if the run is over.
    pub(super) fn begin_program<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) -> bool {
        let program = self.stage.lock().programs.first().cloned();
        let Some(program) = program.filter(|program| self.add_workers(program, scope)) else {
            return false;
        };
        let mut stage = self.stage.lock();
        self.give_all(&mut stage, &program);
        true
    }

    fn give_all(&self, stage: &mut Stage, program: &Arc<Program>) {
        self.quiet.reset(program.hyperepochs.iter().map(|_| true));
        stage.running = vec![None; program.hyperepochs.len()];
        for (place, part) in program.clone().parts().enumerate() {
            self.give(stage, place, part, None);
        }
    }

    fn give(&self, stage: &mut Stage, place: usize, part: Part, start: Option<i64>) {
        if let Some(log) = &self.log {
            part.hyperepoch().log_frames(log.frames(part.hyperepoch()));
        }
        stage.give(place, part.clone());
        self.time.signalled();
        part.hyperepoch().start(self, start);
    }

    /// Starts a worker for each engine that has none. False if the run is over.
    fn add_workers<'scope>(
        &'scope self,
        program: &Program,
        scope: &'scope Scope<'scope, '_>,
    ) -> bool {
        for engine in program.engines() {
            let place = Place { engine: engine.to_owned(), seat: Arc::new(Seat::new()) };
            let index = {
                let mut stage = self.stage.lock();
                if stage.is_ending {
                    return false;
                }
                if stage.workers.iter().any(|worker| worker.engine == engine) {
                    continue;
                }
                stage.workers.push(place.clone());
                stage.workers.len() - 1
            };
            if let Err(error) = self.spawn(scope, place, index) {
                let text = format!("the thread `{}` cannot be started", worker_name(engine));
                self.finish(Err(Error::new(ResultCode::FAILURE, text).caused_by(error)));
                return false;
            }
        }
        true
    }

    /// A hyperepoch is over. One that follows it starts at this time, or at once.
    pub(super) fn part_over(&self, index: usize, start: Option<i64>) {
        let mut stage = self.stage.lock();
        if stage.is_ending {
            return;
        }
        let Stage { running, change: Some(change), .. } = &mut *stage else { return };
        let Some(over) = running.get_mut(index).and_then(Option::take) else { return };
        let program = change.program.clone();
        let next = match &mut change.followers {
            Some(followers) => followers.get_mut(index).and_then(Option::take),
            None => None,
        };
        let is_complete_swap = change.followers.is_none();
        if let Some(log) = &self.log {
            log.hyperepoch_over(over.hyperepoch());
        }
        let mut wakes_others = false;
        if let Some(place) = next {
            wakes_others = self.quiet.changed(index);
            let part = Part { program: program.clone(), place };
            part.hyperepoch().index.store(index, Ordering::Relaxed);
            self.give(&mut stage, index, part, start);
        } else {
            self.quiet.left(index);
        }
        let is_old = |part: &Part| !Arc::ptr_eq(&part.program, &program);
        let is_done = !stage.running.iter().flatten().any(is_old);
        if is_done {
            if is_complete_swap {
                self.give_all(&mut stage, &program);
            }
            stage.change = None;
            stage.programs = vec![program.clone()];
            self.quiet.end_change();
        }
        drop(stage);
        if wakes_others || is_done {
            self.wake_others(over.hyperepoch());
        }
        self.report(over.hyperepoch());
        if is_done {
            tracing::info!(
                "{} runs now, in place of {}",
                program.described(),
                over.program.described()
            );
        }
    }

    /// The hyperepochs that run.
    pub(super) fn running(&self) -> Vec<Part> {
        self.stage.lock().running.iter().flatten().cloned().collect()
    }
}

/// A schedule has more engines than threads are possible.
pub fn too_many(workers: usize) -> Error {
    let text =
        format!("the schedule has {workers} engines, and at most {MOST_WORKERS} are possible");
    Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, text)
}
