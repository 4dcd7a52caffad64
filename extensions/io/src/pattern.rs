//! `LinePattern`.

use crate::counted;
use crate::source::{BadInput, BadInputs};
use crate::table::Table;
use gxe_columns::{Rows, is_last, mark_last};
use gxf::prelude::*;
use regex::Regex;

/// Splits lines into columns: every named group `(?P<name>…)` of a regular expression becomes a
/// column. Its first text decides whether it has numbers or texts, unless it is listed in `texts`
/// or `times`.
#[derive(Component, Default)]
pub struct LinePattern {
    /// Receiver for the lines.
    #[parameter(carries = Tensor)]
    input: Parameter<Handle<Receiver>>,
    /// Transmitter for the rows.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Column of the lines.
    #[parameter(default = String::from("text"))]
    column: Parameter<String>,
    /// The regular expression. It need not match whole lines.
    pattern: Parameter<String>,
    /// Columns that have texts even if they look like numbers.
    texts: Parameter<Option<Vec<String>>>,
    /// Column with a time, which becomes seconds since 1970.
    time: Parameter<Option<String>>,
    /// Format of the time, as that of `strptime`, with `%z` for the time zone [default: RFC 3339].
    time_format: Parameter<Option<String>>,
    /// What to do with lines that do not match.
    #[parameter(default = BadInput::skip)]
    bad_input: Parameter<BadInput>,
    run: Option<Run>,
}

struct Run {
    regex: Regex,
    /// Index of the group, and whether it is the time.
    groups: Vec<(usize, bool)>,
    table: Table,
    bad: BadInputs,
    lines: u64,
}

impl LinePattern {
    fn regex(&self) -> Result<Regex> {
        let invalid = |text: String| Error::new(ResultCode::PARAMETER_PARSER_ERROR, text);
        let regex = Regex::new(&self.pattern)
            .map_err(|error| invalid(format!("`pattern` is no regular expression: {error}")))?;
        let names: Vec<&str> = regex.capture_names().flatten().collect();
        if names.is_empty() {
            return Err(invalid("`pattern` has no named group, such as (?P<status>[0-9]+)".into()));
        }
        let asked = self.texts.iter().flatten().chain(self.time.as_ref());
        for name in asked {
            if !names.contains(&name.as_str()) {
                return Err(invalid(format!(
                    "`pattern` has no group `{name}`; it has `{}`",
                    names.join("`, `")
                )));
            }
        }
        Ok(regex)
    }
}

impl Codelet for LinePattern {
    fn check_parameters(&self) -> Result<()> {
        self.regex().map(|_| ())
    }

    fn start(&mut self, context: &TickContext) -> Result<()> {
        let regex = self.regex()?;
        let mut table = Table::default();
        let mut groups = Vec::new();
        for (index, name) in regex.capture_names().enumerate() {
            let Some(name) = name else { continue };
            let is_text = self.texts.iter().flatten().any(|text| text == name);
            table.add_column(name, is_text);
            groups.push((index, self.time.as_deref() == Some(name)));
        }
        let bad = BadInputs::new(*self.bad_input, &context.entity_name());
        self.run = Some(Run { regex, groups, table, bad, lines: 0 });
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let received = self.input.receive()?;
        let Some(run) = &mut self.run else {
            return Err(ResultCode::INVALID_LIFECYCLE_STAGE.into());
        };
        let rows = Rows::of(&received)?;
        if !rows.is_empty() {
            for line in rows.column(&self.column)?.texts()? {
                run.line(line, self.time_format.as_deref())?;
            }
        }
        if run.table.rows == 0 && !is_last(&received) {
            return Ok(());
        }
        let mut message = context.new_message()?;
        if run.table.rows > 0 {
            run.table.fill(&mut message)?;
        }
        if is_last(&received) {
            mark_last(&mut message)?;
        }
        self.output.publish(message, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        if let Some(run) = self.run.take().filter(|run| run.bad.count() > 0) {
            gxf::warning!("skipped {} of {}", run.bad.count(), counted(run.lines, "line"));
        }
        Ok(())
    }
}

impl Run {
    fn line(&mut self, line: &str, time_format: Option<&str>) -> Result<()> {
        self.lines += 1;
        let shown = || line.chars().take(60).collect::<String>();
        let Some(found) = self.regex.captures(line) else {
            let text = format!("the line does not match the pattern: {:?}", shown());
            return self.bad.add(self.lines, 0, &text);
        };
        self.table.begin();
        let row = self.table.rows;
        for (column, (group, is_time)) in self.table.columns.iter_mut().zip(&self.groups) {
            let text = found.get(*group).map_or("", |group| group.as_str());
            let number = if *is_time {
                seconds(text, time_format)
            } else {
                fast_float2::parse::<f64, _>(text).ok()
            };
            let is_text = matches!(column.values, Some(gxe_columns::Values::Texts(_)));
            let fits = match number {
                _ if text.is_empty() => {
                    column.missing();
                    true
                }
                Some(number) if !is_text => column.number(row, number),
                _ => !*is_time && column.text(row, text),
            };
            if !fits {
                let what = if *is_time { "a time of this format" } else { "a number" };
                let problem = format!("`{}` is not {what}: {:?}", column.name, text);
                self.table.undo();
                return self.bad.add(self.lines, 0, &problem);
            }
        }
        self.table.end();
        Ok(())
    }
}

/// Seconds since 1970 of a time. Without a time zone it is in UTC.
fn seconds(text: &str, format: Option<&str>) -> Option<f64> {
    let timestamp = match format {
        None => text.parse::<jiff::Timestamp>().ok()?,
        Some(format) => {
            let parsed = jiff::fmt::strtime::parse(format, text).ok()?;
            match parsed.offset() {
                Some(_) => parsed.to_timestamp().ok()?,
                None => jiff::tz::TimeZone::UTC.to_timestamp(parsed.to_datetime().ok()?).ok()?,
            }
        }
    };
    Some(timestamp.as_nanosecond() as f64 / 1e9)
}
