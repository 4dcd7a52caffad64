//! `Case` and `Esac`.

use crate::own_term::{OwnTerm, own_term, ready_if};
use crate::{wiring, without_end};
use gxe_columns::acquisition;
use gxe_columns::has_message;
use gxe_columns::{bad_data, end_message, is_last, is_only_end, mark_last, scalar_of};
use gxf::SharedCodelet;
use gxf::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Publishes each message through the transmitter that a number in it selects. The end of the stream
/// leaves through all of them.
#[derive(Component, Default)]
pub struct Case {
    /// Receiver for messages of any kind with a number.
    input: Parameter<Handle<Receiver>>,
    /// Transmitters: number 0 selects the first.
    outputs: Parameter<Vec<Handle<Transmitter>>>,
    /// Name of the payload with the number.
    #[parameter(default = String::from("index"))]
    index: Parameter<String>,
}

/// Each transmitter once: several numbers may select the same.
fn ways(outputs: &[Handle<Transmitter>]) -> impl Iterator<Item = &Handle<Transmitter>> {
    let is_first = |position: usize, output: &Handle<Transmitter>| {
        outputs[..position].iter().all(|other| other.cid() != output.cid())
    };
    let numbered = outputs.iter().enumerate();
    numbered.filter(move |(position, output)| is_first(*position, output)).map(|(_, output)| output)
}

impl Codelet for Case {
    fn check_parameters(&self) -> Result<()> {
        wiring::some("outputs", "transmitter", &self.outputs)
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let outputs = self.outputs.get();
        if is_only_end(&message) {
            return ways(outputs).try_for_each(|output| output.publish_as_is(message.clone()));
        }
        let name: &str = self.index.get();
        let payload = message.payloads().find(|payload| payload.name == name);
        let Some(number) = payload.and_then(|payload| scalar_of(&message, &payload)) else {
            return Err(bad_data(format!("the message has no number `{name}`")));
        };
        let is_index = number >= 0.0 && number.fract() == 0.0;
        let Some(output) = outputs.get(number as usize).filter(|_| is_index) else {
            // A float holds no large integer exactly.
            let exact = message.try_get::<i64>(name).map(|number| number.to_string());
            let exact = exact.or_else(|| Some(message.try_get::<u64>(name)?.to_string()));
            let number = exact.unwrap_or_else(|| number.to_string());
            return Err(bad_data(format!(
                "`{name}` is {number}, and there are {} outputs",
                outputs.len()
            )));
        };
        if is_last(&message) {
            let time = acquisition(&message, context);
            for other in ways(outputs).filter(|other| other.cid() != output.cid()) {
                other.publish(end_message(context)?, time)?;
            }
        }
        output.publish_as_is(message)
    }
}

/// Publishes the messages of all receivers, as they arrive, with the number of the receiver as the
/// payload `index`. Receivers take turns. It is its own scheduling term; `gxe::actors::Case` does the
/// opposite.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Esac {
    /// Receivers for messages of any kind.
    inputs: Parameter<Vec<Handle<Receiver>>>,
    /// Transmitter for the messages.
    output: Parameter<Handle<Transmitter>>,
    /// Receiver whose turn it is.
    turn: AtomicUsize,
    /// Whether the stream of each receiver has ended. When all have, so does this one.
    ended: Mutex<Vec<bool>>,
}

impl Esac {
    /// The stream of a receiver has ended. Returns whether it was the last one. Several streams may
    /// come to one receiver, each with an end.
    fn note_end(&self, index: usize) -> bool {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        !std::mem::replace(&mut ended[index], true) && !ended.contains(&false)
    }
}

impl Lifecycle for Esac {
    fn check_parameters(&self) -> Result<()> {
        wiring::inputs(&self.inputs)
    }
}

impl SharedCodelet for Esac {
    fn start(&self, _context: &TickContext) -> Result<()> {
        self.turn.store(0, Ordering::Relaxed);
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = vec![false; self.inputs.len()];
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let (turn, count) = (self.turn.load(Ordering::Relaxed), self.inputs.len());
        for index in (turn..turn + count).map(|index| index % count) {
            let Some(received) = self.inputs[index].try_receive()? else { continue };
            self.turn.store((index + 1) % count, Ordering::Relaxed);
            let is_end = is_last(&received) && self.note_end(index);
            if is_only_end(&received) {
                return match is_end {
                    true => self.output.publish_as_is(received),
                    false => Ok(()),
                };
            }
            let mut message = without_end(&received, context)?;
            if is_end {
                mark_last(&mut message)?;
            }
            let old = message.payloads().position(|payload| payload.name == "index");
            if let Some(old) = old {
                message.remove(old)?;
            }
            message.add("index", index as i64)?;
            return self.output.publish(message, acquisition(&received, context));
        }
        Ok(())
    }
}

impl OwnTerm for Esac {
    fn condition(&self) -> ConditionType {
        ready_if(self.inputs.iter().any(|input| has_message(input)))
    }

    fn receivers(&self, each: &mut dyn FnMut(&Handle<Receiver>)) {
        self.inputs.try_get().into_iter().flatten().for_each(each);
    }
}
own_term!(Esac);
