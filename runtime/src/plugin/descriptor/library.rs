//! Opening libraries, and reading each extension once a process.

use super::extension::read_extension;
use super::tables::text;
use crate::error::Result;
use crate::extension::registry::{ExtensionInfo, TypeInfo};
use gxf_plugin_abi::{EXTENSION_SYMBOL, ExtensionDescriptor};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ffi::c_void;
use std::path::{Path, PathBuf};

/// Why a library could not be opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// The system's loader refused, with this text.
    Refused(String),
    /// There is no descriptor in it.
    NoSymbol,
}

/// A library that stays open for the life of the process, and its descriptor.
pub(crate) struct OpenLibrary {
    descriptor: *const ExtensionDescriptor,
}

/// Opens a library and finds its descriptor.
pub(crate) fn open_library(path: &Path) -> std::result::Result<OpenLibrary, OpenError> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    // SAFETY: the library's initialisers run; whoever lists a library in a manifest wants that.
    let library = unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) };
    let library = library.map_err(|error| {
        use std::error::Error as _;
        let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        OpenError::Refused(text)
    })?;
    // SAFETY: the symbol's address is taken; what it points to is judged by `read_extension`.
    let symbol = unsafe { library.get::<*const ExtensionDescriptor>(EXTENSION_SYMBOL.as_bytes()) };
    let descriptor: *const ExtensionDescriptor =
        symbol.map_err(|_| OpenError::NoSymbol)?.into_raw().cast_const().cast();
    // Never closed, see `extension/loader.rs`.
    std::mem::forget(library);
    // A symbol may have the address 0, and the look-up also finds the symbol of a library that this
    // one depends on.
    if descriptor.is_null() || !lies_in(descriptor.cast(), path) {
        return Err(OpenError::NoSymbol);
    }
    Ok(OpenLibrary { descriptor })
}

/// Whether an address belongs to the library opened from this path.
fn lies_in(address: *const c_void, path: &Path) -> bool {
    let Some(file) = file_of(address) else { return false };
    match (std::fs::canonicalize(&file), std::fs::canonicalize(path)) {
        (Ok(one), Ok(other)) => one == other,
        _ => file == path,
    }
}

/// The extension whose descriptor has this address.
///
/// # Safety
/// The address must be readable, and be that of a descriptor that stays valid if it says so.
pub(crate) unsafe fn library_at(descriptor: *const ExtensionDescriptor) -> OpenLibrary {
    OpenLibrary { descriptor }
}

/// The types of an extension that is part of this program.
pub(crate) fn read_built_in(
    descriptor: &'static ExtensionDescriptor,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    read_library(&OpenLibrary { descriptor }, Path::new(""))
}

/// What was read before, by the address of the descriptor.
static KNOWN: Mutex<BTreeMap<usize, (ExtensionInfo, Vec<TypeInfo>)>> = Mutex::new(BTreeMap::new());

/// Reads an extension the first time it is met in this process. Its descriptors live as long as
/// the process, so reading them again for every context would cost memory each time.
pub(crate) fn read_library(
    library: &OpenLibrary,
    path: &Path,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    let mut known = KNOWN.lock();
    match known.entry(library.descriptor.addr()) {
        Entry::Occupied(entry) => Ok(entry.get().clone()),
        Entry::Vacant(entry) => {
            // SAFETY: the address of an exported descriptor in a library that stays open.
            let read = unsafe { read_extension(library.descriptor, path) }?;
            Ok(entry.insert(read).clone())
        }
    }
}

/// The program or library this code is part of, as the loader calls it.
pub(crate) fn own_file() -> Option<PathBuf> {
    file_of(own_file as *const c_void)
}

/// The program or library that has this address.
fn file_of(address: *const c_void) -> Option<PathBuf> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the result is written when the call succeeds.
    if unsafe { libc::dladdr(address, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: the call succeeded; the name belongs to the loader and stays valid.
    Some(PathBuf::from(unsafe { text(found.assume_init().dli_fname) }))
}
