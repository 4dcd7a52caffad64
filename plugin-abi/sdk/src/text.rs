//! Text at the ABI boundary.

use crate::abi::Text;
use std::borrow::Cow;

/// The ABI form of a text; valid as long as `text`.
#[must_use]
pub const fn text_of(text: &str) -> Text {
    Text { data: text.as_ptr(), length: text.len() }
}

/// Converts a text for display from its ABI form; replaces what is not UTF-8.
///
/// # Safety
/// As for [`text_to_str`].
#[must_use]
pub unsafe fn text_lossy<'a>(text: Text) -> Cow<'a, str> {
    // SAFETY: as required.
    String::from_utf8_lossy(unsafe { text_bytes(text) })
}

/// The bytes of a text in its ABI form; none if its pointer or length cannot be.
///
/// # Safety
/// As for [`text_to_str`].
pub(crate) unsafe fn text_bytes<'a>(text: Text) -> &'a [u8] {
    if text.length == 0 || text.data.is_null() || isize::try_from(text.length).is_err() {
        return &[];
    }
    // SAFETY: the pointer is not null, so it points to `length` readable bytes.
    unsafe { core::slice::from_raw_parts(text.data, text.length) }
}

/// Converts a text from its ABI form; `None` if it is not UTF-8.
///
/// # Safety
/// While the result is used, `text.data` must point to `text.length` readable bytes, unless the
/// length is 0.
#[must_use]
pub unsafe fn text_to_str<'a>(text: Text) -> Option<&'a str> {
    if text.length == 0 {
        return Some("");
    }
    if text.data.is_null() || isize::try_from(text.length).is_err() {
        return None;
    }
    // SAFETY: the pointer is not null, so it points to `length` readable bytes.
    let bytes = unsafe { core::slice::from_raw_parts(text.data, text.length) };
    core::str::from_utf8(bytes).ok()
}
