//! Whether a scheduler looks for events for a moment before it sleeps.
//!
//! Falling asleep and waking take most of a round trip between two processes, and a look takes a
//! processor's time. So looks become a habit after short sleeps, and go on while they are over sooner
//! than sleeps were.

use std::time::Duration;

/// The longest look for events before a sleep. The other end of a link may still sleep when this one
/// begins to look.
pub const LOOK: Duration = Duration::from_micros(100);
/// A sleep is short up to here. Without falling asleep and waking, at both ends of a link, it may be much
/// shorter.
const SHORT: Duration = Duration::from_micros(250);
/// So many short sleeps make a look worthwhile; more after looks in vain, up to a limit, at which these
/// take a few percent of the time.
const FEW: u32 = 4;
const MANY: u32 = 128;
/// A look that lasts longer, and not much less than the sleeps before it, takes more time than sleeping
/// would, and is in vain after some others that did, too.
const SOON: Duration = Duration::from_micros(50);
const LATE: u32 = 8;
/// A look that finds nothing counts as so many of those.
const VAIN: u32 = 4;

/// Whether it is worthwhile to look for events before a sleep.
pub struct Habit {
    /// Number of sleeps since looks were given up that were short and ended by an event, less that of
    /// longer ones, and how long the short ones were, the latest counting most.
    short: u32,
    slept: Duration,
    /// So many make a look worthwhile.
    needed: u32,
    /// Number of the latest looks that were not worthwhile.
    late: u32,
}

impl Default for Habit {
    fn default() -> Self {
        Self { short: 0, slept: Duration::ZERO, needed: FEW, late: 0 }
    }
}

impl Habit {
    /// Whether to look before the next sleep.
    #[must_use]
    pub fn looks(&self) -> bool {
        self.short >= self.needed
    }

    /// A look took so long, and found something or not. Where both ends of a link sleep, a look of one is
    /// only half as long as its sleeps until the other one, whose sleeps are shorter for it, looks, too.
    pub fn note_look(&mut self, took: Duration, has_found: bool) {
        let is_soon = took <= SOON || 4 * took <= 3 * self.slept;
        if has_found && is_soon {
            (self.needed, self.late) = (FEW, 0);
            return;
        }
        self.late += if has_found { 1 } else { VAIN };
        if self.late > LATE {
            *self = Self { short: 0, needed: MANY.min(self.needed * 4), late: 0, ..*self };
        }
    }

    /// A sleep took so long, and was ended by an event or not.
    pub fn note_sleep(&mut self, took: Duration, is_event: bool) {
        if !is_event || took > SHORT {
            self.short = if is_event { self.short.saturating_sub(1) } else { 0 };
            return;
        }
        self.slept = if self.short == 0 { took } else { (3 * self.slept + took) / 4 };
        self.short = MANY.min(self.short + 1);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const IN_VAIN: u32 = LATE / VAIN + 1;

    #[test]
    fn looks_become_a_habit_while_they_find_something() {
        let mut habit = Habit::default();
        let sleep = |habit: &mut Habit, count| {
            (0..count).for_each(|_| habit.note_sleep(SHORT, true));
        };
        sleep(&mut habit, FEW - 1);
        assert!(!habit.looks());
        sleep(&mut habit, 1);
        assert!(habit.looks());
        habit.note_look(SOON, true);
        assert!(habit.looks());
        for round in 0..IN_VAIN {
            assert!(habit.looks(), "{round}: the other end may just take its time");
            habit.note_look(LOOK, false);
        }
        sleep(&mut habit, 4 * FEW - 1);
        assert!(!habit.looks(), "more short sleeps are needed");
        sleep(&mut habit, 1);
        assert!(habit.looks());
        habit.note_sleep(2 * SHORT, true);
        assert!(!habit.looks());
        sleep(&mut habit, 1);
        assert!(habit.looks(), "a longer sleep is no more than one short sleep less");
        habit.note_sleep(SHORT, false);
        sleep(&mut habit, 4 * FEW - 1);
        assert!(!habit.looks(), "nothing came");
        for _ in 0..20 * IN_VAIN {
            habit.note_look(LOOK, false);
        }
        sleep(&mut habit, MANY);
        assert!(habit.looks(), "it is given up for some time only");
        habit.note_look(SOON, true);
        habit.note_sleep(SHORT, false);
        sleep(&mut habit, FEW);
        assert!(habit.looks(), "what it finds makes it worthwhile");
    }

    #[test]
    fn looks_that_find_late_are_given_up() {
        let mut habit = Habit::default();
        (0..FEW).for_each(|_| habit.note_sleep(LOOK, true));
        for _ in 0..3 {
            (0..LATE).for_each(|_| habit.note_look(LOOK, true));
            habit.note_look(SOON, true);
            assert!(habit.looks(), "the other end may have begun to look, too");
        }
        for _ in 0..=LATE {
            assert!(habit.looks());
            habit.note_look(LOOK, true);
        }
        assert!(!habit.looks());
    }

    #[test]
    fn looks_that_find_earlier_than_sleeps_would_go_on() {
        let mut habit = Habit::default();
        (0..FEW).for_each(|_| habit.note_sleep(2 * LOOK, true));
        for _ in 0..2 * LATE {
            habit.note_look(LOOK, true);
        }
        assert!(habit.looks());
    }
}
