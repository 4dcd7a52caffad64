//! What every function does first and last. Whoever calls promises that pointers are null or lead
//! to what the header says; everything else is checked.

use gxf_plugin_abi::ResultCode;
use gxf_runtime::{Context, Error, Result};
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Text of a caller.
pub(crate) type Text = *const c_char;

/// Defines functions of the API. Their first argument is the context, which the body gets as a
/// reference.
macro_rules! api {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) |$context:ident| $body:block)*) => {$(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(
            context: *mut std::ffi::c_void,
            $($argument: $type),*
        ) -> gxf_plugin_abi::ResultCode {
            // SAFETY: the caller's promise, see `border.rs`.
            #[allow(unused_unsafe, reason = "not every function follows a pointer")]
            crate::border::with_context(context, |$context| unsafe { $body })
        }
    )*};
}

/// Runs the body with the context that has this address.
pub(crate) fn with_context(
    context: *mut c_void,
    body: impl FnOnce(&Context) -> Result<()>,
) -> ResultCode {
    guarded(|| body(&Context::from_raw(context)?))
}

/// As [`with_context`] for what concerns the process as a whole: only null is no context. Programs
/// hand in the address of their variable instead of its content, and GXF never looks.
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

/// Runs a body: an error becomes its code, and so does a panic.
pub(crate) fn guarded(body: impl FnOnce() -> Result<()>) -> ResultCode {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => ResultCode::SUCCESS,
        Ok(Err(error)) => {
            tracing::debug!("{error:?}");
            error.code()
        }
        Err(_) => {
            tracing::error!("a function of the C API panicked; this is a mistake in the runtime");
            ResultCode::FAILURE
        }
    }
}

/// An error a user wants to read about, whatever the program makes of its code.
pub(crate) fn logged<T>(result: Result<T>) -> Result<T> {
    result.inspect_err(|error| tracing::error!("{error:?}"))
}

/// A mandatory pointer.
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
    // SAFETY: the caller's promise.
    unsafe { place.write(value) };
    Ok(())
}

/// As [`put`] for a result nobody needs to ask for.
///
/// # Safety
/// `place` must be null or writable.
pub(crate) unsafe fn put_if_wanted<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the caller's promise.
        unsafe { place.write(value) };
    }
}

/// # Safety
/// `text` must be null or a C string.
pub(crate) unsafe fn text<'a>(text: Text) -> Result<&'a str> {
    needed(text)?;
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(text) }
        .to_str()
        .map_err(|_| Error::new(ResultCode::ARGUMENT_INVALID, "a text is not UTF-8"))
}

/// As [`text`]; null is an empty text.
///
/// # Safety
/// `given` must be null or a C string.
pub(crate) unsafe fn text_or_empty<'a>(given: Text) -> Result<&'a str> {
    // SAFETY: the caller's promise.
    if given.is_null() { Ok("") } else { unsafe { text(given) } }
}

/// The elements of a caller's array; none for a null pointer without elements. `null` is the code
/// for a null pointer with some.
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
        // SAFETY: the caller's promise.
        (Some(count), Some(_)) => Ok(unsafe { std::slice::from_raw_parts(data, count) }),
        _ => {
            let text = "an array cannot have that many elements";
            Err(Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, text))
        }
    }
}

/// Fills a caller's array whose capacity stands in `count`, and leaves the number of elements
/// there. `small` is the code for too little room.
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
    // SAFETY: the caller's promise.
    let capacity = unsafe { count.replace(found.len() as u64) };
    if capacity < found.len() as u64 {
        let text = format!("there is room for {capacity} elements, not for {}", found.len());
        return Err(Error::new(small, text));
    }
    if !found.is_empty() {
        needed(array)?;
        // SAFETY: the caller's promise.
        unsafe { array.copy_from_nonoverlapping(found.as_ptr(), found.len()) };
    }
    Ok(())
}
