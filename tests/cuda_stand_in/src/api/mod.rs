//! The exported functions, by subject. Each begins by counting the call.

mod device;
mod graph;
mod green_context;
mod kernel;
mod memory;
mod stream;

/// Defines exported functions. The body gets the locked state as `$locked`, and returns `Err(code)`
/// or success.
macro_rules! exported {
    ($($name:ident($($argument:ident: $type:ty),*) |$locked:ident| $body:block)*) => {$(
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
            let body = |mut $locked: $crate::world::Locked| -> Result<(), u32> { $body };
            match $crate::world::begin(stringify!($name)).and_then(body) {
                Ok(()) => 0,
                Err(code) => code,
            }
        }
    )*};
}
pub(crate) use exported;

/// Writes a result of a call.
///
/// # Safety
/// `place` must be null or valid.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<(), u32> {
    if place.is_null() {
        return Err(INVALID_VALUE);
    }
    // SAFETY: the place is valid, as required.
    unsafe { place.write(value) };
    Ok(())
}

pub(crate) const INVALID_VALUE: u32 = 1;
pub(crate) const OUT_OF_MEMORY: u32 = 2;
pub(crate) const INVALID_DEVICE: u32 = 101;
pub(crate) const INVALID_CONTEXT: u32 = 201;
pub(crate) const INVALID_HANDLE: u32 = 400;
pub(crate) const NOT_FOUND: u32 = 500;
pub(crate) const NOT_READY: u32 = 600;
pub(crate) const INVALID_RESOURCE_TYPE: u32 = 914;

/// The device of this thread's current context.
pub(crate) fn current_device() -> Result<i32, u32> {
    let current = crate::world::CONTEXTS.with_borrow(|contexts| contexts.last().copied());
    current.map(device_of).ok_or(INVALID_CONTEXT)
}

const FIRST_CONTEXT: usize = 0xC000_0000;

/// The primary context of a device.
pub(crate) fn context_of(device: i32) -> usize {
    FIRST_CONTEXT + device as usize * 16
}

fn device_of(context: usize) -> i32 {
    ((context - FIRST_CONTEXT) / 16) as i32
}
