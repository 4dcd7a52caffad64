//! Sets the parameters from a file.

use super::{FileState, Given, GivenParameter, Loader};
use crate::context::parameters::NAME_KEY;
use crate::load::resolve::Scope;
use crate::load::setter::ParameterSetter;
use gxf_app::infer::infer_value;
use gxf_app::suggest::nearest;
use gxf_app::{Diagnostic, Span, Spanned};
use gxf_engine::standard::subgraph::Subgraph;
use gxf_plugin::TypeInfo;
use gxf_plugin::component::Component;
use std::sync::Arc;

impl Loader<'_> {
    /// Records the parameters of a component. As in GXF, the first value of a key in a file wins.
    pub(super) fn note_parameters(
        &mut self,
        file: &mut FileState<'_>,
        component: Arc<Component>,
        parameters: Vec<GivenParameter>,
    ) {
        if parameters.is_empty() {
            return;
        }
        let given =
            file.given.entry(component.cid()).or_insert_with(|| Given::nothing_to(component));
        if given.parameters.is_empty() {
            // A mapping has no duplicate keys.
            given.parameters = parameters;
            return;
        }
        for (key, node) in parameters {
            if let Some((first, _)) = given.parameter(&key.value) {
                let ignored = "has a value in this file already; this one is ignored";
                self.diagnostics.push(
                    Diagnostic::warning(format!("`{}` {ignored}", key.value))
                        .at(key.span)
                        .note(first.span.clone(), "the first value counts"),
                );
                continue;
            }
            given.parameters.push((key, node));
        }
    }

    /// Sets the parameters of one component.
    pub(super) fn set_parameters(&mut self, given: &Given, scope: &Scope<'_>) {
        let component = &given.component;
        // Set before the files were loaded; its handles are already resolved.
        let is_handed_in =
            |key: &str| component.type_info().is::<Subgraph>() && key == "prerequisites";
        let type_info = component.type_info().clone();
        let Ok(entity) = self.inner.graph.entity(component.eid()) else { return };
        let mut setter = ParameterSetter::new(scope, entity, self.suggest());
        for (Spanned { value: key, span: key_span }, node) in &given.parameters {
            let source = &key_span.source;
            let overridden = self.overridden.get(&(component.cid(), key.clone()));
            if overridden.is_some_and(|place| !place.is_same(key_span)) {
                continue;
            }
            let Some((index, spec)) = type_info.parameter(key) else {
                if !type_info.is_unknown() {
                    self.warn_of_unknown_key(&type_info, key, key_span);
                }
                component.set_unregistered(key, infer_value(node));
                continue;
            };
            let value = match setter.read(spec, node, source) {
                Ok(Some(value)) if !is_handed_in(key) => value,
                Ok(_) => continue,
                Err(problems) => {
                    self.diagnostics.extend(problems);
                    continue;
                }
            };
            component.set_parameter_place(index, node.span(source));
            if self.inner.is_only_read() {
                // The instance could not use a handle to a component of an unknown type.
                component.keep_parameter(index, Some(value));
                continue;
            }
            let set = || component.set_parameter(index, spec, Some(value));
            let (calls, entity) = (&self.inner.calls, &setter.entity);
            let set = calls.during_function(entity, component, "set_parameter", set);
            if let Err(error) = set {
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
        self.diagnostics.extend(setter.warnings);
    }

    /// GXF keeps such values silently; gxe keeps them with a warning.
    fn warn_of_unknown_key(&mut self, type_info: &TypeInfo, key: &str, span: &Span) {
        let keys = type_info.parameters.iter().map(|spec| spec.key.as_str());
        let near = nearest(key, keys.clone());
        let label = match key {
            NAME_KEY => "nothing reads it; `name` beside `type` names the component",
            _ => "kept, but nothing reads it",
        };
        let mut warning =
            Diagnostic::warning(format!("`{}` has no parameter `{key}`", type_info.name))
                .at(span.clone())
                .label(label)
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
