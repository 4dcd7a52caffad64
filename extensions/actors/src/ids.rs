//! `WaitAndSendIds`.

use crate::own_term::{OwnTerm, own_term};
use gxf::SharedCodelet;
use gxf::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Publishes numbers, such as those of the pieces of work that a program hands out, each as the payload
/// `id`, and waits for more until it is told that no more come. It is its own scheduling term.
#[derive(Component, Default)]
pub struct WaitAndSendIds {
    /// Transmitter for the numbers.
    #[parameter(carries = i64)]
    output: Parameter<Handle<Transmitter>>,
    /// The numbers. A longer list that is set during the run continues behind what was sent.
    #[parameter(dynamic)]
    ids: Parameter<Vec<i64>>,
    /// Whether no more numbers come: then the entity ends after the last one.
    #[parameter(default = true, dynamic)]
    closed: Parameter<bool>,
    sent: AtomicUsize,
}

impl SharedCodelet for WaitAndSendIds {
    fn start(&self, _context: &TickContext) -> Result<()> {
        self.sent.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let position = self.sent.load(Ordering::Relaxed);
        // The first tick comes before the list is looked at.
        let Some(id) = self.ids.get().get(position) else { return Ok(()) };
        let mut message = context.new_message()?;
        message.add("id", *id)?;
        self.sent.store(position + 1, Ordering::Relaxed);
        self.output.publish(message, context.now())
    }
}

impl OwnTerm for WaitAndSendIds {
    fn condition(&self) -> ConditionType {
        match self.sent.load(Ordering::Relaxed) < self.ids.len() {
            true => ConditionType::READY,
            false if *self.closed => ConditionType::NEVER,
            false => ConditionType::WAIT_EVENT,
        }
    }

    fn receivers(&self, _each: &mut dyn FnMut(&Handle<Receiver>)) {}
}
own_term!(WaitAndSendIds);
