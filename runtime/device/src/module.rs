//! Kernels: loads them onto devices, and launches them.

use crate::device::Device;
use crate::error::call;
use crate::grid::Grid;
use crate::operation::{Launch, Operation};
use crate::work::Work;
use cudarc::driver::sys::{CUfunction, CUfunction_attribute};
use gxf::{Error, Result, ResultCode};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr::null_mut;

/// A kernel: a function of PTX text, which the driver compiles for the device when it is first
/// launched. It has one parameter, a structure laid out like `A`.
///
/// PTX comes from CUDA C (`nvcc -ptx`), from clang for NVPTX, or from any other compiler for it.
pub struct Kernel<A> {
    ptx: &'static str,
    name: &'static str,
    arguments: PhantomData<fn(A)>,
}

impl<A: Copy> Kernel<A> {
    /// The kernel `name` of this text.
    ///
    /// # Safety
    /// If the text has a kernel of this name, it must have one parameter, which is laid out like `A`.
    #[must_use]
    pub const unsafe fn new(ptx: &'static str, name: &'static str) -> Self {
        Self { ptx, name, arguments: PhantomData }
    }
}

/// Where a text is: those of two kernels of one source are the same.
type Text = usize;

/// Modules and functions by device, as numbers; modules stay loaded.
#[derive(Default)]
struct Loaded {
    modules: FxHashMap<(i32, Text), usize>,
    functions: FxHashMap<(i32, Text, &'static str), Loadable>,
}

/// A function.
#[derive(Clone, Copy)]
struct Loadable {
    /// As a number.
    address: usize,
    /// Most bytes that the driver lets the threads of a block share, for all that it was told.
    shared_bytes: u32,
}

impl Loadable {
    /// Tells the driver if a launch needs more than what it allows.
    fn allow(&mut self, shared_bytes: u32) -> Result<()> {
        if shared_bytes <= self.shared_bytes {
            return Ok(());
        }
        let attribute =
            CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES as c_uint;
        let bytes = c_int::try_from(shared_bytes).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        // The function's module stays loaded.
        call!(cuFuncSetAttribute(self.raw(), attribute, bytes))?;
        self.shared_bytes = shared_bytes;
        Ok(())
    }

    fn raw(self) -> CUfunction {
        std::ptr::with_exposed_provenance_mut(self.address)
    }
}

static LOADED: Mutex<Option<Loaded>> = Mutex::new(None);

/// The function of a kernel, for a launch whose threads share so many bytes.
fn function(
    device: Device,
    ptx: &'static str,
    name: &'static str,
    shared_bytes: u32,
) -> Result<CUfunction> {
    let mut loaded = LOADED.lock();
    let loaded = loaded.get_or_insert_default();
    let (ordinal, text) = (device.ordinal(), ptx.as_ptr().addr());
    let too_much = |error: Error| {
        let text = format!("the kernel `{name}` with {shared_bytes} shared bytes: {error}");
        Error::new(error.code(), text)
    };
    if let Some(known) = loaded.functions.get_mut(&(ordinal, text, name)) {
        known.allow(shared_bytes).map_err(too_much)?;
        return Ok(known.raw());
    }
    let module = match loaded.modules.get(&(ordinal, text)) {
        Some(module) => std::ptr::with_exposed_provenance_mut(*module),
        None => {
            let source = c_string(ptx)?;
            let mut module = null_mut();
            let image = source.as_ptr().cast::<c_void>();
            // The text ends with a zero byte; there are no options.
            call!(cuModuleLoadDataEx(&raw mut module, image, 0, null_mut(), null_mut()))
                .map_err(|error| of_kernel(name, &error))?;
            loaded.modules.insert((ordinal, text), module.expose_provenance());
            module
        }
    };
    let c_name = c_string(name)?;
    let mut function = null_mut();
    // The module is loaded, and the name ends with a zero byte.
    call!(cuModuleGetFunction(&raw mut function, module, c_name.as_ptr()))
        .map_err(|error| of_kernel(name, &error))?;
    let made = Loadable { address: function.expose_provenance(), shared_bytes: 0 };
    let made = loaded.functions.entry((ordinal, text, name)).or_insert(made);
    made.allow(shared_bytes).map_err(too_much)?;
    Ok(function)
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::failure("the text of a kernel contains a zero byte"))
}

fn of_kernel(name: &str, error: &Error) -> Error {
    Error::new(error.code(), format!("the kernel `{name}` cannot be loaded: {error}"))
}

impl Work<'_> {
    /// Enqueues a kernel. The addresses in its arguments come from [`Work::reads`] and
    /// [`Work::writes`]; [`require_device`](crate::require_device) tells whether a kernel can use
    /// memory.
    ///
    /// # Errors
    /// The driver's, such as `CUDA_ERROR_INVALID_PTX` and `CUDA_ERROR_NOT_FOUND`, with the name of
    /// the kernel.
    ///
    /// # Safety
    /// With these arguments and this many threads, the kernel must read and write only memory that was
    /// passed to [`Work::reads`] and [`Work::writes`] of this work before, within its size, and write
    /// only what was passed to [`Work::writes`].
    pub unsafe fn launch<A: Copy>(
        &mut self,
        kernel: &Kernel<A>,
        grid: Grid,
        arguments: A,
    ) -> Result<()> {
        if grid.is_empty() {
            return Ok(());
        }
        let function =
            function(self.stream().device(), kernel.ptx, kernel.name, grid.shared_bytes)?;
        let launch = Launch::new(kernel.name, function, grid, &arguments);
        self.operate(None, Operation::Launch(launch))
    }

    /// As [`Work::launch`], for a kernel whose parameter has no type in Rust: the bytes of it.
    ///
    /// # Safety
    /// As for [`Kernel::new`] and [`Work::launch`], if the bytes were a structure; and so many bytes
    /// must be there.
    pub unsafe fn launch_bytes(
        &mut self,
        (ptx, name): (&'static str, &'static str),
        grid: Grid,
        arguments: (*const u8, usize),
    ) -> Result<()> {
        if grid.is_empty() {
            return Ok(());
        }
        let function = function(self.stream().device(), ptx, name, grid.shared_bytes)?;
        // SAFETY: as required.
        let launch = unsafe { Launch::of_bytes(name, function, grid, arguments) };
        self.operate(None, Operation::Launch(launch))
    }
}

/// Enqueues a kernel of this crate.
///
/// # Safety
/// As for [`Kernel::new`] and [`Work::launch`].
pub(crate) unsafe fn launch<A: Copy>(
    work: &mut Work<'_>,
    ptx: &'static str,
    name: &'static str,
    steps: u64,
    arguments: A,
) -> Result<()> {
    // SAFETY: as required.
    unsafe { work.launch(&Kernel::new(ptx, name), Grid::for_steps(steps), arguments) }
}
