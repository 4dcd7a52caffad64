//! Who executes a schedule: entities for its runnables, completions for its submitted work.

use super::hyperepoch::{Cycle, Hyperepoch, NONE, Slot, Wait, flag};
use super::plan::{self, Plan, order};
use super::work::{Target, Work};
use crate::entity::runner::Runner;
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_app::suggest::nearest;
use gxf_app::{Diagnostic, Diagnostics};
use gxf_plugin::component::{Component, FromComponent, Interface};
use gxf_plugin_abi::ResultCode;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Most things of a kind that one message names.
const NAMED: usize = 10;

/// What executes a runnable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Executor {
    /// The entity with the first of these names that there is; it may be absent.
    Entity(Vec<String>),
    /// A completion: its component, or the only one, of this entity; and the submitter's entity.
    Completion {
        /// Name of the entity.
        entity: String,
        /// Name of the component.
        component: Option<String>,
        /// Name of the submitter's entity.
        submitter: String,
    },
}

/// Finds what executes each runnable. `pairs` are those of the parameter `entities`.
///
/// # Errors
/// Runnables without an entity, unless they may be absent; entities that nothing executes; pairs
/// that name nothing.
pub fn executors(
    plan: &Plan,
    runners: &[Arc<Runner>],
    pairs: &[Vec<String>],
    absent: bool,
    scheduler: &Component,
) -> Result<Vec<Executor>> {
    let by_name: FxHashMap<&str, &Arc<Runner>> =
        runners.iter().map(|runner| (runner.entity.name(), runner)).collect();
    let mut problems = Vec::new();
    let mut chosen: FxHashMap<&str, &str> = FxHashMap::default();
    for pair in pairs {
        let [runnable, executor] = &pair[..] else {
            problems.push(format!(
                "`entities`: a pair has two texts, `[client.runnable, entity]`, not {}",
                pair.len()
            ));
            continue;
        };
        if !plan.runnables.contains(runnable) {
            let near = nearest(runnable, plan.runnables.iter().map(String::as_str));
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            problems.push(format!(
                "`entities`: the schedule has no runnable `{}`{near}",
                one_line(runnable)
            ));
        }
        chosen.insert(runnable, executor);
    }
    let submitters = submitters(plan);
    let entity_of = |runnable: &str| -> Option<String> {
        match chosen.get(runnable) {
            Some(executor) => Some((*executor).to_owned()),
            None => {
                let mut names = names_of(runnable);
                names.find(|name| by_name.contains_key(name)).map(str::to_owned)
            }
        }
    };
    let mut executors = Vec::new();
    let mut without = Vec::new();
    for (index, runnable) in plan.runnables.iter().enumerate() {
        let entity = entity_of(runnable);
        let submitter = submitters.get(&index).map(|submitter| {
            let name = &plan.runnables[*submitter];
            entity_of(name).unwrap_or_else(|| name.clone())
        });
        let executor = match (entity, submitter) {
            (Some(entity), _) if by_name.contains_key(entity.as_str()) => {
                Executor::Entity(vec![entity])
            }
            (Some(text), Some(submitter)) => match text.rsplit_once('/') {
                Some((entity, component)) => Executor::Completion {
                    entity: entity.to_owned(),
                    component: Some(component.to_owned()),
                    submitter,
                },
                None => Executor::Completion { entity: text, component: None, submitter },
            },
            (Some(entity), None) => Executor::Entity(vec![entity]),
            (None, Some(submitter)) => {
                Executor::Completion { entity: submitter.clone(), component: None, submitter }
            }
            (None, None) => Executor::Entity(names_of(runnable).map(str::to_owned).collect()),
        };
        if let Executor::Entity(names) = &executor
            && !names.iter().any(|name| by_name.contains_key(name.as_str()))
        {
            without.extend(names.last().map(|name| (runnable.as_str(), name.clone())));
        }
        executors.push(executor);
    }
    if !absent {
        problems.extend(without_entity(&without, &by_name));
    }
    let named = |name: &str| {
        executors.iter().any(|one| match one {
            Executor::Entity(names) => names.iter().any(|known| known == name),
            Executor::Completion { .. } => false,
        })
    };
    let idle: Vec<&str> =
        runners.iter().map(|runner| runner.entity.name()).filter(|name| !named(name)).collect();
    if !idle.is_empty() {
        problems.push(format!(
            "no runnable of the schedule is {}, which would never tick",
            list(&idle, "the entity", "one of the entities")
        ));
    }
    if problems.is_empty() {
        return Ok(executors);
    }
    let mut findings = Diagnostics::new();
    for problem in problems {
        let finding = Diagnostic::error(ResultCode::ARGUMENT_INVALID, problem);
        findings.push(match scheduler.place() {
            Some(place) => finding.at(place),
            None => finding,
        });
    }
    let what = format!("the schedule of `{}` does not fit this graph", one_line(&plan.graph));
    Err(Error::from_diagnostics(what, findings))
}

fn without_entity(
    without: &[(&str, String)],
    by_name: &FxHashMap<&str, &Arc<Runner>>,
) -> Vec<String> {
    let mut problems: Vec<String> = without
        .iter()
        .take(NAMED)
        .map(|(runnable, name)| {
            let near = nearest(name, by_name.keys().copied());
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            format!(
                "no entity with a codelet is called `{}`, which the runnable `{}` needs{near}",
                one_line(name),
                one_line(runnable)
            )
        })
        .collect();
    if without.len() > NAMED {
        problems.push(format!("{} more runnables have no entity", without.len() - NAMED));
    }
    problems
}

fn list(names: &[&str], one: &str, several: &str) -> String {
    let shown: Vec<String> =
        names.iter().take(NAMED).map(|name| format!("`{}`", one_line(name))).collect();
    let more = match names.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{} {}{more}", if names.len() == 1 { one } else { several }, shown.join(", "))
}

/// The names of the entity of a runnable without a pair: with its client, and without.
fn names_of(runnable: &str) -> impl Iterator<Item = &str> {
    let short = runnable.split_once('.').map(|(_, short)| short);
    std::iter::once(runnable).chain(short)
}

/// By submitted runnable: its submitter.
fn submitters(plan: &Plan) -> FxHashMap<usize, usize> {
    let mut submitters = FxHashMap::default();
    let cycles = plan.hyperepochs.iter().flat_map(|plan| &plan.cycles);
    for cycle in cycles {
        for step in cycle.lanes.iter().flatten() {
            if let Some((lane, position)) = step.submits {
                submitters.insert(cycle.lanes[lane][position].runnable, step.runnable);
            }
        }
    }
    submitters
}

/// The completion that an executor names, if it is there.
///
/// # Errors
/// The entity is there and has no completion with that name, or several.
pub fn target(
    executor: &Executor,
    runnable: &str,
    find: impl Fn(&str) -> Option<Arc<crate::graph::store::Entity>>,
) -> Result<Option<Target>> {
    let Executor::Completion { entity, component, submitter } = executor else { return Ok(None) };
    let (Some(entity), Some(submitter)) = (find(entity), find(submitter)) else { return Ok(None) };
    let completions: Vec<Interface<gxf::Completion>> =
        entity.components().iter().filter_map(gxf::Completion::from_component).collect();
    let wanted = |one: &&Interface<gxf::Completion>| match component {
        Some(name) => one.component().name() == name,
        None => true,
    };
    let mut found = completions.iter().filter(wanted);
    let wrong = |text: String| {
        let runnable = one_line(runnable);
        Error::new(
            ResultCode::ARGUMENT_INVALID,
            format!("the submitted work `{runnable}`: {} {text}", entity.described()),
        )
    };
    let Some(completion) = found.next().cloned() else {
        return Err(wrong(match component {
            Some(name) => format!("has no completion `{}`", one_line(name)),
            None => "has no component that says when it is done, a gxe::Completion".to_owned(),
        }));
    };
    if found.next().is_some() {
        return Err(wrong(
            "has several completions; name one in `entities`, as `[client.runnable, \
             entity/component]`"
                .to_owned(),
        ));
    }
    let components = submitter.components();
    let submitter = components.first().cloned();
    Ok(submitter.map(|submitter| Target { completion, submitter }))
}

/// The program of a hyperepoch. `executors` are those of all runnables.
///
/// # Errors
/// Work waits for something that follows on its submitter.
pub fn hyperepoch(
    index: usize,
    plan: &mut plan::Hyperepoch,
    runnables: &[String],
    executors: &[Executor],
) -> Result<Hyperepoch> {
    let is_work = |runnable: usize| matches!(executors[runnable], Executor::Completion { .. });
    // A lane of which all is submitted needs no thread.
    let has_worker: Vec<bool> = (0..plan.lanes.len())
        .map(|lane| {
            let steps = plan.cycles.iter().flat_map(|cycle| &cycle.lanes[lane]);
            steps.clone().any(|step| !is_work(step.runnable))
        })
        .collect();
    let mut works: Vec<Work> = Vec::new();
    let mut work_of: FxHashMap<usize, usize> = FxHashMap::default();
    for step in plan.cycles.iter().flat_map(|cycle| cycle.lanes.iter().flatten()) {
        if is_work(step.runnable) && !work_of.contains_key(&step.runnable) {
            work_of.insert(step.runnable, works.len());
            let name = runnables[step.runnable].clone();
            let fence = plan.lanes.len() + works.len();
            works.push(Work::new(name, step.runnable, step.epoch, fence));
        }
    }
    for number in 0..plan.cycles.len() {
        hold_submitters_back(&mut plan.cycles[number], &has_worker);
        if let Err((lane, position)) = order(plan, &plan.cycles[number]) {
            let runnable = plan.cycles[number].lanes[lane][position].runnable;
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "work that is submitted cannot be held back, and some waits for what follows \
                     on its submitter, so that `{}` never starts; let the submitter depend on it",
                    one_line(&runnables[runnable])
                ),
            ));
        }
    }
    let longest = plan.cycles.iter().flat_map(|cycle| &cycle.lanes).map(Vec::len).max();
    let stride = small(longest.unwrap_or(0)) + 1;
    let lowering = Lowering { plan, has_worker: &has_worker, work_of: &work_of, stride };
    let cycles = plan.cycles.iter().map(|cycle| lowering.cycle(cycle)).collect();
    Ok(Hyperepoch::new(index, plan, &has_worker, works, cycles))
}

/// What submitted work waits for, its submitter waits for: the engine cannot hold it back.
fn hold_submitters_back(cycle: &mut plan::Cycle, has_worker: &[bool]) {
    for lane in 0..cycle.lanes.len() {
        for position in 0..cycle.lanes[lane].len() {
            let Some((on, at)) = cycle.lanes[lane][position].submits else { continue };
            if has_worker[on] {
                continue;
            }
            let mut after = cycle.lanes[on][at].after.clone();
            after.retain(|other| {
                *other != (lane, position) && !(other.0 == lane && other.1 < position)
            });
            cycle.lanes[lane][position].after.append(&mut after);
        }
    }
}

fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

/// From steps to slots.
struct Lowering<'a> {
    plan: &'a plan::Hyperepoch,
    has_worker: &'a [bool],
    work_of: &'a FxHashMap<usize, usize>,
    stride: u32,
}

impl Lowering<'_> {
    fn cycle(&self, cycle: &plan::Cycle) -> Cycle {
        let mut parts: Vec<Vec<u32>> =
            self.plan.epochs.iter().map(|epoch| vec![0; epoch.frames as usize]).collect();
        // Executions that others wait for.
        let mut is_awaited: Vec<Vec<bool>> =
            cycle.lanes.iter().map(|lane| vec![false; lane.len()]).collect();
        for step in cycle.lanes.iter().flatten() {
            step.after.iter().for_each(|(lane, position)| is_awaited[*lane][*position] = true);
        }
        let mut lanes = Vec::new();
        for (lane, steps) in cycle.lanes.iter().enumerate() {
            let mut slots: Vec<Slot> = Vec::new();
            let mut lasts: FxHashMap<(usize, u32), usize> = FxHashMap::default();
            let mut releases: FxHashMap<(usize, u32), i64> = FxHashMap::default();
            for (position, step) in steps.iter().enumerate() {
                let is_work = self.work_of.contains_key(&step.runnable);
                if is_work {
                    parts[step.epoch][step.frame as usize] += 1;
                }
                if !self.has_worker[lane] {
                    continue;
                }
                lasts.insert((step.epoch, step.frame), position);
                let mut slot = self.slot(cycle, step);
                slot.signal = small(position + 1);
                if is_awaited[lane][position] {
                    slot.flags |= flag::SIGNALS;
                }
                if position.checked_sub(1).is_none_or(|before| {
                    (steps[before].epoch, steps[before].frame) != (step.epoch, step.frame)
                }) {
                    slot.flags |= flag::SWITCHES;
                }
                let released = releases.entry((step.epoch, step.frame)).or_insert(i64::MIN);
                if slot.release > *released {
                    *released = slot.release;
                    slot.flags |= flag::RELEASE;
                }
                slots.push(slot);
            }
            for ((epoch, frame), last) in lasts {
                parts[epoch][frame as usize] += 1;
                slots[last].flags |= flag::LEAVES;
            }
            lanes.push(slots);
        }
        Cycle { lanes, parts }
    }

    fn slot(&self, cycle: &plan::Cycle, step: &plan::Step) -> Slot {
        let own = self.work_of.get(&step.runnable);
        let mut waits: Vec<Wait> =
            step.after.iter().flat_map(|place| self.waits(cycle, *place)).collect();
        // On a lane with a worker, submitted work is waited for in its place.
        waits.extend(own.map(|work| self.wait_for_work(*work, step.epoch, step.frame)));
        waits.sort_unstable_by_key(|wait| (wait.fence, std::cmp::Reverse(wait.offset)));
        waits.dedup_by_key(|wait| wait.fence);
        let work = step.submits.and_then(|(lane, position)| {
            self.work_of.get(&cycle.lanes[lane][position].runnable).copied()
        });
        Slot {
            runnable: if own.is_some() { NONE } else { small(step.runnable) },
            epoch: small(step.epoch),
            frame: step.frame,
            work: work.map_or(NONE, small),
            flags: if waits.is_empty() { 0 } else { flag::WAITS },
            signal: 0,
            time: step.time,
            release: step.release.unwrap_or(i64::MIN),
            waits: waits.into(),
        }
    }

    /// What to wait for so that an execution and those before it in its lane have ended.
    fn waits(&self, cycle: &plan::Cycle, (lane, position): plan::Place) -> Vec<Wait> {
        if self.has_worker[lane] {
            let offset = small(position + 1);
            return vec![Wait { fence: small(lane), factor: self.stride, offset }];
        }
        let before = cycle.lanes[lane][..=position].iter().rev();
        let mut waits: Vec<Wait> = Vec::new();
        for step in before {
            let Some(work) = self.work_of.get(&step.runnable) else { continue };
            let wait = self.wait_for_work(*work, step.epoch, step.frame);
            if waits.iter().all(|known| known.fence != wait.fence) {
                waits.push(wait);
            }
        }
        waits
    }

    fn wait_for_work(&self, work: usize, epoch: usize, frame: u32) -> Wait {
        let fence = small(self.plan.lanes.len() + work);
        Wait { fence, factor: self.plan.epochs[epoch].frames, offset: frame + 1 }
    }
}
