//! The memory of registers.
//!
//! A codelet that says that it publishes into a register (`publishes_into` in its factory) takes a
//! payload from its pool for each act, and keeps none. Its pool therefore gets just the blocks that
//! the plan has for the register, which other registers may share, and the actor acts only when one
//! is free: then nobody reads the payload any more that was in it.

use crate::standard::memory::{BlockMemoryPool, give_together};
use gxf_app::error::{Error, Result};
use gxf_plan::{Plan, Register};
use gxf_plugin::component::Native;
use rustc_hash::FxHashMap;

/// The pools that have the memory of registers.
#[derive(Default)]
pub(super) struct Payloads {
    /// By actor.
    pools: Vec<Vec<Native<BlockMemoryPool>>>,
}

impl Payloads {
    /// Gives the pools of registers, by name, the memory that the plan has for them. `actor` is the
    /// number of a task.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn give(
        plan: &Plan,
        by_register: &FxHashMap<&str, Native<BlockMemoryPool>>,
        actor: impl Fn(&str) -> Option<u32>,
    ) -> Result<Self> {
        let mut payloads = Self::default();
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
            let pools = filled().filter_map(|register| by_register.get(&*register.name));
            let pools: Vec<&BlockMemoryPool> = pools.map(|pool| &**pool).collect();
            let Some(first) = registers().next().filter(|_| !pools.is_empty()) else { continue };
            let size = first.payload_bytes.unwrap_or_default();
            give_together(&pools, size, first.payloads().into()).map_err(|error| {
                let text = format!("no memory for the payloads of register `{}`", first.name);
                Error::new(error.code(), text).caused_by(error)
            })?;
            bytes = bytes.saturating_add(pools[0].reserved());
            for register in filled() {
                let pool = by_register.get(&*register.name);
                let (Some(pool), Some(actor)) = (pool, actor(&register.producer)) else { continue };
                let needed = actor as usize + 1;
                let length = payloads.pools.len().max(needed);
                payloads.pools.resize_with(length, Vec::new);
                payloads.pools[actor as usize].push(pool.clone());
            }
        }
        tracing::debug!("the plan gives registers {bytes} bytes");
        Ok(payloads)
    }

    /// Whether an actor fills registers whose memory is given.
    #[inline]
    pub fn limit(&self, actor: u32) -> bool {
        self.pools.get(actor as usize).is_some_and(|pools| !pools.is_empty())
    }

    /// Whether a payload that an actor needs is still read.
    pub fn are_read(&self, actor: u32) -> bool {
        let pools = self.pools.get(actor as usize);
        pools.is_some_and(|pools| pools.iter().any(|pool| !pool.has_free_block()))
    }
}
