//! Requests to a run that may answer late or never. A thread sends them and waits, so that keys and
//! signals still work.

use crate::control::client::Client;
use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// A request.
pub enum Request {
    /// What every entity is doing.
    Status,
    /// The statistics.
    Statistics,
    /// The dynamic parameters.
    Parameters,
    /// A new value for one of them.
    Set { parameter: String, value: String },
    /// Pauses or resumes the run.
    Pause { resume: bool },
    /// Executes one entity during a pause.
    Step,
    /// Begins a trace.
    TraceStart,
    /// Writes the trace to a file.
    Trace { file: PathBuf },
    /// Ends the run.
    Stop,
}

impl Request {
    fn text(&self) -> Value {
        match self {
            Self::Status => json!({"command": "status"}),
            Self::Statistics => json!({"command": "statistics"}),
            Self::Parameters => json!({"command": "parameters"}),
            Self::Set { parameter, value } => {
                json!({"command": "set", "parameter": parameter, "value": value})
            }
            Self::Pause { resume: true } => json!({"command": "resume"}),
            Self::Pause { resume: false } => json!({"command": "pause"}),
            Self::Step => json!({"command": "step"}),
            Self::TraceStart => json!({"command": "trace_start"}),
            Self::Trace { file } => json!({"command": "trace", "file": file}),
            Self::Stop => json!({"command": "stop"}),
        }
    }
}

/// A request and its answer: none if the run ended.
pub type Answer = (Request, Result<Option<Value>>);

/// See the head of this file.
pub struct Session {
    requests: Sender<Request>,
    answers: Receiver<Answer>,
    /// Start times of the pending requests, the oldest first.
    waiting: VecDeque<Instant>,
}

impl Session {
    /// Starts the thread that uses the connection.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn begin(mut client: Client) -> Result<Self> {
        let (requests, asked) = channel::<Request>();
        let (answered, answers) = channel();
        let talk = move || {
            for request in asked {
                let answer = client.ask(&request.text());
                let is_over = !matches!(answer, Ok(Some(_)));
                if answered.send((request, answer)).is_err() || is_over {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("session".into()).spawn(talk)?;
        Ok(Self { requests, answers, waiting: VecDeque::new() })
    }

    /// Sends a request; the answer comes later.
    pub fn ask(&mut self, request: Request) {
        // If the thread has ended, its last answer says why.
        if self.requests.send(request).is_ok() {
            self.waiting.push_back(Instant::now());
        }
    }

    /// The next answer, if there is one already.
    pub fn answer(&mut self) -> Option<Answer> {
        let answer = self.answers.try_recv().ok()?;
        self.waiting.pop_front();
        Some(answer)
    }

    /// How long the oldest pending request has waited; `None` if there is none.
    pub fn silence(&self) -> Option<Duration> {
        self.waiting.front().map(Instant::elapsed)
    }
}

/// A name for a trace that is not taken, in the current folder.
pub fn trace_file() -> Result<PathBuf> {
    let folder = std::env::current_dir()?;
    let names = (1_u32..).map(|number| folder.join(format!("gxe-trace-{number}.json")));
    names.into_iter().find(|path| !path.exists()).context("no name is free")
}
