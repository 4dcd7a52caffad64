//! Files that are wrong in every way: apps and manifests of the repository, mutated. Every command
//! ends by itself, or at the first signal, and says little.

use super::{Round, Storm};
use crate::evil::{misbehaviour, run_briefly};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// See the head of this file.
pub const STORM: Storm = Storm { name: "files", rounds: 40, round };

/// The files to mutate, in a fixed order.
static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut paths = Vec::new();
    for folder in ["apps", "manifests", "tests", "extensions"] {
        find(&root.join(folder), &mut paths);
    }
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a readable file")).collect()
});

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            find(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "yaml") {
            found.push(path);
        }
    }
}

/// What stands where a value is expected.
const VALUES: &[&str] = &[
    "-1",
    "0",
    "18446744073709551615",
    "18446744073709551616",
    "-9223372036854775809",
    "999999999999999999999999999999999999999999999999999999999999999999999999",
    "1e400",
    "-.inf",
    ".nan",
    "0x7fffffffffffffff",
    "1000000000 Hz",
    "-5ms",
    "99999999999999999999h",
    "~",
    "''",
    "yes",
    "[]",
    "{}",
    "[[[]]]",
    "{a: {b: {c: d}}}",
    "*nowhere",
    "&anchor value",
    "!!binary aGVsbG8=",
    "!<tag:example.org,2000:x> y",
    "a/b",
    "a/b/c/d/e",
    "/",
    "..",
    "nvidia::gxf::Clock",
    "nvidia::gxf::GreedyScheduler",
    "\"\\e[31mred\\e[0m\"",
    "\"\\x00\\x9b\\u2028\\u202e\"",
    "|\n    block",
    "? complex",
];

/// What stands anywhere.
const PIECES: &[&[u8]] = &[
    b"\0",
    b"\x1b[2J\x1b]0;title\x07",
    b"\xff\xfe",
    b"\xc2\x9b31m",
    b"\xed\xa0\x80",
    b"\xe2\x80\xae",
    b"\t",
    b"\r",
    b"---\n",
    b"...\n",
    b"%YAML 9.9\n",
    b"\n- - - - - -\n",
    b"{",
    b"[",
    b"]",
    b"}",
    b"&a *a",
    b"<<: *a",
    b"'",
    b"\"",
    b"# ",
    b": ",
    b"!",
    b"@",
    b"`",
    b"\xef\xbb\xbf",
];

/// Commands; `FILE` is the mutated file.
const COMMANDS: &[&str] = &[
    "--app FILE --manifest manifest.yaml",
    "--app FILE --manifest manifest.yaml --strict",
    "check --app FILE --manifest manifest.yaml",
    "check --app FILE --manifest manifest.yaml --format sarif",
    "graph --app FILE --manifest manifest.yaml",
    "graph --app FILE --manifest manifest.yaml -o graph.html",
    "check --app good.yaml --manifest FILE",
    "inspect --manifest FILE",
];

/// Words of apps that write files or open sockets, which are loaded only.
const REACHES_OUT: &[&str] = &["record", "writ", "file", "path", "dir", "/tmp", "sock", "port"];

fn round(round: &mut Round) -> Result<(), String> {
    let mut text = FILES[round.spread(FILES.len() as u64) as usize].clone();
    for _ in 0..=round.below(4) {
        mutate(&mut text, round);
    }
    let mut line = round.any(COMMANDS).replace("FILE", "app.yaml");
    let shown = String::from_utf8_lossy(&text).to_lowercase();
    if line.starts_with("--app") && REACHES_OUT.iter().any(|word| shown.contains(word)) {
        line += " --run=false";
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let manifest = crate::manifest_of_all();
    for (name, text) in [
        ("app.yaml", &*text),
        ("good.yaml", b"name: a\ncomponents: []\n"),
        ("manifest.yaml", manifest.as_bytes()),
    ] {
        std::fs::write(folder.path().join(name), text).map_err(|error| error.to_string())?;
    }
    let ended = run_briefly(folder.path(), &line);
    let problem = match ended.status {
        None | Some(101 | 132..=136 | 139) => Some("it crashed"),
        _ => misbehaviour(&ended),
    };
    let Some(problem) = problem else { return Ok(()) };
    let (status, said) = (ended.status, ended.stderr);
    let kept = folder.keep();
    Err(format!("{problem}: `gxe {line}` in {}: status {status:?}\n{said:.2000}", kept.display()))
}

/// A place in the text.
fn place(text: &[u8], round: &mut Round) -> usize {
    round.below(text.len() as u64 + 1) as usize
}

/// The lines of the text, with their line breaks.
fn lines(text: &[u8]) -> Vec<Vec<u8>> {
    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
}

/// Replaces what follows `: ` in a line.
fn with_value(line: &[u8], value: &[u8]) -> Vec<u8> {
    let colon = line.windows(2).position(|pair| pair == b": ");
    colon.map_or_else(|| line.to_vec(), |at| [&line[..at + 2], value, b"\n"].concat())
}

fn mutate(text: &mut Vec<u8>, round: &mut Round) {
    let mut lines = lines(text);
    let number = round.below(lines.len().max(1) as u64) as usize;
    match round.below(14) {
        0 => text.truncate(place(text, round)),
        1 => {
            let at = place(text, round);
            let end = (at + round.below(40) as usize).min(text.len());
            text.drain(at..end);
        }
        2 => {
            let (at, piece) = (place(text, round), round.any(PIECES));
            text.splice(at..at, piece.iter().copied());
        }
        3 => {
            for _ in 0..=round.below(8) {
                let at = place(text, round);
                if let Some(byte) = text.get_mut(at) {
                    *byte ^= 1 << round.below(8);
                }
            }
        }
        4 => deepen(text, round),
        5 => bomb(text, round),
        6 => {
            let length = 1usize << round.below(21);
            text.extend_from_slice(b"\n---\nname: ");
            text.resize(text.len() + length, b'x');
            text.push(b'\n');
        }
        7 => {
            let other = &FILES[round.below(FILES.len() as u64) as usize];
            let at = place(other, round);
            text.extend_from_slice(&other[at..]);
        }
        change => {
            let Some(line) = lines.get(number).cloned() else { return };
            let other = round.below(lines.len() as u64) as usize;
            match change {
                8 | 9 => lines[number] = with_value(&line, round.any(VALUES).as_bytes()),
                10 => lines.insert(other, line),
                11 => lines.swap(number, other),
                12 => {
                    let indentation = vec![b' '; round.below(9) as usize];
                    lines[number] = [&indentation[..], line.trim_ascii_start()].concat();
                }
                // A value of another place, which often has another type.
                _ => {
                    let value = lines[other].windows(2).position(|pair| pair == b": ");
                    let value = value.map_or(&b""[..], |at| lines[other][at + 2..].trim_ascii());
                    lines[number] = with_value(&line, value);
                }
            }
            *text = lines.concat();
        }
    }
}

/// Nests lists or mappings.
fn deepen(text: &mut Vec<u8>, round: &mut Round) {
    let depth = 1usize << round.below(18);
    let (open, close) = round.any(&[("[", "]"), ("{a: ", "}"), ("- ", ""), ("? ", "")]);
    text.extend_from_slice(b"\n---\nname: deep\ncomponents: ");
    text.extend_from_slice(if open.ends_with(' ') && close.is_empty() { b"\n" } else { b"" });
    text.extend_from_slice(open.repeat(depth).as_bytes());
    text.extend_from_slice(b"x");
    text.extend_from_slice(close.repeat(round.any(&[depth, depth / 2])).as_bytes());
}

/// Appends aliases of aliases.
fn bomb(text: &mut Vec<u8>, round: &mut Round) {
    text.extend_from_slice(b"\n---\na0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..=round.below(40) {
        let alias = format!("*a{}", level - 1);
        let line = format!("a{level}: &a{level} [{}]\n", vec![alias; 9].join(", "));
        text.extend_from_slice(line.as_bytes());
    }
}
