//! Texts and values about types and extensions, at fixed addresses for ever. Equal ones are shared,
//! so their number has a bound.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::ffi::{CStr, CString, c_char, c_void};

static TEXTS: Mutex<BTreeSet<&'static CStr>> = Mutex::new(BTreeSet::new());
static VALUES: Mutex<BTreeSet<&'static [u64; 2]>> = Mutex::new(BTreeSet::new());

/// A copy of a text with a zero byte at the end; a zero byte inside ends it earlier.
pub(crate) fn lasting(text: &str) -> *const c_char {
    let end = text.find('\0').unwrap_or(text.len());
    let text = CString::new(&text[..end]).unwrap_or_default();
    let mut texts = TEXTS.lock();
    if let Some(known) = texts.get(text.as_c_str()) {
        return known.as_ptr();
    }
    let kept: &'static CStr = Box::leak(text.into_boxed_c_str());
    texts.insert(kept);
    kept.as_ptr()
}

/// A copy of a value of at most 16 bytes, aligned for every type.
pub(crate) fn lasting_value(bytes: &[u8]) -> *const c_void {
    let mut all = [0; 16];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    let (first, second) = all.split_at(8);
    let half = |bytes: &[u8]| bytes.try_into().map_or(0, u64::from_ne_bytes);
    let value = [half(first), half(second)];
    let mut values = VALUES.lock();
    if let Some(known) = values.get(&value) {
        return known.as_ptr().cast();
    }
    let kept: &'static [u64; 2] = Box::leak(Box::new(value));
    values.insert(kept);
    kept.as_ptr().cast()
}
