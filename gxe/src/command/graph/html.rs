//! The graph as a self-contained page: the drawing of [`super::svg`], details of every entity as
//! JSON, and a script that pans, zooms, searches and folds.

use super::format::{count, duration, rate};
use super::model::{Model, Node, NodeKind, WireKind};
use super::scene::Scene;
use super::statistics::Statistics;
use super::svg::{COLORS, STYLE, element, escaped, wire_text};
use gxf_runtime::graph::describe::{ComponentDescription, GraphDescription, Place};
use gxf_runtime::graph::escape;
use serde::Serialize;
use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};

/// The script's data.
#[derive(Serialize)]
struct Data<'a> {
    /// By group: whether it is folded at first.
    folded: &'a [bool],
    nodes: Vec<NodeData<'a>>,
    groups: Vec<GroupData<'a>>,
    wires: Vec<WireData>,
    types: BTreeMap<&'a str, TypeData<'a>>,
    /// Number of the graph, if it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<u64>,
}

/// Details of a type, shared by its components.
#[derive(Serialize)]
struct TypeData<'a> {
    about: &'a str,
    /// By key: unit and description.
    parameters: BTreeMap<&'a str, [&'a str; 2]>,
}

#[derive(Serialize)]
struct NodeData<'a> {
    name: &'a str,
    kind: &'static str,
    group: Option<usize>,
    terms: &'a [String],
    measured: Vec<(String, String)>,
    components: Vec<ComponentData<'a>>,
}

#[derive(Serialize)]
struct GroupData<'a> {
    name: &'a str,
    parent: Option<usize>,
    components: Vec<ComponentData<'a>>,
}

#[derive(Serialize)]
struct WireData {
    from: usize,
    to: usize,
    text: String,
    place: Option<String>,
}

#[derive(Serialize)]
struct ComponentData<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    type_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<ParameterData<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    measured: Vec<(String, String)>,
}

#[derive(Serialize)]
struct ParameterData<'a> {
    key: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    default: bool,
    /// The nodes it leads to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    nodes: Vec<usize>,
}

/// What a page has in addition if its graph runs.
#[derive(Default)]
struct Parts {
    policy: &'static str,
    style: &'static str,
    tools: &'static str,
    log: &'static str,
    script: &'static str,
}

const LIVE: Parts = Parts {
    policy: "; connect-src 'self'",
    style: include_str!("assets/live.css"),
    tools: include_str!("assets/live.html"),
    log: "<footer id=\"log\" hidden></footer>\n",
    script: include_str!("assets/live.js"),
};

/// A whole file; with the number of a graph that runs, the page of `--serve`. All groups of the scene are open; the page folds those of `folded` at first.
pub fn file(
    scene: &Scene<'_>,
    graph: &GraphDescription,
    statistics: Option<&Statistics>,
    folded: &[bool],
    title: &str,
    live: Option<u64>,
) -> anyhow::Result<String> {
    let model = scene.model;
    let details = Details::new(graph, model, statistics);
    let nodes = model.nodes.iter().map(|node| NodeData {
        name: &node.name,
        kind: match node.kind {
            NodeKind::Entity => "entity",
            NodeKind::Resource => "resource",
            NodeKind::Topic => "topic",
        },
        group: node.group,
        terms: &node.terms,
        measured: details.measured(node),
        components: node.entity.map_or_else(Vec::new, |entity| details.components(entity)),
    });
    let groups = model.groups.iter().map(|group| GroupData {
        name: &group.name,
        parent: group.parent,
        components: details.components(group.entity),
    });
    let wires = model.wires.iter().map(|wire| WireData {
        from: wire.source.0,
        to: wire.target.0,
        text: wire_text(scene, wire),
        place: wire.place.as_ref().map(place_text),
    });
    let data = Data {
        folded,
        nodes: nodes.collect(),
        groups: groups.collect(),
        wires: wires.collect(),
        types: types(graph),
        live,
    };
    // In a script element, only `<` has a meaning of its own.
    let data = escape::json(serde_json::to_string(&data)?).to_string().replace('<', "\\u003c");
    let [light, dark] = COLORS;
    let drawing = element(scene, &scene.place(), title, None);
    let title = escaped(title);
    let summary = summary(model, statistics);
    let parts = if live.is_some() { LIVE } else { Parts::default() };
    Ok([
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'unsafe-inline'",
        parts.policy,
        "\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
        &title,
        "</title>\n<style>\n:root { color-scheme: light; ",
        light,
        "}\n@media (prefers-color-scheme: dark) { :root:not([data-theme=\"light\"]) \
         { color-scheme: dark; ",
        dark,
        "} }\n:root[data-theme=\"dark\"] { color-scheme: dark; ",
        dark,
        "}\n",
        STYLE,
        include_str!("assets/page.css"),
        parts.style,
        "</style>\n</head>\n<body>\n<header>\n<h1>",
        &title,
        "</h1>\n<p>",
        &escaped(&summary),
        "</p>\n",
        parts.tools,
        include_str!("assets/page.html"),
        "<main id=\"canvas\">\n",
        &drawing,
        "\n</main>\n<aside id=\"panel\" hidden></aside>\n",
        parts.log,
        "<script id=\"data\" type=\"application/json\">",
        &data,
        "</script>\n<script>\n",
        include_str!("assets/page.js"),
        parts.script,
        "</script>\n</body>\n</html>\n",
    ]
    .concat())
}

/// A summary in one line: `4 entities, 3 connections`, ….
pub fn summary(model: &Model, statistics: Option<&Statistics>) -> String {
    let of_kind = |kind| model.nodes.iter().filter(|node| node.kind == kind).count();
    let wires = |kind| model.wires.iter().filter(|wire| wire.kind == kind).count();
    let parts = [
        (of_kind(NodeKind::Entity) + of_kind(NodeKind::Resource), "entity", "entities"),
        (wires(WireKind::Messages), "connection", "connections"),
        (wires(WireKind::Reference), "reference", "references"),
        (of_kind(NodeKind::Topic), "topic", "topics"),
        (model.groups.len(), "subgraph", "subgraphs"),
        (model.unknown_components(), "component of an unknown type", "components of unknown types"),
    ];
    let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
    let mut parts: Vec<String> = parts
        .map(|(number, one, many)| format!("{number} {}", if number == 1 { one } else { many }))
        .collect();
    if let Some(statistics) = statistics {
        let ran = statistics.duration_ns.map(|time| format!("ran {}", duration(time)));
        let by = statistics.scheduler.as_ref().map(|scheduler| format!("by {scheduler}"));
        parts.extend(ran.into_iter().chain(by).reduce(|ran, by| format!("{ran} {by}")));
    }
    parts.join(" · ")
}

fn types(graph: &GraphDescription) -> BTreeMap<&str, TypeData<'_>> {
    let mut types = BTreeMap::new();
    for component in graph.entities.iter().flat_map(|entity| &entity.components) {
        let parameters = component.parameters.iter().map(|known| {
            let unit = known.unit.as_deref().unwrap_or_default();
            (known.key.as_str(), [unit, known.description.as_str()])
        });
        let about = match component.is_unknown {
            true => "no loaded extension has this type",
            false => &component.description,
        };
        match types.entry(component.type_name.as_str()) {
            Entry::Vacant(entry) => {
                entry.insert(TypeData { about, parameters: parameters.collect() });
            }
            // A component of an unknown type has the parameters that the file gives it.
            Entry::Occupied(mut entry) if component.is_unknown => {
                entry.get_mut().parameters.extend(parameters);
            }
            Entry::Occupied(_) => {}
        }
    }
    types
}

fn place_text(place: &Place) -> String {
    format!("{}:{}:{}", place.file, place.line, place.column)
}

/// Details of entities, by position in the description.
struct Details<'a> {
    graph: &'a GraphDescription,
    statistics: HashMap<&'a str, &'a super::statistics::EntityStatistics>,
    queues: HashMap<(&'a str, &'a str), &'a super::statistics::QueueStatistics>,
    node_of: Vec<Option<usize>>,
}

impl<'a> Details<'a> {
    fn new(graph: &'a GraphDescription, model: &Model, statistics: Option<&'a Statistics>) -> Self {
        let mut node_of = vec![None; graph.entities.len()];
        for (index, node) in model.nodes.iter().enumerate() {
            if let Some(entity) = node.entity {
                node_of[entity] = Some(index);
            }
        }
        let entities = statistics.map_or(&[][..], |known| &known.entities).iter();
        let queues = statistics.map_or(&[][..], |known| &known.queues).iter();
        Self {
            graph,
            statistics: entities.map(|known| (known.name.as_str(), known)).collect(),
            queues: queues
                .map(|known| ((known.entity.as_str(), known.component.as_str()), known))
                .collect(),
            node_of,
        }
    }

    fn measured(&self, node: &Node) -> Vec<(String, String)> {
        let entity = node.entity.map(|entity| self.graph.entities[entity].name.as_str());
        let Some(known) = entity.and_then(|name| self.statistics.get(name)) else {
            return Vec::new();
        };
        let times = &known.execution_ns;
        let rows = [
            ("rate", node.measured.as_ref().and_then(|known| known.rate_hz).map(rate)),
            ("ticks", known.ticks.map(count)),
            ("time, all ticks", times.total.map(duration)),
            ("time, median", times.median.map(duration)),
            ("time, 95 %", times.p95.map(duration)),
            ("time, 99 %", times.p99.map(duration)),
            ("time, longest", times.max.map(duration)),
            ("missed deadlines", node.measured.as_ref().and_then(|known| known.missed).map(count)),
        ];
        let rows = rows.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let waited = known
            .waited_ns
            .iter()
            .filter_map(|(term, time)| Some((format!("waited for {term}"), duration((*time)?))));
        rows.chain(waited).collect()
    }

    fn components(&self, entity: usize) -> Vec<ComponentData<'a>> {
        let entity = &self.graph.entities[entity];
        let describe = |component: &'a ComponentDescription| ComponentData {
            name: &component.name,
            type_name: &component.type_name,
            place: component.place.as_ref().map(place_text),
            parameters: component
                .parameters
                .iter()
                .map(|parameter| ParameterData {
                    key: &parameter.key,
                    value: parameter.value.as_deref(),
                    default: parameter.is_default,
                    nodes: parameter
                        .targets
                        .iter()
                        .filter_map(|target| self.node_of[target.entity])
                        .collect(),
                })
                .collect(),
            measured: self.measured_queue(&entity.name, component.label()),
        };
        entity.components.iter().map(describe).collect()
    }

    fn measured_queue(&self, entity: &str, component: &str) -> Vec<(String, String)> {
        let Some(known) = self.queues.get(&(entity, component)) else { return Vec::new() };
        let rows = [
            ("messages", known.messages),
            ("lost", known.dropped),
            ("fill, median", known.median_fill),
            ("fill, most", known.max_fill),
        ];
        let rows = rows.into_iter();
        rows.filter_map(|(key, value)| Some((key.to_owned(), count(value?)))).collect()
    }
}
