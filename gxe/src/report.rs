//! A summary of the run for the user who stopped it.

use gxf_runtime::RunReport;
use gxf_runtime::graph::escape::one_line;
use std::fmt::Write;
use std::time::Duration;

/// Most entities shown; the others are summed up.
const ROWS: usize = 40;

/// One row for each entity: name, ticks, state. The busiest come first.
pub fn table(report: &RunReport) -> String {
    let mut entities: Vec<_> = report.entities.iter().collect();
    entities.sort_by_key(|entity| std::cmp::Reverse(entity.ticks));
    let shown = &entities[..entities.len().min(ROWS)];
    let names: Vec<_> = shown.iter().map(|entity| one_line(&entity.name)).collect();
    let widths = names.iter().map(|name| name.chars().count());
    let width = widths.chain(["entity".len()]).max().unwrap_or_default();
    let mut text = format!("  {:<width$}  {:>12}  state", "entity", "ticks");
    // Writing to a `String` does not fail.
    for (entity, name) in shown.iter().zip(&names) {
        _ = write!(text, "\n  {name:<width$}  {:>12}  {}", entity.ticks, entity.state);
    }
    let rest = &entities[shown.len()..];
    if !rest.is_empty() {
        let ticks: u64 = rest.iter().map(|entity| entity.ticks).sum();
        _ = write!(text, "\n  and {} more entities with {ticks} ticks", rest.len());
    }
    text
}

/// The same in a few words.
pub fn summary(report: &RunReport, elapsed: Duration) -> String {
    let ticks: u64 = report.entities.iter().map(|entity| entity.ticks).sum();
    let plural = |number, what| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
    let entities = plural(report.entities.len() as u64, "entity").replace("entitys", "entities");
    format!("{} in {entities}, {:.3} s", plural(ticks, "tick"), elapsed.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gxf_runtime::EntityReport;

    fn report(ticks: impl IntoIterator<Item = u64>) -> RunReport {
        let entity = |(index, ticks)| EntityReport {
            name: format!("entity_{index}"),
            ticks,
            state: "idle".into(),
        };
        RunReport { entities: ticks.into_iter().enumerate().map(entity).collect() }
    }

    #[test]
    fn the_busiest_come_first() {
        assert_eq!(
            table(&report([3, 1_234_567])),
            "\x20 entity           ticks  state\n\
             \x20 entity_1       1234567  idle\n\
             \x20 entity_0             3  idle"
        );
    }

    #[test]
    fn many_are_summed_up() {
        let text = table(&report(std::iter::repeat_n(2, 1000)));
        assert_eq!(text.lines().count(), 1 + ROWS + 1);
        assert!(text.ends_with("\n  and 960 more entities with 1920 ticks"), "{text}");
    }

    #[test]
    fn the_summary_counts() {
        let text =
            |ticks: &[u64]| summary(&report(ticks.iter().copied()), Duration::from_millis(1500));
        assert_eq!(text(&[1]), "1 tick in 1 entity, 1.500 s");
        assert_eq!(text(&[1, 2]), "3 ticks in 2 entities, 1.500 s");
    }
}
