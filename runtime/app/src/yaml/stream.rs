//! Reads the documents of a text.

use super::build::Builder;
use super::failure;
use super::node::{Kind, Node};
use super::simple::read_simple;
use crate::diagnostic::{Diagnostic, Diagnostics, Severity};
use crate::source::Source;
use gxf_plugin_abi::ResultCode;
use saphyr_parser::{Parser, ScanError};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Reads all documents of a text; an empty document becomes a null node. Of a duplicate key in one
/// mapping the last one counts, with a warning.
///
/// # Errors
/// The first place that is not YAML, or goes over a limit.
pub fn parse_stream(
    source: &Arc<Source>,
    warnings: &mut Diagnostics,
) -> Result<Vec<Node>, Diagnostic> {
    let mut documents = Vec::new();
    for_each_document(source, warnings, |document| documents.push(document))?;
    Ok(documents)
}

/// Like [`parse_stream`], one document at a time: the trees of a large app need far more memory
/// than its text. Documents before an error are passed on too.
pub(crate) fn for_each_document(
    source: &Arc<Source>,
    warnings: &mut Diagnostics,
    take: impl FnMut(Node),
) -> Result<(), Diagnostic> {
    let text = source.text();
    let start = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    parse_range(source, start..text.len(), warnings, take)
}

/// Reads the one value from `start` to the end of a text. A dash alone is a text, such as the name of
/// standard input: a list of nothing is not meant.
///
/// # Errors
/// As for [`parse_stream`]; also more than one document, and duplicate keys.
pub fn parse_value_at(source: &Arc<Source>, start: usize) -> Result<Node, Diagnostic> {
    let (mut documents, mut warnings) = (Vec::new(), Diagnostics::new());
    let range = start..source.text().len();
    let text = source.text();
    if text[start..].trim() == "-" {
        let at = start + text[start..].len() - text[start..].trim_start().len();
        let kind = Kind::Scalar { value: "-".into(), plain: true };
        let null = Node::null(at);
        return Ok(Node { kind, end: null.end + 1, ..null });
    }
    parse_range(source, range, &mut warnings, |document| documents.push(document))?;
    if let Some(warning) = warnings.into_iter().next() {
        let notes =
            warning.notes.into_iter().map(|(earlier, _)| (earlier, "first here".to_owned()));
        return Err(Diagnostic {
            severity: Severity::Error,
            code: ResultCode::PARAMETER_PARSER_ERROR,
            label: "again here".into(),
            notes: notes.collect(),
            ..warning
        });
    }
    let mut documents = documents.into_iter();
    let first = documents.next().unwrap_or_else(|| Node::null(start));
    match documents.next() {
        None => Ok(first),
        Some(second) => Err(Diagnostic::error(
            ResultCode::FAILURE,
            "expected one value, found a second YAML document",
        )
        .at(second.span(source))),
    }
}

fn parse_range(
    source: &Arc<Source>,
    range: Range<usize>,
    warnings: &mut Diagnostics,
    mut take: impl FnMut(Node),
) -> Result<(), Diagnostic> {
    let text = source.text();
    if u32::try_from(text.len()).is_err() {
        let message = format!("`{}` is larger than 4 GiB", source.name);
        return Err(Diagnostic::error(ResultCode::FAILURE, message));
    }
    let mut documents = Vec::new();
    let mut aliased = 0;
    for part in split_documents(&text, range) {
        match read_simple(&text[part.clone()], part.start) {
            Some(document) => take(document),
            None => {
                parse_fully(source, part, &mut documents, &mut aliased, warnings)?;
                documents.drain(..).for_each(&mut take);
            }
        }
    }
    Ok(())
}

/// Ranges that can be parsed on their own. Each but the first starts with a `---` line.
///
/// A line that starts with `---` and a space starts a document in any position, even inside quotes.
/// Directives and `...` belong to the text around them, so a text that seems to have such lines
/// stays whole.
fn split_documents(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let bytes = &text.as_bytes()[range.clone()];
    let mut parts = Vec::new();
    let mut part = 0;
    let mut line = 0;
    while line < bytes.len() {
        let rest = &bytes[line..];
        match rest {
            [b'%', ..] | [b'.', b'.', b'.', ..] => return vec![range],
            [b'-', b'-', b'-'] | [b'-', b'-', b'-', b' ' | b'\t' | b'\n' | b'\r', ..]
                if line > 0 =>
            {
                parts.push(range.start + part..range.start + line);
                part = line;
            }
            _ => {}
        }
        line += memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
    }
    parts.push(range.start + part..range.end);
    parts
}

/// Most text to parse again because of needless refusals by the parser.
const READ_AGAIN: usize = 64 << 20;

/// Reads a range with the full YAML parser; `aliased` accumulates over all ranges of a text.
pub(super) fn parse_fully(
    source: &Arc<Source>,
    range: Range<usize>,
    documents: &mut Vec<Node>,
    aliased: &mut usize,
    warnings: &mut Diagnostics,
) -> Result<(), Diagnostic> {
    let whole = source.text();
    let mut text = Cow::Borrowed(&whole[range.clone()]);
    let mut read_again = 0;
    loop {
        let mut builder = Builder::new(source, &whole, &text, range.start);
        builder.aliased = *aliased;
        let refused = match read_events(&mut builder, &text)? {
            None => {
                documents.append(&mut builder.documents);
                warnings.extend(builder.warnings);
                *aliased = builder.aliased;
                return Ok(());
            }
            Some(refused) => refused,
        };
        let at = builder.offsets.of(*refused.marker()) as usize;
        read_again += text.len();
        let accepted = accepted(refused.info(), &text, at - range.start);
        match accepted.filter(|_| read_again <= READ_AGAIN) {
            Some((place, instead)) => text.to_mut().replace_range(place, &instead),
            None => {
                let open = builder.open_collections();
                return Err(failure::syntax(source, refused.info(), at, &open));
            }
        }
    }
}

/// Passes the events of a text to a builder, until the parser refuses something.
fn read_events(builder: &mut Builder<'_>, text: &str) -> Result<Option<ScanError>, Diagnostic> {
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => {
                let start = builder.offsets.of(span.start);
                let end = builder.offsets.of(span.end);
                builder.event(event, start, end)?;
            }
            Err(refused) => return Ok(Some(refused)),
        }
    }
    Ok(None)
}

/// What stands for text that GXF reads and this parser refuses: a text of the same length in its
/// place. Those are a tab between a colon and its value, which YAML allows, a `%YAML` behind a
/// document that has no `...`, as it comes about when files are joined, and directives without a
/// `---` behind them.
fn accepted(info: &str, text: &str, at: usize) -> Option<(Range<usize>, String)> {
    if info.contains("':' must be followed by a valid YAML whitespace") {
        let before = text.get(..at)?;
        let start = before.trim_end_matches(['\t', ' ']).len();
        return (start < at).then(|| (start..at, " ".repeat(at - start)));
    }
    if info.contains("did not find expected <document start>") {
        let mut start = at;
        for line in text.get(..at)?.split_inclusive('\n').rev() {
            start -= line.len();
            if line.starts_with('%') {
                return Some((start..start + 1, "#".to_owned()));
            }
            if !(line.trim().is_empty() || line.trim_start().starts_with('#')) {
                break;
            }
        }
        return None;
    }
    let directive = info.contains("missing explicit document end marker before directive");
    (directive && text.get(at..)?.starts_with("%YAML")).then(|| (at..at + 1, "#".to_owned()))
}
