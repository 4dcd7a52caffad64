//! Capture and graphs.

use super::{INVALID_HANDLE, INVALID_VALUE, exported, kernel, memory, put};
use crate::graph::{Capture, Mode, Node, UNSUPPORTED, are_alike};
use crate::world::{INTERACTION, world};

/// `CUDA_ERROR_STREAM_CAPTURE_INVALIDATED`
const INVALIDATED: u32 = 901;
/// `CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD`
const WRONG_THREAD: u32 = 908;
/// `CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE`
const UPDATE_FAILURE: u32 = 910;
/// `CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED`
const TOPOLOGY_CHANGED: u32 = 2;

exported! {
    cuStreamBeginCapture_v2(stream: usize, mode: u32) |locked| {
        let world = world(&mut locked);
        let queue = world.queues.get_mut(&stream).ok_or(INVALID_HANDLE)?;
        if queue.capture.is_some() {
            return Err(INVALID_VALUE);
        }
        let mode = Mode::of(mode).ok_or(INVALID_VALUE)?;
        let thread = std::thread::current().id();
        queue.capture = Some(Capture { nodes: Vec::new(), mode, thread, is_invalid: false });
        Ok(())
    }

    cuThreadExchangeStreamCaptureMode(place: *mut u32) |_locked| {
        // SAFETY: see below.
        let mode = Mode::of(unsafe { place.read() }).ok_or(INVALID_VALUE)?;
        // SAFETY: see below.
        unsafe { put(place, INTERACTION.replace(mode) as u32) }
    }

    cuStreamIsCapturing(stream: usize, place: *mut u32) |locked| {
        let queue = world(&mut locked).queues.get(&stream).ok_or(INVALID_HANDLE)?;
        let status = match &queue.capture {
            None => 0,
            Some(capture) if capture.is_invalid => 2,
            Some(_) => 1,
        };
        // SAFETY: see below.
        unsafe { put(place, status) }
    }

    cuStreamEndCapture(stream: usize, place: *mut usize) |locked| {
        let world = world(&mut locked);
        let queue = world.queues.get_mut(&stream).ok_or(INVALID_HANDLE)?;
        let here = std::thread::current().id();
        let is_here = |capture: &Capture| capture.mode == Mode::Relaxed || capture.thread == here;
        if !queue.capture.as_ref().is_none_or(is_here) {
            return Err(WRONG_THREAD);
        }
        let capture = queue.capture.take().ok_or(INVALID_VALUE)?;
        if capture.is_invalid {
            return Err(INVALIDATED);
        }
        let graph = world.handle();
        world.graphs.insert(graph, capture.nodes);
        // SAFETY: the caller's pointers are valid, here and below, as the driver demands.
        unsafe { put(place, graph) }
    }

    cuGraphDestroy(graph: usize) |locked| {
        let world = world(&mut locked);
        world.graphs.remove(&graph).ok_or(INVALID_HANDLE)?;
        world.end_handle(graph);
        Ok(())
    }

    cuGraphInstantiateWithFlags(place: *mut usize, graph: usize, flags: u64) |locked| {
        let world = world(&mut locked);
        let nodes = world.graphs.get(&graph).ok_or(INVALID_HANDLE)?.clone();
        if flags != 0 {
            return Err(INVALID_VALUE);
        }
        let executable = world.handle();
        world.executables.insert(executable, nodes);
        // SAFETY: see above.
        unsafe { put(place, executable) }
    }

    cuGraphExecUpdate(
        executable: usize,
        graph: usize,
        _node: *mut usize,
        result: *mut u32
    ) |locked| {
        let world = world(&mut locked);
        let nodes = world.graphs.get(&graph).ok_or(INVALID_HANDLE)?.clone();
        let known = world.executables.get_mut(&executable).ok_or(INVALID_HANDLE)?;
        let is_possible = are_alike(known, &nodes);
        // SAFETY: see above.
        unsafe { put(result, if is_possible { 0 } else { TOPOLOGY_CHANGED }) }?;
        if !is_possible {
            return Err(UPDATE_FAILURE);
        }
        *known = nodes;
        Ok(())
    }

    cuGraphExecDestroy(executable: usize) |locked| {
        let world = world(&mut locked);
        world.executables.remove(&executable).ok_or(INVALID_HANDLE)?;
        world.end_handle(executable);
        Ok(())
    }

    cuGraphLaunch(executable: usize, stream: usize) |locked| {
        let known = world(&mut locked);
        let nodes = known.executables.get(&executable).ok_or(INVALID_HANDLE)?.clone();
        let queue = known.queues.get(&stream).ok_or(INVALID_HANDLE)?;
        if queue.capture.is_some() {
            return Err(UNSUPPORTED);
        }
        // What it was captured with says where its kernels run, whatever the stream.
        for node in nodes {
            match node {
                Node::Kernel { twin, args, size } => {
                    kernel::launch_on(&mut locked, (stream, size), twin, args)?;
                }
                Node::Copy { to, from, size } => {
                    memory::copy(&mut locked, to, from, size, stream)?;
                }
                Node::Fill { to, byte, size } => {
                    memory::fill(&mut locked, (to, size), byte, stream)?;
                }
            }
        }
        Ok(())
    }
}
