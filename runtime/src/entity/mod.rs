//! Entities: what they consist of and how they are executed.
//!
//! - `store.rs`: entities and components by id and name;
//! - `faces.rs`: what an id stands for, be it an entity, a message or both;
//! - `groups.rs`: groups of entities and the resources they share;
//! - `plan.rs`: who wakes whom, worked out at activation;
//! - `runner.rs`: the execution of an entity, from its start to its stop;
//! - `work.rs`: what one execution does: ask the terms, take the mail in, tick, send;
//! - `term.rs`, `mail.rs`, `failure.rs`: what a runner asks, receives and sends, and says when
//!   something goes wrong;
//! - `tick_lock.rs`: the lock around one execution;
//! - `resources.rs`: `ThreadPool`, `GPUDevice`, `CPUThread`.

pub(crate) mod faces;
pub(crate) mod failure;
pub(crate) mod groups;
pub(crate) mod mail;
pub(crate) mod plan;
pub(crate) mod resources;
pub(crate) mod runner;
pub(crate) mod store;
mod term;
mod tick_lock;
pub(crate) mod work;
