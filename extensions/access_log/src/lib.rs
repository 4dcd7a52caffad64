//! Statistics of a web server's access log. Copy this extension to start your own.
//!
//! Four codelets are the steps of a pipeline; the application connects them:
//!
//! ```text
//! LineReader ──Lines──▶ RecordParser ──Records──▶ WindowStatistics ──Windows──▶ Report
//! ```
//!
//! The files, in the order of the pipeline:
//!
//! - `payload.rs`: the payloads of the messages;
//! - `line_reader.rs`: reads the file, some lines per message, and ends the run at the end of the
//!   file;
//! - `record_parser.rs`: lines to records; counts and shows lines it cannot read;
//! - `record.rs`: the format of one line, as plain functions;
//! - `window_statistics.rs`: records to one summary per minute;
//! - `report.rs`: summaries to a table, and to a file for spreadsheets;
//! - `calendar.rs`: dates to seconds and back.
//!
//! To start your own extension, copy this folder, rename the crate, replace the ids below with new
//! random ones (`gxe uuid`), and list the library in a manifest.
#![forbid(unsafe_code)]

mod calendar;
mod line_reader;
mod payload;
mod record;
mod record_parser;
mod report;
mod window_statistics;

use line_reader::LineReader;
use payload::{Lines, Records, Totals, Windows};
use record_parser::RecordParser;
use report::Report;
use window_statistics::WindowStatistics;

gxf::gxf_ext_factory! {
    id: 0x6f9a1f7ec9e74812, 0xac50a77a5e058309;
    name: "AccessLogExtension";
    version: "0.1.0";
    description: "Statistics of a web server's access log";
    license: "Apache-2.0";
    display_name: "Access Log";
    category: "Example";
    brief: "Requests, errors and latencies of a web server by the minute";
    components: [
        LineReader: Codelet {
            id: 0x1017addd35da427d, 0x8d793ba4a2979983;
            name: "access_log::LineReader";
        },
        RecordParser: Codelet {
            id: 0x51c2cef31484459b, 0xafea24ce2b78bd02;
            name: "access_log::RecordParser";
        },
        WindowStatistics: Codelet {
            id: 0x3de661c6fcd14acf, 0x8d1fe680139d6127;
            name: "access_log::WindowStatistics";
        },
        Report: Codelet {
            id: 0x48f39bb490b7428e, 0x9e10a729b098780f;
            name: "access_log::Report";
        },
    ];
    payloads: [
        Lines { id: 0xd0a4b138b15542b0, 0xb44a05cf94919854; name: "access_log::Lines"; },
        Records { id: 0xdb9dea7f502142d5, 0x8f5e6f582b3686c0; name: "access_log::Records"; },
        Windows { id: 0xfec9174c691946cd, 0xa962d2709d238038; name: "access_log::Windows"; },
        Totals { id: 0xc704ed00ea0b4df7, 0xb5d75191b25932dd; name: "access_log::Totals"; },
    ];
}
