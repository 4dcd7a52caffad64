//! Entities and components as YAML.

use gxf_runtime::graph::yaml::{Kind, Node};

/// The components of a document.
pub fn components(document: &Node) -> impl Iterator<Item = &Node> {
    document.get("components").and_then(Node::as_sequence).into_iter().flatten()
}

pub fn name_of(node: &Node) -> Option<&str> {
    node.get("name").and_then(Node::as_text)
}

pub fn type_of(component: &Node) -> &str {
    component.get("type").and_then(Node::as_text).unwrap_or_default()
}

/// The value of a parameter in the file.
pub fn parameter<'n>(component: &'n Node, key: &str) -> Option<&'n str> {
    component.get("parameters")?.get(key)?.as_text()
}

/// A component with these parameters in place of its own values of them.
pub fn with_parameters(component: &Node, values: &[(&str, Node)]) -> Node {
    let pairs = component.as_mapping().unwrap_or_default().iter();
    let mut pairs: Vec<(Node, Node)> =
        pairs.filter(|(key, _)| key.as_text() != Some("parameters")).cloned().collect();
    let parameters = component.get("parameters").and_then(Node::as_mapping).unwrap_or_default();
    let is_given = |key: &Node| values.iter().any(|(name, _)| key.as_text() == Some(name));
    let others = parameters.iter().filter(|(key, _)| !is_given(key)).cloned();
    let values = values.iter().map(|(key, value)| (text(key), value.clone()));
    let parameters = others.chain(values).collect();
    pairs.push((text("parameters"), Node::made(Kind::Mapping(parameters))));
    Node::made(Kind::Mapping(pairs))
}

/// A new component.
pub fn component(name: &str, kind: &str, parameters: &[(&str, Node)]) -> Node {
    let pairs = [("name", name), ("type", kind)].map(|(key, value)| (text(key), text(value)));
    with_parameters(&Node::made(Kind::Mapping(pairs.to_vec())), parameters)
}

/// A text.
pub fn text(value: &str) -> Node {
    Node::made(Kind::Scalar { value: value.into(), plain: false })
}

/// A number.
pub fn number(value: impl ToString) -> Node {
    Node::made(Kind::Scalar { value: value.to_string().into(), plain: true })
}
