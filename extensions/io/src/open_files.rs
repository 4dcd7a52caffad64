//! The files that the components of this process have open, so that none is read and written at the
//! same time, and none is written twice: a sink would empty what a source has not read yet, or what
//! another sink writes.

use crate::address::Address;
use crate::lock;
use crate::read_ahead::failed;
use gxf::{Error, Result};
use std::fs::{File, Metadata};
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};

/// What a component does with a file.
#[derive(Clone, Copy, PartialEq)]
pub enum Use {
    /// It reads, as others may.
    Read,
    /// It replaces what is there.
    Write,
    /// It adds to what is there, as others may.
    Append,
}

/// An open file.
struct Open {
    /// Device and number, which all names and links of the file share.
    file: (u64, u64),
    used: Use,
    is_contested: AtomicBool,
}

static OPEN: Mutex<Vec<Weak<Open>>> = Mutex::new(Vec::new());

/// Keeps an open file in the list.
pub struct Claim(Arc<Open>);

impl Claim {
    /// Adds a file to the list. Fails if it is there for a use that this one disturbs.
    pub fn new(address: &Address, file: &File, used: Use) -> Result<Self> {
        let data = file.metadata().map_err(|error| failed(address, "opened", &error))?;
        Self::of(address, &data, used)
    }

    /// The same for the file of a program. `None` if it has none, or a new one.
    pub fn of_program(address: &Address, used: Use) -> Result<Option<Self>> {
        let Address::Program(program) = address else { return Ok(None) };
        match std::fs::metadata(&program.about) {
            Ok(data) if data.is_file() => Self::of(address, &data, used).map(Some),
            _ => Ok(None),
        }
    }

    fn of(address: &Address, data: &Metadata, used: Use) -> Result<Self> {
        let file = (data.dev(), data.ino());
        let mut all = lock(&OPEN);
        all.retain(|open| open.strong_count() > 0);
        let others = all.iter().filter_map(Weak::upgrade);
        let clashes =
            |other: &Arc<Open>| other.file == file && (other.used != used || used == Use::Write);
        if let Some(other) = { others }.find(clashes) {
            other.is_contested.store(true, Ordering::Relaxed);
            return Err(Error::failure(match other.used == Use::Read || used == Use::Read {
                true => format!("`{address}` is to be read, and written, too"),
                false => format!("`{address}` is to be written by two components"),
            }));
        }
        let open = Arc::new(Open { file, used, is_contested: AtomicBool::new(false) });
        all.push(Arc::downgrade(&open));
        Ok(Self(open))
    }

    /// Whether another component wanted the file, too.
    pub fn is_contested(&self) -> bool {
        self.0.is_contested.load(Ordering::Relaxed)
    }
}
