//! `MockTransmitter`, `MockReceiver`: queues that fail on demand and notice messages nobody took.
//!
//! Both have the two stages every queue of GXF has; one capacity holds for the stages together,
//! because a mock need not push back before a test wants it to.

use gxf::prelude::*;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A transmitter for tests. It keeps messages in order, fails when told to, and reports at
/// deinitialize that messages never left it.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MockTransmitter {
    /// Accepts messages that are still here at deinitialize instead of failing.
    #[parameter(default = false)]
    ignore_unpublished_entities: Parameter<bool>,
    /// Lets every publication fail.
    #[parameter(default = false)]
    fail_on_publish: Parameter<bool>,
    /// Lets every move from the back stage to the main stage fail.
    #[parameter(default = false)]
    fail_on_sync: Parameter<bool>,
    /// Number of messages both stages hold together.
    #[parameter(default = u64::MAX, minimum = 1)]
    max_capacity: Parameter<u64>,
    stages: Stages,
}

/// A receiver for tests. It keeps messages in order, fails when told to, and reports at
/// deinitialize that messages were never received.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct MockReceiver {
    /// Accepts messages that are still here at deinitialize instead of failing.
    #[parameter(default = false)]
    ignore_unreceived_entities: Parameter<bool>,
    /// Lets every attempt to receive fail.
    #[parameter(default = false)]
    fail_on_receive: Parameter<bool>,
    /// Lets every move from the back stage to the main stage fail.
    #[parameter(default = false)]
    fail_on_sync: Parameter<bool>,
    /// Number of messages both stages hold together.
    #[parameter(default = u64::MAX, minimum = 1)]
    max_capacity: Parameter<u64>,
    stages: Stages,
}

/// The messages of a queue.
#[derive(Default)]
struct Stages(Mutex<Pair>);

#[derive(Default)]
struct Pair {
    main: VecDeque<Message>,
    back: VecDeque<Message>,
}

impl Stages {
    /// The stages stay consistent at every step, so a panic elsewhere does not spoil them.
    fn lock(&self) -> MutexGuard<'_, Pair> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, message: Message, capacity: u64) -> Result<()> {
        let mut pair = self.lock();
        if (pair.main.len() + pair.back.len()) as u64 >= capacity {
            return Err(Error::new(
                ResultCode::EXCEEDING_PREALLOCATED_SIZE,
                format!("the mock queue holds its `max_capacity` of {capacity} messages"),
            ));
        }
        pair.back.push_back(message);
        Ok(())
    }

    fn pop(&self) -> Result<Message> {
        self.lock().main.pop_front().ok_or_else(none)
    }

    fn peek(&self, stage: impl Fn(&Pair) -> &VecDeque<Message>, index: i32) -> Result<Message> {
        let pair = self.lock();
        let message = usize::try_from(index).ok().and_then(|index| stage(&pair).get(index));
        message.cloned().ok_or_else(none)
    }

    fn sync(&self) {
        let Pair { main, back } = &mut *self.lock();
        main.append(back);
    }

    /// Drops what is left and says how much it was.
    fn drain(&self) -> usize {
        let pair = std::mem::take(&mut *self.lock());
        pair.main.len() + pair.back.len()
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
        match self.stages.drain() {
            left if left > 0 && !*self.ignore_unpublished_entities => Err(Error::failure(format!(
                "{left} messages never left the mock transmitter; \
                 set `ignore_unpublished_entities` if that is fine"
            ))),
            _ => Ok(()),
        }
    }
}

/// The part both mock queues share.
macro_rules! mock_queue {
    ($type:ty) => {
        impl implement::Queue for $type {
            fn push(&self, message: Message) -> Result<()> {
                self.stages.push(message, *self.max_capacity)
            }

            fn pop(&self) -> Result<Message> {
                self.stages.pop()
            }

            fn peek(&self, index: i32) -> Result<Message> {
                self.stages.peek(|pair| &pair.main, index)
            }

            fn capacity(&self) -> usize {
                capacity(*self.max_capacity)
            }

            fn message_count(&self) -> usize {
                self.stages.lock().main.len()
            }

            fn back_count(&self) -> usize {
                self.stages.lock().back.len()
            }

            fn sync(&self) -> Result<()> {
                if *self.fail_on_sync {
                    return Err(on_demand("fail_on_sync"));
                }
                self.stages.sync();
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
        self.stages.push(message, *self.max_capacity)
    }
}

impl Lifecycle for MockReceiver {
    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        match self.stages.drain() {
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
        self.stages.pop()
    }

    fn peek_back(&self, index: i32) -> Result<Message> {
        self.stages.peek(|pair| &pair.back, index)
    }
}
