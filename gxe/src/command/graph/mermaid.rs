//! The graph for Mermaid, as Markdown pages show it.

use super::card;
use super::dot::label;
use super::model::{Model, Node, NodeKind, WireKind};
use std::fmt::Write;

/// Most edges that Mermaid draws as it comes.
pub const MOST_EDGES: usize = 500;

/// A whole file.
pub fn file(model: &Model) -> String {
    let mut text = String::from("flowchart LR\n");
    members(&mut text, model, None, 1);
    for wire in &model.wires {
        let (from, to) = (wire.source.0, wire.target.0);
        let port = |ports: &[super::model::Port], port: Option<usize>| {
            port.and_then(|port| ports.get(port)).map_or(String::new(), |port| port.name.clone())
        };
        let source = port(&model.nodes[from].outputs, wire.source.1);
        let target = port(&model.nodes[to].inputs, wire.target.1);
        let mut parts = match (source.is_empty(), target.is_empty()) {
            (true, true) => Vec::new(),
            (true, false) => vec![target],
            (false, true) => vec![source],
            _ if source == target => vec![source],
            _ => vec![format!("{source} → {target}")],
        };
        let measured = label(wire);
        if !measured.is_empty() {
            parts.push(measured);
        }
        let arrow = if wire.kind == WireKind::Reference { "-.->" } else { "-->" };
        let parts: Vec<String> = parts.iter().map(|part| escaped(part)).collect();
        // Writing to a `String` does not fail.
        _ = match parts.as_slice() {
            [] => writeln!(text, "  n{from} {arrow} n{to}"),
            parts => writeln!(text, "  n{from} {arrow}|\"{}\"| n{to}", parts.join("<br/>")),
        };
    }
    let is_resource: fn(&Node) -> bool = |node| node.kind == NodeKind::Resource;
    let is_topic: fn(&Node) -> bool = |node| node.kind == NodeKind::Topic;
    let is_unknown: fn(&Node) -> bool = |node| !node.unknown_types.is_empty();
    let classes = [
        (is_resource, "resource", "fill:none,stroke:#8a97a6,stroke-dasharray:3 3"),
        (is_topic, "topic", "stroke:#3f9476,stroke-width:2px"),
        (is_unknown, "unknown", "stroke:#c77700,stroke-dasharray:6 3"),
    ];
    for (is_so, name, style) in classes {
        let nodes = model.nodes.iter().enumerate().filter(|(_, node)| is_so(node));
        let nodes: Vec<String> = nodes.map(|(index, _)| format!("n{index}")).collect();
        if !nodes.is_empty() {
            _ = writeln!(text, "  classDef {name} {style}\n  class {} {name}", nodes.join(","));
        }
    }
    text
}

fn members(text: &mut String, model: &Model, group: Option<usize>, depth: usize) {
    let indent = "  ".repeat(depth);
    for (index, node) in model.nodes.iter().enumerate().filter(|(_, node)| node.group == group) {
        let (open, close) = if node.kind == NodeKind::Topic { ("([", "])") } else { ("[", "]") };
        _ = writeln!(text, "{indent}n{index}{open}\"{}\"{close}", content(node));
    }
    for (index, inner) in model.groups.iter().enumerate() {
        if inner.parent == group {
            let lines: Vec<String> = inner.label.lines().map(escaped).collect();
            _ = writeln!(text, "{indent}subgraph g{index}[\"{}\"]", lines.join("<br/>"));
            members(text, model, Some(index), depth + 1);
            _ = writeln!(text, "{indent}end");
        }
    }
}

fn content(node: &Node) -> String {
    let mut lines = vec![format!("<b>{}</b>", escaped(&node.label))];
    let queues = node.inputs.iter().filter(|port| !port.queue.is_empty());
    let queues = queues.map(|port| format!("{}: queue {}", port.name, port.queue));
    lines.extend(node.types.iter().map(|line| escaped(line)));
    lines.extend(node.unknown().map(|line| escaped(&line)));
    lines.extend(card::measured(node).iter().map(|line| escaped(line)));
    lines.extend(node.terms.iter().map(|line| escaped(line)));
    lines.extend(queues.map(|line| escaped(&line)));
    lines.join("<br/>")
}

/// A quoted text, in which Mermaid interprets HTML, Markdown and its own entities.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_ascii_alphanumeric() || " _-.,:/+=()".contains(c) => escaped.push(c),
            // The empty space in between keeps Mermaid from reading `\n` as a line break.
            '\\' => escaped.push_str("#92;#8203;"),
            c if c.is_ascii() => _ = write!(escaped, "#{};", u32::from(c)),
            c => escaped.push(c),
        }
    }
    // An empty text would end the node.
    if escaped.is_empty() { "#32;".into() } else { escaped }
}
