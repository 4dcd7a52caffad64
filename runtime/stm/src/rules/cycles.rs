//! Dependencies that lead back to where they start.

use super::Resolver;
use crate::read::error;
use std::collections::VecDeque;

/// Most runnables of a cycle that a message names.
const NAMED: usize = 12;
/// Most cycles to report.
const REPORTED: usize = 20;

impl Resolver<'_> {
    /// Reports a shortest cycle through each runnable that is on one and was not reported.
    pub(super) fn cycles(&mut self) {
        let count = self.graph.runnables.len();
        // What is left when runnables without open dependencies are taken away, in both directions,
        // lies on cycles or between two.
        let mut left = vec![true; count];
        self.take_away(&mut left, true);
        self.take_away(&mut left, false);
        let mut reported = 0;
        for start in 0..count {
            if !left[start] || reported == REPORTED {
                continue;
            }
            let Some(cycle) = self.cycle_through(start, &left) else { continue };
            cycle.iter().for_each(|index| left[*index] = false);
            reported += 1;
            let mut names: Vec<String> = cycle
                .iter()
                .map(|index| format!("`{}`", self.graph.runnable_name(*index)))
                .collect();
            names.push(names[0].clone());
            if names.len() > NAMED {
                let more = names.len() - NAMED;
                names.splice(NAMED / 2..NAMED / 2 + more, [format!("… {more} more …")]);
            }
            let message = format!("a cycle of dependencies: {}", names.join(" → "));
            let problem = error("cycle", message)
                .at(self.graph.runnables[start].span.clone())
                .label("each waits for the one before it");
            let problem = match self.held_back(&cycle) {
                Some((submitter, work)) => problem.help(format!(
                    "`{submitter}` waits for what its work, `{work}`, depends on: nobody can hold \
                     work back that is submitted"
                )),
                None => problem.help(
                    "a runnable cannot start before itself; remove one of these dependencies",
                ),
            };
            self.push(problem);
        }
    }

    /// The submitter in a cycle that only its work makes wait, and the work.
    fn held_back(&self, cycle: &[usize]) -> Option<(String, String)> {
        let before = cycle.iter().cycle().skip(cycle.len() - 1);
        let (submitter, work) = before.zip(cycle).find_map(|(before, index)| {
            let runnable = &self.graph.runnables[*index];
            let is_own = runnable.dependencies.contains(before);
            Some((*index, runnable.submits.filter(|_| !is_own)?))
        })?;
        Some((self.graph.runnable_name(submitter), self.graph.runnable_name(work)))
    }

    fn take_away(&self, left: &mut [bool], forward: bool) {
        let mut open = vec![0_usize; left.len()];
        let mut next = vec![Vec::new(); left.len()];
        for (index, runnable) in self.graph.runnables.iter().enumerate() {
            for dependency in runnable.dependencies.iter().chain(&runnable.before_work) {
                let (from, to) = if forward { (*dependency, index) } else { (index, *dependency) };
                if left[from] && left[to] {
                    open[to] += 1;
                    next[from].push(to);
                }
            }
        }
        let mut free: Vec<usize> =
            (0..left.len()).filter(|index| left[*index] && open[*index] == 0).collect();
        while let Some(index) = free.pop() {
            left[index] = false;
            for other in &next[index] {
                open[*other] -= 1;
                if open[*other] == 0 {
                    free.push(*other);
                }
            }
        }
    }

    /// A shortest cycle in the order in which its runnables would run, from `start` on.
    fn cycle_through(&self, start: usize, left: &[bool]) -> Option<Vec<usize>> {
        let mut later: Vec<Option<usize>> = vec![None; left.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(index) = queue.pop_front() {
            let runnable = &self.graph.runnables[index];
            for dependency in runnable.dependencies.iter().chain(&runnable.before_work) {
                if *dependency == start {
                    // Dependencies lead backwards, so this way is the order of execution.
                    let mut cycle = vec![start];
                    let mut at = index;
                    while at != start {
                        cycle.push(at);
                        at = later[at]?;
                    }
                    return Some(cycle);
                }
                if left[*dependency] && later[*dependency].is_none() {
                    later[*dependency] = Some(index);
                    queue.push_back(*dependency);
                }
            }
        }
        None
    }
}
