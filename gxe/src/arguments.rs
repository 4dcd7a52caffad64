//! The command line as written: what clap reads, grouped as in the help text. [`crate::options`]
//! turns it into what is meant.

use crate::color::ColorChoice;
use crate::command::Command;
use crate::help;
use clap::builder::{BoolishValueParser, ValueParser};
use clap::{Arg, ArgAction, Args, Parser};
use std::ffi::OsString;

/// The whole command line: a command, or the flags of a run without a word before them.
#[derive(Debug, Parser)]
#[command(
    name = "gxe",
    version = help::VERSION.as_str(),
    propagate_version = true,
    about = help::ABOUT,
    override_usage = help::USAGE,
    before_help = help::examples(),
    after_help = help::after(),
    help_template = help::TEMPLATE,
    styles = help::STYLES,
    max_term_width = 100,
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true,
    args_override_self = true,
    args_conflicts_with_subcommands = true,
    subcommand_help_heading = "Commands",
)]
pub struct CommandLine {
    /// What to do in place of a run.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The run.
    #[command(flatten)]
    pub arguments: Arguments,
}

/// All flags of a run.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Which graph.
    #[command(flatten)]
    pub graph: GraphArguments,
    /// With which extensions.
    #[command(flatten)]
    pub extensions: ExtensionArguments,
    /// What to do with it.
    #[command(flatten)]
    pub run: RunArguments,
    /// What to measure meanwhile.
    #[command(flatten)]
    pub observation: ObservationArguments,
    /// What to say meanwhile.
    #[command(flatten)]
    pub logging: LoggingArguments,
    /// Flags that clap acts upon itself.
    #[command(flatten)]
    pub information: InformationArguments,
}

/// Which graph is loaded.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Graph")]
pub struct GraphArguments {
    /// App file, loaded in this order into one graph; several with commas or by repetition
    #[arg(long, value_name = "FILE[,FILE…]", action = ArgAction::Append)]
    pub app: Vec<OsString>,

    /// Value for a parameter in place of the one in the app file; may be repeated
    #[arg(long, value_name = "ENTITY/COMPONENT/KEY=VALUE", action = ArgAction::Append)]
    pub param: Vec<String>,

    /// Directory that relative app, manifest and library paths start from
    #[arg(long, value_name = "DIR")]
    pub app_root: Option<OsString>,

    /// Directory that app files and subgraphs are looked up in
    #[arg(long, value_name = "DIR")]
    pub graph_directory: Option<OsString>,
}

/// Which component types there are.
#[derive(Args, Debug)]
#[command(next_help_heading = "Extensions")]
pub struct ExtensionArguments {
    /// Manifest that lists the extension libraries; several with commas or by repetition
    #[arg(long, value_name = "FILE[,FILE…]", action = ArgAction::Append)]
    pub manifest: Vec<OsString>,

    /// Directory to search for the libraries that a manifest names; may be repeated
    #[arg(long, value_name = "DIR", action = ArgAction::Append)]
    pub extension_path: Vec<OsString>,
}

/// What is done with the graph.
#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
pub struct RunArguments {
    /// Whether to run the graph; with --run=false it is only loaded, initialised and taken down
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_value = "true",
        default_missing_value = "true",
        hide_possible_values = true,
        value_parser = ValueParser::from(BoolishValueParser::new()),
    )]
    pub run: bool,

    /// How long each epoch lasts when the graph has an EpochScheduler; 0 executes every entity once
    #[arg(long, value_name = "MILLISECONDS", default_value = "10")]
    pub epoch_budget: u32,

    /// Treat warnings of the load and findings of `gxe check` as errors
    #[arg(long)]
    pub strict: bool,

    /// Unix socket, made for this run and open to its owner only, for `gxe top` and for scripts
    #[arg(long, value_name = "SOCKET")]
    pub control: Option<OsString>,

    /// Take over what changes in app, manifest and extension files: dynamic parameters at once, the
    /// rest by starting the graph again. A change that does not load is shown, and the old graph goes
    /// on
    #[arg(long)]
    pub watch: bool,
}

/// What is measured meanwhile.
#[derive(Args, Debug)]
#[command(next_help_heading = "Observation")]
pub struct ObservationArguments {
    /// At the end, print how often and how long each entity ran and what it waited for; with a file,
    /// also write that as JSON
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
    )]
    pub statistics: Option<OsString>,

    /// Write every tick, wait and message to this file, for ui.perfetto.dev or chrome://tracing
    #[arg(long, value_name = "FILE")]
    pub trace: Option<OsString>,

    /// Serve what is measured to Prometheus at http://ADDRESS/metrics, to programs on this machine only
    #[arg(long, value_name = "ADDRESS")]
    pub metrics: Option<String>,

    /// Write the latest ticks, waits and messages to this file if the run ends in an error, a
    /// deadlock or a signal. After a fatal signal, 'gxe trace convert' makes it from FILE.recording
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    pub flight_recorder: Option<OsString>,
}

/// What is said meanwhile.
#[derive(Args, Debug)]
#[command(next_help_heading = "Logging")]
pub struct LoggingArguments {
    /// What to log: none, error, warning, info, debug, verbose, or 0 to 5 [default: info]
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    pub severity: Option<String>,

    /// Write the log to this file, which is replaced, and not to the terminal
    #[arg(long, value_name = "FILE")]
    pub log_file_path: Option<OsString>,

    /// Colours: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        value_enum
    )]
    pub color: ColorChoice,
}

/// `--help` for a command that is nothing but a list of others.
pub fn help_flag() -> Arg {
    Arg::new("help").long("help").short('h').action(ArgAction::Help).help("Show this help")
}

/// Flags of every command that is not a run.
#[derive(Args, Debug)]
pub struct CommonArguments {
    /// Colours: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        value_enum
    )]
    color: ColorChoice,

    /// Show this help
    #[arg(long, short = 'h', action = ArgAction::Help)]
    help: Option<bool>,
}

/// What is shown in place of a run.
#[derive(Args, Debug)]
#[command(next_help_heading = "Information")]
pub struct InformationArguments {
    /// Show this help
    #[arg(long, short = 'h', action = ArgAction::Help)]
    help: Option<bool>,

    /// Show the version and the version of the extension ABI
    #[arg(long, short = 'V', action = ArgAction::Version)]
    version: Option<bool>,
}
