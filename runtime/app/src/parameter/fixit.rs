//! Corrections for numbers and booleans in the notation of other languages.

use crate::scalar::{parse_float, parse_integer};
use gxf_plugin_abi::ParameterType as Type;

/// The correct text for the type, if there is little doubt about the intention.
pub(super) fn fixit(element: Type, text: &str) -> Option<String> {
    let plain = text.replace('_', "");
    match element {
        Type::BOOL => match text {
            "1" => Some("true".to_owned()),
            "0" => Some("false".to_owned()),
            _ => None,
        },
        Type::FLOAT32 | Type::FLOAT64 => match plain.to_ascii_lowercase().as_str() {
            "inf" | "infinity" | "+inf" => Some(".inf".to_owned()),
            "-inf" | "-infinity" => Some("-.inf".to_owned()),
            "nan" => Some(".nan".to_owned()),
            _ => parse_float(&plain).map(|_| plain),
        },
        Type::INT8
        | Type::INT16
        | Type::INT32
        | Type::INT64
        | Type::UINT8
        | Type::UINT16
        | Type::UINT32
        | Type::UINT64 => {
            if let Some(binary) = plain.strip_prefix("0b") {
                return u64::from_str_radix(binary, 2).ok().map(|value| value.to_string());
            }
            if parse_integer(&plain).is_ok() {
                return Some(plain);
            }
            /// Above this, a float cannot represent every whole number.
            const EXACT: f64 = 9e15;
            let value = parse_float(&plain)?;
            (value.fract() == 0.0 && value.abs() < EXACT).then(|| format!("{value:.0}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_notations_are_understood() {
        for (element, text, expected) in [
            (Type::INT32, "1e3", Some("1000")),
            (Type::UINT64, "1_000", Some("1000")),
            (Type::UINT8, "3.0", Some("3")),
            (Type::INT64, "-2.0e1", Some("-20")),
            (Type::INT64, "0b101", Some("5")),
            (Type::INT64, "1.5", None),
            (Type::INT64, "1e300", None),
            (Type::INT64, "3k", None),
            (Type::INT64, "", None),
            (Type::FLOAT64, "inf", Some(".inf")),
            (Type::FLOAT32, "1_000.5", Some("1000.5")),
            (Type::FLOAT32, "1,5", None),
            (Type::BOOL, "1", Some("true")),
            (Type::BOOL, "2", None),
            (Type::STRING, "1_0", None),
        ] {
            assert_eq!(fixit(element, text).as_deref(), expected, "{text}");
        }
    }
}
