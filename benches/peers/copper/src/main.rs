//! Copper's side of `make bench-peers`: ten tasks in a row, wired at compile time. Prints
//! nanoseconds per hop. Argument: messages.
#![forbid(unsafe_code)]

use cu29::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Number of stages in `copperconfig.ron`.
const STAGES: u64 = 10;

/// Number of the latest message.
static LATEST: AtomicU64 = AtomicU64::new(0);

#[derive(Default, Reflect)]
struct Source {
    next: u64,
}

impl Freezable for Source {}

impl CuSrcTask for Source {
    type Resources<'r> = ();
    type Output<'m> = output_msg!(u64);

    fn new(_config: Option<&ComponentConfig>, _resources: Self::Resources<'_>) -> CuResult<Self> {
        Ok(Self::default())
    }

    fn process(&mut self, _context: &CuContext, output: &mut Self::Output<'_>) -> CuResult<()> {
        self.next += 1;
        output.set_payload(self.next);
        Ok(())
    }
}

#[derive(Default, Reflect)]
struct Pass;

impl Freezable for Pass {}

impl CuTask for Pass {
    type Resources<'r> = ();
    type Input<'m> = input_msg!(u64);
    type Output<'m> = output_msg!(u64);

    fn new(_config: Option<&ComponentConfig>, _resources: Self::Resources<'_>) -> CuResult<Self> {
        Ok(Self)
    }

    fn process(
        &mut self,
        _context: &CuContext,
        input: &Self::Input<'_>,
        output: &mut Self::Output<'_>,
    ) -> CuResult<()> {
        if let Some(number) = input.payload() {
            output.set_payload(*number);
        }
        Ok(())
    }
}

#[derive(Default, Reflect)]
struct Sink;

impl Freezable for Sink {}

impl CuSinkTask for Sink {
    type Resources<'r> = ();
    type Input<'m> = input_msg!(u64);

    fn new(_config: Option<&ComponentConfig>, _resources: Self::Resources<'_>) -> CuResult<Self> {
        Ok(Self)
    }

    fn process(&mut self, _context: &CuContext, input: &Self::Input<'_>) -> CuResult<()> {
        LATEST.store(input.payload().copied().unwrap_or_default(), Ordering::Relaxed);
        Ok(())
    }
}

#[copper_runtime(config = "copperconfig.ron")]
struct Chain {}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let messages: u64 = std::env::args().nth(1).ok_or("argument: messages")?.parse()?;
    let folder = tempfile::tempdir()?;
    let chain = Chain::builder()
        .with_log_path(folder.path().join("chain.copper"), Some(64 << 20))?
        .build()?;
    let mut chain = chain.start()?;
    let start = Instant::now();
    for _ in 0..messages {
        chain.run_one_iteration()?;
    }
    let elapsed = start.elapsed();
    drop(chain.stop()?);
    if LATEST.load(Ordering::Relaxed) != messages {
        return Err("messages are missing".into());
    }
    println!("{:.1}", elapsed.as_nanos() as f64 / (STAGES * messages) as f64);
    Ok(())
}
