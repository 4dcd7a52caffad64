//! Calls into a component that may leave while others call it.
//!
//! Whoever enters has the call counted; whoever closes the gate waits until all calls ended. From
//! then on nobody enters.

use crate::loom::atomic::{AtomicU32, Ordering};

/// The bit of a closed gate; the others count the calls.
const CLOSED: u32 = 1 << 31;

/// The gate in front of a component; open at first.
#[derive(Default)]
pub struct CallGate(AtomicU32);

/// A call, which ends on drop.
pub struct Entered<'a>(&'a CallGate);

impl CallGate {
    /// Begins a call, unless the gate is closed.
    #[inline]
    pub fn enter(&self) -> Option<Entered<'_>> {
        let entered = Entered(self);
        // One word for both, so either the call sees the closed gate, or the closing sees the call.
        let before = self.0.fetch_add(1, Ordering::Acquire);
        (before & CLOSED == 0).then_some(entered)
    }

    /// Closes the gate.
    pub fn close(&self) {
        self.0.fetch_or(CLOSED, Ordering::AcqRel);
    }

    /// Whether no call is in progress.
    pub fn is_empty(&self) -> bool {
        self.0.load(Ordering::Acquire) & !CLOSED == 0
    }

    /// Opens the gate again.
    pub fn open(&self) {
        self.0.fetch_and(!CLOSED, Ordering::Release);
    }
}

impl Drop for Entered<'_> {
    #[inline]
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn nobody_enters_a_closed_gate() {
        let gate = CallGate::default();
        let call = gate.enter();
        assert!(call.is_some());
        gate.close();
        assert!(!gate.is_empty());
        assert!(gate.enter().is_none());
        drop(call);
        assert!(gate.is_empty());
        gate.open();
        assert!(gate.enter().is_some());
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicBool;
    use loom::thread;

    #[test]
    fn no_call_outlasts_the_closing() {
        loom::model(|| {
            let gate = Arc::new(CallGate::default());
            let alive = Arc::new(AtomicBool::new(true));
            let caller = {
                let (gate, alive) = (gate.clone(), alive.clone());
                thread::spawn(move || {
                    if let Some(_call) = gate.enter() {
                        assert!(alive.load(Ordering::Relaxed));
                    }
                })
            };
            gate.close();
            while !gate.is_empty() {
                thread::yield_now();
            }
            alive.store(false, Ordering::Relaxed);
            caller.join().unwrap();
        });
    }
}
