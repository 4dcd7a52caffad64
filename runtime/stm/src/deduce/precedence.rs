//! Orders between tasks: windows follow from those before and behind.

use super::{Contradiction, Problem, State};

/// All orders of a node, with the tasks sorted by them.
pub(super) struct Order {
    sorted: Vec<usize>,
    next: Vec<Vec<usize>>,
}

impl Order {
    /// Sorts the tasks; orders that form a cycle are a contradiction.
    pub(super) fn new(problem: &Problem, state: &State) -> Result<Self, Contradiction> {
        let count = problem.tasks.len();
        let mut next = vec![Vec::new(); count];
        let mut open = vec![0_usize; count];
        for (first, second) in state.all_orders(problem) {
            next[first].push(second);
            open[second] += 1;
        }
        let mut sorted: Vec<usize> = (0..count).filter(|task| open[*task] == 0).collect();
        let mut at = 0;
        while let Some(task) = sorted.get(at).copied() {
            at += 1;
            for other in &next[task] {
                open[*other] -= 1;
                if open[*other] == 0 {
                    sorted.push(*other);
                }
            }
        }
        if sorted.len() < count { Err(Contradiction) } else { Ok(Self { sorted, next }) }
    }

    /// Moves earliest starts forward and latest ends back.
    pub(super) fn apply(&self, problem: &Problem, state: &mut State) -> Result<(), Contradiction> {
        for task in &self.sorted {
            let end = state.earliest[*task] + problem.tasks[*task].length;
            if end > state.latest_end[*task] {
                return Err(Contradiction);
            }
            for other in &self.next[*task] {
                state.earliest[*other] = state.earliest[*other].max(end);
            }
        }
        for task in self.sorted.iter().rev() {
            let mut latest = state.latest_end[*task];
            for other in &self.next[*task] {
                latest = latest.min(state.latest_end[*other] - problem.tasks[*other].length);
            }
            state.latest_end[*task] = latest;
            if state.earliest[*task] + problem.tasks[*task].length > latest {
                return Err(Contradiction);
            }
        }
        Ok(())
    }
}
