//! A graph as the compiler of plans sees it.

use crate::graph::routes::Routes;
use crate::graph::store::Entity;
use crate::standard::memory::{BlockMemoryPool, Variable};
use crate::standard::queue::{DoubleBufferReceiver, DoubleBufferTransmitter};
use crate::standard::resources::CPUThread;
use crate::standard::term::{DownstreamReceptiveSchedulingTerm, MessageAvailableSchedulingTerm};
use gxf::implement::CudaAllocator as _;
use gxf_app::ParameterValue;
use gxf_plan::{DeviceQueue, Input, Output};
use gxf_plugin::component::{Component, FromComponent, Interface, Native};
use gxf_plugin::message::payload_type::payload_type;
use gxf_plugin_abi::{TYPE_CAPTURABLE, TYPE_IN_PLACE, TYPE_PUBLISHES_INTO, Uid, tids};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The entities with codelets among these, in their order, with the ids of their ports.
#[derive(Default)]
pub struct Ports {
    /// What the compiler needs.
    pub entities: Vec<gxf_plan::Entity>,
    /// By transmitter as `entity/name`.
    pub transmitters: FxHashMap<String, Uid>,
    /// By receiver as `entity/name`.
    pub receivers: FxHashMap<String, Uid>,
    /// By name as `entity/name`: what says when the work that an entity submits is done.
    pub completions: FxHashMap<String, Uid>,
    /// By task: the queues of devices to which it submits work.
    pub queues: FxHashMap<String, Vec<Interface<gxf::DeviceQueue>>>,
    /// The queues of devices in the graph, by id.
    device_queues: FxHashMap<Uid, DeviceQueue>,
    /// The variables of the graph.
    pub variables: Vec<gxf_plan::Variable>,
    /// By name as `entity/name`: a variable.
    pub variable_of: FxHashMap<String, Native<Variable>>,
    /// By transmitter as `entity/name`: the pool that gets the memory of its register.
    pub pools: FxHashMap<String, Uid>,
}

fn number(component: &Component, key: &str) -> Option<u32> {
    let number = match component.parameter(key)? {
        ParameterValue::UInt64(number) => number,
        ParameterValue::Int64(number) => u64::try_from(number).ok()?,
        ParameterValue::Int32(number) => u64::try_from(number).ok()?,
        _ => return None,
    };
    Some(u32::try_from(number).unwrap_or(u32::MAX))
}

fn target(component: &Component, key: &str) -> Option<Uid> {
    match component.parameter(key)? {
        ParameterValue::Component(cid) => Some(cid),
        _ => None,
    }
}

/// Whether an entity asks for a thread of its own.
#[must_use]
pub fn asks_for_thread(entity: &Entity) -> bool {
    let components = entity.components();
    components.iter().any(|component| {
        component.native::<CPUThread>().is_some()
            && component.parameter("pin_entity") == Some(ParameterValue::Bool(true))
    })
}

impl Ports {
    /// The ports of these entities of a graph, which has `all`. `own_thread` says whether an entity
    /// gets a thread of its own.
    #[must_use]
    pub fn of(
        entities: &[Arc<Entity>],
        all: &[Arc<Entity>],
        routes: &Routes,
        own_thread: impl Fn(&Entity) -> bool,
    ) -> Self {
        let runs = |entity: &&Arc<Entity>| {
            entity.components().iter().any(|component| component.is_a(tids::CODELET))
        };
        let running: Vec<&Arc<Entity>> = entities.iter().filter(runs).collect();
        let sources = routes.sources();
        let mut ports = Self::default();
        ports.add_variables(all);
        let queues = ports.add_device_queues(all);
        // By receiver: the positions of its entity and of the input.
        let mut inputs: FxHashMap<Uid, (usize, usize)> = FxHashMap::default();
        for (place, entity) in running.iter().enumerate() {
            let components = entity.components();
            let mut planned = gxf_plan::Entity {
                name: entity.name().to_owned(),
                own_thread: own_thread(entity),
                ..gxf_plan::Entity::default()
            };
            let submits: Vec<_> = submits_to(&components, &queues).cloned().collect();
            let first = submits.first().map(|first| first.component().cid());
            planned.queue = first.and_then(|cid| ports.device_queues.get(&cid)).cloned();
            if !submits.is_empty() {
                ports.queues.insert(entity.name().to_owned(), submits);
            }
            let completions =
                || components.iter().filter(|one| gxf::Completion::from_component(one).is_some());
            for component in completions() {
                let name = unused(component, planned.completions.iter());
                ports.completions.insert(format!("{}/{name}", entity.name()), component.cid());
                planned.completions.push(name);
            }
            let mut terms = components.iter().filter(|one| one.is_a(tids::SCHEDULING_TERM));
            planned.waits_for_completion = terms.any(|term| {
                let used = targets(term);
                completions().any(|completion| used.contains(&completion.cid()))
            });
            for component in components.iter().filter(|one| one.is_a(tids::RECEIVER)) {
                let name = unused(component, planned.inputs.iter().map(|input| &input.name));
                inputs.insert(component.cid(), (place, planned.inputs.len()));
                ports.receivers.insert(format!("{}/{name}", entity.name()), component.cid());
                let from = sources.get(&component.cid()).map_or(0, Vec::len);
                let capacity = number(component, "capacity").unwrap_or(1).max(1);
                planned.inputs.push(Input {
                    name,
                    capacity,
                    wanted: wanted(&components, component.cid(), capacity),
                    countable: component.native::<DoubleBufferReceiver>().is_some() && from == 1,
                });
            }
            ports.entities.push(planned);
        }
        // Each variable has one writer at most.
        let mut bound = FxHashSet::default();
        for (place, entity) in running.iter().enumerate() {
            let components = entity.components();
            let mut outputs: Vec<Output> = Vec::new();
            for component in components.iter().filter(|one| one.is_a(tids::TRANSMITTER)) {
                let name = unused(component, outputs.iter().map(|output| &output.name));
                ports.transmitters.insert(format!("{}/{name}", entity.name()), component.cid());
                let behind = routes.receivers(component.cid());
                let targets: Vec<_> =
                    behind.iter().filter_map(|cid| inputs.get(cid).copied()).collect();
                let user = User::of(&components, component.cid());
                let variable = user.as_ref().and_then(|user| ports.variable_of(user)).cloned();
                let variable = variable.filter(|variable| bound.insert(variable.name.clone()));
                let pool = user.as_ref().and_then(User::pool);
                let memory = pool.as_ref().map(|pool| pool.cid()).or_else(|| {
                    Some(ports.variable_of.get(&variable.as_ref()?.name)?.component().cid())
                });
                let is_given = user.as_ref().zip(memory);
                let is_given = is_given.is_some_and(|(user, memory)| user.publishes_into(memory));
                if let Some(pool) = pool.as_ref().filter(|_| is_given) {
                    ports.pools.insert(format!("{}/{name}", entity.name()), pool.cid());
                }
                let changed = user.as_ref().and_then(User::changed);
                let terms = components.iter().filter(|term| {
                    term.native::<DownstreamReceptiveSchedulingTerm>().is_some()
                        && target(term, "transmitter") == Some(component.cid())
                });
                outputs.push(Output {
                    name,
                    countable: component.native::<DoubleBufferTransmitter>().is_some()
                        && targets.len() == behind.len(),
                    payload: pool
                        .as_ref()
                        .and_then(payload)
                        .or_else(|| {
                            let variable = variable.as_ref()?;
                            Some((variable.bytes, variable.memory.clone()))
                        })
                        .or_else(|| {
                            let user = user.as_ref()?;
                            Some((declared(user.codelet, component.cid())?, "host".to_owned()))
                        }),
                    is_given,
                    variable: variable.map(|variable| variable.name.clone()),
                    in_place: changed.and_then(|cid| inputs.get(&cid)).map(|(_, input)| *input),
                    back_pressure: terms.map(|term| number(term, "min_size").unwrap_or(1)).max(),
                    targets,
                });
            }
            ports.entities[place].outputs = outputs;
        }
        ports.follow_messages(&running);
        ports
    }

    /// The kinds of devices with queues in the graph.
    #[must_use]
    pub fn devices(&self) -> Vec<&str> {
        let queues = self.device_queues.values();
        let kinds: BTreeSet<&str> = queues.map(|queue| queue.device.as_str()).collect();
        kinds.into_iter().collect()
    }

    /// Finds the queues of devices in the graph.
    fn add_device_queues(&mut self, entities: &[Arc<Entity>]) -> Vec<Interface<gxf::DeviceQueue>> {
        let mut queues = Vec::new();
        for entity in entities {
            for component in entity.components().iter() {
                let Some(queue) = gxf::DeviceQueue::from_component(component) else { continue };
                if let Ok(device) = queue.call("device", gxf::DeviceQueue::device) {
                    let name = format!("{}/{}", entity.name(), component.label());
                    self.device_queues.insert(component.cid(), DeviceQueue { name, device });
                    queues.push(queue);
                }
            }
        }
        queues
    }

    /// A codelet that only enqueues work, and has no queue, uses the one of the messages that come.
    fn follow_messages(&mut self, running: &[&Arc<Entity>]) {
        let follows = |entity: &Arc<Entity>| {
            let mut codelets = entity.components().to_vec().into_iter();
            codelets
                .any(|one| one.is_a(tids::CODELET) && one.type_info().flags & TYPE_CAPTURABLE != 0)
        };
        let mut next: Vec<usize> = (0..running.len()).collect();
        while let Some(place) = next.pop() {
            let (sender, queue) = (&self.entities[place], self.entities[place].queue.clone());
            let Some(queue) = queue else { continue };
            let targets = sender.outputs.iter().flat_map(|output| &output.targets);
            let targets: Vec<usize> = targets.map(|(target, _)| *target).collect();
            let its = self.queues.get(running[place].name()).cloned().unwrap_or_default();
            for target in targets {
                if self.entities[target].queue.is_none() && follows(running[target]) {
                    self.entities[target].queue = Some(queue.clone());
                    self.queues.insert(running[target].name().to_owned(), its.clone());
                    next.push(target);
                }
            }
        }
    }
}

/// The queues of devices to which an entity submits work: its own, and those that its codelets name.
fn submits_to<'q>(
    components: &[Arc<Component>],
    queues: &'q [Interface<gxf::DeviceQueue>],
) -> impl Iterator<Item = &'q Interface<gxf::DeviceQueue>> {
    let codelets = components.iter().filter(|component| component.is_a(tids::CODELET));
    let mut used: FxHashSet<Uid> = codelets.flat_map(|codelet| targets(codelet)).collect();
    used.extend(components.iter().map(|component| component.cid()));
    queues.iter().filter(move |queue| used.contains(&queue.component().cid()))
}

impl Ports {
    fn add_variables(&mut self, entities: &[Arc<Entity>]) {
        for entity in entities {
            for component in entity.components().iter() {
                let Some(variable) = component.native::<Variable>() else { continue };
                let name = format!("{}/{}", entity.name(), component.label());
                let bytes = match component.parameter("size") {
                    Some(ParameterValue::UInt64(bytes)) => bytes,
                    _ => 0,
                };
                let memory = match number(component, "storage_type") {
                    Some(0) => "pinned",
                    _ => "host",
                };
                let (memory, place) = (memory.to_owned(), None);
                self.variables.push(gxf_plan::Variable {
                    name: name.clone(),
                    bytes,
                    memory,
                    place,
                });
                self.variable_of.insert(name, variable);
            }
        }
    }

    /// The variable that a codelet takes payloads from.
    fn variable_of(&self, user: &User<'_>) -> Option<&gxf_plan::Variable> {
        let is_used = |name: &str| {
            let variable = self.variable_of.get(name);
            variable.is_some_and(|variable| user.used.contains(&variable.component().cid()))
        };
        let mut used = self.variables.iter().filter(|variable| is_used(&variable.name));
        let (Some(variable), None) = (used.next(), used.next()) else { return None };
        let cid = self.variable_of.get(&variable.name)?.component().cid();
        (user.pool().is_none() && user.publishes_into(cid)).then_some(variable)
    }
}

/// The one codelet of an entity that uses a transmitter.
struct User<'c> {
    codelet: &'c Component,
    components: &'c [Arc<Component>],
    /// The components that its parameters name.
    used: Vec<Uid>,
}

impl<'c> User<'c> {
    fn of(components: &'c [Arc<Component>], transmitter: Uid) -> Option<Self> {
        let codelets = components.iter().filter(|component| component.is_a(tids::CODELET));
        let users = codelets.map(|codelet| (codelet, targets(codelet)));
        let mut users = users.filter(|(_, used)| used.contains(&transmitter));
        let (Some((codelet, used)), None) = (users.next(), users.next()) else { return None };
        Some(Self { codelet, components, used })
    }

    fn used(&self) -> impl Iterator<Item = &'c Arc<Component>> {
        self.components.iter().filter(|component| self.used.contains(&component.cid()))
    }

    /// The pool that it takes payloads from.
    fn pool(&self) -> Option<Arc<Component>> {
        let mut pools = self.used().filter(|one| one.native::<BlockMemoryPool>().is_some());
        let (Some(pool), None) = (pools.next(), pools.next()) else { return None };
        Some(pool.clone())
    }

    /// Whether it says that it takes one payload for each act from this memory, and keeps none. It is
    /// the only one of its entity that uses the memory, and has no other transmitter.
    fn publishes_into(&self, memory: Uid) -> bool {
        let codelets = self.components.iter().filter(|component| component.is_a(tids::CODELET));
        let users = codelets.filter(|codelet| targets(codelet).contains(&memory));
        self.codelet.type_info().flags & TYPE_PUBLISHES_INTO != 0
            && users.count() == 1
            && self.used().filter(|one| one.is_a(tids::TRANSMITTER)).count() == 1
    }

    /// The receiver whose messages it says that it changes and publishes.
    fn changed(&self) -> Option<Uid> {
        let mut receivers = self.used().filter(|component| component.is_a(tids::RECEIVER));
        let (Some(receiver), None) = (receivers.next(), receivers.next()) else { return None };
        let changes = self.codelet.type_info().flags & TYPE_IN_PLACE != 0;
        changes.then(|| receiver.cid())
    }
}

/// The components that the parameters of one name.
fn targets(component: &Component) -> Vec<Uid> {
    let values = component.type_info().parameters.iter();
    let values = values.filter_map(|spec| component.parameter(&spec.key));
    let cids = values.flat_map(|value| match value {
        ParameterValue::Component(cid) => vec![cid],
        ParameterValue::List(list) => {
            let one = |value: &ParameterValue| match value {
                ParameterValue::Component(cid) => Some(*cid),
                _ => None,
            };
            list.iter().filter_map(one).collect()
        }
        _ => Vec::new(),
    });
    cids.collect()
}

/// The bytes of the payloads of a pool, and where they are. The device of a pool is known once it is
/// initialised.
fn payload(pool: &Arc<Component>) -> Option<(u64, String)> {
    let device = pool.native::<BlockMemoryPool>().map_or(0, |pool| pool.device());
    let memory = match number(pool, "storage_type") {
        Some(1) if device > 0 => format!("device:{device}"),
        Some(1) => "device".to_owned(),
        Some(2) => "host".to_owned(),
        Some(3) => "managed".to_owned(),
        _ => "pinned".to_owned(),
    };
    Some((number(pool, "block_size")?.into(), memory))
}

/// The bytes of the largest payload that a codelet says it publishes by a transmitter, if each is a
/// registered type of plain data, which holds no other memory.
fn declared(codelet: &Component, transmitter: Uid) -> Option<u64> {
    let info = codelet.type_info();
    let names = |place: usize| {
        let value = info.parameters.get(place).and_then(|spec| codelet.parameter(&spec.key));
        value == Some(ParameterValue::Component(transmitter))
    };
    let carried = info.ports.iter().filter(|port| port.parameter.is_some_and(names));
    let sizes = carried.map(|port| {
        let known = payload_type(port.tid)?;
        known.destroy.is_none().then_some(known.size as u64)
    });
    sizes.collect::<Option<Vec<u64>>>()?.into_iter().max()
}

/// The label of a component, made different from these names.
fn unused<'a>(component: &Component, names: impl Iterator<Item = &'a String> + Clone) -> String {
    let label = component.label();
    let candidates = (1..).map(|number| match number {
        1 => label.to_owned(),
        _ => format!("{label} #{number}"),
    });
    let mut free = candidates.filter(|name| !names.clone().any(|known| known == name));
    free.next().unwrap_or_default()
}

/// The messages that the terms of an entity wait for in a receiver: as many as it holds, if that
/// depends on other queues or on the time.
fn wanted(components: &[Arc<Component>], receiver: Uid, capacity: u32) -> u32 {
    let terms = components.iter().filter(|component| component.is_a(tids::SCHEDULING_TERM));
    let wanted = terms.map(|term| {
        if term.native::<MessageAvailableSchedulingTerm>().is_some() {
            let its = target(term, "receiver") == Some(receiver);
            return if its { number(term, "min_size").unwrap_or(1) } else { 0 };
        }
        let names = |value: &ParameterValue| match value {
            ParameterValue::Component(cid) => *cid == receiver,
            ParameterValue::List(list) => list.contains(&ParameterValue::Component(receiver)),
            _ => false,
        };
        let parameters = term.type_info().parameters.iter();
        let mut values = parameters.filter_map(|spec| term.parameter(&spec.key));
        if values.any(|value| names(&value)) { capacity } else { 0 }
    });
    wanted.max().unwrap_or_default()
}
