//! Loads graphs, for runs and for commands that read a graph or types.

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::options::GraphOptions;
use anyhow::Context as _;
use gxf_plugin_abi::ResultCode;
use gxf_runtime::Context;
use std::path::PathBuf;
use tracing::{debug, info};

/// Makes the context look where the options say.
pub fn add_paths(context: &Context, options: &GraphOptions) {
    context.set_extension_path_means("--extension-path or GXE_EXTENSION_PATH");
    for directory in &options.extension_paths {
        context.add_extension_path(directory);
    }
    if let Some(root) = &options.app_root {
        context.set_file_root(root);
    }
}

/// Loads the extensions that the manifests list. Calls `is_stopped` before each one, and stops if
/// it is true.
///
/// # Errors
/// All mistakes in all manifests together.
pub fn load_extensions(
    context: &Context,
    options: &GraphOptions,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    add_paths(context, options);
    let mut failed: Option<Failure> = None;
    for path in options.manifests.iter().take_while(|_| !is_stopped()) {
        debug!("Loading manifest: '{}'", path.display());
        let loaded = context
            .load_manifest(path, options.app_root.as_deref())
            .with_context(|| format!("cannot load the manifest '{}'", path.display()))
            .map_err(|error| Failure::new(ExitStatus::Load, error));
        if let Err(failure) = loaded {
            failed = Some(match failed {
                Some(before) => before.and(failure, |_| true),
                None => failure,
            });
        }
    }
    failed.map_or(Ok(()), Err)
}

/// Loads extensions, then app files, until `is_stopped`. If an extension cannot be loaded, still
/// reports mistakes in app files, except unknown types, which may belong to that extension.
///
/// # Errors
/// All mistakes in manifests and app files together.
pub fn load_graph(
    context: &Context,
    options: &GraphOptions,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), Failure> {
    let extensions = load_extensions(context, options, is_stopped);
    if is_stopped() {
        return extensions;
    }
    match (extensions, load_apps(context, options)) {
        (Ok(()), apps) => apps,
        (extensions, Ok(())) => extensions,
        (Err(failure), Err(apps)) => {
            Err(failure.and(apps, |found| found.code != ResultCode::FACTORY_UNKNOWN_CLASS_NAME))
        }
    }
}

/// For commands that only end with the process.
pub fn never() -> bool {
    false
}

/// Loads the app files into the graph.
///
/// # Errors
/// All mistakes in all files together.
pub fn load_apps(context: &Context, options: &GraphOptions) -> Result<(), Failure> {
    if let Some(directory) = &options.graph_directory {
        context.set_root_path(directory);
    }
    for path in &options.apps {
        info!("Loading app: '{}'", path.display());
    }
    // All at once, because an override may concern a component of any file.
    context
        .load_apps(&options.apps, &options.overrides)
        .with_context(|| format!("cannot load the {}", named(&options.apps)))
        .map_err(|error| Failure::new(ExitStatus::Load, error))
}

/// `app 'a.yaml'` or `apps 'a.yaml', 'b.yaml'`.
fn named(apps: &[PathBuf]) -> String {
    let names: Vec<_> = apps.iter().map(|path| format!("'{}'", path.display())).collect();
    format!("app{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
}
