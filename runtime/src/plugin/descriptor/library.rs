//! Opening libraries, and reading each extension once a process.

use super::extension::read_extension;
use super::object;
use super::tables::text;
use crate::error::Result;
use crate::extension::registry::{ExtensionInfo, TypeInfo};
use gxf_plugin_abi::{EXTENSION_SYMBOL, ExtensionDescriptor, ResultCode};
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
    /// Its own `GxfExtensionFactory` failed.
    Failed(ResultCode),
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
    // Never closed, see `extension/loader.rs`.
    let library = std::mem::ManuallyDrop::new(library);
    let address = |symbol: &str| {
        // SAFETY: the symbol's address is taken, no more.
        let symbol = unsafe { library.get::<*const c_void>(symbol.as_bytes()) };
        // A symbol may have the address 0, and the look-up also finds the symbol of a library that
        // this one depends on.
        symbol
            .ok()
            .map(|symbol| symbol.into_raw().cast_const())
            .filter(|address| lies_in(*address, path))
    };
    let descriptor = match (address(EXTENSION_SYMBOL), address(object::FUNCTION)) {
        (Some(descriptor), _) => Some(descriptor.cast()),
        (None, Some(function)) => {
            // SAFETY: a function of this name is GXF's way into an extension; the library stays.
            let described = unsafe { object::from_function(function) };
            described.map_err(OpenError::Failed)?
        }
        (None, None) => None,
    };
    Ok(OpenLibrary { descriptor: descriptor.ok_or(OpenError::NoSymbol)? })
}

/// Whether an address belongs to the library opened from this path.
fn lies_in(address: *const c_void, path: &Path) -> bool {
    if address.is_null() {
        return false;
    }
    let Some(file) = file_of(address) else { return false };
    match (std::fs::canonicalize(&file), std::fs::canonicalize(path)) {
        (Ok(one), Ok(other)) => one == other,
        _ => file == path,
    }
}

/// The extension whose descriptor, or whose object in C++, has this address.
///
/// # Safety
/// The address must be readable, and be that of such a one if it says so. A descriptor stays valid.
pub(crate) unsafe fn library_at(address: *const c_void) -> OpenLibrary {
    // SAFETY: the caller's promise.
    let described = unsafe { object::descriptor_of(address.cast_mut()) };
    OpenLibrary { descriptor: described.unwrap_or(address.cast()) }
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
