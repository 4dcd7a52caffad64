//! How a period is written in YAML: nanoseconds without a unit, or `ms`, `s`, `hz`.

use gxf::{Error, Result, ResultCode};

/// Reads a period and returns nanoseconds. Letter case does not matter, and one blank may stand
/// before the unit. Anything that is not a positive, finite time is `ARGUMENT_INVALID`.
pub fn parse_period(text: &str) -> Result<i64> {
    let invalid = || {
        Error::new(
            ResultCode::ARGUMENT_INVALID,
            format!("`{text}` is not a period; write it like `10ms`, `1s`, `100Hz` or `5000` (ns)"),
        )
    };
    let lower = text.trim().to_ascii_lowercase();
    let unit_start = lower.find(|c: char| c.is_ascii_alphabetic() && c != 'e');
    let (number, unit) = lower.split_at(unit_start.unwrap_or(lower.len()));
    let number: f64 = number.strip_suffix(' ').unwrap_or(number).parse().map_err(|_| invalid())?;
    let nanoseconds = match unit {
        "" => number,
        "ms" => number * 1e6,
        "s" => number * 1e9,
        "hz" => 1e9 / number,
        _ => return Err(invalid()),
    };
    // The range ends where an i64 does; what is not a number is in no range.
    if !(1.0..i64::MAX as f64).contains(&nanoseconds) {
        return Err(invalid());
    }
    Ok(nanoseconds as i64)
}

#[cfg(test)]
mod tests {
    use super::parse_period;

    #[test]
    fn periods_of_all_units() {
        for (text, nanoseconds) in [
            ("5000", 5000),
            ("10ms", 10_000_000),
            ("1.5 s", 1_500_000_000),
            ("100Hz", 10_000_000),
            ("1e3", 1000),
        ] {
            assert_eq!(parse_period(text).unwrap(), nanoseconds, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_period() {
        for text in ["", "0", "-1ms", "10us", "1 min", "1  s", "nan", "inf", "0hz", "ms", "1e30s"] {
            assert!(parse_period(text).is_err(), "{text}");
        }
    }
}
