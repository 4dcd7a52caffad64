//! Extension for the benchmarks: stages of a chain that only move messages, and codelets that measure
//! work on a device (`cuda.rs`).

mod cuda;

use cuda::{CudaConverter, CudaHostSource, CudaKernels, CudaSink, CudaSource, CudaTaker};
use gxf::prelude::*;
use std::sync::OnceLock;
use std::time::Instant;

/// Publishes a message with a number on every tick.
#[derive(Component, Default)]
struct Source {
    /// Transmitter that publishes the messages.
    output: Parameter<Handle<Transmitter>>,
    count: i64,
}

impl Codelet for Source {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut message = context.new_message()?;
        message.add("number", self.count)?;
        self.count += 1;
        self.output.publish(message, context.now())
    }
}

/// Forwards each message.
#[derive(Component, Default)]
struct Pass {
    /// Receiver that the messages arrive in.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter that publishes them.
    output: Parameter<Handle<Transmitter>>,
}

impl Codelet for Pass {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        self.output.publish(self.input.receive()?, context.now())
    }
}

/// Forwards each message after some work.
#[derive(Component, Default)]
struct Work {
    /// Receiver that the messages arrive in.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter that publishes them.
    output: Parameter<Handle<Transmitter>>,
    /// Duration of a tick in nanoseconds.
    nanoseconds: Parameter<u64>,
}

/// Computes for about this many nanoseconds. The number of steps is fixed, so that other load on
/// the machine does not change it.
fn work(nanoseconds: u64) {
    /// Steps per microsecond, measured once, so that all runs of a process do the same work.
    static STEPS: OnceLock<u64> = OnceLock::new();
    const TRIED: u64 = 100_000;
    let steps = |count: u64| {
        for step in 0..count {
            std::hint::black_box(step);
        }
    };
    let a_microsecond = STEPS.get_or_init(|| {
        let tries = (0..50).map(|_| {
            let begin = Instant::now();
            steps(TRIED);
            begin.elapsed().as_nanos()
        });
        let shortest = tries.min().and_then(|best| u64::try_from(best).ok()).unwrap_or(1);
        TRIED * 1_000 / shortest.max(1)
    });
    steps(a_microsecond * nanoseconds / 1_000);
}

impl Codelet for Work {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        work(*self.nanoseconds);
        self.output.publish(self.input.receive()?, context.now())
    }
}

/// Takes each message and checks that none is missing.
#[derive(Component, Default)]
struct Sink {
    /// Receiver that the messages arrive in.
    input: Parameter<Handle<Receiver>>,
    expected: i64,
}

impl Codelet for Sink {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let number = *message.get::<i64>("number")?;
        if number != self.expected {
            return Err(format!("expected number {}, got {number}", self.expected).into());
        }
        self.expected += 1;
        Ok(())
    }
}

/// Takes each message, from any sender.
#[derive(Component, Default)]
struct Drain {
    /// Receiver that the messages arrive in.
    input: Parameter<Handle<Receiver>>,
}

impl Codelet for Drain {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.input.receive().map(drop)
    }
}

/// Does nothing in its ticks.
#[derive(Component, Default)]
struct Idle {}

impl Codelet for Idle {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        Ok(())
    }
}

/// Ticks as often as its terms allow. At the end it writes how late the ticks were: median, 99th
/// percentile and maximum, in nanoseconds.
#[derive(Component, Default)]
struct Metronome {
    /// Clock that measures the delay.
    clock: Parameter<Handle<Clock>>,
    /// Nanoseconds between two ticks.
    period: Parameter<i64>,
    /// File to write the figures to.
    report: Parameter<String>,
    begin: Option<i64>,
    lateness: Vec<i64>,
}

impl Codelet for Metronome {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let now = self.clock.timestamp();
        let begin = *self.begin.get_or_insert(now);
        let ticks = i64::try_from(self.lateness.len()).unwrap_or(i64::MAX);
        self.lateness.push(now - begin - ticks * *self.period);
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.lateness.sort_unstable();
        let Some(last) = self.lateness.len().checked_sub(1) else { return Ok(()) };
        let at = |share: usize| self.lateness[last * share / 100];
        let text = format!("{} {} {}", at(50), at(99), at(100));
        std::fs::write(&*self.report, text).map_err(|error| error.to_string().into())
    }
}

/// Publishes the same tensor of bytes on every tick, without copying it.
#[derive(Component, Default)]
struct TensorSource {
    /// Transmitter that publishes the messages.
    output: Parameter<Handle<Transmitter>>,
    /// Dimensions of the tensor.
    shape: Parameter<Vec<i32>>,
    message: Option<Message>,
}

impl Codelet for TensorSource {
    fn initialize(&mut self, context: &ComponentContext) -> Result<()> {
        let size = usize::try_from(self.shape.iter().product::<i32>())
            .map_err(|_| ResultCode::PARAMETER_OUT_OF_RANGE)?;
        let bytes = vec![77_u8; size];
        let mut message = context.new_message()?;
        message.add("tensor", Tensor::from_vec(&self.shape, bytes)?)?;
        self.message = Some(message);
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.message.clone().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        self.output.publish_as_is(message)
    }

    fn deinitialize(&mut self, _context: &ComponentContext) -> Result<()> {
        self.message = None;
        Ok(())
    }
}

/// Takes each message and checks that it carries a tensor.
#[derive(Component, Default)]
struct TensorSink {
    /// Receiver that the messages arrive in.
    input: Parameter<Handle<Receiver>>,
}

impl Codelet for TensorSink {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.input.receive()?.get::<Tensor>("").map(|_| ())
    }
}

/// Sends a number when the one before has come back, and prints the median time of a round trip.
#[derive(Component, Default)]
struct Pinger {
    /// Receivers of what makes it begin, and of what comes back.
    inputs: Parameter<Vec<Handle<Receiver>>>,
    /// Transmitter that publishes the numbers.
    output: Parameter<Handle<Transmitter>>,
    /// Number of round trips.
    count: Parameter<u64>,
    /// Allocator of tensors to send instead of the numbers; nobody writes them.
    allocator: Parameter<Option<Handle<Allocator>>>,
    /// Size of the tensors.
    #[parameter(default = 0, unit = "byte")]
    size: Parameter<i32>,
    sent: Option<Instant>,
    times: Vec<u64>,
}

impl Codelet for Pinger {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        for input in self.inputs.iter() {
            while input.try_receive()?.is_some() {}
        }
        if let Some(sent) = self.sent.take() {
            self.times.push(sent.elapsed().as_nanos() as u64);
        }
        if self.times.len() as u64 == *self.count {
            self.times.sort_unstable();
            let at = |share: usize| self.times[self.times.len() * share / 100];
            println!("RESULT {} {}", at(50), at(99));
            return Ok(());
        }
        let mut message = context.new_message()?;
        match &*self.allocator {
            Some(allocator) => {
                let tensor = Tensor::new::<u8>(allocator, StorageType::HOST, &[*self.size])?;
                message.add("tensor", tensor)?;
            }
            None => _ = message.add("number", self.times.len() as i64)?,
        }
        self.sent = Some(Instant::now());
        self.output.publish(message, context.now())
    }
}

/// Takes messages and prints how many bytes of tensors came in a second, or how many messages.
#[derive(Component, Default)]
struct Meter {
    /// Receiver that the messages arrive in.
    input: Parameter<Handle<Receiver>>,
    /// Number of messages.
    count: Parameter<u64>,
    began: Option<Instant>,
    messages: u64,
    bytes: u64,
}

impl Codelet for Meter {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        while let Some(message) = self.input.try_receive()? {
            // The first one only starts the watch.
            let Some(began) = self.began else {
                self.began = Some(Instant::now());
                continue;
            };
            self.messages += 1;
            self.bytes += message.try_get::<Tensor>("").map_or(0, |tensor| tensor.memory().size());
            if self.messages + 1 == *self.count {
                let seconds = began.elapsed().as_secs_f64();
                let (messages, bytes) = (self.messages as f64, self.bytes as f64);
                println!("RESULT {:.0} {:.0}", messages / seconds, bytes / seconds);
            }
        }
        Ok(())
    }
}

gxf_ext_factory! {
    id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a69;
    name: "BenchStages";
    version: "1.0.0";
    description: "Stages of the benchmarks";
    components: [
        Source: Codelet { id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a01; name: "bench::Source"; },
        Pass: Codelet { id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a02; name: "bench::Pass"; },
        Sink: Codelet { id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a03; name: "bench::Sink"; },
        Drain: Codelet { id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a04; name: "bench::Drain"; },
        Idle: Codelet { id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a21; name: "bench::Idle"; },
        Work: Codelet { id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a20; name: "bench::Work"; },
        Metronome: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a05;
            name: "bench::Metronome";
        },
        TensorSource: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a06;
            name: "bench::TensorSource";
        },
        Pinger: Codelet { id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a08; name: "bench::Pinger"; },
        Meter: Codelet { id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a09; name: "bench::Meter"; },
        TensorSink: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a07;
            name: "bench::TensorSink";
        },
        CudaTaker: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a30;
            name: "bench::CudaTaker";
        },
        CudaSource: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a31;
            name: "bench::CudaSource";
        },
        CudaKernels: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a32;
            name: "bench::CudaKernels";
            capturable: true;
        },
        CudaSink: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a33;
            name: "bench::CudaSink";
        },
        CudaConverter: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a34;
            name: "bench::CudaConverter";
        },
        CudaHostSource: Codelet {
            id: 0x3f0e4c5a9b7d4e21, 0x8f6a1c2d3e4b5a35;
            name: "bench::CudaHostSource";
        },
    ]
}
