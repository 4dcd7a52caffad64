//! Events in the order in which they came, handled by one thread, and the end that the main thread
//! waits for.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Events for a handler.
pub struct Events<E> {
    shared: Arc<Shared<E>>,
}

impl<E> Clone for Events<E> {
    fn clone(&self) -> Self {
        Self { shared: self.shared.clone() }
    }
}

struct Shared<E> {
    state: Mutex<State<E>>,
    changed: Condvar,
}

struct State<E> {
    queue: VecDeque<E>,
    /// Handled before everything else.
    stop: Option<E>,
    outcome: Option<gxf::Result<()>>,
}

impl<E> State<E> {
    fn next(&mut self) -> Option<E> {
        self.stop.take().or_else(|| self.queue.pop_front())
    }
}

/// Most requests that wait. Strangers may send requests faster than they are handled.
const LIMIT: usize = 10_000;

impl<E> Events<E> {
    pub fn new() -> Self {
        let state = Mutex::new(State { queue: VecDeque::new(), stop: None, outcome: None });
        Self { shared: Arc::new(Shared { state, changed: Condvar::new() }) }
    }

    /// Adds a request. `Err` if too many wait, or nobody handles them any more.
    pub fn post(&self, event: E) -> gxf::Result<()> {
        let mut state = self.shared.state.lock();
        if state.outcome.is_some() {
            return Err(gxf::Error::failure("it has ended"));
        }
        if state.queue.len() >= LIMIT {
            return Err(gxf::Error::failure("too many requests"));
        }
        state.queue.push_back(event);
        self.shared.changed.notify_all();
        Ok(())
    }

    /// Adds an event of the process itself, however many requests wait.
    pub fn post_own(&self, event: E) {
        self.shared.state.lock().queue.push_back(event);
        self.shared.changed.notify_all();
    }

    /// Has the handler end, before it handles anything else.
    fn post_stop(&self, event: E) {
        self.shared.state.lock().stop = Some(event);
        self.shared.changed.notify_all();
    }

    /// Whether the handler is to end before it handles anything else.
    pub fn stops(&self) -> bool {
        self.shared.state.lock().stop.is_some()
    }

    /// The next event; `None` when it is time to look around.
    pub fn next(&self, until: Instant) -> Option<E> {
        let mut state = self.shared.state.lock();
        loop {
            if let Some(event) = state.next() {
                return Some(event);
            }
            if self.shared.changed.wait_until(&mut state, until).timed_out() {
                return state.next();
            }
        }
    }

    /// Sets how it ended, the first time.
    pub fn end(&self, outcome: gxf::Result<()>) {
        let mut state = self.shared.state.lock();
        state.outcome.get_or_insert(outcome);
        self.shared.changed.notify_all();
    }

    /// Waits for the end.
    pub fn wait(&self) -> gxf::Result<()> {
        let mut state = self.shared.state.lock();
        loop {
            if let Some(outcome) = &state.outcome {
                return outcome.clone();
            }
            self.shared.changed.wait(&mut state);
        }
    }
}

/// A handler that runs.
pub struct Running<E> {
    events: Events<E>,
    thread: JoinHandle<()>,
}

/// Asks a handler, if one runs, to end.
pub fn stop<E>(running: &Mutex<Option<Running<E>>>, stop: E) {
    if let Some(running) = &*running.lock() {
        running.events.post_stop(stop);
    }
}

/// Waits for the end of a handler, if one runs.
pub fn wait<E>(running: &Mutex<Option<Running<E>>>) -> gxf::Result<()> {
    let Some(events) = running.lock().as_ref().map(|running| running.events.clone()) else {
        return Ok(());
    };
    let outcome = events.wait();
    // Without the lock: the handler's last act may stop the graph, which asks it to end.
    let running = running.lock().take();
    if let Some(running) = running {
        _ = running.thread.join();
    }
    outcome
}

/// Handles events until it returns true.
pub trait Handler<E>: Send + 'static {
    /// An event. Returns whether it is over.
    fn handle(&mut self, event: E) -> bool;

    /// Looks around, several times a second at most. Returns whether it is over.
    fn look(&mut self, now: Instant) -> bool;
}

/// How often a handler looks around.
const PERIOD: Duration = Duration::from_millis(100);

/// Starts the thread of a handler. It ends with the handler.
pub fn start<E: Send + 'static>(
    name: &str,
    events: Events<E>,
    mut handler: impl Handler<E>,
) -> gxf::Result<Running<E>> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    let own = events.clone();
    let run = move || {
        let mut next = Instant::now();
        loop {
            let event = own.next(next);
            if event.is_some_and(|event| handler.handle(event)) {
                return;
            }
            let now = Instant::now();
            if now >= next {
                if handler.look(now) {
                    return;
                }
                next = now + PERIOD;
            }
        }
    };
    let thread = thread.spawn(run);
    let thread = thread.map_err(|error| gxf::Error::failure(format!("no thread: {error}")))?;
    Ok(Running { events, thread })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_and_reports_are_not_lost_among_requests() {
        let events = Events::new();
        while events.post(0).is_ok() {}
        events.post_own(1);
        events.post_stop(2);
        let until = Instant::now();
        assert_eq!(events.next(until), Some(2));
        for _ in 0..LIMIT {
            assert_eq!(events.next(until), Some(0));
        }
        assert_eq!((events.next(until), events.next(until)), (Some(1), None));
    }
}
