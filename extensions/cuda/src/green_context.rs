//! `CudaGreenContextPool` and `CudaGreenContext`.

use gxf::ContextHandle;
use gxf::prelude::*;
use gxf_device::{Device, GreenContext, label};
use parking_lot::Mutex;

/// Divides the multiprocessors of a device into partitions, each a green context: work on the streams of
/// one runs on its multiprocessors only. Needs a driver of CUDA 12.5 or newer.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CudaGreenContextPool {
    /// Number of the device [default: that of the GPUDevice in the entity's group, or else 0].
    #[parameter(minimum = 0)]
    dev_id: Parameter<Option<i32>>,
    /// Flags for the green contexts; there are none yet.
    #[parameter(default = 0)]
    flags: Parameter<u32>,
    /// Another name of `flags`.
    #[parameter(default = 0)]
    green_context_flags: Parameter<u32>,
    /// Number of partitions [default: one for each of `sms_per_partition`]. With a number and without
    /// sizes, the partitions have the same size, and the multiprocessors that are left over are not used.
    #[parameter(default = 0)]
    num_partitions: Parameter<u32>,
    /// Multiprocessors of each partition. The driver may round them up, on recent devices to multiples of
    /// 8. What is left is a partition more if it is not too small. Some drivers may refuse partitions of
    /// different sizes.
    sms_per_partition: Parameter<Option<Vec<u32>>>,
    /// Partition of a CudaGreenContext without an index, from 0 on; -1 for the last one.
    #[parameter(default = -1, minimum = -1)]
    default_context_index: Parameter<i32>,
    /// Another name of `default_context_index`.
    #[parameter(default = -1, minimum = -1)]
    default_context: Parameter<i32>,
    /// Fewest multiprocessors of a partition.
    #[parameter(default = 2, minimum = 1)]
    min_sm_size: Parameter<u32>,
    /// Another name of `min_sm_size`.
    #[parameter(default = 2, minimum = 1)]
    min_sm_count: Parameter<u32>,
    parts: Mutex<Vec<GreenContext>>,
}

/// The value of two names for one parameter, the one that is not the default, and its name.
fn either<T>(names: [&str; 2], values: [T; 2], default: T) -> Result<(&str, T)>
where
    T: Copy + PartialEq,
{
    match values {
        [one, other] if other == default => Ok((names[0], one)),
        [one, other] if one == default => Ok((names[1], other)),
        _ => Err(Error::new(
            ResultCode::ARGUMENT_INVALID,
            format!("`{}` and `{}` mean the same; set one of them", names[1], names[0]),
        )),
    }
}

fn out_of_range(text: String) -> Error {
    Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, text)
}

impl CudaGreenContextPool {
    /// A partition; -1 for the default one.
    pub fn part(&self, index: i32) -> Result<GreenContext> {
        let parts = self.parts.lock();
        if parts.is_empty() {
            return Err(Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                "the CudaGreenContextPool has no partitions before it is initialized",
            ));
        }
        let index = if index < 0 { self.default_index()?.1 } else { index };
        let place = if index < 0 { Some(parts.len() - 1) } else { usize::try_from(index).ok() };
        place.and_then(|place| parts.get(place)).cloned().ok_or_else(|| {
            out_of_range(format!("there is no partition {index}; there are {}", parts.len()))
        })
    }

    fn default_index(&self) -> Result<(&str, i32)> {
        let values = [*self.default_context_index, *self.default_context];
        either(["default_context_index", "default_context"], values, -1)
    }

    /// Fewest multiprocessors of a partition.
    fn least(&self) -> Result<(&str, u32)> {
        either(["min_sm_size", "min_sm_count"], [*self.min_sm_size, *self.min_sm_count], 2)
    }

    /// The partitions of a device.
    fn divide(&self, device: Device) -> Result<Vec<GreenContext>> {
        let all = u32::try_from(device.processors()?).unwrap_or(0);
        let (number, count) = (device.ordinal(), *self.num_partitions);
        let (least_name, least) = self.least()?;
        if let Some(sizes) = self.sms_per_partition.as_deref().filter(|sizes| !sizes.is_empty()) {
            let divided = GreenContext::divide(device, sizes, least);
            return divided.map_err(|error| match error.code() {
                ResultCode::ARGUMENT_OUT_OF_RANGE => error.context("`sms_per_partition`"),
                _ => error,
            });
        }
        let asked = match count {
            0 => "there is one partition".to_owned(),
            count => format!("`num_partitions` is {count}"),
        };
        let count = count.max(1);
        let too_many = |have: &str| {
            out_of_range(format!(
                "{asked}, with at least {least} multiprocessors each (`{least_name}`), and device \
                 {number} has {all}{have}"
            ))
        };
        let each = all / count;
        if each < least {
            return Err(too_many(""));
        }
        GreenContext::divide_evenly(device, count, least).map_err(|error| match error.code() {
            ResultCode::ARGUMENT_OUT_OF_RANGE => {
                too_many(", which the driver does not divide into so many")
            }
            _ => error,
        })
    }
}

impl Lifecycle for CudaGreenContextPool {
    fn check_parameters(&self) -> Result<()> {
        let (count, sizes) = (*self.num_partitions as usize, self.sms_per_partition.as_deref());
        let sizes = sizes.map_or(0, <[u32]>::len);
        if count > 0 && sizes > 0 && count != sizes {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`num_partitions` is {count}, and `sms_per_partition` has {sizes} sizes"),
            ));
        }
        if self.sms_per_partition.as_deref().is_some_and(|sizes| sizes.contains(&0)) {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                "`sms_per_partition`: a partition has at least one multiprocessor",
            ));
        }
        self.default_index()?;
        self.least()?;
        let flags = [*self.flags, *self.green_context_flags];
        let (name, flags) = either(["flags", "green_context_flags"], flags, 0)?;
        if flags != 0 {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`{name}`: no flags of green contexts are known, so it must be 0"),
            ));
        }
        Ok(())
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let device = Device::get(self.dev_id.or_else(|| context.gpu_device()).unwrap_or(0))?;
        let parts = self.divide(device)?;
        let sizes: Vec<_> = parts.iter().map(GreenContext::processors).collect();
        gxf::debug!("device {} has partitions of {sizes:?} multiprocessors", device.ordinal());
        *self.parts.lock() = parts;
        // That of contexts without an index.
        self.part(-1).map(drop).map_err(|error| {
            self.parts.lock().clear();
            match self.default_index() {
                Ok((name, _)) => error.context(format!("`{name}`")),
                Err(other) => other,
            }
        })
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.parts.lock().clear();
        Ok(())
    }
}

/// A partition of a CudaGreenContextPool, for the streams of a CudaStreamPool.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CudaGreenContext {
    /// Pool of the partitions.
    cuda_green_context_pool: Parameter<Handle<CudaGreenContextPool>>,
    /// Partition, from 0 on; -1 for the default one of the pool.
    #[parameter(default = -1, minimum = -1)]
    index: Parameter<i32>,
    /// Name for NVIDIA's profilers. Kept for applications written for GXF; this component does not
    /// use it.
    nvtx_identifier: Parameter<Option<String>>,
    context: Mutex<Option<ContextHandle>>,
}

impl CudaGreenContext {
    /// The partition.
    ///
    /// # Errors
    /// `INVALID_LIFECYCLE_STAGE` before the pool is initialized.
    pub fn part(&self) -> Result<GreenContext> {
        self.own_part().map_err(|error| match &*self.context.lock() {
            Some(context) => error.context(label("CudaGreenContext", context)),
            None => error,
        })
    }

    fn own_part(&self) -> Result<GreenContext> {
        let part = self.cuda_green_context_pool.get().part(*self.index);
        part.map_err(|error| match error.code() {
            ResultCode::ARGUMENT_OUT_OF_RANGE => error.context("`index`"),
            _ => error,
        })
    }
}

impl Lifecycle for CudaGreenContext {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        match self.own_part() {
            // The pool may be initialized after this.
            Err(error) if error.code() != ResultCode::INVALID_LIFECYCLE_STAGE => return Err(error),
            _ => {}
        }
        *self.context.lock() = Some(context.handle());
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.context.lock() = None;
        Ok(())
    }
}
