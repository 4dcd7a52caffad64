//! Graphs in several processes, as files describe them, for `gxe check` and `gxe graph`: the segments
//! and the links between them. They are in a file of their own, with `graph-specs` and `connections`,
//! or parameters of the `GraphWorker`s and `GraphDriver`s of a graph. Nothing of it runs.
//!
//! A map:
//!
//! - `file.rs`: a file that names segments; `load.rs`: loads each into a context of its own;
//! - `check.rs`: what is wrong with them and their links; `circle.rs`: segments that wait for each
//!   other;
//! - `draw.rs`: all segments as one graph.

mod check;
mod circle;
mod draw;
mod file;
mod load;

pub use file::{folder_of, has_segments, read, read_with_manifest, segments_place};

use crate::failure::Failure;
use crate::options::GraphOptions;
use gxf_plugin_abi::ResultCode;
use gxf_remote::{
    Address, Connection, SegmentFiles, SegmentPlaces, SegmentsFile, connections_at, segments_at,
    worker_address, workers_and_drivers,
};
use gxf_runtime::graph::{Diagnostic, Diagnostics, ParameterValue, Span};
use gxf_runtime::{Context, Uid};
use std::path::{Path, PathBuf};

/// The segments that files name, and the links between them.
pub struct Segments {
    list: Vec<Segment>,
    /// `None` if nothing given says which there are: there is no driver.
    links: Option<Vec<Link>>,
    /// Segments that a driver waits for, whoever has them.
    awaited: Vec<String>,
    /// The folder below which their files are; the current one if nobody says.
    root: Option<PathBuf>,
}

/// A segment.
struct Segment {
    files: SegmentFiles,
    places: SegmentPlaces,
    /// Where its worker is reached, if one is known.
    worker: Option<Address>,
}

/// A link between segments, with the places that name its source and its target.
struct Link {
    connection: Connection,
    places: [Span; 2],
}

impl Segments {
    /// Those of a file with `graph-specs` instead of entities.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn of_file(path: &Path, options: &GraphOptions) -> Result<Self, Failure> {
        let root = options.app_root.clone().unwrap_or_else(|| folder_of(path));
        Ok(Self::new(read_with_manifest(path, options)?, root))
    }

    /// Those of such a file that was read; the paths in it begin in `root`.
    pub fn new(file: SegmentsFile, root: PathBuf) -> Self {
        let segments = file.segments.into_iter().zip(file.segment_places);
        let links = file.connections.into_iter().zip(file.places);
        Self {
            list: segments.map(|(files, places)| Segment { files, places, worker: None }).collect(),
            links: Some(links.map(Link::new).collect()),
            awaited: Vec::new(),
            root: Some(root),
        }
    }

    /// Leaves out all others, which are known by name only.
    pub fn retain(&mut self, is_kept: impl Fn(&SegmentFiles) -> bool) {
        let list = std::mem::take(&mut self.list).into_iter();
        let (kept, others): (Vec<_>, Vec<_>) = list.partition(|segment| is_kept(&segment.files));
        self.list = kept;
        self.awaited.extend(others.into_iter().map(|segment| segment.files.name));
    }

    /// Leaves out those with files that can be read only once, such as pipes, so that a check before
    /// the run does not take what the run reads.
    pub fn retain_rereadable(&mut self) {
        let root = self.root.clone().unwrap_or_default();
        let is_once = |path: &String| {
            let about = root.join(path).metadata();
            about.is_ok_and(|about| !about.is_file() && !about.is_dir())
        };
        self.retain(|files| {
            let once = [Some(&files.app), files.manifest.as_ref(), files.parameters.as_ref()];
            let once = once.into_iter().flatten().find(|path| is_once(path));
            if let Some(path) = once {
                let name = &files.name;
                tracing::warn!("segment {name}: not checked: `{path}` can be read only once");
            }
            once.is_none()
        });
    }

    /// Those of the workers and drivers of a loaded graph; `None` if it has none. What cannot be read
    /// is among the findings.
    pub fn of_graph(context: &Context, findings: &mut Diagnostics) -> Option<Self> {
        let [workers, drivers] = workers_and_drivers(context);
        if workers.is_empty() && drivers.is_empty() {
            return None;
        }
        let mut segments = Self {
            list: Vec::new(),
            links: (!drivers.is_empty()).then(Vec::new),
            awaited: Vec::new(),
            root: context.file_root(),
        };
        for worker in workers {
            let Some(place) = place_of(context, worker, "graph-specs") else { continue };
            let address = worker_address(context, worker);
            match segments_at(&place) {
                Ok(read) => segments.list.extend(
                    // Others are composed by a program.
                    read.into_iter()
                        .filter(|(files, _)| files.context.is_none())
                        .map(|(files, places)| Segment { files, places, worker: address.clone() }),
                ),
                Err(mistake) => refused(findings, &place, mistake),
            }
        }
        for driver in drivers {
            if let Ok(ParameterValue::List(names)) = context.parameter(driver, "segments") {
                segments.awaited.extend(names.into_iter().filter_map(|name| match name {
                    ParameterValue::String(name) => Some(name),
                    _ => None,
                }));
            }
            let Some(place) = place_of(context, driver, "connections") else { continue };
            match connections_at(&place) {
                Ok(read) => {
                    segments.links.get_or_insert_default().extend(read.into_iter().map(Link::new))
                }
                Err(mistake) => {
                    refused(findings, &place, mistake);
                    // Which of the others have links is not known.
                    segments.links = None;
                    break;
                }
            }
        }
        Some(segments)
    }

    /// The load takes the second one of two equal keys, with a warning. Of two segments it would be
    /// the wrong one as likely as not, so here that is an error.
    pub fn refuse_repeated(&self, findings: &mut Diagnostics) {
        let all = std::mem::take(findings).into_iter();
        *findings = all.map(|finding| self.repeated(&finding).unwrap_or(finding)).collect();
    }

    /// The error about a segment, if this is the load's warning about its key.
    fn repeated(&self, finding: &Diagnostic) -> Option<Diagnostic> {
        let (at, [(earlier, _)]) = (finding.span.as_ref()?, &*finding.notes) else {
            return None;
        };
        let segment = self.list.iter().find(|segment| segment.places.name.is_same(at))?;
        let message = format!("`graph-specs` has two segments `{}`", segment.files.name);
        let error = Diagnostic::error(ResultCode::PARAMETER_PARSER_ERROR, message);
        Some(error.at(at.clone()).label("again here").note(earlier.clone(), "first here"))
    }

    fn links(&self) -> impl Iterator<Item = &Link> {
        self.links.iter().flatten()
    }
}

impl Link {
    fn new((connection, places): (Connection, [Span; 2])) -> Self {
        Self { connection, places }
    }
}

/// Adds a mistake of a parameter that is at a place. The component refuses the parameter, too, but
/// knows no more of the place.
fn refused(findings: &mut Diagnostics, parameter: &Span, mistake: Diagnostic) {
    let is_same = |found: &Diagnostic| {
        found.rule == Some("impossible-parameters")
            && found.span.as_ref().is_some_and(|span| span.is_same(parameter))
    };
    *findings = std::mem::take(findings).into_iter().filter(|found| !is_same(found)).collect();
    findings.push(mistake);
}

fn place_of(context: &Context, cid: Uid, key: &str) -> Option<Span> {
    context.parameter_place(cid, key).ok().flatten()
}
