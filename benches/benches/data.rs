//! The stock components for data, each beside a plain loop over the same bytes in this process.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gxe_benches::recording::{SIZE, chain, sink, source};
use gxe_benches::{context, run_in};
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Rows of the CSV file.
const ROWS: u64 = 1_500_000;
/// Tensors in one run.
const COUNT: u64 = 96;

/// Runs a graph and returns the time of the run alone.
fn run(yaml: &str) -> Duration {
    let context = context();
    for extension in ["libgxe_io.so", "libgxe_math.so"] {
        let loaded = context.load_extension(&PathBuf::from(extension));
        loaded.expect("the extensions lie beside the benchmark; `make bench` builds them");
    }
    run_in(&context, yaml)
}

/// Time of `iterations` things, measured in runs of `count`.
fn timed(iterations: u64, count: u64, mut one: impl FnMut() -> Duration) -> Duration {
    let runs = iterations.div_ceil(count);
    let sum: Duration = (0..runs).map(|_| one()).sum();
    sum.mul_f64(iterations as f64 / (runs * count) as f64)
}

/// A CSV file of four columns.
fn write_csv(path: &Path) -> u64 {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    file.write_all(b"time,x,y,z\n").expect("room");
    for row in 0..ROWS {
        let x = (row % 9973) as f64 / 100.0;
        writeln!(file, "{row},{x:.2},{:.3},{}", -x * 1.7, row % 100).expect("room");
    }
    file.flush().expect("room");
    std::fs::metadata(path).expect("a file").len()
}

/// An entity with one codelet, an input and an output where it has them.
fn entity(name: &str, codelet: &str, parameters: &str, has_input: bool) -> String {
    let mut text = format!("---\nname: {name}\ncomponents:\n");
    if has_input {
        text += "- {name: input, type: nvidia::gxf::DoubleBufferReceiver}\n\
                 - {type: nvidia::gxf::MessageAvailableSchedulingTerm, parameters: {receiver: input}}\n";
    }
    text += "- {name: output, type: nvidia::gxf::DoubleBufferTransmitter}\n\
             - {type: nvidia::gxf::DownstreamReceptiveSchedulingTerm, parameters: {transmitter: output}}\n";
    _ = writeln!(text, "- {{type: {codelet}, parameters: {{{parameters}, output: output}}}}");
    text
}

fn csv(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("data.csv");
    let bytes = write_csv(&path);
    let mut group = criterion.benchmark_group("csv");
    group.sample_size(10).throughput(Throughput::Bytes(bytes));
    group.bench_function("plain_loop", |bencher| {
        bencher.iter(|| {
            let mut file =
                BufReader::with_capacity(1 << 18, std::fs::File::open(&path).expect("it"));
            let mut columns = vec![Vec::<f64>::new(); 4];
            let mut line = Vec::new();
            file.read_until(b'\n', &mut line).expect("a header");
            loop {
                line.clear();
                if file.read_until(b'\n', &mut line).expect("a line") == 0 {
                    break;
                }
                let text = std::str::from_utf8(&line).expect("UTF-8").trim_end();
                for (column, field) in columns.iter_mut().zip(text.split(',')) {
                    column.push(field.parse().expect("a number"));
                }
                if columns[0].len() == 1024 {
                    black_box(&columns);
                    columns.iter_mut().for_each(Vec::clear);
                }
            }
        });
    });
    let parameters = format!("address: {}", path.display());
    let reader = entity("source", "gxe::io::CsvSource", &parameters, false);
    let graph = chain(&[("source", reader), ("sink", sink())]);
    group.bench_function("graph", |bencher| {
        bencher.iter_custom(|iterations| timed(iterations, 1, || run(&graph)));
    });
    group.finish();
}

fn arithmetic(criterion: &mut Criterion) {
    let size = usize::try_from(SIZE).expect("a size");
    let mut group = criterion.benchmark_group("arithmetic");
    // Reads a byte and writes a `float64` for each element.
    group.sample_size(10).throughput(Throughput::Bytes(9 * SIZE));
    let from = vec![1_u8; size];
    let mut targets = vec![vec![0_f64; size]; 3];
    group.bench_function("plain_loop", |bencher| {
        bencher.iter_custom(|iterations| {
            let begin = Instant::now();
            for index in 0..iterations {
                let target = &mut targets[index as usize % 3];
                for (target, value) in target.iter_mut().zip(black_box(&from)) {
                    *target = f64::from(*value) * 2.0 + 1.0;
                }
                black_box(target);
            }
            begin.elapsed()
        });
    });
    for (name, expression) in [
        ("graph", "tensor * 2 + 1"),
        (
            "graph_of_eight_operations",
            "(tensor - 1) * (tensor + 1) / (tensor * tensor + 2) - tensor",
        ),
    ] {
        let map = entity(
            "map",
            "gxe::math::Map",
            &format!("input: input, columns: ['result = {expression}'], keep: [result]"),
            true,
        );
        let graph = chain(&[("source", source(COUNT)), ("map", map), ("sink", sink())]);
        group.bench_function(name, |bencher| {
            bencher.iter_custom(|iterations| timed(iterations, COUNT, || run(&graph)));
        });
    }
    group.finish();
}

criterion_group!(benches, csv, arithmetic);
criterion_main!(benches);
