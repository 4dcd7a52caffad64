//! Text from the user, and places in it.

use parking_lot::RwLock;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// One piece of text: a file, or a value from the command line.
pub struct Source {
    /// The path as the user gave it, or a name in angle brackets such as `<--param 1>`.
    pub name: String,
    text: RwLock<Text>,
    /// Reads the text again.
    reread: Option<Reread>,
    /// Start offsets of lines; built when the first place is shown.
    lines: OnceLock<Vec<u32>>,
}

/// The whole text, without a byte order mark.
enum Text {
    Here(Arc<String>),
    /// Read again when somebody asks for it.
    Elsewhere,
    /// It cannot be read again, or is another one now.
    Lost,
}

/// Texts from this size on are read again rather than kept.
const LARGE: usize = 1 << 20;

/// Reads a text again; `None` if it is no longer the same.
pub(crate) type Reread = Box<dyn Fn() -> Option<String> + Send + Sync>;

impl Source {
    /// Wraps a text under the name that messages use.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self::of(name.into(), text.into(), None))
    }

    /// The same for a text that may be read again.
    pub(crate) fn of(name: String, text: String, reread: Option<Reread>) -> Self {
        let text = RwLock::new(Text::Here(Arc::new(text)));
        Self { name, text, reread, lines: OnceLock::new() }
    }

    /// The whole text, without a byte order mark; empty if it [is lost](Self::is_lost).
    #[must_use]
    pub fn text(&self) -> Arc<String> {
        if let Text::Here(text) = &*self.text.read() {
            return Arc::clone(text);
        }
        let mut kept = self.text.write();
        if matches!(&*kept, Text::Elsewhere) {
            let again = self.reread.as_ref().and_then(|reread| reread());
            *kept = again.map_or(Text::Lost, |text| Text::Here(Arc::new(text)));
        }
        match &*kept {
            Text::Here(text) => Arc::clone(text),
            _ => Arc::default(),
        }
    }

    /// Keeps no copy of a large text that can be read again, for somebody who asks for it later.
    /// An app with 100,000 entities has 27 MB.
    pub fn release(&self) {
        let mut kept = self.text.write();
        if self.reread.is_some() && matches!(&*kept, Text::Here(text) if text.len() >= LARGE) {
            *kept = Text::Elsewhere;
        }
    }

    /// Whether the text was left in its file, and the file has changed or is gone. Places in it
    /// are known by their offsets alone.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        drop(self.text());
        matches!(&*self.text.read(), Text::Lost)
    }

    /// Line and column of a byte offset, counting from 1; the column counts characters.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let text = self.text();
        let offset = text.floor_char_boundary(offset);
        let (line, range) = self.line_at(offset);
        (line, text[range.start..offset].chars().count() + 1)
    }

    /// Number (from 1) and byte range, without its line break, of the line around an offset.
    pub(crate) fn line_at(&self, offset: usize) -> (usize, Range<usize>) {
        let text = self.text();
        let starts = self.lines.get_or_init(|| {
            let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            // Texts above 4 GiB are never parsed, so later places need no line number.
            let starts = breaks.map_while(|(at, _)| u32::try_from(at + 1).ok());
            std::iter::once(0).chain(starts).collect()
        });
        let line = starts.partition_point(|start| *start as usize <= offset).max(1);
        let start = starts.get(line - 1).map_or(0, |start| *start as usize).min(text.len());
        // The text may have been lost since its lines were counted.
        let end = starts.get(line).map_or(text.len(), |next| text.len().min(*next as usize - 1));
        let line_text = &text[start..end];
        (line, start..start + line_text.strip_suffix('\r').unwrap_or(line_text).len())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Source({})", self.name)
    }
}

/// A range of bytes in a [`Source`].
#[derive(Clone)]
pub struct Span {
    /// The text the offsets belong to.
    pub source: Arc<Source>,
    start: u32,
    /// Equal to `start` for a position between two characters.
    end: u32,
}

impl Span {
    /// A range of a source. Offsets outside it, or inside a character, move to the nearest valid
    /// one. Texts above 4 GiB are never parsed, so no place lies behind that.
    #[must_use]
    pub fn new(source: &Arc<Source>, range: Range<usize>) -> Self {
        let text = source.text();
        let start = text.floor_char_boundary(range.start);
        let end = text.ceil_char_boundary(range.end).max(start);
        let [start, end] = [start, end].map(|offset| u32::try_from(offset).unwrap_or(u32::MAX));
        Self { source: Arc::clone(source), start, end }
    }

    /// Whether another one is the same range of the same source.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source)
            && (self.start, self.end) == (other.start, other.end)
    }

    /// Offset of the first byte.
    #[must_use]
    pub fn start(&self) -> usize {
        self.start as usize
    }

    /// Offset one past the last byte.
    #[must_use]
    pub fn end(&self) -> usize {
        self.end as usize
    }

    /// The text that the span covers.
    #[must_use]
    pub fn text(&self) -> String {
        self.source.text().get(self.start()..self.end()).unwrap_or_default().to_owned()
    }

    /// Line and column of the start, both from 1; the column counts characters.
    #[must_use]
    pub fn line_column(&self) -> (usize, usize) {
        self.source.line_column(self.start())
    }

    /// Line and column one past the end, counting from 1.
    #[must_use]
    pub fn end_line_column(&self) -> (usize, usize) {
        self.source.line_column(self.end())
    }
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source)
            && (self.start, self.end) == (other.start, other.end)
    }
}

/// Displays as `file:line:column`, or `file, byte N` if the text is lost.
impl fmt::Display for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.source.is_lost() {
            return write!(formatter, "{}, byte {}", self.source.name, self.start);
        }
        let (line, column) = self.line_column();
        write!(formatter, "{}:{line}:{column}", self.source.name)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}+{}", self.end.saturating_sub(self.start))
    }
}

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub span: Span,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_from_one() {
        let source = Source::new("a.yaml", "äb: 1\r\nx: y\n");
        assert_eq!(source.line_column(2), (1, 2));
        assert_eq!(source.line_column(source.text().find('y').unwrap()), (2, 4));
        assert_eq!(source.line_column(usize::MAX), (3, 1));
        assert_eq!(source.line_at(0), (1, 0..6));
    }

    #[test]
    fn a_span_never_cuts_a_character() {
        let source = Source::new("a.yaml", "äö");
        assert_eq!(Span::new(&source, 1..3).text(), "äö");
        assert_eq!(Span::new(&source, 9..12).text(), "");
    }
}
