//! Looks at messages: prints and plots them, and reads and writes pictures.
//!
//! A map:
//!
//! - `print.rs`: `Print`, rows as a table and anything else in a line; `describe.rs`: that line;
//!   `output.rs`: standard output, which keeps no run from ending;
//! - `plot.rs`: `Plot`, columns as curves in a terminal and in an SVG file; `curve.rs`: a curve of
//!   bounded size; `svg.rs`: the picture;
//! - `picture.rs`: `ImageSource` and `ImageSink`.
#![forbid(unsafe_code)]

mod curve;
mod describe;
mod output;
mod picture;
mod plot;
mod print;
mod svg;

use picture::{ImageSink, ImageSource};
use plot::Plot;
use print::Print;

gxf::gxf_ext_factory! {
    id: 0xc94516be14c044cf, 0xb0d9feaf0679a185;
    name: "ViewExtension";
    version: "0.1.0";
    description: "Prints and plots messages, and reads and writes pictures";
    license: "Apache-2.0";
    display_name: "View";
    category: "Data";
    brief: "Tables, plots and pictures";
    components: [
        Print: Codelet {
            id: 0x65dddbb2e4ea4b1a, 0x83a4fe8c6d5c950f;
            name: "gxe::view::Print";
        },
        Plot: Codelet {
            id: 0x51ff3f2741d644cb, 0x925fd2a4747bbd80;
            name: "gxe::view::Plot";
        },
        ImageSource: Codelet + SchedulingTerm {
            id: 0xe013c03541a645b8, 0xa5daebc432a427e1;
            name: "gxe::view::ImageSource";
            announces: true;
        },
        ImageSink: Codelet {
            id: 0x4cf393a8bc6a4ebe, 0xb900ee28e01f2107;
            name: "gxe::view::ImageSink";
        },
    ];
}
