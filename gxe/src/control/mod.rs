//! `--control SOCKET`: other programs ask a run and tell it what to do.
//!
//! `socket.rs` makes the socket, `request.rs` says what can be asked; here the connections are
//! served, each by a thread of its own.

mod request;
mod socket;

use crate::stop::Stop;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use socket::PrivateSocket;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The longest request, in bytes.
const LONGEST: u64 = 1 << 16;
/// Programs that may be connected at a time.
const CLIENTS: usize = 32;

/// A control socket; it is removed with this value.
pub struct Control {
    _socket: PrivateSocket,
}

impl Control {
    /// Makes the socket and serves it from now on.
    ///
    /// # Errors
    /// The socket cannot be made, or is in use.
    pub fn serve(path: &Path, stop: &Arc<Stop>) -> Result<Self> {
        let socket = PrivateSocket::bind(path)?;
        let (listener, stop) = (socket.listener()?, stop.clone());
        let clients = Arc::new(AtomicUsize::new(0));
        let serve = move || {
            for stream in listener.incoming().flatten() {
                if clients.fetch_add(1, Ordering::Relaxed) >= CLIENTS {
                    clients.fetch_sub(1, Ordering::Relaxed);
                    let error = format!("{CLIENTS} programs are connected already");
                    _ = write_line(&stream, &json!({"ok": false, "error": error}));
                    continue;
                }
                let (client, stop) = (Client(clients.clone()), stop.clone());
                let spawned = std::thread::Builder::new().name("control".into()).spawn(move || {
                    let _client = client;
                    // Whoever goes away needs no answer.
                    _ = converse(&stream, &stop);
                });
                if let Err(error) = spawned {
                    tracing::warn!("a connection to the control socket is refused: {error}");
                }
            }
        };
        std::thread::Builder::new()
            .name("control".into())
            .spawn(serve)
            .context("cannot start the thread of the control socket")?;
        Ok(Self { _socket: socket })
    }
}

/// Counts down when a program goes away.
struct Client(Arc<AtomicUsize>);

impl Drop for Client {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn converse(stream: &UnixStream, stop: &Arc<Stop>) -> io::Result<()> {
    let mut requests = BufReader::new(stream);
    loop {
        let mut line = Vec::new();
        requests.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(());
        }
        let is_whole = line.ends_with(b"\n");
        if !is_whole && line.len() as u64 == LONGEST {
            let error = format!("not a request: longer than {LONGEST} bytes");
            return write_line(stream, &json!({"ok": false, "error": error}));
        }
        let text = String::from_utf8_lossy(&line);
        if !text.trim().is_empty() {
            write_line(stream, &request::answer(&text, stop))?;
        }
    }
}

fn write_line(mut stream: &UnixStream, answer: &Value) -> io::Result<()> {
    stream.write_all(format!("{answer}\n").as_bytes())
}
