//! Converts every spelling of a flag that GXF's `gxe` understands to clap's.
//!
//! GXF reads `-app x`, `-app=x`, `--app=x`, `-norun` and underscores. Called once by `main`, before
//! the words are parsed.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// One flag: its name without leading dashes, clap's spelling, and whether the value may be the
/// next word.
struct Spelling {
    name: &'static str,
    meaning: &'static str,
    value_follows: bool,
}

const fn value(name: &'static str, meaning: &'static str) -> Spelling {
    Spelling { name, meaning, value_follows: true }
}

const fn switch(name: &'static str, meaning: &'static str) -> Spelling {
    Spelling { name, meaning, value_follows: false }
}

const SPELLINGS: &[Spelling] = &[
    value("app", "--app"),
    value("app-root", "--app-root"),
    value("manifest", "--manifest"),
    value("graph-directory", "--graph-directory"),
    value("param", "--param"),
    value("severity", "--severity"),
    value("log-file-path", "--log-file-path"),
    value("log-format", "--log-format"),
    value("extension-path", "--extension-path"),
    value("color", "--color"),
    value("trace", "--trace"),
    value("control", "--control"),
    switch("watch", "--watch"),
    value("metrics", "--metrics"),
    value("serve", "--serve"),
    switch("otlp", "--otlp"),
    value("flight-recorder", "--flight-recorder"),
    switch("statistics", "--statistics"),
    switch("cuda-sync", "--cuda-sync"),
    value("max-in-flight", "--max-in-flight"),
    switch("cuda-graphs", "--cuda-graphs"),
    value("epoch-budget", "--epoch-budget"),
    switch("run", "--run"),
    switch("norun", "--run=false"),
    switch("strict", "--strict"),
    switch("driver", "--driver"),
    switch("worker", "--worker"),
    value("address", "--address"),
    value("worker-address", "--worker-address"),
    value("fragments", "--fragments"),
    value("token-file", "--token-file"),
    value("tls-directory", "--tls-directory"),
    switch("help", "--help"),
    switch("version", "--version"),
];

/// The words of the command line with each flag in clap's spelling. Leaves values alone, and
/// everything after `--`.
pub fn normalised(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words = words.into_iter();
    let mut result: Vec<OsString> = words.next().into_iter().collect();
    while let Some(word) = words.next() {
        if word == "--" {
            result.push(word);
            break;
        }
        let (word, value_follows) = normalised_word(word);
        result.push(word);
        if value_follows {
            result.extend(words.next());
        }
    }
    result.extend(words);
    result
}

/// One word in clap's spelling, and whether the next word is its value.
fn normalised_word(word: OsString) -> (OsString, bool) {
    let Some(flag) = word.as_bytes().strip_prefix(b"-") else { return (word, false) };
    let (flag, dashes) = flag.strip_prefix(b"-").map_or((flag, 1), |flag| (flag, 2));
    // `-h` and `-V` are clap's short flags, `-1` is a number, `-` a file.
    if !flag.first().is_some_and(u8::is_ascii_alphabetic) || (dashes == 1 && flag.len() == 1) {
        return (word, false);
    }
    let end = flag.iter().position(|&byte| byte == b'=').unwrap_or(flag.len());
    let (name, assignment) = flag.split_at(end);
    let name: Vec<u8> = name.iter().map(|&byte| if byte == b'_' { b'-' } else { byte }).collect();
    let known = SPELLINGS.iter().find(|spelling| spelling.name.as_bytes() == name);
    // An unknown name gets two dashes, too, so that clap can suggest a similar flag.
    let mut normalised = match known {
        Some(spelling) => OsString::from(spelling.meaning),
        None => OsString::from_vec([b"--", name.as_slice()].concat()),
    };
    normalised.push(OsStr::from_bytes(assignment));
    let value_follows = known.is_some_and(|spelling| spelling.value_follows);
    (normalised, value_follows && assignment.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Arguments;
    use clap::{ArgAction, Args, Command};

    fn normalise(line: &str) -> String {
        let words = normalised(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn spellings_of_gxf_become_ours() {
        for (written, expected) in [
            ("gxe -app x", "gxe --app x"),
            ("gxe -app=x --app=y", "gxe --app=x --app=y"),
            ("gxe -log_file_path f", "gxe --log-file-path f"),
            ("gxe --log_file_path=a_b", "gxe --log-file-path=a_b"),
            ("gxe --log-file-path f", "gxe --log-file-path f"),
            ("gxe -run=false -run", "gxe --run=false --run"),
            ("gxe -norun --norun", "gxe --run=false --run=false"),
            ("gxe -severity -1", "gxe --severity -1"),
            ("gxe -mainfest m", "gxe --mainfest m"),
            ("gxe -h -V -", "gxe -h -V -"),
            ("gxe --param -app -app x", "gxe --param -app --app x"),
            ("gxe -- -app", "gxe -- -app"),
            ("gxe run -app x -norun", "gxe run --app x --run=false"),
            ("-app", "-app"),
        ] {
            assert_eq!(normalise(written), expected);
        }
    }

    #[test]
    fn the_table_names_every_flag_of_the_command() {
        let command = Arguments::augment_args(Command::new("gxe"));
        for argument in command.get_arguments().filter(|known| !known.is_positional()) {
            let name = argument.get_long().expect("every flag has a long name");
            let spelling = SPELLINGS.iter().find(|spelling| spelling.name == name);
            let spelling = spelling.unwrap_or_else(|| panic!("no spelling of --{name}"));
            assert_eq!(spelling.meaning, format!("--{name}"));
            let takes_value = matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
                && !argument.is_require_equals_set();
            assert_eq!(spelling.value_follows, takes_value, "--{name}");
        }
    }
}
