//! `gxe launch`: starts a graph in several processes.
//!
//! - `local.rs`: on this machine; `script.rs`: what Slurm, Kubernetes and Ray are given;
//! - `shared.rs`: options that all processes get.

mod local;
mod script;
mod shared;

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::remote::free_port;
use crate::segments::{folder_of, read};
use crate::usage_error::UsageError;
use anyhow::{Context as _, anyhow};
use clap::{Args, ValueEnum, ValueHint};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Where the processes run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Where {
    /// On this machine
    Local,
    /// As a job of Slurm, with sbatch
    Slurm,
    /// As an indexed job of Kubernetes, with kubectl
    Kubernetes,
    /// On the nodes of a Ray cluster, with the Python package ray
    Ray,
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

    /// Only print what would be started or submitted
    #[arg(long)]
    print: bool,

    /// Name of the job, for others than `local` [default: that of APP]
    #[arg(long)]
    name: Option<String>,

    /// Image with gxe and APP, for Kubernetes
    #[arg(long)]
    image: Option<String>,

    /// Secret of Kubernetes with the token that all processes know, under `token` [default: gxe]
    #[arg(long, value_name = "NAME")]
    secret: Option<String>,

    /// Options for each process, such as --severity=warning. Names of output files get that of the
    /// segment or `driver`: --trace=t.json writes t.driver.json and so on
    #[arg(value_name = "OPTION", last = true)]
    options: Vec<String>,

    #[command(flatten)]
    common: CommonArguments,
}

/// What runs.
struct Job {
    name: String,
    app: String,
    segments: Vec<String>,
    options: Vec<String>,
    /// The control socket, if it is the same in all processes.
    control: Option<&'static str>,
}

impl Job {
    /// The words of a process of `gxe`, which is called `name`.
    fn words(&self, name: &str, part: &[String]) -> Vec<String> {
        let options = shared::named(&self.options, name);
        let control = self.control.map(|socket| format!("--control={socket}"));
        [&["run".to_owned(), self.app.clone()], part, control.as_slice(), &options].concat()
    }

    /// The words of the processes, one for each segment; the first one drives all others. The
    /// address of the driver is to be added.
    fn ranks(&self) -> impl Iterator<Item = Vec<String>> {
        self.segments.iter().enumerate().map(|(rank, segment)| {
            let mut part = vec!["--worker".to_owned(), format!("--fragments={segment}")];
            if rank == 0 {
                part.insert(0, "--driver".to_owned());
            }
            self.words(segment, &part)
        })
    }
}

impl Launch {
    /// Executes the command.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { app, with, print, name, image, secret, options, common: _ } = self;
        if app.metadata().is_ok_and(|about| !about.is_file() && !about.is_dir()) {
            let text = format!("'{}' is no file, and each process reads it", app.display());
            return Err(UsageError::new(text).hint("write to a file what it says").into());
        }
        let is_local = with == Where::Local;
        let of_others = [
            ("--name", name.is_some() && is_local, "Slurm, Kubernetes and Ray"),
            ("--image", image.is_some() && with != Where::Kubernetes, "Kubernetes"),
            ("--secret", secret.is_some() && with != Where::Kubernetes, "Kubernetes"),
        ];
        if let Some((flag, _, whom)) = of_others.iter().find(|(_, is_wrong, _)| *is_wrong) {
            return Err(UsageError::new(format!("'{flag}' is for {whom} only")).into());
        }
        let (options, graph) = match shared::checked(&app, options, is_local) {
            Ok(checked) => checked?,
            Err(message) => return Ok(console.clap_message(&message)),
        };
        let path = graph.app_files().next().unwrap_or_else(|| app.clone());
        let file = read(&path)?;
        shared::keep_processes_apart(&options, &file, is_local)?;
        let stem = app.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        let job = Job {
            name: job_name(&name.or(stem).unwrap_or_default()),
            app: app.display().to_string(),
            segments: file.segments.iter().map(|segment| segment.name.clone()).collect(),
            options,
            control: (with == Where::Kubernetes).then_some(script::CONTROL),
        };
        if with == Where::Kubernetes && image.is_none() {
            let error = UsageError::new("Kubernetes needs an image with gxe and the app");
            return Err(error.hint("name it:  --image=REGISTRY/IMAGE:TAG").into());
        }
        let (program, arguments, script): (_, &[&str], _) = match with {
            Where::Local => {
                let folder = graph.app_root.unwrap_or_else(|| folder_of(&path));
                let port = free_port(&file, &folder);
                let port = port.map_err(|error| Failure::new(ExitStatus::Load, error))?;
                return local::run(&job, port, print, console);
            }
            Where::Slurm => ("sbatch", &[], script::slurm(&job)),
            Where::Kubernetes => {
                let image = image.unwrap_or_default();
                (
                    "kubectl",
                    &["apply", "-f", "-"],
                    script::kubernetes(&job, &image, &secret.unwrap_or_else(|| "gxe".to_owned())),
                )
            }
            Where::Ray => ("python3", &["-"], script::ray(&job)),
        };
        if print {
            std::io::stdout().write_all(script.as_bytes())?;
            return Ok(ExitStatus::Success);
        }
        let words = [&[program], arguments].concat().join(" ");
        console.note(&format!("submitting with: {words}\n{script}"));
        let submitted = match with {
            Where::Kubernetes => apply(program, arguments, &script, &job.name),
            _ => submit(program, arguments, &script, Stdio::inherit()).map(drop),
        };
        submitted.map_err(|error| Failure::new(ExitStatus::Run, error))?;
        Ok(ExitStatus::Success)
    }
}

/// Has Kubernetes start a job. One that is there already, and perhaps over, stays as it is, which is
/// no failure for `kubectl`.
fn apply(program: &str, arguments: &[&str], script: &str, name: &str) -> anyhow::Result<()> {
    let said = submit(program, arguments, script, Stdio::piped())?;
    match said.lines().any(|line| line.starts_with("job.batch/") && !line.ends_with(" created")) {
        false => Ok(()),
        true => Err(anyhow!(
            "there is a job `{name}` already, and nothing was started; delete it with 'kubectl delete \
             job {name}', or take another --name"
        )),
    }
}

/// Gives a script to a program. Passes on what it says, and returns it, if its output is a pipe.
fn submit(
    program: &str,
    arguments: &[&str],
    script: &str,
    output: Stdio,
) -> anyhow::Result<String> {
    let spawned =
        Command::new(program).args(arguments).stdin(Stdio::piped()).stdout(output).spawn();
    let mut child = spawned.with_context(|| {
        format!("'{program}' cannot be started; --print shows what it would be given")
    })?;
    let mut input = child.stdin.take().ok_or_else(|| anyhow!("'{program}' reads nothing"))?;
    let written = input.write_all(script.as_bytes());
    drop(input);
    let ended = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    Console::print(&said)?;
    if !ended.status.success() {
        return Err(anyhow!("'{program}' failed ({})", ended.status));
    }
    written.with_context(|| format!("'{program}' did not read everything"))?;
    Ok(said)
}

/// A name that all systems accept: that of a label of DNS.
fn job_name(text: &str) -> String {
    let mut name: String = text
        .to_ascii_lowercase()
        .chars()
        .map(|one| if one.is_ascii_alphanumeric() { one } else { '-' })
        // Kubernetes appends numbers.
        .take(50)
        .collect();
    if !name.starts_with(|one: char| one.is_ascii_alphabetic()) {
        name.insert_str(0, "gxe-");
    }
    name.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::job_name;

    #[test]
    fn names_of_jobs() {
        let table =
            [("ping", "ping"), ("Two_Hosts.v2", "two-hosts-v2"), ("9-", "gxe-9"), ("", "gxe")];
        for (text, name) in table {
            assert_eq!(job_name(text), name);
        }
        assert!(job_name(&"x".repeat(200)).len() <= 54);
    }
}
