//! Values of parameters that no component declares.

use super::parameter::ParameterValue;
use super::scalar::{parse_bool, parse_float, parse_integer};
use super::yaml::{Kind, Node, emit};

/// Reads a node for an undeclared parameter: a bool, an integer, a float, else text; lists element
/// by element. The tag `!ms` converts milliseconds to nanoseconds; `!yaml` keeps the YAML text. A
/// mapping becomes [`ParameterValue::Custom`]. Quoted text stays text.
#[must_use]
pub fn infer_value(node: &Node) -> ParameterValue {
    let (value, plain) = match &node.kind {
        _ if node.tag.as_deref() == Some("!yaml") => {
            let mut content = node.clone();
            content.tag = None;
            return ParameterValue::String(emit(&content));
        }
        Kind::Sequence(elements) => {
            return ParameterValue::List(elements.iter().map(infer_value).collect());
        }
        Kind::Mapping(_) => return ParameterValue::Custom(emit(node)),
        Kind::Scalar { value, plain } => (value, *plain),
    };
    if plain {
        if node.tag.as_deref() == Some("!ms") {
            if let Some(ns) = milliseconds(value) {
                return ParameterValue::Int64(ns);
            }
        } else if let Some(value) = parse_bool(value) {
            return ParameterValue::Bool(value);
        } else if let Some(value) = parse_integer(value).ok().and_then(|n| i64::try_from(n).ok()) {
            return ParameterValue::Int64(value);
        }
        if let Some(value) = parse_float(value) {
            return ParameterValue::Float64(value);
        }
    }
    ParameterValue::String(value.to_string())
}

fn milliseconds(text: &str) -> Option<i64> {
    const NS: i64 = 1_000_000;
    if let Ok(whole) = parse_integer(text) {
        return i64::try_from(whole).ok()?.checked_mul(NS);
    }
    let ns = (parse_float(text)? * NS as f64).round();
    // Below 2^63 by a margin that any period keeps.
    (ns.abs() < 9.2e18).then_some(ns as i64)
}

#[cfg(test)]
mod tests {
    use super::ParameterValue as V;
    use super::*;
    use crate::diagnostic::Diagnostics;
    use crate::source::Source;
    use crate::yaml::parse_stream;

    #[test]
    fn unknown_keys_get_the_type_they_look_like() {
        let infer = |text| {
            infer_value(&parse_stream(&Source::new("t", text), &mut Diagnostics::new()).unwrap()[0])
        };
        assert_eq!(infer("yes"), V::Bool(true));
        assert_eq!(infer("0x10"), V::Int64(16));
        assert_eq!(infer("!ms 20"), V::Int64(20_000_000));
        assert_eq!(infer("!ms 0.5"), V::Int64(500_000));
        assert_eq!(infer("1.5"), V::Float64(1.5));
        assert_eq!(infer("'5'"), V::String("5".into()));
        assert_eq!(infer("!!str 5"), V::String("5".into()));
        assert_eq!(infer("!yaml [a, {b: c}]"), V::String("[a, {b: c}]".into()));
        assert_eq!(infer("[1, x]"), V::List(vec![V::Int64(1), V::String("x".into())]));
        assert_eq!(infer("{a: 1}"), V::Custom("{a: 1}".into()));
    }
}
