//! Deductions about the times of a cycle's executions: the rules by which a proof is checked.
//!
//! A proof that no schedule ends by some time is a tree ([`Proof`]). Each inner node splits what is
//! left into cases, which of two executions is first or which resource one takes, and in each leaf
//! the rules of this module find a contradiction. The search of a compiler may use the rules, too:
//! they, and nothing else of it, have to be right.
//!
//! - this file: the [`Problem`], and what a node knows of it ([`State`]);
//! - `precedence.rs`: orders that are given or decided; `disjunctive.rs`: one resource, one
//!   execution at a time; `submitted.rs`: submitters follow from the order of their work; `pool.rs`:
//!   what shares several resources;
//! - `proof.rs`: trees, and their replay.

mod disjunctive;
mod pool;
mod precedence;
mod proof;
mod submitted;
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

/// Work, and the execution that submits it.
///
/// Nobody can hold work back that is submitted. So whatever has to end before the work starts has to
/// end before its submitter starts, but for work that the same stream executes before it; see
/// [`Problem::held_back`].
#[derive(Clone, Copy, Debug)]
pub struct Submission {
    /// The submitter.
    pub submitter: usize,
    /// The work, whose first need is the engine.
    pub work: usize,
    /// The submitter's need of a stream that leads to the engine.
    pub stream: Option<usize>,
    /// Whether that is the only one, which the work goes through.
    pub has_one_stream: bool,
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
    /// What is submitted.
    pub submissions: Vec<Submission>,
    /// By task: the submission that starts it.
    submitted: Vec<Option<usize>>,
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
        let (mut arcs, mut submissions) = (Vec::new(), Vec::new());
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
            if let Some(work) = runnable.submits
                && let Some(work) = frames.get(&(work, instance.frame))
            {
                let stream = runnable.needs.iter().position(|need| {
                    let first = need.candidates.first();
                    first.is_some_and(|first| graph.resources[*first].leads_to.is_some())
                });
                let has_one_stream = graph.stream_need(instance.runnable).is_some();
                submissions.push(Submission {
                    submitter: index,
                    work: *work,
                    stream,
                    has_one_stream,
                });
            }
        }
        let leads_to = graph.resources.iter().map(|resource| resource.leads_to).collect();
        let is_linked = |resource: usize| {
            graph.resources[resource].kind == ResourceKind::Stream
                || graph.resources.iter().any(|other| other.leads_to == Some(resource))
        };
        Self::made(tasks, graph.resources.len(), arcs, submissions, leads_to, is_linked)
    }

    /// The problem of some of its tasks alone, by number, each within these times. What has no schedule
    /// has none with more tasks, either, if the times are those that all tasks leave.
    #[must_use]
    pub fn part(&self, kept: &[usize], earliest: &[i64], latest_end: &[i64]) -> Self {
        let numbers: FxHashMap<usize, usize> = kept.iter().copied().zip(0..).collect();
        let task = |task: &usize| Task {
            earliest: earliest[*task],
            latest_end: latest_end[*task],
            ..self.tasks[*task].clone()
        };
        let arc =
            |(first, second): &(usize, usize)| Some((*numbers.get(first)?, *numbers.get(second)?));
        let submission = |one: &Submission| {
            let submitter = *numbers.get(&one.submitter)?;
            Some(Submission { submitter, work: *numbers.get(&one.work)?, ..*one })
        };
        let is_linked = |resource: usize| {
            self.leads_to[resource].is_some() || self.leads_to.contains(&Some(resource))
        };
        Self::made(
            kept.iter().map(task).collect(),
            self.resources,
            self.arcs.iter().filter_map(arc).collect(),
            self.submissions.iter().filter_map(submission).collect(),
            self.leads_to.clone(),
            is_linked,
        )
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
        submissions: Vec<Submission>,
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
        let mut submitted = vec![None; tasks.len()];
        for (number, submission) in submissions.iter().enumerate() {
            submitted[submission.work] = Some(number);
        }
        let mut problem =
            Self { tasks, resources, arcs, submissions, submitted, leads_to, class, pools };
        let only = |task: usize, need: usize| problem.only_candidate(task, need);
        let arcs =
            problem.arcs.iter().filter_map(|(one, other)| problem.held_back(*one, *other, only));
        let more: Vec<(usize, usize)> = arcs.collect();
        problem.arcs.extend(more);
        problem.arcs.sort_unstable_by_key(|(first, second)| (*second, *first));
        problem.arcs.dedup();
        problem
    }

    /// The resource of a need that has no choice.
    fn only_candidate(&self, task: usize, need: usize) -> Option<usize> {
        if let [one] = self.tasks[task].needs[need][..] { Some(one) } else { None }
    }

    /// The submission that starts a task.
    #[must_use]
    pub fn submission(&self, task: usize) -> Option<Submission> {
        Some(self.submissions[self.submitted[task]?])
    }

    /// If one execution ends before another one starts: the pair of which that follows, too, because
    /// submitted work cannot be held back. `taken` says which resource a need has, once decided.
    #[must_use]
    pub fn held_back(
        &self,
        first: usize,
        second: usize,
        taken: impl Fn(usize, usize) -> Option<usize>,
    ) -> Option<(usize, usize)> {
        let own = self.submission(second)?;
        if own.submitter == first {
            return None;
        }
        let Some(other) = self.submission(first) else { return Some((first, own.submitter)) };
        let differ = match (other.stream, own.stream) {
            (Some(stream), Some(own_stream)) if other.has_one_stream && own.has_one_stream => {
                let (stream, own_stream) =
                    (taken(other.submitter, stream), taken(own.submitter, own_stream));
                // Not yet decided, submitters are in order in either case.
                stream.zip(own_stream).is_some_and(|(stream, own_stream)| stream != own_stream)
            }
            _ => true,
        };
        Some((if differ { first } else { other.submitter }, own.submitter))
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

    /// Orders that are given or decided, with those that follow for submitters.
    pub fn all_orders<'a>(
        &'a self,
        problem: &'a Problem,
    ) -> impl Iterator<Item = (usize, usize)> + 'a {
        let orders = problem.arcs.iter().chain(&self.orders).copied();
        orders.flat_map(move |(first, second)| {
            let taken = |task: usize, need: usize| self.taken[task][need];
            [Some((first, second)), problem.held_back(first, second, taken)].into_iter().flatten()
        })
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
        for submission in &problem.submissions {
            let Some(need) = submission.stream else { continue };
            let stream = self.taken[submission.submitter][need];
            let engine = self.taken[submission.work][0];
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
                changed |= submitted::apply(problem, self, tasks)?;
            }
            if !changed {
                break;
            }
        }
        pool::check(problem, self)
    }
}
