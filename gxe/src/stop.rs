//! Stopping early: Ctrl-C, SIGTERM, somebody at the control socket, or nobody reads the output.
//!
//! A request stops a running graph at once, ends its activation after the component that is being
//! initialised, and is otherwise noticed by [`mod@crate::run`] after the current stage. A second
//! signal ends the process right in the signal handler, so that nothing the graph does can keep the
//! user waiting. Nothing is written before the graph was asked, nor under a lock.

mod hang;

use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::live_graph::LiveGraph;
use crate::patient;
use gxf_runtime::{Context, EndSignals};
use signal_hook::consts::SIGINT;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Condvar, Mutex, MutexGuard, PoisonError};

/// Why a run stops early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// The reader of standard output went away.
    BrokenPipe,
    /// Somebody asked for it over the control socket.
    Control,
}

impl StopCause {
    /// The number the program ends with.
    pub const fn exit_status(self) -> ExitStatus {
        match self {
            Self::Interrupt => ExitStatus::Interrupted,
            Self::Terminate => ExitStatus::Terminated,
            Self::BrokenPipe => ExitStatus::BrokenPipe,
            Self::Control => ExitStatus::Success,
        }
    }

    /// The name of the signal, or what else it was.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::BrokenPipe => "SIGPIPE",
            Self::Control => "the control socket",
        }
    }

    /// What to do if the run does not end.
    const fn advice(self) -> &'static str {
        match self {
            Self::Interrupt => "; press Ctrl-C again to end at once",
            Self::Terminate => "; repeat it to end at once",
            Self::BrokenPipe | Self::Control => "",
        }
    }
}

/// The meeting point of requests and the run. The lock makes sure that a request reaches the graph
/// exactly once, whether it comes just before or just after the graph starts.
pub struct Stop {
    console: Console,
    /// Nobody reads standard output any more. Only ever set, and guards no other data.
    output_lost: AtomicBool,
    /// The graph, also while it is being taken down.
    live: Arc<LiveGraph>,
    state: Mutex<State>,
    /// Wakes those who wait for the first request to be announced.
    announced: Condvar,
}

struct State {
    /// The first request.
    requested: Option<StopCause>,
    /// The user was told of it, so that what the run says comes after.
    is_announced: bool,
    graph: Graph,
}

/// How far the run is.
enum Graph {
    NotRunning,
    /// Possibly running, but not yet ready to be asked.
    Starting,
    Running(Context),
    /// Running, and asked to stop.
    Stopping,
    Finished,
}

impl Stop {
    /// Watches for signals from now on.
    pub fn watch(console: Console, live: Arc<LiveGraph>) -> io::Result<Arc<Self>> {
        let signals = EndSignals::watch()?;
        let state = State { requested: None, is_announced: false, graph: Graph::NotRunning };
        let stop = Arc::new(Self {
            console,
            output_lost: AtomicBool::new(false),
            live,
            state: Mutex::new(state),
            announced: Condvar::new(),
        });
        // A thread that begins needs a lock of the system's loader, which a library that never comes to
        // the end of its constructor keeps.
        let begun = Arc::new(Barrier::new(3));
        let (watcher, begins) = (Arc::clone(&stop), Arc::clone(&begun));
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            begins.wait();
            watcher.request(match signals.wait() {
                SIGINT => StopCause::Interrupt,
                _ => StopCause::Terminate,
            });
        })?;
        hang::watch(Arc::clone(&stop), console, Arc::clone(&begun))?;
        begun.wait();
        Ok(stop)
    }

    /// Asks the run to stop. May block for as long as the graph takes to accept it.
    pub fn request(&self, cause: StopCause) {
        patient::end_is_wanted();
        let mut state = self.lock();
        let what = match state.graph {
            Graph::NotRunning => "ending after the current stage",
            Graph::Starting | Graph::Running(_) => "stopping the graph",
            Graph::Stopping | Graph::Finished => "the graph is being taken down already",
        };
        let is_first = state.requested.is_none();
        if is_first {
            state.requested = Some(cause);
            state.interrupt();
        }
        drop(state);
        if is_first {
            // Refused unless the graph is being activated.
            _ = self.live.look(Context::cancel_activation);
        }
        if cause != StopCause::BrokenPipe {
            self.console.note(&format!("{}: {what}{}", cause.name(), cause.advice()));
        }
        if is_first {
            self.lock().is_announced = true;
            self.announced.notify_all();
        }
    }

    /// A graph is about to be loaded.
    pub fn graph_loads(&self) {
        self.lock().graph = Graph::NotRunning;
    }

    /// Whether the run is to end.
    pub fn is_requested(&self) -> bool {
        self.lock().requested.is_some()
    }

    /// Why the run is to end, if it is.
    pub fn requested(&self) -> Option<StopCause> {
        self.announced(self.lock()).requested
    }

    /// The graph is about to run: a request is kept until it does.
    pub fn graph_starts(&self) {
        self.lock().graph = Graph::Starting;
    }

    /// From now on a request stops this graph, which runs.
    pub fn graph_runs(&self, context: &Context) {
        let mut state = self.lock();
        state.graph = Graph::Running(context.clone());
        if state.requested.is_some() {
            state.interrupt();
        }
    }

    /// The graph no longer runs. Returns why it stopped if that was a request.
    pub fn graph_finished(&self) -> Option<StopCause> {
        let mut state = self.lock();
        let before = std::mem::replace(&mut state.graph, Graph::Finished);
        match before {
            Graph::Stopping => self.announced(state).requested,
            _ => None,
        }
    }

    /// Asks the run to stop because nobody reads standard output any more.
    pub fn output_lost(self: &Arc<Self>) {
        if self.set_output_lost() {
            return;
        }
        // On a thread of its own: who logs may hold locks that stopping the graph needs. Without
        // one the graph runs to its end unheard.
        let stop = Arc::clone(self);
        _ = std::thread::Builder::new().spawn(move || stop.request(StopCause::BrokenPipe));
    }

    /// Takes note that nobody reads standard output any more. Returns whether that was known.
    pub fn set_output_lost(&self) -> bool {
        self.output_lost.swap(true, Ordering::Relaxed)
    }

    /// Whether nobody reads standard output any more.
    pub fn is_output_lost(&self) -> bool {
        self.output_lost.load(Ordering::Relaxed)
    }

    /// Waits until a request, if there is one, was announced. That takes no longer than a note may
    /// wait for its reader.
    fn announced<'a>(&'a self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let is_due = |state: &mut State| state.requested.is_some() && !state.is_announced;
        self.announced.wait_while(state, is_due).unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is consistent at every point where a panic could happen.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn interrupt(&mut self) {
        if let Graph::Running(context) = &self.graph
            // Refused when the graph came to its end by itself in the meantime.
            && context.interrupt().is_ok()
        {
            self.graph = Graph::Stopping;
        }
    }
}
