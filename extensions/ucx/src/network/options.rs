//! What the network knows of its context.

use crate::entity_serializer::UcxEntitySerializer;
use gxe_access::Access;
use gxf::{ContextHandle, EntitySerializer, Handle};
use std::time::Duration;

/// What the network knows of its context.
pub struct Options {
    pub context: ContextHandle,
    pub serializer: Handle<EntitySerializer>,
    /// The same, if it is of this library.
    pub own_serializer: Option<Handle<UcxEntitySerializer>>,
    pub knows_layout: bool,
    pub access: Access,
    pub uses_tcp: bool,
    pub uses_unix: bool,
    /// Everything to other processes goes over UCX.
    pub uses_ucx: bool,
    pub reconnects: bool,
    pub heartbeat: Duration,
    pub timeout: Duration,
    pub patience: Duration,
    pub maximum_message_size: u64,
}
