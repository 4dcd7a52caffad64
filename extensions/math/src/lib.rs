//! Arithmetic, filters, windows, joins and rate control for the columns of messages, and a source
//! of made-up data. `gxe-columns` says what the messages carry.
//!
//! A map:
//!
//! - `expression.rs`: expressions such as `temperature > 30`, evaluated in blocks of rows;
//! - `map.rs`, `filter.rs`: new columns, fewer rows;
//! - `moving_average.rs`: an average over the latest rows;
//! - `window.rs`: one row for each window of rows or time; `aggregate.rs`: sums, percentiles;
//! - `join.rs`: rows of two streams at the same time; `merge.rs`: rows of several streams in order
//!   of their time; `side.rs`: one of these streams;
//! - `rate.rs`: fewer messages;
//! - `signal.rs`: rows from expressions over time.
#![forbid(unsafe_code)]

mod aggregate;
mod expression;
mod filter;
mod join;
mod map;
mod merge;
mod moving_average;
mod rate;
mod side;
mod signal;
mod window;

use filter::Filter;
use join::Join;
use map::Map;
use merge::Merge;
use moving_average::MovingAverage;
use rate::Rate;
use signal::Signal;
use window::Window;

gxf::gxf_ext_factory! {
    id: 0x3581d4b940b24a4b, 0xa4211c749b61b741;
    name: "MathExtension";
    version: "0.1.0";
    description: "Arithmetic, filters, windows, joins and rate control for the columns of messages";
    license: "Apache-2.0";
    display_name: "Mathematics";
    category: "Data";
    brief: "Arithmetic over numbers, tensors and rows";
    components: [
        Map: Codelet {
            id: 0x20fd78fd66414f81, 0xac315a99656f12a1;
            name: "gxe::math::Map";
        },
        Filter: Codelet {
            id: 0x0df042cb816d4bf7, 0x9c5247f78dcfa05d;
            name: "gxe::math::Filter";
        },
        MovingAverage: Codelet {
            id: 0x53951af1504344fd, 0x9b77c5d3f6fdb0e6;
            name: "gxe::math::MovingAverage";
        },
        Window: Codelet {
            id: 0x04529fa9ab94471c, 0xa2cdd2f8ca7d11eb;
            name: "gxe::math::Window";
        },
        Join: Codelet + SchedulingTerm {
            id: 0x1d87e7be146345c9, 0xa0ab98b89255ec98;
            name: "gxe::math::Join";
            announces: true;
        },
        Merge: Codelet + SchedulingTerm {
            id: 0x86e7351e79f54e82, 0xaa1564a25578b844;
            name: "gxe::math::Merge";
            announces: true;
        },
        Rate: Codelet {
            id: 0xe87d67d9daa145eb, 0x96a244dfb04f23f4;
            name: "gxe::math::Rate";
        },
        Signal: Codelet + SchedulingTerm {
            id: 0x591a42e8c4564c20, 0xab29554ef278a0b2;
            name: "gxe::math::Signal";
            announces: true;
        },
    ];
}
