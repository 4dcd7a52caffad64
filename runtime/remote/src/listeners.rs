//! Where the links and the server of a loaded graph listen.

use crate::address::{authority, flag, is_any, is_open, number, text};
use gxf::Uid;
use gxf_app::ParameterValue;
use gxf_runtime::{Context, Tid};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs};

/// `nvidia::gxf::UcxTransmitter`, `nvidia::gxf::UcxReceiver` and `nvidia::gxf::UcxContext`.
pub const TRANSMITTER: Tid = Tid::new(0x58165d0378b74696, 0xb20071621f90aee7);
pub const RECEIVER: Tid = Tid::new(0xe961132b45d548b8, 0xac5d2bb1a4a42279);
pub const NETWORK: Tid = Tid::new(0x755d20a5d794467d, 0xa86c290eb2c32052);

/// `nvidia::gxf::GraphWorker` and `nvidia::gxf::GraphDriver`.
const WORKER: Tid = Tid::new(0x54b885292c91436b, 0x83b67f5c10369354);
const DRIVER: Tid = Tid::new(0x76ca3719fcd14ae3, 0x8e068ce161b0f881);

const LOOPBACK: &str = "127.0.0.1";

/// A host and a port. The host of what listens at all addresses of a machine is known only if
/// somebody said under which name others reach it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Host.
    pub host: Option<String>,
    /// Port.
    pub port: u64,
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.host {
            Some(host) => f.write_str(&authority(host, self.port)),
            None => write!(f, "port {}", self.port),
        }
    }
}

/// One end of a link in a segment.
#[derive(Clone, Debug)]
pub struct LinkPort {
    /// Its entity.
    pub entity: String,
    /// Its name.
    pub name: String,
    /// The component.
    pub cid: Uid,
    /// Where a receiver listens; `None` for a transmitter.
    pub address: Option<Address>,
}

/// The links' ends of a loaded segment, which others reach at the host `own`, if that is known.
#[must_use]
pub fn link_ports(context: &Context, own: Option<&str>) -> Vec<LinkPort> {
    let mut ports = Vec::new();
    let is_reachable = is_reachable(context);
    for_each(context, |tid, entity, name, cid| {
        if tid != TRANSMITTER && tid != RECEIVER {
            return;
        }
        let address = (tid == RECEIVER).then(|| {
            let listens = text(context, cid, "address").unwrap_or_default();
            let host = match is_any(&listens) {
                _ if !is_reachable => Some(loopback_of(&listens).to_string()),
                true => own.map(str::to_owned),
                false => Some(listens),
            };
            Address { host, port: number(context, cid, "port").unwrap_or_default() }
        });
        ports.push(LinkPort { entity: entity.to_owned(), name: name.to_owned(), cid, address });
    });
    ports
}

/// Where a receiver with this address listens that only this host may reach.
fn loopback_of(address: &str) -> IpAddr {
    let mut known = (address, 0).to_socket_addrs().into_iter().flatten();
    match known.next().map(|address| address.ip()) {
        Some(ip) if ip.is_loopback() => ip,
        Some(IpAddr::V6(_)) => Ipv6Addr::LOCALHOST.into(),
        _ => Ipv4Addr::LOCALHOST.into(),
    }
}

/// Whether links of other hosts may come in.
fn is_reachable(context: &Context) -> bool {
    let mut is_reachable = false;
    for_each(context, |tid, _, _, cid| is_reachable |= tid == NETWORK && is_open(context, cid));
    is_reachable
}

/// Where a `GraphWorker` of a loaded graph is reached.
#[must_use]
pub fn worker_address(context: &Context, worker: Uid) -> Option<Address> {
    let Ok(ParameterValue::Component(server)) = context.parameter(worker, "server") else {
        return None;
    };
    let is_reachable = flag(context, server, "remote_access") && is_open(context, server);
    let own = text(context, worker, "own_address").filter(|own| !is_any(own));
    let host = own.or_else(|| (!is_reachable).then(|| LOOPBACK.to_owned()));
    Some(Address { host, port: number(context, server, "port")? })
}

/// The `GraphWorker`s and the `GraphDriver`s of a loaded graph.
#[must_use]
pub fn workers_and_drivers(context: &Context) -> [Vec<Uid>; 2] {
    let mut found = [Vec::new(), Vec::new()];
    for_each(context, |tid, _, _, cid| {
        if let Some(kind) = [WORKER, DRIVER].iter().position(|known| *known == tid) {
            found[kind].push(cid);
        }
    });
    found
}

/// Calls `found` with type, entity, name and id of every component.
pub fn for_each(context: &Context, mut found: impl FnMut(Tid, &str, &str, Uid)) {
    for eid in context.entities() {
        let Ok(entity) = context.entity_name(eid) else { continue };
        for cid in context.component_ids(eid).unwrap_or_default() {
            let Ok(tid) = context.component_type(cid) else { continue };
            let component = context.component_name(cid).unwrap_or_default();
            found(tid, &entity, &component, cid);
        }
    }
}
