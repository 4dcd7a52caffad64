//! `Accumulate`, `Pack` and `InputWise`.

use crate::own_term::{OwnTerm, own_term, ready_if};
use crate::sum::{Sum, packed};
use crate::{is_tensor, wiring, without_tensors};
use gxe_columns::acquisition;
use gxe_columns::has_message;
use gxe_columns::{end_message, is_last, is_only_end, mark_last};
use gxf::SharedCodelet;
use gxf::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tells those behind a stream that it ended, after a group of messages that is not complete and comes
/// to nothing.
fn end_if_last(message: &Message, output: &Transmitter, context: &TickContext) -> Result<()> {
    match is_last(message) {
        true => output.publish(end_message(context)?, acquisition(message, context)),
        false => Ok(()),
    }
}

/// One message for several: their tensors, one behind the other in the first dimension; other payloads
/// are those of the first.
pub fn joined(messages: &[Message], context: &TickContext) -> Result<Message> {
    let first = &messages[0];
    let mut message = context.new_message()?;
    message.share_payloads(first)?;
    let mut message = without_tensors(message)?;
    for payload in first.payloads().filter(is_tensor) {
        message.add(payload.name, packed(messages, payload.name)?)?;
    }
    Ok(message)
}

/// Adds up messages, payload by payload, and publishes the sum of every so many. Tensors of float64,
/// float32, int64, int32 and uint8 and single numbers have sums; integers wrap around.
#[derive(Component, Default)]
pub struct Accumulate {
    /// Receiver for the messages.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the sums.
    output: Parameter<Handle<Transmitter>>,
    /// Messages in a sum.
    #[parameter(minimum = 1)]
    count: Parameter<u64>,
    sum: Sum,
}

impl Codelet for Accumulate {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.sum = Sum::default();
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        if is_only_end(&message) {
            return self.output.publish_as_is(message);
        }
        self.sum.add(&message)?;
        if self.sum.count < *self.count {
            return end_if_last(&message, &self.output, context);
        }
        self.output.publish(self.sum.take(context)?, acquisition(&message, context))
    }
}

/// Collects messages and publishes every so many as one, whose tensors are theirs, one behind the other
/// in the first dimension. Other payloads are those of the first. `gxe::actors::Unpack` does the
/// opposite.
#[derive(Component, Default)]
pub struct Pack {
    /// Receiver for messages with tensors.
    #[parameter(carries = Tensor)]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the packed messages.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Messages in one.
    #[parameter(minimum = 1)]
    count: Parameter<u64>,
    collected: Vec<Message>,
}

impl Codelet for Pack {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.collected.clear();
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let received = self.input.receive()?;
        if is_only_end(&received) {
            return self.output.publish_as_is(received);
        }
        self.collected.push(received.clone());
        if (self.collected.len() as u64) < *self.count {
            return end_if_last(&received, &self.output, context);
        }
        let collected = std::mem::take(&mut self.collected);
        let first = &collected[0];
        let mut message = joined(&collected, context)?;
        if is_last(&received) && !is_last(first) {
            mark_last(&mut message)?;
        }
        self.output.publish(message, acquisition(first, context))
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.collected.clear();
        Ok(())
    }
}

/// Adds up one message of each receiver, in the order in which they arrive, and publishes the sum when
/// it has one of each. Payloads have sums as in `gxe::actors::Accumulate`. It is its own scheduling
/// term.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct InputWise {
    /// Receivers for the messages.
    inputs: Parameter<Vec<Handle<Receiver>>>,
    /// Transmitter for the sums.
    output: Parameter<Handle<Transmitter>>,
    round: Mutex<Round>,
}

/// What was received of each input since the last sum.
#[derive(Default)]
struct Round {
    handled: Vec<bool>,
    sum: Sum,
    /// Whether an input ended without a message for the sum, which then comes to nothing.
    is_short: bool,
}

impl InputWise {
    fn round(&self) -> MutexGuard<'_, Round> {
        self.round.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lifecycle for InputWise {
    fn check_parameters(&self) -> Result<()> {
        wiring::inputs(&self.inputs)
    }
}

impl SharedCodelet for InputWise {
    fn start(&self, _context: &TickContext) -> Result<()> {
        *self.round() = Round { handled: vec![false; self.inputs.len()], ..Round::default() };
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut round = self.round();
        for (index, input) in self.inputs.iter().enumerate() {
            if !round.handled[index]
                && let Some(message) = input.try_receive()?
            {
                round.handled[index] = true;
                if is_only_end(&message) {
                    round.is_short = true;
                    continue;
                }
                round
                    .sum
                    .add(&message)
                    .map_err(|error| error.context(format!("inputs[{index}]")))?;
            }
        }
        if round.handled.contains(&false) {
            return Ok(());
        }
        round.handled.fill(false);
        let sum = round.sum.take(context)?;
        let sum = if std::mem::take(&mut round.is_short) { end_message(context)? } else { sum };
        drop(round);
        self.output.publish(sum, context.now())
    }
}

impl OwnTerm for InputWise {
    fn condition(&self) -> ConditionType {
        let round = self.round();
        let is_handled = |index: usize| round.handled.get(index).copied().unwrap_or_default();
        let mut inputs = self.inputs.iter().enumerate();
        ready_if(inputs.any(|(index, input)| !is_handled(index) && has_message(input)))
    }

    fn receivers(&self, each: &mut dyn FnMut(&Handle<Receiver>)) {
        self.inputs.try_get().into_iter().flatten().for_each(each);
    }
}
own_term!(InputWise);
