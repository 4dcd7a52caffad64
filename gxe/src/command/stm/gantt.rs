//! `gxe stm gantt`: a schedule as a self-contained page: a lane for each resource, frames, the
//! critical path, and arrows from submitters to their work.

use super::analyze::{part_of, read};
use super::files::schedule;
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::command::graph::svg::{COLORS, escaped};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::outputs::{keep_apart, write};
use clap::Args;
use gxf_stm::log::{Executed, ScheduleLog};
use gxf_stm::schedule::{CyclePlan, Execution, HyperepochPlan, Schedule};
use serde::Serialize;
use std::collections::HashMap;
use std::path::PathBuf;

/// A schedule, and where to draw it.
#[derive(Args, Debug)]
pub struct Gantt {
    /// Schedule file
    #[arg(value_name = "SCHEDULE")]
    schedule: PathBuf,

    /// Log of a run: draws measured times over planned ones
    #[arg(long, value_name = "LOG")]
    log: Option<PathBuf>,

    /// Write to FILE, overwriting it, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,
}

/// The script's data. Times are nanoseconds of a cycle.
#[derive(Serialize)]
struct Chart<'a> {
    name: &'a str,
    cycle: usize,
    cycles: usize,
    /// End of the chart.
    length: u64,
    makespan: u64,
    bound: u64,
    /// Names of the epochs, with the starts of their frames.
    epochs: Vec<(&'a str, Vec<u64>)>,
    lanes: Vec<&'a str>,
    bars: Vec<Bar<'a>>,
    /// Positions of submitters and their work.
    arrows: Vec<(usize, usize)>,
}

#[derive(Serialize)]
struct Bar<'a> {
    name: &'a str,
    /// Position of its epoch.
    epoch: usize,
    frame: u32,
    start: u64,
    end: u64,
    /// Positions of its lanes, its engine first.
    lanes: Vec<usize>,
    after: &'a [String],
    critical: bool,
    fused: bool,
    /// Median start and end of its executions in a run, and how many there were.
    measured: Option<(u64, u64, usize)>,
}

/// Hyperepoch, cycle, runnable and frame.
type Key = (String, usize, String, u32);

/// Starts and ends of executions in a run.
#[derive(Default)]
struct Measured(HashMap<Key, Vec<(u64, u64)>>);

impl Measured {
    fn new(schedule: &Schedule, log: &ScheduleLog) -> Self {
        let mut measured = Self::default();
        let ran = log.executions.iter().filter(|one| one.state == Executed::Ran);
        for one in ran {
            let Some((hyperepoch, epoch)) = one.epoch.split_once('.') else { continue };
            let mut plans = schedule.hyperepochs.iter();
            let Some(plan) = plans.find(|plan| plan.name == hyperepoch) else { continue };
            let mut epochs = plan.epochs.iter();
            let Some(epoch) = epochs.find(|known| known.name == epoch) else { continue };
            let frames = u64::from(epoch.frames.max(1));
            let cycle = one.frame / frames % (plan.cycles.len() as u64).max(1);
            let (Ok(cycle), Ok(frame)) =
                (usize::try_from(cycle), u32::try_from(one.frame % frames))
            else {
                continue;
            };
            let offset = epoch.period.unwrap_or(0).saturating_mul(u64::from(frame));
            let since = |time: i64| {
                offset.saturating_add(time.saturating_sub(one.frame_start).max(0).unsigned_abs())
            };
            let key = (hyperepoch.to_owned(), cycle, one.runnable.clone(), frame);
            measured.0.entry(key).or_default().push((since(one.start), since(one.end)));
        }
        measured
    }

    fn of(&self, hyperepoch: &str, cycle: usize, one: &Execution) -> Option<(u64, u64, usize)> {
        let key = (hyperepoch.to_owned(), cycle, one.runnable.clone(), one.frame);
        let times = self.0.get(&key)?;
        let median = |mut times: Vec<u64>| {
            times.sort_unstable();
            times.get(times.len() / 2).copied()
        };
        let start = median(times.iter().map(|(start, _)| *start).collect())?;
        let end = median(times.iter().map(|(_, end)| *end).collect())?;
        Some((start, end.max(start), times.len()))
    }
}

impl Gantt {
    /// Writes the page.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        keep_apart([&self.schedule].into_iter().chain(&self.log), &self.output)?;
        let schedule = schedule(&self.schedule)?;
        let log = self.log.as_deref().map(read).transpose()?;
        let part = log.as_ref().map(|log| part_of(log, &schedule)).transpose()?;
        let measured = part.map(|log| Measured::new(&schedule, log)).unwrap_or_default();
        let page = page(&schedule, &measured)
            .map_err(|error| Failure::new(ExitStatus::Run, anyhow::Error::new(error)))?;
        match self.output {
            Some(path) => write(&path, &page)?,
            None => Console::print(&page)?,
        }
        Ok(ExitStatus::Success)
    }
}

fn page(schedule: &Schedule, measured: &Measured) -> Result<String, serde_json::Error> {
    let mut charts = Vec::new();
    for plan in &schedule.hyperepochs {
        for (number, cycle) in plan.cycles.iter().enumerate() {
            charts.push(chart(plan, number, cycle, measured));
        }
    }
    // In a script, `</` would end it.
    let data = serde_json::to_string(&charts)?.replace("</", "<\\/");
    let [light, dark] = COLORS;
    let title = escaped(&schedule.graph);
    Ok(format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <title>{title}</title>\n<style>\n:root {{ color-scheme: light dark; {light} }}\n\
         @media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{}</style>\n</head>\n\
         <body>\n<header><h1>{title}</h1>\n{}</header>\n<main id=\"charts\"></main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{}</script>\n\
         </body>\n</html>\n",
        include_str!("assets/gantt.css"),
        include_str!("assets/gantt.html"),
        include_str!("assets/gantt.js"),
    ))
}

fn chart<'a>(
    plan: &'a HyperepochPlan,
    number: usize,
    cycle: &'a CyclePlan,
    measured: &Measured,
) -> Chart<'a> {
    let all: Vec<(&str, &Execution)> = cycle
        .lanes
        .iter()
        .flat_map(|lane| lane.executions.iter().map(|one| (lane.engine.as_str(), one)))
        .collect();
    let mut lanes: Vec<&str> = cycle.lanes.iter().map(|lane| lane.engine.as_str()).collect();
    let mut held: Vec<&str> =
        all.iter().flat_map(|(_, one)| one.holds.iter().map(String::as_str)).collect();
    held.sort_unstable();
    held.dedup();
    lanes.extend(held);
    let lane_of: HashMap<&str, usize> =
        lanes.iter().enumerate().map(|(at, name)| (*name, at)).collect();
    let ids: HashMap<String, usize> =
        all.iter().enumerate().map(|(at, (_, one))| (one.id(), at)).collect();
    let critical = critical(&all, &ids);
    let epoch_of =
        |name: &str| plan.epochs.iter().position(|epoch| epoch.name == name).unwrap_or(0);
    let bars = all.iter().enumerate().map(|(at, (engine, one))| Bar {
        name: &one.runnable,
        epoch: epoch_of(&one.epoch),
        frame: one.frame,
        start: one.start,
        end: one.end,
        lanes: [*engine]
            .into_iter()
            .chain(one.holds.iter().map(String::as_str))
            .filter_map(|name| lane_of.get(name).copied())
            .collect(),
        after: &one.after,
        critical: critical[at],
        fused: one.fused,
        measured: measured.of(&plan.name, number, one),
    });
    let arrows = all
        .iter()
        .enumerate()
        .filter_map(|(at, (_, one))| Some((at, *ids.get(one.submits.as_ref()?)?)));
    let starts = |period: Option<u64>, frames: u32| match period {
        Some(period) => (0..u64::from(frames)).map(|frame| frame * period).collect(),
        None => vec![0],
    };
    Chart {
        name: &plan.name,
        cycle: number,
        cycles: plan.cycles.len(),
        length: plan.period.unwrap_or(cycle.makespan).max(cycle.makespan).max(1),
        makespan: cycle.makespan,
        bound: cycle.lower_bound,
        epochs: plan
            .epochs
            .iter()
            .map(|epoch| (epoch.name.as_str(), starts(epoch.period, epoch.frames)))
            .collect(),
        bars: bars.collect(),
        arrows: arrows.collect(),
        lanes,
    }
}

/// Executions that delay the end: the last one, and before each those that it waits for and that
/// end when it starts.
fn critical(all: &[(&str, &Execution)], ids: &HashMap<String, usize>) -> Vec<bool> {
    let mut is_critical = vec![false; all.len()];
    let last = all.iter().map(|(_, one)| one.end).max();
    let mut open: Vec<usize> = (0..all.len()).filter(|at| Some(all[*at].1.end) == last).collect();
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut is_critical[at], true) {
            continue;
        }
        let (engine, one) = all[at];
        // Executions of one lane follow each other.
        let before = at.checked_sub(1).filter(|before| all[*before].0 == engine);
        let waits = one.after.iter().filter_map(|name| ids.get(name).copied());
        let ends_then = |other: &usize| all[*other].1.end == one.start;
        open.extend(waits.chain(before).filter(ends_then));
    }
    is_critical
}
