//! A second file with worst-case execution times: `client.runnable: nanoseconds`.

use super::nodes::Nodes;
use super::{Field, documents, error};
use gxf_app::{Diagnostics, Source, Spanned};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Times by the name of their runnable, in file order.
#[derive(Debug, Default)]
pub(crate) struct Wcets {
    pub(crate) times: Vec<(Spanned<String>, Spanned<u64>)>,
    index: FxHashMap<String, usize>,
}

impl Wcets {
    pub(crate) fn of(&self, name: &str) -> Option<u64> {
        Some(self.times[*self.index.get(name)?].1.value)
    }

    pub(crate) fn read(&mut self, source: &Arc<Source>, findings: &mut Diagnostics) {
        let Some((source, documents)) = documents(source, findings) else { return };
        let mut nodes = Nodes { source, findings };
        for document in &documents {
            for (key, value) in nodes.pairs("a file of WCETs", document) {
                let Some(name) = nodes.text("the name of a runnable", key) else { continue };
                let is_number = value.as_text().is_some_and(|text| {
                    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
                });
                let has_no_unit = value.as_text().map(crate::time::parse_time)
                    == Some(Err(crate::time::TimeError::NoUnit));
                let time = if is_number {
                    // Up to one day, as for times with a unit.
                    nodes.number(&name.value, value, 1, crate::time::LONGEST)
                } else if has_no_unit {
                    let text = value.as_text().unwrap_or_default();
                    let message =
                        format!("`{}`: `{text}` is no whole number of nanoseconds", name.value);
                    let problem = error("time", message).at(nodes.place(value));
                    nodes.push(problem.help(format!("write `{text}us` for microseconds")));
                    Field::Wrong
                } else {
                    nodes.duration(&name.value, value)
                };
                let time = match time {
                    Field::Given(time) => time,
                    // Reported; the runnable is not without a time.
                    _ => Spanned { value: 1, span: nodes.place(value) },
                };
                match self.index.insert(name.value.clone(), self.times.len()) {
                    Some(first) => {
                        self.index.insert(name.value.clone(), first);
                        let known = &self.times[first].0;
                        let message = format!("`{}` has a second WCET", name.value);
                        let problem = error("duplicate", message).at(name.span);
                        nodes.push(problem.note(known.span.clone(), "first one here"));
                    }
                    None => self.times.push((name, time)),
                }
            }
        }
    }
}
