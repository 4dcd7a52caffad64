//! The types of payloads. They are process-wide: because messages may travel between contexts, a
//! type id means the same layout everywhere.

#![expect(unsafe_code, reason = "payloads are created in raw memory")]

use gxf_plugin_abi::{ComponentEnvironment, Tid, Timestamp, tids};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::LazyLock;

/// Information for the pool about a payload type.
#[derive(Clone, Copy)]
pub struct PayloadType {
    /// Id of the type.
    pub tid: Tid,
    /// Size of a payload, in bytes.
    pub size: usize,
    /// Alignment in bytes, a power of two.
    pub alignment: usize,
    /// Constructs a payload in memory of that layout.
    pub create: unsafe extern "C" fn(*mut c_void, *const ComponentEnvironment) -> *mut c_void,
    /// Destroys a payload; `None` if there is nothing to do.
    pub destroy: Option<unsafe extern "C" fn(*mut c_void)>,
}

/// Size and alignment of a payload, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Size in bytes.
    pub size: usize,
    /// Alignment in bytes, a power of two.
    pub alignment: usize,
}

impl PayloadType {
    /// Size and alignment together.
    pub fn layout(&self) -> Layout {
        Layout { size: self.size, alignment: self.alignment }
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} bytes at multiples of {}", self.size, self.alignment)
    }
}

/// All registered types. They are never removed, because messages rely on them.
static KNOWN: LazyLock<RwLock<FxHashMap<Tid, &'static PayloadType>>> =
    LazyLock::new(|| RwLock::new([(TIMESTAMP.tid, &TIMESTAMP)].into_iter().collect()));

/// The type of the timestamps that messages get on their way. No extension need register it.
pub(super) static TIMESTAMP: PayloadType = PayloadType {
    tid: tids::TIMESTAMP,
    size: size_of::<Timestamp>(),
    alignment: align_of::<Timestamp>(),
    create: create_timestamp,
    destroy: None,
};

extern "C" fn create_timestamp(
    memory: *mut c_void,
    _environment: *const ComponentEnvironment,
) -> *mut c_void {
    // SAFETY: who creates a payload gives memory of its layout.
    unsafe { memory.cast::<Timestamp>().write(Timestamp { pubtime: 0, acqtime: 0 }) };
    memory
}

/// Registers a payload type. The first registration of an id counts.
///
/// # Errors
/// The layout of the first registration, if it differs.
pub fn register_payload_type(new: PayloadType) -> Result<(), Layout> {
    let mut known = KNOWN.write();
    let known = *known.entry(new.tid).or_insert_with(|| Box::leak(Box::new(new)));
    if known.layout() == new.layout() { Ok(()) } else { Err(known.layout()) }
}

/// Whether messages may carry this type.
pub fn is_payload_type(tid: Tid) -> bool {
    KNOWN.read().contains_key(&tid)
}

/// Number of types that a thread remembers.
const REMEMBERED: usize = 8;

thread_local! {
    /// The types that this thread used recently, each at a slot that its id selects. A thread's
    /// messages have few types, and even an uncontended lock would cost more than the rest.
    static RECENT: [Cell<Option<&'static PayloadType>>; REMEMBERED] =
        const { [const { Cell::new(None) }; REMEMBERED] };
}

/// The type with this id.
#[inline]
pub fn payload_type(tid: Tid) -> Option<&'static PayloadType> {
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
