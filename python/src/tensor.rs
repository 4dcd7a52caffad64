//! Tensors as Python objects: shared with array libraries by DLPack, by the array interface and,
//! from Python 3.11 on, as buffers.

#![expect(unsafe_code, reason = "wraps memory that Python objects own, and shows ours to Python")]

use crate::fenced::Fenced;
use crate::interpreter::lock;
use crate::{dlpack, error, numpy};
use gxf::{MemoryBuffer, PrimitiveType, RawStream, ResultCode, Shape, StorageType};
use gxf_device::{Device, Fence, Stream, Use};
use parking_lot::Mutex;
use pyo3::exceptions::{PyBufferError, PyTypeError, PyValueError};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple, PyType};
use std::sync::OnceLock;

/// An array of numbers that messages carry.
#[pyclass(frozen, module = "gxe._gxe", weakref)]
pub struct Tensor {
    tensor: Mutex<gxf::Tensor>,
    /// The points in the work of a device behind which the elements are valid.
    ready: Vec<Fence>,
    /// What `numpy` returned. It refers to the memory and not to this object.
    array: OnceLock<Py<PyAny>>,
}

/// Element types with their names in Python and in array interfaces.
const TYPES: [(PrimitiveType, &str, &str); 13] = [
    (PrimitiveType::INT8, "int8", "|i1"),
    (PrimitiveType::INT16, "int16", "<i2"),
    (PrimitiveType::INT32, "int32", "<i4"),
    (PrimitiveType::INT64, "int64", "<i8"),
    (PrimitiveType::UNSIGNED8, "uint8", "|u1"),
    (PrimitiveType::UNSIGNED16, "uint16", "<u2"),
    (PrimitiveType::UNSIGNED32, "uint32", "<u4"),
    (PrimitiveType::UNSIGNED64, "uint64", "<u8"),
    (PrimitiveType::FLOAT16, "float16", "<f2"),
    (PrimitiveType::FLOAT32, "float32", "<f4"),
    (PrimitiveType::FLOAT64, "float64", "<f8"),
    (PrimitiveType::COMPLEX64, "complex64", "<c8"),
    (PrimitiveType::COMPLEX128, "complex128", "<c16"),
];

fn of_name(name: &str) -> PyResult<PrimitiveType> {
    let found = TYPES.iter().find(|(_, known, text)| *known == name || *text == name);
    found.map(|(element_type, ..)| *element_type).ok_or_else(|| {
        let names: Vec<_> = TYPES.iter().map(|(_, known, _)| *known).collect();
        PyTypeError::new_err(format!("`{name}` is not one of {}", names.join(", ")))
    })
}

/// The element type that a name, a dtype or a type of numbers stands for.
fn of_dtype(dtype: &Bound<'_, PyAny>) -> PyResult<PrimitiveType> {
    if let Ok(name) = dtype.cast::<PyString>() {
        return of_name(&name.to_cow()?);
    }
    if let Ok(kind) = dtype.cast::<PyType>() {
        let name = kind.name()?;
        return match &*name.to_cow()? {
            "float" => Ok(PrimitiveType::FLOAT64),
            "int" => Ok(PrimitiveType::INT64),
            "complex" => Ok(PrimitiveType::COMPLEX128),
            name => of_name(name),
        };
    }
    // That of NumPy says the order of bytes, too; those of others are such as `torch.float32`.
    let text =
        dtype.getattr_opt("str")?.map_or_else(|| dtype.str(), |text| Ok(text.cast_into()?))?;
    let text = text.to_cow()?;
    of_name(text.rsplit('.').next().unwrap_or(&text))
}

/// Whether a name is one of an element type.
pub fn is_known_type(name: &str) -> bool {
    of_name(name).is_ok()
}

impl Tensor {
    /// The Python object of a tensor.
    pub fn of(tensor: gxf::Tensor) -> Self {
        Self::of_fenced(tensor.into())
    }

    fn of_fenced(Fenced { payload: tensor, ready }: Fenced<gxf::Tensor>) -> Self {
        Self { tensor: Mutex::new(tensor), ready, array: OnceLock::new() }
    }

    /// A tensor of a message, which it keeps alive.
    pub fn of_message(message: &gxf::Message, name: &str) -> gxf::Result<Self> {
        let tensor = gxf::Tensor::of_message(message, name)?;
        let ready = message.find_all::<Fence>().cloned().collect();
        Ok(Self::of_fenced(Fenced { payload: tensor, ready }))
    }

    /// Elements at an offset in the memory of a payload of a message, read only. They keep the message
    /// alive. Strides and offset are in bytes.
    pub fn of_part(
        message: &gxf::Message,
        (memory, offset): (&MemoryBuffer, u64),
        shape: &[i32],
        strides: &[u64],
        element_type: PrimitiveType,
    ) -> gxf::Result<Self> {
        let (pointer, size, owner) = (memory.pointer(), memory.size(), message.clone());
        // SAFETY: the memory is that of a payload, which the message keeps and nobody changes.
        let mut part = unsafe {
            MemoryBuffer::wrap(pointer, size, memory.storage_type(), move |_| drop(owner))
        };
        part.set_device(u8::try_from(memory.device()).unwrap_or_default());
        part.set_read_only();
        let part = part.narrow(offset, size.saturating_sub(offset))?;
        let mut known = [0; gxf::abi::MAX_RANK];
        known[..strides.len()].copy_from_slice(strides);
        let (shape, size) = (Shape::new(shape)?, element_type.size());
        let tensor = gxf::Tensor::from_memory(shape, element_type, size, Some(known), part)?;
        let ready = message.find_all::<Fence>().cloned().collect();
        Ok(Self::of_fenced(Fenced { payload: tensor, ready }))
    }

    /// Another tensor with the same memory.
    pub fn share(&self, py: Python<'_>) -> PyResult<gxf::Tensor> {
        lock(&self.tensor).share().map_err(|error| error::of_sdk(py, &error))
    }

    /// Another tensor with the same memory, as array libraries see it: for them, a tensor of rank 0 would
    /// have an element.
    fn shown(&self, py: Python<'_>) -> PyResult<gxf::Tensor> {
        let shared = self.share(py)?;
        if shared.rank() > 0 {
            return Ok(shared);
        }
        let (element_type, size) = (shared.element_type(), shared.bytes_per_element());
        let empty = Shape::new(&[0]).and_then(|shape| {
            gxf::Tensor::from_memory(shape, element_type, size, None, shared.into_memory())
        });
        empty.map_err(|error| error::of_sdk(py, &error))
    }

    /// Another tensor with the same memory, for a message.
    fn give(&self, py: Python<'_>) -> PyResult<Fenced<gxf::Tensor>> {
        Ok(Fenced { payload: self.share(py)?, ready: self.ready.clone() })
    }

    /// Makes a consumer's stream wait, on the device, until the elements are valid and nobody else
    /// needs what it may change. No thread waits. The numbers are DLPack's.
    fn order(&self, py: Python<'_>, stream: Option<i64>) -> PyResult<()> {
        const LEGACY: i64 = 1;
        let handle = match stream.unwrap_or(LEGACY) {
            -1 => return Ok(()),
            0 => {
                return Err(PyValueError::new_err(
                    "stream 0 may mean two streams: 1 is the legacy default stream, 2 that of the \
                     thread",
                ));
            }
            handle => usize::try_from(handle).map_err(|_| {
                PyValueError::new_err(format!("{handle} is no stream; -1 stands for none"))
            })?,
        };
        let tensor = lock(&self.tensor);
        let memory = tensor.memory();
        let ordered = || {
            // SAFETY: a consumer passes a stream that is alive during the call.
            let raw = unsafe { RawStream::new(std::ptr::with_exposed_provenance_mut(handle)) };
            let stream = Stream::adopt(Device::get(memory.device())?, raw);
            self.ready.iter().try_for_each(|fence| stream.wait(fence))?;
            let of = Use::of(memory, !memory.is_read_only());
            of.map_or(Ok(()), |of| of.begin(&stream))
        };
        ordered().map_err(|error| error::of_sdk(py, &error))
    }

    /// Fails unless the elements are in memory that the processor reads.
    fn check_host(&self) -> PyResult<()> {
        match lock(&self.tensor).storage_type() {
            StorageType::HOST | StorageType::SYSTEM => Ok(()),
            _ => Err(PyBufferError::new_err(
                "the tensor is in the memory of a device; let a nvidia::gxf::TensorCopier with \
                 `mode: 1` bring it to the host before this codelet, or read it there with CuPy or \
                 PyTorch (`cupy.from_dlpack(tensor)`, `torch.from_dlpack(tensor)`)",
            )),
        }
    }
}

#[pymethods]
impl Tensor {
    /// A tensor over the memory of an array, which is not copied. Truth values become `uint8`, and an
    /// array without dimensions has the shape `(1,)`. Arrays with a mask, which would be lost, are refused,
    /// and so are those that run backwards.
    #[staticmethod]
    fn as_tensor(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        from_any(object).map(Self::of_fenced)
    }

    /// A tensor over the memory of an object with `__dlpack__`. What a device still does with it comes
    /// first, on the device.
    #[staticmethod]
    fn from_dlpack(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        dlpack::import(object).map(Self::of_fenced)
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, lock(&self.tensor).shape().dimensions())
    }

    /// Distances between neighbouring elements in bytes.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, lock(&self.tensor).strides())
    }

    #[getter]
    fn ndim(&self) -> usize {
        lock(&self.tensor).rank()
    }

    /// Number of elements.
    #[getter]
    fn size(&self, py: Python<'_>) -> PyResult<u64> {
        lock(&self.tensor).element_count().map_err(|error| error::of_sdk(py, &error))
    }

    #[getter]
    fn itemsize(&self) -> u64 {
        lock(&self.tensor).bytes_per_element()
    }

    #[getter]
    fn nbytes(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.size(py)? * self.itemsize())
    }

    /// Name of the element type, such as `float32`.
    #[getter]
    fn dtype(&self) -> &'static str {
        let element_type = lock(&self.tensor).element_type();
        let found = TYPES.iter().find(|(known, ..)| *known == element_type);
        found.map_or_else(|| element_type.name(), |(_, name, _)| name)
    }

    /// Number of the element type in GXF.
    #[getter]
    fn element_type(&self) -> i32 {
        lock(&self.tensor).element_type().0
    }

    /// `host` (pinned), `device`, `managed` or `system`.
    #[getter]
    fn storage(&self) -> &'static str {
        match lock(&self.tensor).storage_type() {
            StorageType::HOST => "host",
            StorageType::DEVICE => "device",
            StorageType::CUDA_MANAGED => "managed",
            _ => "system",
        }
    }

    /// Address of the first element.
    #[getter]
    fn data(&self) -> usize {
        lock(&self.tensor).pointer().addr()
    }

    /// Whether the elements cannot be changed, as those of a received message.
    #[getter]
    fn readonly(&self) -> bool {
        lock(&self.tensor).memory().is_read_only()
    }

    /// A NumPy array over the same memory: always the same object.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        if let Some(array) = self.array.get() {
            return Ok(array.bind(py).clone());
        }
        self.check_host()?;
        let shared = self.shown(py)?;
        let number = |number: u64| isize::try_from(number).unwrap_or(isize::MAX);
        let rank = shared.rank();
        let mut dimensions = [0isize; gxf::abi::MAX_RANK];
        let mut strides = [0isize; gxf::abi::MAX_RANK];
        for (index, length) in shared.shape().dimensions().iter().enumerate() {
            dimensions[index] = *length as isize;
            strides[index] = number(shared.strides()[index]);
        }
        let (pointer, element_type) = (shared.pointer(), shared.element_type());
        let writable = !shared.memory().is_read_only();
        // SAFETY: a tensor's shape and strides stay within its memory, which `owner` keeps.
        let array = unsafe {
            let (dimensions, strides) = (&dimensions[..rank], &strides[..rank]);
            let owner = keeping(py, shared.into_memory())?;
            numpy::array(py, element_type, dimensions, strides, pointer.cast(), writable, owner)
        }?;
        // This waits for nobody, so it keeps the interpreter's lock.
        Ok(self.array.get_or_init(|| array.unbind()).bind(py).clone())
    }

    #[pyo3(signature = (*, stream = None, max_version = None, dl_device = None, copy = None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<i64>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if dl_device.is_some_and(|device| device != self.__dlpack_device__()) {
            return Err(PyBufferError::new_err("the tensor is on another device"));
        }
        let is_copied = copy == Some(true);
        let tensor = if is_copied { self.copy(py)?.shown(py)? } else { self.shown(py)? };
        // Elements in host memory are complete.
        if self.__dlpack_device__().0 != dlpack::CPU {
            self.order(py, stream)?;
        }
        let is_versioned = max_version.is_some_and(|(major, _)| major >= 1);
        dlpack::export(py, tensor, is_versioned, is_copied)
    }

    /// Where the memory is, in the terms of DLPack.
    #[getter]
    fn device(&self) -> dlpack::DLDevice {
        let (device_type, device_id) = self.__dlpack_device__();
        dlpack::DLDevice { device_type, device_id }
    }

    /// Whether the elements lie side by side, last dimension innermost.
    fn is_contiguous(&self) -> bool {
        lock(&self.tensor).is_contiguous()
    }

    fn __dlpack_device__(&self) -> (i32, i32) {
        let tensor = lock(&self.tensor);
        match tensor.storage_type() {
            StorageType::DEVICE => (dlpack::CUDA, tensor.memory().device()),
            StorageType::CUDA_MANAGED => (dlpack::CUDA_MANAGED, tensor.memory().device()),
            _ => (dlpack::CPU, 0),
        }
    }

    #[getter]
    fn __array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.check_host()?;
        let element_type = lock(&self.tensor).element_type();
        let found = TYPES.iter().find(|(known, ..)| *known == element_type);
        let (.., text) =
            found.ok_or_else(|| PyBufferError::new_err("array interfaces have no such type"))?;
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("typestr", text)?;
        let shown = self.shown(py)?;
        interface.set_item("shape", PyTuple::new(py, shown.shape().dimensions())?)?;
        interface.set_item("strides", PyTuple::new(py, shown.strides())?)?;
        interface.set_item("data", (self.data(), self.readonly()))?;
        Ok(interface)
    }

    /// A tensor with its own copy of the elements, which may be changed.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.copied(py).map(Self::of)
    }

    /// The elements as bytes, last dimension innermost.
    fn tobytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_host()?;
        let bytes = dense_bytes(&lock(&self.tensor)).map_err(|error| error::of_sdk(py, &error))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __len__(&self) -> PyResult<usize> {
        let first = lock(&self.tensor).shape().dimensions().first().copied();
        first
            .map(|length| usize::try_from(length).unwrap_or_default())
            .ok_or_else(|| PyTypeError::new_err("a tensor without dimensions has no length"))
    }

    fn __repr__(&self) -> String {
        format!("<gxe.Tensor: {}>", lock(&self.tensor))
    }

    #[cfg(feature = "buffers")]
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut pyo3::ffi::Py_buffer,
        flags: std::ffi::c_int,
    ) -> PyResult<()> {
        // SAFETY: Python passes a view to fill.
        unsafe { buffer::fill(slf, view, flags) }
    }

    #[cfg(feature = "buffers")]
    unsafe fn __releasebuffer__(&self, view: *mut pyo3::ffi::Py_buffer) {
        // SAFETY: Python passes a view that `fill` filled, once.
        unsafe { buffer::release(view) };
    }
}

/// A capsule that keeps memory: the cheapest object that can.
fn keeping(py: Python<'_>, memory: MemoryBuffer) -> PyResult<Bound<'_, PyAny>> {
    unsafe extern "C" fn release(capsule: *mut ffi::PyObject) {
        // SAFETY: Python calls this once, with the capsule that has the box.
        drop(unsafe {
            let pointer = ffi::PyCapsule_GetPointer(capsule, std::ptr::null());
            Box::from_raw(pointer.cast::<MemoryBuffer>())
        });
    }
    let pointer = Box::into_raw(Box::new(memory));
    // SAFETY: the pointer is not null. On failure the box is still ours.
    unsafe {
        let capsule = ffi::PyCapsule_New(pointer.cast(), std::ptr::null(), Some(release));
        Bound::from_owned_ptr_or_err(py, capsule).inspect_err(|_| drop(Box::from_raw(pointer)))
    }
}

impl Tensor {
    fn copied(&self, py: Python<'_>) -> PyResult<gxf::Tensor> {
        self.check_host()?;
        dense(&lock(&self.tensor)).map_err(|error| error::of_sdk(py, &error))
    }
}

/// A copy of a tensor, whose elements lie side by side.
pub fn dense(tensor: &gxf::Tensor) -> gxf::Result<gxf::Tensor> {
    let bytes = dense_bytes(tensor)?;
    let mut memory = aligned(bytes.len())?;
    memory.bytes_mut()?[..bytes.len()].copy_from_slice(&bytes);
    let (shape, size) = (*tensor.shape(), tensor.bytes_per_element());
    gxf::Tensor::from_memory(shape, tensor.element_type(), size, None, memory)
}

/// Zeros, for elements of every type.
pub fn zeroed(size: u64) -> gxf::Result<MemoryBuffer> {
    aligned(usize::try_from(size).map_err(|_| gxf::Error::from(ResultCode::OUT_OF_MEMORY))?)
}

/// The elements, last dimension innermost.
fn dense_bytes(tensor: &gxf::Tensor) -> gxf::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    tensor.for_each_run(&mut |run| {
        bytes.try_reserve(run.len()).map_err(|_| gxf::Error::from(ResultCode::OUT_OF_MEMORY))?;
        bytes.extend_from_slice(run);
        Ok(())
    })?;
    Ok(bytes)
}

/// Zeros, at an address that suits elements of every type.
fn aligned(size: usize) -> gxf::Result<MemoryBuffer> {
    let mut words: Vec<u64> = Vec::new();
    let count = size.div_ceil(size_of::<u64>());
    words.try_reserve_exact(count).map_err(|_| gxf::Error::from(ResultCode::OUT_OF_MEMORY))?;
    words.resize(count, 0);
    Ok(MemoryBuffer::from_vec(words))
}

/// A tensor of zeros in memory of its own. The strides, in bytes, are those of contiguous elements
/// unless stated; elements of the type `custom` have the size `itemsize`, in bytes.
#[pyfunction]
#[pyo3(signature = (shape, dtype = None, *, strides = None, itemsize = None))]
pub fn allocate(
    shape: &Bound<'_, PyAny>,
    dtype: Option<&Bound<'_, PyAny>>,
    strides: Option<Vec<u64>>,
    itemsize: Option<u64>,
) -> PyResult<Tensor> {
    let py = shape.py();
    let is_custom = |dtype: &Bound<'_, PyAny>| dtype.eq(PrimitiveType::CUSTOM.name());
    let element_type = match dtype {
        None => PrimitiveType::FLOAT32,
        Some(dtype) if itemsize.is_some() && is_custom(dtype)? => PrimitiveType::CUSTOM,
        Some(dtype) => of_dtype(dtype)?,
    };
    let size = itemsize.unwrap_or_else(|| element_type.size());
    let failed = |error: gxf::Error| error::of_sdk(py, &error);
    // Asked first, because an attempt that fails makes an exception, which takes long.
    // SAFETY: the object is alive.
    let may_be_number = unsafe { ffi::PyIndex_Check(shape.as_ptr()) } != 0;
    let number = may_be_number.then(|| shape.extract::<i64>().ok()).flatten();
    // An array of NumPy may be a number, too.
    let lengths: Vec<i64> = number.map_or_else(|| shape.extract(), |length| Ok(vec![length]))?;
    let length = |length: &i64| {
        i32::try_from(*length).map_err(|_| {
            let most = i32::MAX;
            PyValueError::new_err(format!("a dimension has up to {most} elements, not {length}"))
        })
    };
    let lengths = lengths.iter().map(length).collect::<PyResult<Vec<_>>>()?;
    let rank = lengths.len();
    let shape = shape_of(&lengths).map_err(failed)?;
    let mut known = shape.row_major_strides(size).map_err(failed)?;
    if let Some(strides) = strides {
        check_strides(rank, Some(strides.len()))?;
        known[..strides.len()].copy_from_slice(&strides);
    }
    let extent = shape.extent(&known, size).map_err(failed)?;
    let extent =
        usize::try_from(extent).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let memory = aligned(extent).map_err(failed)?;
    gxf::Tensor::from_memory(shape, element_type, size, Some(known), memory)
        .map(Tensor::of)
        .map_err(failed)
}

/// The tensor of an object: a tensor, or a view of an array's memory.
pub fn from_any(object: &Bound<'_, PyAny>) -> PyResult<Fenced<gxf::Tensor>> {
    check_unmasked(object)?;
    view_of(object)
}

/// As `from_any`, for a message: an array that runs backwards, which no tensor does, is copied.
pub fn for_message(object: &Bound<'_, PyAny>) -> PyResult<Fenced<gxf::Tensor>> {
    check_unmasked(object)?;
    view_of(object).or_else(|refused| {
        let strides = object.getattr("strides").and_then(|strides| strides.extract::<Vec<i64>>());
        let runs_backwards = strides.is_ok_and(|strides| strides.iter().any(|stride| *stride < 0));
        match object.call_method0("copy") {
            Ok(copy) if runs_backwards => view_of(&copy),
            _ => Err(refused),
        }
    })
}

fn check_unmasked(object: &Bound<'_, PyAny>) -> PyResult<()> {
    // Before Python 3.13, looking for an attribute that is not there makes an exception, which takes
    // longer than all else.
    static PLAIN: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let (py, kind) = (object.py(), object.get_type());
    if PLAIN.get(py).is_some_and(|plain| plain.is(&kind)) {
        return Ok(());
    }
    let mask = object.getattr_opt(intern!(py, "mask"))?;
    if mask.is_none() || !is_masked(&kind)? {
        if PLAIN.get(py).is_none() && kind.fully_qualified_name()? == "numpy.ndarray" {
            _ = PLAIN.set(py, kind.unbind());
        }
        return Ok(());
    }
    Err(PyTypeError::new_err(
        "a tensor has no mask; `array.filled(value)` has values in place of the masked ones, and \
         `array.data` has all",
    ))
}

/// Whether a type is that of NumPy's arrays with a mask.
pub fn is_masked(kind: &Bound<'_, PyType>) -> PyResult<bool> {
    let py = kind.py();
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?;
    // Nobody has such an array before this module is there.
    match modules.cast::<PyDict>()?.get_item(intern!(py, "numpy.ma"))? {
        Some(module) => kind.is_subclass(&module.getattr(intern!(py, "MaskedArray"))?),
        None => Ok(false),
    }
}

fn view_of(object: &Bound<'_, PyAny>) -> PyResult<Fenced<gxf::Tensor>> {
    let py = object.py();
    if let Ok(tensor) = object.cast::<Tensor>() {
        return tensor.get().give(py);
    }
    match dlpack::import_if_any(object) {
        // NumPy before 2.1 has no read-only form.
        Err(error) if error.is_instance_of::<PyBufferError>(py) => {}
        Err(error) => return Err(error),
        Ok(Some(imported)) => return Ok(imported),
        Ok(None) => {}
    }
    if let Ok(interface) = object.getattr("__array_interface__") {
        return from_interface(object, &interface).map(Fenced::from);
    }
    #[cfg(feature = "buffers")]
    if let Some(tensor) = buffer::import(object)? {
        return Ok(tensor.into());
    }
    Err(PyTypeError::new_err(format!(
        "a tensor cannot be made of a `{}`: it has neither `__dlpack__` nor `__array_interface__`",
        object.get_type().name()?
    )))
}

/// What keeps memory of a Python object alive.
struct Keeper(Option<Py<PyAny>>);

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            let mut object = Some(object);
            _ = crate::interpreter::attached(|_| drop(object.take()));
            // The interpreter is gone, and the object with it.
            std::mem::forget(object);
        }
    }
}

fn from_interface(
    object: &Bound<'_, PyAny>,
    interface: &Bound<'_, PyAny>,
) -> PyResult<gxf::Tensor> {
    let py = object.py();
    let text: String = interface.get_item("typestr")?.extract()?;
    let element_type = of_name(&text)?;
    let (address, read_only): (usize, bool) = interface.get_item("data")?.extract()?;
    let shape: Vec<i32> = interface.get_item("shape")?.extract()?;
    let strides = interface.cast::<PyDict>()?.get_item("strides")?.filter(|s| !s.is_none());
    let strides: Option<Vec<i64>> = strides.map(|strides| strides.extract()).transpose()?;
    let keeper = Keeper(Some(object.clone().unbind()));
    // SAFETY: the object says that its memory has this shape, and the keeper keeps the object.
    unsafe { wrap(py, keeper, address as *mut u8, element_type, &shape, strides, read_only) }
}

/// The shape of a tensor for an array. A scalar is one element, but a tensor of rank 0 has none.
fn shape_of(dimensions: &[i32]) -> gxf::Result<Shape> {
    Shape::new(if dimensions.is_empty() { &[1] } else { dimensions })
}

fn check_strides(rank: usize, strides: Option<usize>) -> PyResult<()> {
    match strides {
        Some(count) if count != rank => Err(PyValueError::new_err(format!(
            "an array has as many strides as dimensions, and not {count} for {rank}"
        ))),
        _ => Ok(()),
    }
}

/// # Safety
/// The shape and the strides, in bytes, must describe memory at `data` that `keeper` keeps.
unsafe fn wrap(
    py: Python<'_>,
    keeper: Keeper,
    data: *mut u8,
    element_type: PrimitiveType,
    dimensions: &[i32],
    strides: Option<Vec<i64>>,
    read_only: bool,
) -> PyResult<gxf::Tensor> {
    let failed = |error: gxf::Error| error::of_sdk(py, &error);
    let size = element_type.size();
    let shape = shape_of(dimensions).map_err(failed)?;
    check_strides(dimensions.len(), strides.as_ref().map(Vec::len))?;
    let mut known = shape.row_major_strides(size).map_err(failed)?;
    for (place, stride) in known.iter_mut().zip(strides.iter().flatten()) {
        *place = u64::try_from(*stride)
            .map_err(|_| PyBufferError::new_err("an array that runs backwards; copy it first"))?;
    }
    let extent = shape.extent(&known, size).map_err(failed)?;
    // SAFETY: as the caller promises.
    let mut memory =
        unsafe { MemoryBuffer::wrap(data, extent, StorageType::SYSTEM, move |_| drop(keeper)) };
    if read_only {
        memory.set_read_only();
    }
    gxf::Tensor::from_memory(shape, element_type, size, Some(known), memory).map_err(failed)
}

#[cfg(feature = "buffers")]
mod buffer {
    //! Python's buffer protocol.

    use super::{Keeper, TYPES, Tensor, wrap};
    use gxf::PrimitiveType;
    use pyo3::exceptions::PyBufferError;
    use pyo3::ffi;
    use pyo3::prelude::*;
    use std::ffi::{CStr, c_int, c_void};

    /// What a view of a tensor points to.
    struct Shown {
        shape: [isize; gxf::abi::MAX_RANK],
        strides: [isize; gxf::abi::MAX_RANK],
    }

    fn format(element_type: PrimitiveType) -> Option<&'static CStr> {
        Some(match element_type {
            PrimitiveType::INT8 => c"b",
            PrimitiveType::INT16 => c"h",
            PrimitiveType::INT32 => c"i",
            PrimitiveType::INT64 => c"q",
            PrimitiveType::UNSIGNED8 => c"B",
            PrimitiveType::UNSIGNED16 => c"H",
            PrimitiveType::UNSIGNED32 => c"I",
            PrimitiveType::UNSIGNED64 => c"Q",
            PrimitiveType::FLOAT16 => c"e",
            PrimitiveType::FLOAT32 => c"f",
            PrimitiveType::FLOAT64 => c"d",
            PrimitiveType::COMPLEX64 => c"Zf",
            PrimitiveType::COMPLEX128 => c"Zd",
            _ => return None,
        })
    }

    /// Whether the elements are contiguous, first dimension innermost.
    fn lies_by_columns(tensor: &gxf::Tensor) -> bool {
        let mut dense = tensor.bytes_per_element();
        let dimensions = tensor.shape().dimensions().iter();
        dimensions.zip(tensor.strides()).all(|(length, stride)| {
            let lies = *length == 1 || *stride == dense;
            dense *= length.unsigned_abs() as u64;
            lies
        }) || tensor.element_count().is_ok_and(|count| count == 0)
    }

    /// # Safety
    /// `view` must be a view to fill.
    pub unsafe fn fill(
        slf: Bound<'_, Tensor>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let refused = |text: &'static str| Err(PyBufferError::new_err(text));
        // SAFETY: the view is writable; a failed request leaves it without an owner.
        unsafe { (*view).obj = std::ptr::null_mut() };
        slf.get().check_host()?;
        let tensor = slf.get().shown(slf.py())?;
        let read_only = tensor.memory().is_read_only();
        if read_only && flags & ffi::PyBUF_WRITABLE != 0 {
            return refused("the tensor is read only");
        }
        let wants = |what: c_int| flags & what == what;
        let by_rows = !wants(ffi::PyBUF_STRIDES) || wants(ffi::PyBUF_C_CONTIGUOUS);
        let fits = match tensor.is_contiguous() {
            true => !wants(ffi::PyBUF_F_CONTIGUOUS) || lies_by_columns(&tensor),
            false if by_rows => false,
            false if wants(ffi::PyBUF_F_CONTIGUOUS) || wants(ffi::PyBUF_ANY_CONTIGUOUS) => {
                lies_by_columns(&tensor)
            }
            false => true,
        };
        if !fits {
            return refused(
                "the elements do not lie side by side in the order that this use needs; `copy()` \
                 has them by rows",
            );
        }
        let Some(text) = format(tensor.element_type()) else {
            return refused("buffers have no such element type");
        };
        let mut shown = Box::new(Shown { shape: [0; 8], strides: [0; 8] });
        let mut count = 1;
        for (index, length) in tensor.shape().dimensions().iter().enumerate() {
            shown.shape[index] = *length as isize;
            shown.strides[index] = tensor.strides()[index] as isize;
            count *= *length as isize;
        }
        let shown = Box::into_raw(shown);
        // SAFETY: the view is writable. `release` frees the box; the tensor's memory stays while
        // the object lives, to which the view holds a reference.
        unsafe {
            (*view).buf = tensor.pointer().cast();
            (*view).len = count * tensor.bytes_per_element() as isize;
            (*view).readonly = c_int::from(read_only);
            (*view).itemsize = tensor.bytes_per_element() as isize;
            (*view).format = match wants(ffi::PyBUF_FORMAT) {
                true => text.as_ptr().cast_mut(),
                false => std::ptr::null_mut(),
            };
            // Who asks for no shape sees bytes in a row.
            (*view).ndim = match wants(ffi::PyBUF_ND) {
                true => tensor.rank() as c_int,
                false => 1,
            };
            (*view).shape = match wants(ffi::PyBUF_ND) {
                true => (&raw mut (*shown).shape).cast(),
                false => std::ptr::null_mut(),
            };
            (*view).strides = match wants(ffi::PyBUF_STRIDES) {
                true => (&raw mut (*shown).strides).cast(),
                false => std::ptr::null_mut(),
            };
            (*view).suboffsets = std::ptr::null_mut();
            (*view).internal = shown.cast();
            drop(tensor);
            (*view).obj = slf.into_any().into_ptr();
        }
        Ok(())
    }

    /// # Safety
    /// `view` must come from `fill`, and is released once.
    pub unsafe fn release(view: *mut ffi::Py_buffer) {
        // SAFETY: `fill` put the box there.
        drop(unsafe { Box::from_raw((*view).internal.cast::<Shown>()) });
    }

    /// A view that is released with the memory.
    struct View(Box<ffi::Py_buffer>);

    // SAFETY: a view may be released on any thread that holds the interpreter's lock.
    unsafe impl Send for View {}

    impl Drop for View {
        fn drop(&mut self) {
            // SAFETY: `import` filled the view; it is released once.
            _ = crate::interpreter::attached(|_| unsafe {
                ffi::PyBuffer_Release(&raw mut *self.0)
            });
        }
    }

    /// A tensor over the memory of a buffer, `None` if the object is none.
    pub fn import(object: &Bound<'_, PyAny>) -> PyResult<Option<gxf::Tensor>> {
        let py = object.py();
        // SAFETY: the object is alive, and the view is initialised by the call.
        let view = unsafe {
            if ffi::PyObject_CheckBuffer(object.as_ptr()) == 0 {
                return Ok(None);
            }
            let mut view: Box<ffi::Py_buffer> = Box::new(std::mem::zeroed());
            if ffi::PyObject_GetBuffer(object.as_ptr(), &raw mut *view, ffi::PyBUF_RECORDS_RO) != 0
            {
                return Err(PyErr::fetch(py));
            }
            View(view)
        };
        let raw = &view.0;
        let rank = raw.ndim.cast_unsigned() as usize;
        let numbers = |numbers: *mut isize| {
            // SAFETY: a filled view has `ndim` numbers where it has any.
            let numbers =
                (!numbers.is_null()).then(|| unsafe { (0..rank).map(|i| *numbers.add(i)) });
            numbers.map(Vec::from_iter)
        };
        let size = raw.itemsize as u64;
        // Who leaves the strides out, as `ctypes` does, has elements side by side; without a shape they are
        // in a row, and without a format bytes.
        let strides = numbers(raw.strides);
        let in_a_row = || if rank == 0 { vec![] } else { vec![raw.len / raw.itemsize.max(1)] };
        let shape = numbers(raw.shape).unwrap_or_else(in_a_row);
        let text = match raw.format.is_null() {
            true => "B".into(),
            // SAFETY: the format of a filled view is a text.
            false => unsafe { CStr::from_ptr(raw.format) }.to_string_lossy(),
        };
        let element_type = match (text.trim_start_matches(['<', '=', '@']), size) {
            ("b", 1) => PrimitiveType::INT8,
            ("B" | "c" | "?", 1) => PrimitiveType::UNSIGNED8,
            ("h", 2) => PrimitiveType::INT16,
            ("H", 2) => PrimitiveType::UNSIGNED16,
            ("i" | "l", 4) => PrimitiveType::INT32,
            ("I" | "L", 4) => PrimitiveType::UNSIGNED32,
            ("q" | "l", 8) => PrimitiveType::INT64,
            ("Q" | "L", 8) => PrimitiveType::UNSIGNED64,
            ("e", 2) => PrimitiveType::FLOAT16,
            ("f", 4) => PrimitiveType::FLOAT32,
            ("d", 8) => PrimitiveType::FLOAT64,
            ("Zf", 8) => PrimitiveType::COMPLEX64,
            ("Zd", 16) => PrimitiveType::COMPLEX128,
            _ => {
                let known: Vec<_> = TYPES.iter().map(|(_, name, _)| *name).collect();
                let text = format!("elements `{text}` are none of {}", known.join(", "));
                return Err(PyBufferError::new_err(text));
            }
        };
        let length = |length: isize| {
            i32::try_from(length).map_err(|error| PyBufferError::new_err(error.to_string()))
        };
        let shape = shape.into_iter().map(length).collect::<PyResult<Vec<_>>>()?;
        let strides = strides.map(|all| all.into_iter().map(|stride| stride as i64).collect());
        let (data, read_only) = (raw.buf.cast::<u8>(), raw.readonly != 0);
        let kept = Bound::new(py, Kept { _view: parking_lot::Mutex::new(view) })?.into_any();
        let keeper = Keeper(Some(kept.unbind()));
        // SAFETY: the view describes its memory, and the keeper keeps the view.
        let wrapped = unsafe { wrap(py, keeper, data, element_type, &shape, strides, read_only) };
        wrapped.map(Some)
    }

    /// A view as a Python object.
    #[pyclass(frozen)]
    struct Kept {
        _view: parking_lot::Mutex<View>,
    }

    /// The type of `internal`.
    const _: fn(*mut c_void) -> *mut Shown = <*mut c_void>::cast;
}
