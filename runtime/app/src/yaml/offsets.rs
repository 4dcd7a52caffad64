//! Converts positions of the YAML parser to byte offsets.

use saphyr_parser::Marker;

/// Converts the parser's character positions to byte offsets.
///
/// Positions come nearly in order, so a cursor that moves on from the last one is fast.
pub(super) struct Offsets<'a> {
    text: &'a str,
    base: usize,
    ascii: bool,
    character: usize,
    byte: usize,
}

impl<'a> Offsets<'a> {
    /// Positions in `text`; `base` is added to the offsets.
    pub(super) fn new(text: &'a str, base: usize) -> Self {
        Self { text, base, ascii: text.is_ascii(), character: 0, byte: 0 }
    }

    /// The byte offset of a position.
    pub(super) fn of(&mut self, marker: Marker) -> u32 {
        let wanted = marker.index();
        if self.ascii {
            self.byte = wanted.min(self.text.len());
        } else {
            while self.character < wanted {
                let Some(next) = self.text[self.byte..].chars().next() else { break };
                self.byte += next.len_utf8();
                self.character += 1;
            }
            while self.character > wanted {
                let Some(last) = self.text[..self.byte].chars().next_back() else { break };
                self.byte -= last.len_utf8();
                self.character -= 1;
            }
        }
        // The text is smaller than 4 GiB, which was checked before.
        u32::try_from(self.base + self.byte).unwrap_or(u32::MAX)
    }
}
