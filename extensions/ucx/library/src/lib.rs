//! Streams of bytes over UCX, the library of high-performance networks. Nothing links to it:
//! [`Library::open`] opens `libucp.so.0` at run time.
//!
//! A map:
//!
//! - `library.rs`: UCX's functions, and a context; `abi.rs`: its types, as `ucp/api/ucp.h` has them;
//! - `worker.rs`: what progresses, listens and connects ([`Worker`], [`Event`]);
//! - `endpoint.rs`: one end of a connection ([`Endpoint`]);
//! - `receiving.rs`: memory that UCX fills ([`Memory`]);
//! - `shared.rs`: what these two and UCX's callbacks share.
//!
//! UCX allows one thread at a time per worker, so each call holds the worker's lock. Callbacks come
//! while it is held, and only note what happened.
//!
//! The crate knows neither graphs nor links. It may import bytes, libc, libloading and parking_lot.
#![expect(unsafe_code, reason = "calls the functions of a C library")]

mod abi;
mod endpoint;
mod library;
mod receiving;
mod shared;
mod worker;

/// From so many bytes on, memory is worth lending to UCX, which otherwise gets or gives a copy.
pub const WORTH_LENDING: usize = 64 << 10;

pub use endpoint::{Endpoint, Received};
pub use library::Library;
pub use receiving::Memory;
pub use worker::{Event, Request, Worker};
