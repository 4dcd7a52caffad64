//! `--watch`: applies edits to the running graph.
//!
//! A thread checks the files (`files.rs`) and loads what changed beside the running graph. If only
//! values of dynamic parameters differ, it sets them in the running graph; otherwise it stops that
//! graph and starts the new one, with the values that a person has set meanwhile. Libraries are opened as copies, so rebuilding one neither disturbs
//! the old graph nor confuses the new one.

mod files;

use super::{Ended, Outcome, Run, new_context, run_once};
use crate::console::Console;
use crate::control::set;
use crate::exit_status::ExitStatus;
use crate::failure::{Failure, Failures};
use crate::live_graph::LiveGraph;
use crate::options::Options;
use crate::stop::{Stop, StopCause};
use files::Files;
use gxf_runtime::graph::{ComponentDescription, GraphValues, ParameterChange};
use gxf_runtime::{Context, GraphStage};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Period for checking the files.
const PERIOD: Duration = Duration::from_millis(200);

/// Runs one graph after the other until stopped.
pub fn run(options: &Options, console: Console, live: &LiveGraph, stop: &Arc<Stop>) -> ExitStatus {
    let next = Next::default();
    let watch = Watch { options, console, live, stop, next: &next };
    let mut files = Files::of(options);
    let first = watch.load();
    if first.is_none() && !stop.is_requested() {
        stop.graph_is_awaited();
        console.note("waiting for the graph's files to change");
    }
    let (mut graph, accepted) = first.map(Loaded::split).unzip();
    files.learn(watch.files(accepted.as_ref()));
    std::thread::scope(|scope| {
        scope.spawn(|| watch.look(files, accepted));
        let mut status = None;
        loop {
            if let Some(loaded) = graph.take() {
                let outcome = run_once(Some(loaded), options, console, live, stop);
                status = over(&outcome, stop);
                graph = next.take();
                if status.is_none() && graph.is_none() {
                    stop.graph_is_awaited();
                    console.note("the graph ended; waiting for its files to change");
                }
            }
            let requested = || stop.requested().map(StopCause::exit_status);
            if let Some(status) = status.or_else(requested) {
                return status;
            }
            if graph.is_none() {
                std::thread::sleep(PERIOD);
                graph = next.take();
            }
        }
    })
}

/// The exit status, if a stop was requested.
fn over(outcome: &Outcome, stop: &Stop) -> Option<ExitStatus> {
    let status = outcome.status(stop);
    let requested = stop.requested().map(StopCause::exit_status);
    requested.map(|requested| if status == ExitStatus::Success { requested } else { status })
}

/// The next graph to run.
#[derive(Default)]
struct Next(Mutex<Option<Context>>);

impl Next {
    fn take(&self) -> Option<Context> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, context: Context) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(context);
    }

    /// If there is a next graph, ends the running one. The next cannot start meanwhile.
    fn end_the_old(&self, live: &LiveGraph) {
        if self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            // Refused until the graph runs, so it is repeated.
            _ = live.look(Context::interrupt);
        }
    }
}

/// A graph that is loaded but not activated.
struct Loaded {
    context: Context,
    accepted: Accepted,
}

impl Loaded {
    fn split(self) -> (Context, Accepted) {
        (self.context, self.accepted)
    }
}

/// What the files said when the latest edit was applied.
struct Accepted {
    values: GraphValues,
    /// Libraries, files of subgraphs, files of codelets in Python and those beside them.
    others: BTreeSet<PathBuf>,
}

#[derive(Clone, Copy)]
struct Watch<'a> {
    options: &'a Options,
    console: Console,
    live: &'a LiveGraph,
    stop: &'a Arc<Stop>,
    next: &'a Next,
}

impl Watch<'_> {
    /// Checks the files until a stop is requested.
    fn look(self, mut files: Files, mut accepted: Option<Accepted>) {
        // Waits until a file stops changing.
        let mut changing: Option<Files> = None;
        while !self.stop.is_requested() {
            std::thread::sleep(PERIOD);
            self.next.end_the_old(self.live);
            let now = self.files(accepted.as_ref());
            let changed = files.changed(&now);
            if changed.is_empty() {
                files.learn(now);
                changing = None;
            } else if changing.as_ref() == Some(&now) {
                changing = None;
                self.console.note(&format!("{} changed", named(&changed)));
                files.replace(now);
                self.apply(&changed, &mut accepted);
                files.learn(self.files(accepted.as_ref()));
            } else {
                changing = Some(now);
            }
        }
    }

    /// All files of the graph as they are now.
    fn files(self, accepted: Option<&Accepted>) -> Files {
        let others = accepted.into_iter().flat_map(|accepted| accepted.others.iter().cloned());
        Files::of(self.options).with(others)
    }

    /// Applies the files to the graph, if they load.
    fn apply(self, changed: &[PathBuf], accepted: &mut Option<Accepted>) {
        let Some(new) = self.load() else {
            let rest = if self.is_running() { "; the old graph keeps running" } else { "" };
            self.console.note(&format!("change rejected{rest}"));
            return;
        };
        let changes = accepted.as_ref().and_then(|old| old.changes(&new.accepted, changed));
        if let Some(changes) = changes
            && self.is_running()
        {
            if !self.set(&changes) {
                return;
            }
        } else {
            self.console.note("restarting the graph");
            self.keep_settings(accepted.as_ref(), &new);
            self.next.put(new.context);
        }
        *accepted = Some(new.accepted);
    }

    fn is_running(self) -> bool {
        let state = self.live.look(|context| context.status().state);
        matches!(state, Some(GraphStage::Running | GraphStage::Paused))
    }

    /// Sets parameters in the running graph.
    fn set(self, changes: &[ParameterChange]) -> bool {
        if changes.is_empty() {
            self.console.note("nothing in the graph changed");
        }
        for change in changes {
            let set = self.live.look(|context| context.apply_change(change));
            if let Some(Err(error)) = set {
                let error = anyhow::Error::new(error)
                    .context(format!("'{}' cannot be set while the graph runs", change.path));
                self.report(Failure::new(ExitStatus::Run, error));
                return false;
            }
            self.live.settings().remove(&change.path);
            self.console.note(&format!("'{}' set in the running graph", change.path));
        }
        true
    }

    /// Sets what a person has set in the running graph in the one that takes its place, except for
    /// what the files now say differently.
    fn keep_settings(self, old: Option<&Accepted>, new: &Loaded) {
        let value = |accepted: &Accepted, path: &str| accepted.values.value(path).cloned();
        self.live.settings().retain(|path, yaml| {
            let before = old.and_then(|old| value(old, path));
            if before.is_none() || before != value(&new.accepted, path) {
                return false;
            }
            match set(&new.context, path, yaml) {
                Ok(()) => self.console.note(&format!("'{path}' stays {yaml}, as it was set")),
                Err(error) => self.console.note(&format!("{error:#}")),
            }
            true
        });
    }

    /// Loads the graph from the current files; shows their mistakes. No entity is one.
    fn load(self) -> Option<Loaded> {
        let context = new_context(self.stop);
        context.copy_libraries();
        // The first one, so that a load that hangs can be named.
        let is_first = self.live.look(|_| ()).is_none();
        if is_first {
            self.live.show(&context);
        }
        let run = Run { context, options: self.options, console: self.console, stop: self.stop };
        let loaded = run.load();
        if is_first {
            self.live.hide();
        }
        match loaded {
            // Most editors empty a file before they write it.
            Ok(()) if run.context.entities().is_empty() => {}
            Ok(()) => {
                let accepted = self.accepted(&run.context);
                return Some(Loaded { context: run.context, accepted });
            }
            Err(Ended::Failed(failure)) => self.report(failure),
            Err(Ended::Stopped(_)) => {}
        }
        None
    }

    fn accepted(self, context: &Context) -> Accepted {
        let graph = &self.options.graph;
        let mut others: BTreeSet<PathBuf> = graph
            .manifests
            .iter()
            .filter_map(|path| context.manifest_libraries(path, graph.app_root.as_deref()).ok())
            .flatten()
            .collect();
        for component in context.describe().entities.into_iter().flat_map(|e| e.components) {
            others.extend(python_files(&component));
            others.extend(component.place.map(|place| PathBuf::from(place.file)));
        }
        Accepted { values: context.values(), others }
    }

    fn report(self, failure: Failure) {
        Failures::new(self.console, self.options.logging.file.is_some()).report(failure);
    }
}

impl Accepted {
    /// The parameters to set in the running graph; `None` if a new graph is needed.
    fn changes(&self, new: &Self, changed: &[PathBuf]) -> Option<Vec<ParameterChange>> {
        let is_code =
            |path: &PathBuf| path.extension().is_some_and(|kind| kind == "so" || kind == "py");
        let has_new_code = changed.iter().any(is_code);
        if has_new_code { None } else { self.values.changes(&new.values) }
    }
}

/// The file with the code of a codelet in Python, and those beside it, which it may import.
fn python_files(component: &ComponentDescription) -> Vec<PathBuf> {
    let is_codelet = component.type_name == "nvidia::gxf::PyCodeletV0";
    let parameters = if is_codelet { &component.parameters[..] } else { &[] };
    let file = parameters.iter().find(|parameter| parameter.key == "codelet_file");
    let Some(text) = file.and_then(|file| file.value.as_ref()) else { return Vec::new() };
    let path = PathBuf::from(text.trim_matches(['"', '\'']));
    if path.extension().is_none() {
        return Vec::new();
    }
    files::beside(&path, &["py"]).chain([path.clone()]).collect()
}

/// `'a.yaml', 'b.yaml'`.
fn named(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths.iter().map(|path| format!("'{}'", path.display())).collect();
    names.join(", ")
}
