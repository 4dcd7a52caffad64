//! `gxe check`: finds mistakes in a graph without running it.

mod json;
mod sarif;

#[cfg(feature = "lsp")]
pub use json::rule;

use super::error::CommandError;
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::counted;
use crate::loading::{load_graph, never};
use crate::options::GraphOptions;
use crate::segments::{self, Segments};
use crate::usage_error::UsageError;
use clap::{Args, ValueEnum};
use gxf_runtime::Context;
use gxf_runtime::graph::{Diagnostics, escape};

/// A load and an analysis of a graph.
#[derive(Args, Debug)]
pub struct Check {
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Exit with an error on warnings, too
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    graph: GraphArguments,

    #[command(flatten)]
    extensions: ExtensionArguments,

    #[command(flatten)]
    common: CommonArguments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Human-readable
    Text,
    /// JSON list of findings
    Json,
    /// SARIF 2.1.0, for code review tools
    Sarif,
}

/// The findings, and the exit status if some are errors.
struct Outcome {
    findings: Diagnostics,
    status: ExitStatus,
}

impl Check {
    /// Prints the findings.
    pub fn execute(self, console: Console) -> Result<ExitStatus, CommandError> {
        let Self { format, strict, graph, extensions, common: _ } = self;
        let options = GraphOptions::new(graph, extensions, |name| std::env::var_os(name))?;
        if options.apps.is_empty() {
            let error = UsageError::new("no app file given, so there is nothing to check");
            return Err(error.hint("name one:  gxe check --app FILE --manifest FILE").into());
        }
        let Outcome { findings, status } = find(&options)?;
        let text = match format {
            Format::Text => text(&findings, console.colors.stdout),
            Format::Json => format!("{:#}\n", escape::json(json::document(&findings))),
            Format::Sarif => format!("{:#}\n", escape::json(sarif::document(&findings))),
        };
        Console::print(&text)?;
        let failed = findings.errors() > 0 || (strict && findings.warnings() > 0);
        Ok(if failed { status } else { ExitStatus::Success })
    }
}

/// Loads the graph and checks it, if it loads.
fn find(options: &GraphOptions) -> Result<Outcome, CommandError> {
    if let [app] = &options.apps[..]
        && segments::has_segments(app)
    {
        let segments = match Segments::of_file(app, options) {
            Ok(segments) => segments,
            Err(failure) => match failure.findings().cloned() {
                Some(findings) => return Ok(Outcome { findings, status: ExitStatus::Load }),
                None => return Err(failure.into()),
            },
        };
        let (mut findings, is_loaded) = segments.check(options);
        findings.sort_by_place();
        return Ok(Outcome { findings, status: status(is_loaded) });
    }
    let context = Context::new();
    let loaded = load_graph(&context, options, &never);
    let mut findings = context.take_warnings();
    let status = match loaded {
        Ok(()) => {
            findings.extend(context.check());
            let segments = Segments::of_graph(&context, &mut findings);
            let found = segments.map(|segments| {
                segments.refuse_repeated(&mut findings);
                segments.check(options)
            });
            let (found, is_loaded) = found.unwrap_or((Diagnostics::new(), true));
            findings.extend(found);
            status(is_loaded)
        }
        Err(failure) => match failure.findings() {
            Some(errors) => {
                findings.extend(errors.clone());
                ExitStatus::Load
            }
            None => return Err(failure.into()),
        },
    };
    findings.sort_by_place();
    Ok(Outcome { findings, status })
}

/// The status if there are errors.
fn status(is_loaded: bool) -> ExitStatus {
    if is_loaded { ExitStatus::Graph } else { ExitStatus::Load }
}

fn text(findings: &Diagnostics, styled: bool) -> String {
    let counted = counted(findings);
    if counted.is_empty() {
        return "nothing found\n".to_owned();
    }
    format!("{}\n{counted}\n", findings.render(styled))
}
