//! What UCX carries. Its endpoints are connections like all others; one descriptor says that there
//! is something to do for any of them.

use super::connection::{Connection, Role};
use super::{Reactor, Ready, UCX};
use crate::address::{Way, is_here};
use crate::inlet::Inlet;
use crate::socket::{Socket, Stream};
use gxe_access::Access;
use gxe_ucp::{Event, Library, Request, Worker};
use gxf::{Error, Result, ResultCode};
use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

/// Most rounds of progress before timers, commands and the entities get their turn.
const ROUNDS: usize = 64;
/// UCX's variable with the versions of IP that it uses, the preferred one first.
const FAMILIES: &str = "UCX_TCP_AF_PRIO";

/// UCX's worker, and who listens.
pub struct Ucx {
    worker: Worker,
    /// Whether it connects within this host alone.
    is_local: bool,
    /// By the number of the listener: the inlet, and the size of its buffer.
    listeners: HashMap<usize, (Arc<Inlet>, usize)>,
    /// New connections, which may be written to.
    fresh: Vec<Token>,
}

fn failed(problem: impl std::fmt::Display) -> Error {
    Error::new(ResultCode::FAILURE, format!("`carrier: ucx` cannot be used: {problem}"))
}

/// Whether connections to this address do no harm. UCX 1.13 keeps an address of IPv6 where it has made
/// room for one of IPv4, unless it prefers IPv6, which its loopback device never does.
fn carries(ip: IpAddr) -> std::result::Result<(), String> {
    let prefers = || std::env::var(FAMILIES).is_ok_and(|value| value.starts_with("inet6"));
    match ip {
        IpAddr::V6(ip) if ip.is_loopback() => Err("UCX does not use ::1; use 127.0.0.1".into()),
        IpAddr::V6(_) if !prefers() => Err(format!(
            "UCX uses addresses of IPv6 with {FAMILIES}=inet6,inet only, set at both ends"
        )),
        _ => Ok(()),
    }
}

impl Ucx {
    pub fn start(registry: &Registry, access: &Access) -> Result<Self> {
        let library = Library::open(!access.admits_others()).map_err(failed)?;
        gxf::debug!("links use UCX {}", library.version());
        let is_local = library.is_local;
        let worker = Worker::new(library).map_err(failed)?;
        let descriptor = worker.descriptor().map_err(failed)?;
        registry.register(&mut SourceFd(&descriptor), UCX, Interest::READABLE).map_err(failed)?;
        Ok(Self { worker, is_local, listeners: HashMap::new(), fresh: Vec::new() })
    }

    /// Whether there is nothing to do until the descriptor says so.
    pub fn may_sleep(&self) -> bool {
        self.fresh.is_empty() && self.worker.arm()
    }

    pub fn forget(&mut self, inlet: &Arc<Inlet>) {
        let Self { worker, listeners, .. } = self;
        listeners.retain(|id, (known, _)| {
            let stays = !Arc::ptr_eq(known, inlet);
            if !stays {
                worker.forget(*id);
            }
            stays
        });
    }
}

impl Reactor {
    /// Does what UCX has to do. Returns whether anything happened.
    pub(super) fn progress_ucx(&mut self) -> bool {
        for round in 0..ROUNDS {
            let Some(ucx) = &mut self.ucx else { return false };
            let fresh = std::mem::take(&mut ucx.fresh);
            let events = ucx.worker.poll();
            if fresh.is_empty() && events.is_empty() {
                return round > 0;
            }
            fresh.into_iter().for_each(|token| self.ready(token, Ready::FOR_ALL));
            for event in events {
                match event {
                    Event::Ready(id) => self.ready(Token(id), Ready::FOR_ALL),
                    Event::Asked(request) => self.accept_over_ucx(request),
                }
            }
        }
        true
    }

    pub(super) fn listen_over_ucx(
        &mut self,
        inlet: &Arc<Inlet>,
        address: SocketAddr,
        buffer: usize,
    ) -> Result<()> {
        let Token(id) = self.token();
        let Some(ucx) = &mut self.ucx else { return Ok(()) };
        let name = &inlet.owner.name;
        let failed = |problem: String| {
            Error::failure(format!("receiver `{name}` cannot listen at {address}: {problem}"))
        };
        carries(address.ip()).map_err(failed)?;
        let listens = ucx.worker.listen(id, address);
        listens.map_err(|problem| failed(format!("UCX: {problem}")))?;
        ucx.listeners.insert(id, (inlet.clone(), buffer));
        gxf::debug!("receiver `{name}` listens at {address}");
        Ok(())
    }

    fn accept_over_ucx(&mut self, request: Request) {
        let known = self.ucx.as_ref().and_then(|ucx| ucx.listeners.get(&request.listener));
        let Some((inlet, buffer)) = known.cloned() else { return };
        self.make_room_for_stranger();
        let token = self.token();
        match request.accept(token.0) {
            Ok(endpoint) => {
                let role = Role::Receives { inlet, is_attached: false };
                let stream = Stream::new(Socket::Ucx(endpoint));
                self.insert(token, Connection::new(stream, role, buffer));
            }
            Err(problem) => {
                let name = &inlet.owner.name;
                gxf::debug!("receiver `{name}` cannot accept a connection: {problem}");
            }
        }
    }

    pub(super) fn connect_over_ucx(
        &mut self,
        Way { to: address, from }: Way,
        role: Role,
    ) -> io::Result<Token> {
        let token = self.token();
        let Some(ucx) = &mut self.ucx else { return Err(io::ErrorKind::Unsupported.into()) };
        // As an address to connect to, this means the own host, which UCX does not know.
        let address = match address.ip() {
            ip if !ip.is_unspecified() => address,
            IpAddr::V4(_) => (Ipv4Addr::LOCALHOST, address.port()).into(),
            IpAddr::V6(_) => (Ipv6Addr::LOCALHOST, address.port()).into(),
        };
        carries(address.ip()).map_err(io::Error::other)?;
        if ucx.is_local && !is_here(address.ip()) {
            let text = format!("it is another host, and {}", self.options.access.reason());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
        }
        let endpoint = ucx.worker.connect(token.0, address, from).map_err(io::Error::other)?;
        ucx.fresh.push(token);
        self.insert(token, Connection::new(Stream::new(Socket::Ucx(endpoint)), role, 0));
        Ok(token)
    }
}
