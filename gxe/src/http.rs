//! Serves programs and browsers on this machine over HTTP, for the metrics and the live page: one
//! request per connection, with bounds on numbers, lengths and times. Anyone can point a domain
//! name at this machine's address and lead a browser there, so a request that names another host is
//! refused.

use anyhow::{Context as _, Result};
use gxe_access::is_this_machine;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{self, Poll};
use std::time::Duration;
use tokio::sync::{Notify, mpsc};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

/// Longest body of a request, in bytes.
const LONGEST: usize = 1 << 16;
/// Most connections at a time. If there are as many, one whose request is not complete makes room for
/// a new one.
const CLIENTS: usize = 32;
/// Most threads for requests that take time.
const THREADS: usize = 8;
/// Time-out of the head of a request, and of a request with its answer.
const HEAD_TIME: Duration = Duration::from_secs(2);
const TIME: Duration = Duration::from_secs(10);
/// Time-out of a reader that does not read.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time-out of the end of an answer, in moments.
const ENDING: u32 = 50;
const MOMENT: Duration = Duration::from_millis(10);
/// Pause after a failed accept. At the limit of open files, every attempt fails at once.
const REST: Duration = Duration::from_millis(100);

/// A request.
pub struct Asked {
    pub method: Method,
    /// Without the query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
    connection: Arc<Connection>,
}

/// How far a connection is, and what ends one whose answer has no end.
#[derive(Default)]
struct Connection {
    is_stalled: Notify,
    streams: AtomicBool,
    is_complete: Arc<AtomicBool>,
}

/// The body of an answer: known, or sent piece by piece.
pub enum Content {
    /// Known.
    Whole(Option<Bytes>),
    /// Pieces.
    Pieces(mpsc::Receiver<Bytes>),
}

impl Body for Content {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut task::Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let bytes = match self.get_mut() {
            Self::Whole(bytes) => Poll::Ready(bytes.take()),
            Self::Pieces(pieces) => pieces.poll_recv(context),
        };
        bytes.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Self::Pieces(_) => SizeHint::default(),
        }
    }
}

/// An answer.
pub type Answer = Response<Content>;

/// An answer of this type.
pub fn answer(status: StatusCode, kind: &'static str, body: impl Into<Bytes>) -> Answer {
    let mut answer = Response::new(Content::Whole(Some(body.into())));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    answer
}

/// An error, as text.
pub fn error(status: StatusCode, text: &str) -> Answer {
    answer(status, "text/plain; charset=utf-8", format!("{text}\n"))
}

/// The sender of an answer in pieces.
pub struct Pieces {
    sender: mpsc::Sender<Bytes>,
    connection: Arc<Connection>,
}

impl Asked {
    /// A header as text.
    pub fn header(&self, name: HeaderName) -> Option<&str> {
        // One that is no text is like one that is wrong.
        self.headers.get(name).map(|value| value.to_str().unwrap_or("?"))
    }

    /// An answer whose pieces are sent later.
    pub fn in_pieces(&self, kind: &'static str) -> (Answer, Pieces) {
        let (sender, pieces) = mpsc::channel(1);
        self.connection.streams.store(true, Ordering::Relaxed);
        let mut answer = answer(StatusCode::OK, kind, Bytes::new());
        *answer.body_mut() = Content::Pieces(pieces);
        (answer, Pieces { sender, connection: self.connection.clone() })
    }
}

impl Pieces {
    /// Sends a piece once the reader has room for it; false if there is no reader, or it does not
    /// read.
    pub async fn send(&self, piece: impl Into<Bytes>) -> bool {
        match timeout(PATIENCE, self.sender.send(piece.into())).await {
            Ok(sent) => sent.is_ok(),
            Err(_) => {
                self.connection.is_stalled.notify_one();
                false
            }
        }
    }

    /// Ends the answer, and waits until the reader has it, but not for long.
    pub async fn finish(self) {
        let connection = Arc::downgrade(&self.connection);
        drop(self);
        for _ in 0..ENDING {
            if connection.strong_count() == 0 {
                return;
            }
            sleep(MOMENT).await;
        }
    }

    /// Waits until the reader is gone.
    pub async fn closed(&self) {
        self.sender.closed().await;
    }
}

/// Starts to serve at an address, in a thread with this name, until the process ends. Returns the
/// address, whose port the system may have chosen. `answered` answers requests that name this
/// machine; work that may take long belongs to [`tokio::task::spawn_blocking`]. `half_close`: whether a
/// client may end its side after its request. If so, one that goes away is not noticed before its answer
/// is sent, so answers in pieces do not go with it.
///
/// # Errors
/// The address is in use, or no thread can be started.
pub fn serve<F: Future<Output = Answer> + Send + 'static>(
    name: &'static str,
    address: SocketAddr,
    half_close: bool,
    answered: impl Fn(Asked) -> F + Clone + Send + Sync + 'static,
) -> Result<(SocketAddr, tokio::runtime::Handle)> {
    let failed = || format!("cannot serve {name} at {address}");
    let listener = TcpListener::bind(address).with_context(failed)?;
    let bound = listener.local_addr().with_context(failed)?;
    listener.set_nonblocking(true).with_context(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(THREADS)
        .build()
        .with_context(failed)?;
    let handle = runtime.handle().clone();
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(move || runtime.block_on(accept(listener, half_close, answered)))
        .with_context(failed)?;
    Ok((bound, handle))
}

async fn accept<F: Future<Output = Answer> + Send + 'static>(
    listener: TcpListener,
    half_close: bool,
    answered: impl Fn(Asked) -> F + Clone + Send + Sync + 'static,
) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let mut places = Places::default();
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            sleep(REST).await;
            continue;
        };
        places.make_room().await;
        let answered = answered.clone();
        let is_complete = Arc::<AtomicBool>::default();
        let connection = Connection { is_complete: is_complete.clone(), ..Connection::default() };
        let task = tokio::spawn(async move {
            let connection = Arc::new(connection);
            let asked = connection.clone();
            let answer = service_fn(move |request| {
                let (answered, connection) = (answered.clone(), asked.clone());
                async move { Ok::<_, Infallible>(checked(request, connection, answered).await) }
            });
            let served = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .keep_alive(false)
                .half_close(half_close)
                .title_case_headers(true)
                .serve_connection(TokioIo::new(stream), answer);
            let is_late = async {
                sleep(TIME).await;
                if connection.streams.load(Ordering::Relaxed) {
                    connection.is_stalled.notified().await;
                }
            };
            tokio::select! {
                // A client that went away needs no answer.
                _ = served => {}
                () = is_late => {}
            }
        });
        places.0.push((task.abort_handle(), is_complete));
    }
}

/// The connections, the oldest first, and whether the request of each is complete.
#[derive(Default)]
struct Places(Vec<(AbortHandle, Arc<AtomicBool>)>);

impl Places {
    /// Waits for room for one more. Who connects and says nothing, or says it slowly, must not keep
    /// others out.
    async fn make_room(&mut self) {
        loop {
            self.0.retain(|(task, _)| !task.is_finished());
            if self.0.len() < CLIENTS {
                return;
            }
            match self.0.iter().position(|(_, is_complete)| !is_complete.load(Ordering::Relaxed)) {
                Some(oldest) => self.0.remove(oldest).0.abort(),
                None => sleep(MOMENT).await,
            }
        }
    }
}

async fn checked<F: Future<Output = Answer>>(
    request: Request<Incoming>,
    connection: Arc<Connection>,
    answered: impl Fn(Asked) -> F,
) -> Answer {
    let (head, body) = request.into_parts();
    let is_known = |host: &HeaderValue| host.to_str().is_ok_and(is_this_machine);
    if !head.headers.get_all(HOST).iter().all(is_known) {
        let text = "this is served to 127.0.0.1 and localhost only";
        return error(StatusCode::FORBIDDEN, text);
    }
    let Ok(body) = Limited::new(body, LONGEST).collect().await else {
        return error(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long, or not complete");
    };
    connection.is_complete.store(true, Ordering::Relaxed);
    answered(Asked {
        method: head.method,
        path: head.uri.path().to_owned(),
        headers: head.headers,
        body: body.to_bytes(),
        connection,
    })
    .await
}
