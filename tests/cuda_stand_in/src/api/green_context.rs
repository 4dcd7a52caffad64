//! Parts of a device.

use super::{INVALID_HANDLE, INVALID_RESOURCE_CONFIGURATION, INVALID_VALUE, exported, put};
use crate::queue::Queue;
use crate::world::{MULTIPROCESSORS, fail, world};

/// `CUdevResource` of the type for multiprocessors.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Resource {
    kind: u32,
    padding: [u8; 92],
    processors: u32,
    rest: [u8; 44],
}

/// Multiprocessors that belong together.
const GROUP: u32 = 2;

impl Resource {
    fn of(processors: u32) -> Self {
        let kind = if processors == 0 { 0 } else { 1 };
        Self { kind, padding: [0; 92], processors, rest: [0; 44] }
    }
}

exported! {
    cuDeviceGetDevResource(_device: i32, place: *mut Resource, kind: u32) |_locked| {
        if kind != 1 {
            return Err(INVALID_VALUE);
        }
        // SAFETY: the caller's pointers are valid, here and below, as the driver demands.
        unsafe { put(place, Resource::of(MULTIPROCESSORS)) }
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
        let size = least.max(1).next_multiple_of(GROUP);
        let made = wanted.min(from.processors / size);
        if from.kind != 1 || made == 0 {
            return Err(INVALID_RESOURCE_CONFIGURATION);
        }
        for index in 0..made as usize {
            // SAFETY: see above; there is room for `wanted`.
            unsafe { put(parts.add(index), Resource::of(size)) }?;
        }
        // SAFETY: see above.
        unsafe {
            put(count, made)?;
            put(rest, Resource::of(from.processors - made * size))
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
        world.green_contexts.remove(&context).map(drop).ok_or(INVALID_HANDLE)
    }

    cuGreenCtxStreamCreate(place: *mut usize, context: usize, flags: u32, priority: i32) |locked| {
        let world = world(&mut locked);
        if !world.green_contexts.contains_key(&context) {
            return Err(INVALID_HANDLE);
        }
        if flags != 1 {
            return Err(INVALID_VALUE);
        }
        let stream = world.handle();
        let mut queue = Queue::new(&world.host, stream as u64, priority);
        queue.green_context = Some(context);
        world.queues.insert(stream, queue);
        // SAFETY: see above.
        unsafe { put(place, stream) }
    }
}
