//! `--watch`: the graph starts again in the same process when its files change.
//!
//! A thread looks at the files. What changed is loaded beside the graph that runs, which is stopped
//! only when that succeeds.

use super::{Ended, Outcome, Run, new_context, run_once};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failures;
use crate::options::Options;
use crate::stop::{Stop, StopCause};
use gxf_runtime::Context;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How often the files are looked at.
const PERIOD: Duration = Duration::from_millis(200);

/// Runs the graph again and again, until somebody stops it.
pub fn run(options: &Options, console: Console, stop: &Arc<Stop>) -> ExitStatus {
    let next = Next::default();
    let mut loaded = None;
    std::thread::scope(|scope| {
        scope.spawn(|| look(options, console, stop, &next));
        loop {
            let outcome = run_once(loaded.take(), options, console, stop);
            if let Some(status) = over(&outcome, stop) {
                return status;
            }
            loaded = next.take();
            if loaded.is_none() {
                console.note("the graph ended; waiting for a change of its files");
            }
            while loaded.is_none() {
                if let Some(status) = over(&outcome, stop) {
                    return status;
                }
                std::thread::sleep(PERIOD);
                loaded = next.take();
            }
        }
    })
}

/// The status to end with, if somebody asked for the end.
fn over(outcome: &Outcome, stop: &Stop) -> Option<ExitStatus> {
    let status = outcome.status(stop);
    let requested = stop.requested().map(StopCause::exit_status);
    requested.map(|requested| if status == ExitStatus::Success { requested } else { status })
}

/// The graph that is to run next.
#[derive(Default)]
struct Next(Mutex<Option<Context>>);

impl Next {
    fn take(&self) -> Option<Context> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn put(&self, context: Context) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(context);
    }

    /// If there is one, ends the graph that runs. The next cannot begin to run meanwhile.
    fn end_the_old(&self, stop: &Stop) {
        if self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            // Refused as long as the graph is not running yet, so it is asked again.
            _ = stop.graph().look(Context::interrupt);
        }
    }
}

/// Looks at the files until the end is asked for.
fn look(options: &Options, console: Console, stop: &Arc<Stop>, next: &Next) {
    let mut files = Files::of(options, stop);
    // A change that goes on is not loaded before it is complete.
    let mut changing: Option<Files> = None;
    while stop.requested().is_none() {
        std::thread::sleep(PERIOD);
        next.end_the_old(stop);
        let now = Files::of(options, stop);
        if now.is_same(&files) {
            files.learn(now);
            changing = None;
        } else if changing.as_ref().is_some_and(|before| before.0 == now.0) {
            changing = None;
            console.note(&format!("{} changed", files.difference(&now)));
            files.0.extend(now.0);
            if let Some(context) = load(options, console, stop) {
                next.put(context);
            }
        } else {
            changing = Some(now);
        }
    }
}

/// The graph as the files are now; shows what is wrong with them.
fn load(options: &Options, console: Console, stop: &Arc<Stop>) -> Option<Context> {
    let run = Run { context: new_context(), options, console, stop };
    match run.load() {
        Ok(()) => return Some(run.context),
        Err(Ended::Failed(failure)) => {
            Failures::new(console, options.logging.file.is_some()).report(failure);
            console.note("the change is not taken over");
        }
        Err(Ended::Stopped(_)) => {}
    }
    None
}

/// What can be seen of a file without reading it; `None` if it is not there.
type Look = Option<(u64, u64, i64, i64)>;

/// The files of a graph.
#[derive(Default)]
struct Files(BTreeMap<PathBuf, Look>);

impl Files {
    /// App files and all YAML files beside them, which may be subgraphs; manifests; libraries.
    fn of(options: &Options, stop: &Stop) -> Self {
        let mut files = Self::default();
        let graph = &options.graph;
        for app in &graph.apps {
            let path = match &graph.graph_directory {
                Some(directory) => directory.join(app),
                None => app.clone(),
            };
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            let beside = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
            for entry in beside.flatten() {
                let path = entry.path();
                if path.extension().is_some_and(|kind| kind == "yaml" || kind == "yml") {
                    files.add(path);
                }
            }
        }
        graph.manifests.iter().cloned().for_each(|path| files.add(path));
        let libraries = stop.graph().look(Context::extensions).unwrap_or_default();
        for library in libraries.into_iter().filter(|library| library.path.is_file()) {
            files.add(library.path);
        }
        files
    }

    fn add(&mut self, path: PathBuf) {
        let data = std::fs::metadata(&path).ok();
        let look = data.map(|data| (data.ino(), data.len(), data.mtime(), data.mtime_nsec()));
        self.0.insert(path, look);
    }

    /// Whether every file that both know is as it was. Libraries are known only while a graph is
    /// loaded, and a new file means nothing unless another names it.
    fn is_same(&self, before: &Self) -> bool {
        self.0.iter().all(|(path, look)| before.0.get(path).is_none_or(|known| known == look))
    }

    /// Takes files in that were not known.
    fn learn(&mut self, now: Self) {
        for (path, look) in now.0 {
            self.0.entry(path).or_insert(look);
        }
    }

    /// The first file that is not as it was.
    fn difference(&self, now: &Self) -> String {
        let changed =
            now.0.iter().find(|(path, look)| self.0.get(*path).is_some_and(|known| known != *look));
        changed.map_or_else(|| "a file".to_owned(), |(path, _)| format!("'{}'", path.display()))
    }
}
