//! `gxe stm compile`.

use super::files::{GraphArguments, Output, counted};
use super::measures;
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use anyhow::anyhow;
use clap::Args;
use gxf_runtime::graph::escape::one_line;
use gxf_stm::schedule::{CyclePlan, Schedule};
use gxf_stm::time::show_time;
use gxf_stm_compile::{Compiled, Effort, Options, Refusal, compile, frames_that_fit};
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A graph, and how to search for its schedule.
#[derive(Args, Debug)]
pub struct Compile {
    #[command(flatten)]
    graph: GraphArguments,

    /// Schedule file to write
    #[arg(long, short, value_name = "FILE")]
    output: PathBuf,

    /// Longest search for each hyperepoch; 0 takes the first schedule, Ctrl-C the best one so far
    #[arg(long, short, value_name = "SECONDS", default_value = "10", value_parser = seconds,
          allow_negative_numbers = true)]
    time_limit: Duration,

    /// Most rounds of the search, which are the same on every machine
    #[arg(long, value_name = "N")]
    rounds: Option<u64>,

    /// Threads [default: number of CPUs]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,

    /// Share of the kept schedules that the search continues from [default: 50, or 6 with -t 0]
    #[arg(long, short, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(1..=100))]
    contexts: Option<u8>,

    /// Start of random choices; the same seed, threads and rounds give the same schedule
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Write measures of the schedule as YAML
    #[arg(long, short = 'k', value_name = "FILE")]
    kpis: Option<PathBuf>,

    /// Write the proof that a graph has no schedule, if it has none
    #[arg(long, value_name = "FILE")]
    refutation: Option<PathBuf>,

    /// Do not join short neighbouring CPU runnables
    #[arg(long)]
    nrf: bool,

    /// Join CPU runnables shorter than this
    #[arg(long, value_name = "MICROSECONDS", default_value = "500", value_parser = whole_number)]
    wt: u32,

    /// Run one runnable at a time, to measure each alone
    #[arg(long)]
    one_active_runnable: bool,

    /// Show each cycle and what its search took
    #[arg(long, short)]
    verbose: bool,

    #[command(flatten)]
    common: CommonArguments,
}

/// A number of seconds, as command lines write it.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds".to_owned())?;
    if !(0.0..=86_400.0).contains(&number) {
        return Err("expected 0 to 86400 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(number))
}

/// A whole number that is not negative.
pub fn whole_number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| format!("expected a whole number from 0 to {}", u32::MAX))
}

/// What the first Ctrl-C sets, which ends a search with the best schedule so far. The second one
/// ends the program.
pub fn interrupts() -> Result<Arc<AtomicBool>, Failure> {
    let flag = Arc::new(AtomicBool::new(false));
    let interrupted = i32::from(ExitStatus::Interrupted as u8);
    flag::register_conditional_shutdown(SIGINT, interrupted, flag.clone())
        .and_then(|_| flag::register(SIGINT, flag.clone()))
        .map_err(|error| {
            let error = anyhow!(error).context("signals cannot be watched");
            Failure::new(ExitStatus::Run, error)
        })?;
    Ok(flag)
}

impl Compile {
    /// Compiles the graph and writes the schedule.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let more = self.kpis.iter().chain(&self.refutation);
        self.graph.keep_apart([&self.output].into_iter().chain(more))?;
        let graph = self.graph.read_for(console)?;
        // Before a search that may take long.
        let output = Output::new(&self.output)?;
        let kpis = self.kpis.as_deref().map(Output::new).transpose()?;
        let proof = self.refutation.as_deref().map(Output::new).transpose()?;
        let processors = || std::thread::available_parallelism().map_or(1, usize::from);
        let default_contexts = if self.time_limit.is_zero() { 6 } else { 50 };
        let options = Options {
            time_limit: self.time_limit,
            rounds: self.rounds,
            jobs: self.jobs.map_or_else(processors, usize::from),
            contexts: u32::from(self.contexts.unwrap_or(default_contexts)),
            seed: self.seed,
            fuse_below: (!self.nrf).then_some(u64::from(self.wt) * 1000),
            one_active: self.one_active_runnable,
            stops: interrupts()?,
        };
        let fit = frames_that_fit(&graph);
        let fit: Vec<String> = fit
            .iter()
            .map(|count| {
                let least = if count.at_least { "at least " } else { "" };
                let name = one_line(&count.epoch);
                format!("`{name}` asks for {} frames, and {least}{} fit", count.asked, count.fit)
            })
            .collect();
        let compiled = match compile(&graph, &options) {
            Ok(compiled) => compiled,
            Err(refusal) => {
                if let (Some(proof), Some(refutation)) = (proof, &refusal.refutation) {
                    proof.write(&refutation.to_string())?;
                }
                return Err(refused(&refusal, &fit).into());
            }
        };
        // Replaying proofs takes as long as the search, and is left to `gxe stm check`.
        let mut unproven = compiled.schedule.clone();
        let cycles = unproven.hyperepochs.iter_mut().flat_map(|plan| &mut plan.cycles);
        cycles.for_each(|cycle| cycle.proof = None);
        let (_, remarks) = gxf_stm::check::check(&graph, &unproven).map_err(|findings| {
            let what = "the compiler made a wrong schedule, which is a bug; nothing is written";
            let error = gxf_runtime::Error::from_diagnostics(what, findings);
            Failure::new(ExitStatus::Run, anyhow::Error::new(error))
        })?;
        if remarks.warnings() > 0 {
            console.findings(&remarks);
        }
        output.write(&compiled.schedule.to_string())?;
        if let Some(kpis) = kpis {
            kpis.write(&measures::text(&compiled))?;
        }
        let mut text = format!(
            "{}: schedule of `{}`, identifier {}\n",
            self.output.display(),
            one_line(&graph.name),
            graph.identifier
        );
        describe(&mut text, &compiled, self.verbose);
        fit.iter().for_each(|line| _ = writeln!(text, "  {line}"));
        Console::print(&text)?;
        Ok(match options.stops.load(Ordering::Acquire) {
            true => ExitStatus::Interrupted,
            false => ExitStatus::Success,
        })
    }
}

/// A graph without a schedule as the failure of a command.
pub fn refused(refusal: &Refusal, fit: &[String]) -> Failure {
    let cycle = refusal.cycle.map_or(String::new(), |cycle| format!(" in cycle {cycle}"));
    let name = one_line(&refusal.hyperepoch);
    let what = if refusal.is_proven {
        format!("the hyperepoch `{name}` has no schedule{cycle}")
    } else {
        format!("no schedule of the hyperepoch `{name}` was found in time{cycle}")
    };
    let reasons = refusal.reasons.iter().chain(fit);
    let lines: Vec<&str> = reasons.map(String::as_str).collect();
    let error = anyhow!("{}", lines.join("\n")).context(what);
    Failure::new(ExitStatus::Graph, error)
}

/// One line for each hyperepoch, and with `verbose` one for each cycle.
pub fn describe(text: &mut String, compiled: &Compiled, verbose: bool) {
    let Schedule { hyperepochs, .. } = &compiled.schedule;
    for (plan, efforts) in hyperepochs.iter().zip(&compiled.searches) {
        let longest = plan.cycles.iter().max_by_key(|cycle| cycle.makespan);
        let Some(longest) = longest else { continue };
        let period = plan.period.map_or(String::new(), |time| format!(" of {}", show_time(time)));
        let count = match plan.cycles.len() {
            1 => String::new(),
            more => format!(" in the longest of {}", counted(more, "cycle")),
        };
        // Writing to a `String` does not fail.
        _ = writeln!(
            text,
            "  {}: {}{period}{count}, {}",
            one_line(&plan.name),
            show_time(longest.makespan),
            quality(longest)
        );
        if verbose {
            for (number, (cycle, effort)) in plan.cycles.iter().zip(efforts).enumerate() {
                let Effort { time, rounds, nodes } = effort;
                _ = writeln!(
                    text,
                    "    cycle {number}: {}, {}; {}, {} in {:.1} s",
                    show_time(cycle.makespan),
                    quality(cycle),
                    counted(usize::try_from(*rounds).unwrap_or(usize::MAX), "round"),
                    counted(usize::try_from(*nodes).unwrap_or(usize::MAX), "decision"),
                    time.as_secs_f64()
                );
            }
        }
    }
}

/// How good a plan is known to be.
fn quality(cycle: &CyclePlan) -> String {
    let deadlines = if cycle.keeps_deadlines { "" } else { ", deadlines are missed" };
    let proven = match (cycle.makespan == cycle.lower_bound, &cycle.proof) {
        _ if cycle.lanes.is_empty() => "empty".to_owned(),
        (true, Some(_)) => "optimal, with proof".to_owned(),
        (true, None) => "optimal, without a proof to check".to_owned(),
        (false, _) => format!(
            "at most {:.2} % above the lower bound {}",
            measures::gap_percent(cycle),
            show_time(cycle.lower_bound)
        ),
    };
    proven + deadlines
}
