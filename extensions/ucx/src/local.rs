//! The inlets of this process, so that outlets of this process find them.

use crate::address::{is_here, reached_at};
use crate::inlet::Inlet;
use parking_lot::Mutex;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};

static INLETS: Mutex<Vec<(SocketAddr, Weak<Inlet>)>> = Mutex::new(Vec::new());

/// Makes an inlet known under the address that its receiver asks for, and the one that it gets.
pub fn add(asked: SocketAddr, listening: SocketAddr, inlet: &Arc<Inlet>) {
    let mut inlets = INLETS.lock();
    inlets.retain(|(_, known)| known.strong_count() > 0);
    inlets.push((asked, Arc::downgrade(inlet)));
    if asked != listening {
        inlets.push((listening, Arc::downgrade(inlet)));
    }
}

/// Forgets an inlet.
pub fn remove(inlet: &Arc<Inlet>) {
    INLETS.lock().retain(|(_, known)| !std::ptr::eq(known.as_ptr(), Arc::as_ptr(inlet)));
}

/// The inlet of this process at an address.
pub fn find(address: SocketAddr) -> Option<Arc<Inlet>> {
    let found: Vec<_> = {
        let inlets = INLETS.lock();
        let same = inlets.iter().filter(|(known, _)| known.port() == address.port());
        same.filter_map(|(known, inlet)| Some((known.ip(), inlet.upgrade()?))).collect()
    };
    if found.is_empty() || !is_here(address.ip()) {
        return None;
    }
    reached_at(address.ip()).into_iter().find_map(|place| {
        let listens_there = found.iter().find(|(known, _)| {
            *known == place || (known.is_unspecified() && place.is_unspecified())
        });
        listens_there.map(|(_, inlet)| inlet.clone())
    })
}
