//! Calls of extensions' code while a graph is loaded, activated or deactivated, and their start
//! times, so that a call that does not return can be named.

use gxf_engine::graph::store::Entity;
use gxf_plugin::call_note::{Callee, noted};
use gxf_plugin::component::Component;
use gxf_plugin::registry::TypeInfo;
use gxf_plugin_abi::Uid;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The calls that have not returned, outermost first.
#[derive(Default)]
pub(crate) struct Calls(Mutex<Open>);

#[derive(Default)]
struct Open {
    next: u64,
    calls: Vec<(u64, Call)>,
}

/// A call that has not returned.
#[derive(Clone)]
pub(crate) struct Call {
    pub subject: Subject,
    /// `load`, `create`, `initialize` or `deinitialize`.
    pub function: &'static str,
    pub since: Instant,
}

/// The called code.
#[derive(Clone)]
pub(crate) enum Subject {
    /// A library that the system opens, or a file that is read.
    File(PathBuf),
    /// A component; while it is being created, its entity does not have it yet.
    Component { eid: Uid, cid: Uid, type_info: Arc<TypeInfo> },
}

impl Call {
    /// Entity and component, if the call belongs to one.
    pub fn component(&self) -> Option<(Uid, Uid)> {
        match self.subject {
            Subject::Component { eid, cid, .. } => Some((eid, cid)),
            Subject::File(_) => None,
        }
    }
}

impl Calls {
    /// Opens a library or reads a file, which may take long or never return.
    pub fn during_load<R>(&self, path: &Path, call: impl FnOnce() -> R) -> R {
        let call = || noted(Callee::File(path), "load", call);
        self.during(Subject::File(path.to_owned()), "load", call)
    }

    /// Calls a function of a component, which may take long or never return.
    pub fn during_function<R>(
        &self,
        entity: &Entity,
        component: &Component,
        function: &'static str,
        call: impl FnOnce() -> R,
    ) -> R {
        let type_info = component.type_info();
        let named = (component.cid(), component.name());
        self.during_component(entity, named, type_info, function, call)
    }

    /// The same for a component that does not exist yet. Our own queues and their terms are not
    /// recorded: they always return.
    pub fn during_component<R>(
        &self,
        entity: &Entity,
        (cid, name): (Uid, &str),
        type_info: &Arc<TypeInfo>,
        function: &'static str,
        call: impl FnOnce() -> R,
    ) -> R {
        if type_info.native.is_some() {
            return call();
        }
        let eid = entity.eid();
        let callee = Callee::Component { eid, entity: entity.name(), name, type_info };
        let subject = Subject::Component { eid, cid, type_info: type_info.clone() };
        self.during(subject, function, || noted(callee, function, call))
    }

    /// Makes a call. Calls may nest and come from several threads.
    fn during<R>(&self, subject: Subject, function: &'static str, call: impl FnOnce() -> R) -> R {
        let number = {
            let mut open = self.0.lock();
            open.next += 1;
            let number = open.next;
            open.calls.push((number, Call { subject, function, since: Instant::now() }));
            number
        };
        let result = call();
        let mut open = self.0.lock();
        if let Some(at) = open.calls.iter().rposition(|(known, _)| *known == number) {
            open.calls.remove(at);
        }
        result
    }

    /// All calls that have not returned.
    pub fn open(&self) -> Vec<Call> {
        self.0.lock().calls.iter().map(|(_, call)| call.clone()).collect()
    }
}
