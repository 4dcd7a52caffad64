//! Names of extensions and codelets: one spelling, from which the others are derived.

use std::fmt;
use std::str::FromStr;

/// A name in `snake_case`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name(String);

/// Words that cannot name a module, a namespace, a variable or a type in one of the languages.
const RESERVED: &[&str] = &[
    "abstract",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "as",
    "asm",
    "async",
    "auto",
    "await",
    "become",
    "bitand",
    "bitor",
    "bool",
    "box",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "codelet",
    "compl",
    "component",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "crate",
    "create",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dyn",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extension",
    "extern",
    "failed",
    "false",
    "final",
    "float",
    "fn",
    "for",
    "friend",
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
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "nvidia",
    "operator",
    "or",
    "or_eq",
    "override",
    "parameter",
    "parameters",
    "priv",
    "private",
    "protected",
    "pub",
    "public",
    "ref",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "result",
    "return",
    "self",
    "short",
    "signed",
    "sizeof",
    "start",
    "static",
    "static_assert",
    "static_cast",
    "std",
    "stop",
    "struct",
    "super",
    "support",
    "switch",
    "template",
    "test",
    "text",
    "this",
    "thread_local",
    "throw",
    "tick",
    "tick_context",
    "trait",
    "true",
    "try",
    "type",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "types",
    "union",
    "unsafe",
    "unsigned",
    "unsized",
    "use",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "where",
    "while",
    "xor",
    "xor_eq",
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
            return Err(format!("`{name}` is a reserved word in a language of extensions"));
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
