//! A cycle as the searches see it.

use gxf_stm::deduce::{NEVER, Problem, Submission};
use gxf_stm::expand::Instance;
use gxf_stm::graph::Graph;

/// The executions of one cycle, prepared for searches.
#[derive(Clone, Debug)]
pub struct Model {
    /// Executions, resources and orders. Deadlines are not in it.
    pub problem: Problem,
    /// What each task waits for.
    pub before: Vec<Vec<usize>>,
    /// What waits for each task.
    pub behind: Vec<Vec<usize>>,
    /// Time from the start of a task to the end of the last one that waits for it.
    pub tail: Vec<i64>,
    /// Latest start that leaves room for what waits.
    pub latest_start: Vec<i64>,
    /// Wished ends.
    pub deadline: Vec<i64>,
    /// How much each task should be early: 0 for the lowest priority.
    pub weight: Vec<i64>,
    /// For submitters: their work.
    pub work: Vec<Option<Submission>>,
}

/// What is wrong with a plan, then its length; smaller is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// How far the worst execution ends behind the end of its frame, in nanoseconds.
    pub late: i64,
    /// How far the worst execution ends behind its deadline.
    pub behind_deadline: i64,
    /// End of the last execution.
    pub makespan: i64,
    /// Weighted starts of executions with priority.
    pub priority: i128,
}

/// Starts and resources of all executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Start of each task.
    pub start: Vec<i64>,
    /// Resource of each need of each task.
    pub taken: Vec<Vec<usize>>,
    /// What is wrong with it, and its length.
    pub cost: Cost,
}

impl Model {
    /// The executions of a cycle; with `one_active`, one at a time.
    pub fn new(graph: &Graph, instances: &[Instance], one_active: bool) -> Self {
        let mut problem = Problem::new(graph, instances, false);
        if one_active {
            problem.one_at_a_time();
        }
        let runnable = |instance: &Instance| &graph.runnables[instance.runnable];
        let deadline = |one: &Instance| one.deadline.and_then(|at| i64::try_from(at).ok());
        Self::of(
            problem,
            instances.iter().map(|one| deadline(one).unwrap_or(NEVER)).collect(),
            instances.iter().map(|one| 10 - i64::from(runnable(one).priority)).collect(),
        )
    }

    /// A problem with the wished end and the weight of each task.
    fn of(problem: Problem, deadline: Vec<i64>, weight: Vec<i64>) -> Self {
        let count = problem.tasks.len();
        let (mut before, mut behind) = (vec![Vec::new(); count], vec![Vec::new(); count]);
        for (first, second) in &problem.arcs {
            before[*second].push(*first);
            behind[*first].push(*second);
        }
        let mut work = vec![None; count];
        for submission in &problem.submissions {
            work[submission.submitter] = Some(*submission);
        }
        let mut model = Self {
            tail: vec![0; count],
            latest_start: vec![NEVER; count],
            deadline,
            weight,
            before,
            behind,
            work,
            problem,
        };
        for task in model.sorted().into_iter().rev() {
            let length = model.problem.tasks[task].length;
            let own = model.problem.tasks[task].latest_end.min(model.deadline[task]);
            let behind = &model.behind[task];
            let tail = behind.iter().map(|other| model.tail[*other]).max().unwrap_or(0);
            let latest = behind.iter().map(|other| model.latest_start[*other]).min();
            model.tail[task] = tail + length;
            model.latest_start[task] = own.min(latest.unwrap_or(NEVER)) - length;
        }
        model
    }

    /// Some of the tasks alone, by number, each within these times; see [`Problem::part`].
    pub fn part(&self, kept: &[usize], earliest: &[i64], latest_end: &[i64]) -> Self {
        let problem = self.problem.part(kept, earliest, latest_end);
        Self::of(problem, vec![NEVER; kept.len()], vec![0; kept.len()])
    }

    /// The tasks, each behind those that it waits for.
    pub fn sorted(&self) -> Vec<usize> {
        let count = self.before.len();
        let mut open: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let mut sorted: Vec<usize> = (0..count).filter(|task| open[*task] == 0).collect();
        let mut at = 0;
        while let Some(task) = sorted.get(at).copied() {
            at += 1;
            for other in &self.behind[task] {
                open[*other] -= 1;
                if open[*other] == 0 {
                    sorted.push(*other);
                }
            }
        }
        sorted
    }

    /// The end of a task that starts then.
    pub fn end(&self, task: usize, start: i64) -> i64 {
        start + self.problem.tasks[task].length
    }

    /// What follows for a submitter if one task of a plan ends before another one starts.
    pub fn held_back(
        &self,
        first: usize,
        second: usize,
        taken: &[Vec<usize>],
    ) -> Option<(usize, usize)> {
        self.problem.held_back(first, second, |task, need| Some(taken[task][need]))
    }

    /// What is wrong with starts, and their length.
    pub fn cost(&self, start: &[i64]) -> Cost {
        let mut cost = Cost { late: 0, behind_deadline: 0, makespan: 0, priority: 0 };
        for (task, start) in start.iter().enumerate() {
            let end = self.end(task, *start);
            cost.late = cost.late.max(end - self.problem.tasks[task].latest_end);
            cost.behind_deadline = cost.behind_deadline.max(end - self.deadline[task]);
            cost.makespan = cost.makespan.max(end);
            cost.priority += i128::from(*start) * i128::from(self.weight[task]);
        }
        cost
    }

    /// The task that makes a cost what it is.
    pub fn worst(&self, start: &[i64], cost: Cost) -> Option<usize> {
        (0..start.len()).find(|task| {
            let end = self.end(*task, start[*task]);
            if cost.late > 0 {
                end - self.problem.tasks[*task].latest_end == cost.late
            } else if cost.behind_deadline > 0 {
                end - self.deadline[*task] == cost.behind_deadline
            } else {
                end == cost.makespan
            }
        })
    }

    /// Whether executions choose between resources.
    pub fn has_choices(&self) -> bool {
        self.problem.tasks.iter().any(|task| task.needs.iter().any(|need| need.len() > 1))
    }
}

/// Numbers from a seed, the same each time (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A stream of numbers for each combination of seeds.
    pub fn new(seeds: &[u64]) -> Self {
        let mut random = Self(0);
        for seed in seeds {
            random.0 ^= *seed;
            random.0 = random.next();
        }
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}
