//! TCP and Unix sockets and UCX as one.

use gxe_ucp::Endpoint;
use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;

/// What carries bytes, and does not block.
pub enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
    Ucx(Endpoint),
}

impl Socket {
    pub fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => (&mut &*stream).read(bytes),
            Self::Unix(stream) => (&mut &*stream).read(bytes),
            Self::Ucx(endpoint) => endpoint.read(bytes),
        }
    }

    pub fn write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => (&mut &*stream).write_vectored(slices),
            Self::Unix(stream) => (&mut &*stream).write_vectored(slices),
            Self::Ucx(endpoint) => endpoint.write(slices),
        }
    }

    pub fn take_error(&self) -> io::Result<Option<io::Error>> {
        match self {
            Self::Tcp(stream) => stream.take_error(),
            Self::Unix(stream) => stream.take_error(),
            // Its errors come with the next read.
            Self::Ucx(_) => Ok(None),
        }
    }

    pub fn close(&self) {
        match self {
            Self::Tcp(stream) => _ = stream.shutdown(Shutdown::Both),
            Self::Unix(stream) => _ = stream.shutdown(Shutdown::Both),
            Self::Ucx(endpoint) => endpoint.close(),
        }
    }

    pub fn register(
        &mut self,
        registry: &Registry,
        token: Token,
        interest: Interest,
    ) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.register(registry, token, interest),
            Self::Unix(stream) => stream.register(registry, token, interest),
            // UCX's worker has a descriptor for all of them.
            Self::Ucx(_) => Ok(()),
        }
    }
}
