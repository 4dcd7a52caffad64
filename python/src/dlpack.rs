//! DLPack's capsules: tensors from and to other array libraries, without a copy.

#![expect(unsafe_code, reason = "DLPack passes structures in capsules")]

use crate::error;
use crate::fenced::Fenced;
use gxf::Tensor;
use gxf::tensor::{DLManagedTensor, DLManagedTensorVersioned};
use gxf_device::{Device, Stream};
use pyo3::exceptions::{PyBufferError, PyTypeError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyDict};
use std::ffi::CStr;
use std::ptr::NonNull;

/// Kinds of memory.
pub const CPU: i32 = 1;
pub const CUDA: i32 = 2;
pub const CUDA_MANAGED: i32 = 13;

/// The flag of a copy.
const COPIED: u64 = 2;

const PLAIN: &CStr = c"dltensor";
const VERSIONED: &CStr = c"dltensor_versioned";
const USED_PLAIN: &CStr = c"used_dltensor";
const USED_VERSIONED: &CStr = c"used_dltensor_versioned";

/// Where the memory of a tensor is.
#[pyclass(frozen, get_all, module = "gxe._gxe")]
pub struct DLDevice {
    /// Kind of memory.
    pub device_type: i32,
    /// Number of the device.
    pub device_id: i32,
}

#[pymethods]
impl DLDevice {
    fn __repr__(&self) -> String {
        format!("<gxe.DLDevice: type {}, id {}>", self.device_type, self.device_id)
    }
}

/// Releases what no consumer took.
unsafe extern "C" fn drop_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls this once, with the capsule. A consumer that took the structure gave the
    // capsule another name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) != 0 {
            let managed: *mut DLManagedTensorVersioned =
                ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr()).cast();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        } else if ffi::PyCapsule_IsValid(capsule, PLAIN.as_ptr()) != 0 {
            let managed: *mut DLManagedTensor =
                ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr()).cast();
            if let Some(deleter) = (*managed).deleter {
                deleter(managed);
            }
        }
    }
}

/// A capsule with a tensor, in the form of DLPack 1.0 if the consumer knows it, which says whether the tensor
/// is a copy for the consumer alone.
pub fn export(
    py: Python<'_>,
    tensor: Tensor,
    versioned: bool,
    is_copied: bool,
) -> PyResult<Bound<'_, PyAny>> {
    let refused = |error: gxf::Error| PyBufferError::new_err(error.to_string());
    let (pointer, name) = if versioned {
        let managed = tensor.into_dlpack_versioned().map_err(refused)?;
        if is_copied {
            // SAFETY: just exported, and nobody else has it yet.
            unsafe { (*managed.as_ptr()).flags |= COPIED };
        }
        (managed.cast(), VERSIONED)
    } else {
        (tensor.into_dlpack().map_err(refused)?.cast(), PLAIN)
    };
    // SAFETY: the name is static, and the destructor knows both forms.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer.as_ptr(), name.as_ptr(), Some(drop_capsule));
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}

/// A tensor over the memory of an object with `__dlpack__`.
pub fn import(object: &Bound<'_, PyAny>) -> PyResult<Fenced<gxf::Tensor>> {
    let method = object.getattr(intern!(object.py(), "__dlpack__"))?;
    import_from(object, &method)
}

/// As `import`; `None` for an object without `__dlpack__`.
pub fn import_if_any(object: &Bound<'_, PyAny>) -> PyResult<Option<Fenced<gxf::Tensor>>> {
    let method = object.getattr_opt(intern!(object.py(), "__dlpack__"))?;
    method.map(|method| import_from(object, &method)).transpose()
}

/// The device of an object's memory, unless that is the host's.
fn device_of(object: &Bound<'_, PyAny>) -> PyResult<Option<i32>> {
    let py = object.py();
    // Objects from before DLPack 0.6 do not say.
    let Some(method) = object.getattr_opt(intern!(py, "__dlpack_device__"))? else {
        return Ok(None);
    };
    let (kind, number): (i32, i32) = method.call0()?.extract()?;
    Ok([CUDA, CUDA_MANAGED].contains(&kind).then_some(number))
}

/// A tensor over the memory that the method `__dlpack__` of an object hands out.
fn import_from(
    object: &Bound<'_, PyAny>,
    method: &Bound<'_, PyAny>,
) -> PyResult<Fenced<gxf::Tensor>> {
    static VERSIONED_ARGUMENT: PyOnceLock<Py<PyDict>> = PyOnceLock::new();
    let py = method.py();
    let versioned = VERSIONED_ARGUMENT.get_or_try_init(py, || {
        let arguments = PyDict::new(py);
        arguments.set_item("max_version", (1, 0))?;
        PyResult::Ok(arguments.unbind())
    })?;
    let Some(device) = device_of(object)? else {
        let capsule = match method.call((), Some(versioned.bind(py))) {
            // A library from before DLPack 1.0.
            Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call0(),
            answer => answer,
        }?;
        return take(&capsule).map(Fenced::from);
    };
    // The producer makes this stream wait; what it then has is the point at which the data is valid.
    let failed = |error: gxf::Error| error::of_sdk(py, &error);
    let stream = Device::get(device).and_then(Device::new_stream).map_err(failed)?;
    let arguments = PyDict::new(py);
    arguments.set_item("stream", number_of(&stream))?;
    let all = arguments.copy()?;
    all.set_item("max_version", (1, 0))?;
    let capsule = match method.call((), Some(&all)) {
        Err(error) if error.is_instance_of::<PyTypeError>(py) => method.call((), Some(&arguments)),
        answer => answer,
    }?;
    let tensor = take(&capsule)?;
    let ready = vec![stream.record().map_err(failed)?];
    Ok(Fenced { payload: tensor, ready })
}

/// A stream, as DLPack names it.
fn number_of(stream: &Stream) -> usize {
    stream.handle().as_ptr().expose_provenance()
}

/// Takes the tensor out of a capsule.
fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = capsule.py();
    let capsule = capsule.cast::<PyCapsule>()?.as_ptr();
    // SAFETY: the name says what the capsule holds. It is renamed first, so that nobody else
    // releases the structure, and the tensor owns it from then on.
    let tensor = unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) != 0 {
            let pointer = ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr());
            ffi::PyCapsule_SetName(capsule, USED_VERSIONED.as_ptr());
            let managed = NonNull::new(pointer.cast()).ok_or_else(|| PyErr::fetch(py))?;
            Tensor::from_dlpack_versioned(managed)
        } else if ffi::PyCapsule_IsValid(capsule, PLAIN.as_ptr()) != 0 {
            let pointer = ffi::PyCapsule_GetPointer(capsule, PLAIN.as_ptr());
            ffi::PyCapsule_SetName(capsule, USED_PLAIN.as_ptr());
            let managed = NonNull::new(pointer.cast()).ok_or_else(|| PyErr::fetch(py))?;
            Tensor::from_dlpack(managed)
        } else {
            return Err(PyBufferError::new_err("the capsule holds no tensor, or it was taken"));
        }
    };
    tensor.map_err(|error| error::of_sdk(py, &error))
}
