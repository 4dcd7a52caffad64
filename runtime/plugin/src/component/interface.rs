//! Calls from the runtime to components.

#![expect(unsafe_code, reason = "calls and reads what an extension handed over")]

use super::Component;
use gxf_plugin_abi::tids;
use std::ptr::NonNull;
use std::sync::Arc;

/// Direct access to a built-in component. The engine uses this shortcut for what every message
/// passes; everything else goes through [`Interface`].
pub struct Native<T> {
    pub(super) object: NonNull<T>,
    pub(super) component: Arc<Component>,
}

// SAFETY: built-in components are `Sync`, as the traits of `gxf::implement` require.
unsafe impl<T: Sync> Send for Native<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Native<T> {}

impl<T> Clone for Native<T> {
    fn clone(&self) -> Self {
        Self { object: self.object, component: self.component.clone() }
    }
}

impl<T> Native<T> {
    /// The component it belongs to.
    pub fn component(&self) -> &Arc<Component> {
        &self.component
    }
}

impl<T> std::ops::Deref for Native<T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: the type matches, the component is kept alive, and no mutable reference exists to
        // a component that is not a codelet.
        unsafe { self.object.as_ref() }
    }
}

/// A typed interface of a component, which it keeps alive.
pub struct Interface<T> {
    interface: T,
    component: Arc<Component>,
}

impl<T> Interface<T> {
    /// The component it belongs to.
    pub fn component(&self) -> &Arc<Component> {
        &self.component
    }

    /// Like [`call`](Self::call), for a component of another entity, which may be leaving: does
    /// nothing if it has left.
    ///
    /// # Errors
    /// Those of the function.
    #[inline]
    pub fn call_unless_left(
        &self,
        function: &'static str,
        call: impl FnOnce(&T) -> gxf::Result<()>,
    ) -> gxf::Result<()> {
        match self.component.gate.enter() {
            Some(_entered) => self.call(function, call),
            None => Ok(()),
        }
    }

    /// Calls a function of the interface, known by this name if the process ends within it.
    #[inline]
    pub fn call<R>(&self, function: &'static str, call: impl FnOnce(&T) -> R) -> R {
        self.component.noted(function, || call(&self.interface))
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

/// An interface that the runtime calls.
pub trait FromComponent: Sized {
    /// The interface of a component, if the component has it.
    fn from_component(component: &Arc<Component>) -> Option<Interface<Self>>;
}

macro_rules! from_component {
    ($($name:ident = $tid:ident;)*) => {$(
        impl FromComponent for gxf::$name {
            fn from_component(component: &Arc<Component>) -> Option<Interface<Self>> {
                let (object, vtable) = component.interface(tids::$tid)?;
                Some(Interface {
                    // SAFETY: the table belongs to the object, and the component is kept alive.
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
    Completion = COMPLETION;
    Link = LINK;
    CountedLink = COUNTED_LINK;
    DeviceQueue = DEVICE_QUEUE;
    EndOfInputs = END_OF_INPUTS;
    EventLoop = EVENT_LOOP;
    IpcServer = IPC_SERVER;
    NetworkContext = NETWORK_CONTEXT;
}

macro_rules! derived_from_component {
    ($($name:ident: $base:ident = $tid:ident;)*) => {$(
        impl FromComponent for gxf::$name {
            fn from_component(component: &Arc<Component>) -> Option<Interface<Self>> {
                let base = gxf::$base::from_component(component)?.interface;
                let (object, vtable) = component.interface(tids::$tid)?;
                Some(Interface {
                    // SAFETY: the tables belong to the object, and the component is kept alive.
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
