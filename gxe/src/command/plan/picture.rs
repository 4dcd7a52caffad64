//! A plan as a picture: streams are groups, tasks nodes, registers wires.

use crate::command::graph::model::{Group, Model, Node, NodeKind, Port, Wire, WireKind};
use crate::command::graph::scene::Scene;
use crate::command::graph::svg::escaped;
use crate::command::graph::{dot as graphviz, svg};
use gxf_plan::{Flow, Kind, Plan, Register};
use std::fmt::Write;

/// For Graphviz.
pub fn dot(plan: &Plan) -> String {
    graphviz::file(&model(plan), &plan.graph)
}

/// A page with the picture and the registers.
pub fn html(plan: &Plan) -> String {
    let model = model(plan);
    let open = vec![false; model.groups.len()];
    let picture = svg::file(&Scene::new(&model, open), &plan.graph);
    // The prologue is for files of their own.
    let picture = picture.find("<svg").map_or(&*picture, |begin| &picture[begin..]);
    let mut rows = String::new();
    for register in &plan.registers {
        let readers = register.consumers.iter().map(|consumer| {
            let room = consumer.room.map_or(String::new(), |room| format!(" ({room})"));
            escaped(&consumer.receiver) + &room
        });
        let readers: Vec<String> = readers.collect();
        let bytes = register.payload_bytes.map_or("unknown".to_owned(), |bytes| bytes.to_string());
        // Writing to a `String` does not fail.
        _ = writeln!(
            rows,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{bytes}</td><td>{}</td></tr>",
            escaped(&register.name),
            readers.join("<br>"),
            register.instances,
            register.flow.name(),
            register.in_place.as_deref().map(escaped).unwrap_or_default(),
        );
    }
    let memory = plan.memory();
    let unknown = match memory.unknown.len() {
        0 => String::new(),
        count => format!(", and {count} of unknown size"),
    };
    let shared = match memory.saved {
        0 => String::new(),
        saved => format!("; shared memory saves {saved}"),
    };
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <title>Plan of {title}</title>\n<style>body {{ font: 15px/1.5 system-ui, sans-serif; \
         margin: 2rem; }} table {{ border-collapse: collapse; }} td, th {{ border: 1px solid \
         #9db2c9; padding: .2rem .6rem; text-align: left; vertical-align: top; }} svg {{ max-width: \
         100%; height: auto; }}</style></head>\n<body>\n<h1>Plan of {title}</h1>\n{picture}\n\
         <h2>Registers</h2>\n<p>{bytes} bytes{unknown}{shared}</p>\n<table><tr><th>Register</th>\
         <th>Consumers (their room, if more)</th><th>Instances</th><th>Limited by</th><th>Bytes of \
         a payload</th><th>In place of</th></tr>\n{rows}</table>\n</body></html>\n",
        title = escaped(&plan.graph),
        bytes = memory.bytes,
    )
}

fn model(plan: &Plan) -> Model {
    let mut model = Model::default();
    for stream in &plan.streams {
        let name = format!("stream {}", stream.id);
        let label = format!("{name}, {}, rank {}", stream.device, stream.rank);
        model.groups.push(Group { name, label, parent: None, entity: 0 });
    }
    for task in &plan.tasks {
        let its =
            |register: &&Register| register.producer == task.name && register.kind == Kind::Data;
        let outputs = plan.registers.iter().filter(its).map(|register| {
            let limit = match register.flow {
                Flow::Credits => format!("{} instances", register.instances),
                Flow::Queue => "queue".to_owned(),
            };
            port(&register.name, limit)
        });
        let data = plan.registers.iter().filter(|register| register.kind == Kind::Data);
        let readers = data.flat_map(|register| &register.consumers);
        let inputs = readers.filter(|consumer| consumer.task() == task.name);
        model.nodes.push(Node {
            name: task.name.clone(),
            label: task.name.clone(),
            kind: NodeKind::Entity,
            group: Some(task.stream as usize),
            entity: None,
            types: Vec::new(),
            unknown_types: Vec::new(),
            terms: Vec::new(),
            inputs: inputs.map(|consumer| port(&consumer.receiver, String::new())).collect(),
            outputs: outputs.collect(),
            measured: None,
            is_live: false,
        });
    }
    for register in &plan.registers {
        if register.kind == Kind::Control {
            let readers = register.consumers.iter().map(|consumer| register.reader(consumer));
            let ends = readers
                .filter_map(|reader| Some((plan.task(&register.producer)?, plan.task(reader)?)));
            model.wires.extend(ends.map(|(source, target)| Wire {
                kind: WireKind::Messages,
                source: (source, None),
                target: (target, None),
                place: None,
                messages: None,
                rate_hz: None,
                dropped: 0.0,
            }));
            continue;
        }
        let source = end(plan, &model, &register.producer, &register.name, |node| &node.outputs);
        for consumer in &register.consumers {
            let target =
                end(plan, &model, consumer.task(), &consumer.receiver, |node| &node.inputs);
            let (Some(source), Some(target)) = (source, target) else { continue };
            model.wires.push(Wire {
                kind: WireKind::Messages,
                source: (source.0, Some(source.1)),
                target: (target.0, Some(target.1)),
                place: None,
                messages: None,
                rate_hz: None,
                dropped: 0.0,
            });
        }
    }
    model
}

/// The port of a task with this path.
fn port(path: &str, queue: String) -> Port {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    Port { name: name.to_owned(), queue, is_queue_chosen: true, connected: true, measured: None }
}

/// The positions of a task and of one of its ports.
fn end(
    plan: &Plan,
    model: &Model,
    task: &str,
    path: &str,
    ports: impl Fn(&Node) -> &Vec<Port>,
) -> Option<(usize, usize)> {
    let node = plan.task(task)?;
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let position = ports(model.nodes.get(node)?).iter().position(|port| port.name == name)?;
    Some((node, position))
}
