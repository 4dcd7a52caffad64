//! Under which address this host is reached, and what is known of a server or client.

use gxf::Uid;
use gxf_app::ParameterValue;
use gxf_runtime::Context;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs, UdpSocket};

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
    has("GXE_TOKEN_FILE")
        || has("GXE_TLS_DIRECTORY")
        || std::env::var_os("GXE_INSECURE").is_some_and(|value| value == "1")
        || flag(context, cid, "insecure")
        || text(context, cid, "token_file").is_some()
        || text(context, cid, "tls_directory").is_some()
}

/// The address of this host towards another one. Sends nothing.
pub fn towards(host: &str) -> IpAddr {
    let localhost = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let found = || {
        let to = (host, 9).to_socket_addrs().ok()?.next()?;
        let from: IpAddr =
            if to.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { "::".parse().ok()? };
        let socket = UdpSocket::bind((from, 0)).ok()?;
        socket.connect(to).ok()?;
        Some(socket.local_addr().ok()?.ip())
    };
    found().filter(|ip| !ip.is_unspecified()).unwrap_or(localhost)
}
