//! Entities by id: their users, their state, their end.

use super::Context;
use crate::inner::Inner;
use crate::lifecycle::state::GraphState;
use gxf_app::error::{Error, Result};
use gxf_engine::entity::runner::Runner;
use gxf_engine::graph::store::Entity;
use gxf_plugin::message::by_id::HeldMessage;
use gxf_plugin_abi::{EntityState, Event, ResultCode, Uid};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Context {
    /// Creates an entity. If the name is empty, the runtime chooses one.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` if the name is in use or starts with two underscores.
    pub fn create_entity(&self, name: &str) -> Result<Uid> {
        self.inner().create_entity(name).map(|entity| entity.eid())
    }

    /// Finds an entity by name.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn find_entity(&self, name: &str) -> Result<Uid> {
        self.inner().graph.find_entity(name).map(|entity| entity.eid())
    }

    /// Creates an entity that is activated with the graph (`in_program`) or separately. One without
    /// a name outside the program starts as a message.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`, `ENTITY_NAME_EXCEEDS_LIMIT`, `OUT_OF_MEMORY`
    pub fn create_entity_of(&self, name: &str, in_program: bool) -> Result<Uid> {
        if name.is_empty() && !in_program {
            let create = HeldMessage::create();
            return create.map_err(|code| Error::new(code, "no memory for a message"));
        }
        self.inner().create_entity_of(name, in_program).map(|entity| entity.eid())
    }

    /// All entities in the order of their creation, without messages.
    #[must_use]
    pub fn entities(&self) -> Vec<Uid> {
        self.inner().graph.store.read().entities().iter().map(|entity| entity.eid()).collect()
    }

    /// Whether an entity or a message with this id exists.
    #[must_use]
    pub fn has_entity(&self, eid: Uid) -> bool {
        self.inner().object(eid).is_ok()
    }

    /// Name of an entity; empty for a message.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn entity_name(&self, eid: Uid) -> Result<String> {
        let entity = self.inner().object(eid)?.entity;
        Ok(entity.map_or_else(String::new, |entity| entity.name().to_owned()))
    }

    /// Adds a user. New entities have none.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn add_entity_user(&self, eid: Uid) -> Result<()> {
        let object = self.inner().object(eid)?;
        match (object.message.filter(|_| object.is_message), object.entity) {
            (Some(message), _) => message.add_user(),
            (None, Some(entity)) => _ = entity.users.fetch_add(1, Ordering::AcqRel),
            (None, None) => {}
        }
        Ok(())
    }

    /// Removes a user. Removing the last user of a message, or of an entity outside the program,
    /// destroys it.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `REF_COUNT_NEGATIVE`, and the errors of deactivation
    pub fn remove_entity_user(&self, eid: Uid) -> Result<()> {
        let negative = || Error::new(ResultCode::REF_COUNT_NEGATIVE, "the entity has no users");
        if self.entity_users(eid)? == 0 {
            return Err(negative());
        }
        let object = self.inner().object(eid)?;
        if object.is_message {
            if let Some(message) = &object.message {
                message.remove_user().map_err(|_| negative())?;
            }
            let abandoned = self.inner().is_abandoned(&object);
            let entity = object.entity.filter(|_| abandoned);
            return entity.map_or(Ok(()), |entity| self.inner().remove_entity(entity.eid()));
        }
        let Some(entity) = object.entity else { return Ok(()) };
        let take = |users: i64| (users > 0).then(|| users - 1);
        let before = entity.users.fetch_update(Ordering::AcqRel, Ordering::Acquire, take);
        match before.map_err(|_| negative())? {
            1 if !entity.in_program() => self.inner().remove_entity(eid),
            _ => Ok(()),
        }
    }

    /// Number of users; for a message this includes queues that hold it.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn entity_users(&self, eid: Uid) -> Result<i64> {
        let object = self.inner().object(eid)?;
        let message = object.message.as_ref().filter(|_| object.is_message);
        Ok(match (message, &object.entity) {
            // The entity itself holds one of them.
            (Some(message), Some(_)) => i64::from(message.users()) - 1,
            (Some(message), None) => i64::from(message.users()),
            (None, Some(entity)) => entity.users.load(Ordering::Acquire),
            (None, None) => 0,
        })
    }

    /// Removes an entity, deactivating it first if it is active.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`; `ARGUMENT_INVALID` while it has users; `INVALID_LIFECYCLE_STAGE` while
    /// another thread deactivates it
    pub fn destroy_entity(&self, eid: Uid) -> Result<()> {
        let users = self.entity_users(eid)?;
        if users != 0 {
            let text = format!("the entity has {users} users and cannot be destroyed");
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        let object = self.inner().object(eid)?;
        match (object.entity, object.message) {
            (Some(entity), _) => self.inner().remove_entity(entity.eid()),
            (None, Some(message)) => {
                message.discard().map_err(|code| Error::new(code, "the message has other holders"))
            }
            (None, None) => Ok(()),
        }
    }

    /// Checks and initialises the components of an entity and passes it to the scheduler. Does
    /// nothing for a message.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `INVALID_LIFECYCLE_STAGE`, and the errors of its components
    pub fn activate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.inner().object(eid)?.entity;
        entity.map_or(Ok(()), |entity| self.inner().activate_entity(entity.eid()))
    }

    /// Stops an entity and deinitialises its components. Does nothing for a message.
    ///
    /// # Errors
    /// See [`Context::activate_entity`].
    pub fn deactivate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.inner().object(eid)?.entity;
        entity.map_or(Ok(()), |entity| self.inner().deactivate_entity(entity.eid()))
    }

    /// Execution status of an entity, GXF's `gxf_entity_status_t`.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn entity_status(&self, eid: Uid) -> Result<u8> {
        let entity = self.inner().object(eid)?.entity;
        let runner = entity.and_then(|entity| self.inner().active_runners.get(entity.eid()));
        Ok(runner.map_or(0, |runner| runner.status().number()))
    }

    /// Latest verdict of an entity's controller, GXF's `entity_state_t`; 4 without a controller.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn entity_behavior(&self, eid: Uid) -> Result<i32> {
        const UNKNOWN: EntityState = EntityState { behavior: 4, reserved: 0, verdicts: 0 };
        let entity = self.inner().object(eid)?.entity;
        let runner = entity.and_then(|entity| self.inner().active_runners.get(entity.eid()));
        Ok(runner.map_or(UNKNOWN, |runner| runner.state()).behavior)
    }

    /// Makes the scheduler check an entity again. Does nothing while the graph is being activated
    /// or deactivated.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`; `INVALID_EXECUTION_SEQUENCE` if the graph does not run
    pub fn notify_entity(&self, eid: Uid, event: Event) -> Result<()> {
        let object = self.inner().object(eid)?;
        let state = *self.inner().state.lock();
        match state {
            GraphState::Running | GraphState::Interrupting => object
                .entity
                .map_or(Ok(()), |entity| self.inner().notify_entity(entity.eid(), event)),
            GraphState::Activating | GraphState::Deinitializing => Ok(()),
            GraphState::Origin | GraphState::Activated => Err(Error::new(
                ResultCode::INVALID_EXECUTION_SEQUENCE,
                "nothing can be notified, because the graph does not run",
            )),
        }
    }
}

impl Inner {
    pub fn create_entity(&self, name: &str) -> Result<Arc<Entity>> {
        self.create_entity_of(name, true)
    }

    /// Creates an entity that is activated with the graph or separately.
    pub fn create_entity_of(&self, name: &str, in_program: bool) -> Result<Arc<Entity>> {
        /// GXF's limit, including the final zero byte.
        const NAME_SIZE: usize = 2048;
        if name.len() >= NAME_SIZE {
            return Err(Error::new(
                ResultCode::ENTITY_NAME_EXCEEDS_LIMIT,
                format!("an entity name has at most {} bytes", NAME_SIZE - 1),
            ));
        }
        if name.starts_with("__") {
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "`{name}`: names that start with two underscores are reserved for the runtime"
                ),
            ));
        }
        self.graph.store.write().create_entity_of(name, in_program).ok_or_else(|| {
            Error::new(ResultCode::ARGUMENT_INVALID, format!("an entity `{name}` already exists"))
        })
    }

    /// The runner of an active entity with codelets.
    pub fn runner_of(&self, eid: Uid) -> Result<Arc<Runner>> {
        let entity = self.graph.entity(eid)?;
        let runner = self.active_runners.get(eid);
        runner.ok_or_else(|| {
            Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                format!("entity `{}` is not active or has no codelets", entity.name()),
            )
        })
    }

    /// Makes the scheduler check an entity again.
    pub fn notify_entity(&self, eid: Uid, event: Event) -> Result<()> {
        let entity = self.graph.entity(eid)?;
        self.active_runners.notify(eid);
        if self.has_systems.load(Ordering::Acquire) {
            self.notify_systems(&entity, event)?;
        }
        if event == Event::TIME_UPDATE {
            // The clock moved, and the scheduler may be sleeping on it.
            self.poke_scheduler();
        }
        Ok(())
    }

    /// Removes an entity and everything that refers to it.
    pub fn remove_entity(&self, eid: Uid) -> Result<()> {
        let destroyed = self.destroy_entity(eid);
        if self.graph.entity(eid).is_ok() {
            return destroyed;
        }
        self.graph.groups.lock().forget(eid);
        self.drop_id_aliases(eid);
        destroyed
    }
}
