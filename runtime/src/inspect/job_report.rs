//! The report that a `JobStatistics` component of a graph asks for.

use crate::inner::Inner;
use gxf_app::error::{Error, Result};
use gxf_app::escape::one_line;
use gxf_app::{Diagnostic, ParameterValue};
use gxf_engine::graph::store::Entity;
use gxf_engine::observe::HISTORY;
use gxf_engine::observe::statistics::{EntityStatistics, Statistics, Times};
use gxf_engine::schedule::settings::at_parameter;
use gxf_engine::standard::job_statistics::JobStatistics;
use gxf_plugin::component::Component;
use gxf_plugin_abi::ResultCode;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::sync::Arc;

fn components_of(entities: &[Arc<Entity>]) -> impl Iterator<Item = Arc<Component>> {
    let components = entities.iter().flat_map(|entity| entity.components().to_vec());
    components.filter(|component| component.type_info().is::<JobStatistics>())
}

impl Inner {
    /// Enables statistics if a component of the graph reports them.
    pub fn begin_observation(&self, entities: &[Arc<Entity>]) -> Result<()> {
        self.observation.begin();
        {
            let mut run = self.run.lock();
            run.reports.clear();
            run.statistics = None;
        }
        for component in components_of(entities) {
            let history = match component.parameter("event_history_count") {
                Some(ParameterValue::UInt32(count)) => usize::try_from(count).unwrap_or(HISTORY),
                _ => HISTORY,
            };
            self.observation.enable_statistics(history);
            check_folder(&component)?;
            if let Some(ParameterValue::Component(server)) = component.parameter("server") {
                self.serve_statistics(&component, server, |context, resource| {
                    let statistics = context.statistics().ok_or(ResultCode::UNINITIALIZED_VALUE)?;
                    answer(statistics, resource).map(|value| value.to_string())
                })?;
            }
        }
        Ok(())
    }

    /// Writes the reports that components of the graph request.
    pub fn report_observation(&self, entities: &[Arc<Entity>]) -> Result<()> {
        let mut first = Ok(());
        for component in components_of(entities) {
            let Some(statistics) = self.statistics() else { continue };
            tracing::info!("Job statistics:\n{statistics}");
            let Some(ParameterValue::File(path)) = component.parameter("json_file_path") else {
                continue;
            };
            let codelets =
                component.parameter("codelet_statistics") == Some(ParameterValue::Bool(true));
            let written = write_report(Path::new(&path), &report(&statistics, codelets));
            first = first.and(written);
        }
        first
    }
}

/// A report that cannot be written is told before the run, not after it.
fn check_folder(component: &Component) -> Result<()> {
    const KEY: &str = "json_file_path";
    let Some(ParameterValue::File(path)) = component.parameter(KEY) else { return Ok(()) };
    let folder = Path::new(&path).parent().filter(|folder| !folder.as_os_str().is_empty());
    let Some(folder) = folder.filter(|folder| !folder.is_dir()) else { return Ok(()) };
    let text = format!("`{KEY}`: there is no folder `{}`", one_line(&folder.to_string_lossy()));
    let finding = Diagnostic::error(ResultCode::FILE_NOT_FOUND, text);
    let finding = at_parameter(finding, component, KEY);
    Err(Error::from_diagnostics(component.description(), finding.into()))
}

fn write_report(path: &Path, report: &Value) -> Result<()> {
    let mut text = Vec::new();
    let format = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, format);
    report.serialize(&mut serializer).expect("keys are texts");
    text.push(b'\n');
    std::fs::write(path, text).map_err(|error| {
        let what = format!("the job statistics cannot be written to `{}`", path.display());
        Error::new(ResultCode::FAILURE, what).caused_by(error)
    })
}

/// GXF's five decimals.
fn rounded(value: f64) -> f64 {
    (value * 1e5).round() / 1e5
}

fn milliseconds(nanoseconds: u64) -> f64 {
    rounded(nanoseconds as f64 / 1e6)
}

/// The answer of the service `stat`: about all entities, or the one whose id follows the resource.
fn answer(mut statistics: Statistics, resource: &str) -> gxf::Result<Value> {
    let (what, uid) = resource.split_once('/').unwrap_or((resource, ""));
    if !matches!(uid, "" | "*") {
        statistics.entities.retain(|entity| entity.eid.to_string() == uid);
        if statistics.entities.is_empty() {
            let text = format!("there is no entity with the id `{uid}`");
            return Err(gxf::Error::new(ResultCode::ENTITY_NOT_FOUND, text));
        }
    }
    let key = match what {
        "report" => return Ok(report(&statistics, true)),
        "entity" => return Ok(statistics.entities.iter().map(served_entity).collect()),
        "codelet" => "codelets",
        "event" => "events",
        "term" => "terms",
        other => {
            let text = format!(
                "the statistics have no `{other}`; ask for report, entity, codelet, event or term"
            );
            return Err(gxf::Error::new(ResultCode::QUERY_NOT_FOUND, text));
        }
    };
    Ok(report(&statistics, true)[key].take())
}

/// An entity with the keys that GXF has over the network.
fn served_entity(entity: &EntityStatistics) -> Value {
    let (execution, variation) = (&entity.execution_ns, &entity.variation_ns);
    json!({
        "name": entity.name,
        "uid": entity.eid,
        "status": entity.state,
        "count": entity.ticks,
        "execution_time_median_ms": milliseconds(execution.median),
        "execution_time_90_ms": milliseconds(execution.p90),
        "execution_time_max_ms": milliseconds(execution.max),
        "execution_time_total_ms": milliseconds(execution.total),
        "load_percentage": rounded(entity.load_percent),
        "variation_median_ms": rounded(variation.median as f64 / 1e6),
        "variation_90_ms": rounded(variation.p90 as f64 / 1e6),
        "variation_max_ms": rounded(variation.max as f64 / 1e6),
    })
}

/// The report in GXF's form, followed by what GXF reports only over the network.
fn report(statistics: &Statistics, codelets: bool) -> Value {
    let entities = statistics.entities.iter().map(|entity| {
        let (execution, variation) = (&entity.execution_ns, &entity.variation_ns);
        json!({
            "name": entity.name,
            "count": entity.ticks,
            "execution_time_median_ms": milliseconds(execution.median),
            "execution_time_90_ms": milliseconds(execution.p90),
            "execution_time_max_ms": milliseconds(execution.max),
            "load_percentage": rounded(entity.load_percent),
            "execution_time_ms": milliseconds(execution.total),
            "variation_median_ns": variation.median,
            "variation_90_ns": variation.p90,
            "variation_max_ns": variation.max,
        })
    });
    let mut report = Map::new();
    report.insert("entities".to_owned(), entities.collect());
    if codelets {
        let codelets = statistics.entities.iter().flat_map(|entity| {
            entity.codelets.iter().map(|codelet| {
                let Times { mean, p90, max, .. } = codelet.execution_ns;
                json!({
                    "codelet_name": codelet.cid.to_string(),
                    "name": format!("{}/{}", entity.name, codelet.name),
                    "count": codelet.ticks,
                    "execution_time_mean_ms": rounded(mean / 1e6),
                    "execution_time_90_ms": milliseconds(p90),
                    "execution_time_max_ms": milliseconds(max),
                    "tick_frequency_per_ms": rounded(codelet.rate_hz / 1e3),
                })
            })
        });
        report.insert("codelets".to_owned(), codelets.collect());
    }
    let events = statistics
        .entities
        .iter()
        .map(|entity| json!({"name": entity.name, "uid": entity.eid, "events": entity.events}));
    report.insert("events".to_owned(), events.collect());
    let terms = statistics.entities.iter().flat_map(|entity| {
        entity.terms.iter().map(|term| {
            let states = term.states.iter().map(|state| {
                let time = milliseconds(state.duration_ns.unsigned_abs());
                (state.state.to_owned(), json!({"count": state.count, "time_ms": time}))
            });
            let states: Map<String, Value> = states.collect();
            json!({"entity": entity.name, "name": term.name, "states": states})
        })
    });
    report.insert("terms".to_owned(), terms.collect());
    Value::Object(report)
}
