//! How an executing thread learns that its entity is wired anew, and how whoever did that learns when
//! the old wiring is out of use.
//!
//! An execution asks terms, takes mail in, calls codelets, sends, and tells monitors. All but the
//! codelets use the wiring, and are short; codelets may take for ever. So the thread looks whether
//! there is something new when it begins and again when its codelets are done. Whoever took a
//! component out of the wiring waits for executions that are outside of codelets, and for no others:
//! these look before they use any wiring. That neither misses the other is, as in a `BiasedLock`,
//! the part of whoever changes something, so that an execution pays for a store and a load.

use crate::biased_lock::barrier;
#[cfg(loom)]
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Stands for no codelet.
const NONE: usize = usize::MAX;

/// See the head of this file.
pub(crate) struct Attention {
    asked: AtomicBool,
    /// Place of the codelet that is being called.
    codelet: AtomicUsize,
}

impl Default for Attention {
    fn default() -> Self {
        Self { asked: AtomicBool::new(false), codelet: AtomicUsize::new(NONE) }
    }
}

impl Attention {
    /// There is something new.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Release);
    }

    /// Whether there is. What is new has a lock of its own.
    #[inline(always)]
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// The executing thread is about to look at all that is new.
    pub fn granted(&self) {
        self.asked.store(false, Ordering::Relaxed);
    }

    /// The executing thread is about to call a codelet.
    #[inline(always)]
    pub fn enter_codelet(&self, place: usize) {
        // Release: it uses no wiring any more.
        self.codelet.store(place, Ordering::Release);
    }

    /// It called the last one, and is about to look whether there is something new.
    #[inline(always)]
    pub fn leave_codelets(&self) {
        self.codelet.store(NONE, Ordering::Relaxed);
        barrier::light();
    }

    /// The place of the codelet that is being called; any large number for none.
    pub fn codelet(&self) -> usize {
        self.codelet.load(Ordering::Relaxed)
    }

    /// Whether a codelet is being called by a thread that will see all that was asked for before
    /// [`all_look`]. Where there is no such barrier nobody is said to.
    pub fn will_look(&self) -> bool {
        barrier::is_offered() && self.codelet.load(Ordering::Acquire) != NONE
    }
}

/// Whoever calls no codelet at this moment is seen to do so; others see what was asked for when they
/// look.
pub(crate) fn all_look() {
    if barrier::is_offered() {
        barrier::heavy();
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::{Arc, Mutex};

    /// What an execution needs of its entity, and a component that leaves the graph.
    struct Graph {
        attention: Attention,
        /// Whether the component is wired in, for the thread that executes.
        wired: Mutex<bool>,
        rewired: Mutex<Option<bool>>,
        component: UnsafeCell<bool>,
    }

    impl Graph {
        fn take_over(&self, wired: &mut bool) {
            if let Some(new) = self.rewired.lock().unwrap().take() {
                *wired = new;
            }
        }

        fn use_wiring(&self, wired: bool) {
            if wired {
                // SAFETY: loom finds who changes it at the same time.
                self.component.with(|is_up| assert!(unsafe { *is_up }));
            }
        }

        fn execute(&self) {
            let mut wired = self.wired.lock().unwrap();
            if self.attention.is_asked() {
                self.attention.granted();
                self.take_over(&mut wired);
            }
            self.use_wiring(*wired);
            self.attention.enter_codelet(0);
            self.attention.leave_codelets();
            if self.attention.is_asked() {
                self.take_over(&mut wired);
            }
            self.use_wiring(*wired);
        }

        fn uses_old_wiring(&self) -> bool {
            !self.attention.will_look()
                && self.rewired.lock().unwrap().is_some()
                && self.wired.try_lock().is_err()
        }
    }

    /// The component is taken down when no execution uses it any more, whenever that is.
    #[test]
    fn what_left_the_graph_is_used_by_nobody() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let graph = Arc::new(Graph {
                attention: Attention::default(),
                wired: Mutex::new(true),
                rewired: Mutex::new(None),
                component: UnsafeCell::new(true),
            });
            let worker = {
                let graph = graph.clone();
                loom::thread::spawn(move || {
                    graph.execute();
                    graph.execute();
                })
            };
            *graph.rewired.lock().unwrap() = Some(false);
            graph.attention.ask();
            all_look();
            while graph.uses_old_wiring() {
                loom::thread::yield_now();
            }
            // SAFETY: loom finds who looks at it at the same time.
            graph.component.with_mut(|is_up| unsafe { *is_up = false });
            worker.join().unwrap();
        });
    }
}
