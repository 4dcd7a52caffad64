//! The concurrent primitives of the engine. Everything that loom models lives here.
//!
//! - [`biased_lock`]: a lock that costs its usual thread no atomic exchange; [`tick_lock`]: the one
//!   around each execution of an entity, with access for visitors;
//! - [`call_gate`]: waits until nobody calls a component that leaves;
//! - [`run_state`]: whether an entity rests, is queued, or belongs to a worker;
//! - [`event_queue`]: events from other threads, pause and stop; the scheduler sleeps there; [`habit`]:
//!   whether a look before a sleep is worthwhile;
//! - [`parker`]: wakes a sleeping worker; [`bell`]: the same, nearly free while the thread is awake;
//! - [`stages`]: a bounded queue with two stages, one for those who send and one for who receives;
//! - [`lane`]: a bounded queue from one thread to another; [`credits`]: how many messages may be on it;
//! - [`fence`]: counts what has been done, for threads that wait for it; [`shared_fence`]: the same for
//!   processes; [`frames`]: releases the frames of a static schedule; [`seat`]: gives workers one program after the other;
//! - [`timers`]: the target times that the workers of a pool share;
//! - [`ready_set`]: the entities that a single-threaded scheduler must check;
//! - [`free_list`]: a lock-free stack of free indices;
//! - [`time_base`]: the line that a real-time clock follows;
//! - [`wait_graph`]: refuses a wait that would close a cycle.
//!
//! This crate knows nothing about graphs and imports no other crate of the project.

pub mod bell;
pub mod biased_lock;
pub mod call_gate;
pub mod credits;
pub mod event_queue;
pub mod fence;
pub mod frames;
pub mod free_list;
pub mod habit;
mod handshake;
pub mod lane;
mod loom;
pub mod parker;
pub mod ready_set;
pub mod run_state;
pub mod seat;
pub mod shared_fence;
pub mod stages;
pub mod tick_lock;
pub mod time_base;
pub mod timers;
pub mod wait_graph;
