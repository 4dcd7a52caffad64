//! What `TcpServer` and `TcpClient` have in common.

use crate::channel::channel;
use crate::connection::{Connection, INCOMING};
use gxf::prelude::*;
use gxf::{Condition, ConditionType, EntitySerializer};
use parking_lot::Mutex;

/// The queues of a codelet, and its connection while it runs.
#[derive(Default)]
pub struct Exchange(Mutex<Option<Running>>);

struct Running {
    connection: Connection,
    serializer: Handle<EntitySerializer>,
    receivers: Vec<(u64, Handle<Receiver>)>,
    transmitters: Vec<(u64, Handle<Transmitter>)>,
    /// Messages for channels that nobody here has.
    unknown: u64,
}

/// What a codelet hands over at its start.
pub struct Queues<'a> {
    pub receivers: &'a [Handle<Receiver>],
    pub transmitters: &'a [Handle<Transmitter>],
    pub serializer: &'a Handle<EntitySerializer>,
}

impl Exchange {
    pub fn start(
        &self,
        context: &TickContext,
        queues: &Queues<'_>,
        connection: Connection,
    ) -> Result<()> {
        let number = |cid| channel(&context.component_name(cid));
        *self.0.lock() = Some(Running {
            connection,
            serializer: queues.serializer.clone(),
            receivers: queues
                .receivers
                .iter()
                .map(|one| (number(one.cid()), one.clone()))
                .collect(),
            transmitters: queues
                .transmitters
                .iter()
                .map(|one| (number(one.cid()), one.clone()))
                .collect(),
            unknown: 0,
        });
        Ok(())
    }

    pub fn tick(&self) -> Result<()> {
        let mut running = self.0.lock();
        let running = running.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        running.publish()?;
        running.send()
    }

    pub fn stop(&self) -> Result<()> {
        let Some(running) = self.0.lock().take() else { return Ok(()) };
        if running.unknown > 0 {
            let unknown = running.unknown;
            gxf::warning!("{unknown} messages were for queues that are not here");
        }
        running.connection.close()
    }

    /// The codelet is its own scheduling term: it waits until something comes or goes.
    pub fn condition(&self, now: i64) -> Condition {
        let condition_type = match &*self.0.lock() {
            None => ConditionType::READY,
            Some(running) => running.condition(),
        };
        Condition { condition_type, target: now }
    }
}

impl Running {
    fn condition(&self) -> ConditionType {
        let (has_incoming, may_send) = self.connection.readiness();
        let has_outgoing =
            || self.receivers.iter().any(|(_, one)| one.message_count() + one.back_count() > 0);
        if has_incoming || (may_send && has_outgoing()) {
            ConditionType::READY
        } else if self.connection.has_ended() {
            ConditionType::NEVER
        } else if self.transmitters.is_empty() && !has_outgoing() && self.connection.has_sent_all()
        {
            // Nobody here waits for the peer: once nothing more can come from this graph, it ends.
            ConditionType::WAIT
        } else {
            ConditionType::WAIT_EVENT
        }
    }

    /// Publishes what came: one message a queue and tick, so that a `DownstreamReceptive` term of
    /// each queue suffices. Those for other queues come no faster: a peer that sends nothing else
    /// must not keep the tick from ending.
    fn publish(&mut self) -> Result<()> {
        let mut used = vec![false; self.transmitters.len()];
        for _ in 0..INCOMING {
            let place = |channel| self.transmitters.iter().position(|(one, _)| *one == channel);
            let free = |channel| place(channel).is_none_or(|place| !used[place]);
            let Some((channel, message)) = self.connection.receive(free) else { return Ok(()) };
            let Some(place) = place(channel) else {
                self.unknown += 1;
                if self.unknown == 1 {
                    gxf::warning!("a message came for a queue that is not here; it is dropped");
                }
                continue;
            };
            used[place] = true;
            self.transmitters[place].1.publish_as_is(message)?;
        }
        Ok(())
    }

    /// Sends what waits, as far as there is room.
    fn send(&mut self) -> Result<()> {
        for (channel, receiver) in &self.receivers {
            while self.connection.readiness().1
                && let Some(message) = receiver.try_receive()?
            {
                self.connection.send(*channel, &message, &self.serializer)?;
            }
        }
        Ok(())
    }
}
