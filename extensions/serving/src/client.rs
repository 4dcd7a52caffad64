//! Which server a client calls, and how.

use crate::stream::{Stream, connect_tls, is_unexpected_tls, tls_error};
use crate::{CONNECT_TIME, REQUEST_TIME};
use gxe_access::{Access, authority, remedy};
use gxf::Result;
use gxf::prelude::*;
use parking_lot::Mutex;
use std::io;
use std::net::Ipv6Addr;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio::time::timeout;

/// How long a change of address waits for the call that it ends, before it says so again.
const LAST_CALL: Duration = Duration::from_millis(10);

/// A client: it connects for each call.
#[derive(Default)]
pub struct Client {
    /// Locked during a call.
    state: Mutex<Option<State>>,
    /// Ends a call.
    ends: Notify,
}

struct State {
    remote: Remote,
    /// The application protocol in TLS (ALPN).
    protocol: &'static str,
    runtime: tokio::runtime::Runtime,
}

/// The server of a call.
pub struct Remote {
    host: String,
    port: u16,
    access: Access,
    /// The server that the latest warning is about.
    warned: Mutex<Option<String>>,
}

impl Remote {
    /// The error of a call that did not reach it.
    pub fn failed(&self, problem: impl std::fmt::Display) -> Error {
        let text = format!("{}: {problem}", self.authority());
        Error::new(ResultCode::IPC_CONNECTION_FAILURE, text)
    }

    /// The same because of an error and its causes.
    pub fn failed_by(&self, error: &(dyn std::error::Error + 'static)) -> Error {
        let causes: Vec<_> = std::iter::successors(Some(error), |error| error.source()).collect();
        causes
            .iter()
            .filter_map(|error| error.downcast_ref())
            .for_each(|error| self.warn_of(error));
        let texts: Vec<_> = causes.iter().map(ToString::to_string).collect();
        self.failed(texts.join(": "))
    }

    /// Says once what to do if one of the two ends does not trust the other's certificate, or has none:
    /// whoever calls takes the error for a server that is not there yet, and tries again.
    fn warn_of(&self, error: &io::Error) {
        let remedy = match tls_error(error) {
            Some(error) => remedy(error),
            None => is_unexpected_tls(error)
                .then_some("give this end certificates of the same authority"),
        };
        let Some(remedy) = remedy else { return };
        let server = self.authority();
        let mut warned = self.warned.lock();
        if warned.as_ref() != Some(&server) {
            gxf::warning!("a client cannot call {server}: TLS: {error}; {remedy}");
            *warned = Some(server);
        }
    }

    /// Host and port, as in URIs.
    #[must_use]
    pub fn authority(&self) -> String {
        authority(&self.host, self.port)
    }

    /// Scheme of a URI.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        if self.access.tls.is_some() { "https" } else { "http" }
    }

    /// The header that carries the token, if there is one.
    #[must_use]
    pub fn authorization(&self) -> Option<String> {
        let token = &self.access.token;
        (!token.is_empty()).then(|| format!("Bearer {token}"))
    }

    /// The host to connect to. Servers of this host listen at its loopback address of IPv4 in any
    /// case, and at that of IPv6 only if other hosts may connect.
    fn reached_at(&self) -> &str {
        let is_any = self.host.parse().is_ok_and(|ip: Ipv6Addr| ip.is_unspecified());
        if is_any { "127.0.0.1" } else { &self.host }
    }

    async fn connect(&self, protocol: &str) -> Result<Stream> {
        let late = |_| self.failed("it takes too long");
        let connecting = TcpStream::connect((self.reached_at(), self.port));
        let stream = timeout(CONNECT_TIME, connecting).await.map_err(late)?;
        let stream = stream.map_err(|error| self.failed(error))?;
        _ = stream.set_nodelay(true);
        let greeting = connect_tls(stream, self.access.tls.as_ref(), &self.host, protocol);
        let greeted = timeout(CONNECT_TIME, greeting).await.map_err(late)??;
        greeted.map_err(|error| {
            self.warn_of(&error);
            self.failed(format_args!("TLS: {error}"))
        })
    }
}

impl Client {
    /// Sets the server to call. `protocol` is the application protocol in TLS (ALPN).
    ///
    /// # Errors
    /// There is no such port, or the process has no descriptors left.
    pub fn open(
        &self,
        host: &str,
        port: u32,
        access: Access,
        protocol: &'static str,
    ) -> Result<()> {
        let port = port_number(port)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let remote = Remote { host: host.to_owned(), port, access, warned: Mutex::default() };
        *self.state.lock() = Some(State { remote, protocol, runtime });
        Ok(())
    }

    /// Ends its work.
    pub fn close(&self) {
        if let Some(state) = self.state.lock().take() {
            state.runtime.shutdown_background();
        }
    }

    /// Calls another server from now on. A call that still waits for its answer fails.
    ///
    /// # Errors
    /// There is no such port, or the client is not open.
    pub fn change_address(&self, ip: &str, port: u32) -> Result<()> {
        let port = port_number(port)?;
        let mut state = loop {
            // Again, because a call that has just begun does not listen yet.
            self.ends.notify_waiters();
            if let Some(state) = self.state.try_lock_for(LAST_CALL) {
                break state;
            }
        };
        let state = state.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        (state.remote.host, state.remote.port) = (ip.to_owned(), port);
        Ok(())
    }

    /// Connects, and calls the server.
    ///
    /// # Errors
    /// Those of `exchange`, the server is not reached in time, or the address changes meanwhile.
    pub fn call<Answer>(
        &self,
        exchange: impl AsyncFnOnce(Stream, &Remote) -> Result<Answer>,
    ) -> Result<Answer> {
        let state = self.state.lock();
        let state = state.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let (remote, ended) = (&state.remote, self.ends.notified());
        let called = async {
            let stream = remote.connect(state.protocol).await?;
            let exchanged = timeout(REQUEST_TIME, exchange(stream, remote)).await;
            exchanged.map_err(|_| remote.failed("it takes too long"))?
        };
        let answer = state.runtime.block_on(async {
            tokio::select! {
                answer = called => answer,
                () = ended => Err(remote.failed("the call was given up")),
            }
        });
        if answer.is_ok() {
            *remote.warned.lock() = None;
        }
        answer
    }
}

fn port_number(port: u32) -> Result<u16> {
    u16::try_from(port).map_err(|_| {
        Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, format!("there is no port {port}"))
    })
}
