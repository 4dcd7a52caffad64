//! NumPy's C API, if NumPy can be imported: the quickest way to an array over foreign memory.

#![expect(unsafe_code, reason = "calls NumPy's C API through its table of functions")]

use gxf::PrimitiveType;
use pyo3::exceptions::{PyBufferError, PyImportError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyCapsule;
use std::ffi::{c_int, c_void};

type New = unsafe extern "C" fn(
    *mut ffi::PyTypeObject,
    c_int,
    *const isize,
    c_int,
    *const isize,
    *mut c_void,
    c_int,
    c_int,
    *mut ffi::PyObject,
) -> *mut ffi::PyObject;
type SetBase = unsafe extern "C" fn(*mut ffi::PyObject, *mut ffi::PyObject) -> c_int;

/// The functions taken from NumPy's table; their positions are part of NumPy's ABI, 1.x and 2.x.
#[derive(Clone, Copy)]
struct Api {
    array_type: *mut ffi::PyTypeObject,
    new: New,
    set_base: SetBase,
}

// SAFETY: the pointers lead to NumPy's code and static data, which are never unloaded.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

fn api(py: Python<'_>) -> PyResult<Api> {
    static API: PyOnceLock<Api> = PyOnceLock::new();
    API.get_or_try_init(py, || {
        let module = py
            .import("numpy._core._multiarray_umath")
            .or_else(|_| py.import("numpy.core._multiarray_umath"))
            .map_err(|_| PyImportError::new_err("`Tensor.numpy` needs NumPy: pip install numpy"))?;
        let capsule = module.getattr("_ARRAY_API")?.cast_into::<PyCapsule>()?;
        let table: *const *mut c_void = capsule.pointer_checked(None)?.as_ptr().cast();
        // SAFETY: the capsule holds NumPy's table, which has these entries at these positions.
        unsafe {
            Ok(Api {
                array_type: (*table.add(2)).cast(),
                new: std::mem::transmute::<*mut c_void, New>(*table.add(93)),
                set_base: std::mem::transmute::<*mut c_void, SetBase>(*table.add(282)),
            })
        }
    })
    .copied()
}

/// NumPy's number of an element type.
fn type_number(element_type: PrimitiveType) -> Option<c_int> {
    Some(match element_type {
        PrimitiveType::INT8 => 1,
        PrimitiveType::UNSIGNED8 => 2,
        PrimitiveType::INT16 => 3,
        PrimitiveType::UNSIGNED16 => 4,
        PrimitiveType::INT32 => 5,
        PrimitiveType::UNSIGNED32 => 6,
        PrimitiveType::INT64 => 7,
        PrimitiveType::UNSIGNED64 => 8,
        PrimitiveType::FLOAT32 => 11,
        PrimitiveType::FLOAT64 => 12,
        PrimitiveType::COMPLEX64 => 14,
        PrimitiveType::COMPLEX128 => 15,
        PrimitiveType::FLOAT16 => 23,
        _ => return None,
    })
}

/// An array over memory that `owner` keeps.
///
/// # Safety
/// The dimensions and strides (in bytes) must stay within host memory at `data`, valid while `owner`
/// lives, and writable by Python alone if `writable`.
pub unsafe fn array<'py>(
    py: Python<'py>,
    element_type: PrimitiveType,
    dimensions: &[isize],
    strides: &[isize],
    data: *mut c_void,
    writable: bool,
    owner: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    const ALIGNED: c_int = 0x100;
    const WRITEABLE: c_int = 0x400;
    let api = api(py)?;
    let number = type_number(element_type).ok_or_else(|| {
        PyBufferError::new_err(format!("NumPy has no type for {} elements", element_type.name()))
    })?;
    let flags = ALIGNED | if writable { WRITEABLE } else { 0 };
    // SAFETY: the caller promises the memory. On success the array is new, and takes the reference
    // to its owner.
    unsafe {
        let array = (api.new)(
            api.array_type,
            dimensions.len() as c_int,
            dimensions.as_ptr(),
            number,
            strides.as_ptr(),
            data,
            0,
            flags,
            std::ptr::null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, array)?;
        if (api.set_base)(array.as_ptr(), owner.into_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(array)
    }
}
