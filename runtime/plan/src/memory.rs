//! How much memory the payloads of a plan's registers take, and which of them share it.
//!
//! A register's memory is in use from the act that fills it to the end of the last act that reads
//! it. Two registers share memory if that never overlaps, which instances prove: the producer takes
//! one before it acts and gets it back after the consumer acted, so the number of messages and free
//! instances on a circle of registers never changes. If both registers are on a circle with one
//! instance, they never hold a message at the same time. Control registers make such circles. This
//! counts on actors that publish nothing without taking a message of each register that they read;
//! and only registers share memory whose producers take it from the plan.

use crate::figures::{Block, StreamMemory};
use crate::plan::{Flow, Kind, Plan, Register};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::VecDeque;

/// The memory that a plan needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// By stream.
    pub streams: Vec<StreamMemory>,
    /// Bytes of all streams together.
    pub bytes: u64,
    /// Bytes of the variables, which stand outside of the other sums.
    pub variables: u64,
    /// Bytes that sharing and in-place registers save.
    pub saved: u64,
    /// What each register with a known size uses.
    pub blocks: Vec<Block>,
    /// The registers whose size nothing tells, which stand outside of the sums.
    pub unknown: Vec<String>,
}

/// A register and those that are in place of it, directly or not.
struct Group<'p> {
    stream: u32,
    registers: Vec<&'p Register>,
    bytes: u64,
}

/// Stands for the group of a register whose memory is that of a variable.
const IN_VARIABLE: usize = usize::MAX;

impl Plan {
    /// The memory it needs.
    #[must_use]
    pub fn memory(&self) -> Memory {
        let by_name: FxHashMap<&str, &Register> =
            self.registers.iter().map(|register| (&*register.name, register)).collect();
        let streams: FxHashMap<&str, u32> =
            self.tasks.iter().map(|task| (&*task.name, task.stream)).collect();
        let mut found = Memory::default();
        let variables = self.variables.iter().map(|variable| variable.bytes);
        found.variables = variables.fold(0, u64::saturating_add);
        found
            .streams
            .extend(self.streams.iter().map(|stream| StreamMemory { id: stream.id, bytes: 0 }));
        let mut groups: Vec<Group<'_>> = Vec::new();
        let mut group_of: FxHashMap<&str, usize> = FxHashMap::default();
        let mut alone = 0_u64;
        // Those in place come after the ones whose memory they use.
        let lengths = chains(&by_name);
        let length = |register: &Register| lengths.get(&*register.name).copied();
        let mut data: Vec<(usize, &Register)> = self
            .registers
            .iter()
            .filter(|register| register.kind == Kind::Data)
            .map(|register| (length(register).unwrap_or_default(), register))
            .collect();
        data.sort_by_key(|(length, _)| *length);
        for (_, register) in data {
            if register.variable.is_some() {
                group_of.insert(&register.name, IN_VARIABLE);
                continue;
            }
            let own = bytes(register);
            alone = alone.saturating_add(own.unwrap_or_default());
            let source = register.in_place.as_deref().filter(|name| *name != register.name);
            match source.and_then(|name| group_of.get(name).copied()) {
                Some(IN_VARIABLE) => {
                    group_of.insert(&register.name, IN_VARIABLE);
                }
                Some(group) => {
                    groups[group].registers.push(register);
                    group_of.insert(&register.name, group);
                }
                None if register.in_place.is_some() => {}
                None => match own {
                    None => found.unknown.push(register.name.clone()),
                    Some(bytes) => {
                        let stream = streams.get(&*register.producer).copied().unwrap_or_default();
                        group_of.insert(&register.name, groups.len());
                        groups.push(Group { stream, registers: vec![register], bytes });
                    }
                },
            }
        }
        let mut blocks: Vec<Vec<Group<'_>>> = Vec::new();
        let circles = Circles::of(self);
        // The largest first, so that the others fit into their memory.
        groups.sort_by_key(|group| Reverse(group.bytes));
        for group in groups {
            let fits = |block: &&mut Vec<Group<'_>>| {
                block.iter().all(|other| circles.never_together(other, &group))
            };
            match blocks.iter_mut().find(fits) {
                Some(block) => block.push(group),
                None => blocks.push(vec![group]),
            }
        }
        for block in blocks {
            let first = &block[0];
            found.bytes = found.bytes.saturating_add(first.bytes);
            if let Some(stream) = found.streams.iter_mut().find(|one| one.id == first.stream) {
                stream.bytes = stream.bytes.saturating_add(first.bytes);
            }
            let registers = block.iter().flat_map(|group| &group.registers);
            found.blocks.push(Block {
                stream: first.stream,
                memory: first.registers[0].memory.clone(),
                bytes: first.bytes,
                registers: registers.map(|register| register.name.clone()).collect(),
            });
        }
        found.saved = alone.saturating_sub(found.bytes);
        found
    }
}

impl Memory {
    /// The memory that several registers use. One that has memory of its own needs no line in a file.
    #[must_use]
    pub fn shared(&self) -> Vec<&Block> {
        self.blocks.iter().filter(|block| block.registers.len() > 1).collect()
    }
}

/// The bytes of a register's payloads; `None` if nothing tells.
fn bytes(register: &Register) -> Option<u64> {
    Some(register.payload_bytes?.saturating_mul(register.payloads().into()))
}

/// By register: the number of those in whose place it is, directly or not.
fn chains<'p>(by_name: &FxHashMap<&'p str, &'p Register>) -> FxHashMap<&'p str, usize> {
    let mut lengths: FxHashMap<&str, usize> = FxHashMap::default();
    for start in by_name.values() {
        let mut chain: Vec<&Register> = Vec::new();
        let mut next = Some(*start);
        // A check refuses circles.
        while let Some(register) = next.filter(|one| !lengths.contains_key(&*one.name)) {
            lengths.insert(&register.name, 0);
            chain.push(register);
            next = register.in_place.as_deref().and_then(|name| by_name.get(name).copied());
        }
        for register in chain.into_iter().rev() {
            let Some(source) = register.in_place.as_deref() else { continue };
            let before = lengths.get(source).copied().unwrap_or_default();
            lengths.insert(&register.name, before + 1);
        }
    }
    lengths
}

/// The ways from task to task that a message or a free instance can take.
struct Circles<'p> {
    positions: FxHashMap<&'p str, usize>,
    /// By task: where it leads, and with how many free instances on the way at the start.
    ways: Vec<Vec<(usize, u32)>>,
}

impl<'p> Circles<'p> {
    fn of(plan: &'p Plan) -> Self {
        let names = plan.tasks.iter().map(|task| &*task.name);
        let positions: FxHashMap<&str, usize> = names.zip(0..).collect();
        let mut ways = vec![Vec::new(); positions.len()];
        for register in &plan.registers {
            let Some(producer) = positions.get(&*register.producer) else { continue };
            for consumer in &register.consumers {
                let Some(reader) = positions.get(register.reader(consumer)) else { continue };
                ways[*producer].push((*reader, 0));
                if register.flow == Flow::Credits {
                    ways[*reader].push((*producer, register.room(consumer)));
                }
            }
        }
        Self { positions, ways }
    }

    /// Whether no register of one group, whose producers fill memory that the plan gives them, ever holds a message while one of the other does.
    fn never_together(&self, one: &Group<'_>, other: &Group<'_>) -> bool {
        one.stream == other.stream
            && [one, other].iter().all(|group| group.registers[0].is_given)
            && one.registers[0].memory == other.registers[0].memory
            && one
                .registers
                .iter()
                .all(|one| other.registers.iter().all(|other| self.take_turns(one, other)))
    }

    /// Whether two registers are on a circle with one instance, and no act reads one of them and
    /// fills the other.
    fn take_turns(&self, one: &Register, other: &Register) -> bool {
        if [one, other]
            .iter()
            .any(|register| register.payloads() != 1 || register.flow != Flow::Credits)
        {
            return false;
        }
        match (self.instances_between(one, other), self.instances_between(other, one)) {
            (Some(there), Some(back)) => there + back <= 1,
            _ => false,
        }
    }

    /// The most free instances on the shortest ways from the readers of a register to the producer of
    /// another; `None` if there are more than one, or a reader is that producer.
    fn instances_between(&self, from: &Register, to: &Register) -> Option<u32> {
        let target = *self.positions.get(&*to.producer)?;
        let mut most = 0;
        for consumer in &from.consumers {
            let start = *self.positions.get(from.reader(consumer))?;
            if start == target {
                return None;
            }
            most = most.max(self.shortest(start, target)?);
        }
        Some(most)
    }

    /// The fewest free instances on a way between two tasks, if at most one.
    fn shortest(&self, start: usize, target: usize) -> Option<u32> {
        let mut best: Vec<Option<u32>> = vec![None; self.ways.len()];
        let mut next = VecDeque::from([(start, 0)]);
        while let Some((task, instances)) = next.pop_front() {
            if best[task].is_some_and(|known| known <= instances) {
                continue;
            }
            if task == target {
                return Some(instances);
            }
            best[task] = Some(instances);
            for (reader, free) in &self.ways[task] {
                match instances + free {
                    sum if sum > 1 => {}
                    sum if *free == 0 => next.push_front((*reader, sum)),
                    sum => next.push_back((*reader, sum)),
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::{Consumer, Flow, Kind, Places, Plan, Register, Stream, Task, Variable};

    fn register(name: &str, producer: &str, consumers: &[&str], bytes: Option<u64>) -> Register {
        let consumer = |receiver: &&str| Consumer {
            receiver: (*receiver).to_owned(),
            room: None,
            place: None,
        };
        Register {
            name: name.to_owned(),
            producer: producer.to_owned(),
            consumers: consumers.iter().map(consumer).collect(),
            instances: 1,
            kind: if bytes.is_some() { Kind::Data } else { Kind::Control },
            flow: Flow::Credits,
            payload_bytes: bytes,
            memory: "host".to_owned(),
            is_given: true,
            in_place: None,
            variable: None,
            places: Places::default(),
        }
    }

    /// `a` → `b` → `c` → `d`, all on one stream.
    fn row() -> Plan {
        let task = |name: &str| Task {
            name: name.to_owned(),
            stream: 0,
            job: 0,
            completion: None,
            place: None,
        };
        Plan {
            streams: vec![Stream::of_cpu(0, 0)],
            tasks: ["a", "b", "c", "d"].map(task).to_vec(),
            registers: vec![
                register("a/tx", "a", &["b/rx"], Some(100)),
                register("b/tx", "b", &["c/rx"], Some(10)),
                register("c/tx", "c", &["d/rx"], Some(60)),
            ],
            ..Plan::default()
        }
    }

    #[test]
    fn without_a_circle_nothing_is_shared() {
        let memory = row().memory();
        assert_eq!((memory.bytes, memory.saved), (170, 0));
        assert_eq!(memory.blocks.len(), 3);
    }

    #[test]
    fn registers_that_take_turns_share_memory() {
        let mut plan = row();
        // `a` waits until `d` has acted: only one message is in the row.
        plan.registers.push(register("order", "a", &["d"], None));
        let memory = plan.memory();
        assert_eq!((memory.bytes, memory.saved), (110, 60));
        assert_eq!(memory.blocks[0].registers, ["a/tx", "c/tx"]);
        assert_eq!(memory.streams[0].bytes, 110);
        // With two instances there are two messages.
        plan.registers[3].instances = 2;
        assert_eq!(plan.memory().saved, 0);
    }

    #[test]
    fn memory_is_not_shared_between_streams_or_kinds() {
        let mut plan = row();
        plan.registers.push(register("order", "a", &["d"], None));
        plan.registers[2].memory = "device".to_owned();
        assert_eq!(plan.memory().saved, 0);
        // Nor between devices.
        plan.registers[0].memory = "device:1".to_owned();
        assert_eq!(plan.memory().saved, 0);
        plan.registers[2].memory = "device:1".to_owned();
        assert_eq!(plan.memory().saved, 60);
        plan.registers[0].memory = "host".to_owned();
        plan.registers[2].memory = "host".to_owned();
        plan.streams.push(Stream { id: 1, ..plan.streams[0].clone() });
        plan.tasks[2].stream = 1;
        let memory = plan.memory();
        assert_eq!((memory.saved, memory.streams[1].bytes), (0, 60));
    }

    #[test]
    fn a_register_in_place_needs_no_memory_and_keeps_that_of_its_input_in_use() {
        let mut plan = row();
        plan.registers.push(register("order", "a", &["d"], None));
        plan.registers[1].in_place = Some("a/tx".to_owned());
        // `c` reads what is in the memory of `a/tx` while it fills `c/tx`.
        let memory = plan.memory();
        assert_eq!((memory.bytes, memory.saved), (160, 10));
        assert_eq!(memory.blocks[0].registers, ["a/tx", "b/tx"]);
    }

    #[test]
    fn variables_are_counted_once_and_apart() {
        let mut plan = row();
        let (name, memory) = ("model/weights".to_owned(), "host".to_owned());
        plan.variables.push(Variable { name, bytes: 100, memory, place: None });
        plan.registers[0].variable = Some("model/weights".to_owned());
        plan.registers[1].in_place = Some("a/tx".to_owned());
        let memory = plan.memory();
        assert_eq!((memory.variables, memory.bytes, memory.saved), (100, 60, 10));
        assert_eq!(memory.blocks.len(), 1);
    }

    #[test]
    fn every_reader_must_have_acted() {
        let mut plan = row();
        plan.registers.push(register("order", "a", &["d"], None));
        // `e` reads the first register, too, and nobody waits for it.
        plan.tasks.push(Task { name: "e".to_owned(), ..plan.tasks[0].clone() });
        plan.registers[0] = register("a/tx", "a", &["b/rx", "e/rx"], Some(100));
        assert_eq!(plan.memory().saved, 0);
    }
}
