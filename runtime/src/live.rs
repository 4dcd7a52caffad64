//! The living contexts of this process, to distinguish a context from any other address.

use crate::inner::Inner;
use gxf_engine::schedule::scope::Scope;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// By address of the `Inner`, which extensions use as the context.
static LIVE: RwLock<BTreeMap<usize, Weak<Inner>>> = RwLock::new(BTreeMap::new());

pub fn add(inner: &Arc<Inner>) {
    LIVE.write().insert(inner.raw().addr(), Arc::downgrade(inner));
}

pub fn remove(inner: &Arc<Inner>) {
    LIVE.write().remove(&inner.raw().addr());
}

/// The context at this address, if there is one.
pub fn at(address: usize) -> Option<Arc<Inner>> {
    LIVE.read().get(&address).and_then(Weak::upgrade)
}

/// The context that the calling thread works for.
pub fn of_this_thread() -> Option<Arc<Inner>> {
    Scope::of_this_thread().and_then(|scope| at(scope.context()))
}

/// All of them.
pub fn all() -> Vec<Arc<Inner>> {
    LIVE.read().values().filter_map(Weak::upgrade).collect()
}
