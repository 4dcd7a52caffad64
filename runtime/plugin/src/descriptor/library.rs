//! Opens libraries, and reads each extension once per process.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::barrier::below_barrier;
use super::extension::read_extension;
use super::object;
use super::tables::text;
use crate::registry::{ExtensionInfo, TypeInfo};
use gxf_app::error::{Error, Result};
use gxf_plugin_abi::{EXTENSION_SYMBOL, ExtensionDescriptor, ResultCode};
use parking_lot::{Mutex, ReentrantMutex};
use std::cell::{Cell, OnceCell};
use std::collections::BTreeMap;
use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The reason a library could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// The system's loader failed with this text.
    Refused(String),
    /// The library has no descriptor.
    NoSymbol,
    /// Its own `GxfExtensionFactory` failed.
    Failed(ResultCode),
}

/// A library that stays open as long as the process, and its descriptor.
pub struct OpenLibrary {
    descriptor: *const ExtensionDescriptor,
}

/// Opens a library and finds its descriptor.
pub fn open_library(path: &Path) -> std::result::Result<OpenLibrary, OpenError> {
    use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
    let library = below_barrier(|| {
        // SAFETY: the library's initialisers run, as the author of the manifest wants.
        unsafe { Library::open(Some(path), RTLD_NOW | RTLD_LOCAL) }
    });
    let library = library.map_err(|error| {
        use std::error::Error as _;
        let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        OpenError::Refused(text)
    })?;
    // Never closed, see `loader/mod.rs`.
    let library = std::mem::ManuallyDrop::new(library);
    let address = |symbol: &str| {
        // SAFETY: only the symbol's address is used.
        let symbol = unsafe { library.get::<*const c_void>(symbol.as_bytes()) };
        // A symbol may have the address 0, and the look-up also finds symbols of the library's
        // dependencies.
        symbol
            .ok()
            .map(|symbol| symbol.into_raw().cast_const())
            .filter(|address| lies_in(*address, path))
    };
    let descriptor = match (address(EXTENSION_SYMBOL), address(object::FUNCTION)) {
        (Some(descriptor), _) => Some(descriptor.cast()),
        (None, Some(function)) => {
            // SAFETY: a function of this name is GXF's entry point of an extension, and the library
            // stays open.
            let described = unsafe { object::from_function(function) };
            described.map_err(OpenError::Failed)?
        }
        (None, None) => None,
    };
    Ok(OpenLibrary { descriptor: descriptor.ok_or(OpenError::NoSymbol)? })
}

/// Whether an address is inside the library that was opened from this path.
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

/// The extension whose descriptor, or C++ object, is at this address.
///
/// # Safety
/// The address must be readable. If the first bytes identify a descriptor or object, it must be
/// one, and stay valid.
pub unsafe fn library_at(address: *const c_void) -> OpenLibrary {
    // SAFETY: the address is readable. If the first bytes identify a descriptor or an object, it is
    // one, and a descriptor stays valid.
    let described = unsafe { object::descriptor_of(address.cast_mut()) };
    OpenLibrary { descriptor: described.unwrap_or(address.cast()) }
}

/// The types of a built-in extension.
pub fn read_built_in(
    descriptor: &'static ExtensionDescriptor,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    read_library(&OpenLibrary { descriptor }, Path::new(""))
}

type Types = (ExtensionInfo, Vec<TypeInfo>);

/// An extension that this process has seen.
#[derive(Default)]
struct Known {
    /// Its types; empty before they are read, and after a failure.
    types: OnceCell<Types>,
    is_being_read: Cell<bool>,
}

/// The known extensions, by the address of the descriptor.
static KNOWN: Mutex<BTreeMap<usize, Arc<ReentrantMutex<Known>>>> = Mutex::new(BTreeMap::new());

/// Reads an extension the first time this process sees it. Its descriptors live as long as the
/// process, so reading them again for every context would cost memory each time.
pub fn read_library(library: &OpenLibrary, path: &Path) -> Result<Types> {
    let known = KNOWN.lock().entry(library.descriptor.addr()).or_default().clone();
    // Only this extension's lock is held: its factory may load others, or never return.
    let known = known.lock();
    if let Some(types) = known.types.get() {
        return Ok(types.clone());
    }
    if known.is_being_read.replace(true) {
        let text = format!("the factory of `{}` loads the library itself", path.display());
        return Err(Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text));
    }
    // SAFETY: the address of an exported descriptor in a library that stays open.
    let read = unsafe { read_extension(library.descriptor, path) };
    known.is_being_read.set(false);
    read.map(|types| known.types.get_or_init(|| types).clone())
}

/// File of the program or library that contains this code, as the loader calls it.
pub fn own_file() -> Option<PathBuf> {
    file_of(own_file as *const c_void)
}

/// File of the program or library at this address.
fn file_of(address: *const c_void) -> Option<PathBuf> {
    let mut found = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the result is written if the call succeeds.
    if unsafe { libc::dladdr(address, found.as_mut_ptr()) } == 0 {
        return None;
    }
    // SAFETY: the call succeeded; the loader owns the name, which stays valid.
    Some(PathBuf::from(unsafe { text(found.assume_init().dli_fname) }))
}
