//! Files to trees. Slips that YAML refuses, and that come about when an example is copied from a
//! page, are reported with their repair, and reading goes on behind them.

use super::error;
use gxf_app::yaml::Node;
use gxf_app::{Diagnostic, Diagnostics, Source, Span, parse_stream};
use std::sync::Arc;

/// Most slips to read past.
const MOST_SLIPS: usize = 20;

/// The documents of a file that are not empty, with the text that their places refer to: the
/// file's, repaired where it had slips, with the same lines. `None` if the text is not YAML.
pub(crate) fn documents(
    source: &Arc<Source>,
    findings: &mut Diagnostics,
) -> Option<(Arc<Source>, Vec<Node>)> {
    let mut repaired = Arc::clone(source);
    for _ in 0..MOST_SLIPS {
        let mut warnings = Diagnostics::new();
        let problem = match parse_stream(&repaired, &mut warnings) {
            Ok(documents) => {
                findings.extend(warnings);
                let kept = documents.into_iter().filter(|document| !document.is_null());
                return Some((repaired, kept.collect()));
            }
            Err(problem) => problem,
        };
        let Some(slip) = Slip::find(&repaired, &problem) else {
            findings.push(problem);
            return None;
        };
        findings.push(slip.explain(source));
        repaired = Source::new(source.name.clone(), slip.repair(&repaired.text()));
    }
    None
}

/// A line of words where a key is expected.
struct Slip {
    /// Number of the line, from 0.
    line: usize,
    words: String,
    kind: Kind,
}

enum Kind {
    /// The line above has a comment, which was wrapped.
    WrappedComment,
    /// The lines above are elements of a list, and this one has no dash.
    NoDash,
    /// A key in the column of the dash of what it belongs to, `id`.
    Beside { id: String },
}

impl Slip {
    /// The slip behind a complaint of the YAML parser, which may stop a line below it.
    fn find(source: &Arc<Source>, problem: &Diagnostic) -> Option<Self> {
        let (at, _) = problem.span.as_ref()?.line_column();
        let text = source.text();
        let lines: Vec<&str> = text.lines().collect();
        let mut candidates = [at, at.saturating_sub(1)].into_iter().filter(|line| *line > 1);
        candidates.find_map(|number| {
            let line = number - 1;
            let words = lines.get(line)?.trim();
            if let Some(slip) = Self::beside(&lines, line) {
                return Some(slip);
            }
            let is_words = words.chars().all(|c| c.is_alphanumeric() || "_ .'".contains(c));
            if words.is_empty() || !is_words {
                return None;
            }
            let above = lines[..line].iter().rev().find(|above| !above.trim().is_empty())?;
            let kind = if above.contains(" # ") {
                Kind::WrappedComment
            } else if above.trim_start().starts_with("- ") {
                Kind::NoDash
            } else {
                return None;
            };
            Some(Self { line, words: words.to_owned(), kind })
        })
    }

    /// A line `Key:` behind a line `- Id:` with the same indentation.
    fn beside(lines: &[&str], line: usize) -> Option<Self> {
        let indentation = |line: &str| line.len() - line.trim_start().len();
        let key = lines[line].trim().split_once(':')?.0;
        let above = lines[..line].iter().rev().find(|above| !above.trim().is_empty())?;
        let (id, rest) = above.trim_start().strip_prefix("- ")?.split_once(':')?;
        let is_bare = rest.trim().is_empty() || rest.trim_start().starts_with('#');
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
        let is_beside = indentation(above) == indentation(lines[line]);
        (is_bare && is_key && is_beside).then(|| Self {
            line,
            words: key.to_owned(),
            kind: Kind::Beside { id: id.trim().to_owned() },
        })
    }

    fn explain(&self, source: &Arc<Source>) -> Diagnostic {
        let text = source.text();
        let start: usize = text.split_inclusive('\n').take(self.line).map(str::len).sum();
        let line = text[start..].lines().next().unwrap_or_default();
        let start = start + line.len() - line.trim_start().len();
        let place = Span::new(source, start..start + self.words.len());
        let message = match &self.kind {
            Kind::Beside { id } => {
                format!("`{}` stands in the column of the dash of `{id}`", self.words)
            }
            _ => format!("`{}` is neither a key nor an element", self.words),
        };
        let problem = error("yaml", message);
        match &self.kind {
            Kind::Beside { id } => problem
                .at(place)
                .help(format!("indent it, and the lines that belong to it, by more than `{id}`")),
            Kind::WrappedComment => problem
                .at(place)
                .label("the rest of the comment above?")
                .help(format!("write `# {}`, or put it on the line above", self.words)),
            Kind::NoDash => problem
                .at(place)
                .label("another element of the list above?")
                .help(format!("write `- {}`", self.words)),
        }
    }

    /// The text with this slip repaired.
    fn repair(&self, text: &str) -> String {
        let mut repaired = String::with_capacity(text.len() + 2);
        let indentation = |line: &str| line.len() - line.trim_start().len();
        let own = text.split_inclusive('\n').nth(self.line).map_or(0, indentation);
        let mut is_inside = matches!(self.kind, Kind::Beside { .. });
        for (number, line) in text.split_inclusive('\n').enumerate() {
            let ends = indentation(line) < own || line.trim_start().starts_with("- ");
            let is_below = indentation(line) > own;
            if is_inside && number > self.line && ends && !is_below && !line.trim().is_empty() {
                is_inside = false;
            }
            if is_inside && number >= self.line {
                repaired.push_str("    ");
                repaired.push_str(line);
            } else if number == self.line {
                let content = line.trim_start();
                repaired.push_str(&line[..line.len() - content.len()]);
                repaired.push_str(match self.kind {
                    Kind::WrappedComment => "# ",
                    Kind::NoDash | Kind::Beside { .. } => "- ",
                });
                repaired.push_str(content);
            } else {
                repaired.push_str(line);
            }
        }
        repaired
    }
}
