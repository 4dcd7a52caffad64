//! What connects transmitters to receivers, and the routers that applications for GXF name.

use gxf::prelude::*;

/// Delivers everything a transmitter sends to a receiver. It can be in any entity.
#[derive(Component, Default)]
pub struct Connection {
    /// Transmitter that sends the messages.
    source: Parameter<Handle<Transmitter>>,
    /// Receiver that gets them.
    target: Parameter<Handle<Receiver>>,
}

/// Delivers everything that the transmitters of a topic send to all receivers of the topic.
/// Components with the same topic name form one topic; they can be in any entity.
#[derive(Component, Default)]
pub struct Topic {
    /// Name of the topic.
    #[parameter(headline = "Topic name")]
    topic_name: Parameter<String>,
    /// Transmitters that send to the topic.
    #[parameter(headline = "Transmitters", default = Vec::new())]
    transmitters: Parameter<Vec<Handle<Transmitter>>>,
    /// Receivers that get the topic's messages.
    #[parameter(headline = "Receivers", default = Vec::new())]
    receivers: Parameter<Vec<Handle<Receiver>>>,
}

/// Moves messages from transmitters to receivers. Every graph does that by itself; this type exists
/// for GXF applications that name it.
#[derive(Component, Default)]
pub struct MessageRouter {}

/// Moves messages to and from network contexts. Every graph does that by itself; this type exists
/// for GXF applications that name it.
#[derive(Component, Default)]
pub struct NetworkRouter {}

/// All routers of a graph. Every graph calls all its routers by itself; this type exists for GXF
/// applications that name it.
#[derive(Component, Default)]
pub struct RouterGroup {}

/// All systems of a graph. Every graph runs all its systems by itself; this type exists for GXF
/// applications that name it.
#[derive(Component, Default)]
pub struct SystemGroup {}
