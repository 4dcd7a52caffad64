//! Spans of time, and what goes over links, in the trace of a run.

use crate::host::host;
use crate::{ContextHandle, abi, text_of};
use abi::{TraceLinkTable, TraceTable, tids};
use std::sync::OnceLock;

/// The host's table; `None` if the host has no traces.
fn table() -> Option<&'static TraceTable> {
    static TABLE: OnceLock<Option<&TraceTable>> = OnceLock::new();
    *TABLE.get_or_init(|| {
        // SAFETY: the host's table with this id is a `TraceTable` that lives as long as the process.
        unsafe { (host().host_interface)(tids::TRACE).cast::<TraceTable>().as_ref() }
    })
}

/// The trace's time: nanoseconds of `CLOCK_MONOTONIC`.
#[must_use]
pub fn now() -> i64 {
    // SAFETY: the function may be called at any time.
    table().map_or(0, |table| unsafe { (table.now)() })
}

/// Where an extension records spans of time: a track, in the group of the extension's feature.
///
/// Spans of one track must not overlap, except that one contains the other.
pub struct TraceTrack {
    context: ContextHandle,
    group: String,
    track: String,
}

impl TraceTrack {
    /// A track of this name. `group` names the feature.
    #[must_use]
    pub fn new(context: ContextHandle, group: &str, track: &str) -> Self {
        Self { context, group: group.to_owned(), track: track.to_owned() }
    }

    /// Whether a trace is being recorded. Costs one load.
    #[inline]
    #[must_use]
    pub fn is_on(&self) -> bool {
        // SAFETY: the handle keeps the context alive.
        table().is_some_and(|table| unsafe { (table.is_on)(self.context.raw()) })
    }

    /// Begins a span, which ends when the result is dropped. A trace has room for few different
    /// names.
    #[must_use]
    pub fn span<'a>(&'a self, name: &'a str) -> TraceSpan<'a> {
        TraceSpan { track: self, name, begin: self.is_on().then(now) }
    }

    /// Records a span that began and ended at these times of [`now`].
    pub fn record(&self, name: &str, begin: i64, end: i64) {
        if let Some(table) = table() {
            let [group, track, name] = [&self.group, &self.track, name].map(text_of);
            // SAFETY: the handle keeps the context alive; the host copies the texts.
            unsafe { (table.span)(self.context.raw(), group, track, name, begin, end) };
        }
    }
}

/// A span that has begun; see [`TraceTrack::span`].
pub struct TraceSpan<'a> {
    track: &'a TraceTrack,
    name: &'a str,
    /// `None` if no trace is being recorded.
    begin: Option<i64>,
}

impl Drop for TraceSpan<'_> {
    fn drop(&mut self) {
        if let Some(begin) = self.begin {
            self.track.record(self.name, begin, now());
        }
    }
}

/// The host's table for links; `None` if the host is older than ABI 1.8.
fn link_table() -> Option<&'static TraceLinkTable> {
    static TABLE: OnceLock<Option<&TraceLinkTable>> = OnceLock::new();
    *TABLE.get_or_init(|| {
        // SAFETY: the host's table with this id is a `TraceLinkTable` that lives as long as the
        // process.
        unsafe { (host().host_interface)(tids::TRACE_LINKS).cast::<TraceLinkTable>().as_ref() }
    })
}

/// Records now that message `sequence` left over a link, or has arrived; nothing if no trace is being
/// recorded. Both ends of a link give it the same number `link`, which no other link has, so that
/// `gxe trace merge` can join the traces of several processes. `track` names the end.
pub fn link_passed(
    context: &ContextHandle,
    track: &str,
    link: u64,
    sequence: u64,
    has_arrived: bool,
) {
    if let Some(table) = link_table() {
        // SAFETY: the handle keeps the context alive; the host copies the text.
        unsafe { (table.passed)(context.raw(), text_of(track), link, sequence, has_arrived) };
    }
}

/// Records that the other end's [`now`] is ahead of this one's by `offset` nanoseconds, give or take
/// `error`; nothing if no trace is being recorded.
pub fn link_clock(context: &ContextHandle, track: &str, link: u64, offset: i64, error: u64) {
    if let Some(table) = link_table() {
        // SAFETY: the handle keeps the context alive; the host copies the text.
        unsafe { (table.clock)(context.raw(), text_of(track), link, offset, error) };
    }
}
