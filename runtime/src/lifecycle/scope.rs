//! Whether the calling thread works for this graph.

use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_engine::schedule::scope::Scope;
use gxf_plugin_abi::{ResultCode, Uid};

impl Inner {
    /// Work for this graph.
    pub fn scope(&self) -> Scope {
        self.scope_for(0)
    }

    /// The initialisation or deinitialisation of an entity of this graph.
    pub fn scope_for(&self, entity: Uid) -> Scope {
        Scope::new(self.raw().addr(), entity)
    }

    /// Whether the calling thread works for this graph.
    pub fn is_inside(&self) -> bool {
        Scope::is_inside(self.raw().addr())
    }

    /// Whether the calling thread initialises or deinitialises this entity.
    pub fn is_inside_entity(&self, entity: Uid) -> bool {
        Scope::is_inside_entity(self.raw().addr(), entity)
    }

    /// Whether the calling thread initialises or deinitialises an entity of this graph.
    pub fn initializes_here(&self) -> bool {
        Scope::initializes_here(self.raw().addr())
    }

    /// Rejects `call`, which waits for the graph, on a thread that the graph waits for.
    pub fn ensure_not_reentrant(&self, call: &str) -> Result<()> {
        if self.is_inside() {
            let text = format!(
                "{call} is not possible from within the graph, which would wait for itself; use \
                 `interrupt` to end a run"
            );
            return Err(Error::new(ResultCode::INVALID_EXECUTION_SEQUENCE, text));
        }
        Ok(())
    }
}
