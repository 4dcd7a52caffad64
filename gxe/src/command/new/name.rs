//! Names of extensions and codelets: one spelling, from which the others follow.

use std::fmt;
use std::str::FromStr;

/// A name in `snake_case`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

/// Words that cannot name a module or a variable in one of the languages.
const RESERVED: &[&str] = &[
    "abstract",
    "as",
    "async",
    "auto",
    "await",
    "become",
    "box",
    "break",
    "case",
    "char",
    "codelet",
    "component",
    "const",
    "continue",
    "crate",
    "create",
    "default",
    "do",
    "double",
    "dyn",
    "else",
    "enum",
    "extern",
    "extension",
    "failed",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "gen",
    "goto",
    "gxf",
    "host",
    "if",
    "impl",
    "in",
    "inline",
    "int",
    "interfaces",
    "let",
    "long",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "parameters",
    "priv",
    "pub",
    "ref",
    "register",
    "restrict",
    "return",
    "self",
    "short",
    "signed",
    "sizeof",
    "start",
    "static",
    "stop",
    "struct",
    "super",
    "support",
    "switch",
    "test",
    "text",
    "tick",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeof",
    "types",
    "union",
    "unsafe",
    "unsigned",
    "unsized",
    "use",
    "virtual",
    "void",
    "volatile",
    "where",
    "while",
    "yield",
    "zero",
];

impl Name {
    /// `ImageFilter` for `image_filter`.
    pub fn camel(&self) -> String {
        let words = self.0.split('_');
        words
            .map(|word| {
                let mut letters = word.chars();
                let first = letters.next().map(|first| first.to_ascii_uppercase());
                first.into_iter().chain(letters).collect::<String>()
            })
            .collect()
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = text.replace('-', "_");
        let valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) || !name.chars().all(valid) {
            return Err("a name is lower-case letters, digits and `_`, a letter first".to_owned());
        }
        if name.len() > 64 || name.ends_with('_') || name.contains("__") {
            return Err("a name has up to 64 characters and single `_` between words".to_owned());
        }
        if RESERVED.contains(&name.as_str()) {
            return Err(format!("`{name}` means something else in the languages of extensions"));
        }
        Ok(Self(name))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_one_spelling() {
        let name: Name = "image-filter_2".parse().unwrap();
        assert_eq!(
            (name.to_string().as_str(), name.camel().as_str()),
            ("image_filter_2", "ImageFilter2")
        );
        for wrong in ["", "Image", "2d", "a b", "../x", "a__b", "a_", "fn", "ü"] {
            assert!(wrong.parse::<Name>().is_err(), "{wrong}");
        }
    }
}
