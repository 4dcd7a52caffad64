//! The graph for Graphviz.

use super::format::{count, rate};
use super::model::{Model, Node, NodeKind, Port, Wire, WireKind};
use super::{card, svg};
use std::fmt::Write;

/// The colour of unknown types.
const UNKNOWN: &str = "#c77700";

/// A whole file.
pub fn file(model: &Model, title: &str) -> String {
    let mut text = format!(
        "digraph {} {{\n  rankdir=LR\n  node [shape=plain, fontname=\"Helvetica,Arial,sans-serif\", \
         fontsize=11]\n  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=9, \
         color=\"#7489a1\", arrowsize=0.7]\n",
        quoted(title)
    );
    members(&mut text, model, None, 1);
    for wire in &model.wires {
        edge(&mut text, model, wire);
    }
    text.push_str("}\n");
    text
}

fn members(text: &mut String, model: &Model, group: Option<usize>, depth: usize) {
    let indent = "  ".repeat(depth);
    for (index, node) in model.nodes.iter().enumerate().filter(|(_, node)| node.group == group) {
        // Writing to a `String` does not fail.
        _ = writeln!(text, "{indent}n{index} [{}]", attributes(node));
    }
    for (index, inner) in model.groups.iter().enumerate() {
        if inner.parent == group {
            _ = writeln!(text, "{indent}subgraph cluster_{index} {{");
            _ = writeln!(
                text,
                "{indent}  label={}; tooltip={}; style=\"rounded,filled\"; color=\"#9db2c9\"; \
                 fillcolor=\"#e9eef5\"; fontname=\"Helvetica,Arial,sans-serif\"; fontsize=12",
                quoted(&inner.label),
                quoted(&inner.name)
            );
            members(text, model, Some(index), depth + 1);
            _ = writeln!(text, "{indent}}}");
        }
    }
}

fn attributes(node: &Node) -> String {
    let tooltip = quoted(&node.name);
    if node.kind == NodeKind::Topic {
        return format!(
            "shape=box, style=\"rounded,filled\", fillcolor=\"#e3f1ec\", color=\"#3f9476\", \
             label={}, tooltip={tooltip}",
            quoted(&node.label)
        );
    }
    let mut rows = format!("<TR><TD COLSPAN=\"2\"><B>{}</B></TD></TR>", escaped(&node.label));
    let mut line = |color: &str, line: &str| {
        let line = escaped(line);
        _ = write!(rows, "<TR><TD COLSPAN=\"2\"><FONT COLOR=\"{color}\">{line}</FONT></TD></TR>");
    };
    node.types.iter().for_each(|known| line("#5d6b7c", known));
    node.unknown().for_each(|known| line(UNKNOWN, &known));
    card::measured(node).iter().for_each(|known| line("#0b6e99", known));
    node.terms.iter().for_each(|known| line("#5d6b7c", known));
    for row in 0..node.inputs.len().max(node.outputs.len()) {
        let cell = |ports: &[Port], name: &str, side: &str| match ports.get(row) {
            Some(port) => format!(
                "<TD ALIGN=\"{side}\" PORT=\"{name}{row}\">{}</TD>",
                escaped(&port_text(port))
            ),
            None => "<TD></TD>".to_owned(),
        };
        let (left, right) = (cell(&node.inputs, "i", "LEFT"), cell(&node.outputs, "o", "RIGHT"));
        _ = write!(rows, "<TR>{left}{right}</TR>");
    }
    let style = match node.kind {
        NodeKind::Resource => "STYLE=\"ROUNDED,DASHED\" COLOR=\"#8a97a6\"".to_owned(),
        _ if !node.unknown_types.is_empty() => {
            format!("STYLE=\"ROUNDED,DASHED\" COLOR=\"{UNKNOWN}\" BGCOLOR=\"#ffffff\"")
        }
        _ => "STYLE=\"ROUNDED\" COLOR=\"#8a97a6\" BGCOLOR=\"#ffffff\"".to_owned(),
    };
    format!(
        "label=<<TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" {style}>{rows}</TABLE>>, \
         tooltip={tooltip}"
    )
}

fn port_text(port: &Port) -> String {
    let mut text = port.name.clone();
    if !port.queue.is_empty() {
        _ = write!(text, " ({})", port.queue);
    }
    if let Some(fill) = port.measured {
        if let Some(most) = fill.max {
            _ = write!(text, ", {} of {}", count(most), count(fill.capacity));
        }
        if fill.dropped > 0.0 {
            _ = write!(text, ", {} lost", count(fill.dropped));
        }
    }
    text
}

fn edge(text: &mut String, model: &Model, wire: &Wire) {
    let end = |(node, port): (usize, Option<usize>), name: &str, side: &str| match port {
        Some(port) if model.nodes[node].kind != NodeKind::Topic => {
            format!("n{node}:{name}{port}:{side}")
        }
        _ => format!("n{node}"),
    };
    let mut attributes = Vec::new();
    if wire.kind == WireKind::Reference {
        attributes.push("style=dotted".to_owned());
    }
    let label = label(wire);
    if !label.is_empty() {
        attributes.push(format!("label={}", quoted(&label)));
    }
    if wire.dropped > 0.0 {
        attributes.push("color=\"#c62f3b\", fontcolor=\"#c62f3b\"".to_owned());
    }
    let (from, to) = (end(wire.source, "o", "e"), end(wire.target, "i", "w"));
    let attributes = match attributes.as_slice() {
        [] => String::new(),
        known => format!(" [{}]", known.join(", ")),
    };
    _ = writeln!(text, "  {from} -> {to}{attributes}");
}

/// What was measured: `10 Hz, 3 lost`.
pub fn label(wire: &Wire) -> String {
    let messages = || wire.messages.map(|messages| format!("{} messages", count(messages)));
    let lost = (wire.dropped > 0.0).then(|| format!("{} lost", count(wire.dropped)));
    let parts = [wire.rate_hz.map(rate).or_else(messages), lost];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// A quoted text. In Graphviz, a backslash begins an escape, and an ampersand a character
/// reference.
fn quoted(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"");
    let text = text.replace('\n', "\\n");
    format!("\"{text}\"")
}

/// A text in an HTML label. Tags must not be empty.
fn escaped(text: &str) -> String {
    if text.is_empty() { " ".into() } else { svg::escaped(text) }
}
