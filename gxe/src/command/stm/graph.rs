//! `gxe stm graph`: the graph as `gxe graph` draws apps: runnables are nodes, dependencies wires,
//! and the boundaries of hyperepochs, epochs and clients are groups in each other.

use super::files::GraphArguments;
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::command::graph::model::{Group, Model, Node, NodeKind, Port, Wire, WireKind};
use crate::command::graph::scene::Scene;
use crate::command::graph::{dot, mermaid, svg};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::outputs::write;
use crate::usage_error::UsageError;
use clap::{Args, ValueEnum};
use gxf_stm::time::show_time;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// A graph, and where to draw it.
#[derive(Args, Debug)]
pub struct Graph {
    #[command(flatten)]
    graph: GraphArguments,

    /// Write to FILE, overwriting it, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Output format [default: from the extension of the output file, or dot]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Graphviz
    Dot,
    /// Mermaid, for Markdown pages
    Mermaid,
    /// SVG, light or dark like the page around it
    Svg,
}

impl Format {
    fn of_file(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "dot" | "gv" => Some(Self::Dot),
            "mmd" | "mermaid" => Some(Self::Mermaid),
            "svg" => Some(Self::Svg),
            _ => None,
        }
    }
}

impl Graph {
    /// Writes the picture.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let format = match (self.format, &self.output) {
            (Some(format), _) => format,
            (None, None) => Format::Dot,
            (None, Some(path)) => Format::of_file(path).ok_or_else(|| {
                let text = format!("'{}' does not say what to write", path.display());
                UsageError::new(text).hint("end it with .dot, .mmd or .svg, or use --format")
            })?,
        };
        self.graph.keep_apart(&self.output)?;
        let graph = self.graph.read_for(console)?;
        let model = model(&graph);
        let text = match format {
            Format::Dot => dot::file(&model, &graph.name),
            Format::Mermaid => mermaid::file(&model),
            Format::Svg => {
                let open = vec![false; model.groups.len()];
                svg::file(&Scene::new(&model, open), &graph.name)
            }
        };
        match self.output {
            Some(path) => write(&path, &text)?,
            None => Console::print(&text)?,
        }
        Ok(ExitStatus::Success)
    }
}

fn model(graph: &gxf_stm::Graph) -> Model {
    let mut model = Model::default();
    let mut epochs = Vec::new();
    for hyperepoch in &graph.hyperepochs {
        let resources: Vec<String> =
            hyperepoch.resources.iter().map(|one| graph.resource_name(*one)).collect();
        let period =
            hyperepoch.period.map_or(String::new(), |time| format!(", {}", show_time(time)));
        let outer = model.groups.len();
        model.groups.push(Group {
            name: hyperepoch.name.clone(),
            label: format!("{}{period}: {}", hyperepoch.name, resources.join(" ")),
            parent: None,
            entity: 0,
        });
        for index in &hyperepoch.epochs {
            let epoch = &graph.epochs[*index];
            let frames = match (epoch.frames, epoch.period) {
                (1, None) => String::new(),
                (1, Some(period)) => format!(", {}", show_time(period)),
                (frames, None) => format!(", {frames} frames"),
                (frames, Some(period)) => format!(", {frames} × {}", show_time(period)),
            };
            epochs.push((*index, model.groups.len()));
            model.groups.push(Group {
                name: graph.epoch_name(*index),
                label: format!("{}{frames}", epoch.name),
                parent: Some(outer),
                entity: 0,
            });
        }
    }
    let epochs: HashMap<usize, usize> = epochs.into_iter().collect();
    let mut clients: HashMap<(usize, usize), usize> = HashMap::new();
    for (index, runnable) in graph.runnables.iter().enumerate() {
        let client = &graph.clients[runnable.client].name;
        let group = *clients.entry((runnable.epoch, runnable.client)).or_insert_with(|| {
            model.groups.push(Group {
                name: format!("{}/{client}", graph.epoch_name(runnable.epoch)),
                label: client.clone(),
                parent: epochs.get(&runnable.epoch).copied(),
                entity: 0,
            });
            model.groups.len() - 1
        });
        let mut terms = vec![show_time(runnable.wcet)];
        if runnable.start_time > 0 {
            terms.push(format!("start ≥ {}", show_time(runnable.start_time)));
        }
        if let Some(deadline) = runnable.deadline {
            terms.push(format!("end ≤ {}", show_time(deadline)));
        }
        if let Some(turns) = runnable.alias_group {
            terms.push(graph.epochs[runnable.epoch].alias_groups[turns].name.clone());
        }
        terms.extend(runnable.needs.iter().skip(1).map(|need| need.text.clone()));
        let port = |name: &str| Port {
            name: name.to_owned(),
            queue: String::new(),
            is_queue_chosen: false,
            connected: true,
            measured: None,
        };
        model.nodes.push(Node {
            name: graph.runnable_name(index),
            label: runnable.name.clone(),
            kind: NodeKind::Entity,
            group: Some(group),
            entity: None,
            types: runnable.needs.first().map(|need| need.text.clone()).into_iter().collect(),
            unknown_types: Vec::new(),
            terms,
            inputs: vec![port("start")],
            outputs: vec![port("end")],
            measured: None,
            is_live: false,
        });
        for dependency in &runnable.dependencies {
            let submits = runnable.submitter == Some(*dependency);
            let port = Some(0).filter(|_| !submits);
            model.wires.push(Wire {
                kind: if submits { WireKind::Reference } else { WireKind::Messages },
                source: (*dependency, port),
                target: (index, port),
                place: None,
                messages: None,
                rate_hz: None,
                dropped: 0.0,
            });
        }
    }
    model
}
