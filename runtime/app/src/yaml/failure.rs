//! Explains errors of the YAML parser without the terms of the YAML grammar.

use super::MAX_DEPTH;
use crate::diagnostic::Diagnostic;
use crate::source::{Source, Span};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

/// The file is not YAML. `info` is the parser's message, `at` the byte where it stopped, `open` the
/// positions of unclosed brackets, outermost first.
pub(super) fn syntax(source: &Arc<Source>, info: &str, at: usize, open: &[usize]) -> Diagnostic {
    let failure = |message: String| Diagnostic::error(ResultCode::FAILURE, message);
    let one = |at: usize| Span::new(source, at..at + 1);
    if info.contains("recursion limit") {
        return too_deep(source, at);
    }
    if info.contains("quoted scalar, found unexpected") || info.contains("in quoted scalar") {
        return failure("this quoted text has no closing quote".into())
            .at(one(at))
            .label("opened here");
    }
    let text = source.text();
    let is_escape = ["escape", "hexadecimal"].iter().any(|word| info.contains(word));
    if let Some(wrong) =
        (is_escape && info.contains("quoted scalar")).then(|| wrong_escape(source, at)).flatten()
    {
        return wrong;
    }
    let bytes = text.as_bytes();
    let tab = bytes.get(at) == Some(&b'\t') || info.contains("tab");
    if let Some(tab) = tab.then(|| tab_near(source, at)).flatten() {
        return failure("a tab is not allowed as indentation".into())
            .at(one(tab))
            .label("this is a tab")
            .help("indent with spaces");
    }
    if let Some(innermost) = open.last().filter(|_| !info.contains("anchor")) {
        let closing = if bytes.get(*innermost) == Some(&b'[') { ']' } else { '}' };
        let opening = char::from(bytes.get(*innermost).copied().unwrap_or_default());
        if text[at.min(text.len())..].trim().is_empty() {
            return failure(format!("`{opening}` has no closing `{closing}`"))
                .at(one(*innermost))
                .label("opened here");
        }
        return failure(format!("expected `,` or `{closing}`"))
            .at(one(at))
            .label("found this instead")
            .note(one(*innermost), format!("inside the `{opening}` that begins here"));
    }
    let (message, help) = explain(info);
    let at = if info.starts_with("simple key") { key_before(source, at) } else { at };
    let diagnostic = failure(message).at(one(at));
    match help {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

/// The parser's message, in plainer words where they are known.
fn explain(info: &str) -> (String, Option<&'static str>) {
    let (message, help) = match info {
        "mapping values are not allowed in this context" => (
            "a `:` is not allowed here",
            Some("quote a text that contains `: `, or check the indentation of this line"),
        ),
        "while parsing a block mapping, did not find expected key" => (
            "expected a key of the mapping above",
            Some("keys of one mapping start in the same column"),
        ),
        "while parsing a block collection, did not find expected '-' indicator" => (
            "expected `- ` and the next element of the list above",
            Some("elements of one list start in the same column"),
        ),
        "simple key expect ':'" | "simple key expected" => (
            "expected `:` after this key",
            Some("write a key on one line, followed by a colon and a space"),
        ),
        "while parsing node, found unknown anchor" => (
            "this alias has no anchor",
            Some("define the anchor (`&name`) before its alias, in the same document"),
        ),
        "did not find expected <document start>" => {
            ("expected the end of the document", Some("start a new document with `---`"))
        }
        "invalid indentation" => ("this line is not indented to match the lines above", None),
        "block sequence entries are not allowed in this context" => (
            "a list element (`- `) is not allowed here",
            Some("start a list on the line below its key"),
        ),
        "'-' must be followed by a valid YAML whitespace" => {
            ("this `-` is followed by a tab and another `-`", Some("write a space between them"))
        }
        "found unprintable character" => ("this character is not allowed in YAML", None),
        other => return (format!("not YAML: {other}"), None),
    };
    (message.into(), help)
}

/// The first escape that stands for no character in the text whose opening quote is at `at`.
fn wrong_escape(source: &Arc<Source>, at: usize) -> Option<Diagnostic> {
    const KNOWN: &str = "0abt\tnvfre \"/\\N_LP\r\n";
    let text = source.text();
    let mut end = at + 1;
    loop {
        let start = end + text.get(end..)?.find('\\')?;
        let kind = text[start + 1..].chars().next()?;
        end = start + 1 + kind.len_utf8();
        let help = if let Some(length) = digits_of(kind) {
            let digits = text[end..].bytes().take(length).take_while(u8::is_ascii_hexdigit).count();
            let code = u32::from_str_radix(&text[end..end + digits], 16).unwrap_or_default();
            end += digits;
            if digits == length && char::from_u32(code).is_some() {
                continue;
            }
            match character_of_pair(&text, start) {
                _ if digits < length => format!("`\\{kind}` has {length} hexadecimal digits"),
                Some(pair) => {
                    let code = u32::from(pair);
                    format!(
                        "it is half of a pair of JSON; write `{pair}` or `\\U{code:08X}` in place of both"
                    )
                }
                None => "write the character itself".into(),
            }
        } else if KNOWN.contains(kind) {
            continue;
        } else {
            "write a backslash as `\\\\`, or the text in single quotes".into()
        };
        let message = format!("`{}` stands for no character", &text[start..end]);
        let wrong = Diagnostic::error(ResultCode::FAILURE, message);
        return Some(wrong.at(Span::new(source, start..end)).help(help));
    }
}

/// Number of digits of an escape by code.
fn digits_of(kind: char) -> Option<usize> {
    match kind {
        'x' => Some(2),
        'u' => Some(4),
        'U' => Some(8),
        _ => None,
    }
}

/// The character of a pair of surrogates, such as `\ud83d\ude00`.
fn character_of_pair(text: &str, at: usize) -> Option<char> {
    let half = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(digits, 16).ok()
    };
    char::decode_utf16([half(at)?, half(at + 6)?]).next()?.ok()
}

/// The key that lacks its colon: the parser notices that only at the next token, lines below.
fn key_before(source: &Arc<Source>, at: usize) -> usize {
    let mut start = at;
    for line in source.text().get(..at).unwrap_or_default().split_inclusive('\n').rev() {
        start -= line.len();
        let content = line.trim_start();
        if !content.is_empty() && !content.starts_with('#') {
            return start + line.len() - content.len();
        }
    }
    at
}

/// The tab that an error at `at` is about: at that position, or in the indentation of its line or
/// of one of the next lines.
fn tab_near(source: &Arc<Source>, at: usize) -> Option<usize> {
    let text = source.text();
    if text.as_bytes().get(at) == Some(&b'\t') {
        return Some(at);
    }
    let (_, line) = source.line_at(at);
    let mut start = line.start;
    for line in text[start..].split_inclusive('\n').take(10) {
        let indentation = &line[..line.len() - line.trim_start().len()];
        if let Some(tab) = indentation.find('\t') {
            return Some(start + tab);
        }
        start += line.len();
    }
    None
}

/// Lists and mappings are nested too deeply.
pub(super) fn too_deep(source: &Arc<Source>, at: usize) -> Diagnostic {
    let message = format!("lists and mappings are nested more than {MAX_DEPTH} levels deep");
    Diagnostic::error(ResultCode::FAILURE, message).at(Span::new(source, at..at + 1))
}
