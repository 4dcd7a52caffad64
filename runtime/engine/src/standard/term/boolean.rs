//! `BooleanSchedulingTerm`.

use super::plain;
use gxf::implement;
use gxf::prelude::*;
use gxf::{ContextHandle, Event};
use spin::Once;
use std::sync::atomic::{AtomicBool, Ordering};

/// A switch: on lets the entity tick, off ends it. Any component holding a handle can switch it.
#[derive(Component, Default)]
#[component(lifecycle)]
pub struct BooleanSchedulingTerm {
    /// Initial position of the switch.
    #[parameter(headline = "Enable tick", default = true, dynamic)]
    enable_tick: Parameter<bool>,
    enabled: AtomicBool,
    /// Latest known value of the parameter, which may change while the graph runs.
    configured: AtomicBool,
    context: Once<ContextHandle>,
}

impl Lifecycle for BooleanSchedulingTerm {
    fn initialize(&self, context: &ComponentContext) -> Result<()> {
        let enable = *self.enable_tick.get();
        self.enabled.store(enable, Ordering::Relaxed);
        self.configured.store(enable, Ordering::Relaxed);
        self.context.call_once(|| context.handle());
        Ok(())
    }
}

impl implement::SchedulingTerm for BooleanSchedulingTerm {
    fn check(&self, _now: i64) -> Result<Condition> {
        let configured = *self.enable_tick.get();
        if self.configured.swap(configured, Ordering::Relaxed) != configured {
            self.enabled.store(configured, Ordering::Relaxed);
        }
        // Acquire pairs with the Release below: what was done before the switch is visible.
        let enabled = self.enabled.load(Ordering::Acquire);
        Ok(plain(if enabled { ConditionType::READY } else { ConditionType::NEVER }, 0))
    }

    fn on_execute(&self, _now: i64) -> Result<()> {
        Ok(())
    }
}

impl implement::BooleanSchedulingTerm for BooleanSchedulingTerm {
    fn set_tick_enabled(&self, enabled: bool) -> Result<()> {
        self.enabled.store(enabled, Ordering::Release);
        self.context.get().map_or(Ok(()), |context| context.notify(Event::STATE_UPDATE))
    }

    fn is_tick_enabled(&self) -> bool {
        self.enabled.load(Ordering::Acquire)
    }
}
