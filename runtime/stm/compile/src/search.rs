//! The search for one cycle: rounds in which workers improve plans, one of them by branch and
//! bound.
//!
//! A round does a fixed number of steps from a fixed seed, and workers meet between rounds only. So
//! the same graph, seed and number of workers give the same plan each time, unless the time limit
//! ends the search: a faster machine gets further.

use crate::exact::{Exact, Outcome};
use crate::model::{Model, Plan, Random};
use crate::{Options, list, tabu};
use gxf_stm::deduce::{NEVER, Proof};
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

struct Search<'a> {
    model: &'a Model,
    options: &'a Options,
    kept: Vec<Plan>,
    exact: Option<Exact>,
    /// What branch and bound has to find ends by then; never grows while it is the same search.
    end: i64,
    /// Whether branch and bound keeps deadlines: it does until it proves that no plan can.
    keep_deadlines: bool,
    lower_bound: i64,
    proof: Option<Proof>,
    is_impossible: bool,
    nodes: u64,
}

/// Searches until a plan is proven to be best, there is none, or the time is over.
pub fn search(model: &Model, options: &Options, number: u64, until: Instant) -> Found {
    let first = list::first_plan(model);
    let mut search = Search {
        model,
        options,
        keep_deadlines: true,
        kept: vec![first],
        exact: None,
        end: NEVER,
        lower_bound: 0,
        proof: None,
        is_impossible: false,
        nodes: 0,
    };
    search.bound();
    let mut rounds = 0;
    let may_go_on =
        |rounds: u64| rounds < options.rounds.unwrap_or(u64::MAX) && Instant::now() < until;
    while !options.time_limit.is_zero() && !search.is_done() && may_go_on(rounds) {
        search.round(number, rounds);
        rounds += 1;
    }
    let plan = search.kept.swap_remove(0);
    let Search { lower_bound, proof, is_impossible, nodes, .. } = search;
    Found { plan, lower_bound, proof, is_impossible, rounds, nodes }
}

impl Search<'_> {
    fn best(&self) -> &Plan {
        &self.kept[0]
    }

    fn is_done(&self) -> bool {
        let cost = self.best().cost;
        let keeps_what_it_can = cost.behind_deadline <= 0 || !self.keep_deadlines;
        let is_best = cost.late <= 0 && cost.makespan <= self.lower_bound && keeps_what_it_can;
        is_best || self.is_impossible
    }

    /// The bound that the rules alone give, and branch and bound for the rest.
    fn bound(&mut self) {
        let model = self.model;
        if model.before.is_empty() {
            return;
        }
        let without_deadlines = Exact::new(model, false);
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
        self.exact = is_small.then(|| Exact::new(model, true));
    }

    fn round(&mut self, number: u64, round: u64) {
        let (model, options, bound) = (self.model, self.options, self.lower_bound);
        let tasks = model.before.len().max(1);
        let best = self.best();
        let is_bound =
            best.cost.late <= 0 && (best.cost.behind_deadline <= 0 || !self.keep_deadlines);
        if is_bound {
            self.end = self.end.min(best.cost.makespan - 1);
        }
        let end = self.end;
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
                let outcome = exact.search(model, end, budget);
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
                self.end = self.end.min(plan.cost.makespan - 1);
                self.kept.push(plan);
            }
            Some(Outcome::Refuted(_))
                if end == NEVER && self.keep_deadlines && has_deadlines(model) =>
            {
                self.keep_deadlines = false;
                self.exact = Some(Exact::new(model, false));
            }
            Some(Outcome::Refuted(proof)) => {
                self.exact = None;
                self.proof = proof;
                self.is_impossible = end == NEVER;
                self.lower_bound = self.lower_bound.max(if end == NEVER { 0 } else { end + 1 });
            }
            Some(Outcome::Unfinished) | None => {}
        }
        self.kept.sort_by_key(|plan| plan.cost);
        self.kept.dedup();
        self.kept.truncate(KEPT);
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
