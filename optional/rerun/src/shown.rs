//! Which of Rerun's archetypes shows a payload.
//!
//! Pictures and picture files become images, texts log lines, numbers and small tensors points of
//! a plot, and other tensors tensors. Ends of streams, and what only a serializer understands, have
//! nothing to show.

use gxe_mcap_format::schema::{
    COMPRESSED_SCHEMA, END_SCHEMA, IMAGE_SCHEMA, LOG_SCHEMA, NUMBER_SCHEMA, TENSOR_SCHEMA,
};
use gxe_mcap_format::{Error, Part, foxglove, tensor};
use rerun::{
    ChannelDatatype, ColorModel, EncodedImage, Image, RecordingStream, RecordingStreamError,
    Scalars, Tensor, TensorBuffer, TensorData, TextLog,
};

/// Most elements of a tensor that is plotted instead of shown as a tensor.
const MOST_PLOTTED: usize = 16;

/// Why a payload cannot be shown.
pub enum Refusal {
    /// Rerun has nothing that shows payloads of its kind.
    Unknown,
    /// The part says something impossible of itself.
    Damaged,
    /// What Rerun says.
    Rerun(RecordingStreamError),
}

impl From<RecordingStreamError> for Refusal {
    fn from(error: RecordingStreamError) -> Self {
        Self::Rerun(error)
    }
}

impl From<Error> for Refusal {
    fn from(_: Error) -> Self {
        Self::Damaged
    }
}

/// Shows a part at a path, at the time that is set for this thread.
pub fn show(stream: &RecordingStream, path: &str, part: &Part) -> Result<(), Refusal> {
    match part.kind.schema {
        NUMBER_SCHEMA => stream.log(path, &Scalars::single(number(&part.data)?))?,
        IMAGE_SCHEMA => stream.log(path, &image(&part.data)?)?,
        COMPRESSED_SCHEMA => {
            let file = tensor::tensor_of(COMPRESSED_SCHEMA, &part.data)?;
            stream.log(path, &EncodedImage::from_file_contents(file.bytes.into_owned()))?;
        }
        LOG_SCHEMA => {
            let text = tensor::tensor_of(LOG_SCHEMA, &part.data)?;
            let text = String::from_utf8_lossy(&text.bytes);
            stream.log(path, &TextLog::new(text.trim_end()).with_level("INFO"))?;
        }
        TENSOR_SCHEMA => match values(&tensor::tensor_of(TENSOR_SCHEMA, &part.data)?)? {
            Values::Plotted(values) => stream.log(path, &Scalars::new(values))?,
            Values::Tensor(tensor) => stream.log(path, &Tensor::new(tensor))?,
        },
        END_SCHEMA => {}
        _ => return Err(Refusal::Unknown),
    }
    Ok(())
}

/// The value of `{"value":…}`, which JSON has as `null` if it is not finite.
fn number(json: &[u8]) -> Result<f64, Refusal> {
    let value = json.strip_prefix(b"{\"value\":").and_then(|text| text.strip_suffix(b"}"));
    match value.and_then(|value| str::from_utf8(value).ok()) {
        Some("null") => Ok(f64::NAN),
        Some(value) => value.parse().map_err(|_| Refusal::Damaged),
        None => Err(Refusal::Damaged),
    }
}

fn image(data: &[u8]) -> Result<Image, Refusal> {
    let image = foxglove::image_of(data)?;
    let (model, channels) = match image.encoding {
        "mono8" | "8UC1" => (ColorModel::L, 1),
        "rgb8" => (ColorModel::RGB, 3),
        "bgr8" => (ColorModel::BGR, 3),
        "rgba8" => (ColorModel::RGBA, 4),
        "bgra8" => (ColorModel::BGRA, 4),
        _ => return Err(Refusal::Unknown),
    };
    let (row, step) = (image.width as usize * channels, image.step as usize);
    let size = (image.height as usize).checked_mul(step).ok_or(Refusal::Damaged)?;
    if step < row || step == 0 || image.bytes.len() < size {
        return Err(Refusal::Damaged);
    }
    // Rerun knows no padding between rows.
    let rows = image.bytes[..size].chunks_exact(step);
    let pixels = rows.flat_map(|line| &line[..row]).copied().collect::<Vec<_>>();
    let resolution = [image.width, image.height];
    Ok(Image::from_color_model_and_bytes(pixels, resolution, model, ChannelDatatype::U8))
}

/// What shows the elements of a tensor.
enum Values {
    Plotted(Vec<f64>),
    Tensor(TensorData),
}

/// The elements of a tensor, if Rerun knows their type.
fn values(tensor: &tensor::Tensor<'_>) -> Result<Values, Refusal> {
    let shape: Vec<u64> =
        tensor.dimensions.iter().map(|length| length.unsigned_abs().into()).collect();
    let asked = shape.iter().try_fold(1_u64, |count, length| count.checked_mul(*length));
    let asked = asked.and_then(|asked| usize::try_from(asked).ok()).ok_or(Refusal::Damaged)?;
    /// Numbers of this type, in the order of bytes that all machines have on which gxe runs.
    macro_rules! numbers {
        ($type:ty, $variant:ident, $number:ident => $value:expr) => {{
            let (chunks, rest) = tensor.bytes.as_chunks::<{ size_of::<$type>() }>();
            if chunks.len() != asked || !rest.is_empty() {
                return Err(Refusal::Damaged);
            }
            let numbers = chunks.iter().map(|bytes| <$type>::from_le_bytes(*bytes));
            if (1..=MOST_PLOTTED).contains(&asked) {
                Values::Plotted(numbers.map(|$number| $value).collect())
            } else {
                let numbers = TensorBuffer::$variant(numbers.collect::<Vec<_>>().into());
                Values::Tensor(TensorData::new(shape, numbers))
            }
        }};
    }
    // A plot shows no more than a `f64` has of the largest integers.
    #[allow(clippy::cast_precision_loss, reason = "see above")]
    Ok(match &*tensor.element_type {
        "uint8" => numbers!(u8, U8, number => number.into()),
        "uint16" => numbers!(u16, U16, number => number.into()),
        "uint32" => numbers!(u32, U32, number => number.into()),
        "uint64" => numbers!(u64, U64, number => number as f64),
        "int8" => numbers!(i8, I8, number => number.into()),
        "int16" => numbers!(i16, I16, number => number.into()),
        "int32" => numbers!(i32, I32, number => number.into()),
        "int64" => numbers!(i64, I64, number => number as f64),
        "float16" => numbers!(half::f16, F16, number => number.into()),
        "float32" => numbers!(f32, F32, number => number.into()),
        "float64" => numbers!(f64, F64, number => number),
        _ => return Err(Refusal::Unknown),
    })
}
