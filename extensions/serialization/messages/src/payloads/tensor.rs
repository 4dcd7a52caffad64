//! The layout of a tensor in a stream: a header of 116 bytes, then its elements.
//!
//! Elements that fill their memory without gaps (in any order of dimensions) are written as they
//! lie there, strides included; others are packed, with strides to match.

use super::{Place, is_on_device};
use gxf::prelude::*;
use gxf::{Endpoint, PrimitiveType, Shape, keep_until_sent};
use gxf_recording::layout::{TENSOR_HEADER_SIZE, TensorHeader};

/// Writes a tensor and returns the number of bytes. One on a device is written as it lies there, by way
/// of pinned host memory.
pub fn write(tensor: &Tensor, endpoint: &Endpoint, place: Place<'_>) -> Result<u64> {
    let stated = place.storage_of(tensor.memory());
    if !is_on_device(tensor.memory()) {
        return write_from_host(tensor, stated, endpoint, place);
    }
    let memory = place.staging().host_copy(tensor.memory())?;
    let mut strides = [0; gxf::abi::MAX_RANK];
    strides[..tensor.rank()].copy_from_slice(tensor.strides());
    let (element, size) = (tensor.element_type(), tensor.bytes_per_element());
    let copy = Tensor::from_memory(*tensor.shape(), element, size, Some(strides), memory)?;
    let written = write_from_host(&copy, stated, endpoint, place)?;
    match place {
        Place::Inline(_) => {}
        Place::Apart(_) => keep_until_sent(copy.into_memory())?,
    }
    Ok(written)
}

fn write_from_host(
    tensor: &Tensor,
    stated: StorageType,
    endpoint: &Endpoint,
    place: Place<'_>,
) -> Result<u64> {
    let shape = tensor.shape();
    let size = tensor.element_count()?.saturating_mul(tensor.bytes_per_element());
    // Elements may overlap (strides of 0); then the memory is as long as the recording says, and is
    // written back unchanged.
    let memory = tensor.memory().bytes()?;
    let bytes = if memory.len() as u64 == size { memory } else { tensor.bytes()? };
    let is_dense = bytes.len() as u64 == size;
    let mut header = TensorHeader {
        storage_type: stated.0,
        // GXF does not know it; other programs see two bytes.
        element_type: match tensor.element_type() {
            PrimitiveType::BFLOAT16 => PrimitiveType::CUSTOM.0,
            known => known.0,
        },
        bytes_per_element: tensor.bytes_per_element(),
        rank: tensor.rank() as u32,
        dimensions: [1; 8],
        strides: [0; 8],
    };
    header.dimensions[..shape.rank()].copy_from_slice(shape.dimensions());
    let side_by_side = shape.row_major_strides(tensor.bytes_per_element())?;
    let strides = if is_dense { tensor.strides() } else { &side_by_side[..shape.rank()] };
    header.strides[..shape.rank()].copy_from_slice(strides);
    endpoint.write_all(&header.to_bytes())?;
    if is_dense {
        place.write(bytes, endpoint)?;
    } else {
        tensor.for_each_run(&mut |run| place.write(run, endpoint))?;
    }
    Ok(TENSOR_HEADER_SIZE + size)
}

/// Reads a tensor into new memory, see [`Place::read`]; the tensor keeps the stated storage type.
pub fn read(
    endpoint: &Endpoint,
    allocator: &Handle<Allocator>,
    place: Place<'_>,
) -> Result<Tensor> {
    let mut bytes = [0; TENSOR_HEADER_SIZE as usize];
    endpoint.read_exact(&mut bytes).map_err(|error| error.context("tensor header"))?;
    let header = TensorHeader::from_bytes(&bytes);
    let invalid = |text: String| Error::new(ResultCode::INVALID_DATA_FORMAT, text);
    let size = header.data_size().map_err(|error| invalid(error.to_string()))?;
    let shape = Shape::new(header.shape().map_err(|error| invalid(error.to_string()))?)?;
    let extent = shape.extent(&header.strides, header.bytes_per_element)?;
    if extent > size {
        return Err(invalid(format!(
            "the strides {:?} of a tensor of {shape} reach over {extent} bytes, and it has {size}",
            &header.strides[..shape.rank()]
        )));
    }
    let element_type = PrimitiveType(header.element_type);
    let (bytes_per_element, strides) = (header.bytes_per_element, Some(header.strides));
    let stated = StorageType(header.storage_type);
    // All of the memory: strides may leave bytes at the end unused, and the recording has those, too.
    let memory = place
        .read(endpoint, allocator, size, stated)
        .map_err(|error| error.context("tensor data"))?;
    let mut tensor = Tensor::from_memory(shape, element_type, bytes_per_element, strides, memory)?;
    tensor.set_recorded_storage_type(stated);
    Ok(tensor)
}
