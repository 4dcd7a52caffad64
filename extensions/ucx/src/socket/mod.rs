//! Sockets that do not block.
//!
//! - `socket.rs`: TCP and Unix sockets and UCX as one; `tls.rs`: TLS over them; `stream.rs`: a
//!   connection with or without it; `writer.rs`: small frames to one, from any thread;
//! - `low_water_mark.rs`: from how many bytes on a socket is readable;
//! - `unix.rs`: where the Unix sockets of this host's links are.

mod low_water_mark;
#[expect(clippy::module_inception, reason = "one of several kinds of files about sockets")]
mod socket;
mod stream;
mod tls;
pub mod unix;
mod writer;

pub use socket::Socket;
pub use stream::{Listener, Stream};
pub use tls::Session;
pub use writer::Writer;
