//! `--otlp`: sends what a run does to an OpenTelemetry collector, by OTLP over HTTP.
//!
//! Every tick is a span below that of the run. Ticks come from a trace, which is taken and begun
//! anew every few seconds; one that is being written to a file is sent at the end. A collector that
//! is slow, or not there, costs the run nothing: the trace keeps the latest ticks, and what did not
//! arrive is counted.
//!
//! - `spans.rs`: ticks as spans; `metrics.rs`: statistics as instruments;
//! - `client.rs`: requests.

mod client;
mod metrics;
mod spans;

use client::{Client, TIMEOUT};
use gxf_runtime::{Context, Trace, TraceOptions};
use metrics::Source;
use opentelemetry::metrics::MeterProvider;
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_otlp::{
    MetricExporter, Protocol, RetryPolicy, SpanExporter, WithExportConfig, WithHttpConfig,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::{PeriodicReader, SdkMeterProvider};
use opentelemetry_sdk::resource::{EnvResourceDetector, ResourceDetector};
use opentelemetry_sdk::trace::SpanExporter as _;
use spans::RunSpan;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::task::{Poll, Waker};
use std::time::Duration;

/// How often ticks are sent, unless `OTEL_BSP_SCHEDULE_DELAY` says otherwise.
const PERIOD: Duration = Duration::from_secs(5);
const SHORTEST_PERIOD: Duration = Duration::from_millis(100);
/// Events that each thread keeps in between: some five thousand ticks.
const EVENTS: usize = 1 << 14;
/// Spans of a request.
const BATCH: usize = 512;
/// Most spans that are sent at once: the latest ones.
const MOST: usize = 20_000;

/// A run that is sent.
pub struct Otlp {
    ending: Sender<Ending>,
    done: Receiver<Undelivered>,
    records: bool,
    url: String,
}

/// How a run ended.
struct Ending {
    succeeded: bool,
    trace: Option<Trace>,
}

/// What a collector did not take.
struct Undelivered {
    spans: usize,
    /// Ticks for which there was no room.
    ticks: usize,
    /// Why the latest spans were not delivered.
    error: Option<String>,
}

impl Otlp {
    /// Begins to send. `records`: whether a trace is to be recorded for this.
    pub fn start(context: &Context, url: &str, records: bool) -> anyhow::Result<Self> {
        let resource = resource();
        let client = Arc::new(Client::new(url));
        let mut spans = SpanExporter::builder()
            .with_http()
            .with_shared_http_client(client.clone())
            .with_endpoint(format!("{url}/v1/traces"))
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(TIMEOUT)
            .with_retry_policy(RetryPolicy::disabled())
            .build()?;
        spans.set_resource(&resource);
        let numbers = MetricExporter::builder()
            .with_http()
            .with_shared_http_client(client.clone())
            .with_endpoint(format!("{url}/v1/metrics"))
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(TIMEOUT)
            .with_retry_policy(RetryPolicy::disabled())
            .build()?;
        let reader = PeriodicReader::builder(numbers);
        let reader = match milliseconds("OTEL_METRIC_EXPORT_INTERVAL") {
            Some(interval) => reader.with_interval(interval),
            None => reader,
        };
        let reader = reader.build();
        let meters = SdkMeterProvider::builder().with_resource(resource).with_reader(reader);
        let meters = meters.build();
        metrics::add(&meters.meter("gxe"), &Arc::new(Source::new(context.clone())));
        if records {
            context.trace_start(&options())?;
        }
        let parent = std::env::var("TRACEPARENT").ok();
        let (ending, ended) = channel();
        let (report, done) = channel();
        let sending = Sending {
            context: context.clone(),
            run: RunSpan::begin(parent.as_deref()),
            spans,
            client,
            scope: scope(),
            url: url.to_owned(),
            period: milliseconds("OTEL_BSP_SCHEDULE_DELAY").unwrap_or(PERIOD),
            undelivered: Undelivered { spans: 0, ticks: 0, error: None },
        };
        std::thread::Builder::new().name("otlp".to_owned()).spawn(move || {
            _ = report.send(sending.run(&ended, records, &meters));
        })?;
        Ok(Self { ending, done, records, url: url.to_owned() })
    }

    /// Sends the rest, for a few seconds at most. Returns the trace, unless it was recorded for this
    /// alone.
    pub fn end(self, context: &Context, succeeded: bool) -> Option<Trace> {
        let trace = context.trace_stop();
        _ = self.ending.send(Ending { succeeded, trace: trace.clone() });
        let url = &self.url;
        match self.done.recv_timeout(2 * TIMEOUT) {
            Ok(Undelivered { spans, ticks, error }) => {
                if let Some(error) = error {
                    tracing::warn!("{spans} spans were not delivered to {url}: {error}");
                }
                if ticks > 0 {
                    tracing::warn!("{ticks} ticks were not sent to {url}: there were too many");
                }
            }
            Err(_) => tracing::warn!("{url} takes too long: the end of the run was not delivered"),
        }
        trace.filter(|_| !self.records)
    }
}

fn options() -> TraceOptions {
    TraceOptions { events_per_thread: EVENTS, ..TraceOptions::default() }
}

fn scope() -> InstrumentationScope {
    InstrumentationScope::builder("gxe").with_version(env!("CARGO_PKG_VERSION")).build()
}

/// What runs here. `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` have the last word.
fn resource() -> Resource {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let own = [
        KeyValue::new("service.name", "gxe"),
        KeyValue::new("host.name", host.trim().to_owned()),
        KeyValue::new("process.pid", i64::from(std::process::id())),
    ];
    let attributes = EnvResourceDetector::new().detect();
    let attributes =
        attributes.iter().map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let resource = Resource::builder_empty().with_attributes(own).with_attributes(attributes);
    match std::env::var("OTEL_SERVICE_NAME") {
        Ok(name) if !name.is_empty() => resource.with_service_name(name).build(),
        _ => resource.build(),
    }
}

/// The period that an environment variable gives in milliseconds.
fn milliseconds(variable: &str) -> Option<Duration> {
    let text = std::env::var_os(variable).filter(|text| !text.is_empty())?;
    let number = text.to_str().and_then(|text| text.parse().ok()).filter(|number| *number > 0);
    if number.is_none() {
        let text = text.display();
        tracing::warn!("`{variable}={text}` is ignored: it is no number of milliseconds");
    }
    number.map(Duration::from_millis)
}

/// The thread that sends.
struct Sending {
    context: Context,
    run: RunSpan,
    spans: SpanExporter,
    client: Arc<Client>,
    scope: InstrumentationScope,
    url: String,
    /// How often ticks are sent.
    period: Duration,
    undelivered: Undelivered,
}

impl Sending {
    fn run(
        mut self,
        ending: &Receiver<Ending>,
        records: bool,
        meters: &SdkMeterProvider,
    ) -> Undelivered {
        let period = self.period.max(SHORTEST_PERIOD);
        let mut has_warned = false;
        let end = loop {
            match ending.recv_timeout(period) {
                Ok(end) => break end,
                Err(RecvTimeoutError::Disconnected) => {
                    break Ending { succeeded: false, trace: None };
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            if records {
                let trace = self.context.trace_stop();
                // Fails if somebody else began one in between, whose ticks are sent at the end.
                _ = self.context.trace_start(&options());
                let sent = self.send(trace.as_ref());
                if let Err(error) = sent
                    && !std::mem::replace(&mut has_warned, true)
                {
                    let url = &self.url;
                    tracing::warn!("spans are not delivered to {url}, and are counted: {error}");
                }
            }
        };
        if self.send(end.trace.as_ref()).is_err() {
            // The next request would take as long, and somebody waits.
            self.undelivered.spans += 1;
            return self.undelivered;
        }
        let statistics = self.context.statistics().unwrap_or_default();
        let attributes = vec![
            KeyValue::new("gxe.scheduler", statistics.scheduler),
            KeyValue::new("gxe.trace_hash", statistics.trace_hash.sha256),
            KeyValue::new(
                "gxe.ticks_not_sent",
                i64::try_from(self.undelivered.ticks).unwrap_or(i64::MAX),
            ),
        ];
        let Self { run, spans, client, scope, mut undelivered, .. } = self;
        let span = run.end(end.succeeded, attributes, &scope);
        if let Err(error) = finished(spans.export(vec![span])) {
            undelivered.spans += 1;
            undelivered.error = Some(client.problem().unwrap_or(error));
        }
        if let Err(error) = meters.shutdown_with_timeout(TIMEOUT) {
            tracing::debug!("the last metrics were not delivered: {error}");
        }
        undelivered
    }

    /// Sends the ticks of a trace.
    fn send(&mut self, trace: Option<&Trace>) -> Result<(), String> {
        let Some(trace) = trace else { return Ok(()) };
        let mut ticks = trace.ticks();
        ticks.sort_by_key(|tick| tick.begin_ns);
        let too_many = ticks.len().saturating_sub(MOST);
        // A tick has three events or more.
        let lost = usize::try_from(trace.lost_events() / 3).unwrap_or(usize::MAX);
        self.undelivered.ticks += too_many.saturating_add(lost);
        let mut ticks = ticks.into_iter().skip(too_many).peekable();
        while ticks.peek().is_some() {
            let batch = ticks.by_ref().take(BATCH);
            let batch: Vec<_> = batch.map(|tick| self.run.tick(tick, &self.scope)).collect();
            let count = batch.len();
            if let Err(error) = finished(self.spans.export(batch)) {
                let error = self.client.problem().unwrap_or(error);
                self.undelivered.spans += count + ticks.count();
                self.undelivered.error = Some(error.clone());
                return Err(error);
            }
        }
        Ok(())
    }
}

/// The result of an export. Its client blocks, so it is there at once.
fn finished(
    export: impl Future<Output = opentelemetry_sdk::error::OTelSdkResult>,
) -> Result<(), String> {
    match pin!(export).poll(&mut std::task::Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result.map_err(|error| error.to_string()),
        Poll::Pending => Err("the exporter waits for something else".to_owned()),
    }
}
