//! `gxe::Trace` and `gxe::TraceLinks`: what extensions record, spans of time and what links do.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::inner;
use gxf_engine::observe::trace::Span;
use gxf_engine::observe::{monotonic_now, observation::Observation};
use gxf_plugin_abi::{Context, Text, TraceLinkTable, TraceTable};

/// The table.
pub(super) static TRACE: TraceTable =
    TraceTable { size: size_of::<TraceTable>(), is_on, now, span };

/// The table for links.
pub(super) static TRACE_LINKS: TraceLinkTable =
    TraceLinkTable { size: size_of::<TraceLinkTable>(), passed, clock };

/// The graph's observation while a trace is being recorded.
///
/// # Safety
/// `context` must be null or a context that is alive.
unsafe fn tracing<'a>(context: *mut Context) -> Option<&'a Observation> {
    // SAFETY: the caller's promise.
    let observation = &*unsafe { inner(context) }.ok()?.observation;
    observation.is_tracing().then_some(observation)
}

unsafe extern "C" fn is_on(context: *mut Context) -> bool {
    // SAFETY: `context` is null or alive.
    unsafe { tracing(context) }.is_some()
}

unsafe extern "C" fn now() -> i64 {
    monotonic_now()
}

unsafe extern "C" fn span(
    context: *mut Context,
    group: Text,
    track: Text,
    name: Text,
    begin: i64,
    end: i64,
) {
    // SAFETY: `context` is null or alive.
    let Some(observation) = (unsafe { tracing(context) }) else { return };
    // SAFETY: the texts are readable for their lengths.
    let [group, track, name] = [group, track, name].map(|text| unsafe { gxf::text_lossy(text) });
    observation.trace_span(&Span { group: &group, track: &track, name: &name }, begin, end);
}

unsafe extern "C" fn passed(
    context: *mut Context,
    track: Text,
    link: u64,
    sequence: u64,
    has_arrived: bool,
) {
    // SAFETY: `context` is null or alive.
    let Some(observation) = (unsafe { tracing(context) }) else { return };
    // SAFETY: the text is readable for its length.
    let track = unsafe { gxf::text_lossy(track) };
    observation.trace_passed(&track, link, sequence, has_arrived);
}

unsafe extern "C" fn clock(context: *mut Context, track: Text, link: u64, offset: i64, error: u64) {
    // SAFETY: `context` is null or alive.
    let Some(observation) = (unsafe { tracing(context) }) else { return };
    // SAFETY: the text is readable for its length.
    let track = unsafe { gxf::text_lossy(track) };
    observation.trace_clock(&track, link, offset, error);
}
