//! Subgraphs: their files, what is handed in to them, and what they export.

use super::{FileState, GivenParameter, Loader};
use crate::context::Inner;
use crate::entity::store::Entity;
use crate::error::{Error, Result};
use crate::graph::model::AppFile;
use crate::graph::resolve::{Scope, resolve_text};
use crate::graph::{Diagnostic, HandleText, Source, Span};
use crate::plugin::component::Component;
use gxf_plugin_abi::ResultCode;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Loader<'_> {
    /// Names the parent has to hand in: missing ones are only a warning, as in GXF.
    pub(super) fn check_prerequisites(
        &mut self,
        app: &AppFile,
        prefix: &str,
        parent: Option<&Arc<Entity>>,
    ) {
        let wanted = app.documents.iter().filter_map(|document| document.prerequisites.as_ref());
        for name in wanted.flatten() {
            let provided =
                self.inner.store.read().entity_named(&prerequisites_name(prefix)).cloned();
            let there =
                provided.as_ref().is_some_and(|entity| entity.interface(&name.value).is_some());
            let excused =
                provided.as_ref().is_some_and(|entity| self.broken.has(entity, &name.value));
            if !there && !excused && parent.is_some() {
                let handed_in: Vec<_> = provided.iter().flat_map(|entity| entity.names()).collect();
                let handed_in: Vec<_> = handed_in.iter().map(|name| format!("`{name}`")).collect();
                let help = if handed_in.is_empty() {
                    "it hands in nothing".to_owned()
                } else {
                    format!("it hands in {}", handed_in.join(", "))
                };
                self.diagnostics.push(
                    Diagnostic::warning(format!(
                        "prerequisite `{}` is not handed in by the Subgraph component",
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
        let Some(location) = given.parameter("location") else { return };
        let place = location.node.span(&location.source);
        let before = component.parameter("location").is_some();
        if before || !self.expanded.insert(component.cid()) {
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "subgraph `{}` is loaded already; a second `location` has no effect",
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
        let Some(locations) = location.node.as_text() else {
            self.diagnostics.push(
                Diagnostic::error(
                    ResultCode::PARAMETER_PARSER_ERROR,
                    format!(
                        "`location` must be the path of a file, found {}",
                        location.node.describe()
                    ),
                )
                .at(place),
            );
            return;
        };
        for wanted in locations.split(',').map(str::trim).filter(|path| !path.is_empty()) {
            let path = self.subgraph_path(wanted, &location.source);
            if !self.load_file(&path, &inner_prefix, Some(entity), Some(&place)) {
                self.broken.note_all(entity);
            }
        }
    }

    /// Relative to the root path, else to the file that names it.
    fn subgraph_path(&self, wanted: &str, source: &Source) -> PathBuf {
        let from_root = self.inner.root_path.lock().join(wanted);
        let beside = Path::new(&source.name).parent().map(|directory| directory.join(wanted));
        match beside {
            Some(beside) if !from_root.exists() && beside.exists() => beside,
            _ => from_root,
        }
    }

    /// Makes components of the outer graph known to a subgraph as `prerequisites/name`.
    fn hand_in(
        &mut self,
        scope: &Scope<'_>,
        entity: &Arc<Entity>,
        given: &GivenParameter,
        inner_prefix: &str,
    ) {
        let GivenParameter { node, source, .. } = given;
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

    /// Makes exported components of a subgraph known in the entity that stands for it.
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

    /// Makes the component a handle in `entity` names known in `holder` as `name`.
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
    format!("{prefix}prerequisites")
}

/// The entity through which files with this prefix reach what is handed in to them.
pub(crate) fn prerequisites_of(inner: &Inner, prefix: &str) -> Result<Arc<Entity>> {
    let name = prerequisites_name(prefix);
    let mut store = inner.store.write();
    let known = store.entity_named(&name).cloned();
    known.or_else(|| store.create_entity(&name)).ok_or_else(|| {
        let text = "no entity can be made for the prerequisites of a subgraph";
        Error::new(ResultCode::OUT_OF_MEMORY, text)
    })
}
