//! Listening at addresses of IPv4 and IPv6.

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use std::net::{Ipv6Addr, Shutdown, SocketAddr, TcpListener};
use std::ops::{Deref, DerefMut};
use std::os::fd::AsFd;

/// Most connections that wait until they are accepted.
const BACKLOG: i32 = 128;

/// Listens at an address. One that stands for all of this machine includes those of IPv6, if the
/// machine has any. Returns the address, too.
///
/// # Errors
/// Another program uses the port, or the address is none of this machine.
pub fn listen(address: SocketAddr) -> std::io::Result<(TcpListener, SocketAddr)> {
    let all = SocketAddr::from((Ipv6Addr::UNSPECIFIED, address.port()));
    if address.ip().is_unspecified()
        && let Ok(listener) = listen_to_both(all)
    {
        return Ok((listener, all));
    }
    Ok((TcpListener::bind(address)?, address))
}

/// Listens at an address of IPv6, and at the same one of IPv4.
fn listen_to_both(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = Socket::new(Domain::IPV6, Type::STREAM, Some(Protocol::TCP))?;
    socket.set_only_v6(false)?;
    socket.set_reuse_address(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// A socket that listens until this is dropped.
///
/// To close its descriptor would not be enough: until a program that another thread has just
/// started replaces the copy of this process, the copy has the descriptor, too, and the port is
/// taken.
#[derive(Debug)]
pub struct Listening<L: AsFd>(pub L);

impl<L: AsFd> Deref for Listening<L> {
    type Target = L;

    fn deref(&self) -> &L {
        &self.0
    }
}

impl<L: AsFd> DerefMut for Listening<L> {
    fn deref_mut(&mut self) -> &mut L {
        &mut self.0
    }
}

impl<L: AsFd> Drop for Listening<L> {
    fn drop(&mut self) {
        _ = SockRef::from(&self.0).shutdown(Shutdown::Both);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_is_free_although_a_copy_of_the_descriptor_is_open() {
        let (listener, address) = listen(([127, 0, 0, 1], 0).into()).expect("a listener");
        let address = SocketAddr::new(address.ip(), listener.local_addr().expect("bound").port());
        let copy = listener.try_clone().expect("a copy");
        drop(Listening(listener));
        listen(address).expect("a free port");
        drop(copy);
    }
}
