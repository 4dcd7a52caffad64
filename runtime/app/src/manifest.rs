//! Reads a manifest: a YAML map whose key `extensions` lists libraries. It may also be a document of
//! an app file.

use crate::error::{Error, Result};
use crate::suggest::nearest;
use crate::yaml::{Kind, Node, read_source_unless};
use crate::{Diagnostic, Diagnostics, Source, Span, parse_stream};
use gxf_plugin_abi::ResultCode;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// One entry of a manifest and its place.
pub struct ManifestEntry {
    /// The path as written.
    pub path: String,
    /// Its place.
    pub span: Span,
}

/// The content of a manifest.
pub struct Manifest {
    /// The libraries it lists.
    pub entries: Vec<ManifestEntry>,
    /// Likely mistakes.
    pub warnings: Diagnostics,
}

/// Reads a manifest. One without a list names no library, as in GXF. Ends when it has to wait and
/// `is_stopped`.
///
/// # Errors
/// Everything that is wrong with the file or its text, each with its place.
pub fn read_manifest(path: &Path, is_stopped: &dyn Fn() -> bool) -> Result<Manifest> {
    let source = read_source_unless(path, is_stopped);
    let manifest = source.map_err(Diagnostics::from).and_then(|source| parse_manifest(&source));
    manifest.map_err(|diagnostics| not_loaded(path, diagnostics))
}

/// Like [`read_manifest`], for a text. Messages use `path` for the file.
///
/// # Errors
/// Everything that is wrong with the text, each with its place.
pub fn manifest_of_text(path: &Path, text: &str) -> Result<Manifest> {
    let source = Source::new(path.to_string_lossy(), text);
    parse_manifest(&source).map_err(|diagnostics| not_loaded(path, diagnostics))
}

/// The error for a manifest with mistakes.
pub fn not_loaded(path: &Path, diagnostics: Diagnostics) -> Error {
    Error::from_diagnostics(format!("cannot load manifest `{}`", path.display()), diagnostics)
}

/// The libraries in the text of a manifest, as written. Messages use `name` for the file.
///
/// # Errors
/// Everything that is wrong with the text, with its place.
pub fn manifest_entries(name: &str, text: &str) -> std::result::Result<Vec<String>, Diagnostics> {
    let manifest = parse_manifest(&Source::new(name, text))?;
    Ok(manifest.entries.into_iter().map(|entry| entry.path).collect())
}

/// Reads the text of a manifest.
fn parse_manifest(source: &Arc<Source>) -> std::result::Result<Manifest, Diagnostics> {
    let mut problems = Diagnostics::default();
    let documents = parse_stream(source, &mut problems)?;
    let mut entries = Vec::new();
    // An app may have a document that lists its extensions; the others are not meant here.
    let is_app =
        documents.len() > 1 && documents.iter().any(|document| has(document, "extensions"));
    for document in &documents {
        let pairs = match &document.kind {
            Kind::Mapping(pairs) => pairs,
            _ if document.is_null() => continue,
            _ => {
                problems.push(
                    Diagnostic::error(
                        ResultCode::INVALID_DATA_FORMAT,
                        "a manifest is a mapping with the key `extensions`",
                    )
                    .at(document.span(source))
                    .label("not a mapping"),
                );
                continue;
            }
        };
        if is_app && !has(document, "extensions") {
            continue;
        }
        let components = pairs.iter().find(|(key, _)| key.as_text() == Some("components"));
        if let Some((key, _)) = components {
            let finding = Diagnostic::warning("a manifest lists extensions and has no components");
            let finding = finding.at(key.span(source));
            problems.push(finding.help("this looks like an app file; pass it to --app"));
            break;
        }
        for (key, value) in pairs {
            if key.as_text() != Some("extensions") {
                problems.push(unknown_key(source, key));
                continue;
            }
            take_entries(source, value, &mut entries, &mut problems);
        }
    }
    if problems.has_errors() {
        return Err(problems);
    }
    Ok(Manifest { entries, warnings: problems })
}

/// Whether an app file has a document that lists its extensions. Does not read what can be read
/// only once, such as a pipe.
#[must_use]
pub fn is_in_app(path: &Path) -> bool {
    const KEY: &[u8] = b"extensions:";
    const LARGEST: u64 = 64 << 20;
    if !path.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST)
        || !contains(path, KEY).unwrap_or_default()
    {
        return false;
    }
    let text = std::fs::read(path).unwrap_or_default();
    let mut places = memchr::memmem::find_iter(&text, KEY);
    places.any(|place| {
        let starts_line = place == 0 || text[place - 1] == b'\n';
        starts_line && is_alone(&text[place + KEY.len()..])
    })
}

/// Bytes of a file that are searched at once.
const PIECE: usize = 64 << 10;

/// Whether a file contains these bytes. Looks at one piece after the other, because most app files do
/// not, and a large one would fill as much memory.
fn contains(path: &Path, wanted: &[u8]) -> std::io::Result<bool> {
    let mut file = std::fs::File::open(path)?;
    let finder = memchr::memmem::Finder::new(wanted);
    let mut piece = vec![0; PIECE];
    // The end of the piece before, where the bytes may begin.
    let mut kept = 0;
    loop {
        let count = file.read(&mut piece[kept..])?;
        if count == 0 {
            return Ok(false);
        }
        let filled = kept + count;
        if finder.find(&piece[..filled]).is_some() {
            return Ok(true);
        }
        kept = filled.min(wanted.len() - 1);
        piece.copy_within(filled - kept..filled, 0);
    }
}

/// Whether no other key follows in the document. Settings of a Holoscan program have some.
fn is_alone(after: &[u8]) -> bool {
    let mut lines = after.split(|byte| *byte == b'\n').skip(1);
    lines
        .find(|line| {
            !matches!(line.trim_ascii_end(), [] | [b' ' | b'#', ..])
                && (line.starts_with(b"---") || !line.starts_with(b"-"))
        })
        .is_none_or(|line| line.starts_with(b"---"))
}

fn has(document: &Node, wanted: &str) -> bool {
    let Kind::Mapping(pairs) = &document.kind else { return false };
    pairs.iter().any(|(key, _)| key.as_text() == Some(wanted))
}

/// Reads the list of `extensions`.
fn take_entries(
    source: &Arc<Source>,
    list: &Node,
    entries: &mut Vec<ManifestEntry>,
    problems: &mut Diagnostics,
) {
    if list.is_null() {
        return;
    }
    let Kind::Sequence(items) = &list.kind else {
        problems.push(
            Diagnostic::error(
                ResultCode::INVALID_DATA_FORMAT,
                "`extensions` must be a list of library paths",
            )
            .at(list.span(source))
            .label("not a list")
            .help("write `- path/to/libgxf_name.so`, one line for each library"),
        );
        return;
    };
    for item in items {
        let span = item.span(source);
        match item.as_text() {
            Some(text) if !text.is_empty() && !item.is_null() => {
                entries.push(ManifestEntry { path: text.to_owned(), span });
            }
            _ => problems.push(
                Diagnostic::error(
                    ResultCode::INVALID_DATA_FORMAT,
                    "an entry of `extensions` must be the path of a library",
                )
                .at(span)
                .label("not a path"),
            ),
        }
    }
}

fn unknown_key(source: &Arc<Source>, key: &Node) -> Diagnostic {
    let name = key.as_text().unwrap_or_default();
    let finding =
        Diagnostic::warning(format!("`{name}` is not a key of a manifest; it is ignored"));
    finding.at(key.span(source)).suggest(nearest(name, ["extensions"]))
}

#[cfg(test)]
mod tests {
    use super::{PIECE, is_in_app};

    #[test]
    fn extensions_are_found_wherever_they_stand_in_a_large_app_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("app.yaml");
        let is_in = |before: usize, rest: &str| {
            std::fs::write(&path, format!("#{}\n{rest}", "x".repeat(before - 2))).unwrap();
            is_in_app(&path)
        };
        // On both sides of the border between two pieces, and across it.
        for before in (PIECE - 12..PIECE + 2).chain([2, 3 * PIECE - 5]) {
            assert!(is_in(before, "extensions:\n- libgxf_std.so\n"), "behind {before} bytes");
            assert!(!is_in(before, "extension:\n- libgxf_std.so\n"), "behind {before} bytes");
        }
    }
}
