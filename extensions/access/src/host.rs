//! Names of this machine.

use std::net::{IpAddr, Ipv6Addr};

/// Host and port, as in URIs: IPv6 stands in brackets.
#[must_use]
pub fn authority(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// Whether a request that names this host, perhaps with a port, means this machine and no other one.
/// Anyone can point a domain name at this machine's address and lead a browser there; the browser
/// then sends that name.
#[must_use]
pub fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let inner = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    let address = match inner {
        Some(inner) => inner.parse::<Ipv6Addr>().map(IpAddr::from),
        None => name.parse::<IpAddr>(),
    };
    let is_here = |address: IpAddr| address.is_loopback() || address.is_unspecified();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(is_here)
}

#[cfg(test)]
mod tests {
    use super::is_this_machine;

    #[test]
    fn only_names_of_this_machine_are_known() {
        for host in [
            "localhost",
            "LocalHost:9100",
            "127.0.0.1:9100",
            "127.1.2.3",
            "0.0.0.0:8000",
            "[::1]:1",
            "[::1]",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in
            ["evil.example", "evil.example:9100", "192.168.0.1", "localhost.evil", "[::2]", ""]
        {
            assert!(!is_this_machine(host), "{host}");
        }
    }
}
