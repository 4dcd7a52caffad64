//! The numbers of a run as OpenMetrics text, which Prometheus reads.

use gxf_runtime::{EntityStatistics, GraphStatus, GraphUse, LinkUse, Statistics, StreamUse, Times};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet, text};
use prometheus_client::metrics::MetricType::{self, Counter, Gauge};
use prometheus_client::registry::Registry;
use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;

/// The media type.
pub const FORMAT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// All metrics of a graph.
pub fn exposition(status: &GraphStatus, statistics: Option<&Statistics>) -> String {
    let mut page = Page::default();
    let help = "State of the graph: its sample is 1";
    page.metric(Gauge, "gxe_graph_state", help);
    page.sample(&[("state", &status.state.to_string())], 1.0);
    entities(&mut page, status);
    queues(&mut page, status);
    links(&mut page, status);
    if let Some(statistics) = statistics {
        measured(&mut page, &statistics.entities);
        connections(&mut page, statistics);
        allocators(&mut page, statistics);
        deadlines(&mut page, statistics);
        streams(&mut page, &statistics.cuda_streams);
        graphs(&mut page, &statistics.cuda_graphs);
    }
    let mut registry = Registry::default();
    registry.register_collector(Box::new(page));
    let mut text = String::new();
    // Writing to a `String` does not fail.
    _ = text::encode(&mut text, &registry);
    text
}

fn entities(page: &mut Page, status: &GraphStatus) {
    page.metric(Counter, "gxe_entity_ticks", "Successful ticks of an entity");
    for entity in &status.entities {
        page.sample(&[("entity", &entity.name)], entity.ticks as f64);
    }
    page.metric(Gauge, "gxe_entity_state", "State of an entity: its sample is 1");
    for entity in &status.entities {
        page.sample(&[("entity", &entity.name), ("state", &entity.state)], 1.0);
    }
}

fn queues(page: &mut Page, status: &GraphStatus) {
    let mut queues = Vec::new();
    for entity in &status.entities {
        for queue in &entity.queues {
            let direction = if queue.receives { "receiver" } else { "transmitter" };
            let names = [("entity", &*entity.name), ("queue", &*queue.name)];
            queues.push(([names[0], names[1], ("direction", direction)], queue));
        }
    }
    page.metric(Gauge, "gxe_queue_messages", "Messages in a queue, in all its stages");
    for (labels, queue) in &queues {
        page.sample(labels, queue.messages as f64);
    }
    page.metric(Gauge, "gxe_queue_capacity", "Messages that a stage of a queue holds at most");
    for (labels, queue) in &queues {
        page.sample(labels, queue.capacity as f64);
    }
}

fn links(page: &mut Page, status: &GraphStatus) {
    let queues = status.entities.iter().flat_map(|entity| &entity.queues);
    let links = queues.filter_map(|queue| {
        let link = queue.link.as_ref()?;
        let peer = unmarked(&link.peer);
        Some((link, if queue.receives { without_port(peer) } else { peer }))
    });
    let links: Vec<(&LinkUse, String)> = links.collect();
    if links.is_empty() {
        return;
    }
    type Read = fn(&LinkUse) -> f64;
    let all: [(MetricType, &str, &str, Read); 7] = [
        (Counter, "gxe_link_messages", "Messages that went over a link", |one| one.messages as f64),
        (Counter, "gxe_link_bytes", "Their bytes on the wire", |one| one.bytes as f64),
        (Gauge, "gxe_link_queued", "Messages that wait at this end", |one| one.queued as f64),
        (Gauge, "gxe_link_credits", "Messages that may be sent", |one| one.credits as f64),
        (Gauge, "gxe_link_round_trip_seconds", "Latest round trip", |one| {
            seconds(one.round_trip_ns)
        }),
        (Counter, "gxe_link_reconnects", "Connections after the first", |one| {
            one.reconnects as f64
        }),
        (Counter, "gxe_link_dropped", "Messages that were lost", |one| one.dropped as f64),
    ];
    for (kind, name, help, read) in all {
        page.metric(kind, name, help);
        for (link, peer) in &links {
            let labels = [("entity", &*link.entity), ("queue", &*link.component), ("peer", peer)];
            page.sample(&labels, read(link));
        }
    }
}

/// A text for people that may begin with a name, without the marks around that.
fn unmarked(text: &str) -> String {
    let parts = text.strip_prefix('`').and_then(|text| text.rsplit_once('`'));
    parts.map_or_else(|| text.to_owned(), |(name, rest)| format!("{name}{rest}"))
}

/// The sender of a receiver, without its port: each connection has another one, and would begin a new
/// series.
fn without_port(peer: String) -> String {
    let address = peer.rsplit_once(" at ").and_then(|(name, address)| {
        let address: SocketAddr = address.parse().ok()?;
        Some(format!("{name} at {}", address.ip()))
    });
    address.unwrap_or(peer)
}

fn deadlines(page: &mut Page, statistics: &Statistics) {
    if statistics.deadlines.is_empty() {
        return;
    }
    let help = "Ticks that ended after the deadline of the entity";
    page.metric(Counter, "gxe_deadline_misses", help);
    for known in &statistics.deadlines {
        let labels = [("entity", &*known.entity), ("deadline", &*known.component)];
        page.sample(&labels, known.missed as f64);
    }
}

fn graphs(page: &mut Page, graphs: &[GraphUse]) {
    if graphs.is_empty() {
        return;
    }
    type Read = fn(&GraphUse) -> u64;
    let all: [(&str, &str, Read); 4] = [
        ("gxe_cuda_graphs_captured", "CUDA graphs of an entity's work", |one| one.captured),
        ("gxe_cuda_graph_launches", "Launches of them", |one| one.launches),
        ("gxe_cuda_joined_works", "Pieces of work launched with those of a later entity", |one| {
            one.joined
        }),
        ("gxe_cuda_ordinary_works", "Pieces of work without a graph", |one| one.ordinary),
    ];
    for (name, help, read) in all {
        page.metric(Counter, name, help);
        for one in graphs {
            page.sample(&[("entity", &*one.entity)], read(one) as f64);
        }
    }
}

fn streams(page: &mut Page, streams: &[StreamUse]) {
    if streams.is_empty() {
        return;
    }
    type Read = fn(&StreamUse) -> f64;
    let all: [(&str, &str, Read); 6] = [
        ("gxe_cuda_works", "Pieces of work of a CUDA stream", |one| one.works as f64),
        ("gxe_cuda_busy_seconds", "Time in which the device did them", |one| seconds(one.busy_ns)),
        ("gxe_cuda_waits", "Waits for other streams", |one| one.waits as f64),
        ("gxe_cuda_to_device_bytes", "Bytes copied to the device", |one| {
            one.to_device_bytes as f64
        }),
        ("gxe_cuda_to_host_bytes", "Bytes copied to the host", |one| one.to_host_bytes as f64),
        ("gxe_cuda_between_bytes", "Bytes copied within or between devices", |one| {
            one.between_bytes as f64
        }),
    ];
    for (name, help, read) in all {
        page.metric(Counter, name, help);
        for one in streams {
            let names = [one.device.to_string(), one.stream.to_string()];
            page.sample(&[("device", &names[0]), ("stream", &names[1])], read(one));
        }
    }
}

fn allocators(page: &mut Page, statistics: &Statistics) {
    let used = "Bytes in use";
    let peak = "Most bytes that were in use at once";
    for (kind, name, help) in [
        (Gauge, "gxe_allocator_used_bytes", used),
        (Gauge, "gxe_allocator_peak_bytes", peak),
        (Counter, "gxe_allocator_allocations", "Allocations"),
    ] {
        page.metric(kind, name, help);
        for known in &statistics.allocators {
            let value = match name {
                "gxe_allocator_used_bytes" => known.used_bytes,
                "gxe_allocator_peak_bytes" => known.peak_bytes,
                _ => known.allocations,
            };
            let labels = [("entity", &*known.entity), ("allocator", &*known.component)];
            page.sample(&labels, value as f64);
        }
    }
}

fn measured(page: &mut Page, entities: &[EntityStatistics]) {
    page.metric(Counter, "gxe_entity_failed_ticks", "Failed ticks of an entity");
    for entity in entities {
        page.sample(&[("entity", &entity.name)], entity.failed_ticks as f64);
    }
    page.metric(Counter, "gxe_entity_execution_seconds", "Time spent in the ticks of an entity");
    for entity in entities {
        page.sample(&[("entity", &entity.name)], seconds(entity.execution_ns.total));
    }
    page.metric(Gauge, "gxe_entity_tick_seconds", "Quantiles of how long a tick takes");
    for entity in entities {
        let times: &Times = &entity.execution_ns;
        for (quantile, value) in
            [("0.5", times.median), ("0.9", times.p90), ("0.95", times.p95), ("0.99", times.p99)]
        {
            page.sample(&[("entity", &entity.name), ("quantile", quantile)], seconds(value));
        }
    }
    let help = "Time that a term kept an entity waiting, on the scheduler's clock";
    page.metric(Counter, "gxe_entity_waited_seconds", help);
    for entity in entities {
        for (term, waited) in &entity.waited_ns {
            let waited = u64::try_from(*waited).unwrap_or(0);
            page.sample(&[("entity", &entity.name), ("term", term)], seconds(waited));
        }
    }
}

fn connections(page: &mut Page, statistics: &Statistics) {
    page.metric(Counter, "gxe_connection_messages", "Messages sent over a connection");
    for known in &statistics.connections {
        let labels = [("source", &*known.source), ("target", &*known.target)];
        page.sample(&labels, known.messages as f64);
    }
    let help = "Messages lost because the receiver was full";
    page.metric(Counter, "gxe_connection_lost_messages", help);
    for known in &statistics.connections {
        let labels = [("source", &*known.source), ("target", &*known.target)];
        page.sample(&labels, known.dropped as f64);
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

type Labels = Vec<(&'static str, String)>;

/// Metrics in the order in which they were added.
#[derive(Debug, Default)]
struct Page(Vec<Metric>);

#[derive(Debug)]
struct Metric {
    kind: MetricType,
    name: &'static str,
    help: &'static str,
    samples: Vec<(Labels, f64)>,
    /// Number of samples with the same labels. Unnamed components share the name of their type, and
    /// a page with two samples of the same labels would be refused as a whole.
    seen: HashMap<Labels, u32>,
}

impl Page {
    /// Begins a metric.
    fn metric(&mut self, kind: MetricType, name: &'static str, help: &'static str) {
        self.0.push(Metric { kind, name, help, samples: Vec::new(), seen: HashMap::new() });
    }

    /// Adds a sample to the latest metric.
    fn sample(&mut self, labels: &[(&'static str, &str)], value: f64) {
        let Some(metric) = self.0.last_mut() else { return };
        let mut labels: Labels =
            labels.iter().map(|(label, text)| (*label, (*text).to_owned())).collect();
        let times = metric.seen.entry(labels.clone()).or_default();
        *times += 1;
        if *times > 1 {
            labels.push(("number", times.to_string()));
        }
        metric.samples.push((labels, value));
    }
}

impl Collector for Page {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for Metric { kind, name, help, samples, .. } in &self.0 {
            let mut encoder = encoder.encode_descriptor(name, help, None, *kind)?;
            for (labels, value) in samples {
                let mut sample = encoder.encode_family(labels)?;
                match kind {
                    Counter => sample.encode_counter::<NoLabelSet, f64, u64>(value, None)?,
                    _ => sample.encode_gauge(value)?,
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::without_port;

    #[test]
    fn the_port_of_a_sender_is_no_label() {
        for (peer, label) in [
            ("src/tx/o1 at 10.98.0.1:55710", "src/tx/o1 at 10.98.0.1"),
            ("a at 1.2.3.4:5 at [fe80::1]:55710", "a at 1.2.3.4:5 at fe80::1"),
            ("src/tx/o1 at this host", "src/tx/o1 at this host"),
            ("src/tx/o1 in this process", "src/tx/o1 in this process"),
        ] {
            assert_eq!(without_port(peer.to_owned()), label);
        }
    }
}
