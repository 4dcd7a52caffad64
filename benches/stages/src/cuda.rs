//! Codelets that measure work on a device. Each writes a line `RESULT` with its figures.

use gxf::prelude::*;
use gxf::{CudaStreamPool, MemoryBuffer, PrimitiveType, Shape};
use gxf_device::kernels::{Conversion, Element};
use gxf_device::{
    AxisTable, Device, DeviceAllocator, LentStream, MemoryPool, Stream, StreamId, Streams, Weights,
    set_fence, settle,
};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

/// Bytes of a picture of `float32` with as many rows as columns.
fn bytes_of(side: u64) -> u64 {
    side * side * 4
}

/// Most bytes of a pool of these codelets.
const LIMIT: u64 = 8 << 30;

/// The time of messages counts from here.
static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Name of a message's number: nanoseconds from `BEGIN` until its last kernels were enqueued.
const SENT: &str = "sent";

fn picture_of(side: u64, memory: MemoryBuffer) -> Result<Tensor> {
    let side = side as i32;
    Tensor::from_memory(Shape::new(&[side, side])?, PrimitiveType::FLOAT32, 4, None, memory)
}

/// A pool for memory that a codelet keeps.
fn kept_pool(device: Device) -> Result<Arc<MemoryPool>> {
    MemoryPool::new(device, 0, LIMIT, LIMIT).map(Arc::new)
}

/// Memory of zeros.
fn zeros(pool: &Arc<MemoryPool>, stream: &Stream, size: u64) -> Result<MemoryBuffer> {
    let mut memory = pool.lend(stream, size)?;
    stream.prepare(|work| work.fill(&mut memory, 0))?;
    Ok(memory)
}

/// Takes something and gives it back, again and again: memory for a stream, or else a stream of a pool.
/// Writes the nanoseconds of one time.
#[derive(Component, Default)]
pub struct CudaTaker {
    /// Allocator of device memory.
    allocator: Parameter<Option<Handle<Allocator>>>,
    /// Pool of streams.
    streams: Parameter<Handle<CudaStreamPool>>,
    /// How often.
    count: Parameter<u64>,
}

impl Codelet for CudaTaker {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        const SIZE: u64 = 4096;
        let lent = LentStream::new(context, &self.streams)?;
        let memory = self.allocator.as_ref().map(|pool| DeviceAllocator::new(context, pool));
        let take = || match &memory {
            Some(memory) => memory.allocate(lent.stream(), SIZE, StorageType::DEVICE).map(drop),
            None => LentStream::new(context, &self.streams).map(drop),
        };
        // The first times create what the others use.
        (0..*self.count / 10).try_for_each(|_| take())?;
        let begin = Instant::now();
        (0..*self.count).try_for_each(|_| take())?;
        println!("RESULT {}", begin.elapsed().as_nanos() as f64 / *self.count as f64);
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        settle();
        Ok(())
    }
}

/// Sends a picture on the device, which it fills on the stream that the message names.
#[derive(Component, Default)]
pub struct CudaSource {
    /// Receivers that are emptied.
    #[parameter(default = Vec::new())]
    inputs: Parameter<Vec<Handle<Receiver>>>,
    /// Transmitter that publishes the pictures.
    output: Parameter<Handle<Transmitter>>,
    /// Allocator of device memory.
    pool: Parameter<Handle<Allocator>>,
    /// Pool of the stream.
    streams: Parameter<Handle<CudaStreamPool>>,
    /// Rows, and columns, of a picture.
    #[parameter(default = 64)]
    side: Parameter<u64>,
    stream: Option<LentStream>,
}

impl Codelet for CudaSource {
    fn start(&mut self, context: &TickContext) -> Result<()> {
        self.stream = Some(LentStream::new(context, &self.streams)?);
        Ok(())
    }

    fn tick(&mut self, context: &TickContext) -> Result<()> {
        for input in self.inputs.iter() {
            while input.try_receive()?.is_some() {}
        }
        let lent = self.stream.as_ref().ok_or(ResultCode::INVALID_LIFECYCLE_STAGE)?;
        let mut message = context.new_message()?;
        let pool = DeviceAllocator::new(context, &self.pool);
        let side = *self.side.get();
        let mut memory = pool.allocate(lent.stream(), bytes_of(side), StorageType::DEVICE)?;
        let ((), fence) = lent.stream().enqueue(|work| work.fill(&mut memory, 0))?;
        message.add("picture", picture_of(side, memory)?)?;
        lent.mark(&mut message, fence)?;
        self.output.publish(message, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.stream = None;
        settle();
        Ok(())
    }
}

/// Sends a picture in host memory.
#[derive(Component, Default)]
pub struct CudaHostSource {
    /// Transmitter that publishes the pictures.
    output: Parameter<Handle<Transmitter>>,
    /// Allocator of host memory.
    pool: Parameter<Handle<Allocator>>,
    /// Rows, and columns, of a picture.
    side: Parameter<u64>,
}

impl Codelet for CudaHostSource {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let side = *self.side.get();
        let memory = MemoryBuffer::allocate(&self.pool, bytes_of(side), StorageType::HOST)?;
        let mut message = context.new_message()?;
        message.add("picture", picture_of(side, memory)?)?;
        self.output.publish(message, context.now())
    }
}

/// Runs kernels on a picture, all in one piece of work on the stream that the message names: sends the
/// result of the first one, or, without a pool, the picture on.
#[derive(Component, Default)]
pub struct CudaKernels {
    /// Receiver of the pictures.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter that publishes them.
    output: Parameter<Handle<Transmitter>>,
    /// Allocator of the results.
    pool: Parameter<Option<Handle<Allocator>>>,
    /// Numbers that each number of a result is the sum of, which decides how long a kernel takes.
    weights: Parameter<u32>,
    /// Kernels of a tick.
    #[parameter(default = 1)]
    kernels: Parameter<usize>,
    /// Rows, and columns, of a picture.
    #[parameter(default = 64)]
    side: Parameter<u64>,
    streams: Streams,
    kept: Option<Kept>,
}

/// Memory that the codelet keeps.
struct Kept {
    weights: MemoryBuffer,
    results: Vec<MemoryBuffer>,
}

impl CudaKernels {
    fn keep(&self, stream: &Stream) -> Result<Kept> {
        let pool = kept_pool(stream.device())?;
        let weights = zeros(&pool, stream, u64::from(*self.weights) * 4)?;
        let results = (0..*self.kernels).map(|_| zeros(&pool, stream, bytes_of(*self.side)));
        Ok(Kept { weights, results: results.collect::<Result<_>>()? })
    }
}

impl Codelet for CudaKernels {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let mut message = self.input.receive()?;
        let now = BEGIN.elapsed().as_nanos() as i64;
        let stream = self.streams.for_message(context, &message, Device::get(0)?)?;
        let mut kept = match self.kept.take() {
            Some(kept) => kept,
            None => self.keep(&stream)?,
        };
        let weights = (&kept.weights, (*self.weights, 1));
        let memory = message.get::<Tensor>("picture")?.memory();
        let pool = self.pool.as_ref().map(|pool| DeviceAllocator::new(context, pool));
        let side = *self.side.get();
        let allocate =
            |pool: DeviceAllocator| pool.allocate(&stream, bytes_of(side), StorageType::DEVICE);
        let mut result = pool.map(allocate).transpose()?;
        let mut first = result.as_mut();
        let ((), fence) = stream.enqueue(|work| {
            work.input(&message)?;
            for own in &mut kept.results {
                let to = first.take().unwrap_or(own);
                work.convolve((memory, (side, side)), weights, to)?;
            }
            Ok(())
        })?;
        if let Some(result) = result {
            let mut answer = context.new_message()?;
            answer.add("picture", picture_of(side, result)?)?;
            answer.add("stream", *message.get::<StreamId>("")?)?;
            message = answer;
        }
        if message.try_get::<i64>(SENT).is_none() {
            message.add(SENT, now)?;
        }
        set_fence(&mut message, fence)?;
        self.kept = Some(kept);
        self.output.publish(message, context.now())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        self.kept = None;
        self.streams.clear();
        settle();
        Ok(())
    }
}

/// Takes pictures once they are done. Writes three figures in nanoseconds: the time from one to the
/// next, the processor time of the process for one, and the median from the first kernel, or the last
/// one that has a result of its own, to the tick.
#[derive(Component, Default)]
pub struct CudaSink {
    /// Receiver of the pictures.
    input: Parameter<Handle<Receiver>>,
    /// Transmitter that sends them back.
    output: Parameter<Option<Handle<Transmitter>>>,
    /// Number of messages, of which a tenth is not measured.
    count: Parameter<usize>,
    delays: Vec<i64>,
    begun: Option<(Instant, Duration)>,
}

/// Processor time of this process so far.
fn processor_time() -> Duration {
    let used = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(used).unwrap_or_default()
}

impl Codelet for CudaSink {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let message = self.input.receive()?;
        let now = BEGIN.elapsed().as_nanos() as i64;
        self.delays.push(message.try_get::<i64>(SENT).map_or(0, |sent| now - sent));
        let unmeasured = *self.count / 10 + 1;
        if self.delays.len() == unmeasured {
            self.begun = Some((Instant::now(), processor_time()));
        }
        if self.delays.len() == *self.count
            && let Some((begin, used)) = self.begun
        {
            let measured = (*self.count - unmeasured) as f64;
            let wall = begin.elapsed().as_nanos() as f64 / measured;
            let used = (processor_time() - used).as_nanos() as f64 / measured;
            let delays = &mut self.delays[unmeasured..];
            delays.sort_unstable();
            println!("RESULT {wall} {used} {}", delays[delays.len() / 2]);
        }
        match self.output.as_ref() {
            Some(output) => output.publish(message, context.now()),
            None => Ok(()),
        }
    }
}

/// A conversion of pictures of bytes.
#[derive(ParameterEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Picture {
    /// RGB to `float32`.
    U8ToF32,
    /// RGB to RGBA.
    RgbToRgba,
    /// NV12 to RGB.
    Nv12ToRgb,
    /// RGB to half the width and height.
    Resize,
}

/// Converts the same picture again and again. Writes the nanoseconds of one time, and the bytes of the
/// picture and its result.
#[derive(Component, Default)]
pub struct CudaConverter {
    /// What it does.
    conversion: Parameter<Picture>,
    /// Rows, and half of the columns.
    rows: Parameter<u64>,
    /// How often.
    count: Parameter<u64>,
}

/// A table that makes one line of each two.
fn halves(pool: &Arc<MemoryPool>, stream: &Stream, from: u64) -> Result<AxisTable> {
    const SHIFT: u32 = 22;
    let bounds: Vec<[u32; 2]> = (0..from as u32 / 2).map(|line| [2 * line, 2]).collect();
    let weights = vec![1 << (SHIFT - 1); bounds.len() * 2];
    let weights = Weights::Fixed(&weights, SHIFT);
    AxisTable::new(stream, pool, Element::U8, (from, &bounds), (2, &weights))
}

impl Codelet for CudaConverter {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        let (rows, columns) = (*self.rows, 2 * *self.rows);
        let pixels = rows * columns;
        let stream = Device::get(0)?.new_stream()?;
        let pool = kept_pool(stream.device())?;
        let (from, to) = match *self.conversion {
            Picture::U8ToF32 => (pixels * 3, pixels * 12),
            Picture::RgbToRgba => (pixels * 3, pixels * 4),
            Picture::Nv12ToRgb => (pixels * 3 / 2, pixels * 3),
            Picture::Resize => (pixels * 3, pixels * 3 / 4),
        };
        let memory = zeros(&pool, &stream, from)?;
        let mut half = zeros(&pool, &stream, pixels * 3 / 2)?;
        let mut result = zeros(&pool, &stream, to)?;
        let tables = [halves(&pool, &stream, columns)?, halves(&pool, &stream, rows)?];
        let numbers = Conversion { factor: 1.0 / 255.0, minimum: 0.0, largest: 0.0 };
        let mut convert = || {
            stream.enqueue(|work| match *self.conversion {
                Picture::U8ToF32 => {
                    let types = (Element::U8, Element::F32);
                    work.convert(types, numbers, &memory, &mut result, pixels * 3).map(drop)
                }
                Picture::RgbToRgba => {
                    let order = [Some(0), Some(1), Some(2), None];
                    work.reorder((1, 3), &order, &[255], &memory, &mut result, pixels).map(drop)
                }
                Picture::Nv12ToRgb => {
                    work.decode_yuv(true, (columns, rows), &memory, &mut result).map(drop)
                }
                Picture::Resize => {
                    let [of_columns, of_rows] = &tables;
                    let half = work.resize(of_columns, (rows, 3), &memory, &mut half)?;
                    work.resize(of_rows, (1, columns / 2 * 3), half, &mut result).map(drop)
                }
            })
        };
        // The driver compiles the kernels.
        convert()?;
        stream.synchronize()?;
        let begin = Instant::now();
        for _ in 0..*self.count {
            convert()?;
        }
        stream.synchronize()?;
        let time = begin.elapsed().as_nanos() as f64 / *self.count as f64;
        println!("RESULT {time} {}", from + to);
        Ok(())
    }

    fn stop(&mut self, _context: &TickContext) -> Result<()> {
        settle();
        Ok(())
    }
}
