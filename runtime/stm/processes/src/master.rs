//! The master of several processes: waits for their clients, releases frames, changes schedules, and
//! notices who is gone.

use crate::connection::{Event, accept, answer};
use crate::execution::Substitute;
use crate::hyperepoch::{Counts, Ended, Manner, Running, Wishes, named};
use crate::layout::{CLOSED, Layout, Schedule};
use crate::log::RunLog;
use crate::message::{Answer, Request, send};
use crate::segment::Segment;
use crate::worker::Worker;
use crate::{Failure, lock, now};
use gxf_stm::status::Status;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::fs::File;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often the master looks whether it is to stop.
const PERIOD: Duration = Duration::from_millis(20);
/// How long a stop may take.
const LONGEST_STOP: Duration = Duration::from_secs(10);

/// What a master does.
pub struct Options {
    /// Where clients connect.
    pub listener: UnixListener,
    /// The schedules: names for messages, and texts. Without a manager, the first one runs.
    pub schedules: Vec<(String, String)>,
    /// The schedule manager, which starts and stops schedules; `None` starts the first at once.
    pub manager: Option<String>,
    /// Frames that cannot start on time are skipped.
    pub skips: bool,
    /// The longest time from the start of a frame to its end; `None` for any.
    pub fence_timeout: Option<Duration>,
    /// Whether the others go on without a client that died, failed or left.
    pub goes_on: bool,
    /// The file of the log, and how many executions of each worker and frames of each hyperepoch it
    /// keeps.
    pub log: Option<(File, usize)>,
}

/// A hyperepoch that runs, and may change over.
struct Part {
    wishes: Wishes,
    /// Schedule and hyperepoch.
    current: Mutex<(usize, usize)>,
    next: Mutex<Option<(usize, usize)>>,
    has_rolled_over: AtomicBool,
    is_over: AtomicBool,
}

/// A client that is there.
struct Peer {
    client: usize,
    process: u32,
    has_entered: bool,
    /// Changes of schedules that were announced to it and for which it is not ready.
    announced: usize,
}

struct Shared {
    layout: Layout,
    segment: Arc<Segment>,
    manner: Manner,
    /// By schedule, hyperepoch and epoch.
    counts: Vec<Vec<Vec<Counts>>>,
    log: Option<RunLog>,
}

/// The answer to a request, or why it is refused.
type Reply = Result<(), (Status, String)>;

/// How a client goes.
enum Going {
    Died,
    Left,
    /// Its own failure, and why.
    Failed(String),
}

/// What is asked of the schedules and not done yet.
enum Change {
    /// All stops; who is to know it.
    Stop(Option<usize>),
    /// Another schedule follows, `start`. Each hyperepoch has its follower in it, once no client is
    /// being waited for. When it was announced to them.
    RollOver {
        peer: usize,
        start: usize,
        followers: Vec<(usize, usize)>,
        clients: Vec<usize>,
        announced: Instant,
    },
}

struct Master<'a> {
    shared: Arc<Shared>,
    manager_name: Option<String>,
    goes_on: bool,
    say: &'a dyn Fn(&str),
    events: Sender<Event>,
    streams: FxHashMap<usize, UnixStream>,
    peers: FxHashMap<usize, Peer>,
    manager: Option<usize>,
    /// Clients without which the others go on.
    replaced: Vec<bool>,
    has_begun: bool,
    /// A client left, and the others do not go on without it.
    has_ended: bool,
    /// The schedule that runs.
    running: Option<usize>,
    parts: Vec<Arc<Part>>,
    change: Option<Change>,
}

/// Serves clients until `stops` says so.
///
/// # Errors
/// A schedule cannot be executed; a client died or failed, unless the others go on; a frame takes too
/// long.
pub fn run(options: Options, say: &dyn Fn(&str), stops: &dyn Fn() -> bool) -> Result<(), Failure> {
    let Options { listener, schedules, manager, skips, fence_timeout, goes_on, log } = options;
    let layout = Layout::new(&schedules)?;
    let no_memory = |error: std::io::Error| {
        Failure::new(Status::InsufficientMemory, format!("no shared memory: {error}"))
    };
    let log_limit = log.as_ref().map_or(0, |(_, limit)| *limit);
    let log = log.map(|(file, limit)| RunLog::new(file, limit));
    let segment = Arc::new(Segment::create(layout.size(log_limit)).map_err(no_memory)?);
    let (events, received) = channel();
    {
        let schedules = Arc::new(Answer::Schedules { texts: schedules, log_limit });
        let (segment, events) = (segment.clone(), events.clone());
        let accepting = move || accept(&listener, &segment, &schedules, &events);
        std::thread::Builder::new()
            .name("stm-accept".to_owned())
            .spawn(accepting)
            .map_err(no_memory)?;
    }
    let counts = |schedule: &Schedule| {
        let of_hyperepoch = |hyperepoch: &crate::layout::Hyperepoch| {
            hyperepoch.epochs.iter().map(|_| Counts::default()).collect()
        };
        schedule.hyperepochs.iter().map(of_hyperepoch).collect()
    };
    let counts = layout.schedules.iter().map(counts).collect();
    let replaced = vec![false; layout.clients.len()];
    let manner = Manner { skips, fence_timeout };
    let mut master = Master {
        shared: Arc::new(Shared { layout, segment, manner, counts, log }),
        manager_name: manager,
        goes_on,
        say,
        events,
        streams: FxHashMap::default(),
        peers: FxHashMap::default(),
        manager: None,
        replaced,
        has_begun: false,
        has_ended: false,
        running: None,
        parts: Vec::new(),
        change: None,
    };
    let ended = master.serve(&received, stops);
    master.close(&ended);
    let Shared { layout, segment, log, .. } = &*master.shared;
    let written = log.as_ref().map_or(Ok(()), |log| log.write(layout, segment));
    ended.and_then(|()| {
        let text = |error| format!("the log cannot be written: {error}");
        written.map_err(|error| Failure::new(Status::Generic, text(error)))
    })
}

impl Master<'_> {
    fn serve(&mut self, events: &Receiver<Event>, stops: &dyn Fn() -> bool) -> Result<(), Failure> {
        loop {
            match events.recv_timeout(PERIOD) {
                Ok(event) => self.take(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if self.has_ended || stops() {
                return self.stop(events);
            }
            self.give_up_roll_over();
        }
    }

    /// Lets the frames that have begun end.
    fn stop(&mut self, events: &Receiver<Event>) -> Result<(), Failure> {
        let until = Instant::now() + LONGEST_STOP;
        self.parts.iter().for_each(|part| part.wishes.stops.store(true, Ordering::Release));
        self.wake_parts();
        self.change = Some(Change::Stop(None));
        while self.running.is_some() && Instant::now() < until {
            if let Ok(event) = events.recv_timeout(PERIOD) {
                self.take(event)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, event: Event) -> Result<(), Failure> {
        match event {
            Event::Joined { peer, stream } => {
                self.streams.insert(peer, stream);
            }
            Event::Asked { peer, request } => {
                let result = self.asked(peer, request)?;
                if let (Some(result), Some(stream)) = (result, self.streams.get(&peer)) {
                    answer(stream, result);
                }
            }
            Event::Gone { peer } => self.gone(peer)?,
            Event::RolledOver => {
                if self.parts.iter().all(|part| part.has_rolled_over.load(Ordering::Acquire)) {
                    self.change_over();
                }
            }
            Event::Over => {
                if self.parts.iter().all(|part| part.is_over.load(Ordering::Acquire)) {
                    self.over();
                }
            }
            Event::TimedOut(text) => return Err(Failure::new(Status::Timeout, text)),
        }
        Ok(())
    }

    /// The clients that have not entered the scheduler, but for those without which the others go on.
    fn absent(&self) -> impl Iterator<Item = &str> {
        let has_entered = |client: usize| {
            self.peers.values().any(|peer| peer.client == client && peer.has_entered)
        };
        let clients = self.shared.layout.clients.iter().enumerate();
        clients
            .filter(move |(client, _)| !self.replaced[*client] && !has_entered(*client))
            .map(|(_, name)| name.as_str())
    }

    /// For which clients the start waits, as the end of a sentence.
    fn missing(&self) -> String {
        match &self.absent().collect::<Vec<_>>()[..] {
            names @ [_, ..] if !self.has_begun => {
                format!("; the start waits for `{}`", names.join("` and `"))
            }
            _ => String::new(),
        }
    }

    /// Does what a peer asks for. The answer, unless it comes later.
    fn asked(&mut self, peer: usize, request: Request) -> Result<Option<Reply>, Failure> {
        let refused = |status: Status, text: String| Ok(Some(Err((status, text))));
        match request {
            Request::Client { name, process } => {
                let clients = &self.shared.layout.clients;
                let Some(client) = clients.iter().position(|known| *known == name) else {
                    let near =
                        gxf_app::suggest::did_you_mean(&name, clients.iter().map(String::as_str));
                    return refused(
                        Status::NotFound,
                        format!("no schedule has a client `{name}`{near}"),
                    );
                };
                if let Some(other) = self.peers.values().find(|peer| peer.client == client) {
                    let text = format!(
                        "the client `{name}` is here already, as process {}",
                        other.process
                    );
                    return refused(Status::InvalidState, text);
                }
                if self.replaced[client] {
                    let text = format!("the others go on without the client `{name}`");
                    return refused(Status::InvalidState, text);
                }
                self.peers.insert(peer, Peer { client, process, has_entered: false, announced: 0 });
                Ok(Some(Ok(())))
            }
            Request::Enter { runnables } => {
                let Some(here) = self.peers.get_mut(&peer) else {
                    return refused(Status::NotInitialized, "not a client".to_owned());
                };
                let own = self.shared.layout.runnables_of(here.client);
                if let Some(missing) = own.iter().find(|name| !runnables.iter().any(|n| n == *name))
                {
                    let text = format!("the runnable `{missing}` is not registered");
                    return refused(Status::NotFound, text);
                }
                here.has_entered = true;
                let (name, process) =
                    (self.shared.layout.clients[here.client].clone(), here.process);
                let missing = self.missing();
                (self.say)(&format!("the client `{name}` is ready, process {process}{missing}"));
                self.begin();
                Ok(Some(Ok(())))
            }
            Request::ReadyToRollOver {} => {
                let Some(here) = self.peers.get_mut(&peer) else { return Ok(None) };
                here.announced = here.announced.saturating_sub(1);
                // It may be late for a change that was given up.
                if here.announced == 0 {
                    self.begin_roll_over(Some(peer));
                }
                Ok(None)
            }
            Request::Leave { failure } => {
                self.leave(peer, failure.map_or(Going::Left, Going::Failed))?;
                Ok(None)
            }
            Request::Manager { name, .. } => {
                if self.manager_name.as_deref() != Some(name.as_str()) {
                    let expected = match &self.manager_name {
                        Some(name) => format!("the manager is called `{name}`"),
                        None => "it was started without a manager".to_owned(),
                    };
                    let text = format!("this master has no manager `{name}`: {expected}");
                    return refused(Status::NotFound, text);
                }
                if self.manager.is_some() {
                    let text = "there is a schedule manager already".to_owned();
                    return refused(Status::InvalidState, text);
                }
                self.manager = Some(peer);
                Ok(Some(Ok(())))
            }
            Request::Start { .. } | Request::Stop { .. } | Request::RollOver { .. }
                if self.manager != Some(peer) =>
            {
                refused(Status::NotInitialized, "not the schedule manager".to_owned())
            }
            Request::Start { schedule } => Ok(Some(self.start(schedule))),
            Request::Stop { schedule } => match self.find(schedule) {
                Err(refusal) => Ok(Some(Err(refusal))),
                Ok(index) => Ok(self.stop_schedule(peer, index).err().map(Err)),
            },
            Request::RollOver { start, stop } => {
                let found = self.find(start).and_then(|start| Ok((start, self.find(stop)?)));
                match found {
                    Err(refusal) => Ok(Some(Err(refusal))),
                    Ok((start, stop)) => Ok(self.roll_over(peer, start, stop).err().map(Err)),
                }
            }
        }
    }

    fn find(&self, identifier: u16) -> Result<usize, (Status, String)> {
        let schedules = &self.shared.layout.schedules;
        schedules.iter().position(|schedule| schedule.identifier == identifier).ok_or_else(|| {
            let known: Vec<String> =
                schedules.iter().map(|schedule| schedule.identifier.to_string()).collect();
            let text = format!("there is no schedule {identifier}, but {}", known.join(", "));
            (Status::ScheduleIdInvalid, text)
        })
    }

    fn is_ready(&self) -> bool {
        self.absent().next().is_none()
    }

    /// Starts the first schedule once all clients are there.
    fn begin(&mut self) {
        if self.has_begun || !self.is_ready() {
            return;
        }
        self.has_begun = true;
        if self.manager_name.is_none() {
            self.play(0);
        }
    }

    fn start(&mut self, identifier: u16) -> Reply {
        let index = self.find(identifier)?;
        if let Some(running) = self.running {
            let running = self.shared.layout.schedules[running].identifier;
            let text =
                format!("the schedule {identifier} cannot be started: the schedule {running} runs");
            return Err((Status::BadStateTransition, text));
        }
        if let Some(name) = self.absent().next() {
            let text = format!("the client `{name}` has not entered the scheduler yet");
            return Err((Status::InvalidState, text));
        }
        self.play(index);
        Ok(())
    }

    fn play(&mut self, schedule: usize) {
        let one = &self.shared.layout.schedules[schedule];
        (self.say)(&format!("the schedule {} of `{}` runs", one.identifier, one.graph));
        let start = now();
        self.running = Some(schedule);
        self.parts = (0..one.hyperepochs.len())
            .map(|hyperepoch| {
                Arc::new(Part {
                    wishes: Wishes::default(),
                    current: Mutex::new((schedule, hyperepoch)),
                    next: Mutex::new(None),
                    has_rolled_over: AtomicBool::new(false),
                    is_over: AtomicBool::new(false),
                })
            })
            .collect();
        for part in &self.parts {
            let (shared, part, events) = (self.shared.clone(), part.clone(), self.events.clone());
            let run = move || run_part(&shared, &part, &events, start);
            let spawned = std::thread::Builder::new().name("stm-frames".to_owned()).spawn(run);
            if spawned.is_err() {
                let text = "a thread of the master cannot be started".to_owned();
                let _ = self.events.send(Event::TimedOut(text));
            }
        }
    }

    fn must_run(&self, index: usize, verb: &str) -> Reply {
        let identifier = |index: usize| self.shared.layout.schedules[index].identifier;
        if self.change.is_some() {
            let text = "another change of schedules is in progress".to_owned();
            return Err((Status::BadStateTransition, text));
        }
        if self.running == Some(index) {
            return Ok(());
        }
        let instead = match self.running {
            Some(running) => format!("the schedule {} runs", identifier(running)),
            None => "none runs".to_owned(),
        };
        let text = format!("the schedule {} cannot be {verb}: {instead}", identifier(index));
        Err((Status::BadStateTransition, text))
    }

    fn wake_parts(&self) {
        for part in &self.parts {
            let (schedule, hyperepoch) = *lock(&part.current);
            let plan = &self.shared.layout.schedules[schedule].hyperepochs[hyperepoch];
            self.shared.segment.cell(plan.progress).bump();
        }
    }

    fn stop_schedule(&mut self, peer: usize, index: usize) -> Reply {
        self.must_run(index, "stopped")?;
        self.change = Some(Change::Stop(Some(peer)));
        self.parts.iter().for_each(|part| part.wishes.stops.store(true, Ordering::Release));
        self.wake_parts();
        Ok(())
    }

    fn roll_over(&mut self, peer: usize, start: usize, stop: usize) -> Reply {
        self.must_run(stop, "stopped")?;
        let schedules = &self.shared.layout.schedules;
        let (next, current) = (&schedules[start], &schedules[stop]);
        if start == stop {
            let text = format!("the schedule {} runs already", next.identifier);
            return Err((Status::BadStateTransition, text));
        }
        let bad = |text: String| Err((Status::BadParameter, text));
        if next.hyperepochs.len() != current.hyperepochs.len() {
            return bad(format!(
                "a roll-over needs as many hyperepochs as run, {}, and the schedule {} has {}",
                current.hyperepochs.len(),
                next.identifier,
                next.hyperepochs.len()
            ));
        }
        let mut followers = Vec::new();
        for part in &self.parts {
            let (schedule, hyperepoch) = *lock(&part.current);
            let owned = schedules[schedule].hyperepochs[hyperepoch].resources();
            let follower = next.hyperepochs.iter().position(|other| other.resources() == owned);
            let Some(follower) = follower else {
                return bad(format!(
                    "a roll-over needs hyperepochs with the same resources: one that runs owns [{}], \
                     and none of the schedule {} does",
                    owned.join(", "),
                    next.identifier
                ));
            };
            followers.push((start, follower));
        }
        let announced = Answer::RollOver { start: next.identifier, stop: current.identifier };
        let mut clients = Vec::new();
        for (client, here) in self.peers.iter_mut().filter(|(_, peer)| peer.has_entered) {
            clients.push(*client);
            here.announced += 1;
            // One that is gone is noticed by its reader.
            let _ = self.streams.get(client).map(|stream| send(stream, &announced));
        }
        let announced = Instant::now();
        self.change = Some(Change::RollOver { peer, start, followers, clients, announced });
        self.begin_roll_over(None);
        Ok(())
    }

    /// Lets hyperepochs roll over once every client is ready. `ready` is ready, or gone.
    fn begin_roll_over(&mut self, ready: Option<usize>) {
        let Some(Change::RollOver { followers, clients, .. }) = &mut self.change else { return };
        clients.retain(|peer| Some(*peer) != ready);
        if !clients.is_empty() {
            return;
        }
        for (part, follower) in self.parts.iter().zip(std::mem::take(followers)) {
            part.has_rolled_over.store(false, Ordering::Release);
            *lock(&part.next) = Some(follower);
            part.wishes.rolls_over.store(true, Ordering::Release);
        }
        // One that executes nothing waits for it.
        self.wake_parts();
    }

    /// Refuses a roll-over for which clients are not ready in time; the schedule goes on.
    fn give_up_roll_over(&mut self) {
        let Some(Change::RollOver { peer, start, clients, announced, .. }) = &self.change else {
            return;
        };
        let limit = self.shared.manner.fence_timeout.filter(|_| !clients.is_empty());
        let Some(limit) = limit.filter(|limit| announced.elapsed() >= *limit) else { return };
        let layout = &self.shared.layout;
        let clients: BTreeSet<&str> = clients
            .iter()
            .filter_map(|peer| self.peers.get(peer))
            .map(|peer| &*layout.clients[peer.client])
            .collect();
        let (clients, are) = named(&Vec::from_iter(clients), ["is", "are"]);
        let text = format!(
            "of the clients, {clients} {are} not ready for the schedule {} after {} ms",
            layout.schedules[*start].identifier,
            limit.as_millis()
        );
        if let Some(stream) = self.streams.get(peer) {
            answer(stream, Err((Status::Timeout, text)));
        }
        self.change = None;
    }

    fn answer_later(&self, peer: usize) {
        if let Some(stream) = self.streams.get(&peer) {
            answer(stream, Ok(()));
        }
    }

    /// Every hyperepoch has changed over.
    fn change_over(&mut self) {
        let Some(Change::RollOver { peer, start, .. }) = self.change else { return };
        self.change = None;
        if let Some(stopped) = self.running.replace(start) {
            self.report(stopped);
        }
        let one = &self.shared.layout.schedules[start];
        (self.say)(&format!("the schedule {} of `{}` runs", one.identifier, one.graph));
        self.answer_later(peer);
    }

    /// Every hyperepoch is over.
    fn over(&mut self) {
        if let Some(stopped) = self.running.take() {
            self.report(stopped);
        }
        self.parts.clear();
        if let Some(Change::Stop(Some(peer))) = self.change.take() {
            self.answer_later(peer);
        }
    }

    fn report(&self, schedule: usize) {
        let one = &self.shared.layout.schedules[schedule];
        for (hyperepoch, counts) in one.hyperepochs.iter().zip(&self.shared.counts[schedule]) {
            for (epoch, counts) in hyperepoch.plan.epochs.iter().zip(counts) {
                (self.say)(&format!(
                    "epoch `{}.{}` of the schedule {}: frames: {}, late: {}, skipped: {}",
                    hyperepoch.plan.name,
                    epoch.name,
                    one.identifier,
                    counts.frames.load(Ordering::Relaxed),
                    counts.overruns.load(Ordering::Relaxed),
                    counts.skipped.load(Ordering::Relaxed)
                ));
            }
        }
    }

    /// A connection is over.
    fn gone(&mut self, peer: usize) -> Result<(), Failure> {
        self.streams.remove(&peer);
        if self.manager == Some(peer) {
            self.manager = None;
        }
        self.leave(peer, Going::Died)
    }

    fn leave(&mut self, peer: usize, going: Going) -> Result<(), Failure> {
        let Some(Peer { client, process, has_entered, .. }) = self.peers.remove(&peer) else {
            return Ok(());
        };
        self.begin_roll_over(Some(peer));
        let name = &self.shared.layout.clients[client];
        let (how, why) = match &going {
            Going::Died => ("died", String::new()),
            Going::Left => ("left", String::new()),
            Going::Failed(why) => ("failed", format!(": {why}")),
        };
        if !has_entered || !self.has_begun {
            let missing = self.missing();
            (self.say)(&format!("the client `{name}` {how}, process {process}{why}{missing}"));
            return Ok(());
        }
        let executing: Vec<String> =
            self.parts.iter().flat_map(|part| part.executing(&self.shared, client)).collect();
        let during = match &executing[..] {
            [] => String::new(),
            names => format!(", with `{}` unfinished", names.join("`, `")),
        };
        let text = format!("the client `{name}` {how}, process {process}{during}{why}");
        let what_follows = match &going {
            _ if self.goes_on => "its executions are passed over",
            Going::Left => "the others end",
            Going::Died => return Err(Failure::new(Status::Connection, text)),
            Going::Failed(_) => return Err(Failure::new(Status::Generic, text)),
        };
        (self.say)(&format!("{text}; {what_follows}"));
        self.has_ended = !self.goes_on;
        self.replaced[client] = true;
        for (engine, one) in self.shared.layout.engines.iter().enumerate() {
            if !one.clients.contains(&client) {
                continue;
            }
            let shared = self.shared.clone();
            let run = move || {
                let Shared { layout, segment, .. } = &*shared;
                Worker { layout, segment, client, engine }.run(&Substitute);
            };
            let spawned = std::thread::Builder::new().name("stm-substitute".to_owned()).spawn(run);
            if spawned.is_err() {
                let text = format!("{text}, and no thread can be started in its place");
                return Err(Failure::new(Status::InsufficientMemory, text));
            }
        }
        // One that was killed may have signalled a fence and woken nobody, nor told the master.
        self.shared.segment.wake_all();
        self.wake_parts();
        Ok(())
    }

    /// Ends everything.
    fn close(&mut self, ended: &Result<(), Failure>) {
        if let Some(running) = self.running.take() {
            self.report(running);
        }
        self.shared.segment.cell(CLOSED).signal(1);
        self.shared.segment.wake_all();
        let (status, text) = match ended {
            Ok(()) => (Status::Success, String::new()),
            Err(failure) => (failure.status, failure.text.clone()),
        };
        for stream in self.streams.values() {
            let _ = send(stream, &Answer::End { status: status.code(), text: text.clone() });
        }
    }
}

impl Part {
    fn executing(&self, shared: &Shared, client: usize) -> Vec<String> {
        let (schedule, hyperepoch) = *lock(&self.current);
        self.running(shared, schedule, hyperepoch).executing(client)
    }

    fn running<'a>(
        &'a self,
        shared: &'a Shared,
        schedule: usize,
        hyperepoch: usize,
    ) -> Running<'a> {
        Running {
            layout: &shared.layout,
            segment: &shared.segment,
            schedule,
            hyperepoch,
            wishes: &self.wishes,
            manner: shared.manner,
            counts: &shared.counts[schedule][hyperepoch],
            log: shared.log.as_ref(),
        }
    }
}

/// Runs a hyperepoch and those that follow it.
fn run_part(shared: &Shared, part: &Part, events: &Sender<Event>, mut start: i64) {
    loop {
        let (schedule, hyperepoch) = *lock(&part.current);
        match part.running(shared, schedule, hyperepoch).run(start) {
            Ended::At(next) => start = next,
            Ended::Closed => return,
            Ended::TimedOut(text) => {
                let _ = events.send(Event::TimedOut(text));
                return;
            }
        }
        let next = lock(&part.next).take();
        let Some(next) = next.filter(|_| !part.wishes.stops.load(Ordering::Acquire)) else {
            part.is_over.store(true, Ordering::Release);
            let _ = events.send(Event::Over);
            return;
        };
        part.wishes.rolls_over.store(false, Ordering::Release);
        *lock(&part.current) = next;
        part.has_rolled_over.store(true, Ordering::Release);
        let _ = events.send(Event::RolledOver);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::{answer, connect};
    use crate::message::Reader;
    use gxf_sync::shared_fence::SharedFence;

    /// Two clients take turns on a CPU, in two frames of 10 ms.
    const SCHEDULE: &str = "\
Schedule: 1.0.0
Graph: shared
Identifier: 1
OneActiveRunnable: false
Hyperepochs:
- h:
    Period: 20ms
    Resources: [CPU0]
    Epochs:
    - e: {Period: 10ms, Frames: 2}
    Cycles:
    - Makespan: 12ms
      LowerBound: 12ms
      KeepsDeadlines: true
      Lanes:
      - CPU0:
        - {Runnable: A.a, Epoch: e, Frame: 0, Release: 0ns, Start: 0ns, End: 1ms}
        - {Runnable: B.b, Epoch: e, Frame: 0, Release: 0ns, Start: 1ms, End: 2ms}
        - {Runnable: A.a, Epoch: e, Frame: 1, Release: 10ms, Start: 10ms, End: 11ms}
        - {Runnable: B.b, Epoch: e, Frame: 1, Release: 10ms, Start: 11ms, End: 12ms}
";

    /// A client without workers: the test signals for it.
    struct Fake {
        stream: UnixStream,
        segment: Segment,
        layout: Layout,
        _answers: Reader,
    }

    impl Fake {
        fn enter(folder: &tempfile::TempDir, name: &str) -> Self {
            let request = Request::Client { name: name.to_owned(), process: std::process::id() };
            let connected = connect(&folder.path().join("m.sock"), &request, &|| false, &|| ());
            let (stream, segment, layout, mut answers) = connected.expect("a master");
            let runnables = layout.schedules[0].runnables.iter();
            let runnables = runnables.map(|runnable| runnable.name.clone()).collect();
            send(&stream, &Request::Enter { runnables }).expect("it listens");
            answer(&mut answers).expect("it agrees");
            Self { stream, segment, layout, _answers: answers }
        }

        fn plan(&self) -> &crate::layout::Hyperepoch {
            &self.layout.schedules[0].hyperepochs[0]
        }

        fn opened(&self) -> &SharedFence {
            self.segment.cell(self.plan().opened)
        }

        fn progress(&self) -> &SharedFence {
            self.segment.cell(self.plan().progress)
        }

        /// The frames that are admitted or left out.
        fn frames(&self) -> &SharedFence {
            self.segment.cell(self.plan().epochs[0])
        }

        fn lane(&self) -> &SharedFence {
            self.segment.cell(self.plan().fences)
        }
    }

    /// Lets a master run while `body` is called with the folder of its socket; its end.
    fn with_master(
        schedule: &str,
        fence_timeout: Duration,
        goes_on: bool,
        body: impl FnOnce(&tempfile::TempDir),
    ) -> Result<(), Failure> {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options {
            listener: UnixListener::bind(folder.path().join("m.sock")).expect("a socket"),
            schedules: vec![("s.stm".to_owned(), schedule.to_owned())],
            manager: None,
            skips: true,
            fence_timeout: Some(fence_timeout),
            goes_on,
            log: None,
        };
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let stops = || is_over.load(Ordering::Acquire);
            let master = scope.spawn(move || run(options, &|_| (), &stops));
            body(&folder);
            is_over.store(true, Ordering::Release);
            master.join().expect("no panic")
        })
    }

    /// The first frame takes so long that the second is left out.
    fn overrun(client: &Fake) {
        assert!(client.frames().wait(1, 0, || false));
        std::thread::sleep(Duration::from_millis(11));
        client.lane().signal(2);
        client.progress().bump();
        assert!(client.frames().wait(2, 0, || false));
    }

    /// Otherwise the first client might signal the next cycle, and the second one take that back.
    #[test]
    fn a_cycle_begins_behind_every_execution_of_the_one_before() {
        let ended = with_master(SCHEDULE, Duration::from_secs(60), false, |folder| {
            let (a, _b) = (Fake::enter(folder, "A"), Fake::enter(folder, "B"));
            overrun(&a);
            let until = Instant::now() + Duration::from_millis(100);
            let is_over = || Instant::now() > until;
            assert!(!a.opened().wait(2, 0, is_over), "nobody passed the second frame");
            a.lane().signal(4);
            a.progress().bump();
            assert!(a.opened().wait(2, 0, || false));
        });
        assert_eq!(ended.expect_err("they are gone").status, Status::Connection);
    }

    #[test]
    fn a_client_that_does_not_pass_skipped_frames_is_named() {
        let ended = with_master(SCHEDULE, Duration::from_millis(300), false, |folder| {
            let (a, _b) = (Fake::enter(folder, "A"), Fake::enter(folder, "B"));
            overrun(&a);
            assert!(a.segment.cell(CLOSED).wait(1, 0, || false));
        });
        let failure = ended.expect_err("it waits in vain");
        assert_eq!(failure.status, Status::Timeout);
        assert_eq!(
            failure.text,
            "of the clients, `A` has not passed the skipped frames of the hyperepoch `h` 300 ms after \
             the last frame of a cycle"
        );
    }

    /// The frame whose last execution it was is over at once.
    #[test]
    fn a_client_that_is_killed_behind_a_signal_is_no_delay() {
        let schedule = SCHEDULE.replace("20ms", "7200s").replace("{Period: 10ms", "{Period: 3600s");
        let ended = with_master(&schedule, Duration::from_secs(60), true, |folder| {
            let (a, b) = (Fake::enter(folder, "A"), Fake::enter(folder, "B"));
            assert!(a.frames().wait(1, 0, || false));
            a.lane().signal(2);
            let before = a.progress().count();
            b.stream.shutdown(std::net::Shutdown::Both).expect("it is open");
            // Nobody else tells the master, not even the client's substitute.
            let until = Instant::now() + Duration::from_secs(30);
            let is_told = || a.progress().count() != before;
            while !is_told() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(is_told());
        });
        ended.expect("it was stopped");
    }
}
