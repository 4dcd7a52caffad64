//! TCP and Unix sockets as one.

use mio::event::Source;
use mio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use mio::{Interest, Registry, Token};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};
use std::io::{self, IoSlice, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::path::PathBuf;

/// A connection that does not block.
pub enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

macro_rules! each {
    ($self:expr, $stream:ident => $action:expr) => {
        match $self {
            Self::Tcp($stream) => $action,
            Self::Unix($stream) => $action,
        }
    };
}

impl Stream {
    /// Begins to connect, perhaps from a certain address of this host.
    pub fn connect(to: SocketAddr, from: Option<SocketAddr>) -> io::Result<Self> {
        let Some(from) = from else { return TcpStream::connect(to).map(Self::Tcp) };
        let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family, SocketType::STREAM, flags, None)?;
        rustix::net::sockopt::set_socket_reuseaddr(&socket, true)?;
        bind(&socket, &from)?;
        match connect(&socket, &to) {
            Ok(()) | Err(rustix::io::Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Self::Tcp(TcpStream::from_std(std::net::TcpStream::from(socket))))
    }

    /// After the first writable event: whether the connection has come about.
    pub fn is_connected(&self) -> io::Result<()> {
        let failed = each!(self, stream => stream.take_error())?;
        failed.map_or(Ok(()), Err)
    }

    /// Sends small frames at once.
    pub fn set_no_delay(&self) {
        if let Self::Tcp(stream) = self {
            _ = stream.set_nodelay(true);
        }
    }

    pub fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        each!(self, stream => (&mut &*stream).read(bytes))
    }

    pub fn write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        each!(self, stream => (&mut &*stream).write_vectored(slices))
    }

    pub fn close(&self) {
        _ = each!(self, stream => stream.shutdown(Shutdown::Both));
    }

    /// The other end, for people.
    pub fn peer(&self) -> String {
        match self {
            Self::Tcp(stream) => {
                stream.peer_addr().map_or_else(|_| "?".to_owned(), |address| address.to_string())
            }
            Self::Unix(_) => "this host".to_owned(),
        }
    }

    /// What carries the messages, for people.
    pub fn carrier(&self) -> &'static str {
        match self {
            Self::Tcp(_) => "TCP",
            Self::Unix(_) => "a Unix socket",
        }
    }

    pub fn register(
        &mut self,
        registry: &Registry,
        token: Token,
        interest: Interest,
    ) -> io::Result<()> {
        each!(self, stream => stream.register(registry, token, interest))
    }
}

/// Accepts connections.
pub enum Listener {
    Tcp(TcpListener),
    /// With the path of the socket, which goes with it.
    Unix(UnixListener, PathBuf),
}

impl Listener {
    pub fn tcp(address: SocketAddr) -> io::Result<Self> {
        // Sets SO_REUSEADDR, so that a restarted receiver gets its port again.
        TcpListener::bind(address).map(Self::Tcp)
    }

    pub fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => listener.accept().map(|(stream, _)| Stream::Tcp(stream)),
            Self::Unix(listener, _) => listener.accept().map(|(stream, _)| Stream::Unix(stream)),
        }
    }

    pub fn register(
        &mut self,
        registry: &Registry,
        token: Token,
        interest: Interest,
    ) -> io::Result<()> {
        match self {
            Self::Tcp(listener) => listener.register(registry, token, interest),
            Self::Unix(listener, _) => listener.register(registry, token, interest),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Self::Unix(_, path) = self {
            _ = std::fs::remove_file(path);
        }
    }
}
