//! An open file. The protocol counts columns in UTF-16 units; everything else here in bytes.

use serde_json::{Value, json};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// A file in the editor.
pub struct Document {
    /// The path, if the editor names a file.
    pub path: Option<PathBuf>,
    /// What the editor shows, saved or not.
    pub text: String,
}

/// A position: a line, and a byte in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub byte: usize,
}

impl Document {
    pub fn new(uri: &str, text: &str) -> Self {
        Self { path: path_of(uri), text: text.to_owned() }
    }

    /// The name that findings have for it.
    pub fn name(&self) -> String {
        self.path.as_deref().unwrap_or(Path::new("app.yaml")).to_string_lossy().into_owned()
    }

    pub fn lines(&self) -> Vec<&str> {
        self.text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
    }

    /// A position of the protocol. One behind the end of a line means its end.
    pub fn place(&self, line: usize, column: usize) -> Place {
        let text = self.lines().get(line).copied().unwrap_or_default();
        let mut units = 0;
        let passed = text.char_indices().find(|(_, letter)| {
            let is_there = units >= column;
            units += letter.len_utf16();
            is_there
        });
        Place { line, byte: passed.map_or(text.len(), |(byte, _)| byte) }
    }

    /// A range of bytes of the text, as the protocol writes it.
    pub fn range(&self, range: Range<usize>) -> Value {
        json!({"start": self.position(range.start), "end": self.position(range.end)})
    }

    /// A range within a line.
    pub fn range_in(&self, line: usize, range: Range<usize>) -> Value {
        let text = self.lines().get(line).copied().unwrap_or_default();
        let column = |byte: usize| units(text.get(..byte).unwrap_or(text));
        json!({
            "start": {"line": line, "character": column(range.start)},
            "end": {"line": line, "character": column(range.end)},
        })
    }

    fn position(&self, offset: usize) -> Value {
        let before = self.text.get(..offset.min(self.text.len())).unwrap_or(&self.text);
        let line = before.matches('\n').count();
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        json!({"line": line, "character": units(&before[start..])})
    }
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The path of a `file:` URI.
fn path_of(uri: &str) -> Option<PathBuf> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let path = uri.strip_prefix("file://")?;
    let path = &path[path.find('/')?..];
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.bytes();
    while let Some(byte) = rest.next() {
        let escaped = || {
            let digits = [rest.clone().next()?, rest.clone().nth(1)?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
        };
        match escaped().filter(|_| byte == b'%') {
            Some(decoded) => {
                bytes.push(decoded);
                _ = rest.nth(1);
            }
            None => bytes.push(byte),
        }
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_as_the_protocol_does() {
        let document = Document::new("file:///tmp/a%20b.yaml", "ä: 𝄞x\r\nb: 1\n");
        assert_eq!(document.path, Some("/tmp/a b.yaml".into()));
        // `𝄞` takes two units and four bytes.
        assert_eq!(document.place(0, 5), Place { line: 0, byte: "ä: 𝄞".len() });
        assert_eq!(document.place(0, 99), Place { line: 0, byte: "ä: 𝄞x".len() });
        assert_eq!(document.place(9, 0), Place { line: 9, byte: 0 });
        let start = document.text.find('x').unwrap();
        let range = document.range(start..start + 1);
        assert_eq!(range["start"], json!({"line": 0, "character": 5}));
        assert_eq!(document.range_in(0, 0..2)["end"]["character"], 1);
        assert_eq!(document.range(99..99)["start"], json!({"line": 2, "character": 0}));
    }
}
