//! Branch and bound: decisions about resources and orders, until the rules of
//! [`gxf_stm::deduce`] refute every case. What it went through is the proof.

use crate::model::{Model, Plan};
use gxf_stm::deduce::{NEVER, Problem, Proof, State, Step};

/// Most steps of a proof that is kept.
const MOST_STEPS: usize = 300_000;

/// A search that can be interrupted and continued.
pub struct Exact {
    problem: Problem,
    open: Vec<State>,
    steps: Vec<Step>,
    /// Steps that were taken, whether they are kept or not.
    pub nodes: u64,
}

/// How a part of the search ended.
pub enum Outcome {
    /// The budget is used up.
    Unfinished,
    /// A plan that keeps the limits.
    Found(Plan),
    /// There is none. The proof, unless it is too long.
    Refuted(Option<Proof>),
}

/// What a plan has to keep besides the constraints of its graph.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// It ends by then.
    pub end: i64,
    /// Nothing ends more than this behind its deadline; [`NEVER`] if deadlines do not matter.
    pub behind_deadline: i64,
}

impl Exact {
    /// A search.
    pub fn new(model: &Model) -> Self {
        let problem = model.problem.clone();
        let open = vec![State::new(&problem, NEVER)];
        Self { problem, open, steps: Vec::new(), nodes: 0 }
    }

    /// Whether the rules alone refute that everything ends by a time.
    pub fn is_refuted(&self, end: i64) -> bool {
        State::new(&self.problem, end).deduce(&self.problem).is_err()
    }

    /// Searches on for a plan that keeps the limits, which never become wider from call to call.
    pub fn search(&mut self, model: &Model, limits: Limits, budget: u64) -> Outcome {
        let until = self.nodes + budget;
        while let Some(mut state) = self.open.pop() {
            if self.nodes >= until {
                self.open.push(state);
                return Outcome::Unfinished;
            }
            self.nodes += 1;
            state.end_by(limits.end);
            for (latest, deadline) in state.latest_end.iter_mut().zip(&model.deadline) {
                *latest = (*latest).min(deadline + limits.behind_deadline);
            }
            if state.deduce(&self.problem).is_err() {
                self.keep(Step::Refuted);
                continue;
            }
            if let Some((task, need)) = undecided_need(&state) {
                self.keep(Step::Take(task as u32, need as u32));
                for resource in state.cases(&self.problem, task, need).into_iter().rev() {
                    let mut case = state.clone();
                    case.taken[task][need] = Some(resource);
                    self.open.push(case);
                }
                continue;
            }
            let Some((first, second)) = undecided_order(&self.problem, &state) else {
                let start = state.earliest.clone();
                let taken =
                    state.taken.iter().map(|needs| needs.iter().flatten().copied().collect());
                let plan = Plan { cost: model.cost(&start), start, taken: taken.collect() };
                // With tighter limits, it is refuted.
                self.open.push(state);
                return Outcome::Found(plan);
            };
            self.keep(Step::Order(first as u32, second as u32));
            let mut other = state.clone();
            other.orders.push((second, first));
            state.orders.push((first, second));
            self.open.extend([other, state]);
        }
        let proof = (self.steps.len() <= MOST_STEPS).then(|| Proof { steps: self.steps.clone() });
        Outcome::Refuted(proof)
    }

    fn keep(&mut self, step: Step) {
        if self.steps.len() <= MOST_STEPS {
            self.steps.push(step);
        }
    }
}

/// The need, not yet decided, of the task that may start first.
fn undecided_need(state: &State) -> Option<(usize, usize)> {
    let tasks = state.taken.iter().enumerate();
    let undecided = tasks.filter_map(|(task, needs)| {
        let need = needs.iter().position(Option::is_none)?;
        Some((state.earliest[task], state.latest_end[task], task, need))
    });
    undecided.min().map(|(_, _, task, need)| (task, need))
}

/// Two tasks on one resource either of which may be first, where the choice matters most; first the
/// order that leaves more room. In the end, those of work that only times decide: submitters have to
/// know of them.
fn undecided_order(problem: &Problem, state: &State) -> Option<(usize, usize)> {
    let mut best: Option<(f64, usize, usize)> = None;
    let mut by_time = None;
    let order = Reach::new(problem, state);
    for tasks in state.members(problem) {
        for (at, one) in tasks.iter().enumerate() {
            for other in &tasks[at + 1..] {
                let room = |first: usize, second: usize| {
                    state.latest_end[second]
                        - state.earliest[first]
                        - problem.tasks[first].length
                        - problem.tasks[second].length
                };
                let (forward, backward) = (room(*one, *other), room(*other, *one));
                let is_decided = order.leads(*one, *other) || order.leads(*other, *one);
                if is_decided {
                    continue;
                }
                if forward < 0 || backward < 0 {
                    let is_work = |task: usize| problem.submission(task).is_some();
                    if by_time.is_none() && (is_work(*one) || is_work(*other)) {
                        by_time = Some(if forward < 0 { (*other, *one) } else { (*one, *other) });
                    }
                    continue;
                }
                // The less room, and the more equal, the more depends on it.
                let (small, large) = (forward.min(backward) as f64, forward.max(backward) as f64);
                let score = small / ((small + 1.0) / (large + 1.0)).sqrt();
                if best.is_none_or(|(smallest, ..)| score < smallest) {
                    let (first, second) =
                        if forward >= backward { (*one, *other) } else { (*other, *one) };
                    best = Some((score, first, second));
                }
            }
        }
    }
    best.map(|(_, first, second)| (first, second)).or(by_time)
}

/// Which task comes behind which, by way of others, too.
struct Reach {
    words: usize,
    rows: Vec<u64>,
}

impl Reach {
    fn new(problem: &Problem, state: &State) -> Self {
        let count = problem.tasks.len();
        let words = count.div_ceil(64);
        let mut rows = vec![0_u64; words * count];
        let mut next = vec![Vec::new(); count];
        for (first, second) in state.all_orders(problem) {
            next[first].push(second);
        }
        // What comes behind starts later, because lengths are positive.
        let mut sorted: Vec<usize> = (0..count).collect();
        sorted.sort_by_key(|task| std::cmp::Reverse(state.earliest[*task]));
        for task in sorted {
            for other in &next[task] {
                rows[task * words + other / 64] |= 1 << (other % 64);
                for word in 0..words {
                    let theirs = rows[other * words + word];
                    rows[task * words + word] |= theirs;
                }
            }
        }
        Self { words, rows }
    }

    fn leads(&self, first: usize, second: usize) -> bool {
        self.rows[first * self.words + second / 64] >> (second % 64) & 1 == 1
    }
}
