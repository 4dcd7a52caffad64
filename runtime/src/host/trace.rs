//! `gxe::Trace`: spans of time that extensions record.

#![expect(unsafe_code, reason = "the host table is called with the pointers of extensions")]

use super::inner;
use gxf_engine::observe::trace::Span;
use gxf_engine::observe::{monotonic_now, observation::Observation};
use gxf_plugin_abi::{Context, Text, TraceTable};

/// The table.
pub(super) static TRACE: TraceTable =
    TraceTable { size: size_of::<TraceTable>(), is_on, now, span };

unsafe extern "C" fn is_on(context: *mut Context) -> bool {
    // SAFETY: `context` is null or alive.
    unsafe { inner(context) }.is_ok_and(|inner| inner.observation.is_tracing())
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
    let observation: &Observation = match unsafe { inner(context) } {
        Ok(inner) if inner.observation.is_tracing() => &inner.observation,
        _ => return,
    };
    // SAFETY: the texts are readable for their lengths.
    let [group, track, name] = [group, track, name].map(|text| unsafe { gxf::text_lossy(text) });
    observation.trace_span(&Span { group: &group, track: &track, name: &name }, begin, end);
}
