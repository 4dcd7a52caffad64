//! Under which address this host is reached, and what is known of a server or client.

use gxf::Uid;
use gxf_app::ParameterValue;
use gxf_runtime::Context;
use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

/// A number of a component's parameter.
pub fn number(context: &Context, cid: Uid, key: &str) -> Option<u64> {
    match context.parameter(cid, key).ok()? {
        ParameterValue::UInt32(value) => Some(value.into()),
        ParameterValue::UInt64(value) => Some(value),
        ParameterValue::Int32(value) => u64::try_from(value).ok(),
        ParameterValue::Int64(value) => u64::try_from(value).ok(),
        _ => None,
    }
}

/// A text of a component's parameter.
pub fn text(context: &Context, cid: Uid, key: &str) -> Option<String> {
    match context.parameter(cid, key).ok()? {
        ParameterValue::String(value) => Some(value),
        _ => None,
    }
}

/// A truth value of a component's parameter.
pub fn flag(context: &Context, cid: Uid, key: &str) -> bool {
    context.parameter(cid, key).is_ok_and(|value| value == ParameterValue::Bool(true))
}

/// Whether a server or the links of a context may be reached from other hosts: there is a token,
/// there are certificates, or both are waived.
pub fn is_open(context: &Context, cid: Uid) -> bool {
    let has = |name: &str| std::env::var_os(name).is_some_and(|path| !path.is_empty());
    // UCX knows no certificates.
    let may_encrypt = text(context, cid, "carrier").is_none_or(|carrier| carrier != "ucx");
    let has_tls = has("GXE_TLS_DIRECTORY") || text(context, cid, "tls_directory").is_some();
    has("GXE_TOKEN_FILE")
        || (may_encrypt && has_tls)
        || std::env::var_os("GXE_INSECURE").is_some_and(|value| value == "1")
        || flag(context, cid, "insecure")
        || text(context, cid, "token_file").is_some()
}

/// Host and port, as in URIs: IPv6 stands in brackets.
pub fn authority(host: &str, port: impl Display) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

/// The address of this host towards another one. Sends nothing, but may look up a name.
///
/// # Errors
/// The name is not known, or no network leads there. Both may come later.
pub fn towards(host: &str) -> std::io::Result<IpAddr> {
    if is_any(host) {
        return Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
    }
    let mut latest = std::io::Error::other("it has no address");
    for to in (host, 9).to_socket_addrs()? {
        match own(to) {
            Ok(ip) if !ip.is_unspecified() => return Ok(ip),
            Ok(_) => {}
            Err(error) => latest = error,
        }
    }
    Err(latest)
}

/// Whether an address names no host: that of a client means this one, that of a server all of its
/// addresses.
pub fn is_any(host: &str) -> bool {
    host.is_empty() || host.parse().is_ok_and(|ip: IpAddr| ip.is_unspecified())
}

/// The address of this host that packets to an address come from.
fn own(to: SocketAddr) -> std::io::Result<IpAddr> {
    let from: IpAddr = match to {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((from, 0))?;
    socket.connect(to)?;
    Ok(socket.local_addr()?.ip())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_no_host_is_this_one() {
        for host in ["", "0.0.0.0", "::", "127.0.0.1", "127.0.0.5"] {
            assert!(towards(host).unwrap().is_loopback(), "{host}");
        }
        assert!(is_any("::") && !is_any("127.0.0.1") && !is_any("driver"));
    }
}
