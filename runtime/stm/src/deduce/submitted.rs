//! Work and what shares a resource with it: the order of such a pair concerns submitters, too.

use super::disjunctive::MOST;
use super::{Contradiction, Problem, State};

/// If one of a pair cannot be first, the other is, and its submitter waits. Whether something changed.
pub(super) fn apply(
    problem: &Problem,
    state: &mut State,
    tasks: &[usize],
) -> Result<bool, Contradiction> {
    if tasks.len() > MOST || tasks.iter().all(|task| problem.submission(*task).is_none()) {
        return Ok(false);
    }
    let mut changed = false;
    for (at, one) in tasks.iter().enumerate() {
        for other in &tasks[at + 1..] {
            if problem.submission(*one).is_none() && problem.submission(*other).is_none() {
                continue;
            }
            let (forward, backward) = (
                Implied::new(problem, state, *one, *other),
                Implied::new(problem, state, *other, *one),
            );
            match (forward.is_possible(problem, state), backward.is_possible(problem, state)) {
                (true, true) => {}
                (false, false) => return Err(Contradiction),
                (true, false) => changed |= forward.hold(problem, state),
                (false, true) => changed |= backward.hold(problem, state),
            }
        }
    }
    Ok(changed)
}

/// The pairs of which the first ends before the second starts, if that is so of one of them.
struct Implied([Option<(usize, usize)>; 2]);

impl Implied {
    fn new(problem: &Problem, state: &State, first: usize, second: usize) -> Self {
        let taken = |task: usize, need: usize| state.taken[task][need];
        Self([Some((first, second)), problem.held_back(first, second, taken)])
    }

    fn is_possible(&self, problem: &Problem, state: &State) -> bool {
        self.0.iter().flatten().all(|(first, second)| {
            let length = problem.tasks[*first].length + problem.tasks[*second].length;
            state.earliest[*first] + length <= state.latest_end[*second]
        })
    }

    fn hold(&self, problem: &Problem, state: &mut State) -> bool {
        let mut changed = false;
        for (first, second) in self.0.iter().flatten() {
            let end = state.earliest[*first] + problem.tasks[*first].length;
            let start = state.latest_end[*second] - problem.tasks[*second].length;
            changed |= state.earliest[*second] < end || state.latest_end[*first] > start;
            state.earliest[*second] = state.earliest[*second].max(end);
            state.latest_end[*first] = state.latest_end[*first].min(start);
        }
        changed
    }
}
