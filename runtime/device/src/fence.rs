//! Points in the work of a stream.

use crate::chain_table;
use crate::device::Device;
use crate::driver::driver;
use crate::error::{call, check_done, is_of_capture};
use crate::queue::Queue;
use cudarc::driver::sys::CUevent;
use gxf::abi::{self, tids};
use gxf::{Payload, Result, Tid};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::null_mut;
use std::sync::Arc;

/// A point in the work of a stream. Clones refer to the same point. The default one is reached.
///
/// As the payload `gxe::CudaFence` it says when the data of a message is valid.
#[repr(transparent)]
pub struct Fence {
    raw: abi::CudaFence,
}

// SAFETY: any thread may use events, and owners count references atomically, as the ABI demands.
unsafe impl Send for Fence {}
// SAFETY: as above.
unsafe impl Sync for Fence {}

// SAFETY: the ABI defines this layout for this id.
unsafe impl Payload for Fence {
    const TID: Tid = tids::CUDA_FENCE;
}

/// An event of a stream, which it returns to when no fence needs it any more.
pub(crate) struct Recorded {
    pub queue: Arc<Queue>,
    /// The event, as a number: an identifier for the driver.
    pub event: usize,
}

impl Drop for Recorded {
    fn drop(&mut self) {
        self.queue.events.give_back(self.event);
    }
}

unsafe extern "C" fn retain(owner: *mut c_void) {
    // SAFETY: the holder of a fence owns a reference to this `Arc`.
    unsafe { Arc::increment_strong_count(owner.cast::<Recorded>()) };
}

unsafe extern "C" fn release(owner: *mut c_void) {
    // SAFETY: the holder of a fence gives its reference to this `Arc` back.
    unsafe { Arc::decrement_strong_count(owner.cast::<Recorded>()) };
}

/// The driver's function that [`Point::is_done`] calls.
const QUERY: &str = "cuEventQuery";

/// Why a piece of work cannot be held back.
const AWAITED: &str = "somebody asks whether the device has done it";

/// Tells fences of this library apart.
const RETAIN: unsafe extern "C" fn(*mut c_void) = retain;

impl Fence {
    /// The point at which the event is recorded.
    pub(crate) fn new(recorded: Recorded, sequence: u64) -> Self {
        let event = std::ptr::with_exposed_provenance_mut(recorded.event);
        let is_kept = recorded.queue.keeps_address();
        let raw = abi::CudaFence {
            event,
            // Another stream may get the address of one that nothing keeps. The event's address is
            // no stream's.
            stream: if is_kept { recorded.queue.raw().cast() } else { event },
            device: recorded.queue.device().ordinal(),
            reserved: 0,
            sequence,
            owner: Arc::into_raw(Arc::new(recorded)).cast_mut().cast(),
            retain: Some(retain),
            release: Some(release),
        };
        Self { raw }
    }

    /// The same point, behind a piece of work that is held back.
    pub(crate) fn held_back(self, number: u32) -> Self {
        let mut raw = self.into_raw();
        raw.reserved = number;
        Self { raw }
    }

    /// The driver's event.
    pub(crate) fn event(&self) -> CUevent {
        self.raw.event.cast()
    }

    /// Numbers the fence in the order in which the events of its stream are recorded.
    pub(crate) fn set_order(&mut self, number: u64) {
        self.raw.sequence = number;
    }

    /// Whether both are of one stream, and what this one stands for comes after the other: its event is
    /// recorded later.
    pub(crate) fn is_behind(&self, other: &Self) -> bool {
        let queues = self.recorded().zip(other.recorded());
        let is_of_one = queues.is_some_and(|(one, other)| Arc::ptr_eq(&one.queue, &other.queue));
        is_of_one
            && match (self.raw.reserved, other.raw.reserved) {
                (0, 0) => self.raw.sequence > other.raw.sequence,
                // Only the host knows when it lets work go that it holds back.
                (0, _) | (_, 0) => false,
                // In this order. The numbers start anew some time.
                (own, others) => own.wrapping_sub(others).cast_signed() > 0,
            }
    }

    /// Launches the work before the point if it is held back.
    ///
    /// # Errors
    /// If the driver refuses it.
    pub fn let_go(&self, reason: &str) -> Result<()> {
        self.point().let_go(reason)
    }

    /// Takes a fence over from its ABI form.
    ///
    /// # Safety
    /// `raw` must come with a reference, as the ABI describes.
    pub(crate) unsafe fn from_raw(raw: abi::CudaFence) -> Self {
        Self { raw }
    }

    /// A fence of another library, for as long as it is lent.
    ///
    /// # Safety
    /// `raw` must be a valid fence that outlives the result.
    pub(crate) unsafe fn lent<'a>(raw: *const abi::CudaFence) -> &'a Self {
        // SAFETY: this type is a transparent wrapper.
        unsafe { &*raw.cast::<Self>() }
    }

    /// The ABI form, with this value's reference.
    #[must_use]
    pub fn into_raw(self) -> abi::CudaFence {
        let this = ManuallyDrop::new(self);
        // SAFETY: `this` is neither used again nor dropped.
        unsafe { std::ptr::read(&raw const this.raw) }
    }

    /// The point, for as long as this value keeps it.
    #[must_use]
    pub fn point(&self) -> Point<'_> {
        Point {
            event: self.raw.event.expose_provenance(),
            stream: self.raw.stream.addr(),
            device: self.raw.device,
            sequence: self.raw.sequence,
            number: self.raw.reserved,
            fence: Some(self),
        }
    }

    /// What a fence of this library was recorded with.
    pub(crate) fn recorded(&self) -> Option<&Recorded> {
        let is_ours = self.raw.retain.is_some_and(|own| std::ptr::fn_addr_eq(own, RETAIN));
        // SAFETY: the owner of a fence with this function is a `Recorded`, which it keeps.
        is_ours.then(|| unsafe { &*self.raw.owner.cast::<Recorded>() })
    }

    /// Number of the device.
    #[must_use]
    pub fn device(&self) -> i32 {
        self.raw.device
    }

    /// Whether there is nothing to wait for, and never was.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.raw.event.is_null()
    }

    /// An address that fences have in common only if they are of one stream.
    #[must_use]
    pub fn stream_address(&self) -> usize {
        self.raw.stream.addr()
    }

    /// Whether the device has reached the point.
    ///
    /// # Errors
    /// If the device failed.
    pub fn is_done(&self) -> Result<bool> {
        self.point().is_done()
    }

    /// Blocks the thread until the device has reached the point.
    ///
    /// # Errors
    /// If the device failed.
    pub fn synchronize(&self) -> Result<()> {
        self.point().synchronize()
    }
}

/// A point in the work of a stream, lent by a [`Fence`] or an [`crate::Event`].
#[derive(Clone, Copy)]
pub struct Point<'a> {
    /// The driver's event, as a number.
    event: usize,
    stream: usize,
    device: i32,
    sequence: u64,
    /// Number of the piece of work before it, if that may be held back; or 0.
    number: u32,
    /// The fence that lends it; none if an event does.
    fence: Option<&'a Fence>,
}

impl Point<'_> {
    /// The point of a driver's event that outlives the result.
    pub(crate) fn of_event(event: *mut c_void, device: i32) -> Self {
        let event = event.expose_provenance();
        // The event's address is no stream's.
        Self { event, stream: event, device, sequence: 0, number: 0, fence: None }
    }

    /// Whether this library recorded it with this queue.
    pub(crate) fn is_of(&self, queue: &Arc<Queue>) -> bool {
        let recorded = self.fence.and_then(Fence::recorded);
        recorded.is_some_and(|recorded| Arc::ptr_eq(&recorded.queue, queue))
    }

    /// The driver's event.
    pub(crate) fn event(&self) -> CUevent {
        std::ptr::with_exposed_provenance_mut(self.event)
    }

    /// An address that points have in common only if they are of one stream.
    #[must_use]
    pub fn stream_address(&self) -> usize {
        self.stream
    }

    /// Number of the device.
    #[must_use]
    pub fn device(&self) -> i32 {
        self.device
    }

    /// Tells points apart that are alive: an event's address, and a number among the points of whoever
    /// records them. Others number those of the same stream, too.
    #[must_use]
    pub fn mark(&self) -> (usize, u64) {
        (self.event, self.sequence)
    }

    /// The fence that lends it; none if an event does.
    pub(crate) fn fence(&self) -> Option<&Fence> {
        self.fence
    }

    /// Number of the piece of work before it, if that may be held back; or 0.
    pub(crate) fn number(&self) -> u32 {
        self.number
    }

    /// Launches the work before the point if it is held back.
    pub(crate) fn let_go(&self, reason: &str) -> Result<()> {
        match self.number {
            0 => Ok(()),
            number => chain_table::let_go(self.stream, number, reason),
        }
    }

    /// Whether there is nothing to wait for, and never was.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.event == 0
    }

    /// Whether the device has reached the point.
    ///
    /// # Errors
    /// If the device failed.
    pub fn is_done(&self) -> Result<bool> {
        if self.is_none() {
            return Ok(true);
        }
        self.let_go(AWAITED)?;
        check_done(QUERY, self.answer()?)
    }

    /// The driver's answer to the question whether the device has reached the point.
    fn answer(&self) -> Result<u32> {
        let _entered = Device::get(self.device)?.enter()?;
        // SAFETY: the lender keeps the event alive.
        Ok(unsafe { (driver()?.api.cuEventQuery)(self.event()) })
    }

    /// Whether nobody needs to wait any longer: the device has reached the point, or never will because
    /// it failed.
    pub(crate) fn is_over(&self) -> bool {
        if self.is_none() {
            return true;
        }
        // Whoever made that work hears of an error; the event is recorded in any case.
        _ = self.let_go(AWAITED);
        match self.answer() {
            Ok(answer) if is_of_capture(answer) => false,
            answer => !matches!(answer.and_then(|it| check_done(QUERY, it)), Ok(false)),
        }
    }

    /// Blocks the thread until the device has reached the point.
    ///
    /// # Errors
    /// If the device failed.
    pub fn synchronize(&self) -> Result<()> {
        if self.is_none() {
            return Ok(());
        }
        self.let_go(AWAITED)?;
        let _entered = Device::get(self.device)?.enter()?;
        // The lender keeps the event alive.
        call!(cuEventSynchronize(self.event()))
    }
}

impl Default for Fence {
    fn default() -> Self {
        Self {
            raw: abi::CudaFence {
                event: null_mut(),
                stream: null_mut(),
                device: 0,
                reserved: 0,
                sequence: 0,
                owner: null_mut(),
                retain: None,
                release: None,
            },
        }
    }
}

impl Clone for Fence {
    fn clone(&self) -> Self {
        if let Some(retain) = self.raw.retain {
            // SAFETY: this value owns a reference.
            unsafe { retain(self.raw.owner) };
        }
        Self { raw: abi::CudaFence { ..self.raw } }
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        if let Some(release) = self.raw.release {
            // SAFETY: this value owns a reference.
            unsafe { release(self.raw.owner) };
        }
    }
}
