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
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, Response};
use serde_json::{Value, json};
use std::collections::HashMap;

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
        let (connection, client) = Connection::memory();
        let Connection { sender, receiver } = client;
        let pass = move |message| sender.send(message).is_ok();
        let reader = std::thread::spawn(move || messages::read_all(std::io::stdin().lock(), pass));
        let writer =
            std::thread::spawn(move || messages::write_all(std::io::stdout().lock(), receiver));
        let began = connection.initialize(capabilities());
        let ended = match began {
            Ok(_) => Server { options, documents: HashMap::new() }.serve(&connection),
            Err(_) => Ok(Ended::Early),
        };
        drop(connection);
        writer.join().unwrap_or(Ok(()))?;
        if ended.map_err(failed)? == Ended::Early {
            // The reader has ended, too, and knows why.
            reader.join().unwrap_or(Ok(())).map_err(|error| failed(error.into()))?;
            let error = anyhow!("standard input ended before the client ended the session");
            return Err(failed(error).into());
        }
        Ok(ExitStatus::Success)
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

/// How a session ended.
#[derive(PartialEq)]
enum Ended {
    /// The client asked for it.
    Regularly,
    /// Nothing more came.
    Early,
}

struct Server {
    options: GraphOptions,
    documents: HashMap<String, Document>,
}

impl Server {
    fn serve(mut self, connection: &Connection) -> anyhow::Result<Ended> {
        for message in &connection.receiver {
            match message {
                Message::Request(request) => {
                    if connection.handle_shutdown(&request)? {
                        return Ok(Ended::Regularly);
                    }
                    connection.sender.send(self.answer(request).into())?;
                }
                Message::Notification(notification) => {
                    if let Some(published) = self.take(notification) {
                        connection.sender.send(published.into())?;
                    }
                }
                Message::Response(_) => {}
            }
        }
        Ok(Ended::Early)
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
