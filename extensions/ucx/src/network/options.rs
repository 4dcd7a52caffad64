//! What the network knows of its context.

use crate::entity_serializer::MessageSerializer;
use gxe_access::Access;
use gxf::ContextHandle;
use std::time::Duration;

/// What the network knows of its context.
pub struct Options {
    pub context: ContextHandle,
    pub serializer: MessageSerializer,
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
