//! The other end of a control socket.

use anyhow::{Context as _, Result, bail};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

/// A connection to a run.
pub struct Client {
    answers: BufReader<UnixStream>,
}

impl Client {
    /// Connects to a socket, or to that of a process.
    ///
    /// # Errors
    /// Nobody listens there, or the process has no control socket.
    pub fn connect(target: &OsStr) -> Result<Self> {
        let process = target.to_str().and_then(|text| text.parse::<u32>().ok());
        let path = match process {
            Some(process) if !Path::new(target).exists() => socket_of(process)?,
            _ => PathBuf::from(target),
        };
        let stream = UnixStream::connect(&path).with_context(|| {
            format!("nobody listens at '{}'; a run with --control does", path.display())
        })?;
        Ok(Self { answers: BufReader::new(stream) })
    }

    /// Asks, and waits for the answer.
    ///
    /// # Errors
    /// The run ended.
    pub fn ask(&mut self, request: &Value) -> Result<Value> {
        self.answers.get_mut().write_all(format!("{request}\n").as_bytes())?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            bail!("the run ended");
        }
        Ok(serde_json::from_str(&line)?)
    }
}

/// The socket in the command line of a process.
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
        .with_context(|| format!("process {process} belongs to somebody else"))?;
    Ok(at.join(OsString::from(OsStr::from_bytes(socket))))
}

/// A name for a trace that is not taken, in the current folder.
pub fn trace_file() -> Result<PathBuf> {
    let folder = std::env::current_dir()?;
    let names = (1_u32..).map(|number| folder.join(format!("gxe-trace-{number}.json")));
    names.into_iter().find(|path| !path.exists()).context("no name is free")
}
