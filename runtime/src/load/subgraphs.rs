//! Subgraphs: their files, prerequisites and exports.

use super::{FileState, GivenParameter, Loader};
use crate::inner::Inner;
use crate::load::resolve::{PREREQUISITES, Scope, resolve_text};
use gxf_app::error::{Error, Result};
use gxf_app::model::AppFile;
use gxf_app::{Diagnostic, HandleText, Source, Span, Spanned};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::ResultCode;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Loader<'_> {
    /// Checks the prerequisites: as in GXF, missing ones cause only a warning.
    pub(super) fn check_prerequisites(
        &mut self,
        app: &AppFile,
        prefix: &str,
        parent: Option<&Arc<Entity>>,
    ) {
        let wanted = app.documents.iter().filter_map(|document| document.prerequisites.as_ref());
        for name in wanted.flatten() {
            let provided =
                self.inner.graph.store.read().entity_named(&prerequisites_name(prefix)).cloned();
            let there =
                provided.as_ref().is_some_and(|entity| entity.interface(&name.value).is_some());
            let excused =
                provided.as_ref().is_some_and(|entity| self.broken.has(entity, &name.value));
            if !there && !excused && parent.is_some() {
                let handed_in: Vec<_> = provided.iter().flat_map(|entity| entity.names()).collect();
                let handed_in: Vec<_> = handed_in.iter().map(|name| format!("`{name}`")).collect();
                let help = if handed_in.is_empty() {
                    "it passes none".to_owned()
                } else {
                    format!("it passes {}", handed_in.join(", "))
                };
                self.diagnostics.push(
                    Diagnostic::warning(format!(
                        "the Subgraph component does not pass prerequisite `{}`",
                        name.value
                    ))
                    .at(name.span.clone())
                    .help(help),
                );
            }
        }
    }

    /// Loads the files of a subgraph.
    pub(super) fn load_subgraph(
        &mut self,
        component: &Arc<Component>,
        entity: &Arc<Entity>,
        prefix: &str,
        file: &mut FileState<'_>,
    ) {
        let Some(given) = file.given.get(&component.cid()) else { return };
        let Some((key, location)) = given.parameter("location") else { return };
        let source = &key.span.source;
        let place = location.span(source);
        let before = component.parameter("location").is_some();
        if before || !self.expanded.insert(component.cid()) {
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "subgraph `{}` is already loaded; a second `location` has no effect",
                    entity.name()
                ))
                .at(place),
            );
            return;
        }
        let inner_prefix = format!("{}.", entity.name());
        if let Some(prerequisites) = given.parameter("prerequisites") {
            self.hand_in(&self.scope(prefix), entity, prerequisites, &inner_prefix);
        }
        let Some(locations) = location.as_text() else {
            self.diagnostics.push(
                Diagnostic::error(
                    ResultCode::PARAMETER_PARSER_ERROR,
                    format!("`location` must be the path of a file, found {}", location.describe()),
                )
                .at(place),
            );
            return;
        };
        let mut locations = locations.split(',').map(str::trim).filter(|path| !path.is_empty());
        let Some(first) = locations.next() else {
            self.diagnostics.push(
                Diagnostic::warning("`location` is empty, so the subgraph has no entities")
                    .at(place)
                    .help("write the path of an app file; several are separated by commas"),
            );
            return;
        };
        for wanted in std::iter::once(first).chain(locations) {
            let path = self.subgraph_path(wanted, source);
            if !self.load_file(&path, &inner_prefix, Some(entity), Some(&place)) {
                self.broken.note_all(entity);
            }
        }
    }

    /// Relative to the root path, or the root of files, or else to the file that names it.
    fn subgraph_path(&self, wanted: &str, source: &Source) -> PathBuf {
        let root = self.inner.root_path.lock().clone();
        let root = match &*self.inner.file_root.lock() {
            Some(files) if root.as_os_str().is_empty() => files.clone(),
            _ => root,
        };
        let from_root = root.join(wanted);
        let beside = Path::new(&source.name).parent().map(|directory| directory.join(wanted));
        match beside {
            Some(beside) if !from_root.exists() && beside.exists() => beside,
            _ => from_root,
        }
    }

    /// Makes components of the outer graph available to a subgraph as `prerequisites/name`.
    fn hand_in(
        &mut self,
        scope: &Scope<'_>,
        entity: &Arc<Entity>,
        given: &GivenParameter,
        inner_prefix: &str,
    ) {
        let (Spanned { span: Span { source, .. }, .. }, node) = given;
        let Some(pairs) = node.as_mapping() else {
            self.diagnostics.push(
                Diagnostic::error(
                    ResultCode::PARAMETER_PARSER_ERROR,
                    format!("`prerequisites` must map names to handles, found {}", node.describe()),
                )
                .at(node.span(source)),
            );
            return;
        };
        let holder = match prerequisites_of(self.inner, inner_prefix) {
            Ok(holder) => holder,
            Err(error) => {
                self.diagnostics.push(Diagnostic::from(&error).at(node.span(source)));
                return;
            }
        };
        for (key, value) in pairs {
            let text = value.as_text().and_then(HandleText::parse);
            let (Some(key), Some(text)) = (key.as_text(), text) else {
                self.diagnostics.push(
                    Diagnostic::error(
                        ResultCode::PARAMETER_PARSER_ERROR,
                        format!(
                            "expected a handle such as `entity/component`, found {}",
                            value.describe()
                        ),
                    )
                    .at(value.span(source)),
                );
                continue;
            };
            self.make_known(scope, entity, &text, value.span(source), &holder, key);
        }
    }

    /// Makes a subgraph's exported components available in the entity that includes it.
    pub(super) fn export_interfaces(
        &mut self,
        app: &AppFile,
        parent: &Arc<Entity>,
        scope: &Scope<'_>,
    ) {
        for interface in app.documents.iter().flat_map(|document| &document.interfaces) {
            let span = interface.target.span.clone();
            let Some(text) = HandleText::parse(&interface.target.value) else {
                self.diagnostics.push(
                    Diagnostic::error(
                        ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                        "the target of an interface must be written `entity/component`",
                    )
                    .at(span),
                );
                continue;
            };
            self.make_known(scope, parent, &text, span, parent, &interface.name.value);
        }
    }

    /// Makes the component behind a handle in `entity` available in `holder` as `name`.
    fn make_known(
        &mut self,
        scope: &Scope<'_>,
        entity: &Arc<Entity>,
        handle: &HandleText,
        place: Span,
        holder: &Entity,
        name: &str,
    ) {
        match resolve_text(scope, entity, handle, None, place, self.suggest()) {
            Ok(found) => {
                self.diagnostics.extend(found.warnings);
                match found.component {
                    Some(component) => holder.add_interface(name, component.cid()),
                    None => self.broken.note(holder, name),
                }
            }
            Err(problem) => {
                self.broken.note(holder, name);
                self.diagnostics.push(*problem);
            }
        }
    }
}

fn prerequisites_name(prefix: &str) -> String {
    format!("{prefix}{PREREQUISITES}")
}

/// The entity that provides the prerequisites to files with this prefix.
pub(crate) fn prerequisites_of(inner: &Inner, prefix: &str) -> Result<Arc<Entity>> {
    let name = prerequisites_name(prefix);
    let mut store = inner.graph.store.write();
    let known = store.entity_named(&name).cloned();
    known.or_else(|| store.create_entity(&name)).ok_or_else(|| {
        let text = "no entity can be made for the prerequisites of a subgraph";
        Error::new(ResultCode::OUT_OF_MEMORY, text)
    })
}
