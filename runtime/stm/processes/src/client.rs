//! A process that executes the runnables of one client.

use crate::execution::Execute;
use crate::layout::{CLOSED, Layout};
use crate::message::{Answer, Reader, Request, failure, send};
use crate::segment::Segment;
use crate::worker::{Worker, work_done};
use crate::{Failure, lock, now};
use gxf_app::suggest::did_you_mean;
use gxf_stm::status::Status;
use rustc_hash::FxHashMap;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::ErrorKind;
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

pub use crate::execution::{Execution, Outcome};

/// How often to look for a master that is not there yet.
const PERIOD: Duration = Duration::from_millis(20);

/// Executes a runnable.
pub type Function = Box<dyn Fn(&Execution<'_>) -> Outcome + Send + Sync>;

/// Prepares for a schedule, the first number, that starts in place of another one.
pub type RollOver = Box<dyn Fn(u16, u16) + Send + Sync>;

/// A client that is connected to a master.
pub struct Client {
    name: String,
    /// Its place in the layout.
    place: usize,
    layout: Layout,
    segment: Segment,
    stream: UnixStream,
    answers: Mutex<Reader>,
    functions: Mutex<FxHashMap<String, Function>>,
    roll_over: Mutex<Option<Arc<RollOver>>>,
    /// Works that were submitted: cell, count and cell of the progress.
    submitted: Mutex<FxHashMap<String, (usize, u32, usize)>>,
    /// Submitted work is done.
    work_ended: Condvar,
    is_over: AtomicBool,
    /// Why the client leaves, if it failed.
    failure: Mutex<Option<String>>,
    /// Whether [`Client::enter`] is being called.
    is_inside: Mutex<bool>,
}

/// After this time without a master, whoever waits says so.
const SILENCE: Duration = Duration::from_secs(2);

/// A connection to a master, behind its greeting.
pub(crate) fn connect(
    socket: &Path,
    request: &Request,
    is_over: &dyn Fn() -> bool,
    say_that_it_waits: &dyn Fn(),
) -> Result<(UnixStream, Segment, Layout, Reader), Failure> {
    let lost = |error: std::io::Error| {
        let text = format!("the master at `{}` cannot be reached: {error}", socket.display());
        Failure::new(Status::Connection, text)
    };
    let (began, mut has_said) = (Instant::now(), false);
    let stream = loop {
        match UnixStream::connect(socket) {
            Ok(stream) => break stream,
            // Clients may start before the master.
            Err(error)
                if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::ConnectionRefused) =>
            {
                // Nobody will ever listen at a file of another kind.
                let kind = socket.symlink_metadata().map(|about| about.file_type());
                if is_over() || kind.is_ok_and(|kind| kind.is_file() || kind.is_dir()) {
                    return Err(lost(error));
                }
                if began.elapsed() > SILENCE && !std::mem::replace(&mut has_said, true) {
                    say_that_it_waits();
                }
                std::thread::sleep(PERIOD);
            }
            Err(error) => return Err(lost(error)),
        }
    };
    send(&stream, request).map_err(lost)?;
    let memory = Segment::receive(&stream).map_err(lost)?;
    let mut answers = Reader::of_answers(stream.try_clone().map_err(lost)?);
    let no_answer = || lost(ErrorKind::UnexpectedEof.into());
    let (texts, log_limit) = match answers.next().ok_or_else(no_answer)? {
        Answer::Schedules { texts, log_limit } => (texts, log_limit),
        Answer::Done { status, text } => return Err(failure(status, text)),
        Answer::End { status, text } => return Err(over(status, text)),
        Answer::RollOver { .. } => return Err(no_answer()),
    };
    let layout = Layout::new(&texts)?;
    let segment = Segment::open(memory, layout.size(log_limit)).map_err(lost)?;
    answer(&mut answers)?;
    Ok((stream, segment, layout, answers))
}

/// Reads the answer to a request.
pub(crate) fn answer(answers: &mut Reader) -> Result<(), Failure> {
    match answers.next() {
        Some(Answer::Done { status: 0, .. }) => Ok(()),
        Some(Answer::Done { status, text }) => Err(failure(status, text)),
        Some(Answer::End { status, text }) => Err(over(status, text)),
        _ => Err(Failure::new(Status::Connection, "the master is gone")),
    }
}

/// Why nothing answers a request any more. A master that ended regularly has not done it, either.
fn over(status: u32, text: String) -> Failure {
    match status {
        0 => Failure::new(Status::Connection, "the master has ended"),
        _ => failure(status, text),
    }
}

impl Client {
    /// Connects to a master, and waits for it if it is not there yet, unless `is_over`. After a while,
    /// `say_that_it_waits` is called, once.
    ///
    /// # Errors
    /// No schedule of the master has a client of this name, or it is there already.
    pub fn connect(
        name: &str,
        socket: &Path,
        is_over: &dyn Fn() -> bool,
        say_that_it_waits: &dyn Fn(),
    ) -> Result<Self, Failure> {
        let (stream, segment, layout, answers) = connect(
            socket,
            &Request::Client { name: name.to_owned(), process: std::process::id() },
            is_over,
            say_that_it_waits,
        )?;
        let place = layout.clients.iter().position(|known| known == name);
        let place = place.ok_or_else(|| {
            Failure::new(Status::NotFound, format!("no schedule has a client `{name}`"))
        })?;
        Ok(Self {
            name: name.to_owned(),
            place,
            layout,
            segment,
            stream,
            answers: Mutex::new(answers),
            functions: Mutex::default(),
            roll_over: Mutex::default(),
            submitted: Mutex::default(),
            work_ended: Condvar::new(),
            is_over: AtomicBool::new(false),
            failure: Mutex::default(),
            is_inside: Mutex::new(false),
        })
    }

    /// Whether [`Client::enter`] is being called.
    #[must_use]
    pub fn is_executing(&self) -> bool {
        *lock(&self.is_inside)
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The names of its runnables, `client.runnable`, in all schedules; those that other runnables
    /// submit are left out.
    #[must_use]
    pub fn runnables(&self) -> Vec<String> {
        self.layout.runnables_of(self.place).into_iter().map(str::to_owned).collect()
    }

    /// The names of the work that a runnable submits, in all schedules.
    #[must_use]
    pub fn works_of(&self, runnable: &str) -> Vec<&str> {
        self.layout.works_of(runnable).into_iter().collect()
    }

    /// The full name of a runnable that is named with or without its client.
    ///
    /// # Errors
    /// No schedule has such a runnable, or others submit it.
    pub fn full_name(&self, runnable: &str) -> Result<&str, Failure> {
        let own = self.layout.runnables_of(self.place);
        let full = format!("{}.{runnable}", self.name);
        own.get(runnable).or_else(|| own.get(full.as_str())).copied().ok_or_else(|| {
            let near = did_you_mean(&full, own.iter().copied());
            let text = format!("no schedule has a runnable `{full}`{near}");
            Failure::new(Status::NotFound, text)
        })
    }

    /// Registers what executes a runnable, named with or without its client.
    ///
    /// # Errors
    /// No schedule has such a runnable, or it is registered already.
    pub fn register(&self, runnable: &str, function: Function) -> Result<(), Failure> {
        let known = self.full_name(runnable)?;
        let mut functions = lock(&self.functions);
        // All are, while the client executes them.
        if functions.contains_key(known) || *lock(&self.is_inside) {
            let text = format!("`{known}` is registered already");
            return Err(Failure::new(Status::BadParameter, text));
        }
        functions.insert(known.to_owned(), function);
        Ok(())
    }

    /// Sets what is called before a schedule starts in place of another one, by the thread that calls
    /// [`Client::enter`]. The one that runs goes on until this has returned, in all clients.
    pub fn on_roll_over(&self, call: RollOver) {
        *lock(&self.roll_over) = Some(Arc::new(call));
    }

    /// Executes the runnables, from worker threads, until [`Client::exit`], or until the master ends.
    ///
    /// # Errors
    /// Runnables are not registered; the master died, or a client died or failed without which it does
    /// not go on.
    pub fn enter(&self) -> Result<(), Failure> {
        let refused =
            || Failure::new(Status::InvalidState, "the client is over, or executes already");
        if *lock(&self.is_inside) {
            return Err(refused());
        }
        let mut registered = lock(&self.functions);
        let missing: Vec<_> =
            self.runnables().into_iter().filter(|name| !registered.contains_key(name)).collect();
        if let Some(first) = missing.first() {
            let more = match missing.len() - 1 {
                0 => String::new(),
                more => format!(", nor are {more} more"),
            };
            let text = format!("the runnable `{first}` is not registered{more}");
            return Err(Failure::new(Status::NotFound, text));
        }
        {
            let mut is_inside = lock(&self.is_inside);
            if *is_inside || self.is_over.load(Ordering::Acquire) {
                return Err(refused());
            }
            *is_inside = true;
        }
        let functions = std::mem::take(&mut *registered);
        drop(registered);
        let gone = || Failure::new(Status::Connection, "the master is gone");
        send(&self.stream, &Request::Enter { runnables: self.runnables() }).map_err(|_| gone())?;
        let executor = Executor { client: self, functions: &functions };
        let end = std::thread::scope(|scope| {
            for (engine, one) in self.layout.engines.iter().enumerate() {
                if !one.clients.contains(&self.place) {
                    continue;
                }
                let executor = &executor;
                let run = move || {
                    pin(&one.name);
                    let worker = Worker {
                        layout: &self.layout,
                        segment: &self.segment,
                        client: self.place,
                        engine,
                    };
                    worker.run(executor);
                };
                let name = format!("stm-{}", one.name);
                let spawned = std::thread::Builder::new().name(name).spawn_scoped(scope, run);
                if spawned.is_err() {
                    self.is_over.store(true, Ordering::Release);
                    self.segment.wake_all();
                    let text = "a worker thread cannot be started";
                    return Err(Failure::new(Status::InsufficientMemory, text));
                }
            }
            let mut answers = lock(&self.answers);
            let end = loop {
                match answers.next() {
                    Some(Answer::End { status: 0, .. }) => break Ok(()),
                    Some(Answer::End { status, text }) => break Err(failure(status, text)),
                    Some(Answer::RollOver { start, stop }) => {
                        // It may set another one, for which the lock has to be free.
                        let call = lock(&self.roll_over).clone();
                        if let Some(call) = call {
                            call(start, stop);
                        }
                        // A master that is gone is noticed by the next read.
                        let _ = send(&self.stream, &Request::ReadyToRollOver {});
                    }
                    Some(Answer::Done { status: 0, .. } | Answer::Schedules { .. }) => {}
                    Some(Answer::Done { status, text }) => break Err(failure(status, text)),
                    None if self.is_over.load(Ordering::Acquire) => break Ok(()),
                    None => break Err(gone()),
                }
            };
            self.is_over.store(true, Ordering::Release);
            self.segment.wake_all();
            end
        });
        *lock(&self.functions) = functions;
        if end.is_ok() {
            self.wait_for_work();
        }
        *lock(&self.is_inside) = false;
        self.leave();
        end
    }

    /// Waits until all submitted work is done, since others may go on as if it were when the client
    /// has left. Work that takes too long ends the master.
    fn wait_for_work(&self) {
        let mut submitted = lock(&self.submitted);
        while !submitted.is_empty() && !self.is_alone() {
            let waited = self.work_ended.wait_timeout(submitted, PERIOD);
            submitted = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Whether the master has ended.
    fn is_alone(&self) -> bool {
        let mut ends = [PollFd::new(&self.stream, PollFlags::empty())];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let hung_up = poll(&mut ends, Some(&now)).is_ok_and(|count| count > 0);
        hung_up || self.segment.cell(CLOSED).has_reached(1)
    }

    /// Ends [`Client::enter`]: the executions that have begun, and the work that they have submitted,
    /// end first.
    pub fn exit(&self) {
        let is_inside = lock(&self.is_inside);
        self.is_over.store(true, Ordering::Release);
        self.segment.wake_all();
        if *is_inside {
            // Ends the wait for answers.
            let _ = self.stream.shutdown(Shutdown::Read);
        } else {
            self.leave();
        }
    }

    /// Ends [`Client::enter`] as [`Client::exit`] does, and tells the master that the client failed,
    /// and why. Unless the others go on without it, this ends them with a failure, too.
    pub fn fail(&self, why: &str) {
        lock(&self.failure).get_or_insert_with(|| why.to_owned());
        self.exit();
    }

    /// Says good-bye. No worker executes anything any more, since others may do so from now on.
    fn leave(&self) {
        // A master that is gone need not know.
        let failure = lock(&self.failure).take();
        let _ = send(&self.stream, &Request::Leave { failure });
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// The work that a runnable has submitted is done.
    ///
    /// # Errors
    /// It has submitted none.
    pub fn work_done(&self, runnable: &str) -> Result<(), Failure> {
        let full = format!("{}.{runnable}", self.name);
        let mut submitted = lock(&self.submitted);
        let Some((cell, count, progress)) =
            submitted.remove(runnable).or_else(|| submitted.remove(&full))
        else {
            let text = format!("`{runnable}` has submitted nothing that is not done");
            return Err(Failure::new(Status::InvalidState, text));
        };
        work_done(&self.segment, cell, count, progress);
        drop(submitted);
        self.work_ended.notify_all();
        Ok(())
    }

    /// The work that the runnables have submitted failed: nobody waits for it any more.
    pub fn abandon_work(&self) {
        lock(&self.submitted).clear();
        self.work_ended.notify_all();
    }

    /// Nanoseconds of the clock that releases frames.
    #[must_use]
    pub fn now() -> i64 {
        now()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.exit();
    }
}

/// Executes the functions of a client.
struct Executor<'a> {
    client: &'a Client,
    functions: &'a FxHashMap<String, Function>,
}

impl Execute for Executor<'_> {
    fn execute(&self, execution: &Execution<'_>) -> Outcome {
        let Some(function) = self.functions.get(execution.runnable) else {
            return Outcome::Missing;
        };
        let Some(work) = execution.work else { return function(execution) };
        // Before the call, since the work may be done before it returns.
        lock(&self.client.submitted).insert(execution.runnable.to_owned(), work);
        let outcome = function(execution);
        if outcome != Outcome::Submitted {
            lock(&self.client.submitted).remove(execution.runnable);
        }
        outcome
    }

    fn is_over(&self) -> bool {
        self.client.is_over.load(Ordering::Acquire)
    }
}

/// Moves the thread to the core of its CPU, if there is one.
fn pin(engine: &str) {
    let name = engine.rsplit_once('.').map_or(engine, |(_, name)| name);
    let Some(core) = name.strip_prefix("CPU").and_then(|number| number.parse::<usize>().ok())
    else {
        return;
    };
    let Ok(allowed) = rustix::thread::sched_getaffinity(None) else { return };
    if core < rustix::thread::CpuSet::MAX_CPU && allowed.is_set(core) {
        let mut only = rustix::thread::CpuSet::new();
        only.set(core);
        // Elsewhere it runs as well.
        let _ = rustix::thread::sched_setaffinity(None, &only);
    }
}
