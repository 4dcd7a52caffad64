//! GXF's TestCudaExtension: codelets that exchange data on a device, and check it.
//!
//! - `generator.rs`: `StreamTensorGenerator`: two tensors on a device, and the same on the host;
//! - `dot_product.rs`: `CublasDotProduct` on the device, `host_dot_product.rs`: `HostDotProduct` on the
//!   host; `tensors.rs`: what they exchange;
//! - `to_host.rs`: `MemCpy2Host`; `verify.rs`: `VerifyEqual`;
//! - `multiples.rs`: `gxe::test::cuda::Multiples`, several operations in one piece of work;
//! - `two_streams.rs`: `gxe::test::cuda::TwoStreams`, memory that goes from stream to stream;
//! - `buffer.rs`: `CudaAsyncBufferGenerator`, `Convolve2D`, `CudaBufferRx`: the payload CudaBuffer.
#![forbid(unsafe_code)]

mod buffer;
mod dot_product;
mod generator;
mod host_dot_product;
mod multiples;
mod tensors;
mod to_host;
mod two_streams;
mod verify;

use buffer::{Convolve2D, CudaAsyncBufferGenerator, CudaBufferRx};
use dot_product::CublasDotProduct;
use generator::StreamTensorGenerator;
use gxf::prelude::*;
use host_dot_product::HostDotProduct;
use multiples::Multiples;
use to_host::MemCpy2Host;
use two_streams::TwoStreams;
use verify::VerifyEqual;

/// The base of codelets that work on streams.
#[derive(Component, Default)]
struct StreamBasedOps {}

impl Codelet for StreamBasedOps {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        Ok(())
    }
}

gxf::gxf_ext_factory! {
    id: 0x469d921446a5431a, 0xb7b59e598d9fc1db;
    name: "TestCudaExtension";
    version: "1.6.0";
    description: "Codelets that exchange data on a device, and check it";
    license: "Apache-2.0";
    category: "Test";
    components: [
        StreamBasedOps: Codelet {
            id: 0x638a175249f04a31, 0x821781ce387896db;
            name: "nvidia::gxf::test::cuda::StreamBasedOps";
            abstract_type: true;
        },
        StreamTensorGenerator: Codelet {
            id: 0x3a5f0f097bcf49c3, 0xa5437e488fa251f7;
            base: 0x638a175249f04a31, 0x821781ce387896db;
            name: "nvidia::gxf::test::cuda::StreamTensorGenerator";
        },
        CublasDotProduct: Codelet {
            id: 0xfbe004939d8d4b4e, 0x9d85e9fddee218be;
            base: 0x638a175249f04a31, 0x821781ce387896db;
            name: "nvidia::gxf::test::cuda::CublasDotProduct";
            capturable: true;
        },
        HostDotProduct: Codelet {
            id: 0xd877d6f9b72e414b, 0x8e9c52a5aa0bcc1c;
            name: "nvidia::gxf::test::cuda::HostDotProduct";
        },
        MemCpy2Host: Codelet {
            id: 0x4286872912cd4cae, 0xb0ea83d18715d774;
            base: 0x638a175249f04a31, 0x821781ce387896db;
            name: "nvidia::gxf::test::cuda::MemCpy2Host";
        },
        VerifyEqual: Codelet {
            id: 0xe578e5bd15434de4, 0x8ed625fd24354ac0;
            name: "nvidia::gxf::test::cuda::VerifyEqual";
        },
        Multiples: Codelet {
            id: 0xc2f0a68d417b4e35, 0x91d86be30fa5274c;
            name: "gxe::test::cuda::Multiples";
            capturable: true;
        },
        TwoStreams: Codelet {
            id: 0xa50d63e6352e1fd7, 0x637bf982c2c6f073;
            name: "gxe::test::cuda::TwoStreams";
        },
        CudaAsyncBufferGenerator: Codelet {
            id: 0x293190785f1a11ef, 0xa3d097895e79aba6;
            name: "nvidia::gxf::test::cuda::CudaAsyncBufferGenerator";
        },
        Convolve2D: Codelet {
            id: 0x4f2240205f1a11ef, 0xa0be4fd9265eca79;
            name: "nvidia::gxf::test::cuda::Convolve2D";
        },
        CudaBufferRx: Codelet {
            id: 0x7468fe005f7e11ef, 0xbd4d2ba0f2a6467a;
            name: "nvidia::gxf::test::cuda::CudaBufferRx";
        },
    ];
}
