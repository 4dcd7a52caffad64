//! `TcpServer` and `TcpClient`, and their base.

use crate::codelet::{Exchange, Queues};
use crate::connection::{Connection, Options, Place};
use gxe_access::{Access, AccessOptions};
use gxf::prelude::*;
use gxf::units::parse_period_ns;
use gxf::{AsynchronousSchedulingTerm, Condition, EntitySerializer, SharedCodelet};
use gxf_message_recording::foreign_types;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

/// A component with the parameters of all TCP codelets, and fields of its own.
macro_rules! tcp_component {
    (
        $(#[$about:meta])* $name:ident,
        $(#[$address:meta])* address,
        { $($field:ident: $type:ty,)* }
    ) => {
        #[derive(Component, Default)]
        $(#[$about])*
        pub struct $name {
            /// Receivers whose messages are sent.
            #[parameter(headline = "Receivers", default = Vec::new())]
            receivers: Parameter<Vec<Handle<Receiver>>>,
            /// Transmitters for the messages that come.
            #[parameter(headline = "Transmitters", default = Vec::new())]
            transmitters: Parameter<Vec<Handle<Transmitter>>>,
            /// Turns messages into bytes and back: a `StdEntitySerializer` if the peer is GXF.
            #[parameter(headline = "Entity serializer")]
            entity_serializer: Parameter<Handle<EntitySerializer>>,
            $(#[$address])*
            #[parameter(headline = "Address")]
            address: Parameter<String>,
            /// Port of the server.
            #[parameter(headline = "Port", minimum = 1, maximum = 65535)]
            port: Parameter<i32>,
            /// The same as `timeout_period`, in milliseconds; older.
            #[parameter(headline = "Connection timeout", unit = "ms")]
            timeout_ms: Parameter<Option<u64>>,
            /// Time between two attempts to open or mend the connection, such as `100ms` or `10Hz`.
            #[parameter(headline = "Timeout period", default = "100ms")]
            timeout_period: Parameter<String>,
            /// Attempts before the codelet gives up.
            #[parameter(headline = "Maximum attempts", default = 10, minimum = 1)]
            maximum_attempts: Parameter<u64>,
            /// A term of the same entity. GXF's codelet switches it; this one is its own term and
            /// leaves it ready.
            #[parameter(headline = "Asynchronous scheduling term")]
            async_scheduling_term: Parameter<Handle<AsynchronousSchedulingTerm>>,
            /// The codelet ends after this time without a message, in milliseconds.
            #[parameter(headline = "Maximum message delay", unit = "ms", minimum = 0)]
            max_msg_delay_ms: Parameter<Option<i64>>,
            /// The codelet ends after this time, in milliseconds.
            #[parameter(headline = "Maximum duration", unit = "ms", minimum = 0)]
            max_duration_ms: Parameter<Option<i64>>,
            /// The same as `maximum_attempts`; newer.
            #[parameter(headline = "Maximum connection attempts", minimum = 1)]
            max_connection_attempts: Parameter<Option<u64>>,
            $($field: $type,)*
        }
    };
}

tcp_component! {
    /// The base of `TcpServer` and `TcpClient`, for handles to either.
    TcpCodelet,
    /// Address of the server.
    address,
    {}
}

impl Codelet for TcpCodelet {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        Ok(())
    }
}

macro_rules! tcp_codelet {
    ($(#[$meaning:meta])* $name:ident, $(#[$address:meta])* address, $place:expr) => {
        tcp_component! {
            $(#[$meaning])*
            ///
            /// A message that a receiver gets goes to the transmitter of the same name at the other
            /// end. Without transmitters, the codelet waits for messages of its own graph only, and
            /// does not keep it from ending. The connection is GXF's: without a token, encryption or
            /// acknowledgement, so what was on its way when it broke is lost. `UcxTransmitter` has
            /// all of this.
            #[component(lifecycle)]
            $name,
            $(#[$address])*
            address,
            {
                exchange: Exchange,
                foreign: parking_lot::Mutex<Vec<gxf_recording::TypeId>>,
            }
        }

        impl $name {
            fn pause(&self) -> Result<Duration> {
                if let Some(milliseconds) = *self.timeout_ms {
                    return Ok(Duration::from_millis(milliseconds));
                }
                let nanoseconds = parse_period_ns(&self.timeout_period).map_err(|error| {
                    let text = format!("`timeout_period`: {error}");
                    Error::new(ResultCode::ARGUMENT_INVALID, text)
                })?;
                Ok(Duration::from_nanos(nanoseconds.unsigned_abs()))
            }

            fn options(&self, context: &TickContext) -> Result<Options> {
                let port = u16::try_from(*self.port)
                    .map_err(|_| ResultCode::PARAMETER_OUT_OF_RANGE)?;
                let milliseconds = |value: Option<i64>| {
                    value.map(|value| Duration::from_millis(value.unsigned_abs()))
                };
                let place: fn(&str, u16) -> Result<Place> = $place;
                Ok(Options {
                    name: context.place(),
                    context: context.handle(),
                    eid: context.eid(),
                    serializer: self.entity_serializer.clone(),
                    foreign: self.foreign.lock().clone(),
                    place: place(&self.address, port)?,
                    expects: !self.transmitters.is_empty(),
                    attempts: self.max_connection_attempts.unwrap_or(*self.maximum_attempts),
                    pause: self.pause()?,
                    duration: milliseconds(*self.max_duration_ms),
                    silence: milliseconds(*self.max_msg_delay_ms),
                })
            }
        }

        impl Lifecycle for $name {
            fn check_parameters(&self) -> Result<()> {
                self.pause().map(drop)
            }

            fn initialize(&self, context: &ComponentContext) -> Result<()> {
                *self.foreign.lock() = foreign_types(context)?;
                Ok(())
            }
        }

        impl SharedCodelet for $name {
            fn start(&self, context: &TickContext) -> Result<()> {
                let connection = Connection::open(self.options(context)?)?;
                let queues = Queues {
                    receivers: &self.receivers,
                    transmitters: &self.transmitters,
                    serializer: &self.entity_serializer,
                };
                self.exchange.start(context, &queues, connection)
            }

            fn tick(&self, _context: &TickContext) -> Result<()> {
                self.exchange.tick()
            }

            fn stop(&self, _context: &TickContext) -> Result<()> {
                self.exchange.stop()
            }
        }

        impl implement::SchedulingTerm for $name {
            fn check(&self, now: i64) -> Result<Condition> {
                Ok(self.exchange.condition(now))
            }

            fn on_execute(&self, _now: i64) -> Result<()> {
                Ok(())
            }

            fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
                self.receivers.try_get().into_iter().flatten().for_each(|one| add(one.cid()));
            }
        }
    };
}

tcp_codelet! {
    /// Exchanges messages with the `TcpClient` of another program, and waits for it to connect. It
    /// accepts clients of this host only, unless `GXE_INSECURE=1`: GXF's clients know no token. One
    /// client has the place, and others wait. If the server has transmitters, a client that has not
    /// sent a message for 5 s gives its place to one that waits; one that has sent a message keeps it,
    /// however long it is silent. A client that stops for 5 s in the middle of a message loses its
    /// connection, and so does one that sends what is no message of at most 1 GiB.
    TcpServer,
    /// Address of this host to listen at; 0.0.0.0 means every address.
    address,
    |host, port| {
        let found = (host, port).to_socket_addrs().map_err(|error| unknown(host, &error))?;
        let places = listening(found)?;
        match places.is_empty() {
            true => Err(unknown(host, &"it has no address")),
            false => Ok(Place::Listen(places)),
        }
    }
}

tcp_codelet! {
    /// Exchanges messages with the `TcpServer` of another program, to which it connects.
    TcpClient,
    /// Address or name of the server's host; 0.0.0.0 means this host.
    address,
    |host, port| Ok(Place::Connect(host.to_owned(), port))
}

fn unknown(host: &str, problem: &dyn std::fmt::Display) -> Error {
    let text = format!("the host `{host}` is not known: {problem}");
    Error::new(ResultCode::ARGUMENT_INVALID, text)
}

/// Where a server may listen that cannot ask for a token or a certificate.
fn listening(asked: impl Iterator<Item = SocketAddr>) -> Result<Vec<SocketAddr>> {
    let access = Access::new(AccessOptions::default())?.without_proofs();
    Ok(asked.map(|address| access.listening(address, "TCP servers")).collect())
}
