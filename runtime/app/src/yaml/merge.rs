//! Merge keys: `<<: *defaults`.

use super::node::{Kind, Node};
use crate::diagnostic::Diagnostic;
use crate::source::Source;
use gxf_plugin_abi::ResultCode;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Whether a key asks for merging.
pub(super) fn is_merge_key(key: &Node) -> bool {
    matches!(&key.kind, Kind::Scalar { value, plain: true } if &**value == "<<")
}

/// Replaces each merge key in the tree by the pairs it refers to. Own keys win over merged ones,
/// and earlier mappings over later ones.
pub(super) fn expand_merge_keys(node: &mut Node, source: &Arc<Source>) -> Result<(), Diagnostic> {
    match &mut node.kind {
        Kind::Scalar { .. } => Ok(()),
        Kind::Sequence(elements) => {
            elements.iter_mut().try_for_each(|element| expand_merge_keys(element, source))
        }
        Kind::Mapping(pairs) => {
            for (key, value) in &mut *pairs {
                expand_merge_keys(key, source)?;
                expand_merge_keys(value, source)?;
            }
            let Some(index) = pairs.iter().position(|(key, _)| is_merge_key(key)) else {
                return Ok(());
            };
            let (_, value) = pairs.remove(index);
            let own = pairs.iter().filter_map(|(key, _)| key.as_text());
            let mut taken: FxHashSet<Box<str>> = own.map(Box::from).collect();
            for (key, value) in merged_pairs(value, source)? {
                if key.as_text().is_none_or(|text| taken.insert(text.into())) {
                    pairs.push((key, value));
                }
            }
            Ok(())
        }
    }
}

fn merged_pairs(value: Node, source: &Arc<Source>) -> Result<Vec<(Node, Node)>, Diagnostic> {
    let place = value.span(source);
    match value.kind {
        Kind::Mapping(pairs) => Ok(pairs),
        // A list inside the list is not allowed, so this recurses at most once.
        Kind::Sequence(elements)
            if elements.iter().all(|element| element.as_mapping().is_some()) =>
        {
            let mut all = Vec::new();
            for element in elements {
                all.extend(merged_pairs(element, source)?);
            }
            Ok(all)
        }
        _ => Err(Diagnostic::error(
            ResultCode::FAILURE,
            "a merge key (`<<`) takes a mapping or a list of mappings",
        )
        .at(place)
        .help("write `<<: *name` with an anchor `&name` on a mapping, or quote the key")),
    }
}
