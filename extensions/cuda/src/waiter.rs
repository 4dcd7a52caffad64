//! How terms wait for a device.

use gxf::prelude::*;
use gxf::{ContextHandle, Uid, WakeToken};
use gxf_device::{Action, Point, poll_until_done, when_done};
use parking_lot::Mutex;

/// How soon an entity is woken after the device has reached what it waits for.
#[derive(ParameterEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Latency {
    /// `normal`: the driver calls back.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    normal,
    /// `low`: a thread polls the device.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    low,
}

/// What a term waits for. Only the thread that executes the entity calls it; the lock is for wake-ups
/// from others.
#[derive(Default)]
pub struct Waiter {
    context: Mutex<Option<ContextHandle>>,
    /// What a wake-up was requested for: a message, since events of others may get the same address, and
    /// [`Point::mark`].
    asked: Mutex<Option<(Uid, (usize, u64))>>,
}

/// The oldest message of a receiver, in either stage.
pub fn head(receiver: &Receiver) -> Option<Message> {
    receiver.peek(0).or_else(|_| receiver.peek_back(0)).ok()
}

impl Waiter {
    /// Lets terms wake their entity.
    pub fn open(&self, context: &ComponentContext) {
        *self.context.lock() = Some(context.handle());
        *self.asked.lock() = None;
    }

    fn token(&self) -> Result<WakeToken> {
        let context = self.context.lock();
        context.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?.wake_token()
    }

    /// Whether no wake-up was requested yet for what an entity waits for now.
    fn needs_wake_up(&self, message: Uid, mark: (usize, u64)) -> bool {
        self.asked.lock().replace((message, mark)) != Some((message, mark))
    }

    /// READY once all points of a message are reached, else WAIT_EVENT with a wake-up on its way.
    ///
    /// # Errors
    /// If the device failed.
    pub fn condition<'a>(
        &self,
        message: &Message,
        points: impl Iterator<Item = Point<'a>>,
        latency: Latency,
        now: i64,
    ) -> Result<Condition> {
        for point in points {
            if point.is_done()? {
                continue;
            }
            // Asks without the lock: the wake-up may come before the call returns.
            if self.needs_wake_up(message.eid(), point.mark()) {
                let wake = Action::Wake(self.token()?);
                match latency {
                    Latency::normal => when_done(point, wake)?,
                    Latency::low => poll_until_done(point, wake)?,
                }
            }
            return Ok(condition(ConditionType::WAIT_EVENT, now));
        }
        *self.asked.lock() = None;
        Ok(condition(ConditionType::READY, now))
    }
}

/// A condition since `now`.
pub fn condition(condition_type: ConditionType, now: i64) -> Condition {
    Condition { condition_type, target: now }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_message_has_a_wake_up_of_its_own() {
        let waiter = Waiter::default();
        let event = (0x1000, 0);
        assert!(waiter.needs_wake_up(1, event));
        assert!(!waiter.needs_wake_up(1, event), "it is on its way");
        assert!(waiter.needs_wake_up(3, event), "the event was that of a message which is gone");
        assert!(waiter.needs_wake_up(3, (0x1000, 1)), "recorded another time");
    }
}
