//! Capture of work into graphs.

use crate::twin::Twin;
use crate::world::{INTERACTION, World};
use std::thread::ThreadId;

/// `CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED`
pub const UNSUPPORTED: u32 = 900;

/// A piece of captured work.
#[derive(Clone)]
pub enum Node {
    Kernel { twin: Twin, args: Vec<u64>, size: u32 },
    Copy { to: usize, from: usize, size: usize },
    Fill { to: usize, byte: u8, size: usize },
}

impl Node {
    /// Whether an executable graph can get this node in place of the other one.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Kernel { twin, .. }, Self::Kernel { twin: other, .. }) => {
                twin.name == other.name
            }
            _ => std::mem::discriminant(self) == std::mem::discriminant(other),
        }
    }
}

/// Whether both graphs have the same form.
pub fn are_alike(one: &[Node], other: &[Node]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is_like(other))
}

/// Which calls, apart from those with the stream, a capture forbids.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those of all threads.
    Global,
    /// Those of the thread that captures.
    ThreadLocal,
    /// None.
    Relaxed,
}

impl Mode {
    /// The driver's number.
    pub fn of(number: u32) -> Option<Self> {
        [Self::Global, Self::ThreadLocal, Self::Relaxed].get(number as usize).copied()
    }
}

/// A capture that goes on.
pub struct Capture {
    pub nodes: Vec<Node>,
    pub mode: Mode,
    pub thread: ThreadId,
    /// Whether something forbidden was called.
    pub is_invalid: bool,
}

/// Calls that wait for a device or may do so, which captures forbid.
const UNSAFE: [&str; 10] = [
    "cuMemAlloc_v2",
    "cuMemAllocManaged",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemFreeHost",
    "cuCtxSynchronize",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
];

impl World {
    /// Fails for a call that a capture forbids to this thread, and ends that capture's work. The thread
    /// can say that its calls mean no harm.
    pub fn check_captures(&mut self, function: &str) -> Result<(), u32> {
        if !UNSAFE.contains(&function) {
            return Ok(());
        }
        let mut result = Ok(());
        let here = std::thread::current().id();
        let own = INTERACTION.get();
        for capture in self.queues.values_mut().filter_map(|queue| queue.capture.as_mut()) {
            let is_forbidden = match capture.mode {
                _ if own == Mode::Relaxed => false,
                Mode::Global => own == Mode::Global || capture.thread == here,
                Mode::ThreadLocal => capture.thread == here,
                Mode::Relaxed => false,
            };
            if is_forbidden {
                capture.is_invalid = true;
                result = Err(UNSUPPORTED);
            }
        }
        result
    }

    /// Captures a piece of work, if its stream is being captured.
    pub fn captured(&mut self, stream: usize, node: impl FnOnce() -> Node) -> bool {
        let capture = self.queues.get_mut(&stream).and_then(|queue| queue.capture.as_mut());
        capture.map(|capture| capture.nodes.push(node())).is_some()
    }

    /// Fails for work that this stand-in does not capture, and for waits, on such a stream.
    pub fn require_no_capture(&mut self, stream: usize) -> Result<(), u32> {
        match self.queues.get_mut(&stream).and_then(|queue| queue.capture.as_mut()) {
            Some(capture) => {
                capture.is_invalid = true;
                Err(UNSUPPORTED)
            }
            None => Ok(()),
        }
    }
}
