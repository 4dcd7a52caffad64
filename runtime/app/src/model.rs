//! The description of a graph from one file.

use super::source::{Source, Spanned};
use super::yaml::Node;
use compact_str::CompactString;
use std::sync::Arc;

/// The content of one app file. Its form is checked; no names are looked up yet.
#[derive(Clone, Debug)]
pub struct AppFile {
    /// The text; all places and parameter nodes belong to it.
    pub source: Arc<Source>,
    /// The documents that describe entities, in the order of the file.
    pub documents: Vec<EntitySpec>,
    /// Names of the entities to start first, in this order. The others follow in the order of the
    /// file.
    pub start_order: Option<Vec<Spanned<CompactString>>>,
    /// Groups of entities that share resources.
    pub entity_groups: Vec<EntityGroupSpec>,
    /// Whether queues get Holoscan's default conditions, with the place of the key; `None` without
    /// the key.
    pub default_conditions: Option<Spanned<bool>>,
}

/// One document of an app file. Documents with the same name describe the same entity.
#[derive(Clone, Debug)]
pub struct EntitySpec {
    /// Name of the entity, without the prefix of a subgraph; `None` for an unnamed entity.
    pub name: Option<Spanned<CompactString>>,
    /// Whether the document has the key `components`; only then does it create an entity.
    pub has_components: bool,
    /// The components in order.
    pub components: Vec<ComponentSpec>,
    /// Components of a subgraph that its user may refer to.
    pub interfaces: Vec<InterfaceSpec>,
    /// Names of components that the user of a subgraph must provide; `None` without the key.
    pub prerequisites: Option<Vec<Spanned<CompactString>>>,
}

/// One entry of `components`: a new component if it has a type; otherwise parameters for the
/// existing component of that name.
#[derive(Clone, Debug)]
pub struct ComponentSpec {
    /// Name of the component type.
    pub type_name: Option<Spanned<CompactString>>,
    /// Name of the component.
    pub name: Option<Spanned<CompactString>>,
    /// Key and value of each parameter, in the order of the file.
    pub parameters: Vec<(Spanned<CompactString>, Node)>,
    /// Whether the entry has the key `parameters`.
    pub has_parameters: bool,
}

/// A component of a subgraph, under its exported name.
#[derive(Clone, Debug)]
pub struct InterfaceSpec {
    /// The exported name.
    pub name: Spanned<CompactString>,
    /// The component, as `entity/component`.
    pub target: Spanned<CompactString>,
}

/// A group of entities that share resources.
#[derive(Clone, Debug)]
pub struct EntityGroupSpec {
    /// Name of the group.
    pub name: Spanned<CompactString>,
    /// Names of the entities.
    pub targets: Vec<Spanned<CompactString>>,
}
