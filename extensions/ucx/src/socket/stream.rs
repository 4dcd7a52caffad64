//! Connections with or without TLS, and what accepts them.

use super::low_water_mark::set_receive_low_water_mark;
use super::socket::Socket;
use super::tls::Session;
use gxe_access::{Listening, listen};
use gxe_ucp::Endpoint;
use mio::event::Source;
use mio::net::{TcpListener, TcpStream, UnixListener};
use mio::{Interest, Registry, Token};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, socket_with};
use std::io::{self, IoSlice};
use std::net::SocketAddr;
use std::path::PathBuf;

/// A connection that does not block.
pub struct Stream {
    socket: Socket,
    tls: Option<Session>,
}

impl Stream {
    /// Begins to connect, perhaps from a certain address of this host.
    pub fn connect(to: SocketAddr, from: Option<SocketAddr>) -> io::Result<Self> {
        let Some(from) = from else {
            return TcpStream::connect(to).map(|stream| Self::new(Socket::Tcp(stream)));
        };
        let family = if to.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family, SocketType::STREAM, flags, None)?;
        rustix::net::sockopt::set_socket_reuseaddr(&socket, true)?;
        bind(&socket, &from)?;
        match connect(&socket, &to) {
            Ok(()) | Err(rustix::io::Errno::INPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Self::new(Socket::Tcp(TcpStream::from_std(std::net::TcpStream::from(socket)))))
    }

    pub fn new(socket: Socket) -> Self {
        Self { socket, tls: None }
    }

    /// The same, encrypted.
    pub fn with_tls(self, session: Session) -> Self {
        Self { tls: Some(session), ..self }
    }

    /// Whether it leads to another host, or might.
    pub fn is_tcp(&self) -> bool {
        matches!(self.socket, Socket::Tcp(_))
    }

    /// After the first writable event: whether the connection has come about.
    pub fn is_connected(&self) -> io::Result<()> {
        self.socket.take_error()?.map_or(Ok(()), Err)
    }

    /// Whether the two ends did not agree on TLS.
    pub fn has_refused_tls(&self) -> bool {
        self.tls.as_ref().is_some_and(Session::has_failed)
    }

    /// Whether one of the two ends does not trust the other's certificate.
    pub fn distrusts(&self) -> bool {
        self.tls.as_ref().is_some_and(Session::distrusts)
    }

    /// Whether a read fills its memory if there are as many bytes.
    pub fn gives_all(&self) -> bool {
        self.tls.is_none() && !matches!(self.socket, Socket::Ucx(_))
    }

    /// Whether the other end hears of the end of the connection behind all that was sent.
    pub fn ends_in_order(&self) -> bool {
        !matches!(self.socket, Socket::Ucx(_))
    }

    /// Sends small frames at once.
    pub fn set_no_delay(&self) {
        if let Socket::Tcp(stream) = &self.socket {
            _ = stream.set_nodelay(true);
        }
    }

    /// From now on, what comes over TCP without TLS is to be read when there are so many bytes, or the
    /// end; others say each time that something has come. Returns whether this one waits.
    pub fn await_bytes(&self, count: u64) -> bool {
        let (Socket::Tcp(stream), None) = (&self.socket, &self.tls) else { return false };
        set_receive_low_water_mark(stream, count);
        true
    }

    /// The end of a connection over UCX, which reads and writes memory where it is.
    pub fn endpoint(&self) -> Option<&Endpoint> {
        match &self.socket {
            Socket::Ucx(endpoint) => Some(endpoint),
            _ => None,
        }
    }

    pub fn read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        match &self.tls {
            None => self.socket.read(bytes),
            Some(session) => session.read(&self.socket, bytes),
        }
    }

    pub fn write(&self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match &self.tls {
            None => self.socket.write(slices),
            Some(session) => session.write(&self.socket, slices),
        }
    }

    /// The socket takes bytes again: writes those that TLS still has.
    pub fn flush(&self) -> io::Result<()> {
        self.tls.as_ref().map_or(Ok(()), |session| session.flush(&self.socket))
    }

    pub fn close(&self) {
        self.socket.close();
    }

    /// The other end, for people.
    pub fn peer(&self) -> String {
        let peer = match &self.socket {
            Socket::Tcp(stream) => stream.peer_addr().ok(),
            Socket::Unix(_) => return "this host".to_owned(),
            Socket::Ucx(endpoint) => endpoint.peer,
        };
        // Of a socket for both versions of IP, as people know it.
        let known =
            |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        peer.map_or_else(|| "?".to_owned(), |address| known(address).to_string())
    }

    /// What carries the messages, for people.
    pub fn carrier(&self) -> &'static str {
        match (&self.socket, &self.tls) {
            (Socket::Tcp(_), None) => "TCP",
            (Socket::Tcp(_), Some(_)) => "TLS",
            (Socket::Unix(_), _) => "a Unix socket",
            (Socket::Ucx(_), _) => "UCX",
        }
    }

    pub fn register(
        &mut self,
        registry: &Registry,
        token: Token,
        interest: Interest,
    ) -> io::Result<()> {
        self.socket.register(registry, token, interest)
    }
}

/// Accepts connections.
pub enum Listener {
    Tcp(Listening<TcpListener>),
    /// With the path of the socket, which goes with it.
    Unix(Listening<UnixListener>, PathBuf),
}

impl Listener {
    pub fn tcp(address: SocketAddr) -> io::Result<Self> {
        let (listener, _) = listen(address)?;
        listener.set_nonblocking(true)?;
        Ok(Self::Tcp(Listening(TcpListener::from_std(listener))))
    }

    pub fn accept(&self) -> io::Result<Stream> {
        match self {
            Self::Tcp(listener) => listener.accept().map(|(stream, _)| Socket::Tcp(stream)),
            Self::Unix(listener, _) => listener.accept().map(|(stream, _)| Socket::Unix(stream)),
        }
        .map(Stream::new)
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
