//! The trace hash: one number for the schedule of a run, equal if the run repeats.
//!
//! Every entity has a SHA-256 over what it did, in order: the number, time and success of each
//! tick, how many messages the tick took from each receiver, and the sequence number and fate of
//! each message on each connection. The hash of the run is a SHA-256 of the sum (modulo 2^64, word
//! by word) of these digests, so the order in which independent entities ran does not matter, and
//! entities that left long ago need no memory.
//!
//! Real durations, ids and contents of messages are not part of it. Under a `RealtimeClock` the
//! times differ from run to run, and with them the hash.

use sha2::{Digest, Sha256};

/// What one entity did.
#[derive(Clone, Default)]
pub struct Trail(Sha256);

impl Trail {
    /// A tick at a time of the scheduler's clock.
    #[inline]
    pub fn ticked(&mut self, number: u64, now: i64, succeeded: bool) {
        let mut event = [0; 18];
        event[0] = b't';
        event[1] = u8::from(succeeded);
        event[2..10].copy_from_slice(&number.to_le_bytes());
        event[10..].copy_from_slice(&now.to_le_bytes());
        self.0.update(event);
    }

    /// The tick took messages from the receiver at a position of the entity.
    #[inline]
    pub fn received(&mut self, inbox: usize, taken: usize) {
        let mut event = [0; 17];
        event[0] = b'r';
        event[1..9].copy_from_slice(&(inbox as u64).to_le_bytes());
        event[9..].copy_from_slice(&(taken as u64).to_le_bytes());
        self.0.update(event);
    }

    /// A message went to the target at a position of the transmitter at a position of the entity.
    /// `number` counts the messages of this connection.
    #[inline]
    pub fn sent(&mut self, outbox: usize, target: usize, number: u64, kept: bool) {
        let mut event = [0; 26];
        event[0] = b's';
        event[1] = u8::from(kept);
        event[2..10].copy_from_slice(&(outbox as u64).to_le_bytes());
        event[10..18].copy_from_slice(&(target as u64).to_le_bytes());
        event[18..].copy_from_slice(&number.to_le_bytes());
        self.0.update(event);
    }
}

/// The trails of all entities together.
#[derive(Clone, Copy, Default)]
pub struct TraceHash {
    sum: [u64; 4],
    entities: u64,
}

impl TraceHash {
    /// Adds an entity.
    pub fn add(&mut self, name: &str, trail: &Trail) {
        let named = Sha256::new().chain_update(name).chain_update(trail.0.clone().finalize());
        for (sum, word) in self.sum.iter_mut().zip(named.finalize().as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
        self.entities += 1;
    }

    /// The hash, in hexadecimal.
    pub fn hex(&self) -> String {
        let mut whole = Sha256::new().chain_update(self.entities.to_le_bytes());
        for word in self.sum {
            whole.update(word.to_le_bytes());
        }
        whole.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(trails: &[(&str, Trail)]) -> String {
        let mut hash = TraceHash::default();
        for (name, trail) in trails {
            hash.add(name, trail);
        }
        hash.hex()
    }

    fn trail(record: impl FnOnce(&mut Trail)) -> Trail {
        let mut trail = Trail::default();
        record(&mut trail);
        trail
    }

    #[test]
    fn the_order_of_entities_does_not_matter_and_everything_else_does() {
        let one = trail(|trail| trail.ticked(0, 5, true));
        let other = trail(|trail| {
            trail.ticked(0, 5, true);
            trail.received(0, 2);
            trail.sent(0, 1, 7, true);
        });
        let known = hash(&[("a", one.clone()), ("b", other.clone())]);
        assert_eq!(known, hash(&[("b", other.clone()), ("a", one.clone())]));
        assert_eq!(known.len(), 64);
        let mut all = vec![
            known,
            hash(&[("a", other.clone()), ("b", one.clone())]),
            hash(&[("a", one.clone())]),
            hash(&[]),
        ];
        let changes: [fn(&mut Trail); 9] = [
            |trail| trail.ticked(1, 5, true),
            |trail| trail.ticked(0, 6, true),
            |trail| trail.ticked(0, 5, false),
            |trail| trail.received(1, 2),
            |trail| trail.received(0, 1),
            |trail| trail.sent(1, 1, 7, true),
            |trail| trail.sent(0, 2, 7, true),
            |trail| trail.sent(0, 1, 8, true),
            |trail| trail.sent(0, 1, 7, false),
        ];
        all.extend(changes.map(|change| hash(&[("a", trail(change))])));
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
    }
}
