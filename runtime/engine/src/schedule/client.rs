//! The engine that executes entities as a client of an STM master: the client's workers, in
//! `gxf-stm-processes`, follow the schedule, and call the entities.
//!
//! Terms stay in force: an entity that is not ready in its place is passed over. The run ends when
//! no entity is left, when the master ends, or by an interrupt; executions that have begun, and the
//! work that they have submitted, end first.
//!
//! A `gxe::Completion` says when submitted work is done: a thread of its own then signals the fence
//! of the work, for which runnables of all clients wait.

use crate::entity::port::Wake;
use crate::entity::runner::Runner;
use crate::schedule::engine::{End, Engine, Environment};
use crate::schedule::scope::Scope;
use crate::schedule::target::Target;
use crate::standard::scheduler::StaticClient;
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_app::suggest::did_you_mean;
use gxf_plugin::component::{Component, Native};
use gxf_plugin::wake_token::{Token, Wakes};
use gxf_plugin_abi::{ConditionType, ResultCode, Uid};
use gxf_stm_processes::client::{Client, Execution, Outcome};
use gxf_stm_processes::default_socket;
use parking_lot::{Condvar, Mutex};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// The order says who comes next; nobody needs waking.
struct NoWake;

impl Wake for NoWake {
    fn wake(&mut self, _entity: u32) {}
}

/// The engine.
struct ClientEngine {
    environment: Environment,
    name: String,
    socket: PathBuf,
    pairs: Vec<Vec<String>>,
    shared: Arc<Shared>,
}

/// What the run and its workers share.
struct Shared {
    client: Mutex<Option<Arc<Client>>>,
    is_ending: AtomicBool,
    outcome: Mutex<Option<Result<End>>>,
    /// Number of entities, and those that never run again.
    entities: AtomicUsize,
    gone: Mutex<Vec<u32>>,
}

/// Work that entities have submitted.
#[derive(Default)]
struct Works {
    state: Mutex<WorkState>,
    changed: Condvar,
}

#[derive(Default)]
struct WorkState {
    pending: Vec<Pending>,
    /// Whether nothing is submitted any more.
    is_over: bool,
}

/// Work that is not known to be done.
struct Pending {
    /// Its submitter.
    runnable: String,
    target: Target,
    done: Arc<Token>,
}

impl Wakes for Works {
    fn wake(&self, _: Uid) {
        drop(self.state.lock());
        self.changed.notify_one();
    }
}

impl Works {
    /// A runnable has submitted work. Whether that is not done yet.
    ///
    /// # Errors
    /// It failed.
    fn submitted(self: &Arc<Self>, runnable: &str, target: &Target) -> Result<bool> {
        if target.is_done()? {
            return Ok(false);
        }
        let waker: Weak<Self> = Arc::downgrade(self);
        let done = Arc::new(Token::new(waker, target.submitter.eid()));
        let token = done.reference();
        let pending = Pending { runnable: runnable.to_owned(), target: target.clone(), done };
        self.state.lock().pending.push(pending);
        target.notify(token)?;
        Ok(true)
    }

    /// The client has left.
    fn end(&self) {
        self.state.lock().is_over = true;
        self.changed.notify_one();
    }

    /// Signals the fences of what is done, until the end.
    fn run(&self, client: &Client, shared: &Shared) {
        loop {
            let done: Vec<Pending> = {
                let mut state = self.state.lock();
                loop {
                    if state.is_over {
                        return;
                    }
                    let is_done = |one: &mut Pending| one.done.is_used();
                    let done: Vec<Pending> = state.pending.extract_if(.., is_done).collect();
                    if !done.is_empty() {
                        break done;
                    }
                    self.changed.wait(&mut state);
                }
            };
            for Pending { runnable, target, .. } in done {
                match target.is_done() {
                    Err(error) => {
                        client.abandon_work();
                        shared.finish(Err(error));
                    }
                    // After a failure nobody waits for it.
                    Ok(_) => _ = client.work_done(&runnable),
                }
            }
        }
    }
}

/// The engine of a `StaticClient`.
///
/// # Errors
/// The component is of another type.
pub fn start(scheduler: &Arc<Component>, environment: Environment) -> Result<Arc<dyn Engine>> {
    let settings: Native<StaticClient> = scheduler.native().ok_or_else(|| {
        Error::new(ResultCode::ARGUMENT_INVALID, "the scheduler is of another type")
    })?;
    Ok(Arc::new(ClientEngine {
        environment,
        name: settings.client.clone(),
        socket: (*settings.master).clone().unwrap_or_else(default_socket),
        pairs: settings.entities.clone(),
        shared: Arc::new(Shared {
            client: Mutex::new(None),
            is_ending: AtomicBool::new(false),
            outcome: Mutex::new(None),
            entities: AtomicUsize::new(0),
            gone: Mutex::new(Vec::new()),
        }),
    }))
}

/// An error and what caused it, in one line.
fn with_causes(error: &Error) -> String {
    let first: &dyn std::error::Error = error;
    let texts = std::iter::successors(Some(first), |error| error.source()).map(ToString::to_string);
    one_line(&texts.collect::<Vec<_>>().join(": "))
}

fn failed(failure: gxf_stm_processes::Failure) -> Error {
    let text = failure.text;
    Error::new(ResultCode::FAILURE, text).caused_by(failure.status)
}

impl Shared {
    /// Ends the run; the first reason counts. The master learns of a failure.
    fn finish(&self, outcome: Result<End>) {
        let failure = outcome.as_ref().err().map(with_causes);
        self.outcome.lock().get_or_insert(outcome);
        self.is_ending.store(true, Ordering::Release);
        let client = self.client.lock().clone();
        match (client, failure) {
            (Some(client), Some(failure)) => client.fail(&failure),
            (Some(client), None) => client.exit(),
            (None, _) => {}
        }
    }
}

impl Shared {
    /// An entity never runs again. Whether that is new.
    fn gone(&self, number: u32) -> bool {
        let is_last = {
            let mut gone = self.gone.lock();
            if gone.contains(&number) {
                return false;
            }
            gone.push(number);
            gone.len() == self.entities.load(Ordering::Acquire)
        };
        if is_last {
            self.finish(Ok(End::Finished));
        }
        true
    }
}

impl ClientEngine {
    /// The entity of each runnable.
    fn entities(
        &self,
        client: &Client,
        runners: &[Arc<Runner>],
    ) -> Result<Vec<(String, Arc<Runner>)>> {
        let mut problems = Vec::new();
        let mut found: Vec<(String, Arc<Runner>)> = Vec::new();
        let known = |name: &str| runners.iter().find(|one| one.entity.name() == name);
        let runnables = client.runnables();
        let works = runnables.iter().flat_map(|runnable| client.works_of(runnable));
        let names: Vec<&str> = runnables.iter().map(String::as_str).chain(works).collect();
        for (place, pair) in self.pairs.iter().enumerate() {
            let [name, _] = &pair[..] else {
                problems.push(format!(
                    "`entities`: a pair has two texts, `[client.runnable, entity]`, not {}",
                    pair.len()
                ));
                continue;
            };
            if self.pairs[..place].iter().any(|other| other.first() == Some(name)) {
                problems.push(format!("`entities`: `{}` has two pairs", one_line(name)));
            } else if !names.contains(&name.as_str()) {
                let near = did_you_mean(name, names.iter().copied());
                let name = one_line(name);
                problems.push(format!("`entities`: the client has no runnable `{name}`{near}"));
            }
        }
        for runnable in runnables.iter().cloned() {
            let pair = self.pairs.iter().find(|pair| pair.first() == Some(&runnable));
            let short = runnable.split_once('.').map_or(runnable.as_str(), |(_, short)| short);
            let names: Vec<&str> = match pair.and_then(|pair| pair.get(1)) {
                Some(name) => vec![name],
                None => vec![&runnable, short],
            };
            match names.iter().find_map(|name| known(name)) {
                Some(runner) => found.push((runnable, runner.clone())),
                None => {
                    let name = names.last().copied().unwrap_or_default();
                    let near = did_you_mean(name, runners.iter().map(|one| one.entity.name()));
                    problems.push(format!(
                        "no entity with a codelet is called `{}`, which the runnable `{}` needs{near}",
                        one_line(name),
                        one_line(&runnable)
                    ));
                }
            }
        }
        for runner in runners {
            if !found.iter().any(|(_, known)| Arc::ptr_eq(known, runner)) {
                problems.push(format!(
                    "no runnable of the client is the entity `{}`, which would never tick",
                    one_line(runner.entity.name())
                ));
            }
        }
        if problems.is_empty() {
            return Ok(found);
        }
        let text = format!(
            "the client `{}` does not fit this graph: {}",
            one_line(&self.name),
            problems.join("; ")
        );
        Err(Error::new(ResultCode::ARGUMENT_INVALID, text))
    }

    /// What says when the work of a runnable is done, if it submits any: a completion of its entity,
    /// or that which a pair names.
    fn target(
        &self,
        client: &Client,
        runnable: &str,
        submitter: &Arc<Runner>,
        runners: &[Arc<Runner>],
    ) -> Result<Option<Target>> {
        let works = client.works_of(runnable);
        let wrong = |text: String| {
            let client = one_line(&self.name);
            let text = format!("the client `{client}` does not fit this graph: {text}");
            Err(Error::new(ResultCode::ARGUMENT_INVALID, text))
        };
        let work = match &works[..] {
            [] => return Ok(None),
            [work] => *work,
            [first, second, ..] => {
                return wrong(format!(
                    "the runnable `{}` submits `{}` or `{}`, and an entity always submits the same",
                    one_line(runnable),
                    one_line(first),
                    one_line(second)
                ));
            }
        };
        let pair = self.pairs.iter().find(|pair| pair.first().is_some_and(|name| name == work));
        let Some(name) = pair.and_then(|pair| pair.get(1)) else {
            return Target::new(work, &submitter.entity, None, &submitter.entity);
        };
        let (entity, component) = match name.rsplit_once('/') {
            Some((entity, component)) => (entity, Some(component)),
            None => (name.as_str(), None),
        };
        let Some(found) = runners.iter().find(|one| one.entity.name() == entity) else {
            let near = did_you_mean(entity, runners.iter().map(|one| one.entity.name()));
            return wrong(format!(
                "no entity with a codelet is called `{}`, which the submitted work `{}` needs{near}",
                one_line(entity),
                one_line(work)
            ));
        };
        Target::new(work, &found.entity, component, &submitter.entity)
    }

    fn register(
        &self,
        client: &Client,
        runnable: &str,
        runner: &Arc<Runner>,
        target: Option<Target>,
        works: &Arc<Works>,
    ) -> Result<()> {
        let Environment { clock, event_queue, runners, .. } = self.environment.clone();
        let (shared, runner, works) = (self.shared.clone(), runner.clone(), works.clone());
        let scope = Scope::of_this_thread();
        let execute = move |execution: &Execution<'_>| {
            event_queue.sit_out_pause();
            let never_again = || {
                if shared.gone(runner.number) {
                    runners.gone(runner.number);
                }
                Outcome::Missing
            };
            if runner.has_ended() {
                return never_again();
            }
            let _entered = scope.map(Scope::enter);
            let since = Client::now().saturating_sub(execution.frame_start).max(0);
            let time = clock.timestamp().saturating_sub(since);
            match runner.execute(time, &mut NoWake) {
                Ok(condition) if condition.condition_type == ConditionType::READY => {
                    let Some(target) = &target else { return Outcome::Done };
                    match works.submitted(execution.runnable, target) {
                        Ok(true) => Outcome::Submitted,
                        Ok(false) => Outcome::Done,
                        Err(error) => {
                            shared.finish(Err(error));
                            Outcome::Done
                        }
                    }
                }
                Ok(condition) if condition.condition_type == ConditionType::NEVER => never_again(),
                Ok(_) => Outcome::PassedOver,
                Err(error) => {
                    shared.finish(Err(error));
                    Outcome::Done
                }
            }
        };
        client.register(runnable, Box::new(execute)).map_err(failed)
    }

    /// Starts the entities and registers the client's runnables; the entity of each.
    fn prepare(
        &self,
        client: &Arc<Client>,
        runners: &[Arc<Runner>],
        works: &Arc<Works>,
    ) -> Result<Vec<(String, Arc<Runner>)>> {
        let entities = self.entities(client, runners)?;
        self.shared.entities.store(runners.len(), Ordering::Release);
        let now = self.environment.clock.timestamp();
        for runner in runners.iter().filter(|runner| !runner.status().is_started()) {
            runner.execute(now, &mut NoWake)?;
        }
        for (runnable, runner) in &entities {
            let target = self.target(client, runnable, runner, runners)?;
            self.register(client, runnable, runner, target, works)?;
        }
        Ok(entities)
    }

    fn execute(&self) -> Result<End> {
        let (runners, _) = self.environment.runners.begin_run();
        if runners.is_empty() {
            return Ok(End::Finished);
        }
        let is_ending = || self.shared.is_ending.load(Ordering::Acquire);
        let say = || {
            let socket = self.socket.display();
            tracing::info!("the client `{}` waits for a master at `{socket}`", self.name);
        };
        let client = match Client::connect(&self.name, &self.socket, &is_ending, &say) {
            Err(_) if is_ending() => return Ok(End::Interrupted),
            client => Arc::new(client.map_err(failed)?),
        };
        let works = Arc::<Works>::default();
        let prepared = self.prepare(&client, &runners, &works);
        // The master tells the others why this one does not come.
        let entities = prepared.inspect_err(|error| client.fail(&with_causes(error)))?;
        *self.shared.client.lock() = Some(client.clone());
        if is_ending() {
            return Ok(End::Interrupted);
        }
        let submits = entities.iter().any(|(runnable, _)| !client.works_of(runnable).is_empty());
        let ended = std::thread::scope(|scope| {
            if submits {
                let run = || works.run(&client, &self.shared);
                let name = "gxe-stm-works".to_owned();
                let spawned = std::thread::Builder::new().name(name).spawn_scoped(scope, run);
                if let Err(error) = spawned {
                    let failed = Error::new(ResultCode::FAILURE, "a thread cannot be started");
                    return Err(failed.caused_by(error));
                }
            }
            let ended = client.enter().map_err(failed);
            works.end();
            ended
        });
        self.shared.client.lock().take();
        let outcome = self.shared.outcome.lock().take();
        outcome.unwrap_or_else(|| ended.map(|()| End::Finished))
    }
}

impl Engine for ClientEngine {
    fn environment(&self) -> &Environment {
        &self.environment
    }

    fn bounds_device_work(&self) -> bool {
        true
    }

    fn thread_name(&self) -> String {
        "gxe-stm-client".to_owned()
    }

    fn run(&self) -> Result<End> {
        self.execute()
    }

    fn interrupt(&self) {
        self.environment.event_queue.stop();
        self.shared.finish(Ok(End::Interrupted));
    }
}
