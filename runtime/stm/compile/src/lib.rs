//! Compiles compute graphs to static schedules.
//!
//! Each cycle of each hyperepoch is a problem of its own. In the order of work:
//!
//! - `model.rs`: the executions of a cycle, and what a plan of them costs;
//! - `list.rs`: first plans, by priority rules; `tabu.rs`: better orders; `exact.rs`: branch and
//!   bound, which proves; `search.rs`: rounds of all three on several threads;
//! - `explain.rs`: why there is no schedule; `frames.rs`: how many frames fit;
//! - `plan.rs`: lanes, joined executions and fences of the schedule.
//!
//! The rules of proofs are those of the checker, [`gxf_stm::deduce`]; nothing else of this crate
//! has to be right for a schedule to be. It may import `gxf-stm` and what that imports.

#![forbid(unsafe_code)]

mod exact;
mod explain;
mod frames;
mod list;
mod model;
mod plan;
mod search;
mod tabu;

use explain::Names;
use gxf_stm::expand::{Cycle, cycle_count};
use gxf_stm::graph::Graph;
use gxf_stm::schedule::{CyclePlan, EpochPlan, HyperepochPlan, Refutation, Schedule};
use gxf_stm::time::{LONGEST, show_time};
use model::Model;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

pub use frames::{FrameCount, frames_that_fit};

/// The longest search for a first schedule.
pub const FIRST: Duration = Duration::from_secs(10);

/// How to search.
#[derive(Clone, Debug)]
pub struct Options {
    /// Longest search for one hyperepoch; zero takes the first schedule, for which it looks no longer
    /// than [`FIRST`].
    pub time_limit: Duration,
    /// Most rounds of the search of a cycle; unlike a time limit, the same on every machine.
    pub rounds: Option<u64>,
    /// Threads.
    pub jobs: usize,
    /// Share of the kept plans, in percent, that each round continues from.
    pub contexts: u32,
    /// Where random choices start.
    pub seed: u64,
    /// CPU executions shorter than this, in nanoseconds, are joined to their neighbours; `None`
    /// joins none.
    pub fuse_below: Option<u64>,
    /// One runnable at a time, for profiling.
    pub one_active: bool,
    /// Ends the search early, with the best schedule so far, once it is true.
    pub stops: Arc<AtomicBool>,
}

impl Options {
    fn takes_first(&self) -> bool {
        self.time_limit.is_zero()
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            time_limit: Duration::from_secs(10),
            rounds: None,
            jobs: 1,
            contexts: 50,
            seed: 1,
            fuse_below: Some(500_000),
            one_active: false,
            stops: Arc::default(),
        }
    }
}

/// A schedule, and how it was found.
#[derive(Debug)]
pub struct Compiled {
    /// The schedule.
    pub schedule: Schedule,
    /// The search for each cycle of each hyperepoch.
    pub searches: Vec<Vec<Effort>>,
}

/// What the search for a cycle took.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Time in the search.
    pub time: Duration,
    /// Rounds of all workers.
    pub rounds: u64,
    /// Decisions of branch and bound.
    pub nodes: u64,
}

/// Why there is no schedule.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The hyperepoch.
    pub hyperepoch: String,
    /// The cycle, from 0, if there are several.
    pub cycle: Option<u64>,
    /// Whether it is proven that there is none; otherwise the search found none.
    pub is_proven: bool,
    /// The proof, unless it is too long.
    pub refutation: Option<Box<Refutation>>,
    /// Which chain, resource and frame, and by how much.
    pub reasons: Vec<String>,
}

/// Compiles a graph.
///
/// # Errors
/// The first hyperepoch that has no schedule, or for which none was found in time.
pub fn compile(graph: &Graph, options: &Options) -> Result<Compiled, Refusal> {
    let mut schedule = Schedule {
        graph: graph.name.clone(),
        identifier: graph.identifier,
        one_active: options.one_active,
        hyperepochs: Vec::new(),
    };
    let mut searches = Vec::new();
    for (index, hyperepoch) in graph.hyperepochs.iter().enumerate() {
        let count = cycle_count(graph, index);
        let limit = if options.takes_first() { FIRST } else { options.time_limit };
        let until = Instant::now() + limit;
        let (mut cycles, mut efforts) = (Vec::new(), Vec::new());
        for number in 0..count {
            // Each cycle gets an equal part of what time is left.
            let now = Instant::now();
            let left = until.saturating_duration_since(now);
            let part = now + left / u32::try_from(count - number).unwrap_or(u32::MAX);
            let (plan, effort) = compile_cycle(graph, index, number, options, part)?;
            cycles.push(plan);
            efforts.push(effort);
        }
        searches.push(efforts);
        schedule.hyperepochs.push(HyperepochPlan {
            name: hyperepoch.name.clone(),
            period: hyperepoch.period,
            resources: (hyperepoch.resources.iter())
                .map(|resource| graph.resource_name(*resource))
                .collect(),
            epochs: hyperepoch
                .epochs
                .iter()
                .map(|epoch| &graph.epochs[*epoch])
                .map(|epoch| EpochPlan {
                    name: epoch.name.clone(),
                    period: epoch.period,
                    frames: epoch.frames,
                })
                .collect(),
            cycles,
            place: None,
        });
    }
    Ok(Compiled { schedule, searches })
}

fn compile_cycle(
    graph: &Graph,
    hyperepoch: usize,
    cycle: u64,
    options: &Options,
    until: Instant,
) -> Result<(CyclePlan, Effort), Refusal> {
    let instances = Cycle::new(graph, hyperepoch, cycle).instances;
    let model = Model::new(graph, &instances, options.one_active);
    let began = Instant::now();
    let found = search::search(&model, options, cycle, until);
    let effort = Effort { time: began.elapsed(), rounds: found.rounds, nodes: found.nodes };
    let cost = found.plan.cost;
    let name = || graph.hyperepochs[hyperepoch].name.clone();
    let number_of_several = (cycle_count(graph, hyperepoch) > 1).then_some(cycle);
    let number = |time: i64| u64::try_from(time).unwrap_or(0);
    if number(cost.makespan) > LONGEST {
        return Err(Refusal {
            hyperepoch: name(),
            cycle: number_of_several,
            is_proven: number(found.lower_bound) > LONGEST,
            refutation: None,
            reasons: vec![format!(
                "the shortest schedule found takes {}, and none may be longer than {}",
                show_time(number(cost.makespan)),
                show_time(LONGEST)
            )],
        });
    }
    if cost.late > 0 {
        let names = Names { graph, instances: &instances };
        let reason = explain::reason(&model, &names);
        let mut reasons = Vec::from_iter(reason);
        if reasons.is_empty() && found.is_impossible {
            reasons.push(explain::core(&model, &names).unwrap_or_else(|| match found.nodes {
                0 => "resources and dependencies together leave no order".to_owned(),
                nodes => format!("{nodes} decisions were tried, and no order is left"),
            }));
        }
        reasons.extend(explain::nearest(&model, &found.plan, &names));
        if !found.is_impossible {
            let text = "it is not proven that there is none: a longer search (`-t`) may find one";
            reasons.push(text.to_owned());
        }
        return Err(Refusal {
            hyperepoch: name(),
            cycle: number_of_several,
            is_proven: found.is_impossible,
            refutation: found.proof.filter(|_| found.is_impossible).map(|proof| {
                Box::new(Refutation {
                    graph: graph.name.clone(),
                    identifier: graph.identifier,
                    one_active: options.one_active,
                    hyperepoch: graph.hyperepochs[hyperepoch].name.clone(),
                    cycle,
                    proof,
                })
            }),
            reasons,
        });
    }
    let lanes = plan::lanes(
        graph,
        &instances,
        &model,
        &found.plan,
        options.fuse_below.filter(|_| !options.one_active),
        options.one_active,
    );
    let plan = CyclePlan {
        makespan: number(cost.makespan),
        lower_bound: number(found.lower_bound),
        keeps_deadlines: cost.behind_deadline <= 0,
        proof: found.proof,
        lanes,
        place: None,
    };
    Ok((plan, effort))
}
