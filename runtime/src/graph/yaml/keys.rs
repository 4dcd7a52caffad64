//! Keys that stand twice in one mapping.

use super::node::Node;
use rustc_hash::FxHashSet;

/// The first key of a mapping that stands there a second time, and its repetition.
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
