//! Messages, and which Python value stands for one.
//!
//! A value that a codelet sends becomes a message: a [`Message`] is sent as it is, an array or a
//! tensor as a tensor without a name, a dictionary of arrays as named tensors, and everything else as
//! `PyData`. A message that a codelet receives becomes a value the same way round; one that no Python
//! codelet sent is its number if it has just one, else the message itself.

#![expect(unsafe_code, reason = "Python objects cross the engine as raw references")]

use crate::error;
use crate::interpreter::{attached, lock};
use crate::multimedia::{self, Audio, VideoFrame};
use crate::tensor::{self, Tensor};
use gxf::abi::{CudaStreamId, tids};
use gxf::{Payload, Timestamp};
use gxf_device::StreamId;
use gxf_python_bridge::PyData;
use parking_lot::Mutex;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyKeyError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use rustc_hash::FxHashMap;
use std::ffi::c_void;

/// A message: named payloads.
#[pyclass(frozen, module = "gxe._gxe")]
pub struct Message {
    message: Mutex<gxf::Message>,
}

impl Message {
    /// The Python object of a message.
    pub fn of(message: gxf::Message) -> Self {
        Self { message: Mutex::new(message) }
    }

    /// Another reference to the message.
    pub fn share(&self) -> gxf::Message {
        lock(&self.message).clone()
    }
}

/// Calls a macro with each primitive type that messages carry.
macro_rules! primitives {
    ($do:ident) => {
        $do!(i32 "int32", i64 "int64", f64 "float64", f32 "float32", u32 "uint32", u64 "uint64",
             u8 "uint8", i8 "int8", u16 "uint16", i16 "int16", bool "bool")
    };
}

/// The number of a payload, if it is one.
fn primitive<'py>(
    py: Python<'py>,
    message: &gxf::Message,
    payload: &gxf::PayloadInfo<'_>,
) -> Option<PyResult<Bound<'py, PyAny>>> {
    macro_rules! read {
        ($($type:ty [$_name:literal])*) => { $(
            if payload.tid == <$type as Payload>::TID {
                return Some(message.try_get::<$type>(payload.name)?.into_bound_py_any(py));
            }
        )* };
    }
    macro_rules! all {
        ($($type:ident $name:literal),*) => { read!($($type [$name])*) };
    }
    primitives!(all);
    None
}

#[pymethods]
impl Message {
    /// The payloads: name, type and size of each.
    fn payloads(&self) -> Vec<(String, String, usize)> {
        let message = lock(&self.message);
        let described = |payload: gxf::PayloadInfo<'_>| {
            (payload.name.to_owned(), type_name(payload.tid), payload.size)
        };
        message.payloads().map(described).collect()
    }

    /// Id of the message in GXF's C API.
    #[getter]
    fn eid(&self) -> i64 {
        lock(&self.message).eid()
    }

    /// Acquisition time in nanoseconds; `None` without a timestamp.
    #[getter]
    fn acqtime(&self) -> Option<i64> {
        lock(&self.message).timestamp().map(|time| time.acqtime)
    }

    /// Publication time in nanoseconds; `None` without a timestamp.
    #[getter]
    fn pubtime(&self) -> Option<i64> {
        lock(&self.message).timestamp().map(|time| time.pubtime)
    }

    /// The value that stands for the whole message; see the package's documentation.
    #[getter]
    fn value<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let message = slf.get().share();
        value_of(slf.py(), message)
    }

    /// Adds a tensor, or an array, which is copied only if it runs backwards.
    #[pyo3(signature = (tensor, name = ""))]
    fn add_tensor(&self, tensor: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let shared = tensor::for_message(tensor)?;
        let mut message = lock(&self.message);
        shared.add_to(&mut message, name).map_err(|error| error::of_sdk(tensor.py(), &error))
    }

    /// A tensor of the message: the one with this name, else the first.
    #[pyo3(signature = (name = ""))]
    fn tensor(&self, py: Python<'_>, name: &str) -> PyResult<Tensor> {
        let message = self.share();
        Tensor::of_message(&message, name).map_err(|error| error::of_sdk(py, &error))
    }

    /// All tensors by name.
    fn tensors<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        tensors(py, &self.share())
    }

    /// Adds a video frame of a format such as `RGB`: an array of rows, columns and channels, which is copied
    /// only if its pixels do not lie side by side, or a list of the planes, which are copied into one frame.
    #[pyo3(signature = (image, format, name = ""))]
    fn add_video(&self, image: &Bound<'_, PyAny>, format: &str, name: &str) -> PyResult<()> {
        let frame = multimedia::new_video(image, format)?;
        let mut message = lock(&self.message);
        frame.add_to(&mut message, name).map_err(|error| multimedia::failed(image.py(), &error))
    }

    /// A video frame of the message: the one with this name, else the first.
    #[pyo3(signature = (name = ""))]
    fn video(&self, py: Python<'_>, name: &str) -> PyResult<VideoFrame> {
        multimedia::video(py, &self.share(), name)
    }

    /// Adds audio: an array of samples and channels or, unless `interleaved`, of channels and samples; one
    /// channel needs no dimension. The samples are `int16` or `float32`, the rate is in Hz. The array is
    /// copied only if it has gaps.
    #[pyo3(signature = (samples, sampling_rate, *, interleaved = true, name = ""))]
    fn add_audio(
        &self,
        samples: &Bound<'_, PyAny>,
        sampling_rate: u32,
        interleaved: bool,
        name: &str,
    ) -> PyResult<()> {
        let audio = multimedia::new_audio(samples, sampling_rate, interleaved)?;
        let mut message = lock(&self.message);
        audio.add_to(&mut message, name).map_err(|error| multimedia::failed(samples.py(), &error))
    }

    /// Audio of the message: that with this name, else the first.
    #[pyo3(signature = (name = ""))]
    fn audio(&self, py: Python<'_>, name: &str) -> PyResult<Audio> {
        multimedia::audio(py, &self.share(), name)
    }

    /// Adds a Python object.
    #[pyo3(signature = (object, name = ""))]
    fn add_object(&self, object: Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        let py = object.py();
        let data = data_of(object);
        let mut message = lock(&self.message);
        message.add(name, data).map_err(|error| error::of_sdk(py, &error))?;
        Ok(())
    }

    /// A Python object of the message: the one with this name, else the first.
    #[pyo3(signature = (name = ""))]
    fn object<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let message = lock(&self.message);
        let data = message.get::<PyData>(name).map_err(|error| error::of_sdk(py, &error))?;
        object_of(py, data)
            .ok_or_else(|| PyKeyError::new_err(format!("the payload `{name}` holds no object")))
    }

    /// Adds a number as a payload of GXF: `kind` is `int32`, `float64`, … or `bool`.
    fn add_number(&self, value: &Bound<'_, PyAny>, kind: &str, name: &str) -> PyResult<()> {
        macro_rules! add {
            ($($type:ident $known:literal),*) => {
                match kind {
                    $($known => {
                        // May call Python, which may use the message.
                        let number = value.extract()?;
                        lock(&self.message).add::<$type>(name, number).map(|_| ())
                    })*
                    _ => return Err(error::misuse(format!("`{kind}` is not a type of numbers"))),
                }
            };
        }
        let added = primitives!(add);
        added.map_err(|error| error::of_sdk(value.py(), &error))
    }

    /// The number in the payload with this name.
    #[pyo3(signature = (name = ""))]
    fn number<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let message = lock(&self.message);
        let named = message.payloads().filter(|payload| name.is_empty() || payload.name == name);
        let mut numbers = named.filter_map(|payload| primitive(py, &message, &payload));
        numbers
            .next()
            .unwrap_or_else(|| Err(PyKeyError::new_err(format!("there is no number `{name}`"))))
    }

    /// Adds or replaces a timestamp, in nanoseconds.
    #[pyo3(signature = (acqtime, pubtime = 0, name = "timestamp"))]
    fn set_timestamp(
        &self,
        py: Python<'_>,
        acqtime: i64,
        pubtime: i64,
        name: &str,
    ) -> PyResult<()> {
        let time = Timestamp { acqtime, pubtime };
        let mut message = lock(&self.message);
        let known = message.try_get::<Timestamp>(name).is_some();
        let set = if known {
            message.get_mut::<Timestamp>(name).map(|place| *place = time)
        } else {
            message.add(name, time).map(|_| ())
        };
        set.map_err(|error| error::of_sdk(py, &error))
    }

    /// Acquisition and publication time of the timestamp with this name.
    #[pyo3(signature = (name = "timestamp"))]
    fn timestamp(&self, py: Python<'_>, name: &str) -> PyResult<(i64, i64)> {
        let message = lock(&self.message);
        let time = message.get::<Timestamp>(name).map_err(|error| error::of_sdk(py, &error))?;
        Ok((time.acqtime, time.pubtime))
    }

    /// Says, or says anew, on which stream the data is written: the id of a CudaStream.
    #[pyo3(signature = (stream_cid, name = ""))]
    fn set_stream(&self, py: Python<'_>, stream_cid: i64, name: &str) -> PyResult<()> {
        let stream = StreamId(CudaStreamId { stream_cid });
        let mut message = lock(&self.message);
        let known = message.try_get::<StreamId>(name).is_some();
        let set = if known {
            message.get_mut::<StreamId>(name).map(|place| *place = stream)
        } else {
            message.add(name, stream).map(|_| ())
        };
        set.map_err(|error| error::of_sdk(py, &error))
    }

    /// The stream on which the data is written: the id of a CudaStream.
    #[pyo3(signature = (name = ""))]
    fn stream(&self, py: Python<'_>, name: &str) -> PyResult<i64> {
        let message = lock(&self.message);
        let stream = message.get::<StreamId>(name).map_err(|error| error::of_sdk(py, &error))?;
        Ok(stream.0.stream_cid)
    }

    fn __repr__(&self) -> String {
        let payloads = self.payloads().into_iter();
        let texts = payloads.map(|(name, kind, _)| match &*name {
            "" => kind,
            name => format!("{name}: {kind}"),
        });
        format!("<gxe.Message {{{}}}>", texts.collect::<Vec<_>>().join(", "))
    }
}

/// Full name of a payload's type, or its id.
fn type_name(tid: gxf::Tid) -> String {
    macro_rules! known {
        ($($type:ident $name:literal),*) => {
            match tid {
                $(tid if tid == <$type as Payload>::TID => $name.to_owned(),)*
                tid if tid == gxf::Tensor::TID => "nvidia::gxf::Tensor".to_owned(),
                tid if tid == gxf::VideoBuffer::TID => "nvidia::gxf::VideoBuffer".to_owned(),
                tid if tid == gxf::AudioBuffer::TID => "nvidia::gxf::AudioBuffer".to_owned(),
                tid if tid == Timestamp::TID => "nvidia::gxf::Timestamp".to_owned(),
                tid if tid == PyData::TID => "nvidia::gxf::PyData".to_owned(),
                tid => tid.to_string(),
            }
        };
    }
    primitives!(known)
}

unsafe extern "C" fn release(object: *mut c_void) {
    // After the interpreter's end the object has no owner left.
    _ = attached(|py| {
        // SAFETY: `data_of` gave this reference away, and the payload releases it once.
        drop(unsafe { Bound::from_owned_ptr_or_opt(py, object.cast()) });
    });
}

/// The payload of an object.
pub fn data_of(object: Bound<'_, PyAny>) -> PyData {
    // SAFETY: the payload owns the reference, and `release` takes it from any thread.
    unsafe { PyData::new(object.into_ptr().cast(), release) }
}

/// The object of a payload.
pub fn object_of<'py>(py: Python<'py>, data: &PyData) -> Option<Bound<'py, PyAny>> {
    // SAFETY: the payload owns a reference to the object as long as its message lives.
    unsafe { Bound::from_borrowed_ptr_or_opt(py, data.object().cast()) }
}

fn tensors<'py>(py: Python<'py>, message: &gxf::Message) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for payload in message.payloads() {
        if payload.tid == gxf::Tensor::TID {
            let tensor = Tensor::of_message(message, payload.name);
            all.set_item(payload.name, tensor.map_err(|error| error::of_sdk(py, &error))?)?;
        }
    }
    Ok(all)
}

/// The value that stands for a received message.
pub fn value_of(py: Python<'_>, message: gxf::Message) -> PyResult<Bound<'_, PyAny>> {
    let (mut objects, mut arrays, mut unnamed, mut others) = (0, 0, 0, 0);
    // Tensors know the fences; a stream alone says when the data is valid, which they do not know.
    let has_fence = message.payloads().any(|payload| payload.tid == tids::CUDA_FENCE);
    for payload in message.payloads() {
        match payload.tid {
            tid if has_fence && [tids::CUDA_FENCE, tids::CUDA_STREAM_ID].contains(&tid) => continue,
            tid if tid == PyData::TID => objects += 1,
            tid if tid == gxf::Tensor::TID => arrays += 1,
            tid if tid == Timestamp::TID => continue,
            _ => others += 1,
        }
        unnamed += usize::from(payload.name.is_empty());
    }
    match (objects, arrays, unnamed, others) {
        (1, 0, 1, 0) => {
            let object = message.try_get::<PyData>("").and_then(|data| object_of(py, data));
            Ok(object.unwrap_or_else(|| py.None().into_bound(py)))
        }
        (0, 1, 1, 0) => {
            let tensor = Tensor::of_message(&message, "");
            tensor.map_err(|error| error::of_sdk(py, &error))?.into_bound_py_any(py)
        }
        (0, 1.., 0, 0) => Ok(tensors(py, &message)?.into_any()),
        (0, 0, _, 1) => {
            let mut numbers =
                message.payloads().filter_map(|payload| primitive(py, &message, &payload));
            match numbers.next() {
                Some(number) => number,
                None => {
                    drop(numbers);
                    Message::of(message).into_bound_py_any(py)
                }
            }
        }
        _ => Message::of(message).into_bound_py_any(py),
    }
}

/// Fills an empty message with a value. `Some` if the value is itself a message.
pub fn fill(message: &mut gxf::Message, value: Bound<'_, PyAny>) -> PyResult<Option<gxf::Message>> {
    let py = value.py();
    let failed = |error: gxf::Error| error::of_sdk(py, &error);
    if !travels_as_tensor(&value)? {
        if let Ok(sent) = value.cast::<Message>() {
            return Ok(Some(sent.get().share()));
        }
        if let Ok(items) = value.cast::<PyDict>()
            && holds_arrays(items)?
        {
            for (name, item) in items.iter() {
                let tensor = tensor::for_message(&item)?;
                tensor.add_to(message, &name.cast::<PyString>()?.to_cow()?).map_err(failed)?;
            }
            return Ok(None);
        }
        message.add("", data_of(value)).map_err(failed)?;
        return Ok(None);
    }
    tensor::for_message(&value)?.add_to(message, "").map_err(failed)?;
    Ok(None)
}

/// Whether a value travels as named tensors: a dictionary of arrays.
#[pyfunction]
pub fn is_tensor_map(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.cast::<PyDict>().map_or(Ok(false), holds_arrays)
}

fn holds_arrays(items: &Bound<'_, PyDict>) -> PyResult<bool> {
    for (name, item) in items.iter() {
        if !name.is_instance_of::<PyString>() || !travels_as_tensor(&item)? {
            return Ok(false);
        }
    }
    Ok(!items.is_empty())
}

/// Whether a value is an array that a tensor is the same as: one of numbers that tensors know, with
/// dimensions, but no more and no larger ones than those.
#[pyfunction]
pub fn travels_as_tensor(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !may_be_array(value)? {
        return Ok(false);
    }
    if value.is_exact_instance_of::<Tensor>() {
        return Ok(true);
    }
    let py = value.py();
    if let Some(shape) = value.getattr_opt(intern!(py, "shape"))?
        && let Ok(shape) = shape.cast::<PyTuple>()
        && (!(1..=gxf::abi::MAX_RANK).contains(&shape.len())
            || shape.iter_borrowed().any(|size| size.extract::<i32>().is_err()))
    {
        return Ok(false);
    }
    let Some(element) = value.getattr_opt(intern!(py, "dtype"))? else {
        let interface = value.getattr_opt(intern!(py, "__array_interface__"))?;
        let text = interface.and_then(|interface| interface.get_item("typestr").ok());
        return text.map_or(Ok(true), |text| Ok(tensor::is_known_type(&text.extract::<String>()?)));
    };
    let Some(kind) = element.getattr_opt(intern!(py, "kind"))? else {
        // Such as `torch.float32` and `<dtype: 'float32'>`.
        let text = element.str()?;
        let text = text.to_cow()?;
        let mut words = text.rsplit(|character: char| !character.is_alphanumeric());
        return Ok(words.find(|word| !word.is_empty()).is_some_and(tensor::is_known_type));
    };
    // NumPy, and what follows it. Its widest numbers are wider than those of tensors.
    let widest = match &*kind.cast::<PyString>()?.to_cow()? {
        "i" | "u" | "f" => 8,
        "c" => 16,
        _ => return Ok(false),
    };
    let is_native = element.getattr(intern!(py, "isnative"))?.is_truthy()?;
    Ok(is_native && element.getattr(intern!(py, "itemsize"))?.extract::<usize>()? <= widest)
}

/// By address: a type, kept so that the address stays its own, and whether its objects are arrays.
type Known = FxHashMap<usize, (Py<PyType>, bool)>;

static ARRAYS: Mutex<Option<Known>> = Mutex::new(None);

/// Whether a value is an array: it speaks DLPack or has an array interface.
fn may_be_array(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    /// Programs that make classes without end ask again.
    const MOST: usize = 4096;
    if value.is_none()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyDict>()
        || value.is_exact_instance_of::<PyList>()
        || value.is_exact_instance_of::<PyTuple>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyBytes>()
    {
        return Ok(false);
    }
    let kind = value.get_type();
    let address = kind.as_ptr().addr();
    if let Some((_, known)) = ARRAYS.lock().get_or_insert_default().get(&address) {
        return Ok(*known);
    }
    let is_array = (kind.hasattr("__dlpack__")? || kind.hasattr("__array_interface__")?)
        && !tensor::is_masked(&kind)?;
    let mut guard = ARRAYS.lock();
    let arrays = guard.get_or_insert_default();
    let old = if arrays.len() >= MOST { std::mem::take(arrays) } else { Known::default() };
    let known = arrays.insert(address, (kind.unbind(), is_array));
    drop(guard);
    // The end of a type may call Python.
    drop((old, known));
    Ok(is_array)
}
