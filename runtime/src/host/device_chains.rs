//! `gxe::DeviceChains`: pieces of work of several codelets that become one CUDA graph.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::device_graphs::{ordinary_of, runner};
use super::device_work::graph_of_this_thread;
use crate::inner::Inner;
use gxf::Callback;
use gxf_device::Piece;
use gxf_device::chain::{self, Place, Report};
use gxf_plugin::reported::answer;
use gxf_plugin_abi::{
    self as abi, CudaPiece, DeviceChainTable, ResultCode, TYPE_CAPTURABLE, Text, Uid, tids,
};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Weak};

/// The table.
pub(super) static DEVICE_CHAINS: DeviceChainTable =
    DeviceChainTable { size: size_of::<DeviceChainTable>(), launch, let_go, after, let_all_go };

impl Inner {
    /// Why the work of an entity cannot wait for that of the entities that its messages go to.
    pub(crate) fn chain_end(&self, eid: Uid) -> Option<Arc<str>> {
        let routes = self.graph.routes();
        self.chain_ends.lock().of(eid, routes, || self.find_chain_end(eid))
    }

    fn find_chain_end(&self, eid: Uid) -> Option<String> {
        let entity = self.graph.entity(eid).ok()?;
        let components = entity.components();
        for transmitter in components.iter().filter(|one| one.is_a(tids::TRANSMITTER)) {
            let receivers = self.graph.receivers_of(transmitter.cid());
            if receivers.is_empty() {
                return Some(format!(
                    "its transmitter `{}` leads to no entity of the graph",
                    transmitter.label()
                ));
            }
            for receiver in receivers {
                let receiver = self.graph.component(receiver).ok();
                let next = receiver.and_then(|it| self.graph.entity(it.eid()).ok());
                let Some(next) = next else {
                    return Some("its messages go to an entity that is gone".to_owned());
                };
                let components = next.components();
                let mut codelets =
                    components.iter().filter(|one| one.is_a(tids::CODELET)).peekable();
                if codelets.peek().is_none()
                    || codelets.any(|one| one.type_info().flags & TYPE_CAPTURABLE == 0)
                {
                    return Some(format!(
                        "its messages go to `{}`, whose codelet is not capturable",
                        next.name()
                    ));
                }
            }
        }
        None
    }
}

/// Who made a piece of work.
struct Maker {
    graph: Weak<Inner>,
    eid: Uid,
    entity: Box<str>,
}

impl Report for Maker {
    fn launched(&self, operations: u64, is_new: bool) {
        if let Some(graph) = self.graph.upgrade() {
            graph.observation.launched_graph(&self.entity, operations, is_new);
        }
    }

    fn joined(&self) {
        if let Some(graph) = self.graph.upgrade() {
            graph.observation.joined_graph(&self.entity);
        }
    }

    fn ordinary(&self, reason: &str) {
        if let Some(graph) = self.graph.upgrade() {
            ordinary_of(&graph, &self.entity, reason);
        }
    }

    fn cut(&self, reason: &str) {
        if let Some(graph) = self.graph.upgrade() {
            graph.observation.ends_chain(&self.entity, reason);
        }
    }

    fn failed(&self, error: &gxf::Error) {
        let Some(graph) = self.graph.upgrade() else { return };
        let components = graph.graph.entity(self.eid).map(|entity| entity.components());
        let components = components.unwrap_or_default();
        let codelet = components.iter().find(|one| one.is_a(tids::CODELET));
        let failed =
            codelet.map(|one| graph.fail_component(one.cid(), error.code(), error.message()));
        if !matches!(failed, Some(Ok(()))) {
            tracing::error!("entity `{}`: {}", self.entity, error.message());
        }
    }
}

unsafe extern "C" fn launch(
    stream: *mut c_void,
    device: i32,
    is_foreign: bool,
    piece: CudaPiece,
    held: abi::Callback,
    number: *mut u32,
) -> ResultCode {
    // SAFETY: the piece belongs to this function from now on, the callback only if it is held back.
    let (piece, held) =
        unsafe { (Piece::from_raw(piece), ManuallyDrop::new(Callback::from_raw(held))) };
    answer(|| {
        let (Some(graph), Some(runner)) = (graph_of_this_thread(), runner()) else {
            let text = "work of no tick is to become a CUDA graph";
            return Err(gxf::Error::failure(text).into());
        };
        let entity: Box<str> = runner.entity.name().into();
        let eid = runner.entity.eid();
        let end = if graph.waits_for_devices() {
            Some("each piece of work is awaited".into())
        } else if !graph.observation.ends_chains() {
            Some("its graph is a segment".into())
        } else {
            graph.chain_end(eid)
        };
        if let Some(end) = &end {
            graph.observation.ends_chain(&entity, end);
        }
        let owner = Arc::as_ptr(&graph).addr();
        let maker = Box::new(Maker { graph: Arc::downgrade(&graph), eid, entity });
        let place = Place { stream: stream.expose_provenance(), device, is_foreign };
        let can_wait = end.is_none();
        let mut held = can_wait.then(|| ManuallyDrop::into_inner(held));
        let launched = chain::launch(place, owner, piece, &mut held, maker);
        // The caller still has it.
        std::mem::forget(held);
        let found = launched?;
        if !number.is_null() {
            // SAFETY: not null and therefore valid.
            unsafe { number.write(found) };
        }
        Ok(())
    })
}

unsafe extern "C" fn let_go(stream: *mut c_void, number: u32, reason: Text) -> ResultCode {
    // SAFETY: the text is readable for its length.
    let reason = unsafe { gxf::text_lossy(reason) };
    answer(|| chain::let_go(stream.addr(), number, &reason).map_err(Into::into))
}

unsafe extern "C" fn after(stream: *mut c_void, number: u32, callback: abi::Callback) -> bool {
    // SAFETY: the callback belongs to this function if it is accepted.
    let callback = unsafe { Callback::from_raw(callback) };
    chain::after(stream.addr(), number, callback).map_err(std::mem::forget).is_ok()
}

unsafe extern "C" fn let_all_go(reason: Text) {
    // SAFETY: as above.
    chain::let_all_go(&unsafe { gxf::text_lossy(reason) });
}
