//! Findings as JSON.

use gxf_runtime::graph::escape::shortened;
use gxf_runtime::graph::{Diagnostic, Diagnostics, Severity, Span};
use serde_json::{Value, json};

/// `{"errors": …, "warnings": …, "findings": […]}`.
pub fn document(findings: &Diagnostics) -> Value {
    json!({
        "errors": findings.errors(),
        "warnings": findings.warnings(),
        "findings": findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(diagnostic: &Diagnostic) -> Value {
    let note =
        |(span, text): &(Span, String)| json!({"text": shortened(text), "place": place(span)});
    json!({
        "severity": diagnostic.severity.to_string(),
        "rule": rule(diagnostic),
        "message": shortened(&diagnostic.message),
        "place": diagnostic.span.as_ref().map(place),
        "label": shortened(&diagnostic.label),
        "help": diagnostic.help.iter().map(|help| shortened(help)).collect::<Vec<_>>(),
        "notes": diagnostic.notes.iter().map(note).collect::<Vec<_>>(),
    })
}

/// Lines and columns count from 1, columns in characters.
fn place(span: &Span) -> Value {
    let (line, column) = span.line_column();
    let (end_line, end_column) = span.end_line_column();
    json!({
        "file": span.source.name,
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    })
}

/// The rule, or the result code of the load, or `load-warning`.
pub fn rule(diagnostic: &Diagnostic) -> &'static str {
    match (diagnostic.rule, diagnostic.severity) {
        (Some(rule), _) => rule,
        (None, Severity::Error) => diagnostic.code.name(),
        (None, Severity::Warning) => "load-warning",
    }
}
