//! `gxe top`: what a running graph does, in a terminal or as JSON lines.
//!
//! `client.rs` speaks to the run, `view.rs` holds what is known about it and draws that with the
//! table of `columns.rs`, `prompt.rs` is the line in which a parameter is typed.

mod client;
mod columns;
mod prompt;
mod view;

use super::CommandError;
use crate::arguments::CommonArguments;
use crate::console::Console;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::usage_error::UsageError;
use clap::Args;
use client::Client;
use prompt::{Prompt, Typed};
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use serde_json::{Value, json};
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
    /// The socket that the run was given with `--control`, or the number of its process
    #[arg(value_name = "SOCKET|PID")]
    target: OsString,

    /// Print a line of JSON for each look, for scripts
    #[arg(long)]
    json: bool,

    /// How often to look
    #[arg(long, value_name = "MILLISECONDS", default_value = "500",
          value_parser = clap::value_parser!(u32).range(10..))]
    interval: u32,

    /// With --json: how many lines to print before the end [default: until the graph ends]
    #[arg(long, value_name = "NUMBER", requires = "json")]
    count: Option<u64>,

    #[command(flatten)]
    common: CommonArguments,
}

impl Top {
    /// Shows the graph until it ends or the user has seen enough.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let is_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
        if !self.json && !is_terminal {
            let error = UsageError::new("'gxe top' draws in a terminal, and this is none");
            return Err(error.hint("for scripts:  gxe top --json SOCKET").into());
        }
        let failed = |error| CommandError::from(Failure::new(ExitStatus::Load, error));
        let mut client = Client::connect(&self.target).map_err(failed)?;
        let interval = Duration::from_millis(self.interval.into());
        if self.json {
            return self.print(&mut client, interval);
        }
        let signals = Signals::watch()?;
        let mut terminal = ratatui::try_init()?;
        let shown = show(&mut client, interval, &signals, &mut terminal);
        ratatui::try_restore()?;
        if let Some(status) = signals.arrived() {
            return Ok(status);
        }
        Console::print(&format!("{}\n", shown?))?;
        Ok(ExitStatus::Success)
    }

    fn print(&self, client: &mut Client, interval: Duration) -> Result<ExitStatus, CommandError> {
        let mut printed = 0;
        // A connection that ends is a graph that ended.
        while let Ok(status) = client.ask(&json!({"command": "status"})) {
            Console::print(&format!("{status}\n"))?;
            printed += 1;
            if self.count.is_some_and(|count| printed >= count) {
                break;
            }
            std::thread::sleep(interval);
        }
        Ok(ExitStatus::Success)
    }
}

/// Signals that end the view, so that the terminal is left as it was found. A second one of the
/// same kind ends the process at once.
struct Signals([(Arc<AtomicBool>, ExitStatus); 3]);

impl Signals {
    fn watch() -> io::Result<Self> {
        let watch = |signal: i32, status: ExitStatus| {
            let arrived = Arc::new(AtomicBool::new(false));
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&arrived))?;
            flag::register(signal, Arc::clone(&arrived))?;
            io::Result::Ok((arrived, status))
        };
        Ok(Self([
            watch(SIGINT, ExitStatus::Interrupted)?,
            watch(SIGTERM, ExitStatus::Terminated)?,
            watch(SIGHUP, ExitStatus::Terminated)?,
        ]))
    }

    /// How the program ends if one has come.
    fn arrived(&self) -> Option<ExitStatus> {
        let arrived = self.0.iter().find(|(arrived, _)| arrived.load(Ordering::Relaxed));
        arrived.map(|(_, status)| *status)
    }
}

/// How often signals are looked for while nobody types.
const PATIENCE: Duration = Duration::from_millis(100);

/// Draws until the graph ends, the user leaves or a signal comes; says which.
fn show(
    client: &mut Client,
    interval: Duration,
    signals: &Signals,
    terminal: &mut DefaultTerminal,
) -> io::Result<&'static str> {
    let mut view = View::default();
    loop {
        let Ok(status) = client.ask(&json!({"command": "status"})) else {
            return Ok("the graph ended");
        };
        view.take(&status, client.ask(&json!({"command": "statistics"})).ok().as_ref());
        let next = Instant::now() + interval;
        terminal.draw(|frame| view.draw(frame))?;
        loop {
            if signals.arrived().is_some() {
                return Ok("a signal came");
            }
            let left = next.saturating_duration_since(Instant::now());
            if !event::poll(left.min(PATIENCE))? {
                if left.is_zero() {
                    break;
                }
                continue;
            }
            if let Event::Key(key) = event::read()?
                && key.kind == KeyEventKind::Press
                && act(key, client, &mut view)
            {
                return Ok("the graph goes on");
            }
            terminal.draw(|frame| view.draw(frame))?;
        }
    }
}

/// Does what a key stands for; whether that is to leave.
fn act(key: KeyEvent, client: &mut Client, view: &mut View) -> bool {
    let mut tell = |request: Value| match client.ask(&request) {
        Ok(answer) if answer["ok"] == true => Ok(answer),
        Ok(answer) => Err(answer["error"].as_str().unwrap_or("refused").to_owned()),
        Err(error) => Err(error.to_string()),
    };
    if let Some(prompt) = &mut view.prompt {
        let message = match prompt.take(key) {
            Typed::On => return false,
            Typed::Cancelled => Ok(String::new()),
            Typed::Done { parameter, value } => {
                tell(json!({"command": "set", "parameter": parameter, "value": value}))
                    .map(|_| format!("{parameter} = {value}"))
            }
        };
        view.prompt = None;
        view.say(message.unwrap_or_else(|error| format!("error: {error}")));
        return false;
    }
    let message = match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return true,
        KeyCode::Char('q') | KeyCode::Esc => return true,
        KeyCode::Char('s') => tell(json!({"command": "stop"})).map(|_| "stopping".to_owned()),
        KeyCode::Char('p') => {
            let command = if view.is_paused() { "resume" } else { "pause" };
            tell(json!({"command": command})).map(|_| format!("{command}: done"))
        }
        KeyCode::Char('c') => tell(json!({"command": "parameters"})).map(|answer| {
            view.prompt = Prompt::new(&answer);
            let is_none = view.prompt.is_none();
            (if is_none { "no parameter of this graph is dynamic" } else { "" }).to_owned()
        }),
        KeyCode::Char('t') => match tell(json!({"command": "trace_start"})) {
            Ok(_) => Ok("recording; t writes the trace".to_owned()),
            // One is being recorded already.
            Err(_) => client::trace_file().map_err(|error| error.to_string()).and_then(|file| {
                tell(json!({"command": "trace", "file": file}))?;
                Ok(format!("trace written to {}", file.display()))
            }),
        },
        KeyCode::Down => return view.scroll(1),
        KeyCode::Up => return view.scroll(-1),
        _ => return false,
    };
    view.say(message.unwrap_or_else(|error| format!("error: {error}")));
    false
}
