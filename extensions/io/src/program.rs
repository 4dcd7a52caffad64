//! A program that is read from or written to.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};

/// A program that is not started yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// What it reads or writes: a path or an address.
    pub about: String,
}

/// What the program's end of the pipe is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its standard output.
    Output,
    /// Its standard input.
    Input,
}

/// A program that runs. It is killed if this is dropped.
pub struct Running {
    /// Its standard input or output is there to be taken.
    pub child: Child,
    said: File,
}

/// Longest text of a program that an error repeats.
const MOST_SAID: u64 = 1000;

impl Program {
    /// Starts it. An interrupt from the terminal does not reach it: the graph ends it.
    pub fn start(&self, end: End) -> io::Result<Running> {
        // A file, because a pipe would keep a program waiting that says much.
        let flags = rustix::fs::MemfdFlags::CLOEXEC;
        let said = File::from(rustix::fs::memfd_create("gxe-program", flags)?);
        let piped = |is: bool| if is { Stdio::piped() } else { Stdio::null() };
        let child = Command::new(&self.words[0])
            .args(&self.words[1..])
            .stdin(piped(end == End::Input))
            .stdout(piped(end == End::Output))
            .stderr(said.try_clone()?)
            .process_group(0)
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => io::Error::new(
                    ErrorKind::NotFound,
                    format!("this needs the program `{}`, which is not installed", self.words[0]),
                ),
                _ => error,
            })?;
        Ok(Running { child, said })
    }
}

impl Running {
    /// Waits for its end. A failure has what it said last.
    pub fn finish(mut self) -> io::Result<()> {
        let status = self.child.wait()?;
        if status.success() {
            return Ok(());
        }
        let length = self.said.metadata()?.len();
        self.said.seek(io::SeekFrom::Start(length.saturating_sub(MOST_SAID)))?;
        let mut said = Vec::new();
        (&self.said).take(MOST_SAID).read_to_end(&mut said)?;
        let said = String::from_utf8_lossy(&said);
        let said = said.trim().lines().collect::<Vec<_>>().join("; ");
        let ended = match (status.code(), status.signal()) {
            (Some(code), _) => format!("status {code}"),
            (None, Some(signal)) => format!("signal {signal}"),
            (None, None) => "an unknown status".to_owned(),
        };
        let text = if said.is_empty() { "it said nothing" } else { &said };
        Err(io::Error::other(format!("the program ended with {ended}: {text}")))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended if these fail.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
