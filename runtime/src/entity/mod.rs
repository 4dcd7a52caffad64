//! Entities: what they consist of and how they are executed.
//!
//! - `store.rs`: entities and components by id and name;
//! - `runner.rs`: one execution of an entity: ask the terms, take the mail in, tick, send.

pub(crate) mod runner;
pub(crate) mod store;
