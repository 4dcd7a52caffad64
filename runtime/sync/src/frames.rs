//! The release of an epoch's frames to the workers that execute it.
//!
//! A frame is *admitted* when the one before is over, *begun* at its admission or by the first worker
//! that has waited for its start, and over when every worker that is counted has left it. A frame that
//! nobody has begun can be cancelled; then no worker begins it. Frames that are skipped are never
//! admitted: workers pass over them.

use crate::fence::Fence;
use crate::loom::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};

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
    admitted: Fence,
    /// Workers that have not left the latest frame, of those that are counted.
    inside: AtomicU32,
    /// Number of the latest frame, times four, and its state.
    phase: AtomicU64,
    /// When the latest frame starts.
    start: AtomicI64,
    /// A time that the clock had reached at its admission.
    reached: AtomicI64,
}

/// How a frame is admitted.
#[derive(Clone, Copy, Debug)]
pub struct Admission {
    /// When it starts.
    pub start: i64,
    /// A time that the clock has reached.
    pub reached: i64,
    /// Workers that will leave it.
    pub workers: u32,
    /// Whether it begins at once, so that it can no longer be cancelled, and no worker need say so.
    pub begins: bool,
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
            admitted: Fence::new(),
            inside: AtomicU32::new(0),
            phase: AtomicU64::new(AHEAD),
            start: AtomicI64::new(0),
            reached: AtomicI64::new(i64::MIN),
        }
    }

    /// Admits a frame. The one before must be over; callers exclude each other.
    #[inline]
    pub fn admit(&self, frame: u64, admission: Admission) {
        let Admission { start, reached, workers, begins } = admission;
        self.inside.store(workers, Ordering::Relaxed);
        self.start.store(start, Ordering::Relaxed);
        self.reached.store(reached, Ordering::Relaxed);
        let state = if begins { BEGUN } else { ADMITTED };
        self.phase.store(frame << 2 | state, Ordering::Release);
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
    pub fn admission(&self, frame: u64) -> (&Fence, u32) {
        (&self.admitted, count(frame + 1))
    }

    /// When the latest frame starts.
    #[inline]
    pub fn start(&self) -> i64 {
        self.start.load(Ordering::Relaxed)
    }

    /// A time that the clock had reached when the latest frame was admitted.
    #[inline]
    pub fn reached(&self) -> i64 {
        self.reached.load(Ordering::Relaxed)
    }

    /// Whether a frame, behind its admission, may still begin or has begun.
    #[inline]
    pub fn is_open(&self, frame: u64) -> bool {
        let phase = self.phase.load(Ordering::Acquire);
        phase >> 2 == frame && matches!(phase & 3, ADMITTED | BEGUN)
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

    /// A worker that is counted leaves the latest frame, begun or cancelled. True for the last one,
    /// which sees all that the others did.
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
        let admission = |workers| Admission { start: 7, reached: 9, workers, begins: false };
        frames.admit(0, admission(2));
        assert!(frames.is_open(0));
        assert_eq!((frames.start(), frames.reached()), (7, 9));
        assert_eq!([0, 0, 1].map(|n| frames.begin(n)), [Entry::Begun, Entry::Begun, Entry::Passed]);
        frames.cancel();
        assert_eq!(frames.begin(0), Entry::Begun, "a frame that has begun goes on");
        assert!(!frames.leave() && frames.leave());
        // Frame 1 is skipped.
        frames.admit(2, admission(1));
        let (fence, count) = frames.admission(1);
        assert!(fence.has_reached(count) && !frames.is_open(1));
        assert_eq!(frames.begin(1), Entry::Passed);
        frames.cancel();
        assert!(!frames.is_open(2));
        assert_eq!(frames.begin(2), Entry::Cancelled);
        assert!(frames.leave());
        frames.pass(5);
        let (fence, count) = frames.admission(4);
        assert!(fence.has_reached(count) && frames.begin(4) == Entry::Passed);
        let (fence, count) = frames.admission(5);
        assert!(!fence.has_reached(count));
        frames.admit(5, Admission { begins: true, ..admission(1) });
        frames.cancel();
        assert!(frames.begin(5) == Entry::Begun && frames.leave());
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
            let admission = Admission { start: 0, reached: 0, workers: 2, begins: false };
            frames.admit(0, admission);
            let work = move |frames: &Frames, begun: &[AtomicUsize; 2], lasts: &AtomicUsize| {
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
                            frames.admit(1, admission);
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
