//! Parameter values as JSON and as YAML text.

use gxf_runtime::graph::ParameterValue;
use serde_json::Value;

/// A value as JSON. Floats that JSON cannot express (infinite, not a number) and complex numbers
/// become strings in YAML's form.
pub fn json(value: &ParameterValue) -> Value {
    match value {
        ParameterValue::Bool(value) => (*value).into(),
        ParameterValue::Int8(value) => (*value).into(),
        ParameterValue::Int16(value) => (*value).into(),
        ParameterValue::Int32(value) => (*value).into(),
        ParameterValue::Int64(value) => (*value).into(),
        ParameterValue::UInt8(value) => (*value).into(),
        ParameterValue::UInt16(value) => (*value).into(),
        ParameterValue::UInt32(value) => (*value).into(),
        ParameterValue::UInt64(value) => (*value).into(),
        // Through its text: as a 64-bit float, 0.1 would become 0.10000000149011612.
        ParameterValue::Float32(value) => float(value.to_string().parse().unwrap_or(f64::NAN)),
        ParameterValue::Float64(value) => float(*value),
        ParameterValue::String(text)
        | ParameterValue::File(text)
        | ParameterValue::Custom(text) => text.trim_end().into(),
        ParameterValue::Handle(handle) => handle.to_string().into(),
        ParameterValue::Component(cid) => (*cid).into(),
        ParameterValue::Tid(tid) => tid.to_string().into(),
        ParameterValue::Complex64([real, imaginary]) => complex(*real, *imaginary).into(),
        ParameterValue::Complex128([real, imaginary]) => complex(*real, *imaginary).into(),
        ParameterValue::List(items) => items.iter().map(json).collect(),
    }
}

fn float(value: f64) -> Value {
    match serde_json::Number::from_f64(value) {
        Some(number) => number.into(),
        None if value.is_nan() => ".nan".into(),
        None if value > 0.0 => ".inf".into(),
        None => "-.inf".into(),
    }
}

fn complex<T: std::fmt::Display>(real: T, imaginary: T) -> String {
    let imaginary = imaginary.to_string();
    let plus = if imaginary.starts_with('-') { "" } else { "+" };
    format!("{real}{plus}{imaginary}j")
}

/// A JSON value as YAML text, without quotes where possible.
pub fn text(value: &Value) -> String {
    match value {
        Value::String(text) if is_plain(text) => text.clone(),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        other => other.to_string(),
    }
}

fn is_plain(text: &str) -> bool {
    let safe = |c: char| c.is_alphanumeric() || "_-./:+".contains(c);
    !text.is_empty() && text.chars().all(safe) && !text.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_digits() {
        for (value, expected) in [
            (ParameterValue::Float32(0.1), "0.1"),
            (ParameterValue::Float64(1e300), "1e+300"),
            (ParameterValue::Float64(f64::NEG_INFINITY), "-.inf"),
            (ParameterValue::UInt64(u64::MAX), "18446744073709551615"),
            (ParameterValue::Complex64([1.0, -2.5]), "1-2.5j"),
            (ParameterValue::String("a b".into()), "\"a b\""),
            (ParameterValue::String(String::new()), "\"\""),
            (
                ParameterValue::List(vec![ParameterValue::Int8(-1), ParameterValue::Int8(2)]),
                "[-1, 2]",
            ),
        ] {
            assert_eq!(text(&json(&value)), expected);
        }
    }
}
