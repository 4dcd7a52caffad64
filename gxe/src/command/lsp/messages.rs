//! Messages of the protocol as bytes: a header with the length, and JSON.

use crate::connections::line;
use lsp_server::Message;
use std::io::{self, BufRead, ErrorKind, Write};

/// Most bytes of a message. Clients send whole files.
const LARGEST: usize = 64 << 20;
/// Most bytes of a line of the header.
const LONGEST_LINE: usize = 4096;

/// Passes on what comes, until the input ends or `pass` says that nobody takes more.
///
/// # Errors
/// The input is no message, or cannot be read.
pub fn read_all(mut input: impl BufRead, pass: impl Fn(Message) -> bool) -> io::Result<()> {
    while let Some(message) = read(&mut input)? {
        if !pass(message) {
            break;
        }
    }
    Ok(())
}

/// Writes what comes, until nothing more can come.
///
/// # Errors
/// The output cannot be written.
pub fn write_all(
    mut output: impl Write,
    messages: impl IntoIterator<Item = Message>,
) -> io::Result<()> {
    messages.into_iter().try_for_each(|message| message.write(&mut output))
}

/// The next message, if the input goes on.
fn read(input: &mut impl BufRead) -> io::Result<Option<Message>> {
    let invalid = |text: String| io::Error::new(ErrorKind::InvalidData, text);
    let mut size = None;
    loop {
        let Some(line) = line(input, LONGEST_LINE)? else { return Ok(None) };
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        if line.is_empty() {
            break;
        }
        match line.split_once(':') {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                size = value.trim().parse::<usize>().ok();
            }
            Some(_) => {}
            None => return Err(invalid("standard input has no message of an editor".to_owned())),
        }
    }
    let size = size.ok_or_else(|| invalid("a message states no `Content-Length`".to_owned()))?;
    if size > LARGEST {
        return Err(invalid(format!("a message of {size} bytes; {LARGEST} are the most")));
    }
    let mut body = vec![0; size];
    input.read_exact(&mut body)?;
    let message = serde_json::from_slice(&body);
    message.map(Some).map_err(|error| invalid(format!("a message cannot be read: {error}")))
}
