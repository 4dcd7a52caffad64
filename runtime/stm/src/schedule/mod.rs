//! Schedules and their file format, which the book describes.
//!
//! A schedule fixes an order, not times: each engine has a list of executions, and an execution
//! waits for the one before it and for those that it names. The planned times follow from the
//! order and the worst-case execution times.
//!
//! A graph that has none has a [`Refutation`] instead.
//!
//! `write.rs` and `read.rs`: to text and back.

mod read;
mod write;

use crate::deduce::Proof;
use gxf_app::Span;

pub use read::{Document, read_document, read_schedule};
use std::fmt::Write;

/// The version of the file format that is written and read.
pub const VERSION: &str = "1.0.0";

/// The plan of a graph.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// Name of the graph.
    pub graph: String,
    /// Id of the graph.
    pub identifier: u16,
    /// Whether one runnable runs at a time, for profiling.
    pub one_active: bool,
    /// The plans of the hyperepochs, in the graph's order.
    pub hyperepochs: Vec<HyperepochPlan>,
}

impl Schedule {
    /// Tells the schedule from others, the way its file is formatted aside (FNV-1a of its text).
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        struct Hash(u64);
        impl Write for Hash {
            fn write_str(&mut self, text: &str) -> std::fmt::Result {
                for byte in text.bytes() {
                    self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
                }
                Ok(())
            }
        }
        let mut hash = Hash(0xcbf2_9ce4_8422_2325);
        // A hash takes any text.
        let _ = write!(hash, "{self}");
        hash.0
    }
}

/// The proof that a cycle of a hyperepoch has no schedule.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// Name of the graph.
    pub graph: String,
    /// Id of the graph.
    pub identifier: u16,
    /// Whether one runnable was to run at a time.
    pub one_active: bool,
    /// The hyperepoch.
    pub hyperepoch: String,
    /// The cycle, from 0.
    pub cycle: u64,
    /// That it has no schedule.
    pub proof: Proof,
}

/// The plan of a hyperepoch.
#[derive(Clone, Debug)]
pub struct HyperepochPlan {
    /// Its name.
    pub name: String,
    /// Its period in nanoseconds, as in the graph.
    pub period: Option<u64>,
    /// The global resources that it owns, as in the graph.
    pub resources: Vec<String>,
    /// Its epochs, as in the graph.
    pub epochs: Vec<EpochPlan>,
    /// The cycles, which follow each other and then start over.
    pub cycles: Vec<CyclePlan>,
    /// Place in the file that it was read from.
    pub place: Option<Span>,
}

/// What a schedule says about an epoch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EpochPlan {
    /// Its name.
    pub name: String,
    /// Time between two frames, in nanoseconds; `None` starts a frame when the one before is done.
    pub period: Option<u64>,
    /// Frames in each cycle.
    pub frames: u32,
}

/// The plan of one cycle.
#[derive(Clone, Debug)]
pub struct CyclePlan {
    /// The end of the last execution, in nanoseconds.
    pub makespan: u64,
    /// No schedule is shorter; for a schedule that keeps all deadlines, no other that does.
    pub lower_bound: u64,
    /// Whether every execution ends by its deadline.
    pub keeps_deadlines: bool,
    /// That nothing is shorter than `lower_bound`.
    pub proof: Option<Proof>,
    /// The engines that execute something, in the graph's order.
    pub lanes: Vec<Lane>,
    /// Place in the file that it was read from.
    pub place: Option<Span>,
}

/// An engine and its executions, in order.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The engine.
    pub engine: String,
    /// What it executes.
    pub executions: Vec<Execution>,
}

/// One execution.
#[derive(Clone, Debug)]
pub struct Execution {
    /// `client.runnable`.
    pub runnable: String,
    /// Its epoch.
    pub epoch: String,
    /// The frame of its epoch, from 0 in each cycle.
    pub frame: u32,
    /// Earliest start, in nanoseconds of the cycle, that the clock releases; `None` if only others
    /// delay it.
    pub release: Option<u64>,
    /// Planned start, in nanoseconds of the cycle.
    pub start: u64,
    /// Planned end.
    pub end: u64,
    /// What it holds beside its engine.
    pub holds: Vec<String>,
    /// Executions on other engines that it waits for, as `client.runnable@frame`.
    pub after: Vec<String>,
    /// The work that it submits, as `client.runnable@frame`.
    pub submits: Option<String>,
    /// Joined to the one before it: both run as one, without a hand-over between them.
    pub fused: bool,
    /// Place in the file that it was read from.
    pub place: Option<Span>,
}

impl Execution {
    /// `client.runnable@frame`, its name in a cycle.
    #[must_use]
    pub fn id(&self) -> String {
        format!("{}@{}", self.runnable, self.frame)
    }
}
