//! `SyntheticClock`: another component or program moves the time.

use gxf::prelude::*;
use gxf::{ContextHandle, Event, implement};
use parking_lot::{Condvar, Mutex};
use spin::Once;
use std::sync::atomic::{AtomicI64, Ordering};

/// A clock that another component moves, for example to follow the clock of another machine.
/// Sleepers wait until the clock is moved far enough.
///
/// Time never goes back; GXF allows that.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct SyntheticClock {
    /// Initial time of the clock.
    #[parameter(headline = "Initial timestamp", unit = "ns", default = 0)]
    initial_timestamp: Parameter<i64>,
    now: AtomicI64,
    sleepers: Mutex<Sleepers>,
    moved: Condvar,
    context: Once<ContextHandle>,
}

#[derive(Default)]
struct Sleepers {
    /// The clock was deinitialised, so it will not move again.
    closed: bool,
}

impl SyntheticClock {
    /// Moves the clock to the time that `next` computes from the present one.
    fn advance(&self, next: impl FnOnce(i64) -> Result<i64>) -> Result<()> {
        {
            // Under the sleepers' lock, so that none is between reading the time and sleeping.
            let _sleepers = self.sleepers.lock();
            let target = next(self.now.load(Ordering::Relaxed))?;
            // Release pairs with the Acquire in `timestamp`: readers see what was done before the
            // move.
            self.now.store(target, Ordering::Release);
        }
        self.moved.notify_all();
        // Wakes a scheduler that sleeps until a time of this clock.
        self.context.get().map_or(Ok(()), |context| context.notify(Event::TIME_UPDATE))
    }
}

impl Lifecycle for SyntheticClock {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        self.now.store(*self.initial_timestamp.get(), Ordering::Relaxed);
        self.sleepers.lock().closed = false;
        self.context.call_once(|| context.handle());
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.sleepers.lock().closed = true;
        self.moved.notify_all();
        Ok(())
    }
}

impl implement::Clock for SyntheticClock {
    fn timestamp(&self) -> i64 {
        self.now.load(Ordering::Acquire)
    }

    fn sleep_for(&self, duration: i64) -> Result<()> {
        self.sleep_until(self.timestamp().saturating_add(duration.max(0)))
    }

    fn sleep_until(&self, target: i64) -> Result<()> {
        let mut sleepers = self.sleepers.lock();
        while self.timestamp() < target {
            if sleepers.closed {
                return Err(Error::new(
                    ResultCode::INVALID_LIFECYCLE_STAGE,
                    "the synthetic clock was deinitialised while a component slept on it",
                ));
            }
            self.moved.wait(&mut sleepers);
        }
        Ok(())
    }

    fn real_time_until(&self, _target: i64) -> i64 {
        -1
    }
}

impl implement::SyntheticClock for SyntheticClock {
    fn advance_to(&self, target: i64) -> Result<()> {
        self.advance(|now| {
            if target >= now {
                return Ok(target);
            }
            Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("the clock shows {now} ns and cannot go back to {target} ns"),
            ))
        })
    }

    fn advance_by(&self, duration: i64) -> Result<()> {
        self.advance(|now| {
            if duration >= 0 {
                return Ok(now.saturating_add(duration));
            }
            Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!("the clock cannot advance by {duration} ns, which is negative"),
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf::implement::{Clock as _, SyntheticClock as _};

    #[test]
    fn a_sleeper_wakes_when_the_clock_is_moved_far_enough() {
        let clock = SyntheticClock::default();
        std::thread::scope(|scope| {
            let sleeper = scope.spawn(|| {
                clock.sleep_until(100).unwrap();
                clock.timestamp()
            });
            clock.advance_to(60).unwrap();
            clock.advance_by(50).unwrap();
            assert_eq!(sleeper.join().unwrap(), 110);
        });
    }

    #[test]
    fn time_never_goes_back() {
        let clock = SyntheticClock::default();
        clock.advance_to(10).unwrap();
        assert_eq!(clock.advance_to(9).unwrap_err().code(), ResultCode::ARGUMENT_INVALID);
        assert!(clock.advance_by(-1).is_err());
        assert_eq!(clock.timestamp(), 10);
    }
}
