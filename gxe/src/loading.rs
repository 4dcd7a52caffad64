//! Loading a graph: the same for a run and for every command that looks at a graph or at types.

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::options::GraphOptions;
use anyhow::Context as _;
use gxf_runtime::Context;
use std::path::PathBuf;
use tracing::info;

/// Loads the extensions that the manifests list. `proceed` is asked before each manifest and ends
/// the loading with its error.
///
/// # Errors
/// The first manifest that cannot be loaded, with everything that is wrong with its entries; or
/// what `proceed` answers.
pub fn load_extensions<E: From<Failure>>(
    context: &Context,
    options: &GraphOptions,
    mut proceed: impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    for directory in &options.extension_paths {
        context.add_extension_path(directory);
    }
    for path in &options.manifests {
        proceed()?;
        info!("Loading manifest: '{}'", path.display());
        context
            .load_manifest(path, options.app_root.as_deref())
            .with_context(|| format!("cannot load the manifest '{}'", path.display()))
            .map_err(|error| Failure::new(ExitStatus::Load, error))?;
    }
    Ok(())
}

/// Loads the app files into the graph.
///
/// # Errors
/// Everything that is wrong in all files together.
pub fn load_apps(context: &Context, options: &GraphOptions) -> Result<(), Failure> {
    if let Some(directory) = &options.graph_directory {
        context.set_root_path(directory);
    }
    for path in &options.apps {
        info!("Loading app: '{}'", path.display());
    }
    // All at once: an override may concern a component of any of them.
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
