//! The runners of active entities by the entity's id, and the runners that watch an entity.
//! Entities do not refer to their runners, so there is no reference cycle to break.

use crate::entity::runner::Runner;
use crate::graph::store::Entity;
use gxf_plugin_abi::Uid;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use thin_vec::ThinVec;

/// By entity: what executes it, and the runners of others whose terms watch one of its components.
#[derive(Default)]
pub struct ActiveRunners {
    runners: RwLock<FxHashMap<Uid, Arc<Runner>>>,
    watchers: RwLock<FxHashMap<Uid, ThinVec<Arc<Runner>>>>,
}

impl ActiveRunners {
    /// The runner of an entity; none while it is not active, or when it has no codelets.
    #[must_use]
    pub fn get(&self, eid: Uid) -> Option<Arc<Runner>> {
        self.runners.read().get(&eid).cloned()
    }

    /// Adds the runner of an entity that became active.
    pub fn insert(&self, runner: &Arc<Runner>) {
        self.runners.write().insert(runner.entity.eid(), runner.clone());
    }

    /// Removes the runner of an entity. Its watchers stay until [`Self::clear_watchers`].
    pub fn take(&self, eid: Uid) -> Option<Arc<Runner>> {
        self.runners.write().remove(&eid)
    }

    /// The runners of other entities whose terms watch a component of the entity.
    #[must_use]
    pub fn watchers(&self, eid: Uid) -> ThinVec<Arc<Runner>> {
        self.watchers.read().get(&eid).cloned().unwrap_or_default()
    }

    /// Adds the runner of another entity, which watches a component of the entity.
    pub fn watch(&self, eid: Uid, watching: Arc<Runner>) {
        self.watchers.write().entry(eid).or_default().push(watching);
    }

    /// Removes all watchers of the entity.
    pub fn clear_watchers(&self, eid: Uid) {
        // Dropped without the lock: the last reference to a runner may run code of an extension.
        let watchers = self.watchers.write().remove(&eid);
        drop(watchers);
    }

    /// Removes all watchers of these entities.
    pub fn clear_watchers_of(&self, entities: &[Arc<Entity>]) {
        if !self.watchers.read().is_empty() {
            entities.iter().for_each(|entity| self.clear_watchers(entity.eid()));
        }
    }

    /// Makes the scheduler check the entity and its watchers.
    pub fn notify(&self, eid: Uid) {
        if let Some(runner) = self.runners.read().get(&eid) {
            runner.notify();
        }
        for watcher in self.watchers.read().get(&eid).map_or(&[][..], ThinVec::as_slice) {
            watcher.notify();
        }
    }
}
