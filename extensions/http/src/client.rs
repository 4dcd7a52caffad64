//! `HttpIPCClient`.

use gxe_access::Access;
use gxe_serving::{BODY_LIMIT, REQUEST_TIME};
use gxf::prelude::*;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use std::path::Path;
use std::time::Duration;
use tokio::net::TcpStream;

/// How long a server may take to accept a connection.
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// Calls services of other processes over HTTP.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct HttpIPCClient {
    /// Port of the server.
    #[parameter(headline = "Port", default = 50000, minimum = 1, maximum = 65535)]
    port: Parameter<u32>,
    /// Address or name of the server's host; 0.0.0.0 means this host.
    #[parameter(headline = "Server address", default = "0.0.0.0")]
    server_ip_address: Parameter<String>,
    /// Must be false: use an encrypted network, or a proxy.
    #[parameter(headline = "Use HTTPS", default = false)]
    use_https: Parameter<bool>,
    /// Type of the bodies that are sent.
    #[parameter(key = "content-type", headline = "Content type", default = "application/json")]
    content_type: Parameter<String>,
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

impl Lifecycle for HttpIPCClient {
    fn check_parameters(&self) -> Result<()> {
        if *self.use_https.get() {
            let text = "`use_https` is not supported; leave it out";
            return Err(Error::new(ResultCode::NOT_IMPLEMENTED, text));
        }
        Ok(())
    }

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

impl HttpIPCClient {
    fn request(&self, method: Method, path: &str, body: String) -> Result<String> {
        let state = self.state.lock();
        let state = state.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let content_type = self.content_type.get();
        let (status, text) =
            state.runtime.block_on(send(state, method, path, body, content_type))?;
        let (host, port) = (&state.host, state.port);
        match status {
            StatusCode::OK => Ok(text),
            StatusCode::BAD_REQUEST => Err(Error::new(
                ResultCode::IPC_SERVICE_NOT_FOUND,
                format!("{host}:{port} answers: {text}"),
            )),
            _ => Err(Error::new(
                ResultCode::IPC_CALL_FAILURE,
                format!("{host}:{port} answers: {text} ({status})"),
            )),
        }
    }
}

async fn send(
    state: &State,
    method: Method,
    path: &str,
    body: String,
    content_type: &str,
) -> Result<(StatusCode, String)> {
    let (host, port) = (state.host.as_str(), state.port);
    let failed = |text: String| {
        Error::new(ResultCode::IPC_CONNECTION_FAILURE, format!("{host}:{port}: {text}"))
    };
    let late = |_| failed("it takes too long".to_owned());
    let connecting = TcpStream::connect((host, port));
    let connected = tokio::time::timeout(CONNECT_TIME, connecting).await.map_err(late)?;
    let stream = connected.map_err(|error| failed(error.to_string()))?;
    let exchange = async {
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
        let connection = tokio::spawn(connection);
        let mut request = Request::builder()
            .method(method)
            .uri(format!("/{path}"))
            .header(HOST, format!("{host}:{port}"))
            .header(CONTENT_TYPE, content_type);
        if !state.token.is_empty() {
            request = request.header(AUTHORIZATION, format!("Bearer {}", state.token));
        }
        let request = request.body(Full::new(Bytes::from(body)))?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let body = Limited::new(response.into_body(), BODY_LIMIT).collect().await?.to_bytes();
        connection.abort();
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((
            status,
            String::from_utf8_lossy(&body).into_owned(),
        ))
    };
    let exchanged = tokio::time::timeout(REQUEST_TIME, exchange).await.map_err(late)?;
    exchanged.map_err(|error| failed(error.to_string()))
}

impl implement::IpcClient for HttpIPCClient {
    fn query(&self, service: &str, resource: &str) -> Result<String> {
        self.request(Method::GET, &format!("{service}/{resource}"), String::new())
    }

    fn action(&self, service: &str, resource: &str, payload: &str) -> Result<String> {
        self.request(Method::POST, &format!("{service}/{resource}"), payload.to_owned())
    }

    fn ping(&self, service: &str) -> Result<String> {
        self.request(Method::GET, service, String::new())
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
