//! Stopping early: Ctrl-C, SIGTERM, or nobody reads the output.
//!
//! A small thread turns the first signal into a request; the second ends the process right in the
//! signal handler, so that nothing the graph does can keep the user waiting. A request stops a
//! running graph at once, ends its activation after the component that is being initialised, and is
//! otherwise noticed by [`mod@crate::run`] after the current stage.

mod hang;

use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::live_graph::LiveGraph;
use gxf_runtime::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};

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
}

/// The meeting point of requests and the run. The lock makes sure that a request reaches the graph
/// exactly once, whether it comes just before or just after the graph starts.
pub struct Stop {
    console: Console,
    /// Nobody reads standard output any more. Only ever set, and guards no other data.
    output_lost: AtomicBool,
    /// The graph, also while it is being taken down.
    graph: LiveGraph,
    state: Mutex<State>,
}

struct State {
    /// The first request.
    requested: Option<StopCause>,
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
    pub fn watch(console: Console) -> io::Result<Arc<Self>> {
        let second = Arc::new(AtomicBool::new(false));
        for (signal, cause) in [(SIGINT, StopCause::Interrupt), (SIGTERM, StopCause::Terminate)] {
            let status = cause.exit_status();
            // The order matters: handlers run as registered, and the first signal must find the
            // flag unset.
            flag::register_conditional_shutdown(signal, status as i32, Arc::clone(&second))?;
            flag::register(signal, Arc::clone(&second))?;
        }
        let mut signals = Signals::new([SIGINT, SIGTERM])?;
        let state = State { requested: None, graph: Graph::NotRunning };
        let output_lost = AtomicBool::new(false);
        let stop = Arc::new(Self {
            console,
            output_lost,
            graph: LiveGraph::default(),
            state: Mutex::new(state),
        });
        let watcher = Arc::clone(&stop);
        // A thread that begins needs a lock of the system's loader, which a library that never comes to
        // the end of its constructor keeps.
        let begun = Arc::new(Barrier::new(3));
        let begins = Arc::clone(&begun);
        std::thread::Builder::new().name("signals".into()).spawn(move || {
            begins.wait();
            for signal in signals.forever() {
                watcher.request(match signal {
                    SIGINT => StopCause::Interrupt,
                    _ => StopCause::Terminate,
                });
            }
        })?;
        hang::watch(Arc::clone(&stop), console, Arc::clone(&begun))?;
        begun.wait();
        Ok(stop)
    }

    /// Asks the run to stop. May block for as long as the graph takes to accept it.
    pub fn request(self: &Arc<Self>, cause: StopCause) {
        let mut state = self.lock();
        if cause != StopCause::BrokenPipe {
            let what = match state.graph {
                Graph::NotRunning => "ending after the current stage",
                Graph::Starting | Graph::Running(_) => "stopping the graph",
                Graph::Stopping | Graph::Finished => "the graph is being taken down already",
            };
            let how = match cause {
                StopCause::Interrupt => "; press Ctrl-C again to end at once",
                StopCause::Terminate => "; repeat it to end at once",
                _ => "",
            };
            self.console.note(&format!("{}: {what}{how}", cause.name()));
        }
        if state.requested.is_none() {
            state.requested = Some(cause);
            state.interrupt();
            drop(state);
            // Refused unless the graph is being activated.
            _ = self.graph.look(Context::cancel_activation);
        }
    }

    /// The graph of the run, for whoever looks at it.
    pub fn graph(&self) -> &LiveGraph {
        &self.graph
    }

    /// A graph is about to be loaded.
    pub fn graph_loads(&self) {
        self.lock().graph = Graph::NotRunning;
    }

    /// What was requested before the graph runs, if anything.
    pub fn requested(&self) -> Option<StopCause> {
        self.lock().requested
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
            Graph::Stopping => state.requested,
            _ => None,
        }
    }

    /// Asks the run to stop because nobody reads standard output any more.
    pub fn output_lost(self: &Arc<Self>) {
        if self.output_lost.swap(true, Ordering::Relaxed) {
            return;
        }
        // On a thread of its own: who logs may hold locks that stopping the graph needs. Without
        // one the graph runs to its end unheard.
        let stop = Arc::clone(self);
        _ = std::thread::Builder::new().spawn(move || stop.request(StopCause::BrokenPipe));
    }

    /// Whether that happened.
    pub fn is_output_lost(&self) -> bool {
        self.output_lost.load(Ordering::Relaxed)
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
