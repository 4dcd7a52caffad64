//! How closely the messages of a transmitter follow each other.

use std::time::{Duration, Instant};

/// Two messages are close if no more time than this is between them.
const GAP: Duration = Duration::from_micros(50);
/// So many close messages, one after the other, are a burst.
const CLOSE: u32 = 4;

/// How closely the messages of a transmitter follow each other.
#[derive(Default)]
pub struct Burst {
    last: Option<Instant>,
    arrivals: u64,
    had_no_room: bool,
    close: u32,
}

impl Burst {
    /// Notes a message. Returns whether it belongs to a burst, so that others are likely to follow at
    /// once. `arrivals` grows with each message that arrives: one that is sent after that may be its
    /// answer, which somebody waits for. `has_room`: whether there is room for another message; the
    /// time until there is does not count, because it is the receiver's.
    pub fn note(&mut self, now: Instant, arrivals: u64, has_room: bool) -> bool {
        let is_soon =
            |last: Instant| self.had_no_room || now.saturating_duration_since(last) <= GAP;
        let is_close = self.arrivals == arrivals && self.last.is_some_and(is_soon);
        // One pause in a long burst does not end it: the system may have executed another thread.
        self.close = match is_close {
            true => (self.close + 1).min(2 * CLOSE),
            false => self.close.saturating_sub(CLOSE),
        };
        self.last = Some(now);
        self.arrivals = arrivals;
        self.had_no_room = !has_room;
        is_close && self.close >= CLOSE
    }

    /// Whether nothing has arrived since the latest message that was noted.
    pub fn has_heard(&self, arrivals: u64) -> bool {
        self.arrivals == arrivals
    }

    /// Notes that a write has ended, in which a system may execute the reader: that time does not count.
    pub fn written(&mut self, now: Instant) {
        self.last = Some(now);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The answers for messages that come so many microseconds after each other.
    fn burst(gaps: &[u64], arrivals: impl Fn(usize) -> u64) -> Vec<bool> {
        let (mut burst, mut now) = (Burst::default(), Instant::now());
        let mut note = |(place, gap): (usize, &u64)| {
            now += Duration::from_micros(*gap);
            burst.note(now, arrivals(place), true)
        };
        gaps.iter().enumerate().map(&mut note).collect()
    }

    #[test]
    fn messages_are_a_burst_when_several_were_close() {
        let close = burst(&[5; 7], |_| 0);
        assert_eq!(close, [false, false, false, false, true, true, true]);
        let paused = burst(&[5, 5, 5, 5, 5, 500, 5], |_| 0);
        assert_eq!(paused, [false, false, false, false, true, false, false]);
        assert!(!burst(&[60; 50], |_| 0).contains(&true), "none is close");
    }

    #[test]
    fn a_long_burst_goes_on_after_one_pause() {
        let mut gaps = [5; 14];
        gaps[10] = 500;
        assert_eq!(burst(&gaps, |_| 0)[8..], [true, true, false, true, true, true]);
        gaps[11] = 500;
        assert_eq!(burst(&gaps, |_| 0)[8..], [true, true, false, false, false, false]);
    }

    #[test]
    fn writing_does_not_end_a_burst() {
        let (mut burst, mut now) = (Burst::default(), Instant::now());
        for place in 0..10 {
            now += Duration::from_micros(5);
            assert_eq!(burst.note(now, 0, true), place >= 4, "{place}");
            now += Duration::from_micros(500);
            burst.written(now);
        }
    }

    #[test]
    fn time_without_room_does_not_end_a_burst() {
        let (mut burst, mut now) = (Burst::default(), Instant::now());
        let mut note = |microseconds, has_room| {
            now += Duration::from_micros(microseconds);
            burst.note(now, 0, has_room)
        };
        let filled: Vec<bool> = (0..6).map(|place| note(5, place < 5)).collect();
        assert_eq!(filled, [false, false, false, false, true, true]);
        assert!(note(500, true), "there was no room meanwhile");
        assert!(!note(500, true), "there was");
    }

    #[test]
    fn answers_are_no_burst() {
        assert!(!burst(&[5; 50], |place| place as u64).contains(&true));
    }
}
