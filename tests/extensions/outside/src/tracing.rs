//! Spans in the trace of a run.

use gxf::prelude::*;
use gxf::{TraceTrack, trace};

/// Each tick records a span within another one, and one on a track of its own.
#[derive(Component, Default)]
pub struct Spanning {}

impl Codelet for Spanning {
    fn tick(&mut self, context: &TickContext) -> Result<()> {
        let device = TraceTrack::new(context.handle(), "outside", "device");
        if context.is_first_tick() {
            gxf::info!("outside: tracing {}", device.is_on());
        }
        {
            let _outer = device.span("copy");
            let _inner = device.span("wait");
        }
        let begin = trace::now();
        let link = TraceTrack::new(context.handle(), "outside", "link");
        link.record("send", begin, begin + 1000);
        // Before anything existed, and with an impossible end.
        TraceTrack::new(context.handle(), "outside, too", "link").record("early", 1, 0);
        Ok(())
    }
}
