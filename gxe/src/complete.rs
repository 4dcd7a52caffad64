//! What shells complete beyond commands and flags: types, parameters of the graph on the command
//! line, installed manifests. Mistakes in files offer nothing, and say nothing.

use crate::arguments::{ExtensionArguments, GraphArguments};
use crate::catalog::short_name;
use crate::exit_status::ExitStatus;
use crate::loading::{load_graph, never};
use crate::options::GraphOptions;
use crate::sdk::Sdk;
use crate::spelling;
use clap::{Arg, Command};
use clap_complete::CompleteEnv;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use gxf_runtime::Context;
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

/// The exit status if a shell asked what to complete; it has the answer then.
pub fn answered(line: impl Fn() -> Command) -> Option<ExitCode> {
    let completer = CompleteEnv::with_factory(|| completed(line()));
    let folder = std::env::current_dir().ok();
    match completer.try_complete(std::env::args_os(), folder.as_deref()) {
        Ok(false) => None,
        Ok(true) => Some(ExitCode::SUCCESS),
        Err(_) => Some(ExitStatus::Usage.into()),
    }
}

/// The command line with what completes the values of its arguments, which have the same names in
/// every command.
fn completed(command: Command) -> Command {
    let with_values = |argument: Arg| match argument.get_id().as_str() {
        "manifest" => argument.add(ArgValueCompleter::new(manifests)),
        "param" => argument.add(ArgValueCompleter::new(parameters)),
        "targets" => argument.add(ArgValueCompleter::new(types)),
        _ => argument,
    };
    command.mut_args(with_values).mut_subcommands(completed)
}

/// Types of what is built in and installed: by their short names, or in full.
fn types(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let context = Context::new();
    for library in context.installed_libraries() {
        _ = context.load_extension(&library);
    }
    let extensions = context.extensions();
    let all = extensions.iter().flat_map(|info| &info.types);
    let known: Vec<_> = all.filter_map(|tid| context.type_info_by_id(*tid)).collect();
    let names = known.iter().filter(|known| known.is_component()).filter_map(|known| {
        [short_name(&known.name), &known.name].into_iter().find(|name| name.starts_with(&*current))
    });
    names.map(CompletionCandidate::new).collect()
}

/// `ENTITY/COMPONENT/KEY=` of the graph that the command line names so far.
fn parameters(current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let context = Context::new();
    context.only_read();
    let Some(options) = graph_options(std::env::args_os()) else { return Vec::new() };
    _ = load_graph(&context, &options, &never);
    let mut offered = Vec::new();
    for eid in context.entities() {
        let Ok(entity) = context.entity_name(eid) else { continue };
        for cid in context.component_ids(eid).unwrap_or_default() {
            let name = context.component_name(cid).unwrap_or_default();
            let known = context.component_type(cid).ok();
            let Some(known) = known.and_then(|tid| context.type_info_by_id(tid)) else { continue };
            // Only a component with a name can be addressed.
            let keys = known.parameters.iter().filter(|_| !name.is_empty());
            offered.extend(keys.map(|spec| format!("{entity}/{name}/{}=", spec.key)));
        }
    }
    offered.retain(|text| text.starts_with(&*current));
    offered.into_iter().map(CompletionCandidate::new).collect()
}

/// Files, and the installed manifests by name.
fn manifests(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut offered = PathCompleter::file().complete(current);
    let folder = Sdk::find(None).ok().and_then(|sdk| std::fs::read_dir(sdk.manifests()).ok());
    let files = folder.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let names = files.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()));
    let current = current.to_string_lossy();
    let matching = names.filter(|name| name.starts_with(&*current));
    offered.extend(matching.map(CompletionCandidate::new));
    offered
}

/// The files and folders among the words that a shell passes after `--`. The line is unfinished, so
/// clap would refuse it.
fn graph_options(words: impl Iterator<Item = OsString>) -> Option<GraphOptions> {
    let words = words.skip_while(|word| word != "--").skip(1);
    let mut words = spelling::normalised(words).into_iter().skip(1);
    let mut graph = GraphArguments::default();
    let mut extensions = ExtensionArguments::default();
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let (flag, value) = match text.split_once('=') {
            Some((flag, value)) => (flag.to_owned(), Some(OsString::from(value))),
            None => (text.into_owned(), None),
        };
        let list = match &*flag {
            "--app" => &mut graph.app,
            "--manifest" => &mut extensions.manifest,
            "--extension-path" => &mut extensions.extension_path,
            "--app-root" => {
                graph.app_root = value.or_else(|| words.next());
                continue;
            }
            "--graph-directory" => {
                graph.graph_directory = value.or_else(|| words.next());
                continue;
            }
            "--param" => {
                _ = value.or_else(|| words.next());
                continue;
            }
            file if file.ends_with(".yaml") || file.ends_with(".yml") => {
                graph.files.push(word);
                continue;
            }
            _ => continue,
        };
        list.extend(value.or_else(|| words.next()));
    }
    GraphOptions::new(graph, extensions, |name| std::env::var_os(name)).ok()
}
