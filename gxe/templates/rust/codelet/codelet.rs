//! `@Name@`.

use gxf::prelude::*;

/// Counts its ticks and logs them.
#[derive(Component, Default)]
pub struct @Name@ {
    /// Number at which the count starts.
    #[parameter(default = 0)]
    offset: Parameter<i64>,
    count: i64,
}

impl Codelet for @Name@ {
    fn start(&mut self, _context: &TickContext) -> Result<()> {
        self.count = *self.offset;
        Ok(())
    }

    fn tick(&mut self, _context: &TickContext) -> Result<()> {
        self.count = self.count.wrapping_add(1);
        gxf::info!("@Name@: tick {}", self.count);
        Ok(())
    }
}
