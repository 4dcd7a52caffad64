//! One resource, on which no two tasks overlap: orders of pairs, and edge finding.
//!
//! Edge finding: if a set of tasks and one more cannot all fit the set's window, the one more comes
//! after, or before, all of the set. The loop over sets follows the quadratic algorithm that
//! Baptiste, Le Pape and Nuijten describe in *Constraint-Based Scheduling* (2001).

use super::{Contradiction, NEVER, Problem, State};

/// Most tasks of one resource that pairs are looked at of.
pub(super) const MOST: usize = 2_000;

/// Tightens the windows of the tasks of one resource. Whether something changed.
pub(super) fn apply(
    problem: &Problem,
    state: &mut State,
    tasks: &[usize],
) -> Result<bool, Contradiction> {
    let length = |task: usize| problem.tasks[task].length;
    let mut windows: Vec<Window> = tasks
        .iter()
        .map(|task| Window {
            earliest: state.earliest[*task],
            latest: state.latest_end[*task],
            length: length(*task),
        })
        .collect();
    if tasks.len() > MOST {
        overload(&mut windows)?;
        return Ok(false);
    }
    pairs(&mut windows)?;
    edge_finding(&mut windows)?;
    mirror(&mut windows);
    edge_finding(&mut windows)?;
    mirror(&mut windows);
    let mut changed = false;
    for (task, window) in tasks.iter().zip(&windows) {
        changed |=
            state.earliest[*task] != window.earliest || state.latest_end[*task] != window.latest;
        state.earliest[*task] = window.earliest;
        state.latest_end[*task] = window.latest;
    }
    Ok(changed)
}

#[derive(Clone, Copy, Debug)]
struct Window {
    earliest: i64,
    latest: i64,
    length: i64,
}

/// Turns time around.
fn mirror(windows: &mut [Window]) {
    for window in windows {
        (window.earliest, window.latest) = (-window.latest, -window.earliest);
    }
}

/// If one of two cannot be first, the other is.
fn pairs(windows: &mut [Window]) -> Result<(), Contradiction> {
    for one in 0..windows.len() {
        for other in one + 1..windows.len() {
            let (a, b) = (windows[one], windows[other]);
            let a_first = a.earliest + a.length + b.length <= b.latest;
            let b_first = b.earliest + b.length + a.length <= a.latest;
            let (first, second) = match (a_first, b_first) {
                (true, true) => continue,
                (false, false) => return Err(Contradiction),
                (true, false) => (one, other),
                (false, true) => (other, one),
            };
            let end = windows[first].earliest + windows[first].length;
            windows[second].earliest = windows[second].earliest.max(end);
            let start = windows[second].latest - windows[second].length;
            windows[first].latest = windows[first].latest.min(start);
        }
    }
    Ok(())
}

/// Tasks that come after a set start when the set can be done at the earliest.
fn edge_finding(windows: &mut [Window]) -> Result<(), Contradiction> {
    windows_sorted(windows, |windows, sorted| {
        let count = sorted.len();
        let mut found: Vec<i64> = sorted.iter().map(|at| windows[*at].earliest).collect();
        let mut end_from = vec![0; count];
        let mut bounds: Vec<i64> = windows.iter().map(|window| window.latest).collect();
        bounds.sort_unstable();
        bounds.dedup();
        for bound in bounds {
            // The set: all that end by `bound`. `end_from[i]` is the earliest end of those from the
            // i-th start on.
            let (mut work, mut end) = (0, -NEVER);
            for at in (0..count).rev() {
                let window = windows[sorted[at]];
                if window.latest <= bound {
                    work += window.length;
                    end = end.max(window.earliest + work);
                    if end > bound {
                        return Err(Contradiction);
                    }
                }
                end_from[at] = end;
            }
            let mut start_with_work = -NEVER;
            for at in 0..count {
                let window = windows[sorted[at]];
                if window.latest <= bound {
                    start_with_work = start_with_work.max(window.earliest + work);
                    work -= window.length;
                } else {
                    if work > 0 && window.earliest + work + window.length > bound {
                        found[at] = found[at].max(end_from[at]);
                    }
                    if start_with_work + window.length > bound {
                        found[at] = found[at].max(end);
                    }
                }
            }
        }
        for (at, earliest) in sorted.iter().zip(found) {
            windows[*at].earliest = earliest;
            if earliest + windows[*at].length > windows[*at].latest {
                return Err(Contradiction);
            }
        }
        Ok(())
    })
}

/// Whether the work between some earliest start and the last end fits.
fn overload(windows: &mut [Window]) -> Result<(), Contradiction> {
    windows_sorted(windows, |windows, sorted| {
        let last = windows.iter().map(|window| window.latest).max().unwrap_or(NEVER);
        let mut work = 0;
        for at in sorted.iter().rev() {
            work += windows[*at].length;
            if windows[*at].earliest + work > last {
                return Err(Contradiction);
            }
        }
        Ok(())
    })
}

/// Calls a function with the positions of the windows, sorted by their earliest starts.
fn windows_sorted<T>(windows: &mut [Window], call: impl FnOnce(&mut [Window], &[usize]) -> T) -> T {
    let mut sorted: Vec<usize> = (0..windows.len()).collect();
    sorted.sort_by_key(|at| windows[*at].earliest);
    call(windows, &sorted)
}
