//! GXF's stock codelets, one file each. They forward messages; only `TensorCopier` reads the
//! payloads.

mod broadcast;
mod forward;
mod gather;
mod synchronization;
mod tensor_copier;
mod timed_throttler;
mod vault;

pub(crate) use broadcast::Broadcast;
pub(crate) use forward::Forward;
pub(crate) use gather::Gather;
pub(crate) use synchronization::Synchronization;
pub(crate) use tensor_copier::TensorCopier;
pub(crate) use timed_throttler::TimedThrottler;
pub(crate) use vault::Vault;
