//! The description of a small graph.

use crate::Context;

fn described(app: &str) -> super::GraphDescription {
    let context = Context::new();
    context.load_app_text("app.yaml", app, &[]).unwrap();
    context.describe()
}

#[test]
fn components_come_with_values_and_places() {
    let graph = described(
        "name: a\ncomponents:\n- name: in\n  type: nvidia::gxf::DoubleBufferReceiver\n  \
         parameters: {capacity: 3}\n- type: nvidia::gxf::MessageAvailableSchedulingTerm\n  \
         parameters: {receiver: in}\n",
    );
    let entity = &graph.entities[0];
    assert_eq!((entity.name.as_str(), entity.is_unnamed), ("a", false));
    let queue = &entity.components[0];
    let place = queue.place.as_ref().unwrap();
    assert_eq!((place.file.as_str(), place.line, place.column), ("app.yaml", 4, 9));
    assert!(queue.is_a("nvidia::gxf::Queue") && !queue.is_a("nvidia::gxf::Transmitter"));
    let value = |key| {
        let parameter = queue.parameter(key).unwrap();
        (parameter.value.as_deref().unwrap(), parameter.is_default)
    };
    assert_eq!((value("capacity"), value("policy")), (("3", false), ("2", true)));
    let receiver = entity.components[1].parameter("receiver").unwrap();
    assert_eq!(receiver.value.as_deref(), Some("a/in"));
    assert_eq!(graph.component(receiver.targets[0]), Some(queue));
}

#[test]
fn connections_and_topics_name_their_ends() {
    let graph = described(
        "name: a\ncomponents:\n- {name: out, type: nvidia::gxf::DoubleBufferTransmitter}\n\
         - {name: in, type: nvidia::gxf::DoubleBufferReceiver}\n\
         - {type: nvidia::gxf::Connection, parameters: {source: out, target: in}}\n\
         - {type: nvidia::gxf::Topic, parameters: {topic_name: t, transmitters: [out]}}\n\
         ---\ncomponents:\n\
         - {type: nvidia::gxf::Topic, parameters: {topic_name: t, receivers: [a/in]}}\n",
    );
    let [connection] = graph.connections.as_slice() else { panic!("{graph:?}") };
    assert_eq!(graph.path(connection.source), "a/out");
    assert_eq!(graph.path(connection.target), "a/in");
    assert_eq!(graph.path(connection.component), "a/nvidia::gxf::Connection");
    let [topic] = graph.topics.as_slice() else { panic!("{graph:?}") };
    assert_eq!(topic.transmitters, [connection.source]);
    assert_eq!(topic.receivers, [connection.target]);
    assert_eq!(topic.components.len(), 2);
    assert!(graph.entities[1].is_unnamed);
}

#[test]
fn a_dot_in_a_name_makes_no_subgraph() {
    let graph = described("name: a\ncomponents: []\n---\nname: a.b\ncomponents: []\n");
    assert_eq!(graph.entities[1].subgraph, None);
}

#[test]
fn long_values_are_cut() {
    let receivers = vec!["in"; 5000].join(", ");
    let graph = described(&format!(
        "name: a\ncomponents:\n- {{name: in, type: nvidia::gxf::DoubleBufferReceiver}}\n\
         - type: nvidia::gxf::MultiMessageAvailableSchedulingTerm\n  parameters: {{receivers: \
         [{receivers}]}}\n"
    ));
    let parameter = graph.entities[0].components[1].parameter("receivers").unwrap();
    let text = parameter.value.as_ref().unwrap();
    assert!(text.starts_with("[a/in, a/in") && text.ends_with('…'), "{text}");
    assert!(text.len() < 2010);
    assert_eq!(parameter.targets.len(), 5000);
}
