//! Duplicate keys in one mapping: the last one counts, as in GXF.

use super::node::{Kind, Node};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::source::Source;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Takes all but the last of equal keys out of the mappings of a document, each with a warning.
pub(super) fn keep_last(document: &mut Node, source: &Arc<Source>, warnings: &mut Diagnostics) {
    Dropper { source, warnings, known: FxHashSet::default() }.drop_below(document, true);
}

struct Dropper<'a> {
    source: &'a Arc<Source>,
    warnings: &'a mut Diagnostics,
    /// Places that were warned of: an alias repeats the keys of its anchor.
    known: FxHashSet<u32>,
}

impl Dropper<'_> {
    fn drop_below(&mut self, node: &mut Node, is_document: bool) {
        match &mut node.kind {
            Kind::Scalar { .. } => {}
            Kind::Sequence(elements) => {
                elements.iter_mut().for_each(|element| self.drop_below(element, false));
            }
            Kind::Mapping(pairs) => {
                if repeated_key(pairs).is_some() {
                    self.drop_earlier(pairs, is_document);
                }
                for (key, value) in pairs {
                    self.drop_below(key, false);
                    self.drop_below(value, false);
                }
            }
        }
    }

    fn drop_earlier(&mut self, pairs: &mut Vec<(Node, Node)>, is_document: bool) {
        let mut last: FxHashMap<Box<str>, usize> = FxHashMap::default();
        for (index, (key, _)) in pairs.iter().enumerate() {
            let Some(text) = text_of(key) else { continue };
            if let Some(earlier) = last.insert(text.into(), index)
                && self.known.insert(key.start)
            {
                let warning = self.warning(&pairs[earlier].0, key, is_document);
                self.warnings.push(warning);
            }
        }
        let mut index = 0;
        pairs.retain(|(key, _)| {
            index += 1;
            text_of(key).is_none_or(|text| last.get(text) == Some(&(index - 1)))
        });
    }

    fn warning(&self, earlier: &Node, key: &Node, is_document: bool) -> Diagnostic {
        let text = key.as_text().unwrap_or_default();
        let hint = match text {
            "name" | "components" if is_document => " (missing `---`?)",
            _ => "",
        };
        Diagnostic::warning(format!("duplicate key `{text}`{hint}"))
            .at(key.span(self.source))
            .label("this one counts")
            .note(earlier.span(self.source), "this one is ignored")
    }
}

/// The first duplicate key of a mapping, and its repetition.
pub(super) fn repeated_key(pairs: &[(Node, Node)]) -> Option<(&Node, &Node)> {
    // Comparing all pairs is faster than hashing for the usual handful of keys.
    const FEW: usize = 8;
    let keys = || pairs.iter().map(|(key, _)| key);
    let earlier = |index: usize, wanted: &str| {
        keys().take(index).find(|earlier| text_of(earlier) == Some(wanted))
    };
    if pairs.len() <= FEW {
        let mut all = keys().enumerate();
        return all.find_map(|(index, key)| Some((earlier(index, text_of(key)?)?, key)));
    }
    let mut seen = FxHashSet::default();
    let (index, second) =
        keys().enumerate().find(|(_, key)| text_of(key).is_some_and(|text| !seen.insert(text)))?;
    Some((earlier(index, text_of(second)?)?, second))
}

/// The text by which keys are compared; all spellings of null are one key.
fn text_of(key: &Node) -> Option<&str> {
    if key.is_null() { Some("~") } else { key.as_text() }
}
