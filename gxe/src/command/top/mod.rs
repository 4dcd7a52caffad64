//! `gxe top`: shows what a running graph does, in a terminal or as JSON lines.
//!
//! `session.rs` sends requests to the run without blocking; `view.rs` holds
//! the state of the run and draws it with the table of `columns.rs`, `prompt.rs` is the input line
//! for a parameter.

mod columns;
mod entity;
mod prompt;
mod session;
mod view;

use super::error::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::control::client::Client;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::usage_error::UsageError;
use anyhow::anyhow;
use clap::Args;
use gxf_runtime::graph::escape;
use prompt::{Prompt, Typed};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use serde_json::{Value, json};
use session::{Answer, Request, Session};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use view::View;

/// Looks at a graph that runs.
#[derive(Args, Debug)]
pub struct Top {
    /// Control socket or process id of the run
    #[arg(value_name = "SOCKET|PID")]
    target: OsString,

    /// Print one line of JSON per update, for scripts
    #[arg(long)]
    json: bool,

    /// Time between updates
    #[arg(long, value_name = "MILLISECONDS", default_value = "500",
          value_parser = clap::value_parser!(u32).range(10..))]
    interval: u32,

    /// Exit after this many lines (with --json) [default: when the graph ends]
    #[arg(long, value_name = "NUMBER", requires = "json",
          value_parser = clap::value_parser!(u64).range(1..))]
    count: Option<u64>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Top {
    /// Shows the graph until it ends or the user quits.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let is_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
        if !self.json && !is_terminal {
            let error = UsageError::new("`gxe top` needs a terminal");
            return Err(error.hint("for scripts:  gxe top --json SOCKET").into());
        }
        let failed = |error| CommandError::from(Failure::new(ExitStatus::Load, error));
        let client = Client::connect(&self.target).map_err(failed)?;
        let interval = Duration::from_millis(self.interval.into());
        if self.json {
            return self.print(client, interval);
        }
        let signals = Signals::watch()?;
        let mut session = Session::begin(client).map_err(failed)?;
        let mut terminal = ratatui::try_init()?;
        let shown = show(&mut session, interval, &signals, &mut terminal);
        ratatui::try_restore()?;
        if let Some(status) = signals.arrived() {
            return Ok(status);
        }
        Console::print(&format!("{}\n", shown?))?;
        Ok(ExitStatus::Success)
    }

    fn print(&self, mut client: Client, interval: Duration) -> Result<ExitStatus, CommandError> {
        client.set_patience(LATEST)?;
        let failed = |error| CommandError::from(Failure::new(ExitStatus::Run, error));
        let mut printed = 0;
        let mut refusal = None;
        // A connection that ends is a graph that ended.
        while let Some(status) = client.ask(&json!({"command": "status"})).map_err(failed)? {
            Console::print(&format!("{}\n", escape::json(&status)))?;
            printed += 1;
            // The next answer may be a better one: between two graphs, there is none.
            refusal = refused(&status);
            if self.count.is_some_and(|count| printed >= count) {
                break;
            }
            std::thread::sleep(interval);
        }
        match refusal {
            Some(refusal) => Err(failed(anyhow!("the run refuses: {refusal}"))),
            None if printed == 0 => Err(failed(anyhow!("the run ended before it answered"))),
            None => Ok(ExitStatus::Success),
        }
    }
}

/// Signals that end the view, so that the terminal is restored.
struct Signals([(Arc<AtomicBool>, ExitStatus); 3]);

impl Signals {
    fn watch() -> io::Result<Self> {
        let watch = |signal: i32, status: ExitStatus| {
            let arrived = Arc::new(AtomicBool::new(false));
            flag::register(signal, Arc::clone(&arrived))?;
            io::Result::Ok((arrived, status))
        };
        Ok(Self([
            watch(SIGINT, ExitStatus::Interrupted)?,
            watch(SIGTERM, ExitStatus::Terminated)?,
            watch(SIGHUP, ExitStatus::Terminated)?,
        ]))
    }

    /// The exit status if a signal has arrived.
    fn arrived(&self) -> Option<ExitStatus> {
        let arrived = self.0.iter().find(|(arrived, _)| arrived.load(Ordering::Relaxed));
        arrived.map(|(_, status)| *status)
    }
}

/// Time-out of an answer to a script.
const LATEST: Duration = Duration::from_secs(10);
/// Time without an answer after which the user is told.
const LATE: Duration = Duration::from_secs(1);
/// Period for checking answers and signals while no key is pressed.
const PERIOD: Duration = Duration::from_millis(50);

/// Draws until the graph ends, the user quits or a signal arrives; returns which.
fn show(
    session: &mut Session,
    interval: Duration,
    signals: &Signals,
    terminal: &mut DefaultTerminal,
) -> io::Result<&'static str> {
    let mut view = View::default();
    let mut next = Instant::now();
    loop {
        if signals.arrived().is_some() {
            return Ok("a signal came");
        }
        while let Some(answer) = session.answer() {
            match take(answer, session, &mut view) {
                Ok(true) => {}
                Ok(false) => return Ok("the graph ended"),
                Err(error) => view.say(format!("error: {error:#}")),
            }
        }
        view.silence = session.silence().filter(|silence| *silence >= LATE);
        if session.silence().is_none() && Instant::now() >= next {
            next = Instant::now() + interval;
            session.ask(Request::Status);
            session.ask(Request::Statistics);
        }
        terminal.draw(|frame| view.draw(frame))?;
        let left = next.saturating_duration_since(Instant::now());
        // The answer to a pending request arrives soon.
        if event::poll(if session.silence().is_some() { PERIOD } else { left.min(PERIOD) })?
            && let Event::Key(key) = event::read()?
            && key.kind == KeyEventKind::Press
            && act(key, session, &mut view)
        {
            return Ok("the graph goes on");
        }
    }
}

/// Why a run refuses a request, if it does.
fn refused(answer: &Value) -> Option<String> {
    (answer["ok"] != true).then(|| answer["error"].as_str().unwrap_or("refused").to_owned())
}

/// Handles an answer; false if the run ended.
///
/// # Errors
/// The run refuses the request, or its answer cannot be understood.
fn take((request, answer): Answer, session: &mut Session, view: &mut View) -> anyhow::Result<bool> {
    let Some(answer) = answer? else { return Ok(false) };
    let refusal = refused(&answer);
    let done = match (request, refusal) {
        (Request::Status, _) => {
            view.take_status(answer);
            return Ok(true);
        }
        (Request::Statistics, _) => {
            view.take_statistics(&answer);
            return Ok(true);
        }
        // A trace is already being recorded.
        (Request::TraceStart, Some(_)) => {
            session.ask(Request::Trace { file: session::trace_file()? });
            return Ok(true);
        }
        (_, Some(refusal)) => anyhow::bail!(refusal),
        (Request::TraceStart, None) => "recording; t writes the trace".to_owned(),
        (Request::Trace { file }, None) => format!("trace written to {}", file.display()),
        (Request::Stop, None) => "stopping".to_owned(),
        (Request::Pause { resume }, None) => {
            format!("{}: done", if resume { "resume" } else { "pause" })
        }
        (Request::Step, None) => match answer["entity"].as_str() {
            Some(entity) => format!("{entity} ticked"),
            None => "no entity is ready".to_owned(),
        },
        (Request::Set { parameter, value }, None) => format!("{parameter} = {value}"),
        (Request::Parameters, None) => {
            view.prompt = Prompt::new(&answer);
            let is_none = view.prompt.is_none();
            (if is_none { "no parameter of this graph is dynamic" } else { "" }).to_owned()
        }
    };
    view.say(done);
    Ok(true)
}

/// Handles a key; true if the user quits.
fn act(key: KeyEvent, session: &mut Session, view: &mut View) -> bool {
    if let Some(prompt) = &mut view.prompt {
        match prompt.take(key) {
            Typed::On => return false,
            Typed::Cancelled => view.say(String::new()),
            Typed::Done { parameter, value } => session.ask(Request::Set { parameter, value }),
        }
        view.prompt = None;
        return false;
    }
    if view.is_filtering() && !key.modifiers.contains(KeyModifiers::CONTROL) {
        view.type_filter(key.code);
        return false;
    }
    match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return true,
        KeyCode::Char('q') => return true,
        KeyCode::Esc => view.calm_down(),
        KeyCode::Char('?' | 'h') => view.toggle_help(),
        KeyCode::Char('/') => view.begin_filter(),
        KeyCode::Char('o') => view.order_by_next(),
        KeyCode::Char('s') => session.ask(Request::Stop),
        KeyCode::Char('p') => session.ask(Request::Pause { resume: view.is_paused() }),
        KeyCode::Char('n') => session.ask(Request::Step),
        KeyCode::Char('c') => session.ask(Request::Parameters),
        KeyCode::Char('t') => session.ask(Request::TraceStart),
        KeyCode::Down => view.scroll(1),
        KeyCode::Up => view.scroll(-1),
        _ => {}
    }
    false
}
