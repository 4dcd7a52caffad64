//! What a worker executes next, for workers that outlive the programs they execute.
//!
//! A worker takes its programs one after the other. Whoever gives one to several workers, or closes
//! their seats, holds a lock of its own meanwhile: then all of them get it or none does.

use crate::fence::Fence;
use crate::loom::Mutex;
use std::collections::VecDeque;

/// A worker's place.
pub struct Seat<T> {
    /// Number of programs given.
    given: Fence,
    next: Mutex<Waiting<T>>,
}

struct Waiting<T> {
    given: u32,
    programs: VecDeque<T>,
}

impl<T> Default for Seat<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Seat<T> {
    /// A place without a program.
    #[must_use]
    pub fn new() -> Self {
        let programs = VecDeque::new();
        Self { given: Fence::new(), next: Mutex::new(Waiting { given: 0, programs }) }
    }

    /// Gives the worker a program, behind those that it has not taken yet.
    pub fn give(&self, program: T) {
        let mut next = self.next.lock();
        next.programs.push_back(program);
        next.given = next.given.wrapping_add(1);
        self.given.signal(next.given);
    }

    /// The fence that a worker waits at for its next program; its count is the number of programs
    /// that it has taken and one more.
    #[inline]
    pub fn given(&self) -> &Fence {
        &self.given
    }

    /// Takes the next program, behind the wait for it.
    pub fn take(&self) -> Option<T> {
        self.next.lock().programs.pop_front()
    }

    /// Ends the waits for programs that were not given, now and later.
    pub fn close(&self) {
        self.given.close();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_worker_takes_what_was_given_before_the_seat_was_closed() {
        let seat = Seat::new();
        seat.give("a");
        seat.give("b");
        seat.close();
        assert!(seat.given().wait(2, 0) && !seat.given().wait(3, 0));
        assert_eq!([seat.take(), seat.take(), seat.take()], [Some("a"), Some("b"), None]);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::frames::{Admission, Entry, Frames};
    use crate::loom::atomic::{AtomicU32, Ordering};
    use loom::sync::Arc;
    use loom::thread;

    /// Two workers execute a program of one frame. The last one to leave it gives both the
    /// successor, unless the run is ending. Whatever the moment of the end, both execute the
    /// successor or none does, and nobody stays behind.
    #[test]
    fn a_swap_and_an_end_agree() {
        const ADMISSION: Admission = Admission { start: 0, reached: 0, workers: 2, begins: false };
        struct Run {
            is_ending: Mutex<bool>,
            seats: [Seat<usize>; 2],
            programs: [Frames; 2],
            executed: [AtomicU32; 2],
        }
        fn work(run: &Run, place: usize) {
            for number in 1.. {
                if !run.seats[place].given().wait(number, 0) {
                    return;
                }
                let program = run.seats[place].take().unwrap();
                let frames = &run.programs[program];
                let (fence, count) = frames.admission(0);
                assert!(fence.wait(count, 0));
                if frames.begin(0) == Entry::Begun {
                    run.executed[program].fetch_add(1, Ordering::Relaxed);
                }
                if frames.leave() && program == 0 {
                    let is_ending = run.is_ending.lock();
                    if !*is_ending {
                        run.seats.iter().for_each(|seat| seat.give(1));
                        run.programs[1].admit(0, ADMISSION);
                    }
                }
            }
        }
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let run = Arc::new(Run {
                is_ending: Mutex::new(false),
                seats: [Seat::new(), Seat::new()],
                programs: [Frames::new(), Frames::new()],
                executed: [AtomicU32::new(0), AtomicU32::new(0)],
            });
            run.seats.iter().for_each(|seat| seat.give(0));
            run.programs[0].admit(0, ADMISSION);
            let other = {
                let run = run.clone();
                thread::spawn(move || work(&run, 1))
            };
            let end = {
                let run = run.clone();
                thread::spawn(move || {
                    let mut is_ending = run.is_ending.lock();
                    *is_ending = true;
                    run.seats.iter().for_each(Seat::close);
                })
            };
            work(&run, 0);
            other.join().unwrap();
            end.join().unwrap();
            let executed = [0, 1].map(|program| run.executed[program].load(Ordering::Relaxed));
            assert!(matches!(executed, [2, 0 | 2]), "{executed:?}");
        });
    }
}
