//! The engine that executes entities as a client of an STM master: the client's workers, in
//! `gxf-stm-processes`, follow the schedule, and call the entities.
//!
//! Terms stay in force: an entity that is not ready in its place is passed over. The run ends when
//! no entity is left, when the master ends, or by an interrupt; executions that have begun end first.

use crate::entity::port::Wake;
use crate::entity::runner::{Runner, Status};
use crate::schedule::engine::{End, Engine, Environment};
use crate::schedule::scope::Scope;
use crate::standard::scheduler::StaticClient;
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_app::suggest::nearest;
use gxf_plugin::component::{Component, Native};
use gxf_plugin_abi::{ConditionType, ResultCode};
use gxf_stm_processes::client::{Client, Execution, Outcome};
use gxf_stm_processes::default_socket;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

fn failed(failure: gxf_stm_processes::Failure) -> Error {
    let text = failure.text;
    Error::new(ResultCode::FAILURE, text).caused_by(failure.status)
}

impl Shared {
    /// Ends the run; the first reason counts.
    fn finish(&self, outcome: Result<End>) {
        self.outcome.lock().get_or_insert(outcome);
        self.is_ending.store(true, Ordering::Release);
        let client = self.client.lock().clone();
        if let Some(client) = client {
            client.exit();
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
        for runnable in client.runnables() {
            if client.submits(&runnable) {
                problems.push(format!(
                    "the runnable `{}` submits work, which entities of a gxe::StaticClient cannot; \
                     use a program with gxf/stm/stm.h",
                    one_line(&runnable)
                ));
            }
            let pair = self.pairs.iter().find(|pair| pair.first() == Some(&runnable));
            let short = runnable.split_once('.').map_or(runnable.as_str(), |(_, short)| short);
            let names: Vec<&str> = match pair.and_then(|pair| pair.get(1)) {
                Some(name) => vec![name],
                None => vec![&runnable, short],
            };
            let known = |name: &&str| runners.iter().find(|one| one.entity.name() == *name);
            match names.iter().find_map(known) {
                Some(runner) => found.push((runnable, runner.clone())),
                None => {
                    let name = names.last().copied().unwrap_or_default();
                    let near = nearest(name, runners.iter().map(|one| one.entity.name()));
                    let near =
                        near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
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

    fn register(&self, client: &Client, runnable: &str, runner: &Arc<Runner>) -> Result<()> {
        let Environment { clock, event_queue, runners, .. } = self.environment.clone();
        let (shared, runner) = (self.shared.clone(), runner.clone());
        let scope = Scope::of_this_thread();
        let execute = move |execution: &Execution<'_>| {
            event_queue.sit_out_pause();
            let _entered = scope.map(Scope::enter);
            let since = Client::now().saturating_sub(execution.frame_start).max(0);
            let time = clock.timestamp().saturating_sub(since);
            match runner.execute(time, &mut NoWake) {
                Ok(condition) if condition.condition_type == ConditionType::READY => Outcome::Done,
                Ok(condition) if condition.condition_type == ConditionType::NEVER => {
                    if shared.gone(runner.number) {
                        runners.gone(runner.number);
                    }
                    Outcome::Missing
                }
                Ok(_) => Outcome::PassedOver,
                Err(error) => {
                    shared.finish(Err(error));
                    Outcome::Done
                }
            }
        };
        client.register(runnable, Box::new(execute)).map_err(failed)
    }

    fn execute(&self) -> Result<End> {
        let (runners, _) = self.environment.runners.begin_run();
        if runners.is_empty() {
            return Ok(End::Finished);
        }
        let is_ending = || self.shared.is_ending.load(Ordering::Acquire);
        let client = match Client::connect(&self.name, &self.socket, &is_ending) {
            Err(_) if is_ending() => return Ok(End::Interrupted),
            client => Arc::new(client.map_err(failed)?),
        };
        let entities = self.entities(&client, &runners)?;
        self.shared.entities.store(runners.len(), Ordering::Release);
        let now = self.environment.clock.timestamp();
        for runner in runners.iter().filter(|runner| runner.status() == Status::NotStarted) {
            runner.execute(now, &mut NoWake)?;
        }
        for (runnable, runner) in &entities {
            self.register(&client, runnable, runner)?;
        }
        *self.shared.client.lock() = Some(client.clone());
        if is_ending() {
            return Ok(End::Interrupted);
        }
        let ended = client.enter();
        self.shared.client.lock().take();
        let outcome = self.shared.outcome.lock().take();
        outcome.unwrap_or_else(|| ended.map(|()| End::Finished).map_err(failed))
    }
}

impl Engine for ClientEngine {
    fn environment(&self) -> &Environment {
        &self.environment
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
