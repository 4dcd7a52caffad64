//! Deductions about the times of a cycle's executions: the rules by which a proof is checked.
//!
//! A proof that no schedule ends by some time is a tree ([`Proof`]). Each inner node splits what is
//! left into cases, which of two executions is first or which resource one takes, and in each leaf
//! the rules of this module find a contradiction. The search of a compiler may use the rules, too:
//! they, and nothing else of it, have to be right.
//!
//! - this file: the [`Problem`], and what a node knows of it ([`State`]);
//! - `precedence.rs`: orders that are given or decided; `disjunctive.rs`: one resource, one
//!   execution at a time; `pool.rs`: work that shares several resources;
//! - `proof.rs`: trees, and their replay.

mod disjunctive;
mod pool;
mod precedence;
mod proof;
#[cfg(test)]
mod tests;

pub use proof::{Proof, ProofError, Step};

use crate::expand::Instance;
use crate::graph::{Graph, ResourceKind};
use rustc_hash::FxHashMap;

/// Later than every time of a schedule, with room to add.
pub const NEVER: i64 = i64::MAX / 8;

/// The rules found a contradiction: nothing is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction;

/// One execution.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its length.
    pub length: i64,
    /// Earliest start.
    pub earliest: i64,
    /// Latest end; [`NEVER`] if nothing limits it.
    pub latest_end: i64,
    /// For each resource that it holds, those it may be.
    pub needs: Vec<Vec<usize>>,
}

/// The executions of a cycle, numbered as in [`Cycle`](crate::expand::Cycle).
#[derive(Clone, Debug)]
pub struct Problem {
    /// The executions.
    pub tasks: Vec<Task>,
    /// Number of resources.
    pub resources: usize,
    /// Pairs of which the first ends before the second starts.
    pub arcs: Vec<(usize, usize)>,
    /// Submitter, its need of a stream, and its submittee, whose first need is the engine.
    pub links: Vec<(usize, usize, usize)>,
    /// The engine of each stream.
    pub leads_to: Vec<Option<usize>>,
    /// Resources of equal class can take each other's place.
    class: Vec<usize>,
    /// Sets of several resources that executions choose from.
    pools: Vec<Vec<usize>>,
}

impl Problem {
    /// The executions of a cycle. With `keep_deadlines`, deadlines are as hard as the ends of frames.
    #[must_use]
    pub fn new(graph: &Graph, instances: &[Instance], keep_deadlines: bool) -> Self {
        let number = |time: u64| i64::try_from(time).unwrap_or(NEVER).min(NEVER);
        let mut tasks = Vec::with_capacity(instances.len());
        let (mut arcs, mut links) = (Vec::new(), Vec::new());
        let mut frames: FxHashMap<(usize, u32), usize> = FxHashMap::default();
        for (index, instance) in instances.iter().enumerate() {
            frames.insert((instance.runnable, instance.frame), index);
        }
        for (index, instance) in instances.iter().enumerate() {
            let runnable = &graph.runnables[instance.runnable];
            let deadline = instance.deadline.filter(|_| keep_deadlines);
            let latest_end = instance.latest_end.into_iter().chain(deadline).min();
            tasks.push(Task {
                length: number(runnable.wcet),
                earliest: number(instance.release),
                latest_end: latest_end.map_or(NEVER, number),
                needs: runnable.needs.iter().map(|need| need.candidates.clone()).collect(),
            });
            arcs.extend(instance.predecessors.iter().map(|predecessor| (*predecessor, index)));
            if let Some(submittee) = runnable.submits
                && let Some(submittee) = frames.get(&(submittee, instance.frame))
                && let Some(stream) = runnable.needs.iter().position(|need| {
                    let first = need.candidates.first();
                    first.is_some_and(|first| graph.resources[*first].leads_to.is_some())
                })
            {
                links.push((index, stream, *submittee));
            }
        }
        let leads_to = graph.resources.iter().map(|resource| resource.leads_to).collect();
        let is_linked = |resource: usize| {
            graph.resources[resource].kind == ResourceKind::Stream
                || graph.resources.iter().any(|other| other.leads_to == Some(resource))
        };
        Self::made(tasks, graph.resources.len(), arcs, links, leads_to, is_linked)
    }

    /// Adds a resource that every task holds, so that one runs at a time.
    pub fn one_at_a_time(&mut self) {
        for task in &mut self.tasks {
            task.needs.push(vec![self.resources]);
        }
        self.class.push(self.resources);
        self.leads_to.push(None);
        self.resources += 1;
    }

    /// A problem of its parts; `is_linked` says which resources differ from all others.
    #[must_use]
    pub fn made(
        tasks: Vec<Task>,
        resources: usize,
        arcs: Vec<(usize, usize)>,
        links: Vec<(usize, usize, usize)>,
        leads_to: Vec<Option<usize>>,
        is_linked: impl Fn(usize) -> bool,
    ) -> Self {
        let mut pools: Vec<Vec<usize>> = Vec::new();
        let mut known: FxHashMap<&Vec<usize>, usize> = FxHashMap::default();
        let mut member_of: Vec<Vec<usize>> = vec![Vec::new(); resources];
        for task in &tasks {
            for need in &task.needs {
                let number = known.len();
                if let std::collections::hash_map::Entry::Vacant(entry) = known.entry(need) {
                    entry.insert(number);
                    need.iter().for_each(|resource| member_of[*resource].push(number));
                    if need.len() > 1 {
                        pools.push(need.clone());
                    }
                }
            }
        }
        let mut classes: FxHashMap<&Vec<usize>, usize> = FxHashMap::default();
        let mut class = Vec::with_capacity(resources);
        for (resource, sets) in member_of.iter().enumerate() {
            class.push(if is_linked(resource) {
                resource
            } else {
                *classes.entry(sets).or_insert(resource)
            });
        }
        Self { tasks, resources, arcs, links, leads_to, class, pools }
    }
}

/// What is known at a node of a proof.
#[derive(Clone, Debug)]
pub struct State {
    /// Earliest start of each task.
    pub earliest: Vec<i64>,
    /// Latest end of each task.
    pub latest_end: Vec<i64>,
    /// The resource of each need, once decided.
    pub taken: Vec<Vec<Option<usize>>>,
    /// Orders that were decided.
    pub orders: Vec<(usize, usize)>,
}

impl State {
    /// What is known before anything is decided, if everything ends by `end`.
    #[must_use]
    pub fn new(problem: &Problem, end: i64) -> Self {
        let only = |need: &Vec<usize>| if let [one] = need[..] { Some(one) } else { None };
        let tasks = &problem.tasks;
        Self {
            earliest: tasks.iter().map(|task| task.earliest).collect(),
            latest_end: tasks.iter().map(|task| task.latest_end.min(end)).collect(),
            taken: tasks.iter().map(|task| task.needs.iter().map(only).collect()).collect(),
            orders: Vec::new(),
        }
    }

    /// Everything ends by `end`, too.
    pub fn end_by(&mut self, end: i64) {
        self.latest_end.iter_mut().for_each(|latest| *latest = (*latest).min(end));
    }

    /// Tasks on each resource that are decided.
    #[must_use]
    pub fn members(&self, problem: &Problem) -> Vec<Vec<usize>> {
        let mut members = vec![Vec::new(); problem.resources];
        for (task, needs) in self.taken.iter().enumerate() {
            needs.iter().flatten().for_each(|resource| members[*resource].push(task));
        }
        members
    }

    /// The cases of a decision about a need: the resources that it may take, one of each kind that
    /// nothing has taken yet.
    #[must_use]
    pub fn cases(&self, problem: &Problem, task: usize, need: usize) -> Vec<usize> {
        let members = self.members(problem);
        let candidates = &problem.tasks[task].needs[need];
        let mut fresh: Vec<usize> = Vec::new();
        let is_new = |resource: &usize| {
            if !members[*resource].is_empty() {
                return true;
            }
            let class = problem.class[*resource];
            let is_first = !fresh.contains(&class);
            fresh.push(class);
            is_first
        };
        candidates
            .iter()
            .copied()
            .filter({
                let mut is_new = is_new;
                move |resource| is_new(resource)
            })
            .collect()
    }

    /// Applies the rules until they find nothing more.
    ///
    /// # Errors
    /// A contradiction.
    pub fn deduce(&mut self, problem: &Problem) -> Result<(), Contradiction> {
        /// Most rounds: each is cheap, and late ones find little.
        const ROUNDS: usize = 100;
        for (submitter, need, submittee) in &problem.links {
            let (stream, engine) = (self.taken[*submitter][*need], self.taken[*submittee][0]);
            if let (Some(stream), Some(engine)) = (stream, engine)
                && problem.leads_to[stream] != Some(engine)
            {
                return Err(Contradiction);
            }
        }
        let order = precedence::Order::new(problem, self)?;
        let members = self.members(problem);
        for _ in 0..ROUNDS {
            order.apply(problem, self)?;
            let mut changed = false;
            for tasks in members.iter().filter(|tasks| tasks.len() > 1) {
                changed |= disjunctive::apply(problem, self, tasks)?;
            }
            if !changed {
                break;
            }
        }
        pool::check(problem, self)
    }
}
