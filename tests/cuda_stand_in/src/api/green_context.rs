//! Parts of a device.

use super::{INVALID_HANDLE, INVALID_RESOURCE_TYPE, INVALID_VALUE, exported, put};
use crate::queue::Queue;
use crate::world::{MULTIPROCESSORS, fail, world};

/// `CUdevResource` of the type for multiprocessors.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Resource {
    kind: u32,
    /// 1 for a part that was divided off, which cannot be divided itself.
    is_part: u32,
    padding: [u8; 88],
    processors: u32,
    rest: [u8; 44],
}

/// Multiprocessors that belong together, as on devices of compute capability 9.0.
const GROUP: u32 = 8;

impl Resource {
    fn of(processors: u32, is_part: bool) -> Self {
        let kind = if processors == 0 { 0 } else { 1 };
        Self { kind, is_part: is_part.into(), padding: [0; 88], processors, rest: [0; 44] }
    }
}

exported! {
    cuDeviceGetDevResource(_device: i32, place: *mut Resource, kind: u32) |_locked| {
        if kind != 1 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller's pointers are valid, here and below, as the driver demands.
        unsafe { put(place, Resource::of(MULTIPROCESSORS, false)) }
    }

    cuDevSmResourceSplitByCount(
        parts: *mut Resource,
        count: *mut u32,
        from: *const Resource,
        rest: *mut Resource,
        _flags: u32,
        least: u32
    ) |_locked| {
        // SAFETY: see above.
        let (from, wanted) = unsafe { (*from, *count) };
        if from.kind != 1 || from.is_part == 1 {
            return Err(INVALID_RESOURCE_TYPE);
        }
        if least > from.processors {
            return Err(INVALID_VALUE);
        }
        let size = least.max(1).next_multiple_of(GROUP);
        let most = from.processors / size;
        // Without a place for them they are only counted.
        let made = if parts.is_null() { most } else { wanted.min(most) };
        for index in 0..if parts.is_null() { 0 } else { made as usize } {
            // SAFETY: see above; there is room for `wanted`.
            unsafe { put(parts.add(index), Resource::of(size, true)) }?;
        }
        // SAFETY: see above.
        unsafe {
            put(count, made)?;
            // What is left may be divided, which drivers advise against.
            put(rest, Resource::of(from.processors - made * size, false))
        }
    }

    cuDevResourceGenerateDesc(place: *mut usize, parts: *mut Resource, count: u32) |locked| {
        // SAFETY: see above.
        let sizes = unsafe { std::slice::from_raw_parts(parts, count as usize) };
        let processors = sizes.iter().map(|part| part.processors).sum();
        let world = world(&mut locked);
        let description = world.handle();
        world.descriptions.insert(description, processors);
        // SAFETY: see above.
        unsafe { put(place, description) }
    }

    cuGreenCtxCreate(place: *mut usize, description: usize, _device: i32, flags: u32) |locked| {
        let world = world(&mut locked);
        let processors = *world.descriptions.get(&description).ok_or(INVALID_HANDLE)?;
        if flags != 1 {
            return Err(INVALID_VALUE);
        }
        let context = world.handle();
        world.green_contexts.insert(context, processors);
        // SAFETY: see above.
        unsafe { put(place, context) }
    }

    cuGreenCtxDestroy(context: usize) |locked| {
        let world = world(&mut locked);
        if world.queues.values().any(|queue| queue.green_context == Some(context)) {
            fail("a green context is destroyed before its streams");
        }
        world.green_contexts.remove(&context).ok_or(INVALID_HANDLE)?;
        world.end_handle(context);
        Ok(())
    }

    cuGreenCtxStreamCreate(place: *mut usize, context: usize, flags: u32, priority: i32) |locked| {
        let world = world(&mut locked);
        if !world.green_contexts.contains_key(&context) {
            return Err(INVALID_HANDLE);
        }
        if flags != 1 {
            return Err(INVALID_VALUE);
        }
        let (stream, number) = (world.handle(), world.number());
        let mut queue = Queue::new(&world.host, number, priority);
        queue.green_context = Some(context);
        world.queues.insert(stream, queue);
        // SAFETY: see above.
        unsafe { put(place, stream) }
    }
}
