//! The app with a static scheduler in place of its own.

use super::rates::Tasks;
use anyhow::{Result, anyhow};
use gxf_runtime::Context;
use gxf_runtime::graph::describe::GraphDescription;
use gxf_runtime::graph::yaml::{Kind, Node, emit};
use gxf_runtime::graph::{Diagnostics, Source, parse_stream};

/// Parameters that the static scheduler has, too.
const KEPT: [&str; 3] = ["clock", "max_duration_ms", "stop_on_deadlock"];

/// The text of the app.
///
/// # Errors
/// The graph cannot be written as an app.
pub fn text(
    context: &Context,
    graph: &GraphDescription,
    tasks: &Tasks,
    schedule: &str,
) -> Result<String> {
    let (text, named) = context.to_named_yaml()?;
    let source = Source::new("<app>", text.clone());
    let mut warnings = Diagnostics::new();
    let documents = parse_stream(&source, &mut warnings)
        .map_err(|findings| anyhow!("{}", Diagnostics::from(findings).render(false).trim_end()))?;
    let components = graph.entities.iter().flat_map(|entity| &entity.components);
    let schedulers: Vec<&str> = components
        .filter(|one| one.is_a("nvidia::gxf::Scheduler"))
        .map(|one| one.type_name.as_str())
        .collect();
    let nodes = documents.iter().filter_map(|document| document.get("components")?.as_sequence());
    let is_scheduler = |node: &&Node| {
        let name = node.get("type").and_then(Node::as_text);
        name.is_some_and(|name| schedulers.contains(&name))
    };
    let old = nodes.flatten().find(is_scheduler);
    let mut parameters = Vec::new();
    for key in KEPT {
        let value = old.and_then(|node| node.get("parameters")?.get(key));
        parameters.extend(value.map(|value| (plain(key), value.clone())));
    }
    let has_clock = parameters.iter().any(|(key, _)| key.as_text() == Some("clock"));
    if !has_clock {
        parameters.push((plain("clock"), plain("static_clock")));
    }
    parameters.push((plain("schedule"), quoted(schedule)));
    let pairs: Vec<Node> = tasks
        .tasks
        .iter()
        .map(|task| (&task.id, named.get(&task.entity).unwrap_or(&task.entity)))
        .filter(|(id, entity)| id != entity)
        .map(|(id, entity)| {
            let pair = vec![plain(&format!("app.{id}")), quoted(entity)];
            Node::made(Kind::Sequence(pair))
        })
        .collect();
    if !pairs.is_empty() {
        parameters.push((plain("entities"), Node::made(Kind::Sequence(pairs))));
    }
    let mut scheduler = Vec::new();
    let name = old.and_then(|node| node.get("name"));
    scheduler.extend(name.map(|name| (plain("name"), name.clone())));
    scheduler.push((plain("type"), plain("gxe::StaticScheduler")));
    scheduler.push((plain("parameters"), Node::made(Kind::Mapping(parameters))));
    let scheduler = emit(&Node::made(Kind::Mapping(scheduler)));
    let clock = "{name: static_clock, type: nvidia::gxf::RealtimeClock}";
    let Some(old) = old else {
        return Ok(format!(
            "{text}---\nname: static_scheduler\ncomponents:\n- {clock}\n- {scheduler}\n"
        ));
    };
    let range = old.range();
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let indentation: String = before[line..].chars().take_while(|c| *c == ' ').collect();
    let more = if has_clock { String::new() } else { format!("\n{indentation}- {clock}") };
    // What was written in lines ends with one.
    let end = if text[range].ends_with('\n') { "\n" } else { "" };
    Ok(format!("{before}{scheduler}{more}{end}{after}"))
}

fn plain(text: &str) -> Node {
    Node::made(Kind::Scalar { value: text.into(), plain: true })
}

fn quoted(text: &str) -> Node {
    Node::made(Kind::Scalar { value: text.into(), plain: false })
}
