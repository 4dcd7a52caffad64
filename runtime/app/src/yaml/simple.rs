//! A fast reader for the plain style of nearly all app files.
//!
//! It reads one document of block lists and mappings whose scalars are on one line, plain or in
//! quotes without escapes, and lists and mappings in brackets on one line. It gives up on anything
//! else, and the full parser reads the document instead. Its only duty is that a tree it accepts
//! equals the one from the full parser, which a test compares.
//!
//! The full parser takes 85,000 instructions for an entity of three components, this one 15,000.
//! Without it, reading takes two thirds of the time of a large app from start to exit.

use super::MAX_DEPTH;
use super::keys::repeated_key;
use super::merge::is_merge_key;
use super::node::{Kind, Node};

/// The tree of one document, or `None` if the full parser must read it. `text` starts with the
/// `---` line, if any; `base` is added to all offsets.
pub(super) fn read_simple(text: &str, base: usize) -> Option<Node> {
    // Tabs, carriage returns and characters outside ASCII have rules of their own.
    let is_known = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n');
    // Piece by piece and without a branch for each byte, so that it takes whole vectors.
    let all_known = |piece: &[u8]| piece.iter().fold(true, |all, byte| all & is_known(byte));
    if !text.as_bytes().chunks(64).all(all_known) {
        return None;
    }
    let mut reader = Reader { text, base, at: 0, column: 0, depth: 0 };
    if text.starts_with("---") {
        reader.at = 3;
        reader.end_line()?;
    }
    reader.next_line()?;
    let node = reader.block()?;
    (reader.at == text.len()).then_some(node)
}

struct Reader<'a> {
    text: &'a str,
    base: usize,
    /// The next byte to read; between nodes, the first byte of a line that is not blank.
    at: usize,
    /// Column of `at`, maintained only between nodes.
    column: usize,
    depth: usize,
}

impl Reader<'_> {
    fn byte(&self, at: usize) -> u8 {
        // The end of the text reads like the end of a line.
        self.text.as_bytes().get(at).copied().unwrap_or(b'\n')
    }

    fn node(&self, kind: Kind, start: usize, end: usize) -> Option<Node> {
        let place = |at: usize| u32::try_from(self.base + at).ok();
        Some(Node { kind, tag: None, start: place(start)?, end: place(end)? })
    }

    fn scalar(&self, start: usize, end: usize, place: (usize, usize), plain: bool) -> Option<Node> {
        let value = self.text.get(start..end)?.into();
        self.node(Kind::Scalar { value, plain }, place.0, place.1)
    }

    /// Moves from the start of a line to the next content.
    fn next_line(&mut self) -> Option<()> {
        loop {
            let start = self.at;
            while self.byte(self.at) == b' ' {
                self.at += 1;
            }
            self.column = self.at - start;
            match self.byte(self.at) {
                b'#' => self.skip_line(),
                b'\n' if self.at < self.text.len() => self.at += 1,
                _ => return Some(()),
            }
        }
    }

    fn skip_line(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
    }

    /// Skips spaces and a comment, and expects the end of the line.
    fn end_line(&mut self) -> Option<()> {
        let start = self.at;
        while self.byte(self.at) == b' ' {
            self.at += 1;
        }
        match self.byte(self.at) {
            b'\n' => {}
            b'#' if self.at > start => {}
            _ => return None,
        }
        self.skip_line();
        Some(())
    }

    fn at_element(&self) -> bool {
        self.byte(self.at) == b'-' && self.byte(self.at + 1) == b' '
    }

    /// A list or mapping that starts at the current content.
    fn block(&mut self) -> Option<Node> {
        if self.at_element() {
            return self.nested(Self::sequence);
        }
        let key_end = self.key_end()?;
        self.nested(|reader| reader.mapping(key_end))
    }

    /// Reads what is one level deeper.
    fn nested(&mut self, read: impl FnOnce(&mut Self) -> Option<Node>) -> Option<Node> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let node = read(self)?;
        self.depth -= 1;
        Some(node)
    }

    fn sequence(&mut self) -> Option<Node> {
        let (start, column) = (self.at, self.column);
        let mut elements: Vec<Node> = Vec::new();
        while self.column == column && self.at_element() {
            let dash = self.at;
            self.at += 1;
            while self.byte(self.at) == b' ' {
                self.at += 1;
            }
            self.column = column + self.at - dash;
            let element = if self.at_element() {
                self.nested(Self::sequence)?
            } else if let Some(key_end) = self.key_end() {
                self.nested(|reader| reader.mapping(key_end))?
            } else {
                self.line_value(column)?
            };
            elements.push(element);
        }
        let end = elements.last()?.end as usize - self.base;
        self.node(Kind::Sequence(elements), start, end)
    }

    /// A mapping whose first key ends at `key_end`.
    fn mapping(&mut self, mut key_end: usize) -> Option<Node> {
        let (start, column) = (self.at, self.column);
        let mut pairs: Vec<(Node, Node)> = Vec::new();
        loop {
            let key_start = self.at;
            let key = self.scalar(key_start, key_end, (key_start, key_end), true)?;
            if is_merge_key(&key) {
                return None;
            }
            self.at = key_end + 1;
            while self.byte(self.at) == b' ' {
                self.at += 1;
            }
            let nothing = match self.byte(self.at) {
                b'\n' => true,
                b'#' => self.at > key_end + 1,
                _ => false,
            };
            let value = if nothing {
                self.skip_line();
                self.next_line()?;
                let deeper = self.column > column || (self.column == column && self.at_element());
                if deeper && self.at < self.text.len() {
                    self.block()?
                } else {
                    self.scalar(key_end, key_end, (key_end, key_end), true)?
                }
            } else {
                self.line_value(column)?
            };
            pairs.push((key, value));
            if self.at >= self.text.len() || self.column != column {
                break;
            }
            key_end = self.key_end()?;
        }
        if self.at < self.text.len() && self.column > column || repeated_key(&pairs).is_some() {
            return None;
        }
        let end = pairs.last()?.1.end as usize - self.base;
        self.node(Kind::Mapping(pairs), start, end)
    }

    /// End of the plain key at the current content, if there is one.
    fn key_end(&self) -> Option<usize> {
        // The full parser allows 1024 characters.
        const LONGEST: usize = 512;
        if !self.begins_plain() {
            return None;
        }
        let rest = &self.text.as_bytes()[self.at..];
        let rest = &rest[..rest.len().min(LONGEST)];
        let end = rest.iter().position(|byte| matches!(byte, b':' | b'#' | b'\n'))?;
        let mut end = self.at + end;
        // `::` and the like belong to the key; a `#` may start a comment.
        while self.byte(end) == b':' && !matches!(self.byte(end + 1), b' ' | b'\n') {
            end += 1;
            while !matches!(self.byte(end), b':' | b'#' | b'\n') {
                end += 1;
            }
        }
        (self.byte(end) == b':' && self.byte(end - 1) != b' ' && end - self.at < LONGEST)
            .then_some(end)
    }

    fn begins_plain(&self) -> bool {
        let next = self.byte(self.at + 1);
        match self.byte(self.at) {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'/' | b'.' | b'<' | b'+' | b'~' => {
                true
            }
            b'-' => next.is_ascii_alphanumeric() || next == b'.',
            _ => false,
        }
    }

    /// A scalar, or a list in brackets, up to the end of the line. The next content must not be
    /// deeper than `column`, or it would belong to the value.
    fn line_value(&mut self, column: usize) -> Option<Node> {
        let node = match self.byte(self.at) {
            b'[' | b'{' => self.brackets()?,
            b'"' | b'\'' => self.quoted()?,
            _ => self.plain()?,
        };
        self.end_line()?;
        self.next_line()?;
        (self.column <= column || self.at >= self.text.len()).then_some(node)
    }

    fn plain(&mut self) -> Option<Node> {
        if !self.begins_plain() {
            return None;
        }
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let mut line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        for at in 1..line.len() {
            match line[at] {
                b'#' if line[at - 1] == b' ' => {
                    line = &line[..at];
                    break;
                }
                b':' if matches!(line.get(at + 1), None | Some(b' ')) => return None,
                _ => {}
            }
        }
        // What follows is spaces or a comment.
        self.at = start + line.trim_ascii_end().len();
        self.scalar(start, self.at, (start, self.at), true)
    }

    fn quoted(&mut self) -> Option<Node> {
        let (start, quote) = (self.at, self.byte(self.at));
        self.at += 1;
        loop {
            match self.byte(self.at) {
                byte if byte == quote => break,
                b'\n' => return None,
                b'\\' if quote == b'"' => return None,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        // A second quote right after this one means an escaped quote.
        if self.byte(self.at) == quote {
            return None;
        }
        self.scalar(start + 1, self.at - 1, (start, self.at), false)
    }

    /// A list or mapping in brackets.
    fn brackets(&mut self) -> Option<Node> {
        if self.depth >= MAX_DEPTH {
            return None;
        }
        self.depth += 1;
        let start = self.at;
        let kind = if self.byte(start) == b'[' {
            let mut elements = Vec::new();
            self.between_commas(b']', |reader| {
                elements.push(reader.value_in_brackets(b']')?);
                Some(())
            })?;
            Kind::Sequence(elements)
        } else {
            let mut pairs = Vec::new();
            self.between_commas(b'}', |reader| {
                let key = reader.key_in_brackets()?;
                pairs.push((key, reader.value_in_brackets(b'}')?));
                Some(())
            })?;
            if repeated_key(&pairs).is_some() {
                return None;
            }
            Kind::Mapping(pairs)
        };
        self.depth -= 1;
        self.node(kind, start, self.at)
    }

    /// Reads entries up to and including the closing bracket.
    fn between_commas(
        &mut self,
        close: u8,
        mut entry: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.at += 1;
        self.skip_blanks();
        if self.byte(self.at) != close {
            entry(self)?;
            self.skip_blanks();
            while self.byte(self.at) == b',' {
                self.at += 1;
                self.skip_blanks();
                entry(self)?;
                self.skip_blanks();
            }
        }
        (self.byte(self.at) == close).then(|| self.at += 1)
    }

    /// A plain key with its colon, up to its value.
    fn key_in_brackets(&mut self) -> Option<Node> {
        let (start, end) = (self.at, self.key_end()?);
        let key = self.text.get(start..end)?;
        let is_word = key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !is_word || self.byte(end + 1) != b' ' {
            return None;
        }
        self.at = end + 1;
        self.skip_blanks();
        self.scalar(start, end, (start, end), true)
    }

    fn value_in_brackets(&mut self, close: u8) -> Option<Node> {
        match self.byte(self.at) {
            b'[' | b'{' => self.brackets(),
            b'"' | b'\'' => self.quoted(),
            _ => self.plain_in_brackets(close),
        }
    }

    fn skip_blanks(&mut self) {
        while self.byte(self.at) == b' ' {
            self.at += 1;
        }
    }

    fn plain_in_brackets(&mut self, close: u8) -> Option<Node> {
        if !self.begins_plain() {
            return None;
        }
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let is_end = |byte: &u8| {
            *byte == close || matches!(byte, b',' | b'\n' | b'#' | b'[' | b']' | b'{' | b'}')
        };
        let end = rest.iter().position(is_end)?;
        if rest[end] != close && rest[end] != b',' {
            return None;
        }
        let value = &rest[..end];
        let mut next = value.iter().skip(1);
        for byte in value {
            let next = next.next().unwrap_or(&rest[end]);
            if *byte == b':' && *next != b':' && !next.is_ascii_alphanumeric() {
                return None;
            }
        }
        // What follows is spaces.
        self.at = start + value.trim_ascii_end().len();
        self.scalar(start, self.at, (start, self.at), true)
    }
}
