//! `ZenohPublisher`.

use crate::names;
use crate::session::ZenohSession;
use gxf::prelude::*;
use gxf::{ContextHandle, EntitySerializer, SharedCodelet, Uid, WakeToken};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use zenoh::liveliness::LivelinessToken;
use zenoh::matching::MatchingListener;
use zenoh::pubsub::Publisher;
use zenoh::qos::CongestionControl;
use zenoh::query::{ConsolidationMode, QueryTarget};
use zenoh::{Session, Wait};

/// Publishes the messages of a receiver through zenoh. It waits until somebody subscribes, and at
/// its end until the subscribers have everything. It is its own scheduling term.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct ZenohPublisher {
    /// Receiver of the messages.
    input: Parameter<Handle<Receiver>>,
    /// Session to publish through.
    session: Parameter<Handle<ZenohSession>>,
    /// Key expression of the messages, such as `robot/camera`, without wildcards.
    key: Parameter<String>,
    /// Serializer for the messages.
    entity_serializer: Parameter<Handle<EntitySerializer>>,
    /// Whether the graph waits while a subscriber or the network is slow; otherwise zenoh drops
    /// messages then.
    #[parameter(default = true)]
    block: Parameter<bool>,
    /// Whether messages wait for the first subscriber; otherwise nobody gets those sent before.
    #[parameter(default = true)]
    wait_for_subscriber: Parameter<bool>,
    /// How long the end waits for the answers of the subscribers, in seconds.
    #[parameter(default = 10, unit = "s")]
    end_time_out: Parameter<u64>,
    context: Mutex<Option<ContextHandle>>,
    run: Mutex<Option<Run>>,
}

struct Run {
    session: Session,
    publisher: Publisher<'static>,
    /// Name of this publisher, which no other has.
    name: String,
    token: LivelinessToken,
    matching: Arc<Matching>,
    _listener: MatchingListener<()>,
}

/// Whether somebody subscribes.
#[derive(Default)]
struct Matching {
    is_there: AtomicBool,
    token: Mutex<Option<WakeToken>>,
}

impl Matching {
    fn set(&self, is_there: bool) {
        self.is_there.store(is_there, Ordering::SeqCst);
        let token = lock(&self.token).take();
        if let Some(token) = token {
            token.wake();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn failed(what: &str, error: &zenoh::Error) -> Error {
    Error::failure(format!("{what}: {error}"))
}

impl Lifecycle for ZenohPublisher {
    fn check_parameters(&self) -> Result<()> {
        let key = &*self.key;
        if key.contains(['*', '$', '@'])
            || zenoh::key_expr::KeyExpr::try_from(key.as_str()).is_err()
        {
            return Err(Error::new(
                ResultCode::PARAMETER_OUT_OF_RANGE,
                format!(
                    "`key`: `{key}` is no key of zenoh without wildcards, such as robot/camera"
                ),
            ));
        }
        Ok(())
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        *lock(&self.context) = Some(context.handle());
        Ok(())
    }
}

impl SharedCodelet for ZenohPublisher {
    fn start(&self, _context: &TickContext) -> Result<()> {
        let session = self.session.get().get()?;
        let key = self.key.get().clone();
        let cannot = format!("`{key}` cannot be published");
        let congestion = match *self.block.get() {
            true => CongestionControl::Block,
            false => CongestionControl::Drop,
        };
        let publisher = session.declare_publisher(key.clone()).congestion_control(congestion);
        let publisher = publisher.wait().map_err(|error| failed(&cannot, &error))?;
        let matching = Arc::new(Matching::default());
        let told = matching.clone();
        let listener = publisher
            .matching_listener()
            .callback(move |status| told.set(status.matching()))
            .wait()
            .map_err(|error| failed(&cannot, &error))?;
        let status = publisher.matching_status().wait().map_err(|error| failed(&cannot, &error))?;
        if status.matching() {
            matching.set(true);
        }
        let name = format!("{}-{}", session.zid(), self.input.get().cid());
        let token = session.liveliness().declare_token(names::token(&key, &name));
        let token = token.wait().map_err(|error| failed(&cannot, &error))?;
        *lock(&self.run) =
            Some(Run { session, publisher, name, token, matching, _listener: listener });
        Ok(())
    }

    fn tick(&self, _context: &TickContext) -> Result<()> {
        let run = lock(&self.run);
        let run = run.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        while let Some(message) = self.input.try_receive()? {
            let mut bytes = Vec::new();
            self.entity_serializer.write_message(&message, &mut bytes)?;
            let sent = run.publisher.put(bytes).attachment(run.name.as_str()).wait();
            sent.map_err(|error| failed("a message cannot be published", &error))?;
        }
        Ok(())
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        let Some(run) = lock(&self.run).take() else { return Ok(()) };
        if run.matching.is_there.load(Ordering::SeqCst) {
            // On the way of the messages, so that the answer comes after they have arrived.
            let answers = run
                .session
                .get(names::end(&self.key, &run.name))
                .target(QueryTarget::All)
                .consolidation(ConsolidationMode::None)
                .congestion_control(CongestionControl::Block)
                .timeout(Duration::from_secs(*self.end_time_out.get()))
                .wait()
                .map_err(|error| failed("the subscribers cannot be asked", &error))?;
            if !answers.iter().any(|answer| answer.result().is_ok()) {
                gxf::warning!(
                    "no subscriber to `{}` said that it has everything; its last messages may be \
                     lost",
                    *self.key
                );
            }
        }
        run.token.undeclare().wait().map_err(|error| failed("zenoh", &error))
    }
}

impl implement::SchedulingTerm for ZenohPublisher {
    fn check(&self, now: i64) -> Result<Condition> {
        let has_message = self.input.message_count() + self.input.back_count() > 0;
        let condition_type = match lock(&self.run).as_ref() {
            // The first tick comes before the start.
            None if has_message => ConditionType::READY,
            Some(run) if has_message && *self.wait_for_subscriber.get() => {
                let mut token = lock(&run.matching.token);
                if run.matching.is_there.load(Ordering::SeqCst) {
                    ConditionType::READY
                } else {
                    if token.is_none() {
                        let context = lock(&self.context);
                        let context =
                            context.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
                        *token = Some(context.wake_token()?);
                    }
                    ConditionType::WAIT_EVENT
                }
            }
            Some(_) if has_message => ConditionType::READY,
            _ => ConditionType::WAIT,
        };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }

    fn watched(&self, add: &mut dyn FnMut(Uid)) {
        // Called before all parameters are set, too.
        if let Some(input) = self.input.try_get() {
            add(input.cid());
        }
    }
}
