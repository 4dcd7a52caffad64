//! Messages of the protocol as bytes: a header with the length, and JSON.

use crate::connections::line;
use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, ErrorKind, Write};

/// Most bytes of a message. Clients send whole files.
const LARGEST: usize = 64 << 20;
/// Most bytes of a line of the header.
const LONGEST_LINE: usize = 4096;

/// A message, or the answer to what is none.
pub type Received = Result<Message, Value>;

/// Passes on what comes, until the input ends or `pass` says that nobody takes more.
///
/// # Errors
/// The input is not divided into messages, or cannot be read.
pub fn read_all(mut input: impl BufRead, pass: impl Fn(Received) -> bool) -> io::Result<()> {
    while let Some(body) = read(&mut input)? {
        if !pass(message(&body)) {
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
    messages: impl IntoIterator<Item = Value>,
) -> io::Result<()> {
    messages.into_iter().try_for_each(|message| {
        let text = message.to_string();
        write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
        output.flush()
    })
}

/// A message as it is sent.
pub fn sent(message: impl Into<Message>) -> Value {
    let mut value = json!(message.into());
    value["jsonrpc"] = "2.0".into();
    value
}

/// The bytes of the next message, if the input goes on.
fn read(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
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
    Ok(Some(body))
}

fn message(body: &[u8]) -> Received {
    let value: Value = serde_json::from_slice(body)
        .map_err(|error| refused(ErrorCode::ParseError, &Value::Null, &error))?;
    let id = value["id"].clone();
    match serde_json::from_value(value) {
        // Its id is none that the protocol knows.
        Ok(Message::Notification(_)) if !id.is_null() => {
            Err(refused(ErrorCode::InvalidRequest, &id, &"an id is a text or an integer"))
        }
        read => read.map_err(|error| refused(ErrorCode::InvalidRequest, &id, &error)),
    }
}

fn refused(code: ErrorCode, id: &Value, problem: &dyn std::fmt::Display) -> Value {
    let message = format!("a message cannot be read: {problem}");
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_message_is_answered() {
        for (text, id, code) in [
            ("{\"id\": 1", Value::Null, -32700),
            ("\u{ff}", Value::Null, -32700),
            ("[]", Value::Null, -32600),
            ("{\"id\": 7}", json!(7), -32600),
            ("{\"id\": 1.5, \"method\": \"shutdown\"}", json!(1.5), -32600),
        ] {
            let answer = message(text.as_bytes()).unwrap_err();
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&id, &json!(code)), "{text}");
        }
        assert!(message(b"{\"id\": 1, \"method\": \"shutdown\"}").is_ok());
    }
}
