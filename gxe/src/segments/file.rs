//! A file that names segments instead of entities.

use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::options::GraphOptions;
use crate::remote_options::{ONE_MANIFEST, ONE_MANIFEST_HINT};
use anyhow::{Context as _, anyhow};
use gxf_remote::SegmentsFile;
use gxf_runtime::graph::yaml::{Node, parse_stream};
use gxf_runtime::graph::{Diagnostic, Diagnostics, Source, Span};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The key of a file under which it names segments.
const SEGMENTS_KEY: &str = "graph-specs";

/// The folder in which paths of a file begin: its own, but not that of standard input and the like.
pub fn folder_of(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.filter(|folder| !folder.starts_with("/dev"));
    folder.unwrap_or(Path::new(".")).to_owned()
}

/// Reads a file with segments.
///
/// # Errors
/// It cannot be read.
pub fn read(path: &Path) -> Result<SegmentsFile, Failure> {
    let failed = |error| Failure::new(ExitStatus::Load, error);
    let source = gxf_runtime::graph::read_source(path);
    let source = source.map_err(|mistake| failed(unreadable(path, mistake)))?;
    if !names_segments(&source) {
        return Err(failed(anyhow!(
            "'{0}' has no `graph-specs`, which names the app and the manifest of each segment; an app \
             by itself runs with `gxe run {0}`",
            path.display()
        )));
    }
    SegmentsFile::read(&source).map_err(|mistake| failed(unreadable(path, mistake)))
}

/// Reads a file with segments. The manifest of the options stands for those that name none.
///
/// # Errors
/// It cannot be read, or there is no such manifest.
pub fn read_with_manifest(path: &Path, options: &GraphOptions) -> Result<SegmentsFile, Failure> {
    let mut file = read(path)?;
    if let Some(manifest) = manifest_of_segments(options)? {
        for segment in &mut file.segments {
            segment.manifest.get_or_insert_with(|| manifest.clone());
        }
    }
    Ok(file)
}

/// The manifest of the options, as a path that does not depend on where those of segments begin.
fn manifest_of_segments(options: &GraphOptions) -> Result<Option<String>, Failure> {
    let failed = |error| Failure::new(ExitStatus::Load, error);
    let path = match &*options.given_manifests {
        [] => return Ok(None),
        [path] => path,
        _ => {
            let error = anyhow!("{ONE_MANIFEST}; {ONE_MANIFEST_HINT}");
            return Err(Failure::new(ExitStatus::Usage, error));
        }
    };
    // What is there stays unread: a pipe can be read only once.
    if !path.exists()
        && let Err(mistake) = gxf_runtime::graph::read_source(path)
    {
        let what = format!("cannot load the manifest '{}'", path.display());
        return Err(failed(gxf_runtime::Error::from_diagnostics(what, mistake.into()).into()));
    }
    let absolute = std::path::absolute(path).context("the current folder is not known");
    let text = absolute.map_err(failed)?.into_os_string().into_string();
    text.map(Some).map_err(|path| {
        let path = path.to_string_lossy();
        failed(anyhow!("the path of the manifest '{path}' is not in UTF-8, as YAML needs it"))
    })
}

fn unreadable(path: &Path, mistake: Diagnostic) -> anyhow::Error {
    let what = format!("cannot load '{}'", path.display());
    gxf_runtime::Error::from_diagnostics(what, mistake.into()).into()
}

/// Whether a file has segments instead of entities. Does not read what can be read only once, such as
/// a pipe.
pub fn has_segments(path: &Path) -> bool {
    segments_place(path).is_some()
}

/// Where a file with segments instead of entities names them.
pub fn segments_place(path: &Path) -> Option<Span> {
    let is_file = path.metadata().is_ok_and(|about| about.is_file());
    let source = is_file.then(|| gxf_runtime::graph::read_source(path).ok()).flatten()?;
    segments_key(&source, &documents(&source).ok()?)
}

/// Whether a file has segments, or cannot be read, so that nobody knows.
fn names_segments(source: &Arc<Source>) -> bool {
    documents(source).map_or(true, |documents| segments_key(source, &documents).is_some())
}

/// What is in a file that may have segments. Most apps have none, and need not be read for that.
fn documents(source: &Arc<Source>) -> Result<Vec<Node>, Diagnostic> {
    match source.text().contains(SEGMENTS_KEY) {
        true => parse_stream(source, &mut Diagnostics::new()),
        false => Ok(Vec::new()),
    }
}

fn segments_key(source: &Arc<Source>, documents: &[Node]) -> Option<Span> {
    let mut pairs = documents.iter().flat_map(|document| document.as_mapping().unwrap_or_default());
    let (key, _) = pairs.find(|(key, _)| key.as_text() == Some(SEGMENTS_KEY))?;
    Some(key.span(source))
}
