//! `gxe trace merge`: the traces of several processes in one, on one clock.

use super::clocks::{Clocks, Head, Known};
use crate::arguments::CommonArguments;
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::outputs::{self, Unfinished, keep_apart};
use anyhow::{Context as _, anyhow};
use clap::Args;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// No line of a trace is longer, but for the first one.
const LONGEST_LINE: u64 = 1 << 20;
const LONGEST_HEAD: u64 = 1 << 28;

/// Joins the traces that the processes of a graph wrote with `--trace`. Times are those of the first
/// trace's clock; the clocks of other hosts are known from the links between the processes. Arrows
/// lead from where a message left to where it arrived.
#[derive(Args, Debug)]
pub struct Merge {
    /// Trace to write
    #[arg(value_name = "FILE")]
    output: PathBuf,

    /// The traces
    #[arg(value_name = "TRACE", required = true, num_args = 2..)]
    traces: Vec<PathBuf>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Merge {
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { output, traces, common: _ } = self;
        let unreadable = |error| Failure::new(ExitStatus::Load, error);
        let mut sources = Vec::with_capacity(traces.len());
        for path in &traces {
            sources.push(Source::open(path).map_err(unreadable)?);
        }
        keep_apart(&traces, [&output])?;
        let heads: Vec<Head> = sources
            .iter_mut()
            .map(|source| source.head())
            .collect::<Result<_, _>>()
            .map_err(unreadable)?;
        let clocks = Clocks::of(&heads);
        for (path, known) in traces.iter().zip(&clocks.known) {
            let (path, first) = (path.display(), traces[0].display());
            match known {
                Known::Same => {}
                Known::Measured(error) => console.note(&format!(
                    "the clock of '{path}' is known to {} us, over links",
                    (error.saturating_add(999)) / 1000
                )),
                Known::ByClockOfDay => console.note(&format!(
                    "no link leads from '{path}' to '{first}': the hosts' clocks of the day tell \
                     how they fit together"
                )),
            }
        }
        let unfinished = Unfinished::new(&output)
            .and_then(|unfinished| Ok((File::create(unfinished.path())?, unfinished)));
        let (file, unfinished) = unfinished
            .map_err(|error| outputs::cannot_write(ExitStatus::Usage, &output, &error))?;
        let names = sources.iter().zip(&heads);
        let names =
            names.map(|(source, head)| format!("{} ({})", source.name, head.host)).collect();
        let mut merged = Merged::new(names, &heads, &clocks, BufWriter::new(file));
        let unwritable = |error: io::Error| outputs::unwritable(&output, &error);
        merged.begin(&heads).map_err(unwritable)?;
        for (index, source) in sources.iter_mut().enumerate() {
            while let Some(event) = source.next().map_err(unreadable)? {
                merged.add(index, event).map_err(unwritable)?;
            }
        }
        merged.end().map_err(unwritable)?;
        unfinished.finish().map_err(unwritable)?;
        Ok(ExitStatus::Success)
    }
}

/// A trace that is read.
struct Source {
    path: PathBuf,
    /// For names of processes.
    name: String,
    lines: BufReader<File>,
    number: u64,
}

impl Source {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read '{}'", path.display()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { path: path.to_owned(), name, lines: BufReader::new(file), number: 0 })
    }

    fn wrong(&self, what: &str) -> anyhow::Error {
        anyhow!("'{}' is no trace that gxe wrote: line {} {what}", self.path.display(), self.number)
    }

    fn line(&mut self, longest: u64) -> anyhow::Result<Vec<u8>> {
        let mut line = Vec::new();
        self.number += 1;
        let read = (&mut self.lines).take(longest).read_until(b'\n', &mut line);
        read.with_context(|| format!("cannot read '{}'", self.path.display()))?;
        if line.len() as u64 == longest {
            return Err(self.wrong("is too long"));
        }
        Ok(line)
    }

    /// Reads what comes before the events.
    fn head(&mut self) -> anyhow::Result<Head> {
        let line = self.line(LONGEST_HEAD)?;
        let text = String::from_utf8_lossy(&line);
        let whole = format!("{}]}}", text.trim_end());
        let head = serde_json::from_str::<Value>(&whole);
        let head = head.ok().and_then(|mut whole| {
            serde_json::from_value::<Head>(whole.get_mut("otherData")?.take()).ok()
        });
        match head.filter(|head| head.recorded_by == "gxe") {
            Some(head) => Ok(head),
            None => Err(self.wrong("does not say which clock the times are from")),
        }
    }

    /// The next event; `None` at the end.
    fn next(&mut self) -> anyhow::Result<Option<Map<String, Value>>> {
        let line = self.line(LONGEST_LINE)?;
        let text = line.trim_ascii();
        if text == b"]}" {
            return Ok(None);
        }
        let text = text.strip_suffix(b",").unwrap_or(text);
        match serde_json::from_slice(text) {
            Ok(Value::Object(event)) => Ok(Some(event)),
            _ if line.is_empty() => Err(self.wrong("is missing: the trace is cut off")),
            _ => Err(self.wrong("is no event")),
        }
    }
}

/// Where a message was at an end of a link.
struct End {
    index: usize,
    process: u64,
    track: Value,
    time: i64,
}

/// The trace that is written.
struct Merged<'a, W> {
    clocks: &'a Clocks,
    /// When each trace begins on its own clock.
    begins: Vec<i64>,
    /// Of each trace.
    names: Vec<String>,
    /// When the whole begins on the first trace's clock.
    begin: i64,
    out: W,
    /// The new number of a process of a trace.
    processes: HashMap<(usize, u64), u64>,
    /// Messages of which only one end is known, by link and number; true: it has arrived.
    ends: HashMap<(String, u64, bool), End>,
    arrows: u64,
    separator: &'static str,
}

impl<'a, W: Write> Merged<'a, W> {
    fn new(names: Vec<String>, heads: &[Head], clocks: &'a Clocks, out: W) -> Self {
        let begins: Vec<i64> = heads.iter().map(|head| head.clock.begin_ns).collect();
        let first = begins.iter().enumerate().map(|(index, begin)| clocks.to_first(index, *begin));
        let begin = first.min().unwrap_or_default();
        Self {
            clocks,
            begins,
            names,
            begin,
            out,
            processes: HashMap::new(),
            ends: HashMap::new(),
            arrows: 0,
            separator: "\n",
        }
    }

    fn begin(&mut self, heads: &[Head]) -> io::Result<()> {
        let head = json!({
            "recorded by": "gxe trace merge",
            "traces": self.names,
            "clock": heads.first().map(|head| &head.clock.name),
        });
        write!(self.out, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{head},\"traceEvents\":[")
    }

    /// The time of an event on the first trace's clock, since the whole begins.
    fn time(&self, index: usize, event: &Map<String, Value>) -> Option<i64> {
        let microseconds = event.get("ts")?.as_f64()?;
        let time = self.begins[index].saturating_add((microseconds * 1000.0).round() as i64);
        Some(self.clocks.to_first(index, time).saturating_sub(self.begin))
    }

    fn process(&mut self, index: usize, event: &Map<String, Value>) -> u64 {
        let own = event.get("pid").and_then(Value::as_u64).unwrap_or_default();
        let next = self.processes.len() as u64 + 1;
        *self.processes.entry((index, own)).or_insert(next)
    }

    fn write(&mut self, event: &Value) -> io::Result<()> {
        let separator = std::mem::replace(&mut self.separator, ",\n");
        write!(self.out, "{separator}{event}")
    }

    fn add(&mut self, index: usize, mut event: Map<String, Value>) -> io::Result<()> {
        let process = self.process(index, &event);
        event.insert("pid".to_owned(), process.into());
        if let Some(time) = self.time(index, &event) {
            event.insert("ts".to_owned(), json!(time as f64 / 1000.0));
            if event.get("cat").and_then(Value::as_str) == Some("link") {
                let track = event.get("tid").cloned().unwrap_or_default();
                self.passed(&event, End { index, process, track, time })?;
            }
        } else if event.get("name").and_then(Value::as_str) == Some("process_name")
            && let Some(Value::String(name)) =
                event.get_mut("args").and_then(|args| args.get_mut("name"))
        {
            *name = format!("{}: {name}", self.names[index]);
        }
        if let Some(id) = event.get("id").and_then(Value::as_u64) {
            let count = self.begins.len() as u64 + 1;
            let id = id.saturating_mul(count).saturating_add(index as u64);
            event.insert("id".to_owned(), id.into());
        }
        self.write(&Value::Object(event))
    }

    /// Draws an arrow once both ends of a message are known, in different traces.
    fn passed(&mut self, event: &Map<String, Value>, end: End) -> io::Result<()> {
        let note = |key: &str| event.get("args").and_then(|notes| notes.get(key));
        let (Some(Value::String(link)), Some(sequence)) =
            (note("link").cloned(), note("sequence").and_then(Value::as_u64))
        else {
            return Ok(());
        };
        let has_arrived = note("direction").and_then(Value::as_str) == Some("arrived");
        let Some(other) = self.ends.remove(&(link.clone(), sequence, !has_arrived)) else {
            self.ends.insert((link, sequence, has_arrived), end);
            return Ok(());
        };
        if other.index == end.index {
            // Its own trace has the arrow.
            return Ok(());
        }
        let (from, to) = if has_arrived { (&other, &end) } else { (&end, &other) };
        self.arrows += 1;
        let count = self.begins.len() as u64;
        let id = self.arrows * (count + 1) + count;
        let arrow = |phase: &str, end: &End| {
            json!({
                "ph": phase, "name": "message", "cat": "message", "id": id,
                "pid": end.process, "tid": end.track, "ts": end.time as f64 / 1000.0,
            })
        };
        let (from, mut to) = (arrow("s", from), arrow("f", to));
        to["bp"] = "e".into();
        self.write(&from)?;
        self.write(&to)
    }

    fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n]}\n")?;
        self.out.flush()
    }
}
