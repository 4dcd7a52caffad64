//! The parameters a file gives to its components.

use super::{FileState, Given, GivenParameter, Loader};
use crate::builtin;
use crate::extension::TypeInfo;
use crate::graph::model::ComponentSpec;
use crate::graph::parameter::{infer_value, parse_value};
use crate::graph::resolve::{Scope, resolve_handles};
use crate::graph::suggest::nearest;
use crate::graph::{Diagnostic, Source, Span};
use crate::plugin::component::Component;
use std::sync::Arc;
use std::sync::atomic::Ordering;

impl Loader<'_> {
    /// Takes note of the parameters of a component. The first value of a key counts within one
    /// file, as in GXF.
    pub(super) fn note_parameters(
        &mut self,
        file: &mut FileState<'_>,
        component: Arc<Component>,
        spec: &ComponentSpec,
        source: &Arc<Source>,
    ) {
        if spec.parameters.is_empty() {
            return;
        }
        let given =
            file.given.entry(component.cid()).or_insert_with(|| Given::nothing_to(component));
        for (key, node) in &spec.parameters {
            if let Some(first) = given.parameter(&key.value) {
                let ignored = "has a value in this file already; this one is ignored";
                self.diagnostics.push(
                    Diagnostic::warning(format!("`{}` {ignored}", key.value))
                        .at(key.span.clone())
                        .note(first.key_span.clone(), "the first value counts"),
                );
                continue;
            }
            given.parameters.push(GivenParameter {
                key: key.value.clone(),
                key_span: key.span.clone(),
                node: node.clone(),
                source: source.clone(),
            });
        }
    }

    /// Sets the parameters of one component.
    pub(super) fn set_parameters(&mut self, given: &Given, scope: &Scope<'_>) {
        let component = &given.component;
        // Handed in before the files were loaded; its handles need no second look.
        let is_handed_in =
            |key: &str| component.type_info().tid == builtin::SUBGRAPH && key == "prerequisites";
        let type_info = component.type_info().clone();
        let mut places = Vec::with_capacity(given.parameters.len());
        for GivenParameter { key, key_span, node, source } in &given.parameters {
            let Some((index, spec)) = type_info.parameter(key) else {
                if !type_info.is_unknown() {
                    self.warn_of_unknown_key(&type_info, key, key_span);
                }
                component.set_unregistered(key, infer_value(node));
                continue;
            };
            let mut value = match parse_value(spec, node, source) {
                Ok(value) => value,
                Err(problems) => {
                    self.diagnostics.extend(problems);
                    continue;
                }
            };
            let Ok(entity) = self.inner.entity(component.eid()) else { continue };
            let resolved =
                resolve_handles(scope, &entity, spec, &mut value, node, source, self.suggest());
            match resolved {
                Ok(found) => {
                    self.diagnostics.extend(found.warnings);
                    if !found.complete {
                        // `<Unspecified>`: a later file gives the value.
                        continue;
                    }
                }
                Err(problems) => {
                    self.diagnostics.extend(problems);
                    continue;
                }
            }
            if is_handed_in(key) {
                continue;
            }
            places.push((index, node.span(source)));
            if self.inner.accepts_unknown_types.load(Ordering::Relaxed) {
                // The instance could not use a handle to a component of an unknown type.
                component.keep_parameter(index, Some(value));
                continue;
            }
            if let Err(error) = component.set_parameter(index, spec, Some(value)) {
                self.diagnostics.push(
                    Diagnostic::error(
                        error.code(),
                        format!(
                            "`{}` does not accept this value for `{key}`: {error}",
                            type_info.name
                        ),
                    )
                    .at(node.span(source)),
                );
            }
        }
        let mut origins = self.inner.parameter_origins.lock();
        origins.entry(component.cid()).or_default().extend(places);
    }

    /// Kept as GXF keeps them, but not silently.
    fn warn_of_unknown_key(&mut self, type_info: &TypeInfo, key: &str, span: &Span) {
        let keys = type_info.parameters.iter().map(|spec| spec.key.as_str());
        let near = nearest(key, keys.clone());
        let mut warning =
            Diagnostic::warning(format!("`{}` has no parameter `{key}`", type_info.name))
                .at(span.clone())
                .label("kept, but nothing reads it")
                .suggest(near);
        if near.is_none() {
            let known: Vec<_> = keys.map(|key| format!("`{key}`")).collect();
            warning = warning.help(if known.is_empty() {
                "the type has no parameters".to_owned()
            } else {
                format!("its parameters are {}", known.join(", "))
            });
        }
        self.diagnostics.push(warning);
    }
}
