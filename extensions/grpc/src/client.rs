//! `GrpcClient`.

use crate::messages::{
    CHECK, HealthCheckRequest, HealthCheckResponse, Request, Response, SEND_REQUEST, ServingStatus,
};
use gxe_access::{Access, AccessOptions};
use gxe_serving::{BODY_LIMIT, Client, Remote, Stream};
use gxf::prelude::*;
use hyper::Uri;
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper::http::uri::PathAndQuery;
use hyper_util::rt::{TokioExecutor, TokioIo};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::metadata::MetadataValue;
use tonic::{Code, Status};
use tonic_prost::ProstCodec;

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
    /// Folder with certificates: `ca.crt` of the authority that certifies the server, and, if it
    /// asks for one, `tls.crt` and `tls.key` of this process; else the environment variable
    /// GXE_TLS_DIRECTORY has its path. Not a parameter of GXF.
    #[parameter(headline = "TLS directory")]
    tls_directory: Parameter<Option<String>>,
    client: Client,
}

impl Lifecycle for GrpcClient {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        let access = Access::new(AccessOptions {
            token_file: self.token_file.get().as_deref(),
            tls_directory: self.tls_directory.get().as_deref(),
            insecure: false,
        })?;
        self.client.open(self.server_ip_address.get(), *self.port.get(), access, "h2")
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.client.close();
        Ok(())
    }
}

impl GrpcClient {
    fn call<Asked, Answer>(&self, path: &'static str, asked: Asked) -> Result<Answer>
    where
        Asked: prost::Message + 'static,
        Answer: prost::Message + Default + 'static,
    {
        self.client.call(async |stream, remote| exchange(stream, remote, path, asked).await)
    }

    fn send(&self, service: &str, params: Vec<String>) -> Result<String> {
        let request = Request { service: service.to_owned(), params };
        self.call(SEND_REQUEST, request).map(|Response { result }| result)
    }
}

async fn exchange<Asked, Answer>(
    stream: Stream,
    remote: &Remote,
    path: &'static str,
    asked: Asked,
) -> Result<Answer>
where
    Asked: prost::Message + 'static,
    Answer: prost::Message + Default + 'static,
{
    let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await;
    let (sender, connection) = handshake.map_err(|error| remote.failed_by(&error))?;
    let connection = tokio::spawn(connection);
    let origin = format!("{}://{}", remote.scheme(), remote.authority());
    let origin: Uri = origin.parse().map_err(|_| remote.failed("this is no name of a host"))?;
    let mut grpc = Grpc::with_origin(Sender(sender), origin)
        .max_decoding_message_size(BODY_LIMIT)
        .max_encoding_message_size(BODY_LIMIT);
    let mut request = tonic::Request::new(asked);
    if let Some(authorization) = remote.authorization() {
        let value = MetadataValue::try_from(authorization.as_str());
        let value = value.map_err(|_| remote.failed("the token is no text"))?;
        request.metadata_mut().insert("authorization", value);
    }
    let path = PathAndQuery::from_static(path);
    let answer = grpc.unary(request, path, ProstCodec::<Asked, Answer>::default()).await;
    connection.abort();
    answer.map(tonic::Response::into_inner).map_err(|status| answered(remote, &status))
}

/// The error of an answer.
fn answered(remote: &Remote, status: &Status) -> Error {
    // Not an answer, but the reason why there is none.
    if let Some(cause) = std::error::Error::source(status) {
        let failed = remote.failed_by(cause);
        return Error::new(failed.code(), format!("{failed}; does it speak gRPC?"));
    }
    let code = match status.code() {
        Code::NotFound => ResultCode::IPC_SERVICE_NOT_FOUND,
        Code::Unavailable => ResultCode::IPC_CONNECTION_FAILURE,
        _ => ResultCode::IPC_CALL_FAILURE,
    };
    let (text, name) = (status.message(), status.code());
    Error::new(code, format!("{} answers: {text} ({name:?})", remote.authority()))
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
        self.client.change_address(ip, port)
    }
}
