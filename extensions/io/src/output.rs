//! Bytes to an address.

use crate::address::Address;
use crate::open_files::{Claim, Use};
use crate::read_ahead::failed;
use crate::write_behind::WriteBehind;
use gxf::{ContextHandle, Result, WakeToken};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};

/// Most bytes of the first line of a file that are read to compare headers.
const LONGEST_HEADER: u64 = 1 << 20;

/// What a file had before the run, if that stays.
#[derive(Debug, Default)]
pub struct Before {
    /// Whether there is anything.
    pub has_some: bool,
    /// Its first line, or as much of it as is read to compare headers.
    pub first_line: Vec<u8>,
    /// Whether its last line has no end.
    pub ends_in_line: bool,
}

/// An open address.
pub enum Output {
    /// A regular file, which is written directly.
    File {
        /// The file.
        file: File,
        /// Where it is.
        address: Address,
        /// Keeps other components of this process from it.
        claim: Claim,
        /// Whether it still has what it had before the run, which is to go.
        is_old: bool,
    },
    /// Anything that may keep its writer waiting.
    Peer(WriteBehind),
}

impl Output {
    /// Opens an address. A file keeps what it has until the first write or the end.
    pub fn open(
        address: Address,
        append: bool,
        reconnect: bool,
        context: ContextHandle,
    ) -> Result<(Self, Before)> {
        if let Address::File(path) = &address
            && std::fs::metadata(path).map_or(true, |data| data.is_file() || data.is_dir())
        {
            let mut options = OpenOptions::new();
            options.write(true).create(true).append(append).read(append);
            let file = options.open(path);
            let mut file = file.map_err(|error| failed(&address, "opened for writing", &error))?;
            let used = if append { Use::Append } else { Use::Write };
            let claim = Claim::new(&address, &file, used)?;
            let before = if append { before(&mut file) } else { Ok(Before::default()) };
            let before = before.map_err(|error| failed(&address, "read", &error))?;
            return Ok((Self::File { file, address, claim, is_old: !append }, before));
        }
        let behind = WriteBehind::start(address, reconnect, context)?;
        Ok((Self::Peer(behind), Before::default()))
    }

    /// Takes from a file what it had before the run.
    fn empty(&mut self) -> Result<()> {
        match self {
            Self::File { file, address, claim, is_old } if *is_old && !claim.is_contested() => {
                *is_old = false;
                file.set_len(0).map_err(|error| failed(address, "written", &error))
            }
            _ => Ok(()),
        }
    }

    /// Writes bytes.
    pub fn write(&mut self, bytes: Vec<u8>) -> Result<()> {
        self.empty()?;
        match self {
            // Another component that wanted the file has failed, and ends the graph.
            Self::File { is_old: true, .. } => Ok(()),
            Self::File { file, address, .. } => {
                file.write_all(&bytes).map_err(|error| failed(address, "written", &error))
            }
            Self::Peer(behind) => behind.write(bytes),
        }
    }

    /// Whether there is room; if not, the token is used once there is.
    pub fn has_room_or(&self, token: impl FnOnce() -> Result<WakeToken>) -> Result<bool> {
        match self {
            Self::File { .. } => Ok(true),
            Self::Peer(behind) => behind.has_room_or(token),
        }
    }

    /// Waits until everything is written, as long as a peer goes on taking it.
    pub fn finish(mut self) -> Result<()> {
        self.empty()?;
        match self {
            Self::File { .. } => Ok(()),
            Self::Peer(behind) => behind.finish(),
        }
    }
}

fn before(file: &mut File) -> std::io::Result<Before> {
    if file.metadata()?.len() == 0 {
        return Ok(Before::default());
    }
    let mut first_line = Vec::new();
    BufReader::new(&mut *file).take(LONGEST_HEADER).read_until(b'\n', &mut first_line)?;
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(Before { has_some: true, first_line, ends_in_line: last != *b"\n" })
}
