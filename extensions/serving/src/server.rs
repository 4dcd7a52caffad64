//! A thread that accepts connections.

use crate::CONNECT_TIME;
use crate::stream::{Stream, accept_tls, is_about_trust};
use gxe_access::{Access, Listening, Refusals, listen};
use gxf::Result;
use gxf::prelude::*;
use std::convert::Infallible;
use std::future::Future;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;

/// Most connections at a time. If there are as many, one that nothing entitles to its place makes
/// room for a new one.
const CONNECTIONS: usize = 64;
/// How long a server that has only entitled connections waits until it looks for a place again.
const FULL: Duration = Duration::from_millis(10);
/// How long the end of a server waits for answers that are on their way.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// How long a server rests when the process has no descriptors left.
const REST: Duration = Duration::from_millis(100);

/// Where a server listens.
pub struct Place {
    /// Its port.
    pub port: u32,
    /// Whether other hosts may connect.
    pub remote_access: bool,
    /// The application protocol in TLS (ALPN).
    pub protocol: &'static str,
}

/// Tells a connection that its server ends. The server waits a while for those that still have it.
#[derive(Clone)]
pub struct Closing {
    ends: watch::Receiver<bool>,
    _busy: mpsc::Sender<Infallible>,
    titles: Titles,
}

impl Closing {
    /// What entitles the connection to its place.
    #[must_use]
    pub fn titles(&self) -> Titles {
        self.titles.clone()
    }

    /// Waits for the server's end.
    pub async fn closed(&mut self) {
        // Its sender is gone once the server has ended.
        _ = self.ends.wait_for(|ends| *ends).await;
    }
}

/// What entitles a connection to its place in a full server: who connects and says nothing, says it
/// slowly, or does not read the answer, must not keep others out.
#[derive(Clone, Default)]
pub struct Titles(Arc<AtomicUsize>);

impl Titles {
    /// Its peer has brought the token or a certificate: it keeps its place.
    pub fn keep(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// A complete request is worked on: it keeps its place as long as the value lives.
    #[must_use]
    pub fn hold(&self) -> Hold {
        self.keep();
        Hold(self.0.clone())
    }

    fn is_none(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// Holds the place of a connection while a request of it is worked on.
pub struct Hold(Arc<AtomicUsize>);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A thread that accepts connections; it ends with the value.
pub struct Server {
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Listens, and calls `serve` for each connection, which answers what it was asked before the
    /// server ends. `protocol` names it for people.
    ///
    /// # Errors
    /// The port is taken.
    pub fn start<F>(
        context: &ComponentContext,
        protocol: &str,
        place: &Place,
        access: &Access,
        serve: impl Fn(Stream, Closing) -> F + Send + Sync + 'static,
    ) -> Result<Self>
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let port = u16::try_from(place.port).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let asked = match place.remote_access {
            true => Ipv4Addr::UNSPECIFIED,
            false => Ipv4Addr::LOCALHOST,
        };
        let tls = access.tls.as_ref().map(|tls| tls.server(Some(place.protocol))).transpose()?;
        let tls = tls.map(TlsAcceptor::from);
        let what = format!("{protocol} servers");
        let address = access.listening(SocketAddr::from((asked, port)), &what);
        let name = context.place();
        let failed = |error: std::io::Error| {
            Error::failure(format!("the server `{name}` cannot listen at {address}: {error}"))
        };
        let (listener, address) = listen(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name(format!("{protocol} server"));
        let thread = thread.spawn(move || {
            runtime.block_on(async move {
                let (end, ends) = watch::channel(false);
                let (busy, mut idle) = mpsc::channel(1);
                let closing = Closing { ends, _busy: busy, titles: Titles::default() };
                tokio::select! {
                    () = accept(listener, tls, serve, closing) => {}
                    _ = stopped => {}
                }
                _ = end.send(true);
                _ = tokio::time::timeout(LAST_ANSWERS, idle.recv()).await;
            });
            runtime.shutdown_background();
        });
        gxf::debug!("the server `{name}` listens at {address}");
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

async fn accept<F>(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    serve: impl Fn(Stream, Closing) -> F + Send + Sync + 'static,
    closing: Closing,
) where
    F: Future<Output = ()> + Send + 'static,
{
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let listener = Listening(listener);
    let mut places = Places::default();
    let serve = Arc::new(serve);
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                places.make_room().await;
                _ = stream.set_nodelay(true);
                let titles = Titles::default();
                let closing = Closing { titles: titles.clone(), ..closing.clone() };
                let (tls, serve) = (tls.clone(), serve.clone());
                let task = tokio::spawn(async move {
                    let greeted = tokio::time::timeout(CONNECT_TIME, accept_tls(stream, tls));
                    match greeted.await {
                        Ok(Ok(stream)) => serve(stream, closing).await,
                        Ok(Err(error)) if is_about_trust(&error) => {
                            static REFUSALS: Refusals = Refusals::new();
                            REFUSALS.note(|| format!("a server refuses {peer}: TLS: {error}"));
                        }
                        Ok(Err(error)) => gxf::debug!("a server refuses {peer}: {error}"),
                        Err(_) => gxf::debug!("a server refuses {peer}: it takes too long"),
                    }
                });
                places.0.push((task.abort_handle(), titles));
            }
            Err(error) => {
                gxf::debug!("a server cannot accept a connection: {error}");
                tokio::time::sleep(REST).await;
            }
        }
    }
}

/// The connections of a server, the oldest first, and what entitles each to its place.
#[derive(Default)]
struct Places(Vec<(AbortHandle, Titles)>);

impl Places {
    /// Waits for room for one more.
    async fn make_room(&mut self) {
        loop {
            self.0.retain(|(task, _)| !task.is_finished());
            if self.0.len() < CONNECTIONS {
                return;
            }
            match self.0.iter().position(|(_, titles)| titles.is_none()) {
                Some(oldest) => self.0.remove(oldest).0.abort(),
                None => tokio::time::sleep(FULL).await,
            }
        }
    }
}
