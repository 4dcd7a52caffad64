//! The checked form of [`Arguments`], including the environment.

use crate::arguments::LogFormat;
use crate::arguments::{Arguments, ExtensionArguments, GraphArguments, LoggingArguments};
use crate::outputs::keep_apart;
use crate::remote_options::RemoteOptions;
use crate::sdk::Sdk;
use crate::severity::Severity;
use crate::usage_error::{LEFT_OUT, UsageError};
use gxf_runtime::graph::manifest::is_in_app;
use gxf_runtime::graph::{Diagnostics, ParameterOverride, parse_override};
use std::ffi::{OsStr, OsString};
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A graph, and what to do with it.
#[derive(Debug)]
pub struct Options {
    /// The graph; at least one app file.
    pub graph: GraphOptions,
    /// Whether the graph runs.
    pub run: bool,
    /// How long an epoch of an `EpochScheduler` lasts.
    pub epoch_budget: Duration,
    /// Whether warnings of the load are errors.
    pub strict: bool,
    /// The control socket.
    pub control: Option<PathBuf>,
    /// Whether edits are applied to the running graph.
    pub watch: bool,
    /// The part of this process in a graph of several; `None` for a graph of its own.
    pub remote: Option<RemoteOptions>,
    /// What to measure.
    pub observation: ObservationOptions,
    /// How to log.
    pub logging: LoggingOptions,
}

/// What is measured, and where it goes.
#[derive(Debug)]
pub struct ObservationOptions {
    /// Whether to print statistics.
    pub statistics: bool,
    /// File for the statistics.
    pub statistics_file: Option<PathBuf>,
    /// File for a trace.
    pub trace: Option<PathBuf>,
    /// Address of the metrics server.
    pub metrics: Option<SocketAddr>,
    /// Address of the live page.
    pub serve: Option<SocketAddr>,
    /// Address of an OpenTelemetry collector.
    pub otlp: Option<String>,
    /// Whether threads wait for CUDA devices after each piece of work.
    pub cuda_sync: bool,
    /// Most ticks of an entity and stream with work that a CUDA device has not done; 0 for any number.
    pub max_in_flight: usize,
    /// Whether the work of capturable codelets becomes CUDA graphs.
    pub cuda_graphs: bool,
    /// File for the end of the trace if the run does not end well.
    pub flight_recorder: Option<PathBuf>,
}

/// A graph and the extensions it needs.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// App files in loading order.
    pub apps: Vec<PathBuf>,
    /// Manifests in loading order.
    pub manifests: Vec<PathBuf>,
    /// Those of `--manifest` alone.
    pub given_manifests: Vec<PathBuf>,
    /// Base of relative library paths in manifests.
    pub app_root: Option<PathBuf>,
    /// Folder of app files and subgraphs.
    pub graph_directory: Option<PathBuf>,
    /// Folders to search for libraries, in this order.
    pub extension_paths: Vec<PathBuf>,
    /// Parameter values that override those of the files.
    pub overrides: Vec<ParameterOverride>,
}

/// Severity and destination of the log.
#[derive(Debug)]
pub struct LoggingOptions {
    /// The least important severity that is logged.
    pub severity: Severity,
    /// A file instead of the terminal.
    pub file: Option<PathBuf>,
    /// The form of its lines.
    pub format: LogFormat,
}

impl Options {
    /// Checks the arguments. `environment` looks up a variable.
    pub fn new(
        arguments: Arguments,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, UsageError> {
        let Arguments { graph, extensions, run, remote, observation, logging, information: _ } =
            arguments;
        let graph = GraphOptions::new(graph, extensions, &environment)?;
        if graph.apps.is_empty() {
            return Err(UsageError::new("no app file given, so there is nothing to run")
                .hint("name one:  gxe APP.yaml --manifest FILE"));
        }
        let remote =
            RemoteOptions::new(remote, run.watch, graph.apps.len(), graph.given_manifests.len())?;
        let options = Self {
            graph,
            run: run.run,
            epoch_budget: Duration::from_millis(run.epoch_budget.into()),
            strict: run.strict,
            control: given(run.control),
            watch: run.watch,
            remote,
            observation: ObservationOptions {
                statistics: observation.statistics.is_some(),
                statistics_file: given(observation.statistics),
                trace: given(observation.trace),
                metrics: local_address("--metrics", observation.metrics.as_deref())?,
                serve: local_address("--serve", observation.serve.as_deref())?,
                otlp: collector(observation.otlp, &environment)?,
                cuda_sync: observation.cuda_sync,
                max_in_flight: observation.max_in_flight,
                cuda_graphs: observation.cuda_graphs,
                flight_recorder: given(observation.flight_recorder),
            },
            logging: LoggingOptions::new(logging, environment)?,
        };
        let ObservationOptions { statistics_file, trace, flight_recorder, .. } =
            &options.observation;
        let written = [statistics_file, trace, flight_recorder, &options.logging.file];
        options.graph.keep_apart(written.into_iter().flatten())?;
        Ok(options)
    }
}

impl GraphOptions {
    /// Checks the arguments. `environment` looks up a variable.
    pub fn new(
        graph: GraphArguments,
        extensions: ExtensionArguments,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, UsageError> {
        let app_root = given(graph.app_root);
        let below_root = |path: PathBuf| match &app_root {
            Some(root) => root.join(path),
            None => path,
        };
        let graph_directory = given(graph.graph_directory).map(below_root);
        let mut apps = files("APP", &graph.files)?;
        apps.extend(files("--app", &graph.app)?);
        // A graph directory replaces the root for apps: the runtime prefixes them with it.
        let apps = match graph_directory {
            Some(_) => apps,
            None => apps.into_iter().map(below_root).collect(),
        };
        let mut manifests: Vec<_> =
            files("--manifest", &extensions.manifest)?.into_iter().map(below_root).collect();
        manifests.iter_mut().for_each(find_by_name);
        let given_manifests = manifests.clone();
        let directory = graph_directory.as_deref().unwrap_or(Path::new(""));
        let found: Vec<_> = apps.iter().map(|app| directory.join(app)).collect();
        let in_apps = found.iter().filter(|app| is_in_app(app)).cloned();
        manifests.extend(in_apps);
        if manifests.is_empty() {
            manifests.extend(found.iter().find_map(|app| manifest_of(app)));
        }
        let mut extension_paths = Vec::new();
        for directory in extensions.extension_path {
            if directory.is_empty() {
                return Err(UsageError::new("'--extension-path' names no directory"));
            }
            extension_paths.push(PathBuf::from(directory));
        }
        if let Some(directories) = environment("GXE_EXTENSION_PATH") {
            let directories = std::env::split_paths(&directories);
            extension_paths.extend(directories.filter(|path| !path.as_os_str().is_empty()));
        }
        Ok(Self {
            apps,
            manifests,
            given_manifests,
            graph_directory,
            extension_paths,
            overrides: overrides(&graph.param)?,
            app_root,
        })
    }
}

impl GraphOptions {
    /// Checks that none of these outputs is a file of the graph, nor another output.
    ///
    /// # Errors
    /// One is.
    pub fn keep_apart(
        &self,
        written: impl IntoIterator<Item: AsRef<Path>>,
    ) -> Result<(), UsageError> {
        keep_apart(self.app_files().chain(self.manifests.iter().cloned()), written)
    }

    /// The app files, below the graph directory if there is one.
    pub fn app_files(&self) -> impl Iterator<Item = PathBuf> {
        let folder = self.graph_directory.as_deref().unwrap_or(Path::new(""));
        self.apps.iter().map(|app| folder.join(app))
    }
}

impl LoggingOptions {
    fn new(
        arguments: LoggingArguments,
        environment: impl Fn(&str) -> Option<OsString>,
    ) -> Result<Self, UsageError> {
        let severity = match arguments.severity {
            // GXF's default, which means "as the environment says".
            Some(text) if text == "-1" => None,
            Some(text) => Some((text, "for '--severity'")),
            None => None,
        };
        let severity = severity.or_else(|| {
            let text = environment("GXF_LOG_LEVEL").filter(|text| !text.is_empty())?;
            Some((text.to_string_lossy().into_owned(), "in the environment variable GXF_LOG_LEVEL"))
        });
        let severity = match severity {
            None => Severity::Info,
            Some((text, place)) => Severity::from_text(&text).map_err(|error| {
                UsageError::new(format!("unknown log level '{}' {place}", text.escape_debug()))
                    .hint(error.to_string())
            })?,
        };
        let (file, format) = (given(arguments.log_file_path), arguments.log_format);
        Ok(Self { severity, file, format })
    }
}

/// Replaces the name of an installed manifest by its file. A file of this name comes first.
fn find_by_name(manifest: &mut PathBuf) {
    let is_name = manifest.components().count() == 1 && !manifest.exists();
    if let Some(found) = Some(&*manifest).filter(|_| is_name).and_then(|name| installed(name)) {
        *manifest = found;
    }
}

/// The installed manifest of this name, with or without `.yaml`.
fn installed(name: &Path) -> Option<PathBuf> {
    let path = Sdk::find(None).ok()?.manifests().join(name);
    let with_ending = path.with_extension("yaml");
    [path, with_ending].into_iter().find(|path| path.is_file())
}

/// The manifest of an app that does not name one: next to it, or installed under its name.
fn manifest_of(app: &Path) -> Option<PathBuf> {
    let stem = app.file_stem()?;
    let with_ending = |ending: &str| {
        let mut name = stem.to_owned();
        name.push(ending);
        name
    };
    let names = ["_manifest.yaml", ".manifest.yaml"].map(with_ending);
    let names = names.into_iter().chain(["manifest.yaml".into()]);
    let mut beside = names.map(|name| app.with_file_name(name)).filter(|path| path != app);
    let is_there = |path: &PathBuf| path.is_file();
    beside.find(is_there).or_else(|| app.is_file().then(|| installed(Path::new(stem))).flatten())
}

/// An address that only programs on this machine can reach.
fn local_address(flag: &str, text: Option<&str>) -> Result<Option<SocketAddr>, UsageError> {
    let Some(text) = text else { return Ok(None) };
    if !cfg!(feature = "serve") {
        return Err(UsageError::new(format!("there is no '{flag}'")).hint(LEFT_OUT));
    }
    let port = if flag == "--serve" { 8080 } else { 9100 };
    let hint = format!("write an address and a port:  {flag} 127.0.0.1:{port}");
    let number = text.strip_prefix("localhost").map(|port| format!("127.0.0.1{port}"));
    let number = number.as_deref().unwrap_or(text);
    let Ok(address) = number.parse::<SocketAddr>() else {
        let message = format!("'{flag} {}' is no address with a port", text.escape_debug());
        return Err(UsageError::new(message).hint(hint));
    };
    if !address.ip().is_loopback() {
        let message = format!(
            "'{flag} {text}' could be read from other machines; this is served on this one only"
        );
        return Err(UsageError::new(message).hint(hint));
    }
    Ok(Some(address))
}

/// The address of an OpenTelemetry collector.
fn collector(
    url: Option<String>,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<String>, UsageError> {
    let Some(given) = url else { return Ok(None) };
    if !cfg!(feature = "otlp") {
        return Err(UsageError::new("there is no '--otlp'").hint(LEFT_OUT));
    }
    let of_environment = || environment("OTEL_EXPORTER_OTLP_ENDPOINT")?.into_string().ok();
    let url = match given.as_str() {
        "" => of_environment().filter(|url| !url.is_empty()),
        _ => Some(given),
    };
    let url = url.unwrap_or_else(|| "http://localhost:4318".to_owned());
    let is_url =
        |rest: &str| !rest.trim_matches('/').is_empty() && !rest.contains(char::is_whitespace);
    if ["http://", "https://"].iter().any(|scheme| url.strip_prefix(scheme).is_some_and(is_url)) {
        return Ok(Some(url.trim_end_matches('/').to_owned()));
    }
    let message = format!("'--otlp={}' is no address of a collector", url.escape_debug());
    Err(UsageError::new(message).hint("write it as:  --otlp=http://localhost:4318"))
}

/// The path, if it is one: GXF's default for paths is the empty text.
fn given(path: Option<OsString>) -> Option<PathBuf> {
    path.filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// The files of a flag with comma-separated values.
fn files(flag: &str, values: &[OsString]) -> Result<Vec<PathBuf>, UsageError> {
    let mut files = Vec::new();
    // An empty value is GXF's default and names no file.
    for value in values.iter().filter(|value| !value.is_empty()) {
        for name in value.as_bytes().split(|&byte| byte == b',') {
            if name.trim_ascii().is_empty() {
                let list = Path::new(value).display();
                return Err(UsageError::new(format!("'{flag} {list}' names an empty file"))
                    .hint("remove the comma that separates nothing"));
            }
            files.push(PathBuf::from(OsStr::from_bytes(name)));
        }
    }
    Ok(files)
}

/// The values of `--param`, or all mistakes in them.
fn overrides(texts: &[String]) -> Result<Vec<ParameterOverride>, UsageError> {
    let mut wrong = Diagnostics::default();
    let mut overrides = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        match parse_override(text, index + 1) {
            Ok(parsed) => overrides.push(parsed),
            Err(diagnostic) => wrong.extend([diagnostic]),
        }
    }
    if wrong.errors() == 0 { Ok(overrides) } else { Err(UsageError::from(wrong)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, Command, FromArgMatches};

    fn options(line: &str) -> Options {
        options_in(line, &[]).unwrap_or_else(|error| panic!("{error:?}"))
    }

    fn options_in(line: &str, environment: &[(&str, &str)]) -> Result<Options, UsageError> {
        let command =
            Arguments::augment_args(Command::new("gxe").version("0").disable_help_flag(true));
        let words = command.disable_version_flag(true).get_matches_from(line.split(' '));
        let arguments = Arguments::from_arg_matches(&words).unwrap();
        Options::new(arguments, |name| {
            let variable = environment.iter().find(|(known, _)| *known == name);
            variable.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn lists_keep_their_order() {
        let options = options("gxe --app=a,b --app=c --manifest m,/n --manifest=");
        assert_eq!(options.graph.apps, ["a", "b", "c"].map(PathBuf::from));
        assert_eq!(options.graph.manifests, ["m", "/n"].map(PathBuf::from));
        assert!(options.run && !options.strict);
    }

    #[test]
    fn the_root_is_where_relative_paths_start() {
        let options = options("gxe --app a,/b --manifest m,/n --app-root r");
        assert_eq!(options.graph.apps, ["r/a", "/b"].map(PathBuf::from));
        assert_eq!(options.graph.manifests, ["r/m", "/n"].map(PathBuf::from));
        assert_eq!(options.graph.app_root, Some("r".into()));
    }

    #[test]
    fn the_runtime_puts_the_graph_directory_before_apps() {
        let options = options("gxe --app a --manifest m --app-root r --graph-directory g");
        assert_eq!(options.graph.apps, ["a"].map(PathBuf::from));
        assert_eq!(options.graph.graph_directory, Some("r/g".into()));
    }

    #[test]
    fn directories_of_flags_come_before_those_of_the_environment() {
        let environment = [("GXE_EXTENSION_PATH", ":c::d:")];
        let line = "gxe --app a --extension-path a --extension-path b";
        let options = options_in(line, &environment).unwrap();
        assert_eq!(options.graph.extension_paths, ["a", "b", "c", "d"].map(PathBuf::from));
    }

    #[test]
    #[cfg(feature = "serve")]
    fn metrics_stay_on_this_machine() {
        for address in ["127.0.0.1:9100", "localhost:9100", "[::1]:0", "127.1.2.3:1"] {
            let options = options(&format!("gxe --app a --metrics {address}"));
            assert!(options.observation.metrics.is_some_and(|address| address.ip().is_loopback()));
        }
        for address in
            ["0.0.0.0:9100", "192.168.0.1:9100", "[::]:9100", "localhost", ":9100", "9100", "a:b"]
        {
            let line = format!("gxe --app a --metrics {address}");
            assert!(options_in(&line, &[]).is_err(), "{address}");
        }
    }

    #[test]
    fn the_flag_decides_over_the_environment() {
        let severity = |line, level| {
            options_in(line, &[("GXF_LOG_LEVEL", level)]).map(|options| options.logging.severity)
        };
        assert_eq!(severity("gxe --app a", "Debug").unwrap(), Severity::Debug);
        assert_eq!(severity("gxe --app a", "").unwrap(), Severity::Info);
        assert_eq!(severity("gxe --app a --severity 1", "loud").unwrap(), Severity::Error);
        assert_eq!(severity("gxe --app a --severity -1", "error").unwrap(), Severity::Error);
        assert!(severity("gxe --app a --severity -1", "loud").is_err());
    }
}
