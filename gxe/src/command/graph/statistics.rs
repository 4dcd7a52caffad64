//! The measurements of a run, as `--statistics` reads them. Keys may be absent, but not all that tell
//! such a file from others.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

/// What a run measured.
#[derive(Debug, Default, Deserialize)]
#[serde(default, expecting = "an object with the statistics of a run")]
pub struct Statistics {
    /// Version of the form.
    pub version: Option<serde_json::Number>,
    /// By entity.
    pub entities: Vec<EntityStatistics>,
    /// By queue.
    pub queues: Vec<QueueStatistics>,
    /// By pair of a transmitter and a receiver.
    pub connections: Vec<ConnectionStatistics>,
    /// By deadline.
    pub deadlines: Vec<DeadlineStatistics>,
    /// How long the run took.
    pub duration_ns: Option<f64>,
    /// The scheduler that ran the graph.
    pub scheduler: Option<String>,
}

/// What tells the statistics of a run from other files.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Kind {
    entities: Option<IgnoredAny>,
    /// What a trace has.
    #[serde(rename = "traceEvents")]
    trace_events: Option<IgnoredAny>,
}

/// What one entity did.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct EntityStatistics {
    /// Name of the entity.
    pub name: String,
    /// Number of ticks.
    pub ticks: Option<f64>,
    /// Ticks a second.
    pub rate_hz: Option<f64>,
    /// How long the ticks took.
    pub execution_ns: ExecutionStatistics,
    /// How long each term kept the entity waiting, by name of the term.
    pub waited_ns: BTreeMap<String, Option<f64>>,
}

/// How long the ticks of an entity took, in nanoseconds.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ExecutionStatistics {
    /// All ticks together.
    pub total: Option<f64>,
    /// Median duration of a tick.
    pub median: Option<f64>,
    /// 90th percentile.
    pub p90: Option<f64>,
    /// 95th percentile.
    pub p95: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// The longest tick.
    pub max: Option<f64>,
}

/// How full one queue was.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct QueueStatistics {
    /// Name of the entity.
    pub entity: String,
    /// Name of the queue.
    pub component: String,
    /// Number of messages it holds at most.
    pub capacity: Option<f64>,
    /// Number of messages that half of the samples did not exceed.
    pub median_fill: Option<f64>,
    /// Largest number of messages.
    pub max_fill: Option<f64>,
    /// Number of messages that went through.
    pub messages: Option<f64>,
    /// Number of messages that were lost.
    pub dropped: Option<f64>,
    /// Bytes of the largest payloads of a message.
    pub max_payload_bytes: Option<u64>,
}

/// What went from one queue to another.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct ConnectionStatistics {
    /// The transmitter as `entity/component`.
    pub source: String,
    /// The receiver as `entity/component`.
    pub target: String,
    /// Number of messages.
    pub messages: Option<f64>,
    /// Number of messages that were lost on arrival.
    pub dropped: Option<f64>,
}

/// How an entity kept its deadline.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct DeadlineStatistics {
    /// Name of the entity.
    pub entity: String,
    /// Number of ticks that took longer.
    pub missed: Option<f64>,
}

/// More bytes than the statistics of any graph have.
const LARGEST: u64 = 1 << 28;

impl Statistics {
    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or is not JSON of this form, with line and column.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let name = path.display();
        let mut text = String::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(LARGEST + 1).read_to_string(&mut text))
            .map_err(|error| anyhow::anyhow!("cannot read the statistics '{name}': {error}"))?;
        if text.len() as u64 > LARGEST {
            anyhow::bail!("'{name}' is larger than any statistics of a run");
        }
        let read: Self = serde_json::from_str(&text).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default();
            let is_json = if error.is_data() { "" } else { "not JSON: " };
            anyhow::anyhow!(
                "{name}:{line}:{column}: these are no statistics of a run: {is_json}{what}"
            )
        })?;
        let known = gxf_runtime::Statistics::default().version.0;
        if let Some(version) =
            read.version.as_ref().filter(|version| version.as_u64() != Some(known.into()))
        {
            anyhow::bail!(
                "'{name}' is of version {version} of the statistics, and this gxe reads version {known}"
            );
        }
        if !read.entities.is_empty() {
            return Ok(read);
        }
        // A run without entities, or something else.
        let kind: Kind = serde_json::from_str(&text)?;
        if kind.trace_events.is_some() {
            anyhow::bail!(
                "'{name}' is a trace, not the statistics of a run (`--statistics={name}`)"
            );
        }
        if read.version.is_none() && kind.entities.is_none() {
            anyhow::bail!("'{name}' has no statistics of a run, which `--statistics=FILE` writes");
        }
        Ok(read)
    }
}
