//! A loaded graph as plain data, for tools that draw or check it.
//!
//! [`Context::describe`](crate::Context::describe) creates it, in `describer.rs`. It is a copy,
//! which does not change with the graph.

mod describer;
#[cfg(test)]
mod tests;

pub(crate) use describer::describe;

/// All entities of a graph and the connections between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphDescription {
    /// The entities in the order of loading.
    pub entities: Vec<EntityDescription>,
    /// The `Connection` components, in the order of loading.
    pub connections: Vec<ConnectionDescription>,
    /// The `Topic` components by topic, in the order of loading.
    pub topics: Vec<TopicDescription>,
}

/// One entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityDescription {
    /// The full name, including the names of the subgraphs around it.
    pub name: String,
    /// Whether the file gives no name, so that the runtime chose this one.
    pub is_unnamed: bool,
    /// Position of the entity whose `Subgraph` component loaded this one.
    pub subgraph: Option<usize>,
    /// The components in the order of the file.
    pub components: Vec<ComponentDescription>,
    /// Components of other entities that are available here: a subgraph's exports and
    /// prerequisites.
    pub interfaces: Vec<InterfaceDescription>,
    /// For a segment of a graph in several processes: where it is reached, such as
    /// `rx.signal 127.0.0.1:13337`.
    pub addresses: Vec<String>,
}

/// One component of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentDescription {
    /// Name; may be empty.
    pub name: String,
    /// Full name of the type.
    pub type_name: String,
    /// Whether no loaded extension has the type; see
    /// [`Context::only_read`](crate::Context::only_read).
    pub is_unknown: bool,
    /// Full names of the bases of the type, nearest first.
    pub bases: Vec<String>,
    /// Name of the type's extension.
    pub extension: String,
    /// Description of the type; may be empty.
    pub description: String,
    /// The type's parameters, in its order; for an unknown type, those in the file.
    pub parameters: Vec<ParameterDescription>,
    /// The place in a file that creates it; `None` if a program created it.
    pub place: Option<Place>,
}

/// One parameter of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterDescription {
    /// Name in YAML.
    pub key: String,
    /// Description; may be empty.
    pub description: String,
    /// Physical unit.
    pub unit: Option<String>,
    /// The value as text; handles as `entity/component`. `None` without a value or default.
    pub value: Option<String>,
    /// Whether no file sets a value, so that the default applies.
    pub is_default: bool,
    /// Whether it may change while the graph runs.
    pub is_dynamic: bool,
    /// The components that a parameter with handles refers to.
    pub targets: Vec<ComponentPosition>,
}

/// A component by position, because names may be missing or ambiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ComponentPosition {
    /// Position of the entity in [`GraphDescription::entities`].
    pub entity: usize,
    /// Position in [`EntityDescription::components`].
    pub component: usize,
}

/// A component of another entity that is available in this one.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceDescription {
    /// Its name in this entity.
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

/// All `Topic` components with one topic name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopicDescription {
    /// Name of the topic.
    pub name: String,
    /// The transmitters that send to it.
    pub transmitters: Vec<ComponentPosition>,
    /// The receivers that get the messages.
    pub receivers: Vec<ComponentPosition>,
    /// The `Topic` components themselves.
    pub components: Vec<ComponentPosition>,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The path as given.
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

    /// `entity/component`, with the type instead of a missing name.
    #[must_use]
    pub fn path(&self, position: ComponentPosition) -> String {
        let entity = self.entities.get(position.entity).map_or("", |entity| &entity.name);
        let component = self.component(position).map_or("", ComponentDescription::label);
        format!("{entity}/{component}")
    }

    /// Adds the graph of a segment, a part of a graph in several processes, as a subgraph that is
    /// reached at some addresses.
    pub fn add_segment(&mut self, name: &str, addresses: Vec<String>, segment: Self) {
        const SUBGRAPH: &str = "nvidia::gxf::Subgraph";
        let around = self.entities.len();
        self.entities.push(EntityDescription {
            name: name.to_owned(),
            is_unnamed: false,
            subgraph: None,
            components: vec![ComponentDescription {
                name: String::new(),
                type_name: SUBGRAPH.to_owned(),
                is_unknown: false,
                bases: Vec::new(),
                extension: String::new(),
                description: String::new(),
                parameters: Vec::new(),
                place: None,
            }],
            interfaces: Vec::new(),
            addresses,
        });
        let first = self.entities.len();
        let moved =
            |old: ComponentPosition| ComponentPosition { entity: first + old.entity, ..old };
        let all_moved = |old: Vec<ComponentPosition>| old.into_iter().map(moved).collect();
        self.entities.extend(segment.entities.into_iter().map(|mut entity| {
            entity.name = format!("{name}.{}", entity.name);
            entity.subgraph = Some(entity.subgraph.map_or(around, |outer| first + outer));
            for component in &mut entity.components {
                for parameter in &mut component.parameters {
                    parameter.targets = all_moved(std::mem::take(&mut parameter.targets));
                }
            }
            for interface in &mut entity.interfaces {
                interface.target = moved(interface.target);
            }
            entity
        }));
        self.connections.extend(segment.connections.into_iter().map(|old| ConnectionDescription {
            source: moved(old.source),
            target: moved(old.target),
            component: moved(old.component),
        }));
        self.topics.extend(segment.topics.into_iter().map(|old| TopicDescription {
            name: old.name,
            transmitters: all_moved(old.transmitters),
            receivers: all_moved(old.receivers),
            components: all_moved(old.components),
        }));
    }

    /// Adds a connection between two segments; their ends are `segment.entity.component`. Returns
    /// whether there are such a transmitter and such a receiver.
    pub fn connect_segments(&mut self, source: &str, target: &str) -> bool {
        let source = self.find_dotted(source, "nvidia::gxf::Transmitter");
        let ends = source.zip(self.find_dotted(target, "nvidia::gxf::Receiver"));
        self.connections.extend(ends.map(|(source, target)| ConnectionDescription {
            source,
            target,
            component: source,
        }));
        ends.is_some()
    }

    fn find_dotted(&self, path: &str, type_name: &str) -> Option<ComponentPosition> {
        self.entities.iter().enumerate().find_map(|(index, entity)| {
            let name = path.strip_prefix(entity.name.as_str())?.strip_prefix('.')?;
            let is_it = |known: &ComponentDescription| known.name == name && known.is_a(type_name);
            let component = entity.components.iter().position(is_it)?;
            Some(ComponentPosition { entity: index, component })
        })
    }
}

impl ComponentDescription {
    /// Whether it is of this type or one derived from it.
    #[must_use]
    pub fn is_a(&self, type_name: &str) -> bool {
        self.type_name == type_name || self.bases.iter().any(|base| base == type_name)
    }

    /// Name, or type if it has no name.
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
