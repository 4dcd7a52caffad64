//! A scheduling term in a few words, for a card.

use super::format::{duration, short_type};
use gxf_runtime::graph::describe::{ComponentDescription, GraphDescription, ParameterDescription};

/// Most receivers named; the others are counted.
const NAMED: usize = 3;

/// A term or a combiner of terms in a few words: `periodic 10Hz`, `signal ≥ 1`.
pub fn summary(graph: &GraphDescription, term: &ComponentDescription) -> String {
    let term = Term { graph, term };
    let kind = short_type(&term.term.type_name);
    match kind {
        "PeriodicSchedulingTerm" => format!("periodic {}", period(term.value("recess_period"))),
        "CountSchedulingTerm" => format!("count {}", term.value("count")),
        "BooleanSchedulingTerm" if term.value("enable_tick") == "false" => "boolean off".into(),
        "BooleanSchedulingTerm" => "boolean on".into(),
        "TargetTimeSchedulingTerm" => "target time".into(),
        "AsynchronousSchedulingTerm" => "asynchronous".into(),
        "BTSchedulingTerm" if term.value("is_root") == "true" => "behavior tree root".into(),
        "BTSchedulingTerm" => "behavior tree".into(),
        "MessageAvailableSchedulingTerm" => {
            format!("{} ≥ {}", term.names("receiver", " + "), term.value("min_size"))
        }
        "ExpiringMessageAvailableSchedulingTerm" => format!(
            "{} ≥ {} or {}",
            term.names("receiver", " + "),
            term.value("max_batch_size"),
            period(term.value("max_delay_ns"))
        ),
        "DownstreamReceptiveSchedulingTerm" => match term.value("min_size") {
            "1" => format!("room in {}", term.names("transmitter", " + ")),
            size => format!("room in {} ≥ {size}", term.names("transmitter", " + ")),
        },
        "MultiMessageAvailableSchedulingTerm" => term.several_receivers(),
        "MultiMessageAvailableTimeoutSchedulingTerm" | "MessageAvailableFrequencyThrottler" => {
            let frequency = period(term.value("execution_frequency"));
            format!("{} or {frequency}", term.several_receivers())
        }
        "MemoryAvailableSchedulingTerm" => {
            let wanted = match (term.value("min_blocks"), term.value("min_bytes")) {
                ("?", "?") => String::new(),
                ("?", bytes) => format!(" ≥ {bytes} bytes"),
                (blocks, "?") => format!(" ≥ {blocks} blocks"),
                (blocks, bytes) => format!(" ≥ {blocks} blocks and {bytes} bytes"),
            };
            format!("memory in {}{wanted}", term.names("allocator", " + "))
        }
        "OrSchedulingTermCombiner" => format!("any of {}", term.names("terms", ", ")),
        other => without_ending(other).to_owned(),
    }
}

/// `Periodic` for `PeriodicSchedulingTerm`.
pub fn without_ending(type_name: &str) -> &str {
    type_name.strip_suffix("SchedulingTerm").unwrap_or(type_name)
}

struct Term<'a> {
    graph: &'a GraphDescription,
    term: &'a ComponentDescription,
}

impl<'a> Term<'a> {
    fn parameter(&self, key: &str) -> Option<&'a ParameterDescription> {
        self.term.parameter(key)
    }

    fn value(&self, key: &str) -> &'a str {
        self.parameter(key).and_then(|parameter| parameter.value.as_deref()).unwrap_or("?")
    }

    /// The components that a parameter refers to.
    fn names(&self, key: &str, between: &str) -> String {
        let targets = self.parameter(key).map_or(&[][..], |parameter| &parameter.targets);
        if targets.len() > NAMED {
            return format!("{} {key}", targets.len());
        }
        let names = targets.iter().filter_map(|target| self.graph.component(*target));
        let names: Vec<&str> = names.map(|component| short_type(component.label())).collect();
        if names.is_empty() { "?".into() } else { names.join(between) }
    }

    fn several_receivers(&self) -> String {
        if self.value("sampling_mode") == "PerReceiver" {
            return format!("{} ≥ {}", self.names("receivers", ", "), self.value("min_sizes"));
        }
        let wanted = match self.value("min_sum") {
            "?" => self.value("min_size"),
            sum => sum,
        };
        format!("{} ≥ {wanted}", self.names("receivers", " + "))
    }
}

/// A period or frequency as it was written, with a space before the unit; nanoseconds when it has
/// none.
fn period(text: &str) -> String {
    if let Ok(nanoseconds) = text.parse() {
        return duration(nanoseconds);
    }
    let unit = text.find(char::is_alphabetic).unwrap_or(text.len());
    format!("{} {}", text[..unit].trim(), &text[unit..]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn periods_keep_their_unit() {
        assert_eq!(period("10Hz"), "10 Hz");
        assert_eq!(period("1.5 ms"), "1.5 ms");
        assert_eq!(period("5000000"), "5 ms");
        assert_eq!(period("?"), "?");
        assert_eq!(period("often"), "often");
    }
}
