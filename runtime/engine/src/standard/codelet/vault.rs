//! `Vault`: passes messages to the program that runs the graph.

use gxf::prelude::*;
use gxf::{Callback, SharedCodelet, implement};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Keeps what arrives until the program around the graph takes it, through the interface `Vault`.
/// What was taken belongs to the program; dropping it gives it back.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct Vault {
    /// Receiver that the messages arrive in.
    #[parameter(headline = "Source")]
    source: Parameter<Handle<Receiver>>,
    /// Most messages to keep waiting.
    #[parameter(headline = "Maximum waiting count")]
    max_waiting_count: Parameter<u64>,
    /// What happens when more arrive: true drops the oldest waiting ones, false leaves the new ones
    /// in the receiver.
    #[parameter(headline = "Drop waiting")]
    drop_waiting: Parameter<bool>,
    /// Kept for applications written for GXF; see `enable_callback`.
    #[parameter(headline = "Callback address", default = 0)]
    callback_address: Parameter<i64>,
    /// In GXF true calls the function at `callback_address` after each tick. Here any address but 0
    /// is an error: one in a file cannot be trusted. Programs hand their function to the vault
    /// itself, in C++ with `Vault::setCallback`, and it is called whatever this says.
    #[parameter(headline = "Enable callback", default = false)]
    enable_callback: Parameter<bool>,
    waiting: Mutex<Waiting>,
    arrived: Condvar,
    callback: Mutex<Option<Arc<Callback>>>,
}

#[derive(Default)]
struct Waiting {
    messages: VecDeque<Message>,
    /// The graph runs, so more messages may arrive.
    open: bool,
}

impl Lifecycle for Vault {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        if *self.enable_callback.get() && *self.callback_address.get() != 0 {
            return Err(Error::new(
                ResultCode::NOT_IMPLEMENTED,
                "`callback_address` is not supported: an address in a file cannot be trusted; set \
                 the callback with `setCallback` in the program, or wait with `take`",
            ));
        }
        self.waiting.lock().open = true;
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        let left = {
            let mut waiting = self.waiting.lock();
            waiting.open = false;
            std::mem::take(&mut waiting.messages)
        };
        self.arrived.notify_all();
        drop(left);
        Ok(())
    }
}

/// How many messages to take from the receiver.
fn taken(waiting: usize, queued: usize, most: usize, drop_waiting: bool) -> usize {
    if drop_waiting { queued } else { queued.min(most.saturating_sub(waiting)) }
}

impl SharedCodelet for Vault {
    fn tick(&self, _context: &TickContext) -> Result<()> {
        let queued = self.source.message_count();
        let most = usize::try_from(*self.max_waiting_count.get()).unwrap_or(usize::MAX);
        let mut lost = Vec::new();
        let arrived;
        {
            let mut waiting = self.waiting.lock();
            let taken = taken(waiting.messages.len(), queued, most, *self.drop_waiting.get());
            for _ in 0..taken {
                let Some(message) = self.source.try_receive()? else { break };
                waiting.messages.push_back(message);
            }
            arrived = taken > 0;
            let excess = waiting.messages.len().saturating_sub(most);
            lost.extend(waiting.messages.drain(..excess));
        }
        self.arrived.notify_all();
        // Dropping a message may call into an extension: not under the lock. Nor is the callback,
        // which may take messages and set another one.
        drop(lost);
        let callback = self.callback.lock().clone();
        if let Some(callback) = callback.filter(|_| arrived) {
            callback.call();
        }
        Ok(())
    }
}

impl implement::Vault for Vault {
    fn waiting_count(&self) -> usize {
        self.waiting.lock().messages.len()
    }

    fn set_callback(&self, callback: Callback) -> Result<()> {
        let old = self.callback.lock().replace(Arc::new(callback));
        // Not under the lock: the release runs code of the program.
        drop(old);
        Ok(())
    }

    fn take(&self, timeout: i64) -> Result<Message> {
        let deadline = u64::try_from(timeout)
            .ok()
            .and_then(|timeout| Instant::now().checked_add(Duration::from_nanos(timeout)));
        let mut waiting = self.waiting.lock();
        loop {
            if let Some(message) = waiting.messages.pop_front() {
                return Ok(message);
            }
            let over = deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if over || !waiting.open {
                return Err(Error::new(
                    ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE,
                    "the vault has no waiting message",
                ));
            }
            match deadline {
                Some(deadline) => {
                    self.arrived.wait_until(&mut waiting, deadline);
                }
                None => self.arrived.wait(&mut waiting),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::implement::Vault as _;

    #[test]
    fn a_full_vault_takes_nothing_unless_it_may_drop() {
        assert_eq!(taken(3, 2, 4, true), 2);
        assert_eq!(taken(3, 2, 4, false), 1);
        assert_eq!(taken(4, 2, 4, false), 0);
    }

    #[test]
    fn whoever_waits_is_told_of_the_end() {
        let vault = Vault::default();
        assert!(vault.take(-1).is_err(), "before initialize nothing will come");
        vault.waiting.lock().open = true;
        let begin = Instant::now();
        let none = vault.take(2_000_000).unwrap_err();
        assert_eq!(none.code(), ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE);
        assert!(begin.elapsed() >= Duration::from_millis(2));
    }
}
