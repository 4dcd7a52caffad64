//! From a text to its documents.

use super::build::Builder;
use super::failure;
use super::node::Node;
use super::simple::read_simple;
use crate::graph::diagnostic::Diagnostic;
use crate::graph::source::Source;
use gxf_plugin_abi::ResultCode;
use saphyr_parser::Parser;
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

/// Reads a range with the full YAML parser; `aliased` counts on over all ranges of a text.
pub(super) fn parse_fully(
    source: &Arc<Source>,
    range: Range<usize>,
    documents: &mut Vec<Node>,
    aliased: &mut usize,
) -> Result<(), Diagnostic> {
    let text = &source.text[range.clone()];
    let mut builder = Builder::new(source, text, range.start);
    builder.aliased = *aliased;
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => {
                let start = builder.offsets.of(span.start);
                let end = builder.offsets.of(span.end);
                builder.event(event, start, end)?;
            }
            Err(error) => {
                let at = builder.offsets.of(*error.marker()) as usize;
                let open = builder.open_collections();
                return Err(failure::syntax(source, error.info(), at, &open));
            }
        }
    }
    documents.append(&mut builder.documents);
    *aliased = builder.aliased;
    Ok(())
}
