//! What all sources share: an input, a parser, and a term that waits for both.

use crate::address::Address;
use crate::input::{Brought, Input};
use crate::read_ahead::Reading;
use crate::{counted, lock};
use gxe_columns::mark_last;
use gxf::prelude::*;
use std::sync::Mutex;

/// What a source does after a peer has gone.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disconnect {
    /// `end`: the stream ends; a broken connection is an error.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    end,
    /// `reconnect`: connects again, or waits for the next peer.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    reconnect,
}

/// What a source does with input that is not in its format.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadInput {
    /// `fail`: the graph ends with an error.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    fail,
    /// `skip`: it is left out, counted, and the first ones are logged.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    skip,
}

/// Logs at most this many pieces of bad input.
const SHOWN: u64 = 3;

/// A format, and what was read so far for the next message.
pub trait Parser: Send {
    /// Whether the format has lines, so that a datagram is at least one.
    const HAS_LINES: bool;
    /// Reads from the front of `bytes` until the next message is full, and returns how many bytes
    /// it has used. Incomplete input at the end stays, unless `at_end`.
    fn parse(&mut self, bytes: &[u8], at_end: bool) -> Result<usize>;
    /// Whether the next message has something in it.
    fn has_some(&self) -> bool;
    /// Whether the next message is full.
    fn is_full(&self) -> bool;
    /// Moves what was read into a message.
    fn fill(&mut self, message: &mut Message) -> Result<()>;
    /// Input that was left out.
    fn skipped(&self) -> u64 {
        0
    }
}

/// Decides about bad input, and counts what is left out.
pub struct BadInputs {
    /// What to do.
    pub policy: BadInput,
    /// The address, for errors.
    pub address: String,
    count: u64,
}

impl BadInputs {
    /// None yet.
    pub fn new(policy: BadInput, address: &str) -> Self {
        Self { policy, address: address.to_owned(), count: 0 }
    }

    /// Fails, or counts and logs. `line` counts from 1, as `column` does; column 0 means the line.
    pub fn add(&mut self, line: u64, column: usize, problem: &str) -> Result<()> {
        let place = match column {
            0 => format!("{}:{line}", self.address),
            column => format!("{}:{line}:{column}", self.address),
        };
        if self.policy == BadInput::fail {
            return Err(gxe_columns::bad_data(format!(
                "{place}: {problem}; `bad_input: skip` leaves such input out"
            )));
        }
        self.count += 1;
        if self.count <= SHOWN {
            gxf::warning!("{place}: {problem}; skipped");
        }
        Ok(())
    }

    /// How many were left out.
    pub fn count(&self) -> u64 {
        self.count
    }
}

/// One run of a source.
struct Run<P> {
    input: Input,
    parser: P,
    /// Bytes that the parser has not used, from `begin` on.
    buffer: Vec<u8>,
    begin: usize,
    input_ended: bool,
    /// Whether the last message was full, so that bytes may be left that nobody looked at.
    was_full: bool,
    finished: bool,
}

/// The shared part of a source.
pub struct Source<P> {
    run: Mutex<Option<Run<P>>>,
    context: Mutex<Option<ContextHandle>>,
}

impl<P> Default for Source<P> {
    fn default() -> Self {
        Self { run: Mutex::default(), context: Mutex::default() }
    }
}

/// Checks the parameter `address`.
pub fn check_address(address: &str) -> Result<Address> {
    Address::parse(address).map_err(|problem| {
        Error::new(ResultCode::PARAMETER_PARSER_ERROR, format!("`address`: {problem}"))
    })
}

impl<P: Parser> Source<P> {
    /// See `Lifecycle::initialize`.
    pub fn initialize(&self, context: &ComponentContext) {
        *lock(&self.context) = Some(context.handle());
    }

    /// Opens the input.
    pub fn start(&self, address: Address, reconnect: bool, parser: P) -> Result<()> {
        let input = Input::open(address, Reading { reconnect })?;
        let buffer = Vec::new();
        *lock(&self.run) = Some(Run {
            input,
            parser,
            buffer,
            begin: 0,
            input_ended: false,
            was_full: false,
            finished: false,
        });
        Ok(())
    }

    /// Publishes the next message, if there is input for one.
    pub fn tick(&self, context: &TickContext, output: &Transmitter) -> Result<()> {
        let mut run = lock(&self.run);
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        run.read()?;
        run.was_full = run.parser.is_full();
        run.finished = run.input_ended && run.begin == run.buffer.len();
        if !run.parser.has_some() && !run.finished {
            return Ok(());
        }
        let mut message = context.new_message()?;
        if run.parser.has_some() {
            run.parser.fill(&mut message)?;
        }
        if run.finished {
            mark_last(&mut message)?;
        }
        output.publish(message, context.now())
    }

    /// Closes the input.
    pub fn stop(&self) {
        // Waits for a thread, so not under the lock.
        let run = lock(&self.run).take();
        let Some(run) = run else { return };
        let (skipped, dropped) = (run.parser.skipped(), run.input.dropped());
        if skipped > 0 {
            gxf::warning!("skipped {} that could not be read", counted(skipped, "line"));
        }
        if dropped > 0 {
            let dropped = counted(dropped, "datagram");
            gxf::warning!("dropped {dropped}: the graph was too slow");
        }
    }

    /// The answer of the term.
    pub fn check(&self, now: i64) -> Result<Condition> {
        let run = lock(&self.run);
        let condition_type = match run.as_ref() {
            // The first tick comes before the start.
            None => ConditionType::READY,
            Some(run) if run.finished => ConditionType::NEVER,
            Some(run) if run.was_full && run.begin < run.buffer.len() => ConditionType::READY,
            Some(run) => {
                let token = || {
                    let context = lock(&self.context);
                    context.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?.wake_token()
                };
                if run.input.is_ready_or(token)? {
                    ConditionType::READY
                } else {
                    ConditionType::WAIT_EVENT
                }
            }
        };
        Ok(Condition { condition_type, target: now })
    }
}

impl<P: Parser> Run<P> {
    /// Reads until the next message is full, or nothing more is there now.
    fn read(&mut self) -> Result<()> {
        loop {
            self.begin += self.parser.parse(&self.buffer[self.begin..], self.input_ended)?;
            if self.parser.is_full() || self.input_ended {
                return Ok(());
            }
            self.buffer.drain(..self.begin);
            self.begin = 0;
            match self.input.read(&mut self.buffer, P::HAS_LINES)? {
                Brought::Bytes => {}
                Brought::Nothing => return Ok(()),
                Brought::End => self.input_ended = true,
            }
        }
    }
}

/// A text without the byte order mark that some programs begin UTF-8 with.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text)
}

/// Lines of a buffer, none of which grows without bound.
pub struct Lines {
    /// Longest line in bytes.
    pub longest: usize,
    /// Number of the last line.
    pub number: u64,
    /// Whether the rest of a line that was too long is left out.
    pub skips: bool,
}

impl Lines {
    /// Before the first line.
    pub fn new(longest: u64) -> Self {
        Self { longest: usize::try_from(longest).unwrap_or(usize::MAX), number: 0, skips: false }
    }

    /// The next complete line without its end, and the bytes used. `None` if there is none yet;
    /// some bytes may still be used.
    pub fn next<'a>(
        &mut self,
        bytes: &'a [u8],
        at_end: bool,
        bad: &mut BadInputs,
    ) -> Result<(Option<&'a [u8]>, usize)> {
        let (line, used) = match memchr::memchr(b'\n', bytes) {
            Some(end) => (&bytes[..end], end + 1),
            None if at_end && !bytes.is_empty() => (bytes, bytes.len()),
            None if self.skips => return Ok((None, bytes.len())),
            None if bytes.len() > self.longest => {
                self.skips = true;
                self.too_long(self.number + 1, bad)?;
                return Ok((None, bytes.len()));
            }
            None => return Ok((None, 0)),
        };
        self.number += 1;
        if std::mem::take(&mut self.skips) {
            return Ok((None, used));
        }
        if line.len() > self.longest {
            self.too_long(self.number, bad)?;
            return Ok((None, used));
        }
        let line = if self.number == 1 { without_mark(line) } else { line };
        Ok((Some(line.strip_suffix(b"\r").unwrap_or(line)), used))
    }

    fn too_long(&self, number: u64, bad: &mut BadInputs) -> Result<()> {
        let text = format!("the line is longer than {} bytes (`longest_line`)", self.longest);
        bad.add(number, 0, &text)
    }
}

/// Makes a component a source: its own scheduling term, with the shared part in `source` and a
/// function `parser` that makes the parser of a run. The address, and whether to connect again, are
/// those of its parameters `address` and `on_disconnect`, or what an expression says.
macro_rules! source {
    ($component:ty) => {
        crate::source::source!($component, |source| (
            crate::source::check_address(&source.address)?,
            *source.on_disconnect == crate::source::Disconnect::reconnect
        ));
    };
    ($component:ty, |$source:ident| $address:expr) => {
        impl gxf::Lifecycle for $component {
            fn check_parameters(&self) -> gxf::Result<()> {
                let $source = self;
                _ = $address;
                self.parser().map(|_| ())
            }

            fn initialize(&self, context: &gxf::ComponentContext) -> gxf::Result<()> {
                self.source.initialize(context);
                Ok(())
            }
        }

        impl gxf::SharedCodelet for $component {
            fn start(&self, _context: &gxf::TickContext) -> gxf::Result<()> {
                let $source = self;
                let (address, reconnect) = $address;
                self.source.start(address, reconnect, self.parser()?)
            }

            fn tick(&self, context: &gxf::TickContext) -> gxf::Result<()> {
                self.source.tick(context, &self.output)
            }

            fn stop(&self, _context: &gxf::TickContext) -> gxf::Result<()> {
                self.source.stop();
                Ok(())
            }
        }

        impl gxf::implement::SchedulingTerm for $component {
            fn check(&self, now: i64) -> gxf::Result<gxf::Condition> {
                self.source.check(now)
            }

            fn on_execute(&self, _now: i64) -> gxf::Result<()> {
                Ok(())
            }
        }
    };
}
pub(crate) use source;
