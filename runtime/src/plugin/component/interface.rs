//! What the runtime calls a component through.

use super::Component;
use gxf_plugin_abi::tids;
use std::ptr::NonNull;
use std::sync::Arc;

/// One of our own components as what it is. The engine takes this short way to what every message
/// passes; everything else goes through [`Interface`].
pub(crate) struct Native<T> {
    pub(super) object: NonNull<T>,
    pub(super) component: Arc<Component>,
}

// SAFETY: our own components are `Sync`, as the traits of `gxf::implement` demand.
unsafe impl<T: Sync> Send for Native<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Native<T> {}

impl<T> Native<T> {
    pub fn component(&self) -> &Arc<Component> {
        &self.component
    }
}

impl<T> std::ops::Deref for Native<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the type was compared, the component is kept alive, and nobody has a mutable
        // reference to a component that is not a codelet.
        unsafe { self.object.as_ref() }
    }
}

/// A typed interface of a component, which it keeps alive.
pub(crate) struct Interface<T> {
    interface: T,
    component: Arc<Component>,
}

impl<T> Interface<T> {
    pub fn component(&self) -> &Arc<Component> {
        &self.component
    }
}

impl<T> std::ops::Deref for Interface<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.interface
    }
}

impl<T: Clone> Clone for Interface<T> {
    fn clone(&self) -> Self {
        Self { interface: self.interface.clone(), component: self.component.clone() }
    }
}

/// An interface the runtime calls.
pub(crate) trait FromComponent: Sized {
    /// The interface of a component, if it has it.
    fn from_component(component: &Arc<Component>) -> Option<Interface<Self>>;
}

macro_rules! from_component {
    ($($name:ident = $tid:ident;)*) => {$(
        impl FromComponent for gxf::$name {
            fn from_component(component: &Arc<Component>) -> Option<Interface<Self>> {
                let (object, vtable) = component.interface(tids::$tid)?;
                Some(Interface {
                    // SAFETY: the table belongs to the object; the component is kept alive.
                    interface: unsafe { Self::from_raw(object, vtable) },
                    component: component.clone(),
                })
            }
        }
    )*};
}

from_component! {
    Queue = QUEUE;
    SchedulingTerm = SCHEDULING_TERM;
    SchedulingTermCombiner = SCHEDULING_TERM_COMBINER;
    BtSchedulingTerm = BT_SCHEDULING_TERM;
    Clock = CLOCK;
    Router = ROUTER;
    System = SYSTEM;
    Controller = CONTROLLER;
    Monitor = MONITOR;
    Allocator = ALLOCATOR;
}

macro_rules! derived_from_component {
    ($($name:ident: $base:ident = $tid:ident;)*) => {$(
        impl FromComponent for gxf::$name {
            fn from_component(component: &Arc<Component>) -> Option<Interface<Self>> {
                let base = gxf::$base::from_component(component)?.interface;
                let (object, vtable) = component.interface(tids::$tid)?;
                Some(Interface {
                    // SAFETY: the tables belong to the object; the component is kept alive.
                    interface: unsafe { Self::from_raw(object, vtable, base) },
                    component: component.clone(),
                })
            }
        }
    )*};
}

derived_from_component! {
    Receiver: Queue = RECEIVER;
    Transmitter: Queue = TRANSMITTER;
    Scheduler: System = SCHEDULER;
}
