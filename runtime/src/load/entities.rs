//! Creates entities and components from documents.

use super::{FileState, Loader};
use gxf_app::model::{ComponentSpec, EntitySpec};
use gxf_app::source::Spanned;
use gxf_app::{CompactString, Diagnostic};
use gxf_engine::graph::store::Entity;
use gxf_engine::standard::subgraph::Subgraph;
use gxf_plugin::component::Component;
use gxf_plugin::registry::{Registry, TypeInfo};
use gxf_plugin::{aliases, known_missing, loader};
use gxf_plugin_abi::ResultCode;
use std::sync::Arc;

impl Loader<'_> {
    /// Finds or creates the entity of a document and creates its components.
    pub(super) fn load_document(
        &mut self,
        spec: &EntitySpec,
        components: Vec<ComponentSpec>,
        prefix: &str,
        file: &mut FileState<'_>,
    ) {
        if !spec.has_components {
            return;
        }
        let Some((entity, is_new)) = self.entity_of(spec, prefix, file) else { return };
        let has_types = components.iter().any(|component| component.type_name.is_some());
        let is_unknown = is_new && !has_types;
        let has_subgraph = components.iter().any(is_subgraph);
        for component in components {
            match &component.type_name {
                Some(type_name) if has_subgraph && !is_subgraph(&component) => {
                    self.diagnostics.push(
                        Diagnostic::warning(format!(
                            "component of type `{}` is ignored: an entity with a Subgraph has no \
                             components of its own",
                            type_name.value
                        ))
                        .at(type_name.span.clone())
                        .help("move the component to an entity of its own"),
                    );
                }
                Some(type_name) => {
                    let created = self.load_component(&entity, &component, type_name, file);
                    self.warn_of_same_name(&entity, &component);
                    if let Some(created) = created {
                        self.note_parameters(file, created, component.parameters);
                    }
                }
                None if is_unknown => self.complain_about_unknown_entity(&entity, &component),
                None if is_subgraph_entity(&entity) && !is_there(&entity, &component) => {
                    file.reaching_in.push((entity.clone(), component));
                }
                None => self.change_component(&entity, component, file),
            }
        }
    }

    /// The entity of a document, and whether it is new; `None` if the graph has no room for it.
    fn entity_of(
        &mut self,
        spec: &EntitySpec,
        prefix: &str,
        file: &mut FileState<'_>,
    ) -> Option<(Arc<Entity>, bool)> {
        let name = spec.name.as_ref().map(|name| format!("{prefix}{}", name.value));
        let (entity, is_new) = {
            let mut store = self.inner.graph.store.write();
            let known = name.as_deref().and_then(|name| store.entity_named(name)).cloned();
            let is_new = known.is_none();
            (known.or_else(|| store.create_entity(name.as_deref().unwrap_or_default()))?, is_new)
        };
        if let Some(origin) = &self.default_conditions {
            self.with_default_conditions.push((entity.clone(), origin.clone()));
        }
        if let Some(name) = spec.name.as_ref().filter(|_| is_new) {
            entity.set_place(name.span.clone());
        }
        if !self.overrides.is_empty() {
            // One without a name is found by the name that it has got.
            let name = spec.name.as_ref().map_or_else(|| entity.name(), |name| &name.value);
            file.entities.insert(name.into(), entity.clone());
        }
        Some((entity, is_new))
    }

    /// Creates a component.
    fn load_component(
        &mut self,
        entity: &Arc<Entity>,
        spec: &ComponentSpec,
        type_name: &Spanned<CompactString>,
        file: &mut FileState<'_>,
    ) -> Option<Arc<Component>> {
        let name = spec.name.as_ref().map_or("", |name| &name.value);
        match self.create_component(entity, type_name, name) {
            Ok(component) => {
                component.set_place(type_name.span.clone());
                if is_subgraph(spec) {
                    file.subgraphs.push((component.clone(), entity.clone()));
                }
                self.set_defaults_of(&type_name.value, &component);
                Some(component)
            }
            Err(problem) => {
                self.broken.note(entity, name);
                self.diagnostics.push(problem.at(type_name.span.clone()));
                None
            }
        }
    }

    /// Sets defaults that only this alias of the type has; the file may still change them.
    fn set_defaults_of(&mut self, type_name: &str, component: &Component) {
        for default in aliases::ALIAS_DEFAULTS.iter().filter(|known| known.alias == type_name) {
            let type_info = component.type_info();
            let Some((index, spec)) = type_info.parameter(default.key) else { continue };
            if let Err(error) = component.set_parameter(index, spec, Some(default.value.clone())) {
                self.diagnostics.push(Diagnostic::from(&error));
            }
        }
    }

    fn create_component(
        &mut self,
        entity: &Entity,
        type_name: &Spanned<CompactString>,
        name: &str,
    ) -> std::result::Result<Arc<Component>, Diagnostic> {
        let Spanned { value: type_name, span } = type_name;
        let known = self.inner.graph.registry.read().by_name(type_name).cloned();
        let type_info = match known {
            Some(known) => known,
            None => {
                let problem = self.unknown_type(type_name);
                if !self.inner.is_only_read() {
                    return Err(problem);
                }
                self.diagnostics.push(problem.as_warning().at(span.clone()));
                Arc::new(TypeInfo::unknown(type_name))
            }
        };
        let component = self.inner.add_component_to(entity, &type_info, name);
        component.map_err(|error| Diagnostic::from(&error))
    }

    /// The error for a type that no loaded extension has.
    fn unknown_type(&mut self, type_name: &str) -> Diagnostic {
        let inner = self.inner;
        let registry = inner.graph.registry.read();
        let stands_for = aliases::registered_name(type_name);
        let near = match stands_for {
            Some(_) => None,
            None if known_missing::is_known(type_name) => None,
            // A type of another program is not a misspelling of one of gxe's.
            None => self.near(type_name, registry.component_names()).filter(|near| {
                known_missing::help_for(type_name).is_none()
                    || namespace(near) == namespace(type_name)
            }),
        };
        // Nor is the name of a type in a library that is not loaded.
        let near = near.filter(|_| self.libraries_with(type_name).is_none_or(<[_]>::is_empty));
        let mut problem = Diagnostic::error(
            ResultCode::FACTORY_UNKNOWN_CLASS_NAME,
            format!("unknown component type `{type_name}`"),
        )
        .label("no loaded extension has this type")
        .suggest(near);
        if let Some(registered) = stands_for {
            problem = problem.help(format!("it is Holoscan's name of `{registered}`"));
        }
        if near.is_none() {
            let wanted = stands_for.unwrap_or(type_name);
            problem = problem.help(self.where_type_may_be(wanted, &registry));
        }
        problem
    }

    /// Advice about an unknown type that resembles no known one.
    fn where_type_may_be(&mut self, type_name: &str, registry: &Registry) -> String {
        let quoted = |libraries: &[String]| -> Vec<_> {
            libraries.iter().map(|name| format!("`{name}`")).collect()
        };
        let has_manifest = registry.extensions().len() > 1;
        let libraries = self.libraries_with(type_name).map(quoted);
        match libraries.as_deref() {
            None => {
                return "this type was not looked for in libraries: too many are unknown"
                    .to_owned();
            }
            Some([]) => {}
            Some([library]) if has_manifest => {
                return format!("{library} contains this name; add it to the manifest");
            }
            Some([library]) => {
                return format!(
                    "{library} contains this name; list it in a manifest, and load that (`--manifest`)"
                );
            }
            Some(several) => {
                let manifest =
                    if has_manifest { "the manifest" } else { "a manifest (`--manifest`)" };
                return format!(
                    "{} contain this name; add the one that has the type to {manifest}",
                    several.join(", ")
                );
            }
        }
        known_missing::help_for(type_name).unwrap_or_else(|| {
            let loaded: Vec<_> =
                registry.extensions().iter().map(|known| format!("`{}`", known.name)).collect();
            let loaded = loaded.join(", ");
            format!("loaded extensions: {loaded}; is the one you need in the manifest?")
        })
    }

    /// Libraries that are not loaded and may have a type. Reading all libraries is slow, so only a few
    /// types are looked for; `None` for the others.
    fn libraries_with(&mut self, type_name: &str) -> Option<&[String]> {
        const LOOKED_FOR: usize = 8;
        // Nearly every library has a short text somewhere.
        const SHORTEST: usize = 6;
        if type_name.len() < SHORTEST {
            return Some(&[]);
        }
        if !self.libraries.contains_key(type_name) {
            if self.libraries.len() == LOOKED_FOR {
                return None;
            }
            let paths = self.inner.extension_paths.lock().clone();
            let found = loader::libraries_with(type_name, &paths);
            self.libraries.insert(type_name.to_owned(), found);
        }
        self.libraries.get(type_name).map(Vec::as_slice)
    }

    fn warn_of_same_name(&mut self, entity: &Entity, component: &ComponentSpec) {
        let Some(name) = component.name.as_ref().filter(|name| !name.value.is_empty()) else {
            return;
        };
        let components = entity.components();
        let same = components.iter().filter(|other| other.name() == name.value);
        if same.count() > 1 {
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "entity `{}` has two components called `{}`; handles refer to the first one of \
                     the right type",
                    entity.name(),
                    name.value
                ))
                .at(name.span.clone()),
            );
        }
    }

    /// Reports a document that changes components of an unknown entity.
    fn complain_about_unknown_entity(&mut self, entity: &Entity, component: &ComponentSpec) {
        let Some(name) = &component.name else { return };
        let inner = self.inner;
        let store = inner.graph.store.read();
        let others = store.entity_names().filter(|other| *other != entity.name());
        let near = self.near(entity.name(), others);
        let problem = Diagnostic::error(
            ResultCode::ENTITY_COMPONENT_NOT_FOUND,
            format!(
                "there is no component `{}` to change, because there is no entity `{}`",
                name.value,
                entity.name()
            ),
        )
        .at(name.span.clone())
        .label("without a `type`, this must be the name of an existing component")
        .suggest(near);
        self.diagnostics.push(problem);
    }
}

/// Whether the component includes other files.
fn is_subgraph(component: &ComponentSpec) -> bool {
    component.type_name.as_ref().is_some_and(|name| name.value == "nvidia::gxf::Subgraph")
}

/// Whether the entity includes other files.
fn is_subgraph_entity(entity: &Entity) -> bool {
    entity.components().iter().any(|component| component.type_info().is::<Subgraph>())
}

/// Whether the entity itself has a component of this name.
fn is_there(entity: &Entity, component: &ComponentSpec) -> bool {
    let name = component.name.as_ref();
    name.is_some_and(|name| !entity.components_named(&name.value).is_empty())
}

/// The part of a type name before the last `::`.
fn namespace(type_name: &str) -> &str {
    type_name.rsplit_once("::").map_or("", |(namespace, _)| namespace)
}
