//! Work outside the calls of a component that fails.

use gxf::prelude::*;
use std::thread::JoinHandle;

/// The error of all of them.
fn error() -> Error {
    Error::new(ResultCode::OUT_OF_MEMORY, "the camera is gone")
}

/// A thread that its first tick starts fails, or the tick itself, which succeeds.
#[derive(Component, Default)]
pub struct FailingThread {
    /// Whether it fails in the tick, twice.
    #[parameter(default = false)]
    in_tick: Parameter<bool>,
    thread: Option<JoinHandle<Result<()>>>,
}

impl Codelet for FailingThread {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let context = context.handle();
        if *self.in_tick {
            context.fail(&error())?;
            return context.fail(&Error::failure("and again"));
        }
        self.thread.get_or_insert_with(|| std::thread::spawn(move || context.fail(&error())));
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        let thread = self.thread.take().map_or(Ok(Ok(())), JoinHandle::join);
        thread.unwrap_or_else(|_| Err(Error::failure("the thread panicked")))
    }
}

/// Not a codelet: fails when it is initialised, and says what a failure after the end is answered
/// with.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct FailingPart {}

impl Lifecycle for FailingPart {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        context.handle().fail(&error())
    }

    fn deinitialize(&self, context: &ComponentContext) -> Result<()> {
        let answer = context.handle().fail(&error());
        gxf::info!("outside: late failure: {:?}", answer.map_err(|error| error.code().name()));
        Ok(())
    }
}
