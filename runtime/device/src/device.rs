//! Devices.

use crate::driver::driver;
use crate::error::call;
use cudarc::driver::sys::{CUcontext, CUdevice_attribute, CUstream, CUstreamCaptureMode};
use gxf::{Error, Result, ResultCode};
use parking_lot::Mutex;
use std::cell::Cell;
use std::ffi::c_uint;
use std::marker::PhantomData;
use std::ptr::null_mut;

/// A device with its primary context, which this process keeps from the first use on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Device {
    ordinal: i32,
    /// The context, as a number: an identifier for the driver, whose functions any thread may call.
    context: usize,
}

/// The devices in use.
static DEVICES: Mutex<Vec<Device>> = Mutex::new(Vec::new());

/// A device's context, current on this thread at least until the value is dropped.
pub(crate) struct Entered {
    /// Whether the thread goes back to what was current before.
    pushed: bool,
    /// Restored behind the context.
    _relaxed: Relaxed,
}

/// The mode in which no capture forbids a thread anything.
const RELAXED: c_uint = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED as c_uint;

/// This thread's calls, while this exists, are none that a capture must fear. Whoever captures in the
/// mode "global", the default of CUDA's runtime and of PyTorch, otherwise forbids all threads to look
/// at events and to allocate: the call fails, and so does the capture.
///
/// They nest: only the outermost one of a thread asks the driver. It stays on its thread.
struct Relaxed {
    former: c_uint,
    of_thread: PhantomData<*const ()>,
}

thread_local! {
    /// How many of them this thread has.
    static NESTED: Cell<usize> = const { Cell::new(0) };
}

impl Relaxed {
    fn new() -> Result<Self> {
        let mut former = RELAXED;
        if NESTED.get() == 0 {
            // The pointer is valid.
            call!(cuThreadExchangeStreamCaptureMode(&raw mut former))?;
        }
        NESTED.set(NESTED.get() + 1);
        Ok(Self { former, of_thread: PhantomData })
    }
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        NESTED.set(NESTED.get() - 1);
        if self.former != RELAXED {
            // The pointer is valid. An error leaves nothing to do.
            _ = call!(cuThreadExchangeStreamCaptureMode(&raw mut self.former));
        }
    }
}

impl Device {
    /// The device of this number.
    ///
    /// # Errors
    /// If there is no driver, or no such device; the error lists the devices.
    pub fn get(ordinal: i32) -> Result<Self> {
        let mut devices = DEVICES.lock();
        if let Some(known) = devices.iter().find(|device| device.ordinal == ordinal) {
            return Ok(*known);
        }
        let count = driver()?.device_count();
        if !(0..count).contains(&ordinal) {
            let names: Vec<_> = (0..count)
                .map(|number| format!("{number} ({})", name(number).unwrap_or_default()))
                .collect();
            return Err(Error::new(
                ResultCode::ARGUMENT_OUT_OF_RANGE,
                format!("there is no CUDA device {ordinal}; there is {}", names.join(", ")),
            ));
        }
        let mut context = null_mut();
        // The pointer is valid, and the device's number too.
        call!(cuDevicePrimaryCtxRetain(&raw mut context, ordinal))?;
        let device = Self { ordinal, context: context.addr() };
        // Provenance is of no use to the driver.
        _ = context.expose_provenance();
        devices.push(device);
        Ok(device)
    }

    /// Number of the device.
    #[must_use]
    pub fn ordinal(self) -> i32 {
        self.ordinal
    }

    /// Name of the device.
    pub fn name(self) -> Result<String> {
        name(self.ordinal)
    }

    /// Memory of the device in bytes.
    pub fn total_memory(self) -> Result<u64> {
        let mut bytes = 0;
        // The pointer is valid.
        call!(cuDeviceTotalMem_v2(&raw mut bytes, self.ordinal))?;
        Ok(bytes as u64)
    }

    /// Free bytes of the device's memory, and all.
    pub fn memory(self) -> Result<(u64, u64)> {
        let _entered = self.enter()?;
        let (mut free, mut total) = (0, 0);
        // The pointers are valid.
        call!(cuMemGetInfo_v2(&raw mut free, &raw mut total))?;
        Ok((free as u64, total as u64))
    }

    /// Adds to an error for want of memory what was requested and what is free.
    pub(crate) fn with_free_memory(self, error: Error, requested: usize) -> Error {
        if error.code() != ResultCode::OUT_OF_MEMORY {
            return error;
        }
        let Ok((free, total)) = self.memory() else { return error };
        let text = format!(
            "{} ({requested} bytes were requested, and {free} of {total} bytes of device {} are free)",
            error.message(),
            self.ordinal
        );
        Error::new(ResultCode::OUT_OF_MEMORY, text)
    }

    /// Compute capability: 9 and 0 for an H200.
    pub fn capability(self) -> Result<(i32, i32)> {
        use CUdevice_attribute::{
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR as MAJOR,
            CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR as MINOR,
        };
        Ok((self.attribute(MAJOR)?, self.attribute(MINOR)?))
    }

    /// Number of multiprocessors.
    pub fn processors(self) -> Result<i32> {
        self.attribute(CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
    }

    fn attribute(self, attribute: CUdevice_attribute) -> Result<i32> {
        let mut value = 0;
        // The pointer is valid.
        call!(cuDeviceGetAttribute(&raw mut value, attribute, self.ordinal))?;
        Ok(value)
    }

    /// Blocks the thread until the device has done all work.
    pub(crate) fn synchronize(self) -> Result<()> {
        let _entered = self.enter()?;
        call!(cuCtxSynchronize())
    }

    pub(crate) fn raw_context(self) -> CUcontext {
        std::ptr::with_exposed_provenance_mut(self.context)
    }

    /// Makes this device's context the current one of the thread, for the rest of its life.
    ///
    /// # Errors
    /// Those of the driver.
    pub fn use_on_this_thread(self) -> Result<()> {
        // Work that enters the context from now on finds it and changes nothing.
        self.enter()?.pushed = false;
        Ok(())
    }

    /// The device of a stream, which is alive; this one if the driver does not tell.
    pub(crate) fn of_stream(self, stream: CUstream) -> Result<Self> {
        let _entered = self.enter()?;
        let mut context = null_mut();
        // The pointer is valid.
        if call!(cuStreamGetCtx(stream, &raw mut context)).is_err() || context == self.raw_context()
        {
            return Ok(self);
        }
        let mut ordinal = self.ordinal;
        // The stream's context is alive, and the pointers are valid.
        call!(cuCtxPushCurrent_v2(context))?;
        let found = call!(cuCtxGetDevice(&raw mut ordinal));
        call!(cuCtxPopCurrent_v2(&raw mut context))?;
        found.and_then(|()| Self::get(ordinal))
    }

    /// Makes the device's context current. That of the first device stays so on a thread that has
    /// none: it is the one that CUDA's runtime would take there. Meanwhile captures of others neither
    /// stop the thread nor suffer from it.
    pub(crate) fn enter(self) -> Result<Entered> {
        let mut current = null_mut();
        // The pointer is valid.
        call!(cuCtxGetCurrent(&raw mut current))?;
        let _relaxed = Relaxed::new()?;
        if current == self.raw_context() {
            return Ok(Entered { pushed: false, _relaxed });
        }
        // The context is retained for the life of the process.
        call!(cuCtxPushCurrent_v2(self.raw_context()))?;
        Ok(Entered { pushed: self.ordinal != 0 || !current.is_null(), _relaxed })
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        if self.pushed {
            let mut popped = null_mut();
            // The pointer is valid; this pops what `enter` pushed. An error leaves nothing to do.
            _ = call!(cuCtxPopCurrent_v2(&raw mut popped));
        }
    }
}

fn name(ordinal: i32) -> Result<String> {
    let mut name = [0u8; 256];
    // The pointer is valid for 255 bytes, so that the last one stays zero.
    call!(cuDeviceGetName(name.as_mut_ptr().cast(), 255, ordinal))?;
    let end = name.iter().position(|byte| *byte == 0).unwrap_or(name.len());
    Ok(String::from_utf8_lossy(&name[..end]).into_owned())
}
