//! The entry and exit of every function. Callers must pass pointers that are null or refer to what
//! the header requires; everything else is checked.

use crate::latest_error;
use gxf_plugin_abi::ResultCode;
use gxf_runtime::{Context, Error, Result};
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Text from a caller.
pub(crate) type Text = *const c_char;

/// Defines functions of the API. Their first argument is the context, which the body receives as a
/// reference.
macro_rules! api {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) |$context:ident| $body:block)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            context: *mut std::ffi::c_void,
            $($argument: $type),*
        ) -> gxf_plugin_abi::ResultCode {
            // SAFETY: pointers are null or refer to what the header requires; the rest is checked.
            #[allow(unused_unsafe, reason = "not every function follows a pointer")]
            crate::boundary::with_context(context, |$context| unsafe { $body })
        }
    )*};
}

/// Runs the body with the context at this address.
pub(crate) fn with_context(
    context: *mut c_void,
    body: impl FnOnce(&Context) -> Result<()>,
) -> ResultCode {
    guarded(|| body(&Context::from_raw(context)?))
}

/// Like [`with_context`], for functions that concern the whole process: only null is invalid. Some
/// programs pass the address of their variable instead of its content, and GXF never looks.
pub(crate) fn with_any_context(
    context: *mut c_void,
    body: impl FnOnce() -> Result<()>,
) -> ResultCode {
    guarded(|| {
        if context.is_null() {
            return Err(Error::new(ResultCode::CONTEXT_INVALID, "the context is null"));
        }
        body()
    })
}

/// Runs a body and converts its error or panic to a code.
pub(crate) fn guarded(body: impl FnOnce() -> Result<()>) -> ResultCode {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ResultCode::SUCCESS,
        Ok(Err(error)) => {
            tracing::debug!("{error:?}");
            let code = error.code();
            latest_error::keep(error);
            code
        }
        Err(_) => {
            let text = "a function of the C API panicked; this is a bug in gxe";
            tracing::error!("{text}");
            latest_error::keep(Error::new(ResultCode::FAILURE, text));
            ResultCode::FAILURE
        }
    }
}

/// Logs an error that users should see, whatever the program does with the code.
pub(crate) fn logged<T>(result: Result<T>) -> Result<T> {
    result.inspect_err(|error| tracing::error!("{error:?}"))
}

/// Checks a mandatory pointer.
pub(crate) fn needed<T>(pointer: *const T) -> Result<()> {
    if pointer.is_null() {
        return Err(Error::new(ResultCode::ARGUMENT_NULL, "a mandatory pointer is null"));
    }
    Ok(())
}

/// # Safety
/// `place` must be null or writable.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<()> {
    needed(place)?;
    // SAFETY: `place` is null or writable.
    unsafe { place.write(value) };
    Ok(())
}

/// Like [`put`], for an optional result.
///
/// # Safety
/// `place` must be null or writable.
pub(crate) unsafe fn put_if_wanted<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: `place` is null or writable.
        unsafe { place.write(value) };
    }
}

/// # Safety
/// `text` must be null or a C string.
pub(crate) unsafe fn text<'a>(text: Text) -> Result<&'a str> {
    needed(text)?;
    // SAFETY: `text` is null or a C string.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_err(|_| Error::new(ResultCode::ARGUMENT_INVALID, "a text is not UTF-8"))
}

/// Like [`text`]; null means empty.
///
/// # Safety
/// `given` must be null or a C string.
pub(crate) unsafe fn text_or_empty<'a>(given: Text) -> Result<&'a str> {
    // SAFETY: `given` is null or a C string.
    if given.is_null() { Ok("") } else { unsafe { text(given) } }
}

/// The elements of a caller's array; none for a null pointer with length 0. `null` is the code for
/// a null pointer with another length.
///
/// # Safety
/// `data` must be null or point to that many elements.
pub(crate) unsafe fn elements<'a, T>(
    data: *const T,
    count: u64,
    null: ResultCode,
) -> Result<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    if data.is_null() {
        return Err(Error::new(null, "an array is null"));
    }
    let count = usize::try_from(count).ok();
    let fits = count.and_then(|count| count.checked_mul(size_of::<T>()));
    match (count, fits.filter(|bytes| isize::try_from(*bytes).is_ok())) {
        // SAFETY: `data` is null or points to that many elements.
        (Some(count), Some(_)) => Ok(unsafe { std::slice::from_raw_parts(data, count) }),
        _ => {
            let text = "an array cannot have that many elements";
            Err(Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, text))
        }
    }
}

/// Fills a caller's array. `count` is its capacity, and becomes the number of elements. `small` is
/// the code for too little room.
///
/// # Safety
/// `count` must be null or writable, and `array` null or have room for that many elements.
pub(crate) unsafe fn fill<T: Copy>(
    found: &[T],
    count: *mut u64,
    array: *mut T,
    small: ResultCode,
) -> Result<()> {
    needed(count)?;
    // SAFETY: `count` is null or writable, and `array` null or has room for that many elements.
    let capacity = unsafe { count.replace(found.len() as u64) };
    if capacity < found.len() as u64 {
        let text = format!("there is room for {capacity} elements, not for {}", found.len());
        return Err(Error::new(small, text));
    }
    if !found.is_empty() {
        needed(array)?;
        // SAFETY: `count` is null or writable, and `array` null or has room for that many
        // elements.
        unsafe { array.copy_from_nonoverlapping(found.as_ptr(), found.len()) };
    }
    Ok(())
}
