//! The files of a graph, and whether they changed.

use crate::options::Options;
use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The metadata of a file that shows a change; `None` if it does not exist.
type Look = Option<(u64, u64, i64, i64)>;

/// Files with their metadata.
#[derive(PartialEq, Eq)]
pub struct Files(BTreeMap<PathBuf, Look>);

/// The files in the folder of a file, with extensions.
pub fn beside(path: &Path, extensions: &[&str]) -> impl Iterator<Item = PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten();
    let paths = entries.flatten().map(|entry| entry.path());
    paths.filter(move |path| {
        path.extension().is_some_and(|kind| extensions.iter().any(|e| kind == *e))
    })
}

impl Files {
    /// App files and all YAML files beside them, which may be subgraphs; manifests.
    pub fn of(options: &Options) -> Self {
        let mut files = Self(BTreeMap::new());
        let graph = &options.graph;
        for app in &graph.apps {
            let path = match &graph.graph_directory {
                Some(directory) => directory.join(app),
                None => app.clone(),
            };
            beside(&path, &["yaml", "yml"]).for_each(|path| files.add(path));
            files.add(path);
        }
        graph.manifests.iter().cloned().for_each(|path| files.add(path));
        files
    }

    /// Adds other files.
    pub fn with(mut self, others: impl Iterator<Item = PathBuf>) -> Self {
        others.for_each(|path| self.add(path));
        self
    }

    fn add(&mut self, path: PathBuf) {
        let path = path.strip_prefix("./").map(Path::to_owned).unwrap_or(path);
        let data = std::fs::metadata(&path).ok();
        let look = data.map(|data| (data.ino(), data.len(), data.mtime(), data.mtime_nsec()));
        self.0.insert(path, look);
    }

    /// The known files that changed. A new file matters only if another names it, and that one
    /// changes, too.
    pub fn changed(&self, now: &Self) -> Vec<PathBuf> {
        let known = now.0.iter().filter_map(|(path, look)| Some((path, look, self.0.get(path)?)));
        known.filter(|(_, look, before)| look != before).map(|(path, ..)| path.clone()).collect()
    }

    /// Adds files that were not known.
    pub fn learn(&mut self, now: Self) {
        for (path, look) in now.0 {
            self.0.entry(path).or_insert(look);
        }
    }

    /// Replaces the metadata of the files.
    pub fn replace(&mut self, now: Self) {
        self.0.extend(now.0);
    }
}
