//! The client of a control socket.

use crate::connections;
use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufReader, ErrorKind, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest answer, in bytes. The status of 100,000 entities takes a third of it.
const LONGEST: usize = 1 << 26;

/// A connection to a run.
pub struct Client {
    answers: BufReader<UnixStream>,
}

impl Client {
    /// Connects to a socket, or to that of a process.
    ///
    /// # Errors
    /// Nothing listens there, or the process has no control socket.
    pub fn connect(target: &OsStr) -> Result<Self> {
        let process = target.to_str().and_then(|text| text.parse::<u32>().ok());
        let path = match process {
            Some(process) if !Path::new(target).exists() => socket_of(process)?,
            _ => PathBuf::from(target),
        };
        let stream = UnixStream::connect(&path).with_context(|| {
            format!("no run listens at '{}'; start one with --control", path.display())
        })?;
        Ok(Self { answers: BufReader::new(stream) })
    }

    /// Sets the time-out of an answer.
    ///
    /// # Errors
    /// The system refuses.
    pub fn set_patience(&self, patience: Duration) -> io::Result<()> {
        self.answers.get_ref().set_read_timeout(Some(patience))?;
        self.answers.get_ref().set_write_timeout(Some(patience))
    }

    /// Sends a request and waits for the answer; `None` if the run ended.
    ///
    /// # Errors
    /// The run does not answer in time, or the answer cannot be understood.
    pub fn ask(&mut self, request: &Value) -> Result<Option<Value>> {
        let asked = self.answers.get_mut().write_all(format!("{request}\n").as_bytes());
        let answer = asked.and_then(|()| connections::line(&mut self.answers, LONGEST));
        match answer {
            Ok(Some(line)) => Ok(Some(serde_json::from_slice(&line)?)),
            Ok(None) => Ok(None),
            Err(error) => match error.kind() {
                ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Ok(None),
                ErrorKind::WouldBlock | ErrorKind::TimedOut => bail!("the run does not answer"),
                _ => Err(error).context("the run cannot be asked"),
            },
        }
    }
}

/// The socket named in the command line of a process.
fn socket_of(process: u32) -> Result<PathBuf> {
    let folder = PathBuf::from(format!("/proc/{process}"));
    let line = std::fs::read(folder.join("cmdline"))
        .with_context(|| format!("there is no process {process}"))?;
    let words: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
    let separate = words.windows(2).find(|pair| pair[0] == b"--control").map(|pair| pair[1]);
    let joined = words.iter().find_map(|word| word.strip_prefix(b"--control="));
    let Some(socket) = separate.or(joined) else {
        bail!("process {process} runs without --control SOCKET");
    };
    let at = std::fs::read_link(folder.join("cwd"))
        .with_context(|| format!("process {process} belongs to another user"))?;
    Ok(at.join(OsString::from(OsStr::from_bytes(socket))))
}
