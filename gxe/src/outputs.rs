//! Files that commands write. None is a file that the command reads, nor another output: a slip of the
//! hand would destroy it.

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::usage_error::UsageError;
use anyhow::anyhow;
use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What tells a file from all others.
#[derive(PartialEq)]
enum Identity {
    /// Device and inode.
    Existing(u64, u64),
    New(PathBuf),
}

impl Identity {
    /// `None` for a pipe or a device, which several may use.
    fn of(path: &Path) -> Option<Self> {
        match path.metadata() {
            Ok(about) if about.is_file() => Some(Self::Existing(about.dev(), about.ino())),
            Ok(_) => None,
            Err(_) => std::path::absolute(path).ok().map(Self::New),
        }
    }
}

/// Checks that no file is written that is read, and none twice.
///
/// # Errors
/// One is.
pub fn keep_apart(
    read: impl IntoIterator<Item: AsRef<Path>>,
    written: impl IntoIterator<Item: AsRef<Path>>,
) -> Result<(), UsageError> {
    let read = read.into_iter().filter_map(|path| Identity::of(path.as_ref()));
    let mut known: Vec<_> = read.map(|file| (file, true)).collect();
    for path in written {
        let path = path.as_ref();
        let Some(file) = Identity::of(path) else { continue };
        let name = path.display();
        match known.iter().find(|(other, _)| *other == file) {
            Some((_, true)) => {
                let text = format!("'{name}' is to be read, and written, too");
                return Err(UsageError::new(text));
            }
            Some((_, false)) => {
                return Err(UsageError::new(format!("two outputs are to be written to '{name}'")));
            }
            None => known.push((file, false)),
        }
    }
    Ok(())
}

/// Writes a file.
///
/// # Errors
/// It cannot be created or written.
pub fn write(path: &Path, text: &str) -> Result<(), Failure> {
    create(path)?.write_all(text.as_bytes()).map_err(|error| unwritable(path, &error))
}

/// Creates a file, or empties the one that is there.
///
/// # Errors
/// It cannot be created.
pub fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| cannot_write(ExitStatus::Usage, path, &error))
}

/// A file that was created, but cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    cannot_write(ExitStatus::Run, path, error)
}

fn cannot_write(status: ExitStatus, path: &Path, error: &io::Error) -> Failure {
    Failure::new(status, anyhow!("cannot write '{}': {error}", path.display()))
}

/// Creates a folder, and those above it.
///
/// # Errors
/// It cannot be created.
pub fn create_folder(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path).map_err(|error| {
        let what = format!("cannot create the folder '{}'", path.display());
        Failure::new(ExitStatus::Usage, anyhow!("{error}").context(what))
    })
}
