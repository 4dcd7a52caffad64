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
                .label("each waits for the one before it")
                .help("a runnable cannot start before itself; remove one of these dependencies");
            self.push(problem);
        }
    }

    fn take_away(&self, left: &mut [bool], forward: bool) {
        let mut open = vec![0_usize; left.len()];
        let mut next = vec![Vec::new(); left.len()];
        for (index, runnable) in self.graph.runnables.iter().enumerate() {
            for dependency in &runnable.dependencies {
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
            for dependency in &self.graph.runnables[index].dependencies {
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
