//! Tasks that choose among several resources: their work has to fit all of them together.

use super::{Contradiction, Problem, State};

/// Most starts of windows that are looked at.
const MOST_STARTS: usize = 256;
/// Below this, windows between all starts and all ends are looked at.
const FEW: usize = 2_000;

/// Compares the work that has to lie in a window with the room there.
pub(super) fn check(problem: &Problem, state: &State) -> Result<(), Contradiction> {
    for pool in &problem.pools {
        let mut inside: Vec<(i64, i64, i128)> = Vec::new();
        for (index, task) in problem.tasks.iter().enumerate() {
            let needs = task.needs.iter();
            let count = needs.filter(|need| need.iter().all(|one| pool.contains(one))).count();
            if count > 0 {
                let work = i128::from(task.length) * count as i128;
                inside.push((state.earliest[index], state.latest_end[index], work));
            }
        }
        windows(&inside, pool.len())?;
    }
    Ok(())
}

fn windows(tasks: &[(i64, i64, i128)], width: usize) -> Result<(), Contradiction> {
    let mut by_end: Vec<usize> = (0..tasks.len()).collect();
    by_end.sort_by_key(|task| tasks[*task].1);
    let mut starts: Vec<i64> = tasks.iter().map(|task| task.0).collect();
    starts.sort_unstable();
    starts.dedup();
    if tasks.len() > FEW {
        // The first ones: windows to the end have the most work.
        starts.truncate(MOST_STARTS);
    }
    for start in starts {
        let mut work = 0;
        for task in &by_end {
            let (earliest, end, length) = tasks[*task];
            if earliest < start {
                continue;
            }
            work += length;
            if work > i128::from(end - start) * width as i128 {
                return Err(Contradiction);
            }
        }
    }
    Ok(())
}
