//! The runners of active entities, by the entity's id, and who hears of what is told about an
//! entity. Entities do not know their runners, so nothing has to break a circle of references.

use crate::entity::runner::Runner;
use gxf_plugin_abi::Uid;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// By entity: what executes it, and the runners whose terms watch one of its components.
#[derive(Default)]
pub struct ActiveRunners {
    runners: RwLock<FxHashMap<Uid, Arc<Runner>>>,
    watchers: RwLock<FxHashMap<Uid, Vec<Arc<Runner>>>>,
}

impl ActiveRunners {
    /// The runner of an entity; none while it is not active, or when it has no codelets.
    #[must_use]
    pub fn get(&self, eid: Uid) -> Option<Arc<Runner>> {
        self.runners.read().get(&eid).cloned()
    }

    /// The entity of this runner became active.
    pub fn insert(&self, runner: &Arc<Runner>) {
        self.runners.write().insert(runner.entity.eid(), runner.clone());
    }

    /// The entity leaves; its runner. Its watchers stay until [`Self::clear_watchers`].
    pub fn take(&self, eid: Uid) -> Option<Arc<Runner>> {
        self.runners.write().remove(&eid)
    }

    /// The runners whose terms watch a component of the entity.
    #[must_use]
    pub fn watchers(&self, eid: Uid) -> Vec<Arc<Runner>> {
        self.watchers.read().get(&eid).cloned().unwrap_or_default()
    }

    /// Adds runners that watch a component of the entity.
    pub fn watch(&self, eid: Uid, watching: impl Iterator<Item = Arc<Runner>>) {
        let mut watching = watching.peekable();
        if watching.peek().is_some() {
            self.watchers.write().entry(eid).or_default().extend(watching);
        }
    }

    /// Nobody watches the entity any more.
    pub fn clear_watchers(&self, eid: Uid) {
        // Dropped without the lock: the last reference to a runner may run code of an extension.
        let watchers = self.watchers.write().remove(&eid);
        drop(watchers);
    }

    /// Makes the schedulers look at the entity, and at those that watch it.
    pub fn notify(&self, eid: Uid) {
        if let Some(runner) = self.runners.read().get(&eid) {
            runner.notify();
        }
        for watcher in self.watchers.read().get(&eid).map_or(&[][..], Vec::as_slice) {
            watcher.notify();
        }
    }
}
