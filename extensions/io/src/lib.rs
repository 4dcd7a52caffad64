//! Data from outside and back: lines, CSV, JSON lines, bytes and video, over files, standard streams, TCP
//! and UDP. `gxe-columns` says what the messages carry.
//!
//! Every source is its own scheduling term: it waits without a thread of the scheduler until there
//! is something to read, and ends at the end of its input, with the payload `end_of_stream` in its
//! last message. Every sink is its own term, too: it waits while its peer is slow.
//!
//! A map:
//!
//! - `address.rs`: what the parameter `address` can say;
//! - `input.rs`: bytes from an address; `read_ahead.rs`: the thread that reads from a peer;
//! - `output.rs`: bytes to an address; `write_behind.rs`: the thread that writes to a peer;
//! - `open_files.rs`: the files that are open, so that none is read and written at the same time;
//! - `source.rs`: what all sources share, with [`source::Parser`] for their formats: `lines.rs`,
//!   `csv.rs`, `json.rs`, `raw.rs`; `table.rs`: columns of which only the values are known;
//! - `sink.rs`: what all sinks share, and the sinks;
//! - `video.rs`: `VideoSource` and `VideoSink`, by ffmpeg, which is a program of `program.rs`;
//! - `pattern.rs`: `LinePattern`, from lines to columns by a regular expression;
//! - `statistics.rs`: `StatisticsSource`, what the graph measures of itself.
#![forbid(unsafe_code)]

mod address;
mod csv;
mod input;
mod json;
mod lines;
mod open_files;
mod output;
mod pattern;
mod program;
mod raw;
mod read_ahead;
mod sink;
mod source;
mod statistics;
mod table;
mod video;
mod write_behind;

use csv::CsvSource;
use json::JsonLinesSource;
use lines::LineSource;
use pattern::LinePattern;
use raw::RawSource;
use sink::{CsvSink, JsonLinesSink, LineSink, RawSink};
use statistics::StatisticsSource;
use std::sync::{Mutex, MutexGuard, PoisonError};
use video::{VideoSink, VideoSource};

/// A number of things in words: `1 field`, `2 fields`.
fn counted(number: impl Into<u64>, noun: &str) -> String {
    match number.into() {
        1 => format!("1 {noun}"),
        number => format!("{number} {noun}s"),
    }
}

/// The content, also after a panic of another holder.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

gxf::gxf_ext_factory! {
    id: 0x07f2d50f3e1043a9, 0x8cb238ea19f964a5;
    name: "IoExtension";
    version: "0.1.0";
    description: "Lines, CSV, JSON lines and bytes from and to files, standard streams, TCP and UDP";
    license: "Apache-2.0";
    display_name: "Input and Output";
    category: "Data";
    brief: "Sources and sinks of data";
    components: [
        LineSource: Codelet + SchedulingTerm {
            id: 0x2a10dd067861433d, 0x92d9726810c586b0;
            name: "gxe::io::LineSource";
            announces: true;
        },
        CsvSource: Codelet + SchedulingTerm {
            id: 0x181388247c7e4aac, 0xa9d12871297999d0;
            name: "gxe::io::CsvSource";
            announces: true;
        },
        JsonLinesSource: Codelet + SchedulingTerm {
            id: 0xe0b2056c4ac64d67, 0xb6467c57a620063d;
            name: "gxe::io::JsonLinesSource";
            announces: true;
        },
        RawSource: Codelet + SchedulingTerm {
            id: 0x4a3d0dc840ae462c, 0xbb928e7d8878cb43;
            name: "gxe::io::RawSource";
            announces: true;
        },
        LineSink: Codelet + SchedulingTerm {
            id: 0xe65c4e550d814e33, 0xa78dc8f9fad48eec;
            name: "gxe::io::LineSink";
            announces: true;
        },
        CsvSink: Codelet + SchedulingTerm {
            id: 0x3d60fdd6e0e14805, 0xb8a064784d58de4a;
            name: "gxe::io::CsvSink";
            announces: true;
        },
        JsonLinesSink: Codelet + SchedulingTerm {
            id: 0xb8da26262eee4fe1, 0x8ccb3e613ab9c7bb;
            name: "gxe::io::JsonLinesSink";
            announces: true;
        },
        RawSink: Codelet + SchedulingTerm {
            id: 0xfaa4d60538824a6a, 0x9ba626053d8c3e11;
            name: "gxe::io::RawSink";
            announces: true;
        },
        LinePattern: Codelet {
            id: 0xd77a03402d6445b3, 0xa461c0e455243008;
            name: "gxe::io::LinePattern";
        },
        VideoSource: Codelet + SchedulingTerm {
            id: 0x5e8a1c3b7f204d96, 0x9c0b64e2d1a7f835;
            name: "gxe::io::VideoSource";
            announces: true;
        },
        VideoSink: Codelet + SchedulingTerm {
            id: 0x16f4d2905ab34e7c, 0xa8e3079b6c5d1f42;
            name: "gxe::io::VideoSink";
            announces: true;
        },
        StatisticsSource: Codelet + IpcServer {
            id: 0x8a11748baa267f0b, 0x4cb43bfbaae90148;
            name: "gxe::io::StatisticsSource";
        },
    ];
}
