//! The `gxe` program: from arguments to calls of the runtime, and from their outcome to an exit
//! status.
//!
//! A command line passes through [`spelling`] (from GXF's flags to clap's), [`cli`] and
//! [`arguments`] (as written), [`options`] (checked), [`log`] and [`stop`] (set up), and
//! [`mod@run`] (the stages, which read files through [`loading`]). Everything but a run is a
//! [`command`], one file each. [`complete`] is asked by shells; [`sdk`] finds what is installed with
//! this program.

#![deny(unsafe_code)]

mod arguments;
mod catalog;
mod cli;
mod color;
mod command;
#[cfg(feature = "shell")]
mod complete;
mod connections;
mod console;
mod control;
mod device_queues;
mod exit_status;
mod failure;
mod help;
#[cfg(feature = "serve")]
mod http;
mod live_graph;
mod loading;
mod log;
#[cfg(feature = "serve")]
mod metrics;
mod observation;
mod options;
#[cfg(feature = "otlp")]
mod otlp;
mod outputs;
#[cfg(feature = "serve")]
mod page;
mod patient;
mod process_end;
mod remote;
mod remote_options;
mod report;
mod run;
mod sdk;
mod segments;
mod severity;
mod shell_words;
mod spelling;
mod stop;
mod usage_error;

use arguments::Arguments;
use clap::{CommandFactory, Parser};
use cli::{CommandLine, Word};
use color::Colors;
use console::Console;
use exit_status::ExitStatus;
use live_graph::LiveGraph;
use options::Options;
use std::process::ExitCode;
use std::sync::Arc;
use stop::{Stop, StopCause};
use usage_error::UsageError;

/// Loading a large graph creates hundreds of thousands of small objects, and the system's allocator
/// takes a third of that time. ThreadSanitizer needs that one: it takes memory that another
/// allocator passes between threads for a race.
#[cfg(all(feature = "mimalloc", not(thread_sanitizer)))]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    device_queues::ask_for_all();
    gxf_runtime::prepare_process();
    #[cfg(feature = "shell")]
    if let Some(status) = complete::answered(CommandLine::command) {
        return status;
    }
    gxf_remote::register();
    let _watch = gxf_runtime::watch_for_fatal_ends(ExitStatus::Run as u8);
    let words = spelling::normalised(std::env::args_os());
    let console = Console { colors: Colors::of_words(&words) };
    // Before its flags are looked at, which only it knows.
    let command = words.get(1).and_then(|word| word.to_str());
    if let Some(error) = command.and_then(command::left_out) {
        return console.usage_error(&error).into();
    }
    let status = match CommandLine::try_parse_from(words) {
        Ok(CommandLine { word: None, arguments }) => match stray_word(&arguments) {
            Some(error) => console.usage_error(&error),
            None => run(arguments, console),
        },
        Ok(CommandLine { word: Some(Word::Run(arguments)), .. }) => run(*arguments, console),
        Ok(CommandLine { word: Some(Word::Serve(mut arguments)), .. }) => {
            // Any free port.
            arguments.observation.serve.get_or_insert_with(|| "127.0.0.1:0".to_owned());
            run(*arguments, console)
        }
        Ok(CommandLine { word: Some(Word::Command(command)), .. }) => {
            command.execute(console, CommandLine::command())
        }
        Err(message) => console.clap_message(&message),
    };
    status.into()
}

/// An error if the first word is neither a command nor a file.
fn stray_word(arguments: &Arguments) -> Option<UsageError> {
    let word = arguments.graph.files.first()?.to_str()?;
    let is_file =
        word.contains(['.', '/']) || std::path::Path::new(word).symlink_metadata().is_ok();
    (!is_file).then(|| command::unknown(word, &CommandLine::command()))
}

fn run(arguments: Arguments, console: Console) -> ExitStatus {
    start(arguments, console).unwrap_or_else(|error| console.usage_error(&error))
}

fn start(arguments: Arguments, console: Console) -> Result<ExitStatus, UsageError> {
    let options = Options::new(arguments, |name| std::env::var_os(name))?;
    let graph = Arc::new(LiveGraph::default());
    let stop = Stop::watch(console, Arc::clone(&graph))
        .map_err(|error| UsageError::new(format!("cannot watch for signals: {error}")))?;
    if let Err(error) = log::start(&options.logging, console, &stop) {
        // A log file that is a pipe without a reader is not waited for.
        return stop.requested().map(StopCause::exit_status).ok_or(error);
    }
    Ok(match run::run(&options, console, &graph, &stop) {
        ExitStatus::Success if log::is_incomplete() => ExitStatus::Run,
        status => status,
    })
}
