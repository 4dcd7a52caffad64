//! `gxe stm check`.

use super::files::{GraphArguments, counted, document};
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use clap::Args;
use gxf_runtime::graph::Diagnostics;
use gxf_runtime::graph::escape::one_line;
use gxf_stm::Graph;
use gxf_stm::schedule::Document;
use std::path::PathBuf;

/// A graph, and a schedule of it.
#[derive(Args, Debug)]
pub struct Check {
    #[command(flatten)]
    graph: GraphArguments,

    /// Schedule, or refutation of one, to prove; without it, only the graph is checked
    #[arg(value_name = "SCHEDULE")]
    schedule: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Check {
    /// Reports what is wrong.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let graph = self.graph.read_for(console)?;
        let Some(path) = self.schedule else {
            let text = format!("{}: {}\n", self.graph.file().display(), described(&graph));
            Console::print(&text)?;
            return Ok(ExitStatus::Success);
        };
        let wrong = |findings: Diagnostics| {
            let what = format!("'{}' is wrong", path.display());
            let error = gxf_runtime::Error::from_diagnostics(what, findings);
            Failure::new(ExitStatus::Graph, anyhow::Error::new(error))
        };
        let read = match document(&path)? {
            Document::Schedule(schedule) => schedule,
            Document::Refutation(refutation) => {
                gxf_stm::check::check_refutation(&graph, &refutation).map_err(wrong)?;
                Console::print(&format!(
                    "{}: it is proven that `{}` has no schedule\n",
                    path.display(),
                    one_line(&refutation.hyperepoch)
                ))?;
                return Ok(ExitStatus::Success);
            }
        };
        let (proven, remarks) = gxf_stm::check::check(&graph, &read).map_err(wrong)?;
        if remarks.warnings() > 0 {
            console.findings(&remarks);
        }
        Console::print(&format!(
            "{}: every constraint is kept by {} in {}; cycles with a proven lower bound: {}, optimal \
             ones: {}\n",
            path.display(),
            counted(proven.executions, "execution"),
            counted(proven.cycles, "cycle"),
            proven.bounds,
            proven.optimal
        ))?;
        Ok(ExitStatus::Success)
    }
}

fn described(graph: &Graph) -> String {
    format!(
        "graph `{}`, identifier {}: {}, {}, {}, {}",
        one_line(&graph.name),
        graph.identifier,
        counted(graph.hyperepochs.len(), "hyperepoch"),
        counted(graph.epochs.len(), "epoch"),
        counted(graph.clients.len(), "client"),
        counted(graph.runnables.len(), "runnable"),
    )
}
