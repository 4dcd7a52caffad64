//! Flags as written: what clap reads, grouped as in the help text. [`crate::options`] checks them.

use crate::color::ColorChoice;
use clap::builder::{BoolishValueParser, ValueParser};
use clap::{Arg, ArgAction, Args, ValueEnum, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;

/// All options of a run.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Graph options.
    #[command(flatten)]
    pub graph: GraphArguments,
    /// Extension options.
    #[command(flatten)]
    pub extensions: ExtensionArguments,
    /// Run options.
    #[command(flatten)]
    pub run: RunArguments,
    /// Options of a graph in several processes.
    #[command(flatten)]
    pub remote: RemoteArguments,
    /// Observation options.
    #[command(flatten)]
    pub observation: ObservationArguments,
    /// Logging options.
    #[command(flatten)]
    pub logging: LoggingArguments,
    /// Options that clap handles itself.
    #[command(flatten)]
    pub information: InformationArguments,
}

/// Graph options.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Graph")]
pub struct GraphArguments {
    /// App files; same as --app
    #[arg(value_name = "APP", value_hint = ValueHint::FilePath)]
    pub files: Vec<OsString>,

    /// App file to load; comma-separated, or repeat the flag. All files make up one graph
    #[arg(long, value_name = "FILE[,FILE…]", action = ArgAction::Append,
          value_hint = ValueHint::FilePath)]
    pub app: Vec<OsString>,

    /// Override a parameter of the app file; may be repeated
    #[arg(long, value_name = "ENTITY/COMPONENT/KEY=VALUE", action = ArgAction::Append)]
    pub param: Vec<String>,

    /// Directory that relative paths are resolved against: those of apps, manifests, libraries and
    /// parameters of the type file
    #[arg(long, value_name = "DIR")]
    pub app_root: Option<OsString>,

    /// Directory to look up app files and subgraphs in
    #[arg(long, value_name = "DIR")]
    pub graph_directory: Option<OsString>,
}

/// Extension options.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Extensions")]
pub struct ExtensionArguments {
    /// Manifest listing extension libraries: a file, or the name of an installed manifest;
    /// comma-separated, or repeat the flag [default: the app's own, or the one next to it]
    #[arg(long, value_name = "FILE[,FILE…]", action = ArgAction::Append)]
    pub manifest: Vec<OsString>,

    /// Directory to search for extension libraries; may be repeated
    #[arg(long, value_name = "DIR", action = ArgAction::Append)]
    pub extension_path: Vec<OsString>,
}

/// Run options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Run")]
pub struct RunArguments {
    /// Run the graph; with --run=false, only load, initialise and deinitialise it
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

    /// Duration of an epoch under an EpochScheduler; 0 executes every entity once
    #[arg(long, value_name = "MILLISECONDS", default_value = "10", allow_negative_numbers = true)]
    pub epoch_budget: u32,

    /// Treat load warnings and findings of `gxe check` as errors
    #[arg(long)]
    pub strict: bool,

    /// Create a Unix socket for `gxe top` and scripts, accessible to its owner only
    #[arg(long, value_name = "SOCKET")]
    pub control: Option<OsString>,

    /// Apply edits of app, manifest and extension files to the running graph: dynamic parameters in
    /// place, anything else by restarting it. If an edit does not load, the old graph keeps running
    #[arg(long)]
    pub watch: bool,
}

/// Options of a graph in several processes.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Several processes")]
pub struct RemoteArguments {
    /// Drive the segments that APP lists under `graph-specs`: connect, start and end them
    #[arg(long)]
    pub driver: bool,

    /// Run segments of APP, as the driver says. A process may be both
    #[arg(long)]
    pub worker: bool,

    /// Address of the driver [default: 127.0.0.1:57777]
    #[arg(long, value_name = "HOST:PORT")]
    pub address: Option<String>,

    /// Address at which this worker is reached [default: any free port]
    #[arg(long, value_name = "HOST:PORT")]
    pub worker_address: Option<String>,

    /// Segments that this worker runs; comma-separated, or repeat the flag [default: all]
    #[arg(long, value_name = "SEGMENT[,SEGMENT…]", action = ArgAction::Append)]
    pub fragments: Vec<String>,

    /// File with the secret that all processes know; lets other hosts in [default: $GXE_TOKEN_FILE]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub token_file: Option<PathBuf>,

    /// Directory with ca.crt, tls.crt and tls.key; encrypts what goes over TCP, and lets other hosts
    /// in that have a certificate [default: $GXE_TLS_DIRECTORY]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub tls_directory: Option<PathBuf>,
}

/// Observation options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Observation")]
pub struct ObservationArguments {
    /// After the run, print how often and how long each entity ran and what it waited for; with
    /// FILE, also write this as JSON
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
    )]
    pub statistics: Option<OsString>,

    /// Write every tick, wait and message to FILE, for ui.perfetto.dev or chrome://tracing
    #[arg(long, value_name = "FILE")]
    pub trace: Option<OsString>,

    /// Serve Prometheus metrics at http://ADDRESS/metrics, to this machine only
    #[arg(long, value_name = "ADDRESS")]
    pub metrics: Option<String>,

    /// Serve a live page of the graph at http://ADDRESS, to browsers on this machine only; port 0
    /// takes a free one. The full address, with its token, is printed
    #[arg(long, value_name = "ADDRESS")]
    pub serve: Option<String>,

    /// Send spans of ticks, and metrics, to an OpenTelemetry collector by OTLP over HTTP [default
    /// URL: $OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4318]
    #[arg(
        long,
        value_name = "URL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "",
    )]
    pub otlp: Option<String>,

    /// Write the latest ticks, waits and messages to FILE if the run ends with an error, a deadlock
    /// or a signal. After a crash, `gxe trace convert` creates FILE from FILE.recording
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    pub flight_recorder: Option<OsString>,

    /// Wait for CUDA devices after each piece of work, so that an error names the codelet that caused
    /// it. Slow
    #[arg(long)]
    pub cuda_sync: bool,

    /// Let no entity tick while N of its ticks have work on a stream that a CUDA device has not done; 0 for
    /// no bound
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub max_in_flight: usize,

    /// Launch the work of capturable codelets on CUDA devices as CUDA graphs, where it repeats
    #[arg(long)]
    pub cuda_graphs: bool,
}

/// Logging options.
#[derive(Args, Debug)]
#[command(next_help_heading = "Logging")]
pub struct LoggingArguments {
    /// Log level: none, error, warning, info, debug, verbose, or 0 to 5 [default: info]
    #[arg(long, value_name = "LEVEL", allow_negative_numbers = true)]
    pub severity: Option<String>,

    /// Write the log to FILE, overwriting it, instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub log_file_path: Option<OsString>,

    /// Form of log lines: text, or json for one object per line
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        hide_possible_values = true,
        value_enum
    )]
    pub log_format: LogFormat,

    /// When to use colours: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        value_enum
    )]
    pub color: ColorChoice,
}

/// The form of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// As GXF writes them.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

/// `--help` of a command that only has subcommands.
pub fn help_flag() -> Arg {
    Arg::new("help").long("help").short('h').action(ArgAction::Help).help("Print help")
}

/// Options of every command but `run`.
#[derive(Args, Debug)]
pub struct CommonArguments {
    /// When to use colours: auto, always or never
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        hide_possible_values = true,
        value_enum
    )]
    color: ColorChoice,

    /// Print help
    #[arg(long, short = 'h', action = ArgAction::Help)]
    help: Option<bool>,
}

/// Options that print something instead of running.
#[derive(Args, Debug)]
#[command(next_help_heading = "Information")]
pub struct InformationArguments {
    /// Print help
    #[arg(long, short = 'h', action = ArgAction::Help)]
    help: Option<bool>,

    /// Print the version and the extension ABI version
    #[arg(long, short = 'V', action = ArgAction::Version)]
    version: Option<bool>,
}
