//! A register between entities on two threads: the only way from a transmitter to its receiver
//! then.
//!
//! It has a fixed number of instances. The producer sends a message only with an instance that is
//! free. The message travels to the consumer's thread, which puts it into the receiver. After a
//! tick of the consumer, the instances of the messages that it took travel back. So each queue is
//! used by one thread, and the number of messages on their way is bounded by the instances.

use crate::standard::queue::{DoubleBufferReceiver, Outstanding, Pushed};
use gxf::Message;
use gxf_plugin::component::Native;
use gxf_plugin_abi::Uid;
use gxf_sync::credits::Credits;
use std::sync::Arc;

/// Carries what registers send to other threads.
pub trait Courier: Send + Sync {
    /// Takes a message to the consumer's thread, which then calls [`Register::arrive`].
    fn deliver(&self, register: &Register, message: Message);

    /// Takes free instances to the producer's thread, which then calls [`Register::come_home`].
    fn give_back(&self, register: &Register, instances: u32);
}

/// One receiver behind a transmitter on another thread.
pub struct Register {
    /// Its number, for the courier.
    pub number: u32,
    /// Index of the entity that sends.
    pub producer: u32,
    /// Index of the entity that receives.
    pub consumer: u32,
    /// The transmitter.
    pub transmitter: Uid,
    /// The receiver.
    pub receiver: Native<DoubleBufferReceiver>,
    /// Number of instances.
    pub instances: usize,
    /// Entities to wake when a message arrives, and when an instance comes home.
    pub wakes: [Vec<u32>; 2],
    credits: Credits,
}

impl Outstanding for Register {
    fn out(&self) -> usize {
        Register::out(self)
    }
}

impl Register {
    /// A register with all instances at home but those of messages that the receiver holds.
    #[must_use]
    pub fn new(
        number: u32,
        [producer, consumer]: [u32; 2],
        transmitter: Uid,
        receiver: Native<DoubleBufferReceiver>,
        instances: usize,
        wakes: [Vec<u32>; 2],
    ) -> Self {
        let held = held(&receiver);
        Self {
            number,
            producer,
            consumer,
            transmitter,
            receiver,
            instances,
            wakes,
            credits: Credits::new(held),
        }
    }

    /// Number of instances that are not at home.
    #[inline]
    pub fn out(&self) -> usize {
        usize::try_from(self.credits.out()).unwrap_or(usize::MAX)
    }

    /// Puts a message into the receiver. Not while the consumer acts on another thread, which might give
    /// back the instance of a message that it does not find there yet.
    #[inline]
    pub fn arrive(&self, message: Message) {
        self.credits.arrive();
        if let Some(message) = self.receiver.buffer.push_into_room(message) {
            self.arrive_without_room(message);
        }
    }

    /// Another transmitter joined the graph and took the room: the queue's policy decides.
    #[cold]
    fn arrive_without_room(&self, message: Message) {
        if let Pushed::Refused(_) = self.receiver.buffer.try_push(message, false) {
            let error = self.receiver.buffer.lose();
            tracing::warn!(
                "a message to receiver `{}` is lost: {error}",
                self.receiver.component().label()
            );
        }
    }

    /// Instances are free again.
    #[inline]
    pub fn come_home(&self, instances: u32) {
        self.credits.come_home(instances.into());
    }

    /// Takes the instances to give back, not while a message arrives: of all messages that the
    /// receiver no longer holds, or of those, too.
    #[inline]
    pub fn take_done(&self, and_held: bool) -> u32 {
        let held = if and_held { 0 } else { held(&self.receiver) };
        u32::try_from(self.credits.take_done(held)).unwrap_or(u32::MAX)
    }
}

/// A register as an entity uses it.
#[derive(Clone)]
pub struct Link {
    /// The register.
    pub register: Arc<Register>,
    /// Its way to the other thread.
    pub courier: Arc<dyn Courier>,
}

impl Link {
    /// Sends a message with a free instance, or returns it if there is none.
    #[inline]
    pub fn send(&self, message: Message) -> Option<Message> {
        let register = &*self.register;
        if register.out() >= register.instances {
            return Some(message);
        }
        register.credits.send();
        self.courier.deliver(register, message);
        None
    }

    /// Gives back the instances of the messages that the receiver no longer holds.
    #[inline]
    pub fn give_back(&self) {
        let instances = self.register.take_done(false);
        if instances > 0 {
            self.courier.give_back(&self.register, instances);
        }
    }
}

/// Messages in both stages of a receiver.
fn held(receiver: &Native<DoubleBufferReceiver>) -> u64 {
    let counts = receiver.buffer.counts();
    (counts.main + counts.back) as u64
}
