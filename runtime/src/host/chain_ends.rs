//! Which entities end chains of work on CUDA devices.

use gxf_engine::graph::routes::Routes;
use gxf_plugin_abi::Uid;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why the work of entities cannot wait for that of the entities behind them; `None` where it can.
#[derive(Default)]
pub(crate) struct ChainEnds {
    /// What these were found with.
    routes: Option<Arc<Routes>>,
    by_entity: FxHashMap<Uid, Option<Arc<str>>>,
}

impl ChainEnds {
    /// The reason for an entity, which `find` says if it is not known for these routes.
    pub fn of(
        &mut self,
        eid: Uid,
        routes: Arc<Routes>,
        find: impl FnOnce() -> Option<String>,
    ) -> Option<Arc<str>> {
        if !self.routes.as_ref().is_some_and(|known| Arc::ptr_eq(known, &routes)) {
            *self = Self { routes: Some(routes), by_entity: FxHashMap::default() };
        }
        self.by_entity.entry(eid).or_insert_with(|| find().map(Arc::from)).clone()
    }
}
