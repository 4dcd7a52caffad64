//! How much memory the payloads of a plan's registers take.

use crate::plan::{Plan, Register};
use serde::Serialize;

/// The memory that a plan needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// By stream.
    pub streams: Vec<StreamMemory>,
    /// Bytes of all streams together.
    pub bytes: u64,
    /// The registers whose size nothing tells, which stand outside of the sums.
    pub unknown: Vec<String>,
}

/// The memory of the registers that the tasks of a stream fill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StreamMemory {
    /// Number of the stream.
    pub id: u32,
    /// Bytes.
    pub bytes: u64,
}

impl Plan {
    /// The memory it needs.
    #[must_use]
    pub fn memory(&self) -> Memory {
        memory(self)
    }
}

/// The memory that a plan needs: for each register, as many payloads as may exist at a time. One
/// that is in place needs none of its own.
fn memory(plan: &Plan) -> Memory {
    let mut found = Memory {
        streams: plan
            .streams
            .iter()
            .map(|stream| StreamMemory { id: stream.id, bytes: 0 })
            .collect(),
        ..Memory::default()
    };
    for register in plan.registers.iter().filter(|register| register.in_place.is_none()) {
        let Some(bytes) = bytes(register) else {
            found.unknown.push(register.name.clone());
            continue;
        };
        found.bytes = found.bytes.saturating_add(bytes);
        let task = plan.tasks.iter().find(|task| task.name == register.producer);
        let stream =
            task.and_then(|task| found.streams.iter_mut().find(|one| one.id == task.stream));
        if let Some(stream) = stream {
            stream.bytes = stream.bytes.saturating_add(bytes);
        }
    }
    found
}

/// The bytes of a register's payloads; `None` if nothing tells.
fn bytes(register: &Register) -> Option<u64> {
    Some(register.payload_bytes?.saturating_mul(register.payloads().into()))
}
