//! Records whose code each thread is calling, for a process that ends unexpectedly.
//!
//! A call leaves a note on the thread's stack, and the innermost note is the one that is named. The
//! codelets of a run need none, because the engine records what the thread executes. Both cost only
//! a store to a thread-local.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use crate::registry::TypeInfo;
use gxf_plugin_abi::Uid;
use smallvec::SmallVec;
use std::cell::Cell;
use std::path::Path;
use std::ptr::null;

/// The called code.
#[derive(Clone, Copy)]
pub enum Callee<'a> {
    /// A library being opened, or another file being read.
    File(&'a Path),
    /// A component; empty names are omitted.
    Component {
        /// Its entity.
        eid: Uid,
        /// Name of its entity.
        entity: &'a str,
        /// Its name.
        name: &'a str,
        /// Its type.
        type_info: &'a TypeInfo,
    },
}

/// A call that has not returned.
pub struct Note<'a> {
    /// The called code.
    pub callee: Callee<'a>,
    /// Name of the called function.
    pub function: &'static str,
    /// What the thread executed when the call began. A different execution is inside the call.
    execution: *const (),
    /// The call within which this one is made; null for none.
    outer: *const Note<'static>,
}

impl Note<'_> {
    /// The name of the entity whose component is called, as far as this call and those around it
    /// know it.
    pub fn entity(&self) -> &str {
        let mut note = self;
        loop {
            match note.callee {
                Callee::Component { entity: "", .. } => {}
                Callee::Component { entity, .. } => return entity,
                Callee::File(_) => return "",
            }
            // SAFETY: the calls around this one last longer than it.
            match unsafe { note.outer.as_ref() } {
                Some(outer) if outer.execution == self.execution && outer.is_of_same(self) => {
                    note = outer;
                }
                _ => return "",
            }
        }
    }

    /// Whether both are calls of the same component.
    fn is_of_same(&self, other: &Note<'_>) -> bool {
        match (self.callee, other.callee) {
            (
                Callee::Component { eid, name, .. },
                Callee::Component { eid: other, name: other_name, .. },
            ) => eid == other && name == other_name,
            _ => false,
        }
    }
}

thread_local! {
    /// Address of what the engine executes on this thread; null for none.
    static EXECUTION: Cell<*const ()> = const { Cell::new(null()) };
    static INNERMOST: Cell<*const Note<'static>> = const { Cell::new(null()) };
}

/// Runs `call` with a note about it.
#[inline]
pub fn noted<R>(callee: Callee<'_>, function: &'static str, call: impl FnOnce() -> R) -> R {
    /// Restores the previous note, even after a panic.
    struct Restore {
        outer: *const Note<'static>,
        returned: bool,
    }
    impl Drop for Restore {
        fn drop(&mut self) {
            if !self.returned && !std::thread::panicking() {
                // No function of an extension may throw, and further out nobody would know whose
                // exception it is.
                std::process::abort();
            }
            INNERMOST.set(self.outer);
        }
    }
    let outer = INNERMOST.get();
    let note = Note { callee, function, execution: EXECUTION.get(), outer };
    let mut restore = Restore { outer, returned: false };
    INNERMOST.set((&raw const note).cast());
    let result = call();
    restore.returned = true;
    result
}

/// Address of what the engine executes on the calling thread; null for none.
#[inline(always)]
pub fn execution() -> *const () {
    EXECUTION.get()
}

/// Sets what the engine executes on the calling thread; returns the previous value.
#[inline(always)]
pub fn replace_execution(execution: *const ()) -> *const () {
    EXECUTION.replace(execution)
}

/// The entities whose components the calling thread is calling, the innermost first.
pub fn called_entities() -> SmallVec<[Uid; 4]> {
    let mut entities = SmallVec::new();
    // SAFETY: notes live on this thread's stack as long as the calls that they are about.
    let mut note = unsafe { INNERMOST.get().as_ref() };
    while let Some(call) = note {
        if let Callee::Component { eid, .. } = call.callee {
            entities.push(eid);
        }
        // SAFETY: as above.
        note = unsafe { call.outer.as_ref() };
    }
    entities
}

/// What the calling thread is doing.
pub enum Doing<'a> {
    /// A call outside a run, or one inside the execution.
    Call(&'a Note<'a>),
    /// The execution at this address.
    Execution(*const ()),
    /// Unknown.
    Nothing,
}

/// Calls `use_it` with what the calling thread is doing. Safe in a signal handler.
pub fn with_doing<R>(use_it: impl FnOnce(Doing<'_>) -> R) -> R {
    let execution = EXECUTION.get();
    // SAFETY: a note lives on this thread's stack until `INNERMOST` changes back, and the thread
    // cannot return while this runs.
    let note = unsafe { INNERMOST.get().as_ref() };
    use_it(match note {
        Some(note) if note.execution == execution => Doing::Call(note),
        _ if execution.is_null() => Doing::Nothing,
        _ => Doing::Execution(execution),
    })
}
