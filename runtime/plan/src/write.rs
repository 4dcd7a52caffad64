//! A plan as JSON.

use crate::memory::Memory;
use crate::plan::{Consumer, Plan, Register, Stream, Task, VERSION, Variable};
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

impl Plan {
    /// The file: JSON that a person can read and edit.
    ///
    /// # Panics
    /// Never: every value has a form in JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("a plan is plain data");
        text.push('\n');
        text
    }
}

impl Serialize for Plan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut plan = serializer.serialize_struct("Plan", 7)?;
        plan.serialize_field("plan", VERSION)?;
        plan.serialize_field("graph", &self.graph)?;
        plan.serialize_field("streams", &self.streams)?;
        plan.serialize_field("tasks", &self.tasks)?;
        plan.serialize_field("variables", &self.variables)?;
        plan.serialize_field("registers", &self.registers)?;
        plan.serialize_field("memory", &PlannedMemory(self))?;
        plan.end()
    }
}

struct PlannedMemory<'a>(&'a Plan);

impl Serialize for PlannedMemory<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let needed = self.0.memory();
        let Memory { streams, bytes, saved, variables, unknown, .. } = &needed;
        let mut memory = serializer.serialize_struct("memory", 7)?;
        memory.serialize_field("bytes", bytes)?;
        memory.serialize_field("saved", saved)?;
        memory.serialize_field("limit", &self.0.limit.as_ref().map(|(limit, _)| limit))?;
        memory.serialize_field("variables", variables)?;
        memory.serialize_field("streams", streams)?;
        memory.serialize_field("shared", &needed.shared())?;
        memory.serialize_field("unknown", unknown)?;
        memory.end()
    }
}

impl Serialize for Stream {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut stream = serializer.serialize_struct("Stream", 3)?;
        stream.serialize_field("id", &self.id)?;
        stream.serialize_field("rank", &self.rank)?;
        stream.serialize_field("device", &self.device)?;
        stream.end()
    }
}

impl Serialize for Task {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut task = serializer.serialize_map(None)?;
        task.serialize_entry("name", &self.name)?;
        task.serialize_entry("stream", &self.stream)?;
        task.serialize_entry("job", &self.job)?;
        if let Some(completion) = &self.completion {
            task.serialize_entry("completion", &completion.component)?;
        }
        task.end()
    }
}

impl Serialize for Variable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut variable = serializer.serialize_struct("Variable", 3)?;
        variable.serialize_field("name", &self.name)?;
        variable.serialize_field("bytes", &self.bytes)?;
        variable.serialize_field("memory", &self.memory)?;
        variable.end()
    }
}

impl Serialize for Register {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = 10 + usize::from(self.variable.is_some());
        let mut register = serializer.serialize_struct("Register", fields)?;
        register.serialize_field("name", &self.name)?;
        register.serialize_field("producer", &self.producer)?;
        register.serialize_field("consumers", &self.consumers)?;
        register.serialize_field("instances", &self.instances)?;
        register.serialize_field("kind", self.kind.name())?;
        register.serialize_field("flow", self.flow.name())?;
        register.serialize_field("payload_bytes", &self.payload_bytes)?;
        register.serialize_field("memory", &self.memory)?;
        register.serialize_field("given", &self.is_given)?;
        register.serialize_field("in_place", &self.in_place)?;
        if let Some(variable) = &self.variable {
            register.serialize_field("variable", variable)?;
        }
        register.end()
    }
}

impl Serialize for Consumer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(room) = self.room else { return serializer.serialize_str(&self.receiver) };
        let mut consumer = serializer.serialize_map(Some(2))?;
        consumer.serialize_entry("receiver", &self.receiver)?;
        consumer.serialize_entry("room", &room)?;
        consumer.end()
    }
}
