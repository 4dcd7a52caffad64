//! Loads kernels onto devices.

use crate::device::Device;
use crate::error::call;
use crate::work::Work;
use cudarc::driver::sys::CUfunction;
use gxf::Result;
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ffi::{CString, c_void};
use std::ptr::null_mut;

/// The kernels' PTX, which the driver compiles for the device: of `picture.c` and of `numbers.c`.
const SOURCES: [&str; 2] =
    [include_str!("../kernels/picture.ptx"), include_str!("../kernels/numbers.ptx")];

/// Threads of a block.
const BLOCK: u32 = 256;
/// Most blocks of a launch; a kernel's loop does the rest.
const BLOCKS: u64 = 65_536;

/// Functions by device and kernel, as numbers; modules stay loaded.
#[derive(Default)]
struct Loaded {
    modules: FxHashMap<(i32, usize), usize>,
    functions: FxHashMap<(i32, &'static str), usize>,
}

static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

/// The function of a kernel. `source` is a position in [`SOURCES`].
fn function(device: Device, source: usize, kernel: &'static str) -> Result<CUfunction> {
    let mut loaded = LOADED.lock();
    let loaded = loaded.get_or_insert_default();
    let ordinal = device.ordinal();
    if let Some(known) = loaded.functions.get(&(ordinal, kernel)) {
        return Ok(std::ptr::with_exposed_provenance_mut(*known));
    }
    let module = match loaded.modules.get(&(ordinal, source)) {
        Some(module) => std::ptr::with_exposed_provenance_mut(*module),
        None => {
            let text = CString::new(SOURCES[source]).map_err(|_| gxf::ResultCode::FAILURE)?;
            let mut module = null_mut();
            let image = text.as_ptr().cast::<c_void>();
            // The text ends with a zero byte; there are no options.
            call!(cuModuleLoadDataEx(&raw mut module, image, 0, null_mut(), null_mut()))?;
            loaded.modules.insert((ordinal, source), module.expose_provenance());
            module
        }
    };
    let name = CString::new(kernel).map_err(|_| gxf::ResultCode::FAILURE)?;
    let mut function = null_mut();
    // The module is loaded, and the name ends with a zero byte.
    call!(cuModuleGetFunction(&raw mut function, module, name.as_ptr()))?;
    loaded.functions.insert((ordinal, kernel), function.expose_provenance());
    Ok(function)
}

/// Enqueues a kernel with `steps` independent steps.
///
/// # Safety
/// `args` must be the kernel's structure, and what its pointers refer to must have the sizes that
/// its other fields state, until the work is done.
pub(crate) unsafe fn launch<A>(
    work: &mut Work<'_>,
    source: usize,
    kernel: &'static str,
    steps: u64,
    mut args: A,
) -> Result<()> {
    if steps == 0 {
        return Ok(());
    }
    work.operates(None)?;
    let stream = work.stream();
    let function = function(stream.device(), source, kernel)?;
    let blocks = steps.div_ceil(u64::from(BLOCK)).min(BLOCKS) as u32;
    let mut parameters = [(&raw mut args).cast::<c_void>()];
    // The driver copies the structure during the call.
    call!(cuLaunchKernel(
        function,
        blocks,
        1,
        1,
        BLOCK,
        1,
        1,
        0,
        stream.raw(),
        parameters.as_mut_ptr(),
        null_mut()
    ))
}
