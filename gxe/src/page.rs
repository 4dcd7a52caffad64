//! `--serve ADDRESS`: the page of `gxe graph`, alive: what every entity does now, the log, and a
//! person's requests.
//!
//! - http://ADDRESS/TOKEN/ is the page of the graph that runs now; below it are:
//! - `events`: server-sent events: `status` for every entity a few times a second, `log` with
//!   lines of the log, `end` before the process ends;
//! - `ask`: a request as over the control socket ([`crate::control`]), by POST;
//! - `trace`: the trace so far, as a file.
//!
//! The token is in the address, which only the user sees. A page of another site can neither read it
//! nor send requests with it: they carry an `Origin`, or say where they come from. While nobody has
//! the page open, it costs nothing; otherwise the time between two updates is a multiple of the
//! processor time that one takes.

use crate::command::live_page;
use crate::console::Console;
use crate::control::{answered, is_stop};
use crate::http::{self, Answer, Asked, Pieces, answer, error};
use crate::live_graph::LiveGraph;
use crate::log::tail;
use crate::stop::{Stop, StopCause};
use anyhow::{Context as _, Result};
use gxf_runtime::Context;
use gxf_runtime::graph::escape;
use hyper::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName,
    HeaderValue, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{Method, StatusCode};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::spawn_blocking;

/// The shortest time between two updates.
const PERIOD: Duration = Duration::from_millis(500);
/// The time between two updates, as a multiple of the processor time that one takes. The threads of the
/// run, whose locks it takes, lose about twice as much, so both are below two hundredths.
const SHARE: u32 = 200;
/// How long the end of the process waits for the last update to be read.
const FAREWELL: Duration = Duration::from_millis(500);
/// How often that is checked.
const MOMENT: Duration = Duration::from_millis(10);
/// Bytes of a piece of a trace.
const PIECE: usize = 1 << 16;

/// What a browser may do with the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/// What all connections share.
struct Site {
    graph: Arc<LiveGraph>,
    stop: Arc<Stop>,
    token: String,
    title: String,
    updates: watch::Sender<Update>,
    /// Whether a trace is recorded because the page asked for it.
    traces: AtomicBool,
}

/// What the page is told.
#[derive(Clone, Default)]
enum Update {
    /// There is none yet.
    #[default]
    None,
    /// JSON.
    Status(Arc<str>),
    /// The process ends.
    End,
}

/// The page; says on drop that the run is over.
pub struct Page {
    site: Arc<Site>,
}

impl Page {
    /// Starts to serve the page, and says where.
    ///
    /// # Errors
    /// The address is in use, or no thread can be started.
    pub fn serve(
        address: SocketAddr,
        graph: &Arc<LiveGraph>,
        stop: &Arc<Stop>,
        console: Console,
        title: String,
    ) -> Result<Self> {
        let mut token = [0; 16];
        getrandom::fill(&mut token).context("the system has no random numbers for the page")?;
        let token: String = token.iter().map(|byte| format!("{byte:02x}")).collect();
        let site = Arc::new(Site {
            graph: Arc::clone(graph),
            stop: Arc::clone(stop),
            token,
            title,
            updates: watch::Sender::default(),
            traces: AtomicBool::new(false),
        });
        tail::keep();
        let asked_site = Arc::clone(&site);
        let (address, handle) = http::serve("the page", address, false, move |asked| {
            let site = Arc::clone(&asked_site);
            async move { guarded(site, asked).await }
        })?;
        handle.spawn(update(Arc::clone(&site)));
        console.note(&format!("live page at http://{address}/{}/", site.token));
        Ok(Self { site })
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        self.site.updates.send_replace(Update::End);
        let begin = Instant::now();
        // Each reader drops its end once it was told.
        while self.site.updates.receiver_count() > 0 && begin.elapsed() < FAREWELL {
            std::thread::sleep(MOMENT);
        }
    }
}

/// Looks at the graph while somebody looks at the page.
async fn update(site: Arc<Site>) {
    let mut rest = PERIOD;
    loop {
        tokio::time::sleep(rest).await;
        if site.updates.receiver_count() == 0 {
            continue;
        }
        rest = PERIOD;
        let looked = Arc::clone(&site);
        let looked = spawn_blocking(move || {
            let begin = processor_time();
            (status(&looked.graph), processor_time().saturating_sub(begin))
        });
        if let Ok((Some(status), took)) = looked.await {
            rest = PERIOD.max(took * SHARE);
            let is_new = |latest: &mut Update| {
                let goes_on = !matches!(latest, Update::End);
                if goes_on {
                    *latest = Update::Status(status);
                }
                goes_on
            };
            site.updates.send_if_modified(is_new);
        }
    }
}

/// What the calling thread has used.
fn processor_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

fn status(graph: &LiveGraph) -> Option<Arc<str>> {
    let number = graph.number();
    let status = graph.look(|context| {
        let status = context.status();
        context.take_samples();
        status
    })?;
    let status = json!({"graph": number, "pid": std::process::id(), "status": status});
    Some(escape::json(&status).to_string().into())
}

/// Refuses what does not come from the page, and answers the rest.
async fn guarded(site: Arc<Site>, asked: Asked) -> Answer {
    let own = asked.header(HOST).map(|host| format!("http://{host}"));
    let is_own = |origin: &str| own.as_deref() == Some(origin);
    let mode = asked.header(HeaderName::from_static("sec-fetch-site"));
    if !asked.header(ORIGIN).is_none_or(is_own)
        || !mode.is_none_or(|mode| ["same-origin", "none"].contains(&mode))
    {
        return error(StatusCode::FORBIDDEN, "requests of other sites are refused");
    }
    let path = asked.path.trim_start_matches('/');
    let (token, what) = path.split_once('/').unwrap_or((path, ""));
    if !is_same(token, &site.token) {
        let text = "the token is missing or wrong: open the address that gxe has printed";
        return error(StatusCode::UNAUTHORIZED, text);
    }
    let what = what.to_owned();
    let mut answer = match (asked.method.clone(), what.as_str()) {
        (Method::GET | Method::HEAD, "") => blocking(move || Ok(page(&site))).await,
        (Method::GET, "events") => events(site, &asked),
        (Method::GET, "trace") => trace(site, &asked),
        (Method::POST, "ask") => {
            // Another type would let pages of other sites send it without asking the browser.
            let kind = asked.header(CONTENT_TYPE).unwrap_or_default();
            if !kind.starts_with("application/json") {
                let text = "requests are of the type application/json";
                return error(StatusCode::UNSUPPORTED_MEDIA_TYPE, text);
            }
            blocking(move || ask(&site, &asked)).await
        }
        (_, "" | "events" | "trace" | "ask") => {
            error(StatusCode::METHOD_NOT_ALLOWED, "this method is not possible here")
        }
        _ => error(StatusCode::NOT_FOUND, "there is no such page"),
    };
    let headers = answer.headers_mut();
    for (name, value) in [
        (CACHE_CONTROL, "no-store"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (X_FRAME_OPTIONS, "DENY"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    answer
}

/// Compares in a time that does not depend on where they differ.
fn is_same(one: &str, other: &str) -> bool {
    let differences =
        one.bytes().zip(other.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
    one.len() == other.len() && differences == 0
}

/// Answers on a thread of its own: a graph may take its time.
async fn blocking(work: impl FnOnce() -> Result<Answer> + Send + 'static) -> Answer {
    let failed = |text: &str| error(StatusCode::INTERNAL_SERVER_ERROR, text);
    match spawn_blocking(work).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(error)) => failed(&format!("{error:#}")),
        Err(_) => failed("the request has failed"),
    }
}

/// The page, or one that waits for a graph.
fn page(site: &Site) -> Answer {
    // The number first: a newer graph makes the page load again.
    let number = site.graph.number();
    let page = match site.graph.look(Context::describe) {
        Some(graph) => live_page(&graph, &site.title, number),
        None => {
            Ok("<!DOCTYPE html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"1\">\
                    <title>gxe</title><p>No graph is loaded at this moment."
                .to_owned())
        }
    };
    match page {
        Ok(page) => answer(StatusCode::OK, "text/html; charset=utf-8", page),
        Err(failed) => error(StatusCode::INTERNAL_SERVER_ERROR, &format!("{failed:#}")),
    }
}

fn ask(site: &Site, asked: &Asked) -> Result<Answer> {
    let text = std::str::from_utf8(&asked.body).context("the request is not UTF-8")?;
    let request: Value = serde_json::from_str(text).unwrap_or_default();
    let command = request["command"].as_str().unwrap_or_default();
    let answered = match command {
        "trace" => {
            json!({"ok": false, "error": "the page does not write files: get /trace instead"})
        }
        _ => answered(text, &site.graph),
    };
    if answered["ok"] == true {
        if command == "trace_start" {
            site.traces.store(true, Ordering::Relaxed);
        }
        if is_stop(&request) {
            let stop = Arc::clone(&site.stop);
            // Not here: the answer comes first.
            std::thread::Builder::new().spawn(move || stop.request(StopCause::Page))?;
        }
    }
    let text = escape::json(&answered).to_string();
    Ok(answer(StatusCode::OK, "application/json", text))
}

fn events(site: Arc<Site>, asked: &Asked) -> Answer {
    let (answer, pieces) = asked.in_pieces("text/event-stream");
    tokio::spawn(tell(site, pieces));
    answer
}

/// Tells a page what is new, as fast as it reads; what it missed in between is skipped.
async fn tell(site: Arc<Site>, pieces: Pieces) {
    let mut updates = site.updates.subscribe();
    let mut seen = 0;
    let mut is_first = true;
    loop {
        let update = updates.borrow_and_update().clone();
        let (lines, all) = tail::since(seen);
        seen = all;
        let mut text = String::new();
        if is_first {
            // The browser waits as long before it connects again.
            text.push_str("retry: 1000\n\n");
        }
        if !lines.is_empty() {
            text.push_str(&format!("event: log\ndata: [{}]\n\n", lines.join(",")));
        }
        match &update {
            // The one before it may be from a graph that is gone.
            Update::Status(status) if !is_first => {
                text.push_str(&format!("event: status\ndata: {status}\n\n"));
            }
            Update::End => text.push_str("event: end\ndata: {}\n\n"),
            _ => {}
        }
        is_first = false;
        let is_over = matches!(update, Update::End);
        if !pieces.send(text).await {
            return;
        }
        if is_over {
            // The process waits as long as this subscribes.
            pieces.finish().await;
            return;
        }
        tokio::select! {
            changed = updates.changed() => {
                if changed.is_err() {
                    return;
                }
            }
            () = pieces.closed() => return,
        }
    }
}

/// The trace so far; ends one that the page began.
fn trace(site: Arc<Site>, asked: &Asked) -> Answer {
    let began = site.traces.swap(false, Ordering::Relaxed);
    let end = |context: &Context| if began { context.trace_stop() } else { context.trace() };
    let Some(trace) = site.graph.look(end).flatten() else {
        return error(StatusCode::NOT_FOUND, "no trace is being recorded");
    };
    let (mut answer, pieces) = asked.in_pieces("application/json");
    let file = HeaderValue::from_static("attachment; filename=\"gxe-trace.json\"");
    answer.headers_mut().insert(CONTENT_DISPOSITION, file);
    let runtime = Handle::current();
    spawn_blocking(move || {
        let mut file = BufWriter::with_capacity(PIECE, Sending { pieces, runtime });
        // A reader that went away needs no answer.
        _ = trace.write_json(&mut file).and_then(|()| file.flush());
    });
    answer
}

/// Sends what is written.
struct Sending {
    pieces: Pieces,
    runtime: Handle,
}

impl Write for Sending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.runtime.block_on(self.pieces.send(bytes.to_vec())) {
            true => Ok(bytes.len()),
            false => Err(ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
