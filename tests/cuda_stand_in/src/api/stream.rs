//! Streams and events.

use super::{INVALID_HANDLE, INVALID_VALUE, NOT_READY, context_of, current_device, exported, put};
use crate::queue::{Event, Piece, Queue, ask_again, enqueue, finish, finish_event};
use crate::world::world;
use std::ffi::c_void;

/// A flag of events without times.
const DISABLE_TIMING: u32 = 2;

exported! {
    cuStreamCreateWithPriority(place: *mut usize, flags: u32, priority: i32) |locked| {
        let device = current_device()?;
        if flags > 1 {
            return Err(INVALID_VALUE);
        }
        let world = world(&mut locked);
        let (stream, number) = (world.handle(), world.number());
        let mut queue = Queue::new(&world.host, number, priority);
        queue.device = Some(device);
        world.queues.insert(stream, queue);
        // SAFETY: the caller's pointers are valid, here and below, as the driver demands.
        unsafe { put(place, stream) }
    }

    cuStreamDestroy_v2(stream: usize) |locked| {
        let world = world(&mut locked);
        let is_idle = world.is_idle(stream);
        let queue = world.queues.get_mut(&stream).filter(|queue| !queue.is_ended);
        let queue = queue.ok_or(INVALID_HANDLE)?;
        // Its work goes on.
        queue.is_ended = true;
        let number = queue.number;
        if !is_idle {
            // Meanwhile another stream may get its handle.
            let is_other = move |queue: &Queue| queue.number != number;
            finish(&mut locked, stream, |world| {
                world.is_idle(stream) || world.queues.get(&stream).is_none_or(is_other)
            });
        }
        crate::world::world(&mut locked).end_queue(stream, number);
        Ok(())
    }

    cuStreamGetPriority(stream: usize, priority: *mut i32) |locked| {
        let queue = world(&mut locked).queues.get(&stream).ok_or(INVALID_HANDLE)?;
        // SAFETY: see above.
        unsafe { put(priority, queue.priority) }
    }

    cuStreamGetCtx_v2(stream: usize, context: *mut usize, part: *mut usize) |locked| {
        let queue = world(&mut locked).queues.get(&stream).ok_or(INVALID_HANDLE)?;
        let device = queue.device.map_or_else(current_device, Ok)?;
        // SAFETY: see above.
        unsafe {
            put(context, context_of(device))?;
            put(part, queue.green_context.unwrap_or(0))
        }
    }

    cuStreamGetCtx(stream: usize, context: *mut usize) |locked| {
        let queue = world(&mut locked).queues.get(&stream).ok_or(INVALID_HANDLE)?;
        let device = queue.device.map_or_else(current_device, Ok)?;
        // SAFETY: see above.
        unsafe { put(context, context_of(device)) }
    }

    cuStreamGetId(stream: usize, number: *mut u64) |locked| {
        let queue = world(&mut locked).queues.get(&stream).ok_or(INVALID_HANDLE)?;
        // SAFETY: see above.
        unsafe { put(number, queue.number) }
    }

    cuStreamQuery(stream: usize) |locked| {
        let world = world(&mut locked);
        if !world.queues.contains_key(&stream) {
            return Err(INVALID_HANDLE);
        }
        world.require_no_capture(stream)?;
        if !world.is_idle(stream) {
            return Err(NOT_READY);
        }
        world.learn_stream(stream);
        Ok(())
    }

    cuStreamSynchronize(stream: usize) |locked| {
        if !world(&mut locked).queues.contains_key(&stream) {
            return Err(INVALID_HANDLE);
        }
        world(&mut locked).require_no_capture(stream)?;
        finish(&mut locked, stream, |world| world.is_idle(stream));
        let world = world(&mut locked);
        world.learn_stream(stream);
        world.broken.map_or(Ok(()), Err)
    }

    cuStreamWaitEvent(stream: usize, event: usize, _flags: u32) |locked| {
        let world = world(&mut locked);
        world.require_no_capture(stream)?;
        let known = world.events.get(&event).ok_or(INVALID_HANDLE)?;
        let (version, clock) = (known.version, known.clock.clone());
        let queue = world.queues.get_mut(&stream).ok_or(INVALID_HANDLE)?;
        queue.clock.join(&clock);
        enqueue(&mut locked, stream, Piece::Wait { event, version });
        Ok(())
    }

    cuLaunchHostFunc(
        stream: usize,
        function: Option<unsafe extern "C" fn(*mut c_void)>,
        user: *mut c_void
    ) |locked| {
        let function = function.ok_or(super::INVALID_VALUE)?;
        let world = world(&mut locked);
        if !world.queues.contains_key(&stream) {
            return Err(INVALID_HANDLE);
        }
        world.require_no_capture(stream)?;
        world.next(stream);
        let clock = world.queues[&stream].clock.clone();
        let user = user.expose_provenance();
        enqueue(&mut locked, stream, Piece::Host { function, user, clock });
        Ok(())
    }

    cuEventCreate(place: *mut usize, flags: u32) |locked| {
        let device = current_device()?;
        let world = world(&mut locked);
        let (event, version) = (world.handle(), world.number());
        let has_time = flags & DISABLE_TIMING == 0;
        let made = Event { device, version, reached: version, has_time, ..Event::default() };
        world.events.insert(event, made);
        // SAFETY: see above.
        unsafe { put(place, event) }
    }

    cuEventDestroy_v2(event: usize) |locked| {
        let world = world(&mut locked);
        let known = world.events.get_mut(&event).filter(|known| !known.is_ended);
        let known = known.ok_or(INVALID_HANDLE)?;
        known.is_ended = true;
        if known.reached == known.version {
            world.end_event(event);
        }
        Ok(())
    }

    cuEventRecord(event: usize, stream: usize) |locked| {
        let world = world(&mut locked);
        let queue = world.queues.get(&stream).ok_or(INVALID_HANDLE)?;
        // An event and the streams that record it are of one device.
        let device = queue.device.map_or_else(current_device, Ok)?;
        world.events.get(&event).filter(|known| known.device == device).ok_or(INVALID_HANDLE)?;
        world.require_no_capture(stream)?;
        world.next(stream);
        let (clock, version) = (world.queues[&stream].clock.clone(), world.number());
        let known = world.events.get_mut(&event).ok_or(INVALID_HANDLE)?;
        known.version = version;
        known.clock = clock;
        known.queries = 0;
        enqueue(&mut locked, stream, Piece::Record { event, version });
        Ok(())
    }

    cuEventElapsedTime(place: *mut f32, start: usize, end: usize) |locked| {
        let world = world(&mut locked);
        let mut times = [None; 2];
        for (time, event) in times.iter_mut().zip([start, end]) {
            let known = world.events.get(&event).filter(|known| known.has_time);
            let known = known.ok_or(INVALID_HANDLE)?;
            if known.reached < known.version {
                return Err(NOT_READY);
            }
            *time = known.time;
        }
        let [Some(start), Some(end)] = times else { return Err(INVALID_HANDLE) };
        let later = end.saturating_duration_since(start).as_secs_f64();
        let earlier = start.saturating_duration_since(end).as_secs_f64();
        // SAFETY: see above.
        unsafe { put(place, ((later - earlier) * 1e3) as f32) }
    }

    cuEventQuery(event: usize) |locked| {
        let world = world(&mut locked);
        let known = world.events.get(&event).ok_or(INVALID_HANDLE)?;
        if known.reached < known.version {
            ask_again(&mut locked, event);
            return Err(NOT_READY);
        }
        world.learn_event(event);
        Ok(())
    }

    cuEventSynchronize(event: usize) |locked| {
        if !world(&mut locked).events.contains_key(&event) {
            return Err(INVALID_HANDLE);
        }
        finish_event(&mut locked, event);
        let world = world(&mut locked);
        world.learn_event(event);
        world.broken.map_or(Ok(()), Err)
    }
}
