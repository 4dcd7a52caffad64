//! Findings as SARIF 2.1.0, the form that code review tools read.

use super::json::rule;
use gxf_runtime::graph::check::RULES;
use gxf_runtime::graph::escape::shortened;
use gxf_runtime::graph::{Diagnostic, Diagnostics, Severity, Span};
use serde_json::{Value, json};

/// A log with one run.
pub fn document(findings: &Diagnostics) -> Value {
    let mut rules: Vec<(&str, &str)> =
        RULES.iter().map(|known| (known.name, known.summary)).collect();
    for finding in findings {
        let name = rule(finding);
        if !rules.iter().any(|(known, _)| *known == name) {
            let summary = match finding.severity {
                Severity::Error => finding.code.description(),
                Severity::Warning => "The graph loads, but probably not as meant.",
            };
            rules.push((name, summary));
        }
    }
    let described = rules
        .iter()
        .map(|(name, summary)| json!({"id": name, "shortDescription": {"text": summary}}));
    let results = findings.iter().map(|finding| {
        let index = rules.iter().position(|(known, _)| *known == rule(finding));
        result(finding, index.unwrap_or_default())
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "gxe check",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": described.collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results.collect::<Vec<_>>(),
        }],
    })
}

fn result(diagnostic: &Diagnostic, index: usize) -> Value {
    let mut text = shortened(&diagnostic.message);
    for help in &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(&shortened(help));
    }
    let related = diagnostic.notes.iter().map(|(span, note)| {
        let mut place = location(span);
        place["message"] = json!({"text": shortened(note)});
        place
    });
    json!({
        "ruleId": rule(diagnostic),
        "ruleIndex": index,
        "level": diagnostic.severity.to_string(),
        "message": {"text": text},
        "locations": diagnostic.span.iter().map(location).collect::<Vec<_>>(),
        "relatedLocations": related.collect::<Vec<_>>(),
    })
}

fn location(span: &Span) -> Value {
    let (line, column) = span.line_column();
    let (end_line, end_column) = span.end_line_column();
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(&span.source.name)},
        "region": {
            "startLine": line,
            "startColumn": column,
            "endLine": end_line,
            "endColumn": end_column,
        },
    }})
}

/// A path as a URI reference.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}
