//! `GraphDriver`.

use crate::allocation::Applicants;
use crate::calls::{Calls, Signs};
use crate::configuration::{Connection, connections, is_segment_name, segment_of};
use crate::event_loop::{self, Events, Handler, Running};
use crate::protocol::{
    ACTIVE, ALLOCATE, AllocationRequest, COMPLETE, ComponentParams, DRIVER, END_LINKS, HEARTBEAT,
    HELD, PLACEHOLDER, Param, READY, REGISTER, REST, START, WAITS, WorkerInfo, no_action, to_json,
};
use crate::rest::{SegmentRest, deadlock, is_over, never_sent};
use gxf::prelude::*;
use gxf::{Event as EntityEvent, IpcClient, IpcServer, IpcService, Uid, Yaml};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

/// What a driver does about a worker that it has lost.
const POLICIES: [&str; 3] = ["stop", "wait", "ignore"];

/// Starts and ends the segments of all workers: waits until every segment of `connections` has
/// registered, tells each transmitter the address of its receiver, activates the segments, runs them
/// when all are active, and ends the workers when all are done. Under `ActorScheduler`, no entity of
/// any segment ticks before all have started. Start it before the workers.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct GraphDriver {
    /// The links between segments: a list of `{source, target}`, each `segment.entity.component`.
    #[parameter(headline = "Connections")]
    connections: Parameter<Option<Yaml>>,
    /// Further segments to wait for, those without connections. Not a parameter of GXF.
    #[parameter(headline = "Segments")]
    segments: Parameter<Option<Vec<String>>>,
    /// Receives the requests of workers.
    #[parameter(headline = "Server")]
    server: Parameter<Handle<IpcServer>>,
    /// Sends requests to workers.
    #[parameter(headline = "Client")]
    client: Parameter<Handle<IpcClient>>,
    /// What happens when a worker is lost or a segment fails: `stop` ends all others with an error,
    /// `wait` waits for it to come back, `ignore` goes on without it. Not a parameter of GXF.
    #[parameter(headline = "On worker lost", default = "stop")]
    on_worker_lost: Parameter<String>,
    /// A worker without a sign of life for this long is lost, in milliseconds. Not a parameter of
    /// GXF, whose workers give none.
    #[parameter(headline = "Heartbeat timeout", unit = "ms", default = 5000, minimum = 1)]
    heartbeat_timeout_ms: Parameter<u64>,
    /// If for this long no further worker comes and segments are missing, the run fails, in
    /// milliseconds; 0 waits for ever. Not a parameter of GXF.
    #[parameter(headline = "Segment timeout", unit = "ms", default = 0)]
    segment_timeout_ms: Parameter<u64>,
    context: Mutex<Option<gxf::ContextHandle>>,
    running: Mutex<Option<Running<Event>>>,
}

enum Event {
    Registered(WorkerInfo),
    Alive(WorkerInfo),
    Active(WorkerInfo),
    Ready(WorkerInfo),
    Completed(WorkerInfo),
    /// A worker asks which segments it shall load, and waits for the answer.
    Allocate(AllocationRequest, Sender<Result<String>>),
    Stop,
}

/// Has the driver's thread answer a worker that asks for segments.
fn allocate(events: &Events<Event>, body: &str) -> Result<String> {
    let (sender, answer) = channel();
    events.post(Event::Allocate(AllocationRequest::from_json(body)?, sender))?;
    let answer = answer.recv_timeout(ANSWER_TIME);
    answer.unwrap_or_else(|_| Err(Error::failure("the driver is busy")))
}

impl GraphDriver {
    fn parsed(&self) -> Result<Vec<Connection>> {
        self.connections.get().as_ref().map_or(Ok(Vec::new()), connections)
    }
}

impl Lifecycle for GraphDriver {
    fn check_parameters(&self) -> Result<()> {
        let policy = self.on_worker_lost.get();
        if !POLICIES.contains(&policy.as_str()) {
            let text = format!("`on_worker_lost` is `{policy}`, and must be stop, wait or ignore");
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        let segments = self.segments.get().iter().flatten();
        if let Some(name) = segments.into_iter().find(|name| !is_segment_name(name)) {
            // As `graph-specs` do, so that no worker ever registers it.
            let text =
                format!("`segments`: `{name}` is no name of a segment: one without dots is needed");
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        self.parsed().map(drop)
    }

    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        *self.context.lock() = Some(context.handle());
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.context.lock() = None;
        Ok(())
    }
}

impl implement::System for GraphDriver {
    fn schedule(&self, _eid: Uid) -> Result<()> {
        Ok(())
    }

    fn unschedule(&self, _eid: Uid) -> Result<()> {
        Ok(())
    }

    fn run_async(&self) -> Result<()> {
        let events: Events<Event> = Events::new();
        // The loop first: a worker may register at once.
        let connections = self.parsed()?;
        let (began, signs) = (Instant::now(), Signs::default());
        let timeout = Duration::from_millis(*self.heartbeat_timeout_ms.get());
        let client = self.client.get().clone();
        let driver = Driver {
            calls: Calls { client, signs: signs.clone(), timeout },
            next_question: (!connections.is_empty()).then_some(began),
            pause: FIRST_PAUSE,
            connections,
            segments: self.segments.get().clone().unwrap_or_default(),
            policy: self.on_worker_lost.get().clone(),
            segment_timeout: Duration::from_millis(*self.segment_timeout_ms.get()),
            applicants: Applicants::default(),
            latest_arrival: began,
            workers: BTreeMap::new(),
            replaced: BTreeSet::new(),
            is_started: false,
            is_activating: false,
            complete_since: None,
            context: self.context.lock().clone(),
            events: events.clone(),
            failure: None,
            began,
            has_said: false,
        };
        let running = event_loop::start("graph driver", events.clone(), driver)?;
        *self.running.lock() = Some(running);
        let waits = self.on_worker_lost.get() == "wait";
        let service = IpcService::new(move |action, body| {
            if action == ALLOCATE {
                return allocate(&events, body);
            }
            let event = match action {
                REGISTER => Event::Registered,
                COMPLETE => Event::Completed,
                ACTIVE => Event::Active,
                READY => Event::Ready,
                HEARTBEAT => Event::Alive,
                other => return Err(no_action("driver", other)),
            };
            let info = WorkerInfo::from_json(body)?;
            signs.renew(&info);
            let answer = if waits && action == REGISTER { WAITS } else { "" };
            events.post(event(info)).map(|()| answer.to_owned())
        });
        self.server.register_service(DRIVER, true, service)?;
        tracing::info!("The driver is ready");
        Ok(())
    }

    fn stop(&self) -> Result<()> {
        event_loop::stop(&self.running, Event::Stop);
        Ok(())
    }

    fn wait(&self) -> Result<()> {
        event_loop::wait(&self.running)
    }

    fn event_notify(&self, _eid: Uid, _event: EntityEvent) -> Result<()> {
        Ok(())
    }
}

/// A worker that the driver knows.
struct Worker {
    info: WorkerInfo,
    /// Whether it ever gave a sign of life; workers of GXF do not.
    beats: bool,
    is_lost: bool,
    is_active: bool,
    /// Whether its segments were told to become active, by this driver or one before it.
    is_started: bool,
    /// Whether they were told to run.
    is_running: bool,
}

impl Worker {
    /// Whether its entities may yet start.
    fn is_behind(&self) -> bool {
        self.info.is_held && !self.info.is_ready && !self.info.is_complete && !self.is_lost
    }
}

struct Driver {
    calls: Calls,
    connections: Vec<Connection>,
    segments: Vec<String>,
    policy: String,
    /// Longest time without a further worker while segments are missing; 0 for ever.
    segment_timeout: Duration,
    /// The workers that ask which segments they shall load.
    applicants: Applicants,
    /// When a worker came that was not known before.
    latest_arrival: Instant,
    /// By the name of the worker.
    workers: BTreeMap<String, Worker>,
    /// Names and runs of lost workers whose segments others have registered since.
    replaced: BTreeSet<(String, u64)>,
    is_started: bool,
    /// Whether segments were told to become active, and none runs yet.
    is_activating: bool,
    /// When all segments were done.
    complete_since: Option<Instant>,
    /// That of the driver.
    context: Option<gxf::ContextHandle>,
    events: Events<Event>,
    failure: Option<Error>,
    /// When to ask next whether the segments wait for each other, if there are links, and how long
    /// to wait then.
    next_question: Option<Instant>,
    pause: Duration,
    began: Instant,
    has_said: bool,
}

/// Longest time that a driver thinks about an answer.
const ANSWER_TIME: Duration = Duration::from_secs(5);

/// Longest time that a driver whose segments are done waits for workers that ask for one.
const FAREWELL: Duration = Duration::from_secs(5);

/// After this time the log says which segments are missing.
const SILENCE: Duration = Duration::from_secs(5);

/// The first pause between two questions whether segments wait for each other, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

impl Handler<Event> for Driver {
    fn handle(&mut self, event: Event) -> bool {
        match event {
            Event::Registered(info) => self.registered(info),
            Event::Alive(info) => self.alive(info),
            Event::Active(info) => self.active(&info),
            Event::Ready(info) => self.ready(&info),
            Event::Completed(info) => self.completed(info),
            Event::Allocate(request, answer) => {
                // Whoever asked may have given up.
                _ = answer.send(self.allocate(request));
                false
            }
            Event::Stop => {
                self.end_workers("the driver was stopped");
                self.events.end(Ok(()));
                true
            }
        }
    }

    fn look(&mut self, now: Instant) -> bool {
        if !self.is_started && !self.has_said && now - self.began >= SILENCE {
            self.has_said = true;
            let missing = self.missing();
            if !missing.is_empty() {
                tracing::info!("The driver waits for the segments {}", missing.join(", "));
            } else if self.workers.is_empty() {
                tracing::info!(
                    "The driver waits for a worker, whose segments it then starts at once: it has no \
                     `connections` and no `segments` that it could wait for"
                );
            }
        }
        if let Some(text) = self.not_taken(now) {
            return self.fail(text);
        }
        if self.is_started && self.end_if_complete() {
            return true;
        }
        if self.is_started && self.next_question.is_some_and(|at| at <= now) {
            self.end_if_over(now);
        }
        let Calls { signs, timeout, .. } = &self.calls;
        let silent = self.workers.iter_mut().find(|(name, worker)| {
            worker.beats
                && !worker.is_lost
                && !worker.info.is_complete
                && signs.silence(name) >= *timeout
        });
        let Some((name, worker)) = silent else { return false };
        worker.is_lost = true;
        let age = signs.silence(name).as_secs_f32();
        let text = worker.info.lost(&format!("its last sign of life was {age:.1} s ago"));
        self.lost(text)
    }
}

impl Driver {
    /// The segments that no worker has, in the order of `segments` and `connections`.
    fn missing(&self) -> Vec<String> {
        let wanted = self.segments.iter().map(String::as_str);
        let wanted = wanted.chain(self.connections.iter().flat_map(Connection::segments));
        let mut seen = BTreeSet::new();
        let wanted = wanted.filter(|segment| seen.insert(*segment));
        let is_there = |segment: &&str| {
            self.workers
                .values()
                .any(|worker| worker.info.segments().any(|known| known == *segment))
        };
        wanted.filter(|segment| !is_there(segment)).map(str::to_owned).collect()
    }

    fn allocate(&mut self, request: AllocationRequest) -> Result<String> {
        if self.applicants.is_new(&request) {
            let names = request.segments.join(", ");
            let named = if names.is_empty() { "a segment" } else { names.as_str() };
            tracing::info!("Worker {} asks for {named}", request.worker);
            self.latest_arrival = Instant::now();
        }
        let missing = self.missing();
        let now = Instant::now();
        let answer = self.applicants.answer(request, &missing, self.is_started, now)?;
        Ok(to_json(&answer))
    }

    /// What to say if too much time has passed without a worker for the segments that are missing.
    fn not_taken(&self, now: Instant) -> Option<String> {
        let limit = self.segment_timeout;
        let age = now.saturating_duration_since(self.latest_arrival);
        if self.is_started || limit.is_zero() || age < limit {
            return None;
        }
        let missing = self.missing();
        if missing.is_empty() {
            let seconds = limit.as_secs_f32();
            let is_alone = self.workers.is_empty();
            return is_alone
                .then(|| format!("no worker has registered, and none came for {seconds} s"));
        }
        let named: Vec<_> = missing
            .iter()
            .map(|segment| match self.applicants.holder(segment) {
                Some(worker) => format!("{segment} (worker {worker} loads it)"),
                None => segment.clone(),
            })
            .collect();
        let (named, seconds) = (named.join(", "), limit.as_secs_f32());
        let waiting = match self.applicants.waiting() {
            0 => String::new(),
            count => format!("; workers that wait for a segment: {count}, and each gets one"),
        };
        Some(format!(
            "no worker has registered the segments {named}, and none came for {seconds} s{waiting}"
        ))
    }

    fn registered(&mut self, info: WorkerInfo) -> bool {
        let name = info.name();
        if self.is_replaced(&info) {
            return self.refuse(&info, "another worker has taken its place");
        }
        let (period, timeout) = (info.heartbeat_period_ms, self.calls.timeout.as_millis());
        if u128::from(period) >= timeout {
            let text = format!(
                "its `heartbeat_period_ms` is {period}, and must be less than the driver's \
                 `heartbeat_timeout_ms`, which is {timeout}"
            );
            return self.refuse(&info, &text);
        }
        if !self.workers.contains_key(&name) {
            self.latest_arrival = Instant::now();
        }
        if self.is_restarted(&info) {
            let text = self.workers[&name].info.lost("it was started again");
            if self.policy == "stop" {
                return self.fail(text);
            }
            tracing::warn!("{text}");
        }
        let rivals = self.rivals(&info);
        let still_there = rivals.iter().find(|(rival, _)| {
            let rival = &self.workers[rival];
            !rival.is_lost && self.calls.answers(&rival.info)
        });
        if let Some((rival, segment)) = still_there {
            return self.refuse(&info, &format!("worker {rival} has segment {segment}"));
        }
        let segments: Vec<_> = info.segments().map(str::to_owned).collect();
        tracing::info!("Worker {name} registered with segments {}", segments.join(", "));
        let (is_running, is_complete) = (info.is_running, info.is_complete);
        self.add(WorkerInfo { failures: BTreeMap::new(), ..info.clone() });
        for (rival, _) in rivals {
            if self.replace(&rival, &name, &segments) {
                return true;
            }
        }
        // A worker that runs was started by a driver before this one.
        self.is_started |= is_running || is_complete;
        if !info.failures.is_empty() && self.completed(info) {
            return true;
        }
        if is_complete && self.end_if_complete() {
            return true;
        }
        if !self.missing().is_empty() {
            return false;
        }
        let started = if self.is_started { self.start_newcomers() } else { self.start() };
        // Those that the driver before this one held.
        let started = started.and_then(|()| self.start_if_ready());
        self.checked(started)
    }

    /// Sends a worker home; the run goes on.
    fn refuse(&self, info: &WorkerInfo, reason: &str) -> bool {
        tracing::warn!("Worker {} is refused: {reason}", info.name());
        self.send_home(info, reason);
        false
    }

    /// Ends a worker.
    fn send_home(&self, info: &WorkerInfo, reason: &str) {
        let reason = format!("failed: {reason}");
        if let Err(error) = self.calls.action(info, info.beats(), "StopWorker", &reason) {
            tracing::debug!("{error}");
        }
    }

    /// Other workers that have segments of this one, each with one of these.
    fn rivals(&self, info: &WorkerInfo) -> Vec<(String, String)> {
        let name = info.name();
        let others = self.workers.iter().filter(|(known, _)| **known != name);
        let shared = others.filter_map(|(other, worker)| {
            let mut segments = info.segments();
            let segment = segments.find(|one| worker.info.segments().any(|known| known == *one))?;
            Some((other.clone(), segment.to_owned()))
        });
        shared.collect()
    }

    /// Whether this is the process after one that had begun to run its segments and not ended.
    fn is_restarted(&self, info: &WorkerInfo) -> bool {
        self.workers.get(&info.name()).is_some_and(|known| {
            let has_begun = known.is_started && !known.info.is_complete;
            known.info.run != info.run && has_begun && !known.is_lost
        })
    }

    /// Whether others have registered the segments of this run of a worker.
    fn is_replaced(&self, info: &WorkerInfo) -> bool {
        self.replaced.contains(&(info.name(), info.run))
    }

    /// Worker `name` has registered `segments`, some of which `rival` had, which does not answer.
    fn replace(&mut self, rival: &str, name: &str, segments: &[String]) -> bool {
        let Some(worker) = self.workers.get_mut(rival) else { return false };
        let text = worker.info.lost(&format!("it does not answer, and worker {name} replaces it"));
        let was_lost = std::mem::replace(&mut worker.is_lost, true);
        if !was_lost && self.policy == "stop" {
            return self.fail(text);
        }
        tracing::info!("Worker {name} takes the place of worker {rival}");
        self.replaced.insert((rival.to_owned(), worker.info.run));
        worker.info.segment_info_list.retain(|one| !segments.contains(&one.segment_name));
        if worker.info.segment_info_list.is_empty() {
            self.workers.remove(rival);
            self.calls.signs.forget(rival);
        }
        false
    }

    /// Starts the workers that came, or came back, after the others were started: they get their
    /// addresses again, and others get theirs.
    fn start_newcomers(&mut self) -> Result<()> {
        let is_new = |worker: &&Worker| !worker.is_started && !worker.is_lost;
        let newcomers = self.workers.values().filter(is_new).map(|worker| worker.info.name());
        let newcomers: Vec<_> = newcomers.collect();
        if newcomers.is_empty() {
            return Ok(());
        }
        self.each(self.present(), |driver, name| driver.send_addresses(name))?;
        if self.is_activating || self.holds() {
            self.is_activating = true;
            self.each(newcomers, Self::activate)?;
            return self.run_if_active();
        }
        self.each(newcomers, |driver, name| {
            driver.activate(name)?;
            driver.run(name, false)
        })
    }

    /// Whether workers wait until the entities of all have started.
    fn holds(&self) -> bool {
        self.workers.values().any(|worker| worker.info.is_held && !worker.is_lost)
    }

    /// The workers that are not lost. The one that was heard of last comes first: it will not keep
    /// the others waiting.
    fn present(&self) -> Vec<String> {
        let present = self.workers.iter().filter(|(_, worker)| !worker.is_lost);
        let mut names: Vec<_> = present.map(|(name, _)| name.clone()).collect();
        names.sort_by_cached_key(|name| self.calls.signs.silence(name));
        names
    }

    /// Does something for each of some workers. One that is not reached is lost; unless that ends
    /// the run, the others go on.
    fn each(
        &mut self,
        names: Vec<String>,
        act: impl Fn(&mut Self, &str) -> Result<()>,
    ) -> Result<()> {
        for name in names {
            if self.workers.get(&name).is_none_or(|worker| worker.is_lost) {
                continue;
            }
            let Err(error) = act(self, &name) else { continue };
            let is_gone = error.code() == ResultCode::IPC_CONNECTION_FAILURE;
            let worker = self.workers.get_mut(&name).filter(|_| is_gone && self.policy != "stop");
            let Some(worker) = worker else { return Err(error) };
            worker.is_lost = true;
            self.say_lost(&error.to_string());
        }
        Ok(())
    }

    fn add(&mut self, info: WorkerInfo) {
        let before = self.workers.get(&info.name());
        let beats = info.beats() || before.is_some_and(|worker| worker.beats);
        let before = before.filter(|worker| worker.info.run == info.run);
        let was_active = before.is_some_and(|worker| worker.is_active);
        let was_started = before.is_some_and(|worker| worker.is_started);
        let was_running = before.is_some_and(|worker| worker.is_running);
        let was_held = before.is_some_and(|worker| worker.info.is_held);
        self.calls.signs.add(&info);
        let worker = Worker {
            beats,
            is_lost: false,
            is_active: was_active || !info.tells_activation || info.is_running,
            is_started: was_started || info.is_running || info.is_complete,
            is_running: was_running || info.is_running || info.is_complete,
            info: WorkerInfo { is_held: was_held || info.is_held, ..info },
        };
        self.workers.insert(worker.info.name(), worker);
    }

    fn alive(&mut self, info: WorkerInfo) -> bool {
        let is_replaced = self.is_replaced(&info);
        match self.workers.get_mut(&info.name()) {
            Some(worker) if worker.info.run == info.run && !is_replaced => {
                worker.beats = true;
                if !std::mem::take(&mut worker.is_lost) {
                    // What it said then may have been lost.
                    return info.is_ready && self.ready(&info);
                }
                tracing::info!("Worker {} is back", info.name());
                let started = if self.is_started { self.start_newcomers() } else { Ok(()) };
                self.checked(started) || self.ready(&info)
            }
            // This driver does not know it yet.
            _ => self.registered(info),
        }
    }

    fn active(&mut self, info: &WorkerInfo) -> bool {
        if let Some(worker) = self.workers.get_mut(&info.name()) {
            worker.is_active = true;
        }
        let run = self.run_if_active();
        self.checked(run)
    }

    /// Runs the segments once all of them are active: no message is sent before.
    fn run_if_active(&mut self) -> Result<()> {
        let mut waited_for = self.workers.values().filter(|worker| !worker.is_lost);
        if !self.is_activating || !waited_for.all(|worker| worker.is_active) {
            return Ok(());
        }
        self.is_activating = false;
        tracing::info!("All segments are active");
        self.each(self.present(), |driver, name| driver.run(name, true))?;
        self.start_if_ready()
    }

    /// Runs the segments of a worker that do not run yet. If it is held, their entities do not tick
    /// before those of all workers have started.
    fn run(&mut self, name: &str, is_held: bool) -> Result<()> {
        let Some(worker) = self.workers.get_mut(name) else { return Ok(()) };
        if std::mem::replace(&mut worker.is_running, true) {
            return Ok(());
        }
        worker.info.is_held = is_held && worker.info.can_wait;
        let body = if worker.info.is_held { HELD } else { PLACEHOLDER };
        self.request(name, "RunSegments", body).map(drop)
    }

    /// The entities of a worker have started, or not yet.
    fn ready(&mut self, info: &WorkerInfo) -> bool {
        if let Some(worker) = self.workers.get_mut(&info.name()) {
            worker.info.is_ready |= info.is_ready;
        }
        let started = self.start_if_ready();
        self.checked(started)
    }

    /// Lets the entities of all workers tick once all have started.
    fn start_if_ready(&mut self) -> Result<()> {
        let is_early = self.is_activating || self.workers.values().any(Worker::is_behind);
        if is_early || !self.holds() || !self.missing().is_empty() {
            return Ok(());
        }
        self.each(self.present(), |driver, name| {
            let worker = driver.workers.get_mut(name);
            match worker.is_some_and(|worker| std::mem::take(&mut worker.info.is_held)) {
                true => driver.order(name, START),
                false => Ok(()),
            }
        })
    }

    /// The segments of a worker are done, or some have failed.
    fn completed(&mut self, info: WorkerInfo) -> bool {
        let name = info.name();
        if self.is_replaced(&info) {
            return false;
        }
        let Some(worker) = self.workers.get_mut(&name) else { return self.not_loaded(info) };
        let known = std::mem::replace(&mut worker.info.failures, info.failures.clone());
        // Workers of GXF say no more than this.
        let is_over = info.is_complete || info.failures.is_empty();
        worker.is_lost = info.failures.contains_key("");
        worker.info.is_complete = is_over && !worker.is_lost;
        for (segment, text) in info.failures.iter().filter(|(one, _)| !known.contains_key(*one)) {
            let is_over = match segment.as_str() {
                "" => self.lost(info.lost(text)),
                _ => self.lost(failed(segment, &name, text)),
            };
            if is_over {
                return true;
            }
        }
        if !is_over {
            return false;
        }
        if self.policy == "wait" && !info.failures.is_empty() {
            return self.send_back(&info);
        }
        tracing::info!("Worker {name} is complete");
        let started = self.start_if_ready();
        self.checked(started) || self.end_if_complete()
    }

    /// A worker is done, but not all of its segments: it ends, so that it can be started again.
    fn send_back(&mut self, info: &WorkerInfo) -> bool {
        if let Some(worker) = self.workers.get_mut(&info.name()) {
            worker.is_lost = true;
            worker.info.is_complete = false;
        }
        self.send_home(info, "a segment of it has failed");
        false
    }

    /// A worker that never registered says what it could not load, and is gone.
    fn not_loaded(&mut self, info: WorkerInfo) -> bool {
        let (name, missing) = (info.name(), self.missing());
        let is_missing = info.segments().any(|one| missing.iter().any(|known| known == one));
        let failure = info.failures.first_key_value().filter(|_| is_missing);
        let Some(text) = failure.map(|(segment, text)| failed(segment, &name, text)) else {
            tracing::warn!("Worker {name} is complete, and this driver does not know it");
            return false;
        };
        if self.policy == "ignore" {
            self.add(info);
            if let Some(worker) = self.workers.get_mut(&name) {
                worker.is_lost = true;
            }
        }
        if self.lost(text) {
            return true;
        }
        let may_start = !self.is_started && self.missing().is_empty();
        let started = if may_start { self.start() } else { Ok(()) };
        self.checked(started)
    }

    fn end_if_complete(&mut self) -> bool {
        let may_be_lost = self.policy != "wait";
        let is_done = |worker: &Worker| worker.info.is_complete || (worker.is_lost && may_be_lost);
        let all = self.workers.values().all(is_done);
        if !all || !self.missing().is_empty() {
            return false;
        }
        let now = Instant::now();
        let since = *self.complete_since.get_or_insert(now);
        if self.applicants.waiting() > 0 && now.saturating_duration_since(since) < FAREWELL {
            // Workers that are left over ask soon, and must find somebody who sends them home.
            return false;
        }
        for action in ["DeactivateSegments", "DestroySegments", "StopWorker"] {
            for name in self.present() {
                if let Err(error) = self.request(&name, action, PLACEHOLDER) {
                    tracing::warn!("{error}");
                }
            }
        }
        self.events.end(self.failure.take().map_or(Ok(()), Err));
        true
    }

    /// A worker is lost, or a segment failed.
    fn lost(&mut self, text: String) -> bool {
        if self.policy == "stop" {
            return self.fail(text);
        }
        self.say_lost(&text);
        if self.policy == "wait" {
            return false;
        }
        let run = self.run_if_active().and_then(|()| self.start_if_ready());
        self.checked(run) || self.end_if_complete()
    }

    /// What the log says when that does not end the run.
    fn say_lost(&self, text: &str) {
        match self.policy.as_str() {
            "wait" => tracing::warn!("{text}; waiting for it to come back"),
            _ => tracing::warn!("{text}; going on without it"),
        }
    }

    fn checked(&mut self, result: Result<()>) -> bool {
        result.is_err_and(|error| self.fail(error.to_string()))
    }

    /// Ends everything with an error.
    fn fail(&mut self, text: String) -> bool {
        let are_told = self.end_workers(&text);
        self.events.end(Err(Error::failure(text)));
        if !are_told && let Some(context) = &self.context {
            // One of them may be in this graph, which would wait for it, and it for another driver.
            _ = context.interrupt();
        }
        true
    }

    /// Ends the links of all segments if nothing can happen any more; see `rest.rs`.
    fn end_if_over(&mut self, now: Instant) {
        self.next_question = Some(now + self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        let segments = match self.segments_at_rest() {
            Ok(Some(segments)) => segments,
            Ok(None) => return,
            Err(error) => return tracing::debug!("{error}"),
        };
        self.next_question = None;
        let problem = deadlock(&segments).or_else(|| never_sent(&segments, &self.connections));
        if let Some(text) = problem {
            tracing::warn!("{text}");
        }
        tracing::info!("All segments rest, and nothing is under way: their links end");
        for name in self.present() {
            if let Err(error) = self.request(&name, END_LINKS, PLACEHOLDER) {
                tracing::warn!("{error}");
            }
        }
    }

    /// What the segments answered if none of them can execute an entity any more.
    fn segments_at_rest(&self) -> Result<Option<Vec<SegmentRest>>> {
        if self.is_activating || self.holds() || !self.missing().is_empty() {
            return Ok(None);
        }
        let mut segments: Vec<SegmentRest> = Vec::new();
        for worker in self.workers.values() {
            if worker.is_lost || !worker.info.tells_rest {
                return Ok(None);
            }
            let answer = self.calls.question(&worker.info, REST, PLACEHOLDER)?;
            segments.extend(rest_of(&answer)?);
            if segments.last().is_some_and(|segment| segment.links.is_none()) {
                return Ok(None);
            }
        }
        Ok(is_over(&segments).then_some(segments))
    }

    /// Asks all workers to end, because of `reason`. Returns whether all of them were reached.
    fn end_workers(&mut self, reason: &str) -> bool {
        let body = format!("failed: {reason}");
        let mut are_told = self.workers.values().all(|worker| !worker.is_lost);
        for name in self.present() {
            if let Err(error) = self.request(&name, "StopWorker", &body) {
                tracing::debug!("{error}");
                are_told = false;
            }
        }
        are_told
    }

    fn start(&mut self) -> Result<()> {
        self.is_started = true;
        self.each(self.present(), |driver, name| driver.send_addresses(name))?;
        self.is_activating = true;
        self.each(self.present(), Self::activate)?;
        self.run_if_active()
    }

    fn activate(&mut self, name: &str) -> Result<()> {
        self.order(name, "ActivateSegments")?;
        if let Some(worker) = self.workers.get_mut(name) {
            worker.is_started = true;
        }
        Ok(())
    }

    /// Tells the transmitters of a worker where their receivers are, and its receivers which
    /// transmitters they are for.
    fn send_addresses(&self, name: &str) -> Result<()> {
        let Some(worker) = self.workers.get(name) else { return Ok(()) };
        let is_of = |end: &str| worker.info.segments().any(|known| known == segment_of(end));
        // A worker of GXF knows no such parameter, and no signs of life.
        let is_own = worker.info.heartbeat_period_ms > 0;
        let mut components = Vec::new();
        for connection in &self.connections {
            let param = |key: &str, value: &str, value_type: &str| Param {
                key: key.to_owned(),
                value: value.to_owned(),
                value_type: value_type.to_owned(),
            };
            if is_own && is_of(&connection.target) {
                components.push(ComponentParams {
                    name: connection.target.clone(),
                    params: vec![param("transmitter", &connection.source, "String")],
                });
            }
            if !is_of(&connection.source) {
                continue;
            }
            let address = match self.address(&connection.target) {
                // Nobody listens there: the transmitter's own attempts decide.
                Err(_) if self.was_lost_before_it_listened(&connection.target) => continue,
                address => address?,
            };
            let (ip, port) = address.rsplit_once(':').ok_or_else(|| {
                Error::failure(format!("`{address}` is no address of `{}`", connection.target))
            })?;
            components.push(ComponentParams {
                name: connection.source.clone(),
                params: vec![
                    param("receiver_address", ip.trim_matches(['[', ']']), "String"),
                    param("port", port, "UInt32"),
                ],
            });
        }
        self.request(name, "SetComponentParams", &to_json(&components)).map(drop)
    }

    /// Whether the segment of a receiver could not be loaded, and the run goes on without it.
    fn was_lost_before_it_listened(&self, receiver: &str) -> bool {
        let lost = self.workers.values().filter(|worker| worker.is_lost);
        lost.flat_map(|worker| worker.info.segments()).any(|one| one == segment_of(receiver))
    }

    /// Where a receiver listens.
    fn address(&self, receiver: &str) -> Result<&String> {
        let mut segments = self.workers.values().flat_map(|worker| &worker.info.segment_info_list);
        let address = segments.find_map(|segment| segment.ip_port_address_map.get(receiver));
        address.ok_or_else(|| {
            let all = self.workers.values().flat_map(|worker| &worker.info.segment_info_list);
            let all: Vec<&str> = all
                .flat_map(|segment| segment.ip_port_address_map.keys().map(String::as_str))
                .collect();
            let hint = gxf_app::suggest::did_you_mean(receiver, all.iter().copied());
            Error::failure(format!("no segment has the receiver `{receiver}`{hint}"))
        })
    }

    /// Sends a request that says nothing more.
    fn order(&self, name: &str, action: &str) -> Result<()> {
        self.request(name, action, PLACEHOLDER).map(drop)
    }

    /// Sends a request to a worker, and returns its answer.
    fn request(&self, name: &str, action: &str, body: &str) -> Result<String> {
        let Some(worker) = self.workers.get(name) else { return Ok(String::new()) };
        self.calls.action(&worker.info, worker.beats, action, body)
    }
}

/// What people are told when a segment has failed.
fn failed(segment: &str, worker: &str, text: &str) -> String {
    format!("segment {segment} of worker {worker} failed: {text}")
}

/// Reads a worker's answer.
fn rest_of(json: &str) -> Result<Vec<SegmentRest>> {
    serde_json::from_str(json).map_err(|error| {
        let text = format!("a worker's answer to {REST} cannot be read: {error}");
        Error::new(ResultCode::INVALID_DATA_FORMAT, text)
    })
}
