//! Changes by later documents and overrides to existing components.

use super::{FileState, Given, Loader};
use crate::load::resolve::what_is_there;
use gxf_app::model::ComponentSpec;
use gxf_app::source::Spanned;
use gxf_app::suggest::nearest;
use gxf_app::{CompactString, Diagnostic};
use gxf_engine::graph::store::Entity;
use gxf_engine::standard::subgraph::Subgraph;
use gxf_plugin::aliases;
use gxf_plugin::component::Component;
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

impl Loader<'_> {
    /// An entry without a type: parameters for an existing component.
    pub(super) fn change_component(
        &mut self,
        entity: &Arc<Entity>,
        spec: ComponentSpec,
        file: &mut FileState<'_>,
    ) {
        let Some(name) = &spec.name else { return };
        let Some(component) = self.component_to_change(entity, name) else { return };
        let known = file.subgraphs.iter().any(|(subgraph, _)| subgraph.cid() == component.cid());
        if component.type_info().is::<Subgraph>() && !known {
            // This file may be the one that sets the subgraph's location.
            file.subgraphs.push((component.clone(), entity.clone()));
        }
        self.note_parameters(file, component, spec.parameters);
    }

    /// The component with this name; `None`, with a diagnostic, unless there is exactly one.
    fn component_to_change(
        &mut self,
        entity: &Entity,
        name: &Spanned<CompactString>,
    ) -> Option<Arc<Component>> {
        let named = entity.components_named(&name.value);
        let problem = match named.as_slice() {
            [one] => return Some(one.clone()),
            [] => {
                let exported = entity.interface(&name.value);
                if let Some(component) =
                    exported.and_then(|cid| self.inner.graph.component(cid).ok())
                {
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
                .label("without a `type`, this must be the name of an existing component");
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

    /// Applies overrides, which win over the file's values.
    pub(super) fn apply_overrides(&mut self, prefix: &str, file: &mut FileState<'_>) {
        for (index, wanted) in self.overrides.iter().enumerate() {
            // Entities of a subgraph are called `outer.inner`; each file handles its own.
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
                matching.extend(exported.and_then(|cid| self.inner.graph.component(cid).ok()));
            }
            for component in matching {
                self.used[index] = true;
                let given = file.given.entry(component.cid());
                let given = given.or_insert_with(|| Given::nothing_to(component.clone()));
                given.parameters.retain(|(key, _)| key.value != wanted.key);
                let key: Spanned<CompactString> =
                    Spanned { value: wanted.key.as_str().into(), span: wanted.path_span() };
                self.overridden.insert((component.cid(), key.value.clone()), wanted.path_span());
                given.parameters.push((key, wanted.value.clone()));
            }
        }
    }

    pub(super) fn complain_about_unused_overrides(&mut self) {
        let unused = self.overrides.iter().zip(&self.used).filter(|(_, used)| !**used);
        for (unused, _) in unused {
            let store = self.inner.graph.store.read();
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
