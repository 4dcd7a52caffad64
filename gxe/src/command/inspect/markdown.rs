//! Markdown, for documentation: a section for each extension, a subsection for each type, a table
//! of parameters.

use super::selection::Selection;
use crate::catalog::{Extension, Parameter, Type, TypeKind};
use gxf_runtime::graph::escape::{lines, one_line};
use std::fmt::Write;

/// Everything that was selected.
pub fn render(selection: &Selection) -> String {
    let mut text = String::new();
    for extension in &selection.extensions {
        section(&mut text, extension);
    }
    for (_, known) in &selection.types {
        subsection(&mut text, known);
    }
    text.trim_start_matches('\n').to_owned()
}

// Writing to a `String` does not fail.
fn section(text: &mut String, extension: &Extension) {
    let Extension { description, id, .. } = extension;
    let [name, version] = [&extension.name, &extension.version].map(|text| one_line(text));
    _ = writeln!(text, "\n## {name} {version}\n");
    let file = extension.path.as_deref().and_then(|path| path.rsplit('/').next());
    let from =
        file.map_or("Built into gxe".to_owned(), |file| format!("From `{}`", one_line(file)));
    if !description.is_empty() {
        _ = writeln!(text, "{}\n", escaped(description));
    }
    let shown = match (&extension.display_name, &extension.category) {
        (Some(name), Some(category)) => format!("Shown as “{name}”, category “{category}”. "),
        (Some(name), None) => format!("Shown as “{name}”. "),
        (None, Some(category)) => format!("Category “{category}”. "),
        (None, None) => String::new(),
    };
    _ = writeln!(text, "{}{from}; id `{id}`.", escaped(&shown));
    let of = |kind: TypeKind| extension.types.iter().filter(move |known| known.kind == kind);
    for known in of(TypeKind::Component) {
        subsection(text, known);
    }
    for (kind, heading) in
        [(TypeKind::Abstract, "Base types"), (TypeKind::Payload, "Payloads of messages")]
    {
        if of(kind).next().is_none() {
            continue;
        }
        _ = writeln!(text, "\n### {heading}\n\n| type | derived from | id |\n|---|---|---|");
        for known in of(kind) {
            let base =
                known.bases.first().map(|base| format!("`{}`", one_line(base))).unwrap_or_default();
            _ = writeln!(text, "| `{}` | {base} | `{}` |", one_line(&known.name), known.id);
        }
    }
}

fn subsection(text: &mut String, known: &Type) {
    _ = writeln!(text, "\n### {}\n", one_line(known.short_name()));
    if !known.description.is_empty() {
        _ = writeln!(text, "{}\n", escaped(&known.description).replace('\n', "\n\n"));
    }
    if known.kind == TypeKind::Component {
        example(text, known);
    }
    if !known.flags.is_empty() {
        let flags: Vec<_> = known.flags.iter().map(|flag| flag.text()).collect();
        _ = writeln!(text, "\nFlags: {}.", flags.join(", "));
    }
    if !known.carries.is_empty() {
        _ = writeln!(text, "\nCarries {}.", quoted(&known.carries));
    }
    parameters(text, known);
    let base = known.bases.first();
    let of = base.map(|base| format!(", derived from `{}`", one_line(base))).unwrap_or_default();
    let what = if known.kind == TypeKind::Abstract { " (abstract)" } else { "" };
    _ = writeln!(text, "\n`{}`{what}{of}; id `{}`.", one_line(&known.name), known.id);
}

/// YAML with the parameters that have no default.
fn example(text: &mut String, known: &Type) {
    _ = writeln!(text, "```yaml\n- type: {}", one_line(&known.name));
    let mut needed = known.parameters.iter().filter(|it| it.default.is_none() && !it.optional);
    let first = needed.next();
    if first.is_some() {
        _ = writeln!(text, "  parameters:");
    }
    for parameter in first.into_iter().chain(needed) {
        let value = match &*parameter.type_name {
            kind if kind.starts_with('[') => "[…]",
            kind if kind.starts_with("handle") => "entity/component",
            _ => "…",
        };
        let [key, kind] = [&parameter.key, &parameter.type_and_unit()].map(|text| one_line(text));
        _ = writeln!(text, "    {key}: {value}  # {kind}");
    }
    _ = writeln!(text, "```");
}

fn parameters(text: &mut String, known: &Type) {
    if known.parameters.is_empty() {
        return;
    }
    _ = writeln!(text, "\n| parameter | type | default | meaning |\n|---|---|---|---|");
    for parameter in &known.parameters {
        let [key, default] = [&parameter.key, &parameter.default_text()].map(|text| one_line(text));
        let kind = escaped(&parameter.type_and_unit());
        let default = if parameter.default.is_some() { format!("`{default}`") } else { default };
        _ = writeln!(text, "| `{key}` | {kind} | {default} | {} |", meaning(parameter));
    }
}

fn quoted(names: &[String]) -> String {
    format!("`{}`", one_line(&names.join("`, `")))
}

/// Description, range, choices, payload types and flags in one cell.
fn meaning(parameter: &Parameter) -> String {
    let description = match parameter.description.as_str() {
        "" => &parameter.headline,
        description => description,
    };
    let mut text = escaped(&description.replace('\n', " "));
    let range = parameter.range();
    if !range.is_empty() {
        _ = write!(text, " Allowed: {range}.");
    }
    if !parameter.choices.is_empty() {
        _ = write!(text, " One of {}.", quoted(&parameter.choices));
    }
    if !parameter.carries.is_empty() {
        _ = write!(text, " Carries {}.", quoted(&parameter.carries));
    }
    if parameter.dynamic {
        text.push_str(" May change while the graph runs.");
    }
    text.trim().to_owned()
}

/// Escapes everything but the Markdown that doc comments contain.
fn escaped(text: &str) -> String {
    let text = lines(text);
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '|' | '<' | '>' | '[' | ']' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
