//! The transmitters of a network, and their attempts to connect.

use super::connection::Role;
use super::{Command, Reactor, failed};
use crate::address::{Found, Hosts, Target, Way, is_here};
use crate::inlet::{Inlet, LocalSource};
use crate::local;
use crate::outlet::Outlet;
use crate::socket::{Session, Stream, unix};
use crate::transmitter::UcxTransmitter;
use gxe_access::Tls;
use gxf::{Error, Handle, LinkState, Result, ResultCode};
use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The first pause between two attempts to connect, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// After this time without a connection, the log says what is waited for.
const SILENCE: Duration = Duration::from_secs(2);

/// How long a port that is asked whether anybody listens may take. All links wait meanwhile.
const PROBE: Duration = Duration::from_millis(100);

/// An outlet and its attempts to connect.
pub(super) struct Outgoing {
    outlet: Arc<Outlet>,
    /// It knows where its receiver is, also after that has moved.
    transmitter: Handle<UcxTransmitter>,
    /// When it was last connected, or the attempts began.
    since: Instant,
    /// When to try next; `None` while it is connected, or connects.
    next: Option<Instant>,
    /// The hosts that are looked up for it.
    asks: Option<Hosts>,
    pause: Duration,
    has_said: bool,
    latest: String,
    /// Where the latest attempt leads to.
    address: Option<SocketAddr>,
    /// Which of the receiver's addresses the next attempt leads to.
    turn: usize,
    /// When it was connected, and how many messages the receiver had then.
    connected: Option<(Instant, u64)>,
}

impl Outgoing {
    /// Tries to connect at once.
    pub fn new(outlet: Arc<Outlet>, transmitter: Handle<UcxTransmitter>, now: Instant) -> Self {
        Self {
            outlet,
            transmitter,
            since: now,
            next: Some(now),
            asks: None,
            pause: FIRST_PAUSE,
            has_said: false,
            latest: String::new(),
            address: None,
            turn: 0,
            connected: None,
        }
    }

    /// The receiver has greeted, and has so many messages. The next attempt leads to the same address.
    pub fn welcomed(&mut self, has: u64) {
        self.turn = self.turn.saturating_sub(1);
        // What got through the connection before this one may be known only now.
        if self.connected.is_some_and(|(_, had)| has > had) {
            self.was_of_use();
        }
        self.connected(has);
    }

    /// Attempts to connect begin anew.
    fn was_of_use(&mut self) {
        (self.since, self.pause) = (Instant::now(), FIRST_PAUSE);
    }

    /// The receiver is there, and has so many messages.
    fn connected(&mut self, has: u64) {
        self.connected = Some((Instant::now(), has));
        self.has_said = false;
    }

    /// Whether the latest connection lasted, or a message got through. One that breaks at once counts
    /// as an attempt that failed.
    fn has_been_of_use(&self) -> bool {
        self.connected
            .is_some_and(|(at, had)| self.outlet.next() > had || at.elapsed() > LONGEST_PAUSE)
    }
}

impl Reactor {
    fn position_of(&self, outlet: &Arc<Outlet>) -> Option<usize> {
        self.outgoing.iter().position(|outgoing| Arc::ptr_eq(&outgoing.outlet, outlet))
    }

    /// The receiver of this process that listens where an outlet connects to, and the outlet's place.
    pub(super) fn local_receiver(&self, outlet: &Arc<Outlet>) -> Option<(usize, Arc<Inlet>)> {
        let index = self.position_of(outlet)?;
        Some((index, self.outgoing[index].address.and_then(local::find)?))
    }

    pub(super) fn outgoing_of(&mut self, outlet: &Arc<Outlet>) -> Option<&mut Outgoing> {
        self.position_of(outlet).map(|index| &mut self.outgoing[index])
    }

    /// Hands messages over to a receiver of this process by reference.
    pub(super) fn attach_local(&mut self, index: usize, inlet: &Arc<Inlet>) {
        let outlet = self.outgoing[index].outlet.clone();
        if let Err(reason) = inlet.expects(&outlet.owner.name) {
            return self
                .give_up(&outlet, &format!("`{}` cannot connect: {reason}", outlet.owner.name));
        }
        let source = Arc::downgrade(&outlet);
        match inlet.attach_local(source, &outlet.owner.name, outlet.run) {
            Ok(()) => {
                outlet.attach_local(inlet);
                let (name, peer) = (&outlet.owner.name, &inlet.owner.name);
                gxf::info!("`{name}` is connected to `{peer}` in this process");
                let outgoing = &mut self.outgoing[index];
                outgoing.connected(outlet.next());
                if !inlet.is_used_by(outlet.run) {
                    // It went before the outlet knew it.
                    outlet.peer_gone(inlet);
                }
            }
            Err(reason) => self.try_again(&outlet, &reason),
        }
    }

    /// The link cannot be opened or mended.
    pub(super) fn give_up(&mut self, outlet: &Arc<Outlet>, text: &str) {
        self.outgoing.retain(|outgoing| !Arc::ptr_eq(&outgoing.outlet, outlet));
        outlet.give_up();
        if outlet.state() != LinkState::ENDED {
            let error = Error::new(ResultCode::CONNECTION_ATTEMPTS_EXCEEDED, text);
            _ = self.options.context.fail(&error);
        }
    }

    pub(super) fn try_again(&mut self, outlet: &Arc<Outlet>, problem: &str) {
        let Some(outgoing) = self.outgoing_of(outlet) else { return };
        let next = Instant::now() + outgoing.pause;
        outgoing.next = Some(next);
        outgoing.pause = (outgoing.pause * 2).min(LONGEST_PAUSE);
        problem.clone_into(&mut outgoing.latest);
        self.next_attempt = Some(self.next_attempt.map_or(next, |known| known.min(next)));
    }

    /// Whether an outlet sends nothing more; then it is forgotten.
    pub(super) fn has_ended(&mut self, outlet: &Arc<Outlet>) -> bool {
        let has_ended = outlet.state() == LinkState::ENDED;
        if has_ended {
            self.outgoing.retain(|outgoing| !Arc::ptr_eq(&outgoing.outlet, outlet));
        }
        has_ended
    }

    /// An outlet has lost its receiver. Returns whether to look for it again.
    pub(super) fn lost_receiver(&mut self, outlet: &Arc<Outlet>, problem: &str) -> bool {
        let (name, peer) = (&outlet.owner.name, outlet.peer());
        let text = format!("`{name}` has lost its connection to {peer}: {problem}");
        if !self.options.reconnects {
            self.give_up(outlet, &text);
            return false;
        }
        gxf::warning!("{text}");
        if let Some(outgoing) = self.outgoing_of(outlet)
            && outgoing.has_been_of_use()
        {
            outgoing.was_of_use();
        }
        true
    }

    /// Tries to connect those outlets whose time has come.
    pub(super) fn attempts(&mut self, now: Instant) {
        for index in (0..self.outgoing.len()).rev() {
            if self.outgoing[index].next.is_some_and(|next| next <= now) {
                self.attempt(index, now);
            }
        }
        self.next_attempt = self.outgoing.iter().filter_map(|outgoing| outgoing.next).min();
    }

    fn attempt(&mut self, index: usize, now: Instant) {
        let Outgoing { outlet, transmitter, since, latest, .. } = &self.outgoing[index];
        let (outlet, target) = (outlet.clone(), transmitter.target());
        if outlet.state() == LinkState::ENDED {
            self.outgoing.swap_remove(index);
            return;
        }
        let elapsed = now.saturating_duration_since(*since);
        // One without retries makes one attempt.
        if elapsed > Duration::from_secs(target.retries.into()) && !latest.is_empty() {
            let (name, seconds, found) =
                (&outlet.owner.name, elapsed.as_secs(), self.found_instead(index));
            let text = format!(
                "`{name}` found no receiver at {target} in {seconds} s (latest attempt: \
                 {latest}{found})"
            );
            self.give_up(&outlet, &text);
            return;
        }
        if elapsed > SILENCE && !self.outgoing[index].has_said {
            let (name, found) = (&outlet.owner.name, self.found_instead(index));
            gxf::info!("`{name}` waits for a receiver at {target}: {latest}{found}");
            self.outgoing[index].has_said = true;
        }
        self.outgoing[index].next = None;
        let hosts = target.hosts();
        if hosts.are_addresses() {
            return self.go(index, &target, &hosts.look_up());
        }
        self.outgoing[index].asks = Some(hosts.clone());
        if let Err(error) = self.look_up(&hosts) {
            self.lookups.remove(&hosts);
            self.outgoing[index].asks = None;
            self.try_again(&outlet, failed(&error).message());
        }
    }

    /// UCX says the same of a port at which nobody listens and of one where a receiver of another carrier
    /// does: what the text leaves out.
    fn found_instead(&self, index: usize) -> &'static str {
        let address = self.outgoing[index].address.filter(|_| self.ucx.is_some());
        let listens = |address| TcpStream::connect_timeout(&address, PROBE).is_ok();
        match address.is_some_and(listens) {
            true => "; something listens there, but perhaps without `carrier: ucx`",
            false => "",
        }
    }

    /// Has hosts looked up, which the other links must not wait for.
    fn look_up(&mut self, hosts: &Hosts) -> std::io::Result<()> {
        if !self.lookups.insert(hosts.clone()) {
            return Ok(());
        }
        let (hosts, shared) = (hosts.clone(), self.shared.clone());
        let thread = std::thread::Builder::new().name("names".to_owned());
        thread
            .spawn(move || {
                let found = hosts.look_up();
                shared.command(Command::Found { hosts, found });
            })
            .map(drop)
    }

    /// Hosts were looked up: connects those that wait for them.
    pub(super) fn found(&mut self, hosts: &Hosts, found: &Result<Found>) {
        self.lookups.remove(hosts);
        for index in (0..self.outgoing.len()).rev() {
            let outgoing = &mut self.outgoing[index];
            if outgoing.asks.as_ref() != Some(hosts) {
                continue;
            }
            outgoing.asks = None;
            let target = outgoing.transmitter.target();
            if outgoing.outlet.state() == LinkState::ENDED {
                self.outgoing.swap_remove(index);
            } else if target.hosts() == *hosts {
                self.go(index, &target, found);
            } else {
                let outlet = outgoing.outlet.clone();
                self.try_again(&outlet, "the receiver has moved");
            }
        }
    }

    /// Connects an outlet whose hosts are known.
    fn go(&mut self, index: usize, target: &Target, hosts: &Result<Found>) {
        let outlet = self.outgoing[index].outlet.clone();
        let way = match hosts {
            Ok(hosts) => target.way(hosts, self.outgoing[index].turn),
            Err(error) => return self.try_again(&outlet, error.message()),
        };
        self.outgoing[index].address = Some(way.to);
        if let Some(inlet) = local::find(way.to) {
            return self.attach_local(index, &inlet);
        }
        self.outgoing[index].turn += 1;
        let role = Role::Sends { outlet: outlet.clone() };
        let connected = match self.ucx {
            Some(_) => self.connect_over_ucx(way, role),
            None => self.connect(way, target).and_then(|stream| self.add(stream, role, 0)),
        };
        match connected {
            Ok(_) => {}
            Err(error) if self.ucx.is_some() && error.kind() == ErrorKind::PermissionDenied => {
                let (name, peer) = (&outlet.owner.name, outlet.peer());
                self.give_up(&outlet, &format!("`{name}` does not connect to {peer}: {error}"));
            }
            Err(error) => self.try_again(&outlet, &error.to_string()),
        }
    }

    fn connect(&self, Way { to: address, from }: Way, target: &Target) -> std::io::Result<Stream> {
        if self.options.uses_unix && is_here(address.ip()) {
            match unix::connect(address) {
                Ok(stream) => return Ok(stream),
                Err(error) if !self.options.uses_tcp => {
                    return Err(std::io::Error::other(format!(
                        "no receiver with `carrier` unix or auto listens for this port: {error}"
                    )));
                }
                Err(_) => {}
            }
        }
        if !self.options.uses_tcp {
            return Err(std::io::Error::other("a Unix socket leads to no other host"));
        }
        let stream = Stream::connect(address, from).map_err(|error| match from {
            Some(from) => std::io::Error::other(format!("cannot connect from {from}: {error}")),
            None => error,
        })?;
        let session = |tls: &Tls| Session::client(tls, &target.host);
        self.encrypted(stream, session).map_err(|error| std::io::Error::other(error.to_string()))
    }
}
