//! `SourceTick`, `Tick`, `AccumulateTick` and `Sink`.

use crate::own_term::{OwnTerm, own_term, ready_if};
use crate::wiring;
use gxe_columns::{has_message, is_only_end};
use gxf::SharedCodelet;
use gxf::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Publishes messages without a payload, which start what is behind it. It is its own scheduling
/// term, and ends after a number of messages.
#[derive(Component, Default)]
pub struct SourceTick {
    /// Transmitter for the messages.
    output: Parameter<Handle<Transmitter>>,
    /// Number of messages; 0 for no end.
    #[parameter(default = 1)]
    count: Parameter<u64>,
    sent: AtomicU64,
}

impl SharedCodelet for SourceTick {
    fn start(&self, _context: &TickContext) -> Result<()> {
        self.sent.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        self.sent.fetch_add(1, Ordering::Relaxed);
        self.output.publish(context.new_message()?, context.now())
    }
}

impl OwnTerm for SourceTick {
    fn condition(&self) -> ConditionType {
        match *self.count {
            0 => ConditionType::READY,
            count if self.sent.load(Ordering::Relaxed) < count => ConditionType::READY,
            _ => ConditionType::NEVER,
        }
    }

    fn receivers(&self, _each: &mut dyn FnMut(&Handle<Receiver>)) {}
}
own_term!(SourceTick);

/// Takes a message from each of its receivers and then publishes one without a payload: what is
/// behind it comes after everything before it. The mere end of a stream starts nothing.
#[derive(Component, Default)]
pub struct Tick {
    /// Receivers for messages of any kind.
    inputs: Parameter<Vec<Handle<Receiver>>>,
    /// Transmitter for the messages.
    output: Parameter<Handle<Transmitter>>,
}

impl Codelet for Tick {
    fn check_parameters(&self) -> Result<()> {
        wiring::inputs(&self.inputs)
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut is_complete = true;
        for input in self.inputs.iter() {
            is_complete &= !is_only_end(&input.receive()?);
        }
        if !is_complete {
            return Ok(());
        }
        self.output.publish(context.new_message()?, context.now())
    }
}

/// Publishes a message without a payload for every so many that it receives. The mere end of a stream
/// does not count.
#[derive(Component, Default)]
pub struct AccumulateTick {
    /// Receiver for messages of any kind.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the messages.
    output: Parameter<Handle<Transmitter>>,
    /// Messages received for each one published.
    #[parameter(minimum = 1)]
    count: Parameter<u64>,
    received: u64,
}

impl Codelet for AccumulateTick {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.received = 0;
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        if is_only_end(&self.input.receive()?) {
            return Ok(());
        }
        self.received += 1;
        if self.received < *self.count {
            return Ok(());
        }
        self.received = 0;
        self.output.publish(context.new_message()?, context.now())
    }
}

/// Takes messages from all of its receivers, as they arrive, and does nothing with them. It is its own
/// scheduling term.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Sink {
    /// Receivers for messages of any kind.
    inputs: Parameter<Vec<Handle<Receiver>>>,
}

impl Lifecycle for Sink {
    fn check_parameters(&self) -> Result<()> {
        wiring::inputs(&self.inputs)
    }
}

impl SharedCodelet for Sink {
    fn tick(&self, _context: &TickContext) -> Result<()> {
        for input in self.inputs.iter() {
            drop(input.try_receive()?);
        }
        Ok(())
    }
}

impl OwnTerm for Sink {
    fn condition(&self) -> ConditionType {
        ready_if(self.inputs.iter().any(|input| has_message(input)))
    }

    fn receivers(&self, each: &mut dyn FnMut(&Handle<Receiver>)) {
        self.inputs.try_get().into_iter().flatten().for_each(each);
    }
}
own_term!(Sink);
