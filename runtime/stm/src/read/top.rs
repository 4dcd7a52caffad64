//! The levels of a graph file: `Version`, the graph, resources, hyperepochs and epochs.

use super::nodes::Nodes;
use super::{
    Field, RawAliasGroup, RawEpoch, RawGraph, RawHyperepoch, RawResource, documents, error,
};
use gxf_app::suggest::nearest;
use gxf_app::yaml::{Kind, Node};
use gxf_app::{Diagnostics, Source, Spanned};
use std::sync::Arc;

/// Versions of the format; from the second one on, resources belong to SOCs.
const VERSIONS: [&str; 2] = ["2.0.0", "3.0.0"];
const GRAPH_KEYS: [&str; 5] = ["Identifier", "Resources", "SOC", "Hyperepochs", "Clients"];
const HYPEREPOCH_KEYS: [&str; 3] = ["Period", "Resources", "Epochs"];
const EPOCH_KEYS: [&str; 3] = ["Period", "Frames", "AliasGroups"];
/// Most frames of an epoch in a period of its hyperepoch.
const MOST_FRAMES: u64 = 1_000_000;

/// A pair of a mapping.
type Pair<'n> = (&'n Node, &'n Node);

/// Reads the file of a graph.
pub(crate) fn read(source: &Arc<Source>, findings: &mut Diagnostics) -> RawGraph {
    let mut graph = RawGraph {
        name: None,
        has_socs: false,
        identifier: Field::Absent,
        socs: Vec::new(),
        resources: Vec::new(),
        hyperepochs: Vec::new(),
        clients: Vec::new(),
        is_partial: false,
    };
    let Some((source, documents)) = documents(source, findings) else {
        graph.is_partial = true;
        return graph;
    };
    let mut nodes = Nodes { source, findings };
    let Some(document) = nodes.only_document(&documents) else {
        graph.is_partial = true;
        return graph;
    };
    nodes.graph(document, &mut graph);
    graph
}

/// Reads a file that has clients beside its version, and adds them to the graph.
pub(crate) fn read_fragment(
    source: &Arc<Source>,
    graph: &mut RawGraph,
    findings: &mut Diagnostics,
) {
    let Some((source, documents)) = documents(source, findings) else {
        graph.is_partial = true;
        return;
    };
    let mut nodes = Nodes { source, findings };
    let Some(document) = nodes.only_document(&documents) else { return };
    let pairs = nodes.pairs("a fragment", document);
    let has_socs = nodes.version(&pairs);
    if has_socs.is_some_and(|has_socs| has_socs != graph.has_socs)
        && let Some((_, value)) = pairs.iter().find(|(key, _)| key.as_text() == Some("Version"))
    {
        let problem = error("version", "a fragment has the same version as its graph");
        let problem = problem.at(nodes.place(value));
        nodes.push(problem);
    }
    for (key, value) in pairs {
        if key.as_text() == Some("Version") {
            continue;
        }
        let of_graph = ["Identifier", "Hyperepochs", "Clients"];
        if is_one_of(key, &of_graph) || has_one_of(value, &of_graph) {
            let problem = error("graph-id", "a second graph; a fragment has clients only")
                .at(nodes.place(key))
                .help("write each client as a key beside `Version`: `CLIENT: {Epochs: […]}`");
            nodes.push(problem);
            // What it defines is not known.
            graph.is_partial = true;
            continue;
        }
        if let Some(name) = nodes.id("client", key) {
            let below = nodes.pairs(&format!("the client `{}`", name.value), value);
            nodes.client(name, below, graph);
        }
    }
}

fn is_one_of(key: &Node, names: &[&str]) -> bool {
    key.as_text().is_some_and(|key| names.contains(&key))
}

/// Whether a mapping has one of these keys.
fn has_one_of(node: &Node, names: &[&str]) -> bool {
    node.as_mapping().is_some_and(|pairs| pairs.iter().any(|(key, _)| is_one_of(key, names)))
}

impl Nodes<'_> {
    fn only_document<'n>(&mut self, documents: &'n [Node]) -> Option<&'n Node> {
        let Some((first, more)) = documents.split_first() else {
            self.push(error("form", format!("`{}` is empty", self.source.name)));
            return None;
        };
        if let Some(second) = more.first() {
            let problem =
                error("form", "a second YAML document; a graph is one").at(self.place(second));
            self.push(problem);
        }
        if first.as_mapping().is_none() {
            self.expected("a mapping with `Version` and the id of the graph", first);
            return None;
        }
        Some(first)
    }

    /// Whether the version has SOCs; `None` if it is not known.
    fn version(&mut self, pairs: &[Pair<'_>]) -> Option<bool> {
        let Some((_, value)) = pairs.iter().find(|(key, _)| key.as_text() == Some("Version"))
        else {
            let place = pairs.first().map(|(key, _)| self.place(key));
            let mut problem = error("version", "the file has no `Version`")
                .help("begin it with `Version: 2.0.0`, or 3.0.0 if it names SOCs");
            problem.span = place;
            self.push(problem);
            return None;
        };
        let text = self.text("`Version`", value)?;
        let known = VERSIONS.iter().position(|version| *version == text.value);
        if known.is_none() {
            let message = format!("version `{}` of the format is not known", text.value);
            let problem = error("version", message).at(text.span);
            self.push(problem.help(format!("known versions are {}", VERSIONS.join(" and "))));
        }
        known.map(|index| index > 0)
    }

    fn graph(&mut self, document: &Node, graph: &mut RawGraph) {
        let pairs = self.pairs("the file", document);
        let version = self.version(&pairs);
        let others = || pairs.iter().filter(|(key, _)| !is_one_of(key, &["Version"]));
        let named = others().find(|(key, _)| !is_one_of(key, &GRAPH_KEYS));
        // Beside an empty `Resources`, lists are its types.
        let empty = others().find(|(key, value)| is_one_of(key, &["Resources"]) && value.is_null());
        let Some((key, value)) = named else {
            let message = "the file has no graph: a key beside `Version`, with the rest below it";
            let mut problem = error("graph-id", message);
            if let Some((first, _)) = others().next() {
                let text = first.as_text().unwrap_or_default();
                problem = problem.at(self.place(first)).help(format!(
                    "write the id of the graph and a colon, and indent `{text}` below it"
                ));
            }
            self.push(problem);
            graph.is_partial = true;
            // What is there is read all the same.
            let below: Vec<Pair<'_>> = others().copied().collect();
            self.graph_keys(below, version, graph);
            return;
        };
        if has_one_of(value, &["Epochs"]) && !has_one_of(value, &["Hyperepochs", "Clients"]) {
            let message = "this is a fragment: it has clients, and no graph";
            let problem = error("graph-id", message).at(self.place(key));
            self.push(problem.help("name the file of its graph first: -i GRAPH -i FRAGMENT"));
            graph.is_partial = true;
            return;
        }
        let name = self.id("graph", key);
        graph.is_partial |= value.as_mapping().is_none() && !value.is_null();
        let mut below = match &name {
            Some(name) => self.pairs(&format!("the graph `{}`", name.value), value),
            None => Vec::new(),
        };
        let mut types: Vec<Pair<'_>> = Vec::new();
        for (key, value) in others().filter(|(other, _)| !std::ptr::eq(other, key)) {
            let text = key.as_text().unwrap_or_default();
            let Some(name) = &name else { continue };
            let problem = if is_one_of(key, &GRAPH_KEYS) {
                below.push((key, value));
                self.beside(key, text, name)
            } else if let Some((resources, _)) = empty.filter(|_| value.as_sequence().is_some()) {
                types.push((key, value));
                let parent = Spanned { value: "Resources".to_owned(), span: self.place(resources) };
                self.beside(key, text, &parent)
            } else {
                error("graph-id", format!("a second graph, `{text}`; a file has one"))
                    .at(self.place(key))
                    .note(name.span.clone(), "first one here")
            };
            self.push(problem);
        }
        graph.name = name;
        self.graph_keys(below, version, graph);
        for (key, value) in types {
            self.resource_type(key, value, None, &mut graph.resources);
        }
    }

    fn graph_keys(&mut self, pairs: Vec<Pair<'_>>, version: Option<bool>, graph: &mut RawGraph) {
        let has_soc_key = pairs.iter().any(|(key, _)| key.as_text() == Some("SOC"));
        graph.has_socs = version.unwrap_or(has_soc_key);
        let mut clients = None;
        for (key, value) in pairs {
            match key.as_text().unwrap_or_default() {
                "Identifier" => graph.identifier = self.number("Identifier", value, 0, 65_535),
                "Resources" => {
                    if graph.has_socs {
                        let message = "in version 3.0.0, resources belong to an SOC";
                        let problem = error("version-key", message).at(self.place(key));
                        let help = "write `SOC:`, below it `- NAME:`, and `Resources` below that";
                        self.push(problem.help(help));
                    }
                    self.resources(value, None, &mut graph.resources);
                }
                "SOC" => {
                    if version == Some(false) {
                        self.newer_key(key);
                    }
                    for entry in self.entries("SOC", value, &["Resources"]) {
                        let soc = entry.id.value.clone();
                        graph.socs.push(entry.id);
                        for (key, value) in entry.pairs {
                            if key.as_text() == Some("Resources") {
                                self.resources(value, Some(&soc), &mut graph.resources);
                            } else {
                                let problem = self.unknown_key(key, "an SOC", &["Resources"]);
                                self.push(problem);
                            }
                        }
                    }
                }
                "Hyperepochs" => {
                    graph.is_partial |= value.as_sequence().is_none() && !value.is_null();
                    let entries = self.entries("hyperepoch", value, &HYPEREPOCH_KEYS);
                    for entry in entries {
                        self.hyperepoch(entry.id, entry.pairs, graph);
                    }
                }
                "Clients" => clients = Some(value),
                _ => {
                    let problem = self.unknown_key(key, "a graph", &GRAPH_KEYS);
                    self.push(problem);
                }
            }
        }
        if graph.has_socs && graph.identifier.is_absent() && version == Some(true) {
            let mut problem = error("identifier", "version 3.0.0 needs an `Identifier`")
                .help("write `Identifier: 101`, a number that no other schedule has");
            problem.span = graph.name.as_ref().map(|name| name.span.clone());
            self.push(problem);
        }
        for entry in clients
            .map(|node| self.entries("client", node, &super::clients::CLIENT_KEYS))
            .unwrap_or_default()
        {
            self.client(entry.id, entry.pairs, graph);
        }
    }

    /// A key of version 3.0.0 in an older file.
    pub(super) fn newer_key(&mut self, key: &Node) {
        let text = key.as_text().unwrap_or_default();
        let problem = error("version-key", format!("`{text}` is a key of version 3.0.0"))
            .at(self.place(key))
            .help("write `Version: 3.0.0`, or leave the key out");
        self.push(problem);
    }

    /// `Resources` of a graph, an SOC or a client.
    pub(super) fn resources(
        &mut self,
        node: &Node,
        soc: Option<&str>,
        resources: &mut Vec<RawResource>,
    ) {
        for (key, value) in self.pairs("`Resources`", node) {
            self.resource_type(key, value, soc, resources);
        }
    }

    pub(super) fn resource_type(
        &mut self,
        key: &Node,
        value: &Node,
        soc: Option<&str>,
        resources: &mut Vec<RawResource>,
    ) {
        let Some(type_name) = self.id("resource type", key) else { return };
        let elements = self.list(&format!("the instances of `{}`", type_name.value), value);
        for element in elements {
            let (name, mapped) = match &element.kind {
                Kind::Mapping(pairs) if pairs.len() == 1 => (&pairs[0].0, Some(&pairs[0].1)),
                Kind::Mapping(_) | Kind::Sequence(_) => {
                    self.expected("the name of a resource", element);
                    continue;
                }
                Kind::Scalar { .. } => (element, None),
            };
            let Some(name) = self.id("resource", name) else { continue };
            let mapped = mapped.map(|mapped| self.text("what the resource is mapped to", mapped));
            if mapped == Some(None) {
                continue;
            }
            resources.push(RawResource {
                type_name: type_name.clone(),
                name,
                mapped: mapped.flatten(),
                soc: soc.map(str::to_owned),
            });
        }
    }

    fn hyperepoch(&mut self, name: Spanned<String>, pairs: Vec<Pair<'_>>, graph: &mut RawGraph) {
        let mut hyperepoch =
            RawHyperepoch { name, period: Field::Absent, resources: None, epochs: Vec::new() };
        let mut nested = Vec::new();
        for (key, value) in pairs {
            match key.as_text().unwrap_or_default() {
                "Period" => hyperepoch.period = self.duration("Period", value),
                "Resources" => {
                    let each = "the name of a resource";
                    hyperepoch.resources = Some(self.texts("`Resources`", each, value));
                }
                "Epochs" => {
                    let keys = ["Period", "Frames", "AliasGroups", "Resources", "Epochs"];
                    for entry in self.entries("epoch", value, &keys) {
                        let has = |wanted: &str| {
                            entry.pairs.iter().any(|(key, _)| key.as_text() == Some(wanted))
                        };
                        if has("Epochs") || has("Resources") {
                            let message = format!(
                                "`{}` stands among the epochs of `{}`, and has the keys of a hyperepoch",
                                entry.id.value, hyperepoch.name.value
                            );
                            let problem = error("misplaced", message)
                                .at(entry.id.span.clone())
                                .help(format!(
                                    "write it as an element of `Hyperepochs`, in the column of `{}`",
                                    hyperepoch.name.value
                                ));
                            self.push(problem);
                            nested.push(entry);
                        } else {
                            let epoch = self.epoch(entry.id, entry.pairs);
                            hyperepoch.epochs.push(epoch);
                        }
                    }
                }
                _ => {
                    let problem = self.unknown_key(key, "a hyperepoch", &HYPEREPOCH_KEYS);
                    self.push(problem);
                }
            }
        }
        graph.hyperepochs.push(hyperepoch);
        for entry in nested {
            self.hyperepoch(entry.id, entry.pairs, graph);
        }
    }

    fn epoch(&mut self, name: Spanned<String>, pairs: Vec<Pair<'_>>) -> RawEpoch {
        let mut epoch = RawEpoch {
            name,
            period: Field::Absent,
            frames: Field::Absent,
            alias_groups: Vec::new(),
        };
        for (key, value) in pairs {
            match key.as_text().unwrap_or_default() {
                "Period" => epoch.period = self.duration("Period", value),
                "Frames" => epoch.frames = self.number("Frames", value, 1, MOST_FRAMES),
                "AliasGroups" => {
                    for entry in self.entries("alias group", value, &["Steps"]) {
                        let group = self.alias_group(entry.id, entry.pairs);
                        epoch.alias_groups.push(group);
                    }
                }
                text => {
                    let mut problem = self.unknown_key(key, "an epoch", &EPOCH_KEYS);
                    if nearest(text, EPOCH_KEYS).is_none() && text == "Runnables" {
                        problem = problem.help("runnables belong to the epochs of a client");
                    }
                    self.push(problem);
                }
            }
        }
        epoch
    }

    fn alias_group(&mut self, name: Spanned<String>, pairs: Vec<Pair<'_>>) -> RawAliasGroup {
        let mut group = RawAliasGroup { name, steps: Vec::new() };
        for (key, value) in pairs {
            if key.as_text() != Some("Steps") {
                let problem = self.unknown_key(key, "an alias group", &["Steps"]);
                self.push(problem);
                continue;
            }
            for step in self.list("`Steps`", value) {
                if step.is_null() || step.as_text() == Some("None") {
                    group.steps.push(None);
                } else if let Some(name) = self.text("a runnable, or None", step) {
                    group.steps.push(Some(name));
                }
            }
        }
        if group.steps.is_empty() {
            let message = format!("the alias group `{}` has no steps", group.name.value);
            let problem = error("alias", message).at(group.name.span.clone());
            self.push(problem.help("write `Steps: [client.first, client.second]`"));
        }
        group
    }
}
