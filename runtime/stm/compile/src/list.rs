//! List scheduling: tasks in the order of their keys, each at the earliest time that its resources
//! have.

use crate::model::{Model, Plan, Random};
use gxf_stm::deduce::Submission;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A task that holds a resource.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// When nothing else may hold it any more: at its start or, for work, at that of its submitter.
    from: i64,
    start: i64,
    end: i64,
    /// The stream that the work goes through, which executes its work in order.
    stream: Option<usize>,
}

/// What holds a resource, in order.
#[derive(Clone, Debug, Default)]
struct TimeLine(Vec<Span>);

impl TimeLine {
    /// The earliest time from `from` on at which the resource is free for `length`.
    fn fit(&self, from: i64, length: i64) -> i64 {
        let mut at = self.0.partition_point(|span| span.end <= from);
        let mut time = from;
        while let Some(span) = self.0.get(at) {
            if time + length <= span.from {
                break;
            }
            time = time.max(span.end);
            at += 1;
        }
        time
    }

    /// The earliest start of work of this length, not before `start`, whose submitter starts at
    /// `from`.
    ///
    /// # Errors
    /// The next start of the submitter that may do.
    fn fit_work(
        &self,
        from: i64,
        start: i64,
        length: i64,
        stream: Option<usize>,
    ) -> Result<i64, i64> {
        let mut start = start;
        for span in &self.0[self.0.partition_point(|span| span.end <= from)..] {
            let shares = stream.is_some() && span.stream == stream;
            if shares && span.from < from {
                start = start.max(span.end);
                continue;
            }
            let (until, next) =
                if shares { (span.start, span.from) } else { (span.from, span.end) };
            return if start + length <= until { Ok(start) } else { Err(next) };
        }
        Ok(start)
    }

    /// The end of what lies before a time.
    fn busy_until(&self, time: i64) -> i64 {
        let at = self.0.partition_point(|span| span.end <= time);
        at.checked_sub(1).map_or(0, |before| self.0[before].end)
    }

    fn take(&mut self, span: Span) {
        let at = self.0.partition_point(|other| (other.from, other.end) < (span.from, span.end));
        self.0.insert(at, span);
    }
}

/// Schedules the tasks; of those that may run, the one with the smallest key comes next, and of several,
/// the one with the highest priority. Work is placed with its submitter.
pub fn generate(model: &Model, keys: &[i64]) -> Plan {
    let count = model.before.len();
    let mut open: Vec<usize> = model.before.iter().map(Vec::len).collect();
    let free = (0..count).filter(|task| open[*task] == 0);
    let entry = |task: usize| Reverse((keys[task], -model.weight[task], task));
    let mut ready: BinaryHeap<_> = free.map(entry).collect();
    let mut parts = Placement {
        model,
        lines: vec![TimeLine::default(); model.problem.resources],
        start: vec![0; count],
        taken: vec![Vec::new(); count],
    };
    while let Some(Reverse((.., task))) = ready.pop() {
        let ends = model.before[task].iter().map(|other| model.end(*other, parts.start[*other]));
        let from = ends.fold(model.problem.tasks[task].earliest, i64::max);
        let work = model.work[task].map(|submission| submission.work);
        match model.work[task] {
            None => {
                let (time, resources) = parts.place(task, from);
                parts.take(task, time, resources, time, None);
            }
            Some(submission) => parts.place_with_work(submission, from),
        }
        for other in [Some(task), work].into_iter().flatten().flat_map(|task| &model.behind[task]) {
            open[*other] -= 1;
            if open[*other] == 0 && model.problem.submission(*other).is_none() {
                ready.push(entry(*other));
            }
        }
    }
    let cost = model.cost(&parts.start);
    Plan { start: parts.start, taken: parts.taken, cost }
}

/// The tasks that are placed so far.
struct Placement<'a> {
    model: &'a Model,
    lines: Vec<TimeLine>,
    start: Vec<i64>,
    taken: Vec<Vec<usize>>,
}

impl Placement<'_> {
    fn take(
        &mut self,
        task: usize,
        start: i64,
        resources: Vec<usize>,
        from: i64,
        stream: Option<usize>,
    ) {
        let span = Span { from, start, end: self.model.end(task, start), stream };
        resources.iter().for_each(|resource| self.lines[*resource].take(span));
        self.start[task] = start;
        self.taken[task] = resources;
    }

    /// The earliest time at which a task finds one resource for each need, and which.
    fn place(&self, task: usize, from: i64) -> (i64, Vec<usize>) {
        let own = &self.model.problem.tasks[task];
        let mut time = from;
        loop {
            let mut later = time;
            for need in &own.needs {
                let candidates = need.iter();
                let first =
                    candidates.map(|candidate| self.lines[*candidate].fit(time, own.length)).min();
                later = later.max(first.unwrap_or(time));
            }
            if later == time {
                break;
            }
            time = later;
        }
        let choose = |need: &Vec<usize>| {
            let free =
                need.iter().filter(|resource| self.lines[**resource].fit(time, own.length) == time);
            // Of several, the one that leaves the smallest gap.
            let chosen = free.min_by_key(|resource| self.gap_before(**resource, time));
            chosen.copied().unwrap_or(need[0])
        };
        (time, own.needs.iter().map(choose).collect())
    }

    fn gap_before(&self, resource: usize, time: i64) -> (Reverse<i64>, usize) {
        (Reverse(self.lines[resource].busy_until(time)), resource)
    }

    /// Places a submitter and its work, at the earliest time at which the work needs not be held
    /// back, with the stream whose engine starts the work first.
    fn place_with_work(&mut self, submission: Submission, from: i64) {
        let task = submission.submitter;
        let own = &self.model.problem.tasks[task];
        let mut from = from;
        loop {
            let (time, mut resources) = self.place(task, from);
            let streams: Vec<Option<usize>> = match submission.stream {
                Some(need) => own.needs[need].iter().copied().map(Some).collect(),
                None => vec![None],
            };
            let mut next = i64::MAX;
            let mut best = None;
            for stream in streams {
                let free = stream.map_or(time, |stream| self.lines[stream].fit(time, own.length));
                if free > time {
                    next = next.min(free);
                    continue;
                }
                match self.place_work(submission, time, stream) {
                    Ok((start, of_work)) => {
                        let gap = stream.map(|stream| self.gap_before(stream, time));
                        if best.as_ref().is_none_or(|(other, _)| (start, gap) < *other) {
                            best = Some(((start, gap), of_work));
                        }
                    }
                    Err(later) => next = next.min(later),
                }
            }
            let Some(((start, gap), of_work)) = best else {
                from = next;
                continue;
            };
            let stream = gap.map(|(_, stream)| stream);
            if let (Some(need), Some(stream)) = (submission.stream, stream) {
                resources[need] = stream;
            }
            self.take(task, time, resources, time, None);
            let stream = stream.filter(|_| submission.has_one_stream);
            self.take(submission.work, start, of_work, time, stream);
            return;
        }
    }

    /// The start and resources of work whose submitter starts then.
    ///
    /// # Errors
    /// The next start of the submitter that may do.
    fn place_work(
        &self,
        submission: Submission,
        time: i64,
        stream: Option<usize>,
    ) -> Result<(i64, Vec<usize>), i64> {
        let model = self.model;
        let own = &model.problem.tasks[submission.work];
        // Work runs where the stream of its submitter leads.
        let engine = stream.and_then(|stream| model.problem.leads_to[stream]);
        let fits = |need: usize, candidate: &usize| match engine {
            Some(engine) if need == 0 => *candidate == engine,
            _ => true,
        };
        let taken = |task: usize, need: usize| match task == submission.submitter {
            true => stream,
            false => self.taken[task].get(need).copied(),
        };
        let mut from = own.earliest.max(model.end(submission.submitter, time));
        for other in &model.before[submission.work] {
            if *other == submission.submitter {
                continue;
            }
            let end = model.end(*other, self.start[*other]);
            let held_back = model.problem.held_back(*other, submission.work, taken);
            if end > time && held_back.is_some_and(|(first, _)| first == *other) {
                return Err(end);
            }
            from = from.max(end);
        }
        let stream = stream.filter(|_| submission.has_one_stream);
        loop {
            let (mut start, mut next) = (from, None);
            let mut resources = Vec::with_capacity(own.needs.len());
            for (number, need) in own.needs.iter().enumerate() {
                let candidates = need.iter().filter(|candidate| fits(number, candidate));
                let fit = candidates.map(|candidate| {
                    let fit = self.lines[*candidate].fit_work(time, from, own.length, stream);
                    let key = match fit {
                        Ok(start) => (false, start),
                        Err(next) => (true, next),
                    };
                    (key, self.gap_before(*candidate, from))
                });
                let Some(((fails, at), (_, resource))) = fit.min() else {
                    resources.push(need[0]);
                    continue;
                };
                if fails {
                    next = next.max(Some(at));
                } else {
                    start = start.max(at);
                }
                resources.push(resource);
            }
            match next {
                Some(next) => return Err(next),
                None if start == from => return Ok((start, resources)),
                None => from = start,
            }
        }
    }
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

/// Work of [`prefer`], in steps of one task each, and most plans that it tries.
const PREFER: usize = 2_000_000;
const MOST_PREFERRED: usize = 2_000;

/// The plan with tasks of high priority, and what they wait for, moved to the front where that makes
/// nothing else worse.
pub fn prefer(model: &Model, plan: &Plan, random: &mut Random, goes_on: impl Fn() -> bool) -> Plan {
    let mut best = plan.clone();
    let preferred: Vec<usize> =
        (0..model.weight.len()).filter(|at| model.weight[*at] > 0).collect();
    if preferred.is_empty() {
        return best;
    }
    let tasks = best.start.len();
    for _ in 0..(PREFER / tasks / 20).clamp(4, MOST_PREFERRED) {
        if !goes_on() {
            break;
        }
        let task = preferred[random.below(preferred.len())];
        let front = best.start[random.below(tasks)];
        if front >= best.start[task] {
            continue;
        }
        // Twice the starts, so that there is room between them.
        let mut keys: Vec<i64> = best.start.iter().map(|start| 2 * start).collect();
        let mut moved = vec![task];
        while let Some(task) = moved.pop() {
            keys[task] = 2 * front - 1;
            let before = model.before[task].iter();
            moved.extend(before.filter(|other| keys[**other] > 2 * front - 1));
        }
        let other = generate(model, &keys);
        if other.cost < best.cost {
            best = other;
        }
    }
    best
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
