//! Requests to a collector: over HTTP, or HTTPS with the certificates that the system trusts.

use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use ureq::Agent;
use ureq::tls::{Certificate, RootCerts, TlsConfig};

/// A collector that takes longer loses what is sent to it.
pub const TIMEOUT: Duration = Duration::from_secs(3);

/// Sends requests. It blocks: the exporters have threads of their own.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    /// Why the latest request failed: the exporters only say that it did.
    problem: Mutex<Option<String>>,
}

impl Client {
    /// For an address that begins like this.
    pub fn new(url: &str) -> Self {
        let mut config =
            Agent::config_builder().timeout_global(Some(TIMEOUT)).http_status_as_error(false);
        if url.starts_with("https:") {
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let trusted = rustls_native_certs::load_native_certs();
            for error in trusted.errors {
                tracing::warn!("a certificate of this system cannot be read: {error}");
            }
            let trusted = trusted.certs.iter().map(|one| Certificate::from_der(one).to_owned());
            let trusted: Vec<Certificate<'static>> = trusted.collect();
            let tls = TlsConfig::builder()
                .root_certs(RootCerts::new_with_certs(&trusted))
                .unversioned_rustls_crypto_provider(provider);
            config = config.tls_config(tls.build());
        }
        Self { agent: config.build().into(), problem: Mutex::new(None) }
    }

    /// Why the latest request failed.
    pub fn problem(&self) -> Option<String> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, ureq::Error> {
        /// An answer is a few bytes.
        const LONGEST: u64 = 1 << 20;
        let (parts, body) = request.into_parts();
        let answer = self.agent.run(Request::from_parts(parts, body.to_vec()))?;
        let (parts, mut body) = answer.into_parts();
        let bytes = body.with_config().limit(LONGEST).read_to_vec()?;
        Ok(Response::from_parts(parts, Bytes::from(bytes)))
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        self.send(request).map_err(|error| {
            let problem = Some(error.to_string());
            *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = problem;
            error.into()
        })
    }
}
