//! Reads the value of a parameter from YAML and checks its type and limits.

use super::fixit::fixit;
use super::{HandleText, Number, ParameterSpec, ParameterValue};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::scalar::{IntegerError, parse_bool, parse_complex, parse_float, parse_integer};
use crate::source::Source;
use crate::suggest::nearest;
use crate::yaml::{Kind, Node, emit, emit_as_written};
use gxf_plugin_abi::{PARAMETER_MAX_RANK, ParameterType, ResultCode, Tid};
use std::sync::Arc;

/// Most errors to report for one value; a list may have millions of elements.
const MOST_ERRORS: usize = 8;

/// Reads a node as the type of `spec`.
///
/// The forms of scalars are those of GXF. Where GXF truncates a number that does not fit its type,
/// this is an error. A text parameter takes any scalar as it is written, and a list or mapping as
/// its YAML text, in the style of the file. A number outside of limits that only advise is a
/// warning, once a value.
///
/// # Errors
/// One error for each wrong element, up to a handful: [`ResultCode::PARAMETER_PARSER_ERROR`] for
/// the wrong type or length, [`ResultCode::PARAMETER_OUT_OF_RANGE`] for a number outside the
/// limits of the parameter, [`ResultCode::ARGUMENT_OUT_OF_RANGE`] for an unknown choice.
pub fn parse_value(
    spec: &ParameterSpec,
    node: &Node,
    source: &Arc<Source>,
    warnings: &mut Diagnostics,
) -> Result<ParameterValue, Vec<Diagnostic>> {
    let mut reader = Reader { spec, source, errors: Vec::new(), advice: None };
    match reader.value(node, 0) {
        Some(value) if reader.errors.is_empty() => {
            warnings.extend(reader.advice);
            Ok(value)
        }
        _ => Err(reader.errors),
    }
}

struct Reader<'a> {
    spec: &'a ParameterSpec,
    source: &'a Arc<Source>,
    errors: Vec<Diagnostic>,
    /// The first number outside of limits that only advise.
    advice: Option<Diagnostic>,
}

impl Reader<'_> {
    /// The value at one level of a list of lists; `None` after an error.
    fn value(&mut self, node: &Node, level: usize) -> Option<ParameterValue> {
        if level >= self.spec.rank as usize || level >= PARAMETER_MAX_RANK {
            return self.element(node);
        }
        let Some(elements) = node.as_sequence() else {
            return self.wrong_type(level, node);
        };
        let wanted = self.spec.shape.get(level).copied().unwrap_or(-1);
        if usize::try_from(wanted).is_ok_and(|wanted| wanted != elements.len()) {
            let message = format!(
                "`{}`: expected {wanted} {}, found {}",
                self.spec.key,
                if wanted == 1 { "element" } else { "elements" },
                elements.len()
            );
            return self.fail(ResultCode::PARAMETER_PARSER_ERROR, message, node, String::new());
        }
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            values.extend(self.value(element, level + 1));
            if self.errors.len() >= MOST_ERRORS {
                return None;
            }
        }
        (values.len() == elements.len()).then_some(ParameterValue::List(values))
    }

    fn element(&mut self, node: &Node) -> Option<ParameterValue> {
        type Value = ParameterValue;
        let spec = self.spec;
        match spec.element {
            ParameterType::STRING => self.text(node).map(Value::String),
            ParameterType::FILE => self.text(node).map(Value::File),
            ParameterType::CUSTOM if spec.choices.is_empty() => Some(Value::Custom(emit(node))),
            ParameterType::CUSTOM => self.text(node).map(Value::Custom),
            ParameterType::BOOL => self.scalar(node, parse_bool).map(Value::Bool),
            ParameterType::INT8 => self.integer(node).map(Value::Int8),
            ParameterType::INT16 => self.integer(node).map(Value::Int16),
            ParameterType::INT32 => self.integer(node).map(Value::Int32),
            ParameterType::INT64 => self.integer(node).map(Value::Int64),
            ParameterType::UINT8 => self.integer(node).map(Value::UInt8),
            ParameterType::UINT16 => self.integer(node).map(Value::UInt16),
            ParameterType::UINT32 => self.integer(node).map(Value::UInt32),
            ParameterType::UINT64 => self.integer(node).map(Value::UInt64),
            ParameterType::FLOAT32 => self.float32(node).map(Value::Float32),
            ParameterType::FLOAT64 => self.float64(node).map(Value::Float64),
            ParameterType::COMPLEX64 => {
                let narrow = |text: &str| parse_complex(text).and_then(narrow_complex);
                self.scalar(node, narrow).map(Value::Complex64)
            }
            ParameterType::COMPLEX128 => self.scalar(node, parse_complex).map(Value::Complex128),
            ParameterType::HANDLE => {
                self.scalar(node, HandleText::parse).map(|handle| Value::Handle(Box::new(handle)))
            }
            ParameterType::TID => self.scalar(node, Tid::parse).map(Value::Tid),
            ParameterType(number) => {
                let message =
                    format!("`{}` has the unknown parameter type {number}", self.spec.key);
                let code = ResultCode::PARAMETER_INVALID_TYPE;
                self.fail(code, message, node, String::new())
            }
        }
    }

    /// A scalar of a simple type; null is never one.
    fn scalar<T>(&mut self, node: &Node, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let found = node.as_text().filter(|_| !node.is_null()).and_then(parse);
        if found.is_none() {
            self.wrong_type::<T>(self.spec.rank as usize, node);
        }
        found
    }

    fn integer<T: TryFrom<i128>>(&mut self, node: &Node) -> Option<T> {
        let parsed = match node.as_text() {
            Some(text) if !node.is_null() => parse_integer(text),
            _ => Err(IntegerError::Form),
        };
        let number = match parsed {
            Ok(number) => number,
            Err(IntegerError::Huge) => return self.does_not_fit(node),
            Err(IntegerError::Octal) => {
                let message =
                    format!("`{}`: {} is not an octal number", self.spec.key, node.describe());
                let label = "a number that starts with 0 is octal; remove the leading zeros".into();
                return self.fail(ResultCode::PARAMETER_PARSER_ERROR, message, node, label);
            }
            Err(IntegerError::Form) => return self.wrong_type(self.spec.rank as usize, node),
        };
        let Ok(value) = T::try_from(number) else { return self.does_not_fit(node) };
        self.within_limits(Number::Integer(number), node).then_some(value)
    }

    fn float64(&mut self, node: &Node) -> Option<f64> {
        let value = self.scalar(node, parse_float)?;
        self.within_limits(Number::Float(value), node).then_some(value)
    }

    fn float32(&mut self, node: &Node) -> Option<f32> {
        let wide = self.scalar(node, parse_float)?;
        let value = wide as f32;
        if wide.is_finite() && !value.is_finite() {
            return self.does_not_fit(node);
        }
        self.within_limits(Number::Float(wide), node).then_some(value)
    }

    fn text(&mut self, node: &Node) -> Option<String> {
        let text = match &node.kind {
            Kind::Scalar { value, .. } => value.to_string(),
            _ => emit_as_written(node, &self.source.text()),
        };
        let choices = &self.spec.choices;
        if choices.is_empty() || choices.contains(&text) {
            return Some(text);
        }
        let message = format!("`{}` cannot be {}", self.spec.key, node.describe());
        let diagnostic = Diagnostic::error(ResultCode::ARGUMENT_OUT_OF_RANGE, message)
            .at(node.span(self.source))
            .suggest(nearest(&text, choices.iter().map(String::as_str)))
            .help(format!("choices: {}", choices.join(", ")));
        self.errors.push(diagnostic);
        None
    }

    /// Whether a number is within the parameter's limits; reports an error if not.
    fn within_limits(&mut self, number: Number, node: &Node) -> bool {
        if self.spec.allows(number) {
            return true;
        }
        let allowed = self.spec.limits();
        let message = format!("`{}`: {} is out of range", self.spec.key, node.describe());
        if !self.spec.limits_bind {
            let warning = || Diagnostic::warning(message).at(node.span(self.source));
            self.advice.get_or_insert_with(|| warning().label(format!("stated: {allowed}")));
            return true;
        }
        let label = format!("allowed: {allowed}");
        self.fail::<()>(ResultCode::PARAMETER_OUT_OF_RANGE, message, node, label);
        false
    }

    /// Reports a number that its type cannot hold.
    fn does_not_fit<T>(&mut self, node: &Node) -> Option<T> {
        let (name, range) = match self.spec.element {
            ParameterType::INT8 => ("int8", "-128 to 127"),
            ParameterType::INT16 => ("int16", "-32768 to 32767"),
            ParameterType::INT32 => ("int32", "-2147483648 to 2147483647"),
            ParameterType::INT64 => ("int64", "-9223372036854775808 to 9223372036854775807"),
            ParameterType::UINT8 => ("uint8", "0 to 255"),
            ParameterType::UINT16 => ("uint16", "0 to 65535"),
            ParameterType::UINT32 => ("uint32", "0 to 4294967295"),
            ParameterType::UINT64 => ("uint64", "0 to 18446744073709551615"),
            _ => ("float32", "-3.4028235e38 to 3.4028235e38"),
        };
        let message = format!("`{}`: {} does not fit {name}", self.spec.key, node.describe());
        let label = format!("{name} holds {range}");
        self.fail(ResultCode::PARAMETER_PARSER_ERROR, message, node, label)
    }

    fn wrong_type<T>(&mut self, level: usize, node: &Node) -> Option<T> {
        let expected = self.expected(level);
        let message =
            format!("`{}`: expected {expected}, found {}", self.spec.key, node.describe());
        // A single value may stand for a list of it.
        let lists = (self.spec.rank as usize).saturating_sub(level).min(PARAMETER_MAX_RANK);
        let meant = node.as_text().and_then(|text| fixit(self.spec.element, text));
        let meant = meant.map(|meant| format!("{}{meant}{}", "[".repeat(lists), "]".repeat(lists)));
        let problem = Diagnostic::error(ResultCode::PARAMETER_PARSER_ERROR, message);
        let problem = problem.label(format!("expected {expected}")).suggest(meant.as_deref());
        self.push(problem, node)
    }

    fn fail<T>(
        &mut self,
        code: ResultCode,
        message: String,
        node: &Node,
        label: String,
    ) -> Option<T> {
        self.push(Diagnostic::error(code, message).label(label), node)
    }

    fn push<T>(&mut self, problem: Diagnostic, node: &Node) -> Option<T> {
        self.errors.push(problem.at(node.span(self.source)));
        None
    }

    /// Describes what belongs at a level.
    fn expected(&self, level: usize) -> String {
        let (one, many) = names(self.spec.element);
        match (self.spec.rank as usize).saturating_sub(level) {
            0 => one.into(),
            1 => format!("a list of {many}"),
            lists => format!("a list of {}{many}", "lists of ".repeat(lists.min(8) - 1)),
        }
    }
}

fn narrow_complex([real, imaginary]: [f64; 2]) -> Option<[f32; 2]> {
    let narrow = |wide: f64| {
        let value = wide as f32;
        (value.is_finite() || !wide.is_finite()).then_some(value)
    };
    Some([narrow(real)?, narrow(imaginary)?])
}

/// Name of a type: singular with its article, and plural.
fn names(element: ParameterType) -> (&'static str, &'static str) {
    match element {
        ParameterType::BOOL => ("true or false", "true or false"),
        ParameterType::INT8 => ("an 8-bit integer", "8-bit integers"),
        ParameterType::INT16 => ("a 16-bit integer", "16-bit integers"),
        ParameterType::INT32 => ("a 32-bit integer", "32-bit integers"),
        ParameterType::INT64 => ("a 64-bit integer", "64-bit integers"),
        ParameterType::UINT8 => ("an unsigned 8-bit integer", "unsigned 8-bit integers"),
        ParameterType::UINT16 => ("an unsigned 16-bit integer", "unsigned 16-bit integers"),
        ParameterType::UINT32 => ("an unsigned 32-bit integer", "unsigned 32-bit integers"),
        ParameterType::UINT64 => ("an unsigned 64-bit integer", "unsigned 64-bit integers"),
        ParameterType::FLOAT32 | ParameterType::FLOAT64 => ("a number", "numbers"),
        ParameterType::COMPLEX64 | ParameterType::COMPLEX128 => {
            ("a complex number such as `1+2j`", "complex numbers such as `1+2j`")
        }
        ParameterType::HANDLE => (
            "a component as `component` or `entity/component`",
            "components as `component` or `entity/component`",
        ),
        ParameterType::TID => {
            ("a type id of 32 hexadecimal digits", "type ids of 32 hexadecimal digits")
        }
        ParameterType::FILE => ("a path", "paths"),
        ParameterType::STRING => ("a text", "texts"),
        _ => ("a value", "values"),
    }
}

#[cfg(test)]
mod tests {
    use super::ParameterValue as V;
    use super::*;
    use crate::yaml::parse_stream;

    fn read(spec: &ParameterSpec, text: &str) -> Result<V, String> {
        let source = Source::new("t", text);
        let node = parse_stream(&source, &mut Diagnostics::new()).unwrap().remove(0);
        parse_value(spec, &node, &source, &mut Diagnostics::new()).map_err(|errors| {
            errors
                .iter()
                .map(|e| format!("{} {}", e.code.name(), e.message))
                .collect::<Vec<_>>()
                .join("\n")
        })
    }

    fn of(element: ParameterType, rank: u32) -> ParameterSpec {
        ParameterSpec::new("p", element, rank)
    }

    #[test]
    fn every_type_is_read() {
        for (element, text, value) in [
            (ParameterType::BOOL, "On", V::Bool(true)),
            (ParameterType::INT8, "-128", V::Int8(-128)),
            (ParameterType::INT16, "017", V::Int16(15)),
            (ParameterType::INT32, "\"5\"", V::Int32(5)),
            (ParameterType::INT64, "-9223372036854775808", V::Int64(i64::MIN)),
            (ParameterType::UINT8, "0xff", V::UInt8(255)),
            (ParameterType::UINT16, "1", V::UInt16(1)),
            (ParameterType::UINT32, "1", V::UInt32(1)),
            (ParameterType::UINT64, "18446744073709551615", V::UInt64(u64::MAX)),
            (ParameterType::FLOAT32, "1.5", V::Float32(1.5)),
            (ParameterType::FLOAT64, "-.inf", V::Float64(f64::NEG_INFINITY)),
            (ParameterType::STRING, "a b", V::String("a b".into())),
            (ParameterType::STRING, "{a: [1, x y]}", V::String("{a: [1, x y]}".into())),
            (
                ParameterType::STRING,
                "- a:  st # with\n  b: ee\n-\n  - [1,  2]\n  - - x\n- c:\n  - ~\n  d: {}\n  e:\n    f: |\n      g\n",
                V::String(
                    "- a: st\n  b: ee\n-\n  - [1, 2]\n  -\n    - x\n- c:\n    - ~\n  d: {}\n  e:\n    \
                     f: \"g\\n\""
                        .into(),
                ),
            ),
            (ParameterType::FILE, "/tmp/x", V::File("/tmp/x".into())),
            (ParameterType::CUSTOM, "- 1\n- a: b", V::Custom("[1, {a: b}]".into())),
            (ParameterType::COMPLEX64, "1+2j", V::Complex64([1.0, 2.0])),
            (ParameterType::COMPLEX128, "2j", V::Complex128([0.0, 2.0])),
            (
                ParameterType::HANDLE,
                "e/a/b",
                V::Handle(Box::new(HandleText::Qualified {
                    entity: "e".into(),
                    component: "a/b".into(),
                })),
            ),
            (ParameterType::HANDLE, "<Unspecified>", V::Handle(Box::new(HandleText::Unspecified))),
            (
                ParameterType::TID,
                "377501d6-9abf-447c-a617-0114d4f33ab8",
                V::Tid(Tid::new(0x3775_01d6_9abf_447c, 0xa617_0114_d4f3_3ab8)),
            ),
        ] {
            assert_eq!(read(&of(element, 0), text), Ok(value), "{text}");
        }
    }

    #[test]
    fn limits_of_other_languages_advise() {
        let mut spec = of(ParameterType::INT32, 1);
        spec.maximum = Some(Number::Integer(5));
        let error = "GXF_PARAMETER_OUT_OF_RANGE `p`: `6` is out of range";
        assert_eq!(read(&spec, "[1, 6]"), Err(error.to_owned()));
        spec.limits_bind = false;
        let source = Source::new("t", "[1, 6, 7]");
        let mut warnings = Diagnostics::new();
        let node = parse_stream(&source, &mut warnings).unwrap().remove(0);
        let value = parse_value(&spec, &node, &source, &mut warnings).unwrap();
        assert_eq!(value, V::List(vec![V::Int32(1), V::Int32(6), V::Int32(7)]));
        let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["t:1:5: warning: `p`: `6` is out of range"]);
    }

    #[test]
    fn lists_follow_rank_and_shape() {
        let row = |values: &[i32]| V::List(values.iter().map(|v| V::Int32(*v)).collect());
        let mut spec = of(ParameterType::INT32, 2);
        let ragged = V::List(vec![row(&[1, 2]), row(&[3])]);
        assert_eq!(read(&spec, "[[1, 2], [3]]"), Ok(ragged));
        spec.shape[1] = 2;
        assert_eq!(
            read(&spec, "[[1, 2], [3], [a, 4], 5]").unwrap_err(),
            "GXF_PARAMETER_PARSER_ERROR `p`: expected 2 elements, found 1\n\
             GXF_PARAMETER_PARSER_ERROR `p`: expected a 32-bit integer, found `a`\n\
             GXF_PARAMETER_PARSER_ERROR `p`: expected a list of 32-bit integers, found `5`"
        );
        assert_eq!(
            read(&spec, "{a: 1}").unwrap_err(),
            "GXF_PARAMETER_PARSER_ERROR `p`: expected a list of lists of 32-bit integers, found a \
             mapping"
        );
    }

    #[test]
    fn a_value_in_place_of_a_list_is_suggested_as_one() {
        for (element, rank, text, meant) in [
            (ParameterType::INT64, 1, "0", "[0]"),
            (ParameterType::INT64, 2, "1e3", "[[1000]]"),
            (ParameterType::INT64, 2, "[1, 2]", "[1]"),
            (ParameterType::INT64, 1, "[1e3]", "1000"),
            (ParameterType::BOOL, 1, "1", "[true]"),
        ] {
            let source = Source::new("t", text);
            let node = parse_stream(&source, &mut Diagnostics::new()).unwrap().remove(0);
            let spec = of(element, rank);
            let errors = parse_value(&spec, &node, &source, &mut Diagnostics::new()).unwrap_err();
            let help = &errors.first().unwrap().help;
            assert_eq!(help.join(""), format!("did you mean `{meant}`?"), "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (element, text, message) in [
            (ParameterType::UINT8, "300", "`300` does not fit uint8"),
            (ParameterType::UINT8, "-1", "`-1` does not fit uint8"),
            (ParameterType::INT32, "1.5", "expected a 32-bit integer, found `1.5`"),
            (ParameterType::INT32, "09", "`09` is not an octal number"),
            (ParameterType::INT32, "~", "expected a 32-bit integer, found nothing"),
            (ParameterType::FLOAT32, "1e39", "`1e39` does not fit float32"),
            (ParameterType::FLOAT64, "1e400", "expected a number, found `1e400`"),
            (ParameterType::BOOL, "1", "expected true or false, found `1`"),
            (
                ParameterType::HANDLE,
                "e/",
                "expected a component as `component` or `entity/component`, found `e/`",
            ),
        ] {
            let expected = format!("GXF_PARAMETER_PARSER_ERROR `p`: {message}");
            assert_eq!(read(&of(element, 0), text), Err(expected), "{text}");
        }
        let many = format!("[{}]", "x,".repeat(1000));
        let errors = read(&of(ParameterType::INT32, 1), &many).unwrap_err();
        assert_eq!(errors.lines().count(), MOST_ERRORS);
    }
}
