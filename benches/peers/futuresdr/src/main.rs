//! FutureSDR's side of `make bench-peers`: a chain of blocks that forward messages. Prints
//! nanoseconds per hop. Arguments: stages, messages, threads.
#![forbid(unsafe_code)]

use anyhow::{Context, Result, bail, ensure};
use futuresdr::blocks::{MessageBurst, MessageCopy, MessageSink};
use futuresdr::runtime::scheduler::SmolScheduler;
use futuresdr::runtime::{Flowgraph, Pmt, Runtime};
use std::time::Instant;

fn main() -> Result<()> {
    let numbers = std::env::args().skip(1).map(|text| text.parse());
    let numbers: Vec<u64> = numbers.collect::<Result<_, _>>()?;
    let [stages, messages, threads] = numbers[..] else {
        bail!("arguments: stages, messages, threads");
    };
    let mut graph = Flowgraph::new();
    let mut last = graph.add_block(MessageBurst::new(Pmt::U64(1), messages))?;
    // The source and the sink are two of the stages.
    for _ in 2..stages {
        let next = graph.add_block(MessageCopy::new())?;
        graph.connect_message(last, "out", next, "in")?;
        last = next;
    }
    let sink = graph.add_block(MessageSink::new())?;
    graph.connect_message(last, "out", sink, "in")?;
    let runtime = Runtime::with_scheduler(SmolScheduler::new(usize::try_from(threads)?, false));
    let start = Instant::now();
    let graph = runtime.run(graph)?;
    let elapsed = start.elapsed();
    let sink = graph.kernel::<MessageSink>(sink).context("the sink is still there")?;
    ensure!(sink.received() == messages, "{} messages arrived", sink.received());
    println!("{:.1}", elapsed.as_nanos() as f64 / (stages * messages) as f64);
    Ok(())
}
