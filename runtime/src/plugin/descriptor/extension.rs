//! An extension's descriptor: version, layout, names, and the types its factory hands out.

use super::invalid;
use super::tables::text;
use super::types::read_type;
use crate::error::{Error, Result};
use crate::extension::registry::{ExtensionInfo, TypeInfo};
use gxf_plugin_abi as abi;
use gxf_plugin_abi::{ExtensionDescriptor, ExtensionFactory, ResultCode};
use std::ffi::c_void;
use std::path::Path;

/// Most types one extension may have, as in GXF.
const MOST_TYPES: usize = 1024;

/// Judges a descriptor and takes its types. `path` is empty for built-in ones.
///
/// # Safety
/// `descriptor` must point to a descriptor as the border describes it, in a library that stays
/// loaded. What it claims about its own memory cannot be checked.
pub(super) unsafe fn read_extension(
    descriptor: *const ExtensionDescriptor,
    path: &Path,
) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    let found = if path.as_os_str().is_empty() {
        "built-in extension".to_owned()
    } else {
        format!("`{}`", path.display())
    };
    // SAFETY: the caller's promise.
    let descriptor = unsafe { check_version(descriptor, &found) }?;
    check_layout(descriptor, &found)?;
    // SAFETY: a descriptor of a version we know.
    let mut info = unsafe { read_info(descriptor, &found, path) }?;
    // SAFETY: as above.
    let types = unsafe { make_types(descriptor, &found, &info.name) }?;
    info.types = types.iter().map(|known| known.tid).collect();
    Ok((info, types))
}

/// The descriptor, if all of it can be read: its version is one we know.
///
/// # Safety
/// As [`read_extension`].
unsafe fn check_version<'a>(
    descriptor: *const ExtensionDescriptor,
    found: &str,
) -> Result<&'a ExtensionDescriptor> {
    // SAFETY: whatever has this symbol, be it a function, has some bytes there.
    let magic = unsafe { (&raw const (*descriptor).magic).read_unaligned() };
    if magic != abi::ABI_MAGIC || !descriptor.is_aligned() {
        return Err(Error::new(
            ResultCode::FACTORY_INCOMPATIBLE,
            format!("{found} exports `GXF_EXT_FACTORY`, but it is not a gxe extension descriptor"),
        ));
    }
    // SAFETY: size and version stand at the same place in all versions.
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
            "build the extension again, against this gxe's SDK"
        };
        return Err(Error::new(
            ResultCode::FACTORY_INCOMPATIBLE,
            format!(
                "{found} was built for gxe ABI {major}.{minor}, and this gxe has ABI {}.{}; {advice}",
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
    // SAFETY: the version is one we know, so the whole structure is there.
    Ok(unsafe { &*descriptor })
}

/// What the extension says about itself.
///
/// # Safety
/// The texts of the descriptor must be null or valid.
unsafe fn read_info(
    descriptor: &ExtensionDescriptor,
    found: &str,
    path: &Path,
) -> Result<ExtensionInfo> {
    // SAFETY: the caller's promise.
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

/// Calls the factory and reads the types it answers with.
///
/// # Safety
/// The factory must be a function of the border and answer with types that stay valid.
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
    let host: *const abi::HostTable = crate::plugin::host::table();
    // SAFETY: the descriptor's function takes the host table and room for its result.
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
        return Err(invalid(format!("{found}: the factory hands out no types")));
    }
    (0..factory.type_count)
        .map(|index| {
            // SAFETY: the factory stated this many entries.
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

/// Compares the memory layout of everything shared, for extensions that state it (Rust ones).
fn check_layout(descriptor: &ExtensionDescriptor, found: &str) -> Result<()> {
    use abi_stable::abi_stability::abi_checking::check_layout_compatibility;
    use abi_stable::type_layout::TypeLayout;

    // SAFETY: texts of a valid descriptor.
    let version = unsafe { text(descriptor.rust_layout_version) };
    if version.is_empty() {
        return Ok(());
    }
    if version.as_bytes() != abi::LAYOUT_VERSION.to_bytes() {
        tracing::debug!("{found} describes its layout with {version}, which is not compared");
        return Ok(());
    }
    let compare = |ours: &'static TypeLayout, theirs: *const c_void| {
        // The same address: the very same layout, linked into this program.
        if std::ptr::eq(theirs.cast(), ours) || theirs.is_null() {
            return Ok(());
        }
        // SAFETY: the version agrees, so the pointer leads to a layout of this form.
        let theirs = unsafe { &*theirs.cast::<TypeLayout>() };
        check_layout_compatibility(ours, theirs).map_err(|error| {
            Error::new(
                ResultCode::FACTORY_INCOMPATIBLE,
                format!(
                    "{found}: the types it shares with gxe have another layout although the ABI \
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
