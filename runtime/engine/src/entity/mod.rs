//! The execution of one entity.
//!
//! - [`runner`]: the execution of an entity, from its start to its stop;
//! - [`parts`]: what an entity consists of; [`work`]: what one execution does: ask the terms, sync receivers, tick, send;
//! - `term.rs`, [`ports`], [`failure`]: what a runner asks, receives and sends, and says when
//!   something goes wrong; [`condition`]: how the answers of several terms combine;
//! - [`wiring`]: who wakes whom, worked out at activation;
//! - [`promise`]: what READY promises an entity although another could take it meanwhile;
//! - [`observer`]: the trait through which somebody follows the executions.

pub mod condition;
pub mod failure;
pub mod observer;
pub mod parts;
pub mod ports;
pub mod promise;
pub mod runner;
mod term;
pub mod wiring;
pub mod work;
