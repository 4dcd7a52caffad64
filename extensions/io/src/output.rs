//! Bytes to an address.

use crate::address::Address;
use crate::read_ahead::failed;
use crate::write_behind::WriteBehind;
use gxf::{ContextHandle, Result, WakeToken};
use std::fs::{File, OpenOptions};
use std::io::Write;

/// An open address.
pub enum Output {
    /// A regular file, which is written directly.
    File {
        /// The file.
        file: File,
        /// Where it is.
        address: Address,
    },
    /// Anything that may keep its writer waiting.
    Peer(WriteBehind),
}

impl Output {
    /// Opens an address.
    pub fn open(
        address: Address,
        append: bool,
        reconnect: bool,
        context: ContextHandle,
    ) -> Result<Self> {
        if let Address::File(path) = &address
            && std::fs::metadata(path).map_or(true, |data| data.is_file() || data.is_dir())
        {
            let mut options = OpenOptions::new();
            options.write(true).create(true).append(append).truncate(!append);
            let file = options.open(path);
            let file = file.map_err(|error| failed(&address, "opened for writing", &error))?;
            return Ok(Self::File { file, address });
        }
        WriteBehind::start(address, reconnect, context).map(Self::Peer)
    }

    /// Writes bytes.
    pub fn write(&mut self, bytes: Vec<u8>) -> Result<()> {
        match self {
            Self::File { file, address } => {
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
    pub fn finish(self) -> Result<()> {
        match self {
            Self::File { .. } => Ok(()),
            Self::Peer(behind) => behind.finish(),
        }
    }
}
