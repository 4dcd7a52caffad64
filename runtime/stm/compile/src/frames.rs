//! How many frames of an epoch without a period fit the period of its hyperepoch.

use crate::list;
use crate::model::Model;
use gxf_stm::expand::{Cycle, MOST_INSTANCES, instance_count};
use gxf_stm::graph::Graph;

/// Most executions of a trial.
const MOST_TRIED: u32 = 20_000;

/// Most dependencies between the frames of a trial.
const MOST_DEPENDENCIES: u128 = 10_000_000;

/// The frames of an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameCount {
    /// `hyperepoch.epoch`.
    pub epoch: String,
    /// Frames that the graph asks for.
    pub asked: u32,
    /// Frames for which a schedule was found, the others as in the graph.
    pub fit: u32,
    /// Whether there may be room for more, because so many were not tried.
    pub at_least: bool,
}

/// For each epoch with several frames and without a period, how many fit.
#[must_use]
pub fn frames_that_fit(graph: &Graph) -> Vec<FrameCount> {
    let mut counts = Vec::new();
    for (index, epoch) in graph.epochs.iter().enumerate() {
        let has_room = graph.hyperepochs[epoch.hyperepoch].period.is_some();
        let runs = graph.runnables.iter().any(|runnable| runnable.epoch == index);
        if epoch.period.is_some() || epoch.frames < 2 || !has_room || !runs {
            continue;
        }
        let mut trial = graph.clone();
        let mut fits = |frames: u32| {
            trial.epochs[index].frames = frames;
            fits(&trial, epoch.hyperepoch)
        };
        // From one that fits to one that does not, then between them.
        let (mut low, mut high) = (0, 1);
        let mut at_least = false;
        loop {
            match fits(high) {
                Some(true) => low = high,
                Some(false) => break,
                None => {
                    at_least = true;
                    break;
                }
            }
            high *= 2;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(middle) == Some(true) { low = middle } else { high = middle }
        }
        let name = graph.epoch_name(index);
        counts.push(FrameCount { epoch: name, asked: epoch.frames, fit: low, at_least });
    }
    counts
}

/// Whether a first schedule is in time; `None` if the graph is too large to try.
fn fits(graph: &Graph, hyperepoch: usize) -> Option<bool> {
    let count = instance_count(graph, hyperepoch);
    let members = graph.runnables.len() as u128;
    if count > u128::from(MOST_TRIED.min(MOST_INSTANCES)) || members * count > MOST_DEPENDENCIES {
        return None;
    }
    let instances = Cycle::new(graph, hyperepoch, 0).instances;
    let model = Model::new(graph, &instances, false);
    Some(list::first_plan(&model).cost.late <= 0)
}
