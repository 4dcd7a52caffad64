//! Options that all processes of a graph get. Each writes files of its own, and what only one process
//! can have is refused.

use crate::arguments::Arguments;
use crate::help;
use crate::options::{GraphOptions, Options};
use crate::outputs::{keep_apart, own_file};
use crate::spelling;
use crate::usage_error::UsageError;
use clap::Parser;
use gxf_remote::SegmentsFile;
use std::ffi::OsString;
use std::path::Path;

/// Options that name something that a process creates.
const OUTPUTS: [&str; 5] =
    ["--statistics", "--trace", "--flight-recorder", "--log-file-path", "--control"];

/// The name of the process that is only a driver.
pub const DRIVER: &str = "driver";

/// The options of `gxe run`.
#[derive(Parser)]
#[command(
    name = "gxe",
    version = help::VERSION.as_str(),
    override_usage = "gxe run APP… [--manifest FILE[,FILE…]] [OPTIONS]",
    disable_help_flag = true,
    disable_version_flag = true,
    args_override_self = true
)]
struct Run {
    #[command(flatten)]
    arguments: Arguments,
}

/// The options, as clap spells them, if all processes can have them: on one machine, if `is_local`. And
/// what they say about the graph: an option may place the file `app` below a folder.
///
/// # Errors
/// What clap says about them.
pub fn checked(
    app: &Path,
    options: Vec<String>,
    is_local: bool,
) -> Result<Result<(Vec<String>, GraphOptions), UsageError>, clap::Error> {
    let words = ["gxe".into(), "run".into(), app.as_os_str().to_owned()].into_iter();
    let words = spelling::normalised(words.chain(options.into_iter().map(OsString::from)));
    let options = words[3..].iter().map(|word| word.to_string_lossy().into_owned()).collect();
    // Without the word `run`, which `Run` stands for.
    let words = words.into_iter().enumerate().filter(|(place, _)| *place != 1);
    let Run { arguments } = Run::try_parse_from(words.map(|(_, word)| word))?;
    let accepted = accepted(arguments, is_local);
    Ok(accepted.map(|graph| (options, graph)))
}

/// Refuses what only one process can have.
fn accepted(mut arguments: Arguments, is_local: bool) -> Result<GraphOptions, UsageError> {
    let remote = &mut arguments.remote;
    let own = [
        ("--driver", remote.driver),
        ("--worker", remote.worker),
        ("--fragments", !remote.fragments.is_empty()),
        ("--address", remote.address.is_some()),
        ("--worker-address", remote.worker_address.is_some()),
    ];
    if let Some((flag, _)) = own.iter().find(|(_, is_given)| *is_given) {
        return Err(UsageError::new(format!("'{flag}' differs between the processes"))
            .hint("leave it out: `gxe launch` sets it where it is needed"));
    }
    remote.worker = true;
    let options = Options::new(arguments, |name| std::env::var_os(name))?;
    let servers =
        [("--metrics", options.observation.metrics), ("--serve", options.observation.serve)];
    for (flag, address) in servers {
        if let Some(address) = address.filter(|address| is_local && address.port() != 0) {
            let text =
                format!("'{flag} {address}' names one port, and there are several processes");
            let hint = format!("let each take a free port:  {flag}={}:0", address.ip());
            return Err(UsageError::new(text).hint(hint));
        }
    }
    Ok(options.graph)
}

/// Checks that no two processes write the same file.
///
/// # Errors
/// Two do.
pub fn keep_processes_apart(
    options: &[String],
    file: &SegmentsFile,
    is_local: bool,
) -> Result<(), UsageError> {
    let segments = file.segments.iter().map(|segment| segment.name.as_str());
    let names = segments.chain(is_local.then_some(DRIVER));
    let words = names.flat_map(|name| {
        let named = named(options, name);
        let own = named.into_iter().zip(options).filter(|(word, option)| word != *option);
        own.map(|(word, _)| word.rsplit_once('=').map_or(word.clone(), |(_, file)| file.to_owned()))
    });
    keep_apart([] as [&Path; 0], words)
}

/// The options of the process `name`.
pub fn named(options: &[String], name: &str) -> Vec<String> {
    let mut is_value = false;
    let words = options.iter().map(|word| {
        if std::mem::take(&mut is_value) {
            return own_file(word, name);
        }
        let (flag, value) =
            word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
        match value.filter(|value| OUTPUTS.contains(&flag) && !value.is_empty()) {
            Some(value) => format!("{flag}={}", own_file(value, name)),
            None => {
                // The file of `--statistics` is no word of its own.
                is_value = value.is_none() && OUTPUTS[1..].contains(&flag);
                word.clone()
            }
        }
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn each_process_has_files_of_its_own() {
        for (given, own) in [
            ("--trace=t.json", "--trace=t.up.json"),
            ("--trace t.json", "--trace t.up.json"),
            ("--statistics t.json", "--statistics t.json"),
            ("--statistics=a.b/s", "--statistics=a.b/s.up"),
            (
                "--log-file-path=/dev/null --control c.sock",
                "--log-file-path=/dev/null --control c.up.sock",
            ),
            (
                "--param=a/b/c=--trace=x --severity error",
                "--param=a/b/c=--trace=x --severity error",
            ),
        ] {
            let given: Vec<_> = given.split(' ').map(str::to_owned).collect();
            assert_eq!(named(&given, "up").join(" "), own);
        }
    }
}
