//! Extensions and types as dictionaries.

use crate::value;
use gxf_runtime::Context;
use gxf_runtime::extension::{ExtensionInfo, TypeInfo};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// The description of an extension.
pub fn extension<'py>(
    py: Python<'py>,
    context: &Context,
    info: &ExtensionInfo,
) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("id", info.tid.to_string())?;
    described.set_item("name", &info.name)?;
    described.set_item("display_name", &info.display_name)?;
    described.set_item("category", &info.category)?;
    described.set_item("brief", &info.brief)?;
    described.set_item("description", &info.description)?;
    described.set_item("version", &info.version)?;
    described.set_item("author", &info.author)?;
    described.set_item("license", &info.license)?;
    described.set_item("path", &info.path)?;
    let types = info.types.iter().filter_map(|tid| context.type_info_by_id(*tid));
    let names: Vec<_> = types.map(|known| known.name.clone()).collect();
    described.set_item("types", names)?;
    Ok(described)
}

/// The description of a type.
pub fn component_type<'py>(
    py: Python<'py>,
    context: &Context,
    info: &TypeInfo,
) -> PyResult<Bound<'py, PyDict>> {
    let described = PyDict::new(py);
    described.set_item("id", info.tid.to_string())?;
    described.set_item("name", &info.name)?;
    described.set_item("display_name", &info.display_name)?;
    described.set_item("brief", &info.brief)?;
    described.set_item("description", &info.description)?;
    described.set_item("extension", &info.extension)?;
    described.set_item("is_abstract", info.is_abstract())?;
    described.set_item("is_component", info.is_component())?;
    let bases = info.lineage.iter().skip(1).filter_map(|tid| context.type_info_by_id(*tid));
    described.set_item("bases", bases.map(|base| base.name.clone()).collect::<Vec<_>>())?;
    let parameters = PyList::empty(py);
    for spec in &info.parameters {
        parameters.append(value::describe(py, context, spec)?)?;
    }
    described.set_item("parameters", parameters)?;
    Ok(described)
}
