//! A plan as a schedule: lanes, joined executions, and what each execution waits for.

use crate::model::{Model, Plan};
use gxf_stm::expand::Instance;
use gxf_stm::graph::{Engine, Graph};
use gxf_stm::schedule::{Execution, Lane};

/// The lanes of a plan. Neighbouring CPU executions shorter than `fuse_below` are joined where no
/// start moves.
pub fn lanes(
    graph: &Graph,
    instances: &[Instance],
    model: &Model,
    plan: &Plan,
    fuse_below: Option<u64>,
    one_active: bool,
) -> Vec<Lane> {
    let count = instances.len();
    let mut on: Vec<Vec<usize>> = vec![Vec::new(); model.problem.resources];
    for (task, taken) in plan.taken.iter().enumerate() {
        taken.iter().for_each(|resource| on[*resource].push(task));
    }
    let by_start = |task: &usize| (plan.start[*task], *task);
    on.iter_mut().for_each(|tasks| tasks.sort_by_key(by_start));
    // Everything that has to have ended before, beside the one before in the lane.
    let mut waits: Vec<Vec<usize>> = vec![Vec::new(); count];
    let neighbours = on.iter().flat_map(|tasks| tasks.windows(2).map(|pair| (pair[0], pair[1])));
    for (first, second) in neighbours.chain(model.problem.arcs.iter().copied()) {
        waits[second].push(first);
        if let Some((first, second)) = model.held_back(first, second, &plan.taken) {
            waits[second].push(first);
        }
    }
    waits.iter_mut().for_each(|waits| {
        waits.sort_unstable();
        waits.dedup();
    });
    let engines: Vec<usize> = (0..graph.resources.len())
        .filter(|one| graph.engine(*one).is_some() && !on[*one].is_empty())
        .collect();
    let blocks = Blocks::new(graph, instances, model, plan, &on, &engines, &waits, fuse_below);
    let after = fences(model, &on, &engines, plan, &blocks, &waits);
    let name = |task: usize| {
        format!("{}@{}", graph.runnable_name(instances[task].runnable), instances[task].frame)
    };
    let number = |time: i64| u64::try_from(time).unwrap_or(0);
    debug_assert_eq!(blocks.of.len(), count);
    let execution = |task: &usize| {
        let instance = &instances[*task];
        let more = plan.taken[*task].iter().skip(1);
        let more = more.filter(|resource| !one_active || **resource < graph.resources.len());
        Execution {
            runnable: graph.runnable_name(instance.runnable),
            epoch: graph.epochs[graph.runnables[instance.runnable].epoch].name.clone(),
            frame: instance.frame,
            release: instance.frame_start.map(|_| instance.release),
            start: number(plan.start[*task]),
            end: number(model.end(*task, plan.start[*task])),
            holds: more.map(|resource| graph.resource_name(*resource)).collect(),
            after: after[*task].iter().map(|other| name(*other)).collect(),
            submits: graph.runnables[instance.runnable]
                .submits
                .map(|work| format!("{}@{}", graph.runnable_name(work), instance.frame)),
            fused: blocks.is_joined(*task),
            place: None,
        }
    };
    let lane = |engine: &usize| Lane {
        engine: graph.resource_name(*engine),
        executions: on[*engine].iter().map(execution).collect(),
    };
    engines.iter().map(lane).collect()
}

/// Joined executions.
struct Blocks {
    of: Vec<usize>,
    members: Vec<Vec<usize>>,
    /// By block: the earliest start of what waits for it on other engines.
    awaited: Vec<i64>,
}

impl Blocks {
    #[expect(clippy::too_many_arguments, reason = "what a plan consists of, at its only use")]
    fn new(
        graph: &Graph,
        instances: &[Instance],
        model: &Model,
        plan: &Plan,
        on: &[Vec<usize>],
        engines: &[usize],
        waits: &[Vec<usize>],
        fuse_below: Option<u64>,
    ) -> Self {
        let mut blocks = Self {
            of: vec![usize::MAX; instances.len()],
            members: Vec::new(),
            awaited: Vec::new(),
        };
        let mut waited_for: Vec<Vec<usize>> = vec![Vec::new(); instances.len()];
        for (task, others) in waits.iter().enumerate() {
            others.iter().for_each(|other| waited_for[*other].push(task));
        }
        for engine in engines {
            let is_cpu = graph.engine(*engine) == Some(Engine::Cpu);
            for (at, task) in on[*engine].iter().copied().enumerate() {
                let previous = at.checked_sub(1).map(|before| on[*engine][before]);
                // Executions of one engine follow each other as they are.
                let elsewhere = |other: &&usize| plan.taken[**other].first() != Some(engine);
                let waiting = waited_for[task].iter().filter(elsewhere);
                let awaited =
                    waiting.map(|other| blocks.start(*other, plan)).min().unwrap_or(i64::MAX);
                // Every start stays as it is if the block waits for all that the task waits for, and
                // others wait for all of it.
                let stays = |block: usize| {
                    let start = plan.start[blocks.members[block][0]];
                    let mut before = waits[task].iter().filter(elsewhere);
                    model.problem.tasks[task].earliest <= start
                        && before.all(|other| blocks.end(*other, model, plan) <= start)
                        && blocks.awaited[block].min(awaited) >= model.end(task, plan.start[task])
                };
                let joins = previous.filter(|previous| {
                    let (one, other) = (&instances[*previous], &instances[task]);
                    let (first, second) =
                        (&graph.runnables[one.runnable], &graph.runnables[other.runnable]);
                    let is_small = |length: u64| fuse_below.is_some_and(|most| length < most);
                    is_cpu
                        && is_small(first.wcet)
                        && is_small(second.wcet)
                        && (first.client, first.epoch, one.frame)
                            == (second.client, second.epoch, other.frame)
                        && first.needs.len() == 1
                        && second.needs.len() == 1
                        && first.submits.is_none()
                        && model.end(*previous, plan.start[*previous]) == plan.start[task]
                        && stays(blocks.of[*previous])
                });
                match joins {
                    Some(previous) => {
                        let block = blocks.of[previous];
                        blocks.of[task] = block;
                        blocks.members[block].push(task);
                        blocks.awaited[block] = blocks.awaited[block].min(awaited);
                    }
                    None => {
                        blocks.of[task] = blocks.members.len();
                        blocks.members.push(vec![task]);
                        blocks.awaited.push(awaited);
                    }
                }
            }
        }
        blocks
    }

    /// The start of the block of a task, or its own if it has none yet.
    fn start(&self, task: usize, plan: &Plan) -> i64 {
        let block = self.members.get(self.of[task]);
        plan.start[block.map_or(task, |block| block[0])]
    }

    /// The end of the block of a task, or its own if it has none yet.
    fn end(&self, task: usize, model: &Model, plan: &Plan) -> i64 {
        let block = self.members.get(self.of[task]);
        let last = block.and_then(|block| block.last()).copied().unwrap_or(task);
        model.end(last, plan.start[last])
    }

    fn is_joined(&self, task: usize) -> bool {
        self.members[self.of[task]].first() != Some(&task)
    }
}

/// For the first execution of each block, the executions on other engines that it has to wait for
/// and that no other wait implies.
fn fences(
    model: &Model,
    on: &[Vec<usize>],
    engines: &[usize],
    plan: &Plan,
    blocks: &Blocks,
    waits: &[Vec<usize>],
) -> Vec<Vec<usize>> {
    let count = plan.start.len();
    let mut lane = vec![(0, 0); count];
    for (number, engine) in engines.iter().enumerate() {
        for (position, task) in on[*engine].iter().enumerate() {
            lane[*task] = (number, position);
        }
    }
    let lanes = engines.len();
    // How far each lane has come when a block has ended; lanes are few, so this is small.
    let mut come: Vec<u32> = vec![0; lanes * blocks.members.len()];
    let mut after = vec![Vec::new(); count];
    let mut sorted: Vec<usize> = (0..blocks.members.len()).collect();
    // Starts of what waits are later, because lengths are positive.
    sorted.sort_by_key(|block| plan.start[blocks.members[*block][0]]);
    for block in sorted {
        let members = &blocks.members[block];
        let head = members[0];
        let (own_lane, position) = lane[head];
        let mut known = vec![0_u32; lanes];
        let learn = |known: &mut Vec<u32>, other: usize| {
            let from = other * lanes;
            for (lane, mine) in known.iter_mut().enumerate() {
                *mine = (*mine).max(come[from + lane]);
            }
        };
        if let Some(before) = position.checked_sub(1) {
            let before = on[engines[own_lane]][before];
            // A lane makes nothing wait that is submitted; a stream does.
            let is_held = model.held_back(before, head, &plan.taken);
            if is_held.is_none_or(|(first, _)| first != before) {
                learn(&mut known, blocks.of[before]);
            }
        }
        let mut needed: Vec<usize> =
            members.iter().flat_map(|task| waits[*task].iter().copied()).collect();
        needed.retain(|other| blocks.of[*other] != block);
        needed.sort_by_key(|other| (std::cmp::Reverse(plan.start[*other]), *other));
        needed.dedup();
        for other in needed {
            let (lane, position) = lane[other];
            if (known[lane] as usize) <= position {
                // The end of a block is the end of its last execution.
                let theirs = blocks.of[other];
                after[head].extend(blocks.members[theirs].last());
                learn(&mut known, theirs);
            }
        }
        let last = members.last().map_or(position, |last| lane[*last].1);
        known[own_lane] = known[own_lane].max(last as u32 + 1);
        come[block * lanes..(block + 1) * lanes].copy_from_slice(&known);
        after[head].sort_by_key(|other| lane[*other]);
    }
    after
}
