//! Finds and opens an extension library, and takes its types.
//!
//! A library is never closed again: messages, threads and components may still use its code long
//! after the graph that loaded it is gone.

use crate::error::{Error, Result};
use crate::extension::elsewhere::Absent;
use crate::extension::registry::{ExtensionInfo, TypeInfo};
use crate::extension::{elf, elsewhere};
use crate::graph::Diagnostic;
use crate::graph::suggest::nearest;
use crate::message::payload_type::{PayloadType, register_payload_type};
use crate::plugin::descriptor;
use gxf_plugin_abi::ResultCode;
use std::path::{Path, PathBuf};

/// Where an entry of a manifest leads.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A file.
    Library(PathBuf),
    /// An extension that is part of this program.
    BuiltIn,
}

/// Libraries whose types the host brings along.
const BUILT_IN: &[&str] = &["libgxf_std.so", "libgxf_core.so"];

/// Looks for a library: as given (relative to the manifest), below each search path, by its file
/// name in each search path, beside the program, in the folder `make install` puts libraries into,
/// and in `LD_LIBRARY_PATH`.
pub(crate) fn find(
    wanted: &Path,
    manifest_directory: Option<&Path>,
    search_paths: &[PathBuf],
) -> Result<Found> {
    let file_name = wanted.file_name().unwrap_or(wanted.as_os_str());
    // First of all: a file of this name, such as NVIDIA's in LD_LIBRARY_PATH, could only clash with
    // the types that are there already.
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
            "extension library `{}` is not there; looked for {}",
            wanted.display(),
            looked.join(", ")
        ),
    ))
}

/// What to say instead of an error about a library of GXF's that is not part of gxe: an app may need
/// nothing of it, and manifests often list all there are.
pub(crate) fn is_elsewhere(wanted: &Path) -> Option<Diagnostic> {
    let Absent { extension, library, .. } = elsewhere::library(wanted.file_name()?.to_str()?)?;
    let warning = Diagnostic::warning(format!(
        "gxe has no `{library}` (GXF's {extension}); the graph is loaded without its types"
    ));
    Some(warning.help(
        "remove the line, or name the folder of a library of this name for gxe with \
                       --extension-path",
    ))
}

/// Where libraries that are not there could be.
pub(crate) fn where_it_is_looked_for(wanted: &Path) -> &'static str {
    if wanted.to_string_lossy().contains('\\') {
        return "folders are separated by `/`, also in manifests written on Windows";
    }
    "a relative path starts at the manifest; name more folders with --extension-path or \
     GXE_EXTENSION_PATH"
}

/// The name of a library that lies where a missing one was looked for and is called much like it.
pub(crate) fn similar(
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

/// What tells the file names of extensions apart.
fn own_part(file_name: &str) -> &str {
    let name = file_name.strip_suffix(".so").unwrap_or(file_name);
    name.strip_prefix("libgxf_").or_else(|| name.strip_prefix("lib")).unwrap_or(name)
}

/// All places a library may lie in, in the order they are looked at.
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
    for directory in search_paths.iter().chain(&own_folders()) {
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

/// The folders of the program and, where this code is part of one, of `libgxf_core.so`, each with
/// the one of its libraries.
fn own_folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for file in [std::env::current_exe().ok(), descriptor::own_file()].into_iter().flatten() {
        let Some(folder) = file.parent().filter(|folder| folder.is_absolute()) else { continue };
        let libraries = match folder.parent() {
            // `make install` puts programs into `bin` and libraries beside that into `lib`.
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

/// Largest library that is searched for the name of a type.
const SEARCHED: u64 = 64 << 20;

/// Names of libraries that contain a text, in the first of the search paths and our own folders that
/// has any. They are not opened: a name that stands in one is a hint for people and no more.
pub(crate) fn libraries_with(text: &str, search_paths: &[PathBuf]) -> Vec<String> {
    for folder in search_paths.iter().chain(&own_folders()) {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        // Listing what is built in would not bring the type.
        let built_in = |path: &Path| BUILT_IN.iter().any(|name| path.ends_with(name));
        let mut libraries: Vec<PathBuf> = files
            .filter(|path| path.extension().is_some_and(|kind| kind == "so") && !built_in(path))
            .collect();
        libraries.sort();
        let has_it = |library: &PathBuf| {
            let small = std::fs::metadata(library).is_ok_and(|data| data.len() <= SEARCHED);
            let data = small.then(|| std::fs::read(library).ok()).flatten();
            data.is_some_and(|data| memchr::memmem::find(&data, text.as_bytes()).is_some())
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
pub(crate) fn open(path: &Path) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    open_as(path, path)
}

/// The same with the code of another file; messages name the library.
pub(super) fn open_as(path: &Path, file: &Path) -> Result<(ExtensionInfo, Vec<TypeInfo>)> {
    elf::check(path, file)?;
    let library = descriptor::open_library(file).map_err(|error| elf::explain(path, &error))?;
    descriptor::read_library(&library, path)
}

/// Makes the payload types of an accepted extension, with their names, known to the whole process.
pub(crate) fn register_payloads(path: &Path, payloads: Vec<(String, PayloadType)>) -> Result<()> {
    for (name, payload) in payloads {
        if let Err(known) = register_payload_type(payload) {
            return Err(Error::new(
                ResultCode::FACTORY_DUPLICATE_TID,
                format!(
                    "`{}`: payload type `{name}` takes {}, and took {known} when this program met \
                     it first, which messages rely on: end the program and start it again, or give \
                     the changed type a new id",
                    path.display(),
                    payload.layout(),
                ),
            ));
        }
    }
    Ok(())
}
