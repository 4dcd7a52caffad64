//! Statistics as tables of at most 80 columns.

use super::statistics::{DepartedStatistics, EntityStatistics, GraphUse, LinkUse, Statistics};
use gxf_app::escape::one_line;
use std::fmt::{Display, Formatter, Result, Write};

/// Most rows to show, to keep the table readable; the rest is summed up.
const ROWS: usize = 40;
/// Width of names; longer ones get a line of their own.
const NAME: usize = 15;

impl Display for Statistics {
    /// The entities with the longest total execution time first, what they waited for, then the
    /// queues that held or lost messages, the deadlines, the allocators that were used, the streams of CUDA
    /// devices, the links, the trace hash, and the segments.
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let scheduler = self.scheduler.rsplit("::").next().unwrap_or_default();
        let scheduler = one_line(scheduler);
        let by = if scheduler.is_empty() { String::new() } else { format!(" under {scheduler}") };
        writeln!(formatter, "Ran {}{by}", time(self.duration_ns))?;
        self.entity_table(formatter)?;
        self.queue_table(formatter)?;
        self.deadline_table(formatter)?;
        self.allocator_table(formatter)?;
        self.stream_table(formatter)?;
        self.graph_table(formatter)?;
        self.link_table(formatter)?;
        writeln!(formatter, "\ntrace hash {}", self.trace_hash.sha256)?;
        self.segments.iter().try_for_each(|(name, segment)| {
            write!(formatter, "\nSegment {}: {segment}", one_line(name))
        })
    }
}

impl Statistics {
    fn entity_table(&self, formatter: &mut Formatter<'_>) -> Result {
        writeln!(
            formatter,
            "\n{:<NAME$} {:>9} {:>6} {:>5} {:>7} {:>7} {:>7} {:>7} {:>8}",
            "entity", "ticks", "rate/s", "load%", "median", "95 %", "99 %", "max", "total"
        )?;
        let mut entities: Vec<_> = self.entities.iter().collect();
        entities.sort_by_key(|entity| std::cmp::Reverse(entity.execution_ns.total));
        for entity in entities.iter().take(ROWS) {
            let row = Row {
                name: &entity.name,
                ticks: entity.ticks,
                rate: entity.rate_hz,
                load: Some(entity.load_percent),
                times: &entity.execution_ns,
            };
            writeln!(formatter, "{row}")?;
            if let [_, _, ..] = entity.codelets[..] {
                for codelet in &entity.codelets {
                    let name = format!("  {}", codelet.name);
                    let row = Row {
                        name: &name,
                        ticks: codelet.ticks,
                        rate: codelet.rate_hz,
                        load: None,
                        times: &codelet.execution_ns,
                    };
                    writeln!(formatter, "{row}")?;
                }
            }
            waits(entity, formatter)?;
        }
        if entities.len() > ROWS {
            writeln!(formatter, "and {} more entities", entities.len() - ROWS)?;
        }
        match &self.departed {
            Some(departed) => departed_line(departed, formatter),
            None => Ok(()),
        }
    }

    fn queue_table(&self, formatter: &mut Formatter<'_>) -> Result {
        let mut queues: Vec<_> = self
            .queues
            .iter()
            .filter(|queue| queue.messages > 0 || queue.dropped > 0 || queue.max_fill > 0)
            .collect();
        if queues.is_empty() {
            return Ok(());
        }
        writeln!(
            formatter,
            "\n{:<33} {:>8} {:>6} {:>6} {:>11} {:>9}",
            "queue", "capacity", "median", "max", "messages", "dropped"
        )?;
        // Queues that lost messages come first.
        queues.sort_by_key(|queue| std::cmp::Reverse(queue.dropped));
        for queue in queues.iter().take(ROWS) {
            let name = format!("{}/{}", queue.entity, queue.component);
            named(formatter, &name, 33)?;
            writeln!(
                formatter,
                " {:>8} {:>6} {:>6} {:>11} {:>9}",
                queue.capacity, queue.median_fill, queue.max_fill, queue.messages, queue.dropped
            )?;
        }
        if queues.len() > ROWS {
            writeln!(formatter, "and {} more queues", queues.len() - ROWS)?;
        }
        Ok(())
    }
}

impl Statistics {
    fn deadline_table(&self, formatter: &mut Formatter<'_>) -> Result {
        if self.deadlines.is_empty() {
            return Ok(());
        }
        writeln!(
            formatter,
            "\n{:<33} {:>14} {:>14} {:>16}",
            "deadline", "allowed", "longest tick", "missed"
        )?;
        let mut deadlines: Vec<_> = self.deadlines.iter().collect();
        deadlines.sort_by_key(|deadline| std::cmp::Reverse(deadline.missed));
        for deadline in deadlines.iter().take(ROWS) {
            let name = format!("{}/{}", deadline.entity, deadline.component);
            named(formatter, &name, 33)?;
            writeln!(
                formatter,
                " {:>14} {:>14} {:>16}",
                time(deadline.limit_ns.unsigned_abs()),
                time(deadline.longest_ns.unsigned_abs()),
                times(deadline.missed)
            )?;
        }
        if deadlines.len() > ROWS {
            writeln!(formatter, "and {} more deadlines", deadlines.len() - ROWS)?;
        }
        Ok(())
    }

    fn allocator_table(&self, formatter: &mut Formatter<'_>) -> Result {
        let mut used: Vec<_> =
            self.allocators.iter().filter(|allocator| allocator.allocations > 0).collect();
        if used.is_empty() {
            return Ok(());
        }
        writeln!(
            formatter,
            "\n{:<33} {:>14} {:>14} {:>16}",
            "allocator", "most at once", "in use now", "handed out"
        )?;
        used.sort_by_key(|allocator| std::cmp::Reverse(allocator.peak_bytes));
        for allocator in used.iter().take(ROWS) {
            let name = format!("{}/{}", allocator.entity, allocator.component);
            named(formatter, &name, 33)?;
            writeln!(
                formatter,
                " {:>14} {:>14} {:>16}",
                bytes(allocator.peak_bytes),
                bytes(allocator.used_bytes),
                times(allocator.allocations)
            )?;
        }
        if used.len() > ROWS {
            writeln!(formatter, "and {} more allocators", used.len() - ROWS)?;
        }
        Ok(())
    }

    fn stream_table(&self, formatter: &mut Formatter<'_>) -> Result {
        if self.cuda_streams.is_empty() {
            return Ok(());
        }
        writeln!(
            formatter,
            "\n{:<22} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}",
            "CUDA", "works", "busy", "waits", "to device", "to host", "between"
        )?;
        let mut streams: Vec<_> = self.cuda_streams.iter().collect();
        streams.sort_by_key(|stream| std::cmp::Reverse(stream.busy_ns));
        for stream in streams.iter().take(ROWS) {
            writeln!(
                formatter,
                "{:<22} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}",
                format!("device {}, stream {}", stream.device, stream.stream),
                stream.works,
                time(stream.busy_ns),
                stream.waits,
                bytes(stream.to_device_bytes),
                bytes(stream.to_host_bytes),
                bytes(stream.between_bytes)
            )?;
        }
        if streams.len() > ROWS {
            writeln!(formatter, "and {} more streams", streams.len() - ROWS)?;
        }
        Ok(())
    }

    fn graph_table(&self, formatter: &mut Formatter<'_>) -> Result {
        if self.cuda_graphs.is_empty() {
            return Ok(());
        }
        writeln!(
            formatter,
            "\n{:<22} {:>9} {:>9} {:>10} {:>9} {:>9}",
            "CUDA graphs of", "captured", "launches", "operations", "joined", "ordinary"
        )?;
        for counted in self.cuda_graphs.iter().take(ROWS) {
            named(formatter, &counted.entity, 22)?;
            let GraphUse { captured, launches, operations, joined, ordinary, .. } = counted;
            writeln!(
                formatter,
                " {captured:>9} {launches:>9} {operations:>10} {joined:>9} {ordinary:>9}"
            )?;
            let GraphUse { reason, ended, end_reason, .. } = counted;
            if !reason.is_empty() {
                writeln!(formatter, "  ordinary, because {}", one_line(reason))?;
            } else if *ordinary > 0 && launches + joined == 0 {
                let reason = "the same work did not come often enough in a row";
                writeln!(formatter, "  ordinary, because {reason}")?;
            }
            if *ended > 0 {
                let reason = one_line(end_reason);
                writeln!(formatter, "  {ended} at the end of a chain, first because {reason}")?;
            }
        }
        if self.cuda_graphs.len() > ROWS {
            writeln!(formatter, "and {} more entities", self.cuda_graphs.len() - ROWS)?;
        }
        Ok(())
    }

    fn link_table(&self, formatter: &mut Formatter<'_>) -> Result {
        for link in self.links.iter().take(ROWS) {
            let LinkUse { entity, component, peer, messages, reconnects, dropped, .. } = link;
            let way = if link.receives { "from" } else { "to" };
            writeln!(
                formatter,
                "\nlink {} {way} {}:\n  {messages} messages, {}, {reconnects} reconnects, {dropped} \
                 lost",
                one_line(&format!("{entity}/{component}")),
                one_line(peer),
                bytes(link.bytes),
            )?;
        }
        Ok(())
    }
}

/// One line of the first table.
struct Row<'a> {
    name: &'a str,
    ticks: u64,
    rate: f64,
    load: Option<f64>,
    times: &'a super::statistics::Times,
}

impl Display for Row<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> Result {
        let Self { name, ticks, rate, load, times } = self;
        named(formatter, name, NAME)?;
        let load = load.map_or_else(String::new, |load| format!("{load:.1}"));
        write!(
            formatter,
            " {ticks:>9} {:>6} {load:>5} {:>7} {:>7} {:>7} {:>7} {:>8}",
            number(*rate),
            time(times.median),
            time(times.p95),
            time(times.p99),
            time(times.max),
            time(times.total),
        )
    }
}

/// A name in its column, or on a line of its own.
fn named(formatter: &mut Formatter<'_>, name: &str, width: usize) -> Result {
    let name = one_line(name);
    if name.chars().count() > width {
        write!(formatter, "{name}\n{:<width$}", "")
    } else {
        write!(formatter, "{name:<width$}")
    }
}

/// The sum of departed entities.
fn departed_line(departed: &DepartedStatistics, formatter: &mut Formatter<'_>) -> Result {
    let DepartedStatistics { entities, ticks, execution_ns, messages, dropped, .. } = departed;
    writeln!(
        formatter,
        "and earlier: {entities} entities that left ({ticks} ticks, {} in all),\n  {messages} \
         messages over former connections ({dropped} dropped)",
        time(execution_ns.total)
    )
}

/// What the entity waited for, longest first.
fn waits(entity: &EntityStatistics, formatter: &mut Formatter<'_>) -> Result {
    let mut waits: Vec<_> = entity.waited_ns.iter().filter(|(_, waited)| *waited > 0).collect();
    waits.sort_by_key(|(_, waited)| std::cmp::Reverse(*waited));
    for (term, waited) in waits.into_iter().take(3) {
        // The last part of a type suffices.
        let term = one_line(term.rsplit("::").next().unwrap_or(term));
        writeln!(formatter, "  waited {} for {term}", time(waited.unsigned_abs()))?;
    }
    Ok(())
}

/// Nanoseconds with a unit and three digits.
fn time(nanoseconds: u64) -> String {
    let (unit, size) = match nanoseconds {
        0..1_000 => return format!("{nanoseconds} ns"),
        1_000..999_500 => ("µs", 1e3),
        999_500..999_500_000 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    format!("{} {unit}", three_digits(nanoseconds as f64 / size))
}

/// Bytes with a unit and three digits.
fn bytes(bytes: u64) -> String {
    let (unit, size) = match bytes {
        0..1024 => return format!("{bytes} B"),
        1024..1_048_576 => ("KiB", 1024.0),
        1_048_576..1_073_741_824 => ("MiB", 1_048_576.0),
        _ => ("GiB", 1_073_741_824.0),
    };
    format!("{} {unit}", three_digits(bytes as f64 / size))
}

/// A number with three digits and a suffix for its size.
fn times(count: u64) -> String {
    format!("{count} {}", if count == 1 { "time" } else { "times" })
}

fn number(value: f64) -> String {
    let (letter, size) = match value {
        value if value < 999.5 => ("", 1.0),
        value if value < 999_500.0 => ("k", 1e3),
        value if value < 999_500_000.0 => ("M", 1e6),
        _ => ("G", 1e9),
    };
    three_digits(value / size) + letter
}

fn three_digits(value: f64) -> String {
    let mut text = String::new();
    // Writing to a `String` does not fail.
    let _ = match value {
        value if value < 9.995 => write!(text, "{value:.2}"),
        value if value < 99.95 => write!(text, "{value:.1}"),
        _ => write!(text, "{value:.0}"),
    };
    text
}

#[cfg(test)]
mod tests {
    use super::super::statistics::{AllocatorUse, QueueStatistics, Times, TraceHash};
    use super::*;

    #[test]
    fn figures_have_three_digits() {
        let figures = [0, 999, 1_000, 99_949, 999_499, 999_500, 61_000_000_000].map(time);
        assert_eq!(
            figures,
            ["0 ns", "999 ns", "1.00 µs", "99.9 µs", "999 µs", "1.00 ms", "61.0 s"]
        );
        assert_eq!([0.0, 9.996, 1234.0, 5e9].map(number), ["0.00", "10.0", "1.23k", "5.00G"]);
        assert_eq!([0, 1, 2].map(times), ["0 times", "1 time", "2 times"]);
        assert_eq!([1023, 1536, 1 << 30].map(bytes), ["1023 B", "1.50 KiB", "1.00 GiB"]);
    }

    #[test]
    fn the_table_fits_and_is_sorted() {
        let entity = |name: &str, total| EntityStatistics {
            name: name.to_owned(),
            ticks: 12_345_678,
            rate_hz: 999_499.0,
            load_percent: 100.0,
            execution_ns: Times {
                total,
                median: 999_000,
                p95: 999_000,
                p99: 999_000,
                max: 999_000,
                ..Times::default()
            },
            waited_ns: vec![
                ("short".to_owned(), 1),
                ("nvidia::gxf::CountSchedulingTerm".to_owned(), 2_000),
                ("never".to_owned(), 0),
            ],
            ..EntityStatistics::default()
        };
        let statistics = Statistics {
            scheduler: "nvidia::gxf::GreedyScheduler".to_owned(),
            duration_ns: 1_500_000_000,
            entities: vec![
                entity("small", 999_000),
                entity("a_name_of_more_than_15_letters", 1 << 50),
            ],
            queues: vec![
                QueueStatistics { entity: "idle".to_owned(), ..QueueStatistics::default() },
                QueueStatistics {
                    entity: "small".to_owned(),
                    component: "in".to_owned(),
                    capacity: 4,
                    max_fill: 3,
                    messages: 12_345_678,
                    dropped: 1,
                    ..QueueStatistics::default()
                },
            ],
            allocators: vec![
                AllocatorUse { entity: "unused".to_owned(), ..AllocatorUse::default() },
                AllocatorUse {
                    entity: "small".to_owned(),
                    component: "pool".to_owned(),
                    used_bytes: 64,
                    peak_bytes: 24 << 20,
                    allocations: 12_345_678,
                },
            ],
            trace_hash: TraceHash { sha256: "0123456789abcdef".repeat(4) },
            ..Statistics::default()
        };
        let text = statistics.to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert_eq!(
            text,
            "\
Ran 1.50 s under GreedyScheduler

entity              ticks rate/s load%  median    95 %    99 %     max    total
a_name_of_more_than_15_letters
                 12345678   999k 100.0  999 µs  999 µs  999 µs  999 µs 1125900 s
  waited 2.00 µs for CountSchedulingTerm
  waited 1 ns for short
small            12345678   999k 100.0  999 µs  999 µs  999 µs  999 µs   999 µs
  waited 2.00 µs for CountSchedulingTerm
  waited 1 ns for short

queue                             capacity median    max    messages   dropped
small/in                                 4      0      3    12345678         1

allocator                           most at once     in use now       handed out
small/pool                              24.0 MiB           64 B   12345678 times

trace hash 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
"
        );
    }
}
