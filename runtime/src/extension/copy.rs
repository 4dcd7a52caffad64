//! Opens a library as a copy that nobody else knows: its file may be overwritten while the code is
//! in use, and what is written there later is opened as a library of its own.

use crate::error::{Error, Result};
use crate::extension::registry::{ExtensionInfo, TypeInfo};
use crate::extension::{elf, loader};
use gxf_plugin_abi::ResultCode;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Device, number, size and time of a file: the same means unchanged.
type Look = (u64, u64, u64, i64, i64);

/// What was opened last, by path. The code of a library stays in memory for ever, so a file that is
/// as it was is not opened again.
static OPENED: Mutex<BTreeMap<PathBuf, Opened>> = Mutex::new(BTreeMap::new());

type Opened = (Look, ExtensionInfo, Vec<TypeInfo>);

/// Opens a copy of a library and reads its types.
pub(crate) fn open(path: &Path) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    let failed = |error: std::io::Error| {
        let text = format!("cannot copy extension library `{}`", path.display());
        Error::new(ResultCode::EXTENSION_FILE_NOT_FOUND, text).caused_by(error)
    };
    let found = std::fs::metadata(path).map_err(failed)?;
    let look = (found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec());
    if let Some((known, info, types)) = OPENED.lock().get(path)
        && *known == look
    {
        return Ok((info.clone(), types.clone()));
    }
    let folder = tempfile::Builder::new().prefix("gxe-").tempdir().map_err(failed)?;
    let copy = folder.path().join(path.file_name().unwrap_or(path.as_os_str()));
    std::fs::copy(path, &copy).map_err(failed)?;
    // Libraries that it expects beside itself are beside the copy, too.
    let beside = path.parent().unwrap_or(Path::new("."));
    for name in elf::needed(path) {
        let (library, link) = (beside.join(&name), folder.path().join(&name));
        if library.is_file() && !link.exists() {
            std::os::unix::fs::symlink(library, link).map_err(failed)?;
        }
    }
    // What is opened stays there when the folder goes.
    let (info, types) = loader::open_as(path, &copy)?;
    OPENED.lock().insert(path.to_owned(), (look, info.clone(), types.clone()));
    Ok((info, types))
}
