//! A codelet that ends the process instead of returning.

use gxf::prelude::*;

/// Ends the process in one of its functions.
#[derive(Component, Default)]
pub struct Ender {
    /// The function: `initialize`, `start`, `tick`, `stop`, `deinitialize` or `destroy`.
    ends_in: Parameter<String>,
    /// How to end it: `abort`, `exit`, `overflow` of the stack, or `thread`, which aborts on
    /// another thread. `destroy` always aborts.
    by: Parameter<String>,
    /// Whether to end in `destroy`: parameters are already removed by then.
    ends_last: bool,
}

impl Ender {
    fn pass(&self, function: &str) -> Result<()> {
        if self.ends_in.get() != function {
            return Ok(());
        }
        match self.by.get().as_str() {
            "exit" => std::process::exit(0),
            "overflow" => Err(Error::failure(format!("{}", descend(1)))),
            "thread" => {
                let thread = std::thread::Builder::new().name("own".into());
                _ = thread.spawn(|| std::process::abort()).map(std::thread::JoinHandle::join);
                Ok(())
            }
            _ => std::process::abort(),
        }
    }
}

/// Exhausts the stack.
fn descend(depth: u64) -> u64 {
    let kept = std::hint::black_box([depth; 64]);
    if depth == 0 { 0 } else { descend(depth + 1) + std::hint::black_box(kept)[3] }
}

impl Codelet for Ender {
    fn initialize(&mut self, _context: &ComponentContext) -> Result<()> {
        self.ends_last = self.ends_in.get() == "destroy";
        self.pass("initialize")
    }

    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.pass("start")
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.pass("tick")
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.pass("stop")
    }

    fn deinitialize(&mut self, _context: &ComponentContext) -> Result<()> {
        self.pass("deinitialize")
    }
}

impl Drop for Ender {
    fn drop(&mut self) {
        if self.ends_last {
            std::process::abort();
        }
    }
}
