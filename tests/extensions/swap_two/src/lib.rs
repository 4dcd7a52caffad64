//! One of two libraries with the same extension and component ids and different behaviour; see
//! `tests/tests/swap.rs`.
#![forbid(unsafe_code)]

use gxf::prelude::*;

/// Logs which build it comes from.
#[derive(Component, Default)]
struct Speaker {}

impl Codelet for Speaker {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        gxf::info!("I am the second build");
        Ok(())
    }
}

gxf_ext_factory! {
    id: 0x6f1d0c5be3a94a77, 0x9b52c1f0d8e64310;
    name: "SwapExtension";
    version: "1.0.0";
    description: "A codelet that says which build it comes from";
    license: "Apache-2.0";
    components: [
        Speaker: Codelet {
            id: 0x2c8e5f7a91b04d36, 0x84a7d3e6f0c15b29;
            name: "gxe::test::Speaker";
        },
    ];
}
