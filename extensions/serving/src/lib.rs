//! What servers of several protocols share: the services of a process ([`Services`]), and a thread
//! that accepts connections ([`Server`]).
//!
//! The crate knows no protocol. It may import the SDK, `gxe-access` and tokio.
#![forbid(unsafe_code)]

use gxe_access::Access;
use gxf::prelude::*;
use gxf::{IpcService, Result};
use parking_lot::RwLock;
use std::collections::HashMap;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, oneshot};

/// Most bytes of a request, and of an answer.
pub const BODY_LIMIT: usize = 16 << 20;
/// How long a request may take.
pub const REQUEST_TIME: Duration = Duration::from_secs(30);
/// Most connections at a time.
const CONNECTIONS: usize = 64;
/// How long a server rests when the process has no descriptors left.
const REST: Duration = Duration::from_millis(100);

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

/// Where a server listens.
pub struct Place {
    /// Its port.
    pub port: u32,
    /// Whether other hosts may connect.
    pub remote_access: bool,
}

/// A thread that accepts connections; it ends with the value.
pub struct Server {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens, and calls `serve` for each connection. `protocol` names it for people.
    ///
    /// # Errors
    /// The port is taken.
    pub fn start<F>(
        context: &ComponentContext,
        protocol: &str,
        place: &Place,
        access: &Access,
        serve: impl Fn(TcpStream) -> F + Send + 'static,
    ) -> Result<Self>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let port = u16::try_from(place.port).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let asked = match place.remote_access {
            true => Ipv4Addr::UNSPECIFIED,
            false => Ipv4Addr::LOCALHOST,
        };
        let what = format!("{protocol} servers");
        let address = access.listening(SocketAddr::from((asked, port)), &what);
        let (entity, name) = (context.entity_name(), context.name());
        let failed = |error: std::io::Error| {
            Error::failure(format!(
                "the server `{entity}/{name}` cannot listen at {address}: {error}"
            ))
        };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name(format!("{protocol} server"));
        let thread = thread.spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    () = accept(listener, serve) => {}
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        gxf::debug!("the server `{entity}/{name}` listens at {address}");
        Ok(Self { stop: Some(stop), thread: Some(thread.map_err(failed)?) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            _ = thread.join();
        }
    }
}

async fn accept<F>(listener: TcpListener, serve: impl Fn(TcpStream) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let served = serve(stream);
                tokio::spawn(async move {
                    served.await;
                    drop(place);
                });
            }
            Err(error) => {
                gxf::debug!("a server cannot accept a connection: {error}");
                tokio::time::sleep(REST).await;
            }
        }
    }
}
