//! Sockets that do not block.
//!
//! - `stream.rs`: TCP and Unix sockets as one; `writer.rs`: small frames to a socket, from any
//!   thread;
//! - `unix.rs`: where the Unix sockets of this host's links are.

mod stream;
pub mod unix;
mod writer;

pub use stream::{Listener, Stream};
pub use writer::Writer;
