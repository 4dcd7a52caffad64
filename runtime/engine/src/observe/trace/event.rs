//! One event of a trace: four words.

use crate::observe::devices::DEVICES;
use gxf_plugin_abi::{ConditionType, Uid};

/// Words of an event.
pub(super) const WORDS: usize = 4;

/// The numbers of the kinds in files.
mod kind {
    pub(super) const TICK_BEGIN: u64 = 1;
    pub(super) const TICK_END: u64 = 2;
    pub(super) const CODELET: u64 = 3;
    pub(super) const WAIT: u64 = 4;
    pub(super) const SENT: u64 = 5;
    pub(super) const RECEIVED: u64 = 6;
    pub(super) const DEPTH: u64 = 7;
    pub(super) const SPAN: u64 = 8;
    pub(super) const PASSED: u64 = 9;
    pub(super) const CLOCK: u64 = 10;
}

/// A stored event: the time, then, from the lowest bits, kind (8), detail (24) and entity (32),
/// then two words that depend on the kind.
#[derive(Clone, Copy)]
pub struct Event(pub(super) [u64; WORDS]);

/// A decoded event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Decoded {
    /// In nanoseconds; for an event with a duration, its start.
    pub time: u64,
    /// The entity's index; for a span or an event of a link, that of its label.
    pub entity: u32,
    pub what: What,
}

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// A tick began. Matters only if it did not end.
    TickBegan,
    Tick {
        end: u64,
        succeeded: bool,
    },
    Codelet {
        index: usize,
        end: u64,
    },
    /// From now on a term keeps the entity waiting.
    Waits {
        term: usize,
        state: u64,
    },
    /// A message is on its way to a queue, which now holds `depth` messages.
    Sent {
        message: u64,
        depth: u64,
        queue: Uid,
    },
    /// A tick took a message from a queue.
    Received {
        message: u64,
        queue: Uid,
    },
    /// The current number of messages in a queue.
    Depth {
        depth: u64,
        queue: Uid,
    },
    /// What an extension did outside its calls.
    Span {
        end: u64,
    },
    /// A message went over a link to another graph or process.
    Passed {
        has_arrived: bool,
        link: u64,
        sequence: u64,
    },
    /// The clock of a link's other end is ahead by `offset` nanoseconds, give or take `error`.
    Clock {
        link: u64,
        offset: i64,
        error: u64,
    },
}

/// Bits of a message's address that identify it.
const ADDRESS_BITS: u32 = 48;
const DETAIL: u64 = 0xff_ffff;

// No term of an event has this position.
const _: () = assert!(DEVICES as u64 == DETAIL);

#[inline]
fn head(kind: u64, entity: u32, detail: usize) -> u64 {
    kind | (detail as u64).min(DETAIL) << 8 | u64::from(entity) << 32
}

impl Event {
    /// A tick begins.
    #[inline]
    pub fn tick_begin(time: u64, entity: u32) -> Self {
        Self([time, head(kind::TICK_BEGIN, entity, 0), 0, 0])
    }

    /// A tick ended.
    #[inline]
    pub fn tick_end(end: u64, entity: u32, succeeded: bool, begin: u64) -> Self {
        Self([begin, head(kind::TICK_END, entity, usize::from(succeeded)), end, 0])
    }

    /// A codelet returned from its tick.
    #[inline]
    pub fn codelet(begin: u64, entity: u32, index: usize, end: u64) -> Self {
        Self([begin, head(kind::CODELET, entity, index), end, 0])
    }

    /// A term keeps the entity waiting.
    #[inline]
    pub fn wait(time: u64, entity: u32, term: usize, state: u32) -> Self {
        Self([time, head(kind::WAIT, entity, term), u64::from(state), 0])
    }

    /// Devices keep the entity waiting.
    pub fn wait_for_devices(time: u64, entity: u32) -> Self {
        Self::wait(time, entity, DEVICES, ConditionType::WAIT_EVENT.0.unsigned_abs())
    }

    /// A message was sent to a queue.
    #[inline]
    pub fn sent(time: u64, entity: u32, message: u64, depth: usize, queue: Uid) -> Self {
        let message = message & ((1 << ADDRESS_BITS) - 1);
        let depth = (depth as u64).min(u64::from(u16::MAX)) << ADDRESS_BITS;
        Self([time, head(kind::SENT, entity, 0), message | depth, queue.cast_unsigned()])
    }

    /// A tick took a message.
    #[inline]
    pub fn received(time: u64, entity: u32, message: u64, queue: Uid) -> Self {
        let message = message & ((1 << ADDRESS_BITS) - 1);
        Self([time, head(kind::RECEIVED, entity, 0), message, queue.cast_unsigned()])
    }

    /// How full a queue is.
    #[inline]
    pub fn depth(time: u64, entity: u32, depth: usize, queue: Uid) -> Self {
        Self([time, head(kind::DEPTH, entity, 0), depth as u64, queue.cast_unsigned()])
    }

    /// An extension did something.
    #[inline]
    pub fn span(begin: u64, label: u32, end: u64) -> Self {
        Self([begin, head(kind::SPAN, label, 0), end, 0])
    }

    /// A message went over a link.
    #[inline]
    pub fn passed(time: u64, label: u32, has_arrived: bool, link: u64, sequence: u64) -> Self {
        Self([time, head(kind::PASSED, label, usize::from(has_arrived)), link, sequence])
    }

    /// A clock of another process was read. The error is kept in microseconds.
    pub fn clock(time: u64, label: u32, link: u64, offset: i64, error: u64) -> Self {
        let error = usize::try_from(error.div_ceil(1000)).unwrap_or(usize::MAX);
        Self([time, head(kind::CLOCK, label, error), link, offset.cast_unsigned()])
    }

    /// Decodes the words; `None` if they are no event, as in a damaged file.
    pub(super) fn decode(self) -> Option<Decoded> {
        let [time, head, first, second] = self.0;
        let detail = usize::try_from(head >> 8 & DETAIL).ok()?;
        let queue = second.cast_signed();
        let what = match head & 0xff {
            kind::TICK_BEGIN => What::TickBegan,
            kind::TICK_END => What::Tick { end: first, succeeded: detail != 0 },
            kind::CODELET => What::Codelet { index: detail, end: first },
            kind::WAIT => What::Waits { term: detail, state: first },
            kind::SENT => What::Sent {
                message: first & ((1 << ADDRESS_BITS) - 1),
                depth: first >> ADDRESS_BITS,
                queue,
            },
            kind::RECEIVED => What::Received { message: first, queue },
            kind::DEPTH => What::Depth { depth: first, queue },
            kind::SPAN => What::Span { end: first },
            kind::PASSED => {
                What::Passed { has_arrived: detail != 0, link: first, sequence: second }
            }
            kind::CLOCK => What::Clock {
                link: first,
                offset: second.cast_signed(),
                error: detail as u64 * 1000,
            },
            _ => return None,
        };
        let ends_late = match what {
            What::Tick { end, .. } | What::Codelet { end, .. } | What::Span { end } => end >= time,
            _ => true,
        };
        let entity = u32::try_from(head >> 32).ok()?;
        ends_late.then_some(Decoded { time, entity, what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_what_was_written() {
        let event = Event::sent(7, u32::MAX, u64::MAX, 3, 1 << 40).decode().unwrap();
        let what = What::Sent { message: (1 << 48) - 1, depth: 3, queue: 1 << 40 };
        assert_eq!(event, Decoded { time: 7, entity: u32::MAX, what });
        let event = Event::tick_end(9, 2, true, 5).decode().unwrap();
        assert_eq!(
            event,
            Decoded { time: 5, entity: 2, what: What::Tick { end: 9, succeeded: true } }
        );
        let event = Event::codelet(1, 0, usize::MAX, 4).decode().unwrap();
        assert_eq!(event.what, What::Codelet { index: DETAIL as usize, end: 4 });
        let event = Event::clock(1, 2, u64::MAX, -7, 1001).decode().unwrap();
        assert_eq!(event.what, What::Clock { link: u64::MAX, offset: -7, error: 2000 });
        assert!(Event([0; WORDS]).decode().is_none());
        assert!(Event::tick_end(5, 2, true, 9).decode().is_none(), "an end before the begin");
    }
}
