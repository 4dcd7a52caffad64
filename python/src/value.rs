//! Parameters as Python values.

use gxf::abi::{PARAMETER_DYNAMIC, PARAMETER_OPTIONAL, ParameterType};
use gxf_runtime::Context;
use gxf_runtime::engine::ParameterValue;
use gxf_runtime::graph::infer::infer_value;
use gxf_runtime::graph::yaml::{Kind, Node, parse_value_at};
use gxf_runtime::graph::{ParameterSpec, Source};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyComplex, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// A value of a parameter. Handles are component ids.
pub fn to_python<'py>(py: Python<'py>, value: &ParameterValue) -> PyResult<Bound<'py, PyAny>> {
    match value {
        ParameterValue::Bool(value) => value.into_bound_py_any(py),
        ParameterValue::Int8(value) => value.into_bound_py_any(py),
        ParameterValue::Int16(value) => value.into_bound_py_any(py),
        ParameterValue::Int32(value) => value.into_bound_py_any(py),
        ParameterValue::Int64(value) | ParameterValue::Component(value) => {
            value.into_bound_py_any(py)
        }
        ParameterValue::UInt8(value) => value.into_bound_py_any(py),
        ParameterValue::UInt16(value) => value.into_bound_py_any(py),
        ParameterValue::UInt32(value) => value.into_bound_py_any(py),
        ParameterValue::UInt64(value) => value.into_bound_py_any(py),
        ParameterValue::Float32(value) => value.into_bound_py_any(py),
        ParameterValue::Float64(value) => value.into_bound_py_any(py),
        ParameterValue::String(value)
        | ParameterValue::File(value)
        | ParameterValue::Custom(value) => value.into_bound_py_any(py),
        ParameterValue::Handle(handle) => handle.to_string().into_bound_py_any(py),
        ParameterValue::Tid(tid) => tid.to_string().into_bound_py_any(py),
        ParameterValue::Complex64([real, imaginary]) => {
            Ok(PyComplex::from_doubles(py, f64::from(*real), f64::from(*imaginary)).into_any())
        }
        ParameterValue::Complex128([real, imaginary]) => {
            Ok(PyComplex::from_doubles(py, *real, *imaginary).into_any())
        }
        ParameterValue::List(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(to_python(py, item)?)?;
            }
            Ok(list.into_any())
        }
    }
}

/// Whether a value can be one of a parameter: for those that are texts, the reader would take any value for one.
pub fn fits(spec: &ParameterSpec, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    fn are_texts(value: &Bound<'_, PyAny>, rank: u32) -> PyResult<bool> {
        if rank == 0 {
            let py = value.py();
            return Ok(
                value.is_instance_of::<PyString>() || value.hasattr(intern!(py, "__fspath__"))?
            );
        }
        // What is no list is the reader's to refuse.
        let Ok(items) = value.try_iter() else { return Ok(true) };
        for item in items {
            if !are_texts(&item?, rank - 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
    match spec.element {
        ParameterType::STRING | ParameterType::FILE => are_texts(value, spec.rank),
        _ => Ok(true),
    }
}

/// A Python value as YAML in one line, for the loader's own reader.
pub fn to_yaml(value: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut text = String::new();
    write_yaml(value, &mut text, 0)?;
    Ok(text)
}

fn write_yaml(value: &Bound<'_, PyAny>, text: &mut String, depth: usize) -> PyResult<()> {
    /// As deep as the reader goes.
    const DEEPEST: usize = 64;
    if depth > DEEPEST {
        return Err(PyTypeError::new_err("a parameter is nested too deeply"));
    }
    if value.is_none() {
        text.push('~');
    } else if let Ok(flag) = value.cast::<PyBool>() {
        text.push_str(if flag.is_true() { "true" } else { "false" });
    } else if value.is_instance_of::<PyInt>() {
        // Subclasses, such as enumerations and NumPy's numbers, have texts of their own.
        text.push_str(&value.call_method0("__index__")?.str()?.to_cow()?);
    } else if let Ok(number) = value.cast::<PyFloat>() {
        write_float(value.py(), number.value(), text)?;
    } else if let Ok(number) = value.cast::<PyComplex>() {
        write_float(value.py(), number.real(), text)?;
        text.push_str(if number.imag().is_sign_negative() { "-" } else { "+" });
        write_float(value.py(), number.imag().abs(), text)?;
        text.push('j');
    } else if let Ok(string) = value.cast::<PyString>() {
        text.push_str(&serde_json::to_string(&*string.to_cow()?).unwrap_or_default());
    } else if let Ok(mapping) = value.cast::<PyDict>() {
        text.push('{');
        for (index, (key, item)) in mapping.iter().enumerate() {
            if index > 0 {
                text.push_str(", ");
            }
            write_yaml(&key.str()?.into_any(), text, depth + 1)?;
            text.push_str(": ");
            write_yaml(&item, text, depth + 1)?;
        }
        text.push('}');
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        text.push('[');
        for (index, item) in value.try_iter()?.enumerate() {
            if index > 0 {
                text.push_str(", ");
            }
            write_yaml(&item?, text, depth + 1)?;
        }
        text.push(']');
    } else if let Ok(plain) = value.call_method0("tolist") {
        // An array or a scalar of NumPy, and what follows it.
        write_yaml(&plain, text, depth + 1)?;
    } else if let Ok(path) = value.call_method0("__fspath__") {
        write_yaml(&path, text, depth + 1)?;
    } else {
        return Err(PyTypeError::new_err(format!(
            "a parameter cannot be a `{}`",
            value.get_type().name()?
        )));
    }
    Ok(())
}

fn write_float(py: Python<'_>, number: f64, text: &mut String) -> PyResult<()> {
    match number {
        _ if number.is_nan() => text.push_str(".nan"),
        f64::INFINITY => text.push_str(".inf"),
        f64::NEG_INFINITY => text.push_str("-.inf"),
        _ => text.push_str(&PyFloat::new(py, number).repr()?.to_cow()?),
    }
    Ok(())
}

/// The value of a YAML text.
#[pyfunction]
pub fn parse_yaml<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    let source = Source::new("<text>", text);
    let node = parse_value_at(&source, 0);
    let node = node.map_err(|problem| PyValueError::new_err(problem.message))?;
    of_node(py, &node)
}

/// YAML in one line for a value.
#[pyfunction(name = "to_yaml")]
pub fn yaml_of(value: &Bound<'_, PyAny>) -> PyResult<String> {
    to_yaml(value)
}

fn of_node<'py>(py: Python<'py>, node: &Node) -> PyResult<Bound<'py, PyAny>> {
    match &node.kind {
        _ if node.is_null() => Ok(py.None().into_bound(py)),
        Kind::Scalar { value, plain: true } if node.tag.is_none() && is_integer(value) => {
            py.get_type::<PyInt>().call1((value.trim_end(), 0))
        }
        Kind::Scalar { .. } => to_python(py, &infer_value(node)),
        Kind::Sequence(items) => {
            let list = PyList::empty(py);
            for item in items {
                list.append(of_node(py, item)?)?;
            }
            Ok(list.into_any())
        }
        Kind::Mapping(pairs) => {
            let mapping = PyDict::new(py);
            for (key, value) in pairs {
                mapping.set_item(key.as_text().unwrap_or_default(), of_node(py, value)?)?;
            }
            Ok(mapping.into_any())
        }
    }
}

/// Whether a text is an integer, which may be any one in Python.
fn is_integer(text: &str) -> bool {
    let text = text.trim_end();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    // A number that begins with 0 is octal in YAML 1.1, and none in Python.
    let (radix, digits) = match digits.get(..2) {
        Some("0x" | "0X") => (16, &digits[2..]),
        Some("0o" | "0O") => (8, &digits[2..]),
        _ if digits.starts_with('0') => return false,
        _ => (10, digits),
    };
    !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
}

/// GXF's name of an element type.
pub fn type_name(element: ParameterType) -> &'static str {
    match element {
        ParameterType::BOOL => "GXF_PARAMETER_TYPE_BOOL",
        ParameterType::INT8 => "GXF_PARAMETER_TYPE_INT8",
        ParameterType::INT16 => "GXF_PARAMETER_TYPE_INT16",
        ParameterType::INT32 => "GXF_PARAMETER_TYPE_INT32",
        ParameterType::INT64 => "GXF_PARAMETER_TYPE_INT64",
        ParameterType::UINT8 => "GXF_PARAMETER_TYPE_UINT8",
        ParameterType::UINT16 => "GXF_PARAMETER_TYPE_UINT16",
        ParameterType::UINT32 => "GXF_PARAMETER_TYPE_UINT32",
        ParameterType::UINT64 => "GXF_PARAMETER_TYPE_UINT64",
        ParameterType::FLOAT32 => "GXF_PARAMETER_TYPE_FLOAT32",
        ParameterType::FLOAT64 => "GXF_PARAMETER_TYPE_FLOAT64",
        ParameterType::STRING => "GXF_PARAMETER_TYPE_STRING",
        ParameterType::HANDLE => "GXF_PARAMETER_TYPE_HANDLE",
        ParameterType::FILE => "GXF_PARAMETER_TYPE_FILE",
        ParameterType::COMPLEX64 => "GXF_PARAMETER_TYPE_COMPLEX64",
        ParameterType::COMPLEX128 => "GXF_PARAMETER_TYPE_COMPLEX128",
        _ => "GXF_PARAMETER_TYPE_CUSTOM",
    }
}

/// The description of a parameter.
pub fn describe<'py>(
    py: Python<'py>,
    context: &Context,
    spec: &ParameterSpec,
) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("key", &spec.key)?;
    described.set_item("headline", &spec.headline)?;
    described.set_item("description", &spec.description)?;
    described.set_item("unit", &spec.unit)?;
    described.set_item("type", type_name(spec.element))?;
    described.set_item("rank", spec.rank)?;
    described.set_item("shape", &spec.shape[..spec.rank as usize])?;
    described.set_item("optional", spec.flags & PARAMETER_OPTIONAL != 0)?;
    described.set_item("dynamic", spec.flags & PARAMETER_DYNAMIC != 0)?;
    let target = context.type_info_by_id(spec.handle_tid);
    described.set_item("handle_type", target.map(|target| target.name.clone()))?;
    let default = spec.default.as_ref().map(|value| to_python(py, value)).transpose()?;
    described.set_item("default", default)?;
    described.set_item("choices", &spec.choices)?;
    Ok(described)
}
