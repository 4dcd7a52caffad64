//! TLS over a socket that does not block.

use super::socket::Socket;
use gxe_access::{Tls, is_about_trust};
use gxf::Result;
use parking_lot::Mutex;
use rustls::{ClientConnection, Connection, ServerConnection};
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// One end of an encrypted connection.
pub struct Session {
    state: Mutex<Connection>,
    has_failed: AtomicBool,
    distrusts: AtomicBool,
}

/// The bytes of a socket, as rustls reads and writes them.
struct Bytes<'a>(&'a Socket);

impl Read for Bytes<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.read(bytes)
    }
}

impl Write for Bytes<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.write(slices)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Session {
    /// The end that connects to a host, which must have the certificate.
    pub fn client(tls: &Tls, host: &str) -> Result<Self> {
        let (config, name) = (tls.client(None)?, tls.server_name(host)?);
        let connection = ClientConnection::new(config, name);
        connection.map(Self::new).map_err(|error| gxf::Error::failure(format!("TLS: {error}")))
    }

    /// The end that accepts.
    pub fn server(tls: &Tls) -> Result<Self> {
        let connection = ServerConnection::new(tls.server(None)?);
        connection.map(Self::new).map_err(|error| gxf::Error::failure(format!("TLS: {error}")))
    }

    fn new(connection: impl Into<Connection>) -> Self {
        let (has_failed, distrusts) = Default::default();
        Self { state: Mutex::new(connection.into()), has_failed, distrusts }
    }

    /// Whether the two ends did not understand or accept each other.
    pub fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed)
    }

    /// Whether one of the two ends does not trust the other's certificate.
    pub fn distrusts(&self) -> bool {
        self.distrusts.load(Ordering::Relaxed)
    }

    pub fn read(&self, socket: &Socket, bytes: &mut [u8]) -> io::Result<usize> {
        let mut state = self.state.lock();
        loop {
            match state.reader().read(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                read => return read,
            }
            if state.read_tls(&mut Bytes(socket))? == 0 {
                if state.is_handshaking() {
                    let text =
                        "the peer has closed it during the handshake of TLS; does it use TLS?";
                    return Err(io::Error::new(ErrorKind::UnexpectedEof, text));
                }
                return Ok(0);
            }
            let processed = state.process_new_packets();
            // The answer of a handshake, or the alert that says what is wrong.
            match flush(&mut state, socket) {
                Err(error) if error.kind() != ErrorKind::WouldBlock && processed.is_ok() => {
                    return Err(error);
                }
                _ => {}
            }
            if let Err(error) = processed {
                self.has_failed.store(true, Ordering::Relaxed);
                self.distrusts.store(is_about_trust(&error), Ordering::Relaxed);
                return Err(io::Error::new(ErrorKind::InvalidData, format!("TLS: {error}")));
            }
        }
    }

    pub fn write(&self, socket: &Socket, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        let mut state = self.state.lock();
        // So that no more than one buffer waits for the socket.
        flush(&mut state, socket)?;
        let taken = state.writer().write_vectored(slices)?;
        match flush(&mut state, socket) {
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
            _ if taken == 0 => Err(ErrorKind::WouldBlock.into()),
            _ => Ok(taken),
        }
    }

    pub fn flush(&self, socket: &Socket) -> io::Result<()> {
        flush(&mut self.state.lock(), socket)
    }
}

fn flush(state: &mut Connection, socket: &Socket) -> io::Result<()> {
    while state.wants_write() {
        if state.write_tls(&mut Bytes(socket))? == 0 {
            return Err(ErrorKind::WriteZero.into());
        }
    }
    Ok(())
}
