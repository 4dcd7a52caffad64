//! Work that codelets submit in their ticks, and that a thread does in order.

use gxf::WakeToken;
use gxf::prelude::*;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::JoinHandle;

/// Does work in the order in which it is submitted.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct WorkQueue {
    /// Work is done only while at least so much is submitted and not done.
    #[parameter(default = 1)]
    together: Parameter<u64>,
    /// Number of the work that fails, from 1.
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
    submitted: u64,
    done: u64,
    /// Tokens, with the work that each waits for.
    tokens: Vec<(u64, WakeToken)>,
    is_over: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no thread panics with the lock")
    }

    fn work(&self, together: u64) {
        let mut state = self.lock();
        loop {
            let waits =
                |state: &mut State| !state.is_over && state.submitted - state.done < together;
            state = self.changed.wait_while(state, waits).expect("no thread panics with the lock");
            if state.is_over {
                return;
            }
            let last = state.submitted;
            while state.done < last {
                state.done += 1;
                let done = state.done;
                gxf::info!("outside: work {done} is done");
                let ready = state.tokens.extract_if(.., |(number, _)| *number <= done);
                let ready: Vec<WakeToken> = ready.map(|(_, token)| token).collect();
                drop(state);
                ready.into_iter().for_each(WakeToken::wake);
                state = self.lock();
            }
        }
    }
}

impl WorkQueue {
    /// Submits work of an entity.
    fn submit(&self, entity: &str) {
        let mut thread = self.thread.lock().expect("no thread panics with the lock");
        thread.get_or_insert_with(|| {
            let (shared, together) = (self.shared.clone(), *self.together.get());
            std::thread::spawn(move || shared.work(together))
        });
        let mut state = self.shared.lock();
        state.submitted += 1;
        gxf::info!("outside: {entity} submits work {}", state.submitted);
        self.shared.changed.notify_all();
    }
}

impl Lifecycle for WorkQueue {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let waiting = {
            let mut state = self.shared.lock();
            state.is_over = true;
            std::mem::take(&mut state.tokens)
        };
        drop(waiting);
        self.shared.changed.notify_all();
        let thread = self.thread.lock().expect("no thread panics with the lock").take();
        thread.map_or(Ok(()), |thread| {
            thread.join().map_err(|_| Error::failure("the thread of the work panicked"))
        })
    }
}

impl implement::Completion for WorkQueue {
    fn poll(&self) -> Result<bool> {
        let state = self.shared.lock();
        if self.fail_at.is_some_and(|number| number <= state.done) {
            return Err(Error::new(ResultCode::OUT_OF_MEMORY, "the work found no memory"));
        }
        Ok(state.submitted == state.done)
    }

    fn notify(&self, token: WakeToken) -> Result<()> {
        let mut state = self.shared.lock();
        if state.submitted == state.done {
            drop(state);
            token.wake();
        } else {
            let number = state.submitted;
            state.tokens.push((number, token));
        }
        Ok(())
    }
}

/// Takes a message, submits work, and publishes a message, where it has the ports and the queue.
#[derive(Component, Default)]
pub struct Submitter {
    /// Where the work goes.
    queue: Parameter<Option<Handle<WorkQueue>>>,
    /// Receiver of messages.
    input: Parameter<Option<Handle<Receiver>>>,
    /// Transmitter of messages.
    output: Parameter<Option<Handle<Transmitter>>>,
}

impl Codelet for Submitter {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let entity = context.entity_name();
        let message = match &*self.input {
            Some(input) => {
                let message = input.receive()?;
                gxf::info!("outside: {entity} takes {}", *message.get::<i64>("number")?);
                message
            }
            None => {
                let mut message = context.new_message()?;
                message.add("number", context.count())?;
                message
            }
        };
        if let Some(queue) = &*self.queue {
            queue.submit(&entity);
        }
        match &*self.output {
            Some(output) => output.publish(message, context.now()),
            None => Ok(()),
        }
    }
}
