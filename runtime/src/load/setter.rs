//! From the text of a parameter to the value that its component gets.

use super::resolve::{Scope, resolve_text};
use gxf_app::parameter::parse_value;
use gxf_app::yaml::{Kind, Node};
use gxf_app::{Diagnostic, Diagnostics, HandleText, ParameterSpec, ParameterValue, Source};
use gxf_engine::graph::store::Entity;
use gxf_plugin_abi::ParameterType;
use std::path::Path;
use std::sync::Arc;

/// Reads parameters of the components of one entity.
pub(crate) struct ParameterSetter<'a> {
    /// Where handles are looked up.
    scope: &'a Scope<'a>,
    pub entity: Arc<Entity>,
    /// Whether mistakes come with suggestions.
    suggests: bool,
    /// Warnings so far.
    pub warnings: Diagnostics,
}

impl<'a> ParameterSetter<'a> {
    pub fn new(scope: &'a Scope<'a>, entity: Arc<Entity>, suggests: bool) -> Self {
        Self { scope, entity, suggests, warnings: Diagnostics::new() }
    }

    /// The value that a node of a file gives a parameter, with the components that its handles name.
    /// `None` if a later file gives it, or if it names a component that is itself reported as wrong.
    pub fn read(
        &mut self,
        spec: &ParameterSpec,
        node: &Node,
        source: &Arc<Source>,
    ) -> Result<Option<ParameterValue>, Vec<Diagnostic>> {
        let mut value = parse_value(spec, node, source, &mut self.warnings)?;
        if spec.element == ParameterType::FILE
            && let Some(root) = &*self.scope.inner.file_root.lock()
        {
            below(root, &mut value);
        }
        let mut problems = Vec::new();
        let is_complete = spec.element != ParameterType::HANDLE
            || self.resolve(spec, &mut value, node, source, &mut problems);
        if problems.is_empty() { Ok(is_complete.then_some(value)) } else { Err(problems) }
    }

    /// Replaces the texts of handles by their components; whether each names one.
    fn resolve(
        &mut self,
        spec: &ParameterSpec,
        value: &mut ParameterValue,
        node: &Node,
        source: &Arc<Source>,
        problems: &mut Vec<Diagnostic>,
    ) -> bool {
        match value {
            ParameterValue::List(items) => {
                let Kind::Sequence(nodes) = &node.kind else { return true };
                let mut is_complete = true;
                for (item, node) in items.iter_mut().zip(nodes) {
                    is_complete &= self.resolve(spec, item, node, source, problems);
                }
                is_complete
            }
            ParameterValue::Handle(text) => {
                let (tid, span) = (Some(spec.handle_tid), node.span(source));
                match resolve_text(self.scope, &self.entity, text, tid, span, self.suggests) {
                    Ok(found) => {
                        self.warnings.extend(found.warnings);
                        let Some(component) = found.component else {
                            // A graph that is only read keeps the text.
                            let is_named = !matches!(**text, HandleText::Unspecified);
                            return is_named && self.scope.inner.is_only_read();
                        };
                        *value = ParameterValue::Component(component.cid());
                        true
                    }
                    Err(problem) => {
                        problems.push(*problem);
                        true
                    }
                }
            }
            _ => true,
        }
    }
}

/// Makes relative paths start at a folder.
fn below(root: &Path, value: &mut ParameterValue) {
    match value {
        ParameterValue::List(items) => items.iter_mut().for_each(|item| below(root, item)),
        ParameterValue::File(path) => *path = root.join(&*path).to_string_lossy().into_owned(),
        _ => {}
    }
}
