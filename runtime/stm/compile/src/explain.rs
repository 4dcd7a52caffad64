//! Why no schedule exists: a chain of dependencies, a resource, or a few executions of which no order
//! is in time.

use crate::exact::{Exact, Limits, Outcome};
use crate::list;
use crate::model::{Model, Plan};
use gxf_stm::deduce::NEVER;
use gxf_stm::expand::Instance;
use gxf_stm::graph::Graph;
use gxf_stm::time::show_time;

/// Most names in a message.
const NAMED: usize = 8;

/// Names things of one cycle.
pub struct Names<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The instances of the cycle.
    pub instances: &'a [Instance],
}

impl Names<'_> {
    fn task(&self, task: usize) -> String {
        let instance = &self.instances[task];
        format!("`{}@{}`", self.graph.runnable_name(instance.runnable), instance.frame)
    }

    fn frame(&self, task: usize) -> String {
        let instance = &self.instances[task];
        let epoch = self.graph.runnables[instance.runnable].epoch;
        format!("frame {} of `{}`", instance.frame, self.graph.epoch_name(epoch))
    }

    /// Why a submitter waits for something that it does not depend on.
    fn held_back(&self, first: usize, second: usize) -> Option<String> {
        let (first, second) = (self.instances[first].runnable, self.instances[second].runnable);
        let runnable = &self.graph.runnables[second];
        let work = runnable.submits.filter(|_| runnable.before_work.contains(&first))?;
        Some(format!(
            " (`{}` waits for what its work, `{}`, depends on)",
            self.graph.runnable_name(second),
            self.graph.runnable_name(work)
        ))
    }

    /// Why a submitter starts no earlier, if its work says so.
    fn delayed(&self, task: usize) -> Option<String> {
        let runnable = self.instances[task].runnable;
        let work = self.graph.delayed_by(runnable)?;
        Some(format!(
            " (`{}` waits for the `StartTime` of its work, `{}`)",
            self.graph.runnable_name(runnable),
            self.graph.runnable_name(work)
        ))
    }

    fn tasks(&self, tasks: &[usize]) -> String {
        let mut names: Vec<String> =
            tasks.iter().take(NAMED).map(|task| self.task(*task)).collect();
        if tasks.len() > NAMED {
            names.push(format!("{} more", tasks.len() - NAMED));
        }
        names.join(", ")
    }

    fn resources(&self, resources: &[usize]) -> String {
        let name = |resource: &usize| match self.graph.resources.get(*resource) {
            Some(_) => format!("`{}`", self.graph.resource_name(*resource)),
            None => "the one active runnable".to_owned(),
        };
        let names: Vec<String> = resources.iter().take(4).map(name).collect();
        match resources.len() {
            1..=4 => names.join(" and "),
            more => format!("{} and {} more", names.join(", "), more - 4),
        }
    }
}

/// A reason that needs no search: a chain that is too long for its frame, or work that does not fit
/// the room of its resources.
pub fn reason(model: &Model, names: &Names<'_>) -> Option<String> {
    chain(model, names).or_else(|| window(model, names))
}

/// Earliest starts by dependencies alone.
fn heads(model: &Model) -> Vec<i64> {
    let mut head: Vec<i64> = model.problem.tasks.iter().map(|task| task.earliest).collect();
    for task in model.sorted() {
        let end = model.end(task, head[task]);
        for other in &model.behind[task] {
            head[*other] = head[*other].max(end);
        }
    }
    head
}

/// Latest ends by dependencies alone.
fn latest_ends(model: &Model) -> Vec<i64> {
    let mut latest: Vec<i64> = model.problem.tasks.iter().map(|task| task.latest_end).collect();
    for task in model.sorted().into_iter().rev() {
        for other in &model.behind[task] {
            latest[task] = latest[task].min(latest[*other] - model.problem.tasks[*other].length);
        }
    }
    latest
}

fn chain(model: &Model, names: &Names<'_>) -> Option<String> {
    let head = heads(model);
    let late = |task: &usize| model.end(*task, head[*task]) - model.problem.tasks[*task].latest_end;
    let worst = (0..head.len()).max_by_key(|task| (late(task), std::cmp::Reverse(*task)))?;
    let by = late(&worst);
    if by <= 0 {
        return None;
    }
    let mut chain = vec![worst];
    let mut task = worst;
    while let Some(before) = model.before[task].iter().copied().find(|other| {
        model.end(*other, head[*other]) == head[task]
            && head[task] > model.problem.tasks[task].earliest
    }) {
        chain.push(before);
        task = before;
    }
    chain.reverse();
    let first = show(head[chain[0]]);
    let path: Vec<String> = chain.iter().map(|task| names.task(*task)).collect();
    let path = if path.len() > NAMED {
        let half = NAMED / 2;
        format!("{} → … → {}", path[..half].join(" → "), path[path.len() - half..].join(" → "))
    } else {
        path.join(" → ")
    };
    let held_back = chain.windows(2).find_map(|pair| names.held_back(pair[0], pair[1]));
    Some(format!(
        "the chain {path} starts at {first} and takes {}, but {} ends at {}: {} too long{}",
        show(model.end(worst, head[worst]) - head[chain[0]]),
        names.frame(worst),
        show(model.problem.tasks[worst].latest_end),
        show(by),
        held_back.or_else(|| names.delayed(chain[0])).unwrap_or_default()
    ))
}

/// The window of a resource, or of several that executions choose from, whose work is most above
/// its room.
fn window(model: &Model, names: &Names<'_>) -> Option<String> {
    let (head, latest) = (heads(model), latest_ends(model));
    let mut sets: Vec<Vec<usize>> =
        model.problem.tasks.iter().flat_map(|task| task.needs.iter().cloned()).collect();
    sets.sort();
    sets.dedup();
    // How much too much, the set, the start and the task that ends last.
    let mut worst: Option<(i128, usize, i64, usize)> = None;
    let inside_of = |set: &[usize]| {
        let is_inside = |task: &usize| {
            let needs = &model.problem.tasks[*task].needs;
            latest[*task] < NEVER
                && needs.iter().any(|need| need.iter().all(|one| set.contains(one)))
        };
        let mut inside: Vec<usize> = (0..head.len()).filter(is_inside).collect();
        inside.sort_by_key(|task| (latest[*task], *task));
        inside
    };
    for (number, set) in sets.iter().enumerate() {
        let inside = inside_of(set);
        let mut starts: Vec<i64> = inside.iter().map(|task| head[*task]).collect();
        starts.sort_unstable();
        starts.dedup();
        starts.truncate(500);
        for start in starts {
            let mut work = 0_i128;
            for task in &inside {
                if head[*task] < start {
                    continue;
                }
                work += i128::from(model.problem.tasks[*task].length);
                let over = work - i128::from(latest[*task] - start) * set.len() as i128;
                if over > 0 && worst.is_none_or(|(most, ..)| over > most) {
                    worst = Some((over, number, start, *task));
                }
            }
        }
    }
    let (over, number, start, last) = worst?;
    let set = &sets[number];
    let mut members = inside_of(set);
    members.truncate(members.iter().position(|task| *task == last).map_or(0, |at| at + 1));
    members.retain(|task| head[*task] >= start);
    let room = i128::from(latest[last] - start) * set.len() as i128;
    Some(format!(
        "{} {} {} between {} and {}, where {} need {}: {} too much, up to {}",
        names.resources(set),
        if set.len() == 1 { "has" } else { "have" },
        show_wide(room),
        show(start),
        show(latest[last]),
        names.tasks(&members),
        show_wide(room + over),
        show_wide(over),
        names.frame(last)
    ))
}

/// Most work of the search for executions that do not fit, in decisions times tasks, and most of it for
/// one question.
const WORK: u64 = 20_000_000;
const WORK_AT_ONCE: u64 = 400_000;

/// Looks for a small number of executions that alone have no schedule.
struct Core<'a> {
    model: &'a Model,
    earliest: Vec<i64>,
    latest_end: Vec<i64>,
    work: u64,
}

impl Core<'_> {
    /// Whether these tasks have no schedule if each may end this much later; `None` if that takes too
    /// long to find out.
    fn is_refuted(&mut self, kept: &[usize], later: i64) -> Option<bool> {
        let latest_end: Vec<i64> =
            self.latest_end.iter().map(|end| end.saturating_add(later).min(NEVER)).collect();
        let part = self.model.part(kept, &self.earliest, &latest_end);
        let mut exact = Exact::new(&part);
        let tasks = kept.len().max(1) as u64;
        let budget = WORK_AT_ONCE.min(self.work) / tasks;
        let limits = Limits { end: NEVER, behind_deadline: NEVER };
        let outcome = exact.search(&part, limits, budget);
        self.work = self.work.saturating_sub((exact.nodes + 1) * tasks);
        match outcome {
            Outcome::Unfinished => None,
            Outcome::Found(_) => Some(false),
            Outcome::Refuted(_) => Some(true),
        }
    }

    /// Tasks of which all are needed for a contradiction, or most.
    fn find(&mut self) -> Option<Vec<usize>> {
        let mut kept: Vec<usize> = (0..self.earliest.len()).collect();
        if self.is_refuted(&kept, 0) != Some(true) {
            return None;
        }
        let mut length = kept.len().div_ceil(2);
        loop {
            let mut at = 0;
            while at < kept.len() && self.work > 0 {
                let until = kept.len().min(at + length);
                let rest = [&kept[..at], &kept[until..]].concat();
                match self.is_refuted(&rest, 0) {
                    Some(true) => kept = rest,
                    _ => at = until,
                }
            }
            if length == 1 {
                return Some(kept);
            }
            length = length.div_ceil(2);
        }
    }

    /// How much later these tasks have to end at least.
    fn shortfall(&mut self, kept: &[usize]) -> i64 {
        let part = self.model.part(kept, &self.earliest, &self.latest_end);
        // So much is refuted, and so much is not.
        let (mut low, mut high) = (0, list::first_plan(&part).cost.late.max(1));
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            match self.is_refuted(kept, middle) {
                Some(true) => low = middle,
                Some(false) => high = middle,
                None => break,
            }
        }
        low + 1
    }
}

/// A few executions of which no order is in time, and by how much at least. `None` if that would take
/// too long to find out.
pub fn core(model: &Model, names: &Names<'_>) -> Option<String> {
    let (earliest, latest_end) = (heads(model), latest_ends(model));
    let mut core = Core { model, earliest, latest_end, work: WORK };
    let kept = core.find()?;
    let late = core.shortfall(&kept);
    let needs = kept.iter().flat_map(|task| &model.problem.tasks[*task].needs);
    let mut resources: Vec<usize> = needs.flatten().copied().collect();
    // Those that only one of them may take are not what they lack.
    resources.sort_unstable();
    let count = |resource: &usize| resources.iter().filter(|other| *other == resource).count();
    let mut shared: Vec<usize> = resources.iter().copied().filter(|one| count(one) > 1).collect();
    shared.dedup();
    let on = match shared.is_empty() {
        true => String::new(),
        false => format!(" on {}", names.resources(&shared)),
    };
    let mut frames: Vec<String> = kept.iter().map(|task| names.frame(*task)).collect();
    frames.dedup();
    let frames = match &frames[..] {
        [frame] => format!("the end of {frame}"),
        [first, .., last] => format!("the end of its frame, from {first} to {last}"),
        [] => return None,
    };
    Some(format!(
        "no order of {}{on} is in time: one of them ends {} or more after {frames}",
        names.tasks(&kept),
        show(late)
    ))
}

/// What is late in a plan, for graphs whose impossibility has no short reason.
pub fn nearest(model: &Model, plan: &Plan, names: &Names<'_>) -> Option<String> {
    let worst = model.worst(&plan.start, plan.cost).filter(|_| plan.cost.late > 0)?;
    Some(format!(
        "in the best plan found, {} on {} ends {} after the end of {} at {}",
        names.task(worst),
        names.resources(&plan.taken[worst][..1]),
        show(plan.cost.late),
        names.frame(worst),
        show(model.problem.tasks[worst].latest_end)
    ))
}

fn show(time: i64) -> String {
    show_time(u64::try_from(time).unwrap_or(0))
}

fn show_wide(time: i128) -> String {
    show_time(u64::try_from(time).unwrap_or(0))
}
