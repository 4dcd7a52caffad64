//! GXF's TestGxfStreamExtension: codelets that exchange data on a device, in the order that a StreamSync
//! keeps. Most are those of `extensions/test_cuda`, under other names.
#![forbid(unsafe_code)]

#[path = "../../test_cuda/src/host_dot_product.rs"]
mod host_dot_product;
mod synced;
#[path = "../../test_cuda/src/tensors.rs"]
mod tensors;
#[path = "../../test_cuda/src/to_host.rs"]
mod to_host;
#[path = "../../test_cuda/src/verify.rs"]
mod verify;

use gxf::prelude::*;
use host_dot_product::HostDotProduct;
use synced::{CublasDotProductNew, StreamTensorGeneratorNew};
use to_host::MemCpy2Host;
use verify::VerifyEqual;

/// The base of codelets that work on streams.
#[derive(Component, Default)]
struct StreamBasedOpsNew {}

impl Codelet for StreamBasedOpsNew {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        Ok(())
    }
}

gxf::gxf_ext_factory! {
    id: 0x31bee146e13d4161, 0x8d6a37403048d618;
    name: "TestGxfStreamExtension";
    version: "0.5.0";
    description: "Codelets that exchange data on a device in the order of a StreamSync";
    license: "Apache-2.0";
    category: "Test";
    components: [
        StreamBasedOpsNew: Codelet {
            id: 0x071fab5316724442, 0x87d0a104b90836e2;
            name: "nvidia::gxf::stream::test::StreamBasedOpsNew";
            abstract_type: true;
        },
        StreamTensorGeneratorNew: Codelet {
            id: 0x7d91f809494e4049, 0x992daecc406796eb;
            base: 0x071fab5316724442, 0x87d0a104b90836e2;
            name: "nvidia::gxf::stream::test::StreamTensorGeneratorNew";
        },
        CublasDotProductNew: Codelet {
            id: 0xaf1edd6cc3bf4558, 0xbd02706dfc98fac9;
            base: 0x071fab5316724442, 0x87d0a104b90836e2;
            name: "nvidia::gxf::stream::test::CublasDotProductNew";
        },
        HostDotProduct: Codelet {
            id: 0x4a367bcf3ea04488, 0x88cd571060119d43;
            name: "nvidia::gxf::stream::test::HostDotProductNew";
        },
        MemCpy2Host: Codelet {
            id: 0xc6f7de7f978749ce, 0x9e2a52464d027a4c;
            base: 0x071fab5316724442, 0x87d0a104b90836e2;
            name: "nvidia::gxf::stream::test::MemCpy2HostNew";
        },
        VerifyEqual: Codelet {
            id: 0xc9d7381d79b241a1, 0x83025e190a84d53b;
            name: "nvidia::gxf::stream::test::VerifyEqualNew";
        },
    ];
}
