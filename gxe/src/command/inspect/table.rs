//! Text for a terminal: a heading for each extension, a block for each type, a line for each
//! parameter with its description below.

use super::selection::Selection;
use crate::catalog::{Extension, Parameter, Type, TypeKind};
use crate::help::STYLES;
use clap::builder::styling::Style;
use gxf_runtime::graph::escape::one_line;
use std::fmt::Write;

/// Longest line of a description.
const WIDTH: usize = 100;

/// Everything that was selected.
pub fn render(selection: &Selection, styled: bool, brief: bool) -> String {
    let style = |style: &Style| if styled { *style } else { Style::new() };
    let mut table = Table {
        heading: style(STYLES.get_header()),
        name: style(STYLES.get_literal()),
        text: String::new(),
    };
    for extension in &selection.extensions {
        table.extension(extension);
        if brief {
            table.brief(&extension.types);
        } else {
            extension.types.iter().for_each(|known| table.full(known, None));
        }
    }
    for (extension, known) in &selection.types {
        table.full(known, Some(extension));
    }
    table.text.trim_start_matches('\n').to_owned()
}

struct Table {
    heading: Style,
    name: Style,
    text: String,
}

// Writing to a `String` does not fail.
impl Table {
    fn extension(&mut self, extension: &Extension) {
        let heading = self.heading;
        let [name, version] = [&extension.name, &extension.version].map(|text| one_line(text));
        _ = writeln!(self.text, "\n{heading}{name} {version}{heading:#}");
        self.paragraph(2, extension.brief.as_deref().unwrap_or_default());
        self.paragraph(2, &extension.description);
        let from = extension.path.as_deref().unwrap_or("built in");
        for (what, value) in [
            ("shown as", extension.display_name.as_deref().unwrap_or_default()),
            ("category", extension.category.as_deref().unwrap_or_default()),
            ("id", extension.id.as_str()),
            ("from", from),
            ("ABI", &extension.abi),
            ("built with", &extension.build),
            ("author", &extension.author),
            ("licence", &extension.license),
        ] {
            if !value.is_empty() {
                _ = writeln!(self.text, "  {what:<10}  {}", one_line(value));
            }
        }
    }

    /// Components with their summaries, then the names of other types.
    fn brief(&mut self, types: &[Type]) {
        _ = writeln!(self.text);
        let of = |kind: TypeKind| types.iter().filter(move |known| known.kind == kind);
        let names = of(TypeKind::Component).map(|known| one_line(&known.name));
        let width = names.map(|name| name.chars().count()).max().unwrap_or_default();
        let name = self.name;
        for known in of(TypeKind::Component) {
            let title = one_line(&known.name);
            let line = format!("  {name}{title:<width$}{name:#}  {}", one_line(&known.brief));
            _ = writeln!(self.text, "{}", line.trim_end());
        }
        for (kind, heading) in
            [(TypeKind::Abstract, "Base types"), (TypeKind::Payload, "Payloads of messages")]
        {
            let names: Vec<_> = of(kind).map(|known| known.name.as_str()).collect();
            if !names.is_empty() {
                _ = writeln!(self.text);
                self.paragraph(2, &format!("{heading}: {}", names.join(", ")));
            }
        }
    }

    fn full(&mut self, known: &Type, extension: Option<&str>) {
        let style = self.name;
        let what = match (known.kind, known.bases.first()) {
            (TypeKind::Payload, _) => "payload of messages".to_owned(),
            (TypeKind::Abstract, None) => "abstract".to_owned(),
            (TypeKind::Abstract, Some(base)) => format!("abstract {base}"),
            (TypeKind::Component, base) => base.cloned().unwrap_or_default(),
        };
        _ = writeln!(self.text, "\n{style}{}{style:#}: {}", one_line(&known.name), one_line(&what));
        self.paragraph(2, &known.description);
        let id = &known.id;
        if let Some(name) = &known.display_name {
            _ = writeln!(self.text, "  shown as {}", one_line(name));
        }
        _ = match extension {
            Some(extension) => writeln!(self.text, "  id {id}, from {}", one_line(extension)),
            None => writeln!(self.text, "  id {id}"),
        };
        if !known.flags.is_empty() {
            let flags: Vec<_> = known.flags.iter().map(|flag| flag.text()).collect();
            _ = writeln!(self.text, "  {}", flags.join(", "));
        }
        if !known.carries.is_empty() {
            _ = writeln!(self.text, "  carries {}", one_line(&known.carries.join(", ")));
        }
        self.parameters(&known.parameters);
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        let cells = |parameter: &Parameter| {
            [
                parameter.key.clone(),
                parameter.type_and_unit(),
                parameter.default_text(),
                remarks(parameter),
            ]
            .map(|text| one_line(&text))
        };
        let rows: Vec<_> = parameters.iter().map(cells).collect();
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
        let widths = [0, 1, 2].map(|column| width(column).unwrap_or_default());
        for (parameter, [key, kind, default, remarks]) in parameters.iter().zip(&rows) {
            let [keys, kinds, defaults] = widths;
            let style = self.name;
            let line = format!(
                "    {style}{key:<keys$}{style:#}  {kind:<kinds$}  {default:<defaults$}  {remarks}"
            );
            _ = writeln!(self.text, "{}", line.trim_end());
            self.paragraph(8, description(parameter));
        }
    }

    /// A text in lines of at most [`WIDTH`] characters.
    fn paragraph(&mut self, indent: usize, text: &str) {
        for paragraph in text.lines() {
            let mut line = " ".repeat(indent);
            for word in paragraph.split_whitespace().map(one_line) {
                let begins = line.chars().count() == indent;
                if !begins && line.chars().count() + 1 + word.chars().count() > WIDTH {
                    _ = writeln!(self.text, "{line}");
                    line = " ".repeat(indent);
                } else if !begins {
                    line.push(' ');
                }
                line.push_str(&word);
            }
            if !line.trim().is_empty() {
                _ = writeln!(self.text, "{line}");
            }
        }
    }
}

/// Range, choices, payload types and flags.
fn remarks(parameter: &Parameter) -> String {
    let mut remarks: Vec<String> = Some(parameter.range()).into_iter().collect();
    if !parameter.choices.is_empty() {
        remarks.push(format!("one of {}", parameter.choices.join(", ")));
    }
    if !parameter.carries.is_empty() {
        remarks.push(format!("carries {}", parameter.carries.join(", ")));
    }
    if parameter.dynamic {
        remarks.push("dynamic".to_owned());
    }
    remarks.retain(|remark| !remark.is_empty());
    remarks.join("; ")
}

fn description(parameter: &Parameter) -> &str {
    if parameter.description.is_empty() { &parameter.headline } else { &parameter.description }
}
