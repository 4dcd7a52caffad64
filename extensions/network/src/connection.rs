//! The thread of a codelet. It opens the one connection and mends it, reads messages and writes
//! frames, and sleeps in between.

use crate::input::{CHANNEL, Filled, HEADER, Input};
use gxf::{ContextHandle, EntitySerializer, Error, Event, Handle, Message, Result, ResultCode};
use gxf_recording::TypeId;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token, Waker};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const WAKER: Token = Token(0);
const LISTENER: Token = Token(1);
const STREAM: Token = Token(2);
/// Most messages that wait for the codelet to publish them; then nothing more is read.
const INCOMING: usize = 64;
/// Bytes that may wait for the socket; then the codelet takes no more messages.
const OUTGOING: usize = 1 << 20;

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
    /// How often to try to open or mend the connection, and the pause between two attempts.
    pub attempts: u64,
    pub pause: Duration,
    /// The connection ends after this time, and after this time without a message.
    pub duration: Option<Duration>,
    pub silence: Option<Duration>,
}

/// Who opens the connection.
pub enum Place {
    /// The peer, to this address of this host.
    Listen(SocketAddr),
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
        let listener = match &options.place {
            Place::Listen(address) => {
                let mut listener = TcpListener::bind(*address).map_err(|error| {
                    let text = match error.kind() {
                        ErrorKind::AddrInUse => "another program uses the port".to_owned(),
                        _ => error.to_string(),
                    };
                    let name = &options.name;
                    Error::failure(format!("`{name}` cannot listen at {address}: {text}"))
                })?;
                poll.registry()
                    .register(&mut listener, LISTENER, Interest::READABLE)
                    .map_err(failed)?;
                Some(listener)
            }
            Place::Connect(..) => None,
        };
        let shared = Arc::new(Shared { state: Mutex::default(), waker });
        let now = Instant::now();
        let mut reactor = Reactor {
            attempts: options.attempts,
            next_attempt: listener.is_none().then_some(now).or(Some(now + options.pause)),
            last_message: now,
            began: now,
            shared: shared.clone(),
            options,
            poll,
            listener,
            stream: None,
            input: Input::default(),
            latest: String::new(),
            ended_well: false,
        };
        let thread = std::thread::Builder::new().name("tcp".to_owned());
        let thread = thread.spawn(move || reactor.run())?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// Whether messages wait to be published, and whether more can be sent.
    pub fn readiness(&self) -> (bool, bool) {
        let state = self.shared.state.lock();
        let may_send = state.is_connected && state.waiting < OUTGOING && !state.is_closing;
        (!state.incoming.is_empty(), may_send)
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

struct Reactor {
    options: Options,
    shared: Arc<Shared>,
    poll: Poll,
    listener: Option<TcpListener>,
    stream: Option<TcpStream>,
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
    fn run(&mut self) {
        let mut events = Events::with_capacity(16);
        let mut close_by = None;
        loop {
            let now = Instant::now();
            if self.shared.state.lock().is_closing {
                let patience = self.options.pause.saturating_mul(
                    u32::try_from(self.options.attempts.min(1000)).unwrap_or(u32::MAX),
                );
                let by = *close_by.get_or_insert(now + patience);
                if self.stream.is_none()
                    || now >= by
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
            let times = [self.next_attempt, self.limit(), close_by];
            let timeout = times.into_iter().flatten().min();
            let timeout = timeout.map(|at| at.saturating_duration_since(Instant::now()));
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
            while !self.exchange() {}
        }
    }

    fn wake_entity(&self) {
        _ = self.options.context.notify_entity(self.options.eid, Event::MESSAGE_SYNC);
    }

    /// When the connection ends, if nothing comes before.
    fn limit(&self) -> Option<Instant> {
        let silent = self.options.silence.map(|silence| self.last_message + silence);
        let ends = self.options.duration.map(|duration| self.began + duration);
        silent.into_iter().chain(ends).min()
    }

    /// How it ended, if it has.
    fn over(&self, now: Instant) -> Option<Result<()>> {
        if self.limit().is_some_and(|limit| limit <= now) {
            return Some(Ok(()));
        }
        if self.stream.is_some() || self.attempts > 0 {
            return None;
        }
        if self.ended_well {
            return Some(Ok(()));
        }
        let (name, count) = (&self.options.name, self.options.attempts);
        let text = match &self.options.place {
            Place::Listen(address) => format!("no client of `{name}` came to {address}"),
            Place::Connect(host, port) => format!("`{name}` reached no server at {host}:{port}"),
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
        if let Some(stream) = &self.stream {
            _ = stream.shutdown(std::net::Shutdown::Write);
        }
        self.stream = None;
    }

    /// Takes a client if there is none; others wait until it leaves.
    fn accept(&mut self) {
        while self.stream.is_none()
            && let Some(listener) = &self.listener
        {
            match listener.accept() {
                Ok((stream, peer)) => self.connected(stream, &peer.to_string()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    if error.kind() != ErrorKind::WouldBlock {
                        self.latest = error.to_string();
                    }
                    return;
                }
            }
        }
    }

    /// Counts an attempt, and makes it if this end connects.
    fn attempt(&mut self, now: Instant) {
        self.next_attempt = Some(now + self.options.pause);
        let Place::Connect(host, port) = &self.options.place else {
            self.attempts = self.attempts.saturating_sub(1);
            return;
        };
        let address = (host.as_str(), *port).to_socket_addrs();
        let connected = address.and_then(|mut found| {
            let address = found.next();
            let address =
                address.ok_or_else(|| std::io::Error::other("the host has no address"))?;
            // Waits for the connection as long as for the next attempt, at least a millisecond.
            let patience = self.options.pause.max(Duration::from_millis(1));
            std::net::TcpStream::connect_timeout(&address, patience)
        });
        match connected {
            Ok(stream) => {
                let peer = format!("{host}:{port}");
                _ = stream.set_nonblocking(true);
                self.connected(TcpStream::from_std(stream), &peer);
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
        self.stream = Some(stream);
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

    /// Reads and writes what can be. Returns false if another client came instead.
    fn exchange(&mut self) -> bool {
        if self.stream.is_none() {
            return true;
        }
        let exchanged = self.write().and_then(|()| self.read());
        if let Err(problem) = exchanged {
            let is_ended = problem.is_empty();
            let mut state = self.shared.state.lock();
            self.ended_well = is_ended && state.outgoing.is_empty();
            state.is_connected = false;
            drop(state);
            let name = &self.options.name;
            if self.ended_well {
                gxf::info!("the peer of `{name}` has closed the connection");
            } else {
                let problem = if is_ended { "the peer has closed it" } else { &problem };
                gxf::warning!("`{name}` has lost its connection: {problem}");
                problem.clone_into(&mut self.latest);
            }
            self.stream = None;
            self.next_attempt = Some(Instant::now() + self.options.pause);
            self.accept();
            return self.stream.is_none();
        }
        true
    }

    fn write(&mut self) -> std::result::Result<(), String> {
        let Some(stream) = &mut self.stream else { return Ok(()) };
        let mut state = self.shared.state.lock();
        let State { outgoing, offset, waiting, .. } = &mut *state;
        let was_full = *waiting >= OUTGOING;
        while let Some(frame) = outgoing.front() {
            match stream.write(&frame[*offset..]) {
                Ok(0) => return Err("the socket takes nothing".to_owned()),
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
                Err(error) => return Err(error.to_string()),
            }
        }
        let has_room = was_full && *waiting < OUTGOING;
        drop(state);
        if has_room {
            self.wake_entity();
        }
        Ok(())
    }

    /// `Err` if the connection is of no use any more; empty if the peer left between two frames.
    fn read(&mut self) -> std::result::Result<(), String> {
        loop {
            loop {
                if self.shared.state.lock().incoming.len() >= INCOMING {
                    return Ok(());
                }
                let Options { serializer, context, foreign, .. } = &self.options;
                let Some(received) = self.input.next(serializer, context, foreign)? else { break };
                self.last_message = Instant::now();
                let mut state = self.shared.state.lock();
                state.incoming.push_back(received);
                let is_first = state.incoming.len() == 1;
                drop(state);
                if is_first {
                    self.wake_entity();
                }
            }
            let Some(stream) = &mut self.stream else { return Ok(()) };
            match self.input.fill(stream).map_err(|error| error.to_string())? {
                Filled::More => {}
                Filled::Drained => {
                    // What came in pieces may be complete now.
                    let Options { serializer, context, foreign, .. } = &self.options;
                    let Some(received) = self.input.next(serializer, context, foreign)? else {
                        return Ok(());
                    };
                    self.shared.state.lock().incoming.push_back(received);
                    self.wake_entity();
                }
                Filled::Ended if self.input.is_between_frames() => return Err(String::new()),
                Filled::Ended => return Err("it ended in the middle of a message".to_owned()),
            }
        }
    }
}
