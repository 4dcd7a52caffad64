//! What a connection says and hears.

use super::input::{Input, Item};
use super::options::Options;
use crate::inlet::{Inlet, LocalSource};
use crate::outlet::Outlet;
use crate::socket::{Stream, Writer};
use gxf_link_format::{COPIED, Frame, Greeting, Hello, Kind, Refused, Welcome};
use std::sync::Arc;
use std::time::Instant;

/// Moving so many bytes of a message takes so long that entities should go on meanwhile.
const MUCH: u64 = 64 << 10;
/// So many messages at once are announced without waiting for the last of them.
const BATCH: usize = 32;

/// Whose connection it is.
pub enum Role {
    /// A transmitter's, to its receiver.
    Sends { outlet: Arc<Outlet> },
    /// A receiver's; `is_attached` once its transmitter has greeted.
    Receives { inlet: Arc<Inlet>, is_attached: bool },
}

/// Something that concerns more than the connection.
pub enum Heard {
    /// The connection has come about.
    Connected,
    Hello(Hello),
    Welcome(Welcome),
    Refused(Refused),
}

/// A connection.
pub struct Connection {
    pub writer: Arc<Writer>,
    pub role: Role,
    /// When it was made.
    pub since: Instant,
    /// When anything arrived last.
    pub last_heard: Instant,
    input: Input,
    is_connected: bool,
    has_greeted: bool,
    /// Whether this end has refused the other one, whose answer is to close the connection.
    is_refused: bool,
    moves_much: bool,
    owes: bool,
}

impl Connection {
    pub fn new(stream: Stream, role: Role, buffer: usize) -> Self {
        let is_connected = matches!(role, Role::Receives { .. });
        stream.set_no_delay();
        let now = Instant::now();
        Self {
            writer: Arc::new(Writer::new(stream)),
            role,
            since: now,
            last_heard: now,
            input: Input::new(buffer),
            is_connected,
            has_greeted: false,
            is_refused: false,
            moves_much: false,
            owes: false,
        }
    }

    pub fn is_of(&self, inlet: &Arc<Inlet>) -> bool {
        let is_its =
            matches!(&self.role, Role::Receives { inlet: own, .. } if Arc::ptr_eq(own, inlet));
        if is_its {
            self.writer.close();
        }
        is_its
    }

    /// Whether both ends have greeted.
    pub fn has_greeted(&self) -> bool {
        self.has_greeted
    }

    /// Whether it leads to who may be no receiver, or one that uses another carrier.
    pub fn awaits_welcome(&self) -> bool {
        !self.has_greeted && matches!(self.role, Role::Sends { .. })
    }

    pub fn set_greeted(&mut self) {
        self.has_greeted = true;
        self.input.accepts_messages = matches!(self.role, Role::Receives { .. });
        // Also a short run shall know the other end's clock.
        self.send_heartbeat();
    }

    pub fn send_greeting(&self, kind: Kind, greeting: &[u8]) {
        let head = u32::try_from(greeting.len()).unwrap_or(u32::MAX);
        let mut bytes = Frame { head, ..Frame::small(kind, 0, 0) }.to_bytes().to_vec();
        bytes.extend(greeting);
        self.writer.send_bytes(&bytes);
    }

    /// Says why the other end is refused. Returns whether the connection may be closed at once:
    /// with UCX, the end of a connection may overtake what was sent.
    pub fn refuse(&mut self, refused: &Refused) -> bool {
        self.send_greeting(Kind::Refused, &refused.to_bytes());
        self.is_refused = true;
        self.writer.stream().ends_in_order()
    }

    fn send(&self, frame: &Frame) {
        match &self.role {
            // Not between the two halves of a message.
            Role::Sends { outlet } if self.has_greeted => outlet.send_small(frame),
            _ => self.writer.send(frame),
        }
    }

    pub fn send_heartbeat(&self) {
        self.send(&Frame::small(Kind::Heartbeat, time(), self.input.bodies));
    }

    /// The socket takes bytes.
    pub fn writable(&mut self) -> Result<Option<Heard>, String> {
        if !self.is_connected {
            self.writer.stream().is_connected().map_err(|error| error.to_string())?;
            self.is_connected = true;
            return Ok(Some(Heard::Connected));
        }
        self.writer.flush();
        if let Role::Sends { outlet } = &self.role
            && self.has_greeted
        {
            self.moves_much = outlet.flush();
        }
        Ok(None)
    }

    /// Whether the latest events moved, or move, so many bytes that this takes its time.
    pub fn moves_much(&self) -> bool {
        self.moves_much
    }

    /// The receiver, if the latest read found messages that were not acknowledged at once, and nobody
    /// has been told yet.
    pub fn take_owing(&mut self) -> Option<Arc<Inlet>> {
        match &self.role {
            Role::Receives { inlet, .. } if std::mem::take(&mut self.owes) => {
                inlet.owes().then(|| inlet.clone())
            }
            _ => None,
        }
    }

    /// Whether it waits for much of a message, so that it is not readable with each byte that comes.
    pub fn may_hold_bytes(&self) -> bool {
        self.input.may_hold_bytes()
    }

    /// Reads what is there; `ends` if that includes the end of the stream. `Err` if the connection
    /// is of no use any more.
    pub fn read(&mut self, options: &Options, ends: bool) -> Result<Vec<Heard>, String> {
        let mut heard = Vec::new();
        if !self.is_connected {
            return Ok(heard);
        }
        if matches!(self.role, Role::Receives { .. }) {
            self.moves_much = self.input.body_size() >= MUCH;
        }
        let mut is_held = false;
        let mut owes = false;
        let mut unannounced = 0;
        self.input.begin(ends);
        let ended = loop {
            match self.input.next(self.writer.stream(), options) {
                Ok(Item::Nothing) => break Ok(()),
                Ok(Item::Frame(frame, head)) => match self.frame(&frame, &head, &mut heard) {
                    // What follows depends on the answer to a greeting.
                    Ok(()) if !heard.is_empty() => break Ok(()),
                    Ok(()) => {}
                    Err(problem) => break Err(problem),
                },
                Ok(Item::Message { sequence, message, bytes, body }) => {
                    let Role::Receives { inlet, .. } = &self.role else {
                        break Err("a receiver sent a message".to_owned());
                    };
                    is_held |= body > COPIED;
                    owes = true;
                    self.moves_much |= body >= MUCH;
                    if let Err(problem) = inlet.arrived(sequence, message, bytes) {
                        break Err(problem);
                    }
                    unannounced += 1;
                    if unannounced == BATCH || body >= MUCH {
                        inlet.announce();
                        unannounced = 0;
                    }
                }
                Err(problem) => {
                    self.fail_if_unreadable();
                    break Err(problem);
                }
            }
        };
        self.moves_much |= self.input.body_size() >= MUCH;
        if self.input.has_read {
            self.last_heard = Instant::now();
        }
        if unannounced > 0
            && let Role::Receives { inlet, .. } = &self.role
        {
            inlet.announce();
        }
        self.owes = owes && !is_held;
        // The transmitter holds the memory of the message, which somebody may wait for.
        if is_held && let Role::Receives { inlet, .. } = &self.role {
            inlet.acknowledge();
        }
        ended.map(|()| heard)
    }

    /// Ends the graph if what arrived can never be read here.
    fn fail_if_unreadable(&mut self) {
        if let Some(error) = self.input.unreadable.take()
            && let Role::Receives { inlet, .. } = &self.role
        {
            let link = format!("from {} to receiver `{}`", inlet.peer(), inlet.owner.name);
            _ = inlet.owner.context.fail(&error.context(&link));
        }
    }

    fn frame(&self, frame: &Frame, head: &[u8], heard: &mut Vec<Heard>) -> Result<(), String> {
        let unexpected = || Err(format!("a frame of kind {:?} was not expected", frame.kind));
        match (&self.role, frame.kind) {
            _ if self.is_refused => {}
            (Role::Receives { is_attached: false, .. }, Kind::Hello) => {
                heard.push(Heard::Hello(greeting(head)?));
            }
            (Role::Sends { .. }, Kind::Welcome) if !self.has_greeted => {
                heard.push(Heard::Welcome(greeting(head)?));
            }
            (Role::Sends { .. }, Kind::Refused) if !self.has_greeted => {
                heard.push(Heard::Refused(greeting(head)?));
            }
            _ if !self.has_greeted => return unexpected(),
            (Role::Sends { outlet }, Kind::Credit) => outlet.credit(frame.sequence, frame.body)?,
            (Role::Sends { outlet }, Kind::Ended) => outlet.peer_ended(),
            (Role::Receives { inlet, .. }, Kind::End) => {
                inlet.acknowledge();
                inlet.ended_by_peer(Some(frame.sequence))?;
                self.writer.send(&Frame::small(Kind::Ended, 0, 0));
            }
            (role, Kind::Heartbeat) => {
                // Smaller news of room waits for company; a transmitter whose entity waits for room
                // for several messages must not wait for ever.
                match role {
                    Role::Receives { inlet, .. } => inlet.acknowledge(),
                    Role::Sends { outlet } => outlet.has_read(frame.body),
                }
                self.send(&Frame::small(Kind::Echo, frame.sequence, time()));
            }
            (role, Kind::Echo) => {
                let round_trip = time().saturating_sub(frame.sequence);
                // The answer was written in the middle, give or take half of the round trip.
                let middle = frame.sequence.saturating_add(round_trip / 2);
                let offset = frame.body.wrapping_sub(middle).cast_signed();
                match role {
                    Role::Sends { outlet } => outlet.answered(round_trip, offset),
                    Role::Receives { inlet, .. } => inlet.answered(round_trip, offset),
                }
            }
            _ => return unexpected(),
        }
        Ok(())
    }
}

/// The time of heartbeats, that of traces.
fn time() -> u64 {
    gxf::trace::now().cast_unsigned()
}

fn greeting<G: Greeting>(head: &[u8]) -> Result<G, String> {
    G::from_bytes(head).map_err(|error| error.to_string())
}
