//! `CudaStreamPool`.

use crate::green_context::CudaGreenContext;
use crate::stream::CudaStream;
use gxf::prelude::*;
use gxf::{ContextHandle, Uid, WakeToken};
use gxf_device::{Action, Device, GreenContext, Stream, label, settle, when_done};
use parking_lot::Mutex;
use std::sync::Arc;

/// Lends streams of one device to codelets. It makes an entity with a CudaStream for each.
///
/// It is also a `gxe::Completion`: what codelets have enqueued on its streams is done. So the work of
/// a submitter in a static schedule, whose entity has a pool of its own, is the pool.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CudaStreamPool {
    /// Number of the device [default: that of the GPUDevice in the entity's group, or else 0].
    #[parameter(minimum = 0)]
    dev_id: Parameter<Option<i32>>,
    /// Flags of the driver for streams: 1 for no waits for the legacy default stream.
    #[parameter(default = 1, maximum = 1)]
    stream_flags: Parameter<u32>,
    /// Priority of the streams; a lower number is more urgent.
    #[parameter(default = 0)]
    stream_priority: Parameter<i32>,
    /// Number of streams to make at the start.
    #[parameter(default = 1, maximum = 65_536)]
    reserved_size: Parameter<u32>,
    /// Most streams to lend at once; 0 for no limit.
    #[parameter(default = 0)]
    max_size: Parameter<u32>,
    /// Multiprocessors that the work of the streams runs on [default: all]. Such streams never wait for
    /// the legacy default stream, and are made when they are needed.
    cuda_green_context: Parameter<Option<Handle<CudaGreenContext>>>,
    /// Name for NVIDIA's profilers. Kept for applications written for GXF; this component does not
    /// use it.
    nvtx_identifier: Parameter<Option<String>>,
    state: Mutex<State>,
    failure: Failure,
}

/// What the driver refused while somebody waited for the streams, for the next poll.
type Failure = Arc<Mutex<Option<Error>>>;

#[derive(Default)]
struct State {
    /// Absent before initialize and after deinitialize.
    open: Option<(ContextHandle, Device)>,
    free: Vec<Made>,
    lent: Vec<Made>,
}

/// A stream's component, and what the stream was made with.
struct Made {
    component: Handle<CudaStream>,
    device: Device,
    flags: u32,
    priority: i32,
    part: Option<GreenContext>,
}

impl State {
    /// Says that no stream is left.
    fn all_lent(&self, most: u32) -> String {
        let open = self.open.as_ref();
        let pool = open.map_or_else(
            || "the CudaStreamPool".to_owned(),
            |(context, _)| label("CudaStreamPool", context),
        );
        match most {
            0 => format!("{pool} has lent {MOST} streams, the most that one can"),
            1 => format!("{pool} has lent its only stream; enlarge `max_size`"),
            most => format!("{pool} has lent all its {most} streams; enlarge `max_size`"),
        }
    }
}

/// Streams that a graph may have, so that a leak in a loop ends with an error.
const MOST: usize = 65_536;

impl CudaStreamPool {
    /// A stream that is free, perhaps from a former run, or a new one with its entity.
    fn take(&self, state: &mut State) -> Result<Made> {
        let (context, device) = state.open.as_ref().ok_or_else(|| {
            Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                "the pool lends streams only between initialize and deinitialize",
            )
        })?;
        let (device, flags, priority) = (*device, *self.stream_flags, *self.stream_priority);
        let named = |error: Error| error.context(label("CudaStreamPool", context));
        let part = self.part(device).map_err(named)?;
        let fits = |made: &Made| {
            let of_device = made.device == device && made.flags == flags;
            of_device && made.priority == priority && made.part == part
        };
        let made = match state.free.iter().rposition(fits) {
            Some(place) => state.free.swap_remove(place),
            None => {
                let stream = match &part {
                    Some(part) => part.new_stream(priority)?,
                    None => Stream::new(device, flags, priority)?,
                };
                let eid = context.create_entity("")?;
                let cid = context.add_component(eid, "nvidia::gxf::CudaStream", "stream")?;
                let component: Handle<CudaStream> = context.resolve(cid)?;
                component.set(stream);
                Made { component, device, flags, priority, part }
            }
        };
        made.component.set_open(true);
        Ok(made)
    }

    /// The multiprocessors for the streams; `None` for all.
    fn part(&self, device: Device) -> Result<Option<GreenContext>> {
        let Some(green) = self.cuda_green_context.as_ref() else { return Ok(None) };
        let part = green.part()?;
        if part.device() == device {
            return Ok(Some(part));
        }
        Err(Error::new(
            ResultCode::ARGUMENT_INVALID,
            format!(
                "`cuda_green_context`: the streams are for device {}, and the partition is of device {}",
                device.ordinal(),
                part.device().ordinal()
            ),
        ))
    }

    /// All its streams, those with work that a codelet gave back, too.
    fn streams(&self) -> Vec<Stream> {
        let state = self.state.lock();
        // Those that are left over from a run with another device are not open.
        state.lent.iter().chain(&state.free).filter_map(|made| made.component.get().ok()).collect()
    }

    fn limit(&self) -> usize {
        match usize::try_from(*self.max_size.get()) {
            Ok(0) | Err(_) => MOST,
            Ok(limit) => limit,
        }
    }
}

impl Lifecycle for CudaStreamPool {
    fn check_parameters(&self) -> Result<()> {
        let (reserved, most) = (*self.reserved_size.get(), *self.max_size.get());
        if most != 0 && reserved > most {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`reserved_size` ({reserved}) is larger than `max_size` ({most})"),
            ));
        }
        Ok(())
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let ordinal = self.dev_id.or_else(|| context.gpu_device()).unwrap_or(0);
        let device = Device::get(ordinal)?;
        match self.part(device) {
            // The partitions of a device may be made after this.
            Err(error) if error.code() != ResultCode::INVALID_LIFECYCLE_STAGE => return Err(error),
            _ => {}
        }
        *self.failure.lock() = None;
        let mut state = self.state.lock();
        state.open = Some((context.handle(), device));
        let reserved = if self.cuda_green_context.is_some() { 0 } else { *self.reserved_size };
        // Streams of a former run are made anew, for the device of this one.
        let reserved: Result<Vec<_>> = (0..reserved).map(|_| self.take(&mut state)).collect();
        state.free.extend(reserved?);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        settle();
        let mut state = self.state.lock();
        state.open = None;
        let lent = std::mem::take(&mut state.lent);
        state.free.extend(lent);
        for made in &state.free {
            made.component.set_open(false);
        }
        Ok(())
    }
}

impl implement::Allocator for CudaStreamPool {
    /// Whether a stream can be lent, whatever the size.
    fn is_available(&self, _size: u64) -> bool {
        let state = self.state.lock();
        state.open.is_some() && state.lent.len() < self.limit()
    }

    fn allocate(&self, _size: u64, _storage: StorageType) -> Result<*mut u8> {
        Err(Error::new(
            ResultCode::NOT_IMPLEMENTED,
            "a CudaStreamPool lends streams and has no memory; give the component another allocator",
        ))
    }

    fn free(&self, _pointer: *mut u8) -> Result<()> {
        Err(ResultCode::NOT_IMPLEMENTED.into())
    }

    fn block_size(&self) -> u64 {
        1
    }
}

impl implement::CudaStreamPool for CudaStreamPool {
    fn allocate_stream(&self) -> Result<Uid> {
        let mut state = self.state.lock();
        if state.lent.len() >= self.limit() {
            return Err(Error::new(
                ResultCode::EXCEEDING_PREALLOCATED_SIZE,
                state.all_lent(*self.max_size.get()),
            ));
        }
        let made = self.take(&mut state)?;
        let cid = made.component.cid();
        state.lent.push(made);
        Ok(cid)
    }

    fn release_stream(&self, cid: Uid) -> Result<()> {
        let mut state = self.state.lock();
        let place = state.lent.iter().position(|made| made.component.cid() == cid);
        let Some(place) = place else {
            // After the end, the pool has taken all streams back itself.
            if state.free.iter().any(|made| made.component.cid() == cid) && state.open.is_none() {
                return Ok(());
            }
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("the component {cid} is no stream that this pool lent"),
            ));
        };
        let made = state.lent.swap_remove(place);
        state.free.push(made);
        Ok(())
    }
}

impl implement::DeviceQueue for CudaStreamPool {
    fn device(&self) -> Result<String> {
        Ok("cuda".to_owned())
    }

    /// What the thread does outside the pool is for the same device, too.
    fn begin_thread(&self) -> Result<()> {
        match &self.state.lock().open {
            Some((_, device)) => device.use_on_this_thread(),
            None => Ok(()),
        }
    }
}

impl implement::Completion for CudaStreamPool {
    fn poll(&self) -> Result<bool> {
        if let Some(error) = self.failure.lock().take() {
            return Err(error);
        }
        for stream in self.streams() {
            if !stream.is_done()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn notify(&self, token: WakeToken) -> Result<()> {
        wake_when_done(self.streams(), token, self.failure.clone());
        Ok(())
    }
}

/// Uses the token once the streams have done what they have now, or the driver refuses something, which
/// the next poll then says.
fn wake_when_done(mut streams: Vec<Stream>, token: WakeToken, failure: Failure) {
    while let Some(stream) = streams.pop() {
        let fence = match stream.is_done() {
            Ok(true) => continue,
            Ok(false) => stream.record(),
            Err(error) => Err(error),
        };
        let noted = failure.clone();
        let waits = match fence {
            Ok(fence) => {
                let rest = move || wake_when_done(streams, token, noted);
                // If the driver refuses, the rest is done all the same.
                when_done(fence.point(), Action::Run(Box::new(rest)))
            }
            Err(error) => {
                noted.lock().get_or_insert(error);
                break;
            }
        };
        if let Err(error) = waits {
            failure.lock().get_or_insert(error);
        }
        return;
    }
    token.wake();
}
