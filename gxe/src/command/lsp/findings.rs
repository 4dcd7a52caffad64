//! What `gxe check` finds in a file, as the protocol writes it.

use super::SOURCE;
use super::document::Document;
use super::knowledge;
use super::knowledge::Extensions;
use crate::command::check::rule;
use crate::loading::add_paths;
use crate::options::GraphOptions;
use gxf_plugin_abi::ResultCode;
use gxf_runtime::Context;
use gxf_runtime::graph::{Diagnostic, Diagnostics, Severity};
use serde_json::{Value, json};
use std::path::Path;

/// Everything that is wrong with an app or a manifest. The file need not be saved.
pub fn of(document: &Document, options: &GraphOptions) -> Vec<Value> {
    let name = document.name();
    let has = |key: &str| document.text.lines().any(|line| line.starts_with(key));
    let found = if has("extensions:") && !has("components:") {
        of_manifest(document, options, &name)
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

fn of_manifest(document: &Document, options: &GraphOptions, name: &str) -> Diagnostics {
    let context = Context::new();
    add_paths(&context, options);
    let loaded = context.load_manifest_text(Path::new(name), &document.text);
    let mut found = context.take_warnings();
    found.extend(loaded.err().and_then(|error| error.diagnostics().cloned()).unwrap_or_default());
    found
}

/// `is_part`: the file is a subgraph, so some mistakes are none.
fn of_app(document: &Document, options: &GraphOptions, name: &str, is_part: bool) -> Diagnostics {
    let Extensions { context, are_named, problems } = knowledge::extensions(document, options);
    let has_all = problems.errors() == 0;
    if let Some(folder) = document.path.as_deref().and_then(Path::parent) {
        context.set_root_path(folder);
    }
    let loaded = context.load_app_text(name, &document.text, &[]);
    let mut found = context.take_warnings();
    found.extend(problems.iter().cloned().map(|problem| shown_in(problem, name)));
    match loaded {
        Ok(()) if !is_part && are_named && has_all => found.extend(context.check()),
        Ok(()) => {}
        Err(error) => {
            // A library that is missing may have the type.
            let unknown = ResultCode::FACTORY_UNKNOWN_CLASS_NAME;
            let all = error.diagnostics().into_iter().flatten();
            found.extend(all.filter(|one| has_all || one.code != unknown).cloned());
        }
    }
    found
}

/// A problem with another file, such as the manifest, has no place in this one.
fn shown_in(mut problem: Diagnostic, name: &str) -> Diagnostic {
    if let Some(span) = problem.span.take_if(|span| *span.source.name != *name) {
        problem.message = format!("{span}: {}", problem.message);
    }
    problem
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
