//! Entities by id: their users, their state, their end.

use super::{Context, Inner};
use crate::entity::runner::Runner;
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::graph::suggest::did_you_mean;
use crate::lifecycle::GraphState;
use crate::message::by_id::HeldMessage;
use gxf_plugin_abi::{EntityState, Event, ResultCode, Uid};
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Context {
    /// Creates an entity; an empty name is made up.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` when the name is in use or begins with two underscores.
    pub fn create_entity(&self, name: &str) -> Result<Uid> {
        self.inner().create_entity(name).map(|entity| entity.eid())
    }

    /// Finds an entity by name.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn find_entity(&self, name: &str) -> Result<Uid> {
        self.inner().find_entity(name).map(|entity| entity.eid())
    }

    /// Creates an entity that is activated with the graph (`in_program`) or on its own. One without
    /// a name that is not in the program begins as a message.
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

    /// All entities, in the order of their creation. Messages are not among them.
    #[must_use]
    pub fn entities(&self) -> Vec<Uid> {
        self.inner().store.read().entities().iter().map(|entity| entity.eid()).collect()
    }

    /// Whether there is an entity or a message with this id.
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

    /// One user more. New entities have none.
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

    /// One user less. The last one of a message or of an entity outside of the program takes it
    /// away.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `REF_COUNT_NEGATIVE`, and those of the deactivation
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

    /// Number of users; for a message also queues that hold it.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn entity_users(&self, eid: Uid) -> Result<i64> {
        let object = self.inner().object(eid)?;
        let message = object.message.as_ref().filter(|_| object.is_message);
        Ok(match (message, &object.entity) {
            // One of them is what makes it an entity as well.
            (Some(message), Some(_)) => i64::from(message.users()) - 1,
            (Some(message), None) => i64::from(message.users()),
            (None, Some(entity)) => entity.users.load(Ordering::Acquire),
            (None, None) => 0,
        })
    }

    /// Deactivates an entity if need be and removes it.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`; `ARGUMENT_INVALID` while it has users
    pub fn destroy_entity(&self, eid: Uid) -> Result<()> {
        let users = self.entity_users(eid)?;
        if users != 0 {
            let text = format!("the entity has {users} users and cannot be destroyed");
            return Err(Error::new(ResultCode::ARGUMENT_INVALID, text));
        }
        let object = self.inner().object(eid)?;
        match (object.entity, object.message) {
            (Some(entity), _) => self.inner().remove_entity(entity.eid()),
            (None, Some(message)) => message
                .discard()
                .map_err(|code| Error::new(code, "others hold the message as well")),
            (None, None) => Ok(()),
        }
    }

    /// Checks and initialises the components of an entity and hands it to the scheduler. Nothing
    /// happens for a message.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`, `INVALID_LIFECYCLE_STAGE`, and those of its components
    pub fn activate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.inner().object(eid)?.entity;
        entity.map_or(Ok(()), |entity| self.inner().activate_entity(entity.eid()))
    }

    /// Stops an entity and deinitialises its components. Nothing happens for a message.
    ///
    /// # Errors
    /// As [`Context::activate_entity`].
    pub fn deactivate_entity(&self, eid: Uid) -> Result<()> {
        let entity = self.inner().object(eid)?.entity;
        entity.map_or(Ok(()), |entity| self.inner().deactivate_entity(entity.eid()))
    }

    /// Where the execution of an entity stands, as GXF's `gxf_entity_status_t`.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn entity_status(&self, eid: Uid) -> Result<u8> {
        let entity = self.inner().object(eid)?.entity;
        let runner = entity.and_then(|entity| entity.runner.read().clone());
        Ok(runner.map_or(0, |runner| runner.status()))
    }

    /// What the controller of an entity said last, as GXF's `entity_state_t`; 4 without one.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`
    pub fn entity_behavior(&self, eid: Uid) -> Result<i32> {
        const UNKNOWN: EntityState = EntityState { behavior: 4, reserved: 0, verdicts: 0 };
        let entity = self.inner().object(eid)?.entity;
        let runner = entity.and_then(|entity| entity.runner.read().clone());
        Ok(runner.map_or(UNKNOWN, |runner| runner.state()).behavior)
    }

    /// Makes the scheduler look at an entity again. Nothing happens while the graph is on its way
    /// up or down.
    ///
    /// # Errors
    /// `ENTITY_NOT_FOUND`; `INVALID_EXECUTION_SEQUENCE` when the graph does not run
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
    pub fn entity(&self, eid: Uid) -> Result<Arc<Entity>> {
        self.store.read().entity(eid).cloned().ok_or_else(|| {
            Error::new(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity with id {eid}"))
        })
    }

    pub fn find_entity(&self, name: &str) -> Result<Arc<Entity>> {
        let store = self.store.read();
        store.entity_named(name).cloned().ok_or_else(|| {
            let hint = did_you_mean(name, store.entity_names());
            Error::new(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity `{name}`{hint}"))
        })
    }

    pub fn create_entity(&self, name: &str) -> Result<Arc<Entity>> {
        self.create_entity_of(name, true)
    }

    /// Creates an entity that is activated with the graph, or one that is not.
    pub fn create_entity_of(&self, name: &str, in_program: bool) -> Result<Arc<Entity>> {
        /// GXF's limit, with the final zero byte.
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
                format!("`{name}`: names that begin with two underscores are kept for the runtime"),
            ));
        }
        self.store.write().create_entity_of(name, in_program).ok_or_else(|| {
            Error::new(ResultCode::ARGUMENT_INVALID, format!("there is an entity `{name}` already"))
        })
    }

    /// What executes an entity that is active and has codelets.
    pub fn runner_of(&self, eid: Uid) -> Result<Arc<Runner>> {
        let entity = self.entity(eid)?;
        let runner = entity.runner.read().clone();
        runner.ok_or_else(|| {
            Error::new(
                ResultCode::INVALID_LIFECYCLE_STAGE,
                format!("entity `{}` is not active or has no codelets", entity.name()),
            )
        })
    }

    /// Makes the scheduler look at an entity again.
    pub fn notify_entity(&self, eid: Uid, event: Event) -> Result<()> {
        let entity = self.entity(eid)?;
        if let Some(runner) = &*entity.runner.read() {
            runner.notify();
        }
        for watcher in &*entity.watchers.read() {
            watcher.notify();
        }
        if self.has_systems.load(Ordering::Acquire) {
            self.notify_systems(&entity, event)?;
        }
        if event == Event::TIME_UPDATE {
            // A clock was moved: the scheduler may sleep on it.
            self.poke_scheduler();
        }
        Ok(())
    }

    /// Removes an entity and everything that is known about it.
    pub fn remove_entity(&self, eid: Uid) -> Result<()> {
        let destroyed = self.destroy_entity(eid);
        self.groups.lock().forget(eid);
        self.drop_faces(eid);
        destroyed
    }
}
