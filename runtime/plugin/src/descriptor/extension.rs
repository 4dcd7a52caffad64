//! An extension's descriptor: version, layout, names, and the types of its factory.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::invalid;
use super::tables::text;
use super::types::read_type;
use crate::registry::{ExtensionInfo, TypeInfo};
use gxf_app::error::{Error, Result};
use gxf_plugin_abi as abi;
use gxf_plugin_abi::{ExtensionDescriptor, ExtensionFactory, ResultCode};
use std::ffi::c_void;
use std::path::Path;

/// Most types in one extension, as in GXF.
const MOST_TYPES: usize = 1024;

/// Checks a descriptor and reads its types. `path` is empty for built-in ones.
///
/// # Safety
/// `descriptor` must point to a valid descriptor in a library that stays loaded. What it declares
/// about its own memory cannot be checked.
pub(super) unsafe fn read_extension(
    descriptor: *const ExtensionDescriptor,
    path: &Path,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    let found = if path.as_os_str().is_empty() {
        "built-in extension".to_owned()
    } else {
        format!("`{}`", path.display())
    };
    // SAFETY: `descriptor` points to a descriptor as the ABI requires, in a library that
    // stays loaded. What it claims about its own memory cannot be checked.
    let descriptor = unsafe { check_version(descriptor, &found) }?;
    check_layout(descriptor, &found)?;
    // SAFETY: the descriptor has a known version.
    let mut info = unsafe { read_info(descriptor, &found, path) }?;
    // SAFETY: the descriptor has a known version.
    let mut types = unsafe { make_types(descriptor, &found, &info.name) }?;
    let is_rust = !descriptor.rust_layout_version.is_null();
    for spec in types.iter_mut().flat_map(|known| &mut known.parameters) {
        spec.limits_bind = is_rust;
    }
    info.types = types.iter().map(|known| known.tid).collect();
    Ok((info, types))
}

/// The descriptor, if its version is known and all of it can be read.
///
/// # Safety
/// See [`read_extension`].
unsafe fn check_version<'a>(
    descriptor: *const ExtensionDescriptor,
    found: &str,
) -> Result<&'a ExtensionDescriptor> {
    // SAFETY: the symbol, even if it is a function, has readable bytes there.
    let magic = unsafe { (&raw const (*descriptor).magic).read_unaligned() };
    if magic != abi::ABI_MAGIC || !descriptor.is_aligned() {
        return Err(Error::new(
            ResultCode::FACTORY_INCOMPATIBLE,
            format!("{found} exports `GXF_EXT_FACTORY`, but it is not a gxe extension descriptor"),
        ));
    }
    // SAFETY: size and version have the same position in all versions.
    let (size, major, minor) = unsafe {
        (
            (&raw const (*descriptor).size).read(),
            (&raw const (*descriptor).abi_major).read(),
            (&raw const (*descriptor).abi_minor).read(),
        )
    };
    if major != abi::ABI_MAJOR || minor > abi::ABI_MINOR {
        let advice = if (major, minor) > (abi::ABI_MAJOR, abi::ABI_MINOR) {
            "use a newer gxe, or build the extension against this one's SDK"
        } else {
            "rebuild the extension against this gxe's SDK"
        };
        return Err(Error::new(
            ResultCode::FACTORY_INCOMPATIBLE,
            format!(
                "{found} was built for gxe ABI {major}.{minor}, and this gxe has ABI {}.{}; \
                 {advice}",
                abi::ABI_MAJOR,
                abi::ABI_MINOR
            ),
        ));
    }
    if size != size_of::<ExtensionDescriptor>() {
        return Err(invalid(format!(
            "{found}: the descriptor states a size of {size} bytes, and ABI {major}.{minor} has {}",
            size_of::<ExtensionDescriptor>()
        )));
    }
    // SAFETY: the version is known, so the whole structure is there.
    Ok(unsafe { &*descriptor })
}

/// Reads the names and texts of an extension.
///
/// # Safety
/// The texts of the descriptor must be null or valid.
unsafe fn read_info(
    descriptor: &ExtensionDescriptor,
    found: &str,
    path: &Path,
) -> Result<ExtensionInfo> {
    // SAFETY: the texts of the descriptor are null or valid.
    let info = unsafe {
        ExtensionInfo {
            tid: descriptor.id,
            name: text(descriptor.name),
            version: text(descriptor.version),
            description: text(descriptor.description),
            author: text(descriptor.author),
            license: text(descriptor.license),
            display_name: text(descriptor.display_name),
            category: text(descriptor.category),
            brief: text(descriptor.brief),
            build_info: text(descriptor.build_info),
            abi_version: (descriptor.abi_major, descriptor.abi_minor),
            path: path.to_owned(),
            types: Vec::new(),
        }
    };
    let lacks = |what| Err(invalid(format!("{found}: the extension states no {what}")));
    if info.name.is_empty() {
        return lacks("name");
    }
    if info.version.is_empty() {
        return lacks("version");
    }
    if info.tid.is_null() {
        return lacks("id");
    }
    Ok(info)
}

/// Calls the factory and reads its types.
///
/// # Safety
/// The factory must be a valid function, and return types that stay valid.
unsafe fn make_types(
    descriptor: &ExtensionDescriptor,
    found: &str,
    extension: &str,
) -> Result<Vec<TypeInfo>> {
    let create = descriptor
        .create_factory
        .ok_or_else(|| invalid(format!("{found}: the extension has no factory function")))?;
    let mut factory = ExtensionFactory {
        size: size_of::<ExtensionFactory>(),
        types: std::ptr::null(),
        type_count: 0,
    };
    let host: *const abi::HostTable = gxf::host::host();
    // SAFETY: the factory takes the host table and a valid place for its result.
    gxf::host::check(unsafe { create(host, &raw mut factory) }).map_err(|error| {
        Error::new(error.code(), format!("{found}: the extension's factory failed"))
            .caused_by(error)
    })?;
    if factory.type_count > MOST_TYPES {
        return Err(Error::new(
            ResultCode::FACTORY_TOO_MANY_COMPONENTS,
            format!("{found}: {} types, and {MOST_TYPES} are allowed", factory.type_count),
        ));
    }
    if factory.types.is_null() && factory.type_count > 0 {
        return Err(invalid(format!("{found}: the factory returns no types")));
    }
    (0..factory.type_count)
        .map(|index| {
            // SAFETY: the factory declared this many entries.
            unsafe { read_type(*factory.types.add(index), extension) }.map_err(|error| {
                Error::new(
                    error.code(),
                    format!("{found}: number {} of its types is not acceptable", index + 1),
                )
                .caused_by(error)
            })
        })
        .collect()
}

/// Compares the memory layout of all shared types, for extensions that declare it (Rust ones).
fn check_layout(descriptor: &ExtensionDescriptor, found: &str) -> Result<()> {
    use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
    use abi_stable::type_layout::TypeLayout;

    // SAFETY: the texts belong to a valid descriptor.
    let version = unsafe { text(descriptor.rust_layout_version) };
    if version.is_empty() {
        return Ok(());
    }
    if version.as_bytes() != abi::LAYOUT_VERSION.to_bytes() {
        tracing::debug!("{found} describes its layout with {version}, which is not compared");
        return Ok(());
    }
    let compare = |ours: &'static TypeLayout, theirs: *const c_void| {
        // The same address means the same layout, linked into this program.
        if std::ptr::eq(theirs.cast(), ours) || theirs.is_null() {
            return Ok(());
        }
        // SAFETY: the version matches, so the pointer refers to a layout of this form.
        let theirs = unsafe { &*theirs.cast::<TypeLayout>() };
        check_layout_compatibility(ours, theirs).map_err(|error| {
            Error::new(
                ResultCode::FACTORY_INCOMPATIBLE,
                format!(
                    "{found}: the types it shares with gxe differ in layout although the ABI \
                     version is the same; build it with the same version of the crate gxf"
                ),
            )
            .caused_by(error.to_string())
        })
    };
    compare(abi::data_layout(), descriptor.rust_data_layout)?;
    if descriptor.abi_minor == abi::ABI_MINOR {
        compare(abi::table_layout(), descriptor.rust_table_layout)?;
    }
    Ok(())
}
