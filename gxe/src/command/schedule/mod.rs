//! `gxe schedule`: plans an app ahead.
//!
//! - `rates.rs`: the entities of a graph as tasks, each with the period at which it has to run;
//! - `compute_graph.rs`: the tasks as a compute graph of STM;
//! - `app.rs`: the app with a static scheduler.

mod app;
mod compute_graph;
mod rates;

use super::error::CommandError;
use super::graph::statistics::Statistics;
use super::stm::{compile, files};
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::loading::{load_graph, never};
use crate::options::GraphOptions;
use crate::outputs::{self, keep_apart};
use crate::usage_error::UsageError;
use anyhow::Context as _;
use clap::{Args, ValueEnum};
use gxf_runtime::Context;
use gxf_runtime::graph::{Diagnostics, Source};
use gxf_stm::{GraphFiles, read_graph};
use rates::Tasks;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Name of the schedule's file.
const SCHEDULE: &str = "schedule.stm";

/// A graph, what a run of it measured, and how to plan it.
#[derive(Args, Debug)]
pub struct Schedule {
    #[command(flatten)]
    graph: GraphArguments,
    #[command(flatten)]
    extensions: ExtensionArguments,
    #[command(flatten)]
    planning: PlanningArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// How to plan.
#[derive(Args, Debug)]
#[command(next_help_heading = "Planning")]
struct PlanningArguments {
    /// Statistics of a run (JSON), whose execution times become worst-case times
    #[arg(long, value_name = "FILE")]
    statistics: PathBuf,

    /// Folder for graph.yaml, schedule.stm and app.yaml
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,

    /// CPUs to plan for [default: number of CPUs]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    cpus: Option<u16>,

    /// Percentile of the measured execution times
    #[arg(long, value_name = "PERCENTILE", value_enum, default_value_t = Percentile::P99)]
    percentile: Percentile,

    /// What to add to it
    #[arg(long, value_name = "PERCENT", default_value = "20",
          value_parser = compile::whole_number)]
    margin: u32,

    /// Longest search for the schedule; 0 takes the first one, Ctrl-C the best one so far
    #[arg(long, short, value_name = "SECONDS", default_value = "10",
          value_parser = compile::seconds, allow_negative_numbers = true)]
    time_limit: Duration,
}

/// A percentile that statistics have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Percentile {
    /// The median
    #[value(name = "50")]
    P50,
    /// The 90th percentile
    #[value(name = "90")]
    P90,
    /// The 95th percentile
    #[value(name = "95")]
    P95,
    /// The 99th percentile
    #[value(name = "99")]
    P99,
    /// The longest execution
    #[value(name = "100")]
    P100,
}

impl Schedule {
    /// Plans the app and writes the three files.
    ///
    /// # Errors
    /// The graph or the statistics cannot be loaded, nothing can be planned, or a file cannot be
    /// written.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { graph, extensions, planning, common: _ } = self;
        let options = GraphOptions::new(graph, extensions, |name| std::env::var_os(name))?;
        if options.apps.is_empty() {
            let error = UsageError::new("no app file given, so there is nothing to plan");
            let hint = "name one:  gxe schedule APP.yaml --statistics RUN.json -o DIR";
            return Err(error.hint(hint).into());
        }
        let names = ["graph.yaml", SCHEDULE, "app.yaml"];
        let outputs @ [graph_file, schedule_file, app_file] =
            &names.map(|name| planning.output.join(name));
        options.keep_apart(outputs)?;
        keep_apart([&planning.statistics], outputs)?;
        let measured = Statistics::read(&planning.statistics)
            .map_err(|error| Failure::new(ExitStatus::Load, error))?;
        let context = Context::new();
        load_graph(&context, &options, &never)?;
        let warnings = context.take_warnings();
        if warnings.warnings() > 0 {
            console.findings(&warnings);
        }
        // Beside the app, so that the folder can move; but --app-root moves relative paths.
        let named = match &options.app_root {
            Some(_) => std::path::absolute(schedule_file)?,
            None => PathBuf::from(SCHEDULE),
        };
        let mut remarks = Diagnostics::new();
        let description = context.describe();
        let tasks = Tasks::of(&description, &measured, &planning, &mut remarks)
            .map_err(|findings| impossible("the app cannot be planned", findings))?;
        remarks.sort_by_place();
        if remarks.warnings() > 0 {
            console.findings(&remarks);
        }
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let cpus = planning.cpus.map_or_else(processors, usize::from);
        let text = compute_graph::text(&tasks, cpus);
        let files = GraphFiles {
            graph: Source::new(graph_file.display().to_string(), text.clone()),
            fragments: Vec::new(),
            wcets: Vec::new(),
        };
        let mut remarks = Diagnostics::new();
        let graph = read_graph(&files, &mut remarks)
            .map_err(|findings| impossible("the app has no schedule", tasks.in_app(findings)))?;
        let options = gxf_stm_compile::Options {
            time_limit: planning.time_limit,
            jobs: processors(),
            stops: compile::interrupts()?,
            ..gxf_stm_compile::Options::default()
        };
        let compiled = gxf_stm_compile::compile(&graph, &options)
            .map_err(|refusal| compile::refused(&refusal, &[]))?;
        let app = app::text(&context, &description, &tasks, &named.to_string_lossy())
            .context("the app cannot be written")
            .map_err(|error| Failure::new(ExitStatus::Graph, error))?;
        outputs::create_folder(&planning.output)?;
        outputs::write(graph_file, &text)?;
        outputs::write(schedule_file, &compiled.schedule.to_string())?;
        outputs::write(app_file, &app)?;
        let mut report = format!(
            "{}: {} in {} on {}\n{}:\n",
            graph_file.display(),
            files::counted(tasks.tasks.len(), "runnable"),
            files::counted(tasks.epochs.len(), "epoch"),
            files::counted(cpus, "CPU"),
            schedule_file.display(),
        );
        compile::describe(&mut report, &compiled, false);
        report += &format!("{}: the app, with a gxe::StaticScheduler\n", app_file.display());
        Console::print(&report)?;
        Ok(match options.stops.load(Ordering::Acquire) {
            true => ExitStatus::Interrupted,
            false => ExitStatus::Success,
        })
    }
}

fn impossible(what: &'static str, findings: Diagnostics) -> Failure {
    let error = gxf_runtime::Error::from_diagnostics(what, findings);
    Failure::new(ExitStatus::Graph, anyhow::Error::new(error))
}
