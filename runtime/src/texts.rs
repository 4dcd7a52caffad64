//! Texts with a zero byte and a fixed address, for callers that need them.

use gxf_engine::graph::Graph;
use gxf_plugin::message::by_id::is_there;
use gxf_plugin_abi::Uid;
use rustc_hash::FxHashMap;
use std::ffi::{CString, c_char};

/// Texts by object and kind.
#[derive(Default)]
pub(crate) struct Texts {
    texts: FxHashMap<(Uid, String), CString>,
    /// Number of texts at which those of removed objects are freed.
    limit: usize,
}

impl Texts {
    /// A copy of a text that stays at its place until another text is kept for the same object and
    /// the same `what`, or the object is gone. A zero byte in it ends it.
    pub fn keep(&mut self, graph: &Graph, object: Uid, what: &str, text: &str) -> *const c_char {
        let end = text.find('\0').unwrap_or(text.len());
        let text = CString::new(&text[..end]).unwrap_or_default();
        if let Some(known) = self.texts.get(&(object, what.to_owned()))
            && *known == text
        {
            return known.as_ptr();
        }
        if self.texts.len() >= self.limit {
            self.forget_gone(graph);
        }
        let kept = self.texts.entry((object, what.to_owned())).insert_entry(text);
        kept.get().as_ptr()
    }

    fn forget_gone(&mut self, graph: &Graph) {
        let groups = graph.groups.lock();
        let store = graph.store.read();
        self.texts.retain(|(uid, _), _| {
            is_there(*uid)
                || groups.name(*uid).is_some()
                || store.entity(*uid).is_some()
                || store.component(*uid).is_some()
        });
        self.limit = (2 * self.texts.len()).max(256);
    }
}
