//! GXF's stock codelets, one file each. They forward messages; only `TensorCopier` reads the
//! payloads.

mod broadcast;
mod forward;
mod gather;
mod synchronization;
mod tensor_copier;
mod timed_throttler;
mod vault;

pub use broadcast::Broadcast;
pub use forward::Forward;
pub use gather::Gather;
pub use synchronization::Synchronization;
pub use tensor_copier::TensorCopier;
pub use timed_throttler::TimedThrottler;
pub use vault::Vault;
