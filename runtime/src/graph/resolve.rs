//! From the text of a handle to the component it names.

use crate::context::Inner;
use crate::entity::store::Entity;
use crate::graph::suggest::nearest;
use crate::graph::yaml::{Kind, Node};
use crate::graph::{
    Diagnostic, Diagnostics, HandleText, ParameterSpec, ParameterValue, Source, Span,
};
use crate::plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Tid};
use std::sync::Arc;

/// Where names are looked up: a file and the prefix of the entities in it.
pub(crate) struct Scope<'a> {
    pub inner: &'a Inner,
    pub prefix: &'a str,
}

/// What a text led to.
pub(crate) struct Found {
    /// None for `<Unspecified>`.
    pub component: Option<Arc<Component>>,
    pub warnings: Diagnostics,
}

/// Whether all handles of a value were found.
pub(crate) struct Resolved {
    pub complete: bool,
    pub warnings: Diagnostics,
}

/// Replaces the texts of handles in a value by the components they name.
pub(crate) fn resolve_handles(
    scope: &Scope<'_>,
    entity: &Arc<Entity>,
    spec: &ParameterSpec,
    value: &mut ParameterValue,
    node: &Node,
    source: &Arc<Source>,
    suggest: bool,
) -> Result<Resolved, Vec<Diagnostic>> {
    let mut resolved = Resolved { complete: true, warnings: Diagnostics::new() };
    let mut problems = Vec::new();
    if spec.element == gxf_plugin_abi::ParameterType::HANDLE {
        let wanted = Wanted { scope, entity, tid: spec.handle_tid, source, suggest };
        wanted.resolve(value, node, &mut resolved, &mut problems);
    }
    if problems.is_empty() { Ok(resolved) } else { Err(problems) }
}

struct Wanted<'a> {
    scope: &'a Scope<'a>,
    entity: &'a Arc<Entity>,
    tid: Tid,
    source: &'a Arc<Source>,
    suggest: bool,
}

impl Wanted<'_> {
    fn resolve(
        &self,
        value: &mut ParameterValue,
        node: &Node,
        resolved: &mut Resolved,
        problems: &mut Vec<Diagnostic>,
    ) {
        match value {
            ParameterValue::List(items) => {
                let nodes = match &node.kind {
                    Kind::Sequence(nodes) => nodes.as_slice(),
                    _ => &[],
                };
                for (item, node) in items.iter_mut().zip(nodes) {
                    self.resolve(item, node, resolved, problems);
                }
            }
            ParameterValue::Handle(text) => {
                let span = node.span(self.source);
                let found =
                    resolve_text(self.scope, self.entity, text, Some(self.tid), span, self.suggest);
                match found {
                    Ok(found) => {
                        resolved.warnings.extend(found.warnings);
                        match found.component {
                            Some(component) => *value = ParameterValue::Component(component.cid()),
                            None => resolved.complete = false,
                        }
                    }
                    Err(problem) => problems.push(*problem),
                }
            }
            _ => {}
        }
    }
}

/// Finds the component a text names. `tid` is the type it must have.
pub(crate) fn resolve_text(
    scope: &Scope<'_>,
    entity: &Arc<Entity>,
    text: &HandleText,
    tid: Option<Tid>,
    span: Span,
    suggest: bool,
) -> Result<Found, Box<Diagnostic>> {
    let mut warnings = Diagnostics::new();
    let (holder, name) = match text {
        HandleText::Unspecified => return Ok(Found { component: None, warnings }),
        HandleText::Local(name) => (entity.clone(), name),
        HandleText::Qualified { entity: wanted, component } => {
            let store = scope.inner.store.read();
            let full = format!("{}{wanted}", scope.prefix);
            let holder = match store.entity_named(&full) {
                Some(holder) => holder.clone(),
                None => match store.entity_named(wanted) {
                    // The first look-up was for the same name when there is no prefix.
                    Some(holder) if !scope.prefix.is_empty() => {
                        warnings.push(
                            Diagnostic::warning(format!(
                                "there is no entity `{full}`; using `{wanted}` outside of the subgraph"
                            ))
                            .at(span.clone())
                            .help("hand components in as prerequisites of the subgraph"),
                        );
                        holder.clone()
                    }
                    _ => {
                        let names = store.entity_names();
                        let near = if suggest { nearest(&full, names) } else { None };
                        let near = near.map(|near| format!("{near}/{component}"));
                        return Err(Box::new(
                            Diagnostic::error(
                                ResultCode::ENTITY_NOT_FOUND,
                                format!("there is no entity `{full}`"),
                            )
                            .at(span)
                            .label("this handle leads nowhere")
                            .suggest(near.as_deref()),
                        ));
                    }
                },
            };
            (holder, component)
        }
    };
    let own = holder.components_named(name);
    let fits = |component: &Arc<Component>| tid.is_none_or(|tid| component.is_a(tid));
    let exported = || holder.interface(name).and_then(|cid| scope.inner.component(cid).ok());
    let any = match own.iter().find(|component| fits(component)) {
        Some(component) => {
            return Ok(Found { component: Some(component.clone()), warnings });
        }
        None => own.first().cloned().or_else(exported),
    };
    match any {
        Some(component) if fits(&component) => Ok(Found { component: Some(component), warnings }),
        Some(component) => Err(Box::new(wrong_type(scope, &holder, &component, tid, span))),
        None => {
            let names = holder.names();
            let names = names.iter().map(String::as_str);
            let near = if suggest { nearest(name, names) } else { None };
            let near = near.map(|near| match text {
                HandleText::Qualified { entity, .. } => format!("{entity}/{near}"),
                _ => near.to_owned(),
            });
            Err(Box::new(
                Diagnostic::error(
                    ResultCode::ENTITY_COMPONENT_NOT_FOUND,
                    format!("entity `{}` has no component `{name}`", holder.name()),
                )
                .at(span)
                .label("this handle leads nowhere")
                .suggest(near.as_deref()),
            ))
        }
    }
}

/// The component is there, but of another type; components that would do are named.
fn wrong_type(
    scope: &Scope<'_>,
    holder: &Entity,
    component: &Component,
    tid: Option<Tid>,
    span: Span,
) -> Diagnostic {
    let registry = scope.inner.registry.read();
    let wanted = tid.and_then(|tid| registry.by_id(tid));
    let wanted_name = wanted.map_or("another type", |info| info.name.as_str());
    let fitting: Vec<String> = holder
        .components()
        .iter()
        .filter(|other| tid.is_some_and(|tid| other.is_a(tid)) && !other.name().is_empty())
        .map(|other| format!("`{}`", other.name()))
        .collect();
    let problem = Diagnostic::error(
        ResultCode::ENTITY_COMPONENT_NOT_FOUND,
        format!(
            "component `{}` of entity `{}` is a {}, not a {wanted_name}",
            component.name(),
            holder.name(),
            component.type_info().name,
        ),
    )
    .at(span)
    .label(format!("expected a {wanted_name}"));
    if fitting.is_empty() {
        problem
    } else {
        problem.help(format!("of that type: {}", fitting.join(", ")))
    }
}
