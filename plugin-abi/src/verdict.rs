//! The numbers of a controller's verdict, [`ControllerStatus`](crate::ControllerStatus). `BEHAVIOR`
//! is GXF's `entity_state_t`, which parents in a behaviour tree read; `EXECUTION` says what becomes
//! of the entity.

/// The entity has not ticked yet.
pub const BEHAVIOR_INIT: i32 = 0;
/// The entity has succeeded.
pub const BEHAVIOR_SUCCESS: i32 = 1;
/// The entity is still running.
pub const BEHAVIOR_RUNNING: i32 = 2;
/// The entity has failed.
pub const BEHAVIOR_FAILURE: i32 = 3;
/// The entity has no controller.
pub const BEHAVIOR_UNKNOWN: i32 = 4;

/// The entity goes on while it is running, and ends otherwise.
pub const EXECUTION_SUCCESS: i32 = 0;
/// The entity ticks again.
pub const EXECUTION_FAILURE_REPEAT: i32 = 1;
/// The entity is stopped.
pub const EXECUTION_FAILURE_DEACTIVATE: i32 = 2;
/// The whole graph ends.
pub const EXECUTION_FAILURE: i32 = 3;
