//! Sockets that do not block.
//!
//! - `stream.rs`: TCP and Unix sockets and UCX as one; `tls.rs`: TLS over them; `writer.rs`: small frames to
//!   a socket, from any thread;
//! - `unix.rs`: where the Unix sockets of this host's links are.

mod stream;
mod tls;
pub mod unix;
mod writer;

pub use stream::{Listener, Socket, Stream};
pub use tls::Session;
pub use writer::Writer;
