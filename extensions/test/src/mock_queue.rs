//! `MockTransmitter`, `MockReceiver`: queues that fail on demand and report messages that never
//! left.
//!
//! As in GXF, both have one stage: a pushed message is available without a sync.

use gxf::prelude::*;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A transmitter for tests. It keeps messages in order, fails on demand, and reports at
/// deinitialize messages that never left.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MockTransmitter {
    /// Accepts remaining messages at deinitialize instead of failing.
    #[parameter(default = false)]
    ignore_unpublished_entities: Parameter<bool>,
    /// Fails every publication.
    #[parameter(default = false)]
    fail_on_publish: Parameter<bool>,
    /// Fails every sync.
    #[parameter(default = false)]
    fail_on_sync: Parameter<bool>,
    /// Capacity, in messages.
    #[parameter(default = u64::MAX, minimum = 1)]
    max_capacity: Parameter<u64>,
    messages: Messages,
}

/// A receiver for tests. It keeps messages in order, fails on demand, and reports at deinitialize
/// messages that nobody received.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MockReceiver {
    /// Accepts remaining messages at deinitialize instead of failing.
    #[parameter(default = false)]
    ignore_unreceived_entities: Parameter<bool>,
    /// Fails every attempt to receive.
    #[parameter(default = false)]
    fail_on_receive: Parameter<bool>,
    /// Fails every sync.
    #[parameter(default = false)]
    fail_on_sync: Parameter<bool>,
    /// Capacity, in messages.
    #[parameter(default = u64::MAX, minimum = 1)]
    max_capacity: Parameter<u64>,
    messages: Messages,
}

/// The messages of a queue.
#[derive(Default)]
struct Messages(Mutex<VecDeque<Message>>);

impl Messages {
    /// The queue stays consistent at every step, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, VecDeque<Message>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, message: Message, capacity: u64) -> Result<()> {
        let mut messages = self.lock();
        if messages.len() as u64 >= capacity {
            return Err(Error::new(
                ResultCode::EXCEEDING_PREALLOCATED_SIZE,
                format!("the mock queue holds its `max_capacity` of {capacity} messages"),
            ));
        }
        messages.push_back(message);
        Ok(())
    }

    fn pop(&self) -> Result<Message> {
        self.lock().pop_front().ok_or_else(none)
    }

    fn peek(&self, index: i32) -> Result<Message> {
        let message = usize::try_from(index).ok().and_then(|index| self.lock().get(index).cloned());
        message.ok_or_else(none)
    }

    /// Drops the remaining messages and returns their number.
    fn drain(&self) -> usize {
        std::mem::take(&mut *self.lock()).len()
    }
}

fn none() -> Error {
    Error::new(ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE, "the mock queue has no such message")
}

fn on_demand(parameter: &str) -> Error {
    Error::failure(format!("the mock queue fails because `{parameter}` is set"))
}

fn capacity(max_capacity: u64) -> usize {
    usize::try_from(max_capacity).unwrap_or(usize::MAX)
}

impl Lifecycle for MockTransmitter {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        match self.messages.drain() {
            left if left > 0 && !*self.ignore_unpublished_entities => Err(Error::failure(format!(
                "{left} messages never left the mock transmitter; \
                 set `ignore_unpublished_entities` if that is fine"
            ))),
            _ => Ok(()),
        }
    }
}

/// Shared by both mock queues.
macro_rules! mock_queue {
    ($type:ty) => {
        impl implement::Queue for $type {
            fn push(&self, message: Message) -> Result<()> {
                self.messages.push(message, *self.max_capacity)
            }

            fn pop(&self) -> Result<Message> {
                self.messages.pop()
            }

            fn peek(&self, index: i32) -> Result<Message> {
                self.messages.peek(index)
            }

            fn capacity(&self) -> usize {
                capacity(*self.max_capacity)
            }

            fn message_count(&self) -> usize {
                self.messages.lock().len()
            }

            fn back_count(&self) -> usize {
                0
            }

            fn sync(&self) -> Result<()> {
                if *self.fail_on_sync {
                    return Err(on_demand("fail_on_sync"));
                }
                Ok(())
            }
        }
    };
}

mock_queue!(MockTransmitter);
mock_queue!(MockReceiver);

impl implement::Transmitter for MockTransmitter {
    fn publish_as_is(&self, message: Message) -> Result<()> {
        if *self.fail_on_publish {
            return Err(on_demand("fail_on_publish"));
        }
        self.messages.push(message, *self.max_capacity)
    }
}

impl Lifecycle for MockReceiver {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        match self.messages.drain() {
            left if left > 0 && !*self.ignore_unreceived_entities => Err(Error::failure(format!(
                "{left} messages were never taken from the mock receiver; \
                 set `ignore_unreceived_entities` if that is fine"
            ))),
            _ => Ok(()),
        }
    }
}

impl implement::Receiver for MockReceiver {
    fn receive(&self) -> Result<Message> {
        if *self.fail_on_receive {
            return Err(on_demand("fail_on_receive"));
        }
        self.messages.pop()
    }

    fn peek_back(&self, _index: i32) -> Result<Message> {
        Err(none())
    }
}
