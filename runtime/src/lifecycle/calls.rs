//! Which code of an extension is being called while a graph is loaded, activated or taken down, and
//! since when: a call that does not return is told by name.

use crate::entity::store::Entity;
use crate::extension::registry::TypeInfo;
use crate::plugin::component::Component;
use crate::plugin::fatal::{Callee, noted};
use gxf_plugin_abi::Uid;
use parking_lot::Mutex;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The calls that have not returned, the outermost first.
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

/// Whose code is called.
#[derive(Clone)]
pub(crate) enum Subject {
    /// A library while the system opens it, or a file while it is read.
    File(PathBuf),
    /// A component; while it is created, its entity does not have it yet.
    Component { eid: Uid, cid: Uid, type_info: Arc<TypeInfo> },
}

impl Call {
    /// Entity and component, if it is one of a component.
    pub fn component(&self) -> Option<(Uid, Uid)> {
        match self.subject {
            Subject::Component { eid, cid, .. } => Some((eid, cid)),
            Subject::File(_) => None,
        }
    }
}

impl Calls {
    /// Opens a library or reads a file, which may take long, or never return.
    pub fn during_load<R>(&self, path: &Path, call: impl FnOnce() -> R) -> R {
        let call = || noted(Callee::File(path), "load", call);
        self.during(Subject::File(path.to_owned()), "load", call)
    }

    /// Calls a function of a component, which may take long, or never return.
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

    /// The same for one that has only an id, a name and a type yet.
    pub fn during_component<R>(
        &self,
        entity: &Entity,
        (cid, name): (Uid, &str),
        type_info: &Arc<TypeInfo>,
        function: &'static str,
        call: impl FnOnce() -> R,
    ) -> R {
        let callee = Callee::Component { entity: entity.name(), name, type_info };
        let subject = Subject::Component { eid: entity.eid(), cid, type_info: type_info.clone() };
        self.during(subject, function, || noted(callee, function, call))
    }

    /// Makes a call. Calls may be made within calls and from several threads.
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

    /// All that have not returned.
    pub fn open(&self) -> Vec<Call> {
        self.0.lock().calls.iter().map(|(_, call)| call.clone()).collect()
    }
}
