//! Green contexts: some of a device's multiprocessors, for streams of their own. Needs a driver of CUDA
//! 12.5 or newer.

use crate::api::DevResource;
use crate::device::Device;
use crate::driver::driver;
use crate::error::check;
use crate::queue::{Owner, Queue};
use crate::stream::Stream;
use gxf::{Error, Result, ResultCode};
use std::ffi::{c_uint, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

/// `CU_DEV_RESOURCE_TYPE_SM`.
const MULTIPROCESSORS: c_uint = 1;
/// `CUDA_ERROR_INVALID_RESOURCE_TYPE`.
const INVALID_RESOURCE_TYPE: u32 = 914;
/// `CU_GREEN_CTX_DEFAULT_STREAM`, without which the driver makes none.
const DEFAULT_STREAM: c_uint = 1;

/// Some of a device's multiprocessors. Clones are the same ones; the last of them, and of the streams,
/// gives them back.
#[derive(Clone)]
pub struct GreenContext(Arc<Inner>);

struct Inner {
    device: Device,
    /// The driver's context, as a number: an identifier for the driver.
    context: usize,
    processors: u32,
}

/// Calls a function that drivers before 12.5 lack.
macro_rules! newer {
    ($function:ident($($argument:expr),* $(,)?)) => {{
        let driver = driver()?;
        let function = driver.api.$function.ok_or_else(|| missing(stringify!($function)))?;
        // SAFETY: the caller passes live handles and valid pointers, as each place states.
        check(stringify!($function), unsafe { function($($argument),*) })
    }};
}

fn missing(function: &str) -> Error {
    Error::new(
        ResultCode::NOT_IMPLEMENTED,
        format!(
            "green contexts need a driver of CUDA 12.5 or newer; this one has no {function} (`gxe \
             inspect cuda` shows it)"
        ),
    )
}

/// All multiprocessors of a device.
fn whole(device: Device) -> Result<DevResource> {
    let mut all = DevResource::EMPTY;
    // The pointer is valid.
    newer!(cuDeviceGetDevResource(device.ordinal(), &raw mut all, MULTIPROCESSORS))?;
    Ok(all)
}

/// Number of groups of so many multiprocessors, or a few more, that the driver can make.
fn most(of: &DevResource, size: u32) -> Result<u32> {
    let (mut groups, mut left) = (0, DevResource::EMPTY);
    // The pointers are valid; without a place for groups the driver only counts them.
    newer!(cuDevSmResourceSplitByCount(null_mut(), &raw mut groups, of, &raw mut left, 0, size))?;
    Ok(groups)
}

/// Up to `count` groups of so many multiprocessors, or a few more, and the rest.
fn split(of: &DevResource, size: u32, count: usize) -> Result<(Vec<DevResource>, DevResource)> {
    // No more fit.
    let count = count.min(of.processors as usize);
    let mut groups = vec![DevResource::EMPTY; count];
    let (mut made, mut left) = (count as c_uint, DevResource::EMPTY);
    let split = driver()?.api.cuDevSmResourceSplitByCount;
    let split = split.ok_or_else(|| missing("cuDevSmResourceSplitByCount"))?;
    // SAFETY: the pointers are valid, and there is room for as many groups as `made` says.
    let answer = unsafe { split(groups.as_mut_ptr(), &raw mut made, of, &raw mut left, 0, size) };
    check("cuDevSmResourceSplitByCount", answer).map_err(|error| match answer {
        INVALID_RESOURCE_TYPE => Error::new(
            error.code(),
            format!(
                "{error}: it does not divide what is left after a partition; give all partitions the same \
                 size"
            ),
        ),
        _ => error,
    })?;
    groups.truncate(made as usize);
    Ok((groups, left))
}

/// The first sizes of some.
fn listed(sizes: &[u32]) -> String {
    const SHOWN: usize = 16;
    match sizes.get(..SHOWN).filter(|_| sizes.len() > SHOWN) {
        None => format!("{sizes:?}"),
        Some(first) => format!("{first:?} and {} more", sizes.len() - SHOWN),
    }
}

impl PartialEq for GreenContext {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl GreenContext {
    /// Divides a device: a part for each number of multiprocessors, which the driver may round up, of
    /// at least `least` each, and one with the rest if that is as large.
    ///
    /// # Errors
    /// If the device has too few, the driver is older than 12.5, or it does not divide what is left after
    /// a part, which only parts of different sizes need.
    pub fn divide(device: Device, sizes: &[u32], least: u32) -> Result<Vec<Self>> {
        let _entered = device.enter()?;
        let mut rest = whole(device)?;
        let all = rest.processors;
        let wanted = sizes.iter().map(|size| (*size).max(least)).collect::<Vec<_>>();
        let is_even = wanted.windows(2).all(|pair| pair[0] == pair[1]);
        let at_once = if is_even { wanted.len().max(1) } else { 1 };
        let mut parts = Vec::new();
        for sizes_at_once in wanted.chunks(at_once) {
            let (size, count) = (sizes_at_once[0], sizes_at_once.len());
            let mut made = 0;
            if size <= rest.processors {
                let groups;
                (groups, rest) = split(&rest, size, count)?;
                made = groups.len();
                for group in groups {
                    parts.push(Self::new(device, group)?);
                }
            }
            if made < count {
                return Err(Error::new(
                    ResultCode::ARGUMENT_OUT_OF_RANGE,
                    format!(
                        "partitions of {} multiprocessors, at least {least} each, do not fit the \
                         {all} of device {}: {} are left for the one of {size}",
                        listed(sizes),
                        device.ordinal(),
                        rest.processors
                    ),
                ));
            }
        }
        if rest.kind == MULTIPROCESSORS && rest.processors >= least.max(1) {
            parts.push(Self::new(device, rest)?);
        }
        Ok(parts)
    }

    /// Divides a device into parts of the same size, as large as they can be, of at least `least`
    /// multiprocessors. One part is the whole device; of several, some may be left over.
    ///
    /// # Errors
    /// If the device has too few, or the driver is older than 12.5.
    pub fn divide_evenly(device: Device, count: u32, least: u32) -> Result<Vec<Self>> {
        let _entered = device.enter()?;
        let all = whole(device)?;
        if count == 1 && all.processors >= least {
            return Ok(vec![Self::new(device, all)?]);
        }
        // The driver rounds sizes up, so the parts of the first may be too few.
        let sizes = (least.max(1)..=all.processors / count.max(1)).rev();
        for size in sizes {
            if most(&all, size)? >= count {
                let (groups, _) = split(&all, size, count as usize)?;
                return groups.into_iter().map(|group| Self::new(device, group)).collect();
            }
        }
        Err(ResultCode::ARGUMENT_OUT_OF_RANGE.into())
    }

    fn new(device: Device, mut part: DevResource) -> Result<Self> {
        let mut description = null_mut::<c_void>();
        // The pointers are valid for one part; the description belongs to the driver.
        newer!(cuDevResourceGenerateDesc(&raw mut description, &raw mut part, 1))?;
        let mut context = null_mut::<c_void>();
        // The pointer is valid, and the description is what the call above made.
        newer!(cuGreenCtxCreate(&raw mut context, description, device.ordinal(), DEFAULT_STREAM))?;
        let context = context.expose_provenance();
        Ok(Self(Arc::new(Inner { device, context, processors: part.processors })))
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> Device {
        self.0.device
    }

    /// Number of its multiprocessors.
    #[must_use]
    pub fn processors(&self) -> u32 {
        self.0.processors
    }

    /// A new stream, whose work runs on these multiprocessors only, without waits for the legacy
    /// default stream. A lower `priority` is more urgent.
    pub fn new_stream(&self, priority: i32) -> Result<Stream> {
        const NON_BLOCKING: c_uint = 1;
        let _entered = self.0.device.enter()?;
        let mut stream = null_mut();
        let context = std::ptr::with_exposed_provenance_mut(self.0.context);
        // The pointer is valid, and the context is alive.
        newer!(cuGreenCtxStreamCreate(&raw mut stream, context, NON_BLOCKING, priority))?;
        let owner = Owner::Own { part: Some(Box::new(self.clone())) };
        Ok(Stream::of_queue(Queue::new(self.0.device, stream.expose_provenance(), owner)))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let context = std::ptr::with_exposed_provenance_mut(self.context);
        // No stream of it is left. An error leaves nothing to do.
        _ = (|| newer!(cuGreenCtxDestroy(context)))();
    }
}
