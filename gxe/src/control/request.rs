//! The requests over a control socket and their answers: JSON, one line each.

use crate::live_graph::LiveGraph;
use anyhow::{Context as _, Result, anyhow, bail};
use gxf_plugin_abi::PARAMETER_DYNAMIC;
#[cfg(feature = "stm")]
use gxf_runtime::StmStatus;
use gxf_runtime::{Context, ScheduleSwap, Trace, TraceOptions};
use serde::Deserialize;
use serde_json::error::Category;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One request.
#[derive(Debug, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case", deny_unknown_fields)]
enum Request {
    /// What every entity is doing.
    Status {},
    /// The statistics so far.
    Statistics {},
    /// Pauses the run.
    Pause {},
    /// Ends a pause.
    Resume {},
    /// During a pause, one entity that is ready ticks.
    Step {},
    /// The dynamic parameters and their values.
    Parameters {},
    /// Sets a dynamic parameter.
    Set {
        /// `entity/component/key`
        parameter: String,
        /// Text is parsed as YAML, as in `--param`.
        value: Value,
    },
    /// Changes to another static schedule.
    SwapSchedule {
        /// The file of the new schedule.
        schedule: PathBuf,
        /// Id of the schedule that ends; refused if another one runs.
        #[serde(default)]
        stop: Option<u16>,
        /// Each hyperepoch changes by itself.
        #[serde(default)]
        roll_over: bool,
    },
    /// Begins to record a trace.
    TraceStart {},
    /// Writes the trace so far.
    Trace {
        /// The file to write.
        file: PathBuf,
    },
    /// Describes the next message of a queue.
    Look {
        /// `entity/component`
        queue: String,
    },
    /// Ends the run.
    Stop {},
}

/// The answer while no graph is loaded.
const NO_GRAPH: &str = "there is no graph at this moment";

/// How long a look waits for a message.
const LOOK_TIME: Duration = Duration::from_secs(2);

/// Whether a request ends the run.
pub fn is_stop(request: &Value) -> bool {
    matches!(Request::deserialize(request), Ok(Request::Stop {}))
}

fn request(line: &str) -> Result<Request> {
    let request: Value = serde_json::from_str(line).map_err(|error| match error.classify() {
        Category::Eof => {
            anyhow!("not a request: a request is one line, and its JSON is not complete")
        }
        _ => anyhow!("not a request: {error}"),
    })?;
    if !request["command"].is_string() {
        bail!(
            "not a request: expected an object with a `command`, such as {{\"command\": \"status\"}}"
        );
    }
    Request::deserialize(&request).map_err(|error| {
        let text = error.to_string();
        match text.strip_suffix(", there are no fields") {
            Some(unknown) => anyhow!("not a request: {unknown}; {} has none", request["command"]),
            None => anyhow!("not a request: {text}"),
        }
    })
}

/// Executes the request in a line, except that the caller ends the run if it [`is_stop`]. The
/// answer has `ok`, and `error` if that is false.
pub fn answered(line: &str, graph: &LiveGraph) -> Value {
    request(line).and_then(|request| execute(request, graph)).map_or_else(
        |error| match stm_error(&error) {
            Some(code) => json!({"ok": false, "error": full_text(&error), "stm_error": code}),
            None => json!({"ok": false, "error": format!("{error:#}")}),
        },
        |mut answer| {
            answer["ok"] = json!(true);
            answer
        },
    )
}

fn execute(request: Request, graph: &LiveGraph) -> Result<Value> {
    if let Request::Stop {} = request {
        return Ok(json!({}));
    }
    if let Request::Step {} = request {
        // Outside `look`, because a tick may take its time.
        let entity = graph.look(Context::clone).context(NO_GRAPH)?.step()?;
        return Ok(json!({"entity": entity}));
    }
    if let Request::SwapSchedule { schedule, stop, roll_over } = request {
        // Outside `look`, because it reads a file.
        let swap = ScheduleSwap { schedule, stop, roll_over };
        let context = graph.look(Context::clone).context(NO_GRAPH)?;
        return context.swap_schedule(&swap).map(|()| json!({})).map_err(Into::into);
    }
    if let Request::Trace { file } = request {
        // Copied while the graph is borrowed, and written afterwards, because writing may take
        // long.
        let trace = graph.look(Context::trace).context(NO_GRAPH)?;
        return write_trace(trace, &file);
    }
    if let Request::Look { queue } = request {
        let awaited = graph.look(|context| {
            let (graph, cid) = context.component_at(&queue)?;
            graph.look_at(cid)
        });
        // Outside `look`, because it may take some time until the message comes.
        let message = awaited.context(NO_GRAPH)??.wait(LOOK_TIME);
        let message = message.with_context(|| format!("no message came to '{queue}' in time"))?;
        return Ok(json!({"message": message}));
    }
    if let Request::Set { parameter, value } = request {
        let yaml = match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        graph.look(|context| set(context, &parameter, &yaml)).context(NO_GRAPH)??;
        graph.settings().insert(parameter, yaml);
        return Ok(json!({}));
    }
    graph.look(|context| ask(request, context)).context(NO_GRAPH)?
}

fn ask(request: Request, context: &Context) -> Result<Value> {
    match request {
        Request::Status {} => {
            return Ok(json!({"pid": std::process::id(), "status": context.status()}));
        }
        Request::Statistics {} => {
            let measured = context.statistics().context("run with --statistics for that")?;
            return Ok(json!({"statistics": measured}));
        }
        Request::Pause {} => context.pause()?,
        Request::Resume {} => context.resume()?,
        Request::Parameters {} => return Ok(json!({"parameters": dynamic_parameters(context)})),
        Request::TraceStart {} => context.trace_start(&TraceOptions::default())?,
        // `execute` answers these.
        Request::Set { .. }
        | Request::Step {}
        | Request::SwapSchedule { .. }
        | Request::Trace { .. }
        | Request::Look { .. }
        | Request::Stop {} => {}
    }
    Ok(json!({}))
}

/// STM's number for an error, if it has one.
#[cfg(not(feature = "stm"))]
fn stm_error(_: &anyhow::Error) -> Option<u32> {
    None
}

/// STM's number for an error, if it has one.
#[cfg(feature = "stm")]
fn stm_error(error: &anyhow::Error) -> Option<u32> {
    error.chain().find_map(|cause| cause.downcast_ref::<StmStatus>()).map(|status| status.code())
}

/// An error with what is wrong in files.
fn full_text(error: &anyhow::Error) -> String {
    let findings = error.chain().filter_map(|cause| cause.downcast_ref::<gxf_runtime::Error>());
    let findings = findings.filter_map(gxf_runtime::Error::diagnostics).flatten();
    let texts: Vec<&str> = findings.map(|finding| finding.message.as_str()).collect();
    if texts.is_empty() { error.to_string() } else { format!("{error}: {}", texts.join("; ")) }
}

/// Sets a dynamic parameter, `entity/component/key`, from YAML. Entities of segments are called
/// `segment/entity`.
pub fn set(context: &Context, parameter: &str, yaml: &str) -> Result<()> {
    let parts = parameter.rsplit_once('/').filter(|(path, _)| path.contains('/'));
    let Some((path, key)) = parts else {
        bail!("'{parameter}' is not of the form entity/component/key");
    };
    let (context, cid) = context.component_at(path)?;
    let Some(spec) = context.parameter_spec(cid, key)? else {
        // The runtime would store a value for an undeclared key.
        return Err(match context.parameter(cid, key) {
            Ok(_) => anyhow!("no type has a parameter '{key}', so nothing would read it"),
            Err(error) => error.into(),
        });
    };
    if spec.flags & PARAMETER_DYNAMIC == 0 {
        bail!(
            "parameter '{key}' is not dynamic: its component reads it before the run only; set it \
             in the app file, or with --param {parameter}=VALUE"
        );
    }
    context
        .set_parameter_yaml(cid, key, yaml, "")
        .map_err(|error| anyhow!("'{parameter}' cannot be set: {}", error.what_is_wrong()))
}

/// The parameters that `set` accepts.
fn dynamic_parameters(context: &Context) -> Vec<Value> {
    let mut found = Vec::new();
    for entity in &context.describe().entities {
        for component in &entity.components {
            let label = component.label();
            found.extend(component.parameters.iter().filter(|known| known.is_dynamic).map(
                |known| {
                    json!({
                        "parameter": format!("{}/{label}/{}", entity.name, known.key),
                        "value": known.value,
                        "unit": known.unit,
                    })
                },
            ));
        }
    }
    for (segment, graph) in context.segments() {
        found.extend(dynamic_parameters(&graph).into_iter().map(|mut parameter| {
            let name = format!("{segment}/{}", parameter["parameter"].as_str().unwrap_or_default());
            parameter["parameter"] = json!(name);
            parameter
        }));
    }
    found
}

fn write_trace(trace: Option<Trace>, path: &Path) -> Result<Value> {
    let trace = trace.context("no trace is being recorded: ask for trace_start first")?;
    let written = File::create(path).and_then(|file| {
        let mut file = BufWriter::new(file);
        trace.write_json(&mut file)?;
        file.flush()
    });
    written.with_context(|| format!("cannot write '{}'", path.display()))?;
    Ok(json!({"file": path, "lost_events": trace.lost_events()}))
}
