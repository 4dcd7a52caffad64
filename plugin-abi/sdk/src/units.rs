//! Periods and sizes with a unit. Components call these functions for their string parameters.

use std::fmt;

/// A text that is not a period, or not a size.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct UnitError {
    text: String,
    kind: Quantity,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Period,
    Size,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    NoNumber,
    Unit,
    NotPositive,
    Negative,
    TooShort,
    TooLarge,
}

impl fmt::Display for UnitError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text: String = self.text.chars().take(60).collect();
        let (what, forms) = match self.kind {
            Quantity::Period => (
                "a period",
                "a number and `ns`, `us`, `ms`, `s`, `min` or `Hz`, such as `10ms` or `100 Hz`; \
                 without a unit it means nanoseconds",
            ),
            Quantity::Size => (
                "a size",
                "a number and `B`, `KB`, `MB`, `GB` or `TB` (powers of 1024), such as `32MB`; \
                 without a unit it means bytes",
            ),
        };
        let problem = match self.problem {
            Problem::NoNumber => "it does not begin with a number",
            Problem::Unit => "its unit is unknown",
            Problem::NotPositive => "it has to be greater than zero",
            Problem::TooShort => "it is shorter than a nanosecond",
            Problem::Negative => "it must not be negative",
            Problem::TooLarge => "it is too large",
        };
        write!(formatter, "`{text}` is not {what}: {problem}; expected {forms}")
    }
}

/// Parses a period or a frequency as nanoseconds, always greater than zero.
///
/// The format is GXF's: a number, at most one space, and a unit in any letter case: none for
/// nanoseconds, `Hz`, `ms`, `s`. Beyond GXF: `ns`, `us`, `min`. Fractions of a nanosecond are
/// rounded.
///
/// # Errors
/// Any other text, and a period below half a nanosecond or above 292 years.
pub fn parse_period_ns(text: &str) -> Result<i64, UnitError> {
    let fail = |problem| UnitError { text: text.into(), kind: Quantity::Period, problem };
    let (number, unit) = split(text).map_err(fail)?;
    let scale: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "ns" => 1,
        "us" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "min" => 60_000_000_000,
        "hz" => {
            let hertz: f64 = number.parse().map_err(|_| fail(Problem::NoNumber))?;
            if hertz <= 0.0 {
                return Err(fail(Problem::NotPositive));
            }
            return float_to_ns(1e9 / hertz).map_err(fail);
        }
        _ => return Err(fail(Problem::Unit)),
    };
    // Whole numbers stay exact; a float has only 53 bits.
    if let Ok(whole) = number.parse::<i64>() {
        if whole <= 0 {
            return Err(fail(Problem::NotPositive));
        }
        let ns = i64::try_from(scale).ok().and_then(|scale| whole.checked_mul(scale));
        return ns.ok_or_else(|| fail(Problem::TooLarge));
    }
    let number: f64 = number.parse().map_err(|_| fail(Problem::NoNumber))?;
    float_to_ns(number * scale as f64).map_err(fail)
}

fn float_to_ns(exact: f64) -> Result<i64, Problem> {
    let ns = exact.round();
    // 2^63; `i64::MAX` itself is not a float.
    if ns >= 9_223_372_036_854_775_808.0 {
        Err(Problem::TooLarge)
    } else if ns >= 1.0 {
        Ok(ns as i64)
    } else if exact > 0.0 {
        Err(Problem::TooShort)
    } else {
        Err(Problem::NotPositive)
    }
}

/// Parses a size in bytes, always greater than zero.
///
/// A number, at most one space, and a unit in any letter case: `B` or none for bytes, `KB`, `MB`,
/// `GB`, `TB` in powers of 1024 (`KiB` and so on mean the same). Fractions of a byte are dropped.
///
/// GXF differs: there `B` and no unit mean megabytes, contrary to its own documentation, and
/// `1.5MB` is 1 MB.
///
/// # Errors
/// Any other text, and a size of 0 or above 16 EiB.
pub fn parse_byte_size(text: &str) -> Result<u64, UnitError> {
    let not_positive =
        || UnitError { text: text.into(), kind: Quantity::Size, problem: Problem::NotPositive };
    match parse_byte_size_or_zero(text) {
        Ok(0) => Err(not_positive()),
        Err(UnitError { problem: Problem::Negative, .. }) => Err(not_positive()),
        parsed => parsed,
    }
}

/// As [`parse_byte_size`], for a size that may be zero.
///
/// # Errors
/// Any other text, and a size below zero or of 2^64 bytes or more.
pub fn parse_byte_size_or_zero(text: &str) -> Result<u64, UnitError> {
    let fail = |problem| UnitError { text: text.into(), kind: Quantity::Size, problem };
    let (number, unit) = split(text).map_err(fail)?;
    let scale: u64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "kib" => 1 << 10,
        "mb" | "mib" => 1 << 20,
        "gb" | "gib" => 1 << 30,
        "tb" | "tib" => 1 << 40,
        _ => return Err(fail(Problem::Unit)),
    };
    let bytes = match number.parse::<u64>() {
        Ok(whole) => whole.checked_mul(scale).ok_or_else(|| fail(Problem::TooLarge))?,
        Err(_) => {
            let number: f64 = number.parse().map_err(|_| fail(Problem::NoNumber))?;
            let bytes = number * scale as f64;
            if bytes < 0.0 {
                return Err(fail(Problem::Negative));
            }
            // 2^64; `u64::MAX` itself is not a float.
            if bytes >= 18_446_744_073_709_551_616.0 {
                return Err(fail(Problem::TooLarge));
            }
            bytes as u64
        }
    };
    Ok(bytes)
}

/// Splits a number and its unit. The number is decimal, which excludes `inf`, `nan` and `0x10`.
fn split(text: &str) -> Result<(&str, &str), Problem> {
    let in_number = |character: char| {
        character.is_ascii_digit() || matches!(character, '+' | '-' | '.' | 'e' | 'E')
    };
    let end = text.find(|character| !in_number(character)).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    if number.parse::<f64>().is_err() {
        return Err(Problem::NoNumber);
    }
    Ok((number, unit.strip_prefix(' ').unwrap_or(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn periods() {
        for (text, ns) in [
            ("10ms", 10_000_000),
            ("100Hz", 10_000_000),
            ("100 hz", 10_000_000),
            ("1.5 S", 1_500_000_000),
            ("1000", 1000),
            ("2us", 2000),
            ("1e3ns", 1000),
            ("0.5min", 30_000_000_000),
            ("9223372036854775807", i64::MAX),
            ("30Hz", 33_333_333),
        ] {
            assert_eq!(parse_period_ns(text), Ok(ns), "{text}");
        }
        for text in
            ["", "ms", "0", "-1ms", "10  ms", " 10ms", "10ms ", "nan", "infHz", "0x10", "1 day"]
        {
            assert!(parse_period_ns(text).is_err(), "{text}");
        }
        for text in ["9223372036854775808", "1e300s", "0.1", "0Hz", "1e-300Hz"] {
            assert!(parse_period_ns(text).is_err(), "{text}");
        }
        assert_eq!(
            parse_period_ns("10 days").unwrap_err().to_string(),
            "`10 days` is not a period: its unit is unknown; expected a number and `ns`, `us`, \
             `ms`, `s`, `min` or `Hz`, such as `10ms` or `100 Hz`; without a unit it means \
             nanoseconds"
        );
    }

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("32B", 32),
            ("32", 32),
            ("4KB", 4096),
            ("4 MB", 4 << 20),
            ("1.5mb", 3 << 19),
            ("2GiB", 2 << 30),
            ("1TB", 1 << 40),
        ] {
            assert_eq!(parse_byte_size(text), Ok(bytes), "{text}");
        }
        for text in ["", "0MB", "-1", "1  KB", "1PB", "16777216TB", "1e30", "nan"] {
            assert!(parse_byte_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_that_may_be_zero() {
        for (text, bytes) in [("0B", 0), ("0", 0), ("0.0 MB", 0), ("0.5B", 0), ("4KB", 4096)] {
            assert_eq!(parse_byte_size_or_zero(text), Ok(bytes), "{text}");
        }
        for text in ["", "-1B", "-0.5MB", "0PB", "B"] {
            assert!(parse_byte_size_or_zero(text).is_err(), "{text}");
        }
        let text = parse_byte_size_or_zero("-1B").unwrap_err().to_string();
        assert!(text.contains("it must not be negative"), "{text}");
        let text = parse_byte_size("-1B").unwrap_err().to_string();
        assert!(text.contains("it has to be greater than zero"), "{text}");
    }

    proptest! {
        #[test]
        fn no_text_breaks_them(text in "\\PC*|[0-9.eE+-]{0,9} ?[a-zA-Z]{0,3}") {
            prop_assert!(parse_period_ns(&text).is_ok_and(|ns| ns > 0) || parse_period_ns(&text).is_err());
            prop_assert!(parse_byte_size(&text).is_ok_and(|size| size > 0) || parse_byte_size(&text).is_err());
        }

        #[test]
        fn whole_numbers_are_exact(ns in 1..i64::MAX, bytes in 1..u64::MAX) {
            prop_assert_eq!(parse_period_ns(&format!("{ns}ns")), Ok(ns));
            prop_assert_eq!(parse_byte_size(&format!("{bytes} B")), Ok(bytes));
        }
    }
}
