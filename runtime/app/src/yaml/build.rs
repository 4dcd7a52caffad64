//! Builds trees from the events of the YAML parser.

use super::failure;
use super::keys::{keep_last, repeated_key};
use super::merge::{expand_merge_keys, is_merge_key};
use super::node::{Kind, Node};
use super::offsets::Offsets;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::{Source, Span};
use gxf_plugin_abi::ResultCode;
use rustc_hash::FxHashMap;
use saphyr_parser::{Event, ScalarStyle};
use std::sync::Arc;

/// Deepest nesting of lists and mappings.
pub const MAX_DEPTH: usize = 128;
/// Most nodes that the aliases of one text may add; a long scalar counts as several.
pub const MAX_ALIASED: usize = 1_000_000;

/// A list or mapping whose end is not reached yet.
struct Open {
    start: u32,
    tag: Option<Box<str>>,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping { pairs: Vec<(Node, Node)>, key: Option<Node> },
}

impl Content {
    /// Number of complete child nodes.
    fn len(&self) -> usize {
        match self {
            Self::Sequence(elements) => elements.len(),
            Self::Mapping { pairs, key } => pairs.len() * 2 + usize::from(key.is_some()),
        }
    }

    fn child(&self, index: usize) -> Option<&Node> {
        match self {
            Self::Sequence(elements) => elements.get(index),
            Self::Mapping { pairs, key } => match pairs.get(index / 2) {
                Some((key, value)) => Some(if index.is_multiple_of(2) { key } else { value }),
                None if index == pairs.len() * 2 => key.as_ref(),
                None => None,
            },
        }
    }

    /// End of the last complete child node.
    fn end(&self) -> Option<u32> {
        self.child(self.len().checked_sub(1)?).map(|node| node.end)
    }
}

/// Documents under construction. Takes events until the end of the range.
pub(super) struct Builder<'a> {
    source: &'a Arc<Source>,
    /// The whole text.
    whole: &'a str,
    pub(super) offsets: Offsets<'a>,
    pub(super) documents: Vec<Node>,
    open: Vec<Open>,
    /// The path to each anchor's node in the document: a child index for each open level.
    ///
    /// Storing the path instead of a copy makes an anchor free until it is used.
    anchors: FxHashMap<usize, Vec<u32>>,
    /// Whether the current document already has its node.
    filled: bool,
    /// Whether the current document has a merge key.
    merges: bool,
    /// Whether a mapping of the current document has a key twice.
    repeats: bool,
    pub(super) warnings: Diagnostics,
    /// Nodes that aliases have added so far, see [`MAX_ALIASED`].
    pub(super) aliased: usize,
}

impl<'a> Builder<'a> {
    /// For a part of a source, whose `whole` text has `text` from `base` on.
    pub(super) fn new(source: &'a Arc<Source>, whole: &'a str, text: &'a str, base: usize) -> Self {
        let offsets = Offsets::new(text, base);
        Self {
            source,
            whole,
            offsets,
            documents: Vec::new(),
            open: Vec::new(),
            anchors: FxHashMap::default(),
            filled: false,
            merges: false,
            repeats: false,
            warnings: Diagnostics::new(),
            aliased: 0,
        }
    }

    pub(super) fn event(
        &mut self,
        event: Event<'_>,
        start: u32,
        end: u32,
    ) -> Result<(), Diagnostic> {
        match event {
            Event::DocumentStart(_) => {
                self.anchors.clear();
                self.filled = false;
                self.merges = false;
                self.repeats = false;
            }
            Event::DocumentEnd if !self.filled => self.documents.push(Node::null(start as usize)),
            Event::Scalar(value, style, anchor, tag) => {
                self.anchor(anchor);
                let tag = tag.as_deref().and_then(tag_text);
                let plain = style == ScalarStyle::Plain
                    && tag
                        .as_deref()
                        .is_none_or(|tag| !matches!(tag, "tag:yaml.org,2002:str" | "!"));
                let left_out =
                    value.is_empty() && style == ScalarStyle::Plain && anchor == 0 && tag.is_none();
                let (start, end) = if left_out {
                    let before = self.before(start);
                    (before, before)
                } else {
                    (start, self.scalar_end(style, start, end))
                };
                let kind = Kind::Scalar { value: value.into(), plain };
                self.complete(Node { kind, tag: tag.filter(|tag| &**tag != "!"), start, end })?;
            }
            Event::SequenceStart(anchor, tag) => {
                let start = self.first_dash().unwrap_or(start);
                let content = Content::Sequence(Vec::new());
                self.begin(content, anchor, tag.as_deref().and_then(tag_text), start)?;
            }
            Event::MappingStart(anchor, tag) => {
                let content = Content::Mapping { pairs: Vec::new(), key: None };
                self.begin(content, anchor, tag.as_deref().and_then(tag_text), start)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(start)?,
            Event::Alias(anchor) => self.alias(anchor, start, end)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// Position of an omitted scalar: right after its key, not where the parser noticed it.
    fn before(&self, noticed: u32) -> u32 {
        match self.open.last().map(|open| &open.content) {
            Some(Content::Mapping { key: Some(key), .. }) => key.end,
            _ => noticed,
        }
    }

    /// The dash at the start of the current key's value, if any.
    ///
    /// The parser thinks that a list which is not indented below its key starts after that dash.
    fn first_dash(&self) -> Option<u32> {
        let Content::Mapping { key: Some(key), .. } = &self.open.last()?.content else {
            return None;
        };
        let mut rest = self.whole.get(key.end as usize..)?.trim_start().strip_prefix(':')?;
        loop {
            rest = rest.trim_start();
            match rest.strip_prefix('#') {
                Some(comment) => rest = comment.split_once('\n')?.1,
                None if rest.starts_with('-') => {
                    return u32::try_from(self.whole.len() - rest.len()).ok();
                }
                None => return None,
            }
        }
    }

    /// End of a scalar. The parser includes trailing white space and comments.
    fn scalar_end(&self, style: ScalarStyle, start: u32, end: u32) -> u32 {
        let written = self.whole.get(start as usize..end as usize).unwrap_or_default();
        let quote = match style {
            ScalarStyle::SingleQuoted => '\'',
            ScalarStyle::DoubleQuoted => '"',
            _ => '\n',
        };
        let length = match written.split_once(quote) {
            Some((before, rest)) if quote != '\n' => {
                before.len() + 1 + quoted_length(rest.as_bytes(), quote as u8)
            }
            _ => written.trim_end().len(),
        };
        start + u32::try_from(length).unwrap_or_default()
    }

    /// Stores the path to the next node.
    fn anchor(&mut self, anchor: usize) {
        if anchor > 0 {
            let index = |open: &Open| u32::try_from(open.content.len()).unwrap_or(u32::MAX);
            self.anchors.insert(anchor, self.open.iter().map(index).collect());
        }
    }

    fn begin(
        &mut self,
        content: Content,
        anchor: usize,
        tag: Option<Box<str>>,
        start: u32,
    ) -> Result<(), Diagnostic> {
        if self.open.len() >= MAX_DEPTH {
            return Err(failure::too_deep(self.source, start as usize));
        }
        self.anchor(anchor);
        self.open.push(Open { start, tag, content });
        Ok(())
    }

    fn end(&mut self, at: u32) -> Result<(), Diagnostic> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        // The parser notices the end of a block collection only at the start of the next node.
        let end = match self.whole.as_bytes().get(at as usize) {
            Some(b']' | b'}') => at + 1,
            _ => open.content.end().unwrap_or(open.start),
        };
        let kind = match open.content {
            Content::Sequence(elements) => Kind::Sequence(elements),
            Content::Mapping { pairs, .. } => {
                self.repeats |= repeated_key(&pairs).is_some();
                self.merges |= pairs.iter().any(|(key, _)| is_merge_key(key));
                Kind::Mapping(pairs)
            }
        };
        self.complete(Node { kind, tag: open.tag, start: open.start, end })
    }

    /// Adds a complete node to the innermost open one.
    fn complete(&mut self, node: Node) -> Result<(), Diagnostic> {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => {
                let mut node = node;
                // Not earlier, because the paths to anchors count the pairs as written.
                if self.repeats {
                    keep_last(&mut node, self.source, &mut self.warnings);
                }
                if self.merges {
                    expand_merge_keys(&mut node, self.source)?;
                }
                self.documents.push(node);
                self.filled = true;
            }
            Some(Content::Sequence(elements)) => elements.push(node),
            Some(Content::Mapping { pairs, key }) => match key.take() {
                None => *key = Some(node),
                Some(key) => pairs.push((key, node)),
            },
        }
        Ok(())
    }

    fn alias(&mut self, anchor: usize, start: u32, end: u32) -> Result<(), Diagnostic> {
        let place = || Span::new(self.source, start as usize..end as usize);
        let Some(target) = self.anchored(anchor) else {
            return Err(Diagnostic::error(
                ResultCode::FAILURE,
                format!("the alias `{}` names no anchor that is complete", place().text()),
            )
            .at(place())
            .help("define the anchor (`&name`) before its alias, in the same document"));
        };
        let aliased = self.aliased.saturating_add(target.weight());
        if aliased > MAX_ALIASED {
            return Err(Diagnostic::error(
                ResultCode::FAILURE,
                format!("the aliases of this file expand to more than {MAX_ALIASED} nodes"),
            )
            .at(place())
            .label("the limit is exceeded here")
            .help("aliases of aliases multiply; write the values out or shorten the lists"));
        }
        if self.open.len() + target.height() > MAX_DEPTH {
            return Err(failure::too_deep(self.source, start as usize));
        }
        let mut copy = target.clone();
        (copy.start, copy.end) = (start, end);
        self.aliased = aliased;
        self.complete(copy)
    }

    /// The complete node of an anchor in this document.
    fn anchored(&self, anchor: usize) -> Option<&Node> {
        let way = self.anchors.get(&anchor)?;
        let Some((first, rest)) = way.split_first() else {
            // The anchor of the whole document, which is complete only after its end.
            return None;
        };
        let mut levels = self.open.iter();
        let mut node = levels.next()?.content.child(*first as usize);
        for index in rest {
            node = match node {
                Some(node) => child(node, *index as usize),
                None => levels.next()?.content.child(*index as usize),
            };
        }
        node
    }

    /// Start positions of the open collections in brackets.
    pub(super) fn open_collections(&self) -> Vec<usize> {
        let starts = self.open.iter().map(|open| open.start as usize);
        starts
            .filter(|start| matches!(self.whole.as_bytes().get(*start), Some(b'[' | b'{')))
            .collect()
    }
}

/// Length of a quoted text after its opening quote, including the closing one, in bytes.
fn quoted_length(text: &[u8], quote: u8) -> usize {
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        if *byte == b'\\' && quote == b'"' {
            at += 2;
        } else if *byte != quote {
            at += 1;
        } else if quote == b'\'' && text.get(at + 1) == Some(&quote) {
            at += 2;
        } else {
            return at + 1;
        }
    }
    text.len()
}

fn child(node: &Node, index: usize) -> Option<&Node> {
    match &node.kind {
        Kind::Scalar { .. } => None,
        Kind::Sequence(elements) => elements.get(index),
        Kind::Mapping(pairs) => pairs
            .get(index / 2)
            .map(|(key, value)| if index.is_multiple_of(2) { key } else { value }),
    }
}

fn tag_text(tag: &saphyr_parser::Tag) -> Option<Box<str>> {
    Some(format!("{}{}", tag.handle, tag.suffix).into())
}
