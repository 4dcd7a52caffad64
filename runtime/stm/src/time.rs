//! Times of graphs and schedules: whole nanoseconds, written with a unit.

/// The units, longest first, with their length in nanoseconds.
const UNITS: [(&str, u64); 4] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)];

/// Longest time that is accepted, in nanoseconds: one day. Sums of a million of them fit 128 bits
/// easily, and those of one hyperepoch 64.
pub const LONGEST: u64 = 24 * 3600 * 1_000_000_000;

/// Why a text is not a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeError {
    /// A number without a unit.
    NoUnit,
    /// It does not look like a time.
    Form,
    /// It has a fraction of a nanosecond.
    Fraction,
    /// It is longer than [`LONGEST`].
    TooLong,
}

/// Reads a decimal number with `ns`, `us`, `ms` or `s`, such as `33.33ms`, in nanoseconds.
///
/// # Errors
/// It has another form, is finer than a nanosecond, or longer than [`LONGEST`].
pub fn parse_time(text: &str) -> Result<u64, TimeError> {
    let digits =
        text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
    let (number, unit) = text.split_at(digits);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
        return Err(TimeError::Form);
    }
    let unit = unit.trim_start();
    if unit.is_empty() {
        return Err(TimeError::NoUnit);
    }
    let Some((_, length)) = UNITS.iter().find(|(name, _)| *name == unit) else {
        return Err(TimeError::Form);
    };
    let fraction = fraction.trim_end_matches('0');
    let whole = whole.trim_start_matches('0');
    if whole.len() > 15 {
        return Err(TimeError::TooLong);
    }
    let whole: u64 =
        if whole.is_empty() { 0 } else { whole.parse().map_err(|_| TimeError::Form)? };
    let mut rest = *length;
    let mut time = whole.checked_mul(*length).ok_or(TimeError::TooLong)?;
    for digit in fraction.bytes() {
        if rest % 10 != 0 {
            return Err(TimeError::Fraction);
        }
        rest /= 10;
        time = time.checked_add(u64::from(digit - b'0') * rest).ok_or(TimeError::TooLong)?;
    }
    if time > LONGEST { Err(TimeError::TooLong) } else { Ok(time) }
}

/// Writes a time exactly, in the longest unit of which it is at least one: `33.33ms`.
#[must_use]
pub fn show_time(nanoseconds: u64) -> String {
    let unit = UNITS.iter().find(|(_, length)| nanoseconds >= *length);
    let (name, length) = unit.unwrap_or(&UNITS[3]);
    let (whole, rest) = (nanoseconds / length, nanoseconds % length);
    if rest == 0 {
        return format!("{whole}{name}");
    }
    let digits = length.ilog10() as usize;
    let fraction = format!("{rest:0digits$}");
    format!("{whole}.{}{name}", fraction.trim_end_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_and_written_exactly() {
        for (text, time, again) in [
            ("33.33ms", 33_330_000, "33.33ms"),
            ("10us", 10_000, "10us"),
            ("5000ns", 5_000, "5us"),
            ("0.5 s", 500_000_000, "500ms"),
            ("1s", 1_000_000_000, "1s"),
            ("0ms", 0, "0ns"),
            ("1.000001ms", 1_000_001, "1.000001ms"),
            ("1.50us", 1_500, "1.5us"),
        ] {
            assert_eq!(parse_time(text), Ok(time), "{text}");
            assert_eq!(show_time(time), again, "{text}");
            assert_eq!(parse_time(again), Ok(time), "{text}");
        }
        for (text, error) in [
            ("10", TimeError::NoUnit),
            ("", TimeError::Form),
            ("ms", TimeError::Form),
            ("-1ms", TimeError::Form),
            ("1e3ns", TimeError::Form),
            ("1.2.3ms", TimeError::Form),
            ("10 minutes", TimeError::Form),
            ("0.5ns", TimeError::Fraction),
            ("1.0000001us", TimeError::Fraction),
            ("2000000s", TimeError::TooLong),
            ("99999999999999999999s", TimeError::TooLong),
        ] {
            assert_eq!(parse_time(text), Err(error), "{text}");
        }
    }
}
