//! Bytes from an address.

use crate::address::Address;
use crate::open_files::{Claim, Use};
use crate::read_ahead::{ReadAhead, Reading, Taken, failed};
use gxf::{Result, WakeToken};
use std::fs::File;
use std::io::Read;

/// Bytes of one read of a file.
const PIECE: usize = 256 << 10;

/// An open address.
pub enum Input {
    /// A regular file, which is read directly.
    File {
        /// The file.
        file: File,
        /// Where it is.
        address: Address,
        /// Keeps sinks of this process from it.
        _claim: Claim,
    },
    /// Anything that may keep its reader waiting.
    Peer {
        /// What was read.
        ahead: ReadAhead,
        /// Whether every piece is a datagram.
        has_datagrams: bool,
        /// Keeps sinks of this process from the file of a program.
        _claim: Option<Claim>,
    },
}

/// What a read brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brought {
    /// Bytes.
    Bytes,
    /// Nothing yet.
    Nothing,
    /// No more.
    End,
}

impl Input {
    /// Opens an address.
    pub fn open(address: Address, reading: Reading) -> Result<Self> {
        if let Address::File(path) = &address {
            let data =
                std::fs::metadata(path).map_err(|error| failed(&address, "opened", &error))?;
            if data.is_dir() {
                let error = std::io::Error::from(std::io::ErrorKind::IsADirectory);
                return Err(failed(&address, "read", &error));
            }
            if data.is_file() {
                let file = File::open(path).map_err(|error| failed(&address, "opened", &error))?;
                let claim = Claim::new(&address, &file, Use::Read)?;
                return Ok(Self::File { file, address, _claim: claim });
            }
        }
        let has_datagrams = matches!(address, Address::Datagrams(_));
        let claim = Claim::of_program(&address, Use::Read)?;
        Ok(Self::Peer { ahead: ReadAhead::start(address, reading)?, has_datagrams, _claim: claim })
    }

    /// Appends bytes to a buffer. `as_lines` ends every datagram with a newline.
    pub fn read(&mut self, buffer: &mut Vec<u8>, as_lines: bool) -> Result<Brought> {
        match self {
            Self::File { file, address, .. } => {
                let before = buffer.len();
                buffer.resize(before + PIECE, 0);
                let length = loop {
                    match file.read(&mut buffer[before..]) {
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                        other => break other.map_err(|error| failed(address, "read", &error)),
                    }
                };
                buffer.truncate(before + *length.as_ref().unwrap_or(&0));
                Ok(if length? == 0 { Brought::End } else { Brought::Bytes })
            }
            Self::Peer { ahead, has_datagrams, .. } => match ahead.take()? {
                Taken::Piece(piece) => {
                    buffer.extend_from_slice(&piece);
                    if *has_datagrams && as_lines && !piece.ends_with(b"\n") {
                        buffer.push(b'\n');
                    }
                    Ok(Brought::Bytes)
                }
                Taken::Nothing => Ok(Brought::Nothing),
                Taken::End => Ok(Brought::End),
            },
        }
    }

    /// Whether `read` would bring something or the end; if not, the token is used once it would.
    pub fn is_ready_or(&self, token: impl FnOnce() -> Result<WakeToken>) -> Result<bool> {
        match self {
            Self::File { .. } => Ok(true),
            Self::Peer { ahead, .. } => ahead.is_ready_or(token),
        }
    }

    /// Datagrams that were dropped because the graph was too slow.
    pub fn dropped(&self) -> u64 {
        match self {
            Self::File { .. } => 0,
            Self::Peer { ahead, .. } => ahead.dropped(),
        }
    }
}
