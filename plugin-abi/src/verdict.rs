//! The numbers of a controller's verdict, [`ControllerStatus`](crate::ControllerStatus).

/// GXF's `entity_state_t`: what parents in a behaviour tree read.
pub mod behavior {
    /// The entity has not ticked yet.
    pub const INIT: i32 = 0;
    /// The entity has succeeded.
    pub const SUCCESS: i32 = 1;
    /// The entity is still running.
    pub const RUNNING: i32 = 2;
    /// The entity has failed.
    pub const FAILURE: i32 = 3;
    /// The entity has no controller.
    pub const UNKNOWN: i32 = 4;
}

/// What becomes of the entity.
pub mod execution {
    /// It goes on while it is running, and ends otherwise.
    pub const SUCCESS: i32 = 0;
    /// It ticks again.
    pub const FAILURE_REPEAT: i32 = 1;
    /// It is stopped.
    pub const FAILURE_DEACTIVATE: i32 = 2;
    /// The whole graph ends.
    pub const FAILURE: i32 = 3;
}
