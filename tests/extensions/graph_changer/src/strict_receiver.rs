//! A receiver that takes offence at being called when it is not initialised, as one would whose memory
//! is there from `initialize` to `deinitialize` only.

use gxf::implement;
use gxf::prelude::*;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Holds any number of messages.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct StrictReceiver {
    stages: Mutex<Option<Stages>>,
}

#[derive(Default)]
struct Stages {
    main: VecDeque<Message>,
    back: VecDeque<Message>,
}

impl StrictReceiver {
    fn lock(&self) -> MutexGuard<'_, Option<Stages>> {
        self.stages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with<T>(&self, function: &str, action: impl FnOnce(&mut Stages) -> T) -> Option<T> {
        let result = self.lock().as_mut().map(action);
        if result.is_none() {
            gxf::error!("strict receiver: {function} while it is not initialised");
        }
        result
    }

    fn taken(
        &self,
        function: &str,
        action: impl FnOnce(&mut Stages) -> Option<Message>,
    ) -> Result<Message> {
        let message = self.with(function, action).flatten();
        message.ok_or_else(|| ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE.into())
    }
}

impl Lifecycle for StrictReceiver {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.lock() = Some(Stages::default());
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        // Messages are dropped without the lock.
        let stages = self.lock().take();
        drop(stages);
        Ok(())
    }
}

impl implement::Queue for StrictReceiver {
    fn push(&self, message: Message) -> Result<()> {
        self.with("push", |stages| stages.back.push_back(message));
        Ok(())
    }

    fn pop(&self) -> Result<Message> {
        self.taken("pop", |stages| stages.main.pop_front())
    }

    fn peek(&self, index: i32) -> Result<Message> {
        let index = usize::try_from(index).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        self.taken("peek", |stages| stages.main.get(index).cloned())
    }

    fn capacity(&self) -> usize {
        usize::MAX
    }

    fn message_count(&self) -> usize {
        self.with("message_count", |stages| stages.main.len()).unwrap_or_default()
    }

    fn back_count(&self) -> usize {
        self.with("back_count", |stages| stages.back.len()).unwrap_or_default()
    }

    fn sync(&self) -> Result<()> {
        self.with("sync", |stages| stages.main.append(&mut stages.back));
        Ok(())
    }
}

impl implement::Receiver for StrictReceiver {
    fn receive(&self) -> Result<Message> {
        implement::Queue::pop(self)
    }

    fn peek_back(&self, index: i32) -> Result<Message> {
        let index = usize::try_from(index).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        self.taken("peek_back", |stages| stages.back.get(index).cloned())
    }
}
