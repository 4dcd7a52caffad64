//! The memory of registers.
//!
//! A codelet that says that it publishes into a register (`publishes_into` in its factory) takes a
//! payload from its pool for each act, and keeps none. Its pool therefore gets just the blocks that
//! the plan has for the register, which other registers may share, and the actor acts only when one
//! is free: then nobody reads the payload any more that was in it.

use crate::standard::memory::{BlockMemoryPool, Slab, Variable, give_together};
use gxf_app::error::{Error, Result};
use gxf_plan::{Plan, Register};
use gxf_plugin::component::Native;
use gxf_plugin_abi::ResultCode;
use gxf_sync::event_queue::EventQueue;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The memory of registers.
pub(super) struct Payloads {
    /// By actor.
    slabs: Vec<Vec<Arc<Slab>>>,
    event_queue: Arc<EventQueue>,
}

impl Payloads {
    /// Gives the pools of registers, by name, the memory that the plan has for them: blocks of their
    /// own, or those of variables. `actor` is the number of a task; the run of `event_queue` hears when
    /// memory becomes free.
    ///
    /// # Errors
    /// There is not enough memory, or a variable has none.
    pub fn give(
        plan: &Plan,
        by_register: &FxHashMap<&str, Native<BlockMemoryPool>>,
        variables: &FxHashMap<String, Native<Variable>>,
        event_queue: &Arc<EventQueue>,
        actor: impl Fn(&str) -> Option<u32>,
    ) -> Result<Self> {
        let mut payloads = Self { slabs: Vec::new(), event_queue: event_queue.clone() };
        for register in &plan.registers {
            let Some(variable) = register.variable.as_ref() else { continue };
            let pool = by_register.get(&*register.name);
            let slab = variables.get(variable).and_then(|variable| {
                pool.is_none_or(|pool| pool.map(variable)).then(|| variable.slab())?
            });
            let slab = slab.ok_or_else(|| {
                let text = format!("variable `{variable}` has no memory: its entity is not active");
                Error::new(ResultCode::INVALID_LIFECYCLE_STAGE, text)
            })?;
            payloads.add(actor(&register.producer), slab);
        }
        if by_register.is_empty() {
            return Ok(payloads);
        }
        let mut bytes = 0_u64;
        for block in plan.memory().blocks {
            let registers = || {
                let own = |name: &String| plan.registers.iter().find(|one| one.name == *name);
                block.registers.iter().filter_map(own)
            };
            let filled = || {
                let own = |register: &&Register| register.is_given && register.in_place.is_none();
                registers().filter(own)
            };
            let pools = filled().filter_map(|register| {
                Some((&**by_register.get(&*register.name)?, &*register.producer))
            });
            let (pools, producers): (Vec<&BlockMemoryPool>, Vec<&str>) = pools.unzip();
            let Some(first) = registers().next().filter(|_| !pools.is_empty()) else { continue };
            let size = first.payload_bytes.unwrap_or_default();
            let given = give_together(&pools, size, first.payloads().into()).map_err(|error| {
                let text = format!("no memory for the payloads of register `{}`", first.name);
                Error::new(error.code(), text).caused_by(error)
            })?;
            for (place, (slab, producer)) in given.iter().zip(producers).enumerate() {
                if !given[..place].iter().any(|known| Arc::ptr_eq(known, slab)) {
                    bytes = bytes.saturating_add(slab.block_size() * slab.count() as u64);
                }
                payloads.add(actor(producer), slab.clone());
            }
        }
        tracing::debug!("the plan gives registers {bytes} bytes");
        Ok(payloads)
    }

    /// An actor fills a register with blocks of these.
    fn add(&mut self, actor: Option<u32>, slab: Arc<Slab>) {
        let Some(actor) = actor else { return };
        // The memory may be that of another entity, such as a variable.
        slab.add_taker(&self.event_queue, actor);
        let actor = actor as usize;
        let length = self.slabs.len().max(actor + 1);
        self.slabs.resize_with(length, Vec::new);
        self.slabs[actor].push(slab);
    }

    /// Whether an actor fills registers whose memory is given.
    #[inline]
    pub fn limit(&self, actor: u32) -> bool {
        self.slabs.get(actor as usize).is_some_and(|slabs| !slabs.is_empty())
    }

    /// Whether a payload that an actor needs is still read.
    pub fn are_read(&self, actor: u32) -> bool {
        let slabs = self.slabs.get(actor as usize);
        slabs.is_some_and(|slabs| slabs.iter().any(|slab| slab.free_count() == 0))
    }
}

impl Drop for Payloads {
    fn drop(&mut self) {
        self.slabs.iter().flatten().for_each(|slab| slab.forget_takers());
    }
}
