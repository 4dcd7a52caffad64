//! The numbers of a run in the text format of Prometheus, version 0.0.4.

use gxf_runtime::{EntityStatistics, GraphStatus, Statistics, Times};
use std::collections::HashMap;
use std::fmt::{Display, Write};

/// All metrics of a graph.
pub fn exposition(status: &GraphStatus, statistics: Option<&Statistics>) -> String {
    let mut page = Page::default();
    page.metric("gxe_graph_state", "gauge", "What the graph does: the sample of its state is 1.");
    page.sample("", &[("state", &status.state)], 1);
    entities(&mut page, status);
    queues(&mut page, status);
    if let Some(statistics) = statistics {
        measured(&mut page, &statistics.entities);
        connections(&mut page, statistics);
        allocators(&mut page, statistics);
    }
    page.text
}

fn entities(page: &mut Page, status: &GraphStatus) {
    page.metric("gxe_entity_ticks_total", "counter", "Successful ticks of an entity.");
    for entity in &status.entities {
        page.sample("", &[("entity", &entity.name)], entity.ticks);
    }
    let help = "What an entity does: the sample of its state is 1.";
    page.metric("gxe_entity_state", "gauge", help);
    for entity in &status.entities {
        page.sample("", &[("entity", &entity.name), ("state", &entity.state)], 1);
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
    page.metric("gxe_queue_messages", "gauge", "Messages in a queue, in all its stages.");
    for (labels, queue) in &queues {
        page.sample("", labels, queue.messages);
    }
    page.metric("gxe_queue_capacity", "gauge", "Messages a stage of a queue holds at most.");
    for (labels, queue) in &queues {
        page.sample("", labels, queue.capacity);
    }
}

fn allocators(page: &mut Page, statistics: &Statistics) {
    for (name, kind, help) in [
        ("gxe_allocator_used_bytes", "gauge", "Bytes an allocator has handed out."),
        ("gxe_allocator_peak_bytes", "gauge", "Most bytes that were in use at once."),
        ("gxe_allocator_allocations_total", "counter", "Allocations so far."),
    ] {
        page.metric(name, kind, help);
        for known in &statistics.allocators {
            let value = match name {
                "gxe_allocator_used_bytes" => known.used_bytes,
                "gxe_allocator_peak_bytes" => known.peak_bytes,
                _ => known.allocations,
            };
            page.sample("", &[("entity", &known.entity), ("allocator", &known.component)], value);
        }
    }
}

fn measured(page: &mut Page, entities: &[EntityStatistics]) {
    page.metric("gxe_entity_failed_ticks_total", "counter", "Ticks of an entity that failed.");
    for entity in entities {
        page.sample("", &[("entity", &entity.name)], entity.failed_ticks);
    }
    page.metric("gxe_entity_execution_seconds", "summary", "How long the ticks took.");
    for entity in entities {
        let times: &Times = &entity.execution_ns;
        for (quantile, value) in
            [("0.5", times.median), ("0.9", times.p90), ("0.95", times.p95), ("0.99", times.p99)]
        {
            let labels = [("entity", &*entity.name), ("quantile", quantile)];
            page.sample("", &labels, seconds(value));
        }
        page.sample("_sum", &[("entity", &entity.name)], seconds(times.total));
        page.sample("_count", &[("entity", &entity.name)], entity.ticks + entity.failed_ticks);
    }
    let help = "How long a term kept an entity waiting, on the scheduler's clock.";
    page.metric("gxe_entity_waited_seconds_total", "counter", help);
    for entity in entities {
        for (term, waited) in &entity.waited_ns {
            let labels = [("entity", &entity.name), ("term", term)];
            page.sample("", &labels, seconds(u64::try_from(*waited).unwrap_or(0)));
        }
    }
}

fn connections(page: &mut Page, statistics: &Statistics) {
    page.metric("gxe_connection_messages_total", "counter", "Messages sent over a connection.");
    for known in &statistics.connections {
        page.sample("", &[("source", &known.source), ("target", &known.target)], known.messages);
    }
    let help = "Messages lost because the receiver was full.";
    page.metric("gxe_connection_lost_messages_total", "counter", help);
    for known in &statistics.connections {
        page.sample("", &[("source", &known.source), ("target", &known.target)], known.dropped);
    }
}

fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}

#[derive(Default)]
struct Page {
    text: String,
    /// Of the samples that follow.
    name: &'static str,
    /// How often these labels were there. Components may have no name and are called by their type
    /// then, and a page with two samples of the same labels would be refused as a whole.
    seen: HashMap<String, u32>,
}

impl Page {
    fn metric(&mut self, name: &'static str, kind: &str, help: &str) {
        self.name = name;
        self.seen.clear();
        // Writing to a `String` does not fail.
        _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample<V: AsRef<str>>(
        &mut self,
        suffix: &str,
        labels: &[(&'static str, V)],
        value: impl Display,
    ) {
        let mut text = format!("{}{suffix}", self.name);
        for (index, (label, value)) in labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            _ = write!(text, "{before}{label}=\"{}\"", escaped(value.as_ref()));
        }
        let times = self.seen.entry(text.clone()).or_default();
        *times += 1;
        if *times > 1 {
            _ = write!(text, ",number=\"{times}\"");
        }
        _ = writeln!(self.text, "{text}}} {value}");
    }
}

/// As the format wants it within quotation marks.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
