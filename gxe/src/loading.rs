//! Loading a graph: the same for a run and for every command that looks at a graph or at types.

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::options::GraphOptions;
use anyhow::Context as _;
use gxf_plugin_abi::ResultCode;
use gxf_runtime::Context;
use std::path::PathBuf;
use tracing::info;

/// Loads the extensions that the manifests list. `proceed` is asked before each manifest and ends
/// the loading with its error.
///
/// # Errors
/// Everything that is wrong with the entries of all manifests; or what `proceed` answers.
pub fn load_extensions<E: From<Failure>>(
    context: &Context,
    options: &GraphOptions,
    mut proceed: impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    Ok(extensions(context, options, &mut proceed)??)
}

/// The outer error is that of `proceed`.
fn extensions<E>(
    context: &Context,
    options: &GraphOptions,
    proceed: &mut impl FnMut() -> Result<(), E>,
) -> Result<Result<(), Failure>, E> {
    for directory in &options.extension_paths {
        context.add_extension_path(directory);
    }
    let mut failed: Option<Failure> = None;
    for path in &options.manifests {
        proceed()?;
        info!("Loading manifest: '{}'", path.display());
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
    Ok(failed.map_or(Ok(()), Err))
}

/// Loads extensions, then app files. Mistakes in app files are told as well when an extension cannot
/// be loaded; only unknown types are not, because they may be those of that extension.
///
/// # Errors
/// Everything that is wrong with manifests and app files, or what `proceed` answers, which is asked
/// before each manifest and before the app files.
pub fn load_graph<E: From<Failure>>(
    context: &Context,
    options: &GraphOptions,
    mut proceed: impl FnMut() -> Result<(), E>,
) -> Result<(), E> {
    let extensions = extensions(context, options, &mut proceed)?;
    proceed()?;
    let apps = load_apps(context, options);
    Ok(match (extensions, apps) {
        (Ok(()), apps) => apps,
        (extensions, Ok(())) => extensions,
        (Err(failure), Err(apps)) => {
            Err(failure.and(apps, |found| found.code != ResultCode::FACTORY_UNKNOWN_CLASS_NAME))
        }
    }?)
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
