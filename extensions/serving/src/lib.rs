//! What the clients and servers of several protocols share.
//!
//! A map:
//!
//! - `services.rs`: the services of a process ([`Services`]);
//! - `server.rs`: a thread that accepts connections ([`Server`]);
//! - `client.rs`: which server a client calls, and how ([`Client`]);
//! - `stream.rs`: connections with and without TLS as one.
//!
//! The crate knows no protocol. It may import the SDK, `gxe-access`, socket2, tokio and rustls.
#![forbid(unsafe_code)]

mod client;
mod server;
mod services;
mod stream;

pub use client::{Client, Remote};
pub use server::{Closing, Hold, Place, Server, Titles};
pub use services::{NoAnswer, Services, shortened};
pub use stream::{Stream, Watch, Watched};

use std::time::Duration;

/// Most bytes of a request, and of an answer.
pub const BODY_LIMIT: usize = 16 << 20;
/// How long a request may take.
pub const REQUEST_TIME: Duration = Duration::from_secs(30);
/// How long a server may take to accept a connection, and both ends to greet.
pub const CONNECT_TIME: Duration = Duration::from_secs(5);
