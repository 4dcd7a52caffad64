//! `HelloWorld`: the smallest codelet.

use gxf::prelude::*;

/// Logs a greeting on every tick.
#[derive(Component, Default)]
pub struct HelloWorld {}

impl Codelet for HelloWorld {
    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        gxf::info!("Hello world");
        Ok(())
    }
}
