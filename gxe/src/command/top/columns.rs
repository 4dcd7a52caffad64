//! The table of entities: as many columns as the terminal has room for.

use super::entity::Entity;
use ratatui::layout::Constraint;
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Row, Table};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    State,
    Rate,
    Ticks,
    Median,
    /// 99th percentile of the tick duration.
    Longest,
    Queues,
    /// The reason the entity waits, or what it is doing; takes the rest of the line.
    Now,
}

/// From left to right.
const ALL: [Column; 8] = [
    Column::Name,
    Column::State,
    Column::Rate,
    Column::Ticks,
    Column::Median,
    Column::Longest,
    Column::Queues,
    Column::Now,
];

/// Columns that a narrow terminal omits, the first one first.
const DISPENSABLE: [Column; 6] =
    [Column::Ticks, Column::Longest, Column::Median, Column::Queues, Column::State, Column::Rate];

impl Column {
    const fn title(self) -> &'static str {
        match self {
            Self::Name => "entity",
            Self::State => "state",
            Self::Rate => "ticks/s",
            Self::Ticks => "ticks",
            Self::Median => "median",
            Self::Longest => "p99",
            Self::Queues => "queues",
            Self::Now => "now",
        }
    }

    fn cell(self, entity: &Entity) -> String {
        match self {
            Self::Name => entity.name.clone(),
            Self::State => entity.state.clone(),
            Self::Rate => entity.rate.map_or("-".to_owned(), |rate| format!("{rate:.1}")),
            Self::Ticks => entity.ticks.to_string(),
            Self::Median => entity.times.map(|(median, _)| duration(median)).unwrap_or_default(),
            Self::Longest => entity.times.map(|(_, p99)| duration(p99)).unwrap_or_default(),
            Self::Queues => entity.queues.clone(),
            Self::Now => entity.waits.clone(),
        }
    }

    /// Width in characters; for the last column, its minimum.
    fn width(self, entities: &[&Entity], available: usize) -> usize {
        let longest = |of: fn(&Entity) -> &str| {
            entities.iter().map(|entity| of(entity).chars().count()).max().unwrap_or(0)
        };
        match self {
            Self::Name => longest(|entity| &entity.name).clamp(6, 30.min(available / 3).max(6)),
            Self::State => longest(|entity| &entity.state).clamp(5, 13),
            Self::Queues => longest(|entity| &entity.queues).clamp(6, 40.min(available / 3).max(6)),
            Self::Rate => 8,
            Self::Ticks => 10,
            Self::Median | Self::Longest => 9,
            Self::Now => 16,
        }
    }
}

/// The table for a terminal of this width in characters.
pub(super) fn table(entities: &[&Entity], width: u16) -> Table<'static> {
    let columns = fitting(entities, usize::from(width));
    let rows = entities.iter().map(|entity| Row::new(columns.iter().map(|of| of.cell(entity))));
    let rows: Vec<_> = rows.collect();
    let widths = columns.iter().map(|column| {
        let wanted = column.width(entities, usize::from(width));
        let wanted = u16::try_from(wanted).unwrap_or(u16::MAX);
        match column {
            Column::Now => Constraint::Min(wanted),
            _ => Constraint::Length(wanted),
        }
    });
    let titles: Row<'static> = columns.iter().map(|column| column.title()).collect();
    let reversed = Style::new().add_modifier(Modifier::REVERSED);
    Table::new(rows, widths).header(titles.style(reversed))
}

fn fitting(entities: &[&Entity], available: usize) -> Vec<Column> {
    let has_times = entities.iter().any(|entity| entity.times.is_some());
    let is_time = |column: &Column| matches!(column, Column::Median | Column::Longest);
    let mut columns: Vec<Column> =
        ALL.into_iter().filter(|column| has_times || !is_time(column)).collect();
    for dispensable in DISPENSABLE {
        // One more character between them.
        let taken: usize = columns.iter().map(|of| of.width(entities, available) + 1).sum();
        if taken <= available + 1 {
            break;
        }
        columns.retain(|column| *column != dispensable);
    }
    columns
}

/// Nanoseconds in the unit that fits.
pub fn duration(nanoseconds: u64) -> String {
    let value = nanoseconds as f64;
    match nanoseconds {
        0..1_000 => format!("{nanoseconds} ns"),
        1_000..1_000_000 => format!("{:.1} µs", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", value / 1e6),
        _ => format!("{:.1} s", value / 1e9),
    }
}
