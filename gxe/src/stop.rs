//! Stops a run early: on Ctrl-C, SIGTERM, a request over the control socket or of the live page, or
//! lost output.
//!
//! A request stops a running graph at once and an activation after the current component; otherwise
//! [`mod@crate::run`] notices it after the current stage. A second signal ends the process in the
//! signal handler, whatever the graph does. Messages are written after the graph was stopped, and
//! never under a lock.

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

/// The reason a run stops early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCause {
    /// Ctrl-C.
    Interrupt,
    /// SIGTERM.
    Terminate,
    /// The reader of standard output went away.
    BrokenPipe,
    /// A request over the control socket.
    Control,
    /// A request of the live page.
    #[cfg_attr(
        not(feature = "serve"),
        expect(dead_code, reason = "nothing asks for it in such a build")
    )]
    Page,
}

impl StopCause {
    /// The exit status.
    pub const fn exit_status(self) -> ExitStatus {
        match self {
            Self::Interrupt => ExitStatus::Interrupted,
            Self::Terminate => ExitStatus::Terminated,
            Self::BrokenPipe => ExitStatus::BrokenPipe,
            Self::Control | Self::Page => ExitStatus::Success,
        }
    }

    /// The name of the signal or other cause.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Interrupt => "SIGINT",
            Self::Terminate => "SIGTERM",
            Self::BrokenPipe => "SIGPIPE",
            Self::Control => "the control socket",
            Self::Page => "the live page",
        }
    }

    /// What to do if the run does not end.
    const fn advice(self) -> &'static str {
        match self {
            Self::Interrupt => "; press Ctrl-C again to end at once",
            Self::Terminate => "; repeat it to end at once",
            Self::BrokenPipe | Self::Control | Self::Page => "",
        }
    }
}

/// Connects stop requests with the run. A request reaches the graph exactly once, whether it comes
/// just before or just after the graph starts.
pub struct Stop {
    console: Console,
    /// Whether the reader of standard output went away. Only ever set, and guards no other data.
    output_lost: AtomicBool,
    /// The graph, even while it is being deactivated.
    live: Arc<LiveGraph>,
    state: Mutex<State>,
    /// Signals that the first request was announced.
    announced: Condvar,
}

struct State {
    /// The first request.
    requested: Option<StopCause>,
    /// Whether the user was told of it; later messages of the run wait for that.
    is_announced: bool,
    graph: Graph,
}

/// The progress of the run.
enum Graph {
    NotRunning,
    /// Possibly running, but not yet ready for a request.
    Starting,
    Running(Context),
    /// Running, with a stop requested.
    Stopping,
    Finished,
    /// There is none, and the files of the next one are awaited.
    Awaited,
}

impl Stop {
    /// Starts to watch for signals.
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
        // Starting a thread takes a lock of the dynamic loader, which a library whose constructor
        // hangs keeps. So both threads start now.
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

    /// Requests a stop. May block until the graph accepts it.
    pub fn request(&self, cause: StopCause) {
        patient::end_is_wanted();
        let mut state = self.lock();
        let what = match state.graph {
            Graph::NotRunning => "ending after the current stage",
            Graph::Starting | Graph::Running(_) => "stopping the graph",
            Graph::Stopping | Graph::Finished => "the graph is already being deactivated",
            Graph::Awaited => "ending; no graph runs",
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

    /// The graph is gone, and a next one may come.
    pub fn graph_is_awaited(&self) {
        self.lock().graph = Graph::Awaited;
    }

    /// Whether a stop was requested.
    pub fn is_requested(&self) -> bool {
        self.lock().requested.is_some()
    }

    /// The cause of the stop request, if there is one.
    pub fn requested(&self) -> Option<StopCause> {
        self.announced(self.lock()).requested
    }

    /// The graph is about to run: requests are kept until it does.
    pub fn graph_starts(&self) {
        self.lock().graph = Graph::Starting;
    }

    /// The graph runs: requests stop it from now on.
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

    /// Requests a stop because the reader of standard output went away.
    pub fn output_lost(self: &Arc<Self>) {
        if self.set_output_lost() {
            return;
        }
        // On a thread of its own, because the caller may hold locks that stopping the graph needs.
        // If no thread can be started, the graph runs to its end without output.
        let stop = Arc::clone(self);
        _ = std::thread::Builder::new().spawn(move || stop.request(StopCause::BrokenPipe));
    }

    /// Records that the reader of standard output went away. Returns whether that was known.
    pub fn set_output_lost(&self) -> bool {
        self.output_lost.swap(true, Ordering::Relaxed)
    }

    /// Whether the reader of standard output went away.
    pub fn is_output_lost(&self) -> bool {
        self.output_lost.load(Ordering::Relaxed)
    }

    /// Waits until a request, if there is one, was announced, which takes no longer than a message
    /// may wait for its reader.
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
            // Refused if the graph ended by itself in the meantime.
            && context.interrupt().is_ok()
        {
            self.graph = Graph::Stopping;
        }
    }
}
