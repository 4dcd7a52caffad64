//! `gxe launch`: starts a graph in several processes.

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::remote::{free_port, read};
use anyhow::Context as _;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::process::{Child, Command};

/// Where the processes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Where {
    /// On this machine
    Local,
}

/// Starts a driver, and a worker for each segment.
#[derive(Args, Debug)]
pub struct Launch {
    /// File with `graph-specs` and `connections`
    #[arg(value_name = "APP", value_hint = ValueHint::FilePath)]
    app: PathBuf,

    /// Where the processes run
    #[arg(long, value_name = "WHERE", default_value = "local")]
    with: Where,

    /// Only print the commands
    #[arg(long)]
    print: bool,

    /// Options for each process, such as --severity=warning
    #[arg(value_name = "OPTION", last = true)]
    options: Vec<String>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Launch {
    /// Executes the command.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { app, with: Where::Local, print, options, common: _ } = self;
        let failed = |error| Failure::new(ExitStatus::Load, error);
        let file = read(&app).map_err(failed)?;
        let address = format!("127.0.0.1:{}", free_port().map_err(failed)?);
        let run = ["run".to_owned(), app.display().to_string()];
        let mut parts = vec![vec!["--driver".to_owned()]];
        for segment in &file.segments {
            parts.push(vec!["--worker".to_owned(), format!("--fragments={}", segment.name)]);
        }
        let address = format!("--address={address}");
        let lines: Vec<Vec<String>> = parts
            .into_iter()
            .map(|part| [&run[..], &part, std::slice::from_ref(&address), &options].concat())
            .collect();
        for line in &lines {
            console.note(&format!("starting: gxe {}", line.join(" ")));
        }
        if print {
            return Ok(ExitStatus::Success);
        }
        let program = std::env::current_exe().context("this program is not found");
        let program = program.map_err(|error| Failure::new(ExitStatus::Run, error))?;
        let mut children: Vec<Child> = Vec::new();
        for line in &lines {
            match Command::new(&program).args(line).spawn() {
                Ok(child) => children.push(child),
                Err(error) => {
                    for child in &mut children {
                        _ = child.kill();
                    }
                    let error = anyhow::Error::new(error).context("a process does not start");
                    return Err(Failure::new(ExitStatus::Run, error).into());
                }
            }
        }
        // A driver ends its workers, and Ctrl-C reaches all processes of the terminal.
        let mut worst = ExitStatus::Success;
        for child in &mut children {
            let succeeded = child.wait().is_ok_and(|status| status.success());
            if !succeeded {
                worst = ExitStatus::Run;
            }
        }
        Ok(worst)
    }
}
