//! A tensor that may not be valid yet.

use gxf_device::{Fence, add_fence};

/// A tensor, and the points in the work of devices behind which its elements are valid.
pub struct FencedTensor {
    pub tensor: gxf::Tensor,
    pub ready: Vec<Fence>,
}

impl FencedTensor {
    /// Adds the tensor to a message, which then says when it is valid.
    pub fn add_to(self, message: &mut gxf::Message, name: &str) -> gxf::Result<()> {
        message.add(name, self.tensor)?;
        self.ready.into_iter().try_for_each(|fence| add_fence(message, fence))
    }
}

impl From<gxf::Tensor> for FencedTensor {
    fn from(tensor: gxf::Tensor) -> Self {
        Self { tensor, ready: Vec::new() }
    }
}
