//! Text across the border.

use crate::abi::Text;

/// The border's form of a text; valid as long as `text`.
#[must_use]
pub const fn text_of(text: &str) -> Text {
    Text { data: text.as_ptr(), length: text.len() }
}

/// Reads a text from the border; `None` when it is not UTF-8.
///
/// # Safety
/// `text.data` must point to `text.length` readable bytes, or the length be 0, for as long as the
/// result is used.
#[must_use]
pub unsafe fn text_to_str<'a>(text: Text) -> Option<&'a str> {
    if text.length == 0 {
        return Some("");
    }
    if text.data.is_null() {
        return None;
    }
    // SAFETY: the caller promises the bytes; the pointer is not null.
    let bytes = unsafe { core::slice::from_raw_parts(text.data, text.length) };
    core::str::from_utf8(bytes).ok()
}
