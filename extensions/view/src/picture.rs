//! `ImageSource` and `ImageSink`.

use gxf::SharedCodelet;
use gxf::prelude::*;
use image::{DynamicImage, ExtendedColorType, ImageFormat, ImageReader, Limits};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Longest side of a picture.
const LONGEST: u32 = 32_768;

/// Publishes pictures (PNG, JPEG), each in a message: a tensor of `uint8` with the dimensions height,
/// width and 1 (grey), 3 (RGB) or 4 (RGBA). It is its own scheduling term, and ends after the last
/// picture.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct ImageSource {
    /// Transmitter for the pictures.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// Files to read, in this order.
    paths: Parameter<Vec<PathBuf>>,
    /// Name of the tensor.
    #[parameter(default = String::from("image"))]
    name: Parameter<String>,
    next: AtomicUsize,
}

fn failed(path: &Path, action: &str, error: impl std::fmt::Display) -> Error {
    Error::failure(format!("the picture `{}` cannot be {action}: {error}", path.display()))
}

fn read(path: &Path) -> Result<Tensor> {
    let mut reader = ImageReader::open(path).map_err(|error| failed(path, "opened", error))?;
    let mut limits = Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(LONGEST), Some(LONGEST));
    reader.limits(limits);
    let reader = reader.with_guessed_format().map_err(|error| failed(path, "read", error))?;
    let picture = reader.decode().map_err(|error| failed(path, "read", error))?;
    let (width, height) = (picture.width() as i32, picture.height() as i32);
    let (channels, bytes) = match picture {
        DynamicImage::ImageLuma8(picture) => (1, picture.into_raw()),
        picture if picture.color().has_alpha() => (4, picture.into_rgba8().into_raw()),
        picture if picture.color().has_color() => (3, picture.into_rgb8().into_raw()),
        picture => (1, picture.into_luma8().into_raw()),
    };
    Tensor::from_vec(&[height, width, channels], bytes)
}

impl Lifecycle for ImageSource {}

impl SharedCodelet for ImageSource {
    fn start(&self, _context: &TickContext) -> Result<()> {
        self.next.store(0, Ordering::Relaxed);
        Ok(())
    }

    fn tick(&self, context: &TickContext) -> Result<()> {
        let index = self.next.load(Ordering::Relaxed);
        let mut message = context.new_message()?;
        if let Some(path) = self.paths.get().get(index) {
            message.add(&self.name, read(path)?)?;
        }
        self.next.store(index + 1, Ordering::Relaxed);
        if index + 1 >= self.paths.len() {
            gxe_columns::mark_last(&mut message)?;
        }
        self.output.publish(message, context.now())
    }
}

impl implement::SchedulingTerm for ImageSource {
    fn check(&self, now: i64) -> Result<Condition> {
        let index = self.next.load(Ordering::Relaxed);
        let is_over = index > 0 && index >= self.paths.len();
        let condition_type = if is_over { ConditionType::NEVER } else { ConditionType::READY };
        Ok(Condition { condition_type, target: now })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}

/// Writes pictures to files. A picture is a tensor of `uint8` with the dimensions height, width and,
/// unless it is grey, 1, 3 (RGB) or 4 (RGBA). Messages without tensors are left out.
#[derive(Component, Default)]
pub struct ImageSink {
    /// Receiver for the pictures.
    #[parameter(carries = Tensor)]
    input: Parameter<Handle<Receiver>>,
    /// Files to write: `#` stands for the number of the picture, from 0, and several of them for
    /// its least number of digits. The ending says the format: `.png`, `.jpg`.
    path: Parameter<String>,
    /// Name of the tensor [default: the first one].
    name: Parameter<Option<String>>,
    written: u64,
}

impl ImageSink {
    fn format(&self) -> Result<ImageFormat> {
        ImageFormat::from_path(self.path.as_str())
            .ok()
            .filter(|format| [ImageFormat::Png, ImageFormat::Jpeg].contains(format))
            .ok_or_else(|| {
                let text = format!("`path` ends with .png or .jpg, unlike `{}`", *self.path);
                Error::new(ResultCode::PARAMETER_OUT_OF_RANGE, text)
            })
    }
}

/// The path of a picture by its number.
fn numbered(pattern: &str, number: u64) -> String {
    let Some(begin) = pattern.find('#') else { return pattern.to_owned() };
    let rest = pattern[begin..].trim_start_matches('#');
    let digits = pattern.len() - begin - rest.len();
    format!("{}{number:0digits$}{rest}", &pattern[..begin])
}

impl Codelet for ImageSink {
    fn check_parameters(&self) -> Result<()> {
        self.format().map(|_| ())
    }

    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.written = 0;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let tensor = match self.name.as_deref() {
            Some(name) => Some(message.get::<Tensor>(name)?),
            None => message.find_all::<Tensor>().next(),
        };
        let Some(tensor) = tensor else { return Ok(()) };
        let (height, width, color) = match tensor.shape().dimensions() {
            [height, width] | [height, width, 1] => (*height, *width, ExtendedColorType::L8),
            [height, width, 3] => (*height, *width, ExtendedColorType::Rgb8),
            [height, width, 4] => (*height, *width, ExtendedColorType::Rgba8),
            _ => {
                return Err(gxe_columns::bad_data(format!(
                    "a {tensor} is no picture: its dimensions are height, width and 1, 3 or 4"
                )));
            }
        };
        let path = numbered(&self.path, self.written);
        let bytes = tensor.data::<u8>()?;
        let (width, height) = (width as u32, height as u32);
        image::save_buffer_with_format(&path, bytes, width, height, color, self.format()?)
            .map_err(|error| failed(Path::new(&path), "written", error))?;
        self.written += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::numbered;

    #[test]
    fn numbers_of_pictures() {
        assert_eq!(numbered("a/b-####.png", 7), "a/b-0007.png");
        assert_eq!(numbered("b#.png", 1234), "b1234.png");
        assert_eq!(numbered("b.png", 3), "b.png");
    }
}
