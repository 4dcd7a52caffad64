//! Video frames and audio of messages, as tensors over their memory.

use crate::error;
use crate::fenced::Fenced;
use crate::tensor::{self, Tensor};
use gxf::multimedia::{
    AudioBufferInfo, AudioFormat, AudioLayout, FormatTraits, SurfaceLayout, VideoFormat,
    color_space, default_color_planes, traits_of,
};
use gxf::{AudioBuffer, Message, PrimitiveType, ResultCode, Shape, VideoBuffer};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// A frame of a message. Its planes are read only, and not copied.
#[pyclass(frozen, get_all, module = "gxe._gxe")]
pub struct VideoFrame {
    /// Name of the format, such as `RGB` or `NV12`; `CUSTOM` for others.
    format: &'static str,
    /// Pixels in a row.
    width: u32,
    /// Rows.
    height: u32,
    /// The planes by name, such as `RGB`, or `Y` and `UV`: rows of pixels, with a third dimension for
    /// several channels.
    planes: Py<PyDict>,
}

/// Audio of a message. Its samples are read only, and not copied.
#[pyclass(frozen, get_all, module = "gxe._gxe")]
pub struct Audio {
    /// `S16LE`, `F32LE` or `CUSTOM`.
    format: &'static str,
    /// Whether a sample of each channel follows another; else, all samples of a channel do.
    interleaved: bool,
    channels: u32,
    /// Samples of each channel.
    samples: u32,
    /// Samples of a second.
    sampling_rate: u32,
    /// The samples: samples x channels if interleaved, else channels x samples. Those of other formats
    /// have a further dimension of bytes.
    data: Py<Tensor>,
}

#[pymethods]
impl VideoFrame {
    fn __repr__(&self) -> String {
        format!("<gxe.VideoFrame: {} of {} x {} pixels>", self.format, self.width, self.height)
    }
}

#[pymethods]
impl Audio {
    fn __repr__(&self) -> String {
        let (samples, channels, rate) = (self.samples, self.channels, self.sampling_rate);
        format!("<gxe.Audio: {samples} samples of {channels} channels, {rate} Hz>")
    }
}

fn refused(text: impl Into<String>) -> gxf::Error {
    gxf::Error::new(ResultCode::ARGUMENT_INVALID, text)
}

fn length(length: u32) -> gxf::Result<i32> {
    i32::try_from(length).map_err(|_| refused(format!("a tensor has no dimension of {length}")))
}

/// The frame `name` of a message, the first one if that is empty.
pub fn video(py: Python<'_>, message: &Message, name: &str) -> PyResult<VideoFrame> {
    let failed = |error: gxf::Error| error::of_sdk(py, &error);
    let frame = message.get::<VideoBuffer>(name).map_err(failed)?;
    let info = frame.info();
    if info.surface_layout == SurfaceLayout::BLOCK_LINEAR {
        return Err(failed(refused(
            "the rows of the frame lie in blocks, which only a device reads",
        )));
    }
    let traits = traits_of(info.color_format);
    let element_type = traits.map_or(PrimitiveType::UNSIGNED8, |traits| traits.element_type);
    let planes = PyDict::new(py);
    for (index, plane) in frame.planes().iter().enumerate() {
        let (size, pixel) = (element_type.size(), u64::from(plane.bytes_per_pixel));
        let view = || {
            let channels = length((pixel / size) as u32)?;
            let shape = [length(plane.height)?, length(plane.width)?, channels];
            // One channel needs no dimension.
            let rank = if channels == 1 { 2 } else { 3 };
            let strides = [u64::from(plane.stride), pixel, size];
            let place = (frame.memory(), u64::from(plane.offset));
            Tensor::of_part(message, place, &shape[..rank], &strides[..rank], element_type)
        };
        let name = match color_space(plane) {
            name if name.is_empty() || planes.contains(name)? => format!("plane_{index}"),
            name => name.to_owned(),
        };
        planes.set_item(name, view().map_err(failed)?)?;
    }
    Ok(VideoFrame {
        format: traits.map_or("CUSTOM", |traits| traits.name),
        width: info.width,
        height: info.height,
        planes: planes.unbind(),
    })
}

/// The audio `name` of a message, the first one if that is empty.
pub fn audio(py: Python<'_>, message: &Message, name: &str) -> PyResult<Audio> {
    let failed = |error: gxf::Error| error::of_sdk(py, &error);
    let audio = message.get::<AudioBuffer>(name).map_err(failed)?;
    let info = *audio.info();
    let interleaved = info.audio_layout != AudioLayout::NON_INTERLEAVED;
    let (format, element_type) = match info.audio_format {
        AudioFormat::S16LE => ("S16LE", PrimitiveType::INT16),
        AudioFormat::F32LE => ("F32LE", PrimitiveType::FLOAT32),
        _ => ("CUSTOM", PrimitiveType::UNSIGNED8),
    };
    let view = || {
        let (channels, samples) = (length(info.channels)?, length(info.samples)?);
        let (first, second) = if interleaved { (samples, channels) } else { (channels, samples) };
        let shape = [first, second, length(info.bytes_per_sample)?];
        let rank = if format == "CUSTOM" { 3 } else { 2 };
        let strides = Shape::new(&shape[..rank])?.row_major_strides(element_type.size())?;
        Tensor::of_part(
            message,
            (audio.memory(), 0),
            &shape[..rank],
            &strides[..rank],
            element_type,
        )
    };
    Ok(Audio {
        format,
        interleaved,
        channels: info.channels,
        samples: info.samples,
        sampling_rate: info.sampling_rate,
        data: Py::new(py, view().map_err(failed)?)?,
    })
}

fn format_of(name: &str) -> PyResult<&'static FormatTraits> {
    let all = || (1..).map_while(|number| traits_of(VideoFormat(number)));
    all().find(|known| known.name == name).ok_or_else(|| {
        let names: Vec<_> = all().map(|known| known.name).collect();
        PyValueError::new_err(format!(
            "`{name}` is no video format; those are {}",
            names.join(", ")
        ))
    })
}

/// The exception for an error of a message that takes a frame or audio.
pub fn failed(py: Python<'_>, error: &gxf::Error) -> PyErr {
    match error.code() {
        ResultCode::FACTORY_UNKNOWN_TID => {
            let text = "video and audio need an extension: \
                        `graph.load_extension(\"libgxf_multimedia.so\")`";
            error::exception(py, error.code(), text, error::Place::default())
        }
        _ => error::of_sdk(py, error),
    }
}

/// A frame over the memory of an array, which is copied if its pixels do not lie side by side. Several planes
/// are copied into one frame.
pub fn new_video(image: &Bound<'_, PyAny>, format: &str) -> PyResult<Fenced<VideoBuffer>> {
    let py = image.py();
    let traits = format_of(format)?;
    if image.is_instance_of::<PyList>() || image.is_instance_of::<PyTuple>() {
        let planes = image.try_iter()?.map(|plane| tensor::for_message(&plane?));
        let planes = planes.map(|plane| Ok(plane?.payload)).collect::<PyResult<Vec<_>>>()?;
        let payload = joined(&planes, traits).map_err(|error| error::of_sdk(py, &error))?;
        return Ok(payload.into());
    }
    let [plane] = traits.planes else {
        let names: Vec<_> = traits.planes.iter().map(|plane| plane.color_space).collect();
        let names = names.join(", ");
        return Err(PyValueError::new_err(format!(
            "a {format} frame is made of a list of its planes {names}"
        )));
    };
    let source = tensor::for_message(image)?;
    let made = || {
        let (channels, size) = (plane.channels, traits.element_type.size());
        let of = source.payload;
        let pixel = u64::from(traits.bytes_per_pixel(plane));
        let lies = of.rank() >= 2
            && of.strides()[1] == pixel
            && of.strides().get(2).is_none_or(|element| *element == size);
        let of = if lies || of.rank() < 2 { of } else { tensor::dense(&of)? };
        let of = match *of.shape().dimensions() {
            [height, width] if channels == 1 => {
                let mut strides = [0; gxf::abi::MAX_RANK];
                strides[..3].copy_from_slice(&[of.strides()[0], of.strides()[1], size]);
                let shape = Shape::new(&[height, width, 1])?;
                let (kind, bytes) = (of.element_type(), of.bytes_per_element());
                gxf::Tensor::from_memory(shape, kind, bytes, Some(strides), of.into_memory())?
            }
            _ => of,
        };
        VideoBuffer::from_tensor(of, traits.format)
    };
    let payload = made().map_err(|error| error::of_sdk(py, &error))?;
    Ok(Fenced { payload, ready: source.ready })
}

/// A frame with copies of planes.
fn joined(planes: &[gxf::Tensor], traits: &FormatTraits) -> gxf::Result<VideoBuffer> {
    let name = traits.name;
    if planes.len() != traits.planes.len() {
        let (found, wanted) = (planes.len(), traits.planes.len());
        return Err(refused(format!("{found} planes for a {name} frame, which has {wanted}")));
    }
    let (height, width) = match *planes[0].shape().dimensions() {
        [height, width] | [height, width, _] => (height, width),
        _ => return Err(refused("a plane has rows, columns and perhaps channels")),
    };
    let (info, size) =
        default_color_planes(traits.format, width.cast_unsigned(), height.cast_unsigned(), false)?;
    let mut memory = tensor::zeroed(size)?;
    let bytes = memory.bytes_mut()?;
    for ((plane, known), place) in planes.iter().zip(traits.planes).zip(&info.color_planes) {
        let shape = [length(place.height)?, length(place.width)?, known.channels.into()];
        let rank = if known.channels == 1 { 2 } else { 3 };
        let fits = [&shape[..rank], &shape[..]].contains(&plane.shape().dimensions());
        if !fits || plane.element_type() != traits.element_type {
            let (of, shape) = (known.color_space, &shape[..rank]);
            let kind = traits.element_type.name();
            return Err(refused(format!(
                "the plane {of} of this {name} frame has the shape {shape:?} and elements of the type {kind}, and \
                 not those of a {plane}"
            )));
        }
        let start = place.offset as usize;
        let copied = tensor::dense(plane)?;
        let copied = copied.bytes()?;
        bytes[start..start + copied.len()].copy_from_slice(copied);
    }
    VideoBuffer::from_memory(info, memory)
}

/// Audio over the memory of an array, which is copied if its elements do not lie side by side.
pub fn new_audio(
    samples: &Bound<'_, PyAny>,
    sampling_rate: u32,
    interleaved: bool,
) -> PyResult<Fenced<AudioBuffer>> {
    let source = tensor::for_message(samples)?;
    let made = || {
        let of = source.payload;
        let audio_format = match of.element_type() {
            PrimitiveType::INT16 => AudioFormat::S16LE,
            PrimitiveType::FLOAT32 => AudioFormat::F32LE,
            other => {
                let text = format!("samples are int16 or float32, and not {}", other.name());
                return Err(refused(text));
            }
        };
        let (channels, samples) = match *of.shape().dimensions() {
            [samples] => (1, samples),
            [samples, channels] if interleaved => (channels, samples),
            [channels, samples] => (channels, samples),
            _ => return Err(refused("audio has samples and perhaps channels")),
        };
        let of = if of.is_contiguous() { of } else { tensor::dense(&of)? };
        let (layout, other) = (AudioLayout::INTERLEAVED, AudioLayout::NON_INTERLEAVED);
        let info = AudioBufferInfo {
            channels: channels.cast_unsigned(),
            samples: samples.cast_unsigned(),
            sampling_rate,
            bytes_per_sample: of.bytes_per_element() as u32,
            audio_format,
            audio_layout: if interleaved { layout } else { other },
        };
        AudioBuffer::from_memory(info, of.into_memory())
    };
    let payload = made().map_err(|error| error::of_sdk(samples.py(), &error))?;
    Ok(Fenced { payload, ready: source.ready })
}
