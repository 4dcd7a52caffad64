//! Extensions and types.

use crate::boundary::{Text, elements, logged, needed, text, text_or_empty};
use gxf_plugin_abi::{ResultCode, Tid};
use gxf_runtime::{Error, Result};
use std::ffi::c_void;
use std::path::Path;

/// `GxfLoadExtensionsInfo` of the header.
#[repr(C)]
struct LoadExtensionsInfo {
    extension_filenames: *const Text,
    extension_filenames_count: u32,
    manifest_filenames: *const Text,
    manifest_filenames_count: u32,
    base_directory: Text,
}

/// # Safety
/// `names` must be null or point to that many null pointers or C strings.
unsafe fn paths<'a>(names: *const Text, count: u32, null: ResultCode) -> Result<Vec<&'a Path>> {
    // SAFETY: `names` is null or points to that many null pointers or C strings.
    let names = unsafe { elements(names, u64::from(count), null) }?;
    let path = |name: &Text| {
        if name.is_null() {
            return Err(Error::new(null, "the name of a file is null"));
        }
        // SAFETY: `names` is null or points to that many null pointers or C strings.
        unsafe { text(*name) }.map(Path::new)
    };
    names.iter().map(path).collect()
}

api! {
    fn GxfLoadExtensions(info: *const LoadExtensionsInfo) |context| {
        needed(info)?;
        let info = &*info;
        let base = text_or_empty(info.base_directory)?;
        let base = (!base.is_empty()).then(|| Path::new(base));
        let null = ResultCode::NULL_POINTER;
        let libraries = paths(info.extension_filenames, info.extension_filenames_count, null)?;
        let manifests = paths(info.manifest_filenames, info.manifest_filenames_count, null)?;
        for library in libraries {
            logged(context.load_extension_from(library, base))?;
        }
        for manifest in manifests {
            logged(context.load_manifest(manifest, base))?;
        }
        Ok(())
    }

    fn GxfLoadExtensionFromPointer(extension: *mut c_void) |context| {
        logged(context.load_extension_at(extension.cast_const()))
    }

    fn GxfLoadExtensionMetadataFiles(filenames: *const Text, count: u32) |context| {
        for path in paths(filenames, count, ResultCode::ARGUMENT_NULL)? {
            logged(context.load_type_metadata(path))?;
        }
        Ok(())
    }

    fn GxfRegisterComponent(tid: Tid, name: Text, base_name: Text) |context| {
        context.register_type(tid, text(name)?, text_or_empty(base_name)?)
    }

    fn GxfRegisterComponentInExtension(component_tid: Tid, extension_tid: Tid) |context| {
        context.list_type_in_extension(component_tid, extension_tid)
    }
}
