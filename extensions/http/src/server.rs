//! `HttpServer`.

use crate::BODY_LIMIT;
use gxe_access::Access;
use gxf::IpcService;
use gxf::prelude::*;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{AUTHORIZATION, ORIGIN};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::{Mutex, RwLock};
use std::collections::HashMap;
use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::{Semaphore, oneshot};

/// Most connections at a time.
const CONNECTIONS: usize = 64;
/// How long a client may take to send the head of a request, and the whole of it.
const HEAD_TIME: Duration = Duration::from_secs(5);
const REQUEST_TIME: Duration = Duration::from_secs(30);
/// How long the server rests when the process has no descriptors left.
const REST: Duration = Duration::from_millis(100);

/// Offers services to other processes over HTTP: a GET of `/service/resource` is a query, a POST an
/// action. `/ping` answers whenever the server runs. Requests of web pages are refused.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct HttpServer {
    /// Port to listen at.
    #[parameter(headline = "Port", default = 8000, minimum = 1, maximum = 65535)]
    port: Parameter<u32>,
    /// Whether other hosts may connect. They may only if there is a token, which both sides must
    /// know: `token_file`, or the environment variable GXE_TOKEN_FILE.
    #[parameter(headline = "Remote access", default = false)]
    remote_access: Parameter<bool>,
    /// File with the token. Not a parameter of GXF.
    #[parameter(headline = "Token file")]
    token_file: Parameter<Option<String>>,
    /// Whether other hosts may connect without a token. Not a parameter of GXF.
    #[parameter(headline = "Insecure", default = false)]
    insecure: Parameter<bool>,
    services: Arc<RwLock<Services>>,
    running: Mutex<Option<Running>>,
}

/// By name, and whether it is an action.
type Services = HashMap<(String, bool), IpcService>;

struct Running {
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Lifecycle for HttpServer {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let access =
            Access::new(self.token_file.get().as_deref().map(Path::new), *self.insecure.get())?;
        let port =
            u16::try_from(*self.port.get()).map_err(|_| ResultCode::ARGUMENT_OUT_OF_RANGE)?;
        let asked = match *self.remote_access.get() {
            true => Ipv4Addr::UNSPECIFIED,
            false => Ipv4Addr::LOCALHOST,
        };
        let address = access.listening(SocketAddr::from((asked, port)), "HTTP servers");
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
        let services = self.services.clone();
        let thread = std::thread::Builder::new().name("HTTP server".to_owned());
        let thread = thread.spawn(move || {
            runtime.block_on(async move {
                tokio::select! {
                    () = serve(listener, services, access) => {}
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        *self.running.lock() = Some(Running { stop, thread: thread.map_err(failed)? });
        gxf::debug!("the server `{entity}/{name}` listens at {address}");
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        if let Some(Running { stop, thread }) = self.running.lock().take() {
            drop(stop);
            _ = thread.join();
        }
        self.services.write().clear();
        Ok(())
    }
}

impl implement::IpcServer for HttpServer {
    fn register_service(&self, name: &str, is_action: bool, service: IpcService) -> Result<()> {
        self.services.write().insert((name.to_owned(), is_action), service);
        Ok(())
    }
}

async fn serve(listener: TcpListener, services: Arc<RwLock<Services>>, access: Access) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let places = Arc::new(Semaphore::new(CONNECTIONS));
    let access = Arc::new(access);
    loop {
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                gxf::debug!("an HTTP server cannot accept a connection: {error}");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let (services, access) = (services.clone(), access.clone());
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let (services, access) = (services.clone(), access.clone());
                async move { Ok::<_, Infallible>(answered(request, services, access).await) }
            });
            // One request for each connection, so that quiet clients keep no place.
            let served = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .keep_alive(false)
                .serve_connection(TokioIo::new(stream), answer);
            _ = tokio::time::timeout(REQUEST_TIME, served).await;
            drop(place);
        });
    }
}

fn response(status: StatusCode, text: impl Into<Bytes>) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(text.into()));
    *response.status_mut() = status;
    response
}

async fn answered(
    request: Request<Incoming>,
    services: Arc<RwLock<Services>>,
    access: Arc<Access>,
) -> Response<Full<Bytes>> {
    if request.headers().contains_key(ORIGIN) {
        return response(StatusCode::FORBIDDEN, "requests of web pages are refused");
    }
    let token = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = token.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    if !access.admits(token) {
        return response(StatusCode::UNAUTHORIZED, "the token is wrong");
    }
    let path = request.uri().path().trim_matches('/').to_owned();
    let is_action = request.method() == Method::POST;
    if !is_action && request.method() != Method::GET {
        return response(StatusCode::METHOD_NOT_ALLOWED, "only GET and POST");
    }
    if path == "ping" || path.starts_with("ping/") {
        return response(StatusCode::OK, "pong");
    }
    let Some((service, resource)) = path.split_once('/') else {
        return response(StatusCode::BAD_REQUEST, "the path is not /service/resource");
    };
    let (service, resource) = (service.to_owned(), resource.to_owned());
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
    let known = services.read().get(&(service.clone(), is_action)).copied();
    let Some(known) = known else {
        return response(StatusCode::BAD_REQUEST, format!("there is no service `{service}`"));
    };
    // The service may take its time.
    let answer = tokio::task::spawn_blocking(move || known.answer(&resource, &payload)).await;
    match answer {
        Ok(Ok(text)) => response(StatusCode::OK, text),
        Ok(Err(error)) => response(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        Err(_) => response(StatusCode::INTERNAL_SERVER_ERROR, "the service has failed"),
    }
}
