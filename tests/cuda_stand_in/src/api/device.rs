//! Devices and contexts.

use super::{INVALID_DEVICE, INVALID_VALUE, context_of, current_device, exported, put};
use crate::world::{CONTEXTS, MULTIPROCESSORS, world};
use std::ffi::{c_char, c_void};

fn pointer(number: usize) -> *mut c_void {
    std::ptr::without_provenance_mut(number)
}

exported! {
    cuInit(flags: u32) |locked| {
        let world = world(&mut locked);
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        if world.settings.init != 0 {
            return Err(world.settings.init);
        }
        world.is_initialised = true;
        let connections = std::env::var("CUDA_DEVICE_MAX_CONNECTIONS");
        world.connections = connections.ok().and_then(|it| it.parse().ok()).unwrap_or(0);
        Ok(())
    }

    cuDriverGetVersion(version: *mut i32) |_locked| {
        // SAFETY: the caller's pointers are valid, here and below, as the driver demands.
        unsafe { put(version, 12_050) }
    }

    cuDeviceGetCount(count: *mut i32) |locked| {
        // SAFETY: see above.
        unsafe { put(count, world(&mut locked).settings.devices) }
    }

    cuDeviceGet(device: *mut i32, ordinal: i32) |locked| {
        if !(0..world(&mut locked).settings.devices).contains(&ordinal) {
            return Err(INVALID_DEVICE);
        }
        // SAFETY: see above.
        unsafe { put(device, ordinal) }
    }

    cuDeviceGetName(name: *mut c_char, length: i32, device: i32) |_locked| {
        let text = format!("Stand-in {device}\0");
        let length = text.len().min(length.max(0) as usize);
        // SAFETY: see above; the name has room for this length.
        unsafe { name.cast::<u8>().copy_from(text.as_ptr(), length) };
        Ok(())
    }

    cuDeviceTotalMem_v2(bytes: *mut usize, _device: i32) |locked| {
        // SAFETY: see above.
        unsafe { put(bytes, world(&mut locked).settings.memory as usize) }
    }

    cuDeviceGetAttribute(value: *mut i32, attribute: i32, _device: i32) |_locked| {
        let number = match attribute {
            // Compute capability 9.0.
            75 => 9,
            76 => 0,
            // Multiprocessors.
            16 => MULTIPROCESSORS as i32,
            _ => 1,
        };
        // SAFETY: see above.
        unsafe { put(value, number) }
    }

    cuDeviceCanAccessPeer(can: *mut i32, _device: i32, _peer: i32) |_locked| {
        // SAFETY: see above.
        unsafe { put(can, 1) }
    }

    cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: i32) |locked| {
        if !(0..world(&mut locked).settings.devices).contains(&device) {
            return Err(INVALID_DEVICE);
        }
        // SAFETY: see above.
        unsafe { put(context, pointer(context_of(device))) }
    }

    cuDevicePrimaryCtxRelease_v2(_device: i32) |_locked| { Ok(()) }

    cuCtxGetCurrent(context: *mut *mut c_void) |_locked| {
        let current = CONTEXTS.with_borrow(|contexts| contexts.last().copied().unwrap_or(0));
        // SAFETY: see above.
        unsafe { put(context, pointer(current)) }
    }

    cuCtxGetDevice(device: *mut i32) |_locked| {
        // SAFETY: see above.
        unsafe { put(device, current_device()?) }
    }

    cuCtxSetCurrent(context: *mut c_void) |_locked| {
        CONTEXTS.with_borrow_mut(|contexts| {
            contexts.pop();
            if !context.is_null() {
                contexts.push(context.addr());
            }
        });
        Ok(())
    }

    cuCtxPushCurrent_v2(context: *mut c_void) |_locked| {
        CONTEXTS.with_borrow_mut(|contexts| contexts.push(context.addr()));
        Ok(())
    }

    cuCtxPopCurrent_v2(context: *mut *mut c_void) |_locked| {
        let popped = CONTEXTS.with_borrow_mut(Vec::pop).ok_or(super::INVALID_CONTEXT)?;
        // SAFETY: see above.
        unsafe { put(context, pointer(popped)) }
    }

    cuCtxSynchronize() |locked| {
        let streams: Vec<_> = world(&mut locked).queues.keys().copied().collect();
        for stream in streams {
            crate::queue::finish(&mut locked, stream, |world| world.is_idle(stream));
            world(&mut locked).learn_stream(stream);
        }
        world(&mut locked).broken.map_or(Ok(()), Err)
    }

    cuCtxGetStreamPriorityRange(least: *mut i32, greatest: *mut i32) |_locked| {
        // SAFETY: see above.
        unsafe {
            put(least, 0)?;
            put(greatest, -5)
        }
    }

    cuCtxEnablePeerAccess(_context: *mut c_void, _flags: u32) |_locked| { Ok(()) }

    cuMemGetInfo_v2(free: *mut usize, total: *mut usize) |locked| {
        let device = current_device()?;
        let world = world(&mut locked);
        // SAFETY: see above.
        unsafe {
            put(free, world.free_memory(device) as usize)?;
            put(total, world.settings.memory as usize)
        }
    }
}

exported! {
    // The names of some errors; none for the others, as a driver does for numbers that it does not know.
    cuGetErrorName(code: u32, name: *mut *const c_char) |_locked| {
        let text = match code {
            1 => c"CUDA_ERROR_INVALID_VALUE",
            2 => c"CUDA_ERROR_OUT_OF_MEMORY",
            3 => c"CUDA_ERROR_NOT_INITIALIZED",
            100 => c"CUDA_ERROR_NO_DEVICE",
            101 => c"CUDA_ERROR_INVALID_DEVICE",
            201 => c"CUDA_ERROR_INVALID_CONTEXT",
            400 => c"CUDA_ERROR_INVALID_HANDLE",
            500 => c"CUDA_ERROR_NOT_FOUND",
            700 => c"CUDA_ERROR_ILLEGAL_ADDRESS",
            719 => c"CUDA_ERROR_LAUNCH_FAILED",
            900 => c"CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
            901 => c"CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
            908 => c"CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD",
            910 => c"CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE",
            914 => c"CUDA_ERROR_INVALID_RESOURCE_TYPE",
            915 => c"CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION",
            _ => return Err(INVALID_VALUE),
        };
        // SAFETY: the caller passes a valid pointer.
        unsafe { put(name, text.as_ptr()) }
    }
}
