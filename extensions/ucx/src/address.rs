//! Addresses of hosts, and where transmitters connect to.

use gxe_access::authority;
use gxf::{Error, Result, ResultCode};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

/// Where a transmitter connects to.
#[derive(Clone, Debug)]
pub struct Target {
    pub host: String,
    pub port: u16,
    pub local_host: String,
    pub local_port: u16,
    pub retries: u32,
}

/// The hosts of a target, whose names may have to be looked up.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Hosts {
    to: String,
    /// This host, if an address to connect from was chosen.
    from: Option<String>,
}

/// The addresses of hosts, without ports.
#[derive(Clone, Debug)]
pub struct Found {
    /// At least one.
    to: Vec<SocketAddr>,
    from: Option<SocketAddr>,
}

/// Where a connection leads to, and from where if that was chosen.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub to: SocketAddr,
    pub from: Option<SocketAddr>,
}

impl Target {
    /// Its hosts.
    pub fn hosts(&self) -> Hosts {
        let is_any = is_any(&self.local_host) && self.local_port == 0;
        Hosts { to: self.host.clone(), from: (!is_any).then(|| self.local_host.clone()) }
    }

    /// The way to it for an attempt, of which the hosts are known. A name may have several addresses,
    /// which take turns.
    pub fn way(&self, hosts: &Found, attempt: usize) -> Way {
        let mut to = hosts.to[attempt % hosts.to.len()];
        to.set_port(self.port);
        let from = hosts.from.map(|mut from| {
            if is_any(&self.local_host) {
                // Any address means one of the receiver's version of IP.
                from.set_ip(any_like(to.ip()));
            }
            from.set_port(self.local_port);
            from
        });
        Way { to, from }
    }
}

impl Hosts {
    /// Whether nothing has to be looked up.
    pub fn are_addresses(&self) -> bool {
        let mut all = std::iter::once(&self.to).chain(&self.from);
        all.all(|host| host.parse::<IpAddr>().is_ok())
    }

    /// Their addresses, without ports. That may take seconds.
    pub fn look_up(&self) -> Result<Found> {
        let from = self.from.as_ref().map(|host| resolve(host, 0)).transpose()?;
        Ok(Found { to: resolve_all(&self.to, 0)?, from })
    }
}

impl fmt::Display for Target {
    /// As in URIs.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&authority(&self.host, self.port))
    }
}

/// The host that a parameter names. An empty text is no host, and means what its default means.
pub fn named(host: &str) -> String {
    if host.is_empty() { Ipv4Addr::UNSPECIFIED.to_string() } else { host.to_owned() }
}

/// Whether this stands for all addresses of this host.
fn is_any(host: &str) -> bool {
    host.parse().is_ok_and(|ip: IpAddr| ip.is_unspecified())
}

/// All addresses of this host, in the version of IP of another address.
fn any_like(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        IpAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

/// The first address of a host.
pub fn resolve(host: &str, port: u16) -> Result<SocketAddr> {
    resolve_all(host, port).map(|found| found[0])
}

/// The addresses of a host: at least one.
fn resolve_all(host: &str, port: u16) -> Result<Vec<SocketAddr>> {
    let unknown = |text: String| {
        Error::new(ResultCode::ARGUMENT_INVALID, format!("the host `{host}` is not known: {text}"))
    };
    let found = (host, port).to_socket_addrs().map_err(|error| unknown(error.to_string()))?;
    match found.collect::<Vec<_>>() {
        found if found.is_empty() => Err(unknown("it has no address".to_owned())),
        found => Ok(found),
    }
}

/// Where receivers of this host may listen that a connection to `ip` reaches, the most exact address
/// first. The last one means all addresses.
pub fn reached_at(ip: IpAddr) -> Vec<IpAddr> {
    let loopback = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let mut places = match ip {
        IpAddr::V4(ip) if ip.is_unspecified() => vec![loopback],
        // `localhost` may mean either.
        IpAddr::V6(ip) if ip.is_unspecified() || ip.is_loopback() => {
            vec![IpAddr::V6(Ipv6Addr::LOCALHOST), loopback]
        }
        ip => vec![ip],
    };
    places.push(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    places
}

/// Whether an address belongs to this host.
pub fn is_here(ip: IpAddr) -> bool {
    ip.is_loopback() || ip.is_unspecified() || UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_take_turns_and_any_address_is_of_their_version_of_ip() {
        let target = |local: &str, local_port| Target {
            host: String::new(),
            port: 7,
            local_host: local.to_owned(),
            local_port,
            retries: 0,
        };
        let to = ["[::1]:0", "127.0.0.1:0"].map(|address| address.parse().unwrap()).to_vec();
        let ways = |target: &Target| {
            let from = target.hosts().from.map(|_| SocketAddr::from(([0, 0, 0, 0], 0)));
            let found = Found { to: to.clone(), from };
            [0, 1, 2].map(|attempt| {
                let Way { to, from } = target.way(&found, attempt);
                (to.to_string(), from.map(|from| from.to_string()))
            })
        };
        let [v6, v4] = ["[::1]:7", "127.0.0.1:7"].map(str::to_owned);
        let expected = [&v6, &v4, &v6].map(|to| (to.clone(), None));
        assert_eq!(ways(&target("::", 0)), expected);
        let from = |address: &str| Some(address.to_owned());
        let expected =
            [(v6.clone(), from("[::]:9")), (v4, from("0.0.0.0:9")), (v6, from("[::]:9"))];
        for any in ["0.0.0.0", "::"] {
            assert_eq!(ways(&target(any, 9)), expected, "{any}");
        }
    }
}
