//! Addresses of hosts, and where transmitters connect to.

use gxe_access::authority;
use gxf::{Error, Result, ResultCode};
use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs, UdpSocket};

/// Where a transmitter connects to.
#[derive(Clone, Debug)]
pub struct Target {
    pub host: String,
    pub port: u16,
    pub local_host: String,
    pub local_port: u16,
    pub retries: u32,
}

impl Target {
    /// The address of this host to connect from, if it was chosen.
    pub fn from(&self) -> io::Result<Option<SocketAddr>> {
        match (self.local_host.as_str(), self.local_port) {
            ("0.0.0.0" | "", 0) => Ok(None),
            (host, port) => {
                resolve(host, port).map(Some).map_err(|error| io::Error::other(error.to_string()))
            }
        }
    }
}

impl fmt::Display for Target {
    /// As in URIs.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&authority(&self.host, self.port))
    }
}

/// The first address of a host.
pub fn resolve(host: &str, port: u16) -> Result<SocketAddr> {
    let unknown = |text: String| {
        Error::new(ResultCode::ARGUMENT_INVALID, format!("the host `{host}` is not known: {text}"))
    };
    let mut found = (host, port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
    found.next().ok_or_else(|| unknown("it has no address".to_owned()))
}

/// Whether an address belongs to this host.
pub fn is_here(ip: IpAddr) -> bool {
    ip.is_loopback() || ip.is_unspecified() || UdpSocket::bind((ip, 0)).is_ok()
}
