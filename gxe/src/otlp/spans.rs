//! Ticks as spans of one trace, whose root is the run.

use gxf_runtime::TracedTick;
use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState,
};
use opentelemetry::{InstrumentationScope, KeyValue};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};
use std::time::{Duration, SystemTime};

/// The span of a run, which has no end yet.
pub struct RunSpan {
    context: SpanContext,
    /// From `TRACEPARENT`, for a run that is part of something larger.
    parent: Option<SpanId>,
    begin: SystemTime,
}

fn random<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    // Without random numbers, all runs have one trace.
    _ = getrandom::fill(&mut bytes);
    bytes[0] |= 1;
    bytes
}

/// Trace and span of a `TRACEPARENT` in the form of W3C's recommendation.
fn parent(text: &str) -> Option<(TraceId, SpanId)> {
    let [version, trace, span, flags] = text.trim().split('-').collect::<Vec<_>>()[..] else {
        return None;
    };
    let is_hex = |text: &str, length: usize| {
        text.len() == length && text.bytes().all(|one| one.is_ascii_hexdigit())
    };
    if !is_hex(version, 2) || !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
        return None;
    }
    let (trace, span) = (TraceId::from_hex(trace).ok()?, SpanId::from_hex(span).ok()?);
    (trace != TraceId::INVALID && span != SpanId::INVALID).then_some((trace, span))
}

impl RunSpan {
    /// Begins now. `above` is a `TRACEPARENT`.
    pub fn begin(above: Option<&str>) -> Self {
        let above = above.and_then(parent);
        let trace = above.map_or_else(|| TraceId::from_bytes(random()), |(trace, _)| trace);
        Self {
            context: context(trace),
            parent: above.map(|(_, span)| span),
            begin: SystemTime::now(),
        }
    }

    /// The span of a tick.
    pub fn tick(&self, tick: TracedTick, scope: &InstrumentationScope) -> SpanData {
        let time = |nanoseconds| SystemTime::UNIX_EPOCH + Duration::from_nanos(nanoseconds);
        let status = if tick.succeeded { Status::Unset } else { Status::error("the tick failed") };
        SpanData {
            span_context: context(self.context.trace_id()),
            parent_span_id: self.context.span_id(),
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name: tick.entity.clone().into(),
            start_time: time(tick.begin_ns),
            end_time: time(tick.end_ns),
            attributes: vec![
                KeyValue::new("gxe.entity", tick.entity),
                KeyValue::new("thread.name", tick.thread),
            ],
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status,
            instrumentation_scope: scope.clone(),
        }
    }

    /// The span of the run, which ends now.
    pub fn end(
        self,
        succeeded: bool,
        attributes: Vec<KeyValue>,
        scope: &InstrumentationScope,
    ) -> SpanData {
        SpanData {
            span_context: self.context,
            parent_span_id: self.parent.unwrap_or(SpanId::INVALID),
            parent_span_is_remote: self.parent.is_some(),
            span_kind: SpanKind::Internal,
            name: "gxe run".into(),
            start_time: self.begin,
            end_time: SystemTime::now(),
            attributes,
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: if succeeded { Status::Ok } else { Status::error("the run failed") },
            instrumentation_scope: scope.clone(),
        }
    }
}

fn context(trace: TraceId) -> SpanContext {
    let span = SpanId::from_bytes(random());
    SpanContext::new(trace, span, TraceFlags::SAMPLED, false, TraceState::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_right_parent_counts() {
        let text = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let run = RunSpan::begin(Some(text));
        assert_eq!(run.context.trace_id().to_string(), "0af7651916cd43dd8448eb211c80319c");
        assert_eq!(run.parent.map(|span| span.to_string()).as_deref(), Some("b7ad6b7169203331"));
        let zero = "00-00000000000000000000000000000000-b7ad6b7169203331-01";
        for wrong in ["", "00", "00-+af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", zero] {
            assert!(RunSpan::begin(Some(wrong)).parent.is_none(), "{wrong}");
        }
    }
}
