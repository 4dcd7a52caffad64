//! Texts for callers that need them to end with a zero byte and to stay where they are.

use super::{Context, Inner};
use crate::message::by_id::is_there;
use gxf_plugin_abi::Uid;
use rustc_hash::FxHashMap;
use std::ffi::{CString, c_char};

/// Texts by the object they describe and what they say about it.
#[derive(Default)]
pub(crate) struct Texts {
    texts: FxHashMap<(Uid, String), CString>,
    /// Number of texts at which those of objects that are gone are thrown away.
    limit: usize,
}

impl Context {
    /// A copy of a text that stays at its place until another text is kept for the same object and
    /// the same `what`, or the object is gone. A zero byte in it ends it.
    #[must_use]
    pub fn keep_text(&self, object: Uid, what: &str, text: &str) -> *const c_char {
        let end = text.find('\0').unwrap_or(text.len());
        let text = CString::new(&text[..end]).unwrap_or_default();
        let mut texts = self.inner().texts.lock();
        if let Some(known) = texts.texts.get(&(object, what.to_owned()))
            && *known == text
        {
            return known.as_ptr();
        }
        if texts.texts.len() >= texts.limit {
            texts.forget_gone(self.inner());
        }
        let kept = texts.texts.entry((object, what.to_owned())).insert_entry(text);
        kept.get().as_ptr()
    }
}

impl Texts {
    fn forget_gone(&mut self, inner: &Inner) {
        let groups = inner.groups.lock();
        let store = inner.store.read();
        self.texts.retain(|(uid, _), _| {
            is_there(*uid)
                || groups.name(*uid).is_some()
                || store.entity(*uid).is_some()
                || store.component(*uid).is_some()
        });
        self.limit = (2 * self.texts.len()).max(256);
    }
}
