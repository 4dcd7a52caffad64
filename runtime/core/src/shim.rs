//! Proxies for components. C++ programs ask for the address of a component and use it as an object
//! of GXF's class. A component made with the C++ headers is such an object. For others, the headers
//! announce how to create a proxy (`gxf/sdk/announce.hpp`), which is created once and lives as long
//! as its context.

use crate::boundary::Text;
use gxf_plugin_abi::{Tid, Uid};
use gxf_runtime::Context;
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::sync::LazyLock;

/// As the headers declare it.
#[repr(C)]
struct Shim {
    type_name: Text,
    own_interface: Tid,
    make: unsafe extern "C" fn(*mut c_void, Uid) -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: constant data, and functions that any thread may call.
unsafe impl Sync for Shim {}

/// An announcement, with the name of its type.
type Announced = (&'static str, &'static Shim);

/// The announcements.
static KNOWN: RwLock<Vec<Announced>> = RwLock::new(Vec::new());

/// A proxy, and the address of its component.
struct Made {
    component: usize,
    object: usize,
    shim: &'static Shim,
}

/// Address of a context, id of a component, type name of the proxy.
type Key = (usize, Uid, &'static str);

/// The proxies.
static MADE: LazyLock<Mutex<HashMap<Key, Made>>> = LazyLock::new(Mutex::default);

impl Drop for Made {
    fn drop(&mut self) {
        // SAFETY: `make` of the same announcement created the object, which has no users left.
        unsafe { (self.shim.destroy)(self.object as *mut c_void) };
    }
}

/// # Safety
/// `shim` must be null or valid for ever, including what it refers to.
#[unsafe(no_mangle)]
unsafe extern "C" fn GxeAnnounceStandIn(shim: *const Shim) {
    // SAFETY: `shim` is null or valid for ever, as is everything that it refers to.
    let Some(shim) = (unsafe { shim.as_ref() }) else { return };
    if shim.type_name.is_null() {
        return;
    }
    // SAFETY: `shim` is null or valid for ever, as is everything that it refers to.
    let Ok(name) = unsafe { CStr::from_ptr(shim.type_name) }.to_str() else { return };
    let mut known = KNOWN.write();
    if !known.iter().any(|(other, _)| *other == name) {
        known.push((name, shim));
    }
}

/// The announcement for a type, or for its nearest base that has one.
fn shim_for(context: &Context, tid: Tid) -> Option<Announced> {
    let is_base = |derived, base| context.is_base(derived, base).is_ok_and(|is_base| is_base);
    let mut nearest: Option<(Tid, Announced)> = None;
    for announced in KNOWN.read().iter() {
        let Ok(base) = context.type_id(announced.0) else { continue };
        if is_base(tid, base) && nearest.is_none_or(|(found, _)| is_base(base, found)) {
            nearest = Some((base, *announced));
        }
    }
    nearest.map(|(_, announced)| announced)
}

/// The proxy for the component at this address, if it needs one.
pub(crate) fn object_for(
    context: &Context,
    cid: Uid,
    tid: Tid,
    address: *mut c_void,
) -> *mut c_void {
    let asked = if tid.is_null() { context.component_type(cid).ok() } else { Some(tid) };
    let Some((name, shim)) = asked.and_then(|tid| shim_for(context, tid)) else {
        return address;
    };
    // A payload has no interfaces and needs no proxy.
    if context.has_interface(cid, shim.own_interface).unwrap_or(true) {
        return address;
    }
    let raw = context.as_raw();
    let key = (raw.addr(), cid, name);
    if let Some(made) = MADE.lock().get(&key)
        && made.component == address.addr()
    {
        return made.object as *mut c_void;
    }
    // Without the lock, because creating the proxy queries the graph.
    // SAFETY: the context is alive.
    let object = unsafe { (shim.make)(raw, cid) };
    if object.is_null() {
        return address;
    }
    let new = Made { component: address.addr(), object: object.addr(), shim };
    let mut all = MADE.lock();
    // Another thread may have been faster; its proxy is already in use.
    let faster = all.get(&key).filter(|made| made.component == new.component).map(|m| m.object);
    let (kept, spare) = match faster {
        Some(object) => (object, Some(new)),
        None => (new.object, all.insert(key, new)),
    };
    drop(all);
    drop(spare);
    kept as *mut c_void
}

/// Destroys the proxies of a context that is about to end.
pub(crate) fn forget(raw: *mut c_void) {
    let gone: Vec<_> = MADE.lock().extract_if(|key, _| key.0 == raw.addr()).collect();
    // Without the lock, because the proxies release components.
    drop(gone);
}
