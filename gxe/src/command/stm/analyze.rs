//! `gxe stm analyze`: what a run by a schedule did, from its log.

use super::files::schedule;
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::outputs::{keep_apart, write};
use anyhow::anyhow;
use clap::{Args, ValueEnum};
use gxf_runtime::graph::escape;
use gxf_runtime::graph::escape::one_line;
use gxf_stm::log::{Executed, Log, ScheduleLog};
use gxf_stm::schedule::Schedule;
use gxf_stm::time::show_time;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// A log, and how to show it.
#[derive(Args, Debug)]
pub struct Analyze {
    /// Log of a run: the parameter `log` of gxe::StaticScheduler
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// Show only what ran by this schedule, with overruns of its worst-case times
    #[arg(long, short, value_name = "SCHEDULE")]
    schedule: Option<PathBuf>,

    /// Output format
    #[arg(long, short, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,

    /// Write to FILE, overwriting it, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people
    Table,
    /// JSON
    Json,
    /// Comma-separated values, with columns for the schedule and the table of a row
    Csv,
    /// Self-contained page
    Html,
}

/// What ran by one schedule.
struct Section<'a> {
    log: &'a ScheduleLog,
    tables: [Table; 3],
}

/// One table: its name, the heads of its columns, and its rows.
struct Table {
    name: &'static str,
    heads: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

/// A value: people see times with a unit, programs nanoseconds.
enum Cell {
    Text(String),
    Count(u64),
    Known(Option<u64>),
    Time(Option<u64>),
    Percent(f64),
}

/// The executions of one runnable.
#[derive(Default)]
struct Runnable {
    ran: u64,
    passed_over: u64,
    missing: u64,
    overruns: u64,
    durations: Vec<u64>,
    delays: Vec<u64>,
}

impl Analyze {
    /// Prints or writes the analysis.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        keep_apart([&self.log].into_iter().chain(&self.schedule), &self.output)?;
        let mut log = read(&self.log)?;
        let mut planned = BTreeMap::new();
        if let Some(path) = &self.schedule {
            let schedule = schedule(path)?;
            log.schedules = vec![part_of(&log, &schedule)?.clone()];
            let cycles = schedule.hyperepochs.iter().flat_map(|plan| &plan.cycles);
            for execution in cycles.flat_map(|cycle| &cycle.lanes).flat_map(|lane| &lane.executions)
            {
                planned.insert(execution.runnable.clone(), execution.end - execution.start);
            }
        }
        // A master logs schedules that did not run, too.
        let has_entries = |one: &ScheduleLog| !one.executions.is_empty() || !one.frames.is_empty();
        if log.schedules.iter().any(has_entries) {
            log.schedules.retain(has_entries);
        }
        let sections = log.schedules.iter().map(|log| Section {
            log,
            tables: [runnables(log, &planned), epochs(log), resources(log)],
        });
        let sections: Vec<Section<'_>> = sections.collect();
        let text = match self.format {
            Format::Table => table(log.dropped, &sections),
            Format::Json => format!("{:#}\n", escape::json(document(log.dropped, &sections))),
            Format::Csv => csv(&sections),
            Format::Html => html(log.dropped, &sections),
        };
        match &self.output {
            Some(path) => write(path, &text)?,
            None => Console::print(&text)?,
        }
        Ok(ExitStatus::Success)
    }
}

/// What a log says of a schedule.
///
/// # Errors
/// Nothing.
pub fn part_of<'a>(log: &'a Log, schedule: &Schedule) -> Result<&'a ScheduleLog, Failure> {
    let fingerprint = schedule.fingerprint();
    let wanted = ScheduleLog::of(&schedule.graph, schedule.identifier, fingerprint);
    let is_same = |one: &&ScheduleLog| one.fingerprint == fingerprint;
    if let Some(found) = log.schedules.iter().find(is_same) {
        return Ok(found);
    }
    let wanted = title(&wanted);
    let is_older = log.schedules.iter().any(|one| title(one) == wanted);
    let why = if is_older {
        "the one that ran had another content".to_owned()
    } else {
        let ran: Vec<String> = log.schedules.iter().map(title).collect();
        format!("what ran was {}", ran.join(" and "))
    };
    let text = format!("the log has nothing of {wanted}: {why}");
    Err(Failure::new(ExitStatus::Load, anyhow!(text)))
}

/// The name of a schedule in messages and titles.
fn title(log: &ScheduleLog) -> String {
    format!("the schedule {} of `{}`", log.identifier, one_line(&log.graph))
}

/// Reads a log.
pub fn read(path: &Path) -> Result<Log, Failure> {
    // Line by line: a log may be larger than other files.
    let read = File::open(path)
        .map_err(|error| {
            anyhow!(error).context(format!("cannot read the log '{}'", path.display()))
        })
        .and_then(|file| {
            Log::read(BufReader::new(file))
                .map_err(|(line, what)| anyhow!("{}:{line}: {what}", path.display()))
        });
    read.map_err(|error| Failure::new(ExitStatus::Load, error))
}

fn elapsed(from: i64, to: i64) -> u64 {
    to.saturating_sub(from).max(0).unsigned_abs()
}

/// The value that `percent` of the sorted ones do not exceed.
fn quantile(sorted: &[u64], percent: usize) -> Option<u64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((sorted.len() * percent).div_ceil(100).saturating_sub(1).min(last)).copied()
}

fn runnables(log: &ScheduleLog, planned: &BTreeMap<String, u64>) -> Table {
    let mut found: BTreeMap<&str, Runnable> = BTreeMap::new();
    for one in &log.executions {
        let runnable = found.entry(&one.runnable).or_default();
        match one.state {
            Executed::PassedOver => runnable.passed_over += 1,
            Executed::Missing => runnable.missing += 1,
            Executed::Ran => {
                let duration = elapsed(one.start, one.end);
                let most = planned.get(&one.runnable);
                runnable.ran += 1;
                runnable.overruns += u64::from(most.is_some_and(|most| duration > *most));
                runnable.durations.push(duration);
                runnable.delays.push(elapsed(one.frame_start, one.start));
            }
        }
    }
    let rows = found.into_iter().map(|(name, mut one)| {
        one.durations.sort_unstable();
        one.delays.sort_unstable();
        let mut row = vec![
            Cell::Text(name.to_owned()),
            Cell::Count(one.ran),
            Cell::Count(one.passed_over),
            Cell::Count(one.missing),
            Cell::Time(planned.get(name).copied()),
            // Without a schedule, nobody knows.
            Cell::Known(planned.get(name).map(|_| one.overruns)),
        ];
        let columns = [(&one.durations, [50, 99, 100]), (&one.delays, [50, 99, 100])];
        for (values, percents) in columns {
            row.extend(percents.map(|percent| Cell::Time(quantile(values, percent))));
        }
        row
    });
    Table {
        name: "runnables",
        heads: vec![
            "runnable",
            "ran",
            "passed over",
            "missing",
            "planned",
            "overruns",
            "median",
            "p99",
            "max",
            "start median",
            "start p99",
            "start max",
        ],
        rows: rows.collect(),
    }
}

fn epochs(log: &ScheduleLog) -> Table {
    let mut found: BTreeMap<&str, (u64, u64, u64, Vec<u64>)> = BTreeMap::new();
    for frame in &log.frames {
        let (frames, late, skipped, lengths) = found.entry(&frame.epoch).or_default();
        *frames += 1;
        *late += u64::from(frame.is_late);
        *skipped += frame.skipped;
        lengths.push(elapsed(frame.start, frame.end));
    }
    let rows = found.into_iter().map(|(name, (frames, late, skipped, mut lengths))| {
        lengths.sort_unstable();
        let counts = [frames, late, skipped].map(Cell::Count);
        let times = [50, 99, 100].map(|percent| Cell::Time(quantile(&lengths, percent)));
        std::iter::once(Cell::Text(name.to_owned())).chain(counts).chain(times).collect()
    });
    Table {
        name: "epochs",
        heads: vec!["epoch", "frames", "late", "skipped", "median", "p99", "max"],
        rows: rows.collect(),
    }
}

fn resources(log: &ScheduleLog) -> Table {
    let begin = log.executions.iter().map(|one| one.start).min().unwrap_or(0);
    let end = log.executions.iter().map(|one| one.end).max().unwrap_or(0);
    let mut found: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for one in log.executions.iter().filter(|one| one.state == Executed::Ran) {
        let (count, busy) = found.entry(&one.resource).or_default();
        *count += 1;
        *busy += elapsed(one.start, one.end);
    }
    let whole = elapsed(begin, end).max(1) as f64;
    let rows = found.into_iter().map(|(name, (count, busy))| {
        vec![
            Cell::Text(name.to_owned()),
            Cell::Count(count),
            Cell::Time(Some(busy)),
            Cell::Percent(busy as f64 * 100.0 / whole),
        ]
    });
    Table {
        name: "resources",
        heads: vec!["resource", "executions", "busy", "percent"],
        rows: rows.collect(),
    }
}

impl Cell {
    /// For people.
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => escape::one_line(text),
            Self::Count(count) | Self::Known(Some(count)) => count.to_string(),
            Self::Known(None) | Self::Time(None) => "-".to_owned(),
            Self::Time(Some(time)) => show_time(*time),
            Self::Percent(percent) => format!("{percent:.1}"),
        }
    }

    /// For programs.
    fn value(&self) -> Value {
        match self {
            Self::Text(text) => json!(text),
            Self::Count(count) => json!(count),
            Self::Known(count) => json!(count),
            Self::Time(time) => json!(time),
            Self::Percent(percent) => json!(percent),
        }
    }
}

/// The name of a column in files; times are nanoseconds there.
fn key(head: &str, cell: Option<&Cell>) -> String {
    let unit = if matches!(cell, Some(Cell::Time(_))) { "_ns" } else { "" };
    format!("{}{unit}", head.replace(' ', "_"))
}

/// A sentence about entries that were dropped.
fn missing(dropped: u64) -> Option<String> {
    (dropped > 0).then(|| format!("the log lacks the {dropped} oldest entries"))
}

fn table(dropped: u64, sections: &[Section<'_>]) -> String {
    let mut text = missing(dropped).map_or(String::new(), |missing| missing + "\n");
    for (number, section) in sections.iter().enumerate() {
        let gap = if number > 0 { "\n" } else { "" };
        // Writing to a `String` does not fail.
        _ = writeln!(text, "{gap}{}", title(section.log));
        section.tables.iter().for_each(|one| write_table(&mut text, one));
    }
    text
}

fn write_table(text: &mut String, table: &Table) {
    let shown: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(Cell::shown).collect()).collect();
    let width = |column: usize| {
        let cells = shown.iter().map(|row| row[column].chars().count());
        cells.chain([table.heads[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.heads.len()).map(width).collect();
    let mut line = |cells: &mut dyn Iterator<Item = &str>| {
        let cells: Vec<String> = cells
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        _ = writeln!(text, "{}", cells.join("  ").trim_end());
    };
    line(&mut std::iter::once(""));
    line(&mut table.heads.iter().copied());
    shown.iter().for_each(|row| line(&mut row.iter().map(String::as_str)));
}

fn document(dropped: u64, sections: &[Section<'_>]) -> Value {
    let schedule = |section: &Section<'_>| {
        let ScheduleLog { graph, identifier, .. } = section.log;
        let mut document = json!({"graph": graph, "identifier": identifier});
        for table in &section.tables {
            let row = |row: &Vec<Cell>| -> Value {
                let pairs = table.heads.iter().zip(row);
                pairs.map(|(head, cell)| (key(head, Some(cell)), cell.value())).collect()
            };
            document[table.name] = table.rows.iter().map(row).collect();
        }
        document
    };
    let schedules: Vec<Value> = sections.iter().map(schedule).collect();
    json!({"version": 2, "dropped": dropped, "schedules": schedules})
}

fn csv(sections: &[Section<'_>]) -> String {
    let quoted = |value: &Value| match value {
        Value::String(text) if text.contains([',', '"', '\n']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    let mut text = "schedule,table,name,measure,value\n".to_owned();
    for Section { log, tables } in sections {
        for table in tables {
            for row in &table.rows {
                let Some((name, rest)) = row.split_first() else { continue };
                for (head, cell) in table.heads.iter().skip(1).zip(rest) {
                    let (schedule, name) = (log.identifier, quoted(&name.value()));
                    let (key, value) = (key(head, Some(cell)), quoted(&cell.value()));
                    _ = writeln!(text, "{schedule},{},{name},{key},{value}", table.name);
                }
            }
        }
    }
    text
}

fn html(dropped: u64, sections: &[Section<'_>]) -> String {
    let safe = |text: &str| {
        text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let mut text = "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">\
         <title>Log of a run by a schedule</title>\n<style>\
         :root { color-scheme: light dark; font-family: system-ui, sans-serif; } \
         table { border-collapse: collapse; margin-block: 1em; } \
         th, td { padding: .2em .8em; text-align: right; border-bottom: 1px solid #8884; } \
         th:first-child, td:first-child { text-align: left; }</style>\n"
        .to_owned();
    if let Some(missing) = missing(dropped) {
        _ = writeln!(text, "<p>{missing}</p>");
    }
    for Section { log, tables } in sections {
        _ = writeln!(text, "<h1>{}</h1>", safe(&title(log)));
        for table in tables {
            _ = writeln!(text, "<h2>{}</h2>\n<table>", table.name);
            let heads: String = table.heads.iter().map(|head| format!("<th>{head}</th>")).collect();
            _ = writeln!(text, "<tr>{heads}</tr>");
            for row in &table.rows {
                let cells: String =
                    row.iter().map(|cell| format!("<td>{}</td>", safe(&cell.shown()))).collect();
                _ = writeln!(text, "<tr>{cells}</tr>");
            }
            text.push_str("</table>\n");
        }
    }
    text
}
