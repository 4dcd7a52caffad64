//! The services of a process.

use gxf::{IpcService, ResultCode};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::watch;

/// The services of a server, by name and whether they are actions.
#[derive(Clone, Default)]
pub struct Services(Arc<Known>);

#[derive(Default)]
struct Known {
    services: RwLock<HashMap<(String, bool), IpcService>>,
    changes: watch::Sender<()>,
}

/// Why a service gave no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// There is no such service.
    Unknown(String),
    /// There is one that answers queries instead of actions, or actions instead of queries.
    OtherKind(String),
    /// The request is wrong.
    Refused(String),
    /// The service failed.
    Failed(String),
}

impl NoAnswer {
    /// From the error of a service.
    fn new(error: &gxf::Error) -> Self {
        let text = shortened(&error.to_string());
        match error.code() {
            ResultCode::ARGUMENT_INVALID
            | ResultCode::ARGUMENT_OUT_OF_RANGE
            | ResultCode::ENTITY_NOT_FOUND
            | ResultCode::ENTITY_COMPONENT_NOT_FOUND
            | ResultCode::INVALID_DATA_FORMAT
            | ResultCode::PARAMETER_INVALID_TYPE
            | ResultCode::PARAMETER_NOT_FOUND
            | ResultCode::PARAMETER_OUT_OF_RANGE
            | ResultCode::PARAMETER_PARSER_ERROR
            | ResultCode::QUERY_NOT_FOUND => Self::Refused(text),
            _ => Self::Failed(text),
        }
    }
}

/// A text with parts of a request or of an answer, which may be long.
#[must_use]
pub fn shortened(text: &str) -> String {
    const LIMIT: usize = 2000;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

impl Services {
    /// Adds a service, or replaces it.
    pub fn register(&self, name: &str, is_action: bool, service: IpcService) {
        self.0.services.write().insert((name.to_owned(), is_action), service);
        self.0.changes.send_replace(());
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        self.0.services.write().clear();
        self.0.changes.send_replace(());
    }

    /// Whether there is a service of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.services.read().keys().any(|(known, _)| known == name)
    }

    /// Tells when services come or go.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<()> {
        self.0.changes.subscribe()
    }

    /// Asks a service, on a thread of its own: it may take its time.
    ///
    /// # Errors
    /// There is no such service, or it fails.
    pub async fn answer(
        &self,
        name: String,
        is_action: bool,
        resource: String,
        payload: String,
    ) -> std::result::Result<String, NoAnswer> {
        let known = {
            let services = self.0.services.read();
            let find = |is_action| services.get(&(name.clone(), is_action)).copied();
            find(is_action).ok_or_else(|| match (find(!is_action), is_action) {
                (None, _) => NoAnswer::Unknown(shortened(&format!("there is no service `{name}`"))),
                (Some(_), true) => NoAnswer::OtherKind(format!("`{name}` answers queries only")),
                (Some(_), false) => NoAnswer::OtherKind(format!("`{name}` answers actions only")),
            })
        }?;
        let answer = tokio::task::spawn_blocking(move || known.answer(&resource, &payload)).await;
        match answer {
            Ok(answer) => answer.map_err(|error| NoAnswer::new(&error)),
            Err(_) => Err(NoAnswer::Failed("the service has failed".to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_watches_hears_of_each_change() {
        let services = Services::default();
        let mut changes = services.changes();
        assert!(!changes.has_changed().expect("the services are there"));
        services.clear();
        assert!(changes.has_changed().expect("the services are there"));
        changes.mark_unchanged();
        assert!(!changes.has_changed().expect("the services are there"));
    }
}
