//! The graphs that the calling thread works for: it runs their scheduler, or activates or
//! deactivates them. Code of an extension that is called there must not wait for an end that waits
//! for it.

use gxf_plugin_abi::Uid;
use std::cell::RefCell;
use std::mem::ManuallyDrop;

/// Work for a graph.
#[derive(Clone, Copy)]
pub struct Scope {
    /// Address of the context.
    context: usize,
    /// The entity whose components are being initialised or deinitialised; 0 for none.
    entity: Uid,
}

thread_local! {
    /// One within the other. Never dropped, so that destructors of a thread that ends, which may
    /// call the C API, find it; its memory goes with the last scope.
    static SCOPES: RefCell<ManuallyDrop<Vec<Scope>>> =
        const { RefCell::new(ManuallyDrop::new(Vec::new())) };
}

/// Marks the calling thread as working for the graph while it exists.
#[must_use]
pub struct EnterGuard(());

impl Scope {
    /// Work for the graph of the context at this address; 0 for no entity in particular.
    #[must_use]
    pub fn new(context: usize, entity: Uid) -> Self {
        Self { context, entity }
    }

    /// The scope of the calling thread, for a thread that helps it.
    #[must_use]
    pub fn of_this_thread() -> Option<Self> {
        SCOPES.with_borrow(|scopes| scopes.last().copied())
    }

    /// Address of the context.
    #[must_use]
    pub fn context(self) -> usize {
        self.context
    }

    /// Enters the scope on the calling thread.
    pub fn enter(self) -> EnterGuard {
        SCOPES.with_borrow_mut(|scopes| scopes.push(self));
        EnterGuard(())
    }

    /// Whether the calling thread works for the graph of the context at this address.
    #[must_use]
    pub fn is_inside(context: usize) -> bool {
        SCOPES.with_borrow(|scopes| scopes.iter().any(|scope| scope.context == context))
    }

    /// Whether the calling thread initialises or deinitialises this entity.
    #[must_use]
    pub fn is_inside_entity(context: usize, entity: Uid) -> bool {
        let matches = |scope: &Scope| scope.context == context && scope.entity == entity;
        SCOPES.with_borrow(|scopes| scopes.iter().any(matches))
    }

    /// Whether the calling thread initialises or deinitialises an entity of this graph.
    #[must_use]
    pub fn initializes_here(context: usize) -> bool {
        let matches = |scope: &Scope| scope.context == context && scope.entity != 0;
        SCOPES.with_borrow(|scopes| scopes.iter().any(matches))
    }
}

impl Drop for EnterGuard {
    fn drop(&mut self) {
        SCOPES.with_borrow_mut(|scopes| {
            scopes.pop();
            if scopes.is_empty() {
                drop(std::mem::take(&mut **scopes));
            }
        });
    }
}
