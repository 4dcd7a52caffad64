//! `Repeat` and `Unpack`.

use crate::own_term::{OwnTerm, own_term, ready_if};
use crate::{is_end, is_tensor, without_end, without_tensors};
use gxe_columns::acquisition;
use gxe_columns::bad_data;
use gxe_columns::{has_message, is_only_end};
use gxf::SharedCodelet;
use gxf::prelude::*;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A message of which some are made, and how many were.
#[derive(Default)]
struct Held {
    message: Option<Message>,
    made: u64,
}

fn lock(held: &Mutex<Held>) -> MutexGuard<'_, Held> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Held {
    /// The message and the number of the next one that is made of it, of `count`; receives one if
    /// there is none. The mere end of a stream is the last one already.
    fn next(&mut self, input: &Receiver, count: u64) -> Result<Option<(Message, u64)>> {
        let message = match self.message.take() {
            Some(message) => message,
            None => match input.try_receive()? {
                Some(message) if is_only_end(&message) => return Ok(Some((message, count - 1))),
                Some(message) => message,
                None => return Ok(None),
            },
        };
        let number = self.made;
        self.made += 1;
        if self.made < count {
            self.message = Some(message.clone());
        } else {
            self.made = 0;
        }
        Ok(Some((message, number)))
    }
}

/// Publishes each message several times, one at an execution, before it takes the next. The copies
/// share the memory of the message, which is free when the last of them has been read. It is its own
/// scheduling term.
#[derive(Component, Default)]
pub struct Repeat {
    /// Receiver for messages of any kind.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the messages.
    output: Parameter<Handle<Transmitter>>,
    /// How often each message is published.
    #[parameter(minimum = 1)]
    count: Parameter<u64>,
    held: Mutex<Held>,
}

impl SharedCodelet for Repeat {
    fn start(&self, _context: &TickContext) -> Result<()> {
        *lock(&self.held) = Held::default();
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let Some((message, number)) = lock(&self.held).next(&self.input, *self.count)? else {
            return Ok(());
        };
        if number + 1 == *self.count || !message.payloads().any(|payload| is_end(&payload)) {
            return self.output.publish_as_is(message);
        }
        self.output.publish(without_end(&message, context)?, acquisition(&message, context))
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        *lock(&self.held) = Held::default();
        Ok(())
    }
}

impl OwnTerm for Repeat {
    fn condition(&self) -> ConditionType {
        ready_if(lock(&self.held).message.is_some() || has_message(&self.input))
    }

    fn receivers(&self, each: &mut dyn FnMut(&Handle<Receiver>)) {
        self.input.try_get().into_iter().for_each(each);
    }
}
own_term!(Repeat);

/// Publishes each message in parts, one at an execution: the first dimension of its tensors is
/// divided, other payloads stay as they are. The parts share the memory of the message. It is its own
/// scheduling term; `gxe::actors::Pack` does the opposite.
#[derive(Component, Default)]
pub struct Unpack {
    /// Receiver for messages with tensors.
    #[parameter(carries = Tensor)]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the parts.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Number of parts of a message.
    #[parameter(minimum = 1)]
    count: Parameter<u64>,
    held: Mutex<Held>,
}

/// Part `number` of `count` of a message.
fn part(message: &Message, context: &TickContext, number: u64, count: u64) -> Result<Message> {
    let mut result = context.new_message()?;
    match number + 1 == count {
        true => result.share_payloads(message)?,
        false => result = without_end(message, context)?,
    }
    let mut result = without_tensors(result)?;
    for payload in message.payloads().filter(is_tensor) {
        let name = payload.name;
        let tensor = Tensor::of_message(message, name)?;
        let rows = tensor.shape().dimensions().first().copied().unwrap_or(0);
        let length = i32::try_from(count).ok().filter(|count| rows % count == 0);
        let Some(length) = length.map(|count| rows / count).filter(|_| tensor.rank() > 0) else {
            return Err(bad_data(format!(
                "tensor `{name}` of {} cannot be divided into {count} equal parts",
                tensor.shape()
            )));
        };
        let begin = length * number as i32;
        result.add(name, tensor.slice(0, begin..begin + length)?)?;
    }
    Ok(result)
}

impl SharedCodelet for Unpack {
    fn start(&self, _context: &TickContext) -> Result<()> {
        *lock(&self.held) = Held::default();
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let Some((message, number)) = lock(&self.held).next(&self.input, *self.count)? else {
            return Ok(());
        };
        let part = part(&message, context, number, *self.count)?;
        self.output.publish(part, acquisition(&message, context))
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        *lock(&self.held) = Held::default();
        Ok(())
    }
}

impl OwnTerm for Unpack {
    fn condition(&self) -> ConditionType {
        ready_if(lock(&self.held).message.is_some() || has_message(&self.input))
    }

    fn receivers(&self, each: &mut dyn FnMut(&Handle<Receiver>)) {
        self.input.try_get().into_iter().for_each(each);
    }
}
own_term!(Unpack);
