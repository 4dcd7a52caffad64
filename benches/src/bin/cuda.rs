//! Work on a GPU beside hand-written calls of the driver that do the same (`benches/cuda/baseline.c`),
//! in turn: `make bench-cuda`, or the stage `bench` of `scripts/gpu.sh`. Prints a table of medians.
//!
//! Arguments: the folder with `gxe` and the libraries; the program of the baseline; a file for the
//! figures as JSON; then perhaps how often each is measured instead of five times, or `--stand-in`, where
//! the driver is the stand-in of the tests: everything is small then and done once, because the figures
//! mean nothing.
#![forbid(unsafe_code)]

use serde_json::{Value, json};
use std::cell::Cell;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

/// What the figures of a row are compared with.
enum Target {
    /// The product's figure is at most so many times that of the baseline.
    AtMost(f64),
    /// The product moves at least this part of the baseline's bytes in the same time.
    Bytes(f64),
    /// The product reaches at least this part of the rate of something, which the baseline measures.
    Rate(f64, &'static str),
    /// The product takes at most so many nanoseconds, whatever the baseline takes.
    Nanoseconds(f64),
    /// The product uses less than this part of a processor.
    Processor(f64),
}

const MIB: f64 = (1 << 20) as f64;

/// Completions of a second that a processor's part is stated for.
const COMPLETIONS: f64 = 20_000.0;

impl Target {
    fn text(&self) -> String {
        match self {
            Self::AtMost(times) => format!("≤ {times} × baseline"),
            Self::Bytes(part) => format!("≥ {:.0} % of its bytes/s", part * 100.0),
            Self::Rate(part, what) => format!("≥ {part} of {what}"),
            Self::Nanoseconds(most) => format!("≤ {most} ns"),
            Self::Processor(part) => format!("< {:.0} % of a core", part * 100.0),
        }
    }

    /// Whether medians reach it.
    fn is_met(&self, product: f64, baseline: f64) -> bool {
        match *self {
            Self::AtMost(times) => product <= times * baseline,
            // The figures are times.
            Self::Bytes(part) | Self::Rate(part, _) => product * part <= baseline,
            Self::Nanoseconds(most) => product <= most,
            Self::Processor(part) => product * COMPLETIONS / 1e9 < part,
        }
    }
}

type Measure<'a> = Box<dyn Fn() -> Result<f64, String> + 'a>;

/// Something that is measured. Figures are nanoseconds.
struct Row<'a> {
    name: &'static str,
    unit: &'static str,
    product: Measure<'a>,
    baseline: Measure<'a>,
    target: Target,
}

impl Row<'_> {
    /// Figures of the product and of the baseline, in turn.
    fn measure(&self, times: usize) -> Result<(Vec<f64>, Vec<f64>), String> {
        let pairs = (0..times).map(|_| Ok(((self.product)()?, (self.baseline)()?)));
        pairs.collect()
    }
}

/// What has a target beside these rows, and why there is no figure here.
const WITHOUT: [(&str, &str, &str); 2] = [
    (
        "waits of the CPU on GPU-to-GPU paths",
        "0",
        "a driver does not count them; the tests do, on the stand-in",
    ),
    ("CUDA unused", "start + ≤ 0.1 ms", "`cargo bench -p gxe-benches --bench process`"),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, baseline, report, options @ ..] = &arguments[..] else {
        eprintln!("cuda FOLDER BASELINE REPORT.json [--stand-in | TIMES]");
        return ExitCode::from(2);
    };
    let times = match options {
        [] => Some(5),
        [option] if option == "--stand-in" => None,
        [option] if option.parse::<usize>().is_ok_and(|times| times > 0) => option.parse().ok(),
        _ => {
            eprintln!("cuda: there is one option, `--stand-in` or a number, not {options:?}");
            return ExitCode::from(2);
        }
    };
    // `gxe` runs in a folder of its own.
    let [folder, baseline] = [folder, baseline]
        .map(|path| std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path)));
    let bench = Bench {
        folder,
        baseline,
        work: std::env::temp_dir().join(format!("gxe-bench-cuda-{}", std::process::id())),
        times: times.unwrap_or(1),
        is_on_stand_in: times.is_none(),
    };
    let result = bench.run(report);
    _ = std::fs::remove_dir_all(&bench.work);
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cuda: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Bench {
    folder: PathBuf,
    baseline: PathBuf,
    work: PathBuf,
    /// How often each is measured.
    times: usize,
    is_on_stand_in: bool,
}

/// An entity.
fn entity(name: &str, components: &[&str]) -> String {
    let components: String = components.iter().map(|it| format!("- {{{it}}}\n")).collect();
    format!("---\nname: {name}\ncomponents:\n{components}")
}

fn connected(source: &str, target: &str) -> String {
    let parameters = format!("parameters: {{source: {source}, target: {target}}}");
    format!("---\ncomponents:\n- {{type: nvidia::gxf::Connection, {parameters}}}\n")
}

const TX: &str = "name: out, type: nvidia::gxf::DoubleBufferTransmitter";
const ROOM: &str = "type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: \
                    out, min_size: 1}";
const RX: &str = "name: in, type: nvidia::gxf::DoubleBufferReceiver";
const MESSAGE: &str =
    "type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: in, min_size: 1}";
const DONE: &str = "type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: in}";
const DONE_LOW: &str =
    "type: nvidia::gxf::CudaStreamSchedulingTerm, parameters: {receiver: in, latency: low}";
const STREAMS: &str = "name: streams, type: nvidia::gxf::CudaStreamPool";
const BLOCKS: &str = "name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {storage_type: 1, \
                      block_size: 16384, num_blocks: 16}";
const SOURCE: &str =
    "type: bench::CudaSource, parameters: {output: out, pool: pool, streams: streams";
const TAIL: &str = "---
name: scheduler
components:
- {name: clock, type: nvidia::gxf::RealtimeClock}
- {name: scheduler, type: nvidia::gxf::EventBasedScheduler, parameters: {clock: clock, worker_thread_number: 4}}
";

/// One entity that ticks once.
fn once(components: &[&str]) -> String {
    let count = "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}";
    entity("one", &[components, &[count]].concat())
}

/// Pictures on the device through stages with kernels, to a sink that takes them when they are done.
/// The source has the terms `when`.
fn pictures(stages: &[String], when: &[&str], count: usize) -> String {
    let ticks = format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}");
    let source = format!("{SOURCE}}}");
    let mut yaml =
        entity("source", &[&[TX, BLOCKS, STREAMS, &source, &ticks, ROOM], when].concat());
    let mut last = "source".to_owned();
    for (index, codelet) in stages.iter().enumerate() {
        let name = format!("stage{index}");
        yaml += &entity(&name, &[RX, TX, BLOCKS, codelet, MESSAGE, ROOM]);
        yaml += &connected(&format!("{last}/out"), &format!("{name}/in"));
        last = name;
    }
    // Several pictures are on the device at a time.
    let input = format!("{RX}, parameters: {{capacity: 4}}");
    let sink = format!("type: bench::CudaSink, parameters: {{input: in, count: {count}}}");
    yaml += &entity("sink", &[&input, &sink, MESSAGE, DONE]);
    yaml + &connected(&format!("{last}/out"), "sink/in")
}

/// One picture at a time through a kernel, to a sink with the term `done`.
fn one_at_a_time(weights: u64, count: usize, done: &str) -> String {
    let ticks = format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}");
    let source = format!("{SOURCE}, inputs: [begin, in]}}");
    let sink =
        format!("type: bench::CudaSink, parameters: {{input: in, output: out, count: {count}}}");
    [
        entity(
            "kick",
            &[
                TX,
                "type: nvidia::gxf::PingTx, parameters: {signal: out}",
                "type: nvidia::gxf::CountSchedulingTerm, parameters: {count: 1}",
            ],
        ),
        entity(
            "source",
            &[
                "name: begin, type: nvidia::gxf::DoubleBufferReceiver",
                RX,
                TX,
                BLOCKS,
                STREAMS,
                &source,
                &ticks,
                "type: nvidia::gxf::MultiMessageAvailableSchedulingTerm, parameters: {receivers: \
                 [begin, in], min_size: 1}",
            ],
        ),
        entity("stage", &[RX, TX, &kernels(weights, 1, ""), MESSAGE]),
        entity("sink", &[RX, TX, &sink, MESSAGE, done]),
        connected("kick/out", "source/begin"),
        connected("source/out", "stage/in"),
        connected("stage/out", "sink/in"),
        connected("sink/out", "source/in"),
    ]
    .concat()
}

/// Blocks for large pictures in this kind of memory.
fn large_blocks(storage: u32, side: u64) -> String {
    format!(
        "name: pool, type: nvidia::gxf::BlockMemoryPool, parameters: {{storage_type: {storage}, \
         block_size: {}, num_blocks: 16}}",
        side * side * 4
    )
}

/// Pictures of the host through a kernel and back, each step in an entity of its own.
fn pipeline(weights: u64, side: u64, count: usize) -> String {
    let [host, device] = [0, 1].map(|storage| large_blocks(storage, side));
    let copier = |mode: u32| {
        format!(
            "type: nvidia::gxf::TensorCopier, parameters: {{receiver: in, transmitter: out, allocator: \
             pool, mode: {mode}}}"
        )
    };
    let source = format!(
        "type: bench::CudaHostSource, parameters: {{output: out, pool: pool, side: {side}}}"
    );
    let ticks = format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}");
    let free = "type: nvidia::gxf::MemoryAvailableSchedulingTerm, parameters: {allocator: pool, \
                min_blocks: 1}";
    let compute = kernels(weights, 1, &format!(", side: {side}"));
    let sink = format!("type: bench::CudaSink, parameters: {{input: in, count: {count}}}");
    [
        entity("source", &[TX, &host, &source, &ticks, free, ROOM]),
        entity("copy_in", &[RX, TX, &device, &copier(0), MESSAGE, ROOM]),
        entity("compute", &[RX, TX, &compute, MESSAGE, ROOM]),
        entity("copy_out", &[RX, TX, &host, &copier(1), MESSAGE, free, ROOM]),
        entity("sink", &[RX, &sink, MESSAGE]),
        connected("source/out", "copy_in/in"),
        connected("copy_in/out", "compute/in"),
        connected("compute/out", "copy_out/in"),
        connected("copy_out/out", "sink/in"),
    ]
    .concat()
}

/// Pictures on the device to a recorder, which lets them pass to a sink at its own rate.
fn recorder(side: u64, count: usize) -> String {
    let blocks = large_blocks(1, side);
    let ticks = format!("type: nvidia::gxf::CountSchedulingTerm, parameters: {{count: {count}}}");
    let source = format!("{SOURCE}, side: {side}}}");
    let sink = format!("type: bench::CudaSink, parameters: {{input: in, count: {count}}}");
    [
        entity("source", &[TX, &blocks, STREAMS, &source, &ticks, ROOM]),
        entity(
            "recorder",
            &[
                RX,
                "name: memory, type: nvidia::gxf::UnboundedAllocator",
                "name: payloads, type: nvidia::gxf::StdComponentSerializer, parameters: {allocator: \
                 memory}",
                "name: messages, type: nvidia::gxf::StdEntitySerializer, parameters: \
                 {component_serializers: [payloads]}",
                "type: nvidia::gxf::EntityRecorder, parameters: {receiver: in, entity_serializer: \
                 messages, directory: ., basename: recorded}",
                MESSAGE,
            ],
        ),
        entity("sink", &[RX, &sink, MESSAGE]),
        connected("source/out", "recorder/in"),
        connected("source/out", "sink/in"),
    ]
    .concat()
}

fn kernels(weights: u64, count: usize, more: &str) -> String {
    format!(
        "type: bench::CudaKernels, parameters: {{input: in, output: out, weights: {weights}, kernels: \
         {count}{more}}}"
    )
}

/// Ten codelets with a kernel each, and with memory of their own.
fn ten_stages(kernel: Kernel) -> Vec<String> {
    vec![kernels(kernel.weights, 1, ", pool: pool"); 10]
}

/// Weights with which kernels take a time, and that time as measured, in nanoseconds.
#[derive(Clone, Copy)]
struct Kernel {
    weights: u64,
    time: f64,
}

impl Bench {
    /// One of two numbers: for a GPU, or for the stand-in.
    fn size<T>(&self, gpu: T, stand_in: T) -> T {
        if self.is_on_stand_in { stand_in } else { gpu }
    }

    /// The figures that a program prints.
    fn figures<const N: usize>(command: &mut Command) -> Result<[f64; N], String> {
        let output = command.output().map_err(|error| format!("{command:?}: {error}"))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let line = said.lines().find_map(|line| line.strip_prefix("RESULT "));
        let words = line.filter(|_| output.status.success()).unwrap_or_default().split(' ');
        let figures: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        figures.try_into().map_err(|_| {
            let errors = String::from_utf8_lossy(&output.stderr);
            format!("{command:?} printed no {N} figures, {}:\n{said}{errors}", output.status)
        })
    }

    /// Figures of a run of `gxe`.
    fn gxe<const N: usize>(&self, yaml: &str, options: &[&str]) -> Result<[f64; N], String> {
        let path = self.work.join("app.yaml");
        std::fs::write(&path, yaml.to_owned() + TAIL).map_err(|error| error.to_string())?;
        let mut command = Command::new(self.folder.join("gxe"));
        command.arg("--app").arg(path).arg("--manifest").arg(self.work.join("manifest.yaml"));
        command.args(options).current_dir(&self.work);
        Self::figures(&mut command)
    }

    /// Figures of the baseline.
    fn driver<const N: usize>(&self, what: &str, numbers: &[u64]) -> Result<[f64; N], String> {
        let mut command = Command::new(&self.baseline);
        command.arg(what).args(numbers.iter().map(u64::to_string)).current_dir(&self.work);
        Self::figures(&mut command)
    }

    /// A kernel that takes so many nanoseconds; on the stand-in the shortest one.
    fn kernel(&self, wanted: u64) -> Result<Kernel, String> {
        if self.is_on_stand_in {
            return Ok(Kernel { weights: 1, time: 0.0 });
        }
        let [weights, time] = self.driver("calibrate", &[wanted])?;
        Ok(Kernel { weights: weights as u64, time })
    }

    fn run(&self, report: &str) -> Result<(), String> {
        std::fs::create_dir_all(&self.work).map_err(|error| error.to_string())?;
        let libraries = [
            "libgxf_sample.so",
            "libgxf_cuda.so",
            "libgxf_rmm.so",
            "libgxf_serialization.so",
            "libgxf_bench_stages.so",
        ];
        let manifest = libraries.map(|name| format!("- {}\n", self.folder.join(name).display()));
        let manifest = format!("extensions:\n- libgxf_std.so\n{}", manifest.concat());
        std::fs::write(self.work.join("manifest.yaml"), manifest)
            .map_err(|error| error.to_string())?;
        if self.is_on_stand_in {
            println!("on the stand-in: no measurement; the figures below mean nothing");
        }
        let [short, long] = [self.kernel(5_000)?, self.kernel(100_000)?];
        if !self.is_on_stand_in {
            println!("kernels of {:.1} µs and {:.1} µs", short.time / 1e3, long.time / 1e3);
        }
        let mut rows = self.of_memory();
        rows.push(self.of_codelets("10 codelets, kernels of 5 µs", short));
        rows.push(self.of_codelets("10 codelets, kernels of 100 µs", long));
        for (kernel, name, of_codelet) in [
            (
                short,
                "10 codelets as a CUDA graph, kernels of 5 µs",
                "10 kernels of a codelet as a CUDA graph, 5 µs",
            ),
            (
                long,
                "10 codelets as a CUDA graph, kernels of 100 µs",
                "10 kernels of a codelet as a CUDA graph, 100 µs",
            ),
        ] {
            rows.push(self.of_graphs(name, &ten_stages(kernel), kernel));
            let stage = kernels(kernel.weights, 10, "");
            rows.push(self.of_graphs(of_codelet, &[stage], kernel));
        }
        rows.extend(self.of_completions(long));
        rows.extend(self.of_conversions());
        rows.push(self.of_pipeline(short));
        rows.push(self.of_recorder());
        rows.push(self.of_trace(short));
        let times = self.times;
        let (mut found, mut failed) = (Vec::new(), 0);
        println!("| what | product | baseline | ratio | target | |\n|---|---|---|---|---|---|");
        // A machine with a GPU may be gone at any time: the file has what is measured so far.
        let write = |found: &[Value]| {
            let file =
                json!({"stand_in": self.is_on_stand_in, "repetitions": times, "rows": found});
            std::fs::write(report, format!("{file:#}\n"))
                .map_err(|error| format!("{report}: {error}"))
        };
        for row in &rows {
            match row.measure(times) {
                Ok((product, baseline)) => found.push(self.show(row, &product, &baseline)),
                // A machine with a GPU may be hard to get: the other rows are measured all the same.
                Err(error) => {
                    failed += 1;
                    let target = row.target.text();
                    println!("| {} | failed | | | {target} | |\n\n{error}\n", row.name);
                    found.push(json!({"what": row.name, "target": target, "failed": error}));
                }
            }
            write(&found)?;
        }
        for (name, target, reason) in WITHOUT {
            println!("| {name} | not measured | | | {target} | {reason} |");
            found.push(json!({"what": name, "target": target, "not_measured": reason}));
        }
        write(&found)?;
        match failed {
            0 => Ok(()),
            _ => Err(format!("{failed} of {} measurements failed", rows.len())),
        }
    }

    /// Prints a row of the table, and returns it for the file.
    fn show(&self, row: &Row<'_>, product: &[f64], baseline: &[f64]) -> Value {
        let median = |values: &[f64]| {
            let mut values = values.to_vec();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let (one, other) = (median(product), median(baseline));
        let is_met = row.target.is_met(one, other);
        let verdict = match is_met {
            _ if self.is_on_stand_in => "",
            true => "met",
            false => "missed",
        };
        let figure = |value: f64| format!("{value:.1} {}", row.unit);
        println!(
            "| {} | {} | {} | {:.3} | {} | {verdict} |",
            row.name,
            figure(one),
            figure(other),
            one / other,
            row.target.text()
        );
        let mut found = json!({
            "what": row.name, "unit": row.unit, "product": product, "baseline": baseline,
            "median": {"product": one, "baseline": other}, "ratio": one / other,
            "target": row.target.text(),
        });
        if !self.is_on_stand_in {
            found["met"] = is_met.into();
        }
        found
    }

    fn of_memory(&self) -> Vec<Row<'_>> {
        let count = self.size(20_000, 10);
        let taken = move |allocator: &'static str| {
            let name = if allocator.is_empty() { "" } else { ", allocator: pool" };
            let taker = format!(
                "type: bench::CudaTaker, parameters: {{streams: streams, count: {count}{name}}}"
            );
            let app = match allocator {
                "" => once(&[STREAMS, &taker]),
                _ => once(&[STREAMS, allocator, &taker]),
            };
            Box::new(move || self.gxe(&app, &[]).map(|[time]| time)) as Measure<'_>
        };
        let driver = move |what| {
            Box::new(move || self.driver(what, &[count]).map(|[time]| time)) as Measure<'_>
        };
        let row = |name, allocator, baseline, target| Row {
            name,
            unit: "ns",
            product: taken(allocator),
            baseline: driver(baseline),
            target,
        };
        vec![
            row("stream from a pool", "", "streams", Target::AtMost(0.05)),
            row("block, same stream", BLOCKS, "memory", Target::Nanoseconds(100.0)),
            row(
                "StreamOrderedAllocator",
                "name: pool, type: nvidia::gxf::StreamOrderedAllocator",
                "memory",
                Target::AtMost(1.2),
            ),
            row(
                "RMMAllocator",
                "name: pool, type: nvidia::gxf::RMMAllocator",
                "memory",
                Target::AtMost(1.2),
            ),
        ]
    }

    /// Pictures of a run with kernels of this time.
    fn pictures(&self, kernel: Kernel) -> usize {
        self.size(if kernel.time > 50_000.0 { 500 } else { 5_000 }, 20)
    }

    /// Nanoseconds from one picture to the next.
    fn time_of(&self, app: &str, options: &[&str]) -> Result<f64, String> {
        self.gxe(app, options).map(|[time, _, _]| time)
    }

    /// The app of ten codelets with a kernel each.
    fn ten(&self, kernel: Kernel) -> String {
        pictures(&ten_stages(kernel), &[], self.pictures(kernel))
    }

    fn of_codelets(&self, name: &'static str, kernel: Kernel) -> Row<'_> {
        let app = self.ten(kernel);
        let count = self.pictures(kernel) as u64;
        Row {
            name,
            unit: "ns",
            product: Box::new(move || self.time_of(&app, &[])),
            baseline: Box::new(move || {
                self.driver("chain", &[kernel.weights, 10, count]).map(|[time]| time)
            }),
            target: Target::AtMost(1.1),
        }
    }

    fn of_graphs(&self, name: &'static str, stages: &[String], kernel: Kernel) -> Row<'_> {
        // With more workers, the stages of a picture are enqueued in other orders.
        const OPTIONS: [&str; 2] =
            ["--cuda-graphs", "--param=scheduler/scheduler/worker_thread_number=1"];
        // Many more than the source has blocks for, each of which is captured at its third use.
        let count = self.pictures(kernel).max(200);
        let app = pictures(stages, &[], count);
        let is_checked = Cell::new(false);
        Row {
            name,
            unit: "ns",
            product: Box::new(move || {
                if !is_checked.replace(true) {
                    self.require_graphs(&app, &OPTIONS, count)?;
                }
                self.time_of(&app, &OPTIONS)
            }),
            baseline: Box::new(move || {
                self.driver("graph", &[kernel.weights, 10, count as u64]).map(|[time]| time)
            }),
            target: Target::AtMost(1.05),
        }
    }

    /// Fails unless most of an app's work becomes graphs.
    fn require_graphs(&self, app: &str, options: &[&str], count: usize) -> Result<(), String> {
        self.time_of(app, &[options, &["--statistics=run.json"]].concat())?;
        let text = std::fs::read_to_string(self.work.join("run.json"));
        let statistics: Value = serde_json::from_str(&text.unwrap_or_default()).unwrap_or_default();
        let graphs = &statistics["cuda_graphs"];
        // A graph of several codelets is counted at one of them.
        let rows = graphs.as_array().into_iter().flatten();
        match rows.filter_map(|row| row["launches"].as_u64()).max() {
            Some(launches) if launches > count as u64 / 2 => Ok(()),
            _ => Err(format!("most work became no CUDA graph: {graphs}")),
        }
    }

    fn of_completions(&self, kernel: Kernel) -> Vec<Row<'_>> {
        let wakes = self.size(2_000, 10);
        let paced_count = self.size(40_000, 20);
        let period =
            "type: nvidia::gxf::PeriodicSchedulingTerm, parameters: {recess_period: \"20000hz\"}";
        let paced = pictures(&[], &[period], paced_count);
        let wake = |name, term, waiting, most| {
            let app = one_at_a_time(kernel.weights, wakes, term);
            let device = move || self.driver::<2>(waiting, &[kernel.weights, wakes as u64]);
            Row {
                name,
                unit: "ns",
                // Without the device's own time, which the baseline knows.
                product: Box::new(move || {
                    let [_, _, delay] = self.gxe(&app, &[])?;
                    device().map(|[_, of_device]| delay - of_device)
                }),
                baseline: Box::new(move || device().map(|[delay, of_device]| delay - of_device)),
                target: Target::AtMost(most),
            }
        };
        vec![
            wake("wake-up by a completion", DONE, "wake", 1.5),
            wake("wake-up with `latency: low`", DONE_LOW, "spin", 2.0),
            Row {
                name: "processor time of a completion, 20,000 a second",
                unit: "ns",
                product: Box::new(move || self.gxe(&paced, &[]).map(|[_, processor, _]| processor)),
                baseline: Box::new(move || {
                    self.driver("paced", &[paced_count as u64]).map(|[processor]| processor)
                }),
                target: Target::Processor(0.3),
            },
        ]
    }

    fn of_conversions(&self) -> Vec<Row<'_>> {
        let (rows, count) = (self.size(4096, 8), self.size(50, 2));
        let row = |name, conversion, part| {
            let app = once(&[&format!(
                "type: bench::CudaConverter, parameters: {{conversion: {conversion}, rows: {rows}, \
                 count: {count}}}"
            )]);
            let bytes = self.size(256 << 20, 4096);
            Row {
                name,
                unit: "ns a MiB",
                product: Box::new(move || {
                    self.gxe(&app, &[]).map(|[time, bytes]| time / bytes * MIB)
                }),
                // Each byte is read and written.
                baseline: Box::new(move || {
                    self.driver("copies", &[bytes, count])
                        .map(|[time]| time / (2 * bytes) as f64 * MIB)
                }),
                target: Target::Bytes(part),
            }
        };
        vec![
            row("u8 to f32", "U8ToF32", 0.8),
            row("RGB to RGBA", "RgbToRgba", 0.8),
            row("NV12 to RGB", "Nv12ToRgb", 0.8),
            row("resize to a half", "Resize", 0.6),
        ]
    }

    /// Rows, and columns, of pictures that are worth copying, and how many of them.
    fn large_pictures(&self) -> (u64, usize) {
        (self.size(1024, 16), self.size(500, 20))
    }

    /// Pictures that are copied to the device, used there and copied back, beside the slowest of the
    /// three alone.
    fn of_pipeline(&self, kernel: Kernel) -> Row<'_> {
        let (side, count) = self.large_pictures();
        let app = pipeline(kernel.weights, side, count);
        Row {
            name: "pipeline in, compute, out",
            unit: "ns",
            product: Box::new(move || self.time_of(&app, &[])),
            baseline: Box::new(move || {
                let stages = self.driver::<3>("stages", &[kernel.weights, side, count as u64])?;
                Ok(stages.into_iter().fold(0.0, f64::max))
            }),
            target: Target::Rate(0.95, "the slowest stage's rate"),
        }
    }

    /// Pictures on the device that are recorded, beside the slower of a copy to the host and a write to
    /// a file.
    fn of_recorder(&self) -> Row<'_> {
        let (side, count) = self.large_pictures();
        let app = recorder(side, count);
        Row {
            name: "recorder",
            unit: "ns",
            product: Box::new(move || self.time_of(&app, &[])),
            baseline: Box::new(move || {
                let [link, file] = self.driver("record", &[side, count as u64])?;
                Ok(link.max(file))
            }),
            target: Target::Rate(0.9, "min(link, file)"),
        }
    }

    fn of_trace(&self, kernel: Kernel) -> Row<'_> {
        let (with, without) = (self.ten(kernel), self.ten(kernel));
        Row {
            name: "10 codelets with `--trace`, and without",
            unit: "ns",
            product: Box::new(move || self.time_of(&with, &["--trace=run.pftrace"])),
            baseline: Box::new(move || self.time_of(&without, &[])),
            target: Target::AtMost(1.05),
        }
    }
}
