//! The types that a file can use.

use super::document::Document;
use crate::arguments::GraphArguments;
use crate::catalog::{Parameter, Type, TypeKind};
use crate::loading::{add_paths, load_extensions, never};
use crate::options::GraphOptions;
use gxf_runtime::graph::Diagnostics;
use gxf_runtime::{Context, Tid};
use std::path::PathBuf;

/// The extensions of a file.
pub struct Extensions {
    /// With the types of those that load.
    pub context: Context,
    /// Whether the file names them. If it does not, these are all that are installed.
    pub are_named: bool,
    /// What is wrong with the named ones.
    pub problems: Diagnostics,
}

/// A context with the extensions of a file.
pub fn extensions(document: &Document, server: &GraphOptions) -> Extensions {
    let mut options = options(document, server);
    let context = Context::new();
    let are_named = !options.manifests.is_empty();
    let mut problems = Diagnostics::default();
    // The document may have been edited since it was saved.
    let is_open = |path: &PathBuf| document.path.as_ref() == Some(path);
    if let Some(place) = options.manifests.iter().position(is_open) {
        let path = options.manifests.remove(place);
        add_paths(&context, &options);
        if let Err(error) = context.load_manifest_text(&path, &document.text) {
            problems.extend(error.diagnostics().cloned().unwrap_or_default());
        }
    }
    if let Err(failure) = load_extensions(&context, &options, &never) {
        problems.extend(failure.findings().cloned().unwrap_or_default());
    }
    if !are_named {
        for library in context.installed_libraries() {
            _ = context.load_extension(&library);
        }
    }
    Extensions { context, are_named, problems }
}

/// The types that a file can use.
pub fn context(document: &Document, server: &GraphOptions) -> Context {
    extensions(document, server).context
}

/// The manifests given to the server, or those that a run of this file would use.
pub fn options(document: &Document, server: &GraphOptions) -> GraphOptions {
    let mut options = server.clone();
    if options.manifests.is_empty() {
        let files = document.path.iter().map(|path| path.clone().into_os_string()).collect();
        let graph = GraphArguments { files, ..GraphArguments::default() };
        let own = GraphOptions::new(graph, Default::default(), |_| None);
        options.manifests = own.map(|own| own.manifests).unwrap_or_default();
    }
    options
}

/// All component types that an entity can have, by name.
pub fn components(context: &Context) -> Vec<Type> {
    let extensions = context.extensions();
    let all = extensions.iter().flat_map(|info| &info.types);
    let known = all.filter_map(|tid| context.type_info_by_id(*tid));
    let mut types: Vec<_> = known.map(|info| Type::new(context, &info)).collect();
    types.retain(|known| known.kind == TypeKind::Component);
    types.sort_by(|one, other| one.name.cmp(&other.name));
    types
}

/// A type by its name.
pub fn type_named(context: &Context, name: &str) -> Option<Type> {
    context.type_info(name).map(|info| Type::new(context, &info))
}

/// The type that a handle parameter of a type leads to.
pub fn target_of(context: &Context, type_name: &str, key: &str) -> Option<Tid> {
    let info = context.type_info(type_name)?;
    let (_, spec) = info.parameter(key)?;
    Some(spec.handle_tid).filter(|tid| !tid.is_null())
}

/// A type as Markdown: what it is for, and its parameters.
pub fn describe(known: &Type) -> String {
    let mut text = format!("**{}**\n\n{}\n", known.name, known.description);
    for parameter in &known.parameters {
        text.push_str(&format!("\n- {}", describe_parameter(parameter)));
    }
    text
}

/// A parameter as one line of Markdown.
pub fn describe_parameter(parameter: &Parameter) -> String {
    let Parameter { key, description, headline, .. } = parameter;
    let text = if description.is_empty() { headline } else { description };
    let mut about = vec![parameter.type_and_unit(), parameter.default_text(), parameter.range()];
    if !parameter.choices.is_empty() {
        about.push(format!("one of {}", parameter.choices.join(", ")));
    }
    about.retain(|text| !text.is_empty());
    format!("`{key}` ({}): {text}", about.join("; "))
}
