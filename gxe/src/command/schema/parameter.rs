//! The schema of one parameter: all forms that the loader reads, which are more than JSON has.

use crate::catalog::json as default_value;
use gxf_plugin_abi::{PARAMETER_DYNAMIC, PARAMETER_OPTIONAL, ParameterType};
use gxf_runtime::Context;
use gxf_runtime::extension::TypeInfo;
use gxf_runtime::graph::{Number, ParameterSpec};
use serde_json::{Value, json};

const BOOL: &str = "^([yY]|[nN]|yes|Yes|YES|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON\
                    |off|Off|OFF)$";
const INTEGER: &str = "^[-+]?(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$";
const FLOAT: &str = "^([-+]?(\\.inf|\\.Inf|\\.INF)|\\.nan|\\.NaN|\\.NAN\
                     |[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?)$";
const COMPLEX: &str = "^[-+0-9.eE ]*[ijIJ]?$";
const HANDLE: &str = "^(<Unspecified>|[^/]+(/.+)?)$";
const TID: &str =
    "^[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}$";

/// A pattern for what `gxf::units::parse_period_ns` reads.
const PERIOD: &str = "^[0-9.eE+]+ ?([nN][sS]|[uU][sS]|[mM][sS]|[sS]|[mM][iI][nN]|[hH][zZ])?$";

/// String parameters of our own scheduling terms that hold a period.
const PERIODS: [&str; 2] = ["recess_period", "execution_frequency"];

/// The values that a parameter accepts, with its documentation.
pub fn schema(context: &Context, known: &TypeInfo, spec: &ParameterSpec) -> Value {
    let is_period = known.extension == "StandardExtension" && PERIODS.contains(&&*spec.key);
    let mut schema = if is_period {
        json!({"type": ["string", "number"], "pattern": PERIOD})
    } else {
        element(context, spec)
    };
    // The innermost dimension is the last one.
    for length in spec.shape[..spec.rank as usize].iter().rev() {
        schema = json!({"type": "array", "items": schema});
        if let Ok(length) = u64::try_from(*length) {
            schema["minItems"] = length.into();
            schema["maxItems"] = length.into();
        }
    }
    if !spec.headline.is_empty() {
        schema["title"] = spec.headline.as_str().into();
    }
    schema["description"] = description(context, spec).into();
    if let Some(default) = &spec.default {
        schema["default"] = default_value(default);
    }
    schema
}

fn element(context: &Context, spec: &ParameterSpec) -> Value {
    if !spec.choices.is_empty() {
        return json!({"enum": spec.choices});
    }
    match spec.element {
        ParameterType::BOOL => json!({"type": ["boolean", "string"], "pattern": BOOL}),
        ParameterType::INT8 => integer(spec, i8::MIN.into(), i8::MAX.into()),
        ParameterType::INT16 => integer(spec, i16::MIN.into(), i16::MAX.into()),
        ParameterType::INT32 => integer(spec, i32::MIN.into(), i32::MAX.into()),
        ParameterType::INT64 => integer(spec, i64::MIN.into(), i64::MAX.into()),
        ParameterType::UINT8 => integer(spec, 0, u8::MAX.into()),
        ParameterType::UINT16 => integer(spec, 0, u16::MAX.into()),
        ParameterType::UINT32 => integer(spec, 0, u32::MAX.into()),
        ParameterType::UINT64 => integer(spec, 0, u64::MAX.into()),
        ParameterType::FLOAT32 | ParameterType::FLOAT64 => {
            let mut schema = json!({"type": ["number", "string"], "pattern": FLOAT});
            limit(&mut schema, "minimum", spec.minimum);
            limit(&mut schema, "maximum", spec.maximum);
            schema
        }
        ParameterType::COMPLEX64 | ParameterType::COMPLEX128 => {
            json!({"type": ["number", "string"], "pattern": COMPLEX})
        }
        ParameterType::HANDLE => {
            let mut schema = json!({"type": "string", "pattern": HANDLE});
            if let Some(target) = context.type_info_by_id(spec.handle_tid) {
                // For editors that support it; targets of handles are in other documents.
                schema["patternErrorMessage"] = format!(
                    "expected a component of type {}, as `component` or `entity/component`",
                    target.name
                )
                .into();
            }
            schema
        }
        ParameterType::TID => json!({"type": "string", "pattern": TID}),
        ParameterType::STRING | ParameterType::FILE => {
            json!({"type": ["string", "number", "boolean"]})
        }
        _ => json!({}),
    }
}

/// An integer of a type, within the limits of the parameter.
fn integer(spec: &ParameterSpec, smallest: i128, largest: i128) -> Value {
    let mut schema = json!({"type": ["integer", "string"], "pattern": INTEGER});
    limit(&mut schema, "minimum", spec.minimum.or(Some(Number::Integer(smallest))));
    limit(&mut schema, "maximum", spec.maximum.or(Some(Number::Integer(largest))));
    schema
}

fn limit(schema: &mut Value, key: &str, number: Option<Number>) {
    let number = match number {
        Some(Number::Integer(value)) => serde_json::Number::from_i128(value),
        Some(Number::Float(value)) => serde_json::Number::from_f64(value),
        None => None,
    };
    if let Some(number) = number {
        schema[key] = Value::Number(number);
    }
}

/// The text that an editor shows for the parameter.
fn description(context: &Context, spec: &ParameterSpec) -> String {
    let mut text = spec.description.clone();
    let mut add = |sentence: String| {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&sentence);
    };
    if let Some(target) = context.type_info_by_id(spec.handle_tid) {
        add(format!("A component of type {}.", target.name));
    }
    if let Some(unit) = &spec.unit {
        add(format!("Unit: {unit}."));
    }
    if spec.default.is_none() && spec.flags & PARAMETER_OPTIONAL == 0 {
        add("Mandatory.".to_owned());
    }
    if spec.flags & PARAMETER_DYNAMIC != 0 {
        add("May change while the graph runs.".to_owned());
    }
    text
}
