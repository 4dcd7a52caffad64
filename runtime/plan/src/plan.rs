//! The plan itself.

use crate::figures::Figures;
use gxf_app::Span;
use std::collections::BTreeSet;

/// The version of the file format.
pub const VERSION: &str = "1.0.0";

/// The kind of threads that serve no device.
pub const CPU: &str = "cpu";

/// Which thread executes which entity, and the registers between them.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// What it is a plan of, for readers.
    pub graph: String,
    /// The threads.
    pub streams: Vec<Stream>,
    /// The entities with codelets, in the order of activation.
    pub tasks: Vec<Task>,
    /// Memory that exists before the run and keeps its value.
    pub variables: Vec<Variable>,
    /// What carries messages between tasks, or only their order.
    pub registers: Vec<Register>,
    /// The most bytes that the payloads may take together, and its place; `None` for no limit.
    pub limit: Option<(u64, Option<Span>)>,
    /// What the file that it was read from says of the memory it needs.
    pub figures: Figures,
    /// Places in that file.
    pub sections: Sections,
}

/// Places of the lists of a plan; `None` for a list that is not in the file.
#[derive(Clone, Debug, Default)]
pub struct Sections {
    /// The plan.
    pub whole: Option<Span>,
    /// Its streams.
    pub streams: Option<Span>,
    /// Its tasks.
    pub tasks: Option<Span>,
    /// Its registers.
    pub registers: Option<Span>,
}

impl Stream {
    /// A thread of the CPU.
    #[must_use]
    pub fn of_cpu(id: u32, rank: u32) -> Self {
        Self { id, rank, device: CPU.to_owned(), place: None, device_place: None }
    }
}

/// A thread, which executes its tasks one after the other.
#[derive(Clone, Debug)]
pub struct Stream {
    /// Its number, from 0 without a gap.
    pub id: u32,
    /// The process that has it.
    pub rank: u32,
    /// The kind of its thread: that of the device to which its tasks submit work, or [`CPU`].
    pub device: String,
    /// Place in the file that it was read from.
    pub place: Option<Span>,
    /// Place of the kind in that file.
    pub device_place: Option<Span>,
}

/// An entity, executed as an actor.
#[derive(Clone, Debug)]
pub struct Task {
    /// Name of the entity.
    pub name: String,
    /// Number of its stream.
    pub stream: u32,
    /// The job whose end waits for it.
    pub job: u32,
    /// The component of the entity that says when the work is done that an act submits. The act is
    /// over then: what it published is sent, and what it took is acknowledged. `None`: with its tick.
    pub completion: Option<Completion>,
    /// Place in the file that it was read from.
    pub place: Option<Span>,
}

/// A component that says when submitted work is done.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Its name, or its type if it has none.
    pub component: String,
    /// Place in the file that it was read from.
    pub place: Option<Span>,
}

/// Memory that exists before the run and keeps its value between acts and runs.
#[derive(Clone, Debug)]
pub struct Variable {
    /// `entity/component`.
    pub name: String,
    /// Bytes of it.
    pub bytes: u64,
    /// Where it is: `host` or `pinned`.
    pub memory: String,
    /// Place in the file that it was read from.
    pub place: Option<Span>,
}

/// What a register carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Messages.
    Data,
    /// Nothing: it only orders tasks.
    Control,
}

/// What limits the number of messages on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The producer acts only with a free instance for every consumer.
    Credits,
    /// Nothing: the capacity and policy of the consumer's queue decide what is lost.
    Queue,
}

/// A register: a transmitter with the receivers behind it.
#[derive(Clone, Debug)]
pub struct Register {
    /// `entity/transmitter`.
    pub name: String,
    /// The task that fills it.
    pub producer: String,
    /// Who reads it.
    pub consumers: Vec<Consumer>,
    /// Number of instances: messages that may be with a consumer at a time.
    pub instances: u32,
    /// What it carries.
    pub kind: Kind,
    /// What limits the messages.
    pub flow: Flow,
    /// Bytes of the largest payload; `None` if nothing tells.
    pub payload_bytes: Option<u64>,
    /// Where the payloads are: `host`, `pinned`, `device` or `managed`; `device:1` on a device other
    /// than the first one.
    pub memory: String,
    /// Whether the producer fills memory that the plan gives it.
    pub is_given: bool,
    /// The register whose memory it uses again: one that its producer consumes.
    pub in_place: Option<String>,
    /// The variable whose memory its payload is.
    pub variable: Option<String>,
    /// Places in the file that it was read from: of the whole, and of some values.
    pub places: Places,
}

/// A reader of a register.
#[derive(Clone, Debug)]
pub struct Consumer {
    /// `entity/receiver`, or the entity for a control register.
    pub receiver: String,
    /// Instances that it may have at a time, if more than the register says.
    pub room: Option<u32>,
    /// Place in the file that it was read from.
    pub place: Option<Span>,
}

/// Places of what is checked about a register.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The register.
    pub whole: Option<Span>,
    /// The name of its producer.
    pub producer: Option<Span>,
    /// The number of instances.
    pub instances: Option<Span>,
    /// The bytes of a payload.
    pub payload_bytes: Option<Span>,
    /// Where payloads are.
    pub memory: Option<Span>,
    /// The register whose memory it uses.
    pub in_place: Option<Span>,
    /// The variable whose memory it uses.
    pub variable: Option<Span>,
}

impl Register {
    /// The entity that a consumer is.
    #[must_use]
    pub fn reader<'c>(&self, consumer: &'c Consumer) -> &'c str {
        match self.kind {
            Kind::Data => consumer.task(),
            Kind::Control => &consumer.receiver,
        }
    }

    /// Instances that a consumer may have at a time.
    #[must_use]
    pub fn room(&self, consumer: &Consumer) -> u32 {
        consumer.room.unwrap_or(self.instances)
    }

    /// The most payloads that exist at a time.
    #[must_use]
    pub fn payloads(&self) -> u32 {
        let rooms = self.consumers.iter().map(|consumer| self.room(consumer));
        rooms.max().unwrap_or_default().max(self.instances)
    }
}

impl Consumer {
    /// The entity of the receiver.
    #[must_use]
    pub fn task(&self) -> &str {
        task_of(&self.receiver)
    }
}

/// The kind of memory without the number of its device: `device` of `device:1`.
#[must_use]
pub fn kind_of_memory(memory: &str) -> &str {
    let is_number = |text: &str| {
        text.parse::<i32>().is_ok_and(|number| number > 0 && number.to_string() == text)
    };
    match memory.split_once(':') {
        Some((kind @ "device", number)) if is_number(number) => kind,
        _ => memory,
    }
}

/// The entity in `entity/component`.
pub(crate) fn task_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(task, _)| task)
}

impl Kind {
    /// Its word in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Control => "control",
        }
    }
}

impl Flow {
    /// Its word in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Credits => "credits",
            Self::Queue => "queue",
        }
    }
}

impl Plan {
    /// The processes that it is for, in order.
    #[must_use]
    pub fn ranks(&self) -> Vec<u32> {
        let ranks: BTreeSet<u32> = self.streams.iter().map(|stream| stream.rank).collect();
        ranks.into_iter().collect()
    }

    /// The process of a task.
    #[must_use]
    pub fn rank_of(&self, task: &str) -> Option<u32> {
        let stream = self.tasks[self.task(task)?].stream;
        self.streams.get(stream as usize).map(|stream| stream.rank)
    }

    /// The place of a list, or of the whole plan if the file has no such list.
    pub(crate) fn section(&self, list: fn(&Sections) -> &Option<Span>) -> Option<&Span> {
        list(&self.sections).as_ref().or(self.sections.whole.as_ref())
    }

    /// The position of a task by its name.
    #[must_use]
    pub fn task(&self, name: &str) -> Option<usize> {
        self.tasks.iter().position(|task| task.name == name)
    }
}
