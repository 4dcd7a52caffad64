//! FutureSDR's side of `make bench-peers`: a chain of blocks that pass messages on. Prints
//! nanoseconds a hop. Arguments: stages, messages, threads.
#![forbid(unsafe_code)]

use anyhow::{Result, ensure};
use futuresdr::blocks::{MessageBurst, MessageCopy, MessageSink};
use futuresdr::prelude::*;
use futuresdr::runtime::scheduler::SmolScheduler;
use std::time::Instant;

fn main() -> Result<()> {
    let numbers: Vec<u64> = std::env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let [stages, messages, threads] = numbers[..] else {
        anyhow::bail!("arguments: stages, messages, threads");
    };
    let mut graph = Flowgraph::new();
    let mut copy = MessageCopy;
    let source = MessageBurst::new(Pmt::U64(1), messages);
    connect!(graph, source | copy);
    // Source, first copy and sink are three of the stages.
    for _ in 3..stages {
        let next = MessageCopy;
        connect!(graph, copy | next);
        copy = next;
    }
    let sink = MessageSink::new();
    connect!(graph, copy | sink);
    let runtime = Runtime::with_scheduler(SmolScheduler::with_config(usize::try_from(threads)?, false));
    let start = Instant::now();
    let graph = runtime.run(graph)?;
    let elapsed = start.elapsed();
    ensure!(graph.block(&sink)?.received() == messages, "messages are missing");
    println!("{:.1}", elapsed.as_nanos() as f64 / (stages * messages) as f64);
    Ok(())
}
