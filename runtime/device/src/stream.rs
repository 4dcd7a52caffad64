//! Streams.

use crate::batch::{all_go_first, is_behind};
use crate::device::Device;
use crate::driver::driver;
use crate::error::{SUCCESS, call, check_done, is_of_capture};
use crate::fence::{Fence, Point, Recorded};
use crate::queue::{Owner, Queue};
use crate::watch::is_synchronous;
use cudarc::driver::sys::CUstream;
use gxf::{CudaStream, Error, Handle, RawEvent, RawStream, Result, ResultCode};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// A queue of work for a device, done in order. Clones are the same stream; any thread may use them.
#[derive(Clone)]
pub struct Stream(Arc<Queue>);

/// The driver's function that [`Stream::is_done`] calls.
const QUERY: &str = "cuStreamQuery";

/// Why a piece of work becomes no graph.
const WAITED_FOR: &str = "the CPU waits for its stream between two operations";

impl Device {
    /// A new stream of its own for each caller, without waits for the legacy default stream.
    pub fn new_stream(self) -> Result<Stream> {
        Stream::new(self, 1, 0)
    }
}

impl Stream {
    /// A new stream. `flags` are those of the driver: 1 for no waits for the legacy default stream.
    /// A lower `priority` is more urgent.
    pub fn new(device: Device, flags: u32, priority: i32) -> Result<Self> {
        let _entered = device.enter()?;
        let mut stream = null_mut();
        // The pointer is valid.
        call!(cuStreamCreateWithPriority(&raw mut stream, flags, priority))?;
        let owner = Owner::Own { part: None };
        Ok(Self::of_queue(Queue::new(device, stream.expose_provenance(), owner)))
    }

    pub(crate) fn of_queue(queue: Queue) -> Self {
        Self(Arc::new(queue))
    }

    /// The stream of a component, which lives as long as the result.
    ///
    /// # Errors
    /// If the component has no stream.
    pub fn of(component: &Handle<CudaStream>) -> Result<Self> {
        let stream = component.stream();
        if stream.is_null() {
            return Err(Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                "the component CudaStream has no stream; streams come from a CudaStreamPool",
            ));
        }
        let device = Device::get(component.device())?;
        let owner = Owner::Component { _component: component.clone() };
        Ok(Self(Arc::new(Queue::new(device, stream.expose_provenance(), owner))))
    }

    /// The stream of a component that a fence of this library is of; `None` for other streams.
    pub(crate) fn of_component_with(fence: &Fence) -> Option<Self> {
        let queue = &fence.recorded()?.queue;
        queue.is_of_component().then(|| Self(queue.clone()))
    }

    /// A stream of the driver that somebody else owns, for a call in which it is alive. The result
    /// may outlive the stream, but must not be used to enqueue work then. Another stream may get its
    /// address, so fences of two results for one stream do not know that they are of the same one.
    #[must_use]
    pub fn adopt(device: Device, stream: RawStream<'_>) -> Self {
        let address = stream.as_ptr().expose_provenance();
        Self(Arc::new(Queue::new(device, address, Owner::Stranger)))
    }

    /// The same, for a stream of any device; of `device` if the driver does not tell.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn adopt_any(device: Device, stream: RawStream<'_>) -> Result<Self> {
        Ok(Self::adopt(device.of_stream(stream.as_ptr().cast())?, stream))
    }

    pub(crate) fn raw(&self) -> CUstream {
        self.0.raw()
    }

    pub(crate) fn queue(&self) -> &Arc<Queue> {
        &self.0
    }

    /// The driver's stream, which is alive as long as this value.
    #[must_use]
    pub fn handle(&self) -> RawStream<'_> {
        // An error comes to whoever makes the work's chain.
        _ = all_go_first(&self.0, "its stream is handed to other code between two operations");
        self.raw_handle()
    }

    /// The same, for what may come before the operations of a piece of work that is being enqueued.
    pub(crate) fn raw_handle(&self) -> RawStream<'_> {
        // SAFETY: the queue owns the stream, its component does, or its adopter vouches for it.
        unsafe { RawStream::new(self.raw().cast()) }
    }

    /// A number that no other stream of this process has, now or later; `None` if the driver, one
    /// before 12.0, gives streams no numbers.
    pub fn number(&self) -> Result<Option<u64>> {
        let Some(get) = driver()?.api.cuStreamGetId else { return Ok(None) };
        let _entered = self.device().enter()?;
        let mut number = 0;
        // SAFETY: the stream is alive, and the pointer is valid.
        let answer = unsafe { get(self.raw(), &raw mut number) };
        Ok((answer == SUCCESS).then_some(number))
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device()
    }

    /// Whether the point is in this stream, whose work comes after it anyway.
    fn has(&self, point: Point<'_>) -> bool {
        point.stream_address() == self.0.address() && self.0.keeps_address() || point.is_of(&self.0)
    }

    /// Whether another value stands for the same stream.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let is_kept = self.0.keeps_address() && other.0.keeps_address();
        Arc::ptr_eq(&self.0, &other.0) || is_kept && self.0.address() == other.0.address()
    }

    /// Whether somebody captures what is enqueued on it.
    ///
    /// # Errors
    /// If the driver refuses.
    pub(crate) fn is_captured(&self) -> Result<bool> {
        let _entered = self.device().enter()?;
        let mut status = 0;
        // The stream is alive, and the pointer is valid.
        call!(cuStreamIsCapturing(self.raw(), &raw mut status))?;
        Ok(status != 0)
    }

    /// Number of waits for other streams since the last call.
    pub(crate) fn take_waits(&self) -> u64 {
        self.0.waits.swap(0, Ordering::Relaxed)
    }

    /// Marks this point in the work. With `gxe --cuda-sync` the thread waits until the device reaches
    /// it.
    ///
    /// # Errors
    /// If the driver refuses or, with `--cuda-sync`, if the work fails.
    pub fn record(&self) -> Result<Fence> {
        all_go_first(&self.0, "its stream is marked between two operations")?;
        self.record_now()
    }

    /// Marks this point, whatever is held back behind it.
    pub(crate) fn record_now(&self) -> Result<Fence> {
        let mut fence = self.unrecorded()?;
        self.record_as(&mut fence)?;
        Ok(fence)
    }

    /// A fence whose event is still to be recorded.
    pub(crate) fn unrecorded(&self) -> Result<Fence> {
        let _entered = self.device().enter()?;
        let recorded = Recorded { event: self.0.events.take()?, queue: self.0.clone() };
        Ok(Fence::new(recorded, self.0.orders.next()))
    }

    /// Records the event of such a fence.
    pub(crate) fn record_as(&self, fence: &mut Fence) -> Result<()> {
        let _entered = self.device().enter()?;
        // Both are alive.
        let record = || call!(cuEventRecord(fence.event(), self.raw()));
        let number = self.0.orders.next_after(record)?;
        fence.set_order(number);
        match is_synchronous() {
            true => self.synchronize(),
            false => Ok(()),
        }
    }

    /// Like [`Stream::record`], for memory that must not get lost, and that no work uses that is held
    /// back: where the driver refuses, this thread waits for the stream, and the point is reached.
    ///
    /// # Errors
    /// If the device failed.
    pub fn record_or_wait(&self) -> Result<Fence> {
        self.record_now().or_else(|_| self.synchronize().map(|()| Fence::default()))
    }

    /// Records an event of somebody else's.
    pub fn record_event(&self, event: RawEvent<'_>) -> Result<()> {
        all_go_first(&self.0, "its stream is marked between two operations")?;
        let _entered = self.device().enter()?;
        // The maker of a `RawEvent` vouches for it.
        call!(cuEventRecord(event.as_ptr().cast(), self.raw()))
    }

    /// Makes the device, and no thread, wait for a fence before the following work.
    pub fn wait(&self, fence: &Fence) -> Result<()> {
        self.wait_for(fence.point())
    }

    /// Like [`Stream::wait`], for a point of a fence or of an event.
    pub fn wait_for(&self, point: Point<'_>) -> Result<()> {
        if point.is_none() {
            return Ok(());
        }
        let has = self.has(point);
        if point.number() != 0 && !(has && is_behind(&self.0)) {
            point.let_go("other work waits for it")?;
        }
        if has {
            return Ok(());
        }
        let _entered = self.device().enter()?;
        self.0.waits.fetch_add(1, Ordering::Relaxed);
        // Both are alive.
        call!(cuStreamWaitEvent(self.raw(), point.event(), 0))
    }

    /// Whether the device has done all work.
    ///
    /// # Errors
    /// If the device failed.
    pub fn is_done(&self) -> Result<bool> {
        all_go_first(&self.0, WAITED_FOR)?;
        self.is_done_now()
    }

    /// Whether the device has done all work, whatever is held back behind it.
    pub(crate) fn is_done_now(&self) -> Result<bool> {
        check_done(QUERY, self.answer()?)
    }

    /// The driver's answer to the question whether the device has done all work.
    fn answer(&self) -> Result<u32> {
        let _entered = self.device().enter()?;
        // SAFETY: the stream is alive.
        Ok(unsafe { (driver()?.api.cuStreamQuery)(self.raw()) })
    }

    /// Whether the device failed, so that it will never do the work.
    pub(crate) fn has_failed(&self) -> bool {
        match self.answer() {
            Ok(answer) if is_of_capture(answer) => false,
            answer => answer.and_then(|it| check_done(QUERY, it)).is_err(),
        }
    }

    /// Blocks the thread until the device has done all work.
    ///
    /// # Errors
    /// If the device failed.
    pub fn synchronize(&self) -> Result<()> {
        all_go_first(&self.0, WAITED_FOR)?;
        let _entered = self.device().enter()?;
        // The stream is alive.
        call!(cuStreamSynchronize(self.raw()))
    }
}
