//! `gxe graph`: draws a graph.
//!
//! From the runtime's description of the graph to a [`model`] of the drawing, then to the output:
//! one file for each format. [`dot`] and [`mermaid`] leave the layout to other programs; [`svg`]
//! and [`html`] draw a [`scene`], which has sizes ([`card`]) and a [`layout`]. [`mod@live`] is the page
//! of a graph that runs.

mod build;
mod card;
pub(super) mod dot;
pub(super) mod format;
mod html;
mod layout;
#[cfg(feature = "serve")]
mod live;
mod measurements;
pub(super) mod mermaid;
pub(super) mod model;
pub(super) mod scene;
pub(super) mod statistics;
pub(super) mod svg;
mod terms;
mod text_width;

#[cfg(feature = "serve")]
pub use live::live_page;

use super::error::CommandError;
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::loading;
use crate::options::GraphOptions;
use crate::outputs::{self, keep_apart};
use crate::segments::{self, Segments};
use crate::usage_error::UsageError;
use clap::Args;
use gxf_runtime::Context;
use gxf_runtime::graph::describe::GraphDescription;
use gxf_runtime::graph::escape::one_line;
use gxf_runtime::graph::{Diagnostic, Diagnostics};
use scene::Scene;
use statistics::Statistics;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Most names shown of a list; the others are counted.
const NAMED: usize = 5;

/// Draws a graph without running it.
#[derive(Args, Debug)]
pub struct Graph {
    #[command(flatten)]
    graph: GraphArguments,
    #[command(flatten)]
    extensions: ExtensionArguments,
    #[command(flatten)]
    drawing: DrawingArguments,
    #[command(flatten)]
    common: CommonArguments,
}

/// How it is drawn.
#[derive(Args, Debug)]
#[command(next_help_heading = "Drawing")]
struct DrawingArguments {
    /// Output format [default: from the extension of the output file, or dot]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,

    /// Write to FILE, overwriting it, instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Annotate entities and connections with the statistics of a run (JSON)
    #[arg(long, value_name = "FILE")]
    statistics: Option<PathBuf>,

    /// Fold subgraphs at this depth; 1 folds those of the app itself (SVG and HTML)
    #[arg(long, value_name = "DEPTH", value_parser = clap::value_parser!(u32).range(1..))]
    fold: Option<u32>,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Graphviz
    Dot,
    /// Mermaid, for Markdown pages
    Mermaid,
    /// SVG, light or dark like the page around it
    Svg,
    /// Self-contained interactive page
    Html,
}

impl Format {
    fn of_file(path: &Path) -> Option<Self> {
        match path.extension().and_then(OsStr::to_str)?.to_ascii_lowercase().as_str() {
            "dot" | "gv" => Some(Self::Dot),
            "mmd" | "mermaid" => Some(Self::Mermaid),
            "svg" => Some(Self::Svg),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }
}

impl Graph {
    /// Loads the graph and writes the picture.
    ///
    /// # Errors
    /// The graph or the statistics cannot be loaded, or the picture cannot be written.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let drawing = self.drawing;
        let format = format_of(&drawing)?;
        let options =
            GraphOptions::new(self.graph, self.extensions, |name| std::env::var_os(name))?;
        if options.apps.is_empty() {
            let error = UsageError::new("no app file given, so there is nothing to draw");
            return Err(error.hint("name one:  gxe graph --app FILE --manifest FILE").into());
        }
        options.keep_apart(&drawing.output)?;
        keep_apart(&drawing.statistics, &drawing.output)?;
        let statistics = drawing.statistics.as_deref().map(Statistics::read).transpose();
        let statistics = statistics.map_err(|error| Failure::new(ExitStatus::Load, error))?;
        let graph = load(&options, console)?;
        if let Some(statistics) = &statistics {
            warn_of_strangers(&measurements::unknown_entities(&graph, statistics), console);
        }
        let model = build::model(&graph, statistics.as_ref());
        if model.unknown_components() > 0 {
            let unknown = model.unknown_components();
            let (noun, verb) =
                if unknown == 1 { ("component", "is") } else { ("components", "are") };
            console.note(&format!("{unknown} {noun} of unknown type {verb} marked in the drawing"));
        }
        let title = title_of(&options.apps);
        let text = match format {
            Format::Dot => dot::file(&model, &title),
            Format::Mermaid => {
                if model.wires.len() > mermaid::MOST_EDGES {
                    console.note(&format!(
                        "Mermaid shows {} connections or fewer unless its `maxEdges` and \
                         `maxTextSize` are raised; this graph has {}",
                        mermaid::MOST_EDGES,
                        model.wires.len()
                    ));
                }
                mermaid::file(&model)
            }
            Format::Svg | Format::Html => {
                let folded = model.folded_from(drawing.fold);
                // The page can unfold what is folded, so it needs places for everything.
                let (fixed, at_first) = match format {
                    Format::Svg => (folded, Vec::new()),
                    _ => (vec![false; model.groups.len()], folded),
                };
                let scene = Scene::new(&model, fixed);
                if scene.is_compact {
                    console.note(&format!(
                        "{}: the cards have names only, because there are so many",
                        html::summary(&model, None)
                    ));
                }
                if format == Format::Svg {
                    svg::file(&scene, &title)
                } else {
                    html::file(&scene, &graph, statistics.as_ref(), &at_first, &title, None)
                        .map_err(|error| Failure::new(ExitStatus::Run, error))?
                }
            }
        };
        match drawing.output {
            Some(path) => outputs::write(&path, &text)?,
            None => Console::print(&text)?,
        }
        Ok(ExitStatus::Success)
    }
}

/// Loads what exists. Reports missing extensions and unknown types, and marks them in the drawing.
fn load(options: &GraphOptions, console: Console) -> Result<GraphDescription, Failure> {
    if let [path] = &options.apps[..]
        && segments::has_segments(path)
    {
        let mut graph = GraphDescription::default();
        let warnings = Segments::of_file(path, options)?.draw(&mut graph, options)?;
        if warnings.warnings() > 0 {
            console.findings(&warnings);
        }
        return Ok(graph);
    }
    let context = Context::new();
    context.only_read();
    let extensions = loading::load_extensions(&context, options, &loading::never);
    let missing = match &extensions {
        Err(failure) => failure.findings().cloned().unwrap_or_default(),
        Ok(()) => Diagnostics::new(),
    };
    let apps = loading::load_apps(&context, options);
    let mut graph = context.describe();
    match (extensions, apps) {
        (Err(failure), Err(apps)) => return Err(failure.and(apps, |_| true)),
        // No type of the app would be known: the manifest is probably the wrong file.
        (Err(failure), Ok(())) if missing.errors() == 0 => return Err(failure),
        (_, Err(apps)) => return Err(apps),
        _ => {}
    }
    let mut warnings: Diagnostics = missing.into_iter().map(Diagnostic::as_warning).collect();
    warnings.extend(context.take_warnings());
    let mut mistakes = Diagnostics::new();
    if let Some(segments) = Segments::of_graph(&context, &mut mistakes) {
        warnings.extend(segments.draw(&mut graph, options)?);
    }
    warnings.extend(mistakes.into_iter().map(Diagnostic::as_warning));
    if warnings.warnings() > 0 {
        console.findings(&warnings);
    }
    Ok(graph)
}

fn format_of(drawing: &DrawingArguments) -> Result<Format, UsageError> {
    match (drawing.format, &drawing.output) {
        (Some(format), _) => Ok(format),
        (None, None) => Ok(Format::Dot),
        (None, Some(path)) => Format::of_file(path).ok_or_else(|| {
            UsageError::new(format!("'{}' does not say what to write", path.display()))
                .hint("end it with .dot, .mmd, .svg or .html, or give the format with --format")
        }),
    }
}

/// The file names of the apps, without their folders.
pub fn title_of(apps: &[PathBuf]) -> String {
    let names = apps.iter().filter_map(|path| path.file_name());
    let names: Vec<_> = names.map(|name| one_line(&name.to_string_lossy())).collect();
    names.join(", ")
}

fn warn_of_strangers(unknown: &[String], console: Console) {
    if unknown.is_empty() {
        return;
    }
    let mut names: Vec<String> =
        unknown.iter().take(NAMED).map(|name| format!("'{}'", one_line(name))).collect();
    if unknown.len() > NAMED {
        names.push(format!("{} more", unknown.len() - NAMED));
    }
    console.note(&format!(
        "the statistics are of another graph: this one has no {}",
        names.join(", ")
    ));
}
