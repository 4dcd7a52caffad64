//! The state of an end of a link.

use crate::primitives::{AtomicU8, Ordering};

/// What an end of a link goes through.
///
/// ```text
/// INIT ─────> CONNECTED <────> RESET
///   └────────────> CLOSED <──────┘
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Phase {
    /// It was never connected.
    Init,
    /// It is connected.
    Connected,
    /// Its connection broke; another one may follow.
    Reset,
    /// It sends or takes nothing more.
    Closed,
}

impl Phase {
    fn of(value: u8) -> Self {
        match value {
            0 => Self::Init,
            1 => Self::Connected,
            2 => Self::Reset,
            _ => Self::Closed,
        }
    }
}

/// The phase of an end of a link, which several threads change.
pub struct LinkPhase(AtomicU8);

impl Default for LinkPhase {
    fn default() -> Self {
        Self(AtomicU8::new(Phase::Init as u8))
    }
}

impl LinkPhase {
    /// The phase.
    pub fn get(&self) -> Phase {
        Phase::of(self.0.load(Ordering::Acquire))
    }

    /// There is a connection. Returns the phase before; a closed end stays closed.
    pub fn connect(&self) -> Phase {
        self.change(Phase::Connected, |phase| phase != Phase::Closed)
    }

    /// The connection broke. Returns the phase before; nothing happens unless it was connected.
    pub fn reset(&self) -> Phase {
        self.change(Phase::Reset, |phase| phase == Phase::Connected)
    }

    /// The end sends or takes nothing more. Returns whether this call closed it.
    pub fn close(&self) -> bool {
        self.0.swap(Phase::Closed as u8, Ordering::AcqRel) != Phase::Closed as u8
    }

    /// Changes to a phase if the present one allows it, and returns that.
    fn change(&self, to: Phase, may: impl Fn(Phase) -> bool) -> Phase {
        let mut now = self.0.load(Ordering::Acquire);
        while may(Phase::of(now)) {
            let changed =
                self.0.compare_exchange(now, to as u8, Ordering::AcqRel, Ordering::Acquire);
            match changed {
                Ok(_) => break,
                Err(other) => now = other,
            }
        }
        Phase::of(now)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_link_goes_through_its_phases() {
        let phase = LinkPhase::default();
        assert_eq!(phase.reset(), Phase::Init, "nothing to break");
        assert_eq!(phase.get(), Phase::Init);
        assert_eq!(phase.connect(), Phase::Init);
        assert_eq!(phase.reset(), Phase::Connected);
        assert_eq!(phase.get(), Phase::Reset);
        assert_eq!(phase.connect(), Phase::Reset);
        assert!(phase.close());
        assert!(!phase.close());
        assert_eq!(phase.connect(), Phase::Closed);
        assert_eq!(phase.reset(), Phase::Closed);
        assert_eq!(phase.get(), Phase::Closed);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::thread;

    /// A connection comes about and breaks while the entity ends and the peer says that it has
    /// ended: one of the two closes the link, and nothing opens it again.
    #[test]
    fn what_is_closed_stays_closed() {
        loom::model(|| {
            let phase = Arc::new(LinkPhase::default());
            let network = {
                let phase = phase.clone();
                thread::spawn(move || {
                    let mut before = vec![phase.connect(), phase.reset(), phase.connect()];
                    before.dedup();
                    let closed = before.iter().position(|one| *one == Phase::Closed);
                    assert!(closed.is_none_or(|at| at + 1 == before.len()), "{before:?}");
                })
            };
            let entity = {
                let phase = phase.clone();
                thread::spawn(move || {
                    let closes = phase.close();
                    assert_eq!(phase.get(), Phase::Closed);
                    closes
                })
            };
            let closes = phase.close();
            let both = [closes, entity.join().unwrap()];
            assert!(both[0] != both[1], "one of them closed it");
            network.join().unwrap();
            assert_eq!(phase.get(), Phase::Closed);
        });
    }

    /// Two connections are known at once while the older one breaks: the link was new to one of
    /// them only, and is connected or reset.
    #[test]
    fn one_connection_is_the_first() {
        loom::model(|| {
            let phase = Arc::new(LinkPhase::default());
            let connections = [(), ()].map(|()| {
                let phase = phase.clone();
                thread::spawn(move || phase.connect())
            });
            let broke = phase.reset();
            let before = connections.map(|connection| connection.join().unwrap());
            assert_eq!(before.iter().filter(|phase| **phase == Phase::Init).count(), 1);
            match broke {
                Phase::Init => assert_eq!(phase.get(), Phase::Connected),
                _ => assert!(matches!(phase.get(), Phase::Connected | Phase::Reset)),
            }
        });
    }
}
