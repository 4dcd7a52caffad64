//! What one cycle of a hyperepoch executes.
//!
//! A schedule plans each hyperepoch for as many of its periods, *cycles*, as alias groups need
//! until their turns begin again. Every frame ends before the next one of its epoch starts, and the
//! last one with the period of the hyperepoch. So no cycle depends on another, and each is planned
//! from time 0 on.

use crate::graph::Graph;

/// Most instances in all cycles of a hyperepoch.
pub const MOST_INSTANCES: u32 = 200_000;

/// Runnables of one cycle, in their frames.
#[derive(Clone, Debug)]
pub struct Cycle {
    /// Executions, frame by frame in the order of the epochs.
    pub instances: Vec<Instance>,
}

/// One execution of a runnable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The runnable.
    pub runnable: usize,
    /// The frame of its epoch, counted from 0 in each cycle.
    pub frame: u32,
    /// Time of the cycle, in nanoseconds, at which its frame starts; `None` if that is when the
    /// frame before has ended.
    pub frame_start: Option<u64>,
    /// Earliest start, in nanoseconds of the cycle.
    pub release: u64,
    /// Latest end; `None` if nothing limits it.
    pub latest_end: Option<u64>,
    /// Wished end.
    pub deadline: Option<u64>,
    /// Instances that end before it starts.
    pub predecessors: Vec<usize>,
}

/// Number of cycles until all alias groups of a hyperepoch are at their first steps again;
/// `u64::MAX` if it is larger than a schedule can be.
#[must_use]
pub fn cycle_count(graph: &Graph, hyperepoch: usize) -> u64 {
    let mut count: u64 = 1;
    for epoch in &graph.hyperepochs[hyperepoch].epochs {
        let epoch = &graph.epochs[*epoch];
        for group in &epoch.alias_groups {
            let steps = group.steps.len().max(1) as u64;
            let turns = steps / common_factor(steps, u64::from(epoch.frames));
            let longer = (count / common_factor(count, turns)).checked_mul(turns);
            let Some(longer) = longer else { return u64::MAX };
            count = longer;
        }
    }
    count
}

fn common_factor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// An upper bound of the instances in all cycles.
#[must_use]
pub fn instance_count(graph: &Graph, hyperepoch: usize) -> u128 {
    let epochs = graph.runnables.iter().map(|runnable| &graph.epochs[runnable.epoch]);
    let frames = epochs.filter(|epoch| epoch.hyperepoch == hyperepoch);
    let frames: u128 = frames.map(|epoch| u128::from(epoch.frames)).sum();
    // A cycle without runnables counts, too.
    frames.max(1) * u128::from(cycle_count(graph, hyperepoch))
}

impl Cycle {
    /// The instances of a cycle. The graph has no cycles of dependencies, and
    /// [`instance_count`] is at most [`MOST_INSTANCES`].
    #[must_use]
    pub fn new(graph: &Graph, hyperepoch: usize, cycle: u64) -> Self {
        let mut instances: Vec<Instance> = Vec::new();
        let period = graph.hyperepochs[hyperepoch].period;
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); graph.epochs.len()];
        for (index, runnable) in graph.runnables.iter().enumerate() {
            members[runnable.epoch].push(index);
        }
        let mut instance_of: Vec<Option<usize>> = vec![None; graph.runnables.len()];
        for &epoch_index in &graph.hyperepochs[hyperepoch].epochs {
            let epoch = &graph.epochs[epoch_index];
            let members = &members[epoch_index];
            // Frames without a period start when all of the frame before has ended.
            let mut frame_before: Vec<usize> = Vec::new();
            for frame in 0..epoch.frames {
                let number = cycle * u64::from(epoch.frames) + u64::from(frame);
                let frame_start = match epoch.period {
                    Some(step) => Some(step * u64::from(frame)),
                    None if frame == 0 => Some(0),
                    None => None,
                };
                let is_last = frame + 1 == epoch.frames;
                let latest_end = match epoch.period {
                    Some(step) if !is_last => Some(step * u64::from(frame + 1)),
                    _ => period,
                };
                let first = instances.len();
                for &index in members {
                    let runnable = &graph.runnables[index];
                    instance_of[index] = None;
                    if let Some(group) = runnable.alias_group {
                        let steps = &epoch.alias_groups[group].steps;
                        let step = usize::try_from(number % steps.len() as u64).unwrap_or_default();
                        if steps[step] != Some(index) {
                            continue;
                        }
                    }
                    instance_of[index] = Some(instances.len());
                    let start = frame_start.unwrap_or(0);
                    instances.push(Instance {
                        runnable: index,
                        frame,
                        frame_start,
                        release: start + runnable.start_time,
                        latest_end,
                        deadline: frame_start.and_then(|start| Some(start + runnable.deadline?)),
                        predecessors: Vec::new(),
                    });
                }
                for instance in &mut instances[first..] {
                    let runnable = &graph.runnables[instance.runnable];
                    let before = runnable.dependencies.iter().chain(&runnable.before_work);
                    let mut predecessors: Vec<usize> =
                        before.filter_map(|dependency| instance_of[*dependency]).collect();
                    if frame_start.is_none() && predecessors.is_empty() {
                        predecessors.clone_from(&frame_before);
                    }
                    instance.predecessors = predecessors;
                }
                let mut is_leaf = vec![true; instances.len() - first];
                for instance in &instances[first..] {
                    for predecessor in &instance.predecessors {
                        if *predecessor >= first {
                            is_leaf[*predecessor - first] = false;
                        }
                    }
                }
                if instances.len() > first {
                    let leaves = (first..instances.len()).filter(|at| is_leaf[at - first]);
                    frame_before = leaves.collect();
                }
            }
        }
        Self { instances }
    }
}
