//! From a text to its documents.

use super::build::Builder;
use super::failure;
use super::node::Node;
use super::simple::read_simple;
use crate::graph::diagnostic::Diagnostic;
use crate::graph::source::Source;
use gxf_plugin_abi::ResultCode;
use saphyr_parser::{Parser, ScanError};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Reads all documents of a text; an empty document becomes a null node.
///
/// # Errors
/// The first place that is not YAML, has a key twice in one mapping, or goes over a limit.
pub fn parse_stream(source: &Arc<Source>) -> Result<Vec<Node>, Diagnostic> {
    let start = if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    parse_range(source, start..source.text.len())
}

/// Reads the one value that stands in a text from `start` to the end.
///
/// # Errors
/// As for [`parse_stream`]; also more than one document.
pub(crate) fn parse_value_at(source: &Arc<Source>, start: usize) -> Result<Node, Diagnostic> {
    let mut documents = parse_range(source, start..source.text.len())?.into_iter();
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

fn parse_range(source: &Arc<Source>, range: Range<usize>) -> Result<Vec<Node>, Diagnostic> {
    if u32::try_from(source.text.len()).is_err() {
        let message = format!("`{}` is larger than 4 GiB", source.name);
        return Err(Diagnostic::error(ResultCode::FAILURE, message));
    }
    let mut documents = Vec::new();
    let mut aliased = 0;
    for part in split_documents(&source.text, range) {
        match read_simple(&source.text[part.clone()], part.start) {
            Some(document) => documents.push(document),
            None => parse_fully(source, part, &mut documents, &mut aliased)?,
        }
    }
    Ok(documents)
}

/// Ranges that can be read on their own: each begins with the line of a `---`, but for the first.
///
/// A line that begins with `---` and a blank is the start of a document wherever it stands, even
/// inside of quotes. Directives and `...` belong to the text around them, so a text that seems to
/// have such lines stays in one piece.
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
        line += rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
    }
    parts.push(range.start + part..range.end);
    parts
}

/// At most this much text is read again because of what the parser refuses without need.
const READ_AGAIN: usize = 64 << 20;

/// Reads a range with the full YAML parser; `aliased` counts on over all ranges of a text.
pub(super) fn parse_fully(
    source: &Arc<Source>,
    range: Range<usize>,
    documents: &mut Vec<Node>,
    aliased: &mut usize,
) -> Result<(), Diagnostic> {
    let mut text = Cow::Borrowed(&source.text[range.clone()]);
    let mut read_again = 0;
    loop {
        let mut builder = Builder::new(source, &text, range.start);
        builder.aliased = *aliased;
        let refused = match read_events(&mut builder, &text)? {
            None => {
                documents.append(&mut builder.documents);
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

/// Hands the events of a text to a builder, up to what the parser refuses.
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
/// place. Those are a tab between a colon and its value, which YAML allows, and a `%YAML` behind a
/// document that has no `...`, as it comes about when files are joined.
fn accepted(info: &str, text: &str, at: usize) -> Option<(Range<usize>, String)> {
    if info.contains("':' must be followed by a valid YAML whitespace") {
        let before = text.get(..at)?;
        let start = before.trim_end_matches(['\t', ' ']).len();
        return (start < at).then(|| (start..at, " ".repeat(at - start)));
    }
    let directive = info.contains("missing explicit document end marker before directive");
    (directive && text.get(at..)?.starts_with("%YAML")).then(|| (at..at + 1, "#".to_owned()))
}
