//! `--control SOCKET`: lets other programs query and control a run.
//!
//! `socket.rs` creates the socket, `request.rs` defines the requests; this file serves the
//! connections. `client.rs` is the other side.

#[cfg(any(feature = "stm", feature = "top"))]
pub mod client;
mod request;
pub mod socket;

pub use request::{answered, is_stop, set};

use crate::connections;
use crate::live_graph::LiveGraph;
use crate::stop::{Stop, StopCause};
use anyhow::{Context as _, Result};
use gxf_runtime::graph::escape;
use serde_json::{Value, json};
use socket::PrivateSocket;
use std::io::{self, BufReader, ErrorKind, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The longest request, in bytes.
const LONGEST: usize = 1 << 16;
/// Most programs connected at a time.
const CLIENTS: usize = 32;
/// Time-out for a program to read an answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// The shortest time a write can wait.
const AT_ONCE: Duration = Duration::from_micros(1);

/// How long the end of the process waits for the answers to requests that came before it: a request
/// may be what ends the run.
const FAREWELL: Duration = Duration::from_millis(500);

/// A control socket, removed on drop.
pub struct Control {
    _socket: PrivateSocket,
    unanswered: Arc<Unanswered>,
}

/// The number of requests that have no answer yet.
#[derive(Default)]
struct Unanswered {
    number: Mutex<usize>,
    answered: Condvar,
}

/// A request; counts as answered on drop.
struct Pending<'a>(&'a Unanswered);

impl Unanswered {
    fn begin(&self) -> Pending<'_> {
        *self.number.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        Pending(self)
    }

    /// Waits until there are none, or this time is over.
    fn wait(&self, at_most: Duration) {
        let number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        // What is left after this time gets no answer.
        _ = self.answered.wait_timeout_while(number, at_most, |number| *number > 0);
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        *self.0.number.lock().unwrap_or_else(PoisonError::into_inner) -= 1;
        self.0.answered.notify_all();
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        self.unanswered.wait(FAREWELL);
    }
}

impl Control {
    /// Creates the socket and starts to serve it.
    ///
    /// # Errors
    /// The socket cannot be created, or is in use.
    pub fn serve(path: &Path, graph: &Arc<LiveGraph>, stop: &Arc<Stop>) -> Result<Self> {
        let socket = PrivateSocket::bind(path)?;
        let listener = socket.listener()?;
        let (graph, stop) = (Arc::clone(graph), Arc::clone(stop));
        let accept = move || listener.accept().map(|(stream, _)| stream);
        let unanswered = Arc::new(Unanswered::default());
        let requests = Arc::clone(&unanswered);
        // A client that went away needs no answer.
        let converse = move |stream| _ = converse(&stream, &graph, &stop, &requests);
        let refuse = |stream| {
            let error = format!("{CLIENTS} programs are connected already");
            _ = write_line(&stream, &json!({"ok": false, "error": error}));
        };
        connections::serve("control", CLIENTS, accept, converse, refuse)
            .context("cannot start the thread of the control socket")?;
        Ok(Self { _socket: socket, unanswered })
    }
}

fn converse(
    stream: &UnixStream,
    graph: &LiveGraph,
    stop: &Stop,
    unanswered: &Unanswered,
) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut requests = BufReader::new(stream);
    loop {
        let line = match connections::line(&mut requests, LONGEST) {
            Ok(Some(line)) => line,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                let error = format!("not a request: {error}");
                return write_line(stream, &json!({"ok": false, "error": error}));
            }
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(&line);
        if text.trim().is_empty() {
            continue;
        }
        let _pending = unanswered.begin();
        let answer = answered(&text, graph);
        let stops = serde_json::from_str(&text).is_ok_and(|request| is_stop(&request));
        if !stops {
            write_line(stream, &answer)?;
            continue;
        }
        // Answered first, since the process may end before a later answer; but a program that does
        // not read must not delay the stop.
        stream.set_write_timeout(Some(AT_ONCE))?;
        let written = write_line(stream, &answer);
        stop.request(StopCause::Control);
        written?;
        stream.set_write_timeout(Some(PATIENCE))?;
    }
}

fn write_line(mut stream: &UnixStream, answer: &Value) -> io::Result<()> {
    stream.write_all(format!("{}\n", escape::json(answer)).as_bytes())
}
