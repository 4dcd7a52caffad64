//! What `--metrics` serves, as instruments that are asked for their numbers.

use gxf_runtime::{Context, Statistics};
use opentelemetry::KeyValue;
use opentelemetry::metrics::{AsyncInstrument, Meter};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The statistics of a run, which all instruments of one round share.
pub struct Source {
    context: Context,
    latest: Mutex<Option<(Instant, Arc<Statistics>)>>,
}

impl Source {
    pub fn new(context: Context) -> Self {
        Self { context, latest: Mutex::new(None) }
    }

    fn statistics(&self) -> Arc<Statistics> {
        /// A round of questions takes no longer.
        const ROUND: Duration = Duration::from_millis(200);
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        match &*latest {
            Some((at, statistics)) if at.elapsed() < ROUND => Arc::clone(statistics),
            _ => {
                let statistics = self.context.statistics().unwrap_or_default().flattened();
                let statistics = Arc::new(statistics);
                *latest = Some((Instant::now(), Arc::clone(&statistics)));
                statistics
            }
        }
    }
}

/// One number of an entity, a queue, a connection or a deadline.
type Observe<T> = fn(&Statistics, &mut dyn FnMut(T, &[KeyValue]));

const COUNTERS: [(&str, &str, &str, Observe<u64>); 7] = [
    ("gxe.entity.ticks", "{tick}", "Successful ticks of an entity", |all, put| {
        all.entities.iter().for_each(|one| put(one.ticks, &[entity(&one.name)]));
    }),
    ("gxe.entity.failed_ticks", "{tick}", "Failed ticks of an entity", |all, put| {
        all.entities.iter().for_each(|one| put(one.failed_ticks, &[entity(&one.name)]));
    }),
    ("gxe.connection.messages", "{message}", "Messages sent over a connection", |all, put| {
        all.connections.iter().for_each(|one| put(one.messages, &ends(&one.source, &one.target)));
    }),
    (
        "gxe.connection.dropped",
        "{message}",
        "Messages lost because a receiver was full",
        |all, put| {
            all.connections
                .iter()
                .for_each(|one| put(one.dropped, &ends(&one.source, &one.target)));
        },
    ),
    ("gxe.link.messages", "{message}", "Messages that went over a link", |all, put| {
        all.links.iter().for_each(|one| put(one.messages, &part(&one.entity, &one.component)));
    }),
    ("gxe.link.bytes", "By", "Bytes that went over a link", |all, put| {
        all.links.iter().for_each(|one| put(one.bytes, &part(&one.entity, &one.component)));
    }),
    ("gxe.deadline.misses", "{tick}", "Ticks that ended after the deadline", |all, put| {
        all.deadlines.iter().for_each(|one| put(one.missed, &part(&one.entity, &one.component)));
    }),
];

const GAUGES: [(&str, &str, &str, Observe<f64>); 5] = [
    ("gxe.entity.rate", "Hz", "Ticks of an entity in a second of the run", |all, put| {
        all.entities.iter().for_each(|one| put(one.rate_hz, &[entity(&one.name)]));
    }),
    ("gxe.entity.tick.median", "s", "Median of how long a tick takes", |all, put| {
        all.entities.iter().for_each(|one| {
            put(one.execution_ns.median as f64 / 1e9, &[entity(&one.name)]);
        });
    }),
    ("gxe.entity.tick.p99", "s", "99th percentile of how long a tick takes", |all, put| {
        all.entities.iter().for_each(|one| {
            put(one.execution_ns.p99 as f64 / 1e9, &[entity(&one.name)]);
        });
    }),
    ("gxe.queue.fill", "{message}", "Median fill of a queue", |all, put| {
        all.queues.iter().for_each(|one| {
            put(one.median_fill as f64, &part(&one.entity, &one.component));
        });
    }),
    ("gxe.allocator.used", "By", "Bytes in use", |all, put| {
        all.allocators.iter().for_each(|one| {
            put(one.used_bytes as f64, &part(&one.entity, &one.component));
        });
    }),
];

fn entity(name: &str) -> KeyValue {
    KeyValue::new("gxe.entity", name.to_owned())
}

fn part(name: &str, component: &str) -> [KeyValue; 2] {
    [entity(name), KeyValue::new("gxe.component", component.to_owned())]
}

fn ends(source: &str, target: &str) -> [KeyValue; 2] {
    [KeyValue::new("gxe.source", source.to_owned()), KeyValue::new("gxe.target", target.to_owned())]
}

fn callback<T: Copy + 'static>(
    source: &Arc<Source>,
    observe: Observe<T>,
) -> impl Fn(&dyn AsyncInstrument<T>) + Send + Sync + 'static {
    let source = Arc::clone(source);
    move |instrument| {
        let mut put = |value: T, labels: &[KeyValue]| instrument.observe(value, labels);
        observe(&source.statistics(), &mut put);
    }
}

/// Adds all instruments.
pub fn add(meter: &Meter, source: &Arc<Source>) {
    for (name, unit, description, observe) in COUNTERS {
        let instrument = meter.u64_observable_counter(name).with_unit(unit);
        let instrument = instrument.with_description(description);
        instrument.with_callback(callback(source, observe)).build();
    }
    for (name, unit, description, observe) in GAUGES {
        let instrument = meter.f64_observable_gauge(name).with_unit(unit);
        let instrument = instrument.with_description(description);
        instrument.with_callback(callback(source, observe)).build();
    }
}
