//! From the events of the YAML parser to trees.

use super::failure;
use super::merge::{expand_merge_keys, is_merge_key};
use super::node::{Kind, Node};
use super::simple::read_simple;
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
    let mut documents = Vec::new();
    let mut aliased = 0;
    for part in split_documents(&source.text, range) {
        match read_simple(&source.text[part.clone()], part.start) {
            Some(document) => documents.push(document),
            None => parse_fully(source, part, &mut documents, &mut aliased)?,
        }
    }
    Ok(documents)
}

/// Ranges that can be read on their own: each begins with the line of a `---`, but for the first.
///
/// A line that begins with `---` and a blank is the start of a document wherever it stands, even
/// inside of quotes. Directives and `...` belong to the text around them, so a text that seems to
/// have such lines stays in one piece.
fn split_documents(text: &str, range: Range<usize>) -> Vec<Range<usize>> {
    let bytes = &text.as_bytes()[range.clone()];
    let mut parts = Vec::new();
    let mut part = 0;
    let mut line = 0;
    while line < bytes.len() {
        let rest = &bytes[line..];
        match rest {
            [b'%', ..] | [b'.', b'.', b'.', ..] => return vec![range],
            [b'-', b'-', b'-'] | [b'-', b'-', b'-', b' ' | b'\t' | b'\n' | b'\r', ..]
                if line > 0 =>
            {
                parts.push(range.start + part..range.start + line);
                part = line;
            }
            _ => {}
        }
        line += rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
    }
    parts.push(range.start + part..range.end);
    parts
}

/// Reads a range with the full YAML parser; `aliased` counts on over all ranges of a text.
pub(super) fn parse_fully(
    source: &Arc<Source>,
    range: Range<usize>,
    documents: &mut Vec<Node>,
    aliased: &mut usize,
) -> Result<(), Diagnostic> {
    let text = &source.text[range.clone()];
    let mut builder = Builder::new(source, text, range.start);
    builder.aliased = *aliased;
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
    documents.append(&mut builder.documents);
    *aliased = builder.aliased;
    Ok(())
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

    /// Where a scalar that was left out belongs: right behind its key, and not where the parser
    /// noticed it.
    fn before(&self, noticed: u32) -> u32 {
        match self.open.last().map(|open| &open.content) {
            Some(Content::Mapping { key: Some(key), .. }) => key.end,
            _ => noticed,
        }
    }

    /// The dash that the value of the current key begins with, if it does.
    ///
    /// The parser takes a list that is not indented below its key to begin behind that dash.
    fn first_dash(&self) -> Option<u32> {
        let Content::Mapping { key: Some(key), .. } = &self.open.last()?.content else {
            return None;
        };
        let mut rest = self.source.text.get(key.end as usize..)?.trim_start().strip_prefix(':')?;
        loop {
            rest = rest.trim_start();
            match rest.strip_prefix('#') {
                Some(comment) => rest = comment.split_once('\n')?.1,
                None if rest.starts_with('-') => {
                    return u32::try_from(self.source.text.len() - rest.len()).ok();
                }
                None => return None,
            }
        }
    }

    /// Where a scalar ends; the parser counts white space and a comment behind it in.
    fn scalar_end(&self, style: ScalarStyle, start: u32, end: u32) -> u32 {
        let written = self.source.text.get(start as usize..end as usize).unwrap_or_default();
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

    fn end(&mut self, at: u32) -> Result<(), Diagnostic> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        // A block collection is noticed to have ended only where the next thing starts.
        let end = match self.source.text.as_bytes().get(at as usize) {
            Some(b']' | b'}') => at + 1,
            _ => open.content.end().unwrap_or(open.start),
        };
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
        let Some((first, second)) = repeated_key(pairs) else { return Ok(()) };
        let text = second.as_text().unwrap_or_default();
        Err(Diagnostic::error(
            ResultCode::FAILURE,
            format!("the key `{text}` stands twice in one mapping"),
        )
        .at(second.span(self.source))
        .label("second time")
        .note(first.span(self.source), "first time here"))
    }

    /// Places where the collections begin that are still open and written with brackets.
    fn open_collections(&self) -> Vec<usize> {
        let starts = self.open.iter().map(|open| open.start as usize);
        starts
            .filter(|start| matches!(self.source.text.as_bytes().get(*start), Some(b'[' | b'{')))
            .collect()
    }
}

/// Bytes of a quoted text behind its opening quote, with the closing one.
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

/// The first key of a mapping that stands there a second time, and its repetition.
pub(super) fn repeated_key(pairs: &[(Node, Node)]) -> Option<(&Node, &Node)> {
    // Comparing all pairs is faster than hashing for the usual handful of keys.
    const FEW: usize = 8;
    let keys = || pairs.iter().map(|(key, _)| key);
    let earlier = |index: usize, text: &str| {
        keys().take(index).find(|earlier| earlier.as_text() == Some(text))
    };
    if pairs.len() <= FEW {
        let mut all = keys().enumerate();
        return all.find_map(|(index, key)| Some((earlier(index, key.as_text()?)?, key)));
    }
    let mut seen = FxHashSet::default();
    let (index, second) =
        keys().enumerate().find(|(_, key)| key.as_text().is_some_and(|text| !seen.insert(text)))?;
    Some((earlier(index, second.as_text()?)?, second))
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
