//! `LineSource`.

use crate::source::{BadInput, BadInputs, Disconnect, Lines, Parser, Source, source};
use gxe_columns::texts_tensor;
use gxf::prelude::*;

/// Publishes the lines of a text: a column of texts named `text`, some lines in each message. It is
/// its own scheduling term, and ends at the end of the input.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct LineSource {
    /// Where the text comes from: a path, `-` for standard input, `tcp://HOST:PORT`,
    /// `tcp-listen://HOST:PORT` or `udp://HOST:PORT`.
    address: Parameter<String>,
    /// Transmitter for the lines.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Maximum number of lines in a message.
    #[parameter(default = 1024, minimum = 1)]
    rows: Parameter<u64>,
    /// Longest line in bytes.
    #[parameter(default = 1048576, minimum = 1, unit = "bytes")]
    longest_line: Parameter<u64>,
    /// What to do with lines that are too long or not UTF-8.
    #[parameter(default = BadInput::fail)]
    bad_input: Parameter<BadInput>,
    /// What to do after a peer has gone.
    #[parameter(default = Disconnect::end)]
    on_disconnect: Parameter<Disconnect>,
    source: Source<LineParser>,
}

impl LineSource {
    fn parser(&self) -> Result<LineParser> {
        Ok(LineParser {
            lines: Lines::new(*self.longest_line),
            bad: BadInputs::new(*self.bad_input, &self.address),
            limit: *self.rows,
            count: 0,
            text: String::new(),
        })
    }
}

source!(LineSource);

/// Lines for the next message.
pub struct LineParser {
    lines: Lines,
    bad: BadInputs,
    limit: u64,
    count: u64,
    text: String,
}

impl Parser for LineParser {
    const HAS_LINES: bool = true;

    fn parse(&mut self, bytes: &[u8], at_end: bool) -> Result<usize> {
        let mut begin = 0;
        while !self.is_full() {
            let (line, used) = self.lines.next(&bytes[begin..], at_end, &mut self.bad)?;
            begin += used;
            match line.map(str::from_utf8) {
                Some(Ok(line)) => {
                    self.text.push_str(line);
                    self.text.push('\n');
                    self.count += 1;
                }
                Some(Err(error)) => {
                    let column = error.valid_up_to() + 1;
                    self.bad.add(self.lines.number, column, "the line is not UTF-8")?;
                }
                None if used == 0 => break,
                None => {}
            }
        }
        Ok(begin)
    }

    fn has_some(&self) -> bool {
        self.count > 0
    }

    fn is_full(&self) -> bool {
        self.count >= self.limit
    }

    fn fill(&mut self, message: &mut Message) -> Result<()> {
        self.count = 0;
        message.add("text", texts_tensor(std::mem::take(&mut self.text))?).map(|_| ())
    }

    fn skipped(&self) -> u64 {
        self.bad.count()
    }
}
