//! From a graph's ports to a plan.

use crate::plan::{
    CPU, Completion, Consumer, Flow, Kind, Places, Plan, Register, Stream, Task, Variable,
};
use crate::ports::{Entity, Output};
use rustc_hash::FxHashMap;

/// The most instances that one may ask for, each of which takes memory in every register.
pub const MOST_INSTANCES: u32 = 1_000_000;

/// What a plan is compiled for.
#[derive(Clone, Debug)]
pub struct Options {
    /// What it is a plan of, for readers.
    pub graph: String,
    /// Number of processes.
    pub ranks: u32,
    /// Number of threads of a process, beside those of entities that ask for their own.
    pub threads: u32,
    /// Number of instances of a register whose queues hold no more.
    pub register_num: u32,
}

/// The plan of a graph. Its entities are divided into as many runs of neighbours, in their order,
/// as there are threads of all processes: those that follow each other in a file usually pass messages to each
/// other, and a message within a thread is the cheapest. Those that submit work to the same queue of a
/// device have a thread of that device's kind. Those that connections lead to from each other, in
/// whatever direction, are a job.
#[must_use]
pub fn compile(entities: &[Entity], variables: &[Variable], options: &Options) -> Plan {
    let is_shared = |entity: &&Entity| !entity.own_thread && entity.queue.is_none();
    let sharing = entities.iter().filter(is_shared).count();
    let threads = options.threads.max(1);
    let shares = threads.saturating_mul(options.ranks.max(1));
    let mut streams: Vec<Stream> = (0..shares).map(|id| Stream::of_cpu(id, id / threads)).collect();
    // By queue and rank.
    let mut of_queue: FxHashMap<(&str, u32), u32> = FxHashMap::default();
    let jobs = jobs(entities);
    let mut shared = 0;
    let tasks = entities.iter().zip(jobs).map(|(entity, job)| {
        let number = if is_shared(&entity) {
            let place = shared * shares as usize / sharing;
            shared += 1;
            u32::try_from(place).unwrap_or_default()
        } else {
            // In the process of its neighbours.
            let share = (shared * shares as usize).checked_div(sharing).unwrap_or_default();
            let rank = u32::try_from(share).unwrap_or_default().min(shares - 1) / threads;
            let mut add = || {
                let number = u32::try_from(streams.len()).unwrap_or(u32::MAX);
                let queue = entity.queue.as_ref();
                let device = queue.map_or(CPU, |queue| &queue.device).to_owned();
                streams.push(Stream { device, ..Stream::of_cpu(number, rank) });
                number
            };
            match &entity.queue {
                Some(queue) if !entity.own_thread => {
                    *of_queue.entry((&queue.name, rank)).or_insert_with(add)
                }
                _ => add(),
            }
        };
        Task { name: entity.name.clone(), stream: number, job, completion: None, place: None }
    });
    let mut tasks: Vec<Task> = tasks.collect();
    let registers = entities.iter().flat_map(|entity| registers(entities, entity, options));
    let mut registers: Vec<Register> = registers.collect();
    break_circles(&mut registers);
    for (entity, task) in entities.iter().zip(&mut tasks) {
        if let ([completion], false) = (&entity.completions[..], entity.waits_for_completion)
            && counts_acts(&registers, &task.name)
        {
            let component = completion.clone();
            task.completion = Some(Completion { component, place: None });
        }
    }
    Plan {
        graph: options.graph.clone(),
        streams,
        tasks,
        variables: variables.to_vec(),
        registers,
        ..Plan::default()
    }
}

/// Whether credits bound how many acts of a task can be under way: all registers that it fills have
/// them, and there is one, or one that it reads.
pub(crate) fn counts_acts(registers: &[Register], task: &str) -> bool {
    let data = || registers.iter().filter(|register| register.kind == Kind::Data);
    let has_credits = |register: &&Register| register.flow == Flow::Credits;
    let mut fills = data().filter(|register| register.producer == task);
    let mut reads = data().filter(|register| {
        register.consumers.iter().any(|consumer| register.reader(consumer) == task)
    });
    let fills_any = data().any(|register| register.producer == task);
    fills.all(|register| has_credits(&register))
        && (fills_any || reads.any(|one| has_credits(&one)))
}

/// The register that leads to an input, if nothing else does and nobody else reads it: others would
/// see the changes.
fn changed(entities: &[Entity], reader: &Entity, input: usize) -> Option<String> {
    let place = entities.iter().position(|entity| std::ptr::eq(entity, reader))?;
    let leads = entities.iter().flat_map(|entity| {
        let outputs = entity.outputs.iter();
        let outputs = outputs.filter(|output| output.targets.contains(&(place, input)));
        outputs.map(move |output| (entity, output))
    });
    let leads: Vec<(&Entity, &Output)> = leads.collect();
    let [(entity, output)] = leads[..] else { return None };
    (output.targets.len() == 1).then(|| format!("{}/{}", entity.name, output.name))
}

/// Gives one register of each circle of in-place relations memory of its own.
fn break_circles(registers: &mut [Register]) {
    let places: FxHashMap<String, usize> =
        registers.iter().zip(0..).map(|(register, place)| (register.name.clone(), place)).collect();
    for start in 0..registers.len() {
        let mut next = registers[start].in_place.as_ref();
        for _ in 0..registers.len() {
            let Some(place) = next.and_then(|name| places.get(name)) else { break };
            if *place == start {
                registers[start].in_place = None;
                break;
            }
            next = registers[*place].in_place.as_ref();
        }
    }
}

/// The job of each entity: jobs are numbered in the order of their first entities.
fn jobs(entities: &[Entity]) -> Vec<u32> {
    /// The first entity that is known to be connected with this one; makes the way there shorter.
    fn first(parents: &mut [usize], mut entity: usize) -> usize {
        while parents[entity] != entity {
            parents[entity] = parents[parents[entity]];
            entity = parents[entity];
        }
        entity
    }
    let mut parents: Vec<usize> = (0..entities.len()).collect();
    for (sender, entity) in entities.iter().enumerate() {
        for (receiver, _) in entity.outputs.iter().flat_map(|output| &output.targets) {
            let ends = [sender, *receiver].map(|end| first(&mut parents, end));
            parents[ends[0].max(ends[1])] = ends[0].min(ends[1]);
        }
    }
    let mut numbers = vec![0; entities.len()];
    let mut count = 0;
    for entity in 0..entities.len() {
        let first = first(&mut parents, entity);
        if first == entity {
            numbers[entity] = count;
            count += 1;
        } else {
            numbers[entity] = numbers[first];
        }
    }
    numbers
}

fn registers<'a>(
    entities: &'a [Entity],
    entity: &'a Entity,
    options: &'a Options,
) -> impl Iterator<Item = Register> + 'a {
    entity.outputs.iter().filter(|output| !output.targets.is_empty()).map(|output| {
        let credits = output.has_credits(entities);
        // Of credits there are no more than terms ask for and anybody may.
        let most = if credits { MOST_INSTANCES.max(output.needed(entities)) } else { u32::MAX };
        let capacity =
            |(entity, input): &(usize, usize)| entities[*entity].inputs[*input].capacity.min(most);
        let least = output.targets.iter().map(capacity).min().unwrap_or_default();
        let instances = if credits { least.max(options.register_num) } else { least };
        let consumers = output.targets.iter().map(|target| {
            let (reader, input) = (&entities[target.0], target.1);
            let capacity = capacity(target);
            Consumer {
                receiver: format!("{}/{}", reader.name, reader.inputs[input].name),
                room: (capacity > instances).then_some(capacity),
                place: None,
            }
        });
        Register {
            name: format!("{}/{}", entity.name, output.name),
            producer: entity.name.clone(),
            consumers: consumers.collect(),
            instances,
            kind: Kind::Data,
            flow: if credits { Flow::Credits } else { Flow::Queue },
            payload_bytes: output.payload.as_ref().map(|(bytes, _)| *bytes),
            memory: output.payload.as_ref().map_or("host", |(_, memory)| memory).to_owned(),
            is_given: output.is_given,
            in_place: output.in_place.and_then(|input| changed(entities, entity, input)),
            variable: output.variable.clone(),
            places: Places::default(),
        }
    })
}
