//! `gxe plan`: which thread would execute which entity under the actor scheduler, and how many
//! messages may be between them.
//!
//! - `picture.rs`: the formats that are not JSON;
//! - `split.rs`: the app of each rank; `ring.rs`: its links for collectives; `nodes.rs`: both as
//!   YAML; `variables.rs`: what it may not divide.

mod nodes;
mod picture;
mod ring;
mod split;
mod variables;

use super::error::CommandError;
use super::graph::statistics::Statistics;
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::loading::{load_graph, never};
use crate::options::GraphOptions;
use crate::outputs::{self, keep_apart};
use crate::segments;
use crate::usage_error::UsageError;
use clap::{Args, ValueEnum};
use gxf_plan::Plan as ActorPlan;
use gxf_plugin_abi::{ResultCode, Uid};
use gxf_runtime::graph::escape::one_line;
use gxf_runtime::graph::{Diagnostic, Diagnostics, ParameterValue, read_source};
use gxf_runtime::{Context, Error};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The plan of a graph for the actor scheduler.
#[derive(Args, Debug)]
pub struct Plan {
    #[command(flatten)]
    graph: GraphArguments,
    #[command(flatten)]
    extensions: ExtensionArguments,
    #[command(flatten)]
    planning: PlanningArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// What is planned.
#[derive(Args, Debug)]
#[command(next_help_heading = "Planning")]
struct PlanningArguments {
    /// Number of processes
    #[arg(long, value_name = "COUNT", default_value_t = 1, conflicts_with = "check",
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    ranks: u32,

    /// Number of threads of a process, beside those of pinned entities [default: as the app's
    /// gxe::ActorScheduler has it, or 1]
    #[arg(long, value_name = "COUNT", conflicts_with = "check",
          value_parser = clap::value_parser!(u32).range(1..=128))]
    threads: Option<u32>,

    /// Messages that may be between two entities if their queue holds no more [default: as the app's
    /// gxe::ActorScheduler has it, or 2]
    #[arg(long, value_name = "COUNT", conflicts_with = "check",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(gxf_plan::MOST_INSTANCES)))]
    register_num: Option<u32>,

    /// Take the sizes of payloads that are larger, or that nothing else tells, from the statistics
    /// of a former run
    #[arg(long, value_name = "FILE", conflicts_with = "check")]
    statistics: Option<PathBuf>,

    /// Check this plan against the graph, and show it instead of a new one
    #[arg(long, value_name = "FILE")]
    check: Option<PathBuf>,

    /// Output format [default: from the extension of the output file, or json]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,

    /// Write to FILE, overwriting it, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Write an app for each rank to DIR, and ranks.yaml, which `gxe launch` runs
    #[arg(long, value_name = "DIR", conflicts_with_all = ["format", "output"])]
    split: Option<PathBuf>,

    /// First port of messages between ranks; each link takes the next
    #[arg(long, value_name = "PORT", default_value_t = 13337, requires = "split",
          value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The plan, for the scheduler and for editing
    Json,
    /// Graphviz
    Dot,
    /// Self-contained page
    Html,
}

impl Format {
    fn of_file(path: &Path) -> Option<Self> {
        match path.extension().and_then(OsStr::to_str)?.to_ascii_lowercase().as_str() {
            "json" | "plan" => Some(Self::Json),
            "dot" | "gv" => Some(Self::Dot),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}

impl Plan {
    /// Loads the graph and writes its plan.
    ///
    /// # Errors
    /// The graph cannot be loaded, the plan to check is wrong, or the output cannot be written.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { graph, extensions, planning, common: _ } = self;
        let format = format_of(&planning)?;
        let options = GraphOptions::new(graph, extensions, |name| std::env::var_os(name))?;
        if options.apps.is_empty() {
            let error = UsageError::new("no app file given, so there is nothing to plan");
            return Err(error.hint("name one:  gxe plan --app FILE --manifest FILE").into());
        }
        options.apps.iter().try_for_each(|path| refuse_segments(path))?;
        options.keep_apart(&planning.output)?;
        keep_apart(&planning.statistics, &planning.output)?;
        let context = Context::new();
        let loaded = load_graph(&context, &options, &never);
        let mut warnings = context.take_warnings();
        if loaded.is_ok() {
            warnings.extend(gxf_runtime::graph::check::shared_in_place(&context).iter().cloned());
        }
        if warnings.warnings() > 0 {
            console.findings(&warnings);
        }
        loaded?;
        let names = options.apps.iter().filter_map(|path| path.file_name());
        let names: Vec<_> = names.map(|name| one_line(&name.to_string_lossy())).collect();
        let plan = match &planning.check {
            Some(path) => read(path, &context, planning.split.is_none(), console)?,
            None => {
                let scheduler = |key| of_scheduler(&context, key);
                let mut plan = context.plan(&gxf_plan::Options {
                    graph: names.join(", "),
                    ranks: planning.ranks,
                    threads: planning.threads.or(scheduler("threads")).unwrap_or(1),
                    register_num: planning.register_num.or(scheduler("register_num")).unwrap_or(2),
                });
                if let Some(path) = &planning.statistics {
                    take_sizes(&mut plan, path)?;
                }
                plan
            }
        };
        if let Some(folder) = &planning.split {
            let names = ["manifest.yaml", "plan.json", "ranks.yaml"].map(str::to_owned);
            let apps = plan.ranks().into_iter().map(|rank| format!("rank{rank}.yaml"));
            options.keep_apart(apps.chain(names).map(|name| folder.join(name)))?;
            let written = split::write(&context, &options, &plan, folder, planning.port)?;
            Console::print(&written)?;
            return Ok(ExitStatus::Success);
        }
        let text = match format {
            Format::Json => plan.to_json(),
            Format::Dot => picture::dot(&plan),
            Format::Html => picture::html(&plan),
        };
        match &planning.output {
            Some(path) => outputs::write(path, &text)?,
            None => Console::print(&text)?,
        }
        Ok(ExitStatus::Success)
    }
}

/// Refuses a file with segments instead of entities.
fn refuse_segments(path: &Path) -> Result<(), Failure> {
    let Some(place) = segments::segments_place(path) else { return Ok(()) };
    let text =
        "the file lists segments, which run in processes of their own and have plans of their own";
    let problem = Diagnostic::error(ResultCode::ARGUMENT_INVALID, text)
        .at(place)
        .help("plan the app of each segment by itself:  gxe plan SEGMENT.yaml");
    let error =
        Error::from_diagnostics(format!("cannot plan '{}'", path.display()), problem.into());
    Err(Failure::new(ExitStatus::Load, anyhow::Error::new(error)))
}

/// Sets the sizes of payloads to the largest of a former run, if nothing else tells or they are
/// larger: a message may hold several blocks of a pool, all of which count in full.
fn take_sizes(plan: &mut ActorPlan, path: &Path) -> Result<(), Failure> {
    let measured = Statistics::read(path).map_err(|error| Failure::new(ExitStatus::Load, error))?;
    // Of a register that the plan gives its memory, a payload is exactly one block, or a variable.
    for register in plan.registers.iter_mut().filter(|one| !one.is_given) {
        let mut queues = measured.queues.iter();
        let own = queues.find(|one| format!("{}/{}", one.entity, one.component) == register.name);
        let Some(bytes) = own.and_then(|queue| queue.max_payload_bytes) else { continue };
        register.payload_bytes = Some(match register.payload_bytes {
            Some(block) if block > 0 => bytes.max(1).div_ceil(block).saturating_mul(block),
            _ => bytes,
        });
    }
    Ok(())
}

/// A number that the graph's actor scheduler has for a parameter, if there is one.
fn of_scheduler(context: &Context, key: &str) -> Option<u32> {
    let components =
        context.entities().into_iter().filter_map(|eid| context.component_ids(eid).ok());
    let is_scheduler = |cid: &Uid| {
        let tid = context.component_type(*cid).ok();
        let info = tid.and_then(|tid| context.type_info_by_id(tid));
        info.is_some_and(|info| info.name == "gxe::ActorScheduler")
    };
    match context.parameter(components.flatten().find(is_scheduler)?, key).ok()? {
        ParameterValue::Int64(value) => value.try_into().ok(),
        ParameterValue::UInt64(value) => value.try_into().ok(),
        _ => None,
    }
}

fn format_of(planning: &PlanningArguments) -> Result<Format, UsageError> {
    match (planning.format, &planning.output) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(Format::Json),
        (None, Some(path)) => Format::of_file(path).ok_or_else(|| {
            UsageError::new(format!("'{}' does not say what to write", path.display()))
                .hint("end it with .json, .dot or .html, or give the format with --format")
        }),
    }
}

/// Gives device memory of a plan from before plans named devices the number of its device, so that
/// registers on different ones share none.
fn name_devices(context: &Context, plan: &mut ActorPlan) {
    let options = gxf_plan::Options { graph: String::new(), ranks: 1, threads: 1, register_num: 1 };
    let own = context.plan(&options).registers;
    let named = own.into_iter().filter(|register| register.memory.starts_with("device:"));
    let named: HashMap<String, String> = named.map(|own| (own.name, own.memory)).collect();
    for register in plan.registers.iter_mut().filter(|register| register.memory == "device") {
        if let Some(memory) = named.get(&register.name) {
            register.memory.clone_from(memory);
        }
    }
}

/// Reads a plan and checks it against the loaded graph, which may run in one process as it is.
fn read(
    path: &Path,
    context: &Context,
    is_for_one_process: bool,
    console: Console,
) -> Result<ActorPlan, Failure> {
    let failed = |findings: Diagnostics| {
        let error =
            Error::from_diagnostics(format!("cannot use the plan '{}'", path.display()), findings);
        Failure::new(ExitStatus::Load, anyhow::Error::new(error))
    };
    let source = read_source(path).map_err(|problem| failed(problem.into()))?;
    let mut plan = gxf_plan::read_plan(&source).map_err(failed)?;
    name_devices(context, &mut plan);
    let mut findings = context.check_plan(&plan);
    if is_for_one_process {
        findings.extend(gxf_plan::check_ranks(&plan).map(Diagnostic::as_warning));
    }
    if findings.has_errors() {
        return Err(failed(findings));
    }
    if findings.warnings() > 0 {
        console.findings(&findings);
    }
    Ok(plan)
}
