//! Random graphs of device work, whose results a sequential model on the CPU predicts to the bit:
//! copies in all directions, conversions and products, on memory of all allocators, with and without
//! streams of a pool, read by several entities, under every scheduler and order of the device's work.
//!
//! `DEVICE_GRAPHS=2000` tries that many, from `DEVICE_SEED` on.

use gxe_tests::cuda::{is_on_gpu, modes, run, with_driver};
use gxe_tests::random::Random;
use gxe_tests::{Gxe, is_thorough};
use std::fmt::Write;

pub(crate) const MANIFEST: &str = "extensions:\n- libgxf_test.so\n- libgxf_cuda.so\n- libgxf_rmm.so\n- libgxf_npp.so\n\
                        - libgxf_format_converter.so\n- libgxe_io.so\n";

const SCHEDULERS: [&str; 5] = [
    "{type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}",
    "{type: nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 1}}",
    "{type: nvidia::gxf::MultiThreadScheduler, parameters: {clock: clock, worker_thread_number: 4}}",
    "{type: nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 3}}",
    "{type: gxe::ActorScheduler, parameters: {clock: clock, threads: 2}}",
];

/// Where a tensor is, as TensorCopier's modes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Device = 0,
    Host = 1,
    System = 2,
}

/// A tensor of three channels, as the model knows it.
#[derive(Clone, Debug)]
enum Values {
    Bytes(Vec<u8>),
    Floats(Vec<f32>),
}

impl Values {
    fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes.clone(),
            Self::Floats(floats) => floats.iter().flat_map(|value| value.to_le_bytes()).collect(),
        }
    }

    fn reordered(&self, order: [usize; 3]) -> Self {
        fn pixels<T: Copy>(values: &[T], order: [usize; 3]) -> Vec<T> {
            values.chunks_exact(3).flat_map(|pixel| order.map(|channel| pixel[channel])).collect()
        }
        match self {
            Self::Bytes(bytes) => Self::Bytes(pixels(bytes, order)),
            Self::Floats(floats) => Self::Floats(pixels(floats, order)),
        }
    }
}

/// A transmitter and what it publishes, tick by tick.
struct Output {
    port: String,
    place: Place,
    values: Vec<Values>,
}

struct Graph {
    random: Random,
    text: String,
    connections: String,
    outputs: Vec<Output>,
    entities: usize,
    /// Bytes of the largest tensor.
    largest: usize,
    sinks: Vec<Vec<u8>>,
}

impl Graph {
    /// A component that allocates memory of this place, and its name: one of the entity's own, or one
    /// that other entities use, too, whose streams then take each other's memory.
    fn pool(&mut self, place: Place) -> (String, &'static str) {
        let block = self.largest.next_multiple_of(256);
        let block_pool = |storage: i32| {
            format!(
                "- {{name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: \
                 {storage}, block_size: {block}, num_blocks: 12}}}}\n"
            )
        };
        let plain = |kind: &str| format!("- {{name: pool, type: nvidia::gxf::{kind}}}\n");
        let own = match (place, self.random.below(8)) {
            (Place::Device, 0) => block_pool(1),
            (Place::Device, 1) => plain("StreamOrderedAllocator"),
            (Place::Device, 2) | (Place::Host, 2) => plain("RMMAllocator"),
            (Place::Host, 0) => block_pool(0),
            (Place::System, 0) => block_pool(2),
            (Place::Device, 4) => return (String::new(), "shared/blocks"),
            (Place::Device, 5) => return (String::new(), "shared/ordered"),
            (Place::Device | Place::Host, 6) => return (String::new(), "shared/rmm"),
            (Place::Device, 3) | (_, 7) => return (String::new(), "shared/unbounded"),
            _ => plain("UnboundedAllocator"),
        };
        (own, "pool")
    }

    /// The allocators that entities share.
    fn shared(&self) -> String {
        let block = self.largest.next_multiple_of(256);
        format!(
            "---\nname: shared\ncomponents:\n- {{name: blocks, type: nvidia::gxf::BlockMemoryPool, \
             parameters: {{storage_type: 1, block_size: {block}, num_blocks: 100}}}}\n- {{name: \
             ordered, type: nvidia::gxf::StreamOrderedAllocator}}\n- {{name: rmm, type: \
             nvidia::gxf::RMMAllocator}}\n- {{name: unbounded, type: \
             nvidia::gxf::UnboundedAllocator}}\n"
        )
    }

    /// Adds an entity that turns the output `from` into another one.
    fn add(&mut self, from: usize) {
        let Output { port, place, values } = &self.outputs[from];
        let (port, place, values) = (port.clone(), *place, values.clone());
        let is_float = matches!(values[0], Values::Floats(_));
        let name = format!("e{}", self.entities);
        self.entities += 1;
        let (to, codelet, values) = match self.random.below(6) {
            // Products on the device.
            0 | 1 if is_float && place == Place::Device => {
                let factor = [0; 3].map(|_| (self.random.below(9) as f32 - 4.0) / 2.0);
                let multiply = |values: &Values| match values {
                    Values::Floats(floats) => Values::Floats(
                        floats.iter().enumerate().map(|(i, value)| value * factor[i % 3]).collect(),
                    ),
                    Values::Bytes(_) => unreachable!("only floats are multiplied"),
                };
                let codelet = format!(
                    "nvidia::gxf::NppiMulC, parameters: {{in: in, out: out, pool: pool, factor: \
                     {factor:?}}}"
                );
                (place, codelet, values.iter().map(multiply).collect())
            }
            0..=2 => {
                // From -1 to 1, or from 0 to 255.
                let (minimum, maximum) = self.random.any(&[(-1.0, 1.0), (0.0, 255.0)]);
                let span: f32 = maximum - minimum;
                let convert = |values: &Values| match values {
                    Values::Bytes(bytes) => {
                        let factor = span / 255.0;
                        let convert = |byte: &u8| f32::from(*byte) * factor + minimum;
                        Values::Floats(bytes.iter().map(convert).collect())
                    }
                    Values::Floats(floats) => {
                        let factor = 255.0 / span;
                        let convert = |value: &f32| {
                            (((value - minimum) * factor).clamp(0.0, 255.0) + 0.5) as u8
                        };
                        Values::Bytes(floats.iter().map(convert).collect())
                    }
                };
                let element = if is_float { "uint8" } else { "float32" };
                let codelet = format!(
                    "nvidia::holoscan::formatconverter::FormatConverter, parameters: {{in: in, out: \
                     out, pool: pool, out_dtype: {element}, scale_min: {minimum}, scale_max: \
                     {maximum}}}"
                );
                (place, codelet, values.iter().map(convert).collect())
            }
            3 => {
                let order = self.random.any(&[[2, 1, 0], [1, 2, 0], [0, 0, 2]]);
                let element = if is_float { "float32" } else { "uint8" };
                let codelet = format!(
                    "nvidia::holoscan::formatconverter::FormatConverter, parameters: {{in: in, out: \
                     out, pool: pool, out_dtype: {element}, out_channel_order: {order:?}}}"
                );
                (place, codelet, values.iter().map(|it| it.reordered(order)).collect())
            }
            _ => {
                let to = match self.random.below(5) {
                    0 => Place::Host,
                    1 => Place::System,
                    _ => Place::Device,
                };
                let codelet = format!(
                    "nvidia::gxf::TensorCopier, parameters: {{receiver: in, transmitter: out, \
                     allocator: pool, mode: {}}}",
                    to as i32
                );
                (to, codelet, values)
            }
        };
        let (codelet, streams) = match codelet.contains("FormatConverter")
            && to == Place::Device
            && self.random.below(2) == 0
        {
            true => (
                codelet.replace("pool: pool", "pool: pool, cuda_stream_pool: streams"),
                "- {name: streams, type: nvidia::gxf::CudaStreamPool, parameters: {max_size: 4}}\n",
            ),
            false => (codelet, ""),
        };
        let capacity = 1 + self.random.below(3);
        let (pool, handle) = self.pool(to);
        let codelet = codelet.replace(": pool", &format!(": {handle}"));
        _ = write!(
            self.text,
            "---\nname: {name}\ncomponents:\n- {{name: in, type: nvidia::gxf::DoubleBufferReceiver, \
             parameters: {{capacity: {capacity}}}}}\n- {{name: out, type: \
             nvidia::gxf::DoubleBufferTransmitter}}\n{pool}{streams}- {{type: {codelet}}}\n"
        );
        self.connect(&port, &format!("{name}/in"));
        self.outputs.push(Output { port: format!("{name}/out"), place: to, values });
    }

    fn connect(&mut self, from: &str, to: &str) {
        _ = writeln!(
            self.connections,
            "- {{type: nvidia::gxf::Connection, parameters: {{source: {from}, target: {to}}}}}"
        );
    }

    /// Writes the bytes of an output to a file, over a copy to the host.
    fn sink(&mut self, from: usize) {
        let index = self.sinks.len();
        let Output { port, values, .. } = &self.outputs[from];
        let (port, bytes) = (port.clone(), values.iter().flat_map(Values::to_bytes).collect());
        let (pool, handle) = self.pool(Place::Host);
        _ = write!(
            self.text,
            "---\nname: host{index}\ncomponents:\n- {{name: in, type: \
             nvidia::gxf::DoubleBufferReceiver}}\n- {{name: out, type: \
             nvidia::gxf::DoubleBufferTransmitter}}\n{pool}- {{type: nvidia::gxf::TensorCopier, \
             parameters: {{receiver: in, transmitter: out, allocator: {handle}, mode: 1}}}}\n---\nname: \
             sink{index}\ncomponents:\n- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n- \
             {{type: gxe::io::RawSink, parameters: {{input: in, address: sink{index}.raw}}}}\n"
        );
        self.connect(&port, &format!("host{index}/in"));
        self.connect(&format!("host{index}/out"), &format!("sink{index}/in"));
        self.sinks.push(bytes);
    }
}

/// What the test extension's generator begins with.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// The bytes of the test extension's generator (Marsaglia's xorshift).
fn generated(count: usize, state: &mut u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count + 8);
    while bytes.len() < count {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        bytes.extend(state.to_le_bytes());
    }
    bytes.truncate(count);
    bytes
}

pub(crate) fn graph(seed: u64) -> (String, Vec<Vec<u8>>, String) {
    let mut random = Random(seed);
    let (height, width) = (1 + random.index(8), 1 + random.index(39));
    let ticks = 2 + random.below(5);
    let size = height * width * 3;
    let mut state = SEED;
    let values = (0..ticks).map(|_| Values::Bytes(generated(size, &mut state))).collect();
    let scheduler = random.any(&SCHEDULERS);
    let mode = match random.below(4) {
        0 => "eager".to_owned(),
        1 => "lazy".to_owned(),
        _ => format!("random:{}", random.below(1000)),
    };
    let nodes = 2 + random.below(10);
    // Memory that is written again soon, or memory that nobody else gets.
    let block = size.next_multiple_of(256);
    let pool = match random.below(2) {
        0 => "UnboundedAllocator}".to_owned(),
        _ => format!(
            "BlockMemoryPool, parameters: {{storage_type: 0, block_size: {block}, num_blocks: 2}}}}\n- \
             {{type: nvidia::gxf::MemoryAvailableSchedulingTerm, parameters: {{allocator: pool, \
             min_bytes: {block}}}}}"
        ),
    };
    let mut graph = Graph {
        random,
        text: format!(
            "# seed {seed}\ndefault_conditions: true\n---\nname: source\ncomponents:\n- {{name: out, \
             type: nvidia::gxf::DoubleBufferTransmitter}}\n- {{name: pool, type: \
             nvidia::gxf::{pool}\n- {{type: nvidia::gxf::test::TensorGenerator, \
             parameters: {{output: out, allocator: pool, shape: [{height}, {width}, 3]}}}}\n- {{type: \
             nvidia::gxf::CountSchedulingTerm, parameters: {{count: {ticks}}}}}\n"
        ),
        connections: String::new(),
        outputs: vec![Output { port: "source/out".to_owned(), place: Place::Host, values }],
        entities: 0,
        largest: size * 4,
        sinks: Vec::new(),
    };
    for _ in 0..nodes {
        // Rather long chains than many readers of one.
        let last = graph.outputs.len() - 1;
        let from = match graph.random.below(5) {
            0..3 => last,
            _ => graph.random.index(last + 1),
        };
        graph.add(from);
    }
    for output in 0..graph.outputs.len() {
        let is_read =
            graph.connections.contains(&format!("source: {},", graph.outputs[output].port));
        if !is_read || graph.random.below(5) == 0 {
            graph.sink(output);
        }
    }
    let shared = graph.shared();
    let Graph { text, connections, sinks, .. } = graph;
    let app = format!(
        "{text}{shared}---\ncomponents:\n{connections}---\nname: scheduler\ncomponents:\n- {{name: clock, type: \
         nvidia::gxf::RealtimeClock}}\n- {scheduler}\n"
    );
    (app, sinks, mode)
}

#[test]
fn results_are_those_of_the_model() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let count = number("DEVICE_GRAPHS").unwrap_or(if is_thorough() { 300 } else { 24 });
    let begin = number("DEVICE_SEED").unwrap_or(0);
    let mut kernels = 0;
    for seed in begin..begin + count {
        let (app, expected, mode) = graph(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let gxe = Gxe::in_folder(folder.path())
            .file("app.yaml", &app)
            .file("manifest.yaml", MANIFEST)
            .args("--app app.yaml --manifest manifest.yaml");
        let gxe = if seed % 2 == 0 { gxe.args("--cuda-graphs") } else { gxe };
        let (ended, report) = run(with_driver(gxe, folder.path(), &mode));
        assert_eq!(ended.status, Some(0), "{mode}\n{app}\n{}\n{}", ended.stdout, ended.stderr);
        for (index, expected) in expected.iter().enumerate() {
            let found = std::fs::read(folder.path().join(format!("sink{index}.raw")));
            assert!(found.expect("a file") == *expected, "sink{index} in mode {mode} of\n{app}");
        }
        report.nothing_is_left();
        kernels += report.get("kernels");
    }
    assert!(is_on_gpu() || kernels > count, "only {kernels} kernels");
}

/// Pinned memory of the host is not written again before the device has read it: here that of
/// messages, whose parts share it, and no thread waits for that.
#[test]
fn shared_host_memory_stays_until_the_device_has_read_it() {
    let app = "\
default_conditions: true
---
name: source
components:
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 0, block_size: 512, num_blocks: 2}}
- {type: nvidia::gxf::test::TensorGenerator, parameters: {output: out, allocator: pool, shape: [10, 50]}}
- {type: nvidia::gxf::MemoryAvailableSchedulingTerm, parameters: {allocator: pool, min_bytes: 512}}
- {type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 30}}
---
name: parts
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {type: gxe::actors::Unpack, parameters: {input: in, output: out, count: 2}}
---
name: to_device
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::UnboundedAllocator}
- {type: nvidia::gxf::TensorCopier, parameters: {receiver: in, transmitter: out, allocator: pool, mode: 0}}
---
name: to_host
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver, parameters: {capacity: 100}}
- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}
- {name: pool, type: nvidia::gxf::UnboundedAllocator}
- {type: nvidia::gxf::TensorCopier, parameters: {receiver: in, transmitter: out, allocator: pool, mode: 1}}
# The device has much to do before somebody waits for it.
- {type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: 3ms}}
---
name: sink
components:
- {name: in, type: nvidia::gxf::DoubleBufferReceiver}
- {type: gxe::io::RawSink, parameters: {input: in, address: bytes.raw}}
---
components:
- {type: nvidia::gxf::Connection, parameters: {source: source/out, target: parts/in}}
- {type: nvidia::gxf::Connection, parameters: {source: parts/out, target: to_device/in}}
- {type: nvidia::gxf::Connection, parameters: {source: to_device/out, target: to_host/in}}
- {type: nvidia::gxf::Connection, parameters: {source: to_host/out, target: sink/in}}
---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {type: nvidia::gxf::GreedyScheduler, parameters: {clock: clock}}
";
    let mut state = SEED;
    let expected: Vec<u8> = (0..30).flat_map(|_| generated(500, &mut state)).collect();
    for mode in modes() {
        let folder = tempfile::tempdir().expect("a folder");
        let gxe = Gxe::in_folder(folder.path())
            .file("app.yaml", app)
            .file("manifest.yaml", &format!("{MANIFEST}- libgxe_actors.so\n"))
            .args("--app app.yaml --manifest manifest.yaml");
        let (ended, report) = run(with_driver(gxe, folder.path(), mode));
        assert_eq!(ended.status, Some(0), "{mode}\n{}\n{}", ended.stdout, ended.stderr);
        let found = std::fs::read(folder.path().join("bytes.raw")).expect("a file");
        assert!(found == expected, "{mode}");
        report.nothing_is_left();
    }
}
