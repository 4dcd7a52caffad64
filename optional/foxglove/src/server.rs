//! `FoxgloveServer`.

use foxglove::{
    Context, FoxgloveError, PartialMetadata, RawChannel, Schema, WebSocketServerHandle,
};
use gxe_mcap_format::schema::{self, Kind};
use gxe_mcap_messages::receivers::{check_topics, receive_all, topics_of};
use gxe_mcap_messages::{Foreign, parts_of};
use gxf::prelude::*;
use gxf::{SharedCodelet, Tid};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Shows messages in the Foxglove app, which connects to `ws://ADDRESS`. The channels and their
/// schemas are those of `gxe::mcap::McapRecorder`; payloads that have none are left out, which a
/// warning says once for each type. The graph waits for no client: one that reads too slowly misses
/// messages. It is its own scheduling term: it ticks when any receiver has a message.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct FoxgloveServer {
    /// Receivers for the messages, of any kind.
    receivers: Parameter<Vec<Handle<Receiver>>>,
    /// Topics of the receivers [default: their names].
    topics: Parameter<Option<Vec<String>>>,
    /// Address and port to listen on; port 0 takes a free one. Whoever reaches it sees the messages:
    /// there is neither a token nor encryption, so the default is this host alone.
    #[parameter(default = "127.0.0.1:8765")]
    address: Parameter<String>,
    /// Messages that wait for a client at most; beyond them it misses the oldest.
    #[parameter(default = 64)]
    backlog: Parameter<u64>,
    run: Mutex<Option<Run>>,
}

/// Largest `backlog`.
const MOST_MESSAGES: u64 = 65536;

struct Run {
    context: Arc<Context>,
    server: WebSocketServerHandle,
    topics: Vec<Topic>,
    /// Types that were left out.
    left_out: Vec<Tid>,
}

struct Topic {
    name: String,
    /// Channels by the name of the payload.
    channels: HashMap<String, Vec<(Kind, Arc<RawChannel>)>>,
}

impl FoxgloveServer {
    fn run(&self) -> MutexGuard<'_, Option<Run>> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn socket_address(&self) -> Result<SocketAddr> {
        self.address.parse().map_err(|_| {
            Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!(
                    "`address` is `{}`, which is no address with a port, such as 127.0.0.1:8765",
                    *self.address
                ),
            )
        })
    }
}

impl Lifecycle for FoxgloveServer {
    fn check_parameters(&self) -> Result<()> {
        self.socket_address()?;
        if !(1..=MOST_MESSAGES).contains(&*self.backlog) {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`backlog` is {}, but must be 1 to {MOST_MESSAGES}", *self.backlog),
            ));
        }
        check_topics(&self.receivers, self.topics.as_deref())
    }
}

impl SharedCodelet for FoxgloveServer {
    fn start(&self, context: &TickContext) -> Result<()> {
        let names = topics_of(&self.receivers, self.topics.as_deref(), context);
        let address = self.socket_address()?;
        let channels = Context::new();
        let server = channels
            .websocket_server()
            .name("gxe")
            .bind(address.ip().to_string(), address.port())
            .message_backlog_size(usize::try_from(*self.backlog).unwrap_or(usize::MAX))
            .start_blocking()
            .map_err(|error| Error::failure(format!("cannot listen on {address}: {error}")))?;
        let address = SocketAddr::new(address.ip(), server.port());
        gxf::info!("Foxglove connects to ws://{address}");
        let topic = |name: &String| Topic {
            name: name.trim_matches('/').to_owned(),
            channels: HashMap::new(),
        };
        let topics = names.iter().map(topic).collect();
        *self.run() = Some(Run { context: channels, server, topics, left_out: Vec::new() });
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut run = self.run();
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        receive_all(&self.receivers, context, |topic, message, time| {
            run.show(context, topic, &message, time.cast_unsigned())
        })
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        // Dropping what waits for the clients ends their connections now.
        if let Some(run) = self.run().take() {
            drop(run.server.stop());
        }
        Ok(())
    }
}

gxe_mcap_messages::ticks_on_messages!(FoxgloveServer);

impl Run {
    fn show(
        &mut self,
        context: &TickContext,
        topic: usize,
        message: &Message,
        time: u64,
    ) -> Result<()> {
        let (parts, foreign) = parts_of(message, time)?;
        if let Some(Foreign { name, tid }) = foreign
            && !self.left_out.contains(&tid)
        {
            self.left_out.push(tid);
            let type_name = context.type_name(tid);
            gxf::warning!("payloads such as `{name}` ({type_name}) are not shown in Foxglove");
        }
        for (payload, part) in parts {
            let channel = self.channel(topic, &payload, &part.kind).map_err(|error| {
                Error::failure(format!("a channel for Foxglove cannot be opened: {error}"))
            })?;
            channel.log_with_meta(&part.data, PartialMetadata { log_time: Some(time) });
        }
        Ok(())
    }

    fn channel(
        &mut self,
        topic: usize,
        payload: &str,
        kind: &Kind,
    ) -> std::result::Result<Arc<RawChannel>, FoxgloveError> {
        let Topic { name, channels } = &mut self.topics[topic];
        let known = channels.get(payload);
        let known = known.and_then(|kinds| kinds.iter().find(|(other, _)| other == kind));
        if let Some((_, channel)) = known {
            return Ok(channel.clone());
        }
        let (encoding, data) = schema::schema(kind.schema);
        let channel = self
            .context
            .channel_builder(schema::path(name, payload))
            .message_encoding(kind.encoding)
            .schema(Schema::new(kind.schema, encoding, data))
            .metadata(schema::metadata(name, payload, kind))
            .build_raw()?;
        channels.entry(payload.to_owned()).or_default().push((kind.clone(), channel.clone()));
        Ok(channel)
    }
}
