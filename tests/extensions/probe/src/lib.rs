//! Components that log every call and fail on demand, so that tests see what is called, when, and
//! what happens after a failure.
//!
//! Every line starts with `probe`, the name of the component and the stage: `probe tx tick`.
#![forbid(unsafe_code)]

mod ender;
mod port_script;
mod serializer;
mod steps;

use ender::Ender;
use gxf::prelude::*;
use port_script::PortScript;
use serializer::OwnTensorSerializer;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use steps::{EventSteps, SpeedStep};

/// Ticks of probes that have begun.
static TICKS: AtomicI64 = AtomicI64::new(0);

/// So long a probe waits for others.
const PATIENCE: Duration = Duration::from_secs(20);

/// What goes wrong, and in which stage: the common parameters of the probes.
#[derive(Clone, Copy)]
struct Trouble<'a> {
    fail_in: Option<&'a str>,
    panic_in: Option<&'a str>,
    hang_in: Option<&'a str>,
}

impl Trouble<'_> {
    /// Logs the call, then fails if requested.
    fn pass(self, name: &str, stage: &str, details: &str) -> Result<()> {
        gxf::info!("probe {name} {stage}{details}");
        self.strike(name, stage)
    }

    fn strike(self, name: &str, stage: &str) -> Result<()> {
        assert!(self.panic_in != Some(stage), "{name} panics in {stage}, as `panic_in` says");
        while self.hang_in == Some(stage) {
            std::thread::park();
        }
        if self.fail_in == Some(stage) {
            return Err(Error::new(
                ResultCode::OUT_OF_MEMORY,
                format!("{name} fails in {stage}, as `fail_in` says"),
            ));
        }
        Ok(())
    }
}

/// A codelet that logs all its calls. A tick takes messages from `receivers` and logs their
/// numbers, then publishes numbered messages through `transmitters`.
#[derive(Component, Default)]
struct Probe {
    /// Stage that returns an error.
    fail_in: Parameter<Option<String>>,
    /// Stage that panics.
    panic_in: Parameter<Option<String>>,
    /// Stage that never returns.
    hang_in: Parameter<Option<String>>,
    /// File that `start` waits for.
    start_after: Parameter<Option<String>>,
    /// Number of the tick that fails or panics, from 1.
    #[parameter(default = 1)]
    trouble_at_tick: Parameter<i64>,
    /// Receivers to take messages from.
    receivers: Parameter<Option<Vec<Handle<Receiver>>>>,
    /// Most messages taken from one receiver in a tick.
    #[parameter(default = 1000)]
    take: Parameter<i64>,
    /// Transmitters to publish on.
    transmitters: Parameter<Option<Vec<Handle<Transmitter>>>>,
    /// Messages to publish on each transmitter in a tick.
    #[parameter(default = 1)]
    publish: Parameter<i32>,
    /// Whether to log the time of a tick.
    #[parameter(default = false, dynamic)]
    log_time: Parameter<bool>,
    /// Whether the times of each message are logged after its number, as `@acquired/published`.
    #[parameter(default = false)]
    log_stamps: Parameter<bool>,
    /// Whether to log the name of the thread of a tick.
    #[parameter(default = false)]
    log_thread: Parameter<bool>,
    /// Time from a tick to the acquisition time of what it publishes.
    #[parameter(unit = "ns", default = 0)]
    ahead: Parameter<i64>,
    /// Clock the first tick sleeps on.
    clock: Parameter<Option<Handle<Clock>>>,
    /// How long the first tick sleeps.
    #[parameter(unit = "ns", default = 0)]
    first_sleep: Parameter<i64>,
    /// Number of the tick that waits for ticks of other probes, from 1.
    #[parameter(default = 0)]
    await_at_tick: Parameter<i64>,
    /// How many it waits for.
    #[parameter(default = 0)]
    awaited_ticks: Parameter<i64>,
    /// Term that `switch_off_at_tick` switches off.
    switch: Parameter<Option<Handle<BooleanSchedulingTerm>>>,
    /// Number of the tick that switches `switch` off, from 1.
    #[parameter(default = 0)]
    switch_off_at_tick: Parameter<i64>,
    name: String,
    next: i32,
}

impl Probe {
    fn trouble(&self) -> Trouble<'_> {
        Trouble {
            fail_in: self.fail_in.as_deref(),
            panic_in: self.panic_in.as_deref(),
            hang_in: self.hang_in.as_deref(),
        }
    }

    fn await_others(&self) -> Result<()> {
        let (begin, wanted) = (Instant::now(), TICKS.load(Relaxed) + *self.awaited_ticks);
        while TICKS.load(Relaxed) < wanted {
            if begin.elapsed() > PATIENCE {
                return Err(Error::failure(format!("{} waits in vain for others", self.name)));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    }

    fn receive(&self) -> Result<String> {
        let mut taken = String::new();
        for receiver in self.receivers.as_deref().unwrap_or_default() {
            for _ in 0..*self.take {
                let Some(message) = receiver.try_receive()? else { break };
                let number = message.find_all::<i32>().next().copied();
                taken += &number.map_or(" ?".to_owned(), |number| format!(" {number}"));
                if let Some(stamp) = message.timestamp().filter(|_| *self.log_stamps) {
                    taken += &format!("@{}/{}", stamp.acqtime, stamp.pubtime);
                }
            }
        }
        Ok(taken)
    }

    fn send(&mut self, context: &TickContext) -> Result<()> {
        for _ in 0..*self.publish {
            for transmitter in self.transmitters.as_deref().unwrap_or_default() {
                let mut message = context.new_message()?;
                message.add("number", self.next)?;
                transmitter.publish(message, context.now() + *self.ahead)?;
            }
            self.next += 1;
        }
        Ok(())
    }
}

impl Codelet for Probe {
    fn initialize(&mut self, context: &ComponentContext) -> Result<()> {
        self.name = context.name();
        self.trouble().pass(&self.name, "initialize", "")
    }

    fn start(&mut self, _context: &TickContext) -> Result<()> {
        if let Some(file) = self.start_after.as_deref() {
            gxf::info!("probe {} waits for {file}", self.name);
            while !std::path::Path::new(file).exists() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        self.trouble().pass(&self.name, "start", "")
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        TICKS.fetch_add(1, Relaxed);
        let mut details = self.receive()?;
        if *self.log_time {
            details += &format!(" at {}", context.now());
        }
        if *self.log_thread {
            // The host's standard library knows the name, this one does not.
            let name = std::fs::read_to_string("/proc/thread-self/comm").unwrap_or_default();
            details += &format!(" on {}", name.trim_end());
        }
        gxf::info!("probe {} tick{details}", self.name);
        self.send(context)?;
        if let Some(clock) = self.clock.as_ref().filter(|_| context.is_first_tick()) {
            clock.sleep_for(*self.first_sleep)?;
        }
        if context.count() == *self.await_at_tick {
            self.await_others()?;
        }
        if context.count() == *self.switch_off_at_tick
            && let Some(switch) = &*self.switch
        {
            switch.set_tick_enabled(false)?;
        }
        if context.count() == *self.trouble_at_tick {
            self.trouble().strike(&self.name, "tick")?;
        }
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.trouble().pass(&self.name, "stop", "")
    }

    fn deinitialize(&mut self, _context: &ComponentContext) -> Result<()> {
        self.trouble().pass(&self.name, "deinitialize", "")
    }
}

/// A component that is not a codelet and logs its two calls.
#[derive(Component, Default)]
#[component(lifecycle)]
struct Part {
    /// Stage that returns an error.
    fail_in: Parameter<Option<String>>,
    /// Stage that panics.
    panic_in: Parameter<Option<String>>,
    /// How long `initialize` takes.
    #[parameter(unit = "ms", default = 0)]
    initialize_takes: Parameter<u64>,
}

/// A component that never exists: its construction does not return.
#[derive(Component)]
struct Unborn {
    /// Never set.
    nothing: Parameter<Option<i32>>,
}

impl Default for Unborn {
    fn default() -> Self {
        gxf::info!("probe unborn create");
        loop {
            std::thread::park();
        }
    }
}

impl Part {
    fn pass(&self, context: &ComponentContext, stage: &str) -> Result<()> {
        let trouble = Trouble {
            fail_in: self.fail_in.as_deref(),
            panic_in: self.panic_in.as_deref(),
            hang_in: None,
        };
        trouble.pass(&context.name(), stage, "")
    }
}

impl Lifecycle for Part {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        std::thread::sleep(std::time::Duration::from_millis(*self.initialize_takes));
        self.pass(context, "initialize")
    }

    fn deinitialize(&self, context: &ComponentContext) -> Result<()> {
        self.pass(context, "deinitialize")
    }
}

/// A term that says WAIT a number of times before each READY and announces nothing, so the
/// scheduler must poll it.
#[derive(Component, Default)]
struct PolledTerm {
    /// How often it says WAIT before it says READY.
    #[parameter(default = 0, minimum = 0)]
    waits: Parameter<i64>,
    /// Whether checking it fails.
    #[parameter(default = false)]
    fail: Parameter<bool>,
    asked: AtomicI64,
}

// Only the executing thread calls a term, hence the relaxed orderings.
impl implement::SchedulingTerm for PolledTerm {
    fn check(&self, now: i64) -> Result<Condition> {
        if *self.fail {
            return Err(Error::failure("the term fails, as `fail` says"));
        }
        let condition_type = if self.asked.fetch_add(1, Relaxed) < *self.waits {
            ConditionType::WAIT
        } else {
            ConditionType::READY
        };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        self.asked.store(0, Relaxed);
        Ok(())
    }
}

gxf_ext_factory! {
    id: 0x4b7c52f19d8e4a60, 0xa1f3e5c70b926d48;
    name: "LifecycleProbeExtension";
    version: "1.0.0";
    description: "Components that log every call they get and fail on demand";
    license: "Apache-2.0";
    components: [
        Probe: Codelet {
            id: 0x7e1a94c30f5d4b82, 0x96c8b2e4d1a70f35;
            name: "gxe::test::Probe";
        },
        Part: Component {
            id: 0x1d6b83f2a7c94e50, 0x8f40e9d5c3b26a17;
            name: "gxe::test::Part";
        },
        Unborn: Component {
            id: 0x5c0e3b9a71f84d26, 0xa3d7b1e86c924f05;
            name: "gxe::test::Unborn";
        },
        EventSteps: Codelet {
            id: 0x2ad58e017c6349fb, 0x8e40f7b39d1c65a2;
            name: "gxe::test::EventSteps";
        },
        SpeedStep: Codelet {
            id: 0xf1860c3ba9d24e75, 0xb27d9405e8c16f3a;
            name: "gxe::test::SpeedStep";
        },
        PortScript: Codelet {
            id: 0x91c4d07be35a4f18, 0xa6e2508fc7d13b94;
            name: "gxe::test::PortScript";
        },
        Ender: Codelet {
            id: 0x5a28998c81e32923, 0x1022e1ab35d0f618;
            name: "gxe::test::Ender";
        },
        OwnTensorSerializer: ComponentSerializer {
            id: 0x2b94d0e8f7613ac5, 0x8d17f04b6e92c35a;
            name: "gxe::test::OwnTensorSerializer";
        },
        PolledTerm: SchedulingTerm {
            id: 0x93f2d7a6504b4c1e, 0xb5a81c6e9f03d274;
            name: "gxe::test::PolledTerm";
        },
    ];
}
