//! The search for one cycle: rounds in which workers improve plans, one of them by branch and
//! bound.
//!
//! A round does a fixed number of steps from a fixed seed, and workers meet between rounds only. So
//! the same graph, seed and number of workers give the same plan each time, unless the time limit
//! ends the search: a faster machine gets further.

use crate::exact::{Exact, Limits, Outcome};
use crate::model::{Cost, Model, Plan, Random};
use crate::{Options, list, tabu};
use gxf_stm::deduce::{NEVER, Proof};
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Most executions for which branch and bound is tried.
const MOST_FOR_EXACT: usize = 3_000;
/// Plans that are kept to start from.
const KEPT: usize = 8;
/// Work of a worker in one round, in steps of one task each. The first rounds are shorter, by half
/// each, so that what is easy is over at once.
const ROUND: usize = 1_500_000;
const SHORTER: u64 = 7;

/// What the search of a cycle found.
#[derive(Debug)]
pub struct Found {
    /// The best plan; it may be late.
    pub plan: Plan,
    /// No plan is shorter.
    pub lower_bound: i64,
    /// The proof of the lower bound.
    pub proof: Option<Proof>,
    /// Whether it is proven that every plan is late.
    pub is_impossible: bool,
    /// Rounds of the search.
    pub rounds: u64,
    /// Decisions of branch and bound.
    pub nodes: u64,
}

/// What branch and bound looks for, one after the other. If deadlines can be kept, or there are none,
/// the first is all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// The shortest plan that keeps all deadlines.
    KeepDeadlines,
    /// The shortest plan, whatever its deadlines: its length is the bound of the schedule.
    IgnoreDeadlines,
    /// A plan that is least behind its deadlines.
    LeastBehind,
    /// The shortest of the plans that are least behind.
    ShortestOfThose,
}

struct Search<'a> {
    model: &'a Model,
    options: &'a Options,
    kept: Vec<Plan>,
    exact: Option<Exact>,
    goal: Goal,
    /// Of branch and bound; they become tighter only, as long as the goal is the same.
    limits: Limits,
    lower_bound: i64,
    proof: Option<Proof>,
    is_impossible: bool,
    /// Whether no plan is better.
    is_settled: bool,
    nodes: u64,
}

/// Searches until a plan is proven to be best, there is none, or the time is over.
pub fn search(model: &Model, options: &Options, number: u64, until: Instant) -> Found {
    let first = list::first_plan(model);
    let mut search = Search {
        model,
        options,
        kept: vec![first],
        exact: None,
        goal: Goal::KeepDeadlines,
        limits: Limits { end: NEVER, behind_deadline: 0 },
        lower_bound: 0,
        proof: None,
        is_impossible: false,
        is_settled: false,
        nodes: 0,
    };
    search.bound();
    let mut rounds = 0;
    let has_time = || Instant::now() < until && !options.stops.load(Ordering::Relaxed);
    let may_go_on = |rounds: u64| rounds < options.rounds.unwrap_or(u64::MAX) && has_time();
    let is_enough = |search: &Search<'_>| options.takes_first() && search.best().cost.late <= 0;
    while !is_enough(&search) && !search.is_done() && may_go_on(rounds) {
        search.round(number, rounds);
        rounds += 1;
    }
    let mut plan = search.kept.swap_remove(0);
    if plan.cost.late <= 0 {
        plan = list::prefer(model, &plan, &mut Random::new(&[options.seed, number]), has_time);
    }
    let Search { lower_bound, proof, is_impossible, nodes, .. } = search;
    Found { plan, lower_bound, proof, is_impossible, rounds, nodes }
}

impl Search<'_> {
    fn best(&self) -> &Plan {
        &self.kept[0]
    }

    fn is_done(&self) -> bool {
        let Cost { late, behind_deadline, makespan, .. } = self.best().cost;
        let is_least_behind = behind_deadline <= 0 || self.goal == Goal::ShortestOfThose;
        let is_best = late <= 0 && is_least_behind && makespan <= self.lower_bound;
        is_best || self.is_settled || self.is_impossible
    }

    /// The bound that the rules alone give, and branch and bound for the rest.
    fn bound(&mut self) {
        let model = self.model;
        if model.before.is_empty() {
            return;
        }
        let without_deadlines = Exact::new(model);
        self.proof = Some(Proof::immediate());
        if without_deadlines.is_refuted(NEVER) {
            self.is_impossible = true;
            return;
        }
        // The longest end that is refuted lies from `low` on and below `high`.
        let (mut low, mut high) = (0, self.best().cost.makespan);
        while without_deadlines.is_refuted(high) {
            (low, high) = (high, high * 2);
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if without_deadlines.is_refuted(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        self.lower_bound = low + 1;
        let is_small = model.before.len() <= MOST_FOR_EXACT;
        self.exact = is_small.then(|| Exact::new(model));
    }

    fn round(&mut self, number: u64, round: u64) {
        let (model, options, bound) = (self.model, self.options, self.lower_bound);
        let tasks = model.before.len().max(1);
        self.tighten(self.best().cost);
        let limits = self.limits;
        // Quadratic rules on each resource, and a sweep over all tasks.
        let work = ROUND >> SHORTER.saturating_sub(round);
        let budget = (work / 40 / tasks).max(4) as u64;
        let (mut exact, kept) = (self.exact.take(), &self.kept);
        let contexts = (kept.len() * options.contexts as usize).div_ceil(100).clamp(1, kept.len());
        let (outcome, plans) = std::thread::scope(|scope| {
            let exact = &mut exact;
            // Branch and bound is one of the workers if there are several.
            let improvers = if exact.is_some() { options.jobs.max(2) - 1 } else { options.jobs };
            let workers: Vec<_> = (0..improvers)
                .map(|worker| {
                    let start = &kept[worker % contexts];
                    let improve = move || {
                        let seeds = [options.seed, number, round, worker as u64];
                        worker_round(model, start, work, bound, &mut Random::new(&seeds))
                    };
                    scope.spawn(improve)
                })
                .collect();
            let outcome = exact.as_mut().map(|exact| {
                let before = exact.nodes;
                let outcome = exact.search(model, limits, budget);
                (outcome, exact.nodes - before)
            });
            let plans: Vec<_> =
                workers.into_iter().filter_map(|worker| worker.join().ok()).collect();
            (outcome, plans)
        });
        let (outcome, nodes) = outcome.map_or((None, 0), |(outcome, nodes)| (Some(outcome), nodes));
        self.nodes += nodes;
        self.exact = exact;
        self.kept.extend(plans);
        match outcome {
            Some(Outcome::Found(plan)) => {
                self.tighten(plan.cost);
                self.kept.push(plan);
            }
            Some(Outcome::Refuted(proof)) => self.refuted(proof),
            Some(Outcome::Unfinished) | None => {}
        }
        self.kept.sort_by_key(|plan| plan.cost);
        self.kept.dedup();
        self.kept.truncate(KEPT);
    }

    /// Asks for something better than a plan of this cost, if that serves the goal.
    fn tighten(&mut self, cost: Cost) {
        let Cost { late, behind_deadline, makespan, .. } = cost;
        let Limits { end, behind_deadline: allowed } = &mut self.limits;
        if late > 0 {
            return;
        }
        match self.goal {
            Goal::LeastBehind => *allowed = (*allowed).min(behind_deadline - 1),
            _ if behind_deadline <= *allowed => *end = (*end).min(makespan - 1),
            _ => {}
        }
    }

    /// Branch and bound has refuted its limits: the next goal, or the end.
    fn refuted(&mut self, proof: Option<Proof>) {
        let Limits { end, behind_deadline } = self.limits;
        let is_first = end == NEVER;
        self.exact = None;
        match self.goal {
            Goal::KeepDeadlines if is_first && has_deadlines(self.model) => {
                self.go_on(Goal::IgnoreDeadlines, NEVER);
            }
            Goal::KeepDeadlines | Goal::IgnoreDeadlines => {
                self.proof = proof;
                self.is_impossible = is_first;
                if !is_first {
                    self.lower_bound = self.lower_bound.max(end + 1);
                }
                if self.goal == Goal::IgnoreDeadlines && !is_first {
                    self.go_on(Goal::LeastBehind, NEVER);
                }
            }
            Goal::LeastBehind => self.go_on(Goal::ShortestOfThose, behind_deadline + 1),
            Goal::ShortestOfThose => self.is_settled = true,
        }
    }

    fn go_on(&mut self, goal: Goal, behind_deadline: i64) {
        self.goal = goal;
        self.limits = Limits { end: NEVER, behind_deadline };
        self.exact = Some(Exact::new(self.model));
    }
}

fn has_deadlines(model: &Model) -> bool {
    model.deadline.iter().any(|deadline| *deadline < NEVER)
}

/// A worker's part of a round.
fn worker_round(model: &Model, plan: &Plan, work: usize, bound: i64, random: &mut Random) -> Plan {
    let tasks = model.before.len().max(1);
    let has_choices = model.has_choices();
    let tries = work / tasks / if has_choices { 40 } else { 400 };
    let varied = list::vary(model, plan, tries.max(1), random);
    let steps = work / tasks / 10;
    tabu::improve(model, &varied, steps.max(1), bound, random)
}
