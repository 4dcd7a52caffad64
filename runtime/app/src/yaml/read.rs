//! Reads files as text.

use crate::diagnostic::Diagnostic;
use crate::source::{Reread, Source, Span};
use crate::suggest::nearest;
use gxf_plugin_abi::ResultCode;
use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, SystemTime};

/// Largest file that is read: an app with a million components has some 60 MiB.
const MAX_SIZE: u64 = 128 << 20;

/// Period in which a wait for a pipe or a device checks whether to continue.
const PATIENCE: Duration = Duration::from_millis(20);

/// Reads a UTF-8 file, or a UTF-16 file with a byte order mark; the mark is removed.
///
/// # Errors
/// The file is missing ([`ResultCode::FILE_NOT_FOUND`]), cannot be read, is a directory, is larger
/// than 128 MiB, or is neither; the last names the place of the first wrong byte.
pub fn read_source(path: impl AsRef<Path>) -> Result<Arc<Source>, Diagnostic> {
    read_source_unless(path.as_ref(), &|| false)
}

/// The same for a file that a parameter names. What might wait for ever, such as a pipe, is refused
/// before it is opened: nothing stops this reader.
///
/// # Errors
/// As [`read_source`]; [`ResultCode::FAILURE`] for a pipe, a socket or a device.
pub fn read_file(path: &Path) -> Result<Arc<Source>, Diagnostic> {
    let what = std::fs::metadata(path).ok().map(|about| about.file_type()).and_then(|kind| {
        let is_known = kind.is_file() || kind.is_dir();
        (!is_known).then_some(match kind {
            _ if kind.is_fifo() => "pipe",
            _ if kind.is_socket() => "socket",
            _ => "device",
        })
    });
    match what {
        Some(what) => {
            let message = format!("`{}` is a {what}, expected a file", path.to_string_lossy());
            Err(Diagnostic::error(ResultCode::FAILURE, message))
        }
        None => read_source(path),
    }
}

/// The same until `is_stopped`, which is called periodically while a pipe or a device makes the
/// reader wait.
///
/// # Errors
/// As [`read_source`]; [`ResultCode::INVALID_EXECUTION_SEQUENCE`] when it was stopped.
pub fn read_source_unless(
    path: &Path,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Arc<Source>, Diagnostic> {
    let name = path.to_string_lossy().into_owned();
    let failed = |message: String| Diagnostic::error(ResultCode::FAILURE, message);
    let cannot = |error: std::io::Error| match error.kind() {
        ErrorKind::NotFound => no_file(path),
        ErrorKind::IsADirectory => failed(format!("`{name}` is a directory, expected a file")),
        ErrorKind::FileTooLarge => {
            failed(format!("`{name}` is larger than {} MiB", MAX_SIZE >> 20))
        }
        ErrorKind::Interrupted => Diagnostic::error(
            ResultCode::INVALID_EXECUTION_SEQUENCE,
            format!("`{name}` was not read to its end: the load was stopped"),
        ),
        _ => failed(format!("cannot read `{name}`: {error}")),
    };
    let about = std::fs::metadata(path);
    let bytes = match &about {
        Ok(about) if !about.is_file() && !about.is_dir() => read_patiently(path, is_stopped),
        _ => read_bytes(path),
    };
    let text = decoded(bytes.map_err(cannot)?)
        .map_err(|error| not_utf8(&name, error.as_bytes(), error.utf8_error().valid_up_to()))?;
    let version = about.ok().filter(Metadata::is_file).as_ref().and_then(Version::of);
    Ok(Arc::new(Source::of(name, text, version.and_then(|version| version.reread(path)))))
}

/// The text of UTF-8 or UTF-16, without a byte order mark.
fn decoded(bytes: Vec<u8>) -> Result<String, std::string::FromUtf8Error> {
    if let Some(text) = from_utf16(&bytes) {
        return Ok(text);
    }
    let mut text = String::from_utf8(bytes)?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

/// What tells that a file is still the same.
#[derive(PartialEq)]
struct Version {
    length: u64,
    modified: SystemTime,
}

impl Version {
    fn of(about: &Metadata) -> Option<Self> {
        Some(Self { length: about.len(), modified: about.modified().ok()? })
    }

    /// Reads the text of this version.
    fn reread(self, path: &Path) -> Option<Reread> {
        // The process may change its folder.
        let path = std::path::absolute(path).ok()?;
        Some(Box::new(move || {
            let is_same = || {
                std::fs::metadata(&path).ok().as_ref().and_then(Self::of).as_ref() == Some(&self)
            };
            // Asked before and behind: it may change in between.
            let text = is_same().then(|| decoded(read_bytes(&path).ok()?).ok()).flatten();
            text.filter(|_| is_same())
        }))
    }
}

/// The bytes of a file, if there are not too many.
fn read_bytes(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let about = file.metadata()?;
    if about.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if about.len() > MAX_SIZE {
        return Err(ErrorKind::FileTooLarge.into());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default() + 1);
    // The size of a pipe or device is unknown, so reading enforces the limit too.
    if file.take(MAX_SIZE + 1).read_to_end(&mut bytes)? as u64 > MAX_SIZE {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

/// The same for files that may block when opened or never end. When the reader is stopped, the
/// thread that waits is left alone; the end of the process ends it.
fn read_patiently(path: &Path, is_stopped: &dyn Fn() -> bool) -> std::io::Result<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    let wanted = path.to_owned();
    // The reader may be gone by then.
    let read = move || _ = sender.send(read_bytes(&wanted));
    std::thread::Builder::new().name("gxe-reader".to_owned()).spawn(read)?;
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(read) => return read,
            Err(RecvTimeoutError::Timeout) if !is_stopped() => {}
            Err(_) => return Err(ErrorKind::Interrupted.into()),
        }
    }
}

/// Reports a missing file, with what exists instead.
fn no_file(path: &Path) -> Diagnostic {
    /// Most files of a folder to search for a similar name.
    const LOOKED_AT: usize = 10_000;
    let message = format!("there is no file `{}`", path.display());
    let problem = Diagnostic::error(ResultCode::FILE_NOT_FOUND, message);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if path == Path::new("-") {
        return problem.help("standard input is `/dev/stdin`");
    }
    if let Ok(target) = std::fs::read_link(path) {
        return problem
            .help(format!("it is a link to `{}`, which does not exist", target.display()));
    }
    if !folder.exists() {
        return problem.help(format!("there is no folder `{}` either", folder.display()));
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return problem };
    let names =
        entries.take(LOOKED_AT).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let kinds = [path.extension(), Some("yaml".as_ref()), Some("yml".as_ref())];
    let is_similar = |name: &String| kinds.contains(&Path::new(name).extension());
    let names: Vec<String> = names.filter(is_similar).collect();
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    let wanted = path.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    let stems: Vec<String> = names.iter().map(|name| stem(name)).collect();
    let near = nearest(&stem(&wanted), stems.iter().map(String::as_str));
    let near = names.iter().zip(&stems).find(|(_, stem)| near == Some(stem));
    let near = near.map(|(name, _)| path.with_file_name(name).display().to_string());
    problem.suggest(near.as_deref())
}

/// Decodes a file that starts with the byte order mark of UTF-16.
fn from_utf16(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, []) = bytes[2..].as_chunks::<2>() else { return None };
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair))).collect::<Result<_, _>>().ok()
}

fn not_utf8(name: &str, bytes: &[u8], at: usize) -> Diagnostic {
    // The text before the wrong byte is valid, so replacing what follows does not change it. The
    // message does not need the rest of the file.
    let end = bytes.len().min(at + 256);
    let source = Source::new(name, String::from_utf8_lossy(&bytes[..end]));
    let wrong = bytes.get(at).copied().unwrap_or_default();
    let diagnostic = Diagnostic::error(
        ResultCode::FAILURE,
        format!("`{name}` is not UTF-8: byte {at} is 0x{wrong:02x}"),
    )
    .at(Span::new(&source, at..at + 1))
    .label("not UTF-8");
    if matches!(bytes, [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return diagnostic.help("this looks like damaged UTF-16; save the file as UTF-8");
    }
    diagnostic
}
