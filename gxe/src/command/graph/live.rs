//! The page of a graph that runs: its cards have room for what the entities do now, which the page
//! learns from the run.

use super::model::NodeKind;
use super::scene::Scene;
use super::statistics::{EntityStatistics, QueueStatistics, Statistics};
use super::{build, html};
use anyhow::Result;
use gxf_runtime::graph::describe::{EntityDescription, GraphDescription};

const CODELET: &str = "nvidia::gxf::Codelet";
const RECEIVER: &str = "nvidia::gxf::Receiver";

/// Subgraphs are folded at first if there are more entities.
const UNFOLDED: usize = 300;

/// The page of a graph with this number.
///
/// # Errors
/// A name cannot be written as JSON.
pub fn live_page(graph: &GraphDescription, title: &str, number: u64) -> Result<String> {
    let mut model = build::model(graph, Some(&nothing_yet(graph)));
    for node in model.nodes.iter_mut().filter(|node| node.kind == NodeKind::Entity) {
        node.is_live = node.measured.take().is_some();
    }
    let depth = (model.nodes.len() > UNFOLDED && !model.groups.is_empty()).then_some(1);
    let folded = model.folded_from(depth);
    let scene = Scene::new(&model, vec![false; model.groups.len()]);
    html::file(&scene, graph, None, &folded, title, Some(number))
}

/// The statistics of a run that has not begun.
fn nothing_yet(graph: &GraphDescription) -> Statistics {
    let ticks =
        |entity: &&EntityDescription| entity.components.iter().any(|known| known.is_a(CODELET));
    let entities = graph.entities.iter().filter(ticks);
    let queues = graph.entities.iter().flat_map(|entity| {
        let queues = entity.components.iter().filter(|known| known.is_a(RECEIVER));
        queues.map(|queue| QueueStatistics {
            entity: entity.name.clone(),
            component: queue.label().to_owned(),
            max_fill: Some(0.0),
            ..QueueStatistics::default()
        })
    });
    Statistics {
        entities: entities
            .map(|entity| EntityStatistics {
                name: entity.name.clone(),
                ..EntityStatistics::default()
            })
            .collect(),
        queues: queues.collect(),
        ..Statistics::default()
    }
}
