//! The services of a process.

use gxf::IpcService;
use parking_lot::RwLock;
use std::collections::HashMap;
use std::sync::Arc;

/// The services of a server, by name and whether they are actions.
#[derive(Clone, Default)]
pub struct Services(Arc<RwLock<HashMap<(String, bool), IpcService>>>);

/// Why a service gave no answer.
#[derive(Debug)]
pub enum NoAnswer {
    /// There is no such service.
    Unknown,
    /// It failed.
    Failed(String),
}

impl Services {
    /// Adds a service, or replaces it.
    pub fn register(&self, name: &str, is_action: bool, service: IpcService) {
        self.0.write().insert((name.to_owned(), is_action), service);
    }

    /// Forgets all of them.
    pub fn clear(&self) {
        self.0.write().clear();
    }

    /// Whether there is a service of this name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.read().keys().any(|(known, _)| known == name)
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
        let known = self.0.read().get(&(name, is_action)).copied();
        let known = known.ok_or(NoAnswer::Unknown)?;
        let answer = tokio::task::spawn_blocking(move || known.answer(&resource, &payload)).await;
        match answer {
            Ok(answer) => answer.map_err(|error| NoAnswer::Failed(error.to_string())),
            Err(_) => Err(NoAnswer::Failed("the service has failed".to_owned())),
        }
    }
}
