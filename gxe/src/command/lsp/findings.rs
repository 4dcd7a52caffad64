//! What `gxe check` finds in a file, as the protocol writes it.

use super::SOURCE;
use super::document::Document;
use super::knowledge;
use crate::command::check::rule;
use crate::options::GraphOptions;
use gxf_runtime::extension::manifest_entries;
use gxf_runtime::graph::{Diagnostic, Diagnostics, Severity};
use serde_json::{Value, json};
use std::path::Path;

/// Everything that is wrong with an app or a manifest. The file need not be saved.
pub fn of(document: &Document, options: &GraphOptions) -> Vec<Value> {
    let name = document.name();
    let has = |key: &str| document.text.lines().any(|line| line.starts_with(key));
    let found = if has("extensions:") && !has("components:") {
        manifest_entries(&name, &document.text).err().unwrap_or_default()
    } else {
        let is_part = has("interfaces:") || has("prerequisites:");
        of_app(document, options, &name, is_part)
    };
    let own = found.iter().filter(|finding| {
        let file = finding.span.as_ref().map(|span| &*span.source.name);
        // What no file is blamed for concerns the graph, and this is its file.
        file.is_none_or(|file| file == name)
    });
    own.map(|finding| published(document, finding)).collect()
}

/// `is_part`: the file is a subgraph, so some mistakes are none.
fn of_app(document: &Document, options: &GraphOptions, name: &str, is_part: bool) -> Diagnostics {
    let (context, is_complete) = knowledge::context(document, options);
    if let Some(folder) = document.path.as_deref().and_then(Path::parent) {
        context.set_root_path(folder);
    }
    let loaded = context.load_app_text(name, &document.text, &[]);
    let mut found = context.take_warnings();
    match loaded {
        Ok(()) if !is_part && is_complete => found.extend(context.check()),
        Ok(()) => {}
        Err(error) => found.extend(error.diagnostics().cloned().unwrap_or_default()),
    }
    found
}

fn published(document: &Document, finding: &Diagnostic) -> Value {
    let range = finding.span.as_ref().map_or(0..0, |span| span.start()..span.end());
    let mut text = finding.message.clone();
    for part in finding.help.iter() {
        text.push_str(&format!("\nhelp: {part}"));
    }
    json!({
        "range": document.range(range),
        "severity": if finding.severity == Severity::Error { 1 } else { 2 },
        "code": rule(finding),
        "source": SOURCE,
        "message": text,
    })
}
