//! CUDA graphs: operations that repeat become one launch.
//!
//! Operations are captured on a stream that exists for that only, in the thread's own mode. So
//! nothing that other threads enqueue gets into a graph, no event is recorded and no memory allocated
//! while one is captured, and the streams of codelets are never in a state of capture. An executable
//! graph belongs to exactly the operations that it was made of, addresses included: launching it does
//! what enqueueing them does.

use crate::device::Device;
use crate::driver::driver;
use crate::error::{SUCCESS, call};
use crate::piece::Piece;
use cudarc::driver::sys::{CUgraph, CUgraphExec, CUstream, CUstreamCaptureMode};
use gxf::{Error, Result};
use std::ptr::null_mut;
use std::sync::{Arc, LazyLock};

/// Most graphs of a stream: one for each set of memory blocks that its work goes through.
const SETS: usize = 16;

/// The execution of the same operations from which on they are a graph.
const CAPTURED_AT: u32 = 3;

/// Executions in a row of operations that are not known, after which there are no graphs any more.
const UNKNOWN: u32 = 64;

static ONE: LazyLock<Arc<str>> =
    LazyLock::new(|| "it has one operation, and a graph of one is no faster".into());

/// The graphs of a stream.
#[derive(Default)]
pub(crate) struct Graphs {
    /// Latest last.
    known: Vec<Known>,
    /// A graph whose operations were forgotten.
    spare: Option<Executable>,
    /// Executions of unknown operations since the last known ones.
    unknown: u32,
    /// Why there are none any more.
    refusal: Option<Arc<str>>,
}

/// Operations that were executed before.
struct Known {
    pieces: Vec<Arc<Piece>>,
    executions: u32,
    executable: Option<Executable>,
}

/// How operations were launched.
pub(crate) enum Launched {
    /// As a graph, captured for this launch or before.
    Graph { is_new: bool },
    /// One by one, because there is no graph of them yet.
    EachYet,
    /// One by one, for this reason, which does not change.
    Each(Arc<str>),
}

impl Graphs {
    /// Launches operations on a stream of a device, whose context is current. `is_foreign`: somebody
    /// else owns the stream.
    ///
    /// # Errors
    /// If the driver refuses the operations. What it says to graphs is a reason to do without.
    pub fn launch(
        &mut self,
        device: Device,
        (stream, is_foreign): (CUstream, bool),
        pieces: &[Arc<Piece>],
    ) -> (Launched, Result<()>) {
        let each = || pieces.iter().try_for_each(|piece| piece.enqueue(stream));
        if let Some(reason) = &self.refusal {
            return (Launched::Each(reason.clone()), each());
        }
        // The next piece of work on the stream may have more, and be another codelet's.
        if pieces.iter().map(|piece| piece.operations()).sum::<u64>() < 2 {
            return (Launched::Each(ONE.clone()), each());
        }
        match self.graph(device, (stream, is_foreign), pieces) {
            Ok(None) => (Launched::EachYet, each()),
            Ok(Some(is_new)) => (Launched::Graph { is_new }, Ok(())),
            Err(error) => {
                let reason: Arc<str> = error.message().into();
                *self = Self { refusal: Some(reason.clone()), ..Self::default() };
                (Launched::Each(reason), each())
            }
        }
    }

    /// Launches operations as a graph, and says whether it is new; `None` if they have none yet.
    ///
    /// # Errors
    /// Why there will be none; nothing was launched.
    fn graph(
        &mut self,
        device: Device,
        (stream, is_foreign): (CUstream, bool),
        pieces: &[Arc<Piece>],
    ) -> Result<Option<bool>> {
        let Some(place) = self.known.iter().rposition(|known| known.pieces == pieces) else {
            return self.learn(pieces).map(|()| None);
        };
        self.unknown = 0;
        let mut known = self.known.remove(place);
        known.executions = known.executions.saturating_add(1);
        let is_new = known.executable.is_none();
        if known.executions < CAPTURED_AT {
            self.known.push(known);
            return Ok(None);
        }
        let executable = match known.executable.take() {
            Some(executable) => executable,
            None => {
                require_own_stream(stream, is_foreign)?;
                capture(device, stream, pieces)?.executable(self.spare.take())?
            }
        };
        // Both are alive; the operations' memory is alive until the work is done.
        call!(cuGraphLaunch(executable.raw(), stream))?;
        known.executable = Some(executable);
        self.known.push(known);
        Ok(Some(is_new))
    }

    /// Remembers operations that were not known.
    fn learn(&mut self, pieces: &[Arc<Piece>]) -> Result<()> {
        self.unknown += 1;
        if self.unknown > UNKNOWN {
            return Err(Error::failure(
                "its operations, or the memory that they use, are others at nearly every execution; \
                 a BlockMemoryPool gives the same blocks again",
            ));
        }
        if self.known.len() == SETS {
            self.spare = self.known.remove(0).executable.or(self.spare.take());
        }
        self.known.push(Known { pieces: pieces.to_vec(), executions: 1, executable: None });
        Ok(())
    }
}

/// Fails for a stream whose work a graph may not do in its place.
fn require_own_stream(stream: CUstream, is_foreign: bool) -> Result<()> {
    if is_foreign {
        return Err(Error::failure("its stream belongs to another library"));
    }
    let Some(get) = driver()?.api.cuStreamGetCtx_v2 else { return Ok(()) };
    let (mut context, mut part) = (null_mut(), null_mut());
    // SAFETY: the stream is alive, and the pointers are valid.
    let answer = unsafe { get(stream, &raw mut context, &raw mut part) };
    if answer == SUCCESS && part.is_null() {
        return Ok(());
    }
    Err(Error::failure("its stream works on a part of the device, and a graph would on all of it"))
}

/// Captures operations on a stream like this one.
fn capture(device: Device, stream: CUstream, pieces: &[Arc<Piece>]) -> Result<Captured> {
    let mut priority = 0;
    // The stream is alive, and the pointer is valid.
    call!(cuStreamGetPriority(stream, &raw mut priority))?;
    let recorder = Recorder::new(priority)?;
    let mode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    // The recorder is alive, here and below.
    call!(cuStreamBeginCapture_v2(recorder.0, mode))?;
    let enqueued = pieces.iter().try_for_each(|piece| piece.enqueue(recorder.0));
    let mut graph: CUgraph = null_mut();
    // The pointer is valid.
    let ended = call!(cuStreamEndCapture(recorder.0, &raw mut graph));
    let captured = Captured { device, graph };
    enqueued.and(ended).map(|()| captured)
}

/// The stream of a capture.
struct Recorder(CUstream);

impl Recorder {
    fn new(priority: i32) -> Result<Self> {
        const NON_BLOCKING: u32 = 1;
        let mut stream = null_mut();
        // The pointer is valid.
        call!(cuStreamCreateWithPriority(&raw mut stream, NON_BLOCKING, priority))?;
        Ok(Self(stream))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        // Nothing refers to the stream. An error leaves nothing to do.
        _ = call!(cuStreamDestroy_v2(self.0));
    }
}

/// A graph; null if the driver made none.
struct Captured {
    device: Device,
    graph: CUgraph,
}

impl Captured {
    /// Makes it executable, in place of another one if that is of the same form.
    fn executable(&self, spare: Option<Executable>) -> Result<Executable> {
        if let Some(spare) = spare {
            let (mut node, mut result) = (null_mut(), 0);
            // Both graphs are alive, and the pointers are valid. Launches of before keep what they
            // were launched with.
            let updated =
                call!(cuGraphExecUpdate(spare.raw(), self.graph, &raw mut node, &raw mut result));
            if updated.is_ok() {
                return Ok(spare);
            }
        }
        let mut executable: CUgraphExec = null_mut();
        // The pointer is valid, and the graph is alive.
        call!(cuGraphInstantiateWithFlags(&raw mut executable, self.graph, 0))?;
        Ok(Executable { device: self.device, graph: executable.expose_provenance() })
    }
}

impl Drop for Captured {
    fn drop(&mut self) {
        if !self.graph.is_null() {
            // Executable graphs do not refer to it. An error leaves nothing to do.
            _ = call!(cuGraphDestroy(self.graph));
        }
    }
}

/// A graph that can be launched.
struct Executable {
    device: Device,
    /// The driver's graph, as a number.
    graph: usize,
}

impl Executable {
    fn raw(&self) -> CUgraphExec {
        std::ptr::with_exposed_provenance_mut(self.graph)
    }
}

impl Drop for Executable {
    fn drop(&mut self) {
        let graph = self.raw();
        // Launches that are not done go on. An error leaves nothing to do.
        _ = self.device.enter().and_then(|_entered| call!(cuGraphExecDestroy(graph)));
    }
}
