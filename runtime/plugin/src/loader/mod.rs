//! Finds and opens an extension library, and reads its types.
//!
//! A library is never closed: messages, threads and components may use its code long after the
//! graph that loaded it has ended.

pub mod copy;
pub mod elf;

use crate::descriptor;
use crate::known_missing;
use crate::known_missing::Absent;
use crate::message::payload_type::{PayloadType, register_payload_type};
use crate::registry::{ExtensionInfo, TypeInfo};
use gxf_app::Diagnostic;
use gxf_app::error::{Error, Result};
use gxf_app::suggest::nearest;
use gxf_plugin_abi::ResultCode;
use std::path::{Path, PathBuf};

/// What an entry of a manifest refers to.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// A file.
    Library(PathBuf),
    /// An extension that is part of this program.
    BuiltIn,
}

/// Libraries whose types are built in.
const BUILT_IN: &[&str] = &["libgxf_std.so", "libgxf_core.so"];

/// Looks for a library: as given (relative to the manifest), below each search path, by its file
/// name in each search path, next to the program, in the folder of `make install`, next to an
/// installed manifest, and in `LD_LIBRARY_PATH`.
pub fn find(
    wanted: &Path,
    manifest_directory: Option<&Path>,
    search_paths: &[PathBuf],
) -> Result<Found> {
    let file_name = wanted.file_name().unwrap_or(wanted.as_os_str());
    // Checked first: a file of this name, such as NVIDIA's in LD_LIBRARY_PATH, would only clash
    // with the built-in types.
    if BUILT_IN.iter().any(|name| file_name == *name) {
        return Ok(Found::BuiltIn);
    }
    let candidates = candidates(wanted, manifest_directory, search_paths);
    if let Some(found) = candidates.iter().find(|candidate| candidate.is_file()) {
        let found = std::fs::canonicalize(found).unwrap_or_else(|_| found.clone());
        return Ok(Found::Library(found));
    }
    let mut looked: Vec<String> = Vec::new();
    for candidate in candidates {
        let what = if candidate.exists() { " (not a file)" } else { "" };
        let text = format!("{}{what}", candidate.display());
        if !looked.contains(&text) {
            looked.push(text);
        }
    }
    Err(Error::new(
        ResultCode::EXTENSION_FILE_NOT_FOUND,
        format!(
            "cannot find extension library `{}`; looked for {}",
            wanted.display(),
            looked.join(", ")
        ),
    ))
}

/// A warning instead of an error for a library of GXF that gxe does not have: manifests often list
/// all libraries, and the app may need none of its types. `means` says how the program's users name
/// more folders.
pub fn missing_library_warning(wanted: &Path, means: &str) -> Option<Diagnostic> {
    let Absent { extension, library, .. } = known_missing::library(wanted.file_name()?.to_str()?)?;
    let warning = Diagnostic::warning(format!(
        "gxe has no `{library}` (GXF's {extension}); the graph loads without its types"
    ));
    Some(warning.help(format!(
        "remove the line, or name the folder of a library of this name for gxe with {means}"
    )))
}

/// Advice on where to put a missing library. `means` says how the program's users name more folders.
pub fn where_it_is_looked_for(wanted: &Path, means: &str) -> String {
    if wanted.to_string_lossy().contains('\\') {
        return "separate folders with `/`, even in manifests written on Windows".to_owned();
    }
    format!("a relative path starts at the manifest; name more folders with {means}")
}

/// The name of a similar library in one of the searched folders.
pub fn similar(
    wanted: &Path,
    manifest_directory: Option<&Path>,
    search_paths: &[PathBuf],
) -> Option<String> {
    let file_name = wanted.file_name()?.to_str()?;
    let mut folders: Vec<PathBuf> = candidates(wanted, manifest_directory, search_paths)
        .iter()
        .filter_map(|candidate| Some(candidate.parent()?.to_owned()))
        .collect();
    folders.dedup();
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let built_in = BUILT_IN.iter().map(|name| (*name).to_owned());
    let names: Vec<String> =
        names.filter(|name| name.ends_with(".so") && name != file_name).chain(built_in).collect();
    let found = nearest(own_part(file_name), names.iter().map(|name| own_part(name)))?;
    names.iter().find(|name| own_part(name) == found).cloned()
}

/// The part of a file name that distinguishes extensions.
fn own_part(file_name: &str) -> &str {
    let name = file_name.strip_suffix(".so").unwrap_or(file_name);
    name.strip_prefix("libgxf_").or_else(|| name.strip_prefix("lib")).unwrap_or(name)
}

/// All candidate paths of a library, in order.
fn candidates(
    wanted: &Path,
    manifest_directory: Option<&Path>,
    search_paths: &[PathBuf],
) -> Vec<PathBuf> {
    let file_name = wanted.file_name().unwrap_or(wanted.as_os_str());
    let mut candidates: Vec<PathBuf> = Vec::new();
    match manifest_directory {
        Some(directory) => candidates.push(directory.join(wanted)),
        None => candidates.push(wanted.to_owned()),
    }
    let installed = manifest_directory.and_then(libraries_of_manifests);
    for directory in search_paths.iter().chain(&own_folders()).chain(&installed) {
        candidates.push(directory.join(wanted));
        candidates.push(directory.join(file_name));
    }
    if let Some(paths) = std::env::var_os("LD_LIBRARY_PATH") {
        candidates.extend(
            std::env::split_paths(&paths)
                .filter(|path| !path.as_os_str().is_empty())
                .map(|path| path.join(file_name)),
        );
    }
    candidates
}

/// The library folder of an installation, for its folder of manifests: programs that only link the
/// runtime are anywhere.
fn libraries_of_manifests(folder: &Path) -> Option<PathBuf> {
    let prefix = folder.ancestors().nth(3).filter(|_| folder.ends_with("share/gxe/manifests"))?;
    Some(prefix.join("lib"))
}

/// The folders of the program and, if this code is in it, of `libgxf_core.so`, each followed by its
/// library folder.
fn own_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for file in [std::env::current_exe().ok(), descriptor::own_file()].into_iter().flatten() {
        let Some(folder) = file.parent().filter(|folder| folder.is_absolute()) else { continue };
        let libraries = match folder.parent() {
            // `make install` puts programs into `bin` and libraries into `lib` next to it.
            Some(above) if folder.ends_with("bin") => Some(above.join("lib")),
            // `cargo test` puts test programs one folder below the libraries.
            Some(above) if folder.ends_with("deps") => Some(above.to_owned()),
            _ => None,
        };
        for folder in [Some(folder.to_owned()), libraries].into_iter().flatten() {
            if !folders.contains(&folder) {
                folders.push(folder);
            }
        }
    }
    folders
}

/// The extension libraries in the folders that are searched, without those that are built in. The
/// first one of each file name counts.
pub fn installed(search_paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut libraries: Vec<PathBuf> = Vec::new();
    for folder in search_paths.iter().chain(&own_folders()) {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut found: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|kind| kind == "so"))
            .filter(|path| !BUILT_IN.iter().any(|name| path.ends_with(name)))
            .filter(|path| !libraries.iter().any(|known| known.file_name() == path.file_name()))
            .filter(|path| elf::is_extension(path))
            .collect();
        found.sort();
        libraries.extend(found);
    }
    libraries
}

/// Largest library to search for the name of a type.
const SEARCHED: u64 = 64 << 20;

/// Names of libraries that contain the name of a type, in the first folder that has any. The libraries
/// are not opened: finding the name in one is only a hint.
pub fn libraries_with(type_name: &str, search_paths: &[PathBuf]) -> Vec<String> {
    for folder in search_paths.iter().chain(&own_folders()) {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        // Listing a built-in library would not help.
        let built_in = |path: &Path| BUILT_IN.iter().any(|name| path.ends_with(name));
        let mut libraries: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|kind| kind == "so") && !built_in(path))
            .collect();
        libraries.sort();
        let has_it = |library: &PathBuf| {
            let small = std::fs::metadata(library).is_ok_and(|data| data.len() <= SEARCHED);
            // Libraries that embed the runtime have all names, and are no extensions.
            small && elf::mentions(library, type_name) && elf::is_extension(library)
        };
        libraries.retain(has_it);
        if !libraries.is_empty() {
            let names = libraries.iter().filter_map(|library| library.file_name());
            return names.map(|name| name.to_string_lossy().into_owned()).collect();
        }
    }
    Vec::new()
}

/// Opens a library and reads its types.
pub fn open(path: &Path) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    open_as(path, path)
}

/// Like [`open`], with the code of another file; messages name the library.
pub(super) fn open_as(path: &Path, file: &Path) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    elf::check(path, file)?;
    let library = descriptor::open_library(file).map_err(|error| elf::explain(path, &error))?;
    descriptor::read_library(&library, path)
}

/// Registers the payload types of an accepted extension for the whole process.
pub fn register_payloads(path: &Path, payloads: Vec<(String, PayloadType)>) -> Result<()> {
    for (name, payload) in payloads {
        if let Err(known) = register_payload_type(payload) {
            return Err(Error::new(
                ResultCode::FACTORY_DUPLICATE_TID,
                format!(
                    "`{}`: payload type `{name}` takes {}, but took {known} when this program first \
                     loaded it, and messages rely on that: restart the program, or give the changed \
                     type a new id",
                    path.display(),
                    payload.layout(),
                ),
            ));
        }
    }
    Ok(())
}
