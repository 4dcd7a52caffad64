//! The release of an epoch's frames to the workers that execute it.
//!
//! A frame is *admitted* when the one before is over, *begun* by the first worker that has waited
//! for its start, and over when every worker has left it. A frame that nobody has begun can be
//! cancelled; then no worker begins it. Frames that are skipped are never admitted: workers pass
//! over them.

use crate::fence::Fence;
use crate::loom::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::sync::Arc;

/// States of the latest frame, below its number.
const ADMITTED: u64 = 0;
const BEGUN: u64 = 1;
const CANCELLED: u64 = 2;
/// It is not admitted yet; those below it are over.
const AHEAD: u64 = 3;

/// What a worker does with a frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Entry {
    /// Executes its part, and leaves it.
    Begun,
    /// Leaves it without executing anything.
    Cancelled,
    /// Nothing: the frame was never admitted.
    Passed,
}

/// The frames of one epoch.
pub struct Frames {
    /// Number of frames that are admitted or passed.
    admitted: Arc<Fence>,
    /// Number of the latest frame, times four, and its state.
    phase: AtomicU64,
    /// Workers that have not left the latest frame.
    inside: AtomicU32,
    /// When the latest frame starts.
    start: AtomicI64,
}

/// The count of a frame, for the fence.
#[expect(clippy::cast_possible_truncation, reason = "fences compare the lower bits")]
fn count(frame: u64) -> u32 {
    frame as u32
}

impl Default for Frames {
    fn default() -> Self {
        Self::new()
    }
}

impl Frames {
    /// Before the first frame.
    #[must_use]
    pub fn new() -> Self {
        Self {
            admitted: Arc::new(Fence::new()),
            phase: AtomicU64::new(AHEAD),
            inside: AtomicU32::new(0),
            start: AtomicI64::new(0),
        }
    }

    /// Admits a frame. The one before must be over; callers exclude each other.
    #[inline]
    pub fn admit(&self, frame: u64, start: i64, workers: u32) {
        self.inside.store(workers, Ordering::Relaxed);
        self.start.store(start, Ordering::Relaxed);
        self.phase.store(frame << 2 | ADMITTED, Ordering::Release);
        self.admitted.signal(count(frame + 1));
    }

    /// Makes workers pass over all frames below this one. The latest must be over; callers exclude
    /// each other.
    pub fn pass(&self, frame: u64) {
        self.phase.store(frame << 2 | AHEAD, Ordering::Release);
        self.admitted.signal(count(frame));
    }

    /// The fence that a worker waits at before it looks at a frame, and the count.
    #[inline]
    pub fn admission(&self, frame: u64) -> (&Arc<Fence>, u32) {
        (&self.admitted, count(frame + 1))
    }

    /// When the latest frame starts.
    #[inline]
    pub fn start(&self) -> i64 {
        self.start.load(Ordering::Relaxed)
    }

    /// Whether a frame, behind its admission, may still begin or has begun.
    #[inline]
    pub fn is_open(&self, frame: u64) -> bool {
        let phase = self.phase.load(Ordering::Acquire);
        phase >> 2 == frame && matches!(phase & 3, ADMITTED | BEGUN)
    }

    /// Whether the latest frame was begun.
    #[inline]
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.phase.load(Ordering::Acquire) & 3 == BEGUN
    }

    /// Begins a frame behind its admission, unless another worker did.
    #[inline]
    pub fn begin(&self, frame: u64) -> Entry {
        let mut phase = self.phase.load(Ordering::Acquire);
        loop {
            match phase.wrapping_sub(frame << 2) {
                BEGUN => return Entry::Begun,
                ADMITTED => {}
                CANCELLED => return Entry::Cancelled,
                _ => return Entry::Passed,
            }
            let begun = frame << 2 | BEGUN;
            match self.phase.compare_exchange(phase, begun, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Entry::Begun,
                Err(other) => phase = other,
            }
        }
    }

    /// Cancels the latest frame if nobody has begun it.
    pub fn cancel(&self) {
        let phase = self.phase.load(Ordering::Acquire);
        if phase & 3 == ADMITTED {
            let cancelled = phase & !3 | CANCELLED;
            // Fails if a worker begins it.
            let _ =
                self.phase.compare_exchange(phase, cancelled, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// A worker leaves the latest frame, begun or cancelled. True for the last one, which sees all
    /// that the others did.
    #[inline]
    pub fn leave(&self) -> bool {
        // Whoever is alone inside needs no exchange: the next admission sets the number anew.
        self.inside.load(Ordering::Acquire) == 1 || self.inside.fetch_sub(1, Ordering::AcqRel) == 1
    }

    /// Ends all waits for an admission.
    pub fn close(&self) {
        self.admitted.close();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn frames_are_begun_once_cancelled_or_passed_over() {
        let frames = Frames::new();
        assert!(!frames.is_open(0));
        frames.admit(0, 7, 2);
        assert!(frames.is_open(0));
        assert_eq!([0, 0, 1].map(|n| frames.begin(n)), [Entry::Begun, Entry::Begun, Entry::Passed]);
        frames.cancel();
        assert_eq!(frames.begin(0), Entry::Begun, "a frame that has begun goes on");
        assert!(frames.has_begun());
        assert!(!frames.leave() && frames.leave());
        // Frame 1 is skipped.
        frames.admit(2, 9, 1);
        let (fence, count) = frames.admission(1);
        assert!(fence.has_reached(count) && !frames.is_open(1));
        assert_eq!(frames.begin(1), Entry::Passed);
        frames.cancel();
        assert!(!frames.is_open(2));
        assert_eq!(frames.begin(2), Entry::Cancelled);
        assert!(!frames.has_begun());
        assert!(frames.leave());
        frames.pass(5);
        let (fence, count) = frames.admission(4);
        assert!(fence.has_reached(count) && frames.begin(4) == Entry::Passed);
        let (fence, count) = frames.admission(5);
        assert!(!fence.has_reached(count));
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;
    use loom::thread;

    /// Two workers, two frames, the second of which is cancelled at some moment: both begin it or
    /// none does, and whoever leaves last sees what both did and admits the next one.
    #[test]
    fn workers_agree_on_every_frame() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(2);
        model.check(|| {
            let frames = Arc::new(Frames::new());
            let begun = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let lasts = Arc::new(AtomicUsize::new(0));
            frames.admit(0, 0, 2);
            let work = |frames: &Frames, begun: &[AtomicUsize; 2], lasts: &AtomicUsize| {
                for frame in 0..2 {
                    let (fence, count) = frames.admission(frame);
                    assert!(fence.wait(count, 0));
                    if frames.begin(frame) == Entry::Begun {
                        begun[frame as usize].fetch_add(1, Ordering::Relaxed);
                    }
                    if frames.leave() {
                        lasts.fetch_add(1, Ordering::Relaxed);
                        assert_ne!(begun[frame as usize].load(Ordering::Relaxed), 1);
                        if frame == 0 {
                            frames.admit(1, 0, 2);
                        }
                    }
                }
            };
            let other = {
                let (frames, begun, lasts) = (frames.clone(), begun.clone(), lasts.clone());
                thread::spawn(move || work(&frames, &begun, &lasts))
            };
            let ender = {
                let frames = frames.clone();
                thread::spawn(move || frames.cancel())
            };
            work(&frames, &begun, &lasts);
            other.join().unwrap();
            ender.join().unwrap();
            assert_eq!(lasts.load(Ordering::Relaxed), 2);
            assert_ne!(begun[1].load(Ordering::Relaxed), 1);
        });
    }
}
