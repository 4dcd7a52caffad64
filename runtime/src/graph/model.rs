//! The description of a graph, as one file gives it.

use super::source::{Source, Span, Spanned};
use super::yaml::Node;
use std::sync::Arc;

/// What one app file says, checked for form; nothing is looked up yet.
#[derive(Clone, Debug)]
pub struct AppFile {
    /// The text; all places and parameter nodes belong to it.
    pub source: Arc<Source>,
    /// The documents that say something about an entity, in the order of the file.
    pub documents: Vec<EntitySpec>,
    /// Names of the entities that come first, in this order; the others follow as in the file.
    pub start_order: Option<Vec<Spanned<String>>>,
    /// Groups of entities that share resources.
    pub entity_groups: Vec<EntityGroupSpec>,
    /// Whether queues get Holoscan's default conditions; none without the key. The place is that of
    /// the key.
    pub default_conditions: Option<Spanned<bool>>,
}

/// One document of an app file. The same name in another document means the same entity.
#[derive(Clone, Debug)]
pub struct EntitySpec {
    /// Name of the entity, without the prefix of a subgraph; none for an unnamed entity.
    pub name: Option<Spanned<String>>,
    /// Whether the document has the key `components`; only then it creates an entity.
    pub has_components: bool,
    /// The components in order.
    pub components: Vec<ComponentSpec>,
    /// Components of a subgraph that its user may refer to.
    pub interfaces: Vec<InterfaceSpec>,
    /// Names that the user of a subgraph has to hand in; none without the key.
    pub prerequisites: Option<Vec<Spanned<String>>>,
    /// The whole document.
    pub span: Span,
}

/// One entry of `components`: a new component if it has a type, else more parameters for the
/// component of that name.
#[derive(Clone, Debug)]
pub struct ComponentSpec {
    /// Name of the component type.
    pub type_name: Option<Spanned<String>>,
    /// Name of the component.
    pub name: Option<Spanned<String>>,
    /// Key and value of each parameter, in the order of the file.
    pub parameters: Vec<(Spanned<String>, Node)>,
    /// Whether the entry has the key `parameters`.
    pub has_parameters: bool,
    /// The whole entry.
    pub span: Span,
}

/// A component of a subgraph under the name that its user knows.
#[derive(Clone, Debug)]
pub struct InterfaceSpec {
    /// The exported name.
    pub name: Spanned<String>,
    /// The component, as `entity/component`.
    pub target: Spanned<String>,
}

/// A group of entities that share resources.
#[derive(Clone, Debug)]
pub struct EntityGroupSpec {
    /// Name of the group.
    pub name: Spanned<String>,
    /// Names of the entities.
    pub targets: Vec<Spanned<String>>,
}
