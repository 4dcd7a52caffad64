//! What a run by a schedule did, as the engine, or the master of several processes, logs it: executions and frames, with their times.
//!
//! The file is text: a line with the version, one with the graph, and then a line for each
//! execution and each frame, words separated by blanks. Names of runnables, epochs and resources
//! have none.

use std::fmt::{Display, Formatter};

/// The first line of a file.
const VERSION: &str = "gxe-stm-log 1";

/// What was logged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Name of the compute graph.
    pub graph: String,
    /// Executions and frames that were dropped, because newer ones came.
    pub dropped: u64,
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

/// A name without blanks, which separate the words of a line.
#[must_use]
pub fn word(name: &str) -> String {
    name.chars().map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c }).collect()
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
        writeln!(out, "{VERSION}\ngraph {} dropped {}", self.graph, self.dropped)?;
        for LoggedFrame { epoch, frame, start, end, is_late, skipped } in &self.frames {
            let late = u8::from(*is_late);
            writeln!(out, "frame {epoch} {frame} {start} {end} {late} {skipped}")?;
        }
        for one in &self.executions {
            let LoggedExecution {
                runnable, epoch, resource, frame, frame_start, start, end, ..
            } = one;
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
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The number of a line that is none of a log, from 1, and why.
    pub fn read(text: &str) -> Result<Self, (usize, &'static str)> {
        let mut lines = text.lines().zip(1..);
        match lines.next() {
            Some((VERSION, _)) => {}
            Some((line, _)) if line.starts_with("gxe-stm-log ") => {
                return Err((1, "a log of another version"));
            }
            _ => return Err((1, "no log of a run by a schedule")),
        }
        let mut log = Self::default();
        for (line, number) in lines {
            let wrong = (number, "not a line of a log");
            let words: Vec<&str> = line.split(' ').collect();
            match &words[..] {
                ["graph", graph, "dropped", dropped] => {
                    log.graph = (*graph).to_owned();
                    log.dropped = dropped.parse().map_err(|_| wrong)?;
                }
                ["frame", epoch, rest @ ..] => log.frames.push(frame(epoch, rest).ok_or(wrong)?),
                ["execution", rest @ ..] => log.executions.push(execution(rest).ok_or(wrong)?),
                _ => return Err(wrong),
            }
        }
        Ok(log)
    }
}

fn frame(epoch: &str, rest: &[&str]) -> Option<LoggedFrame> {
    let [frame, start, end, late, skipped] = rest else { return None };
    let frame = LoggedFrame {
        epoch: epoch.to_owned(),
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
        runnable: (*runnable).to_owned(),
        epoch: (*epoch).to_owned(),
        resource: (*resource).to_owned(),
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
        let log = Log {
            graph: "demo".to_owned(),
            dropped: 3,
            executions: vec![LoggedExecution {
                runnable: "c.a".to_owned(),
                epoch: "h.e".to_owned(),
                resource: "CPU0".to_owned(),
                frame: 7,
                frame_start: -5,
                start: 10,
                end: 20,
                state: Executed::PassedOver,
            }],
            frames: vec![LoggedFrame {
                epoch: "h.e".to_owned(),
                frame: 7,
                start: -5,
                end: 30,
                is_late: true,
                skipped: 2,
            }],
        };
        let text = log.to_string();
        assert_eq!(Log::read(&text), Ok(log));
        assert_eq!(Log::read("x"), Err((1, "no log of a run by a schedule")));
        assert_eq!(Log::read("gxe-stm-log 2"), Err((1, "a log of another version")));
        for (right, wrong) in [("passed_over", "flew"), ("10 20", "20 10"), ("frame ", "fram ")] {
            assert!(Log::read(&text.replace(right, wrong)).is_err(), "{wrong}");
        }
    }
}
