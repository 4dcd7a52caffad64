//! List scheduling: tasks in the order of their keys, each at the earliest time that its resources
//! have.

use crate::model::{Model, Plan, Random};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// When a resource is taken: intervals in order.
#[derive(Clone, Debug, Default)]
struct TimeLine(Vec<(i64, i64)>);

impl TimeLine {
    /// The earliest time from `from` on at which the resource is free for `length`.
    fn fit(&self, from: i64, length: i64) -> i64 {
        let mut at = self.0.partition_point(|(_, end)| *end <= from);
        let mut time = from;
        while let Some((start, end)) = self.0.get(at) {
            if time + length <= *start {
                break;
            }
            time = time.max(*end);
            at += 1;
        }
        time
    }

    /// The end of what lies before a time.
    fn busy_until(&self, time: i64) -> i64 {
        let at = self.0.partition_point(|(_, end)| *end <= time);
        at.checked_sub(1).map_or(0, |before| self.0[before].1)
    }

    fn take(&mut self, start: i64, end: i64) {
        let at = self.0.partition_point(|(other, _)| *other < start);
        self.0.insert(at, (start, end));
    }
}

/// Schedules the tasks; of those that may run, the one with the smallest key comes next.
pub fn generate(model: &Model, keys: &[i64]) -> Plan {
    let count = model.before.len();
    let mut open: Vec<usize> = model.before.iter().map(Vec::len).collect();
    let free = (0..count).filter(|task| open[*task] == 0);
    let mut ready: BinaryHeap<Reverse<(i64, usize)>> =
        free.map(|task| Reverse((keys[task], task))).collect();
    let mut lines = vec![TimeLine::default(); model.problem.resources];
    let mut start = vec![0; count];
    let mut taken: Vec<Vec<usize>> = vec![Vec::new(); count];
    while let Some(Reverse((_, task))) = ready.pop() {
        let ends = model.before[task].iter().map(|other| model.end(*other, start[*other]));
        let from = ends.fold(model.problem.tasks[task].earliest, i64::max);
        let (time, resources) = place(model, &lines, &taken, task, from);
        let end = model.end(task, time);
        resources.iter().for_each(|resource| lines[*resource].take(time, end));
        start[task] = time;
        taken[task] = resources;
        for other in &model.behind[task] {
            open[*other] -= 1;
            if open[*other] == 0 {
                ready.push(Reverse((keys[*other], *other)));
            }
        }
    }
    let cost = model.cost(&start);
    Plan { start, taken, cost }
}

/// The earliest time at which a task finds one resource for each need, and which.
fn place(
    model: &Model,
    lines: &[TimeLine],
    taken: &[Vec<usize>],
    task: usize,
    from: i64,
) -> (i64, Vec<usize>) {
    let own = &model.problem.tasks[task];
    // Work runs where the stream of its submitter leads.
    let engine = model.submitter[task]
        .and_then(|(submitter, need)| model.problem.leads_to[*taken[submitter].get(need)?]);
    let fits = |need: usize, candidate: &usize| match engine {
        Some(engine) if need == 0 => *candidate == engine,
        _ => true,
    };
    let mut time = from;
    loop {
        let mut later = time;
        for (number, need) in own.needs.iter().enumerate() {
            let candidates = need.iter().filter(|candidate| fits(number, candidate));
            let first = candidates.map(|candidate| lines[*candidate].fit(time, own.length)).min();
            later = later.max(first.unwrap_or(time));
        }
        if later == time {
            break;
        }
        time = later;
    }
    let choose = |(number, need): (usize, &Vec<usize>)| {
        let free = need.iter().filter(|candidate| {
            fits(number, candidate) && lines[**candidate].fit(time, own.length) == time
        });
        // The stream whose engine starts the work first.
        let work_starts = |candidate: usize| {
            let (engine, work) = (model.problem.leads_to[candidate]?, model.work[task]?);
            let length = model.problem.tasks[work].length;
            Some(lines[engine].fit(time + own.length, length))
        };
        // Of several, the one that leaves the smallest gap.
        free.copied().min_by_key(|candidate| {
            (work_starts(*candidate), Reverse(lines[*candidate].busy_until(time)), *candidate)
        })
    };
    let resources = own.needs.iter().enumerate();
    let resources = resources.map(|entry| choose(entry).unwrap_or(entry.1[0])).collect();
    (time, resources)
}

/// Keys of rules that each do well on some graphs.
pub fn rules(model: &Model) -> Vec<Vec<i64>> {
    let count = model.before.len();
    let tasks = || 0..count;
    let earliest = |task: usize| model.problem.tasks[task].earliest;
    vec![
        tasks()
            .map(|task| model.latest_start[task].min(i64::MAX / 16) - model.tail[task])
            .collect(),
        tasks().map(|task| -model.tail[task]).collect(),
        tasks().map(|task| model.latest_start[task]).collect(),
        tasks().map(|task| earliest(task) - model.tail[task]).collect(),
        tasks().map(|task| -model.weight[task] * (1 << 48) - model.tail[task]).collect(),
        tasks().map(|task| model.behind[task].len() as i64).map(|behind| -behind).collect(),
    ]
}

/// The best plan of the rules.
pub fn first_plan(model: &Model) -> Plan {
    let plans = rules(model).into_iter().map(|keys| generate(model, &keys));
    plans.min_by_key(|plan| plan.cost).unwrap_or(Plan {
        start: Vec::new(),
        taken: Vec::new(),
        cost: model.cost(&[]),
    })
}

/// Plans near another one: its order, disturbed; and back and forth in time.
pub fn vary(model: &Model, plan: &Plan, tries: usize, random: &mut Random) -> Plan {
    let mut best = plan.clone();
    let span = usize::try_from(plan.cost.makespan).unwrap_or(usize::MAX).max(1);
    for _ in 0..tries {
        let width = span / (2 << random.below(8));
        let noise = |random: &mut Random| random.below(width.max(2)) as i64;
        // Latest first keeps what the end depends on at its place.
        let backwards = random.below(2) == 0;
        let keys: Vec<i64> = (0..best.start.len())
            .map(|task| {
                let key = if backwards { -model.tail[task] } else { best.start[task] };
                key + noise(random)
            })
            .collect();
        let other = generate(model, &keys);
        if other.cost <= best.cost {
            best = other;
        }
    }
    best
}
