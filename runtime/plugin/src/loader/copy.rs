//! Opens a private copy of a library. The original file may then be overwritten while its code is
//! in use, and the new content opens as another library.

use crate::loader::{self, elf};
use crate::registry::{ExtensionInfo, TypeInfo};
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::ResultCode;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Device, number, size and time of a file; equal if the file is unchanged.
type Look = (u64, u64, u64, i64, i64);

/// The latest opened version, by path. A library's code stays in memory for ever, so an unchanged
/// file is not opened again.
static OPENED: Mutex<BTreeMap<PathBuf, Opened>> = Mutex::new(BTreeMap::new());

type Opened = (Look, ExtensionInfo, Vec<TypeInfo>);

/// Opens a copy of a library and reads its types.
pub fn open(path: &Path) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
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
    // The copy has the same neighbours as the original, because a library may expect some.
    let beside = path.parent().unwrap_or(Path::new("."));
    for name in elf::needed(path) {
        let (library, link) = (beside.join(&name), folder.path().join(&name));
        if library.is_file() && !link.exists() {
            std::os::unix::fs::symlink(library, link).map_err(failed)?;
        }
    }
    // The open library survives the removal of the folder.
    let (info, types) = loader::open_as(path, &copy)?;
    OPENED.lock().insert(path.to_owned(), (look, info.clone(), types.clone()));
    Ok((info, types))
}
