//! Makes text of users and extensions safe to show: it cannot control a terminal, forge a line of
//! gxe's, or fill the screen.
//!
//! Every text on its way to a terminal, a log or a JSON file passes through here once: [`one_line`]
//! for names and messages, [`lines`] for texts of several lines, [`entry`] for the log, [`json`]
//! for documents.

use std::fmt::{self, Display, Formatter, Write};

/// Longest text on one line, in characters. Longer texts lose their middle.
const LONGEST_LINE: usize = 2_000;
/// Longest text of several lines, in characters.
const LONGEST_TEXT: usize = 1 << 16;

/// Characters that a terminal interprets instead of showing them: control characters, line
/// separators, and marks that change the writing direction.
#[must_use]
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}'
                | '\u{200e}'
                | '\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2066}'..='\u{2069}'
        )
}

/// The text as one line, with hidden characters as escapes and without the middle of a long text.
#[must_use]
pub fn one_line(text: &str) -> String {
    escaped(text, LONGEST_LINE, |_| false)
}

/// The same for a text of several lines: keeps line breaks and tabs.
#[must_use]
pub fn lines(text: &str) -> String {
    escaped(text, LONGEST_TEXT, |character| matches!(character, '\n' | '\t'))
}

/// A text of one value of JSON: only too long ones are changed, since [`json`] escapes.
#[must_use]
pub fn shortened(text: &str) -> String {
    escaped(text, LONGEST_LINE, |_| true)
}

/// As [`lines`] for a log entry: indents lines after the first, so that none can pass for an entry of
/// its own.
#[must_use]
pub fn entry(text: &str) -> String {
    let text = lines(text);
    let mut pieces = text.split('\n');
    let mut entry = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        entry.push('\n');
        if piece.starts_with(|first| first != ' ') {
            entry.push_str("  ");
        }
        entry.push_str(piece);
    }
    entry
}

fn escaped(text: &str, longest: usize, stays: impl Fn(char) -> bool) -> String {
    let mut result = String::with_capacity(text.len().min(4 * longest));
    let mut push = |piece: &str| {
        for character in piece.chars() {
            if is_hidden(character) && !stays(character) {
                result.extend(character.escape_default());
            } else {
                result.push(character);
            }
        }
    };
    // The number of bytes is an upper bound for the number of characters.
    let length = if text.len() <= longest { 0 } else { text.chars().count() };
    if length <= longest {
        push(text);
        return result;
    }
    // The end often says what is wrong.
    let (first, last) = (longest * 3 / 4, longest / 4);
    let offset = |number| text.char_indices().nth(number).map_or(text.len(), |(at, _)| at);
    push(&text[..offset(first)]);
    push(&format!("… ({} more characters) …", length - first - last));
    push(&text[offset(length - last)..]);
    result
}

/// A JSON document with hidden characters as `\u` escapes. JSON itself requires that only below
/// U+0020.
pub fn json<T: Display>(document: T) -> impl Display {
    Json(document)
}

struct Json<T>(T);

impl<T: Display> Display for Json<T> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let is_pretty = formatter.alternate();
        let mut escaping = Escaping(formatter);
        if is_pretty { write!(escaping, "{:#}", self.0) } else { write!(escaping, "{}", self.0) }
    }
}

struct Escaping<'a, 'b>(&'a mut Formatter<'b>);

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        // Outside strings, JSON has no characters above U+007E, and line breaks only separate
        // values.
        while let Some(at) = rest.find(|known: char| known >= '\u{7f}' && is_hidden(known)) {
            let (before, from) = rest.split_at(at);
            self.0.write_str(before)?;
            let mut characters = from.chars();
            let hidden = characters.next().map_or(0, u32::from);
            // All of them are in the basic plane, so one escape suffices.
            write!(self.0, "\\u{hidden:04x}")?;
            rest = characters.as_str();
        }
        self.0.write_str(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_escaped() {
        for (text, expected) in [
            ("tx", "tx"),
            ("ünïcödé Größe 日本", "ünïcödé Größe 日本"),
            ("a\u{1b}[2Jb\nc\u{9b}31m\u{7f}", "a\\u{1b}[2Jb\\nc\\u{9b}31m\\u{7f}"),
            ("\u{202e}gnp.exe\u{2028}x\u{61c}", "\\u{202e}gnp.exe\\u{2028}x\\u{61c}"),
        ] {
            assert_eq!(one_line(text), expected);
        }
        assert_eq!(entry("a\n2026-11-22 b\n\n  c"), "a\n  2026-11-22 b\n\n  c");
        assert_eq!(lines("a\tb\n\u{1b}c\r\n"), "a\tb\n\\u{1b}c\\r\n");
    }

    #[test]
    fn the_middle_of_long_texts_is_left_out() {
        let text = format!("begin{}end", "ä".repeat(1 << 20));
        let shown = one_line(&text);
        assert!(shown.starts_with("beginä") && shown.ends_with("äend"), "{shown}");
        assert!(shown.contains("ä… (1046584 more characters) …ä"), "{shown}");
        assert!(shown.chars().count() < LONGEST_LINE + 50);
        assert!(lines(&text).chars().count() < LONGEST_TEXT + 50);
        let just = "ä".repeat(LONGEST_LINE);
        assert_eq!(one_line(&just), just);
    }

    #[test]
    fn json_is_the_same_value_without_hidden_characters() {
        let value = serde_json::json!({"a\u{9b}\n": ["\u{202e}\u{7f}", "ä日😀", 1.5]});
        for text in [json(&value).to_string(), format!("{:#}", json(&value))] {
            assert!(!text.chars().any(|known| known != '\n' && is_hidden(known)), "{text}");
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
        }
        assert_eq!(json("[]").to_string(), "[]");
    }
}
