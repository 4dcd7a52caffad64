//! A loaded graph as plain data, for those who show it to people: tools that draw or check it.
//!
//! [`Context::describe`](crate::Context::describe) makes it, in `describer.rs`. It is a copy: nothing
//! in it changes when the graph does.

mod describer;
#[cfg(test)]
mod tests;

pub(crate) use describer::describe;

/// All entities of a graph and how messages go between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphDescription {
    /// The entities in the order of loading.
    pub entities: Vec<EntityDescription>,
    /// What the `Connection` components say, in the order of loading.
    pub connections: Vec<ConnectionDescription>,
    /// What the `Topic` components say, by name of the topic, in the order of loading.
    pub topics: Vec<TopicDescription>,
}

/// One entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityDescription {
    /// The full name, with the names of the subgraphs it is in.
    pub name: String,
    /// Whether the file gives no name and this one is made up.
    pub is_unnamed: bool,
    /// Position of the entity whose `Subgraph` component loaded this one.
    pub subgraph: Option<usize>,
    /// The components in the order of the file.
    pub components: Vec<ComponentDescription>,
    /// Components of other entities that can be found here: what a subgraph exports, and what was
    /// handed in to it.
    pub interfaces: Vec<InterfaceDescription>,
}

/// One component of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentDescription {
    /// Name; may be empty.
    pub name: String,
    /// Full name of the type.
    pub type_name: String,
    /// Whether no loaded extension has the type; see
    /// [`Context::accept_unknown_types`](crate::Context::accept_unknown_types).
    pub is_unknown: bool,
    /// Full names of the bases of the type, nearest first.
    pub bases: Vec<String>,
    /// Name of the extension the type comes from.
    pub extension: String,
    /// What the type is for; may be empty.
    pub description: String,
    /// The parameters of the type in its order; those of the file for an unknown type.
    pub parameters: Vec<ParameterDescription>,
    /// Where a file asks for it; none for components made by a program.
    pub place: Option<Place>,
}

/// One parameter of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterDescription {
    /// Name in YAML.
    pub key: String,
    /// What it is for; may be empty.
    pub description: String,
    /// Physical unit.
    pub unit: Option<String>,
    /// The value as text; handles as `entity/component`. None without a value and a default.
    pub value: Option<String>,
    /// Whether no file gives a value, so that the type's default counts.
    pub is_default: bool,
    /// Whether it may be changed while the graph runs.
    pub is_dynamic: bool,
    /// The components that a parameter with handles leads to.
    pub targets: Vec<ComponentPosition>,
}

/// A component by position, and not by name, because names may be missing or used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentPosition {
    /// Position of the entity in [`GraphDescription::entities`].
    pub entity: usize,
    /// Position in [`EntityDescription::components`].
    pub component: usize,
}

/// A component of another entity under a name of this one.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceDescription {
    /// The name here.
    pub name: String,
    /// The component.
    pub target: ComponentPosition,
}

/// One `Connection` component.
#[derive(Clone, Debug, PartialEq)]
pub struct ConnectionDescription {
    /// The transmitter.
    pub source: ComponentPosition,
    /// The receiver.
    pub target: ComponentPosition,
    /// The `Connection` component itself.
    pub component: ComponentPosition,
}

/// All `Topic` components of one name together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicDescription {
    /// Name of the topic.
    pub name: String,
    /// The transmitters that send to it.
    pub transmitters: Vec<ComponentPosition>,
    /// The receivers that get what is sent.
    pub receivers: Vec<ComponentPosition>,
    /// The `Topic` components themselves.
    pub components: Vec<ComponentPosition>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path as it was given.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl GraphDescription {
    /// The component at a position.
    #[must_use]
    pub fn component(&self, position: ComponentPosition) -> Option<&ComponentDescription> {
        self.entities.get(position.entity)?.components.get(position.component)
    }

    /// `entity/component`, with the type in place of a missing name.
    #[must_use]
    pub fn path(&self, position: ComponentPosition) -> String {
        let entity = self.entities.get(position.entity).map_or("", |entity| &entity.name);
        let component = self.component(position).map_or("", ComponentDescription::label);
        format!("{entity}/{component}")
    }
}

impl ComponentDescription {
    /// Whether the type is this one or derived from it.
    #[must_use]
    pub fn is_a(&self, type_name: &str) -> bool {
        self.type_name == type_name || self.bases.iter().any(|base| base == type_name)
    }

    /// Name, or type when it has none.
    #[must_use]
    pub fn label(&self) -> &str {
        if self.name.is_empty() { &self.type_name } else { &self.name }
    }

    /// A parameter by its key.
    #[must_use]
    pub fn parameter(&self, key: &str) -> Option<&ParameterDescription> {
        self.parameters.iter().find(|parameter| parameter.key == key)
    }
}
