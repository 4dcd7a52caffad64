//! The kinds of memory owners. Each has a function table and the three words that the table
//! understands.

use super::MemoryBuffer;
use crate::host::{host, report};
use crate::{Allocator, Element, Handle, Message, ResultCode, abi};
use abi::MemoryOwnerVtable;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ptr::{NonNull, null_mut, without_provenance_mut};
use std::sync::atomic::{AtomicU32, Ordering};

/// One owner of memory: the fields of a `MemoryBuffer` other than address and size.
pub(super) struct Ownership {
    pub table: *const MemoryOwnerVtable,
    pub words: [*mut c_void; 3],
}

impl Ownership {
    /// Memory from an allocator, which it keeps alive.
    pub fn of_allocator(allocator: &Handle<Allocator>) -> Self {
        let (object, vtable) = allocator.raw();
        let words = [object, vtable.cast_mut().cast(), allocator.retained_owner()];
        Self { table: &raw const ALLOCATED, words }
    }

    /// The memory of a vector.
    pub fn of_vec<T: Element>(values: &mut ManuallyDrop<Vec<T>>) -> Self {
        let capacity = without_provenance_mut(values.capacity());
        Self {
            table: &VecOwner::<T>::TABLE,
            words: [values.as_mut_ptr().cast(), capacity, null_mut()],
        }
    }

    /// Memory that `release` releases.
    pub fn of_function<R: FnOnce(*mut u8) + Send + 'static>(release: R) -> Self {
        let release = Box::into_raw(Box::new(release)).cast();
        Self { table: &Wrapped::<R>::TABLE, words: [release, null_mut(), null_mut()] }
    }

    /// Memory inside a payload of a message, which it keeps alive.
    pub fn of_message(message: &Message) -> Self {
        let message = message.clone().into_raw().as_ptr();
        Self { table: &raw const OF_MESSAGE, words: [message.cast(), null_mut(), null_mut()] }
    }

    /// Memory with several owners; the result is the first one.
    pub fn shared(whole: MemoryBuffer) -> Self {
        let shared = Box::into_raw(Box::new(Shared { owners: AtomicU32::new(1), whole }));
        Self { table: &raw const SHARED, words: [shared.cast(), null_mut(), null_mut()] }
    }
}

/// See [`MemoryOwnerVtable`]: words, address, size.
type Release = unsafe extern "C" fn(*const *mut c_void, *mut u8, u64) -> ResultCode;

/// Table for memory with one owner.
const fn sole_owner(release: Release) -> MemoryOwnerVtable {
    let size = size_of::<MemoryOwnerVtable>();
    MemoryOwnerVtable { size, release, retain: None, owner_count: None }
}

/// Memory from an allocator: the words are the allocator's object, its table and its owner.
static ALLOCATED: MemoryOwnerVtable = sole_owner(release_allocated);

unsafe extern "C" fn release_allocated(
    words: *const *mut c_void,
    pointer: *mut u8,
    _size: u64,
) -> ResultCode {
    // SAFETY: the words come from `Ownership::of_allocator`. The owner keeps object and table
    // valid, and is released last.
    unsafe {
        let [object, vtable, owner] = words.cast::<[*mut c_void; 3]>().read();
        let code = ((*vtable.cast::<abi::AllocatorVtable>()).free)(object, pointer);
        (host().component_release)(owner);
        code
    }
}

/// Memory of a vector: the words are its address and its capacity.
struct VecOwner<T>(PhantomData<T>);

impl<T: Element> VecOwner<T> {
    const TABLE: MemoryOwnerVtable = sole_owner(Self::release);

    unsafe extern "C" fn release(
        words: *const *mut c_void,
        _pointer: *mut u8,
        _size: u64,
    ) -> ResultCode {
        // SAFETY: the words come from `Ownership::of_vec`. Elements need no drop, so a length of 0
        // is right.
        unsafe {
            let [start, capacity, _] = words.cast::<[*mut c_void; 3]>().read();
            drop(Vec::<T>::from_raw_parts(start.cast(), 0, capacity.addr()));
        }
        ResultCode::SUCCESS
    }
}

/// Foreign memory: the first word is a boxed function.
struct Wrapped<R>(PhantomData<R>);

impl<R: FnOnce(*mut u8) + Send + 'static> Wrapped<R> {
    const TABLE: MemoryOwnerVtable = sole_owner(Self::release);

    unsafe extern "C" fn release(
        words: *const *mut c_void,
        pointer: *mut u8,
        _size: u64,
    ) -> ResultCode {
        crate::support::guard(|| {
            // SAFETY: the box comes from `Ownership::of_function`, and is used once.
            let release = unsafe { Box::from_raw((*words).cast::<R>()) };
            release(pointer);
            Ok(())
        })
    }
}

/// Memory with several owners; the first word points here.
struct Shared {
    owners: AtomicU32,
    /// The memory as it was before it was shared.
    #[expect(dead_code, reason = "held to be dropped")]
    whole: MemoryBuffer,
}

static SHARED: MemoryOwnerVtable = MemoryOwnerVtable {
    size: size_of::<MemoryOwnerVtable>(),
    release: release_shared,
    retain: Some(retain_shared),
    owner_count: Some(shared_owner_count),
};

/// # Safety
/// `words` must be those of memory with the owner [`SHARED`].
unsafe fn shared<'a>(words: *const *mut c_void) -> &'a Shared {
    // SAFETY: `words` belong to [`SHARED`], and the calling owner holds a reference.
    unsafe { &*(*words).cast::<Shared>() }
}

unsafe extern "C" fn release_shared(
    words: *const *mut c_void,
    _pointer: *mut u8,
    _size: u64,
) -> ResultCode {
    // SAFETY: callers pass the words of this owner. Release and Acquire order the other owners'
    // reads before the memory is freed.
    unsafe {
        if shared(words).owners.fetch_sub(1, Ordering::AcqRel) == 1 {
            drop(Box::from_raw((*words).cast::<Shared>()));
        }
    }
    ResultCode::SUCCESS
}

unsafe extern "C" fn retain_shared(words: *const *mut c_void) {
    // SAFETY: callers pass the words of this owner.
    let before = unsafe { shared(words) }.owners.fetch_add(1, Ordering::Relaxed);
    // Only a leak in a loop gets here. Going on would free memory that is in use.
    if before > u32::MAX / 2 {
        std::process::abort();
    }
}

unsafe extern "C" fn shared_owner_count(words: *const *mut c_void) -> u32 {
    // SAFETY: callers pass the words of this owner.
    unsafe { shared(words) }.owners.load(Ordering::Acquire)
}

/// Memory inside a payload: the first word is the message.
static OF_MESSAGE: MemoryOwnerVtable = MemoryOwnerVtable {
    size: size_of::<MemoryOwnerVtable>(),
    release: release_message,
    retain: Some(retain_message),
    owner_count: Some(message_owner_count),
};

unsafe extern "C" fn release_message(
    words: *const *mut c_void,
    _pointer: *mut u8,
    _size: u64,
) -> ResultCode {
    // SAFETY: the word comes from `Ownership::of_message`, with a reference.
    match NonNull::new(unsafe { *words }.cast()) {
        Some(message) => {
            // SAFETY: as above.
            drop(unsafe { Message::from_raw(message) });
            ResultCode::SUCCESS
        }
        None => report(&ResultCode::NULL_POINTER.into()),
    }
}

unsafe extern "C" fn retain_message(words: *const *mut c_void) {
    // SAFETY: the word comes from `Ownership::of_message`.
    unsafe { (host().message_retain)((*words).cast()) };
}

unsafe extern "C" fn message_owner_count(words: *const *mut c_void) -> u32 {
    // SAFETY: the word comes from `Ownership::of_message`.
    unsafe { (host().message_reference_count)((*words).cast()) }
}
