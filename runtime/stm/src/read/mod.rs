//! From YAML text to what a graph file says, with every mistake of form at once.
//!
//! - `text.rs`: files to trees, past slips of YAML such as an element without its dash;
//! - `raw.rs`: what a file says, before names are resolved;
//! - `nodes.rs`: elements, keys and scalars of any level; `values.rs`: names, times, numbers;
//! - `top.rs`: the levels of a file; `clients.rs`: clients and runnables; `wcets.rs`: the second
//!   file.

mod clients;
pub(crate) mod nodes;
mod raw;
mod text;
pub(crate) mod top;
mod values;
pub(crate) mod wcets;

pub(crate) use raw::{
    Field, RawAliasGroup, RawClient, RawEpoch, RawGraph, RawHyperepoch, RawResource, RawRunnable,
};
pub(crate) use text::documents;

use gxf_app::{Diagnostic, Severity};

/// An error of a rule.
pub(crate) fn error(rule: &'static str, message: impl Into<String>) -> Diagnostic {
    let code = gxf_plugin_abi::ResultCode::INVALID_DATA_FORMAT;
    Diagnostic::error(code, message).found_by(rule)
}

/// A warning of a rule.
pub(crate) fn warning(rule: &'static str, message: impl Into<String>) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..error(rule, message) }
}
