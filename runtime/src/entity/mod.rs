//! Entities: what they consist of and how they are executed.
//!
//! - `store.rs`: entities and components by id and name;
//! - `resources.rs`: what entities share, and how they ask for a thread of their own;
//! - `runner.rs`: one execution of an entity: ask the terms, take the mail in, tick, send.

pub(crate) mod resources;
pub(crate) mod runner;
pub(crate) mod store;
