//! How YAML refers to a component.

use std::fmt;

/// A reference to a component as written, before its target is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandleText {
    /// `<Unspecified>`: a later file gives the value.
    Unspecified,
    /// `component`: a component of the same entity.
    Local(
        /// Name of the component.
        String,
    ),
    /// `entity/component`, split at the first slash.
    Qualified {
        /// Name of the entity.
        entity: String,
        /// Name of the component; may contain further slashes.
        component: String,
    },
}

impl HandleText {
    /// Reads a reference; none if the text or the part on one side of the slash is empty.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text == "<Unspecified>" {
            return Some(Self::Unspecified);
        }
        match text.split_once('/') {
            None if text.is_empty() => None,
            None => Some(Self::Local(text.into())),
            Some(("", _) | (_, "")) => None,
            Some((entity, component)) => {
                Some(Self::Qualified { entity: entity.into(), component: component.into() })
            }
        }
    }
}

impl fmt::Display for HandleText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unspecified => formatter.write_str("<Unspecified>"),
            Self::Local(component) => formatter.write_str(component),
            Self::Qualified { entity, component } => write!(formatter, "{entity}/{component}"),
        }
    }
}
