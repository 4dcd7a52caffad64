//! Texts that are written down in files, and what to do when they change.

use std::fmt::Write;
use std::path::Path;

/// Compares a text with the file it is written down in. With `UPDATE_EXPECT=1` in the environment
/// the file is written instead; read it before it is committed.
///
/// # Errors
/// The lines that went away (-) and those that came (+).
///
/// # Panics
/// If the file cannot be written.
pub fn compare(file: &Path, found: &str) -> Result<(), String> {
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    if found == expected {
        return Ok(());
    }
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(file, found).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        return Ok(());
    }
    Err(difference(&expected, found))
}

/// As [`compare`] for a file below the folder of the tests; a difference fails the test.
#[track_caller]
pub fn expect(file: &str, found: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if let Err(difference) = compare(&path, found) {
        panic!("not as written down in tests/{file} (+ is what comes now):\n{difference}");
    }
}

/// Lines that went away and lines that came.
fn difference(expected: &str, found: &str) -> String {
    let (old, new): (Vec<_>, Vec<_>) = (expected.lines().collect(), found.lines().collect());
    let same = |(one, two): &(&&str, &&str)| one == two;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let mut text = String::new();
    // Writing to a `String` does not fail.
    for line in &old[head..old.len() - tail] {
        _ = writeln!(text, "- {line}");
    }
    for line in &new[head..new.len() - tail] {
        _ = writeln!(text, "+ {line}");
    }
    text
}
