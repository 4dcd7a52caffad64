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

/// Loads and selects what the targets name.
pub fn select(context: &Context, targets: &[OsString]) -> Result<Selection, CommandError> {
    let mut selection = Selection::default();
    if targets.is_empty() {
        let all = context.extensions();
        selection.extensions = all.iter().map(|info| Extension::new(context, info)).collect();
        return Ok(selection);
    }
    // Files first: a type may come from a library that is named after it.
    let (files, types): (Vec<_>, Vec<_>) = targets.iter().partition(|target| is_file(target));
    for file in files {
        for id in load(context, Path::new(file))? {
            let info = context.extensions().into_iter().find(|info| info.tid == id);
            selection.extensions.extend(info.map(|info| Extension::new(context, &info)));
        }
    }
    for name in types {
        let found = find(context, &name.to_string_lossy())?;
        selection.types.push((found.extension.clone(), Type::new(context, &found)));
    }
    Ok(selection)
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

/// Finds a type by its name, the last piece of its name, or its id.
fn find(context: &Context, wanted: &str) -> Result<Arc<TypeInfo>, UsageError> {
    let by_id = Tid::parse(wanted).and_then(|tid| context.type_info_by_id(tid));
    if let Some(found) = context.type_info(wanted).or(by_id) {
        return Ok(found);
    }
    let extensions = context.extensions();
    let all = extensions.iter().flat_map(|info| &info.types);
    let all: Vec<_> = all.filter_map(|tid| context.type_info_by_id(*tid)).collect();
    let same = |known: &&Arc<TypeInfo>| short_name(&known.name).eq_ignore_ascii_case(wanted);
    let short: Vec<_> = all.iter().filter(same).collect();
    match short.as_slice() {
        [one] => return Ok(Arc::clone(one)),
        [] => {}
        several => {
            let names: Vec<_> = several.iter().map(|known| format!("`{}`", known.name)).collect();
            let error = UsageError::new(format!("`{wanted}` may be {}", names.join(" or ")));
            return Err(error.hint("write the whole name"));
        }
    }
    let error = UsageError::new(format!("no loaded extension has a type `{wanted}`"));
    Err(match nearest(wanted, all.iter().map(|known| known.name.as_str())) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => {
            // A whole name: a part of one may stand in any library.
            let is_whole = wanted.contains("::");
            let libraries = if is_whole { context.libraries_with(wanted) } else { Vec::new() };
            let found = match libraries.as_slice() {
                [] => String::new(),
                [one] => format!("; {one} has this name in it"),
                several => format!("; {} have this name in them", several.join(", ")),
            };
            error.hint(format!(
                "name the extension it comes from: --manifest FILE, or its .so{found}"
            ))
        }
    })
}
