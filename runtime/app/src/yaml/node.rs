//! The tree.

use crate::source::{Source, Span};
use compact_str::CompactString;
use std::ops::Range;
use std::sync::Arc;

/// One node of a YAML document.
///
/// It stores offsets only; [`Node::span`] turns them into a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The content.
    pub kind: Kind,
    /// The tag, such as `!ms` or `tag:yaml.org,2002:str`.
    pub tag: Option<Box<str>>,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// Content of a [`Node`].
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Text.
    Scalar {
        /// The text without quotes and with escapes resolved. Usually short, so it lies in the node.
        value: CompactString,
        /// Unquoted, so it may mean a number, a bool or null.
        plain: bool,
    },
    /// A list.
    Sequence(Vec<Node>),
    /// Pairs in the order of the file, without duplicate scalar keys.
    Mapping(Vec<(Node, Node)>),
}

impl Node {
    /// Null at the given position, as if the value were omitted there.
    #[must_use]
    pub fn null(at: usize) -> Self {
        let at = u32::try_from(at).unwrap_or(u32::MAX);
        let kind = Kind::Scalar { value: CompactString::default(), plain: true };
        Self { kind, tag: None, start: at, end: at }
    }

    /// A node without a position.
    #[must_use]
    pub fn made(kind: Kind) -> Self {
        Self { kind, tag: None, start: 0, end: 0 }
    }

    /// The node's place; `source` is the text it was parsed from.
    #[must_use]
    pub fn span(&self, source: &Arc<Source>) -> Span {
        Span::new(source, self.range())
    }

    /// The node's place as a range of bytes in the text it was parsed from.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether the node is null: omitted, or an unquoted `~` or `null`.
    #[must_use]
    pub fn is_null(&self) -> bool {
        let Kind::Scalar { value, plain: true } = &self.kind else { return false };
        matches!(&**value, "" | "~" | "null" | "Null" | "NULL")
    }

    /// The text of a scalar.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The text of a scalar, without a copy.
    #[must_use]
    pub fn into_text(self) -> Option<CompactString> {
        match self.kind {
            Kind::Scalar { value, .. } => Some(value),
            _ => None,
        }
    }

    /// The elements of a list.
    #[must_use]
    pub fn as_sequence(&self) -> Option<&[Node]> {
        match &self.kind {
            Kind::Sequence(elements) => Some(elements),
            _ => None,
        }
    }

    /// The pairs of a mapping.
    #[must_use]
    pub fn as_mapping(&self) -> Option<&[(Node, Node)]> {
        match &self.kind {
            Kind::Mapping(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The value for a key of a mapping.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Node> {
        let mut pairs = self.as_mapping()?.iter();
        pairs.find(|(name, _)| name.as_text() == Some(key)).map(|(_, value)| value)
    }

    /// Description of the node for messages, with an article: "a mapping", "the text `abc`", ….
    #[must_use]
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Sequence(elements) if elements.is_empty() => "an empty list".into(),
            Kind::Sequence(_) => "a list".into(),
            Kind::Mapping(_) => "a mapping".into(),
            Kind::Scalar { .. } if self.is_null() => "nothing".into(),
            Kind::Scalar { value, .. } if value.chars().nth(40).is_some() => {
                format!("the text `{}…`", value.chars().take(40).collect::<String>())
            }
            Kind::Scalar { value, .. } => format!("`{value}`"),
        }
    }

    /// Number of nodes in the tree; a long text counts as several.
    pub(super) fn weight(&self) -> usize {
        match &self.kind {
            Kind::Scalar { value, .. } => 1 + value.len() / 64,
            Kind::Sequence(elements) => 1 + elements.iter().map(Self::weight).sum::<usize>(),
            Kind::Mapping(pairs) => {
                1 + pairs.iter().map(|(key, value)| key.weight() + value.weight()).sum::<usize>()
            }
        }
    }

    /// Number of levels in the tree; 1 for a scalar.
    pub(super) fn height(&self) -> usize {
        match &self.kind {
            Kind::Scalar { .. } => 1,
            Kind::Sequence(elements) => {
                1 + elements.iter().map(Self::height).max().unwrap_or_default()
            }
            Kind::Mapping(pairs) => {
                let heights = pairs.iter().map(|(key, value)| key.height().max(value.height()));
                1 + heights.max().unwrap_or_default()
            }
        }
    }
}
