//! Codelets that know themselves when they can act.

use gxf::{ConditionType, Handle, Receiver};

/// A codelet that is its own scheduling term.
pub trait OwnTerm {
    /// Whether it can act.
    fn condition(&self) -> ConditionType;
    /// Calls `each` with the receivers that it waits for.
    fn receivers(&self, each: &mut dyn FnMut(&Handle<Receiver>));
}

/// Ready or waiting.
pub fn ready_if(is_ready: bool) -> ConditionType {
    if is_ready { ConditionType::READY } else { ConditionType::WAIT }
}

/// Makes a component its own scheduling term.
macro_rules! own_term {
    ($component:ty) => {
        impl gxf::implement::SchedulingTerm for $component {
            fn check(&self, now: i64) -> gxf::Result<gxf::Condition> {
                let condition_type = crate::own_term::OwnTerm::condition(self);
                Ok(gxf::Condition { condition_type, target: now })
            }

            fn on_execute(&self, _now: i64) -> gxf::Result<()> {
                Ok(())
            }

            fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
                crate::own_term::OwnTerm::receivers(self, &mut |receiver| add(receiver.cid()));
            }
        }
    };
}
pub(crate) use own_term;
