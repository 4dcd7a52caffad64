//! The execution of one entity.
//!
//! - [`runner`]: the execution of an entity, from its start to its stop;
//! - [`parts`]: what an entity consists of; [`work`]: the steps of one execution: check the terms,
//!   sync receivers, tick, send;
//! - `stage.rs`: the same steps for a stage of a pipeline, which most entities are;
//! - `term.rs`, [`port`], [`ports`], [`failure`]: terms, queues and failures as a runner sees them;
//!   [`condition`]: combines the answers of several terms;
//! - [`wiring`]: which entities each event wakes, computed at activation;
//! - [`promise`]: reserves the room and the memory that READY promises;
//! - [`register`]: credits between entities on two threads; [`remote`]: links to other processes;
//! - [`observer`]: the trait that observers of executions implement.

pub mod condition;
pub mod failure;
pub mod observer;
pub mod parts;
pub mod port;
pub mod ports;
pub mod promise;
pub mod register;
pub mod remote;
pub mod runner;
mod stage;
mod term;
pub mod wiring;
pub mod work;
