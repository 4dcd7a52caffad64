//! Tabu search over the orders of a plan whose resources are chosen: neighbours exchange two
//! executions that follow each other on a critical path.

use crate::model::{Cost, Model, Plan, Random};
use rustc_hash::FxHashMap;

/// The order on each resource.
struct Orders<'a> {
    model: &'a Model,
    taken: &'a [Vec<usize>],
    sequence: Vec<Vec<usize>>,
    /// Position of each need of each task in the sequence of its resource.
    position: Vec<Vec<usize>>,
    /// What follows for submitters from given orders: what comes behind each task.
    held_back: Vec<Vec<usize>>,
    open: Vec<u32>,
    sorted: Vec<usize>,
}

impl<'a> Orders<'a> {
    fn new(model: &'a Model, plan: &'a Plan) -> Self {
        let mut sequence: Vec<Vec<usize>> = vec![Vec::new(); model.problem.resources];
        for (task, resources) in plan.taken.iter().enumerate() {
            resources.iter().for_each(|resource| sequence[*resource].push(task));
        }
        let mut position: Vec<Vec<usize>> =
            plan.taken.iter().map(|resources| vec![0; resources.len()]).collect();
        for (resource, members) in sequence.iter_mut().enumerate() {
            members.sort_by_key(|task| plan.start[*task]);
            for (at, task) in members.iter().enumerate() {
                for (need, taken) in plan.taken[*task].iter().enumerate() {
                    if *taken == resource {
                        position[*task][need] = at;
                    }
                }
            }
        }
        let count = plan.start.len();
        let mut held_back = vec![Vec::new(); count];
        for (first, second) in &model.problem.arcs {
            if let Some((first, second)) = model.held_back(*first, *second, &plan.taken)
                && !model.behind[first].contains(&second)
            {
                held_back[first].push(second);
            }
        }
        let (open, sorted) = (vec![0; count], Vec::with_capacity(count));
        Self { model, taken: &plan.taken, sequence, position, held_back, open, sorted }
    }

    /// What follows for submitters from the order of a task and the one behind it on a resource.
    fn held_back_by(&self, task: usize, need: usize) -> Option<(usize, usize)> {
        let next = self.neighbour(task, need, true)?;
        self.model.held_back(task, next, self.taken)
    }

    /// The neighbour of a task on the resource of one of its needs.
    fn neighbour(&self, task: usize, need: usize, next: bool) -> Option<usize> {
        let members = &self.sequence[self.taken[task][need]];
        let at = self.position[task][need];
        if next { members.get(at + 1).copied() } else { Some(members[at.checked_sub(1)?]) }
    }

    /// Earliest starts; `None` if the orders contradict each other.
    fn starts(&mut self, start: &mut Vec<i64>) -> Option<Cost> {
        let model = self.model;
        let count = model.before.len();
        start.clear();
        start.extend(model.problem.tasks.iter().map(|task| task.earliest));
        let has_work = !model.problem.submissions.is_empty();
        self.sorted.clear();
        for task in 0..count {
            let others = self.position[task].iter().filter(|at| **at > 0).count();
            self.open[task] = (model.before[task].len() + others) as u32;
        }
        if has_work {
            for task in 0..count {
                for need in 0..self.taken[task].len() {
                    if let Some((_, submitter)) = self.held_back_by(task, need) {
                        self.open[submitter] += 1;
                    }
                }
                self.held_back[task].iter().for_each(|submitter| self.open[*submitter] += 1);
            }
        }
        self.sorted.extend((0..count).filter(|task| self.open[*task] == 0));
        let mut at = 0;
        while let Some(task) = self.sorted.get(at).copied() {
            at += 1;
            let end = model.end(task, start[task]);
            for need in 0..self.taken[task].len() {
                if let Some(other) = self.neighbour(task, need, true) {
                    self.starts_behind(start, other, end);
                }
            }
            model.behind[task].iter().for_each(|other| self.starts_behind(start, *other, end));
            if !has_work {
                continue;
            }
            for at in 0..self.held_back[task].len() {
                self.starts_behind(start, self.held_back[task][at], end);
            }
            // By the order of it, or of its work, on a resource.
            let work = model.work[task].map(|submission| submission.work);
            for one in [Some(task), work].into_iter().flatten() {
                for need in 0..self.taken[one].len() {
                    let held_back = self.held_back_by(one, need);
                    if let Some((_, submitter)) = held_back.filter(|(first, _)| *first == task) {
                        self.starts_behind(start, submitter, end);
                    }
                }
            }
        }
        (self.sorted.len() == count).then(|| model.cost(start))
    }

    /// One of those that a task waits for ends then.
    fn starts_behind(&mut self, start: &mut [i64], task: usize, end: i64) {
        start[task] = start[task].max(end);
        self.open[task] -= 1;
        if self.open[task] == 0 {
            self.sorted.push(task);
        }
    }

    /// Exchanges two neighbours on each resource that both have taken. Of work in one stream, the
    /// submitters are exchanged, too. `false`, without a change, if others lie between them on one.
    fn exchange(&mut self, first: usize, second: usize) -> bool {
        let mut shared = Vec::new();
        for (first, second) in
            [Some((first, second)), self.counterpart(first, second)].into_iter().flatten()
        {
            for (need, resource) in self.taken[first].iter().enumerate() {
                if let Some(other) = self.taken[second].iter().position(|taken| taken == resource) {
                    if self.position[first][need] + 1 != self.position[second][other] {
                        return false;
                    }
                    shared.push(((first, need), (second, other), *resource));
                }
            }
        }
        for (first, second, resource) in shared {
            let at = self.position[first.0][first.1];
            self.sequence[resource].swap(at, at + 1);
            self.position[first.0][first.1] = at + 1;
            self.position[second.0][second.1] = at;
        }
        true
    }

    /// The submitters of two pieces of work in one stream, or the work of two submitters.
    fn counterpart(&self, first: usize, second: usize) -> Option<(usize, usize)> {
        let problem = &self.model.problem;
        let submissions = problem.submission(first).zip(problem.submission(second));
        if let Some((one, other)) = submissions {
            // In one stream, it is the submitters that follow each other.
            let held_back = self.model.held_back(first, second, self.taken);
            return held_back.filter(|pair| *pair == (one.submitter, other.submitter));
        }
        let (one, other) = self.model.work[first].zip(self.model.work[second])?;
        let held_back = self.model.held_back(one.work, other.work, self.taken);
        held_back.filter(|pair| *pair == (first, second)).map(|_| (one.work, other.work))
    }

    /// Pairs at the borders of blocks of a critical path.
    fn pairs(&self, start: &[i64], cost: Cost, random: &mut Random) -> Vec<(usize, usize)> {
        let model = self.model;
        let Some(mut task) = model.worst(start, cost) else { return Vec::new() };
        // From the end to the start: the task before, and if a resource joins them, which, and the two
        // whose order on it matters.
        let mut path = vec![(task, None)];
        while start[task] > model.problem.tasks[task].earliest {
            let before = |other: &usize| model.end(*other, start[*other]) == start[task];
            let arc = model.before[task].iter().copied().find(before);
            let neighbours = |of: usize| {
                (0..self.taken[of].len()).filter_map(move |need| {
                    let other = self.neighbour(of, need, false)?;
                    Some((self.taken[of][need], other, of))
                })
            };
            let mut others: Vec<_> = neighbours(task)
                .filter(|(_, other, _)| before(other))
                .map(|order| (order.1, order))
                .collect();
            if let Some(submission) = model.work[task] {
                others.extend(neighbours(submission.work).filter_map(|order| {
                    let (first, _) = model.held_back(order.1, order.2, self.taken)?;
                    before(&first).then_some((first, order))
                }));
            }
            let resource =
                if others.is_empty() { None } else { Some(others[random.below(others.len())]) };
            let (next, by) = match (arc, resource) {
                (Some(arc), Some(_)) if random.below(2) == 0 => (arc, None),
                (_, Some((other, order))) => (other, Some(order)),
                (Some(arc), None) => (arc, None),
                (None, None) => break,
            };
            path.push((next, by));
            task = next;
        }
        path.reverse();
        // The order of an entry joins it to the one behind it.
        let mut pairs = Vec::new();
        let on: Vec<Option<usize>> = path.iter().map(|(_, order)| Some((*order)?.0)).collect();
        for at in 0..path.len().saturating_sub(1) {
            let Some((resource, first, second)) = path[at].1 else { continue };
            let is_first = at == 0 || on[at - 1] != Some(resource);
            let is_last = on.get(at + 1) != Some(&Some(resource));
            if is_first || is_last || random.below(8) == 0 {
                pairs.push((first, second));
            }
        }
        pairs
    }
}

/// Improves a plan for a number of steps. Stops at a makespan of `bound`.
pub fn improve(model: &Model, plan: &Plan, steps: usize, bound: i64, random: &mut Random) -> Plan {
    let mut orders = Orders::new(model, plan);
    let mut start = Vec::new();
    let mut trial = Vec::new();
    let Some(mut cost) = orders.starts(&mut start) else { return plan.clone() };
    let mut best = Plan { start: start.clone(), taken: plan.taken.clone(), cost };
    let mut tabu: FxHashMap<(usize, usize), usize> = FxHashMap::default();
    for step in 0..steps {
        if (best.cost.late, best.cost.behind_deadline) == (0, 0) && best.cost.makespan <= bound {
            break;
        }
        let pairs = orders.pairs(&start, cost, random);
        let mut chosen: Option<(Cost, usize, usize)> = None;
        for (first, second) in &pairs {
            if !orders.exchange(*first, *second) {
                continue;
            }
            let found = orders.starts(&mut trial);
            orders.exchange(*second, *first);
            let Some(found) = found else { continue };
            let is_tabu = tabu.get(&(*second, *first)).is_some_and(|until| *until > step);
            if is_tabu && found >= best.cost {
                continue;
            }
            let is_better = match chosen {
                None => true,
                Some((other, ..)) => found < other || found == other && random.below(2) == 0,
            };
            if is_better {
                chosen = Some((found, *first, *second));
            }
        }
        let (first, second) = match chosen {
            Some((_, first, second)) => (first, second),
            None if pairs.is_empty() => break,
            None => pairs[random.below(pairs.len())],
        };
        if !orders.exchange(first, second) {
            continue;
        }
        match orders.starts(&mut start) {
            Some(found) => cost = found,
            None => {
                orders.exchange(second, first);
                let Some(found) = orders.starts(&mut start) else { break };
                cost = found;
                continue;
            }
        }
        tabu.insert((first, second), step + 6 + random.below(8 + pairs.len()));
        if cost < best.cost {
            best.start.clone_from(&start);
            best.cost = cost;
        }
    }
    best
}
