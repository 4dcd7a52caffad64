//! Changing the graph from within: entities that a component makes, lets join and leave, and
//! executes itself when it is a scheduler.

use crate::abi::{ParameterType, Value};
use crate::host::{check, host};
use crate::{Condition, ConditionType, ContextHandle, Result, Tid, Uid, text_of};
use core::ffi::c_void;

/// A value for a parameter of another component. It has to be of the parameter's very type.
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
    /// For a handle: the component it leads to.
    Component(Uid),
}

/// Functions of GXF's C API on the graph a component is part of.
impl ContextHandle {
    /// Creates an entity without components; an empty name is made up.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` for a name that is in use.
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
        // SAFETY: the context is alive; an absent offset is allowed; `cid` is written on success only.
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

    /// Activates an entity: its components are initialised, and in an active graph it is connected
    /// and scheduled from now on.
    ///
    /// # Errors
    /// `INVALID_LIFECYCLE_STAGE`, `PARAMETER_MANDATORY_NOT_SET`, or what a component says.
    pub fn activate_entity(&self, eid: Uid) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { (host().entity_activate)(self.raw(), eid) })
    }

    /// Stops an entity and deinitialises its components. Not from within its own tick; and of entities
    /// whose ticks make each other leave at the same moment, the one that comes last is refused.
    ///
    /// # Errors
    /// `INVALID_LIFECYCLE_STAGE`, or what a component says.
    pub fn deactivate_entity(&self, eid: Uid) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { (host().entity_deactivate)(self.raw(), eid) })
    }

    /// Deactivates an entity if need be and removes it.
    ///
    /// # Errors
    /// As [`ContextHandle::deactivate_entity`].
    pub fn destroy_entity(&self, eid: Uid) -> Result<()> {
        // SAFETY: the context is alive.
        check(unsafe { (host().entity_destroy)(self.raw(), eid) })
    }

    /// Executes an entity once at time `now`: starts it, or ticks it if its terms allow. For
    /// schedulers; only they may do so, and an entity runs on one thread at a time.
    ///
    /// # Errors
    /// That of a codelet or term; the graph has to end then.
    pub fn execute_entity(&self, eid: Uid, now: i64) -> Result<Condition> {
        let mut condition = Condition { condition_type: ConditionType::NEVER, target: now };
        // SAFETY: the context is alive; `condition` is written on success only.
        check(unsafe { (host().entity_execute)(self.raw(), eid, now, &raw mut condition) })?;
        Ok(condition)
    }
}
