//! Modules and kernels.

use super::{INVALID_HANDLE, INVALID_VALUE, NOT_FOUND, current_device, exported, put};
use crate::graph::Node;
use crate::queue::{Piece, enqueue};
use crate::twin::{Twin, kernels};
use crate::world::{Function, Locked, MULTIPROCESSORS, fail, world};
use std::ffi::{CStr, c_char, c_void};

/// Bytes that threads may share, unless more are asked for, and at most.
const SHARED: u32 = 48 << 10;
const MOST_SHARED: u32 = 227 << 10;

/// `CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES`
const MAX_DYNAMIC_SHARED_SIZE_BYTES: u32 = 8;

/// Launches a kernel whose arguments are these words.
pub(super) fn launch(
    locked: &mut Locked,
    stream: usize,
    twin: Twin,
    args: Vec<u64>,
) -> Result<(), u32> {
    let world = world(locked);
    let part = world.queues[&stream].green_context;
    let size = part.and_then(|part| world.green_contexts.get(&part).copied());
    let size = size.unwrap_or(MULTIPROCESSORS);
    if world.captured(stream, || Node::Kernel { twin, args: args.clone(), size }) {
        return Ok(());
    }
    launch_on(locked, (stream, size), twin, args)
}

/// Launches a kernel on so many multiprocessors.
pub(super) fn launch_on(
    locked: &mut Locked,
    (stream, size): (usize, u32),
    twin: Twin,
    args: Vec<u64>,
) -> Result<(), u32> {
    let world = world(locked);
    let at = world.next(stream);
    let used: Vec<usize> =
        args[..twin.writes + twin.reads].iter().map(|word| *word as usize).collect();
    for (index, address) in used.iter().enumerate() {
        world.reach(stream, *address, twin.name);
        world.touch(at, *address, 1, index < twin.writes, twin.name);
    }
    world.kernels += 1;
    *world.kernels_by_size.entry(size).or_default() += 1;
    if world.settings.sticky.is_some_and(|number| number == world.kernels) {
        // The kernel fails on the device: nobody knows of it yet.
        world.broken = Some(700);
        return Ok(());
    }
    enqueue(locked, stream, Piece::Kernel { twin, args, used });
    Ok(())
}

exported! {
    cuModuleLoadDataEx(
        place: *mut usize,
        image: *const c_char,
        _option_count: u32,
        _options: *mut c_void,
        _values: *mut *mut c_void
    ) |locked| {
        current_device()?;
        // SAFETY: the image is PTX, a text that ends with a zero byte.
        let text = unsafe { CStr::from_ptr(image) }.to_string_lossy().into_owned();
        let found = kernels(&text);
        if found.is_empty() {
            // CUDA_ERROR_INVALID_PTX
            return Err(218);
        }
        let world = world(&mut locked);
        let module = world.handle();
        world.modules.insert(module, found);
        // SAFETY: the caller's pointers are valid, here and below, as the driver demands.
        unsafe { put(place, module) }
    }

    cuModuleUnload(module: usize) |locked| {
        world(&mut locked).modules.remove(&module).map(drop).ok_or(INVALID_HANDLE)
    }

    cuModuleGetFunction(place: *mut usize, module: usize, name: *const c_char) |locked| {
        // SAFETY: see above.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned();
        let world = world(&mut locked);
        let entries = world.modules.get(&module).ok_or(INVALID_HANDLE)?;
        let (_, size) = entries.iter().find(|(known, _)| *known == name).ok_or(NOT_FOUND)?;
        let Some(twin) = Twin::find(&name) else { fail(&format!("kernel {name} has no twin")) };
        if twin.args_size != *size {
            fail(&format!("{name} takes {size} bytes, its twin {}", twin.args_size));
        }
        let function = world.handle();
        world.functions.insert(function, Function { twin, shared: SHARED });
        // SAFETY: see above.
        unsafe { put(place, function) }
    }

    cuFuncSetAttribute(function: usize, attribute: u32, value: i32) |locked| {
        let known = world(&mut locked).functions.get_mut(&function).ok_or(INVALID_HANDLE)?;
        let value = u32::try_from(value).ok().filter(|bytes| *bytes <= MOST_SHARED);
        if attribute != MAX_DYNAMIC_SHARED_SIZE_BYTES {
            return Err(INVALID_VALUE);
        }
        known.shared = value.ok_or(INVALID_VALUE)?;
        Ok(())
    }

    cuLaunchKernel(
        function: usize,
        blocks: u32,
        blocks_y: u32,
        blocks_z: u32,
        threads: u32,
        threads_y: u32,
        threads_z: u32,
        shared: u32,
        stream: usize,
        parameters: *mut *mut c_void,
        _extra: *mut *mut c_void
    ) |locked| {
        current_device()?;
        let world = world(&mut locked);
        let Function { twin, shared: most } =
            *world.functions.get(&function).ok_or(INVALID_HANDLE)?;
        if !world.queues.contains_key(&stream) {
            return Err(INVALID_HANDLE);
        }
        let sides = [blocks, blocks_y, blocks_z, threads, threads_y, threads_z];
        if sides.contains(&0) || threads > 1024 || shared > most {
            return Err(INVALID_VALUE);
        }
        let mut args = vec![0u64; twin.args_size.div_ceil(8)];
        // SAFETY: the first parameter is the kernel's structure, of the size that the PTX states.
        unsafe {
            args.as_mut_ptr().cast::<u8>().copy_from((*parameters).cast(), twin.args_size);
        }
        launch(&mut locked, stream, twin, args)
    }
}
