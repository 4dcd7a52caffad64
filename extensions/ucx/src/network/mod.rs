//! The event loop of a context: it accepts and opens connections, reads from them, writes what could
//! not be written at once, and notices what is dead. The context's thread runs it, or the scheduler
//! while that has nothing else to do.
//!
//! - `options.rs`: what the network knows of its context;
//! - `ucx.rs`: what UCX carries;
//! - `input.rs`: from bytes to frames and messages;
//! - `connection.rs`: what a connection says and hears;
//! - `outgoing.rs`: how transmitters connect.

mod connection;
mod input;
mod options;
mod outgoing;
mod ucx;

pub use options::Options;

use crate::address::{Found, Hosts};
use crate::inlet::{Inlet, InletNetwork};
use crate::outlet::{Outlet, OutletNetwork};
use crate::socket::{Listener, Session, Stream, unix};
use crate::transmitter::UcxTransmitter;
use crate::writes::PostponedWrites;
use connection::{Connection, Heard, Role};
use gxe_access::{Refusals, Tls};
use gxf::{Error, Handle, LinkState, Result, ResultCode};
use gxf_link_format::{Frame, Greeting, Hello, Kind, PROTOCOL, Refused, Welcome};
use gxf_link_state::Lead;
use mio::event::Event;
use mio::{Events, Interest, Poll, Token, Waker};
use outgoing::Outgoing;
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use rustix::io::Errno;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use ucx::Ucx;

const WAKER: Token = Token(0);
/// All that UCX carries.
const UCX: Token = Token(usize::MAX);
/// A connection that has not greeted by then is closed.
const GREETING_TIME: Duration = Duration::from_secs(5);
/// From so many connections to a context on that have not greeted, the oldest one makes place for a
/// new one, if it has had the time to greet: the links of a large graph connect all at once.
const STRANGERS: usize = 64;
const TIME_TO_GREET: Duration = Duration::from_millis(500);
/// From so many on, it does so in any case.
const MOST_STRANGERS: usize = 4096;
/// How long listeners rest when the process has no descriptors left.
const REST: Duration = Duration::from_millis(100);
/// How long small messages wait for others that are acknowledged with them.
const OWES: Duration = Duration::from_millis(1);
/// Why an end of this process is lost.
const GONE: &str = "it is gone";
static REFUSALS: Refusals = Refusals::new();
/// A running network; ends with the value.
pub struct Network {
    event_loop: Arc<EventLoop>,
    thread: Option<JoinHandle<()>>,
}

/// The event loop of a network.
pub struct EventLoop {
    shared: Arc<Shared>,
    /// Locked by who has the lead.
    reactor: Mutex<Reactor>,
}

struct Shared {
    commands: Mutex<Vec<Command>>,
    waker: Waker,
    lead: Lead,
    /// Those that have something to acknowledge.
    owing: Mutex<Vec<Arc<Inlet>>>,
    writes: Arc<PostponedWrites>,
}

impl Shared {
    /// Acknowledges what arrived.
    fn acknowledge(&self) {
        let owing = std::mem::take(&mut *self.owing.lock());
        owing.iter().for_each(|inlet| inlet.acknowledge_rest());
    }

    /// Has the thread do something.
    fn command(&self, command: Command) {
        self.commands.lock().push(command);
        _ = self.waker.wake();
        self.lead.call_thread();
    }
}

impl OutletNetwork for Shared {
    fn receiver_gone(&self, outlet: Arc<Outlet>) {
        self.command(Command::ReceiverGone { outlet });
    }
}

impl InletNetwork for Shared {
    fn transmitter_gone(&self, inlet: Arc<Inlet>) {
        self.command(Command::TransmitterGone { inlet });
    }
}

enum Command {
    Listen {
        inlet: Arc<Inlet>,
        /// What its receiver asks for.
        asked: SocketAddr,
        /// What it gets.
        address: SocketAddr,
        buffer: usize,
        done: Sender<Result<()>>,
    },
    Connect {
        outlet: Arc<Outlet>,
        transmitter: Handle<UcxTransmitter>,
    },
    /// Hosts were looked up.
    Found {
        hosts: Hosts,
        found: Result<Found>,
    },
    Forget {
        inlet: Arc<Inlet>,
        done: Sender<()>,
    },
    /// The other end was in this process.
    ReceiverGone {
        outlet: Arc<Outlet>,
    },
    TransmitterGone {
        inlet: Arc<Inlet>,
    },
    Stop,
}

fn failed(error: &std::io::Error) -> Error {
    Error::failure(format!("the network cannot be used: {error}"))
}

impl EventLoop {
    /// Takes the loop for the scheduler; see [`Lead`].
    pub fn enter(&self) -> bool {
        // The scheduler has nothing more to send.
        self.shared.writes.write();
        self.shared.lead.enter()
    }

    /// Sleeps until there is work, or [`Self::wake`] is called.
    pub fn wait(&self, timeout: Option<Duration>) {
        // Whole milliseconds, and none too many.
        let whole = |timeout: Duration| Duration::from_millis(timeout.as_millis() as u64);
        // What must be acknowledged, the thread does meanwhile.
        self.reactor.lock().wait(timeout.map(whole));
    }

    /// Does the work, unless the thread must. Returns whether the scheduler may stay.
    pub fn work(&self) -> bool {
        let mut reactor = self.reactor.lock();
        reactor.handle_events();
        reactor.beat(Instant::now());
        reactor.can_be_lent()
    }

    /// The scheduler has other things to do.
    pub fn leave(&self) {
        let is_due = !self.reactor.lock().can_be_lent();
        self.shared.lead.leave(is_due);
    }

    /// Ends a [`Self::wait`].
    pub fn wake(&self) {
        _ = self.shared.waker.wake();
    }

    /// What the context's thread does, until the network ends.
    fn run(&self) {
        loop {
            self.shared.lead.follow(|| self.shared.acknowledge());
            let mut reactor = self.reactor.lock();
            loop {
                if reactor.commands() {
                    return;
                }
                reactor.timers();
                let owes = reactor.owes_at;
                let owes = owes.map(|at| at.saturating_duration_since(Instant::now()));
                reactor.wait(owes);
                reactor.handle_events();
                if reactor.has_failed {
                    return;
                }
                if reactor.can_be_lent() && self.shared.lead.yield_to_scheduler() {
                    break;
                }
            }
        }
    }
}

impl Network {
    pub fn start(options: Options) -> Result<Self> {
        let poll = Poll::new().map_err(|error| failed(&error))?;
        let waker = Waker::new(poll.registry(), WAKER).map_err(|error| failed(&error))?;
        let shared = Arc::new(Shared {
            commands: Mutex::default(),
            waker,
            lead: Lead::default(),
            owing: Mutex::default(),
            writes: Arc::default(),
        });
        let ucx =
            options.uses_ucx.then(|| Ucx::start(poll.registry(), &options.access)).transpose()?;
        let reactor = Reactor {
            options,
            ucx,
            poll,
            events: Events::with_capacity(256),
            shared: shared.clone(),
            next_token: 1,
            listeners: FxHashMap::default(),
            connections: FxHashMap::default(),
            outgoing: Vec::new(),
            lookups: FxHashSet::default(),
            next_attempt: None,
            waiting: Vec::new(),
            rests_until: None,
            next_beat: None,
            owes_at: None,
            moves_much: false,
            has_failed: false,
        };
        let event_loop = Arc::new(EventLoop { shared, reactor: Mutex::new(reactor) });
        let runs = event_loop.clone();
        let thread = std::thread::Builder::new().name("network".to_owned());
        let thread = thread.spawn(move || runs.run()).map_err(|error| failed(&error))?;
        Ok(Self { event_loop, thread: Some(thread) })
    }

    /// The event loop, for the scheduler.
    pub fn event_loop(&self) -> &Arc<EventLoop> {
        &self.event_loop
    }

    /// The writes that its outlets postpone.
    pub fn writes(&self) -> &Arc<PostponedWrites> {
        &self.event_loop.shared.writes
    }

    /// What outlets of links within the process tell.
    pub fn of_outlets(&self) -> Weak<dyn OutletNetwork> {
        let shared: Arc<dyn OutletNetwork> = self.event_loop.shared.clone();
        Arc::downgrade(&shared)
    }

    /// What inlets of such links tell.
    pub fn of_inlets(&self) -> Weak<dyn InletNetwork> {
        let shared: Arc<dyn InletNetwork> = self.event_loop.shared.clone();
        Arc::downgrade(&shared)
    }

    fn command(&self, command: Command) {
        self.event_loop.shared.command(command);
    }

    /// Listens at `address` for the transmitter of an inlet, whose receiver asks for `asked`.
    pub fn listen(
        &self,
        inlet: &Arc<Inlet>,
        asked: SocketAddr,
        address: SocketAddr,
        buffer: usize,
    ) -> Result<()> {
        let (done, result) = channel();
        self.command(Command::Listen { inlet: inlet.clone(), asked, address, buffer, done });
        result.recv().map_err(|_| Error::failure("the network has ended"))?
    }

    /// Connects an outlet to its receiver, however long that takes.
    pub fn connect(&self, outlet: &Arc<Outlet>, transmitter: Handle<UcxTransmitter>) {
        self.command(Command::Connect { outlet: outlet.clone(), transmitter });
    }

    /// Closes everything of an inlet.
    pub fn forget(&self, inlet: &Arc<Inlet>) {
        let (done, result) = channel();
        self.command(Command::Forget { inlet: inlet.clone(), done });
        _ = result.recv();
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        self.event_loop.shared.writes.end();
        self.command(Command::Stop);
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

struct Listening {
    inlet: Arc<Inlet>,
    listener: Listener,
    buffer: usize,
}

/// An inlet whose transmitter is gone.
struct Waiting {
    inlet: Arc<Inlet>,
    until: Instant,
}

/// What a connection is ready for; `ends` if reading includes the end of the stream.
struct Ready {
    is_readable: bool,
    is_writable: bool,
    ends: bool,
}

impl Ready {
    const FOR_ALL: Self = Self { is_readable: true, is_writable: true, ends: true };
}

struct Reactor {
    options: Options,
    ucx: Option<Ucx>,
    poll: Poll,
    /// What the latest wait found.
    events: Events,
    shared: Arc<Shared>,
    next_token: usize,
    listeners: FxHashMap<Token, Listening>,
    connections: FxHashMap<Token, Connection>,
    outgoing: Vec<Outgoing>,
    /// Hosts that are looked up, each on a thread of its own: names take their time.
    lookups: FxHashSet<Hosts>,
    /// The earliest time to try one of them, or a time before that.
    next_attempt: Option<Instant>,
    waiting: Vec<Waiting>,
    /// Listeners accept nothing until then.
    rests_until: Option<Instant>,
    next_beat: Option<Instant>,
    /// When the thread acknowledges what arrived, if it runs the loop.
    owes_at: Option<Instant>,
    /// Whether the latest events moved so much that it is worth a thread of its own beside the
    /// entities.
    moves_much: bool,
    /// The poll failed, and with it the graph.
    has_failed: bool,
}

impl Reactor {
    /// Sleeps until something happens, until the next timer, or until the timeout.
    fn wait(&mut self, timeout: Option<Duration>) {
        let is_quiet = self.ucx.as_ref().is_none_or(Ucx::may_sleep);
        let next = self.next_time().map(|at| at.saturating_duration_since(Instant::now()));
        let timeout = match next.into_iter().chain(timeout).min() {
            _ if !is_quiet => Some(Duration::ZERO),
            timeout => timeout,
        };
        if let Err(error) = self.poll.poll(&mut self.events, timeout)
            && error.kind() != ErrorKind::Interrupted
        {
            self.has_failed = true;
            _ = self.options.context.fail(&failed(&error));
        }
    }

    /// Handles what happened.
    fn handle_events(&mut self) {
        let moved_much = std::mem::take(&mut self.moves_much);
        let events = std::mem::replace(&mut self.events, Events::with_capacity(0));
        let mut has_happened = false;
        for event in &events {
            match event.token() {
                // Commands and UCX have their own turn.
                WAKER | UCX => {}
                token => {
                    self.happened(token, event);
                    has_happened = true;
                }
            }
        }
        self.events = events;
        has_happened |= self.progress_ucx();
        if !has_happened {
            // UCX may be within a large message.
            self.moves_much = moved_much;
        }
    }

    /// Whether the scheduler may run the loop: there are only connections, which move little.
    fn can_be_lent(&self) -> bool {
        !self.moves_much
            && !self.has_failed
            && self.rests_until.is_none()
            && self.waiting.is_empty()
            && self.next_attempt.is_none()
            && self.shared.commands.lock().is_empty()
    }

    /// Does what was asked for. Returns whether the network ends.
    fn commands(&mut self) -> bool {
        loop {
            let commands = std::mem::take(&mut *self.shared.commands.lock());
            if commands.is_empty() {
                return false;
            }
            for command in commands {
                match command {
                    Command::Listen { inlet, asked, address, buffer, done } => {
                        _ = done.send(self.listen(&inlet, asked, address, buffer));
                    }
                    Command::Connect { outlet, transmitter } => {
                        let now = Instant::now();
                        self.next_attempt = Some(now);
                        self.outgoing.push(Outgoing::new(outlet, transmitter, now));
                    }
                    Command::Found { hosts, found } => self.found(&hosts, &found),
                    Command::Forget { inlet, done } => {
                        self.forget(&inlet);
                        _ = done.send(());
                    }
                    Command::ReceiverGone { outlet } => {
                        if !self.has_ended(&outlet) && self.lost_receiver(&outlet, GONE) {
                            self.try_again(&outlet, GONE);
                        }
                    }
                    Command::TransmitterGone { inlet } => self.lost_transmitter(&inlet, GONE),
                    Command::Stop => return true,
                }
            }
        }
    }

    fn token(&mut self) -> Token {
        let token = Token(self.next_token);
        self.next_token += 1;
        token
    }

    fn listen(
        &mut self,
        inlet: &Arc<Inlet>,
        asked: SocketAddr,
        address: SocketAddr,
        buffer: usize,
    ) -> Result<()> {
        let name = &inlet.owner.name;
        let failed = |error: std::io::Error| {
            let text = match error.kind() {
                ErrorKind::AddrInUse => "another program or segment uses the port".to_owned(),
                _ => error.to_string(),
            };
            Error::failure(format!("receiver `{name}` cannot listen at {address}: {text}"))
        };
        if self.ucx.is_some() {
            return self.listen_over_ucx(inlet, address, buffer);
        }
        let mut listeners = Vec::new();
        if self.options.uses_tcp {
            if let Some(tls) = &self.options.access.tls {
                tls.server(None).map_err(|error| error.context(name))?;
            }
            listeners.push(Listener::tcp(address).map_err(failed)?);
        }
        // Transmitters may know either address.
        let is_narrowed = asked != address && !asked.ip().is_unspecified();
        for place in std::iter::once(asked).chain(is_narrowed.then_some(address)) {
            if !self.options.uses_unix {
                break;
            }
            match unix::listen(place) {
                Ok(listener) => listeners.push(listener),
                Err(error) if self.options.uses_tcp => {
                    gxf::debug!("receiver `{name}` has no Unix socket: {error}");
                }
                Err(error) => return Err(failed(error)),
            }
        }
        for mut listener in listeners {
            let token = self.token();
            let registered = listener.register(self.poll.registry(), token, Interest::READABLE);
            registered.map_err(failed)?;
            self.listeners.insert(token, Listening { inlet: inlet.clone(), listener, buffer });
        }
        gxf::debug!("receiver `{name}` listens at {address}");
        Ok(())
    }

    fn forget(&mut self, inlet: &Arc<Inlet>) {
        self.listeners.retain(|_, listening| !Arc::ptr_eq(&listening.inlet, inlet));
        if let Some(ucx) = &mut self.ucx {
            ucx.forget(inlet);
        }
        self.waiting.retain(|waiting| !Arc::ptr_eq(&waiting.inlet, inlet));
        self.connections.retain(|_, connection| !connection.is_of(inlet));
    }

    fn happened(&mut self, token: Token, event: &Event) {
        if self.listeners.contains_key(&token) {
            self.accept(token);
            return;
        }
        // A stream that is about to end is read to its end.
        let ends = event.is_read_closed() || event.is_error();
        let is_readable = event.is_readable() || ends;
        self.ready(token, Ready { is_readable, is_writable: event.is_writable(), ends });
    }

    fn ready(&mut self, token: Token, ready: Ready) {
        let Ready { is_readable, is_writable, ends } = ready;
        let Some(connection) = self.connections.get_mut(&token) else { return };
        if is_writable {
            match connection.writable() {
                Ok(None) => {}
                Ok(Some(heard)) => self.heard(token, heard),
                Err(problem) => return self.broken(token, &problem),
            }
        }
        if !is_readable {
            let moves_much = |connection: &Connection| connection.moves_much();
            self.moves_much |= self.connections.get(&token).is_some_and(moves_much);
            return;
        }
        // A greeting changes how the connection goes on, so it is read in steps.
        while let Some(connection) = self.connections.get_mut(&token) {
            // Before an entity hears of it, and perhaps answers.
            if matches!(connection.role, Role::Receives { .. }) {
                self.shared.writes.note_arrival();
            }
            let read = connection.read(&self.options, ends);
            self.moves_much |= connection.moves_much();
            if let Some(inlet) = connection.take_owing() {
                self.owes_at.get_or_insert_with(|| Instant::now() + OWES);
                self.shared.owing.lock().push(inlet);
            }
            match read {
                Ok(all) if all.is_empty() => return,
                Ok(all) => all.into_iter().for_each(|heard| self.heard(token, heard)),
                Err(problem) => return self.broken(token, &problem),
            }
        }
    }

    fn accept(&mut self, token: Token) {
        loop {
            let Some(listening) = self.listeners.get(&token) else { return };
            let accepted = listening.listener.accept();
            let (inlet, buffer) = (listening.inlet.clone(), listening.buffer);
            match accepted {
                Ok(stream) => {
                    if let Ok(stream) = self.encrypted(stream, Session::server) {
                        self.make_room_for_stranger();
                        let role = Role::Receives { inlet, is_attached: false };
                        _ = self.add(stream, role, buffer);
                    }
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => {}
                Err(error) if lacks_descriptors(&error) && self.close_oldest_stranger() => {}
                Err(error) => {
                    let name = &inlet.owner.name;
                    gxf::debug!("receiver `{name}` cannot accept a connection: {error}");
                    self.rests_until = Some(Instant::now() + REST);
                    return;
                }
            }
        }
    }

    /// Connections to a context that have not greeted.
    fn strangers(&self) -> impl Iterator<Item = (Token, Instant)> + Clone {
        let is_stranger = |known: &Connection| {
            !known.has_greeted() && matches!(known.role, Role::Receives { .. })
        };
        let strangers = self.connections.iter().filter(move |(_, known)| is_stranger(known));
        strangers.map(|(token, known)| (*token, known.since))
    }

    /// Who connects and says nothing must not keep others out.
    fn make_room_for_stranger(&mut self) {
        let strangers = self.strangers();
        let count = strangers.clone().count();
        let oldest = strangers.map(|(_, since)| since).min();
        if oldest.is_some_and(|since| {
            count >= MOST_STRANGERS || (count >= STRANGERS && since.elapsed() >= TIME_TO_GREET)
        }) {
            self.close_oldest_stranger();
        }
    }

    /// Returns whether there was one.
    fn close_oldest_stranger(&mut self) -> bool {
        let oldest = self.strangers().min_by_key(|(_, since)| *since);
        if let Some((token, _)) = oldest {
            self.broken(token, "others connect, and it says nothing");
        }
        oldest.is_some()
    }

    /// A connection with TLS, if it leads to other hosts and there are certificates.
    fn encrypted(
        &self,
        stream: Stream,
        session: impl FnOnce(&Tls) -> Result<Session>,
    ) -> Result<Stream> {
        match &self.options.access.tls {
            Some(tls) if stream.is_tcp() => Ok(stream.with_tls(session(tls)?)),
            _ => Ok(stream),
        }
    }

    fn add(&mut self, mut stream: Stream, role: Role, buffer: usize) -> std::io::Result<Token> {
        let token = self.token();
        let interest = Interest::READABLE | Interest::WRITABLE;
        stream.register(self.poll.registry(), token, interest)?;
        self.insert(token, Connection::new(stream, role, buffer));
        Ok(token)
    }

    /// Adds a connection, which has a time to greet, however seldom there are signs of life.
    fn insert(&mut self, token: Token, connection: Connection) {
        let limit = connection.since + GREETING_TIME;
        let beat = self.next_beat.unwrap_or_else(|| connection.since + self.options.heartbeat);
        self.next_beat = Some(beat.min(limit));
        self.connections.insert(token, connection);
    }

    /// Something that concerns more than the connection.
    fn heard(&mut self, token: Token, heard: Heard) {
        match heard {
            Heard::Connected => self.greet(token),
            Heard::Hello(hello) => self.admit(token, &hello),
            Heard::Welcome(welcome) => self.welcomed(token, &welcome),
            Heard::Refused(refused) => self.refused(token, &refused),
        }
    }

    /// A connection to a receiver has come about.
    fn greet(&mut self, token: Token) {
        let Some(connection) = self.connections.get_mut(&token) else { return };
        let Role::Sends { outlet } = &connection.role else { return };
        let outlet = outlet.clone();
        // A receiver of this process may have begun to listen after the search for one.
        if let Some((index, inlet)) = self.local_receiver(&outlet) {
            self.connections.remove(&token);
            self.attach_local(index, &inlet);
            return;
        }
        let Some(connection) = self.connections.get_mut(&token) else { return };
        let hello = Hello {
            protocol: PROTOCOL,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: outlet.owner.name.clone(),
            run: outlet.run,
            next: outlet.next(),
            token: self.options.access.token.clone(),
        };
        connection.send_greeting(Kind::Hello, &hello.to_bytes());
    }

    fn admit(&mut self, token: Token, hello: &Hello) {
        let admits = self.options.access.admits(&hello.token);
        let Some(connection) = self.connections.get_mut(&token) else { return };
        let Role::Receives { inlet, is_attached } = &mut connection.role else { return };
        let peer = format!("`{}` at {}", printable(&hello.name), connection.writer.peer());
        let attached = if !admits {
            Err(Refused { reason: "the token is wrong".to_owned(), for_now: false })
        } else if let Err(reason) = inlet.expects(&hello.name) {
            Err(Refused { reason, for_now: false })
        } else {
            inlet
                .attach(&connection.writer, hello.run, hello.next, peer)
                .map_err(|reason| Refused { reason, for_now: inlet.state() != LinkState::ENDED })
        };
        match attached {
            Ok((has, granted)) => {
                *is_attached = true;
                let inlet = inlet.clone();
                let welcome = Welcome {
                    protocol: PROTOCOL,
                    version: env!("CARGO_PKG_VERSION").to_owned(),
                    name: inlet.owner.name.clone(),
                    has,
                    granted,
                };
                connection.send_greeting(Kind::Welcome, &welcome.to_bytes());
                connection.set_greeted();
                if inlet.state() == LinkState::ENDED {
                    // When it ended, there was no connection to say so.
                    connection.writer.send(&Frame::small(Kind::Ended, 0, 0));
                }
            }
            Err(refused) => {
                REFUSALS.note(|| {
                    format!(
                        "receiver `{}` refuses `{}` at {}: {}",
                        inlet.owner.name,
                        printable(&hello.name),
                        connection.writer.peer(),
                        refused.reason
                    )
                });
                if connection.refuse(&refused) {
                    self.connections.remove(&token);
                }
            }
        }
    }

    fn welcomed(&mut self, token: Token, welcome: &Welcome) {
        let Some(connection) = self.connections.get_mut(&token) else { return };
        let Role::Sends { outlet } = &connection.role else { return };
        let outlet = outlet.clone();
        let peer = format!("`{}` at {}", printable(&welcome.name), connection.writer.peer());
        let attached =
            outlet.attach(&connection.writer, welcome.has, welcome.granted, peer.clone());
        match attached {
            Ok(()) => {
                connection.set_greeted();
                let carrier = connection.writer.carrier();
                gxf::info!("`{}` is connected to {peer} ({carrier})", outlet.owner.name);
                if let Some(outgoing) = self.outgoing_of(&outlet) {
                    outgoing.welcomed(welcome.has);
                }
            }
            Err(problem) => self.broken(token, &problem),
        }
    }

    fn refused(&mut self, token: Token, refused: &Refused) {
        let Some(connection) = self.connections.remove(&token) else { return };
        let Role::Sends { outlet } = &connection.role else { return };
        let reason = printable(&refused.reason);
        if refused.for_now {
            self.try_again(outlet, &reason);
            return;
        }
        let text = format!("{} refuses `{}`: {reason}", outlet.peer(), outlet.owner.name);
        self.give_up(outlet, &text);
    }

    /// A connection is of no use any more.
    fn broken(&mut self, token: Token, problem: &str) {
        let Some(connection) = self.connections.remove(&token) else { return };
        match &connection.role {
            Role::Sends { outlet } => {
                let was_open = outlet.detach(&connection.writer);
                if self.has_ended(outlet) {
                    return;
                }
                if was_open {
                    if !self.lost_receiver(outlet, problem) {
                        return;
                    }
                } else if connection.writer.stream().has_refused_tls() {
                    let (name, peer) = (&outlet.owner.name, outlet.peer());
                    self.give_up(outlet, &format!("`{name}` and {peer} do not agree: {problem}"));
                    return;
                }
                self.try_again(outlet, problem);
            }
            Role::Receives { inlet, is_attached } => {
                let name = &inlet.owner.name;
                if connection.writer.stream().distrusts() {
                    let peer = connection.writer.peer();
                    REFUSALS.note(|| format!("receiver `{name}` refuses {peer}: {problem}"));
                } else if !*is_attached {
                    gxf::debug!("receiver `{name}` has closed a connection: {problem}");
                } else if inlet.detach(&connection.writer) {
                    self.lost_transmitter(inlet, problem);
                }
            }
        }
    }

    /// An inlet has lost its transmitter, which may come back.
    fn lost_transmitter(&mut self, inlet: &Arc<Inlet>, problem: &str) {
        if !inlet.is_deserted() {
            return;
        }
        let (name, peer) = (&inlet.owner.name, inlet.peer());
        let text = format!("receiver `{name}` has lost its connection to {peer}: {problem}");
        if !self.options.reconnects {
            let error = Error::new(ResultCode::CONNECTION_BROKEN, text);
            _ = self.options.context.fail(&error);
            return;
        }
        gxf::warning!("{text}");
        let until = Instant::now() + self.options.patience;
        self.waiting.retain(|waiting| !Arc::ptr_eq(&waiting.inlet, inlet));
        self.waiting.push(Waiting { inlet: inlet.clone(), until });
    }

    /// The next time at which there is something to do.
    fn next_time(&self) -> Option<Instant> {
        let waits = self.waiting.iter().map(|waiting| waiting.until);
        let others = [self.next_attempt, self.rests_until, self.next_beat];
        waits.chain(others.into_iter().flatten()).min()
    }

    fn timers(&mut self) {
        let now = Instant::now();
        if self.rests_until.is_some_and(|until| until <= now) {
            self.rests_until = None;
            let tokens: Vec<Token> = self.listeners.keys().copied().collect();
            tokens.into_iter().for_each(|token| self.accept(token));
        }
        if self.next_attempt.is_some_and(|next| next <= now) {
            self.attempts(now);
        }
        // Those that have a transmitter again, or have ended meanwhile, wait for nobody.
        self.waiting.retain(|waiting| waiting.inlet.is_deserted());
        let gone = self.waiting.iter().position(|waiting| waiting.until <= now);
        if let Some(Waiting { inlet, .. }) = gone.map(|index| self.waiting.swap_remove(index)) {
            let (name, peer) = (&inlet.owner.name, inlet.peer());
            let seconds = self.options.patience.as_secs_f32();
            let text = format!("{peer} did not come back to receiver `{name}` in {seconds} s");
            _ = self.options.context.fail(&Error::new(ResultCode::CONNECTION_BROKEN, text));
        }
        if self.owes_at.is_some_and(|at| at <= now) {
            self.owes_at = None;
            self.shared.acknowledge();
        }
        self.beat(now);
    }

    /// Sends signs of life, and closes connections without any.
    fn beat(&mut self, now: Instant) {
        if self.connections.is_empty() {
            self.next_beat = None;
            return;
        }
        let next = *self.next_beat.get_or_insert(now + self.options.heartbeat);
        if now < next {
            return;
        }
        // Of a large message that comes slowly, each byte is a sign of life.
        let slow = self.connections.iter().filter(|(_, connection)| connection.may_hold_bytes());
        let slow: Vec<Token> = slow.map(|(token, _)| *token).collect();
        for token in slow {
            self.ready(token, Ready { is_readable: true, is_writable: false, ends: false });
        }
        let mut next = now + self.options.heartbeat;
        let mut dead = Vec::new();
        for (token, connection) in &mut self.connections {
            let (latest, limit) = match connection.has_greeted() {
                true => (connection.last_heard, self.options.timeout),
                false => (connection.since, GREETING_TIME),
            };
            let silent = now.saturating_duration_since(latest);
            if silent >= limit {
                dead.push((*token, silent));
            } else if connection.has_greeted() {
                connection.send_heartbeat();
            } else {
                next = next.min(connection.since + limit);
            }
        }
        self.next_beat = Some(next);
        for (token, silent) in dead {
            let mut problem = format!("no sign of life for {:.1} s", silent.as_secs_f32());
            if self.connections.get(&token).is_some_and(Connection::awaits_welcome) {
                // UCX accepts connections, too, and says nothing to who is no end of UCX.
                problem += "; does it listen with `carrier: ucx`?";
            }
            self.broken(token, &problem);
        }
    }
}

/// Whether the process, or the host, can have no more descriptors.
fn lacks_descriptors(error: &std::io::Error) -> bool {
    let lacks = [Errno::MFILE, Errno::NFILE];
    Errno::from_io_error(error).is_some_and(|error| lacks.contains(&error))
}

/// A text of a peer, for a log.
fn printable(text: &str) -> String {
    text.chars().filter(|one| !one.is_control()).take(200).collect()
}
