//! Jobs that another thread finishes, and a term that waits for them.

use gxf::prelude::*;
use gxf::{Completion, ContextHandle, WakeToken};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A job that a thread finishes once it has a wake token.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Job {
    /// Whether no thread does the jobs.
    #[parameter(default = false)]
    idle: Parameter<bool>,
    /// How long a call of `notify` goes on when the token is with the thread.
    #[parameter(unit = "ms", default = 0)]
    notify_takes: Parameter<u64>,
    /// Number of the job that fails, from 1.
    fail_at: Parameter<Option<u64>>,
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Jobs begun.
    begun: u64,
    /// Jobs done.
    done: u64,
    tokens: Vec<WakeToken>,
    is_over: bool,
}

impl Shared {
    /// Finishes one job after another, each once an entity waits for it.
    fn work(&self) {
        let mut state = self.state.lock().expect("no thread panics with the lock");
        loop {
            let waits = |state: &mut State| {
                !state.is_over && (state.begun == state.done || state.tokens.is_empty())
            };
            state = self.changed.wait_while(state, waits).expect("no thread panics with the lock");
            if state.is_over {
                return;
            }
            state.done = state.begun;
            for token in std::mem::take(&mut state.tokens) {
                // The first of both wakes the entity.
                let same = token.clone();
                token.wake();
                same.wake();
            }
        }
    }
}

impl Job {
    /// Begins the next job.
    fn begin(&self) {
        if !*self.idle {
            let mut thread = self.thread.lock().expect("no thread panics with the lock");
            thread.get_or_insert_with(|| {
                let shared = self.shared.clone();
                std::thread::spawn(move || shared.work())
            });
        }
        self.shared.state.lock().expect("no thread panics with the lock").begun += 1;
        self.shared.changed.notify_all();
    }
}

impl Lifecycle for Job {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let waiting = {
            let mut state = self.shared.state.lock().expect("no thread panics with the lock");
            state.is_over = true;
            // Nobody uses these.
            std::mem::take(&mut state.tokens)
        };
        gxf::info!("outside: {} tokens unused", waiting.len());
        self.shared.changed.notify_all();
        let thread = self.thread.lock().expect("no thread panics with the lock").take();
        thread.map_or(Ok(()), |thread| {
            thread.join().map_err(|_| Error::failure("the thread of the job panicked"))
        })
    }
}

impl implement::Completion for Job {
    fn poll(&self) -> Result<bool> {
        let state = self.shared.state.lock().expect("no thread panics with the lock");
        let is_done = state.begun == state.done;
        if is_done && self.fail_at.is_some_and(|number| number == state.done) {
            return Err(Error::new(ResultCode::OUT_OF_MEMORY, "the job found no memory"));
        }
        Ok(is_done)
    }

    fn notify(&self, token: WakeToken) -> Result<()> {
        let mut state = self.shared.state.lock().expect("no thread panics with the lock");
        if state.begun == state.done {
            drop(state);
            token.wake();
        } else {
            state.tokens.push(token);
            if *self.idle {
                gxf::info!("outside: a token waits");
            }
            self.shared.changed.notify_all();
            drop(state);
            std::thread::sleep(Duration::from_millis(*self.notify_takes));
        }
        Ok(())
    }
}

/// Begins a job in each tick but the last ones.
#[derive(Component, Default)]
pub struct JobGiver {
    /// The job.
    job: Parameter<Handle<Job>>,
    /// Ticks that begin a job.
    #[parameter(default = 1000)]
    jobs: Parameter<i64>,
}

impl Codelet for JobGiver {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        gxf::info!("outside: tick {}", context.count());
        if context.count() <= *self.jobs {
            self.job.begin();
        }
        Ok(())
    }
}

/// READY when the work is done.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct CompletionTerm {
    /// What to wait for.
    completion: Parameter<Handle<Completion>>,
    context: Mutex<Option<ContextHandle>>,
    /// Whether it requested a wake-up.
    has_asked: AtomicBool,
}

impl Lifecycle for CompletionTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        *self.context.lock().expect("no thread panics with the lock") = Some(context.handle());
        Ok(())
    }
}

// Only the executing thread calls a term, hence the relaxed orderings.
impl implement::SchedulingTerm for CompletionTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        if self.completion.poll()? {
            self.has_asked.store(false, Ordering::Relaxed);
            return Ok(Condition { condition_type: ConditionType::READY, target: now });
        }
        if !self.has_asked.swap(true, Ordering::Relaxed) {
            let context = self.context.lock().expect("no thread panics with the lock");
            let context = context.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
            self.completion.notify(context.wake_token()?)?;
        }
        Ok(Condition { condition_type: ConditionType::WAIT_EVENT, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}
