//! A schedule that is bound to the graph's entities, and can run.

use super::bind::{self, Executor};
use super::hyperepoch::{Hyperepoch, NONE};
use super::log::RunLog;
use crate::entity::runner::Runner;
use crate::graph::store::Entity;
use crate::schedule::settings::{self, StaticSettings};
use crate::standard::scheduler::StaticScheduler;
use gxf_app::Diagnostics;
use gxf_app::error::{Error, Result};
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ResultCode, tids};
use gxf_stm::plan::{self, Plan};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A schedule and what executes it.
pub struct Program {
    /// Name of the compute graph.
    pub graph: String,
    /// Id of the schedule.
    pub identifier: u16,
    /// For each hyperepoch of the schedule: its resources, and its place among those that execute
    /// something.
    pub partition: Vec<(Vec<String>, Option<usize>)>,
    /// The hyperepochs that execute something.
    pub hyperepochs: Vec<Hyperepoch>,
    /// By runnable: number of its name in the log.
    pub logged: Vec<u32>,
    runnables: Vec<String>,
    executors: Vec<Executor>,
    population: Mutex<Population>,
}

/// The entities of the graph that execute something.
#[derive(Default)]
struct Population {
    /// By runnable.
    runners: Vec<Option<Arc<Runner>>>,
    /// By runnable, whether the entity never runs again.
    gone: Vec<bool>,
}

/// A hyperepoch of a program.
#[derive(Clone)]
pub struct Part {
    /// The program.
    pub program: Arc<Program>,
    /// The hyperepoch's place there.
    pub place: usize,
}

impl Part {
    /// The hyperepoch.
    #[inline]
    pub fn hyperepoch(&self) -> &Hyperepoch {
        &self.program.hyperepochs[self.place]
    }
}

/// What a worker executes until it is over: a lane of a hyperepoch.
pub struct Job {
    /// The hyperepoch.
    pub part: Part,
    /// Index of the lane.
    pub lane: usize,
}

impl Program {
    /// The program of a schedule. `checks_pairs` refuses pairs for runnables of other schedules.
    ///
    /// # Errors
    /// The schedule does not fit the graph.
    pub fn new(
        mut plan: Plan,
        settings: &StaticSettings,
        entities: &[Arc<Runner>],
        scheduler: &Component,
        log: Option<&RunLog>,
        checks_pairs: bool,
    ) -> Result<Self> {
        let mut pairs = settings.entities.clone();
        if !checks_pairs {
            pairs.retain(|pair| pair.first().is_none_or(|name| plan.runnables.contains(name)));
        }
        let absent = settings.absent_entities;
        let names: Vec<&str> = entities.iter().map(|runner| runner.entity.name()).collect();
        let executors = bind::executors(&plan, &names, &pairs, absent, scheduler)?;
        let mut hyperepochs = Vec::new();
        let mut partition = Vec::new();
        for hyperepoch in &mut plan.hyperepochs {
            let all_empty = |cycle: &plan::Cycle| cycle.lanes.iter().all(Vec::is_empty);
            let runs = !hyperepoch.cycles.iter().all(all_empty);
            partition.push((hyperepoch.resources.clone(), runs.then_some(hyperepochs.len())));
            if runs {
                let index = hyperepochs.len();
                hyperepochs.push(bind::hyperepoch(index, hyperepoch, &plan.runnables, &executors)?);
            }
        }
        let log = log.map(|log| (log, log.schedule(&plan)));
        let number = |name: &str| log.map_or(NONE, |(log, schedule)| log.number(schedule, name));
        for hyperepoch in &mut hyperepochs {
            for epoch in &mut hyperepoch.epochs {
                epoch.logged = number(&format!("{}.{}", hyperepoch.name, epoch.name));
            }
        }
        Ok(Self {
            logged: plan.runnables.iter().map(|name| number(name)).collect(),
            graph: plan.graph,
            identifier: plan.identifier,
            partition,
            hyperepochs,
            runnables: plan.runnables,
            executors,
            population: Mutex::default(),
        })
    }

    /// Its hyperepochs.
    pub fn parts(self: Arc<Self>) -> impl Iterator<Item = Part> {
        (0..self.hyperepochs.len()).map(move |place| Part { program: self.clone(), place })
    }

    /// Its engines that have workers.
    pub fn engines(&self) -> impl Iterator<Item = &str> {
        let lanes = self.hyperepochs.iter().flat_map(|hyperepoch| &hyperepoch.lanes);
        lanes.filter(|lane| lane.has_worker).map(|lane| lane.engine.as_str())
    }

    /// Its name in messages.
    pub fn described(&self) -> String {
        format!("the schedule {} of `{}`", self.identifier, self.graph)
    }

    /// Finds the entities and completions by their names, and notes the change in `halt`. Returns
    /// the runners that are no longer used.
    ///
    /// # Errors
    /// An entity has no completion, or several.
    pub fn bind(&self, entities: &[Arc<Runner>], halt: &AtomicU32) -> Result<Vec<Arc<Runner>>> {
        let find = |name: &str| entities.iter().find(|runner| runner.entity.name() == name);
        let runners: Vec<Option<Arc<Runner>>> = self
            .executors
            .iter()
            .map(|executor| match executor {
                Executor::Entity(names) => names.iter().find_map(|name| find(name)).cloned(),
                Executor::Completion { .. } => None,
            })
            .collect();
        for work in self.hyperepochs.iter().flat_map(|hyperepoch| &hyperepoch.works) {
            let executor = &self.executors[work.runnable];
            let find = |name: &str| find(name).map(|runner| runner.entity.clone());
            work.set_target(bind::target(executor, &self.runnables[work.runnable], find)?);
        }
        let mut population = self.population.lock();
        let is_gone = |place: usize, runner: &Option<Arc<Runner>>| {
            let known = population.runners.get(place).and_then(Option::as_ref);
            let same = known.zip(runner.as_ref()).is_some_and(|(a, b)| Arc::ptr_eq(a, b));
            same && population.gone[place]
        };
        let gone = runners.iter().enumerate().map(|(place, one)| is_gone(place, one)).collect();
        let before = std::mem::replace(&mut *population, Population { runners, gone });
        halt.fetch_add(super::CHANGED, Ordering::AcqRel);
        let stays = |known: &Arc<Runner>| {
            let mut now = population.runners.iter().flatten();
            now.any(|runner| Arc::ptr_eq(runner, known))
        };
        let known = before.runners.into_iter().zip(before.gone);
        let left = known.filter_map(|(runner, gone)| runner.filter(|_| !gone));
        Ok(left.filter(|runner| !stays(runner)).collect())
    }

    /// The entities by runnable, and the changes up to now. A pause and the end of the run are no part
    /// of them: whoever compares [`Shared::halt`](super::Shared::halt) with them heeds these first.
    pub fn population(&self, halt: &AtomicU32) -> (u32, Vec<Option<Arc<Runner>>>) {
        let population = self.population.lock();
        let present = population.runners.iter().zip(&population.gone);
        let runners = present.map(|(runner, gone)| runner.clone().filter(|_| !gone)).collect();
        (halt.load(Ordering::Acquire) & !(super::PAUSED | super::OVER), runners)
    }

    /// The entities that never run again.
    pub fn all_gone(&self) -> Vec<Arc<Runner>> {
        let population = self.population.lock();
        let gone = population.runners.iter().zip(&population.gone);
        gone.filter(|(_, is_gone)| **is_gone).filter_map(|(runner, _)| runner.clone()).collect()
    }

    /// An entity never runs again. Whether that is new, and whether none is left.
    pub fn gone(&self, gone: &Arc<Runner>) -> (bool, bool) {
        let mut population = self.population.lock();
        let Population { runners, gone: all } = &mut *population;
        let mut is_new = false;
        for (runner, is_gone) in runners.iter().zip(all.iter_mut()) {
            if runner.as_ref().is_some_and(|runner| Arc::ptr_eq(runner, gone)) {
                is_new |= !std::mem::replace(is_gone, true);
            }
        }
        let mut left = runners.iter().zip(all.iter());
        (is_new, left.all(|(runner, is_gone)| runner.is_none() || *is_gone))
    }
}

/// Reads the plan of a schedule file.
///
/// # Errors
/// It cannot be read or executed.
pub fn read(path: &Path) -> Result<Plan> {
    plan_of(path).map_err(|findings| cannot_execute(path, findings))
}

/// Reads the plan that a scheduler's parameter `schedule` names.
///
/// # Errors
/// As [`read`]; each finding names the place of the parameter, too.
pub fn read_parameter(path: &Path, scheduler: &Component) -> Result<Plan> {
    const PARAMETER: &str = "schedule";
    let place = scheduler.parameter_place(PARAMETER);
    let found = &*settings::named_file(scheduler, PARAMETER, path);
    plan_of(found).map_err(|findings| {
        let mut placed = Diagnostics::new();
        for finding in findings {
            placed.push(match (&finding.span, place.clone()) {
                (Some(_), Some(place)) => finding.note(place, "the schedule of this scheduler"),
                (Some(_), None) => finding,
                (None, _) => {
                    let finding = settings::at_parameter(finding, scheduler, PARAMETER);
                    if found != path && finding.code == ResultCode::FILE_NOT_FOUND {
                        finding.help(format!(
                            "there is no `{}` in the working directory either",
                            path.display()
                        ))
                    } else {
                        finding
                    }
                }
            });
        }
        cannot_execute(found, placed)
    })
}

fn plan_of(path: &Path) -> std::result::Result<Plan, Diagnostics> {
    let source = gxf_app::read_file(path)?;
    Plan::new(&gxf_stm::schedule::read_schedule(&source)?)
}

fn cannot_execute(path: &Path, findings: Diagnostics) -> Error {
    let what = format!("the schedule `{}` cannot be executed", path.display());
    Error::from_diagnostics(what, findings)
}

/// Whether a scheduler's schedule can be read and executed, and fits the entities, before any of
/// them is activated. The scheduler has all its parameters.
///
/// # Errors
/// What [`Program::new`] and [`Program::bind`] would refuse.
pub fn check(scheduler: &Arc<Component>, entities: &[Arc<Entity>]) -> Result<()> {
    let Some(typed) = scheduler.native::<StaticScheduler>() else { return Ok(()) };
    let settings = StaticSettings::of(&typed);
    let mut plan = read_parameter(&settings.schedule, scheduler)?;
    let ticks = |entity: &&Arc<Entity>| {
        entity.components().iter().any(|component| component.is_a(tids::CODELET))
    };
    let names: Vec<&str> = entities.iter().filter(ticks).map(|entity| entity.name()).collect();
    let absent = settings.absent_entities;
    let executors = bind::executors(&plan, &names, &settings.entities, absent, scheduler)?;
    for hyperepoch in &mut plan.hyperepochs {
        bind::hyperepoch(0, hyperepoch, &plan.runnables, &executors)?;
    }
    let find = |name: &str| entities.iter().find(|entity| entity.name() == name).cloned();
    for (executor, runnable) in executors.iter().zip(&plan.runnables) {
        bind::target(executor, runnable, find)?;
    }
    Ok(())
}
