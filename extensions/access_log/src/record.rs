//! One line of an access log: the "combined" format of nginx and Apache, followed by the time the
//! request took in seconds (nginx: `$request_time`).
//!
//! ```text
//! 203.0.113.7 - - [02/Nov/2026:09:00:00 +0000] "GET /cart HTTP/1.1" 200 5123 "-" "Firefox" 0.043
//! ```

use crate::calendar::{Date, seconds_since_1970};

/// One request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Record {
    /// When it was logged, in seconds since 1970 (UTC).
    pub time: i64,
    /// Status code of the answer, 100 to 599.
    pub status: u16,
    /// How long it took, in microseconds.
    pub latency_us: u64,
}

/// Why a line is not a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// There is no time in brackets.
    Time,
    /// There is no request in quotes.
    Request,
    /// There is no status code behind the request.
    Status,
    /// There is no duration at the end.
    Duration,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Time => "no time like [02/Nov/2026:09:00:00 +0000]",
            Self::Request => "no request in quotes",
            Self::Status => "no status code from 100 to 599 behind the request",
            Self::Duration => "no duration in seconds at the end",
        })
    }
}

/// Reads a line.
pub fn parse(line: &str) -> Result<Record, Fault> {
    let (_, rest) = line.split_once('[').ok_or(Fault::Time)?;
    let (time, rest) = rest.split_once(']').ok_or(Fault::Time)?;
    let time = parse_time(time).ok_or(Fault::Time)?;

    let (_, rest) = rest.split_once('"').ok_or(Fault::Request)?;
    let (_, rest) = rest.split_once('"').ok_or(Fault::Request)?;

    let status = rest.split_whitespace().next().and_then(|word| word.parse().ok());
    let status = status.filter(|code| (100..600).contains(code)).ok_or(Fault::Status)?;

    // The quoted fields before the duration may contain blanks, so read it from the end.
    let (_, seconds) = line.rsplit_once(' ').ok_or(Fault::Duration)?;
    let seconds: f64 = seconds.parse().map_err(|_| Fault::Duration)?;
    // No request takes a year; NaN is in no range.
    if !(0.0..31_536_000.0).contains(&seconds) {
        return Err(Fault::Duration);
    }
    Ok(Record { time, status, latency_us: (seconds * 1e6).round() as u64 })
}

/// Reads `02/Nov/2026:09:00:00 +0000`.
fn parse_time(text: &str) -> Option<i64> {
    let (local, zone) = text.split_once(' ')?;
    let mut parts = local.split(['/', ':']);
    let day = parts.next()?.parse().ok()?;
    let month = parts.next()?;
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = MONTHS.iter().position(|name| *name == month)? as u32 + 1;
    let year = parts.next()?.parse().ok()?;
    let mut clock = [0; 3];
    for (field, limit) in clock.iter_mut().zip([24, 60, 61]) {
        *field = parts.next()?.parse().ok().filter(|value| (0..limit).contains(value))?;
    }
    let [hours, minutes, seconds] = clock;
    if parts.next().is_some() {
        return None;
    }
    let local = seconds_since_1970(Date { year, month, day })?
        + i64::from(hours * 3600 + minutes * 60 + seconds);

    let zone: i32 = zone.parse().ok().filter(|zone| (-2400..=2400).contains(zone))?;
    Some(local - i64::from(zone / 100 * 3600 + zone % 100 * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "203.0.113.7 - - [02/Nov/2026:09:00:00 +0000] \
        \"GET /cart HTTP/1.1\" 200 5123 \"-\" \"Mozilla 5.0\" 0.043";

    #[test]
    fn a_usual_line() {
        assert_eq!(
            parse(LINE),
            Ok(Record { time: 1_793_610_000, status: 200, latency_us: 43_000 })
        );
    }

    #[test]
    fn the_time_zone_counts() {
        let east = parse(&LINE.replace("+0000", "+0530")).unwrap().time;
        let west = parse(&LINE.replace("+0000", "-0330")).unwrap().time;
        assert_eq!(1_793_610_000 - east, 5 * 3600 + 30 * 60);
        assert_eq!(west - 1_793_610_000, 3 * 3600 + 30 * 60);
    }

    #[test]
    fn lines_that_are_no_records() {
        for (line, fault) in [
            (String::new(), Fault::Time),
            (LINE.replace("Nov", "Foo"), Fault::Time),
            (LINE.replace("02/", "31/"), Fault::Time),
            (LINE.replace("09:00", "25:00"), Fault::Time),
            (LINE[..40].to_owned(), Fault::Time),
            (LINE.replace('"', ""), Fault::Request),
            (LINE.replace(" 200 ", " 999 "), Fault::Status),
            (LINE.replace(" 200 ", " "), Fault::Status),
            (LINE.replace("0.043", "-"), Fault::Duration),
            (LINE.replace("0.043", "NaN"), Fault::Duration),
            (LINE.replace("0.043", "-1"), Fault::Duration),
        ] {
            assert_eq!(parse(&line), Err(fault), "{line}");
        }
    }
}
