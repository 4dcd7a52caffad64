//! Reads a manifest: a YAML map whose key `extensions` lists libraries.

use crate::error::{Error, Result};
use crate::suggest::nearest;
use crate::yaml::{Kind, Node, read_source_unless};
use crate::{Diagnostic, Diagnostics, Source, Span, parse_stream};
use gxf_plugin_abi::ResultCode;
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
    let failed = |diagnostics| {
        Error::from_diagnostics(format!("cannot load manifest `{}`", path.display()), diagnostics)
    };
    let source = read_source_unless(path, is_stopped).map_err(|problem| failed(problem.into()))?;
    parse_manifest(&source).map_err(failed)
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
    for document in &documents {
        let pairs = match &document.kind {
            Kind::Mapping(pairs) => pairs,
            _ if document.is_null() => continue,
            _ => {
                problems.push(
                    Diagnostic::error(
                        ResultCode::INVALID_DATA_FORMAT,
                        "a manifest is a map with the key `extensions`",
                    )
                    .at(document.span(source))
                    .label("not a map"),
                );
                continue;
            }
        };
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
    let finding = Diagnostic::warning(format!("a manifest has no key `{name}`; it is ignored"));
    finding.at(key.span(source)).suggest(nearest(name, ["extensions"]))
}
