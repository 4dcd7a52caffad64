//! Files that commands write. None is a file that the command reads, nor another output: a slip of the
//! hand would destroy it.

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::usage_error::UsageError;
use anyhow::anyhow;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
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

/// `t.json` of process `up` is `t.up.json`. Several may write to a terminal or pipe.
pub fn own_file(file: &str, name: &str) -> String {
    let path = Path::new(file);
    let kind = path.metadata().map(|about| about.file_type());
    if kind.is_ok_and(|kind| kind.is_char_device() || kind.is_fifo()) {
        return file.to_owned();
    }
    let name = name.replace('/', "-");
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let own = match path.extension() {
        Some(extension) => format!("{stem}.{name}.{}", extension.to_string_lossy()),
        None => format!("{stem}.{name}"),
    };
    path.with_file_name(own).to_string_lossy().into_owned()
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
fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| cannot_write(ExitStatus::Usage, path, &error))
}

/// A file in the making, which takes its place once it is whole: what fails on the way leaves nothing,
/// or what was there before. A pipe or a device is written directly.
pub struct Unfinished {
    /// Where the file will be, and what is there, which nobody else writes or reads meanwhile.
    target: PathBuf,
    replaced: Option<File>,
    /// Where it is until then.
    temporary: Option<PathBuf>,
}

impl Unfinished {
    /// Prepares to write a file.
    ///
    /// # Errors
    /// What is there cannot be written or is in use, or nothing can be created beside it.
    pub fn new(path: &Path) -> io::Result<Self> {
        let direct = Self { target: path.to_owned(), replaced: None, temporary: None };
        if path.starts_with("/dev") || path.starts_with("/proc") {
            return Ok(direct);
        }
        let (target, replaced) = match path.metadata() {
            Ok(about) if !about.is_file() && !about.is_dir() => return Ok(direct),
            // A link stays one; a folder cannot be opened.
            Ok(_) => (path.canonicalize()?, Some(OpenOptions::new().write(true).open(path)?)),
            Err(_) if path.is_symlink() => return Ok(direct),
            Err(_) => (path.to_owned(), None),
        };
        if let Some(Err(TryLockError::WouldBlock)) = replaced.as_ref().map(File::try_lock) {
            let text = "it is in use: another program reads or writes it; write to another file";
            return Err(io::Error::new(ErrorKind::ResourceBusy, text));
        }
        let mut name = OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(format!(".{}.part", std::process::id()));
        let temporary = target.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            // The folder takes no new files, but this one can be written.
            Err(error) if error.kind() == ErrorKind::PermissionDenied && replaced.is_some() => {
                return Ok(direct);
            }
            created => drop(created?),
        }
        Ok(Self { target, replaced, temporary: Some(temporary) })
    }

    /// Where to write.
    pub fn path(&self) -> &Path {
        self.temporary.as_deref().unwrap_or(&self.target)
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// That is impossible; nothing is left then.
    pub fn finish(mut self) -> io::Result<()> {
        let Some(temporary) = &self.temporary else { return Ok(()) };
        if let Some(replaced) = &self.replaced {
            std::fs::set_permissions(temporary, replaced.metadata()?.permissions())?;
        }
        std::fs::rename(temporary, &self.target)?;
        self.temporary = None;
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(temporary) = &self.temporary {
            // It is of no use, but harms nobody.
            _ = std::fs::remove_file(temporary);
        }
    }
}

/// A file that was created, but cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Failure {
    cannot_write(ExitStatus::Run, path, error)
}

/// A file that cannot be written.
pub fn cannot_write(status: ExitStatus, path: &Path, error: &io::Error) -> Failure {
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
