//! Serves programs that connect to a run, each in a thread of its own, with bounds on their number
//! and on the length of their requests.

use std::io::{self, BufRead, ErrorKind, Read};
use std::sync::Arc;
use std::time::Duration;

/// Pause after a failed accept. At the limit of open files, every attempt fails at once.
const REST: Duration = Duration::from_millis(100);

/// Serves the connections that `accept` waits for, in threads with this name, until the process
/// ends. When `most` are being served, the next one is handed to `refuse`, which must not block.
///
/// # Errors
/// No thread can be started.
pub fn serve<S: Send + 'static>(
    name: &'static str,
    most: usize,
    accept: impl Fn() -> io::Result<S> + Send + 'static,
    converse: impl Fn(S) + Send + Sync + 'static,
    refuse: impl Fn(S) + Send + 'static,
) -> io::Result<()> {
    let converse = Arc::new(converse);
    let serve = move || {
        loop {
            let Ok(stream) = accept() else {
                std::thread::sleep(REST);
                continue;
            };
            // Each thread holds a reference; so does this one.
            if Arc::strong_count(&converse) > most {
                refuse(stream);
                continue;
            }
            let converse = Arc::clone(&converse);
            let thread = std::thread::Builder::new().name(name.into());
            if let Err(error) = thread.spawn(move || converse(stream)) {
                tracing::warn!("a connection to the {name} socket is refused: {error}");
            }
        }
    };
    std::thread::Builder::new().name(name.into()).spawn(serve).map(|_| ())
}

/// Reads a line with its line break, or the rest without one; `None` at the end.
///
/// # Errors
/// The stream cannot be read, or the line is longer than `longest` ([`ErrorKind::InvalidData`]).
pub fn line(reader: &mut impl BufRead, longest: usize) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    reader.take(longest as u64 + 1).read_until(b'\n', &mut line)?;
    if line.len() > longest {
        let text = format!("longer than {longest} bytes");
        return Err(io::Error::new(ErrorKind::InvalidData, text));
    }
    Ok(Some(line).filter(|line| !line.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded() {
        let text: &[u8] = b"ab\n\nabc\nabcd\n";
        let mut reader = text;
        assert_eq!(line(&mut reader, 4).unwrap().unwrap(), b"ab\n");
        assert_eq!(line(&mut reader, 4).unwrap().unwrap(), b"\n");
        assert_eq!(line(&mut reader, 4).unwrap().unwrap(), b"abc\n");
        assert_eq!(line(&mut reader, 4).unwrap_err().kind(), ErrorKind::InvalidData);
        let mut reader: &[u8] = b"end";
        assert_eq!(line(&mut reader, 4).unwrap().unwrap(), b"end");
        assert!(line(&mut reader, 4).unwrap().is_none());
    }

    #[test]
    fn accepting_goes_on_after_an_error_and_rests() {
        let (sender, receiver) = std::sync::mpsc::channel();
        let attempts = std::sync::atomic::AtomicU32::new(0);
        let accept = move || match attempts.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            0..2 => Err(ErrorKind::Other.into()),
            number => Ok(number),
        };
        let converse = move |number| {
            _ = sender.send(number);
            std::thread::sleep(Duration::from_secs(3600));
        };
        let begin = std::time::Instant::now();
        let (refused, refusals) = std::sync::mpsc::channel();
        serve("test", 2, accept, converse, move |number| {
            _ = refused.send(number);
            std::thread::sleep(Duration::from_secs(3600));
        })
        .unwrap();
        let mut served = [receiver.recv().unwrap(), receiver.recv().unwrap()];
        served.sort_unstable();
        assert_eq!(served, [2, 3]);
        assert_eq!(refusals.recv(), Ok(4));
        assert!(begin.elapsed() >= 2 * REST);
    }
}
