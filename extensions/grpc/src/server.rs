//! `GrpcServer`.

use crate::greeting::Greeted;
use crate::messages::{
    CHECK, HealthCheckRequest, HealthCheckResponse, Request, Response, SEND_REQUEST, ServingStatus,
    WATCH,
};
use gxe_access::{Access, AccessOptions};
use gxe_serving::{
    BODY_LIMIT, CONNECT_TIME, Closing, NoAnswer, Place, REQUEST_TIME, Server, Services, Stream,
    Titles, Watched,
};
use gxf::IpcService;
use gxf::prelude::*;
use hyper::body::Incoming;
use hyper::header::AUTHORIZATION;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use parking_lot::Mutex;
use std::convert::Infallible;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::sync::watch;
use tokio_stream::Stream as Items;
use tonic::Status;
use tonic::body::Body;
use tonic::server::Grpc;
use tonic_prost::ProstCodec;

/// A connection without a request for so long is closed.
const QUIET_TIME: Duration = Duration::from_secs(30);
/// Time between two questions whether the peer is alive, and for its answer.
const KEEP_ALIVE: Duration = Duration::from_secs(10);
/// Most requests of a connection at a time.
const STREAMS: u32 = 64;
/// Most bytes of a request that needs no token: the name of a service.
const NAME_LIMIT: usize = 4096;

/// Offers services to other processes over gRPC: `gxf.ServiceHub/SendRequest` with one parameter is a
/// query, with two an action. The service `ping` answers whenever the server runs.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct GrpcServer {
    /// Port to listen at.
    #[parameter(headline = "Port", default = 50000, minimum = 1, maximum = 65535)]
    port: Parameter<u32>,
    /// Whether other hosts may connect. They may only if there is a token, which both sides must
    /// know (`token_file`, or the environment variable GXE_TOKEN_FILE), or if clients need a
    /// certificate.
    #[parameter(headline = "Remote access", default = false)]
    remote_access: Parameter<bool>,
    /// Whether the server has the standard service `grpc.health.v1.Health`, which needs no token:
    /// probes of Kubernetes have none.
    #[parameter(headline = "Enable health check", default = false)]
    enable_health_check: Parameter<bool>,
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

impl Lifecycle for GrpcServer {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let access = Access::new(AccessOptions {
            token_file: self.token_file.get().as_deref(),
            tls_directory: self.tls_directory.get().as_deref(),
            insecure: *self.insecure.get(),
        })?;
        let place = Place {
            port: *self.port.get(),
            remote_access: *self.remote_access.get(),
            protocol: "h2",
        };
        let hub = Arc::new(Hub {
            services: self.services.clone(),
            access: access.clone(),
            has_health: *self.enable_health_check.get(),
        });
        let serve = move |stream, closing| served(stream, closing, hub.clone());
        *self.server.lock() = Some(Server::start(context, "gRPC", &place, &access, serve)?);
        Ok(())
    }

    fn deinitialize(&self, _context: &ComponentContext) -> Result<()> {
        *self.server.lock() = None;
        self.services.clear();
        Ok(())
    }
}

impl implement::IpcServer for GrpcServer {
    fn register_service(&self, name: &str, is_action: bool, service: IpcService) -> Result<()> {
        self.services.register(name, is_action, service);
        Ok(())
    }
}

struct Hub {
    services: Services,
    access: Access,
    has_health: bool,
}

/// One of the requests that a connection answers.
struct Active(Arc<AtomicUsize>);

impl Active {
    fn new(count: &Arc<AtomicUsize>) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count.clone())
    }
}

impl Drop for Active {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

async fn served(stream: Stream, mut closing: Closing, hub: Arc<Hub>) {
    let active = Arc::new(AtomicUsize::new(0));
    let counted = active.clone();
    let titles = closing.titles();
    let (greeted, has_greeted) = Greeted::new();
    let stream = Watched::new(stream, greeted);
    let answer = service_fn(move |request| {
        let (hub, active, titles) = (hub.clone(), Active::new(&counted), titles.clone());
        async move { Ok::<_, Infallible>(hub.answered(request, active, titles).await) }
    });
    let connection = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE)
        .max_concurrent_streams(STREAMS)
        .serve_connection(TokioIo::new(stream), answer);
    let greeting = tokio::time::sleep(CONNECT_TIME);
    tokio::pin!(connection, greeting);
    let mut may_greet = true;
    loop {
        tokio::select! {
            _ = &mut connection => return,
            () = &mut greeting, if may_greet => {
                may_greet = false;
                if !has_greeted.load(Ordering::Relaxed) {
                    return;
                }
            }
            () = closing.closed() => {
                connection.as_mut().graceful_shutdown();
                _ = connection.await;
                return;
            }
            () = tokio::time::sleep(QUIET_TIME) => {
                if active.load(Ordering::Relaxed) == 0 {
                    connection.as_mut().graceful_shutdown();
                    _ = tokio::time::timeout(KEEP_ALIVE, &mut connection).await;
                    return;
                }
            }
        }
    }
}

impl Hub {
    async fn answered(
        self: Arc<Self>,
        request: hyper::Request<Incoming>,
        active: Active,
        titles: Titles,
    ) -> hyper::Response<Body> {
        match request.uri().path() {
            SEND_REQUEST => {
                let authorization = request.headers().get(AUTHORIZATION);
                let authorization = authorization.and_then(|value| value.to_str().ok());
                if !self.access.admits_header(authorization) {
                    self.access.note_refused("a call");
                    return Status::unauthenticated("the token is wrong").into_http();
                }
                if self.access.asks() {
                    titles.keep();
                }
                let answer = move |hub: Arc<Self>, request| {
                    let hold = titles.hold();
                    async move {
                        let answer = hub.send_request(request).await;
                        drop(hold);
                        answer
                    }
                };
                in_time(grpc(BODY_LIMIT).unary(Method(self, answer), request)).await
            }
            CHECK if self.has_health => {
                in_time(grpc(NAME_LIMIT).unary(Method(self, Self::check), request)).await
            }
            WATCH if self.has_health => {
                grpc(NAME_LIMIT).server_streaming(Watching(self, Some(active)), request).await
            }
            path => Status::unimplemented(format!("there is no method {path}")).into_http(),
        }
    }

    async fn send_request(
        self: Arc<Self>,
        request: Request,
    ) -> std::result::Result<Response, Status> {
        let Request { service, params } = request;
        let mut params = params.into_iter();
        let (resource, payload) = match (params.next(), params.next(), params.next()) {
            _ if service == "ping" => return Ok(Response { result: "pong".to_owned() }),
            (Some(resource), payload, None) => (resource, payload),
            _ => {
                let text = "a query has one parameter, the resource, and an action two";
                return Err(Status::invalid_argument(text));
            }
        };
        let is_action = payload.is_some();
        let payload = payload.unwrap_or_default();
        match self.services.answer(service, is_action, resource, payload).await {
            Ok(result) => Ok(Response { result }),
            Err(NoAnswer::Unknown(text)) => Err(Status::not_found(text)),
            Err(NoAnswer::OtherKind(text) | NoAnswer::Refused(text)) => {
                Err(Status::invalid_argument(text))
            }
            Err(NoAnswer::Failed(text)) => Err(Status::internal(text)),
        }
    }

    async fn check(
        self: Arc<Self>,
        request: HealthCheckRequest,
    ) -> std::result::Result<HealthCheckResponse, Status> {
        match self.status(&request.service) {
            ServingStatus::Serving => {
                Ok(HealthCheckResponse { status: ServingStatus::Serving.into() })
            }
            _ => Err(Status::not_found(format!("there is no service `{}`", request.service))),
        }
    }

    fn status(&self, service: &str) -> ServingStatus {
        match service.is_empty() || self.services.has(service) {
            true => ServingStatus::Serving,
            false => ServingStatus::ServiceUnknown,
        }
    }
}

/// `limit`: most bytes of a request. As many are taken from memory as it says that it has.
fn grpc<Answer, Asked>(limit: usize) -> Grpc<ProstCodec<Answer, Asked>>
where
    Answer: prost::Message + Send + 'static,
    Asked: prost::Message + Default + Send + 'static,
{
    Grpc::new(ProstCodec::default()).apply_max_message_size_config(Some(limit), Some(BODY_LIMIT))
}

async fn in_time(answer: impl Future<Output = hyper::Response<Body>>) -> hyper::Response<Body> {
    let late = |_| Status::deadline_exceeded("the request takes too long").into_http();
    tokio::time::timeout(REQUEST_TIME, answer).await.unwrap_or_else(late)
}

type Answering<Answer> =
    Pin<Box<dyn Future<Output = std::result::Result<tonic::Response<Answer>, Status>> + Send>>;

/// A method of the hub with one answer.
struct Method<Work>(Arc<Hub>, Work);

impl<Asked, Answer, Work, Done> tower_service::Service<tonic::Request<Asked>> for Method<Work>
where
    Work: FnMut(Arc<Hub>, Asked) -> Done,
    Done: Future<Output = std::result::Result<Answer, Status>> + Send + 'static,
{
    type Response = tonic::Response<Answer>;
    type Error = Status;
    type Future = Answering<Answer>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<std::result::Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: tonic::Request<Asked>) -> Self::Future {
        let done = self.1(self.0.clone(), request.into_inner());
        Box::pin(async move { done.await.map(tonic::Response::new) })
    }
}

/// The method `Watch`: says the status, and each other one that it becomes, until the server ends.
struct Watching(Arc<Hub>, Option<Active>);

type Statuses = Pin<Box<dyn Items<Item = std::result::Result<HealthCheckResponse, Status>> + Send>>;

impl tower_service::Service<tonic::Request<HealthCheckRequest>> for Watching {
    type Response = tonic::Response<Statuses>;
    type Error = Status;
    type Future = Answering<Statuses>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<std::result::Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: tonic::Request<HealthCheckRequest>) -> Self::Future {
        let statuses = Changing {
            next: Box::pin(next_change(self.0.services.changes())),
            hub: self.0.clone(),
            service: request.into_inner().service,
            last: None,
            _active: self.1.take(),
        };
        Box::pin(async move { Ok(tonic::Response::new(Box::pin(statuses) as Statuses)) })
    }
}

type Change = std::result::Result<watch::Receiver<()>, watch::error::RecvError>;

/// Waits until services come or go.
async fn next_change(mut changes: watch::Receiver<()>) -> Change {
    changes.changed().await.map(|()| changes)
}

/// The status of a service whenever it is another one than before.
struct Changing {
    hub: Arc<Hub>,
    service: String,
    last: Option<ServingStatus>,
    next: Pin<Box<dyn Future<Output = Change> + Send>>,
    _active: Option<Active>,
}

impl Items for Changing {
    type Item = std::result::Result<HealthCheckResponse, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let status = self.hub.status(&self.service);
            if self.last.replace(status) != Some(status) {
                return Poll::Ready(Some(Ok(HealthCheckResponse { status: status.into() })));
            }
            match ready!(self.next.as_mut().poll(context)) {
                Ok(changes) => self.next = Box::pin(next_change(changes)),
                Err(_) => return Poll::Ready(None),
            }
        }
    }
}
