//! Changes to the graph from within: a component can create entities, let them join and leave, and,
//! as a scheduler, execute them.

use crate::abi::{ParameterType, Value};
use crate::host::{check, host};
use crate::{Condition, ConditionType, ContextHandle, Result, Tid, Uid, text_of};
use core::ffi::c_void;

/// A value for a parameter of another component. Its type must match the parameter's exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NewValue<'a> {
    /// For `bool`.
    Bool(bool),
    /// For `i32`.
    Int32(i32),
    /// For `i64`.
    Int64(i64),
    /// For `u32`.
    UInt32(u32),
    /// For `u64` and `usize`.
    UInt64(u64),
    /// For `f64`.
    Float64(f64),
    /// For `String`.
    Text(&'a str),
    /// For a handle: the component it refers to.
    Component(Uid),
}

/// Functions of GXF's C API on the component's own graph.
impl ContextHandle {
    /// Creates an entity without components. If the name is empty, the host chooses one.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` if the name is in use.
    pub fn create_entity(&self, name: &str) -> Result<Uid> {
        let mut eid = 0;
        // SAFETY: the context is alive; `eid` is written on success only.
        check(unsafe { (host().entity_create)(self.raw(), text_of(name), &raw mut eid) })?;
        Ok(eid)
    }

    /// Finds an entity by name.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn find_entity(&self, name: &str) -> Result<Uid> {
        let mut eid = 0;
        // SAFETY: the context is alive; `eid` is written on success only.
        check(unsafe { (host().entity_find)(self.raw(), text_of(name), &raw mut eid) })?;
        Ok(eid)
    }

    /// Adds a component of the type with this full name to an entity that is not active.
    ///
    /// # Errors
    /// `FACTORY_UNKNOWN_CLASS_NAME`, `ENTITY_CAN_NOT_ADD_COMPONENT_AFTER_INITIALIZATION`, …
    pub fn add_component(&self, eid: Uid, type_name: &str, name: &str) -> Result<Uid> {
        let (mut tid, mut cid) = (Tid::NULL, 0);
        // SAFETY: the context is alive; results are written on success only.
        unsafe {
            check((host().type_id)(self.raw(), text_of(type_name), &raw mut tid))?;
            check((host().component_add)(self.raw(), eid, tid, text_of(name), &raw mut cid))?;
        }
        Ok(cid)
    }

    /// Finds a component of an entity by name.
    ///
    /// # Errors
    /// `ENTITY_COMPONENT_NOT_FOUND`
    pub fn find_component(&self, eid: Uid, name: &str) -> Result<Uid> {
        let mut cid = 0;
        // SAFETY: the context is alive, a null offset is allowed, and `cid` is written on success
        // only.
        check(unsafe {
            (host().component_find)(
                self.raw(),
                eid,
                Tid::NULL,
                text_of(name),
                core::ptr::null_mut(),
                &raw mut cid,
            )
        })?;
        Ok(cid)
    }

    /// Sets a parameter of a component, between two ticks of its entity.
    ///
    /// # Errors
    /// `PARAMETER_INVALID_TYPE`, `PARAMETER_OUT_OF_RANGE`, …
    pub fn set_parameter(&self, cid: Uid, key: &str, value: NewValue<'_>) -> Result<()> {
        let text;
        let flag;
        let (element_type, data): (_, *const c_void) = match &value {
            NewValue::Bool(value) => {
                flag = u8::from(*value);
                (ParameterType::BOOL, (&raw const flag).cast())
            }
            NewValue::Int32(value) => (ParameterType::INT32, core::ptr::from_ref(value).cast()),
            NewValue::Int64(value) => (ParameterType::INT64, core::ptr::from_ref(value).cast()),
            NewValue::UInt32(value) => (ParameterType::UINT32, core::ptr::from_ref(value).cast()),
            NewValue::UInt64(value) => (ParameterType::UINT64, core::ptr::from_ref(value).cast()),
            NewValue::Float64(value) => (ParameterType::FLOAT64, core::ptr::from_ref(value).cast()),
            NewValue::Text(value) => {
                text = text_of(value);
                (ParameterType::STRING, (&raw const text).cast())
            }
            NewValue::Component(cid) => (ParameterType::HANDLE, core::ptr::from_ref(cid).cast()),
        };
        let value = Value { element_type, rank: 0, count: 1, data };
        // SAFETY: the context is alive; the value is valid during the call.
        check(unsafe { (host().parameter_set)(self.raw(), cid, text_of(key), &raw const value) })
    }

    /// Activates an entity: initialises its components and, in an active graph, connects and
    /// schedules it.
    ///
    /// # Errors
    /// `INVALID_LIFECYCLE_STAGE`, `PARAMETER_MANDATORY_NOT_SET`, or the error of a component.
    pub fn activate_entity(&self, eid: Uid) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { (host().entity_activate)(self.raw(), eid) })
    }

    /// Stops an entity and deinitialises its components. Not possible from the entity's own tick.
    /// If ticks of two entities deactivate each other at the same moment, the later call fails.
    ///
    /// # Errors
    /// `INVALID_LIFECYCLE_STAGE`, or the error of a component.
    pub fn deactivate_entity(&self, eid: Uid) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { (host().entity_deactivate)(self.raw(), eid) })
    }

    /// Removes an entity, deactivating it first if it is active.
    ///
    /// # Errors
    /// See [`ContextHandle::deactivate_entity`].
    pub fn destroy_entity(&self, eid: Uid) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { (host().entity_destroy)(self.raw(), eid) })
    }

    /// Executes an entity once at time `now` (nanoseconds of the scheduler's clock): starts it, or
    /// ticks it if its terms allow. Only schedulers may call this, from one thread at a time for
    /// each entity.
    ///
    /// # Errors
    /// The error of a codelet or term; the scheduler must then end the graph.
    pub fn execute_entity(&self, eid: Uid, now: i64) -> Result<Condition> {
        let mut condition = Condition { condition_type: ConditionType::NEVER, target: now };
        // SAFETY: the context is alive; `condition` is written on success only.
        check(unsafe { (host().entity_execute)(self.raw(), eid, now, &raw mut condition) })?;
        Ok(condition)
    }
}
