//! From the events of the YAML parser to trees.

use super::failure;
use super::merge::{expand_merge_keys, is_merge_key};
use super::node::{Kind, Node};
use crate::graph::diagnostic::Diagnostic;
use crate::graph::source::{Source, Span};
use gxf_plugin_abi::ResultCode;
use rustc_hash::{FxHashMap, FxHashSet};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle};
use std::ops::Range;
use std::sync::Arc;

/// Deepest nesting of lists and mappings.
pub const MAX_DEPTH: usize = 128;
/// How many nodes all aliases of one text may add; a long scalar counts as several.
pub const MAX_ALIASED: usize = 1_000_000;

/// Reads all documents of a text; an empty document becomes a null node.
///
/// # Errors
/// The first place that is not YAML, has a key twice in one mapping, or goes over a limit.
pub fn parse_stream(source: &Arc<Source>) -> Result<Vec<Node>, Diagnostic> {
    let start = if source.text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    parse_range(source, start..source.text.len())
}

/// Reads the one value that stands in a text from `start` to the end.
///
/// # Errors
/// As for [`parse_stream`]; also more than one document.
pub(in crate::graph) fn parse_value_at(
    source: &Arc<Source>,
    start: usize,
) -> Result<Node, Diagnostic> {
    let mut documents = parse_range(source, start..source.text.len())?.into_iter();
    let first = documents.next().unwrap_or_else(|| Node::null(start));
    match documents.next() {
        None => Ok(first),
        Some(second) => Err(Diagnostic::error(
            ResultCode::FAILURE,
            "expected one value, found a second YAML document",
        )
        .at(second.span(source))),
    }
}

fn parse_range(source: &Arc<Source>, range: Range<usize>) -> Result<Vec<Node>, Diagnostic> {
    if u32::try_from(source.text.len()).is_err() {
        let message = format!("`{}` is larger than 4 GiB", source.name);
        return Err(Diagnostic::error(ResultCode::FAILURE, message));
    }
    let text = &source.text[range.clone()];
    let mut builder = Builder::new(source, text, range.start);
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        match event {
            Ok((event, span)) => {
                let start = builder.offsets.of(span.start);
                let end = builder.offsets.of(span.end);
                builder.event(event, start, end)?;
            }
            Err(error) => {
                let at = builder.offsets.of(*error.marker()) as usize;
                let open = builder.open_collections();
                return Err(failure::syntax(source, error.info(), at, &open));
            }
        }
    }
    Ok(builder.documents)
}

/// Turns the parser's character positions into byte offsets.
///
/// Positions come nearly in order, so a cursor that walks from the last one is fast.
struct Offsets<'a> {
    text: &'a str,
    base: usize,
    ascii: bool,
    character: usize,
    byte: usize,
}

impl Offsets<'_> {
    fn of(&mut self, marker: Marker) -> u32 {
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
        // The whole text is below 4 GiB, which was checked before.
        u32::try_from(self.base + self.byte).unwrap_or(u32::MAX)
    }
}

/// A list or mapping whose end has not been reached.
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
    /// Number of nodes below that are complete.
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

    /// End of the last complete node below.
    fn end(&self) -> Option<u32> {
        self.child(self.len().checked_sub(1)?).map(|node| node.end)
    }
}

struct Builder<'a> {
    source: &'a Arc<Source>,
    offsets: Offsets<'a>,
    documents: Vec<Node>,
    open: Vec<Open>,
    /// For each anchor of the document the way to its node: a child index for each open level.
    ///
    /// Keeping the way and not a copy makes an anchor free until it is used.
    anchors: FxHashMap<usize, Vec<u32>>,
    /// Whether the current document has its node.
    filled: bool,
    /// Whether the current document has a merge key.
    merges: bool,
    aliased: usize,
}

impl<'a> Builder<'a> {
    fn new(source: &'a Arc<Source>, text: &'a str, base: usize) -> Self {
        let offsets = Offsets { text, base, ascii: text.is_ascii(), character: 0, byte: 0 };
        Self {
            source,
            offsets,
            documents: Vec::new(),
            open: Vec::new(),
            anchors: FxHashMap::default(),
            filled: false,
            merges: false,
            aliased: 0,
        }
    }

    fn event(&mut self, event: Event<'_>, start: u32, end: u32) -> Result<(), Diagnostic> {
        match event {
            Event::DocumentStart(_) => {
                self.anchors.clear();
                self.filled = false;
                self.merges = false;
            }
            Event::DocumentEnd if !self.filled => self.documents.push(Node::null(start as usize)),
            Event::Scalar(value, style, anchor, tag) => {
                self.anchor(anchor);
                let tag = tag.as_deref().and_then(tag_text);
                let plain = style == ScalarStyle::Plain
                    && tag.as_deref().is_none_or(|tag| !matches!(tag, "tag:yaml.org,2002:str" | "!"));
                let (start, end) = self.scalar_place(&value, style, start, end);
                let kind = Kind::Scalar { value: value.into(), plain };
                self.complete(Node { kind, tag: tag.filter(|tag| &**tag != "!"), start, end })?;
            }
            Event::SequenceStart(anchor, tag) => {
                let content = Content::Sequence(Vec::new());
                self.begin(content, anchor, tag.as_deref().and_then(tag_text), start)?;
            }
            Event::MappingStart(anchor, tag) => {
                let content = Content::Mapping { pairs: Vec::new(), key: None };
                self.begin(content, anchor, tag.as_deref().and_then(tag_text), start)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(start, end)?,
            Event::Alias(anchor) => self.alias(anchor, start, end)?,
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        Ok(())
    }

    /// Where a scalar stands: without the white space after it, and for one that was left out,
    /// right behind its key and not where the parser noticed it.
    fn scalar_place(&self, value: &str, style: ScalarStyle, start: u32, end: u32) -> (u32, u32) {
        let written = &self.source.text[start as usize..(end.max(start)) as usize];
        let trimmed = u32::try_from(written.trim_end().len()).unwrap_or_default();
        if trimmed == 0 && value.is_empty() && style == ScalarStyle::Plain {
            let before = match self.open.last().map(|open| &open.content) {
                Some(Content::Mapping { key: Some(key), .. }) => key.end,
                _ => start,
            };
            return (before, before);
        }
        (start, start + trimmed)
    }

    /// Remembers the way to the node that comes next.
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

    fn end(&mut self, start: u32, end: u32) -> Result<(), Diagnostic> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        // A block collection is noticed to have ended only where the next thing starts.
        let in_brackets = end > start;
        let end = if in_brackets { end } else { open.content.end().unwrap_or(open.start) };
        let kind = match open.content {
            Content::Sequence(elements) => Kind::Sequence(elements),
            Content::Mapping { pairs, .. } => {
                self.check_keys(&pairs)?;
                self.merges |= pairs.iter().any(|(key, _)| is_merge_key(key));
                Kind::Mapping(pairs)
            }
        };
        self.complete(Node { kind, tag: open.tag, start: open.start, end })
    }

    /// Hangs a complete node below the innermost open one.
    fn complete(&mut self, node: Node) -> Result<(), Diagnostic> {
        match self.open.last_mut().map(|open| &mut open.content) {
            None => {
                let mut node = node;
                // Only now, because the ways to anchors count the pairs as they were written.
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
            .help("an anchor (`&name`) has to stand before its alias, in the same document"));
        };
        let aliased = self.aliased.saturating_add(target.weight());
        if aliased > MAX_ALIASED {
            return Err(Diagnostic::error(
                ResultCode::FAILURE,
                format!("the aliases of this file expand to more than {MAX_ALIASED} nodes"),
            )
            .at(place())
            .label("the limit is passed here")
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

    /// The complete node an anchor of this document stands for.
    fn anchored(&self, anchor: usize) -> Option<&Node> {
        let way = self.anchors.get(&anchor)?;
        let Some((first, rest)) = way.split_first() else {
            // The anchor of the whole document, which is complete only behind its end.
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

    fn check_keys(&self, pairs: &[(Node, Node)]) -> Result<(), Diagnostic> {
        // Comparing all pairs is faster than hashing for the usual handful of keys.
        const FEW: usize = 8;
        let mut second = None;
        if pairs.len() <= FEW {
            for (index, (key, _)) in pairs.iter().enumerate() {
                let Some(text) = key.as_text() else { continue };
                if pairs[..index].iter().any(|(earlier, _)| earlier.as_text() == Some(text)) {
                    second = Some(key);
                    break;
                }
            }
        } else {
            let mut seen = FxHashSet::default();
            let mut keys = pairs.iter().map(|(key, _)| key);
            second = keys.find(|key| key.as_text().is_some_and(|text| !seen.insert(text)));
        }
        let Some(second) = second else { return Ok(()) };
        let text = second.as_text().unwrap_or_default();
        let first = pairs.iter().find(|(key, _)| key.as_text() == Some(text));
        let mut diagnostic = Diagnostic::error(
            ResultCode::FAILURE,
            format!("the key `{text}` stands twice in one mapping"),
        )
        .at(second.span(self.source))
        .label("second time");
        if let Some((first, _)) = first {
            diagnostic = diagnostic.note(first.span(self.source), "first time here");
        }
        Err(diagnostic)
    }

    /// Places where the collections begin that are still open and written with brackets.
    fn open_collections(&self) -> Vec<usize> {
        let starts = self.open.iter().map(|open| open.start as usize);
        starts.filter(|start| matches!(self.source.text.as_bytes().get(*start), Some(b'[' | b'{'))).collect()
    }
}

fn child(node: &Node, index: usize) -> Option<&Node> {
    match &node.kind {
        Kind::Scalar { .. } => None,
        Kind::Sequence(elements) => elements.get(index),
        Kind::Mapping(pairs) => {
            pairs.get(index / 2).map(|(key, value)| if index.is_multiple_of(2) { key } else { value })
        }
    }
}

fn tag_text(tag: &saphyr_parser::Tag) -> Option<Box<str>> {
    Some(format!("{}{}", tag.handle, tag.suffix).into())
}
