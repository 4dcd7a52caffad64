//! The types of what messages carry. They are process-wide: a type id means one layout, whoever
//! asks, because messages may travel between contexts.

use gxf_plugin_abi::{ComponentEnvironment, Tid};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::LazyLock;

/// What the pool must know about a payload type.
#[derive(Clone, Copy)]
pub(crate) struct PayloadType {
    pub tid: Tid,
    pub size: usize,
    /// A power of two.
    pub alignment: usize,
    pub create: unsafe extern "C" fn(*mut c_void, *const ComponentEnvironment) -> *mut c_void,
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// Size and alignment of a payload, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub size: usize,
    pub alignment: usize,
}

impl PayloadType {
    pub fn layout(&self) -> Layout {
        Layout { size: self.size, alignment: self.alignment }
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} bytes at multiples of {}", self.size, self.alignment)
    }
}

/// All types that were ever registered. They are never forgotten, since messages rely on them.
static KNOWN: LazyLock<RwLock<FxHashMap<Tid, &'static PayloadType>>> =
    LazyLock::new(RwLock::default);

/// Makes a payload type known. The first registration of an id counts.
///
/// # Errors
/// The layout of the first one, when it is another.
pub(crate) fn register_payload_type(new: PayloadType) -> Result<(), Layout> {
    let mut known = KNOWN.write();
    let known = *known.entry(new.tid).or_insert_with(|| Box::leak(Box::new(new)));
    if known.layout() == new.layout() { Ok(()) } else { Err(known.layout()) }
}

/// Whether messages may carry this type.
pub(crate) fn is_payload_type(tid: Tid) -> bool {
    KNOWN.read().contains_key(&tid)
}

/// How many types a thread remembers.
const REMEMBERED: usize = 8;

thread_local! {
    /// The types this thread asked for lately, each at a place of its id's choice: a thread makes
    /// messages of few types, and even a lock that nobody else wants costs more than the rest.
    static RECENT: [Cell<Option<&'static PayloadType>>; REMEMBERED] =
        const { [const { Cell::new(None) }; REMEMBERED] };
}

/// The type with this id.
#[inline]
pub(crate) fn payload_type(tid: Tid) -> Option<&'static PayloadType> {
    RECENT.with(|recent| {
        let place = &recent[(tid.hash1 ^ tid.hash2) as usize % REMEMBERED];
        match place.get() {
            Some(known) if known.tid == tid => Some(known),
            _ => {
                let known = look_up(tid)?;
                place.set(Some(known));
                Some(known)
            }
        }
    })
}

#[cold]
fn look_up(tid: Tid) -> Option<&'static PayloadType> {
    KNOWN.read().get(&tid).copied()
}
