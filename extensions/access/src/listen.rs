//! Listening at addresses of IPv4 and IPv6.

use socket2::{Domain, Protocol, Socket, Type};
use std::net::{Ipv6Addr, SocketAddr, TcpListener};

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
