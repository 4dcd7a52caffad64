//! `IceoryxService`.

use crate::frame::{FrameHeader, Taken};
use crate::memory::{Freed, Ipc, Loan, Memory};
use crate::peers::{Waiter, Waiting, lock};
use gxf::prelude::*;
use gxf::{ContextHandle, Event, StorageType};
use iceoryx2::config::Config;
use iceoryx2::node::{Node, NodeBuilder};
use iceoryx2::port::LoanError;
use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::prelude::{
    Alignment, AllocationStrategy, BackpressureStrategy, CallbackProgression, PortFactory,
    ServiceName, SignalHandlingMode,
};
use iceoryx2::service::port_factory::{event, publish_subscribe};
use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

/// Alignment of all memory in bytes, for vector instructions and device copies.
const ALIGNMENT: usize = 256;
/// How often peers that died are looked for.
const CLEAN: Duration = Duration::from_millis(500);
/// Size of the first samples in bytes; more is found when it is asked for.
const FIRST_SIZE: usize = 4096;

/// A service of iceoryx2, which graphs of one host publish to and subscribe to. It is an allocator,
/// too: tensors in its memory are passed on without a copy. Received tensors are read only.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct IceoryxService {
    /// Name of the service, such as `robot/camera`.
    service_name: Parameter<String>,
    /// Samples that this graph has written or sent, and that nobody has given back yet, at most. A
    /// message takes one, and one more for each tensor in the memory of the service.
    #[parameter(default = 32, minimum = 2, maximum = 65536)]
    max_samples: Parameter<u64>,
    /// Samples that may wait for each subscriber. The graph that opens the service first decides.
    #[parameter(default = 16, minimum = 2, maximum = 65536)]
    buffer_size: Parameter<u64>,
    /// Samples that each subscriber's graph may hold. The graph that opens the service first
    /// decides.
    #[parameter(default = 16, minimum = 2, maximum = 65536)]
    max_borrowed_samples: Parameter<u64>,
    /// Publishers of the service, at most. The graph that opens the service first decides.
    #[parameter(default = 4, minimum = 1, maximum = 1024)]
    max_publishers: Parameter<u64>,
    /// Subscribers to the service, at most. The graph that opens the service first decides.
    #[parameter(default = 8, minimum = 1, maximum = 1024)]
    max_subscribers: Parameter<u64>,
    /// Whether an `IceoryxPublisher` of this graph has the service.
    has_publisher: AtomicBool,
    /// Outlives the service, since tensors may.
    memory: Arc<Memory>,
    open: Mutex<Option<Arc<Open>>>,
}

/// The ports of this graph.
pub struct Open {
    name: String,
    node: Mutex<Node<Ipc>>,
    pub messages: publish_subscribe::PortFactory<Ipc, [u8], FrameHeader>,
    pub taken: publish_subscribe::PortFactory<Ipc, Taken, ()>,
    /// Rings when messages have come.
    pub data: event::PortFactory<Ipc>,
    /// Rings when there may be room for more.
    pub room: event::PortFactory<Ipc>,
    /// The port that messages are sent through, made when it is needed.
    publisher: Mutex<Option<Arc<Sending>>>,
    room_notifier: Mutex<Option<Notifier<Ipc>>>,
    pub memory: Arc<Memory>,
    pub max_samples: usize,
    pub max_borrowed_samples: usize,
    pub buffer_size: usize,
    context: ContextHandle,
    waiting: Mutex<Vec<Weak<Waiting>>>,
}

/// The port that messages are sent through.
type Sending = Publisher<Ipc, [u8], FrameHeader>;

/// An error of iceoryx2.
pub fn failed(what: &str, error: impl Debug) -> Error {
    Error::failure(format!("{what}: iceoryx2 says {error:?}"))
}

fn size(parameter: &Parameter<u64>) -> usize {
    usize::try_from(*parameter.get()).unwrap_or(usize::MAX)
}

impl IceoryxService {
    /// The ports of this graph.
    pub fn get(&self) -> Result<Arc<Open>> {
        lock(&self.open).clone().ok_or_else(|| {
            Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, "the iceoryx2 service is not open")
        })
    }

    /// Makes somebody the publisher of this graph. One is enough, since samples are in order.
    pub fn claim(&self) -> Result<()> {
        if self.has_publisher.swap(true, Ordering::AcqRel) {
            let name = &*self.service_name;
            return Err(Error::new(
                ResultCode::ARGUMENT_INVALID,
                format!(
                    "the IceoryxService `{name}` has an IceoryxPublisher already; connect both \
                     transmitters to its receiver, or use a second IceoryxService"
                ),
            ));
        }
        Ok(())
    }

    /// Gives up what `claim` gave.
    pub fn release(&self) {
        self.has_publisher.store(false, Ordering::Release);
    }

    fn named(&self, suffix: &str) -> Result<ServiceName> {
        let name = &*self.service_name;
        if name.is_empty() {
            return Err(out_of_range("`service_name` is empty".to_owned()));
        }
        ServiceName::new(&format!("{name}{suffix}")).map_err(|error| {
            out_of_range(format!("`service_name`: `{name}` is no name: {error:?}"))
        })
    }

    fn open(&self, context: ContextHandle) -> Result<Open> {
        let name = &*self.service_name;
        let cannot = format!("the service `{name}` cannot be opened");
        let failed = |error: &dyn Debug| {
            Error::failure(format!(
                "{cannot}: iceoryx2 says {error:?}; another graph may have opened it with smaller \
                 sizes"
            ))
        };
        let node = NodeBuilder::new()
            // The engine ends a run at a signal.
            .signal_handling_mode(SignalHandlingMode::Disabled)
            .config(Config::global_config())
            .create::<Ipc>()
            .map_err(|error| crate::service::failed("no node of iceoryx2 can be made", error))?;
        let messages = node
            .service_builder(&self.named("")?)
            .publish_subscribe::<[u8]>()
            .user_header::<FrameHeader>()
            .payload_alignment(Alignment::new(ALIGNMENT).unwrap_or(Alignment::ALIGN_8))
            .enable_safe_overflow(false)
            .history_size(0)
            .subscriber_max_buffer_size(size(&self.buffer_size))
            .subscriber_max_borrowed_samples(size(&self.max_borrowed_samples))
            .max_publishers(size(&self.max_publishers))
            .max_subscribers(size(&self.max_subscribers))
            .open_or_create()
            .map_err(|error| failed(&error))?;
        let taken = node
            .service_builder(&self.named("/@gxe-taken")?)
            .publish_subscribe::<Taken>()
            // Later numbers include earlier ones.
            .enable_safe_overflow(true)
            .history_size(0)
            .subscriber_max_buffer_size(64)
            .max_publishers(size(&self.max_subscribers))
            .max_subscribers(size(&self.max_publishers))
            .open_or_create()
            .map_err(|error| failed(&error))?;
        let bell = |suffix: &str| {
            node.service_builder(&self.named(suffix)?)
                .event()
                .max_notifiers(size(&self.max_publishers) + size(&self.max_subscribers))
                .max_listeners(size(&self.max_publishers) + size(&self.max_subscribers))
                .open_or_create()
                .map_err(|error| failed(&error))
        };
        let (data, room) = (bell("/@gxe-data")?, bell("/@gxe-room")?);
        Ok(Open {
            name: name.clone(),
            messages,
            taken,
            data,
            room,
            node: Mutex::new(node),
            publisher: Mutex::default(),
            room_notifier: Mutex::default(),
            memory: self.memory.clone(),
            max_samples: size(&self.max_samples),
            max_borrowed_samples: size(&self.max_borrowed_samples),
            buffer_size: size(&self.buffer_size),
            context,
            waiting: Mutex::default(),
        })
    }
}

impl Open {
    /// Name of the service.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port that messages are sent through.
    pub fn publisher(&self) -> Result<Arc<Sending>> {
        let mut place = lock(&self.publisher);
        if let Some(publisher) = &*place {
            return Ok(publisher.clone());
        }
        let samples = self.max_samples;
        let publisher = self
            .messages
            .publisher_builder()
            .initial_max_slice_len(FIRST_SIZE)
            .allocation_strategy(AllocationStrategy::PowerOfTwo)
            .max_loaned_samples(samples)
            .override_sample_preallocation(move |_| samples)
            // What a subscriber has no room for; who blocks never sends more than there is room for.
            .backpressure_strategy(BackpressureStrategy::DiscardData)
            .create()
            .map_err(|error| failed(&format!("`{}` cannot be published", self.name), error))?;
        let publisher = Arc::new(publisher);
        *place = Some(publisher.clone());
        Ok(publisher)
    }

    /// Borrows a sample to write; none if all are in use.
    #[expect(unsafe_code, reason = "memory of an allocator is written by whoever asked for it")]
    pub fn loan(&self, size: usize) -> Result<Option<Loan>> {
        // Each loan has an address of its own.
        match self.publisher()?.loan_slice_uninit(size.max(1)) {
            // SAFETY: the system zeroes shared memory before anybody sees it, so that all bytes are
            // initialised; any value of a byte is a valid one.
            Ok(sample) => Ok(Some(unsafe { sample.assume_init() })),
            Err(LoanError::OutOfMemory | LoanError::ExceedsMaxLoans) => Ok(None),
            Err(error) => {
                let what = format!("`{}` has no sample of {size} bytes", self.name);
                Err(Error::new(
                    ResultCode::OUT_OF_MEMORY,
                    format!("{what}: iceoryx2 says {error:?}"),
                ))
            }
        }
    }

    /// Whether less than half of the samples are free.
    pub fn is_short(&self) -> Result<bool> {
        let mut free = Vec::with_capacity(self.max_samples / 2);
        for _ in 0..self.max_samples / 2 {
            match self.loan(1)? {
                Some(loan) => free.push(loan),
                None => return Ok(true),
            }
        }
        Ok(false)
    }

    /// Ids of the publishers that there are.
    pub fn publishers(&self) -> HashSet<u128> {
        let mut ids = HashSet::new();
        self.messages.dynamic_config().list_publishers(|publisher| {
            ids.insert(publisher.publisher_id.value());
            CallbackProgression::Continue
        });
        ids
    }

    /// Ids of the subscribers that there are.
    pub fn subscribers(&self) -> HashSet<u128> {
        let mut ids = HashSet::new();
        self.messages.dynamic_config().list_subscribers(|subscriber| {
            ids.insert(subscriber.subscriber_id.value());
            CallbackProgression::Continue
        });
        ids
    }

    /// Entities that wait for memory ask again.
    pub fn memory_may_be_free(&self) {
        // Without a graph no entity waits.
        _ = self.context.notify(Event::MEMORY_FREE);
    }

    /// Begins to wake the entity of a component when others ring, when this graph gives received
    /// memory back, and now and then. What processes that died have left is taken away meanwhile.
    pub fn wait(
        self: &Arc<Self>,
        context: ContextHandle,
        listener: Listener<Ipc>,
        is_publisher: bool,
    ) -> Result<Waiter> {
        let (open, mut cleaned) = (self.clone(), Instant::now());
        let looked = move || {
            if is_publisher {
                open.memory_may_be_free();
            }
            if cleaned.elapsed() >= CLEAN {
                lock(&open.node).try_cleanup_dead_nodes();
                cleaned = Instant::now();
            }
        };
        let waiter = Waiter::start(context, listener, looked).map_err(|error| {
            Error::failure(format!("nobody can wait for `{}`: {error}", self.name))
        })?;
        let mut all = lock(&self.waiting);
        all.retain(|waiting| waiting.strong_count() > 0);
        all.push(Arc::downgrade(&waiter.waiting));
        Ok(waiter)
    }

    /// Tells publishers that a subscriber of this graph has taken or given back something.
    pub fn ring_room(&self) -> Result<()> {
        let mut notifier = lock(&self.room_notifier);
        if notifier.is_none() {
            let made = self.room.notifier_builder().create();
            *notifier = Some(made.map_err(|error| failed("no notifier can be made", error))?);
        }
        if let Some(notifier) = &*notifier {
            notifier.notify().map_err(|error| failed("the publishers cannot be told", error))?;
        }
        Ok(())
    }
}

fn out_of_range(text: String) -> Error {
    Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text)
}

impl Lifecycle for IceoryxService {
    fn check_parameters(&self) -> Result<()> {
        // The longest of the names.
        self.named("/@gxe-taken").map(drop)
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        iceoryx2::prelude::set_log_level_from_env_or(iceoryx2::prelude::LogLevel::Fatal);
        *lock(&self.open) = Some(Arc::new(self.open(context.handle())?));
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        drop(lock(&self.open).take());
        Ok(())
    }
}

impl implement::Allocator for IceoryxService {
    fn is_available(&self, size: u64) -> bool {
        if !self.has_publisher.load(Ordering::Acquire) {
            return true;
        }
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        self.get().is_ok_and(|open| open.loan(size).is_ok_and(|loan| loan.is_some()))
    }

    fn allocate(&self, size: u64, storage: StorageType) -> Result<*mut u8> {
        if storage != StorageType::HOST && storage != StorageType::SYSTEM {
            return Err(Error::new(
                ResultCode::MEMORY_INVALID_STORAGE_MODE,
                format!("an IceoryxService has no memory of storage type {}", storage.0),
            ));
        }
        if let Some(address) = self.memory.take_offer(size) {
            return Ok(address);
        }
        let open = self.get()?;
        let length = usize::try_from(size).unwrap_or(usize::MAX);
        // What nobody publishes needs no shared memory, and what was received through copies neither.
        if !self.has_publisher.load(Ordering::Acquire) || self.memory.is_reading() {
            return self.memory.allocate(length, ALIGNMENT);
        }
        let loan = open.loan(length)?.ok_or_else(|| {
            Error::new(
                ResultCode::OUT_OF_MEMORY,
                format!(
                    "all {} samples of `{}` are in use (`max_samples`)",
                    open.max_samples, open.name
                ),
            )
        })?;
        Ok(self.memory.lend(loan))
    }

    fn free(&self, pointer: *mut u8) -> Result<()> {
        let freed = self.memory.free(pointer)?;
        // After the end of the graph nobody waits.
        let Ok(open) = self.get() else { return Ok(()) };
        if freed == Freed::Wanted {
            open.ring_room()?;
        }
        for waiting in lock(&open.waiting).iter().filter_map(Weak::upgrade) {
            waiting.wake();
        }
        open.memory_may_be_free();
        Ok(())
    }

    fn block_size(&self) -> u64 {
        1
    }
}
