//! What may not be valid yet.

use gxf_device::{Fence, add_fence};

/// A payload, and the points in the work of devices behind which its memory is valid.
pub struct Fenced<T> {
    pub payload: T,
    pub ready: Vec<Fence>,
}

impl<T: gxf::Payload> Fenced<T> {
    /// Adds the payload to a message, which then says when it is valid.
    pub fn add_to(self, message: &mut gxf::Message, name: &str) -> gxf::Result<()> {
        message.add(name, self.payload)?;
        self.ready.into_iter().try_for_each(|fence| add_fence(message, fence))
    }
}

impl<T> From<T> for Fenced<T> {
    fn from(payload: T) -> Self {
        Self { payload, ready: Vec::new() }
    }
}
