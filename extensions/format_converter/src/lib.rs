//! Holoscan's format converter for pictures in host and device memory.
//!
//! A map:
//!
//! - `converter.rs`: `FormatConverter`, the codelet;
//! - `format.rs`: element types and pixel formats, and their names in YAML;
//! - `plan.rs`: the list of steps for some parameters and a kind of input;
//! - `picture.rs`: pictures between the steps;
//! - the steps: `yuv.rs`, `resize.rs`, `channels.rs`, `element.rs`; `lines.rs`: resizing on a device;
//! - `video.rs`: video buffers as input;
//! - `device.rs`: the steps on a CUDA device.
//!
//! Holoscan does not publish its ids of these types; the ids below are our own, and fixed.
#![forbid(unsafe_code)]

mod channels;
mod converter;
mod device;
mod element;
mod format;
mod lines;
mod picture;
mod plan;
mod resize;
#[cfg(test)]
mod tests;
mod video;
mod yuv;

use converter::FormatConverter;

gxf::gxf_ext_factory! {
    id: 0x17f8736d5e2f8a8a, 0x95577a6136a00421;
    name: "FormatConverterExtension";
    version: "0.2.0";
    description: "Converts pixel formats, element types and sizes of pictures";
    license: "Apache-2.0";
    display_name: "Format Converter";
    category: "Multimedia";
    brief: "Holoscan's format converter";
    components: [
        FormatConverter: Codelet {
            id: 0x42d668d47ca83cd2, 0xb079a5b9c33ac462;
            name: "nvidia::holoscan::formatconverter::FormatConverter";
            capturable: true;
        },
    ];
}
