//! The thread that reads from a peer, so that no thread of the scheduler waits for it.

use crate::address::Address;
use crate::program::End;
use gxf::{Error, ResultCode, WakeToken};
use rustix::event::{PollFd, PollFlags, poll};
use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The thread reads no further while this many bytes wait. Datagrams beyond it are dropped.
const LIMIT: usize = 4 << 20;
/// Bytes of one read; the largest datagram fits.
const PIECE: usize = 64 << 10;
/// How long a connection may take to come about.
const CONNECT: Duration = Duration::from_secs(10);
/// How long to wait before another attempt to connect.
const RETRY: Duration = Duration::from_millis(500);
/// How long a stop waits for the thread, which may be in a look-up of a name.
const PATIENCE: Duration = Duration::from_millis(200);

/// What the thread reads, and how to read it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Waits for the next peer, or connects again, when a peer has gone.
    pub reconnect: bool,
}

/// Bytes that a thread reads ahead.
pub struct ReadAhead {
    shared: Arc<Shared>,
    /// Written to when the thread is to end.
    alarm: UnixStream,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<Vec<u8>>,
    bytes: usize,
    /// How the input ended, once all pieces are taken.
    end: Option<Result<(), Error>>,
    token: Option<WakeToken>,
    is_stopped: bool,
    is_over: bool,
    dropped: u64,
}

/// What can be taken.
pub enum Taken {
    /// The next piece: a whole datagram, or some bytes.
    Piece(Vec<u8>),
    /// Nothing yet.
    Nothing,
    /// No more.
    End,
}

impl ReadAhead {
    /// Starts reading.
    pub fn start(address: Address, reading: Reading) -> Result<Self, Error> {
        let (alarm, alarmed) = UnixStream::pair()?;
        let shared = Arc::new(Shared::default());
        let thread = Thread { shared: shared.clone(), address, reading, alarmed };
        std::thread::Builder::new().name("gxe-read".to_owned()).spawn(move || thread.run())?;
        Ok(Self { shared, alarm })
    }

    /// Takes a piece. An error of the input comes after its last piece, once.
    pub fn take(&self) -> Result<Taken, Error> {
        let mut state = self.shared.lock();
        if let Some(piece) = state.pieces.pop_front() {
            state.bytes -= piece.len();
            self.shared.changed.notify_all();
            return Ok(Taken::Piece(piece));
        }
        match &state.end {
            None => Ok(Taken::Nothing),
            Some(Ok(())) => Ok(Taken::End),
            Some(Err(error)) => Err(error.clone()),
        }
    }

    /// Whether `take` would return something; if not, the token is used once it would.
    pub fn is_ready_or(
        &self,
        token: impl FnOnce() -> Result<WakeToken, Error>,
    ) -> Result<bool, Error> {
        let mut state = self.shared.lock();
        if !state.pieces.is_empty() || state.end.is_some() {
            return Ok(true);
        }
        if state.token.is_none() {
            state.token = Some(token()?);
        }
        Ok(false)
    }

    /// Datagrams that were dropped because the graph was too slow.
    pub fn dropped(&self) -> u64 {
        self.shared.lock().dropped
    }
}

impl Drop for ReadAhead {
    fn drop(&mut self) {
        // The thread has gone if this fails.
        _ = self.alarm.write_all(&[1]);
        let mut state = self.shared.lock();
        state.is_stopped = true;
        self.shared.changed.notify_all();
        let ended = self.shared.changed.wait_timeout_while(state, PATIENCE, |state| !state.is_over);
        drop(ended);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a piece. `false` if the thread is to end.
    fn push(&self, piece: Vec<u8>, is_datagram: bool) -> bool {
        let mut state = self.lock();
        if is_datagram && state.bytes >= LIMIT {
            state.dropped += 1;
            return !state.is_stopped;
        }
        let is_full = |state: &mut State| state.bytes >= LIMIT && !state.is_stopped;
        let waited = self.changed.wait_while(state, is_full);
        state = waited.unwrap_or_else(PoisonError::into_inner);
        state.bytes += piece.len();
        state.pieces.push_back(piece);
        let token = state.token.take();
        let goes_on = !state.is_stopped;
        drop(state);
        if let Some(token) = token {
            token.wake();
        }
        goes_on
    }
}

struct Thread {
    shared: Arc<Shared>,
    address: Address,
    reading: Reading,
    alarmed: UnixStream,
}

/// Why the thread reads no further from a peer.
enum Stopped {
    /// The graph asked for it.
    Asked,
    /// The peer ended the stream.
    End,
}

impl Thread {
    fn run(self) {
        let end = self.read_all();
        let mut state = self.shared.lock();
        state.is_over = true;
        state.end = Some(end.map_err(|error| {
            let code = Error::from(io::Error::from(error.kind())).code();
            Error::new(code, format!("`{}` cannot be read: {error}", self.address))
        }));
        let token = state.token.take();
        drop(state);
        self.shared.changed.notify_all();
        if let Some(token) = token {
            token.wake();
        }
    }

    fn read_all(&self) -> io::Result<()> {
        match &self.address {
            Address::Standard => {
                let stdin = io::stdin();
                let descriptor = stdin.as_fd().try_clone_to_owned()?;
                self.read_stream(&mut std::fs::File::from(descriptor)).map(|_| ())
            }
            Address::File(path) => {
                // Opening a FIFO that nobody writes to would block.
                let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
                let mut file =
                    OpenOptions::new().read(true).custom_flags(nonblocking).open(path)?;
                self.read_stream(&mut file).map(|_| ())
            }
            Address::Program(program) => {
                let mut running = program.start(End::Output)?;
                let output = running.child.stdout.take();
                match self.read_stream(&mut output.ok_or(ErrorKind::BrokenPipe)?)? {
                    Stopped::Asked => Ok(()),
                    Stopped::End => running.finish(),
                }
            }
            Address::Connect(place) => loop {
                let again = match connect(place) {
                    Ok(mut peer) => match self.read_stream(&mut peer) {
                        Ok(Stopped::Asked) => return Ok(()),
                        Ok(Stopped::End) => Ok(()),
                        Err(error) => Err(error),
                    },
                    Err(error) => Err(error),
                };
                if !self.reading.reconnect {
                    return again;
                }
                if let Err(error) = again {
                    gxf::debug!("`{}`: {error}; connecting again", self.address);
                }
                if self.is_asked_within(RETRY)? {
                    return Ok(());
                }
            },
            Address::Listen(place) => {
                let listener = TcpListener::bind(place)?;
                gxf::info!("waiting for a connection to {}", listener.local_addr()?);
                while self.wait(listener.as_fd())? {
                    let (mut peer, from) = listener.accept()?;
                    match self.read_stream(&mut peer) {
                        Ok(Stopped::Asked) => return Ok(()),
                        Ok(Stopped::End) if !self.reading.reconnect => return Ok(()),
                        Ok(Stopped::End) => gxf::debug!("{from} has gone"),
                        Err(error) if !self.reading.reconnect => return Err(error),
                        Err(error) => gxf::warning!("{from} has gone: {error}"),
                    }
                }
                Ok(())
            }
            Address::Datagrams(place) => {
                let socket = UdpSocket::bind(place)?;
                gxf::info!("waiting for datagrams at {}", socket.local_addr()?);
                let mut buffer = vec![0; PIECE];
                while self.wait(socket.as_fd())? {
                    let length = socket.recv(&mut buffer)?;
                    if !self.shared.push(buffer[..length].to_vec(), true) {
                        break;
                    }
                }
                Ok(())
            }
        }
    }

    /// Reads to the end of a stream.
    fn read_stream<S: Read + AsFd>(&self, stream: &mut S) -> io::Result<Stopped> {
        let mut buffer = vec![0; PIECE];
        while self.wait(stream.as_fd())? {
            match stream.read(&mut buffer) {
                Ok(0) => return Ok(Stopped::End),
                Ok(length) => {
                    if !self.shared.push(buffer[..length].to_vec(), false) {
                        return Ok(Stopped::Asked);
                    }
                }
                Err(error)
                    if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Stopped::Asked)
    }

    /// Waits until there is something to read. `false` if the thread is to end.
    fn wait(&self, descriptor: BorrowedFd<'_>) -> io::Result<bool> {
        loop {
            let mut polled = [
                PollFd::from_borrowed_fd(descriptor, PollFlags::IN),
                PollFd::from_borrowed_fd(self.alarmed.as_fd(), PollFlags::IN),
            ];
            match poll(&mut polled, None) {
                Ok(_) if !polled[1].revents().is_empty() => return Ok(false),
                Ok(_) if !polled[0].revents().is_empty() => return Ok(true),
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Waits for some time, or until the thread is to end.
    fn is_asked_within(&self, time: Duration) -> io::Result<bool> {
        let time = rustix::time::Timespec::try_from(time).map_err(|_| ErrorKind::InvalidInput)?;
        let mut polled = [PollFd::from_borrowed_fd(self.alarmed.as_fd(), PollFlags::IN)];
        match poll(&mut polled, Some(&time)) {
            Ok(count) => Ok(count > 0),
            Err(rustix::io::Errno::INTR) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// Connects to the first address of a host that answers.
pub fn connect(place: &str) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for address in place.to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, CONNECT) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The error of an address that cannot be used.
pub fn failed(address: &Address, action: &str, error: &io::Error) -> Error {
    let code = match error.kind() {
        ErrorKind::NotFound => ResultCode::FILE_NOT_FOUND,
        _ => ResultCode::FAILURE,
    };
    let base = match (address, std::env::current_dir()) {
        (Address::File(path), Ok(folder)) if path.is_relative() => {
            format!(" in the working directory `{}`", folder.display())
        }
        _ => String::new(),
    };
    Error::new(code, format!("`{address}` cannot be {action}{base}: {error}"))
}
