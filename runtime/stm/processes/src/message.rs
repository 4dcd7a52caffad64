//! What master, clients and schedule managers tell each other: JSON, one message a line, behind the
//! shared memory, which the master sends first.

use crate::Failure;
use gxf_stm::status::Status;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::sockopt::socket_peercred;
use rustix::process::{PidfdFlags, pidfd_open};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;

/// The longest message to the master, in bytes.
const LONGEST_REQUEST: u64 = 1 << 20;
/// The longest message from the master, which sends the texts of schedules.
const LONGEST_ANSWER: u64 = 1 << 28;

/// A message to the master.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Request {
    /// A client begins.
    Client { name: String, process: u32 },
    /// A client has registered its runnables and enters the scheduler.
    Enter { runnables: Vec<String> },
    /// A client is ready for the schedule that [`Answer::RollOver`] announced.
    ReadyToRollOver {},
    /// A client leaves; why, if it failed.
    Leave { failure: Option<String> },
    /// A schedule manager begins.
    Manager { name: String, discriminator: i32 },
    /// Starts a schedule.
    Start { schedule: u16 },
    /// Stops a schedule.
    Stop { schedule: u16 },
    /// Starts a schedule in place of another one.
    RollOver { start: u16, stop: u16 },
}

/// A message from the master.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The schedules, names and texts, and how many entries each ring of the log has.
    Schedules { texts: Vec<(String, String)>, log_limit: usize },
    /// The answer to a request: STM's number, and why it is refused.
    Done { status: u32, text: String },
    /// A schedule is about to start in place of another one.
    RollOver { start: u16, stop: u16 },
    /// All is over: STM's number, and why.
    End { status: u32, text: String },
}

/// The failure that a status says.
pub fn failure(status: u32, text: String) -> Failure {
    Failure::new(Status::of(status).unwrap_or(Status::Generic), text)
}

/// Sends a message.
pub fn send(mut stream: &UnixStream, message: &impl Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    stream.write_all(&line)
}

/// A connection that ends with the process of the peer. Children that the peer forked may keep their
/// copy of its socket open.
struct Connection {
    stream: UnixStream,
    /// `None` where the kernel shows no process.
    process: Option<OwnedFd>,
}

impl Connection {
    fn new(stream: UnixStream) -> Self {
        let peer = socket_peercred(&stream).map(|peer| peer.pid);
        let process = peer.and_then(|peer| pidfd_open(peer, PidfdFlags::empty())).ok();
        Self { stream, process }
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if let Some(process) = &self.process {
            let mut ends =
                [PollFd::new(&self.stream, PollFlags::IN), PollFd::new(process, PollFlags::IN)];
            poll(&mut ends, None)?;
            // What the peer sent comes before its end.
            if ends[0].revents().is_empty() {
                return Ok(0);
            }
        }
        self.stream.read(buffer)
    }
}

/// Reads messages.
pub struct Reader {
    stream: BufReader<Connection>,
    longest: u64,
}

impl Reader {
    /// Reads requests.
    pub fn of_requests(stream: UnixStream) -> Self {
        Self { stream: BufReader::new(Connection::new(stream)), longest: LONGEST_REQUEST }
    }

    /// Reads answers.
    pub fn of_answers(stream: UnixStream) -> Self {
        Self { stream: BufReader::new(Connection::new(stream)), longest: LONGEST_ANSWER }
    }

    /// The next message; `None` if the peer is gone, or sends something else.
    pub fn next<M: DeserializeOwned>(&mut self) -> Option<M> {
        let mut line = Vec::new();
        let read = (&mut self.stream).take(self.longest).read_until(b'\n', &mut line);
        match read {
            Ok(size) if size > 0 => serde_json::from_slice(&line).ok(),
            _ => None,
        }
    }
}
