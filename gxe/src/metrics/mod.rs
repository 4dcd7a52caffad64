//! `--metrics ADDRESS`: serves the statistics of a run over HTTP, in Prometheus' format.
//!
//! `text.rs` formats the numbers. This file has the little HTTP that it takes: one page, one
//! request per connection, with limits on size and time. Only programs on this machine can connect,
//! and requests of web pages are refused, because they name another host.

mod text;

use crate::connections;
use crate::live_graph::LiveGraph;
use anyhow::{Context as _, Result};
use std::io::{self, BufReader, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Longest line of a request, in bytes; also the most lines.
const LONGEST: usize = 1 << 13;
const LINES: usize = 100;
/// Time-out of a whole request, and of a whole answer.
const PATIENCE: Duration = Duration::from_secs(2);
/// Most requests served at a time.
const CLIENTS: usize = 32;

const PAGE: &str = "/metrics";

/// Starts to serve the statistics of the graph.
///
/// # Errors
/// The address is in use, or no thread can be started.
pub fn serve(address: SocketAddr, graph: &Arc<LiveGraph>) -> Result<()> {
    let listener =
        TcpListener::bind(address).with_context(|| format!("cannot serve metrics at {address}"))?;
    // The system may have chosen the port.
    let address = listener.local_addr().unwrap_or(address);
    let graph = Arc::clone(graph);
    let accept = move || listener.accept().map(|(stream, _)| stream);
    // A client that went away needs no answer.
    let converse = move |stream: TcpStream| _ = answer(&stream, &graph);
    connections::serve("metrics", CLIENTS, accept, converse, |stream| {
        _ = Answer::error("503 Service Unavailable", "too many connections").write(&stream, true);
    })
    .context("cannot start the thread of the metrics")?;
    tracing::info!("Metrics at http://{address}{PAGE}");
    Ok(())
}

fn answer(stream: &TcpStream, graph: &LiveGraph) -> io::Result<()> {
    let request = Request::read(stream)?;
    request.answer(graph).write(stream, request.method != "HEAD")
}

/// A request.
struct Request {
    method: String,
    path: String,
    /// The client's name for this machine.
    host: Option<String>,
}

impl Request {
    /// Reads everything up to the empty line.
    fn read(stream: &TcpStream) -> io::Result<Self> {
        let mut reader = BufReader::new(Timely { stream, deadline: Instant::now() + PATIENCE });
        let mut line = || -> io::Result<String> {
            let line = connections::line(&mut reader, LONGEST)?;
            let line = line.ok_or(ErrorKind::UnexpectedEof)?;
            Ok(String::from_utf8_lossy(line.trim_ascii_end()).into_owned())
        };
        let first = line()?;
        let mut words = first.split(' ').map(str::to_owned);
        let method = words.next().unwrap_or_default();
        let target = words.next().unwrap_or_default();
        let path = target.split('?').next().unwrap_or_default().to_owned();
        let mut host = None;
        for _ in 0..LINES {
            let line = line()?;
            if line.is_empty() {
                return Ok(Self { method, path, host });
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("host")
            {
                host = Some(value.trim().to_owned());
            }
        }
        Err(ErrorKind::InvalidData.into())
    }

    fn answer(&self, graph: &LiveGraph) -> Answer {
        if !self.host.as_deref().is_none_or(is_this_machine) {
            return Answer::error(
                "403 Forbidden",
                "this is served to 127.0.0.1 and localhost only",
            );
        }
        match self.method.as_str() {
            "GET" | "HEAD" if self.path == PAGE => {
                let numbers = graph.look(|context| {
                    text::exposition(&context.status(), context.statistics().as_ref())
                });
                Answer { status: "200 OK", kind: text::FORMAT, body: numbers.unwrap_or_default() }
            }
            "GET" | "HEAD" => Answer::error("404 Not Found", &format!("the metrics are at {PAGE}")),
            _ => Answer::error("405 Method Not Allowed", "only GET is possible"),
        }
    }
}

/// Whether a `Host` names this machine. Anyone can point a domain name at this machine's address
/// and lead a browser there.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let address = match inner {
        Some(inner) => inner.parse::<Ipv6Addr>().map(IpAddr::from),
        None => name.parse::<IpAddr>(),
    };
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|known| known.is_loopback())
}

struct Answer {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Answer {
    fn error(status: &'static str, text: &str) -> Self {
        Self { status, kind: "text/plain", body: format!("{text}\n") }
    }

    fn write(&self, stream: &TcpStream, with_body: bool) -> io::Result<()> {
        let Self { status, kind, body } = self;
        let mut text = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            body.len()
        );
        if with_body {
            text.push_str(body);
        }
        Timely { stream, deadline: Instant::now() + PATIENCE }.write_all(text.as_bytes())
    }
}

/// A connection whose reads, or writes, must all be done by the deadline.
struct Timely<'a> {
    stream: &'a TcpStream,
    deadline: Instant,
}

impl Timely<'_> {
    fn left(&self) -> io::Result<Option<Duration>> {
        match self.deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(ErrorKind::TimedOut.into()),
            left => Ok(Some(left)),
        }
    }
}

impl Read for Timely<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(bytes)
    }
}

impl Write for Timely<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_answered() {
        for host in
            ["localhost", "localhost:9100", "127.0.0.1:9100", "127.1.2.3", "[::1]:1", "[::1]"]
        {
            assert!(is_this_machine(host), "{host}");
        }
        for host in
            ["evil.example", "evil.example:9100", "192.168.0.1", "localhost.evil", "[::2]", ""]
        {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
