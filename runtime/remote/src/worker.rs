//! `GraphWorker`.

use crate::address::{self, is_any, is_open, towards};
use crate::calls;
use crate::configuration::{SegmentFiles, segment_of, segments};
use crate::event_loop::{self, Events, Handler, Running};
use crate::listeners::workers_and_drivers;
use crate::protocol::{
    ACTIVE, COMPLETE, ComponentParams, DRIVER, END_LINKS, HEARTBEAT, HELD, READY, REGISTER, REST,
    START, SegmentInfo, WAITS, WORKER, WorkerInfo, component_params, no_action, to_json,
};
use crate::rest::SegmentRest;
use crate::segment::{Order, Report, Segment, file_name};
use gxf::prelude::*;
use gxf::{Event as EntityEvent, IpcClient, IpcServer, IpcService, Uid, Yaml};
use gxf_app::ParameterValue;
use gxf_runtime::Context;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// Loads segments, registers them with a driver, and runs them when it says so.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct GraphWorker {
    /// The segments: a map from names to `{app-path, manifest-path, severity, param-path}`. Paths
    /// are relative to the folder of `--app-root`. Their log has the severity of the program. Programs
    /// that compose segments name the address of each as `{context}`.
    #[parameter(key = "graph-specs", headline = "Graph specifications")]
    graph_specs: Parameter<Option<Yaml>>,
    /// How often to try to reach the driver: after 1, 2, 3, … seconds.
    #[parameter(
        key = "driver-reconnection-times",
        headline = "Driver reconnection times",
        default = 3
    )]
    driver_reconnection_times: Parameter<i64>,
    /// Receives the requests of the driver.
    #[parameter(headline = "Server")]
    server: Parameter<Handle<IpcServer>>,
    /// Sends requests to the driver.
    #[parameter(headline = "Client")]
    client: Parameter<Handle<IpcClient>>,
    /// Address or name at which other hosts reach this worker, and the receivers of its segments that
    /// listen at all addresses; without it, the address that leads to the driver. Not a parameter of
    /// GXF.
    #[parameter(headline = "Own address")]
    own_address: Parameter<Option<String>>,
    /// Time between two signs of life, in milliseconds; 0 for none. Not a parameter of GXF.
    #[parameter(headline = "Heartbeat period", unit = "ms", default = 1000)]
    heartbeat_period_ms: Parameter<u64>,
    /// File with the token of those `UcxContext`s of the segments that name none. Not a parameter of
    /// GXF.
    #[parameter(headline = "Token file")]
    token_file: Parameter<Option<String>>,
    /// Folder with the certificates of those `UcxContext`s of the segments that name none. Not a
    /// parameter of GXF.
    #[parameter(headline = "TLS directory")]
    tls_directory: Parameter<Option<String>>,
    /// Name of the action that loads segments.
    #[parameter(key = "initialize-segments-uri", default = "InitializeSegments")]
    initialize_segments_uri: Parameter<String>,
    /// Name of the action that sets parameters.
    #[parameter(key = "set-component-params-uri", default = "SetComponentParams")]
    set_component_params_uri: Parameter<String>,
    /// Name of the action that activates segments.
    #[parameter(key = "activate-segments-uri", default = "ActivateSegments")]
    activate_segments_uri: Parameter<String>,
    /// Name of the action that runs segments.
    #[parameter(key = "run-segments-uri", default = "RunSegments")]
    run_segments_uri: Parameter<String>,
    /// Name of the action that deactivates segments.
    #[parameter(key = "deactivate-segments-uri", default = "DeactivateSegments")]
    deactivate_segments_uri: Parameter<String>,
    /// Name of the action that destroys segments.
    #[parameter(key = "destroy-segments-uri", default = "DestroySegments")]
    destroy_segments_uri: Parameter<String>,
    /// Name of the action that ends the worker.
    #[parameter(key = "stop-worker-uri", default = "StopWorker")]
    stop_worker_uri: Parameter<String>,
    context: Mutex<Option<gxf::ContextHandle>>,
    running: Mutex<Option<Running<Event>>>,
}

enum Event {
    /// Load the segments that are not loaded.
    Initialize,
    /// Contact the driver.
    Contact,
    Set(Vec<ComponentParams>),
    Activate,
    /// Run; whether the entities wait for [`Event::Start`] before they tick.
    Run(bool),
    Start,
    Deactivate,
    Destroy,
    /// Say which segments rest.
    Rest(Sender<String>),
    /// Nothing more comes over the links of the segments.
    EndLinks,
    /// The driver ends the worker; with a reason unless all is well.
    End(Option<String>),
    Report(Report),
    /// The program ends the worker.
    Stop,
}

/// From the body of a request to its event.
type Read = fn(&str) -> Result<Event>;

impl Lifecycle for GraphWorker {
    fn check_parameters(&self) -> Result<()> {
        self.actions()?;
        if let Some(own) = self.own_address.get()
            && own.parse::<IpAddr>().is_err()
            && own.contains(|one: char| ":/[]".contains(one) || one.is_whitespace())
        {
            let text = format!(
                "`own_address` is `{own}`, and must be an address or a name, without a port"
            );
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        let specs = self.graph_specs.get();
        if specs.as_ref().map_or(Ok(Vec::new()), segments)?.is_empty() {
            let text = "`graph-specs` names no segment, so nothing would run";
            return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
        }
        Ok(())
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

impl GraphWorker {
    /// The actions of GXF by their names, of which drivers of gxe use the standard ones.
    fn actions(&self) -> Result<BTreeMap<String, Read>> {
        let all: [(&str, &Parameter<String>, &str, Read); 7] = [
            (
                "initialize-segments-uri",
                &self.initialize_segments_uri,
                "InitializeSegments",
                |_| Ok(Event::Initialize),
            ),
            (
                "set-component-params-uri",
                &self.set_component_params_uri,
                "SetComponentParams",
                |body| component_params(body).map(Event::Set),
            ),
            ("activate-segments-uri", &self.activate_segments_uri, "ActivateSegments", |_| {
                Ok(Event::Activate)
            }),
            ("run-segments-uri", &self.run_segments_uri, "RunSegments", |body| {
                Ok(Event::Run(body == HELD))
            }),
            (
                "deactivate-segments-uri",
                &self.deactivate_segments_uri,
                "DeactivateSegments",
                |_| Ok(Event::Deactivate),
            ),
            ("destroy-segments-uri", &self.destroy_segments_uri, "DestroySegments", |_| {
                Ok(Event::Destroy)
            }),
            ("stop-worker-uri", &self.stop_worker_uri, "StopWorker", |body| {
                Ok(Event::End(body.strip_prefix("failed: ").map(str::to_owned)))
            }),
        ];
        let mut actions: BTreeMap<String, Read> = BTreeMap::new();
        let own: [(&str, Read); 2] =
            [(END_LINKS, |_| Ok(Event::EndLinks)), (START, |_| Ok(Event::Start))];
        actions.extend(own.map(|(name, read)| (name.to_owned(), read)));
        for (_, _, standard, read) in all {
            actions.insert(standard.to_owned(), read);
        }
        for (key, name, standard, read) in all {
            let name = name.get();
            let is_taken = name != standard && actions.contains_key(name);
            if is_taken
                || name.is_empty()
                || name.contains(|one: char| one == '/' || one.is_whitespace())
            {
                let text = format!(
                    "`{key}` is `{name}`, and must be a name without `/` and spaces that no other \
                     action has"
                );
                return Err(Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text));
            }
            actions.insert(name.clone(), read);
        }
        Ok(actions)
    }
}

/// Longest time that a worker waits for an answer of its driver, and if it is to end meanwhile: its
/// thread does nothing else.
const CALL_TIME: Duration = Duration::from_secs(5);
const LAST_CALL_TIME: Duration = Duration::from_millis(500);

/// Longest time that a worker thinks about whether its segments rest. The driver's thread waits for the
/// answer, and asks again if the worker is busy.
const ANSWER_TIME: Duration = Duration::from_millis(200);

/// Which segments rest, as JSON.
fn rest(events: &Events<Event>) -> Result<String> {
    let (sender, answer) = channel();
    events.post(Event::Rest(sender))?;
    answer.recv_timeout(ANSWER_TIME).map_err(|_| Error::failure("the worker is busy"))
}

/// Refuses a server of several workers: the driver tells them apart by its address.
fn serves_alone(context: &Context, server: Uid) -> Result<()> {
    let [workers, _] = workers_and_drivers(context);
    let served = workers.into_iter().filter(|worker| {
        context.parameter(*worker, "server").is_ok_and(|it| it == ParameterValue::Component(server))
    });
    match served.count() {
        0 | 1 => Ok(()),
        count => {
            let name = context.component_name(server).unwrap_or_default();
            let text = format!("{count} GraphWorkers have the server `{name}`; each needs its own");
            Err(Error::new(ResultCode::ARGUMENT_INVALID, text))
        }
    }
}

impl implement::System for GraphWorker {
    fn schedule(&self, _eid: Uid) -> Result<()> {
        Ok(())
    }

    fn unschedule(&self, _eid: Uid) -> Result<()> {
        Ok(())
    }

    fn run_async(&self) -> Result<()> {
        let handle = self.context.lock().clone().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let parent = Context::from_raw(handle.as_raw())?;
        let files = self.graph_specs.get().as_ref().map_or(Ok(Vec::new()), segments)?;
        let (server, client) = (self.server.cid(), self.client.cid());
        serves_alone(&parent, server)?;
        let driver = address::text(&parent, client, "server_ip_address").unwrap_or_default();
        let driver_port = address::number(&parent, client, "port").unwrap_or_default();
        let is_reachable =
            address::flag(&parent, server, "remote_access") && is_open(&parent, server);
        let events: Events<Event> = Events::new();
        // 1. Services. The server listens already.
        let (actions, queue) = (self.actions()?, events.clone());
        let service = IpcService::new(move |action, body| {
            if action == REST {
                return rest(&queue);
            }
            let event = actions.get(action).ok_or_else(|| no_action("worker", action))?;
            queue.post(event(body)?).map(|()| String::new())
        });
        self.server.register_service(WORKER, true, service)?;
        // 2. The thread. 3. Load the segments. 4. Contact the driver.
        events.post_own(Event::Initialize);
        events.post_own(Event::Contact);
        let worker = Worker {
            parent,
            files,
            access: [
                ("token_file", self.token_file.get().clone()),
                ("tls_directory", self.tls_directory.get().clone()),
            ],
            client: self.client.get().clone(),
            own: self.own_address.get().clone().filter(|own| !is_any(own)),
            is_reachable,
            info: WorkerInfo {
                server_ip_address: IpAddr::V4(Ipv4Addr::LOCALHOST).to_string(),
                server_port: address::number(&Context::from_raw(handle.as_raw())?, server, "port")
                    .unwrap_or_default()
                    .to_string(),
                segment_info_list: Vec::new(),
                run: RandomState::new().build_hasher().finish(),
                heartbeat_period_ms: *self.heartbeat_period_ms.get(),
                tells_activation: true,
                tells_rest: true,
                is_running: false,
                can_wait: true,
                is_held: false,
                is_ready: false,
                is_complete: false,
                failures: BTreeMap::new(),
            },
            driver: address::authority(&driver, driver_port),
            driver_address: (driver, u32::try_from(driver_port).unwrap_or_default()),
            retries: u64::try_from(*self.driver_reconnection_times.get()).unwrap_or(u64::MAX),
            period: Duration::from_millis(*self.heartbeat_period_ms.get()),
            segments: Vec::new(),
            is_activated: false,
            active: BTreeSet::new(),
            ready: BTreeSet::new(),
            ended: BTreeSet::new(),
            attempts: 0,
            next_contact: None,
            next_beat: None,
            missed_beats: 0,
            refused_beats: 0,
            is_registered: false,
            is_waited_for: false,
            is_loaded: true,
            events: events.clone(),
        };
        let running = event_loop::start("graph worker", events.clone(), worker)?;
        *self.running.lock() = Some(running);
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

struct Worker {
    parent: Context,
    files: Vec<SegmentFiles>,
    /// Parameters of the segments' `UcxContext`s.
    access: [(&'static str, Option<String>); 2],
    client: Handle<IpcClient>,
    /// At which address other hosts reach it, if somebody said so.
    own: Option<String>,
    /// Whether they do.
    is_reachable: bool,
    info: WorkerInfo,
    /// Address of the driver, for people.
    driver: String,
    driver_address: (String, u32),
    retries: u64,
    period: Duration,
    segments: Vec<Segment>,
    /// Whether a driver has said that they become active.
    is_activated: bool,
    /// Segments that are active.
    active: BTreeSet<String>,
    /// Segments whose entities have started.
    ready: BTreeSet<String>,
    /// Segments whose run is over.
    ended: BTreeSet<String>,
    attempts: u64,
    next_contact: Option<Instant>,
    next_beat: Option<Instant>,
    /// Signs of life since the last one that the driver took, and how many of them got an answer.
    missed_beats: u64,
    refused_beats: u64,
    is_registered: bool,
    /// Whether the driver waits for this worker if it is lost.
    is_waited_for: bool,
    /// Whether no segment failed to load.
    is_loaded: bool,
    events: Events<Event>,
}

impl Handler<Event> for Worker {
    fn handle(&mut self, event: Event) -> bool {
        let done = match event {
            Event::Initialize => {
                if let Err((segment, error)) = self.initialize() {
                    self.not_loaded(segment, &error);
                }
                Ok(())
            }
            Event::Contact => return self.contact(Instant::now()),
            Event::Set(components) => self.set(&components),
            Event::Activate => {
                // A new driver may repeat what the one before it said.
                if !std::mem::replace(&mut self.is_activated, true) {
                    self.order(Order::Activate);
                } else if self.active.len() == self.segments.len() {
                    self.tell(ACTIVE);
                }
                Ok(())
            }
            Event::Run(held) => {
                if !std::mem::replace(&mut self.info.is_running, true) {
                    self.info.is_held = held;
                    // One that did not become active has failed already.
                    let rest = self.segments.iter().filter(|one| !self.ended.contains(&one.name));
                    for segment in rest {
                        if held {
                            segment.hold();
                        }
                        segment.order(Order::Run);
                    }
                }
                Ok(())
            }
            Event::Start => {
                self.info.is_held = false;
                self.segments.iter().for_each(|segment| segment.context.open_start());
                Ok(())
            }
            Event::Deactivate => {
                self.is_activated = false;
                self.active.clear();
                self.ready.clear();
                self.info.is_running = false;
                (self.info.is_held, self.info.is_ready) = (false, false);
                self.order(Order::Deactivate);
                Ok(())
            }
            Event::Destroy => {
                self.segments.clear();
                Ok(())
            }
            Event::Rest(answer) => {
                let segments = self.segments.iter();
                let all = segments.map(|one| SegmentRest::new(&one.name, one.context.rest()));
                // Whoever asked may have given up.
                _ = answer.send(to_json(&all.collect::<Vec<_>>()));
                Ok(())
            }
            Event::EndLinks => self.segments.iter().try_for_each(|segment| {
                let ended = segment.context.end_links();
                ended.map_err(|error| (segment.name.clone(), Error::from(error)))
            }),
            Event::End(None) => {
                self.segments.clear();
                self.events.end(self.own_failure().map_or(Ok(()), Err));
                return true;
            }
            Event::End(Some(reason)) => {
                let text = format!("the driver at {} ended this worker: {reason}", self.driver);
                return self.fail(Error::failure(text));
            }
            Event::Stop => {
                if self.is_waited_for && !self.info.is_complete {
                    // The other ends wait for this worker to come back, too.
                    self.segments.iter().for_each(|segment| segment.context.break_links());
                }
                self.interrupt();
                self.tell_stop();
                self.segments.clear();
                self.events.end(Ok(()));
                return true;
            }
            Event::Report(report) => return self.report(report),
        };
        let failed = |(segment, error): Of| Report::Failed(segment, error.to_string());
        done.is_err_and(|of| self.report(failed(of)))
    }

    fn look(&mut self, now: Instant) -> bool {
        if self.next_contact.is_some_and(|at| at <= now) && self.contact(now) {
            return true;
        }
        if self.next_beat.is_some_and(|at| at <= now) {
            self.beat(now);
        }
        false
    }
}

/// An error of a segment, with its name.
type Of = (String, Error);

impl Worker {
    fn initialize(&mut self) -> std::result::Result<(), Of> {
        for files in &self.files {
            if self.segments.iter().any(|segment| segment.name == files.name) {
                continue;
            }
            let events = self.events.clone();
            let report = move |report| events.post_own(Event::Report(report));
            if files.context.is_none() {
                tracing::info!("Loading segment {} from {}", files.name, file_name(&files.app));
            }
            let of = |error| (files.name.clone(), error);
            let segment = Segment::load(files, &self.parent, report).map_err(of)?;
            for (key, value) in &self.access {
                if let Some(value) = value {
                    segment.set_network(key, value).map_err(of)?;
                }
            }
            segment.set_network("segment", &files.name).map_err(of)?;
            self.segments.push(segment);
        }
        Ok(())
    }

    /// Finds out where this worker and its receivers are reached, before the driver is told.
    fn find_place(&mut self) -> gxf::Result<()> {
        let own = match &self.own {
            Some(own) => own.clone(),
            None => self.towards_driver()?.to_string(),
        };
        if self.is_loaded {
            self.info.segment_info_list =
                self.segments.iter().map(|segment| segment.info(&own)).collect();
        }
        if self.is_reachable {
            self.info.server_ip_address = own;
        }
        Ok(())
    }

    /// The address of this host towards the driver's. A name may take its time.
    fn towards_driver(&self) -> gxf::Result<IpAddr> {
        let (begin, (host, _)) = (Instant::now(), self.driver_address.clone());
        let (sender, found) = channel();
        let thread = std::thread::Builder::new().name("names".to_owned());
        thread.spawn(move || sender.send(towards(&host)))?;
        let failed = |problem: &dyn std::fmt::Display| {
            let text = format!("{}: {problem}", self.driver);
            Error::new(ResultCode::IPC_CONNECTION_FAILURE, text)
        };
        loop {
            match found.recv_timeout(calls::PERIOD) {
                Ok(own) => return own.map_err(|error| failed(&error)),
                Err(RecvTimeoutError::Timeout) if !self.gives_up(begin) => {}
                Err(_) => return Err(failed(&"its name is not found in time")),
            }
        }
    }

    /// A segment cannot be loaded. The driver hears it instead of a registration, as soon as it is
    /// reached: it may have to be waited for.
    fn not_loaded(&mut self, segment: String, error: &Error) {
        let unknown = |files: &SegmentFiles| SegmentInfo {
            segment_name: files.name.clone(),
            ip_port_address_map: BTreeMap::new(),
        };
        self.info.segment_info_list = self.files.iter().map(unknown).collect();
        self.info.failures.insert(segment, error.to_string());
        self.info.is_complete = true;
        self.is_loaded = false;
    }

    fn order(&self, order: Order) {
        self.segments.iter().for_each(|segment| segment.order(order));
    }

    fn set(&self, components: &[ComponentParams]) -> std::result::Result<(), Of> {
        for component in components {
            let name = segment_of(&component.name);
            let of = |error| (name.to_owned(), error);
            let segment = self.segments.iter().find(|segment| segment.name == name);
            let segment = segment.ok_or_else(|| {
                of(Error::failure("the driver names this segment, which is not here"))
            })?;
            segment.set(component).map_err(of)?;
        }
        Ok(())
    }

    /// Calls the driver.
    fn call(&self, action: &str) -> gxf::Result<String> {
        let (begin, info, (host, port)) =
            (Instant::now(), to_json(&self.info), &self.driver_address);
        let (client, is_late) = (&self.client, || self.gives_up(begin));
        calls::within(client, (host, *port), is_late, || client.action(DRIVER, action, &info))
    }

    /// Whether to wait no longer for what began then.
    fn gives_up(&self, begin: Instant) -> bool {
        let age = begin.elapsed();
        age >= CALL_TIME || (age >= LAST_CALL_TIME && self.events.stops())
    }

    /// Registers, or says that all is done or what failed. Returns whether it is over.
    fn contact(&mut self, now: Instant) -> bool {
        self.next_contact = None;
        let is_new = !self.info.is_complete && self.info.failures.is_empty();
        // Each time: the network, or the driver's name, may come later than this process.
        let placed = if self.is_registered { Ok(()) } else { self.find_place() };
        match placed.and_then(|()| self.call(if is_new { REGISTER } else { COMPLETE })) {
            Ok(answer) => {
                if let Some(error) = self.own_failure().filter(|_| !self.is_loaded) {
                    return self.fail(error);
                }
                if !self.is_registered {
                    tracing::info!("Registered with the driver at {}", self.driver);
                }
                self.is_registered = true;
                self.is_waited_for |= answer == WAITS;
                self.attempts = 0;
                self.next_beat = (!self.period.is_zero()).then(|| now + self.period);
                false
            }
            Err(error) => self.not_reached(now, &error),
        }
    }

    fn not_reached(&mut self, now: Instant, error: &Error) -> bool {
        self.attempts += 1;
        if self.attempts > self.retries {
            let (driver, count) = (&self.driver, self.attempts);
            let text =
                format!("the driver at {driver} was not reached in {count} attempts: {error}");
            return self.fail(Error::new(ResultCode::IPC_CONNECTION_FAILURE, text));
        }
        if let Some(error) = self.own_failure().filter(|_| self.attempts == 1 && !self.is_loaded) {
            tracing::error!("{error}");
        }
        let pause = Duration::from_secs(self.attempts);
        let seconds = pause.as_secs();
        let driver = &self.driver;
        // An answer is a refusal, which waiting alone does not mend.
        match error.code() == ResultCode::IPC_CALL_FAILURE {
            true => tracing::warn!(
                "The driver at {driver} refuses this worker ({error}); trying again in {seconds} s"
            ),
            false => tracing::info!(
                "The driver at {driver} was not reached ({error}); trying again in {seconds} s"
            ),
        }
        self.next_contact = Some(now + pause);
        false
    }

    fn beat(&mut self, now: Instant) {
        self.next_beat = Some(now + self.period);
        match self.call(HEARTBEAT) {
            Ok(_) => {
                if self.missed_beats > 0 {
                    tracing::info!("The driver at {} is back", self.driver);
                }
                (self.missed_beats, self.refused_beats) = (0, 0);
            }
            Err(error) => {
                let driver = &self.driver;
                let goes_on = match self.info.is_running && !self.info.is_held {
                    true => "the segments go on",
                    false => "the worker waits for a driver",
                };
                // An answer is no reason to stop: what answers may be another program, whose port
                // the next driver will have.
                if error.code() == ResultCode::IPC_CALL_FAILURE {
                    if self.refused_beats == 0 {
                        tracing::warn!(
                            "The driver at {driver} refuses a sign of life ({error}); {goes_on} (a \
                             driver of GXF knows no signs of life: `heartbeat_period_ms: 0` sends none)"
                        );
                    }
                    self.refused_beats += 1;
                } else if self.missed_beats == self.refused_beats {
                    tracing::warn!(
                        "The driver at {driver} gives no sign of life ({error}); {goes_on}"
                    );
                }
                self.missed_beats += 1;
            }
        }
    }

    /// Something has happened in a segment. Returns whether all is over.
    fn report(&mut self, report: Report) -> bool {
        let (name, has_failed) = match report {
            Report::Activated(name) => {
                self.activated(name);
                return false;
            }
            Report::Ready(name) => {
                self.ready.insert(name);
                self.tell_if_ready();
                return false;
            }
            Report::Ended(name) => {
                tracing::info!("Segment {name} has ended");
                (name, false)
            }
            Report::Failed(name, text) => {
                tracing::error!("Segment {name} failed: {text}");
                let is_new = !self.info.failures.contains_key(&name);
                self.info.failures.entry(name.clone()).or_insert(text);
                (name, is_new)
            }
        };
        self.ended.insert(name.clone());
        // Those that did not fail go on, unless the driver says otherwise.
        let all = self.segments.iter().all(|segment| self.ended.contains(&segment.name));
        let was_complete = std::mem::replace(&mut self.info.is_complete, all);
        if !was_complete && (all || has_failed) && self.contact(Instant::now()) {
            return true;
        }
        // The others need not wait for it to become active, nor for its entities to start.
        if self.info.is_running {
            self.tell_if_ready();
        } else if has_failed {
            self.activated(name);
        }
        false
    }

    /// A segment is active.
    fn activated(&mut self, name: String) {
        self.active.insert(name);
        if self.active.len() == self.segments.len() {
            self.tell(ACTIVE);
        }
    }

    /// Tells the driver when there is no segment any more whose entities may yet start.
    fn tell_if_ready(&mut self) {
        let Self { segments, ready, ended, info, .. } = self;
        let mut segments = segments.iter().map(|segment| &segment.name);
        info.is_ready = segments.all(|name| ready.contains(name) || ended.contains(name));
        if self.info.is_held && self.info.is_ready {
            self.tell(READY);
        }
    }

    /// Tells the driver how far the segments are. A driver of GXF does not wait for it, and one that
    /// is gone does not start anything.
    fn tell(&self, action: &str) {
        if let Err(error) = self.call(action) {
            tracing::debug!("the driver does not hear {action}: {error}");
        }
    }

    /// Tells a driver that counts on this worker that the program ends it.
    fn tell_stop(&mut self) {
        if !self.is_registered || self.info.is_complete || self.missed_beats > 0 {
            return;
        }
        self.info.failures.insert(String::new(), "it was stopped".to_owned());
        if let Err(error) = self.call(COMPLETE) {
            // It may have been stopped, too.
            tracing::debug!("the driver does not hear that this worker was stopped: {error}");
        }
    }

    fn interrupt(&self) {
        self.segments.iter().for_each(Segment::interrupt);
    }

    fn fail(&mut self, error: Error) -> bool {
        // What is under way is of no use any more, and who should take it may be what is lost.
        self.segments.iter().for_each(|segment| segment.context.break_links());
        self.interrupt();
        self.segments.clear();
        // What failed here comes first.
        self.events.end(Err(self.own_failure().unwrap_or(error)));
        // A driver in this process would wait for the worker.
        _ = self.parent.interrupt();
        true
    }

    /// The failure of a segment, if there is one.
    fn own_failure(&self) -> Option<Error> {
        let (segment, text) = self.info.failures.first_key_value()?;
        Some(Error::failure(format!("segment {segment} failed: {text}")))
    }
}
