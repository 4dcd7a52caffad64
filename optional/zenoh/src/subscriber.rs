//! `ZenohSubscriber`.

use crate::arrivals::{Arrivals, Next};
use crate::names;
use crate::session::ZenohSession;
use gxf::prelude::*;
use gxf::{ContextHandle, EntitySerializer, SharedCodelet};
use gxf_recording::FrameError;
use gxf_recording::walk::EntityWalk;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use zenoh::Wait;
use zenoh::pubsub::Subscriber;
use zenoh::query::Queryable;
use zenoh::sample::SampleKind;

/// What happens to messages that do not fit.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// `block`: zenoh waits, and publishers that block wait, too.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    block,
    /// `drop`: the newest is dropped and counted.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    drop,
}

/// What follows when a publisher goes without a word.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// `wait`: a warning, and the wait for others or its successor.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    wait,
    /// `fail`: the graph ends with an error.
    #[expect(non_camel_case_types, reason = "the name in YAML")]
    fail,
}

/// Brings messages that others publish through zenoh into the graph. It is its own scheduling term,
/// and ends when all publishers that it has seen have ended.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct ZenohSubscriber {
    /// Transmitter for the messages.
    output: Parameter<Handle<Transmitter>>,
    /// Session to subscribe through.
    session: Parameter<Handle<ZenohSession>>,
    /// Key expression of the messages; `*` stands for one part of it.
    key: Parameter<String>,
    /// Serializer for the messages.
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Messages that may wait for the graph.
    #[parameter(default = 64, minimum = 1)]
    capacity: Parameter<u64>,
    /// What happens to messages that do not fit.
    #[parameter(default = Overflow::block)]
    overflow: Parameter<Overflow>,
    /// What follows when a publisher goes without a word.
    #[parameter(default = Lost::wait)]
    on_lost_publisher: Parameter<Lost>,
    /// Longest message in bytes.
    #[parameter(default = 1073741824, minimum = 1, unit = "bytes")]
    maximum_message_size: Parameter<u64>,
    context: Mutex<Option<ContextHandle>>,
    run: Mutex<Option<Run>>,
}

struct Run {
    arrivals: Arc<Arrivals>,
    subscriber: Subscriber<()>,
    tokens: Subscriber<()>,
    ends: Queryable<()>,
    /// Messages that nobody could read.
    unreadable: u64,
}

/// Logs at most this many messages that nobody can read.
const SHOWN: u64 = 3;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lifecycle for ZenohSubscriber {
    fn check_parameters(&self) -> Result<()> {
        let key = &*self.key;
        if key.contains('@') || zenoh::key_expr::KeyExpr::try_from(key.as_str()).is_err() {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!("`key`: `{key}` is no key expression of zenoh, such as robot/camera"),
            ));
        }
        Ok(())
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        *lock(&self.context) = Some(context.handle());
        Ok(())
    }
}

impl SharedCodelet for ZenohSubscriber {
    fn start(&self, _context: &TickContext) -> Result<()> {
        let session = self.session.get().get()?;
        let key = self.key.get().clone();
        let failed = |error: zenoh::Error| {
            Error::failure(format!("`{}` cannot be subscribed to: {error}", *self.key))
        };
        let arrivals = Arc::new(Arrivals::default());
        let capacity = usize::try_from(*self.capacity.get()).unwrap_or(usize::MAX);
        let blocks = *self.overflow.get() == Overflow::block;
        let to = arrivals.clone();
        let subscriber = session
            .declare_subscriber(key.clone())
            .callback(move |sample| {
                if sample.kind() == SampleKind::Put {
                    let publisher = sample.attachment().and_then(|name| name.try_to_string().ok());
                    let publisher = publisher.map(|name| name.into_owned());
                    to.add(sample.payload().to_bytes().into_owned(), publisher, capacity, blocks);
                }
            })
            .wait()
            .map_err(failed)?;
        let to = arrivals.clone();
        let ends = session
            .declare_queryable(names::ends(&key))
            .callback(move |query| {
                to.end(names::publisher(query.key_expr().as_str()));
                // The publisher has gone if this fails.
                _ = query.reply(query.key_expr().clone(), "").wait();
            })
            .wait()
            .map_err(failed)?;
        let to = arrivals.clone();
        let tokens = session
            .liveliness()
            .declare_subscriber(names::tokens(&key))
            .history(true)
            .callback(move |sample| {
                let publisher = names::publisher(sample.key_expr().as_str());
                match sample.kind() {
                    SampleKind::Put => to.come(publisher),
                    SampleKind::Delete => to.gone(publisher),
                }
            })
            .wait()
            .map_err(failed)?;
        *lock(&self.run) = Some(Run { arrivals, subscriber, tokens, ends, unreadable: 0 });
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let mut run = lock(&self.run);
        let run = run.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        for publisher in run.arrivals.lost() {
            let text = format!("the publisher {publisher} of `{}` is gone", *self.key);
            if *self.on_lost_publisher.get() == Lost::fail {
                return Err(Error::failure(text));
            }
            gxf::warning!("{text}");
        }
        let Some(bytes) = run.arrivals.take() else { return Ok(()) };
        match self.read(&bytes, context) {
            Ok(message) if message.timestamp().is_some() => self.output.publish_as_is(message),
            Ok(message) => self.output.publish(message, context.now()),
            // From a stranger: the graph goes on.
            Err(error) => {
                run.unreadable += 1;
                if run.unreadable <= SHOWN {
                    gxf::warning!("a message of `{}` cannot be read: {error}", *self.key);
                }
                Ok(())
            }
        }
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        let Some(run) = lock(&self.run).take() else { return Ok(()) };
        run.arrivals.close();
        for declared in [
            run.subscriber.undeclare().wait(),
            run.tokens.undeclare().wait(),
            run.ends.undeclare().wait(),
        ] {
            declared.map_err(|error| Error::failure(format!("zenoh: {error}")))?;
        }
        let (dropped, unreadable) = (run.arrivals.dropped(), run.unreadable);
        if dropped > 0 {
            gxf::warning!("{dropped} messages of `{}` were dropped", *self.key);
        }
        if unreadable > 0 {
            gxf::warning!("{unreadable} messages of `{}` could not be read", *self.key);
        }
        Ok(())
    }
}

impl ZenohSubscriber {
    /// Reads a message. Lengths are looked at before anything is allocated for them.
    fn read(&self, bytes: &[u8], context: &TickContext) -> Result<Message> {
        let bad = |text: String| Error::new(ResultCode::INVALID_DATA_FORMAT, text);
        let (length, limit) = (bytes.len() as u64, *self.maximum_message_size.get());
        if length > limit {
            return Err(bad(format!(
                "it has {length} bytes, and `maximum_message_size` is {limit}"
            )));
        }
        let walked = EntityWalk::begin(&bytes, 0, length).and_then(EntityWalk::finish);
        match walked {
            // Its own serializer knows.
            Ok(_) | Err(FrameError::UnknownType { .. }) => {}
            Err(error) => return Err(bad(error.to_string())),
        }
        let mut message = context.new_message()?;
        let mut rest = bytes;
        self.entity_serializer.read_message(&mut message, &mut rest)?;
        Ok(message)
    }
}

impl implement::SchedulingTerm for ZenohSubscriber {
    fn check(&self, now: i64) -> Result<Condition> {
        let token = || {
            let context = lock(&self.context);
            context.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?.wake_token()
        };
        let condition_type = match lock(&self.run).as_ref() {
            // The first tick comes before the start.
            None => ConditionType::READY,
            Some(run) => match run.arrivals.next_or(token)? {
                Next::Something => ConditionType::READY,
                Next::Nothing => ConditionType::WAIT_EVENT,
                Next::End => ConditionType::NEVER,
            },
        };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}
