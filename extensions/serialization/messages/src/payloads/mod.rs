//! Payloads in a stream, for component serializers: [`standard`] has those of GXF's standard
//! extension, [`multimedia`] those of its multimedia extension. `tensor.rs` has the layout of a
//! tensor, `fields.rs` records of numbers.

mod fields;
pub mod multimedia;
pub mod standard;
mod tensor;

use gxf::{Endpoint, Result, StorageType};

/// Where the memory of a tensor or frame goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Behind its header, as in a recording.
    Inline,
    /// Apart: the endpoint gets only its address, and sends or fills it without a copy.
    Apart,
}

impl Place {
    /// Writes memory.
    fn write(self, bytes: &[u8], endpoint: &Endpoint) -> Result<()> {
        match self {
            Self::Inline => endpoint.write_all(bytes),
            Self::Apart => endpoint.write_pointer(bytes.as_ptr(), bytes.len(), StorageType::HOST),
        }
    }

    /// Reads memory.
    fn read(self, bytes: &mut [u8], endpoint: &Endpoint) -> Result<()> {
        match self {
            Self::Inline => endpoint.read_exact(bytes),
            Self::Apart => {
                let size = bytes.len();
                endpoint.write_pointer(bytes.as_mut_ptr(), size, StorageType::HOST)
            }
        }
    }
}
