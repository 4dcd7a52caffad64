//! From a tree back to text.

use super::node::{Kind, Node};
use std::fmt::Write;

/// Writes a node as one line of YAML that reads back as the same tree.
///
/// A scalar is written without quotes if it was read so and its text allows it; null is written
/// as `~` if it was left out.
#[must_use]
pub fn emit(node: &Node) -> String {
    let mut out = String::new();
    write_node(&mut out, node);
    out
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
                // A key without `?` may have 1024 characters at most.
                let simple = key.tag.is_none() && key.as_text().is_some_and(|text| text.len() < 99);
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

/// Whether a text without quotes reads back as itself everywhere.
fn is_plain(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"_./+-~ ".contains(&byte);
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    let indicator = matches!(first, b'-') && matches!(bytes.get(1), None | Some(b' ' | b'-'));
    // A colon is harmless only between two characters of a word, as in `gxf::Clock`.
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
            // What YAML may not contain, or what a reader may take for a line break.
            '\0'..='\u{a0}' | '\u{2028}'..='\u{202e}' | '\u{d7ff}'..='\u{ffff}' => {
                let _ = write!(out, "\\u{:04X}", u32::from(character));
            }
            _ => out.push(character),
        }
    }
    out.push('"');
}
