//! The inlets of this process, so that outlets of this process find them.

use crate::address::is_here;
use crate::inlet::Inlet;
use parking_lot::Mutex;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Weak};

static INLETS: Mutex<Vec<(SocketAddr, Weak<Inlet>)>> = Mutex::new(Vec::new());

/// Makes an inlet known under the address that its receiver asks for.
pub fn add(address: SocketAddr, inlet: &Arc<Inlet>) {
    let mut inlets = INLETS.lock();
    inlets.retain(|(_, known)| known.strong_count() > 0);
    inlets.push((address, Arc::downgrade(inlet)));
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
    let reaches = |ip: IpAddr| ip == address.ip() || (ip.is_unspecified() || is_here(ip));
    found.into_iter().find(|(ip, _)| reaches(*ip) && is_here(address.ip())).map(|(_, inlet)| inlet)
}
