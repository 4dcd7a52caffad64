//! `UcxContext`.

use crate::address::resolve;
use crate::component_serializer;
use crate::entity_serializer::MessageSerializer;
use crate::inlet::Inlet;
use crate::local;
use crate::network::{EventLoop, Network, Options};
use crate::outlet::Outlet;
use crate::owner::Owner;
use crate::receiver::UcxReceiver;
use crate::transmitter::UcxTransmitter;
use gxe_access::{Access, AccessOptions};
use gxf::prelude::*;
use gxf::{ComponentSerializer, EntitySerializer, Uid};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Opens the links of a graph: those of each `UcxTransmitter` and `UcxReceiver`. One thread serves
/// them all, and sleeps while nothing comes.
///
/// A transmitter hands its messages over by reference if the receiver is in the same process. It
/// uses a Unix socket if the receiver is in another process of this host, and TCP otherwise. A link
/// that breaks is opened again, and what had not arrived is sent again.
///
/// Without a token or certificates, links accept connections of this host only. The token is in a
/// file that only its owner can read, and that both hosts have: `token_file`, or the environment
/// variable GXE_TOKEN_FILE. It keeps others out, but hides nothing. Certificates do both: links
/// between hosts use TLS 1.3, and each end proves who it is.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct UcxContext {
    /// Turns messages into bytes and back.
    #[parameter(headline = "Entity serializer")]
    serializer: Parameter<Handle<EntitySerializer>>,
    /// Whether a link that breaks is opened again.
    #[parameter(headline = "Reconnect", default = true)]
    reconnect: Parameter<bool>,
    /// Whether messages have host memory only: a transmitter refuses device memory.
    #[parameter(headline = "CPU data only", default = false)]
    cpu_data_only: Parameter<bool>,
    /// Whether a thread of the context receives. It always does; GXF can also receive before each
    /// tick.
    #[parameter(headline = "Asynchronous", default = true)]
    enable_async: Parameter<bool>,
    /// What links to other processes use: `auto`, `tcp` or `unix`, or `ucx`, for which both ends
    /// must have UCX and ask for it. UCX uses the fastest network that it finds, and encrypts
    /// nothing. Not a parameter of GXF.
    #[parameter(headline = "Carrier", default = "auto")]
    carrier: Parameter<String>,
    /// Time between signs of life on a link without messages, in milliseconds. Not a parameter of
    /// GXF.
    #[parameter(headline = "Heartbeat period", unit = "ms", default = 1000, minimum = 1)]
    heartbeat_period_ms: Parameter<u64>,
    /// A link without a sign of life for this long is broken, in milliseconds. Not a parameter of
    /// GXF.
    #[parameter(headline = "Heartbeat timeout", unit = "ms", default = 5000, minimum = 1)]
    heartbeat_timeout_ms: Parameter<u64>,
    /// How long a receiver waits for its transmitter to come back, in milliseconds, before the graph
    /// fails. Not a parameter of GXF.
    #[parameter(headline = "Reconnect timeout", unit = "ms", default = 200000)]
    reconnect_timeout_ms: Parameter<u64>,
    /// Most bytes of a message that is accepted. Not a parameter of GXF.
    #[parameter(
        headline = "Maximum message size",
        unit = "bytes",
        default = 1073741824,
        minimum = 1
    )]
    maximum_message_size: Parameter<u64>,
    /// File with the token that both ends must have. Not a parameter of GXF.
    #[parameter(headline = "Token file")]
    token_file: Parameter<Option<String>>,
    /// Folder with the certificates of this host: `ca.crt` of the authority that certifies all
    /// hosts, and `tls.crt` and `tls.key` of this one; else the environment variable
    /// GXE_TLS_DIRECTORY has its path. Not a parameter of GXF.
    #[parameter(headline = "TLS directory")]
    tls_directory: Parameter<Option<String>>,
    /// Whether other hosts may connect without token and certificate. Not a parameter of GXF.
    #[parameter(headline = "Insecure", default = false)]
    insecure: Parameter<bool>,
    /// The segment of this graph, with which the ends of its links are named. A `GraphWorker` sets
    /// it. Not a parameter of GXF.
    #[parameter(headline = "Segment")]
    segment: Parameter<Option<String>>,
    opened: Mutex<Option<Opened>>,
    /// That of the network.
    event_loop: RwLock<Option<Arc<EventLoop>>>,
    context: RwLock<Option<gxf::ContextHandle>>,
    resolved_serializer: RwLock<Option<MessageSerializer>>,
    /// Whether the layout of messages is known, so that they are checked before they are read.
    knows_layout: std::sync::atomic::AtomicBool,
}

/// The network and its links, by entity.
struct Opened {
    network: Network,
    access: Access,
    outlets: HashMap<Uid, Vec<Arc<Outlet>>>,
    inlets: HashMap<Uid, Vec<Arc<Inlet>>>,
}

impl Lifecycle for UcxContext {
    fn check_parameters(&self) -> Result<()> {
        let carrier = self.carrier.get();
        if !["auto", "tcp", "unix", "ucx"].contains(&carrier.as_str()) {
            let text = format!("`carrier` is `{carrier}`, and must be auto, tcp, unix or ucx");
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        if self.heartbeat_timeout_ms.get() <= self.heartbeat_period_ms.get() {
            let text = "`heartbeat_timeout_ms` must be longer than `heartbeat_period_ms`";
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        Ok(())
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let serializer = MessageSerializer::new(context, self.serializer.get())?;
        let knows = serializer.is_own() && Self::knows_payloads(context)?;
        self.knows_layout.store(knows, std::sync::atomic::Ordering::Relaxed);
        *self.resolved_serializer.write() = Some(serializer);
        *self.context.write() = Some(context.handle());
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.event_loop.write() = None;
        *self.opened.lock() = None;
        *self.resolved_serializer.write() = None;
        *self.context.write() = None;
        Ok(())
    }
}

impl UcxContext {
    /// Whether large payloads have the layout that `gxf_link_format::walk` knows.
    fn knows_payloads(context: &ComponentContext) -> Result<bool> {
        let large = [Tensor::TID, gxf::VideoBuffer::TID, gxf::AudioBuffer::TID];
        for serializer in context.find_all::<ComponentSerializer>()? {
            let tid = context.type_of(serializer.cid())?;
            if !component_serializer::TYPES.contains(&tid)
                && large.iter().any(|tid| serializer.is_supported(*tid))
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn handle(&self) -> Result<gxf::ContextHandle> {
        self.context.read().clone().ok_or_else(|| ResultCode::INVALID_LIFECYCLE_STAGE.into())
    }

    fn resolved_serializer(&self) -> Result<MessageSerializer> {
        let serializer = self.resolved_serializer.read().clone();
        serializer.ok_or_else(|| ResultCode::INVALID_LIFECYCLE_STAGE.into())
    }

    fn open(&self) -> Result<Opened> {
        let access = Access::new(AccessOptions {
            token_file: self.token_file.get().as_deref(),
            tls_directory: self.tls_directory.get().as_deref(),
            insecure: *self.insecure.get(),
        })?;
        let carrier = self.carrier.get().as_str();
        let access = if carrier == "ucx" { access.unencrypted() } else { access };
        let milliseconds = |value: u64| Duration::from_millis(value);
        let options = Options {
            context: self.handle()?,
            serializer: self.resolved_serializer()?,
            knows_layout: self.knows_layout.load(std::sync::atomic::Ordering::Relaxed),
            access: access.clone(),
            uses_tcp: ["auto", "tcp"].contains(&carrier),
            uses_unix: ["auto", "unix"].contains(&carrier),
            uses_ucx: carrier == "ucx",
            reconnects: *self.reconnect.get(),
            heartbeat: milliseconds(*self.heartbeat_period_ms.get()),
            timeout: milliseconds(*self.heartbeat_timeout_ms.get()),
            patience: milliseconds(*self.reconnect_timeout_ms.get()),
            maximum_message_size: *self.maximum_message_size.get(),
        };
        let network = Network::start(options)?;
        Ok(Opened { network, access, outlets: HashMap::new(), inlets: HashMap::new() })
    }
}

impl implement::NetworkContext for UcxContext {
    fn initialize_network(&self) -> Result<()> {
        let opened = self.open()?;
        *self.event_loop.write() = Some(opened.network.event_loop().clone());
        *self.opened.lock() = Some(opened);
        Ok(())
    }

    fn add_routes(&self, eid: Uid) -> Result<()> {
        let context = self.handle()?;
        let mut opened = self.opened.lock();
        let opened = opened.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let owner = |cid| {
            let queue = context.place_of(eid, cid);
            let name = match self.segment.get() {
                Some(segment) => format!("{segment}/{queue}"),
                None => queue.clone(),
            };
            Owner { context: context.clone(), eid, queue, name }
        };
        let what = match self.carrier.get().as_str() {
            "ucx" => "links over UCX, which knows no certificates,",
            _ => "links",
        };
        for receiver in context.find_all_of::<UcxReceiver>(eid)? {
            let owner = owner(receiver.cid());
            let (host, port) = receiver.place();
            let asked = resolve(&host, port).map_err(|error| error.context(&owner.name))?;
            let inlet = receiver.open(owner, opened.network.of_inlets())?;
            let listening = opened.access.listening(asked, what);
            // First, so that no transmitter of this process takes a detour over a socket.
            local::add(asked, listening, &inlet);
            let listens = opened.network.listen(&inlet, asked, listening, receiver.buffer_size());
            listens.inspect_err(|_| local::remove(&inlet))?;
            opened.inlets.entry(eid).or_default().push(inlet);
        }
        for transmitter in context.find_all_of::<UcxTransmitter>(eid)? {
            let outlet = transmitter.open(
                owner(transmitter.cid()),
                getrandom::u64().map_err(|error| Error::failure(error.to_string()))?,
                self.resolved_serializer()?,
                *self.cpu_data_only.get(),
                opened.network.writes(),
                opened.network.of_outlets(),
            )?;
            outlet.set_peer(format!("the receiver at {}", transmitter.target()));
            opened.network.connect(&outlet, transmitter);
            opened.outlets.entry(eid).or_default().push(outlet);
        }
        Ok(())
    }

    fn remove_routes(&self, eid: Uid) -> Result<()> {
        let (outlets, inlets) = {
            let mut opened = self.opened.lock();
            let Some(opened) = opened.as_mut() else { return Ok(()) };
            (opened.outlets.remove(&eid), opened.inlets.remove(&eid))
        };
        let patience = Duration::from_millis(*self.heartbeat_timeout_ms.get());
        for outlet in outlets.into_iter().flatten() {
            outlet.wait_until_done(patience);
            let lost = outlet.abandon();
            if let Some(text) = lost.described(&outlet.owner.name, &outlet.peer()) {
                gxf::warning!("{text}");
            }
        }
        let mut opened = self.opened.lock();
        for inlet in inlets.into_iter().flatten() {
            local::remove(&inlet);
            if let Some(opened) = opened.as_mut() {
                opened.network.forget(&inlet);
            }
            inlet.leave();
        }
        Ok(())
    }
}

impl UcxContext {
    fn event_loop(&self) -> Option<Arc<EventLoop>> {
        self.event_loop.read().clone()
    }
}

impl implement::EventLoop for UcxContext {
    fn enter(&self) -> bool {
        self.event_loop().is_some_and(|event_loop| event_loop.enter())
    }

    fn wait(&self, nanoseconds: i64) -> Result<()> {
        let timeout = u64::try_from(nanoseconds).ok().map(Duration::from_nanos);
        if let Some(event_loop) = self.event_loop() {
            event_loop.wait(timeout);
        }
        Ok(())
    }

    fn work(&self) -> bool {
        self.event_loop().is_some_and(|event_loop| event_loop.work())
    }

    fn leave(&self) -> Result<()> {
        if let Some(event_loop) = self.event_loop() {
            event_loop.leave();
        }
        Ok(())
    }

    fn wake(&self) -> Result<()> {
        if let Some(event_loop) = self.event_loop() {
            event_loop.wake();
        }
        Ok(())
    }
}
