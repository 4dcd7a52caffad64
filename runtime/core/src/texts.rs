//! Texts and values about types and extensions, which stay where they are for ever. There are as
//! many of them as types say different things, so nothing grows without end.

use parking_lot::Mutex;
use std::collections::BTreeSet;
use std::ffi::{CString, c_char, c_void};

static TEXTS: Mutex<BTreeSet<CString>> = Mutex::new(BTreeSet::new());
/// Boxed: an address must outlast the growth of the set.
#[allow(clippy::vec_box, reason = "the addresses are handed out")]
static VALUES: Mutex<BTreeSet<Box<[u64; 2]>>> = Mutex::new(BTreeSet::new());

/// A copy of a text that ends with a zero byte.
pub(crate) fn lasting(text: &str) -> *const c_char {
    let end = text.find('\0').unwrap_or(text.len());
    let text = CString::new(&text[..end]).unwrap_or_default();
    let mut texts = TEXTS.lock();
    if let Some(known) = texts.get(&text) {
        return known.as_ptr();
    }
    let address = text.as_ptr();
    texts.insert(text);
    address
}

/// A copy of the bytes of a value of at most 16 bytes.
pub(crate) fn lasting_value(bytes: &[u8]) -> *const c_void {
    let mut value = [0; 16];
    for (to, from) in value.iter_mut().zip(bytes) {
        *to = *from;
    }
    let [first, second] = [0, 8].map(|at| {
        let mut half = [0; 8];
        half.copy_from_slice(&value[at..at + 8]);
        u64::from_ne_bytes(half)
    });
    let value = Box::new([first, second]);
    let mut values = VALUES.lock();
    if let Some(known) = values.get(&value) {
        return std::ptr::from_ref(&**known).cast();
    }
    let address = std::ptr::from_ref(&*value).cast();
    values.insert(value);
    address
}
