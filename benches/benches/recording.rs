//! The cost of recordings and conversions compared with copying the same memory. Files are in the
//! page cache, so nothing waits for a disk.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use gxe_benches::recording::{SIZE, chain, converter, recorder, replayer, run, sink, source};
use std::fs::File;
use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Pictures in one run.
const COUNT: u64 = 24;

/// A folder on the file system of `TMPDIR`, whose page cache is measured.
fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Time of `iterations` pictures, measured in runs of [`COUNT`].
fn timed(iterations: u64, mut graph: impl FnMut() -> Duration) -> Duration {
    let runs = iterations.div_ceil(COUNT);
    let sum: Duration = (0..runs).map(|_| graph()).sum();
    sum.mul_f64(iterations as f64 / (runs * COUNT) as f64)
}

/// A new recording. Freeing the old one's memory is not part of the measured time.
fn new_recording(folder: &Path, name: &str, graph: &str) -> Duration {
    for ending in ["gxf_index", "gxf_entities"] {
        // The first run has no old one.
        _ = std::fs::remove_file(folder.join(format!("{name}.{ending}")));
    }
    run(graph)
}

/// The system's time for the same bytes without a graph.
fn files(criterion: &mut Criterion) {
    let folder = folder();
    let path = folder.path().join("plain");
    let mut block = vec![77_u8; usize::try_from(SIZE).expect("a size")];
    let mut group = criterion.benchmark_group("file");
    group.sample_size(10).throughput(Throughput::Bytes(SIZE));
    group.bench_function("write", |bencher| {
        bencher.iter_custom(|iterations| {
            timed(iterations, || {
                _ = std::fs::remove_file(&path);
                let begin = Instant::now();
                let mut file = File::create(&path).expect("a file");
                for _ in 0..COUNT {
                    file.write_all(&block).expect("room");
                }
                begin.elapsed()
            })
        });
    });
    group.bench_function("read", |bencher| {
        bencher.iter_custom(|iterations| {
            timed(iterations, || {
                let begin = Instant::now();
                let mut file = File::open(&path).expect("a file");
                for _ in 0..COUNT {
                    file.read_exact(&mut block).expect("a block");
                }
                begin.elapsed()
            })
        });
    });
    group.finish();
}

fn streams(criterion: &mut Criterion) {
    let folder = folder();
    let directory = folder.path();
    let mut group = criterion.benchmark_group("recording");
    group.sample_size(10).throughput(Throughput::Bytes(SIZE));
    let record =
        chain(&[("source", source(COUNT)), ("recorder", recorder(directory, "recording"))]);
    group.bench_function("record", |bencher| {
        bencher.iter_custom(|iterations| {
            timed(iterations, || new_recording(directory, "recording", &record))
        });
    });
    // Needed even if only a later benchmark is selected.
    let _ = new_recording(directory, "recording", &record);
    let replay = chain(&[("source", replayer(directory)), ("sink", sink())]);
    group.bench_function("replay", |bencher| {
        bencher.iter_custom(|iterations| timed(iterations, || run(&replay)));
    });
    let both = chain(&[("source", replayer(directory)), ("recorder", recorder(directory, "copy"))]);
    group.bench_function("replay_and_record", |bencher| {
        bencher.iter_custom(|iterations| {
            timed(iterations, || new_recording(directory, "copy", &both))
        });
    });
    group.finish();
}

fn memory(criterion: &mut Criterion) {
    let size = usize::try_from(SIZE).expect("a size");
    let mut group = criterion.benchmark_group("memory");
    group.sample_size(10).throughput(Throughput::Bytes(SIZE));
    // Three blocks in turn, like the pool of a graph.
    let source = vec![1_u8; size];
    let mut blocks = vec![vec![2_u8; size]; 3];
    group.bench_function("copy", |bencher| {
        bencher.iter_custom(|iterations| {
            let begin = Instant::now();
            for index in 0..iterations {
                let block = &mut blocks[index as usize % 3];
                block.copy_from_slice(black_box(&source));
                black_box(block);
            }
            begin.elapsed()
        });
    });
    // Reads and writes as many bytes as the conversion: one read, four written.
    let mut large = vec![vec![2_u8; 4 * size]; 3];
    group.throughput(Throughput::Bytes(5 * SIZE));
    group.bench_function("read_one_write_four", |bencher| {
        bencher.iter_custom(|iterations| {
            let begin = Instant::now();
            for index in 0..iterations {
                let block = &mut large[index as usize % 3];
                let pieces = block.chunks_exact_mut(4 * 4096).zip(source.chunks_exact(4096));
                for (piece, source) in pieces {
                    for part in piece.chunks_exact_mut(4096) {
                        part.copy_from_slice(black_box(source));
                    }
                }
                black_box(block);
            }
            begin.elapsed()
        });
    });
    group.finish();
}

fn conversion(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("conversion");
    group.sample_size(10).throughput(Throughput::Bytes(5 * SIZE));
    let graph = chain(&[("source", source(COUNT)), ("converter", converter()), ("sink", sink())]);
    group.bench_function("rgb_to_float32", |bencher| {
        bencher.iter_custom(|iterations| timed(iterations, || run(&graph)));
    });
    group.finish();
}

criterion_group!(benches, memory, files, streams, conversion);
criterion_main!(benches);
