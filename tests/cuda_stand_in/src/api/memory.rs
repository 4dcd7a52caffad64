//! Memory, pools and copies.

use super::{INVALID_HANDLE, INVALID_VALUE, OUT_OF_MEMORY, current_device, exported, put};
use crate::graph::Node;
use crate::memory::{Kind, bytes, hash};
use crate::queue::{Piece, enqueue, finish, poison};
use crate::world::{Locked, Pool, fail, world};
use std::ffi::c_void;

/// Allocates and writes the address to the caller's place.
fn allocate<T>(
    locked: &mut Locked,
    kind: Kind,
    size: usize,
    place: *mut T,
    convert: impl FnOnce(usize) -> T,
) -> Result<(), u32> {
    if size == 0 {
        return Err(INVALID_VALUE);
    }
    let start = world(locked).allocate(kind, size, 0).ok_or(OUT_OF_MEMORY)?;
    // SAFETY: the caller's pointer is valid, as the driver demands.
    unsafe { put(place, convert(start)) }
}

/// Frees memory at once: the driver waits for the device.
fn free(locked: &mut Locked, start: usize) -> Result<(), u32> {
    if start == 0 {
        return Ok(());
    }
    match world(locked).allocations.get(&start) {
        Some(allocation) if !allocation.is_freed => {}
        _ => fail(&format!("{start:#x} is freed, which is no memory, or was freed before")),
    }
    let streams: Vec<_> = world(locked).queues.keys().copied().collect();
    for stream in streams {
        finish(locked, stream, |world| world.is_idle(stream));
        world(locked).learn_stream(stream);
    }
    world(locked).end(start);
    Ok(())
}

/// Copies between memories of any kinds; `None` for ordinary memory of the program.
pub(super) fn copy(
    locked: &mut Locked,
    to: usize,
    from: usize,
    size: usize,
    stream: usize,
) -> Result<(), u32> {
    let world = world(locked);
    if !world.queues.contains_key(&stream) {
        return Err(INVALID_HANDLE);
    }
    if size == 0 {
        return Ok(());
    }
    if [to, from].iter().any(|address| world.allocation_of(*address).is_none()) {
        world.require_no_capture(stream)?;
    }
    if world.captured(stream, || Node::Copy { to, from, size }) {
        return Ok(());
    }
    let at = world.next(stream);
    let is_pageable_target = world.allocation_of(to).is_none();
    let (mut snapshot, mut unchanged) = (None, None);
    match world.allocation_of(from) {
        None => snapshot = Some(bytes(from, size)),
        Some(start) => {
            world.touch(at, from, size, false, "a copy");
            if world.allocations[&start].kind == Kind::Host
                && world.allocations[&start].pending == 0
            {
                unchanged = Some(hash(world.inside(from, size, "a copy"), size));
            }
        }
    }
    if !is_pageable_target {
        world.touch(at, to, size, true, "a copy");
        if world.allocation_of(to).is_some_and(|start| world.allocations[&start].kind == Kind::Host)
        {
            poison(world, to, size);
        }
    }
    enqueue(locked, stream, Piece::Copy { to, from, size, snapshot, hash: unchanged });
    if is_pageable_target {
        // The driver returns when ordinary memory is written.
        finish(locked, stream, |world| world.is_idle(stream));
        crate::world::world(locked).learn_stream(stream);
    }
    Ok(())
}

/// Sets bytes.
pub(super) fn fill(
    locked: &mut Locked,
    (to, size): (usize, usize),
    byte: u8,
    stream: usize,
) -> Result<(), u32> {
    let world = world(locked);
    if !world.queues.contains_key(&stream) {
        return Err(INVALID_HANDLE);
    }
    if world.captured(stream, || Node::Fill { to, byte, size }) {
        return Ok(());
    }
    let at = world.next(stream);
    world.touch(at, to, size, true, "a fill");
    enqueue(locked, stream, Piece::Fill { to, byte, size });
    Ok(())
}

/// `CUDA_MEMCPY2D`, between memory of devices.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Rows {
    from_x: usize,
    from_y: usize,
    from_kind: u32,
    from_host: usize,
    from: usize,
    from_array: usize,
    from_pitch: usize,
    to_x: usize,
    to_y: usize,
    to_kind: u32,
    to_host: usize,
    to: usize,
    to_array: usize,
    to_pitch: usize,
    width: usize,
    height: usize,
}

exported! {
    cuMemAlloc_v2(place: *mut u64, size: usize) |locked| {
        let device = current_device()?;
        allocate(&mut locked, Kind::Device(device), size, place, |start| start as u64)
    }

    cuMemAllocManaged(place: *mut u64, size: usize, _flags: u32) |locked| {
        let device = current_device()?;
        allocate(&mut locked, Kind::Managed(device), size, place, |start| start as u64)
    }

    cuMemFree_v2(address: u64) |locked| { free(&mut locked, address as usize) }

    cuMemHostAlloc(place: *mut *mut c_void, size: usize, _flags: u32) |locked| {
        current_device()?;
        allocate(&mut locked, Kind::Host, size, place, std::ptr::with_exposed_provenance_mut)
    }

    cuMemFreeHost(address: *mut c_void) |locked| { free(&mut locked, address.addr()) }

    cuMemAllocFromPoolAsync(place: *mut u64, size: usize, pool: usize, stream: usize) |locked| {
        let world = world(&mut locked);
        let device = world.pools.get(&pool).ok_or(INVALID_HANDLE)?.device;
        if !world.queues.contains_key(&stream) {
            return Err(INVALID_HANDLE);
        }
        world.require_no_capture(stream)?;
        let start = world.allocate(Kind::Device(device), size, pool).ok_or(OUT_OF_MEMORY)?;
        let at = world.next(stream);
        world.touch(at, start, size, true, "an allocation");
        // SAFETY: the caller's pointer is valid, as the driver demands.
        unsafe { put(place, start as u64) }
    }

    cuMemFreeAsync(address: u64, stream: usize) |locked| {
        let world = world(&mut locked);
        let start = address as usize;
        if !world.queues.contains_key(&stream) {
            return Err(INVALID_HANDLE);
        }
        world.require_no_capture(stream)?;
        let size = match world.allocations.get(&start) {
            Some(allocation) if !allocation.is_freed => allocation.size,
            _ => fail(&format!("{start:#x} is freed, which is no memory, or was freed before")),
        };
        let at = world.next(stream);
        world.touch(at, start, size, true, "freeing");
        if let Some(allocation) = world.allocations.get_mut(&start) {
            allocation.is_freed = true;
        }
        enqueue(&mut locked, stream, Piece::Free { start });
        Ok(())
    }

    cuMemPoolCreate(place: *mut usize, properties: *const c_void) |locked| {
        let world = world(&mut locked);
        let pool = world.handle();
        // SAFETY: the structure is valid; the number of the device is its fourth 32-bit field.
        let device = unsafe { properties.cast::<i32>().add(3).read() };
        world.pools.insert(pool, Pool { device, threshold: 0 });
        // SAFETY: the caller's pointer is valid, as the driver demands.
        unsafe { put(place, pool) }
    }

    cuMemPoolDestroy(pool: usize) |locked| {
        let world = world(&mut locked);
        world.pools.remove(&pool).ok_or(INVALID_HANDLE)?;
        world.end_handle(pool);
        Ok(())
    }

    cuMemPoolSetAttribute(pool: usize, attribute: u32, value: *const u64) |locked| {
        let pool = world(&mut locked).pools.get_mut(&pool).ok_or(INVALID_HANDLE)?;
        // The threshold for releases.
        if attribute == 4 {
            // SAFETY: the attribute has 64 bits.
            pool.threshold = unsafe { value.read() };
        }
        Ok(())
    }

    cuMemPoolGetAttribute(pool: usize, attribute: u32, value: *mut u64) |locked| {
        let world = world(&mut locked);
        let threshold = world.pools.get(&pool).ok_or(INVALID_HANDLE)?.threshold;
        let of_pool = world.allocations.values().filter(|allocation| allocation.pool == pool);
        let bytes: u64 = of_pool.map(|allocation| allocation.size as u64).sum();
        let number = match attribute {
            4 => threshold,
            // Reserved, reserved at most, used, used at most.
            5..=8 => bytes,
            _ => return Err(INVALID_VALUE),
        };
        // SAFETY: the attribute has 64 bits.
        unsafe { put(value, number) }
    }

    cuMemPoolTrimTo(pool: usize, _bytes: usize) |locked| {
        world(&mut locked).pools.get(&pool).map(drop).ok_or(INVALID_HANDLE)
    }

    cuMemcpyAsync(to: u64, from: u64, size: usize, stream: usize) |locked| {
        copy(&mut locked, to as usize, from as usize, size, stream)
    }

    cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, size: usize, stream: usize) |locked| {
        copy(&mut locked, to as usize, from.expose_provenance(), size, stream)
    }

    cuMemcpyDtoHAsync_v2(to: *mut c_void, from: u64, size: usize, stream: usize) |locked| {
        copy(&mut locked, to.expose_provenance(), from as usize, size, stream)
    }

    cuMemcpyDtoDAsync_v2(to: u64, from: u64, size: usize, stream: usize) |locked| {
        copy(&mut locked, to as usize, from as usize, size, stream)
    }

    cuMemcpyPeerAsync(
        to: u64,
        _to_context: usize,
        from: u64,
        _from_context: usize,
        size: usize,
        stream: usize
    ) |locked| {
        copy(&mut locked, to as usize, from as usize, size, stream)
    }

    cuMemcpy2DAsync_v2(copy: *const Rows, stream: usize) |locked| {
        // SAFETY: the caller's structure is valid, as the driver demands.
        let rows = unsafe { copy.read() };
        if rows.from_x + rows.from_y + rows.to_x + rows.to_y != 0 {
            return Err(INVALID_VALUE);
        }
        for row in 0..rows.height {
            let (to, from) = (rows.to + row * rows.to_pitch, rows.from + row * rows.from_pitch);
            self::copy(&mut locked, to, from, rows.width, stream)?;
        }
        Ok(())
    }

    cuMemsetD8Async(to: u64, byte: u8, size: usize, stream: usize) |locked| {
        fill(&mut locked, (to as usize, size), byte, stream)
    }
}
