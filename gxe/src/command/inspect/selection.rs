//! The extensions and types that the arguments of `gxe inspect` select.

use crate::catalog::{Extension, Type, short_name};
use crate::command::error::CommandError;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::usage_error::UsageError;
use anyhow::Context as _;
use gxf_runtime::extension::TypeInfo;
use gxf_runtime::graph::suggest::nearest;
use gxf_runtime::{Context, Tid};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

/// Whole extensions and single types.
#[derive(Default)]
pub struct Selection {
    /// Extensions with all their types.
    pub extensions: Vec<Extension>,
    /// Types selected by name, each with the name of its extension.
    pub types: Vec<(String, Type)>,
}

impl Selection {
    /// All types.
    pub fn types_mut(&mut self) -> impl Iterator<Item = &mut Type> {
        let of_extensions = self.extensions.iter_mut().flat_map(|known| &mut known.types);
        of_extensions.chain(self.types.iter_mut().map(|(_, known)| known))
    }

    /// Everything as JSON: `extensions`, and `types` for those selected by name.
    pub fn json(&self) -> serde_json::Value {
        let types = self.types.iter().map(|(extension, known)| {
            let mut value = serde_json::json!(known);
            value["extension"] = extension.as_str().into();
            value
        });
        serde_json::json!({
            "abi": format!("{}.{}", gxf_runtime::ABI_MAJOR, gxf_runtime::ABI_MINOR),
            "extensions": self.extensions,
            "types": types.collect::<Vec<_>>(),
        })
    }
}

/// Loads and selects what the targets name. Also returns which files could not be loaded.
pub fn select(
    context: &Context,
    targets: &[OsString],
) -> Result<(Selection, Vec<Failure>), CommandError> {
    let mut selection = Selection::default();
    let mut failed = Vec::new();
    if targets.is_empty() {
        let all = context.extensions();
        selection.extensions = all.iter().map(|info| Extension::new(context, info)).collect();
        return Ok((selection, failed));
    }
    // Files first: a type may come from a library that is named after it.
    let (files, types): (Vec<_>, Vec<_>) = targets.iter().partition(|target| is_file(target));
    for file in files {
        match load(context, Path::new(file)) {
            Ok(ids) => {
                for id in ids {
                    let info = context.extensions().into_iter().find(|info| info.tid == id);
                    selection.extensions.extend(info.map(|info| Extension::new(context, &info)));
                }
            }
            Err(failure) => failed.push(failure),
        }
    }
    for name in types {
        for found in find(context, &name.to_string_lossy())? {
            if !selection.types.iter().any(|(_, known)| known.name == found.name) {
                selection.types.push((found.extension.clone(), Type::new(context, &found)));
            }
        }
    }
    Ok((selection, failed))
}

fn is_file(target: &OsStr) -> bool {
    let path = Path::new(target);
    let kind = path.extension().and_then(OsStr::to_str);
    matches!(kind, Some("so" | "yaml" | "yml")) || path.components().count() > 1 || path.exists()
}

/// Loads a library or a manifest; returns the ids of its extensions.
fn load(context: &Context, path: &Path) -> Result<Vec<Tid>, Failure> {
    let is_manifest = path.extension().is_some_and(|kind| kind == "yaml" || kind == "yml");
    let what = if is_manifest { "manifest" } else { "extension library" };
    let loaded =
        if is_manifest { context.load_manifest(path, None) } else { context.load_extension(path) };
    loaded
        .with_context(|| format!("cannot load the {what} '{}'", path.display()))
        .map_err(|error| Failure::new(ExitStatus::Load, error))?;
    let libraries = if is_manifest {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        gxf_runtime::extension::manifest_entries(&path.to_string_lossy(), &text).unwrap_or_default()
    } else {
        vec![path.to_string_lossy().into_owned()]
    };
    let file_name = |path: &Path| path.file_name().map(OsStr::to_owned);
    let wanted: Vec<_> = libraries.iter().map(|path| file_name(Path::new(path))).collect();
    let built_in = |name: &Option<OsString>| {
        name.as_deref().is_some_and(|name| name == "libgxf_std.so" || name == "libgxf_core.so")
    };
    let is_wanted = |path: &Path| {
        let is_built_in = path.as_os_str().is_empty();
        wanted.iter().any(
            |name| {
                if is_built_in { built_in(name) } else { *name == file_name(path) }
            },
        )
    };
    let extensions = context.extensions();
    Ok(extensions.iter().filter(|info| is_wanted(&info.path)).map(|info| info.tid).collect())
}

/// Finds types among what is loaded, then among everything that is installed.
fn find(context: &Context, wanted: &str) -> Result<Vec<Arc<TypeInfo>>, UsageError> {
    let found = find_loaded(context, wanted);
    if !found.is_empty() {
        return Ok(found);
    }
    for library in context.installed_libraries() {
        // One that cannot be loaded has no types to show; `gxe doctor` says why.
        _ = context.load_extension(&library);
    }
    let found = find_loaded(context, wanted);
    if !found.is_empty() {
        return Ok(found);
    }
    let error = UsageError::new(format!("no installed extension has a type `{wanted}`"));
    let names: Vec<_> = all_types(context).iter().map(|known| known.name.clone()).collect();
    Err(error.hint(match nearest(wanted, names.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name the extension it comes from: --manifest FILE, or its .so".to_owned(),
    }))
}

fn all_types(context: &Context) -> Vec<Arc<TypeInfo>> {
    let extensions = context.extensions();
    let all = extensions.iter().flat_map(|info| &info.types);
    all.filter_map(|tid| context.type_info_by_id(*tid)).collect()
}

/// A type by its name or id; else those with this last piece of their names; else those whose names
/// contain it. Only the first way cares about case.
fn find_loaded(context: &Context, wanted: &str) -> Vec<Arc<TypeInfo>> {
    let by_id = Tid::parse(wanted).and_then(|tid| context.type_info_by_id(tid));
    if let Some(found) = context.type_info(wanted).or(by_id) {
        return vec![found];
    }
    let all = all_types(context);
    let same = |known: &&Arc<TypeInfo>| short_name(&known.name).eq_ignore_ascii_case(wanted);
    let short: Vec<_> = all.iter().filter(same).cloned().collect();
    if !short.is_empty() {
        return short;
    }
    let part = wanted.to_lowercase();
    all.into_iter().filter(|known| known.name.to_lowercase().contains(&part)).collect()
}
