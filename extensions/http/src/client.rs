//! `HttpIPCClient`.

use crate::path::encoded;
use gxe_access::{Access, AccessOptions};
use gxe_serving::{BODY_LIMIT, Client, Remote, Stream, shortened};
use gxf::prelude::*;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Bytes;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use hyper::{Method, Request, StatusCode};
use hyper_util::rt::TokioIo;

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
    /// Whether the call must be encrypted, which needs certificates. With certificates it is in any
    /// case.
    #[parameter(headline = "Use HTTPS", default = false)]
    use_https: Parameter<bool>,
    /// Type of the bodies that are sent.
    #[parameter(key = "content-type", headline = "Content type", default = "application/json")]
    content_type: Parameter<String>,
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

impl Lifecycle for HttpIPCClient {
    fn initialize(&self, _context: &ComponentContext) -> Result<()> {
        let access = Access::new(AccessOptions {
            token_file: self.token_file.get().as_deref(),
            tls_directory: self.tls_directory.get().as_deref(),
            insecure: false,
        })?;
        if *self.use_https.get() && access.tls.is_none() {
            let text = "`use_https` needs certificates: set `tls_directory`, or the environment \
                        variable GXE_TLS_DIRECTORY";
            return Err(Error::new(ResultCode::PARAMETER_NOT_INITIALIZED, text));
        }
        self.client.open(self.server_ip_address.get(), *self.port.get(), access, "http/1.1")
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        self.client.close();
        Ok(())
    }
}

impl HttpIPCClient {
    fn request(&self, method: Method, path: &str, body: String) -> Result<String> {
        let content_type = self.content_type.get();
        self.client.call(async |stream, remote| {
            let sent = send(stream, remote, method, path, body, content_type).await;
            let (status, text) = sent.map_err(|error| {
                let failed = remote.failed_by(&*error);
                // What a server of another protocol says is no answer.
                let of_http = error.downcast_ref::<hyper::Error>();
                match of_http.is_some_and(|error| error.is_parse() || error.is_canceled()) {
                    true => {
                        let text = format!("{failed}; does it speak gRPC? Then take a GrpcClient");
                        Error::new(failed.code(), text)
                    }
                    false => failed,
                }
            })?;
            let name = remote.authority();
            if status == StatusCode::OK {
                return Ok(text);
            }
            let text = shortened(&text);
            Err(match status {
                // Servers of others answer with pages, which tell people no more than the status.
                _ if text.trim_start().starts_with('<') => {
                    let text = format!("{name} answers: {status}; it is no server of gxe");
                    Error::new(ResultCode::IPC_CALL_FAILURE, text)
                }
                StatusCode::NOT_FOUND => {
                    let text = format!("{name} answers: {text}");
                    Error::new(ResultCode::IPC_SERVICE_NOT_FOUND, text)
                }
                _ => {
                    let text = format!("{name} answers: {text} ({status})");
                    Error::new(ResultCode::IPC_CALL_FAILURE, text)
                }
            })
        })
    }
}

async fn send(
    stream: Stream,
    remote: &Remote,
    method: Method,
    path: &str,
    body: String,
    content_type: &str,
) -> std::result::Result<(StatusCode, String), Box<dyn std::error::Error + Send + Sync>> {
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let mut request = Request::builder()
        .method(method)
        .uri(format!("/{}", encoded(path)))
        .header(HOST, remote.authority())
        .header(CONTENT_TYPE, content_type);
    if let Some(authorization) = remote.authorization() {
        request = request.header(AUTHORIZATION, authorization);
    }
    let request = request.body(Full::new(Bytes::from(body)))?;
    let response = sender.send_request(request).await?;
    let status = response.status();
    let body = Limited::new(response.into_body(), BODY_LIMIT).collect().await?.to_bytes();
    connection.abort();
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
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
        self.client.change_address(ip, port)
    }
}
