//! `--metrics ADDRESS`: what a run measures, over HTTP, for Prometheus and what reads its format.
//!
//! `text.rs` writes the numbers. Here is as much of HTTP as that takes: one page, one request a
//! connection, one connection after the other, each with a limit in size and time. Only programs on
//! this machine can connect.

mod text;

use crate::stop::Stop;
use anyhow::{Context as _, Result};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The longest head of a request, in bytes.
const LONGEST: usize = 1 << 13;
/// How long a program may take to send it, or to take the answer.
const PATIENCE: Duration = Duration::from_secs(2);

const PAGE: &str = "/metrics";
/// The media type of the exposition format.
const FORMAT: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Serves the numbers of the run from now on.
///
/// # Errors
/// The address is in use, or no thread can be started.
pub fn serve(address: SocketAddr, stop: &Arc<Stop>) -> Result<()> {
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot serve metrics at {address}"))?;
    // The port may have been left to the system.
    let address = listener.local_addr().unwrap_or(address);
    let stop = Arc::clone(stop);
    let serve = move || {
        for stream in listener.incoming().flatten() {
            // Whoever goes away needs no answer.
            _ = answer(stream, &stop);
        }
    };
    std::thread::Builder::new()
        .name("metrics".into())
        .spawn(serve)
        .context("cannot start the thread of the metrics")?;
    tracing::info!("Metrics at http://{address}{PAGE}");
    Ok(())
}

fn answer(mut stream: TcpStream, stop: &Stop) -> io::Result<()> {
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = head(&mut stream)?;
    let mut words = head.split(|byte| *byte == b' ');
    let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let path = target.split(|byte| *byte == b'?').next().unwrap_or_default();
    let (status, kind, body) = match method {
        b"GET" | b"HEAD" if path == PAGE.as_bytes() => {
            let numbers = stop
                .graph()
                .look(|context| text::exposition(&context.status(), context.statistics().as_ref()));
            ("200 OK", FORMAT, numbers.unwrap_or_default())
        }
        b"GET" | b"HEAD" => ("404 Not Found", "text/plain", format!("the metrics are at {PAGE}\n")),
        _ => ("405 Method Not Allowed", "text/plain", "only GET is possible\n".to_owned()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if method == b"HEAD" { Ok(()) } else { stream.write_all(body.as_bytes()) }
}

/// Everything up to the empty line.
fn head(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let deadline = Instant::now() + PATIENCE;
    let mut head = Vec::new();
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() >= LONGEST {
            return Err(io::ErrorKind::InvalidData.into());
        }
        stream.set_read_timeout(Some(left))?;
        let mut piece = [0; 1024];
        match stream.read(&mut piece)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            length => head.extend_from_slice(&piece[..length]),
        }
    }
    Ok(head)
}
