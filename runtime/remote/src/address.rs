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

/// Whether this process may be reached from other hosts: there is a token, or it is waived.
pub fn is_open() -> bool {
    let has_token = std::env::var_os("GXE_TOKEN_FILE").is_some_and(|path| !path.is_empty());
    has_token || std::env::var_os("GXE_INSECURE").is_some_and(|value| value == "1")
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
