//! The instances of a register between two threads: how many are out, and which of them go home.
//!
//! The producer's thread writes two of the counters, the consumer's the other two. Relaxed loads and
//! stores suffice: what one thread reads of the other's work is passed on with the message that
//! carries the instance.

use crate::loom::atomic::{AtomicU64, Ordering};

/// The counters of a register.
pub struct Credits {
    producer: Producer,
    consumer: Consumer,
}

/// What the producer's thread counts, on cache lines of its own, in pairs as processors fetch them.
#[repr(align(128))]
struct Producer {
    /// Instances that were sent, and those that came home again.
    sent: AtomicU64,
    home: AtomicU64,
}

/// What the consumer's thread counts, on cache lines of its own, too.
#[repr(align(128))]
struct Consumer {
    /// Instances that arrived, and those that were given back.
    arrived: AtomicU64,
    given_back: AtomicU64,
}

impl Credits {
    /// All instances are at home but those of so many messages, which the consumer holds already.
    #[must_use]
    pub fn new(held: u64) -> Self {
        Self {
            producer: Producer { sent: AtomicU64::new(held), home: AtomicU64::new(0) },
            consumer: Consumer { arrived: AtomicU64::new(held), given_back: AtomicU64::new(0) },
        }
    }

    /// Number of instances that are not at home.
    #[inline]
    pub fn out(&self) -> u64 {
        let Producer { sent, home } = &self.producer;
        sent.load(Ordering::Relaxed).saturating_sub(home.load(Ordering::Relaxed))
    }

    /// The producer sends an instance.
    #[inline]
    pub fn send(&self) {
        let sent = &self.producer.sent;
        sent.store(sent.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Instances came home to the producer.
    #[inline]
    pub fn come_home(&self, instances: u64) {
        let home = &self.producer.home;
        home.store(home.load(Ordering::Relaxed) + instances, Ordering::Relaxed);
    }

    /// An instance arrived at the consumer.
    #[inline]
    pub fn arrive(&self) {
        let arrived = &self.consumer.arrived;
        arrived.store(arrived.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// Takes the instances that go home: all that arrived and that the consumer does not hold.
    #[inline]
    pub fn take_done(&self, held: u64) -> u64 {
        let Consumer { arrived, given_back } = &self.consumer;
        let done = arrived.load(Ordering::Relaxed).saturating_sub(held);
        let before = given_back.load(Ordering::Relaxed);
        if done <= before {
            return 0;
        }
        given_back.store(done, Ordering::Relaxed);
        done - before
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn instances_go_home_when_their_messages_are_taken() {
        let credits = Credits::new(1);
        assert_eq!(credits.out(), 1);
        credits.send();
        credits.arrive();
        assert_eq!((credits.out(), credits.take_done(2)), (2, 0));
        assert_eq!(credits.take_done(1), 1);
        assert_eq!(credits.take_done(1), 0);
        assert_eq!(credits.take_done(0), 1);
        credits.come_home(2);
        assert_eq!(credits.out(), 0);
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::*;
    use crate::lane::Lane;
    use loom::sync::Arc;

    enum Message {
        Ready,
        Free(u64),
        End,
    }

    /// A producer with one instance sends two messages, ends, and is a zombie until its instance is
    /// home. The consumer keeps the last message, and gives its instance back when it hears of the
    /// end.
    #[test]
    fn every_instance_comes_home_and_both_sides_end() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let credits = Arc::new(Credits::new(0));
            let there = Arc::new(Lane::new(4));
            let back = Arc::new(Lane::new(4));
            let consumer = {
                let (credits, there, back) = (credits.clone(), there.clone(), back.clone());
                loom::thread::spawn(move || {
                    let (mut arrived, mut has_ended) = (0, false);
                    while !has_ended {
                        let any = there.drain(|message| match message {
                            Message::Ready => {
                                credits.arrive();
                                arrived += 1;
                            }
                            Message::End => has_ended = true,
                            Message::Free(_) => unreachable!("only the producer gets instances"),
                        });
                        // It takes the first message, and keeps the second one to its end.
                        let held = if has_ended { 0 } else { u64::from(arrived == 2) };
                        let instances = credits.take_done(held);
                        if instances > 0 {
                            assert!(back.send(Message::Free(instances)).is_ok(), "room for all");
                        }
                        if !any {
                            loom::thread::yield_now();
                        }
                    }
                    arrived
                })
            };
            let mut to_send = 2;
            while to_send > 0 || credits.out() > 0 {
                if to_send > 0 && credits.out() < 1 {
                    credits.send();
                    assert!(there.send(Message::Ready).is_ok(), "room for all");
                    to_send -= 1;
                    if to_send == 0 {
                        assert!(there.send(Message::End).is_ok(), "room for all");
                    }
                }
                let any = back.drain(|message| match message {
                    Message::Free(instances) => credits.come_home(instances),
                    _ => unreachable!("only the consumer gets messages"),
                });
                if !any {
                    loom::thread::yield_now();
                }
            }
            assert_eq!(consumer.join().unwrap(), 2);
            assert_eq!((credits.out(), credits.take_done(0)), (0, 0));
        });
    }
}
