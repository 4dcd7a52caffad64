//! The engine of actors: a plan instead of a scheduler.
//!
//! # Who does what
//!
//! A plan (`gxf_plan`) puts every entity on a thread, where it stays, and gives every transmitter
//! whose entity waits for room a register: a fixed number of instances, the credits, which bound the
//! messages between it and its receivers. Nothing else decides what runs: an actor acts when a
//! message says that it may be ready, and until it is not.
//!
//! Within a thread, a register is the receiver's queue, whose room is the number of instances, and
//! a message to an actor is its place in the thread's local queue. Between threads a register is a
//! [`Register`]: messages travel on lanes (`post.rs`), and only the consumer's thread touches its
//! queue. A transmitter whose entity does not wait for room has no credits; there the queue's
//! capacity and policy decide, and the receiver's thread is told.
//!
//! - `ports.rs`: the graph as the compiler of plans sees it;
//! - `post.rs`: the messages between threads;
//! - `thread.rs`: one thread, with its local queue and its actors;
//! - `idle.rs`: a thread without work; what the last one decides;
//! - `control.rs`: registers that only order acts; `memory.rs`: the memory of payloads;
//!   `submission.rs`: acts that end with the work that they submit;
//! - `edges.rs`: what leads from one actor to another; `end.rs`: the end of actors and jobs.
//!
//! # The start
//!
//! Every thread constructs its actors, which calls their codelets' `start`, and counts them down.
//! When all are constructed, those that are ready without a message act.
//!
//! # The end
//!
//! The reasons are those of the other engines: no entity is left; a deadlock, which is exact,
//! because the last thread that has nothing to do looks into all lanes; the maximum duration; an
//! interrupt; a failure. Then every thread leaves its loop, and the end goes from sources to sinks
//! (`end.rs`), as far as it has not during the run. When the threads stop, every instance is at
//! home: if not, the run fails.

mod control;
mod edges;
mod end;
mod idle;
mod memory;
pub mod ports;
mod post;
mod submission;
mod thread;

use crate::entity::register::{Courier, Link, Register};
use crate::entity::runner::Runner;
use crate::schedule::deadlock::{self, Stuck};
use crate::schedule::engine::{self, End, Engine, Environment, StatusRow};
use crate::schedule::pace::Pace;
use crate::schedule::polling::Polling;
use crate::schedule::runners::Runners;
use crate::schedule::scope::Scope;
use crate::schedule::settings::{self, ActorSettings};
use crate::schedule::start::StartBarrier;
use crate::schedule::thread as os_thread;
use crate::schedule::thread::Placement;
use crate::standard::queue::DoubleBufferReceiver;
use control::{Control, Controls};
use edges::{Edge, Edges};
use end::Job;
use gxf_app::Diagnostics;
use gxf_app::error::{Error, Result};
use gxf_plan::{Flow, Kind, Plan, Stream, Task};
use gxf_plugin::component::{Component, FromComponent, Interface, Native};
use gxf_plugin_abi::{ConditionType, ResultCode, Uid};
use gxf_sync::event_queue::EventQueue;
use gxf_sync::timers::Timers;
use idle::Central;
use memory::Payloads;
use parking_lot::{Condvar, Mutex};
use ports::Ports;
use post::Post;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use submission::Submission;

/// Nanoseconds between polls of terms that announce nothing.
const POLL_PERIOD: i64 = 5_000_000;

/// Said in the log once.
const ALL_CONSTRUCTED: &str = "Actors on every machine constructed";

/// How often a run that waits for those of other processes looks whether it is over.
const BARRIER_LOOK: Duration = Duration::from_millis(20);

/// What all threads share.
struct Actors {
    settings: ActorSettings,
    pace: Pace,
    event_queue: Arc<EventQueue>,
    runners: Arc<Runners>,
    post: Arc<Post>,
    threads: Vec<Seat>,
    timers: Timers<Runner>,
    central: Mutex<Central>,
    /// The driver has moved the clock, or leaves its place to another thread.
    changed: Condvar,
    /// Actors that are not constructed yet.
    constructing: Mutex<usize>,
    all_constructed: Condvar,
    /// Where they wait for those of other machines.
    barrier: Option<Arc<StartBarrier>>,
    /// The actors that the plan knows.
    tasks: Vec<u32>,
    controls: Arc<Controls>,
    payloads: Payloads,
    /// By actor: what it submits.
    submissions: Vec<Option<Arc<Submission>>>,
    /// By actor: whether more than its terms decides when it acts, or when its act is over.
    is_special: Vec<bool>,
    /// Whether any actor has a link to another process, which may end.
    has_links: bool,
    /// By actor: what hears of the end of its inputs.
    hear_ends: FxHashMap<u32, Vec<Interface<gxf::EndOfInputs>>>,
    /// The receivers that registers lead to.
    fed: FxHashSet<Uid>,
    /// The jobs, by number in the plan.
    jobs: Vec<Job>,
    /// By index of an entity: the position of its job.
    job_of: Vec<u32>,
    /// Threads that have not left their loops; 0 also if one of them never will.
    in_loop: Mutex<usize>,
    all_left: Condvar,
    /// Whether a thread panicked, so that its actors never end.
    is_broken: AtomicBool,
    /// Actors that are not gone.
    running: AtomicUsize,
    stopping: AtomicBool,
    /// Number of entities that never run again.
    gone: AtomicUsize,
    waiting_for_events: AtomicUsize,
    polling: Polling,
    /// The clock's time after which the run is over.
    end_of_time: i64,
}

/// What others see of a thread, on cache lines of its own.
#[repr(align(128))]
struct Seat {
    name: String,
    placement: Placement,
    /// The queues of devices to which its actors submit work.
    queues: Vec<Interface<gxf::DeviceQueue>>,
    /// Number of actors that the plan puts here.
    actors: usize,
    /// Number of executions in which an entity was ready.
    acts: AtomicU64,
}

/// The engine of actors.
struct ActorEngine {
    environment: Environment,
    actors: Actors,
    /// Receivers whose room the plan changes, with what it was before.
    rooms: Vec<(Native<DoubleBufferReceiver>, usize)>,
}

/// The engine of an `ActorScheduler`.
///
/// # Errors
/// `PARAMETER_OUT_OF_RANGE` for an impossible number of threads or instances; the plan cannot be
/// read, or is not a plan of this graph.
pub fn start(scheduler: &Arc<Component>, environment: Environment) -> Result<Arc<dyn Engine>> {
    let settings = scheduler.native().map(|scheduler| ActorSettings::of(&scheduler));
    let settings = settings.unwrap_or_else(|| {
        Err(Error::new(ResultCode::ARGUMENT_INVALID, "the scheduler is of another type"))
    })?;
    let runners = environment.runners.all();
    let entities: Vec<_> = runners.iter().map(|runner| runner.entity.clone()).collect();
    let pinned = |eid: Uid| {
        let runner = runners.iter().find(|runner| runner.entity.eid() == eid);
        let pinned = &environment.threads.pinned;
        runner.is_some_and(|runner| pinned.iter().any(|one| one.number == runner.number))
    };
    let ports = Ports::of(&entities, &environment.entities, &environment.routes, |entity| {
        pinned(entity.eid())
    });
    let plan = match &settings.plan {
        Some(path) => read_plan(scheduler, path, &ports)?,
        None => gxf_plan::compile(
            &ports.entities,
            &ports.variables,
            &gxf_plan::Options {
                graph: String::new(),
                ranks: 1,
                threads: settings.threads,
                register_num: settings.register_num,
            },
        ),
    };
    ActorEngine::new(environment, settings, &runners, &plan, &ports)
        .map(|engine| Arc::new(engine) as Arc<dyn Engine>)
}

/// Reads the plan of a graph with these ports.
fn read_plan(scheduler: &Component, path: &Path, ports: &Ports) -> Result<Plan> {
    let path = &settings::named_file(scheduler, "plan", path);
    let failed = |findings: Diagnostics| {
        Error::from_diagnostics(format!("cannot use the plan '{}'", path.display()), findings)
    };
    let source = gxf_app::read_file(path)
        .map_err(|problem| failed(settings::at_parameter(problem, scheduler, "plan").into()))?;
    let plan = gxf_plan::read_plan(&source).map_err(failed)?;
    let mut findings =
        gxf_plan::check_for(&plan, &ports.entities, &ports.variables, &ports.devices());
    findings.extend(gxf_plan::check_ranks(&plan));
    if findings.has_errors() { Err(failed(findings)) } else { Ok(plan) }
}

impl ActorEngine {
    fn new(
        environment: Environment,
        settings: ActorSettings,
        runners: &[Arc<Runner>],
        plan: &Plan,
        ports: &Ports,
    ) -> Result<Self> {
        let by_name: FxHashMap<&str, &Arc<Runner>> =
            runners.iter().map(|runner| (runner.entity.name(), runner)).collect();
        let highest = runners.iter().map(|runner| runner.number as usize + 1).max();
        let mut homes = vec![0; highest.unwrap_or_default()];
        let mut submits: Vec<Option<Interface<gxf::Completion>>> = vec![None; homes.len()];
        let mut threads: Vec<Seat> = plan.streams.iter().map(Seat::new).collect();
        let mut shared = plan.streams.len();
        for task in &plan.tasks {
            let Some(runner) = by_name.get(&*task.name) else { continue };
            homes[runner.number as usize] = task.stream;
            submits[runner.number as usize] = completion(task, runner, ports);
            let seat = &mut threads[task.stream as usize];
            seat.actors += 1;
            seat.add_queues(ports.queues.get(&task.name));
            let mut pinned = environment.threads.pinned.iter();
            if let Some(pinning) = pinned.find(|pinning| pinning.number == runner.number) {
                seat.placement = pinning.placement.clone();
                shared = shared.min(task.stream as usize);
            }
        }
        let components: FxHashMap<Uid, Native<DoubleBufferReceiver>> = runners
            .iter()
            .flat_map(|runner| runner.entity.components().to_vec())
            .filter_map(|component| Some((component.cid(), component.native()?)))
            .collect();
        let all = || runners.iter().flat_map(|runner| runner.entity.components().to_vec());
        let pools = ports.pools.iter().filter_map(|(register, cid)| {
            let pool = all().find(|component| component.cid() == *cid)?;
            Some((&**register, pool.native()?))
        });
        let event_queue = &environment.event_queue;
        let actor = |task: &str| by_name.get(task).map(|runner| runner.number);
        let pools = pools.collect();
        let payloads = Payloads::give(plan, &pools, &ports.variable_of, event_queue, actor)?;
        let mut rooms = Vec::new();
        let mut crossing = Vec::new();
        let mut edges = Vec::new();
        let mut fed = FxHashSet::default();
        let mut controls = Vec::new();
        for register in plan.registers.iter().filter(|one| one.kind == Kind::Control) {
            let Some(producer) = by_name.get(&*register.producer) else { continue };
            for consumer in &register.consumers {
                let Some(reader) = by_name.get(register.reader(consumer)) else { continue };
                let ends = [producer.number, reader.number];
                edges.push(Edge::new(ends));
                controls.push(Control::new(&register.name, ends, register.room(consumer)));
            }
        }
        for register in plan.registers.iter().filter(|one| one.kind == Kind::Data) {
            let transmitter = ports.transmitters.get(&register.name);
            let producer = by_name.get(&*register.producer);
            let (Some(transmitter), Some(producer)) = (transmitter, producer) else { continue };
            for consumer in &register.consumers {
                let receiver = ports.receivers.get(&consumer.receiver);
                let Some(runner) = by_name.get(consumer.task()) else { continue };
                let ends = [producer.number, runner.number];
                fed.extend(receiver.copied());
                if register.flow == Flow::Queue {
                    edges.push(Edge::new(ends));
                    continue;
                }
                let receiver = receiver.and_then(|cid| components.get(cid));
                let Some(receiver) = receiver else { continue };
                let room = register.room(consumer) as usize;
                rooms.push((receiver.clone(), receiver.buffer.set_room(room)));
                let crosses = homes[ends[0] as usize] != homes[ends[1] as usize]
                    || ends.iter().any(|end| submits[*end as usize].is_some());
                let register = crosses.then(|| u32::try_from(crossing.len()).unwrap_or(u32::MAX));
                edges.push(Edge { register, ..Edge::new(ends) });
                if crosses {
                    crossing.push((ends, *transmitter, receiver.clone(), room));
                }
            }
        }
        let edges = Edges::new(edges, homes.len());
        let controls = Arc::new(Controls::new(controls, homes.len()));
        let (jobs, job_of) = jobs(plan, &by_name, homes.len());
        let event_queue = environment.event_queue.clone();
        let between = |(ends, _, _, room): &([u32; 2], Uid, Native<_>, usize)| {
            (ends.map(|number| homes[number as usize]), *room)
        };
        let sizes: Vec<_> = crossing.iter().map(between).collect();
        let count = u32::try_from(threads.len()).unwrap_or(u32::MAX);
        let shared = u32::try_from(shared).unwrap_or(u32::MAX);
        let post = Arc::new(Post::new(count, shared, homes, &sizes, edges, event_queue.clone()));
        let registers: Vec<Arc<Register>> = crossing
            .into_iter()
            .zip(0..)
            .map(|((ends, transmitter, receiver, room), number)| {
                let wakes = wakes(runners, ends, transmitter, receiver.component().cid());
                Arc::new(Register::new(number, ends, transmitter, receiver, room, wakes))
            })
            .collect();
        let submissions: Vec<Option<Arc<Submission>>> = submits
            .into_iter()
            .zip(0..)
            .map(|(completion, number)| {
                let entity = runners.iter().find(|runner| runner.number == number)?;
                let name = entity.entity.name();
                let (post, controls) = (post.clone(), controls.clone());
                Some(Arc::new(Submission::new(number, name, completion?, post, controls)))
            })
            .collect();
        for runner in runners {
            let courier: Arc<dyn Courier> = match &submissions[runner.number as usize] {
                Some(submission) => submission.clone(),
                None => post.clone(),
            };
            let its = registers
                .iter()
                .filter(|one| [one.producer, one.consumer].contains(&runner.number));
            let links: Vec<Link> = its
                .map(|register| Link { register: register.clone(), courier: courier.clone() })
                .collect();
            if !links.is_empty() {
                runner.with_parts(|parts| parts.use_registers(&links));
            }
        }
        for register in &registers {
            let known: Weak<Register> = Arc::downgrade(register);
            register.receiver.buffer.brought_by(known);
        }
        post.set_registers(registers);
        let (first, _) = environment.runners.begin_run();
        for runner in &first {
            runner.run_state.reset();
            runner.target.clear();
            runner.condition.store(ConditionType::READY.0, Ordering::Relaxed);
        }
        let now = environment.clock.timestamp();
        let is_special = |actor: u32| {
            let submits = submissions[actor as usize].is_some();
            submits || controls.order(actor) || payloads.limit(actor)
        };
        if let Some(barrier) = &environment.barrier {
            barrier.take();
        }
        let actors = Actors {
            is_special: (0..submissions.len() as u32).map(is_special).collect(),
            submissions,
            end_of_time: settings
                .max_duration
                .map_or(i64::MAX, |duration| now.saturating_add(duration)),
            settings,
            pace: environment.pace(),
            event_queue,
            runners: environment.runners.clone(),
            post,
            threads,
            timers: Timers::new(),
            central: Mutex::new(Central::new(now)),
            changed: Condvar::new(),
            constructing: Mutex::new(first.len()),
            all_constructed: Condvar::new(),
            barrier: environment.barrier.clone(),
            tasks: runners.iter().map(|runner| runner.number).collect(),
            controls,
            payloads,
            has_links: runners
                .iter()
                .any(|runner| runner.with_parts(|parts| !parts.remote.is_empty())),
            hear_ends: hear_ends(runners),
            fed,
            jobs,
            job_of,
            in_loop: Mutex::new(0),
            all_left: Condvar::new(),
            is_broken: AtomicBool::new(false),
            running: AtomicUsize::new(runners.len()),
            stopping: AtomicBool::new(false),
            gone: AtomicUsize::new(0),
            waiting_for_events: AtomicUsize::new(0),
            polling: Polling::every(POLL_PERIOD),
        };
        if actors.end_of_time < now {
            // The actors would act once when they are constructed.
            actors.finish(Ok(End::Timeout));
        }
        Ok(Self { environment, actors, rooms })
    }

    /// After the run: the queues are those of the graph again.
    fn restore(&self) {
        for runner in self.environment.runners.all() {
            runner.with_parts(|parts| parts.forget_registers());
        }
        for (receiver, room) in &self.rooms {
            receiver.buffer.change_room(*room);
        }
    }
}

/// What says when the work that a task submits is done.
fn completion(task: &Task, runner: &Runner, ports: &Ports) -> Option<Interface<gxf::Completion>> {
    let name = format!("{}/{}", task.name, task.completion.as_ref()?.component);
    let cid = ports.completions.get(&name)?;
    let components = runner.entity.components();
    let component = components.iter().find(|component| component.cid() == *cid)?;
    gxf::Completion::from_component(component)
}

/// By actor: the components that hear of the end of its inputs.
fn hear_ends(runners: &[Arc<Runner>]) -> FxHashMap<u32, Vec<Interface<gxf::EndOfInputs>>> {
    let of = |runner: &Arc<Runner>| {
        let components = runner.entity.components();
        let its: Vec<_> = components.iter().filter_map(gxf::EndOfInputs::from_component).collect();
        (!its.is_empty()).then_some((runner.number, its))
    };
    runners.iter().filter_map(of).collect()
}

/// The entities to wake when a message of a register arrives, and when one is taken.
fn wakes(
    runners: &[Arc<Runner>],
    [producer, consumer]: [u32; 2],
    transmitter: Uid,
    receiver: Uid,
) -> [Vec<u32>; 2] {
    let of = |number: u32| runners.iter().find(|runner| runner.number == number);
    let arrival = of(producer).map(|runner| {
        runner.with_parts(|parts| {
            let its = |outbox: &&crate::entity::ports::Outbox| {
                outbox.transmitter.component().cid() == transmitter
            };
            let outbox = parts.outbox.iter().find(its);
            let mut targets = outbox.into_iter().flat_map(|outbox| &outbox.targets);
            let target = targets.find(|target| target.queue.component().cid() == receiver);
            target.map(|target| target.wake.clone()).unwrap_or_default()
        })
    });
    let room = of(consumer).map(|runner| {
        runner.with_parts(|parts| {
            let mut inboxes = parts.inbox.iter();
            let inbox = inboxes.find(|inbox| inbox.receiver.component().cid() == receiver);
            inbox.map(|inbox| inbox.senders.clone()).unwrap_or_default()
        })
    });
    let mut room = room.unwrap_or_default();
    if !room.contains(&producer) {
        // It may be a zombie.
        room.push(producer);
    }
    [arrival.unwrap_or_default(), room]
}

/// The jobs of a plan by number, and by index of an entity the position of its job.
fn jobs(
    plan: &Plan,
    by_name: &FxHashMap<&str, &Arc<Runner>>,
    entities: usize,
) -> (Vec<Job>, Vec<u32>) {
    let numbers: BTreeSet<u32> = plan.tasks.iter().map(|task| task.job).collect();
    let new = |number| Job { number, actors: 0, running: AtomicUsize::new(0) };
    let mut jobs: Vec<Job> = numbers.into_iter().map(new).collect();
    let mut job_of = vec![0; entities];
    for task in &plan.tasks {
        let Some(runner) = by_name.get(&*task.name) else { continue };
        let place = jobs.partition_point(|job| job.number < task.job);
        job_of[runner.number as usize] = u32::try_from(place).unwrap_or(u32::MAX);
        jobs[place].actors += 1;
        *jobs[place].running.get_mut() += 1;
    }
    (jobs, job_of)
}

impl Seat {
    fn new(stream: &Stream) -> Self {
        Self {
            name: format!("{} Actor : ({})", stream.device.to_uppercase(), stream.id),
            placement: Placement::default(),
            queues: Vec::new(),
            actors: 0,
            acts: AtomicU64::new(0),
        }
    }

    /// Notes the queues of an actor.
    fn add_queues(&mut self, queues: Option<&Vec<Interface<gxf::DeviceQueue>>>) {
        for queue in queues.into_iter().flatten() {
            let cid = queue.component().cid();
            if !self.queues.iter().any(|known| known.component().cid() == cid) {
                self.queues.push(queue.clone());
            }
        }
    }

    /// Lets the queues prepare this thread.
    fn begin(&self) -> Result<()> {
        for queue in &self.queues {
            queue.call("begin_thread", gxf::DeviceQueue::begin_thread).map_err(|error| {
                let component = queue.component();
                let text = format!("`{}` cannot prepare `{}`", component.label(), self.name);
                let cause = Error::from(error);
                Error::new(cause.code(), text).caused_by(cause).of_component(component.cid())
            })?;
        }
        Ok(())
    }
}

impl Engine for ActorEngine {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn thread_name(&self) -> String {
        self.actors.threads[0].name.clone()
    }

    fn run(&self) -> Result<End> {
        let end = if self.environment.runners.in_run() == 0 {
            Ok(End::Finished)
        } else {
            self.actors.work()
        };
        let lost =
            self.actors.post.registers().iter().map(|register| register.out()).sum::<usize>();
        self.restore();
        if lost > 0 && end.is_ok() {
            let text = format!("{lost} instances of registers did not come home");
            return Err(Error::new(ResultCode::FAILURE, text));
        }
        end
    }

    /// Brings what is on its way first: no thread takes it during a pause.
    fn step(&self, last: Option<u32>) -> Result<Option<Arc<Runner>>> {
        let under_way = &self.actors.waiting_for_events;
        let bring = || {
            for submission in self.actors.submissions.iter().flatten() {
                submission.release(under_way)?;
            }
            // A thread may not have finished its tick.
            let arrive = |register: &Register, message| {
                let consumer = self.environment.runners.get(register.consumer);
                let arrive = || register.arrive(message);
                match consumer {
                    Some(consumer) => consumer.while_at_rest(arrive),
                    None => arrive(),
                }
            };
            for thread in 0..self.actors.threads.len() as u32 {
                self.actors.post.receive_by(thread, arrive, |actor| {
                    // The message that its wakes stand for is taken: the event needs another one.
                    if let Some(runner) = self.environment.runners.get(actor) {
                        runner.run_state.take_wakes();
                    }
                    self.environment.event_queue.post(actor);
                });
            }
            Ok::<_, Error>(())
        };
        bring()?;
        let event_queue = &self.environment.event_queue;
        let waits = self.actors.waits_for_construction();
        let stepped = engine::step(&self.environment, last, |runner, now, waker| {
            let actor = runner.number;
            let starts = !runner.status().is_started();
            if !starts && (waits || !self.actors.takes(actor)) {
                return Ok(false);
            }
            let home = self.actors.post.home(actor);
            let execute = || runner.execute_if_ready(now, waker);
            let executed = self.actors.post.before_arrivals(home, execute)?;
            if !starts {
                self.actors.took(actor, executed.ticked, |other| event_queue.post(other));
                if !executed.ticked && self.actors.controls.order(actor) {
                    // Its thread may have found the instances taken.
                    event_queue.post(actor);
                }
            }
            Ok(executed.ran)
        })?;
        let actor = stepped.as_ref().map(|runner| runner.number);
        if let Some(submission) = actor.and_then(|actor| self.actors.submission(actor)) {
            submission.seal(under_way)?;
        }
        bring()?;
        Ok(stepped)
    }

    fn stuck(&self, end: &Result<End>) -> Vec<Stuck> {
        if !matches!(end, Ok(End::Deadlock)) {
            return Vec::new();
        }
        let now = self.environment.clock.timestamp();
        let runners = self.environment.runners.all();
        for runner in &runners {
            // One that has ended, or that a term keeps from acting, does not wait for these.
            if !runner.status().is_started() || !runner.reasons(now).is_empty() {
                continue;
            }
            let entity = runner.entity.described();
            if self.actors.payloads.are_read(runner.number) {
                tracing::warn!(
                    "{entity} is stuck: all payloads of its register are in use, so its codelet or a \
                     reader keeps as many messages as the register has instances; give it more, in \
                     the plan or by the scheduler's `register_num`"
                );
            }
            if let Some(control) = self.actors.controls.awaited(runner.number) {
                let name = &control.name;
                tracing::warn!("{entity} is stuck: it waits for control register `{name}`");
            }
        }
        deadlock::stuck(&runners, now)
    }

    fn rows(&self) -> Vec<StatusRow> {
        let row = |seat: &Seat| StatusRow {
            name: seat.name.clone(),
            values: vec![
                ("actors", seat.actors as u64),
                ("acts", seat.acts.load(Ordering::Relaxed)),
            ],
        };
        self.actors.threads.iter().map(row).collect()
    }

    fn jobs(&self) -> Vec<StatusRow> {
        let row = |job: &Job| StatusRow {
            name: format!("job {}", job.number),
            values: vec![
                ("actors", job.actors as u64),
                ("running", job.running.load(Ordering::Relaxed) as u64),
            ],
        };
        self.actors.jobs.iter().map(row).collect()
    }
}

impl Actors {
    /// What an actor submits.
    fn submission(&self, actor: u32) -> Option<&Arc<Submission>> {
        self.submissions.get(actor as usize)?.as_ref()
    }

    /// An actor is about to act. False if a control register, or a payload that is still read, does not
    /// let it; otherwise [`Self::took`] must follow.
    fn takes(&self, actor: u32) -> bool {
        !self.payloads.are_read(actor) && self.controls.take(actor)
    }

    /// An actor that took instances of its control registers has acted, or not. They are sent when the
    /// act is over; `wake` gets the actors that may act then.
    fn took(&self, actor: u32, has_acted: bool, wake: impl FnMut(u32)) {
        if !self.controls.order(actor) {
            return;
        }
        match self.submission(actor) {
            _ if !has_acted => self.controls.put_back(actor),
            Some(submission) => submission.send_controls(),
            None => self.controls.acted(actor, wake),
        }
    }

    /// Whether more than its terms decides when an actor acts, or when its act is over.
    #[inline]
    fn is_special(&self, actor: u32) -> bool {
        self.is_special.get(actor as usize).copied().unwrap_or_default()
    }

    /// Starts all threads but the first, acts as the first, and waits for the others.
    fn work(&self) -> Result<End> {
        *self.in_loop.lock() = self.threads.len();
        std::thread::scope(|scope| {
            let work = Scope::of_this_thread();
            for (index, seat) in self.threads.iter().enumerate().skip(1) {
                let name = seat.name.clone();
                let thread =
                    std::thread::Builder::new().name(name).spawn_scoped(scope, move || {
                        let _entered = work.map(Scope::enter);
                        self.run_thread(index);
                    });
                if let Err(error) = thread {
                    self.finish(Err(Error::new(
                        ResultCode::FAILURE,
                        "a thread of the scheduler cannot be started",
                    )
                    .caused_by(error)));
                    self.breaks();
                    break;
                }
            }
            self.run_thread(0);
        });
        self.central.lock().outcome.take("threads")
    }

    fn run_thread(&self, index: usize) {
        /// Ends the run if the thread panics, so that nothing waits for it.
        struct Guard<'a>(&'a Actors);
        impl Drop for Guard<'_> {
            fn drop(&mut self) {
                if std::thread::panicking() {
                    let text = "a thread of the scheduler panicked";
                    self.0.finish(Err(Error::new(ResultCode::FAILURE, text)));
                    self.0.breaks();
                }
            }
        }
        let _guard = Guard(self);
        os_thread::place(&self.threads[index].placement);
        if let Err(error) = self.threads[index].begin() {
            self.finish(Err(error));
        }
        self.post.bells[index].bind_to_this_thread();
        let mut thread = thread::Thread::new(self, index);
        thread.run();
        thread.end();
        tracing::debug!("actor thread {index} finish");
    }

    /// A thread is missing: nobody waits for it, nor for its actors.
    fn breaks(&self) {
        self.is_broken.store(true, Ordering::SeqCst);
        drop(self.in_loop.lock());
        self.all_left.notify_all();
    }

    /// Waits until all threads have left their loops; false if one never will.
    fn leave_loop(&self) -> bool {
        let mut left = self.in_loop.lock();
        *left -= 1;
        if *left == 0 {
            self.all_left.notify_all();
        }
        while *left > 0 && !self.is_broken.load(Ordering::SeqCst) {
            self.all_left.wait(&mut left);
        }
        !self.is_broken.load(Ordering::SeqCst)
    }

    /// Whether no actor is left, or nobody waits for those that are.
    fn all_ended(&self) -> bool {
        self.running.load(Ordering::Acquire) == 0 || self.is_broken.load(Ordering::Relaxed)
    }

    /// Ends the run; the first reason counts.
    fn finish(&self, outcome: Result<End>) {
        let mut central = self.central.lock();
        self.finish_locked(&mut central, outcome);
    }

    fn finish_locked(&self, central: &mut Central, outcome: Result<End>) {
        central.outcome.note(outcome);
        self.stopping.store(true, Ordering::SeqCst);
        for bell in &self.post.bells {
            // One that sleeps in the event queue is poked below.
            let _ = bell.ring();
        }
        self.event_queue.poke();
        self.changed.notify_all();
        // Threads in a pause would never leave.
        self.event_queue.resume();
        drop(self.constructing.lock());
        self.all_constructed.notify_all();
    }

    /// Notes that an actor is constructed.
    fn constructed(&self) {
        let mut left = self.constructing.lock();
        *left = left.saturating_sub(1);
        if *left == 0 {
            tracing::debug!("Actors on this machine constructed");
            // Nobody tells of the other ends of links.
            if self.barrier.is_none() && !self.has_links {
                tracing::debug!("{ALL_CONSTRUCTED}");
            }
            self.all_constructed.notify_all();
        }
    }

    /// Waits until all actors of this process are constructed, or the run is over.
    fn wait_until_constructed(&self) {
        let mut left = self.constructing.lock();
        while *left > 0 && !self.stopping.load(Ordering::SeqCst) {
            self.all_constructed.wait(&mut left);
        }
    }

    /// Whether actors of this process, or of others, are not constructed. During a pause, only steps
    /// construct those of this one.
    fn waits_for_construction(&self) -> bool {
        let waits_for_others = self.barrier.as_ref().is_some_and(|barrier| !barrier.is_open());
        let is_left = || self.runners.all().iter().any(|runner| !runner.status().is_constructed());
        waits_for_others || (*self.constructing.lock() > 0 && is_left())
    }

    /// Waits until those of all other processes are, or the run is over.
    fn wait_for_others(&self, barrier: &StartBarrier, is_first: bool) {
        if self.stopping.load(Ordering::SeqCst) {
            return;
        }
        barrier.reach();
        while !barrier.wait(BARRIER_LOOK) {
            if self.event_queue.is_stopped() {
                self.finish(Ok(End::Interrupted));
            } else if self.pace.now() > self.end_of_time {
                self.finish(Ok(End::Timeout));
            }
            if self.stopping.load(Ordering::SeqCst) {
                return;
            }
        }
        if is_first {
            tracing::debug!("{ALL_CONSTRUCTED}");
        }
    }

    /// Notes that an entity never runs again.
    fn gone(&self, runner: &Runner) {
        tracing::debug!("entity `{}` ended", runner.entity.name());
        runner.run_state.leave();
        let gone = self.gone.fetch_add(1, Ordering::AcqRel) + 1;
        if gone >= self.runners.in_run() {
            self.finish(Ok(End::Finished));
        }
        self.runners.gone(runner.number);
    }
}
