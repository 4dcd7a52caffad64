//! `HttpServer`.

use crate::path::decoded;
use gxe_access::{Access, AccessOptions, is_this_machine};
use gxe_serving::{
    BODY_LIMIT, Closing, NoAnswer, Place, REQUEST_TIME, Server, Services, Stream, Titles,
};
use gxf::IpcService;
use gxf::prelude::*;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ALLOW, AUTHORIZATION, HOST, HeaderMap, HeaderValue, ORIGIN};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

/// How long a client may take to send the head of a request.
const HEAD_TIME: Duration = Duration::from_secs(5);
/// In which a browser says whose page sends the request.
const SITE: &str = "sec-fetch-site";

/// Offers services to other processes over HTTP: a GET of `/service/resource` is a query, a POST an
/// action. `/ping` answers whenever the server runs. Requests of web pages are refused.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct HttpServer {
    /// Port to listen at.
    #[parameter(headline = "Port", default = 8000, minimum = 1, maximum = 65535)]
    port: Parameter<u32>,
    /// Whether other hosts may connect. They may only if there is a token, which both sides must
    /// know (`token_file`, or the environment variable GXE_TOKEN_FILE), or if clients need a
    /// certificate.
    #[parameter(headline = "Remote access", default = false)]
    remote_access: Parameter<bool>,
    /// File with the token. Not a parameter of GXF.
    #[parameter(headline = "Token file")]
    token_file: Parameter<Option<String>>,
    /// Folder with certificates: `tls.crt` and `tls.key` of this process and, if clients need a
    /// certificate, too, `ca.crt` of the authority that certifies them; else the environment
    /// variable GXE_TLS_DIRECTORY has its path. Not a parameter of GXF.
    #[parameter(headline = "TLS directory")]
    tls_directory: Parameter<Option<String>>,
    /// Whether other hosts may connect without token and certificate. Not a parameter of GXF.
    #[parameter(headline = "Insecure", default = false)]
    insecure: Parameter<bool>,
    services: Services,
    server: Mutex<Option<Server>>,
}

impl Lifecycle for HttpServer {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let access = Access::new(AccessOptions {
            token_file: self.token_file.get().as_deref(),
            tls_directory: self.tls_directory.get().as_deref(),
            insecure: *self.insecure.get(),
        })?;
        let place = Place {
            port: *self.port.get(),
            remote_access: *self.remote_access.get(),
            protocol: "http/1.1",
        };
        let hub = Arc::new(Hub {
            services: self.services.clone(),
            is_local: !(access.asks() || (place.remote_access && access.is_insecure)),
            access: access.clone(),
        });
        let serve = move |stream, closing| served(stream, closing, hub.clone());
        *self.server.lock() = Some(Server::start(context, "HTTP", &place, &access, serve)?);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.server.lock() = None;
        self.services.clear();
        Ok(())
    }
}

impl implement::IpcServer for HttpServer {
    fn register_service(&self, name: &str, is_action: bool, service: IpcService) -> Result<()> {
        self.services.register(name, is_action, service);
        Ok(())
    }
}

struct Hub {
    services: Services,
    access: Access,
    /// Whether only this host may connect, without a token or a certificate.
    is_local: bool,
}

async fn served(stream: Stream, mut closing: Closing, hub: Arc<Hub>) {
    let titles = closing.titles();
    let answer = service_fn(move |request| {
        let (hub, titles) = (hub.clone(), titles.clone());
        async move { Ok::<_, Infallible>(hub.answered(request, titles).await) }
    });
    // One request for each connection, so that quiet clients keep no place.
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .keep_alive(false)
        .half_close(true)
        .serve_connection(TokioIo::new(stream), answer);
    let served = async move {
        tokio::pin!(connection);
        tokio::select! {
            _ = &mut connection => {}
            () = closing.closed() => {
                connection.as_mut().graceful_shutdown();
                _ = connection.await;
            }
        }
    };
    _ = tokio::time::timeout(REQUEST_TIME, served).await;
}

fn response(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    response
}

/// The methods that may be used instead are part of the answer.
fn not_allowed(instead: &'static str, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = response(StatusCode::METHOD_NOT_ALLOWED, text);
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(instead));
    response
}

impl Hub {
    async fn answered(&self, request: Request<Incoming>, titles: Titles) -> Response<Full<Bytes>> {
        if let Some(text) = self.refusal(request.headers()) {
            return response(StatusCode::FORBIDDEN, text);
        }
        let authorization = request.headers().get(AUTHORIZATION);
        if !self.access.admits_header(authorization.and_then(|value| value.to_str().ok())) {
            self.access.note_refused("a request");
            return response(StatusCode::UNAUTHORIZED, "the token is wrong");
        }
        if self.access.asks() {
            titles.keep();
        }
        let path = request.uri().path().trim_matches('/').to_owned();
        let is_action = request.method() == Method::POST;
        if !is_action && request.method() != Method::GET {
            return not_allowed("GET, POST", "only GET and POST");
        }
        if path == "ping" || path.starts_with("ping/") {
            return response(StatusCode::OK, "pong");
        }
        let Some((service, resource)) = path.split_once('/') else {
            return response(StatusCode::BAD_REQUEST, "the path is not /service/resource");
        };
        let (Some(service), Some(resource)) = (decoded(service), decoded(resource)) else {
            return response(StatusCode::BAD_REQUEST, "the path is not percent-encoded UTF-8");
        };
        let too_large = || response(StatusCode::PAYLOAD_TOO_LARGE, "the body is too large");
        if request.body().size_hint().lower() > BODY_LIMIT as u64 {
            return too_large();
        }
        let body = match Limited::new(request.into_body(), BODY_LIMIT).collect().await {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => {
                return too_large();
            }
            Err(_) => return response(StatusCode::BAD_REQUEST, "the body is not complete"),
        };
        let Ok(payload) = String::from_utf8(body.to_vec()) else {
            return response(StatusCode::BAD_REQUEST, "the body is not UTF-8");
        };
        if is_action && payload.is_empty() {
            return response(StatusCode::BAD_REQUEST, "an action needs a body");
        }
        let _hold = titles.hold();
        match self.services.answer(service, is_action, resource, payload).await {
            Ok(text) => response(StatusCode::OK, text),
            Err(NoAnswer::Unknown(text)) => response(StatusCode::NOT_FOUND, text),
            Err(NoAnswer::OtherKind(text)) => {
                not_allowed(if is_action { "GET" } else { "POST" }, text)
            }
            Err(NoAnswer::Refused(text)) => response(StatusCode::BAD_REQUEST, text),
            Err(NoAnswer::Failed(text)) => response(StatusCode::INTERNAL_SERVER_ERROR, text),
        }
    }

    /// Why a request is refused before its token is looked at: a web page may have sent it.
    fn refusal(&self, headers: &HeaderMap) -> Option<&'static str> {
        let is_own = |site: &[u8]| site == b"none" || site == b"same-origin";
        if headers.contains_key(ORIGIN)
            || !headers.get_all(SITE).iter().all(|site| is_own(site.as_bytes()))
        {
            return Some("requests of web pages are refused");
        }
        let mut hosts = headers.get_all(HOST).iter();
        let is_known = |host: &str| is_this_machine(host);
        let are_known = hosts.all(|host| host.to_str().is_ok_and(is_known));
        (self.is_local && !are_known)
            .then_some("this is served to 127.0.0.1 and localhost only, because there is no token")
    }
}
