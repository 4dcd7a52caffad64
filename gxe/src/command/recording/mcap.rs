//! `gxe recording` on MCAP files, whoever wrote them.

use super::files::{
    Selection, cannot_read, counted, keep, seconds, size, unreadable, unwritable, wall_time,
};
use super::progress::{Unit, bar};
use crate::command::error::CommandError;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::outputs::Unfinished;
use anyhow::{Context as _, anyhow};
use gxe_mcap_format::Messages;
use gxf_runtime::graph::escape::one_line;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

/// What is in a file.
pub struct Content {
    path: PathBuf,
    bytes: u64,
    messages: u64,
    /// Earliest and latest log time.
    times: Option<(u64, u64)>,
    /// By topic, encoding and schema: the number of messages of MCAP.
    channels: BTreeMap<(String, String, String), u64>,
    /// What is wrong with the file.
    fault: Option<String>,
}

impl Content {
    /// Reads a file to its end, or to where it is damaged.
    pub fn read(path: &Path) -> Result<Self, CommandError> {
        let metadata = std::fs::metadata(path).with_context(|| cannot_read(path));
        let bytes = metadata.map_err(unreadable)?.len();
        let mut content = Self {
            path: path.to_owned(),
            bytes,
            messages: 0,
            times: None,
            channels: BTreeMap::new(),
            fault: None,
        };
        let mut messages = open(path)?;
        let bar = bar(None, Unit::Frames);
        loop {
            match messages.next() {
                Ok(Some(message)) => content.add(&message),
                Ok(None) => break,
                Err(error) => {
                    content.fault = Some(format!("after message {}: {error}", content.messages));
                    break;
                }
            }
            bar.set_position(content.messages);
        }
        if messages.is_cut {
            content.fault = Some(
                "the file ends within a record: whoever wrote it did not finish; all messages \
                 before are whole"
                    .to_owned(),
            );
        }
        Ok(content)
    }

    fn add(&mut self, message: &gxe_mcap_format::Recorded) {
        self.messages += 1;
        let (first, last) = self.times.unwrap_or((message.time, message.time));
        self.times = Some((first.min(message.time), last.max(message.time)));
        for part in &message.parts {
            let channel = &part.channel;
            let schema = channel.schema.as_ref().map_or("", |schema| &schema.name);
            let key = (channel.topic.clone(), channel.message_encoding.clone(), schema.to_owned());
            *self.channels.entry(key).or_default() += 1;
        }
    }

    fn duration(&self) -> Option<u64> {
        self.times.map(|(first, last)| last - first)
    }

    fn rate(&self) -> Option<f64> {
        let duration = self.duration().filter(|duration| *duration > 0)?;
        Some((self.messages - 1) as f64 * 1e9 / duration as f64)
    }

    /// A short description.
    pub fn described(&self) -> String {
        let mut text = format!("{}\n", self.path.display());
        // Writing to a `String` does not fail.
        let mut row = |title: &str, value: String| _ = writeln!(text, "  {title:<10}  {value}");
        row("messages", self.messages.to_string());
        row("size", size(self.bytes));
        if let Some(duration) = self.duration() {
            let rate = self.rate();
            let rate = rate.map_or(String::new(), |rate| format!(", {rate:.2} messages a second"));
            row("duration", seconds(duration) + &rate);
        }
        if let Some(time) = self.times.and_then(|(first, _)| wall_time(first)) {
            row("recorded", time);
        }
        for (index, ((topic, encoding, schema), count)) in self.channels.iter().enumerate() {
            let title = if index == 0 { "carries" } else { "" };
            let what = if schema.is_empty() { encoding } else { schema };
            row(title, format!("{count} × {} `{}`", one_line(what), one_line(topic)));
        }
        let fault = self.fault.as_ref();
        row("integrity", fault.map_or("intact".to_owned(), |fault| one_line(fault).to_string()));
        text
    }

    /// The description as JSON. Times are in nanoseconds; unknown values are null.
    pub fn document(&self) -> Value {
        let channels = self.channels.iter().map(|((topic, encoding, schema), count)| {
            json!({ "topic": topic, "encoding": encoding, "schema": schema, "count": count })
        });
        json!({
            "recording": self.path.display().to_string(),
            "messages": self.messages,
            "bytes": self.bytes,
            "first_log_time_ns": self.times.map(|(first, _)| first),
            "last_log_time_ns": self.times.map(|(_, last)| last),
            "duration_ns": self.duration(),
            "message_rate_hz": self.rate(),
            "channels": channels.collect::<Vec<_>>(),
            "intact": self.fault.is_none(),
            "fault": self.fault,
        })
    }
}

/// Checks all messages and checksums.
pub fn verify(path: &Path) -> Result<ExitStatus, CommandError> {
    let content = Content::read(path)?;
    let whole = messages(content.messages);
    let Some(fault) = content.fault else {
        Console::print(&format!("{}: {whole}, all intact\n", path.display()))?;
        return Ok(ExitStatus::Success);
    };
    let name = path.display();
    Console::print(&format!("{}\n", one_line(&fault)))?;
    let error = anyhow!("the recording '{name}' is damaged");
    let advice = format!("not intact; `gxe recording cut {name} OUTPUT` keeps its {whole}");
    Err(unreadable(error.context(advice)))
}

/// Copies some of the messages to a new file, on their channels.
pub fn cut(
    path: &PathBuf,
    output: &PathBuf,
    selection: &Selection,
    overwrite: bool,
) -> Result<ExitStatus, CommandError> {
    let there = Content::read(path)?.messages;
    let wanted = selection.range(there, "message")?;
    keep(std::slice::from_ref(path), [output], overwrite)?;
    let failed = || format!("cannot write the recording '{}'", output.display());
    let unfinished = Unfinished::new(output).with_context(failed).map_err(unwritable)?;
    let file = File::create(unfinished.path()).with_context(failed).map_err(unwritable)?;
    let options = mcap::WriteOptions::new().library(concat!("gxe ", env!("CARGO_PKG_VERSION")));
    let writer = options.use_chunks(false).create(BufWriter::new(file));
    let mut writer = writer.with_context(failed).map_err(unwritable)?;
    let mut source = open(path)?;
    let bar = bar(Some(wanted.end), Unit::Frames);
    let mut written = 0;
    for number in 0..wanted.end {
        let message = source.next().with_context(|| cannot_read(path)).map_err(unreadable)?;
        let Some(message) = message.filter(|_| number >= wanted.start) else { continue };
        for part in &message.parts {
            writer.write(part).with_context(failed).map_err(unwritable)?;
        }
        written += 1;
        bar.set_position(number + 1);
    }
    drop(bar);
    writer.finish().with_context(failed).map_err(unwritable)?;
    writer.into_inner().flush().with_context(failed).map_err(unwritable)?;
    unfinished.finish().with_context(failed).map_err(unwritable)?;
    Console::print(&format!("{} in {}\n", messages(written), output.display()))?;
    Ok(ExitStatus::Success)
}

/// Opens a file.
pub fn open(path: &Path) -> Result<Messages, CommandError> {
    Messages::open(path).with_context(|| cannot_read(path)).map_err(unreadable)
}

/// `1 message`, `7 messages`.
pub fn messages(count: u64) -> String {
    counted(count, "message")
}
