//! Write a gxe extension in Rust.
//!
//! ```
//! use gxf::prelude::*;
//!
//! /// Publishes an integer on every tick.
//! #[derive(Component, Default)]
//! struct PingTx {
//!     /// Transmitter that publishes the messages.
//!     signal: Parameter<Handle<Transmitter>>,
//!     count: i32,
//! }
//!
//! impl Codelet for PingTx {
//!     fn tick(&mut self, ctx: &TickContext) -> Result<()> {
//!         let mut message = ctx.new_message()?;
//!         message.add("integer", self.count)?;
//!         self.count += 1;
//!         self.signal.publish(message, ctx.now())
//!     }
//! }
//! ```
//!
//! A map:
//!
//! - [`Codelet`] and the traits of [`implement`]: what a component can be. One thread at a time
//!   calls a codelet, with `&mut self`; several threads may call everything else, with `&self`.
//! - [`Parameter`], [`Handle`]: configuration. Every `Parameter<T>` field of a struct that derives
//!   [`Component`] is a parameter of that name in YAML.
//! - [`Receiver`], [`Transmitter`], [`Clock`], [`Allocator`], …: targets of handles, implemented in
//!   any language.
//! - [`Message`], [`Payload`], [`Timestamp`]: what codelets exchange. [`Tensor`] with its [`Shape`]
//!   and [`MemoryBuffer`]: arrays of numbers. [`multimedia`]: video and audio.
//! - [`TickContext`], [`ComponentContext`], [`ContextHandle`]: access to the graph. A component may
//!   keep the last one and change the graph with it.
//! - [`Completion`] and [`WakeToken`]: waiting for what happens outside the graph. [`PendingWork`]:
//!   telling the graph of it. [`TraceTrack`]: showing it in the trace of a run.
//! - [`gxf_ext_factory!`]: lists the extension's types and exports the one symbol that the host
//!   looks for.
//! - [`info!`], [`warning!`], [`error!`], [`debug!`], [`verbose!`]: the host's log.
//!
//! The crate `gxf-plugin-abi`, re-exported as [`abi`], defines the ABI boundary.

#![expect(unsafe_code, reason = "the safe face of the ABI calls through its tables")]

pub use gxf_macros::{Component, ParameterEnum, gxf_ext_factory};
pub use gxf_plugin_abi as abi;
pub use gxf_plugin_abi::{
    AllocatorStatistics, AsynchronousEventState, Condition, ConditionType, ControllerStatus,
    EndOfStream, EntityState, Event, LinkCounts, LinkState, LinkStatistics, MultiSourceTimestamp,
    PrimitiveType, ResultCode, StorageType, Tid, Timestamp, Uid, verdict,
};

mod byte_stream;
mod context;
mod error;
mod graph;
mod handle;
pub mod host;
pub mod implement;
mod interface;
mod log;
mod memory;
mod message;
pub mod multimedia;
mod parameter;
mod payload_serializer;
mod pending_work;
mod scatter;
pub mod serialization;
mod stream;
pub mod support;
pub mod tensor;
mod text;
pub mod trace;
pub mod units;
mod wake_token;

pub use byte_stream::ByteStream;
pub use context::{ComponentContext, ContextHandle, TickContext};
pub use error::{Error, Result};
pub use graph::NewValue;
pub use handle::{Handle, HandleTarget};
pub use implement::{Codelet, Component, Lifecycle, SharedCodelet};
pub use interface::*;
pub use log::*;
pub use memory::{MemoryBuffer, MemoryWaiters, VecPool};
pub use message::{Message, Payload, PayloadInfo};
pub use multimedia::{AudioBuffer, VideoBuffer};
pub use parameter::{
    Carried, Complex64, Complex128, Parameter, ParameterDescription, ParameterEnum, ParameterSlot,
    ParameterValue, Yaml,
};
pub use payload_serializer::{AnyPayload, AnyPayloadMut, PayloadSerializer};
pub use pending_work::PendingWork;
pub use scatter::{Gathered, Scattered, keep_until_sent, when_filled};
pub use tensor::{Element, Shape, Tensor};
pub use text::{text_lossy, text_of, text_to_str};
pub use trace::TraceTrack;
pub use wake_token::WakeToken;

/// The usual imports of an extension.
pub mod prelude {
    pub use crate::{
        Allocator, AsynchronousEventState, AsynchronousSchedulingTerm, BooleanSchedulingTerm,
        Clock, Codelet, Component, ComponentContext, Condition, ConditionType, ContextHandle,
        Error, Handle, Lifecycle, Message, Parameter, ParameterEnum, Payload, Receiver, Result,
        ResultCode, StorageType, TargetTimeSchedulingTerm, Tensor, TickContext, Timestamp,
        Transmitter, gxf_ext_factory, implement,
    };
}

/// Compiles the extension in the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
