//! `GrpcClient`.

use crate::messages::{
    CHECK, HealthCheckRequest, HealthCheckResponse, Request, Response, SEND_REQUEST, ServingStatus,
};
use gxe_access::Access;
use gxe_serving::{BODY_LIMIT, REQUEST_TIME};
use gxf::prelude::*;
use hyper::Uri;
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper::http::uri::PathAndQuery;
use hyper_util::rt::{TokioExecutor, TokioIo};
use parking_lot::Mutex;
use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpStream;
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

/// How long a server may take to accept a connection.
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// Calls services of other processes over gRPC.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct GrpcClient {
    /// Port of the server.
    #[parameter(headline = "Port", default = 50000, minimum = 1, maximum = 65535)]
    port: Parameter<u32>,
    /// Address or name of the server's host; 0.0.0.0 means this host.
    #[parameter(headline = "Server address", default = "0.0.0.0")]
    server_ip_address: Parameter<String>,
    /// Whether `ping` asks the standard health service instead of GXF's.
    #[parameter(headline = "Enable health check", default = false)]
    enable_health_check: Parameter<bool>,
    /// File with the token that the server knows; else the environment variable GXE_TOKEN_FILE has
    /// its path. Not a parameter of GXF.
    #[parameter(headline = "Token file")]
    token_file: Parameter<Option<String>>,
    state: Mutex<Option<State>>,
}

struct State {
    host: String,
    port: u16,
    token: String,
    runtime: tokio::runtime::Runtime,
}

impl Lifecycle for GrpcClient {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        let access = Access::new(self.token_file.get().as_deref().map(Path::new), false)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        *self.state.lock() = Some(State {
            host: self.server_ip_address.get().clone(),
            port: u16::try_from(*self.port.get()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?,
            token: access.token,
            runtime,
        });
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        if let Some(state) = self.state.lock().take() {
            state.runtime.shutdown_background();
        }
        Ok(())
    }
}

impl GrpcClient {
    fn call<Asked, Answer>(&self, path: &'static str, asked: Asked) -> Result<Answer>
    where
        Asked: prost::Message + 'static,
        Answer: prost::Message + Default + 'static,
    {
        let state = self.state.lock();
        let state = state.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        state.runtime.block_on(state.call(path, asked))
    }

    fn send(&self, service: &str, params: Vec<String>) -> Result<String> {
        let request = Request { service: service.to_owned(), params };
        self.call(SEND_REQUEST, request).map(|Response { result }| result)
    }
}

impl State {
    async fn call<Asked, Answer>(&self, path: &'static str, asked: Asked) -> Result<Answer>
    where
        Asked: prost::Message + 'static,
        Answer: prost::Message + Default + 'static,
    {
        let (host, port) = (self.host.as_str(), self.port);
        let failed = |text: String| {
            Error::new(ResultCode::IPC_CONNECTION_FAILURE, format!("{host}:{port}: {text}"))
        };
        let late = |_| failed("it takes too long".to_owned());
        let connecting = TcpStream::connect((host, port));
        let connected = tokio::time::timeout(CONNECT_TIME, connecting).await.map_err(late)?;
        let stream = connected.map_err(|error| failed(error.to_string()))?;
        _ = stream.set_nodelay(true);
        let exchange = async {
            let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
            let (sender, connection) = handshake.map_err(|error| failed(error.to_string()))?;
            let connection = tokio::spawn(connection);
            let origin: Uri = format!("http://{}:{port}", bracketed(host))
                .parse()
                .map_err(|_| failed(format!("`{host}` is no name of a host")))?;
            let mut grpc = Grpc::with_origin(Sender(sender), origin)
                .max_decoding_message_size(BODY_LIMIT)
                .max_encoding_message_size(BODY_LIMIT);
            let mut request = tonic::Request::new(asked);
            if !self.token.is_empty() {
                let value = format!("Bearer {}", self.token);
                let value = MetadataValue::try_from(value.as_str());
                let value = value.map_err(|_| failed("the token is no text".to_owned()))?;
                request.metadata_mut().insert("authorization", value);
            }
            let path = PathAndQuery::from_static(path);
            let answer = grpc.unary(request, path, ProstCodec::<Asked, Answer>::default()).await;
            connection.abort();
            answer.map_err(|status| answered(host, port, &status))
        };
        let exchanged = tokio::time::timeout(REQUEST_TIME, exchange).await.map_err(late)?;
        exchanged.map(tonic::Response::into_inner)
    }
}

/// A host in a URI.
fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

/// The error of an answer.
fn answered(host: &str, port: u16, status: &Status) -> Error {
    let code = match status.code() {
        Code::NotFound => ResultCode::IPC_SERVICE_NOT_FOUND,
        Code::Unavailable => ResultCode::IPC_CONNECTION_FAILURE,
        _ => ResultCode::IPC_CALL_FAILURE,
    };
    let (text, name) = (status.message(), status.code());
    Error::new(code, format!("{host}:{port} answers: {text} ({name:?})"))
}

/// A connection that sends requests.
struct Sender(SendRequest<Body>);

impl tower_service::Service<hyper::Request<Body>> for Sender {
    type Response = hyper::Response<Incoming>;
    type Error = hyper::Error;
    type Future =
        Pin<Box<dyn Future<Output = std::result::Result<Self::Response, hyper::Error>> + Send>>;

    fn poll_ready(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<std::result::Result<(), hyper::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: hyper::Request<Body>) -> Self::Future {
        Box::pin(self.0.send_request(request))
    }
}

impl implement::IpcClient for GrpcClient {
    fn query(&self, service: &str, resource: &str) -> Result<String> {
        self.send(service, vec![resource.to_owned()])
    }

    fn action(&self, service: &str, resource: &str, payload: &str) -> Result<String> {
        self.send(service, vec![resource.to_owned(), payload.to_owned()])
    }

    fn ping(&self, service: &str) -> Result<String> {
        if !*self.enable_health_check.get() {
            return self.send(service, Vec::new());
        }
        let service = if service == "ping" { "" } else { service };
        let asked = HealthCheckRequest { service: service.to_owned() };
        let HealthCheckResponse { status } = self.call(CHECK, asked)?;
        match ServingStatus::try_from(status) {
            Ok(ServingStatus::Serving) => Ok("pong".to_owned()),
            status => {
                let status = status.map_or("an unknown status", |status| status.name());
                Err(Error::new(ResultCode::IPC_CALL_FAILURE, format!("the server says {status}")))
            }
        }
    }

    fn change_address(&self, ip: &str, port: u32) -> Result<()> {
        let port = u16::try_from(port).map_err(|_| {
            Error::new(ResultCode::ARGUMENT_OUT_OF_RANGE, format!("there is no port {port}"))
        })?;
        let mut state = self.state.lock();
        let state = state.as_mut().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        (state.host, state.port) = (ip.to_owned(), port);
        Ok(())
    }
}
