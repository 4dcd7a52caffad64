//! Writes a tree as text.

use super::node::{Kind, Node};
use std::fmt::Write;

/// Writes a node as one line of YAML that reads back as the same tree.
///
/// A scalar has no quotes if it had none and its text allows it. An omitted null becomes `~`.
#[must_use]
pub fn emit(node: &Node) -> String {
    let mut out = String::new();
    write_node(&mut out, node);
    out
}

/// Writes a node as in the text it was parsed from: in lines, or in brackets where it is in
/// brackets there.
#[must_use]
pub fn emit_as_written(node: &Node, source: &str) -> String {
    let mut out = String::new();
    write_lines(&mut out, node, source, 0);
    out
}

/// Whether a node is written in lines of its own.
fn has_lines(node: &Node, source: &str) -> bool {
    let is_empty = match &node.kind {
        Kind::Scalar { .. } => true,
        Kind::Sequence(elements) => elements.is_empty(),
        Kind::Mapping(pairs) => pairs.is_empty(),
    };
    let first = source.as_bytes().get(node.start as usize);
    !is_empty && node.tag.is_none() && !matches!(first, Some(b'[' | b'{'))
}

/// Writes a node, from the column `indent` on.
fn write_lines(out: &mut String, node: &Node, source: &str, indent: usize) {
    let new_line = |out: &mut String, indent: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', indent));
    };
    match &node.kind {
        Kind::Sequence(elements) if has_lines(node, source) => {
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    new_line(out, indent);
                }
                out.push('-');
                if has_lines(element, source) && matches!(element.kind, Kind::Sequence(_)) {
                    new_line(out, indent + 2);
                } else {
                    out.push(' ');
                }
                write_lines(out, element, source, indent + 2);
            }
        }
        Kind::Mapping(pairs) if has_lines(node, source) => {
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    new_line(out, indent);
                }
                if is_simple_key(key) {
                    write_node(out, key);
                } else {
                    out.push_str("? ");
                    write_node(out, key);
                    new_line(out, indent);
                }
                out.push(':');
                if has_lines(value, source) {
                    new_line(out, indent + 2);
                } else {
                    out.push(' ');
                }
                write_lines(out, value, source, indent + 2);
            }
        }
        _ => write_node(out, node),
    }
}

/// Whether a key needs no `?`. Without, it may have 1024 characters at most.
fn is_simple_key(key: &Node) -> bool {
    key.tag.is_none() && key.as_text().is_some_and(|text| text.len() < 99)
}

fn write_node(out: &mut String, node: &Node) {
    if let Some(tag) = &node.tag {
        write_tag(out, tag);
    }
    match &node.kind {
        Kind::Scalar { value, plain } => write_scalar(out, value, *plain),
        Kind::Sequence(elements) => {
            out.push('[');
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write_node(out, element);
            }
            out.push(']');
        }
        Kind::Mapping(pairs) => {
            out.push('{');
            for (index, (key, value)) in pairs.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                let simple = is_simple_key(key);
                if !simple {
                    out.push_str("? ");
                }
                write_node(out, key);
                out.push_str(if simple { ": " } else { " : " });
                write_node(out, value);
            }
            out.push('}');
        }
    }
}

fn write_tag(out: &mut String, tag: &str) {
    out.push_str("!<");
    for byte in tag.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.:!,/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out.push_str("> ");
}

fn write_scalar(out: &mut String, text: &str, plain: bool) {
    if plain && text.is_empty() {
        out.push('~');
    } else if plain && is_plain(text) {
        out.push_str(text);
    } else {
        write_quoted(out, text);
    }
}

/// Whether an unquoted text reads back unchanged in every position.
fn is_plain(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_./+-~ ".contains(&byte);
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    let indicator = matches!(first, b'-') && matches!(bytes.get(1), None | Some(b' ' | b'-'));
    // A colon is harmless only between two word characters, as in `gxf::Clock`.
    let words = bytes.iter().enumerate().all(|(index, byte)| {
        inner(*byte)
            || (*byte == b':'
                && index > 0
                && bytes
                    .get(index + 1)
                    .is_some_and(|next| next.is_ascii_alphanumeric() || *next == b':'))
    });
    words
        && *first != b' '
        && *last != b' '
        && !indicator
        && !text.starts_with("...")
        && text != "<<"
}

fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            ' '..='~' => out.push(character),
            // Characters that YAML forbids, or that a reader may treat as a line break.
            '\0'..='\u{a0}' | '\u{2028}'..='\u{202e}' | '\u{d7ff}'..='\u{ffff}' => {
                let _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}
