//! Parses the text of a scalar as a bool, a number or a complex number, in the forms of GXF.

/// `true`/`false`, `yes`/`no`, `on`/`off`, `y`/`n`, in lower case, upper case or capitalised.
pub(crate) fn parse_bool(text: &str) -> Option<bool> {
    let lower = text.to_ascii_lowercase();
    let mut tail = text.chars().skip(1);
    let uniform = text == lower
        || text == text.to_ascii_uppercase()
        || (text.starts_with(|first: char| first.is_ascii_uppercase())
            && tail.all(|character| character.is_ascii_lowercase()));
    match lower.as_str() {
        "true" | "yes" | "on" | "y" if uniform => Some(true),
        "false" | "no" | "off" | "n" if uniform => Some(false),
        _ => None,
    }
}

/// Why a text is not an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntegerError {
    /// It does not look like an integer.
    Form,
    /// It starts with 0 like an octal number, but has the digit 8 or 9.
    Octal,
    /// It does not fit 128 bits.
    Huge,
}

/// Decimal, `0x` hexadecimal, or octal as `0o17` or `017`, with an optional sign. White space may
/// follow, as the line break of a block scalar does.
pub(crate) fn parse_integer(text: &str) -> Result<i128, IntegerError> {
    let text = text.trim_end();
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let prefixed =
        |prefixes: [&str; 2]| prefixes.iter().find_map(|prefix| digits.strip_prefix(*prefix));
    let (radix, digits) = if let Some(rest) = prefixed(["0x", "0X"]) {
        (16, rest)
    } else if let Some(rest) = prefixed(["0o", "0O"]) {
        (8, rest)
    } else if digits.len() > 1 && digits.starts_with('0') {
        (8, &digits[1..])
    } else {
        (10, digits)
    };
    if digits.is_empty() || !digits.chars().all(|digit| digit.is_digit(radix)) {
        let octal = radix == 8 && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        return Err(if octal { IntegerError::Octal } else { IntegerError::Form });
    }
    let value = i128::from_str_radix(digits, radix).map_err(|_| IntegerError::Huge)?;
    Ok(if negative { -value } else { value })
}

/// A decimal number, `.inf` or `.nan`. A number too large for a float is an error; infinity must be
/// written as such. White space may follow.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    match text.trim_end() {
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        // Rust would also read `inf` and `nan`, which are plain words here.
        text if text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) => {
            text.parse().ok().filter(|value: &f64| value.is_finite())
        }
        _ => None,
    }
}

/// A complex number: `1`, `2j`, `-1.5-2e3j`. Spaces around the signs, and `i` for `j`, are allowed.
pub(crate) fn parse_complex(text: &str) -> Option<[f64; 2]> {
    let text: String = text.chars().filter(|character| *character != ' ').collect();
    let Some(parts) = text.strip_suffix(['j', 'i', 'J', 'I']) else {
        return Some([parse_float(&text)?, 0.0]);
    };
    // The sign between the parts is the last one that does not belong to an exponent.
    let bytes = parts.as_bytes();
    let sign = (1..bytes.len())
        .rev()
        .find(|at| matches!(bytes[*at], b'+' | b'-') && !matches!(bytes[at - 1], b'e' | b'E'));
    let (real, imaginary) = parts.split_at(sign.unwrap_or(0));
    let imaginary = match imaginary {
        "" | "+" => 1.0,
        "-" => -1.0,
        number => parse_float(number)?,
    };
    Some([if real.is_empty() { 0.0 } else { parse_float(real)? }, imaginary])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bools() {
        for text in ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"] {
            assert_eq!(parse_bool(text), Some(true), "{text}");
        }
        for text in ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"] {
            assert_eq!(parse_bool(text), Some(false), "{text}");
        }
        for text in ["", "tRUE", "1", "oN", "yeS"] {
            assert_eq!(parse_bool(text), None, "{text}");
        }
    }

    #[test]
    fn integers() {
        for (text, value) in [
            ("0", 0),
            ("-12", -12),
            ("+7", 7),
            ("0x1F", 31),
            ("0o17", 15),
            ("017", 15),
            ("-0x10", -16),
            ("2\n", 2),
        ] {
            assert_eq!(parse_integer(text), Ok(value), "{text}");
        }
        for text in ["", "-", "1.0", "1_000", "0x", "--1", "1e3", "٣"] {
            assert_eq!(parse_integer(text), Err(IntegerError::Form), "{text}");
        }
        assert_eq!(parse_integer("08"), Err(IntegerError::Octal));
        assert_eq!(parse_integer(&"9".repeat(50)), Err(IntegerError::Huge));
    }

    #[test]
    fn floats() {
        assert_eq!(parse_float("-1.5e3"), Some(-1500.0));
        assert_eq!(parse_float("7"), Some(7.0));
        assert_eq!(parse_float("-.INF"), Some(f64::NEG_INFINITY));
        assert!(parse_float(".nan").is_some_and(f64::is_nan));
        for text in ["", "inf", "nan", "1e400", "1,5", "0x1"] {
            assert_eq!(parse_float(text), None, "{text}");
        }
    }

    #[test]
    fn complex_numbers() {
        for (text, value) in [
            ("1", [1.0, 0.0]),
            ("2j", [0.0, 2.0]),
            ("-j", [0.0, -1.0]),
            ("1+2j", [1.0, 2.0]),
            ("1 - 2i", [1.0, -2.0]),
            ("-1.5-2e3j", [-1.5, -2000.0]),
            ("1e-3+2e-3j", [0.001, 0.002]),
        ] {
            assert_eq!(parse_complex(text), Some(value), "{text}");
        }
        for text in ["", "1+2", "a+bj", "1+2jj", "j1"] {
            assert_eq!(parse_complex(text), None, "{text}");
        }
    }
}
