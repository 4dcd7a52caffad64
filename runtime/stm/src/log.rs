//! What a run by a schedule did, as the engine, or the master of several processes, logs it: executions and frames, with their times.
//!
//! The file is text: a line with the version, one with the number of dropped entries, and then for
//! each schedule a line that names it, followed by a line for each of its frames and executions. The
//! last line says that the log is complete. Words are separated by blanks; those of a name are
//! percent-encoded, as in addresses.

use std::fmt::{Display, Formatter, Write};
use std::io::{BufRead, Read};

/// The first line of a file.
const VERSION: &str = "gxe-stm-log 2";
/// The last line of a file.
const END: &str = "end";
/// Most bytes of a line; names are what makes them long.
const LONGEST_LINE: u64 = 1 << 20;

/// What was logged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Executions and frames that were dropped, because newer ones came.
    pub dropped: u64,
    /// What was logged by each schedule of the run.
    pub schedules: Vec<ScheduleLog>,
}

/// What was logged by one schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleLog {
    /// Name of the compute graph.
    pub graph: String,
    /// Id of the schedule.
    pub identifier: u16,
    /// Tells it from others of the same name and id.
    pub fingerprint: u64,
    /// Executions, in order for each resource.
    pub executions: Vec<LoggedExecution>,
    /// Frames, in order for each epoch.
    pub frames: Vec<LoggedFrame>,
}

/// One execution. Times are nanoseconds of the scheduler's clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedExecution {
    /// `client.runnable`.
    pub runnable: String,
    /// `hyperepoch.epoch`.
    pub epoch: String,
    /// The engine of the schedule.
    pub resource: String,
    /// The frame of its epoch, from the start of the run.
    pub frame: u64,
    /// Start of the frame.
    pub frame_start: i64,
    /// When it started.
    pub start: i64,
    /// When it ended.
    pub end: i64,
    /// What became of it.
    pub state: Executed,
}

/// What became of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Executed {
    /// It ran.
    Ran,
    /// Its entity was not ready.
    PassedOver,
    /// It has no entity, or that has ended.
    Missing,
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedFrame {
    /// `hyperepoch.epoch`.
    pub epoch: String,
    /// The frame, from the start of the run.
    pub frame: u64,
    /// When it was to start.
    pub start: i64,
    /// When its last execution ended.
    pub end: i64,
    /// Whether it ended after the next one should have started.
    pub is_late: bool,
    /// Frames that were skipped because of that.
    pub skipped: u64,
}

/// A name as a word of a line.
struct Word<'a>(&'a str);

impl Display for Word<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        for c in self.0.chars() {
            if c.is_whitespace() || c.is_control() || c == '%' {
                let bytes = &mut [0; 4];
                c.encode_utf8(bytes).bytes().try_for_each(|byte| write!(out, "%{byte:02X}"))?;
            } else {
                out.write_char(c)?;
            }
        }
        Ok(())
    }
}

/// The name of a word.
fn name(word: &str) -> Option<String> {
    let mut parts = word.split('%');
    let mut name = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (byte, rest) = part.split_at_checked(2)?;
        name.push(u8::from_str_radix(byte, 16).ok()?);
        name.extend(rest.as_bytes());
    }
    String::from_utf8(name).ok()
}

impl Executed {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Ran, "ran"), (Self::PassedOver, "passed_over"), (Self::Missing, "missing")];

    /// Its word in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, word)| word)
    }
}

/// The text of the file.
impl Display for Log {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "{VERSION}\ndropped {}", self.dropped)?;
        self.schedules.iter().try_for_each(|one| write!(out, "{one}"))?;
        writeln!(out, "{END}")
    }
}

impl Display for ScheduleLog {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        let Self { graph, identifier, fingerprint, .. } = self;
        writeln!(out, "schedule {identifier} {} {fingerprint:x}", Word(graph))?;
        for LoggedFrame { epoch, frame, start, end, is_late, skipped } in &self.frames {
            let (epoch, late) = (Word(epoch), u8::from(*is_late));
            writeln!(out, "frame {epoch} {frame} {start} {end} {late} {skipped}")?;
        }
        for one in &self.executions {
            let LoggedExecution {
                runnable, epoch, resource, frame, frame_start, start, end, ..
            } = one;
            let [runnable, epoch, resource] = [runnable, epoch, resource].map(|name| Word(name));
            let state = one.state.word();
            writeln!(
                out,
                "execution {runnable} {epoch} {resource} {frame} {frame_start} {start} {end} {state}"
            )?;
        }
        Ok(())
    }
}

impl Log {
    /// Reads a file.
    ///
    /// # Errors
    /// The number of a line that is none of a log, from 1, and why.
    pub fn read(mut file: impl BufRead) -> Result<Self, (usize, String)> {
        let mut line = String::new();
        read_line(&mut file, &mut line, 1)?;
        match line.as_str() {
            VERSION => {}
            line if line.starts_with("gxe-stm-log ") => {
                return Err((1, "a log of another version".to_owned()));
            }
            _ => return Err((1, "no log of a run by a schedule".to_owned())),
        }
        let mut log = Self::default();
        let mut number = 1;
        loop {
            number += 1;
            if !read_line(&mut file, &mut line, number)? {
                let text = "the log ends here, before it is complete";
                return Err((number - 1, text.to_owned()));
            }
            let wrong = || (number, "not a line of a log".to_owned());
            if line == END {
                return match read_line(&mut file, &mut line, number + 1)? {
                    false => Ok(log),
                    true => Err((number + 1, "the log ends before this line".to_owned())),
                };
            }
            let words: Vec<&str> = line.split(' ').collect();
            match &words[..] {
                ["dropped", dropped] => log.dropped = dropped.parse().map_err(|_| wrong())?,
                ["schedule", rest @ ..] => log.schedules.push(schedule(rest).ok_or_else(wrong)?),
                [kind, rest @ ..] => {
                    let schedule = log.schedules.last_mut().ok_or_else(wrong)?;
                    match *kind {
                        "frame" => schedule.frames.push(frame(rest).ok_or_else(wrong)?),
                        "execution" => schedule.executions.push(execution(rest).ok_or_else(wrong)?),
                        _ => return Err(wrong()),
                    }
                }
                [] => return Err(wrong()),
            }
        }
    }
}

/// Reads the line with this number, without its end; whether there is one.
fn read_line(
    file: &mut impl BufRead,
    line: &mut String,
    number: usize,
) -> Result<bool, (usize, String)> {
    line.clear();
    // One more byte tells a line that is too long from one that is not.
    match file.take(LONGEST_LINE + 1).read_line(line) {
        Err(error) => Err((number, format!("it cannot be read: {error}"))),
        Ok(count) if count as u64 > LONGEST_LINE => {
            Err((number, format!("a line of more than {LONGEST_LINE} bytes")))
        }
        Ok(count) => {
            line.truncate(line.trim_end_matches('\n').len());
            Ok(count > 0)
        }
    }
}

impl ScheduleLog {
    /// Nothing yet, by this schedule.
    #[must_use]
    pub fn of(graph: &str, identifier: u16, fingerprint: u64) -> Self {
        Self { graph: graph.to_owned(), identifier, fingerprint, ..Self::default() }
    }
}

fn schedule(rest: &[&str]) -> Option<ScheduleLog> {
    let [identifier, graph, fingerprint] = rest else { return None };
    let fingerprint = u64::from_str_radix(fingerprint, 16).ok()?;
    Some(ScheduleLog::of(&name(graph)?, identifier.parse().ok()?, fingerprint))
}

fn frame(rest: &[&str]) -> Option<LoggedFrame> {
    let [epoch, frame, start, end, late, skipped] = rest else { return None };
    let frame = LoggedFrame {
        epoch: name(epoch)?,
        frame: frame.parse().ok()?,
        start: start.parse().ok()?,
        end: end.parse().ok()?,
        is_late: *late == "1",
        skipped: skipped.parse().ok()?,
    };
    (frame.start <= frame.end).then_some(frame)
}

fn execution(rest: &[&str]) -> Option<LoggedExecution> {
    let [runnable, epoch, resource, frame, frame_start, start, end, state] = rest else {
        return None;
    };
    let known = Executed::ALL.iter().find(|(_, word)| word == state);
    let execution = LoggedExecution {
        runnable: name(runnable)?,
        epoch: name(epoch)?,
        resource: name(resource)?,
        frame: frame.parse().ok()?,
        frame_start: frame_start.parse().ok()?,
        start: start.parse().ok()?,
        end: end.parse().ok()?,
        state: known?.0,
    };
    (execution.start <= execution.end).then_some(execution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_reads_back_and_anything_else_is_refused() {
        let frame = LoggedFrame {
            epoch: "h.an epoch".to_owned(),
            frame: 7,
            start: -5,
            end: 30,
            is_late: true,
            skipped: 2,
        };
        let execution = LoggedExecution {
            runnable: "c.100 %\u{3000}a_b".to_owned(),
            epoch: "h.e".to_owned(),
            resource: "CPU0".to_owned(),
            frame: 7,
            frame_start: -5,
            start: 10,
            end: 20,
            state: Executed::PassedOver,
        };
        let first = ScheduleLog {
            executions: vec![execution],
            frames: vec![frame],
            ..ScheduleLog::of("demo", 7, u64::MAX)
        };
        let log = Log { dropped: 3, schedules: vec![first, ScheduleLog::of("a b", 8, 0)] };
        let text = log.to_string();
        let read = |text: &str| Log::read(text.as_bytes());
        assert_eq!(read(&text), Ok(log));
        let refused = |text: &str, line: usize, why: &str| {
            assert_eq!(read(text), Err((line, why.to_owned())));
        };
        refused("", 1, "no log of a run by a schedule");
        refused("x", 1, "no log of a run by a schedule");
        refused("gxe-stm-log 1", 1, "a log of another version");
        refused(&"x".repeat(2 << 20), 1, "a line of more than 1048576 bytes");
        let all = text.lines().count();
        refused(&format!("{text}{text}"), all + 1, "the log ends before this line");
        for lines in 1..all {
            let start: String = text.split_inclusive('\n').take(lines).collect();
            refused(&start, lines, "the log ends here, before it is complete");
        }
        for (right, wrong) in [
            ("passed_over", "flew"),
            ("10 20", "20 10"),
            ("frame ", "fram "),
            ("schedule 7 demo", "schedule demo"),
        ] {
            assert!(read(&text.replace(right, wrong)).is_err(), "{wrong}");
        }
    }
}
