//! What later documents and overrides change of components that are there already.

use super::{FileState, Given, GivenParameter, Loader};
use crate::builtin;
use crate::entity::store::Entity;
use crate::extension::aliases;
use crate::graph::Diagnostic;
use crate::graph::model::{AppFile, ComponentSpec};
use crate::graph::resolve::what_is_there;
use crate::graph::source::Spanned;
use crate::graph::suggest::nearest;
use crate::plugin::component::Component;
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

impl Loader<'_> {
    /// A component without a type: more parameters for one that is there.
    pub(super) fn change_component(
        &mut self,
        app: &AppFile,
        entity: &Arc<Entity>,
        spec: &ComponentSpec,
        file: &mut FileState<'_>,
    ) {
        let Some(name) = &spec.name else { return };
        let Some(component) = self.component_to_change(entity, name) else { return };
        let known = file.subgraphs.iter().any(|(subgraph, _)| subgraph.cid() == component.cid());
        if component.type_info().tid == builtin::SUBGRAPH && !known {
            // The file may be the one that says where the subgraph is.
            file.subgraphs.push((component.clone(), entity.clone()));
        }
        self.note_parameters(file, component, spec, &app.source);
    }

    /// The component with this name; none, and a diagnostic, when there is not exactly one.
    fn component_to_change(
        &mut self,
        entity: &Entity,
        name: &Spanned<String>,
    ) -> Option<Arc<Component>> {
        let named = entity.components_named(&name.value);
        let problem = match named.as_slice() {
            [one] => return Some(one.clone()),
            [] => {
                let exported = entity.interface(&name.value);
                if let Some(component) = exported.and_then(|cid| self.inner.component(cid).ok()) {
                    return Some(component);
                }
                if self.broken.has(entity, &name.value) {
                    return None;
                }
                let names = entity.names();
                let near = self.near(&name.value, names.iter().map(String::as_str));
                let problem = Diagnostic::error(
                    ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                    format!("{} has no component `{}`", entity.described(), name.value),
                )
                .label("without a `type`, this must be the name of a component that is there");
                match near {
                    Some(_) => problem.suggest(near),
                    None => problem.help(what_is_there(entity)),
                }
            }
            several => Diagnostic::error(
                ResultCode::FAILURE,
                format!(
                    "entity `{}` has {} components called `{}`, so it is not clear whose \
                     parameters these are",
                    entity.name(),
                    several.len(),
                    name.value
                ),
            ),
        };
        self.diagnostics.push(problem.at(name.span.clone()));
        None
    }

    /// Puts the values of overrides before those of the file.
    pub(super) fn apply_overrides(&mut self, prefix: &str, file: &mut FileState<'_>) {
        for (index, wanted) in self.overrides.iter().enumerate() {
            // Entities of a subgraph are called `outer.inner`; each file looks at its own.
            let Some(name) = wanted.entity.strip_prefix(prefix) else { continue };
            let Some(entity) = file.entities.get(name) else { continue };
            let own = entity.components();
            let type_name = aliases::registered_name(&wanted.component);
            let type_name = type_name.unwrap_or(&wanted.component);
            let matching = own.iter().filter(|component| {
                component.name() == wanted.component || component.type_info().name == type_name
            });
            let mut matching: Vec<_> = matching.cloned().collect();
            if matching.is_empty() {
                let exported = entity.interface(&wanted.component);
                matching.extend(exported.and_then(|cid| self.inner.component(cid).ok()));
            }
            for component in matching {
                self.used[index] = true;
                let given = file.given.entry(component.cid());
                let given = given.or_insert_with(|| Given::nothing_to(component.clone()));
                given.parameters.retain(|parameter| parameter.key != wanted.key);
                given.parameters.push(GivenParameter {
                    key: wanted.key.clone(),
                    key_span: wanted.path_span(),
                    node: wanted.value.clone(),
                    source: wanted.source.clone(),
                });
            }
        }
    }

    pub(super) fn complain_about_unused_overrides(&mut self) {
        let unused = self.overrides.iter().zip(&self.used).filter(|(_, used)| !**used);
        for (unused, _) in unused {
            let store = self.inner.store.read();
            let mut problem = Diagnostic::error(
                ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                format!(
                    "the override names component `{}` of entity `{}`, which is not in the graph",
                    unused.component, unused.entity
                ),
            )
            .at(unused.path_span());
            let (component, key) = (&unused.component, &unused.key);
            let near = match store.entity_named(&unused.entity) {
                None => nearest(&unused.entity, store.entity_names())
                    .map(|entity| format!("{entity}/{component}/{key}")),
                Some(entity) => {
                    let names = entity.names();
                    let near = nearest(component, names.iter().map(String::as_str));
                    near.map(|near| format!("{}/{near}/{key}", unused.entity))
                }
            };
            problem = problem.suggest(near.as_deref());
            self.diagnostics.push(problem);
        }
    }
}
