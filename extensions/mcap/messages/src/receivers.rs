//! The receivers of a component that records or shows messages, and their topics.

use gxf::prelude::*;
use gxf::serialization::log_time;
use gxf::{Handle, Message, Receiver};

/// Checks the parameters `receivers` and `topics`.
///
/// # Errors
/// There are topics, but not one for each receiver.
pub fn check_topics(receivers: &[Handle<Receiver>], topics: Option<&[String]>) -> Result<()> {
    let (given, needed) = (topics.map(<[String]>::len), receivers.len());
    match given {
        Some(given) if given != needed => Err(Error::new(
            ResultCode::PARAMETER_OUT_OF_RANGE,
            format!("there are {needed} `receivers` and {given} `topics`"),
        )),
        _ => Ok(()),
    }
}

/// The topics as they are given, else the names of the receivers.
#[must_use]
pub fn topics_of(
    receivers: &[Handle<Receiver>],
    topics: Option<&[String]>,
    context: &TickContext,
) -> Vec<String> {
    let names = || receivers.iter().map(|receiver| context.component_name(receiver.cid()));
    topics.map_or_else(|| names().collect(), <[String]>::to_vec)
}

/// Takes all messages, each with the index of its receiver and its log time in nanoseconds, which is
/// never before 0.
///
/// # Errors
/// Those of `each`, and of a receiver.
pub fn receive_all(
    receivers: &[Handle<Receiver>],
    context: &TickContext,
    mut each: impl FnMut(usize, Message, i64) -> Result<()>,
) -> Result<()> {
    for (index, receiver) in receivers.iter().enumerate() {
        while let Some(message) = receiver.try_receive()? {
            let time = log_time(&message).unwrap_or(context.now()).max(0);
            each(index, message, time)?;
        }
    }
    Ok(())
}

/// Makes a component with a parameter `receivers` its own scheduling term: it ticks when any receiver
/// has a message.
#[macro_export]
macro_rules! ticks_on_messages {
    ($component:ty) => {
        impl gxf::implement::SchedulingTerm for $component {
            fn check(&self, now: i64) -> gxf::Result<gxf::Condition> {
                Ok($crate::receivers::condition(&self.receivers, now))
            }

            fn on_execute(&self, _now: i64) -> gxf::Result<()> {
                Ok(())
            }

            fn watched(&self, add: &mut dyn FnMut(gxf::Uid)) {
                // Asked before all parameters are set, too.
                let receivers = self.receivers.try_get().into_iter().flatten();
                receivers.for_each(|receiver| add(receiver.cid()));
            }
        }
    };
}

#[doc(hidden)]
#[must_use]
pub fn condition(receivers: &[Handle<Receiver>], now: i64) -> Condition {
    let has_message =
        |receiver: &Handle<Receiver>| receiver.message_count() + receiver.back_count() > 0;
    let is_ready = receivers.iter().any(has_message);
    let condition_type = if is_ready { ConditionType::READY } else { ConditionType::WAIT };
    Condition { condition_type, target: now }
}
