//! What a plan needs to know about a graph.

/// An entity with codelets.
#[derive(Clone, Debug, Default)]
pub struct Entity {
    /// Its name.
    pub name: String,
    /// Whether it asks for a thread of its own.
    pub own_thread: bool,
    /// The queue of a device to which it submits work; the first one of several.
    pub queue: Option<DeviceQueue>,
    /// Its receivers.
    pub inputs: Vec<Input>,
    /// Its transmitters.
    pub outputs: Vec<Output>,
    /// Its components that say when submitted work is done, by name, or type if one has no name.
    pub completions: Vec<String>,
    /// Whether one of its scheduling terms waits for such a component: then its acts do not overlap.
    pub waits_for_completion: bool,
}

/// A queue of a device's work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceQueue {
    /// Its name: `entity/component`.
    pub name: String,
    /// Kind of the device.
    pub device: String,
}

/// A receiver.
#[derive(Clone, Debug)]
pub struct Input {
    /// Name, or type if it has no name.
    pub name: String,
    /// Messages it holds.
    pub capacity: u32,
    /// Messages that the entity's terms wait for.
    pub wanted: u32,
    /// Whether credits can count its messages: a built-in queue behind one transmitter.
    pub countable: bool,
}

/// A transmitter.
#[derive(Clone, Debug)]
pub struct Output {
    /// Name, or type if it has no name.
    pub name: String,
    /// Whether it is a built-in queue.
    pub countable: bool,
    /// Room that a `DownstreamReceptiveSchedulingTerm` asks for; `None` without one.
    pub back_pressure: Option<u32>,
    /// Bytes of the largest payload, and where it is, as in [`crate::Register::memory`], as far as
    /// that is known; `None` if nothing tells.
    pub payload: Option<(u64, String)>,
    /// Whether the codelet takes its payloads from memory that the plan gives it.
    pub is_given: bool,
    /// The variable that the codelet takes its payloads from.
    pub variable: Option<String>,
    /// Position of the input whose payloads the codelet changes and publishes.
    pub in_place: Option<usize>,
    /// Its receivers: positions of the entity and the input.
    pub targets: Vec<(usize, usize)>,
}

impl Output {
    /// Whether credits limit its messages.
    pub(crate) fn has_credits(&self, entities: &[Entity]) -> bool {
        self.countable
            && self.back_pressure.is_some()
            && self.targets.iter().all(|(entity, input)| entities[*entity].inputs[*input].countable)
    }

    /// Instances that the terms on both sides wait for, if their queues hold as many; at least 1.
    pub(crate) fn needed(&self, entities: &[Entity]) -> u32 {
        let inputs = self.targets.iter().map(|(entity, input)| &entities[*entity].inputs[*input]);
        let back_pressure = self.back_pressure.unwrap_or_default();
        let needed = inputs.map(|input| input.wanted.max(back_pressure).min(input.capacity));
        needed.max().unwrap_or_default().max(1)
    }
}
