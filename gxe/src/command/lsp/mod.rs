//! `gxe lsp`: a language server for app files, over standard input and output.
//!
//! - this file: the protocol, one message after the other;
//! - `messages.rs`: messages as bytes;
//! - `document.rs`: an open file, and positions in it; `outline.rs`: its entities and components,
//!   read by lines so that half a file is enough;
//! - `knowledge.rs`: types from the extensions that the file needs;
//! - `completion.rs`, `hover.rs`, `findings.rs`: the answers.

mod completion;
mod document;
mod findings;
mod hover;
mod knowledge;
mod messages;
mod outline;

use super::error::CommandError;
use crate::arguments::{CommonArguments, ExtensionArguments, GraphArguments};
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::options::GraphOptions;
use anyhow::anyhow;
use clap::Args;
use document::Document;
use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use messages::{Received, sent};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// A language server for app files.
#[derive(Args, Debug)]
#[command(after_help = "\
The server completes types, parameters and handles, shows their documentation, and reports what
`gxe check` finds. It uses the manifest of --manifest, else the one in or next to the app, else all
installed extensions.

For Neovim:  vim.lsp.start({name = 'gxe', cmd = {'gxe', 'lsp'}, root_dir = vim.fn.getcwd()})
For Helix:   [language-server.gxe] command = \"gxe\", args = [\"lsp\"]")]
pub struct Lsp {
    #[command(flatten)]
    extensions: ExtensionArguments,

    #[command(flatten)]
    common: CommonArguments,
}

impl Lsp {
    /// Serves until the client ends the session.
    pub fn execute(self) -> Result<ExitStatus, CommandError> {
        let environment = |name: &str| std::env::var_os(name);
        let options = GraphOptions::new(GraphArguments::default(), self.extensions, environment)?;
        let failed = |error: anyhow::Error| Failure::new(ExitStatus::Run, error);
        let (pass, received) = sync_channel(0);
        let pass = move |message| pass.send(message).is_ok();
        let reader = std::thread::spawn(move || messages::read_all(std::io::stdin().lock(), pass));
        let (answer, answers) = sync_channel(0);
        let writer =
            std::thread::spawn(move || messages::write_all(std::io::stdout().lock(), answers));
        let server = Server { options, documents: HashMap::new(), session: Session::New };
        let ended = server.serve(&received, &answer);
        drop((received, answer));
        writer.join().unwrap_or(Ok(()))?;
        let text = match ended {
            Ended::Regularly => return Ok(ExitStatus::Success),
            Ended::Abruptly => "the client sent `exit` without `shutdown` before it",
            Ended::Early => {
                // The reader has ended, too, and knows why.
                reader.join().unwrap_or(Ok(())).map_err(|error| failed(error.into()))?;
                "standard input ended before the client ended the session"
            }
        };
        Err(failed(anyhow!(text)).into())
    }
}

fn capabilities() -> Value {
    json!({
        "textDocumentSync": {"openClose": true, "change": 1},
        "completionProvider": {"triggerCharacters": [" ", ":", "/"]},
        "hoverProvider": true,
        "definitionProvider": true,
    })
}

/// How far a session is.
#[derive(Clone, Copy, PartialEq)]
enum Session {
    /// It waits for `initialize`.
    New,
    /// Requests are answered.
    Open,
    /// It waits for `exit`.
    ShutDown,
}

/// How a session ended.
enum Ended {
    /// The client asked for it.
    Regularly,
    /// The client left without `shutdown`.
    Abruptly,
    /// Nothing more came.
    Early,
}

struct Server {
    options: GraphOptions,
    documents: HashMap<String, Document>,
    session: Session,
}

impl Server {
    fn serve(mut self, received: &Receiver<Received>, sender: &SyncSender<Value>) -> Ended {
        for message in received {
            let answer = match message {
                Ok(Message::Request(request)) => Some(sent(self.conduct(request))),
                Ok(Message::Notification(notification)) if notification.method == "exit" => {
                    return match self.session {
                        Session::ShutDown => Ended::Regularly,
                        Session::New | Session::Open => Ended::Abruptly,
                    };
                }
                Ok(Message::Notification(notification)) if self.session == Session::Open => {
                    self.take(notification).map(sent)
                }
                Ok(Message::Notification(_) | Message::Response(_)) => None,
                Err(refused) => Some(refused),
            };
            if answer.is_some_and(|answer| sender.send(answer).is_err()) {
                // The writer has ended, and knows why.
                break;
            }
        }
        match self.session {
            Session::ShutDown => Ended::Regularly,
            Session::New | Session::Open => Ended::Early,
        }
    }

    /// Answers a request in its place in the session.
    fn conduct(&mut self, request: Request) -> Response {
        let (code, text) = match (self.session, &*request.method) {
            (Session::New, "initialize") => {
                self.session = Session::Open;
                return Response::new_ok(request.id, json!({"capabilities": capabilities()}));
            }
            (Session::Open, "shutdown") => {
                self.session = Session::ShutDown;
                return Response::new_ok(request.id, Value::Null);
            }
            (Session::New, _) => {
                (ErrorCode::ServerNotInitialized, "the session begins with `initialize`")
            }
            (Session::Open, "initialize") => {
                (ErrorCode::InvalidRequest, "the session has begun already")
            }
            (Session::ShutDown, _) => (ErrorCode::InvalidRequest, "the session is over"),
            (Session::Open, _) => return self.answer(request),
        };
        Response::new_err(request.id, code as i32, text.to_owned())
    }

    fn answer(&self, Request { id, method, params }: Request) -> Response {
        let document = params["textDocument"]["uri"].as_str();
        let document = document.and_then(|uri| self.documents.get(uri));
        let at = &params["position"];
        let at = |document: &Document| {
            let number = |value: &Value| value.as_u64().and_then(|it| usize::try_from(it).ok());
            document.place(number(&at["line"]).unwrap_or(0), number(&at["character"]).unwrap_or(0))
        };
        let options = &self.options;
        let result = match (&*method, document) {
            ("textDocument/completion", Some(open)) => completion::at(open, at(open), options),
            ("textDocument/hover", Some(open)) => hover::at(open, at(open), options),
            ("textDocument/definition", Some(open)) => hover::definition(open, at(open)),
            (
                "textDocument/completion" | "textDocument/hover" | "textDocument/definition",
                None,
            ) => Value::Null,
            _ => {
                let text = format!("gxe lsp does not offer {method}");
                return Response::new_err(id, ErrorCode::MethodNotFound as i32, text);
            }
        };
        Response::new_ok(id, result)
    }

    /// Keeps track of open files. Returns what is wrong with one that changed.
    fn take(&mut self, Notification { method, params }: Notification) -> Option<Notification> {
        let uri = params["textDocument"]["uri"].as_str()?.to_owned();
        let text = match &*method {
            "textDocument/didOpen" => params["textDocument"]["text"].as_str()?,
            // The client sends the whole text.
            "textDocument/didChange" => {
                params["contentChanges"].as_array()?.last()?["text"].as_str()?
            }
            "textDocument/didClose" => {
                self.documents.remove(&uri);
                return Some(published(&uri, &[]));
            }
            _ => return None,
        };
        let document = Document::new(&uri, text);
        let found = findings::of(&document, &self.options);
        self.documents.insert(uri.clone(), document);
        Some(published(&uri, &found))
    }
}

fn published(uri: &str, found: &[Value]) -> Notification {
    let params = json!({"uri": uri, "diagnostics": found});
    Notification { method: "textDocument/publishDiagnostics".to_owned(), params }
}

/// What findings name as their source.
const SOURCE: &str = "gxe";
