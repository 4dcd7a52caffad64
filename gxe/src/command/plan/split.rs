//! The app of each rank: its entities, and for each register that leads to another rank a pair of
//! actors that copy over the network.

use super::nodes::{components, name_of, parameter, text, type_of, with_parameters};
use super::ring::{self, Place};
use super::variables;
use crate::exit_status::ExitStatus;
use crate::failure::Failure;
use crate::loading::add_paths;
use crate::options::GraphOptions;
use crate::outputs;
use anyhow::anyhow;
use gxf_plan::{Flow, Kind as RegisterKind, Options, Plan, Register, Stream};
use gxf_plugin_abi::ParameterType;
use gxf_runtime::graph::yaml::{Kind, Node, emit};
use gxf_runtime::graph::{Diagnostics, ParameterValue, Source, parse_stream};
use gxf_runtime::{Context, Error};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, absolute};

const CONNECTION: &str = "nvidia::gxf::Connection";
const TOPIC: &str = "nvidia::gxf::Topic";
const SCHEDULER: &str = "gxe::ActorScheduler";
const STATISTICS: &str = "nvidia::gxf::JobStatistics";
const NETWORK: &str = "nvidia::gxf::UcxContext";

/// A register on its way to one other rank.
struct Copy<'p> {
    /// Name of the copying entities, the same on both ranks.
    name: String,
    register: &'p Register,
    source: u32,
    target: u32,
    /// The receivers there.
    receivers: Vec<&'p str>,
    port: u16,
    /// Messages that it holds on each rank, and what happens to more.
    capacity: u32,
    policy: String,
}

/// Writes the files. Returns what to tell.
///
/// # Errors
/// The graph cannot be divided like this, or a file cannot be written.
pub fn write(
    context: &Context,
    options: &GraphOptions,
    plan: &Plan,
    folder: &Path,
    port: u16,
) -> Result<String, Failure> {
    let failed = |error| Failure::new(ExitStatus::Graph, error);
    let refused = |what: String, findings| failed(Error::from_diagnostics(what, findings).into());
    let divided = variables::divided(context, plan).map_err(failed)?;
    if divided.has_errors() {
        return Err(refused("the plan cannot be split".to_owned(), divided));
    }
    make_files_absolute(context).map_err(failed)?;
    let graph = Graph::of(context).map_err(failed)?;
    let plan_of_app = plan;
    let plan = &graph.named(plan);
    let copies = graph.copies(plan, port).map_err(failed)?;
    let mut used = copies.len();
    let ring_port = || {
        used += 1;
        port_of(port, used - 1)
    };
    let rings = ring::places(&graph.documents, plan, ring_port).map_err(failed)?;
    outputs::create_folder(folder)?;
    let manifest = manifest(context, options).map_err(failed)?;
    outputs::write(&folder.join("manifest.yaml"), &manifest)?;
    outputs::write(&folder.join("plan.json"), &plan_of_app.to_json())?;
    let mut said = String::new();
    let mut specs = serde_json::Map::new();
    for rank in plan.ranks() {
        let (app, part) = (format!("rank{rank}.yaml"), format!("rank{rank}.json"));
        let text = graph.app(plan, &copies, &rings, rank, &part).map_err(failed)?;
        outputs::write(&folder.join(&app), &text)?;
        let alone = loaded(options, &folder.join("manifest.yaml"), &folder.join(&app));
        let alone = alone.map_err(|error| {
            failed(error.context(format!("the entities of rank {rank} cannot run without others")))
        })?;
        let part_of_plan = part_of(plan, &copies, rank, &alone);
        let findings = alone.check_plan(&part_of_plan);
        if findings.has_errors() {
            let what = format!("the plan cannot be split: the part of rank {rank} is wrong");
            return Err(refused(what, findings));
        }
        outputs::write(&folder.join(&part), &part_of_plan.to_json())?;
        let tasks = part_of_plan.tasks.len();
        _ = writeln!(said, "{}: tasks: {tasks}", folder.join(&app).display());
        let spec = json!({"app-path": app, "manifest-path": "manifest.yaml"});
        specs.insert(format!("rank{rank}"), spec);
    }
    let connections = copies.iter().map(|copy| {
        let end = |rank: u32, queue: &str| format!("rank{rank}.{}.{queue}", copy.name);
        json!({"source": end(copy.source, "out"), "target": end(copy.target, "in")})
    });
    let connections = connections.chain(rings.iter().map(Place::connection));
    let file = [
        format!("graph-specs: {}", Value::Object(specs)),
        format!("connections: {}\n", Value::Array(connections.collect())),
    ];
    let path = folder.join("ranks.yaml");
    outputs::write(&path, &file.join("\n"))?;
    let links = copies.len() + rings.len();
    _ = writeln!(said, "{}: links between ranks: {links}", path.display());
    Ok(said)
}

/// Files that parameters name are relative to the folder of an app, and the apps of ranks are in
/// another.
fn make_files_absolute(context: &Context) -> anyhow::Result<()> {
    let root = context.file_root().unwrap_or_default();
    for eid in context.entities() {
        for cid in context.component_ids(eid)? {
            let tid = context.component_type(cid)?;
            let Some(info) = context.type_info_by_id(tid) else { continue };
            let specs = info.parameters.iter();
            for spec in specs.filter(|spec| spec.element == ParameterType::FILE) {
                let Ok(value) = context.parameter(cid, &spec.key) else { continue };
                if let Some(value) = with_absolute_files(&root, &value)? {
                    context.set_parameter_yaml(cid, &spec.key, &value.to_string(), "")?;
                }
            }
        }
    }
    Ok(())
}

/// A file or a list of files with absolute paths; `None` for other values.
fn with_absolute_files(root: &Path, value: &ParameterValue) -> anyhow::Result<Option<Value>> {
    Ok(match value {
        ParameterValue::File(file) if file.is_empty() || file == "-" || file.contains("://") => {
            Some(json!(file))
        }
        ParameterValue::File(file) => Some(json!(absolute(root.join(file))?.display().to_string())),
        ParameterValue::List(items) => {
            let items = items.iter().map(|item| with_absolute_files(root, item));
            items.collect::<anyhow::Result<Option<Vec<Value>>>>()?.map(Value::Array)
        }
        _ => None,
    })
}

/// The manifest of all ranks.
fn manifest(context: &Context, options: &GraphOptions) -> anyhow::Result<String> {
    let mut libraries: Vec<String> = Vec::new();
    for path in &options.manifests {
        for library in context.manifest_libraries(path, options.app_root.as_deref())? {
            libraries.push(absolute(library)?.display().to_string());
        }
    }
    for needed in ["libgxf_ucx.so", "libgxe_actors.so"] {
        if !libraries.iter().any(|library| library.ends_with(needed)) {
            libraries.push(needed.to_owned());
        }
    }
    let lines = libraries.iter().map(|library| format!("- {}\n", json!(library)));
    Ok(format!("extensions:\n{}", lines.collect::<String>()))
}

/// The graph of an app.
fn loaded(options: &GraphOptions, manifest: &Path, app: &Path) -> anyhow::Result<Context> {
    let context = Context::new();
    add_paths(&context, options);
    context.load_manifest(manifest, None)?;
    context.load_app(app, &[])?;
    Ok(context)
}

/// The port of the link with this number.
fn port_of(first: u16, number: usize) -> anyhow::Result<u16> {
    let port = u16::try_from(number).ok().and_then(|number| first.checked_add(number));
    port.ok_or_else(|| anyhow!("there are not enough ports for all links between ranks"))
}

/// A graph as documents.
struct Graph {
    documents: Vec<Node>,
    /// The names in the documents of entities without one.
    named: BTreeMap<String, String>,
}

impl Graph {
    fn of(context: &Context) -> anyhow::Result<Self> {
        let (text, named) = context.to_named_yaml()?;
        let source = Source::new("<app>", text);
        let documents = parse_stream(&source, &mut Diagnostics::new())
            .map_err(|problem| anyhow!("{}", problem.message))?;
        let follows = |document| components(document).any(|one| type_of(one) == SCHEDULER);
        if !documents.iter().any(follows) {
            return Err(anyhow!("the graph has no {SCHEDULER}, which alone follows a plan"));
        }
        Ok(Self { documents, named })
    }

    /// A plan with the names that entities have in the documents.
    fn named(&self, plan: &Plan) -> Plan {
        let rename = |path: &mut String| {
            let (entity, rest) = match path.rsplit_once('/') {
                Some((entity, component)) => (entity, format!("/{component}")),
                None => (&**path, String::new()),
            };
            if let Some(name) = self.named.get(entity) {
                *path = format!("{name}{rest}");
            }
        };
        let mut plan = plan.clone();
        plan.tasks.iter_mut().for_each(|task| rename(&mut task.name));
        plan.variables.iter_mut().for_each(|variable| rename(&mut variable.name));
        for register in &mut plan.registers {
            let consumers = register.consumers.iter_mut().map(|consumer| &mut consumer.receiver);
            let others = register.in_place.iter_mut().chain(&mut register.variable);
            let own = [&mut register.name, &mut register.producer].into_iter();
            own.chain(consumers).chain(others).for_each(rename);
        }
        plan
    }

    /// A name for a new entity.
    fn free_name(&self, mut name: String) -> String {
        while self.documents.iter().any(|document| name_of(document) == Some(&name)) {
            name.push('_');
        }
        name
    }

    /// What leads from rank to rank.
    fn copies<'p>(&self, plan: &'p Plan, port: u16) -> anyhow::Result<Vec<Copy<'p>>> {
        let mut copies: Vec<Copy<'p>> = Vec::new();
        for register in plan.registers.iter().filter(|one| one.kind == RegisterKind::Data) {
            let Some(source) = plan.rank_of(&register.producer) else { continue };
            let rank = |consumer: &gxf_plan::Consumer| plan.rank_of(consumer.task());
            let targets: BTreeSet<u32> = register.consumers.iter().filter_map(rank).collect();
            for target in targets.into_iter().filter(|target| *target != source) {
                let there = register.consumers.iter().filter(|one| rank(one) == Some(target));
                let receivers: Vec<&str> = there.map(|one| one.receiver.as_str()).collect();
                // Without credits each receiver loses messages by itself, as its own policy says.
                let links: Vec<Vec<&str>> = match register.flow {
                    Flow::Credits => vec![receivers],
                    Flow::Queue => receivers.into_iter().map(|receiver| vec![receiver]).collect(),
                };
                for receivers in links {
                    let number = copies.len();
                    let name = self.free_name(format!("network_copy_{number}"));
                    let port = port_of(port, number)?;
                    let (capacity, policy) = match register.flow {
                        Flow::Credits => (register.instances, None),
                        Flow::Queue => self.queue(receivers[0]),
                    };
                    let policy = policy.unwrap_or_else(|| "2".to_owned());
                    copies.push(Copy {
                        name,
                        source,
                        target,
                        port,
                        capacity,
                        policy,
                        register,
                        receivers,
                    });
                }
            }
        }
        Ok(copies)
    }

    /// The capacity of a queue, and its policy if it is given.
    fn queue(&self, path: &str) -> (u32, Option<String>) {
        let found = path.rsplit_once('/').and_then(|(entity, queue)| {
            let document = self.documents.iter().find(|one| name_of(one) == Some(entity))?;
            components(document).find(|component| name_of(component) == Some(queue))
        });
        let value = |key| found.and_then(|queue| parameter(queue, key));
        let capacity = value("capacity").and_then(|text| text.parse().ok());
        (capacity.unwrap_or(1), value("policy").map(str::to_owned))
    }

    /// The app of a rank, which follows a part of the plan.
    fn app(
        &self,
        plan: &Plan,
        copies: &[Copy<'_>],
        rings: &[Place],
        rank: u32,
        part: &str,
    ) -> anyhow::Result<String> {
        let is_elsewhere = |entity: &str| plan.rank_of(entity).is_some_and(|own| own != rank);
        let mut text = String::new();
        let mut has_network = false;
        for document in &self.documents {
            if let Some(groups) = document.get("EntityGroups").and_then(Node::as_sequence) {
                let groups = groups.iter().map(|group| without(group, is_elsewhere));
                let groups = Node::made(Kind::Sequence(groups.collect()));
                _ = writeln!(text, "---\nEntityGroups: {}", emit(&groups));
                continue;
            }
            let name = name_of(document);
            if name.is_some_and(is_elsewhere) {
                continue;
            }
            let all: Vec<&Node> = components(document).collect();
            let is_here = |end: &str| {
                let entity = end.rsplit_once('/').map(|(entity, _)| entity);
                !entity.is_some_and(is_elsewhere)
            };
            let kept = all.iter().filter_map(|component| match type_of(component) {
                CONNECTION => {
                    let mut ends = ["source", "target"]
                        .into_iter()
                        .filter_map(|key| parameter(component, key));
                    ends.all(is_here).then(|| (*component).clone())
                }
                TOPIC => topic(component, is_here),
                _ => Some(of_rank(component, rank, part)),
            });
            let mut kept: Vec<Node> = kept.collect();
            if kept.is_empty() && !all.is_empty() {
                continue;
            }
            for place in rings.iter().filter(|place| place.rank == rank) {
                place.add_links(name, &mut kept)?;
            }
            has_network |= kept.iter().any(|component| type_of(component) == NETWORK);
            text.push_str("---\n");
            if let Some(name) = name {
                _ = writeln!(text, "name: {}", json!(name));
            }
            _ = writeln!(text, "components: {}", emit(&Node::made(Kind::Sequence(kept))));
        }
        let mut documents = Vec::new();
        for copy in copies {
            if copy.source == rank {
                documents.extend(copy.sends());
            } else if copy.target == rank {
                documents.extend(copy.receives());
            }
        }
        let has_links = !documents.is_empty() || rings.iter().any(|place| place.rank == rank);
        if has_links && !has_network {
            documents.push(links(&self.free_name("network_links".to_owned())));
        }
        for document in documents {
            _ = writeln!(text, "---\n{document}");
        }
        Ok(text)
    }
}

/// An entity group without some members.
fn without(group: &Node, is_elsewhere: impl Fn(&str) -> bool) -> Node {
    let pairs = group.as_mapping().unwrap_or_default().iter().map(|(key, value)| {
        let members = value.as_sequence().filter(|_| key.as_text() == Some("target"));
        let value = members.map_or_else(
            || value.clone(),
            |members| {
                let here = |member: &&Node| !member.as_text().is_some_and(&is_elsewhere);
                Node::made(Kind::Sequence(members.iter().filter(here).cloned().collect()))
            },
        );
        (key.clone(), value)
    });
    Node::made(Kind::Mapping(pairs.collect()))
}

/// A topic without the queues of other ranks, to which registers of the plan lead. `None` if nothing
/// of it is left.
fn topic(component: &Node, is_here: impl Fn(&str) -> bool) -> Option<Node> {
    let queues = |key| {
        let all = component.get("parameters").and_then(|all| all.get(key)?.as_sequence());
        let here = |queue: &&Node| queue.as_text().is_some_and(&is_here);
        all.unwrap_or_default().iter().filter(here).cloned().collect::<Vec<Node>>()
    };
    let [transmitters, receivers] = ["transmitters", "receivers"].map(queues);
    let is_left = !transmitters.is_empty() || !receivers.is_empty();
    let list = |queues| Node::made(Kind::Sequence(queues));
    let values = [("transmitters", list(transmitters)), ("receivers", list(receivers))];
    is_left.then(|| with_parameters(component, &values))
}

/// A component of a rank: the scheduler has this plan, and a report goes to a file of its own.
fn of_rank(component: &Node, rank: u32, part: &str) -> Node {
    const FILE: &str = "json_file_path";
    match type_of(component) {
        SCHEDULER => with_parameters(component, &[("plan", text(part))]),
        STATISTICS if let Some(file) = parameter(component, FILE).filter(|file| *file != "-") => {
            let file = outputs::own_file(file, &format!("rank{rank}"));
            with_parameters(component, &[(FILE, text(&file))])
        }
        _ => component.clone(),
    }
}

/// What opens the links of a rank.
fn links(name: &str) -> Value {
    json!({"name": name, "components": [
        {"name": "allocator", "type": "nvidia::gxf::UnboundedAllocator"},
        {"name": "components", "type": "nvidia::gxf::UcxComponentSerializer",
            "parameters": {"allocator": "allocator"}},
        {"name": "entities", "type": "nvidia::gxf::UcxEntitySerializer",
            "parameters": {"component_serializers": ["components"]}},
        {"type": NETWORK, "parameters": {"serializer": "entities"}},
    ]})
}

impl Copy<'_> {
    /// The actor that sends, and what leads to it.
    fn sends(&self) -> Vec<Value> {
        let (capacity, policy) = (self.capacity, policy(&self.policy));
        let entity = self.actor(
            json!({"name": "in", "type": "nvidia::gxf::DoubleBufferReceiver",
                "parameters": {"capacity": capacity, "policy": policy}}),
            json!({"name": "out", "type": "nvidia::gxf::UcxTransmitter",
                "parameters": {"buffer": "buffer", "capacity": capacity, "port": self.port}}),
        );
        vec![entity, connection(&self.register.name, &format!("{}/in", self.name))]
    }

    /// The actor that receives, and where it leads.
    fn receives(&self) -> Vec<Value> {
        let entity = self.actor(
            json!({"name": "in", "type": "nvidia::gxf::UcxReceiver",
                "parameters": {"buffer": "buffer", "capacity": self.capacity, "port": self.port}}),
            json!({"name": "out", "type": "nvidia::gxf::DoubleBufferTransmitter"}),
        );
        let from = format!("{}/out", self.name);
        let lead = self.receivers.iter().map(|receiver| connection(&from, receiver));
        std::iter::once(entity).chain(lead).collect()
    }

    /// Whether its payloads count. Without credits there is a copy for each receiver. The largest
    /// counts, because a register of the plan counts once.
    fn counts(&self, copies: &[Copy<'_>]) -> bool {
        let same = copies.iter().filter(|other| {
            other.register.name == self.register.name && other.target == self.target
        });
        let mut largest = same.rev().max_by_key(|other| other.capacity).into_iter();
        largest.all(|largest| largest.name == self.name)
    }

    /// Whether it brings the messages of a register to this task of a rank.
    fn brings(&self, register: &str, rank: u32, task: &str) -> bool {
        let mut tasks = self.receivers.iter().map(|receiver| before_slash(receiver));
        self.target == rank && self.register.name == register && tasks.any(|own| own == task)
    }

    fn actor(&self, input: Value, output: Value) -> Value {
        json!({"name": self.name, "components": [
            {"name": "allocator", "type": "nvidia::gxf::UnboundedAllocator"},
            {"name": "buffer", "type": "nvidia::gxf::UcxSerializationBuffer",
                "parameters": {"allocator": "allocator"}},
            input,
            output,
            {"type": "nvidia::gxf::MessageAvailableSchedulingTerm",
                "parameters": {"receiver": "in"}},
            {"type": "nvidia::gxf::DownstreamReceptiveSchedulingTerm",
                "parameters": {"transmitter": "out"}},
            {"name": "copy", "type": "gxe::actors::CopyOverNetwork",
                "parameters": {"input": "in", "output": "out"}},
        ]})
    }
}

/// The policy of a queue, as a number where it is one.
fn policy(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| json!(text), |number| json!(number))
}

fn connection(source: &str, target: &str) -> Value {
    json!({"components": [
        {"type": CONNECTION, "parameters": {"source": source, "target": target}},
    ]})
}

/// The part of a plan that a rank executes. `alone` is its graph.
fn part_of(plan: &Plan, copies: &[Copy<'_>], rank: u32, alone: &Context) -> Plan {
    let graph = format!("{}, rank {rank}", plan.graph);
    let mut part = alone.plan(&Options { graph, ranks: 1, threads: 1, register_num: 1 });
    let own: Vec<&Stream> = plan.streams.iter().filter(|stream| stream.rank == rank).collect();
    part.streams = own
        .iter()
        .zip(0..)
        .map(|(stream, id)| Stream { id, place: None, ..(*stream).clone() })
        .collect();
    for task in &mut part.tasks {
        let copy = copies.iter().find(|copy| copy.name == task.name);
        let stands_for = copy.map_or(&*task.name, |copy| match copy.source == rank {
            true => &copy.register.producer,
            false => copy.receivers.first().map_or("", |path| before_slash(path)),
        });
        let Some(known) = plan.task(stands_for).map(|place| &plan.tasks[place]) else { continue };
        let stream = own.iter().position(|stream| stream.id == known.stream).unwrap_or_default();
        task.stream = u32::try_from(stream).unwrap_or_default();
        task.job = known.job;
        if copy.is_none() {
            task.completion.clone_from(&known.completion);
        }
    }
    for register in &mut part.registers {
        let copy = copies.iter().find(|copy| copy.name == register.producer);
        let known = plan.registers.iter().find(|known| known.name == register.name);
        let Some(known) = copy.map(|copy| copy.register).or(known) else { continue };
        let counts = copy.is_none_or(|copy| copy.counts(copies));
        register.payload_bytes = known.payload_bytes.filter(|_| counts);
        register.memory.clone_from(&known.memory);
        register.is_given &= known.is_given;
        if copy.is_none() {
            register.in_place.clone_from(&known.in_place);
            register.variable.clone_from(&known.variable);
        }
        // Without credits the capacities decide, which the links have, too.
        if known.flow == Flow::Credits {
            register.instances = known.instances;
            for consumer in &mut register.consumers {
                let same = known.consumers.iter().find(|one| one.receiver == consumer.receiver);
                consumer.room = same.and_then(|one| one.room);
            }
        }
    }
    let names: BTreeSet<String> =
        part.registers.iter().map(|register| register.name.clone()).collect();
    for register in &mut part.registers {
        let Some(source) = register.in_place.take() else { continue };
        register.in_place = match names.contains(&source) {
            true => Some(source),
            // What is changed is the message that a copy brings.
            false => copies
                .iter()
                .find(|copy| copy.brings(&source, rank, &register.producer))
                .map(|copy| format!("{}/out", copy.name)),
        };
    }
    let controls = plan.registers.iter().filter(|one| one.kind == RegisterKind::Control);
    let controls = controls.filter(|one| plan.rank_of(&one.producer) == Some(rank));
    part.registers.extend(controls.cloned());
    part.limit = plan.limit.as_ref().map(|(limit, _)| (*limit, None));
    part
}

/// The entity in `entity/component`.
fn before_slash(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(entity, _)| entity)
}
