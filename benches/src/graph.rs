//! The graphs: app documents without the scheduler.

use crate::Scheduler;
use std::fmt::Write;

/// How the stages of a graph are scheduled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Terms {
    /// `MessageAvailable` at every receiver. Without back-pressure, only the order of the greedy
    /// scheduler keeps such a chain from losing messages.
    MessageAvailable,
    /// Also `DownstreamReceptive` at every transmitter, which adds back-pressure.
    WithBackPressure,
}

/// One entity of a graph.
struct Stage<'a> {
    yaml: &'a mut String,
    kind: &'static str,
    parameters: Vec<&'static str>,
}

impl<'a> Stage<'a> {
    fn new(yaml: &'a mut String, name: &str, kind: &'static str) -> Self {
        let _ = write!(yaml, "---\nname: {name}\ncomponents:\n");
        Self { yaml, kind, parameters: Vec::new() }
    }

    fn receiver(mut self, capacity: usize) -> Self {
        let _ = write!(
            self.yaml,
            "- name: input
  type: nvidia::gxf::DoubleBufferReceiver
  parameters: {{capacity: {capacity}}}
- type: nvidia::gxf::MessageAvailableSchedulingTerm
  parameters: {{receiver: input, min_size: 1}}
"
        );
        self.parameters.push("input: input");
        self
    }

    fn transmitter(mut self, terms: Terms) -> Self {
        self.yaml.push_str(
            "- name: output
  type: nvidia::gxf::DoubleBufferTransmitter
  parameters: {capacity: 2}
",
        );
        if terms == Terms::WithBackPressure {
            self.yaml.push_str(
                "- type: nvidia::gxf::DownstreamReceptiveSchedulingTerm
  parameters: {transmitter: output, min_size: 1}
",
            );
        }
        self.parameters.push("output: output");
        self
    }

    fn count(self, messages: u64) -> Self {
        let _ = write!(
            self.yaml,
            "- type: nvidia::gxf::CountSchedulingTerm\n  parameters: {{count: {messages}}}\n"
        );
        self
    }

    fn pinned(self) -> Self {
        self.yaml.push_str("- type: nvidia::gxf::CPUThread\n  parameters: {pin_entity: true}\n");
        self
    }

    /// Writes the codelet last, after its receivers.
    fn end(self) {
        let parameters = self.parameters.join(", ");
        let _ = write!(self.yaml, "- type: bench::{}\n  parameters: {{{parameters}}}\n", self.kind);
    }
}

fn connect(yaml: &mut String, source: &str, target: &str) {
    let _ = write!(
        yaml,
        "---\ncomponents:\n- type: nvidia::gxf::Connection\n  parameters: {{source: \
         {source}/output, target: {target}/input}}\n"
    );
}

/// A chain of `stages` entities. The first publishes `messages` messages. Entity names start with
/// `name`.
#[must_use]
pub fn chain(name: &str, stages: usize, messages: u64, terms: Terms) -> String {
    let mut yaml = String::new();
    for stage in 0..stages {
        let own = format!("{name}_{stage}");
        if stage == 0 {
            Stage::new(&mut yaml, &own, "Source").transmitter(terms).count(messages).end();
            continue;
        }
        if stage + 1 < stages {
            Stage::new(&mut yaml, &own, "Pass").receiver(2).transmitter(terms).end();
        } else {
            Stage::new(&mut yaml, &own, "Sink").receiver(2).end();
        }
        connect(&mut yaml, &format!("{name}_{}", stage - 1), &own);
    }
    yaml
}

/// A chain in which all stages but the first and the last work for some nanoseconds in each tick.
#[must_use]
pub fn with_work(chain: &str, nanoseconds: u64) -> String {
    let work = format!("type: bench::Work\n  parameters: {{nanoseconds: {nanoseconds}, ");
    chain.replace("type: bench::Pass\n  parameters: {", &work)
}

/// A source connected to `width` sinks.
#[must_use]
pub fn fan_out(width: usize, messages: u64) -> String {
    let mut yaml = String::new();
    Stage::new(&mut yaml, "source", "Source")
        .transmitter(Terms::WithBackPressure)
        .count(messages)
        .end();
    for number in 0..width {
        let sink = format!("sink_{number}");
        Stage::new(&mut yaml, &sink, "Sink").receiver(2).end();
        connect(&mut yaml, "source", &sink);
    }
    yaml
}

/// `width` sources connected to one receiver.
#[must_use]
pub fn fan_in(width: usize, messages: u64) -> String {
    let mut yaml = String::new();
    // Room for all that the sources may send before the first message is taken.
    Stage::new(&mut yaml, "sink", "Drain").receiver(4 * width).end();
    for number in 0..width {
        let source = format!("source_{number}");
        Stage::new(&mut yaml, &source, "Source")
            .transmitter(Terms::WithBackPressure)
            .count(messages)
            .end();
        connect(&mut yaml, &source, "sink");
    }
    yaml
}

/// `count` independent chains of two.
#[must_use]
pub fn pairs(count: usize, messages: u64) -> String {
    (0..count)
        .map(|number| chain(&format!("pair_{number}"), 2, messages, Terms::WithBackPressure))
        .collect()
}

/// A source and a sink, each on its own thread: every message crosses threads. The sink's receiver
/// has room for 64 messages, or for one where the scheduler says how many instances the register
/// has: there are at least as many as the receiver has room for.
#[must_use]
pub fn crossing(messages: u64, scheduler: Scheduler) -> String {
    let room = if matches!(scheduler, Scheduler::Instances(..)) { 1 } else { 64 };
    let mut yaml = String::new();
    Stage::new(&mut yaml, "source", "Source")
        .transmitter(Terms::WithBackPressure)
        .count(messages)
        .pinned()
        .end();
    Stage::new(&mut yaml, "sink", "Sink").receiver(room).pinned().end();
    connect(&mut yaml, "source", "sink");
    yaml
}

/// `stages` entities that do nothing but tick, `ticks` times. With more workers than one under a static
/// schedule, each waits for the fence of the one before it.
#[must_use]
pub fn turns(stages: usize, ticks: u64) -> String {
    let mut yaml = String::new();
    for stage in 0..stages {
        Stage::new(&mut yaml, &format!("turn_{stage}"), "Idle").count(ticks).end();
    }
    yaml
}

/// `count` entities that wait for messages that never come.
#[must_use]
pub fn idle_entities(count: usize) -> String {
    let mut yaml = String::new();
    for number in 0..count {
        Stage::new(&mut yaml, &format!("idle_{number}"), "Sink").receiver(1).end();
    }
    yaml
}

/// An entity that ticks a thousand times a second for `ticks` ticks and writes how late each was.
#[must_use]
pub fn periodic(ticks: u64, report: &str) -> String {
    format!(
        "---
name: periodic
components:
- type: bench::Metronome
  parameters: {{clock: scheduler/clock, period: 1000000, report: '{report}'}}
- type: nvidia::gxf::PeriodicSchedulingTerm
  parameters: {{recess_period: 1ms}}
- type: nvidia::gxf::CountSchedulingTerm
  parameters: {{count: {ticks}}}
"
    )
}
