//! The thread of a codelet. It opens the one connection and mends it, reads messages and writes
//! frames, and sleeps in between.
//!
//! Anybody may connect to a server, and only one client has its place: one that stops in the middle
//! of a message loses it, and so does one that has never sent a message while others wait. A client
//! that has sent one may be silent as long as it likes.

use crate::input::{CHANNEL, Filled, HEADER, Input};
use gxe_access::{Listening, authority};
use gxf::{ContextHandle, EntitySerializer, Error, Event, Handle, Message, Result, ResultCode};
use gxf_recording::TypeId;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token, Waker};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const WAKER: Token = Token(0);
const LISTENER: Token = Token(1);
const STREAM: Token = Token(2);
/// Most messages that wait for the codelet to publish them; then nothing more is read.
pub const INCOMING: usize = 64;
/// Bytes that may wait for the socket; then the codelet takes no more messages.
const OUTGOING: usize = 1 << 20;
/// Most reads in a row: a peer that never pauses must not keep the thread from its other duties.
const READS: usize = 16;

/// How long a client of a server may stop in the middle of a message, and how long one that has never
/// sent a message keeps its place while others wait.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many bytes of its first message let a client keep its place for as long again.
const EARNS: usize = 4096;
/// Most clients that wait until the one that is connected leaves; the system holds the others.
const WAITING: usize = 64;
/// Most clients that are accepted in a row: most of them may be gone already.
const ACCEPTS: usize = 256;

/// What a connection is made of.
pub struct Options {
    /// The codelet, `entity/component`.
    pub name: String,
    pub context: ContextHandle,
    pub eid: gxf::Uid,
    pub serializer: Handle<EntitySerializer>,
    /// Types whose layout only their serializer knows.
    pub foreign: Vec<TypeId>,
    pub place: Place,
    /// Whether the codelet has queues for what its peer sends.
    pub expects: bool,
    /// How often to try to open or mend the connection, and the pause between two attempts.
    pub attempts: u64,
    pub pause: Duration,
    /// The connection ends after this time, and after this time without a message.
    pub duration: Option<Duration>,
    pub silence: Option<Duration>,
}

/// Who opens the connection.
pub enum Place {
    /// The peer, to the first of these addresses of this host that is free.
    Listen(Vec<SocketAddr>),
    /// This end, to this host and port.
    Connect(String, u16),
}

/// A connection, with its thread.
pub struct Connection {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    waker: Waker,
}

#[derive(Default)]
struct State {
    incoming: VecDeque<(u64, Message)>,
    /// Frames, of which the socket has `offset` bytes of the first one.
    outgoing: VecDeque<Vec<u8>>,
    offset: usize,
    /// Bytes of all frames that wait.
    waiting: usize,
    /// Whether the codelet wants to know when no frame waits any more.
    tells_when_sent: bool,
    is_connected: bool,
    is_closing: bool,
    ended: Option<Result<()>>,
}

impl Connection {
    pub fn open(options: Options) -> Result<Self> {
        let failed = |error: std::io::Error| {
            let text = format!("`{}` cannot use the network: {error}", options.name);
            Error::failure(text)
        };
        let poll = Poll::new().map_err(failed)?;
        let waker = Waker::new(poll.registry(), WAKER).map_err(failed)?;
        let (listener, server) = match &options.place {
            Place::Listen(addresses) => {
                let (mut listener, address) = listen(&options.name, addresses)?;
                poll.registry()
                    .register(&mut listener, LISTENER, Interest::READABLE)
                    .map_err(failed)?;
                (Some(Listening(listener)), address.to_string())
            }
            Place::Connect(host, port) => (None, authority(host, *port)),
        };
        let shared = Arc::new(Shared { state: Mutex::default(), waker });
        let now = Instant::now();
        let mut reactor = Reactor {
            attempts: options.attempts,
            next_attempt: match listener {
                Some(_) => now.checked_add(options.pause),
                None => Some(now),
            },
            last_message: now,
            began: now,
            shared: shared.clone(),
            options,
            poll,
            listener,
            server,
            peer: None,
            waiting: VecDeque::new(),
            has_more: false,
            input: Input::default(),
            latest: String::new(),
            ended_well: false,
        };
        let thread = std::thread::Builder::new().name("tcp".to_owned());
        let thread = thread.spawn(move || reactor.run_guarded())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Whether messages wait to be published, and whether more can be sent.
    pub fn readiness(&self) -> (bool, bool) {
        let state = self.shared.state.lock();
        let may_send = state.is_connected && state.waiting < OUTGOING && !state.is_closing;
        (!state.incoming.is_empty(), may_send)
    }

    /// Whether everything is sent. If not, the entity wakes once it is.
    pub fn has_sent_all(&self) -> bool {
        let mut state = self.shared.state.lock();
        state.tells_when_sent = state.waiting > 0;
        !state.tells_when_sent
    }

    /// Whether nothing comes or goes any more.
    pub fn has_ended(&self) -> bool {
        self.shared.state.lock().ended.is_some()
    }

    /// The next message that `wanted` accepts, if it is the oldest.
    pub fn receive(&self, wanted: impl FnOnce(u64) -> bool) -> Option<(u64, Message)> {
        let mut state = self.shared.state.lock();
        let (channel, _) = state.incoming.front()?;
        if !wanted(*channel) {
            return None;
        }
        let was_full = state.incoming.len() == INCOMING;
        let received = state.incoming.pop_front();
        drop(state);
        if was_full {
            _ = self.shared.waker.wake();
        }
        received
    }

    /// Sends a message to a channel.
    pub fn send(
        &self,
        channel: u64,
        message: &Message,
        serializer: &Handle<EntitySerializer>,
    ) -> Result<()> {
        let mut frame = Vec::with_capacity(HEADER + CHANNEL + 256);
        for number in [0, 1, channel] {
            frame.extend(number.to_le_bytes());
        }
        serializer.write_message(message, &mut frame)?;
        let mut state = self.shared.state.lock();
        state.waiting += frame.len();
        state.outgoing.push_back(frame);
        drop(state);
        _ = self.shared.waker.wake();
        Ok(())
    }

    /// Sends what waits, and ends the connection. Returns how it ended.
    pub fn close(mut self) -> Result<()> {
        self.shared.state.lock().is_closing = true;
        _ = self.shared.waker.wake();
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
        self.shared.state.lock().ended.take().unwrap_or(Ok(()))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(thread) = self.thread.take() {
            let mut state = self.shared.state.lock();
            state.is_closing = true;
            state.outgoing.clear();
            drop(state);
            _ = self.shared.waker.wake();
            _ = thread.join();
        }
    }
}

/// Listens at the first of these addresses that is free.
fn listen(name: &str, addresses: &[SocketAddr]) -> Result<(TcpListener, SocketAddr)> {
    let mut latest = Error::failure(format!("`{name}` has no address to listen at"));
    for address in addresses {
        let listening = gxe_access::listen(*address);
        let listener = listening.and_then(|(listener, _)| {
            listener.set_nonblocking(true)?;
            Ok(TcpListener::from_std(listener))
        });
        match listener {
            Ok(listener) => return Ok((listener, *address)),
            Err(error) => {
                let text = match error.kind() {
                    ErrorKind::AddrInUse => "another program uses the port".to_owned(),
                    _ => error.to_string(),
                };
                latest = Error::failure(format!("`{name}` cannot listen at {address}: {text}"));
            }
        }
    }
    Err(latest)
}

/// Connects to the first of these addresses that answers within `patience`, unless `is_over`.
fn connect(
    addresses: impl Iterator<Item = SocketAddr>,
    patience: Duration,
    is_over: impl Fn() -> bool,
) -> std::io::Result<std::net::TcpStream> {
    let mut latest = std::io::Error::other("the host has no address");
    for address in addresses {
        match std::net::TcpStream::connect_timeout(&address, patience) {
            Ok(stream) => return Ok(stream),
            Err(error) => latest = error,
        }
        if is_over() {
            break;
        }
    }
    Err(latest)
}

/// The error of work that panics.
fn panic_of(name: &str, work: impl FnOnce()) -> Option<Error> {
    let panicked = |_| Error::failure(format!("the thread of `{name}` has panicked"));
    catch_unwind(AssertUnwindSafe(work)).err().map(panicked)
}

/// Who is at the other end.
struct Peer {
    stream: TcpStream,
    /// Its address, for people.
    address: String,
    /// When it connected, and when bytes last came. Both are put off while nothing is read.
    came: Instant,
    heard: Instant,
    /// Whether it has sent a message.
    is_known: bool,
}

/// Why a connection is of no use any more.
enum Loss {
    /// The peer left between two frames.
    Left,
    /// Something failed.
    Broken(String),
    /// What the peer did is refused.
    Refused(String),
}

impl From<std::io::Error> for Loss {
    fn from(error: std::io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

/// Whether a client that waits has left, and whether it has sent something. What it sent before it
/// left counts.
fn state_of(stream: &TcpStream) -> (bool, bool) {
    match stream.peek(&mut [0]) {
        Ok(0) => (true, false),
        Ok(_) => (false, true),
        Err(error) => {
            let kinds = [ErrorKind::WouldBlock, ErrorKind::Interrupted];
            (!kinds.contains(&error.kind()), false)
        }
    }
}

struct Reactor {
    options: Options,
    shared: Arc<Shared>,
    poll: Poll,
    listener: Option<Listening<TcpListener>>,
    /// Where the server is, for people.
    server: String,
    peer: Option<Peer>,
    /// Clients that wait for the place of the peer, with their addresses.
    waiting: VecDeque<(TcpStream, SocketAddr)>,
    /// Whether the stream may have more to read, of which no event tells.
    has_more: bool,
    input: Input,
    /// Attempts that are left to open or mend the connection, and when the next one counts.
    attempts: u64,
    next_attempt: Option<Instant>,
    last_message: Instant,
    began: Instant,
    /// Why the latest attempt failed.
    latest: String,
    /// Whether the peer left between two frames, with nothing left to send.
    ended_well: bool,
}

impl Reactor {
    /// Runs. A panic ends the connection, too, and is not to be lost with the thread.
    fn run_guarded(&mut self) {
        if let Some(error) = panic_of(&self.options.name.clone(), || self.run()) {
            self.shared.state.lock().ended = Some(Err(error));
            self.wake_entity();
        }
    }

    fn run(&mut self) {
        let mut events = Events::with_capacity(16);
        let mut closes_since = None;
        loop {
            let now = Instant::now();
            let mut close_by = None;
            if self.shared.state.lock().is_closing {
                let patience = self.options.pause.saturating_mul(
                    u32::try_from(self.options.attempts.min(1000)).unwrap_or(u32::MAX),
                );
                close_by = closes_since.get_or_insert(now).checked_add(patience);
                if self.peer.is_none()
                    || close_by.is_some_and(|by| now >= by)
                    || self.shared.state.lock().outgoing.is_empty()
                {
                    return self.leave();
                }
            }
            if let Some(outcome) = self.over(now) {
                self.shared.state.lock().ended = Some(outcome);
                self.wake_entity();
                return;
            }
            let patience_ends = self.patience_ends().map(|(at, _)| at);
            let times = [self.next_attempt, self.limit(), close_by, patience_ends];
            let timeout = times.into_iter().flatten().min();
            let timeout = timeout.map(|at| at.saturating_duration_since(Instant::now()));
            let timeout = if self.has_more { Some(Duration::ZERO) } else { timeout };
            if let Err(error) = self.poll.poll(&mut events, timeout)
                && error.kind() != ErrorKind::Interrupted
            {
                self.latest = error.to_string();
                self.attempts = 0;
                continue;
            }
            if events.iter().any(|event| event.token() == LISTENER) {
                self.accept();
            }
            let now = Instant::now();
            if self.next_attempt.is_some_and(|at| at <= now) {
                self.attempt(now);
            }
            self.exchange();
        }
    }

    fn wake_entity(&self) {
        _ = self.options.context.notify_entity(self.options.eid, Event::MESSAGE_SYNC);
    }

    /// When the connection ends, if nothing comes before.
    fn limit(&self) -> Option<Instant> {
        let silent = self.options.silence.and_then(|it| self.last_message.checked_add(it));
        let ends = self.options.duration.and_then(|it| self.began.checked_add(it));
        silent.into_iter().chain(ends).min()
    }

    /// How it ended, if it has.
    fn over(&self, now: Instant) -> Option<Result<()>> {
        if self.limit().is_some_and(|limit| limit <= now) {
            return Some(Ok(()));
        }
        if self.peer.is_some() || self.attempts > 0 {
            return None;
        }
        if self.ended_well {
            return Some(Ok(()));
        }
        let (name, count, server) = (&self.options.name, self.options.attempts, &self.server);
        let text = match &self.options.place {
            Place::Listen(_) => format!("no client of `{name}` came to {server}"),
            Place::Connect(..) => format!("`{name}` reached no server at {server}"),
        };
        let latest = match self.latest.as_str() {
            "" => String::new(),
            latest => format!(" (latest: {latest})"),
        };
        let text = format!("{text} in {count} attempts{latest}");
        Some(Err(Error::new(ResultCode::CONNECTION_ATTEMPTS_EXCEEDED, text)))
    }

    /// Ends the connection after everything is sent.
    fn leave(&mut self) {
        if let Some(peer) = self.peer.take() {
            _ = peer.stream.shutdown(std::net::Shutdown::Write);
        }
    }

    /// Takes a client if there is none; others wait until it leaves.
    fn accept(&mut self) {
        self.waiting.retain(|(stream, _)| !state_of(stream).0);
        for _ in 0..ACCEPTS {
            let Some(listener) = &self.listener else { return };
            if self.waiting.len() >= WAITING {
                break;
            }
            match listener.accept() {
                Ok((stream, _)) if state_of(&stream).0 => {}
                Ok(client) => self.waiting.push_back(client),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    if error.kind() != ErrorKind::WouldBlock {
                        self.latest = error.to_string();
                    }
                    break;
                }
            }
        }
        while self.peer.is_none() {
            // Those that say nothing must not keep out one that has something to say.
            let speaks = self.waiting.iter().position(|(stream, _)| state_of(stream).1);
            let Some((stream, peer)) = self.waiting.remove(speaks.unwrap_or(0)) else { return };
            self.connected(stream, &peer.to_string());
        }
    }

    /// When the patience with a client ends if it goes on like this, and why.
    fn patience_ends(&self) -> Option<(Instant, &'static str)> {
        let peer = self.peer.as_ref().filter(|_| self.listener.is_some())?;
        let stops = (!self.input.is_between_frames())
            .then(|| (peer.heard + PATIENCE, "it has stopped in the middle of a message"));
        let must_speak = self.options.expects && !peer.is_known && !self.waiting.is_empty();
        let gives_way = must_speak.then(|| {
            let earned = u32::try_from(self.input.pending() / EARNS).unwrap_or(u32::MAX);
            let place = PATIENCE * earned.saturating_add(1);
            (peer.came + place, "others wait, and it has not sent a message")
        });
        stops.into_iter().chain(gives_way).min_by_key(|(at, _)| *at)
    }

    /// Refuses a client with which the patience has ended.
    fn be_patient(&mut self) -> std::result::Result<(), Loss> {
        let is_over = |(at, _): &(Instant, _)| *at <= Instant::now();
        if !self.patience_ends().is_some_and(|end| is_over(&end)) {
            return Ok(());
        }
        // Nobody has to make room for those that have left.
        self.waiting.retain(|(stream, _)| !state_of(stream).0);
        match self.patience_ends().filter(is_over) {
            Some((_, why)) => Err(Loss::Refused(why.to_owned())),
            None => Ok(()),
        }
    }

    /// Counts an attempt, and makes it if this end connects.
    fn attempt(&mut self, now: Instant) {
        self.next_attempt = now.checked_add(self.options.pause);
        let Place::Connect(host, port) = &self.options.place else {
            self.attempts = self.attempts.saturating_sub(1);
            return;
        };
        // Waits for the connection as long as for the next attempt, at least a millisecond.
        let patience = self.options.pause.max(Duration::from_millis(1));
        let is_over = || self.shared.state.lock().is_closing;
        let found = (host.as_str(), *port).to_socket_addrs();
        match found.and_then(|addresses| connect(addresses, patience, is_over)) {
            Ok(stream) => {
                _ = stream.set_nonblocking(true);
                self.connected(TcpStream::from_std(stream), &self.server.clone());
            }
            Err(error) => {
                self.latest = error.to_string();
                self.attempts = self.attempts.saturating_sub(1);
            }
        }
    }

    fn connected(&mut self, mut stream: TcpStream, peer: &str) {
        _ = stream.set_nodelay(true);
        let interest = Interest::READABLE | Interest::WRITABLE;
        if let Err(error) = self.poll.registry().register(&mut stream, STREAM, interest) {
            self.latest = error.to_string();
            return;
        }
        gxf::info!("`{}` is connected to {peer}", self.options.name);
        let (address, now) = (peer.to_owned(), Instant::now());
        self.peer = Some(Peer { stream, address, came: now, heard: now, is_known: false });
        self.input = Input::default();
        self.next_attempt = None;
        self.attempts = self.options.attempts;
        let mut state = self.shared.state.lock();
        state.is_connected = true;
        // What the socket did not have wholly goes again.
        state.offset = 0;
        drop(state);
        self.wake_entity();
    }

    /// Reads and writes what can be, or takes another client if this one is gone.
    fn exchange(&mut self) {
        self.has_more = false;
        if self.peer.is_none() {
            return;
        }
        let exchanged = self.write().and_then(|()| self.read()).and_then(|()| self.be_patient());
        let (Err(loss), Some(peer)) = (exchanged, &self.peer) else { return };
        let mut state = self.shared.state.lock();
        self.ended_well = matches!(loss, Loss::Left) && state.outgoing.is_empty();
        state.is_connected = false;
        drop(state);
        let (name, address) = (&self.options.name, &peer.address);
        if self.ended_well {
            gxf::info!("the peer of `{name}` has closed the connection");
        } else {
            let (what, problem) = match loss {
                Loss::Left => ("has lost its", "the peer has closed it".to_owned()),
                Loss::Broken(problem) => ("has lost its", problem),
                Loss::Refused(problem) => ("closes the", problem),
            };
            gxf::warning!("`{name}` {what} connection to {address}: {problem}");
            self.latest = problem;
        }
        self.peer = None;
        self.input = Input::default();
        self.next_attempt = Instant::now().checked_add(self.options.pause);
        self.accept();
    }

    fn write(&mut self) -> std::result::Result<(), Loss> {
        let Some(Peer { stream, .. }) = &mut self.peer else { return Ok(()) };
        let mut state = self.shared.state.lock();
        let State { outgoing, offset, waiting, tells_when_sent, .. } = &mut *state;
        let was_full = *waiting >= OUTGOING;
        while let Some(frame) = outgoing.front() {
            match stream.write(&frame[*offset..]) {
                Ok(0) => return Err(Loss::Broken("the socket takes nothing".to_owned())),
                Ok(count) => {
                    *offset += count;
                    if *offset == frame.len() {
                        *waiting -= *offset;
                        *offset = 0;
                        outgoing.pop_front();
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
        }
        let has_room = was_full && *waiting < OUTGOING;
        let has_sent_all = *waiting == 0 && std::mem::take(tells_when_sent);
        drop(state);
        if has_room || has_sent_all {
            self.wake_entity();
        }
        Ok(())
    }

    /// `Err` if the connection is of no use any more.
    fn read(&mut self) -> std::result::Result<(), Loss> {
        for _ in 0..READS {
            loop {
                if self.shared.state.lock().incoming.len() >= INCOMING {
                    if let Some(peer) = &mut self.peer {
                        (peer.came, peer.heard) = (Instant::now(), Instant::now());
                    }
                    return Ok(());
                }
                if !self.take()? {
                    break;
                }
            }
            let Some(Peer { stream, heard, .. }) = &mut self.peer else { return Ok(()) };
            match self.input.fill(stream)? {
                Filled::More => *heard = Instant::now(),
                Filled::Drained => {
                    // What came in pieces may be complete now.
                    if !self.take()? {
                        return Ok(());
                    }
                }
                Filled::Ended if self.input.is_between_frames() => return Err(Loss::Left),
                Filled::Ended => {
                    return Err(Loss::Broken("it ended in the middle of a message".to_owned()));
                }
            }
        }
        self.has_more = true;
        Ok(())
    }

    /// Takes the next message if all of it is there. Returns whether it is.
    fn take(&mut self) -> std::result::Result<bool, Loss> {
        let Options { serializer, context, foreign, .. } = &self.options;
        let next = self.input.next(serializer, context, foreign).map_err(Loss::Refused)?;
        let Some(received) = next else { return Ok(false) };
        self.last_message = Instant::now();
        if let Some(peer) = &mut self.peer {
            peer.is_known = true;
        }
        let mut state = self.shared.state.lock();
        state.incoming.push_back(received);
        let is_first = state.incoming.len() == 1;
        drop(state);
        if is_first {
            self.wake_entity();
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    /// An address where nobody listens, and one where this listener does.
    fn addresses() -> ([SocketAddr; 2], std::net::TcpListener) {
        let bound = || std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let (gone, here) = (bound(), bound());
        let address = |one: &std::net::TcpListener| one.local_addr().expect("an address");
        ([address(&gone), address(&here)], here)
    }

    #[test]
    fn every_address_of_a_name_is_tried() {
        let ([gone, here], listener) = addresses();
        let patience = Duration::from_secs(5);
        let stream = connect([gone, here].into_iter(), patience, || false).expect("the second");
        assert_eq!(stream.peer_addr().unwrap(), here);
        let stopped = connect([gone, here].into_iter(), patience, || true).unwrap_err();
        assert_eq!(stopped.kind(), ErrorKind::ConnectionRefused);
        let nowhere = connect(std::iter::empty(), patience, || false).unwrap_err();
        assert_eq!(nowhere.to_string(), "the host has no address");

        let (_, free) = listen("a/b", &[here, gone]).expect("the second");
        assert_eq!(free, gone);
        let taken = listen("a/b", &[here]).unwrap_err().message().to_owned();
        let text = format!("`a/b` cannot listen at {here}: another program uses the port");
        assert_eq!(taken, text);
        drop(listener);
    }

    #[test]
    fn a_panic_is_how_a_thread_ends() {
        assert!(panic_of("a/b", || ()).is_none());
        let error = panic_of("a/b", || panic!("on purpose")).expect("an error");
        assert_eq!(error.message(), "the thread of `a/b` has panicked");
    }
}
