//! Files as text.

use crate::graph::diagnostic::Diagnostic;
use crate::graph::source::{Source, Span};
use crate::graph::suggest::nearest;
use gxf_plugin_abi::ResultCode;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

/// Largest file that is read.
const MAX_SIZE: u64 = 1 << 30;

/// Reads a UTF-8 file, or a UTF-16 file with a byte order mark; the mark is removed.
///
/// # Errors
/// The file is missing ([`ResultCode::FILE_NOT_FOUND`]), cannot be read, is a directory, is larger
/// than 1 GiB, or is neither; the last names the place of the first wrong byte.
pub fn read_source(path: impl AsRef<Path>) -> Result<Arc<Source>, Diagnostic> {
    let path = path.as_ref();
    let name = path.to_string_lossy().into_owned();
    let cannot = |error: &std::io::Error| match error.kind() {
        ErrorKind::NotFound => no_file(path),
        _ => Diagnostic::error(ResultCode::FAILURE, format!("cannot read `{name}`: {error}")),
    };
    let file = File::open(path).map_err(|error| cannot(&error))?;
    let about = file.metadata().map_err(|error| cannot(&error))?;
    if about.is_dir() {
        let message = format!("`{name}` is a directory, expected a file");
        return Err(Diagnostic::error(ResultCode::FAILURE, message));
    }
    let too_large =
        || Diagnostic::error(ResultCode::FAILURE, format!("`{name}` is larger than 1 GiB"));
    if about.len() > MAX_SIZE {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(about.len()).unwrap_or_default() + 1);
    // The size of a pipe or device is not known before, so the limit is kept while reading, too.
    let read = file.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
    if read as u64 > MAX_SIZE {
        return Err(too_large());
    }
    if let Some(text) = from_utf16(&bytes) {
        return Ok(Source::new(name, text));
    }
    match String::from_utf8(bytes) {
        Ok(mut text) => {
            if text.starts_with('\u{feff}') {
                text.drain(..'\u{feff}'.len_utf8());
            }
            Ok(Source::new(name, text))
        }
        Err(error) => Err(not_utf8(&name, error.as_bytes(), error.utf8_error().valid_up_to())),
    }
}

/// There is no such file: what is there instead.
fn no_file(path: &Path) -> Diagnostic {
    /// More files than this are not gone through for a name.
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
        return problem.help(format!("it is a link to `{}`, which is not there", target.display()));
    }
    if !folder.exists() {
        return problem.help(format!("there is no folder `{}` either", folder.display()));
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return problem };
    let names =
        entries.take(LOOKED_AT).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let names: Vec<String> =
        names.filter(|name| name.ends_with(".yaml") || name.ends_with(".yml")).collect();
    let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
    let wanted = path.file_name().map_or_else(Default::default, |name| name.to_string_lossy());
    let stems: Vec<String> = names.iter().map(|name| stem(name)).collect();
    let near = nearest(&stem(&wanted), stems.iter().map(String::as_str));
    let near = names.iter().zip(&stems).find(|(_, stem)| near == Some(stem));
    let near = near.map(|(name, _)| path.with_file_name(name).display().to_string());
    problem.suggest(near.as_deref())
}

/// The text of a file that begins with the byte order mark of UTF-16.
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
    // The text up to the wrong byte is valid, hence unchanged by the replacement behind it. The
    // rest of the file is of no use for the message.
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
