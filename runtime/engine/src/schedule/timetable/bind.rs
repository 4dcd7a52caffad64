//! Who executes a schedule: entities for its runnables, completions for its submitted work.

use super::hyperepoch::Hyperepoch;
use super::work::Work;
use crate::schedule::settings;
use crate::schedule::target::Target;
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_app::suggest::did_you_mean;
use gxf_app::{Diagnostic, Diagnostics};
use gxf_plugin::component::Component;
use gxf_plugin_abi::ResultCode;
use gxf_stm::plan::{self, Plan};
use gxf_stm::program::lower;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;
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

/// Finds what executes each runnable. `entities` are those with codelets, `pairs` those of the
/// parameter `entities`.
///
/// # Errors
/// Runnables without an entity, unless they may be absent; entities that nothing executes; pairs
/// that name nothing.
pub fn executors(
    plan: &Plan,
    entities: &[&str],
    pairs: &[Vec<String>],
    absent: bool,
    scheduler: &Component,
) -> Result<Vec<Executor>> {
    let present: FxHashSet<&str> = entities.iter().copied().collect();
    let mut problems = Vec::new();
    let mut chosen: FxHashMap<&str, &str> = FxHashMap::default();
    for pair in pairs {
        let [runnable, executor] = &pair[..] else {
            let text = format!(
                "`entities`: a pair has two texts, `[client.runnable, entity]`, not {}",
                pair.len()
            );
            problems.push(("entities", text));
            continue;
        };
        if !plan.runnables.contains(runnable) {
            let near = did_you_mean(runnable, plan.runnables.iter().map(String::as_str));
            let runnable = one_line(runnable);
            let text = format!("`entities`: the schedule has no runnable `{runnable}`{near}");
            problems.push(("entities", text));
        }
        match chosen.entry(runnable) {
            Entry::Vacant(place) => _ = place.insert(executor),
            Entry::Occupied(_) => {
                let text = format!("`entities`: `{}` has two pairs", one_line(runnable));
                problems.push(("entities", text));
            }
        }
    }
    let submitters = submitters(plan);
    let entity_of = |runnable: &str| -> Option<String> {
        match chosen.get(runnable) {
            Some(executor) => Some((*executor).to_owned()),
            None => {
                let mut names = names_of(runnable);
                names.find(|name| present.contains(name)).map(str::to_owned)
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
            (Some(entity), _) if present.contains(entity.as_str()) => {
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
            && !names.iter().any(|name| present.contains(name.as_str()))
        {
            without.extend(names.last().map(|name| Without {
                runnable,
                name: name.clone(),
                is_chosen: chosen.contains_key(runnable.as_str()),
            }));
        }
        executors.push(executor);
    }
    if !absent {
        problems.extend(without_entity(&without, entities));
    }
    let named = |name: &str| {
        executors.iter().any(|one| match one {
            Executor::Entity(names) => names.iter().any(|known| known == name),
            Executor::Completion { .. } => false,
        })
    };
    // A wrong pair is why its runnable's entity has none.
    let is_known = |name: &&str| {
        let own = |without: &&Without<'_>| names_of(without.runnable).any(|other| other == *name);
        without.iter().filter(|one| one.is_chosen).any(|one| own(&one))
    };
    let idle: Vec<&str> =
        entities.iter().copied().filter(|name| !named(name) && !is_known(name)).collect();
    if !idle.is_empty() {
        let text = format!(
            "no runnable of the schedule is {}, which would never tick",
            list(&idle, "the entity", "one of the entities")
        );
        problems.push(("schedule", text));
    }
    if problems.is_empty() {
        return Ok(executors);
    }
    let mut findings = Diagnostics::new();
    for (parameter, problem) in problems {
        let finding = Diagnostic::error(ResultCode::ARGUMENT_INVALID, problem);
        findings.push(settings::at_parameter(finding, scheduler, parameter));
    }
    let what = format!("the schedule of `{}` does not fit this graph", one_line(&plan.graph));
    Err(Error::from_diagnostics(what, findings))
}

/// A runnable without an entity.
struct Without<'a> {
    runnable: &'a str,
    /// The name that the entity would have.
    name: String,
    /// Whether a pair says so.
    is_chosen: bool,
}

/// Mistakes, each with the parameter that has it.
fn without_entity(without: &[Without<'_>], entities: &[&str]) -> Vec<(&'static str, String)> {
    let mut problems: Vec<(&'static str, String)> = without
        .iter()
        .take(NAMED)
        .map(|Without { runnable, name, is_chosen }| {
            let near = did_you_mean(name, entities.iter().copied());
            let text = format!(
                "no entity with a codelet is called `{}`, which the runnable `{}` needs{near}",
                one_line(name),
                one_line(runnable)
            );
            (if *is_chosen { "entities" } else { "schedule" }, text)
        })
        .collect();
    if without.len() > NAMED {
        let text = format!("{} more runnables have no entity", without.len() - NAMED);
        problems.push(("schedule", text));
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
    Target::new(runnable, &entity, component.as_deref(), &submitter)
}

/// A hyperepoch. `executors` are those of all runnables.
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
    let program = lower(plan, is_work).map_err(|runnable| {
        Error::new(
            ResultCode::ARGUMENT_INVALID,
            format!(
                "work that is submitted cannot be held back, and some waits for what follows on \
                 its submitter, so that `{}` never starts; let the submitter depend on it",
                one_line(&runnables[runnable])
            ),
        )
    })?;
    let works = program.works.iter();
    let works = works.map(|work| Work::new(work.runnable, work.epoch, work.fence)).collect();
    Ok(Hyperepoch::new(index, plan, &program.has_worker, works, program.cycles))
}
