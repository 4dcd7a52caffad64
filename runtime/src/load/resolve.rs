//! Finds the component that a handle's text names.

use crate::inner::Inner;
use gxf_app::suggest::nearest;
use gxf_app::{Diagnostic, Diagnostics, HandleText, Span};
use gxf_engine::graph::store::Entity;
use gxf_plugin::component::Component;
use gxf_plugin_abi::{ResultCode, Tid, Uid};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

/// Where to look up names: a file and the prefix of its entities.
pub(crate) struct Scope<'a> {
    pub inner: &'a Inner,
    pub prefix: &'a str,
    pub broken: Broken,
}

/// Components that would exist if they were not wrong themselves. Handles to them are not reported,
/// because the user already knows.
#[derive(Clone, Default)]
pub(crate) struct Broken(Rc<RefCell<Missing>>);

/// By entity: the name of a component, or `None` if any may be missing.
type Missing = FxHashSet<(Uid, Option<String>)>;

impl Broken {
    /// Notes that the entity should have a component of this name.
    pub fn note(&self, entity: &Entity, name: &str) {
        self.0.borrow_mut().insert((entity.eid(), Some(name.to_owned())));
    }

    /// Notes that the components of the entity are unknown.
    pub fn note_all(&self, entity: &Entity) {
        self.0.borrow_mut().insert((entity.eid(), None));
    }

    pub fn has(&self, entity: &Entity, name: &str) -> bool {
        let known = self.0.borrow();
        // A graph without mistakes must not pay for copying a name.
        !known.is_empty()
            && (known.contains(&(entity.eid(), None))
                || known.contains(&(entity.eid(), Some(name.to_owned()))))
    }

    /// Names of the components that the entity should have.
    fn names(&self, entity: &Entity) -> Vec<String> {
        let known = self.0.borrow();
        let own = known.iter().filter(|(eid, _)| *eid == entity.eid());
        own.filter_map(|(_, name)| name.clone()).collect()
    }
}

/// Lists an entity's components, for a user who named none of them.
pub(crate) fn what_is_there(entity: &Entity) -> String {
    list_of(&entity.names()).map_or_else(
        || "it has no component with a name".to_owned(),
        |names| format!("it has {names}"),
    )
}

/// `a`, `b`, and a count of the rest; `None` for no names.
fn list_of(names: &[String]) -> Option<String> {
    const SHOWN: usize = 8;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let more = names.len() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!shown.is_empty()).then(|| format!("{}{more}", shown.join(", ")))
}

/// The result of looking up a text.
pub(crate) struct Found {
    /// `None` for `<Unspecified>`, for a component that is itself reported as wrong, and for a
    /// prerequisite in a file that is only read.
    pub component: Option<Arc<Component>>,
    pub warnings: Diagnostics,
}

/// Finds the component that a text names. `tid` is its required type.
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
            match find_entity(scope, wanted, &span, &mut warnings) {
                Some(holder) => (holder, component),
                None if wanted == PREREQUISITES && scope.inner.is_only_read() => {
                    return Ok(Found { component: None, warnings });
                }
                None => return Err(Box::new(no_entity(scope, wanted, component, span, suggest))),
            }
        }
    };
    let fits = |component: &Arc<Component>| {
        tid.is_none_or(|tid| component.serves_as(tid)) || component.type_info().is_unknown()
    };
    let components = holder.components();
    let mut own = components.iter().filter(|component| component.name() == name);
    let exported = || holder.interface(name).and_then(|cid| scope.inner.graph.component(cid).ok());
    let first = own.clone().next();
    let any = match own.find(|component| fits(component)) {
        Some(component) => {
            return Ok(Found { component: Some(component.clone()), warnings });
        }
        // As in GXF, a component of the wrong type does not hide an exported one.
        None => exported().filter(fits).or_else(|| first.cloned()).or_else(exported),
    };
    match any {
        Some(component) if fits(&component) => Ok(Found { component: Some(component), warnings }),
        Some(component) => Err(Box::new(wrong_type(scope, &holder, &component, tid, span))),
        None if scope.broken.has(&holder, name) => Ok(Found { component: None, warnings }),
        None => Err(Box::new(no_component(scope, &holder, name, text, tid, span, suggest))),
    }
}

/// The entity of this name; looks within the subgraph first, then outside with a warning.
fn find_entity(
    scope: &Scope<'_>,
    name: &str,
    span: &Span,
    warnings: &mut Diagnostics,
) -> Option<Arc<Entity>> {
    let store = scope.inner.graph.store.read();
    let full = format!("{}{name}", scope.prefix);
    if let Some(inside) = store.entity_named(&full) {
        return Some(inside.clone());
    }
    let outside = store.entity_named(name)?;
    warnings.push(
        Diagnostic::warning(format!(
            "there is no entity `{full}`; using `{name}` outside of the subgraph"
        ))
        .at(span.clone())
        .help("pass components as prerequisites of the subgraph"),
    );
    Some(outside.clone())
}

/// The entity through which a subgraph reaches what its parent hands in.
pub(super) const PREREQUISITES: &str = "prerequisites";

/// Reports an unknown entity.
fn no_entity(
    scope: &Scope<'_>,
    name: &str,
    component: &str,
    span: Span,
    suggest: bool,
) -> Diagnostic {
    if name == PREREQUISITES {
        let message = format!("`{name}/{component}` comes from the graph that uses this subgraph");
        return Diagnostic::error(ResultCode::ENTITY_NOT_FOUND, message)
            .at(span)
            .label("nothing provides it here")
            .help(
                "load the app that has this file as the `location` of a Subgraph, and list the \
                 component under its `prerequisites`",
            );
    }
    let store = scope.inner.graph.store.read();
    let full = format!("{}{name}", scope.prefix);
    let near = if suggest { nearest(&full, store.entity_names()) } else { None };
    // As written inside the subgraph.
    let near = near.map(|near| near.strip_prefix(scope.prefix).unwrap_or(near));
    let near = near.map(|near| format!("{near}/{component}"));
    let within = match scope.prefix.strip_suffix('.') {
        Some(subgraph) => format!(", neither in subgraph `{subgraph}` nor outside"),
        None => String::new(),
    };
    Diagnostic::error(ResultCode::ENTITY_NOT_FOUND, format!("there is no entity `{name}`{within}"))
        .at(span)
        .label("this handle has no target")
        .suggest(near.as_deref())
}

/// Reports an unknown component, with similar names or what exists instead.
fn no_component(
    scope: &Scope<'_>,
    holder: &Entity,
    name: &str,
    text: &HandleText,
    tid: Option<Tid>,
    span: Span,
    suggest: bool,
) -> Diagnostic {
    let problem = Diagnostic::error(
        ResultCode::ENTITY_COMPONENT_NOT_FOUND,
        format!("{} has no component `{name}`", holder.described()),
    )
    .at(span)
    .label("this handle has no target");
    if !suggest {
        return problem;
    }
    let local = matches!(text, HandleText::Local(_));
    let full = format!("{}{name}", scope.prefix);
    if let Some(other) = scope.inner.graph.store.read().entity_named(&full).filter(|_| local) {
        let fitting = fitting(other, tid);
        let example = fitting.first().map_or("component", String::as_str);
        return problem
            .help(format!("`{name}` is an entity; one of its components is `{name}/{example}`"));
    }
    if let Some(meant) = with_slash(scope, name).filter(|_| local) {
        return problem.suggest(Some(&meant));
    }
    let mut names = holder.names();
    names.extend(scope.broken.names(holder));
    if let Some(near) = nearest(name, names.iter().map(String::as_str)) {
        let near = match text {
            HandleText::Qualified { entity, .. } => format!("{entity}/{near}"),
            _ => near.to_owned(),
        };
        return problem.suggest(Some(&near));
    }
    match (list_of(&fitting(holder, tid)), tid) {
        (Some(fitting), Some(tid)) => {
            let registry = scope.inner.graph.registry.read();
            let wanted = registry.by_id(tid).map_or("that type", |info| info.name.as_str());
            problem.help(format!("of type {wanted} it has {fitting}"))
        }
        _ => problem.help(what_is_there(holder)),
    }
}

/// `entity/component` for `entity.component`, if it exists.
fn with_slash(scope: &Scope<'_>, name: &str) -> Option<String> {
    let store = scope.inner.graph.store.read();
    let splits = name.char_indices().filter(|(_, character)| *character == '.');
    splits.map(|(at, _)| (&name[..at], &name[at + 1..])).find_map(|(entity, component)| {
        let other = store.entity_named(&format!("{}{entity}", scope.prefix))?;
        let is_there = !other.components_named(component).is_empty();
        is_there.then(|| format!("{entity}/{component}"))
    })
}

/// Names of an entity's components that a handle of this type may refer to.
fn fitting(holder: &Entity, tid: Option<Tid>) -> Vec<String> {
    let own = holder.components();
    let fitting = own
        .iter()
        .filter(|other| tid.is_none_or(|tid| other.serves_as(tid)) && !other.name().is_empty());
    fitting.map(|other| other.name().to_owned()).collect()
}

/// Reports a component of the wrong type, and names the ones that would fit.
fn wrong_type(
    scope: &Scope<'_>,
    holder: &Entity,
    component: &Component,
    tid: Option<Tid>,
    span: Span,
) -> Diagnostic {
    let registry = scope.inner.graph.registry.read();
    let wanted = tid.and_then(|tid| registry.by_id(tid));
    let wanted_name = wanted.map_or("another type", |info| info.name.as_str());
    let problem = Diagnostic::error(
        ResultCode::ENTITY_COMPONENT_NOT_FOUND,
        format!(
            "component `{}` of {} is a {}, not a {wanted_name}",
            component.name(),
            holder.described(),
            component.type_info().name,
        ),
    )
    .at(span)
    .label(format!("expected a {wanted_name}"));
    match list_of(&fitting(holder, tid)) {
        Some(fitting) => problem.help(format!("of that type: {fitting}")),
        None => problem,
    }
}
