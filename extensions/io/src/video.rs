//! `VideoSource` and `VideoSink`: video by ffmpeg, over pipes.
//!
//! ffmpeg writes frames as PPM files, each of which says its size.

use crate::address::Address;
use crate::lock;
use crate::open_files::{Claim, Use};
use crate::program::Program;
use crate::source::{Parser, Source, source};
use crate::write_behind::{WriteBehind, condition};
use gxf::prelude::*;
use std::sync::Mutex;

/// Longest side of a frame.
const LONGEST: usize = 32_768;

/// Publishes the frames of a video file, a stream or a camera, each in a tensor of `uint8` with the
/// dimensions height, width and 3 (RGB). ffmpeg reads the video, so it must be installed. The
/// component is its own scheduling term, and ends with the video; a file is read as fast as the
/// graph takes its frames.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct VideoSource {
    /// Transmitter for the frames.
    #[parameter(carries = Tensor)]
    output: Parameter<Handle<Transmitter>>,
    /// What ffmpeg reads: a file, an address such as `rtsp://…`, or a camera such as `/dev/video0`.
    path: Parameter<String>,
    /// ffmpeg's name of the format, such as `v4l2` for a camera [default: what ffmpeg finds].
    format: Parameter<Option<String>>,
    /// Further options of ffmpeg for its input, such as `[-video_size, 640x480]`.
    options: Parameter<Option<Vec<String>>>,
    /// Name of the tensor.
    #[parameter(default = String::from("image"))]
    name: Parameter<String>,
    source: Source<Frames>,
}

/// The first words of every command.
const FFMPEG: [&str; 6] = ["ffmpeg", "-hide_banner", "-nostats", "-loglevel", "error", "-y"];

impl VideoSource {
    fn address(&self) -> Result<Address> {
        let mut words = FFMPEG.map(str::to_owned).to_vec();
        if let Some(format) = &*self.format {
            words.extend(["-f".to_owned(), format.clone()]);
        }
        words.extend(self.options.iter().flatten().cloned());
        words.extend(["-i".to_owned(), input_of(&self.path)]);
        let frames = ["-an", "-f", "image2pipe", "-c:v", "ppm", "-pix_fmt", "rgb24", "-"];
        words.extend(frames.map(str::to_owned));
        Ok(Address::Program(Program { words, about: self.path.clone() }))
    }

    fn parser(&self) -> Result<Frames> {
        Ok(Frames { name: self.name.clone(), ..Frames::default() })
    }
}

source!(VideoSource, |source| (source.address()?, false));

/// A path that ffmpeg does not take for an address or an option.
fn input_of(path: &str) -> String {
    let is_address = path.contains("://") || path.starts_with('/');
    // Input devices have names such as `testsrc=size=64x48`, which are no paths.
    if is_address || !std::path::Path::new(path).exists() {
        return path.to_owned();
    }
    format!("file:{path}")
}

/// The frame that is being read.
#[derive(Default)]
pub struct Frames {
    name: String,
    /// Height and width, once they are known.
    size: Option<[usize; 2]>,
    pixels: Vec<u8>,
}

impl Frames {
    fn length(&self) -> Option<usize> {
        self.size.map(|[height, width]| height * width * 3)
    }
}

/// The size in the header of a PPM file, and the length of the header. `None` if it is incomplete.
fn header_of(bytes: &[u8]) -> Result<Option<([usize; 2], usize)>> {
    /// Longest header: three numbers.
    const LONGEST_HEADER: usize = 64;
    let header = &bytes[..bytes.len().min(LONGEST_HEADER)];
    let mut words = Vec::new();
    let mut begin = None;
    for (position, byte) in header.iter().enumerate() {
        match (begin, byte.is_ascii_whitespace()) {
            (None, false) => begin = Some(position),
            (Some(first), true) => {
                words.push(&header[first..position]);
                begin = None;
            }
            _ => {}
        }
        if let [magic, width, height, depth] = words[..] {
            let number = |text: &[u8]| str::from_utf8(text).ok()?.parse::<usize>().ok();
            return match (magic, number(width), number(height), number(depth)) {
                (b"P6", Some(width @ 1..=LONGEST), Some(height @ 1..=LONGEST), Some(255)) => {
                    Ok(Some(([height, width], position + 1)))
                }
                _ => Err(gxe_columns::bad_data(format!(
                    "ffmpeg sent no frame of up to {LONGEST} pixels a side, but `{}`",
                    header[..=position].escape_ascii()
                ))),
            };
        }
    }
    if header.len() == LONGEST_HEADER {
        return Err(gxe_columns::bad_data("ffmpeg sent something that is no frame"));
    }
    Ok(None)
}

impl Parser for Frames {
    const HAS_LINES: bool = false;

    fn parse(&mut self, bytes: &[u8], at_end: bool) -> Result<usize> {
        let mut used = 0;
        if self.size.is_none()
            && let Some((size, length)) = header_of(bytes)?
        {
            self.size = Some(size);
            used = length;
        }
        if let Some(length) = self.length() {
            let taken = (length - self.pixels.len()).min(bytes.len() - used);
            self.pixels.extend_from_slice(&bytes[used..used + taken]);
            used += taken;
        }
        if at_end && !self.is_full() && (self.size.is_some() || !bytes.is_empty()) {
            return Err(gxe_columns::bad_data("the video ends within a frame"));
        }
        Ok(used)
    }

    fn has_some(&self) -> bool {
        self.is_full()
    }

    fn is_full(&self) -> bool {
        self.length() == Some(self.pixels.len())
    }

    fn fill(&mut self, message: &mut Message) -> Result<()> {
        let Some([height, width]) = self.size.take() else {
            return Err(ResultCode::INVALID_DATA_FORMAT.into());
        };
        let pixels = std::mem::take(&mut self.pixels);
        // At most LONGEST.
        let frame = Tensor::from_vec(&[height as i32, width as i32, 3], pixels)?;
        message.add(&self.name, frame).map(|_| ())
    }
}

/// Writes frames to a video file or a stream by ffmpeg, which must be installed: tensors of `uint8`
/// with the dimensions height, width and 1 (grey), 3 (RGB) or 4 (RGBA), all of one size. It is its
/// own scheduling term: it waits while ffmpeg is slow.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct VideoSink {
    /// Receiver for the frames.
    #[parameter(carries = Tensor)]
    input: Parameter<Handle<Receiver>>,
    /// What ffmpeg writes: a file, whose ending says the format, or an address such as `udp://…`.
    path: Parameter<String>,
    /// Frames in a second of the video.
    #[parameter(default = 30.0, minimum = 0.001, maximum = 1000.0)]
    frames_per_second: Parameter<f64>,
    /// Further options of ffmpeg for its output, such as `[-c:v, ffv1]`.
    options: Parameter<Option<Vec<String>>>,
    /// Name of the tensor [default: the first one].
    name: Parameter<Option<String>>,
    run: Mutex<Option<Written>>,
    context: Mutex<Option<ContextHandle>>,
}

/// What is being written.
struct Written {
    behind: WriteBehind,
    /// Keeps sources of this process from the file.
    _claim: Option<Claim>,
    /// Height, width and channels.
    size: [i32; 3],
}

impl VideoSink {
    fn begin(&self, size: [i32; 3], context: ContextHandle) -> Result<Written> {
        let [height, width, channels] = size;
        let format = match channels {
            1 => "gray",
            3 => "rgb24",
            _ => "rgba",
        };
        let (rate, size_of_frames) =
            (self.frames_per_second.to_string(), format!("{width}x{height}"));
        let mut words = FFMPEG.map(str::to_owned).to_vec();
        let input = ["-f", "rawvideo", "-pix_fmt", format, "-video_size", &size_of_frames];
        words.extend(input.map(str::to_owned));
        words.extend(["-framerate", &rate, "-i", "-"].map(str::to_owned));
        words.extend(self.options.iter().flatten().cloned());
        words.push(match self.path.contains("://") {
            true => self.path.clone(),
            false => format!("file:{}", *self.path),
        });
        let address = Address::Program(Program { words, about: self.path.clone() });
        let claim = Claim::of_program(&address, Use::Write)?;
        Ok(Written { behind: WriteBehind::start(address, false, context)?, _claim: claim, size })
    }
}

impl Lifecycle for VideoSink {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        *lock(&self.context) = Some(context.handle());
        Ok(())
    }
}

impl gxf::SharedCodelet for VideoSink {
    fn tick(&self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let tensor = match self.name.as_deref() {
            Some(name) => Some(message.get::<Tensor>(name)?),
            None => message.find_all::<Tensor>().next(),
        };
        let Some(tensor) = tensor else { return Ok(()) };
        let size = match *tensor.shape().dimensions() {
            [height, width] => [height, width, 1],
            [height, width, channels @ (1 | 3 | 4)] => [height, width, channels],
            _ => {
                return Err(gxe_columns::bad_data(format!(
                    "a {tensor} is no frame: its dimensions are height, width and 1, 3 or 4"
                )));
            }
        };
        let pixels = tensor.data::<u8>()?.to_vec();
        let mut run = lock(&self.run);
        let written = match &mut *run {
            Some(written) if written.size != size => {
                return Err(gxe_columns::bad_data(format!(
                    "the size of the frames changes from {:?} to {size:?}",
                    written.size
                )));
            }
            Some(written) => written,
            None => run.insert(self.begin(size, context.handle())?),
        };
        written.behind.write(pixels)
    }

    fn stop(&self, _context: &TickContext) -> Result<()> {
        // Waits for ffmpeg, so not under the lock.
        let run = lock(&self.run).take();
        run.map_or(Ok(()), |written| written.behind.finish())
    }
}

impl implement::SchedulingTerm for VideoSink {
    fn check(&self, now: i64) -> Result<Condition> {
        let run = lock(&self.run);
        condition(&self.context, now, |token| match run.as_ref() {
            None => Ok(true),
            Some(written) => written.behind.has_room_or(token),
        })
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Frames, header_of};
    use crate::source::Parser;

    #[test]
    fn frames_come_in_pieces_of_any_size() {
        let stream = b"P6\n2 1\n255\nabcdefP6\n1 1\n255\nxyz";
        for piece in 1..stream.len() {
            let (mut frames, mut begin, mut found) = (Frames::default(), 0, Vec::new());
            for end in (piece..stream.len()).step_by(piece).chain([stream.len()]) {
                loop {
                    let used = frames.parse(&stream[begin..end], false).unwrap();
                    begin += used;
                    if !frames.is_full() {
                        break;
                    }
                    found.push((frames.size.take(), std::mem::take(&mut frames.pixels)));
                }
            }
            let expected = [(Some([1, 2]), b"abcdef".to_vec()), (Some([1, 1]), b"xyz".to_vec())];
            assert_eq!(found, expected, "pieces of {piece}");
        }
    }

    #[test]
    fn what_is_no_frame_is_refused() {
        for wrong in [
            "P5\n2 1\n255\n",
            "P6\n0 1\n255\n",
            "P6\n99999 1\n255\n",
            "P6\n2 1\n65535\n",
            "P6\n-1 1\n255\n",
        ] {
            assert!(header_of(wrong.as_bytes()).is_err(), "{wrong}");
        }
        assert!(header_of(&[b'x'; 64]).is_err());
        assert_eq!(header_of(b"P6\n2 1\n25").unwrap(), None);
        assert!(Frames::default().parse(b"P6\n2 1\n255\nabc", true).is_err());
    }
}
