//! Names, times and numbers.

use super::nodes::{Nodes, a};
use super::{Field, error};
use crate::time::{LONGEST, TimeError, parse_time, show_time};
use gxf_app::Spanned;
use gxf_app::yaml::Node;

/// Longest id in bytes.
const LONGEST_ID: usize = 255;

impl Nodes<'_> {
    /// The text of a scalar.
    pub(crate) fn text(&mut self, what: &str, node: &Node) -> Option<Spanned<String>> {
        match node.as_text() {
            Some(text) if !text.is_empty() && !node.is_null() => {
                Some(Spanned { value: text.into(), span: self.place(node) })
            }
            _ => {
                self.expected(what, node);
                None
            }
        }
    }

    /// A name that the file gives.
    pub(crate) fn id(&mut self, what: &str, node: &Node) -> Option<Spanned<String>> {
        let id = self.text(&format!("the id of {}", a(what)), node)?;
        let problem = if id.value.contains('.') {
            error("name", format!("the id `{}` contains a period", id.value))
                .help("periods join the parts of a name, as in `client.runnable`")
        } else if id.value.len() > LONGEST_ID {
            error(
                "name",
                format!("an id has at most {LONGEST_ID} bytes; this has {}", id.value.len()),
            )
        } else if id.value.chars().any(char::is_control) {
            error("name", format!("the id `{}` contains a control character", id.value))
                .help("write it without tabs and line breaks")
        } else {
            return Some(id);
        };
        self.push(problem.at(id.span.clone()));
        // Whoever refers to it still finds it.
        Some(id)
    }

    /// Texts of a list.
    pub(crate) fn texts(&mut self, what: &str, each: &str, node: &Node) -> Vec<Spanned<String>> {
        let elements = self.list(what, node);
        elements.iter().filter_map(|element| self.text(each, element)).collect()
    }

    /// A time longer than zero.
    pub(crate) fn duration(&mut self, key: &str, node: &Node) -> Field<u64> {
        let time = self.time(key, node);
        if let Field::Given(Spanned { value: 0, span }) = &time {
            self.push(error("time", format!("`{key}` must be longer than 0")).at(span.clone()));
            return Field::Wrong;
        }
        time
    }

    /// A time, which may be zero.
    pub(crate) fn time(&mut self, key: &str, node: &Node) -> Field<u64> {
        let Some(text) = self.text(&format!("`{key}` as a time"), node) else {
            return Field::Wrong;
        };
        let wrong = |why: String| error("time", format!("`{key}`: {why}")).at(text.span.clone());
        let shown = &text.value;
        let problem = match parse_time(shown) {
            Ok(value) => return Field::Given(Spanned { value, span: text.span }),
            Err(TimeError::NoUnit) => wrong(format!("`{shown}` has no unit"))
                .help(format!("write `{shown}ms`, or another of `s`, `us`, `ns`")),
            Err(TimeError::Fraction) => wrong(format!("`{shown}` is finer than a nanosecond")),
            Err(TimeError::TooLong) => {
                wrong(format!("`{shown}` is longer than {}, the most", show_time(LONGEST)))
            }
            Err(TimeError::Form) => wrong(format!("`{shown}` is not a time"))
                .help("a time is a number with `s`, `ms`, `us` or `ns`, such as `33.33ms`"),
        };
        self.push(problem);
        Field::Wrong
    }

    /// A whole number from `least` to `most`.
    pub(crate) fn number<T: TryFrom<u64>>(
        &mut self,
        key: &str,
        node: &Node,
        least: u64,
        most: u64,
    ) -> Field<T> {
        let Some(text) = self.text(&format!("`{key}` as a number"), node) else {
            return Field::Wrong;
        };
        let number = text.value.parse().ok().filter(|number| (least..=most).contains(number));
        match number.and_then(|number| T::try_from(number).ok()) {
            Some(value) => Field::Given(Spanned { value, span: text.span }),
            None => {
                let message = format!(
                    "`{key}` is a whole number from {least} to {most}, found `{}`",
                    text.value
                );
                self.push(error("number", message).at(text.span));
                Field::Wrong
            }
        }
    }
}
