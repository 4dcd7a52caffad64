//! `UcxTransmitter`.

use crate::address::{Target, named};
use crate::buffer::UcxSerializationBuffer;
use crate::entity_serializer::MessageSerializer;
use crate::outlet::{Outlet, OutletNetwork, OutletOptions};
use crate::owner::{Opener, Owner};
use crate::writes::PostponedWrites;
use gxf::prelude::*;
use gxf::{LinkCounts, LinkState, LinkStatistics};
use parking_lot::{Mutex, RwLock};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// Sends messages to a `UcxReceiver` in another graph, process or host.
///
/// Its entity does not tick before the link is open. Later, messages for which the receiver has no
/// room wait here, up to the capacity; a `DownstreamReceptiveSchedulingTerm` makes the entity wait
/// instead.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct UcxTransmitter {
    /// Messages that may wait for room at the receiver.
    #[parameter(headline = "Capacity", default = 1, minimum = 1)]
    capacity: Parameter<u64>,
    /// What happens to a message that does not fit: 0 the oldest is dropped, 1 the newest is
    /// dropped, 2 an error.
    #[parameter(headline = "Policy", default = 2, minimum = 0, maximum = 2)]
    policy: Parameter<u64>,
    /// Address or name of the receiver's host; 0.0.0.0 means this host.
    #[parameter(headline = "Receiver address", default = "0.0.0.0")]
    receiver_address: Parameter<String>,
    /// Port of the receiver.
    #[parameter(headline = "Port", default = 13337)]
    port: Parameter<u32>,
    /// Address of this host to connect from; 0.0.0.0 means any.
    #[parameter(headline = "Local address", default = "0.0.0.0")]
    local_address: Parameter<String>,
    /// Port of this host to connect from; 0 means any.
    #[parameter(headline = "Local port", default = 0)]
    local_port: Parameter<u32>,
    /// Buffer for the messages' heads.
    #[parameter(headline = "Serialization buffer")]
    buffer: Parameter<Handle<UcxSerializationBuffer>>,
    /// Seconds to try to connect, once each, before the graph fails.
    #[parameter(headline = "Maximum connection retries", default = 200)]
    maximum_connection_retries: Parameter<u32>,
    /// Messages between their publication and the end of the tick, those of the main stage first.
    stages: Mutex<VecDeque<Message>>,
    counts: StageCounts,
    /// Messages for which a tick found no room here.
    refused: AtomicU64,
    opener: Opener,
    outlet: RwLock<Option<Arc<Outlet>>>,
    /// What the link had carried at its end, and the other end, for reports after it.
    former: Mutex<Option<(LinkStatistics, String)>>,
}

/// How many messages passed the stages so far. Each number only grows, and none is above the one before
/// it, so that who only counts or moves messages to the main stage needs no lock.
#[derive(Default)]
struct StageCounts {
    pushed: AtomicUsize,
    /// So many of them were moved to the main stage.
    synced: AtomicUsize,
    popped: AtomicUsize,
}

impl StageCounts {
    /// Messages in the main stage. Of two numbers, the one that must not be the smaller is read last.
    fn main(&self) -> usize {
        let popped = self.popped.load(Ordering::Acquire);
        self.synced.load(Ordering::Acquire) - popped
    }

    /// Messages in the back stage.
    fn back(&self) -> usize {
        let synced = self.synced.load(Ordering::Acquire);
        self.pushed.load(Ordering::Acquire) - synced
    }

    fn sync(&self) {
        self.synced.fetch_max(self.pushed.load(Ordering::Acquire), Ordering::AcqRel);
    }

    /// Counts one more. Callers hold the lock of the stages.
    fn grow(number: &AtomicUsize) {
        number.store(number.load(Ordering::Relaxed) + 1, Ordering::Release);
    }
}

impl Lifecycle for UcxTransmitter {
    fn check_parameters(&self) -> Result<()> {
        for (key, port) in [("port", *self.port.get()), ("local_port", *self.local_port.get())] {
            if port > u32::from(u16::MAX) || (key == "port" && port == 0) {
                let text = format!("`{key}` is {port}, and ports are 1 to 65535");
                return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
            }
        }
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.opener.clear();
        drop(self.take_all());
        if let Some(outlet) = self.outlet.write().take() {
            *self.former.lock() = Some((outlet.statistics(), outlet.peer()));
        }
        Ok(())
    }
}

impl UcxTransmitter {
    /// Where it connects to.
    pub fn target(&self) -> Target {
        let port = |port: u32| u16::try_from(port).unwrap_or_default();
        Target {
            host: named(self.receiver_address.get()),
            port: port(*self.port.get()),
            local_host: named(self.local_address.get()),
            local_port: port(*self.local_port.get()),
            retries: *self.maximum_connection_retries.get(),
        }
    }

    /// Makes the sending end of a link.
    ///
    /// # Errors
    /// Another network has made one.
    pub fn open(
        &self,
        owner: Owner,
        run: u64,
        serializer: MessageSerializer,
        cpu_data_only: bool,
        writes: &Arc<PostponedWrites>,
        network: Weak<dyn OutletNetwork>,
    ) -> Result<Arc<Outlet>> {
        self.opener.set(owner.context.cid(), &owner.name)?;
        let options = OutletOptions {
            owner,
            run,
            capacity: usize::try_from(*self.capacity.get()).unwrap_or(usize::MAX),
            policy: *self.policy.get(),
            serializer,
            cpu_data_only,
            buffer_size: self.buffer.get().size(),
            writes: writes.clone(),
            network,
        };
        let outlet = Outlet::new(options);
        *self.former.lock() = None;
        self.refused.store(0, Ordering::Relaxed);
        *self.outlet.write() = Some(outlet.clone());
        Ok(outlet)
    }

    /// Takes the messages of all stages.
    fn take_all(&self) -> VecDeque<Message> {
        let mut stages = self.stages.lock();
        self.counts.sync();
        self.counts.popped.store(self.counts.pushed.load(Ordering::Acquire), Ordering::Release);
        std::mem::take(&mut *stages)
    }

    fn with<R>(&self, action: impl FnOnce(&Outlet) -> R) -> Option<R> {
        // Recursive, because what is sent within the process may ask this transmitter again.
        self.outlet.read_recursive().as_deref().map(action)
    }

    /// The same where the link must be there.
    fn with_open<R>(&self, action: impl FnOnce(&Outlet) -> R) -> Result<R> {
        self.with(action).ok_or_else(|| {
            let text = "no UcxContext of the graph has opened the link";
            Error::new(ResultCode::UNINITIALIZED_VALUE, text)
        })
    }
}

impl implement::Queue for UcxTransmitter {
    fn push(&self, message: Message) -> Result<()> {
        let capacity = implement::Queue::capacity(self);
        let mut stages = self.stages.lock();
        let back = self.counts.back();
        if back < capacity {
            stages.push_back(message);
            StageCounts::grow(&self.counts.pushed);
            return Ok(());
        }
        let refused = match *self.policy.get() {
            0 => {
                let oldest = stages.len().checked_sub(back).and_then(|main| stages.remove(main));
                stages.push_back(message);
                oldest
            }
            1 => Some(message),
            _ => {
                let text =
                    format!("a tick published more than {back} messages; enlarge `capacity`");
                return Err(Error::new(ResultCode::EXCEEDING_PREALLOCATED_SIZE, text));
            }
        };
        self.refused.fetch_add(1, Ordering::Relaxed);
        // Messages are dropped behind the lock.
        drop(stages);
        drop(refused);
        Ok(())
    }

    fn pop(&self) -> Result<Message> {
        let mut stages = self.stages.lock();
        if self.counts.main() > 0
            && let Some(message) = stages.pop_front()
        {
            StageCounts::grow(&self.counts.popped);
            return Ok(message);
        }
        Err(Error::new(ResultCode::CONTRACT_MESSAGE_NOT_AVAILABLE, "no message is available"))
    }

    fn peek(&self, index: i32) -> Result<Message> {
        let index = usize::try_from(index).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let stages = self.stages.lock();
        let found = stages.get(index).filter(|_| index < self.counts.main()).cloned();
        found.ok_or_else(|| ResultCode::QUERY_NOT_FOUND.into())
    }

    fn capacity(&self) -> usize {
        usize::try_from(*self.capacity.get()).unwrap_or(usize::MAX)
    }

    fn message_count(&self) -> usize {
        self.counts.main()
    }

    fn back_count(&self) -> usize {
        self.counts.back()
    }

    fn sync(&self) -> Result<()> {
        self.counts.sync();
        Ok(())
    }
}

impl implement::Transmitter for UcxTransmitter {
    fn publish_as_is(&self, message: Message) -> Result<()> {
        implement::Queue::push(self, message)
    }
}

impl implement::Link for UcxTransmitter {
    fn state(&self) -> LinkState {
        self.with(Outlet::state).unwrap_or(LinkState::ENDED)
    }

    fn room(&self) -> u64 {
        self.with(Outlet::room).unwrap_or_default()
    }

    fn send(&self, message: Message) -> Result<()> {
        self.with_open(|outlet| outlet.send(message))?
    }

    fn finish(&self) -> Result<()> {
        self.with(Outlet::finish).unwrap_or(Ok(()))
    }

    fn statistics(&self) -> Result<LinkStatistics> {
        let mut statistics = match &*self.former.lock() {
            Some((statistics, _)) => *statistics,
            None => self.with_open(Outlet::statistics)?,
        };
        statistics.dropped += self.refused.load(Ordering::Relaxed);
        Ok(statistics)
    }

    fn peer(&self) -> Result<String> {
        match &*self.former.lock() {
            Some((_, peer)) => Ok(peer.clone()),
            None => self.with_open(Outlet::peer),
        }
    }
}

impl implement::CountedLink for UcxTransmitter {
    fn counts(&self) -> Result<LinkCounts> {
        self.with_open(Outlet::counts)
    }
}
