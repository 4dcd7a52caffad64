//! Reads a manifest: a YAML map whose key `extensions` lists libraries.

use crate::error::{Error, Result};
use crate::graph::yaml::Kind;
use crate::graph::{Diagnostic, Diagnostics, Span, parse_stream, read_source};
use gxf_plugin_abi::ResultCode;
use std::path::Path;

/// One entry of a manifest and where it stands.
pub(crate) struct ManifestEntry {
    pub path: String,
    pub span: Span,
}

/// The libraries a manifest lists. A manifest without a list names none, as in GXF.
pub(crate) fn read_manifest(path: &Path) -> Result<Vec<ManifestEntry>> {
    let failed = |diagnostics| {
        Error::from_diagnostics(format!("cannot load manifest `{}`", path.display()), diagnostics)
    };
    let source = read_source(path).map_err(|problem| failed(problem.into()))?;
    parse_manifest(&source).map_err(failed)
}

/// The libraries the text of a manifest lists, as written; `name` stands for the file in messages.
///
/// # Errors
/// Everything that is wrong with the text, with its place.
pub fn manifest_entries(name: &str, text: &str) -> std::result::Result<Vec<String>, Diagnostics> {
    let entries = parse_manifest(&crate::graph::Source::new(name, text))?;
    Ok(entries.into_iter().map(|entry| entry.path).collect())
}

/// The libraries the text of a manifest lists.
pub(crate) fn parse_manifest(
    source: &std::sync::Arc<crate::graph::Source>,
) -> std::result::Result<Vec<ManifestEntry>, Diagnostics> {
    let documents = parse_stream(source)?;
    let mut entries = Vec::new();
    let mut problems = Diagnostics::default();
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
        for (key, value) in pairs {
            if key.as_text() != Some("extensions") || value.is_null() {
                continue;
            }
            let Kind::Sequence(items) = &value.kind else {
                problems.push(
                    Diagnostic::error(
                        ResultCode::INVALID_DATA_FORMAT,
                        "`extensions` must be a list of library paths",
                    )
                    .at(value.span(source))
                    .label("not a list")
                    .help("write `- path/to/libgxf_name.so`, one line a library"),
                );
                continue;
            };
            for item in items {
                match item.as_text() {
                    Some(text) if !text.is_empty() && !item.is_null() => {
                        entries
                            .push(ManifestEntry { path: text.to_owned(), span: item.span(source) });
                    }
                    _ => problems.push(
                        Diagnostic::error(
                            ResultCode::INVALID_DATA_FORMAT,
                            "an entry of `extensions` must be the path of a library",
                        )
                        .at(item.span(source))
                        .label("not a path"),
                    ),
                }
            }
        }
    }
    if problems.has_errors() { Err(problems) } else { Ok(entries) }
}
