//! `gxe stm check`.

use super::files::GraphArguments;
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use clap::Args;

/// A graph and a schedule of it.
#[derive(Args, Debug)]
pub struct Check {
    #[command(flatten)]
    graph: GraphArguments,

    #[command(flatten)]
    common: CommonArguments,
}

impl Check {
    /// Reports what is wrong.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let graph = self.graph.read_for(console)?;
        Console::print(&format!("{}: {}\n", self.graph.file().display(), described(&graph)))?;
        Ok(ExitStatus::Success)
    }
}

fn described(graph: &gxf_stm::Graph) -> String {
    let count = |number: usize, noun: &str| match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
    };
    format!(
        "graph `{}`, identifier {}: {}, {}, {}, {}",
        graph.name,
        graph.identifier,
        count(graph.hyperepochs.len(), "hyperepoch"),
        count(graph.epochs.len(), "epoch"),
        count(graph.clients.len(), "client"),
        count(graph.runnables.len(), "runnable"),
    )
}
